/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as one page of HTML. Whatever comes from the recording is untrusted: it goes through
 * html_add(), and into no script. The policy in the head of the page allows only the script of
 * page.js, by its hash, so that nothing runs even if something was overlooked. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "recording/recording.h"
#include "system/system.h"
#include "value/number.h"
#include "value/value_text.h"

/* What a page has at most; it says what is left out. */
enum {
  kMaxCalls = kMaxPageCalls, /* with arguments and results */
  kMaxBad = 150,             /* of them, those that failed or did not finish come first */
  kMaxRows = 1000,           /* functions */
  kMaxNotes = 100,           /* and files of events */
  kMaxThreads = 60,          /* of the timeline */
  kMaxLanes = 120,           /* of all of its threads together */
  kMaxDepth = 12,            /* lanes of a thread */
  kMaxBars = 4000,           /* about so many long ones, and as many short ones */
  kMaxItems = 64,            /* arguments of a call */
  kMaxTensors = 24,          /* of a call */
  kNumShades = 7             /* colours of functions; others are grey */
};
/* Bytes that are read for pictures. */
#define MAX_BYTES (UINT64_C(1) << 30)

/* A call on the page. */
typedef struct {
  const recorded_call *call;
  const call_outcome *outcome; /* NULL: it was not made again */
  size_t row;
  double begin, end; /* of the timeline, in nanoseconds; of a late call the same */
  size_t depth;
  bool is_detailed;
  double process, thread; /* when its process and its thread began; the main thread comes first */
} page_call;

/* The calls of a function. */
typedef struct {
  const char *function;
  size_t calls, errors, unfinished, differing, timed;
  uint64_t bytes;
  double total, p99, longest; /* nanoseconds, of those that are timed */
  size_t rank;                /* by the total time */
} page_row;

typedef struct {
  const shown_page *request;
  const recording *r;
  text_buf *out;
  page_call *calls;
  size_t num_calls, num_errors, num_unfinished, num_left_out, num_differing;
  page_row *rows;
  size_t num_rows;
  double first, span; /* of the timeline; the span is not 0 */
  uint64_t bytes_left;
  drawing_budget budget;
  bool is_damaged;
} page;

/* ---- What does not depend on the recording ---- */

/* The SHA-256, in base64, of the lines of page.js after the first. */
static const char kScriptHash[] = "911lJbupZPyWMpT4CH5ECjMVpw7bY17bU8fMgcX1P6U=";

/* ---- Texts ---- */

/* "12.3 us" */
static void add_time(text_buf *out, double nanoseconds) {
  static const struct {
    double size;
    const char *name;
  } kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}};
  size_t i;
  for (i = 0; i < sizeof kUnits / sizeof *kUnits; ++i) {
    if (nanoseconds < kUnits[i].size) continue;
    text_add(out, "%s %s",
             REAL_F(nanoseconds < 10 * kUnits[i].size ? 2 : 1, nanoseconds / kUnits[i].size),
             kUnits[i].name);
    return;
  }
  text_add(out, "%s ns", REAL_F(0, nanoseconds));
}

/* "2026-11-27 16:24:11 UTC"; nothing if the system cannot tell. */
static void add_moment(text_buf *out, int64_t unix_ns) {
  const time_t seconds = (time_t)(unix_ns / 1000000000);
  const struct tm *parts = gmtime(&seconds);
  char text[64];
  if (parts != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", parts) > 0) {
    text_add(out, "%s", text);
  }
}

/* The last item of a list that is not whole. */
static void add_more(text_buf *out, uint64_t count, const char *single, const char *many) {
  text_add(out, "<li>and ");
  html_add_count(out, count, single, many);
  text_add(out, "</li>\n");
}

static void add_left_out(text_buf *out, uint64_t count, const char *single, const char *many) {
  text_add(out, "<p class=\"dim\">Left out: ");
  html_add_count(out, count, single, many);
  text_add(out, ".</p>\n");
}

/* "returned after 12.3 us" */
static void add_end(text_buf *out, const recorded_call *c) {
  static const char *const kEnds[] = {"did not finish", "returned", "raised"};
  text_add(out, "%s", kEnds[c->end]);
  if (c->end == kCallRaised && c->error[0] != '\0') {
    char *line = tool_copy(c->error, strcspn(c->error, "\n"));
    text_add(out, " ");
    html_add_line(out, line, kHtmlMaxName);
    free(line);
  }
  if (c->nanoseconds < 0) return;
  text_add(out, " after ");
  add_time(out, (double)c->nanoseconds);
}

/* ---- Calls ---- */

static int compare_reals(double a, double b) {
  return a < b ? -1 : a > b;
}

static int compare_functions(const void *a, const void *b) {
  const page_call *x = a, *y = b;
  const int order = strcmp(x->call->function, y->call->function);
  if (order != 0) return order;
  return compare_reals((double)x->call->nanoseconds, (double)y->call->nanoseconds);
}

static int compare_totals(const void *a, const void *b) {
  const page_row *x = a, *y = b;
  const int order = compare_reals(y->total, x->total);
  return order != 0 ? order : strcmp(x->function, y->function);
}

static int compare_threads(const void *a, const void *b) {
  const page_call *x = a, *y = b;
  if (x->call->before.file != y->call->before.file) {
    return x->call->before.file < y->call->before.file ? -1 : 1;
  }
  if (x->call->thread != y->call->thread) return x->call->thread < y->call->thread ? -1 : 1;
  if (x->begin != y->begin) return compare_reals(x->begin, y->begin);
  return x->call->number < y->call->number ? -1 : x->call->number > y->call->number;
}

