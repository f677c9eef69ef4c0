/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of a recording again, each in a child process, and compares what they do with
 * what was recorded, or with what another build of the library does. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/files.h"
#include "base/json_out.h"
#include "base/names.h"
#include "base/report.h"
#include "commands/call.h"
#include "library/library_argument.h"
#include "process/isolate.h"
#include "system/system.h"
#include "value/output.h"
#include "value/recording.h"
#include "value/tensor.h"
#include "value/value_text.h"

typedef enum {
  kReplayNone,
  kReplaySame,    /* as recorded, or as the other library does it */
  kReplayDiffers, /* other results, or another error */
  kReplayRaised,  /* an error where there was none */
  kReplayCrashed, /* it did not come back */
  kReplayNothing, /* it returned, and there is nothing to compare with */
  kReplayLeftOut, /* it cannot be repeated */
  kNumReplayVerdicts
} replay_verdict;

/* What children tell: the last byte of the text is never written. */
typedef struct {
  volatile int verdict;
  volatile int has_error; /* numbers were compared */
  volatile double max_error;
  char detail[4096];
} replay_outcome;

/* What a call of the other library did, in memory that both children share. */
typedef struct {
  volatile size_t size; /* 0: nothing; else of the bytes */
  volatile int is_cut;
  unsigned char bytes[1];
} effect_box;

typedef struct {
  const arguments *args;
  recording *r;
  const recorded_call **calls;
  size_t num_calls;
  const char *lib, *against; /* NULL */
  const char *device_name;   /* where tensors are made that were on a device; cpu: nowhere */
  isolation settings;
  tolerance allowed;
  bool json;
  replay_outcome *outcome;
  effect_box *box;
  size_t box_size;
  /* of the call that is made now */
  const recorded_call *c;
  bool is_other; /* with the library of --against */
  /* counted */
  size_t counts[kNumReplayVerdicts], num_late;
  const recorded_call *first_bad;
  int first_code;
} replay;

/* ---- What a call did ---- */

/* What is compared with: what was recorded, or what the other library did. */
typedef struct {
  bool has_ended; /* else it crashed, or the recording ended before it */
  bool has_raised;
  char *error; /* "ValueError: x is empty", or how it crashed */
  bool has_result;
  TVMFFIAny result; /* a view */
  DLTensor *tensors;
  bool *has_data; /* of each tensor */
  size_t num_tensors;
} expected_effects;

typedef struct {
  const replay *p;
  TVMFFIObjectHandle function;
  call_values values;
  int code;
  TVMFFIAny result;
  char *error; /* if it failed */
} replayed_call;

static void tell(const replay *p, replay_verdict verdict, const char *text) {
  replay_outcome *o = p->outcome;
  o->verdict = (int)verdict;
  snprintf(o->detail, sizeof o->detail - 1, "%s", text);
}

static char *take_error(void) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const TVMFFIByteArray kind = tvm_ffi_error_get_kind(error);
  const TVMFFIByteArray message = tvm_ffi_error_get_message(error);
  text_buf out = {NULL, 0, 0};
  text_add_bytes(&out, kind.data, kind.size);
  text_add(&out, ": ");
  text_add_bytes(&out, message.data, message.size);
  tvm_ffi_object_release(error);
  return out.data;
}

static int call_function(void *context) {
  replayed_call *replayed = context;
  replayed->result = tvm_ffi_any_none();
  replayed->code = TVMFFIFunctionCall(replayed->function, replayed->values.args,
                                      (int32_t)replayed->values.num_args, &replayed->result);
  if (replayed->code != 0) tvm_ffi_error_ensure(replayed->code);
  if (replayed->code == 0 && device_wait() != 0) replayed->code = -1;
  if (replayed->code != 0) replayed->error = take_error();
  return 0;
}

/* A packed copy of what a tensor has now; NULL if it cannot be read. */
static TVMFFIObjectHandle copy_now(const DLTensor *tensor) {
  TVMFFIObjectHandle copy = tensor_copy(tensor);
  if (copy == NULL) TVMFFIErrorSetRaised(NULL);
  return copy;
}

/* ---- Comparing ---- */

/* The line of a call: what was compared, and how far it was apart. */
typedef struct {
  text_buf text;
  bool differs, has_numbers;
  double max_error;
  size_t num_unread; /* tensors that cannot be compared */
} finding;

static void add_comparison(finding *f, const char *name, const TVMFFIAny *value,
                           const TVMFFIAny *expected, const tolerance *allowed) {
  comparison result;
  DLTensor *tensor;
  compare_values(value, expected, allowed, &result);
  if (result.has_numbers) f->has_numbers = true;
  if (result.max_error > f->max_error) f->max_error = result.max_error;
  if (!result.is_same && !f->differs) {
    f->differs = true;
    text_free(&f->text);
    text_add(&f->text, "%s ", name);
    if (result.largest.size > 0 && tvm_ffi_any_try_tensor(value, &tensor)) {
      tensor_type_write(&f->text, tensor->dtype, tensor->shape, tensor->ndim);
      text_add(&f->text, " ");
    }
    text_add(&f->text, "%s", result.difference.data);
    if (result.largest.size > 0) {
      text_add(&f->text, "; the largest difference is %.6g at %s", result.max_error,
               result.largest.data);
    }
  } else if (!f->differs) {
    text_add(&f->text, "%s%s", f->text.size > 0 ? ", " : "", name);
    if (result.has_numbers) text_add(&f->text, " max|err|=%.6g", result.max_error);
  }
  comparison_free(&result);
}

/* Whether both have the same bytes. */
static bool has_same_bytes(TVMFFIObjectHandle a, const DLTensor *b) {
  const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(a);
  size_t size = 0;
  return tvm_ffi_tensor_compute_size(tensor, &size) == 0 &&
         (size == 0 || memcmp(tensor->data, b->data, size) == 0);
}

/* Compares the tensors that are arguments. Those are shown that the call changed, in either. */
static void compare_tensors(const replayed_call *replayed, const call_values *before,
                            const expected_effects *wanted, finding *f) {
  size_t i;
  for (i = 0; i < wanted->num_tensors && i < replayed->values.num_arg_tensors; ++i) {
    const recorded_tensor *t = &replayed->values.tensors[i];
    const TVMFFIAny expected = tvm_ffi_any_view_tensor(&wanted->tensors[i]);
    TVMFFIObjectHandle now;
    if (!wanted->has_data[i]) {
      ++f->num_unread;
      continue;
    }
    now = copy_now(t->tensor);
    if (now == NULL) {
      ++f->num_unread;
      continue;
    }
    if (!has_same_bytes(now, &wanted->tensors[i])) {
      const TVMFFIAny value = tvm_ffi_any_view_object(now);
      add_comparison(f, t->name, &value, &expected, &replayed->p->allowed);
    } else if (before->tensors[i].tensor != NULL) {
      TVMFFIObjectHandle old = copy_now(before->tensors[i].tensor);
      if (old != NULL && !has_same_bytes(old, &wanted->tensors[i]) && !f->differs) {
        text_add(&f->text, "%s%s max|err|=0", f->text.size > 0 ? ", " : "", t->name);
      }
      tvm_ffi_object_release(old);
    }
    tvm_ffi_object_release(now);
  }
}

static bool is_error(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIError;
}

static void compare_results(const replayed_call *replayed, const expected_effects *wanted,
                            finding *f) {
  if (!wanted->has_result) {
    ++f->num_unread;
  } else if (is_error(&replayed->result) && is_error(&wanted->result)) {
    /* errors are values here, of which only the texts can be compared */
    const TVMFFIByteArray a = tvm_ffi_error_get_message(replayed->result.v_obj),
                          b = tvm_ffi_error_get_message(wanted->result.v_obj);
    f->differs = f->differs || a.size != b.size || memcmp(a.data, b.data, a.size) != 0;
    if (f->differs && f->text.size == 0) text_add(&f->text, "result is another error");
  } else if (!tvm_ffi_any_is_none(&replayed->result) || !tvm_ffi_any_is_none(&wanted->result)) {
    add_comparison(f, "result", &replayed->result, &wanted->result, &replayed->p->allowed);
  }
}

/* "recorded" or "libold.so" */
static const char *name_expected(const replay *p) {
  return p->against != NULL ? p->against : "recorded";
}

