/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of other scalars and indices, and of arguments that share memory. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "probe/rows.h"
#include "system/system.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Scalars ---- */

/* The lowest one, times a size, may be 0 again. */
static const struct {
  const char *name;
  int64_t value;
} kInts[] = {{"0", 0},
             {"-1", -1},
             {"lowest", INT64_MIN},
             {"largest", INT64_MAX},
             {"-2^20", -(INT64_C(1) << 20)},
             {"-2^40", -(INT64_C(1) << 40)},
             {"1", 1}};
static const struct {
  const char *name;
  double value;
} kFloats[] = {{"0", 0},          {"-1", -1},           {"nan", NAN},
               {"inf", HUGE_VAL}, {"largest", DBL_MAX}, {"1", 1}};
enum { kNumInts = sizeof kInts / sizeof *kInts, kNumFloats = sizeof kFloats / sizeof *kFloats };
/* Cases behind those values: an int for a float; an int that is the same in its lowest 32 bits. */
enum { kIntForFloat = 100, kBeyond32Bits };

static bool is_narrow(const subject *s, size_t i) {
  return s->inputs->items[i].value.v_int64 >= 0; /* what is negative has all upper bits */
}

static void list_scalars(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->inputs->size; ++i) {
    const TVMFFIAny *value = &s->inputs->items[i].value;
    if (value->type_index == kTVMFFIInt) {
      for (k = 0; k < kNumInts; ++k) {
        add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kInts[k].name);
      }
      if (is_narrow(s, i))
        add_case(out, kind, (int)i, kBeyond32Bits, ":%s:beyond-32-bits", s->places[i].label);
    } else if (value->type_index == kTVMFFIFloat) {
      for (k = 0; k < kNumFloats; ++k) {
        add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kFloats[k].name);
      }
      add_case(out, kind, (int)i, kIntForFloat, ":%s:int", s->places[i].label);
    }
  }
}

/* All tensors end at memory that cannot be accessed. */
static bool begin_guarded(attempt *a, const subject *s, size_t i, TVMFFIAny value) {
  const layout how = guard_end(s);
  return attempt_init(a, s, &how) && attempt_set_value(a, i, value);
}

/* What the call does with a value there; false if it is refused, or cannot be compared. */
static bool find_effects(const subject *s, size_t i, TVMFFIAny value, effects *out) {
  attempt a;
  const bool good = begin_guarded(&a, s, i, value) && attempt_call(&a) && a.returned &&
                    attempt_take_effects(&a, out);
  attempt_free(&a);
  return good;
}

/* Of two values [take]. */
static bool have_same_effects(const subject *s, size_t i, TVMFFIAny x, TVMFFIAny y) {
  text_buf ignored = {NULL, 0, 0};
  effects first, second;
  attempt a;
  bool same;
  memset(&a, 0, sizeof a);
  memset(&first, 0, sizeof first);
  memset(&second, 0, sizeof second);
  same = find_effects(s, i, x, &first);
  same = find_effects(s, i, y, &second) && same && attempt_init(&a, s, NULL) &&
         effects_match(&a, &first, &second, true, &ignored);
  effects_free(&first, s->inputs->size);
  effects_free(&second, s->inputs->size);
  attempt_free(&a);
  text_free(&ignored);
  return same;
}

static bool ints_have_same_effects(const subject *s, size_t i, int64_t x, int64_t y) {
  return have_same_effects(s, i, tvm_ffi_any_from_int64(x), tvm_ffi_any_from_int64(y));
}

/* Whether an int is cut off to 32 bits: 2^32 more make no difference, and 1 more does. Neither does
 * a number that is a multiple of what one may rightly take the remainder of. */
static void judge_width(const subject *s, size_t i, outcome *out) {
  const int64_t value = s->inputs->items[i].value.v_int64;
  const int64_t common = INT64_C(2) * 2 * 2 * 2 * 2 * 2 * 3 * 3 * 5 * 7 * 11 * 13;
  judge(out, kLeftOut, "it crashes, which other rows judge"); /* what holds if it does */
  if (ints_have_same_effects(s, i, value, value + (INT64_C(1) << 32)) &&
      !ints_have_same_effects(s, i, value, value + 1) &&
      !ints_have_same_effects(s, i, value, value + common)) {
    judge(out, kFailed,
          "argument %zu is cut off to 32 bits: %" PRId64 " gives the same as %" PRId64, i,
          value + (INT64_C(1) << 32), value);
  } else {
    judge(out, kPassed, "it did no harm");
  }
}

