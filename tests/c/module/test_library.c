/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"

#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "core/string_object.h"
#include "support/thread.h"

static int closed; /* how often the destructor of kernels.so ran */

FIXTURE(set_up) {
  static int is_registered;
  closed = 0;
  if (!is_registered) check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  is_registered = 1;
  return 0;
}

/* The library is unloaded with its last module. */
static TVMFFIObject *load_for_unloading(const char *file) {
  TVMFFIObject *module = load(file);
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  return module;
}

static void *context_of(TVMFFIObject *module) {
  return tvmffi_module_to_cxx(module);
}

/* Returns the value of __tvm_ffi__library_ctx that the library's code sees. */
static void *seen_context(void *get_context) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(get_context, NULL, 0, &result));
  return result.type_index == kTVMFFINone ? NULL : result.v_ptr;
}

/* ---- Functions ---- */

TEST(test_calling_kernels) {
  TVMFFIObject *module = load_for_unloading("kernels.so");
  TVMFFIAny args[2], result;
  args[0] = tvmffi_any_int(20);
  args[1] = tvmffi_any_int(22);
  check_ok(call_function(module, "add", args, 2, &result));
  assert_int_equal(result.v_int64, 42);
  assert_int_equal(call_int(module, "main"), 1);
  assert_int_equal(call_int(module, "has_no_handle"), 1);
  check_fails(call_function(module, "raise", NULL, 0, &result), "ValueError", "raised by a kernel");
  check_fails(call_function(module, "add", args, 1, &result), "TypeError", NULL);
  args[0] = tvmffi_any_int(-7);
  assert_int_equal(call_function(module, "return_code", args, 1, &result), -7);
  check_not_raised(); /* a kernel is called directly, so no error is made up */
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

TEST(test_each_time_another_function) {
  TVMFFIObject *module = load_for_unloading("kernels.so");
  TVMFFIObject *a = get_function(module, "add", 0), *b = get_function(module, "add", 1);
  assert_ptr_not_equal(a, b);
  assert_true(TVMFFIFunctionGetCellPtr(a)->cpp_call == NULL);
  assert_int_equal(check_use_count(module), 3);
  TVMFFIObjectDecRef(module);
  TVMFFIObjectDecRef(a);
  assert_int_equal(closed, 0); /* a function keeps its library open */
  TVMFFIObjectDecRef(b);
  check_closed(closed, 1);
}

TEST(test_names_that_are_no_function) {
  static const char *const names[] = {
      "", "nope", "__tvm_ffi_main", "_library_ctx", "_library_bin", "ADD"};
  TVMFFIObject *module = load("kernels.so");
  TVMFFIAny result;
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    assert_null(get_function(module, names[i], 1));
    check_ok(call_on(module, "ffi.ModuleImplementsFunction", names[i], 0, &result));
    assert_int_equal(result.v_int64, 0);
  }
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "add", 0, &result));
  assert_int_equal(result.v_int64, 1);
  TVMFFIObjectDecRef(module);
}

TEST(test_L_14_names_with_a_nul) {
  TVMFFIObject *module = load("kernels.so");
  TVMFFIAny args[3], result;
  int found;
  for (found = 0; found < 2; ++found) { /* before and after "add" is in the cache */
    args[0] = tvmffi_any_object(module);
    check_ok(tvmffi_string_to_any("add\0x", 5, &args[1]));
    args[2] = tvmffi_any_bool(0);
    check_ok(call_global("ffi.ModuleGetFunction", args, 3, &result));
    assert_int_equal(result.type_index, kTVMFFINone);
    check_ok(call_global("ffi.ModuleGetFunctionMetadata", args, 3, &result));
    assert_int_equal(result.type_index, kTVMFFINone);
    args[1] = tvmffi_any_raw_str("add");
    check_ok(call_global("ffi.ModuleGetFunction", args, 3, &result));
    assert_int_equal(result.type_index, kTVMFFIFunction);
    check_release(&result);
  }
  TVMFFIObjectDecRef(module);
}

/* ---- Metadata ---- */

TEST(test_metadata_and_doc) {
  TVMFFIObject *module = load("kernels.so");
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "add", 0, &result));
  check_str(&result, "{\"type_schema\":\"a schema\"}");
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "add", 0, &result));
  check_str(&result, "Add two integers.");
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "raise", 0, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  TVMFFIObjectDecRef(module);
}

TEST(test_F_20_empty_metadata) {
  TVMFFIObject *module = load("kernels.so");
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "raise", 0, &result));
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  assert_int_equal(result.small_str_len, 0);
  TVMFFIObjectDecRef(module);
}

TEST(test_F_33_texts_outlive_the_library) {
  TVMFFIObject *module = load_for_unloading("kernels.so");
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "own", 0, &result));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
  check_str(&result, "text that stands in the library");
}

TEST(test_metadata_functions_that_fail) {
  TVMFFIObject *module = load("kernels.so");
  TVMFFIAny result;
  check_fails(call_on(module, "ffi.ModuleGetFunctionMetadata", "wrong_type", 0, &result),
              "TypeError", "Cannot convert from type `int` to `str`");
  check_fails(call_on(module, "ffi.ModuleGetFunctionDoc", "failing", 0, &result), "KeyError",
              "no doc today");
  check_fails(call_on(module, "ffi.ModuleGetFunctionDoc", "failing_silently", 0, &result),
              "InternalError", "callee returned -2 without setting an error");
  TVMFFIObjectDecRef(module);
}

/* ---- One file, several modules ---- */

