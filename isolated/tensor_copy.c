/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of one process, without regard to messages: the bytes that a layout takes, copies of
 * elements, and new tensors in memory that both processes see. In the host and in the helper.
 */
#define _POSIX_C_SOURCE 200809L
#include "tensor_copy.h"

#include <stdlib.h>
#include <string.h>

/* ---- Layouts ---- */

bool tensor_find_extent(const DLTensor *tensor, int64_t *lo, int64_t *hi) {
  return tensor->ndim >= 0 && tensor->ndim <= kMaxDims &&
         (tensor->ndim == 0 || tensor->shape != NULL) && tensor->dtype.code != kDLOpaqueHandle &&
         tvm_ffi_tensor_find_bytes(tensor, lo, hi);
}

/* ---- Copies of elements ---- */

static bool may_write(copy_rule *rule) {
  uint64_t flags = 0;
  if (!rule->is_known) {
    rule->is_known = true;
    /* Without memory to ask, nothing is written. */
    rule->may_write =
        rule->object == NULL || (tvm_ffi_tensor_read_flags(rule->object, &flags) == 0 &&
                                 (flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0);
  }
  return rule->may_write;
}

/* False: it may not be written. */
static bool copy_run(char *to, const char *from, size_t size, copy_rule *rule) {
  enum { kStep = 16 << 10 };
  if (rule->always) {
    memcpy(to, from, size);
    return true;
  }
  while (size > 0) {
    const size_t step = size < kStep ? size : kStep;
    if (memcmp(to, from, step) != 0) {
      if (!may_write(rule)) return false;
      memcpy(to, from, step);
    }
    to += step;
    from += step;
    size -= step;
  }
  return true;
}

void tensor_copy_elements(const DLTensor *layout, char *to, const char *from, copy_rule rule) {
  int64_t index[kMaxDims] = {0}, run, lo, hi, compact = 1;
  int32_t outer = layout->ndim, i;
  if (!tensor_find_extent(layout, &lo, &hi) || lo == hi) return;
  if (layout->strides == NULL || (int64_t)layout->dtype.bits * layout->dtype.lanes % 8 != 0) {
    copy_run(to, from, (size_t)hi, &rule);
    return;
  }
  run = (int64_t)layout->dtype.bits * layout->dtype.lanes / 8;
  while (outer > 0 && (layout->shape[outer - 1] == 1 || layout->strides[outer - 1] == compact)) {
    compact *= layout->shape[--outer];
  }
  for (;;) {
    int64_t offset = 0;
    for (i = 0; i < outer; ++i) offset += index[i] * layout->strides[i] * run;
    if (!copy_run(to + offset, from + offset, (size_t)(compact * run), &rule)) return;
    for (i = outer - 1; i >= 0 && ++index[i] == layout->shape[i]; --i) index[i] = 0;
    if (i < 0) return;
  }
}

int tensor_take_copy(DLTensor *tensor, const char *from, void **out_copy) {
  const copy_rule rule = {.always = true};
  int64_t lo, hi;
  size_t shift;
  char *first;
  if (!tensor_find_extent(tensor, &lo, &hi)) {
    return TVM_FFI_C_RAISE("ValueError", "a tensor without a layout");
  }
  shift = (size_t)((uintptr_t)(from + lo) % kTensorAlignment);
  if (posix_memalign(out_copy, kTensorAlignment, (size_t)(hi - lo) + shift + 1) != 0) {
    *out_copy = NULL;
    return tvm_ffi_error_raise_memory();
  }
  /* Gaps are not initialised by anything else. */
  memset(*out_copy, 0, (size_t)(hi - lo) + shift + 1);
  first = (char *)*out_copy + shift - lo;
  tensor_copy_elements(tensor, first, from, rule);
  tensor->data = first;
  return 0;
}

int tensor_copy_compact(const DLTensor *tensor, char *first, TVMFFIObjectHandle *out) {
  DLTensor wanted = *tensor;
  char *to;
  int64_t lo, hi;
  TVM_FFI_C_TRY(TVMFFIEnvTensorAlloc(&wanted, out));
  to = TVMFFITensorGetDLTensorPtr(*out)->data;
  if (tvm_ffi_tensor_is_contiguous(tensor)) {
    if (tensor_find_extent(tensor, &lo, &hi)) memcpy(to, first, (size_t)hi);
  } else {
    const int64_t size = (int64_t)tensor->dtype.bits * tensor->dtype.lanes / 8;
    int64_t index[kMaxDims] = {0}, offset;
    int32_t i;
    do {
      for (offset = 0, i = 0; i < tensor->ndim; ++i) offset += index[i] * tensor->strides[i];
      memcpy(to, first + offset * size, (size_t)size);
      to += size;
      for (i = tensor->ndim - 1; i >= 0 && ++index[i] == tensor->shape[i]; --i) index[i] = 0;
    } while (i >= 0);
  }
  return 0;
}

/* ---- Tensors in shared memory ---- */

typedef struct {
  DLManagedTensorVersioned managed;
  heap *source;
  size_t size;
  int64_t numbers[]; /* shape and strides */
} heap_tensor;

static void delete_heap_tensor(DLManagedTensorVersioned *managed) {
  heap_tensor *self = managed->manager_ctx;
  heap_free(self->source, managed->dl_tensor.data, self->size);
  free(self);
}

int tensor_in_heap(heap *source, const DLTensor *prototype, DLManagedTensorVersioned **out,
                   void *error_ctx,
                   void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  DLTensor layout = *prototype;
  heap_tensor *self;
  int64_t lo, hi;
  layout.strides = NULL;
  if (layout.device.device_type != kDLCPU || !tensor_find_extent(&layout, &lo, &hi)) {
    set_error(error_ctx, TVM_FFI_C_VALUE_ERROR,
              "shared memory is for tensors of the CPU with a valid shape and dtype");
    return -1;
  }
  self = calloc(1, sizeof *self + (2 * (size_t)layout.ndim + 1) * sizeof(int64_t));
  if (self != NULL) {
    self->source = source;
    self->size = (size_t)hi + (hi == 0);
    layout.data = heap_allocate(source, self->size);
  }
  if (self == NULL || layout.data == NULL) {
    free(self);
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "no shared memory is left");
    return -1;
  }
  layout.byte_offset = 0;
  layout.shape = self->numbers;
  layout.strides = self->numbers + layout.ndim;
  if (layout.ndim > 0) {
    memcpy(layout.shape, prototype->shape, (size_t)layout.ndim * sizeof(int64_t));
    tvm_ffi_shape_fill_strides(layout.shape, layout.ndim, layout.strides);
  }
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = delete_heap_tensor;
  self->managed.dl_tensor = layout;
  *out = &self->managed;
  return 0;
}
