/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a recording, each made again in a child process, and compared with what was recorded, or
 * with what another build of the library does. */
#ifndef TVM_FFI_TOOL_REPLAY_H_
#define TVM_FFI_TOOL_REPLAY_H_

#include "base/names.h"
#include "process/box.h"
#include "process/supervise.h"
#include "recording/recording.h"
#include "value/output.h"

typedef enum {
  kReplayNone,
  kReplaySame,    /* as recorded, or as the other library does it */
  kReplayDiffers, /* other results, or another error */
  kReplayRaised,  /* an error where there was none */
  kReplayCrashed, /* it did not come back */
  kReplayNothing, /* it returned, and there is nothing to compare with */
  kReplayLeftOut, /* it cannot be repeated */
  kNumReplayVerdicts
} replay_verdict;

/* What children tell: the last byte of the text is never written. */
typedef struct {
  volatile int verdict;
  volatile int has_error; /* numbers were compared */
  volatile double max_error;
  volatile int num_differing; /* tensors, for the page */
  char detail[1 << 14];
} replay_outcome;

/* A library of the recording, and what is called for it. */
typedef struct {
  const char *recorded, *recorded_id; /* path and build id; the id may be NULL */
  const char *called, *called_id;
  bool is_for_globals; /* only global functions are called: it may fail to load */
} replayed_library;

typedef enum { kBuildRecorded, kBuildOther, kBuildUnknown } replayed_build;

typedef struct {
  recording *r;
  const char *folder; /* of the recording */
  const recorded_call **calls;
  size_t num_calls;
  const char *lib, *against; /* NULL */
  char *lib_id;              /* the build id of `lib`; NULL */
  replayed_library *libraries;
  size_t num_libraries;
  const char *device_name; /* where tensors are made that were on a device; cpu: nowhere */
  supervision settings;
  tolerance allowed;
  bool json;
  box *told;               /* its record: */
  replay_outcome *outcome; /* and what the page shows of a call */
  replay_outcome seen;     /* the parent's copy, which no child can change */
  box *effects;            /* what a call of the other library did */
  bool trusts;             /* global functions are called, too: */
  name_table brought;      /* those that loading their library has registered in this process */
  bool in_order;           /* all calls are made in one process, whose box has outcomes of all: */
  box *all;
  const char *page_path; /* NULL: there is no page */
  bool has_commands;     /* on the page */
  drawing_budget budget;
  call_outcome *outcomes; /* of each call, for the page */
  size_t num_outcomes;
  /* of the call that is made now */
  const recorded_call *c;
  size_t num_shown; /* calls before it */
  bool is_other;    /* with the library of --against */
  /* counted */
  size_t counts[kNumReplayVerdicts];
  const recorded_call *first_bad, *last_differing;
  int first_code;
} replay;

/* ---- One call: replay_call.c ---- */

/* The library that stands for the recorded one of the call. */
const char *replay_choose_library(const replay *p);

/* Finds the libraries of all calls, and says which are other builds than the recorded ones. False
 * after a report that one may not be loaded. */
bool replay_find_libraries(replay *p);
replayed_build replay_compare_builds(const replayed_library *library);
/* The first library that is another build than the recorded one; NULL. */
const replayed_library *replay_find_other_build(const replay *p);

/* Makes the call. False after a report, with the exit code. */
bool replay_one(replay *p, int *out_code);
/* Makes all calls in one process, but those within others, which these make. Then replay_one() says
 * how the call went, for each in turn. False after a report, with the exit code. */
bool replay_in_order(replay *p, int *out_code);

/* ---- Comparing, in children: replay_compare.c ---- */

/* What is compared with: what was recorded, or what the other library did. */
typedef struct {
  bool has_ended; /* else it crashed, or the recording ended before it */
  bool has_raised;
  bool is_unknown; /* recording ended early, and the call may have gone on */
  char *error;     /* "ValueError: x is empty", or how it crashed */
  bool has_result;
  TVMFFIAny result;            /* a view */
  TVMFFIObjectHandle *tensors; /* packed; NULL: not known */
  size_t num_tensors;
} expected_effects;

typedef struct {
  const replay *p;
  TVMFFIObjectHandle function;
  call_values values;
  int code;
  TVMFFIAny result;
  char *error; /* if it failed */
} replayed_call;

void replay_tell(const replay *p, replay_verdict verdict, const char *text);
/* "recorded" or "libold.so" */
const char *replay_name_expected(const replay *p);
/* Judges a call that came back. `before` has the tensors as they were. */
void replay_judge(const replayed_call *replayed, const call_values *before,
                  const expected_effects *wanted);
/* Draws the tensors that the child found to differ; returns how many more there were. */
size_t replay_draw_differences(replay *p, text_buf *out);

/* ---- What is shown: replay_report.c ---- */

/* As JSON. */
void replay_show_libraries(const replay *p);
/* Shows and counts the call. */
void replay_show_call(replay *p);
/* Keeps what the page shows of it. */
void replay_keep_outcome(replay *p);
void replay_show_sum(const replay *p);

#endif /* TVM_FFI_TOOL_REPLAY_H_ */
