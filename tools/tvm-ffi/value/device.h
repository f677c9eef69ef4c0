/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in memory of a CUDA device, through the driver that the system has: nothing is linked. */
#ifndef TVM_FFI_TOOL_DEVICE_H_
#define TVM_FFI_TOOL_DEVICE_H_

#include <tvm/ffi/c.h>

/* From here on there is memory for functions that allocate tensors, of the CPU and of `device`
 * ("cpu", "cuda:1"), which is written to *out. False when reported. */
bool device_open(const char *device, DLDevice *out);

/* A copy of a packed tensor in the CPU's memory; NULL and an error raised. */
TVMFFIObjectHandle device_copy_to(DLDevice device, const DLTensor *tensor);
/* The bytes of a packed tensor on a device that is open, to the CPU's memory; 0, or an error
 * raised. */
int device_copy_from(const DLTensor *tensor, void *to, size_t size);
bool device_is_open(DLDevice device);

/* Waits for what was started on the device; 0, or an error raised of what failed there. */
int device_wait(void);

#endif /* TVM_FFI_TOOL_DEVICE_H_ */
