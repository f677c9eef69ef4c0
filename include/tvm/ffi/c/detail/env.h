/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/env.h
 * The bodies of tvm/ffi/c/env.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ENV_H_
#define TVM_FFI_C_DETAIL_ENV_H_

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

static inline TVMFFIStreamHandle tvm_ffi_env_get_stream(const DLTensor *tensor) {
  return TVMFFIEnvGetStream((int32_t)tensor->device.device_type, tensor->device.device_id);
}

/* A thread may be about to read a pair at any time, so none is freed. */
typedef struct tvm_ffi_detail_interrupt {
  tvm_ffi_interrupt_fn check;
  void *context;
  struct tvm_ffi_detail_interrupt *next;
} tvm_ffi_detail_interrupt;

/* A pointer that threads share; with other compilers it is set before they start. */
#if defined(__GNUC__) || defined(__clang__)
static inline void *tvm_ffi_detail_load(void **from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  return __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#elif defined(_MSC_VER)
static inline void *tvm_ffi_detail_load(void **from) {
  return _InterlockedCompareExchangePointer((void *volatile *)from, NULL, NULL);
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  return _InterlockedCompareExchangePointer((void *volatile *)at, value, old) == old;
}
#else
static inline void *tvm_ffi_detail_load(void **from) {
  return *from;
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  if (*at != old) return false;
  *at = value;
  return true;
}
#endif

/**
 * Calls the check that is set, or sets the one in `next`. One function, so that both have the same
 * variable.
 */
static inline int tvm_ffi_detail_interrupt_step(tvm_ffi_detail_interrupt *next) {
  static void *current;
  tvm_ffi_detail_interrupt *pair;
  if (next != NULL) {
    while (!tvm_ffi_detail_replace(&current, tvm_ffi_detail_load(&current), next)) continue;
    return 0;
  }
  pair = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&current);
  return pair != NULL && pair->check != NULL && pair->check(pair->context) != 0 ? -1 : 0;
}

static inline int tvm_ffi_detail_check_interrupt(void) {
  return tvm_ffi_detail_interrupt_step(NULL);
}

/** The lock of a frontend: there is none, and nothing to release. */
static inline void *tvm_ffi_detail_ensure_lock(void) {
  return NULL;
}

static inline void tvm_ffi_detail_release_lock(void *state) {
  (void)state;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_env_set_interrupt_check(
    tvm_ffi_interrupt_fn check, void *context) {
  static void *pairs;
  tvm_ffi_detail_interrupt *first = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&pairs), *pair;
  union {
    void *symbol;
    int (*check)(void);
    void *(*ensure)(void);
    void (*release)(void *state);
  } hook;
  for (pair = first; pair != NULL; pair = pair->next) {
    if (pair->check == check && pair->context == context) break;
  }
  if (pair == NULL) {
    pair = (tvm_ffi_detail_interrupt *)malloc(sizeof *pair);
    if (pair == NULL) return tvm_ffi_error_raise_memory(), -1;
    pair->check = check;
    pair->context = context;
    do {
      pair->next = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&pairs);
    } while (!tvm_ffi_detail_replace(&pairs, pair->next, pair));
  }
  tvm_ffi_detail_interrupt_step(pair);
  /* The lock first: the runtime may find the check as soon as it is registered. */
  hook.ensure = tvm_ffi_detail_ensure_lock;
  TVM_FFI_C_TRY(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", hook.symbol));
  hook.release = tvm_ffi_detail_release_lock;
  TVM_FFI_C_TRY(TVMFFIEnvRegisterCAPI("PyGILState_Release", hook.symbol));
  hook.check = tvm_ffi_detail_check_interrupt;
  return TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", check != NULL ? hook.symbol : NULL);
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
