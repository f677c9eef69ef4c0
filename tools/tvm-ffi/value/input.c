/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/argument_scanner.h"
#include "base/files.h"
#include "base/text.h"
#include "base/utf8.h"
#include "value/input_contents.h"
#include "value/layout.h"
#include "value/number.h"
#include "value/schema.h"
#include "value/tensor.h"

/* ---- Words ---- */

/* Values from a single word, by what it looks like, by a parameter's type, or by the prefix before
 * it. All but parse_real() return false after a report. */
typedef enum {
  kFormInt,
  kFormFloat,
  kFormBool,
  kFormText,
  kFormBytes,
  kFormDataType,
  kFormDevice,
  kFormFunction /* "echo", which returns its argument, or a global function */
} input_form;

static bool make_text(scan *s, const char *data, size_t size, bool is_bytes, TVMFFIAny *out) {
  TVMFFIByteArray bytes;
  bytes.data = data;
  bytes.size = size;
  if ((is_bytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(&bytes, out) != 0) {
    return scan_fail_raised(s);
  }
  return true;
}

static bool is_kind(const schema_type *type, schema_kind kind) {
  return type != NULL && type->kind == kind;
}

static bool parse_int(const char *word, TVMFFIAny *out) {
  char *end;
  long long value;
  errno = 0;
  value = strtoll(word, &end, number_base(word));
  if (end == word || *end != '\0' || errno == ERANGE) return false;
  *out = tvm_ffi_any_from_int64(value);
  return true;
}

/* Whether it is an integer that does not fit 64 bits; such a word must not silently become a
 * float. */
static bool is_too_large(const char *word) {
  char *end;
  errno = 0;
  strtoll(word, &end, number_base(word));
  return end != word && *end == '\0' && errno == ERANGE;
}

/* Parses a bare key of a map: an integer if it is one, otherwise a text. */
static bool make_key(scan *s, const char *word, TVMFFIAny *out) {
  if (parse_int(word, out)) return true;
  if (is_too_large(word)) return scan_fail(s, "`%s` is not a 64-bit integer", word);
  return *word != '\0' ? make_text(s, word, strlen(word), false, out)
                       : scan_fail(s, "a key is missing in a map");
}

static bool parse_real(const char *word, TVMFFIAny *out) {
  char *end;
  double value = text_read_real(word, &end);
  if (end == word || *end != '\0') return false;
  *out = tvm_ffi_any_from_double(value);
  return true;
}

static bool parse_bool(const char *word, TVMFFIAny *out) {
  bool yes = strcmp(word, "true") == 0 || strcmp(word, "True") == 0;
  if (!yes && strcmp(word, "false") != 0 && strcmp(word, "False") != 0) return false;
  *out = tvm_ffi_any_from_bool(yes);
  return true;
}

static bool is_none(const char *word) {
  return strcmp(word, "none") == 0 || strcmp(word, "None") == 0 || strcmp(word, "null") == 0 ||
         strcmp(word, "(null)") == 0;
}

static bool make_dtype(scan *s, const char *word, TVMFFIAny *out) {
  DLDataType dtype;
  if (!dtype_read(word, strlen(word), &dtype)) return scan_fail(s, "`%s` is not a data type", word);
  *out = tvm_ffi_any_from_dtype(dtype);
  return true;
}

static bool make_device(scan *s, const char *word, TVMFFIAny *out) {
  DLDevice device;
  if (!tvm_ffi_device_parse(word, strlen(word), &device)) {
    return scan_fail(s, "`%s` is not a device, such as cpu or cuda:0", word);
  }
  *out = tvm_ffi_any_from_device(device);
  return true;
}

/* Parses a bare word for a parameter of this type, which may be NULL. */
static bool make_word(scan *s, const char *word, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type);
  if (is_kind(wanted, kSchemaStr) && (type != wanted || !is_none(word))) {
    return make_text(s, word, strlen(word), false, out);
  }
  if (is_none(word)) {
    *out = tvm_ffi_any_none();
    return true;
  }
  if (is_kind(wanted, kSchemaDataType)) return make_dtype(s, word, out);
  if (is_kind(wanted, kSchemaDevice)) return make_device(s, word, out);
  if (is_kind(wanted, kSchemaBytes)) return make_text(s, word, strlen(word), true, out);
  if (is_kind(wanted, kSchemaFloat) && parse_real(word, out)) return true;
  if (is_kind(wanted, kSchemaBool) && (strcmp(word, "0") == 0 || strcmp(word, "1") == 0)) {
    *out = tvm_ffi_any_from_bool(*word == '1');
    return true;
  }
  if (parse_int(word, out)) return true;
  if (is_too_large(word)) {
    return scan_fail(s, "`%s` is not a 64-bit integer; a float is written f:%s", word, word);
  }
  if (parse_real(word, out) || parse_bool(word, out)) return true;
  if (*word == '\0') return scan_fail(s, "a value is missing");
  return scan_fail(s, "`%s` is not a value; a tensor is written 4xf32=1, a string s:\"...\"", word);
}

