/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where calls are intercepted. A runtime finds a function of a library by dlsym, and those of the
 * system library by their registration: both get the address of a thunk instead. The thunks are
 * compiled ones, each with the number of its slot, because memory that can be written and run is
 * not to be had everywhere.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/record.h>
#include <unistd.h>

#include "record.h"

#define EXPORT __attribute__((visibility("default")))

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

/* ---- Files that are loaded ---- */

typedef struct {
  uintptr_t address;
  bool is_code, is_program;
  char path[4096];           /* empty: the program */
  char build_id[2 * 64 + 1]; /* empty: none */
} loaded_file;

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment,
                          loaded_file *out) {
  const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
  size_t left = segment->p_memsz;
  while (left >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
    size_t name = (note->n_namesz + 3u) & ~(size_t)3, text = (note->n_descsz + 3u) & ~(size_t)3;
    const unsigned char *bytes = (const unsigned char *)(note + 1) + name;
    size_t i;
    if (name > left || text > left || sizeof *note + name + text > left) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz <= 64 &&
        memcmp(note + 1, "GNU", 4) == 0) {
      for (i = 0; i < note->n_descsz; ++i)
        (void)snprintf(out->build_id + 2 * i, 3, "%02x", bytes[i]);
      return;
    }
    at += sizeof *note + name + text;
    left -= sizeof *note + name + text;
  }
}

static int look_at_file(struct dl_phdr_info *info, size_t size, void *context) {
  loaded_file *out = context;
  bool is_found = false;
  ElfW(Half) i;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || out->address < info->dlpi_addr + segment->p_vaddr ||
        out->address - (info->dlpi_addr + segment->p_vaddr) >= segment->p_memsz) {
      continue;
    }
    is_found = true;
    out->is_code = (segment->p_flags & PF_X) != 0;
  }
  if (!is_found) return 0;
  out->is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
  (void)snprintf(out->path, sizeof out->path, "%s",
                 out->is_program ? "/proc/self/exe" : info->dlpi_name);
  for (i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_NOTE && out->build_id[0] == '\0') {
      read_build_id(info, &info->dlpi_phdr[i], out);
    }
  }
  return 1;
}

static bool find_file(const void *address, loaded_file *out) {
  out->address = (uintptr_t)address;
  out->is_code = false;
  out->build_id[0] = '\0';
  if (dl_iterate_phdr(look_at_file, out) == 0) return false;
  if (out->is_program) {
    ssize_t size = readlink("/proc/self/exe", out->path, sizeof out->path - 1);
    out->path[size < 0 ? 0 : size] = '\0';
  }
  return true;
}

/* ---- Symbols of such files ---- */

/*
 * The loader's own dlsym, and the function of the runtime behind ours, cannot be found by dlsym.
 * The tables of symbols are read instead, of each file in the loader's order.
 */
typedef struct {
  const char *name;
  uintptr_t self; /* an address in this library, which is left out */
  void *found;
} search;

/* An address in the dynamic section: some loaders relocate it, some do not. */
static const void *relocated(const struct dl_phdr_info *info, ElfW(Addr) address) {
  uintptr_t value = (uintptr_t)address;
  return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static bool is_it(const struct dl_phdr_info *info, const ElfW(Sym) * symbol, const char *texts,
                  search *wanted) {
  if (symbol->st_shndx == SHN_UNDEF || (symbol->st_info & 15) != STT_FUNC ||
      strcmp(texts + symbol->st_name, wanted->name) != 0) {
    return false;
  }
  wanted->found = (void *)(info->dlpi_addr + symbol->st_value);
  return true;
}

static uint32_t gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t sysv_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash & 0xf0000000u) >> 24) & ~(hash & 0xf0000000u);
  }
  return hash;
}

static bool look_in_gnu_table(const struct dl_phdr_info *info, const uint32_t *table,
                              const ElfW(Sym) * symbols, const char *texts, search *wanted) {
  const uint32_t num_buckets = table[0], first = table[1];
  const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
  const uint32_t *chain = buckets + num_buckets;
  uint32_t hash = gnu_hash(wanted->name), i;
  if (num_buckets == 0) return false;
  i = buckets[hash % num_buckets];
  if (i < first) return false;
  for (;; ++i) {
    if ((chain[i - first] | 1) == (hash | 1) && is_it(info, &symbols[i], texts, wanted))
      return true;
    if ((chain[i - first] & 1) != 0) return false;
  }
}

static bool look_in_table(const struct dl_phdr_info *info, const uint32_t *table,
                          const ElfW(Sym) * symbols, const char *texts, search *wanted) {
  const uint32_t num_buckets = table[0];
  const uint32_t *buckets = table + 2, *chain = buckets + num_buckets;
  uint32_t i;
  if (num_buckets == 0) return false;
  for (i = buckets[sysv_hash(wanted->name) % num_buckets]; i != 0; i = chain[i]) {
    if (is_it(info, &symbols[i], texts, wanted)) return true;
  }
  return false;
}

