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
  for (i = 0; i < s->inputs->size; ++i) {
    if (!is_optional(s, i)) add_case(out, kind, (int)i, 0, ":%zu", i);
  }
}

/* Not where None is what the call has, or stands for a NULL that a pointer may be. */
static void list_none(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const schema_type *type = find_type(s, i);
    if (is_optional(s, i) || tvm_ffi_any_is_none(&s->inputs->items[i].value)) continue;
    if (type == NULL || type->kind != kSchemaPointer) add_case(out, kind, (int)i, 0, ":%zu", i);
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
  for (i = 0; i < s->inputs->size; ++i) {
    const char *given = name_type(&s->inputs->items[i].value);
    const char *wanted = find_type(s, i) != NULL ? name_schema(find_type(s, i)) : NULL;
    for (k = 0; k < kNumOthers && !takes_any(s, i); ++k) {
      if (converts(s, given, kOthers[k].name)) continue;
      if (wanted != NULL && converts(s, wanted, kOthers[k].name)) continue;
      add_case(out, kind, (int)i, k, ":%zu:%s", i, kOthers[k].name);
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

static void list_dtypes(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int64_t k;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (k = 0; tensor != NULL && k < kNumDtypes; ++k) {
      if (tvm_ffi_dtype_equal(tensor->dtype, get_dtype(k))) continue;
      add_case(out, kind, (int)i, k, ":%zu:%s", i, kDtypes[k]);
    }
  }
}

static void list_devices(const subject *s, const row *kind, case_list *out) {
  size_t i;
  const bool on_host = s->device.device_type == kDLCPU;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    add_case(out, kind, (int)i, on_host ? kDLCUDA : kDLCPU, ":%zu:%s", i, on_host ? "cuda" : "cpu");
    add_case(out, kind, (int)i, kDLMetal, ":%zu:metal", i);
  }
}
/* ---- Refusals ---- */

/* After a wrong call that may have been refused: whether its error names the argument. An error of
 * the tool's own allocator is not the function's. */
static void look_at_name(const attempt *a, size_t arg, outcome *out) {
  if (out->verdict != kRefused || device_was_refused()) return;
  out->names_argument = attempt_names_argument(a, arg);
}

/* The call is to be refused. `accepted` says what is wrong if it is not. `arg`: the argument that
 * the error is to name; -1: none. */
static void expect_refusal(attempt *a, int arg, const char *accepted, outcome *out) {
  if (call_and_look(a, out)) judge(out, kFailed, "it returned without an error: %s", accepted);
  if (arg >= 0) look_at_name(a, (size_t)arg, out);
}

/* A function that does not use the elements need not refuse the call. */
static void expect_refusal_or_no_use(attempt *a, int arg, const char *accepted, outcome *out) {
  expect_refusal(a, arg, accepted, out);
  if (a->returned && out->verdict == kFailed) look_whether_used(a->s, (size_t)arg, out);
}

static bool make_missing(attempt *a, const probe_case *which) {
  attempt_remove(a, (size_t)which->arg);
  return true;
}

static void judge_missing(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "one argument too few, without argument %d", which->arg);
  expect_refusal(a, -1, accepted, out);
}

/* Parameters that may be left out are passed too, as far as they are known; otherwise a few more
 * arguments are tried, for the first may be for such a parameter. */
static void judge_extra(attempt *a, const probe_case *which, outcome *out) {
  enum { kMost = 4 };
  const subject *s = a->s;
  const size_t given = s->inputs->size;
  size_t count = given, tried;
  (void)which;
  if (s->types != NULL && schema_num_params(s->types) > given) count = schema_num_params(s->types);
  for (tried = 1; tried <= (s->types != NULL ? 1 : kMost); ++tried) {
    attempt_free(a);
    if (!attempt_init(a, s, NULL)) {
      leave_out(out);
      return;
    }
    while (a->num_args < count + tried) {
      attempt_append(a, a->num_args < count ? tvm_ffi_any_none() : tvm_ffi_any_from_int64(1));
    }
    expect_refusal(a, -1, "there is one argument too many", out);
    if (out->verdict != kFailed) break;
  }
}

static void pass_other_value(attempt *a, const probe_case *which, TVMFFIAny value, const char *name,
                             outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d is %s", which->arg, name);
  attempt_set_value(a, (size_t)which->arg, value);
  expect_refusal(a, which->arg, accepted, out);
}

