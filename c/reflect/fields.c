/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/fields.h"

#include <stdio.h>

#include "container/array.h"
#include "container/list.h"
#include "container/map.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "reflect/frontend_type.h"

/* ---- In order ----------------------------------------------------------------------------------
 */

void tvmffi_field_first(tvmffi_field_cursor *cursor, const TVMFFITypeInfo *type) {
  cursor->type = type;
  cursor->depth = 1;
  cursor->next = 0;
}

/* ---- Reading and writing -----------------------------------------------------------------------
 */

static void *address_of(const TVMFFIFieldInfo *field, const TVMFFIObject *obj) {
  union {
    const char *in;
    void *out;
  } address;
  address.in = (const char *)obj + field->offset;
  return address.out;
}

int tvmffi_field_get(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out) {
  int rc;
  *out = tvmffi_any_none();
  if (field->getter == NULL) {
    return tvmffi_fail("TypeError", "Field `%s` has no getter", field->name.data);
  }
  rc = field->getter(address_of(field, obj), out);
  return TVMFFI_LIKELY(rc == 0) ? 0 : tvmffi_function_check_raised(rc);
}

bool tvmffi_field_get_plain(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out) {
  return field->field_static_type_index < kTVMFFIStaticObjectBegin && field->getter != NULL &&
         field->getter == tvmffi_frontend_find_getter(field->field_static_type_index) &&
         tvmffi_field_get(field, obj, out) == 0;
}

int tvmffi_field_set(const TVMFFIFieldInfo *field, TVMFFIObject *obj, const TVMFFIAny *value) {
  union {
    void *in;
    TVMFFIFieldSetter out;
  } setter;
  TVMFFIAny args[2], result;
  int rc;
  if (field->setter == NULL) {
    return tvmffi_fail("TypeError", "Field `%s` has no setter", field->name.data);
  }
  if (!(field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj)) {
    setter.in = field->setter;
    rc = setter.out(address_of(field, obj), value);
    return TVMFFI_LIKELY(rc == 0) ? 0 : tvmffi_function_check_raised(rc);
  }
  args[0] = tvmffi_any_ptr(kTVMFFIOpaquePtr, address_of(field, obj));
  args[1] = *value;
  rc = tvmffi_function_call(field->setter, args, 2, &result);
  tvmffi_any_release(&result);
  return rc;
}

int tvmffi_field_default(const TVMFFIFieldInfo *field, TVMFFIAny *out) {
  const TVMFFIAny *value = &field->default_value_or_factory;
  if (field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) {
    return tvmffi_function_call(value->v_obj, NULL, 0, out);
  }
  *out = tvmffi_any_copy(value);
  return 0;
}

int tvmffi_field_set_default(const TVMFFIFieldInfo *field, TVMFFIObject *obj) {
  TVMFFIAny value;
  int rc;
  TVMFFI_TRY(tvmffi_field_default(field, &value));
  rc = tvmffi_field_set(field, obj, &value);
  tvmffi_any_release(&value);
  return rc;
}

/* ---- Objects -----------------------------------------------------------------------------------
 */

/* What fields are to be set in must be of the type that has them. */
static int create_by_attribute(const TVMFFIAny *create, const tvmffi_type_record *record,
                               TVMFFIObject **out) {
  TVMFFIAny made;
  TVMFFI_TRY(tvmffi_function_call(create->v_obj, NULL, 0, &made));
  if (!tvmffi_type_is_instance(made.type_index, record->info.type_index)) {
    (void)tvmffi_fail("TypeError", "__ffi_new__ of `%s` gave `%s`", record->key.data,
                      tvmffi_any_type_name(&made));
    tvmffi_any_release(&made);
    return -1;
  }
  *out = made.v_obj;
  return 0;
}

int tvmffi_reflect_create(int32_t type_index, TVMFFIObject **out) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  const TVMFFITypeMetadata *metadata;
  const TVMFFIAny *create;
  *out = NULL;
  if (record == NULL) return -1;
  metadata = tvmffi_atomic_load_acquire_ptr(&record->info.metadata);
  if (metadata != NULL && metadata->creator != NULL) {
    TVMFFIObjectHandle made = NULL;
    int rc = metadata->creator(&made);
    *out = rc == 0 ? made : NULL;
    return rc == 0 ? 0 : tvmffi_function_check_raised(rc);
  }
  create = tvmffi_reflect_find_attr(kTvmffiAttrNew, type_index);
  if (create != NULL && create->type_index == kTVMFFIFunction) {
    return create_by_attribute(create, record, out);
  }
  return tvmffi_fail("RuntimeError",
                     "Type `%s` does not support reflection creation (no native creator or "
                     "__ffi_new__ type attr)",
                     record->key.data);
}

/* ---- Setters of plain fields -------------------------------------------------------------------
 */

