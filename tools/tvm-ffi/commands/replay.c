/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of a recording again, each in a child process, and compares what they do with
 * what was recorded, or with what another build of the library does. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/report.h"
#include "commands/call.h"
#include "library/library.h"
#include "recording/replay.h"

/* ---- Choosing calls ---- */

/* Whether the calls chosen by text, "3,7-9", have this number. False after a report in *good. */
static bool has_number(const char *text, int64_t wanted, bool *good) {
  const char *pos = text;
  bool found = false;
  *good = true;
  while (*good) {
    char *end;
    long long low, high;
    low = high = strtoll(pos, &end, 10);
    *good = end != pos && *pos >= '0' && *pos <= '9';
    if (*good && *end == '-') {
      pos = end + 1;
      high = strtoll(pos, &end, 10);
      *good = end != pos && *pos >= '0' && *pos <= '9';
    }
    found = found || (wanted >= low && wanted <= high);
    if (*end == '\0') break;
    *good = *good && *end == ',';
    pos = end + 1;
  }
  if (!*good) report_error("`%s` is not a list of calls, such as 3,7-9", text);
  return found;
}

/* False after a report. */
static bool choose_calls(const arguments *args, replay *p) {
  const char *numbers = arguments_num_operands(args) > 1 ? arguments_operand(args, 1) : NULL;
  const text_list match = arguments_values(args, kOptionMatch);
  size_t i;
  bool good = true;
  if (numbers != NULL && !has_number(numbers, 0, &good) && !good) return false;
  p->calls = tool_alloc((recording_num_calls(p->r) + 1) * sizeof *p->calls);
  for (i = 0; i < recording_num_calls(p->r); ++i) {
    const recorded_call *c = recording_call(p->r, i);
    if (!patterns_match(match.items, match.count, c->function)) continue;
    if (numbers == NULL || has_number(numbers, c->number, &good)) p->calls[p->num_calls++] = c;
  }
  if (p->num_calls == 0) report_error("no call was chosen; show --calls lists them");
  return p->num_calls > 0;
}

/* ---- Making them again ---- */

/* Boxes for what children tell; false after a report. */
static bool make_boxes(replay *p) {
  enum { kRoom = 64 << 20, kMostShown = 1 << 30 };
  uint64_t most = 0, shown;
  size_t i;
  for (i = 0; i < p->num_calls; ++i) {
    if (p->calls[i]->bytes > most) most = p->calls[i]->bytes;
  }
  shown = most < kMostShown / 4 ? most * 4 + kRoom : kMostShown;
  if (shown > kMostShown) shown = kMostShown;
  p->told = box_open(sizeof *p->outcome, p->page_path != NULL ? (size_t)shown : 0);
  if (p->told != NULL && p->against != NULL) p->effects = box_open(0, (size_t)most * 2 + kRoom);
  if (p->told == NULL || (p->against != NULL && p->effects == NULL)) {
    return report_error("no memory for the outputs: %s", strerror(errno));
  }
  p->outcome = box_record(p->told);
  if (p->in_order && (p->all = box_open(p->num_calls * sizeof *p->outcome, 0)) == NULL) {
    return report_error("no memory for the outcomes: %s", strerror(errno));
  }
  return true;
}

static int write_page(const replay *p) {
  shown_page request;
  memset(&request, 0, sizeof request);
  request.recording = p->r;
  request.folder = p->folder;
  request.calls = p->calls;
  request.num_calls = p->num_calls;
  request.has_commands = p->has_commands;
  request.budget = p->budget;
  request.outcomes = p->outcomes;
  request.library = p->lib;
  request.against = p->against;
  request.is_other_build = p->against == NULL && replay_find_other_build(p) != NULL;
  return recording_write_page(&request, p->page_path) ? kExitOk : kExitUsage;
}

/* Ends the output where something failed that was reported. Returns the code. */
static int end_early(const replay *p, int code) {
  if (p->json) replay_show_sum(p); /* else the document would be cut off */
  return code;
}

