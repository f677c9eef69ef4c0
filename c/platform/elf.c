/* SPDX-License-Identifier: Apache-2.0 */
/* The queries of platform.h about ELF files: those that are loaded, and those that are about to
 * be. */
#define _GNU_SOURCE /* dl_iterate_phdr, dlinfo, RTLD_NOLOAD, readlink, memfd_create, mkostemp */
#include "platform/platform.h"

#if TVM_FFI_ELF_TABLES
#include "platform/int128.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/atomic.h"
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

/* The symbol of a name, which the file defines or needs, or NULL. */
static const ElfW(Sym) * find_name(const symbol_table *table, const char *name) {
  size_t i;
  for (i = 1; i < table->num_symbols; ++i) {
    if (strcmp(name_at(table, table->symbols[i].st_name), name) == 0) return &table->symbols[i];
  }
  return NULL;
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
 * A part of the file must be inside a segment that the loader maps to where the part says, and be
 * the bytes of the file that the part says. What becomes read-only after the relocations is taken
 * by its address alone, and may go on to the end of the segment's last page.
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
        part->p_memsz <= size - start &&
        (part->p_type == PT_GNU_RELRO || part->p_offset == segment.p_offset + start) &&
        (part->p_type != PT_PHDR || part->p_offset == file->header.e_phoff)) {
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
    if (damage != NULL) return damage;
  }
  for (i = 0; i < file->header.e_phnum; ++i) {
    const char *damage = read_segment(file, i, &segment);
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

TVMFFI_COLD const char *tvmffi_dl_check(const char *path) {
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

/* ---- Libraries for another C library ---- */

/* Not on systems whose own names are those of others, too. */
#if defined(__linux__) && !defined(__UCLIBC__) && !defined(__ANDROID__)

#ifdef __GLIBC__
#define OWN_LIBC "glibc"
#define IS_OWN_LIBC(name) (strncmp(name, "libc.so.6", 9) == 0)
#else
#define OWN_LIBC "musl"
#define IS_OWN_LIBC(name) (strcmp(name, "libc.so") == 0 || strncmp(name, "libc.musl-", 10) == 0)
#endif

enum { kMaxLibc = 32 };

/* The first segment of a type that contains an address. */
static bool find_segment(const elf_file *file, ElfW(Word) type, uint64_t address,
                         ElfW(Phdr) * out) {
  unsigned i;
  for (i = 0; i < file->header.e_phnum && read_segment(file, i, out) == NULL; ++i) {
    if (out->p_type == type && (type != PT_LOAD || address - out->p_vaddr < out->p_filesz)) {
      return true;
    }
  }
  return false;
}

/* The entry of a file's dynamic section that is next after *i, or at it. */
static bool next_entry(const elf_file *file, const ElfW(Phdr) * dynamic, ElfW(Sxword) tag,
                       size_t *i, ElfW(Dyn) * out) {
  for (; pread(file->descriptor, out, sizeof *out, (off_t)(dynamic->p_offset + *i * sizeof *out)) ==
             (ssize_t)sizeof *out &&
         out->d_tag != DT_NULL;
       ++*i) {
    if (out->d_tag == tag) return true;
  }
  return false;
}

/* The name by which a file needs another C library than this program's. */
static bool read_other_libc(const elf_file *file, char out[kMaxLibc]) {
  ElfW(Phdr) dynamic, strings;
  ElfW(Dyn) entry;
  size_t i = 0;
  uint64_t start;
  if (!find_segment(file, PT_DYNAMIC, 0, &dynamic) ||
      !next_entry(file, &dynamic, DT_STRTAB, &i, &entry) ||
      !find_segment(file, PT_LOAD, entry.d_un.d_ptr, &strings)) {
    return false;
  }
  start = entry.d_un.d_ptr - strings.p_vaddr + strings.p_offset;
  for (i = 0; next_entry(file, &dynamic, DT_NEEDED, &i, &entry); ++i) {
    memset(out, 0, kMaxLibc);
    if (pread(file->descriptor, out, kMaxLibc, (off_t)(start + entry.d_un.d_val)) > 5 &&
        strncmp(out, "libc.", 5) == 0 && out[kMaxLibc - 1] == '\0' && !IS_OWN_LIBC(out)) {
      return true;
    }
  }
  return false;
}

TVMFFI_COLD void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason) {
  char name[kMaxLibc];
  elf_file file;
  int descriptor = strchr(path, '/') != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (descriptor < 0) return;
  file.descriptor = descriptor;
  file.size = UINT64_MAX; /* reading finds the end */
  if (pread(file.descriptor, &file.header, sizeof file.header, 0) == (ssize_t)sizeof file.header &&
      memcmp(file.header.e_ident, ELFMAG, SELFMAG) == 0 && read_other_libc(&file, name)) {
    reason->set(reason,
                "%s; it is for another C library: it needs %s, and this program runs with %s",
                reason->text, name, OWN_LIBC);
  }
  (void)close(descriptor);
}

#else

void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason) {
  (void)path;
  (void)reason;
}

