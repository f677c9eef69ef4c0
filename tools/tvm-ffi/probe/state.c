/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what should not depend on other calls, or outlast a call. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/text.h"
#include "library/library.h"
#include "platform/atomic.h"
#include "probe/rows.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"
#include "value/value_text.h"

/* ---- Calls after others, and beside them ---- */

enum { kKibi = 1024, kObjectAlignment = 16 };

/* What outputs may hold before the call. */
static const struct {
  const char *name, *words;
  double real;  /* in tensors of real numbers; */
  int integers; /* the bytes of others, and of unknown types */
} kDirt[] = {{"nan", "NaN, or bytes 0x80,", NAN, 0x80},
             {"large", "large numbers", 1e30, 0x7f},
             {"negative", "large negative numbers", -1e30, 0xc5},
             {"ones", "bytes 0xff", 0, 0xff}};
enum { kNumDirt = sizeof kDirt / sizeof *kDirt };

/* Those that the function is to fill, all at once. */
static void list_dirty(const subject *s, const row *kind, case_list *out) {
  bool has_any = false;
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    has_any = has_any || (subject_fills(s, i) && find_tensor(s, i) != NULL);
  }
  for (i = 0; has_any && i < kNumDirt; ++i)
    add_case(out, kind, -1, (int64_t)i, ":%s", kDirt[i].name);
}

static bool make_dirty(attempt *a, const probe_case *which) {
  const double real = kDirt[which->number].real;
  size_t i, k;
  for (i = 0; i < a->num_args; ++i) {
    argument *arg = &a->args[i];
    const DLDataType dtype = arg->store != NULL ? arg->store->tensor.dtype : TVM_FFI_C_FLOAT32;
    const bool is_real = dtype.code == kDLFloat && numbers_known(dtype) && real != 0;
    if (arg->store == NULL || arg->before == NULL || !subject_fills(a->s, i)) continue;
    memset(arg->before, kDirt[which->number].integers, arg->size);
    if (dtype.code == kDLBool) memset(arg->before, 1, arg->size);
    for (k = 0; is_real && k < (size_t)tvm_ffi_tensor_get_numel(&arg->store->tensor); ++k) {
      number_set_real(dtype, arg->before, k, real);
    }
  }
  return attempt_reset(a);
}

static void judge_dirty(attempt *a, const probe_case *which, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  expect_same(a, which, out);
  if (out->verdict != kFailed || !a->returned) return;
  text_add(&wrong, "%s; the outputs held %s before", out->detail, kDirt[which->number].words);
  judge(out, kFailed, "%s (give an output that is also an input its values)", wrong.data);
  text_free(&wrong);
}

/* Says what the call found that others did not. */
static void explain_repeat(outcome *out, int byte) {
  char *why = tool_copy(out->detail, strlen(out->detail));
  if (out->verdict == kFailed) {
    judge(out, kFailed,
          "%s (again, with bytes 0x%02x in memory that was not written, and errno and "
          "floating-point exceptions set before)",
          why, (unsigned)byte);
  }
  free(why);
}

/* Each call finds other bytes below it on the stack, and in memory from malloc. */
static void judge_repeat(attempt *a, const probe_case *which, outcome *out) {
  enum { kCalls = 20, kNumBytes = 4, kLarge = 1 << 16, kAlike = 8 };
  /* more calls than 16, which a function may count */
  static const int kBytes[kNumBytes] = {0x55, 0xff, 0x3f, 0x80};
  const subject *s = a->s;
  size_t i;
  (void)which;
  for (i = 0; i < kCalls; ++i) {
    a->stack_byte = kBytes[i % kNumBytes];
    if (i < kNumBytes) heap_fill(a->stack_byte, kLarge, kAlike);
    heap_mark(a->stack_byte);
    if (!call_again_and_look(a, out) || !look_at_effects(a, &s->after, !s->may_vary, out)) {
      explain_repeat(out, a->stack_byte);
      return;
    }
    if (!attempt_reset(a)) {
      leave_out(out);
      return;
    }
  }
  judge(out, kPassed, "the same %s", s->may_vary ? "numbers" : "bits");
}

