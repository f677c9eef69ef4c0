/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of reading and of writing JSON fails once. */
#include "c/json_support.h"
#include "support/oom.h"

typedef struct {
  TVMFFIAny result, value;
  const char *text;
} job;

static int read_text(void *context) {
  job *j = context;
  return tvmffi_json_parse(j->text, strlen(j->text), &j->result);
}

static int write_value(void *context) {
  job *j = context;
  return tvmffi_json_write(&j->value, 2, 0, &j->result);
}

/* Checks how many allocations it takes to read a text, and to write its value. */
static void check_counts(const char *text, long to_read, long to_write) {
  job j;
  j.text = text;
  j.value = j.result = tvmffi_any_none();
  assert_int_equal(oom_check(read_text, oom_no_result, oom_release_result, &j, 0), to_read);
  check_ok(tvmffi_json_parse(text, strlen(text), &j.value));
  assert_int_equal(oom_check(write_value, oom_no_result, oom_release_result, &j, 0), to_write);
  check_release(&j.value);
}

TEST(test_every_allocation) {
  static char many[800] = "[";
  int i;
  check_counts("1.5", 1, 2); /* the stack; the buffer, the text */
  check_counts("\"a text of some length\"", 2, 2);
  check_counts("\"with\\nescapes\"", 3, 2);
  check_counts("[[], {\"key\": \"a text of some length\"}]", 5, 3);
  check_counts("{\"the first key\": 1, \"another key\": 2, \"the first key\": 3}", 5, 3);
  check_counts("{\"the first key\":1,\"b\":2,\"c\":3,\"d\":4,\"the first key\":5}", 5, 3);
  for (i = 0; i < 99; ++i) strcat(many, i == 50 ? "[" : "1,");
  strcat(many, "7]]");
  check_counts(many, 4, 5); /* the stack grows, and so does the buffer */
}

RUN_OOM_TESTS({
    cmocka_unit_test(test_every_allocation),
})
