/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of wrong calls, which are to be refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"
#include "probe/rows.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Which calls ---- */

/* The parameter's type; NULL: not known. */
static const schema_type *find_type(const subject *s, size_t i) {
  return s->types != NULL ? schema_required(schema_param(s->types, i)) : NULL;
}

static bool is_optional(const subject *s, size_t i) {
  const schema_type *type = s->types != NULL ? schema_param(s->types, i) : NULL;
  return type != NULL && (type->may_be_left_out || type->kind == kSchemaOptional ||
                          type->kind == kSchemaAny || type->kind == kSchemaUnion);
}

/* Whether any type will do, so that there is no wrong one. */
static bool takes_any(const subject *s, size_t i) {
  const schema_type *type = find_type(s, i);
  return (type != NULL && (type->kind == kSchemaAny || type->kind == kSchemaUnion)) ||
         tvm_ffi_any_is_none(&s->inputs->items[i].value);
}

static void list_args(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->num_passed; ++i) {
    if (!is_optional(s, i)) add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
  }
}

/* Not where None is what the call has, or stands for a NULL that a pointer may be. Also in place of
 * each tensor inside an argument. */
static void list_none(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const schema_type *type = i < s->num_passed ? find_type(s, i) : NULL;
    if ((i < s->num_passed && is_optional(s, i)) || tvm_ffi_any_is_none(&s->inputs->items[i].value))
      continue;
    if (type == NULL || type->kind != kSchemaPointer)
      add_case(out, kind, (int)i, 0, ":%s", s->places[i].label);
  }
}

/* Arguments of other types: as they are written on command lines. */
static const struct {
  const char *name, *spec;
} kOthers[] = {{"bool", "true"},
               {"int", "3"},
               {"float", "2.5"},
               {"str", "s:\"text\""},
               {"dtype", "dtype:float32"},
               {"device", "dev:cpu:0"},
               {"shape", "shape:[2, 3]"},
               {"array", "[1, 2]"},
               {"function", "fn:ffi.Array"},
               {"tensor", "3xf32=1 2 3"},
               {"pointer", NULL}};
enum { kNumOthers = sizeof kOthers / sizeof *kOthers };

static const char *name_type(const TVMFFIAny *value) {
  DLTensor *tensor;
  TVMFFIByteArray bytes;
  if (tvm_ffi_any_try_tensor(value, &tensor)) return "tensor";
  if (tvm_ffi_any_try_string(value, &bytes)) return "str";
  switch (value->type_index) {
    case kTVMFFIBool:
      return "bool";
    case kTVMFFIInt:
      return "int";
    case kTVMFFIFloat:
      return "float";
    case kTVMFFIDataType:
      return "dtype";
    case kTVMFFIDevice:
      return "device";
    case kTVMFFIShape:
      return "shape";
    case kTVMFFIArray:
      return "array";
    case kTVMFFIFunction:
      return "function";
    case kTVMFFIOpaquePtr:
      return "pointer";
    default:
      return tvm_ffi_any_get_type_name(value);
  }
}

/* The same of a parameter's type; NULL: no other value that is tried is of it. */
static const char *name_schema(const schema_type *type) {
  switch (type->kind) {
    case kSchemaBool:
      return "bool";
    case kSchemaInt:
      return "int";
    case kSchemaFloat:
      return "float";
    case kSchemaPointer:
      return "pointer";
    case kSchemaDataType:
      return "dtype";
    case kSchemaDevice:
      return "device";
    case kSchemaStr:
      return "str";
    case kSchemaTensorView:
    case kSchemaTensor:
      return "tensor";
    case kSchemaShape:
      return "shape";
    case kSchemaFunction:
      return "function";
    case kSchemaArray:
    case kSchemaList:
    case kSchemaTuple:
      return "array";
    default:
      return NULL;
  }
}

