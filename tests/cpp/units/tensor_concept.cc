/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of the document on tensors: the object behind a Tensor, a Tensor in a field, and
 * hand-written functions that read and make values. These functions are C99, and are tested as C in
 * test_dl_tensor_access.c; here they get values from C++. */
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include "../../modules/dl_tensor_access.h"

namespace ffi = tvm::ffi;

ffi::Tensor through_object(ffi::Tensor x) {
#ifdef UNITS_OF_THE_PACKAGE
  const ffi::TensorObj *object = x.as<ffi::TensorObj>(); /* its get() is protected */
#else
  const ffi::TensorObj *object = x.get();
#endif
  ffi::Tensor same = ffi::GetRef<ffi::Tensor>(object);
  TVM_FFI_ICHECK(same.same_as(x));
  TVM_FFI_ICHECK_EQ(same.use_count(), x.use_count());
  return same;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(through_object, through_object);

int64_t view_of_pointer(DLTensor *tensor) {
  ffi::TensorView view(tensor);
  return view.ndim() * 100 + view.numel();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view_of_pointer, view_of_pointer);

namespace {

class CacheObj : public ffi::Object {
 public:
  explicit CacheObj(ffi::Tensor kept) : tensor(kept) {}
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("units.Cache", CacheObj, ffi::Object);

  ffi::Tensor tensor;
};
class Cache : public ffi::ObjectRef {
 public:
  explicit Cache(ffi::Tensor tensor) { data_ = ffi::make_object<CacheObj>(std::move(tensor)); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Cache, ffi::ObjectRef, CacheObj);
};

}  // namespace

Cache keep(ffi::Tensor x) {
  return Cache(x);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep, keep);
ffi::Tensor kept(const Cache &cache) {
  return cache->tensor;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kept, kept);

/* ---- By hand ---- */

int64_t hand_numel(ffi::AnyView value) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  DLTensor *tensor = nullptr;
  TVM_FFI_CHECK_SAFE_CALL(ReadDLTensorPtr(&raw, &tensor));
  return ffi::TensorView(tensor).numel();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hand_numel, hand_numel);

/* The result is owned, the argument is borrowed. */
ffi::Any hand_owned(ffi::AnyView value) {
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  TVMFFIObjectHandle tensor = nullptr;
  TVMFFIAny owned;
  TVM_FFI_CHECK_SAFE_CALL(ReadBorrowedTensor(&raw, &tensor));
  TVM_FFI_CHECK_SAFE_CALL(TensorToOwned(tensor, &owned));
  return ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&owned);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hand_owned, hand_owned);

int64_t hand_views(ffi::Tensor x, ffi::Function count) {
  DLTensor copy = *x.GetDLTensorPtr();
  TVMFFIAny args[2];
  ffi::Any result;
  TVM_FFI_CHECK_SAFE_CALL(
      TensorToView(const_cast<ffi::TensorObj *>(x.as<ffi::TensorObj>()), &args[0]));
  TVM_FFI_CHECK_SAFE_CALL(DLTensorToView(&copy, &args[1]));
  count.CallPacked(reinterpret_cast<const ffi::AnyView *>(args), 2, &result);
  return result.cast<int64_t>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hand_views, hand_views);
void hand_nothing(bool object) {
  TVMFFIAny arg;
  TVM_FFI_CHECK_SAFE_CALL(object ? TensorToView(nullptr, &arg) : DLTensorToView(nullptr, &arg));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hand_nothing, hand_nothing);
