/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of calls that probe makes of one that works, and how each of them is judged. */
#ifndef TVM_FFI_TOOL_ROWS_H_
#define TVM_FFI_TOOL_ROWS_H_

#include "probe/attempt.h"

typedef enum { kVerdictNone, kPassed, kRefused, kFailed, kLeftOut } verdict;

/* What a child process tells its parent about a call. */
typedef struct {
  volatile int verdict;
  volatile int names_argument; /* of a wrong call that was refused; -1: it need not */
  char detail[2048];           /* why, as one line; the last byte is never written */
} outcome;

typedef struct row row;

/* One call, or a few, of a row. */
typedef struct {
  const row *kind;
  char name[64];  /* "misaligned:0:byte", for --only */
  int arg;        /* the argument that it is about; -1: all tensors */
  int64_t number; /* what else there is to choose */
} probe_case;

typedef struct {
  probe_case *items;
  size_t size;
} case_list;

enum {
  kRowNeedsHost = 1,    /* memory that the CPU can use */
  kRowNamesArgument = 2 /* an error is to say which argument is wrong */
};

struct row {
  const char *group, *name;
  const char *title; /* what is passed, or looked at, in a few words */
  void (*list)(const subject *s, const row *kind, int64_t choice, case_list *out);
  int64_t choice; /* for `list` */
  void (*run)(const subject *s, const probe_case *which, outcome *out);
  /* Sets the layout of a tensor, for run_arranged(); `chosen` is the number of the case, `strides`
   * are room for strides. Or NULL. */
  void (*arrange)(const DLTensor *tensor, int64_t chosen, layout *how, int64_t *strides);
  int flags;
};

/* In the order in which they are shown. The last one, kNamedRow, has no calls of its own: whether
 * the errors of wrong calls say which argument is meant. */
extern const row kRows[];
extern const size_t kNumRows;
#define kNamedRow (&kRows[kNumRows - 1])

/* All calls that are related to this one. */
void rows_list(const subject *s, case_list *out);

/* Before the runtime is used: lets rows make its allocations fail, if it can do that. */
void rows_prepare(void);

/* How a call is judged after which the process did not end by itself; `ending` says how it ended.
 */
void rows_judge_end(const probe_case *which, const char *ending, outcome *out);

#endif /* TVM_FFI_TOOL_ROWS_H_ */
