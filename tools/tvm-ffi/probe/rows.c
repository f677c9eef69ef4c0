/* SPDX-License-Identifier: Apache-2.0 */
/* The table at the end, kRows, says which calls a probe makes: for each row a function that lists
 * the calls, one that makes such a call, and how that changes a tensor. */
#include "probe/probe.h"

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/report.h"
#include "library/library.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Which calls there are ---- */

static void add_case(case_list *out, const row *kind, int arg, int64_t what, const char *format,
                     ...) TOOL_PRINTF(5, 6);

/* The name is that of the row and then, after colons, what the format says. */
static void add_case(case_list *out, const row *kind, int arg, int64_t what, const char *format,
                     ...) {
  probe_case *added;
  va_list values;
  int size;
  out->items = tool_realloc(out->items, (out->size + 1) * sizeof *out->items);
  added = &out->items[out->size++];
  memset(added, 0, sizeof *added);
  added->kind = kind;
  added->arg = arg;
  added->number = what;
  size = snprintf(added->name, sizeof added->name, "%s", kind->name);
  va_start(values, format);
  vsnprintf(added->name + size, sizeof added->name - (size_t)size, format, values);
  va_end(values);
}

/* A tensor with elements; NULL for all else. */
static const DLTensor *find_tensor(const subject *s, size_t i) {
  const DLTensor *tensor = subject_tensor(s, i);
  return tensor != NULL && tvm_ffi_tensor_get_numel(tensor) > 0 ? tensor : NULL;
}

static bool has_larger_extents(const DLTensor *tensor, int32_t least) {
  int32_t d, count = 0;
  for (d = 0; d < tensor->ndim; ++d) count += tensor->shape[d] > 1;
  return count >= least;
}

static void list_once(const subject *s, const row *kind, case_list *out) {
  (void)s;
  add_case(out, kind, -1, kind->choice, "%s", "");
}

/* Each tensor that has so many dimensions of more than one element. */
static void list_each_tensor(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor == NULL || !has_larger_extents(tensor, (int32_t)kind->choice)) continue;
    add_case(out, kind, (int)i, 0, ":%zu", i);
  }
}

/* And all of them at once. */
static void list_tensors(const subject *s, const row *kind, case_list *out) {
  const size_t before = out->size;
  list_each_tensor(s, kind, out);
  if (out->size > before + 1) add_case(out, kind, -1, 0, "%s", ":all");
}

static void list_inputs(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) != NULL && !s->is_output[i])
      add_case(out, kind, (int)i, kind->choice, ":%zu", i);
  }
}

static void list_misaligned(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    int32_t bytes = tensor != NULL ? tvm_ffi_dtype_get_bytes(tensor->dtype) : 0;
    if (tensor == NULL) continue;
    if (bytes > 1 && bytes < kMemoryAlignment) {
      add_case(out, kind, (int)i, bytes, ":%zu:element", i);
    }
    add_case(out, kind, (int)i, 1, ":%zu:byte", i);
  }
}

static void list_broadcast(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int32_t d;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && !s->is_output[i] && d < tensor->ndim; ++d) {
      if (tensor->shape[d] > 1) add_case(out, kind, (int)i, d, ":%zu:%d", i, (int)d);
    }
  }
}

static bool has_extent(const subject *s, size_t num_args, int64_t extent) {
  size_t i;
  int32_t d;
  for (i = 0; i < num_args; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] == extent) return true;
    }
  }
  return false;
}

/* Each extent that some dimension has, for all dimensions that have it. */
static void list_extents(const subject *s, const row *kind, case_list *out) {
  size_t i;
  int32_t d, e;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      const int64_t extent = tensor->shape[d];
      bool is_known = has_extent(s, i, extent);
      for (e = 0; e < d; ++e) is_known = is_known || tensor->shape[e] == extent;
      if (!is_known && extent != kind->choice) add_case(out, kind, -1, extent, ":%" PRId64, extent);
    }
  }
}

/* Each dimension whose extent another argument has as well. */
static void list_unequal(const subject *s, const row *kind, case_list *out) {
  size_t i, j;
  int32_t d, e;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      bool is_shared = false;
      for (j = 0; j < s->inputs->size; ++j) {
        const DLTensor *other = j != i ? find_tensor(s, j) : NULL;
        for (e = 0; other != NULL && e < other->ndim; ++e) {
          is_shared = is_shared || other->shape[e] == tensor->shape[d];
        }
      }
      if (!is_shared) continue;
      add_case(out, kind, (int)i, d + 1, ":%zu:%d:more", i, (int)d);
      add_case(out, kind, (int)i, -(d + 1), ":%zu:%d:less", i, (int)d);
    }
  }
}

static void list_more_dims(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    if (find_tensor(s, i) == NULL) continue;
    add_case(out, kind, (int)i, 0, ":%zu:first", i);
    add_case(out, kind, (int)i, 1, ":%zu:last", i);
  }
}

static void list_fewer_dims(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = find_tensor(s, i);
    if (tensor != NULL && tensor->ndim > 0) add_case(out, kind, (int)i, 0, ":%zu", i);
  }
}

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

static void list_allocators(const subject *s, const row *kind, case_list *out) {
  (void)s;
  add_case(out, kind, -1, 0, "%s", ":tensors");
  add_case(out, kind, -1, 1, "%s", ":objects");
}

/* ---- Verdicts ---- */

static void judge(outcome *out, verdict how, const char *format, ...) TOOL_PRINTF(3, 4);

static void judge(outcome *out, verdict how, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(out->detail, sizeof out->detail - 1, format, values);
  va_end(values);
  text_end_whole(out->detail);
  out->verdict = (int)how;
}

