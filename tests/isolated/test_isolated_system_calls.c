/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failing calls of the system, and failing allocations, in the host of isolated modules. Each trial
 * is a child process that has not used the library before: the n-th call of one function fails
 * there, or also all that follow, while helpers are started, called, crash and are released. A call
 * of the library may fail then, with an error that says what the system refused. After that the
 * same is done without failures and must work, and nothing may be left: no memory, no open file, no
 * mapping, no process.
 *
 * The arguments are the functions, which the linker replaces by the wrappers below. Each of them
 * must have failed. After --few not every call fails: a helper is started for each.
 */
#define _GNU_SOURCE /* the types of the wrappers */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/isolated.h>

#include "faults/trials.h"
#include "support/environment.h"

/* ---- Calls ---- */

#define WRAP_CALL(type, name, parameters, arguments) \
  WRAP(type, name, parameters, arguments, (errno = reason, -1))

WRAP_CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags))
WRAP_CALL(int, ftruncate64, (int file, off_t size), (file, size))
WRAP_CALL(int, fallocate64, (int file, int mode, off_t offset, off_t size),
          (file, mode, offset, size))
WRAP_CALL(int, mprotect, (void *address, size_t size, int protection), (address, size, protection))
WRAP_CALL(int, socketpair, (int domain, int type, int protocol, int files[2]),
          (domain, type, protocol, files))
WRAP_CALL(int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
WRAP_CALL(int, ppoll,
          (struct pollfd * files, nfds_t count, const struct timespec *timeout,
           const sigset_t *signals),
          (files, count, timeout, signals))
WRAP_CALL(ssize_t, recv, (int file, void *out, size_t size, int flags), (file, out, size, flags))
WRAP_CALL(int, eventfd, (unsigned count, int flags), (count, flags))
WRAP_CALL(int, timerfd_create, (int clock, int flags), (clock, flags))
WRAP_CALL(int, timerfd_settime,
          (int file, int flags, const struct itimerspec *time, struct itimerspec *old),
          (file, flags, time, old))
WRAP_CALL(int, epoll_create1, (int flags), (flags))
WRAP_CALL(int, epoll_ctl, (int set, int operation, int file, struct epoll_event *event),
          (set, operation, file, event))
WRAP_CALL(int, epoll_wait, (int set, struct epoll_event *out, int count, int timeout),
          (set, out, count, timeout))
WRAP_CALL(int, kill, (pid_t process, int number), (process, number))
WRAP_CALL(int, waitid, (int what, id_t process, siginfo_t *out, int options),
          (what, process, out, options))
WRAP_CALL(pid_t, waitpid, (pid_t process, int *out, int options), (process, out, options))
WRAP_CALL(int, sched_getaffinity, (pid_t process, size_t size, cpu_set_t *out),
          (process, size, out))
WRAP_CALL(int, getrlimit64, (int resource, struct rlimit64 *out), (resource, out))
WRAP_CALL(int, access, (const char *path, int mode), (path, mode))
WRAP_CALL(int, msync, (void *begin, size_t size, int flags), (begin, size, flags))
WRAP(int, dladdr, (const void *address, Dl_info *out), (address, out), 0)
WRAP(int, posix_spawn,
     (pid_t * out, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const words[], char *const environment[]),
     (out, path, actions, attributes, words, environment), reason)
WRAP(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * out), (out), reason)
WRAP(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * out, int from, int to),
     (out, from, to), reason)
WRAP(int, posix_spawnattr_init, (posix_spawnattr_t * out), (out), reason)
WRAP(int, pthread_atfork, (void (*prepare)(void), void (*parent)(void), void (*child)(void)),
     (prepare, parent, child), reason)

static long num_advices;

int __real_madvise(void *address, size_t size, int advice);
int __wrap_madvise(void *address, size_t size, int advice);
WRAPPER int __wrap_madvise(void *address, size_t size, int advice) {
  ++num_advices;
  return fails_now("madvise") ? (errno = reason, -1) : __real_madvise(address, size, advice);
}

static long num_sends;

ssize_t __real_send(int file, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int file, const void *bytes, size_t size, int flags);
WRAPPER ssize_t __wrap_send(int file, const void *bytes, size_t size, int flags) {
  ++num_sends;
  return fails_now("send") ? (errno = reason, -1) : __real_send(file, bytes, size, flags);
}

static long live_mappings;

