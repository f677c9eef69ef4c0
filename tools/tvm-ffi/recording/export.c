/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tensors of a call to one file that other tools read: .npz of NumPy, or .safetensors.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "base/zip.h"
#include "recording/recorded_value.h"
#include "value/npy.h"
#include "value/tensor.h"

/* ---- What is written ---- */

typedef struct {
  char *name;                /* "before.arg[0]" */
  TVMFFIObjectHandle tensor; /* packed */
} exported;

typedef struct {
  exported *items;
  size_t size, num_written;
  name_table names;
} export_list;

/* "before.arg[0]", or with a number behind it if there is one of this name: the key of a map has
 * that of its value, and long names of fields are cut. */
static char *make_name(name_table *names, const char *moment, const char *name) {
  char *shown = text_escape(name, strlen(name)), *made = tool_format("%s.%s", moment, shown);
  size_t number = 1;
  while (name_table_find(names, made) != SIZE_MAX) {
    free(made);
    made = tool_format("%s.%s#%zu", moment, shown, ++number);
  }
  (void)name_table_add(names, made);
  free(shown);
  return made;
}

/* Adds a tensor [take]; NULL: says why there is none. */
static void add(export_list *list, const char *moment, const char *name, TVMFFIObjectHandle tensor,
                const char *why) {
  char *made = make_name(&list->names, moment, name);
  if (tensor == NULL) {
    char *shown = text_escape(why, strlen(why));
    report_note("%s is left out: %s", made, shown);
    free(shown);
    free(made);
    return;
  }
  list->items = tool_grow(list->items, list->size, sizeof *list->items);
  list->items[list->size].name = made;
  list->items[list->size++].tensor = tensor;
}

/* Adds a tensor as it was at one moment. */
static void add_moment(export_list *list, const char *moment, const described_tensor *t,
                       const recorded_elements *elements) {
  DLTensor view = t->view;
  TVMFFIObjectHandle copy = NULL;
  const char *why = elements->missing;
  char *message = NULL;
  if (elements->first != NULL || tvm_ffi_tensor_get_numel(&view) == 0) {
    view.data = (void *)elements->first;
    view.byte_offset = 0;
    view.device = tvm_ffi_device_make(kDLCPU, 0);
    copy = tensor_copy(&view);
    if (copy == NULL) why = message = runtime_error_take_message();
  } else if (t->left_out != NULL) {
    why = t->left_out;
  } else if (why == NULL) {
    return; /* there was no such moment */
  }
  add(list, moment, t->name, copy, why);
  free(message);
}

/* Adds an int, a float or a bool as a tensor without dimensions; others are in no such file. */
static void add_number(export_list *list, const recording *r, const char *moment, const char *name,
                       const TVMFFIAny *json) {
  TVMFFIAny content;
  TVMFFIObjectHandle made;
  value_form form;
  DLDataType dtype = TVM_FFI_C_INT64;
  int64_t bits = 0;
  double real = 0;
  if (!recorded_read_form(r, json, &form, &content)) return;
  if (form == kRecordedFloat) {
    dtype = TVM_FFI_C_FLOAT64;
    (void)recorded_read_float(&content, &real);
    memcpy(&bits, &real, sizeof bits);
  } else if (form == kRecordedInt || form == kRecordedBigInt64) {
    (void)recorded_read_int(&content, &bits);
  } else if (form == kRecordedBool) {
    dtype = TVM_FFI_C_BOOL;
  } else {
    return;
  }
  made = tensor_new(dtype, NULL, 0);
  if (made == NULL) {
    TVMFFIErrorSetRaised(NULL);
  } else if (form == kRecordedBool) {
    *(uint8_t *)TVMFFITensorGetDLTensorPtr(made)->data = content.v_int64 != 0;
  } else {
    memcpy(TVMFFITensorGetDLTensorPtr(made)->data, &bits, sizeof bits);
  }
  add(list, moment, name, made, "there is no memory");
}

