/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one call in a child: replay_one -> run_in_child, in the child -> run_call -> make_and_call
 * -> call_function. */
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "library/library.h"
#include "platform/platform.h"
#include "recording/replay.h"
#include "value/boxed_value.h"
#include "value/device.h"
#include "value/tensor.h"
#include "value/value_text.h"

static int call_function(void *context) {
  replayed_call *replayed = context;
  replayed->result = tvm_ffi_any_none();
  replayed->code = TVMFFIFunctionCall(replayed->function, replayed->values.args,
                                      (int32_t)replayed->values.num_args, &replayed->result);
  if (replayed->code != 0) tvm_ffi_error_ensure(replayed->code);
  if (replayed->code == 0 && device_wait() != 0) replayed->code = -1;
  if (replayed->code != 0) replayed->error = runtime_error_take_line();
  return 0;
}

/* ---- Expected: what was recorded ---- */

static void free_expected(expected_effects *wanted) {
  size_t i;
  for (i = 0; i < wanted->num_tensors; ++i) tvm_ffi_object_release(wanted->tensors[i]);
  free(wanted->error);
  free(wanted->tensors);
}

static void init_expected(expected_effects *wanted, size_t num_tensors) {
  memset(wanted, 0, sizeof *wanted);
  wanted->tensors = tool_alloc((num_tensors + 1) * sizeof *wanted->tensors);
  memset(wanted->tensors, 0, (num_tensors + 1) * sizeof *wanted->tensors);
  wanted->num_tensors = num_tensors;
}

/* Compares with the recording. kExitOk, or the code after a report. */
static int compare_with_recorded(const replayed_call *replayed, const call_values *before) {
  const DLDevice cpu = {kDLCPU, 0};
  const replay *p = replayed->p;
  expected_effects wanted;
  call_values after;
  size_t i;
  memset(&after, 0, sizeof after);
  if (p->c->end == kCallReturned &&
      recording_make(p->r, p->c, kAfter, cpu, &after, NULL) == kDamaged) {
    call_values_free(&after);
    return kExitUsage;
  }
  init_expected(&wanted, after.num_arg_tensors);
  wanted.has_ended = p->c->end != kCallUnfinished;
  wanted.has_raised = p->c->end == kCallRaised;
  wanted.is_unknown = !wanted.has_ended && p->c->is_cut;
  if (wanted.has_raised) wanted.error = tool_copy(p->c->error, strlen(p->c->error));
  for (i = 0; i < after.num_arg_tensors; ++i) {
    if (after.tensors[i].has_data) wanted.tensors[i] = tensor_try_copy(after.tensors[i].tensor);
  }
  wanted.has_result = after.has_result;
  for (i = after.num_arg_tensors; i < after.num_tensors; ++i) {
    if (!after.tensors[i].has_data) wanted.has_result = false;
  }
  wanted.result = after.result;
  replay_judge(replayed, before, &wanted);
  free_expected(&wanted);
  call_values_free(&after);
  return kExitOk;
}

/* ---- Expected: what another library does ----
 * Its child puts that into a box, and the next child reads it. */

enum { kOtherRaised = 1, kOtherReturned, kOtherCrashed };

static void put_state(const replay *p, int state) {
  const unsigned char byte = (unsigned char)state;
  box_empty(p->effects);
  (void)box_put(p->effects, &byte, 1);
}

/* 0: there is none. */
static int get_state(const replay *p) {
  unsigned char state = 0;
  box_begin(p->effects);
  (void)box_get(p->effects, &state, 1);
  return state;
}

/* Tells what the call of the other library did. */
static void put_effects(const replayed_call *replayed) {
  const replay *p = replayed->p;
  size_t i;
  put_state(p, replayed->code != 0 ? kOtherRaised : kOtherReturned);
  if (replayed->code != 0) {
    (void)box_put_text(p->effects, replayed->error);
    return;
  }
  for (i = 0; i < replayed->values.num_arg_tensors; ++i) {
    (void)box_put_tensor(p->effects, replayed->values.tensors[i].tensor);
  }
  (void)box_put_value(p->effects, &replayed->result);
}