/* After a call that took a negative number: all tensors begin at memory that cannot be accessed. */
static void pass_below(attempt *a, const probe_case *which, TVMFFIAny value, outcome *out) {
  const subject *s = a->s;
  layout how = guard_end(s);
  if (how.guard != kGuardEnd) return;
  how.guard = kGuardStart;
  attempt_free(a);
  out->verdict = kVerdictNone;
  if (attempt_init(a, s, &how) && attempt_set_value(a, (size_t)which->arg, value)) {
    expect_clean(a, which, out);
  } else {
    leave_out(out);
  }
}

/* A large number may well mean a long loop, or more memory than there is. */
static void judge_scalar(attempt *a, const probe_case *which, outcome *out) {
  enum { kMoreMemory = 1 << 30 };
  const size_t i = (size_t)which->arg;
  const subject *s = a->s;
  const bool is_int = s->inputs->items[i].value.type_index == kTVMFFIInt;
  const int64_t k = which->number;
  attempt_free(a);
  if (k == kBeyond32Bits) {
    judge_width(s, i, out);
  } else if (k == kIntForFloat) {
    attempt other;
    const bool good = begin_guarded(a, s, i, tvm_ffi_any_from_double(3)) &&
                      begin_guarded(&other, s, i, tvm_ffi_any_from_int64(3));
    if (good) {
      compare_calls(a, &other, out);
    } else {
      leave_out(out);
    }
    attempt_free(&other);
  } else {
    const TVMFFIAny value =
        is_int ? tvm_ffi_any_from_int64(kInts[k].value) : tvm_ffi_any_from_double(kFloats[k].value);
    process_limit_memory(kMoreMemory);
    if (begin_guarded(a, s, i, value)) {
      expect_clean(a, which, out);
    } else {
      leave_out(out);
    }
    if (out->verdict == kPassed && is_int && kInts[k].value < 0) {
      pass_below(a, which, value, out);
    }
  }
}

/* ---- Texts ---- */

static const char *const kTexts[] = {"empty", "nul", "long", "format", "unknown"};
enum { kNumTexts = sizeof kTexts / sizeof *kTexts, kWithNul = 1, kLongText, kFormat, kUnknown };

static void list_texts(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->num_passed; ++i) {
    TVMFFIByteArray text;
    if (!tvm_ffi_any_try_string(&s->inputs->items[i].value, &text)) continue;
    for (k = 0; k < kNumTexts; ++k) {
      if ((k == kWithNul || k == kUnknown) && text.size == 0) continue;
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kTexts[k]);
    }
  }
}

/* An argument's text, what is between, and the text again; none with an error raised. */
static TVMFFIAny repeat_text(const subject *s, size_t i, const char *between, size_t size) {
  TVMFFIAny out = tvm_ffi_any_none();
  TVMFFIByteArray text = {"", 0}, whole;
  char *bytes;
  (void)tvm_ffi_any_try_string(&s->inputs->items[i].value, &text);
  whole.size = 2 * text.size + size;
  bytes = tool_alloc(whole.size + 1);
  memcpy(bytes, text.data, text.size);
  memcpy(bytes + text.size, between, size);
  memcpy(bytes + text.size + size, text.data, text.size);
  whole.data = bytes;
  if (TVMFFIStringFromByteArray(&whole, &out) != 0) TVMFFIErrorSetRaised(NULL);
  free(bytes);
  return out;
}

/* Whether what follows a NUL makes no difference, and other text does. */
static void judge_nul(const subject *s, size_t i, outcome *out) {
  TVMFFIAny given;
  judge(out, kLeftOut, "it crashes, which other rows judge"); /* what holds if it does */
  if (tvm_ffi_any_copy(&s->inputs->items[i].value, &given) != 0) {
    leave_out(out);
    return;
  }
  if (have_same_effects(s, i, given, repeat_text(s, i, "\0", 1)) &&
      !have_same_effects(s, i, repeat_text(s, i, "\0", 1), repeat_text(s, i, "", 0))) {
    judge(out, kFailed, "argument %s is cut off at a NUL: what follows makes no difference",
          s->places[i].label);
  } else {
    judge(out, kPassed, "it did no harm");
  }
}

/* As many letters as the argument's text has; none with an error raised. */
static TVMFFIAny repeat_letter(const subject *s, size_t i, char letter) {
  TVMFFIAny out = tvm_ffi_any_none();
  TVMFFIByteArray text = {"", 0};
  char *bytes;
  (void)tvm_ffi_any_try_string(&s->inputs->items[i].value, &text);
  bytes = tool_alloc(text.size + 1);
  memset(bytes, letter, text.size);
  text.data = bytes;
  if (TVMFFIStringFromByteArray(&text, &out) != 0) TVMFFIErrorSetRaised(NULL);
  free(bytes);
  return out;
}

