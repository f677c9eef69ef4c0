/* SPDX-License-Identifier: Apache-2.0 */
/* First reading: recording_open checks every value of every call (walk_value), which also describes
 * them. Then making the values of one call again (recording_make, make_value). */
#include "value/recording.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/murmur.h"
#include "base/report.h"
#include "system/system.h"
#include "value/npy.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* Limits of the format. */
enum { kMaxLine = 64 << 20, kMaxDepth = 64, kMaxValues = 100000 };
#define MAX_STORAGE (INT64_C(1) << 40)
#define MAX_JSON_INT ((INT64_C(1) << 53) - 1)
static const char kVersion[] = "tvm-ffi recording 1\n";

typedef struct {
  char *path, *build_id;
} recorded_library;

typedef struct {
  recorded_process process;
  char *bytes;
  size_t size;
  recorded_library *libraries;
  size_t num_libraries;
  bool is_swapped; /* the bytes of the memory are in the other order */
  size_t *whole;   /* a hash table of calls that others may repeat: indices + 1 by their number */
  size_t num_whole, max_whole;
} event_file;

struct recording {
  char *folder;
  event_file *files;
  size_t num_files;
  recorded_call *calls;
  size_t num_calls, capacity;
  recorded_count *counts;
  size_t num_counts;
  char **notes;
  size_t num_notes;
  TVMFFIObjectHandle parse, has, get, stringify; /* functions of the runtime */
};

/* ---- JSON ---- */

/* An entry of a map, which lends it; None if there is none. */
static TVMFFIAny look(const recording *r, const TVMFFIAny *map, const char *key) {
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

static bool is_map(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIMap;
}

static bool is_array(const TVMFFIAny *json) {
  return json->type_index == kTVMFFIArray;
}

static size_t count_items(const TVMFFIAny *array) {
  return is_array(array) ? (size_t)tvm_ffi_array_get_size(array->v_obj) : 0;
}

static const TVMFFIAny *item_at(const TVMFFIAny *array, size_t i) {
  return tvm_ffi_array_get_data(array->v_obj) + i;
}

/* An integer, a number or a text of digits. */
static bool read_int(const TVMFFIAny *json, int64_t *out) {
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
  good = *end == '\0' && errno == 0 && *copy != ' ' && *copy != '+';
  free(copy);
  return good;
}

static bool read_int_between(const TVMFFIAny *json, int64_t low, int64_t high, int64_t *out) {
  return read_int(json, out) && *out >= low && *out <= high;
}

/* "0x7f3c10" */
static bool read_address(const TVMFFIAny *json, uint64_t *out) {
  TVMFFIByteArray text;
  size_t i;
  *out = 0;
  if (!tvm_ffi_any_try_string(json, &text) || text.size < 3 || text.size > 18 ||
      memcmp(text.data, "0x", 2) != 0) {
    return false;
  }
  for (i = 2; i < text.size; ++i) {
    const char *digits = "0123456789abcdef", *found = strchr(digits, text.data[i]);
    if (found == NULL || text.data[i] == '\0') return false;
    *out = *out << 4 | (uint64_t)(found - digits);
  }
  return true;
}

static char *copy_text(const TVMFFIAny *json) {
  TVMFFIByteArray text;
  return tvm_ffi_any_try_string(json, &text) ? tool_copy(text.data, text.size) : NULL;
}

/* ---- Values: what they are ---- */

typedef enum {
  kRecordedNone,
  kRecordedBool,
  kRecordedInt,
  kRecordedText,
  kRecordedBigInt64, /* an integer as a text */
  kRecordedFloat,
  kRecordedTextHex,
  kRecordedRawText,
  kRecordedBytes,
  kRecordedRawBytes,
  kRecordedDataType,
  kRecordedDevice,
  kRecordedShape,
  kRecordedPointer,
  kRecordedTensor,
  kRecordedDLTensor,
  kRecordedArray,
  kRecordedList,
  kRecordedMap,
  kRecordedDict,
  kRecordedFunction,
  kRecordedError,
  kRecordedBigInt,
  kRecordedObject,
  kRecordedRvalue,
  kRecordedUnchanged,
  kRecordedRef,
  kRecordedUnknown,
  kRecordedLeftOut
} value_form;

static const struct {
  const char *key;
  value_form form;
} kForms[] = {
    {"tensor", kRecordedTensor},     {"dltensor", kRecordedDLTensor},
    {"float", kRecordedFloat},       {"int", kRecordedBigInt64},
    {"str", kRecordedTextHex},       {"raw_str", kRecordedRawText},
    {"bytes", kRecordedBytes},       {"raw_bytes", kRecordedRawBytes},
    {"dtype", kRecordedDataType},    {"device", kRecordedDevice},
    {"shape", kRecordedShape},       {"pointer", kRecordedPointer},
    {"array", kRecordedArray},       {"list", kRecordedList},
    {"map", kRecordedMap},           {"dict", kRecordedDict},
    {"function", kRecordedFunction}, {"error", kRecordedError},
    {"bigint", kRecordedBigInt},     {"object", kRecordedObject},
    {"rvalue", kRecordedRvalue},     {"unchanged", kRecordedUnchanged},
    {"ref", kRecordedRef},           {"unknown", kRecordedUnknown},
    {"left_out", kRecordedLeftOut},
};

/* False: it is not a value. `content` is what the key has. */
static bool read_form(const recording *r, const TVMFFIAny *json, value_form *out,
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
  if (!is_map(json)) return json->type_index == kTVMFFIBool || json->type_index == kTVMFFIInt;
  for (i = 0; i < sizeof kForms / sizeof *kForms; ++i) {
    pair[0] = *json;
    pair[1] = tvm_ffi_any_view_string(kForms[i].key);
    if (tvm_ffi_function_call(r->has, pair, 2, &found) != 0) break;
    if (found.v_int64 == 0) continue;
    *out = kForms[i].form;
    *content = look(r, json, kForms[i].key);
    return true;
  }
  TVMFFIErrorSetRaised(NULL);
  return false;
}

/* What a DLTensor says, whose memory is not here. */
typedef struct {
  DLDataType dtype;
  DLDevice device;
  int32_t ndim;
  int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
  bool has_strides, is_read_only;
  int64_t byte_offset, offset;
  size_t storage;   /* SIZE_MAX: none */
  uint64_t address; /* of `data`, without a storage */
  bool is_left_out;
} tensor_facts;

static bool read_ints(const TVMFFIAny *json, size_t count, int64_t low, int64_t high,
                      int64_t *out) {
  size_t i;
  if (count_items(json) != count || !is_array(json)) return false;
  for (i = 0; i < count; ++i) {
    if (!read_int_between(item_at(json, i), low, high, &out[i])) return false;
  }
  return true;
}

static bool read_dtype(const TVMFFIAny *json, DLDataType *out) {
  int64_t parts[3];
  if (!read_ints(json, 3, 0, UINT16_MAX, parts) || parts[0] > 255 || parts[1] > 255) return false;
  out->code = (uint8_t)parts[0];
  out->bits = (uint8_t)parts[1];
  out->lanes = (uint16_t)parts[2];
  return true;
}

static bool read_device(const TVMFFIAny *json, DLDevice *out) {
  int64_t parts[2];
  if (!read_ints(json, 2, INT32_MIN, INT32_MAX, parts)) return false;
  out->device_type = (DLDeviceType)parts[0];
  out->device_id = (int32_t)parts[1];
  return true;
}

/* A DLTensor with those facts; `data` is NULL. */
static DLTensor view_facts(tensor_facts *facts) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.device = facts->device;
  tensor.dtype = facts->dtype;
  tensor.ndim = facts->ndim;
  tensor.shape = facts->shape;
  tensor.strides = facts->has_strides ? facts->strides : NULL;
  return tensor;
}

