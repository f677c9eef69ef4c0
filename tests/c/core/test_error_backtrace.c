/* SPDX-License-Identifier: Apache-2.0 */
/* Which stack walker runs and when; test_error_backtrace_text.c tests the text of its frames. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "core/error.h"

#include <tvm/ffi/extra/c_runtime_api.h>

#include "platform/platform.h"
#include "support/check.h"
#include "support/environment.h"
#include "support/thread.h"

FIXTURE(reset) {
  tvmffi_backtrace_shutdown();
  return environment_set("TVM_TRACEBACK_LIMIT", NULL);
}

/* A walker of one frame that counts its walks in its context. */
static void count_walks(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  TVMFFIRuntimeFrame frame = {1, "kernel", "kernel.c", 3};
  ++*(int *)context;
  (void)visitor(visitor_context, &frame);
}

static const char kKernelLine[] = "  File \"kernel.c\", line 3, in kernel\n";

static void check_raised_backtrace(const char *expected) {
  TVMFFIObjectHandle error;
  TVMFFIErrorMoveFromRaised(&error);
  assert_non_null(error);
  assert_string_equal(TVMFFIErrorGetCellPtr(error)->backtrace.data, expected);
  assert_int_equal(TVMFFIErrorGetCellPtr(error)->backtrace.size, strlen(expected));
  TVMFFIObjectDecRef(error);
}

TEST(test_L_17b_no_stack_walk_unless_switched_on) {
  const char *part = "message";
  int walks = 0;
  check_ok(TVMFFIRuntimeSetStackWalker(count_walks, &walks));
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  check_raised_backtrace("");
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", &part, 1);
  check_raised_backtrace("");
  assert_int_not_equal(TVMFFIErrorCreate(NULL, NULL, NULL, NULL), 0);
  check_raised_backtrace("");
  assert_int_equal(walks, 0);
  assert_int_equal(TVMFFIRuntimeSetBacktraceEnabled(5), 0);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  check_raised_backtrace(kKernelLine);
  assert_int_equal(walks, 1);
  assert_int_equal(TVMFFIRuntimeSetBacktraceEnabled(0), 1);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  check_raised_backtrace("");
  assert_int_equal(walks, 1);
  assert_int_equal(TVMFFIRuntimeSetBacktraceEnabled(0), 0);
}

TEST(test_creating_an_error_walks_nothing) {
  TVMFFIObjectHandle error;
  int walks = 0;
  check_ok(TVMFFIRuntimeSetStackWalker(count_walks, &walks));
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  TVMFFIObjectDecRef(error);
  assert_int_equal(walks, 0);
}

TEST(test_who_asks_for_the_stack_gets_it) {
  int walks = 0;
  check_ok(TVMFFIRuntimeSetStackWalker(count_walks, &walks));
  assert_string_equal(TVMFFIBacktrace(NULL, 0, NULL, 0)->data, kKernelLine);
  assert_string_equal(TVMFFIBacktrace("file.c", 0, NULL, 0)->data, kKernelLine);
  assert_string_equal(TVMFFIBacktrace(NULL, 0, "function", 0)->data, kKernelLine);
  assert_int_equal(walks, 3);
  assert_string_equal(TVMFFIBacktrace("file.c", 7, "function", 0)->data,
                      "  File \"file.c\", line 7, in function\n");
  assert_int_equal(walks, 3);
}

TEST(test_another_walker_and_none) {
  int first = 0, second = 0;
  check_ok(TVMFFIRuntimeSetStackWalker(count_walks, &first));
  check_ok(TVMFFIRuntimeSetStackWalker(count_walks, &second));
  (void)TVMFFIBacktrace(NULL, 0, NULL, 0);
  check_ok(TVMFFIRuntimeSetStackWalker(NULL, &second));
  assert_non_null(TVMFFIBacktrace(NULL, 0, NULL, 1)->data);
  assert_int_equal(first, 0);
  assert_int_equal(second, 1);
}

/* A walker is the host's code: it may call the library and may fail there. */
static void raise_and_walk(void *context, TVMFFIRuntimeFrameVisitor visitor,
                           void *visitor_context) {
  TVMFFIErrorSetRaisedFromCStr("KeyError", "of the walker");
  assert_string_equal(TVMFFIBacktrace(NULL, 0, NULL, 0)->data, "");
  count_walks(context, visitor, visitor_context);
}

TEST(test_walkers_may_raise_errors) {
  int walks = 0;
  check_ok(TVMFFIRuntimeSetStackWalker(raise_and_walk, &walks));
  (void)TVMFFIRuntimeSetBacktraceEnabled(1);
  TVMFFIErrorSetRaisedFromCStr("ValueError", "message");
  assert_int_equal(walks, 1);
  check_raised_backtrace(kKernelLine);
}

typedef struct {
  const TVMFFIByteArray *backtrace;
  int is_right;
} other_thread;

static void walk_in_other_thread(void *context) {
  other_thread *other = context;
  const TVMFFIByteArray *mine = TVMFFIBacktrace("b.c", 2, "b", 0);
  other->is_right = mine != other->backtrace && mine->data != other->backtrace->data &&
                    strcmp(mine->data, "  File \"b.c\", line 2, in b\n") == 0;
}

