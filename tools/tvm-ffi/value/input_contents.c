/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input_contents.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"
#include "value/input.h"
#include "value/npy.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Types: "2x3xf32", "f32" ---- */

/* Takes digits followed by an x; INT64_MAX if the number is too large. */
static bool take_extent(scan *s, int64_t *out) {
  const char *cursor = s->pos;
  uint64_t extent = 0;
  while (cursor < s->end && isdigit((unsigned char)*cursor)) {
    extent = extent < INT64_MAX / 16 ? extent * 10 + (uint64_t)(*cursor - '0') : INT64_MAX;
    ++cursor;
  }
  if (cursor == s->pos || cursor == s->end || *cursor != 'x') return false;
  *out = (int64_t)extent;
  s->pos = cursor + 1;
  return true;
}

static size_t count_word(const scan *s) {
  size_t size = 0;
  while (s->pos + size < s->end && identifier_has(s->pos[size])) ++size;
  return size;
}

bool tensor_type_begins(const scan *s, bool is_storage) {
  scan copy = *s;
  DLDataType dtype;
  int64_t extent;
  size_t size;
  if (take_extent(&copy, &extent)) return true;
  size = count_word(&copy);
  if (!dtype_read(copy.pos, size, &dtype)) return false;
  copy.pos += size;
  return is_storage || (copy.pos < copy.end && *copy.pos == '=') ||
         view_follows(copy.pos, copy.end);
}

bool tensor_type_read(scan *s, tensor_type *out) {
  size_t size;
  out->ndim = 0;
  while (out->ndim < kLayoutMaxDims && take_extent(s, &out->shape[out->ndim])) {
    if (out->shape[out->ndim++] == INT64_MAX) return scan_fail(s, "a dimension is too large");
  }
  size = count_word(s);
  if (!dtype_read(s->pos, size, &out->dtype)) {
    if (size == 0) return scan_fail(s, "the data type is missing, such as f32 in 4xf32");
    return scan_fail(s, "`%.*s` is not a data type", tvmffi_shown_size(size), s->pos);
  }
  s->pos += size;
  return true;
}

/* ---- Files ---- */

void input_sources_free(input_sources *sources) {
  size_t i;
  for (i = 0; i < sources->num_files; ++i) {
    free(sources->files[i].path);
    file_reader_close(&sources->files[i].reader);
  }
  free(sources->files);
}

input_file *input_file_open(input_sources *sources, const scan *s, const char *path,
                            bool from_start) {
  input_file *file;
  size_t i;
  if (*path == '\0') {
    scan_fail(s, "the name of a file is missing");
    return NULL;
  }
  for (i = 0; i < sources->num_files; ++i) {
    file = &sources->files[i];
    if (strcmp(file->path, path) != 0) continue;
    if (from_start) file->pos = 0;
    return file;
  }
  sources->files = tool_grow(sources->files, sources->num_files, sizeof *sources->files);
  file = &sources->files[sources->num_files];
  file->path = tool_copy(path, strlen(path));
  file->pos = 0;
  if (!file_reader_open(file->path, &file->reader)) {
    free(file->path);
    return NULL;
  }
  ++sources->num_files;
  return file;
}

TVMFFIObjectHandle tensor_type_create(scan *s, const tensor_type *type) {
  TVMFFIObjectHandle tensor = tensor_new(type->dtype, type->shape, type->ndim);
  if (tensor == NULL) scan_fail_raised(s);
  return tensor;
}

bool input_file_peek(input_file *file, bool *out_more) {
  if (!file_reader_fill(&file->reader, file->pos + 1)) return false;
  *out_more = file->reader.size > file->pos;
  return true;
}

/* Reads the file as far as its next array goes; false after a report. */
static bool fill_npy(input_file *file) {
  const file_reader *reader = &file->reader;
  size_t needed = 1;
  do {
    if (!file_reader_fill(&file->reader, file->pos + needed)) return false;
    needed =
        npy_measure((const unsigned char *)reader->bytes + file->pos, reader->size - file->pos);
  } while (needed > reader->size - file->pos && reader->stream != NULL);
  return true;
}

