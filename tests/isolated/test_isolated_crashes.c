/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take their helper down: the host lives, says what happened, and the next call works.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "isolated/host.h"

static void check_works(TVMFFIObjectHandle module) {
  TVMFFIAny result;
  check_ok(host_call(module, "fine", NULL, 0, &result));
  assert_int_equal(result.v_int64, 42);
}

static bool has_proc(void) {
  return access("/proc/self/statm", R_OK) == 0;
}

static int count_files(void) {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  assert_non_null(folder);
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static int64_t count_mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int64_t count = 0;
  int c;
  assert_non_null(file);
  while ((c = getc(file)) != EOF) count += c == '\n';
  fclose(file);
  return count;
}

/* The bytes of shared memory that can be read, and how many of them a core file would have. */
static void read_shared_bytes(uint64_t *readable, uint64_t *dumped) {
  FILE *file = fopen("/proc/self/smaps", "r");
  char line[512];
  uint64_t size = 0;
  *readable = *dumped = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long long begin, end;
    char access;
    if (sscanf(line, "%llx-%llx %c", &begin, &end, &access) == 3) {
      size = access == 'r' && strstr(line, "memfd:tvm_ffi_isolated") != NULL ? end - begin : 0;
      *readable += size;
    } else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dd") == NULL) {
      *dumped += size;
    }
  }
  fclose(file);
}

/* Whether a process is there, as zombie or not. */
static bool exists(int64_t pid) {
  return kill((pid_t)pid, 0) == 0;
}

/* ---- Ends ---- */

typedef struct {
  const char *kernel, *kind, *text;
} ending;

static void check_ends(TVMFFIObjectHandle module, const ending *expected) {
  TVMFFIAny result;
  int64_t pid = 0;
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  check_fails_with(host_call(module, expected->kernel, NULL, 0, &result), expected->kind,
                   expected->text);
  assert_false(exists(pid));
  check_works(module);
}

/* What a process that a kernel has started does to itself happens to it, and to nobody else. */
TEST(test_signals_in_children) {
  static const int kSignals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny arg, result;
  size_t i;
  for (i = 0; i < sizeof kSignals / sizeof *kSignals; ++i) {
    int status;
    arg = tvm_ffi_any_from_int64(kSignals[i]);
    check_ok(host_call(module, "raise_in_child", &arg, 1, &result));
    status = (int)result.v_int64;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), kSignals[i]);
  }
  check_works(module);
  tvm_ffi_object_release(module);
}

/* Pages of memory that nobody uses; 0 if the system does not tell. */
static long free_pages(void) {
#ifdef _SC_AVPHYS_PAGES
  return sysconf(_SC_AVPHYS_PAGES);
#else
  return 0;
#endif
}

/* While the system takes the memory back, the first thread has ended, and the process has not. */
TEST(test_ends_with_much_memory) {
  enum { kSize = 768 << 20, kRounds = 6 };
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny args[2], result;
  int i;
  if (HAS_ADDRESS_SANITIZER || free_pages() < 2 * (kSize / sysconf(_SC_PAGESIZE))) {
    tvm_ffi_object_release(module);
    skip();
  }
  args[0] = tvm_ffi_any_from_int64(kSize);
  for (i = 0; i < kRounds; ++i) {
    args[1] = tvm_ffi_any_from_bool(i % 2 != 0);
    check_fails_with(host_call(module, "end_with_much_memory", args, 2, &result),
                     i % 2 != 0 ? TVM_FFI_ISOLATED_CRASH_ERROR : TVM_FFI_ISOLATED_EXIT_ERROR,
                     i % 2 != 0 ? "killed by somebody else" : "ended with exit code 3");
  }
  check_works(module);
  tvm_ffi_object_release(module);
}

/* ---- Paths in messages ---- */

/* Loads a library from a path of more than a thousand bytes, and calls a kernel that crashes. The
 * message has the whole path, as UTF-8. */
