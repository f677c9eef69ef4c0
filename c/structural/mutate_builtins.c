/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions and attributes of mutators. */
#include "structural/mutate.h"
#include "structural/structural.h"

#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "structural/outcome.h"
#include "structural/visit.h"

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

static const tvmffi_mutator_table kEngineTable = {
    tvmffi_mutate_engine_mutate, tvmffi_mutate_engine_maybe_inplace, get_remapped, set_remapped};

const tvmffi_mutate_engine *tvmffi_mutator_get_engine(const tvmffi_structural_mutator *mutator) {
  return mutator->vtable == &kEngineTable ? (const tvmffi_mutate_engine *)(const void *)mutator
                                          : NULL;
}

static void destroy_engine(void *self) {
  tvmffi_mutate_engine *engine = self;
  size_t i;
  for (i = 0; i < engine->remapped.size; ++i) {
    tvmffi_remap_entry *entry = entry_at(engine, i);
    tvmffi_object_release_nested(entry->var);
    if (entry->mapped.type_index >= kTVMFFIStaticObjectBegin) {
      tvmffi_object_release_nested(entry->mapped.v_obj);
    }
  }
  tvmffi_stack_fini(&engine->remapped);
  tvmffi_pointer_map_fini(&engine->remap);
  tvmffi_callbacks_fini(&engine->callbacks);
}

static void delete_engine(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_engine, destroy_engine, 0);
}

static tvmffi_mutate_engine *new_engine(tvmffi_mutate_kind kind, const TVMFFIAny *callbacks,
                                        const TVMFFIAny *more_callbacks) {
  tvmffi_mutate_engine *engine;
  tvmffi_callbacks owned;
  if (tvmffi_callbacks_init(&owned, callbacks, more_callbacks) != 0) return NULL;
  engine = tvmffi_object_new(sizeof *engine, kTvmffiStructuralMutator, delete_engine);
  if (engine == NULL) {
    tvmffi_callbacks_fini(&owned);
    return NULL;
  }
  engine->base.vtable = &kEngineTable;
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

static int map(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_mutate_kind kind = args[3].v_int64 == 0 ? kTvmffiMapPreOrder : kTvmffiMapPostOrder;
  (void)num_args;
  return mutate_with(kind, &args[0], &args[1], &args[2], result);
}

static int mutate_by_callbacks(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return mutate_with(kTvmffiMutate, &args[0], &args[1], NULL, result);
}

static tvmffi_structural_mutator *as_mutator(const TVMFFIAny *arg) {
  return (tvmffi_structural_mutator *)(void *)arg->v_obj;
}

static const tvmffi_mutator_table *table_of(const TVMFFIAny *arg) {
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

static int mutate(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return mutate_argument(args, false, result);
}

static int default_mutate(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return mutate_argument(args, true, result);
}

static int var_remap_get(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny error;
  (void)num_args;
  if (check_var(&args[1], &error) != 0) return tvmffi_outcome_give(error, result);
  return tvmffi_outcome_give(table_of(&args[0])->var_remap_get(args[0].v_obj, args[1]), result);
}

static int var_remap_set(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny done;
  (void)num_args;
  if (check_var(&args[1], &done) == 0) {
    done = table_of(&args[0])->var_remap_set(args[0].v_obj, args[1], args[2]);
  }
  return tvmffi_outcome_give(done, result);
}

/* ---- Attributes ---- */

static TVMFFIAny refuse(void) {
  return tvmffi_outcome_fail("RuntimeError", "A copy of a mutator cannot mutate");
}

static TVMFFIAny refuse_child(void *mutator, TVMFFIAny value) {
  (void)mutator;
  (void)value;
  return refuse();
}

static TVMFFIAny refuse_mapping(void *mutator, TVMFFIAny var, TVMFFIAny mapped) {
  (void)mutator;
  (void)var;
  (void)mapped;
  return refuse();
}

static int shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static const tvmffi_mutator_table kTable = {refuse_child, refuse_child, refuse_child,
                                              refuse_mapping};
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  return tvmffi_structural_copy(as_mutator(&args[0]), &kTable, result);
}

#define MUTATES(type, hook, inplace_hook)                                           \
  {type, kTvmffiAttrSMutate, false, NULL, (void (*)(void))hook}, {                  \
    type, kTvmffiAttrSMaybeInplaceMutate, false, NULL, (void (*)(void))inplace_hook \
  }
#define CONTAINER(type) MUTATES(type, tvmffi_mutate_container, tvmffi_mutate_container_inplace)
#define ATOM(type) MUTATES(type, tvmffi_mutate_atom, tvmffi_mutate_atom)

static const tvmffi_builtin_attr kAttrs[] = {
    ATOM(kTVMFFIStr),
    ATOM(kTVMFFIBytes),
    ATOM(kTVMFFIBigInt),
    CONTAINER(kTVMFFIArray),
    CONTAINER(kTVMFFIMap),
    CONTAINER(kTVMFFIList),
    CONTAINER(kTVMFFIDict),
    {kTvmffiStructuralMutator, kTvmffiAttrShallowCopy, false, shallow_copy, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function attr_functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_mutate_attrs = {kAttrs, attr_functions, kNumAttrs};

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
