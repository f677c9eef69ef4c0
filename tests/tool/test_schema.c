/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures from the metadata that runtimes write, and from malformed or hostile metadata. */
#include <tvm/ffi/c.h>

#include "support/check.h"

#include "value/schema.h"

#define T TVM_FFI_C_TYPE
#define OF TVM_FFI_C_TYPE_OF
/* Metadata of one type, and of a function as releases from 0.1.15 on and earlier ones write it. */
#define SCHEMA(type) "{\"type_schema\":\"" type "\"}"
#define FUNCTION(result, params)                                                   \
  "{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":[" result \
  "],\\\"params\\\":[" params "]}}"
#define OLD_FUNCTION(args) OF("ffi.Function", args)
#define PARAM(name, type) "{\\\"type\\\":\\\"" type "\\\",\\\"name\\\":\\\"" name "\\\"}"

static void check_signature(const char *metadata, const char *expected) {
  char *signature = schema_describe(metadata, strlen(metadata));
  if (expected == NULL) {
    assert_null(signature);
  } else {
    assert_non_null(signature);
    assert_string_equal(signature, expected);
  }
  free(signature);
  check_not_raised();
}

/* Checks the type as the parameter of a function. */
#define check_type(type, expected) \
  check_signature(SCHEMA(FUNCTION(T("None"), type)), "(_0: " expected ") -> None")

TEST(test_functions) {
  check_signature(SCHEMA(FUNCTION(T("int"), T("int") "," T("int"))), "(_0: int, _1: int) -> int");
  check_signature(SCHEMA(OLD_FUNCTION(T("int") "," T("float"))), "(_0: float) -> int");
  check_signature(SCHEMA(FUNCTION(T("None"), "")), "() -> None");
  check_signature(SCHEMA(OLD_FUNCTION(T("None"))), "() -> None");
  check_signature(SCHEMA(T("ffi.Function")), "(...) -> Any");
  check_signature(
      "{\"doc\":1,\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"x\\\":[]}\"}",
      "(...) -> Any");
}

TEST(test_names_of_parameters) {
  check_signature(SCHEMA(FUNCTION(T("None"), PARAM("x", "DLTensor*") "," PARAM(
                                                 "s", "float") "," PARAM("y", "DLTensor*"))),
                  "(x: Tensor, s: float, y: Tensor) -> None");
  check_signature(SCHEMA(FUNCTION(T("None"), T("int") "," PARAM("n", "int"))),
                  "(_0: int, n: int) -> None");
  /* Not valid names, or not unique ones. */
  check_type(PARAM("", "int"), "int");
  check_type(PARAM("1x", "int"), "int");
  check_type(PARAM("_3", "int"), "int");
  check_type(PARAM("x) { exit(1); } int f(int y", "int"), "int");
  check_type("{\\\"type\\\":\\\"int\\\",\\\"name\\\":[3]}", "int");
  check_signature(SCHEMA(FUNCTION(T("None"), PARAM("x", "int") "," PARAM("x", "float"))),
                  "(x: int, _1: float) -> None");
}

TEST(test_defaults) {
#define MAY_BE_LEFT_OUT(value) \
  "{\\\"type\\\":\\\"Optional\\\",\\\"args\\\":[" T("int") "],\\\"default\\\":" value "}"
  check_signature(
      SCHEMA(FUNCTION(T("None"), T("int") "," MAY_BE_LEFT_OUT("null") "," MAY_BE_LEFT_OUT("null"))),
      "(_0: int, _1: Optional[int] = None, _2: Optional[int] = None) -> None");
  /* No default before a parameter that is required, and none for another value than null. */
  check_signature(SCHEMA(FUNCTION(T("None"), MAY_BE_LEFT_OUT("null") "," T("int"))),
                  "(_0: Optional[int], _1: int) -> None");
  check_type(MAY_BE_LEFT_OUT("3"), "Optional[int]");
  check_signature(
      SCHEMA(FUNCTION(T("None"), T("int") ",{\\\"type\\\":\\\"Any\\\",\\\"default\\\":null}")),
      "(_0: int, _1: Any = None) -> None");
  /* No default for a type that does not take None. */
  check_signature(SCHEMA(FUNCTION(T("None"), "{\\\"type\\\":\\\"int\\\",\\\"default\\\":null}")),
                  "(_0: int) -> None");
}