/* False after a report. */
static bool add_numbers(export_list *list, const recording *r, const recorded_call *c) {
  TVMFFIAny before, after, args, result;
  char name[32];
  size_t i;
  if (!recorded_parse_call(r, c, &before, &after)) {
    runtime_error_report(r->folder, false);
    return false;
  }
  args = recorded_look(r, &before, "args");
  result = recorded_look(r, &after, "result");
  for (i = 0; i < recorded_count_items(&args); ++i) {
    snprintf(name, sizeof name, "arg[%zu]", i);
    add_number(list, r, "before", name, recorded_item_at(&args, i));
  }
  if (c->end == kCallReturned) add_number(list, r, "after", "result", &result);
  tvm_ffi_any_clear(&before);
  tvm_ffi_any_clear(&after);
  return true;
}

/* Adds what the recording has of the call, also of one that cannot be made again. False after a
 * report. */
static bool collect(const recording *r, const recorded_call *c, export_list *out) {
  uint64_t max_bytes = UINT64_MAX;
  call_tensors tensors;
  bool good;
  size_t i;
  recording_read_tensors(r, c, SIZE_MAX, &max_bytes, &tensors);
  good = !tensors.is_damaged;
  for (i = 0; i < tensors.size && good; ++i) {
    const described_tensor *t = &tensors.items[i];
    if (!t->is_result) add_moment(out, "before", t, &t->before);
    if (c->end != kCallUnfinished) add_moment(out, "after", t, &t->after);
  }
  call_tensors_free(&tensors);
  return good && add_numbers(out, r, c);
}

static void free_list(export_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) {
    free(list->items[i].name);
    tvm_ffi_object_release(list->items[i].tensor);
  }
  free(list->items);
  name_table_free(&list->names);
}

static const DLTensor *view_of(const exported *item, size_t *out_size) {
  const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(item->tensor);
  *out_size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, out_size) != 0) TVMFFIErrorSetRaised(NULL);
  return tensor;
}

/* ---- .npz: a zip of .npy ---- */

static bool write_npz(export_list *list, const char *path) {
  zip_writer zip;
  size_t i, size;
  memset(&zip, 0, sizeof zip);
  for (i = 0; i < list->size; ++i) {
    const DLTensor *tensor = view_of(&list->items[i], &size);
    char *name = tool_format("%s.npy", list->items[i].name);
    text_buf file = {NULL, 0, 0};
    if (npy_write(&file, tensor->dtype, tensor->shape, tensor->ndim, tensor->data, size)) {
      zip_add(&zip, name, file.data, file.size);
      ++list->num_written;
    } else {
      report_note("%s is left out: its elements are not whole bytes", list->items[i].name);
    }
    text_free(&file);
    free(name);
  }
  if (list->num_written > 0) return zip_write(&zip, path);
  text_free(&zip.bytes);
  text_free(&zip.list);
  return false;
}

/* ---- .safetensors: the size of a header, the header as JSON, the elements ---- */

/* NULL: the format has none. */
static const char *name_type(DLDataType dtype) {
  static const struct {
    uint8_t code, bits;
    const char *name;
  } kTypes[] = {{kDLFloat, 64, "F64"},
                {kDLFloat, 32, "F32"},
                {kDLFloat, 16, "F16"},
                {kDLBfloat, 16, "BF16"},
                {kDLInt, 64, "I64"},
                {kDLInt, 32, "I32"},
                {kDLInt, 16, "I16"},
                {kDLInt, 8, "I8"},
                {kDLUInt, 64, "U64"},
                {kDLUInt, 32, "U32"},
                {kDLUInt, 16, "U16"},
                {kDLUInt, 8, "U8"},
                {kDLBool, 8, "BOOL"},
                {kDLFloat8_e4m3fn, 8, "F8_E4M3"},
                {kDLFloat8_e5m2, 8, "F8_E5M2"},
                {kDLComplex, 64, "C64"}};
  size_t i;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    if (dtype.lanes == 1 && dtype.code == kTypes[i].code && dtype.bits == kTypes[i].bits) {
      return kTypes[i].name;
    }
  }
  return NULL;
}

