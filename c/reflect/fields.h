/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of objects as their types describe them: in order, read, written, and objects made of
 * them. Getters and setters are foreign code, which may fail; whatever fails raises.
 */
#ifndef TVMFFI_REFLECT_FIELDS_H_
#define TVMFFI_REFLECT_FIELDS_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* The fields of a type, those of its ancestors first; ffi.Object has none. */
typedef struct {
  const TVMFFITypeInfo *type;
  int32_t depth; /* of the type whose fields they are at */
  int32_t next;
} tvmffi_field_cursor;

void tvmffi_field_first(tvmffi_field_cursor *cursor, const TVMFFITypeInfo *type);
/* The next field, lent until shutdown, or NULL after the last. */
const TVMFFIFieldInfo *tvmffi_field_next(tvmffi_field_cursor *cursor);

/* The value of a field, owned. */
int tvmffi_field_get(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out);

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

/* ---- Setters of built-in fields ----------------------------------------------------------------
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

/* None, or an instance of a type; `expected` is how errors show what the field takes. */
int tvmffi_field_set_instance(void *field, const TVMFFIAny *value, int32_t type_index,
                              const char *expected);

#endif /* TVMFFI_REFLECT_FIELDS_H_ */
