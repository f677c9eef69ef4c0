/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_NOLOAD */
#include "platform/dl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__linux__)
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

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

/* A part of the file must be inside a segment that the loader maps to where the part says. */
static const char *check_mapped(const elf_file *file, const ElfW(Phdr) * part) {
  ElfW(Phdr) segment;
  unsigned i;
  for (i = 0; i < file->header.e_phnum; ++i) {
    const char *damage = read_segment(file, i, &segment);
    uint64_t start;
    if (damage != NULL) return damage;
    start = (uint64_t)part->p_vaddr - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && start < segment.p_filesz &&
        part->p_memsz <= segment.p_filesz - start) {
      return NULL;
    }
  }
  return "the file is damaged: its tables are not in its segments";
}

static const char *check_segments(const elf_file *file) {
  ElfW(Phdr) segment;
  unsigned i;
  for (i = 0; i < file->header.e_phnum; ++i) {
    const char *damage = read_segment(file, i, &segment);
    if (damage == NULL && segment.p_type == PT_LOAD &&
        (segment.p_offset > file->size || segment.p_filesz > file->size - segment.p_offset)) {
      damage = kCutOff;
    }
    if (damage == NULL && (segment.p_type == PT_PHDR || segment.p_type == PT_DYNAMIC)) {
      damage = check_mapped(file, &segment);
    }
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

/*
 * Why a file must not be given to the system's loader, or NULL. The loader maps an ELF file as its
 * headers say. Touching pages beyond the end of a truncated file, as an interrupted copy leaves,
 * kills the process with SIGBUS; and the loader hands out the address of the program headers as
 * PT_PHDR has it. Files of any other kind are left for the loader to refuse, but not one that could
 * not be looked at: the loader may have better luck, and run into the damage.
 */
static const char *refuse_file(const char *path) {
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
#else
static const char *refuse_file(const char *path) {
  (void)path;
  return NULL;
}
#endif

#ifdef PATH_MAX
enum { kMaxPath = PATH_MAX - 1 };
#else
enum { kMaxPath = 4095 };
#endif

void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size) {
  const char *text;
  size_t size = strlen(path);
  if (size > kMaxPath) { /* the loader of glibc would copy it to the stack */
    (void)snprintf(reason, reason_size, "the path has %zu bytes, more than %d", size, kMaxPath);
    return NULL;
  }
  text = refuse_file(path);
  if (text == NULL) {
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (handle != NULL) return handle;
    text = dlerror();
  }
  if (reason_size != 0) {
    (void)snprintf(reason, reason_size, "%s", text != NULL ? text : "unknown reason");
  }
  return NULL;
}

void *tvmffi_dl_open_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) (void)dlerror(); /* the system would keep its text */
  return handle;
}

/*
 * The loader of glibc compares paths as texts before it looks at the file. So this appends slashes
 * and "./" to the folder, one for each bit of the number.
 */
void tvmffi_dl_respell(const char *path, uint32_t number, char *out) {
  size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
  memcpy(out, path, folder);
  for (; number != 0; number >>= 1) {
    if ((number & 1) != 0) out[folder++] = '.';
    out[folder++] = '/';
  }
  strcpy(out + folder, strrchr(path, '/') + 1);
}

bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out) {
  struct stat status;
  if (strchr(path, '/') == NULL || stat(path, &status) != 0) return false;
  out->device = (uint64_t)status.st_dev;
  out->inode = (uint64_t)status.st_ino;
  out->size = (uint64_t)status.st_size;
  out->modified = (uint64_t)status.st_mtime;
#if defined(__linux__)
  out->modified_nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
#else
  out->modified_nanoseconds = 0;
#endif
  return true;
}

void *tvmffi_dl_open_beside(const char *name, char *reason, size_t reason_size) {
  static const char anchor = 0;
  char path[4096], *slash;
  if (tvmffi_dl_find_path(&anchor, path, sizeof path)) {
    slash = strrchr(path, '/');
    if (slash != NULL && strlen(name) < sizeof path - (size_t)(slash + 1 - path)) {
      void *handle;
      strcpy(slash + 1, name);
      handle = tvmffi_dl_open(path, reason, reason_size);
      if (handle != NULL) return handle;
    }
  }
  return tvmffi_dl_open(name, reason, reason_size);
}

void tvmffi_dl_close(void *handle) {
  (void)dlclose(handle);
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  return dlsym(handle, name);
}

void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries) {
  void *found = dlsym(RTLD_DEFAULT, name);
  for (; found == NULL && *libraries != NULL; ++libraries) {
    void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    found = dlsym(library, name);
    if (found == NULL) (void)dlclose(library);
  }
  return found;
}
