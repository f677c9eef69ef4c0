/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* POSIX_SPAWN_SETSID, MAP_NORESERVE */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

/* ---- All helpers of this process, for forks ---- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the next four */
static process *first_process;
static fork_lock *first_lock;
static tensor_pool *pool;
static pid_t unreaped[64]; /* helpers that were killed, but had not ended in time */

static void close_file(int *file) {
  const int closed = *file;
  *file = -1; /* first: after it is closed, another thread's file may have the number */
  if (closed >= 0) close(closed);
}

/* Other threads may be changing the lists of a helper. */
static void before_fork(void) {
  process *p;
  pthread_mutex_lock(&list_lock);
  for (p = first_process; p != NULL; p = p->next) pthread_mutex_lock(&p->peer.lock);
}

static void after_fork_in_parent(void) {
  process *p;
  for (p = first_process; p != NULL; p = p->next) pthread_mutex_unlock(&p->peer.lock);
  pthread_mutex_unlock(&list_lock);
}

/* Everything but the memory, which tensors may still use. */
static void close_process(process *self) {
  close_file(&self->peer.channel.file);
  close_file(&self->peer.channel.socket);
  close_file(&self->peer.channel.bell);
  close_file(&self->peer.channel.timer);
  close_file(&self->peer.channel.epoll);
  close_file(&self->peer.channel.process);
  close_file(&self->helper_file);
  close_file(&self->output);
}

/*
 * The helpers are the parent's. Other threads may have held their locks. Without the files, the
 * helpers notice the end of the parent.
 */
static void after_fork_in_child(void) {
  process *p;
  fork_lock *lock;
  pthread_mutex_init(&list_lock, NULL);
  for (lock = first_lock; lock != NULL; lock = lock->next) pthread_mutex_init(&lock->mutex, NULL);
  for (p = first_process; p != NULL; p = p->next) {
    pthread_mutex_init(&p->peer.lock, NULL);
    p->peer.is_ended = true;
    p->is_of_parent = true;
    close_process(p);
  }
  if (pool != NULL) {
    pthread_mutex_init(&pool->heap.lock, NULL);
    pool->heap.is_foreign = true;
    pool = NULL; /* the parent's tensors stay where they are */
  }
  memset(unreaped, 0, sizeof unreaped);
}

bool fork_lock_init(fork_lock *self) {
  static bool watches_forks; /* guarded by list_lock */
  pthread_mutex_lock(&list_lock);
  if (!watches_forks) {
    watches_forks = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  }
  if (!watches_forks) {
    pthread_mutex_unlock(&list_lock);
    return false;
  }
  pthread_mutex_init(&self->mutex, NULL);
  self->previous = NULL;
  self->next = first_lock;
  if (self->next != NULL) self->next->previous = self;
  first_lock = self;
  pthread_mutex_unlock(&list_lock);
  return true;
}

void fork_lock_fini(fork_lock *self) {
  pthread_mutex_lock(&list_lock);
  if (self->next != NULL) self->next->previous = self->previous;
  *(self->previous != NULL ? &self->previous->next : &first_lock) = self->next;
  pthread_mutex_unlock(&list_lock);
  pthread_mutex_destroy(&self->mutex);
}

static void list_process(process *self) {
  pthread_mutex_lock(&list_lock);
  self->next = first_process;
  if (self->next != NULL) self->next->previous = self;
  first_process = self;
  pthread_mutex_unlock(&list_lock);
}

static void unlist_process(process *self) {
  pthread_mutex_lock(&list_lock);
  if (self->next != NULL) self->next->previous = self->previous;
  *(self->previous != NULL ? &self->previous->next : &first_process) = self->next;
  pthread_mutex_unlock(&list_lock);
}

/* ---- The pool ---- */

static tensor_pool *make_pool(void) {
  size_t size = sizeof(void *) >= 8 ? (size_t)1 << (sizeof(void *) * 8 - 26) : (size_t)1 << 27;
  tensor_pool *made = calloc(1, sizeof *made);
  int reason = ENOMEM;
  if (made == NULL) return NULL;
  for (; size >= (size_t)1 << 20; size /= 8) {
    made->file = memory_growing_file("tvm_ffi_isolated_pool", size);
    if (made->file < 0) {
      reason = errno;
      continue;
    }
    /* Addresses only, until there are tensors. */
    made->base = mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, made->file, 0);
    if (made->base != MAP_FAILED) {
      memory_hide(made->base, size);
      made->size = size;
      heap_init(&made->heap, made->base, 0, size, made->file, 0);
      return made;
    }
    reason = errno;
    close(made->file);
  }
  free(made);
  errno = reason;
  return NULL;
}

