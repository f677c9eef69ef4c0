/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of one process: the bytes that a layout takes, copies of elements, shared memory. */
#ifndef TVM_FFI_ISOLATED_TENSOR_COPY_H_
#define TVM_FFI_ISOLATED_TENSOR_COPY_H_

#include <stdbool.h>
#include <tvm/ffi/c.h>

#include "channel.h"

enum {
  kMaxDims = 64, /* of a tensor that crosses */
  kTensorAlignment = 64
};

/*
 * The bytes that the elements take, relative to the first. False for what has no such layout;
 * nothing is assumed of the tensor.
 */
bool tensor_find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi);

/* What a copy of elements may write, and how it finds out. */
typedef struct {
  bool always; /* the target is memory of this library, with unknown content: all is written */
  /* Otherwise only bytes that differ are written, after asking once whether `object` allows it. */
  TVMFFIObjectHandle object; /* the Tensor that must be writable, or NULL */
  bool is_known, may_write;  /* the answer */
} copy_rule;

/*
 * Copies the elements between two places with the same layout, of which both addresses are the
 * first element. The gaps between elements are left alone: they may be another thread's.
 */
void tensor_copy_elements(const DLTensor *layout, char *to, const char *from, copy_rule rule);

/*
 * Gives the tensor elements of its own, in which those at `from` are copied. Their addresses are
 * aligned as `from` is. The caller frees *out_copy.
 */
int tensor_take_copy(DLTensor *tensor, const char *from, void **out_copy);

/* A compact copy in memory of the environment's allocator. `first` is the first element. */
int tensor_copy_compact(const DLTensor *tensor, char *first, TVMFFIObjectHandle *out);

/* Makes a tensor in a heap; as a DLPackManagedTensorAllocator. */
int tensor_in_heap(heap *source, const DLTensor *prototype, DLManagedTensorVersioned **out,
                   void *error_ctx,
                   void (*set_error)(void *error_ctx, const char *kind, const char *message));

#endif /* TVM_FFI_ISOLATED_TENSOR_COPY_H_ */