/* Tells if two texts that nobody would choose give the same, and the one that was given does not:
 * whoever misspells a mode gets another one. */
static void judge_unknown(const subject *s, size_t i, outcome *out) {
  TVMFFIAny given;
  judge(out, kLeftOut, "it crashes, which other rows judge"); /* what holds if it does */
  if (tvm_ffi_any_copy(&s->inputs->items[i].value, &given) != 0) {
    leave_out(out);
    return;
  }
  out->is_note = have_same_effects(s, i, repeat_letter(s, i, 'q'), repeat_letter(s, i, 'z')) &&
                 !have_same_effects(s, i, given, repeat_letter(s, i, 'q'));
  if (out->is_note) {
    judge(out, kPassed,
          "argument %s may be any text: \"qqq\" and \"zzz\" give the same, other than the one that "
          "was given; refuse what is misspelt",
          s->places[i].label);
  } else {
    judge(out, kPassed, "it did no harm");
  }
}

static void judge_text(attempt *a, const probe_case *which, outcome *out) {
  enum { kLong = 1 << 18 };
  static char spaces[kLong];
  const size_t i = (size_t)which->arg;
  static const char kSpecial[] = "%s%n%s%n%s%n%s%n%s%n%s%n"; /* a crash, if printf gets it */
  const TVMFFIByteArray empty = {"", 0}, format = {kSpecial, sizeof kSpecial - 1};
  TVMFFIAny value = tvm_ffi_any_none();
  if (which->number == kWithNul || which->number == kUnknown) {
    (which->number == kWithNul ? judge_nul : judge_unknown)(a->s, i, out);
    return;
  }
  memset(spaces, 'x', sizeof spaces);
  if (which->number == kLongText) {
    value = repeat_text(a->s, i, spaces, sizeof spaces);
  } else if (TVMFFIStringFromByteArray(which->number == kFormat ? &format : &empty, &value) != 0) {
    leave_out(out);
    return;
  }
  if (!attempt_set_value(a, i, value)) {
    leave_out(out);
  } else {
    expect_clean(a, which, out);
  }
}

/* ---- Shapes, arrays and maps ---- */

static const char *const kLists[] = {"empty", "shorter", "zeros", "negative", "longer",
                                     "int",   "none",    "str",   "array"};
enum {
  kNumLists = sizeof kLists / sizeof *kLists,
  kShorter = 1,
  kZeros,
  kLonger = 4,
  kLastIsInt, /* the last element of an array is that instead, */
  kLastIsNone,
  kLastIsText,
  kLastIsArray,
  kWithoutKey = 100 /* of a map: the first key is missing, and so on */
};

/* How many elements a list has; negative: it is none. */
static int64_t count_items(const TVMFFIAny *value) {
  if (value_is_list(value)) return tvm_ffi_array_get_size(value->v_obj);
  if (value->type_index != kTVMFFIShape) return -1;
  return (int64_t)TVMFFIShapeGetCellPtr(value->v_obj)->size;
}

static bool count_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  (void)key, (void)value;
  ++*(int64_t *)context;
  return true;
}

/* How many keys a map has; 0: it is none. */
static int64_t count_pairs(const TVMFFIAny *value) {
  int64_t count = 0;
  if (inner_is_map(value)) (void)value_visit_map(value, count_pair, &count);
  return count;
}

/* Whether a list of that size can be changed so. */
static bool changes_list(const TVMFFIAny *value, int64_t size, int64_t how) {
  if (size < (how == kShorter ? 2 : 1)) return false;
  if (how == kZeros || how == kZeros + 1) return !value_is_list(value);
  return how < kLastIsInt || value_is_list(value);
}

static void list_lists(const subject *s, const row *kind, case_list *out) {
  enum { kMostKeys = 4 };
  size_t i;
  int64_t k;
  for (i = 0; i < s->num_passed; ++i) {
    const TVMFFIAny *value = &s->inputs->items[i].value;
    const int64_t keys = count_pairs(value);
    for (k = 0; k < kNumLists; ++k) {
      if (!changes_list(value, count_items(value), k)) continue;
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kLists[k]);
    }
    for (k = 0; k < keys && k < kMostKeys; ++k) {
      add_case(out, kind, (int)i, kWithoutKey + k, ":%s:without:%d", s->places[i].label, (int)k);
    }
  }
}

