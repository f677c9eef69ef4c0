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
 * The bytes that the elements take, relative to the first: at most INT64_MAX. False for what has no
 * such layout; nothing is assumed of the tensor.
 */
bool tensor_find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi);

/*
 * What a copy of elements came to. One that a deadline ends, or whose memory cannot be accessed,
 * has written a part.
 */
typedef enum {
  kCopyDone,
  kCopyLate,      /* the deadline has passed */
  kCopyNotMapped, /* the memory of a tensor cannot be read, or not written */
} copy_result;

/*
 * Memory of the host's callers that could be read when it was passed last. Small tensors in it are
 * not looked at again, as that takes as long as half a call.
 */
enum { kReadableRanges = 16 };

typedef struct {
  uintptr_t begin[kReadableRanges], end[kReadableRanges];
  unsigned next;
} readable_memory;

/* A tensor of this process, and the copy of its elements that crosses. */
typedef struct {
  const DLTensor *layout;
  char *first, *copy;        /* the first element, and that of the copy */
  TVMFFIObjectHandle object; /* the Tensor, which may be read-only; or NULL */
  readable_memory *readable; /* accessed only where the system says that it can be; NULL: always */
  int64_t deadline;          /* 0: none */
  /* What tensor_find_changes found: pieces that differ lie in these, and whether all of them do. */
  int64_t first_piece, end_piece;
  bool all_differ;
} tensor_pair;

/*
 * Copies the elements. The gaps between elements are left alone: they may be another thread's.
 * Elements that lie in the same bytes are copied once.
 */
copy_result tensor_copy_out(const tensor_pair *pair);
/*
 * Compares the copy with the elements, and finds out whether those that differ can be written;
 * nothing is written. Those of a read-only Tensor never differ.
 */
copy_result tensor_find_changes(tensor_pair *pair);
/* Copies what was found to differ back. */
copy_result tensor_copy_back(const tensor_pair *pair);

/* Private memory for the elements of tensors, which may share it. */
typedef struct {
  uint32_t references;
  char *bytes;
} tensor_block;

/* The bytes are aligned as those at `like` are. The caller owns one reference. */
int tensor_block_make(const char *like, size_t size, tensor_block **out);
tensor_block *tensor_block_retain(tensor_block *self);
void tensor_block_release(tensor_block *self); /* or NULL */

/*
 * Copies the elements of a layout that the other side has chosen, and small gaps between them.
 * `from` and `to` are the first element. No layout makes this take longer than a copy of the bytes
 * from its first to its last one: if elements overlap in an odd way, it is such a copy. So is the
 * next.
 */
copy_result tensor_take_copy(const DLTensor *layout, const char *from, char *to, int64_t deadline);
/* Copies elements that differ back. The gaps are left alone: they may be another tensor's. */
copy_result tensor_return_copy(const DLTensor *layout, const char *from, char *to,
                               int64_t deadline);

/* A compact copy in memory of the environment's allocator. `first` is the first element. */
int tensor_copy_compact(const DLTensor *tensor, char *first, TVMFFIObjectHandle *out);

/* Makes a tensor in a heap; as a DLPackManagedTensorAllocator. */
int tensor_in_heap(heap *source, const DLTensor *prototype, DLManagedTensorVersioned **out,
                   void *error_ctx,
                   void (*set_error)(void *error_ctx, const char *kind, const char *message));

#endif /* TVM_FFI_ISOLATED_TENSOR_COPY_H_ */
