/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/tensor.h
 * The bodies of tvm/ffi/c/tensor.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_TENSOR_H_
#define TVM_FFI_C_DETAIL_TENSOR_H_

static inline void *tvm_ffi_tensor_get_data(const DLTensor *tensor) {
  return tensor->data != NULL ? (char *)tensor->data + tensor->byte_offset : NULL;
}

static inline void *tvm_ffi_tensor_get_handle(const DLTensor *tensor, uint64_t *out_offset) {
  *out_offset = tensor->byte_offset;
  return tensor->data;
}

static inline int64_t tvm_ffi_tensor_get_numel(const DLTensor *tensor) {
  return tvm_ffi_shape_get_numel(tensor->shape, tensor->ndim);
}

static inline bool tvm_ffi_tensor_is_valid(const DLTensor *tensor) {
  int64_t count;
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == NULL)) return false;
  count = tvm_ffi_tensor_get_numel(tensor);
  if (count > 0 && tensor->data == NULL) return !tvm_ffi_device_is_addressable(tensor->device);
  return count >= 0;
}

/** Resolves a negative i; -1 with an error raised if there is no such dimension. */
static inline int32_t tvm_ffi_detail_tensor_dim(const DLTensor *tensor, int32_t i) {
  const int32_t dim = i < 0 ? i + tensor->ndim : i;
  if (dim >= 0 && dim < tensor->ndim) return dim;
  tvm_ffi_error_raise(TVM_FFI_C_INDEX_ERROR, "Index %d out of bounds for tensor with %d dimensions",
                      (int)i, (int)tensor->ndim);
  return -1;
}

/** Stores the product; false if it overflows. */
static inline bool tvm_ffi_detail_multiply(int64_t a, int64_t b, int64_t *out) {
  const bool fits = b > 0    ? a <= INT64_MAX / b && a >= INT64_MIN / b
                    : b < -1 ? a <= INT64_MIN / b && a >= INT64_MAX / b
                             : b == 0 || a != INT64_MIN;
  if (fits) *out = a * b;
  return fits;
}

static inline bool tvm_ffi_detail_add(int64_t a, int64_t b, int64_t *out) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *out = a + b;
  return true;
}