/* Judges a call that came back. `before` has the tensors as they were. */
static void judge(const replayed_call *replayed, const call_values *before,
                  const expected_effects *wanted) {
  const replay *p = replayed->p;
  text_buf text = {NULL, 0, 0};
  finding f;
  memset(&f, 0, sizeof f);
  if (replayed->code != 0) {
    const bool same = wanted->has_raised &&
                      (wanted->error[0] == '\0' || strcmp(wanted->error, replayed->error) == 0);
    text_add(&text, "raised %s", replayed->error);
    if (!same && wanted->has_raised) {
      text_add(&text, "; %s: %s", name_expected(p), wanted->error);
    } else if (!same) {
      text_add(&text, "; %s: it %s", name_expected(p),
               wanted->has_ended ? "returned" : "did not return");
    }
    tell(p, same ? kReplaySame : wanted->has_raised ? kReplayDiffers : kReplayRaised, text.data);
    text_free(&text);
    return;
  }
  if (!wanted->has_ended || wanted->has_raised) {
    text_add(&text, "returned; %s: ", name_expected(p));
    if (wanted->has_raised) {
      text_add(&text, "it raised %s", wanted->error[0] != '\0' ? wanted->error : "an error");
    } else {
      text_add(&text, "%s", wanted->error != NULL ? wanted->error : "it did not return");
    }
    tell(p, wanted->has_ended || p->against != NULL ? kReplayDiffers : kReplayNothing, text.data);
    text_free(&text);
    return;
  }
  compare_tensors(replayed, before, wanted, &f);
  compare_results(replayed, wanted, &f);
  if (f.text.size == 0) text_add(&f.text, "no outputs");
  if (f.num_unread > 0) {
    text_add(&f.text, "; %zu output%s not compared: the data was left out", f.num_unread,
             f.num_unread == 1 ? "" : "s");
  }
  p->outcome->has_error = f.has_numbers;
  p->outcome->max_error = f.max_error;
  tell(p, f.differs ? kReplayDiffers : kReplaySame, f.text.data);
  text_free(&f.text);
}

/* ---- Expected: what was recorded ---- */

static void free_expected(expected_effects *wanted) {
  free(wanted->error);
  free(wanted->tensors);
  free(wanted->has_data);
}

static void reserve_tensors(expected_effects *wanted, size_t count) {
  wanted->tensors = tool_alloc((count + 1) * sizeof *wanted->tensors);
  wanted->has_data = tool_alloc((count + 1) * sizeof *wanted->has_data);
  wanted->num_tensors = count;
}

/* Compares with the recording. kExitOk, or the code after a report. */
static int compare_with_recorded(const replayed_call *replayed, const call_values *before) {
  const DLDevice cpu = {kDLCPU, 0};
  const replay *p = replayed->p;
  TVMFFIObjectHandle *packed;
  expected_effects wanted;
  call_values after;
  size_t i;
  memset(&wanted, 0, sizeof wanted);
  memset(&after, 0, sizeof after);
  wanted.has_ended = p->c->end != kCallUnfinished;
  wanted.has_raised = p->c->end == kCallRaised;
  if (wanted.has_raised) wanted.error = tool_copy(p->c->error, strlen(p->c->error));
  if (p->c->end == kCallReturned &&
      recording_make(p->r, p->c, kAfter, cpu, &after, NULL) == kDamaged) {
    call_values_free(&after);
    return kExitUsage;
  }
  reserve_tensors(&wanted, after.num_arg_tensors);
  packed = tool_alloc((after.num_arg_tensors + 1) * sizeof *packed);
  for (i = 0; i < after.num_arg_tensors; ++i) {
    packed[i] = after.tensors[i].has_data ? copy_now(after.tensors[i].tensor) : NULL;
    wanted.has_data[i] = packed[i] != NULL;
    if (packed[i] != NULL) wanted.tensors[i] = *TVMFFITensorGetDLTensorPtr(packed[i]);
  }
  wanted.has_result = after.has_result;
  for (i = after.num_arg_tensors; i < after.num_tensors; ++i) {
    if (!after.tensors[i].has_data) wanted.has_result = false;
  }
  wanted.result = after.result;
  judge(replayed, before, &wanted);
  for (i = 0; i < after.num_arg_tensors; ++i) tvm_ffi_object_release(packed[i]);
  free(packed);
  free_expected(&wanted);
  call_values_free(&after);
  return kExitOk;
}

/* ---- Expected: what another library does ----
 * Its child writes values to shared memory, one after the other, and the next child reads them. */

static void box_put(const replay *p, const void *bytes, size_t size) {
  effect_box *box = p->box;
  if (size > p->box_size - box->size) {
    box->is_cut = true;
    return;
  }
  if (size > 0) memcpy(box->bytes + box->size, bytes, size);
  box->size += size;
}

static bool box_get(const replay *p, size_t *pos, void *out, size_t size) {
  const effect_box *box = p->box;
  if (box->is_cut || size > box->size - *pos) return false;
  if (size > 0) memcpy(out, box->bytes + *pos, size);
  *pos += size;
  return true;
}

static void box_put_text(const replay *p, const char *text) {
  const uint64_t size = strlen(text);
  box_put(p, &size, sizeof size);
  box_put(p, text, (size_t)size);
}

static char *box_get_text(const replay *p, size_t *pos) {
  uint64_t size = 0;
  char *text;
  if (!box_get(p, pos, &size, sizeof size) || size > p->box->size) return tool_copy("", 0);
  text = tool_alloc((size_t)size + 1);
  text[size] = '\0';
  if (!box_get(p, pos, text, (size_t)size)) text[0] = '\0';
  return text;
}

/* Types of values in the box. */
enum { kBoxPlain, kBoxText, kBoxBytes, kBoxTensor, kBoxArray, kBoxShown };

/* Writes a tensor that is packed. */
static void box_put_packed(const replay *p, const DLTensor *tensor) {
  size_t size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) TVMFFIErrorSetRaised(NULL);
  box_put(p, &tensor->dtype, sizeof tensor->dtype);
  box_put(p, &tensor->ndim, sizeof tensor->ndim);
  box_put(p, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
  box_put(p, tensor->data, size);
}

/* [own] A tensor of the box; NULL if it is not whole. */
static TVMFFIObjectHandle box_get_packed(const replay *p, size_t *pos) {
  int64_t shape[kLayoutMaxDims];
  TVMFFIObjectHandle made;
  DLDataType dtype;
  int32_t ndim;
  size_t size = 0;
  if (!box_get(p, pos, &dtype, sizeof dtype) || !box_get(p, pos, &ndim, sizeof ndim) || ndim < 0 ||
      ndim > kLayoutMaxDims || !box_get(p, pos, shape, (size_t)ndim * sizeof *shape)) {
    return NULL;
  }
  made = tensor_new(dtype, shape, ndim);
  if (made != NULL && tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(made), &size) == 0 &&
      box_get(p, pos, TVMFFITensorGetDLTensorPtr(made)->data, size)) {
    return made;
  }
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(made);
  return NULL;
}

static void box_put_value(const replay *p, const TVMFFIAny *value, int depth) {
  enum { kMaxDepth = 64 };
  TVMFFIByteArray text;
  TVMFFIObjectHandle copy = NULL;
  DLTensor *tensor;
  unsigned char kind = kBoxPlain;
  int64_t i, count;
  if (tvm_ffi_any_try_tensor(value, &tensor) && (copy = copy_now(tensor)) != NULL) {
    kind = kBoxTensor;
    box_put(p, &kind, 1);
    box_put_packed(p, TVMFFITensorGetDLTensorPtr(copy));
    TVMFFIObjectDecRef(copy);
  } else if (tvm_ffi_any_try_string(value, &text) || tvm_ffi_any_try_bytes(value, &text)) {
    const uint64_t size = text.size;
    kind = tvm_ffi_any_try_string(value, &text) ? kBoxText : kBoxBytes;
    box_put(p, &kind, 1);
    box_put(p, &size, sizeof size);
    box_put(p, text.data, text.size);
  } else if ((value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList) &&
             depth < kMaxDepth) {
    kind = kBoxArray;
    count = tvm_ffi_array_get_size(value->v_obj);
    box_put(p, &kind, 1);
    box_put(p, &count, sizeof count);
    for (i = 0; i < count; ++i) {
      box_put_value(p, tvm_ffi_array_get_data(value->v_obj) + i, depth + 1);
    }
  } else if (value->type_index < kTVMFFIStaticObjectBegin) {
    box_put(p, &kind, 1);
    box_put(p, value, sizeof *value);
  } else {
    text_buf shown = {NULL, 0, 0};
    value_write(&shown, value, &kTensorWhole);
    kind = kBoxShown;
    box_put(p, &kind, 1);
    box_put_text(p, shown.data != NULL ? shown.data : "");
    text_free(&shown);
  }
}

/* Reads a value [own]; one that was shown as text becomes a text, and *shown is set. False if it is
 * not whole. */
