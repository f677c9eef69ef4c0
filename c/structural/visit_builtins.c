/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions and attributes of visitors. */
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "reflect/objects.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/types.h"
#include "structural/visit.h"

/* ---- The engine: a visitor that calls back ---- */

static const tvmffi_visitor_table kEngineTable = {tvmffi_visit_engine_visit};

const tvmffi_visit_engine *tvmffi_visitor_get_engine(const tvmffi_structural_visitor *visitor) {
  return visitor->vtable == &kEngineTable ? (const tvmffi_visit_engine *)(const void *)visitor
                                          : NULL;
}

static void destroy_engine(void *self) {
  tvmffi_callbacks_fini(&((tvmffi_visit_engine *)self)->callbacks);
}

static void delete_engine(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_engine, destroy_engine, 0);
}

static int visit_with(tvmffi_visit_kind kind, const TVMFFIAny *root, const TVMFFIAny *callbacks,
                      const TVMFFIAny *more_callbacks, TVMFFIAny *result) {
  tvmffi_visit_engine *engine;
  tvmffi_callbacks owned;
  int rc;
  TVMFFI_TRY(tvmffi_callbacks_init(&owned, callbacks, more_callbacks));
  engine = tvmffi_object_new(sizeof *engine, kTvmffiStructuralVisitor, delete_engine);
  if (engine == NULL) {
    tvmffi_callbacks_fini(&owned);
    return -1;
  }
  engine->base.vtable = &kEngineTable;
  engine->base.def_region_kind = kTVMFFIDefRegionKindNone;
  engine->kind = kind;
  engine->callbacks = owned;
  rc = tvmffi_outcome_give(tvmffi_visit_engine_visit(engine, *root), result);
  tvmffi_object_release(engine);
  return rc;
}

/* ---- Functions ---- */

static tvmffi_structural_visitor *as_visitor(const TVMFFIAny *arg) {
  return (tvmffi_structural_visitor *)(void *)arg->v_obj;
}

static int make_interrupt(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_visit_interrupt *interrupt;
  TVMFFIAny value;
  (void)num_args;
  TVMFFI_TRY(TVMFFIAnyViewToOwnedAny(&args[0], &value));
  interrupt = tvmffi_reflect_new(kTVMFFIVisitInterrupt);
  if (interrupt == NULL) {
    tvmffi_any_release(&value);
    return -1;
  }
  interrupt->value = value;
  *result = tvmffi_any_object(interrupt);
  return 0;
}

static int visit(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_outcome_give(tvmffi_visitor_visit(as_visitor(&args[0]), &args[1]), result);
}

static int default_visit(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_outcome_give(tvmffi_visitor_default_visit(as_visitor(&args[0]), &args[1]), result);
}

int tvmffi_structural_get_region(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  *result = tvmffi_any_int(as_visitor(&args[0])->def_region_kind);
  return 0;
}

int tvmffi_structural_with_region(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_structural_visitor *visitor = as_visitor(&args[0]);
  int32_t outer = visitor->def_region_kind;
  int rc;
  (void)num_args;
  if (args[2].type_index != kTVMFFIFunction) {
    return tvmffi_fail("TypeError", "The callback that a region is entered for is None");
  }
  if (outer != kTVMFFIDefRegionKindPattern) visitor->def_region_kind = (int32_t)args[1].v_int64;
  rc = tvmffi_walk_call("WithDefRegionKind", args[2].v_obj, NULL, 0, result);
  visitor->def_region_kind = outer;
  return rc;
}

static int walk(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_visit_kind kind = args[3].v_int64 == 0 ? kTvmffiWalkPreOrder : kTvmffiWalkPostOrder;
  (void)num_args;
  return visit_with(kind, &args[0], &args[1], &args[2], result);
}

static int visit_by_callbacks(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
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

static int shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static const tvmffi_visitor_table kTable = {refuse_visit};
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  return tvmffi_structural_copy(as_visitor(&args[0]), &kTable, result);
}

#define VISITS(type) \
  { type, kTvmffiAttrSVisit, false, NULL, (void (*)(void))tvmffi_visit_container }

static const tvmffi_builtin_attr kAttrs[] = {
    VISITS(kTVMFFIArray),
    VISITS(kTVMFFIMap),
    VISITS(kTVMFFIList),
    VISITS(kTVMFFIDict),
    {kTvmffiStructuralVisitor, kTvmffiAttrShallowCopy, false, shallow_copy, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function attr_functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_visit_attrs = {kAttrs, attr_functions, kNumAttrs};

#define FUNCTIONS(F)                                                                  \
  F("ffi.VisitInterrupt", "a>I", make_interrupt)                                      \
  F("ffi.StructuralVisitorVisit", "Ww>?I", visit)                                     \
  F("ffi.StructuralVisitorDefaultVisit", "Ww>?I", default_visit)                      \
  F("ffi.StructuralVisitorDefRegionKind", "W>i", tvmffi_structural_get_region)        \
  F("ffi.StructuralVisitorWithDefRegionKind", "WiF>a", tvmffi_structural_with_region) \
  F("ffi.StructuralWalk", "wcci>?I", walk)                                            \
  F("ffi.StructuralVisit", "wc>?I", visit_by_callbacks)

TVMFFI_BUILTIN_GROUP(tvmffi_visit_builtins, FUNCTIONS);
