/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/objects.h"

#include <string.h>

#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/type_attr.h"
#include "reflect/access_path.h"

/* The layout of an object: object pointers right after the header, and at most one value. */
typedef struct {
  int16_t type_index;
  uint8_t size;
  uint8_t num_objects;
  uint8_t any; /* offset of the value, or 0 */
} layout;

static const layout kLayouts[] = {
    {kTVMFFIVisitInterrupt, sizeof(tvmffi_visit_interrupt), 0,
     offsetof(tvmffi_visit_interrupt, value)},
    {kTvmffiEnumState, sizeof(tvmffi_enum_state), 3, 0},
    {kTvmffiEnum, sizeof(tvmffi_enum), 0, offsetof(tvmffi_enum, str_index)},
    {kTvmffiIntEnum, sizeof(tvmffi_enum), 0, offsetof(tvmffi_enum, str_index)},
    {kTvmffiStrEnum, sizeof(tvmffi_enum), 0, offsetof(tvmffi_enum, str_index)},
    {kTvmffiAccessStep, sizeof(tvmffi_access_step), 0, offsetof(tvmffi_access_step, key)},
    {kTvmffiAccessPath, sizeof(tvmffi_access_path), 2, 0},
    {kTvmffiVisitErrorContext, sizeof(tvmffi_visit_error_context), 2, 0},
    {kTvmffiStructuralKey, sizeof(tvmffi_structural_key), 0, offsetof(tvmffi_structural_key, key)},
};

static const layout *find_layout(int32_t type_index) {
  const layout *found = kLayouts;
  while (found->type_index != type_index) ++found;
  return found;
}

static TVMFFIObject **objects_of(void *self) {
  return (TVMFFIObject **)(void *)((TVMFFIObject *)self + 1);
}

static TVMFFIAny *any_of(void *self, const layout *object_layout) {
  return object_layout->any != 0 ? (TVMFFIAny *)(void *)((char *)self + object_layout->any) : NULL;
}

/* ---- Destroying ---- */

static void destroy(void *self) {
  const layout *object_layout = find_layout(((TVMFFIObject *)self)->type_index);
  TVMFFIAny *any = any_of(self, object_layout);
  int i;
  for (i = 0; i < object_layout->num_objects; ++i) {
    tvmffi_object_release_nested(objects_of(self)[i]);
  }
  if (any != NULL && any->type_index >= kTVMFFIStaticObjectBegin) {
    tvmffi_object_release_nested(any->v_obj);
  }
}

static void delete_object(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_object, destroy, 0);
}

/* ---- Making and copying ---- */

/* A new object in which everything is None, NULL or 0. */
static void *new_empty(const layout *object_layout) {
  TVMFFIObject *obj =
      tvmffi_object_new(object_layout->size, object_layout->type_index, delete_object);
  if (obj != NULL) memset(obj + 1, 0, object_layout->size - sizeof *obj);
  return obj;
}

static int fill_enum_state(tvmffi_enum_state *state) {
  state->entries = tvmffi_list_new(0);
  if (state->entries == NULL) return -1;
  state->indexes = tvmffi_dict_new();
  state->attrs = tvmffi_dict_new();
  return state->indexes != NULL && state->attrs != NULL ? 0 : tvmffi_fail_memory();
}

/* Sets the members of a new object that do not start as None, NULL or 0. */
static int fill(void *self, int32_t type_index) {
  switch (type_index) {
    case kTvmffiEnumState:
      return fill_enum_state(self);
    case kTvmffiEnum:
    case kTvmffiIntEnum:
    case kTvmffiStrEnum:
      ((tvmffi_enum *)self)->str_index.type_index = kTVMFFISmallStr;
      return 0;
    case kTvmffiVisitErrorContext: {
      tvmffi_visit_error_context *context = self;
      context->reverse_visit_pattern = tvmffi_list_new(0);
      return context->reverse_visit_pattern != NULL ? 0 : -1;
    }
    default:
      return 0;
  }
}

void *tvmffi_reflect_new(int32_t type_index) {
  TVMFFIObject *obj = new_empty(find_layout(type_index));
  if (obj != NULL && fill(obj, type_index) != 0) {
    tvmffi_object_release(obj);
    return NULL;
  }
  return obj;
}

static int create(int32_t type_index, TVMFFIObjectHandle *result) {
  *result = tvmffi_reflect_new(type_index);
  return *result != NULL ? 0 : -1;
}