/* Whether a value of the second type may stand for one of the first, by the rules of the ABI. An
 * int may have been meant for a float, and a text for a dtype or a device, if the types are not
 * known. */
static bool converts(const subject *s, const char *type, const char *other) {
  static const char *const kPairs[][2] = {
      {"int", "bool"},    {"float", "int"},   {"float", "bool"},
      {"bool", "int"},    {"dtype", "str"},   {"device", "str"},
      {"shape", "array"}, {"array", "shape"}, {"pointer", "tensor"},
      {"int", "float"},   {"str", "dtype"},   {"str", "device"}}; /* types are not known */
  enum { kUnknown = 3 };
  const size_t count = sizeof kPairs / sizeof *kPairs - (s->types != NULL ? kUnknown : 0);
  size_t i;
  if (strcmp(type, other) == 0) return true;
  for (i = 0; i < count; ++i) {
    if (strcmp(type, kPairs[i][0]) == 0 && strcmp(other, kPairs[i][1]) == 0) return true;
  }
  return false;
}

static void list_types(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->num_passed; ++i) {
    const char *given = name_type(&s->inputs->items[i].value);
    const char *wanted = find_type(s, i) != NULL ? name_schema(find_type(s, i)) : NULL;
    for (k = 0; k < kNumOthers && !takes_any(s, i); ++k) {
      if (converts(s, given, kOthers[k].name)) continue;
      if (wanted != NULL && converts(s, wanted, kOthers[k].name)) continue;
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kOthers[k].name);
    }
  }
}

static const char *const kDtypes[] = {"bool", "i8",  "u8",  "i16",     "u16",   "f16",
                                      "bf16", "i32", "u32", "f32",     "f32x2", "i64",
                                      "u64",  "f64", "c64", "f8e4m3fn"};
enum { kNumDtypes = sizeof kDtypes / sizeof *kDtypes };

static DLDataType get_dtype(int64_t i) {
  DLDataType out;
  if (dtype_read(kDtypes[i], strlen(kDtypes[i]), &out)) return out;
  return dtype_read("complex64", 9, &out) ? out
                                          : TVM_FFI_C_FLOAT32; /* as DLPack's users write it */
}

/* Whether no tensor of the set has the type. */
static bool changes_type(const subject *s, const tensor_set *set, DLDataType dtype) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    if (input_set_has(&set->set, i) && tvm_ffi_dtype_equal(find_tensor(s, i)->dtype, dtype)) {
      return false;
    }
  }
  return true;
}

static void list_dtypes(const subject *s, const row *kind, case_list *out) {
  tensor_set sets[kMostSets];
  size_t num_sets, i;
  int64_t k;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (k = 0; tensor != NULL && k < kNumDtypes; ++k) {
      if (tvm_ffi_dtype_equal(tensor->dtype, get_dtype(k))) continue;
      add_case(out, kind, (int)i, k, ":%s:%s", s->places[i].label, kDtypes[k]);
    }
  }
  num_sets = find_sets(s, sets);
  for (i = 0; i < num_sets; ++i) {
    for (k = 0; k < kNumDtypes; ++k) {
      if (changes_type(s, &sets[i], get_dtype(k))) add_set_case(out, kind, &sets[i], k, kDtypes[k]);
    }
  }
}

static void list_devices(const subject *s, const row *kind, case_list *out) {
  tensor_set sets[kMostSets];
  size_t num_sets, i;
  const bool on_host = s->device.device_type == kDLCPU;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    add_case(out, kind, (int)i, on_host ? kDLCUDA : kDLCPU, ":%s:%s", s->places[i].label,
             on_host ? "cuda" : "cpu");
    add_case(out, kind, (int)i, kDLMetal, ":%s:metal", s->places[i].label);
  }
  num_sets = find_sets(s, sets);
  for (i = 0; i < num_sets; ++i) {
    add_set_case(out, kind, &sets[i], on_host ? kDLCUDA : kDLCPU, on_host ? "cuda" : "cpu");
  }
}
/* ---- Refusals ---- */

