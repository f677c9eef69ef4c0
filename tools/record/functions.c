/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of global functions. `tvm-ffi record --functions` preloads libtvm_ffi_record_functions,
 * which is the recorder and these two functions of a runtime, instead of libtvm_ffi_record: what a
 * program is bound to changes only for those who ask for it.
 *
 * Function objects stay what they are. A table has those that were looked up by their names, and
 * TVMFFIFunctionCall records calls of these. Whoever calls the code of an object itself, as C++
 * and c.h do, is not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "platform/platform.h"
#include "record.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Objects that were looked up ---- */

/* With those whose calls are not recorded, so that a further lookup of them costs little, and in a
 * child of fork waits for nobody. */
enum { kObjects = 4 * kRecordSlots, kPlaces = 2 * kObjects };
typedef struct {
  TVMFFIObjectHandle object; /* published with release */
  uint32_t slot;             /* kRecordSlots: its calls are not recorded */
  uint64_t name;             /* then the hash of the name that it was looked up by */
} place;
static place places[kPlaces]; /* written under the lock, the first two atomically */
static uint32_t num_objects;

static uint32_t hash_object(TVMFFIObjectHandle object) {
  return (uint32_t)((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 32) % kPlaces;
}

/* NULL: it is not there. */
static place *find_object(TVMFFIObjectHandle object) {
  uint32_t i = hash_object(object);
  for (;; i = (i + 1) % kPlaces) {
    TVMFFIObjectHandle there = __atomic_load_n(&places[i].object, __ATOMIC_ACQUIRE);
    if (there == NULL) return NULL;
    if (there == object) return &places[i];
  }
}

static uint64_t hash_name(const TVMFFIByteArray *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  size_t i;
  for (i = 0; i < name->size; ++i) hash = (hash ^ (unsigned char)name->data[i]) * 0x100000001b3u;
  return hash;
}

/* Whether nothing more comes of looking it up by this name: it is recorded by its first one that
 * the options do not leave out. */
static bool is_known(TVMFFIObjectHandle object, const TVMFFIByteArray *name) {
  place *there = find_object(object);
  return there != NULL && (__atomic_load_n(&there->slot, __ATOMIC_RELAXED) != kRecordSlots ||
                           __atomic_load_n(&there->name, __ATOMIC_RELAXED) == hash_name(name));
}

/* A weak reference keeps the memory of an object that ends, so that none gets its address: what is
 * found by the address is this object. It has no code to run that may be gone by then. */
static void keep_weakly(TVMFFIObjectHandle object) {
  record_uint64 *count = (record_uint64 *)(void *)&((TVMFFIObject *)object)->combined_ref_count;
  (void)__atomic_fetch_add(count, UINT64_C(1) << 32, __ATOMIC_RELAXED);
}

/* Whether there is no room for one more, which is said. */
static bool is_full(void) {
  static int is_said;
  if (__atomic_load_n(&num_objects, __ATOMIC_RELAXED) < kObjects) return false;
  if (__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED) == 0) {
    record_note(
        "too many objects of global functions were looked up, and calls of further ones "
        "are not recorded");
  }
  return true;
}

static void add_object(TVMFFIObjectHandle object, const TVMFFIByteArray *name, uint32_t slot) {
  uint32_t i;
  record_lock();
  for (i = hash_object(object); places[i].object != NULL; i = (i + 1) % kPlaces) {
    if (places[i].object == object) break; /* by another name, or by another thread */
  }
  if (places[i].object == NULL && num_objects < kObjects) {
    __atomic_store_n(&num_objects, num_objects + 1, __ATOMIC_RELAXED);
    keep_weakly(object);
    places[i].slot = slot;
    places[i].name = hash_name(name);
    __atomic_store_n(&places[i].object, object, __ATOMIC_RELEASE);
  } else if (places[i].object == object && places[i].slot == kRecordSlots) {
    __atomic_store_n(&places[i].name, hash_name(name), __ATOMIC_RELAXED);
    __atomic_store_n(&places[i].slot, slot, __ATOMIC_RELEASE);
  }
  record_unlock();
}

/* ---- Who has a function ---- */

/* The runtime makes functions of Python's, and of C's with a `self`, that have its own code: then
 * the library is the one that looks. Its own functions have names of its own. */
static bool find_library(TVMFFISafeCallType function, const void *runtime, const void *caller,
                         record_loaded_file *out) {
  record_place own, file;
  record_any_function code;
  code.kernel = function;
  if (record_find_place(code.address, &file) &&
      !(record_find_place(runtime, &own) && own.base == file.base)) {
    return record_find_file(code.address, out);
  }
  return record_find_file(caller, out);
}

/* Whether the name can be that of a function that is recorded. */
static bool is_recorded_name(const TVMFFIByteArray *name) {
  enum { kMostName = 1024 }; /* each event has it */
  static const char kOwn[] = "ffi.";
  if (name->size == 0 || name->size > kMostName || memchr(name->data, '\0', name->size) != NULL)
    return false;
  return name->size < sizeof kOwn - 1 || memcmp(name->data, kOwn, sizeof kOwn - 1) != 0;
}