TVM_FFI_C_FUNCTION(echo, "(...: Any) -> Any") {
  if (args->num_args == 0) return 0;
  return tvm_ffi_any_copy(&args->args[0], args->result);
}

static bool make_function(scan *s, const char *name, TVMFFIAny *out) {
  TVMFFIObjectHandle function = NULL;
  int code = strcmp(name, "echo") == 0 ? TVMFFIFunctionCreate(NULL, echo, NULL, &function)
                                       : tvm_ffi_function_find_global(name, &function);
  if (code != 0) return scan_fail_raised(s);
  if (function == NULL) {
    return scan_fail(s, "there is no global function `%s`; fn:echo returns its argument", name);
  }
  *out = tvm_ffi_any_take_object(function);
  return true;
}

/* Makes a Shape from a list of integers. */
static bool make_shape(scan *s, const TVMFFIAny *list, TVMFFIAny *out) {
  int64_t buffer[64];
  TVMFFIShapeCell cell;
  TVMFFIObjectHandle shape;
  int found = tvm_ffi_detail_read_shape(list, buffer, 64, &cell);
  if (found != 1) return scan_fail(s, "a shape must be a list of at most 64 integers");
  if (tvm_ffi_shape_create(cell.data, (int32_t)cell.size, &shape) != 0) return scan_fail_raised(s);
  *out = tvm_ffi_any_take_object(shape);
  return true;
}

/* All of a word but a text is read up to its first NUL. */
static bool check_word(scan *s, const char *word, size_t size) {
  return strlen(word) == size || scan_fail(s, "only strings and bytes may contain a NUL character");
}

static bool make_form(scan *s, input_form form, const char *word, size_t size, TVMFFIAny *out) {
  if (form != kFormText && form != kFormBytes) {
    if (size == 0) return scan_fail(s, "a value is missing");
    if (!check_word(s, word, size)) return false;
  }
  switch (form) {
    case kFormInt:
      return parse_int(word, out) || scan_fail(s, "`%s` is not a 64-bit integer", word);
    case kFormFloat:
      return parse_real(word, out) || scan_fail(s, "`%s` is not a number", word);
    case kFormBool:
      return parse_bool(word, out) || scan_fail(s, "`%s` is neither true nor false", word);
    case kFormText:
      return make_text(s, word, size, false, out);
    case kFormBytes:
      return make_text(s, word, size, true, out);
    case kFormDataType:
      return make_dtype(s, word, out);
    case kFormDevice:
      return make_device(s, word, out);
    default:
      return make_function(s, word, out);
  }
}

/* ---- Arguments ---- */

struct input_reader {
  input_sources sources;
  tensor_guard guard;
  input_list *arguments; /* that were read before, and the one that is being read */
  inner_input *inner;    /* inside the one that is being read */
  size_t num_inner;
};

