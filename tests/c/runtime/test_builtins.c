/* SPDX-License-Identifier: Apache-2.0 */
/* The set of built-in functions and their metadata. Arguments: test_builtins_arguments.c. */
#include "core/builtins.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/builtins_support.h"
#include "core/any.h"
#include "core/global.h"
#include "support/check.h"

static char seen[kNumBuiltins];

TEST(test_every_function_is_known_and_there_once) {
  const tvmffi_builtin_group *group;
  size_t number, i;
  for (number = 0; (group = tvmffi_parts_functions(number)) != NULL; ++number) {
    const char *texts = group->texts;
    for (i = 0; i < group->count; ++i) {
      tvmffi_builtin builtin;
      int row;
      texts = tvmffi_builtin_read(texts, &builtin);
      row = find_row(builtin.name);
      if (row < 0 || seen[row]) print_error("%s\n", builtin.name);
      assert_true(row >= 0);
      assert_false(seen[row]);
      seen[row] = 1;
    }
  }
  assert_true(seen[find_row("ffi.GetInvalidObject")]);
  assert_true(seen[find_row("ffi.GetKwargsObject")]);
  assert_true(seen[find_row("ffi.FunctionListGlobalNamesFunctor")]);
}

/* Appends text with its quotes escaped, as it appears inside the metadata. */
static void append(char *out, size_t size, const char *text) {
  size_t end = strlen(out);
  for (; *text != '\0'; ++text) {
    assert_true(end + 3 < size);
    if (*text == '"') out[end++] = '\\';
    out[end++] = *text;
  }
  out[end] = '\0';
}

/* Appends a list of schemas: "int, Optional<Any>". */
static void append_schemas(char *out, size_t size, const char *list) {
  const char *p = list;
  while (*p != '\0') {
    char type[64];
    size_t length = strcspn(p, "<>,");
    if (length != 0) {
      assert_true(length < sizeof type);
      memcpy(type, p, length);
      type[length] = '\0';
      append(out, size, "{\"type\":\"");
      append(out, size, type);
      append(out, size, "\"");
      p += length;
      if (*p == '<') {
        append(out, size, ",\"args\":[");
        ++p;
        continue;
      }
      append(out, size, "}");
    }
    if (*p == '>') append(out, size, "]}");
    if (*p == ',') append(out, size, ",");
    if (*p != '\0') ++p;
    while (*p == ' ') ++p;
  }
}

static void check_metadata(int row) {
  char expected[1024] = "{\"type_schema\":\"";
  TVMFFIAny metadata = tvmffi_any_none();
  append(expected, sizeof expected, "{\"type\":\"ffi.Function\"");
  if (kBuiltins[row].signature != NULL) {
    append(expected, sizeof expected, ",\"named_args\":{\"return\":[");
    append_schemas(expected, sizeof expected, kBuiltins[row].result);
    append(expected, sizeof expected, "],\"params\":[");
    append_schemas(expected, sizeof expected, kBuiltins[row].params);
    append(expected, sizeof expected, "]}");
  }
  append(expected, sizeof expected, "}");
  strcat(expected, "\"}");
  check_ok(tvmffi_global_metadata(kBuiltins[row].name, strlen(kBuiltins[row].name), &metadata));
  check_str(&metadata, expected);
}

TEST(test_metadata) {
  TVMFFIAny metadata = tvmffi_any_none();
  for_each(check_metadata);
  check_ok(tvmffi_global_metadata("ffi.FunctionFromExternC", 23, &metadata)); /* one whole text */
  assert_string_equal(
      TVMFFIBytesGetByteArrayPtr(metadata.v_obj)->data,
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":"
      "[{\\\"type\\\":\\\"ffi.Function\\\"}],\\\"params\\\":[{\\\"type\\\":\\\"void*\\\"},"
      "{\\\"type\\\":\\\"void*\\\"},{\\\"type\\\":\\\"void*\\\"}]}}\"}");
  check_release(&metadata);
}

/* Types behind a type in brackets: no built-in has such a result yet. */
TEST(test_metadata_of_nested_types) {
  char expected[512] = "{\"type_schema\":\"";
  tvmffi_buf text = TVMFFI_BUF_INIT;
  tvmffi_builtin_append_metadata(&text, "(?i(@sb)@(i)F)");
  append_schemas(expected, sizeof expected,
                 "Tuple<Optional<int>, Tuple<ffi.Array<ffi.String>, bool>, ffi.Array<Tuple<int>>, "
                 "ffi.Function>");
  strcat(expected, "\"}");
  assert_false(text.failed);
  assert_int_equal(text.size, strlen(expected));
  assert_memory_equal(text.data, expected, text.size);
  tvmffi_buf_fini(&text);
}

RUN_TESTS({
    test_and_shut_down(test_every_function_is_known_and_there_once),
    test_and_shut_down(test_metadata),
    test_and_shut_down(test_metadata_of_nested_types),
})
