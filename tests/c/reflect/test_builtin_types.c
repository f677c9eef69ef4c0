/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registered metadata of the built-in types, and the objects made with it: docs/abi/types.md.
 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/any.h"
#include "core/bigint.h"
#include "core/builtins.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "reflect/builtin_objects.h"
#include "reflect/fields.h"
#include "reflect/walk.h"
#include "structural/structural.h"
#include "structural/types.h"
#include "support/check.h"

/* {index, parent, size, whether it has a creator, kind, fields, methods} */
static const struct {
  int32_t type_index, parent, total_size;
  bool has_creator;
  TVMFFISEqHashKind kind;
  int32_t num_fields, num_methods;
} kExpected[] = {
    {73, 64, 48, false, kTVMFFISEqHashKindUnsupported, 1, 0},
    {77, 64, 40, true, kTVMFFISEqHashKindUnsupported, 1, 0},
    {78, 64, 32, false, kTVMFFISEqHashKindUnsupported, 0, 0},
    {128, 64, 48, true, kTVMFFISEqHashKindUnsupported, 3, 1},
    {129, 64, 48, true, kTVMFFISEqHashKindUniqueInstance, 2, 0},
    {130, 129, 48, true, kTVMFFISEqHashKindUniqueInstance, 1, 0},
    {131, 129, 48, true, kTVMFFISEqHashKindUniqueInstance, 1, 0},
    {132, 64, 48, true, kTVMFFISEqHashKindConstTreeNode, 2, 0},
    {133, 64, 48, true, kTVMFFISEqHashKindConstTreeNode, 3, 11},
    {134, 64, 40, false, kTVMFFISEqHashKindUnsupported, 0, 0},
    {135, 64, 40, true, kTVMFFISEqHashKindUnsupported, 2, 0},
    {136, 64, 40, false, kTVMFFISEqHashKindUnsupported, 0, 0},
    {137, 64, 48, true, kTVMFFISEqHashKindUnsupported, 2, 1},
};
enum { kNumExpected = sizeof kExpected / sizeof *kExpected };

TEST(test_types) {
  size_t i;
  for (i = 0; i < kNumExpected; ++i) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kExpected[i].type_index);
    assert_non_null(info);
    assert_int_equal(info->type_ancestors[info->type_depth - 1]->type_index, kExpected[i].parent);
    assert_non_null(info->metadata);
    if (sizeof(void *) == 8) {
      assert_int_equal(info->metadata->total_size, kExpected[i].total_size);
    }
    assert_int_equal(info->metadata->creator != NULL, kExpected[i].has_creator);
    assert_int_equal(info->metadata->structural_eq_hash_kind, kExpected[i].kind);
    assert_int_equal(info->num_fields, kExpected[i].num_fields);
    assert_int_equal(info->num_methods, kExpected[i].num_methods);
  }
}

/* The metadata is stored in static memory of a fixed size. */
TEST(test_metadata_has_room) {
  size_t i, bytes = 0;
  int32_t k;
  for (i = 0; i < kNumExpected; ++i) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kExpected[i].type_index);
    for (k = 0; k < info->num_fields; ++k) bytes += info->fields[k].metadata.size + 1;
    for (k = 0; k < info->num_methods; ++k) bytes += info->methods[k].metadata.size + 1;
  }
  assert_in_range(bytes, 1, kTvmffiBuiltinMetadata);
}

static const TVMFFIFieldInfo *find_field(int32_t type_index, const char *name) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  int32_t i;
  for (i = 0; i < info->num_fields; ++i) {
    if (strcmp(info->fields[i].name.data, name) == 0) return &info->fields[i];
  }
  fail_msg("no field %s", name);
  return NULL;
}

TEST(test_metadata_is_json_of_the_schema) {
  const TVMFFIFieldInfo *attrs = find_field(kTvmffiEnumState, "attrs");
  assert_string_equal(
      attrs->metadata.data,
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Dict\\\",\\\"args\\\":[{\\\"type\\\":"
      "\\\"ffi.String\\\"},{\\\"type\\\":\\\"ffi.Dict\\\",\\\"args\\\":[{\\\"type\\\":"
      "\\\"ffi.Object\\\"},{\\\"type\\\":\\\"Any\\\"}]}]}\"}");
  assert_int_equal(attrs->flags, kTVMFFIFieldFlagBitMaskInitOff);
  assert_int_equal(find_field(kTvmffiEnum, "_int_index")->offset, 24);
  assert_int_equal(find_field(kTvmffiStrEnum, "value")->offset, 32);
  assert_int_equal(find_field(kTvmffiAccessStep, "kind")->size, 4);
  assert_int_equal(find_field(kTVMFFIModule, "imports_")->offset, 24);
}

