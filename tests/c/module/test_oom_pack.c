/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "module/library.h"
#include "support/check.h"
#include "support/oom.h"

enum { kNumModules = 12 }; /* more than the initial capacity of the lists */

static int save(void *self, TVMFFIAny *out) {
  TVMFFIByteArray bytes = check_bytes("bytes of some length");
  (void)self;
  return TVMFFIBytesFromByteArray(&bytes, out);
}

static const TVMFFIRuntimeModuleVTable kSaved = {
    .struct_size = sizeof kSaved,
    .kind = "a kind with a long name",
    .property_mask = kTVMFFIRuntimeModuleBinarySerializable,
    .get_function = find_no_function,
    .save_to_bytes = save};

static TVMFFIObjectHandle modules[kNumModules];
static TVMFFIAny packed;

static int pack(void *root) {
  return TVMFFIRuntimeModulePack(*(TVMFFIObjectHandle *)root, &packed);
}

static void not_packed(void *context) {
  int i;
  (void)context;
  assert_int_equal(packed.type_index, kTVMFFINone);
  assert_int_equal(check_use_count(modules[0]), 1);
  for (i = 1; i < kNumModules; ++i) assert_int_equal(check_use_count(modules[i]), 2);
}

static void release(void *context) {
  (void)context;
  assert_int_equal(packed.type_index, kTVMFFIBytes);
  check_release(&packed);
}

TEST(test_every_allocation) {
  int i;
  for (i = 0; i < kNumModules; ++i) {
    check_ok(TVMFFIRuntimeModuleCreate(&kSaved, NULL, &modules[i]));
    if (i != 0) check_ok(tvmffi_imports_add(modules[i / 4], modules[i])); /* three levels */
  }
  /* two lists that grow once, three buffers of which one grows, a kind and bytes of each, bytes */
  assert_in_range(oom_check(pack, not_packed, release, &modules[0], 0), 7 + 2 * kNumModules, 40);
  for (i = 0; i < kNumModules; ++i) TVMFFIObjectDecRef(modules[i]);
  assert_int_equal(oom_live_blocks(), 0);
}

RUN_OOM_TESTS({cmocka_unit_test(test_every_allocation)})
