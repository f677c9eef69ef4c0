/* SPDX-License-Identifier: Apache-2.0 */
/* What a call should leave as it was, and what it should not depend on, for probe. */
#define _GNU_SOURCE      /* mallinfo2, fegetexcept, sched_getaffinity */
#define _DARWIN_C_SOURCE /* the same on macOS */
#include "system/posix_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <malloc.h>
#include <sched.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <xlocale.h>
#endif

#include "platform/c99_string.h"

extern char **environ;

#ifdef __linux__

/* A line is "begin-end permissions offset device inode path". */
static void count_mappings(process_state *out) {
  FILE *file = fopen("/proc/self/maps", "r");
  char line[512];
  bool begins = true;
  if (file == NULL) return;
  out->knows_mappings = true;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long long begin, end;
    if (begins && strstr(line, "[heap]") == NULL && strstr(line, "[stack]") == NULL &&
        sscanf(line, "%llx-%llx", &begin, &end) == 2) {
      ++out->num_mappings;
      out->mapped += (uint64_t)(end - begin);
    }
    begins = strchr(line, '\n') != NULL; /* a path may be longer than the buffer */
  }
  fclose(file);
}

#else

static void count_mappings(process_state *out) {
  (void)out;
}

#endif

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2 1
#endif
#endif

void heap_fill(int byte, size_t most, size_t alike) {
  enum { kAlike = 8, kStep = 16, kLargest = 1 << 10 };
  void *(*volatile fill)(void *, int, size_t) = memset; /* else it might be removed */
  void *blocks[kAlike];
  size_t size, i;
  if (alike > kAlike) alike = kAlike;
  for (size = kStep; size <= most; size = size < kLargest ? size + kStep : 2 * size) {
    for (i = 0; i < alike; ++i) {
      blocks[i] = malloc(size - sizeof(size_t));
      if (blocks[i] != NULL) (void)fill(blocks[i], byte, size - sizeof(size_t));
    }
    for (i = 0; i < alike; ++i) free(blocks[i]);
  }
}

void heap_mark(int byte) {
#if defined(__GLIBC__) && defined(M_PERTURB)
  (void)mallopt(M_PERTURB, byte != 0 ? byte ^ 0xff : 0); /* what is freed gets that one */
#else
  (void)byte;
#endif
}

