/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's stack. One implementation file: stack_pthread.c, stack_windows.c or stack_none.c. */
#ifndef TVMFFI_PLATFORM_STACK_H_
#define TVMFFI_PLATFORM_STACK_H_

#include <stddef.h>

/* The number of bytes left on it, or SIZE_MAX if the system does not say. */
size_t tvmffi_stack_left(void);

#endif /* TVMFFI_PLATFORM_STACK_H_ */