TEST(test_the_text_is_lent_by_the_thread) {
  other_thread other = {NULL, 0};
  other.backtrace = TVMFFIBacktrace("a.c", 1, "a", 0);
  thread_run(walk_in_other_thread, &other, 0);
  assert_true(other.is_right);
  assert_string_equal(other.backtrace->data, "  File \"a.c\", line 1, in a\n");
}

/* ---- The built-in walker ---- */

typedef struct {
  int num_frames, stop_after;
  uintptr_t first_pcs[2];
} frames_seen;

static int note_frame(void *context, const TVMFFIRuntimeFrame *frame) {
  frames_seen *seen = context;
  if (seen->num_frames < 2) seen->first_pcs[seen->num_frames] = frame->pc;
  return ++seen->num_frames == seen->stop_after;
}

/* No TEST, so that frames of this function are between its address and its end. */
static void test_the_built_in_walker(void **state) {
  frames_seen all = {0, 0, {0, 0}}, two = {0, 2, {0, 0}};
  uintptr_t here = (uintptr_t)test_the_built_in_walker, pc;
  (void)state;
  tvmffi_stack_walk(NULL, note_frame, &all);
  if (all.num_frames == 0) {
    print_message("this build has no stack walker\n");
    skip();
  }
  /* Sanitizers add a frame of their own. */
  pc = all.first_pcs[0] - here < 4096 ? all.first_pcs[0] : all.first_pcs[1];
  assert_in_range(pc, here, here + 4096);
  assert_true(all.num_frames > 2);
  tvmffi_stack_walk(NULL, note_frame, &two);
  assert_int_equal(two.num_frames, 2);
}

/* A walker that runs the built-in one and looks at each frame itself. */
typedef struct {
  uintptr_t begin, end; /* the code of a function that calls the library */
  int has_walked, has_reached;
} caller_sought;

static int seek_caller(void *context, const TVMFFIRuntimeFrame *frame) {
  caller_sought *sought = context;
  sought->has_walked = 1;
  if (frame->pc >= sought->begin && frame->pc < sought->end) sought->has_reached = 1;
  return 0;
}

static void walk_to_caller(void *context, TVMFFIRuntimeFrameVisitor visitor,
                           void *visitor_context) {
  (void)visitor;
  (void)visitor_context;
  tvmffi_stack_walk(NULL, seek_caller, context);
}

static int fail_in_function(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "of a callback");
  return -1;
}

static int fail_to_parse(void) {
  static const TVMFFIByteArray nonsense = {"nonsense", 8};
  DLDataType dtype;
  return TVMFFIDataTypeFromString(&nonsense, &dtype);
}

static int fail_to_find_type(void) {
  static const TVMFFIByteArray nonsense = {"nonsense", 8};
  int32_t type_index;
  return TVMFFITypeKeyToIndex(&nonsense, &type_index);
}

static int fail_to_register(void) {
  return TVMFFITypeRegisterField(kTVMFFIObject, NULL);
}

static int fail_to_load(void) {
  static const TVMFFIByteArray name = {"ffi.ModuleLoadFromFile", 22};
  TVMFFIAny arg = {kTVMFFIRawStr, {0}, {0}}, result = {kTVMFFINone, {0}, {0}};
  TVMFFIObjectHandle function;
  int rc;
  arg.v_c_str = "file.of-no-format";
  check_ok(TVMFFIFunctionGetGlobal(&name, &function));
  rc = TVMFFIFunctionCall(function, &arg, 1, &result);
  TVMFFIObjectDecRef(function);
  return rc;
}

static int fail_in_closure(void) {
  TVMFFIAny result = {kTVMFFINone, {0}, {0}};
  TVMFFIObjectHandle closure;
  int rc;
  check_ok(TVMFFIFunctionCreate(&result, fail_in_function, NULL, &closure));
  rc = TVMFFIFunctionCall(closure, NULL, 0, &result);
  TVMFFIObjectDecRef(closure);
  return rc;
}

/* A library function without unwind tables would hide all frames below it. */
TEST(test_a_walk_reaches_who_called_the_library) {
  static int (*const kFail[])(void) = {fail_to_parse, fail_to_find_type, fail_to_register,
                                       fail_to_load, fail_in_closure};
  size_t i;
  for (i = 0; i < sizeof kFail / sizeof *kFail; ++i) {
    caller_sought sought = {0, 0, 0, 0};
    sought.begin = (uintptr_t)test_a_walk_reaches_who_called_the_library;
    sought.end = sought.begin + 4096;
    check_ok(TVMFFIRuntimeSetStackWalker(walk_to_caller, &sought));
    (void)TVMFFIRuntimeSetBacktraceEnabled(1);
    assert_int_equal(kFail[i](), -1);
    (void)TVMFFIRuntimeSetBacktraceEnabled(0);
    if (!sought.has_walked) {
      print_message("this build has no stack walker\n");
      skip();
    }
    assert_true(sought.has_reached);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_L_17b_no_stack_walk_unless_switched_on, reset),
      cmocka_unit_test_setup(test_creating_an_error_walks_nothing, reset),
      cmocka_unit_test_setup(test_who_asks_for_the_stack_gets_it, reset),
      cmocka_unit_test_setup(test_another_walker_and_none, reset),
      cmocka_unit_test_setup(test_walkers_may_raise_errors, reset),
      cmocka_unit_test_setup(test_the_text_is_lent_by_the_thread, reset),
      cmocka_unit_test_setup(test_the_built_in_walker, reset),
      cmocka_unit_test_setup(test_a_walk_reaches_who_called_the_library, reset),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}
