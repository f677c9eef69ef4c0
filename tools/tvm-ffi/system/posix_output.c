/* SPDX-License-Identifier: Apache-2.0 */
/* What the child prints: a pipe, whose first bytes are shown on stderr, and the others dropped. */
#define _GNU_SOURCE      /* FIONREAD */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include "system/posix_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "system/system.h"

/* A pipe for it; -1: there is none. */
static int printed[2] = {-1, -1};
static size_t printed_left; /* how many bytes are still shown */
static bool has_dropped;
enum { kForever = -1 }; /* for poll() */

static void close_end(int end) {
  if (printed[end] >= 0) close(printed[end]);
  printed[end] = -1;
}

void printed_close(void) {
  close_end(0);
  close_end(1);
}

void printed_close_writer(void) {
  close_end(1);
}

int printed_reader(void) {
  return printed[0];
}

static volatile int *is_showing; /* what was read is being shown */

bool child_cap_output(size_t most, volatile int *out_showing) {
  printed_left = most;
  is_showing = out_showing;
  has_dropped = false;
  if (pipe(printed) != 0) return false;
  fcntl(printed[0], F_SETFL, O_NONBLOCK);
  return true;
}

void child_enter_output(bool with_stdout) {
  close_end(0);
  if (with_stdout) {
    dup2(printed[1], STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash would lose what is in a buffer */
  }
  dup2(printed[1], STDERR_FILENO);
  close_end(1);
}

void child_wait_for_output(void) {
  enum { kMostNaps = 1000 }; /* in all: what is printed may be without end */
  static int num_naps;
  const struct timespec nap = {0, 200000};
  struct stat status;
  int left;
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  while (ioctl(STDERR_FILENO, FIONREAD, &left) == 0 && (left > 0 || *is_showing != 0)) {
    if (++num_naps > kMostNaps) return;
    nanosleep(&nap, NULL);
  }
}

/* Shows bytes on stderr, unless nobody can read them. */
static void show_printed(const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t put = write(STDERR_FILENO, bytes, size);
    struct pollfd reader;
    reader.fd = STDERR_FILENO;
    reader.events = POLLOUT;
    if (put < 0 && errno == EAGAIN && poll(&reader, 1, kForever) > 0) continue;
    if (put < 0 && errno != EINTR) return;
    if (put < 0) continue;
    bytes += put;
    size -= (size_t)put;
  }
}

/* Reads much of what is dropped, and as quickly as it is printed. False if nothing is left. */
static bool drop_printed(void) {
  enum { kMost = 100 };
  static char bytes[1 << 16];
  ssize_t size = 1;
  int i;
  for (i = 0; i < kMost && size > 0; ++i) size = read(printed[0], bytes, sizeof bytes);
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Passes on a part, unless the reader of stderr takes nothing for so long: the child then waits,
 * too, and its time goes on. False if nothing is left. */
static bool pass_printed(int milliseconds) {
  static const char kDropped[] = "\n[what it prints after that is dropped]\n";
  char bytes[1 << 12]; /* a pipe that is ready takes as many */
  struct pollfd reader;
  size_t shown;
  ssize_t size;
  reader.fd = STDERR_FILENO;
  reader.events = POLLOUT;
  if (has_dropped) return drop_printed();
  if (poll(&reader, 1, milliseconds) <= 0) return true;
  *is_showing = 1; /* before the pipe looks empty */
  size = read(printed[0], bytes, sizeof bytes);
  if (size <= 0) {
    *is_showing = 0;
    return size < 0 && errno == EINTR;
  }
  shown = (size_t)size < printed_left ? (size_t)size : printed_left;
  show_printed(bytes, shown);
  printed_left -= shown;
  if (shown < (size_t)size) {
    show_printed(kDropped, sizeof kDropped - 1);
    has_dropped = true;
  }
  *is_showing = 0;
  return true;
}

void printed_pass(int milliseconds) {
  if (!pass_printed(milliseconds)) close_end(0);
}

void printed_pass_rest(void) {
  enum { kMost = 1 << 10 }; /* more than a pipe holds */
  int i;
  for (i = 0; i < kMost && printed[0] >= 0 && !has_dropped && pass_printed(kForever); ++i) continue;
  close_end(0);
}
