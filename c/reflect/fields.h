/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of objects as their types describe them: in order, read, written, and objects made of
 * them. Getters and setters are foreign code, which may fail; whatever fails raises.
 */
#ifndef TVMFFI_REFLECT_FIELDS_H_
#define TVMFFI_REFLECT_FIELDS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/any.h"
#include "core/builtin_types.h"
#include "platform/atomic.h"

/* The fields of a type, those of its ancestors first; ffi.Object has none. */
typedef struct {
  const TVMFFITypeInfo *type;
  int32_t depth; /* of the type whose fields they are at */
  int32_t next;
} tvmffi_field_cursor;

void tvmffi_field_first(tvmffi_field_cursor *cursor, const TVMFFITypeInfo *type);
/* The next field, lent until shutdown, or NULL after the last; and the next without some flags. */
static inline const TVMFFIFieldInfo *tvmffi_field_next(tvmffi_field_cursor *cursor) {
  const TVMFFITypeInfo *type = cursor->type;
  for (; cursor->depth <= type->type_depth; ++cursor->depth, cursor->next = 0) {
    const TVMFFITypeInfo *at =
        cursor->depth < type->type_depth ? type->type_ancestors[cursor->depth] : type;
    if (cursor->next < tvmffi_atomic_load_acquire(&at->num_fields)) {
      return tvmffi_atomic_load_acquire_ptr(&at->fields) + cursor->next++;
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

/* The same, where it is stored as plain data of a frontend, for which no foreign code runs. */
bool tvmffi_field_get_plain(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out);

/*
 * The same, but not counted: it lives until the object is changed, by foreign code. False where
 * the getter may be that.
 */
static inline bool tvmffi_field_lend(const TVMFFIFieldInfo *field, const TVMFFIObject *obj,
                                     TVMFFIAny *out) {
  const void *at = (const char *)obj + field->offset;
  if (field->getter == tvmffi_stored_get_any) {
    *out = *(const TVMFFIAny *)at;
  } else if (field->getter == tvmffi_stored_get_object) {
    *out = tvmffi_any_object(*(TVMFFIObject *const *)at);
  } else if (field->getter == tvmffi_stored_get_int64) {
    *out = tvmffi_any_int(*(const int64_t *)at);
  } else {
    return tvmffi_field_get_plain(field, obj, out);
  }
  return true;
}

/* Stores a view. */
int tvmffi_field_set(const TVMFFIFieldInfo *field, TVMFFIObject *obj, const TVMFFIAny *value);

/* The default, owned, which the field has; a factory is called for it. */
int tvmffi_field_default(const TVMFFIFieldInfo *field, TVMFFIAny *out);

/* Stores the default. */
int tvmffi_field_set_default(const TVMFFIFieldInfo *field, TVMFFIObject *obj);

/*
 * An object of a type as its creator, or else its attribute __ffi_new__, makes it. RuntimeError
 * where there is neither.
 */
int tvmffi_reflect_create(int32_t type_index, TVMFFIObject **out);

/* ---- setters.c: of built-in fields -------------------------------------------------------------
 */

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
