/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "bench/bench.h"

static void check_ranks(size_t count, double confidence, size_t low, size_t high) {
  size_t got_low, got_high;
  statistics_median_ranks(count, confidence, &got_low, &got_high);
  assert_int_equal(got_low, low);
  assert_int_equal(got_high, high);
}

/* The expected ranks are from tables of the sign test, which count from 1. */
TEST(test_ranks) {
  check_ranks(1, 0.95, 0, 0);
  check_ranks(5, 0.95, 0, 4);
  check_ranks(6, 0.95, 0, 5);
  check_ranks(8, 0.95, 0, 7);
  check_ranks(9, 0.95, 1, 7);
  check_ranks(12, 0.95, 2, 9);
  check_ranks(20, 0.95, 5, 14);
  check_ranks(25, 0.95, 7, 17);
  check_ranks(20, 0.99, 3, 16);
  check_ranks(100, 0.95, 39, 60);
  check_ranks(1000000, 0.95, 499019, 500980);
}

/* Counts how often intervals from random samples contain the true median. */
TEST(test_coverage) {
  enum { kTries = 4000, kSamples = 30 };
  uint64_t random = 1;
  int held = 0, i, k;
  for (i = 0; i < kTries; ++i) {
    double samples[kSamples];
    statistics result;
    for (k = 0; k < kSamples; ++k) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      samples[k] = (double)(random >> 33) / 2147483648.0;
    }
    statistics_compute(samples, kSamples, &result);
    held += result.low <= 0.5 && 0.5 <= result.high;
  }
  assert_true(held > kTries / 100 * 97 && held < kTries);
}

TEST(test_quantiles) {
  double samples[] = {5, 1, 4, 2, 3}, single = 7;
  statistics result;
  statistics_compute(samples, 5, &result);
  assert_int_equal(result.count, 5);
  assert_true(result.minimum == 1 && result.median == 3 && result.mad == 1);
  assert_true(result.low == 1 && result.high == 5);
  assert_true(statistics_quantile(samples, 5, 0) == 1 && statistics_quantile(samples, 5, 1) == 5);
  assert_true(statistics_quantile(samples, 5, 0.25) == 2);
  assert_true(statistics_quantile(samples, 5, 0.125) == 1.5);
  assert_true(result.p90 > 4.599 && result.p90 < 4.601);
  statistics_compute(&single, 1, &result);
  assert_true(result.minimum == 7 && result.p999 == 7 && result.mad == 0 && result.high == 7);
}

/* Paired samples that drift together: only their ratio shows the difference, not the medians. */
TEST(test_comparisons) {
  enum { kSamples = 40 };
  double first[kSamples], second[kSamples];
  statistics a, b;
  statistics_ratio ratio;
  int i;
  for (i = 0; i < kSamples; ++i) {
    first[i] = 100 + 50 * i;
    second[i] = first[i] * (i % 2 == 0 ? 1.10 : 1.12);
  }
  statistics_compare_pairs(first, second, kSamples, &ratio);
  assert_true(ratio.low >= 1.09 && ratio.ratio > 1.1 && ratio.ratio < 1.12 && ratio.high < 1.13);
  statistics_compute(first, kSamples, &a);
  statistics_compute(second, kSamples, &b);
  statistics_compare(&a, &b, &ratio);
  assert_true(ratio.low < 1 && ratio.ratio > 1 && ratio.high > 1);
}

RUN_TESTS({
    cmocka_unit_test(test_ranks),
    cmocka_unit_test(test_coverage),
    cmocka_unit_test(test_quantiles),
    cmocka_unit_test(test_comparisons),
})
