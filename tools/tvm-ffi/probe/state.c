/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what should not depend on other calls, or outlast a call. */
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/text.h"
#include "library/library.h"
#include "probe/rows.h"
#include "process/supervise.h"
#include "system/system.h"
#include "value/number.h"
#include "value/tensor.h"

/* ---- Calls after others, and beside them ---- */

/* What outputs may hold before the call. */
static const struct {
  const char *name;
  double real;  /* in tensors of real numbers; */
  int integers; /* the bytes of others, and of unknown types */
} kDirt[] = {
    {"nan", NAN, 0x80}, {"large", 1e30, 0x7f}, {"negative", -1e30, 0xc5}, {"ones", 0, 0xff}};
enum { kNumDirt = sizeof kDirt / sizeof *kDirt };

/* Those that the function is to fill, all at once. */
static void list_dirty(const subject *s, const row *kind, case_list *out) {
  bool has_any = false;
  size_t i;
  for (i = 0; i < s->inputs->size; ++i) {
    has_any = has_any || (s->inputs->items[i].is_storage && find_tensor(s, i) != NULL);
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
    if (arg->store == NULL || arg->before == NULL || !a->s->inputs->items[i].is_storage) continue;
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
  text_add(&wrong, "%s; the outputs held %s before", out->detail, kDirt[which->number].name);
  judge(out, kFailed, "%s (give an output that is also an input its values)", wrong.data);
  text_free(&wrong);
}

static void judge_repeat(attempt *a, const probe_case *which, outcome *out) {
  enum { kCalls = 3 };
  const subject *s = a->s;
  int i;
  (void)which;
  for (i = 0; i < kCalls; ++i) {
    if (!call_again_and_look(a, out)) return;
    if (!look_at_effects(a, &s->after, !s->may_vary, out)) return;
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

static void look_without_tensors(attempt *a, const probe_case *which, outcome *out) {
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(refuse_tensor, 1, NULL) != 0) {
    leave_out(out);
    return;
  }
  expect_same(a, which, out);
  if (out->verdict == kPassed && !asked_for_tensor) {
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
static void judge_objects(attempt *a, const probe_case *which, outcome *out) {
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

static void judge_descriptors(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_states(a, kFew, kMany, &before, &after, out)) return;
  if (after.num_descriptors >= before.num_descriptors + kMany ||
      after.num_descriptors < before.num_descriptors) {
    judge(out, kFailed, "%zu descriptors are open after %d calls, %zu before",
          after.num_descriptors, kMany, before.num_descriptors);
  } else {
    judge(out, kPassed, "as many as before");
  }
}

static void judge_mappings(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  (void)which;
  if (!read_states(a, kFew, kMany, &before, &after, out)) return;
  if (!before.knows_mappings) {
    judge(out, kLeftOut, "this system does not list the mappings of a process");
  } else if (after.mapped >= before.mapped + kMany * pages_size()) {
    judge(out, kFailed, "%d calls left %" PRIu64 " more bytes mapped", kMany,
          after.mapped - before.mapped);
  } else {
    judge(out, kPassed, "as large as before");
  }
}

/* Whether tiny numbers are not taken for zeros. */
static bool has_subnormals(void) {
  volatile double tiny = DBL_MIN;
  tiny = tiny / 4;
  return tiny != 0;
}

static void judge_rounding(attempt *a, const probe_case *which, outcome *out) {
  const int mode = fegetround();
  const bool subnormals = has_subnormals();
  (void)which;
  if (!call_often(a, 1, out)) return;
  if (fegetround() != mode) {
    judge(out, kFailed, "the rounding mode is %d after the call, %d before", fegetround(), mode);
  } else if (has_subnormals() != subnormals) {
    judge(out, kFailed, "the call changed whether tiny numbers are flushed to zero");
  } else {
    judge(out, kPassed, "as before");
  }
}

static void judge_locale(attempt *a, const probe_case *which, outcome *out) {
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
}

static void judge_signals(attempt *a, const probe_case *which, outcome *out) {
  process_state before, after;
  int i;
  (void)which;
  if (!read_states(a, 0, 1, &before, &after, out)) return;
  for (i = 1; i < kMaxSignals; ++i) {
    if (before.handlers[i] == after.handlers[i]) continue;
    judge(out, kFailed, "signal %d has another handler after the call", i);
    return;
  }
  judge(out, kPassed, "as before");
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
    {{"rounding", "changes of the rounding mode", NULL,
      "`fesetround`, `-ffast-math` at link time: these are the host's to set"},
     list_once,
     0,
     NULL,
     judge_rounding,
     NULL,
     0},
    {{"locale", "changes of the locale", NULL, "`setlocale`: pass a `locale_t` instead"},
     list_once,
     0,
     NULL,
     judge_locale,
     NULL,
     0},
    {{"signals", "changes of signal handlers", NULL,
      "`signal`, `sigaction`: these are the host's to set"},
     list_once,
     0,
     NULL,
     judge_signals,
     NULL,
     0},
};
const row_group kStateRows = {
    "state",
    {"state:", "what should not depend on other calls, or outlast the call", NULL,
     WHY_KERNELS_FAIL},
    "leaves nothing behind",
    "state that stays or matters:",
    kRows,
    sizeof kRows / sizeof *kRows};
