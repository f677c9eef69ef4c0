/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper program: loads a library and calls its functions for the host that has started it.
 * What is wrong when it starts, it prints; the host puts that into its error.
 */
#define _GNU_SOURCE /* sigaltstack, dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>
#include <unistd.h>
#if TVM_FFI_BACKTRACE
#include <execinfo.h>
#endif

#include "helper_system.h"
#include "peer.h"
#include "sandbox.h"
#include "tensor_copy.h"

enum { kExitLeaves = 121 };

static peer host;
static pthread_t main_thread;
static pid_t own_process;

/* ---- Crashes ---- */

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
  (void)context;
  if (getpid() != own_process) { /* a process that a kernel has started: the helper lives */
    signal(number, SIG_DFL);
    raise(number); /* as soon as this returns; an instruction that has not failed is not repeated */
    return;
  }
  note_cause(note, number, info); /* first: an alarm of kernels may be waiting to be unblocked */
  unblock_alarm();
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

/* Says that the end is intended. What the kernels have started is the host's to end. */
static void leave(leave_reason reason) {
  __atomic_store_n(&host.channel.header->leaves, (uint32_t)reason, __ATOMIC_SEQ_CST);
  _exit(kExitLeaves);
}

/* Called at the end of the main thread, by pthread_exit() in a kernel: nobody would serve the host.
 */
static void leave_at_end_of_thread(void *context) {
  (void)context;
  leave(kLeaveThread);
}

/*
 * A process that a kernel starts has no channel: what it does when it returns from the kernel, or
 * crashes, must not look like the helper's. Its memory has no header in the first place, where the
 * system can do that.
 */
static void leave_channel_in_child(void) {
  static channel_header nobody;
  host.channel.header = &nobody;
  host.is_ended = true;
}

static void watch_thread_and_forks(void) {
  static pthread_key_t end_of_thread;
  errno = pthread_key_create(&end_of_thread, leave_at_end_of_thread);
  if (errno == 0) errno = pthread_setspecific(end_of_thread, &end_of_thread);
  if (errno == 0) errno = pthread_atfork(NULL, NULL, leave_channel_in_child);
  if (errno != 0) fail("to watch threads and forks");
}

/* How much of the next part of the output fits before the end of the ring. */
static size_t contiguous_output(uint64_t printed) {
  const size_t room = (size_t)(kOutputRing - printed % kOutputRing);
  return room < kOutputPart ? room : kOutputPart;
}

/*
 * Takes what was printed, as far as it is there, and keeps the end of it for the host's error;
 * returns what recv() did. The kernel may end this process at any point: what recv() took from the
 * socket is then already where the host looks for it.
 */
static ssize_t take_output(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  channel_header *header = host.channel.header;
  uint64_t before;
  ssize_t size;
  char *bytes;
  int reason;
  pthread_mutex_lock(&lock);
  before = header->output_size;
  bytes = header->output + before % kOutputRing;
  size = recv(kFileOutput, bytes, contiguous_output(before), MSG_DONTWAIT);
  reason = errno;
  if (size > 0) {
    const uint64_t after = before + (uint64_t)size;
    const size_t first = contiguous_output(after);
    memset(header->output + after % kOutputRing, 0, first);
    memset(header->output, 0, kOutputPart - first);
    __atomic_store_n(&header->output_size, after, __ATOMIC_RELEASE);
    if (header->shows_output) write_to_host(bytes, (size_t)size);
  }
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
  (void)context;
  for (;;) {
    const int seen = watch_next();
    if ((seen & kSeenHostEnd) != 0) {
      kill(-getpid(), SIGKILL); /* the host has ended: so do this process and what it started */
      _exit(0);
    }
    if ((seen & kSeenClosedFile) != 0) leave(kLeaveFiles);
    if ((seen & kSeenOutput) != 0) {
      const ssize_t size = take_output();
      if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) {
        watch_end_output(); /* the kernel has closed all that writes to it */
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
  leave(kLeaveFiles);
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

int main(int num_words, char **words) {
  channel *c = &host.channel;
  sandbox_enter(num_words, words);
  if (channel_open(c) != 0) {
    fprintf(stderr, "This program is started by libtvm_ffi_isolated, and of no use on its own.\n");
    return 2;
  }
  leave_host();
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a crash loses no line that was printed before */
  main_thread = pthread_self();
  own_process = getpid();
  host.hooks = &kHooks;
  host.pool_size = (size_t)c->header->pool_size;
  host.pool = mmap(NULL, host.pool_size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, kFilePool, 0);
  if (host.pool == MAP_FAILED) fail("the memory of tensors");
  close(kFilePool); /* only the host makes it grow */
  peer_init(&host);
  heap_init(&results, c->region[kSideHelper], c->message_limit, c->region_size, -1, 0);
  set_limits(c->header, sandbox_is_wanted(), sandbox_get_parts());
  sandbox_forbid(c->header->forbids);
  sandbox_lock();
  c->header->sandbox_parts = sandbox_get_parts();
  c->header->helper = sandbox_get_helper();
  watch_crashes();
  watch_thread_and_forks();
  watch_begin();
  start_looking_after();
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_result, 1, NULL) != 0) return kExitStart;
  __atomic_store_n(&c->header->serves, 1, __ATOMIC_RELEASE);
  channel_send(c, 0, 0);
  peer_serve(&host);
  return 0;
}
