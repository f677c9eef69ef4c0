/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of samples/15_ptx_module for the fake driver, which loads this library. */
#include "fake.h"

static void scale(const fake_launch *launch, void **params) {
  float *data = *(float **)params[0];
  const long long size = *(const long long *)params[1];
  const float factor = *(const float *)params[2];
  long long i;
  for (i = 0; i < (long long)launch->grid[0] * launch->block[0] && i < size; ++i) data[i] *= factor;
}

static void axpy(const fake_launch *launch, void **params) {
  float *y = *(float **)params[0];
  const float *x = *(const float **)params[1];
  const int size = *(const int *)params[2];
  const double a = *(const double *)params[3];
  int i;
  for (i = 0; i < (int)(launch->grid[0] * launch->block[0]) && i < size; ++i) {
    y[i] += (float)(a * (double)x[i]);
  }
}

FAKE_EXPORT void fake_kernels(void);
FAKE_EXPORT void fake_kernels(void) {
  static const fake_kernel kernels[] = {{"scale_kernel", scale, 0}, {"axpy_kernel", axpy, 0}};
  fake_add_kernel(&kernels[0]);
  fake_add_kernel(&kernels[1]);
}