typedef struct {
  TVMFFIAny *items; /* views */
  size_t size;
  int64_t left_out, seen; /* this pair, of those so far */
} item_list;

static void add_item(item_list *list, TVMFFIAny item) {
  list->items = tool_grow(list->items, list->size, sizeof *list->items);
  list->items[list->size++] = item;
}

static bool add_kept_pair(void *context, const TVMFFIAny *key, const TVMFFIAny *value) {
  item_list *list = context;
  if (list->seen++ == list->left_out) return true;
  add_item(list, *key);
  add_item(list, *value);
  return true;
}

static TVMFFIAny get_item(const TVMFFIAny *given, int64_t d) {
  return value_is_list(given)
             ? tvm_ffi_array_get_data(given->v_obj)[d]
             : tvm_ffi_any_from_int64(TVMFFIShapeGetCellPtr(given->v_obj)->data[d]);
}

/* What is instead of the last element. */
static TVMFFIAny make_last(const TVMFFIAny *given, int64_t how) {
  return how == kLastIsInt    ? tvm_ffi_any_from_int64(3)
         : how == kLastIsText ? tvm_ffi_any_view_string("text")
         : how == kLastIsNone ? tvm_ffi_any_none()
                              : tvm_ffi_any_view_object(given->v_obj); /* the array itself */
}

static bool is_number(TVMFFIAny value) {
  return value.type_index == kTVMFFIInt || value.type_index == kTVMFFIFloat;
}

/* An element behind the last: no sum, product, least or largest of numbers stays as it is. */
static TVMFFIAny make_behind(const TVMFFIAny *given, int64_t d) {
  const int64_t large = d % 2 == 0 ? 10000 + 100 * d : -10000 - 100 * d; /* they do not add to 0 */
  const TVMFFIAny item = get_item(given, d % count_items(given));
  if (!is_number(item)) return item;
  return item.type_index == kTVMFFIInt ? tvm_ffi_any_from_int64(large)
                                       : tvm_ffi_any_from_double((double)large);
}

/* The list with other contents: of a longer one, extents of 1, other numbers, or the same elements
 * again. */
static void find_items(const TVMFFIAny *given, int64_t how, item_list *out) {
  enum { kLong = 64 };
  const int64_t count = count_items(given);
  const int64_t size = how == kLonger    ? kLong
                       : how == kShorter ? count - 1
                       : how < kShorter  ? 0
                                         : count;
  int64_t d;
  for (d = 0; d < size; ++d) {
    if (how == kZeros || how == kZeros + 1 || (how == kLonger && !value_is_list(given))) {
      add_item(out, tvm_ffi_any_from_int64(how == kLonger ? 1 : how == kZeros ? 0 : -1));
    } else if (how >= kLastIsInt && d == count - 1) {
      add_item(out, make_last(given, how));
    } else {
      add_item(out, d < count ? get_item(given, d) : make_behind(given, d));
    }
  }
}

/* The list with other contents: where it can be done, it ends at memory that cannot be read. */
static bool make_list(attempt *a, const probe_case *which) {
  const size_t i = (size_t)which->arg;
  const TVMFFIAny *given = &a->args[i].value;
  TVMFFIAny made = tvm_ffi_any_none();
  item_list items = {NULL, 0, which->number - kWithoutKey, 0};
  bool good = true;
  if (inner_is_map(given)) {
    good = value_visit_map(given, add_kept_pair, &items);
  } else {
    find_items(given, which->number, &items);
  }
  guard_new_objects(true);
  good = good && tvm_ffi_function_call_global(inner_maker(given), items.items, (int32_t)items.size,
                                              &made) == 0;
  guard_new_objects(false);
  free(items.items);
  return good && attempt_set_value(a, i, made);
}

/* Whether an int as the last element gives other numbers than the same as a float. */
static void compare_last(const attempt *a, const probe_case *which, outcome *out) {
  const double replaced = 3; /* of make_last() */
  const TVMFFIAny *given = &a->s->inputs->items[which->arg].value;
  item_list items = {NULL, 0, 0, 0};
  text_buf wrong = {NULL, 0, 0};
  TVMFFIAny made = tvm_ffi_any_none();
  effects got, expected;
  attempt other;
  memset(&got, 0, sizeof got);
  memset(&expected, 0, sizeof expected);
  find_items(given, kLastIsInt, &items);
  items.items[items.size - 1] = tvm_ffi_any_from_double(replaced);
  if (!attempt_init(&other, a->s, NULL) ||
      tvm_ffi_function_call_global(inner_maker(given), items.items, (int32_t)items.size, &made) !=
          0 ||
      !attempt_set_value(&other, (size_t)which->arg, made) || !attempt_take_effects(a, &got)) {
    leave_out(out);
  } else if (attempt_call(&other) && other.returned && attempt_take_effects(&other, &expected) &&
             !effects_match(&other, &got, &expected, false, &wrong)) {
    judge(out, kFailed, "with 3 in place of 3.0 as the last element of argument %s: %s",
          a->s->places[which->arg].label, wrong.data);
  }
  TVMFFIErrorSetRaised(NULL);
  effects_free(&got, a->s->inputs->size);
  effects_free(&expected, a->s->inputs->size);
  attempt_free(&other);
  free(items.items);
  text_free(&wrong);
}

