/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/unwind.h"

void tvmffi_unwind_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  (void)context;
  (void)visitor;
  (void)visitor_context;
}
