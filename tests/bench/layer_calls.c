/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times calls of the same kernels compiled with two sets of C++ headers, alternately, both on one
 * runtime:
 *   layer_calls OURS.so THEIRS.so
 * Prints a line of tab-separated fields per kernel: its name, and nanoseconds of ours and of
 * theirs, the least of many rounds. tools/header_cost --calls runs it.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c_api.h>

enum { kLibraries = 2, kRounds = 400 };

typedef struct {
  const char *name;
  const char *symbol;
  int32_t num_args;
  int calls; /* per round */
  int expected;
} job;

static const job kJobs[] = {
    {"typed call, three integers", "__tvm_ffi_add_three", 3, 20000, 0},
    {"typed call, integer, float, bool", "__tvm_ffi_mix_three", 3, 20000, 0},
    {"wrong argument", "__tvm_ffi_add_three", 3, 400, -1},
    {"error in the kernel", "__tvm_ffi_fail", 1, 200, -1},
};

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(TVMFFIAny *args, const job *work) {
  memset(args, 0, 3 * sizeof *args);
  args[0].type_index = args[1].type_index = args[2].type_index = kTVMFFIInt;
  args[0].v_int64 = args[2].v_int64 = 1;
  if (strcmp(work->symbol, "__tvm_ffi_mix_three") == 0) {
    args[1].type_index = kTVMFFIFloat;
    args[1].v_float64 = 2.5;
    args[2].type_index = kTVMFFIBool;
  }
  if (strcmp(work->name, "wrong argument") == 0) args[1].type_index = kTVMFFINone;
}

/* Nanoseconds per call; -1 if a call gives the wrong return code. */
static double time_calls(TVMFFISafeCallType call, const job *work, TVMFFIAny *args) {
  double start = now();
  int i;
  for (i = 0; i < work->calls; ++i) {
    TVMFFIAny result;
    memset(&result, 0, sizeof result);
    if (call(NULL, args, work->num_args, &result) != work->expected) return -1;
    if (work->expected != 0) {
      TVMFFIObjectHandle error = NULL;
      TVMFFIErrorMoveFromRaised(&error);
      if (error == NULL) return -1;
      TVMFFIObjectDecRef(error);
    }
  }
  return (now() - start) / work->calls;
}

static int run(void *const *libraries, const job *work) {
  double least[kLibraries] = {1e18, 1e18};
  TVMFFIAny args[3];
  int round, i;
  fill(args, work);
  for (round = 0; round < kRounds; ++round) {
    for (i = 0; i < kLibraries; ++i) {
      union {
        void *address;
        TVMFFISafeCallType function;
      } symbol;
      double taken;
      symbol.address = dlsym(libraries[i], work->symbol);
      taken = symbol.address != NULL ? time_calls(symbol.function, work, args) : -1;
      if (taken < 0) {
        fprintf(stderr, "%s: library %d does not do what it should\n", work->name, i);
        return -1;
      }
      if (taken < least[i]) least[i] = taken;
    }
  }
  printf("%s\t%.3f\t%.3f\n", work->name, least[0], least[1]);
  return 0;
}

int main(int argc, char **argv) {
  void *libraries[kLibraries];
  size_t i;
  if (argc != 1 + kLibraries) {
    fprintf(stderr, "usage: layer_calls OURS.so THEIRS.so\n");
    return 2;
  }
  for (i = 0; i < kLibraries; ++i) {
    libraries[i] = dlopen(argv[i + 1], RTLD_NOW | RTLD_LOCAL);
    if (libraries[i] == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  for (i = 0; i < sizeof kJobs / sizeof *kJobs; ++i) {
    if (run(libraries, &kJobs[i]) != 0) return 1;
  }
  return 0;
}
