/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering methods, metadata and fields, and what is common to all registrations. Attributes:
 * test_type_attr.c.
 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/reflect_support.h"
#include "core/any.h"

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

TEST(test_L_10_methods_of_one_name_are_both_kept) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  probe p, q;
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

TEST(test_metadata_is_set_once) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  char doc[] = "what it is";
  TVMFFITypeMetadata metadata;
  const TVMFFITypeMetadata *kept;
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

TEST(test_a_method_is_a_function) {
  static const char kMessage[] = "Method `m` of type `my.T` expects a Function but got `%s`";
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFIMethodInfo info;
  char message[80];
  TVMFFIAny values[4];
  const char *const got[] = {"int", "const char*", "ffi.Object", "NULL"};
  probe p;
  size_t i;
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

TEST(test_metadata_has_a_kind_and_a_size) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFITypeMetadata metadata;
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

TEST(test_built_in_types_can_be_extended) {
  static const int32_t kTypes[] = {1, 64, 65, 68, 70, 73, 77};
  TVMFFITypeMetadata metadata;
  probe method;
  size_t i;
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

TEST(test_L_17d_arrays_that_readers_hold_stay_valid) {
  enum { kMany = 200 };
  int32_t type = add_type("my.T", 1, kTVMFFIObject), i;
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  const TVMFFIFieldInfo *fields;
  const TVMFFIMethodInfo *methods;
  char name[32];
  probe method;
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

TEST(test_refused_arguments) {
  static const char kUnknown[] = "Cannot find type info for type_index=4000";
  TVMFFIFieldInfo field = make_field("f");
  TVMFFIMethodInfo method;
  TVMFFITypeMetadata metadata;
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

/* ---- Fields ---- */

static int get_nothing(void *field, TVMFFIAny *result) {
  (void)field;
  (void)result;
  return 0;
}

TEST(test_a_field_is_copied) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  char name[] = "size", doc[] = "how large", metadata[] = "{\"type_schema\":\"int\"}";
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  const TVMFFIFieldInfo *kept;
  TVMFFIFieldInfo field = make_field(name);
  field.doc = check_bytes(doc);
  field.metadata = check_bytes(metadata);
  field.flags = kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskKwOnly;
  field.size = 8;
  field.alignment = 4;
  field.offset = 24;
  field.getter = get_nothing;
  field.setter = name; /* not read without the flag */
  field.default_value_or_factory = tvmffi_any_int(5);
  field.field_static_type_index = kTVMFFIInt;
  check_ok(TVMFFITypeRegisterField(type, &field));
  memset(name, 'x', 4);
  memset(doc, 'x', 4);
  memset(metadata, 'x', 4);
  assert_int_equal(info->num_fields, 1);
  kept = &info->fields[0];
  assert_string_equal(kept->name.data, "size");
  assert_string_equal(kept->doc.data, "how large");
  assert_string_equal(kept->metadata.data, "{\"type_schema\":\"int\"}");
  assert_int_equal(kept->metadata.size, 21);
  assert_int_equal(kept->flags, field.flags);
  assert_int_equal(kept->size, 8);
  assert_int_equal(kept->alignment, 4);
  assert_int_equal(kept->offset, 24);
  assert_true(kept->getter == get_nothing);
  assert_ptr_equal(kept->setter, name);
  assert_int_equal(kept->field_static_type_index, kTVMFFIInt);
  /* Without the flag there is no default; empty texts become {NULL, 0}. */
  assert_int_equal(kept->default_value_or_factory.type_index, kTVMFFINone);
  assert_int_equal(kept->default_value_or_factory.v_int64, 0);
  field = make_field("plain");
  field.doc = check_bytes("");
  check_ok(TVMFFITypeRegisterField(type, &field));
  assert_null(info->fields[1].doc.data);
  assert_null(info->fields[1].metadata.data);
  assert_int_equal(info->fields[1].metadata.size, 0);
}

TEST(test_a_default_becomes_owned) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  TVMFFIFieldInfo field = make_field("a");
  probe p;
  probe_init(&p);
  field.flags = kTVMFFIFieldFlagBitMaskHasDefault;
  field.default_value_or_factory = tvmffi_any_object(&p);
  check_ok(TVMFFITypeRegisterField(type, &field));
  assert_int_equal(check_use_count(&p), 2);
  field.name = check_bytes("b");
  field.default_value_or_factory = tvmffi_any_raw_str("a text of more than seven bytes");
  check_ok(TVMFFITypeRegisterField(type, &field));
  assert_int_equal(info->fields[1].default_value_or_factory.type_index, kTVMFFIStr);
  field.default_value_or_factory = tvmffi_any_object(&p);
  check_fails(TVMFFITypeRegisterField(type, &field), "InternalError",
              "Duplicate field name \"b\" in type \"my.T\"");
  assert_int_equal(check_use_count(&p), 2);
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(&p), 1);
  assert_int_equal(p.strong_deletes, 0);
}

TEST(test_a_function_setter_is_retained) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject);
  TVMFFIFieldInfo field = make_field("a");
  probe setter;
  probe_init(&setter);
  setter.header.type_index = kTVMFFIFunction;
  field.setter = &setter;
  check_ok(TVMFFITypeRegisterField(type, &field));
  assert_int_equal(check_use_count(&setter), 1); /* without the flag it may be a C function */
  field.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
  check_fails(TVMFFITypeRegisterField(type, &field), "InternalError", NULL);
  assert_int_equal(check_use_count(&setter), 1);
  field.name = check_bytes("b");
  check_ok(TVMFFITypeRegisterField(type, &field));
  assert_int_equal(check_use_count(&setter), 2);
  field.name = check_bytes("c");
  field.setter = NULL;
  check_ok(TVMFFITypeRegisterField(type, &field));
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(&setter), 1);
}