void *__real_mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset);
WRAPPER void *__wrap_mmap64(void *address, size_t size, int protection, int flags, int file,
                            off_t offset) {
  void *made;
  if (fails_now("mmap64")) {
    errno = reason;
    return MAP_FAILED;
  }
  made = __real_mmap64(address, size, protection, flags, file, offset);
  live_mappings += made != MAP_FAILED;
  return made;
}

int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);
WRAPPER int __wrap_munmap(void *address, size_t size) {
  if (fails_now("munmap")) {
    errno = reason;
    return -1;
  }
  --live_mappings;
  return __real_munmap(address, size);
}

int __real_fcntl64(int file, int command, ...);
int __wrap_fcntl64(int file, int command, ...);
WRAPPER int __wrap_fcntl64(int file, int command, ...) {
  va_list rest;
  void *argument; /* as libc reads it */
  va_start(rest, command);
  argument = va_arg(rest, void *);
  va_end(rest);
  if (!fails_now("fcntl64")) return __real_fcntl64(file, command, argument);
  errno = reason;
  return -1;
}

/* futex, and pidfd_open and pidfd_send_signal, which old systems and containers refuse. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
WRAPPER long __wrap_syscall(long number, ...) {
  va_list rest;
  long arguments[6]; /* as libc reads them */
  int i;
  va_start(rest, number);
  for (i = 0; i < 6; ++i) arguments[i] = va_arg(rest, long);
  va_end(rest);
  if (fails_now("syscall")) {
    errno = reason;
    return -1;
  }
  return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                        arguments[4], arguments[5]);
}

/* ---- Allocations ---- */

static long live_blocks;

static void *count_block(void *block) {
  live_blocks += block != NULL;
  return block;
}

/* An allocation that makes one block more. */
#define WRAP_ALLOCATION(name, parameters, arguments)                                         \
  void *__real_##name parameters;                                                            \
  void *__wrap_##name parameters;                                                            \
  WRAPPER void *__wrap_##name parameters {                                                   \
    return fails_now(#name) ? (errno = ENOMEM, NULL) : count_block(__real_##name arguments); \
  }

WRAP_ALLOCATION(malloc, (size_t size), (size))
WRAP_ALLOCATION(calloc, (size_t count, size_t size), (count, size))
WRAP_ALLOCATION(strdup, (const char *text), (text))

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
WRAPPER void *__wrap_realloc(void *block, size_t size) {
  if (fails_now("realloc")) {
    errno = ENOMEM;
    return NULL;
  }
  if (block != NULL) return __real_realloc(block, size);
  return count_block(__real_realloc(block, size));
}

int __real_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
WRAPPER int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
  int rc;
  if (fails_now("posix_memalign")) return ENOMEM;
  rc = __real_posix_memalign(out, alignment, size);
  live_blocks += rc == 0;
  return rc;
}

void __real_free(void *block);
void __wrap_free(void *block);
WRAPPER void __wrap_free(void *block) {
  live_blocks -= block != NULL;
  __real_free(block);
}

/* ---- Checks, in the child process ---- */

/* Whether a text says that the system refused something for this reason. */
static bool names_reason(const char *text) {
  return strstr(text, strerror(reason)) != NULL ||
         (reason == ENOMEM && strstr(text, "memory") != NULL);
}

/* A call has failed: with an error that says what the system refused, not that a kernel did it. */
static void check_refused(void) {
  TVMFFIObjectHandle error;
  const char *kind, *text;
  bool is_named;
  TVMFFIErrorMoveFromRaised(&error);
  require(error != NULL);
  kind = TVMFFIErrorGetCellPtr(error)->kind.data;
  text = TVMFFIErrorGetCellPtr(error)->message.data;
  is_named = strcmp(kind, TVM_FFI_C_MEMORY_ERROR) == 0 ||
             ((strcmp(kind, TVM_FFI_ISOLATED_START_ERROR) == 0 ||
               strcmp(kind, TVM_FFI_ISOLATED_CHANNEL_ERROR) == 0) &&
              names_reason(text) && strstr(text, "damaged") == NULL);
  if (!is_named) print_error("%s: %s\n", kind, text);
  require(is_named);
  TVMFFIObjectDecRef(error);
}

/* Whether a call succeeded, which only a failure of the system's may prevent. */
static bool worked(int rc) {
  is_armed = false;
  if (rc == 0) return true;
  if (fired == 0) {
    TVMFFIObjectHandle error;
    TVMFFIErrorMoveFromRaised(&error);
    if (error != NULL) print_error("%s\n", TVMFFIErrorGetCellPtr(error)->message.data);
  }
  require(rc == -1);
  require(fired != 0);
  is_noticed = true;
  check_refused();
  return false;
}

