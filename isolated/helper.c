/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper program: loads a library and calls its functions for the host that has started it.
 * What is wrong when it starts, it prints; the host puts that into its error.
 */
#define _GNU_SOURCE /* sigaltstack, dladdr, ppoll */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>
#include <unistd.h>
#if TVM_FFI_BACKTRACE
#include <execinfo.h>
#endif
#if defined(__has_include)
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>) && \
    __has_include(<linux/audit.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#define HAS_SECCOMP 1
#endif
#endif

#include "peer.h"
#include "tensor_copy.h"

enum { kExitStart = 122, kExitLeaves = 121 };

static peer host;
static pthread_t main_thread;

static void fail(const char *action) {
  fprintf(stderr, "%s: %s\n", action, strerror(errno));
  exit(kExitStart);
}

/* ---- Limits ---- */

#ifdef __GLIBC__
typedef __rlimit_resource_t limited_resource;
#else
typedef int limited_resource;
#endif

static void limit(limited_resource resource, uint64_t soft, uint64_t hard, const char *action) {
  struct rlimit values;
  if (getrlimit(resource, &values) != 0) fail(action);
  if (values.rlim_max == RLIM_INFINITY || values.rlim_max > hard) values.rlim_max = (rlim_t)hard;
  values.rlim_cur = values.rlim_max < soft ? values.rlim_max : (rlim_t)soft;
  if (setrlimit(resource, &values) != 0) fail(action);
}

#if HAS_SECCOMP && defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif HAS_SECCOMP && defined(__aarch64__) && defined(__LITTLE_ENDIAN__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif HAS_SECCOMP && defined(__aarch64__) && !defined(__AARCH64EB__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif HAS_SECCOMP && defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef OWN_ARCHITECTURE

enum { kMaxFilter = 64 };

typedef struct {
  struct sock_filter steps[kMaxFilter];
  unsigned short count;
} filter;

static void add(filter *self, unsigned code, uint32_t value, unsigned char yes, unsigned char no) {
  struct sock_filter *step = &self->steps[self->count++];
  step->code = (unsigned short)code;
  step->k = value;
  step->jt = yes;
  step->jf = no;
}

static void add_load(filter *self, size_t offset) {
  add(self, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Lets a call of the system fail with that error. Its number has been loaded. */
static void add_refusal(filter *self, long number, int error) {
  add(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
  add(self, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0);
}

/* Threads are made by the same call as processes, whose flags say which. */
static void add_refusal_of_processes(filter *self) {
  enum { kCloneThread = 0x00010000 };
#ifdef SYS_fork
  add_refusal(self, SYS_fork, EPERM);
  add_refusal(self, SYS_vfork, EPERM);
#endif
  add_refusal(self, SYS_execve, EPERM);
  add_refusal(self, SYS_execveat, EPERM);
#ifdef SYS_clone3
  add_refusal(self, SYS_clone3, ENOSYS); /* the flags are in memory; libc goes on with clone */
#endif
  add(self, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  add_load(self, offsetof(struct seccomp_data, args[0])); /* the low half: little endian */
  add(self, BPF_JMP | BPF_JSET | BPF_K, kCloneThread, 1, 0);
  add(self, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
  add(self, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void refuse_calls(uint32_t forbids) {
  filter made;
  struct sock_fprog program;
  memset(&made, 0, sizeof made);
  add_load(&made, offsetof(struct seccomp_data, arch));
  add(&made, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  add(&made, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
  add_load(&made, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  add(&made, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* another set of numbers: x32 */
  add(&made, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
#endif
  if ((forbids & TVM_FFI_ISOLATED_NETWORK) != 0) {
    add_refusal(&made, SYS_socket, EACCES);
#ifdef SYS_io_uring_setup
    add_refusal(&made, SYS_io_uring_setup, EACCES);
#endif
  }
  if ((forbids & TVM_FFI_ISOLATED_PROCESSES) != 0) add_refusal_of_processes(&made);
  add(&made, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  program.len = made.count;
  program.filter = made.steps;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("seccomp");
}

#else

static void refuse_calls(uint32_t forbids) {
  (void)forbids;
  errno = ENOSYS;
  fail("seccomp on this processor");
}

#endif

/* The interface of Landlock; not every system has its header. */
enum {
  kLandlockWriteFile = 1 << 1,
  kLandlockFirstVersion = 0x1ff2, /* write, remove and make what has a path */
  kLandlockRefer = 1 << 13,       /* since version 2 */
  kLandlockTruncate = 1 << 14,    /* since version 3 */
  kLandlockVersion = 1,           /* a flag: tell the version */
  kLandlockPath = 1
};

#ifdef SYS_landlock_create_ruleset

/* Packed, as the kernel has it. */
typedef struct {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) landlock_path;

static void refuse_files(void) {
  uint64_t handled = kLandlockFirstVersion;
  landlock_path nothing = {kLandlockWriteFile, -1};
  const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, kLandlockVersion);
  int rules;
  if (version < 1) fail("Landlock");
  if (version >= 2) handled |= kLandlockRefer;
  if (version >= 3) handled |= kLandlockTruncate;
  rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0) fail("Landlock");
  nothing.parent = open("/dev/null", O_PATH | O_CLOEXEC);
  if (nothing.parent >= 0) {
    syscall(SYS_landlock_add_rule, rules, kLandlockPath, &nothing, 0);
    close(nothing.parent);
  }
  if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) fail("Landlock");
  close(rules);
}

#else

static void refuse_files(void) {
  errno = ENOSYS;
  fail("Landlock");
}

#endif

static void set_limits(const channel_header *header) {
  limit(RLIMIT_CORE, 0, 0, "RLIMIT_CORE");
  if (header->memory != 0) limit(RLIMIT_DATA, header->memory, header->memory, "RLIMIT_DATA");
  if (header->cpu_seconds != 0) {
    limit(RLIMIT_CPU, header->cpu_seconds, header->cpu_seconds + 1, "RLIMIT_CPU");
  }
  if (header->open_files != 0) {
    limit(RLIMIT_NOFILE, header->open_files, header->open_files, "RLIMIT_NOFILE");
  }
  if (header->forbids == 0) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("PR_SET_NO_NEW_PRIVS");
  if ((header->forbids & TVM_FFI_ISOLATED_FILES) != 0) refuse_files();
  if ((header->forbids & ~(uint32_t)TVM_FFI_ISOLATED_FILES) != 0) refuse_calls(header->forbids);
}

/* ---- Crashes ---- */

/* Private memory in bytes, from /proc; only calls that are allowed in handlers of signals. */
static uint64_t read_data_size(void) {
  char text[256];
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  uint64_t pages = 0;
  int field = 0;
  ssize_t i;
  if (file >= 0) close(file);
  for (i = 0; i < size; ++i) {
    if (text[i] == ' ') {
      if (++field == 6) break;
      pages = 0;
    } else if (text[i] >= '0' && text[i] <= '9') {
      pages = 10 * pages + (uint64_t)(text[i] - '0');
    }
  }
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

#if TVM_FFI_BACKTRACE
static void write_backtrace(char *out, size_t out_size) {
  enum { kFrames = 64, kOwn = 2 }; /* this handler, and what called it */
  void *frames[kFrames];
  const int count = backtrace(frames, kFrames);
  size_t size = 0;
  int i;
  for (i = kOwn; i < count && size < out_size - 1; ++i) {
    Dl_info at;
    int more;
    memset(&at, 0, sizeof at);
    (void)dladdr(frames[i], &at);
    more = snprintf(out + size, out_size - size, "  File \"%s\", line 0, in %s\n",
                    at.dli_fname != NULL ? at.dli_fname : "<unknown>",
                    at.dli_sname != NULL ? at.dli_sname : "<unknown>");
    if (more < 0) return;
    size += (size_t)more;
  }
}
#endif

static const int kCrashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

/* With plain stores: the atomic ones of a sanitizer may wait, and no alarm ends that yet. */
__attribute__((noinline, no_sanitize_thread)) static void note_cause(volatile crash_note *note,
                                                                     int number,
                                                                     const siginfo_t *info) {
  if (info->si_code > 0 && number != SIGABRT && number != SIGSYS) {
    note->address = (uint64_t)(uintptr_t)info->si_addr;
    note->has_address = 1;
  }
  note->signal = (uint32_t)number;
}

/*
 * Notes what happened, then lets the signal end the process. Each later step may wait for ever for
 * a lock that the interrupted code holds, the stack walker's or one of a sanitizer that wraps the C
 * library: the alarm comes first, by system calls that nothing wraps.
 */
static void on_crash(int number, siginfo_t *info, void *context) {
  crash_note *note = &host.channel.header->note;
  sigset_t alarms;
  (void)context;
  note_cause(note, number, info); /* first: an alarm of kernels may be waiting to be unblocked */
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &alarms, NULL, (size_t)_NSIG / 8);
  alarm(1);
  signal(number, SIG_DFL);
  signal(SIGALRM, SIG_DFL); /* kernels may have set it */
  note->data_bytes = read_data_size();
  __atomic_store_n(&note->signal, (uint32_t)number, __ATOMIC_RELEASE);
#if TVM_FFI_BACKTRACE
  write_backtrace(note->backtrace, sizeof note->backtrace);
#endif
  raise(number); /* as soon as this returns */
}

static void watch_crashes(void) {
  enum { kStack = 64 << 10 };
  struct sigaction action;
  stack_t stack;
  size_t i;
#if TVM_FFI_BACKTRACE
  void *frame;
  (void)backtrace(&frame, 1); /* loads what it needs */
#endif
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStack;
  if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0) fail("sigaltstack");
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (i = 0; i < sizeof kCrashes / sizeof *kCrashes; ++i) sigaction(kCrashes[i], &action, NULL);
}

/* ---- The thread that looks after host and output ---- */

/* Says that the end is intended, and ends all that the kernels have started, too. */
static void leave(void) {
  __atomic_store_n(&host.channel.header->leaves, 1, __ATOMIC_SEQ_CST);
  _exit(kExitLeaves);
}

/*
 * Writes to the host's standard error, in whatever thread. If nobody reads it any more, or a file
 * gets too large, that is no reason to end: its signal is taken before the kernels' thread gets it.
 */
static void show(const char *bytes, size_t size) {
  static const struct timespec now = {0, 0};
  sigset_t caused, old, before;
  sigemptyset(&caused);
  sigaddset(&caused, SIGPIPE);
  sigaddset(&caused, SIGXFSZ);
  sigpending(&before);
  pthread_sigmask(SIG_BLOCK, &caused, &old);
  if (write(kFileErrors, bytes, size) < 0 && (errno == EPIPE || errno == EFBIG)) {
    const int number = errno == EPIPE ? SIGPIPE : SIGXFSZ;
    sigemptyset(&caused);
    sigaddset(&caused, number);
    if (!sigismember(&before, number)) (void)sigtimedwait(&caused, NULL, &now);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Keeps the last bytes that were printed, for the host's error. */
static void keep_output(const char *bytes, size_t size) {
  channel_header *header = host.channel.header;
  const uint64_t before = header->output_size;
  size_t i;
  for (i = size > kOutputTail ? size - kOutputTail : 0; i < size; ++i) {
    header->output[(before + i) % kOutputTail] = bytes[i];
  }
  __atomic_store_n(&header->output_size, before + size, __ATOMIC_RELEASE);
  if (header->shows_output) show(bytes, size);
}

/* Takes what was printed, as far as it is there; returns what recv() did. */
static ssize_t take_output(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char bytes[64 << 10];
  ssize_t size;
  int reason;
  pthread_mutex_lock(&lock);
  size = recv(kFileOutput, bytes, sizeof bytes, MSG_DONTWAIT);
  reason = errno;
  if (size > 0) keep_output(bytes, (size_t)size);
  pthread_mutex_unlock(&lock);
  errno = reason;
  return size;
}

/* What a call has printed is shown when it returns, even if the host ends this process then. */
static void show_output(void) {
  enum { kMostTimes = 16 }; /* other threads may go on printing */
  int i;
  if (!host.channel.header->shows_output) return;
  fflush(stdout);
  for (i = 0; i < kMostTimes && take_output() > 0; ++i) continue;
}

static void *look_after(void *context) {
  struct pollfd files[2];
  (void)context;
  files[0].fd = kFileSocket;
  files[0].events = 0; /* what is sent is for the main thread; the end of the host always counts */
  files[1].fd = kFileOutput;
  files[1].events = POLLIN;
  for (;;) {
    if (poll(files, 2, -1) < 0 && errno != EINTR) leave();
    if ((files[0].revents & (POLLHUP | POLLERR)) != 0) {
      kill(-getpid(), SIGKILL); /* the host has ended: so do this process and what it started */
      _exit(0);
    }
    if (((files[0].revents | files[1].revents) & POLLNVAL) != 0) leave();
    if (files[1].revents != 0) {
      const ssize_t size = take_output();
      if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
        files[1].fd = -1; /* the kernel has closed all that writes to it */
      }
    }
  }
  return NULL;
}

static void start_looking_after(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old); /* signals are for the kernels' thread */
  if (pthread_attr_init(&attributes) != 0 ||
      pthread_attr_setstacksize(&attributes, 128 << 10) != 0 ||
      (errno = pthread_create(&thread, &attributes, look_after, NULL)) != 0) {
    fail("a thread");
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- Serving the host ---- */

static TVMFFIObjectHandle loaded;

static int ask_module(const char *function, const TVMFFIAny *name, bool has_imports,
                      TVMFFIAny *result) {
  TVMFFIAny args[3];
  args[0] = tvm_ffi_any_view_object(loaded);
  args[1] = *name;
  args[2] = tvm_ffi_any_from_bool(false);
  return tvm_ffi_function_call_global(function, args, has_imports ? 3 : 2, result);
}

static int serve(peer *self, operation op, const TVMFFIAny *text, TVMFFIAny *result) {
  TVMFFIByteArray path;
  (void)self;
  switch (op) {
    case kLoad:
      TVM_FFI_C_TRY(tvm_ffi_any_read_string(text, &path));
      return tvm_ffi_module_load(path.data, &loaded);
    case kGet:
      return ask_module("ffi.ModuleGetFunction", text, true, result);
    case kDoc:
      return ask_module("ffi.ModuleGetFunctionDoc", text, true, result);
    case kMetadata:
      return ask_module("ffi.ModuleGetFunctionMetadata", text, true, result);
    default:
      return TVM_FFI_C_RAISE(TVM_FFI_C_INTERNAL_ERROR, "unknown operation %d", (int)op);
  }
}

/* The host is damaged or gone, or a kernel has closed the files that lead to it. */
static int on_end(peer *self, wait_result result, const char *why) {
  (void)self;
  (void)result;
  if (why != NULL) fprintf(stderr, "%s\n", why);
  leave();
  return -1;
}

static int on_interrupt(peer *self) {
  (void)self;
  return 0;
}

static int call_host(peer *self, uint32_t target, const TVMFFIAny *args, int32_t num_args,
                     TVMFFIAny *result) {
  if (!pthread_equal(pthread_self(), main_thread) || self->depth == 0) {
    return TVM_FFI_C_RAISE(TVM_FFI_C_RUNTIME_ERROR,
                           "a kernel in a process of its own can call the host only during a call, "
                           "in the thread of the call");
  }
  return peer_call(self, kCall, target, "the callback", args, num_args, result);
}

static void do_nothing(peer *self) {
  (void)self;
}

/* The pool is inaccessible but for the tensors that are passed, so that overruns are noticed. */
static void open_pool(peer *self, char *begin, char *end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t base = (uintptr_t)self->pool;
  const size_t first = (size_t)((uintptr_t)begin - base) / page * page;
  const size_t last = ((size_t)((uintptr_t)end - base) + page - 1) / page * page;
  static size_t recent[64]; /* pairs of bounds that are accessible */
  static unsigned next;
  unsigned i;
  for (i = 0; i < 64; i += 2) {
    if (recent[i] <= first && last <= recent[i + 1]) return;
  }
  if (mprotect(self->pool + first, last - first, PROT_READ | PROT_WRITE) != 0) return;
  recent[next] = first;
  recent[next + 1] = last;
  next = (next + 2) % 64;
}

static const peer_hooks kHooks = {.serve = serve,
                                  .before_answer = show_output,
                                  .end = on_end,
                                  .interrupted = on_interrupt,
                                  .call = call_host,
                                  .retain = do_nothing,
                                  .release = do_nothing,
                                  .open_pool = open_pool};

static heap results;

static int allocate_result(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                           void (*set_error)(void *error_ctx, const char *kind,
                                             const char *message)) {
  return tensor_in_heap(&results, prototype, out, error_ctx, set_error);
}

/* Leaves the session of the host, and closes what it has left open; what preloaded libraries have
 * opened, too. */
static void leave_host(void) {
  struct rlimit most;
  int file;
  setsid();
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kFileEnd, ~0u, 0) == 0) return;
#endif
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur > 65536) most.rlim_cur = 65536;
  for (file = kFileEnd; file < (int)most.rlim_cur; ++file) close(file);
}

int main(void) {
  channel *c = &host.channel;
  if (channel_open(c) != 0) {
    fprintf(stderr, "This program is started by libtvm_ffi_isolated, and of no use on its own.\n");
    return 2;
  }
  leave_host();
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line that was printed before */
  main_thread = pthread_self();
  host.hooks = &kHooks;
  host.pool_size = (size_t)c->header->pool_size;
  host.pool = mmap(NULL, host.pool_size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, kFilePool, 0);
  if (host.pool == MAP_FAILED) fail("the memory of tensors");
  peer_init(&host);
  heap_init(&results, c->region[kSideHelper], c->message_limit, c->region_size, -1, 0);
  set_limits(c->header);
  watch_crashes();
  start_looking_after();
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_result, 1, NULL) != 0) return kExitStart;
  __atomic_store_n(&c->header->serves, 1, __ATOMIC_RELEASE);
  channel_send(c, 0, 0);
  peer_serve(&host);
  return 0;
}