/* Shows the result as the other one was, to compare the texts. */
static void show_result(TVMFFIAny *result) {
  text_buf shown = {NULL, 0, 0};
  TVMFFIAny text;
  value_write(&shown, result, &kTensorWhole);
  if (tvm_ffi_string_create(shown.data != NULL ? shown.data : "", &text) == 0) {
    tvm_ffi_any_clear(result);
    *result = text;
  }
  text_free(&shown);
}

/* Compares with what the other library did. */
static void compare_with_other(replayed_call *replayed, const call_values *before) {
  const replay *p = replayed->p;
  const size_t count = replayed->values.num_arg_tensors;
  const int state = get_state(p);
  expected_effects wanted;
  size_t i;
  bool good = state != 0, shown = false;
  init_expected(&wanted, count);
  wanted.has_ended = state != kOtherCrashed;
  wanted.has_raised = state == kOtherRaised;
  wanted.result = tvm_ffi_any_none();
  if (state != kOtherReturned) wanted.error = box_get_text(p->effects);
  for (i = 0; i < count && good && state == kOtherReturned; ++i) {
    good = box_get_tensor(p->effects, &wanted.tensors[i]);
  }
  if (good && state == kOtherReturned) good = box_get_value(p->effects, &wanted.result, &shown);
  wanted.has_result = good;
  if (good && shown && replayed->code == 0) show_result(&replayed->result);
  if (good) {
    replay_judge(replayed, before, &wanted);
  } else {
    replay_tell(p, kReplayLeftOut, "what the other library did is too large to be compared");
  }
  tvm_ffi_any_clear(&wanted.result);
  free_expected(&wanted);
}

/* ---- The call, in a child ---- */

static const char *choose_recorded(const recorded_call *c) {
  return c->packed != NULL ? c->packed : c->library;
}

static const char *choose_library(const replay *p, const recorded_call *c) {
  size_t i;
  if (p->is_other) return p->against;
  if (p->lib == NULL) return choose_recorded(c);
  if (strcmp(path_base(p->lib), path_base(c->library)) == 0) return p->lib;
  for (i = 0; i < recording_num_calls(p->r); ++i) {
    if (strcmp(path_base(recording_call(p->r, i)->library), path_base(p->lib)) == 0) {
      return choose_recorded(c);
    }
  }
  return p->lib; /* it has another name than any of the recorded ones */
}

const char *replay_choose_library(const replay *p) {
  return choose_library(p, p->c);
}

replayed_build replay_compare_builds(const replayed_library *library) {
  if (library->recorded_id == NULL || library->called_id == NULL) return kBuildUnknown;
  return strcmp(library->recorded_id, library->called_id) == 0 ? kBuildRecorded : kBuildOther;
}

const replayed_library *replay_find_other_build(const replay *p) {
  size_t i;
  for (i = 0; i < p->num_libraries; ++i) {
    if (replay_compare_builds(&p->libraries[i]) == kBuildOther) return &p->libraries[i];
  }
  return NULL;
}

/* Whether it is the library of the call: in several processes it is the same. */
static bool is_library(const replayed_library *library, const recorded_call *c) {
  const char *a = library->recorded_id, *b = c->build_id;
  return strcmp(library->recorded, c->library) == 0 &&
         (a == NULL || b == NULL ? a == b : strcmp(a, b) == 0);
}

static bool is_global(const replay *p, const recorded_call *c) {
  return c->kind == kFunctionGlobal && p->trusts;
}

/* Why the recorded library of the call is not loaded, if it would be; NULL. Release with free(). */
static char *refuse_library(const replay *p) {
  return replay_choose_library(p) == choose_recorded(p->c) ? recorded_library_refuse(p->r, p->c)
                                                           : NULL;
}

