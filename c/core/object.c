/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object.h"

#include <stdint.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/pointer_map.h"
#include "core/error.h"
#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/* ---- Counts, destruction ---- */

void *tvmffi_object_alloc(size_t size, size_t prefix, int32_t type_index, tvmffi_deleter deleter) {
  TVMFFIObject *obj;
  char *block;
  if (!tvmffi_checked_add_size(size, prefix, &size)) return NULL;
  block = tvmffi_alloc(size);
  if (block == NULL) return NULL;
  obj = (TVMFFIObject *)(void *)(block + prefix);
  obj->combined_ref_count = TVMFFI_BOTH_ONE;
  obj->type_index = type_index;
  obj->__padding = 0;
  obj->__ensure_align = 0; /* clear all eight bytes where pointers have four */
  obj->deleter = deleter;
  if (TVMFFI_UNLIKELY(tvmffi_live_is_enabled()) && !tvmffi_live_add(obj, type_index)) {
    tvmffi_free(block);
    return NULL;
  }
  return obj;
}

void *tvmffi_object_new(size_t size, int32_t type_index, tvmffi_deleter deleter) {
  void *obj = tvmffi_object_alloc(size, 0, type_index, deleter);
  if (TVMFFI_UNLIKELY(obj == NULL)) tvmffi_error_raise_memory();
  return obj;
}

void tvmffi_object_free(void *obj, size_t prefix) {
  if (TVMFFI_UNLIKELY(tvmffi_live_is_enabled())) tvmffi_live_remove(obj);
  tvmffi_free((char *)obj - prefix);
}

void tvmffi_object_delete_plain(void *self, int flags) {
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) tvmffi_object_free(self, 0);
}

/*
 * Objects that wait for destruction are linked through their deleter words. Meanwhile the padding
 * holds the deleter, as its distance from tvmffi_object_delete_plain in this library's code. The
 * counts stay in use: the list holds a weak reference to each object, others may hold more.
 * kDestroyNow is a private flag that tells our deleter that its object came off the list.
 */
enum { kDestroyNow = 4 };

/* How deeply the destruction of our objects may nest when foreign deleters are in between. */
enum { kMaxDepth = 64 };

static TVMFFIObject end_of_list;

/* False if another deleter is in front of ours: it would be called a second time. */
static bool push_waiting(TVMFFIObject *obj, int flags, tvmffi_deleter deleter) {
  intptr_t distance = (intptr_t)((uintptr_t)deleter - (uintptr_t)tvmffi_object_delete_plain);
  if (obj->deleter != deleter || distance != (int32_t)distance) return false;
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) {
    obj->combined_ref_count = TVMFFI_WEAK_ONE; /* ours is the only reference of any kind */
  } else {
    tvmffi_atomic_add_relaxed_u64(&obj->combined_ref_count, TVMFFI_WEAK_ONE);
  }
  obj->__padding = (uint32_t)distance;
  obj->__ensure_align = (intptr_t)tvmffi_thread.destroying;
  tvmffi_thread.destroying = obj;
  return true;
}

static TVMFFIObject *pop_waiting(void) {
  TVMFFIObject *obj = tvmffi_thread.destroying;
  intptr_t distance;
  if (obj == &end_of_list) return NULL;
  distance = (int32_t)obj->__padding;
  tvmffi_thread.destroying = (TVMFFIObject *)(intptr_t)obj->__ensure_align;
  obj->__ensure_align = 0;
  obj->deleter = (tvmffi_deleter)((uintptr_t)tvmffi_object_delete_plain + (uintptr_t)distance);
  obj->__padding = 0;
  return obj;
}

/* Releases the list's weak reference. */
static void release_waiting(TVMFFIObject *obj, size_t prefix) {
  uint64_t *count = &obj->combined_ref_count;
  if (tvmffi_atomic_load_acquire_u64(count) != TVMFFI_WEAK_ONE) {
    if (tvmffi_atomic_sub_release_u64(count, TVMFFI_WEAK_ONE) != TVMFFI_WEAK_ONE) return;
    tvmffi_fence_acquire_u64(count); /* GCOVR_EXCL_LINE: the last weak reference went just now */
  }
  tvmffi_object_free(obj, prefix);
}

