/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/pointer_map.h"
#include "base/stack.h"
#include "container/map.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/type.h"
#include "dataclass/dataclass.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"

/* ---- Values that hold no others ---- */

#define RELATION(a, b) ((a) < (b) ? kTvmffiLess : (a) > (b) ? kTvmffiGreater : kTvmffiSame)

static tvmffi_relation compare_bytes(const TVMFFIByteArray *a, const TVMFFIByteArray *b) {
  size_t common = a->size < b->size ? a->size : b->size;
  int order = common != 0 ? memcmp(a->data, b->data, common) : 0;
  return order != 0 ? RELATION(order, 0) : RELATION(a->size, b->size);
}

static int compare_floats(double a, double b, bool is_ordered, tvmffi_relation *out) {
  if (a == a && b == b) {
    *out = RELATION(a, b);
    return 0;
  }
  if (is_ordered) return tvmffi_fail("TypeError", "Cannot order NaN values");
  *out = a != a && b != b ? kTvmffiSame : kTvmffiLess;
  return 0;
}

static tvmffi_relation compare_dtypes(DLDataType a, DLDataType b) {
  if (a.code != b.code) return RELATION(a.code, b.code);
  if (a.bits != b.bits) return RELATION(a.bits, b.bits);
  return RELATION(a.lanes, b.lanes);
}

static tvmffi_relation compare_devices(DLDevice a, DLDevice b) {
  if (a.device_type != b.device_type) return RELATION((int)a.device_type, (int)b.device_type);
  return RELATION(a.device_id, b.device_id);
}

static tvmffi_relation compare_shapes(const TVMFFIShapeCell *a, const TVMFFIShapeCell *b) {
  size_t i;
  for (i = 0; i < a->size && i < b->size; ++i) {
    if (a->data[i] != b->data[i]) return RELATION(a->data[i], b->data[i]);
  }
  return RELATION(a->size, b->size);
}

/* Compares plain values of the same type. */
static int compare_alike(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out) {
  switch (a->type_index) {
    case kTVMFFINone:
      *out = kTvmffiSame;
      return 0;
    case kTVMFFIInt:
    case kTVMFFIBool:
      *out = RELATION(a->v_int64, b->v_int64);
      return 0;
    case kTVMFFIFloat:
      return compare_floats(a->v_float64, b->v_float64, is_ordered, out);
    case kTVMFFIDataType:
      *out = compare_dtypes(a->v_dtype, b->v_dtype);
      return 0;
    case kTVMFFIDevice:
      *out = compare_devices(a->v_device, b->v_device);
      return 0;
    default:
      *out = a->v_uint64 == b->v_uint64 ? kTvmffiSame : kTvmffiLess;
      if (*out == kTvmffiSame || !is_ordered) return 0;
      return tvmffi_fail("TypeError", "Cannot order values of type %s",
                         tvmffi_type_key(a->type_index));
  }
}

static bool is_integer(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBigInt;
}

/*
 * With is_ordered false, everything but kTvmffiSame means "different". -1 with the error raised for
 * values without an order.
 */
static int compare_plain(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                         tvmffi_relation *out) {
  TVMFFIByteArray in_a, in_b;
  if ((tvmffi_any_get_text(a, &in_a) && tvmffi_any_get_text(b, &in_b)) ||
      (tvmffi_any_get_bytes(a, &in_a) && tvmffi_any_get_bytes(b, &in_b))) {
    *out = compare_bytes(&in_a, &in_b);
    return 0;
  }
  if (is_integer(a) && is_integer(b)) {
    *out = (tvmffi_relation)tvmffi_bigint_compare(a, b);
    return 0;
  }
  if (a->type_index != b->type_index) {
    bool is_none = a->type_index == kTVMFFINone;
    *out = is_none ? kTvmffiLess : kTvmffiGreater;
    if (!is_ordered || is_none || b->type_index == kTVMFFINone) return 0;
    return tvmffi_fail("TypeError", "Cannot compare values of different types: %s vs %s",
                       tvmffi_type_key(a->type_index), tvmffi_type_key(b->type_index));
  }
  if (a->type_index < kTVMFFIStaticObjectBegin) return compare_alike(a, b, is_ordered, out);
  *out = kTvmffiSame;
  if (a->v_obj == b->v_obj) return 0;
  if (a->type_index == kTVMFFIShape) {
    *out = compare_shapes(TVMFFIShapeGetCellPtr(a->v_obj), TVMFFIShapeGetCellPtr(b->v_obj));
    return 0;
  }
  *out = kTvmffiNested;
  return 0;
}

