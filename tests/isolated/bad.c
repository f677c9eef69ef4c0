/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that take their process down, for the tests of isolated modules: by signals, ends,
 * threads, memory and processes. Those that go for the channel are in bad_channel.c, those whose
 * results are bad in bad_results.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/ptrace.h>
#endif

/* The compiler must not know what is wrong. */
static void *volatile nowhere = (void *)16;
static volatile int sink;

TVM_FFI_C_EXPORT(fine, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(42));
}

TVM_FFI_C_EXPORT(crash, "() -> None") {
  (void)args;
  *(volatile int *)nowhere = 1;
  return 0;
}

/* With an alarm that waits until it is no longer blocked. */
TVM_FFI_C_EXPORT(crash_before_alarm, "() -> None") {
  sigset_t alarms;
  (void)args;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  raise(SIGALRM);
  *(volatile int *)nowhere = 1;
  return 0;
}

TVM_FFI_C_EXPORT(end_with_abort, "() -> None") {
  (void)args;
  printf("the last words\n");
  abort();
}

/* Prints a text without the end of a line. */
TVM_FFI_C_EXPORT(say, "(0: str) -> None") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  printf("%.*s", (int)text.size, text.data);
  return 0;
}

TVM_FFI_C_EXPORT(end_with_exit, "() -> None") {
  (void)args;
  exit(3);
}

TVM_FFI_C_EXPORT(end_quickly, "() -> None") {
  (void)args;
  _exit(0);
}

static int recurse(volatile char *outer) {
  volatile char inner[4096];
  inner[0] = outer != NULL ? outer[0] : 0;
  sink = inner[0];
  if (nowhere == NULL) return 0;
  return recurse(inner) + inner[0];
}

TVM_FFI_C_EXPORT(overflow_stack, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(recurse(NULL)));
}

TVM_FFI_C_EXPORT(loop, "() -> None") {
  (void)args;
  for (;;) sink = 1;
  return 0;
}

TVM_FFI_C_EXPORT(loop_and_ignore, "() -> None") {
  int i;
  (void)args;
  for (i = 1; i < 32; ++i) signal(i, SIG_IGN);
  for (;;) sink = 1;
  return 0;
}

TVM_FFI_C_EXPORT(sleep_long, "() -> None") {
  (void)args;
  for (;;) pause();
  return 0;
}

/* Overwrites all that lies behind a block of memory. */
TVM_FFI_C_EXPORT(overflow_heap, "() -> None") {
  char *block = malloc(64);
  volatile char *at = block;
  (void)args;
  for (;;) *at++ = 0x5a;
  return 0;
}

/* Writes behind the end of the tensor that it gets. */
TVM_FFI_C_EXPORT(overrun, "(0: DLTensor*, 1: int) -> None") {
  DLTensor *x;
  int64_t count, i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &count));
  for (i = 0; i < count; ++i) ((volatile char *)tvm_ffi_tensor_get_data(x))[i] = 0x5a;
  return 0;
}

TVM_FFI_C_EXPORT(round_up, "() -> None") {
  (void)args;
  fesetround(FE_UPWARD);
  return 0;
}

TVM_FFI_C_EXPORT(rounding, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(fegetround() == FE_TONEAREST));
}

TVM_FFI_C_EXPORT(divide_by_zero, "() -> int") {
  volatile int zero = 0;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(100 / zero));
}

TVM_FFI_C_EXPORT(stop, "() -> None") {
  (void)args;
  raise(SIGSTOP);
  return 0;
}

TVM_FFI_C_EXPORT(kill_itself, "() -> None") {
  (void)args;
  kill(getpid(), SIGKILL);
  return 0;
}

TVM_FFI_C_EXPORT(print, "(0: int) -> None") {
  static char line[4096];
  int64_t bytes;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &bytes));
  memset(line, 'x', sizeof line);
  for (; bytes > 0; bytes -= (int64_t)sizeof line) (void)!write(1, line, sizeof line);
  return 0;
}

TVM_FFI_C_EXPORT(print_and_crash, "() -> None") {
  int i;
  (void)args;
  for (i = 0; i < 100000; ++i) fprintf(stderr, "line %d\n", i);
  *(volatile int *)nowhere = 1;
  return 0;
}

static void *die(void *microseconds) {
  usleep((useconds_t)(uintptr_t)microseconds);
  kill(getpid(), (uintptr_t)microseconds % 2 == 0 ? SIGKILL : SIGSEGV);
  return NULL;
}