input_reader *input_reader_new(uint64_t seed, tensor_guard guard) {
  input_reader *reader = tool_alloc(sizeof *reader);
  memset(reader, 0, sizeof *reader);
  reader->sources.random = seed;
  reader->guard = guard;
  return reader;
}

static void free_inner(inner_input *inner, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) TVMFFIObjectDecRef(inner[i].tensor);
  free(inner);
}

void input_reader_free(input_reader *reader) {
  free_inner(reader->inner, reader->num_inner);
  input_sources_free(&reader->sources);
  free(reader);
}

static void add(input_list *list, TVMFFIAny value, bool is_storage) {
  if (list->size == list->capacity) {
    list->capacity = 2 * list->capacity + 8;
    list->items = tool_realloc(list->items, list->capacity * sizeof *list->items);
  }
  memset(&list->items[list->size], 0, sizeof *list->items);
  list->items[list->size].value = value;
  list->items[list->size++].is_storage = is_storage;
}

static void free_memory(input_memory *memory) {
  if (memory == NULL) return;
  tvm_ffi_object_release(memory->moved);
  storage_free(memory->stored);
  free(memory);
}

void input_replace(input *item, TVMFFIObjectHandle tensor) {
  tvm_ffi_any_clear(&item->value);
  if (item->memory != NULL && item->memory->seen.is_dltensor) {
    item->memory->moved = tensor;
    item->value = tvm_ffi_any_view_tensor(TVMFFITensorGetDLTensorPtr(tensor));
  } else {
    item->value = tvm_ffi_any_take_object(tensor);
  }
}

void input_list_free(input_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) {
    tvm_ffi_any_clear(&list->items[i].value);
    free_memory(list->items[i].memory);
    free_inner(list->items[i].inner, list->items[i].num_inner);
  }
  free(list->items);
  memset(list, 0, sizeof *list);
}

/* ---- Tensors in memory of a layout ---- */

/* Sets the elements of storage to packed ones, of which a dimension of stride 0 may have one. */
static bool fill(storage *stored, const DLTensor *contents, bool is_random) {
  int64_t *shape = stored->tensor.shape;
  size_t size = 0;
  void *again;
  bool good;
  stored->tensor.shape = contents->shape;
  good = storage_fill(stored, contents->data) && tvm_ffi_tensor_compute_size(contents, &size) == 0;
  if (good && !is_random && !tvm_ffi_tensor_is_contiguous(&stored->tensor)) {
    again = tool_alloc(size + 1);
    storage_read(stored, again);
    if (size > 0 && memcmp(again, contents->data, size) != 0) {
      tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                          "elements that share memory cannot have different contents");
      good = false;
    }
    free(again);
  }
  stored->tensor.shape = shape;
  return good;
}

/* Adds the storage [take]; false after a report. */
static bool add_stored(scan *s, input_list *list, const view *seen, storage *stored,
                       bool is_storage) {
  input_memory *memory;
  TVMFFIObjectHandle object;
  if (seen->is_dltensor && s->depth > 0) {
    storage_free(stored);
    return scan_fail(s, "a list or a map cannot hold a DLTensor *, which .dltensor makes");
  }
  if (seen->is_dltensor) {
    add(list, tvm_ffi_any_view_tensor(&stored->tensor), is_storage);
  } else {
    object = storage_make_object(stored);
    if (object == NULL) {
      storage_free(stored);
      return scan_fail_raised(s);
    }
    add(list, tvm_ffi_any_take_object(object), is_storage);
  }
  memory = tool_alloc(sizeof *memory);
  memory->stored = stored;
  memory->seen = *seen;
  memory->moved = NULL;
  list->items[list->size - 1].memory = memory;
  return true;
}

