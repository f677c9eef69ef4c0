/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text to values and back: None, bool, int, float, String, Array and Map, and beyond the
 * standard NaN, Infinity and -Infinity. Neither direction uses the stack for nesting, nor does the
 * locale change what is read or written.
 */
#ifndef TVMFFI_JSON_JSON_H_
#define TVMFFI_JSON_JSON_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* The value of a text; it need not end with a NUL. ValueError, memory. */
int tvmffi_json_parse(const char *data, size_t size, TVMFFIAny *out);

/*
 * The text of an owned value. indent is the number of spaces by which lines of each level begin
 * (none when negative), 0 for a text of one line. ValueError, memory.
 */
int tvmffi_json_write(const TVMFFIAny *value, int32_t indent, TVMFFIAny *out);

/* ---- json_number.c --------------------------------------------------------------------------- */

/*
 * Reads the number, an int or a float, that *at begins with, and moves *at behind it. False when
 * there is none, or when it is beyond the range of floats.
 */
bool tvmffi_json_read_number(const char **at, const char *end, TVMFFIAny *out);

/* How long a number can be: -1.2345678901234567e-308 and a NUL. */
enum { kTvmffiJsonMaxNumber = 25 };

/* Both give the number of bytes written. */
size_t tvmffi_json_write_int(int64_t value, char *out);
/* With 17 digits, or as many as an integer has: what is read back is the same float. */
size_t tvmffi_json_write_float(double value, char *out);

#endif /* TVMFFI_JSON_JSON_H_ */