/* Calls a type attribute as clients do. */
static TVMFFIObject *call_attr(int attr, int32_t type_index, TVMFFIObject *self) {
  const TVMFFIAny *function = tvmffi_type_find_attr(attr, type_index);
  TVMFFIAny arg = tvmffi_any_object(self), result = tvmffi_any_none();
  assert_non_null(function);
  check_ok(TVMFFIFunctionCall(function->v_obj, &arg, self != NULL, &result));
  assert_int_equal(result.type_index, type_index);
  return result.v_obj;
}

TEST(test_objects_are_made_copied_and_released) {
  size_t i;
  for (i = 0; i < kNumExpected; ++i) {
    int32_t type_index = kExpected[i].type_index;
    TVMFFIObjectHandle made = NULL, other, copy;
    if (!kExpected[i].has_creator) continue;
    check_ok(TVMFFIGetTypeInfo(type_index)->metadata->creator(&made));
    other = call_attr(kTvmffiAttrNew, type_index, NULL);
    copy = call_attr(kTvmffiAttrShallowCopy, type_index, other);
    assert_ptr_not_equal(copy, other);
    TVMFFIObjectDecRef(made);
    TVMFFIObjectDecRef(other);
    TVMFFIObjectDecRef(copy);
  }
}

TEST(test_attributes_check_their_arguments) {
  TVMFFIAny arg = tvmffi_any_int(1), result = tvmffi_any_none();
  const TVMFFIAny *make = tvmffi_type_find_attr(kTvmffiAttrNew, kTvmffiEnum);
  const TVMFFIAny *copy = tvmffi_type_find_attr(kTvmffiAttrShallowCopy, kTvmffiEnum);
  check_fails(TVMFFIFunctionCall(make->v_obj, &arg, 1, &result), "TypeError",
              "Mismatched number of arguments when calling: `ffi.Enum.__ffi_new__() -> ffi.Object`."
              " Expected 0 but got 1 arguments");
  check_fails(TVMFFIFunctionCall(copy->v_obj, &arg, 1, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.Enum.__ffi_shallow_copy__(0: "
              "ffi.Object) -> ffi.Object`. Expected `ffi.Enum` but got `int`");
  assert_null(tvmffi_type_find_attr(kTvmffiAttrNew, kTvmffiStructuralVisitor));
  assert_int_equal(tvmffi_type_find_attr(kTvmffiAttrTypeFinal, kTvmffiEnum)->v_int64, 0);
  assert_int_equal(tvmffi_type_find_attr(kTvmffiAttrTypeFinal, kTVMFFIBigInt)->v_int64, 1);
}

static TVMFFIAny call_bigint_attr(int attr, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny copy[3], result = tvmffi_any_none();
  memcpy(copy, args, (size_t)num_args * sizeof *args);
  check_ok(TVMFFIFunctionCall(tvmffi_type_find_attr(attr, kTVMFFIBigInt)->v_obj, copy, num_args,
                              &result));
  return result;
}

TEST(test_big_integers_compare) {
  static const char *const kTexts[] = {"-18446744073709551616", "18446744073709551616"};
  TVMFFIAny args[3], hash[3], wrong = tvmffi_any_int(1), result = tvmffi_any_none();
  const TVMFFIAny *hash_attr = tvmffi_type_find_attr(kTvmffiAttrHash, kTVMFFIBigInt);
  int i;
  for (i = 0; i < 2; ++i) {
    TVMFFIByteArray text = {kTexts[i], strlen(kTexts[i])};
    check_ok(tvmffi_bigint_from_decimal(&text, &args[i]));
  }
  args[2] = tvmffi_any_none();
  assert_int_equal(call_bigint_attr(kTvmffiAttrCompare, args, 3).v_int64, -1);
  assert_int_equal(call_bigint_attr(kTvmffiAttrEq, args, 3).v_int64, 0);
  hash[0] = args[0];
  hash[1] = tvmffi_any_none();
  hash[2] = call_bigint_attr(kTvmffiAttrHash, hash, 2);
  hash[0] = args[1];
  assert_true(call_bigint_attr(kTvmffiAttrHash, hash, 2).v_int64 != hash[2].v_int64);
  check_release(&args[0]);
  args[0] = args[1];
  assert_int_equal(call_bigint_attr(kTvmffiAttrCompare, args, 3).v_int64, 0);
  assert_int_equal(call_bigint_attr(kTvmffiAttrEq, args, 3).v_int64, 1);
  check_release(&args[1]);
  check_fails(
      TVMFFIFunctionCall(hash_attr->v_obj, &wrong, 1, &result), "TypeError",
      "Mismatched number of arguments when calling: `ffi.BigInt.__ffi_hash__(0: ffi.Object, "
      "1: ffi.Function) -> int`. Expected 2 but got 1 arguments");
}

TEST(test_fields_of_ancestors_come_first) {
  tvmffi_field_cursor cursor;
  tvmffi_field_first(&cursor, TVMFFIGetTypeInfo(kTvmffiIntEnum));
  assert_string_equal(tvmffi_field_next(&cursor)->name.data, "_int_index");
  assert_string_equal(tvmffi_field_next(&cursor)->name.data, "_str_index");
  assert_string_equal(tvmffi_field_next(&cursor)->name.data, "value");
  assert_null(tvmffi_field_next(&cursor));
}

static void check_refused(TVMFFIObject *obj, int32_t type_index, const char *name, TVMFFIAny value,
                          const char *message) {
  check_fails(tvmffi_field_set(find_field(type_index, name), obj, &value), "TypeError", message);
}

TEST(test_setters_take_only_what_the_field_holds) {
  TVMFFIObject *context, *step;
  TVMFFIAny text = tvmffi_any_raw_str("a text of more than seven bytes"), got;
  check_ok(tvmffi_reflect_create(kTvmffiVisitErrorContext, &context));
  check_ok(tvmffi_reflect_create(kTvmffiAccessStep, &step));
  check_refused(context, kTvmffiVisitErrorContext, "reverse_visit_pattern", tvmffi_any_int(1),
                "Cannot convert from type `int` to `List<ffi.Object>`");
  check_refused(context, kTvmffiVisitErrorContext, "prev_error_context", tvmffi_any_int(1),
                "Cannot convert from type `int` to `Optional<ffi.Object>`");
  check_refused(step, kTvmffiAccessStep, "kind", text,
                "Cannot convert from type `const char*` to `int`");
  check_ok(tvmffi_field_set(find_field(kTvmffiAccessStep, "key"), step, &text));
  check_ok(tvmffi_field_get(find_field(kTvmffiAccessStep, "key"), step, &got));
  assert_int_equal(got.type_index, kTVMFFIStr);
  check_release(&got);
  got = tvmffi_any_object(step);
  check_ok(
      tvmffi_field_set(find_field(kTvmffiVisitErrorContext, "prev_error_context"), context, &got));
  assert_int_equal(check_use_count(step), 2);
  TVMFFIObjectDecRef(context);
  assert_int_equal(check_use_count(step), 1);
  TVMFFIObjectDecRef(step);
}

/* A Dict of one entry, set to a field for Dicts of Dicts, which refuses it. */
static void check_dict_refused(TVMFFIAny key, TVMFFIAny value, const char *got) {
  TVMFFIAny args[2], dict;
  TVMFFIObject *field = NULL;
  args[0] = key;
  args[1] = value;
  check_ok(call_global("ffi.Dict", args, 2, &dict));
  check_fails_with(tvmffi_field_set_dict_of_dicts(&field, &dict), "TypeError", got);
  check_release(&dict);
}

/* The whole name of a type, though it be as long as this one. */
TEST(test_types_in_refused_dicts) {
  char name[1001], got[1100];
  TVMFFIByteArray key = {name, sizeof name - 1};
  TVMFFIAny text = tvmffi_any_raw_str("a"), inner, odd;
  probe p;
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  probe_init(&p);
  p.header.type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  odd = tvmffi_any_object(&p.header);
  (void)snprintf(got, sizeof got, "`Dict[some key is %s, V]`", name);
  check_dict_refused(odd, odd, got);
  (void)snprintf(got, sizeof got, "`Dict[K, some value is %s]`", name);
  check_dict_refused(text, odd, got);
  {
    TVMFFIAny args[2];
    args[0] = tvmffi_any_int(1);
    args[1] = odd;
    check_ok(call_global("ffi.Dict", args, 2, &inner));
  }
  check_dict_refused(text, inner, "`Dict[K, some value is Dict[some key is int, V]]`");
  check_release(&inner);
}

TEST(test_a_narrow_field_takes_no_wider_number) {
  static const int64_t kHeld[] = {INT32_MIN, -1, 0, INT32_MAX};
  static const int64_t kRefused[] = {INT64_MIN, (int64_t)INT32_MIN - 1, (int64_t)INT32_MAX + 1,
                                     INT64_C(1) << 40};
  const TVMFFIFieldInfo *kind = find_field(kTvmffiAccessStep, "kind");
  TVMFFIObject *step;
  TVMFFIAny value, got;
  size_t i;
  check_ok(tvmffi_reflect_create(kTvmffiAccessStep, &step));
  for (i = 0; i < sizeof kHeld / sizeof *kHeld; ++i) {
    value = tvmffi_any_int(kHeld[i]);
    check_ok(tvmffi_field_set(kind, step, &value));
    check_ok(tvmffi_field_get(kind, step, &got));
    assert_int_equal(got.v_int64, kHeld[i]);
  }
  for (i = 0; i < sizeof kRefused / sizeof *kRefused; ++i) {
    char message[80];
    snprintf(message, sizeof message, "Integer value %lld is out of range for int32_t",
             (long long)kRefused[i]);
    value = tvmffi_any_int(kRefused[i]);
    check_fails(tvmffi_field_set(kind, step, &value), "OverflowError", message);
    check_ok(tvmffi_field_get(kind, step, &got));
    assert_int_equal(got.v_int64, INT32_MAX);
  }
  TVMFFIObjectDecRef(step);
}

TEST(test_what_cannot_be_created) {
  TVMFFIObject *obj;
  check_fails(tvmffi_reflect_create(kTVMFFIFunction, &obj), "RuntimeError",
              "Type `ffi.Function` does not support reflection creation (no native creator or "
              "__ffi_new__ type attr)");
  check_fails(tvmffi_reflect_create(4711, &obj), "InternalError",
              "Cannot find type info for type_index=4711");
}

TEST(test_children_of_an_object) {
  TVMFFIObject *interrupt;
  TVMFFIAny value = tvmffi_any_int(7);
  tvmffi_child_cursor cursor;
  tvmffi_child child;
  check_ok(tvmffi_reflect_create(kTVMFFIVisitInterrupt, &interrupt));
  check_ok(tvmffi_field_set(find_field(kTVMFFIVisitInterrupt, "value"), interrupt, &value));
  tvmffi_child_first(&cursor, interrupt);
  assert_int_equal(tvmffi_child_next(&cursor, &child), 1);
  assert_string_equal(child.field->name.data, "value");
  assert_int_equal(child.value.v_int64, 7);
  tvmffi_child_release(&child);
  assert_int_equal(tvmffi_child_next(&cursor, &child), 0);
  TVMFFIObjectDecRef(interrupt);
}

/* After a shutdown the types are as at the start, and functions that clients hold still work. */
static void test_shutdown_leaves_the_types_as_they_were(void **state) {
  const TVMFFIAny *make = tvmffi_type_find_attr(kTvmffiAttrNew, kTvmffiEnum);
  TVMFFIObject *function = make->v_obj;
  TVMFFIAny result = tvmffi_any_none();
  TVMFFIObjectIncRef(function);
  check_ok(TVMFFIRuntimeShutdown());
  test_types(state);
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  check_release(&result);
  test_attributes_check_their_arguments(state);
  TVMFFIObjectDecRef(function);
}

RUN_TESTS({
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_metadata_has_room),
    cmocka_unit_test(test_metadata_is_json_of_the_schema),
    cmocka_unit_test(test_objects_are_made_copied_and_released),
    cmocka_unit_test(test_attributes_check_their_arguments),
    cmocka_unit_test(test_big_integers_compare),
    cmocka_unit_test(test_fields_of_ancestors_come_first),
    cmocka_unit_test(test_setters_take_only_what_the_field_holds),
    cmocka_unit_test(test_types_in_refused_dicts),
    cmocka_unit_test(test_a_narrow_field_takes_no_wider_number),
    cmocka_unit_test(test_what_cannot_be_created),
    cmocka_unit_test(test_children_of_an_object),
    cmocka_unit_test(test_shutdown_leaves_the_types_as_they_were),
})
