/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of isolated kernels cost, as a table of Markdown: isolated KERNEL HELPER.
 *
 * P50 and P99 of a call that does nothing, with all processors of the process, where both sides
 * spin if these are free, and on one of them, where they sleep;
 * the same with a tensor that is copied, and with one in shared memory, beside memcpy() of as many
 * bytes; and the start of a helper, with the loading of the library and the first call. Then the
 * calls and the start in a sandbox, as ratios to those without, measured by turns.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>

static const char *kernel_path;
static tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void check(int code) {
  if (code == 0) return;
  tvm_ffi_error_print_raised(stderr);
  exit(2);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints a row of a table: what, and the times of the calls of work, without the first tenth. */
static void print_row(const char *what, int count, void (*work)(void *), void *context) {
  double *times = malloc((size_t)count * sizeof *times);
  int i;
  if (times == NULL) exit(2);
  for (i = -count / 10; i < count; ++i) {
    const double begin = now();
    work(context);
    if (i >= 0) times[i] = now() - begin;
  }
  qsort(times, (size_t)count, sizeof *times, compare);
  printf("| %s | %.2f | %.2f |\n", what, times[count / 2] / 1000, times[count * 99 / 100] / 1000);
  free(times);
}

typedef struct {
  TVMFFIObjectHandle function;
  TVMFFIAny args[2];
  int32_t num_args;
} one_call;

static void make_call(void *context) {
  one_call *call = context;
  TVMFFIAny result = tvm_ffi_any_none();
  check(tvm_ffi_function_call(call->function, call->args, call->num_args, &result));
}

static TVMFFIObjectHandle load(bool in_sandbox) {
  TVMFFIObjectHandle module, function;
  options.sandbox = in_sandbox;
  check(tvm_ffi_isolated_load(kernel_path, &options, &module));
  check(tvm_ffi_module_get_function(module, "bench_noop", &function));
  tvm_ffi_object_release(module);
  return function;
}

/* In a sandbox or not, as the context says. */
static void start(void *context) {
  one_call call = {NULL, {{0}}, 0};
  call.function = load(*(const bool *)context);
  make_call(&call);
  tvm_ffi_object_release(call.function);
}

typedef struct {
  char *to;
  const char *from;
  size_t size;
} copying;

static void copy(void *context) {
  const copying *c = context;
  memcpy(c->to, c->from, c->size);
}

/* The rows of a tensor of so many bytes. */
static void print_tensor(one_call *call, int64_t size) {
  DLManagedTensorVersioned *shared;
  int64_t shape[1], strides[1];
  char what[96];
  const int count = size > 1 << 20 ? 30 : 3000;
  copying c;
  DLTensor tensor;
  shape[0] = size;
  c.size = (size_t)size;
  c.from = calloc(1, c.size);
  c.to = malloc(c.size);
  if (c.from == NULL || c.to == NULL) exit(2);
  tvm_ffi_tensor_init(&tensor, c.to, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_UINT8, 1, shape,
                      strides);
  call->num_args = 1;
  call->args[0] = tvm_ffi_any_view_tensor(&tensor);
  snprintf(what, sizeof what, "%lld bytes, copied there and back", (long long)size);
  print_row(what, count, make_call, call);
  if (tvm_ffi_isolated_allocate(&tensor, &shared, NULL, NULL) != 0) exit(2);
  call->args[0] = tvm_ffi_any_view_tensor(&shared->dl_tensor);
  snprintf(what, sizeof what, "%lld bytes in shared memory", (long long)size);
  print_row(what, count, make_call, call);
  shared->deleter(shared);
  snprintf(what, sizeof what, "%lld bytes, memcpy in the host", (long long)size);
  print_row(what, count, copy, &c);
  call->num_args = 0;
  free((void *)c.from);
  free(c.to);
}

/* ---- The sandbox ---- */

enum { kRounds = 200 };

/* Prints by how much the median of the second work is longer: of rounds by turns. */
static void print_ratio(const char *what, int count, void (*work)(void *), void *plain,
                        void *sandboxed) {
  double times[2][kRounds];
  int round, which, i;
  for (round = -kRounds / 10; round < kRounds; ++round) {
    for (which = 0; which < 2; ++which) {
      const double begin = now();
      for (i = 0; i < count; ++i) work(which == 0 ? plain : sandboxed);
      if (round >= 0) times[which][round] = (now() - begin) / count;
    }
  }
  for (which = 0; which < 2; ++which) qsort(times[which], kRounds, sizeof(double), compare);
  printf("| %s | %.2f | %.2f | %.2f |\n", what, times[0][kRounds / 2] / 1000,
         times[1][kRounds / 2] / 1000, times[1][kRounds / 2] / times[0][kRounds / 2]);
}

static void print_calls(const char *what) {
  one_call plain = {NULL, {{0}}, 0}, sandboxed = {NULL, {{0}}, 0};
  plain.function = load(false);
  sandboxed.function = load(true);
  print_ratio(what, 200, make_call, &plain, &sandboxed);
  tvm_ffi_object_release(plain.function);
  tvm_ffi_object_release(sandboxed.function);
}

int main(int argc, char **argv) {
  one_call call = {NULL, {{0}}, 0};
  bool without = false, with = true;
  cpu_set_t all, first;
  size_t processor = 0;
  if (argc != 3 || sched_getaffinity(0, sizeof all, &all) != 0) return 2;
  kernel_path = argv[1];
  options.helper = argv[2];
  while (!CPU_ISSET(processor, &all)) ++processor;
  CPU_ZERO(&first);
  CPU_SET(processor, &first);

  printf("| what | P50, us | P99, us |\n|---|---:|---:|\n");
  call.function = load(false);
  print_row("an empty call", 100000, make_call, &call);
  print_tensor(&call, 4096);
  print_tensor(&call, 1 << 20);
  print_tensor(&call, 64 << 20);
  tvm_ffi_object_release(call.function);
  print_row("start, load, a call, end", 200, start, &without);
  /* The helper inherits this. */
  if (sched_setaffinity(0, sizeof first, &first) != 0) return 2;
  call.function = load(false);
  print_row("an empty call, on one processor", 20000, make_call, &call);
  tvm_ffi_object_release(call.function);

  printf("\n| P50, us | without | in a sandbox | ratio |\n|---|---:|---:|---:|\n");
  print_calls("an empty call, on one processor");
  if (sched_setaffinity(0, sizeof all, &all) != 0) return 2;
  print_calls("an empty call");
  print_ratio("start, load, a call, end", 1, start, &without, &with);
  return 0;
}