void tvmffi_object_delete_nested(void *self, int flags, tvmffi_deleter deleter,
                                 void (*destroy)(void *self), size_t prefix) {
  TVMFFIObject *obj = self, *outer = tvmffi_thread.destroying;
  bool is_nested = tvmffi_thread.releasing == obj->deleter && outer != NULL;
  tvmffi_thread.releasing = NULL;
  if (flags == kTVMFFIObjectDeleterFlagBitMaskWeak) {
    tvmffi_object_free(obj, prefix);
    return;
  }
  if (flags & kDestroyNow) {
    destroy(obj);
    release_waiting(obj, prefix);
    return;
  }
  if ((is_nested || tvmffi_thread.depth >= kMaxDepth) && push_waiting(obj, flags, deleter)) return;
  tvmffi_thread.destroying = &end_of_list;
  ++tvmffi_thread.depth;
  destroy(obj);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) tvmffi_object_free(obj, prefix);
  while ((obj = pop_waiting()) != NULL) obj->deleter(obj, kDestroyNow);
  --tvmffi_thread.depth;
  tvmffi_thread.destroying = outer;
}

/*
 * Remembers the deleter, not the address: a foreign deleter may free the object, and a new one may
 * then be at that address.
 */
void tvmffi_object_release_nested(void *obj) {
  if (obj == NULL) return;
  tvmffi_thread.releasing = ((TVMFFIObject *)obj)->deleter;
  tvmffi_object_release(obj);
  tvmffi_thread.releasing = NULL;
}

void tvmffi_object_release_last(TVMFFIObject *obj, uint64_t old_count) {
  tvmffi_deleter deleter = obj->deleter;
  tvmffi_fence_acquire_u64(&obj->combined_ref_count);
  if (old_count == TVMFFI_BOTH_ONE) {
    if (deleter != NULL) deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
    return;
  }
  if (deleter != NULL) deleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
  if (tvmffi_atomic_sub_release_u64(&obj->combined_ref_count, TVMFFI_WEAK_ONE) == TVMFFI_WEAK_ONE) {
    tvmffi_fence_acquire_u64(&obj->combined_ref_count);
    if (deleter != NULL) deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  tvmffi_object_retain(obj);
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  tvmffi_object_release_inline(obj);
  return 0;
}

/* ---- Opaque objects ---- */

/* Objects that wrap a pointer of a frontend. */

typedef struct {
  TVMFFIObject header;
  TVMFFIOpaqueObjectCell cell;
  void (*deleter)(void *handle);
} opaque_object;

static void destroy_opaque(void *self) {
  opaque_object *opaque = self;
  TVMFFIObject *error;
  if (opaque->deleter == NULL) return;
  error = tvmffi_error_put_aside();
  opaque->deleter(opaque->cell.handle);
  tvmffi_error_put_back(error);
}

TVMFFI_DELETER(delete_opaque, destroy_opaque, 0);

int TVMFFIObjectCreateOpaque(void *handle, int32_t type_index, void (*deleter)(void *handle),
                             TVMFFIObjectHandle *out) {
  opaque_object *opaque;
  TVMFFI_REQUIRE(out);
  if (type_index != kTVMFFIOpaquePyObject) {
    return tvmffi_fail("RuntimeError", "Only kTVMFFIOpaquePyObject is supported for now");
  }
  opaque = tvmffi_object_new(sizeof *opaque, type_index, delete_opaque);
  if (opaque == NULL) return -1;
  opaque->cell.handle = handle;
  opaque->deleter = deleter;
  *out = opaque;
  return 0;
}

/* ---- The allocator that clients share ---- */

/*
 * The allocator that binaries built with 0.1.13 itself ask for in their inline code. This library
 * makes none of its own objects with it.
 */

/* In front of an object's body: the start of its block, then the header that the ABI requires. */
typedef struct {
  void *block;
  TVMFFIObjectAllocHeader header;
} body_prefix;

static void delete_space(void *body) {
  body_prefix prefix;
  memcpy(&prefix, (char *)body - sizeof prefix, sizeof prefix);
  tvmffi_free(prefix.block);
}

static void *allocate_body(size_t size, size_t alignment, int32_t type_index, void *context) {
  body_prefix prefix;
  char *block, *body;
  size_t bytes;
  (void)type_index;
  (void)context;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  if ((alignment & (alignment - 1)) != 0) {
    tvmffi_error_raisef("ValueError", "Alignment must be a power of two, got %zu", alignment);
    return NULL;
  }
  if (!tvmffi_checked_add_size(size, alignment - 1, &bytes) ||
      !tvmffi_checked_add_size(bytes, sizeof prefix, &bytes) ||
      (block = tvmffi_alloc(bytes)) == NULL) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  body = block + sizeof prefix;
  body += (alignment - ((uintptr_t)body & (alignment - 1))) & (alignment - 1);
  prefix.block = block;
  prefix.header.delete_space = delete_space;
  memcpy(body - sizeof prefix, &prefix, sizeof prefix);
  return body;
}

static TVMFFICustomAllocator default_allocator = {allocate_body, NULL};
static TVMFFICustomAllocator *current_allocator = &default_allocator;

TVMFFICustomAllocator *TVMFFIGetCustomAllocator(void) {
  return tvmffi_atomic_load_acquire_ptr(&current_allocator);
}

int TVMFFISetCustomAllocator(TVMFFICustomAllocator *allocator) {
  tvmffi_atomic_store_release_ptr(&current_allocator,
                                  allocator != NULL ? allocator : &default_allocator);
  return 0;
}

void tvmffi_custom_allocator_shutdown(void) {
  (void)TVMFFISetCustomAllocator(NULL);
}

/* ---- Live objects ---- */

int tvmffi_live_enabled;
static tvmffi_mutex live_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockLive, NULL);
static tvmffi_pointer_map objects; /* to their type indices */

