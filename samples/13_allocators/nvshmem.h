/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of NVSHMEM's header, so that the sample runs anywhere: memory that in a real job every
 * process has at the same place of one symmetric heap.
 */
#ifndef SAMPLES_NVSHMEM_H_
#define SAMPLES_NVSHMEM_H_

#include <cstddef>
#include <cstdio>
#include <cstdlib>

inline void *nvshmem_malloc(size_t size) {
  std::printf("  nvshmem_malloc\n");
  return std::malloc(size);
}

inline void nvshmem_free(void *ptr) {
  std::printf("  nvshmem_free\n");
  std::free(ptr);
}

#endif  // SAMPLES_NVSHMEM_H_