static int check_int(const TVMFFIAny *value) {
  return value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBool
             ? 0
             : tvmffi_any_fail_conversion(value, "int");
}

int tvmffi_field_set_int32(void *field, const TVMFFIAny *value) {
  TVMFFI_TRY(check_int(value));
  *(int32_t *)field = (int32_t)value->v_int64;
  return 0;
}

int tvmffi_field_set_int64(void *field, const TVMFFIAny *value) {
  TVMFFI_TRY(check_int(value));
  *(int64_t *)field = value->v_int64;
  return 0;
}

/* The old value last: its destructor may look at the object. */
static void replace_any(TVMFFIAny *field, TVMFFIAny value) {
  TVMFFIAny old = *field;
  *field = value;
  tvmffi_any_release(&old);
}

static void replace_object(void *field, TVMFFIObject *obj) {
  TVMFFIObject **place = field, *old = *place;
  *place = obj;
  tvmffi_object_release(old);
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

int tvmffi_field_set_instance(void *field, const TVMFFIAny *value, int32_t type_index,
                              const char *expected) {
  if (value->type_index != kTVMFFINone && !tvmffi_type_is_instance(value->type_index, type_index)) {
    return tvmffi_any_fail_conversion(value, expected);
  }
  set_object(field, value);
  return 0;
}

/* ---- Setters of containers ---------------------------------------------------------------------
 */

TVMFFI_COLD static int refuse(const char *got, const char *expected) {
  return tvmffi_fail("TypeError", "Cannot convert from type `%s` to `%s`", got, expected);
}

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
      char got[160];
      (void)snprintf(got, sizeof got, "List[index %lld: %s]", (long long)i,
                     tvmffi_any_type_name(item));
      return refuse(got, expected);
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

/* Whether the keys and values of a Dict are of a kind; the first that is not goes to *got. */
typedef bool (*entry_check)(const tvmffi_map_pair *pair, char *got, size_t size);

static bool has_object_value(const tvmffi_map_pair *pair, char *got, size_t size) {
  if (is_object_or_none(&pair->value)) return true;
  (void)snprintf(got, size, "[K, some value is %s]", tvmffi_any_type_name(&pair->value));
  return false;
}

static bool has_object_key(const tvmffi_map_pair *pair, char *got, size_t size) {
  if (is_object_or_none(&pair->key)) return true;
  (void)snprintf(got, size, "[some key is %s, V]", tvmffi_any_type_name(&pair->key));
  return false;
}

static bool check_entries(TVMFFIObject *map, entry_check check, char *got, size_t size) {
  size_t room = (size_t)snprintf(got, size, "Dict");
  uint64_t at;
  for (at = tvmffi_map_first(map); at != TVMFFI_MAP_NONE; at = tvmffi_map_next(map, at)) {
    if (!check(tvmffi_map_at(map, at), got + room, size - room)) return false;
  }
  return true;
}

static bool has_text_key_and_dict(const tvmffi_map_pair *pair, char *got, size_t size) {
  char inner[160];
  TVMFFIByteArray text;
  if (!tvmffi_any_get_text(&pair->key, &text)) {
    (void)snprintf(got, size, "[some key is %s, V]", tvmffi_any_type_name(&pair->key));
    return false;
  }
  if (pair->value.type_index != kTVMFFIDict) {
    (void)snprintf(got, size, "[K, some value is %s]", tvmffi_any_type_name(&pair->value));
    return false;
  }
  if (!check_entries(pair->value.v_obj, has_object_key, inner, sizeof inner)) {
    (void)snprintf(got, size, "[K, some value is %s]", inner);
    return false;
  }
  return true;
}

static int set_dict(void *field, const TVMFFIAny *value, entry_check check, const char *expected) {
  char got[256];
  TVMFFIObject *dict;
  if ((value->type_index != kTVMFFIDict && value->type_index != kTVMFFIMap) ||
      value->v_obj == NULL) {
    return tvmffi_any_fail_conversion(value, expected);
  }
  if (!check_entries(value->v_obj, check, got, sizeof got)) return refuse(got, expected);
  if (value->type_index == kTVMFFIDict) {
    set_object(field, value);
    return 0;
  }
  dict = tvmffi_map_copy_to_dict(value->v_obj);
  if (dict == NULL) return tvmffi_fail_memory();
  replace_object(field, dict);
  return 0;
}

int tvmffi_field_set_dict_of_objects(void *field, const TVMFFIAny *value) {
  return set_dict(field, value, has_object_value, "Dict<Any, ffi.Object>");
}

int tvmffi_field_set_dict_of_dicts(void *field, const TVMFFIAny *value) {
  return set_dict(field, value, has_text_key_and_dict, "Dict<str, Dict<ffi.Object, Any>>");
}
