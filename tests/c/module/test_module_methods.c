/* SPDX-License-Identifier: Apache-2.0 */
/* What the library does around a module's callbacks; test_custom.c tests what callbacks may do. */
#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "core/string_object.h"
#include "module/library.h"
#include "module/module.h"

/* A module with one function and one text, named by the letter that self points at. */
static int num_asked;

static int give_letter(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_int(*(const char *)handle);
  return 0;
}

static bool is_mine(const void *self, const TVMFFIByteArray *name) {
  ++num_asked;
  return name->size == 1 && name->data[0] == *(const char *)self;
}

static int get_letter(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                      TVMFFIObjectHandle *out) {
  (void)module;
  if (tvmffi_bytes_are(name, "!")) {
    TVMFFIErrorSetRaisedFromCStr("KeyError", "refused");
    return -1;
  }
  return is_mine(self, name) ? TVMFFIFunctionCreate(self, give_letter, NULL, out) : 0;
}

static int describe(void *self, const TVMFFIByteArray *name, TVMFFIAny *out) {
  return is_mine(self, name) ? tvmffi_string_to_any(self, 1, out) : 0;
}

static int implements(void *self, const TVMFFIByteArray *name, int *out) {
  *out = is_mine(self, name);
  return 0;
}

static const TVMFFIRuntimeModuleVTable kLetter = {.struct_size = sizeof kLetter,
                                                  .kind = "letter",
                                                  .property_mask = -1,
                                                  .get_function = get_letter,
                                                  .implements_function = implements,
                                                  .get_function_metadata = describe,
                                                  .get_function_doc = describe};
static const TVMFFIRuntimeModuleVTable kPlain = {
    .struct_size = sizeof kPlain, .kind = "plain", .get_function = get_letter};

static char kLetters[] = "abcd";
static TVMFFIObject
    *tree[4]; /* a imports b and d, b imports c; c has no methods but get_function */

FIXTURE(make_tree) {
  int i;
  for (i = 0; i < 4; ++i) {
    TVMFFIObjectHandle module;
    check_ok(TVMFFIRuntimeModuleCreate(i == 2 ? &kPlain : &kLetter, &kLetters[i], &module));
    tree[i] = module;
  }
  import_module(tree[0], tree[1]);
  import_module(tree[1], tree[2]);
  import_module(tree[0], tree[3]);
  num_asked = 0;
  return 0;
}

FIXTURE(release_tree) {
  int i;
  for (i = 0; i < 4; ++i) TVMFFIObjectDecRef(tree[i]);
  return 0;
}

/* ---- Queries ---- */

static TVMFFIAny ask(tvmffi_module_method method, const char *name, bool query_imports) {
  TVMFFIAny text = tvmffi_any_raw_str(name), result;
  num_asked = 0;
  check_ok(tvmffi_module_query(tree[0], method, &text, query_imports, &result));
  return result;
}

TEST(test_a_module_is_asked_first) {
  TVMFFIAny result = ask(kTvmffiModuleGetFunction, "a", true);
  assert_int_equal(num_asked, 1);
  check_release(&result);
  result = ask(kTvmffiModuleImplementsFunction, "a", true);
  assert_int_equal(result.v_int64, 1);
  assert_int_equal(num_asked, 1);
  result = ask(kTvmffiModuleGetDoc, "a", true);
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  assert_int_equal(num_asked, 1);
}

TEST(test_imports_are_asked_on_request) {
  TVMFFIAny result = ask(kTvmffiModuleGetFunction, "d", false);
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(num_asked, 1);
  result = ask(kTvmffiModuleGetFunction, "d", true);
  assert_int_equal(result.type_index, kTVMFFIFunction);
  assert_int_equal(num_asked, 4); /* a, b, c, d */
  check_release(&result);
  result = ask(kTvmffiModuleGetFunction, "c", true);
  assert_int_equal(num_asked, 3);
  check_release(&result);
  result = ask(kTvmffiModuleImplementsFunction, "d", false);
  assert_int_equal(result.v_int64, 0);
  result = ask(kTvmffiModuleImplementsFunction, "d", true);
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  result = ask(kTvmffiModuleImplementsFunction, "c", true);
  assert_int_equal(result.v_int64, 1); /* from its get_function */
  result = ask(kTvmffiModuleImplementsFunction, "e", true);
  assert_int_equal(result.v_int64, 0);
  result = ask(kTvmffiModuleGetMetadata, "d", true);
  assert_int_equal(result.v_bytes[0], 'd');
  assert_int_equal(num_asked, 3); /* c has no such method */
  result = ask(kTvmffiModuleGetDoc, "e", true);
  assert_int_equal(result.type_index, kTVMFFINone);
}

