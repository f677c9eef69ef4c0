/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/mutate.h"

#include "base/buf.h"
#include "container/any_key.h"
#include "container/array.h"
#include "container/lend.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/visit.h"

static const tvmffi_mutate_engine *mutator_get_engine(const tvmffi_structural_mutator *mutator);

/* ---- Children, one after the other, and what replaces them ---- */

/*
 * Replaces children of one object: in a copy, or in the object itself where that is allowed. A
 * container is copied when its first child changes; other objects are copied at the start, because
 * their fields are read from the copy. The caller keeps a container alive meanwhile, and other
 * objects until rewrite_begin returns.
 */

typedef struct {
  TVMFFIObject *copy;         /* owned, or NULL */
  tvmffi_child_cursor cursor; /* in the object or its copy, whichever holds the children */
  /*
   * The current child, if there is one. Children of containers are borrowed from their place; but
   * in place they are taken out meanwhile and owned, as values of fields are.
   */
  tvmffi_child child;
  uint64_t position;
  bool has_child;
  bool is_child_owned;
  bool is_in_place; /* of containers only */
  bool is_changed;
} rewrite_state;

/* ---- Copies ---- */

static int copy_object(TVMFFIObject *obj, TVMFFIObject **out) {
  const TVMFFIAny *copy = tvmffi_type_find_attr(kTvmffiAttrShallowCopy, obj->type_index);
  TVMFFIAny self = tvmffi_any_object(obj), result;
  int32_t type_index = obj->type_index; /* the object may be gone after the call */
  if (copy == NULL || copy->type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "__ffi_shallow_copy__ must be an ffi.Function");
  }
  TVMFFI_TRY(tvmffi_walk_call("__ffi_shallow_copy__", copy->v_obj, &self, 1, &result));
  if (result.type_index != type_index || result.v_obj == obj) {
    tvmffi_any_release(&result);
    return tvmffi_fail("TypeError",
                       "Shallow copy callback must return a distinct object with the same type as "
                       "its input");
  }
  *out = result.v_obj;
  return 0;
}

/* Adds an element, which is taken on success, to the copy of a sequence. */
static int add_rewritten(rewrite_state *rewrite, const TVMFFIAny *value) {
  if (rewrite->copy->type_index == kTVMFFIList) return tvmffi_list_append(rewrite->copy, value);
  return tvmffi_array_append(&rewrite->copy, value) == 0 ? 0 : tvmffi_fail_memory();
}

static TVMFFIObject *new_sequence(TVMFFIObject *source) {
  TVMFFIObject *made;
  if (source->type_index == kTVMFFIList) return tvmffi_list_new(tvmffi_array_size(source));
  made = tvmffi_array_new(tvmffi_array_size(source));
  if (made == NULL) tvmffi_error_raise_memory();
  return made;
}

/* Copies a sequence up to the current child. It may have become shorter by foreign code. */
static int copy_passed(rewrite_state *rewrite) {
  TVMFFIObject *seq = rewrite->cursor.obj;
  int64_t i;
  rewrite->copy = new_sequence(seq);
  if (rewrite->copy == NULL) return -1;
  for (i = 0; i < (int64_t)rewrite->position && i < tvmffi_array_size(seq); ++i) {
    TVMFFIAny value = tvmffi_any_copy(&tvmffi_array_items(seq)[i]);
    if (add_rewritten(rewrite, &value) == 0) continue;
    tvmffi_any_release(&value);
    return -1;
  }
  return 0;
}

/* Copies a whole map; the remaining children are taken from the copy. */
static int copy_map(rewrite_state *rewrite) {
  rewrite->copy = tvmffi_map_copy(rewrite->cursor.obj);
  if (rewrite->copy == NULL) return tvmffi_fail_memory();
  rewrite->cursor.obj = rewrite->copy;
  return 0;
}

/* ---- Children ---- */

/* After success call rewrite_end or _abandon. A failure raises and needs neither. */
static int rewrite_begin(rewrite_state *rewrite, TVMFFIObject *obj, bool is_in_place) {
  bool is_container = tvmffi_is_container(obj->type_index);
  rewrite->copy = NULL;
  rewrite->has_child = rewrite->is_changed = false;
  rewrite->is_in_place = is_container && is_in_place;
  if (!is_container) TVMFFI_TRY(copy_object(obj, &rewrite->copy));
  tvmffi_child_first(&rewrite->cursor, is_container ? obj : rewrite->copy);
  return 0;
}

