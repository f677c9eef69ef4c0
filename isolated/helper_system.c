/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux and macOS in the helper. */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "helper_system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <tvm/ffi/extra/isolated.h>
#include <unistd.h>

#ifdef __APPLE__
#include <limits.h>
#include <sys/event.h>
#else
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#endif

void fail(const char *action) {
  fprintf(stderr, "%s: %s\n", action, strerror(errno));
  /* No destructors: what they print would follow the reason, of which the host keeps the end. */
  _exit(kExitStart);
}

/* ---- Limits that both have ---- */

#ifdef __GLIBC__
typedef __rlimit_resource_t limited_resource;
#else
typedef int limited_resource;
#endif

static void limit(limited_resource resource, uint64_t soft, uint64_t hard, const char *action) {
  struct rlimit values;
  if (getrlimit(resource, &values) != 0) fail(action);
  if (values.rlim_max == RLIM_INFINITY || values.rlim_max > hard) values.rlim_max = (rlim_t)hard;
  values.rlim_cur = values.rlim_max < soft ? values.rlim_max : (rlim_t)soft;
  if (setrlimit(resource, &values) != 0) fail(action);
}

static void set_common_limits(const channel_header *header) {
  limit(RLIMIT_CORE, 0, 0, "RLIMIT_CORE");
  if (header->cpu_seconds != 0) {
    limit(RLIMIT_CPU, header->cpu_seconds, header->cpu_seconds + 1, "RLIMIT_CPU");
  }
  if (header->open_files != 0) {
    limit(RLIMIT_NOFILE, header->open_files, header->open_files, "RLIMIT_NOFILE");
  }
}

#ifdef __APPLE__

/* ---- macOS, from its manual pages and headers; compiled, but never run ---- */

/* The host has started it without further files (POSIX_SPAWN_CLOEXEC_DEFAULT). */
void leave_host(void) {
  int file;
  setsid();
  for (file = kFileChannel; file < kFileEnd; ++file) (void)fcntl(file, F_SETFD, FD_CLOEXEC);
}

/* RLIMIT_DATA is not a limit of what malloc() and mmap() return there. */
void set_limits(const channel_header *header, bool is_in_sandbox, uint32_t parts) {
  (void)is_in_sandbox;
  (void)parts;
  set_common_limits(header);
  errno = ENOTSUP;
  if (header->memory != 0) fail("a limit of memory");
}

uint64_t read_data_size(void) {
  return 0;
}

void unblock_alarm(void) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
}

/*
 * The signals of a failed write are for the process there, and the kernels' thread would get them.
 * A kernel that writes to a closed pipe at the same moment gets the error only.
 */
void write_to_host(const char *bytes, size_t size) {
  struct sigaction ignored, pipes, sizes;
  memset(&ignored, 0, sizeof ignored);
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &pipes);
  sigaction(SIGXFSZ, &ignored, &sizes);
  (void)!write(kFileErrors, bytes, size);
  sigaction(SIGPIPE, &pipes, NULL);
  sigaction(SIGXFSZ, &sizes, NULL);
}

static int queue = -1;

/*
 * poll() does not tell the end of a file that is not read. Here the amount of data that counts is
 * more than a socket holds, so what is sent to the main thread wakes nobody.
 */
void watch_begin(void) {
  struct kevent changes[2];
  queue = kqueue();
  EV_SET(&changes[0], kFileSocket, EVFILT_READ, EV_ADD | EV_CLEAR, NOTE_LOWAT, INT_MAX, NULL);
  EV_SET(&changes[1], kFileOutput, EVFILT_READ, EV_ADD, 0, 0, NULL);
  if (queue < 0 || kevent(queue, changes, 2, NULL, 0, NULL) < 0) fail("kqueue");
}

int watch_next(void) {
  struct kevent events[2];
  const int count = kevent(queue, NULL, 0, events, 2, NULL);
  int seen = 0, i;
  if (count < 0) return errno == EINTR ? 0 : kSeenClosedFile;
  for (i = 0; i < count; ++i) {
    if ((events[i].flags & EV_ERROR) != 0) {
      seen |= kSeenClosedFile;
    } else if (events[i].ident == kFileOutput) {
      seen |= kSeenOutput;
    } else if ((events[i].flags & EV_EOF) != 0) {
      seen |= kSeenHostEnd;
    }
  }
  return seen;
}

void watch_end_output(void) {
  struct kevent change;
  EV_SET(&change, kFileOutput, EVFILT_READ, EV_DELETE, 0, 0, NULL);
  (void)kevent(queue, &change, 1, NULL, 0, NULL);
}

#else

/* ---- Linux ---- */

/* Closes what preloaded libraries have opened, too. Programs that kernels execute get no channel.
 */
