/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

static void *place;
static char value;

static int add(void *context) {
  (void)context;
  return TVMFFIEnvModRegisterContextSymbol("__test_context", &value);
}

static int apply(void *prefix_size) {
  static char text[300];
  TVMFFIByteArray prefix = {text, 0};
  tvmffi_library *library;
  int rc;
  prefix.size = *(size_t *)prefix_size;
  place = NULL;
  if (tvmffi_library_new_system(&prefix, &library) != 0) return -1;
  rc = tvmffi_context_symbol_apply(library);
  TVMFFIObjectDecRef(library);
  return rc;
}

TEST(test_registering_and_applying) {
  size_t prefix_size = 0;
  check_ok(TVMFFIEnvModRegisterSystemLibSymbol("__test_context", &place));
  assert_int_equal(oom_check(add, NULL, NULL, NULL, 1), 2); /* a table, and the symbol */
  assert_int_equal(oom_check(add, NULL, NULL, NULL, 0), 0);
  assert_int_equal(oom_check(apply, NULL, NULL, &prefix_size, 0), 1);
  assert_ptr_equal(place, &value);
  prefix_size = 300; /* the name is too long to be built on the stack */
  assert_int_equal(oom_check(apply, NULL, NULL, &prefix_size, 0), 3);
  assert_ptr_equal(place, &value);
}

RUN_OOM_TESTS({cmocka_unit_test(test_registering_and_applying)})
