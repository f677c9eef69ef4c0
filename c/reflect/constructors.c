/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constructors: functions that make an object and set its fields from arguments, that is the
 * attribute __ffi_init__ of types that declare none (docs/abi/objects.md#constructors), and
 * ffi.MakeObjectFromPackedArgs.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/integers.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"

/* ---- __ffi_init__ ---- */

/* A snapshot of the fields at the time the constructor is made; positional parameters come first. A
 * call passes these, then optionally the KWARGS object and pairs of name and value. */
typedef struct {
  tvmffi_own_function base;
  const tvmffi_type_record *record;
  int32_t num_positional;
  int32_t num_parameters;
  int32_t num_fields; /* those beyond num_parameters are not parameters */
  const TVMFFIFieldInfo *fields[];
} init_function;

/* Wraps the raised error as the cause of one that names the field. */
static int name_field(const init_function *init, const TVMFFIFieldInfo *field,
                      const char *subject) {
  TVMFFIObjectHandle cause = NULL, error;
  const TVMFFIErrorCell *cell;
  tvmffi_buf text = TVMFFI_BUF_INIT;
  TVMFFIByteArray message, empty = {"", 0};
  size_t i;
  TVMFFIErrorMoveFromRaised(&cause);
  if (cause == NULL) return -1;
  cell = TVMFFIErrorGetCellPtr(cause);
  tvmffi_buf_appendf(&text, "%s.__ffi_init__() %s '%s':\n  ", init->record->key.data, subject,
                     field->name.data);
  for (i = 0; i < cell->message.size; ++i) {
    tvmffi_buf_append(&text, &cell->message.data[i], 1);
    if (cell->message.data[i] == '\n') tvmffi_buf_append_text(&text, "  ");
  }
  message.data = text.data;
  message.size = text.size;
  if (text.failed) {
    tvmffi_error_raise_memory();
  } else if (TVMFFIErrorCreateWithCauseAndExtraContext(&cell->kind, &message, &empty, cause, NULL,
                                                       &error) == 0) {
    TVMFFIErrorSetRaised(error);
    tvmffi_object_release(error);
  }
  tvmffi_buf_fini(&text);
  tvmffi_object_release(cause);
  return -1;
}

#define FAIL(init, format, ...) \
  tvmffi_fail("TypeError", "%s.__ffi_init__()" format, (init)->record->key.data, __VA_ARGS__)

static int set_field(const init_function *init, TVMFFIObject *obj, int32_t i,
                     const TVMFFIAny *value, char *is_set) {
  is_set[i] = 1;
  if (tvmffi_field_set(init->fields[i], obj, value) == 0) return 0;
  return name_field(init, init->fields[i], "field");
}

static int set_named(const init_function *init, TVMFFIObject *obj, const TVMFFIAny *pair,
                     char *is_set) {
  TVMFFIByteArray name;
  int32_t i;
  if (!tvmffi_any_get_text(&pair[0], &name)) return tvmffi_any_fail_conversion(&pair[0], "str");
  for (i = 0; i < init->num_parameters; ++i) {
    if (!tvmffi_bytes_equal(&init->fields[i]->name, &name)) continue;
    if (is_set[i]) {
      return FAIL(init, " got multiple values for argument '%.*s'", tvmffi_shown_size(name.size),
                  name.data);
    }
    return set_field(init, obj, i, &pair[1], is_set);
  }
  return FAIL(init, " got an unexpected keyword argument '%.*s'", tvmffi_shown_size(name.size),
              name.data);
}

/* An error of the factory itself is passed on unchanged. */
static int set_default(const init_function *init, TVMFFIObject *obj, const TVMFFIFieldInfo *field) {
  TVMFFIAny value;
  int rc;
  TVMFFI_TRY(tvmffi_field_default(field, &value));
  rc = tvmffi_field_set(field, obj, &value);
  tvmffi_any_release(&value);
  return rc == 0 ? 0 : name_field(init, field, "default for field");
}

/* Sets the fields that no argument was given for. */
static int set_others(const init_function *init, TVMFFIObject *obj, const char *is_set) {
  int32_t i;
  for (i = 0; i < init->num_fields; ++i) {
    const TVMFFIFieldInfo *field = init->fields[i];
    if (is_set[i]) continue;
    if (field->flags & kTVMFFIFieldFlagBitMaskHasDefault) {
      TVMFFI_TRY(set_default(init, obj, field));
    } else if (i < init->num_parameters) {
      return FAIL(init, " missing required %sargument: '%s'",
                  i < init->num_positional ? "" : "keyword-only ", field->name.data);
    }
  }
  return 0;
}

static int fill_fields(const init_function *init, TVMFFIObject *obj, const TVMFFIAny *args,
                       int32_t num_positional, int32_t num_args, char *is_set) {
  bool are_too_many = num_positional > init->num_positional;
  bool has_keywords = num_positional < num_args;
  int32_t i;
  /* If keywords follow, errors of the positional arguments that fit come before "too many". */
  for (i = 0; i < init->num_positional && i < num_positional && (has_keywords || !are_too_many);
       ++i) {
    TVMFFI_TRY(set_field(init, obj, i, &args[i], is_set));
  }
  if (are_too_many) {
    return FAIL(init, " takes at most %d positional argument(s), but %d were given",
                (int)init->num_positional, (int)num_positional);
  }
  if (has_keywords && (num_args - num_positional - 1) % 2 != 0) {
    return FAIL(init, "%s", " KWARGS requires an even number of key-value arguments");
  }
  for (i = num_positional + 1; i + 1 < num_args; i += 2) {
    TVMFFI_TRY(set_named(init, obj, &args[i], is_set));
  }
  return set_others(init, obj, is_set);
}

static int32_t find_kwargs(const TVMFFIAny *args, int32_t num_args) {
  int32_t i;
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_index == kTVMFFIObject && args[i].v_obj == &tvmffi_kwargs_object) break;
  }
  return i;
}