/* ---- State: allocations that fail ---- */
static void list_allocators(const subject *s, const row *kind, case_list *out) {
  (void)s;
  add_case(out, kind, -1, 0, "%s", ":tensors");
  add_case(out, kind, -1, 1, "%s", ":objects");
}

/* What is counted here is atomic: threads of a function may allocate at once. A lock would stay
 * locked in a process that another thread of it starts. */
static int asked_for_tensor;

static int refuse_tensor(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_context,
                         void (*set_error)(void *error_context, const char *kind,
                                           const char *message)) {
  (void)prototype;
  (void)out;
  tvmffi_atomic_store_relaxed_int(&asked_for_tensor, 1);
  set_error(error_context, "MemoryError", "probe lets this allocation fail");
  return -1;
}

/* Whether allocations are counted down, and how many do not fail; below 0 after those. */
static int counts_down;
static uint64_t allocations_left;
static bool can_fail;

/* Objects that end where nobody may read; never freed. */
enum { kMostGuarded = 64 };
static void *guarded[kMostGuarded];
static uint64_t places_left = kMostGuarded; /* for them; below 0 after the last */
static int guards_objects;

void guard_new_objects(bool on) {
  tvmffi_atomic_store_relaxed_int(&guards_objects, on && can_fail);
}

static void *allocate_guarded(size_t size, uint64_t place) {
  const size_t whole = (size + kObjectAlignment - 1) / kObjectAlignment * kObjectAlignment;
  memory_block *block = memory_new(whole, 0, kGuardEnd, kMemoryPages);
  if (block == NULL) return NULL;
  memory_name(block, "an object, such as a shape or an array");
  tvmffi_atomic_store_release_ptr(&guarded[place], (void *)block->begin);
  return block->begin;
}

static void *allocate_or_fail(void *context, size_t size) {
  (void)context;
  if (tvmffi_atomic_load_relaxed_int(&guards_objects) != 0) {
    const int64_t left = (int64_t)tvmffi_atomic_sub_release_u64(&places_left, 1);
    if (left > 0) return allocate_guarded(size, (uint64_t)left - 1);
  }
  if (tvmffi_atomic_load_relaxed_int(&counts_down) != 0 &&
      (int64_t)tvmffi_atomic_sub_release_u64(&allocations_left, 1) <= 0) {
    return NULL;
  }
  return malloc(size);
}

static bool has_guarded(void) {
  return tvmffi_atomic_load_acquire_u64(&places_left) != kMostGuarded;
}

static void deallocate(void *context, void *block) {
  size_t i;
  (void)context;
  for (i = 0; i < kMostGuarded && has_guarded(); ++i) {
    if (tvmffi_atomic_load_acquire_ptr(&guarded[i]) == block) return;
  }
  free(block);
}

/* Lets all allocations after so many fail; negative: none. Returns how many of those before were
 * left. */
static int64_t allow_allocations(long count) {
  int64_t left;
  tvmffi_atomic_store_relaxed_int(&counts_down, 0);
  left = (int64_t)tvmffi_atomic_exchange_u64(&allocations_left, (uint64_t)count);
  tvmffi_atomic_store_relaxed_int(&counts_down, count >= 0);
  return left;
}

void rows_prepare(void) {
  static const TVMFFIRuntimeMemoryHooks kHooks = {allocate_or_fail, deallocate, NULL};
  can_fail = own_runtime_is_used() && own_runtime_set_memory_hooks(&kHooks);
  if (!can_fail) TVMFFIErrorSetRaised(NULL);
}

static void look_without_tensors(attempt *a, const probe_case *which, outcome *out) {
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(refuse_tensor, 1, NULL) != 0) {
    leave_out(out);
    return;
  }
  expect_same(a, which, out);
  if (out->verdict == kPassed && tvmffi_atomic_load_relaxed_int(&asked_for_tensor) == 0) {
    judge(out, kPassed, "it allocates no tensors");
  }
}

/* Lets the first allocation of a call fail and all after it, then the second, until one call needs
 * no more than are left. */
