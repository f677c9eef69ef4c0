/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an array of float32 that NumPy has saved. */
#ifndef GRAPH_NPY_H_
#define GRAPH_NPY_H_

#include <stddef.h>
#include <stdint.h>

/* Reads all elements in row-major order. On success, *out is to be freed. */
int npy_read_float32(const unsigned char *bytes, size_t size, float **out, int64_t *out_count);

#endif /* GRAPH_NPY_H_ */
