/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_equal.h
 * Whether two values have the same structure.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
#define TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_

#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/attr_key.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(StructuralEqual, "ffi.StructuralEqual")
TVM_FFI_DETAIL_GLOBAL(FirstMismatch, "ffi.GetFirstStructuralMismatch")

}  // namespace detail

namespace type_attr {
/** Whether two objects have the same structure. The function argument compares values in them; its
 * arguments are the values, the kind of definition region, and the name of the field. */
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<bool(
    const Object *, const Object *, const TypedFunction<bool(AnyView, AnyView, int, AnyView)> &)>>
    kSEqual{"__s_equal__"};
}  // namespace type_attr

/** Can also be the equality of a standard library container, together with StructuralHash. */
class StructuralEqual {
 public:
  /**
   * @param map_free_vars       Variables that nothing defines may be mapped to each other.
   * @param skip_tensor_content Tensors are compared by shape and type only.
   * Errors: TypeError (an unsupported type), InternalError (tensor data that is not on the CPU).
   */
  TVM_FFI_LOCAL static bool Equal(const Any &lhs, const Any &rhs, bool map_free_vars = false,
                                  bool skip_tensor_content = false) {
    return detail::CallGlobal(detail::GlobalStructuralEqual(), lhs, rhs, map_free_vars,
                              skip_tensor_content)
        .cast<bool>();
  }
  /** Where they first differ; absent when they are equal. */
  TVM_FFI_LOCAL static Optional<reflection::AccessPathPair> GetFirstMismatch(
      const Any &lhs, const Any &rhs, bool map_free_vars = false,
      bool skip_tensor_content = false) {
    return detail::CallGlobal(detail::GlobalFirstMismatch(), lhs, rhs, map_free_vars,
                              skip_tensor_content)
        .cast<Optional<reflection::AccessPathPair>>();
  }
  TVM_FFI_LOCAL bool operator()(const Any &lhs, const Any &rhs) const { return Equal(lhs, rhs); }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
