/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take their process down, for the tests of isolated modules. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

TVM_FFI_C_EXPORT(close_files, "() -> None") {
  int i;
  (void)args;
  for (i = 0; i < 1024; ++i) close(i);
  return 0;
}

/* Closes the helper's files, and opens another one in the place of each. */
TVM_FFI_C_EXPORT(replace_files, "(path: str) -> None") {
  TVMFFIByteArray path;
  int i;
  if (tvm_ffi_args_read_string(args, 0, &path) != 0) return -1;
  for (i = 3; i < 64; ++i) close(i);
  for (i = 0; i < 8; ++i) {
    if (open(path.data, O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) _exit(3);
  }
  usleep(100000); /* the host no longer spins */
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

/* Fails without an error. */
TVM_FFI_C_EXPORT(fail_silently, "() -> None") {
  (void)args;
  return -1;
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

typedef struct {
  char *at;
  int byte;
} words_to_fill;

/* Each time the host sleeps and the helper runs, or the other way round. */
static void *fill_often(void *context) {
  const words_to_fill *words = context;
  for (;;) {
    memset(words->at, words->byte, 256);
    usleep(1000);
  }
  return NULL;
}

/* Overwrites the words by which host and helper wait for each other, once or ever again. */
TVM_FFI_C_EXPORT(overwrite_words, "(byte: int, often: bool) -> None") {
  static words_to_fill words;
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  int64_t byte;
  bool often;
  pthread_t thread;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &byte));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 1, &often));
  if (maps == NULL) abort();
  while (words.at == NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:tvm_ffi_isolated (") == NULL) continue;
    words.at = (char *)(uintptr_t)strtoull(line, NULL, 16);
  }
  fclose(maps);
  if (words.at == NULL) abort();
  words.at += 64; /* behind what was read once */
  words.byte = (int)byte;
  usleep(100000); /* the host sleeps */
  memset(words.at, words.byte, 256);
  if (often && pthread_create(&thread, NULL, fill_often, &words) != 0) abort();
  return 0;
}

#if defined(CRASHES_AT_LOAD)
__attribute__((constructor)) static void crash_at_load(void) {
  abort();
}
#endif
