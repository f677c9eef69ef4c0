/* SPDX-License-Identifier: Apache-2.0 */
/* Something for nvcc to compile. */
extern "C" __global__ void add_one(float *x) {
  x[threadIdx.x] += 1;
}
