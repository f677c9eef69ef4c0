/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/objects.h"

#include <string.h>

#include "core/any.h"
#include "core/error.h"
#include "reflect/builtin_tables.h"

static const tvmffi_builtin_type *find_builtin(int32_t type_index) {
  return tvmffi_type_find(type_index)->builtin;
}

static TVMFFIObject **objects_of(void *self) {
  return (TVMFFIObject **)(void *)((TVMFFIObject *)self + 1);
}

static TVMFFIAny *any_of(void *self, const tvmffi_builtin_type *type) {
  return type->any_offset != 0 ? (TVMFFIAny *)(void *)((char *)self + type->any_offset) : NULL;
}

/* ---- Destroying ---- */

static void destroy(void *self) {
  const tvmffi_builtin_type *type = find_builtin(((TVMFFIObject *)self)->type_index);
  TVMFFIAny *any = any_of(self, type);
  int i;
  for (i = 0; i < type->num_objects; ++i) {
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
static void *new_empty(const tvmffi_builtin_type *type) {
  size_t size = (size_t)type->metadata.total_size;
  TVMFFIObject *obj = tvmffi_object_new(size, type->type_index, delete_object);
  if (obj != NULL) memset(obj + 1, 0, size - sizeof *obj);
  return obj;
}

void *tvmffi_reflect_new(int32_t type_index) {
  const tvmffi_builtin_type *type = find_builtin(type_index);
  TVMFFIObject *obj = new_empty(type);
  if (obj != NULL && type->fill != NULL && type->fill(obj) != 0) {
    tvmffi_object_release(obj);
    return NULL;
  }
  return obj;
}

int tvmffi_reflect_make(int32_t type_index, TVMFFIObjectHandle *result) {
  *result = tvmffi_reflect_new(type_index);
  return *result != NULL ? 0 : -1;
}

/* ---- Attributes ---- */

int tvmffi_reflect_call_new(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  TVMFFIObject *obj;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "() -> ffi.Object", 0, 0, args, num_args));
  obj = tvmffi_reflect_new(((const tvmffi_attr_function *)self)->type_index);
  if (obj == NULL) return -1;
  *result = tvmffi_any_object(obj);
  return 0;
}

/* The copy is always of exactly this type; subclasses have attributes of their own. */
int tvmffi_reflect_call_shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args,
                                     TVMFFIAny *result) {
  const tvmffi_builtin_type *type = find_builtin(((const tvmffi_attr_function *)self)->type_index);
  TVMFFIObject *source, *copy;
  TVMFFIAny *any;
  int i;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 1, args, num_args));
  source = args[0].v_obj;
  copy = new_empty(type);
  if (copy == NULL) return -1;
  memcpy(copy + 1, source + 1, (size_t)type->metadata.total_size - sizeof *copy);
  for (i = 0; i < type->num_objects; ++i) tvmffi_object_retain(objects_of(copy)[i]);
  any = any_of(copy, type);
  if (any != NULL) (void)tvmffi_any_copy(any);
  *result = tvmffi_any_object(copy);
  return 0;
}

/* Types with static indices that nobody may derive from. Other layers' tables have their own. */
static const tvmffi_builtin_attr kAttrs[] = {
    TVMFFI_IS_FINAL(kTVMFFIModule, true),
    TVMFFI_IS_FINAL(kTVMFFIBigInt, true),
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_object_attrs = {kAttrs, functions, kNumAttrs};