/** DLPack's pointers are not const, although they are only read here. */
static inline int64_t *tvm_ffi_detail_mutable(const int64_t *values) {
  int64_t *result;
  memcpy(&result, &values, sizeof result);
  return result;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_tensor_read_size(const DLTensor *tensor, int32_t i,
                                                     int64_t *out) {
  const int32_t dim = tvm_ffi_detail_tensor_dim(tensor, i);
  if (dim < 0) return -1;
  *out = tensor->shape[dim];
  return 0;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_tensor_read_stride(const DLTensor *tensor, int32_t i,
                                                       int64_t *out) {
  const int32_t dim = tvm_ffi_detail_tensor_dim(tensor, i);
  uint64_t stride = 1; /* may wrap around if there are no elements, which is harmless */
  bool counts = dim >= 0 && tensor->strides != NULL && tensor->shape[dim] != 1;
  int32_t k;
  if (dim < 0) return -1;
  for (k = 0; k < tensor->ndim; ++k) {
    if (tensor->shape[k] == 0) {
      counts = false;
    } else if (k > dim) {
      stride *= (uint64_t)tensor->shape[k];
    }
  }
  *out = counts ? tensor->strides[dim] : (int64_t)stride;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_compute_size(const DLTensor *tensor,
                                                                         size_t *out) {
  const int64_t count = tvm_ffi_tensor_get_numel(tensor);
  char text[128];
  if (count < 0) {
    return TVM_FFI_C_DETAIL_FAIL(
        TVM_FFI_C_VALUE_ERROR, "Shape %s has a negative extent or too many elements",
        tvm_ffi_shape_print(tensor->shape, tensor->ndim, text, sizeof text));
  }
  return tvm_ffi_dtype_compute_size(tensor->dtype, count, out);
}

static inline bool tvm_ffi_tensor_is_contiguous(const DLTensor *tensor) {
  uint64_t expected = 1;
  bool contiguous = true;
  int32_t i;
  if (tensor->strides == NULL) return true;
  for (i = tensor->ndim - 1; i >= 0; --i) {
    const int64_t size = tensor->shape[i];
    if (size == 0) return true;
    if (size == 1) continue;
    if (tensor->strides[i] != (int64_t)expected) contiguous = false;
    expected *= (uint64_t)size;
  }
  return contiguous;
}

/** Of the first element; on a device with handles, its byte_offset. */
static inline uint64_t tvm_ffi_detail_address(const DLTensor *tensor) {
  const bool is_address = tvm_ffi_device_is_addressable(tensor->device);
  return tensor->byte_offset + (is_address ? (uint64_t)(uintptr_t)tensor->data : 0);
}

static inline bool tvm_ffi_tensor_is_aligned(const DLTensor *tensor, size_t alignment) {
  return (tvm_ffi_detail_address(tensor) & (uint64_t)(alignment - 1)) == 0 ||
         tvm_ffi_tensor_get_numel(tensor) == 0;
}

static inline bool tvm_ffi_tensor_has_same_shape(const DLTensor *a, const DLTensor *b) {
  return tvm_ffi_shape_equal(a->shape, a->ndim, b->shape, b->ndim);
}

/** Raises what keeps tensor k of a walk from being walked over like the first; 0 if nothing does.
 */
static inline int tvm_ffi_detail_check_run(const DLTensor *const *tensors, int32_t k) {
  const DLTensor *tensor = tensors[k];
  const int64_t bits = tvm_ffi_dtype_get_bits(tensor->dtype);
  char first[128], text[128];
  if (!tvm_ffi_tensor_is_valid(tensor) || !tvm_ffi_device_is_addressable(tensor->device)) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                 "Tensor %d of a walk is not valid, or its data is not an address",
                                 (int)k);
  }
  if (bits == 0 || bits % 8 != 0) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                 "The elements of tensor %d of a walk, `%s`, are no whole bytes",
                                 (int)k, tvm_ffi_dtype_print(tensor->dtype, text, sizeof text));
  }
  if (!tvm_ffi_tensor_has_same_shape(tensors[0], tensor)) {
    return TVM_FFI_C_DETAIL_FAIL(
        TVM_FFI_C_VALUE_ERROR, "Tensor %d of a walk has shape %s, but the first one %s", (int)k,
        tvm_ffi_shape_print(tensor->shape, tensor->ndim, text, sizeof text),
        tvm_ffi_shape_print(tensors[0]->shape, tensors[0]->ndim, first, sizeof first));
  }
  return 0;
}

/** Moves dimension `from` of a walk to the place `to` before it. */
static inline void tvm_ffi_detail_move_run(tvm_ffi_tensor_runs *runs, int32_t from, int32_t to) {
  int64_t strides[TVM_FFI_C_RUNS_TENSORS];
  const int64_t size = runs->shape[from];
  memcpy(strides, runs->strides[from], sizeof strides);
  for (; from > to; --from) {
    runs->shape[from] = runs->shape[from - 1];
    memcpy(runs->strides[from], runs->strides[from - 1], sizeof strides);
  }
  runs->shape[to] = size;
  memcpy(runs->strides[to], strides, sizeof strides);
}

/** Whether dimension `inner` continues dimension `outer` in every tensor: they are one. */
static inline bool tvm_ffi_detail_joins_run(const tvm_ffi_tensor_runs *runs, int32_t outer,
                                            int32_t inner) {
  int32_t k;
  for (k = 0; k < runs->num_tensors; ++k) {
    if ((uint64_t)runs->strides[outer][k] !=
        (uint64_t)runs->strides[inner][k] * (uint64_t)runs->shape[inner]) {
      return false;
    }
  }
  return true;
}