/* Tells if numbers behind those that the call has make no difference. */
static void look_at_longer(const attempt *a, const probe_case *which, outcome *out) {
  const TVMFFIAny *given = &a->s->inputs->items[which->arg].value;
  text_buf ignored = {NULL, 0, 0};
  effects got;
  if (!value_is_list(given) || !is_number(get_item(given, 0))) return;
  if (!attempt_take_effects(a, &got)) {
    leave_out(out);
  } else if (effects_match(a, &got, &a->s->after, true, &ignored)) {
    judge(out, kPassed,
          "elements of argument %s behind those of the call make no difference: refuse them",
          a->s->places[which->arg].label);
    out->is_note = true;
  }
  effects_free(&got, a->s->inputs->size);
  text_free(&ignored);
}

static void judge_list(attempt *a, const probe_case *which, outcome *out) {
  const TVMFFIAny *given = &a->s->inputs->items[which->arg].value;
  expect_clean(a, which, out);
  if (which->number == kLonger && out->verdict == kPassed && a->returned) {
    look_at_longer(a, which, out);
  }
  if (which->number != kLastIsInt || out->verdict != kPassed || !a->returned) return;
  if (get_item(given, count_items(given) - 1).type_index == kTVMFFIFloat) {
    compare_last(a, which, out);
  }
}

/* ---- What may be None ---- */

/* Each argument that the library describes as optional, where the call has another value. */
static void list_optionals(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->num_passed && s->types != NULL; ++i) {
    const schema_type *type = schema_param(s->types, i);
    if (type == NULL || tvm_ffi_any_is_none(&s->inputs->items[i].value)) continue;
    if (!type->may_be_left_out && type->kind != kSchemaOptional) continue;
    add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
  }
}

static bool make_optional(attempt *a, const probe_case *which) {
  return attempt_set_value(a, (size_t)which->arg, tvm_ffi_any_none());
}

/* ---- Indices ---- */

static bool has_integers(const DLTensor *tensor) {
  return (tensor->dtype.code == kDLInt || tensor->dtype.code == kDLUInt) &&
         tensor->dtype.lanes == 1 && tensor->dtype.bits % 8 == 0;
}

static const char *const kIndices[] = {"-1", "0", "lowest", "largest", "beyond"};
enum {
  kNumIndices = sizeof kIndices / sizeof *kIndices,
  kMinusOne = 0,
  kLowest = 2,
  kLargest,
  kBeyond
};

static void list_indices(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor == NULL || subject_fills(s, i) || !has_integers(tensor)) continue;
    for (k = 0; k < kNumIndices; ++k) {
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kIndices[k]);
    }
    for (k = 0; k < kNumIndices && tvm_ffi_tensor_get_numel(tensor) > 1; ++k) {
      add_case(out, kind, (int)i, k + kNumIndices, ":%s:%s:first", s->places[i].label, kIndices[k]);
    }
  }
}

/* The largest extent of the call, which no index may be; it fits all types that have indices. */
static int64_t find_largest_extent(const subject *s) {
  int64_t largest = 1;
  size_t i;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] > largest) largest = tensor->shape[d];
    }
  }
  return largest;
}

/* Whether the number may be taken for one below 0. */
static bool is_below(int64_t chosen, bool is_signed) {
  return chosen == kMinusOne || chosen == kLowest || (chosen == kLargest && !is_signed);
}

/* The last element, or the first one, becomes that number; below the lowest, other tensors begin at
 * memory that cannot be accessed. */
