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
 * names that are unknown included. Sorted.
 */
static const char *const kHarmless[] = {
    "TVMFFIAnyViewToOwnedAny",
    "TVMFFIBacktrace",
    "TVMFFIBigIntFromByteArray",
    "TVMFFIBigIntGetContentByteArray",
    "TVMFFIBytesFromByteArray",
    "TVMFFIDataTypeFromString",
    "TVMFFIDataTypeToString",
    "TVMFFIEnvCheckSignals",
    "TVMFFIEnvGetDLPackManagedTensorAllocator",
    "TVMFFIEnvGetStream",
    "TVMFFIEnvModLookupFromImports",
    "TVMFFIEnvSetStream",
    "TVMFFIEnvTensorAlloc",
    "TVMFFIErrorCreate",
    "TVMFFIErrorCreateWithCauseAndExtraContext",
    "TVMFFIErrorMoveFromRaised",
    "TVMFFIErrorSetRaised",
    "TVMFFIErrorSetRaisedFromCStr",
    "TVMFFIErrorSetRaisedFromCStrParts",
    "TVMFFIFunctionCall",
    "TVMFFIFunctionGetGlobal",
    "TVMFFIGetTypeAttrColumn",
    "TVMFFIGetTypeInfo",
    "TVMFFIGetVersion",
    "TVMFFIHandleDeinitOnce",
    "TVMFFIHandleInitOnce",
    "TVMFFIObjectDecRef",
    "TVMFFIObjectIncRef",
    "TVMFFIRuntimeGetLiveObjectCount",
    "TVMFFIRuntimeSetBacktraceEnabled",
    "TVMFFIRuntimeSetLiveObjectCounting",
    "TVMFFIStringFromByteArray",
    "TVMFFITensorCreateUnsafeView",
    "TVMFFITensorToDLPack",
    "TVMFFITensorToDLPackVersioned",
    "TVMFFITypeKeyToIndex",
};

/*
 * Of the system: memory that an object could stand in, other ways to the runtime, threads and
 * handlers. C++ has names of its own. Sorted.
 */
static const char *const kHarmful[] = {
    "aligned_alloc", "bsd_signal",   "calloc",         "dlmopen",        "dlopen",
    "dlsym",         "dlvsym",       "malloc",         "memalign",       "mmap",
    "mmap64",        "on_exit",      "posix_memalign", "pthread_create", "pthread_key_create",
    "pvalloc",       "realloc",      "reallocarray",   "sigaction",      "signal",
    "thrd_create",   "timer_create", "tss_create",     "valloc",
};

static bool is_in(const char *const *list, size_t size, const char *name) {
  size_t begin = 0, end = size;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    int order = strcmp(name, list[middle]);
    if (order == 0) return true;
    if (order < 0) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return false;
}

static bool starts_with(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
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
  if (starts_with(plain, "TVMFFI")) {
    return is_in(kHarmless, sizeof kHarmless / sizeof kHarmless[0], plain);
  }
  return !is_taken ||
         (!is_of_cpp(name) && !is_in(kHarmful, sizeof kHarmful / sizeof kHarmful[0], name));
}

void tvmffi_library_close(void *handle) {
  if (tvmffi_dl_all_symbols(handle, tvmffi_library_close_allows)) tvmffi_dl_close(handle);
}
