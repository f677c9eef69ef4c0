/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the ELF tables of loaded files in memory, where the system's loader mapped them. The loader
 * has accepted these tables already; still, nothing outside the file's segments is read.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, dlinfo, RTLD_NOLOAD, readlink */
#include "platform/elf_image.h"

#if TVM_FFI_ELF_TABLES
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "platform/compiler.h"

#ifndef DF_1_NODELETE
#define DF_1_NODELETE 0x00000008
#endif
#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

/* ---- Finding a loaded file ---- */

const ElfW(Phdr) * tvmffi_elf_find_segment(const tvmffi_elf_image *file, uintptr_t address) {
  size_t i;
  for (i = 0; i < file->num_segments; ++i) {
    const ElfW(Phdr) *segment = &file->segments[i];
    if (segment->p_type == PT_LOAD &&
        address - file->base - (uintptr_t)segment->p_vaddr < (uintptr_t)segment->p_memsz) {
      return segment;
    }
  }
  return NULL;
}

size_t tvmffi_elf_bytes_at(const tvmffi_elf_image *file, uintptr_t address) {
  const ElfW(Phdr) *segment = tvmffi_elf_find_segment(file, address);
  if (segment == NULL || (segment->p_flags & PF_R) == 0) return 0;
  return (size_t)((uintptr_t)segment->p_memsz -
                  (address - file->base - (uintptr_t)segment->p_vaddr));
}

static void find_image_entries(tvmffi_elf_image *file) {
  size_t i;
  for (i = 0; i < file->num_segments; ++i) {
    uintptr_t start = file->base + (uintptr_t)file->segments[i].p_vaddr;
    size_t bytes = (size_t)file->segments[i].p_memsz;
    if (file->segments[i].p_type != PT_DYNAMIC || tvmffi_elf_bytes_at(file, start) < bytes)
      continue;
    file->entries = (const ElfW(Dyn) *)start;
    file->num_entries = bytes / sizeof *file->entries;
  }
}

typedef struct {
  bool (*visit)(const tvmffi_elf_image *file, void *context);
  void *context;
  size_t num_seen;
} image_visit;

static int visit_image(struct dl_phdr_info *info, size_t size, void *context) {
  image_visit *images = context;
  tvmffi_elf_image file;
  (void)size;
  memset(&file, 0, sizeof file);
  file.base = (uintptr_t)info->dlpi_addr;
  /* The program comes first. glibc gives it no name, musl the one that it was started with. */
  file.path = images->num_seen++ == 0 ? "" : info->dlpi_name;
  file.segments = info->dlpi_phdr;
  file.num_segments = info->dlpi_phnum;
  find_image_entries(&file);
  return images->visit(&file, images->context);
}

bool tvmffi_elf_visit_images(bool (*visit)(const tvmffi_elf_image *file, void *context),
                             void *context) {
  image_visit images;
  images.visit = visit;
  images.context = context;
  images.num_seen = 0;
  return dl_iterate_phdr(visit_image, &images) != 0;
}

typedef struct {
  uintptr_t address;
  tvmffi_elf_image *out;
} image_search;

static bool take_image_at(const tvmffi_elf_image *file, void *context) {
  const image_search *wanted = context;
  if (tvmffi_elf_find_segment(file, wanted->address) == NULL) return false;
  *wanted->out = *file;
  return true;
}

bool tvmffi_elf_find_image(const void *address, tvmffi_elf_image *out) {
  image_search wanted;
  wanted.address = (uintptr_t)address;
  wanted.out = out;
  return tvmffi_elf_visit_images(take_image_at, &wanted);
}

/* ---- Reading its tables ---- */

const ElfW(Dyn) * tvmffi_elf_find_entry(const tvmffi_elf_image *file, ElfW(Sxword) tag) {
  size_t i;
  for (i = 0; i < file->num_entries && file->entries[i].d_tag != DT_NULL; ++i) {
    if (file->entries[i].d_tag == tag) return &file->entries[i];
  }
  return NULL;
}