/* Returns NULL, or what is wrong. */
static const char *read_tensor(const recording *r, const TVMFFIAny *json,
                               const recorded_storage *storages, size_t num_storages,
                               tensor_facts *out) {
  const TVMFFIAny shape = look(r, json, "shape"), strides = look(r, json, "strides"),
                  where = look(r, json, "storage"), offset = look(r, json, "offset"),
                  flags = look(r, json, "flags"), left_out = look(r, json, "left_out"),
                  dtype = look(r, json, "dtype"), device = look(r, json, "device"),
                  byte_offset = look(r, json, "byte_offset"), address = look(r, json, "address");
  size_t down, up, ndim = count_items(&shape);
  int64_t value;
  DLTensor view;
  memset(out, 0, sizeof *out);
  out->is_left_out = !tvm_ffi_any_is_none(&left_out);
  if (!read_dtype(&dtype, &out->dtype)) return "a tensor's `dtype` is not [code, bits, lanes]";
  if (!read_device(&device, &out->device)) return "a tensor's `device` is not [type, id]";
  if (ndim > kLayoutMaxDims || !read_ints(&shape, ndim, INT64_MIN, INT64_MAX, out->shape)) {
    return "a tensor's `shape` is not a list of at most 64 integers";
  }
  out->ndim = (int32_t)ndim;
  out->has_strides = !tvm_ffi_any_is_none(&strides);
  if (out->has_strides && !read_ints(&strides, ndim, INT64_MIN, INT64_MAX, out->strides)) {
    return "a tensor's `strides` is not a list of as many integers as its `shape`";
  }
  out->is_read_only =
      read_int(&flags, &value) && ((uint64_t)value & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  if (!read_int(&byte_offset, &out->byte_offset) && !out->is_left_out) {
    return "a tensor's `byte_offset` is not an integer";
  }
  out->storage = SIZE_MAX;
  (void)read_address(&address, &out->address);
  if (tvm_ffi_any_is_none(&where)) return NULL;
  if (num_storages == 0 || !read_int_between(&where, 0, (int64_t)num_storages - 1, &value)) {
    return "a tensor's `storage` is not the number of one";
  }
  out->storage = (size_t)value;
  if (!read_int_between(&offset, 0, MAX_STORAGE, &out->offset)) {
    return "a tensor's `offset` is not an integer";
  }
  view = view_facts(out);
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

static bool fail(walk *w, const char *wrong) {
  w->wrong = wrong;
  return false;
}

static void add_quoted(text_buf *out, const TVMFFIByteArray *text) {
  enum { kShown = 200 };
  const size_t size = text->size > kShown ? utf8_cut(text->data, kShown) : text->size;
  text_add(out, "s:\"");
  text_add_escaped(out, text->data, size);
  text_add(out, "\"%s", size < text->size ? "..." : "");
}

static void add_ints(text_buf *out, const int64_t *values, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) text_add(out, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
}

static void add_tensor(text_buf *out, tensor_facts *facts, bool is_dltensor) {
  const DLTensor view = view_facts(facts);
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
  if (!is_array(items)) return fail(w, "an array or list is not a list of values");
  text_add(w->out, "[");
  for (i = 0; i < count_items(items); ++i) {
    if (i > 0) text_add(w->out, ", ");
    if (!walk_value(w, item_at(items, i), depth + 1)) return false;
  }
  text_add(w->out, "]");
  return true;
}

static bool walk_pairs(walk *w, const TVMFFIAny *pairs, int depth) {
  size_t i;
  if (!is_array(pairs)) return fail(w, "a map or dict is not a list of pairs");
  text_add(w->out, "{");
  for (i = 0; i < count_items(pairs); ++i) {
    const TVMFFIAny *pair = item_at(pairs, i);
    if (i > 0) text_add(w->out, ", ");
    if (count_items(pair) != 2) return fail(w, "an entry of a map or dict is not a pair");
    if (!walk_value(w, item_at(pair, 0), depth + 1)) return false;
    text_add(w->out, ": ");
    if (!walk_value(w, item_at(pair, 1), depth + 1)) return false;
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
  const TVMFFIAny fields = look(w->r, json, "fields");
  TVMFFIByteArray name;
  field_walk f;
  if (!tvm_ffi_any_try_string(key, &name)) return fail(w, "an object's type is not a text");
  text_add_escaped(w->out, name.data, name.size);
  if (tvm_ffi_any_is_none(&fields)) return true;
  if (!is_map(&fields)) return fail(w, "an object's `fields` is not an object");
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
  const char *wrong = read_tensor(w->r, json, w->storages, w->num_storages, &facts);
  if (wrong != NULL) return fail(w, wrong);
  add_tensor(w->out, &facts, is_dltensor);
  if (w->with_values && facts.storage != SIZE_MAX) {
    text_add(w->out, " in storage %zu", facts.storage);
    if (facts.offset > 0) text_add(w->out, " from byte %" PRId64, facts.offset);
  }
  if (facts.is_left_out) text_add(w->out, " (left out)");
  return true;
}

/* Digits of bytes; false if it is no text of them. */
static bool read_hex(const TVMFFIAny *json, text_buf *out) {
  TVMFFIByteArray text;
  size_t i;
  if (!tvm_ffi_any_try_string(json, &text) || text.size % 2 != 0) return false;
  for (i = 0; i < text.size; i += 2) {
    const char *digits = "0123456789abcdef";
    const char *high = text.data[i] != '\0' ? strchr(digits, text.data[i]) : NULL;
    const char *low = text.data[i + 1] != '\0' ? strchr(digits, text.data[i + 1]) : NULL;
    char byte;
    if (high == NULL || low == NULL) return false;
    byte = (char)((high - digits) << 4 | (low - digits));
    text_add_bytes(out, &byte, 1);
  }
  return true;
}

/* A float: its decimal digits, inf, -inf, nan:0x... */
static bool read_float(const TVMFFIAny *json, double *out) {
  char *text = copy_text(json), *end = NULL;
  uint64_t bits;
  bool good = false;
  if (text == NULL) return false;
  if (strncmp(text, "nan:", 4) == 0) {
    const TVMFFIAny rest = tvm_ffi_any_view_string(text + 4);
    good = read_address(&rest, &bits);
    if (good) memcpy(out, &bits, sizeof bits);
  } else if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 ||
             strspn(text, "0123456789+-.e") == strlen(text)) {
    *out = text_read_real(text, &end);
    good = end != text && *end == '\0';
  }
  free(text);
  return good;
}

/* The bytes of a str, which may be written as {"str": digits}. */
static bool read_str(const recording *r, const TVMFFIAny *json, text_buf *out) {
  TVMFFIByteArray text;
  TVMFFIAny hex;
  if (tvm_ffi_any_try_string(json, &text)) {
    text_add_bytes(out, text.data, text.size);
    return true;
  }
  if (!is_map(json)) return false;
  hex = look(r, json, "str");
  text_add_bytes(out, "", 0);
  return read_hex(&hex, out);
}

/* Writes one that has no values within. */
static bool walk_plain(walk *w, value_form form, const TVMFFIAny *content) {
  static const char *const kNames[] = {"none",  "bool", "int",   "str",    "int",
                                       "float", "str",  "str",   "bytes",  "bytes",
                                       "dtype", "dev",  "shape", "pointer"};
  text_buf bytes = {NULL, 0, 0};
  TVMFFIByteArray text;
  DLDataType dtype;
  DLDevice device;
  uint64_t address;
  int64_t value;
  double real;
  char name[kDtypeTextSize];
  bool good = true;
  size_t i;
  if (!w->with_values && form <= kRecordedPointer) text_add(w->out, "%s", kNames[form]);
  switch (form) {
    case kRecordedNone:
      if (w->with_values) text_add(w->out, "none");
      return true;
    case kRecordedBool:
      if (w->with_values) text_add(w->out, content->v_int64 != 0 ? "true" : "false");
      return true;
    case kRecordedInt:
    case kRecordedBigInt64:
      if (!read_int(content, &value)) return fail(w, "an int is not an integer");
      if (w->with_values) text_add(w->out, "%" PRId64, value);
      return true;
    case kRecordedFloat:
      if (!read_float(content, &real)) return fail(w, "a float is not a number");
      if (!w->with_values || !tvm_ffi_any_try_string(content, &text)) return true;
      text_add_bytes(w->out, text.data, text.size);
      if (memchr(text.data, '.', text.size) == NULL &&
          strspn(text.data, "+-0123456789") == text.size)
        text_add(w->out, ".0");
      return true;
    case kRecordedText:
    case kRecordedTextHex:
    case kRecordedRawText:
      good = form == kRecordedTextHex ? read_hex(content, &bytes) : read_str(w->r, content, &bytes);
      text.data = bytes.data != NULL ? bytes.data : "";
      text.size = bytes.size;
      if (good && w->with_values) add_quoted(w->out, &text);
      text_free(&bytes);
      return good || fail(w, "a str is neither a text nor hexadecimal digits");
    case kRecordedBytes:
    case kRecordedRawBytes:
      good = read_hex(content, &bytes);
      if (good && w->with_values) {
        text_add(w->out, "%zu bytes", bytes.size);
        for (i = 0; i < bytes.size && i < 16; ++i) {
          text_add(w->out, "%s%02x", i > 0 ? " " : ": ", (unsigned)(unsigned char)bytes.data[i]);
        }
        if (i < bytes.size) text_add(w->out, " ...");
      }
      text_free(&bytes);
      return good || fail(w, "bytes are not hexadecimal digits");
    case kRecordedDataType:
      if (!read_dtype(content, &dtype)) return fail(w, "a dtype is not [code, bits, lanes]");
      if (w->with_values) text_add(w->out, "dtype:%s", dtype_write(dtype, name));
      return true;
    case kRecordedDevice:
      if (!read_device(content, &device)) return fail(w, "a device is not [type, id]");
      if (w->with_values) {
        text_add(w->out, "dev:%s", tvm_ffi_device_print(device, name, sizeof name));
      }
      return true;
    case kRecordedShape:
      if (w->with_values) text_add(w->out, "shape:[");
      for (i = 0; i < count_items(content); ++i) {
        if (!read_int(item_at(content, i), &value)) break;
        if (w->with_values) text_add(w->out, "%s%" PRId64, i > 0 ? ", " : "", value);
      }
      if (w->with_values) text_add(w->out, "]");
      return (is_array(content) && i == count_items(content)) ||
             fail(w, "a shape is not a list of integers");
    case kRecordedPointer:
      if (!read_address(content, &address)) return fail(w, "a pointer is not an address");
      if (w->with_values) text_add(w->out, "pointer:0x%" PRIx64, address);
      return true;
    case kRecordedFunction:
      text_add(w->out, "function");
      return true;
    case kRecordedError:
      text_add(w->out, "error");
      return is_map(content) || fail(w, "an error is not an object");
    case kRecordedBigInt:
      text_add(w->out, "bigint");
      good = read_hex(content, &bytes);
      text_free(&bytes);
      return good || fail(w, "a bigint is not hexadecimal digits");
    case kRecordedUnchanged:
      text_add(w->out, "unchanged");
      return true;
    case kRecordedUnknown:
      if (!read_int(content, &value)) return fail(w, "an unknown value has no type index");
      text_add(w->out, "unknown:%" PRId64, value);
      return true;
    default:
      text_add(w->out, "left out");
      if (w->with_values && tvm_ffi_any_try_string(content, &text)) {
        text_add(w->out, " (");
        text_add_escaped(w->out, text.data, text.size);
        text_add(w->out, ")");
      }
      return true;
  }
}

/* Notes the id of an object, which comes for the first time. */
static bool walk_id(walk *w, const TVMFFIAny *id) {
  int64_t value;
  if (tvm_ffi_any_is_none(id)) return true;
  if (!read_int_between(id, 0, kMaxValues - 1, &value)) return fail(w, "an `id` is not a number");
  if (w->ids[value] != 0) return fail(w, "two objects have the same `id`");
  w->ids[value] = 1;
  return true;
}

static bool walk_value(walk *w, const TVMFFIAny *json, int depth) {
  TVMFFIAny content, id;
  value_form form;
  int64_t value;
  if (depth > kMaxDepth) return fail(w, "values are nested too deeply");
  if (++w->num_values > kMaxValues) return fail(w, "there are more than 100000 values");
  if (!read_form(w->r, json, &form, &content)) return fail(w, "there is a value of no known form");
  id = tvm_ffi_any_none();
  if (is_map(json)) id = look(w->r, form == kRecordedTensor ? &content : json, "id");
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
      if (!read_int_between(&content, 0, kMaxValues - 1, &value) || w->ids[value] == 0) {
        return fail(w, "a `ref` is to no object before it");
      }
      text_add(w->out, "again");
      return true;
    default:
      return walk_plain(w, form, &content);
  }
}

/* ---- Storages ---- */

static void storages_free(recorded_storage *storages, size_t count) {
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
  char *text = copy_text(json);
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
  const size_t count = count_items(json);
  size_t i;
  *out_count = 0;
  *out = tool_alloc((count + 1) * sizeof **out);
  if (!is_array(json)) return "`storages` is not a list";
  if (count > kMaxValues) return "there are more than 100000 storages";
  if (count < num_first) return "`storages` is shorter than that of the call";
  for (i = 0; i < count; ++i) {
    const TVMFFIAny *item = item_at(json, i);
    const TVMFFIAny data = look(r, item, "data"), left_out = look(r, item, "left_out");
    recorded_storage *s = &(*out)[(*out_count)++];
    int64_t size;
    memset(s, 0, sizeof *s);
    if (!is_map(item)) return "a storage is not an object";
    s->data = read_hash(&data);
    s->left_out = copy_text(&left_out);
    if (s->data == NULL && s->left_out == NULL) return "a storage has no `data` that is a hash";
    if (i < num_first) {
      s->device = first[i].device;
      s->address = first[i].address;
      s->size = first[i].size;
    } else {
      const TVMFFIAny device = look(r, item, "device"), address = look(r, item, "address"),
                      bytes = look(r, item, "bytes");
      if (!read_device(&device, &s->device)) return "a storage's `device` is not [type, id]";
      if (!read_address(&address, &s->address)) return "a storage's `address` is not an address";
      if (!read_int_between(&bytes, 0, MAX_STORAGE, &size)) {
        return "a storage's `bytes` is not an integer up to 2^40";
      }
      s->size = (uint64_t)size;
    }
  }
  return NULL;
}

enum { kMaxNpyHeader = 1 << 16 }; /* of version 1.0, which all recordings have */

/* Reads its bytes, compares their hash; false after a report. */
static bool load_storage(const recording *r, recorded_storage *s) {
  char *path = tool_format("%s/tensors/%s.npy", r->folder, s->data), *file;
  char hash[kMurmurDigits + 1];
  npy_array array;
  size_t size, pos = 0;
  const char *wrong;
  file_status status;
  /* Of another size it is not even read: it may be larger than memory. */
  if (file_status_get(path, &status) && status.is_regular && status.size > s->size &&
      status.size - s->size > kMaxNpyHeader) {
    report_error("%s: the recording is damaged: it has another size than the call says", path);
    free(path);
    return false;
  }
  file = tool_read_file(path, &size);
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
    murmur state = {0, 0, 0};
    murmur_add(&state, array.data, array.size);
    murmur_end(&state, hash);
    if (strcmp(hash, s->data) != 0) wrong = "its bytes are not those that its name is the hash of";
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

/* ---- Events ---- */

/* A line that is being read. */
typedef struct {
  recording *r;
  size_t file;
  size_t number; /* from 1 */
  const char *text;
  size_t size;
  TVMFFIAny json;
} event;

static bool damaged(const event *e, const char *wrong) {
  report_error("%s:%zu: the recording is damaged: %s", e->r->files[e->file].process.name, e->number,
               wrong);
  return false;
}

static bool parse(const recording *r, const char *text, size_t size, TVMFFIAny *out) {
  TVMFFIAny source;
  int code;
  *out = tvm_ffi_any_none();
  if (tvm_ffi_string_create_sized(text, size, &source) != 0) return false;
  code = tvm_ffi_function_call(r->parse, &source, 1, out);
  tvm_ffi_any_clear(&source);
  return code == 0;
}

/* What was started, and when; all of it may be missing. */
static void describe_process(event *e) {
  const TVMFFIAny pid = look(e->r, &e->json, "pid"), when = look(e->r, &e->json, "unix_ns"),
                  command = look(e->r, &e->json, "command");
  recorded_process *out = &e->r->files[e->file].process;
  text_buf words = {NULL, 0, 0};
  TVMFFIByteArray word;
  size_t i;
  if (!read_int(&pid, &out->pid)) out->pid = -1;
  if (!read_int(&when, &out->unix_ns)) out->unix_ns = 0;
  for (i = 0; i < count_items(&command); ++i) {
    if (!tvm_ffi_any_try_string(item_at(&command, i), &word)) continue;
    if (words.size > 0) text_add(&words, " ");
    text_add_bytes(&words, word.data, word.size);
  }
  free(out->command);
  out->command = words.data != NULL ? words.data : tool_copy("", 0);
}

static bool read_process(event *e) {
  const TVMFFIAny format = look(e->r, &e->json, "format"),
                  order = look(e->r, &e->json, "byte_order");
  const uint16_t probe = 1;
  const bool is_little = *(const unsigned char *)&probe == 1;
  TVMFFIByteArray text;
  if (format.type_index != kTVMFFIInt || format.v_int64 != 1) {
    return damaged(e, "its `format` is not 1");
  }
  if (!tvm_ffi_any_try_string(&order, &text) ||
      (!tvm_ffi_string_equal(text, "little") && !tvm_ffi_string_equal(text, "big"))) {
    return damaged(e, "its `byte_order` is neither little nor big");
  }
  e->r->files[e->file].is_swapped = tvm_ffi_string_equal(text, "little") != is_little;
  describe_process(e);
  return true;
}

static bool read_library(event *e) {
  event_file *file = &e->r->files[e->file];
  const TVMFFIAny index = look(e->r, &e->json, "library"), path = look(e->r, &e->json, "path"),
                  build_id = look(e->r, &e->json, "build_id");
  TVMFFIByteArray text;
  int64_t value;
  recorded_library *added;
  if (!read_int(&index, &value) || value != (int64_t)file->num_libraries) {
    return damaged(e, "`library` is not the number of the next library");
  }
  if (!tvm_ffi_any_try_string(&path, &text)) return damaged(e, "`path` is not a text");
  file->libraries =
      tool_realloc(file->libraries, (file->num_libraries + 1) * sizeof *file->libraries);
  added = &file->libraries[file->num_libraries++];
  added->path = tool_copy(text.data, text.size);
  added->build_id = copy_text(&build_id);
  return true;
}

/* Writes the values of a list, or checks them. NULL, or what is wrong. */
static const char *walk_list(const recording *r, const TVMFFIAny *values, bool with_values,
                             const recorded_storage *storages, size_t num_storages,
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
  for (i = 0; i < count_items(values) && w.wrong == NULL; ++i) {
    text.size = 0;
    text_add(&text, "%s", "");
    if (walk_value(&w, item_at(values, i), 0) && each != NULL) each(context, &text);
  }
  free(w.ids);
  text_free(&text);
  return w.wrong;
}

static void add_to_signature(void *context, const text_buf *text) {
  text_buf *out = context;
  if (out->size > 0) text_add(out, ", ");
  text_add_bytes(out, text->data, text->size);
}

static recorded_line line_of(const event *e) {
  recorded_line line;
  line.is_repeated = false;
  line.file = e->file;
  line.text = e->text;
  line.size = e->size;
  return line;
}

static recorded_call *add_call(recording *r) {
  if (r->num_calls == r->capacity) {
    r->capacity = 2 * r->capacity + 16;
    r->calls = tool_realloc(r->calls, r->capacity * sizeof *r->calls);
  }
  memset(&r->calls[r->num_calls], 0, sizeof *r->calls);
  return &r->calls[r->num_calls++];
}

/* ---- Calls that others may repeat, by their number ---- */

/* Where a number is in the table, or where it would be. */
static size_t *find_place(const recording *r, event_file *file, int64_t number_of_call) {
  const size_t mask = file->max_whole - 1;
  size_t i = (size_t)((uint64_t)number_of_call * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (file->whole[i] != 0 && r->calls[file->whole[i] - 1].number != number_of_call) {
    i = (i + 1) & mask;
  }
  return &file->whole[i];
}

/* Adds the newest call. */
static void add_whole(recording *r, event_file *file) {
  if (2 * (file->num_whole + 1) > file->max_whole) {
    const size_t num_old = file->max_whole;
    size_t *old = file->whole, i;
    file->max_whole = 2 * num_old + (num_old == 0 ? 64 : 0);
    file->whole = tool_alloc(file->max_whole * sizeof *file->whole);
    memset(file->whole, 0, file->max_whole * sizeof *file->whole);
    for (i = 0; i < num_old; ++i) {
      if (old[i] != 0) *find_place(r, file, r->calls[old[i] - 1].number) = old[i];
    }
    free(old);
  }
  *find_place(r, file, r->calls[r->num_calls - 1].number) = r->num_calls;
  ++file->num_whole;
}

static bool has_like(const event *e) {
  const TVMFFIAny like = look(e->r, &e->json, "like");
  return !tvm_ffi_any_is_none(&like);
}

/* The call whose event this one repeats; NULL after a report. */
static recorded_call *find_like(event *e) {
  const TVMFFIAny like = look(e->r, &e->json, "like");
  event_file *file = &e->r->files[e->file];
  size_t found = 0;
  int64_t wanted;
  if (read_int(&like, &wanted) && file->num_whole > 0) found = *find_place(e->r, file, wanted);
  if (found != 0) return &e->r->calls[found - 1];
  damaged(e, "`like` is not the number of a call before it that has neither `like` nor `late`");
  return NULL;
}

/* A call with the inputs of another. */
static bool read_repeated_call(event *e, int64_t counted, int64_t thread, int64_t when) {
  const TVMFFIAny function = look(e->r, &e->json, "function");
  recorded_call *c, *like = find_like(e);
  const size_t i = like != NULL ? (size_t)(like - e->r->calls) : 0;
  TVMFFIByteArray name;
  if (like == NULL) return false;
  if (!tvm_ffi_any_try_string(&function, &name) || !tvm_ffi_string_equal(name, like->function)) {
    return damaged(e, "`function` is not that of the call that it repeats");
  }
  c = add_call(e->r);
  *c = e->r->calls[i]; /* with its texts, which stay those of that call */
  c->number = counted;
  c->thread = thread;
  c->nanoseconds = c->begin = c->finish = when;
  c->end = kCallUnfinished;
  c->error = NULL;
  c->before.is_repeated = true;
  c->after.text = NULL;
  return true;
}

static bool read_call(event *e) {
  recording *r = e->r;
  event_file *file = &r->files[e->file];
  const TVMFFIAny call = look(r, &e->json, "call"), thread = look(r, &e->json, "thread"),
                  time = look(r, &e->json, "time"), library = look(r, &e->json, "library"),
                  function = look(r, &e->json, "function"), args = look(r, &e->json, "args"),
                  storages = look(r, &e->json, "storages"), late = look(r, &e->json, "late");
  recorded_storage *memory;
  recorded_call *c;
  text_buf signature = {NULL, 0, 0};
  size_t num_memory, i;
  int64_t index, when, counted, thread_number;
  const char *wrong;
  if (!read_int(&call, &counted)) return damaged(e, "`call` is not an integer");
  if (!read_int(&thread, &thread_number)) return damaged(e, "`thread` is not an integer");
  if (!read_int(&time, &when)) return damaged(e, "`time` is not an integer");
  if (has_like(e)) return read_repeated_call(e, counted, thread_number, when);
  if (!read_int_between(&library, 0, (int64_t)file->num_libraries - 1, &index)) {
    return damaged(e, "`library` is not that of a library event before it");
  }
  c = add_call(r);
  c->number = counted;
  c->thread = thread_number;
  c->nanoseconds = c->begin = c->finish = when;
  c->library = file->libraries[index].path;
  c->build_id = file->libraries[index].build_id;
  c->function = copy_text(&function);
  if (c->function == NULL) return damaged(e, "`function` is not a text");
  if (!is_array(&args)) return damaged(e, "`args` is not a list");
  wrong = read_storages(r, &storages, NULL, 0, &memory, &num_memory);
  if (wrong == NULL) {
    wrong = walk_list(r, &args, false, memory, num_memory, add_to_signature, &signature);
  }
  for (i = 0; i < num_memory; ++i) {
    c->bytes += memory[i].data != NULL ? memory[i].size : 0;
    c->num_left_out += memory[i].data == NULL;
  }
  storages_free(memory, num_memory);
  c->signature = signature.data != NULL ? signature.data : tool_copy("", 0);
  c->is_late = late.type_index == kTVMFFIBool && late.v_int64 != 0;
  c->before = line_of(e);
  if (wrong != NULL) return damaged(e, wrong);
  if (!c->is_late) add_whole(r, file);
  return true;
}

/* The call of this file that the event ends; NULL after a report. */
static recorded_call *find_open(event *e) {
  const TVMFFIAny call = look(e->r, &e->json, "call");
  int64_t wanted;
  size_t i;
  if (!read_int(&call, &wanted)) {
    damaged(e, "`call` is not an integer");
    return NULL;
  }
  for (i = e->r->num_calls; i > 0 && e->r->calls[i - 1].before.file == e->file; --i) {
    recorded_call *c = &e->r->calls[i - 1];
    if (c->number == wanted && c->after.text == NULL) return c;
    if (c->number == wanted) break;
  }
  damaged(e, "it ends a call that had not begun");
  return NULL;
}

/* The storages of a call, as they were then. NULL, or what is wrong. */
static const char *read_storages_of(const recording *r, const TVMFFIAny *before,
                                    const TVMFFIAny *after, recorded_storage **out,
                                    size_t *out_count) {
  const TVMFFIAny first = look(r, before, "storages");
  recorded_storage *memory;
  TVMFFIAny second;
  size_t num_memory;
  const char *wrong = read_storages(r, &first, NULL, 0, &memory, &num_memory);
  if (after == NULL || wrong != NULL) {
    *out = memory;
    *out_count = num_memory;
    return wrong;
  }
  second = look(r, after, "storages");
  wrong = read_storages(r, &second, memory, num_memory, out, out_count);
  storages_free(memory, num_memory);
  return wrong;
}

/* "ValueError: x is empty"; NULL if it is no error. */
static char *read_error(const recording *r, const TVMFFIAny *error) {
  const TVMFFIAny kind = look(r, error, "kind"), message = look(r, error, "message");
  TVMFFIByteArray first, second;
  text_buf out = {NULL, 0, 0};
  if (tvm_ffi_any_is_none(error)) return tool_copy("", 0);
  if (!tvm_ffi_any_try_string(&kind, &first) || !tvm_ffi_any_try_string(&message, &second)) {
    return NULL;
  }
  text_add_bytes(&out, first.data, first.size);
  text_add(&out, ": ");
  text_add_bytes(&out, second.data, second.size);
  return out.data;
}

/* A list with this value alone; NULL without memory. */
static TVMFFIObjectHandle make_list_of(const TVMFFIAny *value) {
  TVMFFIObjectHandle list = NULL;
  if (tvm_ffi_array_create(value, 1, &list) != 0) TVMFFIErrorSetRaised(NULL);
  return list;
}

/* Checks what came out of a call, with the memory. NULL, or what is wrong. */
static const char *check_end(event *e, const recorded_call *c, bool raised) {
  recording *r = e->r;
  const TVMFFIAny result = look(r, &e->json, "result");
  TVMFFIAny before, values;
  TVMFFIObjectHandle list;
  recorded_storage *memory = NULL;
  size_t num_memory = 0;
  const char *wrong;
  if (!parse(r, c->before.text, c->before.size, &before)) {
    TVMFFIErrorSetRaised(NULL);
    return "no memory";
  }
  wrong = read_storages_of(r, &before, &e->json, &memory, &num_memory);
  tvm_ffi_any_clear(&before);
  if (wrong == NULL && !raised) {
    list = make_list_of(&result);
    values = list != NULL ? tvm_ffi_any_view_object(list) : tvm_ffi_any_none();
    wrong =
        list != NULL ? walk_list(r, &values, false, memory, num_memory, NULL, NULL) : "no memory";
    tvm_ffi_object_release(list);
  }
  storages_free(memory, num_memory);
  return wrong;
}

/* A return like that of the call whose inputs the call has, too. */
static bool read_repeated_end(event *e, recorded_call *c) {
  const recorded_call *like = find_like(e);
  if (like == NULL) return false;
  if (like->end != kCallReturned || like->before.text != c->before.text) {
    return damaged(e, "`like` is not the call that its call repeats, or that has not returned");
  }
  c->after = like->after;
  c->after.is_repeated = true;
  return true;
}

static bool read_end(event *e, bool raised) {
  recorded_call *c = find_open(e);
  const TVMFFIAny time = look(e->r, &e->json, "time"), error = look(e->r, &e->json, "error");
  const char *wrong;
  int64_t when;
  if (c == NULL) return false;
  if (!read_int(&time, &when)) return damaged(e, "`time` is not an integer");
  if (!raised && has_like(e)) {
    if (!read_repeated_end(e, c)) return false;
  } else {
    wrong = check_end(e, c, raised);
    if (wrong != NULL) return damaged(e, wrong);
    if (raised && (c->error = read_error(e->r, &error)) == NULL) {
      return damaged(e, "`error` lacks kind or message");
    }
    c->after = line_of(e);
  }
  c->end = raised ? kCallRaised : kCallReturned;
  c->finish = when;
  c->nanoseconds = c->begin >= 0 && when >= c->begin ? when - c->begin : -1;
  return true;
}

static void add_note(recording *r, char *text) {
  r->notes = tool_realloc(r->notes, (r->num_notes + 1) * sizeof *r->notes);
  r->notes[r->num_notes++] = text;
}

static bool read_note(event *e) {
  const TVMFFIAny text = look(e->r, &e->json, "text");
  char *note = copy_text(&text);
  if (note == NULL) return damaged(e, "`text` is not a text");
  add_note(e->r, note);
  return true;
}

static bool add_counts(event *e, const TVMFFIAny *item) {
  recording *r = e->r;
  const TVMFFIAny function = look(r, item, "function"), calls = look(r, item, "calls"),
                  errors = look(r, item, "errors"), recorded = look(r, item, "recorded");
  int64_t num_calls, num_errors, num_recorded;
  char *name = copy_text(&function);
  size_t i;
  if (name == NULL || !read_int_between(&calls, 0, INT64_MAX / 2, &num_calls) ||
      !read_int_between(&errors, 0, INT64_MAX / 2, &num_errors)) {
    free(name);
    return damaged(e, "an item of `functions` lacks function, calls or errors");
  }
  for (i = 0; i < r->num_counts && strcmp(r->counts[i].function, name) != 0; ++i) continue;
  if (i == r->num_counts) {
    r->counts = tool_realloc(r->counts, (i + 1) * sizeof *r->counts);
    memset(&r->counts[r->num_counts++], 0, sizeof *r->counts);
    r->counts[i].function = name;
  } else {
    free(name);
  }
  if (r->counts[i].calls > INT64_MAX / 2) return damaged(e, "`functions` counts too many calls");
  r->counts[i].calls += num_calls;
  r->counts[i].errors += num_errors < INT64_MAX / 2 - r->counts[i].errors ? num_errors : 0;
  if (!read_int_between(&recorded, 0, num_calls, &num_recorded)) num_recorded = num_calls;
  r->counts[i].recorded += num_recorded;
  return true;
}

static bool read_stop(event *e) {
  const TVMFFIAny why = look(e->r, &e->json, "why"), functions = look(e->r, &e->json, "functions");
  char *text = copy_text(&why);
  size_t i;
  if (text == NULL) return damaged(e, "`why` is not a text");
  if (strcmp(text, "exit") != 0 && strcmp(text, "stop") != 0) {
    add_note(e->r, tool_format("the recording stopped early: %s", text));
  }
  free(text);
  for (i = 0; i < count_items(&functions); ++i) {
    if (!add_counts(e, item_at(&functions, i))) return false;
  }
  return true;
}

static bool read_event(event *e) {
  static const char *const kEnds[] = {"return", "error"};
  const TVMFFIAny kind = look(e->r, &e->json, "event");
  TVMFFIByteArray name;
  if (!is_map(&e->json) || !tvm_ffi_any_try_string(&kind, &name)) {
    return damaged(e, "it is not an object with a text `event`");
  }
  if (tvm_ffi_string_equal(name, "process")) return read_process(e);
  if (e->number == 1) return damaged(e, "it is not a process event");
  if (tvm_ffi_string_equal(name, "library")) return read_library(e);
  if (tvm_ffi_string_equal(name, "call")) return read_call(e);
  if (tvm_ffi_string_equal(name, kEnds[0])) return read_end(e, false);
  if (tvm_ffi_string_equal(name, kEnds[1])) return read_end(e, true);
  if (tvm_ffi_string_equal(name, "note")) return read_note(e);
  if (tvm_ffi_string_equal(name, "stop")) return read_stop(e);
  return true;
}

static bool read_line(event *e) {
  bool good;
  if (e->size > kMaxLine) return damaged(e, "a line has more than 64 MiB");
  if (!parse(e->r, e->text, e->size, &e->json)) {
    char *why = runtime_error_take_message();
    char *wrong = tool_format("it is not JSON: %s", why);
    damaged(e, wrong);
    free(wrong);
    free(why);
    return false;
  }
  good = read_event(e);
  tvm_ffi_any_clear(&e->json);
  return good;
}

/* Reads the events of the last file that was added. */
static bool read_events(recording *r) {
  const event_file *file = &r->files[r->num_files - 1];
  const char *end = file->bytes + file->size, *pos = file->bytes, *stop;
  event e;
  memset(&e, 0, sizeof e);
  e.r = r;
  e.file = r->num_files - 1;
  while (end > pos && end[-1] == '\0') --end; /* the process died, and the file was longer */
  for (; pos < end; pos = stop + 1) {
    stop = memchr(pos, '\n', (size_t)(end - pos));
    if (stop == NULL) {
      add_note(r, tool_format("%s: the last line was not finished, and is left out",
                              file->process.name));
      break;
    }
    ++e.number;
    e.text = pos;
    e.size = (size_t)(stop - pos);
    if (!read_line(&e)) return false;
  }
  return true;
}

/* ---- Opening ---- */

static int compare_numbers(const void *a, const void *b) {
  const int64_t x = ((const recorded_call *)a)->number, y = ((const recorded_call *)b)->number;
  return x < y ? -1 : x > y;
}

/* Sorts the calls of all files; false after a report that two have the same number. */
static bool sort_calls(recording *r) {
  size_t i;
  if (r->num_calls > 1) qsort(r->calls, r->num_calls, sizeof *r->calls, compare_numbers);
  for (i = 0; i < r->num_calls; ++i) {
    if (r->calls[i].end == kCallUnfinished || r->calls[i].is_late) r->calls[i].nanoseconds = -1;
    if (i == 0 || r->calls[i - 1].number != r->calls[i].number) continue;
    report_error("%s: the recording is damaged: two calls have the number %" PRId64, r->folder,
                 r->calls[i].number);
    return false;
  }
  return true;
}

static bool find_function(const char *name, TVMFFIObjectHandle *out) {
  if (tvm_ffi_function_find_global(name, out) != 0) TVMFFIErrorSetRaised(NULL);
  if (*out == NULL) {
    report_error("recordings are JSON, and the runtime has no %s: it was built without it", name);
  }
  return *out != NULL;
}

static recording *recording_new(const char *folder) {
  recording *r = tool_alloc(sizeof *r);
  memset(r, 0, sizeof *r);
  r->folder = tool_copy(folder, strlen(folder));
  if (find_function("ffi.json.Parse", &r->parse) && find_function("ffi.MapCount", &r->has) &&
      find_function("ffi.MapGetItem", &r->get) &&
      find_function("ffi.json.Stringify", &r->stringify)) {
    return r;
  }
  recording_free(r);
  return NULL;
}

/* Reads a file of events, whose bytes it takes. */
static bool add_file(recording *r, const char *name, char *bytes, size_t size) {
  event_file *file;
  r->files = tool_realloc(r->files, (r->num_files + 1) * sizeof *r->files);
  file = &r->files[r->num_files++];
  memset(file, 0, sizeof *file);
  file->process.name = tool_copy(name, strlen(name));
  file->process.command = tool_copy("", 0);
  file->process.pid = -1;
  file->bytes = bytes;
  file->size = size;
  return read_events(r);
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the files of events, sorted; false after a report. */
static bool list_files(const char *folder, text_items *out) {
  DIR *list = opendir(folder);
  struct dirent *entry;
  out->items = NULL;
  out->size = 0;
  if (list == NULL) {
    report_error("%s: %s", folder, strerror(errno));
    return false;
  }
  while ((entry = readdir(list)) != NULL) {
    const size_t size = strlen(entry->d_name);
    if (size < 11 || strncmp(entry->d_name, "calls.", 6) != 0 ||
        strcmp(entry->d_name + size - 6, ".jsonl") != 0) {
      continue;
    }
    out->items = tool_realloc(out->items, (out->size + 1) * sizeof *out->items);
    out->items[out->size++] = tool_copy(entry->d_name, size);
  }
  closedir(list);
  if (out->size > 1) qsort(out->items, out->size, sizeof *out->items, compare_texts);
  return true;
}

static bool check_version(const char *folder) {
  char *path = tool_format("%s/version", folder), *bytes;
  size_t size;
  bool good;
  bytes = tool_read_file(path, &size);
  good = bytes != NULL && size == sizeof kVersion - 1 && memcmp(bytes, kVersion, size) == 0;
  if (bytes != NULL && !good) {
    report_error("%s: is not \"tvm-ffi recording 1\", all that this version reads", path);
  }
  free(bytes);
  free(path);
  return good;
}

recording *recording_open(const char *folder) {
  text_items names;
  recording *r;
  size_t i, size;
  bool good;
  if (!check_version(folder) || !list_files(folder, &names)) return NULL;
  r = recording_new(folder);
  good = r != NULL;
  for (i = 0; i < names.size; ++i) {
    char *path = tool_format("%s/%s", folder, names.items[i]);
    char *bytes = good ? tool_read_file(path, &size) : NULL;
    good = bytes != NULL && add_file(r, path, bytes, size);
    free(path);
    free(names.items[i]);
  }
  free(names.items);
  if (good && sort_calls(r)) return r;
  recording_free(r);
  return NULL;
}

recording *recording_open_bytes(const char *name, const char *bytes, size_t size) {
  recording *r = recording_new(name);
  if (r == NULL) return NULL;
  if (add_file(r, name, tool_copy(bytes, size), size) && sort_calls(r)) return r;
  recording_free(r);
  return NULL;
}

void recording_free(recording *r) {
  size_t i, k;
  if (r == NULL) return;
  for (i = 0; i < r->num_calls; ++i) {
    free(r->calls[i].error);
    if (r->calls[i].before.is_repeated) continue;
    free((char *)r->calls[i].function);
    free(r->calls[i].signature);
  }
  for (i = 0; i < r->num_files; ++i) {
    event_file *file = &r->files[i];
    for (k = 0; k < file->num_libraries; ++k) {
      free(file->libraries[k].path);
      free(file->libraries[k].build_id);
    }
    free(file->libraries);
    free(file->whole);
    free(file->process.name);
    free(file->process.command);
    free(file->bytes);
  }
  for (i = 0; i < r->num_counts; ++i) free(r->counts[i].function);
  for (i = 0; i < r->num_notes; ++i) free(r->notes[i]);
  free(r->files);
  free(r->calls);
  free(r->counts);
  free(r->notes);
  free(r->folder);
  tvm_ffi_object_release(r->parse);
  tvm_ffi_object_release(r->has);
  tvm_ffi_object_release(r->get);
  tvm_ffi_object_release(r->stringify);
  free(r);
}

size_t recording_num_calls(const recording *r) {
  return r->num_calls;
}

const recorded_call *recording_call(const recording *r, size_t i) {
  return &r->calls[i];
}

size_t recording_num_processes(const recording *r) {
  return r->num_files;
}

const recorded_process *recording_process(const recording *r, size_t i) {
  return &r->files[i].process;
}

size_t recording_num_counts(const recording *r) {
  return r->num_counts;
}

const recorded_count *recording_count(const recording *r, size_t i) {
  return &r->counts[i];
}

size_t recording_num_notes(const recording *r) {
  return r->num_notes;
}

const char *recording_note(const recording *r, size_t i) {
  return r->notes[i];
}

static void add_item(void *context, const text_buf *text) {
  text_items *out = context;
  out->items = tool_realloc(out->items, (out->size + 1) * sizeof *out->items);
  out->items[out->size++] = tool_copy(text->data, text->size);
}

/* The two lines of a call, parsed; the second is None if the call did not end. False with an error
 * raised. */
static bool parse_call(const recording *r, const recorded_call *c, TVMFFIAny *before,
                       TVMFFIAny *after) {
  *after = tvm_ffi_any_none();
  if (!parse(r, c->before.text, c->before.size, before)) return false;
  if (c->after.text == NULL || parse(r, c->after.text, c->after.size, after)) return true;
  tvm_ffi_any_clear(before);
  return false;
}

typedef struct {
  const recording *r;
  const recorded_call *c;
  int64_t time;
  text_buf *out;
} event_writer;

static bool add_json(const event_writer *w, const TVMFFIAny *value) {
  TVMFFIAny args[2], text = tvm_ffi_any_none();
  TVMFFIByteArray bytes;
  bool good;
  args[0] = *value;
  args[1] = tvm_ffi_any_none(); /* no indentation */
  good = tvm_ffi_function_call(w->r->stringify, args, 2, &text) == 0 &&
         tvm_ffi_any_try_string(&text, &bytes);
  if (good) text_add_bytes(w->out, bytes.data, bytes.size);
  tvm_ffi_any_clear(&text);
  return good;
}

/* What differs in an event that is like another. */
static bool is_own(const event_writer *w, const TVMFFIAny *key, int64_t *out) {
  TVMFFIByteArray name;
  if (!tvm_ffi_any_try_string(key, &name)) return false;
  *out = tvm_ffi_string_equal(name, "call")     ? w->c->number
         : tvm_ffi_string_equal(name, "thread") ? w->c->thread
                                                : w->time;
  return tvm_ffi_string_equal(name, "call") || tvm_ffi_string_equal(name, "thread") ||
         tvm_ffi_string_equal(name, "time");
}

static bool add_entry(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  const event_writer *w = context;
  int64_t own;
  text_add(w->out, w->out->size == 0 ? "{" : ",");
  if (!add_json(w, key)) return false;
  text_add(w->out, ":");
  if (!is_own(w, key, &own)) return add_json(w, value);
  /* A number that no double has is a text in the recording. */
  text_add(w->out, own >= -MAX_JSON_INT && own <= MAX_JSON_INT ? "%" PRId64 : "\"%" PRId64 "\"",
           own);
  return true;
}

char *recording_event(const recording *r, const recorded_call *c, recorded_moment when) {
  const recorded_line *line = when == kBefore ? &c->before : &c->after;
  text_buf out = {NULL, 0, 0};
  event_writer w;
  TVMFFIAny json;
  if (line->text == NULL || !line->is_repeated) {
    return line->text != NULL ? tool_copy(line->text, line->size) : NULL;
  }
  w.r = r;
  w.c = c;
  w.time = when == kBefore ? c->begin : c->finish;
  w.out = &out;
  if (parse(r, line->text, line->size, &json) && value_visit_map(&json, add_entry, &w)) {
    text_add(&out, "}");
  } else {
    report_error("%s", "there is no memory");
    TVMFFIErrorSetRaised(NULL);
    text_free(&out);
  }
  tvm_ffi_any_clear(&json);
  return out.data;
}

text_items recording_describe(const recording *r, const recorded_call *c, recorded_moment when) {
  text_items out = {NULL, 0};
  TVMFFIAny before, after, values;
  TVMFFIObjectHandle one = NULL;
  recorded_storage *memory;
  size_t num_memory;
  if (!parse_call(r, c, &before, &after)) {
    TVMFFIErrorSetRaised(NULL);
    return out;
  }
  if (when == kAfter) {
    values = look(r, &after, "result");
    one = make_list_of(&values);
    values = one != NULL ? tvm_ffi_any_view_object(one) : tvm_ffi_any_none();
  } else {
    values = look(r, &before, "args");
  }
  if (read_storages_of(r, &before, when == kAfter && is_map(&after) ? &after : NULL, &memory,
                       &num_memory) == NULL) {
    (void)walk_list(r, &values, true, memory, num_memory, add_item, &out);
  }
  storages_free(memory, num_memory);
  tvm_ffi_object_release(one);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
  return out;
}

/* ---- Tensors, as they were recorded ---- */

typedef struct {
  const recording *r;
  call_tensors *out;
  size_t max_tensors;
  bool is_result, is_swapped;
  bool has_after; /* else the call did not end */
  char path[64];
} tensor_reader;

static recorded_elements find_elements(const tensor_reader *reader, const described_tensor *t,
                                       const tensor_facts *facts, const recorded_storage *s) {
  const bool is_packed =
      tvm_ffi_dtype_get_bits(facts->dtype) % 8 == 0 || tvm_ffi_tensor_is_contiguous(&t->view);
  recorded_elements found = {NULL, NULL};
  if (s->bytes == NULL) {
    found.missing = s->left_out;
  } else if (reader->is_swapped) {
    found.missing = "its bytes are in the order of another kind of machine";
  } else if (!is_packed) {
    found.missing = "its elements are not whole bytes and are not contiguous";
  } else {
    found.first = s->bytes + facts->offset;
  }
  return found;
}

/* Both moments of a tensor with a storage. */
static void find_moments(const tensor_reader *reader, const tensor_facts *facts,
                         described_tensor *t) {
  const call_tensors *all = reader->out;
  const size_t at = facts->storage;
  const char *old = at < all->num_before ? all->before[at].data : NULL;
  const char *now = reader->has_after ? all->after[at].data : NULL;
  t->is_changed = old == NULL || now == NULL || strcmp(old, now) != 0;
  if (at < all->num_before) t->before = find_elements(reader, t, facts, &all->before[at]);
  if (!reader->has_after) return;
  t->after = t->is_changed ? find_elements(reader, t, facts, &all->after[at]) : t->before;
}

static void describe_tensor(tensor_reader *reader, const TVMFFIAny *json, bool is_dltensor) {
  const TVMFFIAny left_out = look(reader->r, json, "left_out");
  call_tensors *all = reader->out;
  const recorded_storage *storages = reader->is_result ? all->after : all->before;
  const size_t count = reader->is_result ? all->num_after : all->num_before;
  described_tensor *t;
  tensor_facts facts;
  int64_t packed = 1;
  int32_t i;
  if (all->size == reader->max_tensors) {
    ++all->num_more;
    return;
  }
  if (read_tensor(reader->r, json, storages, count, &facts) != NULL) return;
  all->items = tool_realloc(all->items, (all->size + 1) * sizeof *all->items);
  t = &all->items[all->size++];
  memset(t, 0, sizeof *t);
  snprintf(t->name, sizeof t->name, "%s", reader->path);
  t->is_dltensor = is_dltensor;
  t->is_read_only = facts.is_read_only;
  t->is_result = reader->is_result;
  t->left_out = copy_text(&left_out);
  t->extents = tool_alloc((2 * (size_t)facts.ndim + 1) * sizeof *t->extents);
  t->view = view_facts(&facts);
  t->view.byte_offset = (uint64_t)facts.byte_offset;
  t->view.shape = t->extents;
  t->view.strides = t->extents + facts.ndim;
  for (i = facts.ndim - 1; i >= 0; --i) {
    t->view.shape[i] = facts.shape[i];
    t->view.strides[i] = facts.has_strides ? facts.strides[i] : packed;
    packed = (int64_t)((uint64_t)packed * (uint64_t)facts.shape[i]);
  }
  if (facts.storage != SIZE_MAX) {
    find_moments(reader, &facts, t);
    return;
  }
  t->before.missing = facts.is_left_out ? "it was left out" : "it has no elements, or no memory";
  if (reader->is_result) t->after.missing = t->before.missing;
}

static void describe_tensors(tensor_reader *reader, const TVMFFIAny *json);

static void describe_item(tensor_reader *reader, const TVMFFIAny *json, const char *format, ...)
    TOOL_PRINTF(3, 4);

/* An item within the value whose path it is. */
static void describe_item(tensor_reader *reader, const TVMFFIAny *json, const char *format, ...) {
  const size_t size = strlen(reader->path);
  va_list values;
  va_start(values, format);
  vsnprintf(reader->path + size, sizeof reader->path - size, format, values);
  va_end(values);
  describe_tensors(reader, json);
  reader->path[size] = '\0';
}

static bool describe_field(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  TVMFFIByteArray name;
  if (!tvm_ffi_any_try_string(key, &name)) return false;
  describe_item(context, value, ".%.*s", name.size < 64 ? (int)name.size : 64, name.data);
  return true;
}

/* Values were checked when the recording was opened, so they are not nested too deeply. */
static void describe_tensors(tensor_reader *reader, const TVMFFIAny *json) {
  TVMFFIAny content, fields;
  value_form form;
  size_t i;
  if (!read_form(reader->r, json, &form, &content)) return;
  switch (form) {
    case kRecordedTensor:
    case kRecordedDLTensor:
      describe_tensor(reader, &content, form == kRecordedDLTensor);
      break;
    case kRecordedArray:
    case kRecordedList:
      for (i = 0; i < count_items(&content); ++i) {
        describe_item(reader, item_at(&content, i), "[%zu]", i);
      }
      break;
    case kRecordedMap:
    case kRecordedDict:
      for (i = 0; i < 2 * count_items(&content); ++i) {
        describe_item(reader, item_at(item_at(&content, i / 2), i % 2), "[%zu]", i / 2);
      }
      break;
    case kRecordedObject:
      fields = look(reader->r, json, "fields");
      if (is_map(&fields)) (void)value_visit_map(&fields, describe_field, reader);
      break;
    case kRecordedRvalue:
      describe_tensors(reader, &content);
      break;
    default:
      break;
  }
}

/* Reads the bytes of storages, but of those that have the same bytes in `others`. */
static void load_as_allowed(const recording *r, recorded_storage *storages, size_t count,
                            const recorded_storage *others, size_t num_others, uint64_t *max_bytes,
                            bool *is_damaged) {
  size_t i;
  for (i = 0; i < count; ++i) {
    recorded_storage *s = &storages[i];
    const char *why = "its file is missing or damaged";
    if (s->data == NULL) continue;
    if (i < num_others && others[i].data != NULL && strcmp(s->data, others[i].data) == 0) continue;
    if (s->size > *max_bytes) {
      why = "as many bytes were read as the page may read";
    } else {
      *max_bytes -= s->size;
      if (load_storage(r, s)) continue;
      *is_damaged = true;
    }
    free(s->left_out);
    s->left_out = tool_copy(why, strlen(why));
  }
}

void recording_read_tensors(const recording *r, const recorded_call *c, size_t max_tensors,
                            uint64_t *max_bytes, call_tensors *out) {
  TVMFFIAny before, after, args, result;
  tensor_reader reader;
  size_t i;
  memset(out, 0, sizeof *out);
  if (!parse_call(r, c, &before, &after)) {
    TVMFFIErrorSetRaised(NULL);
    return;
  }
  memset(&reader, 0, sizeof reader);
  reader.r = r;
  reader.out = out;
  reader.max_tensors = max_tensors;
  reader.is_swapped = r->files[c->before.file].is_swapped;
  reader.has_after = is_map(&after);
  (void)read_storages_of(r, &before, NULL, &out->before, &out->num_before);
  load_as_allowed(r, out->before, out->num_before, NULL, 0, max_bytes, &out->is_damaged);
  if (reader.has_after) {
    (void)read_storages_of(r, &before, &after, &out->after, &out->num_after);
    load_as_allowed(r, out->after, out->num_after, out->before, out->num_before, max_bytes,
                    &out->is_damaged);
  }
  args = look(r, &before, "args");
  for (i = 0; i < count_items(&args); ++i) {
    describe_item(&reader, item_at(&args, i), "arg[%zu]", i);
  }
  if (c->end == kCallReturned) {
    result = look(r, &after, "result");
    reader.is_result = true;
    describe_item(&reader, &result, "result");
  }
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
}

void call_tensors_free(call_tensors *tensors) {
  size_t i;
  for (i = 0; i < tensors->size; ++i) {
    free(tensors->items[i].extents);
    free(tensors->items[i].left_out);
  }
  free(tensors->items);
  storages_free(tensors->before, tensors->num_before);
  storages_free(tensors->after, tensors->num_after);
  memset(tensors, 0, sizeof *tensors);
}

/* ---- Making values ---- */

/* What values have that were made, to be released. */
struct recorded_objects {
  TVMFFIAny *owned; /* objects, small texts */
  size_t num_owned;
  TVMFFIObjectHandle **slots; /* of kTVMFFIObjectRValueRef */
  size_t num_slots;
  void **blocks; /* of malloc(), for raw texts */
  size_t num_blocks;
};

typedef struct {
  const recording *r;
  recorded_moment when;
  DLDevice device;
  call_values *out;
  struct recorded_objects *objects;
  TVMFFIAny *by_id; /* views; None: not made yet */
  size_t num_ids;
  TVMFFIObjectHandle *on_device; /* of each storage a copy; NULL */
  storage **first;               /* of each storage the first tensor; NULL */
  uint64_t *extra;               /* bytes before each storage, for byte_offset */
  char path[64];
  text_buf *why;
} maker;

static bool cannot(maker *m, const char *format, ...) TOOL_PRINTF(2, 3);

static bool cannot(maker *m, const char *format, ...) {
  va_list values;
  if (m->why == NULL) return false;
  text_add(m->why, "%s ", m->path);
  va_start(values, format);
  text_add_list(m->why, format, values);
  va_end(values);
  return false;
}

static bool cannot_raised(maker *m) {
  char *message = runtime_error_take_message();
  cannot(m, "cannot be made: %s", message);
  free(message);
  return false;
}

static void *keep_block(maker *m, void *block) {
  struct recorded_objects *o = m->objects;
  o->blocks = tool_realloc(o->blocks, (o->num_blocks + 1) * sizeof *o->blocks);
  return o->blocks[o->num_blocks++] = block;
}

/* Takes a value, and returns a view of it. */
static TVMFFIAny keep(maker *m, TVMFFIAny value) {
  struct recorded_objects *o = m->objects;
  o->owned = tool_realloc(o->owned, (o->num_owned + 1) * sizeof *o->owned);
  return o->owned[o->num_owned++] = value;
}

static void note_id(maker *m, const TVMFFIAny *id, TVMFFIAny value) {
  int64_t index;
  if (!read_int_between(id, 0, kMaxValues - 1, &index)) return;
  if ((size_t)index >= m->num_ids) {
    m->by_id = tool_realloc(m->by_id, ((size_t)index + 1) * sizeof *m->by_id);
    while (m->num_ids <= (size_t)index) m->by_id[m->num_ids++] = tvm_ffi_any_none();
  }
  m->by_id[index] = value;
}

/* ---- Tensors ---- */

static bool is_host(DLDevice device) {
  return device.device_type == kDLCPU || device.device_type == kDLCUDAHost ||
         device.device_type == kDLROCMHost;
}

/* Lays a tensor out in memory of its storage. */
static storage *make_storage(maker *m, tensor_facts *facts, recorded_storage *memory) {
  enum { kPage = 4096 };
  const size_t at = facts->storage;
  layout how = kLayoutPacked;
  DLTensor view = view_facts(facts);
  size_t down, up;
  storage *made;
  how.strides = facts->has_strides ? facts->strides : NULL;
  how.byte_offset = (size_t)facts->byte_offset;
  how.is_read_only = facts->is_read_only;
  how.device = facts->device;
  if (m->first[at] != NULL) {
    return storage_share(
        m->first[at], facts->dtype, facts->shape, facts->ndim,
        facts->offset + (int64_t)m->extra[at] -
            ((char *)tvm_ffi_tensor_get_data(&m->first[at]->tensor) - m->first[at]->block->begin),
        &how);
  }
  if (!tensor_measure(&view, &down, &up)) return NULL;
  how.before = (size_t)facts->offset - down + (size_t)m->extra[at];
  how.behind = (size_t)(memory->size - (uint64_t)facts->offset) - up;
  how.has_own_pages = true;
  how.misaligned = (size_t)((memory->address - m->extra[at] - kMemoryAlignment) % kPage);
  made = storage_new(facts->dtype, facts->shape, facts->ndim, &how);
  if (made == NULL) return NULL;
  m->first[at] = made;
  if (memory->bytes != NULL) {
    memcpy(made->block->begin + m->extra[at], memory->bytes, (size_t)memory->size);
  }
  return made;
}

/* One without elements, or without memory. */
static storage *make_empty(tensor_facts *facts) {
  layout how = kLayoutPacked;
  DLTensor view = view_facts(facts);
  storage *made;
  how.strides = facts->has_strides ? facts->strides : NULL;
  how.byte_offset = (size_t)facts->byte_offset;
  how.is_read_only = facts->is_read_only;
  how.device = facts->device;
  how.has_no_memory = tvm_ffi_tensor_get_numel(&view) != 0;
  made = storage_new(facts->dtype, facts->shape, facts->ndim, &how);
  if (made != NULL && facts->address == 0) made->tensor.data = NULL;
  return made;
}

static recorded_tensor *add_made(maker *m, storage *stored, const tensor_facts *facts) {
  call_values *out = m->out;
  recorded_tensor *t;
  out->tensors = tool_realloc(out->tensors, (out->num_tensors + 1) * sizeof *out->tensors);
  t = &out->tensors[out->num_tensors++];
  memset(t, 0, sizeof *t);
  snprintf(t->name, sizeof t->name, "%s", m->path);
  t->tensor = &stored->tensor;
  t->stored = stored;
  t->storage = facts->storage;
  t->offset = facts->offset;
  t->has_data = facts->storage == SIZE_MAX || out->storages[facts->storage].data != NULL;
  return t;
}

/* Makes what is passed: the object, or for a DLTensor * its address. */
static bool pass_tensor(maker *m, recorded_tensor *t, const TVMFFIAny *id, TVMFFIAny *out) {
  const bool moves = !is_host(t->tensor->device) && m->device.device_type != kDLCPU;
  TVMFFIObjectHandle object = NULL;
  if (moves && t->storage != SIZE_MAX) {
    object = device_copy_storage(m->device, t->stored, &m->on_device[t->storage]);
  } else if (!t->is_dltensor) {
    object = storage_make_object(t->stored);
  }
  if (object == NULL && (!t->is_dltensor || moves)) return cannot_raised(m);
  if (object != NULL) {
    *out = keep(m, tvm_ffi_any_take_object(object));
    t->tensor = TVMFFITensorGetDLTensorPtr(object);
    note_id(m, id, *out);
  }
  if (t->is_dltensor) *out = tvm_ffi_any_view_tensor(t->tensor);
  return true;
}

static bool make_tensor(maker *m, const TVMFFIAny *json, bool is_dltensor, TVMFFIAny *out) {
  const TVMFFIAny id = look(m->r, json, "id");
  recorded_storage *memory = NULL;
  tensor_facts facts;
  recorded_tensor *made;
  storage *stored;
  if (read_tensor(m->r, json, m->out->storages, m->out->num_storages, &facts) != NULL) {
    return cannot(m, "is not valid");
  }
  if (facts.is_left_out) return cannot(m, "is a tensor that was left out");
  if (facts.byte_offset < 0) return cannot(m, "has a negative byte_offset");
  if (facts.storage != SIZE_MAX) memory = &m->out->storages[facts.storage];
  if (memory != NULL && m->when == kBefore && m->why != NULL && memory->data == NULL) {
    return cannot(m, "has no recorded data: %s", memory->left_out);
  }
  if (m->when == kBefore && m->why != NULL && m->device.device_type == kDLCPU &&
      !is_host(facts.device)) {
    char name[48];
    return cannot(m, "is on %s, and --device does not say where it may be",
                  tvm_ffi_device_print(facts.device, name, sizeof name));
  }
  stored = memory != NULL ? make_storage(m, &facts, memory) : make_empty(&facts);
  if (stored == NULL) return cannot_raised(m);
  made = add_made(m, stored, &facts);
  made->is_dltensor = is_dltensor;
  if (is_dltensor && !facts.has_strides) stored->tensor.strides = NULL;
  return pass_tensor(m, made, &id, out);
}

/* ---- Other values ---- */

static bool make_value(maker *m, const TVMFFIAny *json, TVMFFIAny *out);

/* Makes an item within the value that is made now. */
static bool make_item(maker *m, const TVMFFIAny *json, size_t i, TVMFFIAny *out) {
  const size_t size = strlen(m->path);
  bool good;
  snprintf(m->path + size, sizeof m->path - size, "[%zu]", i);
  good = make_value(m, json, out);
  m->path[size] = '\0';
  return good;
}

static bool make_array(maker *m, const TVMFFIAny *items, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = count_items(items);
  TVMFFIAny *views = keep_block(m, tool_alloc((count + 1) * sizeof *views));
  TVMFFIObjectHandle object;
  size_t i;
  for (i = 0; i < count; ++i) {
    if (!make_item(m, item_at(items, i), i, &views[i])) return false;
  }
  if (tvm_ffi_array_create(views, (int32_t)count, &object) != 0) return cannot_raised(m);
  *out = keep(m, tvm_ffi_any_take_object(object));
  note_id(m, id, *out);
  return true;
}

/* It may be within itself, so it has its id before its items. */
static bool make_list(maker *m, const TVMFFIAny *items, const TVMFFIAny *id, TVMFFIAny *out) {
  TVMFFIObjectHandle object;
  TVMFFIAny item;
  size_t i;
  if (tvm_ffi_list_create(NULL, 0, &object) != 0) return cannot_raised(m);
  *out = keep(m, tvm_ffi_any_take_object(object));
  note_id(m, id, *out);
  for (i = 0; i < count_items(items); ++i) {
    if (!make_item(m, item_at(items, i), i, &item)) return false;
    if (tvm_ffi_list_append(object, item) != 0) return cannot_raised(m);
  }
  return true;
}

static bool make_map(maker *m, const TVMFFIAny *pairs, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = count_items(pairs);
  TVMFFIAny *views = keep_block(m, tool_alloc((2 * count + 1) * sizeof *views));
  TVMFFIObjectHandle object;
  size_t i;
  for (i = 0; i < 2 * count; ++i) {
    if (!make_item(m, item_at(item_at(pairs, i / 2), i % 2), i / 2, &views[i])) return false;
  }
  if (tvm_ffi_map_create(views, (int32_t)count, &object) != 0) return cannot_raised(m);
  *out = keep(m, tvm_ffi_any_take_object(object));
  note_id(m, id, *out);
  return true;
}

static bool make_dict(maker *m, const TVMFFIAny *pairs, const TVMFFIAny *id, TVMFFIAny *out) {
  TVMFFIAny args[3], none;
  size_t i;
  if (tvm_ffi_function_call_global("ffi.Dict", NULL, 0, &args[0]) != 0) return cannot_raised(m);
  *out = keep(m, args[0]);
  note_id(m, id, *out);
  for (i = 0; i < count_items(pairs); ++i) {
    const TVMFFIAny *pair = item_at(pairs, i);
    if (!make_item(m, item_at(pair, 0), i, &args[1]) ||
        !make_item(m, item_at(pair, 1), i, &args[2])) {
      return false;
    }
    if (tvm_ffi_function_call_global("ffi.DictSetItem", args, 3, &none) != 0) {
      return cannot_raised(m);
    }
  }
  return true;
}

typedef struct {
  maker *m;
  TVMFFIAny *args; /* for ffi.MakeObjectFromPackedArgs */
  size_t count;
} field_maker;

static bool make_field(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  field_maker *f = context;
  TVMFFIAny name;
  if (tvm_ffi_any_copy(key, &name) != 0) return cannot_raised(f->m);
  f->args[f->count++] = keep(f->m, name);
  if (!make_item(f->m, value, f->count / 2, &f->args[f->count])) return false;
  ++f->count;
  return true;
}

static bool make_object(maker *m, const TVMFFIAny *json, const TVMFFIAny *key, const TVMFFIAny *id,
                        TVMFFIAny *out) {
  const TVMFFIAny fields = look(m->r, json, "fields");
  TVMFFIByteArray name;
  TVMFFIAny made;
  field_maker f;
  int64_t count = 0;
  int32_t type_index;
  if (!tvm_ffi_any_try_string(key, &name)) return cannot(m, "is an object without a type");
  if (!is_map(&fields)) {
    return cannot(m, "is a %.*s, of which no fields are known", (int)name.size, name.data);
  }
  if (TVMFFITypeKeyToIndex(&name, &type_index) != 0) {
    TVMFFIErrorSetRaised(NULL);
    return cannot(m, "is a %.*s, a type that is not registered here", (int)name.size, name.data);
  }
  if (tvm_ffi_map_read_size(fields.v_obj, &count) != 0) return cannot_raised(m);
  f.m = m;
  f.args = keep_block(m, tool_alloc((2 * (size_t)count + 1) * sizeof *f.args));
  f.args[0] = tvm_ffi_any_from_int64(type_index);
  f.count = 1;
  if (!value_visit_map(&fields, make_field, &f)) return false;
  if (tvm_ffi_function_call_global("ffi.MakeObjectFromPackedArgs", f.args, (int32_t)f.count,
                                   &made) != 0) {
    return cannot_raised(m);
  }
  *out = keep(m, made);
  note_id(m, id, *out);
  return true;
}

static bool make_error(maker *m, const TVMFFIAny *json, const TVMFFIAny *id, TVMFFIAny *out) {
  const TVMFFIAny kind = look(m->r, json, "kind"), message = look(m->r, json, "message"),
                  backtrace = look(m->r, json, "backtrace");
  TVMFFIByteArray texts[3];
  TVMFFIObjectHandle error;
  memset(texts, 0, sizeof texts);
  texts[2].data = "";
  if (!tvm_ffi_any_try_string(&kind, &texts[0]) || !tvm_ffi_any_try_string(&message, &texts[1])) {
    return cannot(m, "is an error without kind or message");
  }
  (void)tvm_ffi_any_try_string(&backtrace, &texts[2]);
  if (TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &error) != 0) return cannot_raised(m);
  *out = keep(m, tvm_ffi_any_take_object(error));
  note_id(m, id, *out);
  return true;
}

/* The function may take the object from where the value points. */
static bool make_rvalue(maker *m, const TVMFFIAny *json, TVMFFIAny *out) {
  struct recorded_objects *o = m->objects;
  TVMFFIObjectHandle *slot;
  TVMFFIAny inner;
  if (!make_value(m, json, &inner)) return false;
  if (inner.type_index < kTVMFFIStaticObjectBegin) return cannot(m, "is a reference to no object");
  slot = tool_alloc(sizeof *slot);
  *slot = inner.v_obj;
  o->slots = tool_realloc(o->slots, (o->num_slots + 1) * sizeof *o->slots);
  o->slots[o->num_slots++] = slot;
  if (o->num_owned > 0 && o->owned[o->num_owned - 1].type_index == inner.type_index &&
      o->owned[o->num_owned - 1].v_obj == inner.v_obj) {
    --o->num_owned; /* as before, nobody else has a reference */
  } else {
    TVMFFIObjectIncRef(*slot);
  }
  memset(out, 0, sizeof *out);
  out->type_index = kTVMFFIObjectRValueRef;
  out->v_ptr = slot;
  return true;
}

static bool make_text(maker *m, value_form form, const TVMFFIAny *content, TVMFFIAny *out) {
  const bool is_bytes = form == kRecordedBytes || form == kRecordedRawBytes;
  text_buf bytes = {NULL, 0, 0};
  TVMFFIByteArray *view = keep_block(m, tool_alloc(sizeof *view));
  TVMFFIAny made;
  text_add(&bytes, "%s", "");
  keep_block(m, bytes.data);
  if (form == kRecordedText || form == kRecordedRawText) {
    (void)read_str(m->r, content, &bytes);
  } else {
    (void)read_hex(content, &bytes);
  }
  m->objects->blocks[m->objects->num_blocks - 1] = bytes.data;
  text_add_bytes(&bytes, "", 1);
  m->objects->blocks[m->objects->num_blocks - 1] = bytes.data;
  view->data = bytes.data;
  view->size = bytes.size - 1;
  if (form == kRecordedRawText) {
    *out = tvm_ffi_any_view_string(view->data);
  } else if (form == kRecordedRawBytes) {
    *out = tvm_ffi_any_view_bytes(view);
  } else if ((is_bytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(view, &made) != 0) {
    return cannot_raised(m);
  } else {
    *out = keep(m, made);
  }
  return true;
}

static bool make_shape(maker *m, const TVMFFIAny *content, const TVMFFIAny *id, TVMFFIAny *out) {
  const size_t count = count_items(content);
  int64_t *extents = keep_block(m, tool_alloc((count + 1) * sizeof *extents));
  TVMFFIObjectHandle shape;
  if (!read_ints(content, count, INT64_MIN, INT64_MAX, extents) ||
      tvm_ffi_shape_create(extents, (int32_t)count, &shape) != 0) {
    return cannot_raised(m);
  }
  *out = keep(m, tvm_ffi_any_take_object(shape));
  note_id(m, id, *out);
  return true;
}

static bool make_big_int(maker *m, const TVMFFIAny *content, const TVMFFIAny *id, TVMFFIAny *out) {
  text_buf bytes = {NULL, 0, 0};
  TVMFFIByteArray view;
  TVMFFIAny made;
  int code;
  (void)read_hex(content, &bytes);
  view.data = bytes.data;
  view.size = bytes.size;
  code = TVMFFIBigIntFromByteArray(&view, &made);
  text_free(&bytes);
  if (code != 0) return cannot_raised(m);
  *out = keep(m, made);
  note_id(m, id, *out);
  return true;
}

static bool make_plain(maker *m, value_form form, const TVMFFIAny *content, const TVMFFIAny *id,
                       TVMFFIAny *out) {
  TVMFFIByteArray text;
  DLDataType dtype;
  DLDevice device;
  uint64_t address = 0;
  int64_t value = 0;
  double real = 0;
  *out = tvm_ffi_any_none();
  switch (form) {
    case kRecordedNone:
      return true;
    case kRecordedBool:
      *out = tvm_ffi_any_from_bool(content->v_int64 != 0);
      return true;
    case kRecordedInt:
    case kRecordedBigInt64:
      (void)read_int(content, &value);
      *out = tvm_ffi_any_from_int64(value);
      return true;
    case kRecordedFloat:
      (void)read_float(content, &real);
      *out = tvm_ffi_any_from_double(real);
      return true;
    case kRecordedDataType:
      if (read_dtype(content, &dtype)) *out = tvm_ffi_any_from_dtype(dtype);
      return true;
    case kRecordedDevice:
      if (read_device(content, &device)) *out = tvm_ffi_any_from_device(device);
      return true;
    case kRecordedShape:
      return make_shape(m, content, id, out);
    case kRecordedPointer:
      (void)read_address(content, &address);
      *out = tvm_ffi_any_from_pointer(NULL);
      return address == 0 || cannot(m, "is an opaque pointer");
    case kRecordedFunction:
      return cannot(m, "is a function");
    case kRecordedError:
      return make_error(m, content, id, out);
    case kRecordedBigInt:
      return make_big_int(m, content, id, out);
    case kRecordedUnchanged:
      out->type_index = kTVMFFIUnchanged;
      return true;
    case kRecordedUnknown:
      return cannot(m, "is a value of an unknown type");
    case kRecordedLeftOut:
      text.data = "";
      text.size = 0;
      (void)tvm_ffi_any_try_string(content, &text);
      return cannot(m, "was left out: %.*s", (int)text.size, text.data);
    default:
      return make_text(m, form, content, out);
  }
}

static bool make_value(maker *m, const TVMFFIAny *json, TVMFFIAny *out) {
  TVMFFIAny content, id = tvm_ffi_any_none();
  value_form form;
  int64_t value;
  if (!read_form(m->r, json, &form, &content)) return cannot(m, "has no known form");
  if (is_map(json)) id = look(m->r, json, "id");
  switch (form) {
    case kRecordedTensor:
    case kRecordedDLTensor:
      return make_tensor(m, &content, form == kRecordedDLTensor, out);
    case kRecordedArray:
      return make_array(m, &content, &id, out);
    case kRecordedList:
      return make_list(m, &content, &id, out);
    case kRecordedMap:
      return make_map(m, &content, &id, out);
    case kRecordedDict:
      return make_dict(m, &content, &id, out);
    case kRecordedObject:
      return make_object(m, json, &content, &id, out);
    case kRecordedRvalue:
      return make_rvalue(m, &content, out);
    case kRecordedRef:
      if (!read_int_between(&content, 0, (int64_t)m->num_ids - 1, &value) ||
          m->by_id[value].type_index == kTVMFFINone) {
        return cannot(m, "is an object within itself");
      }
      *out = m->by_id[value];
      return true;
    default:
      return make_plain(m, form, &content, &id, out);
  }
}

/* ---- Calls ---- */

/* How many bytes before each storage belong to the memory, because `data` of a tensor points
 * there. */
static void measure_extra(maker *m, const TVMFFIAny *json, int depth) {
  TVMFFIAny content;
  tensor_facts facts;
  value_form form;
  size_t i;
  if (depth > 2 * kMaxDepth) return;
  if (is_array(json)) {
    for (i = 0; i < count_items(json); ++i) measure_extra(m, item_at(json, i), depth + 1);
    return;
  }
  if (!is_map(json) || !read_form(m->r, json, &form, &content)) return;
  if (form != kRecordedTensor && form != kRecordedDLTensor) {
    measure_extra(m, &content, depth + 1);
  } else if (read_tensor(m->r, &content, m->out->storages, m->out->num_storages, &facts) == NULL &&
             facts.storage != SIZE_MAX && facts.byte_offset > facts.offset &&
             (uint64_t)(facts.byte_offset - facts.offset) > m->extra[facts.storage]) {
    m->extra[facts.storage] = (uint64_t)(facts.byte_offset - facts.offset);
  }
}

static bool load_storages(maker *m) {
  size_t i;
  for (i = 0; i < m->out->num_storages; ++i) {
    recorded_storage *s = &m->out->storages[i];
    if (s->data != NULL && !load_storage(m->r, s)) return false;
  }
  return true;
}

static bool make_args(maker *m, const TVMFFIAny *args) {
  const size_t count = count_items(args);
  size_t i;
  m->out->args = tool_alloc((count + 1) * sizeof *m->out->args);
  for (i = 0; i < count; ++i) {
    snprintf(m->path, sizeof m->path, "arg[%zu]", i);
    m->out->num_args = i + 1;
    if (make_value(m, item_at(args, i), &m->out->args[i])) continue;
    m->out->args[i] = tvm_ffi_any_none();
    if (m->why != NULL) return false;
  }
  return true;
}

/* A result is a line of its own, so ids begin anew. */
static bool make_result(maker *m, const TVMFFIAny *after) {
  const TVMFFIAny result = look(m->r, after, "result");
  m->num_ids = 0;
  strcpy(m->path, "result");
  m->out->has_result = make_value(m, &result, &m->out->result);
  if (!m->out->has_result) m->out->result = tvm_ffi_any_none();
  return m->out->has_result || m->why == NULL;
}

static making make_all(maker *m, const recorded_call *c, const TVMFFIAny *before,
                       const TVMFFIAny *after) {
  const TVMFFIAny args = look(m->r, before, "args");
  call_values *out = m->out;
  size_t i, count;
  making made = kMade;
  if (read_storages_of(m->r, before, m->when == kAfter && is_map(after) ? after : NULL,
                       &out->storages, &out->num_storages) != NULL) {
    return kDamaged; /* it was read before */
  }
  if (m->r->files[c->before.file].is_swapped) {
    if (m->why != NULL) text_add(m->why, "its bytes are in the order of another kind of machine");
    return kCannotRepeat;
  }
  if (!load_storages(m)) return kDamaged;
  count = out->num_storages + 1;
  m->first = tool_alloc(count * sizeof *m->first);
  m->on_device = tool_alloc(count * sizeof *m->on_device);
  m->extra = tool_alloc(count * sizeof *m->extra);
  for (i = 0; i < count; ++i) {
    m->first[i] = NULL;
    m->on_device[i] = NULL;
    m->extra[i] = 0;
  }
  measure_extra(m, &args, 0);
  if (!make_args(m, &args)) made = kCannotRepeat;
  out->num_arg_tensors = out->num_tensors;
  if (made == kMade && m->when == kAfter && c->end == kCallReturned && !make_result(m, after)) {
    made = kCannotRepeat;
  }
  for (i = 0; i < count; ++i) tvm_ffi_object_release(m->on_device[i]);
  free(m->first);
  free(m->on_device);
  free(m->extra);
  return made;
}

making recording_make(const recording *r, const recorded_call *c, recorded_moment when,
                      DLDevice device, call_values *out, text_buf *why) {
  TVMFFIAny before, after;
  making made;
  maker m;
  memset(out, 0, sizeof *out);
  memset(&m, 0, sizeof m);
  m.r = r;
  m.when = when;
  m.device = device;
  m.out = out;
  m.why = why;
  m.objects = out->objects = tool_alloc(sizeof *out->objects);
  memset(m.objects, 0, sizeof *m.objects);
  out->result = tvm_ffi_any_none();
  if (!parse_call(r, c, &before, &after)) {
    runtime_error_report(r->folder, false);
    return kDamaged;
  }
  made = make_all(&m, c, &before, &after);
  free(m.by_id);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
  return made;
}

/* A List or a Dict may be within itself. */
static void empty(const TVMFFIAny *value) {
  const bool is_list = value->type_index == kTVMFFIList;
  TVMFFIAny none;
  if (!is_list && value->type_index != kTVMFFIDict) return;
  if (tvm_ffi_function_call_global(is_list ? "ffi.ListClear" : "ffi.DictClear", value, 1, &none) !=
      0) {
    TVMFFIErrorSetRaised(NULL);
  }
}

void call_values_free(call_values *values) {
  struct recorded_objects *o = values->objects;
  size_t i;
  if (o == NULL) return;
  for (i = 0; i < o->num_owned; ++i) empty(&o->owned[i]);
  for (i = 0; i < o->num_slots; ++i) {
    tvm_ffi_object_release(*o->slots[i]);
    free(o->slots[i]);
  }
  for (i = o->num_owned; i > 0; --i) tvm_ffi_any_clear(&o->owned[i - 1]);
  for (i = 0; i < o->num_blocks; ++i) free(o->blocks[i]);
  for (i = 0; i < values->num_tensors; ++i) storage_free(values->tensors[i].stored);
  storages_free(values->storages, values->num_storages);
  free(values->tensors);
  free(values->args);
  free(o->slots);
  free(o->owned);
  free(o->blocks);
  free(o);
  memset(values, 0, sizeof *values);
}
