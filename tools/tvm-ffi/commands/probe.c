/* SPDX-License-Identifier: Apache-2.0 */
/* Makes all calls that are related to one that works, each in a process of its own, and says which
 * of them give wrong numbers, crash, or leave something behind. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/names.h"
#include "base/pattern.h"
#include "base/report.h"
#include "commands/call.h"
#include "library/library.h"
#include "probe/probe.h"
#include "process/supervise.h"
#include "recording/recording.h"
#include "system/system.h"
#include "value/tensor.h"

/* What children tell: the texts end with a NUL, and the last byte of each is never written. */
enum { kMaxText = 1 << 24 };
typedef struct {
  char function[1024], metadata[1 << 20];
  outcome judged;
  int has_result, is_dirty;
  char result[kMaxText];
} mailbox;

typedef struct {
  probe_case which;
  bool counts, counts_named; /* in its own row, in kNamedRow */
  verdict judged;
  int names_argument;
  char *detail;
} probed;

typedef struct {
  const arguments *args;
  call request;
  supervision settings;
  subject s;
  schema_type *types;
  input_list inputs;
  recording *r; /* NULL: the call is written on the command line */
  const recorded_call *recorded;
  call_values values;
  mailbox *box;
  unsigned char *elements; /* shared: those of all tensors, one after the other, after the call */
  size_t elements_size;
  text_list only, skip;
  bool as_json;
  probed *cases;
  size_t num_cases;
  const probe_case *which; /* that a child is to run */
} probe;

/* ---- Children ---- */

/* Calls the body with the library loaded. */
static int with_library(probe *p, int (*body)(probe *p)) {
  kernel callee;
  int code;
  if (!call_load(&p->request, 0, &callee, &code)) return code;
  p->s.function = callee.function;
  p->s.device = p->request.device;
  return body(p);
}

/* Finds the function and its types. */
static int find_function(void *context) {
  probe *p = context;
  kernel callee;
  char *metadata;
  int code;
  if (!call_load(&p->request, 0, &callee, &code)) return code;
  metadata = library_read_metadata(&callee.lib, p->request.function);
  if (strlen(p->request.function) >= sizeof p->box->function) {
    return report_fail(kExitUsage, "the name of the function has %zu bytes, more than %zu",
                       strlen(p->request.function), sizeof p->box->function - 1);
  }
  strcpy(p->box->function, p->request.function);
  if (metadata != NULL && strlen(metadata) < sizeof p->box->metadata) {
    strcpy(p->box->metadata, metadata);
  }
  free(metadata);
  return kExitOk;
}

