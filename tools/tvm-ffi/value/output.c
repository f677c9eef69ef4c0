/* SPDX-License-Identifier: Apache-2.0 */
#include "value/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/raised.h"
#include "base/report.h"
#include "base/streams.h"
#include "value/npy.h"
#include "value/value_text.h"

/* ---- Collecting ---- */

void snapshot_take(const input_list *inputs, snapshot *out) {
  size_t i;
  DLTensor *tensor;
  out->size = inputs->size;
  out->copies = tool_alloc((inputs->size + 1) * sizeof *out->copies);
  for (i = 0; i < inputs->size; ++i) {
    out->copies[i] = NULL;
    if (inputs->items[i].is_storage) continue;
    if (!tvm_ffi_any_try_tensor(&inputs->items[i].value, &tensor)) continue;
    out->copies[i] = tensor_copy(tensor);
    if (out->copies[i] == NULL) TVMFFIErrorSetRaised(NULL);
  }
}

void snapshot_free(snapshot *initial) {
  size_t i;
  for (i = 0; i < initial->size; ++i) tvm_ffi_object_release(initial->copies[i]);
  free(initial->copies);
}

static bool is_changed(const TVMFFIAny *value, TVMFFIObjectHandle initial) {
  DLTensor *current, *old;
  TVMFFIObjectHandle copy;
  size_t size = 0;
  bool changed;
  if (initial == NULL || !tvm_ffi_any_try_tensor(value, &current)) return false;
  old = TVMFFITensorGetDLTensorPtr(initial);
  if (tvm_ffi_tensor_compute_size(old, &size) != 0 || size == 0) return false;
  if (current->device.device_type == kDLCPU) return memcmp(current->data, old->data, size) != 0;
  copy = tensor_copy(current);
  changed = copy != NULL && memcmp(TVMFFITensorGetDLTensorPtr(copy)->data, old->data, size) != 0;
  if (copy == NULL) TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(copy);
  return changed;
}

static void add(output_list *list, const char *kind, size_t i, const TVMFFIAny *value) {
  output *item;
  list->items = tool_realloc(list->items, (list->size + 1) * sizeof *list->items);
  item = &list->items[list->size++];
  snprintf(item->name, sizeof item->name, "%s[%zu]", kind, i);
  if (tvm_ffi_any_copy(value, &item->value) != 0) {
    TVMFFIErrorSetRaised(NULL);
    item->value = tvm_ffi_any_none();
  }
}

static bool has_tensors(const TVMFFIAny *value) {
  DLTensor *tensor;
  int64_t i;
  if (value->type_index != kTVMFFIArray && value->type_index != kTVMFFIList) return false;
  for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
    if (tvm_ffi_any_try_tensor(tvm_ffi_array_get_data(value->v_obj) + i, &tensor)) return true;
  }
  return false;
}

void output_collect(TVMFFIAny result, const input_list *inputs, const snapshot *initial,
                    output_list *out) {
  size_t i;
  out->items = NULL;
  out->size = 0;
  if (has_tensors(&result)) {
    for (i = 0; i < (size_t)tvm_ffi_array_get_size(result.v_obj); ++i) {
      add(out, "result", i, tvm_ffi_array_get_data(result.v_obj) + i);
    }
  } else if (!tvm_ffi_any_is_none(&result)) {
    add(out, "result", 0, &result);
  }
  tvm_ffi_any_clear(&result);
  for (i = 0; i < inputs->size; ++i) {
    const input *item = &inputs->items[i];
    if (item->is_storage || is_changed(&item->value, initial->copies[i])) {
      add(out, "arg", i, &item->value);
    }
  }
}

void output_list_free(output_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) tvm_ffi_any_clear(&list->items[i].value);
  free(list->items);
}

/* ---- Writing ---- */

void output_print(const output *item, const tensor_detail *detail) {
  text line = {NULL, 0, 0};
  value_write(&line, &item->value, detail);
  fprintf(streams_results(), "%s%s%s: ", report_color(kColorName), item->name,
          report_color(kColorNone));
  fwrite(line.data, 1, line.size, streams_results());
  putc('\n', streams_results());
  text_free(&line);
}