/* The process ends after so many microseconds, whatever it does then. */
TVM_FFI_C_EXPORT(die_soon, "(0: int) -> None") {
  int64_t microseconds;
  pthread_t thread;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &microseconds));
  if (pthread_create(&thread, NULL, die, (void *)(uintptr_t)microseconds) != 0) abort();
  pthread_detach(thread);
  return 0;
}

/* Starts a process that holds all that is open, and crashes. */
TVM_FFI_C_EXPORT(fork_and_crash, "() -> None") {
  (void)args;
  if (fork() == 0) {
    for (;;) pause();
  }
  *(volatile int *)nowhere = 1;
  return 0;
}

/* Starts processes that start processes; returns how many it could start. */
TVM_FFI_C_EXPORT(fork_bomb, "() -> int") {
  int64_t count = 0;
  int i;
  for (i = 0; i < 8; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      for (;;) pause();
    }
    count += pid > 0;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}

/* The errno of opening a socket, or 0. */
TVM_FFI_C_EXPORT(open_socket, "() -> int") {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  const int64_t failure = file < 0 ? errno : 0;
  if (file >= 0) close(file);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(failure));
}

/* The errno of making a file with that path, or 0. */
TVM_FFI_C_EXPORT(write_file, "(0: str) -> int") {
  TVMFFIByteArray path;
  FILE *file;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  file = fopen(path.data, "w");
  if (file == NULL) return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(errno));
  fclose(file);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
}

/* Takes memory piece by piece until there is none; then crashes, as who does not check does. */
TVM_FFI_C_EXPORT(take_memory, "() -> None") {
  (void)args;
  for (;;) {
    char *piece = malloc(1 << 20);
    if (piece == NULL) piece = nowhere;
    memset(piece, 1, 1 << 20);
  }
  return 0;
}

/* Takes one large piece, and says whether it could. */
TVM_FFI_C_EXPORT(take_piece, "(0: int) -> bool") {
  int64_t size;
  void *volatile piece; /* or the compiler takes malloc and free out */
  bool is_there;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &size));
  piece = malloc((size_t)size);
  is_there = piece != NULL;
  free(piece);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(is_there));
}

/* ---- Signals ---- */

TVM_FFI_C_EXPORT(raise_signal, "(0: int) -> None") {
  int64_t number;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  raise((int)number);
  return 0;
}

TVM_FFI_C_EXPORT(raise_real_time_signal, "() -> None") {
  (void)args;
#ifdef SIGRTMIN
  raise(SIGRTMIN + 1);
#endif
  return 0;
}

/* An address that no process has on any system, as a damaged pointer does. */
TVM_FFI_C_EXPORT(read_wild, "() -> int") {
  volatile int *at = (volatile int *)((uintptr_t)-1 / 3 * 2);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(*at));
}

TVM_FFI_C_EXPORT(call_nothing, "() -> None") {
  union {
    void *data;
    void (*code)(void);
  } target;
  (void)args;
  target.data = (char *)nowhere - 16;
  target.code();
  return 0;
}

TVM_FFI_C_EXPORT(call_data, "() -> None") {
  static char data[64];
  union {
    void *data;
    void (*code)(void);
  } target;
  (void)args;
  target.data = data;
  target.code();
  return 0;
}

TVM_FFI_C_EXPORT(write_constant, "() -> None") {
  static const int constant = 1;
  (void)args;
  *(volatile int *)(uintptr_t)&constant = 2;
  return 0;
}

/* Reads behind the end of a mapped file. */
TVM_FFI_C_EXPORT(read_past_file, "() -> int") {
  FILE *file = tmpfile();
  const volatile char *pages;
  if (file == NULL) abort();
  pages = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fileno(file), 0);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(pages[0]));
}

static void do_nothing(int number) {
  (void)number;
}

static void crash_again(int number) {
  *(volatile int *)nowhere = number;
}

static sigjmp_buf before_crash;

static void jump_back(int number) {
  siglongjmp(before_crash, number);
}

/* With its own handler of the signal: one that returns, so that the instruction is repeated; one
 * that crashes, too; the default; and none. */
TVM_FFI_C_EXPORT(crash_with_handler, "(0: int) -> None") {
  static void (*const kHandlers[])(int number) = {do_nothing, crash_again, SIG_DFL, SIG_IGN};
  int64_t which;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  signal(SIGSEGV, kHandlers[which]);
  *(volatile int *)nowhere = 1;
  return 0;
}

