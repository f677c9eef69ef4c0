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
 * Arguments are borrowed: what is read from them lives until the call returns. Names of types in a
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
  /** [own] Comes in as None. An owned value left here is the result: tvm_ffi_args_return. */
  TVMFFIAny *result;
  /** [borrow] `name(0: T0, 1: T1) -> R`, for errors. */
  const char *signature;
} tvm_ffi_args;

/* ---- Raising errors that name the call ---- */

/**
 * Raise an error about an argument: ``Argument #0 of `scale(0: int) -> void` must be positive``.
 * @param format [borrow] printf's, for instance "must be positive, but is %d".
 * @return -1.
 */
TVM_FFI_C_DETAIL_RAISES(4, 5)
static inline int tvm_ffi_args_raise(const tvm_ffi_args *args, int32_t i, const char *kind,
                                     const char *format, ...) {
  const char *parts[6];
  char number[16], buffer[256];
  char *text;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Argument #";
  parts[1] = number;
  parts[2] = " of `";
  parts[3] = args->signature;
  parts[4] = "` ";
  parts[5] = text;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 6);
  if (text != buffer) free(text);
  return -1;
}

/** @cond internal */

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_count(const tvm_ffi_args *args,
                                                                  const char *at_least,
                                                                  int32_t expected) {
  const char *parts[8];
  char want[16], got[16];
  snprintf(want, sizeof want, "%d", (int)expected);
  snprintf(got, sizeof got, "%d", (int)args->num_args);
  parts[0] = "Mismatched number of arguments when calling: `";
  parts[1] = args->signature;
  parts[2] = "`. Expected ";
  parts[3] = at_least;
  parts[4] = want;
  parts[5] = " but got ";
  parts[6] = got;
  parts[7] = " arguments";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 8);
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_has(const tvm_ffi_args *args, int32_t i) {
  return i >= 0 && i < args->num_args;
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_type(const tvm_ffi_args *args,
                                                                 int32_t i, const char *expected) {
  const char *parts[9];
  char number[16];
  if (!tvm_ffi_detail_has(args, i)) {
    tvm_ffi_detail_set_count(args, "at least ", i + 1);
    return;
  }
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Mismatched type on argument #";
  parts[1] = number;
  parts[2] = " when calling: `";
  parts[3] = args->signature;
  parts[4] = "`. Expected `";
  parts[5] = expected;
  parts[6] = "` but got `";
  parts[7] = tvm_ffi_any_get_type_name(args->args + i);
  parts[8] = "`";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 9);
}

/** The same for a property of the value: shape, dtype, ... */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_property(const tvm_ffi_args *args,
                                                                     int32_t i, const char *kind,
                                                                     const char *property,
                                                                     const char *expected,
                                                                     const char *got) {
  const char *parts[10];
  char number[16];
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Mismatched ";
  parts[1] = property;
  parts[2] = " on argument #";
  parts[3] = number;
  parts[4] = " when calling: `";
  parts[5] = args->signature;
  parts[6] = "`. Expected ";
  parts[7] = expected;
  parts[8] = " but got ";
  parts[9] = got;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 10);
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_raise_type(const tvm_ffi_args *args, int32_t i,
                                                      const char *expected) {
  tvm_ffi_detail_set_type(args, i, expected);
  return -1;
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_raise_property(const tvm_ffi_args *args, int32_t i,
                                                          const char *kind, const char *property,
                                                          const char *expected, const char *got) {
  tvm_ffi_detail_set_property(args, i, kind, property, expected, got);
  return -1;
}

/** @endcond */

/* ---- Reading arguments ----
 * @param args [borrow]
 * @param i    [in] Number of the argument, from 0.
 * @param out  [out], or [lend] until the call returns. Not written on failure.
 * @return 0, or -1.
 * Errors: TypeError (another type, or no argument of that number).   Threads: any.
 *
 * The opt_ functions also accept None, and then leave *out unchanged: put the default there
 * first. */

/**
 * Exactly this number of arguments was passed.
 * Errors: TypeError ``Mismatched number of arguments when calling: ... Expected 2 but got 1
 * arguments``.
 */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count) {
  if (args->num_args == count) return 0;
  tvm_ffi_detail_set_count(args, "", count);
  return -1;
}

