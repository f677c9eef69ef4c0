/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad kernels, a row each: what it does, what the host must see, and within how many seconds. After
 * each of them the module works: in the same helper if that lives, or in a new one.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../isolated/channel.h"
#include "isolated/host.h"

/* What the host sees of the helper. */
typedef enum {
  kLives, /* the call succeeds, or fails with the kernel's own error */
  kEnds,  /* the call fails, and says how the helper ended */
  kEither /* this call, or a later one, may fail, but none has another's result */
} fate;

typedef struct {
  const char *kernel, *what; /* the argument, if any, follows from the name */
  int64_t arg;
  fate fate;
  const char *kind, *text; /* of the error; NULL: none, or any */
  double timeout;          /* an option of the module, in seconds; 0: none */
  double seconds;          /* until the call has returned */
} row;

enum { kNoArg = -1000 };

#define CRASH TVM_FFI_ISOLATED_CRASH_ERROR
#define EXIT TVM_FFI_ISOLATED_EXIT_ERROR
#define CHANNEL TVM_FFI_ISOLATED_CHANNEL_ERROR
#define TIMEOUT TVM_FFI_ISOLATED_TIMEOUT_ERROR
/* What the allocator, or AddressSanitizer, finds ends the helper in another way. */
#define HEAP (HAS_ADDRESS_SANITIZER ? EXIT : CRASH)
#define HEAP_TEXT (HAS_ADDRESS_SANITIZER ? "ended with exit code 1; it printed: " : "crashed: SIG")

/* clang-format off */
static const row kSignals[] = {
  {"crash", "writes nowhere", kNoArg, kEnds, CRASH, "crashed: SIGSEGV at address 0x10", 0, 1},
  {"read_wild", "reads at an address of no process", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"call_nothing", "calls a function at 0", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"call_data", "calls bytes that are no code", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"write_constant", "writes to a constant", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"read_past_file", "reads behind the end of a file", kNoArg, kEnds, CRASH, "crashed: SIGBUS at", 0, 1},
  {"crash_before_alarm", "crashes while an alarm waits", kNoArg, kEnds, CRASH, "crashed: SIGSEGV at address 0x10", 0, 1},
  {"crash_while_blocked", "crashes with all signals blocked", kNoArg, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"crash_with_handler", "returns from a handler of the crash", 0, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"crash_with_handler", "crashes in a handler of the crash", 1, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"crash_with_handler", "takes the helper's handler out", 2, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"crash_with_handler", "ignores the signal of a crash", 3, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"crash_in_handler", "crashes in a handler of its own", kNoArg, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"crash_without_signal_stack", "protects the stack of handlers", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"recover", "jumps out of a crash", kNoArg, kLives, NULL, NULL, 0, 1},
#if defined(__i386__) || defined(__x86_64__)
  {"divide_by_zero", "divides by zero", kNoArg, kEnds, CRASH, "crashed: SIGFPE", 0, 1},
#endif
  {"end_with_abort", "aborts", kNoArg, kEnds, CRASH, "crashed: SIGABRT; it printed: the last words", 0, 1},
  {"abort_while_blocked", "aborts with all signals blocked", kNoArg, kEnds, CRASH, "crashed: SIGABRT", 0, 1},
  {"raise_signal", "raises SIGILL", SIGILL, kEnds, CRASH, "crashed: SIGILL", 0, 1},
  {"raise_signal", "raises SIGTRAP", SIGTRAP, kEnds, CRASH, "crashed: SIGTRAP", 0, 1},
  {"raise_signal", "raises SIGSYS", SIGSYS, kEnds, CRASH, "crashed: SIGSYS", 0, 1},
  {"raise_signal", "raises SIGTERM", SIGTERM, kEnds, CRASH, "crashed: SIGTERM", 0, 1},
  {"raise_signal", "raises SIGQUIT", SIGQUIT, kEnds, CRASH, "crashed: SIGQUIT", 0, 1},
  {"raise_signal", "raises SIGUSR1", SIGUSR1, kEnds, CRASH, "crashed: ", 0, 1},
  {"raise_signal", "raises SIGXCPU", SIGXCPU, kEnds, CRASH, "crashed: SIGXCPU", 0, 1},
  {"raise_signal", "stops itself", SIGSTOP, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"raise_signal", "raises a signal that does nothing", SIGCHLD, kLives, NULL, NULL, 0, 1},
#ifdef SIGRTMIN
  {"raise_real_time_signal", "raises a real-time signal", kNoArg, kEnds, CRASH, "crashed: ", 0, 1},
#endif
  {"set_timer", "runs into an alarm", 0, kEnds, CRASH, "crashed: SIGALRM", 0, 1},
  {"set_timer", "runs into a profiler's timer", 1, kEnds, CRASH, "crashed: ", 0, 1},
  {"write_to_nobody", "writes to a pipe without a reader", kNoArg, kEnds, CRASH, "crashed: SIGPIPE", 0, 1},
  {"write_too_much", "makes a file larger than it may be", kNoArg, kEnds, CRASH, "crashed: SIGXFSZ", 0, 1},
  {"kill_itself", "kills itself", kNoArg, kEnds, CRASH, "killed by somebody else", 0, 1},
  {"kill_group", "kills its group of processes", kNoArg, kEnds, CRASH, "killed by somebody else", 0, 1},
  {"print_and_crash", "prints much, and crashes", kNoArg, kEnds, CRASH, "line 99999", 0, 2},
};

