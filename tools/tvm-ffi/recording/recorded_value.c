/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values, tensors and storages in lines of events, and writes them as text. */
#include "recording/recorded_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/murmur.h"
#include "base/report.h"
#include "base/utf8.h"
#include "system/system.h"
#include "value/npy.h"
#include "value/value_text.h"

#define MAX_STORAGE (INT64_C(1) << 40)
enum { kMaxSmall = 1 << 16 }; /* bytes of memory in the file of a process */

/* ---- JSON ---- */

TVMFFIAny recorded_look(const recording *r, const TVMFFIAny *map, const char *key) {
  TVMFFIAny args[2], found = tvm_ffi_any_none();
  args[0] = *map;
  args[1] = tvm_ffi_any_view_string(key);
  if (map->type_index != kTVMFFIMap || tvm_ffi_function_call(r->has, args, 2, &found) != 0 ||
      found.v_int64 == 0 || tvm_ffi_function_call(r->get, args, 2, &found) != 0) {
    TVMFFIErrorSetRaised(NULL);
    return tvm_ffi_any_none();
  }
  if (found.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(found.v_obj);
  return found;
}

bool recorded_is_map(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIMap;
}

bool recorded_is_array(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIArray;
}

size_t recorded_count_items(const TVMFFIAny *array) {
  return recorded_is_array(array) ? (size_t)tvm_ffi_array_get_size(array->v_obj) : 0;
}

const TVMFFIAny *recorded_item_at(const TVMFFIAny *array, size_t i) {
  return tvm_ffi_array_get_data(array->v_obj) + i;
}

bool recorded_read_int(const TVMFFIAny *json, int64_t *out) {
  TVMFFIByteArray text;
  char *copy, *end;
  bool good;
  if (json->type_index == kTVMFFIInt) {
    *out = json->v_int64;
    return true;
  }
  if (!tvm_ffi_any_try_string(json, &text) || text.size == 0 || text.size > 20) return false;
  copy = tool_copy(text.data, text.size);
  errno = 0;
  *out = (int64_t)strtoll(copy, &end, 10);
  /* strtoll() passes over space and a plus sign, and ends at a NUL. */
  good = end == copy + text.size && errno == 0 && strchr("-0123456789", *copy) != NULL;
  free(copy);
  return good;
}

bool recorded_read_int_between(const TVMFFIAny *json, int64_t low, int64_t high, int64_t *out) {
  return recorded_read_int(json, out) && *out >= low && *out <= high;
}

/* The value of a hexadecimal digit; -1: it is none. */
static int digit_of(char c) {
  static const char kDigits[] = "0123456789abcdef";
  const char *found = c != '\0' ? strchr(kDigits, c) : NULL;
  return found != NULL ? (int)(found - kDigits) : -1;
}

bool recorded_read_address(const TVMFFIAny *json, uint64_t *out) {
  TVMFFIByteArray text;
  size_t i;
  *out = 0;
  if (!tvm_ffi_any_try_string(json, &text) || text.size < 3 || text.size > 18 ||
      memcmp(text.data, "0x", 2) != 0) {
    return false;
  }
  for (i = 2; i < text.size; ++i) {
    if (digit_of(text.data[i]) < 0) return false;
    *out = *out << 4 | (uint64_t)digit_of(text.data[i]);
  }
  return true;
}

char *recorded_copy_text(const TVMFFIAny *json) {
  TVMFFIByteArray text;
  return tvm_ffi_any_try_string(json, &text) ? tool_copy(text.data, text.size) : NULL;
}

/* ---- Values: what they are ---- */

typedef struct {
  const recording *r;
  const recorded_storage *storages;
  size_t num_storages;
  bool with_values; /* else types alone: "float" */
  text_buf *out;
  size_t num_values;
  unsigned char *ids; /* which were given */
  const char *wrong;
} walk;

/* The forms of docs/guide/record_format.md: the key, and how a value without others in it is shown.
 */
typedef struct {
  const char *key;  /* NULL: it is no object of JSON */
  const char *type; /* what is shown of it without values; NULL: the same as with them */
  bool (*show)(walk *w, const TVMFFIAny *content); /* NULL: it has values within */
} form_facts;

static const form_facts kForms[kRecordedLeftOut + 1];

bool recorded_read_form(const recording *r, const TVMFFIAny *json, value_form *out,
                        TVMFFIAny *content) {
  TVMFFIByteArray text;
  TVMFFIAny pair[2], found;
  size_t i;
  *content = *json;
  *out = kRecordedNone;
  if (tvm_ffi_any_try_string(json, &text)) {
    *out = kRecordedText;
    return true;
  }
  if (json->type_index == kTVMFFINone) return true;
  *out = json->type_index == kTVMFFIBool ? kRecordedBool : kRecordedInt;
  if (!recorded_is_map(json))
    return json->type_index == kTVMFFIBool || json->type_index == kTVMFFIInt;
  for (i = 0; i <= kRecordedLeftOut; ++i) {
    if (kForms[i].key == NULL) continue;
    pair[0] = *json;
    pair[1] = tvm_ffi_any_view_string(kForms[i].key);
    if (tvm_ffi_function_call(r->has, pair, 2, &found) != 0) break;
    if (found.v_int64 == 0) continue;
    *out = (value_form)i;
    *content = recorded_look(r, json, kForms[i].key);
    return true;
  }
  TVMFFIErrorSetRaised(NULL);
  return false;
}

bool recorded_read_ints(const TVMFFIAny *json, size_t count, int64_t low, int64_t high,
                        int64_t *out) {
  size_t i;
  if (recorded_count_items(json) != count || !recorded_is_array(json)) return false;
  for (i = 0; i < count; ++i) {
    if (!recorded_read_int_between(recorded_item_at(json, i), low, high, &out[i])) return false;
  }
  return true;
}

bool recorded_read_dtype(const TVMFFIAny *json, DLDataType *out) {
  int64_t parts[3];
  if (!recorded_read_ints(json, 3, 0, UINT16_MAX, parts) || parts[0] > 255 || parts[1] > 255)
    return false;
  out->code = (uint8_t)parts[0];
  out->bits = (uint8_t)parts[1];
  out->lanes = (uint16_t)parts[2];
  return true;
}

bool recorded_read_device(const TVMFFIAny *json, DLDevice *out) {
  int64_t parts[2];
  if (!recorded_read_ints(json, 2, INT32_MIN, INT32_MAX, parts)) return false;
  out->device_type = (DLDeviceType)parts[0];
  out->device_id = (int32_t)parts[1];
  return true;
}

DLTensor tensor_facts_view(tensor_facts *facts) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.device = facts->device;
  tensor.dtype = facts->dtype;
  tensor.ndim = facts->ndim;
  tensor.shape = facts->shape;
  tensor.strides = facts->has_strides ? facts->strides : NULL;
  return tensor;
}

