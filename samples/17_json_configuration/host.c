/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the kernels named in a JSON file, with the arguments and data given there; saves the
 * configuration with the results. */
#include <stdlib.h>
#include <tvm/ffi/c.h>

enum { kMaxArgs = 4, kMaxLength = 16 };

/* [own] A file as a text. */
static int read_file(const char *path, TVMFFIAny *out) {
  char buffer[4096];
  size_t size = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "cannot open %s", path);
  size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  if (size == sizeof buffer) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%s is too large", path);
  }
  return tvm_ffi_string_create_sized(buffer, size, out);
}

static int parse(TVMFFIAny text, TVMFFIAny *out) {
  return tvm_ffi_function_call_global("ffi.json.Parse", &text, 1, out);
}

/* [own] An item of an object, which must be a value of that type. */
static int get_item(TVMFFIAny map, const char *key, int32_t type_index, TVMFFIAny *out) {
  TVMFFIObjectHandle object;
  TVM_FFI_C_TRY(tvm_ffi_any_read_object(&map, kTVMFFIMap, &object));
  if (tvm_ffi_map_get_item(object, tvm_ffi_any_view_string(key), out) != 0) {
    return tvm_ffi_error_wrap(TVM_FFI_C_VALUE_ERROR, "there is no `%s` in the configuration", key);
  }
  if (type_index == kTVMFFIObject || out->type_index == type_index) return 0;
  tvm_ffi_any_clear(out);
  return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "`%s` is of another type", key);
}

/* Runs one step: {"kernel": its name, "arguments": those after the vector} */
static int run_step(TVMFFIObjectHandle module, TVMFFIAny step, DLTensor *vector) {
  TVMFFIObjectHandle kernel = NULL;
  TVMFFIAny name, arguments, args[kMaxArgs];
  TVMFFIByteArray text;
  int64_t i, num_args;
  int code;
  TVM_FFI_C_TRY(get_item(step, "kernel", kTVMFFIObject, &name));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&name, &text));
  code = tvm_ffi_module_get_function(module, text.data, &kernel);
  if (code == 0) code = get_item(step, "arguments", kTVMFFIArray, &arguments);
  if (code == 0) {
    num_args = tvm_ffi_array_get_size(arguments.v_obj);
    args[0] = tvm_ffi_any_view_tensor(vector);
    for (i = 0; i < num_args && i + 1 < kMaxArgs; ++i) {
      args[i + 1] = tvm_ffi_array_get_data(arguments.v_obj)[i]; /* views of the elements */
    }
    code = tvm_ffi_function_call_void(kernel, args, (int32_t)(i + 1));
    tvm_ffi_any_clear(&arguments);
  }
  printf("%s: %s\n", text.data, code == 0 ? "done" : "failed");
  tvm_ffi_object_release(kernel);
  tvm_ffi_any_clear(&name);
  return code;
}

/* [own] The configuration as text, with the results; in a new Map, since a Map is never changed. */
static int write_result(TVMFFIAny name, TVMFFIAny steps, const double *data, int64_t length,
                        TVMFFIAny *out) {
  TVMFFIObjectHandle result, map;
  TVMFFIAny items[6], elements[kMaxLength], args[2];
  int64_t i;
  int code;
  for (i = 0; i < length; ++i) elements[i] = tvm_ffi_any_from_double(data[i]);
  TVM_FFI_C_TRY(tvm_ffi_array_create(elements, (int32_t)length, &result));
  items[0] = tvm_ffi_any_view_string("name"), items[1] = name;
  items[2] = tvm_ffi_any_view_string("result"), items[3] = tvm_ffi_any_view_object(result);
  items[4] = tvm_ffi_any_view_string("steps"), items[5] = steps;
  code = tvm_ffi_map_create(items, 3, &map);
  tvm_ffi_object_release(result);
  if (code != 0) return code;
  args[0] = tvm_ffi_any_view_object(map);
  args[1] = tvm_ffi_any_from_int64(2); /* spaces for each level; None for one line */
  code = tvm_ffi_function_call_global("ffi.json.Stringify", args, 2, out);
  tvm_ffi_object_release(map);
  return code;
}

/* Shows the errors for malformed JSON and for a missing entry. */
static void show_errors(void) {
  TVMFFIAny value, item;
  if (parse(tvm_ffi_any_view_string("{\n  \"kernel\": scale\n}"), &value) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  if (parse(tvm_ffi_any_view_string("{\"kernel\": \"scale\"}"), &value) != 0) return;
  if (get_item(value, "arguments", kTVMFFIArray, &item) != 0) tvm_ffi_error_print_raised(stdout);
  tvm_ffi_any_clear(&value);
}

static int run(const char *kernels, const char *path, const char *saved_path) {
  TVMFFIObjectHandle module;
  TVMFFIAny text, configuration, data, steps, name;
  TVMFFIByteArray saved;
  double vector[kMaxLength];
  int64_t i, length, stride;
  DLTensor tensor;
  FILE *file;
  TVM_FFI_C_TRY(tvm_ffi_module_load(kernels, &module));
  TVM_FFI_C_TRY(read_file(path, &text));
  TVM_FFI_C_TRY(parse(text, &configuration));
  tvm_ffi_any_clear(&text);
  TVM_FFI_C_TRY(get_item(configuration, "name", kTVMFFIObject, &name));
  TVM_FFI_C_TRY(get_item(configuration, "data", kTVMFFIArray, &data));
  TVM_FFI_C_TRY(get_item(configuration, "steps", kTVMFFIArray, &steps));

  /* Numbers without a decimal point are ints; reading a double accepts both. */
  length = tvm_ffi_array_get_size(data.v_obj);
  if (length > kMaxLength) return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "too much data");
  for (i = 0; i < length; ++i) {
    TVM_FFI_C_TRY(tvm_ffi_any_read_double(&tvm_ffi_array_get_data(data.v_obj)[i], &vector[i]));
  }
  tvm_ffi_tensor_init(&tensor, vector, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1,
                      &length, &stride);
  for (i = 0; i < tvm_ffi_array_get_size(steps.v_obj); ++i) {
    TVM_FFI_C_TRY(run_step(module, tvm_ffi_array_get_data(steps.v_obj)[i], &tensor));
  }

  TVM_FFI_C_TRY(write_result(name, steps, vector, length, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &saved));
  file = fopen(saved_path, "wb");
  if (file == NULL || fwrite(saved.data, 1, saved.size, file) != saved.size || fclose(file) != 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "cannot write %s", saved_path);
  }
  tvm_ffi_any_clear(&text);
  tvm_ffi_any_clear(&name);
  tvm_ffi_any_clear(&data);
  tvm_ffi_any_clear(&steps);
  tvm_ffi_any_clear(&configuration);
  tvm_ffi_object_release(module);

  TVM_FFI_C_TRY(read_file(saved_path, &text));
  TVM_FFI_C_TRY(tvm_ffi_any_read_string(&text, &saved));
  printf("%s\n", saved.data);
  tvm_ffi_any_clear(&text);
  show_errors();
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  if (run(argv[1], argv[2], argv[3]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
