/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that have to allocate: for an output whose shape depends on data, and with memory of
 * their own. All others let the caller pass the output. */
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdlib>

#include "nvshmem.h"

namespace ffi = tvm::ffi;

namespace my_kernels {

/* ---- With the caller's allocator ---- */

/* The indices of the elements above a limit (without one, of those that are not 0), one per row. */
ffi::Tensor Nonzero(ffi::TensorView x, ffi::Optional<double> limit) {
  constexpr DLDataType kFloat32 = {kDLFloat, 32, 1}, kInt64 = {kDLInt, 64, 1};
  TVM_FFI_CHECK(x.ndim() == 2, ValueError) << "x must be a matrix, got ndim " << x.ndim();
  TVM_FFI_CHECK(x.dtype() == kFloat32, TypeError) << "x must be float32, not " << x.dtype();
  TVM_FFI_CHECK(x.device().device_type == kDLCPU, ValueError) << "x must be on the CPU";
  const float *data = static_cast<const float *>(x.data_ptr());
  const auto counts = [&](int64_t row, int64_t column) {
    const double value = static_cast<double>(data[row * x.stride(0) + column * x.stride(1)]);
    return limit.has_value() ? value > limit.value() : value != 0;
  };
  int64_t count = 0, position = 0;
  for (int64_t row = 0; row < x.size(0); ++row) {
    for (int64_t column = 0; column < x.size(1); ++column) count += counts(row, column);
  }

  // Written as two rows and returned as two columns, without a copy: the framework allocates it,
  // as_strided shows it the other way round and keeps it alive.
  const ffi::Tensor rows =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({2, count}), kInt64, x.device());
  int64_t *out = static_cast<int64_t *>(rows.data_ptr());
  for (int64_t row = 0; row < x.size(0); ++row) {
    for (int64_t column = 0; column < x.size(1); ++column) {
      if (!counts(row, column)) continue;
      out[position] = row;
      out[count + position++] = column;
    }
  }
  return rows.as_strided({count, 2}, {1, count});
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(nonzero, Nonzero);

/* ---- With an allocator of the library ---- */

/* FreeData is code of this library, which must stay loaded as long as such a tensor lives. */
struct CPUAlloc {
  void AllocData(DLTensor *tensor, int64_t alignment) {
    const size_t unit = static_cast<size_t>(alignment);
    const size_t size = (ffi::GetDataSize(*tensor) + unit - 1) / unit * unit;
    tensor->data = std::aligned_alloc(unit, size);
    TVM_FFI_CHECK(tensor->data != nullptr || size == 0, MemoryError) << size << " bytes";
  }
  void FreeData(DLTensor *tensor) { std::free(tensor->data); }
};

ffi::Tensor Aligned(ffi::Shape shape, DLDataType dtype, int64_t alignment) {
  TVM_FFI_CHECK(alignment >= 16 && (alignment & (alignment - 1)) == 0, ValueError)
      << "alignment must be a power of two from 16 on, got " << alignment;
  return ffi::Tensor::FromNDAlloc(CPUAlloc(), shape, dtype, DLDevice{kDLCPU, 0}, alignment);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(aligned, Aligned);

/* Memory that other processes of the job write to. All of them must allocate and free in the same
 * order, so such a tensor has to die at a defined point of the program, not when a cache is
 * full. */
struct NVSHMEMAlloc {
  void AllocData(DLTensor *tensor) {
    const size_t size = ffi::GetDataSize(*tensor);
    tensor->data = nvshmem_malloc(size);
    TVM_FFI_CHECK(tensor->data != nullptr || size == 0, MemoryError)
        << size << " bytes of the symmetric heap";
  }
  void FreeData(DLTensor *tensor) { nvshmem_free(tensor->data); }
};

ffi::Tensor Symmetric(ffi::Shape shape, DLDataType dtype, DLDevice device) {
  return ffi::Tensor::FromNDAlloc(NVSHMEMAlloc(), shape, dtype, device);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(symmetric, Symmetric);

}  // namespace my_kernels