static const row kExits[] = {
  {"end_with_exit", "exits", kNoArg, kEnds, EXIT, "ended with exit code 3", 0, 1},
  {"end_quickly", "exits without its handlers", kNoArg, kEnds, EXIT, "ended with exit code 0", 0, 1},
  {"exit_with", "exits as a helper that cannot start does", 122, kEnds, EXIT, "ended with exit code 122", 0, 1},
  {"exit_with", "exits as a helper that leaves does", 121, kEnds, EXIT, "ended with exit code 121", 0, 1},
  {"exit_with", "exits with a code beyond a byte", 256 + 7, kEnds, EXIT, "ended with exit code 7", 0, 1},
  {"loop_in_exit", "never ends to exit", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"crash_in_exit", "crashes while it exits", kNoArg, kEnds, CRASH, "crashed: SIGSEGV at address 0x10", 0, 1},
  {"end_thread", "ends the thread of the call", 0, kEnds, EXIT, "a kernel ended the thread that calls it", 0, 1},
#ifdef __linux__
  {"end_thread", "ends it by the call of the system", 1, kEnds, EXIT, "a kernel ended the thread that calls it", 0, 1},
#endif
  {"cancel_itself", "cancels the thread of the call", kNoArg, kEnds, EXIT, "a kernel ended the thread that calls it", 0, 1},
  {"execute", "executes a program that goes on", kNoArg, kEnds, CHANNEL, "a kernel executed another program, or closed its files", 0, 1},
#ifdef __linux__
  {"execute_program", "executes the helper again", 0, kEnds, NULL, "the helper process ended", 0, 1},
#endif
  {"execute_program", "executes a program that is not there", 1, kLives, NULL, NULL, 0, 1},
};

static const row kThreads[] = {
  {"run_thread", "crashes in another thread", 0, kEnds, CRASH, "crashed: SIGSEGV at address 0x10", 0, 1},
  {"run_thread", "exits in another thread", 1, kEnds, EXIT, "ended with exit code 7", 0, 1},
  {"run_thread", "overflows the stack of another thread", 2, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"run_thread", "is cancelled by another thread", 3, kEnds, EXIT, "a kernel ended the thread that calls it", 0, 1},
  {"leave_threads", "leaves four threads that never sleep", 4, kLives, NULL, NULL, 0, 1},
  {"lock_twice", "waits for its own lock", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"loop", "never returns", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"loop_and_ignore", "never returns, and ignores signals", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"sleep_long", "sleeps for ever", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"stop", "stops", kNoArg, kEnds, TIMEOUT, "took longer than", 0.3, 1},
};

