/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a host and its helper share, and how one waits for the other. Both use this file.
 *
 * One file in memory holds a header and two regions, one for each side to write messages into. The
 * sides take turns: the one whose turn it is writes a message and hands the turn over. The helper
 * may write anything anywhere at any time, so the host copies what it reads before it checks it,
 * and never reads back what it has written itself.
 *
 * The file is sparse and much larger than what is used. It is sealed against shrinking, so that no
 * access can leave it.
 */
#ifndef TVM_FFI_ISOLATED_CHANNEL_H_
#define TVM_FFI_ISOLATED_CHANNEL_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The files that the helper finds open when it starts. */
enum {
  kFileChannel = 3, /* the shared memory */
  kFileSocket,      /* to wake a side in poll(); its end means that the host has ended */
  kFileBell,        /* to wake the host in epoll_wait(); else /dev/null */
  kFileOutput,      /* where the helper's own output arrives */
  kFilePool,        /* memory of tensors that the host allocates for helpers */
  kFileErrors,      /* the host's standard error, or /dev/null */
  kFileEnd
};

/* The arguments of the helper, which it has in a sandbox only. */
enum {
  kWordSandbox = 1, /* `all`, or `best`: without what the system refuses */
  kWordLibrary,     /* the path */
  kWordReads,       /* further paths, separated by colons */
  kNumWords
};

typedef enum { kSideHost, kSideHelper, kNumSides } side;

enum { kChannelVersion = 4, kNoteText = 6144, kOutputRing = 8192, kOutputPart = 4096 };

/* How the helper died, written by its signal handler. */
typedef struct {
  uint32_t signal; /* 0: nothing was written */
  uint32_t has_address;
  uint64_t address;
  uint64_t data_bytes; /* private memory at that moment */
  char backtrace[kNoteText];
} crash_note;

/* For atomic operations, which need this alignment on i386, too. */
typedef uint64_t __attribute__((aligned(8))) aligned_uint64;

/*
 * How a side sleeps, and so has to be woken: in poll() on its socket; the helper on the word
 * `turn`; the host in epoll_wait() on the bell.
 */
typedef enum { kSleepNot, kSleepPoll, kSleepFutex, kSleepEpoll } sleep_kind;

/* Why the helper ends itself, or the host ends it as one that serves nobody any more. */
typedef enum {
  kLeaveNot,
  kLeaveFiles,  /* its files were closed, or its memory overwritten */
  kLeaveThread, /* the thread that calls kernels has ended */
  kLeaveProgram /* it has closed the socket: most likely it executes another program */
} leave_reason;

typedef struct {
  uint64_t version;
  uint64_t region_size, pool_size;
  uint64_t memory, cpu_seconds, open_files; /* limits of the helper, 0: none */
  uint32_t forbids, shows_output;
  uint32_t serves;        /* by the helper: it has started */
  uint32_t leaves;        /* by the helper: a leave_reason, when it is about to end itself */
  uint32_t sandbox_parts; /* by the helper, before it has loaded anything: what keeps it in, */
  int32_t helper;         /* and its number for the host; 0: it is the host's child */
  char first_pad[64];
  uint32_t turn; /* the side that has to act */
  char turn_pad[60];
  uint32_t sleeps[kNumSides]; /* a sleep_kind */
  char sleeps_pad[56];
  struct {
    aligned_uint64 offset, size; /* in the region of the side that wrote it */
  } message[kNumSides];
  aligned_uint64 output_size; /* bytes that the helper printed, and has counted, so far */
  /*
   * The last of them, in a ring. The helper receives them in place, at most kOutputPart at a time.
   * The next kOutputPart bytes are zeros: if they are not, the helper died before it counted them.
   */
  char output[kOutputRing];
  crash_note note;
} channel_header;

/* The parts of the shared memory behind the header. */
typedef enum {
  kPartHost,   /* messages of the host */
  kPartHelper, /* those of the helper, */
  kPartHeap,   /* and tensors that kernels return */
  kNumParts
} channel_part;