static TVMFFIObjectHandle try_load(const char *file) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  TVMFFIObjectHandle module = NULL;
  const char *path = module_path(file);
  options.helper = getenv("TVM_FFI_TEST_HELPER");
  options.timeout = options.load_timeout = 30.0 * environment_slower();
  is_armed = true;
  return worked(tvm_ffi_isolated_load(path, &options, &module)) ? module : NULL;
}

static TVMFFIObjectHandle try_get(TVMFFIObjectHandle module, const char *name) {
  TVMFFIObjectHandle function = NULL;
  is_armed = true;
  return worked(tvm_ffi_module_get_function(module, name, &function)) ? function : NULL;
}

static void release(TVMFFIObjectHandle object) {
  is_armed = true;
  tvm_ffi_object_release(object);
  is_armed = false;
}

static bool try_call(TVMFFIObjectHandle module, const char *name, const TVMFFIAny *args,
                     int32_t num_args, TVMFFIAny *result) {
  const TVMFFIObjectHandle function = try_get(module, name);
  bool done = false;
  if (function == NULL) return false;
  is_armed = true;
  done = worked(tvm_ffi_function_call(function, args, num_args, result));
  release(function);
  return done;
}

/* ---- What is done ---- */

static TVMFFIObjectHandle good; /* of the steps that follow; NULL: it could not be loaded */

static void load_good(void) {
  good = try_load("isolated_good.so");
}

/* Both sides sleep, and have to be woken. */
static void call_slowly(void) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(5), result;
  usleep(5000);
  (void)try_call(good, "nap", &arg, 1, &result);
}

static void send_a_long_text(void) {
  enum { kSize = 1 << 20 };
  static char text[kSize + 1];
  TVMFFIAny arg, result;
  TVMFFIByteArray got = {NULL, 0};
  memset(text, 'a', kSize);
  arg = tvm_ffi_any_view_string(text);
  if (!try_call(good, "same", &arg, 1, &result)) return;
  require(tvm_ffi_any_read_string(&result, &got) == 0 && got.size == kSize);
  tvm_ffi_any_clear(&result);
}

static const DLDevice kCpu = {kDLCPU, 0};

static void use_shared_tensors(void) {
  DLPackManagedTensorAllocator before;
  TVMFFIObjectHandle tensor = NULL;
  int64_t n = 300000;
  TVMFFIAny args[2], result;
  float *data;
  bool done;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_isolated_allocate, 0, &before));
  is_armed = true;
  done = worked(tvm_ffi_tensor_create(kCpu, TVM_FFI_C_FLOAT32, 1, &n, &tensor));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, NULL));
  if (!done) return;
  data = TVMFFITensorGetDLTensorPtr(tensor)->data;
  data[n - 1] = 2;
  args[0] = args[1] = tvm_ffi_any_view_object(tensor);
  if (try_call(good, "add_to", args, 2, &result)) require(data[n - 1] == 4);
  release(tensor);
}

static void copy_tensors(void) {
  static float data[100000];
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  data[99999] = 1;
  args[0] = args[1] = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 100000);
  require(try_call(good, "add_to", args, 2, &result) ? data[99999] == 2 : data[99999] == 1);
}

/* The system is asked about pages, not about elements. */
static void copy_strided_tensors(void) {
  static float data[40000];
  int64_t strides[1] = {4};
  const long before = num_advices;
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  int i;
  for (i = 0; i < 40000; ++i) data[i] = 1;
  args[0] = args[1] = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 10000);
  v.tensor.strides = strides;
  require(try_call(good, "add_to", args, 2, &result) ? data[39996] == 2 : data[39996] == 1);
  require(num_advices - before < 200);
}

static void get_tensors(void) {
  static const int64_t kSizes[] = {10, 100000};
  size_t i;
  for (i = 0; i < 2; ++i) {
    TVMFFIAny arg = tvm_ffi_any_from_int64(kSizes[i]), result;
    if (!try_call(good, "iota", &arg, 1, &result)) continue;
    require(((float *)TVMFFITensorGetDLTensorPtr(result.v_obj)->data)[9] == 9);
    release(result.v_obj);
  }
}

/* Not armed itself, but called by the library, which is. */
TVM_FFI_C_FUNCTION(be_called, "(...) -> int") {
  const bool was_armed = is_armed;
  is_armed = false;
  require(args->num_args == 2);
  is_armed = was_armed;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(7));
}

