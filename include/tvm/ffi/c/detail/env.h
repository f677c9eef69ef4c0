/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/env.h
 * The bodies of tvm/ffi/c/env.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ENV_H_
#define TVM_FFI_C_DETAIL_ENV_H_

/** Where a kernel may do without a stream. */
static inline bool tvm_ffi_detail_has_default_stream(DLDevice device) {
  return tvm_ffi_device_is_addressable(device) && device.device_type != kDLOneAPI;
}

/** The device type whose streams work on memory of that type is given to. */
static inline int32_t tvm_ffi_detail_find_stream_type(int32_t device_type) {
  if (device_type == kDLCUDAHost || device_type == kDLCUDAManaged) return kDLCUDA;
  return device_type == kDLROCMHost ? (int32_t)kDLROCM : device_type;
}

static inline TVMFFIStreamHandle tvm_ffi_env_get_stream(const DLTensor *tensor) {
  return TVMFFIEnvGetStream(tvm_ffi_detail_find_stream_type((int32_t)tensor->device.device_type),
                            tensor->device.device_id);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_env_read_stream(const DLTensor *tensor,
                                                    TVMFFIStreamHandle *out) {
  const TVMFFIStreamHandle stream = tvm_ffi_env_get_stream(tensor);
  char device[48];
  if (stream == NULL && !tvm_ffi_detail_has_default_stream(tensor->device)) {
    return TVM_FFI_C_DETAIL_FAIL(
        TVM_FFI_C_RUNTIME_ERROR,
        "No stream of %s is set: the caller sets it (tvm_ffi_env_call, TVMFFIEnvSetStream; in "
        "Python tvm_ffi.use_raw_stream)",
        tvm_ffi_device_print(tensor->device, device, sizeof device));
  }
  *out = stream;
  return 0;
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
  env.with = NULL;
  return env;
}

/** Hands the error that is raised to the caller of an allocator. @return -1. */
static inline int tvm_ffi_detail_pass_error(void *error_ctx,
                                            void (*set_error)(void *error_ctx, const char *kind,
                                                              const char *message)) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  set_error(error_ctx, tvm_ffi_error_get_kind(error).data, tvm_ffi_error_get_message(error).data);
  tvm_ffi_object_release(error);
  return -1;
}

#if defined(_MSC_VER)
#define TVM_FFI_C_DETAIL_THREAD_LOCAL __declspec(thread)
#elif defined(__GNUC__) && !defined(__TINYC__) && \
    (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#define TVM_FFI_C_DETAIL_THREAD_LOCAL __thread
#else
#define TVM_FFI_C_DETAIL_THREAD_LOCAL /* one thread */
#endif

/**
 * The allocator with a context that calls in this thread have, in the source file that made them: a
 * DLPackManagedTensorAllocator gets no context. Sets it if `next` is not NULL. One function, so
 * that there is one variable. @return [lend] The one before.
 */
static inline const tvm_ffi_tensor_allocator *tvm_ffi_detail_swap_allocator(
    const tvm_ffi_tensor_allocator *const *next) {
  static TVM_FFI_C_DETAIL_THREAD_LOCAL const tvm_ffi_tensor_allocator *current;
  const tvm_ffi_tensor_allocator *old = current;
  if (next != NULL) current = *next;
  return old;
}

static inline int tvm_ffi_detail_allocate_with(DLTensor *prototype, DLManagedTensorVersioned **out,
                                               void *error_ctx,
                                               void (*set_error)(void *error_ctx, const char *kind,
                                                                 const char *message)) {
  const tvm_ffi_tensor_allocator *allocator = tvm_ffi_detail_swap_allocator(NULL);
  tvm_ffi_detail_tensor *self = NULL;
  if (allocator == NULL) {
    set_error(error_ctx, TVM_FFI_C_RUNTIME_ERROR,
              "This allocator was for a call in another thread, or for one that has ended");
    return -1;
  }
  if (tvm_ffi_detail_new_tensor_with(allocator, prototype->device, prototype->dtype,
                                     prototype->ndim, prototype->shape, &self) != 0) {
    return tvm_ffi_detail_pass_error(error_ctx, set_error);
  }
  *out = &self->managed;
  return 0;
}

static inline int tvm_ffi_env_call(const tvm_ffi_env *env, TVMFFIObjectHandle function,
                                   const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const int32_t type = tvm_ffi_detail_find_stream_type((int32_t)env->device.device_type);
  const int32_t id = env->device.device_id;
  const bool set_stream = env->stream != NULL || type != kDLCPU;
  const DLPackManagedTensorAllocator allocator =
      env->with != NULL ? tvm_ffi_detail_allocate_with : env->allocator;
  const tvm_ffi_tensor_allocator *old_with = NULL;
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
  if (code == 0 && allocator != NULL) {
    code = TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, 0, &old_allocator);
    allocator_is_set = code == 0;
  }
  if (env->with != NULL) old_with = tvm_ffi_detail_swap_allocator(&env->with);
  if (code == 0) {
    code = tvm_ffi_function_call(function, args, num_args, result);
  } else {
    *result = tvm_ffi_any_none();
  }
  error = code != 0 ? tvm_ffi_error_take() : NULL; /* restoring must not replace it */
  if (env->with != NULL) tvm_ffi_detail_swap_allocator(&old_with);
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
  if (code != 0) return tvm_ffi_detail_pass_error(error_ctx, set_error);
  data = (char *)(self->managed.dl_tensor.strides +
                  (prototype->ndim > 0 ? (size_t)prototype->ndim : 0));
  data += alignment - ((uintptr_t)data & (alignment - 1));
  self->managed.dl_tensor.data = data;
  *out = &self->managed;
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_ENV_H_ */
