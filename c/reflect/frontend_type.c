/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/frontend_type.h"

#include <stdbool.h>
#include <string.h>

#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"
#include "reflect/register.h"

/* ---- Fields ---- */

int tvmffi_frontend_getter(int32_t static_type_index, TVMFFIFieldGetter *out) {
  *out = tvmffi_getter_find(static_type_index);
  if (*out != NULL) return 0;
  return tvmffi_fail("ValueError", "Unsupported field type index for getter: %d",
                     (int)static_type_index);
}

typedef struct {
  tvmffi_own_function base;
  int32_t static_type_index;
  void *converter;
  tvmffi_frontend_convert convert;
} setter_function;

/* Checks that the converter, which is foreign code, returned a value that fits the storage. */
static int check_converted(int32_t static_type_index, const TVMFFIAny *value) {
  bool fits = true;
  switch (static_type_index) {
    case kTVMFFIInt:
    case kTVMFFIBool:
      fits = value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBool;
      break;
    case kTVMFFIFloat:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
      fits = value->type_index == static_type_index;
      break;
    case kTVMFFIOpaquePtr:
      fits = value->type_index == kTVMFFIOpaquePtr || value->type_index == kTVMFFINone;
      break;
    default:
      if (static_type_index >= kTVMFFIStaticObjectBegin) {
        fits = value->type_index >= kTVMFFIStaticObjectBegin || value->type_index == kTVMFFINone;
      }
  }
  return fits ? 0 : tvmffi_any_fail_conversion(value, tvmffi_type_key(static_type_index));
}

/*
 * Guarded, because a structural walk may have lent the old value to the code that sets the field.
 */
static void release_old(TVMFFIAny *old) {
  tvmffi_lend_guard guard = tvmffi_lend_begin_guard();
  tvmffi_any_release(old);
  tvmffi_lend_end_guard(guard);
}

/*
 * Takes the value. The old value is released last, because its destructor may look at the object.
 */
static int store_in_field(int32_t static_type_index, void *field, TVMFFIAny *value) {
  TVMFFIAny old = tvmffi_any_none();
  TVMFFI_TRY(check_converted(static_type_index, value));
  switch (static_type_index) {
    case kTVMFFIInt:
      *(int64_t *)field = value->v_int64;
      break;
    case kTVMFFIBool:
      *(unsigned char *)field = value->v_int64 != 0;
      break;
    case kTVMFFIFloat:
      *(double *)field = value->v_float64;
      break;
    case kTVMFFIOpaquePtr:
      *(void **)field = value->type_index == kTVMFFINone ? NULL : value->v_ptr;
      break;
    case kTVMFFIDataType:
      *(DLDataType *)field = value->v_dtype;
      break;
    case kTVMFFIDevice:
      *(DLDevice *)field = value->v_device;
      break;
    case kTVMFFIAny:
    case kTVMFFINone:
      old = *(TVMFFIAny *)field;
      *(TVMFFIAny *)field = *value;
      break;
    default:
      old = tvmffi_any_object(*(TVMFFIObject **)field);
      *(TVMFFIObject **)field = value->type_index == kTVMFFINone ? NULL : value->v_obj;
  }
  *value = tvmffi_any_none();
  if (old.type_index >= kTVMFFIStaticObjectBegin) release_old(&old);
  return 0;
}

static int call_setter(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const setter_function *setter = self;
  TVMFFIAny value = tvmffi_any_none();
  int rc;
  (void)result;
  if (num_args != 2 || args[0].type_index != kTVMFFIOpaquePtr || args[0].v_ptr == NULL) {
    return tvmffi_fail("TypeError",
                       "A field setter expects a field address (`void*`) and a value but got %d "
                       "arguments, the first `%s`",
                       (int)num_args, num_args > 0 ? tvmffi_any_type_name(&args[0]) : "missing");
  }
  if (tvmffi_getter_find(setter->static_type_index) == NULL) {
    return tvmffi_fail("ValueError", "Unsupported field type index for setter: %d",
                       (int)setter->static_type_index);
  }
  rc = setter->convert(setter->converter, &args[1], &value);
  rc = rc != 0 ? tvmffi_function_check_raised(rc)
               : store_in_field(setter->static_type_index, args[0].v_ptr, &value);
  tvmffi_any_release(&value);
  return rc;
}