/* Adds the library of the call that is made now, unless it is there. False after a report. */
static bool add_library(replay *p) {
  const char *called = replay_choose_library(p);
  const bool is_recorded = called == choose_recorded(p->c);
  replayed_library *added;
  size_t i;
  for (i = 0; i < p->num_libraries; ++i) {
    if (!is_library(&p->libraries[i], p->c)) continue;
    if (!is_global(p, p->c)) p->libraries[i].is_for_globals = false;
    return true;
  }
  if (is_recorded && !recorded_library_may_load(p->r, p->c)) return false;
  if (!is_recorded && p->lib_id == NULL && !library_argument_read_build_id(called, &p->lib_id)) {
    return false;
  }
  p->libraries = tool_grow(p->libraries, p->num_libraries, sizeof *p->libraries);
  added = &p->libraries[p->num_libraries++];
  added->recorded = p->c->library;
  added->recorded_id = p->c->build_id;
  added->called = called;
  added->called_id = is_recorded ? p->c->build_id : p->lib_id;
  added->is_for_globals = is_global(p, p->c);
  if (p->against == NULL && replay_compare_builds(added) == kBuildOther) {
    char *shown = text_escape(called, strlen(called));
    report_note(
        "%s is another build than the recorded one: its build id is %s, and %s was recorded", shown,
        added->called_id, added->recorded_id);
    free(shown);
  }
  return true;
}

bool replay_find_libraries(replay *p) {
  size_t i;
  p->is_other = false;
  for (i = 0; i < p->num_calls; ++i) {
    p->c = p->calls[i];
    if (is_global(p, p->c)) {
      char *why = refuse_library(p);
      const bool good = why != NULL || add_library(p); /* else the call is left out */
      free(why);
      if (!good) return false;
    } else if (p->c->kind == kFunctionSymbol && !add_library(p)) {
      return false;
    }
  }
  return true;
}

static int make_and_call(replayed_call *replayed) {
  const replay *p = replayed->p;
  const DLDevice cpu = {kDLCPU, 0};
  text_buf why = {NULL, 0, 0};
  call_values before;
  DLDevice device;
  making made;
  int code = kExitOk;
  if (!device_open(p->device_name, &device)) return kExitUsage;
  made = recording_make(p->r, p->c, kBefore, device, &replayed->values, &why);
  if (made == kCannotRepeat) replay_tell(p, kReplayLeftOut, why.data);
  text_free(&why);
  if (made != kMade) return made == kDamaged ? kExitUsage : kExitOk;
  (void)foreign_call(kStageCall, p->c->function, call_function, replayed);
  if (p->is_other) {
    put_effects(replayed);
    return kExitOk;
  }
  if (recording_make(p->r, p->c, kBefore, cpu, &before, NULL) == kDamaged) {
    code = kExitUsage;
  } else if (p->against != NULL) {
    compare_with_other(replayed, &before);
  } else {
    code = compare_with_recorded(replayed, &before);
  }
  call_values_free(&before);
  return code == kExitOk && !device_check_reads() ? kExitRaised : code;
}

/* The reason is a text before a name, the name, and a text behind it. */
static void leave_out(const replay *p, const char *begin, const char *name, const char *end) {
  text_buf why = {NULL, 0, 0};
  text_add(&why, "%s%s%s", begin, name, end);
  replay_tell(p, kReplayLeftOut, why.data);
  text_free(&why);
}

/* NULL: there is none. */
static TVMFFIObjectHandle find_global(const char *name) {
  TVMFFIObjectHandle function = NULL;
  if (tvm_ffi_function_find_global(name, &function) != 0) TVMFFIErrorSetRaised(NULL);
  return function;
}

static bool is_registered(const char *name) {
  TVMFFIObjectHandle function = find_global(name);
  tvm_ffi_object_release(function);
  return function != NULL;
}

