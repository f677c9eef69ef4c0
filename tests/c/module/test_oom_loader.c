/* SPDX-License-Identifier: Apache-2.0 */
/* Loaders without memory: of files, and of the modules inside a library. */
#include "core/any.h"
#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

static tvmffi_library *library;

/* A loader that makes a module of `library`. */
static int give_module(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *module;
  (void)handle;
  (void)args;
  (void)num_args;
  if (tvmffi_library_new_module(library, &module) != 0) return -1;
  *result = tvmffi_any_object(module);
  return 0;
}

static void not_loaded(void *out) {
  assert_null(*(TVMFFIObject **)out);
  assert_int_equal(check_use_count(library), 1);
}

/* Counts the failed allocations until load(TVMFFIObject **out) succeeds with that loader. */
static long check_load(const char *loader_name, int (*load)(void *out)) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  TVMFFIByteArray name = check_bytes(loader_name);
  TVMFFIObjectHandle loader;
  TVMFFIObject *module = NULL;
  long num_failures;
  check_ok(TVMFFIFunctionCreate(NULL, give_module, NULL, &loader));
  check_ok(TVMFFIFunctionSetGlobal(&name, loader, 0));
  TVMFFIObjectDecRef(loader);
  check_ok(TVMFFIFunctionGetGlobal(&name, &loader)); /* creates this thread's record */
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  num_failures = oom_check(load, not_loaded, oom_release_object, &module, 0);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(loader);
  return num_failures;
}

static int load_file(void *out) {
  TVMFFIByteArray path = check_bytes("a/path/model.a_long_format");
  return tvmffi_loader_load_file(&path, out);
}

TEST(test_a_file) {
  /* the loader's name, path and format, and the module's three */
  assert_int_equal(check_load("ffi.Module.load_from_file.a_long_format", load_file), 6);
}

/* A library that imports a module of kind `demo`. */
static const unsigned char kBytes[] = {
    93, 0,   0,   0,   0,   0,   0,   0,   3,   0,   0,   0,   0,   0,   0,   0,   0,   0,  0, 0, 0,
    0,  0,   0,   1,   0,   0,   0,   0,   0,   0,   0,   1,   0,   0,   0,   0,   0,   0,  0, 1, 0,
    0,  0,   0,   0,   0,   0,   1,   0,   0,   0,   0,   0,   0,   0,   4,   0,   0,   0,  0, 0, 0,
    0,  '_', 'l', 'i', 'b', 4,   0,   0,   0,   0,   0,   0,   0,   'd', 'e', 'm', 'o', 13, 0, 0, 0,
    0,  0,   0,   0,   'm', 'o', 'r', 'e', ' ', 't', 'h', 'a', 'n', ' ', 'h', 'i', '!'};

static int load_bytes(void *out) {
  return tvmffi_library_bin_load(library, kBytes, sizeof kBytes, out);
}

TEST(test_modules_in_a_library) {
  /* two lists of modules, two modules of three blocks, a loader's name, bytes, an import */
  assert_int_equal(check_load("ffi.Module.load_from_bytes.demo", load_bytes), 11);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_a_file),
    cmocka_unit_test(test_modules_in_a_library),
})
