/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_hash.h
 * A hash that is equal for values of the same structure. It differs between runtimes.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
#define TVM_FFI_EXTRA_STRUCTURAL_HASH_H_

#include <tvm/ffi/detail/global.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/reflection/attr_key.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(StructuralHash, "ffi.StructuralHash")

}  // namespace detail

namespace type_attr {
/** The structural hash of an object. The function argument continues a hash with a value in the
 * object; its arguments are the value, the hash so far, and the kind of definition region. */
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<int64_t(
    const Object *, int64_t, const TypedFunction<int64_t(AnyView, int64_t, int)> &)>>
    kSHash{"__s_hash__"};
}  // namespace type_attr

class StructuralHash {
 public:
  /** Flags and errors as for StructuralEqual::Equal. */
  TVM_FFI_LOCAL static uint64_t Hash(const Any &value, bool map_free_vars = false,
                                     bool skip_tensor_content = false) {
    return static_cast<uint64_t>(detail::CallGlobal(detail::GlobalStructuralHash(), value,
                                                    map_free_vars, skip_tensor_content)
                                     .cast<int64_t>());
  }
  TVM_FFI_LOCAL uint64_t operator()(const Any &value) const { return Hash(value); }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
