/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr */
#include "platform/stack_walk.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { kMaxFrames = 512 };

void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  void *addresses[kMaxFrames];
  int count = backtrace(addresses, kMaxFrames);
  int i;
  (void)context;
  for (i = 1; i < count; ++i) { /* 0 is this function */
    TVMFFIRuntimeFrame frame;
    Dl_info info;
    memset(&frame, 0, sizeof frame);
    memset(&info, 0, sizeof info);
    frame.pc = (uintptr_t)addresses[i];
    /* The return address may be in the next function already: look up the call instruction. */
    if (dladdr((void *)(frame.pc - 1), &info) != 0) frame.symbol = info.dli_sname;
    if (visitor(visitor_context, &frame) != 0) return;
  }
}