TEST(test_types) {
  check_type(T("Any"), "Any");
  check_type(T("bool"), "bool");
  check_type(T("void*"), "void*");
  check_type(T("DataType"), "dtype");
  check_type(T("Device"), "Device");
  check_type(T("const char*"), "str");
  check_type(T("ffi.String"), "str");
  check_type(T("TVMFFIByteArray*"), "bytes");
  check_type(T("ffi.Tensor"), "Tensor");
  check_type(T("ffi.Shape"), "Shape");
  check_type(T("ffi.Module"), "Module");
  check_type(T("ffi.reflection.AccessPath"), "ffi.reflection.AccessPath");
  check_type(OF("Optional", T("float")), "Optional[float]");
  check_type(OF("std::vector", T("int")), "Array[int]");
  check_type(T("ffi.List"), "List");
  check_type("{\\\"type\\\":\\\"std::array\\\",\\\"args\\\":[" T("int") ",3]}", "Array[int]");
  check_type(OF("ffi.Map", T("ffi.String") "," OF("ffi.Array", T("DLTensor*"))),
             "Map[str, Array[Tensor]]");
  check_type(OF("ffi.Dict", T("Any") "," T("Any")), "Dict[Any, Any]");
  check_type(OF("Variant", T("int") "," T("ffi.String")), "Union[int, str]");
  check_type(OF("Tuple", T("int") "," T("bool")), "Tuple[int, bool]");
  check_type(FUNCTION(T("int"), T("float")), "Callable[[float], int]");
  check_type("{\\\"type\\\":\\\"std::function\\\",\\\"args\\\":[" T("int") ",[" T("bool") "]]}",
             "Callable[[bool], int]");
  check_type(T("ffi.Function"), "Callable");
  check_type(OF("Expected", T("int") "," T("ffi.Error")), "Expected[int, ffi.Error]");
  check_type(OF("ObjectRValueRef", T("ffi.Tensor")), "Tensor");
  check_type("{\\\"type\\\":\\\"new\\\",\\\"fallback\\\":" T("int") "}", "int");
  check_type("{\\\"type\\\":\\\"new\\\",\\\"fallback\\\":7}", "new");
}

TEST(test_what_is_no_function) {
  check_signature("", NULL);
  check_signature("nonsense", NULL);
  check_signature("[]", NULL);
  check_signature("{}", NULL);
  check_signature("{\"type_schema\":7}", NULL);
  check_signature("{\"type_schema\":\"\"}", NULL);
  check_signature("{\"type_schema\":\"[]\"}", NULL);
  check_signature("{\"type_schema\":\"{}\"}", NULL);
  check_signature(SCHEMA(T("int")), NULL);
  check_signature(SCHEMA(OF("ffi.Function", "7")), "(...) -> Any");
  check_signature(SCHEMA(OF("ffi.Function", "\\\"int\\\"")), NULL);
  check_signature(SCHEMA(FUNCTION("", T("int"))), NULL);
  check_signature(SCHEMA(FUNCTION(T("int") "," T("int"), "")), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), T("Optional"))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), OF("Optional", T("int") "," T("int")))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), OF("ffi.Array", "[" T("int") "]"))), NULL);
  check_signature(SCHEMA("{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{}}"), NULL);
  /* Names that would act on a terminal or end a comment. */
  check_signature(SCHEMA(FUNCTION(T("None"), T(""))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), T("*/ x"))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), T("\\\\u001b[2J"))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), T("\\\\u0000"))), NULL);
  check_signature(SCHEMA(FUNCTION(T("None"), T("\\\\n#include"))), NULL);
}

/* The text `before` n times, then the middle, then the text `after` n times. */
static char *nest(const char *before, const char *middle, const char *after, size_t n) {
  size_t size = n * (strlen(before) + strlen(after)) + strlen(middle) + 1, i;
  char *nested = malloc(size), *cursor = nested;
  assert_non_null(nested);
  for (i = 0; i < n; ++i) cursor += sprintf(cursor, "%s", before);
  cursor += sprintf(cursor, "%s", middle);
  for (i = 0; i < n; ++i) cursor += sprintf(cursor, "%s", after);
  return nested;
}

