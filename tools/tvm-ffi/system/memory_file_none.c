/* SPDX-License-Identifier: Apache-2.0 */
#include "system/memory_file.h"

bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]) {
  (void)bytes;
  (void)size;
  (void)out_path;
  return false;
}