/* Tells what the call that works leaves behind. */
static int tell_effects(probe *p, const attempt *a) {
  unsigned char *next = p->elements;
  effects after;
  size_t i;
  if (!attempt_take_effects(a, &after)) {
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  if (strlen(after.text) >= sizeof p->box->result) {
    return report_fail(kExitUsage, "%s: its result is too large to be compared", p->s.name);
  }
  strcpy(p->box->result, after.text);
  p->box->has_result = after.has_result;
  for (i = 0; i < a->num_args; ++i) {
    if (a->args[i].store == NULL) continue;
    storage_read(a->args[i].store, next);
    next += a->args[i].size;
  }
  return kExitOk;
}

static int call_as_given(probe *p) {
  text_buf wrong = {NULL, 0, 0};
  attempt a;
  if (!attempt_init(&a, &p->s, NULL) || !attempt_call(&a)) {
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  if (!attempt_is_clean(&a, &wrong)) {
    return report_fail(kExitCheck, "%s: %s", p->s.name, wrong.data);
  }
  if (!a.returned) {
    TVMFFIErrorSetRaised(a.error);
    runtime_error_report(p->s.name, true);
    return report_fail(kExitRaised, "probe takes a call that works");
  }
  return tell_effects(p, &a);
}

static int run_call(void *context) {
  return with_library(context, call_as_given);
}

static int judge_case(probe *p) {
  rows_run(&p->s, p->which, &p->box->judged);
  return kExitOk;
}

static int run_case(void *context) {
  return with_library(context, judge_case);
}

/* ---- The call that works ---- */

/* Whether all tensors were given without a layout, of which probe makes its own; false after a
 * report. */
static bool check_layouts(const input_list *inputs) {
  size_t i;
  for (i = 0; i < inputs->size; ++i) {
    const input_memory *memory = inputs->items[i].memory;
    if (memory == NULL) continue;
    if (memory->seen.source == kViewOfArgument) {
      return report_error(
          "probe makes the layouts itself; give argument %zu memory of its own, not arg[N]", i);
    }
    if (memory->seen.has_layout) {
      return report_error("probe makes the layouts itself; give argument %zu without %.*s", i,
                          (int)memory->seen.text_size, memory->seen.text);
    }
  }
  return true;
}

/* ---- A call of a recording ---- */

/* The call with this number; NULL: the first one that returned. NULL after a report. */
static const recorded_call *find_recorded(const recording *r, const char *word) {
  char *end = NULL;
  const long long wanted = word != NULL ? strtoll(word, &end, 10) : 0;
  const recorded_call *found = NULL;
  size_t i;
  if (word != NULL) {
    if (*end == '\0') found = recording_find_call(r, wanted);
    if (found == NULL) report_error("there is no call %s; show --calls lists them", word);
    return found;
  }
  for (i = 0; i < recording_num_calls(r); ++i) {
    if (recording_call(r, i)->end == kCallReturned) return recording_call(r, i);
  }
  report_error("no call of the recording returned, and probe takes a call that works");
  return NULL;
}

/* If the library is the folder of a recording, the function is the number of a call: the library,
 * the function and the arguments are those of the call. False after a report. */
static bool read_recorded(probe *p) {
  const char *lib = arguments_text(p->args, kOptionLib, NULL), *folder = p->request.paths[0];
  file_status status;
  if (!file_status_get(folder, &status) || !status.is_folder) {
    if (lib != NULL)
      report_error("--lib applies to recorded calls only, and %s is not a recording", folder);
    return lib == NULL;
  }
  if (p->request.parameters != NULL || p->request.inputs.count > 0) {
    return report_error("a call of a recording has its arguments; give its number alone");
  }
  p->r = recording_open(folder);
  if (p->r == NULL) return false;
  p->recorded = find_recorded(p->r, p->request.function);
  if (p->recorded == NULL) return false;
  free(p->request.function);
  p->request.function = tool_copy(p->recorded->function, strlen(p->recorded->function));
  p->request.paths[0] = lib != NULL ? lib : p->recorded->library;
  return true;
}

/* Takes the recorded arguments, with packed copies of tensors. False after a report. */
static bool take_recorded(probe *p) {
  const DLDevice cpu = {kDLCPU, 0};
  size_t i;
  DLTensor *tensor;
  bool good = recording_make_before(p->r, p->recorded, cpu, &p->values);
  p->inputs.items = tool_alloc((p->values.num_args + 1) * sizeof *p->inputs.items);
  for (i = 0; good && i < p->values.num_args; ++i) {
    const TVMFFIAny *value = &p->values.args[i];
    input *item = &p->inputs.items[i];
    TVMFFIObjectHandle packed = NULL;
    memset(item, 0, sizeof *item);
    item->value = tvm_ffi_any_none();
    if (tvm_ffi_any_try_tensor(value, &tensor)) {
      packed = tensor_copy(tensor);
      if (packed != NULL) item->value = tvm_ffi_any_take_object(packed);
      good = packed != NULL;
    } else {
      good = tvm_ffi_any_copy(value, &item->value) == 0;
    }
    ++p->inputs.size;
    if (!good) runtime_error_report(p->s.name, false);
  }
  return good;
}

/* Reads the arguments with the types that the function has. Not kExitOk after a report. */
static int read_call(probe *p) {
  size_t i;
  int code = supervise_run(find_function, p, &p->settings);
  if (code != kExitOk) return code;
  free(p->request.function);
  p->request.function = tool_copy(p->box->function, strlen(p->box->function));
  if (p->box->metadata[0] != '\0') {
    p->types = schema_parse(p->box->metadata, strlen(p->box->metadata));
  }
  p->s.name = p->request.function;
  if (p->recorded != NULL) {
    if (!take_recorded(p)) return kExitUsage;
  } else if (!call_read_inputs(&p->request, p->types, &p->inputs) || !check_layouts(&p->inputs)) {
    return kExitUsage;
  }
  p->s.types = p->types;
  p->s.inputs = &p->inputs;
  p->s.is_output = tool_alloc(p->inputs.size + 1);
  for (i = 0; i < p->inputs.size; ++i) {
    const DLTensor *tensor = subject_tensor(&p->s, i);
    p->s.is_output[i] = tensor != NULL; /* until it is known which of them change */
    if (tensor != NULL) p->elements_size += tensor_size(tensor);
  }
  p->elements = pages_share(p->elements_size + 1);
  if (p->elements != NULL) return kExitOk;
  return report_fail(kExitRaised, "no memory for the outputs: %s", strerror(errno));
}

/* Reads the result from its text. */
static void read_result(probe *p) {
  input_list read = {NULL, 0, 0};
  input_reader *reader = input_reader_new(0, kGuardNone);
  p->s.after.text = tool_copy(p->box->result, strlen(p->box->result));
  p->s.after.result = tvm_ffi_any_none();
  if (p->box->has_result && input_read(reader, p->s.after.text, "the result", NULL, &read)) {
    p->s.after.has_result = true;
    if (read.size == 1) p->s.after.result = read.items[0].value;
    free(read.items);
  }
  input_reader_free(reader);
}

static TVMFFIObjectHandle make_tensor(const DLTensor *like, const void *elements, size_t size) {
  TVMFFIObjectHandle made = tensor_new(like->dtype, like->shape, like->ndim);
  if (made != NULL && size > 0) memcpy(TVMFFITensorGetDLTensorPtr(made)->data, elements, size);
  return made;
}

/* Makes the call, and keeps what it leaves behind. Not kExitOk after a report. */
static int make_call(probe *p) {
  const unsigned char *next = p->elements;
  size_t i;
  int code = supervise_run(run_call, p, &p->settings);
  if (code != kExitOk) return code;
  read_result(p);
  p->s.after.tensors = tool_alloc((p->inputs.size + 1) * sizeof *p->s.after.tensors);
  for (i = 0; i < p->inputs.size; ++i) {
    const DLTensor *tensor = subject_tensor(&p->s, i);
    const size_t size = tensor != NULL ? tensor_size(tensor) : 0;
    p->s.after.tensors[i] = NULL;
    if (tensor == NULL) continue;
    p->s.is_output[i] =
        p->inputs.items[i].is_storage || (size > 0 && memcmp(tensor->data, next, size) != 0);
    if (p->s.is_output[i]) p->s.after.tensors[i] = make_tensor(tensor, next, size);
    next += size;
  }
  return kExitOk;
}

/* ---- Which calls are made ---- */

static bool is_in(text_list patterns, const char *name) {
  return patterns.count > 0 && patterns_match(patterns.items, patterns.count, name);
}

static bool has_name(text_list patterns, const row *kind, const char *name) {
  return is_in(patterns, kind->group) || is_in(patterns, kind->name) || is_in(patterns, name);
}

static bool is_chosen(const probe *p, const row *kind, const char *name) {
  return (p->only.count == 0 || has_name(p->only, kind, name)) && !has_name(p->skip, kind, name);
}

/* "named:type:0:str"; lent until the next call. */
static const char *name_named(const probe_case *which) {
  static char name[sizeof which->name + 8];
  snprintf(name, sizeof name, "%s:%s", kNamedRow->name, which->name);
  return name;
}

/* Whether the pattern chooses anything; false after a report. */
static bool is_known(const char *flag, const char *pattern, const case_list *all) {
  const text_list patterns = {&pattern, 1};
  nearest_name search = nearest_begin(pattern, nearest_limit(pattern));
  size_t i;
  for (i = 0; i < kNumRows; ++i) {
    if (has_name(patterns, &kRows[i], kRows[i].name)) return true;
    nearest_offer(&search, kRows[i].name);
  }
  for (i = 0; i < all->size; ++i) {
    if (is_in(patterns, all->items[i].name) || is_in(patterns, name_named(&all->items[i])))
      return true;
  }
  if (search.nearest != NULL) {
    report_error("--%s: there is no row %s; did you mean %s?", flag, pattern, search.nearest);
  } else {
    report_error("--%s: there is no row %s; tvm-ffi probe --help lists them", flag, pattern);
  }
  return false;
}

static bool are_known(const char *flag, text_list patterns, const case_list *all) {
  size_t i;
  for (i = 0; i < patterns.count; ++i) {
    if (!is_known(flag, patterns.items[i], all)) return false;
  }
  return true;
}

/* False after a report. */
static bool choose_cases(probe *p) {
  case_list all;
  size_t i;
  bool good;
  rows_list(&p->s, &all);
  p->cases = tool_alloc((all.size + 1) * sizeof *p->cases);
  for (i = 0; i < all.size; ++i) {
    probed *c = &p->cases[p->num_cases];
    memset(c, 0, sizeof *c);
    c->which = all.items[i];
    c->counts = is_chosen(p, c->which.kind, c->which.name);
    c->counts_named = (c->which.kind->flags & kRowNamesArgument) != 0 &&
                      is_chosen(p, kNamedRow, name_named(&c->which));
    if (c->counts || c->counts_named) ++p->num_cases;
  }
  good = are_known("only", p->only, &all) && are_known("skip", p->skip, &all);
  free(all.items);
  if (good && p->num_cases == 0) {
    return report_error("no call was chosen: --only and --skip exclude all of them");
  }
  return good;
}

/* ---- Making them ---- */

static void probe_case_run(probe *p, probed *c) {
  text_buf ending = {NULL, 0, 0};
  outcome *judged = &p->box->judged;
  memset(judged, 0, sizeof *judged);
  judged->names_argument = -1;
  p->which = &c->which;
  p->settings.ending = &ending;
  (void)supervise_run(run_case, p, &p->settings);
  if (ending.size > 0) {
    rows_judge_end(&c->which, ending.data, judged);
  } else if (judged->verdict == kVerdictNone) {
    judged->verdict = kLeftOut;
    strcpy(judged->detail, "the call could not be made");
  }
  c->judged =
      judged->verdict < kPassed || judged->verdict > kLeftOut ? kFailed : (verdict)judged->verdict;
  c->names_argument = judged->names_argument;
  c->detail = text_escape(judged->detail, strlen(judged->detail));
  text_free(&ending);
}

static void make_calls(probe *p) {
  size_t i;
  for (i = 0; i < p->num_cases; ++i) {
    report_progress("%zu of %zu calls, %s", i + 1, p->num_cases, p->cases[i].which.name);
    probe_case_run(p, &p->cases[i]);
  }
  report_progress_end();
}

/* ---- What is shown ---- */

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

/* The command line that makes one call again. */
static char *write_command(const probe *p, const char *name) {
  static const int kRepeated[] = {kOptionModule, kOptionFunction, kOptionInput,  kOptionSeed,
                                  kOptionDevice, kOptionTimeout,  kOptionCflags, kOptionRtol,
                                  kOptionAtol,   kOptionRuntime,  kOptionLib};
  text_buf out = {NULL, 0, 0};
  size_t i, k;
  text_add(&out, "tvm-ffi probe");
  for (i = 0; i < arguments_num_operands(p->args); ++i) {
    add_word(&out, arguments_operand(p->args, i));
  }
  for (k = 0; k < sizeof kRepeated / sizeof *kRepeated; ++k) {
    const text_list values = arguments_values(p->args, kRepeated[k]);
    for (i = 0; i < values.count; ++i) {
      char *word = tool_format("--%s=%s", arguments_name(p->args, kRepeated[k]), values.items[i]);
      add_word(&out, word);
      free(word);
    }
  }
  if (p->s.may_vary) text_add(&out, " --nondeterministic");
  text_add(&out, " --only=%s", name);
  return out.data;
}

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
  counts sum;
  size_t i, k;
  memset(&sum, 0, sizeof sum);
  for (i = 0; i < kNumRows; ++i) {
    const counts counted = count_row(p, &kRows[i]);
    for (k = 0; k <= kLeftOut; ++k) sum.by_verdict[k] += counted.by_verdict[k];
  }
  return sum;
}

static void print_row(const row *kind, const counts *sum) {
  FILE *out = streams_results();
  const bool failed = sum->by_verdict[kFailed] > 0;
  fprintf(out, "  %-12s%7zu%9zu%s%8zu%s  %s\n", kind->name, sum->by_verdict[kPassed],
          sum->by_verdict[kRefused], failed ? report_color(kColorBad) : "",
          sum->by_verdict[kFailed], failed ? report_color(kColorNone) : "", kind->title);
}

static void print_failure(const probe *p, const char *name, const char *why) {
  char *line = write_command(p, name);
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
    return name_named(&c->which);
  }
  if (c->which.kind != kind || !c->counts || c->judged != kFailed) return NULL;
  *why = tool_copy(c->detail, strlen(c->detail));
  return c->which.name;
}

