/* SPDX-License-Identifier: Apache-2.0 */
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
  (void)address;
  (void)out;
  (void)out_size;
  return false;
}
