/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "system/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

/* A closed one is opened the wrong way round, so that using it still fails. */
void descriptors_prepare(void) {
  int fd;
  for (fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int descriptor_copy(int descriptor) {
  enum { kOutOfTheWay = 512 };
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay);
  return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

FILE *descriptor_copy_stream(int descriptor) {
  int copy = descriptor_copy(descriptor);
  return copy >= 0 ? fdopen(copy, "w") : NULL;
}

void descriptor_replace(int target, int source) {
  dup2(source, target);
}

void descriptor_end_input(void) {
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing > STDIN_FILENO) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

void descriptor_close(int descriptor) {
  close(descriptor);
}

bool descriptor_is_terminal(int descriptor) {
  return isatty(descriptor) != 0;
}
