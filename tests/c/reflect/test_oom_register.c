/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "support/check.h"
#include "support/oom.h"

enum { kMany = 40 };

static const char kText[] = "a text of more than seven bytes";

typedef struct {
  int32_t type_index;
  int32_t count;                                         /* number registered before */
  int32_t (*num_registered)(const TVMFFITypeInfo *info); /* returns the number registered now */
  char name[32];
  probe value;
} job;

static void begin(job *j) {
  TVMFFIByteArray key = check_bytes("my.T");
  memset(j, 0, sizeof *j);
  probe_init(&j->value);
  j->value.header.type_index = kTVMFFIFunction; /* a setter, a method */
  j->type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  assert_true(j->type_index >= 0);
}

static void not_registered(void *context) {
  job *j = context;
  assert_int_equal(j->num_registered(TVMFFIGetTypeInfo(j->type_index)), j->count);
  assert_int_equal(check_use_count(&j->value), 1 + j->count);
}

/* Registers kMany entries named with the prefix, each after at least num_failures failures. */
static const TVMFFITypeInfo *register_many(job *j, const char *prefix, int (*action)(void *context),
                                           int32_t (*num_registered)(const TVMFFITypeInfo *info),
                                           long num_failures) {
  const TVMFFITypeInfo *info;
  begin(j);
  j->num_registered = num_registered;
  info = TVMFFIGetTypeInfo(j->type_index);
  for (j->count = 0; j->count < kMany; ++j->count) {
    (void)snprintf(j->name, sizeof j->name, "%s%d", prefix, (int)j->count);
    assert_true(oom_check(action, not_registered, NULL, j, 1) >= num_failures);
    assert_int_equal(num_registered(info), j->count + 1);
  }
  return info;
}

/* Checks that the shutdown releases what the registrations hold. */
static void check_all_released(job *j) {
  TVMFFIRuntimeShutdown();
  assert_int_equal(check_use_count(&j->value), 1);
}

static int register_field(void *context) {
  job *j = context;
  TVMFFIFieldInfo field;
  memset(&field, 0, sizeof field);
  field.name = check_bytes(j->name);
  field.doc = check_bytes("doc");
  field.flags = kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitSetterIsFunctionObj;
  field.default_value_or_factory = tvmffi_any_raw_str(kText);
  field.setter = &j->value;
  return TVMFFITypeRegisterField(j->type_index, &field);
}

static int32_t num_fields(const TVMFFITypeInfo *info) {
  return info->num_fields;
}

TEST(test_fields) {
  const TVMFFITypeInfo *info;
  char name[32];
  job j;
  int32_t i;
  info = register_many(&j, "field", register_field, num_fields, 2);
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "field%d", (int)i);
    assert_string_equal(info->fields[i].name.data, name);
    assert_string_equal(info->fields[i].doc.data, "doc");
    assert_int_equal(info->fields[i].default_value_or_factory.type_index, kTVMFFIStr);
  }
  check_all_released(&j);
}

static int register_method(void *context) {
  job *j = context;
  TVMFFIMethodInfo method;
  memset(&method, 0, sizeof method);
  method.name = check_bytes(j->name);
  method.metadata = check_bytes("{}");
  method.method = tvmffi_any_object(&j->value);
  return TVMFFITypeRegisterMethod(j->type_index, &method);
}

static int32_t num_methods(const TVMFFITypeInfo *info) {
  return info->num_methods;
}

TEST(test_methods) {
  const TVMFFITypeInfo *info;
  char name[32];
  job j;
  int32_t i;
  info = register_many(&j, "method", register_method, num_methods, 1);
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "method%d", (int)i);
    assert_string_equal(info->methods[i].name.data, name);
    assert_string_equal(info->methods[i].metadata.data, "{}");
  }
  check_all_released(&j);
}

static int register_metadata(void *context) {
  TVMFFITypeMetadata metadata;
  memset(&metadata, 0, sizeof metadata);
  metadata.doc = check_bytes("doc");
  metadata.total_size = 48;
  return TVMFFITypeRegisterMetadata(((job *)context)->type_index, &metadata);
}

static void metadata_not_registered(void *context) {
  assert_null(TVMFFIGetTypeInfo(((job *)context)->type_index)->metadata);
}

TEST(test_metadata) {
  job j;
  begin(&j);
  assert_int_equal(oom_check(register_metadata, metadata_not_registered, NULL, &j, 1), 2);
  assert_int_equal(TVMFFIGetTypeInfo(j.type_index)->metadata->total_size, 48);
}

static const TVMFFITypeAttrColumn *find_column(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  return TVMFFIGetTypeAttrColumn(&bytes);
}

/* Registers attribute `name` of type `count`: a text and an object in turn. */
static int register_attr(void *context) {
  job *j = context;
  TVMFFIByteArray name = check_bytes(j->name);
  TVMFFIAny value = j->count % 2 == 0 ? tvmffi_any_raw_str(kText) : tvmffi_any_object(&j->value);
  return TVMFFITypeRegisterAttr(j->count, &name, &value);
}

static void attr_not_registered(void *context) {
  job *j = context;
  const TVMFFITypeAttrColumn *column = find_column(j->name);
  if (column == NULL || j->count >= column->size) return;
  assert_int_equal(column->data[j->count].type_index, kTVMFFINone);
}

TEST(test_attributes) {
  const TVMFFITypeAttrColumn *column;
  job j;
  int32_t i;
  begin(&j);
  strcpy(j.name, "my.attr");
  for (j.count = 1; j.count < 300; ++j.count) { /* the column grows several times */
    long num_failures = oom_check(register_attr, attr_not_registered, NULL, &j, 1);
    if (j.count % 2 == 0) assert_true(num_failures >= 1);
  }
  column = find_column("my.attr");
  for (i = 1; i < 300; ++i) {
    assert_int_equal(column->data[i].type_index, i % 2 == 0 ? kTVMFFIStr : kTVMFFIFunction);
  }
  assert_int_equal(check_use_count(&j.value), 1 + 150);
  check_all_released(&j);
}

TEST(test_columns) {
  job j;
  int i;
  begin(&j);
  j.count = 65;
  for (i = 0; i < 100; ++i) { /* the table of columns grows several times */
    (void)snprintf(j.name, sizeof j.name, "my.attr%d", i);
    /* The record with its name, and its values. */
    assert_true(oom_check(register_attr, attr_not_registered, NULL, &j, 1) >= 2);
    assert_ptr_equal(find_column(j.name)->data[65].v_obj, &j.value);
  }
  check_all_released(&j);
}

RUN_OOM_TESTS({
    test_and_oom_shut_down(test_fields),
    test_and_oom_shut_down(test_methods),
    test_and_oom_shut_down(test_metadata),
    test_and_oom_shut_down(test_attributes),
    test_and_oom_shut_down(test_columns),
})
