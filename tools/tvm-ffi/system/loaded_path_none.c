/* SPDX-License-Identifier: Apache-2.0 */
#include "system/loaded_path.h"

bool loaded_path_find(const void *address, char *out, size_t out_size) {
  (void)address;
  (void)out;
  (void)out_size;
  return false;
}
