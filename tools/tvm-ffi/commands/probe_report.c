/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/probe_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "system/system.h"

#if PROCESSES_ARE_COPIED

enum { kMostShown = 3 }; /* failures of a row */

const char *probe_name_named(const probe_case *which) {
  static char name[sizeof which->name + 8];
  snprintf(name, sizeof name, "%s:%s", kNamedRow->told.name, which->name);
  return name;
}

bool probe_shows_failure(const probe *p, const probed *c) {
  size_t count = 0;
  const probed *before;
  if (p->only.count > 0) return true;
  for (before = p->cases; before < c; ++before) {
    count += before->which.kind == c->which.kind && before->judged == kFailed;
  }
  return count < kMostShown;
}

/* ---- The command that makes a call again ---- */

/* Adds a word as shells read it. */
static void add_word(text_buf *out, const char *word) {
  const char *c;
  text_add(out, " ");
  for (c = word; identifier_has(*c) || (*c != '\0' && strchr("/.,:=+-@%", *c) != NULL);) ++c;
  if (*word != '\0' && *c == '\0') {
    text_add(out, "%s", word);
    return;
  }
  text_add(out, "'");
  for (c = word; *c != '\0'; ++c) text_add(out, *c == '\'' ? "'\\''" : "%c", *c);
  text_add(out, "'");
}

/* The command line that makes one call again; `smaller`: another call instead, which is compared
 * with the reference. */
static char *write_command(const probe *p, const char *name, const char *smaller) {
  static const int kRepeated[] = {kOptionModule, kOptionFunction, kOptionInput,   kOptionSeed,
                                  kOptionLib,    kOptionDevice,   kOptionTimeout, kOptionCflags,
                                  kOptionRtol,   kOptionAtol,     kOptionRuntime, kOptionAgainst};
  enum { kOfTheCall = 5 }; /* the first of them */
  text_buf out = {NULL, 0, 0};
  size_t i, k;
  text_add(&out, "tvm-ffi probe");
  if (smaller != NULL) {
    add_word(&out, p->request.paths[0]);
    add_word(&out, smaller);
  }
  for (i = 0; i < arguments_num_operands(p->args) && smaller == NULL; ++i) {
    add_word(&out, arguments_operand(p->args, i));
  }
  for (k = smaller != NULL ? kOfTheCall : 0; k < sizeof kRepeated / sizeof *kRepeated; ++k) {
    const text_list values = arguments_values(p->args, kRepeated[k]);
    for (i = 0; i < values.count; ++i) {
      char *word = tool_format("--%s=%s", arguments_name(p->args, kRepeated[k]), values.items[i]);
      add_word(&out, word);
      free(word);
    }
  }
  if (p->s.may_vary) text_add(&out, " --nondeterministic");
  text_add(&out, " --only=%s", smaller != NULL ? "given" : name);
  return out.data;
}

/* ---- Counts ---- */

typedef struct {
  size_t by_verdict[kLeftOut + 1];
} counts;

/* Whether the error of a wrong call was found not to name the argument. */
static bool is_unnamed(const probed *c) {
  return c->counts_named && c->judged == kRefused && c->names_argument == 0;
}

static counts count_row(const probe *p, const row *kind) {
  counts sum;
  size_t i;
  memset(&sum, 0, sizeof sum);
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (kind != kNamedRow) {
      if (c->which.kind == kind && c->counts) ++sum.by_verdict[c->judged];
    } else if (c->counts_named && c->judged == kRefused && c->names_argument >= 0) {
      ++sum.by_verdict[c->names_argument != 0 ? kPassed : kFailed];
    }
  }
  return sum;
}

static counts count_all(const probe *p) {
  const row *kind;
  counts sum;
  size_t i, k;
  memset(&sum, 0, sizeof sum);
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    const counts counted = count_row(p, kind);
    for (k = 0; k <= kLeftOut; ++k) sum.by_verdict[k] += counted.by_verdict[k];
  }
  return sum;
}

size_t probe_count_failures(const probe *p) {
  return count_all(p).by_verdict[kFailed];
}

/* ---- For a person ---- */

static void print_row(const row *kind, const counts *sum) {
  FILE *out = streams_results();
  const bool failed = sum->by_verdict[kFailed] > 0;
  fprintf(out, "  %-12s%7zu%9zu%s%8zu%s  %s\n", kind->told.name, sum->by_verdict[kPassed],
          sum->by_verdict[kRefused], failed ? report_color(kColorBad) : "",
          sum->by_verdict[kFailed], failed ? report_color(kColorNone) : "", kind->told.looks_at);
}

static void print_failure(const probe *p, const char *name, const char *why, const char *smaller) {
  char *line = write_command(p, name, smaller);
  fprintf(streams_results(), "%sFAIL%s %s: ", report_color(kColorBad), report_color(kColorNone),
          name);
  fprintf(streams_results(), "%s: ", why);
  text_print_escaped(streams_results(), line);
  putc('\n', streams_results());
  free(line);
}

static char *describe_unnamed(const probed *c) {
  return tool_format("the error does not say which argument is wrong: %s", c->detail);
}