const char *tensor_facts_read(const recording *r, const TVMFFIAny *json,
                              const recorded_storage *storages, size_t num_storages,
                              tensor_facts *out) {
  const TVMFFIAny shape = recorded_look(r, json, "shape"),
                  strides = recorded_look(r, json, "strides"),
                  where = recorded_look(r, json, "storage"),
                  offset = recorded_look(r, json, "offset"),
                  flags = recorded_look(r, json, "flags"),
                  left_out = recorded_look(r, json, "left_out"),
                  dtype = recorded_look(r, json, "dtype"),
                  device = recorded_look(r, json, "device"),
                  byte_offset = recorded_look(r, json, "byte_offset"),
                  address = recorded_look(r, json, "address");
  size_t down, up, ndim = recorded_count_items(&shape);
  int64_t value;
  DLTensor view;
  memset(out, 0, sizeof *out);
  out->is_left_out = !tvm_ffi_any_is_none(&left_out);
  if (!recorded_read_dtype(&dtype, &out->dtype))
    return "a tensor's `dtype` is not [code, bits, lanes]";
  if (!recorded_read_device(&device, &out->device)) return "a tensor's `device` is not [type, id]";
  if (ndim > kLayoutMaxDims ||
      !recorded_read_ints(&shape, ndim, INT64_MIN, INT64_MAX, out->shape)) {
    return "a tensor's `shape` is not a list of at most 64 integers";
  }
  out->ndim = (int32_t)ndim;
  out->has_strides = !tvm_ffi_any_is_none(&strides);
  if (out->has_strides && !recorded_read_ints(&strides, ndim, INT64_MIN, INT64_MAX, out->strides)) {
    return "a tensor's `strides` is not a list of as many integers as its `shape`";
  }
  out->is_read_only =
      recorded_read_int(&flags, &value) && ((uint64_t)value & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  if (!recorded_read_int(&byte_offset, &out->byte_offset) && !out->is_left_out) {
    return "a tensor's `byte_offset` is not an integer";
  }
  out->storage = SIZE_MAX;
  (void)recorded_read_address(&address, &out->address);
  if (tvm_ffi_any_is_none(&where)) return NULL;
  if (num_storages == 0 ||
      !recorded_read_int_between(&where, 0, (int64_t)num_storages - 1, &value)) {
    return "a tensor's `storage` is not the number of one";
  }
  out->storage = (size_t)value;
  if (!recorded_read_int_between(&offset, 0, MAX_STORAGE, &out->offset)) {
    return "a tensor's `offset` is not an integer";
  }
  view = tensor_facts_view(out);
  if (tvm_ffi_tensor_get_numel(&view) < 0) return "a tensor's `shape` has no number of elements";
  if (tvm_ffi_dtype_get_bits(out->dtype) % 8 != 0 && !tvm_ffi_tensor_is_contiguous(&view)) {
    return NULL; /* nobody can make it, and tensor_measure() does not know where it ends */
  }
  if (!tensor_measure(&view, &down, &up)) {
    TVMFFIErrorSetRaised(NULL);
    return "a tensor reaches beyond its storage";
  }
  if (down > (uint64_t)out->offset || up > storages[value].size ||
      (uint64_t)out->offset > storages[value].size - up) {
    return "a tensor reaches beyond its storage";
  }
  return NULL;
}

/* ---- Values: checked, and written as text ---- */

static bool fail(walk *w, const char *wrong) {
  w->wrong = wrong;
  return false;
}

static void add_quoted(text_buf *out, const TVMFFIByteArray *text) {
  enum { kShown = 200 };
  const size_t size = text->size > kShown ? tvmffi_utf8_cut(text->data, kShown) : text->size;
  text_add(out, "s:\"");
  text_add_escaped(out, text->data, size);
  text_add(out, "\"%s", size < text->size ? "..." : "");
}

static void add_ints(text_buf *out, const int64_t *values, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) text_add(out, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
}

static void add_tensor(text_buf *out, tensor_facts *facts, bool is_dltensor) {
  const DLTensor view = tensor_facts_view(facts);
  char name[48];
  tensor_type_write(out, facts->dtype, facts->shape, facts->ndim);
  if (!facts->is_left_out && facts->has_strides && tvm_ffi_tensor_get_numel(&view) >= 0 &&
      !tvm_ffi_tensor_is_contiguous(&view)) {
    text_add(out, ".strides(");
    add_ints(out, facts->strides, facts->ndim);
    text_add(out, ")");
  }
  if (facts->byte_offset != 0) text_add(out, ".byte_offset(%" PRId64 ")", facts->byte_offset);
  if (facts->is_read_only) text_add(out, ".readonly");
  if (facts->device.device_type != kDLCPU || facts->device.device_id != 0) {
    text_add(out, ".device(%s)", tvm_ffi_device_print(facts->device, name, sizeof name));
  }
  if (is_dltensor) text_add(out, ".dltensor");
}

static bool walk_value(walk *w, const TVMFFIAny *json, int depth);

static bool walk_items(walk *w, const TVMFFIAny *items, int depth) {
  size_t i;
  if (!recorded_is_array(items)) return fail(w, "an array or list is not a list of values");
  text_add(w->out, "[");
  for (i = 0; i < recorded_count_items(items); ++i) {
    if (i > 0) text_add(w->out, ", ");
    if (!walk_value(w, recorded_item_at(items, i), depth + 1)) return false;
  }
  text_add(w->out, "]");
  return true;
}

static bool walk_pairs(walk *w, const TVMFFIAny *pairs, int depth) {
  size_t i;
  if (!recorded_is_array(pairs)) return fail(w, "a map or dict is not a list of pairs");
  text_add(w->out, "{");
  for (i = 0; i < recorded_count_items(pairs); ++i) {
    const TVMFFIAny *pair = recorded_item_at(pairs, i);
    if (i > 0) text_add(w->out, ", ");
    if (recorded_count_items(pair) != 2) return fail(w, "an entry of a map or dict is not a pair");
    if (!walk_value(w, recorded_item_at(pair, 0), depth + 1)) return false;
    text_add(w->out, ": ");
    if (!walk_value(w, recorded_item_at(pair, 1), depth + 1)) return false;
  }
  text_add(w->out, "}");
  return true;
}

typedef struct {
  walk *w;
  int depth;
  size_t count;
} field_walk;

static bool walk_field(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  field_walk *f = context;
  TVMFFIByteArray name;
  if (!tvm_ffi_any_try_string(key, &name)) return false;
  text_add(f->w->out, "%s", f->count++ > 0 ? ", " : "");
  text_add_escaped(f->w->out, name.data, name.size);
  text_add(f->w->out, "=");
  return walk_value(f->w, value, f->depth + 1);
}

static bool walk_object(walk *w, const TVMFFIAny *json, const TVMFFIAny *key, int depth) {
  const TVMFFIAny fields = recorded_look(w->r, json, "fields");
  TVMFFIByteArray name;
  field_walk f;
  if (!tvm_ffi_any_try_string(key, &name)) return fail(w, "an object's type is not a text");
  text_add_escaped(w->out, name.data, name.size);
  if (tvm_ffi_any_is_none(&fields)) return true;
  if (!recorded_is_map(&fields)) return fail(w, "an object's `fields` is not an object");
  f.w = w;
  f.depth = depth;
  f.count = 0;
  text_add(w->out, "(");
  if (!value_visit_map(&fields, walk_field, &f))
    return w->wrong == NULL ? fail(w, "fields") : false;
  text_add(w->out, ")");
  return true;
}

static bool walk_tensor(walk *w, const TVMFFIAny *json, bool is_dltensor) {
  tensor_facts facts;
  const char *wrong = tensor_facts_read(w->r, json, w->storages, w->num_storages, &facts);
  if (wrong != NULL) return fail(w, wrong);
  add_tensor(w->out, &facts, is_dltensor);
  if (w->with_values && facts.storage != SIZE_MAX) {
    text_add(w->out, " in storage %zu", facts.storage);
    if (facts.offset > 0) text_add(w->out, " from byte %" PRId64, facts.offset);
  }
  if (facts.is_left_out) text_add(w->out, " (left out)");
  return true;
}

bool recorded_read_hex(const TVMFFIAny *json, text_buf *out) {
  TVMFFIByteArray text;
  size_t i;
  if (!tvm_ffi_any_try_string(json, &text) || text.size % 2 != 0) return false;
  for (i = 0; i < text.size; i += 2) {
    const int high = digit_of(text.data[i]), low = digit_of(text.data[i + 1]);
    char byte;
    if (high < 0 || low < 0) return false;
    byte = (char)(high << 4 | low);
    text_add_bytes(out, &byte, 1);
  }
  return true;
}

bool recorded_read_float(const TVMFFIAny *json, double *out) {
  TVMFFIByteArray shown;
  char *text, *end = NULL;
  uint64_t bits;
  bool good = false;
  if (!tvm_ffi_any_try_string(json, &shown)) return false;
  text = tool_copy(shown.data, shown.size);
  if (strlen(text) != shown.size) {
    good = false; /* what is shown of a value would end at the NUL */
  } else if (strncmp(text, "nan:", 4) == 0) {
    const TVMFFIAny rest = tvm_ffi_any_view_string(text + 4);
    good = recorded_read_address(&rest, &bits);
    if (good) memcpy(out, &bits, sizeof bits);
  } else if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 ||
             strspn(text, "0123456789+-.e") == strlen(text)) {
    *out = text_read_real(text, &end);
    good = end != text && *end == '\0';
  }
  free(text);
  return good;
}