#endif

/* ---- Libraries that need this runtime ---- */

/*
 * The loader looks a library's undefined names up among the global ones, and then in the group that
 * the library was opened with. In a plugin that was opened with RTLD_LOCAL, or that hides its copy
 * of the archive, the names of this runtime are in neither. So the library is opened as a part of a
 * group that has them, by means of two files without code, written for the occasion:
 *
 *     names  defines all names. Its symbols get their values in memory, once it is loaded:
 *            only then is it known where it lies, which the loader adds to each value.
 *     group  needs (DT_NEEDED) names, the library, and the file that has the runtime
 *
 * No name becomes global by this, so other copies of the runtime in the process see nothing of it.
 * The library's dependencies, which come last, do see what the file with the runtime exports.
 * The file that has the runtime stays loaded as long as the group.
 */

#if defined(__alpha__) || defined(__s390x__)
typedef uint64_t hash_word;
#else
typedef uint32_t hash_word;
#endif

/* On MIPS, glibc reads entries of a global offset table, which the written files have not. */
#if defined(__mips__)
enum { kCanHandOver = 0 };
#else
enum { kCanHandOver = 1 };
#endif

enum {
  kNumBuckets = 32,
  kMaxNeeded = 3,
  kNumEntries = kMaxNeeded + 6,
  kMaxWritten = 64,
  kMaxSpelled = kMaxWritten + kTvmffiDlRespelled,
  kMaxAttempts = 16 /* few: only those of other copies of the runtime are in the way */
};

/* Tells a file of names from all others in the process. */
typedef struct {
  const void *runtime;
  uintptr_t number;
} identity;

/* How such a file begins. The symbols follow, then the hash table, then the strings. */
typedef struct {
  ElfW(Ehdr) header;
  ElfW(Phdr) segments[3];
  ElfW(Dyn) entries[kNumEntries];
  identity self;
} head;

typedef struct {
  identity self;
  const tvmffi_dl_name *const *lists; /* defined */
  const char *needed[kMaxNeeded];
  size_t num_needed;
} contents;

/* For each name that the program has, in any order. */
#define FOR_NAMES(lists, list, entry)                         \
  for ((list) = (lists); *(list) != NULL; ++(list))           \
    for ((entry) = *(list); (entry)->name != NULL; ++(entry)) \
      if ((entry)->at.data != NULL)