static void check_path(const char *odd, const char *shown_odd) {
  enum { kFolders = 5, kRepeats = 100 };
  char path[4096], shown[8192];
  char *end, *shown_end;
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  int i, k;
  environment_temporary("tvm_ffi_path", path);
  assert_non_null(mkdtemp(path));
  strcpy(shown, path);
  end = path + strlen(path);
  shown_end = shown + strlen(shown);
  for (i = 0; i < kFolders; ++i) {
    *end++ = *shown_end++ = '/';
    for (k = 0; k < kRepeats; ++k) {
      end += sprintf(end, "%s", odd);
      shown_end += sprintf(shown_end, "%s", shown_odd);
    }
    assert_int_equal(mkdir(path, 0700), 0);
  }
  strcpy(end, "/bad.so");
  strcpy(shown_end, "/bad.so: the helper process crashed: SIGSEGV");
  assert_int_equal(symlink(module_path("isolated_bad.so"), path), 0);
  {
    const tvm_ffi_isolated_options options = host_options();
    check_ok(tvm_ffi_isolated_load(path, &options, &module));
  }
  check_fails_with(host_call(module, "crash", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   shown);
  tvm_ffi_object_release(module);
  (void)unlink(path);
  for (i = 0; i <= kFolders; ++i) {
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
  }
}

TEST(test_long_and_odd_paths) {
  check_path("\xc3\xa9", "\xc3\xa9");
  check_path("\xe9", "\\xe9");
  check_path("\xc0\xaf", "\\xc0\\xaf");
  check_path("\xf9\x80", "\\xf9\\x80");
}

/* Hosts choose a locale; this one has a decimal comma. */
TEST(test_time_limit_in_a_locale) {
  tvm_ffi_isolated_options options = host_options();
  ending expected = {"loop", TVM_FFI_ISOLATED_TIMEOUT_ERROR, NULL};
  char text[32];
  TVMFFIObjectHandle module;
  options.timeout = environment_patience(0.2);
  snprintf(text, sizeof text, "longer than %g s", options.timeout);
  expected.text = text;
  module = host_load_with("isolated_bad.so", &options);
  check_ends(module, &expected);
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL) check_ends(module, &expected);
  (void)setlocale(LC_NUMERIC, "C");
  tvm_ffi_object_release(module);
}

/* The cause of a crash is the signal, with a backtrace of the kernel. */
TEST(test_backtraces) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIObjectHandle error, cause;
  TVMFFIAny result;
  assert_int_equal(host_call(module, "crash", NULL, 0, &result), -1);
  error = tvm_ffi_error_take();
  cause = tvm_ffi_error_get_cause(error);
  assert_non_null(cause);
  assert_true(tvm_ffi_error_is(cause, "SIGSEGV"));
#if defined(__GLIBC__)
  assert_non_null(strstr(tvm_ffi_error_get_backtrace(cause).data, "isolated_bad.so"));
#endif
  tvm_ffi_object_release(error);
  tvm_ffi_object_release(module);
}

TEST(test_load) {
  const tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module = NULL;
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_bad_at_load.so"), &options, &module),
                   TVM_FFI_ISOLATED_CRASH_ERROR, "the loading of ");
}

TEST(test_exception) {
#ifdef TEST_CPP
  const TVMFFIObjectHandle module = host_load("isolated_bad_cpp.so");
  TVMFFIAny result;
  check_fails_with(host_call(module, "throw", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "nobody catches this");
  tvm_ffi_object_release(module);
#endif
}

/* What damages the helper without ending it. */
TEST(test_damage) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny result, arg = tvm_ffi_any_from_int64((int64_t)1 << 30);
  const int rounding = fegetround();
  TVMFFIObjectHandle fine = NULL;
  int64_t before = 0, after = 0;
  int code;
  check_ok(host_call(module, "round_up", NULL, 0, &result));
  check_ok(host_call(module, "rounding", NULL, 0, &result));
  assert_int_equal(result.v_int64, 1);
  assert_int_equal(fegetround(), rounding);
  check_ok(host_call(module, "print", &arg, 1, &result)); /* a gigabyte */
  check_fails_with(host_call(module, "fail_silently", NULL, 0, &result), "InternalError",
                   "without setting an error");
  check_works(module);
  check_ok(tvm_ffi_isolated_read_process(module, 0, &before));
  /* Its answer may arrive, or not. Then the next call says that the state of kernels is lost. */
  code = host_call(module, "close_files", NULL, 0, &result);
  usleep(100000);
  if (code == 0) code = tvm_ffi_module_find_function(module, "fine", &fine);
  assert_int_equal(code, -1);
  check_raised_with(TVM_FFI_ISOLATED_CHANNEL_ERROR, "its files were closed");
  check_works(module);
  check_ok(tvm_ffi_isolated_read_process(module, 0, &after));
  assert_int_not_equal(before, after);
  tvm_ffi_object_release(module);
}

/* A file that a kernel opens in the place of one of the helper's stays as it is. */
TEST(test_replaced_files) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  char path[kEnvironmentPath];
  TVMFFIObjectHandle fine = NULL;
  TVMFFIAny arg, result;
  struct stat status;
  int file;
  environment_temporary("tvm_ffi_isolated", path);
  file = mkstemp(path);
  arg = tvm_ffi_any_view_string(path);
  assert_true(file >= 0);
  /* The answer is in the shared memory when the helper ends. */
  check_ok(host_call(module, "replace_files", &arg, 1, &result));
  assert_int_equal(fstat(file, &status), 0);
  assert_int_equal(status.st_size, 0);
  check_fails_with(tvm_ffi_module_find_function(module, "fine", &fine),
                   TVM_FFI_ISOLATED_CHANNEL_ERROR, "its files were closed");
  check_works(module);
  close(file);
  unlink(path);
  tvm_ffi_object_release(module);
}

