/* SPDX-License-Identifier: Apache-2.0 */
/* Weak references, counted as client code does: the ABI has no functions for it. */
#ifndef TESTS_SUPPORT_WEAK_H_
#define TESTS_SUPPORT_WEAK_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/atomic.h"

#define WEAK_ONE (UINT64_C(1) << 32)

static inline uint32_t weak_count(const void *obj) {
  return (uint32_t)(((const TVMFFIObject *)obj)->combined_ref_count >> 32);
}

static inline void weak_retain(void *obj) {
  tvmffi_atomic_add_relaxed_u64(&((TVMFFIObject *)obj)->combined_ref_count, WEAK_ONE);
}

static inline void weak_release(void *obj) {
  TVMFFIObject *header = (TVMFFIObject *)obj;
  if (tvmffi_atomic_sub_release_u64(&header->combined_ref_count, WEAK_ONE) != WEAK_ONE) return;
  tvmffi_fence_acquire_u64(&header->combined_ref_count);
  if (header->deleter != NULL) header->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
}

/* Takes a strong reference and returns true, unless the last one is gone. */
#if defined(TVMFFI_SINGLE_THREAD)
static inline bool weak_promote(void *obj) {
  uint64_t *count = &((TVMFFIObject *)obj)->combined_ref_count;
  if ((uint32_t)*count == 0) return false;
  ++*count;
  return true;
}
#else
static inline bool weak_promote(void *obj) {
  tvmffi_atomic_u64 *count = (tvmffi_atomic_u64 *)(void *)obj;
  uint64_t old = __atomic_load_n(count, __ATOMIC_RELAXED);
  while ((uint32_t)old != 0) {
    if (__atomic_compare_exchange_n(count, &old, old + 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}
#endif

#endif /* TESTS_SUPPORT_WEAK_H_ */