/* A sanitizer's malloc counts nothing. */
static void count_heap(process_state *out) {
#ifdef HAS_MALLINFO2
  const struct mallinfo2 info = mallinfo2();
  out->heap = (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
  out->knows_heap = out->heap > 0;
#else
  (void)out;
#endif
}

/* FNV-1a */
static uint64_t digest(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  size_t i;
  for (i = 0; i < size; ++i) sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* 0: there is no such folder. */
static size_t count_entries(const char *path) {
  DIR *folder = opendir(path);
  size_t count = 0;
  const struct dirent *entry;
  if (folder == NULL) return 0;
  while ((entry = readdir(folder)) != NULL) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void read_environment(process_state *out) {
  enum { kNumLimits = 6 };
  struct rlimit limits[kNumLimits];
  char folder[4096];
  struct itimerval timer;
  sigset_t blocked;
  size_t i;
  mode_t mask = umask(0);
  (void)umask(mask);
  out->mask = (unsigned)mask;
  if (getcwd(folder, sizeof folder) != NULL) out->folder = digest(1, folder, strlen(folder));
  for (i = 0; environ != NULL && environ[i] != NULL; ++i) {
    out->variables = digest(out->variables + 1, environ[i], strlen(environ[i]));
  }
  memset(limits, 0, sizeof limits);
  (void)getrlimit(RLIMIT_CORE, &limits[0]);
  (void)getrlimit(RLIMIT_CPU, &limits[1]);
  (void)getrlimit(RLIMIT_DATA, &limits[2]);
  (void)getrlimit(RLIMIT_FSIZE, &limits[3]);
  (void)getrlimit(RLIMIT_NOFILE, &limits[4]);
  (void)getrlimit(RLIMIT_STACK, &limits[5]);
  out->limits = digest(1, limits, sizeof limits);
  sigemptyset(&blocked);
  (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (i = 1; i < kMaxSignals; ++i) {
    out->blocked = out->blocked * 3 + (uint64_t)(sigismember(&blocked, (int)i) == 1);
  }
  memset(&timer, 0, sizeof timer);
  (void)getitimer(ITIMER_REAL, &timer);
  out->has_timer = timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
#ifdef __linux__
  {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    (void)sched_getaffinity(0, sizeof processors, &processors);
    out->processors = digest(1, &processors, sizeof processors);
  }
#endif
#ifdef __GLIBC__
  out->traps = fegetexcept();
#endif
  out->priority = getpriority(PRIO_PROCESS, 0);
  for (i = 0; i <= STDERR_FILENO; ++i) {
    struct stat file;
    memset(&file, 0, sizeof file);
    (void)fstat((int)i, &file);
    out->streams = digest(out->streams + 1, &file.st_dev, sizeof file.st_dev);
    out->streams = digest(out->streams, &file.st_ino, sizeof file.st_ino);
  }
}

void process_leave_errors(void) {
  (void)feraiseexcept(FE_ALL_EXCEPT);
  errno = ERANGE;
}

void process_state_read_host(process_state *out) {
  int i;
  memset(out, 0, sizeof *out);
  out->locale = (void *)uselocale((locale_t)0);
  for (i = 1; i < kMaxSignals; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) != 0) continue;
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      memcpy(&out->handlers[i], &action.sa_sigaction, sizeof out->handlers[i]);
    } else {
      memcpy(&out->handlers[i], &action.sa_handler, sizeof out->handlers[i]);
    }
  }
  read_environment(out);
}

/* Where no folder lists them, each number is tried. */
static size_t count_descriptors(void) {
  enum { kMost = 4096 };
  const size_t listed = count_entries("/proc/self/fd");
  long limit = sysconf(_SC_OPEN_MAX);
  size_t count = 0;
  int i;
  if (listed > 0) return listed - 1; /* one is that of the folder */
  if (limit < 0 || limit > kMost) limit = kMost;
  for (i = 0; i < (int)limit; ++i) count += fcntl(i, F_GETFD) >= 0;
  return count;
}

void process_state_read(process_state *out) {
  process_state_read_host(out);
  out->num_descriptors = count_descriptors();
  out->num_threads = count_entries("/proc/self/task");
  count_mappings(out);
  count_heap(out);
}

void process_adopt(void) {
#ifdef __linux__
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

bool process_has_children(void) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static int captured[2]; /* a pipe */

bool results_capture(void) {
  fflush(NULL);
  if (pipe(captured) != 0) return false;
  fcntl(captured[0], F_SETFL, O_NONBLOCK);
  fcntl(captured[1], F_SETFL, O_NONBLOCK); /* it holds enough to be shown, and no more */
  return dup2(captured[1], STDOUT_FILENO) >= 0;
}

size_t results_captured(char *out, size_t out_size) {
  ssize_t size;
  char more;
  fflush(NULL);
  size = read(captured[0], out, out_size - 1);
  if (size < 0) size = 0;
  out[size] = '\0';
  return (size_t)size + (read(captured[0], &more, 1) == 1);
}

void process_limit_memory(uint64_t more) {
  struct rlimit limit;
  process_state now;
  process_state_read(&now);
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  if (limit.rlim_cur <= now.mapped + more) return;
  limit.rlim_cur = (rlim_t)(now.mapped + more);
  setrlimit(RLIMIT_DATA, &limit);
}

typedef struct {
  void (*body)(void *context, size_t i);
  void *context;
  size_t i;
} thread_task;

static void *run_task(void *argument) {
  const thread_task *task = argument;
  task->body(task->context, task->i);
  return NULL;
}

bool threads_run(size_t count, void (*body)(void *context, size_t i), void *context) {
  enum { kMost = 16 };
  pthread_t threads[kMost];
  thread_task tasks[kMost];
  size_t started, i;
  for (started = 0; started < count && started < kMost; ++started) {
    tasks[started].body = body;
    tasks[started].context = context;
    tasks[started].i = started;
    if (pthread_create(&threads[started], NULL, run_task, &tasks[started]) != 0) break;
  }
  for (i = 0; i < started; ++i) pthread_join(threads[i], NULL);
  return started == count;
}
