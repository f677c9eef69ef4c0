/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of a recording again, each in a child process, and compares what they do with
 * what was recorded, or with what another build of the library does. */
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
#include "process/supervise.h"
#include "recording/recording.h"
#include "system/system.h"
#include "value/output.h"
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
  volatile int num_differing; /* tensors, for the page */
  char detail[1 << 14];
} replay_outcome;

/* Memory that is shared with children. */
typedef struct {
  volatile size_t size; /* 0: nothing; else of the bytes */
  volatile int is_cut;
  unsigned char bytes[1];
} box_pages;

typedef struct {
  box_pages *pages; /* NULL: there is none */
  size_t room;      /* for bytes */
} value_box;

typedef struct {
  const arguments *args;
  recording *r;
  const recorded_call **calls;
  size_t num_calls;
  const char *lib, *against; /* NULL */
  const char *device_name;   /* where tensors are made that were on a device; cpu: nowhere */
  supervision settings;
  tolerance allowed;
  bool json;
  replay_outcome *outcome;
  value_box effects;     /* what a call of the other library did */
  value_box differences; /* what the page shows of a call */
  const char *page_path; /* NULL: there is no page */
  drawing_budget budget;
  call_outcome *outcomes; /* of each call, for the page */
  size_t num_outcomes;
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
  TVMFFIAny result;            /* a view */
  TVMFFIObjectHandle *tensors; /* packed; NULL: not known */
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
  text_end_whole(o->detail);
}

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

/* A packed copy of what a tensor has now; NULL if it cannot be read. */
static TVMFFIObjectHandle copy_now(const DLTensor *tensor) {
  TVMFFIObjectHandle copy = tensor_copy(tensor);
  if (copy == NULL) TVMFFIErrorSetRaised(NULL);
  return copy;
}

/* ---- Values in a box ----
 * Written one after the other, and read by another process. */

static void box_put(const value_box *b, const void *bytes, size_t size) {
  box_pages *box = b->pages;
  if (box->size > b->room || size > b->room - box->size) {
    box->is_cut = true;
    return;
  }
  if (size > 0) memcpy(box->bytes + box->size, bytes, size);
  box->size += size;
}

static bool box_get(const value_box *b, size_t *pos, void *out, size_t size) {
  const box_pages *box = b->pages;
  const size_t size_now = box->size; /* a crashed child may have overwritten it */
  const size_t end = size_now < b->room ? size_now : b->room;
  if (box->is_cut || *pos > end || size > end - *pos) return false;
  if (size > 0) memcpy(out, box->bytes + *pos, size);
  *pos += size;
  return true;
}

static void box_empty(const value_box *b) {
  b->pages->size = 0;
  b->pages->is_cut = false;
}

static void box_put_bytes(const value_box *b, const char *bytes, size_t size) {
  box_put(b, &size, sizeof size);
  box_put(b, bytes, size);
}

static void box_put_text(const value_box *b, const char *text) {
  box_put_bytes(b, text, strlen(text));
}

/* Reads bytes, with a NUL behind them; NULL if they are not whole. */
static char *box_get_bytes(const value_box *b, size_t *pos, size_t *out_size) {
  char *bytes;
  if (!box_get(b, pos, out_size, sizeof *out_size) || *out_size > b->room) return NULL;
  bytes = tool_alloc(*out_size + 1);
  bytes[*out_size] = '\0';
  if (box_get(b, pos, bytes, *out_size)) return bytes;
  free(bytes);
  return NULL;
}

static char *box_get_text(const value_box *b, size_t *pos) {
  size_t size;
  char *text = box_get_bytes(b, pos, &size);
  return text != NULL ? text : tool_copy("", 0);
}

/* Types of values in the box. */
enum { kBoxPlain, kBoxText, kBoxBytes, kBoxTensor, kBoxArray, kBoxShown };

