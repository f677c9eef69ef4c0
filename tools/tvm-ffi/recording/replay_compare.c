/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what a call did with what is expected, in the child that made it; the tensors that
 * differ go into a box, for the page. */
#include "recording/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "value/boxed_value.h"
#include "value/tensor.h"

void replay_tell(const replay *p, replay_verdict verdict, const char *text) {
  replay_outcome *o = p->outcome;
  o->verdict = (int)verdict;
  snprintf(o->detail, sizeof o->detail - 1, "%s", text);
  text_end_whole(o->detail);
}

const char *replay_name_expected(const replay *p) {
  return p->against != NULL ? p->against : "recorded";
}

/* ---- What a page shows of a call ---- */

enum { kMaxShown = 8 };

/* Puts an output that differs: its name, the difference, and a tensor of each side; NULL: that is
 * no tensor. */
static void put_difference(const replay *p, const char *name, const char *difference,
                           const DLTensor *expected, const DLTensor *now) {
  const size_t begin = box_size(p->told);
  if (p->outcome->num_differing++ >= kMaxShown) return;
  if (box_put_text(p->told, name) && box_put_text(p->told, difference) &&
      box_put_tensor(p->told, expected) && box_put_tensor(p->told, now)) {
    return;
  }
  box_cut(p->told, begin); /* without the elements there may be room */
  if (!box_put_text(p->told, name) || !box_put_text(p->told, difference) ||
      !box_put_tensor(p->told, NULL) || !box_put_tensor(p->told, NULL)) {
    box_cut(p->told, begin);
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
  } else if (value_is_list(value) && value_is_list(expected) && depth < kMaxDepth) {
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

size_t replay_draw_differences(replay *p, text_buf *out) {
  const int count = p->seen.num_differing;
  bool good = true;
  int i, k;
  box_begin(p->told);
  for (i = 0; i < count && i < kMaxShown && good; ++i) {
    TVMFFIObjectHandle sides[2] = {NULL, NULL};
    drawn_difference drawn;
    char *name = box_get_text(p->told), *difference = box_get_text(p->told);
    for (k = 0; k < 2 && good; ++k) good = box_get_tensor(p->told, &sides[k]);
    drawn.name = name;
    drawn.difference = difference;
    drawn.expected_title = replay_name_expected(p);
    drawn.title = p->against != NULL && p->lib != NULL ? p->lib : "replayed";
    drawn.expected = sides[0] != NULL ? TVMFFITensorGetDLTensorPtr(sides[0]) : NULL;
    drawn.now = sides[1] != NULL ? TVMFFITensorGetDLTensorPtr(sides[1]) : NULL;
    if (good) html_draw_difference(&p->budget, &drawn, out);
    for (k = 0; k < 2; ++k) tvm_ffi_object_release(sides[k]);
    free(name);
    free(difference);
  }
  return count > kMaxShown ? (size_t)count - kMaxShown : 0;
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
  if (!result.is_same && p->page_path != NULL && !p->in_order) {
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

static bool has_same_bytes(TVMFFIObjectHandle a, TVMFFIObjectHandle b) {
  return tensors_have_same_bytes(TVMFFITensorGetDLTensorPtr(a), TVMFFITensorGetDLTensorPtr(b));
}

/* Compares the tensors that are arguments. Those are shown that the call changed, in either. */
static void compare_tensors(const replayed_call *replayed, const call_values *before,
                            const expected_effects *wanted, finding *f) {
  size_t i;
  for (i = 0; i < wanted->num_tensors && i < replayed->values.num_arg_tensors; ++i) {
    const recorded_tensor *t = &replayed->values.tensors[i];
    TVMFFIObjectHandle now = wanted->tensors[i] != NULL ? tensor_try_copy(t->tensor) : NULL;
    if (now == NULL) {
      ++f->num_unread;
      continue;
    }
    if (!has_same_bytes(now, wanted->tensors[i])) {
      const TVMFFIAny value = tvm_ffi_any_view_object(now),
                      expected = tvm_ffi_any_view_object(wanted->tensors[i]);
      add_comparison(replayed->p, f, t->name, &value, &expected);
    } else if (before->tensors[i].tensor != NULL) {
      TVMFFIObjectHandle old = tensor_try_copy(before->tensors[i].tensor);
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

void replay_judge(const replayed_call *replayed, const call_values *before,
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
      text_add(&text, "; %s: %s", replay_name_expected(p), wanted->error);
    } else if (!same) {
      text_add(&text, "; %s: it %s", replay_name_expected(p),
               wanted->is_unknown  ? "went on when recording ended"
               : wanted->has_ended ? "returned"
                                   : "did not return");
    }
    replay_tell(p,
                wanted->is_unknown   ? kReplayNothing
                : same               ? kReplaySame
                : wanted->has_raised ? kReplayDiffers
                                     : kReplayRaised,
                text.data);
    text_free(&text);
    return;
  }
  if (!wanted->has_ended || wanted->has_raised) {
    text_add(&text, "returned; %s: ", replay_name_expected(p));
    if (wanted->has_raised) {
      text_add(&text, "it raised %s", wanted->error[0] != '\0' ? wanted->error : "an error");
    } else {
      text_add(&text, "%s",
               wanted->error != NULL ? wanted->error
               : wanted->is_unknown  ? "it went on when recording ended"
                                     : "it did not return");
    }
    replay_tell(p, wanted->has_ended || p->against != NULL ? kReplayDiffers : kReplayNothing,
                text.data);
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
  replay_tell(p, f.differs ? kReplayDiffers : kReplaySame, f.text.data);
  text_free(&f.text);
}
