/* SPDX-License-Identifier: Apache-2.0 */
/* The same as load.cc in C: neither side knows in which language the other one is written. */
#include <tvm/ffi/c.h>

static int add_one(TVMFFIObjectHandle kernel, TVMFFIAny x, TVMFFIAny y) {
  TVMFFIAny args[2];
  args[0] = x;
  args[1] = y;
  return tvm_ffi_function_call_void(kernel, args, 2);
}

static int allocate(void *context, DLTensor *tensor, size_t size) {
  (void)context;
  tensor->data = malloc(size);
  return tensor->data != NULL ? 0 : tvm_ffi_error_raise_memory();
}

static void release(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
}

static int run(TVMFFIObjectHandle kernel) {
  const tvm_ffi_tensor_allocator cpu_alloc = {allocate, release, NULL};
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  float numbers[3] = {10, 20, 30}, *data;
  int64_t n = 5, shape[1] = {3}, strides[1], i;
  TVMFFIObjectHandle x, y;
  DLTensor view;

  /* Tensors that own their memory. */
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_with(&cpu_alloc, cpu, TVM_FFI_C_FLOAT32, 1, &n, &x));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_with(&cpu_alloc, cpu, TVM_FFI_C_FLOAT32, 1, &n, &y));
  data = (float *)tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(x));
  for (i = 0; i < n; ++i) data[i] = (float)i / 2;
  TVM_FFI_C_TRY(add_one(kernel, tvm_ffi_any_view_object(x), tvm_ffi_any_view_object(y)));
  data = (float *)tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(y));
  printf("tensors:");
  for (i = 0; i < n; ++i) printf(" %g", (double)data[i]);

  /* A view of existing memory. */
  tvm_ffi_tensor_init(&view, numbers, cpu, TVM_FFI_C_FLOAT32, 1, shape, strides);
  TVM_FFI_C_TRY(add_one(kernel, tvm_ffi_any_view_tensor(&view), tvm_ffi_any_view_tensor(&view)));
  printf("\nviews: %g %g %g\n", (double)numbers[0], (double)numbers[1], (double)numbers[2]);

  /* An error thrown by a kernel is taken out of the slot by the caller. */
  if (add_one(kernel, tvm_ffi_any_view_object(x), tvm_ffi_any_view_tensor(&view)) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  tvm_ffi_object_release(x);
  tvm_ffi_object_release(y);
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle kernel = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load_function(argv[1], "add_one", &kernel) != 0 || run(kernel) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_object_release(kernel);
  return 0;
}