TEST(test_F_24_names_match_whole) {
  int32_t type = add_type("my.T", 1, kTVMFFIObject), other = add_type("my.O", 1, kTVMFFIObject);
  check_ok(add_field(type, "abc"));
  check_ok(add_field(type, "ab"));
  check_ok(add_field(type, "abcd"));
  check_ok(add_field(type, ""));
  check_ok(add_field(other, "abc"));
  check_fails(add_field(type, "ab"), "InternalError",
              "Duplicate field name \"ab\" in type \"my.T\"");
  check_fails(add_field(type, ""), "InternalError", "Duplicate field name \"\" in type \"my.T\"");
  assert_int_equal(TVMFFIGetTypeInfo(type)->num_fields, 4);
  assert_string_equal(TVMFFIGetTypeInfo(type)->fields[1].name.data, "ab");
}

static void refuse(const TVMFFIFieldInfo *field, const char *kind, const char *message) {
  int32_t type = add_type("my.R", 1, kTVMFFIObject);
  check_fails_with(TVMFFITypeRegisterField(type, field), kind, message);
  assert_int_equal(TVMFFIGetTypeInfo(type)->num_fields, 0);
}

TEST(test_members_of_the_struct_are_checked) {
  static const TVMFFIByteArray no_data = {NULL, 4};
  TVMFFIFieldInfo field = make_field("f"), wrong = field;
  probe object;
  probe_init(&object);
  wrong.alignment = -8;
  refuse(&wrong, "ValueError",
         "Field `f` of type `my.R` expects a power of two or 0 as alignment but got -8");
  wrong.alignment = 24;
  refuse(&wrong, "ValueError", "as alignment but got 24");
  wrong = field;
  wrong.field_static_type_index = -2;
  refuse(&wrong, "ValueError", "expects a type index or -1 but got -2");
  wrong.field_static_type_index = INT32_MAX;
  refuse(&wrong, "ValueError", "expects a type index or -1 but got 2147483647");
  wrong = field;
  wrong.flags = kTVMFFIFieldFlagBitSetterIsFunctionObj;
  wrong.setter = &object;
  refuse(&wrong, "TypeError",
         "Field `f` of type `my.R` expects a Function as setter but got `ffi.Object`");
  wrong = field;
  wrong.flags = kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  wrong.default_value_or_factory = tvmffi_any_object(&object);
  refuse(&wrong, "TypeError", "expects a Function as default factory but got `ffi.Object`");
  wrong = field;
  wrong.doc = no_data;
  refuse(&wrong, "ValueError", "`doc` has size 4 but no data");
  wrong = field;
  wrong.metadata = no_data;
  refuse(&wrong, "ValueError", "`metadata` has size 4 but no data");
  assert_int_equal(check_use_count(&object), 1);
}

static char logged[256];

static void keep_message(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)context;
  assert_int_equal(level, kTVMFFIRuntimeLogLevelWarning);
  (void)snprintf(logged, sizeof logged, "%s", message);
}

TEST(test_a_field_of_an_ancestor_is_told_to_the_log) {
  int32_t base = add_type("my.Base", 1, kTVMFFIObject), middle = add_type("my.Middle", 2, base);
  int32_t leaf = add_type("my.Leaf", 3, middle);
  check_ok(TVMFFIRuntimeSetLogHook(keep_message, NULL));
  logged[0] = '\0';
  check_ok(add_field(base, "x"));
  check_ok(add_field(leaf, "xy"));
  assert_string_equal(logged, "");
  check_ok(add_field(leaf, "x"));
  assert_string_equal(logged,
                      "Field \"x\" in type \"my.Leaf\" duplicates an ancestor field in "
                      "\"my.Base\"");
  assert_int_equal(TVMFFIGetTypeInfo(leaf)->num_fields, 2);
}

RUN_TESTS({
    test_and_shut_down(test_L_10_methods_of_one_name_are_both_kept),
    test_and_shut_down(test_a_method_is_a_function),
    test_and_shut_down(test_metadata_is_set_once),
    test_and_shut_down(test_metadata_has_a_kind_and_a_size),
    test_and_shut_down(test_built_in_types_can_be_extended),
    test_and_shut_down(test_L_17d_arrays_that_readers_hold_stay_valid),
    test_and_shut_down(test_refused_arguments),
    test_and_shut_down(test_a_field_is_copied),
    test_and_shut_down(test_a_default_becomes_owned),
    test_and_shut_down(test_a_function_setter_is_retained),
    test_and_shut_down(test_F_24_names_match_whole),
    test_and_shut_down(test_members_of_the_struct_are_checked),
    test_and_shut_down(test_a_field_of_an_ancestor_is_told_to_the_log),
})