TVMFFIObject *tvmffi_frontend_setter(int32_t static_type_index, void *converter,
                                     tvmffi_frontend_convert convert) {
  setter_function *setter =
      tvmffi_object_new(sizeof *setter, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (setter == NULL) return NULL;
  tvmffi_own_function_init(&setter->base, call_setter);
  setter->static_type_index = static_type_index;
  setter->converter = converter;
  setter->convert = convert;
  return &setter->base.header;
}

/* ---- Types ---- */

/*
 * Types whose fields a frontend registered, and whose objects have plain storage
 * (docs/abi/objects.md#types-of-frontends): making, copying and destroying them according to the
 * storage of the fields.
 */

typedef struct {
  tvmffi_attr_function base;
  const tvmffi_type_record *record;
  size_t total_size;
} type_function;

/* ---- Storage ---- */

typedef enum { kPlainStorage, kObjectStorage, kAnyStorage } storage;

/* A storage is never larger than the field, which was registered as part of the object. */
static storage storage_of(const TVMFFIFieldInfo *field) {
  bool is_any = field->field_static_type_index == kTVMFFIAny;
  if (is_any && field->size == (int64_t)sizeof(TVMFFIAny)) return kAnyStorage;
  return (is_any || field->field_static_type_index >= kTVMFFIStaticObjectBegin) &&
                 field->size == (int64_t)sizeof(void *)
             ? kObjectStorage
             : kPlainStorage;
}

static void *address_of_storage(void *obj, const TVMFFIFieldInfo *field) {
  return (char *)obj + field->offset;
}

static void destroy_frontend_object(void *self) {
  const tvmffi_type_record *record = tvmffi_type_find(((TVMFFIObject *)self)->type_index);
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  tvmffi_field_first(&cursor, &record->info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) {
    void *place = address_of_storage(self, field);
    if (storage_of(field) == kObjectStorage) {
      tvmffi_object_release_nested(*(TVMFFIObject **)place);
    } else if (storage_of(field) == kAnyStorage) {
      tvmffi_any_release_nested(place);
    }
  }
}

TVMFFI_DELETER(delete_frontend_object, destroy_frontend_object, 0);

/* A new object in which everything is None, NULL or 0. */
static TVMFFIObject *new_object(const type_function *function) {
  TVMFFIObject *obj = tvmffi_object_new(function->total_size, function->record->info.type_index,
                                        delete_frontend_object);
  if (obj != NULL) memset(obj + 1, 0, function->total_size - sizeof *obj);
  return obj;
}

static void copy_field(TVMFFIObject *obj, TVMFFIObject *copy, const TVMFFIFieldInfo *field) {
  void *source = address_of_storage(obj, field), *target = address_of_storage(copy, field);
  switch (storage_of(field)) {
    case kObjectStorage:
      tvmffi_object_retain(*(TVMFFIObject **)source);
      *(TVMFFIObject **)target = *(TVMFFIObject **)source;
      return;
    case kAnyStorage:
      *(TVMFFIAny *)target = tvmffi_any_copy(source);
      return;
    case kPlainStorage:
      memcpy(target, source, (size_t)field->size);
  }
}

/* ---- Attributes ---- */

static int call_new(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "() -> ffi.Object", 0, 0, args, num_args));
  return tvmffi_any_give(new_object(self), result);
}

static int call_shallow_copy(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  const type_function *function = self;
  const tvmffi_type_record *record = function->record;
  const TVMFFIFieldInfo *field;
  tvmffi_field_cursor cursor;
  TVMFFIObject *copy;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.Object) -> ffi.Object", 1, 0, args, num_args));
  if (args[0].type_index != record->info.type_index || args[0].v_obj == NULL) {
    return tvmffi_fail("TypeError",
                       "Mismatched type on argument #0 when calling: `%s.__ffi_shallow_copy__(0: "
                       "ffi.Object) -> ffi.Object`. Expected `%s` but got `%s`",
                       record->key.data, record->key.data, tvmffi_any_type_name(&args[0]));
  }
  copy = new_object(function);
  if (copy == NULL) return -1;
  tvmffi_field_first(&cursor, &record->info);
  while ((field = tvmffi_field_next(&cursor)) != NULL) copy_field(args[0].v_obj, copy, field);
  *result = tvmffi_any_object(copy);
  return 0;
}

