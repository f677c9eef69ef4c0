/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy files: an array after a header, which is the text of a Python dict. */
#ifndef TVM_FFI_TOOL_NPY_H_
#define TVM_FFI_TOOL_NPY_H_

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { kNpyMaxDims = 32 };

typedef struct {
  DLDataType dtype; /* kDLOpaqueHandle of item_size bytes if NumPy has no name for the type */
  int32_t ndim;
  int64_t shape[kNpyMaxDims];
  size_t item_size;
  bool fortran_order, swapped;
  const unsigned char *data; /* in the file's order, `size` bytes */
  size_t size;
} npy_array;

/* How many bytes an array has that begins with these, as far as they tell: its whole size once its
 * header is there. No more than `size` if they are malformed. */
size_t npy_measure(const unsigned char *bytes, size_t size);

/* Reads the array at *pos and moves *pos past it. Returns NULL, or what is wrong with the file. */
const char *npy_read(const unsigned char *file, size_t file_size, size_t *pos, npy_array *out);

/* Copies the elements in row-major order and the machine's byte order; `dest` has room for size
 * bytes. */
void npy_copy(const npy_array *array, void *dest);

/* Appends a header of version 1.0 and the data, which is packed and row-major. Types that NumPy has
 * no name for are written as raw bytes of their size. False if the elements are not whole bytes. */
bool npy_write(text_buf *out, DLDataType dtype, const int64_t *shape, int32_t ndim,
               const void *data, size_t size);

#endif /* TVM_FFI_TOOL_NPY_H_ */
