/* SPDX-License-Identifier: Apache-2.0 */
#include "value/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const layout kLayoutPacked = {NULL, 0,     0,     0,     0,     kGuardNone,
                              0xff, false, false, false, false, {kDLCPU, 0}};

/* ---- Elements ---- */

/* Calls `visit` with the bytes of each element in row-major order, or with those of all when they
 * are contiguous. */
static void visit_elements(const DLTensor *tensor,
                           void (*visit)(void *context, char *element, size_t size),
                           void *context) {
  const int64_t count = tvm_ffi_tensor_get_numel(tensor);
  const int64_t item = (int64_t)tvm_ffi_dtype_get_bits(tensor->dtype) / 8;
  int64_t index[kLayoutMaxDims] = {0}, i, offset = 0;
  char *data = tvm_ffi_tensor_get_data(tensor);
  size_t size = 0;
  int32_t d;
  if (count <= 0) return;
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    if (tvm_ffi_tensor_compute_size(tensor, &size) == 0) visit(context, data, size);
    return;
  }
  for (i = 0; i < count; ++i) {
    visit(context, data + offset * item, (size_t)item);
    for (d = tensor->ndim - 1; d >= 0; --d) {
      offset += tensor->strides[d];
      if (++index[d] < tensor->shape[d]) break;
      offset -= index[d] * tensor->strides[d];
      index[d] = 0;
    }
  }
}

static void gather_element(void *context, char *element, size_t size) {
  char **packed = context;
  memcpy(*packed, element, size);
  *packed += size;
}

static void scatter_element(void *context, char *element, size_t size) {
  const char **packed = context;
  memcpy(element, *packed, size);
  *packed += size;
}

void tensor_gather(const DLTensor *tensor, void *packed) {
  char *next = packed;
  visit_elements(tensor, gather_element, &next);
}

void tensor_scatter(const DLTensor *tensor, const void *packed) {
  const char *next = packed;
  visit_elements(tensor, scatter_element, &next);
}

/* The same elements, each of those that a dimension of stride 0 repeats only once. */
static DLTensor without_repeats(const storage *s, int64_t *shape) {
  DLTensor once = s->tensor;
  int32_t d;
  for (d = 0; d < once.ndim; ++d) {
    shape[d] = once.strides[d] == 0 && once.shape[d] > 1 ? 1 : once.shape[d];
  }
  once.shape = shape;
  return once;
}

/* ---- Storage ---- */

static bool fail_layout(const char *what) {
  tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%s", what);
  return false;
}

bool tensor_measure(const DLTensor *tensor, size_t *down, size_t *up) {
  int64_t begin = 0, end = 0;
  size_t size = 0;
  *down = *up = 0;
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) return false;
  if (tvm_ffi_dtype_get_bits(tensor->dtype) % 8 != 0 && !tvm_ffi_tensor_is_contiguous(tensor)) {
    return fail_layout("elements that are not whole bytes must be contiguous");
  }
  if (!tvm_ffi_tensor_find_bytes(tensor, &begin, &end) || begin == INT64_MIN ||
      (uint64_t)-begin > SIZE_MAX / 4 || (uint64_t)end > SIZE_MAX / 4) {
    return fail_layout("its strides reach beyond what can be addressed");
  }
  *down = (size_t)-begin;
  *up = (size_t)end;
  return true;
}

/* Whether visiting each element takes no longer than the memory is large, or not much. */
static bool check_overlap(const storage *s, size_t down, size_t up) {
  enum { kMaxShared = 1 << 22 };
  const size_t item = (size_t)tvm_ffi_dtype_get_bits(s->tensor.dtype) / 8;
  int64_t shape[kLayoutMaxDims];
  const DLTensor once = without_repeats(s, shape);
  return tvm_ffi_tensor_is_contiguous(&s->tensor) ||
         (uint64_t)tvm_ffi_tensor_get_numel(&once) <= (down + up) / item + kMaxShared ||
         fail_layout("too many of its elements share memory");
}

