/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what belongs to the host, and should be as it was after a call. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/rows.h"
#include "value/number.h"

static const char *name_mode(int mode) {
  return mode == FE_UPWARD       ? "upward"
         : mode == FE_DOWNWARD   ? "downward"
         : mode == FE_TOWARDZERO ? "toward zero"
         : mode == FE_TONEAREST  ? "to nearest"
                                 : "unknown";
}

static void judge_rounding(attempt *a, const probe_case *which, outcome *out) {
  const int mode = fegetround();
  const volatile bool subnormals = host_has_subnormals(); /* compared now, not after the call */
  process_state before, after;
  (void)which;
  process_state_read(&before);
  if (!call_often(a, 1, out)) return;
  process_state_read(&after);
  if (fegetround() != mode) {
    judge(out, kFailed, "the rounding mode is %s after the call, %s before",
          name_mode(fegetround()), name_mode(mode));
  } else if (after.traps != before.traps) {
    judge(out, kFailed, "the call changed which floating-point exceptions end the program");
  } else if (host_has_subnormals() != subnormals) {
    judge(out, kFailed, "the call changed whether tiny numbers are flushed to zero");
  } else {
    judge(out, kPassed, "as before");
  }
}

/* Whether the call leaves the locale that is set; else it has been judged. */
static bool keeps_locale(attempt *a, outcome *out) {
  const char *name = setlocale(LC_ALL, NULL);
  char *old = tool_copy(name, strlen(name));
  process_state before, after;
  if (read_states(a, 0, 1, &before, &after, out)) {
    name = setlocale(LC_ALL, NULL);
    if (strcmp(name, old) != 0) {
      judge(out, kFailed, "the locale is %s after the call, %s before", name, old);
    } else if (before.locale != after.locale) {
      judge(out, kFailed, "the thread has another locale after the call");
    }
  }
  free(old);
  return out->verdict == kVerdictNone;
}

/* Also where the host has another one than "C", which a function may set. */
static void judge_locale(attempt *a, const probe_case *which, outcome *out) {
  (void)which;
  if (!keeps_locale(a, out)) return;
  if (setlocale(LC_ALL, "C.UTF-8") != NULL && !keeps_locale(a, out)) return;
  judge(out, kPassed, "as before");
}

static void judge_signals(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  int i;
  (void)which;
  if (!read_states(a, 0, 1, &before, &after, out)) return;
  for (i = 1; i < kMaxSignals; ++i) {
    if (before.handlers[i] == after.handlers[i]) continue;
    judge(out, kFailed, "signal %d (%s) has another handler after the call", i,
          child_crash_name(i));
    return;
  }
  if (before.blocked != after.blocked) {
    judge(out, kFailed, "the call changed which signals are blocked");
    return;
  }
  judge(out, kPassed, "as before");
}

static void judge_environment(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  const char *changed;
  (void)which;
  if (!read_states(a, 0, 1, &before, &after, out)) return;
  changed = before.streams != after.streams         ? "what standard input, output or error is"
            : before.folder != after.folder         ? "the working directory"
            : before.variables != after.variables   ? "the environment"
            : before.mask != after.mask             ? "the mask of new files (umask)"
            : before.processors != after.processors ? "which processors the thread may use"
            : before.limits != after.limits         ? "the limits of resources"
            : before.has_timer != after.has_timer   ? "a timer, which now runs"
            : before.priority != after.priority     ? "the priority of the process"
                                                    : NULL;
  if (changed != NULL) {
    judge(out, kFailed, "the call changed %s", changed);
  } else {
    judge(out, kPassed, "as before");
  }
}

static void judge_processes(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  process_adopt();
  if (!read_states(a, kFew, kFew, &before, &after, out)) return;
  if (process_has_children()) {
    judge(out, kFailed, "a process that the call started stays, or nobody waits for it");
  } else if (after.num_threads >= before.num_threads + kFew) {
    judge(out, kFailed, "%d calls left %zu threads", (int)kFew,
          after.num_threads - before.num_threads);
  } else {
    judge(out, kPassed, "none");
  }
}

