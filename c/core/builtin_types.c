/* SPDX-License-Identifier: Apache-2.0 */
#include "core/builtin_types.h"

#include <string.h>

#include "core/any.h"

static int get_int32(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int32_t *)field);
  return 0;
}

static int get_int64(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int64_t *)field);
  return 0;
}

static int get_object(void *field, TVMFFIAny *result) {
  TVMFFIObject *obj = *(TVMFFIObject **)field;
  tvmffi_object_retain(obj);
  *result = tvmffi_any_object(obj);
  return 0;
}

static int get_any(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  return 0;
}

/* By tvmffi_storage. */
static const struct {
  TVMFFIFieldGetter getter;
  int32_t size;
  int32_t alignment;
} kStorages[] = {
    {get_int32, sizeof(int32_t), sizeof(int32_t)},
    {get_int64, sizeof(int64_t),
     offsetof(
         struct {
           char c;
           int64_t x;
         },
         x)},
    {get_object, sizeof(void *), sizeof(void *)},
    {get_any, sizeof(TVMFFIAny),
     offsetof(
         struct {
           char c;
           TVMFFIAny x;
         },
         x)},
};

static TVMFFIByteArray text_of(const char *text) {
  TVMFFIByteArray bytes = {text, text != NULL ? strlen(text) : 0};
  return bytes;
}

static void describe_field(const tvmffi_builtin_field *field, TVMFFIFieldInfo *record) {
  union {
    TVMFFIFieldSetter in;
    void *out;
  } setter;
  setter.in = field->setter;
  record->name = text_of(field->name);
  record->doc = text_of(field->doc);
  record->metadata = text_of(field->metadata);
  record->flags = field->flags;
  record->size = kStorages[field->storage].size;
  record->alignment = kStorages[field->storage].alignment;
  record->offset = field->offset;
  record->getter = field->getter != NULL ? field->getter : kStorages[field->storage].getter;
  record->setter = setter.out;
  record->default_value_or_factory = tvmffi_any_none();
  record->field_static_type_index = field->static_type_index;
}

static void describe_method(const tvmffi_builtin_method *method, tvmffi_builtin_function *function,
                            TVMFFIMethodInfo *record) {
  tvmffi_builtin_init_function(function, &method->function);
  tvmffi_object_retain(function);
  record->name = text_of(strrchr(method->function.name, '.') + 1);
  record->doc = text_of(method->doc);
  record->metadata = text_of(method->metadata);
  record->flags = method->flags;
  record->method = tvmffi_any_object(function);
}

void tvmffi_builtin_type_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record) {
  int32_t i;
  for (i = 0; i < type->num_fields; ++i) {
    describe_field(&type->fields[i], &type->field_records[i]);
  }
  for (i = 0; i < type->num_methods; ++i) {
    describe_method(&type->methods[i], &type->functions[i], &type->method_records[i]);
  }
  record->info.metadata = &type->metadata;
  record->info.fields = type->field_records;
  record->info.num_fields = record->field_capacity = type->num_fields;
  record->info.methods = type->method_records;
  record->info.num_methods = record->method_capacity = type->num_methods;
}

/* ---- The two that the core itself makes objects of --------------------------------------------
 */

static const tvmffi_builtin_type kTypes[] = {
    {kTVMFFIObject,
     {{NULL, 0}, NULL, sizeof(TVMFFIObject), kTVMFFISEqHashKindUnsupported},
     0,
     0,
     NULL,
     NULL,
     NULL,
     NULL,
     NULL},
    {kTVMFFIBigInt,
     {{NULL, 0}, NULL, sizeof(TVMFFIObject) + 8, kTVMFFISEqHashKindUnsupported},
     0,
     0,
     NULL,
     NULL,
     NULL,
     NULL,
     NULL},
};

const tvmffi_builtin_type_group tvmffi_core_types = {kTypes, sizeof kTypes / sizeof *kTypes};
