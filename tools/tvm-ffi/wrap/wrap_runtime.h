/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap writes, as far as used. A function uses those above it. */

/* What the kernels assume, checked at compile time. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define WRAP_ASSERT(holds, name, message) _Static_assert(holds, message)
#else
#define WRAP_ASSERT(holds, name, message) extern char name[(holds) ? 1 : -1]
#endif

/* The elements must be there, and be aligned. */
static int wrap_check_memory(const tvm_ffi_args *args, int32_t i, DLDataType dtype,
                             const DLTensor *tensor) {
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

/* Reads a contiguous tensor of that dtype and rank in the memory of the CPU. */
static int wrap_read_tensor(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                            DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, i));
  return wrap_check_memory(args, i, dtype, *out);
}

/* The same with any strides. */
static int wrap_read_strided(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                             DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  return wrap_check_memory(args, i, dtype, *out);
}

/* An output must not be memory that its owner shares for reading only. */
static int wrap_check_writable(const tvm_ffi_args *args, int32_t i) {
  DLManagedTensorVersioned *shared = NULL;
  bool is_read_only;
  if (args->args[i].type_index != kTVMFFITensor) return 0; /* a DLTensor has no flags */
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(args->args[i].v_obj, &shared));
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

/* A stride must fit the integer that the function takes. */
static int wrap_check_range(const tvm_ffi_args *args, int32_t i, const char *name, int64_t value,
                            int64_t low, int64_t high) {
  if (value >= low && value <= high) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have %s from %lld to %lld, but has %lld", name, (long long)low,
                            (long long)high, (long long)value);
}

/* A stride does not matter for a single element. */
static int wrap_check_stride(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor,
                             int32_t dim, int64_t expected) {
  int64_t stride;
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(tensor, dim, &stride));
  if (stride == expected || tensor->shape[dim] <= 1) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have stride %lld in dimension %d, but has %lld",
                            (long long)expected, (int)dim, (long long)stride);
}

/* A work array; NULL with the error raised. */
static void *wrap_allocate(size_t size, int32_t ndim, const int64_t *shape) {
  const int64_t count = tvm_ffi_shape_get_numel(shape, ndim);
  char text[128];
  void *memory;
  if (count < 0 || (uint64_t)count > SIZE_MAX / size) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                        "A work array of shape %s has a negative extent or too many elements",
                        tvm_ffi_shape_print(shape, ndim, text, sizeof text));
    return NULL;
  }
  memory = malloc(count > 0 ? (size_t)count * size : 1);
  if (memory == NULL) tvm_ffi_error_raise_memory();
  return memory;
}
