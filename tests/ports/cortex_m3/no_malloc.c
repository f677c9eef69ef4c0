/* SPDX-License-Identifier: Apache-2.0 */
/* With --wrap=malloc: a program whose memory comes from hooks must not notice. */
#include <stddef.h>

void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size) {
  (void)size;
  return NULL;
}