/* Crashes, and goes on behind that. */
TVM_FFI_C_EXPORT(recover, "() -> None") {
  void (*before)(int number) = signal(SIGSEGV, jump_back);
  (void)args;
  if (sigsetjmp(before_crash, 1) == 0) *(volatile int *)nowhere = 1;
  signal(SIGSEGV, before);
  return 0;
}

TVM_FFI_C_EXPORT(crash_in_handler, "() -> None") {
  (void)args;
  signal(SIGUSR1, crash_again);
  raise(SIGUSR1);
  return 0;
}

static void block_all_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

TVM_FFI_C_EXPORT(crash_while_blocked, "() -> None") {
  (void)args;
  block_all_signals();
  *(volatile int *)nowhere = 1;
  return 0;
}

TVM_FFI_C_EXPORT(abort_while_blocked, "() -> None") {
  (void)args;
  block_all_signals();
  abort();
}

/* No handler can run. */
TVM_FFI_C_EXPORT(overflow_the_only_stack, "() -> int") {
  stack_t none;
  memset(&none, 0, sizeof none);
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, NULL);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(recurse(NULL)));
}

/* The stack for handlers of signals is memory that is not there. */
TVM_FFI_C_EXPORT(crash_without_signal_stack, "() -> None") {
  stack_t wrong;
  (void)args;
  memset(&wrong, 0, sizeof wrong);
  wrong.ss_sp = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  wrong.ss_size = 1 << 20;
  sigaltstack(&wrong, NULL);
  *(volatile int *)nowhere = 1;
  return 0;
}

/* By a timer, of real or of processor time, that goes off after the kernel has returned. */
TVM_FFI_C_EXPORT(set_timer, "(0: int) -> None") {
  static const struct itimerval soon = {{0, 0}, {0, 1000}};
  int64_t which;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  setitimer(which == 0 ? ITIMER_REAL : ITIMER_PROF, &soon, NULL);
  for (;;) sink = 1;
  return 0;
}

TVM_FFI_C_EXPORT(write_to_nobody, "() -> None") {
  int ends[2];
  (void)args;
  if (pipe(ends) != 0) abort();
  close(ends[0]);
  (void)!write(ends[1], "", 1);
  return 0;
}

TVM_FFI_C_EXPORT(write_too_much, "() -> None") {
  const struct rlimit little = {1, 1};
  FILE *file = tmpfile();
  (void)args;
  if (file == NULL) abort();
  setrlimit(RLIMIT_FSIZE, &little);
  (void)!write(fileno(file), "ab", 2);
  (void)!write(fileno(file), "ab", 2);
  return 0;
}

/* All processes of its group, and of its session. */
TVM_FFI_C_EXPORT(kill_group, "() -> None") {
  (void)args;
  kill(0, SIGKILL);
  return 0;
}

/* ---- Ends that are none of signals ---- */

TVM_FFI_C_EXPORT(exit_with, "(0: int) -> None") {
  int64_t code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &code));
  _exit((int)code);
}

static void loop_at_exit(void) {
  for (;;) sink = 1;
}

static void crash_at_exit(void) {
  *(volatile int *)nowhere = 1;
}

TVM_FFI_C_EXPORT(loop_in_exit, "() -> None") {
  (void)args;
  atexit(loop_at_exit);
  exit(0);
}

TVM_FFI_C_EXPORT(crash_in_exit, "() -> None") {
  (void)args;
  atexit(crash_at_exit);
  exit(0);
}

TVM_FFI_C_EXPORT(cancel_itself, "() -> None") {
  (void)args;
  pthread_cancel(pthread_self());
  for (;;) pause();
  return 0;
}

/* ---- Threads ---- */

static void *crash_in_thread(void *context) {
  (void)context;
  *(volatile int *)nowhere = 1;
  return NULL;
}

static void *exit_in_thread(void *context) {
  (void)context;
  exit(7);
}

static void *recurse_in_thread(void *context) {
  (void)context;
  sink = recurse(NULL);
  return NULL;
}

static void *cancel_in_thread(void *context) {
  pthread_cancel(*(pthread_t *)context);
  return NULL;
}

static void *spin_in_thread(void *context) {
  (void)context;
  for (;;) sink = 1;
  return NULL;
}