static bool make_index(attempt *a, const probe_case *which) {
  const int64_t chosen = which->number % kNumIndices;
  const subject *s = a->s;
  const size_t i = (size_t)which->arg;
  const DLTensor *tensor = find_tensor(s, i);
  const size_t size = tensor_size(tensor), item = element_size(tensor->dtype);
  const bool is_signed = tensor->dtype.code == kDLInt;
  layout how = guard_end(s);
  unsigned char *values = tool_alloc(size + 1), *at;
  size_t k;
  bool good;
  at = which->number < kNumIndices ? values + size - item : values;
  if (how.guard == kGuardEnd && is_below(chosen, is_signed)) how.guard = kGuardStart;
  memcpy(values, tensor->data, size);
  memset(at, chosen == kMinusOne || chosen == kLargest ? 0xff : 0, item);
  if (is_signed && chosen == kLargest) at[item - 1] = 0x7f;
  if (is_signed && chosen == kLowest) at[item - 1] = 0x80;
  for (k = 0; chosen == kBeyond && k < item; ++k) {
    at[k] = (unsigned char)(k < sizeof(int64_t) ? find_largest_extent(s) >> 8 * k : 0);
  }
  attempt_free(a);
  good = attempt_init(a, s, &how) &&
         attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &how, values);
  free(values);
  return good;
}

/* ---- Bytes of a bool ---- */

/* Each input of type bool that has a true element. */
static void list_bools(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor == NULL || tensor->dtype.code != kDLBool || element_size(tensor->dtype) != 1 ||
        subject_fills(s, i) || memchr(tensor->data, 1, tensor_size(tensor)) == NULL) {
      continue;
    }
    add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
  }
}

/* Other bytes are true as well, as in views of NumPy. */
static bool make_bools(attempt *a, const probe_case *which) {
  argument *arg = &a->args[which->arg];
  size_t k;
  for (k = 0; k < arg->size; ++k) {
    if (arg->before[k] == 1) arg->before[k] = k % 2 == 0 ? 255 : 2;
  }
  return attempt_reset(a);
}

/* It may rightly rely on 0 and 1, or hand on what it gets: other results are only told. */
static void judge_bools(attempt *a, const probe_case *which, outcome *out) {
  text_buf note = {NULL, 0, 0};
  expect_same(a, which, out);
  if (out->verdict == kFailed && a->returned && attempt_is_clean(a, &note)) {
    text_add(&note, "with bytes 2 and 255 for true: %s", out->detail);
    judge(out, kPassed, "%s", note.data);
    out->is_note = true;
  }
  text_free(&note);
}

/* ---- The same memory for two arguments ---- */

static bool are_alike(const DLTensor *x, const DLTensor *y) {
  return x != NULL && y != NULL && tvm_ffi_dtype_equal(x->dtype, y->dtype) &&
         tvm_ffi_tensor_has_same_shape(x, y);
}

/* Of a long list, tensors that are near each other: a function treats them alike. */
static bool are_near(const subject *s, size_t i, size_t j) {
  enum { kNear = 8 };
  return s->places[i].argument != s->places[j].argument || j <= i + kNear;
}

/* Whether two arguments can be an input and an output in memory that overlaps. */
static bool can_overlap(const subject *s, size_t in, size_t out) {
  return in < s->num_passed && out < s->num_passed && subject_fills(s, out) && !s->is_output[in] &&
         element_size(find_tensor(s, in)->dtype) > 0 &&
         tvm_ffi_tensor_get_numel(find_tensor(s, in)) > 1;
}

/* Where an input is in the memory of an output of another shape. */
enum { kAtBegin = 1, kAtEnd };

/* Whether an input of another shape fits into an output. */
static bool fits_into(const subject *s, size_t in, size_t filled) {
  const DLTensor *x = find_tensor(s, in), *y = find_tensor(s, filled);
  return in < s->num_passed && filled < s->num_passed && x != NULL && y != NULL &&
         !s->is_output[in] && subject_fills(s, filled) && !are_alike(x, y) &&
         tvm_ffi_dtype_equal(x->dtype, y->dtype) && element_size(x->dtype) > 0 &&
         tensor_size(x) <= tensor_size(y);
}

static void list_parts(const subject *s, const row *kind, size_t in, size_t filled,
                       case_list *out) {
  const bool is_smaller = tensor_size(find_tensor(s, in)) < tensor_size(find_tensor(s, filled));
  int where;
  for (where = kAtBegin; where <= (is_smaller ? kAtEnd : kAtBegin); ++where) {
    add_case(out, kind, (int)in, (int64_t)filled, ":%s:%s%s", s->places[in].label,
             s->places[filled].label,
             !is_smaller         ? ""
             : where == kAtBegin ? ":begin"
                                 : ":end");
    out->items[out->size - 1].other = where;
  }
}