static bool box_get_value(const replay *p, size_t *pos, TVMFFIAny *out, bool *shown) {
  TVMFFIObjectHandle object = NULL;
  unsigned char kind;
  char *text;
  int64_t i, count;
  int code;
  *out = tvm_ffi_any_none();
  if (!box_get(p, pos, &kind, 1)) return false;
  switch (kind) {
    case kBoxPlain:
      return box_get(p, pos, out, sizeof *out);
    case kBoxTensor:
      object = box_get_packed(p, pos);
      if (object != NULL) *out = tvm_ffi_any_take_object(object);
      return object != NULL;
    case kBoxArray:
      if (!box_get(p, pos, &count, sizeof count) || count < 0) return false;
      if (tvm_ffi_list_create(NULL, 0, &object) != 0) return false;
      *out = tvm_ffi_any_take_object(object);
      for (i = 0; i < count; ++i) {
        TVMFFIAny item;
        if (!box_get_value(p, pos, &item, shown)) return false;
        code = tvm_ffi_list_append(object, item);
        tvm_ffi_any_clear(&item);
        if (code != 0) return false;
      }
      return true;
    default:
      *shown = *shown || kind == kBoxShown;
      {
        uint64_t size = 0;
        TVMFFIByteArray bytes;
        if (!box_get(p, pos, &size, sizeof size) || size > p->box->size) return false;
        text = tool_alloc((size_t)size + 1);
        bytes.data = text;
        bytes.size = (size_t)size;
        code = box_get(p, pos, text, bytes.size)
                   ? (kind == kBoxBytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(
                         &bytes, out)
                   : -1;
        free(text);
        return code == 0;
      }
  }
}

enum { kBoxRaised = 1, kBoxReturned, kBoxCrashed };

/* Tells what the call of the other library did. */
static void put_effects(const replayed_call *replayed) {
  const replay *p = replayed->p;
  unsigned char state = replayed->code != 0 ? kBoxRaised : kBoxReturned;
  size_t i;
  p->box->size = 0;
  p->box->is_cut = false;
  box_put(p, &state, 1);
  if (replayed->code != 0) {
    box_put_text(p, replayed->error);
    return;
  }
  for (i = 0; i < replayed->values.num_arg_tensors; ++i) {
    TVMFFIObjectHandle copy = copy_now(replayed->values.tensors[i].tensor);
    const unsigned char has_data = copy != NULL;
    box_put(p, &has_data, 1);
    if (copy != NULL) box_put_packed(p, TVMFFITensorGetDLTensorPtr(copy));
    tvm_ffi_object_release(copy);
  }
  box_put_value(p, &replayed->result, 0);
}

static void put_crash(const replay *p, const char *how) {
  const unsigned char state = kBoxCrashed;
  p->box->size = 0;
  p->box->is_cut = false;
  box_put(p, &state, 1);
  box_put_text(p, how);
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
  TVMFFIObjectHandle *packed = tool_alloc((count + 1) * sizeof *packed);
  TVMFFIAny result = tvm_ffi_any_none();
  expected_effects wanted;
  unsigned char state = 0;
  size_t pos = 0, i;
  bool good = box_get(p, &pos, &state, 1), shown = false;
  memset(&wanted, 0, sizeof wanted);
  reserve_tensors(&wanted, count);
  for (i = 0; i < count; ++i) packed[i] = NULL;
  wanted.has_ended = state != kBoxCrashed;
  wanted.has_raised = state == kBoxRaised;
  if (state != kBoxReturned) wanted.error = box_get_text(p, &pos);
  for (i = 0; i < count && good && state == kBoxReturned; ++i) {
    unsigned char has_data = 0;
    good = box_get(p, &pos, &has_data, 1);
    if (good && has_data != 0) packed[i] = box_get_packed(p, &pos);
    good = good && (has_data == 0 || packed[i] != NULL);
    wanted.has_data[i] = packed[i] != NULL;
    if (packed[i] != NULL) wanted.tensors[i] = *TVMFFITensorGetDLTensorPtr(packed[i]);
  }
  if (good && state == kBoxReturned) good = box_get_value(p, &pos, &result, &shown);
  wanted.has_result = good;
  wanted.result = result;
  if (good && shown && replayed->code == 0) show_result(&replayed->result);
  if (good) {
    judge(replayed, before, &wanted);
  } else {
    tell(p, kReplayLeftOut, "what the other library did is too large to be compared");
  }
  for (i = 0; i < count; ++i) tvm_ffi_object_release(packed[i]);
  free(packed);
  tvm_ffi_any_clear(&result);
  free_expected(&wanted);
}

/* ---- A call, in a child ---- */

/* The library that stands for the recorded one. */
static const char *choose_library(const replay *p) {
  size_t i;
  if (p->is_other) return p->against;
  if (p->lib == NULL) return p->c->library;
  if (strcmp(path_base(p->lib), path_base(p->c->library)) == 0) return p->lib;
  for (i = 0; i < recording_num_calls(p->r); ++i) {
    if (strcmp(path_base(recording_call(p->r, i)->library), path_base(p->lib)) == 0) {
      return p->c->library;
    }
  }
  return p->lib; /* it has another name than any of the recorded ones */
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
  if (made == kCannotRepeat) tell(p, kReplayLeftOut, why.data);
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
  return code;
}

static int run_call(void *context) {
  const replay *p = context;
  replayed_call replayed;
  library lib;
  int code;
  memset(&replayed, 0, sizeof replayed);
  replayed.p = p;
  isolate_name(choose_library(p));
  if (!library_open(choose_library(p), &lib)) return kExitLoad;
  replayed.function = library_find(&lib, p->c->function);
  if (replayed.function == NULL) return kExitUsage;
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
  *out_code = isolate_run(run_call, p, &p->settings);
  return ending->size > 0 || *out_code == kExitOk;
}

static void clear_outcome(replay *p) {
  p->outcome->verdict = kReplayNone;
  p->outcome->has_error = false;
  p->outcome->max_error = 0;
  p->outcome->detail[0] = '\0';
}

/* Judges a call whose child did not return. */
static void judge_crash(const replay *p, const char *ending) {
  text_buf text = {NULL, 0, 0};
  unsigned char state = 0;
  size_t pos = 0;
  if (p->outcome->verdict != kReplayNone) return; /* it had returned, and unloading crashed */
  text_add(&text, "%s", ending);
  if (p->against == NULL) {
    text_add(&text, p->c->end == kCallUnfinished ? "; recorded: it did not return either"
                    : p->c->end == kCallReturned ? "; recorded: it returned"
                                                 : "; recorded: it raised an error");
  } else if (box_get(p, &pos, &state, 1)) {
    char *other = state == kBoxCrashed ? box_get_text(p, &pos) : tool_copy("it came back", 12);
    text_add(&text, "; %s: %s", p->against, other);
    free(other);
  }
  tell(p, kReplayCrashed, text.data);
  text_free(&text);
}

/* Makes one call. False after a report, with the exit code. */
static bool replay_one(replay *p, int *out_code) {
  text_buf ending = {NULL, 0, 0}, other = {NULL, 0, 0};
  bool good = true;
  clear_outcome(p);
  if (p->against != NULL) {
    p->box->size = 0;
    good = run_in_child(p, true, &other, out_code);
    if (other.size > 0) put_crash(p, other.data);
  }
  if (good && p->outcome->verdict == kReplayNone) {
    good = run_in_child(p, false, &ending, out_code);
    if (good && ending.size > 0) judge_crash(p, ending.data);
    if (good && p->outcome->verdict == kReplayNone) tell(p, kReplayNothing, "nothing is known");
  }
  text_free(&ending);
  text_free(&other);
  return good;
}

/* ---- What is shown ---- */

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
  const int verdict = p->outcome->verdict;
  return verdict <= kReplayNone || verdict >= kNumReplayVerdicts ? kReplayCrashed
                                                                 : (replay_verdict)verdict;
}