/* Adds a tensor with the contents [take], NULL: zeros; false after a report. */
static bool add_tensor(input_reader *reader, scan *s, input_list *list, view *seen,
                       TVMFFIObjectHandle contents, bool is_random, bool is_storage) {
  const tensor_guard guard = reader->guard;
  storage *stored;
  if (!seen->has_layout && guard == kGuardNone) {
    add(list, tvm_ffi_any_take_object(contents), is_storage);
    return true;
  }
  if (seen->how.guard == kGuardNone) seen->how.guard = guard;
  stored = view_make_storage(seen);
  if (stored == NULL ||
      (contents != NULL && !fill(stored, TVMFFITensorGetDLTensorPtr(contents), is_random))) {
    storage_free(stored);
    tvm_ffi_object_release(contents);
    return scan_fail_raised(s);
  }
  tvm_ffi_object_release(contents);
  return add_stored(s, list, seen, stored, is_storage);
}

/* Reads "4xf32[::2]=1 2"; `is_marked`: it follows "&". */
static bool read_typed(input_reader *reader, scan *s, bool is_marked, input_list *list) {
  TVMFFIObjectHandle contents = NULL;
  tensor_type type;
  view seen;
  bool is_given, is_plain, is_random = false;
  if (!tensor_type_read(s, &type) ||
      !view_begin(&seen, kViewOfType, s, type.dtype, type.shape, type.ndim) ||
      !view_read(&seen, s, false)) {
    return false;
  }
  type.ndim = seen.part.ndim;
  view_get_contents_shape(&seen, type.shape);
  is_given = scan_take(s, '=');
  if (is_given && seen.how.has_no_memory) {
    return scan_fail(s, "a tensor that is .reserved has no memory for contents");
  }
  is_plain = !seen.has_layout && reader->guard == kGuardNone;
  if (is_given) {
    contents = contents_read(&reader->sources, s, &type, &is_random);
  } else if (is_plain) {
    contents = tensor_type_create(s, &type);
  }
  if (contents == NULL && (is_given || is_plain)) return false;
  if (!add_tensor(reader, s, list, &seen, contents, is_random, is_marked || !is_given))
    return false;
  list->items[list->size - 1].has_values = is_given;
  return true;
}

/* The part of a packed array [take] that a layout leaves of it; NULL with an error raised. */
static TVMFFIObjectHandle take_part(const view *seen, TVMFFIObjectHandle whole) {
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  DLTensor part = *TVMFFITensorGetDLTensorPtr(whole);
  const int64_t item = (int64_t)tvm_ffi_dtype_get_bits(part.dtype) / 8;
  TVMFFIObjectHandle out;
  int32_t d;
  if (!seen->is_part) return whole;
  view_get_shape(seen, shape);
  for (d = 0; d < seen->part.ndim; ++d) strides[d] = seen->part.axes[d].packed;
  part.ndim = seen->part.ndim;
  part.shape = shape;
  part.strides = strides;
  part.data = (char *)part.data + seen->packed_first * item;
  out = tensor_new(part.dtype, shape, part.ndim);
  if (out != NULL) tensor_gather(&part, TVMFFITensorGetDLTensorPtr(out)->data);
  TVMFFIObjectDecRef(whole);
  return out;
}

/* Reads the layout that may follow the name of a file, and adds the array in it [take]. */
static bool add_array(input_reader *reader, scan *s, TVMFFIObjectHandle whole, bool is_fortran,
                      input_list *list) {
  const DLTensor *packed = TVMFFITensorGetDLTensorPtr(whole);
  view seen;
  if (!view_begin(&seen, kViewOfFile, s, packed->dtype, packed->shape, packed->ndim) ||
      !view_read(&seen, s, is_fortran)) {
    TVMFFIObjectDecRef(whole);
    return false;
  }
  if (seen.how.has_no_memory) {
    TVMFFIObjectDecRef(whole);
    return scan_fail(s, "a tensor that is .reserved has no memory for the array of a file");
  }
  whole = take_part(&seen, whole);
  return whole != NULL ? add_tensor(reader, s, list, &seen, whole, false, false)
                       : scan_fail_raised(s);
}

