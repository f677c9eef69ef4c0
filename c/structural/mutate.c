/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/mutate.h"

#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/rewrite.h"
#include "structural/structural.h"

static const char kName[] = "ffi.StructuralMutate";

/* How the mutation of a value was started; finish depends on it. */
typedef enum { kByHook, kByDefault, kByMutator } entry;

/* A value that is mutated. */
typedef struct {
  TVMFFIAny value; /* lent, or owned by the frame below; or `given` itself */
  TVMFFIAny given; /* owned: the replacement that a callback returned, or Unchanged */
  entry entry;
  bool in_place;
} subject;

/* An object whose children are being mutated. */
typedef struct {
  subject subject;
  bool is_held;         /* the frame owns a reference, and lends the object again at its end */
  TVMFFIObject *parent; /* the container to lend it from, or NULL for the root */
  uint64_t position;
  tvmffi_rewrite rewrite;
  TVMFFISEqHashKind kind;
  int32_t region;       /* the region around the object */
  int32_t child_region; /* the region for its content */
} frame;

typedef struct {
  tvmffi_structural_mutator *mutator;
  const tvmffi_mutate_engine *engine; /* the mutator, or NULL if it is not an engine */
  tvmffi_stack frames;
  tvmffi_lend lend; /* the value being entered or left */
} walk;

static const tvmffi_mutator_table *table_of(const walk *w) {
  return w->mutator->vtable;
}

/* ---- Callbacks ---- */

static TVMFFIAny dispatch(walk *w, const TVMFFIAny *value, bool in_place, bool *found) {
  const tvmffi_callback *callback = tvmffi_callbacks_find(&w->engine->callbacks, value);
  TVMFFIAny args[3];
  *found = callback != NULL;
  if (callback == NULL) return tvmffi_outcome_unchanged();
  args[0] = *value;
  if (w->engine->kind == kTvmffiMutate) {
    args[1] = tvmffi_any_object(w->mutator);
    args[2] = tvmffi_any_int(in_place);
    return tvmffi_callback_call(kName, callback, args, 2 + callback->wants_more);
  }
  args[1] = tvmffi_any_int(w->mutator->def_region_kind);
  return tvmffi_callback_call(kName, callback, args, 1 + callback->wants_more);
}

static bool is_same(const TVMFFIAny *a, const TVMFFIAny *b) {
  return a->type_index == b->type_index && a->zero_padding == b->zero_padding &&
         a->v_uint64 == b->v_uint64;
}

/* Continues with the value that a callback returned instead of the original. */
static void replace(walk *w, subject *target, TVMFFIAny given) {
  if (tvmffi_outcome_is_unchanged(&given)) return;
  if (is_same(&given, &target->value) && !tvmffi_lend_is_there(&w->lend)) {
    w->lend.is_kept = true; /* alive by the reference that was returned */
    return;
  }
  target->given = given;
  if (is_same(&given, &target->value)) return;
  target->value = given;
  target->in_place = target->in_place && tvmffi_mutate_is_unique(&given);
  tvmffi_lend_drop(&w->lend);
  if (w->frames.size == 0) tvmffi_lend_guard_outer(&w->lend);
}

/* Adds the value to the context of an error, unless the value is gone. */
static void note(const walk *w, const TVMFFIAny *error, const TVMFFIAny *value) {
  if (tvmffi_lend_is_there(&w->lend)) tvmffi_outcome_note(error, value);
}

/* Calls back with the outcome, or with the unchanged value, and returns the new outcome. */
static TVMFFIAny map_outcome(walk *w, const subject *target, TVMFFIAny outcome) {
  bool is_kept = tvmffi_outcome_is_unchanged(&outcome), found;
  TVMFFIAny now = is_kept ? target->value : outcome, given;
  if (is_kept && !tvmffi_lend_is_there(&w->lend)) return outcome;
  given = dispatch(w, &now, false, &found);
  if (tvmffi_outcome_is_error(&given)) {
    if (is_kept) {
      note(w, &given, &now);
    } else {
      tvmffi_outcome_note(&given, &now);
    }
  }
  if (tvmffi_outcome_is_unchanged(&given)) return outcome;
  tvmffi_any_release(&outcome);
  return given;
}

