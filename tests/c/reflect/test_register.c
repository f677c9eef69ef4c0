/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering methods and metadata, and what is common to all registrations. Fields:
 * test_register_field.c, attributes: test_type_attr.c.
 */
#include <stdio.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/reflect_support.h"
#include "core/any.h"
#include "support/check.h"
#include "support/probe.h"

static void init_function(probe *p) {
  probe_init(p);
  p->header.type_index = kTVMFFIFunction;
}

static int add_method(int32_t type_index, const char *name, TVMFFIAny method) {
  TVMFFIMethodInfo info;
  memset(&info, 0, sizeof info);
  info.name = check_bytes(name);
  info.method = method;
  return TVMFFITypeRegisterMethod(type_index, &info);
}

static void test_L_10_methods_of_one_name_are_both_kept(void **state) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  probe p, q;
  (void)state;
  init_function(&p);
  init_function(&q);
  check_ok(add_method(type, "m", tvmffi_any_object(&p)));
  check_ok(add_method(type, "m", tvmffi_any_object(&q)));
  assert_int_equal(info->num_methods, 2);
  assert_ptr_equal(info->methods[0].method.v_obj, &p);
  assert_int_equal(check_use_count(&p), 2);
  assert_ptr_equal(info->methods[1].method.v_obj, &q);
  assert_string_equal(info->methods[1].name.data, "m");
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(&p), 1);
}

static void test_metadata_is_set_once(void **state) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  char doc[] = "what it is";
  TVMFFITypeMetadata metadata;
  const TVMFFITypeMetadata *kept;
  (void)state;
  memset(&metadata, 0, sizeof metadata);
  metadata.doc = check_bytes(doc);
  metadata.total_size = 40;
  metadata.structural_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  check_ok(TVMFFITypeRegisterMetadata(type, &metadata));
  memset(doc, 'x', 4);
  kept = TVMFFIGetTypeInfo(type)->metadata;
  assert_string_equal(kept->doc.data, "what it is");
  assert_int_equal(kept->total_size, 40);
  assert_int_equal(kept->structural_eq_hash_kind, kTVMFFISEqHashKindDAGNode);
  check_fails_with(TVMFFITypeRegisterMetadata(type, &metadata), "RuntimeError",
                   "Overriding my.T, possible causes:");
  check_fails_with(TVMFFITypeRegisterMetadata(kTVMFFIObject, &metadata), "RuntimeError",
                   "Overriding ffi.Object, possible causes:");
  assert_ptr_equal(TVMFFIGetTypeInfo(type)->metadata, kept);
}

static void test_a_method_is_a_function(void **state) {
  static const char kMessage[] = "Method `m` of type `my.T` expects a Function but got `%s`";
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFIMethodInfo info;
  char message[80];
  TVMFFIAny values[4];
  const char *const got[] = {"int", "const char*", "ffi.Object", "NULL"};
  probe p;
  size_t i;
  (void)state;
  probe_init(&p);
  values[0] = tvmffi_any_int(1);
  values[1] = tvmffi_any_raw_str("text");
  values[2] = tvmffi_any_object(&p);
  values[3] = tvmffi_any_object(NULL);
  values[3].type_index = kTVMFFIFunction;
  for (i = 0; i < sizeof values / sizeof *values; ++i) {
    (void)snprintf(message, sizeof message, kMessage, got[i]);
    check_fails(add_method(type, "m", values[i]), "TypeError", message);
  }
  init_function(&p);
  memset(&info, 0, sizeof info);
  info.method = tvmffi_any_object(&p);
  info.metadata.size = 5;
  check_fails(TVMFFITypeRegisterMethod(type, &info), "ValueError",
              "TVMFFITypeRegisterMethod: `metadata` has size 5 but no data");
  assert_int_equal(TVMFFIGetTypeInfo(type)->num_methods, 0);
  assert_int_equal(check_use_count(&p), 1);
}

static void test_metadata_has_a_kind_and_a_size(void **state) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata;
  (void)state;
  memset(&metadata, 0, sizeof metadata);
  metadata.total_size = 32;
  metadata.structural_eq_hash_kind = (TVMFFISEqHashKind)99;
  check_fails(TVMFFITypeRegisterMetadata(type, &metadata), "ValueError",
              "Type `my.T` expects a kind of structural equality from 0 to 5 but got 99");
  metadata.structural_eq_hash_kind = (TVMFFISEqHashKind)-1;
  check_fails_with(TVMFFITypeRegisterMetadata(type, &metadata), "ValueError", "but got -1");
  metadata.structural_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  metadata.total_size = -1;
  check_fails(TVMFFITypeRegisterMetadata(type, &metadata), "ValueError",
              "Type `my.T` cannot have objects of -1 bytes");
  check_fails_with(TVMFFITypeRegisterMetadata(kTVMFFIInt, &metadata), "ValueError", "-1 bytes");
  assert_null(TVMFFIGetTypeInfo(type)->metadata);
  metadata.total_size = 24;
  check_ok(TVMFFITypeRegisterMetadata(type, &metadata));
}