static bool place(storage *s, const layout *how) {
  enum { kSmallestPage = 4096 };
  const bool has_pages = how->has_read_only_pages || how->has_own_pages;
  const memory_kind kind = how->has_no_memory ? kMemoryReserved
                           : has_pages        ? kMemoryPages
                                              : kMemoryPlain;
  size_t down, up, before = how->before;
  if (how->misaligned >= (how->has_own_pages ? (size_t)kSmallestPage : (size_t)kMemoryAlignment)) {
    return fail_layout("memory is misaligned by less than 64 bytes");
  }
  if (how->misaligned > 0 && how->guard != kGuardNone) {
    return fail_layout("memory next to a guard cannot also be misaligned");
  }
  if (!tensor_measure(&s->tensor, &down, &up) || !check_overlap(s, down, up)) return false;
  if (how->byte_offset > down && how->byte_offset - down > before) before = how->byte_offset - down;
  if (before > SIZE_MAX / 4 || how->behind > SIZE_MAX / 4) {
    return fail_layout("its memory is too large");
  }
  s->block = memory_new(before + down + up + how->behind, how->misaligned, how->guard, kind);
  if (s->block == NULL) return false;
  s->tensor.data = s->block->begin + before + down - how->byte_offset;
  s->tensor.byte_offset = how->byte_offset;
  return true;
}

static void clear_element(void *context, char *element, size_t size) {
  (void)context;
  memset(element, 0, size);
}

/* Fills all but the elements, which are left as they are if nothing lies between them. */
static void fill_gaps(storage *s) {
  const memory_block *block = s->block;
  char *first = tvm_ffi_tensor_get_data(&s->tensor), *end = first;
  int64_t shape[kLayoutMaxDims];
  DLTensor once;
  size_t size = 0;
  if (!tvm_ffi_tensor_is_contiguous(&s->tensor)) {
    memset(block->low, s->fill, (size_t)(block->high - block->low));
    once = without_repeats(s, shape);
    visit_elements(&once, clear_element, NULL);
    return;
  }
  if (tvm_ffi_tensor_compute_size(&s->tensor, &size) == 0) end += size;
  memset(block->low, s->fill, (size_t)(first - block->low));
  memset(end, s->fill, (size_t)(block->high - end));
}

/* A tensor that has no memory yet; NULL with an error raised. */
static storage *begin(DLDataType dtype, const int64_t *shape, int32_t ndim, const layout *how) {
  storage *s;
  if (ndim < 0 || ndim > kLayoutMaxDims) {
    fail_layout("a tensor has at most 64 dimensions");
    return NULL;
  }
  s = tool_alloc(sizeof *s);
  memset(s, 0, sizeof *s);
  s->next = s;
  s->is_read_only = how->is_read_only;
  if (ndim > 0) memcpy(s->shape, shape, (size_t)ndim * sizeof *shape);
  tvm_ffi_tensor_init(&s->tensor, NULL, how->device, dtype, ndim, s->shape, s->strides);
  if (ndim > 0 && how->strides != NULL) {
    memcpy(s->strides, how->strides, (size_t)ndim * sizeof *s->strides);
  }
  return s;
}

storage *storage_new(DLDataType dtype, const int64_t *shape, int32_t ndim, const layout *how) {
  storage *s = begin(dtype, shape, ndim, how);
  if (s == NULL) return NULL;
  s->fill = how->fill;
  s->has_read_only_pages = how->has_read_only_pages && !how->has_no_memory;
  s->has_no_memory = how->has_no_memory;
  if (!place(s, how)) {
    free(s);
    return NULL;
  }
  if (!s->has_no_memory) fill_gaps(s);
  if (!s->has_read_only_pages || memory_protect(s->block, kAccessRead)) return s;
  storage_free(s);
  return NULL;
}

storage *storage_share(storage *s, DLDataType dtype, const int64_t *shape, int32_t ndim,
                       int64_t bytes, const layout *how) {
  storage *other = begin(dtype, shape, ndim, how);
  const char *begin_of_all = s->block->begin;
  const int64_t first = (const char *)tvm_ffi_tensor_get_data(&s->tensor) - begin_of_all + bytes;
  size_t down, up;
  if (other == NULL) return NULL;
  if (!tensor_measure(&other->tensor, &down, &up) || !check_overlap(other, down, up)) {
    free(other);
    return NULL;
  }
  if (first < 0 || (uint64_t)first > s->block->size || down > (uint64_t)first ||
      up > s->block->size - (size_t)first || how->byte_offset > (uint64_t)first) {
    free(other);
    fail_layout("it leaves the memory of the other tensor");
    return NULL;
  }
  other->tensor.data = s->block->begin + first - how->byte_offset;
  other->tensor.byte_offset = how->byte_offset;
  other->block = memory_share(s->block);
  other->fill = s->fill;
  other->has_read_only_pages = s->has_read_only_pages;
  other->has_no_memory = s->has_no_memory;
  other->next = s->next;
  s->next = other;
  return other;
}

