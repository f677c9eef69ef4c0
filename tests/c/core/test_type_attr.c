/* SPDX-License-Identifier: Apache-2.0 */
/* Type attributes and their columns. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/buf.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "support/check.h"

static int set(int32_t type_index, const char *name, TVMFFIAny value) {
  TVMFFIByteArray bytes = check_bytes(name);
  return TVMFFITypeRegisterAttr(type_index, &bytes, &value);
}

static const TVMFFITypeAttrColumn *column_of(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  return TVMFFIGetTypeAttrColumn(&bytes);
}

/* Reads a column as clients do: indices outside of it give None. */
static TVMFFIAny read(const TVMFFITypeAttrColumn *column, int32_t type_index) {
  int32_t i = type_index - column->begin_index;
  if (i < 0 || i >= column->size) return tvmffi_any_none();
  return column->data[i];
}

TEST(test_F_26_entries_are_found_by_type_index) {
  const TVMFFITypeAttrColumn *column;
  check_ok(set(70, "my.attr", tvmffi_any_int(70)));
  check_ok(set(3, "my.attr", tvmffi_any_int(3))); /* an index before the first one */
  check_ok(set(1000, "my.attr", tvmffi_any_int(1000)));
  column = column_of("my.attr");
  assert_non_null(column);
  assert_int_equal(read(column, 3).v_int64, 3);
  assert_int_equal(read(column, 70).v_int64, 70);
  assert_int_equal(read(column, 1000).v_int64, 1000);
  assert_int_equal(read(column, 4).type_index, kTVMFFINone);
  assert_int_equal(read(column, 69).type_index, kTVMFFINone);
  assert_int_equal(read(column, 999).type_index, kTVMFFINone);
  assert_int_equal(column->begin_index + column->size, 1001); /* ends with the last entry */
}

TEST(test_none_only_makes_the_column) {
  TVMFFIByteArray name = check_bytes("my.attr");
  const TVMFFITypeAttrColumn *column;
  assert_null(column_of("my.attr"));
  check_not_raised();
  check_ok(TVMFFITypeRegisterAttr(kTVMFFINone, &name, NULL));
  column = column_of("my.attr");
  assert_non_null(column);
  assert_int_equal(column->size, 0);
  check_ok(set(kTVMFFINone, "my.attr", tvmffi_any_int(1))); /* the value is ignored */
  assert_int_equal(column->size, 0);
  check_ok(set(kTVMFFIInt, "my.attr", tvmffi_any_none())); /* the entry stays free */
  assert_int_equal(read(column, kTVMFFIInt).type_index, kTVMFFINone);
  check_ok(set(kTVMFFIInt, "my.attr", tvmffi_any_int(5)));
  assert_int_equal(read(column, kTVMFFIInt).v_int64, 5);
}

TEST(test_values_become_owned) {
  char text[] = "a text of more than seven bytes";
  TVMFFIAny value;
  probe p;
  probe_init(&p);
  check_ok(set(64, "my.attr", tvmffi_any_object(&p)));
  assert_int_equal(check_use_count(&p), 2);
  check_ok(set(65, "my.attr", tvmffi_any_raw_str(text)));
  memset(text, 'x', 5);
  value = read(column_of("my.attr"), 65);
  assert_int_equal(value.type_index, kTVMFFIStr);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(value.v_obj)->data,
                      "a text of more than seven bytes");
  check_ok(TVMFFIRuntimeShutdown());
  assert_int_equal(check_use_count(&p), 1);
  assert_null(column_of("my.attr"));
}

TEST(test_L_10_an_equal_value_may_be_set_again) {
  static const char kLong[] = "a text of more than seven bytes";
  const TVMFFITypeAttrColumn *column;
  static probe p, other; /* static: the column keeps one of them until the shutdown */
  probe_init(&p);
  probe_init(&other);
  check_ok(set(64, "my.attr", tvmffi_any_int(5)));
  check_ok(set(65, "my.attr", tvmffi_any_object(&p)));
  check_ok(set(66, "my.attr", tvmffi_any_raw_str(kLong)));
  column = column_of("my.attr");
  check_ok(set(64, "my.attr", tvmffi_any_int(5)));
  check_ok(set(65, "my.attr", tvmffi_any_object(&p)));
  check_ok(set(66, "my.attr", tvmffi_any_raw_str(kLong))); /* another object with the same text */
  assert_int_equal(check_use_count(&p), 2);
  check_fails_with(set(64, "my.attr", tvmffi_any_int(6)), "RuntimeError",
                   "TypeAttr `my.attr` is already registered for type index 64. To update");
  check_fails(set(64, "my.attr", tvmffi_any_bool(1)), "RuntimeError", NULL);
  check_fails(set(64, "my.attr", tvmffi_any_none()), "RuntimeError", NULL);
  check_fails(set(65, "my.attr", tvmffi_any_object(&other)), "RuntimeError", NULL);
  check_fails(set(66, "my.attr", tvmffi_any_raw_str("another text of some length")), "RuntimeError",
              NULL);
  assert_int_equal(check_use_count(&other), 1);
  assert_int_equal(read(column, 64).v_int64, 5);
  assert_ptr_equal(read(column, 65).v_obj, &p);
}