/* Some C libraries relocate these pointers in memory, others leave them as they are in the file. */
const void *tvmffi_elf_find_pointed(const tvmffi_elf_image *file, ElfW(Sxword) tag,
                                    size_t alignment, size_t *out_size) {
  const ElfW(Dyn) *entry = tvmffi_elf_find_entry(file, tag);
  uintptr_t address;
  if (entry == NULL) return NULL;
  address = (uintptr_t)entry->d_un.d_ptr;
  *out_size = tvmffi_elf_bytes_at(file, address);
  if (*out_size == 0) {
    address += file->base;
    *out_size = tvmffi_elf_bytes_at(file, address);
  }
  return *out_size == 0 || address % alignment != 0 ? NULL : (const void *)address;
}

static bool find_strings(const tvmffi_elf_image *file, tvmffi_elf_symbols *table) {
  const ElfW(Dyn) *size = tvmffi_elf_find_entry(file, DT_STRSZ);
  size_t bytes;
  table->strings = tvmffi_elf_find_pointed(file, DT_STRTAB, 1, &bytes);
  if (table->strings == NULL || size == NULL) return false;
  if (size->d_un.d_val == 0 || size->d_un.d_val > bytes) return false;
  table->strings_size = (size_t)size->d_un.d_val;
  return table->strings[table->strings_size - 1] == '\0';
}

/*
 * The number of symbols according to a GNU hash table: the symbols that it leaves out come first,
 * and the chain of the last bucket ends with the last symbol. 0 if the table is empty, and so does
 * not tell.
 */
static size_t count_in_gnu_hash(const uint32_t *words, size_t num_words) {
  enum { kHeader = 4 };
  size_t first_bucket, first_chain, last = 0, i;
  uint32_t first_symbol;
  if (num_words < kHeader) return 0;
  first_symbol = words[1];
  if (words[2] > num_words / (sizeof(ElfW(Addr)) / sizeof *words) || words[0] > num_words) return 0;
  first_bucket = kHeader + words[2] * (sizeof(ElfW(Addr)) / sizeof *words);
  first_chain = first_bucket + words[0];
  if (first_chain > num_words) return 0;
  for (i = first_bucket; i < first_chain; ++i) {
    if (words[i] > last) last = words[i];
  }
  if (last < first_symbol || last == 0) return 0;
  for (i = last - first_symbol; i < num_words - first_chain; ++i) {
    if ((words[first_chain + i] & 1) != 0) return first_symbol + i + 1;
  }
  return 0;
}

/*
 * The number of symbols; 0 if it cannot be told. DT_HASH has 64-bit words on some machines: there
 * one of the first two 32-bit words is 0, and so is the result.
 */
static size_t count_symbols(const tvmffi_elf_image *file) {
  size_t bytes, count = 0;
  const uint32_t *words = tvmffi_elf_find_pointed(file, DT_GNU_HASH, sizeof *words, &bytes);
  if (words != NULL) count = count_in_gnu_hash(words, bytes / sizeof *words);
  if (count != 0) return count;
  words = tvmffi_elf_find_pointed(file, DT_HASH, sizeof *words, &bytes);
  return words != NULL && bytes >= 2 * sizeof *words && words[0] != 0 ? words[1] : 0;
}

bool tvmffi_elf_find_symbols(const tvmffi_elf_image *file, tvmffi_elf_symbols *out) {
  size_t bytes;
  out->symbols = tvmffi_elf_find_pointed(file, DT_SYMTAB, sizeof(ElfW(Addr)), &bytes);
  out->num_symbols = count_symbols(file);
  return out->symbols != NULL && out->num_symbols != 0 &&
         out->num_symbols <= bytes / sizeof *out->symbols && find_strings(file, out);
}

const char *tvmffi_elf_name_at(const tvmffi_elf_symbols *table, size_t offset) {
  return offset < table->strings_size ? table->strings + offset : "";
}

const ElfW(Sym) * tvmffi_elf_find_name(const tvmffi_elf_symbols *table, const char *name) {
  size_t i;
  for (i = 1; i < table->num_symbols; ++i) {
    if (strcmp(tvmffi_elf_name_at(table, table->symbols[i].st_name), name) == 0)
      return &table->symbols[i];
  }
  return NULL;
}

/* ---- Ranges, symbol sizes, keeping libraries, paths ---- */

/*
 * ThreadSanitizer does not see the lock under which the system closes files, and would report its
 * freeing of the link map as a race.
 */
