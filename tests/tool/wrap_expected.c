/* Made by tvm-ffi wrap. */
#include <limits.h>
#include <tvm/ffi/c.h>

void softmax_f32(float *y, const float *x, int n, int m);

/* Reads a tensor of that dtype and rank in the memory of the CPU. The checks of c/args.h are called
 * to raise their errors only. */
static int wrap_read_strided(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                             DLTensor **out) {
  const DLTensor *tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  tensor = *out;
  if (!tvm_ffi_dtype_equal(tensor->dtype, dtype)) return tvm_ffi_args_check_dtype(args, i, dtype);
  if (tensor->device.device_type != kDLCPU) return tvm_ffi_args_check_device(args, i, kDLCPU);
  if (tensor->ndim != ndim) return tvm_ffi_args_check_ndim(args, i, ndim);
  if (tensor->data == NULL && tvm_ffi_tensor_get_numel(tensor) != 0) {
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                              "must have data, but its address is NULL");
  }
  if (!tvm_ffi_tensor_is_aligned(tensor, dtype.bits / 8u)) {
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                              "must begin at a multiple of %d bytes, but does not", dtype.bits / 8);
  }
  return 0;
}

/* The same for a tensor that must be contiguous. */
static int wrap_read_tensor(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                            DLTensor **out) {
  TVM_FFI_C_TRY(wrap_read_strided(args, i, dtype, ndim, out));
  return tvm_ffi_args_check_contiguous(args, i);
}

/* An output must not be memory that its owner shares for reading only. */
static int wrap_check_writable(const tvm_ffi_args *args, int32_t i) {
  DLManagedTensorVersioned *shared = NULL;
  TVMFFIObjectHandle tensor;
  bool is_read_only;
  if (!tvm_ffi_any_try_object(args->args + i, kTVMFFITensor, &tensor)) {
    return 0; /* a DLTensor has no flags */
  }
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(tensor, &shared));
  is_read_only = (shared->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  shared->deleter(shared);
  if (!is_read_only) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be writable, but is read-only");
}

/* An extent must fit the integer that the function takes. */
static int wrap_check_extent(const tvm_ffi_args *args, int32_t i, const char *name, int64_t value,
                             int64_t high) {
  if (value <= high) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must have %s up to %lld, but has %lld",
                            name, (long long)high, (long long)value);
}

TVM_FFI_C_EXPORT(softmax, "(0: float y[n][m], 1: const float x[n][m]) -> void") {
  DLTensor *y, *x;
  int64_t n, m;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(wrap_read_tensor(args, 0, TVM_FFI_C_FLOAT32, 2, &y));
  n = y->shape[0];
  m = y->shape[1];
  TVM_FFI_C_TRY(wrap_check_writable(args, 0));
  TVM_FFI_C_TRY(wrap_read_tensor(args, 1, TVM_FFI_C_FLOAT32, 2, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 0, n));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 1, m));
  TVM_FFI_C_TRY(wrap_check_extent(args, 0, "n", n, INT_MAX));
  TVM_FFI_C_TRY(wrap_check_extent(args, 0, "m", m, INT_MAX));
  softmax_f32(tvm_ffi_tensor_get_data(y), tvm_ffi_tensor_get_data(x), (int)n, (int)m);
  return 0;
}
TVM_FFI_C_EXPORT_SCHEMA(softmax, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_PARAM("y", "DLTensor*") "," TVM_FFI_C_PARAM("x", "DLTensor*"));
TVM_FFI_C_EXPORT_DOC(softmax, "Softmax of each row.");