static void judge_none(attempt *a, const probe_case *which, outcome *out) {
  pass_other_value(a, which, tvm_ffi_any_none(), "None", out);
  if (out->verdict == kFailed && a->s->types == NULL) judge(out, kPassed, "it takes None");
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
/* ---- Elements ---- */

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

/* Whether outputs have the numbers that they have after the call that works. */
static bool has_same_numbers(const attempt *a, double relative) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const argument *arg = &a->args[i];
    const DLTensor *expected;
    unsigned char *now;
    bool same;
    if (arg->store == NULL || a->s->after.tensors[i] == NULL) continue;
    expected = TVMFFITensorGetDLTensorPtr(a->s->after.tensors[i]);
    now = tool_alloc(arg->size + 1);
    storage_read(arg->store, now);
    same = same_numbers(arg->store->tensor.dtype, now, expected->dtype, expected->data,
                        (size_t)tvm_ffi_tensor_get_numel(expected), relative);
    free(now);
    if (!same) return false;
  }
  return true;
}

/* Whether outputs and the result have the bits that they have after the call that works. */
static bool has_same_bits(const attempt *a) {
  effects got;
  size_t i;
  bool same = attempt_take_effects(a, &got) && strcmp(got.text, a->s->after.text) == 0;
  for (i = 0; same && i < a->num_args; ++i) {
    TVMFFIObjectHandle x = got.tensors[i], y = a->s->after.tensors[i];
    same = x == NULL || y == NULL ||
           tensors_have_same_bytes(TVMFFITensorGetDLTensorPtr(x), TVMFFITensorGetDLTensorPtr(y));
  }
  effects_free(&got, a->num_args);
  return same;
}

/* Another type of the same size gets the same bits. Who computes the same bits of them took them
 * for the old type, unless both types have the same numbers here. One of another size gets the same
 * numbers, and is to compute the same, as far as the type can hold them. */
static void judge_dtype(attempt *a, const probe_case *which, outcome *out) {
  const size_t i = (size_t)which->arg;
  const DLTensor *tensor = subject_tensor(a->s, i);
  const DLDataType dtype = get_dtype(which->number), old = tensor->dtype;
  const bool same_size = tvm_ffi_dtype_get_bits(dtype) == tvm_ffi_dtype_get_bits(old);
  const size_t count = (size_t)tvm_ffi_tensor_get_numel(tensor);
  const bool countable = numbers_known(dtype) && numbers_known(old) &&
                         numbers_per_element(dtype) == 1 && numbers_per_element(old) == 1;
  unsigned char *values = tool_alloc(count * 16 + 1);
  const layout how = guard_end(a->s);
  bool comparable = countable, good;
  memset(values, 0, count * 16 + 1);
  if (same_size) {
    memcpy(values, tensor->data, tensor_size(tensor));
  } else if (countable) {
    comparable = convert(old, tensor->data, dtype, values, count);
  }
  good = attempt_set_tensor(a, i, dtype, tensor->shape, tensor->ndim, &how, values);
  if (!good) {
    leave_out(out);
  } else if (call_and_look(a, out)) {
    if (!same_size && comparable && !has_same_numbers(a, 0.01)) {
      judge(out, kFailed, "it read %s as another type: the numbers differ", kDtypes[which->number]);
    } else if (same_size && has_same_bits(a) &&
               !(countable && same_numbers(old, tensor->data, dtype, values, count, 0) &&
                 has_same_numbers(a, 0))) {
      judge(out, kFailed, "it did not look at the type: %s gives the bits of the original type",
            kDtypes[which->number]);
      look_whether_used(a->s, i, out);
    } else {
      judge(out, kPassed, "it takes this type");
    }
  } else {
    look_at_name(a, i, out);
  }
  free(values);
}

static bool make_device(attempt *a, const probe_case *which) {
  const size_t i = (size_t)which->arg;
  const DLTensor *tensor = subject_tensor(a->s, i);
  layout how = kLayoutPacked;
  how.device = tvm_ffi_device_make((int)which->number, 0);
  how.has_no_memory = true; /* that this process may use */
  return attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &how, NULL);
}

static void judge_device(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d is on another device", which->arg);
  expect_refusal_or_no_use(a, which->arg, accepted, out);
}

static bool make_null(attempt *a, const probe_case *which) {
  a->args[which->arg].is_output = false;
  return attempt_clear_data(a, (size_t)which->arg);
}

static void judge_null(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d has elements and no data", which->arg);
  expect_refusal_or_no_use(a, which->arg, accepted, out);
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
     kRowNamesArgument},
    {{"device", "a tensor is on another device", NULL,
      "C: `tvm_ffi_args_check_device`; C++: compare `device()`"},
     list_devices,
     0,
     make_device,
     judge_device,
     NULL,
     kRowNamesArgument},
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
    kRows,
    sizeof kRows / sizeof *kRows};
