/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes that C++ clients pass and catch: their layouts, and their names, which are part of
 * the mangled names of functions. They are in tvm::ffi itself, without the inline namespace of the
 * C++ layer. Exceptions are matched by the names of their types, so a client's Error and this one
 * are the same type.
 */
#ifndef TVMFFI_CXX_CLASSES_H_
#define TVMFFI_CXX_CLASSES_H_

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

#include "platform/atomic.h"

/* Marks what the library with C++ functions exports; not needed in the helper library. */
#ifdef TVMFFI_CXX_EXPORTS
#define TVMFFI_CXX_EXPORT __attribute__((visibility("default")))
#else
#define TVMFFI_CXX_EXPORT
#endif

namespace tvm {
namespace ffi {

/* A counted reference to an object, or NULL. */
class ObjectRef {
 public:
  explicit ObjectRef(TVMFFIObject *taken) : obj_(taken) {}
  ObjectRef(const ObjectRef &source) : obj_(source.Share()) {}
  ObjectRef &operator=(const ObjectRef &) = delete;
  ~ObjectRef() { Release(obj_); }

  TVMFFIObject *get() const { return obj_; }

  /* Another reference to the object. */
  TVMFFIObject *Share() const {
    if (obj_ != nullptr) tvmffi_atomic_add_relaxed_u64(&obj_->combined_ref_count, 1);
    return obj_;
  }

  /*
   * Releases a reference; NULL is allowed. Calls no function of the runtime, which the helper
   * library does not link.
   */
  static void Release(TVMFFIObject *obj) {
    constexpr std::uint64_t kStrong = 0xffffffff, kWeakOne = kStrong + 1;
    if (obj == nullptr) return;
    std::uint64_t *count = &obj->combined_ref_count;
    std::uint64_t old = tvmffi_atomic_sub_release_u64(count, 1);
    if ((old & kStrong) != 1 || obj->deleter == nullptr) return;
    tvmffi_fence_acquire_u64(count);
    if (old == kWeakOne + 1) {
      obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
      return;
    }
    obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
    old = tvmffi_atomic_sub_release_u64(count, kWeakOne);
    if (old != kWeakOne) return;
    tvmffi_fence_acquire_u64(count);
    obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }

 private:
  TVMFFIObject *obj_;
};

/* The exception class. The library with C++ functions exports its type_info and virtual table. */
class TVMFFI_CXX_EXPORT Error : public ObjectRef, public std::exception {
 public:
  explicit Error(TVMFFIObject *taken) : ObjectRef(taken) {}
  const char *what() const noexcept override { return TVMFFIErrorGetCellPtr(get())->message.data; }
};

static_assert(sizeof(Error) == 2 * sizeof(void *), "an exception of other C++ code is no larger");

/*
 * An owned value. Like all classes here it has a destructor; so the C++ ABI returns it in memory of
 * the caller, as clients expect.
 */
class Any {
 public:
  explicit Any(const TVMFFIAny &taken) : any_(taken) {}
  Any(Any &&source) noexcept : any_(source.any_) { source.any_ = TVMFFIAny(); }
  Any &operator=(const Any &) = delete;
  ~Any() { Release(); }

  const TVMFFIAny *get() const { return &any_; }

  void Reset(const TVMFFIAny &taken) {
    Release();
    any_ = taken;
  }

 private:
  void Release() {
    if (any_.type_index >= kTVMFFIStaticObjectBegin) ObjectRef::Release(any_.v_obj);
  }

  TVMFFIAny any_;
};

/* A text: an Any that is a SmallStr or a Str. */
class String : public Any {
 public:
  using Any::Any;
};

/*
 * A number or text that may be absent: an Any, which is None if it is. (An Optional of an object is
 * laid out as an ObjectRef, and the functions here return it as one.)
 */
template <typename T, typename = void>
class Optional : public Any {
 public:
  using Any::Any;
};

/* A reference to a Function. */
template <typename Signature>
class TypedFunction : public ObjectRef {};

}  // namespace ffi
}  // namespace tvm

#endif /* TVMFFI_CXX_CLASSES_H_ */