/* After a wrong call that may have been refused: whether its error names the argument. An error of
 * the tool's own allocator is not the function's, and one about several names none. */
static void look_at_name(const attempt *a, const probe_case *which, outcome *out) {
  if (out->verdict != kRefused || device_was_refused() || which->arg < 0) return;
  out->names_argument = attempt_names_argument(a, (size_t)which->arg);
}

/* The call is to be refused. `accepted` says what is wrong if it is not. */
static void expect_refusal(attempt *a, const probe_case *which, const char *accepted,
                           outcome *out) {
  if (call_and_look(a, out)) judge(out, kFailed, "it returned without an error: %s", accepted);
  if ((which->kind->flags & kRowNamesArgument) != 0) look_at_name(a, which, out);
}

/* A function that does not use the elements need not refuse the call. */
static void expect_refusal_or_no_use(attempt *a, const probe_case *which, const char *accepted,
                                     outcome *out) {
  expect_refusal(a, which, accepted, out);
  if (a->returned && out->verdict == kFailed) look_whether_used(a->s, which, out);
}

static const char *name_changed(const attempt *a, const probe_case *which) {
  return a->s->places[which->arg].label;
}

static bool make_missing(attempt *a, const probe_case *which) {
  attempt_remove(a, (size_t)which->arg);
  return true;
}

static void judge_missing(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "one argument too few, without argument %s",
           name_changed(a, which));
  expect_refusal(a, which, accepted, out);
}

/* Parameters that may be left out are passed too, as far as they are known; otherwise a few more
 * arguments are tried, for the first may be for such a parameter. */
static void judge_extra(attempt *a, const probe_case *which, outcome *out) {
  enum { kMost = 4 };
  const subject *s = a->s;
  const size_t given = s->num_passed;
  size_t count = given, tried;
  if (s->types != NULL && schema_num_params(s->types) > given) count = schema_num_params(s->types);
  for (tried = 1; tried <= (s->types != NULL ? 1 : kMost); ++tried) {
    attempt_free(a);
    if (!attempt_init(a, s, NULL)) {
      leave_out(out);
      return;
    }
    if (a->room < count + tried) { /* no function has as many */
      if (tried == 1) leave_out(out);
      return;
    }
    while (a->num_passed < count + tried) {
      attempt_append(a, a->num_passed < count ? tvm_ffi_any_none() : tvm_ffi_any_from_int64(1));
    }
    expect_refusal(a, which, "there is one argument too many", out);
    if (out->verdict != kFailed) break;
  }
}

static void pass_other_value(attempt *a, const probe_case *which, TVMFFIAny value, const char *name,
                             outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %s is %s", name_changed(a, which), name);
  if (attempt_set_value(a, (size_t)which->arg, value)) {
    expect_refusal(a, which, accepted, out);
  } else {
    leave_out(out);
  }
}

/* Whether the function writes this argument and no other. */
static bool is_only_output(const attempt *a, size_t i) {
  size_t k;
  for (k = 0; k < a->num_args; ++k) {
    if (k != i && a->s->is_output[k]) return false;
  }
  return a->s->is_output[i];
}

/* Whether it may be meant to take None is only known of arguments with a type, and of an output
 * without which the call gives nothing. */
static void judge_none(attempt *a, const probe_case *which, outcome *out) {
  const bool is_known = a->s->types != NULL && (size_t)which->arg < a->s->num_passed;
  pass_other_value(a, which, tvm_ffi_any_none(), "None", out);
  if (!a->returned || out->verdict != kFailed || is_known) return;
  if (is_only_output(a, (size_t)which->arg) && tvm_ffi_any_is_none(&a->result)) {
    judge(out, kFailed, "argument %s, its only output, is None, and it returns nothing",
          name_changed(a, which));
  } else {
    judge(out, kPassed, "it takes None");
  }
}