static void look_without_objects(attempt *a, outcome *out) {
  enum { kMost = 300 };
  text_buf wrong = {NULL, 0, 0};
  long i;
  for (i = 0; i < kMost && out->verdict == kVerdictNone; ++i) {
    bool called, used_up;
    allow_allocations(i);
    called = attempt_call(a);
    used_up = allow_allocations(-1) <= 0;
    if (!called) {
      leave_out(out);
    } else if (!attempt_is_clean(a, &wrong)) {
      judge(out, kFailed, "when allocation %ld fails: %s", i, wrong.data);
    } else if (a->returned && look_at_effects(a, &a->s->after, false, out) && !used_up) {
      judge(out, kPassed, "the same, or an error");
    } else if (out->verdict == kFailed) {
      text_add(&wrong, "when allocation %ld fails, it returns: %s", i, out->detail);
      judge(out, kFailed, "%s", wrong.data);
    }
    if (!attempt_reset(a)) leave_out(out);
  }
  if (out->verdict == kVerdictNone) judge(out, kPassed, "the same, or an error");
  text_free(&wrong);
}

static void judge_allocator(attempt *a, const probe_case *which, outcome *out) {
  if (which->number == 0) {
    look_without_tensors(a, which, out);
    return;
  }
  if (can_fail) {
    look_without_objects(a, out);
  } else {
    judge(out, kLeftOut, "this runtime has no way to make its allocations fail");
  }
}
/* ---- State: leaks, and what else stays behind ---- */

static bool is_container(const TVMFFIAny *value) {
  return value_is_list(value) || inner_is_map(value);
}

static uint64_t *take_references(const attempt *a) {
  uint64_t *out = tool_alloc((a->num_args + 1) * sizeof *out);
  size_t i;
  for (i = 0; i < a->num_args; ++i) out[i] = inner_count_references(&a->args[i].value);
  return out;
}

static void look_at_references(const attempt *a, const uint64_t *before, outcome *out) {
  size_t i;
  for (i = 0; i < a->num_args; ++i) {
    if (inner_count_references(&a->args[i].value) == before[i]) continue;
    judge(out, kFailed, "argument %s%s has another number of references than before",
          a->s->places[i].label, is_container(&a->args[i].value) ? ", or what is in it," : "");
    return;
  }
}

/* Which objects are alive, "1 Error, 2 Tensor", of those that were counted. */
static void list_objects(int64_t alive, text_buf *out) {
  static const struct {
    int32_t index;
    const char *name;
  } kKinds[] = {{kTVMFFIError, "Error"},       {kTVMFFITensor, "Tensor"}, {kTVMFFIStr, "String"},
                {kTVMFFIBytes, "Bytes"},       {kTVMFFIArray, "Array"},   {kTVMFFIMap, "Map"},
                {kTVMFFIFunction, "Function"}, {kTVMFFIShape, "Shape"}};
  size_t i;
  for (i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
    const int64_t count = own_runtime_get_object_count(kKinds[i].index);
    if (count <= 0) continue;
    text_add(out, "%s%" PRId64 " %s", out->size > 0 ? ", " : "", count, kKinds[i].name);
    alive -= count;
  }
  if (alive > 0) text_add(out, "%s%" PRId64 " others", out->size > 0 ? ", " : "", alive);
}

/* Calls once; objects that the function makes once and keeps exist then. Then counts those that
 * another call leaves. */
static void judge_objects(attempt *a, const probe_case *which, outcome *out) {
  uint64_t *before = NULL;
  text_buf left = {NULL, 0, 0};
  int64_t alive = 0;
  (void)which;
  if (call_often(a, 1, out)) {
    tvm_ffi_any_clear(&a->result); /* which may be an argument */
    before = take_references(a);
    if (own_runtime_is_used()) own_runtime_count_objects(true);
    if (call_again_and_look(a, out)) {
      tvm_ffi_any_clear(&a->result);
      if (own_runtime_is_used()) alive = own_runtime_get_object_count(kTVMFFIAny);
      if (alive != 0) list_objects(alive, &left);
      look_at_references(a, before, out);
    }
    if (own_runtime_is_used()) own_runtime_count_objects(false);
  }
  if (out->verdict == kVerdictNone && alive != 0) {
    judge(out, kFailed, "the call made and left these objects: %s",
          left.size > 0 ? left.data : "fewer than before");
  } else if (out->verdict == kVerdictNone) {
    judge(out, kPassed, "none");
  }
  text_free(&left);
  free(before);
}