static void check_nested(const char *before, const char *middle, const char *after, size_t n,
                         const char *beginning) {
  char *type = nest(before, middle, after, n), *metadata, *signature;
  size_t size;
  metadata = malloc(strlen(type) + 200);
  assert_non_null(metadata);
  size = (size_t)sprintf(metadata, SCHEMA(FUNCTION(T("None"), "%s")), type);
  signature = schema_describe(metadata, size);
  if (beginning == NULL) {
    assert_null(signature);
  } else {
    assert_non_null(signature);
    assert_memory_equal(signature, beginning, strlen(beginning));
  }
  free(signature);
  free(metadata);
  free(type);
  check_not_raised();
}

TEST(test_deep_and_wide) {
  const char *before = "{\\\"type\\\":\\\"ffi.Array\\\",\\\"args\\\":[", *after = "]}";
  check_nested(before, T("int"), after, 40, "(_0: Array[Array[");
  check_nested(before, T("int"), after, 60, NULL);
  check_nested(before, T("int"), after, 100000, NULL);
  check_nested("[", "", "]", 100000, NULL);
  check_nested("{\\\"type\\\":\\\"new\\\",\\\"fallback\\\":", T("int"), "}", 100000,
               "(_0: new) -> None");
  check_nested(T("int") ",", T("int"), "", 900, "(_0: int, _1: int, ");
  check_nested(PARAM("x", "int") ",", T("int"), "", 100000, NULL);
}

/* Every prefix of a text, and every text with one character changed: no crash and no error. */
TEST(test_every_change) {
  static const char kText[] =
      SCHEMA(FUNCTION(OF("Optional", T("int")),
                      PARAM("x", "DLTensor*") "," OF("ffi.Map", T("ffi.String") "," T("Any"))));
  static const char kLetters[] = "{}[]\",:\\ax7\x80";
  char changed[sizeof kText];
  size_t i, k;
  check_signature(kText, "(x: Tensor, _1: Map[str, Any]) -> Optional[int]");
  for (i = 0; i < sizeof kText - 1; ++i) {
    assert_null(schema_describe(kText, i));
    for (k = 0; k < sizeof kLetters; ++k) {
      memcpy(changed, kText, sizeof kText);
      changed[i] = kLetters[k];
      free(schema_describe(changed, sizeof kText - 1));
      check_not_raised();
    }
  }
}

TEST(test_the_tree) {
  static const char kText[] =
      SCHEMA(FUNCTION(OF("Optional", OF("Optional", T("int"))),
                      PARAM("x", "DLTensor*") "," OF("Optional", T("ffi.Tensor"))));
  schema_type *function = schema_parse(kText, sizeof kText - 1);
  assert_non_null(function);
  assert_int_equal(function->kind, kSchemaFunction);
  assert_true(schema_is_typed(function));
  assert_int_equal(schema_num_params(function), 2);
  assert_int_equal(schema_param(function, 0)->kind, kSchemaTensorView);
  assert_string_equal(schema_param(function, 0)->name, "DLTensor*");
  assert_string_equal(schema_param(function, 0)->parameter, "x");
  assert_int_equal(schema_param(function, 1)->kind, kSchemaOptional);
  assert_int_equal(schema_required(schema_param(function, 1))->kind, kSchemaTensor);
  assert_null(schema_param(function, 2));
  assert_int_equal(schema_required(schema_result(function))->kind, kSchemaInt);
  assert_null(schema_required(NULL));
  schema_free(function);

  function = schema_parse(SCHEMA(T("ffi.Function")), strlen(SCHEMA(T("ffi.Function"))));
  assert_non_null(function);
  assert_false(schema_is_typed(function));
  assert_null(schema_result(function));
  assert_null(schema_param(function, 0));
  schema_free(function);
  schema_free(NULL);
}

RUN_TESTS({
    cmocka_unit_test(test_functions),
    cmocka_unit_test(test_names_of_parameters),
    cmocka_unit_test(test_defaults),
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_what_is_no_function),
    cmocka_unit_test(test_deep_and_wide),
    cmocka_unit_test(test_every_change),
    cmocka_unit_test(test_the_tree),
})
