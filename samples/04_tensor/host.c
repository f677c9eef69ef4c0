/* SPDX-License-Identifier: Apache-2.0 */
/* Gets tensors from kernels and passes tensors to them; exports and imports DLPack. */
#include <tvm/ffi/c.h>

/* Prints any tensor of up to two dimensions, however strided. */
static void print(const char *label, TVMFFIObjectHandle object) {
  const DLTensor *t = TVMFFITensorGetDLTensorPtr(object);
  const int64_t rows = t->ndim == 2 ? t->shape[0] : 1;
  const int64_t columns = t->ndim > 0 ? t->shape[t->ndim - 1] : 1;
  int64_t row, column, row_stride = 0, column_stride = 0;
  char dtype[32], shape[32];
  size_t size = 0;
  if ((t->ndim == 2 && tvm_ffi_tensor_read_stride(t, 0, &row_stride) != 0) ||
      (t->ndim > 0 && tvm_ffi_tensor_read_stride(t, -1, &column_stride) != 0) ||
      tvm_ffi_tensor_compute_size(t, &size) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return;
  }
  printf("%s: %s %s, %d bytes, %s:", label, tvm_ffi_dtype_print(t->dtype, dtype, sizeof dtype),
         tvm_ffi_shape_print(t->shape, t->ndim, shape, sizeof shape), (int)size,
         tvm_ffi_tensor_is_contiguous(t) ? "contiguous" : "strided");
  for (row = 0; row < rows; ++row) {
    for (column = 0; column < columns; ++column) {
      const int64_t i = row * row_stride + column * column_stride;
      const void *data = tvm_ffi_tensor_get_data(t);
      printf(" %g",
             t->dtype.bits == 64 ? ((const double *)data)[i] : (double)((const float *)data)[i]);
    }
    printf("%s", row + 1 < rows ? " |" : "\n");
  }
}

static void freed(void *context, DLTensor *tensor) {
  (void)tensor;
  printf("%s: freed\n", (const char *)context);
}

/* A producer of DLPack tensors that does not use this library. */
static float produced[4] = {1, 10, 100, 1000};
static int64_t produced_shape[1] = {4};
static DLManagedTensorVersioned producer;
static void delete_produced(DLManagedTensorVersioned *self) {
  (void)self;
  printf("DLPack in: deleted\n");
}

/* Passes a transposed tensor, as it is, to a kernel that takes any strides. */
static int scale(TVMFFIObjectHandle module, TVMFFIObjectHandle x) {
  TVMFFIObjectHandle kernel, y;
  TVMFFIAny args[3], result;
  float mine[6];
  int64_t shape[2] = {3, 2}, strides[2];
  DLTensor memory;
  int code;
  tvm_ffi_tensor_init(&memory, mine, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 2, shape,
                      strides);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&memory, NULL, NULL, &y));
  code = tvm_ffi_module_get_function(module, "scale", &kernel);
  if (code == 0) {
    args[0] = tvm_ffi_any_view_object(x);
    args[1] = tvm_ffi_any_view_object(y);
    args[2] = tvm_ffi_any_from_double(10);
    code = tvm_ffi_function_call(kernel, args, 3, &result);
    tvm_ffi_object_release(kernel);
  }
  if (code == 0) print("scaled", y);
  tvm_ffi_object_release(y);
  return code;
}

static int run(TVMFFIObjectHandle module) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  TVMFFIObjectHandle iota, transpose, constants, tensor, view;
  tvm_ffi_env env = tvm_ffi_env_make(cpu);
  DLManagedTensorVersioned *exported;
  TVMFFIAny arg, result;
  float mine[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  int64_t shape[2] = {2, 3}, strides[2];
  DLTensor memory;

  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "iota", &iota));
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "transpose", &transpose));
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "constants", &constants));

  /* A kernel that allocates needs an allocator in its environment. */
  TVM_FFI_C_TRY(tvm_ffi_shape_create(shape, 2, &view));
  arg = tvm_ffi_any_view_object(view);
  if (tvm_ffi_function_call(iota, &arg, 1, &result) != 0) {
    TVMFFIObjectHandle error = tvm_ffi_error_take();
    printf("without an allocator: %s\n", tvm_ffi_error_get_kind(error).data);
    tvm_ffi_object_release(error);
  }
  env.allocator = tvm_ffi_env_allocate_cpu;
  TVM_FFI_C_TRY(tvm_ffi_env_call(&env, iota, &arg, 1, &result));
  tvm_ffi_object_release(view);
  tensor = result.v_obj;
  print("iota", tensor);

  /* The view outlives our reference to its source. */
  TVM_FFI_C_TRY(tvm_ffi_function_call(transpose, &result, 1, &result));
  tvm_ffi_object_release(tensor);
  print("transposed", result.v_obj);
  TVM_FFI_C_TRY(scale(module, result.v_obj));

  /* Out: a DLPack struct that any framework accepts; its deleter releases it. */
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(result.v_obj, &exported));
  tvm_ffi_any_clear(&result);
  printf("DLPack out: strides [%d, %d]\n", (int)exported->dl_tensor.strides[0],
         (int)exported->dl_tensor.strides[1]);
  exported->deleter(exported);

  /* In: ours once it has been imported. */
  producer.version.major = DLPACK_MAJOR_VERSION;
  producer.version.minor = DLPACK_MINOR_VERSION;
  producer.deleter = delete_produced;
  tvm_ffi_tensor_init(&producer.dl_tensor, produced, cpu, TVM_FFI_C_FLOAT32, 1, produced_shape,
                      strides);
  TVM_FFI_C_TRY(TVMFFITensorFromDLPackVersioned(&producer, 0, 1, &tensor));
  print("DLPack in", tensor);
  tvm_ffi_object_release(tensor);

  /* Memory of this function; a view of every other column of an array. */
  shape[0] = 2, shape[1] = 4;
  tvm_ffi_tensor_init(&memory, mine, cpu, TVM_FFI_C_FLOAT32, 2, shape, strides);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&memory, freed, (void *)"mine", &tensor));
  shape[1] = 2, strides[1] = 2;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_view(tensor, 2, shape, strides, 1, &view));
  print("odd columns", view);
  strides[1] = 3;
  if (tvm_ffi_tensor_create_view(tensor, 2, shape, strides, 1, &view) != 0) {
    tvm_ffi_error_print_raised(stdout);
  }
  tvm_ffi_object_release(view);
  tvm_ffi_object_release(tensor);

  /* Only a Tensor can be viewed: a DLTensor pointer is refused. */
  arg = tvm_ffi_any_view_tensor(&memory);
  if (tvm_ffi_function_call(transpose, &arg, 1, &result) != 0) tvm_ffi_error_print_raised(stdout);

  TVM_FFI_C_TRY(tvm_ffi_function_call(constants, NULL, 0, &result));
  print("constants", result.v_obj);
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(iota);
  tvm_ffi_object_release(transpose);
  tvm_ffi_object_release(constants);
  return 0;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle module = NULL;
  if (argc != 2) return 2;
  if (tvm_ffi_module_load(argv[1], &module) != 0 || run(module) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  tvm_ffi_object_release(module);
  return 0;
}