/* Takes "arg[2]"; false, and nothing consumed, if something else is here. */
static bool take_argument(scan *s, size_t *out) {
  const char *begin = s->pos;
  size_t index = 0;
  if (scan_take_prefix(s, "arg[") && s->pos < s->end && isdigit((unsigned char)*s->pos)) {
    while (s->pos < s->end && isdigit((unsigned char)*s->pos)) {
      index = index < SIZE_MAX / 16 ? 10 * index + (size_t)(*s->pos - '0') : index;
      ++s->pos;
    }
    *out = index;
    if (scan_take_prefix(s, "]")) return true;
  }
  s->pos = begin;
  return false;
}

/* Gives an argument that is a packed tensor memory that others can share; false after a report. */
static bool give_memory(scan *s, input *item, const DLTensor *packed) {
  input_list one = {NULL, 0, 0};
  view seen;
  storage *stored;
  if (!view_begin(&seen, kViewOfType, s, packed->dtype, packed->shape, packed->ndim)) return false;
  stored = view_make_storage(&seen);
  if (stored == NULL || !storage_fill(stored, packed->data)) {
    storage_free(stored);
    return scan_fail_raised(s);
  }
  if (!add_stored(s, &one, &seen, stored, item->is_storage)) return false;
  tvm_ffi_any_clear(&item->value);
  *item = one.items[0];
  free(one.items);
  return true;
}

/* Adds the tensor of an earlier argument, or a part of it. */
static bool add_shared(input_reader *reader, scan *s, size_t index, bool is_marked,
                       input_list *list) {
  DLTensor *packed;
  view seen;
  storage *stored;
  input *item;
  if (index >= reader->arguments->size) {
    return scan_fail(s, "there is no argument %zu before it", index);
  }
  item = &reader->arguments->items[index];
  if (!tvm_ffi_any_try_tensor(&item->value, &packed)) {
    return scan_fail(s, "argument %zu is not a tensor", index);
  }
  if (item->memory == NULL && !give_memory(s, item, packed)) return false;
  seen = item->memory->seen;
  seen.source = kViewOfArgument;
  seen.is_dltensor = seen.is_part = false;
  seen.how.byte_offset = 0;
  if (!view_read(&seen, s, false)) return false;
  if (scan_take(s, '=')) return scan_fail(s, "its contents are those of argument %zu", index);
  stored = view_share_storage(&seen, &item->memory->seen, item->memory->stored);
  return stored != NULL ? add_stored(s, list, &seen, stored, is_marked) : scan_fail_raised(s);
}

/* ---- Values with a prefix: "i:3" ---- */

/* Takes the text after a prefix: quoted, or up to the end of the value. */
static char *take_operand(scan *s, size_t *out_size) {
  char *word;
  scan_skip_space(s);
  if (s->pos < s->end && *s->pos == '"') return scan_take_quoted(s, out_size);
  word = scan_take_rest(s);
  if (word != NULL) *out_size = strlen(word);
  return word;
}

static bool read_list(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out);

/* Reads what follows "shape:". */
static bool read_shape(input_reader *reader, scan *s, TVMFFIAny *out) {
  TVMFFIAny list;
  bool good;
  if (!scan_take(s, '[')) return scan_fail(s, "shape: must be followed by a list, as in [2,3]");
  if (!read_list(reader, s, NULL, &list)) return false;
  good = make_shape(s, &list, out);
  tvm_ffi_any_clear(&list);
  return good;
}

/* Reads what follows "x:": the bytes themselves, or "@FILE". */
static bool read_bytes(input_reader *reader, scan *s, const char *word, size_t size,
                       TVMFFIAny *out) {
  input_file *file;
  if (*word != '@') return make_form(s, kFormBytes, word, size, out);
  if (!check_word(s, word, size)) return false;
  file = input_file_open(&reader->sources, s, word + 1, true);
  return file != NULL && file_reader_fill_all(&file->reader) &&
         make_text(s, file->reader.bytes, file->reader.size, true, out);
}