TVMFFI_NOINLINE bool tvmffi_live_add(const void *obj, int32_t type_index) {
  bool added = true;
  tvmffi_mutex_lock(&live_mutex);
  if (tvmffi_live_enabled) {
    tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure(&objects, obj);
    added = entry != NULL;
    if (added) entry->value.number = (uint64_t)type_index;
  }
  tvmffi_mutex_unlock(&live_mutex);
  return added;
}

TVMFFI_NOINLINE void tvmffi_live_remove(const void *obj) {
  tvmffi_mutex_lock(&live_mutex);
  tvmffi_pointer_map_remove(&objects, obj);
  tvmffi_mutex_unlock(&live_mutex);
}

int TVMFFIRuntimeSetLiveObjectCounting(int enabled) {
  tvmffi_mutex_lock(&live_mutex);
  tvmffi_pointer_map_fini(&objects);
  tvmffi_atomic_store_relaxed_int(&tvmffi_live_enabled, enabled != 0);
  tvmffi_mutex_unlock(&live_mutex);
  return 0;
}

int64_t TVMFFIRuntimeGetLiveObjectCount(int32_t type_index) {
  int64_t count = 0;
  size_t i;
  tvmffi_mutex_lock(&live_mutex);
  for (i = 0; i < objects.capacity; ++i) {
    const tvmffi_pointer_entry *entry = &objects.slots[i];
    if (entry->key == NULL) continue;
    if (type_index == kTVMFFIAny || entry->value.number == (uint64_t)type_index) ++count;
  }
  tvmffi_mutex_unlock(&live_mutex);
  return count;
}

void tvmffi_live_shutdown(void) {
  (void)TVMFFIRuntimeSetLiveObjectCounting(0);
}

/* ---- The version ---- */

void TVMFFIGetVersion(TVMFFIVersion *out_version) {
  if (out_version == NULL) return;
  out_version->major = TVM_FFI_VERSION_MAJOR;
  out_version->minor = TVM_FFI_VERSION_MINOR;
  out_version->patch = TVM_FFI_VERSION_PATCH;
}