/* Accidents with shared tensors hit the helper, not the neighbours. */
TEST(test_overrun) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  DLPackManagedTensorAllocator before;
  DLDevice cpu = {kDLCPU, 0};
  TVMFFIObjectHandle tensors[3] = {NULL, NULL, NULL};
  TVMFFIAny args[2], result;
  int64_t n = 4096, i, j;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_isolated_allocate, 0, &before));
  for (i = 0; i < 3; ++i) {
    check_ok(tvm_ffi_tensor_create(cpu, TVM_FFI_C_UINT8, 1, &n, &tensors[i]));
    memset(TVMFFITensorGetDLTensorPtr(tensors[i])->data, 0, 4096);
  }
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, NULL));
  for (i = 0; i < 3; ++i) {
    args[0] = tvm_ffi_any_view_object(tensors[i]);
    args[1] = tvm_ffi_any_from_int64(0);
    check_ok(host_call(module, "overrun", args, 2, &result)); /* the helper knows all three */
  }
  args[0] = tvm_ffi_any_view_object(tensors[1]);
  args[1] = tvm_ffi_any_from_int64(4097);
  check_fails_with(host_call(module, "overrun", args, 2, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "SIGSEGV");
  for (i = 0; i < 3; ++i) {
    const unsigned char *data = TVMFFITensorGetDLTensorPtr(tensors[i])->data;
    for (j = 0; j < 4096; ++j) assert_int_equal(data[j], i == 1 ? 0x5a : 0);
    tvm_ffi_object_release(tensors[i]);
  }
  tvm_ffi_object_release(module);
}

TEST(test_no_restart) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module, fine = NULL, crash = NULL;
  TVMFFIAny result;
  int64_t pid = 1;
  options.no_restart = 1;
  module = host_load_with("isolated_bad.so", &options);
  check_ok(tvm_ffi_module_get_function(module, "fine", &fine));
  check_ok(tvm_ffi_module_get_function(module, "crash", &crash));
  check_fails_with(tvm_ffi_function_call(crash, NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "SIGSEGV");
  check_fails_with(tvm_ffi_function_call(fine, NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "SIGSEGV");
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  assert_int_equal(pid, 0);
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(crash);
  tvm_ffi_object_release(module);
}

/* A helper that somebody kills between two calls is replaced. */
TEST(test_killed_between_calls) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny result;
  TVMFFIObjectHandle fine = NULL;
  int64_t pid = 0;
  check_ok(tvm_ffi_module_get_function(module, "fine", &fine));
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  kill((pid_t)pid, SIGKILL);
  check_fails_with(tvm_ffi_function_call(fine, NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "killed by somebody else");
  check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
  assert_int_equal(result.v_int64, 42);
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(module);
}

static void *kill_soon(void *pid) {
  usleep(50000);
  kill((pid_t) * (int64_t *)pid, SIGKILL);
  return NULL;
}

/* With one processor, a side sleeps at once, and is woken by what the other does. */
TEST(test_one_processor) {
  TVMFFIObjectHandle module, fine = NULL;
  pthread_t killer;
  TVMFFIAny result;
  int64_t pid = 0;
  int i;
  assert_true(environment_use_processors(true));
  module = host_load("isolated_bad.so");
  check_ok(tvm_ffi_module_get_function(module, "fine", &fine));
  for (i = 0; i < 2000; ++i) {
    if (i % 100 == 0) usleep(1000);
    check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
    assert_int_equal(result.v_int64, 42);
  }
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  assert_int_equal(pthread_create(&killer, NULL, kill_soon, &pid), 0);
  check_fails_with(host_call(module, "sleep_long", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "killed by somebody else");
  pthread_join(killer, NULL);
  check_works(module);
  assert_true(environment_use_processors(false));
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(module);
}

/* Death is noticed at once, not when something is polled. */
TEST(test_latency_of_death) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIObjectHandle end = NULL;
  TVMFFIAny result;
  double best = 1, begin;
  int i;
  check_ok(tvm_ffi_module_get_function(module, "end_quickly", &end));
  for (i = 0; i < 20; ++i) {
    check_works(module);
    begin = host_now();
    assert_int_equal(tvm_ffi_function_call(end, NULL, 0, &result), -1);
    if (host_now() - begin < best) best = host_now() - begin;
  }
  check_raised_with(TVM_FFI_ISOLATED_EXIT_ERROR, "exit code 0");
  assert_true(best < 0.02);
  tvm_ffi_object_release(end);
  tvm_ffi_object_release(module);
}

/* ---- Limits ---- */

TEST(test_memory_limit) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module;
  TVMFFIAny arg = tvm_ffi_any_from_int64(1 << 30), result;
  if (HAS_ADDRESS_SANITIZER || !has_proc()) skip();
  options.memory = 64 << 20;
  module = host_load_with("isolated_bad.so", &options);
  check_ok(host_call(module, "take_piece", &arg, 1, &result));
  assert_false(result.v_int64);
  check_fails_with(host_call(module, "take_memory", NULL, 0, &result),
                   TVM_FFI_ISOLATED_MEMORY_ERROR, "of which it may have 67108864");
  check_works(module);
  tvm_ffi_object_release(module);
}