static void call_back(void) {
  TVMFFIObjectHandle function = NULL;
  float data[4] = {1, 2, 3, 4};
  tvm_ffi_vector v;
  TVMFFIAny args[3], result;
  check_ok(TVMFFIFunctionCreate(NULL, be_called, NULL, &function));
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_view_string("a text that is not short");
  args[2] = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 4);
  if (try_call(good, "call", args, 3, &result)) require(result.v_int64 == 7);
  tvm_ffi_object_release(function);
}

static void release_good(void) {
  release(good);
  good = NULL;
}

/* A kernel that has started a process crashes; the next call works, and that process is gone. */
static void crash(void) {
  const TVMFFIObjectHandle module = try_load("isolated_bad.so");
  TVMFFIObjectHandle end, error;
  TVMFFIAny result;
  int64_t process = 0;
  if (module == NULL) return;
  end = try_get(module, "fork_and_crash");
  if (end != NULL) {
    check_ok(tvm_ffi_isolated_read_process(module, 0, &process));
    is_armed = true;
    require(tvm_ffi_function_call(end, NULL, 0, &result) == -1);
    is_armed = false;
    TVMFFIErrorMoveFromRaised(&error);
    require(error != NULL);
    require(fired != 0 || tvm_ffi_error_is(error, TVM_FFI_ISOLATED_CRASH_ERROR));
    tvm_ffi_object_release(error);
    /* What the kernel has started would go on for ever. */
    if (process > 0 && strcmp(failing, "kill") == 0) (void)kill((pid_t)-process, SIGKILL);
    release(end);
  }
  if (try_call(module, "fine", NULL, 0, &result)) require(result.v_int64 == 42);
  release(module);
}

/* Without the path of the helper, which is not beside this program. */
static void find_no_helper(void) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  TVMFFIObjectHandle module = NULL, error;
  const char *path = module_path("isolated_good.so");
  is_armed = true;
  require(tvm_ffi_isolated_load(path, &options, &module) == -1);
  is_armed = false;
  TVMFFIErrorMoveFromRaised(&error);
  require(error != NULL);
  if (fired == 0 || strcmp(failing, "access") == 0 || strcmp(failing, "dladdr") == 0) {
    require(tvm_ffi_error_is(error, TVM_FFI_ISOLATED_START_ERROR));
    require(strstr(tvm_ffi_error_get_message(error).data,
                   "tvm_ffi_isolated_helper: No such file") != NULL);
  }
  tvm_ffi_object_release(error);
}

static const struct {
  const char *name;
  void (*run)(void);
  bool needs_good;
} steps[] = {
    {"a helper is started", load_good, false},   {"a call that takes its time", call_slowly, true},
    {"a long text", send_a_long_text, true},     {"shared tensors", use_shared_tensors, true},
    {"copied tensors", copy_tensors, true},      {"strided tensors", copy_strided_tensors, true},
    {"tensors as results", get_tensors, true},   {"a callback", call_back, true},
    {"the end of a helper", release_good, true}, {"a crash", crash, false},
    {"no helper", find_no_helper, false}};

static void run_steps(void) {
  size_t i;
  for (i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    step = steps[i].name;
    if (good != NULL || !steps[i].needs_good) steps[i].run();
  }
  TVMFFIErrorSetRaised(NULL);
}

/* ---- Other ways to sleep ---- */

