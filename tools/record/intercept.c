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

bool record_has_system_library;

static const char kPrefix[] = "__tvm_ffi_";

/* Not by strncmp(), which AddressSanitizer intercepts, and cannot pass on yet when it looks it up.
 */
bool record_is_kernel(const char *symbol) {
  size_t i = 0;
  while (kPrefix[i] != '\0' && symbol[i] == kPrefix[i]) ++i;
  return kPrefix[i] == '\0';
}

/* Symbols that are not kernels: data, functions that the runtime calls to describe one, and those
 * of device plugins. */
static bool is_reserved(const char *function) {
  static const char *const kReserved[] = {"_library_bin", "_library_ctx", "_metadata_",
                                          "_doc_",        "_cubin_",      "tvm_ffi_device_plugin"};
  size_t i;
  for (i = 0; i < sizeof kReserved / sizeof *kReserved; ++i) {
    if (strncmp(function, kReserved[i], strlen(kReserved[i])) == 0) return true;
  }
  return false;
}

void record_find_runtime(void *(*find)(const void *context, const char *name), const void *context,
                         record_runtime *out) {
  static const char *const kNames[] = {
      "TVMFFIErrorMoveFromRaised", "TVMFFIErrorSetRaised",          "TVMFFIObjectDecRef",
      "TVMFFIGetTypeInfo",         "TVMFFITensorToDLPackVersioned", "TVMFFIEnvGetStream"};
  enum { kNumNames = sizeof kNames / sizeof *kNames };
  void *addresses[kNumNames];
  size_t i;
  for (i = 0; i < kNumNames; ++i) addresses[i] = find(context, kNames[i]);
  memcpy(out, addresses, sizeof *out);
}

static void *find_by_handle(const void *context, const char *name) {
  void *const *handle = context;
  return record_find_dlsym()(*handle, name);
}

