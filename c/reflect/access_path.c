/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/access_path.h"

#include "base/buf.h"
#include "base/stack.h"
#include "container/any_key.h"
#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/string_object.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"

/* ---- Functions for C ---- */

TVMFFIObject *tvmffi_access_step_new(int32_t kind, const TVMFFIAny *key) {
  tvmffi_access_step *step = tvmffi_reflect_new_with(kTvmffiAccessStep, key);
  if (step == NULL) return NULL;
  step->kind = kind;
  return &step->header;
}

TVMFFIObject *tvmffi_access_path_root(void) {
  return tvmffi_reflect_new(kTvmffiAccessPath);
}

static const tvmffi_access_path *as_path(const TVMFFIObject *obj) {
  return (const tvmffi_access_path *)(const void *)obj;
}

TVMFFIObject *tvmffi_access_path_extend(TVMFFIObject *parent, TVMFFIObject *step) {
  tvmffi_access_path *path = tvmffi_reflect_new(kTvmffiAccessPath);
  if (path == NULL) return NULL;
  tvmffi_object_retain(parent);
  tvmffi_object_retain(step);
  path->parent = parent;
  path->step = step;
  path->depth = as_path(parent)->depth + 1;
  return &path->header;
}

/*
 * The path without its last step; NULL for a root. Clients may have set any object as the parent.
 */
static const tvmffi_access_path *access_path_parent(const tvmffi_access_path *path) {
  if (path->parent == NULL || path->step == NULL ||
      !tvmffi_type_is_instance(path->parent->type_index, kTvmffiAccessPath)) {
    return NULL;
  }
  return as_path(path->parent);
}

/* 1 or 0, or -1 with the error raised; comparing keys may run foreign code. */
static int access_step_equal(const tvmffi_access_step *a, const tvmffi_access_step *b) {
  int equal;
  if (a == NULL || b == NULL) return a == b;
  if (a->kind != b->kind) return 0;
  equal = tvmffi_any_key_ask_equal(&a->key, &b->key);
  return equal == kTvmffiRaised ? -1 : equal;
}

/* Compares two paths of the same depth: 1, 0, or -1 with the error raised. */
static int is_equal(const tvmffi_access_path *a, const tvmffi_access_path *b) {
  while (a != b && a != NULL && b != NULL) {
    int equal = access_step_equal((const tvmffi_access_step *)(const void *)a->step,
                                  (const tvmffi_access_step *)(const void *)b->step);
    if (equal != 1) return equal;
    a = access_path_parent(a);
    b = access_path_parent(b);
  }
  return a == b;
}

/* ---- Methods ---- */

static int get_root(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)args;
  return tvmffi_any_give(tvmffi_access_path_root(), result);
}

static int extend_path(const TVMFFIAny *args, TVMFFIAny *result) {
  return tvmffi_any_give(tvmffi_access_path_extend(args[0].v_obj, args[1].v_obj), result);
}

static int extend_by(int32_t kind, const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *step = tvmffi_access_step_new(kind, &args[1]), *path;
  if (step == NULL) return -1;
  path = tvmffi_access_path_extend(args[0].v_obj, step);
  tvmffi_object_release(step);
  return tvmffi_any_give(path, result);
}

static int extend_by_index(int32_t kind, const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIAny path_and_index[2];
  path_and_index[0] = args[0];
  path_and_index[1] = tvmffi_any_int(args[1].v_int64); /* it may have been a bool */
  return extend_by(kind, path_and_index, result);
}

#define EXTENDS(name, how, kind)                              \
  static int name(const TVMFFIAny *args, TVMFFIAny *result) { \
    return how(kind, args, result);                           \
  }

EXTENDS(attr, extend_by, kTvmffiStepAttr)
EXTENDS(array_item, extend_by_index, kTvmffiStepArrayItem)
EXTENDS(map_item, extend_by, kTvmffiStepMapItem)
EXTENDS(attr_missing, extend_by, kTvmffiStepAttrMissing)
EXTENDS(array_item_missing, extend_by_index, kTvmffiStepArrayItemMissing)
EXTENDS(map_item_missing, extend_by, kTvmffiStepMapItemMissing)

static int is_prefix_of(const TVMFFIAny *args, TVMFFIAny *result) {
  const tvmffi_access_path *path = as_path(args[0].v_obj), *longer = as_path(args[1].v_obj);
  int equal = 0;
  if (path->depth <= longer->depth) {
    while (longer != NULL && longer->depth > path->depth) {
      longer = access_path_parent(longer);
    }
    equal = is_equal(path, longer);
  }
  if (equal < 0) return -1;
  *result = tvmffi_any_bool(equal);
  return 0;
}

static int path_equal(const TVMFFIAny *args, TVMFFIAny *result) {
  const tvmffi_access_path *a = as_path(args[0].v_obj), *b = as_path(args[1].v_obj);
  int equal = a->depth == b->depth ? is_equal(a, b) : 0;
  if (equal < 0) return -1;
  *result = tvmffi_any_bool(equal);
  return 0;
}

