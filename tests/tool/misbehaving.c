/* SPDX-License-Identifier: Apache-2.0 */
/* A library that misbehaves in the way, and at the moment, that an environment variable names:
 * ON_LOAD, ON_ASK (when asked for the types of its function), ON_CALL or ON_END. */
#define _DEFAULT_SOURCE
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#endif
#ifdef __linux__
#include <sys/ptrace.h>
#endif

typedef struct {
  const char *name;
  void (*act)(void);
} deed;

/* ---- What it may do on all systems ---- */

static void hang(void) {
  for (;;) sleep(1000);
}

/* Writes past the C library, then through it; in a pipe the second text stays in stdio's buffer. */
static void print_both(void) {
  static const char kDirect[] = "written\n";
  if (write(STDOUT_FILENO, kDirect, sizeof kDirect - 1) < 0) abort();
  fputs("printed\n", stdout);
}

/* Writes more than a terminal should have to show, and ends. */
static void pour(void) {
  int i;
  for (i = 0; i < 200000; ++i) puts("again and again");
  fflush(stdout);
}

/* Writes endlessly, but slowly enough not to slow down the tests. */
static void flood(void) {
  for (;;) {
    puts("again and again");
    fflush(stdout);
    usleep(1000);
  }
}

static void leave(void) {
  exit(3);
}

/* Exits with the code for success. */
static void leave_quietly(void) {
  _exit(0);
}

/* Prints a line that it reads, as a library does that asks for a password. */
static void read_line(void) {
  char line[80];
  fputs(fgets(line, sizeof line, stdin) != NULL ? line : "nothing to read\n", stdout);
  fflush(stdout);
}

/* Takes the locale of the environment, as libraries with windows do. */
static void localize(void) {
  if (setlocale(LC_ALL, "") == NULL) abort();
}

static const deed kDeeds[] = {{"crash", abort},
                              {"leave", leave},
                              {"leave_quietly", leave_quietly},
                              {"hang", hang},
                              {"print", print_both},
                              {"flood", flood},
                              {"localize", localize},
                              {"read_line", read_line},
                              {"pour", pour},
                              {NULL, NULL}};

/* ---- What it may do on Windows ---- */

#ifdef _WIN32

/* An access violation. */
static void violate(void) {
  volatile uintptr_t address = sizeof(int);
  *(volatile int *)address = 0;
}

static int recurse(volatile int *depth) {
  volatile char bytes[1 << 14];
  bytes[++*depth % 1024] = 1;
  return *depth < 0 ? 0 : recurse(depth) + bytes[0];
}

/* A stack overflow. */
static void overflow(void) {
  volatile int depth = 0;
  if (recurse(&depth) == 0) abort();
}

/* Starts a process that does not end by itself. */
static void spawn(void) {
  char line[] = "cmd.exe /c for /l %x in (0, 0, 1) do @rem";
  STARTUPINFOA startup;
  PROCESS_INFORMATION started;
  memset(&startup, 0, sizeof startup);
  startup.cb = sizeof startup;
  if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started)) abort();
}

static void shut(void) {
  int file;
  for (file = 0; file < 3; ++file) (void)_close(file);
}

static const deed kSystemDeeds[] = {
    {"violate", violate}, {"overflow", overflow}, {"spawn", spawn}, {"shut", shut}, {NULL, NULL}};

/* ---- What it may do elsewhere ---- */

#else

static void close_until(int end) {
  int file;
  for (file = 0; file < end; ++file) close(file);
}

/* Can be ended by SIGKILL only. */
static void resist(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  hang();
}

static void spawn(void) {
  if (fork() == 0) hang();
}

/* Lets a program read from the terminal. */
static void start_reader(void) {
  if (system("read line < /dev/tty && echo \"$line\"") != 0) abort();
}

/* Switches off what shows what is typed, as for a password. */
static void mute(void) {
  struct termios mode;
  const int terminal = open("/dev/tty", O_RDWR);
  if (terminal < 0 || tcgetattr(terminal, &mode) != 0) abort();
  mode.c_lflag &= (tcflag_t)~ECHO;
  if (tcsetattr(terminal, TCSANOW, &mode) != 0) abort();
}