/* Completes the outcome for a value. */
static TVMFFIAny finish(walk *w, subject *target, TVMFFIAny outcome) {
  if (tvmffi_outcome_is_error(&outcome)) {
    if (target->entry != kByHook) note(w, &outcome, &target->value);
  } else if (target->entry == kByMutator && w->engine->kind == kTvmffiMapPostOrder) {
    outcome = map_outcome(w, target, outcome);
  } else if (tvmffi_outcome_is_unchanged(&outcome)) {
    return target->given; /* may be Unchanged too */
  }
  if (!tvmffi_outcome_is_unchanged(&target->given)) tvmffi_any_release(&target->given);
  return outcome;
}

/* ---- The default mutation ---- */

static TVMFFIAny call_hook(walk *w, const TVMFFIAny *hook, const TVMFFIAny *value) {
  TVMFFIAny args[2], result;
  union {
    void *address;
    tvmffi_mutate function;
  } native;
  if (tvmffi_walk_check_stack(kName) != 0) return tvmffi_outcome_raised();
  if (hook->type_index == kTVMFFIOpaquePtr && hook->v_ptr != NULL) {
    native.address = hook->v_ptr;
    return native.function(w->mutator, *value);
  }
  if (hook->type_index != kTVMFFIFunction) {
    return tvmffi_outcome_fail("TypeError",
                               "__s_mutate__ must be a direct hook pointer or ffi.Function");
  }
  args[0] = tvmffi_any_object(w->mutator);
  args[1] = *value;
  if (tvmffi_walk_call(kName, hook->v_obj, args, 2, &result) != 0) return tvmffi_outcome_raised();
  return result;
}

static const TVMFFIAny *find_hook(int32_t type_index, bool in_place) {
  const TVMFFIAny *hook =
      in_place ? tvmffi_type_find_attr(kTvmffiAttrSMaybeInplaceMutate, type_index) : NULL;
  if (hook != NULL &&
      (hook->type_index == kTVMFFIOpaquePtr || hook->type_index == kTVMFFIFunction)) {
    return hook;
  }
  return tvmffi_type_find_attr(kTvmffiAttrSMutate, type_index);
}

/* Variables and graph nodes are mutated only once. */
static bool is_remapped(TVMFFISEqHashKind kind) {
  return kind == kTVMFFISEqHashKindFreeVar || kind == kTVMFFISEqHashKindDAGNode;
}

/* Pushes nothing if the value was destroyed by the code that copied it. */
static int push(walk *w, const subject *target, TVMFFISEqHashKind kind) {
  int32_t region = w->mutator->def_region_kind;
  frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth(kName, w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  if (tvmffi_rewrite_begin(&top->rewrite, target->value.v_obj, target->in_place) != 0) {
    tvmffi_stack_pop(&w->frames);
    return -1;
  }
  top->parent = w->lend.parent;
  top->position = w->lend.position;
  top->is_held = w->lend.obj != NULL;
  if (!tvmffi_lend_is_there(&w->lend)) {
    tvmffi_rewrite_abandon(&top->rewrite);
    tvmffi_stack_pop(&w->frames);
    return 0;
  }
  if (top->is_held) tvmffi_lend_hold(&w->lend);
  top->subject = *target;
  top->kind = kind;
  top->region = region;
  top->child_region = tvmffi_region_inside(region, kind);
  return 0;
}

/* The outcome, or Unchanged after pushing the object whose children come first. */
static TVMFFIAny descend(walk *w, const subject *target) {
  const TVMFFIAny *value = &target->value, *hook;
  TVMFFISEqHashKind kind = kTVMFFISEqHashKindUnsupported;
  if (!tvmffi_is_container(value->type_index)) {
    hook = find_hook(value->type_index, target->in_place);
    if (hook != NULL) return call_hook(w, hook, value);
    if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) {
      return tvmffi_outcome_unchanged();
    }
    kind = tvmffi_structural_find_kind(value->type_index);
  }
  if (is_remapped(kind)) {
    TVMFFIAny mapped = table_of(w)->var_remap_get(w->mutator, *value);
    if (mapped.type_index != kTVMFFINone) return mapped;
    if (!tvmffi_lend_is_there(&w->lend)) return tvmffi_outcome_unchanged();
  }
  if (kind == kTVMFFISEqHashKindFreeVar &&
      w->mutator->def_region_kind == kTVMFFIDefRegionKindNone) {
    return tvmffi_outcome_unchanged(); /* a use of a variable that is defined elsewhere */
  }
  return push(w, target, kind) == 0 ? tvmffi_outcome_unchanged() : tvmffi_outcome_raised();
}

