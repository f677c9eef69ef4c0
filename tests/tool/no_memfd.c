/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded before the C library: simulates a system without memfd_create(). */
#include <errno.h>

int memfd_create(const char *name, unsigned flags);
__attribute__((visibility("default"))) int memfd_create(const char *name, unsigned flags) {
  (void)name;
  (void)flags;
  errno = ENOSYS;
  return -1;
}