/* The text that stands for a function of a library in the table. Release with free(). */
static char *make_key(const char *called, const char *name) {
  return tool_format("%zu %s%s", strlen(called), called, name);
}

static bool is_brought(const replay *p, const char *called, const char *name) {
  char *key = make_key(called, name);
  const bool is_there = name_table_find(&p->brought, key) != SIZE_MAX;
  free(key);
  return is_there;
}

/* An empty name: the library was opened. */
static void bring(replay *p, const char *called, const char *name) {
  char *key = make_key(called, name);
  (void)name_table_add(&p->brought, key);
  free(key);
}

/* Nothing is said of a program, or of a library that only Python can load: these look functions up
 * that they, or nobody, has registered. It stays loaded. */
static int try_to_load(void *context) {
  const char *called = context;
  tvmffi_dl_reason reason = kNoReason;
  return tvmffi_dl_open(called, &reason) != NULL ? 0 : -1;
}

static bool can_load(const char *called) {
  return foreign_call(kStageLoad, called, try_to_load, (void *)(uintptr_t)called) == 0;
}

/*
 * Opens a library, and notes which of the calls' global functions were not registered before and
 * are then. A library that is opened again registers nothing.
 */
static bool open_library(replay *p, const char *called, bool is_quiet,
                         const recorded_call *const *calls, size_t num_calls, loaded_library *out) {
  bool *is_new = NULL, is_open;
  size_t i;
  if (is_brought(p, called, "")) num_calls = 0;
  is_new = tool_alloc((num_calls + 1) * sizeof *is_new);
  for (i = 0; i < num_calls; ++i) {
    is_new[i] = is_global(p, calls[i]) && strcmp(choose_library(p, calls[i]), called) == 0 &&
                !is_registered(calls[i]->function);
  }
  is_open = (!is_quiet || can_load(called)) && library_open(called, out);
  for (i = 0; i < num_calls && is_open; ++i) {
    if (is_new[i] && is_registered(calls[i]->function)) bring(p, called, calls[i]->function);
  }
  if (is_open && p->trusts) bring(p, called, "");
  free(is_new);
  return is_open;
}

/*
 * The global function of the call, if the library has its code. Where the code does not tell, it is
 * the library's if loading that has registered it. NULL: the call is left out. A recording names
 * the function, and some of those of the runtime, or of another library, do more than this library
 * could.
 */
static TVMFFIObjectHandle find_brought(const replay *p, const loaded_library *lib) {
  const char *called = lib->path, *name = p->c->function;
  const bool is_own = strncmp(name, "ffi.", 4) == 0;
  TVMFFIObjectHandle function = is_own ? NULL : find_global(name);
  code_owner owner;
  char *other;
  if (function == NULL) {
    leave_out(p, "loading ", path_base(called),
              " does not register it: a program, another call, or the runtime itself did");
    return NULL;
  }
  owner = library_find_code(lib, function, &other);
  if (owner == kCodeOfLibrary || (owner == kCodeOfAny && is_brought(p, called, name))) {
    return function;
  }
  if (owner == kCodeOfOther) {
    leave_out(p, "what is registered by this name is a function of ", path_base(other), "");
  } else {
    leave_out(p, "it was registered before ", path_base(called),
              " was loaded, by the runtime or another library: its code does not tell");
  }
  free(other);
  tvm_ffi_object_release(function);
  return NULL;
}

