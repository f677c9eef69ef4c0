/* SPDX-License-Identifier: Apache-2.0 */
/* Pinned modules, which the process keeps alive. */
#include "core/error.h"
#include "core/object.h"
#include "module/library.h"
#include "module/module.h"
#include "platform/platform.h"

static tvmffi_mutex pinned_mutex = TVMFFI_MUTEX_INIT;
static tvmffi_module_set pinned = TVMFFI_MODULE_SET_INIT;

int tvmffi_module_pin(TVMFFIObject *module) {
  int added;
  tvmffi_mutex_lock(&pinned_mutex);
  added = tvmffi_module_set_add(&pinned, module);
  if (added > 0) tvmffi_object_retain(module);
  tvmffi_mutex_unlock(&pinned_mutex);
  return added < 0 ? tvmffi_fail_memory() : 0;
}

void tvmffi_module_unpin(TVMFFIObject *module) {
  bool removed;
  tvmffi_mutex_lock(&pinned_mutex);
  removed = tvmffi_module_set_remove(&pinned, module);
  tvmffi_mutex_unlock(&pinned_mutex);
  if (removed) tvmffi_object_release(module);
}

void tvmffi_module_shutdown(void) {
  while (pinned.size != 0) tvmffi_module_unpin(pinned.items[pinned.size - 1]);
  tvmffi_module_set_fini(&pinned);
  tvmffi_system_lib_shutdown();
  tvmffi_context_symbol_shutdown();
  tvmffi_library_file_shutdown();
}
