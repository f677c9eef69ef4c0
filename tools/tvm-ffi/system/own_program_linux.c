/* SPDX-License-Identifier: Apache-2.0 */
#include "system/own_program.h"

#include "system/file_system.h"

bool own_program_find(char *out, size_t out_size) {
  return file_read_link("/proc/self/exe", out, out_size);
}