/* Threads in the order that they began in. */
static int compare_lanes(const void *a, const void *b) {
  const page_call *x = a, *y = b;
  if (x->process != y->process) return compare_reals(x->process, y->process);
  if (x->call->before.file != y->call->before.file || x->thread == y->thread) {
    return compare_threads(a, b);
  }
  return compare_reals(x->thread, y->thread);
}

static int compare_numbers(const void *a, const void *b) {
  const page_call *x = a, *y = b;
  return x->call->number < y->call->number ? -1 : x->call->number > y->call->number;
}

static bool is_bad(const recorded_call *c) {
  return c->end != kCallReturned;
}

/* Fills a row with the calls of a function, which are sorted by time; those without one are
 * first. */
static void fill_row(page_row *row, page_call *calls, size_t count) {
  size_t i;
  memset(row, 0, sizeof *row);
  row->function = calls->call->function;
  row->calls = count;
  for (i = 0; i < count; ++i) {
    const recorded_call *c = calls[i].call;
    row->errors += c->end == kCallRaised;
    row->unfinished += c->end == kCallUnfinished;
    row->bytes += c->bytes;
    row->differing += calls[i].outcome != NULL && calls[i].outcome->is_bad;
    if (c->nanoseconds < 0) continue;
    ++row->timed;
    row->total += (double)c->nanoseconds;
  }
  if (row->timed == 0) return;
  row->longest = (double)calls[count - 1].call->nanoseconds;
  row->p99 =
      (double)calls[count - 1 - (row->timed - (row->timed * 99 + 99) / 100)].call->nanoseconds;
}

static void make_rows(page *p) {
  size_t begin, end, i;
  size_t *ranks;
  if (p->num_calls > 1) qsort(p->calls, p->num_calls, sizeof *p->calls, compare_functions);
  for (begin = 0; begin < p->num_calls; begin = end) {
    const char *function = p->calls[begin].call->function;
    for (end = begin; end < p->num_calls; ++end) {
      if (strcmp(p->calls[end].call->function, function) != 0) break;
      p->calls[end].row = p->num_rows;
    }
    p->rows = tool_grow(p->rows, p->num_rows, sizeof *p->rows);
    fill_row(&p->rows[p->num_rows], &p->calls[begin], end - begin);
    p->rows[p->num_rows].rank = p->num_rows; /* for now, where it was */
    ++p->num_rows;
  }
  if (p->num_rows > 1) qsort(p->rows, p->num_rows, sizeof *p->rows, compare_totals);
  ranks = tool_alloc((p->num_rows + 1) * sizeof *ranks);
  for (i = 0; i < p->num_rows; ++i) {
    ranks[p->rows[i].rank] = i;
    p->rows[i].rank = i;
  }
  for (i = 0; i < p->num_calls; ++i) p->calls[i].row = ranks[p->calls[i].row];
  free(ranks);
}

/* The number of a function's colour. */
static size_t find_shade(size_t row) {
  return row < kNumShades ? row + 1 : 0;
}

/* Puts the calls of all processes on one axis. */
static void place_calls(page *p) {
  const size_t num_files = recording_num_processes(p->r);
  double *shifts = tool_alloc((num_files + 1) * sizeof *shifts);
  double *lasts = tool_alloc((num_files + 1) * sizeof *lasts), last = 0;
  size_t i;
  for (i = 0; i < num_files; ++i) {
    const uint64_t base = (uint64_t)recording_process(p->r, 0)->unix_ns;
    const uint64_t own = (uint64_t)recording_process(p->r, i)->unix_ns;
    shifts[i] = base != 0 && own != 0 ? (double)(int64_t)(own - base) : 0;
    lasts[i] = -1e300;
  }
  for (i = 0; i < p->num_calls; ++i) {
    const recorded_call *c = p->calls[i].call;
    const double shift = shifts[c->before.file];
    p->calls[i].process = shift;
    p->calls[i].begin = p->calls[i].end = shift + (double)c->begin;
    if (c->finish > c->begin && !c->is_late) p->calls[i].end = shift + (double)c->finish;
    if (p->calls[i].end > lasts[c->before.file]) lasts[c->before.file] = p->calls[i].end;
    if (i == 0 || p->calls[i].begin < p->first) p->first = p->calls[i].begin;
    if (i == 0 || p->calls[i].end > last) last = p->calls[i].end;
  }
  /* What did not finish goes on until the last of the calls of its process. */
  for (i = 0; i < p->num_calls; ++i) {
    page_call *c = &p->calls[i];
    if (c->call->end == kCallUnfinished) c->end = lasts[c->call->before.file];
  }
  p->span = last > p->first ? last - p->first : 1;
  free(shifts);
  free(lasts);
}

/* Whether it is one of those that the page is looked at for. */
static bool comes_first(const page_call *c) {
  return c->outcome != NULL ? c->outcome->is_bad : is_bad(c->call);
}

/* Chooses the calls that are shown with their arguments: those that are bad first. */
static void choose_calls(page *p) {
  size_t num_chosen = 0, i;
  if (p->num_calls > 1) qsort(p->calls, p->num_calls, sizeof *p->calls, compare_numbers);
  for (i = 0; i < p->num_calls && num_chosen < kMaxBad; ++i) {
    if (!comes_first(&p->calls[i])) continue;
    p->calls[i].is_detailed = true;
    ++num_chosen;
  }
  for (i = 0; i < p->num_calls && num_chosen < kMaxCalls; ++i) {
    if (p->calls[i].is_detailed) continue;
    p->calls[i].is_detailed = true;
    ++num_chosen;
  }
}

/* ---- The heading ---- */

static void add_fact(page *p, uint64_t count, const char *single, const char *many,
                     const char *attribute) {
  text_add(p->out, "<li><b%s>", count > 0 ? attribute : "");
  html_add_count(p->out, count, NULL, NULL);
  text_add(p->out, "</b> %s</li>\n", count == 1 ? single : many);
}