/** Whether the argument was passed and is None. Errors: none. */
TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_args_is_none(const tvm_ffi_args *args, int32_t i) {
  return tvm_ffi_detail_has(args, i) && tvm_ffi_any_is_none(args->args + i);
}

/** Any value, unchanged. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_any(const tvm_ffi_args *args, int32_t i,
                                                  const TVMFFIAny **out) {
  if (!tvm_ffi_detail_has(args, i)) return tvm_ffi_detail_raise_type(args, i, "Any");
  *out = args->args + i;
  return 0;
}

/** A tensor, whether the caller owns it (Tensor) or has only a view (DLTensor*). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_tensor(const tvm_ffi_args *args, int32_t i,
                                                     DLTensor **out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_tensor(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "DLTensor*");
}

/** A tensor of either kind, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_tensor(const tvm_ffi_args *args, int32_t i,
                                                         DLTensor **out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_tensor(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<DLTensor*>");
}

/** A Tensor, which may be kept beyond the call with tvm_ffi_object_retain; not a mere view. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_tensor_object(const tvm_ffi_args *args, int32_t i,
                                                            TVMFFIObjectHandle *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, kTVMFFITensor, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "ffi.Tensor");
}

/** A tensor that may be kept, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_tensor_object(const tvm_ffi_args *args, int32_t i,
                                                                TVMFFIObjectHandle *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, kTVMFFITensor, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Optional<ffi.Tensor>");
}

/** An integer; a bool counts as 0 or 1. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_int64(const tvm_ffi_args *args, int32_t i,
                                                    int64_t *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_int64(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "int");
}

/** An integer, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_int64(const tvm_ffi_args *args, int32_t i,
                                                        int64_t *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_int64(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<int>");
}

/** An integer from low to high. Errors: also ValueError (out of that range). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_int64_between(const tvm_ffi_args *args, int32_t i,
                                                            int64_t low, int64_t high,
                                                            int64_t *out) {
  int64_t value;
  char expected[64], got[32];
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, &value));
  if (value < low || value > high) {
    snprintf(expected, sizeof expected, "%lld to %lld", (long long)low, (long long)high);
    snprintf(got, sizeof got, "%lld", (long long)value);
    return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "value", expected, got);
  }
  *out = value;
  return 0;
}

/** An integer that fits int32_t. Errors: also ValueError (does not fit). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_int32(const tvm_ffi_args *args, int32_t i,
                                                    int32_t *out) {
  int64_t value;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, i, INT32_MIN, INT32_MAX, &value));
  *out = (int32_t)value;
  return 0;
}

/** An integer that fits int32_t, or None. Errors: also ValueError. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_int32(const tvm_ffi_args *args, int32_t i,
                                                        int32_t *out) {
  int64_t value = *out;
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_int64(args, i, &value));
  return tvm_ffi_args_is_none(args, i) ? 0 : tvm_ffi_args_read_int32(args, i, out);
}

/** A number: float, int or bool. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_double(const tvm_ffi_args *args, int32_t i,
                                                     double *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_double(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "float");
}

/** A number, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_double(const tvm_ffi_args *args, int32_t i,
                                                         double *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_double(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<float>");
}

/** A bool; an integer counts as true unless it is 0. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_bool(const tvm_ffi_args *args, int32_t i, bool *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_bool(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "bool");
}

/** A bool, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_bool(const tvm_ffi_args *args, int32_t i,
                                                       bool *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_bool(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<bool>");
}

/** A plain pointer; None counts as NULL. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_pointer(const tvm_ffi_args *args, int32_t i,
                                                      void **out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_pointer(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "void*");
}

/** Text. A NUL follows the last byte. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_string(const tvm_ffi_args *args, int32_t i,
                                                     TVMFFIByteArray *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_string(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "str");
}

/** Text, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_string(const tvm_ffi_args *args, int32_t i,
                                                         TVMFFIByteArray *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_string(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<str>");
}

/** Bytes; not text. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_bytes(const tvm_ffi_args *args, int32_t i,
                                                    TVMFFIByteArray *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_bytes(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "bytes");
}

/** Bytes, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_bytes(const tvm_ffi_args *args, int32_t i,
                                                        TVMFFIByteArray *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_bytes(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<bytes>");
}

/** A data type, or the text of one. Errors: also ValueError (text that is not one). */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_dtype(const tvm_ffi_args *args, int32_t i,
                                                    DLDataType *out) {
  bool matched = false;
  int code = -1;
  if (tvm_ffi_detail_has(args, i)) code = tvm_ffi_detail_read_dtype(args->args + i, out, &matched);
  return matched ? code : tvm_ffi_detail_raise_type(args, i, "DataType");
}