/* The call could not be made, for a reason that the runtime has raised. */
static void leave_out(outcome *out) {
  char *reason = runtime_error_take_line();
  judge(out, kLeftOut, "%s", reason);
  free(reason);
}

static void refuse(const attempt *a, outcome *out) {
  text_buf line = {NULL, 0, 0};
  attempt_describe_error(a, &line);
  judge(out, kRefused, "%s", line.data);
  text_free(&line);
}

/* Makes the call. True if it returned, and did no harm; else it has been judged. */
static bool call_and_look(attempt *a, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  bool good = false;
  if (!attempt_call(a)) {
    leave_out(out);
  } else if (!attempt_is_clean(a, &wrong)) {
    judge(out, kFailed, "%s", wrong.data);
  } else if (!a->returned) {
    refuse(a, out);
  } else {
    good = true;
  }
  text_free(&wrong);
  return good;
}

/* The same for the call that works, which is not to be refused either. */
static bool call_again_and_look(attempt *a, outcome *out) {
  text_buf line = {NULL, 0, 0};
  const bool good = call_and_look(a, out);
  if (!good && out->verdict == kRefused) {
    attempt_describe_error(a, &line);
    judge(out, kFailed, "the call that works raised %s", line.data);
    text_free(&line);
  }
  return good;
}

/* Whether the call had these effects; else it has been judged. */
static bool look_at_effects(const attempt *a, const effects *expected, bool exact, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  effects got;
  bool same = false;
  if (!attempt_take_effects(a, &got)) {
    leave_out(out);
  } else {
    same = effects_match(&got, expected, a->num_args, exact, &a->s->allowed, &wrong);
    if (!same) judge(out, kFailed, "%s", wrong.data);
  }
  effects_free(&got, a->num_args);
  text_free(&wrong);
  return same;
}

/* The call is to have the effects of the call that works, or to be refused. */
static void expect_same(attempt *a, outcome *out) {
  if (call_and_look(a, out) && look_at_effects(a, &a->s->after, false, out)) {
    judge(out, kPassed, "%s", "the same");
  }
}

/* ---- The same values in other layouts ---- */

/* Passes the tensors of the case as its row arranges them. */
static bool run_arranged(attempt *a, const probe_case *which, outcome *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    int64_t strides[kLayoutMaxDims];
    layout how = kLayoutPacked;
    if (tensor == NULL || (which->arg >= 0 && which->arg != (int)i)) continue;
    which->kind->arrange(tensor, which->number, &how, strides);
    if (!attempt_place(a, i, &how)) return false;
  }
  expect_same(a, out);
  return true;
}

/* Row-major strides, each of them `factor` times as large. */
static void set_strides(const DLTensor *tensor, int64_t factor, int64_t *strides) {
  int32_t d;
  for (d = tensor->ndim - 1; d >= 0; --d) {
    strides[d] = factor;
    factor *= tensor->shape[d] > 1 ? tensor->shape[d] : 1;
  }
}

#define ARRANGE(name) \
  static void arrange_##name(const DLTensor *tensor, int64_t chosen, layout *how, int64_t *strides)

ARRANGE(offset) {
  (void)tensor, (void)chosen, (void)strides;
  how->before = how->byte_offset = 256;
}

ARRANGE(misaligned) {
  (void)tensor, (void)strides;
  how->misaligned = (size_t)chosen;
}

ARRANGE(strided) {
  (void)chosen;
  set_strides(tensor, 2, strides);
  how->strides = strides;
}

ARRANGE(transposed) {
  int64_t stride = 1;
  int32_t d;
  (void)chosen;
  for (d = 0; d < tensor->ndim; ++d) {
    strides[d] = stride;
    stride *= tensor->shape[d];
  }
  how->strides = strides;
}

ARRANGE(negative) {
  (void)chosen;
  set_strides(tensor, -1, strides);
  how->strides = strides;
}

ARRANGE(page_end) {
  (void)tensor, (void)chosen, (void)strides;
  how->guard = kGuardEnd;
}

ARRANGE(page_begin) {
  (void)tensor, (void)chosen, (void)strides;
  how->guard = kGuardStart;
}

ARRANGE(read_only) {
  (void)tensor, (void)chosen, (void)strides;
  how->is_read_only = how->has_read_only_pages = true;
}

ARRANGE(pinned) {
  (void)tensor, (void)chosen, (void)strides;
  how->device = tvm_ffi_device_make(kDLCUDAHost, 0);
}

ARRANGE(managed) {
  (void)tensor, (void)chosen, (void)strides;
  how->device = tvm_ffi_device_make(kDLCUDAManaged, 0);
}

static bool run_view(attempt *a, const probe_case *which, outcome *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    if (a->args[i].store == NULL || (which->arg >= 0 && which->arg != (int)i)) continue;
    if (!attempt_pass_view(a, i)) return false;
  }
  expect_same(a, out);
  return true;
}

/* Makes two calls with the same values, the first with packed tensors: the second is to have the
 * effects of the first, or to be refused. */
static void compare_calls(attempt *packed, attempt *other, outcome *out) {
  effects expected;
  memset(&expected, 0, sizeof expected);
  if (call_and_look(packed, out)) {
    if (!attempt_take_effects(packed, &expected)) {
      leave_out(out);
    } else if (call_and_look(other, out) && look_at_effects(other, &expected, false, out)) {
      judge(out, kPassed, "%s", "the same");
    }
  } else if (out->verdict == kRefused) {
    out->verdict = kLeftOut; /* the values are refused in any layout */
  }
  effects_free(&expected, packed->num_args);
}