static void judge_type(attempt *a, const probe_case *which, outcome *out) {
  const char *spec = kOthers[which->number].spec;
  input_list read = {NULL, 0, 0};
  TVMFFIAny value;
  if (spec == NULL) {
    value = tvm_ffi_any_from_pointer(pages_reserve(pages_size()));
  } else {
    input_reader *reader = input_reader_new(0, kGuardNone);
    if (!input_read(reader, spec, "a value", NULL, &read)) {
      judge(out, kLeftOut, "this runtime has no such value");
      return;
    }
    value = read.items[0].value;
    free(read.items);
    input_reader_free(reader);
  }
  pass_other_value(a, which, value, kOthers[which->number].name, out);
}

/* ---- Numbers and bits ---- */

/* Converts the elements; false if that changes numbers by more than rounding does. */
static bool convert(DLDataType from, const void *values, DLDataType to, void *out, size_t count) {
  const bool to_real = small_float_find(to) != NULL || to.code == kDLFloat;
  size_t i;
  for (i = 0; i < count; ++i) {
    const number value = number_get(from, values, i);
    number made;
    if (!to_real && (value.real != (double)(int64_t)value.real || value.real < 0 ||
                     value.real > 127)) { /* all integer types have these */
      return false;
    }
    number_set_real(to, out, i, value.real);
    made = number_get(to, out, i);
    if (!to_real && made.real != value.real) return false;
  }
  return true;
}

/* Whether two tensors have the same numbers, whatever their types; within 1 % for narrow ones. */
static bool same_numbers(DLDataType a, const void *x, DLDataType b, const void *y, size_t count,
                         double relative) {
  size_t i;
  for (i = 0; i < count; ++i) {
    const double p = number_get(a, x, i).real, q = number_get(b, y, i).real;
    const double error = p > q ? p - q : q - p, size = q > 0 ? q : -q;
    if (p != q && !(p != p && q != q) && !(error <= relative * (size + 1))) return false;
  }
  return true;
}

/* Whether a tensor has the numbers that another has. */
static bool tensors_have_same_numbers(const DLTensor *a, const DLTensor *b, double relative) {
  return tvm_ffi_tensor_has_same_shape(a, b) && numbers_known(a->dtype) &&
         numbers_known(b->dtype) &&
         same_numbers(a->dtype, a->data, b->dtype, b->data, (size_t)tvm_ffi_tensor_get_numel(b),
                      relative);
}

/* Whether a result has the number, or the numbers, of another; so have all that are no numbers. */
static bool results_have_same_numbers(const TVMFFIAny *a, const TVMFFIAny *b, double relative) {
  DLTensor *x, *y;
  if (tvm_ffi_any_try_tensor(a, &x) && tvm_ffi_any_try_tensor(b, &y)) { /* with any strides */
    TVMFFIObjectHandle p = tensor_copy(x), q = tensor_copy(y);
    const bool same = p == NULL || q == NULL ||
                      tensors_have_same_numbers(TVMFFITensorGetDLTensorPtr(p),
                                                TVMFFITensorGetDLTensorPtr(q), relative);
    tvm_ffi_object_release(p);
    tvm_ffi_object_release(q);
    return same;
  }
  return a->type_index != kTVMFFIFloat || b->type_index != kTVMFFIFloat ||
         same_numbers(tvm_ffi_dtype_make(kDLFloat, 64, 1), &a->v_float64,
                      tvm_ffi_dtype_make(kDLFloat, 64, 1), &b->v_float64, 1, relative);
}