static const row kMemory[] = {
  {"overflow_stack", "recurses without end", kNoArg, kEnds, CRASH, "crashed: SIGSEGV at address 0x", 0, 1},
  {"overflow_the_only_stack", "does so without a stack for handlers", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"jump_over_guard", "writes far below its stack", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"unmap_stack", "unmaps its stack", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"unmap_code", "unmaps its code", kNoArg, kEnds, CRASH, "crashed: SIG", 0, 1},
  {"overflow_heap", "overwrites the heap", kNoArg, kEnds, NULL, NULL, 0, 3},
#ifdef __GLIBC__
  {"free_twice", "frees a block twice", kNoArg, kEnds, NULL, NULL, 0, 3},
  {"free_no_block", "frees what is no block", kNoArg, kEnds, NULL, NULL, 0, 3},
#endif
  {"use_too_large_block", "uses a block that it did not get", kNoArg, kEnds, NULL, NULL, 0, 3},
  {"limit_itself", "lets itself open and map nothing", kNoArg, kEither, NULL, NULL, 1, 2},
  {"scribble_on_messages", "writes on messages to it for ever", 0, kEither, NULL, NULL, 1, 2},
  {"scribble_on_messages", "writes on its own messages for ever", 1, kEither, NULL, NULL, 1, 2},
#ifdef __linux__
  {"lose_header", "unmaps the header", 0, kEnds, CRASH, "crashed: SIGSEGV", 0, 2},
  {"lose_header", "protects the header", 1, kEnds, CRASH, "crashed: SIGSEGV", 0, 2},
  {"lose_header", "maps other memory over the header", 2, kEnds, NULL, NULL, 0.5, 2},
  {"lose_header", "takes the memory of all messages away", 3, kEither, NULL, NULL, 0.5, 2},
#endif
};

static const row kProcesses[] = {
  {"fork_and_crash", "forks, and crashes", kNoArg, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"fork_and_exit", "forks, and exits", kNoArg, kEnds, EXIT, "ended with exit code 4", 0, 1},
  {"fork_a_crash", "forks a child that crashes", 0, kLives, NULL, NULL, 0, 1},
  {"fork_a_crash", "does so by the call of the system", 1, kLives, NULL, NULL, 0, 1},
  {"fork_a_crash", "does so by vfork", 2, kLives, NULL, NULL, 0, 1},
  {"fork_and_return", "forks children that return", 0, kLives, NULL, NULL, 0, 1},
  {"fork_and_return", "does so by the call of the system", 1, kLives, NULL, NULL, 0, 1},
  {"fork_and_return", "forks children that return from exec", 3, kLives, NULL, NULL, 0, 1},
  {"fork_bomb", "forks children that stay", kNoArg, kLives, NULL, NULL, 0, 1},
  {"leave_a_daemon", "leaves a daemon", kNoArg, kLives, NULL, NULL, 0, 1},
  {"signal_parent", "is stopped by a child", SIGSTOP, kEnds, TIMEOUT, "took longer than", 0.3, 1},
  {"signal_parent", "is killed by a child", SIGKILL, kEnds, CRASH, "killed by somebody else", 0, 1},
#ifdef __linux__
  {"leave_a_child_to_the_host", "gives the host a child", kNoArg, kLives, NULL, NULL, 0, 1},
  {"trace_and_crash", "makes the host its tracer, and crashes", kNoArg, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"be_traced_by_child", "ends with a child that traces it", kNoArg, kEnds, CRASH, "killed by somebody else", 0, 1},
#endif
};

