/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader of macOS tells of loaded libraries: their paths. */
#define _DARWIN_C_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "platform/dl.h"

bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out) {
  (void)handle;
  (void)out;
  return false;
}

size_t tvmffi_dl_symbol_size(const char *name, const void *address) {
  (void)name;
  (void)address;
  return SIZE_MAX;
}

void tvmffi_dl_keep(const void *address) {
  (void)address;
}

bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size) {
  Dl_info image;
  if (dladdr(address, &image) == 0 || image.dli_fname == NULL) return false;
  /* The program's own name may be the one that it was started with. */
  if (image.dli_fname[0] != '/' || strlen(image.dli_fname) >= out_size) return false;
  strcpy(out, image.dli_fname);
  return true;
}
