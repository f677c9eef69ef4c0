/* SPDX-License-Identifier: Apache-2.0 */
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "platform/atomic.h"
#include "platform/platform.h"

static TVMFFIRuntimeLogHook hook;
static void *hook_context;
static tvmffi_mutex hook_mutex = TVMFFI_MUTEX_INIT;

int TVMFFIRuntimeSetLogHook(TVMFFIRuntimeLogHook new_hook, void *context) {
  tvmffi_mutex_lock(&hook_mutex);
  tvmffi_atomic_store_relaxed_ptr(&hook, new_hook);
  hook_context = context;
  tvmffi_mutex_unlock(&hook_mutex);
  return 0;
}

void tvmffi_log_warning(const char *format, ...) {
  char text[1024]; /* longer messages are cut */
  TVMFFIRuntimeLogHook current;
  void *context;
  va_list args;
  if (tvmffi_atomic_load_relaxed_ptr(&hook) == NULL) return;
  tvmffi_mutex_lock(&hook_mutex);
  current = hook;
  context = hook_context;
  tvmffi_mutex_unlock(&hook_mutex);
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (current != NULL) current(context, kTVMFFIRuntimeLogLevelWarning, text);
}
