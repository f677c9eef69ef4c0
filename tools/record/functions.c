/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of function objects. `tvm-ffi record --functions` preloads libtvm_ffi_record_functions,
 * which is the recorder and these three functions of a runtime, instead of libtvm_ffi_record: what
 * a program is bound to changes only for those who ask for it.
 *
 * Function objects stay what they are. A table has those that have a name: by which they were
 * looked up in the registry or in a module, or by the type whose method they are.
 * TVMFFIFunctionCall records calls of these. Whoever calls the code of an object itself, as C++ and
 * c.h do, is not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <tvm/ffi/c.h>

#include "platform/platform.h"
#include "record.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Objects that are known ---- */

/*
 * Each object is in one of the places of its bucket. A weak reference keeps the memory of one that
 * ends, for ever, so that no other gets its address: what is found by the address is this object.
 * Nothing else of the object changes, and it has no code to run that may be gone by then. Objects
 * that were looked up and whose calls are not recorded are here, too, so that a further lookup of
 * them costs little, and in a child of fork waits for nobody.
 */
enum { kBuckets = 2048, kWays = 16, kMostKept = 1 << 16 };
/* In place of a slot: it has none by the names so far; it is the runtime's function that looks in a
 * module. */
enum { kNoSlot = kRecordSlots, kLooksInModule };
typedef struct {
  TVMFFIObject *object; /* NULL: so are those behind it. Set under the lock, with release */
  TVMFFISafeCallType code;
  uint64_t serial;        /* no other object that was ever here has it */
  record_uint64 left_out; /* atomic: the hash of a name that the options leave out; 0: none */
  uint32_t slot;          /* atomic */
} place;
static place places[kBuckets][kWays];

