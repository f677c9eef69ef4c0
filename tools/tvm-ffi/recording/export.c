/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tensors of a call to one file that other tools read: .npz of NumPy, or .safetensors.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"
#include "base/zip.h"
#include "recording/recording.h"
#include "value/npy.h"
#include "value/tensor.h"

/* ---- What is written ---- */

typedef struct {
  char *name;                /* "before.arg[0]" */
  TVMFFIObjectHandle tensor; /* packed */
} exported;

typedef struct {
  exported *items;
  size_t size;
  text_buf left_out; /* names of tensors without data */
} export_list;

/* Adds a tensor [take]. */
static void add(export_list *list, const char *moment, const char *name,
                TVMFFIObjectHandle tensor) {
  list->items = tool_realloc(list->items, (list->size + 1) * sizeof *list->items);
  list->items[list->size].name = tool_format("%s.%s", moment, name);
  list->items[list->size++].tensor = tensor;
}

static void add_tensors(export_list *list, const char *moment, const call_values *values) {
  size_t i;
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    TVMFFIObjectHandle copy = t->has_data ? tensor_try_copy(t->tensor) : NULL;
    if (copy != NULL) {
      add(list, moment, t->name, copy);
    } else {
      text_add(&list->left_out, "%s%s.%s", list->left_out.size > 0 ? ", " : "", moment, t->name);
    }
  }
}

/* Adds an int, a float or a bool as a tensor without dimensions; others are in no such file. */
static void add_number(export_list *list, const char *moment, const char *name,
                       const TVMFFIAny *value) {
  const DLDataType dtype = value->type_index == kTVMFFIFloat ? TVM_FFI_C_FLOAT64
                           : value->type_index == kTVMFFIInt ? TVM_FFI_C_INT64
                                                             : TVM_FFI_C_BOOL;
  TVMFFIObjectHandle made;
  if (value->type_index != kTVMFFIFloat && value->type_index != kTVMFFIInt &&
      value->type_index != kTVMFFIBool) {
    return;
  }
  made = tensor_new(dtype, NULL, 0);
  if (made == NULL) {
    TVMFFIErrorSetRaised(NULL);
  } else if (value->type_index == kTVMFFIBool) {
    *(uint8_t *)TVMFFITensorGetDLTensorPtr(made)->data = value->v_int64 != 0;
    add(list, moment, name, made);
  } else {
    memcpy(TVMFFITensorGetDLTensorPtr(made)->data, &value->v_int64, 8);
    add(list, moment, name, made);
  }
}

/* False after a report. */
static bool collect(const recording *r, const recorded_call *c, export_list *out) {
  const DLDevice cpu = {kDLCPU, 0};
  call_values before, after;
  char name[32];
  size_t i;
  bool good = recording_make(r, c, kBefore, cpu, &before, NULL) != kDamaged;
  memset(&after, 0, sizeof after);
  if (good) {
    add_tensors(out, "before", &before);
    for (i = 0; i < before.num_args; ++i) {
      snprintf(name, sizeof name, "arg[%zu]", i);
      add_number(out, "before", name, &before.args[i]);
    }
  }
  if (good && c->end != kCallUnfinished) {
    good = recording_make(r, c, kAfter, cpu, &after, NULL) != kDamaged;
    if (good) add_tensors(out, "after", &after);
    if (good && after.has_result) add_number(out, "after", "result", &after.result);
  }
  call_values_free(&before);
  call_values_free(&after);
  return good;
}

static void free_list(export_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) {
    free(list->items[i].name);
    tvm_ffi_object_release(list->items[i].tensor);
  }
  free(list->items);
  text_free(&list->left_out);
}

static const DLTensor *view_of(const exported *item, size_t *out_size) {
  const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(item->tensor);
  *out_size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, out_size) != 0) TVMFFIErrorSetRaised(NULL);
  return tensor;
}

/* ---- .npz: a zip of .npy ---- */

static bool write_npz(const export_list *list, const char *path) {
  zip_writer zip;
  size_t i, size;
  memset(&zip, 0, sizeof zip);
  for (i = 0; i < list->size; ++i) {
    const DLTensor *tensor = view_of(&list->items[i], &size);
    char *name = tool_format("%s.npy", list->items[i].name);
    text_buf file = {NULL, 0, 0};
    if (npy_write(&file, tensor->dtype, tensor->shape, tensor->ndim, tensor->data, size)) {
      zip_add(&zip, name, file.data, file.size);
    } else {
      report_note("%s is left out: its elements are not whole bytes", list->items[i].name);
    }
    text_free(&file);
    free(name);
  }
  return zip_write(&zip, path);
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

static bool write_safetensors(const export_list *list, const recorded_call *c, const char *path) {
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
    text_add(&header, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", list->items[i].name, type);
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
  good = tool_write_file(path, whole.data, whole.size);
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
  export_list list = {NULL, 0, {NULL, 0, 0}};
  bool good = collect(r, c, &list);
  if (good) {
    good =
        file_has_ending(path, ".npz") ? write_npz(&list, path) : write_safetensors(&list, c, path);
  }
  if (good && list.left_out.size > 0) {
    report_note("%s: without data in the recording, and left out", list.left_out.data);
  }
  free_list(&list);
  return good;
}
