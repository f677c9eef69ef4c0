/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/visit.h"

#include "base/stack.h"
#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/types.h"

static const tvmffi_visit_engine *visitor_get_engine(const tvmffi_structural_visitor *visitor);

/* ---- Visits ---- */

static const char kVisitName[] = "ffi.StructuralVisit";

/* An object whose children are being visited. */
typedef struct {
  TVMFFIObject *obj;
  bool is_held;         /* the frame owns a reference, and lends the object again at its end */
  TVMFFIObject *parent; /* the container to lend it from, or NULL for the root */
  uint64_t position;
  TVMFFIAny owned; /* the value of the current child, if that is a field; others are lent */
  tvmffi_child_cursor cursor;
  int32_t region;       /* the region around the object */
  int32_t child_region; /* the region for its content */
  bool is_entered;      /* by the visitor, not by the default visit */
} visited_frame;

typedef struct {
  tvmffi_structural_visitor *visitor;
  const tvmffi_visit_engine *engine; /* the visitor, or NULL if it is not an engine */
  tvmffi_stack frames;
  tvmffi_lend lend; /* the value being entered or left */
} visit_walk;

/* ---- Callbacks ---- */

/*
 * Calls the callback for a value, if there is one; *goes_on is whether the walk should visit the
 * value's children, which is false if the callback removed the value from its place.
 */
static TVMFFIAny dispatch_visit(visit_walk *w, const TVMFFIAny *value, bool *goes_on) {
  const tvmffi_callback *callback = tvmffi_callbacks_find(&w->engine->callbacks, value);
  TVMFFIAny args[2], outcome;
  *goes_on = true;
  if (callback == NULL) return tvmffi_any_none();
  args[0] = *value;
  if (w->engine->kind == kTvmffiVisit) {
    *goes_on = false;
    args[1] = tvmffi_any_object(w->visitor);
    return tvmffi_outcome_check_visit(tvmffi_callback_call(kVisitName, callback, args, 2));
  }
  args[1] = tvmffi_any_int(w->visitor->def_region_kind);
  outcome = tvmffi_callback_call(kVisitName, callback, args, 1 + callback->wants_more);
  switch (outcome.type_index) {
    case kTVMFFINone:
      *goes_on = tvmffi_lend_is_there(&w->lend);
      return outcome;
    case kTVMFFIVisitInterrupt:
    case kTVMFFIError:
      return outcome;
    case kTVMFFIInt:
    case kTVMFFIBool:
      *goes_on = outcome.v_int64 != 1 && tvmffi_lend_is_there(&w->lend);
      return tvmffi_any_none();
    default:
      return tvmffi_outcome_refuse(outcome, "WalkResult");
  }
}

/* ---- Descending ---- */

static int push_visited(visit_walk *w, TVMFFIObject *obj, bool is_entered) {
  int32_t region = w->visitor->def_region_kind;
  visited_frame *top;
  TVMFFI_TRY(tvmffi_walk_check_depth(kVisitName, w->frames.size));
  top = tvmffi_stack_push(&w->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->obj = obj;
  top->parent = w->lend.parent;
  top->position = w->lend.position;
  top->is_held = w->lend.obj != NULL;
  if (top->is_held) tvmffi_lend_hold(&w->lend);
  top->region = region;
  top->child_region = tvmffi_region_inside(region, tvmffi_structural_find_kind(obj->type_index));
  top->is_entered = is_entered;
  tvmffi_child_first(&top->cursor, obj);
  return 0;
}

static TVMFFIAny call_visit_hook(visit_walk *w, const TVMFFIAny *hook, const TVMFFIAny *value) {
  return tvmffi_outcome_check_visit(
      tvmffi_outcome_of_hook(kVisitName, hook, &w->visitor->header, value,
                             "__s_visit__ must be an opaque function pointer or ffi.Function"));
}

/* The default visit. An object whose children the walk visits itself is only pushed. */
static TVMFFIAny descend_to_visit(visit_walk *w, const TVMFFIAny *value, bool is_entered) {
  const TVMFFIAny *hook = tvmffi_is_container(value->type_index)
                              ? NULL
                              : tvmffi_type_find_attr(kTvmffiAttrSVisit, value->type_index);
  if (hook != NULL) return call_visit_hook(w, hook, value);
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) {
    return tvmffi_any_none();
  }
  return push_visited(w, value->v_obj, is_entered) == 0 ? tvmffi_any_none()
                                                        : tvmffi_outcome_raised();
}

/* Ends the engine's visit of a value. The value is used only if it is still there. */
static TVMFFIAny finish_visited(visit_walk *w, const TVMFFIAny *value, TVMFFIAny outcome) {
  bool goes_on;
  if (outcome.type_index == kTVMFFINone && w->engine->kind == kTvmffiWalkPostOrder &&
      tvmffi_lend_is_there(&w->lend)) {
    outcome = dispatch_visit(w, value, &goes_on);
  }
  if (tvmffi_outcome_is_error(&outcome) && tvmffi_lend_is_there(&w->lend)) {
    tvmffi_outcome_note(&outcome, value);
  }
  return outcome;
}