static int replay_all(replay *p) {
  size_t i;
  int code = kExitOk;
  if (p->json) {
    json_begin_object(NULL);
    json_text("recording", p->folder);
    replay_show_libraries(p);
    json_begin_array("calls");
  }
  if (p->in_order && !replay_in_order(p, &code)) return end_early(p, code);
  for (i = 0; i < p->num_calls; ++i) {
    p->c = p->calls[i];
    if (!replay_one(p, &code)) return end_early(p, code);
    replay_show_call(p);
    if (p->page_path != NULL) replay_keep_outcome(p);
  }
  replay_show_sum(p);
  if (p->page_path != NULL && (code = write_page(p)) != kExitOk) return code;
  if (p->first_bad != NULL) return p->first_code;
  return p->counts[kReplayLeftOut] == p->num_calls ? kExitMismatch : kExitOk;
}

/* ---- Measuring calls ---- */

typedef struct {
  const replay *p;
  call_values values;
} measured_call;

static int make_measured(void *context, DLDevice device, input_list *out) {
  measured_call *measured = context;
  const replay *p = measured->p;
  size_t i;
  if (!recording_make_before(p->r, p->c, device, &measured->values)) return kExitUsage;
  out->size = measured->values.num_args;
  out->items = tool_alloc((out->size + 1) * sizeof *out->items);
  for (i = 0; i < out->size; ++i) {
    out->items[i].value = measured->values.args[i];
    out->items[i].is_storage = false;
    out->items[i].memory = NULL;
  }
  return kExitOk;
}

static int measure_call(void *context) {
  const replay *p = context;
  measured_call measured;
  call request;
  int code;
  memset(&measured, 0, sizeof measured);
  memset(&request, 0, sizeof request);
  measured.p = p;
  request.paths[0] = replay_choose_library(p);
  request.paths[1] = p->against;
  request.num_paths = p->against != NULL ? 2 : 1;
  request.function = (char *)p->c->function;
  request.is_recorded = true;
  request.device_name = p->device_name;
  code = bench_recorded(&request, p->json, make_measured, &measured);
  call_values_free(&measured.values);
  return code;
}

static int measure_all(replay *p) {
  size_t i;
  int code = kExitOk;
  if (p->json && p->num_calls > 1) {
    return report_fail(kExitUsage, "--bench prints JSON of one call, and %zu were chosen",
                       p->num_calls);
  }
  for (i = 0; i < p->num_calls; ++i) {
    if (!recorded_call_has_symbol(p->calls[i])) return kExitUsage;
  }
  if (!replay_find_libraries(p)) return kExitLoad;
  for (i = 0; i < p->num_calls && code == kExitOk; ++i) {
    p->c = p->calls[i];
    if (!p->json) {
      fprintf(streams_results(), "%scall %" PRId64 " (%s)\n", i > 0 ? "\n" : "", p->c->number,
              p->c->signature);
    }
    code = supervise_run(measure_call, p, &p->settings);
  }
  return code;
}

/* ---- The command ---- */

static bool can_write_page(const arguments *args, const char *path) {
  if (path == NULL && arguments_has(args, kOptionCommand)) {
    return report_error("--command is for the page that --html writes");
  }
  if (path == NULL) return true;
  if (strcmp(path, "-") == 0) {
    return report_error("--html of replay takes a file: standard output has the results");
  }
  if (arguments_has(args, kOptionBench) || arguments_has(args, kOptionEmit)) {
    return report_error("--html cannot be combined with %s",
                        arguments_has(args, kOptionBench) ? "--bench" : "--emit");
  }
  return true;
}

static bool can_be_in_order(const arguments *args) {
  static const struct {
    int option;
    const char *name;
  } kOthers[] = {{kOptionAgainst, "against"}, {kOptionBench, "bench"}, {kOptionEmit, "emit"}};
  size_t i;
  if (!arguments_has(args, kOptionInOrder)) return true;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (!arguments_has(args, kOthers[i].option)) continue;
    return report_error("--in-order cannot be combined with --%s", kOthers[i].name);
  }
  return true;
}

