/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/string.h
 * Text and bytes: make values of them, compare them. Read them with tvm_ffi_any_read_string and
 * tvm_ffi_args_read_string. Include it by its whole path, or it is taken for <string.h>.
 */
#ifndef TVM_FFI_C_STRING_H_
#define TVM_FFI_C_STRING_H_

#include <tvm/ffi/c/any.h>

/* ---- Reading ----
 * Errors: none.   Threads: any. */

/**
 * The bytes of NUL-terminated text.
 * @param text [borrow] NULL counts as empty.
 * @return [lend] As long as the text lives.
 */
static inline TVMFFIByteArray tvm_ffi_string_get_bytes(const char *text);

/**
 * Whether the two texts are equal.
 * @param text    [borrow]
 * @param literal [borrow] NUL-terminated.
 */
static inline bool tvm_ffi_string_equal(TVMFFIByteArray text, const char *literal);

/* ---- Making ----
 * @param text, data, format [borrow]
 * @param out [own] A value that owns a copy, small up to 7 bytes; overwritten without being read.
 * @return 0, or -1.   Errors: memory.   Threads: any. */

/** A text value of NUL-terminated text. NULL counts as empty. */
static inline int tvm_ffi_string_create(const char *text, TVMFFIAny *out);

/** A text value of size bytes; data may be NULL when size is 0. */
static inline int tvm_ffi_string_create_sized(const char *data, size_t size, TVMFFIAny *out);

/** A bytes value; data may be NULL when size is 0. */
static inline int tvm_ffi_bytes_create(const void *data, size_t size, TVMFFIAny *out);

/** A text value formatted as by printf. */
TVM_FFI_C_PRINTF(2, 3)
static inline int tvm_ffi_string_create_formatted(TVMFFIAny *out, const char *format, ...);

#include <tvm/ffi/c/detail/string.h> /* the bodies */

#endif /* TVM_FFI_C_STRING_H_ */
