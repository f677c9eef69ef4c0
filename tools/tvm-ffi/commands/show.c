/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what is in a recording: functions with their signatures, calls, one call whole, or all of
 * it as a page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/pattern.h"
#include "base/report.h"
#include "commands/commands.h"
#include "recording/recording.h"
#include "value/value_text.h"

/* What calls have in common: the function, or the function and the signature. */
typedef struct {
  const recorded_call *first;
  size_t calls, errors, unfinished;
  uint64_t bytes;
} call_group;

typedef struct {
  call_group *items;
  size_t size;
} group_list;

typedef struct {
  const recording *r;
  text_list match;
  tensor_detail detail;
  bool json, has_commands;
} shown;

static bool is_shown(const shown *s, const recorded_call *c) {
  return patterns_match(s->match.items, s->match.count, c->function);
}

/* ---- Groups ---- */

static call_group *find_group(group_list *list, const recorded_call *c, bool by_signature) {
  size_t i;
  for (i = 0; i < list->size; ++i) {
    const recorded_call *first = list->items[i].first;
    if (strcmp(first->function, c->function) == 0 &&
        (!by_signature || strcmp(first->signature, c->signature) == 0)) {
      return &list->items[i];
    }
  }
  list->items = tool_grow(list->items, list->size, sizeof *list->items);
  memset(&list->items[list->size], 0, sizeof *list->items);
  list->items[list->size].first = c;
  return &list->items[list->size++];
}

static group_list group_calls(const shown *s, bool by_signature) {
  group_list list = {NULL, 0};
  size_t i;
  for (i = 0; i < recording_num_calls(s->r); ++i) {
    const recorded_call *c = recording_call(s->r, i);
    call_group *group;
    if (!is_shown(s, c)) continue;
    group = find_group(&list, c, by_signature);
    ++group->calls;
    group->errors += c->end == kCallRaised;
    group->unfinished += c->end == kCallUnfinished;
    group->bytes += c->bytes;
  }
  return list;
}

/* ---- The table ---- */

static void print_group(const shown *s, const call_group *group, const group_list *signatures) {
  const int64_t total = recording_count_calls(s->r, group->first->function);
  FILE *out = streams_results();
  text_buf size = {NULL, 0, 0};
  size_t i;
  text_add_size(&size, group->bytes);
  fprintf(out, "%8zu  ", group->calls);
  if (total >= 0) {
    fprintf(out, "%8" PRId64, total);
  } else {
    fprintf(out, "%8s", "?");
  }
  fprintf(out, "  %s%6zu%s", report_color(group->errors > 0 ? kColorBad : kColorNone),
          group->errors, report_color(kColorNone));
  fprintf(out, "  %s%10zu%s", report_color(group->unfinished > 0 ? kColorBad : kColorNone),
          group->unfinished, report_color(kColorNone));
  fprintf(out, "  %10s  %s", size.data, report_color(kColorName));
  text_print_escaped(out, group->first->function);
  fprintf(out, "%s\n", report_color(kColorNone));
  text_free(&size);
  for (i = 0; i < signatures->size; ++i) {
    const call_group *one = &signatures->items[i];
    if (strcmp(one->first->function, group->first->function) != 0) continue;
    fprintf(out, "%8zu  %44s(%s)\n", one->calls, "", one->first->signature);
  }
}

static void print_table(const shown *s) {
  group_list functions = group_calls(s, false), signatures = group_calls(s, true);
  size_t i;
  fprintf(streams_results(), "%8s  %8s  %6s  %10s  %10s  %s\n", "recorded", "of calls", "errors",
          "unfinished", "bytes", "function");
  for (i = 0; i < functions.size; ++i) print_group(s, &functions.items[i], &signatures);
  for (i = 0; i < recording_notes(s->r)->size; ++i)
    report_note("%s", recording_notes(s->r)->items[i]);
  free(functions.items);
  free(signatures.items);
}

static void write_counts(const call_group *group) {
  json_uint("calls", group->calls);
  json_uint("errors", group->errors);
  json_uint("unfinished", group->unfinished);
  json_uint("bytes", group->bytes);
}

static const char *const kEnds[] = {"unfinished", "returned", "raised"};

static void write_call(const recorded_call *c) {
  json_begin_object(NULL);
  json_int("call", c->number);
  json_int("thread", c->thread);
  json_text("function", c->function);
  json_text("library", c->library);
  json_text("signature", c->signature);
  json_text("end", kEnds[c->end]);
  if (c->error != NULL) json_text("error", c->error);
  if (c->nanoseconds >= 0) json_int("nanoseconds", c->nanoseconds);
  json_uint("bytes", c->bytes);
  json_bool("late", c->is_late);
  json_end();
}

