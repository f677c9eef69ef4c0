/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as MLIR compiles them with llvm.emit_c_interface, for wrap --abi=memref. Their tensors
 * are descriptors. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  void *allocated, *aligned;
  intptr_t offset;
} memref_0;

typedef struct {
  void *allocated, *aligned;
  intptr_t offset, size, stride;
} memref_1;

typedef struct {
  void *allocated, *aligned;
  intptr_t offset, sizes[2], strides[2];
} memref_2;

typedef struct {
  void *allocated, *aligned;
  intptr_t offset, sizes[3], strides[3];
} memref_3;

static double *find(const memref_2 *tensor, intptr_t i, intptr_t j) {
  return (double *)tensor->aligned + tensor->offset + i * tensor->strides[0] +
         j * tensor->strides[1];
}

/* y[i][j] = a * x[i][j] + j */
void _mlir_ciface_scale(memref_2 *x, double a, memref_2 *y);
void _mlir_ciface_scale(memref_2 *x, double a, memref_2 *y) {
  intptr_t i, j;
  for (i = 0; i < y->sizes[0]; ++i) {
    for (j = 0; j < y->sizes[1]; ++j) *find(y, i, j) = a * *find(x, i, j) + (double)j;
  }
}

/* The sum of products; x may have gaps. */
float _mlir_ciface_dot(memref_1 *x, memref_1 *y);
float _mlir_ciface_dot(memref_1 *x, memref_1 *y) {
  const float *left = (const float *)x->aligned + x->offset;
  const float *right = (const float *)y->aligned + y->offset;
  float sum = 0;
  intptr_t i;
  for (i = 0; i < x->size; ++i) sum += left[i * x->stride] * right[i * y->stride];
  return sum;
}

/* Writes offset, sizes and strides, and returns how many these are; `is_same` tells whether both
 * addresses are. */
int _mlir_ciface_tell(memref_3 *x, memref_1 *y, memref_0 *is_same, bool is_asked, int64_t first);
int _mlir_ciface_tell(memref_3 *x, memref_1 *y, memref_0 *is_same, bool is_asked, int64_t first) {
  int64_t *out = (int64_t *)y->aligned + y->offset;
  int i;
  out[0] = first + x->offset;
  for (i = 0; i < 3; ++i) {
    out[1 + i] = x->sizes[i];
    out[4 + i] = x->strides[i];
  }
  *(bool *)is_same->aligned = is_asked && x->allocated == x->aligned;
  return 7;
}
