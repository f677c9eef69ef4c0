/* SPDX-License-Identifier: Apache-2.0 */
/* What platform.h wants to know of ELF files: those that are loaded, and those that are about to
 * be. */
#define _GNU_SOURCE /* dl_iterate_phdr, dlinfo, RTLD_NOLOAD, readlink, O_CLOEXEC */
#include "platform/platform.h"

#if TVM_FFI_ELF_TABLES
#include "platform/int128.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/compiler.h"

#ifndef DF_1_NODELETE
#define DF_1_NODELETE 0x00000008
#endif

/* ---- Loaded files ---- */

/*
 * Reads the ELF tables of loaded libraries in memory, where the system's loader mapped them. The
 * loader has accepted these tables already; still, nothing outside the library's segments is read.
 */

/* A loaded file. Valid as long as a handle keeps it open. */
typedef struct {
  uintptr_t base; /* load bias: added to the addresses in its tables */
  const char *path;
  const ElfW(Phdr) * segments;
  size_t num_segments;
  const ElfW(Dyn) * entries; /* the dynamic section */
  size_t num_entries;
} image;

typedef struct {
  const ElfW(Sym) * symbols;
  size_t num_symbols;
  const char *strings; /* ends with a NUL */
  size_t strings_size;
} symbol_table;

/* ---- Finding a loaded file ---- */

/* The number of bytes from an address to the end of its segment; 0 if no segment contains it. */
static size_t bytes_at(const image *file, uintptr_t address) {
  size_t i;
  for (i = 0; i < file->num_segments; ++i) {
    const ElfW(Phdr) *segment = &file->segments[i];
    uintptr_t offset = address - file->base - (uintptr_t)segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 &&
        offset < (uintptr_t)segment->p_memsz) {
      return (size_t)((uintptr_t)segment->p_memsz - offset);
    }
  }
  return 0;
}

typedef struct {
  uintptr_t address;
  size_t num_seen;
  image found;
} search;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
  search *wanted = context;
  image *file = &wanted->found;
  (void)size;
  file->base = (uintptr_t)info->dlpi_addr;
  /* The program comes first. glibc gives it no name, musl the one that it was started with. */
  file->path = wanted->num_seen++ == 0 ? "" : info->dlpi_name;
  file->segments = info->dlpi_phdr;
  file->num_segments = info->dlpi_phnum;
  return bytes_at(file, wanted->address) != 0;
}

/* Finds the loaded file that contains an address. */
static bool find_image(const void *address, image *out) {
  search wanted;
  size_t i;
  memset(&wanted, 0, sizeof wanted);
  wanted.address = (uintptr_t)address;
  if (dl_iterate_phdr(look_at, &wanted) == 0) return false;
  *out = wanted.found;
  for (i = 0; i < out->num_segments; ++i) {
    uintptr_t start = out->base + (uintptr_t)out->segments[i].p_vaddr;
    size_t bytes = (size_t)out->segments[i].p_memsz;
    if (out->segments[i].p_type != PT_DYNAMIC || bytes_at(out, start) < bytes) continue;
    out->entries = (const ElfW(Dyn) *)start;
    out->num_entries = bytes / sizeof *out->entries;
  }
  return true;
}

/* ---- Reading its tables ---- */

/* The first entry with a tag, or NULL. */
static const ElfW(Dyn) * find_entry(const image *file, ElfW(Sxword) tag) {
  size_t i;
  for (i = 0; i < file->num_entries && file->entries[i].d_tag != DT_NULL; ++i) {
    if (file->entries[i].d_tag == tag) return &file->entries[i];
  }
  return NULL;
}

/*
 * The target of a pointer in the dynamic section, NULL if it is not in the file. Some C libraries
 * relocate these pointers in memory, others leave them as they are in the file. *out_size: the
 * number of bytes from there to the end of the segment.
 */
static const void *find_pointed(const image *file, ElfW(Sxword) tag, size_t alignment,
                                size_t *out_size) {
  const ElfW(Dyn) *entry = find_entry(file, tag);
  uintptr_t address;
  if (entry == NULL) return NULL;
  address = (uintptr_t)entry->d_un.d_ptr;
  *out_size = bytes_at(file, address);
  if (*out_size == 0) {
    address += file->base;
    *out_size = bytes_at(file, address);
  }
  return *out_size == 0 || address % alignment != 0 ? NULL : (const void *)address;
}

