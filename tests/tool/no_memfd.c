/* SPDX-License-Identifier: Apache-2.0 */
/* In front of the C library: a system that has no files in memory. */
#include <errno.h>

int memfd_create(const char *name, unsigned flags);
__attribute__((visibility("default"))) int memfd_create(const char *name, unsigned flags) {
  (void)name;
  (void)flags;
  errno = ENOSYS;
  return -1;
}