/* The name under which a call failed in a row; NULL: it did not. `why` is to be released. */
static const char *find_failure(const probed *c, const row *kind, char **why) {
  if (kind == kNamedRow) {
    if (!is_unnamed(c)) return NULL;
    *why = describe_unnamed(c);
    return probe_name_named(&c->which);
  }
  if (c->which.kind != kind || !c->counts || c->judged != kFailed) return NULL;
  *why = tool_copy(c->detail, strlen(c->detail));
  return c->which.name;
}

/* Who chose rows wants to see all; else the first few of each say what is wrong. */
static void print_failures(const probe *p, const row *kind) {
  size_t i, count = 0;
  for (i = 0; i < p->num_cases; ++i) {
    char *why;
    const char *name = find_failure(&p->cases[i], kind, &why);
    if (name == NULL) continue;
    if (++count <= kMostShown || p->only.count > 0) print_failure(p, name, why, p->cases[i].call);
    free(why);
  }
  if (count > kMostShown && p->only.count == 0) {
    fprintf(streams_results(), "... and %zu more of %s, --json lists them\n", count - kMostShown,
            kind->told.name);
  }
}

/* The first note of a row on calls that were judged so, and how many others there are. */
static void print_notes(const probe *p, const row *kind, verdict judged) {
  const probed *first = NULL;
  size_t count = 0, i;
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (!c->is_note || c->judged != judged || c->which.kind != kind || !c->counts) continue;
    if (count++ == 0) first = c;
  }
  if (count == 0) return;
  fprintf(streams_results(), "note %s: %s%s", first->which.name,
          judged == kRefused ? "it refuses what the reference takes: " : "", first->detail);
  if (count > 1)
    fprintf(streams_results(), "; the same of %zu other calls of %s", count - 1, kind->told.name);
  putc('\n', streams_results());
}

/* Whether calls of a row failed because they changed what belongs to the host, or for another
 * reason. */
static bool row_fails(const probe *p, const row *kind, bool by_host) {
  size_t i;
  if (kind == kNamedRow) return !by_host && count_row(p, kind).by_verdict[kFailed] > 0;
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (c->which.kind == kind && c->counts && c->judged == kFailed && c->changed_host == by_host) {
      return true;
    }
  }
  return false;
}

/* Adds the names of rows of a group that failed; returns how many. */
static size_t add_failing_rows(const probe *p, const row_group *group, bool by_host, size_t count,
                               text_buf *out) {
  size_t i;
  for (i = 0; i < group->num_rows; ++i) {
    if (!row_fails(p, &group->rows[i], by_host)) continue;
    text_add(out, "%s%s", count > 0 ? ", " : "", group->rows[i].told.name);
    ++count;
  }
  return count;
}

/* What is said if no row of the group failed: of values and shared memory, only what was tried. */
static const char *describe_good(const probe *p, const row_group *group) {
  enum { kOthers = 1, kMemory = 2 };
  static const char *const kTried[] = {"changes no input", "unharmed by other scalars",
                                       "unharmed by shared memory", NULL};
  unsigned tried = 0;
  size_t i;
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (strcmp(row_group_of(c->which.kind), group->name) != 0 || !c->counts) continue;
    if (c->judged == kLeftOut || (c->which.kind->flags & kRowOfInputs) != 0) continue;
    tried |= (c->which.kind->flags & kRowSharesMemory) != 0 ? kMemory : kOthers;
  }
  return strcmp(group->name, "values") != 0 || kTried[tried] == NULL ? group->good : kTried[tried];
}

/* The line that a person reads first: what each group found, with the rows that failed. */
static void print_summary(const probe *p) {
  const row_group *group;
  const char *between = ": ";
  size_t g, i, k;
  fputs(p->s.name, streams_results());
  for (g = 0; (group = row_group_at(g)) != NULL; ++g) {
    text_buf wrong = {NULL, 0, 0};
    size_t num_made = 0, num_passed = 0, num_wrong = 0;
    for (i = 0; i < group->num_rows; ++i) {
      const counts sum = count_row(p, &group->rows[i]);
      num_passed += sum.by_verdict[kPassed];
      num_made += sum.by_verdict[kPassed] + sum.by_verdict[kRefused] + sum.by_verdict[kFailed];
    }
    num_wrong = add_failing_rows(p, group, false, 0, &wrong);
    for (k = 0; group == kHostGroup && row_group_at(k) != NULL; ++k) {
      num_wrong = add_failing_rows(p, row_group_at(k), true, num_wrong, &wrong);
    }
    if (num_made == 0 && (group != kNumberGroup || p->s.has_reference)) continue;
    fputs(between, streams_results());
    between = "; ";
    if (num_made == 0) {
      fputs("other numbers not judged", streams_results());
      continue;
    }
    if (num_wrong == 0) {
      fprintf(streams_results(), "%s%s%s", report_color(kColorGood), describe_good(p, group),
              report_color(kColorNone));
      if (group == kNumberGroup) fprintf(streams_results(), " in %zu calls", num_passed);
    } else {
      fprintf(streams_results(), "%s%s %zu (%s)%s", report_color(kColorBad), group->bad, num_wrong,
              wrong.data, report_color(kColorNone));
    }
    text_free(&wrong);
  }
  putc('\n', streams_results());
}

