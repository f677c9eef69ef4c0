/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"
#include "oom/loader_support.h"
#include "support/check.h"
#include "support/oom.h"

static int load_file(void *out) {
  TVMFFIByteArray path = check_bytes("a/path/model.a_long_format");
  return tvmffi_loader_load_file(&path, out);
}

static void test_every_allocation(void **state) {
  (void)state;
  /* the loader's name, path and format, and the module's three */
  assert_int_equal(check_load("ffi.Module.load_from_file.a_long_format", load_file), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