/* Starts a visit by the visitor, and finishes it unless an object was pushed. */
static TVMFFIAny enter_visited(visit_walk *w, const TVMFFIAny *value) {
  size_t depth = w->frames.size;
  bool goes_on = true;
  TVMFFIAny outcome = tvmffi_any_none();
  if (w->engine == NULL) return tvmffi_visitor_visit(w->visitor, value);
  if (value->type_index == kTVMFFINone) return outcome;
  if (w->engine->kind != kTvmffiWalkPostOrder) outcome = dispatch_visit(w, value, &goes_on);
  if (goes_on && outcome.type_index == kTVMFFINone) outcome = descend_to_visit(w, value, true);
  return w->frames.size == depth ? finish_visited(w, value, outcome) : outcome;
}

/* ---- The walk ---- */

/* Finishes the current child. */
static void drop_child(visit_walk *w, visited_frame *top) {
  tvmffi_lend_drop(&w->lend);
  if (top->owned.type_index >= kTVMFFIStaticObjectBegin) tvmffi_any_release(&top->owned);
}

static TVMFFIAny leave_visited(visit_walk *w, TVMFFIAny outcome) {
  visited_frame *top = tvmffi_stack_top(&w->frames);
  TVMFFIAny value = tvmffi_any_object(top->obj);
  bool is_entered = top->is_entered;
  drop_child(w, top);
  w->visitor->def_region_kind = top->region;
  tvmffi_stack_pop(&w->frames);
  if (top->is_held) tvmffi_lend_again(&w->lend, top->obj, top->parent, top->position);
  return is_entered ? finish_visited(w, &value, outcome) : outcome;
}

static TVMFFIAny visit_next(visit_walk *w) {
  visited_frame *top = tvmffi_stack_top(&w->frames);
  tvmffi_child child;
  uint64_t position;
  int rc;
  drop_child(w, top);
  position = top->cursor.position;
  rc = tvmffi_child_next_lent(&top->cursor, &child);
  if (rc != 1) return leave_visited(w, rc == 0 ? tvmffi_any_none() : tvmffi_outcome_raised());
  if (child.field != NULL) {
    top->owned = child.value;
    w->visitor->def_region_kind = tvmffi_region_of_field(top->child_region, child.field);
  } else {
    tvmffi_lend_child(&w->lend, &child.value, top->obj, position);
    w->visitor->def_region_kind = top->child_region;
  }
  return enter_visited(w, &child.value);
}

static void begin_visit(visit_walk *w, tvmffi_structural_visitor *visitor, const TVMFFIAny *root) {
  w->visitor = visitor;
  w->engine = visitor_get_engine(visitor);
  tvmffi_stack_init(&w->frames, sizeof(visited_frame));
  tvmffi_lend_begin(&w->lend, root);
}

static TVMFFIAny run_visit(visit_walk *w, TVMFFIAny outcome) {
  while (w->frames.size != 0) {
    outcome = outcome.type_index == kTVMFFINone ? visit_next(w) : leave_visited(w, outcome);
  }
  tvmffi_stack_fini(&w->frames);
  tvmffi_lend_end(&w->lend);
  return outcome;
}

/* ---- Entry points ---- */

/* The function in the table of engines. */
static TVMFFIAny visit_engine_visit(void *visitor, TVMFFIAny value) {
  visit_walk w;
  begin_visit(&w, visitor, &value);
  return run_visit(&w, enter_visited(&w, &value));
}

TVMFFIAny tvmffi_visitor_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value) {
  const tvmffi_visitor_table *table = visitor->vtable;
  if (tvmffi_walk_check_stack(kVisitName) != 0) return tvmffi_outcome_raised();
  return tvmffi_outcome_check_visit(table->visit(visitor, *value));
}

TVMFFIAny tvmffi_visitor_default_visit(tvmffi_structural_visitor *visitor, const TVMFFIAny *value) {
  visit_walk w;
  begin_visit(&w, visitor, value);
  return run_visit(&w, descend_to_visit(&w, value, false));
}

/* The attribute __s_visit__ of containers. */
static TVMFFIAny visit_container(void *visitor, TVMFFIAny value) {
  return tvmffi_visitor_default_visit(visitor, &value);
}

/* ---- The engine: a visitor that calls back ---- */

static const tvmffi_visitor_table kVisitEngineTable = {visit_engine_visit};

/* The visitor as an engine, or NULL if it is not one. */
static const tvmffi_visit_engine *visitor_get_engine(const tvmffi_structural_visitor *visitor) {
  return visitor->vtable == &kVisitEngineTable ? (const tvmffi_visit_engine *)(const void *)visitor
                                               : NULL;
}

static void destroy_visit_engine(void *self) {
  tvmffi_callbacks_fini(&((tvmffi_visit_engine *)self)->callbacks);
}

TVMFFI_DELETER(delete_visit_engine, destroy_visit_engine, 0);