void storage_free(storage *s) {
  storage *before = s;
  if (s == NULL) return;
  while (before->next != s) before = before->next;
  before->next = s->next;
  memory_release(s->block);
  free(s);
}

bool storage_fill(storage *s, const void *packed) {
  if (s->has_no_memory) return fail_layout("a tensor without memory cannot be filled");
  if (s->has_read_only_pages && !memory_protect(s->block, kAccessWrite)) return false;
  tensor_scatter(&s->tensor, packed);
  return !s->has_read_only_pages || memory_protect(s->block, kAccessRead);
}

void storage_read(const storage *s, void *packed) {
  tensor_gather(&s->tensor, packed);
}

/* ---- Tensor objects ---- */

typedef struct {
  DLManagedTensorVersioned managed;
  memory_block *block;
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
} managed_storage;

static void delete_managed(DLManagedTensorVersioned *managed) {
  managed_storage *made = managed->manager_ctx;
  memory_release(made->block);
  free(made);
}

TVMFFIObjectHandle storage_make_object(storage *s) {
  managed_storage *made = tool_alloc(sizeof *made);
  TVMFFIObjectHandle out = NULL;
  memset(made, 0, sizeof *made);
  memcpy(made->shape, s->shape, sizeof made->shape);
  memcpy(made->strides, s->strides, sizeof made->strides);
  made->managed.version.major = DLPACK_MAJOR_VERSION;
  made->managed.version.minor = DLPACK_MINOR_VERSION;
  made->managed.manager_ctx = made;
  made->managed.deleter = delete_managed;
  made->managed.flags = s->is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  made->managed.dl_tensor = s->tensor;
  made->managed.dl_tensor.shape = made->shape;
  made->managed.dl_tensor.strides = made->strides;
  made->block = memory_share(s->block);
  if (TVMFFITensorFromDLPackVersioned(&made->managed, 0, 0, &out) == 0) return out;
  delete_managed(&made->managed);
  return NULL;
}

/* ---- Gaps ---- */

typedef struct {
  const char *begin;
  unsigned char *is_element; /* one for each byte from `begin` on */
} element_map;

static void mark_element(void *context, char *element, size_t size) {
  element_map *map = context;
  memset(map->is_element + (element - map->begin), 1, size);
}

static void describe_change(const storage *s, const char *changed, size_t down, size_t up,
                            char *out, size_t out_size) {
  const char *first = tvm_ffi_tensor_get_data(&s->tensor);
  const char *lowest = first - down, *end = first + up;
  if (changed < lowest) {
    snprintf(out, out_size, "byte %zu before its lowest element", (size_t)(lowest - changed));
  } else if (changed >= end) {
    snprintf(out, out_size, "byte %zu after its highest element", (size_t)(changed - end) + 1);
  } else {
    snprintf(out, out_size, "byte %zu from its lowest element on, between elements",
             (size_t)(changed - lowest) + 1);
  }
}

/* The first byte that is another one; `end`: none. */
static const char *find_change(const char *begin, const char *end, unsigned char fill) {
  while (begin < end && (unsigned char)*begin == fill) ++begin;
  return begin;
}

/* The first byte that is of no element, of all that share the memory, and another one. */
static const char *find_change_between(const storage *s) {
  const memory_block *block = s->block;
  const size_t size = (size_t)(block->high - block->low);
  const storage *other = s;
  int64_t shape[kLayoutMaxDims];
  element_map map;
  size_t i;
  map.begin = block->low;
  map.is_element = tool_alloc(size + 1);
  memset(map.is_element, 0, size);
  do {
    const DLTensor once = without_repeats(other, shape);
    visit_elements(&once, mark_element, &map);
    other = other->next;
  } while (other != s);
  for (i = 0; i < size; ++i) {
    if (map.is_element[i] == 0 && (unsigned char)block->low[i] != s->fill) break;
  }
  free(map.is_element);
  return block->low + i;
}

bool storage_is_intact(const storage *s, char *out, size_t out_size) {
  const memory_block *block = s->block;
  const char *first = tvm_ffi_tensor_get_data(&s->tensor), *changed;
  size_t down = 0, up = 0;
  if (s->has_no_memory || !tensor_measure(&s->tensor, &down, &up)) return true;
  if (s->next == s && tvm_ffi_tensor_is_contiguous(&s->tensor)) {
    changed = find_change(block->low, first, s->fill);
    if (changed == first) changed = find_change(first + up, block->high, s->fill);
  } else {
    changed = find_change_between(s);
  }
  if (changed == block->high) return true;
  describe_change(s, changed, down, up, out, out_size);
  return false;
}
