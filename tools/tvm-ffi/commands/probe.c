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
#include "base/utf8.h"
#include "commands/probe_report.h"
#include "library/library.h"
#include "probe/probe.h"
#include "probe/python.h"
#include "process/box.h"
#include "process/supervise.h"
#include "recording/recording.h"
#include "system/system.h"
#include "value/boxed_value.h"
#include "value/tensor.h"

#if PROCESSES_ARE_COPIED

enum { kMaxText = 1 << 24, kResultRoom = 2 * kMaxText }; /* of a name; of a result, also as text */

typedef struct {
  outcome judged;
  volatile size_t chosen;
  volatile bool shrinks;
} shared_record;

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

/* The same with the reference beside it. */
static int with_reference(probe *p, int (*body)(probe *p)) {
  kernel callee;
  int code;
  if (p->is_python) {
    if (python_function(&p->s, &p->s.reference) == 0) return with_library(p, body);
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  if (!call_load(&p->reference, 0, &callee, &code)) return code;
  p->s.reference = callee.function;
  return with_library(p, body);
}

/* Finds the function, and tells its name and types. */
static int find_function(void *context) {
  probe *p = context;
  kernel callee;
  char *metadata;
  size_t size;
  int code;
  if (!call_load(&p->request, 0, &callee, &code)) return code;
  metadata = library_read_metadata(&callee.lib, p->request.function);
  if (!box_put_text(p->told, p->request.function)) {
    return report_fail(kExitUsage, "the name of the function has %zu bytes, more than %d",
                       strlen(p->request.function), kMaxText);
  }
  size = box_size(p->told);
  if (metadata != NULL && !box_put_text(p->told, metadata)) box_cut(p->told, size);
  free(metadata);
  return kExitOk;
}

/* Tells what the call that works leaves behind. */
static int tell_effects(probe *p, const attempt *a) {
  const TVMFFIAny none = tvm_ffi_any_none();
  effects after;
  unsigned char has_result;
  size_t i, begin;
  bool fits;
  if (!attempt_take_effects(a, &after)) {
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  has_result = after.has_result;
  fits = box_put_text(p->told, after.text != NULL ? after.text : "") &&
         box_put(p->told, &a->host_changes, sizeof a->host_changes);
  begin = box_size(p->told);
  if (fits && (!box_put(p->told, &has_result, 1) || !box_put_value(p->told, &after.result) ||
               box_size(p->told) > kResultRoom)) {
    has_result = false; /* its text is compared */
    box_cut(p->told, begin);
    fits = after.text != NULL && box_put(p->told, &has_result, 1) && box_put_value(p->told, &none);
  }
  for (i = 0; i < a->num_args && fits; ++i) {
    fits = box_put_tensor(
        p->told, after.tensors[i] != NULL ? TVMFFITensorGetDLTensorPtr(after.tensors[i]) : NULL);
  }
  effects_free(&after, a->num_args);
  if (fits) return kExitOk;
  return report_fail(kExitUsage, "%s: its result is too large to be compared", p->s.name);
}

static int call_as_given(probe *p) {
  text_buf wrong = {NULL, 0, 0};
  attempt a;
  rows_begin();
  p->s.after.host_changes = ~0U; /* those of this call are told */
  if (!attempt_init(&a, &p->s, NULL) || !attempt_call(&a)) {
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  if (!attempt_is_clean(&a, &wrong)) {
    snprintf(p->judged->detail, sizeof p->judged->detail - 1, "%s", wrong.data);
    return report_fail(kExitCheck, "%s: %s; no other call is made before this one is right",
                       p->s.name, wrong.data);
  }
  if (!a.returned) {
    attempt_describe_error(&a, &wrong);
    snprintf(p->judged->detail, sizeof p->judged->detail - 1, "it raised %s", wrong.data);
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
  p->s.shrinks = *p->shrinks;
  rows_run(&p->s, &p->cases[*p->chosen].which, p->judged);
  return kExitOk;
}

static int run_case(void *context) {
  probe *p = context;
  const bool needs = (p->cases[*p->chosen].which.kind->flags & kRowNeedsReference) != 0;
  return (needs ? with_reference : with_library)(p, judge_case);
}

/* ---- The call that works ---- */

/* Whether all tensors were given without a layout, of which probe makes its own; false after a
 * report. */
static bool check_layouts(const input_list *inputs) {
  size_t i;
  for (i = 0; i < inputs->size; ++i) {
    const input_memory *memory = inputs->items[i].memory;
    size_t k;
    for (k = 0; k < inputs->items[i].num_inner; ++k) {
      if (!inputs->items[i].inner[k].has_layout) continue;
      return report_error(
          "probe makes the layouts itself; give the tensors inside argument %zu without layouts, "
          "and not as arg[N]",
          i);
    }
    if (memory == NULL) continue;
    if (memory->seen.source == kViewOfArgument) {
      return report_error(
          "probe makes the layouts itself; give argument %zu memory of its own, not arg[N]", i);
    }
    if (memory->seen.has_layout) {
      return report_error("probe makes the layouts itself; give argument %zu without %.*s", i,
                          tvmffi_shown_size(memory->seen.text_size), memory->seen.text);
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

/* If the library is a recording, in a folder or in one file, the function is the number of a call:
 * the library, the function and the arguments are those of the call. False after a report, with the
 * exit code if it is another than that for wrong arguments. */
static bool read_recorded(probe *p, int *out_code) {
  const char *lib = arguments_text(p->args, kOptionLib, NULL), *folder = p->request.paths[0];
  file_status status;
  if (!file_status_get(folder, &status) || (!status.is_folder && !recording_is_archive(folder))) {
    if (lib != NULL)
      report_error("--lib applies to recorded calls only, and %s is not a recording", folder);
    return lib == NULL;
  }
  if (p->request.parameters != NULL || p->request.inputs.count > 0) {
    return report_error("a recorded call has its own arguments; give only its number");
  }
  p->r = recording_open(folder);
  if (p->r == NULL) return false;
  p->recorded = find_recorded(p->r, p->request.function);
  if (p->recorded == NULL || !recorded_call_has_symbol(p->recorded)) return false;
  if (lib == NULL && !recorded_library_may_load(p->r, p->recorded)) {
    *out_code = kExitLoad;
    return false;
  }
  free(p->request.function);
  p->request.function = tool_copy(p->recorded->function, strlen(p->recorded->function));
  p->request.is_recorded = true;
  library_stand_in();
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

/* Opens the box for what children tell, with room for so many bytes of tensors; not kExitOk after a
 * report. */
static int open_box(probe *p, size_t elements_size) {
  shared_record *record;
  box_close(p->told);
  p->told = box_open(sizeof *record, kResultRoom + elements_size);
  if (p->told == NULL) {
    return report_fail(kExitRaised, "no memory for the outputs: %s", strerror(errno));
  }
  record = box_record(p->told);
  p->judged = &record->judged;
  p->chosen = &record->chosen;
  p->shrinks = &record->shrinks;
  return kExitOk;
}

/* Finds the function and its types. Not kExitOk after a report. */
static int read_function(probe *p) {
  char *metadata;
  size_t size;
  int code = open_box(p, 0);
  if (code == kExitOk) code = supervise_run(find_function, p, &p->settings);
  if (code != kExitOk) return code;
  box_begin(p->told);
  free(p->request.function);
  p->request.function = box_get_text(p->told);
  metadata = box_get_bytes(p->told, &size);
  if (metadata != NULL && size > 0) p->types = schema_parse(metadata, size);
  free(metadata);
  p->s.name = p->request.function;
  p->s.types = p->types;
  return kExitOk;
}

/* Reads the arguments with those types. Not kExitOk after a report. */
static int read_arguments(probe *p) {
  enum { kHead = 1024 }; /* of a tensor in a box, and more */
  size_t elements_size = 0, i;
  if (p->recorded != NULL) {
    if (!take_recorded(p)) return kExitUsage;
  } else if (!call_read_inputs(&p->request, p->types, &p->inputs) || !check_layouts(&p->inputs)) {
    return kExitUsage;
  }
  p->s.num_passed = p->inputs.size;
  if (!inner_find(&p->inputs, &p->s.places)) {
    runtime_error_report(p->s.name, false);
    return kExitRaised;
  }
  if (p->inputs.size > kMaxInputs) {
    return report_fail(kExitUsage,
                       "probe takes calls of up to %d arguments and tensors inside them, not %zu",
                       (int)kMaxInputs, p->inputs.size);
  }
  p->s.inputs = &p->inputs;
  p->s.marks_outputs = p->recorded == NULL;
  p->s.is_output = tool_alloc(p->inputs.size + 1);
  for (i = 0; i < p->inputs.size; ++i) {
    const DLTensor *tensor = subject_tensor(&p->s, i);
    p->s.is_output[i] = tensor != NULL; /* until it is known which of them change */
    elements_size += kHead + (tensor != NULL ? tensor_size(tensor) : 0);
  }
  return open_box(p, elements_size);
}

/* Whether a tensor that was told can be the argument after the call. */
static bool is_version_of(TVMFFIObjectHandle told, const DLTensor *given) {
  const DLTensor *tensor;
  if (told == NULL) return true;
  if (given == NULL) return false;
  tensor = TVMFFITensorGetDLTensorPtr(told);
  return tensor_size(tensor) == tensor_size(given) &&
         tvm_ffi_dtype_equal(tensor->dtype, given->dtype) &&
         tvm_ffi_tensor_has_same_shape(tensor, given);
}

/* Reads what the call has left behind; false if it is not whole. */
static bool read_effects(probe *p) {
  effects *after = &p->s.after;
  unsigned char has_result;
  bool is_shown = false;
  size_t i;
  after->tensors = tool_alloc((p->inputs.size + 1) * sizeof *after->tensors);
  memset(after->tensors, 0, (p->inputs.size + 1) * sizeof *after->tensors);
  box_begin(p->told);
  after->text = box_get_text(p->told);
  if (!box_get(p->told, &after->host_changes, sizeof after->host_changes)) return false;
  if (!box_get(p->told, &has_result, 1) || !box_get_value(p->told, &after->result, &is_shown)) {
    return false;
  }
  after->has_result = has_result != 0 && !is_shown;
  if (after->has_result && after->text != NULL && after->text[0] == '\0') {
    free(after->text); /* the result is large */
    after->text = NULL;
  }
  for (i = 0; i < p->inputs.size; ++i) {
    if (!box_get_tensor(p->told, &after->tensors[i]) ||
        !is_version_of(after->tensors[i], subject_tensor(&p->s, i))) {
      return false;
    }
  }
  return true;
}

/* Seconds that the tool may need, on a busy machine, for what a call leaves; it compares a hundred
 * times as many bytes. */
static double limit_of_results(const probe *p) {
  static const double kLeast = 10, kBytes = 1 << 22;
  double bytes = 0;
  size_t i;
  for (i = 0; i < p->inputs.size; ++i) {
    const DLTensor *tensor = subject_tensor(&p->s, i);
    if (tensor != NULL) bytes += (double)tensor_size(tensor);
  }
  return (p->timeout > kLeast ? p->timeout : kLeast) + (double)(uint64_t)(bytes / kBytes);
}

/* Makes the call, and keeps what it leaves behind. Not kExitOk after a report. */
static int make_call(probe *p) {
  text_buf ending = {NULL, 0, 0};
  const double begin = clock_seconds(), quick = 0.1;
  size_t i;
  int code;
  p->settings.ending = &ending;
  p->settings.own_timeout = limit_of_results(p);
  code = supervise_run(run_call, p, &p->settings);
  p->is_quick = clock_seconds() - begin < quick;
  p->settings.ending = NULL;
  if (ending.size > 0) {
    snprintf(p->judged->detail, sizeof p->judged->detail - 1, "it %s", ending.data);
    report_error("%s: %s", p->s.name, ending.data);
    text_free(&ending);
  }
  if (code != kExitOk) return code;
  if (!read_effects(p)) {
    return report_fail(kExitRaised, "%s: it overwrote what probe keeps of its call", p->s.name);
  }
  for (i = 0; i < p->inputs.size; ++i) {
    const DLTensor *tensor = subject_tensor(&p->s, i);
    TVMFFIObjectHandle *after = &p->s.after.tensors[i];
    p->s.is_output[i] =
        *after != NULL && (p->inputs.items[i].is_storage ||
                           !tensors_have_same_bytes(tensor, TVMFFITensorGetDLTensorPtr(*after)));
    if (p->s.is_output[i]) continue;
    tvm_ffi_object_release(*after);
    *after = NULL;
  }
  return kExitOk;
}

/* ---- Which calls are made ---- */

static bool is_in(text_list patterns, const char *name) {
  return patterns.count > 0 && patterns_match(patterns.items, patterns.count, name);
}

static bool has_name(text_list patterns, const row *kind, const char *name) {
  return is_in(patterns, row_group_of(kind)) || is_in(patterns, kind->told.name) ||
         is_in(patterns, name);
}

static bool is_chosen(const probe *p, const row *kind, const char *name) {
  return (p->only.count == 0 || has_name(p->only, kind, name)) && !has_name(p->skip, kind, name);
}

/* Whether the pattern chooses anything; false after a report. */
static bool is_known(const char *flag, const char *pattern, const case_list *all) {
  const text_list patterns = {&pattern, 1};
  nearest_name search = nearest_begin(pattern, nearest_limit(pattern));
  const row *kind;
  size_t i;
  for (i = 0; (kind = rows_at(i)) != NULL; ++i) {
    if (has_name(patterns, kind, kind->told.name)) return true;
    nearest_offer(&search, kind->told.name);
  }
  for (i = 0; i < all->size; ++i) {
    if (is_in(patterns, all->items[i].name) || is_in(patterns, probe_name_named(&all->items[i])))
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
                      is_chosen(p, kNamedRow, probe_name_named(&c->which));
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

/* Later calls are to find the new one. */
static void restart_python(void) {
  supervise_end_many();
  (void)python_restart();
}

static void probe_case_run(probe *p, probed *c) {
  static const double kShort = 1, kAfterOne = 6; /* seconds; several calls may take 4 */
  const bool asks_python = p->is_python && (c->which.kind->flags & kRowNeedsReference) != 0;
  text_buf ending = {NULL, 0, 0};
  outcome judged;
  memset(p->judged, 0, sizeof *p->judged);
  p->judged->names_argument = -1;
  *p->chosen = (size_t)(c - p->cases);
  *p->shrinks = probe_shows_failure(p, c);
  p->settings.ending = &ending;
  p->settings.call_timeout = (c->which.kind->flags & kRowMayTakeLong) != 0 && p->timeout > kShort
                                 ? kShort
                             : p->has_hung && p->timeout > kAfterOne && p->is_quick ? kAfterOne
                                                                                    : 0;
  if (asks_python && !python_is_ready()) restart_python();
  (void)supervise_run(run_case, p, &p->settings);
  memcpy(&judged, p->judged, sizeof judged);
  judged.detail[sizeof judged.detail - 1] = judged.call[sizeof judged.call - 1] = '\0';
  if (ending.size > 0) {
    rows_judge_end(&c->which, ending.data, &judged);
    c->took_longer =
        (c->which.kind->flags & kRowMayTakeLong) == 0 && strstr(ending.data, kTookLonger) != NULL;
    p->has_hung = p->has_hung || (c->took_longer && judged.verdict == kFailed);
    if (asks_python && python_is_asked()) restart_python(); /* it may be about to answer */
  } else if (judged.verdict == kVerdictNone) {
    judged.verdict = kLeftOut;
    strcpy(judged.detail, "the call could not be made");
  }
  c->judged =
      judged.verdict < kPassed || judged.verdict > kLeftOut ? kFailed : (verdict)judged.verdict;
  c->names_argument = judged.names_argument;
  c->is_note = judged.is_note != 0 && c->judged != kFailed;
  c->changed_host = judged.changed_host != 0 && c->judged == kFailed;
  c->detail = text_escape(judged.detail, strlen(judged.detail));
  if (judged.call[0] != '\0') c->call = tool_copy(judged.call, strlen(judged.call));
  text_free(&ending);
}

/* After a few that take too long, the others of a row are not waited for. */
static bool is_too_slow(const probe *p, size_t i) {
  enum { kMost = 3 };
  size_t k, count = 0;
  for (k = 0; k < i; ++k) {
    count += p->cases[k].which.kind == p->cases[i].which.kind && p->cases[k].took_longer;
  }
  return count >= kMost;
}

static void make_calls(probe *p) {
  size_t i;
  p->settings.is_one_of_many = true;
  for (i = 0; i < p->num_cases; ++i) {
    probed *c = &p->cases[i];
    report_progress("%zu of %zu calls, %s", i + 1, p->num_cases, c->which.name);
    if (is_too_slow(p, i)) {
      c->judged = kLeftOut;
      c->detail = tool_format("three calls of this row took too long");
    } else {
      probe_case_run(p, c);
    }
  }
  supervise_end_many();
  report_progress_end();
}

/* ---- Refusals that say little ---- */

/* The failure of a call that changes several arguments alike, of which this one is changed alone.
 * NULL: there is none, or it is of another kind. */
static const probed *find_alike(const probe *p, const probed *alone) {
  size_t i;
  for (i = 0; i < p->num_cases; ++i) {
    const probed *c = &p->cases[i];
    if (c->judged == kFailed && c->which.kind == alone->which.kind && c->which.arg < 0 &&
        c->which.number == alone->which.number && case_changes(&c->which, (size_t)alone->which.arg))
      return c;
  }
  return NULL;
}

/* A function that compares its arguments only with each other refuses each of them if it is changed
 * alone: says so. */
static void look_at_refusals(probe *p) {
  size_t i;
  for (i = 0; i < p->num_cases; ++i) {
    probed *c = &p->cases[i];
    const bool varies_sets = (c->which.kind->flags & kRowVariesSets) != 0;
    const probed *alike =
        varies_sets && c->judged == kRefused && c->which.arg >= 0 ? find_alike(p, c) : NULL;
    char *why;
    if (alike == NULL) continue;
    why = tool_format("%s (only compared with other arguments: see %s)", c->detail,
                      alike->which.name);
    free(c->detail);
    c->detail = why;
    ++p->num_compared;
  }
}

/* ---- The command ---- */

static int load_reference(void *context) {
  probe *p = context;
  kernel callee;
  int code;
  return call_load(&p->reference, 0, &callee, &code) ? kExitOk : code;
}

/* Names the function of the reference as that of the library, unless it was given, and looks
 * whether it is there. */
static int find_reference(probe *p) {
  if (!p->s.has_reference) return kExitOk;
  if (p->reference.function == NULL) {
    p->reference.function = tool_copy(p->s.name, strlen(p->s.name));
  }
  if (p->is_python) {
    return python_start(p->reference_path, p->reference.function) ? kExitOk : kExitLoad;
  }
  if (!library_argument_fetch(p->reference.paths[0])) return kExitLoad;
  return supervise_run(load_reference, p, &p->settings);
}

static int probe_all(probe *p) {
  int code = read_function(p);
  if (code == kExitOk) code = find_reference(p);
  if (code == kExitOk) code = read_arguments(p);
  if (code == kExitOk) code = make_call(p);
  if (code == kExitOk && !choose_cases(p)) code = kExitUsage;
  if (code != kExitOk) {
    if (p->as_json) probe_write_failure(p);
    return code;
  }
  make_calls(p);
  look_at_refusals(p);
  probe_show(p);
  return probe_count_failures(p) > 0 ? kExitCheck : kExitOk;
}

/* LIB, or LIB:FUNCTION. */
static void read_against(const char *text, probe *out) {
  const char *colon = strrchr(text, ':'), *c;
  if (colon != NULL) {
    for (c = colon + 1; identifier_has(*c) || *c == '.';) ++c;
    if (*c != '\0' || c == colon + 1) colon = NULL;
  }
  out->s.has_reference = true;
  out->reference_path = tool_copy(text, colon != NULL ? (size_t)(colon - text) : strlen(text));
  out->is_python = python_names_file(out->reference_path);
  out->reference.paths[0] = out->reference_path;
  out->reference.num_paths = 1;
  out->reference.device_name = out->request.device_name;
  if (colon != NULL) out->reference.function = tool_copy(colon + 1, strlen(colon + 1));
}

static bool read_options(const arguments *args, probe *out) {
  static const double kPatience = 20; /* seconds */
  out->args = args;
  out->only = arguments_values(args, kOptionOnly);
  out->skip = arguments_values(args, kOptionSkip);
  out->as_json = arguments_has(args, kOptionJson);
  if (arguments_text(args, kOptionAgainst, NULL) != NULL) {
    read_against(arguments_text(args, kOptionAgainst, NULL), out);
  }
  out->s.may_vary = arguments_has(args, kOptionNondeterministic);
  out->settings.timeout =
      out->request.settings.timeout > 0 ? out->request.settings.timeout : kPatience;
  out->timeout = out->settings.timeout;
  out->settings.skips_unload = true;
  out->settings.guards_others = true;                /* strange calls are made */
  out->settings.hides_others = out->only.count == 0; /* who looks at one call wants to see it */
  return arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->s.allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->s.allowed.absolute) &&
         tvm_ffi_device_parse(out->request.device_name, strlen(out->request.device_name),
                              &out->s.device);
}

static void probe_free(probe *p) {
  size_t i;
  python_end();
  for (i = 0; i < p->num_cases; ++i) {
    free(p->cases[i].detail);
    free(p->cases[i].call);
  }
  free(p->cases);
  if (p->s.after.tensors != NULL) effects_free(&p->s.after, p->inputs.size);
  free(p->s.is_output);
  free(p->s.places);
  input_list_free(&p->inputs);
  call_values_free(&p->values);
  recording_free(p->r);
  schema_free(p->types);
  box_close(p->told);
  call_free(&p->request);
  free(p->reference.function);
  free(p->reference_path);
}

static int command_probe(const arguments *args) {
  const char *runtime = arguments_text(args, kOptionRuntime, NULL);
  probe p;
  int code = kExitUsage;
  memset(&p, 0, sizeof p);
  if (runtime != NULL && !other_runtime_use(runtime, &code)) return code;
  rows_prepare();
  code = kExitUsage;
  if (call_parse(args, 1, &p.request) && read_options(args, &p) && read_recorded(&p, &code)) {
    code = library_argument_fetch(p.request.paths[0]) ? probe_all(&p) : kExitLoad;
  }
  probe_free(&p);
  return code;
}

#define PROBE_ROWS rows_help

#else
#define PROBE_ROWS NULL
/* Each call needs a copy of the process that has read the arguments. */
static int command_probe(const arguments *args) {
  (void)args;
  return report_fail(kExitUsage,
                     "probe does not run on Windows, which cannot copy processes; probe a library "
                     "built from the same sources on Linux or macOS");
}
#endif

/* ---- Options and help ---- */

static const option kProbeOptions[] = {
    LIBRARY_OPTIONS(false),
    {kOptionTimeout, "timeout", 0, "SECONDS", false,
     "how long loading, asking and each call may take (default 20)"},
    TOLERANCE_OPTIONS("the result of the call"),
    {kOptionOnly, "only", 0, "ROW", true,
     "only these rows, groups or calls, such as misaligned, layouts, misaligned:0:byte; * is any "
     "text"},
    {kOptionSkip, "skip", 0, "ROW", true, "all but these"},
    {kOptionAgainst, "against", 0, "LIB[:FUNCTION]", false,
     "judge generated calls by this library: a simple implementation, or another build; or by a "
     "function in Python, FILE.py[:FUNCTION] (default: none is generated; FUNCTION has the same "
     "name)"},
    {kOptionNondeterministic, "nondeterministic", 0, NULL, false,
     "the same call may give different bits, within the allowed error"},
    {kOptionLib, "lib", 'l', "LIB", false,
     "call this library instead of the one of the recorded call"},
    {kOptionRuntime, "runtime", 0, "LIB", false,
     "run on this libtvm_ffi.so, of any origin (default: the one of this program); Linux only"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kProbeText[] =
    "Makes every call that is related to one that works, each in its own process. The call is\n"
    "written as for run, with &4xf32 for what the function fills; a tensor that it changes is\n"
    "also an output, and all others are inputs. Tensors are given without a layout and without\n"
    "arg[N]: probe makes the layouts itself. The call may be one of a recording: DIR is its\n"
    "folder, CALL the number (default: the first call that returned). Each tensor then has its\n"
    "own memory.\n\n"
    "What the library prints is shown with --only. docs/reference/commands/probe.md has the usual\n"
    "causes and cures of each row.\n\n"
    "  tvm-ffi probe libscale.so 'scale(4x3xf32=rand, 2.5, &4x3xf32)' --only=layouts\n"
    "  tvm-ffi probe scale.c 'count(4x3xf32=rand)' --skip=calls --nondeterministic\n\n"
    "A verdict is passed, refused (the function raised an error) or FAIL; one FAIL makes the exit\n"
    "code 5. These are a FAIL in every row: a crash, a call that takes longer than --timeout, a\n"
    "write outside the outputs, a changed input or DLTensor, a reference that is missing, a "
    "change\n"
    "of what belongs to the host, and -1 without an error. The rows, and what else makes them "
    "fail:";

const command kProbeCommand = {
    .name = "probe",
    .operands = "LIB ['FUNCTION(ARGUMENT, ...)'] | DIR [CALL]",
    .summary = "Make all calls related to one that works, and say which go wrong",
    .description = kProbeText,
    .rows = PROBE_ROWS,
    .options = kProbeOptions,
    .max_operands = 2,
    .run = command_probe,
};
