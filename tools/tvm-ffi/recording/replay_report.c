/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that are shown of calls, and what the page shows of them. */
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "recording/replay.h"

static const struct {
  const char *tag, *name;
  bool is_bad;
  int code;
} kVerdicts[kNumReplayVerdicts] = {
    {"", "", false, kExitOk},
    {"PASS", "same", false, kExitOk},
    {"FAIL", "differs", true, kExitMismatch},
    {"FAIL", "raised", true, kExitRaised},
    {"FAIL", "crashed", true, kExitRaised},
    {"----", "not compared", false, kExitOk},
    {"----", "left out", false, kExitOk},
};

static replay_verdict get_verdict(const replay *p) {
  const int verdict = p->seen.verdict;
  return verdict <= kReplayNone || verdict >= kNumReplayVerdicts ? kReplayCrashed
                                                                 : (replay_verdict)verdict;
}

void replay_keep_outcome(replay *p) {
  const replay_verdict verdict = get_verdict(p);
  call_outcome *kept = &p->outcomes[p->num_outcomes++];
  memset(kept, 0, sizeof *kept);
  kept->verdict = kVerdicts[verdict].name;
  kept->is_bad = kVerdicts[verdict].is_bad;
  kept->is_same = verdict == kReplaySame;
  kept->detail = tool_copy(p->seen.detail, strlen(p->seen.detail));
  if (verdict != kReplayDiffers) return;          /* else nothing was put, or not all of it */
  if (p->counts[verdict] > kMaxPageCalls) return; /* the page does not have it in full */
  kept->num_more = replay_draw_differences(p, &kept->pictures);
}

void replay_show_libraries(const replay *p) {
  static const char *const kBuilds[] = {"recorded", "other", "unknown"};
  size_t i;
  json_begin_array("libraries");
  for (i = 0; i < p->num_libraries; ++i) {
    const replayed_library *library = &p->libraries[i];
    text_buf called = report_name_members(library->called, strlen(library->called));
    json_begin_object(NULL);
    json_text("recorded", library->recorded);
    json_text("recorded_build_id", library->recorded_id);
    json_text("called", called.data);
    json_text("called_build_id", library->called_id);
    json_text("build", kBuilds[replay_compare_builds(library)]);
    json_end();
    text_free(&called);
  }
  json_end();
}

void replay_show_call(replay *p) {
  const replay_verdict verdict = get_verdict(p);
  char *detail = text_escape(p->seen.detail, strlen(p->seen.detail));
  ++p->counts[verdict];
  if (verdict == kReplayDiffers) p->last_differing = p->c;
  if (kVerdicts[verdict].is_bad && p->first_bad == NULL) {
    p->first_bad = p->c;
    p->first_code = kVerdicts[verdict].code;
  }
  if (p->json) {
    json_begin_object(NULL);
    json_int("call", p->c->number);
    json_text("function", p->c->function);
    json_text("verdict", kVerdicts[verdict].name);
    json_text("detail", detail);
    if (p->seen.has_error) json_real("max_abs_error", p->seen.max_error);
    json_bool("late", p->c->is_late);
    json_end();
  } else {
    fprintf(streams_results(), "[%s%s%s] %" PRId64 " ",
            report_color(kVerdicts[verdict].is_bad ? kColorBad
                         : verdict == kReplaySame  ? kColorGood
                                                   : kColorDim),
            kVerdicts[verdict].tag, report_color(kColorNone), p->c->number);
    text_print_escaped(streams_results(), p->c->function);
    fprintf(streams_results(), ": %s%s\n", detail,
            p->c->is_late ? " (its arguments were read after it had failed)" : "");
  }
  free(detail);
}

/* Whether a call that differs may depend on a call before it, which was not made. */
static bool has_state(const replay *p) {
  size_t i;
  if (p->in_order || p->against != NULL || p->last_differing == NULL) return false;
  for (i = 0; i < recording_num_calls(p->r); ++i) {
    const recorded_call *c = recording_call(p->r, i);
    if (c == p->last_differing) return false;
    if (c->before.file == p->last_differing->before.file &&
        strcmp(c->library, p->last_differing->library) == 0) {
      return true;
    }
  }
  return false;
}

void replay_show_sum(const replay *p) {
  const size_t bad =
      p->counts[kReplayDiffers] + p->counts[kReplayRaised] + p->counts[kReplayCrashed];
  const replayed_library *other = replay_find_other_build(p);
  if (p->json) {
    json_end();
    json_uint("same", p->counts[kReplaySame]);
    json_uint("differs", p->counts[kReplayDiffers]);
    json_uint("raised", p->counts[kReplayRaised]);
    json_uint("crashed", p->counts[kReplayCrashed]);
    json_uint("not_compared", p->counts[kReplayNothing]);
    json_uint("left_out", p->counts[kReplayLeftOut]);
    if (p->first_bad != NULL) json_int("first", p->first_bad->number);
    json_end();
    return;
  }
  fprintf(streams_results(), "%zu of %zu call%s the same as %s", p->counts[kReplaySame],
          p->num_calls, p->num_calls == 1 ? " is" : "s are", replay_name_expected(p));
  if (bad > 0) {
    fprintf(streams_results(), ", %zu %s not; the first is %" PRId64 ", ", bad,
            bad == 1 ? "is" : "are", p->first_bad->number);
    text_print_escaped(streams_results(), p->first_bad->function);
  }
  if (p->counts[kReplayNothing] > 0) {
    fprintf(streams_results(), "; %zu had nothing to compare with", p->counts[kReplayNothing]);
  }
  if (p->counts[kReplayLeftOut] > 0) {
    fprintf(streams_results(), "; %zu cannot be repeated", p->counts[kReplayLeftOut]);
  }
  if (p->against == NULL && other != NULL) {
    fprintf(streams_results(), "; called in another build of ");
    text_print_escaped(streams_results(), path_base(other->recorded));
  }
  putc('\n', streams_results());
  if (has_state(p)) {
    report_note(
        "a call that differs was not the first of its library: if functions keep something from "
        "one call to the next, --in-order may make them the same");
  }
}
