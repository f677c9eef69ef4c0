/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tvm/ffi/c/cuda.h with CUDA's own runtime library, on a GPU; exits with 77 if there is none. The
 * argument is samples/15_ptx_module/kernels.ptx.
 */
#include <tvm/ffi/c/cuda.h>

enum { kSize = 1000 };

static char image[65536];

static int read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t size = file != NULL ? fread(image, 1, sizeof image - 1, file) : 0;
  if (file != NULL) (void)fclose(file);
  TVM_FFI_C_CHECK(size != 0, TVM_FFI_C_RUNTIME_ERROR, "cannot read %s", path);
  return 0;
}

static int count_devices(int *out) {
  TVM_FFI_C_CUDA_TRY(cudaGetDeviceCount(out));
  return 0;
}

/* The raised error has to begin with the text; CUDA decides the rest of the message. */
static int expect(int code, const char *text) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  char got[512];
  (void)tvm_ffi_error_format(error, got, sizeof got);
  if (error != NULL) tvm_ffi_object_release(error);
  TVM_FFI_C_CHECK(code == -1 && strncmp(got, text, strlen(text)) == 0, TVM_FFI_C_RUNTIME_ERROR,
                  "expected `%s...` but got %d and `%s`", text, code, got);
  return 0;
}

static int scale_twice(tvm_ffi_cuda_kernel kernel, float *data) {
  const tvm_ffi_cuda_dim grid = tvm_ffi_cuda_dim_make((kSize + 255) / 256, 1, 1);
  const tvm_ffi_cuda_dim block = tvm_ffi_cuda_dim_make(256, 1, 1);
  tvm_ffi_cuda_launch_config config;
  tvm_ffi_cuda_launch_attribute attribute;
  int64_t size = kSize;
  float factor = 2;
  void *args[3];
  args[0] = &data, args[1] = &size, args[2] = &factor;
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_launch(kernel, args, grid, block, 49152, NULL));
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(kernel, -1));
  tvm_ffi_cuda_launch_config_init(&config, &attribute, grid, block, 49153, 1, NULL);
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config));
  return expect(
      tvm_ffi_cuda_kernel_launch(kernel, args, grid, tvm_ffi_cuda_dim_make(0, 1, 1), 0, NULL),
      "RuntimeError: CUDA Error: cudaError");
}

static int run(tvm_ffi_cuda_library library) {
  static float values[kSize];
  tvm_ffi_cuda_kernel kernel, other;
  void *data = NULL;
  int i;
  for (i = 0; i < kSize; ++i) values[i] = (float)i;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_get_kernel(library, "scale_kernel", &kernel));
  TVM_FFI_C_TRY(expect(tvm_ffi_cuda_library_get_kernel(library, "no_kernel", &other),
                       "RuntimeError: CUDA Error: cudaError"));
  TVM_FFI_C_CUDA_TRY(cudaMalloc(&data, sizeof values));
  TVM_FFI_C_CUDA_TRY(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice));
  TVM_FFI_C_TRY(scale_twice(kernel, (float *)data));
  TVM_FFI_C_CUDA_TRY(cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost));
  TVM_FFI_C_CUDA_TRY(cudaFree(data));
  for (i = 0; i < kSize; ++i) {
    TVM_FFI_C_CHECK(values[i] == (float)(4 * i), TVM_FFI_C_RUNTIME_ERROR, "element %d is %g", i,
                    (double)values[i]);
  }
  return 0;
}

static int run_on(int device_id, int num_devices, const char *path) {
  tvm_ffi_cuda_guard guard;
  tvm_ffi_cuda_library library;
  int code;
  TVM_FFI_C_TRY(read_image(path));
  TVM_FFI_C_TRY(expect(tvm_ffi_cuda_guard_begin(&guard, num_devices),
                       "RuntimeError: CUDA Runtime Error: cudaError"));
  TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, device_id));
  code = tvm_ffi_cuda_library_load(image, &library);
  if (code == 0) {
    code = run(library);
    tvm_ffi_cuda_library_unload(library);
  }
  return tvm_ffi_cuda_guard_end(&guard, code);
}

int main(int argc, char **argv) {
  int num_devices = 0;
  if (argc != 2) return 2;
  if (count_devices(&num_devices) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 77;
  }
  if (run_on(num_devices - 1, num_devices, argv[1]) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