/** The distance of a dimension's elements in the first tensor. */
static inline uint64_t tvm_ffi_detail_get_distance(const tvm_ffi_tensor_runs *runs, int32_t dim) {
  const int64_t stride = runs->strides[dim][0];
  return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_runs_begin(
    tvm_ffi_tensor_runs *runs, const DLTensor *const *tensors, int32_t num_tensors) {
  uint64_t compact[TVM_FFI_C_RUNS_TENSORS] = {0};
  int32_t i, k, n = 0, last = 0;
  bool is_contiguous = true;
  if (num_tensors < 1 || num_tensors > TVM_FFI_C_RUNS_TENSORS) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "A walk is over 1 to %d tensors, not %d",
                                 (int)TVM_FFI_C_RUNS_TENSORS, (int)num_tensors);
  }
  memset(runs, 0, offsetof(tvm_ffi_tensor_runs, shape));
  runs->num_tensors = num_tensors;
  for (k = 0; k < num_tensors; ++k) {
    TVM_FFI_C_TRY(tvm_ffi_detail_check_run(tensors, k));
    runs->data[k] = tvm_ffi_tensor_get_data(tensors[k]);
    runs->step[k] = 1;
    compact[k] = (uint64_t)tvm_ffi_dtype_get_bits(tensors[k]->dtype) / 8;
    is_contiguous = is_contiguous && tvm_ffi_tensor_is_contiguous(tensors[k]);
  }
  runs->count = tvm_ffi_tensor_get_numel(tensors[0]);
  runs->is_at_start = runs->count > 0;
  runs->is_contiguous = is_contiguous;
  if (is_contiguous) return 0;

  /* The dimensions from the innermost one to the outermost, each before all that are nearer. */
  for (i = tensors[0]->ndim - 1; i >= 0; --i) {
    const int64_t size = tensors[0]->shape[i];
    int32_t place = 0;
    if (size == 1) continue;
    if (n == TVM_FFI_C_RUNS_DIMS) {
      return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                   "A walk is over at most %d extents above 1", (int)n);
    }
    runs->shape[n] = size;
    for (k = 0; k < num_tensors; ++k) {
      const uint64_t bytes = (uint64_t)tvm_ffi_dtype_get_bits(tensors[k]->dtype) / 8;
      const int64_t *strides = tensors[k]->strides;
      runs->strides[n][k] = (int64_t)(strides != NULL ? (uint64_t)strides[i] * bytes : compact[k]);
      compact[k] *= (uint64_t)size;
    }
    while (place < n &&
           tvm_ffi_detail_get_distance(runs, place) > tvm_ffi_detail_get_distance(runs, n)) {
      ++place;
    }
    tvm_ffi_detail_move_run(runs, n++, place);
  }
  for (i = 1; i < n; ++i) {
    if (tvm_ffi_detail_joins_run(runs, last, i)) {
      runs->shape[i] *= runs->shape[last];
    } else {
      ++last;
    }
    runs->shape[last] = runs->shape[i];
    memmove(runs->strides[last], runs->strides[i], sizeof runs->strides[i]);
  }

  runs->count = runs->shape[last];
  runs->ndim = last;
  runs->is_contiguous = true;
  for (k = 0; k < num_tensors; ++k) {
    runs->step[k] = runs->strides[last][k] / (tvm_ffi_dtype_get_bits(tensors[k]->dtype) / 8);
    if (runs->step[k] != 1) runs->is_contiguous = false;
  }
  memset(runs->index, 0, sizeof runs->index);
  return 0;
}

static inline bool tvm_ffi_tensor_runs_next(tvm_ffi_tensor_runs *runs) {
  int32_t i, k;
  if (runs->is_at_start) {
    runs->is_at_start = false;
    return true;
  }
  for (i = runs->ndim - 1; i >= 0; --i) {
    const int64_t moves = ++runs->index[i] < runs->shape[i] ? 1 : 1 - runs->shape[i];
    for (k = 0; k < runs->num_tensors; ++k) {
      runs->data[k] = (char *)runs->data[k] + moves * runs->strides[i][k];
    }
    if (moves == 1) return true;
    runs->index[i] = 0;
  }
  runs->ndim = 0; /* a call after the last one finds nothing either */
  return false;
}

static inline void tvm_ffi_tensor_init(DLTensor *tensor, void *data, DLDevice device,
                                       DLDataType dtype, int32_t ndim, int64_t *shape,
                                       int64_t *strides) {
  tensor->data = data;
  tensor->device = device;
  tensor->ndim = ndim;
  tensor->dtype = dtype;
  tensor->shape = shape;
  tensor->strides = strides;
  tensor->byte_offset = 0;
  if (strides != NULL) tvm_ffi_shape_fill_strides(shape, ndim, strides);
}

