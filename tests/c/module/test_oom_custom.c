/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "module/module.h"
#include "support/check.h"
#include "support/oom.h"

static int num_destroyed;

static int get_nothing(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                       TVMFFIObjectHandle *out) {
  (void)self;
  (void)module;
  (void)name;
  (void)out;
  return 0;
}

static void count(void *self) {
  ++*(int *)self;
}

static const TVMFFIRuntimeModuleVTable kCounted = {.struct_size = sizeof kCounted,
                                                   .kind = "counted",
                                                   .get_function = get_nothing,
                                                   .destroy = count};

static int create(void *out) {
  return TVMFFIRuntimeModuleCreate(&kCounted, &num_destroyed, out);
}

/* After a failure self still belongs to the caller. */
static void not_created(void *out) {
  assert_null(*(TVMFFIObjectHandle *)out);
  assert_int_equal(num_destroyed, 0);
}

static void release(void *out) {
  TVMFFIObjectDecRef(*(TVMFFIObjectHandle *)out);
  assert_int_equal(num_destroyed, 1);
}

TEST(test_creating) {
  TVMFFIObjectHandle module = NULL;
  assert_int_equal(oom_check(create, not_created, release, &module, 0), 3); /* it, imports, cache */
}

RUN_OOM_TESTS({cmocka_unit_test(test_creating)})