/* The elements of one slice, for each index of a dimension. */
static void repeat_slice(const DLTensor *tensor, int32_t dim, void *out) {
  DLTensor slice = *tensor;
  int64_t strides[kLayoutMaxDims];
  set_strides(tensor, 1, strides);
  strides[dim] = 0;
  slice.strides = strides;
  tensor_gather(&slice, out);
}

static bool run_broadcast(attempt *a, const probe_case *which, outcome *out) {
  const DLTensor *tensor = subject_tensor(a->s, (size_t)which->arg);
  const size_t i = (size_t)which->arg;
  unsigned char *values = tool_alloc(tensor_size(tensor) + 1);
  int64_t strides[kLayoutMaxDims];
  layout how = kLayoutPacked;
  attempt other;
  bool good;
  repeat_slice(tensor, (int32_t)which->number, values);
  set_strides(tensor, 1, strides);
  strides[which->number] = 0;
  how.strides = strides;
  good = attempt_init(&other, a->s, NULL) &&
         attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked,
                            values) &&
         attempt_set_tensor(&other, i, tensor->dtype, tensor->shape, tensor->ndim, &how, values);
  if (good) compare_calls(a, &other, out);
  attempt_free(&other);
  free(values);
  return good;
}

/* ---- Other shapes ---- */

/* Copies the shape with another extent in all dimensions that have the first. */
static bool replace_extent(const DLTensor *tensor, int64_t extent, int64_t other, int64_t *shape) {
  bool has_it = false;
  int32_t d;
  for (d = 0; d < tensor->ndim; ++d) {
    shape[d] = tensor->shape[d] == extent ? other : tensor->shape[d];
    has_it = has_it || tensor->shape[d] == extent;
  }
  return has_it;
}

/* Gives all tensors another extent in place of one; `stride`, unless 0, is that of each dimension
 * of one element. False with an error raised. */
static bool set_extent(attempt *a, int64_t extent, int64_t other, int64_t stride,
                       const layout *how) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = subject_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims], strides[kLayoutMaxDims];
    layout chosen = *how;
    DLTensor changed;
    int32_t d;
    if (tensor == NULL) continue;
    (void)replace_extent(tensor, extent, other, shape);
    changed = *tensor;
    changed.shape = shape;
    set_strides(&changed, 1, strides);
    for (d = 0; d < tensor->ndim; ++d) {
      if (shape[d] == 1 && stride != 0) strides[d] = stride;
    }
    if (stride != 0) chosen.strides = strides;
    if (!attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &chosen, NULL)) return false;
  }
  return true;
}

/* Where the CPU's memory is used, a function that uses more than it has crashes. */
static layout guard_end(const subject *s) {
  layout how = kLayoutPacked;
  if (s->device.device_type == kDLCPU) how.guard = kGuardEnd;
  return how;
}

/* The call is to do no harm, whatever it computes. */
static void expect_clean(attempt *a, outcome *out) {
  if (call_and_look(a, out)) judge(out, kPassed, "%s", "it did no harm");
}

static bool run_extent(attempt *a, const probe_case *which, outcome *out) {
  const layout how = guard_end(a->s);
  if (!set_extent(a, which->number, which->kind->choice, 0, &how)) return false;
  expect_clean(a, out);
  return true;
}

/* The strides of dimensions of one element are arbitrary: where the call has none, an extent is
 * made 1. */
static bool run_unit(attempt *a, const probe_case *which, outcome *out) {
  attempt other;
  const bool good = attempt_init(&other, a->s, NULL) &&
                    set_extent(a, which->number, 1, 0, &kLayoutPacked) &&
                    set_extent(&other, which->number, 1, 1021, &kLayoutPacked);
  if (good) compare_calls(a, &other, out);
  attempt_free(&other);
  return good;
}