static void print_table(const probe *p) {
  const counts sum = count_all(p);
  const row *kind;
  const char *group = "";
  size_t i;
  if (p->only.count == 0) print_summary(p);
  if (p->only.count == 0 && row_fails(p, kRepeatRow, false)) {
    fputs(
        "The same call does not always do the same (repeat): look at that first, as other rows may "
        "fail for that reason\n",
        streams_results());
  }
  fprintf(streams_results(), "%-14s passed  refused  failed\n", "");
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    const counts counted = count_row(p, kind);
    if (counted.by_verdict[kPassed] + counted.by_verdict[kRefused] + counted.by_verdict[kFailed] ==
        0)
      continue;
    if (strcmp(group, row_group_of(kind)) != 0) {
      group = row_group_of(kind);
      fprintf(streams_results(), "%s%s%s\n", report_color(kColorName), group,
              report_color(kColorNone));
    }
    print_row(kind, &counted);
  }
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) print_failures(p, kind);
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    print_notes(p, kind, kPassed);
    print_notes(p, kind, kRefused);
    print_notes(p, kind, kLeftOut);
  }
  if (p->num_compared > 0) {
    fprintf(streams_results(),
            "%zu calls were refused only because one argument differed from others: that is no "
            "check of what they are\n",
            p->num_compared);
  }
  fprintf(streams_results(), "%s%s%s: %zu passed, %zu refused, %zu failed",
          report_color(sum.by_verdict[kFailed] > 0 ? kColorBad : kColorGood), p->s.name,
          report_color(kColorNone), sum.by_verdict[kPassed], sum.by_verdict[kRefused],
          sum.by_verdict[kFailed]);
  if (sum.by_verdict[kLeftOut] > 0) {
    fprintf(streams_results(), "; %zu left out, --json says why", sum.by_verdict[kLeftOut]);
  }
  putc('\n', streams_results());
  if (!p->s.has_reference && p->only.count == 0) {
    fputs(
        "Wrong numbers for other lengths, shapes, values and dtypes cannot be found without a "
        "reference: --against=LIB generates and judges these\n",
        streams_results());
  }
}

/* ---- As JSON ---- */

static const char *const kVerdicts[] = {"", "passed", "refused", "failed", "left out"};

static void write_counts(const counts *sum) {
  json_uint("passed", sum->by_verdict[kPassed]);
  json_uint("refused", sum->by_verdict[kRefused]);
  json_uint("failed", sum->by_verdict[kFailed]);
  json_uint("left_out", sum->by_verdict[kLeftOut]);
}

static void write_case(const probe *p, const char *name, verdict judged, const char *detail,
                       const char *smaller, bool is_note) {
  json_begin_object(NULL);
  json_text("name", name);
  json_text("verdict", kVerdicts[judged]);
  json_text("detail", detail);
  if (is_note) json_bool("note", true);
  if (judged == kFailed) {
    char *line = write_command(p, name, smaller);
    json_text("command", line);
    free(line);
  }
  json_end();
}

static void write_json(const probe *p) {
  const counts sum = count_all(p);
  const row *kind;
  size_t i;
  json_begin_object(NULL);
  json_text("library", p->request.paths[0]);
  json_text("function", p->s.name);
  write_counts(&sum);
  json_begin_array("rows");
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    const counts counted = count_row(p, kind);
    if (counted.by_verdict[kPassed] + counted.by_verdict[kRefused] + counted.by_verdict[kFailed] +
            counted.by_verdict[kLeftOut] ==
        0)
      continue;
    json_begin_object(NULL);
    json_text("name", kind->told.name);
    json_text("group", row_group_of(kind));
    json_text("title", kind->told.looks_at);
    write_counts(&counted);
    json_end();
  }
  json_end();
  json_begin_array("calls");
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (c->counts) write_case(p, c->which.name, c->judged, c->detail, c->call, c->is_note);
    if (is_unnamed(c)) {
      char *why = describe_unnamed(c);
      write_case(p, probe_name_named(&c->which), kFailed, why, NULL, false);
      free(why);
    }
  }
  json_end();
  json_end();
}

void probe_write_failure(const probe *p) {
  const counts none = {{0}};
  char *why = NULL;
  if (p->judged != NULL) {
    p->judged->detail[sizeof p->judged->detail - 1] = '\0';
    text_end_whole(p->judged->detail);
    if (p->judged->detail[0] != '\0')
      why = text_escape(p->judged->detail, strlen(p->judged->detail));
  }
  json_begin_object(NULL);
  json_text("library", p->request.paths[0]);
  json_text("function", p->request.function != NULL ? p->request.function : "");
  json_text("error", why != NULL ? why : "the call cannot be made: standard error says why");
  write_counts(&none);
  json_begin_array("rows");
  json_end();
  json_begin_array("calls");
  json_end();
  json_end();
  free(why);
}

void probe_show(const probe *p) {
  if (p->as_json) {
    write_json(p);
  } else {
    print_table(p);
  }
}

#endif /* PROCESSES_ARE_COPIED */