static inline TVMFFIAny tvm_ffi_vector_init(tvm_ffi_vector *vector, void *data, DLDevice device,
                                            DLDataType dtype, int64_t size) {
  vector->shape[0] = size;
  tvm_ffi_tensor_init(&vector->tensor, data, device, dtype, 1, vector->shape, vector->strides);
  return tvm_ffi_any_view_tensor(&vector->tensor);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_create(DLDevice device,
                                                                   DLDataType dtype, int32_t ndim,
                                                                   const int64_t *shape,
                                                                   TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle tensor = NULL;
  DLTensor prototype;
  size_t size = 0;
  int code;
  prototype.data = NULL;
  prototype.device = device;
  prototype.ndim = ndim;
  prototype.dtype = dtype;
  prototype.shape = tvm_ffi_detail_mutable(shape);
  prototype.strides = NULL;
  prototype.byte_offset = 0;
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(&prototype, &size));
  TVMFFIErrorSetRaised(NULL);
  code = TVMFFIEnvTensorAlloc(&prototype, &tensor);
  if (code != 0) return tvm_ffi_error_ensure(code);
  *out = tensor;
  return 0;
}

typedef struct {
  DLManagedTensorVersioned managed;
  tvm_ffi_tensor_release_fn release;
  void *context;
} tvm_ffi_detail_tensor; /* followed by the extents and then the strides */

static inline void tvm_ffi_detail_delete_tensor(DLManagedTensorVersioned *managed) {
  tvm_ffi_detail_tensor *self = (tvm_ffi_detail_tensor *)managed->manager_ctx;
  if (self->release != NULL) self->release(self->context, &managed->dl_tensor);
  free(self);
}

/** Allocates a tensor without data, and `extra` bytes after it. strides NULL: row-major. */
static inline int tvm_ffi_detail_new_tensor(DLDevice device, DLDataType dtype, int32_t ndim,
                                            const int64_t *shape, const int64_t *strides,
                                            size_t extra, tvm_ffi_detail_tensor **out) {
  const size_t num_extents = ndim > 0 ? (size_t)ndim : 0;
  const size_t fixed = sizeof(tvm_ffi_detail_tensor) + 2 * num_extents * sizeof(int64_t);
  tvm_ffi_detail_tensor *self =
      (tvm_ffi_detail_tensor *)(extra > SIZE_MAX - fixed ? NULL : malloc(fixed + extra));
  DLTensor *tensor;
  if (self == NULL) return tvm_ffi_error_raise_memory(), -1;
  tensor = &self->managed.dl_tensor;
  self->managed.version.major = DLPACK_MAJOR_VERSION;
  self->managed.version.minor = DLPACK_MINOR_VERSION;
  self->managed.manager_ctx = self;
  self->managed.deleter = tvm_ffi_detail_delete_tensor;
  self->managed.flags = 0;
  self->release = NULL;
  self->context = NULL;
  tensor->data = NULL;
  tensor->device = device;
  tensor->ndim = ndim;
  tensor->dtype = dtype;
  tensor->shape = (int64_t *)(void *)(self + 1);
  tensor->strides = tensor->shape + num_extents;
  tensor->byte_offset = 0;
  if (num_extents != 0) memcpy(tensor->shape, shape, num_extents * sizeof(int64_t));
  if (strides == NULL) {
    tvm_ffi_shape_fill_strides(shape, ndim, tensor->strides);
  } else if (num_extents != 0) {
    memcpy(tensor->strides, strides, num_extents * sizeof(int64_t));
  }
  *out = self;
  return 0;
}

/** @param out [own] With the allocator's memory; its deleter releases it. */
static inline int tvm_ffi_detail_new_tensor_with(const tvm_ffi_tensor_allocator *allocator,
                                                 DLDevice device, DLDataType dtype, int32_t ndim,
                                                 const int64_t *shape,
                                                 tvm_ffi_detail_tensor **out) {
  tvm_ffi_detail_tensor *self = NULL;
  size_t size = 0;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_detail_new_tensor(device, dtype, ndim, shape, NULL, 0, &self));
  code = tvm_ffi_tensor_compute_size(&self->managed.dl_tensor, &size);
  if (code == 0) {
    TVMFFIErrorSetRaised(NULL);
    code = tvm_ffi_error_ensure(
        allocator->allocate(allocator->context, &self->managed.dl_tensor, size));
  }
  if (code != 0) {
    free(self);
    return code;
  }
  self->release = allocator->release;
  self->context = allocator->context;
  *out = self;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_create_with(
    const tvm_ffi_tensor_allocator *allocator, DLDevice device, DLDataType dtype, int32_t ndim,
    const int64_t *shape, TVMFFIObjectHandle *out) {
  tvm_ffi_detail_tensor *self = NULL;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_detail_new_tensor_with(allocator, device, dtype, ndim, shape, &self));
  code = TVMFFITensorFromDLPackVersioned(&self->managed, 0, 0, out);
  if (code != 0) tvm_ffi_detail_delete_tensor(&self->managed);
  return code;
}