static const row kFiles[] = {
  {"close_files", "closes all files", kNoArg, kEither, NULL, NULL, 0, 1},
  {"close_file", "closes the file of the channel", kFileChannel, kLives, NULL, NULL, 0, 1},
  {"close_file", "closes the socket", kFileSocket, kEither, NULL, NULL, 0, 1},
  {"close_file", "closes the bell", kFileBell, kEither, NULL, NULL, 0, 1},
  {"close_file", "closes where output arrives", kFileOutput, kEither, NULL, NULL, 0, 1},
  {"close_file", "closes the pool of tensors", kFilePool, kLives, NULL, NULL, 0, 1},
  {"close_file", "closes the host's standard error", kFileErrors, kLives, NULL, NULL, 0, 1},
  {"close_streams", "closes its standard streams", kNoArg, kLives, NULL, NULL, 0, 1},
  {"shut_socket", "shuts the socket", kNoArg, kEither, NULL, NULL, 0, 1},
  {"fill_socket", "fills the socket", kNoArg, kLives, NULL, NULL, 0, 1},
  {"shrink_file", "makes the shared memory smaller", kNoArg, kLives, NULL, NULL, 0, 1},
  {"print", "prints without end", 64 << 20, kLives, NULL, NULL, 0, 5},
#ifdef __linux__
  {"ring", "wakes the host without end", kNoArg, kLives, NULL, NULL, 0, 1},
  {"ring_most_often", "rings until the next ring has to wait", kNoArg, kEither, NULL, NULL, 1, 2},
#endif
};

static const row kResults[] = {
  {"fail_silently", "fails without an error", kNoArg, kLives, "InternalError", "without setting an error", 0, 1},
  {"fail_with", "returns a code that means nothing", 5, kLives, "InternalError", NULL, 0, 1},
  {"fail_with", "returns the least code", INT32_MIN, kLives, "InternalError", NULL, 0, 1},
  {"fail_at_length", "has a message of 1 MB", 1000000, kLives, "ValueError", "xxxx", 0, 1},
  {"fail_oddly", "has a kind and a message of no characters", kNoArg, kLives, NULL, "%s%n", 0, 1},
  {"fail_as_frontend", "says that an exception is pending", kNoArg, kLives, "RuntimeError", NULL, 0, 1},
  {"fail_for_many_reasons", "has an error with 1000 causes", 1000, kLives, "ValueError", "because", 0, 1},
  {"return_nested", "returns what is nested 10000 deep", 10000, kLives, "ValueError", "nested more than", 0, 2},
  {"return_endless", "returns a list that contains itself", kNoArg, kLives, "ValueError", "nested more than", 0, 1},
  {"return_pointer", "returns a pointer", kNoArg, kLives, "TypeError", "a pointer cannot cross", 0, 1},
  {"return_no_type", "returns a value of no type", kNoArg, kLives, "TypeError", "cannot cross to another process", 0, 1},
  {"return_no_object", "returns an object that is none", kNoArg, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"return_text", "returns more bytes than may cross", (256 << 20) + 1, kLives, "MemoryError", "256 MiB", 0, 5},
  {"return_tensor", "returns a tensor without elements", 0, kEnds, CRASH, "crashed: SIGSEGV", 0, 1},
  {"return_tensor", "returns a tensor of a negative size", 1, kLives, "ValueError", "cannot cross", 0, 1},
#if UINTPTR_MAX > 0xffffffff
  {"return_tensor", "returns a tensor of 4 TiB", 2, kLives, NULL, "memory", 0, 2},
#endif
  {"return_tensor", "returns a tensor of 70 dimensions", 3, kLives, "ValueError", "cannot cross", 0, 1},
  {"return_tensor", "returns a tensor of a GPU", 4, kLives, "TypeError", "a tensor on cuda:0 cannot", 0, 1},
  {"return_colliding_keys", "returns a map whose keys collide", 5000, kLives, NULL, NULL, 0, 3},
};
/* clang-format on */

/* ---- Running a row ---- */

static TVMFFIObjectHandle load_for(const row *r) {
  tvm_ffi_isolated_options options = host_options();
  options.timeout = r->timeout > 0 ? environment_patience(r->timeout) : 0;
  return host_load_with("isolated_bad.so", &options);
}