static void show_one(replay *p) {
  const replay_verdict verdict = get_verdict(p);
  char *detail = text_escape(p->outcome->detail, strlen(p->outcome->detail));
  ++p->counts[verdict];
  if (kVerdicts[verdict].is_bad && p->first_bad == NULL) {
    p->first_bad = p->c;
    p->first_code = kVerdicts[verdict].code;
  }
  if (p->json) {
    json_begin_object(NULL);
    json_int("call", p->c->number);
    json_bytes("function", p->c->function, strlen(p->c->function));
    json_text("verdict", kVerdicts[verdict].name);
    json_text("detail", detail);
    if (p->outcome->has_error) json_real("max_abs_error", p->outcome->max_error);
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

static void show_sum(const replay *p) {
  const size_t bad =
      p->counts[kReplayDiffers] + p->counts[kReplayRaised] + p->counts[kReplayCrashed];
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
          p->num_calls, p->num_calls == 1 ? " is" : "s are", name_expected(p));
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
  putc('\n', streams_results());
}

/* ---- Programs that repeat one call ---- */

/* Memory up to so many bytes is written into the program; more is read from the recording. */
enum { kMaxEmbedded = 1 << 18, kMaxRedacted = 1 << 24 };

typedef struct {
  const replay *p;
  const call_values *values, *after; /* `after`: NULL if nothing is compared */
  bool is_python;
  text_buf *out;
  const void **objects; /* those that have a name, by its number; NULL: another value */
  size_t num_names;
  char *why; /* what cannot be written; NULL */
} emitter;

static const char kCBegin[] =
    "#include <inttypes.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <tvm/ffi/c.h>\n"
    "\n"
    "static void check(int code) {\n"
    "  char text[4096];\n"
    "  if (code == 0) return;\n"
    "  tvm_ffi_error_format_raised(text, sizeof text);\n"
    "  fprintf(stderr, \"%s\\n\", text);\n"
    "  exit(2);\n"
    "}\n"
    "\n"
    "/* Memory that begins `at` bytes behind a multiple of 4096, with `before` bytes before it. "
    "*/\n"
    "static char *place(const void *bytes, size_t size, size_t before, size_t at) {\n"
    "  char *block = calloc(1, size + before + 2 * 4096);\n"
    "  uintptr_t begin = (uintptr_t)block + before;\n"
    "  if (block == NULL) exit(2);\n"
    "  begin += (4096 + at - begin % 4096) % 4096;\n"
    "  memcpy((char *)begin, bytes, size);\n"
    "  return (char *)begin;\n"
    "}\n"
    "\n"
    "/* The bytes at the end of a file. */\n"
    "static void *read_end(const char *path, size_t size) {\n"
    "  FILE *file = fopen(path, \"rb\");\n"
    "  void *bytes = malloc(size + 1);\n"
    "  if (file == NULL || bytes == NULL || fseek(file, -(long)size, SEEK_END) != 0 ||\n"
    "      fread(bytes, 1, size, file) != size) {\n"
    "    fprintf(stderr, \"%s cannot be read\\n\", path);\n"
    "    exit(2);\n"
    "  }\n"
    "  fclose(file);\n"
    "  return bytes;\n"
    "}\n"
    "\n"
    "static DLTensor make(char *first, uint64_t byte_offset, DLDevice device, DLDataType dtype,\n"
    "                     int32_t ndim, int64_t *shape, int64_t *strides) {\n"
    "  DLTensor tensor;\n"
    "  tensor.data = first != NULL ? first - byte_offset : NULL;\n"
    "  tensor.device = device;\n"
    "  tensor.ndim = ndim;\n"
    "  tensor.dtype = dtype;\n"
    "  tensor.shape = shape;\n"
    "  tensor.strides = strides;\n"
    "  tensor.byte_offset = byte_offset;\n"
    "  return tensor;\n"
    "}\n"
    "\n"
    "static double number(DLDataType dtype, const char *at) {\n"
    "  float f;\n"
    "  double d;\n"
    "  int64_t i = 0;\n"
    "  if (dtype.code == kDLFloat && dtype.bits == 32) return memcpy(&f, at, 4), f;\n"
    "  if (dtype.code == kDLFloat && dtype.bits == 64) return memcpy(&d, at, 8), d;\n"
    "  memcpy(&i, at, dtype.bits < 64 ? dtype.bits / 8 : 8);\n"
    "  return (double)i;\n"
    "}\n"
    "\n"
    "/* Compares the elements with packed ones, bit by bit; returns 1 if they differ. */\n"
    "static int compare(const char *name, const DLTensor *x, const void *packed) {\n"
    "  const size_t size = x->dtype.bits * x->dtype.lanes / 8;\n"
    "  const char *expected = packed;\n"
    "  int64_t count = 1, wrong = 0, i, rest, offset;\n"
    "  int32_t d;\n"
    "  for (d = 0; d < x->ndim; ++d) count *= x->shape[d];\n"
    "  for (i = 0; i < count; ++i) {\n"
    "    const char *at;\n"
    "    for (offset = 0, rest = i, d = x->ndim - 1; d >= 0; rest /= x->shape[d--]) {\n"
    "      offset += rest % x->shape[d] * x->strides[d];\n"
    "    }\n"
    "    at = (char *)x->data + x->byte_offset + offset * (int64_t)size;\n"
    "    if (memcmp(at, expected + (size_t)i * size, size) == 0) continue;\n"
    "    if (wrong++ > 0) continue;\n"
    "    printf(\"%s: element %\" PRId64 \" is %.9g, recorded %.9g\\n\", name, i,\n"
    "           number(x->dtype, at), number(x->dtype, expected + (size_t)i * size));\n"
    "  }\n"
    "  printf(\"%s: %\" PRId64 \" of %\" PRId64 \" elements differ\\n\", name, wrong, count);\n"
    "  return wrong > 0;\n"
    "}\n"
    "\n";

static const char kPythonBegin[] =
    "import base64\n"
    "import ctypes\n"
    "import struct\n"
    "import sys\n"
    "\n"
    "import tvm_ffi\n"
    "\n"
    "KEPT = []\n"
    "\n"
    "\n"
    "class DLTensor(ctypes.Structure):\n"
    "    _fields_ = [(\"data\", ctypes.c_void_p), (\"device_type\", ctypes.c_int32),\n"
    "                (\"device_id\", ctypes.c_int32), (\"ndim\", ctypes.c_int32),\n"
    "                (\"code\", ctypes.c_uint8), (\"bits\", ctypes.c_uint8),\n"
    "                (\"lanes\", ctypes.c_uint16), (\"shape\", ctypes.POINTER(ctypes.c_int64)),\n"
    "                (\"strides\", ctypes.POINTER(ctypes.c_int64)),\n"
    "                (\"byte_offset\", ctypes.c_uint64)]\n"
    "\n"
    "\n"
    "class Managed(ctypes.Structure):\n"
    "    _fields_ = [(\"tensor\", DLTensor), (\"context\", ctypes.c_void_p),\n"
    "                (\"deleter\", ctypes.c_void_p)]\n"
    "\n"
    "\n"
    "class Versioned(ctypes.Structure):\n"
    "    _fields_ = [(\"major\", ctypes.c_uint32), (\"minor\", ctypes.c_uint32),\n"
    "                (\"context\", ctypes.c_void_p), (\"deleter\", ctypes.c_void_p),\n"
    "                (\"flags\", ctypes.c_uint64), (\"tensor\", DLTensor)]\n"
    "\n"
    "\n"
    "class Memory:\n"
    "    \"\"\"Bytes that begin `at` bytes behind a multiple of 4096, `before` bytes before "
    "them.\"\"\"\n"
    "\n"
    "    def __init__(self, content, before, at):\n"
    "        block = ctypes.create_string_buffer(len(content) + before + 2 * 4096)\n"
    "        KEPT.append(block)\n"
    "        begin = ctypes.addressof(block) + before\n"
    "        self.begin = begin + (at - begin) % 4096\n"
    "        ctypes.memmove(self.begin, content, len(content))\n"
    "\n"
    "\n"
    "class Tensor:\n"
    "    \"\"\"A tensor in any layout, which tvm_ffi.from_dlpack takes.\"\"\"\n"
    "\n"
    "    def __init__(self, first, byte_offset, device, dtype, shape, strides, flags):\n"
    "        self.dtype, self.shape, self.strides, self.first = dtype, shape, strides, first\n"
    "        self.device = device\n"
    "        count = len(shape)\n"
    "        self.extents = (ctypes.c_int64 * max(count, 1))(*shape)\n"
    "        self.steps = (ctypes.c_int64 * max(count, 1))(*strides)\n"
    "        data = first - byte_offset if first else None\n"
    "        tensor = DLTensor(data, *device, count, *dtype, self.extents, self.steps,\n"
    "                          byte_offset)\n"
    "        self.managed = Managed(tensor, None, None)\n"
    "        self.versioned = Versioned(1, 0, None, None, flags, tensor)\n"
    "        KEPT.append(self)\n"
    "\n"
    "    def __dlpack_device__(self):\n"
    "        return self.device\n"
    "\n"
    "    def __dlpack__(self, max_version=None, **_):\n"
    "        new = ctypes.pythonapi.PyCapsule_New\n"
    "        new.restype = ctypes.py_object\n"
    "        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]\n"
    "        if max_version is None:  # which has no flags, so that all can be written\n"
    "            return new(ctypes.addressof(self.managed), b\"dltensor\", None)\n"
    "        return new(ctypes.addressof(self.versioned), b\"dltensor_versioned\", None)\n"
    "\n"
    "    def elements(self):\n"
    "        size = self.dtype[1] * self.dtype[2] // 8\n"
    "        offsets = [0]\n"
    "        for extent, stride in zip(self.shape, self.strides):\n"
    "            offsets = [at + i * stride for at in offsets for i in range(extent)]\n"
    "        return [ctypes.string_at(self.first + at * size, size) for at in offsets]\n"
    "\n"
    "    def compare(self, name, expected):\n"
    "        \"\"\"Compares the elements with packed ones, bit by bit; True if they differ.\"\"\"\n"
    "        now = self.elements()\n"
    "        size = len(now[0]) if now else 1\n"
    "        then = [expected[i:i + size] for i in range(0, len(expected), size)]\n"
    "        wrong = [i for i, (a, b) in enumerate(zip(now, then)) if a != b]\n"
    "        if wrong:\n"
    "            a, b = self.number(now[wrong[0]]), self.number(then[wrong[0]])\n"
    "            print(f\"{name}: element {wrong[0]} is {a}, recorded {b}\")\n"
    "        print(f\"{name}: {len(wrong)} of {len(now)} elements differ\")\n"
    "        return bool(wrong)\n"
    "\n"
    "    def number(self, element):\n"
    "        kinds = {(2, 4): \"f\", (2, 8): \"d\", (2, 2): \"e\"}\n"
    "        kind = kinds.get((self.dtype[0], len(element)))\n"
    "        return struct.unpack(kind, element)[0] if kind else element.hex()\n"
    "\n"
    "\n";

static size_t refuse_value(emitter *e, const char *what) {
  if (e->why == NULL) e->why = tool_copy(what, strlen(what));
  return SIZE_MAX;
}

/* The number of a new name, `v[3]` in C and `v3` in Python. */
static size_t new_name(emitter *e, const void *object) {
  e->objects = tool_realloc(e->objects, (e->num_names + 1) * sizeof *e->objects);
  e->objects[e->num_names] = object;
  return e->num_names++;
}

static void add_name(const emitter *e, size_t name) {
  text_add(e->out, e->is_python ? "v%zu" : "v[%zu]", name);
}

/* Begins a statement that gives a name its value. */
static void begin_value(const emitter *e, size_t name) {
  if (!e->is_python) text_add(e->out, "  ");
  add_name(e, name);
  text_add(e->out, " = ");
}

static void end_value(const emitter *e) {
  text_add(e->out, e->is_python ? "\n" : ";\n");
}

/* A text literal of either language; Python's is of bytes. */
static void add_literal(const emitter *e, const char *bytes, size_t size) {
  size_t i;
  text_add(e->out, e->is_python ? "b\"" : "\"");
  for (i = 0; i < size; ++i) {
    const unsigned char c = (unsigned char)bytes[i];
    if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?') {
      text_add(e->out, "%c", c);
    } else {
      text_add(e->out, e->is_python ? "\\x%02x" : "\\%03o", c);
    }
  }
  text_add(e->out, "\"");
}