/* The function of the call. NULL: the call is left out, or cannot be made, by the code. */
static TVMFFIObjectHandle open_and_find(replay *p, loaded_library *lib, int *out_code) {
  const char *called = replay_choose_library(p);
  TVMFFIObjectHandle function;
  const recorded_call *const c = p->c;
  const bool is_quiet = is_global(p, c) && called != p->lib && called != p->against;
  supervise_name(called);
  if (called == c->packed) recorded_library_prepare(p->r, c);
  *out_code = is_global(p, c) ? kExitOk : kExitLoad;
  /* Without processes, libraries stay loaded: whoever is first notes the functions of all. */
  if (!open_library(p, called, is_quiet, p->settings.in_place ? p->calls : &c,
                    p->settings.in_place ? p->num_calls : 1, lib)) {
    if (is_global(p, c)) {
      leave_out(p, path_base(called), " cannot be loaded", "");
    }
    return NULL;
  }
  if (is_global(p, c)) {
    function = find_brought(p, lib);
  } else {
    *out_code = kExitUsage;
    function = library_find_own(lib, c->function);
  }
  if (function == NULL) library_close(lib);
  return function;
}

static int run_call(void *context) {
  replay *p = context;
  replayed_call replayed;
  loaded_library lib;
  char *why;
  int code;
  if (p->c->kind != kFunctionSymbol && !is_global(p, p->c)) {
    leave_out(p, "it is ", recorded_call_explain(p->c), "");
    return kExitOk;
  }
  why = is_global(p, p->c) ? refuse_library(p) : NULL;
  if (why != NULL) {
    leave_out(p, path_base(p->c->library), ", which may register it, is not loaded: ", why);
    free(why);
    return kExitOk;
  }
  memset(&replayed, 0, sizeof replayed);
  replayed.p = p;
  replayed.function = open_and_find(p, &lib, &code);
  if (replayed.function == NULL) return code;
  code = make_and_call(&replayed);
  if (replayed.error == NULL) tvm_ffi_any_clear(&replayed.result);
  free(replayed.error);
  call_values_free(&replayed.values);
  tvm_ffi_object_release(replayed.function);
  library_close(&lib);
  return code;
}

/* Runs the call with one of the libraries. False after a report, with the exit code. */
static bool run_in_child(replay *p, bool is_other, text_buf *ending, int *out_code) {
  p->is_other = is_other;
  p->settings.ending = ending;
  *out_code = supervise_run(run_call, p, &p->settings);
  return ending->size > 0 || *out_code == kExitOk;
}

static void clear_outcome(replay *p) {
  p->outcome->verdict = kReplayNone;
  p->outcome->has_error = false;
  p->outcome->max_error = 0;
  p->outcome->num_differing = 0;
  p->outcome->detail[0] = '\0';
  box_empty(p->told);
}

/* Judges a call whose child did not return. */
static void judge_crash(const replay *p, const char *ending) {
  text_buf text = {NULL, 0, 0};
  if (p->outcome->verdict != kReplayNone) return; /* it had returned, and unloading crashed */
  text_add(&text, "%s", ending);
  if (p->against == NULL) {
    text_add(&text, p->c->end == kCallUnfinished && p->c->is_cut ? "; recorded: nothing of its end"
                    : p->c->end == kCallUnfinished ? "; recorded: it did not return either"
                    : p->c->end == kCallReturned   ? "; recorded: it returned"
                                                   : "; recorded: it raised an error");
  } else if (get_state(p) == kOtherCrashed) {
    char *other = box_get_text(p->effects);
    text_add(&text, "; %s: %s", p->against, other);
    free(other);
  } else {
    text_add(&text, "; %s: it came back", p->against);
  }
  replay_tell(p, kReplayCrashed, text.data);
  text_free(&text);
}

/* Makes the call in its own process. */
static bool make_alone(replay *p, int *out_code) {
  text_buf ending = {NULL, 0, 0}, other = {NULL, 0, 0};
  bool good = true;
  clear_outcome(p);
  if (p->against != NULL) {
    box_empty(p->effects);
    good = run_in_child(p, true, &other, out_code);
    if (other.size > 0) {
      put_state(p, kOtherCrashed);
      (void)box_put_text(p->effects, other.data);
    }
  }
  if (good && p->outcome->verdict == kReplayNone) {
    good = run_in_child(p, false, &ending, out_code);
    if (good && ending.size > 0) judge_crash(p, ending.data);
    if (good && p->outcome->verdict == kReplayNone)
      replay_tell(p, kReplayNothing, "nothing is known");
  }
  text_free(&ending);
  text_free(&other);
  return good;
}

