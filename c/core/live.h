/* SPDX-License-Identifier: Apache-2.0 */
/* The set of live objects, kept only while TVMFFIRuntimeSetLiveObjectCounting is on. */
#ifndef TVMFFI_CORE_LIVE_H_
#define TVMFFI_CORE_LIVE_H_

#include <stdbool.h>
#include <stdint.h>

#include "platform/atomic.h"

extern int tvmffi_live_enabled;

static inline bool tvmffi_live_is_enabled(void) {
  return tvmffi_atomic_load_relaxed_int(&tvmffi_live_enabled) != 0;
}

/* False if out of memory. */
bool tvmffi_live_add(const void *obj, int32_t type_index);
/* Ignores objects that are not in the set: they were made before counting was switched on. */
void tvmffi_live_remove(const void *obj);
void tvmffi_live_shutdown(void);

#endif /* TVMFFI_CORE_LIVE_H_ */