/* The format has little-endian numbers. */
static void add_elements(text_buf *out, const DLTensor *tensor, size_t size) {
  const uint16_t probe = 1;
  const size_t begin = out->size, parts = tensor->dtype.code == kDLComplex ? 2 : 1;
  const size_t width = tensor->dtype.bits / 8u / parts;
  size_t i, k;
  text_add_bytes(out, tensor->data, size);
  if (*(const unsigned char *)&probe == 1) return;
  for (i = 0; i + width <= size; i += width) {
    for (k = 0; k < width / 2; ++k) {
      char *a = out->data + begin + i + k, *b = out->data + begin + i + width - 1 - k, kept = *a;
      *a = *b;
      *b = kept;
    }
  }
}

static void add_json_text(text_buf *out, const char *text) {
  text_add(out, "\"");
  for (; *text != '\0'; ++text) {
    const unsigned char byte = (unsigned char)*text;
    if (byte < 0x20 || byte == '"' || byte == '\\') {
      text_add(out, "\\u%04x", (unsigned)byte);
    } else {
      text_add_bytes(out, text, 1);
    }
  }
  text_add(out, "\"");
}

static bool write_safetensors(export_list *list, const recorded_call *c, const char *path) {
  text_buf header = {NULL, 0, 0}, elements = {NULL, 0, 0}, whole = {NULL, 0, 0};
  size_t i, size;
  int32_t d;
  bool good;
  text_add(&header, "{\"__metadata__\":{\"call\":\"%" PRId64 "\",\"function\":", c->number);
  add_json_text(&header, c->function);
  text_add(&header, "}");
  for (i = 0; i < list->size; ++i) {
    const DLTensor *tensor = view_of(&list->items[i], &size);
    const char *type = name_type(tensor->dtype);
    if (type == NULL) {
      report_note("%s is left out: .safetensors has no such data type", list->items[i].name);
      continue;
    }
    ++list->num_written;
    text_add(&header, ",");
    add_json_text(&header, list->items[i].name);
    text_add(&header, ":{\"dtype\":\"%s\",\"shape\":[", type);
    for (d = 0; d < tensor->ndim; ++d) {
      text_add(&header, "%s%" PRId64, d > 0 ? "," : "", tensor->shape[d]);
    }
    text_add(&header, "],\"data_offsets\":[%zu,%zu]}", elements.size, elements.size + size);
    add_elements(&elements, tensor, size);
  }
  text_add(&header, "}");
  while (header.size % 8 != 0) text_add(&header, " ");
  for (i = 0; i < 8; ++i) {
    const char byte = (char)((uint64_t)header.size >> 8 * i & 255);
    text_add_bytes(&whole, &byte, 1);
  }
  text_add_bytes(&whole, header.data, header.size);
  text_add_bytes(&whole, elements.data, elements.size);
  good = list->num_written > 0 && tool_write_file(path, whole.data, whole.size);
  text_free(&header);
  text_free(&elements);
  text_free(&whole);
  return good;
}

/* ---- Both ---- */

bool recording_can_export(const char *path) {
  if (file_has_ending(path, ".npz") || file_has_ending(path, ".safetensors")) return true;
  return report_error("--export takes a file whose name ends in .npz or .safetensors, not %s",
                      path);
}

bool recording_export_call(const recording *r, const recorded_call *c, const char *path) {
  export_list list;
  bool good;
  memset(&list, 0, sizeof list);
  good = collect(r, c, &list);
  if (good) {
    good =
        file_has_ending(path, ".npz") ? write_npz(&list, path) : write_safetensors(&list, c, path);
    if (list.num_written == 0) {
      report_error("%s is not written: call %" PRId64 " has no tensor or number that can be in it",
                   path, c->number);
    }
  }
  free_list(&list);
  return good;
}