/* Who chose rows wants to see all; else the first few of each say what is wrong. */
static void print_failures(const probe *p, const row *kind) {
  enum { kMost = 3 };
  size_t i, count = 0;
  for (i = 0; i < p->num_cases; ++i) {
    char *why;
    const char *name = find_failure(&p->cases[i], kind, &why);
    if (name == NULL) continue;
    if (++count <= kMost || p->only.count > 0) print_failure(p, name, why);
    free(why);
  }
  if (count > kMost && p->only.count == 0) {
    fprintf(streams_results(), "... and %zu more of %s, --json lists them\n", count - kMost,
            kind->name);
  }
}

static void print_table(const probe *p) {
  const counts sum = count_all(p);
  const char *group = "";
  size_t i;
  fprintf(streams_results(), "%-14s passed  refused  failed\n", "");
  for (i = 0; i < kNumRows; ++i) {
    const counts counted = count_row(p, &kRows[i]);
    if (counted.by_verdict[kPassed] + counted.by_verdict[kRefused] + counted.by_verdict[kFailed] ==
        0)
      continue;
    if (strcmp(group, kRows[i].group) != 0) {
      group = kRows[i].group;
      fprintf(streams_results(), "%s%s%s\n", report_color(kColorName), group,
              report_color(kColorNone));
    }
    print_row(&kRows[i], &counted);
  }
  for (i = 0; i < kNumRows; ++i) print_failures(p, &kRows[i]);
  fprintf(streams_results(), "%s%s%s: %zu passed, %zu refused, %zu failed",
          report_color(sum.by_verdict[kFailed] > 0 ? kColorBad : kColorGood), p->s.name,
          report_color(kColorNone), sum.by_verdict[kPassed], sum.by_verdict[kRefused],
          sum.by_verdict[kFailed]);
  if (sum.by_verdict[kLeftOut] > 0) {
    fprintf(streams_results(), "; %zu left out, --json says why", sum.by_verdict[kLeftOut]);
  }
  putc('\n', streams_results());
}