/** A data type or the text of one, or None. Errors: also ValueError. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_dtype(const tvm_ffi_args *args, int32_t i,
                                                        DLDataType *out) {
  bool matched = false;
  int code = -1;
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i)) code = tvm_ffi_detail_read_dtype(args->args + i, out, &matched);
  return matched ? code : tvm_ffi_detail_raise_type(args, i, "Optional<DataType>");
}

/** A device, or the text of one. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_device(const tvm_ffi_args *args, int32_t i,
                                                     DLDevice *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_device(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Device");
}

/** A device or the text of one, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_device(const tvm_ffi_args *args, int32_t i,
                                                         DLDevice *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_device(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "Optional<Device>");
}

/** A function, to be called with tvm_ffi_function_call. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_function(const tvm_ffi_args *args, int32_t i,
                                                       TVMFFIObjectHandle *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, kTVMFFIFunction, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "ffi.Function");
}

/** A function, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_function(const tvm_ffi_args *args, int32_t i,
                                                           TVMFFIObjectHandle *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, kTVMFFIFunction, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Optional<ffi.Function>");
}

/** An Array or a List; read it with tvm_ffi_array_*. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_array(const tvm_ffi_args *args, int32_t i,
                                                    TVMFFIObjectHandle *out) {
  if (tvm_ffi_detail_has(args, i) && (tvm_ffi_any_try_object(args->args + i, kTVMFFIArray, out) ||
                                      tvm_ffi_any_try_object(args->args + i, kTVMFFIList, out))) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Array<Any>");
}

/** An Array or a List, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_array(const tvm_ffi_args *args, int32_t i,
                                                        TVMFFIObjectHandle *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && (tvm_ffi_any_try_object(args->args + i, kTVMFFIArray, out) ||
                                      tvm_ffi_any_try_object(args->args + i, kTVMFFIList, out))) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Optional<Array<Any>>");
}

/** A Map or a Dict; read it with tvm_ffi_map_*. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_map(const tvm_ffi_args *args, int32_t i,
                                                  TVMFFIObjectHandle *out) {
  if (tvm_ffi_detail_has(args, i) && (tvm_ffi_any_try_object(args->args + i, kTVMFFIMap, out) ||
                                      tvm_ffi_any_try_object(args->args + i, kTVMFFIDict, out))) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Map<Any, Any>");
}

/** A Map or a Dict, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_map(const tvm_ffi_args *args, int32_t i,
                                                      TVMFFIObjectHandle *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  if (tvm_ffi_detail_has(args, i) && (tvm_ffi_any_try_object(args->args + i, kTVMFFIMap, out) ||
                                      tvm_ffi_any_try_object(args->args + i, kTVMFFIDict, out))) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, "Optional<Map<Any, Any>>");
}

/** An object of exactly that type, such as kTVMFFIModule; of any for kTVMFFIObject. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_object(const tvm_ffi_args *args, int32_t i,
                                                     int32_t type_index, TVMFFIObjectHandle *out) {
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, type_index, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, tvm_ffi_type_get_name(type_index));
}

/** @cond internal */
static inline int tvm_ffi_detail_args_shape(const tvm_ffi_args *args, int32_t i,
                                            const char *expected, int64_t *buffer, int32_t capacity,
                                            TVMFFIShapeCell *out) {
  char limit[48], got[32];
  int found = 0;
  if (tvm_ffi_detail_has(args, i)) {
    found = tvm_ffi_detail_read_shape(args->args + i, buffer, capacity, out);
  }
  if (found > 0) return 0;
  if (found == 0) return tvm_ffi_detail_raise_type(args, i, expected);
  snprintf(limit, sizeof limit, "at most %d extents", (int)capacity);
  snprintf(got, sizeof got, "%lld", (long long)TVMFFISeqGetCellPtr(args->args[i].v_obj)->size);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", limit, got);
}
/** @endcond */