/* Whether this process can have filters of calls. qemu-user has none. */
static bool has_filters(void) {
  return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/* Whether what fails is called only where both sides sleep in poll(). */
static bool needs_poll(const char *name) {
  return strcmp(name, "send") == 0 || strcmp(name, "ppoll") == 0;
}

/*
 * Lets the calls fail by which a helper waits for its host, and the host for a helper, here and in
 * the helpers. The futexes of the C library, within a process, have another operation.
 */
static void refuse_sleeps(void) {
  enum { kFutexWait = 0, kOperation = offsetof(struct seccomp_data, args[1]) };
  const uint32_t half = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_create1, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOperation + half),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kFutexWait, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* ---- What is left ---- */

typedef struct {
  long blocks, mappings;
  int files;
} remains;

static remains *after_success; /* shared with the child processes */

static int count_entries(const char *folder) {
  DIR *files = opendir(folder);
  int count = 0;
  require(files != NULL);
  while (readdir(files) != NULL) ++count;
  (void)closedir(files);
  return count;
}

/* Whether a helper is left, dead or alive. The start of another looks after those. */
static bool has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static long milliseconds(void) {
  struct timespec now;
  require(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int try_once(void) {
  enum { kShortestLook = 50 }; /* milliseconds between two looks at a helper, at least */
  const long begin = milliseconds();
  const bool refuses = has_filters() && (needs_poll(failing) || strcmp(failing, "recv") == 0);
  remains now;
  bool is_fired;
  int round;
  long kept_mappings;
  is_trial = true;
  (void)atexit(print_step);
  (void)alarm(120 * environment_slower());
  if (refuses) refuse_sleeps();
  run_steps();
  is_fired = fired != 0;
  kept_mappings = strcmp(failing, "munmap") == 0 ? fired : 0;
  fired = 0;
  countdown = -1;
  run_steps();
  for (round = 0; round < 100 && has_children(); ++round) {
    usleep(20000);
    run_steps();
  }
  step = "end";
  require(!has_children());
  /* Only a helper without them is woken so; a look at a slow one sends, too. */
  require(num_sends <= (milliseconds() - begin) / kShortestLook || refuses);
  now.blocks = live_blocks;
  now.files = count_entries("/proc/self/fd");
  now.mappings = live_mappings;
  if (after_success->files == 0) {
    *after_success = now;
  } else {
    require(now.blocks == after_success->blocks);
    require(now.files == after_success->files);
    require(now.mappings == after_success->mappings + kept_mappings);
  }
  is_trial = false;
  return !is_fired ? kUnspoilt : is_noticed ? kNoticed : kUnnoticed;
}

/* ---- Trials ---- */

/* Calls that are interrupted by a signal are not all interrupted. */
static const struct {
  const char *name;
  int reason;
} rows[] = {
    {"memfd_create", EMFILE},
    {"memfd_create", ENOMEM},
    {"ftruncate64", ENOMEM},
    {"fcntl64", EMFILE},
    {"mmap64", ENOMEM},
    {"munmap", ENOMEM},
    {"madvise", ENOMEM},
    {"msync", EIO}, /* ENOMEM is no failure: the memory is not there */
    {"mprotect", ENOMEM},
    {"fallocate64", ENOSPC},
    {"fallocate64", EINTR},
    {"open64", EMFILE},
    {"socketpair", ENFILE},
    {"posix_spawn", EAGAIN},
    {"posix_spawn", EACCES},
    {"posix_spawn_file_actions_init", ENOMEM},
    {"posix_spawn_file_actions_adddup2", ENOMEM},
    {"posix_spawnattr_init", ENOMEM},
    {"syscall", ENOSYS},
    {"syscall", EPERM},
    {"syscall", EMFILE},

    {"close", EIO},
    {"poll", EINTR},
    {"poll", EINVAL},
    {"ppoll", EINTR},
    {"ppoll", ENOMEM},
    {"ppoll", EINVAL},
    {"eventfd", EMFILE},
    {"timerfd_create", EMFILE},
    {"timerfd_settime", EINVAL},
    {"epoll_create1", EMFILE},
    {"epoll_ctl", ENOMEM},
    {"epoll_wait", EINTR},
    {"epoll_wait", EINVAL},
    {"recv", ENOMEM},
    {"recv", EINTR},
    {"send", ENOBUFS},
    {"kill", EPERM},
    {"waitid", EINTR},
    {"waitpid", EINTR},
    {"sched_getaffinity", EPERM},
    {"getrlimit64", EINVAL},
    {"access", EACCES},
    {"dladdr", ENOENT},
    {"pthread_atfork", ENOMEM},
    {"malloc", ENOMEM},
    {"calloc", ENOMEM},
    {"strdup", ENOMEM},
    {"realloc", ENOMEM},
    {"posix_memalign", ENOMEM},
};

int main(int argc, char **argv) {
  int first = 1, i, num_harmful = 0;
  size_t row;
  if (argc > 1 && strcmp(argv[1], "--few") == 0) {
    ++first;
    all_up_to = 1;
  }
  after_success = __real_mmap64(NULL, sizeof *after_success, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(after_success != MAP_FAILED);
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  failing = "nothing";
  require(try_in_child() == kUnspoilt);
  for (i = first; i < argc; ++i) {
    int num_rows = 0;
    if (needs_poll(argv[i]) && !has_filters()) continue;
    for (row = 0; row < sizeof rows / sizeof *rows; ++row) {
      if (strcmp(rows[row].name, argv[i]) != 0) continue;
      ++num_rows;
      reason = rows[row].reason;
      num_harmful += try_all(argv[i], false);
      if (reason != EINTR) num_harmful += try_all(argv[i], true);
    }
    require(num_rows > 0);
  }
  (void)printf("%ld failures injected into %d functions\n", num_failures, argc - first);
  return num_harmful != 0 || argc <= first;
}