TEST(test_L_10_the_library_s_own_value_is_kept) {
  const TVMFFITypeAttrColumn *column = column_of("__any_hash__");
  TVMFFIAny own = read(column, kTVMFFIBigInt);
  probe p;
  probe_init(&p);
  assert_int_equal(own.type_index, kTVMFFIFunction);
  check_ok(set(kTVMFFIBigInt, "__any_hash__", tvmffi_any_object(&p)));
  assert_ptr_equal(read(column, kTVMFFIBigInt).v_obj, own.v_obj);
  assert_int_equal(check_use_count(&p), 1);
  check_ok(set(kTVMFFIStr, "__any_hash__", tvmffi_any_int(1))); /* it has none for this type */
  check_fails(set(kTVMFFIStr, "__any_hash__", tvmffi_any_int(2)), "RuntimeError", NULL);
}

TEST(test_L_10_indices_out_of_range) {
  check_fails(set(-5, "my.attr", tvmffi_any_int(1)), "ValueError",
              "Attribute `my.attr`: type index -5 is out of range");
  check_fails(set(INT32_MIN, "my.attr", tvmffi_any_int(1)), "ValueError", NULL);
  check_fails(set(INT32_MAX, "my.attr", tvmffi_any_int(1)), "ValueError", NULL);
  check_fails(set(1 << 22, "my.attr", tvmffi_any_int(1)), "ValueError", NULL);
  assert_null(column_of("my.attr"));
}

TEST(test_an_object_that_is_null_is_refused) {
  static const int32_t kTypes[] = {kTVMFFIObject, kTVMFFIFunction};
  size_t i;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    TVMFFIAny null = tvmffi_any_ptr(kTypes[i], NULL);
    check_fails(set(64, "my.attr", null), "ValueError",
                "Attribute `my.attr` expects an object but got NULL");
  }
  assert_null(column_of("my.attr"));
}

TEST(test_F_24_names_match_whole) {
  TVMFFIByteArray part = {"abc", 2};
  char name[] = "ab";
  check_ok(set(64, "abc", tvmffi_any_int(3)));
  assert_null(column_of("ab"));
  assert_null(column_of("abcd"));
  assert_null(column_of(""));
  check_ok(set(64, name, tvmffi_any_int(2)));
  name[0] = 'x'; /* the column has a copy of the name */
  check_ok(set(64, "", tvmffi_any_int(0)));
  assert_int_equal(read(column_of("abc"), 64).v_int64, 3);
  assert_int_equal(read(column_of("ab"), 64).v_int64, 2);
  assert_int_equal(read(column_of(""), 64).v_int64, 0);
  assert_ptr_equal(TVMFFIGetTypeAttrColumn(&part), column_of("ab"));
}

TEST(test_L_17d_columns_stay_and_arrays_stay_valid) {
  const TVMFFITypeAttrColumn *column;
  const TVMFFIAny *data;
  char name[32];
  int32_t i;
  check_ok(set(2, "my.attr", tvmffi_any_int(2)));
  column = column_of("my.attr");
  data = column->data;
  for (i = 3; i < 3000; ++i) check_ok(set(i, "my.attr", tvmffi_any_int(i)));
  for (i = 0; i < 100; ++i) {
    (void)snprintf(name, sizeof name, "my.other%d", (int)i);
    check_ok(set(2, name, tvmffi_any_int(i)));
  }
  assert_ptr_equal(column_of("my.attr"), column);
  assert_int_equal(data[2].v_int64, 2); /* AddressSanitizer would report a freed array */
  for (i = 2; i < 3000; ++i) assert_int_equal(read(column, i).v_int64, i);
}

