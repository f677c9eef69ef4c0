/* SPDX-License-Identifier: Apache-2.0 */
/* Prints measurements and comparisons as a table or as JSON. */
#ifndef TVM_FFI_TOOL_BENCH_REPORT_H_
#define TVM_FFI_TOOL_BENCH_REPORT_H_

#include <tvm/ffi/c.h>

#include "bench/statistics.h"

/* A function that was measured. */
typedef struct {
  const char *name;
  TVMFFIObjectHandle function; /* borrowed */
  size_t batch;                /* calls per sample */
  double *samples;             /* nanoseconds per call */
  statistics result;
} bench_runner;

/* One or two libraries, followed by the function that does nothing. */
typedef struct {
  const char *function;
  bench_runner runners[3];
  size_t num_runners, num_samples;
  double bytes; /* of the tensors among the arguments; 0: there are none */
} bench_results;

typedef struct {
  bool json, full, histogram;
  const char *svg_path; /* NULL: none */
} bench_style;

/* Reads an older JSON report of that function, for bench_report; false after a report. */
bool bench_read_old(const char *path, const char *function, TVMFFIAny *out);

/* Sorts the samples. `old` is None, or was read from `old_path`. False after a report: the SVG file
 * could not be written. */
bool bench_report(bench_results *b, const bench_style *style, const TVMFFIAny *old,
                  const char *old_path);

#endif /* TVM_FFI_TOOL_BENCH_REPORT_H_ */
