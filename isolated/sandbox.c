/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces of Linux, and what they need: three processes for a helper, four if its output is
 * shown.
 *
 *     the relay    which passes on what the helper prints. It stays in all of the host's
 *                  namespaces, and ends when nobody can write to it any more
 *     the monitor  the child of the host. It stays in the host's namespace of processes and does
 *                  nothing until the helper or the host ends. Then it ends the others, and ends
 *                  as the helper did
 *     init         the first process of the helper's namespace. When it ends, the system kills all
 *                  in the namespace. It ends when the monitor does
 *     the helper   whose first step is a tree of files of its own
 *
 * No process is copied that has threads, and none of the host's memory is: the program has just
 * been executed.
 */
#define _GNU_SOURCE /* unshare, syscall */
#include "sandbox.h"

#include <errno.h>
#include <string.h>
#include <tvm/ffi/extra/isolated.h>

#include "helper_system.h"

static uint32_t parts;
static bool is_wanted, is_best;

bool sandbox_is_wanted(void) {
  return is_wanted;
}

uint32_t sandbox_get_parts(void) {
  return parts;
}

#ifndef __linux__

int32_t sandbox_get_helper(void) {
  return 0;
}

void sandbox_enter(int num_words, char **words) {
  if (num_words < kNumWords) return;
  is_wanted = true;
  is_best = strcmp(words[kWordSandbox], "best") == 0;
  errno = ENOTSUP;
  if (!is_best) fail("a sandbox");
}

void sandbox_forbid(uint32_t forbids) {
  errno = ENOTSUP;
  if ((forbids & TVM_FFI_ISOLATED_FILES) != 0) fail("to forbid files");
  if (forbids != 0) fail("to forbid network and processes");
}

void sandbox_lock(void) {}

#else

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system.h"

enum { kExitSandbox = 122 };

static visible_files files;
static pid_t outer_number, relay; /* 0: none */
static channel_header wanted;     /* by the host */

int32_t sandbox_get_helper(void) {
  return (int32_t)outer_number;
}

/* A part that the system refuses is an error, unless the host wants what there is. */
static void miss(const char *what) {
  if (!is_best) fail(what);
}

static void close_all_but(int kept, int also_kept) {
  int file;
  for (file = 0; file < 256; ++file) {
    if (file != kept && file != also_kept) close(file);
  }
}

/* ---- The relay ---- */

/* A terminal does what it is told, so it is told nothing. */
static void hide_controls(char *text, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)text[i];
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f) text[i] = ' ';
  }
}

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written > 0) {
      bytes += written;
      size -= (size_t)written;
    } else if (errno == EAGAIN) {
      struct pollfd room;
      room.fd = file;
      room.events = POLLOUT;
      (void)poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

static void run_relay(int pipe) {
  static char bytes[4096];
  const bool is_terminal = isatty(kFileErrors) != 0;
  sigset_t all;
  ssize_t size;
  setsid(); /* the helper's session ends before the last of its output is written */
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  close_all_but(pipe, kFileErrors);
  while ((size = read(pipe, bytes, sizeof bytes)) > 0) {
    if (is_terminal) hide_controls(bytes, (size_t)size);
    if (!write_all(kFileErrors, bytes, (size_t)size)) break;
  }
  _exit(0);
}

/*
 * The host's standard error may be a terminal, a log or a socket, and is open as the host has it:
 * who has it can read what is typed or was written there, overwrite or shut it down, and make the
 * host's own writes fail (O_NONBLOCK). So the helper gets a pipe.
 */
static void relay_errors(void) {
  int ends[2];
  if (pipe(ends) != 0) fail("a pipe for the output of the sandbox");
  relay = fork();
  if (relay < 0) fail("the process for the output of the sandbox");
  if (relay == 0) run_relay(ends[0]);
  if (dup2(ends[1], kFileErrors) < 0) fail("the output of the sandbox");
  (void)fcntl(kFileErrors, F_SETFD, FD_CLOEXEC);
  close(ends[0]);
  close(ends[1]);
}

/* The last output is written, unless nobody takes it. */
static void end_relay(void) {
  enum { kMilliseconds = 1000 };
  const struct timespec pause = {0, 1000000};
  int i;
  if (relay == 0) return;
  for (i = 0; i < kMilliseconds && waitpid(relay, NULL, WNOHANG) == 0; ++i) nanosleep(&pause, NULL);
  if (i == kMilliseconds) kill(relay, SIGKILL);
}

/* ---- The user's namespace ---- */

static bool write_text(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  const ssize_t size = (ssize_t)strlen(text);
  bool works;
  if (file < 0) return false;
  works = write(file, text, (size_t)size) == size;
  close(file);
  return works;
}

/* The same user and group, and no others. */
static bool map_user(uid_t user, gid_t group) {
  char text[64];
  (void)write_text("/proc/self/setgroups", "deny"); /* before Linux 3.19 there is none */
  snprintf(text, sizeof text, "%lu %lu 1\n", (unsigned long)user, (unsigned long)user);
  if (!write_text("/proc/self/uid_map", text)) return false;
  snprintf(text, sizeof text, "%lu %lu 1\n", (unsigned long)group, (unsigned long)group);
  return write_text("/proc/self/gid_map", text);
}

/* ---- The monitor and init ---- */

/* Ends when the monitor has: the other end of the pipe is closed then. */
static void run_init(int pipe) {
  char byte;
  close_all_but(pipe, -1);
  signal(SIGCHLD, SIG_IGN); /* takes what processes without a parent leave */
  while (read(pipe, &byte, 1) != 0) continue;
  _exit(0);
}

/* Ends as the helper did. */
static void end_with(int status) {
  sigset_t only;
  if (WIFSIGNALED(status)) {
    sigemptyset(&only);
    sigaddset(&only, WTERMSIG(status));
    signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &only, NULL);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : kExitSandbox);
}