/* Whether outputs and the result have the numbers that they have after the call that works. */
static bool has_same_numbers(const attempt *a, double relative) {
  const effects *after = &a->s->after;
  effects got;
  size_t i;
  bool same = attempt_take_effects(a, &got);
  for (i = 0; same && i < a->num_args; ++i) {
    if (got.tensors[i] == NULL || after->tensors[i] == NULL) continue;
    same = tensors_have_same_numbers(TVMFFITensorGetDLTensorPtr(got.tensors[i]),
                                     TVMFFITensorGetDLTensorPtr(after->tensors[i]), relative);
  }
  same = same && (!got.has_result || !after->has_result ||
                  results_have_same_numbers(&got.result, &after->result, relative));
  effects_free(&got, a->num_args);
  return same;
}

/* Whether the result, and the first bytes of outputs, have the bits that they have after the call
 * that works, and the rest of the outputs is as it was. */
static bool has_same_bits(const attempt *a) {
  effects got;
  size_t i;
  bool same = attempt_take_effects(a, &got) && effects_have_same_result(&got, &a->s->after);
  for (i = 0; same && i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    const DLTensor *now, *expected;
    size_t size;
    if (got.tensors[i] == NULL || a->s->after.tensors[i] == NULL) continue;
    now = TVMFFITensorGetDLTensorPtr(got.tensors[i]);
    expected = TVMFFITensorGetDLTensorPtr(a->s->after.tensors[i]);
    size = tensor_size(expected);
    same = arg->size >= size && memcmp(now->data, expected->data, size) == 0 &&
           memcmp((const char *)now->data + size, arg->before + size, arg->size - size) == 0;
  }
  effects_free(&got, a->num_args);
  return same;
}

/* ---- Other types of elements ---- */

/* How the elements of the changed tensors became those of another type. */
typedef struct {
  DLDataType dtype;
  bool kept;      /* all have the same bits, and perhaps more of them behind */
  bool converted; /* all have the same numbers */
  bool is_alike;  /* both */
} retyping;

static bool count_as_numbers(DLDataType dtype) {
  return numbers_known(dtype) && numbers_per_element(dtype) == 1;
}

/* Another type of the same size gets the same bits, and one with more lanes as well, again and
 * again. One of another size gets the same numbers, as far as it can hold them. */
static bool retype(attempt *a, size_t i, retyping *r) {
  const DLTensor *tensor = find_tensor(a->s, i);
  const DLDataType old = tensor->dtype;
  const int64_t bits = tvm_ffi_dtype_get_bits(r->dtype), old_bits = tvm_ffi_dtype_get_bits(old);
  const bool keeps = bits == old_bits || (r->dtype.lanes > old.lanes && bits > old_bits);
  const bool countable = count_as_numbers(r->dtype) && count_as_numbers(old);
  const size_t count = (size_t)tvm_ffi_tensor_get_numel(tensor);
  const layout how = guard_end(a->s);
  unsigned char *values = tool_alloc(count * 16 + 1);
  bool converts, good;
  memset(values, 0, count * 16 + 1);
  converts = !keeps && countable && convert(old, tensor->data, r->dtype, values, count);
  if (bits == old_bits) memcpy(values, tensor->data, tensor_size(tensor));
  r->kept = r->kept && keeps;
  r->converted = r->converted && converts;
  r->is_alike = r->is_alike && bits == old_bits && countable &&
                same_numbers(old, tensor->data, r->dtype, values, count, 0);
  good = attempt_set_tensor(a, i, r->dtype, tensor->shape, tensor->ndim, &how,
                            keeps && bits != old_bits ? NULL : values);
  free(values);
  return good;
}

/* The elements that a narrow type holds differ by this from those of a wide one. */
static double get_rounding(DLDataType dtype) {
  const small_float *narrow = small_float_find(dtype);
  const double least = 0.01;
  double step = 4;
  int m;
  for (m = 0; narrow != NULL && m < narrow->mantissa; ++m) step /= 2;
  return narrow != NULL && step > least ? step : least;
}

/* Flips the highest bit of each element, which is the sign of numbers. Elements that are not whole
 * bytes stay as they are. */