bool recorded_read_str(const recording *r, const TVMFFIAny *json, text_buf *out) {
  TVMFFIByteArray text;
  TVMFFIAny hex;
  if (tvm_ffi_any_try_string(json, &text)) {
    text_add_bytes(out, text.data, text.size);
    return true;
  }
  if (!recorded_is_map(json)) return false;
  hex = recorded_look(r, json, "str");
  text_add_bytes(out, "", 0);
  return recorded_read_hex(&hex, out);
}

/* ---- Values without others in them: each checks the content, and shows it with values ---- */

static bool show_none(walk *w, const TVMFFIAny *content) {
  (void)content;
  if (w->with_values) text_add(w->out, "none");
  return true;
}

static bool show_bool(walk *w, const TVMFFIAny *content) {
  if (w->with_values) text_add(w->out, content->v_int64 != 0 ? "true" : "false");
  return true;
}

static bool show_int(walk *w, const TVMFFIAny *content) {
  int64_t value;
  if (!recorded_read_int(content, &value)) return fail(w, "an int is not an integer");
  if (w->with_values) text_add(w->out, "%" PRId64, value);
  return true;
}

static bool show_float(walk *w, const TVMFFIAny *content) {
  TVMFFIByteArray text;
  double real;
  if (!recorded_read_float(content, &real)) return fail(w, "a float is not a number");
  if (!w->with_values || !tvm_ffi_any_try_string(content, &text)) return true;
  text_add_bytes(w->out, text.data, text.size);
  if (memchr(text.data, '.', text.size) == NULL && strspn(text.data, "+-0123456789") == text.size) {
    text_add(w->out, ".0");
  }
  return true;
}

