/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/builtin_objects.h"

#include <string.h>

#include "container/array.h"
#include "container/lend.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/fields.h"

/* ---- Setters of plain fields; clients call them through function pointers ---- */

static int check_int(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBool
             ? 0
             : tvmffi_any_fail_conversion(value, "int");
}

int tvmffi_field_set_int32(void *field, const TVMFFIAny *value) {
  TVMFFI_TRY(check_int(value));
  if (value->v_int64 < INT32_MIN || value->v_int64 > INT32_MAX) {
    return tvmffi_fail("OverflowError", "Integer value %lld is out of range for int32_t",
                       (long long)value->v_int64);
  }
  *(int32_t *)field = (int32_t)value->v_int64;
  return 0;
}

int tvmffi_field_set_int64(void *field, const TVMFFIAny *value) {
  TVMFFI_TRY(check_int(value));
  *(int64_t *)field = value->v_int64;
  return 0;
}

/* The old value is released last, because its destructor may look at the object. */
static void replace_any(TVMFFIAny *field, TVMFFIAny value) {
  tvmffi_lend_guard guard = tvmffi_lend_begin_guard();
  TVMFFIAny old = *field;
  *field = value;
  tvmffi_any_release(&old);
  tvmffi_lend_end_guard(guard);
}

static void replace_object(void *field, TVMFFIObject *obj) {
  tvmffi_lend_guard guard = tvmffi_lend_begin_guard();
  TVMFFIObject **place = field, *old = *place;
  *place = obj;
  tvmffi_object_release(old);
  tvmffi_lend_end_guard(guard);
}

int tvmffi_field_set_any(void *field, const TVMFFIAny *value) {
  TVMFFIAny owned;
  TVMFFI_TRY(tvmffi_array_own(value, &owned));
  replace_any(field, owned);
  return 0;
}

int tvmffi_field_set_text(void *field, const TVMFFIAny *value) {
  TVMFFIByteArray text;
  if (!tvmffi_any_get_text(value, &text)) return tvmffi_any_fail_conversion(value, "str");
  return tvmffi_field_set_any(field, value);
}

static bool is_object_or_none(const TVMFFIAny *value) {
  return value->type_index >= kTVMFFIStaticObjectBegin || value->type_index == kTVMFFINone;
}

static void set_object(void *field, const TVMFFIAny *value) {
  TVMFFIObject *obj = value->type_index == kTVMFFINone ? NULL : value->v_obj;
  tvmffi_object_retain(obj);
  replace_object(field, obj);
}

int tvmffi_field_set_optional_object(void *field, const TVMFFIAny *value) {
  if (!is_object_or_none(value)) return tvmffi_any_fail_conversion(value, "Optional<ffi.Object>");
  set_object(field, value);
  return 0;
}

int tvmffi_field_set_optional_step(void *field, const TVMFFIAny *value) {
  if (value->type_index != kTVMFFINone &&
      !tvmffi_type_is_instance(value->type_index, kTvmffiAccessStep)) {
    return tvmffi_any_fail_conversion(value, "Optional<ffi.reflection.AccessStep>");
  }
  set_object(field, value);
  return 0;
}

/* ---- Setters of containers ---- */

int tvmffi_field_set_list_of_objects(void *field, const TVMFFIAny *value) {
  const char *expected = "List<ffi.Object>";
  TVMFFIObject *list;
  int64_t i;
  if ((value->type_index != kTVMFFIList && value->type_index != kTVMFFIArray) ||
      value->v_obj == NULL) {
    return tvmffi_any_fail_conversion(value, expected);
  }
  for (i = 0; i < tvmffi_array_size(value->v_obj); ++i) {
    const TVMFFIAny *item = &tvmffi_array_items(value->v_obj)[i];
    if (!is_object_or_none(item)) {
      return tvmffi_fail("TypeError", "Cannot convert from type `List[index %lld: %s]` to `%s`",
                         (long long)i, tvmffi_any_type_name(item), expected);
    }
  }
  if (value->type_index == kTVMFFIList) {
    set_object(field, value);
    return 0;
  }
  list = tvmffi_list_copy(value->v_obj);
  if (list == NULL) return -1;
  replace_object(field, list);
  return 0;
}

/* What is wrong with a Dict: the type of a key, or of a value of it or of the Dict within it. */
typedef struct {
  const char *before, *type, *after;
} field_mismatch;

static bool has_type(field_mismatch *out, bool matches, const char *before, const TVMFFIAny *any,
                     const char *after) {
  if (matches) return true;
  out->before = before;
  out->type = tvmffi_any_type_name(any);
  out->after = after;
  return false;
}