static bool flip_signs(attempt *a, const DLTensor *tensor, size_t i) {
  const size_t size = tensor_size(tensor), item = element_size(tensor->dtype);
  unsigned char *flipped;
  size_t k;
  bool good;
  if (item == 0) return true;
  flipped = tool_alloc(size + 1);
  memcpy(flipped, tensor->data, size);
  for (k = item; k <= size; k += item) flipped[k - 1] ^= 0x80;
  good =
      attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked, flipped);
  free(flipped);
  return good;
}

/* Whether an element is one of the inputs'. */
static bool is_of_inputs(const subject *s, const unsigned char *element, size_t item) {
  size_t i, k;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    const size_t size = tensor != NULL ? tensor_size(tensor) : 0;
    if (tensor == NULL || subject_fills(s, i)) continue;
    for (k = 0; k + item <= size; k += item) {
      if (memcmp((const char *)tensor->data + k, element, item) == 0) return true;
    }
  }
  return false;
}

/* Whether all elements of an output are either flipped ones of the inputs, which are counted, or
 * unchanged ones of no input. Elements that are not whole bytes are to be unchanged. */
static bool output_is_moved(const subject *s, const DLTensor *now, const DLTensor *then,
                            size_t *num_moved) {
  const size_t size = tensor_size(then), item = element_size(then->dtype);
  size_t k;
  if (item == 0) return tensors_have_same_bytes(now, then);
  for (k = 0; k + item <= size; k += item) {
    const unsigned char *x = (const unsigned char *)now->data + k;
    const unsigned char *y = (const unsigned char *)then->data + k;
    const bool is_flipped = memcmp(x, y, item - 1) == 0 && (x[item - 1] ^ y[item - 1]) == 0x80;
    const bool is_same = memcmp(x, y, item) == 0;
    *num_moved += is_flipped;
    if (!(is_flipped ? is_of_inputs(s, y, item) : is_same && !is_of_inputs(s, y, item))) {
      return false;
    }
  }
  return true;
}

/* Whether the function only moves elements to other places: then their type does not matter. Those
 * whose signs are flipped come out with their signs flipped, and what comes out unchanged is none
 * of theirs. */
static bool moves_elements(const subject *s) {
  attempt a;
  effects got;
  size_t i, num_moved = 0;
  bool good = attempt_init(&a, s, NULL), moves = true;
  memset(&got, 0, sizeof got);
  for (i = 0; good && i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor != NULL && !subject_fills(s, i)) good = flip_signs(&a, tensor, i);
  }
  good = good && attempt_call(&a) && a.returned && attempt_take_effects(&a, &got);
  for (i = 0; good && i < s->inputs->size; ++i) {
    if (got.tensors[i] == NULL || s->after.tensors[i] == NULL) continue;
    moves = moves && output_is_moved(s, TVMFFITensorGetDLTensorPtr(got.tensors[i]),
                                     TVMFFITensorGetDLTensorPtr(s->after.tensors[i]), &num_moved);
  }
  effects_free(&got, s->inputs->size);
  attempt_free(&a);
  return good && moves && num_moved > 0;
}

/* Who computes the same bits of another type took it for the old one, unless both have the same
 * numbers here. Of the same numbers it is to compute the same. */
static void judge_retyped(attempt *a, const probe_case *which, const retyping *r, outcome *out) {
  const char *name = kDtypes[which->number];
  if (r->converted && !has_same_numbers(a, get_rounding(r->dtype))) {
    judge(out, kFailed, "it read %s as another type: the numbers differ", name);
  } else if (r->kept && has_same_bits(a) && !(r->is_alike && has_same_numbers(a, 0)) &&
             !(which->arg < 0 && moves_elements(a->s))) {
    judge(out, kFailed, "it did not look at the type: %s gives the bits of the original type",
          name);
    look_whether_used(a->s, which, out);
  } else {
    judge(out, kPassed, "it takes this type");
  }
}