static int look_for_symbol(struct dl_phdr_info *info, size_t size, void *context) {
  const ElfW(Sym) *symbols = NULL;
  const uint32_t *gnu = NULL, *sysv = NULL;
  const char *texts = NULL;
  const ElfW(Dyn) *entry = NULL;
  search *wanted = context;
  ElfW(Half) i;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC) entry = (const ElfW(Dyn) *)begin;
    if (segment->p_type == PT_LOAD && wanted->self - begin < segment->p_memsz) return 0;
  }
  for (; entry != NULL && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = relocated(info, entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) texts = relocated(info, entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) gnu = relocated(info, entry->d_un.d_ptr);
    if (entry->d_tag == DT_HASH) sysv = relocated(info, entry->d_un.d_ptr);
  }
  if (symbols == NULL || texts == NULL) return 0;
  return (gnu != NULL && look_in_gnu_table(info, gnu, symbols, texts, wanted)) ||
         (gnu == NULL && sysv != NULL && look_in_table(info, sysv, symbols, texts, wanted));
}

void *record_find_loaded(const char *name) {
  search wanted;
  wanted.name = name;
  wanted.self = (uintptr_t)thunks;
  wanted.found = NULL;
  return dl_iterate_phdr(look_for_symbol, &wanted) != 0 ? wanted.found : NULL;
}

/* C has no cast between these pointers. */
typedef union {
  void *address;
  TVMFFISafeCallType kernel;
  void *(*dlsym)(void *handle, const char *name);
  int (*register_symbol)(const char *name, void *symbol);
} any_function;

static void *(*find_dlsym(void))(void *, const char *) {
  static any_function real;
  if (__atomic_load_n(&real.address, __ATOMIC_ACQUIRE) == NULL) {
    void *found = NULL;
#if defined(__GLIBC__)
    /* Without dl_iterate_phdr, which AddressSanitizer intercepts and cannot pass on yet when it
     * looks up its first symbols. The versions are those of glibc's ports, the newest first. */
    static const char *const kVersions[] = {"GLIBC_2.34",  "GLIBC_2.27", "GLIBC_2.17", "GLIBC_2.4",
                                            "GLIBC_2.2.5", "GLIBC_2.2",  "GLIBC_2.0"};
    size_t i;
    for (i = 0; found == NULL && i < sizeof kVersions / sizeof *kVersions; ++i) {
      found = dlvsym(RTLD_NEXT, "dlsym", kVersions[i]);
    }
#endif
    if (found == NULL) found = record_find_loaded("dlsym");
    __atomic_store_n(&real.address, found, __ATOMIC_RELEASE);
  }
  return real.dlsym;
}

void record_add_symbol(record_text *out, TVMFFISafeCallType function) {
  any_function cast;
  Dl_info info;
  cast.kernel = function;
  if (dladdr(cast.address, &info) == 0 || info.dli_sname == NULL) {
    record_add(out, "null", 4);
  } else {
    record_add_string(out, info.dli_sname, strlen(info.dli_sname));
  }
}

/* ---- Slots ---- */

static const char kPrefix[] = "__tvm_ffi_";

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
      "TVMFFIGetTypeInfo",         "TVMFFITensorToDLPackVersioned", "TVMFFIEnvGetStream"};
  enum { kNumNames = sizeof kNames / sizeof *kNames };
  void *addresses[kNumNames], *handle;
  loaded_file file;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!find_file(caller, &file)) return;
  handle = dlopen(file.is_program ? NULL : file.path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return;
  for (i = 0; i < kNumNames; ++i) addresses[i] = find_dlsym()(handle, kNames[i]);
  (void)dlclose(handle);
  (void)dlerror();
  memcpy(out, addresses, sizeof *out);
}

record_library *record_libraries;
record_past *record_pasts;