static const char *const kVerdicts[] = {"", "passed", "refused", "failed", "left out"};

static void write_counts(const counts *sum) {
  json_uint("passed", sum->by_verdict[kPassed]);
  json_uint("refused", sum->by_verdict[kRefused]);
  json_uint("failed", sum->by_verdict[kFailed]);
  json_uint("left_out", sum->by_verdict[kLeftOut]);
}

static void write_case(const probe *p, const char *name, verdict judged, const char *detail) {
  json_begin_object(NULL);
  json_text("name", name);
  json_text("verdict", kVerdicts[judged]);
  json_text("detail", detail);
  if (judged == kFailed) {
    char *line = write_command(p, name);
    json_text("command", line);
    free(line);
  }
  json_end();
}

static void write_json(const probe *p) {
  const counts sum = count_all(p);
  size_t i;
  json_begin_object(NULL);
  json_text("library", p->request.paths[0]);
  json_text("function", p->s.name);
  write_counts(&sum);
  json_begin_array("rows");
  for (i = 0; i < kNumRows; ++i) {
    const counts counted = count_row(p, &kRows[i]);
    if (counted.by_verdict[kPassed] + counted.by_verdict[kRefused] + counted.by_verdict[kFailed] +
            counted.by_verdict[kLeftOut] ==
        0)
      continue;
    json_begin_object(NULL);
    json_text("name", kRows[i].name);
    json_text("group", kRows[i].group);
    json_text("title", kRows[i].title);
    write_counts(&counted);
    json_end();
  }
  json_end();
  json_begin_array("calls");
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (c->counts) write_case(p, c->which.name, c->judged, c->detail);
    if (is_unnamed(c)) {
      char *why = describe_unnamed(c);
      write_case(p, name_named(&c->which), kFailed, why);
      free(why);
    }
  }
  json_end();
  json_end();
}