/* The functions of the runtime that the file with this address uses or is. */
static void find_runtime(const void *caller, record_runtime *out) {
  record_loaded_file *file = malloc(sizeof *file); /* the stack of a thread may be small */
  void *handle = NULL;
  memset(out, 0, sizeof *out);
  if (file != NULL && record_find_file(caller, file)) {
    handle = dlopen(file->is_program ? NULL : file->path, RTLD_LAZY | RTLD_NOLOAD);
  }
  free(file);
  if (handle == NULL) return;
  record_find_runtime(find_by_handle, &handle, out);
  (void)dlclose(handle);
  (void)dlerror();
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

/* The functions of slots that are kernels, so that a lookup by name goes through these only. */
static struct {
  const char *name;
  size_t size;
} kernels[kRecordSlots];
static uint32_t num_kernels; /* written under the lock, published with release */

/* The key `of` in events. */
static const char *const kKinds[] = {NULL, "registry", "module", "type"};

/* Under the lock. The slot of a function; kRecordSlots if there is none left. */
static uint32_t find_slot(TVMFFISafeCallType code, const char *symbol, record_kind kind,
                          const record_loaded_file *file, const record_runtime *runtime) {
  /* Some programs make such functions without end; kernels that come later have slots, too. */
  enum { kMostMade = kRecordSlots / 2 };
  static uint32_t num_made;
  const bool is_made = kind == kRecordModule;
  record_library *library = find_library(file);
  record_slot *slot;
  uint32_t i;
  if (library == NULL) return kRecordSlots;
  for (i = 0; i < record_num_slots; ++i) {
    slot = &record_slots[i];
    /* Function objects of one name may have other code each time. */
    if (slot->kind != kind || strcmp(slot->symbol, symbol) != 0) continue;
    if (kind != kRecordSymbol && slot->library == library) return i;
    if (kind == kRecordSymbol && slot->code == code) {
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
  if (i == kRecordSlots || (is_made && num_made == kMostMade)) return kRecordSlots;
  slot = &record_slots[i];
  slot->symbol = strdup(symbol);
  if (slot->symbol == NULL) return kRecordSlots;
  num_made += is_made;
  slot->function = slot->symbol + (kind != kRecordSymbol ? 0 : sizeof kPrefix - 1);
  slot->kind = kind;
  record_add_text(&slot->name, ",\"function\":");
  record_add_string(&slot->name, slot->function, strlen(slot->function));
  if (kind != kRecordSymbol) {
    record_add_text(&slot->name, ",\"of\":");
    record_add_string(&slot->name, kKinds[kind], strlen(kKinds[kind]));
  }
  record_add_text(&slot->title, "{\"ph\":\"X\",\"name\":");
  record_add_string(&slot->title, slot->function, strlen(slot->function));
  slot->code = code;
  slot->library = library;
  slot->runtime = *runtime;
  if (kind == kRecordSymbol) {
    kernels[num_kernels].name = slot->function;
    kernels[num_kernels].size = strlen(slot->function);
    __atomic_store_n(&num_kernels, num_kernels + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&record_num_slots, i + 1, __ATOMIC_RELEASE);
  return i;
}

static uint32_t num_unwanted;

uint32_t record_num_unwanted(void) {
  return __atomic_load_n(&num_unwanted, __ATOMIC_RELAXED);
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return (hash ^ 0xff) * 0x100000001b3u;
}

/* Counts a function once, however often it is looked up, as long as there is room. */
static void count_unwanted(const char *function, const char *path) {
  enum { kProbes = 32 };
  static record_uint64 seen[2 * kRecordSlots];
  const uint64_t hash = hash_text(hash_text(0xcbf29ce484222325u, function), path) | 1;
  size_t i;
  for (i = 0; i < kProbes; ++i) {
    record_uint64 *place = &seen[(hash / 2 + i) % (2 * kRecordSlots)];
    uint64_t found = 0;
    if (__atomic_compare_exchange_n(place, &found, hash, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      (void)__atomic_fetch_add(&num_unwanted, 1, __ATOMIC_RELAXED);
      return;
    }
    if (found == hash) return;
  }
}

bool record_is_wanted(const char *function, const char *path) {
  if (!record_is_by_environment() || record_wants(function, path)) return true;
  count_unwanted(function, path);
  return false;
}

uint32_t record_take_slot(TVMFFISafeCallType code, const char *symbol, record_kind kind,
                          const record_loaded_file *file, const record_runtime *runtime) {
  static bool is_said;
  uint32_t slot;
  bool is_new_end;
  record_lock();
  slot = find_slot(code, symbol, kind, file, runtime);
  is_new_end = slot == kRecordSlots && !is_said;
  is_said = is_said || slot == kRecordSlots;
  record_unlock();
  if (is_new_end) record_note("there are too many functions, and further ones are not recorded");
  return slot;
}

static uintptr_t get_address(TVMFFISafeCallType code) {
  record_any_function function;
  function.kernel = code;
  return (uintptr_t)function.address;
}

/* The compiler chooses the order of the functions; most code is in another library. */
bool record_is_thunk(TVMFFISafeCallType code) {
  static uintptr_t first, last; /* atomic; last is stored with release, and 0 until it is known */
  const uint32_t count = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  const uintptr_t address = get_address(code);
  uintptr_t least, most = __atomic_load_n(&last, __ATOMIC_ACQUIRE);
  uint32_t i;
  if (most == 0) {
    least = UINTPTR_MAX;
    for (i = 0; i < kRecordSlots; ++i) {
      if (get_address(thunks[i]) < least) least = get_address(thunks[i]);
      if (get_address(thunks[i]) > most) most = get_address(thunks[i]);
    }
    __atomic_store_n(&first, least, __ATOMIC_RELAXED);
    __atomic_store_n(&last, most, __ATOMIC_RELEASE);
  }
  least = __atomic_load_n(&first, __ATOMIC_RELAXED);
  if (address < least || address > most) return false;
  for (i = 0; i < count && thunks[i] != code; ++i) continue;
  return i < count;
}

bool record_has_kernel(const char *name, size_t size) {
  const bool has_prefixes = __atomic_load_n(&record_has_system_library, __ATOMIC_RELAXED);
  const uint32_t count = __atomic_load_n(&num_kernels, __ATOMIC_ACQUIRE);
  uint32_t i;
  for (i = 0; i < count; ++i) {
    const size_t length = kernels[i].size;
    if ((length == size || (has_prefixes && length > size)) &&
        memcmp(kernels[i].name + (length - size), name, size) == 0) {
      return true;
    }
  }
  return false;
}

__thread uint32_t record_num_replaced;

/* The slot of a symbol. kRecordSlots: the function is called directly. */
static uint32_t take_slot(const char *symbol, void *address, const void *caller,
                          record_loaded_file *file) {
  record_runtime runtime;
  record_any_function code;
  if (!record_find_file(address, file) || !file->is_code) return kRecordSlots;
  /* A function that is not wanted costs nothing, unless a later recording may want it. */
  if (!record_is_wanted(symbol + sizeof kPrefix - 1, file->path)) return kRecordSlots;
  find_runtime(caller, &runtime);
  code.address = address;
  return record_take_slot(code.kernel, symbol, kRecordSymbol, file, &runtime);
}

void *record_replace(const char *symbol, void *address, const void *caller) {
  record_loaded_file *file;
  record_any_function thunk;
  uint32_t slot;
  int error = errno;
  if (!record_is_kernel(symbol) || is_reserved(symbol + sizeof kPrefix - 1)) return address;
  if (record_num_locked != 0) return address;
  ++record_num_replaced;
  ++record_num_locked; /* a signal's handler may come while the allocator has its lock */
  record_prepare();
  file = malloc(sizeof *file);
  slot = file != NULL ? take_slot(symbol, address, caller, file) : kRecordSlots;
  free(file);
  --record_num_locked;
  errno = error;
  if (slot == kRecordSlots) return address;
  thunk.kernel = thunks[slot];
  return thunk.address;
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
