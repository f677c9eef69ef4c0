/* SPDX-License-Identifier: Apache-2.0 */
/* Making, counting and destroying objects. */
#ifndef TVMFFI_CORE_OBJECT_H_
#define TVMFFI_CORE_OBJECT_H_

#include <stdbool.h>
#include <stdint.h>
#include <tvm/ffi/c_api.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

/* ---- Objects ---- */

#define TVMFFI_STRONG_ONE UINT64_C(1)
#define TVMFFI_WEAK_ONE (UINT64_C(1) << 32)
/* One strong reference, and the weak reference that all strong ones hold together. */
#define TVMFFI_BOTH_ONE (TVMFFI_STRONG_ONE | TVMFFI_WEAK_ONE)

typedef void (*tvmffi_deleter)(void *self, int flags);

/*
 * A new object of size bytes (header included) with its header filled in and one reference; the
 * body is not initialised. NULL if out of memory: _alloc raises nothing, _new raises MemoryError.
 * prefix is the number of bytes to reserve in front of the header (0 except for modules).
 */
void *tvmffi_object_alloc(size_t size, size_t prefix, int32_t type_index, tvmffi_deleter deleter);
void *tvmffi_object_new(size_t size, int32_t type_index, tvmffi_deleter deleter);

/* Frees the memory of an object of this library; for deleters and for failed constructors. */
void tvmffi_object_free(void *obj, size_t prefix);

/* The deleter of objects that own nothing but their block of memory. */
void tvmffi_object_delete_plain(void *self, int flags);

/*
 * The body of a deleter for objects that own other objects: destroy(self) releases the contents,
 * and the block is freed when its weak references are gone. A deleter does nothing but call this,
 * with its own flags and its own address (a client may have put another deleter in front of it).
 *
 * destroy releases the contents with tvmffi_object_release_nested. If that was the last reference
 * to an object with such a deleter, the object is put on a list of the thread instead of being
 * destroyed recursively, so that nested objects need no more stack. Foreign deleters are called at
 * once, and what they release in turn is destroyed before they go on, as they expect; only beyond a
 * depth that threatens the stack it is put on the list, too.
 */
void tvmffi_object_delete_nested(void *self, int flags, tvmffi_deleter deleter,
                                 void (*destroy)(void *self), size_t prefix);
/* Defines such a deleter; `prefix` bytes lie before the object in its block. */
#define TVMFFI_DELETER(name, destroy, prefix)                        \
  static void name(void *self, int flags) {                          \
    tvmffi_object_delete_nested(self, flags, name, destroy, prefix); \
  }                                                                  \
  static void name(void *self, int flags)
void tvmffi_object_release_nested(void *obj);

/* The out-of-line part of release. */
void tvmffi_object_release_last(TVMFFIObject *obj, uint64_t old_count);

static inline void tvmffi_object_retain(void *obj) {
  if (obj != NULL) {
    tvmffi_atomic_add_relaxed_u64(&((TVMFFIObject *)obj)->combined_ref_count, TVMFFI_STRONG_ONE);
  }
}

/* The number of strong references at the moment; those of other owners may come and go. */
static inline uint32_t tvmffi_object_use_count(const TVMFFIObject *obj) {
  return (uint32_t)tvmffi_atomic_load_acquire_u64(&obj->combined_ref_count);
}

/*
 * Whether the caller's reference is the only one, weak ones included: through a weak one another
 * thread could get at the object that the caller is about to change.
 */
static inline bool tvmffi_object_is_unique(const TVMFFIObject *obj) {
  return tvmffi_atomic_load_acquire_u64(&obj->combined_ref_count) == TVMFFI_BOTH_ONE;
}

static inline void tvmffi_object_release_inline(void *handle) {
  TVMFFIObject *obj = (TVMFFIObject *)handle;
  if (obj == NULL) return;
  /*
   * There is one reference and it is the caller's: no other thread can reach the object, so no
   * atomic write is needed.
   */
  if (tvmffi_object_is_unique(obj)) {
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

/* ---- Live objects ---- */

/* The set of live objects, kept only while TVMFFIRuntimeSetLiveObjectCounting is on. */

extern int tvmffi_live_enabled;

static inline bool tvmffi_live_is_enabled(void) {
  return tvmffi_atomic_load_relaxed_int(&tvmffi_live_enabled) != 0;
}

/* False if out of memory. */
bool tvmffi_live_add(const void *obj, int32_t type_index);
/* Ignores objects that are not in the set: they were made before counting was switched on. */
void tvmffi_live_remove(const void *obj);
void tvmffi_live_shutdown(void);

/* ---- The allocator that clients share ---- */

/* Restores the default allocator. */
void tvmffi_custom_allocator_shutdown(void);

#endif /* TVMFFI_CORE_OBJECT_H_ */