/* Bytes [take] that were read, or not. */
static bool show_text_bytes(walk *w, bool is_read, text_buf *bytes) {
  TVMFFIByteArray text;
  text.data = bytes->data != NULL ? bytes->data : "";
  text.size = bytes->size;
  if (is_read && w->with_values) add_quoted(w->out, &text);
  text_free(bytes);
  return is_read || fail(w, "a str is neither a text nor hexadecimal digits");
}

static bool show_text(walk *w, const TVMFFIAny *content) {
  text_buf bytes = {NULL, 0, 0};
  const bool is_read = recorded_read_str(w->r, content, &bytes);
  return show_text_bytes(w, is_read, &bytes);
}

static bool show_text_hex(walk *w, const TVMFFIAny *content) {
  text_buf bytes = {NULL, 0, 0};
  const bool is_read = recorded_read_hex(content, &bytes);
  return show_text_bytes(w, is_read, &bytes);
}

static bool show_bytes(walk *w, const TVMFFIAny *content) {
  text_buf bytes = {NULL, 0, 0};
  const bool is_read = recorded_read_hex(content, &bytes);
  size_t i;
  if (is_read && w->with_values) {
    text_add(w->out, "%zu bytes", bytes.size);
    for (i = 0; i < bytes.size && i < 16; ++i) {
      text_add(w->out, "%s%02x", i > 0 ? " " : ": ", (unsigned)(unsigned char)bytes.data[i]);
    }
    if (i < bytes.size) text_add(w->out, " ...");
  }
  text_free(&bytes);
  return is_read || fail(w, "bytes are not hexadecimal digits");
}

