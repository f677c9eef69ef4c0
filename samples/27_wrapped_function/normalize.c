/* SPDX-License-Identifier: Apache-2.0 */
/* A function of C that knows nothing of this library: divides each row of x by its sum. */
void normalize(float *y, const float *x, int n, int m);

void normalize(float *y, const float *x, int n, int m) {
  int i, j;
  for (i = 0; i < n; ++i) {
    float sum = 0;
    for (j = 0; j < m; ++j) sum += x[i * m + j];
    for (j = 0; j < m; ++j) y[i * m + j] = x[i * m + j] / sum;
  }
}
