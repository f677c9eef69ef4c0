/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

static tvmffi_library *library;

static int give_module(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIObject *module;
  (void)handle;
  (void)args;
  (void)num_args;
  if (tvmffi_library_new_module(library, &module) != 0) return -1;
  *result = tvmffi_any_object(module);
  return 0;
}

static int load_file(void *out) {
  TVMFFIByteArray path = check_bytes("a/path/model.a_long_format");
  return tvmffi_loader_load_file(&path, out);
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
  TVMFFIByteArray name = check_bytes("ffi.Module.load_from_file.a_long_format");
  TVMFFIObjectHandle loader;
  TVMFFIObject *module = NULL;
  (void)state;
  check_ok(TVMFFIFunctionCreate(NULL, give_module, NULL, &loader));
  check_ok(TVMFFIFunctionSetGlobal(&name, loader, 0));
  TVMFFIObjectDecRef(loader);
  check_ok(TVMFFIFunctionGetGlobal(&name, &loader)); /* this thread's record is made */
  check_ok(tvmffi_library_new_system(&no_prefix, &library));
  /* the loader's name, path and format, and the module's three */
  assert_int_equal(oom_check(load_file, not_loaded, release, &module, 0), 6);
  TVMFFIObjectDecRef(library);
  TVMFFIObjectDecRef(loader);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