static bool show_dtype(walk *w, const TVMFFIAny *content) {
  char name[kDtypeTextSize];
  DLDataType dtype;
  if (!recorded_read_dtype(content, &dtype)) return fail(w, "a dtype is not [code, bits, lanes]");
  if (w->with_values) text_add(w->out, "dtype:%s", dtype_write(dtype, name));
  return true;
}

static bool show_device(walk *w, const TVMFFIAny *content) {
  char name[48];
  DLDevice device;
  if (!recorded_read_device(content, &device)) return fail(w, "a device is not [type, id]");
  if (w->with_values) {
    text_add(w->out, "dev:%s", tvm_ffi_device_print(device, name, sizeof name));
  }
  return true;
}

static bool show_shape(walk *w, const TVMFFIAny *content) {
  int64_t value;
  size_t i;
  if (w->with_values) text_add(w->out, "shape:[");
  for (i = 0; i < recorded_count_items(content); ++i) {
    if (!recorded_read_int(recorded_item_at(content, i), &value)) break;
    if (w->with_values) text_add(w->out, "%s%" PRId64, i > 0 ? ", " : "", value);
  }
  if (w->with_values) text_add(w->out, "]");
  return (recorded_is_array(content) && i == recorded_count_items(content)) ||
         fail(w, "a shape is not a list of integers");
}

static bool show_pointer(walk *w, const TVMFFIAny *content) {
  uint64_t address;
  if (!recorded_read_address(content, &address)) return fail(w, "a pointer is not an address");
  if (w->with_values) text_add(w->out, "pointer:0x%" PRIx64, address);
  return true;
}

static bool show_function(walk *w, const TVMFFIAny *content) {
  (void)content;
  text_add(w->out, "function");
  return true;
}

static bool show_error(walk *w, const TVMFFIAny *content) {
  text_add(w->out, "error");
  return recorded_is_map(content) || fail(w, "an error is not an object");
}

static bool show_bigint(walk *w, const TVMFFIAny *content) {
  text_buf bytes = {NULL, 0, 0};
  const bool is_read = recorded_read_hex(content, &bytes);
  text_add(w->out, "bigint");
  text_free(&bytes);
  return is_read || fail(w, "a bigint is not hexadecimal digits");
}

static bool show_unchanged(walk *w, const TVMFFIAny *content) {
  (void)content;
  text_add(w->out, "unchanged");
  return true;
}

static bool show_unknown(walk *w, const TVMFFIAny *content) {
  int64_t value;
  if (!recorded_read_int(content, &value)) return fail(w, "an unknown value has no type index");
  text_add(w->out, "unknown:%" PRId64, value);
  return true;
}

static bool show_left_out(walk *w, const TVMFFIAny *content) {
  TVMFFIByteArray text;
  text_add(w->out, "left out");
  if (w->with_values && tvm_ffi_any_try_string(content, &text)) {
    text_add(w->out, " (");
    text_add_escaped(w->out, text.data, text.size);
    text_add(w->out, ")");
  }
  return true;
}