/* Forks; the child continues as if it were the program. */
static void split(void) {
  (void)fork();
}

static void stop(void) {
  raise(SIGSTOP);
}

/* Its parent, and the group of that. */
static void kill_parent(void) {
  kill(getppid(), SIGKILL);
  hang();
}

static void end_parents(void) {
  kill(-getpgid(getppid()), SIGTERM);
  hang();
}

static void stop_parents(void) {
  kill(-getpgid(getppid()), SIGSTOP);
  hang();
}

#ifdef __linux__

/* A part of an answer, into all pipes of its parent. */
static void garble(void) {
  char path[64];
  struct stat status;
  int file;
  for (file = 3; file < 64; ++file) {
    int end;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), file);
    if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
    end = open(path, O_WRONLY | O_NONBLOCK);
    if (end < 0 || write(end, "abc", 3) < 0) continue;
    close(end);
  }
  hang();
}

/* Starts a process in a session of its own, which nobody waits for. */
static void detach(void) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) hang();
    _exit(0);
  }
  hang();
}

/* Leaves two processes, of which the second traces the first. */
static void leave_traced(void) {
  const pid_t traced = fork();
  if (traced == 0) hang();
  if (fork() == 0) {
    setsid();
    (void)ptrace(PTRACE_SEIZE, traced, NULL, NULL);
    hang();
  }
  usleep(100000);
}

#endif

static void shut(void) {
  close_until(3);
}

static void shut_all_and_hang(void) {
  close_until(256);
  hang();
}

static const deed kSystemDeeds[] = {{"resist", resist},
                                    {"shut", shut},
                                    {"shut_all_and_hang", shut_all_and_hang},
                                    {"spawn", spawn},
                                    {"split", split},
                                    {"stop", stop},
                                    {"start_reader", start_reader},
                                    {"mute", mute},
                                    {"kill_parent", kill_parent},
                                    {"end_parents", end_parents},
                                    {"stop_parents", stop_parents},
#ifdef __linux__
                                    {"garble", garble},
                                    {"detach", detach},
                                    {"leave_traced", leave_traced},
#endif
                                    {NULL, NULL}};

#endif

/* ---- When ---- */

/* False if there is no deed of this name. */
static int perform_from(const deed *deeds, const char *name) {
  for (; deeds->name != NULL; ++deeds) {
    if (strcmp(name, deeds->name) != 0) continue;
    deeds->act();
    return 1;
  }
  return 0;
}

static void perform(const char *moment) {
  const char *name = getenv(moment);
  if (name == NULL || *name == '\0') return;
  if (perform_from(kDeeds, name) || perform_from(kSystemDeeds, name)) return;
  fprintf(stderr, "%s=%s is no deed\n", moment, name);
  _exit(99);
}

__attribute__((constructor)) static void load(void) {
  perform("ON_LOAD");
}

__attribute__((destructor)) static void end(void) {
  perform("ON_END");
}

#define EXPORT(name)                                                               \
  TVM_FFI_DLL_EXPORT int name(void *self, const TVMFFIAny *args, int32_t num_args, \
                              TVMFFIAny *result);                                  \
  int name(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result)
#define METADATA(type)                                                                   \
  "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[" TVM_FFI_C_TYPE( \
      type) "]}\"}"

/* Returns its last argument, or 7. */
EXPORT(__tvm_ffi_kernel) {
  (void)self;
  perform("ON_CALL");
  if (num_args > 0) return tvm_ffi_any_copy(&args[num_args - 1], result);
  *result = tvm_ffi_any_from_int64(7);
  return 0;
}
EXPORT(__tvm_ffi__metadata_kernel) {
  (void)self, (void)args, (void)num_args;
  perform("ON_ASK");
  return tvm_ffi_string_create(METADATA("int"), result);
}

/* The function that is asked after the first. */
EXPORT(__tvm_ffi_other) {
  (void)self, (void)args, (void)num_args;
  *result = tvm_ffi_any_from_double(7);
  return 0;
}
EXPORT(__tvm_ffi__metadata_other) {
  (void)self, (void)args, (void)num_args;
  return tvm_ffi_string_create(METADATA("float"), result);
}
