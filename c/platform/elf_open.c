/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libraries that need this runtime, and refuses those that are bound to another copy of it.
 */
#define _GNU_SOURCE /* ElfW */
#include "platform/elf_writer.h"

#if TVM_FFI_ELF_TABLES
#include <dlfcn.h>
#include <string.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

/*
 * Whether each name of this runtime is global. Once it is, it stays so, for the loader appends to
 * the global scope. It is also an address in the file that has this runtime.
 */
static int is_offered;

/* ---- Which copy of the runtime a library is bound to ---- */

/*
 * Whether an address that the loader gives for a name is in the file of this runtime. A program
 * that is not position-independent may have an address of its own for functions that it takes from
 * a library, at which there is a jump to them.
 */
static bool is_own_address(const char *name, const void *address) {
  const ElfW(Sym) * symbol;
  tvmffi_elf_symbols table;
  tvmffi_elf_image own, file;
  if (!tvmffi_elf_find_image(&is_offered, &own)) return false;
  if (tvmffi_elf_bytes_at(&own, (uintptr_t)address) != 0) return true;
  if (!tvmffi_elf_find_image(address, &file) || !tvmffi_elf_find_symbols(&file, &table))
    return false;
  /* The recorder (tools/record) passes calls on to the runtime that a library is bound to. */
  if (tvmffi_elf_find_name(&table, "tvm_ffi_record_passes_on") != NULL) return true;
  symbol = tvmffi_elf_find_name(&table, name);
  return symbol != NULL && symbol->st_shndx == SHN_UNDEF &&
         file.base + (uintptr_t)symbol->st_value == (uintptr_t)address;
}

TVMFFI_COLD bool tvmffi_dl_has_other_copy(const void *address) {
  const ElfW(Sym) * symbol;
  tvmffi_elf_symbols table;
  tvmffi_elf_image own, file;
  if (!tvmffi_elf_find_image(&is_offered, &own) ||
      tvmffi_elf_bytes_at(&own, (uintptr_t)address) != 0)
    return false;
  if (!tvmffi_elf_find_image(address, &file) || !tvmffi_elf_find_symbols(&file, &table))
    return false;
  symbol = tvmffi_elf_find_name(&table, "TVMFFITypeRegisterField");
  return symbol != NULL && symbol->st_shndx != SHN_UNDEF;
}

/* What the loader finds for a name, in the global scope with the program itself as the handle. */
static const void *look_up_name(void *handle, const char *name) {
  const void *found = dlsym(handle, name);
  if (found == NULL) (void)dlerror(); /* the system would keep its text */
  return found;
}

/* Whether the loader finds each name of this runtime in the global scope. */
static bool offers_names(const tvmffi_dl_name *const *lists) {
  const tvmffi_dl_name *const *list, *entry;
  void *program;
  bool is_complete = true;
  if (tvmffi_atomic_load_relaxed_int(&is_offered)) return true;
  program = dlopen(NULL, RTLD_LAZY | RTLD_LOCAL);
  if (program == NULL) return false;
  TVMFFI_FOR_NAMES(lists, list, entry) {
    const void *found = is_complete ? look_up_name(program, entry->name) : NULL;
    /* One definition serves all C++ code, whichever library has it. */
    is_complete = found != NULL && (entry->name[0] == '_' || is_own_address(entry->name, found));
  }
  (void)dlclose(program);
  if (is_complete) tvmffi_atomic_store_relaxed_int(&is_offered, 1);
  return is_complete;
}

/* Why a library must not be used, in reason: one name that it uses is not this runtime's. */
typedef struct {
  void *program, *group; /* where its names are looked up; group: NULL without one */
  tvmffi_dl_reason *reason;
} binding;

static bool check_name(const binding *at, const tvmffi_elf_image *library, const char *name,
                       bool is_weak, const void *bound) {
  tvmffi_elf_image other;
  if (tvmffi_elf_bytes_at(library, (uintptr_t)bound) != 0) { /* it is not bound yet */
    bound = look_up_name(at->program, name);
    if (bound == NULL && at->group != NULL) bound = look_up_name(at->group, name);
  }
  if (bound == NULL && !is_weak) {
    at->reason->set(at->reason, "%s: undefined symbol: %s", library->path, name);
    return false;
  }
  if (bound == NULL || is_own_address(name, bound)) return true;
  at->reason->set(at->reason,
                  "it calls another copy of the runtime (%s has its %s); load it by that copy, or "
                  "open that copy with RTLD_LOCAL",
                  !tvmffi_elf_find_image(bound, &other) || other.path == NULL ? "an unknown file"
                  : other.path[0] == '\0'                                     ? "the program"
                                                                              : other.path,
                  name);
  return false;
}

/*
 * The processors whose relocations for a function leave its address in a word. Elsewhere the word
 * may be that of a descriptor, or there may be none.
 */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__) || \
    defined(__riscv) || defined(__s390__) || defined(__loongarch__) ||                      \
    (defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2)
enum { kHasWords = 1 };
#else
enum { kHasWords = 0 };
#endif

#if UINTPTR_MAX > 0xffffffff
enum { kSymbolShift = 32 };
#else
enum { kSymbolShift = 8 };
#endif

