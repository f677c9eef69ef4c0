/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of the guide for authors of kernel libraries, on the CPU: check, get the stream,
 * dispatch, compute; allocate if the shape depends on data; export under another name. */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

#define CHECK_CPU(x) \
  TVM_FFI_CHECK((x).device().device_type == kDLCPU, ValueError) << #x " must be a CPU tensor"
#define CHECK_CONTIGUOUS(x) \
  TVM_FFI_CHECK((x).IsContiguous(), ValueError) << #x " must be contiguous"
#define CHECK_INPUT(x)   \
  do {                   \
    CHECK_CPU(x);        \
    CHECK_CONTIGUOUS(x); \
  } while (0)
#define CHECK_DIM(x, dim) \
  TVM_FFI_CHECK((x).ndim() == (dim), ValueError) << #x " must be a " #dim "D tensor"
#define CHECK_DEVICE(a, b)                                                          \
  do {                                                                              \
    TVM_FFI_CHECK((a).device().device_type == (b).device().device_type, ValueError) \
        << #a " and " #b " must be on the same device type";                        \
    TVM_FFI_CHECK((a).device().device_id == (b).device().device_id, ValueError)     \
        << #a " and " #b " must be on the same device";                             \
  } while (0)

/* Declared like cudaStream_t. */
typedef struct UnitStream *unitStream_t;

constexpr DLDataType kFloat32 = DLDataType{kDLFloat, 32, 1};
constexpr DLDataType kFloat64 = DLDataType{kDLFloat, 64, 1};
constexpr DLDataType kBfloat16 = DLDataType{kDLBfloat, 16, 1};

inline unitStream_t get_stream(DLDevice device) {
  return static_cast<unitStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}

template <typename T>
void scale_loop(const T *x, T *y, double factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(x[i]) * factor);
}

void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  CHECK_INPUT(x);
  CHECK_INPUT(y);
  CHECK_DIM(x, 1);
  CHECK_DIM(y, 1);
  CHECK_DEVICE(x, y);
  TVM_FFI_CHECK(x.dtype() == y.dtype(), TypeError)
      << "x and y differ: " << x.dtype() << " and " << y.dtype();
  TVM_FFI_ICHECK_EQ(x.size(0), y.size(0)) << "x and y differ in size";
  if (x.dtype() == kFloat32) {
    scale_loop(static_cast<const float *>(x.data_ptr()), static_cast<float *>(y.data_ptr()), factor,
               x.numel());
  } else if (x.dtype() == kFloat64) {
    scale_loop(static_cast<const double *>(x.data_ptr()), static_cast<double *>(y.data_ptr()),
               factor, x.numel());
  } else if (x.dtype() == kBfloat16) {
    TVM_FFI_THROW(NotImplementedError) << "no scaling of " << kBfloat16 << " yet";
  } else {
    TVM_FFI_THROW(TypeError) << "Unsupported dtype: " << x.dtype();
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_by, scale);

/* The exported name is the function's own, which the macro must accept. */
int64_t func(ffi::TensorView x) {
  return reinterpret_cast<intptr_t>(get_stream(x.device())) +
         (get_stream(x.device()) == reinterpret_cast<unitStream_t>(TVMFFIEnvGetStream(
                                        x.device().device_type, x.device().device_id))
              ? 1
              : 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(func, func);

/* Arguments that may be None. */
double weigh(ffi::TensorView x, ffi::Optional<ffi::TensorView> weight,
             ffi::Optional<ffi::Tensor> bias, ffi::Optional<double> factor) {
  double sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    double value = static_cast<double>(static_cast<float *>(x.data_ptr())[i]);
    if (weight.has_value()) {
      value *= static_cast<double>(static_cast<float *>(weight.value().data_ptr())[i]);
    }
    sum += value;
  }
  if (bias.has_value()) sum += static_cast<double>(bias.value().numel());
  return sum * factor.value_or(1.0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(weigh, weigh);

/* The shape of the output depends on data, so the framework allocates it. */
ffi::Tensor select_positive(ffi::TensorView x) {
  CHECK_INPUT(x);
  const float *data = static_cast<const float *>(x.data_ptr());
  const int64_t count = std::count_if(data, data + x.numel(), [](float v) { return v > 2; });
  const ffi::Shape shape = {count};
#ifdef UNITS_OF_THE_PACKAGE
  const DLDevice device = x.device();
#else
  const ffi::DLDevice device = x.device(); /* as documents write it */
#endif
  ffi::Tensor out = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, x.dtype(), device);
  std::copy_if(data, data + x.numel(), static_cast<float *>(out.data_ptr()),
               [](float v) { return v > 2; });
  return out;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(select_positive, select_positive);

/* A custom allocator, with checks in both functions. */
struct CPUAllocator {
  void AllocData(DLTensor *tensor) {
    tensor->data = malloc(ffi::GetDataSize(*tensor) + 1);
    TVM_FFI_ICHECK_NE(tensor->data, nullptr) << "no memory";
    memset(tensor->data, 0, ffi::GetDataSize(*tensor));
  }
  void FreeData(DLTensor *tensor) {
    TVM_FFI_ICHECK_NE(tensor->data, nullptr);
    free(tensor->data);
    tensor->data = nullptr;
  }
};
/* Like the symmetric heap that several devices share, which has a limited size. */
struct SymmetricAllocator {
  void AllocData(DLTensor *tensor, int64_t limit) {
    const size_t size = ffi::GetDataSize(*tensor);
    TVM_FFI_CHECK(static_cast<int64_t>(size) <= limit, MemoryError)
        << "only " << limit << " bytes, not " << size;
    tensor->data = calloc(size + 1, 1);
    TVM_FFI_ICHECK_NE(tensor->data, nullptr);
  }
  void FreeData(DLTensor *tensor) { free(tensor->data); }
};
ffi::Tensor zeros(ffi::Shape shape, DLDataType dtype) {
  return ffi::Tensor::FromNDAlloc(CPUAllocator(), shape, dtype, DLDevice{kDLCPU, 0});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(zeros, zeros);
ffi::Tensor symmetric(ffi::Shape shape, int64_t limit) {
  return ffi::Tensor::FromNDAlloc(SymmetricAllocator(), shape, kFloat32, DLDevice{kDLCPU, 0},
                                  limit);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(symmetric, symmetric);

/* A strided result: a view of memory that the framework allocated. */
ffi::Tensor transposed(int64_t rows, int64_t columns) {
  ffi::Tensor whole = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {rows, columns}, kFloat32,
                                                DLDevice{kDLCPU, 0});
  for (int64_t i = 0; i < whole.numel(); ++i) {
    static_cast<float *>(whole.data_ptr())[i] = static_cast<float>(i);
  }
  return whole.as_strided({columns, rows}, {1, columns});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(transposed, transposed);
