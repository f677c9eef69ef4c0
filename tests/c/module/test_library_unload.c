/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>

#include "c/module_support.h"
#include "core/string_object.h"
#include "module/library.h"
#include "support/thread.h"

static int deleted; /* how often library code deleted something */
static int closed;  /* how often a library's destructor ran */

FIXTURE(set_up) {
  static int is_registered;
  deleted = closed = 0;
  if (is_registered) return 0;
  is_registered = 1;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_deleted", &deleted));
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  return 0;
}

static bool is_loaded(const char *file) {
  void *handle = dlopen(module_path(file), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return false;
  (void)dlclose(handle);
  return true;
}

/* Some libraries need a C++ compiler. */
static bool exists(const char *file) {
  return access(module_path(file), R_OK) == 0;
}

static TVMFFIAny leave(TVMFFIObject *module) {
  TVMFFIAny left = tvmffi_any_none();
  check_ok(call_function(module, "leave", NULL, 0, &left));
  return left;
}

static void check_gives_seven(TVMFFIObjectHandle function) {
  TVMFFIAny result = tvmffi_any_none();
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 7);
}

static void keep_message(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)snprintf(context, 256, "%s", message);
}

/* ---- Libraries stay loaded ---- */

TEST(test_a_library_stays_loaded) {
  static const char *const files[] = {"leave_nothing.so", "leave_a_function.so",
                                      "leftovers_cpp.so"};
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
    TVMFFIObject *module;
    TVMFFIAny left;
    if (!exists(files[i])) continue;
    module = load(files[i]);
    left = leave(module);
    TVMFFIObjectDecRef(module);
    assert_true(is_loaded(files[i]));
    if (left.type_index == kTVMFFIFunction) check_gives_seven(left.v_obj);
    deleted = 0;
    check_release(&left);
    assert_int_equal(deleted, i != 0);
  }
  assert_int_equal(closed, 0);
}

TEST(test_a_library_that_stayed_is_loaded_again) {
  TVMFFIObject *module = load("leave_a_function.so"), *again;
  void **context, *handle = dlopen(module_path("leave_a_function.so"), RTLD_LAZY | RTLD_NOLOAD);
  const void *identity = tvmffi_library_identity(module);
  TVMFFIAny left = leave(module);
  assert_non_null(handle);
  context = dlsym(handle, "__tvm_ffi__library_ctx");
  assert_ptr_equal(*context, tvmffi_module_to_cxx(module));
  TVMFFIObjectDecRef(module);
  assert_null(*context);
  again = load("leave_a_function.so");
  assert_ptr_equal(tvmffi_library_identity(again), identity);
  assert_ptr_equal(*context, tvmffi_module_to_cxx(again));
  TVMFFIObjectDecRef(again);
  (void)dlclose(handle);
  check_gives_seven(left.v_obj);
  check_release(&left);
}

/* ---- Libraries that may be unloaded ---- */

TEST(test_unloading) {
  static const char *const files[] = {"leave_nothing.so", "leave_nothing_along.so",
                                      "leave_a_function.so", "leftovers_cpp.so"};
  int round;
  size_t i;
  for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
    for (round = 0; round < 2 && exists(files[i]); ++round) {
      TVMFFIObject *module = load(files[i]);
      TVMFFIAny left;
      check_ok(TVMFFIRuntimeModuleAllowUnload(module));
      left = leave(module);
      if (i > 1) check_release(&left); /* others are of the runtime */
      closed = 0;
      TVMFFIObjectDecRef(module);
      check_closed(closed, 1);
      check_unloaded(is_loaded(files[i]));
      if (i == 1) check_unloaded(is_loaded("libleftovers_along.so"));
      if (i <= 1) check_release(&left);
    }
  }
}