tensor_pool *process_get_pool(void) {
  tensor_pool *got;
  pthread_mutex_lock(&list_lock);
  if (pool == NULL) pool = make_pool();
  got = pool;
  pthread_mutex_unlock(&list_lock);
  return got;
}

/* ---- Starting ---- */

/* What the system cannot do, the helper does itself: a session of its own, and other files closed.
 */
#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0
#endif
#ifndef POSIX_SPAWN_CLOEXEC_DEFAULT
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0
#endif
enum {
  kSpawnFlags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID |
                POSIX_SPAWN_CLOEXEC_DEFAULT
};

/*
 * Executes the helper with these files as 0, 1, and so on; it closes all others itself. Returns
 * errno. The system does not copy the host, so a start takes the same time whatever its size.
 */
static int spawn(pid_t *out_pid, const char *path, const int *files, char **words,
                 char **variables) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  int copies[kFileEnd], num_copies = 0, reason, i;
  reason = posix_spawn_file_actions_init(&actions);
  if (reason != 0) return reason;
  reason = posix_spawnattr_init(&attributes);
  if (reason != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return reason;
  }
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, (short)kSpawnFlags);
  /* Copies, out of the way of the numbers that they shall have. */
  for (; reason == 0 && num_copies < kFileEnd; ++num_copies) {
    copies[num_copies] = fcntl(files[num_copies], F_DUPFD_CLOEXEC, kFileEnd);
    if (copies[num_copies] < 0) {
      reason = errno;
      break;
    }
    reason = posix_spawn_file_actions_adddup2(&actions, copies[num_copies], num_copies);
  }
  if (reason == 0) {
    reason = posix_spawn(out_pid, path, &actions, &attributes, words, variables);
  }
  for (i = 0; i < num_copies; ++i) close(copies[i]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return reason;
}

/* Keeps a helper that was killed, but has not ended in time; takes the status of the others. */
static void remember_unreaped(pid_t pid) {
  size_t i;
  pthread_mutex_lock(&list_lock);
  for (i = 0; i < sizeof unreaped / sizeof *unreaped; ++i) {
    if (unreaped[i] != 0) {
      const pid_t got = waitpid(unreaped[i], NULL, WNOHANG);
      if (got > 0 || (got < 0 && errno == ECHILD)) unreaped[i] = 0;
    }
    if (unreaped[i] == 0 && pid != 0) {
      unreaped[i] = pid;
      pid = 0;
    }
  }
  pthread_mutex_unlock(&list_lock);
}

static int fail_start(const char *action, int reason) {
  return TVM_FFI_C_RAISE(TVM_FFI_ISOLATED_START_ERROR, "cannot start a helper process: %s: %s",
                         action, strerror(reason));
}

/* Whether a sandbox has the variable: what the loader, the C library and sanitizers read. */
static bool is_passed(const char *variable, const char *listed) {
  static const char *const kPassed[] = {
      "LD_LIBRARY_PATH", "LD_PRELOAD",   "LANG",          "LANGUAGE",    "TZ",
      "ASAN_OPTIONS",    "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"};
  const size_t size = strcspn(variable, "=");
  size_t i;
  if (strncmp(variable, "LC_", 3) == 0 || strncmp(variable, "TVM_FFI_", 8) == 0) return true;
  for (i = 0; i < sizeof kPassed / sizeof *kPassed; ++i) {
    if (strlen(kPassed[i]) == size && strncmp(variable, kPassed[i], size) == 0) return true;
  }
  while (listed != NULL && *listed != '\0') {
    const size_t length = strcspn(listed, ":");
    if (length == size && strncmp(variable, listed, size) == 0) return true;
    listed += length + (listed[length] == ':');
  }
  return false;
}

/* The variables of a sandbox, to be freed; the texts are the host's. NULL: no memory. */
static char **select_variables(const char *listed) {
  char **all = get_environment(), **selected;
  size_t count = 0, i;
  while (all != NULL && all[count] != NULL) ++count;
  selected = calloc(count + 1, sizeof *selected);
  if (selected == NULL) return NULL;
  for (i = 0, count = 0; all != NULL && all[i] != NULL; ++i) {
    if (is_passed(all[i], listed)) selected[count++] = all[i];
  }
  return selected;
}

/* Executes the helper; the words say which sandbox it is in. Returns errno. */
static int spawn_helper(process *self, const tvm_ffi_isolated_options *options, const char *library,
                        const int *files) {
  static const char kName[] = "tvm_ffi_isolated_helper";
  const char *words[kNumWords + 1] = {kName, NULL};
  char **variables = get_environment(), **selected = NULL;
  int reason;
  if (options->sandbox != 0) {
    words[kWordSandbox] = options->sandbox == TVM_FFI_ISOLATED_SANDBOX_BEST ? "best" : "all";
    words[kWordLibrary] = library;
    words[kWordReads] = options->reads != NULL ? options->reads : "";
    variables = selected = select_variables(options->environment);
    if (selected == NULL) return ENOMEM;
  }
  reason = spawn(&self->pid, options->helper, files, (char **)(uintptr_t)words, variables);
  free(selected);
  return reason;
}

