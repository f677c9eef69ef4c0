/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_NOLOAD */
#include "platform/dl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__linux__)
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

/* Whether a segment of an ELF file ends after the end of the file. */
static bool has_cut_segment(int file, const ElfW(Ehdr) * header, uint64_t size) {
  unsigned i;
  for (i = 0; i < header->e_phnum; ++i) {
    ElfW(Phdr) segment;
    off_t offset = (off_t)(header->e_phoff + i * sizeof segment);
    if (pread(file, &segment, sizeof segment, offset) != (ssize_t)sizeof segment) return true;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return true;
  }
  return false;
}

/*
 * Whether an ELF file is truncated, as by an interrupted copy. The system's loader maps a file as
 * its headers say, and touching pages beyond the end of the file kills the process with SIGBUS.
 * Files of any other kind are left for the loader to refuse.
 */
static bool is_cut_off(const char *path) {
  const unsigned char bits = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  ElfW(Ehdr) header;
  struct stat status;
  bool is_cut = false;
  int file;
  if (strchr(path, '/') == NULL) return false; /* the loader searches its own directories */
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == bits &&
      header.e_phentsize == sizeof(ElfW(Phdr))) {
    is_cut = has_cut_segment(file, &header, (uint64_t)status.st_size);
  }
  (void)close(file);
  return is_cut;
}
#else
static bool is_cut_off(const char *path) {
  (void)path;
  return false;
}
#endif

void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size) {
  const char *text = "the file is cut off";
  void *handle = NULL;
  if (!is_cut_off(path)) {
    handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
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