typedef struct {
  side own_side;
  channel_header *header;
  size_t size; /* of the mapping that begins with the header */
  char *region[kNumSides];
  size_t region_size;
  size_t message_limit; /* messages lie in the first so many bytes of a region */
  size_t committed;     /* bytes of the own region that have memory; in the helper: may have */
  /*
   * In the host: bytes from the beginning of each part that can be accessed. The rest is addresses
   * only, which nothing that walks through the host's memory has to read.
   */
  size_t opened[kNumParts];
  int file, socket;
  int bell, timer, epoll; /* -1: the system did not give one; the helper has a bell only */
  bool timer_runs;
  dev_t bell_device; /* in the helper: what the bell is */
  ino_t bell_inode;
  int process;        /* of the helper, for poll(); -1: the system did not give one */
  pid_t child;        /* in the host: the helper, which is looked after now and then */
  pid_t helper;       /* in a sandbox, a child of that child; else the same */
  unsigned num_waits; /* so far */
  bool spins;         /* the process may use more than one processor */
  int misses;         /* how often in a row spinning was in vain */
  int64_t last_look;  /* in the host: at the helper, since the last message; 0: none yet */
  leave_reason left;  /* in the host: what it has seen itself */
  const char *failed; /* the call of the system that failed, while waking or waiting */
  int reason;         /* its errno */
} channel;

typedef enum {
  kWaitTurn,
  kWaitGone,
  kWaitTime,
  kWaitSignal,
  kWaitFailed, /* the members `failed` and `reason` say why */
  kWaitDamaged /* what the helper has written is damaged: it is nobody's turn */
} wait_result;

/* ---- Memory of the host ---- */

/* Makes the shared memory, with at most so many bytes for each side. -1 with errno set. */
int channel_create(channel *out, uint64_t pool_size, uint64_t most);
/* In the helper: finds it. */
int channel_open(channel *out);
/* Unmaps the memory; the files are the caller's. */
void channel_unmap(channel *self);

/* Makes more than `opened` bytes of a part accessible, `size` at least. False: it cannot. */
bool channel_open_more(channel *self, channel_part which, size_t size);
/* Makes sure that the first `size` bytes of a part can be accessed. False: they cannot. */
static inline bool channel_open_part(channel *self, channel_part which, size_t size) {
  return size <= self->opened[which] || channel_open_more(self, which, size);
}
/* Gives more than `committed` bytes of the own region memory, `size` at least. False: it cannot. */
bool channel_reserve_more(channel *self, size_t size);
/* Makes sure that the first `size` bytes of the own region can be written. False: they cannot. */
static inline bool channel_reserve(channel *self, size_t size) {
  return size <= self->committed || channel_reserve_more(self, size);
}
/*
 * Gives memory of large messages back, but what the last one took (`used`): as large a message may
 * follow, and pages of a file are slow to get. No message may be in use.
 */
void channel_trim(channel *self, size_t used);

/* Gives the memory of all messages back, after the helper has ended. Tensors stay. */
void channel_forget(channel *self);

/* ---- Turns ---- */

/* Hands the turn over, with a message in the own region. */
void channel_send(channel *self, size_t offset, size_t size);
/* Waits until it is this side's turn, or until the other has ended. A deadline of 0 is none. */
wait_result channel_wait(channel *self, int64_t deadline);

/* Nanoseconds of the system's monotonic clock. */
int64_t clock_now(void);

/* ---- Blocks of shared memory ---- */

/*
 * Hands out blocks of whole pages of a range, each with an unused page behind it. What it knows is
 * kept in private memory, out of reach of the other side.
 */
enum { kHeapClasses = 48 };

typedef struct {
  size_t *offsets;
  size_t count, capacity, num_blocks; /* free blocks, and all that were ever made */
} heap_class;

typedef struct {
  pthread_mutex_t lock;
  char *base;
  size_t begin, end; /* of the range; begin moves on */
  size_t opened;     /* bytes of it that can be accessed, of a host's pool */
  int file;          /* that the range is a mapping of; -1: memory is not reserved ahead */
  size_t file_offset;
  bool is_foreign; /* of the parent by fork, which still uses it: blocks are not taken back */
  heap_class classes[kHeapClasses];
} heap;

void heap_init(heap *self, char *base, size_t begin, size_t end, int file, size_t file_offset);
/* The address of a block; NULL without memory. */
void *heap_allocate(heap *self, size_t size);
void heap_free(heap *self, void *block, size_t size);

#endif /* TVM_FFI_ISOLATED_CHANNEL_H_ */