static int visit_with(tvmffi_visit_kind kind, const TVMFFIAny *root, const TVMFFIAny *callbacks,
                      const TVMFFIAny *more_callbacks, TVMFFIAny *result) {
  tvmffi_visit_engine *engine;
  tvmffi_callbacks owned;
  int rc;
  TVMFFI_TRY(tvmffi_callbacks_init(&owned, callbacks, more_callbacks));
  engine = tvmffi_object_new(sizeof *engine, kTvmffiStructuralVisitor, delete_visit_engine);
  if (engine == NULL) {
    tvmffi_callbacks_fini(&owned);
    return -1;
  }
  engine->base.vtable = &kVisitEngineTable;
  engine->base.def_region_kind = kTVMFFIDefRegionKindNone;
  engine->kind = kind;
  engine->callbacks = owned;
  rc = tvmffi_outcome_give(visit_engine_visit(engine, *root), result);
  tvmffi_object_release(engine);
  return rc;
}

/* ---- Functions ---- */

static tvmffi_structural_visitor *as_visitor(const TVMFFIAny *arg) {
  return (tvmffi_structural_visitor *)(void *)arg->v_obj;
}

static int make_interrupt(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_any_give(tvmffi_reflect_new_with(kTVMFFIVisitInterrupt, &args[0]), result);
}

static int visit_structurally(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_outcome_give(tvmffi_visitor_visit(as_visitor(&args[0]), &args[1]), result);
}

static int default_visit(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_outcome_give(tvmffi_visitor_default_visit(as_visitor(&args[0]), &args[1]), result);
}

int tvmffi_structural_get_region(const TVMFFIAny *args, TVMFFIAny *result) {
  *result = tvmffi_any_int(as_visitor(&args[0])->def_region_kind);
  return 0;
}

int tvmffi_structural_with_region(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_structural_visitor *visitor = as_visitor(&args[0]);
  int32_t outer = visitor->def_region_kind;
  int rc;
  if (args[2].type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "The callback that a region is entered for is None");
  }
  if (outer != kTVMFFIDefRegionKindPattern) visitor->def_region_kind = (int32_t)args[1].v_int64;
  rc = tvmffi_walk_call("WithDefRegionKind", args[2].v_obj, NULL, 0, result);
  visitor->def_region_kind = outer;
  return rc;
}

static int call_walk(const TVMFFIAny *args, TVMFFIAny *result) {
  tvmffi_visit_kind kind = args[3].v_int64 == 0 ? kTvmffiWalkPreOrder : kTvmffiWalkPostOrder;
  return visit_with(kind, &args[0], &args[1], &args[2], result);
}

static int visit_by_callbacks(const TVMFFIAny *args, TVMFFIAny *result) {
  return visit_with(kTvmffiVisit, &args[0], &args[1], NULL, result);
}

/* ---- Attributes ---- */

int tvmffi_structural_copy(const tvmffi_structural_visitor *source, const void *table,
                           TVMFFIAny *result) {
  tvmffi_structural_visitor *copy =
      tvmffi_object_new(sizeof *copy, source->header.type_index, tvmffi_object_delete_plain);
  if (copy == NULL) return -1;
  copy->vtable = table;
  copy->def_region_kind = source->def_region_kind;
  *result = tvmffi_any_object(copy);
  return 0;
}

static TVMFFIAny refuse_visit(void *visitor, TVMFFIAny value) {
  (void)visitor;
  (void)value;
  return tvmffi_outcome_fail("RuntimeError", "A copy of a visitor cannot visit");
}

static int shallow_copy_visitor(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  static const tvmffi_visitor_table kTable = {refuse_visit};
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  return tvmffi_structural_copy(as_visitor(&args[0]), &kTable, result);
}

#define VISITS(type) \
  { type, kTvmffiAttrSVisit, false, NULL, (void (*)(void))visit_container }

static const tvmffi_builtin_attr kVisitAttrs[] = {
    VISITS(kTVMFFIArray),
    VISITS(kTVMFFIMap),
    VISITS(kTVMFFIList),
    VISITS(kTVMFFIDict),
    {kTvmffiStructuralVisitor, kTvmffiAttrShallowCopy, false, shallow_copy_visitor, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_visit_attrs, kVisitAttrs);

#define FUNCTIONS(F)                                                                  \
  F("ffi.VisitInterrupt", "a>I", make_interrupt)                                      \
  F("ffi.StructuralVisitorVisit", "Ww>?I", visit_structurally)                        \
  F("ffi.StructuralVisitorDefaultVisit", "Ww>?I", default_visit)                      \
  F("ffi.StructuralVisitorDefRegionKind", "W>i", tvmffi_structural_get_region)        \
  F("ffi.StructuralVisitorWithDefRegionKind", "WiF>a", tvmffi_structural_with_region) \
  F("ffi.StructuralWalk", "wcci>?I", call_walk)                                       \
  F("ffi.StructuralVisit", "wc>?I", visit_by_callbacks)

TVMFFI_BUILTIN_GROUP(tvmffi_visit_builtins, FUNCTIONS);
