/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "bench/bench.h"

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double statistics_quantile(const double *sorted, size_t count, double part) {
  double place = part * (double)(count - 1);
  size_t lower = (size_t)place;
  if (lower + 1 >= count) return sorted[count - 1];
  return sorted[lower] + (place - (double)lower) * (sorted[lower + 1] - sorted[lower]);
}

void statistics_median_ranks(size_t count, double confidence, size_t *low, size_t *high) {
  double n = (double)count, tail = (1 - confidence) / 2, sum = 0;
  size_t rank = 0;
  /* The probability that `rank` or fewer samples are below the median must stay below tail. */
  for (; rank < count / 2; ++rank) {
    double k = (double)rank;
    sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
    if (sum > tail) break;
  }
  *low = rank > 0 ? rank - 1 : 0;
  *high = count - 1 - *low;
}

void statistics_compute(double *samples, size_t count, statistics *out) {
  double *distances = tool_alloc(count * sizeof *distances);
  size_t i, low, high;
  qsort(samples, count, sizeof *samples, compare);
  out->count = count;
  out->minimum = samples[0];
  out->median = statistics_quantile(samples, count, 0.5);
  out->p90 = statistics_quantile(samples, count, 0.9);
  out->p95 = statistics_quantile(samples, count, 0.95);
  out->p99 = statistics_quantile(samples, count, 0.99);
  out->p999 = statistics_quantile(samples, count, 0.999);
  statistics_median_ranks(count, STATISTICS_CONFIDENCE, &low, &high);
  out->low = samples[low];
  out->high = samples[high];
  for (i = 0; i < count; ++i) distances[i] = fabs(samples[i] - out->median);
  qsort(distances, count, sizeof *distances, compare);
  out->mad = statistics_quantile(distances, count, 0.5);
  free(distances);
}

void statistics_compare_pairs(const double *first, const double *second, size_t count,
                              statistics_ratio *out) {
  double *ratios = tool_alloc(count * sizeof *ratios);
  size_t i, low, high;
  for (i = 0; i < count; ++i) ratios[i] = second[i] / first[i];
  qsort(ratios, count, sizeof *ratios, compare);
  statistics_median_ranks(count, 0.95, &low, &high);
  out->ratio = statistics_quantile(ratios, count, 0.5);
  out->low = ratios[low];
  out->high = ratios[high];
  out->count = count;
  free(ratios);
}

void statistics_compare(const statistics *first, const statistics *second, statistics_ratio *out) {
  out->ratio = second->median / first->median;
  out->low = second->low / first->high;
  out->high = second->high / first->low;
  out->count = first->count < second->count ? first->count : second->count;
}
