/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closing library files. Code of a library may be in use when no module of it is left: objects
 * with deleters, functions in the registry, hooks. Calls of kernels are bare jumps, so nobody saw
 * what was handed out; but what a library cannot do without, it names in its symbol table. So a
 * library is unloaded if it names nothing that lets code out, and stays loaded otherwise.
 *
 * Not seen: an object in the library's own static data, and what a function of the host, which is
 * no function of the runtime, was given.
 */
#include <string.h>

#include "module/library.h"
#include "platform/dl.h"

/*
 * Of the runtime, what keeps no pointer to code of its caller. Whatever is not in this list does,
 * names that are unknown included. Without the TVMFFI of all of them, each with its NUL.
 */
static const char kHarmless[] =
    "AnyViewToOwnedAny\0"
    "Backtrace\0"
    "BigIntFromByteArray\0"
    "BigIntGetContentByteArray\0"
    "BytesFromByteArray\0"
    "DataTypeFromString\0"
    "DataTypeToString\0"
    "EnvCheckSignals\0"
    "EnvGetDLPackManagedTensorAllocator\0"
    "EnvGetStream\0"
    "EnvModLookupFromImports\0"
    "EnvSetStream\0"
    "EnvTensorAlloc\0"
    "ErrorCreate\0"
    "ErrorCreateWithCauseAndExtraContext\0"
    "ErrorMoveFromRaised\0"
    "ErrorSetRaised\0"
    "ErrorSetRaisedFromCStr\0"
    "ErrorSetRaisedFromCStrParts\0"
    "FunctionCall\0"
    "FunctionGetGlobal\0"
    "GetTypeAttrColumn\0"
    "GetTypeInfo\0"
    "GetVersion\0"
    "HandleDeinitOnce\0"
    "HandleInitOnce\0"
    "ObjectDecRef\0"
    "ObjectIncRef\0"
    "RuntimeGetLiveObjectCount\0"
    "RuntimeSetBacktraceEnabled\0"
    "RuntimeSetLiveObjectCounting\0"
    "StringFromByteArray\0"
    "TensorCreateUnsafeView\0"
    "TensorToDLPack\0"
    "TensorToDLPackVersioned\0"
    "TypeKeyToIndex\0";

/*
 * Of the system and of others like it: memory that an object could stand in, other ways to the
 * runtime, threads and handlers. Parts of names, for there are many: __libc_malloc, __sysv_signal.
 */
static const char kHarmful[] =
    "aio_\0"
    "alloc\0"
    "asprintf\0"
    "brk\0"
    "clone\0"
    "dlmopen\0"
    "dlopen\0"
    "dlsym\0"
    "dlvsym\0"
    "fopencookie\0"
    "getaddrinfo_a\0"
    "getdelim\0"
    "getline\0"
    "key_create\0"
    "lio_listio\0"
    "makecontext\0"
    "memalign\0"
    "memstream\0"
    "mmap\0"
    "mq_notify\0"
    "mremap\0"
    "on_exit\0"
    "quick_exit\0"
    "shmat\0"
    "sigaction\0"
    "signal\0"
    "sigset\0"
    "sigvec\0"
    "strdup\0"
    "strndup\0"
    "syscall\0"
    "thrd_create\0"
    "thread_create\0"
    "timer_create\0"
    "tss_create\0";

static bool is_in(const char *list, const char *name) {
  for (; *list != '\0'; list += strlen(list) + 1) {
    if (strcmp(list, name) == 0) return true;
  }
  return false;
}

static bool has_part_in(const char *list, const char *name) {
  for (; *list != '\0'; list += strlen(list) + 1) {
    if (strstr(name, list) != NULL) return true;
  }
  return false;
}

static bool starts_with(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

/* What instrumented code calls: __asan_stack_malloc_1, __tsan_read8. */
static bool is_of_sanitizer(const char *name) {
  const char *rest = strstr(name, "san_");
  return starts_with(name, "__") && rest != NULL && rest - name <= 5;
}

/* __cxa_finalize is in every library, and __cxa_atexit is undone when the library is closed. */
static bool is_of_cpp(const char *name) {
  if (starts_with(name, "_Z") || starts_with(name, "__gxx_")) return true;
  return starts_with(name, "__cxa_") && strcmp(name, "__cxa_finalize") != 0 &&
         strcmp(name, "__cxa_atexit") != 0;
}

/*
 * A function of the runtime may also come as a pointer that is stored in the library when it is
 * loaded: context symbols for that are called __TVMFFI...
 */
bool tvmffi_library_close_allows(const char *name, bool is_taken) {
  const char *plain = starts_with(name, "__TVMFFI") ? name + 2 : name;
  if (starts_with(plain, "TVMFFI")) return is_in(kHarmless, plain + strlen("TVMFFI"));
  if (!is_taken || is_of_sanitizer(name)) return true;
  return !is_of_cpp(name) && !has_part_in(kHarmful, name);
}

void tvmffi_library_close(void *handle) {
  if (tvmffi_dl_all_symbols(handle, tvmffi_library_close_allows)) tvmffi_dl_close(handle);
}