/**
 * A Shape, or an Array or List of integers.
 * @param buffer   [out] Receives the extents of an Array or List.
 * @param capacity [in] Extents that fit there.
 * @param out      [lend] The extents: a Shape's own, or those in buffer.
 * Errors: also ValueError (an Array or List of more than capacity).
 */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_shape(const tvm_ffi_args *args, int32_t i,
                                                    int64_t *buffer, int32_t capacity,
                                                    TVMFFIShapeCell *out) {
  return tvm_ffi_detail_args_shape(args, i, "ffi.Shape", buffer, capacity, out);
}

/** A shape as tvm_ffi_args_read_shape takes it, or None. */
TVM_FFI_C_DETAIL_INLINE int tvm_ffi_args_read_opt_shape(const tvm_ffi_args *args, int32_t i,
                                                        int64_t *buffer, int32_t capacity,
                                                        TVMFFIShapeCell *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  return tvm_ffi_detail_args_shape(args, i, "Optional<ffi.Shape>", buffer, capacity, out);
}

/* ---- Checking tensors ----
 * Argument i is a tensor, and is as stated.
 * @return 0, or -1.
 * Errors: ValueError, for a dtype TypeError; ``Mismatched <what> on argument #<i> when calling:
 * `<signature>`. Expected <this> but got <that>``. TypeError when it is no tensor.
 * Threads: any. */

/** It has this number of dimensions. */
static inline int tvm_ffi_args_check_ndim(const tvm_ffi_args *args, int32_t i, int32_t ndim) {
  DLTensor *tensor = NULL;
  char expected[16], got[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->ndim == ndim) return 0;
  snprintf(expected, sizeof expected, "%d", (int)ndim);
  snprintf(got, sizeof got, "%d", (int)tensor->ndim);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "ndim", expected, got);
}

/** It has these extents. @param shape [borrow] ndim extents; a negative one matches any. */
static inline int tvm_ffi_args_check_shape(const tvm_ffi_args *args, int32_t i, int32_t ndim,
                                           const int64_t *shape) {
  DLTensor *tensor = NULL;
  char expected[128], got[128];
  bool matches;
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  matches = tensor->ndim == ndim;
  for (k = 0; matches && k < ndim; ++k) matches = shape[k] < 0 || shape[k] == tensor->shape[k];
  if (matches) return 0;
  tvm_ffi_detail_print_shape(shape, ndim, true, expected, sizeof expected);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

/** One dimension has that extent; a negative dim counts from the end. */
static inline int tvm_ffi_args_check_size(const tvm_ffi_args *args, int32_t i, int32_t dim,
                                          int64_t size) {
  DLTensor *tensor = NULL;
  char expected[64], got[128];
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  k = dim < 0 ? dim + tensor->ndim : dim;
  if (k >= 0 && k < tensor->ndim && tensor->shape[k] == size) return 0;
  snprintf(expected, sizeof expected, "size %lld in dimension %d", (long long)size, (int)dim);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

/** It is of that dtype. */
static inline int tvm_ffi_args_check_dtype(const tvm_ffi_args *args, int32_t i, DLDataType dtype) {
  DLTensor *tensor = NULL;
  char want[64], have[64], expected[72], got[72];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_dtype_equal(tensor->dtype, dtype)) return 0;
  snprintf(expected, sizeof expected, "`%s`", tvm_ffi_dtype_print(dtype, want, sizeof want));
  snprintf(got, sizeof got, "`%s`", tvm_ffi_dtype_print(tensor->dtype, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_TYPE_ERROR, "dtype", expected, got);
}

/** It is on a device of that type (kDLCPU, kDLCUDA, ...). */
static inline int tvm_ffi_args_check_device(const tvm_ffi_args *args, int32_t i,
                                            int32_t device_type) {
  DLTensor *tensor = NULL;
  char want[40], have[40], expected[48], got[48];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if ((int32_t)tensor->device.device_type == device_type) return 0;
  tvm_ffi_device_print(tvm_ffi_device_make(device_type, 0), want, sizeof want);
  *strchr(want, ':') = '\0';
  snprintf(expected, sizeof expected, "`%s`", want);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_device_print(tensor->device, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "device", expected, got);
}

/** Its elements are contiguous, in row-major order. */
static inline int tvm_ffi_args_check_contiguous(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = NULL;
  char shape[96], strides[96], got[224];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_contiguous(tensor)) return 0;
  snprintf(got, sizeof got, "strides %s of shape %s",
           tvm_ffi_shape_print(tensor->strides, tensor->ndim, strides, sizeof strides),
           tvm_ffi_shape_print(tensor->shape, tensor->ndim, shape, sizeof shape));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "strides",
                                       "a contiguous tensor", got);
}