/* ---- All values ---- */

/* The signatures of hooks, for error messages. */
static const char kEqHook[] =
    "(0: ffi.Object, 1: ffi.Object, 2: (0: AnyView, 1: AnyView) -> bool) -> bool";
static const char kCompareHook[] =
    "(0: ffi.Object, 1: ffi.Object, 2: (0: AnyView, 1: AnyView) -> int) -> int";

/* The first type that clients can register; types below it have no hooks. */
enum { kFirstHookedType = kTVMFFIStaticObjectEnd };

/* Two objects of one type that are being compared. */
typedef struct {
  TVMFFIObject *a, *b; /* lent by the walk's pairs */
  tvmffi_child_cursor in_a, in_b;
} compare_frame;

/*
 * A walk ends at the first difference. So a pair that is met again counts as equal: either it is
 * done, or (in a cycle) still being compared, which is an error when ordering. Only a hook may go
 * on after a difference; the pairs met on the way to it are then unknown again.
 */
typedef struct {
  tvmffi_stack frames;
  tvmffi_pointer_map pairs; /* from pairs to their states; all keys are owned */
  tvmffi_stack met;         /* pairs that are kOpen or kClosed, in the order they were met */
  bool is_ordered;
  tvmffi_walk_function *equal, *compare; /* passed to hooks; made on first use */
} compare_walk;

typedef struct {
  TVMFFIObject *a, *b;
} met_pair;

enum { kOpen = 1, kClosed, kUnknown };

static void set_state(compare_walk *w, TVMFFIObject *a, TVMFFIObject *b, uint64_t state) {
  tvmffi_pointer_map_ensure_pair(&w->pairs, a, b)->value.number = state; /* the pair exists */
}

/* Compares a and b, with all that they hold, for equality or for order. */
static int compare_values(compare_walk *w, const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                          tvmffi_relation *out);

/* ---- Hooks ---- */

static int equal_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_relation relation;
  TVMFFI_TRY(compare_values(self, &args[0], &args[1], false, &relation));
  *result = tvmffi_any_bool(relation == kTvmffiSame);
  return 0;
}

static int compare_values_for_hook(void *self, const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_relation relation;
  TVMFFI_TRY(compare_values(self, &args[0], &args[1], true, &relation));
  *result = tvmffi_any_int(relation);
  return 0;
}

static int call_compare_hook(compare_walk *w, TVMFFIObject *hook, TVMFFIObject *a, TVMFFIObject *b,
                             bool is_equality, int64_t *out) {
  tvmffi_walk_function **function = is_equality ? &w->equal : &w->compare;
  TVMFFIAny args[3];
  TVMFFI_TRY(tvmffi_walk_function_ensure(
      function,
      is_equality ? "(0: AnyView, 1: AnyView) -> bool" : "(0: AnyView, 1: AnyView) -> int", "aa",
      is_equality ? equal_for_hook : compare_values_for_hook, w));
  args[0] = tvmffi_any_object(a);
  args[1] = tvmffi_any_object(b);
  args[2] = tvmffi_any_object(*function);
  return tvmffi_walk_ask("RecursiveCompare", hook, *function, args, 3, is_equality ? "bool" : "int",
                         out);
}

/* Calls the hook of the type of both objects; *out is kTvmffiNested when there is none. */
static int ask_hooks(compare_walk *w, TVMFFIObject *a, TVMFFIObject *b, tvmffi_relation *out) {
  int32_t type_index = a->type_index;
  TVMFFIObject *hook = NULL;
  bool is_equality = !w->is_ordered;
  int64_t answer;
  *out = kTvmffiNested;
  if (type_index < kFirstHookedType) return 0;
  if (is_equality) {
    TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrEq, type_index, kEqHook, &hook));
  }
  if (hook == NULL) {
    is_equality = false;
    TVMFFI_TRY(tvmffi_walk_find_hook(kTvmffiAttrCompare, type_index, kCompareHook, &hook));
  }
  if (hook == NULL) return 0;
  TVMFFI_TRY(call_compare_hook(w, hook, a, b, is_equality, &answer));
  if (is_equality) answer = answer == 0; /* a hook for equality returns true for no difference */
  *out = answer < 0 ? kTvmffiLess : answer > 0 ? kTvmffiGreater : kTvmffiSame;
  return 0;
}

