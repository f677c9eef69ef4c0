/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that launches its work on the caller's stream, and allocates its output with the
 * caller's allocator. */
#include <tvm/ffi/c.h>

#include "stream.h"

/* The elements that are at least a limit. Their number is known only once the data has been read;
 * if a size is known before, let the caller pass the output instead. */
TVM_FFI_C_EXPORT(keep, "(0: DLTensor*, 1: float) -> ffi.Tensor") {
  const float *data;
  float *kept;
  double limit;
  int64_t i, n, count = 0;
  stream *queue;
  TVMFFIObjectHandle output;
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &limit));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  data = (const float *)tvm_ffi_tensor_get_data(x);
  n = x->shape[0];

  /* The stream of the data's device: TVMFFIEnvGetStream. */
  queue = (stream *)tvm_ffi_env_get_stream(x);
  stream_launch(queue, "count");
  for (i = 0; i < n; ++i) count += (double)data[i] >= limit;

  /* The caller's allocator: TVMFFIEnvTensorAlloc. Its errors are passed on. */
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(x->device, TVM_FFI_C_FLOAT32, 1, &count, &output));
  kept = (float *)tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(output));
  stream_launch(queue, "copy");
  for (i = 0; i < n; ++i) {
    if ((double)data[i] >= limit) *kept++ = data[i];
  }
  *args->result = tvm_ffi_any_take_object(output);
  return 0;
}
