/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_NORESERVE, waitid */
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

/* ---- Memory ---- */

static size_t round_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/* Half of the helper's region is for tensors that kernels return. */
static void set_regions(channel *self, size_t region_size) {
  const size_t begin = round_up(sizeof(channel_header), memory_page_size());
  self->region_size = region_size;
  self->message_limit = region_size / 2;
  self->region[kSideHost] = (char *)self->header + begin;
  self->region[kSideHelper] = self->region[kSideHost] + region_size;
  self->size = begin + 2 * region_size;
}

/* Makes more of a range accessible: at least twice as much each time. */
static bool open_range(char *base, size_t *opened, size_t size, size_t most) {
  size_t wanted = *opened < 1 << 20 ? 1 << 20 : *opened;
  if (size <= *opened) return true;
  while (wanted < size) wanted *= 2;
  if (wanted > most) wanted = most;
  if (mprotect(base + *opened, wanted - *opened, PROT_READ | PROT_WRITE) != 0) return false;
  *opened = wanted;
  return true;
}

bool channel_open_more(channel *self, channel_part which, size_t size) {
  char *base = self->region[which == kPartHost ? kSideHost : kSideHelper];
  size_t most = which == kPartHost ? self->region_size : self->message_limit;
  if (self->own_side != kSideHost) return true;
  if (which == kPartHeap) {
    base += self->message_limit;
    most = self->region_size - self->message_limit;
  }
  return open_range(base, &self->opened[which], size, most);
}

int channel_create(channel *out, uint64_t pool_size, uint64_t most) {
  const size_t begin = round_up(sizeof(channel_header), memory_page_size());
  /* Addresses and sizes of files only; a process may have little of either. */
  size_t region = sizeof(void *) >= 8 ? (size_t)1 << (sizeof(void *) * 8 - 28) : (size_t)1 << 26;
  const size_t least = (size_t)1 << 20;
  int reason = 0;
  if (most < region) region = most < least ? least : round_up((size_t)most, least);
  memset(out, 0, sizeof *out);
  out->own_side = kSideHost;
  out->file = out->socket = out->bell = out->timer = out->epoll = out->process = -1;
  for (; region >= least; region = region / 8 / least * least) {
    void *memory;
    out->file = memory_file("tvm_ffi_isolated", begin + 2 * (uint64_t)region);
    if (out->file < 0) {
      reason = errno;
      continue;
    }
    memory = mmap(NULL, begin + 2 * region, PROT_NONE, MAP_SHARED | MAP_NORESERVE, out->file, 0);
    if (memory != MAP_FAILED) {
      /* The header has its memory from now on. */
      if (memory_reserve(out->file, 0, begin) == 0 &&
          mprotect(memory, begin, PROT_READ | PROT_WRITE) == 0) {
        memory_hide(memory, begin + 2 * region);
        out->header = memory;
        set_regions(out, region);
        out->header->version = kChannelVersion;
        out->header->region_size = region;
        out->header->pool_size = pool_size;
        return 0;
      }
      reason = errno;
      munmap(memory, begin + 2 * region);
    } else {
      reason = errno;
    }
    close(out->file);
    out->file = -1;
  }
  errno = reason;
  return -1;
}

int channel_open(channel *out) {
  const size_t begin = round_up(sizeof(channel_header), memory_page_size());
  channel_header *header;
  struct stat status;
  memset(out, 0, sizeof *out);
  out->own_side = kSideHelper;
  out->file = kFileChannel;
  out->socket = kFileSocket;
  out->bell = kFileBell;
  out->timer = out->epoll = out->process = -1;
  if (fstat(kFileBell, &status) != 0) return -1;
  out->bell_device = status.st_dev;
  out->bell_inode = status.st_ino;
  if (fstat(kFileChannel, &status) != 0) return -1;
  header = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                kFileChannel, 0);
  if (header == MAP_FAILED) return -1;
  out->header = header;
  set_regions(out, (size_t)header->region_size);
  out->committed = out->message_limit; /* the host alone reserves memory ahead */
  /* The system may round sizes up to its own pages. */
  if (header->version != kChannelVersion || out->size > (size_t)status.st_size ||
      (size_t)status.st_size < begin) {
    errno = EPROTO;
    return -1;
  }
  /* What a kernel starts has no channel; it may have arguments, which lie behind the header. */
  memory_keep_from_children(header, begin);
  return 0;
}