TEST(test_processor_limit) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  options.cpu_seconds = 1;
  module = host_load_with("isolated_bad.so", &options);
  check_fails_with(host_call(module, "loop", NULL, 0, &result), TVM_FFI_ISOLATED_TIMEOUT_ERROR,
                   "more than 1 s of processor time");
  check_works(module);
  tvm_ffi_object_release(module);
}

/* Loads with something forbidden; NULL where the system cannot forbid it. */
static TVMFFIObjectHandle load_forbidding(int32_t what) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module = NULL, error;
  options.forbids = what;
  if (tvm_ffi_isolated_load(module_path("isolated_bad.so"), &options, &module) == 0) return module;
  error = tvm_ffi_error_take();
  assert_true(tvm_ffi_error_is(error, TVM_FFI_ISOLATED_START_ERROR));
  tvm_ffi_error_print(error, stdout);
  tvm_ffi_object_release(error);
  return NULL;
}

TEST(test_forbidden) {
  char path[kEnvironmentPath];
  TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny arg, result;
  environment_temporary("tvm_ffi_isolated", path);
  close(mkstemp(path));
  arg = tvm_ffi_any_view_string(path);
  check_ok(host_call(module, "open_socket", NULL, 0, &result));
  assert_int_equal(result.v_int64, 0);
  check_ok(host_call(module, "write_file", &arg, 1, &result));
  assert_int_equal(result.v_int64, 0);
  tvm_ffi_object_release(module);

  module = load_forbidding(TVM_FFI_ISOLATED_NETWORK);
  if (module != NULL) {
    check_ok(host_call(module, "open_socket", NULL, 0, &result));
    assert_int_equal(result.v_int64, EACCES);
    check_ok(host_call(module, "fork_bomb", NULL, 0, &result));
    assert_int_equal(result.v_int64, 8);
    tvm_ffi_object_release(module);
  }
  module = load_forbidding(TVM_FFI_ISOLATED_FILES);
  if (module != NULL) {
    check_ok(host_call(module, "write_file", &arg, 1, &result));
    assert_int_equal(result.v_int64, EACCES);
    check_ok(host_call(module, "open_socket", NULL, 0, &result));
    assert_int_equal(result.v_int64, 0);
    tvm_ffi_object_release(module);
  }
  module = load_forbidding(TVM_FFI_ISOLATED_PROCESSES);
  if (module != NULL) {
    check_ok(host_call(module, "fork_bomb", NULL, 0, &result));
    assert_int_equal(result.v_int64, 0);
    tvm_ffi_object_release(module);
  }
  unlink(path);
}

/* ---- The host ---- */

/* What happened is known even if the host takes the status of all its children. */
TEST(test_ignored_children) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  struct sigaction action, old;
  TVMFFIAny result;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &action, &old);
  check_fails_with(host_call(module, "crash", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "SIGSEGV");
  check_fails_with(host_call(module, "end_with_exit", NULL, 0, &result),
                   TVM_FFI_ISOLATED_EXIT_ERROR, "the helper process ended");
  check_works(module);
  sigaction(SIGCHLD, &old, NULL);
  tvm_ffi_object_release(module);
}

/* A helper ends with its host, however that ends. Not every first process of a container takes the
 * status of such processes, so this one does. */
TEST(test_end_of_host) {
  int64_t pid = 0;
  int pipes[2], i;
  pid_t host;
#ifdef __linux__
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
#endif
  assert_int_equal(pipe(pipes), 0);
  host = fork();
  if (host == 0) {
    const TVMFFIObjectHandle module = host_load("isolated_bad.so");
    (void)tvm_ffi_isolated_read_process(module, 0, &pid);
    (void)!write(pipes[1], &pid, sizeof pid);
    kill(getpid(), SIGKILL);
  }
  close(pipes[1]);
  assert_int_equal(read(pipes[0], &pid, sizeof pid), sizeof pid);
  close(pipes[0]);
  waitpid(host, NULL, 0);
  assert_true(pid > 0);
  for (i = 0; i < 500 && waitpid((pid_t)pid, NULL, WNOHANG) != pid && exists(pid); ++i) {
    usleep(10000);
  }
  assert_false(exists(pid));
#ifdef __linux__
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
#endif
}

