/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/serialization.h
 * Values and everything they hold as a JSON value, and back; shared objects stay shared.
 */
#ifndef TVM_FFI_EXTRA_SERIALIZATION_H_
#define TVM_FFI_EXTRA_SERIALIZATION_H_

#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/reflection/attr_key.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(ToJsonGraph, "ffi.ToJSONGraph")
TVM_FFI_DETAIL_GLOBAL(FromJsonGraph, "ffi.FromJSONGraph")

}  // namespace detail

namespace type_attr {
/** Convert an object to data that replaces its fields in JSON, and such data to an object. */
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<Any(AnyView)>> kDataToJson{"__data_to_json__"};
TVM_FFI_LOCAL inline constexpr AttrKey<TypedFunction<Any(AnyView)>> kDataFromJson{
    "__data_from_json__"};
}  // namespace type_attr

/** @param metadata Any value to be stored with the graph; None stores nothing. */
TVM_FFI_LOCAL inline json::Value ToJSONGraph(const Any &value, const Any &metadata = Any(nullptr)) {
  return detail::CallGlobal(detail::GlobalToJsonGraph(), value, metadata);
}
/** Errors: ValueError (not such a graph), TypeError (a type that this process does not know). */
TVM_FFI_LOCAL inline Any FromJSONGraph(const json::Value &graph) {
  return detail::CallGlobal(detail::GlobalFromJsonGraph(), graph);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_SERIALIZATION_H_