enum { kLeastBlock = 4 * sizeof(void *) }; /* what malloc takes at least */

/* Whether each of many calls may have left memory. */
static bool has_grown(const process_state *before, const process_state *after) {
  return (before->knows_heap && after->heap >= before->heap + kMany * kLeastBlock) ||
         (before->knows_mappings && after->mapped >= before->mapped + kMany * pages_size());
}

/*
 * The states before and after many calls. A leak grows each time: where memory has grown, the calls
 * are made again, up to twice, as a cache or malloc's own memory grows only now and then. False if
 * it has been judged, or a call did something else.
 */
static bool read_growth(attempt *a, bool (*call)(attempt *a, int count, outcome *out),
                        process_state *before, process_state *after, outcome *out) {
  enum { kRounds = 3 };
  bool good = call(a, kFew, out);
  int i;
  for (i = 0; good && i < kRounds && (i == 0 || has_grown(before, after)); ++i) {
    process_state_read(before);
    good = call(a, kMany, out);
    process_state_read(after);
  }
  return good;
}

static void judge_descriptors(attempt *a, const probe_case *which, outcome *out) {
  process_state first, before, after;
  (void)which;
  process_state_read(&first);
  if (!read_states(a, kFew, kMany, &before, &after, out)) return;
  if (before.num_descriptors < first.num_descriptors) {
    judge(out, kFailed, "it closed %zu descriptors that were not its own",
          first.num_descriptors - before.num_descriptors);
  } else if (after.num_descriptors >= before.num_descriptors + kMany ||
             after.num_descriptors < before.num_descriptors) {
    judge(out, kFailed, "%zu descriptors are open after %d calls, %zu before",
          after.num_descriptors, kMany, before.num_descriptors);
  } else {
    judge(out, kPassed, "as many as before");
  }
}

static void judge_memory(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_growth(a, call_often, &before, &after, out)) return;
  if (!before.knows_heap) {
    judge(out, kLeftOut, "this system does not count what malloc gave out");
  } else if (after.heap >= before.heap + kMany * kLeastBlock) {
    judge(out, kFailed, "%d calls left %" PRIu64 " bytes of malloc, %" PRIu64 " each", kMany,
          after.heap - before.heap, (after.heap - before.heap) / kMany);
  } else {
    judge(out, kPassed, "as much as before");
  }
}

static void judge_mappings(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_growth(a, call_often, &before, &after, out)) return;
  if (!before.knows_mappings) {
    judge(out, kLeftOut, "this system does not list the mappings of a process");
  } else if (after.mapped >= before.mapped + kMany * pages_size()) {
    judge(out, kFailed, "%d calls left %" PRIu64 " KiB more mapped, %" PRIu64 " KiB each", kMany,
          (after.mapped - before.mapped) / kKibi, (after.mapped - before.mapped) / kKibi / kMany);
  } else {
    judge(out, kPassed, "as large as before");
  }
}

/* ---- Calls that are refused, and calls after others ---- */

/* The wrong calls that are made: one argument is None, a tensor has another type or shape, ... */
enum {
  kWithNone,
  kWithDtype,
  kWithShape,
  kWithNegative,
  kWithNan,
  kWithFile,
  kWithEmpty, /* text or list */
  kWithoutTensors,
  kWithNumber = 100 /* the first of kNumbers, and so on */
};

/* A number that may be refused. None is so large that a function may loop for long. */
static const struct {
  const char *name;
  double value;
} kNumbers[] = {{"0", 0},     {"-1", -1},       {"1000", 1000}, {"lowest", -9223372036854775808.0},
                {"nan", NAN}, {"inf", HUGE_VAL}};
enum { kNumNumbers = sizeof kNumbers / sizeof *kNumbers, kNumInts = 4 };

/* Whether the last element of a tensor can be made one that a function may refuse. */
static bool has_last(const subject *s, size_t i) {
  const DLTensor *tensor = find_tensor(s, i);
  return tensor != NULL && !subject_fills(s, i) && tensor->dtype.lanes == 1 &&
         element_size(tensor->dtype) > 0 &&
         (tensor->dtype.code == kDLFloat || tensor->dtype.code == kDLInt);
}

