/* SPDX-License-Identifier: Apache-2.0 */
/* All rows, of all groups. */
#include "probe/rows.h"

#include <string.h>

/* ---- All rows ---- */

static const row_group *const kGroups[] = {&kLayoutRows, &kShapeRows, &kNumberRows, &kValueRows,
                                           &kStateRows,  &kHostRows,  &kCallRows};
enum { kNumGroups = sizeof kGroups / sizeof *kGroups };

const row_group *const kNumberGroup = &kNumberRows;
const row_group *const kHostGroup = &kHostRows;

const row *rows_at(size_t i) {
  size_t g;
  for (g = 0; g < kNumGroups; ++g) {
    if (i < kGroups[g]->num_rows) return &kGroups[g]->rows[i];
    i -= kGroups[g]->num_rows;
  }
  return NULL;
}

const row_group *row_group_at(size_t i) {
  return i < kNumGroups ? kGroups[i] : NULL;
}

const char *row_group_of(const row *kind) {
  size_t g, i;
  for (g = 0; g < kNumGroups; ++g) {
    for (i = 0; i < kGroups[g]->num_rows; ++i) {
      if (kind == &kGroups[g]->rows[i]) return kGroups[g]->name;
    }
  }
  return NULL;
}

const help_row *rows_help(void) {
  enum { kMost = 128 };
  static help_row all[kMost];
  size_t count = 0, g, i;
  for (g = 0; g < kNumGroups; ++g) {
    all[count++] = kGroups[g]->heading;
    for (i = 0; i < kGroups[g]->num_rows && count < kMost - 1; ++i) {
      all[count++] = kGroups[g]->rows[i].told;
    }
  }
  return all;
}

/* ---- Their calls ---- */

void rows_list(const subject *s, case_list *out) {
  const row *kind;
  size_t i;
  memset(out, 0, sizeof *out);
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    if (kind->list == NULL) continue;
    if ((kind->flags & kRowNeedsHost) != 0 && s->device.device_type != kDLCPU) continue;
    if ((kind->flags & kRowNeedsReference) != 0 && !s->has_reference) continue;
    kind->list(s, kind, out);
  }
}

/* ---- Making one ---- */

void rows_begin(void) {
  heap_mark(kUnwritten);
}

void rows_run(const subject *s, const probe_case *which, outcome *out) {
  enum { kMayBeLarge = kRowMayTakeLong | kRowEndsAtMemory | kRowAnyNumbers }; /* blocks of malloc */
  const row *kind = which->kind;
  attempt a;
  if ((kind->flags & kMayBeLarge) == 0) rows_begin();
  if (!attempt_init(&a, s, NULL) || (kind->make != NULL && !kind->make(&a, which))) {
    leave_out(out);
  } else {
    kind->judge(&a, which, out);
  }
  attempt_free(&a);
}

const char kTookLonger[] = "while it was called: it took longer";

void rows_judge_end(const probe_case *which, const char *ending, outcome *out) {
  const bool used_elements = strstr(ending, "has no memory") != NULL;
  const bool took_longer = strstr(ending, kTookLonger) != NULL;
  if (out->verdict == kFailed || out->verdict == kLeftOut) return; /* what holds if it crashes */
  if ((which->kind->flags & kRowMayTakeLong) != 0 && took_longer) {
    judge(out, kPassed, "it takes longer than a call should: that may be what was asked for");
  } else if (used_elements && (which->kind->flags & kRowEndsAtMemory) != 0) {
    judge(out, kPassed, "it goes on beyond the first elements");
  } else {
    const bool wrote = strstr(ending, "wrote to a read-only tensor") != NULL;
    judge(out, kFailed, "it %s%s", ending, wrote ? kHintOutput : "");
  }
}
