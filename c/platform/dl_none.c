/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/dl.h"

#include <stdio.h>
#include <string.h>

void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size) {
  (void)path;
  (void)snprintf(reason, reason_size,
                 "this system loads no libraries; link kernels into the program and use "
                 "ffi.SystemLib");
  return NULL;
}

void *tvmffi_dl_open_loaded(const char *path) {
  (void)path;
  return NULL;
}

void tvmffi_dl_respell(const char *path, uint32_t number, char *out) {
  (void)number;
  strcpy(out, path);
}

/* A file is asked for only to tell whether it is the one that a library was loaded from. */
bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out) {
  (void)path;
  (void)out;
  return false;
}

void *tvmffi_dl_open_beside(const char *name, char *reason, size_t reason_size) {
  return tvmffi_dl_open(name, reason, reason_size);
}

void tvmffi_dl_close(void *handle) {
  (void)handle;
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  (void)handle;
  (void)name;
  return NULL;
}

void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries) {
  (void)name;
  (void)libraries;
  return NULL;
}
