/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "platform/dl.h"

bool tvmffi_dl_all_symbols(void *handle, tvmffi_dl_visitor is_fine) {
  (void)handle;
  (void)is_fine;
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
