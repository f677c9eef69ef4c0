/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that the tool owns, in CPU memory and on a device. */
#ifndef TVM_FFI_TOOL_TENSOR_H_
#define TVM_FFI_TOOL_TENSOR_H_

#include <tvm/ffi/c.h>

#include "value/layout.h"

/* ---- Tensors in CPU memory ---- */

/* The bytes of a packed tensor; 0 for one that is larger than any memory. */
size_t tensor_size(const DLTensor *tensor);
/* The bytes of each element; 0: elements are not whole bytes, and some begin within one. */
size_t element_size(DLDataType dtype);
/* Whether packed tensors in CPU memory have the same bytes. */
bool tensors_have_same_bytes(const DLTensor *a, const DLTensor *b);

/* Makes a Tensor of zeros, row-major and aligned to 64 bytes. NULL with an error raised. */
TVMFFIObjectHandle tensor_new(DLDataType dtype, const int64_t *shape, int32_t ndim);

/* Makes a packed, row-major copy in CPU memory of any tensor there or on an open device; NULL with
 * an error raised. */
TVMFFIObjectHandle tensor_copy(const DLTensor *tensor);
/* The same; NULL without an error if it cannot be read. */
TVMFFIObjectHandle tensor_try_copy(const DLTensor *tensor);

/* ---- Tensors on a device ---- */

/* Tensors in the memory of the device of --device, through its plugin (value/device.h). */

/* Parses `device` ("cpu", "cuda:1", "opencl:0") into *out and opens it; from then on functions can
 * allocate tensors on it and on the CPU, and have its stream. False after a report. */
bool device_open(const char *device, DLDevice *out);

/* Copies a packed tensor from CPU memory; NULL with an error raised. */
TVMFFIObjectHandle device_copy_to(DLDevice device, const DLTensor *tensor);
/* Copies storage with its gaps, which then has the same layout on the device. *bytes [own] is NULL,
 * or what a call for other storage in the same memory set it to; release it afterwards. */
TVMFFIObjectHandle device_copy_storage(DLDevice device, const storage *s,
                                       TVMFFIObjectHandle *bytes);
/* The two steps of that: copies the memory of a storage, as a tensor of bytes; NULL with an error
 * raised. Then its tensor, in that copy. */
TVMFFIObjectHandle device_copy_block(DLDevice device, const storage *s);
void device_place(const storage *s, TVMFFIObjectHandle copied, DLTensor *out);
/* Copies so many bytes from CPU memory into a packed tensor on an open device; 0, or an error
 * raised. */
int device_copy_into(const DLTensor *tensor, const void *source, size_t size);
/* Copies the bytes of a packed tensor on an open device to CPU memory; 0, or an error raised. */
int device_copy_from(const DLTensor *tensor, void *dest, size_t size);
bool device_is_open(DLDevice device);
/* Whether a function asked for memory on a device that is not open, which was refused. */
bool device_was_refused(void);

/* Makes the device, if one is open, that of calls by this thread; 0, or an error raised. */
int device_enter(void);
/* Waits for all work on the device; 0, or an error raised if some of it failed: then nothing can be
 * read from the device any more. */
int device_wait(void);

#endif /* TVM_FFI_TOOL_TENSOR_H_ */
