/* SPDX-License-Identifier: Apache-2.0 */
/* The usual parts of a kernel library: tensors, checks, streams, outputs, and exports of up to 46
 * parameters. tensor.txt lists its imports. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdlib>
#include <vector>

namespace ffi = tvm::ffi;

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 1) << "x must be a vector";
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError) << "got " << x.dtype();
  TVM_FFI_CHECK(x.size(0) == y.size(0), ValueError) << x.size(0) << " and " << y.size(-1);
  for (int64_t i = 0; i < x.size(0); ++i) {
    static_cast<float *>(y.data_ptr())[i] = static_cast<const float *>(x.data_ptr())[i] + 1;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne)

int64_t Stream(DLDevice device) {
  return reinterpret_cast<intptr_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stream, Stream)

ffi::Tensor Empty(ffi::Array<int64_t> shape, DLDevice device) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc,
                                   ffi::ShapeView(extents.data(), extents.size()),
                                   DLDataType{kDLFloat, 32, 1}, device);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty, Empty)

struct OwnMemory {
  int64_t *freed;
  void AllocData(DLTensor *tensor, bool fail) {
    if (fail) TVM_FFI_THROW(MemoryError) << "of " << ffi::GetDataSize(*tensor) << " bytes";
    tensor->data = std::calloc(ffi::GetDataSize(*tensor), 1);
  }
  void FreeData(DLTensor *tensor) {
    std::free(tensor->data);
    ++*freed;
    throw 7;  // as a failed check of cudaFree may do
  }
};
ffi::Tensor Own(int64_t size, void *freed, bool fail) {
  return ffi::Tensor::FromNDAlloc(OwnMemory{static_cast<int64_t *>(freed)}, {size},
                                  DLDataType{kDLInt, 64, 1}, DLDevice{kDLCPU, 0}, fail);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own, Own)

#define P6(i)                                                                                    \
  ffi::TensorView a##i, ffi::TensorView b##i, int64_t c##i, ffi::Optional<ffi::TensorView> d##i, \
      double e##i, bool f##i
#define USE(i)                                                                      \
  (c##i + static_cast<int64_t>(e##i) + (f##i ? 1 : 0) + a##i.ndim() + b##i.ndim() + \
   (d##i.has_value() ? 1 : 0))
int64_t ManyParameters(P6(0), P6(1), P6(2), P6(3), P6(4), P6(5), P6(6), int64_t x, int64_t y,
                       int64_t z, int64_t w) {
  return USE(0) + USE(1) + USE(2) + USE(3) + USE(4) + USE(5) + USE(6) + x + y + z + w;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(many, ManyParameters)
