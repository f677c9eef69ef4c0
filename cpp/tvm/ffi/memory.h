/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/memory.h
 * Creation of objects. Code of the creating library allocates an object, and its deleter there
 * frees it: that library must stay loaded as long as the object lives.
 */
#ifndef TVM_FFI_MEMORY_H_
#define TVM_FFI_MEMORY_H_

#include <tvm/ffi/object.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** NULL when memory runs out. */
TVM_FFI_LOCAL inline void *TryAllocAligned(size_t size, size_t alignment) {
  void *memory = nullptr;
#if defined(_WIN32)
  memory = _aligned_malloc(size, alignment);
#else
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(size);
  } else if (posix_memalign(&memory, alignment, size) != 0) {
    memory = nullptr;
  }
#endif
  return memory;
}
TVM_FFI_LOCAL inline void *AllocAligned(size_t size, size_t alignment) {
  void *memory = TryAllocAligned(size, alignment);
  if (memory == nullptr) {
#if TVM_FFI_HAS_EXCEPTIONS
    throw std::bad_alloc();
#else
    Throw("MemoryError", "out of memory");
#endif
  }
  return memory;
}

TVM_FFI_LOCAL_INLINE void FreeAligned(void *memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

template <typename T>
TVM_FFI_LOCAL void DeleteObject(void *header, int flags) {
  T *self = ObjectUnsafe::RawObjectPtrFromUnowned<T>(static_cast<TVMFFIObject *>(header));
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) self->T::~T();
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) FreeAligned(static_cast<void *>(self));
}

/** Frees the memory of an object whose constructor threw. */
struct TVM_FFI_TAGGED AllocGuard {
  void *memory;
  TVM_FFI_LOCAL ~AllocGuard() {
    if (memory != nullptr) FreeAligned(memory);
  }
};

/** The size of an object that is followed by extra bytes. */
template <typename T>
TVM_FFI_LOCAL constexpr size_t SizeWith(size_t extra) {
  return (sizeof(T) + extra + alignof(T) - 1) / alignof(T) * alignof(T);
}

/** @param memory From TryAllocAligned; freed if the constructor throws. */
template <typename T, typename... Args>
TVM_FFI_LOCAL ObjectPtr<T> MakeObjectIn(void *memory, Args &&...args) {
  AllocGuard guard{memory};
  T *self = ::new (guard.memory) T(static_cast<Args &&>(args)...);
  TVMFFIObject *header = ObjectUnsafe::GetHeader(self);
  guard.memory = nullptr;
  header->combined_ref_count = kBothOne;
  header->type_index = T::RuntimeTypeIndex();
  header->__padding = 0;
  header->__ensure_align = 0;
  header->deleter = DeleteObject<T>;
  return ObjectUnsafe::ObjectPtrFromOwned<T>(header);
}

template <typename T, typename... Args>
TVM_FFI_LOCAL ObjectPtr<T> MakeObject(size_t extra, Args &&...args) {
  static_assert(std::is_base_of_v<Object, T>,
                "make_object makes subclasses of Object: derive the class from tvm::ffi::Object, "
                "or use std::make_shared");
  return MakeObjectIn<T>(AllocAligned(SizeWith<T>(extra), alignof(T)),
                         static_cast<Args &&>(args)...);
}

}  // namespace detail

/** A new object; exceptions of its constructor are passed on. */
template <typename T, typename... Args>
TVM_FFI_LOCAL ObjectPtr<T> make_object(Args &&...args) {
  return detail::MakeObject<T>(0, static_cast<Args &&>(args)...);
}

/** The same as a pointer that is never null. Needs object_ptr.h. */
template <typename T, typename... Args>
TVM_FFI_LOCAL Arc<T> make_arc(Args &&...args) {
  return detail::ObjectUnsafe::ArcFromObjectPtr(make_object<T>(static_cast<Args &&>(args)...));
}

/** The same with room for num_elems of Elem after it, which are uninitialised. */
template <typename T, typename Elem, typename... Args>
TVM_FFI_LOCAL ObjectPtr<T> make_inplace_array_object(size_t num_elems, Args &&...args) {
  static_assert(alignof(T) % alignof(Elem) == 0 && sizeof(T) % alignof(Elem) == 0,
                "elements would not be aligned behind the object: add alignas(Elem) to its class");
  if (num_elems > (SIZE_MAX / 2 - sizeof(T)) / sizeof(Elem)) {
    detail::Throw("MemoryError", "an array of this size does not fit into memory");
  }
  return detail::MakeObject<T>(num_elems * sizeof(Elem), static_cast<Args &&>(args)...);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_MEMORY_H_