static void write_json(const shown *s, const char *folder) {
  group_list functions = group_calls(s, false), signatures = group_calls(s, true);
  size_t i, k;
  json_begin_object(NULL);
  json_text("recording", folder);
  json_begin_array("functions");
  for (i = 0; i < functions.size; ++i) {
    const call_group *group = &functions.items[i];
    const int64_t total = recording_count_calls(s->r, group->first->function);
    json_begin_object(NULL);
    json_text("name", group->first->function);
    write_counts(group);
    if (total >= 0) {
      json_int("all_calls", total);
    } else {
      json_null("all_calls");
    }
    json_begin_array("signatures");
    for (k = 0; k < signatures.size; ++k) {
      const call_group *one = &signatures.items[k];
      if (strcmp(one->first->function, group->first->function) != 0) continue;
      json_begin_object(NULL);
      json_text("signature", one->first->signature);
      write_counts(one);
      json_end();
    }
    json_end();
    json_end();
  }
  json_end();
  json_begin_array("calls");
  for (i = 0; i < recording_num_calls(s->r); ++i) {
    if (is_shown(s, recording_call(s->r, i))) write_call(recording_call(s->r, i));
  }
  json_end();
  json_begin_array("notes");
  for (i = 0; i < recording_notes(s->r)->size; ++i) {
    json_text(NULL, recording_notes(s->r)->items[i]);
  }
  json_end();
  json_end();
  free(functions.items);
  free(signatures.items);
}

/* ---- Calls, one in a line ---- */

/* "returned after 12.3 us", "raised ValueError: x is empty" */
static void print_end(const recorded_call *c) {
  FILE *out = streams_results();
  const bool bad = c->end != kCallReturned;
  fprintf(out, "%s%s%s", report_color(bad ? kColorBad : kColorNone), kEnds[c->end],
          report_color(kColorNone));
  if (c->end == kCallRaised && c->error[0] != '\0') {
    char *line = tool_copy(c->error, strcspn(c->error, "\n"));
    putc(' ', out);
    text_print_escaped(out, line);
    free(line);
  }
  if (c->end == kCallUnfinished && c->is_cut) fputs(" when recording ended", out);
  if (c->nanoseconds >= 0) fprintf(out, " after %s us", REAL_F(1, (double)c->nanoseconds * 1e-3));
}

static void print_calls(const shown *s) {
  size_t i;
  for (i = 0; i < recording_num_calls(s->r); ++i) {
    const recorded_call *c = recording_call(s->r, i);
    if (!is_shown(s, c)) continue;
    fprintf(streams_results(), "%6" PRId64 "  %s", c->number, report_color(kColorName));
    text_print_escaped(streams_results(), c->function);
    fprintf(streams_results(), "%s(%s)  ", report_color(kColorNone), c->signature);
    print_end(c);
    putc('\n', streams_results());
  }
}

/* ---- One call ---- */

static void print_tensor(const shown *s, const recorded_tensor *t) {
  const TVMFFIAny view = tvm_ffi_any_view_tensor(t->tensor);
  text_buf text = {NULL, 0, 0};
  value_write(&text, &view, &s->detail);
  fprintf(streams_results(), "  %s: %s\n", t->name, text.data);
  text_free(&text);
}

/* Whether the call changed the memory of the tensor. */
static bool is_changed(const call_values *before, const call_values *after, size_t i) {
  const size_t at = after->tensors[i].storage;
  const char *old, *now;
  if (at == SIZE_MAX) return false;
  if (at >= before->num_storages) return true; /* only the result has it */
  old = before->storages[at].data;
  now = after->storages[at].data;
  return old == NULL || now == NULL || strcmp(old, now) != 0;
}

/* Prints the tensors with data of one moment; of `after`, those that changed. */
static void print_tensors(const shown *s, const call_values *before, const call_values *after) {
  const call_values *values = after != NULL ? after : before;
  size_t i;
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    if (after != NULL && !is_changed(before, after, i)) continue;
    if (t->has_data) {
      print_tensor(s, t);
    } else {
      fprintf(streams_results(), "  %s: its data was left out: ", t->name);
      text_print_escaped(streams_results(), values->storages[t->storage].left_out);
      putc('\n', streams_results());
    }
  }
}

static void print_items(const shown *s, const recorded_call *c, recorded_moment when) {
  word_list items = recording_describe(s->r, c, when, true);
  size_t i;
  for (i = 0; i < items.size; ++i) {
    if (when == kBefore) {
      fprintf(streams_results(), "arg[%zu]: %s\n", i, items.items[i]);
    } else {
      fprintf(streams_results(), "result: %s\n", items.items[i]);
    }
  }
  words_free(&items);
}