/* False, and nothing consumed, if no prefix is here. */
static bool read_prefixed(input_reader *reader, scan *s, TVMFFIAny *out, bool *good) {
  static const struct {
    const char *prefix;
    input_form form;
  } kForms[] = {{"i:", kFormInt},      {"f:", kFormFloat},    {"b:", kFormBool},
                {"s:", kFormText},     {"x:", kFormBytes},    {"dtype:", kFormDataType},
                {"dev:", kFormDevice}, {"fn:", kFormFunction}};
  size_t i, size = 0;
  char *word;
  if (scan_take_prefix(s, "shape:")) {
    *good = read_shape(reader, s, out);
    return true;
  }
  for (i = 0; i < sizeof kForms / sizeof *kForms; ++i) {
    if (!scan_take_prefix(s, kForms[i].prefix)) continue;
    word = take_operand(s, &size);
    *good = word != NULL &&
            (kForms[i].form == kFormBytes ? read_bytes(reader, s, word, size, out)
                                          : make_form(s, kForms[i].form, word, size, out));
    free(word);
    return true;
  }
  return false;
}

static bool read_value(input_reader *reader, scan *s, const schema_type *type, input_list *list);

/* ---- Lists and maps ---- */

static bool create_container(scan *s, const input_list *items, bool is_map, const schema_type *type,
                             TVMFFIAny *out) {
  const char *name = is_map ? (is_kind(type, kSchemaDict) ? "ffi.Dict" : "ffi.Map")
                            : (is_kind(type, kSchemaList) ? "ffi.List" : "ffi.Array");
  TVMFFIAny *values = tool_alloc((items->size + 1) * sizeof *values);
  size_t i;
  int code;
  for (i = 0; i < items->size; ++i) values[i] = items->items[i].value;
  code = tvm_ffi_function_call_global(name, values, (int32_t)items->size, out);
  free(values);
  return code == 0 || scan_fail_raised(s);
}

/* Begins a list or a map. */
static bool enter(scan *s) {
  enum { kMaxDepth = 64 };
  s->nested = true;
  return ++s->depth <= kMaxDepth || scan_fail(s, "lists and maps are nested too deeply");
}

/* Reads what follows "[". */
static bool read_list(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type), *item = NULL;
  input_list items = {NULL, 0, 0};
  bool was_nested = s->nested, good = enter(s);
  while (good && !scan_take(s, ']')) {
    if (items.size > 0 && !scan_take(s, ',')) {
      good = scan_fail(s, "`,` or `]` is missing in a list");
      break;
    }
    if (wanted != NULL && wanted->num_args > 0) {
      size_t i = is_kind(wanted, kSchemaTuple) ? items.size : 0;
      item = i < wanted->num_args ? &wanted->args[i] : NULL;
    }
    good = read_value(reader, s, item, &items);
  }
  s->nested = was_nested;
  --s->depth;
  if (good) good = create_container(s, &items, false, wanted, out);
  input_list_free(&items);
  if (good && is_kind(wanted, kSchemaShape)) {
    TVMFFIAny list = *out;
    good = make_shape(s, &list, out);
    tvm_ffi_any_clear(&list);
  }
  return good;
}

/* Reads a key: a quoted text, an integer, or a bare word, which is a text. */
static bool read_key(scan *s, input_list *list) {
  TVMFFIAny key;
  size_t size = 0;
  char *word;
  bool good;
  scan_skip_space(s);
  if (s->pos < s->end && *s->pos == '"') {
    word = scan_take_quoted(s, &size);
    if (word == NULL) return false;
    good = make_text(s, word, size, false, &key);
  } else {
    while (s->pos + size < s->end && strchr(":,{}[] ", s->pos[size]) == NULL) ++size;
    word = tool_copy(s->pos, size);
    s->pos += size;
    good = make_key(s, word, &key);
  }
  free(word);
  if (good) add(list, key, false);
  return good;
}