static bool find_strings(const image *file, symbol_table *table) {
  const ElfW(Dyn) *size = find_entry(file, DT_STRSZ);
  size_t bytes;
  table->strings = find_pointed(file, DT_STRTAB, 1, &bytes);
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
static size_t count_symbols(const image *file) {
  size_t bytes, count = 0;
  const uint32_t *words = find_pointed(file, DT_GNU_HASH, sizeof *words, &bytes);
  if (words != NULL) count = count_in_gnu_hash(words, bytes / sizeof *words);
  if (count != 0) return count;
  words = find_pointed(file, DT_HASH, sizeof *words, &bytes);
  return words != NULL && bytes >= 2 * sizeof *words && words[0] != 0 ? words[1] : 0;
}

static bool find_symbols(const image *file, symbol_table *out) {
  size_t bytes;
  out->symbols = find_pointed(file, DT_SYMTAB, sizeof(ElfW(Addr)), &bytes);
  out->num_symbols = count_symbols(file);
  return out->symbols != NULL && out->num_symbols != 0 &&
         out->num_symbols <= bytes / sizeof *out->symbols && find_strings(file, out);
}

static const char *name_at(const symbol_table *table, size_t offset) {
  return offset < table->strings_size ? table->strings + offset : "";
}

/* ---- Ranges, symbol sizes, keeping libraries, paths ---- */

/*
 * ThreadSanitizer does not see the lock under which the system closes files, and would report its
 * freeing of the link map as a race.
 */
TVMFFI_NO_SANITIZE_THREAD
static const void *find_dynamic_section(void *handle) {
  struct link_map *map = NULL;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL ? map->l_ld : NULL;
}

/* The system reserves one range of addresses for all segments of a file. */
bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out) {
  image file;
  size_t i;
  if (!find_image(find_dynamic_section(handle), &file)) return false;
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

static bool stays_loaded(const image *file) {
  const ElfW(Dyn) *flags = find_entry(file, DT_FLAGS_1);
  return flags != NULL && (flags->d_un.d_val & DF_1_NODELETE) != 0;
}

size_t tvmffi_dl_symbol_size(const char *name, const void *address) {
  symbol_table table;
  image file;
  size_t rest, i;
  if (!find_image(address, &file)) return SIZE_MAX;
  rest = bytes_at(&file, (uintptr_t)address);
  if (!find_symbols(&file, &table)) return rest;
  for (i = 1; i < table.num_symbols; ++i) {
    const ElfW(Sym) *symbol = &table.symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0 || symbol->st_size > rest) continue;
    if (file.base + (uintptr_t)symbol->st_value != (uintptr_t)address) continue;
    if (strcmp(name_at(&table, symbol->st_name), name) == 0) return (size_t)symbol->st_size;
  }
  return rest;
}