TVMFFI_NO_SANITIZE_THREAD
const void *tvmffi_elf_find_dynamic(void *handle) {
  struct link_map *map = NULL;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL ? map->l_ld : NULL;
}

/* The system reserves one range of addresses for all segments of a file. */
bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out) {
  tvmffi_elf_image file;
  size_t i;
  if (!tvmffi_elf_find_image(tvmffi_elf_find_dynamic(handle), &file)) return false;
  out->begin = UINTPTR_MAX;
  out->end = 0;
  for (i = 0; i < file.num_segments; ++i) {
    const ElfW(Phdr) *segment = &file.segments[i];
    uintptr_t start = file.base + (uintptr_t)segment->p_vaddr;
    if (segment->p_type != PT_LOAD) continue;
    if (start < out->begin) out->begin = start;
    if (start + (uintptr_t)segment->p_memsz > out->end) {
      out->end = start + (uintptr_t)segment->p_memsz;
    }
  }
  return true;
}

/* Whether it is linked so, or is a program: only these have an entry for debuggers. */
static bool stays_loaded(const tvmffi_elf_image *file) {
  const ElfW(Dyn) *flags = tvmffi_elf_find_entry(file, DT_FLAGS_1);
  if (flags != NULL && (flags->d_un.d_val & (DF_1_NODELETE | DF_1_PIE)) != 0) return true;
  return tvmffi_elf_find_entry(file, DT_DEBUG) != NULL;
}

size_t tvmffi_dl_symbol_size(const char *name, const void *address) {
  tvmffi_elf_symbols table;
  tvmffi_elf_image file;
  size_t rest, i;
  if (!tvmffi_elf_find_image(address, &file)) return SIZE_MAX;
  rest = tvmffi_elf_bytes_at(&file, (uintptr_t)address);
  if (!tvmffi_elf_find_symbols(&file, &table)) return rest;
  for (i = 1; i < table.num_symbols; ++i) {
    const ElfW(Sym) *symbol = &table.symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0 || symbol->st_size > rest) continue;
    if (file.base + (uintptr_t)symbol->st_value != (uintptr_t)address) continue;
    if (strcmp(tvmffi_elf_name_at(&table, symbol->st_name), name) == 0)
      return (size_t)symbol->st_size;
  }
  return rest;
}

void tvmffi_dl_keep(const void *address) {
  tvmffi_elf_image file;
  if (!tvmffi_elf_find_image(address, &file) || stays_loaded(&file)) return;
  if (file.path == NULL || file.path[0] == '\0') return; /* the program itself */
  /* cppcheck-suppress leakReturnValNotUsed */           /* the reference is kept */
  if (dlopen(file.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL) (void)dlerror();
}

#if defined(__TINYC__)

/* Its linker defines no _DYNAMIC. */
void tvmffi_dl_keep_own(void) {
  static const char own = 0;
  tvmffi_dl_keep(&own);
}

#else

/* The entries of the file that has this code, which its linker defines; NULL in a static program.
 */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));

/*
 * The library is linked with -z nodelete. So this asks no loader, whose lock glibc does not free in
 * a child of fork, if another thread had it.
 */
void tvmffi_dl_keep_own(void) {
  tvmffi_elf_image own;
  memset(&own, 0, sizeof own);
  own.entries = _DYNAMIC;
  own.num_entries = SIZE_MAX; /* DT_NULL ends them */
  if (own.entries != NULL && !stays_loaded(&own)) tvmffi_dl_keep(_DYNAMIC);
}

#endif

/* Absolute paths only: a relative one may name another file by now. The program has no path. */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size) {
  tvmffi_elf_image file;
  if (!tvmffi_elf_find_image(address, &file) || file.path == NULL) return false;
  if (file.path[0] == '\0') {
    ssize_t size = readlink("/proc/self/exe", out, out_size);
    if (size <= 0 || (size_t)size >= out_size) return false;
    out[size] = '\0';
    return out[0] == '/';
  }
  if (file.path[0] != '/' || strlen(file.path) >= out_size) return false;
  strcpy(out, file.path);
  return true;
}

#endif /* TVM_FFI_ELF_TABLES */
