/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/env.h
 * The bodies of tvm/ffi/c/env.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ENV_H_
#define TVM_FFI_C_DETAIL_ENV_H_

static inline TVMFFIStreamHandle tvm_ffi_env_get_stream(const DLTensor *tensor) {
  return TVMFFIEnvGetStream((int32_t)tensor->device.device_type, tensor->device.device_id);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_env_check_interrupt(void) {
  TVMFFIObjectHandle error;
  TVMFFIErrorSetRaised(NULL);
  if (TVMFFIEnvCheckSignals() == 0) return 0;
  TVMFFIErrorMoveFromRaised(&error);
  if (error != NULL) { /* nobody was asked */
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  } else {
    TVMFFIErrorSetRaisedFromCStr(TVM_FFI_C_ENV_ERROR_ALREADY_SET, "");
  }
  return -1;
}

static inline tvm_ffi_env tvm_ffi_env_make(DLDevice device) {
  tvm_ffi_env env;
  env.device = device;
  env.stream = NULL;
  env.allocator = NULL;
  return env;
}

static inline int tvm_ffi_env_call(const tvm_ffi_env *env, TVMFFIObjectHandle function,
                                   const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const int32_t type = (int32_t)env->device.device_type, id = env->device.device_id;
  const bool set_stream = env->stream != NULL || type != kDLCPU;
  DLPackManagedTensorAllocator old_allocator = NULL;
  TVMFFIStreamHandle old_stream = NULL;
  TVMFFIObjectHandle error;
  bool stream_is_set = false, allocator_is_set = false;
  int code = 0;
  if (set_stream && (type < 0 || id < 0)) { /* other runtimes crash on these */
    code = TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "Device (%d, %d) is negative", (int)type,
                                 (int)id);
  } else if (set_stream) {
    code = TVMFFIEnvSetStream(type, id, env->stream, &old_stream);
    stream_is_set = code == 0;
  }
  if (code == 0 && env->allocator != NULL) {
    code = TVMFFIEnvSetDLPackManagedTensorAllocator(env->allocator, 0, &old_allocator);
    allocator_is_set = code == 0;
  }
  if (code == 0) {
    code = tvm_ffi_function_call(function, args, num_args, result);
  } else {
    *result = tvm_ffi_any_none();
  }
  error = code != 0 ? tvm_ffi_error_take() : NULL; /* restoring must not replace it */
  if (allocator_is_set) TVMFFIEnvSetDLPackManagedTensorAllocator(old_allocator, 0, NULL);
  if (stream_is_set) TVMFFIEnvSetStream(type, id, old_stream, NULL);
  if (error != NULL) {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  }
  return code;
}

static inline int tvm_ffi_env_allocate_cpu(DLTensor *prototype, DLManagedTensorVersioned **out,
                                           void *error_ctx,
                                           void (*set_error)(void *error_ctx, const char *kind,
                                                             const char *message)) {
  const size_t alignment = 64;
  tvm_ffi_detail_tensor *self = NULL;
  TVMFFIObjectHandle error;
  size_t size = 0;
  int code = -1;
  char *data;
  if (prototype->device.device_type != kDLCPU) {
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR, "This allocator has memory of the CPU only");
    return -1;
  }
  if (tvm_ffi_tensor_compute_size(prototype, &size) == 0) {
    code = size > SIZE_MAX - alignment
               ? tvm_ffi_error_raise_memory()
               : tvm_ffi_detail_new_tensor(prototype->device, prototype->dtype, prototype->ndim,
                                           prototype->shape, NULL, size + alignment, &self);
  }
  if (code != 0) {
    error = tvm_ffi_error_take();
    set_error(error_ctx, tvm_ffi_error_get_kind(error).data, tvm_ffi_error_get_message(error).data);
    tvm_ffi_object_release(error);
    return -1;
  }
  data = (char *)(self->managed.dl_tensor.strides +
                  (prototype->ndim > 0 ? (size_t)prototype->ndim : 0));
  data += alignment - ((uintptr_t)data & (alignment - 1));
  self->managed.dl_tensor.data = data;
  *out = &self->managed;
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_ENV_H_ */