/* The ends of sockets that stay here are the caller's to close. */
static int start_child(process *self, const tvm_ffi_isolated_options *options, const char *library,
                       const tensor_pool *tensors) {
  int sockets[2] = {-1, -1}, outputs[2] = {-1, -1}, nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  int code = 0;
  if (nothing < 0) return fail_start("/dev/null", errno);
  if (socket_pair(sockets) != 0 || socket_pair(outputs) != 0) {
    code = fail_start("sockets", errno);
  }
  if (code == 0) {
    int files[kFileEnd], reason;
    self->peer.channel.bell = bell_make();
    files[0] = nothing;
    files[1] = files[2] = outputs[0];
    files[kFileChannel] = self->peer.channel.file;
    files[kFileSocket] = sockets[1];
    files[kFileBell] = self->peer.channel.bell >= 0 ? self->peer.channel.bell : nothing;
    files[kFileOutput] = outputs[1];
    files[kFilePool] = tensors->file;
    files[kFileErrors] =
        options->shows_output && fcntl(STDERR_FILENO, F_GETFD) >= 0 ? STDERR_FILENO : nothing;
    reason = spawn_helper(self, options, library, files);
    if (reason != 0) {
      self->pid = 0;
      code = fail_start(options->helper, reason);
    }
  }
  close_file(&nothing);
  close_file(&sockets[1]);
  close_file(&outputs[0]);
  self->peer.channel.socket = sockets[0];
  self->output = outputs[1];
  if (code != 0) return code;
  self->peer.channel.child = self->peer.channel.helper = self->pid;
  self->peer.channel.process = process_file(self->pid);
  self->peer.channel.timer = timer_make();
  self->peer.channel.epoll =
      epoll_make(self->peer.channel.bell, self->peer.channel.process, self->peer.channel.timer);
  return 0;
}

/*
 * What the helper of a sandbox says of itself, while it is still ours: no library is loaded yet. It
 * is killed rather than the host's child, which ends when all that was in the sandbox has.
 */
static void read_sandbox(process *self) {
  channel *c = &self->peer.channel;
  const pid_t helper = (pid_t)c->header->helper;
  self->sandbox_parts = c->header->sandbox_parts;
  if (helper <= 0) return;
  self->helper_file = process_file(helper);
  if (process_is_child_of(helper, self->pid)) {
    c->helper = helper;
  } else {
    close_file(&self->helper_file);
  }
}

/* Waits until the helper has set itself up. */
static int wait_for_start(process *self, const tvm_ffi_isolated_options *options) {
  wait_result result;
  self->timeout = options->load_timeout;
  self->peer.deadline = clock_now() + (int64_t)(options->load_timeout * 1e9);
  do {
    result = channel_wait(&self->peer.channel, self->peer.deadline);
  } while (result == kWaitSignal);
  if (result != kWaitTurn) return process_end(&self->peer, result, NULL);
  read_sandbox(self);
  return 0;
}

/* In a sandbox, `memory` counts for each side's messages, too. */
static uint64_t most_shared(const tvm_ffi_isolated_options *options) {
  return options->sandbox != 0 && options->memory != 0 ? options->memory : UINT64_MAX;
}

int process_start(const tvm_ffi_isolated_options *options, const char *library,
                  const tensor_pool *tensors, const peer_hooks *hooks, process **out) {
  process *self = calloc(1, sizeof *self);
  channel_header *header;
  int code;
  if (self == NULL) return tvm_ffi_error_raise_memory();
  self->library = process_show_text(library);
  if (self->library == NULL ||
      channel_create(&self->peer.channel, tensors->size, most_shared(options)) != 0) {
    const int reason = self->library == NULL ? ENOMEM : errno;
    free(self->library);
    free(self);
    return fail_start("shared memory", reason);
  }
  self->references = 1;
  self->output = self->helper_file = -1;
  self->memory = options->memory;
  self->cpu_seconds = options->cpu_seconds;
  self->peer.hooks = hooks;
  self->peer.pool = tensors->base;
  self->peer.pool_size = tensors->size;
  self->peer.answer_limit = options->answer;
  remember_unreaped(0);
  peer_init(&self->peer);
  list_process(self);
  header = self->peer.channel.header;
  header->memory = options->memory;
  header->cpu_seconds = options->cpu_seconds;
  header->open_files = options->open_files;
  header->forbids = (uint32_t)options->forbids;
  header->shows_output = options->shows_output != 0;
  header->turn = kSideHelper; /* it hands the turn over when it is ready */
  code = start_child(self, options, library, tensors);
  if (code == 0) code = wait_for_start(self, options);
  if (code != 0) {
    (void)process_release(self);
    return code;
  }
  *out = self;
  return 0;
}