/* Reads what follows "{". */
static bool read_map(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type);
  const schema_type *value = wanted != NULL && wanted->num_args == 2 ? &wanted->args[1] : NULL;
  input_list items = {NULL, 0, 0};
  bool was_nested = s->nested, good = enter(s);
  while (good && !scan_take(s, '}')) {
    if (items.size > 0 && !scan_take(s, ',')) {
      good = scan_fail(s, "`,` or `}` is missing in a map");
    } else if (!read_key(s, &items)) {
      good = false;
    } else if (!scan_take(s, ':')) {
      good = scan_fail(s, "`:` is missing in a map");
    } else {
      good = read_value(reader, s, value, &items);
      if (good && items.size % 2 != 0) good = scan_fail(s, "a map takes one value per key");
    }
  }
  s->nested = was_nested;
  --s->depth;
  if (good) good = create_container(s, &items, true, wanted, out);
  input_list_free(&items);
  return good;
}

/* ---- Values ---- */

/* Takes the name of a file: quoted, up to the layout behind ".npy", or up to the end of the value.
 */
static char *take_path(scan *s) {
  scan rest = *s;
  size_t size = 0;
  char *word, *suffix;
  if (s->pos < s->end && *s->pos == '"') {
    word = scan_take_quoted(s, &size);
    if (word == NULL || check_word(s, word, size)) return word;
    free(word);
    return NULL;
  }
  scan_skip_space(s);
  word = scan_take_rest(&rest);
  if (word == NULL) return NULL;
  for (suffix = strstr(word, ".npy"); suffix != NULL; suffix = strstr(suffix + 1, ".npy")) {
    if (!view_follows(suffix + 4, word + strlen(word))) continue;
    suffix[4] = '\0';
    s->pos += strlen(word);
    return word;
  }
  s->pos = rest.pos;
  return word;
}

/* "@file.npy", "+file.npy", "*file.npy" */
static bool read_arrays(input_reader *reader, scan *s, input_list *list) {
  char mode = *s->pos++;
  char *path = take_path(s);
  input_file *file = path != NULL ? input_file_open(&reader->sources, s, path, mode == '@') : NULL;
  free(path);
  if (file == NULL) return false;
  if (mode == '*' && view_follows(s->pos, s->end)) {
    return scan_fail(s, "a layout can follow @FILE and +FILE, which are one array");
  }
  do {
    bool more = true, is_fortran;
    TVMFFIObjectHandle tensor;
    if (mode == '*' && !input_file_peek(file, &more)) return false;
    if (!more) break;
    tensor = input_file_read_npy(s, file, NULL, &is_fortran);
    if (tensor == NULL || !add_array(reader, s, tensor, is_fortran, list)) return false;
  } while (mode == '*');
  return true;
}

/* "+3.5" is a number; "+file.npy" is not. Reports nothing, unlike scan_take_rest. */
static bool is_signed_number(const scan *s) {
  const char *end = s->pos;
  char *word;
  TVMFFIAny value;
  bool is_number;
  while (end < s->end && !(s->nested && memchr(",]})", *end, 4) != NULL)) ++end;
  while (isspace((unsigned char)end[-1])) --end; /* at the latest the sign is not a space */
  word = tool_copy(s->pos, (size_t)(end - s->pos));
  is_number = parse_real(word, &value);
  free(word);
  return is_number;
}

/* Reads any value but a tensor. */
static bool read_plain(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  size_t size = 0;
  bool good;
  char *word;
  if (read_prefixed(reader, s, out, &good)) return good;
  if (scan_take(s, '[')) return read_list(reader, s, type, out);
  if (scan_take(s, '{')) return read_map(reader, s, type, out);
  if (s->pos < s->end && *s->pos == '"') {
    word = scan_take_quoted(s, &size);
    good = word != NULL && make_text(s, word, size, false, out);
  } else {
    word = scan_take_rest(s);
    good = word != NULL && make_word(s, word, type, out);
  }
  free(word);
  return good;
}

