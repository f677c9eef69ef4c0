/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions that make objects and describe types: docs/abi/objects.md. */
#include <string.h>

#include "core/any.h"
#include "core/error.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"
#include "reflect/frontend_type.h"

static int register_init(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return tvmffi_reflect_register_init((int32_t)args[0].v_int64);
}

static int register_frontend_type(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return tvmffi_reflect_register_frontend_type((int32_t)args[0].v_int64, args[1].v_int64);
}

static int make_getter(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIFieldGetter getter;
  TVMFFI_TRY(tvmffi_frontend_getter((int32_t)args[0].v_int64, &getter));
  *result = tvmffi_any_int((int64_t)(intptr_t)getter);
  return 0;
}

static int make_setter(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *setter;
  if (args[2].v_int64 == 0) return tvmffi_fail("ValueError", "f_convert must not be NULL");
  setter = tvmffi_frontend_setter((int32_t)args[0].v_int64, (void *)(intptr_t)args[1].v_int64,
                                  (tvmffi_frontend_convert)(intptr_t)args[2].v_int64);
  if (setter == NULL) return -1;
  *result = tvmffi_any_object(setter);
  return 0;
}

/* ---- ffi.MakeObjectFromPackedArgs ---- */

/* The value given for a field, or NULL. */
static const TVMFFIAny *find_value(const TVMFFIByteArray *name, const TVMFFIAny *args,
                                   int32_t num_args) {
  int32_t i;
  for (i = 1; i + 1 < num_args; i += 2) {
    TVMFFIByteArray given = tvmffi_builtin_text(&args[i]);
    if (tvmffi_bytes_equal(&given, name)) return &args[i + 1];
  }
  return NULL;
}

static const TVMFFIFieldInfo *find_field(const TVMFFITypeInfo *info, const TVMFFIByteArray *name) {
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  tvmffi_field_first(&cursor, info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    if (tvmffi_bytes_equal(&field->name, name)) break;
  }
  return field;
}

static int set_fields(TVMFFIObject *obj, const TVMFFITypeInfo *info, const TVMFFIAny *args,
                      int32_t num_args) {
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  int32_t i;
  tvmffi_field_first(&cursor, info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    const TVMFFIAny *value = find_value(&field->name, args, num_args);
    if (value != NULL) {
      TVMFFI_TRY(tvmffi_field_set(field, obj, value));
    } else if (field->flags & kTVMFFIFieldFlagBitMaskHasDefault) {
      TVMFFI_TRY(tvmffi_field_set_default(field, obj));
    } else {
      return tvmffi_fail("TypeError", "Required field `%s` not set in type `%s`", field->name.data,
                         info->type_key.data);
    }
  }
  for (i = 1; i < num_args; i += 2) {
    TVMFFIByteArray name = tvmffi_builtin_text(&args[i]);
    if (find_field(info, &name) == NULL) {
      return tvmffi_fail("TypeError", "Type `%s` does not have field `%.*s`", info->type_key.data,
                         (int)name.size, name.data);
    }
  }
  return 0;
}

static int read_type(const TVMFFIAny *arg, int32_t *out) {
  TVMFFIByteArray key;
  if (arg->type_index == kTVMFFIInt) {
    *out = (int32_t)arg->v_int64;
    return 0;
  }
  if (!tvmffi_any_get_text(arg, &key)) return tvmffi_any_fail_conversion(arg, "str");
  return TVMFFITypeKeyToIndex(&key, out);
}

static int make_object(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const tvmffi_type_record *record;
  TVMFFIObject *obj;
  int32_t type_index, i;
  if (num_args % 2 == 0) {
    return tvmffi_fail("InternalError", "Check failed: (args.size() %% 2 == 1) is false: ");
  }
  TVMFFI_TRY(read_type(&args[0], &type_index));
  for (i = 1; i < num_args; i += 2) {
    TVMFFIByteArray name;
    if (!tvmffi_any_get_text(&args[i], &name)) return tvmffi_any_fail_conversion(&args[i], "str");
  }
  record = tvmffi_type_require(type_index);
  if (record == NULL) return -1;
  TVMFFI_TRY(tvmffi_reflect_create(type_index, &obj));
  if (set_fields(obj, &record->info, args, num_args) != 0) {
    tvmffi_object_release(obj);
    return -1;
  }
  *result = tvmffi_any_object(obj);
  return 0;
}

#define FUNCTIONS(F)                                                       \
  F("ffi._RegisterFFIInit", "i>v", register_init)                          \
  F("ffi.MakeFieldSetter", "iii>F", make_setter)                           \
  F("ffi._PyClassRegisterTypeAttrColumns", "ii>v", register_frontend_type) \
  F("ffi.MakeFieldGetter", "i>i", make_getter)                             \
  F("ffi.MakeObjectFromPackedArgs", "*", .packed = make_object)

TVMFFI_BUILTIN_GROUP(tvmffi_reflect_builtins, FUNCTIONS);