void channel_unmap(channel *self) {
  if (self->header != NULL) munmap(self->header, self->size);
  self->header = NULL;
}

/*
 * Without memory, touching a page of the file would end the process by SIGBUS; memory_reserve()
 * says so beforehand.
 */
bool channel_reserve_more(channel *self, size_t size) {
  const size_t begin = (size_t)(self->region[kSideHost] - (char *)self->header);
  size_t wanted = self->committed < 65536 ? 65536 : self->committed;
  if (size > self->message_limit) return false;
  while (wanted < size) wanted *= 2;
  if (wanted > self->message_limit) wanted = self->message_limit;
  if (!channel_open_part(self, kPartHost, wanted)) return false;
  if (memory_reserve(self->file, begin + self->committed, wanted - self->committed) != 0) {
    memory_give_back(self->region[kSideHost] + self->committed, wanted - self->committed);
    return false;
  }
  self->committed = wanted;
  return true;
}

void channel_trim(channel *self, size_t used) {
  const size_t always = (size_t)1 << 24;
  const size_t kept = used < always ? always : round_up(used, memory_page_size());
  if (self->committed / 2 < kept || self->own_side != kSideHost) return;
  if (memory_give_back(self->region[self->own_side] + kept, self->committed - kept) == 0) {
    self->committed = kept;
  }
}

/* The system takes memory back only where it can be accessed. */
static void forget_messages(channel *self, channel_part which, size_t size) {
  char *base = self->region[which == kPartHost ? kSideHost : kSideHelper];
  if (!channel_open_part(self, which, size)) return;
  memory_give_back(base, size);
  if (mprotect(base, size, PROT_NONE) == 0) self->opened[which] = 0;
}

void channel_forget(channel *self) {
  forget_messages(self, kPartHost, self->region_size);
  forget_messages(self, kPartHelper, self->message_limit);
  self->committed = 0;
}

/* ---- Turns ---- */

int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool has_turn(const channel *self) {
  return __atomic_load_n(&self->header->turn, __ATOMIC_ACQUIRE) == (uint32_t)self->own_side;
}

static wait_result note_failure(channel *self, const char *call, int reason) {
  self->failed = call;
  self->reason = reason;
  return kWaitFailed;
}

/* Whether the helper has its bell: a kernel may have closed it, and opened another file instead. */
static bool has_bell(const channel *self) {
  struct stat status;
  return fstat(self->bell, &status) == 0 && status.st_dev == self->bell_device &&
         status.st_ino == self->bell_inode;
}

/*
 * Either the other side sees the turn before it sleeps, or this side sees that it sleeps: both
 * write first and then read, and all four are sequentially consistent.
 */
