/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces NVSHMEM's header, so that the sample runs anywhere. In a real job the memory would be at
 * the same place of one symmetric heap in every process. */
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
