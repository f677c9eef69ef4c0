/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for wrap, as a library of kernels without any knowledge of this runtime declares them.
 */
#ifndef WRAP_FUNCTIONS_H_
#define WRAP_FUNCTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y[i][j] = x[i][j] * s[j] */
void scale_columns(float *y, const float *x, const float *s, int n, int m);
/* The same with arrays as C declares them, and of constant extents. */
void scale_columns_vla(int n, int m, float y[n][m], const float x[n][m]);
void add_fixed(float y[2][3], const float x[2][3], float a);
double dot(const double *x, const double *y, size_t n);
/* y = the transposed of x, by strides. */
void transpose(float *y, long y_row, const float *x, long x_row, long x_column, int8_t n, int m);
/* The number of the first element that is not positive, from 1; 0 if all are. */
int check_positive(const int32_t *x, int n);
/* y = x in ascending order; work holds n elements, small 4. */
int sort(int64_t *y, const int64_t *x, int64_t *work, double *small, int n);
/* Powers of base, and their sum. */
int powers(double *y, double *sum, double base, int n);
/* y = 1, 2, ...; work holds m elements. */
int count(double *y, double *work, int n, int m);
/* y[i] = x[i] + x[n - 1 - i] */
void mirror(float *restrict y, const float *restrict x, int n);
/* y = 2 * x, by strides. */
void twice(float *restrict y, const float *x, int n, long y_step, long x_step);
/* y = x */
int widen(double *y, const float *x, int n);
int count_true(const bool *x, int n);
/* As in BLAS: a vector has the address of its first element, or of its last one if its increment is
 * negative. A matrix has the address of its first column, and the next one `ld` behind it. */
double blas_dot(int n, const double *x, int incx, const double *y, int incy);
/* y += a * x */
void blas_axpy(int n, double a, const double *x, int incx, double *y, int incy);
/* y = a x, and y = a^T x; a has m rows and n columns. */
void blas_gemv(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
               int incy);
void blas_gemv_t(int m, int n, const double *a, int ld, const double *x, int incx, double *y,
                 int incy);
/* The sum of x[i * step]. */
double sum_steps(const double *x, int n, ptrdiff_t step);
/* x[i * step] = i */
void number_steps(double *x, int n, ptrdiff_t step);
/* Writes its numbers. */
void tell_strides(int64_t out[3], const float *a, const float *b, long s, long t, long ld);
uint64_t largest(bool really);
const char *greet(const char *name);
void *same(void *p);
const char *describe(int8_t a, unsigned b, float c, double d, bool e, size_t f, int64_t args);

#endif /* WRAP_FUNCTIONS_H_ */
