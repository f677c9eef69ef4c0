/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/shape.h
 * Shapes: arrays of extents, and Shape objects. The integers of a Shape object are
 * TVMFFIShapeGetCellPtr(object)->data.
 */
#ifndef TVM_FFI_C_SHAPE_H_
#define TVM_FFI_C_SHAPE_H_

#include <tvm/ffi/c/function.h>

/* ---- Extents ----
 * @param shape, a, b [borrow] ndim extents; may be NULL when there are none.
 * Errors: none.   Threads: any. */

/** The number of elements; -1 when an extent is negative or the product exceeds INT64_MAX. */
static inline int64_t tvm_ffi_shape_get_numel(const int64_t *shape, int32_t ndim);

/** Write the strides of a compact row-major tensor. @param strides [out] ndim elements. */
static inline void tvm_ffi_shape_fill_strides(const int64_t *shape, int32_t ndim, int64_t *strides);

/** Whether both have the same number of extents and the same extents. */
static inline bool tvm_ffi_shape_equal(const int64_t *a, int32_t a_ndim, const int64_t *b,
                                       int32_t b_ndim);

/**
 * Write `[2, 3]`; what does not fit is replaced by `...`.
 * @param buffer   [out] NUL-terminated.
 * @param capacity [in] At least 8 bytes.
 * @return [lend] buffer.
 */
static inline char *tvm_ffi_shape_print(const int64_t *shape, int32_t ndim, char *buffer,
                                        size_t capacity);

/* ---- Shape objects ---- */

/**
 * Make a Shape object (through the global function ffi.Shape).
 * @param shape [borrow] Copied; may be NULL when ndim is 0.
 * @param out   [own]
 * Errors: ValueError (no ffi.Shape in this build of the runtime, too many extents), memory.
 * Threads: any.
 */
static inline int tvm_ffi_shape_create(const int64_t *shape, int32_t ndim, TVMFFIObjectHandle *out);

/**
 * Read a Shape, or an Array or List of integers.
 * @param any      [borrow]
 * @param buffer   [out] Receives the extents of an Array or List.
 * @param capacity [in] Extents that fit there.
 * @param out      [lend] A Shape's own extents, as long as the value lives; else those in buffer.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: TypeError, ValueError (more than capacity).   Threads: any.
 */
static inline int tvm_ffi_any_read_shape(const TVMFFIAny *any, int64_t *buffer, int32_t capacity,
                                         TVMFFIShapeCell *out);

#include <tvm/ffi/c/detail/shape.h> /* the bodies */

#endif /* TVM_FFI_C_SHAPE_H_ */