/* Starts a mutation by the mutator, and finishes it unless an object was pushed. */
static TVMFFIAny enter(walk *w, const TVMFFIAny *value, bool in_place) {
  size_t depth = w->frames.size;
  subject target;
  TVMFFIAny outcome;
  bool found;
  if (w->engine == NULL) return tvmffi_mutator_mutate(w->mutator, value, in_place);
  target.value = *value;
  target.given = tvmffi_outcome_unchanged();
  target.entry = kByMutator;
  target.in_place = in_place;
  if (w->engine->kind != kTvmffiMapPostOrder) {
    outcome = dispatch(w, value, in_place, &found);
    if (tvmffi_outcome_is_error(&outcome)) {
      note(w, &outcome, value);
      return outcome;
    }
    if (found && w->engine->kind == kTvmffiMutate) return outcome;
    replace(w, &target, outcome);
  }
  outcome = tvmffi_lend_is_there(&w->lend) ? descend(w, &target) : tvmffi_outcome_unchanged();
  return w->frames.size == depth ? finish(w, &target, outcome) : outcome;
}

/* ---- The walk ---- */

/* Remembers the outcome of an object that is mutated only once. Returns it, or an Error. */
static TVMFFIAny remember(walk *w, const frame *top, TVMFFIAny outcome) {
  TVMFFIAny done;
  if (!is_remapped(top->kind) ||
      (top->kind == kTVMFFISEqHashKindFreeVar && top->region != kTVMFFIDefRegionKindPattern &&
       tvmffi_outcome_is_unchanged(&outcome))) {
    return outcome;
  }
  done = table_of(w)->var_remap_set(w->mutator, top->subject.value, outcome);
  if (!tvmffi_outcome_is_error(&done)) {
    tvmffi_any_release(&done);
    return outcome;
  }
  tvmffi_any_release(&outcome);
  return done;
}

static TVMFFIAny leave(walk *w, TVMFFIAny outcome) {
  frame *top = tvmffi_stack_top(&w->frames);
  bool is_error = tvmffi_outcome_is_error(&outcome);
  tvmffi_stack_pop(&w->frames);
  tvmffi_lend_drop(&w->lend);
  w->mutator->def_region_kind = top->region;
  if (is_error) {
    tvmffi_rewrite_abandon(&top->rewrite);
  } else {
    outcome = tvmffi_rewrite_end(&top->rewrite);
  }
  if (top->is_held) {
    tvmffi_lend_again(&w->lend, top->subject.value.v_obj, top->parent, top->position);
  }
  if (!is_error) outcome = remember(w, top, outcome);
  return finish(w, &top->subject, outcome);
}

/* Finishes the current child; one that was kept after losing its place becomes the frame's. */
static int put(walk *w, frame *top, TVMFFIAny outcome) {
  if (w->lend.is_kept) {
    top->rewrite.is_child_owned = true;
    w->lend.is_kept = false;
  }
  tvmffi_lend_drop(&w->lend);
  return tvmffi_rewrite_put(&top->rewrite, outcome);
}

