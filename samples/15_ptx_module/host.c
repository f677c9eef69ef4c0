/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a library that embeds a module of the kind of ptx.c, and runs its kernels: called, and then
 * captured in a CUDA graph that is launched several times. Exits with 77 where CUDA cannot be used.
 */
#include <tvm/ffi/c.h>

#include "driver.h"
#include "ptx.h"

enum { kSize = 4 };

/* A vector on device 0. */
typedef struct {
  uintptr_t data;
  int64_t size, step;
  DLTensor tensor;
} vector;

static int vector_init(vector *self, const cuda_driver *driver, const float *values) {
  self->size = kSize;
  TVM_FFI_C_TRY(
      cuda_driver_check(driver, driver->memory_allocate(&self->data, kSize * sizeof values[0])));
  tvm_ffi_tensor_init(&self->tensor, (void *)self->data, tvm_ffi_device_make(kDLCUDA, 0),
                      TVM_FFI_C_FLOAT32, 1, &self->size, &self->step);
  return cuda_driver_check(driver,
                           driver->memory_write(self->data, values, kSize * sizeof values[0]));
}

static int vector_print(const vector *self, const cuda_driver *driver, const char *label) {
  float values[kSize];
  int i;
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->memory_read(values, self->data, sizeof values)));
  printf("%s:", label);
  for (i = 0; i < kSize; ++i) printf(" %g", (double)values[i]);
  printf("\n");
  return 0;
}

/* Calls on a stream, as a framework does. */
static int call(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args,
                void *stream) {
  tvm_ffi_env env = tvm_ffi_env_make(tvm_ffi_device_make(kDLCUDA, 0));
  TVMFFIAny result;
  env.stream = stream;
  return tvm_ffi_env_call(&env, function, args, num_args, &result);
}

/* Work given to a stream between begin and end is recorded, and runs whenever the graph is
 * launched: with the same tensors, at the same addresses. Loading a kernel cannot be recorded; the
 * first call of the function has done it. */
static int replay(const cuda_driver *driver, TVMFFIObjectHandle scale, vector *x, void *stream) {
  void *graph = NULL, *executable = NULL;
  TVMFFIAny args[2];
  int i, code;
  args[0] = tvm_ffi_any_view_tensor(&x->tensor);
  args[1] = tvm_ffi_any_from_double(10);
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->stream_begin_capture(stream, 2 /* relaxed */)));
  code = call(scale, args, 2, stream);
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->stream_end_capture(stream, &graph)));
  TVM_FFI_C_TRY(code);
  TVM_FFI_C_TRY(vector_print(x, driver, "captured"));
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->graph_instantiate(&executable, graph, 0)));
  for (i = 0; i < 3; ++i) {
    TVM_FFI_C_TRY(cuda_driver_check(driver, driver->graph_launch(executable, stream)));
  }
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->stream_synchronize(stream)));
  (void)driver->graph_executable_destroy(executable);
  (void)driver->graph_destroy(graph);
  return vector_print(x, driver, "launched three times");
}

static int use(const cuda_driver *driver, TVMFFIObjectHandle module, void *stream) {
  static const float start[kSize] = {1, 2, 3, 4};
  vector x, y;
  TVMFFIAny args[6], query[3], result;
  TVMFFIObjectHandle scale;
  TVM_FFI_C_TRY(vector_init(&x, driver, start));
  TVM_FFI_C_TRY(vector_init(&y, driver, start));

  /* The library's own function, which calls the imported module. */
  TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "scale", &scale));
  args[0] = tvm_ffi_any_view_tensor(&x.tensor);
  args[1] = tvm_ffi_any_from_double(2.5);
  TVM_FFI_C_TRY(call(scale, args, 2, stream));
  TVM_FFI_C_TRY(vector_print(&x, driver, "scale"));

  /* A kernel of the imported module. */
  query[0] = tvm_ffi_any_view_object(module);
  query[1] = tvm_ffi_any_view_string("axpy_kernel");
  query[2] = tvm_ffi_any_from_bool(true); /* searches its imports too */
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunction", query, 3, &result));
  args[0] = tvm_ffi_any_view_tensor(&y.tensor);
  args[1] = tvm_ffi_any_view_tensor(&x.tensor);
  args[2] = tvm_ffi_any_from_int64(kSize);
  args[3] = tvm_ffi_any_from_double(-0.5);
  args[4] = tvm_ffi_any_from_int64(1);
  args[5] = tvm_ffi_any_from_int64(32);
  TVM_FFI_C_TRY(call(result.v_obj, args, 6, stream));
  TVM_FFI_C_TRY(vector_print(&y, driver, "axpy_kernel"));

  /* Errors of the function, and of CUDA. */
  if (call(result.v_obj, args, 1, stream) != 0) tvm_ffi_error_print_raised(stdout);
  args[2] = tvm_ffi_any_from_double(kSize);
  if (call(result.v_obj, args, 6, stream) != 0) tvm_ffi_error_print_raised(stdout);
  args[2] = tvm_ffi_any_from_int64(kSize);
  args[5] = tvm_ffi_any_from_int64(1 << 20);
  if (call(result.v_obj, args, 6, stream) != 0) tvm_ffi_error_print_raised(stdout);
  x.tensor.device.device_type = kDLCPU;
  if (call(result.v_obj, args, 6, stream) != 0) tvm_ffi_error_print_raised(stdout);
  x.tensor.device.device_type = kDLCUDA;

  TVM_FFI_C_TRY(replay(driver, scale, &x, stream));
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(scale);
  (void)driver->memory_free(x.data);
  (void)driver->memory_free(y.data);
  return 0;
}

static int run(const cuda_driver *driver, const char *path) {
  TVMFFIObjectHandle module;
  void *context, *stream;
  int code;
  TVM_FFI_C_TRY(ptx_register_loaders());
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->primary_context_retain(&context, 0)));
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->context_push(context)));
  TVM_FFI_C_TRY(cuda_driver_check(driver, driver->stream_create(&stream, 0)));
  code = use(driver, module, stream);
  tvm_ffi_object_release(module);
  (void)driver->stream_destroy(stream);
  (void)driver->context_pop(&context);
  (void)driver->primary_context_release(0);
  return code;
}

int main(int argc, char **argv) {
  const cuda_driver *driver;
  if (argc != 2) return 2;
  if (cuda_driver_get(&driver) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 77;
  }
  if (run(driver, argv[1]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
