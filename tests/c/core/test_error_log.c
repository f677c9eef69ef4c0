/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"

typedef struct {
  int num_messages;
  TVMFFIRuntimeLogLevel level;
  char text[4096];
} record;

static void note(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  record *r = context;
  ++r->num_messages;
  r->level = level;
  strncpy(r->text, message, sizeof r->text - 1);
}

TEST(test_without_a_hook_messages_are_dropped) {
  record r;
  memset(&r, 0, sizeof r);
  tvmffi_log_warning("%s", "nobody listens");
  check_ok(TVMFFIRuntimeSetLogHook(note, &r));
  check_ok(TVMFFIRuntimeSetLogHook(NULL, &r));
  tvmffi_log_warning("%s", "nobody listens any more");
  assert_int_equal(r.num_messages, 0);
}

TEST(test_hooks_receive_formatted_text) {
  record r, other;
  memset(&r, 0, sizeof r);
  memset(&other, 0, sizeof other);
  check_ok(TVMFFIRuntimeSetLogHook(note, &r));
  tvmffi_log_warning("%d of %s", 7, "text");
  assert_int_equal(r.num_messages, 1);
  assert_int_equal(r.level, kTVMFFIRuntimeLogLevelWarning);
  assert_string_equal(r.text, "7 of text");
  check_ok(TVMFFIRuntimeSetLogHook(note, &other));
  tvmffi_log_warning("second");
  assert_int_equal(r.num_messages, 1);
  assert_string_equal(other.text, "second");
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

TEST(test_long_messages_are_whole) {
  char text[3000];
  record r;
  memset(&r, 0, sizeof r);
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  check_ok(TVMFFIRuntimeSetLogHook(note, &r));
  tvmffi_log_warning("%s", text);
  assert_int_equal(r.num_messages, 1);
  assert_string_equal(r.text, text);
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

TEST(test_messages_are_utf8) {
  record r;
  memset(&r, 0, sizeof r);
  check_ok(TVMFFIRuntimeSetLogHook(note, &r));
  tvmffi_log_warning("%s stays loaded", "caf\xe9_\xc3\xa9.so");
  assert_string_equal(r.text, "caf\\xe9_\xc3\xa9.so stays loaded");
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

/* No lock is held during a hook: it may use the library, and even set another hook. */
static void replace_and_log(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)message;
  check_ok(TVMFFIRuntimeSetLogHook(note, context));
  tvmffi_log_warning("from within the hook");
}

TEST(test_hooks_may_use_the_library) {
  record r;
  memset(&r, 0, sizeof r);
  check_ok(TVMFFIRuntimeSetLogHook(replace_and_log, &r));
  tvmffi_log_warning("first");
  assert_int_equal(r.num_messages, 1);
  assert_string_equal(r.text, "from within the hook");
  check_ok(TVMFFIRuntimeSetLogHook(NULL, NULL));
}

RUN_TESTS({
    cmocka_unit_test(test_without_a_hook_messages_are_dropped),
    cmocka_unit_test(test_hooks_receive_formatted_text),
    cmocka_unit_test(test_long_messages_are_whole),
    cmocka_unit_test(test_messages_are_utf8),
    cmocka_unit_test(test_hooks_may_use_the_library),
})
