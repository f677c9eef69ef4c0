/* SPDX-License-Identifier: Apache-2.0 */
#define _DARWIN_C_SOURCE /* st_mtimespec */
#include "system/file_time.h"

struct timespec file_time_written(const struct stat *status) {
  return status->st_mtimespec;
}
