/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules defined in C++, and C++ code that calls modules of the runtime:
 *
 *     test_cxx_methods CLIENT [REFUSAL]
 *
 * CLIENT is the library of client.cc. With REFUSAL the library libtvm_ffi_cxx must not be found;
 * the errors of the methods that need it then contain this text.
 */
#include <dlfcn.h>

#include "c/module_support.h"
#include "container/array.h"
#include "core/object.h"
#include "cxx_modules/ours.h"
#include "module/library.h"
#include "module/module.h"
#include "support/thread.h"

/* The modes of client.h. */
enum {
  kGive,
  kGiveNothing,
  kGiveWrong,
  kThrowError,
  kThrowDerived,
  kThrowStandard,
  kThrowLong,
  kThrowInt,
  kThrowMoved,
  kKindNull,
  kKindLib,
  kKindEmpty,
  kGiveAny
};

static const char *client_path;
static TVMFFIObject *client;
static const char *refusal;
static bool with_helper;

static TVMFFIObject *make(int mode) {
  TVMFFIAny mode_arg = tvmffi_any_int(mode), result;
  check_ok(call_function(client, "make", &mode_arg, 1, &result));
  return result.v_obj;
}

static TVMFFIObject *make_quiet(void) {
  TVMFFIAny result;
  check_ok(call_function(client, "make_quiet", NULL, 0, &result));
  return result.v_obj;
}

/* Releases the last reference, and checks that the client's destructor ran. */
static void release(TVMFFIObject *module) {
  int64_t alive = call_int(client, "num_alive");
  assert_int_equal(check_use_count(module), 1);
  TVMFFIObjectDecRef(module);
  assert_int_equal(call_int(client, "num_alive"), alive - 1);
}

FIXTURE(open_client) {
  return load_file(client_path, &client);
}

FIXTURE(close_client) {
  assert_int_equal(call_int(client, "num_alive"), 0);
  TVMFFIObjectDecRef(client);
  return 0;
}

/* ---- Methods ---- */

static int call(TVMFFIObject *module, tvmffi_module_method method, const char *text,
                TVMFFIAny *result) {
  TVMFFIAny args[2];
  args[0] = tvmffi_any_raw_str(text);
  args[1] = tvmffi_any_raw_str("c");
  return tvmffi_module_call(module, method, args, result);
}