/* Not two outputs, of which nobody can say what is right. */
static void list_aliases(const subject *s, const row *kind, case_list *out) {
  size_t i, j;
  for (i = 0; i < s->inputs->size; ++i) {
    for (j = i + 1; j < s->inputs->size; ++j) {
      if (fits_into(s, i, j)) list_parts(s, kind, i, j, out);
      if (fits_into(s, j, i)) list_parts(s, kind, j, i, out);
      if (!are_alike(find_tensor(s, i), find_tensor(s, j)) || !are_near(s, i, j)) continue;
      if (s->is_output[i] && s->is_output[j]) continue;
      add_case(out, kind, (int)i, (int64_t)j, ":%s:%s", s->places[i].label, s->places[j].label);
    }
  }
}

/* A function that refuses the same memory, and takes memory that overlaps by all but one element,
 * only compares addresses: the output is to be right there, too. */
static void judge_overlap(const subject *s, size_t in, size_t other, const effects *expected,
                          outcome *out) {
  const char *refusal = "it refuses the same memory, and what overlaps";
  text_buf wrong = {NULL, 0, 0};
  int order;
  for (order = 0; order < 2 && out->verdict != kFailed; ++order) {
    attempt a;
    effects got;
    memset(&got, 0, sizeof got);
    if (!attempt_init(&a, s, NULL) ||
        !attempt_overlap(&a, order == 0 ? in : other, order == 0 ? other : in)) {
      leave_out(out);
    } else if (call_and_look(&a, out) && attempt_take_effects(&a, &got)) {
      refusal = "it refuses the same memory";
      if (!effects_match(&a, &got, expected, false, &wrong)) {
        judge(out, kFailed,
              "it refuses the same memory for arguments %s and %s, and takes memory "
              "that overlaps: %s",
              s->places[in].label, s->places[other].label, wrong.data);
      }
    }
    effects_free(&got, s->inputs->size);
    attempt_free(&a);
  }
  if (out->verdict != kFailed) judge(out, kRefused, "%s", refusal);
  text_free(&wrong);
}

/* An input is in the memory of an output of another shape: few functions look whether it is, and
 * other numbers are only told. */
static void judge_part(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  const size_t in = (size_t)which->arg, filled = (size_t)which->number;
  const size_t room = a->args[filled].size - a->args[in].size;
  text_buf wrong = {NULL, 0, 0};
  effects got;
  memset(&got, 0, sizeof got);
  if (!attempt_share_part(a, in, filled, which->other == kAtEnd ? room : 0)) {
    leave_out(out);
  } else if (call_and_look(a, out) && attempt_take_effects(a, &got)) {
    tvm_ffi_object_release(got.tensors[in]); /* which may change with the output */
    got.tensors[in] = NULL;
    if (effects_match(a, &got, &s->after, false, &wrong)) {
      judge(out, kPassed, "the same");
    } else {
      judge(out, kPassed, "with argument %s in the memory of argument %s: %s", s->places[in].label,
            s->places[filled].label, wrong.data);
      out->is_note = true;
    }
  }
  effects_free(&got, s->inputs->size);
  text_free(&wrong);
}

/* Makes the call with equal contents in two memories, then in one. */
static void judge_alias(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  const size_t i = (size_t)which->arg, j = (size_t)which->number;
  const size_t in = s->is_output[i] ? j : i, other = in == i ? j : i;
  const DLTensor *tensor = find_tensor(s, in);
  text_buf wrong = {NULL, 0, 0};
  effects expected, got;
  attempt shared;
  if (which->other != 0) {
    judge_part(a, which, out);
    return;
  }
  memset(&expected, 0, sizeof expected);
  memset(&got, 0, sizeof got);
  memset(&shared, 0, sizeof shared);
  if (!attempt_set_tensor(a, other, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked,
                          tensor->data) ||
      !attempt_init(&shared, s, NULL) ||
      !attempt_set_tensor(&shared, other, tensor->dtype, tensor->shape, tensor->ndim,
                          &kLayoutPacked, tensor->data)) {
    leave_out(out);
  } else if (call_and_look(a, out) && attempt_take_effects(a, &expected)) {
    if (!attempt_share(&shared, in, other)) {
      leave_out(out);
    } else if (call_and_look(&shared, out) && attempt_take_effects(&shared, &got)) {
      if (effects_match(&shared, &got, &expected, false, &wrong)) {
        judge(out, kPassed, "the same");
      } else {
        judge(out, kFailed, "with the same memory for arguments %s and %s: %s", s->places[i].label,
              s->places[j].label, wrong.data);
      }
    } else if (out->verdict == kRefused && can_overlap(s, in, other)) {
      judge_overlap(s, in, other, &expected, out);
    }
  } else if (out->verdict == kRefused) {
    judge(out, kLeftOut, "it refuses these values in any memory");
  }
  effects_free(&expected, s->inputs->size);
  effects_free(&got, s->inputs->size);
  attempt_free(&shared);
  text_free(&wrong);
}