static bool names_file(const subject *s, size_t i) {
  TVMFFIByteArray text;
  file_status status;
  return tvm_ffi_any_try_string(&s->inputs->items[i].value, &text) &&
         memchr(text.data, '\0', text.size) == NULL && text.size > 0 &&
         file_status_get(text.data, &status);
}

static void list_refused_values(const subject *s, const row *kind, size_t i, case_list *out) {
  const TVMFFIAny *value = &s->inputs->items[i].value;
  const bool is_int = value->type_index == kTVMFFIInt, is_real = value->type_index == kTVMFFIFloat;
  TVMFFIByteArray text;
  int64_t k;
  for (k = 0; k < (is_int ? kNumInts : is_real ? kNumNumbers : 0); ++k) {
    add_case(out, kind, (int)i, kWithNumber + k, ":%s:%s", s->places[i].label, kNumbers[k].name);
  }
  if (tvm_ffi_any_try_string(value, &text) || is_container(value)) {
    add_case(out, kind, (int)i, kWithEmpty, ":%s:empty", s->places[i].label);
  }
}

static void list_refusals(const subject *s, const row *kind, case_list *out) {
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    if (i < s->num_passed) list_refused_values(s, kind, i, out);
    if (!tvm_ffi_any_is_none(&s->inputs->items[i].value)) {
      add_case(out, kind, (int)i, kWithNone, ":%s:none", s->places[i].label);
    }
    if (i < s->num_passed && names_file(s, i)) {
      add_case(out, kind, (int)i, kWithFile, ":%s:file", s->places[i].label);
    }
    if (has_last(s, i)) {
      add_case(out, kind, (int)i, kWithNegative, ":%s:negative", s->places[i].label);
      if (find_tensor(s, i)->dtype.code == kDLFloat) {
        add_case(out, kind, (int)i, kWithNan, ":%s:nan", s->places[i].label);
      }
    }
    if (find_tensor(s, i) == NULL) continue;
    add_case(out, kind, (int)i, kWithDtype, ":%s:dtype", s->places[i].label);
    if (find_tensor(s, i)->ndim > 0)
      add_case(out, kind, (int)i, kWithShape, ":%s:shape", s->places[i].label);
  }
  add_case(out, kind, -1, kWithoutTensors, "%s", ":allocation");
}

static DLPackManagedTensorAllocator given_allocator; /* before it was made to fail */

/* The last element alone is wrong: the others are dealt with before. */
static bool make_last(attempt *a, size_t i, double value) {
  argument *arg = &a->args[i];
  const DLDataType dtype = arg->store->tensor.dtype;
  const size_t item = element_size(dtype);
  if (dtype.code == kDLInt) {
    memset(arg->before + arg->size - item, 0xff, item);
  } else {
    number_set_real(dtype, arg->before, arg->size / item - 1, value);
  }
  return attempt_reset(a);
}

/* A number, or an empty text, list or map. */
static bool make_refused_value(attempt *a, const probe_case *which) {
  const size_t i = (size_t)which->arg;
  const TVMFFIAny *given = &a->args[i].value;
  TVMFFIAny made = tvm_ffi_any_none();
  if (which->number >= kWithNumber) {
    const double value = kNumbers[which->number - kWithNumber].value;
    made = given->type_index == kTVMFFIInt ? tvm_ffi_any_from_int64((int64_t)value)
                                           : tvm_ffi_any_from_double(value);
  } else if (!is_container(given)) {
    made = tvm_ffi_any_view_string("");
  } else if (tvm_ffi_function_call_global(inner_maker(given), NULL, 0, &made) != 0) {
    return false;
  }
  return attempt_set_value(a, i, made);
}