static bool run_unequal(attempt *a, const probe_case *which, outcome *out) {
  const subject *s = a->s;
  const DLTensor *tensor = subject_tensor(s, (size_t)which->arg);
  const int64_t d = (which->number < 0 ? -which->number : which->number) - 1;
  int64_t shape[kLayoutMaxDims];
  const layout how = guard_end(s);
  memcpy(shape, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  shape[d] += which->number < 0 ? -1 : 1;
  attempt_free(a); /* to have all tensors there */
  if (!attempt_init(a, s, &how) ||
      !attempt_set_tensor(a, (size_t)which->arg, tensor->dtype, shape, tensor->ndim, &how, NULL)) {
    return false;
  }
  expect_clean(a, out);
  return true;
}

/* Compares only the elements of outputs: a result may well depend on the shape. */
static void expect_same_elements(attempt *a, outcome *out) {
  effects expected = a->s->after;
  effects got;
  text_buf wrong = {NULL, 0, 0};
  size_t i;
  if (!call_and_look(a, out)) return;
  if (!attempt_take_effects(a, &got)) {
    leave_out(out);
  } else {
    expected.text = got.text;
    for (i = 0; i < a->num_args; ++i) { /* the shape of one of them differs */
      DLTensor *x = got.tensors[i] != NULL ? TVMFFITensorGetDLTensorPtr(got.tensors[i]) : NULL;
      if (x == NULL || expected.tensors[i] == NULL) continue;
      x->ndim = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->ndim;
      x->shape = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->shape;
      x->strides = TVMFFITensorGetDLTensorPtr(expected.tensors[i])->strides;
    }
    if (effects_match(&got, &expected, a->num_args, false, &a->s->allowed, &wrong)) {
      judge(out, kPassed, "%s", "the same elements");
    } else {
      judge(out, kFailed, "%s", wrong.data);
    }
  }
  effects_free(&got, a->num_args);
  text_free(&wrong);
}

/* Passes the same elements in another shape, as a Tensor and then, if that is taken, as a DLTensor
 * whose extents end where nobody may read. */
static bool run_shape(attempt *a, size_t i, const int64_t *shape, int32_t ndim, bool same_elements,
                      outcome *out) {
  const subject *s = a->s;
  const DLTensor *tensor = subject_tensor(s, i);
  const layout how = guard_end(s);
  int as_view;
  for (as_view = 0; as_view < 2; ++as_view) {
    attempt_free(a);
    if (!attempt_init(a, s, &how) ||
        !attempt_set_tensor(a, i, tensor->dtype, shape, ndim, &how, NULL) ||
        (as_view != 0 && !attempt_pass_view(a, i))) {
      return false;
    }
    (same_elements ? expect_same_elements : expect_clean)(a, out);
    if (out->verdict != kPassed) return true;
  }
  return true;
}

/* Whether the only tensor is changed in place. A function of any rank that works along the last
 * dimension rightly computes other numbers of it in another shape. */
static bool is_in_place(const subject *s) {
  size_t i, num_tensors = 0, num_outputs = 0;
  for (i = 0; i < s->inputs->size; ++i) {
    num_tensors += subject_tensor(s, i) != NULL;
    num_outputs += s->is_output[i];
  }
  return num_tensors == 1 && num_outputs == 1;
}

static bool run_more_dims(attempt *a, const probe_case *which, outcome *out) {
  const DLTensor *tensor = subject_tensor(a->s, (size_t)which->arg);
  const bool is_last = which->number != 0;
  int64_t shape[kLayoutMaxDims + 1];
  memcpy(shape + (is_last ? 0 : 1), tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  shape[is_last ? tensor->ndim : 0] = 1;
  return run_shape(a, (size_t)which->arg, shape, tensor->ndim + 1, !is_in_place(a->s), out);
}

/* The first two dimensions become one; of a single dimension the first element stays. */
static bool run_fewer_dims(attempt *a, const probe_case *which, outcome *out) {
  const DLTensor *tensor = subject_tensor(a->s, (size_t)which->arg);
  int64_t shape[kLayoutMaxDims];
  if (tensor->ndim > 1) {
    memcpy(shape, tensor->shape + 1, (size_t)(tensor->ndim - 1) * sizeof *shape);
    shape[0] *= tensor->shape[0];
  }
  return run_shape(a, (size_t)which->arg, shape, tensor->ndim - 1,
                   tensor->ndim > 1 && !is_in_place(a->s), out);
}

/* The numbers of elements that 32 bits cannot hold: as a negative number, and as a small one. */
static const int64_t kHuge[] = {(INT64_C(1) << 31) + 8, (INT64_C(1) << 32) + 8};

static void list_huge(const subject *s, const row *kind, case_list *out) {
  size_t i, first = out->size, num_extents;
  if (sizeof(size_t) < 8) return;
  list_extents(s, kind, out);
  num_extents = out->size - first;
  for (i = 0; i < num_extents; ++i) {
    const int64_t extent = out->items[first + i].number;
    snprintf(out->items[first + i].name, sizeof out->items->name, "%s:%" PRId64 ":31", kind->name,
             extent);
    add_case(out, kind, 1, extent, ":%" PRId64 ":32", extent);
  }
}

/* Makes the argument a tensor of that shape without memory, of which the first `opened` bytes stay.
 * False with an error raised. */
static bool take_memory(attempt *a, size_t i, const int64_t *shape, size_t opened) {
  const DLTensor *tensor = subject_tensor(a->s, i);
  layout how = kLayoutPacked;
  how.has_no_memory = true;
  how.device = a->s->device;
  if (!attempt_set_tensor(a, i, tensor->dtype, shape, tensor->ndim, &how, NULL)) return false;
  return opened == 0 || pages_open(a->args[i].store->block->low, opened);
}

/* For all tensors with the extent, which becomes `other`. */
static bool take_all_memory(attempt *a, int64_t extent, int64_t other, size_t opened) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = subject_tensor(a->s, i);
    int64_t shape[kLayoutMaxDims];
    if (tensor == NULL || !replace_extent(tensor, extent, other, shape)) continue;
    if (!take_memory(a, i, shape, opened)) return false;
  }
  return true;
}

/* After a verdict that only holds for functions that use the elements: makes the call as it was
 * given, with a tensor that nobody may use. If it returns, the verdict is taken back;
 * rows_judge_end() sees the crash. */
static void look_whether_used(const subject *s, size_t i, outcome *out) {
  attempt a;
  bool good = attempt_init(&a, s, NULL);
  if (good && find_tensor(s, i) != NULL) good = take_memory(&a, i, find_tensor(s, i)->shape, 0);
  if (!good || !attempt_call(&a)) {
    leave_out(out);
  } else if (a.returned) {
    judge(out, kPassed, "it uses no elements");
  }
  attempt_free(&a);
}

/* Whether the extent alone decides how much there is to do: outputs have it, or there is no
 * other. */
static bool is_decisive(const subject *s, int64_t extent) {
  size_t i;
  int32_t d;
  bool is_only = true;
  for (i = 0; i < s->inputs->size; ++i) {
    const DLTensor *tensor = subject_tensor(s, i);
    for (d = 0; tensor != NULL && d < tensor->ndim; ++d) {
      if (tensor->shape[d] == extent && s->is_output[i]) return true;
      is_only = is_only && (tensor->shape[d] == extent || tensor->shape[d] == 1);
    }
  }
  return is_only;
}

/* After the verdict that a function returned too early: makes the call with an extent that 32 bits
 * hold, of which only the first page has memory, too. If it returns, the function may need no more
 * of any extent; rows_judge_end() sees the crash of one that does. */