static const form_facts kForms[kRecordedLeftOut + 1] = {
    [kRecordedNone] = {NULL, "none", show_none},
    [kRecordedBool] = {NULL, "bool", show_bool},
    [kRecordedInt] = {NULL, "int", show_int},
    [kRecordedText] = {NULL, "str", show_text},
    [kRecordedBigInt64] = {"int", "int", show_int},
    [kRecordedFloat] = {"float", "float", show_float},
    [kRecordedTextHex] = {"str", "str", show_text_hex},
    [kRecordedRawText] = {"raw_str", "str", show_text},
    [kRecordedBytes] = {"bytes", "bytes", show_bytes},
    [kRecordedRawBytes] = {"raw_bytes", "bytes", show_bytes},
    [kRecordedDataType] = {"dtype", "dtype", show_dtype},
    [kRecordedDevice] = {"device", "dev", show_device},
    [kRecordedShape] = {"shape", "shape", show_shape},
    [kRecordedPointer] = {"pointer", "pointer", show_pointer},
    [kRecordedTensor] = {"tensor", NULL, NULL},
    [kRecordedDLTensor] = {"dltensor", NULL, NULL},
    [kRecordedArray] = {"array", NULL, NULL},
    [kRecordedList] = {"list", NULL, NULL},
    [kRecordedMap] = {"map", NULL, NULL},
    [kRecordedDict] = {"dict", NULL, NULL},
    [kRecordedFunction] = {"function", NULL, show_function},
    [kRecordedError] = {"error", NULL, show_error},
    [kRecordedBigInt] = {"bigint", NULL, show_bigint},
    [kRecordedObject] = {"object", NULL, NULL},
    [kRecordedRvalue] = {"rvalue", NULL, NULL},
    [kRecordedUnchanged] = {"unchanged", NULL, show_unchanged},
    [kRecordedRef] = {"ref", NULL, NULL},
    [kRecordedUnknown] = {"unknown", NULL, show_unknown},
    [kRecordedLeftOut] = {"left_out", NULL, show_left_out},
};

/* Writes one that has no values within. */
static bool walk_plain(walk *w, value_form form, const TVMFFIAny *content) {
  if (!w->with_values && kForms[form].type != NULL) text_add(w->out, "%s", kForms[form].type);
  return kForms[form].show(w, content);
}

/* Notes the id of an object, which comes for the first time. */
static bool walk_id(walk *w, const TVMFFIAny *id) {
  int64_t value;
  if (tvm_ffi_any_is_none(id)) return true;
  if (!recorded_read_int_between(id, 0, kMaxValues - 1, &value))
    return fail(w, "an `id` is not a number");
  if (w->ids[value] != 0) return fail(w, "two objects have the same `id`");
  w->ids[value] = 1;
  return true;
}

static bool walk_value(walk *w, const TVMFFIAny *json, int depth) {
  TVMFFIAny content, id;
  value_form form;
  int64_t value;
  if (depth > kMaxNesting) return fail(w, "values are nested too deeply");
  if (++w->num_values > kMaxValues) return fail(w, "there are more than 100000 values");
  if (!recorded_read_form(w->r, json, &form, &content))
    return fail(w, "there is a value of no known form");
  id = tvm_ffi_any_none();
  if (recorded_is_map(json))
    id = recorded_look(w->r, form == kRecordedTensor ? &content : json, "id");
  if (!walk_id(w, &id)) return false;
  switch (form) {
    case kRecordedTensor:
    case kRecordedDLTensor:
      return walk_tensor(w, &content, form == kRecordedDLTensor);
    case kRecordedArray:
    case kRecordedList:
      return walk_items(w, &content, depth);
    case kRecordedMap:
    case kRecordedDict:
      return walk_pairs(w, &content, depth);
    case kRecordedObject:
      return walk_object(w, json, &content, depth);
    case kRecordedRvalue:
      return walk_value(w, &content, depth + 1);
    case kRecordedRef:
      if (!recorded_read_int_between(&content, 0, kMaxValues - 1, &value) || w->ids[value] == 0) {
        return fail(w, "a `ref` is to no object before it");
      }
      text_add(w->out, "again");
      return true;
    default:
      return walk_plain(w, form, &content);
  }
}

const char *recorded_walk_list(const recording *r, const TVMFFIAny *values, size_t count,
                               bool with_values, const recorded_storage *storages,
                               size_t num_storages,
                               void (*each)(void *context, const text_buf *text), void *context) {
  text_buf text = {NULL, 0, 0};
  walk w;
  size_t i;
  memset(&w, 0, sizeof w);
  w.r = r;
  w.storages = storages;
  w.num_storages = num_storages;
  w.with_values = with_values;
  w.out = &text;
  w.ids = tool_alloc(kMaxValues);
  memset(w.ids, 0, kMaxValues);
  for (i = 0; i < count && w.wrong == NULL; ++i) {
    text.size = 0;
    text_add(&text, "%s", "");
    if (walk_value(&w, &values[i], 0) && each != NULL) each(context, &text);
  }
  free(w.ids);
  text_free(&text);
  return w.wrong;
}

