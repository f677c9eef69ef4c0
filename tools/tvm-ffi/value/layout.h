/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors whose elements lie in memory in any way: apart, backwards, off their alignment, next to
 * memory that cannot be accessed. */
#ifndef TVM_FFI_TOOL_LAYOUT_H_
#define TVM_FFI_TOOL_LAYOUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/c.h>

/* ---- Memory for the elements: guarded_memory.c ---- */

/* It is aligned as asked, next to pages that nobody may access, or on pages that can be
 * protected. */

/* Which end of a tensor adjoins inaccessible memory, in the order of the words of --guard. */
typedef enum { kGuardEnd, kGuardStart, kGuardNone } tensor_guard;

typedef enum {
  kMemoryPlain,
  kMemoryPages,   /* on pages of its own, which are not touched before somebody uses them */
  kMemoryReserved /* addresses that nobody may access: there may be more than the machine has */
} memory_kind;

/* What may be done with pages. */
typedef enum { kAccessNone, kAccessRead, kAccessWrite } memory_access;

enum { kMemoryAlignment = 64 };

typedef struct memory_block {
  char *begin; /* what was asked for */
  size_t size;
  char *low, *high; /* what surrounds it and can be accessed too: at least 64 bytes on each side
                       that has no guard */
  struct memory_pages *pages; /* NULL: it has none of its own */
  uint64_t references;
  memory_kind kind;
} memory_block;

/* Makes memory of zeros that begins `misaligned` bytes (less than 64) behind a multiple of 64, of
 * kMemoryPages so many bytes (less than 4096) behind the 64th byte of a page. With
 * a guard it has pages of its own, `misaligned` is ignored, and its begin or its end is that of a
 * page. NULL with an error raised. */
memory_block *memory_new(size_t size, size_t misaligned, tensor_guard guard, memory_kind kind);
/* Says of a crash behind a block that has guards what it reached beyond, "the arguments". */
void memory_name(const memory_block *block, const char *name);

/* Changes what may be done with its pages, `low` to `high`. False with an error raised. */
bool memory_protect(memory_block *block, memory_access access);

/* Another reference, and the end of one; in any thread. After the last, pages of its own are
 * inaccessible and not used again, so that a function is also caught if it uses them too late. */
memory_block *memory_share(memory_block *block);
void memory_release(memory_block *block);

/* Whether the address is in memory that was made here and is not released. If so, *out is its
 * kind. */
bool memory_find(const void *address, memory_kind *out);

/* ---- Layouts ---- */

enum { kLayoutMaxDims = 64 };

/* Begin with a copy of kLayoutPacked. */
typedef struct {
  const int64_t *strides; /* of each dimension, in elements; NULL: row-major */
  /* The least that the storage has in bytes before its lowest element, and behind its highest. They
   * are gaps. Guards adjoin the storage. */
  size_t before, behind;
  size_t byte_offset; /* of the DLTensor, whose `data` is so many bytes before the first element */
  size_t misaligned;  /* the storage begins so many bytes (less than 64) behind a multiple of 64;
                         on pages of its own (less than 4096) behind the 64th byte of a page */
  tensor_guard guard;
  unsigned char fill;       /* each byte of the storage that is of no element, and around it */
  bool is_read_only;        /* Tensor objects have DLPack's flag */
  bool has_read_only_pages; /* writing to the elements is a crash */
  bool has_no_memory; /* so is reading them, and there may be more of them than memory_block */
  bool has_own_pages;
  DLDevice device; /* what the tensor says; the memory is the CPU's */
} layout;

/* Row-major, aligned to 64 bytes, on cpu:0; gaps are 0xff, which are NaN or -1. */
extern const layout kLayoutPacked;

/* ---- Storage ---- */

/* A tensor in memory of its own. */
typedef struct storage {
  DLTensor tensor; /* [lend] until storage_free(); its strides are set */
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  memory_block *block;
  struct storage *next; /* in the ring of those that share the memory */
  unsigned char fill;
  bool is_read_only, has_read_only_pages, has_no_memory;
} storage;

/* Makes storage with elements of zeros. NULL with an error raised: ValueError (shape; strides that
 * reach too far, or of elements that are not whole bytes; misaligned beside a guard), memory. */
storage *storage_new(DLDataType dtype, const int64_t *shape, int32_t ndim, const layout *how);

/* The same for another tensor in the memory of one, which begins so many bytes from the first
 * element of that. Of `how`, this uses strides, byte_offset, is_read_only and device. ValueError if
 * it leaves that memory. */
storage *storage_share(storage *s, DLDataType dtype, const int64_t *shape, int32_t ndim,
                       int64_t bytes, const layout *how);

/* Objects that were made of it keep the memory. */
void storage_free(storage *s);

/* [own] Makes a Tensor object of it; NULL with an error raised. */
TVMFFIObjectHandle storage_make_object(storage *s);

/* Sets the elements from packed ones, in row-major order; pages that are read-only become writable
 * meanwhile. Of elements that share memory the last one stays. False with an error raised. */
bool storage_fill(storage *s, const void *packed);
/* Copies the elements to packed ones; there must be memory. */
void storage_read(const storage *s, void *packed);

/* Whether all gaps, and all bytes around the storage, are still `fill`; elements of those that
 * share the memory are no gaps. If not, writes where the first change is: "byte 3 behind its
 * highest element". */
bool storage_is_intact(const storage *s, char *out, size_t out_size);

/* ---- Elements of a tensor in CPU memory ---- */

/* Where the elements are: bytes from the first element down to the lowest, and up to the end of the
 * highest. False with an error raised: ValueError. */
bool tensor_measure(const DLTensor *tensor, size_t *down, size_t *up);
/* Copies elements of whole bytes, or of a contiguous tensor. `tensor` may have no strides. */
void tensor_gather(const DLTensor *tensor, void *packed);
void tensor_scatter(const DLTensor *tensor, const void *packed);

#endif /* TVM_FFI_TOOL_LAYOUT_H_ */
