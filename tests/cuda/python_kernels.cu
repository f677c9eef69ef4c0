/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that the scripts of on_gpu call from Python. nvcc compiles them for a GPU, a C++ compiler
 * for the CPU, on which the scripts can be tried where there is no GPU.
 */
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tensor_accessor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#ifdef __CUDACC__
#include <tvm/ffi/extra/cuda/device_guard.h>
#endif

namespace ffi = tvm::ffi;

namespace {

/* ---- body(0), ..., body(n - 1) on the device and the stream of a tensor ---- */

#ifdef __CUDACC__
constexpr DLDeviceType kDevice = kDLCUDA;
#define ON_DEVICE __device__

template <typename Body>
__global__ void Run(Body body, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}

template <typename Body>
void ForEach(DLDevice device, int64_t n, Body body, unsigned threads = 256) {
  if (n == 0) return;  // a launch of no blocks is an error
  const ffi::CUDADeviceGuard guard(device.device_id);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, device.device_id));
  Run<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(body, n);
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
}
#else
constexpr DLDeviceType kDevice = kDLCPU;
#define ON_DEVICE

template <typename Body>
void ForEach(DLDevice, int64_t n, Body body) {
  for (int64_t i = 0; i < n; ++i) body(i);
}
#endif

void CheckDevice(const ffi::TensorView &x) {
  TVM_FFI_CHECK(x.device().device_type == kDevice, ValueError) << "the tensor is on another device";
}

template <typename T>
T *Data(const ffi::TensorView &x) {
  return reinterpret_cast<T *>(static_cast<char *>(x.data_ptr()) + x.byte_offset());
}

void CheckFloats(const ffi::TensorView &x) {
  CheckDevice(x);
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << "x must be contiguous";
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError) << "x must be float32";
}

/* ---- What a call finds ---- */

/* The stream of the device of a tensor, as a number. */
int64_t GetStream(ffi::TensorView x) {
  return reinterpret_cast<intptr_t>(
      TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_stream, GetStream);

/* The same for a call without a tensor. */
int64_t GetStreamOf(int64_t device_id) {
  return reinterpret_cast<intptr_t>(TVMFFIEnvGetStream(kDevice, static_cast<int>(device_id)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_stream_of, GetStreamOf);

int64_t GetAddress(ffi::TensorView x) {
  return reinterpret_cast<intptr_t>(Data<char>(x));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_address, GetAddress);

DLDataType GetDType(ffi::TensorView x) {
  return x.dtype();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_dtype, GetDType);

/* ---- Results ---- */

struct TwiceBody {
  const float *x;
  float *y;
  ON_DEVICE void operator()(int64_t i) const { y[i] = 2 * x[i]; }
};

ffi::Tensor Twice(ffi::TensorView x) {
  CheckFloats(x);
  const ffi::Tensor y =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
  ForEach(x.device(), x.numel(), TwiceBody{Data<const float>(x), Data<float>(y)});
  return y;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);

/* The same as the columns of a matrix: x, x, each with a stride of 1. */
struct ColumnsBody {
  const float *x;
  float *y;
  int64_t n;
  ON_DEVICE void operator()(int64_t i) const { y[i] = y[n + i] = x[i]; }
};

ffi::Tensor Columns(ffi::TensorView x) {
  CheckFloats(x);
  const int64_t n = x.numel();
  const ffi::Tensor rows =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({2, n}), x.dtype(), x.device());
  ForEach(x.device(), n, ColumnsBody{Data<const float>(x), Data<float>(rows), n});
  return rows.as_strided({n, 2}, {1, n});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(columns, Columns);

/* n elements that nobody writes. */
ffi::Tensor Grow(ffi::TensorView x, int64_t n) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({n}), x.dtype(), x.device());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(grow, Grow);

ffi::Tensor Same(ffi::Tensor x) {
  return x;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, Same);

/* ---- Any dtype, any strides ---- */

struct CopyBody {
  const unsigned char *x;
  unsigned char *y;
  ON_DEVICE void operator()(int64_t i) const { y[i] = x[i]; }
};

/* Of a contiguous tensor, byte by byte. */
void Copy(ffi::TensorView x, ffi::TensorView y) {
  CheckDevice(x);
  CheckDevice(y);
  TVM_FFI_CHECK(x.dtype() == y.dtype(), TypeError) << x.dtype() << " and " << y.dtype();
  TVM_FFI_CHECK(x.IsContiguous() && y.IsContiguous() && x.numel() == y.numel(), ValueError)
      << "x and y must be contiguous and of one size";
  const int64_t bytes = x.numel() * ((x.dtype().bits * x.dtype().lanes + 7) / 8);
  ForEach(x.device(), bytes, CopyBody{Data<const unsigned char>(x), Data<unsigned char>(y)});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(copy, Copy);

struct GatherBody {
  ffi::TensorAccessor<const float, 2, kDevice> x;
  ffi::ContiguousAccessor<float, 2, kDevice> y;
  int64_t columns;
  ON_DEVICE void operator()(int64_t i) const {
    y(i / columns, i % columns) = x(i / columns, i % columns);
  }
};

/* Of a matrix with any strides. */
void Gather(ffi::TensorAccessor<const float, 2, kDevice> x,
            ffi::ContiguousAccessor<float, 2, kDevice> y) {
  TVM_FFI_CHECK(x.size(0) == y.size(0) && x.size(1) == y.size(1), ValueError)
      << "x and y must be of one shape";
  ForEach(x.device(), x.size(0) * x.size(1), GatherBody{x, y, x.size(1)});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gather, Gather);

/* ---- Errors ---- */

/* After a launch and an allocation. */
ffi::Tensor Fail(ffi::TensorView x) {
  const ffi::Tensor y = Twice(x);
  TVM_FFI_THROW(ValueError) << "on purpose, after a launch";
  return y;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail);

#ifdef __CUDACC__
/* No block has so many threads. */
void LaunchWrongly(ffi::TensorView x) {
  CheckFloats(x);
  ForEach(x.device(), x.numel(), TwiceBody{Data<const float>(x), Data<float>(x)}, 1u << 20);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_wrongly, LaunchWrongly);
#endif

/* ---- What a call costs ---- */

void Nothing(ffi::TensorView, ffi::TensorView, ffi::TensorView) {}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nothing, Nothing);

struct NothingBody {
  const float *x, *y;
  float *z;
  ON_DEVICE void operator()(int64_t) const {}
};

void LaunchNothing(ffi::TensorView x, ffi::TensorView y, ffi::TensorView z) {
  ForEach(x.device(), 1, NothingBody{Data<const float>(x), Data<const float>(y), Data<float>(z)});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_nothing, LaunchNothing);

}  // namespace
