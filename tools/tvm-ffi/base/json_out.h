/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one JSON value to the results: two spaces of indentation a level, keys in the order
 * written. */
#ifndef TVM_FFI_TOOL_JSON_OUT_H_
#define TVM_FFI_TOOL_JSON_OUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `key` is NULL inside an array and for the outermost value. */
void json_begin_object(const char *key);
void json_begin_array(const char *key);
void json_end(void);
void json_text(const char *key, const char *text); /* NULL writes null */
void json_bytes(const char *key, const char *text,
                size_t size); /* a byte that is not UTF-8 becomes \u00XX */
void json_int(const char *key, int64_t number);
void json_uint(const char *key, uint64_t number);
void json_real(const char *key, double number); /* NaN and infinities as strings */
void json_bool(const char *key, bool value);
void json_null(const char *key);

#endif /* TVM_FFI_TOOL_JSON_OUT_H_ */