TEST(test_L_15_the_context_is_the_newest_living_module) {
  TVMFFIObject *a = load_for_unloading("kernels.so"), *b = load_for_unloading("kernels.so"), *c,
               *look;
  assert_ptr_not_equal(a, b);
  look = get_function(a, "get_context", 0);
  assert_ptr_equal(seen_context(look), context_of(b));
  TVMFFIObjectDecRef(b); /* the newest module dies: the one before it is the context */
  assert_ptr_equal(seen_context(look), context_of(a));
  b = load_for_unloading("kernels.so");
  c = load_for_unloading("kernels.so");
  assert_ptr_equal(seen_context(look), context_of(c));
  TVMFFIObjectDecRef(b); /* a module that is not the newest dies: no change */
  assert_ptr_equal(seen_context(look), context_of(c));
  TVMFFIObjectDecRef(a);
  TVMFFIObjectDecRef(c);
  assert_ptr_equal(seen_context(look), context_of(a)); /* the function keeps module a */
  assert_int_equal(closed, 0);
  TVMFFIObjectDecRef(look);
  check_closed(closed, 1);
}

TEST(test_the_last_module_closes_the_file) {
  TVMFFIObject *modules[10];
  int i;
  for (i = 0; i < 10; ++i) modules[i] = load_for_unloading("kernels.so");
  for (i = 0; i < 10; ++i) {
    assert_int_equal(closed, 0);
    TVMFFIObjectDecRef(modules[(i * 7) % 10]);
  }
  check_closed(closed, 1);
}

/* Returns NULL on success. */
static void *load_and_call(void *path) {
  void *failed = NULL;
  int i;
  for (i = 0; i < 200; ++i) {
    TVMFFIObject *module;
    if (load_file(path, &module) != 0) return path;
    if (call_int(module, "main") != 1) failed = path;
    TVMFFIObjectDecRef(module);
  }
  return failed;
}

TEST(test_threads_load_the_same_file) {
  TVMFFIObject *module = load_for_unloading("kernels.so");
  void *(*const bodies[4])(void *) = {load_and_call, load_and_call, load_and_call, load_and_call};
  char path[4096];
  (void)snprintf(path, sizeof path, "%s", module_path("kernels.so"));
  assert_int_equal(thread_count_results(4, bodies, path), 0);
  assert_int_equal(closed, 0);
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
  /* again, with no other module that holds the library open */
  assert_int_equal(thread_count_results(4, bodies, path), 0);
}

/* ---- Imports of a library ---- */

TEST(test_kernels_call_imports) {
  TVMFFIObject *module = load_for_unloading("kernels.so"),
               *imported = get_system_lib("test_library_");
  TVMFFIAny name = tvmffi_any_raw_str("nine"), result;
  check_fails(call_function(module, "call_import", &name, 1, &result), "RuntimeError",
              "Cannot find function nine in the imported modules or global registry.");
  check_ok(
      TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_test_library_nine", address_of(call_seven)));
  import_module(module, imported);
  check_ok(call_function(module, "call_import", &name, 1, &result));
  assert_int_equal(result.v_int64, 7);
  TVMFFIObjectDecRef(imported);
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

/*
 * Closing a library runs its code, which may release our objects, and those may own others. All of
 * them must be destroyed before the code is unloaded.
 */
TEST(test_closing_releases_what_the_library_keeps) {
  TVMFFIObject *module = load_for_unloading("kernels.so"), *array = tvmffi_array_new(2), *holder;
  TVMFFIAny value, result;
  value = tvmffi_any_object(tvmffi_string_new(kTVMFFIStr, "a text", 6));
  assert_int_equal(tvmffi_array_append(&array, &value), 0);
  value = tvmffi_any_object(array);
  check_ok(call_function(module, "keep", &value, 1, &result));
  assert_int_equal(check_use_count(array), 2);
  TVMFFIObjectDecRef(array);
  holder = tvmffi_array_new(1);
  value = tvmffi_any_object(module);
  assert_int_equal(tvmffi_array_append(&holder, &value), 0);
  TVMFFIObjectDecRef(holder); /* the module is destroyed during the destruction of an array */
  check_closed(closed, 1);
}

/* The library needs libtvm_ffi.so, but the program has the archive: it uses the program's copy. */
TEST(test_a_library_that_names_the_shared_runtime) {
  TVMFFIObject *module = load("kernels_named.so");
  TVMFFIAny result;
  assert_int_equal(call_int(module, "main"), 1);
  check_fails(call_function(module, "raise", NULL, 0, &result), "ValueError", "raised by a kernel");
  TVMFFIObjectDecRef(module);
}

RUN_TESTS({
    cmocka_unit_test_setup(test_calling_kernels, set_up),
    cmocka_unit_test_setup(test_each_time_another_function, set_up),
    cmocka_unit_test_setup(test_names_that_are_no_function, set_up),
    cmocka_unit_test_setup(test_L_14_names_with_a_nul, set_up),
    cmocka_unit_test_setup(test_metadata_and_doc, set_up),
    cmocka_unit_test_setup(test_F_20_empty_metadata, set_up),
    cmocka_unit_test_setup(test_F_33_texts_outlive_the_library, set_up),
    cmocka_unit_test_setup(test_metadata_functions_that_fail, set_up),
    cmocka_unit_test_setup(test_L_15_the_context_is_the_newest_living_module, set_up),
    cmocka_unit_test_setup(test_the_last_module_closes_the_file, set_up),
    cmocka_unit_test_setup(test_threads_load_the_same_file, set_up),
    cmocka_unit_test_setup(test_kernels_call_imports, set_up),
    cmocka_unit_test_setup(test_closing_releases_what_the_library_keeps, set_up),
    cmocka_unit_test_setup(test_a_library_that_names_the_shared_runtime, set_up),
})
