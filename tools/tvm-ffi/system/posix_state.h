/* SPDX-License-Identifier: Apache-2.0 */
/* What a call should leave as it was, and what it should not depend on: for probe, which Windows
 * does not have. */
#ifndef TVM_FFI_TOOL_POSIX_STATE_H_
#define TVM_FFI_TOOL_POSIX_STATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { kMaxSignals = 65 };

typedef struct {
  bool knows_mappings; /* whether the system tells the next two */
  size_t num_mappings;
  uint64_t mapped; /* bytes of mappings other than the heap */
  size_t num_descriptors;
  bool knows_heap;
  uint64_t heap; /* bytes that malloc has given out */
  void *locale;  /* of this thread */
  void *handlers[kMaxSignals];
  int traps; /* floating-point exceptions that end the program */
  bool has_timer;
  /* Digests, and the umask: */
  uint64_t blocked, folder, variables, processors, limits;
  unsigned mask;
  int priority;
  uint64_t streams;   /* which files descriptors 0 to 2 are */
  size_t num_threads; /* 0: the system does not tell */
} process_state;

void process_state_read(process_state *out);
/* Only what belongs to the host: no counts of what was taken. It is fast. */
void process_state_read_host(process_state *out);

/* Frees blocks full of this byte, so that malloc gives them out to others: of each size up to
 * `most` bytes so many, up to 8. */
void heap_fill(int byte, size_t most, size_t alike);

/* From now on, malloc gives out blocks that are full of this byte, where the system can; 0: as they
 * are. Large blocks then take memory, and time. */
void heap_mark(int byte);

/* Leaves floating-point exceptions and errno as a host may have them that looks at neither. */
void process_leave_errors(void);

/* Lets orphans of processes that this one starts become its children, where the system can. */
void process_adopt(void);
/* Whether there are children, which run or wait to be waited for. */
bool process_has_children(void);

/* From now on, the begin of what is written to descriptor 1 is kept, and writing more fails; false
 * if there is no pipe for that. */
bool results_capture(void);
/* Ends that, and copies the first bytes as text. How many there are; out_size: more than that. */
size_t results_captured(char *out, size_t out_size);

/* Refuses this process more than so many bytes of memory beyond what it has. */
void process_limit_memory(uint64_t more);

/* Runs the body in so many threads at once, with 0 to count - 1 as `i`. False if they cannot be
 * started. */
bool threads_run(size_t count, void (*body)(void *context, size_t i), void *context);

#endif /* TVM_FFI_TOOL_POSIX_STATE_H_ */