void channel_send(channel *self, size_t offset, size_t size) {
  channel_header *header = self->header;
  const side other = self->own_side == kSideHost ? kSideHelper : kSideHost;
  uint32_t sleeps;
  self->failed = NULL;
  self->last_look = 0;
  header->message[self->own_side].offset = offset;
  header->message[self->own_side].size = size;
  __atomic_store_n(&header->turn, (uint32_t)other, __ATOMIC_SEQ_CST);
  sleeps = __atomic_load_n(&header->sleeps[other], __ATOMIC_SEQ_CST);
  if (sleeps == kSleepFutex) {
    if (futex_wake(&header->turn) != 0) (void)note_failure(self, "futex", errno);
  } else if (sleeps == kSleepEpoll && self->own_side == kSideHelper) {
    /* Only the helper, as a write may block. The host never reads the count. */
    if (!has_bell(self)) {
      (void)note_failure(self, "eventfd", EBADF);
    } else if (bell_ring(self->bell) != 0) {
      (void)note_failure(self, "eventfd", errno);
    }
  } else if (sleeps != kSleepNot) {
    /*
     * Flags of the call and not of the file: the other side could change those. A full socket
     * wakes, too, and a closed one is noticed by the wait; otherwise the other side sleeps on.
     */
    if (send(self->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN &&
        errno != EPIPE && errno != ECONNRESET) {
      (void)note_failure(self, "send", errno);
    }
  }
}

static inline void relax(void) {
#if defined(__i386__) || defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/* Whether the other side may run while this one spins. It is asked at times, as that may change. */
static bool has_processors(channel *self) {
  enum { kWaits = 256 };
  if (self->num_waits++ % kWaits == 0) {
    self->spins = can_use_processors();
  }
  return self->spins;
}

/* Kernels that take longer than this are not worth to spin for, once a few of them were seen. */
static bool spin(channel *self) {
  enum { kSpinLong = 20000, kSpinShort = 1000, kRound = 64 };
  const int64_t limit = self->misses < 8 || self->misses % 16 == 0 ? kSpinLong : kSpinShort;
  int64_t begin;
  int i;
  if (!has_processors(self)) return has_turn(self);
  begin = clock_now();
  do {
    for (i = 0; i < kRound; ++i) {
      if (has_turn(self)) {
        self->misses = 0;
        return true;
      }
      relax();
    }
  } while (clock_now() - begin < limit);
  ++self->misses;
  return false;
}

/*
 * Whether the helper has ended. Its socket does not tell that alone: a process that it has started
 * may hold it. A helper that made the host its tracer and was stopped counts as ended, because it
 * never continues: waitid reports the stops of tracees even without WSTOPPED.
 */
static bool child_has_ended(const channel *self) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  return waitid(P_PID, (id_t)self->child, &info, WEXITED | WNOHANG | WNOWAIT) != 0
             ? errno == ECHILD
             : info.si_pid == self->child;
}

static pid_t parent_of_helper(const channel *self) {
  return self->helper != self->child ? self->child : getpid();
}

/* Whether the other end of the socket is closed: the helper executes another program, or has ended.
 */
static bool socket_has_ended(const channel *self) {
  struct pollfd file;
  file.fd = self->socket;
  file.events = 0;
  file.revents = 0;
  return poll(&file, 1, 0) > 0 && (file.revents & (POLLHUP | POLLERR)) != 0;
}

enum { kLookMilliseconds = 200 };

/*
 * In the host, now and then while it sleeps: kernels can overwrite the words on which both sides
 * wait, and end or stop the helper in ways that no file descriptor reports. Returns what was missed
 * so far, and wakes a helper that was not woken.
 */
static wait_result look_at_helper(channel *self) {
  const uint32_t turn = __atomic_load_n(&self->header->turn, __ATOMIC_SEQ_CST);
  self->last_look = clock_now();
  if (turn == (uint32_t)self->own_side) return kWaitTurn;
  if (turn >= kNumSides) return kWaitDamaged;
  if (child_has_ended(self)) return kWaitGone;
  if (process_has_no_first_thread(self->helper, parent_of_helper(self))) {
    self->left = kLeaveThread;
  } else if (socket_has_ended(self)) {
    self->left = kLeaveProgram;
  }
  if (self->left != kLeaveNot) return kWaitGone;
  (void)futex_wake(&self->header->turn);
  (void)!send(self->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  return kWaitTurn;
}

/* Says how this side is about to sleep. Returns whose turn it is: if its own, it must not. */
static uint32_t begin_sleep(channel *self, sleep_kind kind) {
  channel_header *header = self->header;
  __atomic_store_n(&header->sleeps[self->own_side], (uint32_t)kind, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&header->turn, __ATOMIC_SEQ_CST);
}

/*
 * In the helper: sleeps until the host calls. This takes less time than a socket, which counts if
 * both sides share a processor. A futex tells of nothing else, and does not need to: the helper's
 * other thread notices the end of the host. False: the system has none, or a signal came.
 */
static bool sleep_on_turn(channel *self) {
  uint32_t turn;
  while ((turn = begin_sleep(self, kSleepFutex)) != (uint32_t)self->own_side) {
    if (futex_wait(&self->header->turn, turn) != 0 && errno != EAGAIN) return false;
  }
  return true;
}

/*
 * The time until the next look or the deadline, whichever is first. Looks count from the first
 * sleep after a message, as signals may end each sleep sooner.
 */
static int64_t time_to_sleep(channel *self, int64_t deadline) {
  const int64_t look = kLookMilliseconds * (int64_t)1000000, now = clock_now();
  int64_t left;
  if (self->last_look == 0) self->last_look = now;
  left = self->last_look + (self->process < 0 ? look / 4 : look) - now;
  if (deadline != 0 && deadline - now < left) left = deadline - now;
  return left < 0 ? 0 : left;
}

/*
 * In the host: sleeps until the helper rings or ends, the timer ends the sleep (kWaitTime), or the
 * deadline has passed. The system tells of the end, whatever the helper has written into the
 * memory.
 */
static wait_result sleep_in_epoll(channel *self, int64_t deadline) {
  enum { kMost = 1000000 };
  int64_t left = -1;
  if (!self->timer_runs) self->timer_runs = timer_set(self->timer, kLookMilliseconds) == 0;
  if (!self->timer_runs) {
    left = time_to_sleep(self, deadline) / 1000000 + 1;
  } else if (deadline != 0) {
    left = (deadline - clock_now()) / 1000000 + 1;
    left = left < 0 ? 0 : left > kMost ? kMost : left;
  }
  switch (epoll_sleep(self->epoll, (int)left)) {
    case kEpollFailed:
      return errno == EINTR ? kWaitSignal : note_failure(self, "epoll_wait", errno);
    case kEpollEnd:
      return kWaitGone;
    case kEpollTimer:
      self->timer_runs = false;
      return kWaitTime;
    case kEpollTime:
      return kWaitTime;
    default:
      return kWaitTurn;
  }
}

/*
 * Sleeps until the other side calls, ends, or the time has passed, which is negative for ever:
 * where the system has nothing that takes less time.
 */
static wait_result sleep_in_poll(channel *self, int64_t time) {
  struct pollfd files[2];
  struct timespec left;
  char bytes[64];
  int num_events;
  left.tv_sec = (time_t)(time / 1000000000);
  left.tv_nsec = (long)(time % 1000000000);
  files[0].fd = self->socket;
  files[1].fd = self->process;
  files[0].events = files[1].events = POLLIN;
  files[0].revents = files[1].revents = 0;
  num_events = poll_files(files, 2, time >= 0 ? &left : NULL);
  if (num_events < 0) return errno == EINTR ? kWaitSignal : note_failure(self, "poll", errno);
  if (num_events == 0) return kWaitTime;
  if ((files[1].revents & POLLNVAL) != 0) return note_failure(self, "poll", EBADF);
  if (files[1].revents != 0) return kWaitGone;
  if (files[0].revents != 0) {
    const ssize_t size = recv(self->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return kWaitGone;
    if (size < 0 && errno != EAGAIN && errno != EINTR) return note_failure(self, "recv", errno);
  }
  return kWaitTurn;
}

static wait_result host_sleep(channel *self, int64_t deadline) {
  enum { kManyRings = 1024 }; /* in vain: there is no time without a ring */
  const bool has_epoll = self->epoll >= 0;
  wait_result result = kWaitTurn;
  int num_rings = 0;
  while (begin_sleep(self, has_epoll ? kSleepEpoll : kSleepPoll) != (uint32_t)kSideHost) {
    result = has_epoll ? sleep_in_epoll(self, deadline)
                       : sleep_in_poll(self, time_to_sleep(self, deadline));
    if (result != kWaitTime && result != kWaitTurn) return result;
    if (deadline != 0 && clock_now() >= deadline) return kWaitTime;
    if (result == kWaitTime || ++num_rings % kManyRings == 0) {
      result = look_at_helper(self);
      /* A signal that came meanwhile has ended no sleep: the frontend is asked. */
      return result == kWaitTurn ? kWaitSignal : result;
    }
  }
  return kWaitTurn;
}

static wait_result helper_sleep(channel *self) {
  wait_result result = kWaitTurn;
  if (sleep_on_turn(self)) return kWaitTurn;
  while (result == kWaitTurn && begin_sleep(self, kSleepPoll) != (uint32_t)kSideHelper) {
    result = sleep_in_poll(self, -1);
  }
  return result;
}

wait_result channel_wait(channel *self, int64_t deadline) {
  wait_result result;
  if (spin(self)) return kWaitTurn;
  if (self->failed != NULL) return kWaitFailed; /* the other side was not woken */
  result = self->own_side == kSideHost ? host_sleep(self, deadline) : helper_sleep(self);
  __atomic_store_n(&self->header->sleeps[self->own_side], kSleepNot, __ATOMIC_RELAXED);
  return has_turn(self) ? kWaitTurn : result;
}

/* ---- Blocks of shared memory ---- */

void heap_init(heap *self, char *base, size_t begin, size_t end, int file, size_t file_offset) {
  memset(self, 0, sizeof *self);
  pthread_mutex_init(&self->lock, NULL);
  self->base = base;
  self->begin = begin;
  self->end = end;
  self->file = file;
  self->file_offset = file_offset;
}

/* Blocks of class k have 2^k pages. */
static int class_of(size_t size) {
  size_t pages = size / memory_page_size() + (size % memory_page_size() != 0);
  int k = 0;
  while (k < kHeapClasses - 1 && (size_t)1 << k < pages) ++k;
  return k;
}

/* The offset of a new block, or SIZE_MAX. There is room to take it back later. */
static size_t make_block(heap *self, heap_class *blocks, int k) {
  const size_t size = memory_page_size() << k;
  size_t offset = self->begin;
  if (size > self->end - self->begin || self->end - self->begin - size < memory_page_size()) {
    return SIZE_MAX;
  }
  if (self->file >= 0 && !open_range(self->base, &self->opened, offset + size, self->end)) {
    return SIZE_MAX;
  }
  if (blocks->num_blocks == blocks->capacity) {
    const size_t capacity = blocks->capacity == 0 ? 8 : 2 * blocks->capacity;
    size_t *offsets = realloc(blocks->offsets, capacity * sizeof *offsets);
    if (offsets == NULL) return SIZE_MAX;
    blocks->offsets = offsets;
    blocks->capacity = capacity;
  }
  ++blocks->num_blocks;
  self->begin += size + memory_page_size();
  return offset;
}

enum { kKeptBlock = 1 << 20 }; /* smaller blocks keep their memory while they are free */

void *heap_allocate(heap *self, size_t size) {
  const int k = class_of(size);
  heap_class *blocks = &self->classes[k];
  size_t offset, bytes = memory_page_size() << k;
  if (size > self->end) return NULL;
  pthread_mutex_lock(&self->lock);
  offset = blocks->count > 0 ? blocks->offsets[--blocks->count] : make_block(self, blocks, k);
  pthread_mutex_unlock(&self->lock);
  if (offset == SIZE_MAX) return NULL;
  if (bytes > kKeptBlock) bytes = round_up(size, memory_page_size());
  if (self->file >= 0 && memory_reserve(self->file, self->file_offset + offset, bytes) != 0) {
    heap_free(self, self->base + offset, size);
    return NULL;
  }
  return self->base + offset;
}

void heap_free(heap *self, void *block, size_t size) {
  const int k = class_of(size);
  heap_class *blocks = &self->classes[k];
  const size_t offset = (size_t)((char *)block - self->base), bytes = memory_page_size() << k;
  if (self->is_foreign) return;
  if (bytes > kKeptBlock) memory_give_back(block, round_up(size, memory_page_size()));
  pthread_mutex_lock(&self->lock);
  blocks->offsets[blocks->count++] = offset;
  pthread_mutex_unlock(&self->lock);
}