void leave_host(void) {
  enum { kMost = 1 << 20 };
  const struct dirent *entry;
  struct rlimit most;
  DIR *list;
  int file;
  setsid();
  for (file = kFileChannel; file < kFileEnd; ++file) (void)fcntl(file, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kFileEnd, ~0u, 0) == 0) return;
#endif
  list = opendir("/proc/self/fd");
  while (list != NULL && (entry = readdir(list)) != NULL) {
    file = (int)strtol(entry->d_name, NULL, 10);
    if (file >= kFileEnd && file != dirfd(list)) close(file);
  }
  if (list != NULL) {
    closedir(list);
    return;
  }
  /* A file may have been opened before the limit was lowered. */
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_max > kMost) most.rlim_max = kMost;
  for (file = kFileEnd; file < (int)most.rlim_max; ++file) close(file);
}

/*
 * What the system counts for all processes of the user together, and memory that RLIMIT_DATA does
 * not count. Threads are those in the namespace; the system does not count those of root.
 */
static void limit_sandbox(const channel_header *header, uint32_t parts) {
  enum { kMaxThreads = 1024, kMaxFiles = 1024, kMaxSignals = 1024, kMaxStack = 64 << 20 };
  if ((parts & TVM_FFI_ISOLATED_SANDBOX_PROCESSES) != 0) {
    limit(RLIMIT_NPROC, kMaxThreads, kMaxThreads, "RLIMIT_NPROC");
  }
  if (header->open_files == 0) limit(RLIMIT_NOFILE, kMaxFiles, kMaxFiles, "RLIMIT_NOFILE");
  if (header->memory != 0) limit(RLIMIT_STACK, kMaxStack, kMaxStack, "RLIMIT_STACK");
  limit(RLIMIT_SIGPENDING, kMaxSignals, kMaxSignals, "RLIMIT_SIGPENDING"); /* timers, too */
  limit(RLIMIT_RTPRIO, 0, 0, "RLIMIT_RTPRIO");
  limit(RLIMIT_NICE, 0, 0, "RLIMIT_NICE");
}

void set_limits(const channel_header *header, bool is_in_sandbox, uint32_t parts) {
  set_common_limits(header);
  if (header->memory != 0) limit(RLIMIT_DATA, header->memory, header->memory, "RLIMIT_DATA");
  if (is_in_sandbox) limit_sandbox(header, parts);
}

/* From /proc; only calls that are allowed in handlers of signals. */
uint64_t read_data_size(void) {
  char text[256];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  uint64_t pages = 0;
  int field = 0;
  ssize_t i;
  if (file >= 0) close(file);
  for (i = 0; i < size; ++i) {
    if (text[i] == ' ') {
      if (++field == 6) break;
      pages = 0;
    } else if (text[i] >= '0' && text[i] <= '9') {
      pages = 10 * pages + (uint64_t)(text[i] - '0');
    }
  }
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* No sanitizer wraps this. */
void unblock_alarm(void) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &alarms, NULL, (size_t)_NSIG / 8);
}

/*
 * In whatever thread. If nobody reads it any more, or a file gets too large, its signal is taken
 * before the kernels' thread gets it.
 */
void write_to_host(const char *bytes, size_t size) {
  static const struct timespec now = {0, 0};
  sigset_t caused, old, before;
  sigemptyset(&caused);
  sigaddset(&caused, SIGPIPE);
  sigaddset(&caused, SIGXFSZ);
  sigpending(&before);
  pthread_sigmask(SIG_BLOCK, &caused, &old);
  if (write(kFileErrors, bytes, size) < 0 && (errno == EPIPE || errno == EFBIG)) {
    const int number = errno == EPIPE ? SIGPIPE : SIGXFSZ;
    sigemptyset(&caused);
    sigaddset(&caused, number);
    if (!sigismember(&before, number)) (void)sigtimedwait(&caused, NULL, &now);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static bool reads_output = true;

void watch_begin(void) {}

int watch_next(void) {
  struct pollfd files[2];
  int seen = 0;
  files[0].fd = kFileSocket;
  files[0].events = 0; /* the end of the host always counts */
  files[1].fd = reads_output ? kFileOutput : -1;
  files[1].events = POLLIN;
  files[0].revents = files[1].revents = 0;
  if (poll(files, 2, -1) < 0) return errno == EINTR ? 0 : kSeenClosedFile;
  if ((files[0].revents & (POLLHUP | POLLERR)) != 0) seen |= kSeenHostEnd;
  if (((files[0].revents | files[1].revents) & POLLNVAL) != 0) seen |= kSeenClosedFile;
  if (files[1].revents != 0) seen |= kSeenOutput;
  return seen;
}

void watch_end_output(void) {
  reads_output = false;
}

#endif
