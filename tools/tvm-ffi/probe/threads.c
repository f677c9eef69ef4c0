/* SPDX-License-Identifier: Apache-2.0 */
/* The row of calls in two threads: one is held at an element of an argument while another runs to
 * its end, which finds each buffer that they share; and both call again and again. */
#include <string.h>

#include "base/report.h"
#include "probe/rows.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/tensor.h"

/* ---- Both again and again ---- */

enum { kNumThreads = 2 };

typedef struct {
  const subject *s;
  attempt attempts[kNumThreads];
  effects expected[kNumThreads];
  outcome outcomes[kNumThreads];
  volatile int calls[kNumThreads];
  double begin;
} race;

/* Threads may have to share a processor with other programs: all of them make some calls, unless
 * that takes very long. */
static bool has_raced(const race *r) {
  enum { kCalls = 100 };
  const double shortest = 0.1, longest = 4, passed = clock_seconds() - r->begin;
  size_t i;
  for (i = 0; i < kNumThreads && passed < longest; ++i) {
    if (r->calls[i] < kCalls && r->outcomes[i].verdict == kVerdictNone) return false;
  }
  return passed > shortest;
}

static void run_in_thread(void *context, size_t i) {
  race *r = context;
  attempt *a = &r->attempts[i];
  outcome *out = &r->outcomes[i];
  text_buf wrong = {NULL, 0, 0};
  do {
    if (!attempt_call_here(a)) {
      leave_out(out);
    } else if (!attempt_is_clean(a, &wrong)) {
      judge(out, kFailed, "%s", wrong.data);
    } else if (!a->returned) {
      attempt_describe_error(a, &wrong);
      judge(out, kFailed, "the call that works raised %s", wrong.data);
    } else if (look_at_effects(a, &r->expected[i], !r->s->may_vary, out) && !attempt_reset(a)) {
      leave_out(out);
    }
    ++r->calls[i];
  } while (out->verdict == kVerdictNone && !has_raced(r));
  text_free(&wrong);
  TVMFFIErrorSetRaised(NULL);
}

static int race_threads(void *context) {
  return threads_run(kNumThreads, run_in_thread, context) ? 0 : -1;
}

/* The arguments of the i-th thread, and what they should lead to, found out by a call before. The
 * first has those of the call that works, and so have others if they are refused otherwise. */
static bool prepare_thread(race *r, size_t i, outcome *out) {
  attempt *a = &r->attempts[i];
  bool good = attempt_init(a, r->s, NULL) && (i == 0 || change_inputs(a));
  if (good && i > 0 && !call_and_look(a, out) && out->verdict == kRefused) {
    out->verdict = kVerdictNone;
    attempt_free(a);
    good = attempt_init(a, r->s, NULL);
    if (good) (void)call_again_and_look(a, out);
  } else if (good && i == 0) {
    (void)call_again_and_look(a, out);
  }
  good = good && out->verdict == kVerdictNone && attempt_take_effects(a, &r->expected[i]) &&
         attempt_reset(a);
  if (!good && out->verdict == kVerdictNone) leave_out(out);
  return good;
}

static void judge_race(attempt *a, outcome *out) {
  static race r; /* threads may go on after a report */
  size_t i;
  r.s = a->s;
  for (i = 0; i < kNumThreads; ++i) {
    if (!prepare_thread(&r, i, out)) return;
  }
  r.begin = clock_seconds();
  if (foreign_call(kStageCall, a->s->name, race_threads, &r) != 0) {
    judge(out, kLeftOut, "no threads can be started");
    return;
  }
  for (i = 0; i < kNumThreads && out->verdict == kVerdictNone; ++i) {
    if (r.outcomes[i].verdict == kVerdictNone) continue;
    judge(out, (verdict)r.outcomes[i].verdict, "in two threads at once: %s", r.outcomes[i].detail);
  }
  if (out->verdict == kVerdictNone) judge(out, kPassed, "the same as one after the other");
}

/* ---- One that is held ---- */

/* Which element the first call stops at: the first, the second, one in the middle, the last. */
static int64_t find_place(const DLTensor *tensor, int64_t place) {
  const int64_t count = tvm_ffi_tensor_get_numel(tensor);
  const int64_t places[] = {0, 1, count / 2, count - 1};
  return places[place];
}

void list_threads(const subject *s, const row *kind, case_list *out) {
  enum { kPlaces = 4 };
  size_t i;
  int64_t place;
  add_case(out, kind, -1, 0, "%s", ":together");
  for (i = 0; i < s->inputs->size && s->device.device_type == kDLCPU; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    const int64_t item = tensor != NULL ? (int64_t)element_size(tensor->dtype) : 0;
    int64_t before = -1;
    for (place = 0; item > 0 && place < kPlaces; ++place) {
      const int64_t element = find_place(tensor, place);
      if (element <= before || element >= tvm_ffi_tensor_get_numel(tensor)) continue;
      if (element * item > (int64_t)pages_size()) continue;
      before = element;
      add_case(out, kind, (int)i, element, ":held:%s:%d", s->places[i].label, (int)element);
    }
  }
}

