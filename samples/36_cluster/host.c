/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -np N ./host ./kernel.so: each rank calls the kernel on its part, and MPI adds the
 * results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvm/ffi/c.h>

enum { TOTAL = 1000000, NUM_BINS = 5 };

/* Element i of the data, which no rank has whole. */
static float get_element(int64_t i) {
  return (float)((i * 7919) % TOTAL) / (float)TOTAL;
}

static int count_part(TVMFFIObjectHandle histogram, int64_t begin, int64_t end, DLTensor *counts,
                      double high) {
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  const int64_t n = end - begin;
  float *data = (float *)malloc((size_t)n * sizeof *data);
  tvm_ffi_vector x;
  TVMFFIAny args[4];
  int64_t i;
  int code;
  if (data == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < n; ++i) data[i] = get_element(begin + i);
  args[0] = tvm_ffi_any_view_tensor(counts);
  args[1] = tvm_ffi_vector_init(&x, data, cpu, TVM_FFI_C_FLOAT32, n);
  args[2] = tvm_ffi_any_from_double(0);
  args[3] = tvm_ffi_any_from_double(high);
  code = tvm_ffi_function_call_void(histogram, args, 4);
  free(data);
  return code;
}

/* How many ranks failed. All of them learn of it, so that none waits in the next operation for one
 * that failed; that one prints its error. */
static int agree(int code, int rank) {
  int failed = code != 0, num_failed = 0;
  MPI_Allreduce(&failed, &num_failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (failed) {
    fprintf(stderr, "rank %d: ", rank);
    tvm_ffi_error_print_raised(stderr);
  }
  return num_failed;
}

static int run(const char *path, int rank, int size) {
  double bins[NUM_BINS];
  const int64_t first = (int64_t)TOTAL * rank / size, last = (int64_t)TOTAL * (rank + 1) / size;
  TVMFFIObjectHandle histogram = NULL;
  tvm_ffi_vector counts;
  int i, code = 1;
  tvm_ffi_vector_init(&counts, bins, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, NUM_BINS);
  if (agree(tvm_ffi_module_load_function(path, "histogram", &histogram), rank)) goto done;
  if (agree(count_part(histogram, first, last, &counts.tensor, 1), rank)) goto done;
  MPI_Allreduce(MPI_IN_PLACE, counts.tensor.data, NUM_BINS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; rank == 0 && i < NUM_BINS; ++i) printf("bin %d: %.0f\n", i, bins[i]);

  /* One rank fails, and all know. */
  i = agree(count_part(histogram, first, last, &counts.tensor, rank == size - 1 ? -1 : 1), rank);
  if (rank == 0) printf("ranks that failed: %d\n", i);
  code = 0;
done:
  tvm_ffi_object_release(histogram);
  return code;
}

int main(int argc, char **argv) {
  int rank, size, code;
  if (argc != 2) {
    fprintf(stderr, "usage: mpirun %s KERNEL-LIBRARY\n", argv[0]);
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  code = run(argv[1], rank, size);
  MPI_Finalize();
  return code;
}