/* The place of the current child in its container, or NULL if it is no longer there. */
static TVMFFIAny *find_place(const rewrite_state *rewrite) {
  TVMFFIObject *obj = rewrite->cursor.obj;
  if (tvmffi_is_map(obj->type_index)) {
    const tvmffi_map_pair *pair =
        tvmffi_map_has_at(obj, rewrite->position) ? tvmffi_map_at(obj, rewrite->position) : NULL;
    return pair != NULL && tvmffi_any_key_is_same(&pair->key, &rewrite->child.key)
               ? tvmffi_map_value_at(obj, rewrite->position)
               : NULL;
  }
  return (int64_t)rewrite->position < tvmffi_array_size(obj)
             ? &tvmffi_array_items(obj)[rewrite->position]
             : NULL;
}

/* Swaps a value with the one in the child's place, if that still exists. */
static void exchange(rewrite_state *rewrite, TVMFFIAny *value) {
  TVMFFIAny *place = find_place(rewrite), old;
  if (place == NULL) return;
  old = *place;
  *place = *value;
  *value = old;
}

/* The next child: 1, 0 after the last, or -1. */
static int rewrite_next(rewrite_state *rewrite) {
  int rc;
  rewrite->position = rewrite->cursor.position;
  rc = tvmffi_child_next_lent(&rewrite->cursor, &rewrite->child);
  rewrite->has_child = rc == 1;
  rewrite->is_child_owned = rc == 1 && (rewrite->is_in_place || rewrite->child.field != NULL);
  if (rc == 1 && rewrite->is_in_place) {
    rewrite->child.value = tvmffi_any_none();
    exchange(rewrite, &rewrite->child.value);
  }
  return rc;
}

static void release_child(rewrite_state *rewrite) {
  rewrite->has_child = false;
  if (rewrite->is_child_owned) tvmffi_any_release(&rewrite->child.value);
}

static int put_field(rewrite_state *rewrite, const TVMFFIAny *value) {
  const TVMFFIFieldInfo *field = rewrite->child.field;
  if (field->setter == NULL) {
    return tvmffi_fail("TypeError",
                       "Cannot structurally mutate field `%.*s` of type `%s` because it does not "
                       "define a setter",
                       tvmffi_shown_size(field->name.size), field->name.data,
                       tvmffi_type_key(rewrite->copy->type_index));
  }
  return tvmffi_field_set(field, rewrite->copy, value);
}

static int put_entry(rewrite_state *rewrite, TVMFFIAny *value, bool is_same) {
  if (is_same) return 0;
  if (rewrite->copy == NULL) TVMFFI_TRY(copy_map(rewrite));
  exchange(rewrite, value);
  return 0;
}

/* Copies an unchanged child from its place, where foreign code may have put another one. */
static int put_element(rewrite_state *rewrite, TVMFFIAny *value, bool is_same) {
  const TVMFFIAny *place;
  if (is_same && rewrite->copy == NULL) return 0;
  if (rewrite->copy == NULL) TVMFFI_TRY(copy_passed(rewrite));
  if (tvmffi_outcome_is_unchanged(value) && rewrite->is_child_owned) {
    *value = rewrite->child.value;
    rewrite->child.value = tvmffi_any_none();
  } else if (tvmffi_outcome_is_unchanged(value)) {
    place = find_place(rewrite);
    if (place == NULL) return 0;
    *value = tvmffi_any_copy(place);
  }
  TVMFFI_TRY(add_rewritten(rewrite, value));
  *value = tvmffi_any_none();
  return 0;
}

static int put_child(rewrite_state *rewrite, TVMFFIAny *value, bool is_same) {
  if (rewrite->child.field != NULL) return is_same ? 0 : put_field(rewrite, value);
  return tvmffi_is_map(rewrite->cursor.obj->type_index) ? put_entry(rewrite, value, is_same)
                                                        : put_element(rewrite, value, is_same);
}