static void fail_shape(const scan *s, const char *path, const tensor_type *wanted,
                       const tensor_type *got) {
  char wanted_text[128], got_text[128];
  scan_fail(s, "the array in %s has the shape %s, not %s", path,
            tvm_ffi_shape_print(got->shape, got->ndim, got_text, sizeof got_text),
            tvm_ffi_shape_print(wanted->shape, wanted->ndim, wanted_text, sizeof wanted_text));
}

static void fail_dtype(const scan *s, const char *path, DLDataType wanted, DLDataType got) {
  char wanted_text[kDtypeTextSize], got_text[kDtypeTextSize];
  if (got.code == kDLOpaqueHandle) { /* NumPy does not know more */
    snprintf(got_text, sizeof got_text, "%d raw bytes", (int)got.bits / 8);
  } else {
    dtype_write(got, got_text);
  }
  scan_fail(s, "the elements of the array in %s are %s, not %s", path, got_text,
            dtype_write(wanted, wanted_text));
}

TVMFFIObjectHandle input_file_read_npy(scan *s, input_file *file, const tensor_type *wanted,
                                       bool *is_fortran) {
  npy_array array;
  tensor_type type;
  TVMFFIObjectHandle tensor;
  const char *wrong;
  if (!fill_npy(file)) return NULL;
  wrong =
      npy_read((const unsigned char *)file->reader.bytes, file->reader.size, &file->pos, &array);
  if (wrong != NULL) {
    report_error("%s: %s", file->path, wrong);
    return NULL;
  }
  type.dtype = array.dtype;
  type.ndim = array.ndim;
  memcpy(type.shape, array.shape, (size_t)array.ndim * sizeof *type.shape);
  if (wanted != NULL) {
    if (!tvm_ffi_shape_equal(wanted->shape, wanted->ndim, type.shape, type.ndim)) {
      fail_shape(s, file->path, wanted, &type);
      return NULL;
    }
    if ((size_t)tvm_ffi_dtype_get_bits(wanted->dtype) != 8 * array.item_size ||
        (type.dtype.code != kDLOpaqueHandle && !tvm_ffi_dtype_equal(type.dtype, wanted->dtype))) {
      fail_dtype(s, file->path, wanted->dtype, type.dtype);
      return NULL;
    }
    type.dtype = wanted->dtype;
  } else if (type.dtype.code == kDLOpaqueHandle) {
    scan_fail(s, "%s holds %zu raw bytes per element; give their type, as in `4xbf16=@%s`",
              file->path, array.item_size, file->path);
    return NULL;
  }
  *is_fortran = array.fortran_order;
  tensor = tensor_type_create(s, &type);
  if (tensor != NULL && array.size > 0) npy_copy(&array, TVMFFITensorGetDLTensorPtr(tensor)->data);
  return tensor;
}

static TVMFFIObjectHandle read_from_file(input_sources *sources, scan *s, const tensor_type *type,
                                         const char *path, bool from_start) {
  input_file *file = input_file_open(sources, s, path, from_start);
  TVMFFIObjectHandle tensor;
  DLTensor *packed;
  size_t size = 0;
  bool is_fortran;
  if (file == NULL) return NULL;
  if (path_ends_in(path, ".npy")) return input_file_read_npy(s, file, type, &is_fortran);
  tensor = tensor_type_create(s, type);
  if (tensor == NULL) return NULL;
  packed = TVMFFITensorGetDLTensorPtr(tensor);
  if (tvm_ffi_tensor_compute_size(packed, &size) != 0) {
    scan_fail_raised(s);
    TVMFFIObjectDecRef(tensor);
    return NULL;
  }
  if (!file_reader_fill(&file->reader, file->pos + size)) {
    TVMFFIObjectDecRef(tensor);
    return NULL;
  }
  if (size > file->reader.size - file->pos) {
    scan_fail(s, "%zu bytes are needed, but %s has %zu", size, path, file->reader.size - file->pos);
    TVMFFIObjectDecRef(tensor);
    return NULL;
  }
  if (size > 0) memcpy(packed->data, file->reader.bytes + file->pos, size);
  file->pos += size;
  return tensor;
}

/* ---- Contents ---- */

/* The generator splitmix64: the same numbers on every system. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Fills with numbers from -1 to 1; integers from -100 (unsigned: 0) to 100, or the type's limits if
 * these are closer. */