static void look_whether_needed(const subject *s, int64_t extent, outcome *out) {
  enum { kModerate = 1 << 20 };
  attempt a;
  if (!attempt_init(&a, s, NULL) || !take_all_memory(&a, extent, kModerate, pages_size()) ||
      !attempt_call(&a)) {
    leave_out(out);
  } else if (a.returned) {
    judge(out, kPassed, "it may need no more than the first elements");
  }
  attempt_free(&a);
}

/* Of tensors that are huge, the first page alone has memory. A function that goes on from there
 * uses all of the extent: rows_judge_end() lets that pass. One that ends before has cut it off,
 * unless it never uses more. */
static bool run_huge(attempt *a, const probe_case *which, outcome *out) {
  enum { kMoreMemory = 1 << 30 };
  const int64_t extent = kHuge[which->arg > 0];
  if (!take_all_memory(a, which->number, extent, pages_size())) return false;
  process_limit_memory(kMoreMemory); /* a function may ask for as much memory for itself */
  if (call_and_look(a, out) && !is_decisive(a->s, which->number)) {
    judge(out, kPassed, "it may need no more than other extents say");
  } else if (out->verdict == kVerdictNone) {
    judge(out, kFailed,
          "it returned, but did not get beyond the first elements: an extent of %" PRId64
          " may be cut off to 32 bits",
          extent);
    look_whether_needed(a->s, which->number, out);
  }
  return true;
}

/* ---- Wrong calls ---- */

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

static bool run_missing(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "one argument too few, without argument %d", which->arg);
  attempt_remove(a, (size_t)which->arg);
  expect_refusal(a, -1, accepted, out);
  return true;
}

/* Parameters that may be left out are passed too, as far as they are known; otherwise a few more
 * arguments are tried, for the first may be for such a parameter. */
static bool run_extra(attempt *a, const probe_case *which, outcome *out) {
  enum { kMost = 4 };
  const subject *s = a->s;
  const size_t given = s->inputs->size;
  size_t count = given, tried;
  (void)which;
  if (s->types != NULL && schema_num_params(s->types) > given) count = schema_num_params(s->types);
  for (tried = 1; tried <= (s->types != NULL ? 1 : kMost); ++tried) {
    attempt_free(a);
    if (!attempt_init(a, s, NULL)) return false;
    while (a->num_args < count + tried) {
      attempt_append(a, a->num_args < count ? tvm_ffi_any_none() : tvm_ffi_any_from_int64(1));
    }
    expect_refusal(a, -1, "there is one argument too many", out);
    if (out->verdict != kFailed) break;
  }
  return true;
}

static void pass_other_value(attempt *a, const probe_case *which, TVMFFIAny value, const char *name,
                             outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d is %s", which->arg, name);
  attempt_set_value(a, (size_t)which->arg, value);
  expect_refusal(a, which->arg, accepted, out);
}

static bool run_none(attempt *a, const probe_case *which, outcome *out) {
  pass_other_value(a, which, tvm_ffi_any_none(), "None", out);
  if (out->verdict == kFailed && a->s->types == NULL) judge(out, kPassed, "it takes None");
  return true;
}

static bool run_type(attempt *a, const probe_case *which, outcome *out) {
  const char *spec = kOthers[which->number].spec;
  input_list read = {NULL, 0, 0};
  TVMFFIAny value;
  if (spec == NULL) {
    value = tvm_ffi_any_from_pointer(pages_reserve(pages_size()));
  } else {
    input_reader *reader = input_reader_new(0, kGuardNone);
    if (!input_read(reader, spec, "a value", NULL, &read)) {
      judge(out, kLeftOut, "this runtime has no such value");
      return true;
    }
    value = read.items[0].value;
    free(read.items);
    input_reader_free(reader);
  }
  pass_other_value(a, which, value, kOthers[which->number].name, out);
  return true;
}

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
static bool run_dtype(attempt *a, const probe_case *which, outcome *out) {
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
  if (good && call_and_look(a, out)) {
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
  } else if (good) {
    look_at_name(a, i, out);
  }
  free(values);
  return good;
}

static bool run_device(attempt *a, const probe_case *which, outcome *out) {
  const size_t i = (size_t)which->arg;
  const DLTensor *tensor = subject_tensor(a->s, i);
  layout how = kLayoutPacked;
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d is on another device", which->arg);
  how.device = tvm_ffi_device_make((int)which->number, 0);
  how.has_no_memory = true; /* that this process may use */
  if (!attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &how, NULL)) {
    return false;
  }
  expect_refusal_or_no_use(a, which->arg, accepted, out);
  return true;
}

static bool run_null(attempt *a, const probe_case *which, outcome *out) {
  char accepted[64];
  snprintf(accepted, sizeof accepted, "argument %d has elements and no data", which->arg);
  if (!attempt_clear_data(a, (size_t)which->arg)) return false;
  a->args[which->arg].is_output = false;
  expect_refusal_or_no_use(a, which->arg, accepted, out);
  return true;
}

/* ---- State ---- */

/* Calls again and again; false if a call failed, which has been judged. */
static bool call_often(attempt *a, int count, outcome *out) {
  int i;
  for (i = 0; i < count; ++i) {
    if (!call_again_and_look(a, out)) return false;
    if (!attempt_reset(a)) {
      leave_out(out);
      return false;
    }
  }
  return true;
}

static bool run_repeat(attempt *a, const probe_case *which, outcome *out) {
  enum { kCalls = 3 };
  const subject *s = a->s;
  int i;
  (void)which;
  for (i = 0; i < kCalls; ++i) {
    if (!call_again_and_look(a, out)) return true;
    if (!look_at_effects(a, &s->after, !s->may_vary, out)) return true;
    if (!attempt_reset(a)) return false;
  }
  judge(out, kPassed, "the same %s", s->may_vary ? "numbers" : "bits");
  return true;
}

