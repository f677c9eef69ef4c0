/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "core/error.h"
#include "support/check.h"
#include "support/oom.h"

/* The text is long enough for its memory to grow twice. */
static int build_text(void *unused) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  int i, rc = 0;
  (void)unused;
  for (i = 0; i < 100; ++i) {
    tvmffi_buf_append_text(&buf, "0123");
    tvmffi_buf_append(&buf, "45", 2);
    tvmffi_buf_appendf(&buf, "%d", 6789);
  }
  if (buf.failed) {
    rc = tvmffi_fail_memory();
  } else {
    assert_int_equal(buf.size, 1000);
    for (i = 0; i < 1000; ++i) assert_int_equal(buf.data[i], '0' + i % 10);
  }
  tvmffi_buf_fini(&buf);
  return rc;
}

TEST(test_texts_that_grow) {
  assert_in_range(oom_check(build_text, NULL, NULL, NULL, 0), 2, 10);
}

TEST(test_the_text_so_far_stays) {
  char large[2000];
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  memset(large, 'x', sizeof large);
  tvmffi_buf_append_text(&buf, "so far");
  oom_fail_after(0);
  tvmffi_buf_append(&buf, large, sizeof large);
  assert_true(buf.failed);
  assert_string_equal(buf.data, "so far");
  tvmffi_buf_append_text(&buf, ", no more"); /* ignored, although there is room */
  assert_string_equal(buf.data, "so far");
  tvmffi_buf_fini(&buf);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_an_escaped_text_without_memory) {
  tvmffi_buf buf = TVMFFI_BUF_INIT;
  tvmffi_buf_append_text(&buf, "caf\xe9");
  oom_fail_after(0);
  tvmffi_buf_escape_invalid(&buf);
  assert_true(buf.failed);
  tvmffi_buf_fini(&buf);
  assert_int_equal(oom_live_blocks(), 0);
}

TEST(test_a_reason_without_memory) {
  tvmffi_reason reason = TVMFFI_REASON_INIT;
  reason.to_set.set(&reason.to_set, "%s", "first");
  oom_fail_after(0);
  reason.to_set.set(&reason.to_set, "%s and more", reason.to_set.text);
  assert_true(reason.buf.failed);
  assert_string_equal(reason.to_set.text, "out of memory");
  reason.to_set.set(&reason.to_set, "%s", "second");
  assert_false(reason.buf.failed);
  assert_string_equal(reason.to_set.text, "second");
  tvmffi_buf_fini(&reason.buf);
  assert_int_equal(oom_live_blocks(), 0);
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_texts_that_grow),
    cmocka_unit_test(test_the_text_so_far_stays),
    cmocka_unit_test(test_an_escaped_text_without_memory),
    cmocka_unit_test(test_a_reason_without_memory),
})
