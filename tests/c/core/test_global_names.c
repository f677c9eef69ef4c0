/* SPDX-License-Identifier: Apache-2.0 */
/* Listing and describing global functions. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/global_support.h"
#include "core/any.h"
#include "core/global.h"

static TVMFFIObjectHandle function; /* the function registered under all names of these tests */

static void set(const char *name) {
  check_ok(set_global(name, function, 1));
}

static TVMFFIObject *list_names(void) {
  TVMFFIObject *names = NULL;
  check_ok(tvmffi_global_list_names(&names));
  assert_int_equal(names->type_index, kTVMFFIFunction);
  return names;
}

static int64_t count_names(TVMFFIObject *names) {
  TVMFFIAny arg = tvmffi_any_int(-1), result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(names, &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIInt);
  return result.v_int64;
}

/* Checks the listed names that begin with "my.", joined with spaces. */
static void check_mine(TVMFFIObject *names, const char *expected) {
  char joined[256] = "";
  int64_t i, count = count_names(names);
  for (i = 0; i < count; ++i) {
    TVMFFIAny arg = tvmffi_any_int(i), name = tvmffi_any_none();
    TVMFFIByteArray text;
    check_ok(TVMFFIFunctionCall(names, &arg, 1, &name));
    assert_true(tvmffi_any_get_text(&name, &text));
    if (text.size >= 3 && memcmp(text.data, "my.", 3) == 0) {
      assert_true(strlen(joined) + text.size + 2 < sizeof joined);
      if (joined[0] != '\0') strcat(joined, " ");
      strcat(joined, text.data);
    }
    check_release(&name);
  }
  assert_string_equal(joined, expected);
}

static void check_listed(const char *expected) {
  TVMFFIObject *names = list_names();
  check_mine(names, expected);
  TVMFFIObjectDecRef(names);
}

TEST(test_names_come_in_the_order_of_setting) {
  set("my.first");
  set("my.middle and long enough for the heap");
  set("my.last");
  check_listed("my.first my.middle and long enough for the heap my.last");
  set("my.first"); /* overriding moves a name to the end */
  check_listed("my.middle and long enough for the heap my.last my.first");
}

TEST(test_removed_names_are_not_listed) {
  set("my.a");
  set("my.b");
  set("my.c");
  set("my.d");
  assert_true(remove_name("my.a")); /* removes the first, the last and the middle one */
  check_listed("my.b my.c my.d");
  assert_true(remove_name("my.c"));
  check_listed("my.b my.d");
  assert_true(remove_name("my.d"));
  check_listed("my.b");
  set("my.a");
  check_listed("my.b my.a");
  assert_true(remove_name("my.b"));
  assert_true(remove_name("my.a"));
  check_listed("");
}

TEST(test_a_list_is_a_snapshot) {
  TVMFFIObject *names;
  int64_t count;
  set("my.a");
  set("my.b");
  names = list_names();
  count = count_names(names);
  assert_true(remove_name("my.a"));
  set("my.c");
  set("my.d");
  assert_int_equal(count_names(names), count);
  check_mine(names, "my.a my.b");
  check_ok(TVMFFIRuntimeShutdown());
  check_mine(names, "my.a my.b");
  TVMFFIObjectDecRef(names);
}

static const char *name_to_add; /* during the next allocation */
static size_t largest;          /* of the blocks allocated since this was 0 */

static void *allocate_and_add(void *context, size_t size) {
  const char *name = name_to_add;
  (void)context;
  if (size > largest) largest = size;
  name_to_add = NULL;
  if (name != NULL) set(name);
  return malloc(size);
}

static void deallocate(void *context, void *block) {
  (void)context;
  free(block);
}

TEST(test_names_that_are_added_while_they_are_listed) {
  set("my.a");
  name_to_add = "my.b";
  check_listed("my.a my.b");
  assert_null(name_to_add);
}

TEST(test_names_that_were_removed_take_no_room_in_lists) {
  size_t before;
  set("my.a");
  largest = 0;
  check_listed("my.a");
  before = largest;
  set("my.b");
  assert_true(remove_name("my.b"));
  largest = 0;
  check_listed("my.a");
  assert_int_equal(largest, before);
}

TEST(test_built_in_names_come_first) {
  TVMFFIObject *names = list_names();
  TVMFFIAny arg = tvmffi_any_int(0), name = tvmffi_any_none();
  TVMFFIByteArray text;
  assert_true(count_names(names) >= 9);
  check_ok(TVMFFIFunctionCall(names, &arg, 1, &name));
  assert_true(tvmffi_any_get_text(&name, &text));
  assert_memory_equal(text.data, "ffi.", 4);
  check_release(&name);
  TVMFFIObjectDecRef(names);
}

