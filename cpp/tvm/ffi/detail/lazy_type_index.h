/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/lazy_type_index.h
 * Classes for types that the runtime registers itself.
 */
#ifndef TVM_FFI_DETAIL_LAZY_TYPE_INDEX_H_
#define TVM_FFI_DETAIL_LAZY_TYPE_INDEX_H_

#include <tvm/ffi/object.h>

/** @cond internal */
/**
 * The type's index is looked up when first needed. TVM_FFI_DECLARE_OBJECT_INFO would do so when the
 * library is loaded, even in libraries that include the header without using it.
 */
#define TVM_FFI_DETAIL_LAZY_TYPE(TypeKey, TypeName, ParentType)                               \
  TVM_FFI_LOCAL static constexpr const char *_type_key = TypeKey;                             \
  TVM_FFI_LOCAL static constexpr int32_t _type_depth = ParentType::_type_depth + 1;           \
  TVM_FFI_LOCAL static int32_t _GetOrAllocRuntimeTypeIndex() {                                \
    static const int32_t index = ::tvm::ffi::detail::RegisterType(                            \
        TypeKey, -1, TypeName::_type_depth, TypeName::_type_child_slots,                      \
        TypeName::_type_child_slots_can_overflow, ParentType::_GetOrAllocRuntimeTypeIndex()); \
    return index;                                                                             \
  }                                                                                           \
  TVM_FFI_LOCAL static int32_t RuntimeTypeIndex() {                                           \
    return _GetOrAllocRuntimeTypeIndex();                                                     \
  }                                                                                           \
  static_assert(true, "")
/** The same for a type that no other derives from. */
#define TVM_FFI_DETAIL_LAZY_TYPE_FINAL(TypeKey, TypeName, ParentType) \
  TVM_FFI_LOCAL static constexpr bool _type_final = true;             \
  TVM_FFI_LOCAL static constexpr int32_t _type_child_slots = 0;       \
  TVM_FFI_DETAIL_LAZY_TYPE(TypeKey, TypeName, ParentType)
/** @endcond */

#endif  // TVM_FFI_DETAIL_LAZY_TYPE_INDEX_H_