static uint32_t hash_name(const char *name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

typedef struct {
  size_t num_symbols, hash, strings, size; /* offsets; size: of the file */
} layout;

static layout plan(const contents *wanted) {
  const tvmffi_dl_name *const *list, *entry;
  layout out;
  size_t bytes = 1, i;
  out.num_symbols = 1;
  FOR_NAMES(wanted->lists, list, entry) {
    ++out.num_symbols;
    bytes += strlen(entry->name) + 1;
  }
  for (i = 0; i < wanted->num_needed; ++i) bytes += strlen(wanted->needed[i]) + 1;
  out.hash = sizeof(head) + out.num_symbols * sizeof(ElfW(Sym));
  out.strings = out.hash + (2 + kNumBuckets + out.num_symbols) * sizeof(hash_word);
  out.size = out.strings + bytes;
  return out;
}

static ElfW(Dyn) make_entry(int tag, size_t value) {
  ElfW(Dyn) entry;
  entry.d_tag = tag;
  entry.d_un.d_val = value;
  return entry;
}

/* start: zeros, as many as planned. like: the header of a file that the loader accepts here. */
static void fill(char *start, const layout *at, const contents *wanted, const ElfW(Ehdr) * like) {
  head *out = (head *)(void *)start;
  ElfW(Sym) *symbols = (ElfW(Sym) *)(void *)(start + sizeof *out);
  hash_word *buckets = (hash_word *)(void *)(start + at->hash) + 2, *chains = buckets + kNumBuckets;
  ElfW(Dyn) *next = out->entries;
  const tvmffi_dl_name *const *list, *entry;
  size_t text = at->strings + 1, i;
  memcpy(out->header.e_ident, like->e_ident, EI_NIDENT);
  out->header.e_type = ET_DYN;
  out->header.e_machine = like->e_machine;
  out->header.e_version = EV_CURRENT;
  out->header.e_flags = like->e_flags;
  out->header.e_phoff = offsetof(head, segments);
  out->header.e_ehsize = sizeof out->header;
  out->header.e_phentsize = sizeof out->segments[0];
  out->header.e_phnum = 3;
  out->segments[0].p_type = PT_LOAD;
  out->segments[0].p_flags = PF_R | PF_W;
  out->segments[0].p_align = 0x10000; /* the largest page of any processor here */
  out->segments[0].p_filesz = out->segments[0].p_memsz = at->size;
  out->segments[1].p_type = PT_DYNAMIC;
  out->segments[1].p_flags = PF_R | PF_W;
  out->segments[1].p_align = sizeof(ElfW(Addr));
  out->segments[1].p_offset = offsetof(head, entries);
  out->segments[1].p_vaddr = out->segments[1].p_paddr = offsetof(head, entries);
  out->segments[1].p_filesz = out->segments[1].p_memsz = sizeof out->entries;
  out->segments[2].p_type = PT_GNU_STACK; /* without it the loader makes stacks executable */
  out->segments[2].p_flags = PF_R | PF_W;
  out->self = wanted->self;
  for (i = 0; i < wanted->num_needed; ++i) {
    *next++ = make_entry(DT_NEEDED, text - at->strings);
    strcpy(start + text, wanted->needed[i]);
    text += strlen(wanted->needed[i]) + 1;
  }
  *next++ = make_entry(DT_HASH, at->hash);
  *next++ = make_entry(DT_STRTAB, at->strings);
  *next++ = make_entry(DT_SYMTAB, sizeof *out);
  *next++ = make_entry(DT_STRSZ, at->size - at->strings);
  *next = make_entry(DT_SYMENT, sizeof *symbols);
  buckets[-2] = kNumBuckets;
  buckets[-1] = (hash_word)at->num_symbols;
  i = 0;
  FOR_NAMES(wanted->lists, list, entry) {
    hash_word *bucket = &buckets[hash_name(entry->name) % kNumBuckets];
    symbols[++i].st_name = (ElfW(Word))(text - at->strings);
    symbols[i].st_info = STB_GLOBAL << 4 | STT_NOTYPE;
    symbols[i].st_shndx = 1; /* any section: defined */
    chains[i] = *bucket;
    *bucket = (hash_word)i;
    strcpy(start + text, entry->name);
    text += strlen(entry->name) + 1;
  }
}

static bool write_all(int descriptor, const char *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = pwrite(descriptor, bytes + done, size - done, (off_t)done);
    if (count <= 0) return false;
    done += (size_t)count;
  }
  return true;
}

/* A file that exists only while it is loaded. */
typedef struct {
  int descriptor;
  bool is_in_memory;
  char path[kMaxWritten];
} written_file;

static void discard(const written_file *file) {
  if (!file->is_in_memory) (void)unlink(file->path);
  (void)close(file->descriptor);
}

static bool create(bool in_memory, written_file *out) {
  out->is_in_memory = in_memory;
#if defined(MFD_CLOEXEC)
  if (in_memory) {
    out->descriptor = memfd_create("tvm_ffi", MFD_CLOEXEC);
    (void)snprintf(out->path, sizeof out->path, "/proc/self/fd/%d", out->descriptor);
    return out->descriptor >= 0;
  }
#else
  if (in_memory) return false;
#endif
  strcpy(out->path, "/tmp/tvm_ffi.XXXXXX");
  out->descriptor = mkostemp(out->path, O_CLOEXEC);
  return out->descriptor >= 0;
}