/* In a child by fork, calls start a helper of its own; that of the parent goes on. */
static void check_fork(int32_t no_restart) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle module;
  int64_t before = 0, after = 0;
  int status = 0;
  pid_t child;
  options.no_restart = no_restart;
  module = host_load_with("isolated_bad.so", &options);
  check_works(module);
  check_ok(tvm_ffi_isolated_read_process(module, 0, &before));
  child = fork();
  if (child == 0) {
    TVMFFIAny result;
    const int failed = host_call(module, "fine", NULL, 0, &result) != 0 || result.v_int64 != 42;
    tvm_ffi_object_release(module);
    _exit(failed);
  }
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  check_works(module);
  check_ok(tvm_ffi_isolated_read_process(module, 0, &after));
  assert_int_equal(before, after);
  tvm_ffi_object_release(module);
}

/* A child starts a helper of its own, even if none is started again. */
TEST(test_fork) {
  check_fork(0);
  check_fork(1);
}

typedef struct {
  TVMFFIObjectHandle function;
  bool is_done;
} blocked_call;

/* A call that takes as long as it may. */
static void *call_blocked(void *context) {
  blocked_call *self = context;
  TVMFFIAny result;
  (void)tvm_ffi_function_call(self->function, NULL, 0, &result);
  TVMFFIErrorSetRaised(NULL);
  __atomic_store_n(&self->is_done, true, __ATOMIC_RELEASE);
  pthread_testcancel();
  return NULL;
}

/* In a child by fork, where a thread was in a call that does not exist there. */
TEST(test_fork_during_a_call) {
  tvm_ffi_isolated_options options = host_options();
  blocked_call blocked = {NULL, false};
  TVMFFIObjectHandle module;
  pthread_t thread;
  int status = 0;
  pid_t child;
  options.timeout = environment_patience(2);
  module = host_load_with("isolated_bad.so", &options);
  check_ok(tvm_ffi_module_get_function(module, "sleep_long", &blocked.function));
  assert_int_equal(pthread_create(&thread, NULL, call_blocked, &blocked), 0);
  usleep(200000);
  child = fork();
  if (child == 0) {
    TVMFFIObjectHandle fine = NULL;
    TVMFFIAny result;
    (void)alarm(60 * environment_slower());
    _exit(tvm_ffi_module_get_function(module, "fine", &fine) != 0 ||
          tvm_ffi_function_call(fine, NULL, 0, &result) != 0 || result.v_int64 != 42);
  }
  assert_false(__atomic_load_n(&blocked.is_done, __ATOMIC_ACQUIRE));
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  pthread_join(thread, NULL);
  check_works(module);
  tvm_ffi_object_release(blocked.function);
  tvm_ffi_object_release(module);
}

/* A thread that is cancelled in a call ends after it, and others may call. */
TEST(test_cancelled_thread) {
  tvm_ffi_isolated_options options = host_options();
  blocked_call blocked = {NULL, false};
  TVMFFIObjectHandle module;
  pthread_t thread;
  void *ended = NULL;
  options.timeout = environment_patience(0.5);
  module = host_load_with("isolated_bad.so", &options);
  check_ok(tvm_ffi_module_get_function(module, "sleep_long", &blocked.function));
  assert_int_equal(pthread_create(&thread, NULL, call_blocked, &blocked), 0);
  usleep(100000);
  assert_int_equal(pthread_cancel(thread), 0);
  assert_int_equal(pthread_join(thread, &ended), 0);
  assert_true(ended == PTHREAD_CANCELED);
  assert_true(blocked.is_done);
  (void)alarm(60 * environment_slower());
  check_works(module);
  (void)alarm(0);
  tvm_ffi_object_release(blocked.function);
  tvm_ffi_object_release(module);
}

/* ---- Several processes and threads ---- */

enum { kThreads = 8, kRounds = 200 };

static TVMFFIObjectHandle shared_module;

static void *call_often(void *context) {
  TVMFFIObjectHandle fine = NULL, crash = NULL;
  TVMFFIAny result;
  int64_t *num_good = context;
  int i;
  if (tvm_ffi_module_get_function(shared_module, "fine", &fine) != 0) return NULL;
  if (tvm_ffi_module_get_function(shared_module, "crash", &crash) != 0) return NULL;
  for (i = 0; i < kRounds; ++i) {
    if (i % 50 == 49) {
      if (tvm_ffi_function_call(crash, NULL, 0, &result) == 0) return NULL;
      TVMFFIErrorSetRaised(NULL);
    } else if (tvm_ffi_function_call(fine, NULL, 0, &result) == 0 && result.v_int64 == 42) {
      ++*num_good;
    }
  }
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(crash);
  return NULL;
}