/** It has the shape of argument j. */
static inline int tvm_ffi_args_check_same_shape(const tvm_ffi_args *args, int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char shape[128], expected[160], got[128];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_tensor_has_same_shape(tensor, model)) return 0;
  snprintf(expected, sizeof expected, "%s of argument #%d",
           tvm_ffi_shape_print(model->shape, model->ndim, shape, sizeof shape), (int)j);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

/** It is of the dtype of argument j. */
static inline int tvm_ffi_args_check_same_dtype(const tvm_ffi_args *args, int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char want[64], have[64], expected[96], got[72];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_dtype_equal(tensor->dtype, model->dtype)) return 0;
  snprintf(expected, sizeof expected, "`%s` of argument #%d",
           tvm_ffi_dtype_print(model->dtype, want, sizeof want), (int)j);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_dtype_print(tensor->dtype, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_TYPE_ERROR, "dtype", expected, got);
}

/** It is on the device of argument j, with the same device number. */
static inline int tvm_ffi_args_check_same_device(const tvm_ffi_args *args, int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char want[40], have[40], expected[72], got[48];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_device_equal(tensor->device, model->device)) return 0;
  snprintf(expected, sizeof expected, "`%s` of argument #%d",
           tvm_ffi_device_print(model->device, want, sizeof want), (int)j);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_device_print(tensor->device, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "device", expected, got);
}

/** It has the shape, dtype and device of argument j. */
static inline int tvm_ffi_args_check_same(const tvm_ffi_args *args, int32_t i, int32_t j) {
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, i, j));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_dtype(args, i, j));
  return tvm_ffi_args_check_same_device(args, i, j);
}

/* ---- Dispatch over the dtype of an argument ---- */

/**
 * Raise TypeError ``Unsupported dtype `<name>` of argument #<i> when calling: `<signature>` ``.
 * @return -1.
 */
TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_args_raise_unsupported(const tvm_ffi_args *args,
                                                                       int32_t i) {
  DLTensor *tensor = NULL;
  const char *parts[7];
  char name[64], number[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Unsupported dtype `";
  parts[1] = tvm_ffi_dtype_print(tensor->dtype, name, sizeof name);
  parts[2] = "` of argument #";
  parts[3] = number;
  parts[4] = " when calling: `";
  parts[5] = args->signature;
  parts[6] = "`";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 7);
  return -1;
}

/** @cond internal */
/** The key of the argument's dtype; UINT32_MAX, which no dtype has, if it is no tensor. */
static inline uint32_t tvm_ffi_detail_get_key(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = NULL;
  if (!tvm_ffi_detail_has(args, i) || !tvm_ffi_any_try_tensor(args->args + i, &tensor)) {
    return UINT32_MAX;
  }
  return tvm_ffi_dtype_get_key(tensor->dtype);
}
/** @endcond */

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
 * Owned values are moved instead: `*args->result = tvm_ffi_any_take_object(object); return 0;`
 * @param view [borrow] Copied as tvm_ffi_any_copy does.
 * @return 0, or -1.   Errors: RuntimeError (a DLTensor pointer), InternalError, memory.
 */
static inline int tvm_ffi_args_return(const tvm_ffi_args *args, TVMFFIAny view) {
  return tvm_ffi_any_copy(&view, args->result);
}

#endif /* TVM_FFI_C_ARGS_H_ */
