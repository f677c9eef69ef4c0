/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/env.h
 * The environment of a call: the stream that a kernel must use, and the stream and allocator that a
 * host sets for one call in place of a framework.
 *
 *     tvm_ffi_env env = tvm_ffi_env_make(device);
 *     env.stream = my_stream;
 *     env.allocator = tvm_ffi_env_allocate_cpu;
 *     TVM_FFI_C_TRY(tvm_ffi_env_call(&env, function, args, 3, &result));
 */
#ifndef TVM_FFI_C_ENV_H_
#define TVM_FFI_C_ENV_H_

#include <tvm/ffi/c/function.h>
#include <tvm/ffi/c/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>

/**
 * This thread's current stream of the tensor's device, for instance a cudaStream_t. Memory of
 * cuda_host and cuda_managed has that of cuda, and rocm_host that of rocm.
 * @param tensor [borrow]
 * @return [lend] As long as its owner keeps it; NULL when none was set: the default stream.
 * Errors: none.   Threads: any.
 */
static inline TVMFFIStreamHandle tvm_ffi_env_get_stream(const DLTensor *tensor);

/**
 * The same for devices where NULL is no stream: an error if none was set. On the CPU, CUDA and
 * ROCm, also for their host and managed memory, NULL is the default stream, and no error.
 * @param tensor [borrow]
 * @param out    [lend] As long as its owner keeps it: a cl_command_queue, a sycl::queue *, ...
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: RuntimeError `No stream of opencl:0 is set: ...`.   Threads: any.
 */
static inline int tvm_ffi_env_read_stream(const DLTensor *tensor, TVMFFIStreamHandle *out);

/**
 * For long-running kernels, to call now and then: fails if the host
 * (tvm_ffi_env_set_interrupt_check in host.h), or Ctrl-C in Python, asks the kernel to end.
 * @return 0, or -1.
 * Errors: TVM_FFI_C_ENV_ERROR_ALREADY_SET, InternalError (a frontend registered functions that do
 * not match).   Threads: any.
 */
static inline int tvm_ffi_env_check_interrupt(void);

/* ---- Hosts ---- */

/** The environment of a call, in the calling thread only. */
typedef struct {
  /** The device whose stream is set, the one that tvm_ffi_env_get_stream gives its tensors. */
  DLDevice device;
  /** [borrow] NULL on kDLCPU leaves the stream as it is; on other devices NULL is set. */
  TVMFFIStreamHandle stream;
  /** Serves tvm_ffi_tensor_create. NULL leaves the allocator as it is. */
  DLPackManagedTensorAllocator allocator;
  /**
   * [borrow] The same with a context, in place of `allocator`: its memory is for calls in this
   * environment, in this thread. Its `release` and its context must live as long as the tensors.
   * NULL: none.
   */
  const tvm_ffi_tensor_allocator *with;
} tvm_ffi_env;

/** For that device, with the default stream and no allocator. Errors: none.   Threads: any. */
static inline tvm_ffi_env tvm_ffi_env_make(DLDevice device);

/**
 * Call a function in an environment, as frameworks do: stream and allocator are set in this thread,
 * the function is called, and both are as before when this returns, after an error too.
 * @param env      [borrow]
 * @param function [borrow] A Function.
 * @param args     [borrow] num_args views; may be NULL when there are none.
 * @param result   [own] Overwritten without being read.
 * @return 0, or the code of the function, as tvm_ffi_function_call.
 * Errors: ValueError (a negative device), any.   Threads: any, as far as the function allows.
 */
static inline int tvm_ffi_env_call(const tvm_ffi_env *env, TVMFFIObjectHandle function,
                                   const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/**
 * An allocator for hosts without their own: a DLPackManagedTensorAllocator for kDLCPU, by malloc,
 * aligned to 64 bytes. The tensors' deleter is code of the host.
 * @param prototype [borrow] Device, dtype and shape.
 * @param out       [own] To be released with its deleter.
 * @param error_ctx [borrow] Passed to set_error.
 * @param set_error [in] Called on failure with error_ctx and ValueError or MemoryError.
 * @return 0, or -1.   Errors: none but those given to set_error.   Threads: any.
 */
static inline int tvm_ffi_env_allocate_cpu(DLTensor *prototype, DLManagedTensorVersioned **out,
                                           void *error_ctx,
                                           void (*set_error)(void *error_ctx, const char *kind,
                                                             const char *message));

#include <tvm/ffi/c/detail/env.h> /* the bodies */

#endif /* TVM_FFI_C_ENV_H_ */