enum { kNumThreads = 2 };

typedef struct {
  const subject *s;
  attempt attempts[kNumThreads];
  effects expected[kNumThreads];
  outcome outcomes[kNumThreads];
  volatile int calls[kNumThreads];
  double begin;
} race;

/* Threads may have to share a processor with other programs: all of them make some calls, unless
 * that takes very long. */
static bool has_raced(const race *r) {
  enum { kCalls = 100 };
  const double shortest = 0.3, longest = 4, passed = clock_seconds() - r->begin;
  size_t i;
  for (i = 0; i < kNumThreads && passed < longest; ++i) {
    if (r->calls[i] < kCalls && r->outcomes[i].verdict == kVerdictNone) return false;
  }
  return passed > shortest;
}

static void run_in_thread(void *context, size_t i) {
  race *r = context;
  attempt *a = &r->attempts[i];
  outcome *out = &r->outcomes[i];
  text_buf wrong = {NULL, 0, 0};
  do {
    if (!attempt_call_here(a)) {
      leave_out(out);
    } else if (!attempt_is_clean(a, &wrong)) {
      judge(out, kFailed, "%s", wrong.data);
    } else if (!a->returned) {
      attempt_describe_error(a, &wrong);
      judge(out, kFailed, "the call that works raised %s", wrong.data);
    } else if (look_at_effects(a, &r->expected[i], !r->s->may_vary, out) && !attempt_reset(a)) {
      leave_out(out);
    }
    ++r->calls[i];
  } while (out->verdict == kVerdictNone && !has_raced(r));
  text_free(&wrong);
  TVMFFIErrorSetRaised(NULL);
}

static int race_threads(void *context) {
  return threads_run(kNumThreads, run_in_thread, context) ? 0 : -1;
}

/* Moves the elements of inputs by one, so that threads which share a buffer find values of the
 * other one in it. False with an error raised. */
static bool rotate_inputs(attempt *a) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    const DLTensor *tensor = find_tensor(a->s, i);
    const size_t size = tensor != NULL ? tensor_size(tensor) : 0;
    const size_t item = size > 0 ? size / (size_t)tvm_ffi_tensor_get_numel(tensor) : 0;
    unsigned char *moved;
    bool good;
    if (tensor == NULL || a->s->is_output[i] || item == 0) continue;
    moved = tool_alloc(size);
    memcpy(moved, (const char *)tensor->data + item, size - item);
    memcpy(moved + size - item, tensor->data, item);
    good =
        attempt_set_tensor(a, i, tensor->dtype, tensor->shape, tensor->ndim, &kLayoutPacked, moved);
    free(moved);
    if (!good) return false;
  }
  return true;
}

/* The arguments of the i-th thread, and what they should lead to, found out by a call before. The
 * first has those of the call that works, and so have others if they are refused otherwise. */
static bool prepare_thread(race *r, size_t i, outcome *out) {
  attempt *a = &r->attempts[i];
  bool good = attempt_init(a, r->s, NULL) && (i == 0 || rotate_inputs(a));
  if (good && i > 0 && !call_and_look(a, out) && out->verdict == kRefused) {
    out->verdict = kVerdictNone;
    attempt_free(a);
    good = attempt_init(a, r->s, NULL);
    if (good) (void)call_again_and_look(a, out);
  } else if (good && i == 0) {
    (void)call_again_and_look(a, out);
  }
  good = good && out->verdict == kVerdictNone && attempt_take_effects(a, &r->expected[i]) &&
         attempt_reset(a);
  if (!good && out->verdict == kVerdictNone) leave_out(out);
  return good;
}

static bool run_threads(attempt *a, const probe_case *which, outcome *out) {
  static race r; /* threads may go on after a report */
  size_t i;
  (void)which;
  r.s = a->s;
  for (i = 0; i < kNumThreads; ++i) {
    if (!prepare_thread(&r, i, out)) return true;
  }
  r.begin = clock_seconds();
  if (foreign_call(kStageCall, a->s->name, race_threads, &r) != 0) {
    judge(out, kLeftOut, "no threads can be started");
    return true;
  }
  for (i = 0; i < kNumThreads && out->verdict == kVerdictNone; ++i) {
    if (r.outcomes[i].verdict == kVerdictNone) continue;
    judge(out, (verdict)r.outcomes[i].verdict, "in two threads at once: %s", r.outcomes[i].detail);
  }
  if (out->verdict == kVerdictNone) judge(out, kPassed, "the same as one after the other");
  return true;
}

/* ---- State: allocations that fail ---- */

static bool asked_for_tensor;

static int refuse_tensor(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_context,
                         void (*set_error)(void *error_context, const char *kind,
                                           const char *message)) {
  (void)prototype;
  (void)out;
  asked_for_tensor = true;
  set_error(error_context, "MemoryError", "probe lets this allocation fail");
  return -1;
}

/* The allocation that fails, counted down; negative: none. */
static volatile long allocations_left = -1;
static bool can_fail;

static void *allocate_or_fail(void *context, size_t size) {
  (void)context;
  if (allocations_left == 0) return NULL;
  if (allocations_left > 0) --allocations_left;
  return malloc(size);
}

static void deallocate(void *context, void *block) {
  (void)context;
  free(block);
}

void rows_prepare(void) {
  static const TVMFFIRuntimeMemoryHooks kHooks = {allocate_or_fail, deallocate, NULL};
  can_fail = own_runtime_is_used() && own_runtime_set_memory_hooks(&kHooks);
  if (!can_fail) TVMFFIErrorSetRaised(NULL);
}

