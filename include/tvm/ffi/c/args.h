/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/args.h
 * The arguments of a call: read argument i as a C type, check what a tensor is like, return.
 *
 *     TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
 *     TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
 *     TVM_FFI_C_TRY(tvm_ffi_args_read_opt_double(args, 2, &factor));
 *     TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
 *     TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
 *
 * Errors read as those of functions written in C++:
 *     TypeError: Mismatched type on argument #0 when calling: `scale(0: DLTensor*, 1: float) ->
 *     void`. Expected `DLTensor*` but got `int`
 * Arguments are borrowed: what is read from them lives until the call returns. Type names in a
 * signature: DLTensor* ffi.Tensor int float bool str bytes void* DataType Device ffi.Shape
 * ffi.Function Array<Any> Map<Any, Any> Optional<...> Any, and void for a result.
 */
#ifndef TVM_FFI_C_ARGS_H_
#define TVM_FFI_C_ARGS_H_

#include <tvm/ffi/c/any.h>
#include <tvm/ffi/c/shape.h>
#include <tvm/ffi/c/tensor.h>

/** A call, from the callee's side. TVM_FFI_C_EXPORT and TVM_FFI_C_FUNCTION make one. */
typedef struct {
  /** What the function's creator registered, or the Function itself; NULL in exported kernels. */
  void *self;
  /** [borrow] num_args views. */
  const TVMFFIAny *args;
  int32_t num_args;
  /** [own] Initially None. An owned value left here is the result: tvm_ffi_args_return. */
  TVMFFIAny *result;
  /** [borrow] `name(0: T0, 1: T1) -> R`, for errors. */
  const char *signature;
} tvm_ffi_args;

/* ---- Raising errors that name the call ---- */

/**
 * Raise an error about an argument: ``Argument #0 of `scale(0: int) -> void` must be positive``.
 * @param args   [borrow]
 * @param kind   [borrow] For instance TVM_FFI_C_VALUE_ERROR.
 * @param format [borrow] printf's, for instance "must be positive, but is %d".
 * @return -1.   Errors: of that kind, memory.   Threads: any.
 */
TVM_FFI_C_PRINTF(4, 5)
static inline int tvm_ffi_args_raise(const tvm_ffi_args *args, int32_t i, const char *kind,
                                     const char *format, ...);

/* ---- Reading arguments ----
 * @param args [borrow]
 * @param i    [in] Number of the argument, from 0.
 * @param out  [out], or [lend] until the call returns. Not written on failure.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: TypeError (another type, or no argument of that number).   Threads: any.
 *
 * The opt_ functions also accept None, and then leave *out unchanged: put the default there
 * first. */

/**
 * Exactly this number of arguments was passed.
 * Errors: TypeError ``Mismatched number of arguments when calling: ... Expected 2 but got 1
 * arguments``.
 */
static inline int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count);

/** Whether the argument was passed and is None. Errors: none. */
static inline bool tvm_ffi_args_is_none(const tvm_ffi_args *args, int32_t i);

/** Any value, unchanged. */
static inline int tvm_ffi_args_read_any(const tvm_ffi_args *args, int32_t i, const TVMFFIAny **out);

/** A tensor, whether the caller owns it (Tensor) or has only a view (DLTensor*). */
static inline int tvm_ffi_args_read_tensor(const tvm_ffi_args *args, int32_t i, DLTensor **out);
/** A tensor of either kind, or None. */
static inline int tvm_ffi_args_read_opt_tensor(const tvm_ffi_args *args, int32_t i, DLTensor **out);

/** A Tensor, which may be kept beyond the call with tvm_ffi_object_retain; not a mere view. */
static inline int tvm_ffi_args_read_tensor_object(const tvm_ffi_args *args, int32_t i,
                                                  TVMFFIObjectHandle *out);
/** A tensor that may be kept, or None. */
static inline int tvm_ffi_args_read_opt_tensor_object(const tvm_ffi_args *args, int32_t i,
                                                      TVMFFIObjectHandle *out);

/** An integer; a bool counts as 0 or 1. */
static inline int tvm_ffi_args_read_int64(const tvm_ffi_args *args, int32_t i, int64_t *out);
/** An integer, or None. */
static inline int tvm_ffi_args_read_opt_int64(const tvm_ffi_args *args, int32_t i, int64_t *out);

/** An integer from low to high. Errors: also ValueError (out of that range). */
static inline int tvm_ffi_args_read_int64_between(const tvm_ffi_args *args, int32_t i, int64_t low,
                                                  int64_t high, int64_t *out);

/** An integer that fits int32_t. Errors: also ValueError (does not fit). */
static inline int tvm_ffi_args_read_int32(const tvm_ffi_args *args, int32_t i, int32_t *out);
/** An integer that fits int32_t, or None. Errors: also ValueError. */
static inline int tvm_ffi_args_read_opt_int32(const tvm_ffi_args *args, int32_t i, int32_t *out);

/** A number: float, int or bool. */
static inline int tvm_ffi_args_read_double(const tvm_ffi_args *args, int32_t i, double *out);
/** A number, or None. */
static inline int tvm_ffi_args_read_opt_double(const tvm_ffi_args *args, int32_t i, double *out);

/** A bool; an integer counts as true unless it is 0. */
static inline int tvm_ffi_args_read_bool(const tvm_ffi_args *args, int32_t i, bool *out);
/** A bool, or None. */
static inline int tvm_ffi_args_read_opt_bool(const tvm_ffi_args *args, int32_t i, bool *out);

/** A plain pointer; None counts as NULL. */
static inline int tvm_ffi_args_read_pointer(const tvm_ffi_args *args, int32_t i, void **out);

/** Text. A NUL follows the last byte. */
static inline int tvm_ffi_args_read_string(const tvm_ffi_args *args, int32_t i,
                                           TVMFFIByteArray *out);
/** Text, or None. */
static inline int tvm_ffi_args_read_opt_string(const tvm_ffi_args *args, int32_t i,
                                               TVMFFIByteArray *out);

/** Bytes; not text. */
static inline int tvm_ffi_args_read_bytes(const tvm_ffi_args *args, int32_t i,
                                          TVMFFIByteArray *out);
/** Bytes, or None. */
static inline int tvm_ffi_args_read_opt_bytes(const tvm_ffi_args *args, int32_t i,
                                              TVMFFIByteArray *out);

/** A data type, or the text of one. Errors: also ValueError (text that is not one). */
static inline int tvm_ffi_args_read_dtype(const tvm_ffi_args *args, int32_t i, DLDataType *out);
/** A data type or the text of one, or None. Errors: also ValueError. */
static inline int tvm_ffi_args_read_opt_dtype(const tvm_ffi_args *args, int32_t i, DLDataType *out);

/** A device, or the text of one. */
static inline int tvm_ffi_args_read_device(const tvm_ffi_args *args, int32_t i, DLDevice *out);
/** A device or the text of one, or None. */
static inline int tvm_ffi_args_read_opt_device(const tvm_ffi_args *args, int32_t i, DLDevice *out);

/** A function, to be called with tvm_ffi_function_call. */
static inline int tvm_ffi_args_read_function(const tvm_ffi_args *args, int32_t i,
                                             TVMFFIObjectHandle *out);
/** A function, or None. */
static inline int tvm_ffi_args_read_opt_function(const tvm_ffi_args *args, int32_t i,
                                                 TVMFFIObjectHandle *out);

/** An Array or a List; read it with tvm_ffi_array_*. */
static inline int tvm_ffi_args_read_array(const tvm_ffi_args *args, int32_t i,
                                          TVMFFIObjectHandle *out);
/** An Array or a List, or None. */
static inline int tvm_ffi_args_read_opt_array(const tvm_ffi_args *args, int32_t i,
                                              TVMFFIObjectHandle *out);

/** A Map or a Dict; read it with tvm_ffi_map_*. */
static inline int tvm_ffi_args_read_map(const tvm_ffi_args *args, int32_t i,
                                        TVMFFIObjectHandle *out);
/** A Map or a Dict, or None. */
static inline int tvm_ffi_args_read_opt_map(const tvm_ffi_args *args, int32_t i,
                                            TVMFFIObjectHandle *out);

/** An object of exactly that type, such as kTVMFFIModule; of any for kTVMFFIObject. */
static inline int tvm_ffi_args_read_object(const tvm_ffi_args *args, int32_t i, int32_t type_index,
                                           TVMFFIObjectHandle *out);

/**
 * A Shape, or an Array or List of integers.
 * @param buffer   [out] Receives the extents of an Array or List.
 * @param capacity [in] Extents that fit there.
 * @param out      [lend] The extents: a Shape's own, or those in buffer.
 * Errors: also ValueError (an Array or List of more than capacity).
 */
static inline int tvm_ffi_args_read_shape(const tvm_ffi_args *args, int32_t i, int64_t *buffer,
                                          int32_t capacity, TVMFFIShapeCell *out);
/** As tvm_ffi_args_read_shape, or None. @param buffer [out] Errors: also ValueError. */
static inline int tvm_ffi_args_read_opt_shape(const tvm_ffi_args *args, int32_t i, int64_t *buffer,
                                              int32_t capacity, TVMFFIShapeCell *out);

/* ---- Checking tensors ----
 * Argument i is a tensor, and is as stated.
 * @param args [borrow]
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: ValueError, for a dtype TypeError; ``Mismatched <what> on argument #<i> when calling:
 * `<signature>`. Expected <this> but got <that>``. TypeError when it is not a tensor.
 * Threads: any. */

/** It has this number of dimensions. */
static inline int tvm_ffi_args_check_ndim(const tvm_ffi_args *args, int32_t i, int32_t ndim);

/** It has these extents. @param shape [borrow] ndim extents; a negative one matches any. */
static inline int tvm_ffi_args_check_shape(const tvm_ffi_args *args, int32_t i, int32_t ndim,
                                           const int64_t *shape);

/** One dimension has that extent; a negative dim counts from the end. */
static inline int tvm_ffi_args_check_size(const tvm_ffi_args *args, int32_t i, int32_t dim,
                                          int64_t size);

/** It is of that dtype. */
static inline int tvm_ffi_args_check_dtype(const tvm_ffi_args *args, int32_t i, DLDataType dtype);

/**
 * It is valid as DLPack requires of every tensor, see tvm_ffi_tensor_is_valid. Kernels that do not
 * know their callers check it before they use an extent.
 */
static inline int tvm_ffi_args_check_valid(const tvm_ffi_args *args, int32_t i);

/**
 * Code on a device of that type (kDLCPU, kDLCUDA, ...) can read its elements: for kDLCPU also
 * page-locked and managed memory, for kDLCUDA also managed memory; see tvm_ffi_device_can_read.
 */
static inline int tvm_ffi_args_check_readable_by(const tvm_ffi_args *args, int32_t i,
                                                 int32_t device_type);

/** It is on a device of exactly that type. */
static inline int tvm_ffi_args_check_device(const tvm_ffi_args *args, int32_t i,
                                            int32_t device_type);

/**
 * Its first element is at a multiple of that many bytes, a power of two, as wide loads require; on
 * a device with handles, its byte_offset is. Any tensor without elements is accepted.
 */
static inline int tvm_ffi_args_check_aligned(const tvm_ffi_args *args, int32_t i, size_t alignment);

/** Its elements lie within a buffer of so many bytes; see tvm_ffi_tensor_check_within. */
static inline int tvm_ffi_args_check_within(const tvm_ffi_args *args, int32_t i, uint64_t bytes);

/**
 * Its owner does not share the elements for reading only, see tvm_ffi_tensor_read_flags. Nothing is
 * known of an argument that is a DLTensor pointer, or with the reference's runtime: those pass.
 */
static inline int tvm_ffi_args_check_writable(const tvm_ffi_args *args, int32_t i);

/** Its elements are contiguous, in row-major order. */
static inline int tvm_ffi_args_check_contiguous(const tvm_ffi_args *args, int32_t i);

/** It has the shape of argument j. */
static inline int tvm_ffi_args_check_same_shape(const tvm_ffi_args *args, int32_t i, int32_t j);

/** It is of the dtype of argument j. */
static inline int tvm_ffi_args_check_same_dtype(const tvm_ffi_args *args, int32_t i, int32_t j);

/** It is on the device of argument j, with the same device number. */
static inline int tvm_ffi_args_check_same_device(const tvm_ffi_args *args, int32_t i, int32_t j);

/** It has the shape, dtype and device of argument j. */
static inline int tvm_ffi_args_check_same(const tvm_ffi_args *args, int32_t i, int32_t j);

/* ---- Dispatch over the dtype of an argument ---- */

/**
 * Raise TypeError ``Unsupported dtype `<name>` of argument #<i> when calling: `<signature>` ``.
 * @param args [borrow]
 * @return -1.   Errors: TypeError, memory.   Threads: any.
 */
static inline int tvm_ffi_args_raise_unsupported(const tvm_ffi_args *args, int32_t i);

/**
 * Runs BODY(C type) for the case of CASES (dtype.h) that fits the dtype of tensor argument i; for
 * any other ends the function with that TypeError.
 */
#define TVM_FFI_C_ARGS_DISPATCH(args, i, CASES, BODY)   \
  do {                                                  \
    switch (tvm_ffi_detail_get_key(args, i)) {          \
      CASES(BODY)                                       \
      default:                                          \
        return tvm_ffi_args_raise_unsupported(args, i); \
    }                                                   \
  } while (0)

/* ---- Returning ---- */

/**
 * Make a value the result: `return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(n));`
 * The reference of an owned value would stay with the caller and leak: tvm_ffi_args_return_object.
 * @param args [borrow]
 * @param view [borrow] Copied as tvm_ffi_any_copy does.
 * @return 0, or -1.
 * Errors: RuntimeError (a DLTensor pointer), InternalError, memory.   Threads: any.
 */
static inline int tvm_ffi_args_return(const tvm_ffi_args *args, TVMFFIAny view);

/**
 * Make an object the result: `return tvm_ffi_args_return_object(args, tensor);`
 * @param args   [borrow]
 * @param object [take] NULL returns None.
 * @return 0.
 * Errors: none.   Threads: any.
 */
static inline int tvm_ffi_args_return_object(const tvm_ffi_args *args, TVMFFIObjectHandle object);

#include <tvm/ffi/c/detail/args.h> /* the bodies */

#endif /* TVM_FFI_C_ARGS_H_ */