static inline int tvm_ffi_detail_create_around(const DLTensor *memory,
                                               tvm_ffi_tensor_release_fn release, void *context,
                                               uint64_t flags, TVMFFIObjectHandle *out) {
  tvm_ffi_detail_tensor *self = NULL;
  size_t size = 0;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(memory, &size));
  TVM_FFI_C_TRY(tvm_ffi_detail_new_tensor(memory->device, memory->dtype, memory->ndim,
                                          memory->shape, memory->strides, 0, &self));
  self->managed.flags = flags;
  self->managed.dl_tensor.data = memory->data;
  self->managed.dl_tensor.byte_offset = memory->byte_offset;
  code = TVMFFITensorFromDLPackVersioned(&self->managed, 0, 0, out);
  if (code != 0) {
    free(self);
    return code;
  }
  self->release = release;
  self->context = context;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_create_around(
    const DLTensor *memory, tvm_ffi_tensor_release_fn release, void *context,
    TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_around(memory, release, context, 0, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_create_read_only(
    const DLTensor *memory, tvm_ffi_tensor_release_fn release, void *context,
    TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_create_around(memory, release, context, DLPACK_FLAG_BITMASK_READ_ONLY, out);
}

/**
 * The lowest and highest element offset of a shape with strides, which must not be empty; false if
 * an offset overflows.
 */
static inline bool tvm_ffi_detail_span(int32_t ndim, const int64_t *shape, const int64_t *strides,
                                       int64_t *low, int64_t *high) {
  int64_t compact = 1, step, last;
  int32_t i;
  *low = *high = 0;
  for (i = ndim - 1; i >= 0; --i) {
    step = strides != NULL ? strides[i] : compact;
    if (shape[i] > 1 && step != 0) {
      if (!tvm_ffi_detail_multiply(shape[i] - 1, step, &last)) return false;
      if (!tvm_ffi_detail_add(last > 0 ? *high : *low, last, last > 0 ? high : low)) return false;
    }
    if (strides == NULL) compact *= shape[i];
  }
  return true;
}

static inline bool tvm_ffi_tensor_find_bytes(const DLTensor *tensor, int64_t *out_begin,
                                             int64_t *out_end) {
  const int64_t count = tvm_ffi_tensor_get_numel(tensor);
  const int64_t bits = tvm_ffi_dtype_get_bits(tensor->dtype);
  int64_t low = 0, high = 0, size = 0;
  *out_begin = *out_end = 0;
  if (count < 0 || bits == 0) return false;
  if (count == 0) return true;
  if (bits % 8 != 0) {
    if (!tvm_ffi_tensor_is_contiguous(tensor) || !tvm_ffi_detail_multiply(count, bits, &size)) {
      return false;
    }
    *out_end = size / 8 + (size % 8 != 0);
    return true;
  }
  if (!tvm_ffi_detail_span(tensor->ndim, tensor->shape, tensor->strides, &low, &high) ||
      !tvm_ffi_detail_add(high, 1, &high) || !tvm_ffi_detail_multiply(low, bits / 8, &low) ||
      !tvm_ffi_detail_multiply(high, bits / 8, &high)) {
    return false;
  }
  *out_begin = low;
  *out_end = high;
  return true;
}

typedef struct {
  char expected[80], got[48];
} tvm_ffi_detail_mismatch;

/** Whether all elements lie within the buffer; otherwise writes what was expected and came. */
static inline bool tvm_ffi_detail_is_within(const DLTensor *tensor, uint64_t bytes,
                                            tvm_ffi_detail_mismatch *texts) {
  int64_t begin, end;
  uint64_t before;
  if (!tvm_ffi_tensor_find_bytes(tensor, &begin, &end)) {
    (void)snprintf(texts->expected, sizeof texts->expected, "%s",
                   "extents, strides and a dtype with a number of bytes");
    (void)snprintf(texts->got, sizeof texts->got, "%s", "others");
    return false;
  }
  before = (uint64_t)0 - (uint64_t)begin;
  if (tensor->byte_offset < before) {
    (void)snprintf(texts->expected, sizeof texts->expected, "%s", "elements from its byte 0 on");
    (void)snprintf(texts->got, sizeof texts->got, "elements from byte -%llu on",
                   (unsigned long long)(before - tensor->byte_offset));
    return false;
  }
  if (begin == end || ((uint64_t)end <= bytes && tensor->byte_offset <= bytes - (uint64_t)end)) {
    return true;
  }
  (void)snprintf(texts->expected, sizeof texts->expected, "%llu bytes from byte_offset %llu on",
                 (unsigned long long)end, (unsigned long long)tensor->byte_offset);
  (void)snprintf(texts->got, sizeof texts->got, "%llu bytes in all", (unsigned long long)bytes);
  return false;
}

static inline int tvm_ffi_detail_check_within(const DLTensor *tensor, uint64_t bytes,
                                              const char *name) {
  tvm_ffi_detail_mismatch texts;
  if (tvm_ffi_detail_is_within(tensor, bytes, &texts)) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                               "Mismatched buffer of %s. Expected %s but got %s", name,
                               texts.expected, texts.got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_check_within(const DLTensor *tensor,
                                                                         uint64_t bytes) {
  return tvm_ffi_detail_check_within(tensor, bytes, "a tensor");
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_create_view(
    TVMFFIObjectHandle source, int32_t ndim, const int64_t *shape, const int64_t *strides,
    int64_t element_offset, TVMFFIObjectHandle *out) {
  TVMFFIAny any = tvm_ffi_any_view_object(source);
  int64_t placeholder = 0, low = 0, high = 0, source_low = 0, source_high = 0, bits = 0, count;
  DLTensor *source_tensor, view;
  TVM_FFI_C_TRY(tvm_ffi_any_read_object(&any, kTVMFFITensor, &source));
  source_tensor = TVMFFITensorGetDLTensorPtr(source);
  view = *source_tensor;
  view.ndim = ndim;
  view.shape = ndim > 0 ? tvm_ffi_detail_mutable(shape) : &placeholder;
  view.strides = ndim > 0 ? tvm_ffi_detail_mutable(strides) : &placeholder;
  count = tvm_ffi_tensor_get_numel(&view);
  if (count < 0) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR,
                                 "A view's shape has a negative extent or too many elements");
  }
  if (count > 0) {
    bool is_inside = tvm_ffi_tensor_get_numel(source_tensor) > 0 &&
                     tvm_ffi_detail_span(source_tensor->ndim, source_tensor->shape,
                                         source_tensor->strides, &source_low, &source_high) &&
                     tvm_ffi_detail_span(ndim, shape, strides, &low, &high) &&
                     tvm_ffi_detail_add(low, element_offset, &low) &&
                     tvm_ffi_detail_add(high, element_offset, &high) && low >= source_low &&
                     high <= source_high;
    if (!is_inside) {
      return TVM_FFI_C_DETAIL_FAIL(
          TVM_FFI_C_INDEX_ERROR,
          "A view of the elements %lld to %lld leaves a tensor of %lld to %lld", (long long)low,
          (long long)high, (long long)source_low, (long long)source_high);
    }
    if (!tvm_ffi_detail_multiply(element_offset, tvm_ffi_dtype_get_bits(source_tensor->dtype),
                                 &bits) ||
        bits % 8 != 0) {
      return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "A view must begin at a whole byte");
    }
    if (view.data != NULL && tvm_ffi_device_is_addressable(view.device)) {
      view.data = (char *)view.data + bits / 8;
    } else {
      view.byte_offset += (uint64_t)(bits / 8);
    }
  }
  return TVMFFITensorCreateUnsafeView(source, &view, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_tensor_read_flags(TVMFFIObjectHandle tensor,
                                                                       uint64_t *out) {
  TVMFFIAny any = tvm_ffi_any_view_object(tensor);
  DLManagedTensorVersioned *shared = NULL;
  /* The reference's function takes any object for a Tensor. */
  TVM_FFI_C_TRY(tvm_ffi_any_read_object(&any, kTVMFFITensor, &tensor));
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(tensor, &shared));
  *out = shared->flags;
  shared->deleter(shared);
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_TENSOR_H_ */