static int print_call(const shown *s, const recorded_call *c) {
  const DLDevice cpu = {kDLCPU, 0};
  call_values before, after;
  int code = kExitOk;
  fprintf(streams_results(), "call %" PRId64 ": %s", c->number, report_color(kColorName));
  text_print_escaped(streams_results(), c->function);
  fprintf(streams_results(), "%s in ", report_color(kColorNone));
  text_print_escaped(streams_results(), c->library);
  if (c->build_id != NULL) {
    fputs(", build ", streams_results());
    text_print_escaped(streams_results(), c->build_id);
  }
  fprintf(streams_results(), "\nthread %" PRId64 ", ", c->thread);
  print_end(c);
  fprintf(streams_results(), "%s\n",
          c->is_late ? "; the arguments were read after it had failed" : "");
  print_items(s, c, kBefore);
  memset(&after, 0, sizeof after);
  if (recording_make(s->r, c, kBefore, cpu, &before, NULL) == kDamaged) {
    code = kExitUsage;
  } else {
    print_tensors(s, &before, NULL);
    if (c->end == kCallReturned) print_items(s, c, kAfter);
    if (c->end != kCallUnfinished) {
      if (recording_make(s->r, c, kAfter, cpu, &after, NULL) == kDamaged) code = kExitUsage;
      if (code == kExitOk) {
        fputs("after the call:\n", streams_results());
        print_tensors(s, &before, &after);
      }
    }
  }
  call_values_free(&before);
  call_values_free(&after);
  return code;
}

/* Its events, as the format has them. The exit code: 2 after a report that there is no memory. */
static int write_events(const shown *s, const recorded_call *c) {
  char *before = recording_event(s->r, c, kBefore), *after = recording_event(s->r, c, kAfter);
  const bool is_whole = before != NULL && (after != NULL || c->after.text == NULL);
  if (is_whole) {
    fprintf(streams_results(), "{\"call\":%s,\n\"end\":%s}\n", before,
            after != NULL ? after : "null");
  }
  free(before);
  free(after);
  return is_whole ? kExitOk : kExitUsage;
}

/* ---- A page ---- */

/* An archive has the whole recording. */
static bool can_pack(const arguments *args) {
  static const struct {
    int option;
    const char *name;
  } kOthers[] = {{kOptionCall, "call"}, {kOptionCalls, "calls"},   {kOptionHtml, "html"},
                 {kOptionFull, "full"}, {kOptionExport, "export"}, {kOptionMatch, "match"},
                 {kOptionJson, "json"}};
  size_t i;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (!arguments_has(args, kOthers[i].option)) continue;
    return report_error("--pack writes the whole recording, and cannot be combined with --%s",
                        kOthers[i].name);
  }
  return true;
}

static bool can_write(const arguments *args) {
  static const struct {
    int option;
    const char *name;
  } kOthers[] = {{kOptionCalls, "--calls"}, {kOptionFull, "--full"}, {kOptionJson, "--json"}};
  size_t i;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (!arguments_has(args, kOptionHtml) || !arguments_has(args, kOthers[i].option)) continue;
    return report_error("--html cannot be combined with %s", kOthers[i].name);
  }
  if (arguments_has(args, kOptionPack) && !can_pack(args)) return false;
  if (arguments_has(args, kOptionExport)) {
    if (!arguments_has(args, kOptionCall))
      return report_error("--export is for the call of --call");
    if (arguments_has(args, kOptionJson) || arguments_has(args, kOptionHtml)) {
      return report_error("--export cannot be combined with %s",
                          arguments_has(args, kOptionJson) ? "--json" : "--html");
    }
    if (!recording_can_export(arguments_text(args, kOptionExport, ""))) return false;
  }
  if (arguments_has(args, kOptionCommand) && !arguments_has(args, kOptionHtml)) {
    return report_error("--command is for the page that --html writes");
  }
  return true;
}

/* Writes a page of the calls, or of the chosen one. */
static int write_page(const shown *s, const char *folder, const recorded_call *chosen,
                      const char *path) {
  const recorded_call **calls = tool_alloc((recording_num_calls(s->r) + 1) * sizeof *calls);
  shown_page request;
  size_t i;
  bool is_written;
  memset(&request, 0, sizeof request);
  for (i = 0; i < recording_num_calls(s->r); ++i) {
    const recorded_call *c = recording_call(s->r, i);
    if (chosen != NULL ? c == chosen : is_shown(s, c)) calls[request.num_calls++] = c;
  }
  request.recording = s->r;
  request.folder = folder;
  request.calls = calls;
  request.has_commands = s->has_commands;
  request.budget = drawing_budget_full();
  is_written = !recording_has_file(s->r, folder, path) && recording_write_page(&request, path);
  free(calls);
  return is_written ? kExitOk : kExitUsage;
}