/* ---- The end ---- */

/*
 * By a file, if there is one. Otherwise only as long as it is a child: the host may have taken the
 * status, and the number be another's.
 */
static void kill_child(const process *self) {
  siginfo_t info;
  if (self->peer.channel.process >= 0 && process_file_kill(self->peer.channel.process)) return;
  if (waitid(P_PID, (id_t)self->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    kill(self->pid, SIGKILL);
  }
}

static void kill_helper(const process *self) {
  if (self->helper_file < 0 || !process_file_kill(self->helper_file)) kill_child(self);
}

/*
 * Kills what the helper has started, while its number cannot be another's, and takes its status;
 * and that of what it has started as children of the host (CLONE_PARENT).
 */
static bool reap_ended(process *self, int *status) {
  const pid_t pid = self->pid;
  pid_t got;
  int i;
  kill(-pid, SIGKILL);
  do {
    got = waitpid(pid, status, 0);
  } while (got < 0 && errno == EINTR);
  for (i = 0; i < 100; ++i) {
    const struct timespec pause = {0, 1000000};
    const pid_t other = waitpid(-pid, NULL, WNOHANG);
    if (other < 0) break;
    if (other == 0) nanosleep(&pause, NULL);
  }
  self->pid = 0;
  return got > 0;
}

/*
 * Kills what runs of the helper, and takes its status. False: there is none, because the host
 * ignores SIGCHLD or waits for any child, or the helper has not ended in time. For one that has
 * made the host its tracer, the signal that stopped it counts as what ended it.
 */
static bool reap(process *self, bool must_kill, int *status) {
  int stopped_by = 0, i;
  if (must_kill) kill_helper(self);
  for (i = 0; i < 2000; ++i) { /* a process that waits for a device may take its time */
    struct pollfd file;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid(P_PID, (id_t)self->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR) {
      self->pid = 0;
      return false;
    }
    if (info.si_pid == self->pid && info.si_code == CLD_TRAPPED) {
      stopped_by = info.si_status;
      kill_helper(self);
    } else if (info.si_pid == self->pid) {
      const bool has_status = reap_ended(self, status);
      if (stopped_by != 0) *status = stopped_by;
      return has_status;
    }
    file.fd = self->peer.channel.process;
    file.events = POLLIN;
    file.revents = 0;
    if (poll(&file, 1, 1) < 0 ? errno != EINTR : (file.revents & ~POLLIN) != 0) {
      const struct timespec pause = {0, 1000000};
      nanosleep(&pause, NULL);
    }
    if (i == 100) { /* it has closed its socket, and goes on */
      self->was_killed = true;
      kill_helper(self);
    }
    if (i == 1000) kill_child(self);
  }
  remember_unreaped(self->pid);
  self->pid = 0;
  return false;
}

static int raise_ended(const process *self) {
  if (self->ended == NULL) {
    return TVM_FFI_C_RAISE(TVM_FFI_ISOLATED_EXIT_ERROR, "%s: the helper process has ended",
                           self->library);
  }
  TVMFFIErrorSetRaised(self->ended);
  return -1;
}

int process_end(peer *ended, wait_result result, const char *why) {
  process *self = (process *)(void *)ended;
  int status = 0;
  bool has_status;
  if (ended->is_ended) return raise_ended(self);
  ended->is_ended = true;
  has_status = reap(self, result != kWaitGone, &status);
  self->ended = process_describe_end(self, result, why, has_status, status);
  close_process(self);
  /* Functions that were called before still refer to this helper, until they are called again. */
  channel_forget(&ended->channel);
  peer_release_exports(ended);
  return raise_ended(self);
}

bool process_has_left(const process *self) {
  const channel_header *header = self->peer.channel.header;
  return self->peer.is_ended || __atomic_load_n(&header->leaves, __ATOMIC_RELAXED) != 0 ||
         __atomic_load_n(&header->note.signal, __ATOMIC_RELAXED) != 0;
}

void process_retain(process *self) {
  __atomic_fetch_add(&self->references, 1, __ATOMIC_RELAXED);
}

bool process_release(process *self) {
  int status, cancel_state;
  if (__atomic_sub_fetch(&self->references, 1, __ATOMIC_ACQ_REL) != 0) return false;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  if (!self->peer.is_ended && self->pid > 0) (void)reap(self, true, &status);
  (void)pthread_setcancelstate(cancel_state, NULL);
  unlist_process(self);
  close_process(self);
  peer_fini(&self->peer);
  channel_unmap(&self->peer.channel);
  tvm_ffi_object_release(self->ended);
  free(self->library);
  free(self);
  return true;
}
