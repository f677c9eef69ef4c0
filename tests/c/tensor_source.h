/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack tensors that the tests import; each counts the calls of its deleter. */
#ifndef TESTS_C_TENSOR_SOURCE_H_
#define TESTS_C_TENSOR_SOURCE_H_

#include "support/check.h"

enum { kMaxDims = 4 };

typedef struct {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
  int num_deleted;
  char data[64];
} tensor_source;

static void delete_plain_source(DLManagedTensor *self) {
  ++((tensor_source *)self->manager_ctx)->num_deleted;
}

static void delete_versioned_source(DLManagedTensorVersioned *self) {
  ++((tensor_source *)self->manager_ctx)->num_deleted;
}

/* Both structs describe the same tensor; strides may be NULL. It lives in the caller's variable. */
static inline void init_source(tensor_source *source, int32_t ndim, const int64_t *shape,
                               const int64_t *strides) {
  DLTensor *tensor = &source->plain.dl_tensor;
  memset(source, 0, sizeof *source);
  if (ndim > 0) memcpy(source->shape, shape, (size_t)ndim * sizeof *shape);
  if (ndim > 0 && strides != NULL) memcpy(source->strides, strides, (size_t)ndim * sizeof *strides);
  tensor->data = source->data;
  tensor->device = TVMFFIDLDeviceFromIntPair(kDLCPU, 0);
  tensor->ndim = ndim;
  tensor->dtype.code = kDLFloat;
  tensor->dtype.bits = 32;
  tensor->dtype.lanes = 1;
  tensor->shape = source->shape;
  tensor->strides = strides != NULL ? source->strides : NULL;
  source->plain.manager_ctx = source;
  source->plain.deleter = delete_plain_source;
  source->versioned.version.major = 1;
  source->versioned.version.minor = 3;
  source->versioned.manager_ctx = source;
  source->versioned.deleter = delete_versioned_source;
  source->versioned.dl_tensor = *tensor;
}

/* A tensor of shape {2, 3} with strides. */
static inline void init_source_2x3(tensor_source *source) {
  const int64_t shape[] = {2, 3}, strides[] = {3, 1};
  init_source(source, 2, shape, strides);
}

#endif /* TESTS_C_TENSOR_SOURCE_H_ */