/* ---- Pairs ---- */

/* Opens a pair of unknown state. *out is the state it had before. */
static int meet_pair(compare_walk *w, TVMFFIObject *a, TVMFFIObject *b, uint64_t *out) {
  tvmffi_pointer_entry *entry = tvmffi_pointer_map_ensure_pair(&w->pairs, a, b);
  met_pair *met;
  if (entry == NULL) return tvmffi_fail_memory();
  if (entry->value.number == 0) {
    tvmffi_object_retain(a);
    tvmffi_object_retain(b);
    entry->value.number = kUnknown;
  }
  *out = entry->value.number;
  if (*out != kUnknown) return 0;
  met = tvmffi_stack_push(&w->met);
  if (met == NULL) return tvmffi_fail_memory();
  met->a = a;
  met->b = b;
  entry->value.number = kOpen;
  return 0;
}

static int push_comparison(compare_walk *w, TVMFFIObject *a, TVMFFIObject *b) {
  compare_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth("RecursiveCompare", w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->a = a;
  top->b = b;
  tvmffi_child_first(&top->in_a, a);
  tvmffi_child_first(&top->in_b, b);
  return 0;
}

static int begin_object_comparison(compare_walk *w, TVMFFIObject *a, TVMFFIObject *b,
                                   tvmffi_relation *out) {
  uint64_t state;
  *out = kTvmffiSame;
  TVMFFI_TRY(meet_pair(w, a, b, &state));
  if (state == kOpen && w->is_ordered) {
    return tvmffi_fail("ValueError", "RecursiveCompare: cyclic reference detected in ordering");
  }
  if (state != kUnknown) return 0;
  TVMFFI_TRY(ask_hooks(w, a, b, out));
  if (*out != kTvmffiNested) {
    set_state(w, a, b, kClosed);
    return 0;
  }
  TVMFFI_TRY(push_comparison(w, a, b));
  if (tvmffi_is_map(a->type_index) && tvmffi_map_size(a) != tvmffi_map_size(b)) *out = kTvmffiLess;
  return 0;
}

/* Starts comparing two values: *out is kTvmffiNested if they were pushed. */
static int begin_comparison(compare_walk *w, const TVMFFIAny *a, const TVMFFIAny *b,
                            tvmffi_relation *out) {
  TVMFFI_TRY(compare_plain(a, b, w->is_ordered, out));
  return *out == kTvmffiNested ? begin_object_comparison(w, a->v_obj, b->v_obj, out) : 0;
}

/* ---- The walk ---- */

/* Compares the value of an entry of a with the value under the same key in b. */
static int compare_entry(compare_walk *w, compare_frame *top, tvmffi_child *child,
                         tvmffi_relation *out) {
  const TVMFFIAny *found;
  TVMFFIAny value_b;
  int rc;
  if (tvmffi_map_find(top->b, &child->key, &found) != 0) return -1;
  *out = kTvmffiLess;
  if (found == NULL) return 0;
  value_b = tvmffi_any_copy(found);
  rc = begin_comparison(w, &child->value, &value_b, out);
  tvmffi_any_release(&value_b);
  return rc;
}

/* Compares an element or field of a with the next one of b; a is greater if b has none left. */
static int compare_child(compare_walk *w, compare_frame *top, tvmffi_child *child,
                         tvmffi_relation *out) {
  tvmffi_child child_b;
  int rc = tvmffi_child_next(&top->in_b, &child_b);
  if (rc < 0) return -1;
  *out = kTvmffiGreater;
  if (rc == 0) return 0;
  *out = kTvmffiSame;
  if (child->field == NULL || !(child->field->flags & kTVMFFIFieldFlagBitMaskCompareOff)) {
    rc = begin_comparison(w, &child->value, &child_b.value, out);
  } else {
    rc = 0;
  }
  tvmffi_child_release(&child_b);
  return rc;
}

static int end_comparison(compare_walk *w, compare_frame *top, tvmffi_relation *out) {
  tvmffi_child child_b;
  int rc = tvmffi_is_map(top->a->type_index) ? 0 : tvmffi_child_next(&top->in_b, &child_b);
  if (rc < 0) return -1;
  if (rc == 1) tvmffi_child_release(&child_b);
  *out = rc == 1 ? kTvmffiLess : kTvmffiSame;
  set_state(w, top->a, top->b, kClosed);
  tvmffi_stack_pop(&w->frames);
  return 0;
}

static int compare_next_values(compare_walk *w, tvmffi_relation *out) {
  compare_frame *top = tvmffi_stack_top(&w->frames);
  tvmffi_child child;
  int rc = tvmffi_child_next(&top->in_a, &child);
  if (rc < 0) return -1;
  if (rc == 0) return end_comparison(w, top, out);
  rc = tvmffi_is_map(top->a->type_index) ? compare_entry(w, top, &child, out)
                                         : compare_child(w, top, &child, out);
  tvmffi_child_release(&child);
  return rc;
}

/* Maps cannot be ordered, so a difference anywhere inside of one is an error. */
static int check_is_in_no_map(const compare_walk *w, size_t base) {
  size_t i;
  for (i = base; i < w->frames.size; ++i) {
    if (tvmffi_is_map(((const compare_frame *)tvmffi_stack_at(&w->frames, i))->a->type_index)) {
      return tvmffi_fail("TypeError", "Cannot order Map/Dict values");
    }
  }
  return 0;
}

static int compare_values(compare_walk *w, const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                          tvmffi_relation *out) {
  size_t base = w->frames.size, first_met = w->met.size;
  bool was_ordered = w->is_ordered;
  int rc;
  w->is_ordered = is_ordered;
  rc = begin_comparison(w, a, b, out);
  while (rc == 0 && w->frames.size > base && (*out == kTvmffiSame || *out == kTvmffiNested)) {
    rc = compare_next_values(w, out);
  }
  if (rc == 0 && *out == kTvmffiSame) {
    w->is_ordered = was_ordered;
    return 0;
  }
  if (rc == 0 && is_ordered) rc = check_is_in_no_map(w, base);
  w->is_ordered = was_ordered;
  while (w->frames.size > base) tvmffi_stack_pop(&w->frames);
  while (w->met.size > first_met) {
    const met_pair *met = tvmffi_stack_top(&w->met);
    set_state(w, met->a, met->b, kUnknown);
    tvmffi_stack_pop(&w->met);
  }
  return rc;
}

static int run_comparison(const TVMFFIAny *a, const TVMFFIAny *b, bool is_ordered,
                          tvmffi_relation *out) {
  TVMFFIAny owned_a, owned_b;
  compare_walk w;
  int rc;
  memset(&w, 0, sizeof w);
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(a, &owned_a));
  rc = TVMFFIAnyViewToOwnedAny(b, &owned_b);
  if (rc == 0) {
    tvmffi_stack_init(&w.frames, sizeof(compare_frame));
    tvmffi_stack_init(&w.met, sizeof(met_pair));
    rc = compare_values(&w, &owned_a, &owned_b, is_ordered, out);
    tvmffi_object_release(w.equal);
    tvmffi_object_release(w.compare);
    tvmffi_walk_release_keys(&w.pairs);
    tvmffi_stack_fini(&w.frames);
    tvmffi_stack_fini(&w.met);
    tvmffi_any_release(&owned_b);
  }
  tvmffi_any_release(&owned_a);
  return rc;
}

int tvmffi_recursive_equal(const TVMFFIAny *a, const TVMFFIAny *b, bool *out) {
  tvmffi_relation relation;
  TVMFFI_TRY(run_comparison(a, b, false, &relation));
  *out = relation == kTvmffiSame;
  return 0;
}

int tvmffi_recursive_compare(const TVMFFIAny *a, const TVMFFIAny *b, int *out) {
  tvmffi_relation relation;
  TVMFFI_TRY(run_comparison(a, b, true, &relation));
  *out = relation;
  return 0;
}