static bool write_bytes(const char *path, bool append, const void *bytes, size_t size) {
  FILE *file;
  bool good;
  if (!append) return tool_write_file(path, bytes, size);
  file = fopen(path, "ab");
  if (file == NULL) {
    report_error("%s: %s", path, strerror(errno));
    return false;
  }
  good = fwrite(bytes, 1, size, file) == size;
  good = fclose(file) == 0 && good;
  if (!good) report_error("%s: %s", path, strerror(errno));
  return good;
}

/* Converts the value to a tensor; a number becomes one without dimensions. NULL with an error
 * raised. */
static TVMFFIObjectHandle make_tensor(const TVMFFIAny *value) {
  DLTensor *tensor;
  TVMFFIObjectHandle made;
  DLDataType dtype = value->type_index == kTVMFFIFloat ? TVM_FFI_C_FLOAT64
                     : value->type_index == kTVMFFIInt ? TVM_FFI_C_INT64
                                                       : TVM_FFI_C_BOOL;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return tensor_copy(tensor);
  if (value->type_index != kTVMFFIFloat && value->type_index != kTVMFFIInt &&
      value->type_index != kTVMFFIBool) {
    tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "a %s is neither a tensor nor a number",
                        tvm_ffi_any_get_type_name(value));
    return NULL;
  }
  made = tensor_new(dtype, NULL, 0, kGuardNone);
  if (made == NULL) return NULL;
  if (value->type_index == kTVMFFIBool) {
    *(uint8_t *)TVMFFITensorGetDLTensorPtr(made)->data = value->v_int64 != 0;
  } else {
    memcpy(TVMFFITensorGetDLTensorPtr(made)->data, &value->v_int64, 8);
  }
  return made;
}

static bool is_npy(const char *path) {
  size_t size = strlen(path);
  return size > 4 && strcmp(path + size - 4, ".npy") == 0;
}

static bool write_file(const output *item, const char *path, bool append) {
  TVMFFIObjectHandle made = make_tensor(&item->value);
  const DLTensor *tensor;
  text bytes = {NULL, 0, 0};
  size_t size = 0;
  bool good;
  if (made == NULL || tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(made), &size) != 0) {
    char *reason = raised_take_message();
    report_error("%s: cannot write %s: %s", path, item->name, reason);
    free(reason);
    tvm_ffi_object_release(made);
    return false;
  }
  tensor = TVMFFITensorGetDLTensorPtr(made);
  if (!is_npy(path)) {
    good = write_bytes(path, append, tensor->data, size);
  } else if (npy_write(&bytes, tensor->dtype, tensor->shape, tensor->ndim, tensor->data, size)) {
    good = write_bytes(path, append, bytes.data, bytes.size);
  } else {
    report_error("%s: cannot write %s: its elements have no whole bytes", path, item->name);
    good = false;
  }
  text_free(&bytes);
  TVMFFIObjectDecRef(made);
  return good;
}

bool output_write(const output *item, const char *spec, const tensor_detail *detail) {
  if (*spec == '\0') return true;
  if (*spec != '-') return write_file(item, spec + 1, *spec == '+');
  output_print(item, detail);
  return true;
}

bool output_check(const arguments *args) {
  size_t i;
  for (i = 0; i < arguments_count(args, kOptionOutput); ++i) {
    const char *spec = arguments_at(args, kOptionOutput, i);
    if (*spec == '\0' || strcmp(spec, "-") == 0) continue;
    if ((*spec == '@' || *spec == '+') && spec[1] != '\0') {
      if (!arguments_has(args, kOptionJson) || !tool_is_same_file(spec + 1, "-", false)) continue;
      report_error("--json prints all outputs: --output must be another file, not \"%s\"", spec);
      return false;
    }
    report_error("--output must be empty, -, @FILE or +FILE, not \"%s\"", spec);
    return false;
  }
  return true;
}
