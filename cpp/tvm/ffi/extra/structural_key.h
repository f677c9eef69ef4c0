/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_key.h
 * A value as a key that is compared by its structure: in Map and Dict, and in containers of the
 * standard library. Its hash is computed once.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
#define TVM_FFI_EXTRA_STRUCTURAL_KEY_H_

#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(StructuralKey, "ffi.StructuralKey")

}  // namespace detail

/** A StructuralKey makes one by the runtime, which fills in both fields. */
class StructuralKeyObj : public Object {
 public:
  TVM_FFI_LOCAL_INLINE StructuralKeyObj() = default;
  /** Errors: those of StructuralHash::Hash. */
  TVM_FFI_LOCAL explicit StructuralKeyObj(Any key_)
      : key(std::move(key_)), hash_i64(static_cast<int64_t>(StructuralHash::Hash(key))) {}
  Any key;
  /** StructuralHash of the key. */
  int64_t hash_i64 = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.StructuralKey", StructuralKeyObj, Object);
};

class StructuralKey : public ObjectRef {
 public:
  /** Errors: those of StructuralHash::Hash. */
  TVM_FFI_LOCAL explicit StructuralKey(const Any &key)
      : ObjectRef(detail::CallGlobal(detail::GlobalStructuralKey(), key).cast<ObjectRef>()) {}
  TVM_FFI_LOCAL_INLINE ~StructuralKey() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralKey, ObjectRef, StructuralKeyObj);

  TVM_FFI_LOCAL bool operator==(const StructuralKey &other) const {
    return same_as(other) ||
           (get()->hash_i64 == other->hash_i64 && StructuralEqual::Equal(get()->key, other->key));
  }
  TVM_FFI_LOCAL bool operator!=(const StructuralKey &other) const { return !(*this == other); }
};

TVM_FFI_NAMESPACE_END

template <>
struct std::hash<::tvm::ffi::StructuralKey> {
  TVM_FFI_LOCAL_INLINE size_t operator()(const ::tvm::ffi::StructuralKey &key) const {
    return static_cast<size_t>(key->hash_i64);
  }
};

#endif  // TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