/* What the page does not have, and what the recording says of itself: the items of a list. */
static void list_notes(const page *p, text_buf *out) {
  const size_t num_notes = recording_notes(p->r)->size;
  uint64_t total = 0, recorded = 0;
  size_t i;
  for (i = 0; i < recording_num_counts(p->r); ++i) {
    total += (uint64_t)recording_count(p->r, i)->calls;
    recorded += (uint64_t)recording_count(p->r, i)->recorded;
  }
  if (total > recorded) {
    text_add(out, "<li>Not recorded: ");
    html_add_count(out, total - recorded, "call", NULL);
    text_add(out, " of ");
    html_add_count(out, total, NULL, NULL);
    text_add(out, " while the recording ran</li>\n");
  }
  if (p->num_calls < recording_num_calls(p->r)) {
    text_add(out, "<li>Not on this page: ");
    html_add_count(out, recording_num_calls(p->r) - p->num_calls, "recorded call", NULL);
    text_add(out, " that were not chosen</li>\n");
  }
  if (p->num_left_out > 0) {
    text_add(out, "<li>");
    html_add_count(out, p->num_left_out, "call was", "calls were");
    text_add(out, " recorded without the bytes of some or all tensors</li>\n");
  }
  for (i = 0; i < num_notes && i < kMaxNotes; ++i) {
    text_add(out, "<li>");
    html_add(out, recording_notes(p->r)->items[i], kHtmlMaxText);
    text_add(out, "</li>\n");
  }
  if (num_notes > kMaxNotes) {
    add_more(out, num_notes - kMaxNotes, "more note", NULL);
  }
}

static void add_notes(page *p) {
  text_buf items = {NULL, 0, 0};
  list_notes(p, &items);
  if (items.size > 0) text_add(p->out, "<ul>\n%s</ul>\n", items.data);
  text_free(&items);
}

/* The command line of a process, if it is shown and known; else the text. */
static const char *find_command(const page *p, const recorded_process *process, const char *text) {
  return p->request->has_commands && process->command[0] != '\0' ? process->command : text;
}

static void add_processes(page *p) {
  const size_t count = recording_num_processes(p->r);
  size_t i;
  if (count < 2) return;
  text_add(p->out, "<details><summary>");
  html_add_count(p->out, count, "process", "processes");
  text_add(p->out, "</summary><ul>\n");
  for (i = 0; i < count && i < kMaxNotes; ++i) {
    const recorded_process *process = recording_process(p->r, i);
    text_add(p->out, "<li>");
    if (process->pid >= 0) text_add(p->out, "%" PRId64 ": ", process->pid);
    text_add(p->out, "<code>");
    html_add_line(p->out, find_command(p, process, path_base(process->name)), kHtmlMaxText);
    text_add(p->out, "</code> ");
    if (process->unix_ns > 0) add_moment(p->out, process->unix_ns);
    text_add(p->out, "</li>\n");
  }
  if (count > kMaxNotes) {
    add_more(p->out, count - kMaxNotes, "more", "more");
  }
  text_add(p->out, "</ul></details>\n");
}

/* How the calls were made again. */
static void add_how(page *p) {
  if (p->request->outcomes == NULL) return;
  text_add(p->out, "; made again by <code>tvm-ffi replay</code>");
  if (p->request->library != NULL) {
    text_add(p->out, " with <code>");
    html_add_line(p->out, p->request->library, kHtmlMaxText);
    text_add(p->out, "</code>%s", p->request->is_other_build ? " (another build)" : "");
  }
  if (p->request->against != NULL) {
    text_add(p->out, " and compared with what <code>");
    html_add_line(p->out, p->request->against, kHtmlMaxText);
    text_add(p->out, "</code> does");
  } else {
    text_add(p->out, " and compared with what was recorded");
  }
}

static const char *choose_role(const call_outcome *outcome) {
  return outcome->is_bad ? "bad" : outcome->is_same ? "dim" : "open";
}

/* Lists the calls that differ, with links to them. */
static void add_replay(page *p) {
  size_t num_listed = 0, i;
  if (p->request->outcomes == NULL) return;
  text_add(p->out, "<section>\n<h2>Replay</h2>\n<p>");
  html_add_count(p->out, p->num_differing, NULL, NULL);
  text_add(p->out, " of ");
  html_add_count(p->out, p->num_calls, "call", NULL);
  text_add(p->out,
           p->num_differing == 1 || p->num_calls == 1 ? " differs.</p>\n" : " differ.</p>\n");
  if (p->num_differing > 0) text_add(p->out, "<ul>\n");
  for (i = 0; i < p->num_calls; ++i) {
    const page_call *c = &p->calls[i];
    if (!c->is_detailed || !c->outcome->is_bad) continue;
    ++num_listed;
    text_add(p->out, "<li><a href=\"#c%" PRId64 "\">%" PRId64 " <code>", c->call->number,
             c->call->number);
    html_add_line(p->out, c->call->function, kHtmlMaxName);
    text_add(p->out, "</code></a> <span class=\"bad\">%s</span>: ", c->outcome->verdict);
    html_add_line(p->out, c->outcome->detail, kHtmlMaxName);
    text_add(p->out, "</li>\n");
  }
  if (num_listed < p->num_differing) {
    add_more(p->out, p->num_differing - num_listed, "more", "more");
  }
  if (p->num_differing > 0) text_add(p->out, "</ul>\n");
  text_add(p->out, "</section>\n");
}