/* Whether an earlier call registered the attribute before it ran out of memory. */
static bool is_registered(const tvmffi_type_record *record, size_t total_size, int attr,
                          TVMFFISafeCallType body) {
  const TVMFFIAny *found = tvmffi_type_find_attr(attr, record->info.type_index);
  return found != NULL && tvmffi_own_function_is(found, body) &&
         ((const type_function *)(const void *)found->v_obj)->total_size == total_size;
}

static int register_function(const tvmffi_type_record *record, size_t total_size, int attr,
                             const char *name, TVMFFISafeCallType body) {
  const TVMFFIByteArray bytes = {name, strlen(name)};
  type_function *function;
  TVMFFIAny value;
  int rc;
  if (is_registered(record, total_size, attr, body)) return 0;
  function = tvmffi_object_new(sizeof *function, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (function == NULL) return -1;
  tvmffi_own_function_init(&function->base.base, body);
  function->base.type_index = record->info.type_index;
  function->base.attr = attr;
  function->record = record;
  function->total_size = total_size;
  value = tvmffi_any_object(function);
  rc = TVMFFITypeRegisterAttr(record->info.type_index, &bytes, &value);
  tvmffi_object_release(function);
  return rc;
}

/*
 * Whether the library, or a creator, makes objects of the type. Types that derive from one of the
 * library with a static index would count as its objects without being laid out like them.
 */
static bool is_made_elsewhere(const TVMFFITypeInfo *info) {
  int32_t i;
  if (info->type_index < kTVMFFIStaticObjectEnd ||
      (info->type_index >= kTVMFFIDynObjectBegin && info->type_index < kTvmffiFirstClientType) ||
      (info->metadata != NULL && info->metadata->creator != NULL)) {
    return true;
  }
  for (i = 0; i < info->type_depth; ++i) {
    int32_t ancestor = info->type_ancestors[i]->type_index;
    if (ancestor < kTVMFFIStaticObjectEnd && ancestor != kTVMFFIObject) return true;
  }
  return false;
}

int tvmffi_reflect_register_frontend_type(int32_t type_index, int64_t total_size) {
  tvmffi_type_record *record = tvmffi_type_require(type_index);
  tvmffi_field_layout_conflict conflict;
  bool fits;
  if (record == NULL) return -1;
  if (is_made_elsewhere(&record->info)) {
    return tvmffi_fail("TypeError", "Type `%s` is not one that a frontend defines by its fields",
                       record->key.data);
  }
  if (total_size < (int64_t)sizeof(TVMFFIObject) || total_size > INT32_MAX) {
    return tvmffi_fail("ValueError", "Type `%s` cannot have objects of %lld bytes",
                       record->key.data, (long long)total_size);
  }
  tvmffi_mutex_lock(&tvmffi_type_mutex);
  fits = tvmffi_field_layout_can_have_size(record, (int32_t)total_size, true, &conflict);
  if (fits) tvmffi_field_layout_set_size(record, (int32_t)total_size, true);
  tvmffi_mutex_unlock(&tvmffi_type_mutex);
  if (!fits) return tvmffi_field_layout_fail(&conflict);
  TVMFFI_TRY(
      register_function(record, (size_t)total_size, kTvmffiAttrNew, "__ffi_new__", call_new));
  TVMFFI_TRY(register_function(record, (size_t)total_size, kTvmffiAttrShallowCopy,
                               "__ffi_shallow_copy__", call_shallow_copy));
  return tvmffi_reflect_register_init(type_index);
}

/* ---- Built-in functions ---- */

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
  if (args[2].v_int64 == 0) return tvmffi_fail("ValueError", "f_convert must not be NULL");
  return tvmffi_any_give(
      tvmffi_frontend_setter((int32_t)args[0].v_int64, (void *)(intptr_t)args[1].v_int64,
                             (tvmffi_frontend_convert)(intptr_t)args[2].v_int64),
      result);
}

#define FUNCTIONS(F)                                                       \
  F("ffi.MakeFieldSetter", "iii>F", make_setter)                           \
  F("ffi._PyClassRegisterTypeAttrColumns", "ii>v", register_frontend_type) \
  F("ffi.MakeFieldGetter", "i>i", make_getter)

TVMFFI_BUILTIN_GROUP(tvmffi_frontend_builtins, FUNCTIONS);