static bool make_refusal(attempt *a, const probe_case *which) {
  const size_t i = (size_t)which->arg;
  const DLTensor *tensor;
  int64_t shape[kLayoutMaxDims];
  if (which->number == kWithoutTensors) {
    return TVMFFIEnvSetDLPackManagedTensorAllocator(refuse_tensor, 1, &given_allocator) == 0;
  }
  if (which->number == kWithNone) {
    return attempt_set_value(a, i, tvm_ffi_any_none());
  }
  if (which->number == kWithFile) { /* one that has nothing */
    return attempt_set_value(a, i, tvm_ffi_any_view_string("/dev/null"));
  }
  if (which->number == kWithEmpty || which->number >= kWithNumber) {
    return make_refused_value(a, which);
  }
  if (which->number == kWithNegative || which->number == kWithNan) {
    return make_last(a, i, which->number == kWithNan ? NAN : -1);
  }
  tensor = find_tensor(a->s, i);
  memcpy(shape, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
  if (which->number == kWithShape) shape[tensor->ndim - 1] += 1;
  return attempt_set_tensor(a, i,
                            which->number == kWithShape     ? tensor->dtype
                            : tensor->dtype.code == kDLUInt ? tvm_ffi_dtype_make(kDLInt, 64, 1)
                                                            : tvm_ffi_dtype_make(kDLUInt, 64, 1),
                            shape, tensor->ndim, &kLayoutPacked, NULL);
}

/* What it changed before it refused the call. An element can be met after others are written: of
 * outputs, that is only told. */
static void judge_changed(const attempt *a, size_t i, bool by_element, outcome *out) {
  const char *label = a->s->places[i].label;
  if (by_element && a->s->is_output[i]) {
    judge(out, kPassed, "it changed argument %s before it met the element and refused the call",
          label);
    out->is_note = true;
  } else {
    judge(out, kFailed,
          "it changed argument %s, and then refused the call: look at all arguments before the "
          "first is written",
          label);
  }
}

/* Makes the call so often; false if one is not refused, or it has been judged. */
static bool refuse_often(attempt *a, int count, bool by_element, outcome *out) {
  text_buf wrong = {NULL, 0, 0};
  bool good = true;
  int k;
  size_t i;
  for (k = 0; good && k < count; ++k) {
    good = attempt_call(a) && !a->returned && attempt_is_clean(a, &wrong);
    for (i = 0; good && i < a->num_args; ++i) {
      const argument *arg = &a->args[i];
      if (arg->store == NULL || arg->before == NULL || argument_is_unchanged(arg)) continue;
      judge_changed(a, i, by_element, out);
      good = out->verdict != kFailed;
    }
    good = good && attempt_reset(a);
  }
  TVMFFIErrorSetRaised(NULL);
  text_free(&wrong);
  return good;
}

static bool refuse_arguments(attempt *a, int count, outcome *out) {
  return refuse_often(a, count, false, out);
}

static bool refuse_elements(attempt *a, int count, outcome *out) {
  return refuse_often(a, count, true, out);
}

/* Whether the calls between the states left something. */
static void compare_states(const process_state *before, const process_state *after, int64_t alive,
                           outcome *out) {
  text_buf left = {NULL, 0, 0};
  if (after->num_descriptors >= before->num_descriptors + kMany) {
    text_add(&left, "%zu open descriptors", after->num_descriptors - before->num_descriptors);
  } else if (alive >= kMany) {
    list_objects(alive, &left);
  } else if (after->knows_mappings && after->mapped >= before->mapped + kMany * pages_size()) {
    text_add(&left, "%" PRIu64 " KiB mapped", (after->mapped - before->mapped) / kKibi);
  } else if (after->knows_heap && after->heap >= before->heap + kMany * kLeastBlock) {
    text_add(&left, "%" PRIu64 " bytes of malloc", after->heap - before->heap);
  }
  if (left.size > 0) judge(out, kFailed, "%d refused calls left %s", kMany, left.data);
  text_free(&left);
}

static void judge_refusals(attempt *a, const probe_case *which, outcome *out) {
  bool (*const refuse)(attempt *, int, outcome *) =
      which->number == kWithNegative || which->number == kWithNan ? refuse_elements
                                                                  : refuse_arguments;
  process_state before, after;
  uint64_t *references;
  int64_t alive = 0;
  bool refused;
  judge(out, kLeftOut, "it crashes, which other rows judge"); /* what holds if it does */
  refused = refuse(a, 1, out);
  references = take_references(a);
  if (refused) supervise_note("a call before it was refused, which may have kept a lock");
  if (out->verdict == kLeftOut) out->verdict = kVerdictNone; /* a later crash is one of the row */
  refused = refused && read_growth(a, refuse, &before, &after, out);
  if (refused && own_runtime_is_used()) { /* counting takes memory, too */
    own_runtime_count_objects(true);
    refused = refuse(a, kMany, out);
    alive = own_runtime_get_object_count(kTVMFFIAny);
    own_runtime_count_objects(false);
  }
  if (out->is_note) out->verdict = kVerdictNone; /* what is found besides is more than a note */
  if (refused && out->verdict == kVerdictNone) look_at_references(a, references, out);
  free(references);
  if (out->verdict == kFailed) return;
  if (refused) compare_states(&before, &after, alive, out);
  if (which->number == kWithoutTensors) {
    (void)TVMFFIEnvSetDLPackManagedTensorAllocator(given_allocator, 1, NULL);
  }
  if (refused && out->verdict == kVerdictNone) look_again(a->s, "a refused call", out);
  if (out->verdict != kVerdictNone) {
    out->is_note = false;
  } else if (out->is_note) {
    out->verdict = kPassed;
  } else {
    judge(out, kPassed, refused ? "they leave nothing" : "it is not refused");
  }
}

/* ---- The table ---- */

static const row kRows[] = {
    {{"dirty", "what the function is to fill holds NaN, large numbers, other bytes",
      "other numbers",
      "it adds to its output, takes the maximum with it, or leaves elements unwritten: write all, "
      "or begin with zeros"},
     list_dirty,
     0,
     make_dirty,
     judge_dirty,
     NULL,
     0},
    {{"repeat", "the same call again", "other bits",
      "uninitialised memory, static variables, sums by atomic addition. `--nondeterministic` "
      "allows differences within the tolerance"},
     list_once,
     0,
     NULL,
     judge_repeat,
     NULL,
     0},
    {{"threads", "the same call in two threads at once", "other bits",
      "static buffers. Allocate in the call, or per thread"},
     list_threads,
     0,
     NULL,
     judge_threads,
     NULL,
     0},
    {{"allocator", "allocations of tensors, and of the runtime, that fail", NULL,
      "results of `TVMFFIEnvTensorAlloc` and other calls are not checked. C: `TVM_FFI_C_TRY`"},
     list_allocators,
     0,
     NULL,
     judge_allocator,
     NULL,
     0},
    {{"objects", "objects that stay alive, references that an argument gains", NULL,
      "an unreleased result or error, a reference too many"},
     list_once,
     0,
     NULL,
     judge_objects,
     NULL,
     0},
    {{"sequence", "the same call after others, with other values, scalars and shapes",
      "other bits; a result that changes afterwards",
      "a buffer, a plan or a pointer that is kept from the first call, whatever the next one "
      "needs; a cache by address or shape, without a parameter; a result in static memory"},
     list_sequences,
     0,
     NULL,
     judge_sequence,
     NULL,
     0},
    {{"refusals", "what refused calls leave, and the same call after them", "anything",
      "files, memory, objects and locks that are not released on the path of an error; an output "
      "that is written before the last argument is checked"},
     list_refusals,
     0,
     make_refusal,
     judge_refusals,
     NULL,
     0},
    {{"memory", "blocks of malloc that stay", NULL, "`malloc` without `free` on one of the paths"},
     list_once,
     0,
     NULL,
     judge_memory,
     NULL,
     0},
    {{"descriptors", "files that stay open", NULL, "`fopen` without `fclose` on an error path"},
     list_once,
     0,
     NULL,
     judge_descriptors,
     NULL,
     0},
    {{"mappings", "memory that stays mapped", NULL,
      "`mmap` or large `malloc` blocks not released on an error path"},
     list_once,
     0,
     NULL,
     judge_mappings,
     NULL,
     0},
};
const row *const kRepeatRow = &kRows[1];
const row_group kStateRows = {
    "state",
    {"state:", "what should not depend on other calls, or outlast the call", NULL,
     WHY_KERNELS_FAIL},
    "leaves nothing behind",
    "state that stays or matters:",
    kRows,
    sizeof kRows / sizeof *kRows};