/* The second library may lie where the first one was, with its function at the same address. */
TEST(test_names_in_backtraces) {
  static const struct {
    const char *file, *function;
  } cases[] = {{"kernels.so", "raise"}, {"kernels_other.so", "other"}, {"kernels.so", "raise"}};
  size_t i;
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    TVMFFIObject *module = load(cases[i].file);
    TVMFFIAny result = tvmffi_any_none();
    TVMFFIObjectHandle error;
    const TVMFFIByteArray *backtrace;
    char name[32];
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
    assert_int_equal(call_function(module, cases[i].function, NULL, 0, &result), -1);
    TVMFFIErrorMoveFromRaised(&error);
    backtrace = &((const TVMFFIErrorCell *)((char *)error + sizeof(TVMFFIObject)))->backtrace;
    (void)snprintf(name, sizeof name, "in __tvm_ffi_%s\n", cases[i].function);
    if (backtrace->size != 0) assert_non_null(strstr(backtrace->data, name));
    TVMFFIObjectDecRef(error);
    TVMFFIObjectDecRef(module);
  }
  (void)TVMFFIRuntimeSetBacktraceEnabled(0);
}

TEST(test_modules_and_functions_keep_it) {
  TVMFFIObject *module = load("leave_nothing.so"), *other = load("leave_nothing.so"), *function;
  TVMFFIAny left;
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  function = get_function(other, "leave", 0);
  TVMFFIObjectDecRef(module);
  TVMFFIObjectDecRef(other);
  assert_int_equal(closed, 0);
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &left));
  check_release(&left);
  TVMFFIObjectDecRef(function);
  check_closed(closed, 1);
  module = load("leave_nothing.so"); /* it is another library now, and stays */
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
  assert_true(is_loaded("leave_nothing.so"));
}

