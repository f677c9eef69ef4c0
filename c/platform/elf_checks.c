/* SPDX-License-Identifier: Apache-2.0 */
/* Looks into ELF files before they are loaded, or when they could not be: damaged files, and
 * libraries for another C library. */
#define _GNU_SOURCE /* O_CLOEXEC, pread */
#include "platform/platform.h"

#if TVM_FFI_ELF_TABLES
#include "platform/int128.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/compiler.h"

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
static bool next_dynamic_entry(const elf_file *file, const ElfW(Phdr) * dynamic, ElfW(Sxword) tag,
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
      !next_dynamic_entry(file, &dynamic, DT_STRTAB, &i, &entry) ||
      !find_segment(file, PT_LOAD, entry.d_un.d_ptr, &strings)) {
    return false;
  }
  start = entry.d_un.d_ptr - strings.p_vaddr + strings.p_offset;
  for (i = 0; next_dynamic_entry(file, &dynamic, DT_NEEDED, &i, &entry); ++i) {
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

#endif /* TVM_FFI_ELF_TABLES */
