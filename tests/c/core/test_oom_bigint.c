/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/type_attr.h"
#include "reflect/builtin_objects.h"
#include "support/check.h"
#include "support/oom.h"

static int make(void *out) {
  const int64_t words[3] = {1, 2, 3};
  TVMFFIByteArray input;
  input.data = (const char *)words;
  input.size = sizeof words;
  return TVMFFIBigIntFromByteArray(&input, out);
}

TEST(test_one_allocation) {
  TVMFFIAny out;
  memset(&out, 0xA5, sizeof out);
  assert_int_equal(oom_check(make, oom_no_result, oom_release_result, &out, 0), 1);
}

#ifdef TVMFFI_PROFILE_FULL
TEST(test_attributes_that_refuse_arguments) {
  const TVMFFIAny *hash = tvmffi_type_find_attr(kTvmffiAttrHash, kTVMFFIBigInt);
  size_t before = oom_live_blocks();
  TVMFFIAny arg = tvmffi_any_int(1), result = tvmffi_any_none();
  int n;
  for (n = 0; n < 2; ++n) { /* of the message, and of the error */
    oom_fail_after(n);
    check_fails(TVMFFIFunctionCall(hash->v_obj, &arg, 1, &result), "MemoryError", NULL);
    oom_fail_after(-1);
    assert_int_equal(oom_live_blocks(), before);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_allocation),
#ifdef TVMFFI_PROFILE_FULL
      cmocka_unit_test(test_attributes_that_refuse_arguments),
#endif
  };
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
