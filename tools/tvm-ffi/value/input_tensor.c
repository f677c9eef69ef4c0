/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input_tensor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/identifier.h"
#include "base/report.h"
#include "value/dtype_text.h"
#include "value/npy.h"
#include "value/tensor_text.h"

enum { kMaxDims = 64 };

typedef struct {
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[kMaxDims];
} tensor_type;

/* ---- Types: "2x3xf32", "f32" -------------------------------------------------------------------
 */

/* Digits and an x behind them; INT64_MAX of too many. */
static bool take_extent(scan *s, int64_t *out) {
  const char *at = s->at;
  uint64_t extent = 0;
  while (at < s->end && isdigit((unsigned char)*at)) {
    extent = extent < INT64_MAX / 16 ? extent * 10 + (uint64_t)(*at - '0') : INT64_MAX;
    ++at;
  }
  if (at == s->at || at == s->end || *at != 'x') return false;
  *out = (int64_t)extent;
  s->at = at + 1;
  return true;
}

static size_t count_word(const scan *s) {
  size_t size = 0;
  while (s->at + size < s->end && identifier_has(s->at[size])) ++size;
  return size;
}

bool input_tensor_begins(const scan *s, bool is_storage) {
  scan copy = *s;
  DLDataType dtype;
  int64_t extent;
  size_t size;
  if (take_extent(&copy, &extent)) return true;
  size = count_word(&copy);
  if (!dtype_read(copy.at, size, &dtype)) return false;
  return is_storage || (copy.at + size < copy.end && copy.at[size] == '=');
}

static bool read_type(scan *s, tensor_type *out) {
  size_t size;
  out->ndim = 0;
  while (out->ndim < kMaxDims && take_extent(s, &out->shape[out->ndim])) {
    if (out->shape[out->ndim++] == INT64_MAX) return scan_fail(s, "a dimension is too large");
  }
  size = count_word(s);
  if (!dtype_read(s->at, size, &out->dtype)) {
    if (size == 0) return scan_fail(s, "the data type is missing, such as f32 in 4xf32");
    return scan_fail(s, "`%.*s` is no data type", (int)size, s->at);
  }
  s->at += size;
  return true;
}

/* ---- Files -------------------------------------------------------------------------------------
 */

void input_sources_free(input_sources *sources) {
  size_t i;
  for (i = 0; i < sources->num_files; ++i) {
    free(sources->files[i].path);
    free(sources->files[i].bytes);
  }
  free(sources->files);
}

input_file *input_file_open(input_sources *from, const scan *s, const char *path, bool from_start) {
  input_file *file;
  size_t i;
  if (*path == '\0') {
    scan_fail(s, "the name of a file is missing");
    return NULL;
  }
  for (i = 0; i < from->num_files; ++i) {
    file = &from->files[i];
    if (strcmp(file->path, path) != 0) continue;
    if (from_start) file->at = 0;
    return file;
  }
  from->files = tool_realloc(from->files, (from->num_files + 1) * sizeof *from->files);
  file = &from->files[from->num_files];
  file->bytes = (unsigned char *)tool_read_file(path, &file->size);
  if (file->bytes == NULL) return NULL;
  file->path = tool_copy(path, strlen(path));
  file->at = 0;
  ++from->num_files;
  return file;
}

static TVMFFIObjectHandle create(input_sources *from, scan *s, const tensor_type *type) {
  TVMFFIObjectHandle tensor = tensor_new(type->dtype, type->shape, type->ndim, from->guard);
  if (tensor == NULL) scan_fail_raised(s);
  return tensor;
}

/* `wanted`: what type the elements are to be of, for those of which NumPy knows the size only. */
static TVMFFIObjectHandle read_npy(input_sources *from, scan *s, input_file *file,
                                   const tensor_type *wanted) {
  npy_array array;
  tensor_type type;
  TVMFFIObjectHandle tensor;
  const char *wrong = npy_read(file->bytes, file->size, &file->at, &array);
  if (wrong != NULL) {
    report_error("%s: %s", file->path, wrong);
    return NULL;
  }
  type.dtype = array.dtype;
  type.ndim = array.ndim;
  memcpy(type.shape, array.shape, (size_t)array.ndim * sizeof *type.shape);
  if (wanted != NULL) {
    if (!tvm_ffi_shape_equal(wanted->shape, wanted->ndim, type.shape, type.ndim)) {
      scan_fail(s, "the array in %s has another shape", file->path);
      return NULL;
    }
    if ((size_t)tvm_ffi_dtype_get_bits(wanted->dtype) != 8 * array.item_size ||
        (type.dtype.code != kDLOpaqueHandle && !tvm_ffi_dtype_equal(type.dtype, wanted->dtype))) {
      scan_fail(s, "the array in %s has another data type", file->path);
      return NULL;
    }
    type.dtype = wanted->dtype;
  } else if (type.dtype.code == kDLOpaqueHandle) {
    scan_fail(s, "%s holds %zu raw bytes per element; say what they are as in `4xbf16=@%s`",
              file->path, array.item_size, file->path);
    return NULL;
  }
  tensor = create(from, s, &type);
  if (tensor != NULL && array.size > 0) npy_copy(&array, TVMFFITensorGetDLTensorPtr(tensor)->data);
  return tensor;
}

