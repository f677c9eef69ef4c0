/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind of module of its own: polynomials by name, each a function. Its source is a text, a line
 * for each, lowest power first:
 *
 *     square: 0 0 1
 *     sine: 0 1 0 -0.16666667 0 0.0083333333
 *
 * Functions return 0, or non-zero with an error raised.
 */
#ifndef SAMPLES_POLYNOMIAL_H_
#define SAMPLES_POLYNOMIAL_H_

#include <tvm/ffi/c_api.h>

/** Make a module of a source. Errors: ValueError (with the line), MemoryError. */
int polynomial_create(TVMFFIByteArray source, TVMFFIObjectHandle *out);

/** How many functions such a module has. Errors: TypeError (another kind of module). */
int polynomial_read_count(TVMFFIObjectHandle module, int *out);

/** Register what makes modules of files that end in .poly, and of bytes that libraries embed. */
int polynomial_register_loaders(void);

#endif /* SAMPLES_POLYNOMIAL_H_ */
