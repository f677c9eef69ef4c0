/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that gpu.cu loads: one of them needs more shared memory than the default limit. */
#include <cstdint>

extern "C" __global__ void scale(float *data, int64_t size, float factor) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) data[i] *= factor;
}

/** Reverses data through shared memory, which has space_size elements. One block. */
extern "C" __global__ void reverse(float *data, int64_t size, int64_t space_size) {
  extern __shared__ float space[];
  // Uses the end of the shared memory, so that all of it must be there.
  float *copy = space + space_size - size;
  for (int64_t i = threadIdx.x; i < size; i += blockDim.x) copy[i] = data[i];
  __syncthreads();
  for (int64_t i = threadIdx.x; i < size; i += blockDim.x) data[i] = copy[size - 1 - i];
}
