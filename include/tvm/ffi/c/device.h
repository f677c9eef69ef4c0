/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/device.h
 * Devices: make, compare, parse and print them.
 */
#ifndef TVM_FFI_C_DEVICE_H_
#define TVM_FFI_C_DEVICE_H_

#include <tvm/ffi/c/error.h>

/* ---- Devices ----
 * Errors: none.   Threads: any. */

/** A device of that type (kDLCPU, kDLCUDA, ...) and number. */
static inline DLDevice tvm_ffi_device_make(int32_t device_type, int32_t device_id);

/** Type and number are the same. */
static inline bool tvm_ffi_device_equal(DLDevice a, DLDevice b);

/**
 * Whether DLTensor.data on such a device is an address to which byte offsets may be added, as on
 * the CPU, CUDA, ROCm (with their host and managed memory) and oneAPI; on others (OpenCL, Vulkan,
 * Metal, WebGPU, ...) it is a handle, and the offset is passed separately.
 */
static inline bool tvm_ffi_device_is_addressable(DLDevice device);

/**
 * Whether code that runs on a device of that type can read and write the memory of another: on the
 * CPU also page-locked memory (cuda_host, rocm_host) and managed memory (cuda_managed), on CUDA
 * also managed memory, otherwise memory of that type alone.
 */
static inline bool tvm_ffi_device_can_read(int32_t device_type, DLDevice memory);

/** The name of a device type; NULL for an unknown one. @return [lend] For ever. */
static inline const char *tvm_ffi_device_get_type_name(int32_t device_type);

/**
 * Write `cuda:0`, or `device(99):0` for an unknown type.
 * @param buffer [out] NUL-terminated; cut off when too small.
 * @return [lend] buffer.
 */
static inline char *tvm_ffi_device_print(DLDevice device, char *buffer, size_t capacity);

/**
 * Read `<name>` or `<name>:<number>`, as every function of the ABI that takes a device does. Names
 * are those of tvm_ffi_device_get_type_name, mps for metal and wgpu for webgpu; kernels built with
 * the package's headers refuse cuda_host, cuda_managed, rocm_host and oneapi. Text from the first
 * space on is ignored.
 * @param text [borrow] size bytes.
 * @param out  [out]
 * @return false, and nothing written, when the text is not a device.
 */
static inline bool tvm_ffi_device_parse(const char *text, size_t size, DLDevice *out);

#include <tvm/ffi/c/detail/device.h> /* the bodies */

#endif /* TVM_FFI_C_DEVICE_H_ */