static void judge_dtype(attempt *a, const probe_case *which, outcome *out) {
  retyping r = {{0, 0, 0}, true, true, true};
  bool good = true;
  size_t i;
  r.dtype = get_dtype(which->number);
  for (i = 0; good && i < a->num_args; ++i) {
    if (find_tensor(a->s, i) != NULL && case_changes(which, i)) good = retype(a, i, &r);
  }
  if (!good) {
    leave_out(out);
  } else if (call_and_look(a, out)) {
    judge_retyped(a, which, &r, out);
  } else {
    look_at_name(a, which, out);
  }
}

/* ---- Other devices, and none ---- */

static bool make_device(attempt *a, const probe_case *which) {
  layout how = kLayoutPacked;
  size_t i;
  how.device = tvm_ffi_device_make((int)which->number, 0);
  how.has_no_memory = true; /* that this process may use */
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    if (tensor == NULL || !case_changes(which, i)) continue;
    if (!attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &how, NULL)) {
      return false;
    }
  }
  return true;
}

static void judge_device(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64] = "tensors are on another device";
  if (which->arg >= 0) {
    snprintf(accepted, sizeof accepted, "argument %s is on another device", name_changed(a, which));
  }
  expect_refusal_or_no_use(a, which, accepted, out);
}

static bool make_null(attempt *a, const probe_case *which) {
  a->args[which->arg].is_output = false;
  return attempt_clear_data(a, (size_t)which->arg);
}

static void judge_null(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %s has elements and no data",
           name_changed(a, which));
  expect_refusal_or_no_use(a, which, accepted, out);
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"missing", "an argument is left out", NULL,
      "the number of arguments is ignored. C: `tvm_ffi_args_check_count`; C++ and `wrap` check it"},
     list_args,
     0,
     make_missing,
     judge_missing,
     NULL,
     0},
    {{"extra", "there is one argument too many", NULL, "the same"},
     list_once,
     0,
     NULL,
     judge_extra,
     NULL,
     0},
    {{"none", "None is passed in place of an argument", NULL,
      "`args[i].v_int64` is read without checking the type. C: `tvm_ffi_args_read_int64` and the "
      "like"},
     list_none,
     0,
     NULL,
     judge_none,
     NULL,
     kRowNamesArgument},
    {{"type", "an argument has another type", NULL, "the same"},
     list_types,
     0,
     NULL,
     judge_type,
     NULL,
     kRowNamesArgument},
    {{"dtype", "elements have another type", "they are read as the original type",
      "C: `tvm_ffi_args_check_dtype`; C++: compare `dtype()`; `wrap` checks it"},
     list_dtypes,
     0,
     NULL,
     judge_dtype,
     NULL,
     kRowNamesArgument | kRowVariesSets},
    {{"device", "a tensor is on another device", NULL,
      "C: `tvm_ffi_args_check_device`; C++: compare `device()`"},
     list_devices,
     0,
     make_device,
     judge_device,
     NULL,
     kRowNamesArgument | kRowVariesSets},
    {{"null", "the data of a tensor is NULL", NULL,
      "it is not checked. C: `tvm_ffi_args_check_valid`; C++ with these headers and `wrap` refuse "
      "it"},
     list_each_tensor,
     0,
     make_null,
     judge_null,
     NULL,
     kRowNamesArgument},
    {{"named", "whether the errors of these calls say which argument is wrong", "they do not",
      "an error that says `invalid argument`. Say its number (`#1`, `argument 1`) or its name"},
     NULL,
     0,
     NULL,
     NULL,
     NULL,
     0},
};
const row *const kNamedRow = &kRows[sizeof kRows / sizeof *kRows - 1];
const row_group kCallRows = {
    "calls",
    {"calls:", "what must be refused", "the call returns", WHY_KERNELS_FAIL},
    "refuses wrong calls",
    "does not refuse wrong calls:",
    kRows,
    sizeof kRows / sizeof *kRows};
