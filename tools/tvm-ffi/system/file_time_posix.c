/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "system/file_time.h"

struct timespec file_time_written(const struct stat *status) {
  return status->st_mtim;
}