static int call_init(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  enum { kOnStack = 64 };
  const init_function *init = self;
  int32_t num_positional = find_kwargs(args, num_args);
  char on_stack[kOnStack], *is_set = on_stack;
  TVMFFIObject *obj;
  int rc;
  TVMFFI_TRY(tvmffi_reflect_create(init->record->info.type_index, &obj));
  if (init->num_fields > kOnStack) is_set = tvmffi_alloc((size_t)init->num_fields);
  if (is_set == NULL) {
    rc = tvmffi_fail_memory();
  } else {
    memset(is_set, 0, (size_t)init->num_fields);
    rc = fill_fields(init, obj, args, num_positional, num_args, is_set);
  }
  if (is_set != on_stack) tvmffi_free(is_set);
  if (rc == 0) {
    *result = tvmffi_any_object(obj);
  } else {
    tvmffi_object_release(obj);
  }
  return rc;
}

/*
 * Required positional parameters, optional ones, keyword-only ones, and fields that are not
 * parameters.
 */
enum { kRequired, kOptional, kKeyword, kNoParameter, kNumClasses };

static int class_of(const TVMFFIFieldInfo *field) {
  if (field->flags & kTVMFFIFieldFlagBitMaskInitOff) return kNoParameter;
  if (field->flags & kTVMFFIFieldFlagBitMaskKwOnly) return kKeyword;
  return field->flags & kTVMFFIFieldFlagBitMaskHasDefault ? kOptional : kRequired;
}

static int32_t count_fields(const TVMFFITypeInfo *info) {
  tvmffi_field_cursor cursor;
  int32_t count = 0;
  tvmffi_field_first(&cursor, info);
  while (tvmffi_field_next(&cursor) != NULL) ++count;
  return count;
}

static void sort_fields(init_function *init, int32_t count) {
  int field_class;
  init->num_fields = 0;
  for (field_class = 0; field_class < kNumClasses; ++field_class) {
    const TVMFFIFieldInfo *field;
    tvmffi_field_cursor cursor;
    tvmffi_field_first(&cursor, &init->record->info);
    while ((field = tvmffi_field_next(&cursor)) != NULL && init->num_fields < count) {
      if (class_of(field) == field_class) init->fields[init->num_fields++] = field;
    }
    if (field_class == kOptional) init->num_positional = init->num_fields;
    if (field_class == kKeyword) init->num_parameters = init->num_fields;
  }
}

int tvmffi_reflect_register_init(int32_t type_index) {
  const TVMFFIByteArray name = {"__ffi_init__", sizeof "__ffi_init__" - 1};
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  init_function *init;
  TVMFFIAny value;
  int32_t count;
  size_t bytes;
  int rc;
  if (record == NULL) return -1;
  count = count_fields(&record->info);
  if (!tvmffi_checked_array_size(sizeof *init, (size_t)count, sizeof *init->fields, &bytes)) {
    return tvmffi_fail_memory();
  }
  init = tvmffi_object_new(bytes, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (init == NULL) return -1;
  tvmffi_own_function_init(&init->base, call_init);
  init->record = record;
  sort_fields(init, count);
  value = tvmffi_any_object(init);
  rc = TVMFFITypeRegisterAttr(type_index, &name, &value);
  tvmffi_object_release(init);
  return rc;
}

/* ---- ffi.MakeObjectFromPackedArgs ---- */

/* The value given for a field, or NULL. */
static const TVMFFIAny *find_argument(const TVMFFIByteArray *name, const TVMFFIAny *args,
                                      int32_t num_args) {
  int32_t i;
  for (i = 1; i + 1 < num_args; i += 2) {
    TVMFFIByteArray given = tvmffi_builtin_text(&args[i]);
    if (tvmffi_bytes_equal(&given, name)) return &args[i + 1];
  }
  return NULL;
}

static const TVMFFIFieldInfo *find_any_field(const TVMFFITypeInfo *info,
                                             const TVMFFIByteArray *name) {
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
    const TVMFFIAny *value = find_argument(&field->name, args, num_args);
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
    if (find_any_field(info, &name) == NULL) {
      return tvmffi_fail("TypeError", "Type `%s` does not have field `%.*s`", info->type_key.data,
                         tvmffi_shown_size(name.size), name.data);
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

static int register_init(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)result;
  return tvmffi_reflect_register_init((int32_t)args[0].v_int64);
}

#define FUNCTIONS(F)                              \
  F("ffi._RegisterFFIInit", "i>v", register_init) \
  F("ffi.MakeObjectFromPackedArgs", "*", .packed = make_object)

TVMFFI_BUILTIN_GROUP(tvmffi_constructor_builtins, FUNCTIONS);