/* ---- Storages ---- */

void recorded_storages_free(recorded_storage *storages, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    free(storages[i].data);
    free(storages[i].left_out);
    free(storages[i].bytes);
  }
  free(storages);
}

/* The name of a file in tensors, which leads nowhere else; NULL if it is no hash. */
static char *read_hash(const TVMFFIAny *json) {
  char *text = recorded_copy_text(json);
  if (text == NULL ||
      (strlen(text) == kMurmurDigits && strspn(text, "0123456789abcdef") == kMurmurDigits)) {
    return text;
  }
  free(text);
  return NULL;
}

/* Reads a list of storages. Those that `first` has already are the same memory. Returns NULL, or
 * what is wrong; release what was read in any case. */
static const char *read_storages(const recording *r, const TVMFFIAny *json,
                                 const recorded_storage *first, size_t num_first,
                                 recorded_storage **out, size_t *out_count) {
  const size_t count = recorded_count_items(json);
  size_t i;
  *out_count = 0;
  *out = tool_alloc((count + 1) * sizeof **out);
  if (!recorded_is_array(json)) return "`storages` is not a list";
  if (count > kMaxValues) return "there are more than 100000 storages";
  if (count < num_first) return "`storages` is shorter than that of the call";
  for (i = 0; i < count; ++i) {
    const TVMFFIAny *item = recorded_item_at(json, i);
    const TVMFFIAny data = recorded_look(r, item, "data"),
                    left_out = recorded_look(r, item, "left_out"),
                    at = recorded_look(r, item, "at"), output = recorded_look(r, item, "output");
    recorded_storage *s = &(*out)[(*out_count)++];
    int64_t size;
    memset(s, 0, sizeof *s);
    if (!recorded_is_map(item)) return "a storage is not an object";
    s->data = read_hash(&data);
    s->left_out = recorded_copy_text(&left_out);
    s->is_output = output.type_index == kTVMFFIBool && output.v_int64 != 0;
    s->at = -1;
    if (!tvm_ffi_any_is_none(&at) && !recorded_read_int_between(&at, 0, INT64_MAX / 2, &s->at)) {
      return "a storage's `at` is not an integer";
    }
    if (s->data == NULL && s->left_out == NULL) return "a storage has no `data` that is a hash";
    if (i < num_first) {
      s->device = first[i].device;
      s->address = first[i].address;
      s->size = first[i].size;
    } else {
      const TVMFFIAny device = recorded_look(r, item, "device"),
                      address = recorded_look(r, item, "address"),
                      bytes = recorded_look(r, item, "bytes");
      if (!recorded_read_device(&device, &s->device))
        return "a storage's `device` is not [type, id]";
      if (!recorded_read_address(&address, &s->address))
        return "a storage's `address` is not an address";
      if (!recorded_read_int_between(&bytes, 0, MAX_STORAGE, &size)) {
        return "a storage's `bytes` is not an integer up to 2^40";
      }
      s->size = (uint64_t)size;
    }
    if (s->at >= 0 && s->size > kMaxSmall) return "a storage with `at` has more than 65536 bytes";
  }
  return NULL;
}

bool recorded_file_is_link(const char *path) {
  char target[4096];
  return file_read_link(path, target, sizeof target);
}

char *recorded_file_read(const char *path, size_t *out_size) {
  return tool_read_regular_file(path, kLinksInFolder, out_size);
}

char *recorded_file_name(const event_file *file, const char *ending) {
  static const char kEvents[] = ".jsonl";
  const char *name = file->process.name;
  const size_t size = strlen(name), cut = sizeof kEvents - 1;
  if (size >= cut && strcmp(name + size - cut, kEvents) == 0) {
    return tool_format("%.*s%s", tvmffi_shown_size(size - cut), name, ending);
  }
  report_error("%s: has no files beside it, because its name does not end in %s", name, kEvents);
  return NULL;
}

/* Goes on in a file: where long has 32 bits, in steps. */
static bool skip_bytes(FILE *file, int64_t count) {
  const int64_t most = 1 << 30;
  while (count > 0) {
    const int64_t step = count < most ? count : most;
    if (fseek(file, (long)step, SEEK_CUR) != 0) return false;
    count -= step;
  }
  return true;
}

/* Reads small memory from the file of the process. NULL, or what is wrong. */
static const char *read_small(const file_reader *reader, recorded_storage *s) {
  static const char kShort[] = "it is shorter than the call says";
  FILE *file = reader->stream;
  bool is_read;
  /* Before any step: some file systems go on beyond the end, and 2^62 bytes are many steps. */
  if (file == NULL || (uint64_t)s->at + s->size > reader->known_size) return kShort;
  s->bytes = tool_alloc((size_t)s->size + 1);
  is_read = skip_bytes(file, s->at) && fread(s->bytes, 1, (size_t)s->size, file) == s->size;
  return is_read ? NULL : kShort;
}

