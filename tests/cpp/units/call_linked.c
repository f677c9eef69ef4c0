/* SPDX-License-Identifier: Apache-2.0 */
/* A program that contains kernels in C++, and calls them by their symbols. */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>

extern int __tvm_ffi_add_one_cpu(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
extern int __tvm_ffi_choose(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);

static int failed;

static void expect(bool holds, const char *label) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", label);
  failed = 1;
}

static void expect_error(int code, const char *kind, const char *message) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  expect(code == -1 && error != NULL, "a call fails");
  if (error == NULL) return;
  expect(strcmp(tvm_ffi_error_get_kind(error).data, kind) == 0, kind);
  expect(strcmp(tvm_ffi_error_get_message(error).data, message) == 0, message);
  tvm_ffi_object_release(error);
}

int main(void) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  float x_data[3] = {1, 2, 3}, y_data[3] = {0, 0, 0};
  int64_t three = 3, two = 2, step;
  DLTensor x, y;
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  tvm_ffi_tensor_init(&x, x_data, cpu, TVM_FFI_C_FLOAT32, 1, &three, &step);
  tvm_ffi_tensor_init(&y, y_data, cpu, TVM_FFI_C_FLOAT32, 1, &three, &step);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  expect(__tvm_ffi_add_one_cpu(NULL, args, 2, &result) == 0, "add_one_cpu is called");
  expect(y_data[0] == 2 && y_data[2] == 4, "it adds one");
  y.shape = &two;
  expect_error(__tvm_ffi_add_one_cpu(NULL, args, 2, &result), "ValueError",
               "Check failed: (y.size(0) == n) is false: y has 2 elements, not 3");
  expect_error(__tvm_ffi_add_one_cpu(NULL, args, 1, &result), "TypeError",
               "Mismatched number of arguments when calling: `add_one_cpu(0: DLTensor*, 1: "
               "DLTensor*) -> void`. Expected 2 but got 1 arguments");
  args[0] = tvm_ffi_any_view_string("one");
  expect(__tvm_ffi_choose(NULL, args, 1, &result) == 0 && result.v_int64 == 1, "choose chooses");
  args[0] = tvm_ffi_any_view_string("four");
  expect_error(__tvm_ffi_choose(NULL, args, 1, &result), "my_own_kind",
               "no choice is called four at float8x4");
  return failed;
}