static int command_show(const arguments *args) {
  const char *folder = arguments_operand(args, 0), *page = arguments_text(args, kOptionHtml, NULL);
  const recorded_call *chosen = NULL;
  recording *r;
  long long one_number;
  shown s;
  int code = kExitOk;
  if (!arguments_int(args, kOptionCall, -1, 0, INT64_MAX, &one_number) || !can_write(args)) {
    return kExitUsage;
  }
  r = recording_open(folder);
  if (r == NULL) return kExitUsage;
  s.r = r;
  s.match = arguments_values(args, kOptionMatch);
  s.json = arguments_has(args, kOptionJson);
  s.has_commands = arguments_has(args, kOptionCommand);
  s.detail = arguments_has(args, kOptionFull) ? kTensorWhole : kTensorElided;
  if (one_number >= 0) {
    chosen = recording_find_call(r, one_number);
    if (chosen == NULL) {
      code = report_fail(kExitUsage, "there is no call %lld; show --calls lists them", one_number);
    }
  }
  if (code != kExitOk) {
    /* there is no such call */
  } else if (arguments_has(args, kOptionPack)) {
    const char *path = arguments_text(args, kOptionPack, NULL);
    code = !recording_has_file(r, folder, path) && recording_pack(r, path) ? kExitOk : kExitUsage;
  } else if (arguments_has(args, kOptionExport)) {
    const char *path = arguments_text(args, kOptionExport, NULL);
    const bool good =
        !recording_has_file(r, folder, path) && recording_export_call(r, chosen, path);
    code = good ? kExitOk : kExitUsage;
  } else if (page != NULL) {
    code = write_page(&s, folder, chosen, page);
  } else if (chosen != NULL) {
    if (s.json) {
      code = write_events(&s, chosen);
    } else {
      code = print_call(&s, chosen);
    }
  } else if (s.json) {
    write_json(&s, folder);
  } else if (arguments_has(args, kOptionCalls)) {
    print_calls(&s);
  } else {
    print_table(&s);
  }
  recording_free(r);
  return code;
}

/* ---- Options and help ---- */

static const option kShowOptions[] = {
    {kOptionCall, "call", 0, "N", false, "show this call in full"},
    {kOptionCalls, "calls", 0, NULL, false, "list the calls, one per line"},
    {kOptionHtml, "html", 0, "FILE", false,
     "write a page for browsers: a timeline, the functions, calls with pictures of their tensors"},
    {kOptionCommand, "command", 0, NULL, false,
     "with --html, show the command lines of the processes, too: they may have secrets"},
    {kOptionPack, "pack", 0, "FILE", false,
     "write the recording, with its libraries and those they need, to one file, a zip"},
    {kOptionExport, "export", 0, "FILE", false,
     "write the tensors of --call to a file for other tools: .npz of NumPy, or .safetensors"},
    MATCH_FUNCTIONS_OPTION,
    {kOptionFull, "full", 0, NULL, false,
     "print all elements, even of a tensor with more than 1000"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kShowText[] =
    "DIR is a folder that record wrote. The table has a line for each function: how many of its\n"
    "calls were recorded, how many there were, how many of the recorded ones raised an error, and\n"
    "how many never returned; the bytes are those of the tensors before each call. Below it are\n"
    "the signatures, each with its number of calls. Tensors are written as for run, with data\n"
    "type, shape and layout in memory.\n\n"
    "A damaged recording is refused; the message names the file and line. An unfinished last\n"
    "line, as a crash leaves it, is left out with a note. --call with --json prints the two\n"
    "events of the call, including the keys of the call that it repeats. The names in the file of\n"
    "--export are before.arg[0], after.arg[0], after.result; numbers have no dimensions.\n\n"
    "The page of --html is one file, which needs no other file and no network. It shows all\n"
    "calls, those that --match selects, or the one of --call, and says what it leaves out. It has\n"
    "a timeline of each thread, the functions with their times, and at most 300 calls with\n"
    "arguments, results and errors. No text of the recording can become part of its markup.\n\n"
    "  tvm-ffi show seen --calls --match 'c*'\n"
    "  tvm-ffi show seen --call 1\n"
    "  tvm-ffi show seen --call 1 --export call.npz\n"
    "  tvm-ffi show seen --html seen.html";

const command kShowCommand = {
    .name = "show",
    .operands = "DIR",
    .summary = "Show what is in a recording",
    .description = kShowText,
    .options = kShowOptions,
    .min_operands = 1,
    .max_operands = 1,
    .run = command_show,
};