TEST(test_refused_arguments) {
  TVMFFIByteArray name = check_bytes("my.attr"), no_data = {NULL, 3};
  TVMFFIAny value = tvmffi_any_int(1);
  check_fails(TVMFFITypeRegisterAttr(64, NULL, &value), "ValueError", NULL);
  check_fails(TVMFFITypeRegisterAttr(64, &name, NULL), "ValueError", NULL);
  check_fails(TVMFFITypeRegisterAttr(64, &no_data, &value), "ValueError",
              "TVMFFITypeRegisterAttr: `attr_name` has size 3 but no data");
  assert_null(TVMFFIGetTypeAttrColumn(NULL));
  assert_null(TVMFFIGetTypeAttrColumn(&no_data));
  check_not_raised();
}

/* Clients look __any_hash__ up once; if it is missing they never look again. */
TEST(test_columns_of_the_abi_are_there_from_the_start) {
  static const char *const names[] = {"__any_hash__", "__any_equal__", "__ffi_new__",
                                      "__s_maybe_inplace_mutate__", "__ffi_enum__"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    const TVMFFITypeAttrColumn *column = column_of(names[i]);
    assert_non_null(column);
    if (i < 2) { /* the library's own entries are those for BigInt */
      assert_int_equal(column->size, kTvmffiBuiltinTypesEnd);
      assert_int_equal(read(column, kTVMFFIBigInt).type_index, kTVMFFIFunction);
      assert_int_equal(read(column, kTVMFFIBigInt - 1).type_index, kTVMFFINone);
    }
    assert_int_equal(column->begin_index, 0);
    check_ok(set(64, names[i], tvmffi_any_int((int64_t)i)));
    assert_ptr_equal(column_of(names[i]), column);
    assert_int_equal(read(column, 64).v_int64, i);
  }
  assert_null(column_of("__ffi_convert_type_schema__"));
}

/* A library that has such a function must not be closed. Its name may be in any slot of the table.
 */
TEST(test_functions_within_a_range_are_found) {
  tvmffi_dl_range range;
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  char name[16];
  int i;
  range.begin = (uintptr_t)call_nothing;
  range.end = range.begin + 1;
  for (i = 0; i < 64; ++i) {
    TVMFFIObjectHandle function;
    check_ok(TVMFFIFunctionCreate(NULL, call_nothing, NULL, &function));
    (void)snprintf(name, sizeof name, "my.%d", i);
    check_ok(set(kTVMFFIStr, "my.number", tvmffi_any_int(1)));
    assert_false(tvmffi_attr_needs_range(&range, &reason.to_set));
    check_ok(set(kTVMFFIStr, name, tvmffi_any_object(function)));
    assert_true(tvmffi_attr_needs_range(&range, &reason.to_set));
    assert_string_equal(reason.to_set.text, "type `ffi.String` needs it");
    tvmffi_buf_fini(&reason.buf);
    reason.to_set.text = "";
    TVMFFIObjectDecRef(function);
    check_ok(TVMFFIRuntimeShutdown());
  }
}

TEST(test_columns_start_again_after_a_shutdown) {
  int round;
  for (round = 0; round < 2; ++round) {
    const char *name = tvmffi_attr_names;
    int i;
    for (i = 0; i < kTvmffiNumFirstAttrs; ++i, name += strlen(name) + 1) {
      assert_int_equal(read(column_of(name), 1000).type_index, kTVMFFINone);
      check_ok(set(1000, name, tvmffi_any_int(i)));
      assert_int_equal(read(column_of(name), 1000).v_int64, i);
    }
    check_ok(TVMFFIRuntimeShutdown());
  }
}

RUN_TESTS({
    test_and_shut_down(test_F_26_entries_are_found_by_type_index),
    test_and_shut_down(test_none_only_makes_the_column),
    test_and_shut_down(test_values_become_owned),
    test_and_shut_down(test_L_10_an_equal_value_may_be_set_again),
    test_and_shut_down(test_L_10_the_library_s_own_value_is_kept),
    test_and_shut_down(test_L_10_indices_out_of_range),
    test_and_shut_down(test_an_object_that_is_null_is_refused),
    test_and_shut_down(test_F_24_names_match_whole),
    test_and_shut_down(test_L_17d_columns_stay_and_arrays_stay_valid),
    test_and_shut_down(test_columns_of_the_abi_are_there_from_the_start),
    test_and_shut_down(test_refused_arguments),
    test_and_shut_down(test_functions_within_a_range_are_found),
    test_and_shut_down(test_columns_start_again_after_a_shutdown),
})