TVMFFIObjectHandle input_file_read_npy(input_sources *from, scan *s, input_file *file) {
  return read_npy(from, s, file, NULL);
}

static bool has_suffix(const char *path, const char *suffix) {
  size_t size = strlen(path), suffix_size = strlen(suffix);
  return size >= suffix_size && strcmp(path + size - suffix_size, suffix) == 0;
}

static TVMFFIObjectHandle read_from_file(input_sources *from, scan *s, const tensor_type *type,
                                         const char *path, bool from_start) {
  input_file *file = input_file_open(from, s, path, from_start);
  TVMFFIObjectHandle tensor;
  DLTensor *inside;
  size_t size = 0;
  if (file == NULL) return NULL;
  if (has_suffix(path, ".npy")) return read_npy(from, s, file, type);
  tensor = create(from, s, type);
  if (tensor == NULL) return NULL;
  inside = TVMFFITensorGetDLTensorPtr(tensor);
  tvm_ffi_tensor_compute_size(inside, &size);
  if (size > file->size - file->at) {
    scan_fail(s, "%zu bytes are needed, and %s has %zu", size, path, file->size - file->at);
    TVMFFIObjectDecRef(tensor);
    return NULL;
  }
  if (size > 0) memcpy(inside->data, file->bytes + file->at, size);
  file->at += size;
  return tensor;
}

/* ---- Contents ----------------------------------------------------------------------------------
 */

/* The generator splitmix64: the same numbers everywhere. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* From -1 up to 1; integers from -100 or 0 to 100, or as far as the type goes. */
static void fill_random(input_sources *from, DLDataType dtype, void *data, size_t count) {
  bool is_signed = dtype.code == kDLInt;
  int bits = dtype.bits - (is_signed ? 1 : 0);
  int64_t high = dtype.code == kDLBool ? 1 : bits < 7 ? ((int64_t)1 << bits) - 1 : 100;
  int64_t low = is_signed ? (bits < 7 ? -high - 1 : -high) : 0;
  bool integer = is_signed || dtype.code == kDLUInt || dtype.code == kDLBool;
  size_t i;
  for (i = 0; i < count; ++i) {
    uint64_t random = next_random(&from->random) >> 11;
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

/* "1 2 3", "[1,2][3,4]", or one number for all. */
static bool read_numbers(scan *s, DLDataType dtype, void *data, size_t count, char *contents) {
  size_t given = 0, i;
  char *at = contents;
  if (!is_balanced(contents)) return scan_fail(s, "its brackets do not match");
  while (*at != '\0') {
    char *word, end;
    const char *wrong;
    while (is_separator(*at) && *at != '\0') ++at;
    if (*at == '\0') break;
    for (word = at; *at != '\0' && !is_separator(*at);) ++at;
    end = *at;
    *at = '\0';
    if (given < count && (wrong = number_set(dtype, data, given, word)) != NULL) {
      return scan_fail(s, "`%s` %s", word, wrong);
    }
    ++given;
    *at = end;
  }
  for (i = 1; given == 1 && i < count; ++i) number_copy(dtype, data, 0, i);
  if (given == count || given == 1) return true;
  return scan_fail(s, "%zu numbers for %zu", given, count);
}

TVMFFIObjectHandle input_tensor_read(input_sources *from, scan *s, bool *has_contents) {
  TVMFFIObjectHandle tensor = NULL;
  tensor_type type;
  char *contents;
  *has_contents = false;
  if (!read_type(s, &type)) return NULL;
  if (scan_take(s, '=')) {
    *has_contents = true;
    contents = scan_take_rest(s);
    if (contents == NULL) return NULL;
    if (*contents == '@' || (*contents == '+' && !isdigit((unsigned char)contents[1]) &&
                             contents[1] != '.' && strncmp(contents + 1, "inf", 3) != 0)) {
      tensor = read_from_file(from, s, &type, contents + 1, *contents == '@');
      free(contents);
      return tensor;
    }
  } else {
    return create(from, s, &type);
  }
  if (!numbers_known(type.dtype)) {
    char name[kDtypeTextSize];
    scan_fail(s, "numbers of type %s cannot be written as text; read them from a file",
              dtype_write(type.dtype, name));
  } else if ((tensor = create(from, s, &type)) != NULL) {
    DLTensor *inside = TVMFFITensorGetDLTensorPtr(tensor);
    size_t count = (size_t)tvm_ffi_tensor_get_numel(inside) * numbers_per_element(type.dtype);
    if (strcmp(contents, "rand") == 0) {
      fill_random(from, type.dtype, inside->data, count);
    } else if (!read_numbers(s, type.dtype, inside->data, count, contents)) {
      TVMFFIObjectDecRef(tensor);
      tensor = NULL;
    }
  }
  free(contents);
  return tensor;
}
