/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT, RTLD_NOLOAD */
#include "platform/dl.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
  text = tvmffi_dl_check(path);
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
