/* SPDX-License-Identifier: Apache-2.0 */
#include "module/library.h"
#include "oom/loader_support.h"
#include "support/check.h"
#include "support/oom.h"

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

static void test_every_allocation(void **state) {
  (void)state;
  /* two lists of modules, two modules of three blocks, a loader's name, bytes, an import */
  assert_int_equal(check_load("ffi.Module.load_from_bytes.demo", load_bytes), 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
