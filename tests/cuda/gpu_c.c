/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tvm/ffi/c/cuda.h with CUDA's own runtime library, on a GPU; exits with 77 if there is none. The
 * argument is samples/15_ptx_module/kernels.ptx; with a second one, an image of
 * gpu_launch_kernels.cu for a GPU that has clusters, there are a line and a launch for several
 * kinds of memory, and clusters.
 */
#include <tvm/ffi/c/cuda.h>

enum { kSize = 1000 };

static char image[262144];

static int read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t size = file != NULL ? fread(image, 1, sizeof image - 1, file) : 0;
  if (file != NULL) (void)fclose(file);
  image[size] = '\0';
  TVM_FFI_C_CHECK(size != 0, TVM_FFI_C_RUNTIME_ERROR, "cannot read %s", path);
  return 0;
}

static int count_devices(int *out) {
  TVM_FFI_C_CUDA_TRY(cudaGetDeviceCount(out));
  return 0;
}

/* The raised error has to begin with the text; CUDA decides the rest of the message. */
static int expect(int code, const char *text) {
  char got[512];
  (void)tvm_ffi_error_format_raised(got, sizeof got);
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

/* Launches with kSize numbers in memory that the current device may use. */
static int run_in(tvm_ffi_cuda_kernel kernel, void *data) {
  static float values[kSize];
  int i;
  for (i = 0; i < kSize; ++i) values[i] = (float)i;
  TVM_FFI_C_CUDA_TRY(cudaMemcpy(data, values, sizeof values, cudaMemcpyDefault));
  TVM_FFI_C_TRY(scale_twice(kernel, (float *)data));
  TVM_FFI_C_CUDA_TRY(cudaDeviceSynchronize());
  TVM_FFI_C_CUDA_TRY(cudaMemcpy(values, data, sizeof values, cudaMemcpyDefault));
  for (i = 0; i < kSize; ++i) {
    TVM_FFI_C_CHECK(values[i] == (float)(4 * i), TVM_FFI_C_RUNTIME_ERROR, "element %d is %g", i,
                    (double)values[i]);
  }
  return 0;
}

static int run(tvm_ffi_cuda_library library) {
  tvm_ffi_cuda_kernel kernel, other;
  void *data = NULL;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_get_kernel(library, "scale_kernel", &kernel));
  TVM_FFI_C_TRY(expect(tvm_ffi_cuda_library_get_kernel(library, "no_kernel", &other),
                       "RuntimeError: CUDA Error: cudaError"));
  TVM_FFI_C_CUDA_TRY(cudaMalloc(&data, kSize * sizeof(float)));
  TVM_FFI_C_TRY(run_in(kernel, data));
  TVM_FFI_C_CUDA_TRY(cudaFree(data));
  return 0;
}

/* Memory with which launches are right as well, whatever CUDA says of its device. */
static int run_kinds_of_memory(tvm_ffi_cuda_library library) {
  const size_t size = kSize * sizeof(float);
  tvm_ffi_cuda_kernel kernel;
  void *data = NULL;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_get_kernel(library, "scale_kernel", &kernel));
  TVM_FFI_C_CUDA_TRY(cudaMallocHost(&data, size));
  TVM_FFI_C_TRY(run_in(kernel, data));
  TVM_FFI_C_CUDA_TRY(cudaFreeHost(data));
  printf("ok page-locked memory\n");
  TVM_FFI_C_CUDA_TRY(cudaMallocManaged(&data, size, cudaMemAttachGlobal));
  TVM_FFI_C_TRY(run_in(kernel, data));
  TVM_FFI_C_CUDA_TRY(cudaFree(data));
  printf("ok managed memory\n");
  TVM_FFI_C_CUDA_TRY(cudaMallocAsync(&data, size, NULL));
  TVM_FFI_C_CUDA_TRY(cudaStreamSynchronize(NULL));
  TVM_FFI_C_TRY(run_in(kernel, data));
  TVM_FFI_C_CUDA_TRY(cudaFreeAsync(data, NULL));
  printf("ok memory of cudaMallocAsync\n");
  return 0;
}

/* Each block of a cluster is told the number of the next one by that one. */
static int launch_cluster(tvm_ffi_cuda_kernel kernel, int *data, unsigned cluster) {
  enum { kNumBlocks = 8 };
  tvm_ffi_cuda_launch_config config;
  tvm_ffi_cuda_launch_attribute attribute;
  void *args[1];
  int got[kNumBlocks], i, wanted;
  args[0] = &data;
  tvm_ffi_cuda_launch_config_init(&config, &attribute, tvm_ffi_cuda_dim_make(kNumBlocks, 1, 1),
                                  tvm_ffi_cuda_dim_make(64, 1, 1), 0, cluster, NULL);
  TVM_FFI_C_TRY(tvm_ffi_cuda_kernel_launch_ex(kernel, args, &config));
  TVM_FFI_C_CUDA_TRY(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
  for (i = 0; i < kNumBlocks; ++i) {
    wanted = (int)(100 * cluster + ((unsigned)i % cluster + 1) % cluster);
    TVM_FFI_C_CHECK(got[i] == wanted, TVM_FFI_C_RUNTIME_ERROR,
                    "clusters of %u: block %d has %d, not %d", cluster, i, got[i], wanted);
  }
  return 0;
}

static int run_clusters(tvm_ffi_cuda_library library) {
  tvm_ffi_cuda_kernel kernel;
  void *data = NULL;
  unsigned cluster;
  int code = 0;
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_get_kernel(library, "ask_cluster", &kernel));
  TVM_FFI_C_CUDA_TRY(cudaMalloc(&data, 256));
  for (cluster = 1; cluster <= 8 && code == 0; cluster *= 2) {
    code = launch_cluster(kernel, (int *)data, cluster);
  }
  TVM_FFI_C_CUDA_TRY(cudaFree(data));
  return code;
}

static int run_image(const char *path, int (*run_library)(tvm_ffi_cuda_library)) {
  tvm_ffi_cuda_library library;
  int code;
  TVM_FFI_C_TRY(read_image(path));
  TVM_FFI_C_TRY(tvm_ffi_cuda_library_load(image, &library));
  code = run_library(library);
  tvm_ffi_cuda_library_unload(library);
  return code;
}

static int run_all(char **paths) {
  TVM_FFI_C_TRY(run_image(paths[0], run));
  if (paths[1] == NULL) return 0;
  TVM_FFI_C_TRY(run_image(paths[0], run_kinds_of_memory));
  TVM_FFI_C_TRY(run_image(paths[1], run_clusters));
  printf("ok clusters\n");
  return 0;
}

static int run_on(int device_id, int num_devices, char **paths) {
  tvm_ffi_cuda_guard guard;
  TVM_FFI_C_TRY(expect(tvm_ffi_cuda_guard_begin(&guard, num_devices),
                       "RuntimeError: CUDA Runtime Error: cudaError"));
  TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, device_id));
  return tvm_ffi_cuda_guard_end(&guard, run_all(paths));
}

int main(int argc, char **argv) {
  int num_devices = 0;
  if (argc < 2) return 2;
  if (count_devices(&num_devices) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 77;
  }
  if (run_on(num_devices - 1, num_devices, argv + 1) != 0) {
    tvm_ffi_error_print_raised(stdout);
    return 1;
  }
  return 0;
}
