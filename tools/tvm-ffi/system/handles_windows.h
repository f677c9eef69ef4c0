/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of Windows. */
#ifndef TVM_FFI_TOOL_HANDLES_WINDOWS_H_
#define TVM_FFI_TOOL_HANDLES_WINDOWS_H_

#include <stdbool.h>

#include "platform/win32.h"

/* Chooses whether processes that are started from now on have the handle, too. Returns it. */
static inline HANDLE handle_inherit(HANDLE handle, bool is_inherited) {
  (void)SetHandleInformation(handle, HANDLE_FLAG_INHERIT, is_inherited ? HANDLE_FLAG_INHERIT : 0);
  return handle;
}

#endif /* TVM_FFI_TOOL_HANDLES_WINDOWS_H_ */
