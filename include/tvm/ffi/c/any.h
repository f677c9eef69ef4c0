/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/any.h
 * Values: make, read, copy and clear them.
 *
 * One struct, two contracts. A *view* borrows what it points to and is what calls take; an *owned*
 * value holds a reference and is what calls give back:
 *
 *     TVMFFIAny args[2], result;
 *     args[0] = tvm_ffi_any_view_tensor(&tensor);
 *     args[1] = tvm_ffi_any_from_double(2.5);
 *     TVM_FFI_C_TRY(tvm_ffi_function_call(function, args, 2, &result));
 *     code = tvm_ffi_any_read_int64(&result, &count);
 *     tvm_ffi_any_clear(&result);
 *     return code;
 */
#ifndef TVM_FFI_C_ANY_H_
#define TVM_FFI_C_ANY_H_

#include <tvm/ffi/c/device.h>
#include <tvm/ffi/c/dtype.h>
#include <tvm/ffi/c/error.h>

/* ---- Making ----
 * All 16 bytes are written.   Errors: none.   Threads: any. */

/** None. */
static inline TVMFFIAny tvm_ffi_any_none(void);

/** An integer. */
static inline TVMFFIAny tvm_ffi_any_from_int64(int64_t value);

/** A floating-point number. */
static inline TVMFFIAny tvm_ffi_any_from_double(double value);

/** true or false. */
static inline TVMFFIAny tvm_ffi_any_from_bool(bool value);

/** A data type. */
static inline TVMFFIAny tvm_ffi_any_from_dtype(DLDataType value);

/** A device. */
static inline TVMFFIAny tvm_ffi_any_from_device(DLDevice value);

/** A plain pointer, never freed. @param value [borrow] As long as the value is used. */
static inline TVMFFIAny tvm_ffi_any_from_pointer(void *value);

/**
 * An unsigned integer.
 * @param out [out] Not written on failure.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: OverflowError (more than INT64_MAX).
 */
static inline int tvm_ffi_any_from_uint64(uint64_t value, TVMFFIAny *out);

/** A view of a tensor that no object owns. @param tensor [borrow] */
static inline TVMFFIAny tvm_ffi_any_view_tensor(DLTensor *tensor);

/** A view of NUL-terminated text. @param text [borrow] */
static inline TVMFFIAny tvm_ffi_any_view_string(const char *text);

/** A view of bytes. @param bytes [borrow] The struct too must live. */
static inline TVMFFIAny tvm_ffi_any_view_bytes(TVMFFIByteArray *bytes);

/** A view of any object. @param object [borrow] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_view_object(TVMFFIObjectHandle object);

/** An owned value of a reference. @param object [take] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_take_object(TVMFFIObjectHandle object);

/** An owned value with a reference of its own. @param object [share] NULL gives None. */
static inline TVMFFIAny tvm_ffi_any_share_object(TVMFFIObjectHandle object);

/* ---- Owning ---- */

/**
 * Make an owned value of a view, to keep it or to return it: objects gain a reference, raw text
 * and bytes are copied, an rvalue reference hands over its object.
 * @param view [borrow]
 * @param out  [own] Overwritten without being read.
 * @return 0, or -1.
 * Errors: RuntimeError for a DLTensor pointer, which owns nothing and may be gone after the call
 * (take a Tensor instead); InternalError (rvalue reference moved before); memory.   Threads: any.
 */
static inline int tvm_ffi_any_copy(const TVMFFIAny *view, TVMFFIAny *out);

/**
 * Release an owned value; it is None afterwards.
 * @param any [take]
 * Errors: none.   Threads: any; same object.
 */
static inline void tvm_ffi_any_clear(TVMFFIAny *any);

/**
 * Move an owned value out and leave None behind.
 * @param any [take]
 * @return [own]   Errors: none.   Threads: any; same object.
 */
static inline TVMFFIAny tvm_ffi_any_move(TVMFFIAny *any);

/**
 * Release a reference, as TVMFFIObjectDecRef.
 * @param object [take] NULL is ignored on runtimes of every age.
 * Errors: none.   Threads: any.
 */
static inline void tvm_ffi_object_release(TVMFFIObjectHandle object);

/**
 * Add a reference.
 * @param object [borrow] NULL is ignored.
 * @return [own] object.   Errors: none.   Threads: any.
 */
static inline TVMFFIObjectHandle tvm_ffi_object_retain(TVMFFIObjectHandle object);