static place *get_bucket(const TVMFFIObject *object) {
  return places[((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 32) % kBuckets];
}

/* NULL: it is not there. An object whose deleter frees it although there is a weak reference may
 * have left its place to another, with other code. */
static place *find_object(TVMFFIObject *object) {
  place *bucket = get_bucket(object);
  size_t i;
  for (i = 0; i < kWays; ++i) {
    const TVMFFIObject *there = __atomic_load_n(&bucket[i].object, __ATOMIC_ACQUIRE);
    if (there == NULL) return NULL;
    if (there == object) {
      return bucket[i].code == TVMFFIFunctionGetCellPtr(object)->safe_call ? &bucket[i] : NULL;
    }
  }
  return NULL;
}

/* Whether it has ended. Its memory may be gone, if its deleter has freed it. Where the system lets
 * no memory be read, nothing is known. */
static bool has_ended(const TVMFFIObject *object) {
  uint64_t count;
  if (record_read_memory(&count, (uintptr_t)&object->combined_ref_count, sizeof count)) {
    return (uint32_t)count == 0;
  }
  return record_read_memory(&count, (uintptr_t)places, sizeof count);
}

/* The place of one that has ended in a full bucket; NULL. One call of the system tells of all,
 * unless the memory of one is gone. */
static place *find_ended(place *bucket) {
  record_range ranges[kWays];
  uint64_t counts[kWays];
  bool is_read;
  size_t i;
  for (i = 0; i < kWays; ++i) {
    ranges[i].address = (uintptr_t)&bucket[i].object->combined_ref_count;
    ranges[i].size = sizeof counts[i];
  }
  is_read = record_read_ranges(counts, ranges, kWays);
  for (i = 0; i < kWays; ++i) {
    if (is_read ? (uint32_t)counts[i] == 0 : has_ended(bucket[i].object)) return &bucket[i];
  }
  return NULL;
}

/* Under the lock. The place of the object, or one for it; NULL: there is none. Where all objects of
 * a bucket have not ended, the system is not asked again for each function of a module. */
static place *find_free(const TVMFFIObject *object, bool is_of_module) {
  enum { kSkipped = 16 };
  static unsigned char num_skipped[kBuckets]; /* so many are still to be skipped */
  place *bucket = get_bucket(object), *found;
  unsigned char *skipped = &num_skipped[(size_t)(bucket - places[0]) / kWays];
  size_t i;
  for (i = 0; i < kWays; ++i) {
    if (bucket[i].object == NULL || bucket[i].object == object) return &bucket[i];
  }
  if (is_of_module && *skipped > 0) {
    --*skipped;
    return NULL;
  }
  found = find_ended(bucket);
  if (found == NULL) *skipped = kSkipped;
  return found;
}

/* All whose memory stays: who looks for leaks finds them here. Nothing else reads it. */
static TVMFFIObject *volatile kept[kMostKept];

/*
 * False: there is no place for it. A program may look functions of modules up for as long as it
 * runs: at most half of all objects are such, as in record_take_slot().
 */
static bool add_object(TVMFFIObject *object, uint32_t slot, bool is_of_module) {
  static uint64_t num_kept, num_of_modules;
  static bool is_said;
  bool is_full;
  place *there;
  record_lock();
  there = find_object(object);
  if (there != NULL) { /* by another name or thread */
    if (there->slot == kNoSlot || (slot < kNoSlot && there->slot < kNoSlot)) {
      __atomic_store_n(&there->slot, slot, __ATOMIC_RELEASE);
    }
  } else if (num_kept < kMostKept && (!is_of_module || num_of_modules < kMostKept / 2) &&
             (there = find_free(object, is_of_module)) != NULL) {
    record_uint64 *count = (record_uint64 *)(void *)&object->combined_ref_count;
    (void)__atomic_fetch_add(count, UINT64_C(1) << 32, __ATOMIC_RELAXED);
    there->code = TVMFFIFunctionGetCellPtr(object)->safe_call;
    num_of_modules += is_of_module;
    kept[num_kept] = object;
    there->serial = ++num_kept;
    __atomic_store_n(&there->left_out, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&there->slot, slot, __ATOMIC_RELAXED);
    __atomic_store_n(&there->object, object, __ATOMIC_RELEASE);
  }
  is_full = there == NULL && !is_said;
  is_said = is_said || is_full;
  record_unlock();
  if (is_full) {
    record_note("there are too many function objects, and calls of further ones are not recorded");
  }
  return there != NULL;
}

static bool is_same_file(const void *a, const void *b) {
  record_place x, y;
  return record_find_place(a, &x) && record_find_place(b, &y) && x.base == y.base;
}

/* ---- Names ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const char *bytes, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return mix(hash, size);
}

enum { kMostName = 1024 }; /* each event has it */

/* Whether it may be the name of a function that is recorded: it is text, and not the runtime's. */
static bool may_be_recorded(const TVMFFIByteArray *name) {
  static const char kOwn[] = "ffi.";
  return name->size != 0 && name->size <= kMostName &&
         memchr(name->data, '\0', name->size) == NULL &&
         (name->size < sizeof kOwn - 1 || memcmp(name->data, kOwn, sizeof kOwn - 1) != 0);
}

/*
 * Names that the options leave out: an object has the hash of its first one, and hashes of objects
 * with their further ones are here, each where it says. One may take the place of another, which is
 * then looked at again.
 */
enum { kLeftOut = 8192 };
static record_uint64 left_out[kLeftOut];

/* Never 0. */
static uint64_t hash_name(const place *there, const TVMFFIByteArray *name) {
  return mix_bytes(mix(0xcbf29ce484222325u, there->serial), name->data, name->size) | 1;
}

static bool is_left_out(const place *there, const TVMFFIByteArray *name) {
  const uint64_t hash = hash_name(there, name);
  return __atomic_load_n(&there->left_out, __ATOMIC_RELAXED) == hash ||
         __atomic_load_n(&left_out[hash / 2 % kLeftOut], __ATOMIC_RELAXED) == hash;
}

static void leave_out(TVMFFIObject *object, const TVMFFIByteArray *name) {
  place *there = find_object(object);
  uint64_t hash, none = 0;
  if (there == NULL) return;
  hash = hash_name(there, name);
  if (!__atomic_compare_exchange_n(&there->left_out, &none, hash, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    __atomic_store_n(&left_out[hash / 2 % kLeftOut], hash, __ATOMIC_RELAXED);
  }
}

/* ---- Objects that get a name ---- */

/* Where a name comes from. */
typedef struct {
  record_kind kind;
  const void *runtime; /* an address in it */
  const void *caller;  /* in the file that looked it up or registered it */
} origin;

static bool is_in_runtime(TVMFFISafeCallType function, const void *runtime) {
  record_any_function code;
  code.kernel = function;
  return is_same_file(code.address, runtime);
}

/* Whether the code is in no library that the function could be of: the runtime makes functions of
 * Python's, and of C's with a `self`, that have its own code, and code that was compiled in the
 * process is in no file. */
static bool is_elsewhere(TVMFFISafeCallType function, const void *runtime) {
  record_any_function code;
  record_place file;
  code.kernel = function;
  return !record_find_place(code.address, &file) || is_in_runtime(function, runtime);
}

/* Then it is the library of the origin. */
static bool find_library(TVMFFISafeCallType function, const origin *from, record_loaded_file *out) {
  if (!is_elsewhere(function, from->runtime)) {
    record_any_function code;
    code.kernel = function;
    return record_find_file(code.address, out);
  }
  return record_find_file(from->caller, out);
}

/* The slot of a function; kNoSlot if the options leave it out, or there is none. */
static uint32_t find_slot(TVMFFISafeCallType code, const TVMFFIByteArray *name,
                          const origin *from) {
  struct {
    record_loaded_file file;
    char name[kMostName + 1];
  } *room = malloc(sizeof *room); /* the stack of a thread may be small */
  uint32_t slot = kNoSlot;
  record_runtime functions;
  if (room == NULL) return kNoSlot;
  memcpy(room->name, name->data, name->size);
  room->name[name->size] = '\0';
  if (find_library(code, from, &room->file) && record_is_wanted(room->name, room->file.path)) {
    record_find_runtime(record_find_in_file, from->runtime, &functions);
    slot = record_take_slot(code, room->name, from->kind, &room->file, &functions);
  }
  free(room);
  return slot;
}

/* The loader's name has another address when a file is loaded again. */
static uint64_t mix_file(uint64_t hash, const void *address) {
  record_place file;
  if (!record_find_place(address, &file)) return hash;
  return mix(mix_bytes(mix(hash, file.base), file.name, strlen(file.name)), (uintptr_t)file.name);
}

/*
 * A module gives a new object each time, and the path of its library may have to be read from the
 * system: such slots are kept by a hash of what they depend on. Each entry has the upper bits of
 * its hash, and the slot in the others.
 */
enum { kKnownSlots = 4096, kSlotBits = 2 * kRecordSlots - 1 };
static record_uint64 known_slots[kKnownSlots];

static uint32_t take_slot(TVMFFISafeCallType code, const TVMFFIByteArray *name,
                          const origin *from) {
  record_uint64 *known;
  uint64_t hash, found;
  record_any_function address;
  uint32_t slot;
  if (from->kind != kRecordModule) return find_slot(code, name, from);
  address.kernel = code;
  hash = mix_bytes(mix(record_now(), (uintptr_t)address.address), name->data, name->size);
  hash = mix_file(mix_file(hash, address.address), from->caller);
  known = &known_slots[hash % kKnownSlots];
  found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (((found ^ hash) & ~(uint64_t)kSlotBits) == 0) return (uint32_t)(found & kSlotBits);
  slot = find_slot(code, name, from);
  __atomic_store_n(known, (hash & ~(uint64_t)kSlotBits) | slot, __ATOMIC_RELAXED);
  return slot;
}

/*
 * It is recorded by its first name that the options do not leave out; one in the registry comes
 * before all others. What was looked up before allocates nothing: the runtime does not, either, so
 * that a signal's handler may look functions up while the program is within the allocator.
 */
static void note_name(TVMFFIObject *object, const TVMFFIByteArray *name, const origin *from) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(object)->safe_call;
  const bool is_kept = from->kind != kRecordModule; /* of modules there may be any number */
  const place *there;
  uint32_t slot;
  if (!may_be_recorded(name) || record_is_thunk(code)) return;
  if (is_kept && !add_object(object, kNoSlot, false)) return;
  there = find_object(object);
  if (there != NULL && is_left_out(there, name)) return;
  slot = take_slot(code, name, from);
  if (slot == kNoSlot && !is_kept) return;
  if (add_object(object, slot, !is_kept) && slot == kNoSlot) leave_out(object, name);
}

/* Whether an object may get a name now. If so, the recorder's calls of functions that have locks,
 * such as the allocator's, are between this and the end. */
static bool begin_note(TVMFFIObject *object, record_kind kind) {
  const place *there = find_object(object);
  if (record_num_locked != 0) return false;
  if (there != NULL) {
    const uint32_t slot = __atomic_load_n(&there->slot, __ATOMIC_ACQUIRE);
    const bool is_free = slot == kNoSlot || (slot < kNoSlot && kind == kRecordGlobal &&
                                             record_slots[slot].kind != kRecordGlobal);
    if (!is_free) return false;
  }
  ++record_num_locked;
  record_prepare();
  if (record_now() != 0) return true;
  --record_num_locked;
  return false;
}

static void end_note(void) {
  --record_num_locked;
}

static const char kModuleGetFunction[] = "ffi.ModuleGetFunction";

static void note_looked_up(const TVMFFIByteArray *name, TVMFFIObject *function, const void *runtime,
                           const void *caller) {
  const origin from = {kRecordGlobal, runtime, caller};
  if (!begin_note(function, from.kind)) return;
  if (tvm_ffi_string_equal(*name, kModuleGetFunction)) {
    (void)add_object(function, kLooksInModule, false);
  } else {
    note_name(function, name, &from);
  }
  end_note();
}

/* Whether the function calls a kernel of this name, whose calls are recorded where it is: kernels
 * were looked up meanwhile; or it has code of the runtime, which may have looked the kernel up, or
 * was given it for the system library, before. */
static bool is_around_kernel(TVMFFIObject *function, TVMFFIByteArray name, bool is_seen,
                             const void *runtime) {
  return record_has_kernel(name.data, name.size) &&
         (is_seen || is_in_runtime(TVMFFIFunctionGetCellPtr(function)->safe_call, runtime));
}

/* is_seen: kernels were looked up meanwhile. */
static void note_in_module(const TVMFFIAny *name, TVMFFIObject *function, bool is_seen,
                           const void *runtime, const void *caller) {
  const origin from = {kRecordModule, runtime, caller};
  TVMFFIByteArray text = {NULL, 0};
  if (!tvm_ffi_any_try_string(name, &text) || !begin_note(function, from.kind)) return;
  if (!is_around_kernel(function, text, is_seen, runtime)) note_name(function, &text, &from);
  end_note();
}

static void note_method(const TVMFFIByteArray *key, const TVMFFIMethodInfo *info,
                        const void *runtime, const void *caller) {
  const origin from = {kRecordMethod, runtime, caller};
  TVMFFIByteArray name = {NULL, 0};
  char *text;
  if (key->size > kMostName || info->name.size > kMostName) return;
  if (!begin_note(info->method.v_obj, from.kind)) return;
  text = malloc(key->size + 1 + info->name.size);
  if (text != NULL) {
    if (key->size != 0) memcpy(text, key->data, key->size);
    text[key->size] = '.';
    if (info->name.size != 0) memcpy(text + key->size + 1, info->name.data, info->name.size);
    name.data = text;
    name.size = key->size + 1 + info->name.size;
    note_name(info->method.v_obj, &name, &from);
  }
  free(text);
  end_note();
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
  char *name;
  if (record_num_locked != 0) return; /* in a handler of a signal, or of fork */
  if (__atomic_load_n(&num_callers, __ATOMIC_ACQUIRE) == kCallers) return;
  name = strdup(file->name);
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

/* The runtime's function of this name; NULL. */
static void *find_in_runtime(const char *name, const void *own, const void *caller) {
  void *runtime = find_runtime(caller), *found;
  if (runtime == NULL) return NULL;
  found = record_find_in_file(runtime, name);
  return found != NULL ? found : record_find_behind(name, own, caller, caller);
}

/* ---- Functions of a runtime ---- */

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

EXPORT int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo *info) {
  const void *caller = __builtin_return_address(0);
  const TVMFFITypeInfo *type = NULL;
  record_any_function own, real, type_info;
  int rc;
  own.register_method = TVMFFITypeRegisterMethod;
  real.address = find_in_runtime("TVMFFITypeRegisterMethod", own.address, caller);
  if (real.address == NULL) return -1;
  rc = real.register_method(type_index, info);
  if (rc == 0 && info->method.type_index == kTVMFFIFunction && info->method.v_obj != NULL) {
    const int error = errno;
    type_info.address = record_find_in_file(real.address, "TVMFFIGetTypeInfo");
    if (type_info.address != NULL) type = type_info.type_info(type_index);
    if (type != NULL) note_method(&type->type_key, info, real.address, caller);
    errno = error;
  }
  return rc;
}

/* Calls the function that looks in a module, which has the module and a name as its arguments. */
static int look_in_module(TVMFFISafeCallType code, TVMFFIObjectHandle function, TVMFFIAny *args,
                          int32_t num_args, TVMFFIAny *result, const void *caller) {
  const uint32_t num_replaced = record_num_replaced;
  const int rc = code(function, args, num_args, result);
  if (rc == 0 && num_args >= 2 && result->type_index == kTVMFFIFunction && result->v_obj != NULL) {
    const int error = errno;
    record_any_function runtime;
    runtime.kernel = code;
    note_in_module(&args[1], result->v_obj, record_num_replaced != num_replaced, runtime.address,
                   caller);
    errno = error;
  }
  return rc;
}

/* By every runtime, it calls what the object has. */
EXPORT int TVMFFIFunctionCall(TVMFFIObjectHandle function, TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(function)->safe_call;
  const place *there = find_object(function);
  if (there != NULL) {
    const uint32_t slot = __atomic_load_n(&there->slot, __ATOMIC_ACQUIRE);
    if (slot < kRecordSlots) {
      return record_call(slot, function, args, num_args, result);
    }
    if (slot == kLooksInModule) {
      return look_in_module(code, function, args, num_args, result, __builtin_return_address(0));
    }
  }
  return code(function, args, num_args, result);
}