/* Inputs of the command line that the call changed, and that are not said to be outputs. */
static void list_mutated(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size && s->marks_outputs; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    if (tensor != NULL && !subject_fills(s, i) && !s->inputs->items[i].is_storage) {
      add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
    }
  }
}

/* Whether the result is a Tensor in the memory of an argument that is no output. */
static bool shares_memory(const attempt *a, size_t i) {
  const argument *arg = &a->args[i];
  DLTensor *result;
  const char *at;
  if (!tvm_ffi_any_try_tensor(&a->result, &result) || arg->store == NULL) return false;
  at = tvm_ffi_tensor_get_data(result);
  return at >= arg->store->block->low && at < arg->store->block->high;
}

static void judge_mutated(attempt *a, const probe_case *which, outcome *out) {
  const size_t i = (size_t)which->arg;
  if (a->s->is_output[i]) {
    judge(out, kFailed, "argument %s is changed%s", a->s->places[i].label, kHintOutput);
    return;
  }
  if (!call_again_and_look(a, out)) return;
  if (shares_memory(a, i)) {
    out->is_note = true;
    judge(out, kPassed, "the result is in the memory of argument %s, an input",
          a->s->places[i].label);
  } else {
    judge(out, kPassed, "it is not changed");
  }
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"scalars", "an int or a float is 0, 1, -1, NaN, or extreme; an int for a float",
      "a crash, or other numbers for the int",
      "a division by zero, a shift, an extent that is computed from it; `int n = value`"},
     list_scalars,
     0,
     NULL,
     judge_scalar,
     NULL,
     kRowMayTakeLong},
    {{"texts", "a text is empty, long, unknown, has a NUL inside, or `%s%n`",
      "a crash, or what follows is ignored. A note: any unknown text is taken for a mode",
      "a buffer of fixed size; `text.data[text.size - 1]`; `strlen` of what a String has; a text "
      "as the format of `printf`"},
     list_texts,
     0,
     NULL,
     judge_text,
     NULL,
     kRowMayTakeLong},
    {{"lists",
      "a shape or an array is empty, shorter, or of 64; a shape has 0 and -1; the last element of "
      "an "
      "array has another type; a map has one key less",
      "a crash, or other numbers for an int in place of a float. A note: more elements are ignored",
      "an element that is read before the number of elements is looked at, or its type; a buffer "
      "of "
      "fixed size"},
     list_lists,
     0,
     make_list,
     judge_list,
     NULL,
     kRowMayTakeLong},
    {{"optional", "None for an argument that is described as optional", "a crash",
      "`if (bias != NULL)` in one place, and not in another"},
     list_optionals,
     0,
     make_optional,
     expect_clean,
     NULL,
     0},
    {{"indices", "the last or first integer is -1, extreme, or as large as an extent", "a crash",
      "an index that is not compared with the extent, a division by zero"},
     list_indices,
     0,
     make_index,
     expect_clean,
     NULL,
     kRowMayTakeLong},
    {{"bools", "true elements are 2 and 255, as in views of other bytes",
      "a crash. A note: other results",
      "the bytes are added, compared with 1, or used as an index"},
     list_bools,
     0,
     make_bools,
     judge_bools,
     NULL,
     0},
    {{"alias", "two arguments share memory, or, if that is refused, all but one element",
      "other numbers. A note: those of an input in the memory of an output of another shape",
      "an output that is written before all of the input is read: refuse it, or copy"},
     list_aliases,
     0,
     NULL,
     judge_alias,
     NULL,
     kRowNeedsHost | kRowSharesMemory},
    {{"mutates", "an input without & that the call changes",
      "it is changed. A note: the result is in its memory",
      "a missing & on the command line, or an input that is used as a buffer"},
     list_mutated,
     0,
     NULL,
     judge_mutated,
     NULL,
     kRowNeedsHost | kRowOfInputs},
};
const row_group kValueRows = {
    "values",
    {"values:", "other scalars and indices, and memory that arguments share", NULL,
     WHY_KERNELS_FAIL},
    "unharmed by other scalars and shared memory",
    "fails with other values or shared memory:",
    kRows,
    sizeof kRows / sizeof *kRows};