static void note_looked_up(const TVMFFIByteArray *name, TVMFFIObjectHandle function,
                           const void *runtime, const void *caller) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(function)->safe_call;
  uint32_t slot = kRecordSlots;
  record_loaded_file *file; /* the stack of a thread may be small */
  record_runtime functions;
  char *copy;
  if (record_num_locked != 0) return;
  record_prepare();
  if (record_now() == 0 || !is_recorded_name(name) || is_known(function, name)) return;
  if (find_object(function) == NULL && is_full()) return;
  copy = strndup(name->data, name->size);
  file = malloc(sizeof *file);
  if (copy != NULL && file != NULL && !record_is_thunk(code) &&
      find_library(code, runtime, caller, file) && record_is_wanted(copy, file->path)) {
    record_find_runtime(record_find_in_file, runtime, &functions);
    slot = record_take_slot(code, copy, true, file, &functions);
  }
  if (copy != NULL && file != NULL) add_object(function, name, slot);
  free(file);
  free(copy);
}

/* ---- The runtime that a caller is bound to ---- */

static const char kGetGlobal[] = "TVMFFIFunctionGetGlobal";

static void *global_at_start; /* in the global scope; NULL: none was there */

/*
 * A program that is linked with a runtime has it from the start, before all others, and no call
 * waits for the loader, whose lock another thread may hold while it waits for this one.
 */
static void find_at_start(void) __attribute__((constructor));
static void find_at_start(void) {
  void *found = record_find_next(kGetGlobal);
  if (found != NULL) tvmffi_dl_keep(found);
  __atomic_store_n(&global_at_start, found, __ATOMIC_RELEASE);
}

/*
 * Else each file that calls keeps the runtime that it got first, as the loader binds it once,
 * whatever enters the global scope later. Another file may be loaded in its place, or in that of
 * the runtime.
 */
typedef struct {
  record_place file; /* with a copy of the name */
  void *function;
} caller_binding;

enum { kCallers = 128 };
static caller_binding callers[kCallers]; /* written under the lock */
static uint32_t num_callers;             /* published with release */

/* NULL: there is none, or it is gone. */
static void *find_known(const record_place *file) {
  uint32_t i = __atomic_load_n(&num_callers, __ATOMIC_ACQUIRE);
  while (i-- > 0) {
    void *function = callers[i].function;
    if (callers[i].file.base != file->base || strcmp(callers[i].file.name, file->name) != 0) {
      continue;
    }
    return record_find_in_file(function, kGetGlobal) == function ? function : NULL;
  }
  return NULL;
}

static void keep_binding(const record_place *file, void *function) {
  char *name = strdup(file->name);
  record_lock();
  if (name != NULL && num_callers < kCallers) {
    callers[num_callers].file.base = file->base;
    callers[num_callers].file.name = name;
    callers[num_callers].function = function;
    __atomic_store_n(&num_callers, num_callers + 1, __ATOMIC_RELEASE);
    name = NULL;
  }
  record_unlock();
  free(name);
}

static void *find_runtime(const void *caller) {
  void *found = __atomic_load_n(&global_at_start, __ATOMIC_ACQUIRE);
  record_any_function own;
  record_place file;
  bool is_in_file;
  if (found != NULL) return found;
  is_in_file = record_find_place(caller, &file);
  if (is_in_file && (found = find_known(&file)) != NULL) return found;
  /* Where there is one only, nobody is bound to another, and the loader need not be waited for. */
  found = record_find_only(kGetGlobal);
  if (found == NULL) {
    own.get_global = TVMFFIFunctionGetGlobal;
    found = record_find_behind(kGetGlobal, own.address, caller, caller);
    if (found == NULL) return NULL;
    /* The loader keeps what a library is bound to; it is bound to this one. */
    if (found == record_find_next(kGetGlobal)) tvmffi_dl_keep(found);
  }
  if (is_in_file) keep_binding(&file, found);
  return found;
}

EXPORT int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  const void *caller = __builtin_return_address(0);
  record_any_function real;
  int rc;
  real.address = find_runtime(caller);
  if (real.address == NULL) return -1; /* no runtime is there that an error could be raised in */
  rc = real.get_global(name, out);
  if (rc == 0 && *out != NULL) {
    const int error = errno;
    note_looked_up(name, *out, real.address, caller);
    errno = error;
  }
  return rc;
}

/* By every runtime, it calls what the object has. An object whose deleter frees it although there
 * is a weak reference may have left its place to another, with other code. */
EXPORT int TVMFFIFunctionCall(TVMFFIObjectHandle function, TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(function)->safe_call;
  place *there = find_object(function);
  if (there != NULL) {
    const uint32_t slot = __atomic_load_n(&there->slot, __ATOMIC_ACQUIRE);
    if (slot != kRecordSlots && record_slots[slot].code == code) {
      return record_call(slot, function, args, num_args, result);
    }
  }
  return code(function, args, num_args, result);
}
