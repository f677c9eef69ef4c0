/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/shape.h
 * The bodies of tvm/ffi/c/shape.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_SHAPE_H_
#define TVM_FFI_C_DETAIL_SHAPE_H_

static inline int64_t tvm_ffi_shape_get_numel(const int64_t *shape, int32_t ndim) {
  int64_t count = 1;
  bool zero = false, too_large = false;
  int32_t i;
  for (i = 0; i < ndim; ++i) {
    if (shape[i] < 0) return -1;
    if (shape[i] == 0) {
      zero = true;
    } else if (count > INT64_MAX / shape[i]) {
      too_large = true;
    } else {
      count *= shape[i];
    }
  }
  if (zero) return 0;
  return too_large ? -1 : count;
}

static inline void tvm_ffi_shape_fill_strides(const int64_t *shape, int32_t ndim,
                                              int64_t *strides) {
  uint64_t stride = 1; /* may wrap around if the product is too large, which is harmless */
  int32_t i;
  for (i = ndim - 1; i >= 0; --i) {
    strides[i] = (int64_t)stride;
    stride *= (uint64_t)shape[i];
  }
}

static inline bool tvm_ffi_shape_equal(const int64_t *a, int32_t a_ndim, const int64_t *b,
                                       int32_t b_ndim) {
  int32_t i;
  if (a_ndim != b_ndim) return false;
  for (i = 0; i < a_ndim; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/** Writes extents; negative ones as `*` if wildcards are wanted. @return Where the NUL is. */
TVM_FFI_C_DETAIL_COLD static inline char *tvm_ffi_detail_put_extents(char *at, const char *end,
                                                                     TVMFFIShapeCell shape,
                                                                     bool wildcards) {
  static const char tail[] = ", ...]";
  size_t i;
  at = tvm_ffi_detail_put_text(at, end, "[");
  for (i = 0; i < shape.size; ++i) {
    char *item = at;
    if (i != 0) at = tvm_ffi_detail_put_text(at, end, ", ");
    if (wildcards && shape.data[i] < 0) {
      at = tvm_ffi_detail_put_text(at, end, "*");
    } else {
      at = tvm_ffi_detail_put_int(at, end, shape.data[i]);
    }
    if (end - at < (ptrdiff_t)sizeof tail) {
      /* The next one may leave no room for the tail, which is put here. */
      return tvm_ffi_detail_put_text(item, end, i != 0 ? tail : tail + 2);
    }
  }
  return tvm_ffi_detail_put_text(at, end, "]");
}

/** The same. Passes a struct on: of a pointer to extents that a loop has set, gcc warns that they
 * may not be initialised. */
TVM_FFI_C_DETAIL_INLINE char *tvm_ffi_detail_put_shape(char *at, const char *end,
                                                       const int64_t *shape, int32_t ndim,
                                                       bool wildcards) {
  TVMFFIShapeCell cell;
  cell.data = shape;
  cell.size = ndim > 0 ? (size_t)ndim : 0;
  return tvm_ffi_detail_put_extents(at, end, cell, wildcards);
}

static inline char *tvm_ffi_shape_print(const int64_t *shape, int32_t ndim, char *buffer,
                                        size_t capacity) {
  tvm_ffi_detail_put_shape(buffer, buffer + capacity, shape, ndim, false);
  return buffer;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_shape_create(const int64_t *shape,
                                                                  int32_t ndim,
                                                                  TVMFFIObjectHandle *out) {
  TVMFFIAny few[8], result;
  TVMFFIAny *args = few;
  int32_t i;
  int code;
  if (ndim > 8) args = (TVMFFIAny *)malloc((size_t)ndim * sizeof args[0]);
  if (args == NULL) return tvm_ffi_error_raise_memory(), -1;
  few[0] = tvm_ffi_any_none(); /* without extents, gcc warns that it may not be initialised */
  for (i = 0; i < ndim; ++i) args[i] = tvm_ffi_any_from_int64(shape[i]);
  code = tvm_ffi_function_call_global("ffi.Shape", args, ndim, &result);
  if (args != few) free(args);
  if (code != 0) return code;
  *out = result.v_obj;
  return 0;
}

/** Returns 1 if read, 0 if it is not a shape, -1 if it has more extents than fit. */
static inline int tvm_ffi_detail_read_shape(const TVMFFIAny *any, int64_t *buffer, int32_t capacity,
                                            TVMFFIShapeCell *out) {
  const TVMFFISeqCell *cell;
  int64_t i;
  if (any->v_ptr == NULL) return 0;
  if (any->type_index == kTVMFFIShape) {
    *out = *TVMFFIShapeGetCellPtr(any->v_obj);
    return 1;
  }
  if (any->type_index != kTVMFFIArray && any->type_index != kTVMFFIList) return 0;
  cell = TVMFFISeqGetCellPtr(any->v_obj);
  for (i = 0; i < cell->size; ++i) {
    int64_t extent;
    if (!tvm_ffi_any_try_int64((const TVMFFIAny *)cell->data + i, &extent)) return 0;
    if (i < capacity) buffer[i] = extent;
  }
  if (cell->size > capacity) return -1;
  out->data = buffer;
  out->size = (size_t)cell->size;
  return 1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_any_read_shape(const TVMFFIAny *any,
                                                                    int64_t *buffer,
                                                                    int32_t capacity,
                                                                    TVMFFIShapeCell *out) {
  int found = tvm_ffi_detail_read_shape(any, buffer, capacity, out);
  if (found == 0) return tvm_ffi_any_raise_mismatch(any, "ffi.Shape");
  if (found > 0) return 0;
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "More than %d extents in a shape",
                               (int)capacity);
}

#endif /* TVM_FFI_C_DETAIL_SHAPE_H_ */