/* Places the tensor so that the element is the first one of a page. */
static bool place_at_page(attempt *a, size_t i, int64_t element) {
  const DLTensor *tensor = find_tensor(a->s, i);
  const size_t item = element_size(tensor->dtype);
  layout how = kLayoutPacked;
  how.guard = kGuardStart;
  how.before = pages_size() - (size_t)element * item;
  return attempt_place(a, i, &how);
}

typedef enum { kBegun, kHeld, kEnded } progress;

static struct {
  attempt *first, *second;
  char *pages;
  size_t size;
  volatile int first_is, second_is;
  bool first_called, second_called;
} held;

/* In a signal handler of the thread that makes the first call. A second call that waits for the
 * first, as for a lock, ends after it. */
static void wait_for_second(void) {
  enum { kToBegin = 5000, kLongest = 300 }; /* milliseconds */
  int waited;
  held.first_is = kHeld;
  for (waited = 0; waited < kToBegin && held.second_is == kBegun; ++waited) nap_in_handler();
  for (waited = 0; waited < kLongest && held.second_is != kEnded; ++waited) nap_in_handler();
  (void)pages_open(held.pages, held.size);
}

static void call_in_turn(void *context, size_t i) {
  (void)context;
  if (i == 0) {
    held.first_called = attempt_call_here(held.first);
    held.first_is = kEnded;
    TVMFFIErrorSetRaised(NULL);
    return;
  }
  while (held.first_is == kBegun) nap_in_handler();
  held.second_is = kHeld; /* about to be called */
  if (held.first_is == kHeld) held.second_called = attempt_call_here(held.second);
  held.second_is = kEnded;
  TVMFFIErrorSetRaised(NULL);
}

static int call_both(void *context) {
  int code;
  faults_hold(held.pages, held.size, wait_for_second);
  code = threads_run(kNumThreads, call_in_turn, context) ? 0 : -1;
  faults_hold(NULL, 0, NULL);
  return code;
}

/* Judges one of both calls; false if it went wrong. */
static bool look_at_one(attempt *a, const effects *expected, const char *which, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  outcome *seen = tool_alloc(sizeof *seen);
  memset(seen, 0, sizeof *seen);
  if (!attempt_is_clean(a, &wrong)) {
    judge(out, kFailed, "while another call ran in the middle of one: the %s call: %s", which,
          wrong.data);
  } else if (!a->returned) {
    attempt_describe_error(a, &wrong);
    judge(out, kFailed, "while another call ran in the middle of one: the %s call raised %s", which,
          wrong.data);
  } else if (!look_at_effects(a, expected, !a->s->may_vary, seen)) {
    judge(out, seen->verdict == kFailed ? kFailed : kLeftOut,
          "another call ran in the middle of one; of the %s call %s", which, seen->detail);
  }
  text_free(&wrong);
  free(seen);
  return out->verdict == kVerdictNone;
}

static void judge_held(attempt *a, const probe_case *which, outcome *out) {
  static race r;
  const size_t i = (size_t)which->arg;
  const size_t page = pages_size();
  const storage *store;
  attempt *first = &r.attempts[0], *second = &r.attempts[1];
  r.s = a->s;
  if (!prepare_thread(&r, 1, out)) return;
  if (!attempt_init(first, a->s, NULL) || !place_at_page(first, i, which->number)) {
    leave_out(out);
    return;
  }
  if (!call_and_look(first, out)) { /* it may refuse what is not aligned */
    if (out->verdict == kRefused) judge(out, kLeftOut, "it refuses a tensor at this address");
    return;
  }
  if (!attempt_take_effects(first, &r.expected[0]) || !attempt_reset(first)) {
    leave_out(out);
    return;
  }
  store = first->args[i].store;
  held.first = first;
  held.second = second;
  held.pages = store->block->low + page;
  held.size = (size_t)(store->block->high - held.pages) / page * page;
  if (held.size == 0 || !pages_close(held.pages, held.size) ||
      foreign_call(kStageCall, a->s->name, call_both, NULL) != 0) {
    judge(out, kLeftOut, "no call can be held here");
    return;
  }
  (void)pages_open(held.pages, held.size);
  if (!held.second_called) {
    judge(out, kPassed, "it does not get there");
  } else if (look_at_one(second, &r.expected[1], "second", out) &&
             look_at_one(first, &r.expected[0], "first", out)) {
    judge(out, kPassed, "the same as one after the other");
  }
}

void judge_threads(attempt *a, const probe_case *which, outcome *out) {
  if (which->arg < 0) {
    judge_race(a, out);
  } else {
    judge_held(a, which, out);
  }
}
