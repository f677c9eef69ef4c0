/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text to values and back: None, bool, int, float, String, Array and Map, and, beyond the
 * standard, NaN, Infinity and -Infinity. Neither direction recurses for nested values, and neither
 * depends on the locale.
 */
#ifndef TVMFFI_JSON_JSON_H_
#define TVMFFI_JSON_JSON_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "reflect/builtin_objects.h"

/* ---- JSON text ---- */

/* Parses a text, which need not end with a NUL. ValueError, memory. */
int tvmffi_json_parse(const char *data, size_t size, TVMFFIAny *out);

/*
 * Writes an owned value as text. indent is the number of spaces per level; 0 puts everything on one
 * line, a negative number breaks lines without indenting them. max_size is the greatest number of
 * bytes, 0 any. ValueError, memory.
 */
int tvmffi_json_write(const TVMFFIAny *value, int32_t indent, size_t max_size, TVMFFIAny *out);

/* ---- json_number.c ---- */

/*
 * Reads the int or float that *cursor begins with and moves *cursor past it. False when there is no
 * number, or when it is outside the range of floats.
 */
bool tvmffi_json_read_number(const char **cursor, const char *end, TVMFFIAny *out);

/* The longest number: -1.2345678901234567e-308 and a NUL. */
enum { kTvmffiJsonMaxNumber = 25 };

/* Both return the number of bytes written. */
size_t tvmffi_json_write_int(int64_t value, char *out);
/*
 * Writes 17 significant digits, or all digits and a fraction of 0, so that it reads back as the
 * same float.
 */
size_t tvmffi_json_write_float(double value, char *out);

/* ---- The tables of this layer ---- */

extern const tvmffi_builtin_group tvmffi_json_builtins;
extern const tvmffi_builtin_group tvmffi_json_graph_builtins;
extern const tvmffi_builtin_attr_group tvmffi_json_graph_attrs;

#endif /* TVMFFI_JSON_JSON_H_ */