static bool read_options(const arguments *args, replay *out) {
  out->folder = arguments_operand(args, 0);
  out->lib = arguments_text(args, kOptionLib, NULL);
  out->against = arguments_text(args, kOptionAgainst, NULL);
  out->device_name = arguments_text(args, kOptionDevice, "cpu");
  out->json = arguments_has(args, kOptionJson);
  out->page_path = arguments_text(args, kOptionHtml, NULL);
  out->has_commands = arguments_has(args, kOptionCommand);
  out->budget = drawing_budget_full();
  out->in_order = arguments_has(args, kOptionInOrder);
  out->settings.in_place = arguments_has(args, kOptionNoFork);
  out->settings.skips_unload = true;
  source_allow(arguments_values(args, kOptionCflags), true);
  if (arguments_has(args, kOptionRedact) && !arguments_has(args, kOptionEmit)) {
    return report_error("--redact is for the program that --emit writes");
  }
  if (arguments_has(args, kOptionOutput) && !arguments_has(args, kOptionEmit)) {
    return report_error("--output is for the program that --emit writes");
  }
  if (arguments_has(args, kOptionEmit) && out->json && !arguments_has(args, kOptionOutput)) {
    return report_error("--json prints no program: --emit takes --output with it");
  }
  if (arguments_has(args, kOptionOutput) &&
      !file_check_ending(
          "output", arguments_text(args, kOptionOutput, "-"),
          1u << kHoldsUnknown |
              (arguments_word(args, kOptionEmit, 0) == 1 ? 1u << kHoldsPython : 1u << kHoldsC))) {
    return false;
  }
  return can_be_in_order(args) && can_write_page(args, out->page_path) &&
         read_timeout(args, &out->settings.timeout) &&
         arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->allowed.absolute);
}

static int write_program(const arguments *args, const replay *p) {
  char *why = recorded_library_refuse(p->r, p->c);
  repeated_call request;
  request.recording = p->r;
  request.call = p->c;
  request.library = replay_choose_library(p);
  if (request.library == p->c->library && why != NULL) request.library = NULL;
  if (arguments_has(args, kOptionRedact)) request.library = NULL; /* paths are private, too */
  free(why);
  request.folder = p->folder;
  request.is_python = arguments_word(args, kOptionEmit, 0) == 1;
  request.redacted = arguments_has(args, kOptionRedact);
  return recording_write_program(&request, arguments_text(args, kOptionOutput, "-")) ? kExitOk
                                                                                     : kExitUsage;
}

/* Of the whole recording, whichever calls are chosen. */
static bool has_globals(const replay *p) {
  const size_t count = recording_num_calls(p->r);
  size_t i = 0;
  while (i < count && recording_call(p->r, i)->kind != kFunctionGlobal) ++i;
  return i < count;
}

static int open_and_replay(const arguments *args, replay *p) {
  if ((p->lib != NULL && !library_argument_fetch(p->lib)) ||
      (p->against != NULL && !library_argument_fetch(p->against))) {
    return kExitLoad;
  }
  p->r = recording_open(p->folder);
  if (p->r == NULL || !choose_calls(args, p)) return kExitUsage;
  if (arguments_has(args, kOptionTrust)) {
    if (!recording_is_unpacked(p->r) && !has_globals(p)) {
      return report_fail(kExitUsage,
                         "--trust is for a recording in one file, which has libraries, and for "
                         "calls of global functions");
    }
    p->trusts = true;
    recording_trust(p->r);
  }
  if (arguments_has(args, kOptionEmit) && recording_is_unpacked(p->r)) {
    return report_fail(kExitUsage, "--emit refers to files of a folder: unzip %s", p->folder);
  }
  if (arguments_has(args, kOptionEmit)) {
    p->c = p->calls[0];
    if (p->num_calls == 1) {
      return recorded_call_has_symbol(p->c) ? write_program(args, p) : kExitUsage;
    }
    return report_fail(kExitUsage,
                       "--emit writes one call, and %zu were chosen; show --calls "
                       "lists them",
                       p->num_calls);
  }
  library_stand_in();
  if (arguments_has(args, kOptionBench)) return measure_all(p);
  if (p->page_path != NULL) {
    if (recording_has_file(p->r, p->folder, p->page_path)) return kExitUsage;
    p->outcomes = tool_alloc((p->num_calls + 1) * sizeof *p->outcomes);
  }
  if (!replay_find_libraries(p)) return kExitLoad;
  return make_boxes(p) ? replay_all(p) : kExitRaised;
}

static int command_replay(const arguments *args) {
  replay p;
  int code = kExitUsage;
  memset(&p, 0, sizeof p);
  if (!read_options(args, &p) || supervise_command(&p.settings, &code)) return code;
  code = open_and_replay(args, &p);
  box_close(p.told);
  box_close(p.effects);
  box_close(p.all);
  while (p.num_outcomes > 0) {
    call_outcome *last = &p.outcomes[--p.num_outcomes];
    free(last->detail);
    text_free(&last->pictures);
  }
  free(p.outcomes);
  free(p.libraries);
  name_table_free(&p.brought);
  free(p.lib_id);
  free(p.calls);
  recording_free(p.r);
  return code;
}

