/* SPDX-License-Identifier: Apache-2.0 */
/* The table of exceptions: where the stack ends, what runs first, and what faults run. */
#include <stddef.h>

typedef void (*handler)(void);

void stack_end(void); /* an address, from flash.ld */
void _mainCRTStartup(void);

/* The emulator then runs out of time. */
static void stop(void) {
  for (;;) continue;
}

__attribute__((section(".vectors"), used)) static const handler vectors[] = {
    stack_end, _mainCRTStartup, stop, stop, stop, stop, stop};

/* With --wrap=malloc: a program whose memory comes from hooks must not notice. */
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  (void)size;
  return NULL;
}
