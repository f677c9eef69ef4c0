/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux and macOS for both processes. */
#define _GNU_SOURCE /* memfd_create, fallocate, file seals, ppoll, CPU_COUNT, syscall, environ */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#include <mach/mach.h>
#include <mach/vm_map.h>
#else
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#endif

/* Beyond this limit, ftruncate() would send the host a signal. */
static bool may_have_size(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         limit.rlim_cur >= size;
}

static int close_failed(int file) {
  const int reason = errno;
  close(file);
  errno = reason;
  return -1;
}

size_t memory_page_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

#ifdef __APPLE__

/* ---- macOS, from its manual pages and headers; compiled, but never run ---- */

/*
 * A name that no other process uses is taken, and removed at once. There are no seals, nor are they
 * needed: the size of such an object can be set only once.
 */
int memory_file(const char *name, uint64_t size) {
  enum { kTries = 100 };
  static unsigned count;
  int file = -1, i;
  (void)name; /* names have at most 31 characters */
  if (!may_have_size(size)) {
    errno = EFBIG;
    return -1;
  }
  for (i = 0; i < kTries && file < 0; ++i) {
    char path[32];
    snprintf(path, sizeof path, "/tvm_ffi.%ld.%u", (long)getpid(),
             __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
    file = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0) {
      (void)shm_unlink(path);
    } else if (errno != EEXIST) {
      return -1;
    }
  }
  if (file < 0) return -1;
  if (ftruncate(file, (off_t)size) != 0 || fcntl(file, F_SETFD, FD_CLOEXEC) != 0) {
    return close_failed(file);
  }
  return file;
}

int memory_growing_file(const char *name, uint64_t size) {
  return memory_file(name, size);
}

/* Memory is promised without regard to how much there is. */
int memory_reserve(int file, size_t offset, size_t size) {
  (void)file;
  (void)offset;
  (void)size;
  return 0;
}

/*
 * The system may look at each page of the range, so this is not for whole regions: their memory is
 * given back when they are unmapped.
 */
int memory_give_back(void *begin, size_t size) {
  const size_t most = (size_t)1 << 32;
  return size <= most ? madvise(begin, size, MADV_FREE) : -1;
}

/* It writes such files only if the user has asked for them. */
void memory_hide(void *begin, size_t size) {
  (void)begin;
  (void)size;
}

void memory_keep_from_children(void *begin, size_t size) {
  (void)minherit(begin, size, VM_INHERIT_NONE);
}

/*
 * Looks at mappings, one after the other. Those of a file may have pages beyond its end, which are
 * not told apart.
 */
bool memory_can_access(void *begin, size_t size, bool writes) {
  const vm_prot_t wanted = writes ? VM_PROT_READ | VM_PROT_WRITE : VM_PROT_READ;
  const vm_address_t end = (vm_address_t)begin + size;
  vm_address_t at = (vm_address_t)begin;
  while (at < end) {
    vm_region_basic_info_data_64_t info;
    mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
    vm_address_t found = at; /* becomes the first mapping that ends behind it */
    vm_size_t found_size = 0;
    mach_port_t object = MACH_PORT_NULL; /* stays that */
    const kern_return_t code =
        vm_region_64(mach_task_self(), &found, &found_size, VM_REGION_BASIC_INFO_64,
                     (vm_region_info_t)&info, &count, &object);
    if (code == KERN_INVALID_ADDRESS) return false; /* there is none */
    if (code != KERN_SUCCESS) return true;
    if (found > at || (info.protection & wanted) != wanted) return false;
    at = found + found_size;
  }
  return true;
}

bool memory_is_mapped(void *begin, size_t size) {
  return memory_can_access(begin, size, false);
}

/*
 * Between the calls another thread may start a process, which has the sockets then: the helper
 * notices the end of the host only when that process has ended, too.
 */
int socket_pair(int out[2]) {
  int i;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, out) != 0) return -1;
  for (i = 0; i < 2; ++i) {
    const int yes = 1;
    if (fcntl(out[i], F_SETFD, FD_CLOEXEC) != 0 ||
        setsockopt(out[i], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes) != 0) {
      (void)close_failed(out[0]);
      (void)close_failed(out[1]);
      out[0] = out[1] = -1;
      return -1;
    }
  }
  return 0;
}

/* Milliseconds, rounded up, so that the time has passed then. */
int poll_files(struct pollfd *files, nfds_t count, const struct timespec *timeout) {
  const long most = 3600 * 1000L; /* the caller looks at the clock, and waits again */
  long time = -1;
  if (timeout != NULL) {
    time = timeout->tv_sec >= 3600
               ? most
               : (long)timeout->tv_sec * 1000 + (timeout->tv_nsec + 999999) / 1000000;
  }
  return poll(files, count, (int)time);
}

