/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_env_api.h>

#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

static char symbols[100];
static int next;

static void name_of(int i, char *out) {
  (void)sprintf(out, "__tvm_ffi_%d", i);
}

static int enter(void *context) {
  char name[32];
  (void)context;
  name_of(next, name);
  return TVMFFIEnvModRegisterSystemLibSymbol(name, &symbols[next]);
}

static void only_the_earlier(void *context) {
  char name[32];
  int i;
  (void)context;
  for (i = 0; i <= next; ++i) {
    name_of(i, name);
    assert_ptr_equal(tvmffi_system_lib_find(name, strlen(name)), i < next ? &symbols[i] : NULL);
  }
}

TEST(test_registering) {
  for (next = 0; next < 100; ++next) {
    assert_in_range(oom_check(enter, only_the_earlier, NULL, NULL, 1), 1, 2);
  }
}

static int get(void *out) {
  static const TVMFFIByteArray prefix = {"prefix_", 7};
  return tvmffi_system_lib_get(&prefix, out);
}

TEST(test_getting_a_module) {
  TVMFFIObject *module = NULL;
  /* library, module, its imports and cache; a table of prefixes, and a record */
  assert_int_equal(oom_check(get, oom_no_object, NULL, &module, 1), 6);
  TVMFFIObjectDecRef(module);
  tvmffi_module_shutdown();
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_registering),
    cmocka_unit_test(test_getting_a_module),
})
