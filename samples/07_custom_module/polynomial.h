/* SPDX-License-Identifier: Apache-2.0 */
/* A custom kind of module: polynomials by name, each of them a function. Its source is text with
 * one line for each, lowest power first:
 *
 *     square: 0 0 1
 *     sine: 0 1 0 -0.16666667 0 0.0083333333
 *
 * Functions return 0, or non-zero with an error raised. */
#ifndef SAMPLES_POLYNOMIAL_H_
#define SAMPLES_POLYNOMIAL_H_

#include <tvm/ffi/c_api.h>

/** Make a module from a source. Errors: ValueError (with the line), MemoryError. */
int polynomial_create(TVMFFIByteArray source, TVMFFIObjectHandle *out);

/** How many functions such a module has. Errors: TypeError (another kind of module). */
int polynomial_read_count(TVMFFIObjectHandle module, int *out);

/** Register the loaders of files that end in .poly, and of bytes embedded in libraries. */
int polynomial_register_loaders(void);

#endif /* SAMPLES_POLYNOMIAL_H_ */
