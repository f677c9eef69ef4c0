/* SPDX-License-Identifier: Apache-2.0 */
/* A library with JSON, graphs, structural keys, repr and order. extra.txt lists its imports, which
 * are few because the runtime's functions for all of these are looked up by name. */
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

ffi::String Show(const ffi::String &json) {
  ffi::String message;
  const ffi::json::Value value = ffi::json::Parse(json, &message);
  return message.empty() ? ffi::ReprPrint(ffi::DeepCopy(value)) : message;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(show, Show)

bool Alike(const ffi::Any &a, const ffi::Any &b) {
  return ffi::StructuralKey(a) == ffi::StructuralKey(b) || ffi::RecursiveEq(a, b);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(alike, Alike)

ffi::Any Through(const ffi::Any &value) {
  return ffi::FromJSONGraph(ffi::ToJSONGraph(value));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(through, Through)