/* ---- Asking ----
 * true with *out written if the value is of that type or converts to it as in C++, false otherwise.
 * @param any [borrow]
 * @param out [out], or [lend] as long as the value lives.   Errors: none.   Threads: any. */

/** None. */
static inline bool tvm_ffi_any_is_none(const TVMFFIAny *any);

/** Int, Bool. */
static inline bool tvm_ffi_any_try_int64(const TVMFFIAny *any, int64_t *out);

/** Float, Int, Bool. */
static inline bool tvm_ffi_any_try_double(const TVMFFIAny *any, double *out);

/** Bool, Int (not 0 is true). */
static inline bool tvm_ffi_any_try_bool(const TVMFFIAny *any, bool *out);

/** OpaquePtr, None (NULL). */
static inline bool tvm_ffi_any_try_pointer(const TVMFFIAny *any, void **out);

/** Text of any representation. A NUL follows the last byte. @param out [lend] */
static inline bool tvm_ffi_any_try_string(const TVMFFIAny *any, TVMFFIByteArray *out);

/** Bytes of any representation, but not text. @param out [lend] */
static inline bool tvm_ffi_any_try_bytes(const TVMFFIAny *any, TVMFFIByteArray *out);

/** A DLTensor pointer, or the DLTensor inside a Tensor. @param out [lend] */
static inline bool tvm_ffi_any_try_tensor(const TVMFFIAny *any, DLTensor **out);

/**
 * An object of exactly that type; of any type for kTVMFFIObject.
 * @param out [lend] tvm_ffi_object_retain makes it one of your own.
 */
static inline bool tvm_ffi_any_try_object(const TVMFFIAny *any, int32_t type_index,
                                          TVMFFIObjectHandle *out);

/** Device, or text that tvm_ffi_device_parse accepts. */
static inline bool tvm_ffi_any_try_device(const TVMFFIAny *any, DLDevice *out);

/**
 * The name of a type as shown in errors: `int`, `ffi.Tensor`, `my.Type`.
 * @return [lend] For ever.
 */
static inline const char *tvm_ffi_type_get_name(int32_t type_index);

/**
 * The name of a value's type as shown in errors; NULL for NULL pointers.
 * @return [lend] For ever.
 */
static inline const char *tvm_ffi_any_get_type_name(const TVMFFIAny *any);

/* ---- Reading ----
 * The same, but a mismatch raises an error. For arguments use args.h, whose errors name the
 * argument.
 * @param any [borrow]
 * @param out [out], or [lend] as long as the value lives.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: TypeError ``Cannot convert from type `U` to `T` ``.   Threads: any. */

/** Raise this TypeError. @param expected [borrow] The name of the type T. @return -1. */
static inline int tvm_ffi_any_raise_mismatch(const TVMFFIAny *any, const char *expected);

/** Int, Bool. */
static inline int tvm_ffi_any_read_int64(const TVMFFIAny *any, int64_t *out);

/** Float, Int, Bool. */
static inline int tvm_ffi_any_read_double(const TVMFFIAny *any, double *out);

/** Bool, Int (not 0 is true). */
static inline int tvm_ffi_any_read_bool(const TVMFFIAny *any, bool *out);

/** OpaquePtr, None (NULL). */
static inline int tvm_ffi_any_read_pointer(const TVMFFIAny *any, void **out);

/** Text of any representation, followed by a NUL. @param out [lend] */
static inline int tvm_ffi_any_read_string(const TVMFFIAny *any, TVMFFIByteArray *out);

/** Bytes of any representation. @param out [lend] */
static inline int tvm_ffi_any_read_bytes(const TVMFFIAny *any, TVMFFIByteArray *out);

/** A DLTensor pointer, or the DLTensor inside a Tensor. @param out [lend] */
static inline int tvm_ffi_any_read_tensor(const TVMFFIAny *any, DLTensor **out);

/** An object of exactly that type; of any type for kTVMFFIObject. @param out [lend] */
static inline int tvm_ffi_any_read_object(const TVMFFIAny *any, int32_t type_index,
                                          TVMFFIObjectHandle *out);

/** Device, or text of one. */
static inline int tvm_ffi_any_read_device(const TVMFFIAny *any, DLDevice *out);

/** DataType, or text of one. Errors: also ValueError (text that is none), any (custom types). */
static inline int tvm_ffi_any_read_dtype(const TVMFFIAny *any, DLDataType *out);

#include <tvm/ffi/c/detail/any.h> /* the bodies */

#endif /* TVM_FFI_C_ANY_H_ */