/* Another thread crashes, exits, overflows its stack, or cancels this one, which waits for it. */
TVM_FFI_C_EXPORT(run_thread, "(0: int) -> None") {
  static void *(*const kRuns[])(void *context) = {crash_in_thread, exit_in_thread,
                                                  recurse_in_thread, cancel_in_thread};
  static pthread_t self;
  pthread_t thread;
  int64_t which;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  self = pthread_self();
  if (pthread_create(&thread, NULL, kRuns[which], &self) != 0) abort();
  for (;;) pause();
  return 0;
}

/* Threads that go on for ever are left behind. */
TVM_FFI_C_EXPORT(leave_threads, "(0: int) -> None") {
  pthread_t thread;
  int64_t count;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &count));
  for (; count > 0; --count) {
    if (pthread_create(&thread, NULL, spin_in_thread, NULL) != 0) abort();
  }
  return 0;
}

TVM_FFI_C_EXPORT(lock_twice, "() -> None") {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  (void)args;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  return 0;
}

/* ---- Memory ---- */

TVM_FFI_C_EXPORT(free_twice, "() -> None") {
  void *volatile block = malloc(5000);
  void *volatile same = block;
  (void)args;
  free(block);
  free(same);
  return 0;
}

TVM_FFI_C_EXPORT(free_no_block, "() -> None") {
  static char data[256];
  char *volatile no_block = data + 16;
  (void)args;
  free(no_block);
  return 0;
}

TVM_FFI_C_EXPORT(use_too_large_block, "() -> None") {
  const volatile size_t size = (size_t)-1 - 4096; /* a quarter of it may be had in 32 bits */
  volatile char *volatile block = malloc(size);
  (void)args;
  *block = 1;
  return 0;
}

/* Writes beyond the guard page of the stack, where nothing is mapped: libraries and large blocks
 * lie at random places below a stack, those of a sanitizer with millions of pages. */
TVM_FFI_C_EXPORT(jump_over_guard, "() -> None") {
  volatile char here = 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t far = (uintptr_t)&here - ((uintptr_t)1 << (sizeof(void *) >= 8 ? 38 : 30));
  uintptr_t step = page;
  (void)args;
  far -= far % page;
  for (; far > 2 * step && msync((void *)far, page, MS_ASYNC) == 0; step *= 2) far -= step;
  *(volatile char *)far = 1;
  return 0;
}

TVM_FFI_C_EXPORT(unmap_stack, "() -> None") {
  volatile char here = 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = (uintptr_t)&here / page * page;
  (void)args;
  munmap((void *)(begin - 16 * page), 32 * page);
  here = 1;
  return 0;
}

TVM_FFI_C_EXPORT(unmap_code, "() -> None") {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void (*volatile code)(void) = crash_at_exit;
  (void)args;
  munmap((void *)((uintptr_t)code / page * page), page);
  code();
  return 0;
}

/* Nothing can be opened, or given memory, any more. */
TVM_FFI_C_EXPORT(limit_itself, "() -> None") {
  const struct rlimit none = {0, 0};
  (void)args;
  setrlimit(RLIMIT_NOFILE, &none);
  setrlimit(RLIMIT_AS, &none);
  setrlimit(RLIMIT_NPROC, &none);
  return 0;
}

/* ---- Processes and threads that a kernel leaves behind ---- */

TVM_FFI_C_EXPORT(echo, "(0: int) -> int") {
  int64_t number;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number));
}

/* How often it was called in this process. */
TVM_FFI_C_EXPORT(count, "() -> int") {
  static int64_t num_calls;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(++num_calls));
}

/* In ways that handlers of fork() notice, and in one that they do not. */
static pid_t start_process(int64_t how) {
#ifdef SYS_fork
  if (how == 1) return (pid_t)syscall(SYS_fork);
#endif
  return how == 2 ? vfork() : fork();
}

/* Starts processes that return from the kernel, too, after 1, 2, ... milliseconds; how 3: after a
 * failed exec. Returns 1, they 2. */
TVM_FFI_C_EXPORT(fork_and_return, "(how: int) -> int") {
  enum { kProcesses = 8 };
  static char *words[] = {NULL};
  int64_t how;
  useconds_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &how));
  for (i = 1; i <= kProcesses; ++i) {
    if (start_process(how) != 0) continue;
    if (how == 3) (void)execv("/no/such/program", words);
    usleep(1000 * i);
    return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(2));
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(1));
}

/* Starts a process that crashes, and waits for it. */
TVM_FFI_C_EXPORT(fork_a_crash, "(how: int) -> None") {
  int64_t how;
  pid_t child;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &how));
  child = start_process(how);
  if (child == 0) *(volatile int *)nowhere = 1;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return 0;
}