static void fill_random(input_sources *sources, DLDataType dtype, void *data, size_t count) {
  bool is_signed = dtype.code == kDLInt;
  int bits = dtype.bits - (is_signed ? 1 : 0);
  int64_t high = dtype.code == kDLBool ? 1 : bits < 7 ? ((int64_t)1 << bits) - 1 : 100;
  int64_t low = is_signed ? (bits < 7 ? -high - 1 : -high) : 0;
  bool integer = is_signed || dtype.code == kDLUInt || dtype.code == kDLBool;
  size_t i;
  for (i = 0; i < count; ++i) {
    uint64_t random = next_random(&sources->random) >> 11;
    double value = (double)random / 9007199254740992.0; /* 2^53 */
    number_set_real(
        dtype, data, i,
        integer ? (double)((int64_t)(value * (double)(high - low + 1)) + low) : 2 * value - 1);
  }
}

static bool is_separator(char c) {
  return isspace((unsigned char)c) || strchr(",[]", c) != NULL;
}

static bool is_balanced(const char *contents) {
  int depth = 0;
  for (; *contents != '\0' && depth >= 0; ++contents)
    depth += (*contents == '[') - (*contents == ']');
  return depth == 0;
}

/* Parses "1 2 3", "[1,2][3,4]", or one number for all elements. */
static bool read_numbers(scan *s, DLDataType dtype, void *data, size_t count, char *contents) {
  size_t given = 0, i;
  char *cursor = contents;
  if (!is_balanced(contents)) return scan_fail(s, "its brackets do not match");
  while (*cursor != '\0') {
    char *word, end;
    const char *wrong;
    while (is_separator(*cursor) && *cursor != '\0') ++cursor;
    if (*cursor == '\0') break;
    for (word = cursor; *cursor != '\0' && !is_separator(*cursor);) ++cursor;
    end = *cursor;
    *cursor = '\0';
    if (given < count && (wrong = number_set(dtype, data, given, word)) != NULL) {
      return scan_fail(s, "`%s` %s", word, wrong);
    }
    ++given;
    *cursor = end;
  }
  for (i = 1; given == 1 && i < count; ++i) number_copy(dtype, data, 0, i);
  if (given == count || given == 1) return true;
  return scan_fail(s, "%zu numbers for %zu; give all, or one for every element", given, count);
}

/* Numbers of that type are not known. */
static void fail_without_numbers(scan *s, DLDataType dtype) {
  char name[kDtypeTextSize];
  dtype_write(dtype, name);
  /* No processor has numbers of 33 bits: that is a slip. */
  if (dtype.code <= kDLBfloat && (dtype.bits & (dtype.bits - 1)) != 0) {
    scan_fail(s, "there is no type %s; write f32, f64, i32, u8, bf16, f8e4m3fn or the like", name);
  } else {
    scan_fail(s, "numbers of type %s cannot be written as text; read them from a file", name);
  }
}

TVMFFIObjectHandle contents_read(input_sources *sources, scan *s, const tensor_type *type,
                                 bool *is_random) {
  TVMFFIObjectHandle tensor = NULL;
  char *contents = scan_take_rest(s);
  *is_random = false;
  if (contents == NULL) return NULL;
  if (*contents == '@' || (*contents == '+' && !isdigit((unsigned char)contents[1]) &&
                           contents[1] != '.' && strncmp(contents + 1, "inf", 3) != 0)) {
    tensor = read_from_file(sources, s, type, contents + 1, *contents == '@');
    free(contents);
    return tensor;
  }
  if (!numbers_known(type->dtype)) {
    fail_without_numbers(s, type->dtype);
  } else if ((tensor = tensor_type_create(s, type)) != NULL) {
    DLTensor *packed = TVMFFITensorGetDLTensorPtr(tensor);
    size_t count = (size_t)tvm_ffi_tensor_get_numel(packed) * numbers_per_element(type->dtype);
    *is_random = strcmp(contents, "rand") == 0;
    if (*is_random) {
      fill_random(sources, type->dtype, packed->data, count);
    } else if (!read_numbers(s, type->dtype, packed->data, count, contents)) {
      TVMFFIObjectDecRef(tensor);
      tensor = NULL;
    }
  }
  free(contents);
  return tensor;
}
