/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind of module of its own: CUDA code as PTX text, each of whose kernels is a function. It takes
 * the kernel's parameters, and then the numbers of blocks and of threads in a block:
 *
 *     scale_kernel(x, 1000, 2.5, 4, 256)
 *
 * Tensors pass their address, and lie on the device that runs the kernel, in the thread's current
 * stream of it. A module is made, saved and asked for its functions without a driver of CUDA; a
 * call needs one.
 */
#ifndef SAMPLES_PTX_H_
#define SAMPLES_PTX_H_

#include <tvm/ffi/c_api.h>

/** Make a module of PTX. Errors: ValueError (it is none), MemoryError. */
int ptx_create(TVMFFIByteArray source, TVMFFIObjectHandle *out);

/** Register what makes modules of files that end in .ptx, and of bytes that libraries embed. */
int ptx_register_loaders(void);

#endif /* SAMPLES_PTX_H_ */
