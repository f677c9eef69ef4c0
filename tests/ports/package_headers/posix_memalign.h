/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of the package call posix_memalign, and free what it returns with free(), under every
 * compiler but Microsoft's. The C library of Windows lacks it; its malloc aligns to 16 bytes. */
#include <errno.h>
#include <stdlib.h>

static inline int posix_memalign(void **out, size_t alignment, size_t size) {
  void *memory = alignment <= 16 ? malloc(size) : NULL;
  if (memory == NULL) return ENOMEM;
  *out = memory;
  return 0;
}
