/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are compiled without exceptions and without RTTI. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

ffi::Expected<int64_t> Half(int64_t x) {
  TVM_FFI_RET_CHECK(x % 2 == 0, ValueError) << x << " is odd";
  TVM_FFI_RET_CHECK_GE(x, 0, ValueError) << "negative";
  if (x == 100) return TVM_FFI_UNEXPECTED(KeyError) << "a hundred";
  return x / 2;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half, Half)

int64_t CallAndDouble(ffi::Function f, int64_t x) {
  const ffi::Expected<int64_t> result = f.CallExpected<int64_t>(x);
  return result.is_ok() ? 2 * result.value() : -1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_and_double, CallAndDouble)

void AddOne(ffi::TensorView x) {
  for (int64_t i = 0; i < x.numel(); ++i) static_cast<float *>(x.data_ptr())[i] += 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne)

int64_t LengthOr(ffi::Any value, int64_t fallback) {
  const auto text = value.try_cast<ffi::String>();
  return text ? static_cast<int64_t>(text->size()) : fallback;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(length_or, LengthOr)

/* Allocates with the caller's framework, which may have no allocator. */
ffi::Expected<ffi::Tensor> EmptyLike(ffi::TensorView x) {
  TVM_FFI_ASSIGN_OR_RETURN(
      ffi::Tensor y,
      ffi::Tensor::FromEnvAllocExpected(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device()));
  TVM_FFI_RET_CHECK(y.IsContiguous(), ValueError) << "strided";
  return y;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_like, EmptyLike)

ffi::Expected<int64_t> SumOf(ffi::Array<ffi::Any> items) {
  int64_t sum = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(items.size()); ++i) {
    TVM_FFI_ASSIGN_OR_RETURN(const ffi::Any item, items.at_expected(i));
    TVM_FFI_ASSIGN_OR_RETURN(const int64_t number, item.cast_expected<int64_t>());
    sum += number;
  }
  return sum;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_of, SumOf)

/* Takes any argument. A borrowed tensor must give an error and not end the process. */
ffi::Expected<ffi::Any> Keep(ffi::AnyView x) {
  TVM_FFI_ASSIGN_OR_RETURN(ffi::Any kept, x.cast_expected<ffi::Any>());
  return kept;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep, Keep)

ffi::Expected<int64_t> NumelOf(ffi::AnyView x) {
  const auto view = x.try_cast<ffi::TensorView>();
  TVM_FFI_RET_CHECK(view.has_value(), TypeError) << "no tensor";
  return view->numel();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(numel_of, NumelOf)

struct Heap {
  ffi::Expected<void> AllocData(DLTensor *tensor) {
    tensor->data = std::malloc(ffi::GetDataSize(*tensor));
    TVM_FFI_RET_CHECK(tensor->data != nullptr, MemoryError) << "the heap is full";
    return {};
  }
  void FreeData(DLTensor *tensor) { std::free(tensor->data); }
};
ffi::Expected<ffi::Tensor> BytesOnHeap(ffi::Shape shape) {
  return ffi::Tensor::FromNDAllocExpected(Heap(), shape, DLDataType{kDLUInt, 8, 1},
                                          DLDevice{kDLCPU, 0});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bytes_on_heap, BytesOnHeap)

/* The caller must pass an i that is in range: at() can only throw. */
int64_t SizeAt(ffi::Shape shape, int64_t i) {
  return shape.at(static_cast<size_t>(i));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_at, SizeAt)
