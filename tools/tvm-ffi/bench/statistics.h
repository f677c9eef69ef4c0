/* SPDX-License-Identifier: Apache-2.0 */
/* What many measurements of the same thing come to. Nothing here assumes how they are distributed.
 */
#ifndef TVM_FFI_TOOL_STATISTICS_H_
#define TVM_FFI_TOOL_STATISTICS_H_

#include <stddef.h>

/* Two medians that are within their bounds each have a ratio within its bounds at 95 %. */
#define STATISTICS_CONFIDENCE 0.975
/* With that confidence the median lies between the least and the most of so many samples. */
#define STATISTICS_FEWEST 7

typedef struct {
  size_t count;
  double minimum, median, p90, p95, p99, p999;
  double mad;       /* the median distance from the median */
  double low, high; /* between which the true median is, with STATISTICS_CONFIDENCE */
} statistics;

/* Sorts the samples, of which there is one at least. */
void statistics_compute(double *samples, size_t count, statistics *out);

/* The value below which that part, 0 to 1, of sorted samples is; between two of them in proportion.
 */
double statistics_quantile(const double *sorted, size_t count, double part);

/* The ranks, from 0 on, of the sorted samples between which the median lies with that confidence or
 * more; of few samples all. By the binomial distribution: each is as likely below as above. */
void statistics_median_ranks(size_t count, double confidence, size_t *low, size_t *high);

/* How many times the second takes of the first's time, and the bounds of that at 95 %. */
typedef struct {
  double ratio, low, high;
  size_t
      count; /* of samples, on the side that has fewer; below STATISTICS_FEWEST nothing is known */
} statistics_ratio;

/* Of samples that were taken in turn, so that what slows the machine slows both: the median of the
 * pairs' ratios. */
void statistics_compare_pairs(const double *first, const double *second, size_t count,
                              statistics_ratio *out);
/* Of measurements at different times: of the medians, which have to be further apart. */
void statistics_compare(const statistics *first, const statistics *second, statistics_ratio *out);

#endif /* TVM_FFI_TOOL_STATISTICS_H_ */