/* Stores an owned value, or Unchanged, in the child's place. */
static int rewrite_put(rewrite_state *rewrite, TVMFFIAny value) {
  bool is_unchanged =
      tvmffi_outcome_is_unchanged(&value) || tvmffi_any_key_is_same(&value, &rewrite->child.value);
  int rc = 0;
  if (rewrite->is_in_place) {
    if (!is_unchanged) {
      tvmffi_any_release(&rewrite->child.value);
      rewrite->child.value = value;
      value = tvmffi_any_none();
    }
    exchange(rewrite, &rewrite->child.value);
  } else {
    rc = put_child(rewrite, &value, is_unchanged);
    rewrite->is_changed |= !is_unchanged;
  }
  release_child(rewrite);
  tvmffi_any_release(&value);
  return rc;
}

/* Ends with the owned replacement of the object, or Unchanged. */
static TVMFFIAny rewrite_end(rewrite_state *rewrite) {
  if (rewrite->is_changed) return tvmffi_any_object(rewrite->copy);
  tvmffi_object_release(rewrite->copy);
  return tvmffi_outcome_unchanged();
}

/* Ends without a result: the current child returns to its place, changes made before stay. */
static void rewrite_abandon(rewrite_state *rewrite) {
  if (rewrite->has_child && rewrite->is_in_place) exchange(rewrite, &rewrite->child.value);
  if (rewrite->has_child) release_child(rewrite);
  tvmffi_object_release(rewrite->copy);
}

/* ---- Mutations ---- */

static const char kMutateName[] = "ffi.StructuralMutate";

/* How the mutation of a value was started; finish depends on it. */
typedef enum { kByHook, kByDefault, kByMutator } entry_point;

/* A value that is mutated. */
typedef struct {
  TVMFFIAny value; /* lent, or owned by the frame below; or `given` itself */
  TVMFFIAny given; /* owned: the replacement that a callback returned, or Unchanged */
  entry_point entry;
  bool in_place;
} subject;

/* An object whose children are being mutated. */
typedef struct {
  subject subject;
  bool is_held;         /* the frame owns a reference, and lends the object again at its end */
  TVMFFIObject *parent; /* the container to lend it from, or NULL for the root */
  uint64_t position;
  rewrite_state rewrite;
  TVMFFISEqHashKind kind;
  int32_t region;       /* the region around the object */
  int32_t child_region; /* the region for its content */
} mutate_frame;

typedef struct {
  tvmffi_structural_mutator *mutator;
  const tvmffi_mutate_engine *engine; /* the mutator, or NULL if it is not an engine */
  tvmffi_stack frames;
  tvmffi_lend lend; /* the value being entered or left */
} mutate_walk;

static const tvmffi_mutator_table *table_of(const mutate_walk *w) {
  return w->mutator->vtable;
}

/* ---- Callbacks ---- */

static TVMFFIAny dispatch_mutate(mutate_walk *w, const TVMFFIAny *value, bool in_place,
                                 bool *found) {
  const tvmffi_callback *callback = tvmffi_callbacks_find(&w->engine->callbacks, value);
  TVMFFIAny args[3];
  *found = callback != NULL;
  if (callback == NULL) return tvmffi_outcome_unchanged();
  args[0] = *value;
  if (w->engine->kind == kTvmffiMutate) {
    args[1] = tvmffi_any_object(w->mutator);
    args[2] = tvmffi_any_int(in_place);
    return tvmffi_callback_call(kMutateName, callback, args, 2 + callback->wants_more);
  }
  args[1] = tvmffi_any_int(w->mutator->def_region_kind);
  return tvmffi_callback_call(kMutateName, callback, args, 1 + callback->wants_more);
}

/* Continues with the value that a callback returned instead of the original. */
static void replace(mutate_walk *w, subject *target, TVMFFIAny given) {
  if (tvmffi_outcome_is_unchanged(&given)) return;
  if (tvmffi_any_key_is_same(&given, &target->value) && !tvmffi_lend_is_there(&w->lend)) {
    w->lend.is_kept = true; /* alive by the reference that was returned */
    return;
  }
  target->given = given;
  if (tvmffi_any_key_is_same(&given, &target->value)) return;
  target->value = given;
  target->in_place = target->in_place && tvmffi_mutate_is_unique(&given);
  tvmffi_lend_drop(&w->lend);
  if (w->frames.size == 0) tvmffi_lend_guard_outer(&w->lend);
}