static bool has_ended(pid_t child) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ? errno == ECHILD
                                                                             : info.si_pid == child;
}

/* Bytes that the system tells of in /proc/PID/status. */
static uint64_t find_size(const char *text, const char *name) {
  const char *at = (strstr)(text, name);
  return at != NULL ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

/*
 * RLIMIT_DATA counts memory only as long as it can be written, and no tables of pages; those of
 * shared memory are no fault of the kernel. The rest is for the stack and what is only in part used
 * at a time.
 */
static bool holds_too_much(int status) {
  enum { kMore = 128 << 20, kSharedByTable = 128 };
  char text[4096];
  const ssize_t size = pread(status, text, sizeof text - 1, 0);
  const uint64_t most = wanted.memory + wanted.memory / 8 + kMore;
  if (size <= 0) return false;
  text[size] = '\0';
  return find_size(text, "\nRssAnon:") + find_size(text, "\nVmSwap:") +
             find_size(text, "\nHugetlbPages:") + find_size(text, "\nVmPTE:") >
         most + find_size(text, "\nRssShmem:") / kSharedByTable;
}

/* -1: there is no limit, or the system does not tell. */
static int open_status(pid_t process) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
  return wanted.memory != 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/*
 * The host's number counts as long as the host is the parent. Without files for both, it looks, and
 * it does to see how much memory there is.
 */
static void run_monitor(pid_t host, int host_file, pid_t init, pid_t helper) {
  enum { kLookMilliseconds = 50 };
  const int memory = open_status(helper);
  struct pollfd ends[2];
  sigset_t all;
  int status = 0;
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no core file, either */
  memset(ends, 0, sizeof ends);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  ends[0].fd = process_file(helper);
  ends[1].fd = host_file;
  ends[0].events = ends[1].events = POLLIN;
  while (!has_ended(helper) && getppid() == host && (memory < 0 || !holds_too_much(memory))) {
    const bool looks = ends[0].fd < 0 || host_file < 0 || memory >= 0;
    (void)poll(ends, 2, looks ? kLookMilliseconds : -1);
  }
  kill(helper, SIGKILL);
  while (waitpid(helper, &status, 0) < 0 && errno == EINTR) continue;
  kill(init, SIGKILL);
  while (waitpid(init, NULL, 0) < 0 && errno == EINTR) continue; /* until nothing is left there */
  end_relay();
  end_with(status);
}

/* Returns in the helper. */
static void fork_helper(pid_t host, int host_file) {
  int ends[2];
  pid_t init, helper;
  if (pipe(ends) != 0) fail("a pipe for the sandbox");
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* kernels have init's user, and its /proc/1/root */
  init = fork();
  if (init < 0) fail("the first process of the sandbox");
  if (init == 0) {
    close(ends[1]);
    run_init(ends[0]);
  }
  (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  helper = fork();
  if (helper < 0) fail("the process of the sandbox");
  close(ends[0]);
  if (helper > 0) {
    int file;
    for (file = 0; file < kFileEnd; ++file) close(file);
    run_monitor(host, host_file, init, helper);
  }
  close(ends[1]);
  if (host_file >= 0) close(host_file);
  setsid();
}

/* ---- The tree of files ---- */

static const char kOld[] = "/.tvm_ffi_old";

static void make_folders(char *path) {
  char *at;
  for (at = path + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    (void)mkdir(path, 0755);
    *at = '/';
  }
}

/* Shows the old tree's path in the new one. */
static void show(const visible_file *which, const char *old_path) {
  char source[PATH_MAX + sizeof kOld];
  make_folders(which->path);
  if (which->is_folder) {
    (void)mkdir(which->path, 0755);
  } else {
    const int file = open(which->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
    if (file >= 0) close(file);
  }
  snprintf(source, sizeof source, "%s%s", kOld, old_path);
  if (mount(source, which->path, NULL, MS_BIND | MS_REC, NULL) != 0) fail(which->path);
}

enum { kReadOnly = 1, kNoSetuid = 2 }; /* attributes of mounts */

/* Of all that is mounted there. */
static bool set_attributes(const char *path, uint64_t set) {
#ifdef SYS_mount_setattr
  enum { kRecursive = 0x8000 };
  const struct { uint64_t set, clear, propagation, user_namespace; } attributes = {set, 0, 0, 0};
  return syscall(SYS_mount_setattr, AT_FDCWD, path, kRecursive, &attributes, sizeof attributes) ==
         0;
#else
  (void)path, (void)set;
  errno = ENOSYS;
  return false;
#endif
}

static void enter_folder(char *folder) {
  make_folders(folder);
  (void)mkdir(folder, 0755);
  if (chdir(folder) != 0) fail(folder);
}

/*
 * A new tree at the place of /dev, with nothing in it. Containers and old systems may refuse each
 * step; then the tree is as before.
 */
static bool begin_tree(void) {
  int reason;
  if (!set_attributes("/dev", 0) ||
      mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=0755,size=1m") != 0) {
    return false;
  }
  if (chdir("/dev") == 0 && mkdir(kOld + 1, 0755) == 0 &&
      syscall(SYS_pivot_root, ".", kOld + 1) == 0 && chdir("/") == 0) {
    return true;
  }
  reason = errno;
  (void)umount2("/dev", MNT_DETACH);
  errno = reason;
  return false;
}

/* The old tree is in the new one until all is shown, so links in paths are resolved before. */
static bool make_tree(void) {
  char **real = calloc(files.count + 1, sizeof *real);
  char *folder = getcwd(NULL, 0);
  size_t i;
  if (real == NULL || folder == NULL) fail("memory for the list of files");
  for (i = 0; i < files.count; ++i) {
    real[i] = realpath(files.files[i].path, NULL);
    if (real[i] == NULL) fail(files.files[i].path);
  }
  if (!begin_tree()) {
    miss("mounts for the sandbox");
    for (i = 0; i < files.count; ++i) free(real[i]);
    free(real);
    if (chdir(folder) != 0) fail(folder);
    free(folder);
    return false;
  }
  (void)umask(0);
  for (i = 0; i < files.count; ++i) {
    show(&files.files[i], real[i]);
    free(real[i]);
  }
  free(real);
  /* Where a container hides parts of it, there is none: the helper can do without. */
  (void)mkdir("/proc", 0755);
  (void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid");
  if (umount2(kOld, MNT_DETACH) != 0 || rmdir(kOld) != 0) fail("the old tree of files");
  enter_folder(folder);
  free(folder);
  /* Nothing can be written there, nor gain rights. */
  if (!set_attributes("/", kReadOnly | kNoSetuid)) fail("mount_setattr");
  (void)umask(077);
  return true;
}

/* ---- Both steps ---- */

static bool enter_namespace(int kind, uint32_t part, const char *what) {
  if (unshare(kind) != 0) {
    miss(what);
    return false;
  }
  parts |= part;
  return true;
}

static void enter_namespaces(void) {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  const pid_t host = getppid();
  const int host_file = process_file(host);
  char text[32] = "";
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    miss("a namespace of users and processes");
    return;
  }
  if (!map_user(user, group)) miss("the user of a namespace");
  parts |= TVM_FFI_ISOLATED_SANDBOX_PROCESSES;
  fork_helper(host, host_file);
  if (readlink("/proc/self", text, sizeof text - 1) > 0) {
    outer_number = (pid_t)strtol(text, NULL, 10);
  }
  (void)enter_namespace(CLONE_NEWNET, TVM_FFI_ISOLATED_SANDBOX_NETWORK, "a namespace of networks");
  (void)enter_namespace(CLONE_NEWIPC | CLONE_NEWUTS, TVM_FFI_ISOLATED_SANDBOX_IPC,
                        "a namespace of IPC");
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
    miss("a namespace of mounts");
    return;
  }
  if (make_tree()) parts |= TVM_FFI_ISOLATED_SANDBOX_FILES;
}

/*
 * Preloaded libraries may have started threads. Nothing would keep those in, and kernels could make
 * them run what they like. The flag does nothing but fail in a program that has threads.
 */
static void refuse_threads(void) {
  struct stat threads;
  if ((unshare(CLONE_THREAD) != 0 && errno == EINVAL) ||
      (stat("/proc/self/task", &threads) == 0 && threads.st_nlink > 3)) {
    errno = EBUSY;
    fail("a sandbox for a helper that has threads, of a library in LD_PRELOAD");
  }
}

void sandbox_enter(int num_words, char **words) {
  if (num_words < kNumWords) return;
  is_wanted = true;
  is_best = strcmp(words[kWordSandbox], "best") == 0;
  refuse_threads();
  leave_host(); /* the processes beside the helper hold nothing of the host's open */
  if (pread(kFileChannel, &wanted, sizeof wanted, 0) != (ssize_t)sizeof wanted) fail("the channel");
  if (wanted.shows_output) relay_errors();
  visible_files_list(&files, words[kWordLibrary], words[kWordReads]);
  enter_namespaces();
}

void sandbox_forbid(uint32_t forbids) {
  if (forbids == 0) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("PR_SET_NO_NEW_PRIVS");
  if ((forbids & TVM_FFI_ISOLATED_FILES) != 0) refuse_writing_files();
  if ((forbids & ~(uint32_t)TVM_FFI_ISOLATED_FILES) != 0) refuse_calls(forbids);
}

/* Of what root may do, in whatever namespace. */
static void drop_capabilities(void) {
  enum { kVersion3 = 0x20080522, kMostCapabilities = 64 };
  struct {
    uint32_t version;
    int32_t process;
  } header = {kVersion3, 0};
  uint32_t none[6] = {0, 0, 0, 0, 0, 0};
  unsigned long i;
  for (i = 0; i < kMostCapabilities && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; ++i) continue;
  if (syscall(SYS_capset, &header, none) != 0) fail("capset");
}

void sandbox_lock(void) {
  bool has_scopes = false;
  if (!is_wanted) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail("PR_SET_DUMPABLE");
  if (refuse_other_files(&files, &has_scopes)) {
    parts |= TVM_FFI_ISOLATED_SANDBOX_LANDLOCK;
    if (has_scopes) parts |= TVM_FFI_ISOLATED_SANDBOX_SCOPES;
  } else {
    miss("Landlock");
  }
  drop_capabilities();
  if (allow_calls((parts & TVM_FFI_ISOLATED_SANDBOX_PROCESSES) != 0)) {
    parts |= TVM_FFI_ISOLATED_SANDBOX_CALLS;
  } else {
    miss("seccomp");
  }
}

#endif