static bool write_file(const contents *wanted, const ElfW(Ehdr) * like, bool in_memory,
                       written_file *out) {
  layout at = plan(wanted);
  bool is_written = false;
  /* cppcheck-suppress invalidFunctionArg */ /* -1 is for memory of no file */
  void *bytes = mmap(NULL, at.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return false;
  fill(bytes, &at, wanted, like);
  if (create(in_memory, out)) {
    is_written = write_all(out->descriptor, bytes, at.size);
    if (!is_written) discard(out);
  }
  (void)munmap(bytes, at.size);
  return is_written;
}

static tvmffi_mutex number_mutex = TVMFFI_MUTEX_INIT;
static uint32_t last_number;

static uint32_t next_number(void) {
  uint32_t number;
  tvmffi_mutex_lock(&number_mutex);
  number = ++last_number;
  tvmffi_mutex_unlock(&number_mutex);
  return number;
}

/* How an opened file begins, if it is one of those written here. */
static head *find_head(void *handle) {
  const char *entries = find_dynamic_section(handle);
  image file;
  if (!find_image(entries, &file) || file.entries != (const void *)entries) return NULL;
  if (bytes_at(&file, file.base) < sizeof(head)) return NULL;
  if (entries != (const char *)file.base + offsetof(head, entries)) return NULL;
  return (head *)file.base;
}

/*
 * Opens such a file. The loader of glibc compares paths as texts before it looks at the file, and
 * this path may be that of an earlier file: each attempt writes it otherwise. How it did in the end
 * is in spelled, which has kMaxSpelled bytes.
 */
static void *open_written(const written_file *file, const identity *self, int mode, char *spelled) {
  int i;
  for (i = 0; i < kMaxAttempts; ++i) {
    const head *opened;
    void *handle;
    tvmffi_dl_respell(file->path, next_number(), spelled);
    handle = dlopen(spelled, mode | RTLD_LOCAL);
    if (handle == NULL) return NULL;
    opened = find_head(handle);
    if (opened != NULL && memcmp(&opened->self, self, sizeof *self) == 0) return handle;
    (void)dlclose(handle);
  }
  return NULL;
}

static void set_values(void *handle, const tvmffi_dl_name *const *lists) {
  const tvmffi_dl_name *const *list, *entry;
  head *opened = find_head(handle);
  ElfW(Sym) *symbol = (ElfW(Sym) *)(void *)(opened + 1);
  FOR_NAMES(lists, list, entry) {
    (++symbol)->st_value = (ElfW(Addr))((uintptr_t)entry->at.data - (uintptr_t)opened);
  }
}

static void init_contents(contents *out, const tvmffi_dl_name *const *lists) {
  memset(out, 0, sizeof *out);
  out->self.runtime = &last_number;
  out->self.number = next_number();
  out->lists = lists;
}

/* Whether the loader's message is of a name of the runtime: glibc and musl write `: NAME`. */
static bool lacks_runtime(const char *message) {
  return strstr(message, ": TVMFFI") != NULL;
}

/*
 * Opens the group for a library, and with it the library: at once, if that is possible, so that
 * nothing is left to go wrong later. A library that lacks functions of others, such as a driver
 * that is not there, is opened lazily. On failure returns NULL, with a reason if the library needs
 * something of a runtime that is not there.
 */
static void *open_group(const char *path, const char *names, const ElfW(Ehdr) * like,
                        bool in_memory, tvmffi_dl_reason *reason) {
  static const tvmffi_dl_name *const kNone[] = {NULL};
  char spelled[kMaxSpelled];
  written_file file;
  contents wanted;
  image own;
  void *group;
  init_contents(&wanted, kNone);
  wanted.needed[wanted.num_needed++] = names;
  wanted.needed[wanted.num_needed++] = path; /* its own names come before those of the plugin */
  if (find_image(&last_number, &own) && own.path != NULL && own.path[0] != '\0') {
    wanted.needed[wanted.num_needed++] = own.path;
  }
  if (!write_file(&wanted, like, in_memory, &file)) return NULL;
  group = open_written(&file, &wanted.self, RTLD_NOW, spelled);
  if (group == NULL) {
    const char *text = dlerror();
    if (text != NULL && lacks_runtime(text)) {
      reason->set(reason, "%s, which this runtime does not have", text);
    } else {
      group = open_written(&file, &wanted.self, RTLD_LAZY, spelled);
      if (group == NULL) (void)dlerror();
    }
  }
  discard(&file);
  return group;
}

static void *hand_over(const char *path, const tvmffi_dl_name *const *lists,
                       const ElfW(Ehdr) * like, bool in_memory, tvmffi_dl_reason *reason) {
  char spelled[kMaxSpelled];
  written_file file;
  contents wanted;
  void *names, *group = NULL;
  init_contents(&wanted, lists);
  if (!write_file(&wanted, like, in_memory, &file)) return NULL;
  names = open_written(&file, &wanted.self, RTLD_LAZY, spelled);
  if (names != NULL) {
    set_values(names, lists);
    group = open_group(path, spelled, like, in_memory, reason);
    (void)dlclose(names); /* it stays open as a part of the group */
  } else {
    (void)dlerror();
  }
  discard(&file);
  return group;
}

/* ---- Which copy of the runtime a library is bound to ---- */

/*
 * Whether an address that the loader gives for a name is in the file of this runtime. A program
 * that is not position-independent may have an address of its own for functions that it takes from
 * a library, at which there is a jump to them.
 */
static bool is_own(const char *name, const void *address) {
  const ElfW(Sym) * symbol;
  symbol_table table;
  image own, file;
  if (!find_image(&last_number, &own)) return false;
  if (bytes_at(&own, (uintptr_t)address) != 0) return true;
  if (!find_image(address, &file) || !find_symbols(&file, &table)) return false;
  /* The recorder (tools/record) passes calls on to the runtime that a library is bound to. */
  if (find_name(&table, "tvm_ffi_record_passes_on") != NULL) return true;
  symbol = find_name(&table, name);
  return symbol != NULL && symbol->st_shndx == SHN_UNDEF &&
         file.base + (uintptr_t)symbol->st_value == (uintptr_t)address;
}

TVMFFI_COLD bool tvmffi_dl_has_other_copy(const void *address) {
  const ElfW(Sym) * symbol;
  symbol_table table;
  image own, file;
  if (!find_image(&last_number, &own) || bytes_at(&own, (uintptr_t)address) != 0) return false;
  if (!find_image(address, &file) || !find_symbols(&file, &table)) return false;
  symbol = find_name(&table, "TVMFFITypeRegisterField");
  return symbol != NULL && symbol->st_shndx != SHN_UNDEF;
}

/* What the loader finds for a name, in the global scope with the program itself as the handle. */
static const void *look_up(void *handle, const char *name) {
  const void *found = dlsym(handle, name);
  if (found == NULL) (void)dlerror(); /* the system would keep its text */
  return found;
}

static int is_offered; /* once it is, it stays so, for the loader appends to the global scope */

/* Whether the loader finds each name of this runtime in the global scope. */
static bool offers_names(const tvmffi_dl_name *const *lists) {
  const tvmffi_dl_name *const *list, *entry;
  void *program;
  bool is_complete = true;
  if (tvmffi_atomic_load_relaxed_int(&is_offered)) return true;
  program = dlopen(NULL, RTLD_LAZY | RTLD_LOCAL);
  if (program == NULL) return false;
  FOR_NAMES(lists, list, entry) {
    const void *found = is_complete ? look_up(program, entry->name) : NULL;
    /* One definition serves all C++ code, whichever library has it. */
    is_complete = found != NULL && (entry->name[0] == '_' || is_own(entry->name, found));
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

static bool check_name(const binding *at, const image *library, const char *name, bool is_weak,
                       const void *bound) {
  image other;
  if (bytes_at(library, (uintptr_t)bound) != 0) { /* it is not bound yet */
    bound = look_up(at->program, name);
    if (bound == NULL && at->group != NULL) bound = look_up(at->group, name);
  }
  if (bound == NULL && !is_weak) {
    at->reason->set(at->reason, "%s: undefined symbol: %s", library->path, name);
    return false;
  }
  if (bound == NULL || is_own(name, bound)) return true;
  at->reason->set(at->reason,
                  "it calls another copy of the runtime (%s has its %s); load it by that copy, or "
                  "open that copy with RTLD_LOCAL",
                  !find_image(bound, &other) || other.path == NULL ? "an unknown file"
                  : other.path[0] == '\0'                          ? "the program"
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
static bool check_table(const binding *at, const image *library, const symbol_table *symbols,
                        ElfW(Sxword) tag, ElfW(Sxword) size_tag, size_t stride) {
  const ElfW(Dyn) *size = find_entry(library, size_tag);
  size_t bytes, i;
  const char *start = find_pointed(library, tag, sizeof(ElfW(Addr)), &bytes);
  if (start == NULL || size == NULL) return true;
  if (size->d_un.d_val < bytes) bytes = (size_t)size->d_un.d_val;
  for (i = 0; i + stride <= bytes; i += stride) {
    const ElfW(Rel) *relocation = (const ElfW(Rel) *)(const void *)(start + i);
    size_t number = (size_t)(relocation->r_info >> kSymbolShift);
    uintptr_t word = library->base + (uintptr_t)relocation->r_offset;
    const ElfW(Sym) *symbol = &symbols->symbols[number];
    const void *bound;
    if (number == 0 || number >= symbols->num_symbols || symbol->st_shndx != SHN_UNDEF) continue;
    if (strncmp(name_at(symbols, symbol->st_name), "TVMFFI", 6) != 0) continue;
    if (bytes_at(library, word) < sizeof bound) continue;
    memcpy(&bound, (const void *)word, sizeof bound);
    if (!check_name(at, library, name_at(symbols, symbol->st_name),
                    symbol->st_info >> 4 == STB_WEAK, bound)) {
      return false;
    }
  }
  return true;
}

/* Whether all names of a runtime that a library uses are this one's. If not, writes the reason. */
static bool is_bound_here(void *handle, void *group, tvmffi_dl_reason *reason) {
  symbol_table symbols;
  binding at;
  image library;
  bool is_good = true;
  if (!kHasWords || !find_image(find_dynamic_section(handle), &library) ||
      !find_symbols(&library, &symbols)) {
    return true;
  }
  at.program = dlopen(NULL, RTLD_LAZY | RTLD_LOCAL);
  if (at.program == NULL) return true;
  at.group = group;
  at.reason = reason;
  {
    const ElfW(Dyn) *kind = find_entry(&library, DT_PLTREL);
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

static bool read_header(const char *path, ElfW(Ehdr) * out) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  bool is_read;
  if (descriptor < 0) return false;
  is_read = pread(descriptor, out, sizeof *out, 0) == (ssize_t)sizeof *out &&
            memcmp(out->e_ident, ELFMAG, SELFMAG) == 0;
  (void)close(descriptor);
  return is_read;
}

TVMFFI_COLD void *tvmffi_dl_open_bound(const char *path, const tvmffi_dl_name *const *lists,
                                       void **out_group, tvmffi_dl_reason *reason) {
  const bool has_folder = strchr(path, '/') != NULL;
  void *handle = NULL, *group = NULL;
  ElfW(Ehdr) like;
  *out_group = NULL;
  if (offers_names(lists)) return tvmffi_dl_open(path, reason);
  reason->set(reason, "%s", "");
  if (kCanHandOver && has_folder && tvmffi_dl_check(path) == NULL && read_header(path, &like)) {
    group = hand_over(path, lists, &like, true, reason);
    if (group == NULL && reason->text[0] == '\0') {
      group = hand_over(path, lists, &like, false, reason);
    }
    if (reason->text[0] != '\0') return NULL;
  }
  if (group != NULL) {
    handle = tvmffi_dl_open_loaded(path);
    if (handle == NULL) reason->set(reason, "%s", "it was replaced or closed while it was loaded");
  } else { /* if it needs nothing of the runtime, all is well; if it does, this fails */
    handle = tvmffi_dl_open_at_once(path, reason);
    if (handle == NULL && !lacks_runtime(reason->text)) { /* of others, such as a driver */
      handle = tvmffi_dl_open(path, reason);
    } else if (handle == NULL) {
      reason->set(
          reason, "%s; the runtime was opened with RTLD_LOCAL, and %s", reason->text,
          !kCanHandOver ? "this system gives libraries no other way to find it: open it with "
                          "RTLD_GLOBAL"
          : !has_folder ? "a library finds it only if it is opened by its path: give the folder"
                        : "the system allows no file in memory or in /tmp by which libraries could "
                          "find it: open it with RTLD_GLOBAL");
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