/* ---- The command ---- */

static int probe_all(probe *p) {
  int code = read_call(p);
  if (code == kExitOk) code = make_call(p);
  if (code != kExitOk) return code;
  if (!choose_cases(p)) return kExitUsage;
  make_calls(p);
  if (p->as_json) {
    write_json(p);
  } else {
    print_table(p);
  }
  return count_all(p).by_verdict[kFailed] > 0 ? kExitCheck : kExitOk;
}

static bool read_options(const arguments *args, probe *out) {
  static const double kPatience = 20; /* seconds */
  out->args = args;
  out->only = arguments_values(args, kOptionOnly);
  out->skip = arguments_values(args, kOptionSkip);
  out->as_json = arguments_has(args, kOptionJson);
  out->s.may_vary = arguments_has(args, kOptionNondeterministic);
  out->settings.timeout =
      out->request.settings.timeout > 0 ? out->request.settings.timeout : kPatience;
  out->settings.skips_unload = true;
  out->settings.hides_others = out->only.count == 0; /* who looks at one call wants to see it */
  return arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->s.allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->s.allowed.absolute) &&
         tvm_ffi_device_parse(out->request.device_name, strlen(out->request.device_name),
                              &out->s.device);
}

static void probe_free(probe *p) {
  size_t i;
  for (i = 0; i < p->num_cases; ++i) free(p->cases[i].detail);
  free(p->cases);
  if (p->s.after.tensors != NULL) effects_free(&p->s.after, p->inputs.size);
  free(p->s.is_output);
  input_list_free(&p->inputs);
  call_values_free(&p->values);
  recording_free(p->r);
  schema_free(p->types);
  if (p->elements != NULL) pages_release(p->elements, p->elements_size + 1);
  if (p->box != NULL) pages_release(p->box, sizeof *p->box);
  call_free(&p->request);
}

int command_probe(const arguments *args) {
  const char *runtime = arguments_text(args, kOptionRuntime, NULL);
  probe p;
  int code = kExitUsage;
  memset(&p, 0, sizeof p);
  if (runtime != NULL && !other_runtime_use(runtime, &code)) return code;
  rows_prepare();
  code = kExitUsage;
  if (call_parse(args, 1, &p.request) && read_options(args, &p) && read_recorded(&p)) {
    p.box = pages_share(sizeof *p.box);
    if (p.box == NULL) {
      code = report_fail(kExitRaised, "no memory for the results: %s", strerror(errno));
    } else {
      code = library_argument_fetch(p.request.paths[0]) ? probe_all(&p) : kExitLoad;
    }
  }
  probe_free(&p);
  return code;
}
