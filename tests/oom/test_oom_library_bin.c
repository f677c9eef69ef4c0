/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

/* The library, which imports a module of kind `demo`. */
static const unsigned char kBytes[] = {
    93, 0,   0,   0,   0,   0,   0,   0,   3,   0,   0,   0,   0,   0,   0,   0,   0,   0,  0, 0, 0,
    0,  0,   0,   1,   0,   0,   0,   0,   0,   0,   0,   1,   0,   0,   0,   0,   0,   0,  0, 1, 0,
    0,  0,   0,   0,   0,   0,   1,   0,   0,   0,   0,   0,   0,   0,   4,   0,   0,   0,  0, 0, 0,
    0,  '_', 'l', 'i', 'b', 4,   0,   0,   0,   0,   0,   0,   0,   'd', 'e', 'm', 'o', 13, 0, 0, 0,
    0,  0,   0,   0,   'm', 'o', 'r', 'e', ' ', 't', 'h', 'a', 'n', ' ', 'h', 'i', '!'};

static tvmffi_library *library;

/* As a loader gives a module of its own making. */
static int load_demo(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *module;
  (void)handle;
  (void)args;
  (void)num_args;
  if (tvmffi_library_new_module(library, &module) != 0) return -1;
  *result = tvmffi_any_object(module);
  return 0;
}

static int load_bytes(void *out) {
  return tvmffi_library_bin_load(library, kBytes, sizeof kBytes, out);
}

static void not_loaded(void *out) {
  assert_null(*(TVMFFIObject **)out);
  assert_int_equal(check_use_count(library), 1);
}

static void release(void *out) {
  TVMFFIObjectDecRef(*(TVMFFIObject **)out);
}

static void test_every_allocation(void **state) {
  static const TVMFFIByteArray no_prefix = {"", 0};
  TVMFFIByteArray name = check_bytes("ffi.Module.load_from_bytes.demo");
  TVMFFIObjectHandle loader;
  TVMFFIObject *module = NULL;
  (void)state;
  check_ok(TVMFFIFunctionCreate(NULL, load_demo, NULL, &loader));
  check_ok(TVMFFIFunctionSetGlobal(&name, loader, 0));
  TVMFFIObjectDecRef(loader);
  check_ok(TVMFFIFunctionGetGlobal(&name, &loader)); /* this thread's record is made */
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  /* two lists of modules, two modules of three blocks, a loader's name, bytes, an import */
  assert_int_equal(oom_check(load_bytes, not_loaded, release, &module, 0), 11);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(loader);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