static const char *check_hash(const recorded_storage *s, const void *bytes) {
  murmur state = {0, 0, 0};
  char hash[kMurmurDigits + 1];
  murmur_add(&state, bytes, (size_t)s->size);
  murmur_end(&state, hash);
  return strcmp(hash, s->data) == 0 ? NULL : "its bytes have another hash than the call says";
}

/* False after a report. */
static bool load_small(const event_file *file, recorded_storage *s) {
  char *path = recorded_file_name(file, ".memory");
  const char *wrong;
  file_reader reader;
  if (path == NULL || !file_reader_open_regular(path, kLinksInFolder, &reader)) {
    free(path);
    return false;
  }
  wrong = read_small(&reader, s);
  file_reader_close(&reader);
  if (wrong == NULL) wrong = check_hash(s, s->bytes);
  if (wrong != NULL) {
    report_error("%s: the recording is damaged: %s", path, wrong);
    free(s->bytes);
    s->bytes = NULL;
  }
  free(path);
  return wrong == NULL;
}

enum { kMaxNpyHeader = 1 << 16 }; /* of version 1.0, which all recordings have */

/* The same of memory with its own file. */
static bool load_large(const recording *r, recorded_storage *s) {
  char *path = tool_format("%s/tensors/%s.npy", r->folder, s->data), *file = NULL;
  npy_array array;
  size_t size, pos = 0;
  const char *wrong;
  file_reader reader;
  if (file_reader_open_regular(path, kLinksAbove, &reader)) {
    /* Of another size it is not even read: it may be larger than memory. */
    if (reader.known_size > s->size && reader.known_size - s->size > kMaxNpyHeader) {
      report_error("%s: the recording is damaged: it has another size than the call says", path);
      file_reader_close(&reader);
    } else {
      file = file_reader_take(&reader, &size);
    }
  }
  if (file == NULL) {
    free(path);
    return false;
  }
  wrong = npy_read((const unsigned char *)file, size, &pos, &array);
  if (wrong == NULL && (array.dtype.code != kDLUInt || array.dtype.bits != 8 || array.ndim != 1)) {
    wrong = "it is not an array of bytes";
  } else if (wrong == NULL && (array.size != s->size || pos != size)) {
    wrong = "it has another size than the call says";
  } else if (wrong == NULL) {
    wrong = check_hash(s, array.data);
  }
  if (wrong != NULL) {
    report_error("%s: the recording is damaged: %s", path, wrong);
  } else {
    s->bytes = tool_alloc(array.size + 1);
    memcpy(s->bytes, array.data, array.size);
  }
  free(file);
  free(path);
  return wrong == NULL;
}

bool recorded_storage_load(const recording *r, const recorded_call *c, recorded_storage *s) {
  return s->at >= 0 ? load_small(&r->files[c->before.file], s) : load_large(r, s);
}

const char *recorded_storages_read(const recording *r, const TVMFFIAny *before,
                                   const TVMFFIAny *after, recorded_storage **out,
                                   size_t *out_count) {
  const TVMFFIAny first = recorded_look(r, before, "storages");
  recorded_storage *memory;
  TVMFFIAny second;
  size_t num_memory;
  const char *wrong = read_storages(r, &first, NULL, 0, &memory, &num_memory);
  if (after == NULL || wrong != NULL) {
    *out = memory;
    *out_count = num_memory;
    return wrong;
  }
  second = recorded_look(r, after, "storages");
  wrong = read_storages(r, &second, memory, num_memory, out, out_count);
  recorded_storages_free(memory, num_memory);
  return wrong;
}

/* ---- Lines ---- */

bool recorded_parse(const recording *r, const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIAny source;
  int code;
  *out = tvm_ffi_any_none();
  if (tvm_ffi_string_create_sized(text, size, &source) != 0) return false;
  code = tvm_ffi_function_call(r->parse, &source, 1, out);
  tvm_ffi_any_clear(&source);
  return code == 0;
}

bool recorded_parse_call(const recording *r, const recorded_call *c, TVMFFIAny *before,
                         TVMFFIAny *after) {
  *after = tvm_ffi_any_none();
  if (!recorded_parse(r, c->before.text, c->before.size, before)) return false;
  if (c->after.text == NULL || recorded_parse(r, c->after.text, c->after.size, after)) return true;
  tvm_ffi_any_clear(before);
  return false;
}
