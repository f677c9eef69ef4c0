/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for the library as a whole, with all its layers. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "core/error.h"
#include "core/global.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/thread_state.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "env/env.h"
#include "module/module.h"
#include "reflect/register.h"

int TVMFFIRuntimeSetMemoryHooks(const TVMFFIRuntimeMemoryHooks *hooks) {
  static const TVMFFIRuntimeMemoryHooks default_hooks = {NULL, NULL, NULL};
  if (hooks == NULL) hooks = &default_hooks;
  if ((hooks->allocate == NULL) != (hooks->deallocate == NULL)) {
    return tvmffi_fail("ValueError", "hooks: allocate and deallocate must both be given, got %s",
                       hooks->allocate == NULL ? "deallocate only" : "allocate only");
  }
  if (tvmffi_alloc_set_hooks(hooks) != 0) {
    return tvmffi_fail("RuntimeError",
                       "Memory hooks must be set before the library allocates anything");
  }
  return 0;
}

/*
 * Releases the upper layers first: modules hold functions, functions hold errors, everything holds
 * memory. This thread's error is released before, while the library that made it is still loaded.
 */
static void release_tables(void) {
  TVMFFIErrorSetRaised(NULL);
  tvmffi_module_shutdown();
  tvmffi_global_shutdown();
  tvmffi_register_shutdown();
  tvmffi_type_attr_shutdown();
  tvmffi_type_shutdown();
}

int TVMFFIRuntimeShutdown(void) {
  release_tables();
  release_tables(); /* clients' deleters may have used the library again */
  tvmffi_env_shutdown();
  tvmffi_backtrace_shutdown();
  (void)TVMFFIRuntimeSetLogHook(NULL, NULL);
  tvmffi_text_limit_shutdown();
  tvmffi_custom_allocator_shutdown();
  tvmffi_live_shutdown();
  tvmffi_thread_shutdown();
  tvmffi_alloc_shutdown();
  return 0;
}