static void run_threads(int32_t processes) {
  tvm_ffi_isolated_options options = host_options();
  pthread_t threads[kThreads];
  int64_t num_good[kThreads] = {0};
  int i;
  options.processes = processes;
  shared_module = host_load_with("isolated_bad.so", &options);
  for (i = 0; i < kThreads; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &num_good[i]), 0);
  }
  for (i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    assert_int_equal(num_good[i], kRounds - kRounds / 50);
  }
  tvm_ffi_object_release(shared_module);
}

TEST(test_threads) {
  run_threads(1);
  run_threads(3);
}

/* ---- Growth ---- */

TEST(test_growth) {
  TVMFFIObjectHandle module, fine = NULL, crash = NULL;
  TVMFFIAny result;
  int64_t mappings;
  int i, files, open_files;
  if (!has_proc()) skip();
  files = count_files();
  module = host_load("isolated_bad.so");
  check_ok(tvm_ffi_module_get_function(module, "fine", &fine));
  check_ok(tvm_ffi_module_get_function(module, "crash", &crash));
  for (i = 0; i < 10; ++i) {
    assert_int_equal(tvm_ffi_function_call(crash, NULL, 0, &result), -1);
    check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
  }
  open_files = count_files();
  mappings = count_mappings();
  for (i = 0; i < 10000; ++i) check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
  for (i = 0; i < 200; ++i) {
    assert_int_equal(tvm_ffi_function_call(crash, NULL, 0, &result), -1);
    check_ok(tvm_ffi_function_call(fine, NULL, 0, &result));
  }
  TVMFFIErrorSetRaised(NULL);
  assert_int_equal(count_files(), open_files);
  assert_true(count_mappings() <= mappings + 4);
  tvm_ffi_object_release(fine);
  tvm_ffi_object_release(crash);
  tvm_ffi_object_release(module);
  /* The pool for tensors stays. */
  assert_true(count_files() <= files + 1);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

static long read_shared_memory(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long size = -1;
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "RssShmem: %ld", &size);
  fclose(file);
  return size;
}

/* The memory of messages goes with the helper, although its function is still there. */
TEST(test_memory_of_ended_helpers) {
  enum { kSize = 8 << 20 };
  TVMFFIObjectHandle module, crash = NULL;
  char *text = malloc(kSize);
  TVMFFIByteArray bytes = {text, kSize};
  TVMFFIAny arg, result;
  long before;
  assert_non_null(text);
  if (!has_proc() || read_shared_memory() < 0) {
    free(text);
    skip();
  }
  module = host_load("isolated_bad.so");
  memset(text, 'a', kSize);
  check_ok(tvm_ffi_module_get_function(module, "crash", &crash));
  arg = tvm_ffi_any_view_bytes(&bytes);
  before = read_shared_memory();
  assert_int_equal(tvm_ffi_function_call(crash, &arg, 1, &result), -1);
  assert_true(read_shared_memory() < before + kSize / 2 / 1024);
  free(text);
  tvm_ffi_object_release(crash);
  tvm_ffi_object_release(module);
  TVMFFIErrorSetRaised(NULL);
}

/*
 * What walks through all memory that can be read, as valgrind's search for leaks does, has little
 * to read, although addresses are reserved for much more.
 */
TEST(test_reserved_memory) {
  enum { kMost = 128 << 20, kSize = 5 << 20 };
  const uint64_t most = kMost;
  TVMFFIObjectHandle module;
  DLDevice cpu = {kDLCPU, 0};
  DLManagedTensorVersioned *shared[4];
  DLTensor prototype;
  int64_t shape[1] = {kSize}, strides[1];
  uint64_t readable, dumped;
  int i;
  if (access("/proc/self/smaps", R_OK) != 0) skip();
  module = host_load("isolated_bad.so");
  check_works(module);
  tvm_ffi_tensor_init(&prototype, NULL, cpu, TVM_FFI_C_UINT8, 1, shape, strides);
  for (i = 0; i < 4; ++i) {
    assert_int_equal(tvm_ffi_isolated_allocate(&prototype, &shared[i], NULL, NULL), 0);
    memset(shared[i]->dl_tensor.data, i, kSize);
  }
  read_shared_bytes(&readable, &dumped);
  assert_in_range(readable, 4 * kSize, most);
  assert_int_equal(dumped, 0);
  for (i = 0; i < 4; ++i) shared[i]->deleter(shared[i]);
  tvm_ffi_object_release(module);
}

/* ---- Signals of the host ---- */

static TVMFFIObjectHandle called_by_handler;
static bool is_refused;

