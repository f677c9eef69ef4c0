/* SPDX-License-Identifier: Apache-2.0 */
#include "wrap_functions.h"

#include <stdio.h>
#include <string.h>

void scale_columns(float *y, const float *x, const float *s, int n, int m) {
  int i, j;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) y[i * m + j] = x[i * m + j] * s[j];
  }
}

void scale_columns_vla(int n, int m, float y[n][m], const float x[n][m]) {
  int i, j;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) y[i][j] = x[i][j] * (float)(j + 1);
  }
}

void add_fixed(float y[2][3], const float x[2][3], float a) {
  int i, j;
  for (i = 0; i < 2; ++i) {
    for (j = 0; j < 3; ++j) y[i][j] = x[i][j] + a;
  }
}

double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  size_t i;
  for (i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void transpose(float *y, long y_row, const float *x, long x_row, long x_column, int8_t n, int m) {
  int i, j;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < m; ++j) y[j * y_row + i] = x[i * x_row + j * x_column];
  }
}

int check_positive(const int32_t *x, int n) {
  int i;
  for (i = 0; i < n; ++i) {
    if (x[i] <= 0) return i + 1;
  }
  return 0;
}

int sort(int64_t *y, const int64_t *x, int64_t *work, double *small, int n) {
  int i, j;
  memset(small, 0, 4 * sizeof *small);
  memcpy(work, x, (size_t)n * sizeof *x);
  for (i = 1; i < n; ++i) {
    const int64_t value = work[i];
    for (j = i; j > 0 && work[j - 1] > value; --j) work[j] = work[j - 1];
    work[j] = value;
  }
  memcpy(y, work, (size_t)n * sizeof *y);
  return 0;
}

int powers(double *y, double *sum, double base, int n) {
  int i;
  *sum = 0;
  if (base == 0) return 7;
  for (i = 0; i < n; ++i) *sum += y[i] = i > 0 ? y[i - 1] * base : 1;
  return 0;
}

int count(double *y, double *work, int n, int m) {
  int i;
  for (i = 0; i < m; ++i) work[i] = i;
  for (i = 0; i < n; ++i) y[i] = i + 1;
  return 0;
}

void mirror(float *restrict y, const float *restrict x, int n) {
  int i;
  for (i = 0; i < n; ++i) y[i] = x[i] + x[n - 1 - i];
}

void twice(float *restrict y, const float *x, int n, long y_step, long x_step) {
  int i;
  for (i = 0; i < n; ++i) y[i * y_step] = 2 * x[i * x_step];
}

int widen(double *y, const float *x, int n) {
  int i;
  for (i = 0; i < n; ++i) y[i] = x[i];
  return 0;
}

int count_true(const bool *x, int n) {
  int i, count = 0;
  for (i = 0; i < n; ++i) count += x[i];
  return count;
}

/* The first element of a vector of BLAS. */
static ptrdiff_t find_first(int n, int inc) {
  return inc < 0 ? (ptrdiff_t)(1 - n) * inc : 0;
}

double blas_dot(int n, const double *x, int incx, const double *y, int incy) {
  ptrdiff_t i = find_first(n, incx), k = find_first(n, incy);
  double sum = 0;
  for (; n > 0; --n, i += incx, k += incy) sum += x[i] * y[k];
  return sum;
}

void blas_axpy(int n, double a, const double *x, int incx, double *y, int incy) {
  ptrdiff_t i = find_first(n, incx), k = find_first(n, incy);
  for (; n > 0; --n, i += incx, k += incy) y[k] += a * x[i];
}

void blas_gemv(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
               int incy) {
  ptrdiff_t k = find_first(m, incy);
  int i;
  for (i = 0; i < m; ++i, k += incy) y[k] = blas_dot(n, a + i, ld, x, incx);
}

void blas_gemv_t(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
                 int incy) {
  ptrdiff_t k = find_first(n, incy);
  int i;
  for (i = 0; i < n; ++i, k += incy) y[k] = blas_dot(m, a + (ptrdiff_t)i * ld, 1, x, incx);
}

double sum_steps(const double *x, int n, ptrdiff_t step) {
  double sum = 0;
  int i;
  for (i = 0; i < n; ++i) sum += x[i * step];
  return sum;
}

void number_steps(double *x, int n, ptrdiff_t step) {
  int i;
  for (i = 0; i < n; ++i) x[i * step] = i;
}

void tell_strides(int64_t out[3], const float *a, const float *b, long s, long t, long ld) {
  (void)a, (void)b;
  out[0] = s, out[1] = t, out[2] = ld;
}

uint64_t largest(bool really) {
  return really ? UINT64_MAX : INT64_MAX;
}

const char *greet(const char *name) {
  static char text[64];
  if (*name == '\0') return NULL;
  snprintf(text, sizeof text, "hello, %s", name);
  return text;
}

void *same(void *p) {
  return p;
}

const char *describe(int8_t a, unsigned b, float c, double d, bool e, size_t f, int64_t args) {
  static char text[128];
  snprintf(text, sizeof text, "%d %u %g %g %d %zu %lld", a, b, c, d, e, f, (long long)args);
  return text;
}
