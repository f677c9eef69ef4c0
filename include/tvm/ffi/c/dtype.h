/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/dtype.h
 * Data types: constants, equality, sizes, text, and dispatch over them.
 *
 * A kernel for several types writes its loop once, as a macro of the element type:
 *
 *     #define ADD_ONE(type) for (i = 0; i < n; ++i) ((type *)y)[i] = (type)(((type *)x)[i] + 1)
 *     TVM_FFI_C_DTYPE_DISPATCH(tensor->dtype, TVM_FFI_C_CASES_NUMBER, ADD_ONE);
 *
 * kDL* codes are meant here, not the kTVMFFI* indices of values: kDLFloat is 2, kTVMFFIFloat 3.
 */
#ifndef TVM_FFI_C_DTYPE_H_
#define TVM_FFI_C_DTYPE_H_

#include <tvm/ffi/c/error.h>

/**
 * A data type of that code (kDLInt, ...), bits per element of a vector, and vector length.
 * Errors: none.   Threads: any.
 */
static inline DLDataType tvm_ffi_dtype_make(int code, int bits, int lanes);

/* Data types, as values. Those from float8_e3m4 on are codes of DLPack 1.1. */
#define TVM_FFI_C_BOOL tvm_ffi_dtype_make(kDLBool, 8, 1)
#define TVM_FFI_C_INT8 tvm_ffi_dtype_make(kDLInt, 8, 1)
#define TVM_FFI_C_INT16 tvm_ffi_dtype_make(kDLInt, 16, 1)
#define TVM_FFI_C_INT32 tvm_ffi_dtype_make(kDLInt, 32, 1)
#define TVM_FFI_C_INT64 tvm_ffi_dtype_make(kDLInt, 64, 1)
#define TVM_FFI_C_UINT8 tvm_ffi_dtype_make(kDLUInt, 8, 1)
#define TVM_FFI_C_UINT16 tvm_ffi_dtype_make(kDLUInt, 16, 1)
#define TVM_FFI_C_UINT32 tvm_ffi_dtype_make(kDLUInt, 32, 1)
#define TVM_FFI_C_UINT64 tvm_ffi_dtype_make(kDLUInt, 64, 1)
#define TVM_FFI_C_FLOAT16 tvm_ffi_dtype_make(kDLFloat, 16, 1)
#define TVM_FFI_C_FLOAT32 tvm_ffi_dtype_make(kDLFloat, 32, 1)
#define TVM_FFI_C_FLOAT64 tvm_ffi_dtype_make(kDLFloat, 64, 1)
#define TVM_FFI_C_BFLOAT16 tvm_ffi_dtype_make(kDLBfloat, 16, 1)
#define TVM_FFI_C_FLOAT8_E3M4 tvm_ffi_dtype_make(7, 8, 1)
#define TVM_FFI_C_FLOAT8_E4M3 tvm_ffi_dtype_make(8, 8, 1)
#define TVM_FFI_C_FLOAT8_E4M3B11FNUZ tvm_ffi_dtype_make(9, 8, 1)
#define TVM_FFI_C_FLOAT8_E4M3FN tvm_ffi_dtype_make(10, 8, 1)
#define TVM_FFI_C_FLOAT8_E4M3FNUZ tvm_ffi_dtype_make(11, 8, 1)
#define TVM_FFI_C_FLOAT8_E5M2 tvm_ffi_dtype_make(12, 8, 1)
#define TVM_FFI_C_FLOAT8_E5M2FNUZ tvm_ffi_dtype_make(13, 8, 1)
#define TVM_FFI_C_FLOAT8_E8M0FNU tvm_ffi_dtype_make(14, 8, 1)
#define TVM_FFI_C_FLOAT6_E2M3FN tvm_ffi_dtype_make(15, 6, 1)
#define TVM_FFI_C_FLOAT6_E3M2FN tvm_ffi_dtype_make(16, 6, 1)
#define TVM_FFI_C_FLOAT4_E2M1FN tvm_ffi_dtype_make(17, 4, 1)

/* ---- Equality, sizes, text ----
 * Errors: none, unless a function says so.   Threads: any. */

/** Code, bits and lanes are the same. */
static inline bool tvm_ffi_dtype_equal(DLDataType a, DLDataType b);

/** Bits of one element; 0 for scalable vectors, whose length is not known here, and for void. */
static inline int32_t tvm_ffi_dtype_get_bits(DLDataType dtype);

/** Bytes of a single element, rounded up to whole bytes. */
static inline int32_t tvm_ffi_dtype_get_bytes(DLDataType dtype);

/**
 * Write the text of a data type, such as `float32` or `int8x4`; `dtype(code=200, bits=8, lanes=1)`
 * when it has none. A raised error stays raised.
 * @param buffer [out] NUL-terminated; cut off when too small.
 * @return [lend] buffer.
 */
static inline char *tvm_ffi_dtype_print(DLDataType dtype, char *buffer, size_t capacity);

