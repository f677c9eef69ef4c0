/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closing library files. Code of a library may still be in use when its last module is gone:
 * deleters of objects, functions in the registry, hooks. Kernels are called directly, so the
 * runtime does not see what they hand out. But a library names in its symbol table every function
 * it depends on. So it is unloaded if it names none that could let its code escape, and stays
 * loaded otherwise.
 *
 * Not detected: objects in the library's own static data, and what the library passes to functions
 * of the host that are not functions of the runtime.
 */
#include <string.h>

#include "module/library.h"
#include "platform/dl.h"

/*
 * Functions of the runtime that keep no pointer to code of the caller. All others are assumed to,
 * including unknown ones. The names lack the prefix TVMFFI; each ends with a NUL.
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
 * Functions of the system that could let code escape: memory in which objects could be made, other
 * ways to reach the runtime, threads and handlers. These are parts of names, to cover variants such
 * as __libc_malloc and __sysv_signal.
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

/* Called by instrumented code: __asan_stack_malloc_1, __tsan_read8. */
static bool is_of_sanitizer(const char *name) {
  const char *rest = strstr(name, "san_");
  return starts_with(name, "__") && rest != NULL && rest - name <= 5;
}

/* Every library has __cxa_finalize, which undoes __cxa_atexit when the library is closed. */
static bool is_of_cpp(const char *name) {
  if (starts_with(name, "_Z") || starts_with(name, "__gxx_")) return true;
  return starts_with(name, "__cxa_") && strcmp(name, "__cxa_finalize") != 0 &&
         strcmp(name, "__cxa_atexit") != 0;
}

/*
 * A library can also get a function of the runtime as a pointer that is stored in it when it is
 * loaded. The context symbols for that are called __TVMFFI...
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