/* The arguments of a kernel; returns their number. */
static int32_t make_args(const row *r, TVMFFIAny *args) {
  if (r->arg == kNoArg) return 0;
  args[0] = tvm_ffi_any_from_int64(r->arg);
  args[1] = tvm_ffi_any_from_bool(false);
  if (strcmp(r->kernel, "execute_program") == 0) {
    args[0] = tvm_ffi_any_view_string(r->arg == 0 ? "/proc/self/exe" : "/no/such/program");
  }
  return strcmp(r->kernel, "return_colliding_keys") == 0 ? 2 : 1;
}

static void fail_row(const row *r, const char *what, double seconds) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  if (error != NULL) tvm_ffi_error_print(error, stderr);
  tvm_ffi_object_release(error);
  fail_msg("%s, which %s: %s, after %g s", r->kernel, r->what, what, seconds);
}

/* Takes the raised error: whether it is the one of the row. */
static bool has_expected_error(const row *r) {
  const TVMFFIObjectHandle error = tvm_ffi_error_take();
  const bool is_helpers =
      error != NULL && strncmp(tvm_ffi_error_get_kind(error).data, "Helper", strlen("Helper")) == 0;
  bool fits = error != NULL && is_helpers == (r->fate != kLives);
  if (r->kind != NULL) fits = fits && tvm_ffi_error_is(error, r->kind);
  if (r->text != NULL) {
    fits = fits && strstr(tvm_ffi_error_get_message(error).data, r->text) != NULL;
  }
  if (fits) {
    tvm_ffi_object_release(error);
  } else {
    TVMFFIErrorSetRaised(error);
    tvm_ffi_object_release(error);
  }
  return fits;
}

/* The first call of the kernel itself. */
static void check_call(const row *r, TVMFFIObjectHandle module) {
  TVMFFIAny args[2], result;
  const int32_t num_args = make_args(r, args);
  const TVMFFIObjectHandle function = host_get(module, r->kernel);
  const double begin = host_now();
  const int code = tvm_ffi_function_call(function, args, num_args, &result);
  const double seconds = host_now() - begin;
  tvm_ffi_object_release(function);
  if (code == 0) tvm_ffi_any_clear(&result);
  if (seconds > environment_patience(r->seconds)) fail_row(r, "it took too long", seconds);
  if (r->fate == kEither) {
    TVMFFIErrorSetRaised(NULL);
  } else if (code == 0) {
    if (r->fate == kEnds || r->kind != NULL || r->text != NULL) fail_row(r, "no error", seconds);
  } else if (!has_expected_error(r) || (r->fate == kLives && r->kind == NULL && r->text == NULL)) {
    fail_row(r, "another error", seconds);
  }
}

/* Later calls have their own results, in time; where helpers may have been lost, they say so. */
static void check_later_calls(const row *r, TVMFFIObjectHandle module) {
  enum { kCalls = 20, kMostErrors = 3 };
  TVMFFIObjectHandle echo = NULL;
  int errors = 0, i;
  for (i = 0; i < kCalls; ++i) {
    TVMFFIAny arg = tvm_ffi_any_from_int64(1000 + i), result = tvm_ffi_any_none();
    const double begin = host_now();
    int code = echo != NULL ? 0 : tvm_ffi_module_get_function(module, "echo", &echo);
    if (code == 0) code = tvm_ffi_function_call(echo, &arg, 1, &result);
    if (host_now() - begin > environment_patience(r->seconds)) {
      fail_row(r, "a later call took too long", host_now() - begin);
    }
    if (code == 0 && result.v_int64 != 1000 + i) fail_row(r, "a later call's result is wrong", 0);
    if (code != 0 && (r->fate != kEither || ++errors > kMostErrors)) {
      fail_row(r, "a later call failed", 0);
    }
    TVMFFIErrorSetRaised(NULL);
    if (r->fate == kEither) usleep(2000);
  }
  tvm_ffi_object_release(echo);
}