bool can_use_processors(void) {
  return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/* Libraries do not have the variable `environ`. */
char **get_environment(void) {
  return *_NSGetEnviron();
}

/*
 * A kqueue tells this, too, but not every version of poll() takes one. The socket hangs up as soon
 * as the child has ended, unless it has left processes behind; so the wait looks at the child now
 * and then.
 */
int process_file(pid_t process) {
  (void)process;
  return -1;
}

bool process_file_kill(int file) {
  (void)file;
  return false;
}

bool process_is_child_of(pid_t process, pid_t parent) {
  (void)process;
  (void)parent;
  return false;
}

bool process_has_no_first_thread(pid_t process, pid_t parent) {
  (void)process;
  (void)parent;
  return false;
}

/* poll() and a socket are used there. */

static int lacking(void) {
  errno = ENOSYS;
  return -1;
}

int futex_wait(uint32_t *word, uint32_t value) {
  (void)word, (void)value;
  return lacking();
}

/* Nobody sleeps: this is a side that is about to, and then cannot. */
int futex_wake(uint32_t *word) {
  (void)word;
  return 0;
}

int bell_make(void) {
  return lacking();
}

int bell_ring(int bell) {
  (void)bell;
  return lacking();
}

int epoll_make(int bell, int process, int timer) {
  (void)bell, (void)process, (void)timer;
  return lacking();
}

int timer_make(void) {
  return lacking();
}

int timer_set(int timer, int milliseconds) {
  (void)timer, (void)milliseconds;
  return lacking();
}

epoll_event_kind epoll_sleep(int epoll, int milliseconds) {
  (void)epoll, (void)milliseconds;
  (void)lacking();
  return kEpollFailed;
}

#else

/* ---- Linux ---- */

/* Operations of futex(2), on words that processes share. */
enum { kFutexWait = 0, kFutexWake = 1 };

static int make_memory_file(const char *name, uint64_t size, int seals) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if ((size > 0 && ftruncate(file, (off_t)size) != 0) ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL | seals) != 0) {
    return close_failed(file);
  }
  return file;
}

int memory_file(const char *name, uint64_t size) {
  if (!may_have_size(size)) {
    errno = EFBIG;
    return -1;
  }
  return make_memory_file(name, size, F_SEAL_GROW);
}

int memory_growing_file(const char *name, uint64_t size) {
  (void)size;
  return make_memory_file(name, 0, 0);
}

/* For a file system that has no memory to reserve. */
static int grow_file(int file, uint64_t size) {
  struct stat status;
  if (fstat(file, &status) != 0) return -1;
  return (uint64_t)status.st_size >= size ? 0 : ftruncate(file, (off_t)size);
}

