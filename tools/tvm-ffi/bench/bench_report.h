/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured, as a table or as JSON, and compared. */
#ifndef TVM_FFI_TOOL_BENCH_REPORT_H_
#define TVM_FFI_TOOL_BENCH_REPORT_H_

#include <tvm/ffi/c.h>

#include "bench/statistics.h"

/* A function that was measured. */
typedef struct {
  const char *name;
  TVMFFIObjectHandle function; /* borrowed */
  size_t batch;                /* calls in a sample */
  double *samples;             /* nanoseconds of a call */
  statistics result;
} bench_runner;

/* Up to two libraries, and behind them the function that does nothing. */
typedef struct {
  const char *function;
  bench_runner runners[3];
  size_t num_runners, num_samples;
} bench_results;

/* An older report of that function, for bench_report; false when reported. */
bool bench_read_old(const char *path, const char *function, TVMFFIAny *out);

/* Sorts the samples. `old` is None, or was read from `old_path`. */
void bench_report(bench_results *of, bool json, const TVMFFIAny *old, const char *old_path);

#endif /* TVM_FFI_TOOL_BENCH_REPORT_H_ */
