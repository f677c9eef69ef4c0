/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of objects as their types describe them: iterating, reading, writing, and making objects.
 * Getters and setters are foreign code, which may fail; every failure raises an error.
 */
#ifndef TVMFFI_REFLECT_FIELDS_H_
#define TVMFFI_REFLECT_FIELDS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/any.h"
#include "core/builtins.h"
#include "platform/atomic.h"

/* Iterates over the fields of a type, those of its ancestors first; ffi.Object has none. */
typedef struct {
  const TVMFFITypeInfo *type;
  int32_t depth; /* depth of the type whose fields are being visited */
  int32_t next;
} tvmffi_field_cursor;

void tvmffi_field_first(tvmffi_field_cursor *cursor, const TVMFFITypeInfo *type);
/*
 * The next field, lent until shutdown, or NULL after the last; _without skips fields with any of
 * the flags.
 */
static inline const TVMFFIFieldInfo *tvmffi_field_next(tvmffi_field_cursor *cursor) {
  const TVMFFITypeInfo *type = cursor->type;
  for (; cursor->depth <= type->type_depth; ++cursor->depth, cursor->next = 0) {
    const TVMFFITypeInfo *owner =
        cursor->depth < type->type_depth ? type->type_ancestors[cursor->depth] : type;
    if (cursor->next < tvmffi_atomic_load_acquire(&owner->num_fields)) {
      return tvmffi_atomic_load_acquire_ptr(&owner->fields) + cursor->next++;
    }
  }
  return NULL;
}

static inline const TVMFFIFieldInfo *tvmffi_field_next_without(tvmffi_field_cursor *cursor,
                                                               int64_t flags) {
  const TVMFFIFieldInfo *field;
  do {
    field = tvmffi_field_next(cursor);
  } while (field != NULL && (field->flags & flags) != 0);
  return field;
}

/* The value of a field, owned. */
int tvmffi_field_get(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out);

/*
 * The same for plain data of a frontend, which no foreign code has to read; false for other fields.
 */
bool tvmffi_field_get_plain(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out);

/*
 * The same without a reference: the value is valid until foreign code changes the object. False
 * where the getter may be foreign code.
 */
static inline bool tvmffi_field_lend(const TVMFFIFieldInfo *field, const TVMFFIObject *obj,
                                     TVMFFIAny *out) {
  const void *place = (const char *)obj + field->offset;
  if (field->getter == tvmffi_stored_get_any) {
    *out = *(const TVMFFIAny *)place;
  } else if (field->getter == tvmffi_stored_get_object) {
    *out = tvmffi_any_object(*(TVMFFIObject *const *)place);
  } else if (field->getter == tvmffi_stored_get_int64) {
    *out = tvmffi_any_int(*(const int64_t *)place);
  } else {
    return tvmffi_field_get_plain(field, obj, out);
  }
  return true;
}

/* Stores a view in a field. */
int tvmffi_field_set(const TVMFFIFieldInfo *field, TVMFFIObject *obj, const TVMFFIAny *value);

/* The default of a field that has one, owned. A default factory is called. */
int tvmffi_field_default(const TVMFFIFieldInfo *field, TVMFFIAny *out);

/* Stores the default. */
int tvmffi_field_set_default(const TVMFFIFieldInfo *field, TVMFFIObject *obj);

/*
 * Makes an object of a type by its creator, or else by its attribute __ffi_new__. RuntimeError if
 * it has neither.
 */
int tvmffi_reflect_create(int32_t type_index, TVMFFIObject **out);

/*
 * constructors.c: makes a constructor from the present fields of a type, and registers it as
 * __ffi_init__.
 */
int tvmffi_reflect_register_init(int32_t type_index);

/* ---- builtin_objects.c: setters of built-in fields ---- */

/* OverflowError for a number that the field cannot hold. */
int tvmffi_field_set_int32(void *field, const TVMFFIAny *value);
int tvmffi_field_set_int64(void *field, const TVMFFIAny *value);
int tvmffi_field_set_any(void *field, const TVMFFIAny *value);
int tvmffi_field_set_text(void *field, const TVMFFIAny *value);
int tvmffi_field_set_optional_object(void *field, const TVMFFIAny *value);
/* List<ffi.Object>, Dict<Any, ffi.Object> and Dict<str, Dict<ffi.Object, Any>>. */
int tvmffi_field_set_list_of_objects(void *field, const TVMFFIAny *value);
int tvmffi_field_set_dict_of_objects(void *field, const TVMFFIAny *value);
int tvmffi_field_set_dict_of_dicts(void *field, const TVMFFIAny *value);

/* ffi.reflection.AccessStep */
int tvmffi_field_set_optional_step(void *field, const TVMFFIAny *value);

#endif /* TVMFFI_REFLECT_FIELDS_H_ */