int tvmffi_create_enum_state(TVMFFIObjectHandle *result) {
  return create(kTvmffiEnumState, result);
}
int tvmffi_create_enum(TVMFFIObjectHandle *result) {
  return create(kTvmffiEnum, result);
}
int tvmffi_create_int_enum(TVMFFIObjectHandle *result) {
  return create(kTvmffiIntEnum, result);
}
int tvmffi_create_str_enum(TVMFFIObjectHandle *result) {
  return create(kTvmffiStrEnum, result);
}
int tvmffi_create_access_step(TVMFFIObjectHandle *result) {
  return create(kTvmffiAccessStep, result);
}
int tvmffi_create_access_path(TVMFFIObjectHandle *result) {
  return create(kTvmffiAccessPath, result);
}
int tvmffi_create_visit_interrupt(TVMFFIObjectHandle *result) {
  return create(kTVMFFIVisitInterrupt, result);
}
int tvmffi_create_visit_error_context(TVMFFIObjectHandle *result) {
  return create(kTvmffiVisitErrorContext, result);
}
int tvmffi_create_structural_key(TVMFFIObjectHandle *result) {
  return create(kTvmffiStructuralKey, result);
}

/* ---- Attributes ---- */

static int call_new(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *obj;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "() -> ffi.Object", 0, 0, args, num_args));
  obj = tvmffi_reflect_new(((const tvmffi_attr_function *)self)->type_index);
  if (obj == NULL) return -1;
  *result = tvmffi_any_object(obj);
  return 0;
}

/* The copy is always of exactly this type; subclasses have attributes of their own. */
static int call_shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  const layout *object_layout = find_layout(((const tvmffi_attr_function *)self)->type_index);
  TVMFFIObject *source, *copy;
  TVMFFIAny *any;
  int i;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  source = args[0].v_obj;
  copy = new_empty(object_layout);
  if (copy == NULL) return -1;
  memcpy(copy + 1, source + 1, object_layout->size - sizeof *copy);
  for (i = 0; i < object_layout->num_objects; ++i) tvmffi_object_retain(objects_of(copy)[i]);
  any = any_of(copy, object_layout);
  if (any != NULL) (void)tvmffi_any_copy(any);
  *result = tvmffi_any_object(copy);
  return 0;
}

#define MAKES_AND_COPIES(type)                                   \
  {type, kTvmffiAttrNew, false, call_new, NULL}, {               \
    type, kTvmffiAttrShallowCopy, false, call_shallow_copy, NULL \
  }
#define IS_FINAL(type, value) \
  { type, kTvmffiAttrTypeFinal, value, NULL, NULL }

static const tvmffi_builtin_attr kAttrs[] = {
    MAKES_AND_COPIES(kTVMFFIVisitInterrupt),
    MAKES_AND_COPIES(kTvmffiEnumState),
    MAKES_AND_COPIES(kTvmffiEnum),
    MAKES_AND_COPIES(kTvmffiIntEnum),
    MAKES_AND_COPIES(kTvmffiStrEnum),
    MAKES_AND_COPIES(kTvmffiAccessStep),
    MAKES_AND_COPIES(kTvmffiAccessPath),
    MAKES_AND_COPIES(kTvmffiVisitErrorContext),
    MAKES_AND_COPIES(kTvmffiStructuralKey),
    {kTvmffiEnumState, kTvmffiAttrInit, false, call_new, NULL},
    IS_FINAL(kTVMFFIModule, true),
    IS_FINAL(kTVMFFIVisitInterrupt, true),
    IS_FINAL(kTVMFFIBigInt, true),
    IS_FINAL(kTvmffiEnumState, true),
    IS_FINAL(kTvmffiEnum, false),
    IS_FINAL(kTvmffiIntEnum, false),
    IS_FINAL(kTvmffiStrEnum, false),
    IS_FINAL(kTvmffiAccessStep, true),
    IS_FINAL(kTvmffiAccessPath, true),
    IS_FINAL(kTvmffiStructuralVisitor, false),
    IS_FINAL(kTvmffiVisitErrorContext, true),
    IS_FINAL(kTvmffiStructuralMutator, false),
    IS_FINAL(kTvmffiStructuralKey, true),
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_object_attrs = {kAttrs, functions, kNumAttrs};