TEST(test_others_keep_it) {
  void *handle = dlopen(module_path("leave_nothing.so"), RTLD_LAZY);
  TVMFFIObject *module;
  int round;
  for (round = 0; round < 2; ++round) {
    module = load("leave_nothing.so");
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
    TVMFFIObjectDecRef(module);
    assert_int_equal(closed, 0);
  }
  assert_int_equal(dlclose(handle), 0);
  assert_int_equal(closed, 0);
  module = load("leave_nothing.so");
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

/* Unloads a library whose destructor releases the last module of leave_nothing.so. */
static void unload_keeper(void) {
  TVMFFIObject *keeper = load("kernels.so"), *kept = load("leave_nothing.so");
  TVMFFIAny arg = tvmffi_any_object(kept), result;
  check_ok(TVMFFIRuntimeModuleAllowUnload(keeper));
  check_ok(TVMFFIRuntimeModuleAllowUnload(kept));
  check_ok(call_function(keeper, "keep", &arg, 1, &result));
  TVMFFIObjectDecRef(kept);
  assert_int_equal(closed, 0);
  TVMFFIObjectDecRef(keeper);
  check_unloaded(is_loaded("kernels.so"));
}

TEST(test_unloading_unloads_others) {
  unload_keeper();
  check_closed(closed, 2);
  check_unloaded(is_loaded("leave_nothing.so"));
}

/* While two files are closed the runtime cannot tell who else has them open, and keeps neither. */
TEST(test_others_keep_one_of_two) {
  void *handle = dlopen(module_path("leave_nothing.so"), RTLD_LAZY);
  assert_non_null(handle);
  unload_keeper();
  check_closed(closed, 1);
  assert_true(is_loaded("leave_nothing.so"));
  assert_int_equal(dlclose(handle), 0);
  check_closed(closed, 2);
  check_unloaded(is_loaded("leave_nothing.so"));
}

TEST(test_global_functions_prevent_it) {
  TVMFFIByteArray name = check_bytes("test.left_behind");
  TVMFFIObject *module = load("leave_a_global.so");
  TVMFFIObjectHandle function;
  check_fails_with(TVMFFIRuntimeModuleAllowUnload(module), "RuntimeError",
                   "leave_a_global.so cannot be unloaded: global function `test.left_behind` needs "
                   "it");
  TVMFFIObjectDecRef(module);
  check_ok(TVMFFIFunctionGetGlobal(&name, &function));
  check_gives_seven(function);
  TVMFFIObjectDecRef(function);
  remove_global("test.left_behind");
  module = load("leave_a_global.so");
  check_ok(TVMFFIRuntimeModuleAllowUnload(module));
  TVMFFIObjectDecRef(module);
  check_closed(closed, 1);
}

/* What is registered later, by a call, keeps the library too. */
TEST(test_types_prevent_it) {
  static const char *const files[] = {"leave_a_field.so", "leave_an_attribute.so"};
  char logged[256];
  size_t i;
  check_ok(TVMFFIRuntimeSetLogHook(keep_message, logged));
  for (i = 0; i < sizeof files / sizeof files[0]; ++i) {
    TVMFFIObject *module = load(files[i]);
    check_ok(TVMFFIRuntimeModuleAllowUnload(module));
    (void)leave(module);
    check_fails_with(TVMFFIRuntimeModuleAllowUnload(module), "RuntimeError",
                     "cannot be unloaded: type `ffi.Object` needs it");
    logged[0] = '\0';
    TVMFFIObjectDecRef(module);
    assert_non_null(strstr(logged, files[i]));
    assert_non_null(strstr(logged, " stays loaded: type `ffi.Object` needs it"));
    assert_true(is_loaded(files[i]));
    TVMFFIRuntimeShutdown(); /* the next type is registered anew */
    check_ok(TVMFFIEnvModRegisterContextSymbol("__test_deleted", &deleted));
    check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
    check_ok(TVMFFIRuntimeSetLogHook(keep_message, logged));
  }
  assert_int_equal(closed, 0);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

TEST(test_other_modules) {
  TVMFFIObject *module = get_system_lib("");
  TVMFFIAny text;
  check_fails(TVMFFIRuntimeModuleAllowUnload(module), "TypeError",
              "TVMFFIRuntimeModuleAllowUnload: `module` is a `ffi.Module`, not a module of a "
              "library file");
  TVMFFIObjectDecRef(module);
  check_ok(tvmffi_string_to_any("not a small text", 16, &text));
  check_fails_with(TVMFFIRuntimeModuleAllowUnload(text.v_obj), "TypeError",
                   "`module` is a `ffi.String`, not a module of a library file");
  check_release(&text);
  check_fails(TVMFFIRuntimeModuleAllowUnload(NULL), "ValueError",
              "TVMFFIRuntimeModuleAllowUnload: argument `module` must not be NULL");
}

/* Returns NULL on success. */
static void *load_and_unload(void *path) {
  void *failed = NULL;
  int i;
  for (i = 0; i < 5; ++i) {
    TVMFFIObject *module;
    if (load_file(path, &module) != 0) return path;
    if (TVMFFIRuntimeModuleAllowUnload(module) != 0) failed = path;
    if (call_int(module, "main") != 1) failed = path;
    TVMFFIObjectDecRef(module);
  }
  return failed;
}

TEST(test_threads) {
  void *(*const bodies[4])(void *) = {load_and_unload, load_and_unload, load_and_unload,
                                      load_and_unload};
  char path[4096];
  int i;
  (void)snprintf(path, sizeof path, "%s", module_path("kernels.so"));
  for (i = 0; i < 20; ++i) { /* the last threads that close it do not keep it for each other */
    assert_int_equal(thread_count_results(4, bodies, path), 0);
    check_unloaded(is_loaded("kernels.so"));
  }
}

RUN_TESTS({
    cmocka_unit_test_setup(test_a_library_stays_loaded, set_up),
    cmocka_unit_test_setup(test_a_library_that_stayed_is_loaded_again, set_up),
    cmocka_unit_test_setup(test_unloading, set_up),
    cmocka_unit_test_setup(test_names_in_backtraces, set_up),
    cmocka_unit_test_setup(test_modules_and_functions_keep_it, set_up),
    cmocka_unit_test_setup(test_others_keep_it, set_up),
    cmocka_unit_test_setup(test_unloading_unloads_others, set_up),
    cmocka_unit_test_setup(test_others_keep_one_of_two, set_up),
    cmocka_unit_test_setup(test_global_functions_prevent_it, set_up),
    cmocka_unit_test_setup(test_other_modules, set_up),
    cmocka_unit_test_setup(test_threads, set_up),
    cmocka_unit_test_setup(test_types_prevent_it, set_up), /* last: it shuts down */
})
