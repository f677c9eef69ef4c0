/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that gpu_launch.cu and gpu_c.c load. */

/* Fills the dynamic shared memory and reads it in reverse order: out[0] is the number of words that
 * are right. One block. */
extern "C" __global__ void use_shared(int *out, int num_words) {
  extern __shared__ int words[];
  int right = 0;
  for (int i = threadIdx.x; i < num_words; i += blockDim.x) words[i] = 3 * i + 1;
  __syncthreads();
  for (int i = threadIdx.x; i < num_words; i += blockDim.x) {
    const int j = num_words - 1 - i;
    right += words[j] == 3 * j + 1;
  }
  atomicAdd(out, right);
}

/* Each block of a cluster gets the number of the next one from the other's shared memory:
 * out[block] = 100 * blocks in the cluster + that number in the cluster. */
extern "C" __global__ void ask_cluster(int *out) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned mine;
  unsigned rank, size, address, other, next;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) mine = rank;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  address = static_cast<unsigned>(__cvta_generic_to_shared(&mine));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(other)
               : "r"(address), "r"((rank + 1) % size));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(next) : "r"(other) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(100 * size + next);
#endif
}

/* out[i] = 2 * out[i] + 1, after the kernel before it, by which it may have been started early. */
extern "C" __global__ void step(int *out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  if (i < size) out[i] = 2 * out[i] + 1;
}