static void check_row(const row *r) {
  enum { kMost = 30 };
  const TVMFFIObjectHandle module = load_for(r);
  const int64_t before = host_read_process(module);
  printf("%s %s\n", r->kernel, r->what); /* an alarm ends the program where a call never returns */
  fflush(stdout);
  (void)alarm(kMost * environment_slower());
  check_call(r, module);
  check_later_calls(r, module);
  if (r->fate != kEither && (host_read_process(module) == before) != (r->fate == kLives)) {
    fail_row(r, r->fate == kLives ? "the helper ended" : "the helper lives", 0);
  }
  tvm_ffi_object_release(module);
  (void)alarm(0);
  if (waitpid(-1, NULL, WNOHANG) != -1) fail_row(r, "a child is left", 0);
}

#define CHECK_ROWS(rows)                                                           \
  do {                                                                             \
    size_t i_;                                                                     \
    for (i_ = 0; i_ < sizeof(rows) / sizeof *(rows); ++i_) check_row(&(rows)[i_]); \
  } while (0)

TEST(test_signals) {
  CHECK_ROWS(kSignals);
}

TEST(test_exits) {
  CHECK_ROWS(kExits);
}

TEST(test_threads) {
  CHECK_ROWS(kThreads);
}

TEST(test_memory) {
  CHECK_ROWS(kMemory);
}

TEST(test_processes) {
  CHECK_ROWS(kProcesses);
}

TEST(test_files) {
  CHECK_ROWS(kFiles);
}

TEST(test_results) {
  CHECK_ROWS(kResults);
}

/* ---- Output ---- */

/* The helper reads what it prints in another thread, which the end of the process interrupts. */
TEST(test_last_words) {
  enum { kTimes = 100 };
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  const TVMFFIObjectHandle end = host_get(module, "end_with_abort");
  TVMFFIAny result;
  int i;
  for (i = 0; i < kTimes; ++i) {
    TVMFFIObjectHandle error;
    assert_int_not_equal(tvm_ffi_function_call(end, NULL, 0, &result), 0);
    error = tvm_ffi_error_take();
    if (strstr(tvm_ffi_error_get_message(error).data, "the last words") == NULL) {
      fail_msg("call %d: %s", i, tvm_ffi_error_get_message(error).data);
    }
    tvm_ffi_object_release(error);
  }
  tvm_ffi_object_release(end);
  tvm_ffi_object_release(module);
}

/* ---- Each word of the header ---- */

/* Words that the helper alone uses, and pads, are written once each; the others many times. */
TEST(test_words_of_the_header) {
  static const int64_t kValues[] = {0, 1, 2, 3, 0x7fffffff, 0xffffffff};
  row r = {"overwrite_word", "overwrites a word of the header", 0, kEither, NULL, NULL, 0.5, 2};
  const int64_t end = (int64_t)offsetof(channel_header, output_size) + 8;
  TVMFFIObjectHandle module, function;
  TVMFFIAny args[2], result;
  size_t i;
  for (args[0] = tvm_ffi_any_from_int64(0); args[0].v_int64 < end; args[0].v_int64 += 4) {
    module = load_for(&r);
    (void)alarm(60 * environment_slower());
    for (i = 0; i < sizeof kValues / sizeof *kValues; ++i) {
      const double begin = host_now();
      args[1] = tvm_ffi_any_from_int64(kValues[i]);
      if (tvm_ffi_module_get_function(module, r.kernel, &function) == 0) {
        (void)tvm_ffi_function_call(function, args, 2, &result);
        tvm_ffi_object_release(function);
      }
      TVMFFIErrorSetRaised(NULL);
      if (host_now() - begin > environment_patience(r.seconds)) {
        fail_msg("word %d, value %d: too long", (int)args[0].v_int64, (int)kValues[i]);
      }
    }
    check_later_calls(&r, module);
    tvm_ffi_object_release(module);
    (void)alarm(0);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_signals),
    cmocka_unit_test(test_exits),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_processes),
    cmocka_unit_test(test_files),
    cmocka_unit_test(test_results),
    cmocka_unit_test(test_last_words),
    cmocka_unit_test(test_words_of_the_header),
})