static record_library *find_library(const loaded_file *file) {
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

/* Under the lock. Counts of calls are those of a library. A trace has them by function. */
static void keep_counts(record_slot *slot) {
  uint64_t calls, errors, recorded;
  record_past *past;
  if (record_set.trace) return;
  calls = __atomic_exchange_n(&slot->num_calls, 0, __ATOMIC_RELAXED);
  errors = __atomic_exchange_n(&slot->num_errors, 0, __ATOMIC_RELAXED);
  recorded = __atomic_exchange_n(&slot->num_recorded, 0, __ATOMIC_RELAXED);
  for (past = record_pasts; past != NULL; past = past->next) {
    if (past->library == slot->library && strcmp(past->function, slot->function) == 0) break;
  }
  if (past == NULL) {
    past = calls == 0 ? NULL : calloc(1, sizeof *past);
    if (past == NULL) return;
    past->function = slot->function;
    past->library = slot->library;
    past->next = record_pasts;
    record_pasts = past;
  }
  past->num_calls += calls;
  past->num_errors += errors;
  past->num_recorded += recorded;
}

/* Under the lock. The slot of a function; kRecordSlots if there is none left. */
static uint32_t find_slot(void *address, const char *symbol, const loaded_file *file,
                          const record_runtime *runtime) {
  record_library *library = find_library(file);
  any_function cast;
  record_slot *slot;
  uint32_t i;
  cast.address = address;
  if (library == NULL) return kRecordSlots;
  for (i = 0; i < record_num_slots; ++i) {
    slot = &record_slots[i];
    if (slot->code == cast.kernel && strcmp(slot->symbol, symbol) == 0) {
      if (slot->library != library) { /* another one was unloaded from this place */
        keep_counts(slot);
        slot->library = library;
        slot->runtime = *runtime;
        __atomic_store_n(&slot->wanted_in, 0, __ATOMIC_RELEASE);
      }
      return i;
    }
  }
  if (i == kRecordSlots) return i;
  slot = &record_slots[i];
  slot->symbol = strdup(symbol);
  if (slot->symbol == NULL) return kRecordSlots;
  slot->function = slot->symbol + sizeof kPrefix - 1;
  record_add_text(&slot->names, ",\"function\":");
  record_add_string(&slot->names, slot->function, strlen(slot->function));
  record_add_text(&slot->names, ",\"symbol\":");
  record_add_string(&slot->names, symbol, strlen(symbol));
  record_add_text(&slot->names, ",\"args\":");
  slot->code = cast.kernel;
  slot->library = library;
  slot->runtime = *runtime;
  __atomic_store_n(&record_num_slots, i + 1, __ATOMIC_RELEASE);
  return i;
}

/* What whoever looks up a symbol gets. */
static void *replace(const char *symbol, void *address, const void *caller) {
  static bool is_said;
  record_runtime runtime;
  loaded_file file;
  any_function thunk;
  uint32_t slot;
  int error = errno;
  bool is_new_end;
  if (strncmp(symbol, kPrefix, sizeof kPrefix - 1) != 0 ||
      is_reserved(symbol + sizeof kPrefix - 1)) {
    return address;
  }
  record_prepare();
  if (!find_file(address, &file) || !file.is_code) return address;
  /* A function that is not wanted costs nothing, unless a later recording may want it. */
  if (record_is_by_environment() && !record_wants(symbol + sizeof kPrefix - 1, file.path)) {
    return address;
  }
  find_runtime(caller, &runtime);
  record_lock();
  slot = find_slot(address, symbol, &file, &runtime);
  is_new_end = slot == kRecordSlots && !is_said;
  is_said = is_said || slot == kRecordSlots;
  record_unlock();
  if (is_new_end) record_note("there are too many functions, and further ones are not recorded");
  errno = error;
  if (slot == kRecordSlots) return address;
  thunk.kernel = thunks[slot];
  return thunk.address;
}

/* ---- What takes the place of functions of others ---- */

/*
 * What RTLD_DEFAULT and RTLD_NEXT mean depends on the caller, so that lookups which are no concern
 * of ours have to end in a jump to the real function: the library is compiled so.
 */
EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
  void *(*real)(void *, const char *) = find_dlsym();
  void *found;
  if (real == NULL) return NULL;
  if (handle == RTLD_NEXT || strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) {
    return real(handle, name);
  }
  found = real(handle, name);
  if (found == NULL) return real(handle, name); /* in the scope of the caller, and for dlerror() */
  return replace(name, found, __builtin_return_address(0));
}

/* Runtimes that look whether they are the only one know this library by it: c/platform/elf.c. */
EXPORT const char tvm_ffi_record_passes_on[] = "TVMFFIEnvModRegisterSystemLibSymbol";

EXPORT int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  const void *caller = __builtin_return_address(0);
  any_function real;
  loaded_file file;
  real.address = NULL;
  if (find_file(caller, &file) && !file.is_program) {
    void *handle = dlopen(file.path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL) {
      real.address = find_dlsym()(handle, "TVMFFIEnvModRegisterSystemLibSymbol");
      (void)dlclose(handle);
    }
  }
  if (real.register_symbol == NULL || real.register_symbol == TVMFFIEnvModRegisterSystemLibSymbol) {
    real.address = record_find_loaded("TVMFFIEnvModRegisterSystemLibSymbol");
  }
  if (real.address == NULL) return -1; /* a library that registers is bound to a runtime */
  return real.register_symbol(
      name, name != NULL && symbol != NULL ? replace(name, symbol, caller) : symbol);
}
