/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each wrapper that tvm-ffi stub --lang=c made of typed.c. */
#include "typed.h"

#include <stdio.h>

#define CHECK(condition)                             \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      tvm_ffi_error_print_raised(stdout);            \
      return 1;                                      \
    }                                                \
  } while (0)

static bool is_raised(const char *kind) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  bool is = error != NULL && tvm_ffi_error_is(error, kind);
  tvm_ffi_object_release(error);
  return is;
}

static int use_tensors(const typed_library *lib) {
  float input[4] = {1, 2, 3, 4}, output[4] = {0}, others[3] = {0};
  int64_t size = 4, other_size = 3, strides[3];
  DLTensor x, y, other;
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  tvm_ffi_tensor_init(&x, input, cpu, TVM_FFI_C_FLOAT32, 1, &size, &strides[0]);
  tvm_ffi_tensor_init(&y, output, cpu, TVM_FFI_C_FLOAT32, 1, &size, &strides[1]);
  tvm_ffi_tensor_init(&other, others, cpu, TVM_FFI_C_FLOAT32, 1, &other_size, &strides[2]);
  CHECK(typed_scale(lib, &x, 2.5, &y) == 0);
  CHECK(output[0] == 2.5f && output[1] == 5 && output[2] == 7.5f && output[3] == 10);
  CHECK(typed_scale(lib, &x, 2.5, &other) != 0 && is_raised("ValueError"));
  CHECK(typed_scale(lib, &x, 2.5, NULL) != 0 && is_raised("TypeError"));
  return 0;
}

static int use_scalars(const typed_library *lib) {
  bool flag = false;
  int64_t number = 0;
  double real = 0;
  void *pointer = NULL;
  DLDataType dtype = TVM_FFI_C_INT8;
  DLDevice device = tvm_ffi_device_make(kDLCPU, 0);
  const TVMFFIAny args[2] = {tvm_ffi_any_none(), tvm_ffi_any_none()};
  TVMFFIAny value;
  CHECK(typed_same_bool(lib, true, &flag) == 0 && flag);
  CHECK(typed_same_int(lib, -7, &number) == 0 && number == -7);
  CHECK(typed_same_float(lib, 0.5, &real) == 0 && real == 0.5);
  CHECK(typed_same_pointer(lib, &flag, &pointer) == 0 && pointer == &flag);
  CHECK(typed_same_pointer(lib, NULL, &pointer) == 0 && pointer == NULL);
  CHECK(typed_same_dtype(lib, TVM_FFI_C_FLOAT32, &dtype) == 0);
  CHECK(tvm_ffi_dtype_equal(dtype, TVM_FFI_C_FLOAT32));
  CHECK(typed_same_device(lib, tvm_ffi_device_make(kDLCUDA, 3), &device) == 0);
  CHECK(tvm_ffi_device_equal(device, tvm_ffi_device_make(kDLCUDA, 3)));
  CHECK(typed_load_(lib, 9, &number) == 0 && number == 9);
  CHECK(typed_asked(lib, 5, &number) == 0 && number == 5);
  CHECK(typed_packed(lib, args, 2, &value) == 0 && value.v_int64 == 2);
  CHECK(typed_packed(lib, NULL, 0, &value) == 0 && value.v_int64 == 0);
  CHECK(typed_lies(lib, &number) != 0 && is_raised("TypeError"));
  return 0;
}

static int use_texts(const typed_library *lib) {
  static const char kExpected[] = "1 -3 2.5 2/32 2:1 word 5 there";
  TVMFFIByteArray bytes = {"\0\1\2\3\4", 5}, text;
  TVMFFIAny value;
  int something = 0;
  CHECK(typed_show(lib, true, -3, 2.5, TVM_FFI_C_FLOAT32, tvm_ffi_device_make(kDLCUDA, 1), "word",
                   &bytes, &something, &value) == 0);
  CHECK(tvm_ffi_any_try_string(&value, &text) && tvm_ffi_string_equal(text, kExpected));
  tvm_ffi_any_clear(&value);
  CHECK(typed_same_str(lib, "short", &value) == 0);
  CHECK(tvm_ffi_any_try_string(&value, &text) && tvm_ffi_string_equal(text, "short"));
  tvm_ffi_any_clear(&value);
  CHECK(typed_same_bytes(lib, &bytes, &value) == 0);
  CHECK(tvm_ffi_any_try_bytes(&value, &text) && text.size == 5);
  tvm_ffi_any_clear(&value);
  return 0;
}

static int use_optionals(const typed_library *lib) {
  const int64_t seven = 7;
  const DLDevice device = tvm_ffi_device_make(kDLCPU, 0);
  int64_t count = -1;
  TVMFFIAny value;
  TVMFFIObjectHandle array = NULL;
  CHECK(typed_count_none(lib, NULL, NULL, NULL, NULL, NULL, &count) == 0 && count == 5);
  CHECK(typed_count_none(lib, &seven, NULL, "text", lib->scale, &device, &count) == 0);
  CHECK(count == 1);
  CHECK(typed_same_optional_int(lib, &seven, &value) == 0 && value.v_int64 == 7);
  CHECK(typed_same_optional_int(lib, NULL, &value) == 0 && tvm_ffi_any_is_none(&value));
  CHECK(typed_same_optional_array(lib, NULL, &array) == 0 && array == NULL);
  return 0;
}

static int use_objects(const typed_library *lib) {
  TVMFFIAny items[2], value;
  TVMFFIObjectHandle array = NULL, out = NULL;
  items[0] = tvm_ffi_any_from_int64(1);
  items[1] = tvm_ffi_any_from_double(2.5);
  CHECK(tvm_ffi_array_create(items, 2, &array) == 0);
  CHECK(typed_same_array(lib, array, &out) == 0 && out == array);
  tvm_ffi_object_release(out);
  CHECK(typed_same_tuple(lib, array, &out) == 0 && out == array);
  tvm_ffi_object_release(out);
  CHECK(typed_same_optional_array(lib, array, &out) == 0 && out == array);
  tvm_ffi_object_release(out);
  CHECK(typed_same_object(lib, array, &out) == 0 && out == array);
  tvm_ffi_object_release(out);
  out = NULL;
  CHECK(typed_same_map(lib, array, &out) != 0 && is_raised("TypeError") && out == NULL);
  CHECK(typed_same_function(lib, lib->scale, &out) == 0 && out == lib->scale);
  tvm_ffi_object_release(out);
  CHECK(typed_same_union(lib, items[1], &value) == 0 && value.v_float64 == 2.5);
  CHECK(typed_return_(lib, tvm_ffi_any_view_object(array), &value) == 0 && value.v_obj == array);
  tvm_ffi_any_clear(&value);
  tvm_ffi_object_release(array);
  return 0;
}

int main(int argc, char **argv) {
  typed_library lib;
  CHECK(argc == 2);
  CHECK(typed_load("./no_such_library.so", &lib) != 0 && lib.scale == NULL);
  TVMFFIErrorSetRaised(NULL);
  CHECK(typed_load(argv[1], &lib) == 0);
  if (use_tensors(&lib) + use_scalars(&lib) + use_texts(&lib) + use_optionals(&lib) +
          use_objects(&lib) !=
      0) {
    return 1;
  }
  typed_release(&lib);
  CHECK(lib.scale == NULL);
  puts("all called");
  return 0;
}