/* Checks the names in one table of relocations: entries of `stride` bytes, which begin alike. */
static bool check_table(const binding *at, const tvmffi_elf_image *library,
                        const tvmffi_elf_symbols *symbols, ElfW(Sxword) tag, ElfW(Sxword) size_tag,
                        size_t stride) {
  const ElfW(Dyn) *size = tvmffi_elf_find_entry(library, size_tag);
  size_t bytes, i;
  const char *start = tvmffi_elf_find_pointed(library, tag, sizeof(ElfW(Addr)), &bytes);
  if (start == NULL || size == NULL) return true;
  if (size->d_un.d_val < bytes) bytes = (size_t)size->d_un.d_val;
  for (i = 0; i + stride <= bytes; i += stride) {
    const ElfW(Rel) *relocation = (const ElfW(Rel) *)(const void *)(start + i);
    size_t number = (size_t)(relocation->r_info >> kSymbolShift);
    uintptr_t word = library->base + (uintptr_t)relocation->r_offset;
    const ElfW(Sym) *symbol = &symbols->symbols[number];
    const void *bound;
    if (number == 0 || number >= symbols->num_symbols || symbol->st_shndx != SHN_UNDEF) continue;
    if (strncmp(tvmffi_elf_name_at(symbols, symbol->st_name), "TVMFFI", 6) != 0) continue;
    if (tvmffi_elf_bytes_at(library, word) < sizeof bound) continue;
    memcpy(&bound, (const void *)word, sizeof bound);
    if (!check_name(at, library, tvmffi_elf_name_at(symbols, symbol->st_name),
                    symbol->st_info >> 4 == STB_WEAK, bound)) {
      return false;
    }
  }
  return true;
}

/* Whether all names of a runtime that a library uses are this one's. If not, writes the reason. */
static bool is_bound_here(void *handle, void *group, tvmffi_dl_reason *reason) {
  tvmffi_elf_symbols symbols;
  binding at;
  tvmffi_elf_image library;
  bool is_good = true;
  if (!kHasWords || !tvmffi_elf_find_image(tvmffi_elf_find_dynamic(handle), &library) ||
      !tvmffi_elf_find_symbols(&library, &symbols)) {
    return true;
  }
  at.program = dlopen(NULL, RTLD_LAZY | RTLD_LOCAL);
  if (at.program == NULL) return true;
  at.group = group;
  at.reason = reason;
  {
    const ElfW(Dyn) *kind = tvmffi_elf_find_entry(&library, DT_PLTREL);
    size_t stride =
        kind != NULL && kind->d_un.d_val == DT_REL ? sizeof(ElfW(Rel)) : sizeof(ElfW(Rela));
    is_good = check_table(&at, &library, &symbols, DT_JMPREL, DT_PLTRELSZ, stride) &&
              check_table(&at, &library, &symbols, DT_RELA, DT_RELASZ, sizeof(ElfW(Rela))) &&
              check_table(&at, &library, &symbols, DT_REL, DT_RELSZ, sizeof(ElfW(Rel)));
  }
  (void)dlclose(at.program);
  return is_good;
}

/* ---- Opening a library that needs this runtime ---- */

TVMFFI_COLD void *tvmffi_dl_open_bound(const char *path, const tvmffi_dl_name *const *lists,
                                       void **out_group, tvmffi_dl_reason *reason) {
  void *handle = NULL, *group;
  *out_group = NULL;
  if (offers_names(lists)) return tvmffi_dl_open(path, reason);
  reason->set(reason, "%s", "");
  group = tvmffi_elf_open_group(path, lists, reason);
  if (group == NULL && reason->text[0] != '\0') return NULL;
  if (group != NULL) {
    handle = tvmffi_dl_open_loaded(path);
    if (handle == NULL) reason->set(reason, "%s", "it was replaced or closed while it was loaded");
  } else { /* if it needs nothing of the runtime, all is well; if it does, this fails */
    handle = tvmffi_dl_open_at_once(path, reason);
    if (handle == NULL &&
        !tvmffi_elf_lacks_runtime(reason->text)) { /* of others, such as a driver */
      handle = tvmffi_dl_open(path, reason);
    } else if (handle == NULL) {
      reason->set(
          reason, "%s; the runtime was opened with RTLD_LOCAL, and %s", reason->text,
          !TVMFFI_ELF_WRITES
              ? "this build of it gives libraries no other way to find it: open it with RTLD_GLOBAL"
          : strchr(path, '/') == NULL
              ? "a library finds it only if it is opened by its path: give the folder"
              : "the system allows no file in memory or in /tmp by which libraries could find it: "
                "open it with RTLD_GLOBAL");
    }
  }
  if (handle == NULL) {
    if (group != NULL) (void)dlclose(group);
    return NULL;
  }
  if (!is_bound_here(handle, group, reason)) {
    /* The library stays open: while it was loaded, it may have registered code with that copy. */
    if (group != NULL) (void)dlclose(group);
    return NULL;
  }
  *out_group = group;
  return handle;
}

#endif /* TVM_FFI_ELF_TABLES */
