/* SPDX-License-Identifier: Apache-2.0 */
/* Making, counting and destroying objects. */
#ifndef TVMFFI_CORE_OBJECT_H_
#define TVMFFI_CORE_OBJECT_H_

#include <tvm/ffi/c_api.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

#define TVMFFI_STRONG_ONE UINT64_C(1)
#define TVMFFI_WEAK_ONE (UINT64_C(1) << 32)
/* One strong reference, and the weak one that all strong ones hold together. */
#define TVMFFI_BOTH_ONE (TVMFFI_STRONG_ONE | TVMFFI_WEAK_ONE)

typedef void (*tvmffi_deleter)(void *self, int flags);

/*
 * A new object of size bytes (header included) with its header filled in and one reference, the
 * body not initialised. NULL without memory: _alloc raises nothing, _new raises MemoryError.
 * prefix is the number of bytes to reserve in front of the header (0 but for modules).
 */
void *tvmffi_object_alloc(size_t size, size_t prefix, int32_t type_index, tvmffi_deleter deleter);
void *tvmffi_object_new(size_t size, int32_t type_index, tvmffi_deleter deleter);

/* Returns the memory of an object of this library, for deleters and for failed constructors. */
void tvmffi_object_free(void *obj, size_t prefix);

/* The deleter of objects that own nothing but their block. */
void tvmffi_object_delete_plain(void *self, int flags);

/*
 * The body of a deleter of objects that own other objects: destroy(self) gives up the contents,
 * and the block is freed when its weak references are gone. A deleter does nothing but this call,
 * with its own flags and its own address (a client may have put another in front of it).
 *
 * Inside destroy, contents are given up with tvmffi_object_release_nested. What it releases last
 * and is of this kind too waits in a list instead of being destroyed on top of the stack, so that
 * nesting costs no depth. Foreign deleters are called at once, and what they release in turn is
 * destroyed before they go on, as they expect; only at a depth that threatens the stack it waits.
 */
void tvmffi_object_delete_nested(void *self, int flags, tvmffi_deleter own,
                                 void (*destroy)(void *self), size_t prefix);
void tvmffi_object_release_nested(void *obj);

/* Out of line part of release. */
void tvmffi_object_release_last(TVMFFIObject *obj, uint64_t old_count);

static inline void tvmffi_object_retain(void *obj) {
  if (obj != NULL) {
    tvmffi_atomic_add_relaxed_u64(&((TVMFFIObject *)obj)->combined_ref_count, TVMFFI_STRONG_ONE);
  }
}

/* How many owners there are at the moment; others than the one who asks may come and go. */
static inline uint32_t tvmffi_object_use_count(const TVMFFIObject *obj) {
  return (uint32_t)tvmffi_atomic_load_acquire_u64(&obj->combined_ref_count);
}

static inline void tvmffi_object_release_inline(void *handle) {
  TVMFFIObject *obj = (TVMFFIObject *)handle;
  if (obj == NULL) return;
  /* The only owner of the only reference: nobody else can reach the object, so no locked write. */
  if (tvmffi_atomic_load_acquire_u64(&obj->combined_ref_count) == TVMFFI_BOTH_ONE) {
    if (TVMFFI_LIKELY(obj->deleter != NULL)) {
      obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
    }
    return;
  }
  {
    uint64_t old = tvmffi_atomic_sub_release_u64(&obj->combined_ref_count, TVMFFI_STRONG_ONE);
    if (TVMFFI_UNLIKELY((uint32_t)old == 1)) tvmffi_object_release_last(obj, old);
  }
}

static inline void tvmffi_object_release(void *handle) {
#if defined(__OPTIMIZE_SIZE__)
  (void)TVMFFIObjectDecRef(handle);
#else
  tvmffi_object_release_inline(handle);
#endif
}

#endif /* TVMFFI_CORE_OBJECT_H_ */