void tvmffi_dl_keep(const void *address) {
  image file;
  if (!find_image(address, &file) || stays_loaded(&file)) return;
  if (file.path == NULL || file.path[0] == '\0') return; /* the program itself */
  /* cppcheck-suppress leakReturnValNotUsed */           /* the reference is kept */
  if (dlopen(file.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL) (void)dlerror();
}

/* Absolute paths only: a relative one may name another file by now. The program has no path. */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size) {
  image file;
  if (!find_image(address, &file) || file.path == NULL) return false;
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

/* ---- Files that must not be loaded ---- */

/*
 * The loader maps an ELF file as its headers say. Touching pages beyond the end of a truncated
 * file, as an interrupted copy leaves, kills the process with SIGBUS. The loader hands out the
 * address of the program headers as PT_PHDR has it, and maps a segment that is too long over
 * whatever is behind the library. Files of any other kind are left for the loader to refuse. A file
 * that cannot be read at the moment is refused here: the loader might read it and crash.
 */

typedef struct {
  int descriptor;
  uint64_t size;
  ElfW(Ehdr) header;
} elf_file;

static const char kCutOff[] = "the file is cut off";
static const char kUnreadable[] = "the system failed to read the file";

/* These return what is wrong, or NULL. */
static const char *read_segment(const elf_file *file, unsigned i, ElfW(Phdr) * out) {
  off_t offset = (off_t)(file->header.e_phoff + i * sizeof *out);
  ssize_t size;
  if (file->header.e_phoff > file->size) return kCutOff; /* it may be too large for pread */
  size = pread(file->descriptor, out, sizeof *out, offset);
  return size == (ssize_t)sizeof *out ? NULL : size < 0 ? kUnreadable : kCutOff;
}

static bool is_part(const ElfW(Phdr) * part) {
  return part->p_type == PT_PHDR || part->p_type == PT_DYNAMIC ||
         (part->p_type == PT_GNU_RELRO && part->p_memsz != 0);
}

/*
 * A part of the file must be inside a segment that the loader maps to where the part says. What
 * becomes read-only after the relocations may go on to the end of the segment's last page.
 */
static const char *check_mapped(const elf_file *file, const ElfW(Phdr) * part) {
  ElfW(Phdr) segment;
  unsigned i;
  for (i = 0; i < file->header.e_phnum; ++i) {
    const char *damage = read_segment(file, i, &segment);
    uint64_t start, size;
    if (damage != NULL) return damage;
    size = part->p_type == PT_GNU_RELRO ? (uint64_t)segment.p_memsz + segment.p_align
                                        : segment.p_filesz;
    start = (uint64_t)part->p_vaddr - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && start < size &&
        part->p_memsz <= size - start) {
      return NULL;
    }
  }
  return "the file is damaged: its tables are not in its segments";
}

/*
 * A segment to be mapped must begin behind the one before it, which ends at *end: the loader
 * reserves memory up to the end of the last segment only.
 */
static const char *check_loaded(const elf_file *file, const ElfW(Phdr) * segment, uint64_t *end) {
  if (segment->p_offset > file->size || segment->p_filesz > file->size - segment->p_offset) {
    return kCutOff;
  }
  if (segment->p_vaddr < *end || segment->p_memsz < segment->p_filesz ||
      segment->p_memsz > UINTPTR_MAX - segment->p_vaddr) {
    return "the file is damaged: its segments overlap";
  }
  *end = segment->p_vaddr + segment->p_memsz;
  return NULL;
}

static const char *check_segments(const elf_file *file) {
  ElfW(Phdr) segment;
  uint64_t end = 0;
  unsigned i;
  for (i = 0; i < file->header.e_phnum; ++i) {
    const char *damage = read_segment(file, i, &segment);
    if (damage == NULL && segment.p_type == PT_LOAD) damage = check_loaded(file, &segment, &end);
    if (damage == NULL && is_part(&segment)) damage = check_mapped(file, &segment);
    if (damage != NULL) return damage;
  }
  return NULL;
}

static const char *check_file(elf_file *file, const struct stat *status) {
  const unsigned char bits = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  ssize_t size;
  if (S_ISDIR(status->st_mode)) return NULL;
  if (!S_ISREG(status->st_mode)) return "it is not a regular file";
  file->size = (uint64_t)status->st_size;
  size = pread(file->descriptor, &file->header, sizeof file->header, 0);
  if (size < 0) return kUnreadable;
  return size == (ssize_t)sizeof file->header &&
                 memcmp(file->header.e_ident, ELFMAG, SELFMAG) == 0 &&
                 file->header.e_ident[EI_CLASS] == bits &&
                 file->header.e_phentsize == sizeof(ElfW(Phdr))
             ? check_segments(file)
             : NULL;
}

const char *tvmffi_dl_check(const char *path) {
  const char *damage = kUnreadable;
  struct stat status;
  elf_file file;
  if (strchr(path, '/') == NULL) return NULL; /* the loader searches its own directories */
  /* A FIFO would wait for a writer. */
  file.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor < 0) {
    return stat(path, &status) != 0 ? NULL
                                    : "it cannot be opened: no permission, or too many open files";
  }
  if (fstat(file.descriptor, &status) == 0) damage = check_file(&file, &status);
  (void)close(file.descriptor);
  return damage;
}

#endif /* TVM_FFI_ELF_TABLES */