/* Calls that may print what others do not: a warning, or that they are refused. */
static const char *const kVaried[] = {"NaN", "tensors without elements", "another shape"};
enum { kVariedNan, kVariedEmpty, kNumVaried = sizeof kVaried / sizeof *kVaried };

/* Changes the arguments; false if there is nothing to change, or with an error raised. */
static bool vary(attempt *a, size_t how, size_t i) {
  const DLTensor *tensor = find_tensor(a->s, i);
  int64_t shape[kLayoutMaxDims];
  size_t k;
  if (tensor == NULL) return false;
  if (how == kVariedNan) {
    if (subject_fills(a->s, i) || tensor->dtype.code != kDLFloat || tensor->dtype.lanes != 1)
      return false;
    for (k = 0; k < (size_t)tvm_ffi_tensor_get_numel(tensor); ++k) {
      number_set_real(tensor->dtype, a->args[i].before, k, NAN);
    }
    return attempt_reset(a);
  }
  if (tensor->ndim == 0) return false;
  if (how == kVariedEmpty) return set_extent(a, tensor->shape[0], 0, 0, &kLayoutPacked);
  memcpy(shape, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  shape[tensor->ndim - 1] += 1;
  return attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &kLayoutPacked, NULL);
}

/* Whether nothing was printed; else it has been judged. */
static bool is_silent(const char *when, outcome *out) {
  char begin[40];
  const size_t size = results_captured(begin, sizeof begin);
  if (size == 0) return true;
  judge(out, kFailed, "it prints to standard output%s: %s%s", when, begin,
        size >= sizeof begin ? "..." : "");
  return false;
}

static void judge_prints(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  size_t how, i;
  (void)which;
  if (!results_capture()) {
    judge(out, kLeftOut, "there is no pipe for what it prints");
    return;
  }
  if (!call_often(a, 1, out) || !is_silent("", out)) return;
  judge(out, kLeftOut, "other calls crash, which other rows judge"); /* what holds if they do */
  for (how = 0; how < kNumVaried; ++how) {
    for (i = 0; i < s->inputs->size; ++i) {
      char when[64];
      attempt other;
      bool silent;
      snprintf(when, sizeof when, ", with %s for argument %s", kVaried[how], s->places[i].label);
      if (attempt_init(&other, s, NULL) && vary(&other, how, i)) (void)attempt_call(&other);
      silent = is_silent(when, out);
      attempt_free(&other);
      TVMFFIErrorSetRaised(NULL);
      if (!silent) return;
    }
  }
  judge(out, kPassed, "nothing");
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"rounding", "changes of the rounding mode", NULL,
      "`fesetround`, `-ffast-math` at link time: these are the host's to set"},
     list_once,
     0,
     NULL,
     judge_rounding,
     NULL,
     0},
    {{"locale", "changes of the locale", NULL, "`setlocale`: pass a `locale_t` instead"},
     list_once,
     0,
     NULL,
     judge_locale,
     NULL,
     0},
    {{"signals", "changes of signal handlers", NULL,
      "`signal`, `sigaction`: these are the host's to set"},
     list_once,
     0,
     NULL,
     judge_signals,
     NULL,
     0},

    {{"environment",
      "changes of the folder, variables, umask, limits, processors, timers, priority", NULL,
      "`chdir`, `setenv`, `umask`, `setrlimit`, `sched_setaffinity`, `alarm`, `nice`: these are "
      "the host's to set"},
     list_once,
     0,
     NULL,
     judge_environment,
     NULL,
     0},
    {{"processes", "processes that stay, and threads of each call", NULL,
      "`fork` or `popen` without waiting for the end; a daemon; a thread that nobody joins"},
     list_once,
     0,
     NULL,
     judge_processes,
     NULL,
     0},
    {{"prints", "text on standard output, also with NaN, no elements, another shape", NULL,
      "a `printf` that was forgotten; programs write their results there"},
     list_once,
     0,
     NULL,
     judge_prints,
     NULL,
     0},
};
const row_group kHostRows = {
    "host",
    {"host:", "what belongs to the host, and should be as it was", NULL, WHY_KERNELS_FAIL},
    "leaves the host as it was",
    "changes of the host:",
    kRows,
    sizeof kRows / sizeof *kRows};
