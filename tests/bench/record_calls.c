/* SPDX-License-Identifier: Apache-2.0 */
/* What record.py measures: record_calls KERNEL CALLS BYTES [moving] calls a kernel that does
 * nothing so often, with two tensors of so many bytes each, and prints the nanoseconds of a call,
 * and those of them that a processor was busy with it. Each call has other bytes; with `moving`,
 * each has the second tensor in another place. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c.h>

static double read_clock(clockid_t clock) {
  struct timespec time;
  (void)clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  TVMFFIObjectHandle kernel;
  TVMFFIAny args[2], result;
  int64_t calls, size, stride, i, step;
  DLTensor x, y;
  double begin, busy;
  char *data;
  if (argc != 4 && argc != 5) return 2;
  calls = atoll(argv[2]);
  size = atoll(argv[3]);
  step = argc == 5 ? size : 0;
  data = calloc(1, (size_t)(2 * size + calls * step));
  if (data == NULL || tvm_ffi_module_load_function(argv[1], "bench_noop", &kernel) != 0) return 2;
  memset(data + size, 1, (size_t)size);
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_UINT8, 1, &size, &stride);
  y = x;
  y.data = data + size;
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  begin = read_clock(CLOCK_MONOTONIC);
  busy = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (i = 0; i < calls; ++i) {
    result = tvm_ffi_any_none();
    data[0] = (char)i;
    data[1] = (char)(i >> 8);
    y.data = data + size + i * step;
    if (tvm_ffi_function_call(kernel, args, 2, &result) != 0) return 2;
  }
  busy = read_clock(CLOCK_PROCESS_CPUTIME_ID) - busy;
  printf("%.1f %.1f\n", (read_clock(CLOCK_MONOTONIC) - begin) / (double)calls,
         busy / (double)calls);
  tvm_ffi_object_release(kernel);
  free(data);
  return 0;
}