/* As a frontend does that runs handlers of signals when it is asked. */
static int call_in_handler(void) {
  TVMFFIAny result;
  TVMFFIObjectHandle error;
  if (tvm_ffi_function_call(called_by_handler, NULL, 0, &result) == 0) return 0;
  error = tvm_ffi_error_take();
  is_refused = tvm_ffi_error_is(error, TVM_FFI_C_RUNTIME_ERROR);
  tvm_ffi_object_release(error);
  return 0;
}

static void *take_no_lock(void) {
  return NULL;
}

static void do_nothing(int number) {
  (void)number;
}

static int num_checks;

static int count_checks(void) {
  ++num_checks;
  return 0;
}

TEST(test_calls_by_handlers) {
  tvm_ffi_isolated_options options = host_options();
  struct sigaction action, before;
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  union {
    int (*check)(void);
    void *(*ensure)(void);
    void (*release)(int number);
    void *data;
  } hook;
  options.timeout = environment_patience(2);
  module = host_load_with("isolated_bad.so", &options);
  check_ok(tvm_ffi_module_get_function(module, "fine", &called_by_handler));
  memset(&action, 0, sizeof action);
  action.sa_handler = do_nothing; /* and no SA_RESTART */
  sigaction(SIGALRM, &action, &before);
  hook.ensure = take_no_lock;
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", hook.data));
  hook.release = do_nothing;
  check_ok(TVMFFIEnvRegisterCAPI("PyGILState_Release", hook.data));
  hook.check = call_in_handler;
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", hook.data));
  alarm(1);
  check_fails_with(host_call(module, "loop", NULL, 0, &result), TVM_FFI_ISOLATED_TIMEOUT_ERROR,
                   "took longer than ");
  /* Signals that do not interrupt a sleep, because they come between two, are noticed. */
  hook.check = count_checks;
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", hook.data));
  check_fails_with(host_call(module, "loop", NULL, 0, &result), TVM_FFI_ISOLATED_TIMEOUT_ERROR,
                   "took longer than ");
  assert_in_range(num_checks, 2, 1000);
  check_ok(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", NULL));
  sigaction(SIGALRM, &before, NULL);
  assert_true(is_refused);
  check_works(module);
  tvm_ffi_object_release(called_by_handler);
  tvm_ffi_object_release(module);
}

/* ---- Output ---- */

/* What a call prints is there when it returns. */
TEST(test_shown_output) {
  tvm_ffi_isolated_options options = host_options();
  const TVMFFIAny words = tvm_ffi_any_view_string("said");
  const int errors = dup(STDERR_FILENO);
  char path[kEnvironmentPath], text[16];
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  FILE *file;
  int i;
  environment_temporary("tvm_ffi_isolated", path);
  file = fdopen(mkstemp(path), "w+");
  assert_non_null(file);
  unlink(path);
  options.shows_output = 1;
  dup2(fileno(file), STDERR_FILENO);
  module = host_load_with("isolated_bad.so", &options);
  dup2(errors, STDERR_FILENO);
  close(errors);
  for (i = 0; i < 50; ++i) {
    check_ok(host_call(module, "say", &words, 1, &result));
    assert_int_equal(pread(fileno(file), text, sizeof text, 4 * i), 4);
    assert_memory_equal(text, "said", 4);
  }
  tvm_ffi_object_release(module);
  fclose(file);
}

/* Calls go on when nobody reads what they print any more. */
TEST(test_output_without_reader) {
  tvm_ffi_isolated_options options = host_options();
  const TVMFFIAny words = tvm_ffi_any_view_string("said");
  const int errors = dup(STDERR_FILENO);
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  int ends[2], i;
  assert_int_equal(pipe(ends), 0);
  options.shows_output = 1;
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
  module = host_load_with("isolated_bad.so", &options);
  dup2(errors, STDERR_FILENO);
  close(errors);
  close(ends[0]);
  for (i = 0; i < 10; ++i) check_ok(host_call(module, "say", &words, 1, &result));
  tvm_ffi_object_release(module);
}

/* ---- By name, as a host loads it that cannot be changed ---- */

static int load_named(const char *options, TVMFFIObjectHandle *out) {
  char path[8192];
  snprintf(path, sizeof path, "%s:%s", options, module_path("isolated_bad.so"));
  *out = NULL;
  return TVMFFIRuntimeModuleLoad(path, out);
}

TEST(test_named) {
  char options[128], text[48];
  TVMFFIObjectHandle module, function = NULL;
  TVMFFIAny result;
  check_ok(load_named("isolated", &module));
  check_ok(TVMFFIRuntimeModuleAllowUnload(module)); /* for hosts that do so with each library */
  check_fails_with(host_call(module, "crash", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "crashed: SIGSEGV");
  check_works(module);
  tvm_ffi_object_release(module);

  snprintf(options, sizeof options, "isolated,timeout=%g,load_timeout=%u%s",
           environment_patience(0.25), 30 * environment_slower(),
           HAS_ADDRESS_SANITIZER ? "" : ",memory=1000000000");
  snprintf(text, sizeof text, "took longer than %g s", environment_patience(0.25));
  check_ok(load_named(options, &module));
  check_fails_with(host_call(module, "loop", NULL, 0, &result), TVM_FFI_ISOLATED_TIMEOUT_ERROR,
                   text);
  check_works(module);
  tvm_ffi_object_release(module);

  check_ok(
      load_named("isolated,no_restart=1,processes=1,shows_output=0,cpu_seconds=9,"
                 "open_files=40",
                 &module));
  check_fails_with(host_call(module, "crash", NULL, 0, &result), TVM_FFI_ISOLATED_CRASH_ERROR,
                   "crashed: SIGSEGV");
  check_fails_with(tvm_ffi_module_get_function(module, "fine", &function),
                   TVM_FFI_ISOLATED_CRASH_ERROR, "crashed: SIGSEGV");
  tvm_ffi_object_release(module);
}

TEST(test_wrong_names) {
  static const char *const kOptions[] = {
      "isolated,",           "isolated,timeout",       "isolated,timeout=",
      "isolated,timeout=-1", "isolated,timeout=1e3",   "isolated,timeout=1..2",
      "isolated,timeout=.",  "isolated,processes=1.5", "isolated,processes=2147483648",
      "isolated,memory=1G",  "isolated,forbids=all",   "isolated,forbids=network+",
      "isolated,Timeout=1",  "isolated,timeout=1,,",   "isolated,memory=99999999999999999999",
  };
  const TVMFFIByteArray no_scheme = tvm_ffi_string_get_bytes("other:kernel.so");
  int (*load_by_name)(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) =
      tvm_ffi_isolated_load_named;
  TVMFFIObjectHandle module = NULL;
  size_t i;
  for (i = 0; i < sizeof kOptions / sizeof *kOptions; ++i) {
    check_fails_with(load_named(kOptions[i], &module), TVM_FFI_C_VALUE_ERROR,
                     "is not an option of `isolated:`");
  }
  check_fails_with(load_named("isolated,processes=1025", &module), TVM_FFI_C_VALUE_ERROR,
                   "options.processes is 1025");
  check_fails_with(TVMFFIRuntimeModuleLoad("isolated:", &module), TVM_FFI_C_VALUE_ERROR,
                   "`isolated:` is not `isolated:` with a path");
  check_fails_with(load_by_name(&no_scheme, &module), TVM_FFI_C_VALUE_ERROR,
                   "`other:kernel.so` is not");
  check_fails_with(load_by_name(NULL, &module), TVM_FFI_C_VALUE_ERROR, "`name` is NULL");
  /* Files whose names only look like it. */
  check_fails_with(TVMFFIRuntimeModuleLoad("./isolated:missing.so", &module), "InternalError",
                   "./isolated:missing.so");
  check_fails_with(TVMFFIRuntimeModuleLoad("isolated,missing.so", &module), "InternalError",
                   "isolated,missing.so");
  check_fails_with(TVMFFIRuntimeModuleLoad("isolated.so", &module), "InternalError", "isolated.so");
  assert_null(module);
}

RUN_TESTS({
    cmocka_unit_test(test_signals_in_children),
    cmocka_unit_test(test_ends_with_much_memory),
    cmocka_unit_test(test_long_and_odd_paths),
    cmocka_unit_test(test_time_limit_in_a_locale),
    cmocka_unit_test(test_backtraces),
    cmocka_unit_test(test_load),
    cmocka_unit_test(test_exception),
    cmocka_unit_test(test_damage),
    cmocka_unit_test(test_overrun),
    cmocka_unit_test(test_no_restart),
    cmocka_unit_test(test_killed_between_calls),
    cmocka_unit_test(test_one_processor),
    cmocka_unit_test(test_replaced_files),
    cmocka_unit_test(test_latency_of_death),
    cmocka_unit_test(test_memory_limit),
    cmocka_unit_test(test_processor_limit),
    cmocka_unit_test(test_forbidden),
    cmocka_unit_test(test_ignored_children),
    cmocka_unit_test(test_end_of_host),
    cmocka_unit_test(test_fork),
    cmocka_unit_test(test_fork_during_a_call),
    cmocka_unit_test(test_cancelled_thread),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_memory_of_ended_helpers),
    cmocka_unit_test(test_reserved_memory),
    cmocka_unit_test(test_calls_by_handlers),
    cmocka_unit_test(test_shown_output),
    cmocka_unit_test(test_output_without_reader),
    cmocka_unit_test(test_named),
    cmocka_unit_test(test_wrong_names),
})
