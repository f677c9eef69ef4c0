/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/hip.h
 * The bodies of tvm/ffi/c/hip.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_HIP_H_
#define TVM_FFI_C_DETAIL_HIP_H_

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_hip_raise_at(const char *file, int line,
                                                                     const char *func,
                                                                     hipError_t result) {
  tvm_ffi_error_raise_at(file, line, func, TVM_FFI_C_RUNTIME_ERROR, "HIP Error: %s (%d): %s",
                         hipGetErrorName(result), (int)result, hipGetErrorString(result));
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_hip_guard_begin(tvm_ffi_hip_guard *guard,
                                                                     int device_id) {
  guard->changed = false;
  TVM_FFI_C_HIP_TRY(hipGetDevice(&guard->device));
  if (guard->device == device_id) return 0;
  TVM_FFI_C_HIP_TRY(hipSetDevice(device_id));
  guard->changed = true;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_hip_guard_end(tvm_ffi_hip_guard *guard,
                                                                   int code) {
  hipError_t result;
  if (!guard->changed) return code;
  guard->changed = false;
  result = hipSetDevice(guard->device);
  return code != 0 || result == hipSuccess ? code : TVM_FFI_C_HIP_RAISE(result);
}

static inline hipStream_t tvm_ffi_hip_get_stream(const DLTensor *tensor) {
  return (hipStream_t)tvm_ffi_env_get_stream(tensor);
}

/** A tvm_ffi_handle_maker: self is the tvm_ffi_hip_program, key the current device. */
static inline int tvm_ffi_detail_hip_load(void *self, const void *key, void **out) {
  hipModule_t module = NULL;
  (void)key;
  TVM_FFI_C_HIP_TRY(hipModuleLoadData(&module, ((const tvm_ffi_hip_program *)self)->image));
  *out = module;
  return 0;
}

/** At the exit of the process HIP may be gone and refuse. */
static inline void tvm_ffi_detail_hip_unload(void *module) {
  (void)hipModuleUnload((hipModule_t)module);
}

static inline tvm_ffi_handle_maker tvm_ffi_detail_hip_maker(void) {
  tvm_ffi_handle_maker maker;
  maker.create = tvm_ffi_detail_hip_load;
  maker.release = tvm_ffi_detail_hip_unload;
  return maker;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_hip_program_read_kernel(
    tvm_ffi_hip_program *program, const char *name, hipFunction_t *out) {
  const tvm_ffi_handle_maker maker = tvm_ffi_detail_hip_maker();
  void *module = NULL;
  int device = 0;
  TVM_FFI_C_HIP_TRY(hipGetDevice(&device));
  TVM_FFI_C_TRY(tvm_ffi_handle_table_read(&program->loaded, (const void *)(intptr_t)device, &maker,
                                          program, &module));
  TVM_FFI_C_HIP_TRY(hipModuleGetFunction(out, (hipModule_t)module, name));
  return 0;
}

static inline void tvm_ffi_hip_program_clear(tvm_ffi_hip_program *program) {
  const tvm_ffi_handle_maker maker = tvm_ffi_detail_hip_maker();
  tvm_ffi_handle_table_clear(&program->loaded, &maker);
}

static inline tvm_ffi_hip_dim tvm_ffi_hip_dim_make(unsigned x, unsigned y, unsigned z) {
  tvm_ffi_hip_dim dim;
  dim.x = x;
  dim.y = y;
  dim.z = z;
  return dim;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_hip_kernel_launch(
    hipFunction_t kernel, void **args, tvm_ffi_hip_dim grid, tvm_ffi_hip_dim block,
    uint32_t shared_bytes, hipStream_t stream) {
  TVM_FFI_C_HIP_TRY(hipModuleLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                          shared_bytes, stream, args, NULL));
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_HIP_H_ */