static bool read_any(input_reader *reader, scan *s, const schema_type *type, input_list *list) {
  TVMFFIAny value;
  size_t index;
  scan_skip_space(s);
  if (!is_kind(schema_required(type), kSchemaStr) && take_argument(s, &index)) {
    return add_shared(reader, s, index, false, list);
  }
  if (s->pos < s->end) {
    if (*s->pos == '@' || *s->pos == '*' || (*s->pos == '+' && !is_signed_number(s))) {
      return read_arrays(reader, s, list);
    }
    if (*s->pos == '&') {
      ++s->pos;
      if (take_argument(s, &index)) return add_shared(reader, s, index, true, list);
      if (tensor_type_begins(s, true)) return read_typed(reader, s, true, list);
      return scan_fail(s, "`&` must be followed by the type of a tensor, as in &4xf32, or arg[N]");
    }
    if (tensor_type_begins(s, false)) return read_typed(reader, s, false, list);
  }
  if (!read_plain(reader, s, type, &value)) return false;
  add(list, value, false);
  return true;
}

/* Remembers how a tensor of a list or a map was written. */
static void add_inner(input_reader *reader, const input *item) {
  inner_input *added;
  DLTensor *tensor;
  if (!tvm_ffi_any_try_tensor(&item->value, &tensor)) return;
  reader->inner = tool_grow(reader->inner, reader->num_inner, sizeof *reader->inner);
  added = &reader->inner[reader->num_inner++];
  added->tensor = item->value.v_obj;
  TVMFFIObjectIncRef(added->tensor);
  added->is_storage = item->is_storage;
  added->has_values = item->has_values;
  added->has_layout = item->memory != NULL;
}

static bool read_value(input_reader *reader, scan *s, const schema_type *type, input_list *list) {
  size_t i = list->size;
  if (!read_any(reader, s, type, list)) return false;
  for (; s->depth > 0 && i < list->size; ++i) add_inner(reader, &list->items[i]);
  if (s->depth == 0 && reader->num_inner > 0) {
    list->items[list->size - 1].inner = reader->inner;
    list->items[list->size - 1].num_inner = reader->num_inner;
    reader->inner = NULL;
    reader->num_inner = 0;
  }
  return true;
}

static void begin(scan *s, const char *label, const char *source, size_t size, bool nested) {
  s->label = label;
  s->begin = s->pos = source;
  s->end = source + size;
  s->depth = 0;
  s->nested = nested;
}

static const schema_type *get_param(const schema_type *function, size_t i) {
  return function != NULL ? schema_param(function, i) : NULL;
}

bool input_read(input_reader *reader, const char *spec, const char *label,
                const schema_type *function, input_list *list) {
  scan s;
  reader->arguments = list;
  begin(&s, label, spec, strlen(spec), false);
  if (!read_value(reader, &s, get_param(function, list->size), list)) return false;
  return scan_at_end(&s) ||
         scan_fail(&s, "`%.*s` is left over", tvmffi_shown_size((size_t)(s.end - s.pos)), s.pos);
}

bool input_read_call(input_reader *reader, const char *arguments, size_t size,
                     const schema_type *function, input_list *list) {
  scan s;
  reader->arguments = list;
  begin(&s, "", arguments, size, true);
  if (scan_at_end(&s)) return true;
  for (;;) {
    char label[32];
    snprintf(label, sizeof label, "argument %zu", list->size);
    s.label = label;
    scan_skip_space(&s);
    s.begin = s.pos;
    if (!read_value(reader, &s, get_param(function, list->size), list)) return false;
    if (scan_at_end(&s)) return true;
    if (!scan_take(&s, ',')) {
      return scan_fail(&s, "`%.*s` is unexpected here", scan_measure(&s, s.pos), s.pos);
    }
  }
}
