/* SPDX-License-Identifier: Apache-2.0 */
/* A custom kind of module: CUDA code as PTX text, each kernel of which is a function. It takes the
 * kernel's parameters, then the number of blocks and of threads per block:
 *
 *     scale_kernel(x, 1000, 2.5, 4, 256)
 *
 * Tensors pass their address; they must be on the device that runs the kernel, on the thread's
 * current stream of that device. Making a module, saving it and looking up its functions needs no
 * CUDA driver; a call does. */
#ifndef SAMPLES_PTX_H_
#define SAMPLES_PTX_H_

#include <tvm/ffi/c_api.h>

/** Make a module from PTX. Errors: ValueError (not PTX), MemoryError. */
int ptx_create(TVMFFIByteArray source, TVMFFIObjectHandle *out);

/** Register the loaders of files that end in .ptx, and of bytes embedded in libraries. */
int ptx_register_loaders(void);

#endif /* SAMPLES_PTX_H_ */