/* Writes a tensor that is packed. */
static void box_put_packed(const value_box *b, const DLTensor *tensor) {
  size_t size = 0;
  if (tvm_ffi_tensor_compute_size(tensor, &size) != 0) TVMFFIErrorSetRaised(NULL);
  box_put(b, &tensor->dtype, sizeof tensor->dtype);
  box_put(b, &tensor->ndim, sizeof tensor->ndim);
  box_put(b, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
  box_put(b, tensor->data, size);
}

/* [own] A tensor of the box; NULL if it is not whole. */
static TVMFFIObjectHandle box_get_packed(const value_box *b, size_t *pos) {
  int64_t shape[kLayoutMaxDims];
  TVMFFIObjectHandle made;
  DLDataType dtype;
  int32_t ndim;
  size_t size = 0;
  if (!box_get(b, pos, &dtype, sizeof dtype) || !box_get(b, pos, &ndim, sizeof ndim) || ndim < 0 ||
      ndim > kLayoutMaxDims || !box_get(b, pos, shape, (size_t)ndim * sizeof *shape)) {
    return NULL;
  }
  made = tensor_new(dtype, shape, ndim);
  if (made != NULL && tvm_ffi_tensor_compute_size(TVMFFITensorGetDLTensorPtr(made), &size) == 0 &&
      box_get(b, pos, TVMFFITensorGetDLTensorPtr(made)->data, size)) {
    return made;
  }
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(made);
  return NULL;
}

/* Writes a packed copy of the tensor, or that there is none. */
static void box_put_optional(const value_box *b, const DLTensor *tensor) {
  TVMFFIObjectHandle copy = tensor != NULL ? copy_now(tensor) : NULL;
  const unsigned char is_there = copy != NULL;
  box_put(b, &is_there, 1);
  if (copy != NULL) box_put_packed(b, TVMFFITensorGetDLTensorPtr(copy));
  tvm_ffi_object_release(copy);
}

/* Reads it [own]; NULL: there is none. False if it is not whole. */
static bool box_get_optional(const value_box *b, size_t *pos, TVMFFIObjectHandle *out) {
  unsigned char is_there = 0;
  *out = NULL;
  if (!box_get(b, pos, &is_there, 1)) return false;
  if (is_there != 0) *out = box_get_packed(b, pos);
  return is_there == 0 || *out != NULL;
}

static void box_put_value(const value_box *b, const TVMFFIAny *value, int depth) {
  enum { kMaxDepth = 64 };
  TVMFFIByteArray text;
  TVMFFIObjectHandle copy = NULL;
  DLTensor *tensor;
  unsigned char kind = kBoxPlain;
  int64_t i, count;
  if (tvm_ffi_any_try_tensor(value, &tensor) && (copy = copy_now(tensor)) != NULL) {
    kind = kBoxTensor;
    box_put(b, &kind, 1);
    box_put_packed(b, TVMFFITensorGetDLTensorPtr(copy));
    TVMFFIObjectDecRef(copy);
  } else if (tvm_ffi_any_try_string(value, &text) || tvm_ffi_any_try_bytes(value, &text)) {
    kind = tvm_ffi_any_try_string(value, &text) ? kBoxText : kBoxBytes;
    box_put(b, &kind, 1);
    box_put_bytes(b, text.data, text.size);
  } else if ((value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList) &&
             depth < kMaxDepth) {
    kind = kBoxArray;
    count = tvm_ffi_array_get_size(value->v_obj);
    box_put(b, &kind, 1);
    box_put(b, &count, sizeof count);
    for (i = 0; i < count; ++i) {
      box_put_value(b, tvm_ffi_array_get_data(value->v_obj) + i, depth + 1);
    }
  } else if (value->type_index < kTVMFFIStaticObjectBegin) {
    box_put(b, &kind, 1);
    box_put(b, value, sizeof *value);
  } else {
    text_buf shown = {NULL, 0, 0};
    value_write(&shown, value, &kTensorWhole);
    kind = kBoxShown;
    box_put(b, &kind, 1);
    box_put_text(b, shown.data != NULL ? shown.data : "");
    text_free(&shown);
  }
}

/* Reads a value [own]; one that was shown as text becomes a text, and *shown is set. False if it is
 * not whole. */
static bool box_get_value(const value_box *b, size_t *pos, TVMFFIAny *out, bool *shown) {
  TVMFFIObjectHandle object = NULL;
  TVMFFIByteArray bytes;
  unsigned char kind;
  char *text;
  int64_t i, count;
  int code;
  *out = tvm_ffi_any_none();
  if (!box_get(b, pos, &kind, 1)) return false;
  switch (kind) {
    case kBoxPlain:
      return box_get(b, pos, out, sizeof *out);
    case kBoxTensor:
      object = box_get_packed(b, pos);
      if (object != NULL) *out = tvm_ffi_any_take_object(object);
      return object != NULL;
    case kBoxArray:
      if (!box_get(b, pos, &count, sizeof count) || count < 0) return false;
      if (tvm_ffi_list_create(NULL, 0, &object) != 0) return false;
      *out = tvm_ffi_any_take_object(object);
      for (i = 0; i < count; ++i) {
        TVMFFIAny item;
        if (!box_get_value(b, pos, &item, shown)) return false;
        code = tvm_ffi_list_append(object, item);
        tvm_ffi_any_clear(&item);
        if (code != 0) return false;
      }
      return true;
    default:
      *shown = *shown || kind == kBoxShown;
      text = box_get_bytes(b, pos, &bytes.size);
      if (text == NULL) return false;
      bytes.data = text;
      code =
          (kind == kBoxBytes ? TVMFFIBytesFromByteArray : TVMFFIStringFromByteArray)(&bytes, out);
      free(text);
      return code == 0;
  }
}

/* "recorded" or "libold.so" */
static const char *name_expected(const replay *p) {
  return p->against != NULL ? p->against : "recorded";
}

/* ---- What a page shows of a call ---- */

enum { kMaxShown = 8 };

static bool is_list(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIArray || value->type_index == kTVMFFIList;
}

/* Puts an output that differs: its name, the difference, and a tensor of each side; NULL: that is
 * no tensor. */
static void put_difference(const replay *p, const char *name, const char *difference,
                           const DLTensor *expected, const DLTensor *now) {
  const value_box *b = &p->differences;
  const size_t begin = b->pages->size;
  const DLTensor *sides[2];
  int i, pass;
  if (p->outcome->num_differing++ >= kMaxShown) return;
  sides[0] = expected;
  sides[1] = now;
  for (pass = 0; pass < 2; ++pass) { /* if there is no room, without the elements */
    box_put_text(b, name);
    box_put_text(b, difference);
    for (i = 0; i < 2; ++i) box_put_optional(b, pass == 0 ? sides[i] : NULL);
    if (!b->pages->is_cut) return;
    b->pages->is_cut = false;
    b->pages->size = begin;
  }
}

static void add_difference(text_buf *out, const TVMFFIAny *value, const comparison *result) {
  DLTensor *tensor;
  if (result->largest.size > 0 && tvm_ffi_any_try_tensor(value, &tensor)) {
    tensor_type_write(out, tensor->dtype, tensor->shape, tensor->ndim);
    text_add(out, " ");
  }
  text_add(out, "%s", result->difference.data);
  if (result->largest.size > 0) {
    text_add(out, "; the largest difference is %s at %s", REAL_G(6, result->max_error),
             result->largest.data);
  }
}

/* Puts the tensors that differ: the values, or what is in them if they are lists. */
static void put_differences(const replay *p, const char *name, const TVMFFIAny *value,
                            const TVMFFIAny *expected, int depth) {
  enum { kMaxDepth = 4 };
  DLTensor *now = NULL, *wanted = NULL;
  comparison result;
  compare_values(value, expected, &p->allowed, &result);
  if (!tvm_ffi_any_try_tensor(value, &now)) now = NULL;
  if (!tvm_ffi_any_try_tensor(expected, &wanted)) wanted = NULL;
  if (result.is_same) {
    /* there is nothing to show */
  } else if (now != NULL || wanted != NULL) {
    text_buf text = {NULL, 0, 0};
    add_difference(&text, value, &result);
    put_difference(p, name, text.data, wanted, now);
    text_free(&text);
  } else if (is_list(value) && is_list(expected) && depth < kMaxDepth) {
    const int64_t size = tvm_ffi_array_get_size(value->v_obj);
    const int64_t other = tvm_ffi_array_get_size(expected->v_obj);
    int64_t i;
    for (i = 0; i < size && i < other; ++i) {
      char *inner = tool_format("%s[%" PRId64 "]", name, i);
      put_differences(p, inner, tvm_ffi_array_get_data(value->v_obj) + i,
                      tvm_ffi_array_get_data(expected->v_obj) + i, depth + 1);
      free(inner);
    }
  }
  comparison_free(&result);
}

/* Draws what the child has put. */
static void draw_differences(replay *p, text_buf *out) {
  const value_box *b = &p->differences;
  const int count = p->outcome->num_differing;
  bool good = true;
  size_t pos = 0;
  int i, k;
  for (i = 0; i < count && i < kMaxShown && good; ++i) {
    TVMFFIObjectHandle sides[2] = {NULL, NULL};
    drawn_difference drawn;
    char *name = box_get_text(b, &pos), *difference = box_get_text(b, &pos);
    for (k = 0; k < 2 && good; ++k) good = box_get_optional(b, &pos, &sides[k]);
    drawn.name = name;
    drawn.difference = difference;
    drawn.expected_title = name_expected(p);
    drawn.title = p->against != NULL && p->lib != NULL ? p->lib : "replayed";
    drawn.expected = sides[0] != NULL ? TVMFFITensorGetDLTensorPtr(sides[0]) : NULL;
    drawn.now = sides[1] != NULL ? TVMFFITensorGetDLTensorPtr(sides[1]) : NULL;
    if (good) html_draw_difference(&p->budget, &drawn, out);
    for (k = 0; k < 2; ++k) tvm_ffi_object_release(sides[k]);
    free(name);
    free(difference);
  }
}

/* ---- Comparing ---- */

/* The line of a call: what was compared, and how far it was apart. */
typedef struct {
  text_buf text;
  bool differs, has_numbers;
  double max_error;
  size_t num_unread; /* tensors that cannot be compared */
} finding;

static void add_comparison(const replay *p, finding *f, const char *name, const TVMFFIAny *value,
                           const TVMFFIAny *expected) {
  comparison result;
  compare_values(value, expected, &p->allowed, &result);
  if (result.has_numbers) f->has_numbers = true;
  if (result.max_error > f->max_error) f->max_error = result.max_error;
  if (!result.is_same && p->differences.pages != NULL) {
    put_differences(p, name, value, expected, 0);
  }
  if (!result.is_same && !f->differs) {
    f->differs = true;
    text_free(&f->text);
    text_add(&f->text, "%s ", name);
    add_difference(&f->text, value, &result);
  } else if (!f->differs) {
    text_add(&f->text, "%s%s", f->text.size > 0 ? ", " : "", name);
    if (result.has_numbers) text_add(&f->text, " max|err|=%s", REAL_G(6, result.max_error));
  }
  comparison_free(&result);
}

/* Whether both have the same bytes. */
static bool has_same_bytes(TVMFFIObjectHandle a, TVMFFIObjectHandle b) {
  const DLTensor *x = TVMFFITensorGetDLTensorPtr(a), *y = TVMFFITensorGetDLTensorPtr(b);
  size_t size = 0;
  return tvm_ffi_tensor_compute_size(x, &size) == 0 &&
         (size == 0 || memcmp(x->data, y->data, size) == 0);
}

/* Compares the tensors that are arguments. Those are shown that the call changed, in either. */
static void compare_tensors(const replayed_call *replayed, const call_values *before,
                            const expected_effects *wanted, finding *f) {
  size_t i;
  for (i = 0; i < wanted->num_tensors && i < replayed->values.num_arg_tensors; ++i) {
    const recorded_tensor *t = &replayed->values.tensors[i];
    TVMFFIObjectHandle now = wanted->tensors[i] != NULL ? copy_now(t->tensor) : NULL;
    if (now == NULL) {
      ++f->num_unread;
      continue;
    }
    if (!has_same_bytes(now, wanted->tensors[i])) {
      const TVMFFIAny value = tvm_ffi_any_view_object(now),
                      expected = tvm_ffi_any_view_object(wanted->tensors[i]);
      add_comparison(replayed->p, f, t->name, &value, &expected);
    } else if (before->tensors[i].tensor != NULL) {
      TVMFFIObjectHandle old = copy_now(before->tensors[i].tensor);
      if (old != NULL && !has_same_bytes(old, wanted->tensors[i]) && !f->differs) {
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
    add_comparison(replayed->p, f, "result", &replayed->result, &wanted->result);
  }
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
  if (wanted.has_raised) wanted.error = tool_copy(p->c->error, strlen(p->c->error));
  for (i = 0; i < after.num_arg_tensors; ++i) {
    if (after.tensors[i].has_data) wanted.tensors[i] = copy_now(after.tensors[i].tensor);
  }
  wanted.has_result = after.has_result;
  for (i = after.num_arg_tensors; i < after.num_tensors; ++i) {
    if (!after.tensors[i].has_data) wanted.has_result = false;
  }
  wanted.result = after.result;
  judge(replayed, before, &wanted);
  free_expected(&wanted);
  call_values_free(&after);
  return kExitOk;
}

/* ---- Expected: what another library does ----
 * Its child writes that to a box, and the next child reads it. */

enum { kBoxRaised = 1, kBoxReturned, kBoxCrashed };

/* Tells what the call of the other library did. */
static void put_effects(const replayed_call *replayed) {
  const replay *p = replayed->p;
  unsigned char state = replayed->code != 0 ? kBoxRaised : kBoxReturned;
  size_t i;
  box_empty(&p->effects);
  box_put(&p->effects, &state, 1);
  if (replayed->code != 0) {
    box_put_text(&p->effects, replayed->error);
    return;
  }
  for (i = 0; i < replayed->values.num_arg_tensors; ++i) {
    box_put_optional(&p->effects, replayed->values.tensors[i].tensor);
  }
  box_put_value(&p->effects, &replayed->result, 0);
}

static void put_crash(const replay *p, const char *how) {
  const unsigned char state = kBoxCrashed;
  box_empty(&p->effects);
  box_put(&p->effects, &state, 1);
  box_put_text(&p->effects, how);
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
  TVMFFIAny result = tvm_ffi_any_none();
  expected_effects wanted;
  unsigned char state = 0;
  size_t pos = 0, i;
  bool good = box_get(&p->effects, &pos, &state, 1), shown = false;
  init_expected(&wanted, count);
  wanted.has_ended = state != kBoxCrashed;
  wanted.has_raised = state == kBoxRaised;
  if (state != kBoxReturned) wanted.error = box_get_text(&p->effects, &pos);
  for (i = 0; i < count && good && state == kBoxReturned; ++i) {
    good = box_get_optional(&p->effects, &pos, &wanted.tensors[i]);
  }
  if (good && state == kBoxReturned) good = box_get_value(&p->effects, &pos, &result, &shown);
  wanted.has_result = good;
  wanted.result = result;
  if (good && shown && replayed->code == 0) show_result(&replayed->result);
  if (good) {
    judge(replayed, before, &wanted);
  } else {
    tell(p, kReplayLeftOut, "what the other library did is too large to be compared");
  }
  tvm_ffi_any_clear(&result);
  free_expected(&wanted);
}

/* ---- A call, in a child ---- */

/*
 * replay_all -> replay_one -> run_in_child, in the child -> run_call -> make_and_call ->
 * call_function.
 */

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
  loaded_library lib;
  int code;
  memset(&replayed, 0, sizeof replayed);
  replayed.p = p;
  supervise_name(choose_library(p));
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
  *out_code = supervise_run(run_call, p, &p->settings);
  return ending->size > 0 || *out_code == kExitOk;
}

static void clear_outcome(replay *p) {
  p->outcome->verdict = kReplayNone;
  p->outcome->has_error = false;
  p->outcome->max_error = 0;
  p->outcome->num_differing = 0;
  p->outcome->detail[0] = '\0';
  if (p->differences.pages != NULL) box_empty(&p->differences);
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
  } else if (box_get(&p->effects, &pos, &state, 1)) {
    char *other =
        state == kBoxCrashed ? box_get_text(&p->effects, &pos) : tool_copy("it came back", 12);
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
    p->effects.pages->size = 0;
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

/* Keeps what the page shows of a call. */
static void keep_outcome(replay *p) {
  const replay_verdict verdict = get_verdict(p);
  call_outcome *kept = &p->outcomes[p->num_outcomes++];
  memset(kept, 0, sizeof *kept);
  kept->verdict = kVerdicts[verdict].name;
  kept->is_bad = kVerdicts[verdict].is_bad;
  kept->is_same = verdict == kReplaySame;
  kept->detail = tool_copy(p->outcome->detail, strlen(p->outcome->detail));
  if (verdict != kReplayDiffers) return;          /* else nothing was put, or not all of it */
  if (p->counts[verdict] > kMaxPageCalls) return; /* the page does not have it in full */
  draw_differences(p, &kept->pictures);
  if (p->outcome->num_differing > kMaxShown) {
    kept->num_more = (size_t)p->outcome->num_differing - kMaxShown;
  }
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
    json_text("function", p->c->function);
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

static bool open_box(value_box *b, size_t room) {
  b->room = room;
  b->pages = pages_share(sizeof *b->pages + room);
  return b->pages != NULL;
}

static void close_box(value_box *b) {
  if (b->pages != NULL) pages_release(b->pages, sizeof *b->pages + b->room);
}

/* Shared memory for what children tell; false after a report. */
static bool make_boxes(replay *p) {
  enum { kRoom = 64 << 20, kMostShown = 1 << 30 };
  uint64_t most = 0, shown;
  size_t i;
  for (i = 0; i < p->num_calls; ++i) {
    if (p->calls[i]->bytes > most) most = p->calls[i]->bytes;
  }
  shown = most < kMostShown / 4 ? most * 4 + kRoom : kMostShown;
  if (shown > kMostShown) shown = kMostShown;
  p->outcome = pages_share(sizeof *p->outcome);
  if (p->outcome != NULL &&
      (p->against == NULL || open_box(&p->effects, (size_t)most * 2 + kRoom)) &&
      (p->page_path == NULL || open_box(&p->differences, (size_t)shown))) {
    return true;
  }
  return report_error("no memory for the outputs: %s", strerror(errno));
}

static int write_page(const replay *p) {
  shown_page request;
  memset(&request, 0, sizeof request);
  request.recording = p->r;
  request.folder = arguments_operand(p->args, 0);
  request.calls = p->calls;
  request.num_calls = p->num_calls;
  request.budget = p->budget;
  request.outcomes = p->outcomes;
  request.library = p->lib;
  request.against = p->against;
  return recording_write_page(&request, p->page_path) ? kExitOk : kExitUsage;
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
    if (p->page_path != NULL) keep_outcome(p);
  }
  show_sum(p);
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
    code = supervise_run(measure_call, p, &p->settings);
  }
  return code;
}

static bool can_write_page(const arguments *args, const char *path) {
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

static bool read_options(const arguments *args, replay *out) {
  out->args = args;
  out->lib = arguments_text(args, kOptionLib, NULL);
  out->against = arguments_text(args, kOptionAgainst, NULL);
  out->device_name = arguments_text(args, kOptionDevice, "cpu");
  out->json = arguments_has(args, kOptionJson);
  out->page_path = arguments_text(args, kOptionHtml, NULL);
  out->budget = drawing_budget_full();
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
  return can_write_page(args, out->page_path) && read_timeout(args, &out->settings.timeout) &&
         arguments_real(args, kOptionRtol, -1, 0, 1e300, &out->allowed.relative) &&
         arguments_real(args, kOptionAtol, -1, 0, 1e300, &out->allowed.absolute);
}

static int write_program(const replay *p) {
  repeated_call request;
  request.recording = p->r;
  request.call = p->c;
  request.library = choose_library(p);
  request.folder = arguments_operand(p->args, 0);
  request.is_python = arguments_word(p->args, kOptionEmit, 0) == 1;
  request.redacted = arguments_has(p->args, kOptionRedact);
  return recording_write_program(&request, arguments_text(p->args, kOptionOutput, "-"))
             ? kExitOk
             : kExitUsage;
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
    if (p->num_calls == 1) return write_program(p);
    return report_fail(kExitUsage,
                       "--emit writes one call, and %zu were chosen; show --calls "
                       "lists them",
                       p->num_calls);
  }
  if (arguments_has(p->args, kOptionBench)) return measure_all(p);
  if (p->page_path != NULL) {
    if (recording_has_file(p->r, arguments_operand(p->args, 0), p->page_path)) return kExitUsage;
    p->outcomes = tool_alloc((p->num_calls + 1) * sizeof *p->outcomes);
  }
  return make_boxes(p) ? replay_all(p) : kExitRaised;
}

int command_replay(const arguments *args) {
  replay p;
  int code = kExitUsage;
  memset(&p, 0, sizeof p);
  if (!read_options(args, &p) || supervise_command(&p.settings, &code)) return code;
  code = open_and_replay(&p);
  if (p.outcome != NULL) pages_release(p.outcome, sizeof *p.outcome);
  close_box(&p.effects);
  close_box(&p.differences);
  while (p.num_outcomes > 0) {
    call_outcome *last = &p.outcomes[--p.num_outcomes];
    free(last->detail);
    text_free(&last->pictures);
  }
  free(p.outcomes);
  free(p.calls);
  recording_free(p.r);
  return code;
}
