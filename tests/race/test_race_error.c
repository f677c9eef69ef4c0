/* SPDX-License-Identifier: Apache-2.0 */
/* Errors shared by threads, and settings that are read when an error is raised. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/module_support.h"
#include "core/error.h"
#include "race/expect.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 500 };

static void append_lines(void *error, int index) {
  char text[] = "#\n";
  TVMFFIByteArray line = check_bytes(text);
  int i;
  text[0] = (char)('0' + index);
  for (i = 0; i < kRounds; ++i) {
    TVMFFIErrorGetCellPtr(error)->update_backtrace(error, &line, kTVMFFIBacktraceUpdateModeAppend);
  }
}

TEST(test_L_17f_no_update_of_a_backtrace_is_lost) {
  const TVMFFIErrorCell *cell;
  TVMFFIObjectHandle error;
  int lines[kThreads] = {0}, i;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  cell = TVMFFIErrorGetCellPtr(error);
  thread_run_many(kThreads, append_lines, error);
  assert_int_equal(cell->backtrace.size, kThreads * kRounds * 2);
  for (i = 0; i < kThreads * kRounds; ++i) {
    int index = cell->backtrace.data[2 * i] - '0';
    assert_in_range(index, 0, kThreads - 1);
    assert_int_equal(cell->backtrace.data[2 * i + 1], '\n');
    ++lines[index];
  }
  for (i = 0; i < kThreads; ++i) assert_int_equal(lines[i], kRounds);
  TVMFFIObjectDecRef(error);
}

/* One thread replaces the backtrace by longer and shorter ones, the others read it. */
static void replace_or_read(void *context, int index) {
  static const char kText[] = "################################################################";
  TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(context);
  int i;
  for (i = 0; i < kRounds; ++i) {
    if (index == 0) {
      TVMFFIByteArray text;
      text.data = kText;
      text.size = (size_t)i * 37 % sizeof kText;
      cell->update_backtrace(context, &text, kTVMFFIBacktraceUpdateModeReplace);
    } else { /* the size first, as the header says */
      size_t size = __atomic_load_n(&cell->backtrace.size, __ATOMIC_ACQUIRE), j;
      const char *data = __atomic_load_n(&cell->backtrace.data, __ATOMIC_ACQUIRE);
      for (j = 0; j < size; ++j) expect(data[j] == '#' || data[j] == '\0');
      expect(data[size] == '#' || data[size] == '\0');
    }
  }
}

TEST(test_reading_a_backtrace_while_it_is_replaced) {
  TVMFFIObjectHandle error;
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  thread_run_many(kThreads, replace_or_read, error);
  assert_int_equal(expect_failures, 0);
  TVMFFIObjectDecRef(error);
}

/* Counts how often a thread did not find in its slot what it put there. */
typedef struct {
  TVMFFIObjectHandle error;
  int num_wrong[kThreads];
} slots;

static void pass_through_the_slot(void *context, int index) {
  slots *s = context;
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIObjectHandle taken;
    if (i % 3 == 0) {
      tvmffi_error_raise_memory();
    } else if (i % 3 == 1) {
      TVMFFIErrorSetRaisedFromCStr("ValueError", "of one thread");
    }
    TVMFFIErrorSetRaised(s->error);
    TVMFFIErrorMoveFromRaised(&taken);
    if (taken != s->error) ++s->num_wrong[index];
    TVMFFIObjectDecRef(taken);
    if (i % 100 == 0) TVMFFIErrorSetRaised(s->error); /* still in the slot when the thread ends */
  }
}

TEST(test_slots_that_share_an_error) {
  slots s;
  int i;
  memset(&s, 0, sizeof s);
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &s.error));
  thread_run_many(kThreads, pass_through_the_slot, &s);
  for (i = 0; i < kThreads; ++i) assert_int_equal(s.num_wrong[i], 0);
  assert_int_equal(check_use_count(s.error), 1);
  TVMFFIObjectDecRef(s.error);
}

/* Each walker must get its own context, even while the walker is being replaced. */
static int first_context, second_context, num_mismatches;

static void walk_first(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  static const TVMFFIRuntimeFrame kFrame = {1, "first", "file.c", 1};
  if (context != &first_context) __atomic_add_fetch(&num_mismatches, 1, __ATOMIC_RELAXED);
  (void)visitor(visitor_context, &kFrame);
}

static void walk_second(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  static const TVMFFIRuntimeFrame kFrame = {1, "second", "file.c", 1};
  if (context != &second_context) __atomic_add_fetch(&num_mismatches, 1, __ATOMIC_RELAXED);
  (void)visitor(visitor_context, &kFrame);
}

static void log_first(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)message;
  if (context != &first_context) __atomic_add_fetch(&num_mismatches, 1, __ATOMIC_RELAXED);
}

static void log_second(void *context, TVMFFIRuntimeLogLevel level, const char *message) {
  (void)level;
  (void)message;
  if (context != &second_context) __atomic_add_fetch(&num_mismatches, 1, __ATOMIC_RELAXED);
}

static void change_settings_or_use_them(void *context, int index) {
  int i;
  (void)context;
  for (i = 0; i < kRounds; ++i) {
    if (index == 0) {
      (void)TVMFFIRuntimeSetBacktraceEnabled(i % 5 != 0);
      (void)TVMFFIRuntimeSetStackWalker(i % 2 == 0 ? walk_first : walk_second,
                                        i % 2 == 0 ? &first_context : &second_context);
      (void)TVMFFIRuntimeSetLogHook(i % 2 == 0 ? log_first : log_second,
                                    i % 2 == 0 ? &first_context : &second_context);
    } else {
      TVMFFIAny name = {kTVMFFIRawStr, {0}, {0}}, result;
      TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
      tvmffi_log_warning("message %d", i);
      name.v_c_str = "no function";
      (void)call_global("ffi.GetGlobalFuncMetadata", &name, 1, &result);
    }
  }
}

TEST(test_settings_change_while_errors_are_raised) {
  (void)TVMFFIRuntimeSetStackWalker(walk_first, &first_context);
  thread_run_many(kThreads, change_settings_or_use_them, NULL);
  assert_int_equal(num_mismatches, 0);
  check_ok(TVMFFIRuntimeShutdown());
}

RUN_TESTS({
    cmocka_unit_test(test_L_17f_no_update_of_a_backtrace_is_lost),
    cmocka_unit_test(test_reading_a_backtrace_while_it_is_replaced),
    cmocka_unit_test(test_slots_that_share_an_error),
    cmocka_unit_test(test_settings_change_while_errors_are_raised),
})