/* ---- All calls in one process ---- */

/* The calls of each thread that were made last, of those that are within no other. */
typedef struct {
  const recorded_call **items;
  size_t size;
} last_calls;

/* Whether the call was made by another that was recorded: that begins before it and ends after it
 * in the same thread. */
static bool is_nested(last_calls *threads, const recorded_call *c) {
  const recorded_call *last;
  size_t i;
  for (i = 0; i < threads->size; ++i) {
    last = threads->items[i];
    if (last->before.file == c->before.file && last->thread == c->thread) break;
  }
  if (i == threads->size) {
    threads->items = tool_grow(threads->items, i, sizeof *threads->items);
    ++threads->size;
  } else if (last->end != kCallUnfinished && !last->is_late && c->begin > last->begin &&
             c->finish < last->finish) {
    return true;
  }
  threads->items[i] = c;
  return false;
}

/* Keeps the libraries of all calls loaded, with their state. */
static bool open_all(replay *p, loaded_library *out, size_t *out_count) {
  size_t i;
  *out_count = 0;
  for (i = 0; i < p->num_libraries; ++i) {
    const replayed_library *library = &p->libraries[i];
    supervise_name(library->called);
    if (open_library(p, library->called, library->is_for_globals && library->called != p->lib,
                     p->calls, p->num_calls, &out[*out_count])) {
      ++*out_count;
    } else if (!library->is_for_globals) {
      return false;
    }
  }
  return true;
}

static int run_in_order(void *context) {
  replay *p = context;
  loaded_library *libraries = tool_alloc((p->num_libraries + 1) * sizeof *libraries);
  last_calls threads = {NULL, 0};
  size_t count, i;
  int code = open_all(p, libraries, &count) ? kExitOk : kExitLoad;
  for (i = 0; i < p->num_calls && code == kExitOk; ++i) {
    p->c = p->calls[i];
    p->outcome = (replay_outcome *)box_record(p->all) + i;
    if (is_nested(&threads, p->c)) {
      replay_tell(p, kReplayNothing, "it is made by the call that it is within");
    } else {
      code = run_call(p);
    }
  }
  while (count > 0) library_close(&libraries[--count]);
  free(threads.items);
  free(libraries);
  return code;
}

bool replay_in_order(replay *p, int *out_code) {
  text_buf ending = {NULL, 0, 0};
  replay_outcome *all = box_record(p->all);
  bool good, is_over = false;
  size_t i;
  p->settings.ending = &ending;
  *out_code = supervise_run(run_in_order, p, &p->settings);
  good = ending.size > 0 || *out_code == kExitOk;
  for (i = 0; i < p->num_calls; ++i) {
    if (all[i].verdict != kReplayNone) continue;
    p->c = p->calls[i];
    p->outcome = &all[i];
    if (is_over) {
      replay_tell(p, kReplayLeftOut, "the process ended in an earlier call");
    } else if (ending.size > 0) {
      judge_crash(p, ending.data);
    } else {
      replay_tell(p, kReplayNothing, "nothing is known");
    }
    is_over = ending.size > 0;
  }
  text_free(&ending);
  return good;
}

bool replay_one(replay *p, int *out_code) {
  const size_t i = p->num_shown++;
  bool good = true;
  if (p->in_order) {
    p->outcome = (replay_outcome *)box_record(p->all) + i;
  } else {
    good = make_alone(p, out_code);
  }
  memcpy(&p->seen, p->outcome, sizeof p->seen);
  p->seen.detail[sizeof p->seen.detail - 1] = '\0';
  return good;
}