/* A module that fails ends the query, and the collected modules are released. */
TEST(test_a_query_that_fails) {
  TVMFFIAny name = tvmffi_any_raw_str("!"), result;
  check_fails(tvmffi_module_query(tree[0], kTvmffiModuleGetFunction, &name, true, &result),
              "KeyError", "refused");
  assert_int_equal(result.type_index, kTVMFFINone);
  check_fails(tvmffi_module_query(tree[0], kTvmffiModuleImplementsFunction, &name, true, &result),
              "KeyError", "refused"); /* by c; `implements` of a does not fail */
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(tree[0]), 1);
  assert_int_equal(check_use_count(tree[2]), 2);
}

/* ---- Defaults for methods that a module does not have ---- */

TEST(test_defaults) {
  TVMFFIAny name = tvmffi_any_raw_str("x"), args[2], result;
  check_ok(tvmffi_module_call(tree[2], kTvmffiModulePropertyMask, NULL, &result));
  assert_int_equal(result.v_int64, 0);
  check_ok(tvmffi_module_call(tree[0], kTvmffiModulePropertyMask, NULL, &result));
  assert_int_equal(result.v_int64, -1);
  check_ok(tvmffi_module_call(tree[2], kTvmffiModuleGetDoc, &name, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_ok(tvmffi_module_call(tree[2], kTvmffiModuleGetMetadata, &name, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_ok(tvmffi_module_call(tree[2], kTvmffiModuleInspectSource, &name, &result));
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  assert_int_equal(result.small_str_len, 0);
  check_ok(tvmffi_module_call(tree[2], kTvmffiModuleGetWriteFormats, NULL, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  assert_int_equal(tvmffi_array_size(result.v_obj), 0);
  assert_int_equal(check_use_count(result.v_obj), 1); /* a new Array each time */
  check_release(&result);
  args[0] = args[1] = name;
  check_fails(tvmffi_module_call(tree[2], kTvmffiModuleWriteToFile, args, &result), "RuntimeError",
              "Module[plain] does not support WriteToFile");
  check_fails(tvmffi_module_call(tree[2], kTvmffiModuleSaveToBytes, NULL, &result), "RuntimeError",
              "Module[plain] does not support SaveToBytes");
}

/* The built-in library module has the same defaults. */
TEST(test_defaults_of_a_library) {
  TVMFFIObject *library = get_system_lib("test_module_methods_");
  TVMFFIAny format = tvmffi_any_raw_str("c"), result;
  check_fails(tvmffi_module_call(library, kTvmffiModuleSaveToBytes, NULL, &result), "RuntimeError",
              "Module[library] does not support SaveToBytes");
  check_ok(tvmffi_module_call(library, kTvmffiModuleInspectSource, &format, &result));
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  check_ok(tvmffi_module_call(library, kTvmffiModuleGetWriteFormats, NULL, &result));
  assert_int_equal(tvmffi_array_size(result.v_obj), 0);
  check_release(&result);
  TVMFFIObjectDecRef(library);
}

TEST(test_texts_of_every_form) {
  TVMFFIByteArray bytes = check_bytes("a name of some length");
  TVMFFIAny forms[3], result;
  int i;
  forms[0] = tvmffi_any_raw_str("a");
  check_ok(tvmffi_string_to_any("a", 1, &forms[1]));
  check_ok(TVMFFIStringFromByteArray(&bytes, &forms[2]));
  for (i = 0; i < 3; ++i) {
    check_ok(tvmffi_module_call(tree[0], kTvmffiModuleImplementsFunction, &forms[i], &result));
    assert_int_equal(result.v_int64, i < 2);
  }
  check_release(&forms[2]);
}

/* ---- Imports ---- */

TEST(test_importing) {
  TVMFFIAny other = tvmffi_any_object(tree[0]), result;
  TVMFFIObject *imports = tvmffi_imports_get(tree[0]);
  assert_int_equal(tvmffi_array_size(imports), 2);
  assert_int_equal(check_use_count(imports), 2);
  check_fails(tvmffi_module_call(tree[1], kTvmffiModuleImport, &other, &result), "RuntimeError",
              "Cyclic dependency detected during import");
  other = tvmffi_any_object(tree[2]);
  check_ok(tvmffi_module_call(tree[3], kTvmffiModuleImport, &other, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(tree[2]), 3);
  check_ok(tvmffi_module_call(tree[0], kTvmffiModuleClearImports, NULL, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  assert_int_equal(tvmffi_array_size(imports), 2); /* the Array taken before is unchanged */
  assert_int_equal(check_use_count(imports), 1);
  TVMFFIObjectDecRef(imports);
  imports = tvmffi_imports_get(tree[0]);
  assert_int_equal(tvmffi_array_size(imports), 0);
  TVMFFIObjectDecRef(imports);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, make_tree, release_tree)

RUN_TESTS({
    ROW(test_a_module_is_asked_first),
    ROW(test_imports_are_asked_on_request),
    ROW(test_a_query_that_fails),
    ROW(test_defaults),
    ROW(test_defaults_of_a_library),
    ROW(test_texts_of_every_form),
    ROW(test_importing),
})
