/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels.ptx is made of, by CUDA 13.0. The version is set back, so that drivers older than
 * the compiler take it; nothing in it is newer:
 *
 *     nvcc -ptx -arch=compute_75 kernels.cu -o - | sed 's/^.version.*$/.version 6.4/' |
 *       sed '1i// SPDX-License-Identifier: Apache-2.0' > kernels.ptx
 */
extern "C" __global__ void scale_kernel(float *data, long long size, float factor) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) data[i] *= factor;
}

/* y += a * x */
extern "C" __global__ void axpy_kernel(float *y, const float *x, int size, double a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] += (float)(a * x[i]);
}