static size_t emit_real(emitter *e, double value) {
  const size_t name = new_name(e, NULL);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "struct.unpack(\"<d\", bytes.fromhex(\"");
    {
      int i;
      for (i = 0; i < 8; ++i) text_add(e->out, "%02x", (unsigned)(bits >> (8 * i) & 0xff));
    }
    text_add(e->out, "\"))[0]  # %.17g\n", value);
  } else {
    text_add(e->out, "  bits = UINT64_C(0x%016" PRIx64 "); /* %.17g */\n", bits, value);
    text_add(e->out, "  memcpy(&real, &bits, sizeof real);\n");
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_from_double(real);\n");
  }
  return name;
}

static size_t emit_text(emitter *e, const TVMFFIAny *value, const TVMFFIByteArray *text) {
  const bool is_bytes = value->type_index == kTVMFFIBytes ||
                        value->type_index == kTVMFFISmallBytes ||
                        value->type_index == kTVMFFIByteArrayPtr;
  const size_t name = new_name(e, NULL);
  if (e->is_python) {
    begin_value(e, name);
    add_literal(e, text->data, text->size);
    text_add(e->out, is_bytes ? "\n" : ".decode(errors=\"surrogateescape\")\n");
    return name;
  }
  if (value->type_index == kTVMFFIRawStr) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_view_string(");
    add_literal(e, text->data, text->size);
    text_add(e->out, ");\n");
    return name;
  }
  text_add(e->out, "  check(tvm_ffi_%s(", is_bytes ? "bytes_create" : "string_create_sized");
  add_literal(e, text->data, text->size);
  text_add(e->out, ", %zu, &v[%zu]));\n", text->size, name);
  return name;
}

/* The tensor that is this argument. */
static size_t find_tensor(const emitter *e, const DLTensor *tensor) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    if (e->values->tensors[i].tensor == tensor) return i;
  }
  return SIZE_MAX;
}

static size_t emit_tensor(emitter *e, const TVMFFIAny *value, const DLTensor *tensor) {
  const size_t at = find_tensor(e, tensor);
  const bool is_view = value->type_index == kTVMFFIDLTensorPtr;
  size_t name;
  if (at == SIZE_MAX) return refuse_value(e, "a tensor");
  name = new_name(e, is_view ? NULL : value->v_obj);
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi.from_dlpack(t%zu)%s\n", at, is_view ? "  # it was a DLTensor *" : "");
  } else if (is_view) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_view_tensor(&t[%zu]);\n", at);
  } else {
    text_add(e->out, "  check(tvm_ffi_tensor_create_%s(&t[%zu], NULL, NULL, &object));\n",
             e->values->tensors[at].stored->is_read_only ? "read_only" : "around", at);
    begin_value(e, name);
    text_add(e->out, "tvm_ffi_any_take_object(object);\n");
  }
  return name;
}

static size_t emit_value(emitter *e, const TVMFFIAny *value);

/* Writes an Array, List, Map or Dict of the values with these names. */
static size_t emit_container(emitter *e, const TVMFFIAny *value, const size_t *items,
                             size_t count) {
  static const struct {
    int32_t type_index;
    const char *python, *c;
  } kContainers[] = {{kTVMFFIArray, "tvm_ffi.Array([", "ffi.Array"},
                     {kTVMFFIList, "tvm_ffi.List([", "ffi.List"},
                     {kTVMFFIMap, "tvm_ffi.Map({", "ffi.Map"},
                     {kTVMFFIDict, "tvm_ffi.Dict({", "ffi.Dict"}};
  const size_t name = new_name(e, value->v_obj);
  const bool has_keys = value->type_index == kTVMFFIMap || value->type_index == kTVMFFIDict;
  size_t i, k = 0;
  while (kContainers[k].type_index != value->type_index) ++k;
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "%s", kContainers[k].python);
    for (i = 0; i < count; ++i) {
      if (i > 0) text_add(e->out, has_keys && i % 2 != 0 ? ": " : ", ");
      add_name(e, items[i]);
    }
    text_add(e->out, has_keys ? "})\n" : "])\n");
    return name;
  }
  text_add(e->out, "  {\n    TVMFFIAny items[%zu];\n", count + 1);
  for (i = 0; i < count; ++i) {
    text_add(e->out, "    items[%zu] = ", i);
    add_name(e, items[i]);
    text_add(e->out, ";\n");
  }
  text_add(e->out, "    check(tvm_ffi_function_call_global(\"%s\", items, %zu, &v[%zu]));\n  }\n",
           kContainers[k].c, count, name);
  return name;
}

typedef struct {
  emitter *e;
  size_t *items;
  size_t count;
  bool good;
} item_list;

static void add_item(item_list *list, const TVMFFIAny *value) {
  list->items = tool_realloc(list->items, (list->count + 1) * sizeof *list->items);
  list->items[list->count] = emit_value(list->e, value);
  if (list->items[list->count++] == SIZE_MAX) list->good = false;
}

static bool add_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  add_item(context, key);
  add_item(context, value);
  return true;
}

static size_t emit_items(emitter *e, const TVMFFIAny *value) {
  item_list list;
  size_t name;
  int64_t i;
  memset(&list, 0, sizeof list);
  list.e = e;
  list.good = true;
  if (value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList) {
    for (i = 0; i < tvm_ffi_array_get_size(value->v_obj); ++i) {
      add_item(&list, tvm_ffi_array_get_data(value->v_obj) + i);
    }
  } else {
    list.good = value_visit_map(value, add_pair, &list) && list.good;
  }
  TVMFFIErrorSetRaised(NULL);
  name =
      list.good ? emit_container(e, value, list.items, list.count) : refuse_value(e, "a container");
  free(list.items);
  return name;
}

static size_t emit_shape(emitter *e, const TVMFFIAny *value) {
  const TVMFFIShapeCell *cell = TVMFFIShapeGetCellPtr(value->v_obj);
  const size_t name = new_name(e, value->v_obj);
  size_t i;
  if (e->is_python) {
    begin_value(e, name);
    text_add(e->out, "tvm_ffi.Shape((");
    for (i = 0; i < cell->size; ++i) text_add(e->out, "%" PRId64 ", ", cell->data[i]);
    text_add(e->out, "))\n");
    return name;
  }
  text_add(e->out, "  {\n    int64_t extents[%zu];\n", cell->size + 1);
  for (i = 0; i < cell->size; ++i) {
    text_add(e->out, "    extents[%zu] = INT64_C(%" PRId64 ");\n", i, cell->data[i]);
  }
  text_add(e->out, "    check(tvm_ffi_shape_create(extents, %zu, &object));\n  }\n", cell->size);
  begin_value(e, name);
  text_add(e->out, "tvm_ffi_any_take_object(object);\n");
  return name;
}

