/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of repeated measurements, and how they and comparisons are printed: as a table or as
 * JSON. */
#ifndef TVM_FFI_TOOL_BENCH_H_
#define TVM_FFI_TOOL_BENCH_H_

#include <stddef.h>
#include <tvm/ffi/c.h>

/* ---- Statistics, free of assumptions about how times are distributed ---- */

/* If each of two medians lies within its bounds with this confidence, their ratio lies within its
 * bounds at 95 %. */
#define STATISTICS_CONFIDENCE 0.975
/* The fewest samples whose minimum and maximum enclose the median with that confidence. */
#define STATISTICS_FEWEST 7

typedef struct {
  size_t count;
  double minimum, median, p90, p95, p99, p999;
  double mad;       /* median absolute deviation */
  double low, high; /* bounds of the true median, with STATISTICS_CONFIDENCE */
} statistics;

/* Sorts the samples; there must be at least one. */
void statistics_compute(double *samples, size_t count, statistics *out);

/* The quantile `part`, 0 to 1, of sorted samples; interpolated linearly between two of them. */
double statistics_quantile(const double *sorted, size_t count, double part);

/* The ranks, from 0, of the two sorted samples that enclose the median with at least that
 * confidence; the lowest and highest of few samples. By the binomial distribution: each sample is
 * equally likely to be below or above the median. */
void statistics_median_ranks(size_t count, double confidence, size_t *low, size_t *high);

/* The time of the second divided by that of the first, and its bounds at 95 %. */
typedef struct {
  double ratio, low, high;
  size_t count; /* of samples on the side with fewer; below STATISTICS_FEWEST the bounds mean
                   nothing */
} statistics_ratio;

/* Compares samples taken alternately, so that whatever slows the machine slows both: the median of
 * the ratios of the pairs. */
void statistics_compare_pairs(const double *first, const double *second, size_t count,
                              statistics_ratio *out);
/* Compares the medians of measurements made at different times, which have to be further apart to
 * count as different. */
void statistics_compare(const statistics *first, const statistics *second, statistics_ratio *out);

/* ---- Reports, with histograms and drawings ---- */

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

#endif /* TVM_FFI_TOOL_BENCH_H_ */