TEST(test_what_methods_give) {
  TVMFFIObject *module = make(kGive), *function;
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleGetKind", NULL, -1, &result));
  check_str(&result, "loud");
  check_ok(call_on(module, "ffi.ModuleGetPropertyMask", NULL, -1, &result));
  assert_int_equal(result.v_int64, 5);
  function = get_function(module, "a function of some length", 0);
  assert_int_equal(check_use_count(function), 1);
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 3);
  TVMFFIObjectDecRef(function);
  assert_null(get_function(module, "f", 1));
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "g", 0, &result));
  assert_int_equal(result.v_int64, 0);
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "f", 0, &result));
  check_str(&result, "doc of f");
  check_ok(call_on(module, "ffi.ModuleGetFunctionMetadata", "f", 0, &result));
  check_str(&result, "f");
  check_ok(call(module, kTvmffiModuleWriteToFile, "a file of some length", &result));
  check_ok(call_on(module, "ffi.ModuleGetWriteFormats", NULL, -1, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  check_release(&result);
  check_ok(call(module, kTvmffiModuleSaveToBytes, "", &result));
  assert_int_equal(result.type_index, kTVMFFISmallBytes);
  check_ok(call_on(module, "ffi.ModuleInspectSource", "a format of some length", -1, &result));
  check_str(&result, "source of a format of some length");
  release(module);
}

TEST(test_the_client_s_own_defaults) {
  TVMFFIObject *module = make_quiet(), *function;
  TVMFFIAny result;
  check_ok(call_on(module, "ffi.ModuleImplementsFunction", "f", 0, &result));
  assert_int_equal(result.v_int64, 1);
  check_ok(call_on(module, "ffi.ModuleGetFunctionDoc", "f", 0, &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_fails(call(module, kTvmffiModuleWriteToFile, "x", &result), "RuntimeError",
              "no WriteToFile");
  check_fails(call(module, kTvmffiModuleSaveToBytes, "", &result), "RuntimeError",
              "no SaveToBytes");
  function = get_function(module, "f", 0);
  assert_non_null(function);
  TVMFFIObjectDecRef(function);
  release(module);
}

TEST(test_nothing_and_wrong_types) {
  TVMFFIObject *module = make(kGiveNothing);
  TVMFFIAny result;
  int method;
  assert_null(get_function(module, "f", 0));
  check_ok(call(module, kTvmffiModuleGetDoc, "f", &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  check_ok(call(module, kTvmffiModuleGetMetadata, "f", &result));
  assert_int_equal(result.type_index, kTVMFFINone);
  for (method = kTvmffiModuleGetWriteFormats; method <= kTvmffiModuleInspectSource; ++method) {
    check_fails(call(module, (tvmffi_module_method)method, "f", &result), "TypeError",
                "A method of ffi.Module gave a result of type `None`");
  }
  release(module);
  module = make(kGiveWrong);
  check_fails(call(module, kTvmffiModuleGetFunction, "f", &result), "TypeError",
              "A method of ffi.Module gave a result of type `ffi.Array`");
  check_fails(call(module, kTvmffiModuleGetDoc, "f", &result), "TypeError",
              "A method of ffi.Module gave a result of type `ffi.Bytes`");
  check_fails(call(module, kTvmffiModuleGetWriteFormats, "", &result), "TypeError",
              "A method of ffi.Module gave a result of type `ffi.Function`");
  check_fails(call(module, kTvmffiModuleSaveToBytes, "", &result), "TypeError",
              "A method of ffi.Module gave a result of type `ffi.String`");
  assert_int_equal(result.type_index, kTVMFFINone);
  release(module);
  module = make(kKindNull);
  check_fails(call(module, kTvmffiModuleKind, "", &result), "TypeError",
              "A method of ffi.Module gave a result of type `None`");
  release(module);
}

/* GetFunction in the form of the first releases of 0.1.13. */
TEST(test_functions_that_are_whole_values) {
  TVMFFIObject *module = make(kGiveAny), *function = get_function(module, "f", 0);
  TVMFFIAny result;
  assert_int_equal(function->type_index, kTVMFFIFunction);
  assert_int_equal(check_use_count(function), 1);
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &result));
  assert_int_equal(result.v_int64, 3);
  TVMFFIObjectDecRef(function);
  assert_null(get_function(module, "g", 0));
  release(module);
}

TEST(test_what_methods_throw) {
  static const struct {
    int mode;
    const char *kind, *message;
  } rows[] = {
      {kThrowError, "KeyError", "thrown"},
      {kThrowDerived, "IndexError", "thrown by a class of our own"},
      {kThrowStandard, "InternalError", "a standard exception"},
      {kThrowInt, "InternalError", "a C++ exception of unknown type"},
      {kThrowMoved, "InternalError", "a C++ exception that is an empty tvm::ffi::Error"},
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof *rows; ++i) {
    TVMFFIObject *module = make(rows[i].mode);
    TVMFFIAny result;
    int method;
    for (method = 0; method < kTvmffiModuleImport; ++method) {
      check_fails(call(module, (tvmffi_module_method)method, "f", &result), rows[i].kind,
                  rows[i].message);
      assert_int_equal(result.type_index, kTVMFFINone);
    }
    release(module);
  }
}

/* A long message is truncated between characters, not inside one. */
TEST(test_a_long_text_that_is_thrown) {
  TVMFFIObject *module = make(kThrowLong);
  TVMFFIObjectHandle error;
  const TVMFFIByteArray *message;
  TVMFFIAny result;
  assert_int_not_equal(call(module, kTvmffiModuleKind, "", &result), 0);
  TVMFFIErrorMoveFromRaised(&error);
  message = &TVMFFIErrorGetCellPtr(error)->message;
  assert_in_range(message->size, 400, 512);
  assert_int_equal(message->size % 2, 1); /* x, then characters of two bytes */
  TVMFFIObjectDecRef(error);
  release(module);
}

TEST(test_imports_of_both_kinds) {
  TVMFFIObject *module = make(kGive), *other = make_quiet(), *library = get_system_lib("cxx_");
  TVMFFIAny args[2], result;
  TVMFFIObject *function;
  import_module(module, library);
  import_module(module, other);
  function = get_function(module, "f", 1); /* found in quiet */
  assert_non_null(function);
  TVMFFIObjectDecRef(function);
  args[0] = tvmffi_any_object(other);
  args[1] = tvmffi_any_object(module);
  check_fails(call_global("ffi.ModuleImportModule", args, 2, &result), "RuntimeError",
              "Cyclic dependency detected during import");
  import_module(library, other);
  check_ok(call_on(library, "ffi.ModuleClearImports", NULL, -1, &result));
  TVMFFIObjectDecRef(library);
  check_ok(call_on(module, "ffi.ModuleClearImports", NULL, -1, &result));
  import_module(module, other);
  assert_int_equal(check_use_count(other), 2);
  TVMFFIObjectDecRef(module); /* afterwards the imports are destroyed */
  release(other);
}

TEST(test_packing) {
  TVMFFIObject *module = make(kGive), *quiet = make_quiet(), *liar = make(kKindLib);
  TVMFFIObject *broken = make(kThrowError), *nameless = make(kKindEmpty);
  TVMFFIAny packed;
  check_ok(TVMFFIRuntimeModulePack(module, &packed)); /* exportable: packed as the library */
  assert_int_equal(TVMFFIBytesGetByteArrayPtr(packed.v_obj)->size, 8 + 24 + 8 + 12);
  check_release(&packed);
  check_fails(TVMFFIRuntimeModulePack(quiet, &packed), "RuntimeError",
              "Module[quiet] cannot be embedded: it is not binary-serializable");
  check_fails(TVMFFIRuntimeModulePack(broken, &packed), "KeyError", "thrown");
  check_fails(TVMFFIRuntimeModulePack(liar, &packed), "RuntimeError",
              "Module[_lib] cannot be embedded: it has no kind of its own");
  check_fails(TVMFFIRuntimeModulePack(nameless, &packed), "RuntimeError",
              "Module[] cannot be embedded: it has no kind of its own");
  release(nameless);
  release(broken);
  release(liar);
  release(quiet);
  release(module);
}

static void ask_often(void *module, int index) {
  void *handle = dlopen(client_path, RTLD_LAZY | RTLD_LOCAL);
  int i;
  if (handle == NULL) return; /* cannot happen: the library is loaded already */
  tvmffi_cxx_complete_type_info(handle);
  (void)dlclose(handle);
  for (i = 0; i < 200; ++i) {
    TVMFFIAny name = tvmffi_any_raw_str("f"), result;
    tvmffi_module_method method = index % 2 == 0 ? kTvmffiModuleKind : kTvmffiModuleGetDoc;
    if (tvmffi_module_call(module, method, &name, &result) != 0) {
      TVMFFIErrorSetRaised(NULL);
    } else {
      tvmffi_any_release(&result);
    }
  }
}

/* The first calls in the process: threads race to load the helper library. */
TEST(test_threads) {
  TVMFFIObject *giving = make(kGive), *throwing = make(kThrowError);
  thread_run_many(4, ask_often, giving);
  thread_run_many(4, ask_often, throwing);
  release(giving);
  release(throwing);
}

/* ---- Modules of the runtime, called by C++ ---- */

static TVMFFIObject *new_ours(void) {
  TVMFFIObjectHandle module;
  check_ok(TVMFFIRuntimeModuleCreate(&ours_vtable, NULL, &module));
  return module;
}

TEST(test_our_methods) {
  TVMFFIObject *module = new_ours();
  TVMFFIAny args[2], result;
  args[0] = tvmffi_any_object(module);
  args[1] = tvmffi_any_bool(with_helper);
  check_ok(call_function(client, "check_ours", args, 2, &result));
  check_not_raised();
  ours_destroyed = 0;
  TVMFFIObjectDecRef(module);
  assert_int_equal(ours_destroyed, 1);
}

TEST(test_our_types) {
  TVMFFIObject *module = new_ours();
  TVMFFIAny arg = tvmffi_any_object(module), result;
  check_ok(call_function(client, "check_types", &arg, 1, &result));
  TVMFFIObjectDecRef(module);
}

/* Every symbol that a client imports is defined; with lazy binding a missing one is found late. */
TEST(test_symbols_bound_at_once) {
  void *handle = dlopen(client_path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) print_error("%s\n", dlerror());
  assert_non_null(handle);
  (void)dlclose(handle);
}

/* ---- Without the helper library ---- */

TEST(test_methods_are_refused) {
  TVMFFIObject *module = make(kGive), *ours = new_ours();
  TVMFFIAny result, other = tvmffi_any_object(ours);
  int method;
  for (method = 0; method < kTvmffiModuleImport; ++method) {
    check_fails_with(call(module, (tvmffi_module_method)method, "f", &result), "RuntimeError",
                     refusal);
    assert_int_equal(result.type_index, kTVMFFINone);
  }
  check_fails_with(tvmffi_module_call(module, kTvmffiModuleImport, &other, &result), "RuntimeError",
                   refusal);
  check_fails_with(TVMFFIRuntimeModulePack(module, &result), "RuntimeError", refusal);
  import_module(ours, module);
  check_fails_with(call_on(ours, "ffi.ModuleGetFunction", "g", 1, &result), "RuntimeError",
                   refusal);
  TVMFFIObjectDecRef(ours);
  release(module);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, open_client, close_client)

int main(int argc, char **argv) {
  const struct CMUnitTest helper_tests[] = {
      cmocka_unit_test(test_symbols_bound_at_once),
      ROW(test_threads),
      ROW(test_our_types),
      ROW(test_our_methods),
      ROW(test_what_methods_give),
      ROW(test_the_client_s_own_defaults),
      ROW(test_nothing_and_wrong_types),
      ROW(test_functions_that_are_whole_values),
      ROW(test_what_methods_throw),
      ROW(test_a_long_text_that_is_thrown),
      ROW(test_imports_of_both_kinds),
      ROW(test_packing),
      cmocka_unit_test(test_symbols_bound_at_once),
  };
  const struct CMUnitTest common_tests[] = {
      cmocka_unit_test(test_symbols_bound_at_once),
      ROW(test_our_types),
      ROW(test_our_methods),
      ROW(test_methods_are_refused),
  };
  if (argc < 2) return 2;
  client_path = argv[1];
  refusal = argv[2];
  with_helper = refusal == NULL;
  return with_helper ? cmocka_run_group_tests(helper_tests, NULL, NULL) != 0
                     : cmocka_run_group_tests(common_tests, NULL, NULL) != 0;
}
