/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader maps an ELF file as its headers say. Touching pages beyond the end of a truncated
 * file, as an interrupted copy leaves, kills the process with SIGBUS. The loader hands out the
 * address of the program headers as PT_PHDR has it, and maps a segment that is too long over
 * whatever is behind the library. Files of any other kind are left for the loader to refuse. A file
 * that cannot be read at the moment is refused here: the loader might read it and crash.
 */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "platform/int128.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/dl.h"

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