static void add_heading(page *p) {
  const recorded_process *first =
      recording_num_processes(p->r) > 0 ? recording_process(p->r, 0) : NULL;
  const char *title =
      first != NULL ? find_command(p, first, p->request->folder) : p->request->folder;
  text_add(p->out,
           "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "img-src data:; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; "
           "form-action 'none'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
           kScriptHash);
  html_add_line(p->out, title, kHtmlMaxName);
  text_add(p->out, " - recorded calls</title>\n<style>\n");
  text_add_lines(p->out, kPageStyle + 1);
  text_add(p->out, "</style>\n</head>\n<body>\n<header>\n<h1><code>");
  html_add_line(p->out, title, kHtmlMaxText);
  text_add(p->out, "</code></h1>\n<p class=\"dim\">Recorded");
  if (first != NULL && first->unix_ns > 0) {
    text_add(p->out, " ");
    add_moment(p->out, first->unix_ns);
  }
  text_add(p->out, " by <code>tvm-ffi record</code>, from the folder <code>");
  html_add_line(p->out, p->request->folder, kHtmlMaxText);
  text_add(p->out, "</code>");
  add_how(p);
  text_add(p->out, "</p>\n<ul class=\"facts\">\n");
  add_fact(p, p->num_calls, "call", "calls", "");
  if (p->request->outcomes != NULL) {
    add_fact(p, p->num_differing, "differs", "differ", " class=\"bad\"");
  }
  add_fact(p, p->num_errors, "error", "errors", " class=\"bad\"");
  add_fact(p, p->num_unfinished, "unfinished call", "unfinished calls", " class=\"open\"");
  add_fact(p, p->num_rows, "function", "functions", "");
  text_add(p->out, "</ul>\n");
  add_notes(p);
  add_processes(p);
  text_add(p->out, "</header>\n<main>\n");
}

/* ---- The timeline ---- */

/* A bar that is not written yet: a call, or short calls that begin together. */
typedef struct {
  double begin, end;
  size_t count;
  const page_call *first;
  size_t num_errors, num_unfinished;
} bar;

enum { kLaneHeight = 20, kBarHeight = 17 };

