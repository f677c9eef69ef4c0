/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of samples, as lines of a terminal or as SVG. */
#ifndef TVM_FFI_TOOL_HISTOGRAM_H_
#define TVM_FFI_TOOL_HISTOGRAM_H_

#include <stdio.h>

#include "base/text.h"

/* The times of one function. */
typedef struct {
  const char *name;
  const double *samples; /* [borrow] nanoseconds per call, sorted; at least one */
  size_t count;
} histogram_series;

enum { kMaxSeries = 2, kMaxBins = 16 };

/* Bins of equal width, from the smallest sample to where the outliers of all series begin. */
typedef struct {
  const histogram_series *series; /* [borrow] */
  size_t num_series, num_bins;
  double first, width; /* where the bins begin, and the width of each; nanoseconds */
  size_t counts[kMaxSeries][kMaxBins];
  size_t above[kMaxSeries]; /* samples beyond the last bin */
} histogram;

/* Counts the samples of up to kMaxSeries series. */
void histogram_count(const histogram_series *series, size_t num_series, histogram *out);
/* Prints a line for each bin; with two series a line for each of both. */
void histogram_print(const histogram *counted, FILE *stream);
/* Adds an SVG file with the title, in light or dark colours as the viewer prefers. */
void histogram_add_svg(const histogram *counted, const char *title, text *out);

/* "12.3 ns"; returns the buffer. */
const char *histogram_write_time(double ns, char *buffer, size_t capacity);

#endif /* TVM_FFI_TOOL_HISTOGRAM_H_ */