/* The status of a process that raises a signal, and ends with 7 if that does nothing. */
TVM_FFI_C_EXPORT(raise_in_child, "(0: int) -> int") {
  int64_t number;
  int status = 0;
  pid_t child;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  child = fork();
  if (child == 0) {
    raise((int)number);
    _exit(7);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(status));
}

/* Takes memory that the system needs long to take back, and exits with 3 or is killed. */
TVM_FFI_C_EXPORT(end_with_much_memory, "(0: int, 1: bool) -> None") {
  int64_t size, i;
  char *memory;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &size));
  memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return tvm_ffi_error_raise_memory();
#ifdef MADV_NOHUGEPAGE
  (void)madvise(memory, (size_t)size, MADV_NOHUGEPAGE);
#endif
  for (i = 0; i < size; i += 4096) memory[i] = 1;
  if (args->args[1].v_int64 == 0) _exit(3);
  kill(getpid(), SIGKILL);
  return 0;
}

#ifdef SYS_clone
/* Starts a child of the host, which ends at once. */
TVM_FFI_C_EXPORT(leave_a_child_to_the_host, "() -> None") {
  enum { kCloneParent = 0x00008000 };
  (void)args;
  if (syscall(SYS_clone, kCloneParent | SIGCHLD, NULL, NULL, NULL, NULL) == 0) _exit(0);
  return 0;
}
#endif

/* Ends the thread of the call: as a program does, or by the call of the system alone. */
TVM_FFI_C_EXPORT(end_thread, "(how: int) -> None") {
  int64_t how;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &how));
  if (how == 0) pthread_exit(NULL);
  syscall(SYS_exit, 0);
  return 0;
}

#ifdef __linux__
/* Nobody continues a process whose tracer does not know that it is one. */
TVM_FFI_C_EXPORT(trace_and_crash, "() -> None") {
  (void)args;
  (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  *(volatile int *)nowhere = 1;
  return 0;
}
#endif

TVM_FFI_C_EXPORT(execute, "() -> None") {
  static char *words[] = {(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "1000", NULL};
  (void)args;
  execvp("sleep", words);
  return 0;
}

/* ---- More programs and processes ---- */

/* A program that ends at once, and one that is not there. */
TVM_FFI_C_EXPORT(execute_program, "(0: str) -> None") {
  char *words[2] = {NULL, NULL};
  TVMFFIByteArray path;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  words[0] = (char *)(uintptr_t)path.data;
  (void)execv(path.data, words);
  return 0;
}

/* A daemon, which the helper's end does not reach: it ends by itself. */
TVM_FFI_C_EXPORT(leave_a_daemon, "() -> None") {
  const pid_t child = fork();
  (void)args;
  if (child == 0) {
    if (fork() == 0) {
      setsid();
      sleep(1);
    }
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return 0;
}

/* The helper exits; a child of it goes on, with all that is open. */
TVM_FFI_C_EXPORT(fork_and_exit, "() -> None") {
  (void)args;
  if (fork() == 0) {
    for (;;) pause();
  }
  _exit(4);
}

/* A child stops the helper, or kills it while it waits. */
TVM_FFI_C_EXPORT(signal_parent, "(0: int) -> None") {
  const pid_t self = getpid();
  int64_t number;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  if (fork() == 0) {
    kill(self, (int)number);
    _exit(0);
  }
  for (;;) pause();
  return 0;
}

#ifdef __linux__
/* A child traces the helper, which ends with its tracer. Where it may not, it kills the helper. */
TVM_FFI_C_EXPORT(be_traced_by_child, "() -> None") {
  enum { kExitKill = 0x00100000 };
  const pid_t self = getpid();
  (void)args;
  if (fork() == 0) {
    if (ptrace(PTRACE_SEIZE, self, NULL, (void *)(uintptr_t)kExitKill) != 0) kill(self, SIGKILL);
    _exit(0);
  }
  for (;;) pause();
  return 0;
}
#endif

#if defined(CRASHES_AT_LOAD)
__attribute__((constructor)) static void crash_at_load(void) {
  abort();
}
#endif

#if defined(NEEDS_ANOTHER)
/* Of the library that this one needs. */
extern int __tvm_ffi_adder(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
int (*volatile of_another)(void *, const TVMFFIAny *, int32_t, TVMFFIAny *) = __tvm_ffi_adder;
#endif