/* Adds the value to the context of an error, unless the value is gone. */
static void note(const mutate_walk *w, const TVMFFIAny *error, const TVMFFIAny *value) {
  if (tvmffi_lend_is_there(&w->lend)) tvmffi_outcome_note(error, value);
}

/* Calls back with the outcome, or with the unchanged value, and returns the new outcome. */
static TVMFFIAny map_outcome(mutate_walk *w, const subject *target, TVMFFIAny outcome) {
  bool is_kept = tvmffi_outcome_is_unchanged(&outcome), found;
  TVMFFIAny now = is_kept ? target->value : outcome, given;
  if (is_kept && !tvmffi_lend_is_there(&w->lend)) return outcome;
  given = dispatch_mutate(w, &now, false, &found);
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
static TVMFFIAny finish_mutated(mutate_walk *w, subject *target, TVMFFIAny outcome) {
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

static TVMFFIAny call_mutate_hook(mutate_walk *w, const TVMFFIAny *hook, const TVMFFIAny *value) {
  return tvmffi_outcome_of_hook(kMutateName, hook, &w->mutator->header, value,
                                "__s_mutate__ must be a direct hook pointer or ffi.Function");
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
static int push_mutated(mutate_walk *w, const subject *target, TVMFFISEqHashKind kind) {
  int32_t region = w->mutator->def_region_kind;
  mutate_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth(kMutateName, w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  if (rewrite_begin(&top->rewrite, target->value.v_obj, target->in_place) != 0) {
    tvmffi_stack_pop(&w->frames);
    return -1;
  }
  top->parent = w->lend.parent;
  top->position = w->lend.position;
  top->is_held = w->lend.obj != NULL;
  if (!tvmffi_lend_is_there(&w->lend)) {
    rewrite_abandon(&top->rewrite);
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
static TVMFFIAny descend_to_mutate(mutate_walk *w, const subject *target) {
  const TVMFFIAny *value = &target->value, *hook;
  TVMFFISEqHashKind kind = kTVMFFISEqHashKindUnsupported;
  if (!tvmffi_is_container(value->type_index)) {
    hook = find_hook(value->type_index, target->in_place);
    if (hook != NULL) return call_mutate_hook(w, hook, value);
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
  return push_mutated(w, target, kind) == 0 ? tvmffi_outcome_unchanged() : tvmffi_outcome_raised();
}

/* Starts a mutation by the mutator, and finishes it unless an object was pushed. */
static TVMFFIAny enter_mutated(mutate_walk *w, const TVMFFIAny *value, bool in_place) {
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
    outcome = dispatch_mutate(w, value, in_place, &found);
    if (tvmffi_outcome_is_error(&outcome)) {
      note(w, &outcome, value);
      return outcome;
    }
    if (found && w->engine->kind == kTvmffiMutate) return outcome;
    replace(w, &target, outcome);
  }
  outcome =
      tvmffi_lend_is_there(&w->lend) ? descend_to_mutate(w, &target) : tvmffi_outcome_unchanged();
  return w->frames.size == depth ? finish_mutated(w, &target, outcome) : outcome;
}

/* ---- The walk ---- */

/* Remembers the outcome of an object that is mutated only once. Returns it, or an Error. */
static TVMFFIAny remember_mutated(mutate_walk *w, const mutate_frame *top, TVMFFIAny outcome) {
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

static TVMFFIAny leave_mutated(mutate_walk *w, TVMFFIAny outcome) {
  mutate_frame *top = tvmffi_stack_top(&w->frames);
  bool is_error = tvmffi_outcome_is_error(&outcome);
  tvmffi_stack_pop(&w->frames);
  tvmffi_lend_drop(&w->lend);
  w->mutator->def_region_kind = top->region;
  if (is_error) {
    rewrite_abandon(&top->rewrite);
  } else {
    outcome = rewrite_end(&top->rewrite);
  }
  if (top->is_held) {
    tvmffi_lend_again(&w->lend, top->subject.value.v_obj, top->parent, top->position);
  }
  if (!is_error) outcome = remember_mutated(w, top, outcome);
  return finish_mutated(w, &top->subject, outcome);
}

/* Finishes the current child; one that was kept after losing its place becomes the frame's. */
static int put_mutated(mutate_walk *w, mutate_frame *top, TVMFFIAny outcome) {
  if (w->lend.is_kept) {
    top->rewrite.is_child_owned = true;
    w->lend.is_kept = false;
  }
  tvmffi_lend_drop(&w->lend);
  return rewrite_put(&top->rewrite, outcome);
}

/* Stores the outcome of the current child, and starts on the next one. */
static TVMFFIAny mutate_next(mutate_walk *w, TVMFFIAny outcome) {
  mutate_frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny value;
  bool in_place;
  int rc;
  if (top->rewrite.has_child && put_mutated(w, top, outcome) != 0) {
    return leave_mutated(w, tvmffi_outcome_raised());
  }
  rc = rewrite_next(&top->rewrite);
  if (rc != 1)
    return leave_mutated(w, rc == 0 ? tvmffi_outcome_unchanged() : tvmffi_outcome_raised());
  value = top->rewrite.child.value;
  if (!top->rewrite.is_child_owned) {
    tvmffi_lend_child(&w->lend, &value, top->rewrite.cursor.obj, top->rewrite.position);
  }
  w->mutator->def_region_kind =
      top->rewrite.child.field != NULL
          ? tvmffi_region_of_field(top->child_region, top->rewrite.child.field)
          : top->child_region;
  in_place = top->rewrite.is_in_place && tvmffi_mutate_is_unique(&value);
  return enter_mutated(w, &value, in_place);
}

static void begin_mutation(mutate_walk *w, tvmffi_structural_mutator *mutator,
                           const TVMFFIAny *root) {
  w->mutator = mutator;
  w->engine = mutator_get_engine(mutator);
  tvmffi_stack_init(&w->frames, sizeof(mutate_frame));
  tvmffi_lend_begin(&w->lend, root);
}

static TVMFFIAny run_mutation(mutate_walk *w, TVMFFIAny outcome) {
  while (w->frames.size != 0) {
    outcome =
        tvmffi_outcome_is_error(&outcome) ? leave_mutated(w, outcome) : mutate_next(w, outcome);
  }
  tvmffi_stack_fini(&w->frames);
  tvmffi_lend_end(&w->lend);
  return outcome;
}

/* ---- Entry points ---- */

/* The first two functions in the table of engines. */
static TVMFFIAny mutate_engine_mutate(void *mutator, TVMFFIAny value) {
  mutate_walk w;
  begin_mutation(&w, mutator, &value);
  return run_mutation(&w, enter_mutated(&w, &value, false));
}

static TVMFFIAny mutate_engine_maybe_inplace(void *mutator, TVMFFIAny value) {
  mutate_walk w;
  begin_mutation(&w, mutator, &value);
  return run_mutation(&w, enter_mutated(&w, &value, value.type_index >= kTVMFFIStaticObjectBegin));
}

TVMFFIAny tvmffi_mutator_mutate(tvmffi_structural_mutator *mutator, const TVMFFIAny *value,
                                bool in_place) {
  const tvmffi_mutator_table *table = mutator->vtable;
  if (tvmffi_walk_check_stack(kMutateName) != 0) return tvmffi_outcome_raised();
  return in_place && tvmffi_mutate_is_unique(value) ? table->maybe_inplace_mutate(mutator, *value)
                                                    : table->mutate(mutator, *value);
}

static TVMFFIAny mutate_by(entry_point entry, tvmffi_structural_mutator *mutator,
                           const TVMFFIAny *value, bool in_place) {
  mutate_walk w;
  subject target;
  TVMFFIAny outcome;
  begin_mutation(&w, mutator, value);
  target.value = *value;
  target.given = tvmffi_outcome_unchanged();
  target.entry = entry;
  target.in_place = in_place;
  outcome = descend_to_mutate(&w, &target);
  return run_mutation(&w, w.frames.size == 0 ? finish_mutated(&w, &target, outcome) : outcome);
}

TVMFFIAny tvmffi_mutator_default_mutate(tvmffi_structural_mutator *mutator,
                                        const TVMFFIAny *value) {
  return mutate_by(kByDefault, mutator, value, false);
}

static TVMFFIAny mutate_container(void *mutator, TVMFFIAny value) {
  return mutate_by(kByHook, mutator, &value, false);
}

TVMFFIAny tvmffi_mutate_container_inplace(void *mutator, TVMFFIAny value) {
  return mutate_by(kByHook, mutator, &value, true);
}

static TVMFFIAny mutate_atom(void *mutator, TVMFFIAny value) {
  (void)mutator;
  (void)value;
  return tvmffi_outcome_unchanged();
}

/* ---- The engine: a mutator that calls back ---- */

/* 0, or an Error in *out. */
static int check_var(const TVMFFIAny *var, TVMFFIAny *out) {
  if (var->type_index >= kTVMFFIStaticObjectBegin && var->v_obj != NULL) return 0;
  *out = tvmffi_outcome_fail("TypeError", "Variable-remap key must be an object-backed value");
  return -1;
}

static tvmffi_remap_entry *entry_at(const tvmffi_mutate_engine *engine, uint64_t i) {
  return tvmffi_stack_at(&engine->remapped, (size_t)i);
}

static TVMFFIAny get_remapped(void *self, TVMFFIAny var) {
  const tvmffi_mutate_engine *engine = self;
  const tvmffi_pointer_entry *found;
  TVMFFIAny error;
  if (check_var(&var, &error) != 0) return error;
  found = tvmffi_pointer_map_find(&engine->remap, var.v_obj);
  return found != NULL ? tvmffi_any_copy(&entry_at(engine, found->value.number)->mapped)
                       : tvmffi_any_none();
}

/* Pushes first, so that the map never refers to a missing entry. */
static int add_entry(tvmffi_mutate_engine *engine, TVMFFIObject *var, TVMFFIAny mapped) {
  tvmffi_remap_entry *entry = tvmffi_stack_push(&engine->remapped);
  tvmffi_pointer_entry *found = NULL;
  if (entry != NULL) {
    found = tvmffi_pointer_map_ensure(&engine->remap, var);
    if (found == NULL) tvmffi_stack_pop(&engine->remapped);
  }
  if (found == NULL) return tvmffi_fail_memory();
  tvmffi_object_retain(var);
  entry->var = var;
  entry->mapped = mapped;
  found->value.number = engine->remapped.size - 1;
  return 0;
}

static TVMFFIAny set_remapped(void *self, TVMFFIAny var, TVMFFIAny mapped) {
  tvmffi_mutate_engine *engine = self;
  const tvmffi_pointer_entry *found;
  TVMFFIAny old, owned;
  if (check_var(&var, &old) != 0) return old;
  if (TVMFFIAnyViewToOwnedAny(&mapped, &owned) != 0) return tvmffi_outcome_raised();
  found = tvmffi_pointer_map_find(&engine->remap, var.v_obj);
  if (found != NULL) {
    tvmffi_remap_entry *entry = entry_at(engine, found->value.number);
    old = entry->mapped;
    entry->mapped = owned;
    tvmffi_any_release(&old);
  } else if (add_entry(engine, var.v_obj, owned) != 0) {
    tvmffi_any_release(&owned);
    return tvmffi_outcome_raised();
  }
  return tvmffi_any_none();
}

static const tvmffi_mutator_table kMutateEngineTable = {
    mutate_engine_mutate, mutate_engine_maybe_inplace, get_remapped, set_remapped};

/* The mutator as an engine, or NULL if it is not one. */
static const tvmffi_mutate_engine *mutator_get_engine(const tvmffi_structural_mutator *mutator) {
  return mutator->vtable == &kMutateEngineTable
             ? (const tvmffi_mutate_engine *)(const void *)mutator
             : NULL;
}

static void destroy_mutate_engine(void *self) {
  tvmffi_mutate_engine *engine = self;
  size_t i;
  for (i = 0; i < engine->remapped.size; ++i) {
    tvmffi_remap_entry *entry = entry_at(engine, i);
    tvmffi_object_release_nested(entry->var);
    tvmffi_any_release_nested(&entry->mapped);
  }
  tvmffi_stack_fini(&engine->remapped);
  tvmffi_pointer_map_fini(&engine->remap);
  tvmffi_callbacks_fini(&engine->callbacks);
}

TVMFFI_DELETER(delete_mutate_engine, destroy_mutate_engine, 0);

static tvmffi_mutate_engine *new_engine(tvmffi_mutate_kind kind, const TVMFFIAny *callbacks,
                                        const TVMFFIAny *more_callbacks) {
  tvmffi_mutate_engine *engine;
  tvmffi_callbacks owned;
  if (tvmffi_callbacks_init(&owned, callbacks, more_callbacks) != 0) return NULL;
  engine = tvmffi_object_new(sizeof *engine, kTvmffiStructuralMutator, delete_mutate_engine);
  if (engine == NULL) {
    tvmffi_callbacks_fini(&owned);
    return NULL;
  }
  engine->base.vtable = &kMutateEngineTable;
  engine->base.def_region_kind = kTVMFFIDefRegionKindNone;
  engine->kind = kind;
  engine->callbacks = owned;
  engine->remap.slots = NULL;
  engine->remap.size = engine->remap.capacity = 0;
  tvmffi_stack_init(&engine->remapped, sizeof(tvmffi_remap_entry));
  return engine;
}

/* ---- Functions ---- */

/* Moves an outcome to a result; if that is Unchanged, the owned original. */
static int give(TVMFFIAny outcome, TVMFFIAny *original, TVMFFIAny *result) {
  if (!tvmffi_outcome_is_unchanged(&outcome)) {
    tvmffi_any_release(original);
    return tvmffi_outcome_give(outcome, result);
  }
  *result = *original;
  return 0;
}

static int mutate_with(tvmffi_mutate_kind kind, const TVMFFIAny *root, const TVMFFIAny *callbacks,
                       const TVMFFIAny *more_callbacks, TVMFFIAny *result) {
  tvmffi_mutate_engine *engine = new_engine(kind, callbacks, more_callbacks);
  TVMFFIAny owned;
  int rc = -1;
  if (engine == NULL) return -1;
  if (TVMFFIAnyViewToOwnedAny(root, &owned) == 0) {
    rc = give(tvmffi_mutator_mutate(&engine->base, &owned, true), &owned, result);
  }
  tvmffi_object_release(engine);
  return rc;
}

static int map(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_mutate_kind kind = args[3].v_int64 == 0 ? kTvmffiMapPreOrder : kTvmffiMapPostOrder;
  return mutate_with(kind, &args[0], &args[1], &args[2], result);
}

static int mutate_by_callbacks(const TVMFFIAny *args, TVMFFIAny *result) {
  return mutate_with(kTvmffiMutate, &args[0], &args[1], NULL, result);
}

static tvmffi_structural_mutator *as_mutator(const TVMFFIAny *arg) {
  return (tvmffi_structural_mutator *)(void *)arg->v_obj;
}

static const tvmffi_mutator_table *table_of_arg(const TVMFFIAny *arg) {
  return as_mutator(arg)->vtable;
}

static TVMFFIAny mutate_view(tvmffi_structural_mutator *mutator, const TVMFFIAny *value,
                             bool by_default) {
  return by_default ? tvmffi_mutator_default_mutate(mutator, value)
                    : tvmffi_mutator_mutate(mutator, value, false);
}

/* Takes no reference to the object, so that callbacks may still find it unique. */
static int mutate_object(const TVMFFIAny *args, bool by_default, TVMFFIAny *result) {
  tvmffi_lend lend;
  TVMFFIAny outcome;
  int rc = 0;
  tvmffi_lend_begin(&lend, &args[1]);
  outcome = mutate_view(as_mutator(&args[0]), &args[1], by_default);
  if (!tvmffi_outcome_is_unchanged(&outcome)) {
    rc = tvmffi_outcome_give(outcome, result);
  } else if (tvmffi_lend_is_there(&lend)) {
    *result = tvmffi_any_copy(&args[1]);
  } else {
    rc = tvmffi_fail("RuntimeError", "The value was destroyed while it was mutated");
  }
  tvmffi_lend_end(&lend);
  return rc;
}

static int mutate_argument(const TVMFFIAny *args, bool by_default, TVMFFIAny *result) {
  TVMFFIAny owned;
  if (args[1].type_index >= kTVMFFIStaticObjectBegin && args[1].v_obj != NULL) {
    return mutate_object(args, by_default, result);
  }
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[1], &owned));
  return give(mutate_view(as_mutator(&args[0]), &owned, by_default), &owned, result);
}

static int mutate(const TVMFFIAny *args, TVMFFIAny *result) {
  return mutate_argument(args, false, result);
}

static int default_mutate(const TVMFFIAny *args, TVMFFIAny *result) {
  return mutate_argument(args, true, result);
}

static int var_remap_get(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny error;
  if (check_var(&args[1], &error) != 0) return tvmffi_outcome_give(error, result);
  return tvmffi_outcome_give(table_of_arg(&args[0])->var_remap_get(args[0].v_obj, args[1]), result);
}

static int var_remap_set(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny done;
  if (check_var(&args[1], &done) == 0) {
    done = table_of_arg(&args[0])->var_remap_set(args[0].v_obj, args[1], args[2]);
  }
  return tvmffi_outcome_give(done, result);
}

/* ---- Attributes ---- */

static TVMFFIAny refuse_mutation(void) {
  return tvmffi_outcome_fail("RuntimeError", "A copy of a mutator cannot mutate");
}

static TVMFFIAny refuse_child(void *mutator, TVMFFIAny value) {
  (void)mutator;
  (void)value;
  return refuse_mutation();
}

static TVMFFIAny refuse_mapping(void *mutator, TVMFFIAny var, TVMFFIAny mapped) {
  (void)mutator;
  (void)var;
  (void)mapped;
  return refuse_mutation();
}

static int shallow_copy_mutator(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  static const tvmffi_mutator_table kTable = {refuse_child, refuse_child, refuse_child,
                                              refuse_mapping};
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  return tvmffi_structural_copy(as_mutator(&args[0]), &kTable, result);
}

#define MUTATES(type, hook, inplace_hook)                                           \
  {type, kTvmffiAttrSMutate, false, NULL, (void (*)(void))hook}, {                  \
    type, kTvmffiAttrSMaybeInplaceMutate, false, NULL, (void (*)(void))inplace_hook \
  }
#define CONTAINER(type) MUTATES(type, mutate_container, tvmffi_mutate_container_inplace)
#define ATOM(type) MUTATES(type, mutate_atom, mutate_atom)

static const tvmffi_builtin_attr kMutateAttrs[] = {
    ATOM(kTVMFFIStr),
    ATOM(kTVMFFIBytes),
    ATOM(kTVMFFIBigInt),
    CONTAINER(kTVMFFIArray),
    CONTAINER(kTVMFFIMap),
    CONTAINER(kTVMFFIList),
    CONTAINER(kTVMFFIDict),
    {kTvmffiStructuralMutator, kTvmffiAttrShallowCopy, false, shallow_copy_mutator, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_mutate_attrs, kMutateAttrs);

#define FUNCTIONS(F)                                                                  \
  F("ffi.StructuralMutatorMutate", "Uw>a", mutate)                                    \
  F("ffi.StructuralMutatorDefaultMutate", "Uw>a", default_mutate)                     \
  F("ffi.StructuralMutatorVarRemapGet", "Uw>a", var_remap_get)                        \
  F("ffi.StructuralMutatorVarRemapSet", "Uww>v", var_remap_set)                       \
  F("ffi.StructuralMutatorDefRegionKind", "U>i", tvmffi_structural_get_region)        \
  F("ffi.StructuralMutatorWithDefRegionKind", "UiF>a", tvmffi_structural_with_region) \
  F("ffi.StructuralMap", "acci>a", map)                                               \
  F("ffi.StructuralMutate", "aC>a", mutate_by_callbacks)

TVMFFI_BUILTIN_GROUP(tvmffi_mutate_builtins, FUNCTIONS);
