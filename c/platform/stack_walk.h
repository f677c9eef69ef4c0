/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the stack. One implementation file per method; stack_walk_none.c does nothing. */
#ifndef TVMFFI_PLATFORM_STACK_WALK_H_
#define TVMFFI_PLATFORM_STACK_WALK_H_

#include <tvm/ffi/extra/c_runtime_api.h>

/* A TVMFFIRuntimeStackWalker: the calling thread's frames, this function's caller first. */
void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context);

#endif /* TVMFFI_PLATFORM_STACK_WALK_H_ */