TEST(test_refused_questions) {
  TVMFFIObject *names = list_names();
  TVMFFIAny args[2] = {tvmffi_any_int(0), tvmffi_any_int(0)}, result = tvmffi_any_none();
  char text[64];
  int64_t count = count_names(names);
  args[0] = tvmffi_any_int(count);
  (void)snprintf(text, sizeof text, "Index %d out of bounds %d", (int)count, (int)count);
  check_fails(TVMFFIFunctionCall(names, args, 1, &result), "IndexError", text);
  args[0] = tvmffi_any_int(INT64_MAX);
  check_fails(TVMFFIFunctionCall(names, args, 1, &result), "IndexError", NULL);
  check_fails(TVMFFIFunctionCall(names, args, 2, &result), "TypeError",
              "Mismatched number of arguments when calling: `(0: int) -> Any`. Expected 1 but got "
              "2 arguments");
  args[0] = tvmffi_any_raw_str("1");
  check_fails(TVMFFIFunctionCall(names, args, 1, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `(0: int) -> Any`. Expected `int` but "
              "got `const char*`");
  args[0] = tvmffi_any_bool(1);
  check_ok(TVMFFIFunctionCall(names, args, 1, &result));
  check_release(&result);
  TVMFFIObjectDecRef(names);
}

static void set_described(const char *name, const char *metadata) {
  TVMFFIMethodInfo info;
  memset(&info, 0, sizeof info);
  info.name = check_bytes(name);
  info.doc = check_bytes("a text that nothing asks for");
  info.metadata.data = metadata;
  info.metadata.size = metadata != NULL ? strlen(metadata) : 0;
  info.method = tvmffi_any_object(function);
  check_ok(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1));
}

TEST(test_metadata) {
  TVMFFIAny metadata = tvmffi_any_none();
  char described[] = "{\"type_schema\":\"...\"}";
  set_described("my.f", described);
  memset(described, 'x', 5);
  check_metadata("my.f", "{\"type_schema\":\"...\"}");
  set_described("my.f", "{}");
  check_metadata("my.f", "{}");
  set("my.f"); /* overridden without metadata */
  check_metadata("my.f", "");
  set_described("my.g", NULL);
  check_metadata("my.g", "");
  check_metadata("ffi.Shape", "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"}");
  set("ffi.Shape");
  check_metadata("ffi.Shape", "");
  assert_true(remove_name("my.f"));
  check_fails(tvmffi_global_metadata("my.f", 4, &metadata), "RuntimeError",
              "Global Function is not found: my.f");
  check_fails(tvmffi_global_metadata("my.none", 7, &metadata), "RuntimeError",
              "Global Function is not found: my.none");
}

/* Short metadata is a small string, as any other text is, and needs no object. */
TEST(test_short_metadata_is_small) {
  TVMFFIAny metadata = tvmffi_any_none();
  set_described("my.f", "{ 5678}");
  check_ok(tvmffi_global_metadata("my.f", 4, &metadata));
  assert_int_equal(metadata.type_index, kTVMFFISmallStr);
  check_metadata("my.f", "{ 5678}");
  set_described("my.f", "{ 56789}");
  check_ok(tvmffi_global_metadata("my.f", 4, &metadata));
  assert_int_equal(metadata.type_index, kTVMFFIStr);
  check_release(&metadata);
  assert_true(remove_name("my.f"));
}

TEST(test_metadata_without_data) {
  TVMFFIMethodInfo info;
  memset(&info, 0, sizeof info);
  info.name = check_bytes("my.f");
  info.metadata.size = 5;
  info.doc.size = 5;
  info.method = tvmffi_any_object(function);
  check_ok(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
  check_metadata("my.f", "");
}

FIXTURE(make_function) {
  return TVMFFIFunctionCreate(NULL, call_nothing, NULL, &function);
}

/* Checks that no name holds the function any more. */
FIXTURE(shut_down) {
  TVMFFIRuntimeShutdown();
  if (check_use_count(function) != 1) return -1;
  return TVMFFIObjectDecRef(function);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, make_function, shut_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      ROW(test_names_come_in_the_order_of_setting),
      ROW(test_removed_names_are_not_listed),
      ROW(test_a_list_is_a_snapshot),
      ROW(test_names_that_are_added_while_they_are_listed),
      ROW(test_names_that_were_removed_take_no_room_in_lists),
      ROW(test_built_in_names_come_first),
      ROW(test_refused_questions),
      ROW(test_metadata),
      ROW(test_short_metadata_is_small),
      ROW(test_metadata_without_data),
  };
  TVMFFIRuntimeMemoryHooks hooks;
  hooks.allocate = allocate_and_add;
  hooks.deallocate = deallocate;
  hooks.context = NULL;
  if (TVMFFIRuntimeSetMemoryHooks(&hooks) != 0) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