/* ---- Options and help ---- */

static const option kReplayOptions[] = {
    {kOptionLib, "lib", 'l', "LIB", false,
     "call this library instead of the recorded one with its file name, or of all if none has it"},
    {kOptionAgainst, "against", 0, "LIB", false,
     "compare with what this library does instead of with what was recorded"},
    {kOptionHtml, "html", 0, "FILE", false,
     "write a page for browsers, as show does, with what differs side by side"},
    {kOptionCommand, "command", 0, NULL, false,
     "with --html, show the command lines of the processes, too: they may have secrets"},
    MATCH_FUNCTIONS_OPTION,
    TOLERANCE_OPTIONS("the expected number"),
    {kOptionTrust, "trust", 0, NULL, false,
     "load the libraries that a recording in one file has in it, which are another's code, and "
     "call global functions that loading the recorded library registers"},
    {kOptionInOrder, "in-order", 0, NULL, false,
     "make all calls in one process, in the order of their numbers, for functions with state"},
    {kOptionDevice, "device", 0, "DEVICE", false,
     "the device for tensors that were on one: cuda:N, or that of a plugin, such as opencl:N "
     "(default: such calls are left out)"},
    {kOptionBench, "bench", 0, NULL, false,
     "measure the calls as bench does, next to those of --against, instead of comparing them"},
    {kOptionEmit, "emit", 0, "c|python", false,
     "write a program that makes the call by itself, instead of making the call"},
    {kOptionOutput, "output", 'o', "FILE", false,
     "the file that --emit writes (default: standard output)"},
    {kOptionRedact, "redact", 0, NULL, false,
     "with --emit, replace all values, of tensors and others; the program lists what is left"},
    {kOptionTimeout, "timeout", 0, "SECONDS", false,
     "how long loading and a call may take (default 60; no limit for a call)"},
    NO_FORK_OPTION,
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kReplayText[] =
    "Each call is made in its own process, with tensors that lie in memory as they did: with the\n"
    "same strides, byte_offset, alignment and flags, sharing memory where they did. CALLS are\n"
    "numbers, such as 3,7-9 (default: all). A line for each call says whether its outputs, or its\n"
    "error, are the recorded ones; if not, it shows the first difference, how many there are, and\n"
    "the largest with its position, relative error and steps between numbers (ULP). Of an error,\n"
    "kind and message are compared.\n\n"
    "A function that keeps something from one call to the next may differ if it is called alone.\n"
    "With --in-order all calls are made in one process, by their numbers: also those of several\n"
    "threads and processes. Calls within others are left to those. A crash ends it.\n\n"
    "A library is loaded only if its file has the recorded build id, or if --lib names it.\n"
    "Otherwise replay says what it would load, and exits with 4. DIR may be a file that record\n"
    "--pack wrote; only with --trust are the libraries in it loaded. Nothing is compiled but what\n"
    "--lib and --against name. Also only with --trust are global functions called: those with\n"
    "code in the library, and others that are registered while it is loaded, but not before.\n\n"
    "What cannot be repeated is reported and counted: functions and opaque pointers among the\n"
    "arguments, objects of types that the library does not register, data that was left out. A\n"
    "call that never returned is made again, and fails if it crashes again.\n\n"
    "The exit code is that of the first call that is not as expected: 3 for other outputs, 1 for\n"
    "an error or a crash. It is also 3 if no call could be repeated.\n\n"
    "The page of --html is that of show, for the calls that were made again. It lists those that\n"
    "differ, and shows each tensor that differs three times, side by side: what was expected,\n"
    "what it is now, and the distance between the two.\n\n"
    "  tvm-ffi replay seen\n"
    "  tvm-ffi replay seen 1 --lib libscale.so --atol=1e-6\n"
    "  tvm-ffi replay seen --lib libscale.so --against old/libscale.so\n"
    "  tvm-ffi replay seen --html seen.html\n"
    "  tvm-ffi replay seen 1 --bench\n"
    "  tvm-ffi replay seen 1 --emit=c -o report.c";

const command kReplayCommand = {
    .name = "replay",
    .operands = "DIR [CALLS]",
    .summary = "Make recorded calls again and compare the results",
    .description = kReplayText,
    .options = kReplayOptions,
    .min_operands = 1,
    .max_operands = 2,
    .run = command_replay,
};
