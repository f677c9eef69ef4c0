/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "platform/dl.h"

#include <dlfcn.h>
#include <stdio.h>

void *tvmffi_dl_open(const char *path, char *reason, size_t reason_size) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL && reason_size != 0) {
    const char *text = dlerror();
    (void)snprintf(reason, reason_size, "%s", text != NULL ? text : "unknown reason");
  }
  return handle;
}

void tvmffi_dl_close(void *handle) {
  (void)dlclose(handle);
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  return dlsym(handle, name);
}

void *tvmffi_dl_global_symbol(const char *name) {
  return dlsym(RTLD_DEFAULT, name);
}