/*
 * Lists the steps from the root on. They are counted, because a client may have set depth to
 * anything.
 */
static int to_steps(const TVMFFIAny *args, TVMFFIAny *result) {
  const tvmffi_access_path *path, *parent;
  int64_t count = 0;
  TVMFFIObject *steps;
  for (path = as_path(args[0].v_obj); (parent = access_path_parent(path)) != NULL; path = parent) {
    ++count;
  }
  steps = tvmffi_array_new(count);
  if (steps == NULL) return tvmffi_fail_memory();
  TVMFFISeqGetCellPtr(steps)->size = count;
  for (path = as_path(args[0].v_obj); count > 0; path = as_path(path->parent)) {
    tvmffi_object_retain(path->step);
    tvmffi_array_items(steps)[--count] = tvmffi_any_object(path->step);
  }
  return tvmffi_any_give(steps, result);
}

/* ---- Tables ---- */

static int create_step(TVMFFIObjectHandle *result) {
  return tvmffi_reflect_make(kTvmffiAccessStep, result);
}

static int create_path(TVMFFIObjectHandle *result) {
  return tvmffi_reflect_make(kTvmffiAccessPath, result);
}

#define METHOD(name, signature, body) \
  { TVMFFI_METHOD_TEXTS("ffi.reflection.AccessPath." name, signature, ""), body, 0 }

static const tvmffi_builtin_field kStepFields[] = {
    {TVMFFI_FIELD_TEXTS("kind", "i", ""), 0, kTvmffiStoredInt32, offsetof(tvmffi_access_step, kind),
     kTVMFFIInt, tvmffi_field_set_int32, NULL},
    {TVMFFI_FIELD_TEXTS("key", "a", ""), 0, kTvmffiStoredAny, offsetof(tvmffi_access_step, key),
     kTVMFFIAny, tvmffi_field_set_any, NULL},
};

static const tvmffi_builtin_field kPathFields[] = {
    {TVMFFI_FIELD_TEXTS("parent", "?O", ""), 0, kTvmffiStoredObject,
     offsetof(tvmffi_access_path, parent), kTVMFFIAny, tvmffi_field_set_optional_object, NULL},
    {TVMFFI_FIELD_TEXTS("step", "?S", ""), 0, kTvmffiStoredObject,
     offsetof(tvmffi_access_path, step), kTVMFFIAny, tvmffi_field_set_optional_step, NULL},
    {TVMFFI_FIELD_TEXTS("depth", "i", ""), 0, kTvmffiStoredInt32,
     offsetof(tvmffi_access_path, depth), kTVMFFIInt, tvmffi_field_set_int32, NULL},
};

static const tvmffi_builtin_method kPathMethods[] = {
    {TVMFFI_METHOD_TEXTS("ffi.reflection.AccessPath._root", ">P", ""), get_root,
     kTVMFFIFieldFlagBitMaskIsStaticMethod},
    METHOD("_extend", "PS>P", extend_path),
    METHOD("_attr", "Ps>P", attr),
    METHOD("_array_item", "Pi>P", array_item),
    METHOD("_map_item", "Pa>P", map_item),
    METHOD("_attr_missing", "Ps>P", attr_missing),
    METHOD("_array_item_missing", "Pi>P", array_item_missing),
    METHOD("_map_item_missing", "Pa>P", map_item_missing),
    METHOD("_is_prefix_of", "PP>b", is_prefix_of),
    METHOD("_to_steps", "P>@S", to_steps),
    METHOD("_path_equal", "PP>b", path_equal),
};

static TVMFFIFieldInfo step_fields[sizeof kStepFields / sizeof *kStepFields];
static TVMFFIFieldInfo path_fields[sizeof kPathFields / sizeof *kPathFields];
static TVMFFIMethodInfo path_methods[sizeof kPathMethods / sizeof *kPathMethods];
static tvmffi_builtin_function path_functions[sizeof kPathMethods / sizeof *kPathMethods];

static const tvmffi_builtin_type kAccessPathTypes[] = {
    {.type_index = kTvmffiAccessStep,
     .letter = 'S',
     .key = "ffi.reflection.AccessStep",
     .any_offset = offsetof(tvmffi_access_step, key),
     .metadata = {.creator = create_step,
                  .total_size = sizeof(tvmffi_access_step),
                  .structural_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode},
     TVMFFI_FIELDS(kStepFields, step_fields)},
    {.type_index = kTvmffiAccessPath,
     .letter = 'P',
     .key = "ffi.reflection.AccessPath",
     .num_objects = 2,
     .metadata = {.creator = create_path,
                  .total_size = sizeof(tvmffi_access_path),
                  .structural_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode},
     TVMFFI_FIELDS(kPathFields, path_fields),
     TVMFFI_METHODS(kPathMethods, path_methods, path_functions)},
};

const tvmffi_builtin_type_group tvmffi_access_path_types =
    TVMFFI_TYPE_GROUP_WITH_MEMBERS(kAccessPathTypes);

