/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the kernel of kernel.cc three times: without an allocator, rightly, and with a bad value.
 */
#include <tvm/ffi/c.h>

enum { kMaxSize = 8 };

/* One vector of float64 at a time is enough here. */
static struct {
  DLManagedTensorVersioned managed;
  int64_t size;
  double data[kMaxSize];
} vector;

static int allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                    void (*set_error)(void *error_ctx, const char *kind, const char *message)) {
  if (prototype->ndim != 1 || prototype->shape[0] > kMaxSize) {
    set_error(error_ctx, TVM_FFI_C_MEMORY_ERROR, "there is room for a vector of 8");
    return -1;
  }
  vector.size = prototype->shape[0];
  vector.managed.version.major = DLPACK_MAJOR_VERSION;
  vector.managed.version.minor = DLPACK_MINOR_VERSION;
  vector.managed.dl_tensor = *prototype;
  vector.managed.dl_tensor.data = vector.data;
  vector.managed.dl_tensor.shape = &vector.size;
  vector.managed.dl_tensor.strides = NULL;
  *out = &vector.managed;
  return 0;
}

TVM_FFI_C_FUNCTION(invert, "(y: Tensor, x: Tensor) -> None") {
  DLTensor *y, *x;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  for (i = 0; i < x->shape[0]; ++i) {
    const double value = ((const double *)x->data)[i];
    if (value == 0) return tvm_ffi_args_raise(args, 1, TVM_FFI_C_VALUE_ERROR, "must not have 0");
    ((double *)y->data)[i] = 1 / value;
  }
  return 0;
}

/* Prints the elements of the result, or the error that is the result. */
static int call(TVMFFIObjectHandle kernel, TVMFFIObjectHandle function, DLTensor *x) {
  TVMFFIAny args[2], result;
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_view_tensor(x);
  TVM_FFI_C_TRY(tvm_ffi_function_call(kernel, args, 2, &result));
  if (result.type_index == kTVMFFIError) {
    tvm_ffi_error_print(result.v_obj, stdout);
  } else {
    int64_t i;
    for (i = 0; i < vector.size; ++i) printf("%g ", vector.data[i]);
    printf("\n");
  }
  tvm_ffi_any_clear(&result);
  return 0;
}

static int run(const char *library) {
  double data[3] = {1, 2, 4};
  int64_t size = 3, strides[1];
  TVMFFIObjectHandle module = NULL, kernel = NULL, function = NULL;
  DLTensor x;
  int rc = -1;
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1, &size,
                      strides);
  if (tvm_ffi_module_load(library, &module) != 0) goto done;
  if (tvm_ffi_module_get_function(module, "apply", &kernel) != 0) goto done;
  if (TVMFFIFunctionCreate(NULL, invert, NULL, &function) != 0) goto done;
  if (call(kernel, function, &x) != 0) goto done;
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 0, NULL) != 0) goto done;
  if (call(kernel, function, &x) != 0) goto done;
  data[2] = 0;
  if (call(kernel, function, &x) != 0) goto done;
  rc = 0;
done:
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(kernel);
  tvm_ffi_object_release(module);
  return rc;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  if (run(argv[1]) == 0) return 0;
  tvm_ffi_error_print_raised(stderr);
  return 1;
}
