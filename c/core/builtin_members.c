/* SPDX-License-Identifier: Apache-2.0 */
/* The fields and methods of built-in types. */
#include <string.h>

#include "core/any.h"
#include "core/builtin_types.h"

static int get_int32(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int32_t *)field);
  return 0;
}

int tvmffi_stored_get_int64(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_int(*(const int64_t *)field);
  return 0;
}

int tvmffi_stored_get_object(void *field, TVMFFIAny *result) {
  TVMFFIObject *obj = *(TVMFFIObject *const *)field;
  tvmffi_object_retain(obj);
  *result = tvmffi_any_object(obj);
  return 0;
}

int tvmffi_stored_get_any(void *field, TVMFFIAny *result) {
  *result = tvmffi_any_copy(field);
  return 0;
}

/* For alignments, which are the offsets of x. */
typedef struct {
  char c;
  int64_t x;
} aligned_int64;

typedef struct {
  char c;
  TVMFFIAny x;
} aligned_any;

/* Indexed by tvmffi_storage. */
static const struct {
  TVMFFIFieldGetter getter;
  int32_t size;
  int32_t alignment;
} kStorages[] = {
    {get_int32, sizeof(int32_t), sizeof(int32_t)},
    {tvmffi_stored_get_int64, sizeof(int64_t), offsetof(aligned_int64, x)},
    {tvmffi_stored_get_object, sizeof(void *), sizeof(void *)},
    {tvmffi_stored_get_any, sizeof(TVMFFIAny), offsetof(aligned_any, x)},
};

static TVMFFIByteArray text_of(const char *text) {
  TVMFFIByteArray bytes = {NULL, strlen(text)};
  if (bytes.size != 0) bytes.data = text;
  return bytes;
}

/*
 * The metadata texts of all built-in types. They are made once and are always the same; the tests
 * make all of them, which shows that the array is large enough.
 */
static char metadata_texts[kTvmffiBuiltinMetadata];
static size_t metadata_size;

static void describe_metadata(const char *signature, TVMFFIByteArray *metadata) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  if (metadata->data != NULL) return; /* from before a shutdown */
  text.data = metadata_texts + metadata_size;
  text.capacity = sizeof metadata_texts - metadata_size;
  tvmffi_builtin_append_metadata(&text, signature);
  metadata->data = text.data;
  metadata->size = text.size;
  metadata_size += text.size + 1;
}

static void describe_field(const tvmffi_builtin_field *field, TVMFFIFieldInfo *record) {
  union {
    TVMFFIFieldSetter function;
    void *address;
  } setter;
  tvmffi_builtin texts;
  const char *doc = tvmffi_builtin_read(field->texts, NULL, &texts);
  setter.function = field->setter;
  record->name = text_of(texts.name);
  record->doc = text_of(doc);
  describe_metadata(texts.signature, &record->metadata);
  record->flags = field->flags;
  record->size = kStorages[field->storage].size;
  record->alignment = kStorages[field->storage].alignment;
  record->offset = field->offset;
  record->getter = field->getter != NULL ? field->getter : kStorages[field->storage].getter;
  record->setter = setter.address;
  record->default_value_or_factory = tvmffi_any_none();
  record->field_static_type_index = field->static_type_index;
}

static void describe_method(const tvmffi_builtin_method *method, tvmffi_builtin_function *function,
                            TVMFFIMethodInfo *record) {
  tvmffi_builtin builtin;
  const char *doc = tvmffi_builtin_read(method->texts, method->body, &builtin);
  tvmffi_builtin_init_function(function, &builtin);
  tvmffi_object_retain(function);
  record->name = text_of(strrchr(builtin.name, '.') + 1);
  record->doc = text_of(doc);
  describe_metadata(builtin.signature, &record->metadata);
  record->flags = method->flags;
  record->method = tvmffi_any_object(function);
}

void tvmffi_builtin_members_describe(const tvmffi_builtin_type *type, tvmffi_type_record *record) {
  int32_t i;
  for (i = 0; i < type->num_fields; ++i) {
    describe_field(&type->fields[i], &type->field_records[i]);
  }
  for (i = 0; i < type->num_methods; ++i) {
    describe_method(&type->methods[i], &type->functions[i], &type->method_records[i]);
  }
  record->info.fields = type->field_records;
  record->info.num_fields = record->field_capacity = type->num_fields;
  record->info.methods = type->method_records;
  record->info.num_methods = record->method_capacity = type->num_methods;
}
