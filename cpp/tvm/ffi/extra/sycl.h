/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/sycl.h
 * SYCL, for tensors on oneAPI: the queue of a call, a check of memory, and SYCL's exceptions as
 * errors. Needs a header of SYCL 2020, with exceptions; any compiler of C++17 can compile calls of
 * a queue, and a compiler of SYCL kernels too.
 *
 *     void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
 *       sycl::queue &queue = ffi::SYCLQueue(x);
 *       ffi::TensorCheckUSM(x, queue, "x");
 *       ffi::TensorCheckUSM(y, queue, "y");
 *       auto *from = static_cast<const float *>(x.data_ptr());
 *       auto *to = static_cast<float *>(y.data_ptr());
 *       auto by = static_cast<float>(factor);
 *       TVM_FFI_CHECK_SYCL_ERROR(queue.parallel_for(
 *           sycl::range<1>(x.numel()), [=](sycl::id<1> i) { to[i] = by * from[i]; }));
 *     }
 *
 * A queue's asynchronous errors go to the handler that its owner made it with.
 */
#ifndef TVM_FFI_EXTRA_SYCL_H_
#define TVM_FFI_EXTRA_SYCL_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/device.h>

#include <sycl/sycl.hpp>

/**
 * Throws a RuntimeError `SYCL Error: <text> (<category>:<code>)` in place of a sycl::exception of
 * the statement, which may have commas. Other exceptions pass.
 */
#define TVM_FFI_CHECK_SYCL_ERROR(...)                                                    \
  do {                                                                                   \
    try {                                                                                \
      __VA_ARGS__;                                                                       \
    } catch (const ::sycl::exception &tvm_ffi_sycl_error) {                              \
      TVM_FFI_THROW(RuntimeError) << "SYCL Error: " << tvm_ffi_sycl_error.what() << " (" \
                                  << tvm_ffi_sycl_error.code().category().name() << ":"  \
                                  << tvm_ffi_sycl_error.code().value() << ")";           \
    }                                                                                    \
  } while (0)

TVM_FFI_NAMESPACE_BEGIN

/**
 * This thread's current queue of the tensor's device: the stream is a `sycl::queue *`. It has the
 * context and the device, and there is no default one.
 * @return [lend] As long as its owner keeps it.
 * Errors: ValueError (a tensor on another kind of device), RuntimeError `No stream of oneapi:0 is
 * set: ...`.
 */
TVM_FFI_LOCAL inline sycl::queue &SYCLQueue(const TensorView &x) {
  if (x.device().device_type != kDLOneAPI) {
    TVM_FFI_THROW(ValueError) << "Mismatched device of a tensor. Expected `oneapi` but got `"
                              << x.device() << "`";
  }
  return *EnvReadStream<sycl::queue *>(x);
}

/**
 * Refuses a tensor whose memory the queue's kernels cannot access: no USM of the queue's context,
 * where the device does not access all memory of the process. A tensor without elements passes.
 * SYCL does not say how large an allocation is.
 * @param name For the error.
 * Errors: ValueError `Mismatched memory of x. Expected USM of the queue's context but got an
 * address that it does not have`, RuntimeError `SYCL Error: ...`.
 */
TVM_FFI_LOCAL inline void TensorCheckUSM(const TensorView &x, const sycl::queue &queue,
                                         const char *name = "a tensor") {
  bool is_known = x.numel() == 0;
  TVM_FFI_CHECK_SYCL_ERROR(is_known = is_known ||
                                      sycl::get_pointer_type(x.data_ptr(), queue.get_context()) !=
                                          sycl::usm::alloc::unknown ||
                                      queue.get_device().has(sycl::aspect::usm_system_allocations));
  if (!is_known) {
    TVM_FFI_THROW(ValueError) << "Mismatched memory of " << name
                              << ". Expected USM of the queue's context but got an address that it "
                                 "does not have";
  }
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_EXTRA_SYCL_H_