static void test_built_in_types_can_be_extended(void **state) {
  static const int32_t kTypes[] = {1, 64, 65, 68, 70, 73, 77};
  TVMFFITypeMetadata metadata;
  probe method;
  size_t i;
  (void)state;
  init_function(&method);
  memset(&metadata, 0, sizeof metadata);
  for (i = 0; i < sizeof kTypes / sizeof kTypes[0]; ++i) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kTypes[i]);
    int32_t before = info->num_methods;
    check_ok(add_method(kTypes[i], "added", tvmffi_any_object(&method)));
    check_ok(add_field(kTypes[i], "added"));
    assert_int_equal(info->num_methods, before + 1);
    assert_string_equal(info->methods[before].name.data, "added");
  }
  check_ok(TVMFFITypeRegisterMetadata(kTVMFFIInt, &metadata));
  metadata.total_size = 40;
  check_ok(TVMFFITypeRegisterMetadata(kTVMFFIStr, &metadata));
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(TVMFFIGetTypeInfo(kTVMFFIStr)->num_methods, 0);
  assert_int_equal(TVMFFIGetTypeInfo(kTVMFFIStr)->num_fields, 0);
  assert_null(TVMFFIGetTypeInfo(kTVMFFIStr)->metadata);
  assert_non_null(TVMFFIGetTypeInfo(kTVMFFIObject)->metadata);
}

static void test_L_17d_arrays_that_readers_hold_stay_valid(void **state) {
  enum { kMany = 200 };
  int32_t type = add_type("my.T", 1, kTVMFFIObject), i;
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  const TVMFFIFieldInfo *fields;
  const TVMFFIMethodInfo *methods;
  char name[32];
  probe method;
  (void)state;
  init_function(&method);
  check_ok(add_field(type, "first"));
  check_ok(add_method(type, "first", tvmffi_any_object(&method)));
  fields = info->fields;
  methods = info->methods;
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "later%d", (int)i);
    check_ok(add_field(type, name));
    check_ok(add_method(type, name, tvmffi_any_object(&method)));
  }
  assert_string_equal(fields[0].name.data, "first"); /* AddressSanitizer sees freed memory */
  assert_string_equal(methods[0].name.data, "first");
  assert_int_equal(info->num_fields, kMany + 1);
  assert_int_equal(info->num_methods, kMany + 1);
  for (i = 0; i < kMany; ++i) {
    (void)snprintf(name, sizeof name, "later%d", (int)i);
    assert_string_equal(info->fields[i + 1].name.data, name);
    assert_string_equal(info->methods[i + 1].name.data, name);
    assert_ptr_equal(info->methods[i + 1].method.v_obj, &method);
  }
  check_ok(TVMFFIRuntimeShutdown()); /* while the method is there */
}

static void test_refused_arguments(void **state) {
  static const char kUnknown[] = "Cannot find type info for type_index=4000";
  TVMFFIFieldInfo field = make_field("f");
  TVMFFIMethodInfo method;
  TVMFFITypeMetadata metadata;
  (void)state;
  memset(&method, 0, sizeof method);
  memset(&metadata, 0, sizeof metadata);
  check_fails(TVMFFITypeRegisterField(4000, &field), "InternalError", kUnknown);
  check_fails(TVMFFITypeRegisterMethod(4000, &method), "InternalError", kUnknown);
  check_fails(TVMFFITypeRegisterMetadata(4000, &metadata), "InternalError", kUnknown);
  check_fails(TVMFFITypeRegisterField(-1, &field), "InternalError", NULL);
  check_fails(TVMFFITypeRegisterField(kTVMFFIStr, NULL), "ValueError", NULL);
  check_fails(TVMFFITypeRegisterMethod(kTVMFFIStr, NULL), "ValueError", NULL);
  check_fails(TVMFFITypeRegisterMetadata(kTVMFFIStr, NULL), "ValueError", NULL);
  field.name.data = method.name.data = metadata.doc.data = NULL;
  field.name.size = method.name.size = metadata.doc.size = 3;
  check_fails(TVMFFITypeRegisterField(kTVMFFIStr, &field), "ValueError",
              "TVMFFITypeRegisterField: `name` has size 3 but no data");
  check_fails(TVMFFITypeRegisterMethod(kTVMFFIStr, &method), "ValueError", NULL);
  check_fails(TVMFFITypeRegisterMetadata(kTVMFFIStr, &metadata), "ValueError", NULL);
  assert_int_equal(TVMFFIGetTypeInfo(kTVMFFIStr)->num_fields, 0);
  assert_null(TVMFFIGetTypeInfo(kTVMFFIStr)->metadata);
}

static int shut_down(void **state) {
  (void)state;
  return TVMFFIRuntimeShutdown();
}

#define TEST(name) cmocka_unit_test_teardown(name, shut_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_L_10_methods_of_one_name_are_both_kept),
      TEST(test_a_method_is_a_function),
      TEST(test_metadata_is_set_once),
      TEST(test_metadata_has_a_kind_and_a_size),
      TEST(test_built_in_types_can_be_extended),
      TEST(test_L_17d_arrays_that_readers_hold_stay_valid),
      TEST(test_refused_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
