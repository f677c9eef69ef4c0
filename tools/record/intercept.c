/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thunks through which recorded calls go. A runtime finds a function of a library by dlsym,
 * which linux.c and macos.c replace, and those of the system library by their registration: both
 * get the address of a thunk instead. Each thunk is compiled with the number of its slot, because
 * not every system allows memory that can be both written and run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* ---- Thunks ---- */

/* clang-format off */
#define THUNK(n)                                                                          \
  static int thunk_##n(void *handle, const TVMFFIAny *args, int32_t num, TVMFFIAny *out) { \
    return record_call(0x##n, handle, args, num, out);                                    \
  }
#define ADDRESS(n) thunk_##n,
#define SIXTEEN(X, n) \
  X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) \
  X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define ROW(X, n) \
  SIXTEEN(X, n##0) SIXTEEN(X, n##1) SIXTEEN(X, n##2) SIXTEEN(X, n##3) \
  SIXTEEN(X, n##4) SIXTEEN(X, n##5) SIXTEEN(X, n##6) SIXTEEN(X, n##7) \
  SIXTEEN(X, n##8) SIXTEEN(X, n##9) SIXTEEN(X, n##a) SIXTEEN(X, n##b) \
  SIXTEEN(X, n##c) SIXTEEN(X, n##d) SIXTEEN(X, n##e) SIXTEEN(X, n##f)
#define ALL(X) \
  ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7) \
  ROW(X, 8) ROW(X, 9) ROW(X, a) ROW(X, b) ROW(X, c) ROW(X, d) ROW(X, e) ROW(X, f)
/* clang-format on */

ALL(THUNK)
static const TVMFFISafeCallType thunks[kRecordSlots] = {ALL(ADDRESS)};

/* ---- Slots ---- */

static const char kPrefix[] = "__tvm_ffi_";

bool record_is_kernel(const char *symbol) {
  return strncmp(symbol, kPrefix, sizeof kPrefix - 1) == 0;
}

/* Symbols that are not kernels: data, and functions that the runtime calls to describe one. */
static bool is_reserved(const char *function) {
  static const char *const kReserved[] = {"_library_bin", "_library_ctx", "_metadata_", "_doc_",
                                          "_cubin_"};
  size_t i;
  for (i = 0; i < sizeof kReserved / sizeof *kReserved; ++i) {
    if (strncmp(function, kReserved[i], strlen(kReserved[i])) == 0) return true;
  }
  return false;
}

/* The functions of the runtime that the file with this address uses or is. */
static void find_runtime(const void *caller, record_runtime *out) {
  static const char *const kNames[] = {
      "TVMFFIErrorMoveFromRaised", "TVMFFIErrorSetRaised",          "TVMFFIObjectDecRef",
      "TVMFFIGetTypeInfo",         "TVMFFITensorToDLPackVersioned", "TVMFFIEnvGetStream",
      "TVMFFIFunctionCreate"};
  enum { kNumNames = sizeof kNames / sizeof *kNames };
  void *addresses[kNumNames], *handle;
  record_loaded_file file;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!record_find_file(caller, &file)) return;
  handle = dlopen(file.is_program ? NULL : file.path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return;
  for (i = 0; i < kNumNames; ++i) addresses[i] = record_find_dlsym()(handle, kNames[i]);
  (void)dlclose(handle);
  (void)dlerror();
  memcpy(out, addresses, sizeof *out);
}

static record_library *find_library(const record_loaded_file *file) {
  record_library *library, *added;
  for (library = record_libraries; library != NULL; library = library->next) {
    if (strcmp(library->path, file->path) == 0 &&
        strcmp(library->build_id != NULL ? library->build_id : "", file->build_id) == 0) {
      return library;
    }
  }
  added = malloc(sizeof *added);
  if (added == NULL) return NULL;
  added->path = strdup(file->path);
  added->build_id = file->build_id[0] == '\0' ? NULL : strdup(file->build_id);
  added->number = -1;
  added->written_in = 0;
  added->next = record_libraries;
  if (added->path != NULL) {
    record_libraries = added;
    return added;
  }
  free(added->build_id);
  free(added);
  return NULL;
}

/* Under the lock. The slot of a function; kRecordSlots if there is none left. */
static uint32_t find_slot(TVMFFISafeCallType code, record_found found, const char *symbol,
                          const record_loaded_file *file, const record_runtime *runtime) {
  static const char *const kFound[kNumFound] = {"", ",\"of\":\"registry\"", ",\"of\":\"type\"",
                                                ",\"of\":\"module\"", ""};
  record_library *library = find_library(file);
  record_slot *slot;
  uint32_t i;
  if (library == NULL) return kRecordSlots;
  for (i = 0; i < record_num_slots; ++i) {
    slot = &record_slots[i];
    if (slot->code == code && slot->found == found && strcmp(slot->symbol, symbol) == 0) {
      if (slot->library != library) { /* another one was unloaded from this place */
        slot->library = library;
        slot->runtime = *runtime;
        __atomic_store_n(&slot->wanted_in, 0, __ATOMIC_RELEASE);
        /* Counts of a recording are those of a library; a trace has them by function. */
        if (!record_set.trace) __atomic_store_n(&slot->counted_in, 0, __ATOMIC_RELEASE);
      }
      return i;
    }
  }
  if (i == kRecordSlots) return i;
  slot = &record_slots[i];
  slot->symbol = strdup(symbol);
  if (slot->symbol == NULL) return kRecordSlots;
  slot->function = slot->symbol + (found == kBySymbol ? sizeof kPrefix - 1 : 0);
  slot->found = found;
  record_add_text(&slot->name, ",\"function\":");
  record_add_string(&slot->name, slot->function, strlen(slot->function));
  record_add_text(&slot->name, kFound[found]);
  record_add_text(&slot->title, "{\"ph\":\"X\",\"name\":");
  record_add_string(&slot->title, slot->function, strlen(slot->function));
  slot->code = code;
  slot->library = library;
  slot->runtime = *runtime;
  __atomic_store_n(&record_num_slots, i + 1, __ATOMIC_RELEASE);
  return i;
}

static uint32_t num_unwanted;

uint32_t record_num_unwanted(void) {
  return __atomic_load_n(&num_unwanted, __ATOMIC_RELAXED);
}

/* The slot of a function that whoever has this address looks up; kRecordSlots if none is left. */
static uint32_t take_slot(TVMFFISafeCallType code, record_found found, const char *symbol,
                          const record_loaded_file *file, const record_runtime *runtime) {
  static bool is_said;
  uint32_t slot;
  bool is_new_end;
  record_lock();
  slot = find_slot(code, found, symbol, file, runtime);
  is_new_end = slot == kRecordSlots && !is_said;
  is_said = is_said || slot == kRecordSlots;
  record_unlock();
  if (is_new_end) record_note("there are too many functions, and further ones are not recorded");
  return slot;
}

void *record_replace(const char *symbol, void *address, const void *caller) {
  record_runtime runtime;
  record_loaded_file file;
  record_any_function code, thunk;
  uint32_t slot;
  int error = errno;
  if (!record_is_kernel(symbol) || is_reserved(symbol + sizeof kPrefix - 1)) return address;
  record_prepare();
  if (!record_find_file(address, &file) || !file.is_code) return address;
  /* A function that is not wanted costs nothing, unless a later recording may want it. */
  if (record_is_by_environment() && !record_wants(symbol + sizeof kPrefix - 1, file.path)) {
    (void)__atomic_fetch_add(&num_unwanted, 1, __ATOMIC_RELAXED);
    return address;
  }
  find_runtime(caller, &runtime);
  code.address = address;
  slot = take_slot(code.kernel, kBySymbol, symbol, &file, &runtime);
  errno = error;
  if (slot == kRecordSlots) return address;
  thunk.kernel = thunks[slot];
  return thunk.address;
}

/* ---- Function objects ---- */

/*
 * Whoever looks up a global function, or lets a module find one, gets another function object,
 * whose code is a thunk and whose handle is the original: that stays as it is, because the runtime
 * looks at its code when it unloads a library. Types hand out methods without a call, so calls of
 * these are seen where TVMFFIFunctionCall makes them, as C and Python do.
 */
static int (*release_original)(TVMFFIObjectHandle object);

bool record_has_functions(void) {
  record_prepare();
  return record_set.functions && record_now() != 0;
}

static void drop_original(void *original) {
  (void)release_original(original);
}

/* What the record of who registered a function, or of a method, is found by. */
typedef struct kept {
  struct kept *next;
  const void *caller; /* of a name */
  TVMFFIObjectHandle method;
  uint32_t slot; /* of a method */
  char name[];
} kept;

enum { kBuckets = 1024 };
static kept *registrations[kBuckets]; /* under the lock */
static kept *methods[kBuckets];       /* published with release, and never freed */

static size_t hash_name(const char *name, size_t size) {
  uint32_t hash = 5381;
  size_t i;
  for (i = 0; i < size; ++i) hash = hash * 33 + (unsigned char)name[i];
  return hash % kBuckets;
}

static kept **find_registration(const TVMFFIByteArray *name) {
  kept **at = &registrations[hash_name(name->data, name->size)];
  while (*at != NULL &&
         (strncmp((*at)->name, name->data, name->size) != 0 || (*at)->name[name->size] != '\0')) {
    at = &(*at)->next;
  }
  return at;
}

void record_keep_registration(const TVMFFIByteArray *name, bool can_override, const void *caller) {
  kept **at, *added;
  const int error = errno;
  if (name == NULL || name->data == NULL) return;
  record_lock();
  at = find_registration(name);
  if (*at == NULL) {
    added = calloc(1, sizeof *added + name->size + 1);
    if (added != NULL) memcpy(added->name, name->data, name->size);
    *at = added;
    can_override = true;
  }
  if (*at != NULL && can_override) (*at)->caller = caller;
  record_unlock();
  errno = error;
}

static const void *find_registrar(const TVMFFIByteArray *name) {
  const void *caller = NULL;
  record_lock();
  if (*find_registration(name) != NULL) caller = (*find_registration(name))->caller;
  record_unlock();
  return caller;
}

static bool is_thunk(TVMFFISafeCallType code) {
  const uint32_t count = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  uint32_t i = 0;
  while (i < count && thunks[i] != code) ++i;
  return i < count;
}

/*
 * The file that a function comes from: the one that registered it, or else has its code, or else,
 * for code that was made in the process, the one that looks. *out_is_runtime: that is the runtime.
 */
static bool find_origin(const void *registrar, TVMFFISafeCallType code, const void *caller,
                        const record_runtime *runtime, record_loaded_file *out,
                        bool *out_is_runtime) {
  record_loaded_file own;
  bool is_found;
  record_any_function cast;
  memcpy(&cast, &runtime->create, sizeof cast.address);
  if (cast.address == NULL || !record_find_file(cast.address, &own)) return false;
  cast.kernel = code;
  is_found = (registrar != NULL && record_find_file(registrar, out)) ||
             record_find_file(cast.address, out) || record_find_file(caller, out);
  *out_is_runtime = is_found && strcmp(out->path, own.path) == 0;
  return is_found;
}

/* The slot of a function object; kRecordSlots if its calls are not recorded. */
static uint32_t find_object_slot(TVMFFIObjectHandle function, record_found found, const char *name,
                                 const void *registrar, const void *caller,
                                 const record_runtime *runtime) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(function)->safe_call;
  record_loaded_file file;
  bool is_runtime;
  if (is_thunk(code) || !find_origin(registrar, code, caller, runtime, &file, &is_runtime)) {
    return kRecordSlots;
  }
  if (is_runtime && found != kInModule) { /* its own functions are none of the program's */
    if (found != kInRegistry || strcmp(name, "ffi.ModuleGetFunction") != 0) return kRecordSlots;
    found = kIsLooking;
  } else if (!record_wants(name, file.path)) {
    (void)__atomic_fetch_add(&num_unwanted, 1, __ATOMIC_RELAXED);
    return kRecordSlots;
  }
  return take_slot(code, found, name, &file, runtime);
}

/* Puts another function in the place of one that somebody owns. */
static void wrap(uint32_t slot, const record_runtime *runtime, TVMFFIObjectHandle *function) {
  TVMFFIObjectHandle wrapper = NULL, error = NULL;
  if (slot == kRecordSlots || runtime->release == NULL) return;
  __atomic_store_n(&release_original, runtime->release, __ATOMIC_RELEASE);
  if (runtime->create(*function, thunks[slot], drop_original, &wrapper) == 0) {
    *function = wrapper;
  } else if (runtime->move_raised != NULL) { /* without memory, calls are not recorded */
    (void)runtime->move_raised(&error);
    if (error != NULL) (void)runtime->release(error);
  }
}

void record_replace_global(const TVMFFIByteArray *name, const void *caller, const void *runtime,
                           TVMFFIObjectHandle *function) {
  const int error = errno;
  char *copy = strndup(name->data, name->size);
  record_runtime functions;
  find_runtime(runtime, &functions);
  if (copy != NULL) {
    wrap(find_object_slot(*function, kInRegistry, copy, find_registrar(name), caller, &functions),
         &functions, function);
  }
  free(copy);
  errno = error;
}

/* Whether libraries have a function of that name, which is then recorded itself. */
static bool is_kernel_known(const char *name) {
  const uint32_t count = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  uint32_t i = 0;
  while (i < count &&
         (record_slots[i].found != kBySymbol || strcmp(record_slots[i].function, name) != 0)) {
    ++i;
  }
  return i < count;
}

void record_replace_found(const record_slot *slot, const TVMFFIAny *args, int32_t num_args,
                          TVMFFIAny *result) {
  const int error = errno;
  TVMFFIByteArray name = {NULL, 0};
  char *copy;
  if (num_args < 2 || result->type_index != kTVMFFIFunction || !record_has_functions()) return;
  if (args[1].type_index == kTVMFFIRawStr) {
    name.data = args[1].v_c_str;
    name.size = strlen(name.data);
  } else if (args[1].type_index == kTVMFFISmallStr) {
    name.data = args[1].v_bytes;
    name.size = args[1].small_str_len;
  } else if (args[1].type_index == kTVMFFIStr) {
    name = *TVMFFIBytesGetByteArrayPtr(args[1].v_obj);
  }
  copy = name.data != NULL ? strndup(name.data, name.size) : NULL;
  if (copy != NULL && !is_kernel_known(copy)) {
    TVMFFIObjectHandle function = result->v_obj;
    record_any_function looking;
    looking.kernel = slot->code;
    wrap(find_object_slot(function, kInModule, copy, NULL, looking.address, &slot->runtime),
         &slot->runtime, &function);
    result->v_obj = function;
  }
  free(copy);
  errno = error;
}

void record_keep_method(int32_t type_index, const TVMFFIMethodInfo *method, const void *caller,
                        const void *runtime) {
  const int error = errno;
  const TVMFFITypeInfo *type;
  record_runtime functions;
  kept *added = NULL;
  size_t size, at;
  if (method->method.type_index != kTVMFFIFunction || method->name.data == NULL) return;
  find_runtime(runtime, &functions);
  type = functions.type_info != NULL ? functions.type_info(type_index) : NULL;
  size = type != NULL ? type->type_key.size + 1 + method->name.size : 0;
  if (type != NULL) added = calloc(1, sizeof *added + size + 1);
  if (added != NULL) {
    memcpy(added->name, type->type_key.data, type->type_key.size);
    added->name[type->type_key.size] = '.';
    memcpy(added->name + type->type_key.size + 1, method->name.data, method->name.size);
    added->method = method->method.v_obj;
    added->slot =
        find_object_slot(added->method, kAsMethod, added->name, caller, caller, &functions);
    if (added->slot == kRecordSlots) {
      free(added);
    } else {
      at = (uintptr_t)added->method / sizeof(void *) / 4 % kBuckets;
      record_lock();
      added->next = methods[at];
      __atomic_store_n(&methods[at], added, __ATOMIC_RELEASE);
      record_unlock();
    }
  }
  errno = error;
}

uint32_t record_find_method(TVMFFIObjectHandle function) {
  const size_t at = (uintptr_t)function / sizeof(void *) / 4 % kBuckets;
  const kept *one;
  if (record_now() == 0) return kRecordSlots;
  one = __atomic_load_n(&methods[at], __ATOMIC_ACQUIRE);
  while (one != NULL && one->method != function) one = one->next;
  /* Another function may be in the place of one that is gone. */
  return one != NULL &&
                 record_slots[one->slot].code == TVMFFIFunctionGetCellPtr(function)->safe_call
             ? one->slot
             : kRecordSlots;
}

void record_add_symbol(record_text *out, TVMFFISafeCallType function) {
  record_any_function cast;
  Dl_info info;
  cast.kernel = function;
  if (dladdr(cast.address, &info) == 0 || info.dli_sname == NULL) {
    record_add(out, "null", 4);
  } else {
    record_add_string(out, info.dli_sname, strlen(info.dli_sname));
  }
}
