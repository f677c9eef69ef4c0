/* SPDX-License-Identifier: Apache-2.0 */
/* image_kernels.cc by tvm/ffi/c/cuda.h. */
#include <cuda_runtime_api.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/cuda.h>

enum { kMaxHidden = 8 };

typedef struct {
  TVMFFIByteArray image, name;
  int64_t blocks, threads, shared_bytes, num_hidden;
  DLTensor *tensors[3];
  double factor;
} launch_args;

static int launch_kernel(tvm_ffi_cuda_library library, const launch_args *in) {
  void *addresses[3], *params[5 + kMaxHidden], *hidden = NULL;
  int32_t size = (int32_t)tvm_ffi_tensor_get_numel(in->tensors[0]);
  float factor = (float)in->factor;
  tvm_ffi_cuda_kernel kernel;
  int64_t i;
  for (i = 0; i < 3; ++i) {
    addresses[i] = tvm_ffi_tensor_get_data(in->tensors[i]);
    params[i] = &addresses[i];
  }
  params[3] = &size;
  params[4] = &factor;
  for (i = 0; i < in->num_hidden; ++i) params[5 + i] = &hidden;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_get_kernel(library, in->name.data, &kernel));
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, in->shared_bytes));
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_launch(
      kernel, params, tvm_ffi_cuda_dim_make((unsigned)in->blocks, 1, 1),
      tvm_ffi_cuda_dim_make((unsigned)in->threads, 1, 1), (uint32_t)in->shared_bytes,
      tvm_ffi_cuda_get_stream(in->tensors[0])));
  /* The image is unloaded at the end of the call, and must not be in use then. */
  TVM_FFI_C_CHECK(cudaDeviceSynchronize() == cudaSuccess, TVM_FFI_C_RUNTIME_ERROR,
                  "the kernel failed");
  return 0;
}

static int load_and_launch(const launch_args *in) {
  tvm_ffi_cuda_library library;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_load(in->image.data, &library));
  code = launch_kernel(library, in);
  tvm_ffi_cuda_library_unload(library);
  return code;
}

TVM_FFI_C_EXPORT(
    launch,
    "(image: bytes, name: str, blocks: int, threads: int, shared_bytes: int, "
    "num_hidden: int, x: DLTensor*, y: DLTensor*, out: DLTensor*, factor: float) -> void") {
  launch_args in;
  tvm_ffi_cuda_guard guard;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 10));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 0, &in.image));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &in.name));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 2, 1, INT32_MAX, &in.blocks));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 3, 1, 1024, &in.threads));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 4, 0, INT32_MAX, &in.shared_bytes));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 5, 0, kMaxHidden, &in.num_hidden));
  for (i = 0; i < 3; ++i) {
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 6 + i, &in.tensors[i]));
    TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 6 + i, kDLCUDA));
  }
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 9, &in.factor));
  TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, in.tensors[0]->device.device_id));
  return tvm_ffi_cuda_guard_end(&guard, load_and_launch(&in));
}