/* Writes one that is in the TVMFFIAny itself. */
static size_t emit_plain(emitter *e, const TVMFFIAny *value) {
  const size_t name = new_name(e, NULL);
  char text[kDtypeTextSize];
  begin_value(e, name);
  switch (value->type_index) {
    case kTVMFFINone:
      text_add(e->out, e->is_python ? "None" : "tvm_ffi_any_none()");
      break;
    case kTVMFFIBool:
      if (e->is_python) {
        text_add(e->out, "%s", value->v_int64 != 0 ? "True" : "False");
      } else {
        text_add(e->out, "tvm_ffi_any_from_bool(%d)", value->v_int64 != 0);
      }
      break;
    case kTVMFFIInt:
      if (e->is_python) {
        text_add(e->out, "%" PRId64, value->v_int64);
      } else if (value->v_int64 == INT64_MIN) {
        text_add(e->out, "tvm_ffi_any_from_int64(INT64_MIN)");
      } else {
        text_add(e->out, "tvm_ffi_any_from_int64(INT64_C(%" PRId64 "))", value->v_int64);
      }
      break;
    case kTVMFFIDataType:
      if (e->is_python) {
        text_add(e->out, "tvm_ffi.dtype(\"%s\")",
                 tvm_ffi_dtype_print(value->v_dtype, text, sizeof text));
      } else {
        text_add(e->out, "tvm_ffi_any_from_dtype(tvm_ffi_dtype_make(%d, %d, %d))",
                 value->v_dtype.code, value->v_dtype.bits, value->v_dtype.lanes);
      }
      break;
    case kTVMFFIDevice:
      if (e->is_python) {
        text_add(e->out, "tvm_ffi.device(\"%s\")",
                 tvm_ffi_device_print(value->v_device, text, sizeof text));
      } else {
        text_add(e->out, "tvm_ffi_any_from_device(tvm_ffi_device_make(%d, %d))",
                 (int)value->v_device.device_type, (int)value->v_device.device_id);
      }
      break;
    default: /* a NULL pointer, the only one that can be made again */
      text_add(e->out, e->is_python ? "ctypes.c_void_p(0)" : "tvm_ffi_any_from_pointer(NULL)");
  }
  end_value(e);
  return name;
}

static size_t emit_value(emitter *e, const TVMFFIAny *value) {
  TVMFFIByteArray text;
  DLTensor *tensor;
  size_t i;
  for (i = 0; value->type_index >= kTVMFFIStaticObjectBegin && i < e->num_names; ++i) {
    if (e->objects[i] == value->v_obj) return i;
  }
  if (tvm_ffi_any_try_tensor(value, &tensor)) return emit_tensor(e, value, tensor);
  if (tvm_ffi_any_try_string(value, &text) || tvm_ffi_any_try_bytes(value, &text)) {
    return emit_text(e, value, &text);
  }
  switch (value->type_index) {
    case kTVMFFIFloat:
      return emit_real(e, value->v_float64);
    case kTVMFFINone:
    case kTVMFFIBool:
    case kTVMFFIInt:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
    case kTVMFFIOpaquePtr:
      return emit_plain(e, value);
    case kTVMFFIShape:
      return emit_shape(e, value);
    case kTVMFFIArray:
    case kTVMFFIList:
    case kTVMFFIMap:
    case kTVMFFIDict:
      return emit_items(e, value);
    default:
      return refuse_value(e, tvm_ffi_any_get_type_name(value));
  }
}

/* Bytes as an array in C, or as Base64 in Python. */
static void emit_bytes(const emitter *e, const char *name, size_t i, const void *content,
                       size_t size) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = content;
  size_t k;
  if (!e->is_python) {
    text_add(e->out, "static const unsigned char %s_%zu[%zu] = {", name, i, size + 1);
    for (k = 0; k < size; ++k) {
      text_add(e->out, "%s%u,", k % 24 == 0 ? "\n    " : "", (unsigned)bytes[k]);
    }
    text_add(e->out, "%s0};\n", size % 24 == 0 ? "\n    " : "");
    return;
  }
  text_add(e->out, "%s_%zu = base64.b64decode(\"\"\"", name, i);
  for (k = 0; k < size; k += 3) {
    const unsigned a = bytes[k], b = k + 1 < size ? bytes[k + 1] : 0,
                   c = k + 2 < size ? bytes[k + 2] : 0;
    if (k % 72 == 0) text_add(e->out, "\n");
    text_add(e->out, "%c%c%c%c", kDigits[a >> 2], kDigits[(a & 3) << 4 | b >> 4],
             k + 1 < size ? kDigits[(b & 15) << 2 | c >> 6] : '=',
             k + 2 < size ? kDigits[c & 63] : '=');
  }
  text_add(e->out, "\"\"\")\n");
}

/* The first tensor in a storage; SIZE_MAX if there is none. */
static size_t find_first(const call_values *values, size_t storage_index) {
  size_t i = 0;
  while (i < values->num_tensors && values->tensors[i].storage != storage_index) ++i;
  return i < values->num_tensors ? i : SIZE_MAX;
}

/* Where the bytes of a storage are. */
static char *find_begin(const call_values *values, size_t storage_index) {
  const recorded_tensor *t = &values->tensors[find_first(values, storage_index)];
  return (char *)tvm_ffi_tensor_get_data(&t->stored->tensor) - t->offset;
}

/* Bytes before it to which `data` of a tensor may point. */
static uint64_t find_extra(const call_values *values, size_t storage_index) {
  uint64_t extra = 0;
  size_t i;
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    const uint64_t byte_offset = t->stored->tensor.byte_offset;
    if (t->storage == storage_index && byte_offset > (uint64_t)t->offset + extra) {
      extra = byte_offset - (uint64_t)t->offset;
    }
  }
  return extra;
}

static bool is_read_from_file(const emitter *e, size_t storage_index) {
  return e->values->storages[storage_index].size > kMaxEmbedded && e->after != NULL;
}

/* The memory before the call, as data. */
static void emit_memory(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_storages; ++i) {
    if (find_first(e->values, i) == SIZE_MAX || is_read_from_file(e, i)) continue;
    emit_bytes(e, "memory", i, find_begin(e->values, i), (size_t)e->values->storages[i].size);
  }
}

/* Places the memory, in statements. */
static void emit_places(const emitter *e, const char *folder) {
  size_t i;
  for (i = 0; i < e->values->num_storages; ++i) {
    const recorded_storage *s = &e->values->storages[i];
    const unsigned at = (unsigned)(s->address % 4096);
    if (find_first(e->values, i) == SIZE_MAX) continue;
    text_add(e->out, e->is_python ? "m%zu = Memory(" : "  memory[%zu] = place(", i);
    if (is_read_from_file(e, i)) {
      char *path = tool_format("%s/tensors/%s.npy", folder, s->data);
      text_add(e->out, e->is_python ? "open(" : "read_end(");
      add_literal(e, path, strlen(path));
      if (e->is_python) {
        text_add(e->out, ", \"rb\").read()[-%" PRIu64 ":]", s->size);
      } else {
        text_add(e->out, ", %" PRIu64 "), %" PRIu64, s->size, s->size);
      }
      free(path);
    } else if (e->is_python) {
      text_add(e->out, "memory_%zu", i);
    } else {
      text_add(e->out, "memory_%zu, %" PRIu64, i, s->size);
    }
    text_add(e->out, ", %" PRIu64 ", %u)%s\n", find_extra(e->values, i), at,
             e->is_python ? "" : ";");
  }
}

/* The extents of tensors, as data of C. */
static void emit_extents(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    const DLTensor *x = &e->values->tensors[i].stored->tensor;
    int32_t d;
    int kind;
    for (kind = 0; kind < 2; ++kind) {
      const int64_t *values = kind == 0 ? x->shape : x->strides;
      if (values == NULL) continue;
      text_add(e->out, "static int64_t %s_%zu[%d] = {", kind == 0 ? "shape" : "strides", i,
               (int)x->ndim + 1);
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "INT64_C(%" PRId64 "), ", values[d]);
      text_add(e->out, "0};\n");
    }
  }
}