/* Stores the outcome of the current child, and starts on the next one. */
static TVMFFIAny mutate_next(walk *w, TVMFFIAny outcome) {
  frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny value;
  bool in_place;
  int rc;
  if (top->rewrite.has_child && put(w, top, outcome) != 0) {
    return leave(w, tvmffi_outcome_raised());
  }
  rc = tvmffi_rewrite_next(&top->rewrite);
  if (rc != 1) return leave(w, rc == 0 ? tvmffi_outcome_unchanged() : tvmffi_outcome_raised());
  value = top->rewrite.child.value;
  if (!top->rewrite.is_child_owned) {
    tvmffi_lend_child(&w->lend, &value, top->rewrite.cursor.obj, top->rewrite.position);
  }
  w->mutator->def_region_kind =
      top->rewrite.child.field != NULL
          ? tvmffi_region_of_field(top->child_region, top->rewrite.child.field)
          : top->child_region;
  in_place = top->rewrite.is_in_place && tvmffi_mutate_is_unique(&value);
  return enter(w, &value, in_place);
}

static void begin(walk *w, tvmffi_structural_mutator *mutator, const TVMFFIAny *root) {
  w->mutator = mutator;
  w->engine = tvmffi_mutator_get_engine(mutator);
  tvmffi_stack_init(&w->frames, sizeof(frame));
  tvmffi_lend_begin(&w->lend, root);
}

static TVMFFIAny run(walk *w, TVMFFIAny outcome) {
  while (w->frames.size != 0) {
    outcome = tvmffi_outcome_is_error(&outcome) ? leave(w, outcome) : mutate_next(w, outcome);
  }
  tvmffi_stack_fini(&w->frames);
  tvmffi_lend_end(&w->lend);
  return outcome;
}

/* ---- Entry points ---- */

TVMFFIAny tvmffi_mutate_engine_mutate(void *mutator, TVMFFIAny value) {
  walk w;
  begin(&w, mutator, &value);
  return run(&w, enter(&w, &value, false));
}

TVMFFIAny tvmffi_mutate_engine_maybe_inplace(void *mutator, TVMFFIAny value) {
  walk w;
  begin(&w, mutator, &value);
  return run(&w, enter(&w, &value, value.type_index >= kTVMFFIStaticObjectBegin));
}

TVMFFIAny tvmffi_mutator_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value,
                                bool in_place) {
  const tvmffi_mutator_table *table = mutator->vtable;
  if (tvmffi_walk_check_stack(kName) != 0) return tvmffi_outcome_raised();
  return in_place && tvmffi_mutate_is_unique(value) ? table->maybe_inplace_mutate(mutator, *value)
                                                    : table->mutate(mutator, *value);
}

static TVMFFIAny mutate_by(entry entry_point, tvmffi_structural_mutator *mutator,
                           const TVMFFIAny *value, bool in_place) {
  walk w;
  subject target;
  TVMFFIAny outcome;
  begin(&w, mutator, value);
  target.value = *value;
  target.given = tvmffi_outcome_unchanged();
  target.entry = entry_point;
  target.in_place = in_place;
  outcome = descend(&w, &target);
  return run(&w, w.frames.size == 0 ? finish(&w, &target, outcome) : outcome);
}

TVMFFIAny tvmffi_mutator_default_mutate(tvmffi_structural_mutator *mutator,
                                        const TVMFFIAny *value) {
  return mutate_by(kByDefault, mutator, value, false);
}

TVMFFIAny tvmffi_mutate_container(void *mutator, TVMFFIAny value) {
  return mutate_by(kByHook, mutator, &value, false);
}

TVMFFIAny tvmffi_mutate_container_inplace(void *mutator, TVMFFIAny value) {
  return mutate_by(kByHook, mutator, &value, true);
}

TVMFFIAny tvmffi_mutate_atom(void *mutator, TVMFFIAny value) {
  (void)mutator;
  (void)value;
  return tvmffi_outcome_unchanged();
}