static bool run_without_tensors(attempt *a, outcome *out) {
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(refuse_tensor, 1, NULL) != 0) return false;
  expect_same(a, out);
  if (out->verdict == kPassed && !asked_for_tensor) {
    judge(out, kPassed, "it allocates no tensors");
  }
  return true;
}

/* Lets the first allocation of a call fail and all after it, then the second, until one call needs
 * no more than are left. */
static void run_without_objects(attempt *a, outcome *out) {
  enum { kMost = 300 };
  text_buf wrong = {NULL, 0, 0};
  long i;
  for (i = 0; i < kMost && out->verdict == kVerdictNone; ++i) {
    bool called, used_up;
    allocations_left = i;
    called = attempt_call(a);
    used_up = allocations_left == 0;
    allocations_left = -1;
    if (!called) {
      leave_out(out);
    } else if (!attempt_is_clean(a, &wrong)) {
      judge(out, kFailed, "when allocation %ld fails: %s", i, wrong.data);
    } else if (a->returned && look_at_effects(a, &a->s->after, false, out) && !used_up) {
      judge(out, kPassed, "the same, or an error");
    }
    if (!attempt_reset(a)) leave_out(out);
  }
  if (out->verdict == kVerdictNone) judge(out, kPassed, "the same, or an error");
  text_free(&wrong);
}

static bool run_allocator(attempt *a, const probe_case *which, outcome *out) {
  if (which->number == 0) return run_without_tensors(a, out);
  if (can_fail) {
    run_without_objects(a, out);
  } else {
    judge(out, kLeftOut, "this runtime has no way to make its allocations fail");
  }
  return true;
}

/* ---- State: leaks, and what else stays behind ---- */

/* The references to the object of an argument; 0: there is none. */
static uint64_t count_references(const argument *arg) {
  return arg->object != NULL ? ((const TVMFFIObject *)arg->object)->combined_ref_count : 0;
}

static void look_at_references(const attempt *a, const uint64_t *before, outcome *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    if (count_references(&a->args[i]) == before[i]) continue;
    judge(out, kFailed, "argument %zu has another number of references than before", i);
    return;
  }
}

/* Calls once; objects that the function makes once and keeps exist then. Then counts those that
 * another call leaves. */
static bool run_objects(attempt *a, const probe_case *which, outcome *out) {
  uint64_t *before = tool_alloc((a->num_args + 1) * sizeof *before);
  int64_t alive = 0;
  size_t i;
  (void)which;
  if (call_often(a, 1, out)) {
    for (i = 0; i < a->num_args; ++i) before[i] = count_references(&a->args[i]);
    if (own_runtime_is_used()) own_runtime_count_objects(true);
    if (call_again_and_look(a, out)) {
      tvm_ffi_any_clear(&a->result);
      if (own_runtime_is_used()) alive = own_runtime_get_object_count(kTVMFFIAny);
      look_at_references(a, before, out);
    }
    if (own_runtime_is_used()) own_runtime_count_objects(false);
  }
  if (out->verdict == kVerdictNone && alive != 0) {
    judge(out, kFailed, "%" PRId64 " objects that the call made are alive after it", alive);
  } else if (out->verdict == kVerdictNone) {
    judge(out, kPassed, "none");
  }
  free(before);
  return true;
}

/* What is compared may be that of a few calls, which may fill caches, or of many. */
enum { kFew = 4, kMany = 32 };

/* Reads the state, makes `warm` calls before and `count` in between; false if it has been judged.
 */
static bool read_states(attempt *a, int warm, int count, process_state *before,
                        process_state *after, outcome *out) {
  bool good = call_often(a, warm, out);
  process_state_read(before);
  good = good && call_often(a, count, out);
  process_state_read(after);
  return good;
}

static bool run_descriptors(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_states(a, kFew, kMany, &before, &after, out)) return true;
  if (after.num_descriptors >= before.num_descriptors + kMany ||
      after.num_descriptors < before.num_descriptors) {
    judge(out, kFailed, "%zu descriptors are open after %d calls, %zu before",
          after.num_descriptors, kMany, before.num_descriptors);
  } else {
    judge(out, kPassed, "as many as before");
  }
  return true;
}

static bool run_mappings(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_states(a, kFew, kMany, &before, &after, out)) return true;
  if (!before.knows_mappings) {
    judge(out, kLeftOut, "this system does not list the mappings of a process");
  } else if (after.mapped >= before.mapped + kMany * pages_size()) {
    judge(out, kFailed, "%d calls left %" PRIu64 " more bytes mapped", kMany,
          after.mapped - before.mapped);
  } else {
    judge(out, kPassed, "as large as before");
  }
  return true;
}

/* Whether tiny numbers are not taken for zeros. */
static bool has_subnormals(void) {
  volatile double tiny = DBL_MIN;
  tiny = tiny / 4;
  return tiny != 0;
}

static bool run_rounding(attempt *a, const probe_case *which, outcome *out) {
  const int mode = fegetround();
  const bool subnormals = has_subnormals();
  (void)which;
  if (!call_often(a, 1, out)) return true;
  if (fegetround() != mode) {
    judge(out, kFailed, "the rounding mode is %d after the call, %d before", fegetround(), mode);
  } else if (has_subnormals() != subnormals) {
    judge(out, kFailed, "the call changed whether tiny numbers are flushed to zero");
  } else {
    judge(out, kPassed, "as before");
  }
  return true;
}