/* Whether an entry of a Dict has the expected types. */
typedef bool (*entry_check)(const tvmffi_map_pair *pair, field_mismatch *out);

static bool has_object_value(const tvmffi_map_pair *pair, field_mismatch *out) {
  return has_type(out, is_object_or_none(&pair->value), "Dict[K, some value is ", &pair->value,
                  "]");
}

static bool check_entries(TVMFFIObject *map, entry_check check, field_mismatch *out) {
  uint64_t position;
  for (position = tvmffi_map_first(map); position != TVMFFI_MAP_NONE;
       position = tvmffi_map_next(map, position)) {
    if (!check(tvmffi_map_at(map, position), out)) return false;
  }
  return true;
}

static bool has_object_key_within(const tvmffi_map_pair *pair, field_mismatch *out) {
  return has_type(out, is_object_or_none(&pair->key), "Dict[K, some value is Dict[some key is ",
                  &pair->key, ", V]]");
}

static bool has_text_key_and_dict(const tvmffi_map_pair *pair, field_mismatch *out) {
  TVMFFIByteArray text;
  return has_type(out, tvmffi_any_get_text(&pair->key, &text), "Dict[some key is ", &pair->key,
                  ", V]") &&
         has_type(out, pair->value.type_index == kTVMFFIDict, "Dict[K, some value is ",
                  &pair->value, "]") &&
         check_entries(pair->value.v_obj, has_object_key_within, out);
}

static int set_dict(void *field, const TVMFFIAny *value, entry_check check, const char *expected) {
  field_mismatch wrong;
  TVMFFIObject *dict;
  if ((value->type_index != kTVMFFIDict && value->type_index != kTVMFFIMap) ||
      value->v_obj == NULL) {
    return tvmffi_any_fail_conversion(value, expected);
  }
  if (!check_entries(value->v_obj, check, &wrong)) {
    return tvmffi_fail("TypeError", "Cannot convert from type `%s%s%s` to `%s`", wrong.before,
                       wrong.type, wrong.after, expected);
  }
  if (value->type_index == kTVMFFIDict) {
    set_object(field, value);
    return 0;
  }
  dict = tvmffi_map_copy_to_dict(value->v_obj);
  if (dict == NULL) return -1;
  replace_object(field, dict);
  return 0;
}

int tvmffi_field_set_dict_of_objects(void *field, const TVMFFIAny *value) {
  return set_dict(field, value, has_object_value, "Dict<Any, ffi.Object>");
}

int tvmffi_field_set_dict_of_dicts(void *field, const TVMFFIAny *value) {
  return set_dict(field, value, has_text_key_and_dict, "Dict<str, Dict<ffi.Object, Any>>");
}

/* ---- Objects ---- */

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

static void destroy_builtin_object(void *self) {
  const tvmffi_builtin_type *type = find_builtin(((TVMFFIObject *)self)->type_index);
  TVMFFIAny *any = any_of(self, type);
  int i;
  for (i = 0; i < type->num_objects; ++i) {
    tvmffi_object_release_nested(objects_of(self)[i]);
  }
  if (any != NULL) tvmffi_any_release_nested(any);
}

TVMFFI_DELETER(delete_builtin_object, destroy_builtin_object, 0);

/* ---- Making and copying ---- */

/* A new object in which everything is None, NULL or 0. */
static void *new_empty(const tvmffi_builtin_type *type) {
  size_t size = (size_t)type->metadata.total_size;
  TVMFFIObject *obj = tvmffi_object_new(size, type->type_index, delete_builtin_object);
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

void *tvmffi_reflect_new_with(int32_t type_index, const TVMFFIAny *value) {
  TVMFFIAny owned;
  void *obj;
  if (TVMFFIAnyViewToOwnedAny(value, &owned) != 0) return NULL;
  obj = tvmffi_reflect_new(type_index);
  if (obj != NULL) {
    *any_of(obj, find_builtin(type_index)) = owned;
  } else {
    tvmffi_any_release(&owned);
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
  TVMFFI_TRY(tvmffi_attr_check_args(self, "() -> ffi.Object", 0, 0, args, num_args));
  return tvmffi_any_give(tvmffi_reflect_new(((const tvmffi_attr_function *)self)->type_index),
                         result);
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
static const tvmffi_builtin_attr kObjectAttrs[] = {
    TVMFFI_IS_FINAL(kTVMFFIModule, true),
    TVMFFI_IS_FINAL(kTVMFFIBigInt, true),
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_object_attrs, kObjectAttrs);