/**
 * Read the text of a data type. The grammar is TVMFFIDataTypeFromString's.
 * @param text [borrow] NUL-terminated.
 * @param out  [out]
 * @return 0, or non-zero; the compiler warns when it is ignored.
 * Errors: ValueError, any (custom types).
 */
static inline int tvm_ffi_dtype_parse(const char *text, DLDataType *out);

/**
 * The bytes of num_elements packed elements: sub-byte types share bytes, the last one is padded.
 * @param num_elements [in]
 * @param out          [out]
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: ValueError (negative count, a dtype without a size, more bytes than size_t holds).
 */
static inline int tvm_ffi_dtype_compute_size(DLDataType dtype, int64_t num_elements, size_t *out);

/* ---- Dispatch ---- */

/** A data type as one number, for `switch`; a constant expression when its arguments are. */
#define TVM_FFI_C_DTYPE_KEY(code, bits, lanes) \
  (((uint32_t)(code) << 24) | ((uint32_t)(bits) << 16) | (uint32_t)(lanes))

/** The TVM_FFI_C_DTYPE_KEY of a data type. Errors: none.   Threads: any. */
static inline uint32_t tvm_ffi_dtype_get_key(DLDataType dtype);

/** One case of a dispatch: BODY(C type) for tensors of that dtype. */
#define TVM_FFI_C_CASE(code, bits, type, BODY) \
  case TVM_FFI_C_DTYPE_KEY(code, bits, 1): {   \
    BODY(type);                                \
    break;                                     \
  }
#define TVM_FFI_C_CASE_BOOL(BODY) TVM_FFI_C_CASE(kDLBool, 8, uint8_t, BODY)
#define TVM_FFI_C_CASE_INT8(BODY) TVM_FFI_C_CASE(kDLInt, 8, int8_t, BODY)
#define TVM_FFI_C_CASE_INT16(BODY) TVM_FFI_C_CASE(kDLInt, 16, int16_t, BODY)
#define TVM_FFI_C_CASE_INT32(BODY) TVM_FFI_C_CASE(kDLInt, 32, int32_t, BODY)
#define TVM_FFI_C_CASE_INT64(BODY) TVM_FFI_C_CASE(kDLInt, 64, int64_t, BODY)
#define TVM_FFI_C_CASE_UINT8(BODY) TVM_FFI_C_CASE(kDLUInt, 8, uint8_t, BODY)
#define TVM_FFI_C_CASE_UINT16(BODY) TVM_FFI_C_CASE(kDLUInt, 16, uint16_t, BODY)
#define TVM_FFI_C_CASE_UINT32(BODY) TVM_FFI_C_CASE(kDLUInt, 32, uint32_t, BODY)
#define TVM_FFI_C_CASE_UINT64(BODY) TVM_FFI_C_CASE(kDLUInt, 64, uint64_t, BODY)
#define TVM_FFI_C_CASE_FLOAT32(BODY) TVM_FFI_C_CASE(kDLFloat, 32, float, BODY)
#define TVM_FFI_C_CASE_FLOAT64(BODY) TVM_FFI_C_CASE(kDLFloat, 64, double, BODY)

/** Groups of cases. A kernel may define its own in the same way. */
#define TVM_FFI_C_CASES_FLOAT(BODY) TVM_FFI_C_CASE_FLOAT32(BODY) TVM_FFI_C_CASE_FLOAT64(BODY)
#define TVM_FFI_C_CASES_INT(BODY) \
  TVM_FFI_C_CASE_INT8(BODY)       \
  TVM_FFI_C_CASE_INT16(BODY)      \
  TVM_FFI_C_CASE_INT32(BODY)      \
  TVM_FFI_C_CASE_INT64(BODY)      \
  TVM_FFI_C_CASE_UINT8(BODY)      \
  TVM_FFI_C_CASE_UINT16(BODY) TVM_FFI_C_CASE_UINT32(BODY) TVM_FFI_C_CASE_UINT64(BODY)
#define TVM_FFI_C_CASES_NUMBER(BODY) TVM_FFI_C_CASES_FLOAT(BODY) TVM_FFI_C_CASES_INT(BODY)

/**
 * Runs BODY(C type) for the case of CASES that fits; for any other dtype ends the function with a
 * TypeError that names it. See TVM_FFI_C_ARGS_DISPATCH for one that names the argument too.
 */
#define TVM_FFI_C_DTYPE_DISPATCH(dtype, CASES, BODY)   \
  do {                                                 \
    switch (tvm_ffi_dtype_get_key(dtype)) {            \
      CASES(BODY)                                      \
      default:                                         \
        return tvm_ffi_dtype_raise_unsupported(dtype); \
    }                                                  \
  } while (0)

/**
 * Raise an error for a dtype that no case fits.
 * @return -1.   Errors: TypeError ``Unsupported dtype `<name>` ``, memory.   Threads: any.
 */
static inline int tvm_ffi_dtype_raise_unsupported(DLDataType dtype);

#include <tvm/ffi/c/detail/dtype.h> /* the bodies */

#endif /* TVM_FFI_C_DTYPE_H_ */
