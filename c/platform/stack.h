/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's stack. One implementation file: stack_<system>.c. */
#ifndef TVMFFI_PLATFORM_STACK_H_
#define TVMFFI_PLATFORM_STACK_H_

#include <stddef.h>

/* The number of bytes left on it, or SIZE_MAX if the system does not say. */
size_t tvmffi_stack_left(void);

#endif /* TVMFFI_PLATFORM_STACK_H_ */