static const tvmffi_builtin_attr kAccessPathAttrs[] = {
    TVMFFI_MAKES_AND_COPIES(kTvmffiAccessStep),
    TVMFFI_MAKES_AND_COPIES(kTvmffiAccessPath),
    TVMFFI_IS_FINAL(kTvmffiAccessStep, true),
    TVMFFI_IS_FINAL(kTvmffiAccessPath, true),
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_access_path_attrs, kAccessPathAttrs);

/* ---- Text ---- */

/*
 * The attribute __ffi_repr__ of steps and paths: `<root>.name[0]["key"]`
 * (docs/abi/objects.md#access-paths).
 */

static const char kSignature[] = "(0: ffi.Object, 1: (0: AnyView) -> str) -> str";

/* The text around the key of a step, by its kind. */
static const struct {
  char prefix[12], suffix[4];
  bool has_plain_key; /* a name or a number, written without quotes */
} kForms[] = {
    {".", "", true},
    {"[", "]", true},
    {"[", "]", false},
    {"[<missing:", ">]", false},
    {"[<missing:", ">]", true},
    {"[<missing:", ">]", false},
};

static int append_step(tvmffi_buf *text, const tvmffi_access_step *step, TVMFFIObject *repr) {
  enum { kNumForms = sizeof kForms / sizeof *kForms };
  TVMFFIByteArray key;
  TVMFFIAny arg = step->key, result;
  int rc = 0;
  if (step->kind < 0 || step->kind >= kNumForms) {
    return tvmffi_fail("ValueError", "A step has kind %d", (int)step->kind);
  }
  tvmffi_buf_append_text(text, kForms[step->kind].prefix);
  if (kForms[step->kind].has_plain_key && arg.type_index == kTVMFFIInt) {
    tvmffi_buf_appendf(text, "%lld", (long long)arg.v_int64);
  } else if (kForms[step->kind].has_plain_key && tvmffi_any_get_text(&arg, &key)) {
    tvmffi_buf_append(text, key.data, key.size);
  } else {
    TVMFFI_TRY(tvmffi_function_call_foreign(repr, &arg, 1, &result));
    if (tvmffi_any_get_text(&result, &key)) {
      tvmffi_buf_append(text, key.data, key.size);
    } else {
      rc = tvmffi_any_fail_conversion(&result, "str");
    }
    tvmffi_any_release(&result);
  }
  tvmffi_buf_append_text(text, kForms[step->kind].suffix);
  return rc;
}

/* Writes the steps from the root on. They are found in the opposite order, hence the stack. */
static int append_path(tvmffi_buf *text, const tvmffi_access_path *path, TVMFFIObject *repr) {
  const tvmffi_access_path *parent;
  tvmffi_stack steps;
  int rc = 0;
  tvmffi_stack_init(&steps, sizeof(TVMFFIObject *));
  for (; (parent = access_path_parent(path)) != NULL; path = parent) {
    TVMFFIObject **step = tvmffi_stack_push(&steps);
    if (step == NULL) {
      tvmffi_stack_fini(&steps);
      return tvmffi_fail_memory();
    }
    *step = path->step;
  }
  tvmffi_buf_append_text(text, "<root>");
  while (rc == 0 && steps.size != 0) {
    const void *step = *(TVMFFIObject **)tvmffi_stack_top(&steps);
    rc = append_step(text, step, repr);
    tvmffi_stack_pop(&steps);
  }
  tvmffi_stack_fini(&steps);
  return rc;
}

static int call_repr(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  int32_t type_index = ((const tvmffi_attr_function *)self)->type_index;
  tvmffi_buf text = TVMFFI_BUF_INIT;
  int rc;
  TVMFFI_TRY(tvmffi_attr_check_args(self, kSignature, 2, 1, args, num_args));
  if (args[1].type_index != kTVMFFIFunction) {
    return tvmffi_any_fail_conversion(&args[1], "(0: AnyView) -> str");
  }
  rc = type_index == kTvmffiAccessStep
           ? append_step(&text, (const void *)args[0].v_obj, args[1].v_obj)
           : append_path(&text, (const void *)args[0].v_obj, args[1].v_obj);
  if (rc == 0) {
    rc = text.failed ? tvmffi_fail_memory() : tvmffi_string_to_any(text.data, text.size, result);
  }
  tvmffi_buf_fini(&text);
  return rc;
}

static const tvmffi_builtin_attr kReprAttrs[] = {
    {kTvmffiAccessStep, kTvmffiAttrRepr, false, call_repr, NULL},
    {kTvmffiAccessPath, kTvmffiAttrRepr, false, call_repr, NULL},
};
enum { kNumReprAttrs = sizeof kReprAttrs / sizeof *kReprAttrs };
static tvmffi_attr_function repr_functions[kNumReprAttrs];

const tvmffi_builtin_attr_group tvmffi_access_path_repr_attrs = {kReprAttrs, repr_functions,
                                                                 kNumReprAttrs};
