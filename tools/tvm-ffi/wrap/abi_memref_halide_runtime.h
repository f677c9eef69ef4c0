/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap --abi=memref and --abi=halide write. */

/* An extent or a stride is beyond what a description has for it. `i` is the number of the argument,
 * or -1 for a result. */
static int wrap_raise_bits(const tvm_ffi_args *args, int32_t i, const char *user, int bits,
                           const DLTensor *tensor, int32_t dim) {
  const long long extent = tensor->shape[dim], stride = wrap_get_stride(tensor, dim);
  return i < 0 ? tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                                     "%s has %d bits for an extent and a stride, but a result has "
                                     "%lld and %lld in dimension %d",
                                     user, bits, extent, stride, (int)dim)
               : tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                                    "must have an extent and a stride of %d bits, but has %lld "
                                    "and %lld in dimension %d",
                                    bits, extent, stride, (int)dim);
}

/* Describes a tensor to MLIR. */
static int wrap_memref_set(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor,
                           wrap_memref *memref, intptr_t *sizes, intptr_t *strides) {
  const int bits = 8 * (int)sizeof(intptr_t);
  int32_t dim;
  memref->allocated = memref->aligned = tvm_ffi_tensor_get_data(tensor);
  memref->offset = 0;
  for (dim = 0; dim < tensor->ndim; ++dim) {
    const int64_t stride = wrap_get_stride(tensor, dim);
    sizes[dim] = (intptr_t)tensor->shape[dim];
    strides[dim] = (intptr_t)stride;
    if (sizes[dim] != tensor->shape[dim] || strides[dim] != stride) {
      return wrap_raise_bits(args, i, "MLIR", bits, tensor, dim);
    }
  }
  return 0;
}

/* Describes a tensor to Halide, which numbers dimensions from the innermost one. */
static int wrap_halide_set(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor,
                           wrap_halide_dimension *dims, wrap_halide_buffer *buffer) {
  static uint8_t nothing; /* without an address Halide would only ask for shapes */
  const bool is_bool = tensor->dtype.code == kDLBool;
  int32_t d;
  memset(buffer, 0, sizeof *buffer);
  buffer->host = tensor->data != NULL ? tvm_ffi_tensor_get_data(tensor) : &nothing;
  buffer->type.code = is_bool ? 1 : tensor->dtype.code; /* that of uint */
  buffer->type.bits = is_bool ? 1 : tensor->dtype.bits;
  buffer->type.lanes = tensor->dtype.lanes;
  buffer->dimensions = tensor->ndim;
  buffer->dim = dims;
  for (d = 0; d < tensor->ndim; ++d) {
    const int32_t dim = tensor->ndim - 1 - d;
    const int64_t extent = tensor->shape[dim];
    const int64_t stride = wrap_get_stride(tensor, dim);
    if (extent > INT32_MAX || stride > INT32_MAX || stride < INT32_MIN) {
      return wrap_raise_bits(args, i, "Halide", 32, tensor, dim);
    }
    dims[d].min = 0;
    dims[d].extent = (int32_t)extent;
    dims[d].stride = (int32_t)stride;
    dims[d].flags = 0;
  }
  return 0;
}

/* Whether this thread has raised an error. */
static bool wrap_halide_has_raised(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) return false;
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  return true;
}

/* Halide calls this with its messages. By default it would end the process. The first message is
 * raised. */
static void wrap_halide_raise(void *user_context, const char *message) {
  size_t size = strlen(message);
  (void)user_context;
  while (size > 0 && message[size - 1] == '\n') --size;
  if (!wrap_halide_has_raised()) {
    tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "Halide: %.*s", (int)size, message);
  }
}

/* Before a call: no error is raised, and Halide's will be. */
static void wrap_halide_begin(void) {
  TVMFFIObjectHandle earlier = NULL;
  TVMFFIErrorMoveFromRaised(&earlier);
  tvm_ffi_object_release(earlier);
  halide_set_error_handler(wrap_halide_raise);
}

/* After a call that returned an error code, with a message or without one. */
static int wrap_halide_fail(const char *name, int code) {
  if (wrap_halide_has_raised()) return -1;
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                             "`%s` failed: expected it to return 0 but got %d", name, code);
}