/* Where something is, in percent of the width. */
static double get_percent(const page *p, double time) {
  const double percent = (time - p->first) / p->span * 100;
  return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static void add_bar(page *p, const bar *b, size_t depth) {
  const recorded_call *c = b->first->call;
  const double begin = get_percent(p, b->begin), end = get_percent(p, b->end);
  const double exact = end - begin > 0.2 ? end - begin : 0.2;
  const double x = begin + exact > 100 ? 100 - exact : begin; /* one that begins last is seen */
  const double width = exact > 0.5 ? exact - 0.05 : exact;    /* neighbours are told apart */
  const char *mark = b->num_errors == b->count       ? "err"
                     : b->num_unfinished == b->count ? "hatch"
                                                     : NULL;
  const bool is_linked = b->first->is_detailed;
  if (is_linked) text_add(p->out, "<a href=\"#c%" PRId64 "\" tabindex=\"-1\">", c->number);
  text_add(p->out, "<g class=\"b\"><title>");
  if (b->count > 1) {
    html_add_count(p->out, b->count, "call", NULL);
    text_add(p->out, " from %" PRId64 " ", c->number);
    html_add_line(p->out, c->function, kHtmlMaxName);
    text_add(p->out, " on: ");
    html_add_count(p->out, b->num_errors, "error", NULL);
    text_add(p->out, ", %zu unfinished", b->num_unfinished);
  } else {
    text_add(p->out, "%" PRId64 " ", c->number);
    html_add_line(p->out, c->function, kHtmlMaxName);
    text_add(p->out, ": ");
    add_end(p->out, c);
  }
  text_add(p->out, "</title><rect x=\"%s%%\" y=\"%zu\" width=\"%s%%\" height=\"%d\" class=\"",
           REAL_F(3, x), depth * kLaneHeight + 1, REAL_F(3, width), kBarHeight);
  if (mark != NULL) {
    text_add(p->out, "%s", mark);
  } else {
    text_add(p->out, "s%zu", b->count > 1 ? 0 : find_shade(b->first->row));
  }
  text_add(p->out, "\"/>");
  if (mark == NULL && b->num_errors + b->num_unfinished > 0) {
    text_add(p->out, "<rect x=\"%s%%\" y=\"%zu\" width=\"%s%%\" height=\"5\" class=\"%s\"/>",
             REAL_F(3, x), depth * kLaneHeight + 1, REAL_F(3, width),
             b->num_errors > 0 ? "err" : "hatch");
  }
  if (width >= 4) {
    text_add(p->out,
             "<svg x=\"%s%%\" y=\"%zu\" width=\"%s%%\" height=\"%d\"><text x=\"4\" y=\"12\">",
             REAL_F(3, x), depth * kLaneHeight + 1, REAL_F(3, width), kBarHeight);
    if (b->num_errors > 0) text_add(p->out, "\xe2\x9c\x95 ");
    if (b->count > 1) {
      text_add(p->out, "%zu calls", b->count);
    } else {
      html_add_line(p->out, c->function, 80);
    }
    text_add(p->out, "</text></svg>");
  }
  text_add(p->out, "</g>%s\n", is_linked ? "</a>" : "");
}

/* Counts how many calls surround each, of one thread; returns how many lanes it takes. */
static size_t nest_calls(page_call *calls, size_t count) {
  double *ends = tool_alloc((count + 1) * sizeof *ends);
  size_t size = 0, lanes = 0, i;
  for (i = 0; i < count; ++i) {
    while (size > 0 && ends[size - 1] <= calls[i].begin) --size;
    calls[i].depth = size;
    ends[size++] = calls[i].end;
    if (size > lanes) lanes = size;
  }
  free(ends);
  return lanes < kMaxDepth ? lanes : kMaxDepth;
}

/* The calls of the thread that begins at `begin`, up to the index that is returned. */
static size_t find_thread_end(const page *p, size_t begin) {
  const recorded_call *first = p->calls[begin].call;
  size_t end = begin;
  while (end < p->num_calls && p->calls[end].call->before.file == first->before.file &&
         p->calls[end].call->thread == first->thread) {
    ++end;
  }
  return end;
}

/* Draws a thread. Calls shorter than `least` that begin together are one bar; returns how many were
 * not drawn as bars of their own, and in *deep how many not at all. */
static size_t add_thread(page *p, size_t begin, size_t end, size_t lanes, double least,
                         size_t *deep) {
  const recorded_call *first = p->calls[begin].call;
  const recorded_process *process = recording_process(p->r, first->before.file);
  bar pending[kMaxDepth];
  size_t merged = 0, num_bad = 0, i;
  memset(pending, 0, sizeof pending);
  text_add(p->out, "<h3>Thread %" PRId64, first->thread);
  if (recording_num_processes(p->r) > 1 && process->pid >= 0) {
    text_add(p->out, " of process %" PRId64, process->pid);
  }
  for (i = begin; i < end; ++i) num_bad += is_bad(p->calls[i].call);
  text_add(p->out, " <span class=\"dim\">");
  html_add_count(p->out, end - begin, "call", NULL);
  text_add(p->out,
           "</span></h3>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lanes\" role=\"img\" "
           "aria-label=\"Calls over time: %zu, of which %zu failed or did not finish\" "
           "width=\"100%%\" height=\"%zu\">\n",
           end - begin, num_bad, lanes * kLaneHeight);
  for (i = 1; i < 4; ++i) {
    text_add(p->out, "<line class=\"tick\" x1=\"%zu%%\" x2=\"%zu%%\" y1=\"0\" y2=\"100%%\"/>\n",
             25 * i, 25 * i);
  }
  for (i = begin; i < end; ++i) {
    const page_call *c = &p->calls[i];
    bar *b;
    if (c->depth >= lanes) {
      ++*deep;
      continue;
    }
    b = &pending[c->depth];
    if (b->count > 0 && c->end - c->begin < least && b->end - b->begin < 2 * least &&
        c->begin < b->begin + least) {
      ++b->count;
      merged += b->count == 2 ? 2 : 1;
    } else {
      if (b->count > 0) add_bar(p, b, c->depth);
      memset(b, 0, sizeof *b);
      b->begin = b->end = c->begin;
      b->count = 1;
      b->first = c;
    }
    if (c->end > b->end) b->end = c->end;
    b->num_errors += c->call->end == kCallRaised;
    b->num_unfinished += c->call->end == kCallUnfinished;
  }
  for (i = 0; i < lanes; ++i) {
    if (pending[i].count > 0) add_bar(p, &pending[i], i);
  }
  text_add(p->out, "</svg>\n");
  return merged;
}

static void add_axis(page *p) {
  static const char *const kAnchors[] = {"start", "middle", "middle", "middle", "end"};
  size_t i;
  text_add(p->out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"axis\" aria-hidden=\"true\" "
           "width=\"100%%\" height=\"16\">\n"
           "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
           "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#5c6570\"/>"
           "<rect width=\"2\" height=\"6\" fill=\"#d9a520\"/></pattern></defs>\n");
  for (i = 0; i < 5; ++i) {
    text_add(p->out, "<text x=\"%zu%%\" y=\"12\" text-anchor=\"%s\">", 25 * i, kAnchors[i]);
    add_time(p->out, p->span * 0.25 * (double)i);
    text_add(p->out, "</text>\n");
  }
  text_add(p->out, "</svg>\n");
}

static void add_legend(page *p) {
  size_t i;
  text_add(p->out, "<div class=\"legend\">");
  for (i = 0; i < p->num_rows && i < kNumShades; ++i) {
    text_add(p->out, "<span><i class=\"key s%zu\"></i><code>", find_shade(i));
    html_add_line(p->out, p->rows[i].function, 60);
    text_add(p->out, "</code></span>\n");
  }
  if (p->num_rows > kNumShades) {
    text_add(p->out, "<span><i class=\"key s0\"></i>other functions</span>\n");
  }
  if (p->num_errors > 0) {
    text_add(p->out, "<span><i class=\"key err\"></i>raised an error</span>\n");
  }
  if (p->num_unfinished > 0) {
    text_add(p->out, "<span><i class=\"key hatch\"></i>did not finish</span>\n");
  }
  text_add(p->out, "</div>\n");
}

static void sort_threads(page *p) {
  size_t begin, end, i;
  qsort(p->calls, p->num_calls, sizeof *p->calls, compare_threads);
  for (begin = 0; begin < p->num_calls; begin = end) {
    const recorded_call *first = p->calls[begin].call;
    const bool is_main = first->thread == recording_process(p->r, first->before.file)->pid;
    end = find_thread_end(p, begin);
    for (i = begin; i < end; ++i) p->calls[i].thread = is_main ? -HUGE_VAL : p->calls[begin].begin;
  }
  qsort(p->calls, p->num_calls, sizeof *p->calls, compare_lanes);
}

static void add_timeline(page *p) {
  size_t lanes[kMaxThreads], num_threads = 0, num_drawn = 0, num_lanes = 0, drawn_calls = 0;
  size_t begin, end, merged = 0, deep = 0, columns, i;
  text_add(p->out, "<section>\n<h2>Timeline</h2>\n");
  if (p->num_calls == 0) {
    text_add(p->out, "<p>There is no call.</p>\n</section>\n");
    return;
  }
  sort_threads(p);
  for (begin = 0; begin < p->num_calls; begin = end, ++num_threads) {
    size_t needed;
    end = find_thread_end(p, begin);
    needed = nest_calls(&p->calls[begin], end - begin);
    if (num_drawn < num_threads || num_drawn == kMaxThreads || num_lanes + needed > kMaxLanes) {
      continue;
    }
    lanes[num_drawn++] = needed;
    num_lanes += needed;
    drawn_calls = end;
  }
  columns = kMaxBars / num_lanes;
  if (columns > 500) columns = 500;
  add_legend(p);
  add_axis(p);
  for (begin = 0, i = 0; i < num_drawn; begin = end, ++i) {
    end = find_thread_end(p, begin);
    merged += add_thread(p, begin, end, lanes[i], p->span / (double)columns, &deep);
  }
  if (merged > 0) {
    text_add(p->out, "<p class=\"dim\">Calls that are too short to be seen apart share a bar: ");
    html_add_count(p->out, merged, "of them", "of them");
    text_add(p->out, ".</p>\n");
  }
  if (deep > 0) {
    text_add(p->out, "<p class=\"dim\">Not drawn: ");
    html_add_count(p->out, deep, "call", NULL);
    text_add(p->out, " nested more than %d deep.</p>\n", kMaxDepth);
  }
  if (num_drawn < num_threads) {
    text_add(p->out, "<p class=\"dim\">Not drawn: ");
    html_add_count(p->out, num_threads - num_drawn, "more thread", NULL);
    text_add(p->out, " with ");
    html_add_count(p->out, p->num_calls - drawn_calls, "call", NULL);
    text_add(p->out, ".</p>\n");
  }
  text_add(p->out, "</section>\n");
}

/* ---- The table of functions ---- */

static void add_row(page *p, const page_row *row) {
  const int64_t all = recording_count_calls(p->r, row->function);
  text_add(p->out, "<tr><th scope=\"row\" class=\"name\"><i class=\"key s%zu\"></i><code>",
           find_shade(row->rank));
  html_add_line(p->out, row->function, kHtmlMaxName);
  text_add(p->out, "</code></th><td>");
  html_add_count(p->out, row->calls, NULL, NULL);
  text_add(p->out, "</td><td>");
  if (all >= 0) {
    html_add_count(p->out, (uint64_t)all, NULL, NULL);
  } else {
    text_add(p->out, "?");
  }
  text_add(p->out, "</td><td%s>%zu</td><td%s>%zu</td>", row->errors > 0 ? " class=\"bad\"" : "",
           row->errors, row->unfinished > 0 ? " class=\"open\"" : "", row->unfinished);
  if (p->request->outcomes != NULL) {
    text_add(p->out, "<td%s>%zu</td>", row->differing > 0 ? " class=\"bad\"" : "", row->differing);
  }
  if (row->timed > 0) {
    text_add(p->out, "<td>");
    add_time(p->out, row->total);
    text_add(p->out, "</td><td>");
    add_time(p->out, row->total / (double)row->timed);
    text_add(p->out, "</td><td>");
    add_time(p->out, row->p99);
    text_add(p->out, "</td><td>");
    add_time(p->out, row->longest);
    text_add(p->out, "</td><td>");
  } else {
    text_add(p->out, "<td>-</td><td>-</td><td>-</td><td>-</td><td>");
  }
  text_add_size(p->out, row->bytes);
  text_add(p->out, "</td></tr>\n");
}

static void add_table(page *p) {
  size_t i;
  text_add(
      p->out,
      "<section>\n<h2>Functions</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>"
      "<th scope=\"col\" class=\"name\">Function</th><th scope=\"col\">Recorded</th>"
      "<th scope=\"col\">All calls</th><th scope=\"col\">Errors</th>"
      "<th scope=\"col\">Unfinished</th>%s<th scope=\"col\">Total</th>"
      "<th scope=\"col\">Mean</th><th scope=\"col\">P99</th><th scope=\"col\">Longest</th>"
      "<th scope=\"col\">Bytes before</th></tr></thead>\n<tbody>\n",
      p->request->outcomes != NULL ? "<th scope=\"col\">Differ</th>" : "");
  for (i = 0; i < p->num_rows && i < kMaxRows; ++i) add_row(p, &p->rows[i]);
  text_add(p->out, "</tbody></table></div>\n");
  if (p->num_rows > kMaxRows) {
    text_add(p->out, "<p class=\"dim\">Left out: ");
    html_add_count(p->out, p->num_rows - kMaxRows, "function", NULL);
    text_add(p->out, " that took less time.</p>\n");
  }
  text_add(p->out,
           "<p class=\"dim\">Times are of recorded calls, and include nested calls.</p>\n"
           "</section>\n");
}

/* ---- Calls with their arguments ---- */

static void add_extents(text_buf *out, const char *what, const int64_t *values, int32_t count) {
  int32_t i;
  text_add(out, ", %s (", what);
  for (i = 0; i < count; ++i) text_add(out, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
  text_add(out, ")");
}

static void add_elements(page *p, const described_tensor *t, const recorded_elements *elements,
                         const char *when, const char *name) {
  text_add(p->out, "<div><b>%s</b><br>", when);
  if (elements->first != NULL) {
    html_draw_tensor(&p->budget, p->out, &t->view, elements->first, name);
  } else {
    text_add(p->out, "<span class=\"open\">not here: ");
    html_add(p->out, elements->missing, kHtmlMaxName);
    text_add(p->out, "</span>");
  }
  text_add(p->out, "</div>\n");
}

static void add_tensor(page *p, const recorded_call *c, const described_tensor *t) {
  const int64_t numel = tvm_ffi_tensor_get_numel(&t->view),
                bits = tvm_ffi_dtype_get_bits(t->view.dtype);
  const char *before = c->is_late ? "after it had failed" : "before";
  text_buf name = {NULL, 0, 0};
  char word[kDtypeTextSize];
  html_add_line(&name, t->name, kHtmlMaxName);
  text_add(p->out, "<figure><figcaption><code><b>%s</b> %s</code>, %s", name.data,
           dtype_write(t->view.dtype, word), t->is_dltensor ? "DLTensor" : "Tensor");
  add_extents(p->out, "shape", t->view.shape, t->view.ndim);
  add_extents(p->out, "strides", t->view.strides, t->view.ndim);
  if (numel >= 0 && numel <= INT64_MAX / (bits + 1)) {
    text_add(p->out, ", ");
    text_add_byte_count(p->out, ((uint64_t)numel * (uint64_t)bits + 7) / 8);
  }
  if (t->view.byte_offset != 0) {
    text_add(p->out, ", byte_offset %" PRId64, (int64_t)t->view.byte_offset);
  }
  text_add(p->out, ", %s%s", tvm_ffi_device_print(t->view.device, word, sizeof word),
           t->is_read_only ? ", read-only" : "");
  if (t->left_out != NULL) {
    text_add(p->out, ", <span class=\"open\">");
    html_add(p->out, t->left_out, kHtmlMaxName);
    text_add(p->out, "</span>");
  }
  text_add(p->out, "</figcaption>\n<div class=\"moments\">\n");
  if (t->is_result) {
    add_elements(p, t, &t->after, "result", name.data);
  } else if (t->after.first == NULL && t->after.missing == NULL) {
    add_elements(p, t, &t->before, before, name.data);
  } else if (c->is_late) { /* both moments are the same one */
    add_elements(p, t, &t->before, before, name.data);
  } else if (!t->is_changed && t->before.first != NULL) {
    add_elements(p, t, &t->before, "unchanged", name.data);
  } else {
    add_elements(p, t, &t->before, before, name.data);
    add_elements(p, t, &t->after, "after", name.data);
  }
  text_add(p->out, "</div></figure>\n");
  text_free(&name);
}

static void add_items(page *p, const recorded_call *c, recorded_moment when) {
  word_list items = recording_describe(p->r, c, when, true);
  size_t i;
  for (i = 0; i < items.size && i < kMaxItems; ++i) {
    if (when == kBefore) {
      text_add(p->out, "<tr><th scope=\"row\">arg[%zu]</th><td><code>", i);
    } else {
      text_add(p->out, "<tr><th scope=\"row\">result</th><td><code>");
    }
    html_add_line(p->out, items.items[i], kHtmlMaxText);
    text_add(p->out, "</code></td></tr>\n");
  }
  if (items.size > kMaxItems) {
    text_add(p->out, "<tr><td colspan=\"2\">and %zu more</td></tr>\n", items.size - kMaxItems);
  }
  words_free(&items);
}

static void add_tensors(page *p, const recorded_call *c) {
  call_tensors tensors;
  size_t i;
  recording_read_tensors(p->r, c, kMaxTensors, &p->bytes_left, &tensors);
  if (tensors.is_damaged) p->is_damaged = true;
  if (tensors.size > 0) {
    text_add(p->out, "<div class=\"tensors\">\n");
    for (i = 0; i < tensors.size; ++i) add_tensor(p, c, &tensors.items[i]);
    text_add(p->out, "</div>\n");
  }
  if (tensors.num_more > 0) {
    add_left_out(p->out, tensors.num_more, "more tensor", NULL);
  }
  call_tensors_free(&tensors);
}

/* What a replay says of a call. */
static void add_outcome(page *p, const call_outcome *outcome) {
  text_add(p->out, "<p>Made again: <span class=\"%s\">%s</span>", choose_role(outcome),
           outcome->verdict);
  if (outcome->detail[0] != '\0') {
    text_add(p->out, ": ");
    html_add(p->out, outcome->detail, kHtmlMaxText);
  }
  text_add(p->out, "</p>\n");
  if (outcome->pictures.size > 0) {
    text_add(p->out, "<div class=\"tensors differing\">\n");
    text_add_bytes(p->out, outcome->pictures.data, outcome->pictures.size);
    text_add(p->out, "</div>\n");
  }
  if (outcome->num_more > 0) {
    add_left_out(p->out, outcome->num_more, "more tensor that differs", "more tensors that differ");
  }
}

static void add_call(page *p, const page_call *shown, bool is_open) {
  const recorded_call *c = shown->call;
  const char *role = c->end == kCallRaised ? "bad" : c->end == kCallUnfinished ? "open" : "dim";
  text_add(p->out, "<details%s><summary>%" PRId64 " <code><b>", is_open ? " open" : "", c->number);
  html_add_line(p->out, c->function, kHtmlMaxName);
  text_add(p->out, "</b>(");
  html_add_line(p->out, c->signature, kHtmlMaxName);
  text_add(p->out, ")</code> <span class=\"%s\">", role);
  add_end(p->out, c);
  text_add(p->out, "</span>");
  if (shown->outcome != NULL) {
    text_add(p->out, " <span class=\"verdict %s\">%s</span>", choose_role(shown->outcome),
             shown->outcome->verdict);
  }
  text_add(p->out, "</summary>\n<div class=\"call\" id=\"c%" PRId64 "\">\n<p class=\"dim\">",
           c->number);
  text_add(p->out, "thread %" PRId64 ", ", c->thread);
  text_add(p->out, "%s ", c->is_late ? "failed" : "began");
  add_time(p->out, shown->begin - p->first);
  text_add(p->out, " into the timeline, in <code>");
  html_add_line(p->out, c->library, kHtmlMaxText);
  if (c->build_id != NULL) {
    text_add(p->out, "</code>, build <code>");
    html_add_line(p->out, c->build_id, kHtmlMaxName);
  }
  text_add(p->out, "</code>%s</p>\n",
           c->is_late ? "; the arguments were read after it had failed" : "");
  if (c->end == kCallRaised && c->error[0] != '\0') {
    text_add(p->out, "<pre>");
    html_add(p->out, c->error, kHtmlMaxText);
    text_add(p->out, "</pre>\n");
  }
  if (shown->outcome != NULL) add_outcome(p, shown->outcome);
  text_add(p->out, "<table class=\"args\">\n");
  add_items(p, c, kBefore);
  if (c->end == kCallReturned) add_items(p, c, kAfter);
  text_add(p->out, "</table>\n");
  add_tensors(p, c);
  text_add(p->out, "</div></details>\n");
}

/* In the order of their numbers. The bad ones read bytes and draw first, as long as they may. */
static void add_detailed_calls(page *p, size_t count) {
  text_buf *texts = tool_alloc((count + 1) * sizeof *texts), *const out = p->out;
  size_t i, k;
  int pass;
  memset(texts, 0, (count + 1) * sizeof *texts);
  for (pass = 0; pass < 2; ++pass) {
    for (i = 0, k = 0; i < p->num_calls; ++i) {
      if (!p->calls[i].is_detailed) continue;
      p->out = &texts[k++];
      if (comes_first(&p->calls[i]) == (pass == 0)) add_call(p, &p->calls[i], p->num_calls <= 2);
    }
  }
  p->out = out;
  for (k = 0; k < count; ++k) {
    text_add_bytes(out, texts[k].data, texts[k].size);
    text_free(&texts[k]);
  }
  free(texts);
}

static void add_calls(page *p) {
  size_t num_detailed = 0, i;
  if (p->num_calls > 1) qsort(p->calls, p->num_calls, sizeof *p->calls, compare_numbers);
  for (i = 0; i < p->num_calls; ++i) num_detailed += p->calls[i].is_detailed;
  text_add(p->out,
           "<section>\n<h2>Calls</h2>\n"
           "<p class=\"filter\" hidden><label>Only calls with <input type=\"search\" "
           "placeholder=\"%s\"></label> <span class=\"dim\" role=\"status\"></span></p>\n",
           p->request->outcomes != NULL ? "a name, or: differs" : "a name, or: raised");
  if (num_detailed < p->num_calls) {
    text_add(p->out, "<p>Here are ");
    html_add_count(p->out, num_detailed, NULL, NULL);
    text_add(p->out, " of ");
    html_add_count(p->out, p->num_calls, "call", NULL);
    text_add(p->out,
             ": at most %d that %s, and the first of the others. With <code>--match</code> or %s a "
             "page has others.</p>\n",
             kMaxBad, p->request->outcomes != NULL ? "differ" : "failed or did not finish",
             p->request->outcomes != NULL ? "numbers of calls" : "<code>--call</code>");
  }
  text_add(p->out, "<div class=\"calls\">\n");
  add_detailed_calls(p, num_detailed);
  text_add(p->out, "</div>\n");
  text_add(p->out, "</section>\n");
}

/* ---- The page ---- */

bool recording_has_file(const recording *r, const char *folder, const char *path) {
  static const char *const kOthers[] = {"version", "next"};
  static const char *const kEndings[] = {"jsonl", "memory", "counts"};
  char *tensors = tool_format("%s/tensors", folder), *beside = path_beside(path, ".");
  const char *found = NULL;
  size_t i;
  for (i = 0; i < 3 * recording_num_processes(r) && found == NULL; ++i) {
    const char *events = recording_process(r, i / 3)->name;
    const int size = (int)(strlen(events) - strlen(kEndings[0]));
    char *other = tool_format("%.*s%s", size, events, kEndings[i % 3]);
    if (tool_is_same_file(path, other, true)) found = path;
    free(other);
  }
  if (found == NULL && tool_is_one_file(path, folder)) found = path; /* an archive */
  for (i = 0; i < 2 && found == NULL; ++i) {
    char *other = tool_format("%s/%s", folder, kOthers[i]);
    if (tool_is_same_file(path, other, true)) found = path;
    free(other);
  }
  if (found == NULL && tool_is_one_file(tensors, beside)) found = path;
  if (found != NULL) report_error("%s is a file of the recording, and is not overwritten", found);
  free(tensors);
  free(beside);
  return found != NULL;
}

bool recording_write_page(const shown_page *request, const char *path) {
  text_buf out = {NULL, 0, 0};
  page p;
  size_t i;
  bool is_written;
  memset(&p, 0, sizeof p);
  p.request = request;
  p.r = request->recording;
  p.out = &out;
  p.bytes_left = MAX_BYTES;
  p.budget = request->budget;
  p.num_calls = request->num_calls;
  p.calls = tool_alloc((p.num_calls + 1) * sizeof *p.calls);
  memset(p.calls, 0, (p.num_calls + 1) * sizeof *p.calls);
  for (i = 0; i < p.num_calls; ++i) {
    const recorded_call *c = p.calls[i].call = request->calls[i];
    if (request->outcomes != NULL) p.calls[i].outcome = &request->outcomes[i];
    p.num_differing += p.calls[i].outcome != NULL && p.calls[i].outcome->is_bad;
    p.num_errors += c->end == kCallRaised;
    p.num_unfinished += c->end == kCallUnfinished;
    p.num_left_out += c->num_left_out > 0;
  }
  make_rows(&p);
  place_calls(&p);
  choose_calls(&p);
  add_heading(&p);
  add_replay(&p);
  add_timeline(&p);
  add_table(&p);
  add_calls(&p);
  text_add(&out, "</main>\n<script>");
  text_add_lines(&out, kPageScript + 1);
  text_add(&out, "</script>\n</body>\n</html>\n");
  is_written = tool_write_file(path, out.data, out.size);
  free(p.calls);
  free(p.rows);
  text_free(&out);
  return is_written && !p.is_damaged;
}
