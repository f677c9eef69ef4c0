/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "system/memory_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system/descriptors.h"

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= (size_t)done;
  }
  return true;
}

bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]) {
  int made = memfd_create("tvm-ffi", MFD_CLOEXEC), file = -1;
  if (made < 0) return false;
  if (write_all(made, bytes, size)) file = descriptor_copy(made);
  close(made);
  if (file < 0) return false;
  snprintf(out_path, kMemoryFilePath, "/proc/self/fd/%d", file);
  if (access(out_path, R_OK) == 0) return true;
  close(file);
  return false;
}
