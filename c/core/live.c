/* SPDX-License-Identifier: Apache-2.0 */
#include "core/live.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/pointer_map.h"
#include "platform/platform.h"

int tvmffi_live_enabled;
static tvmffi_mutex mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockLive, NULL);
static tvmffi_pointer_map objects; /* to their type indices */

bool tvmffi_live_add(const void *obj, int32_t type_index) {
  bool added = true;
  tvmffi_mutex_lock(&mutex);
  if (tvmffi_live_enabled) {
    tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&objects, obj);
    added = entry != NULL;
    if (added) entry->value.number = (uint64_t)type_index;
  }
  tvmffi_mutex_unlock(&mutex);
  return added;
}

void tvmffi_live_remove(const void *obj) {
  tvmffi_mutex_lock(&mutex);
  tvmffi_pointer_map_remove(&objects, obj);
  tvmffi_mutex_unlock(&mutex);
}

int TVMFFIRuntimeSetLiveObjectCounting(int enabled) {
  tvmffi_mutex_lock(&mutex);
  tvmffi_pointer_map_fini(&objects);
  tvmffi_atomic_store_relaxed_int(&tvmffi_live_enabled, enabled != 0);
  tvmffi_mutex_unlock(&mutex);
  return 0;
}

int64_t TVMFFIRuntimeGetLiveObjectCount(int32_t type_index) {
  int64_t count = 0;
  size_t i;
  tvmffi_mutex_lock(&mutex);
  for (i = 0; i < objects.capacity; ++i) {
    const tvmffi_pointer_entry *entry = &objects.slots[i];
    if (entry->key == NULL) continue;
    if (type_index == kTVMFFIAny || entry->value.number == (uint64_t)type_index) ++count;
  }
  tvmffi_mutex_unlock(&mutex);
  return count;
}

void tvmffi_live_shutdown(void) {
  (void)TVMFFIRuntimeSetLiveObjectCounting(0);
}