static void emit_tensors(const emitter *e) {
  size_t i;
  for (i = 0; i < e->values->num_tensors; ++i) {
    const recorded_tensor *t = &e->values->tensors[i];
    const DLTensor *x = &t->stored->tensor;
    int32_t d;
    if (e->is_python) {
      text_add(e->out, "t%zu = Tensor(", i);
      if (t->storage == SIZE_MAX) {
        text_add(e->out, "0");
      } else {
        text_add(e->out, "m%zu.begin + %" PRId64, t->storage, t->offset);
      }
      text_add(e->out, ", %" PRIu64 ", (%d, %d), (%d, %d, %d), (", x->byte_offset,
               (int)x->device.device_type, (int)x->device.device_id, x->dtype.code, x->dtype.bits,
               x->dtype.lanes);
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "%" PRId64 ", ", x->shape[d]);
      text_add(e->out, "), (");
      for (d = 0; d < x->ndim; ++d) text_add(e->out, "%" PRId64 ", ", t->stored->strides[d]);
      text_add(e->out, "), %d)\n", t->stored->is_read_only ? 1 : 0);
      continue;
    }
    text_add(e->out, "  t[%zu] = make(", i);
    if (t->storage == SIZE_MAX) {
      text_add(e->out, "NULL");
    } else {
      text_add(e->out, "memory[%zu] + %" PRId64, t->storage, t->offset);
    }
    text_add(e->out,
             ", %" PRIu64
             ", tvm_ffi_device_make(%d, %d),\n              "
             "tvm_ffi_dtype_make(%d, %d, %d), %d, shape_%zu, ",
             x->byte_offset, (int)x->device.device_type, (int)x->device.device_id, x->dtype.code,
             x->dtype.bits, x->dtype.lanes, (int)x->ndim, i);
    if (x->strides != NULL) {
      text_add(e->out, "strides_%zu);\n", i);
    } else {
      text_add(e->out, "NULL);\n");
    }
  }
}

/* Whether what the tensor had after the call is compared: it changed, and can be. */
static bool is_compared(const emitter *e, size_t i) {
  const recorded_tensor *t;
  const char *old, *now;
  if (e->after == NULL || i >= e->after->num_arg_tensors) return false;
  t = &e->after->tensors[i];
  if (t->storage == SIZE_MAX || !t->has_data) return false;
  if (tvm_ffi_dtype_get_bits(t->tensor->dtype) % 8 != 0 || t->tensor->strides == NULL) return false;
  old = e->values->storages[t->storage].data;
  now = e->after->storages[t->storage].data;
  return strcmp(old, now) != 0;
}

/* What compared tensors had after the call, as data. */
static void emit_expected(const emitter *e) {
  size_t i, size;
  for (i = 0; i < e->values->num_tensors; ++i) {
    TVMFFIObjectHandle packed;
    if (!is_compared(e, i)) continue;
    packed = copy_now(e->after->tensors[i].tensor);
    if (packed == NULL) continue;
    if (tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(packed), &size) == 0) {
      emit_bytes(e, "expected", i, TVMFFITensorGetDLTensorPtr(packed)->data, size);
    }
    tvm_ffi_object_release(packed);
  }
}

/* What the recording says of the end of the call, as one line. */
static char *describe_end(const replay *p) {
  text_items items;
  char *text;
  if (p->c->end == kCallUnfinished) return tool_copy("it did not return", 17);
  if (p->c->end == kCallRaised) return tool_format("raised %s", p->c->error);
  items = recording_describe(p->r, p->c, kAfter);
  text = tool_format("returned %s", items.size > 0 ? items.items[0] : "none");
  if (items.size > 0) free(items.items[0]);
  free(items.items);
  return text;
}

static void emit_c_main(emitter *e, const char *folder, const char *recorded) {
  const call_values *values = e->values;
  text_buf statements = {NULL, 0, 0}, *out = e->out;
  size_t *names = tool_alloc((values->num_args + 1) * sizeof *names), i;
  e->out = &statements;
  for (i = 0; i < values->num_args; ++i) names[i] = emit_value(e, &values->args[i]);
  e->out = out;
  text_add(out, "int main(int argc, char **argv) {\n  const char *library = argc > 1 ? argv[1] : ");
  add_literal(e, choose_library(e->p), strlen(choose_library(e->p)));
  text_add(out,
           ";\n  char *memory[%zu], text[4096];\n  DLTensor t[%zu];\n"
           "  TVMFFIAny v[%zu], args[%zu], result = tvm_ffi_any_none();\n"
           "  TVMFFIObjectHandle function, object = NULL;\n  TVMFFIByteArray bytes;\n"
           "  uint64_t bits = 0;\n"
           "  double real = 0;\n  int differs = 0;\n"
           "  (void)memory, (void)t, (void)object, (void)bits, (void)real, (void)read_end,\n"
           "  (void)make, (void)place, (void)compare, (void)v;\n"
           "  check(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_env_allocate_cpu, 1, NULL));\n"
           "  check(tvm_ffi_module_load_function(library, ",
           values->num_storages + 1, values->num_tensors + 1, e->num_names + 1,
           values->num_args + 1);
  add_literal(e, e->p->c->function, strlen(e->p->c->function));
  text_add(out, ", &function));\n");
  emit_places(e, folder);
  emit_tensors(e);
  if (statements.data != NULL) text_add_bytes(out, statements.data, statements.size);
  for (i = 0; i < values->num_args; ++i) {
    text_add(out, "  args[%zu] = v[%zu];\n", i, names[i]);
  }
  text_add(out, "  printf(\"recorded: %%s\\n\", ");
  add_literal(e, recorded, strlen(recorded));
  text_add(out,
           ");\n  fflush(stdout);\n"
           "  if (tvm_ffi_function_call(function, args, %zu, &result) != 0) {\n"
           "    tvm_ffi_error_format_raised(text, sizeof text);\n"
           "    printf(\"now: raised %%s\\n\", text);\n    return 1;\n  }\n"
           "  printf(\"now: returned %%s\", tvm_ffi_any_get_type_name(&result));\n"
           "  if (result.type_index == kTVMFFIInt) printf(\" %%\" PRId64, result.v_int64);\n"
           "  if (result.type_index == kTVMFFIFloat) printf(\" %%.17g\", result.v_float64);\n"
           "  if (tvm_ffi_any_try_string(&result, &bytes)) {\n"
           "    printf(\" %%.*s\", (int)bytes.size, bytes.data);\n  }\n"
           "  printf(\"\\n\");\n",
           values->num_args);
  for (i = 0; i < values->num_tensors; ++i) {
    if (!is_compared(e, i)) continue;
    text_add(out, "  differs |= compare(\"%s\", &t[%zu], expected_%zu);\n", values->tensors[i].name,
             i, i);
  }
  text_add(out, "  return differs;\n}\n");
  text_free(&statements);
  free(names);
}

static void emit_python_main(emitter *e, const char *folder, const char *recorded) {
  const call_values *values = e->values;
  size_t *names = tool_alloc((values->num_args + 1) * sizeof *names), i;
  emit_places(e, folder);
  emit_tensors(e);
  for (i = 0; i < values->num_args; ++i) names[i] = emit_value(e, &values->args[i]);
  text_add(e->out, "library = sys.argv[1] if len(sys.argv) > 1 else ");
  add_literal(e, choose_library(e->p), strlen(choose_library(e->p)));
  text_add(e->out, ".decode()\nfunction = tvm_ffi.load_module(library).get_function(");
  add_literal(e, e->p->c->function, strlen(e->p->c->function));
  text_add(e->out, ".decode())\nprint(\"recorded:\", ");
  add_literal(e, recorded, strlen(recorded));
  text_add(e->out, ".decode(), flush=True)\ntry:\n    print(\"now: returned\", function(");
  for (i = 0; i < values->num_args; ++i) text_add(e->out, "%sv%zu", i > 0 ? ", " : "", names[i]);
  text_add(e->out,
           "))\nexcept Exception as error:\n"
           "    print(f\"now: raised {type(error).__name__}: {error}\")\n    sys.exit(1)\n"
           "differs = False\n");
  for (i = 0; i < values->num_tensors; ++i) {
    if (!is_compared(e, i)) continue;
    text_add(e->out, "differs |= t%zu.compare(\"%s\", expected_%zu)\n", i, values->tensors[i].name,
             i);
  }
  text_add(e->out, "sys.exit(differs)\n");
  free(names);
}

