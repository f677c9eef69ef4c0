/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/stack_walk.h"

void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  (void)context;
  (void)visitor;
  (void)visitor_context;
}