/* In steps: a signal interrupts a step, of which nothing is kept. */
int memory_reserve(int file, size_t offset, size_t size) {
  enum { kStep = 1 << 22 };
  if (!may_have_size((uint64_t)offset + size)) {
    errno = EFBIG;
    return -1;
  }
  while (size > 0) {
    const size_t step = size < kStep ? size : kStep;
    if (fallocate(file, 0, (off_t)offset, (off_t)step) == 0) {
      offset += step;
      size -= step;
    } else if (errno == EOPNOTSUPP) {
      return grow_file(file, (uint64_t)offset + size);
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

int memory_give_back(void *begin, size_t size) {
  return madvise(begin, size, MADV_REMOVE);
}

void memory_hide(void *begin, size_t size) {
  (void)madvise(begin, size, MADV_DONTDUMP);
}

void memory_keep_from_children(void *begin, size_t size) {
  (void)madvise(begin, size, MADV_DONTFORK);
}

/*
 * Calls of the system that read a word, and that add 0 to it as an atomic operation: they fail
 * where an access would end the process. The first has no such operation; the error it is for comes
 * later. The second is private, so that the word may be memory of a driver, which has no pages.
 */
static bool can_access_page(char *page, bool writes) {
  enum { kNoOperation = -1, kWakeOpPrivate = 5 | 128, kAddZero = 1 << 28 };
#ifdef SYS_futex
  uint32_t word = 0;
  if (writes) {
    return syscall(SYS_futex, &word, kWakeOpPrivate, 0, 0, page, kAddZero) >= 0 || errno != EFAULT;
  }
#endif
  return syscall(SYS_rt_sigprocmask, kNoOperation, page, NULL, (size_t)_NSIG / 8) == 0 ||
         errno != EFAULT;
}

/*
 * At once, since Linux 5.14. It refuses what has no memory of its own, such as that of a device, so
 * a failure says nothing yet.
 */
bool memory_can_access(void *begin, size_t size, bool writes) {
  enum { kPopulateRead = 22, kPopulateWrite = 23 };
  const size_t page = memory_page_size();
  size_t at;
  if (madvise(begin, size, writes ? kPopulateWrite : kPopulateRead) == 0) return true;
  for (at = 0; at < size; at += page) {
    if (!can_access_page((char *)begin + at, writes)) return false;
  }
  return true;
}

/* It starts no writing, and looks at mappings only, not at pages. */
bool memory_is_mapped(void *begin, size_t size) {
  return msync(begin, size, MS_ASYNC) == 0 || errno != ENOMEM;
}

int socket_pair(int out[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out);
}

int poll_files(struct pollfd *files, nfds_t count, const struct timespec *timeout) {
  return ppoll(files, count, timeout, NULL);
}

bool can_use_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

char **get_environment(void) {
  return environ;
}

int process_file(pid_t process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  return -1;
#endif
}

/* What /proc tells of a thread (proc_pid_stat(5)). */
typedef struct {
  char state;
  long parent;
  unsigned long flags;
} thread_stat;

static bool read_stat(const char *path, thread_stat *out) {
  char text[256], *state;
  ssize_t size = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  state = strrchr(text, ')'); /* behind the name, which may have one */
  return state != NULL &&
         sscanf(state, ") %c %ld %*d %*d %*d %*d %lu", &out->state, &out->parent, &out->flags) == 3;
}

/*
 * Whether a thread other than the first goes on. In a process that ends, none does, though it may
 * take long to give its memory back.
 */
static bool has_running_thread(pid_t process) {
  enum { kExiting = 4 }; /* PF_EXITING of the system */
  char path[80];
  const struct dirent *entry;
  DIR *threads;
  bool found = false;
  snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
  threads = opendir(path);
  if (threads == NULL) return false;
  while (!found && (entry = readdir(threads)) != NULL) {
    const long thread = strtol(entry->d_name, NULL, 10);
    thread_stat got;
    if (thread <= 0 || thread == (long)process) continue;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", (long)process, thread);
    found = read_stat(path, &got) && (got.flags & kExiting) == 0;
  }
  closedir(threads);
  return found;
}

/* A /proc of other process numbers may show another process by this number: not a child. */
static bool read_child(pid_t process, pid_t parent, thread_stat *out) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
  return read_stat(path, out) && out->parent == (long)parent;
}

bool process_is_child_of(pid_t process, pid_t parent) {
  thread_stat first;
  return read_child(process, parent, &first);
}

bool process_has_no_first_thread(pid_t process, pid_t parent) {
  thread_stat first;
  return read_child(process, parent, &first) && first.state == 'Z' && has_running_thread(process);
}

bool process_file_kill(int file) {
#ifdef SYS_pidfd_send_signal
  return syscall(SYS_pidfd_send_signal, file, SIGKILL, NULL, 0) == 0;
#else
  (void)file;
  return false;
#endif
}

static int call_futex(uint32_t *word, int operation, uint32_t value) {
#if defined(SYS_futex)
  return syscall(SYS_futex, word, operation, value, NULL) < 0 ? -1 : 0;
#elif defined(SYS_futex_time64)
  return syscall(SYS_futex_time64, word, operation, value, NULL) < 0 ? -1 : 0;
#else
  (void)word, (void)operation, (void)value;
  errno = ENOSYS;
  return -1;
#endif
}

int futex_wait(uint32_t *word, uint32_t value) {
  return call_futex(word, kFutexWait, value);
}

int futex_wake(uint32_t *word) {
  return call_futex(word, kFutexWake, 1);
}

int bell_make(void) {
  return eventfd(0, EFD_CLOEXEC);
}

int bell_ring(int bell) {
  return eventfd_write(bell, 1);
}

static int add_to_epoll(int epoll, int file, uint32_t events, epoll_event_kind kind) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.u32 = (uint32_t)kind;
  return file >= 0 ? epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) : -1;
}

int epoll_make(int bell, int process, int timer) {
  const uint32_t once = EPOLLIN | (uint32_t)EPOLLET;
  int epoll = -1;
  if (bell >= 0 && process >= 0 && timer >= 0) epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll >= 0 && (add_to_epoll(epoll, bell, once, kEpollRing) != 0 ||
                     add_to_epoll(epoll, timer, once, kEpollTimer) != 0 ||
                     add_to_epoll(epoll, process, EPOLLIN, kEpollEnd) != 0)) {
    close(epoll);
    epoll = -1;
  }
  return epoll;
}

int timer_make(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

int timer_set(int timer, int milliseconds) {
  struct itimerspec time;
  memset(&time, 0, sizeof time);
  time.it_value.tv_sec = milliseconds / 1000;
  time.it_value.tv_nsec = milliseconds % 1000 * 1000000L;
  return timerfd_settime(timer, 0, &time, NULL);
}

epoll_event_kind epoll_sleep(int epoll, int milliseconds) {
  struct epoll_event event;
  const int num_events = epoll_wait(epoll, &event, 1, milliseconds);
  if (num_events == 0) return kEpollTime;
  return num_events < 0 ? kEpollFailed : (epoll_event_kind)event.data.u32;
}

#endif