/* Random numbers between the least and the greatest of the tensor. */
static void redact_tensor(const recorded_tensor *t, uint64_t *state, void *packed) {
  const DLTensor *x = &t->stored->tensor;
  const size_t count = (size_t)tvm_ffi_tensor_get_numel(x) *
                       (numbers_known(x->dtype) ? numbers_per_element(x->dtype) : 0);
  double low = HUGE_VAL, high = -HUGE_VAL;
  size_t i;
  for (i = 0; i < count; ++i) {
    const double value = number_get(x->dtype, packed, i).real;
    if (!isfinite(value)) continue;
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  for (i = 0; i < count; ++i) {
    double value;
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    value = (double)(*state >> 11) * 0x1p-53;
    value = low <= high ? low + value * (high - low) : 0;
    if (number_get(x->dtype, packed, i).kind != kNumberReal) value = floor(value + 0.5);
    number_set_real(x->dtype, packed, i, value);
  }
}

/* Replaces all that is in the tensors; gaps between elements become zeros. */
static void redact(call_values *values) {
  unsigned char **packed = tool_alloc((values->num_tensors + 1) * sizeof *packed);
  uint64_t state = 1;
  size_t i, size;
  for (i = 0; i < values->num_tensors; ++i) {
    const recorded_tensor *t = &values->tensors[i];
    packed[i] = NULL;
    if (t->storage == SIZE_MAX || tvm_ffi_tensor_compute_size(&t->stored->tensor, &size) != 0) {
      continue;
    }
    packed[i] = tool_alloc(size + 1);
    storage_read(t->stored, packed[i]);
    if (!numbers_known(t->stored->tensor.dtype)) memset(packed[i], 0, size);
    redact_tensor(t, &state, packed[i]);
  }
  for (i = 0; i < values->num_storages; ++i) {
    if (find_first(values, i) == SIZE_MAX) continue;
    memset(find_begin(values, i), 0, (size_t)values->storages[i].size);
  }
  for (i = 0; i < values->num_tensors; ++i) {
    if (packed[i] != NULL) tensor_scatter(&values->tensors[i].stored->tensor, packed[i]);
    free(packed[i]);
  }
  free(packed);
}

/* Names of functions come from the recording, and must not end a comment. */
static void emit_program(emitter *e, const char *folder) {
  const replay *p = e->p;
  char *recorded = describe_end(p), *name;
  const char *how = e->after == NULL ? "; the numbers in tensors are random" : "";
  name = identifier_make(p->c->function, strlen(p->c->function));
  if (e->is_python) {
    text_add(e->out,
             "# Call %" PRId64
             " of %s, recorded by tvm-ffi%s. It takes the package tvm_ffi:\n"
             "#   python3 FILE [LIBRARY]\n%s",
             p->c->number, name, how, kPythonBegin);
  } else {
    text_add(e->out,
             "/* Call %" PRId64
             " of %s, recorded by tvm-ffi%s. Build and run it with\n"
             " *   cc FILE.c $(pkg-config --cflags --libs tvm_ffi) -o call\n"
             " *   ./call [LIBRARY]\n */\n%s",
             p->c->number, name, how, kCBegin);
  }
  emit_memory(e);
  emit_expected(e);
  if (!e->is_python) emit_extents(e);
  text_add(e->out, "\n");
  (e->is_python ? emit_python_main : emit_c_main)(e, folder, recorded);
  free(name);
  free(recorded);
}

/* Writes the program of one call. The exit code. */
static int emit_call(const replay *p, bool is_python, bool redacted, const char *path) {
  const DLDevice cpu = {kDLCPU, 0};
  text_buf why = {NULL, 0, 0}, program = {NULL, 0, 0};
  call_values values, after;
  char *folder = file_resolve(arguments_operand(p->args, 0));
  emitter e;
  size_t i;
  making made;
  int code = kExitUsage;
  memset(&e, 0, sizeof e);
  memset(&after, 0, sizeof after);
  made = recording_make(p->r, p->c, kBefore, cpu, &values, &why);
  if (made == kCannotRepeat) report_error("call %" PRId64 ": %s", p->c->number, why.data);
  if (made == kMade && !redacted) {
    made = recording_make(p->r, p->c, kAfter, cpu, &after, NULL);
  }
  for (i = 0; made == kMade && redacted && i < values.num_storages; ++i) {
    if (values.storages[i].size <= kMaxRedacted) continue;
    report_error("call %" PRId64 ": a tensor is too large to be written into a program",
                 p->c->number);
    made = kCannotRepeat;
  }
  if (made == kMade) {
    if (redacted) redact(&values);
    e.p = p;
    e.values = &values;
    e.after = redacted ? NULL : &after;
    e.is_python = is_python;
    e.out = &program;
    emit_program(&e, folder != NULL ? folder : arguments_operand(p->args, 0));
    if (e.why != NULL) {
      report_error("call %" PRId64 ": a program cannot make %s", p->c->number, e.why);
    } else if (tool_write_file(path, program.data, program.size)) {
      code = kExitOk;
    }
  }
  free(e.objects);
  free(e.why);
  free(folder);
  text_free(&program);
  text_free(&why);
  call_values_free(&values);
  call_values_free(&after);
  return code;
}

/* ---- The command ---- */

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
static bool choose_calls(replay *p) {
  const char *numbers = arguments_num_operands(p->args) > 1 ? arguments_operand(p->args, 1) : NULL;
  const text_list match = arguments_values(p->args, kOptionMatch);
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

/* Shared memory for what the other library does; false after a report. */
static bool make_boxes(replay *p) {
  enum { kRoom = 64 << 20 };
  uint64_t most = 0;
  size_t i;
  for (i = 0; i < p->num_calls; ++i) {
    if (p->calls[i]->bytes > most) most = p->calls[i]->bytes;
  }
  p->box_size = (size_t)most * 2 + kRoom;
  p->outcome = pages_share(sizeof *p->outcome);
  if (p->against != NULL) p->box = pages_share(sizeof *p->box + p->box_size);
  if (p->outcome != NULL && (p->against == NULL || p->box != NULL)) return true;
  report_error("no memory for the outputs: %s", strerror(errno));
  return false;
}

static int replay_all(replay *p) {
  size_t i;
  int code = kExitOk;
  if (p->json) {
    json_begin_object(NULL);
    json_text("recording", arguments_operand(p->args, 0));
    json_begin_array("calls");
  }
  for (i = 0; i < p->num_calls; ++i) {
    p->c = p->calls[i];
    if (!replay_one(p, &code)) return code;
    show_one(p);
  }
  show_sum(p);
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
  text_buf why = {NULL, 0, 0};
  const making made = recording_make(p->r, p->c, kBefore, device, &measured->values, &why);
  size_t i;
  if (made == kCannotRepeat) report_error("call %" PRId64 ": %s", p->c->number, why.data);
  text_free(&why);
  if (made != kMade) return kExitUsage;
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
  request.paths[0] = choose_library(p);
  request.paths[1] = p->against;
  request.num_paths = p->against != NULL ? 2 : 1;
  request.function = (char *)p->c->function;
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
  for (i = 0; i < p->num_calls && code == kExitOk; ++i) {
    p->c = p->calls[i];
    if (!p->json) {
      fprintf(streams_results(), "%scall %" PRId64 " (%s)\n", i > 0 ? "\n" : "", p->c->number,
              p->c->signature);
    }
    code = isolate_run(measure_call, p, &p->settings);
  }
  return code;
}

static bool read_options(const arguments *args, replay *out) {
  out->args = args;
  out->lib = arguments_text(args, kOptionLib, NULL);
  out->against = arguments_text(args, kOptionAgainst, NULL);
  out->device_name = arguments_text(args, kOptionDevice, "cpu");
  out->json = arguments_has(args, kOptionJson);
  out->settings.in_place = arguments_has(args, kOptionNoFork);
  out->settings.skips_unload = true;
  source_allow(arguments_values(args, kOptionCflags), true);
  if (arguments_has(args, kOptionRedact) && !arguments_has(args, kOptionEmit)) {
    report_error("--redact is for the program that --emit writes");
    return false;
  }
  if (arguments_has(args, kOptionOutput) && !arguments_has(args, kOptionEmit)) {
    report_error("--output is for the program that --emit writes");
    return false;
  }
  if (arguments_has(args, kOptionEmit) && out->json && !arguments_has(args, kOptionOutput)) {
    report_error("--json prints no program: --emit takes --output with it");
    return false;
  }
  return read_timeout(args, &out->settings.timeout) &&
         arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->allowed.absolute);
}

static int open_and_replay(replay *p) {
  if ((p->lib != NULL && !library_argument_fetch(p->lib)) ||
      (p->against != NULL && !library_argument_fetch(p->against))) {
    return kExitLoad;
  }
  p->r = recording_open(arguments_operand(p->args, 0));
  if (p->r == NULL || !choose_calls(p)) return kExitUsage;
  if (arguments_has(p->args, kOptionEmit)) {
    p->c = p->calls[0];
    if (p->num_calls == 1) {
      return emit_call(p, arguments_word(p->args, kOptionEmit, 0) == 1,
                       arguments_has(p->args, kOptionRedact),
                       arguments_text(p->args, kOptionOutput, "-"));
    }
    return report_fail(kExitUsage,
                       "--emit writes one call, and %zu were chosen; show --calls "
                       "lists them",
                       p->num_calls);
  }
  if (arguments_has(p->args, kOptionBench)) return measure_all(p);
  return make_boxes(p) ? replay_all(p) : kExitRaised;
}

int command_replay(const arguments *args) {
  replay p;
  int code = kExitUsage;
  memset(&p, 0, sizeof p);
  if (!read_options(args, &p) || isolate_command(&p.settings, &code)) return code;
  code = open_and_replay(&p);
  if (p.outcome != NULL) pages_release(p.outcome, sizeof *p.outcome);
  if (p.box != NULL) pages_release(p.box, sizeof *p.box + p.box_size);
  free(p.calls);
  recording_free(p.r);
  return code;
}