static bool run_locale(attempt *a, const probe_case *which, outcome *out) {
  const char *name = setlocale(LC_ALL, NULL);
  char *old = tool_copy(name, strlen(name));
  process_state before, after;
  (void)which;
  if (read_states(a, 0, 1, &before, &after, out)) {
    name = setlocale(LC_ALL, NULL);
    if (strcmp(name, old) != 0) {
      judge(out, kFailed, "the locale is %s after the call, %s before", name, old);
    } else if (before.locale != after.locale) {
      judge(out, kFailed, "the thread has another locale after the call");
    } else {
      judge(out, kPassed, "as before");
    }
  }
  free(old);
  return true;
}

static bool run_signals(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  int i;
  (void)which;
  if (!read_states(a, 0, 1, &before, &after, out)) return true;
  for (i = 1; i < kMaxSignals; ++i) {
    if (before.handlers[i] == after.handlers[i]) continue;
    judge(out, kFailed, "signal %d has another handler after the call", i);
    return true;
  }
  judge(out, kPassed, "as before");
  return true;
}

/* ---- The table ---- */

#define LAYOUT "layouts"
#define SHAPE "shapes"
#define STATE "state"
#define WRONG "calls"
#define HOST kRowNeedsHost
#define NAMES kRowNamesArgument

/* clang-format off */
const row kRows[] = {
    {LAYOUT, "offset", list_tensors, 0, run_arranged, arrange_offset, 0},
    {LAYOUT, "misaligned", list_misaligned, 0, run_arranged, arrange_misaligned, 0},
    {LAYOUT, "strided", list_tensors, 0, run_arranged, arrange_strided, 0},
    {LAYOUT, "transposed", list_tensors, 2, run_arranged, arrange_transposed, 0},
    {LAYOUT, "negative", list_tensors, 1, run_arranged, arrange_negative, 0},
    {LAYOUT, "broadcast", list_broadcast, 0, run_broadcast, NULL, 0},
    {LAYOUT, "unit", list_extents, 0, run_unit, NULL, 0},
    {LAYOUT, "page-end", list_tensors, 0, run_arranged, arrange_page_end, HOST},
    {LAYOUT, "page-begin", list_tensors, 0, run_arranged, arrange_page_begin, HOST},
    {LAYOUT, "read-only", list_inputs, 0, run_arranged, arrange_read_only, HOST},
    {LAYOUT, "pinned", list_tensors, 0, run_arranged, arrange_pinned, HOST},
    {LAYOUT, "managed", list_tensors, 0, run_arranged, arrange_managed, HOST},
    {LAYOUT, "view", list_tensors, 0, run_view, NULL, 0},
    {SHAPE, "extent-0", list_extents, 0, run_extent, NULL, 0},
    {SHAPE, "extent-1", list_extents, 1, run_extent, NULL, 0},
    {SHAPE, "unequal", list_unequal, 0, run_unequal, NULL, 0},
    {SHAPE, "more-dims", list_more_dims, 0, run_more_dims, NULL, 0},
    {SHAPE, "fewer-dims", list_fewer_dims, 0, run_fewer_dims, NULL, 0},
    {SHAPE, "huge", list_huge, 0, run_huge, NULL, HOST},
    {STATE, "repeat", list_once, 0, run_repeat, NULL, 0},
    {STATE, "threads", list_once, 0, run_threads, NULL, 0},
    {STATE, "allocator", list_allocators, 0, run_allocator, NULL, 0},
    {STATE, "objects", list_once, 0, run_objects, NULL, 0},
    {STATE, "descriptors", list_once, 0, run_descriptors, NULL, 0},
    {STATE, "mappings", list_once, 0, run_mappings, NULL, 0},
    {STATE, "rounding", list_once, 0, run_rounding, NULL, 0},
    {STATE, "locale", list_once, 0, run_locale, NULL, 0},
    {STATE, "signals", list_once, 0, run_signals, NULL, 0},
    {WRONG, "missing", list_args, 0, run_missing, NULL, 0},
    {WRONG, "extra", list_once, 0, run_extra, NULL, 0},
    {WRONG, "none", list_none, 0, run_none, NULL, NAMES},
    {WRONG, "type", list_types, 0, run_type, NULL, NAMES},
    {WRONG, "dtype", list_dtypes, 0, run_dtype, NULL, NAMES},
    {WRONG, "device", list_devices, 0, run_device, NULL, NAMES},
    {WRONG, "null", list_each_tensor, 0, run_null, NULL, NAMES},
    {WRONG, "named", NULL, 0, NULL, NULL, 0},
};
/* clang-format on */
const size_t kNumRows = sizeof kRows / sizeof *kRows;

void rows_list(const subject *s, case_list *out) {
  size_t i;
  memset(out, 0, sizeof *out);
  for (i = 0; i < kNumRows; ++i) {
    const row *kind = &kRows[i];
    if (kind->list == NULL ||
        ((kind->flags & kRowNeedsHost) != 0 && s->device.device_type != kDLCPU))
      continue;
    kind->list(s, kind, out);
  }
}

void rows_run(const subject *s, const probe_case *which, outcome *out) {
  attempt a;
  if (!attempt_init(&a, s, NULL) || !which->kind->run(&a, which, out)) leave_out(out);
  attempt_free(&a);
}

void rows_judge_end(const probe_case *which, const char *ending, outcome *out) {
  const bool used_elements = strstr(ending, "has no memory") != NULL;
  if (out->verdict == kFailed) return; /* look_whether_used(), look_whether_needed() */
  if (used_elements && which->kind->run == run_huge) {
    judge(out, kPassed, "it goes on beyond the first elements");
  } else {
    const bool wrote = strstr(ending, "wrote to a read-only tensor") != NULL;
    judge(out, kFailed, "it %s%s", ending, wrote ? kHintOutput : "");
  }
}
