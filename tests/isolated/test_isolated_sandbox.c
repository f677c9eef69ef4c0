/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of isolated modules, against a library of attacks. They are tried without a sandbox,
 * with options.forbids and in one, and what they could do has to be what the page says. As root,
 * the first two are tried by another user.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "isolated/host.h"

enum { kMemory = 256 * 1000 * 1000, kNobody = 65534 };

static tvm_ffi_isolated_options options_with(int32_t sandbox) {
  tvm_ffi_isolated_options options = host_options();
  options.sandbox = sandbox;
  options.load_timeout = 60 * environment_slower();
  return options;
}

static TVMFFIObjectHandle load(const char *file) {
  const tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  return host_load_with(file, &options);
}

/* The result of a function with one text. */
static int64_t call_text(TVMFFIObjectHandle module, const char *name, const char *text) {
  TVMFFIAny arg = tvm_ffi_any_view_string(text), result;
  check_ok(host_call(module, name, &arg, 1, &result));
  return result.v_int64;
}

/* Whether the system has what a sandbox needs; else the tests say what it lacks, and skip. */
static bool has_sandbox(void) {
  const tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  TVMFFIObjectHandle module = NULL, error = NULL;
  if (tvm_ffi_isolated_load(module_path("isolated_bad.so"), &options, &module) == 0) {
    tvm_ffi_object_release(module);
    return true;
  }
  TVMFFIErrorMoveFromRaised(&error);
  print_message("skipped: %s\n", tvm_ffi_error_get_message(error).data);
  assert_string_equal(tvm_ffi_error_get_kind(error).data, TVM_FFI_ISOLATED_START_ERROR);
  tvm_ffi_object_release(error);
  return false;
}

/* ---- Attacks ---- */

/* How they are tried; the columns of the table. */
typedef enum { kPlain, kForbids, kSandbox, kNumColumns } column;

typedef struct {
  const char *attack, *text;
  bool works[kNumColumns];
  bool depends; /* on settings of the system, which may refuse what the page says is possible */
} row;

static const row kRows[] = {
    {"read_file", "read a file of the user", {true, true, false}, false},
    {"list_files", "list a folder of the user", {true, true, false}, false},
    {"write_file", "write to a file of the user", {true, false, false}, false},
    {"make_file", "make a file", {true, false, false}, false},
    {"make_temporary_file", "make a file in `/tmp`", {true, false, false}, false},
    {"remove_file", "remove a file", {true, false, false}, false},
    {"rename_file", "rename a file", {true, false, false}, false},
    {"change_mode", "change the mode of a file", {true, true, false}, false},
    {"change_owner",
     "change the owner of a file, as far as the user may",
     {true, true, false},
     false},
    {"change_times", "change the times of a file", {true, true, false}, false},
    {"change_attributes", "change extended attributes of a file", {true, true, false}, true},
    {"write_proc_memory", "write memory of the host, `/proc/PID/mem`", {true, false, false}, true},
    {"write_memory", "the same, `process_vm_writev`", {true, true, false}, true},
    {"read_memory", "read memory of the host, `process_vm_readv`", {true, true, false}, true},
    {"trace", "debug the host, `ptrace`", {true, true, false}, true},
    {"take_file", "take an open file of the host, `pidfd_getfd`", {true, true, false}, true},
    {"send_signal", "send signals to processes of the user", {true, true, false}, false},
    {"send_signal_to_host", "send signals to the host", {true, true, false}, false},
    {"send_signal_to_thread", "the same, `tkill`", {true, true, false}, false},
    {"send_signal_by_file", "let the system send one, `F_SETOWN`", {true, true, false}, false},
    {"change_limits", "change limits of the host, `prlimit`", {true, true, false}, false},
    {"change_priority", "change the priority of the host", {true, true, false}, false},
    {"change_processors", "change the processors of the host", {true, true, false}, false},
    {"list_processes", "see which processes run", {true, true, false}, false},
    {"read_environment_of_host", "read the environment of the host", {true, true, false}, true},
    {"read_environment", "read secrets in its own environment", {true, true, false}, false},
    {"connect_tcp", "connect to a TCP port of this machine", {true, false, false}, false},
    {"send_udp", "send a UDP packet", {true, false, false}, false},
    {"open_netlink", "open a netlink socket", {true, false, false}, true},
    {"connect_path", "connect to a local socket by path", {true, false, false}, false},
    {"connect_abstract", "connect to an abstract socket", {true, false, false}, false},
    {"attach_segment", "attach System V memory of the user", {true, true, false}, true},
    {"make_queue", "make a message queue", {true, true, false}, true},
    {"start_process", "start a process", {true, false, false}, false},
    {"execute", "execute a program", {true, false, false}, false},
    {"outlive", "leave a process that outlives the module", {true, false, false}, false},
    {"make_namespace", "make a namespace", {true, true, false}, true},
    {"mount_files", "mount a file system in one", {true, true, false}, true},
    {"use_rings", "use `io_uring`", {true, false, false}, true},
    {"use_bpf", "use `bpf`", {true, true, false}, true},
    {"handle_faults", "use `userfaultfd`", {true, true, false}, true},
    {"count_events", "use `perf_event_open`", {true, true, false}, true},
    {"use_keys", "use keyrings, `keyctl`", {true, true, false}, true},
    {"change_personality",
     "change how the system treats it, `personality`",
     {true, true, false},
     true},
    {"gain_dump", "allow others to debug it, `PR_SET_DUMPABLE`", {true, true, false}, false},
    {"start_threads", "start 1,500 threads (1)", {true, true, false}, true},
    {"make_timers", "make 2,000 timers, of those of the user", {true, true, false}, true},
    {"open_many_files", "hold 2,000 open files", {true, true, false}, true},
    {"make_table_of_files", "have further tables of open files", {true, true, false}, true},
    {"lock_file", "lock a file that it may read", {true, true, false}, false},
    {"run_first",
     "run before all other processes, as far as the user may",
     {true, true, false},
     true},
    {"take_private_memory",
     "hold 600 MB of private memory with `memory=256000000`",
     {false, false, false},
     false},
    {"take_growing_memory", "the same in memory that grows as a stack", {true, true, false}, true},
    {"take_protected_memory",
     "the same, made read-only piece by piece",
     {true, true, false},
     false},
    {"take_tables", "the same in tables of pages", {true, true, false}, true},
    {"take_shared_memory", "the same in shared memory", {true, true, false}, false},
    {"take_file_memory", "the same in a `memfd`", {true, true, false}, true},
    {"take_segments", "the same in System V memory", {true, true, false}, true},
    {"take_memory_of_processes", "the same in four processes", {true, false, false}, false},
    {"take_message_memory", "the same in the memory of messages (2)", {true, true, false}, true},
    {"take_tensor_memory",
     "the same in the memory of shared tensors",
     {false, false, false},
     false},
    {"read_terminal",
     "read what is typed at the terminal of a host with `shows_output`",
     {true, true, false},
     false},
    {"read_log",
     "read what the host has written to its standard error",
     {true, true, false},
     false},
    {"change_log", "overwrite that", {true, true, false}, false},
    {"change_writing", "make the host's writes to it fail", {true, true, false}, false},
};

enum { kNumRows = sizeof kRows / sizeof *kRows };

/* What the attacks are aimed at, made by the user who attacks. */
typedef struct {
  char folder[kEnvironmentPath];
  pid_t victim;
  int port, segment, tcp, abstract, by_path;
} target;

static volatile int victims_number;

static void make_file(const char *folder, const char *name) {
  char path[kEnvironmentPath + 32];
  int file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = open(path, O_CREAT | O_WRONLY, 0600);
  if (file < 0 || write(file, "secret", 6) != 6 || close(file) != 0) abort();
}

/* At a path, or at the abstract name that attacks.c connects to. */
static int listen_locally(const char *path) {
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un at;
  socklen_t size = sizeof at;
  memset(&at, 0, sizeof at);
  at.sun_family = AF_UNIX;
  if (path != NULL) {
    snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", path);
  } else {
    const int length =
        snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "tvm_ffi_attack%ld", (long)getpid());
    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  }
  if (bind(file, (struct sockaddr *)&at, size) != 0 || listen(file, 100) != 0) abort();
  return file;
}

static void make_target(target *out) {
  struct sockaddr_in at;
  socklen_t size = sizeof at;
  environment_temporary("tvm_ffi_sandbox", out->folder);
  if (mkdtemp(out->folder) == NULL) abort();
  make_file(out->folder, "secret");
  make_file(out->folder, "kept");
  memset(&at, 0, sizeof at);
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out->tcp = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(out->tcp, (struct sockaddr *)&at, size) != 0 || listen(out->tcp, 100) != 0) abort();
  (void)getsockname(out->tcp, (struct sockaddr *)&at, &size);
  out->port = ntohs(at.sin_port);
  out->abstract = listen_locally(NULL);
  out->by_path = listen_locally(out->folder);
  out->segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  out->victim = fork();
  if (out->victim == 0) {
    for (;;) pause();
  }
}

static void remove_target(target *self) {
  static const char *const kNames[] = {"secret", "kept", "removed", "made", "socket"};
  size_t i;
  for (i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    char path[kEnvironmentPath + 32];
    snprintf(path, sizeof path, "%s/%s", self->folder, kNames[i]);
    (void)unlink(path);
  }
  (void)rmdir(self->folder);
  close(self->tcp);
  close(self->abstract);
  close(self->by_path);
  (void)shmctl(self->segment, IPC_RMID, NULL);
  kill(self->victim, SIGKILL);
  (void)waitpid(self->victim, NULL, 0);
}

/* Whether the process is still there after a while. */
static bool outlives(pid_t process) {
  int i;
  for (i = 0; i < 50 && kill(process, 0) == 0; ++i) usleep(10000);
  return kill(process, 0) == 0;
}

/* What the attack gave; -1 if the helper was killed, as is the last defence. */
static int64_t attack(TVMFFIObjectHandle module, const char *name) {
  TVMFFIAny arg = tvm_ffi_any_view_string(name), result;
  TVMFFIObjectHandle error = NULL;
  if (host_call(module, "attack", &arg, 1, &result) == 0) return result.v_int64;
  TVMFFIErrorMoveFromRaised(&error);
  if (strstr(tvm_ffi_error_get_message(error).data, "was killed by somebody else") == NULL) {
    print_error("%s: %s\n", name, tvm_ffi_error_get_message(error).data);
    abort(); /* a failed assertion would go on with the other tests in this process */
  }
  tvm_ffi_object_release(error);
  return -1;
}

/* Attacks on the host's standard error. */
static const char kOfErrors[] = "read_terminal read_log change_log change_writing";

/* The standard error becomes a file. Returns the former one. */
static int log_to(const char *folder) {
  const int errors = dup(STDERR_FILENO);
  char path[kEnvironmentPath + 32];
  int file;
  snprintf(path, sizeof path, "%s/log", folder);
  file = open(path, O_CREAT | O_RDWR, 0600);
  if (errors < 0 || file < 0 || write(file, "secret", 6) != 6) abort();
  if (dup2(file, STDERR_FILENO) < 0 || close(file) != 0 || unlink(path) != 0) abort();
  return errors;
}

/* Tries one attack in a helper of its own. */
static bool try_attack(const row *tried, column how, const target *at) {
  tvm_ffi_isolated_options options = options_with(how == kSandbox);
  TVMFFIObjectHandle module;
  TVMFFIAny args[6], result;
  int64_t got;
  int errors = -1, flags = 0;
  if (strstr(kOfErrors, tried->attack) != NULL) {
    options.shows_output = 1;
    if (strcmp(tried->attack, "read_terminal") != 0) errors = log_to(at->folder);
  }
  if (how == kForbids) options.forbids = 7;
  if (!HAS_ADDRESS_SANITIZER) options.memory = kMemory;
  make_file(at->folder, "removed");
  module = host_load_with("isolated_attacks.so", &options);
  args[0] = tvm_ffi_any_from_int64(getpid());
  args[1] = tvm_ffi_any_from_int64(at->victim);
  args[2] = tvm_ffi_any_from_int64((int64_t)(intptr_t)&victims_number);
  args[3] = tvm_ffi_any_from_int64(at->port);
  args[4] = tvm_ffi_any_from_int64(at->segment);
  args[5] = tvm_ffi_any_view_string(at->folder);
  check_ok(host_call(module, "aim", args, 6, &result));
  got = attack(module, tried->attack);
  tvm_ffi_object_release(module);
  if (errors >= 0) {
    flags = fcntl(STDERR_FILENO, F_GETFL);
    if (dup2(errors, STDERR_FILENO) < 0 || close(errors) != 0) abort();
  }
  if (strcmp(tried->attack, "change_writing") == 0) return (flags & O_NONBLOCK) != 0;
  if (strcmp(tried->attack, "outlive") == 0 && got > 0) {
    const bool lives = outlives((pid_t)got);
    if (lives) kill((pid_t)got, SIGKILL);
    return lives;
  }
  return got >= 0;
}

/* Becomes a user without rights, whose processes can be debugged. */
static void become_nobody(void) {
  if (geteuid() != 0) return;
  if (setgroups(0, NULL) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) abort();
  if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) abort();
}

/* The standard error becomes one, at which a line is typed for each column. */
static void make_terminal(void) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  int slave, i;
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) abort();
  slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0 || dup2(slave, STDERR_FILENO) < 0) abort();
  for (i = 0; i < kNumColumns; ++i) {
    if (write(master, "x\n", 2) != 2) abort();
  }
}

typedef bool results[kNumRows][kNumColumns];

/* What root may allow users. */
static void allow_priorities(void) {
  const struct rlimit most = {10, 10};
  if (geteuid() == 0) (void)setrlimit(RLIMIT_RTPRIO, &most);
}

/* In a process of its own. */
static void try_attacks(bool as_nobody, results *out, column first) {
  target at;
  int how, i;
  allow_priorities();
  if (as_nobody) become_nobody();
  assert_int_equal(environment_set("ATTACK_SECRET", "secret"), 0);
  make_target(&at);
  make_terminal();
  for (how = (int)first; how < kNumColumns; ++how) {
    for (i = 0; i < kNumRows; ++i) (*out)[i][how] = try_attack(&kRows[i], (column)how, &at);
  }
  remove_target(&at);
}

static results *attack_in_child(bool as_nobody, column first) {
  results *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status = 0;
  pid_t child;
  assert_ptr_not_equal(out, MAP_FAILED);
  (void)fflush(NULL);
  child = fork();
  if (child == 0) {
    try_attacks(as_nobody, out, first);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  return out;
}

/* The text of the page, or NULL. */
static char *read_page(void) {
  const char *path = getenv("TVM_FFI_TEST_PAGE");
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_non_null(file);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

static const char *answer(bool works) {
  return works ? "yes" : "no";
}

/* The page has each row of the table, and the attacks do what it says. */
TEST(test_attacks) {
  char *page;
  results *got;
  int i, how, num_wrong = 0;
  if (!has_sandbox()) return;
  page = read_page();
  got = attack_in_child(true, kPlain);
  for (i = 0; i < kNumRows; ++i) {
    const row *r = &kRows[i];
    char line[256];
    snprintf(line, sizeof line, "\n| %s | %s | %s | %s |\n", r->text, answer(r->works[kPlain]),
             answer(r->works[kForbids]), answer(r->works[kSandbox]));
    if (strstr(page, line) == NULL) {
      print_error("the page lacks:%s", line);
      ++num_wrong;
    }
    for (how = 0; how < kNumColumns; ++how) {
      const bool works = (*got)[i][how];
      if (works == r->works[how] || (how != kSandbox && r->depends && !works)) continue;
      if (HAS_ADDRESS_SANITIZER && strncmp(r->attack, "take_", 5) == 0) continue; /* no `memory` */
      print_error("%s: column %d is %s\n", r->attack, how, answer(works));
      ++num_wrong;
    }
  }
  munmap(got, sizeof *got);
  free(page);
  assert_int_equal(num_wrong, 0);
}

/* The sandbox of root is as good, but for the number of threads, which has no limit. */
TEST(test_attacks_of_root) {
  results *got;
  int i, num_wrong = 0;
  if (geteuid() != 0 || !has_sandbox()) return;
  got = attack_in_child(false, kSandbox);
  for (i = 0; i < kNumRows; ++i) {
    if (!(*got)[i][kSandbox] || strcmp(kRows[i].attack, "start_threads") == 0) continue;
    if (HAS_ADDRESS_SANITIZER && strncmp(kRows[i].attack, "take_", 5) == 0) continue;
    print_error("%s works\n", kRows[i].attack);
    ++num_wrong;
  }
  munmap(got, sizeof *got);
  assert_int_equal(num_wrong, 0);
}

/* ---- Errors and ends ---- */

typedef struct {
  const char *function, *kind, *message;
} ending;

/* Host and helper have a process between them, which ends as the helper did. */
TEST(test_endings) {
  static const ending kEndings[] = {
    {"crash", TVM_FFI_ISOLATED_CRASH_ERROR, "crashed: SIGSEGV at address 0x10"},
    {"end_with_abort", TVM_FFI_ISOLATED_CRASH_ERROR, "SIGABRT; it printed: the last words"},
    {"kill_itself", TVM_FFI_ISOLATED_CRASH_ERROR, "killed by somebody else"},
#if !HAS_ADDRESS_SANITIZER /* whose search for leaks traces the process at its exit */
    {"end_with_exit", TVM_FFI_ISOLATED_EXIT_ERROR, "ended with exit code 3"},
#endif
    {"end_quickly", TVM_FFI_ISOLATED_EXIT_ERROR, "ended with exit code 0"},
    {"overflow_stack", TVM_FFI_ISOLATED_CRASH_ERROR, "crashed: SIGSEGV at address 0x"},
    {"sleep_long", TVM_FFI_ISOLATED_TIMEOUT_ERROR, "it took longer than "},
    {"loop_and_ignore", TVM_FFI_ISOLATED_TIMEOUT_ERROR, "it took longer than "},
    {"stop", TVM_FFI_ISOLATED_TIMEOUT_ERROR, "it took longer than "},
  };
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  TVMFFIObjectHandle module;
  TVMFFIAny result, how;
  size_t i;
  if (!has_sandbox()) return;
  options.timeout = environment_patience(2);
  module = host_load_with("isolated_bad.so", &options);
  for (i = 0; i < sizeof kEndings / sizeof *kEndings; ++i) {
    check_fails_with(host_call(module, kEndings[i].function, NULL, 0, &result), kEndings[i].kind,
                     kEndings[i].message);
    check_ok(host_call(module, "fine", NULL, 0, &result));
    assert_int_equal(result.v_int64, 42);
  }
  tvm_ffi_object_release(module);
  module = load("isolated_bad.so"); /* without a limit of time */
  for (i = 0; i < 2; ++i) {
    how = tvm_ffi_any_from_int64((int64_t)i);
    check_fails_with(host_call(module, "end_thread", &how, 1, &result), TVM_FFI_ISOLATED_EXIT_ERROR,
                     "a kernel ended the thread that calls it");
  }
  tvm_ffi_object_release(module);
}

TEST(test_memory) {
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  if (HAS_ADDRESS_SANITIZER || !has_sandbox()) return;
  options.memory = 64 << 20;
  module = host_load_with("isolated_bad.so", &options);
  check_fails_with(host_call(module, "take_memory", NULL, 0, &result),
                   TVM_FFI_ISOLATED_MEMORY_ERROR, "bytes of memory");
  tvm_ffi_object_release(module);
}

/* How many processes have this one as their session's or as a parent, at any distance. */
static int count_descendants(pid_t of) {
  DIR *processes = opendir("/proc");
  const struct dirent *entry;
  int count = 0;
  assert_non_null(processes);
  while ((entry = readdir(processes)) != NULL) {
    char path[300], text[512], *state;
    long parent = 0;
    ssize_t size;
    int file;
    const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
    if (process <= 0) continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    file = open(path, O_RDONLY);
    if (file < 0) continue;
    size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    state = strrchr(text, ')');
    if (state == NULL || sscanf(state, ") %*c %ld", &parent) != 1 || parent != (long)of) continue;
    count += 1 + count_descendants(process);
  }
  closedir(processes);
  return count;
}

static int count_files(void) {
  DIR *files = opendir("/proc/self/fd");
  int count = 0;
  assert_non_null(files);
  while (readdir(files) != NULL) ++count;
  closedir(files);
  return count;
}

/* A helper is there, with two others; nothing is left when the module is released. */
TEST(test_release) {
  TVMFFIObjectHandle module;
  int64_t helper = 0;
  int files, i;
  if (!has_sandbox()) return;
  files = count_files();
  module = load("isolated_bad.so");
  check_ok(tvm_ffi_isolated_read_process(module, 0, &helper));
  assert_true(helper > 0);
  assert_int_equal(kill((pid_t)helper, 0), 0);
  assert_int_equal(count_descendants(getpid()), 3);
  assert_int_equal(count_files(), files + 8);
  tvm_ffi_object_release(module);
  assert_int_equal(count_descendants(getpid()), 0);
  assert_int_equal(count_files(), files);
  assert_int_equal(kill((pid_t)helper, 0), -1);
  for (i = 0; i < 20; ++i) tvm_ffi_object_release(load("isolated_bad.so"));
  assert_int_equal(count_descendants(getpid()), 0);
}

/* When the host is killed, and when the monitor between host and helper is. */
TEST(test_end_of_host) {
  int i;
  if (!has_sandbox()) return;
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  for (i = 0; i < 2; ++i) {
    int64_t helper = 0;
    int pipes[2], tries;
    pid_t host;
    assert_int_equal(pipe(pipes), 0);
    host = fork();
    if (host == 0) {
      const TVMFFIObjectHandle module = load("isolated_bad.so");
      (void)tvm_ffi_isolated_read_process(module, 0, &helper);
      (void)!write(pipes[1], &helper, sizeof helper);
      for (;;) pause();
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &helper, sizeof helper), sizeof helper);
    close(pipes[0]);
    if (i == 0) {
      kill(host, SIGKILL);
    } else { /* its parent */
      char path[64], text[512];
      long parent = 0;
      FILE *file;
      snprintf(path, sizeof path, "/proc/%lld/stat", (long long)helper);
      file = fopen(path, "r");
      assert_non_null(file);
      assert_non_null(fgets(text, sizeof text, file));
      fclose(file);
      assert_int_equal(sscanf(strrchr(text, ')'), ") %*c %ld", &parent), 1);
      kill((pid_t)parent, SIGKILL);
    }
    for (tries = 0; tries < 500 && kill((pid_t)helper, 0) == 0; ++tries) {
      usleep(10000);
      while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    }
    assert_int_equal(kill((pid_t)helper, 0), -1);
    kill(host, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) continue;
  }
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* ---- Options ---- */

enum {
  kAllParts = TVM_FFI_ISOLATED_SANDBOX_PROCESSES | TVM_FFI_ISOLATED_SANDBOX_FILES |
              TVM_FFI_ISOLATED_SANDBOX_NETWORK | TVM_FFI_ISOLATED_SANDBOX_IPC |
              TVM_FFI_ISOLATED_SANDBOX_CALLS | TVM_FFI_ISOLATED_SANDBOX_LANDLOCK
};

TEST(test_parts) {
  tvm_ffi_isolated_options options = options_with(0);
  TVMFFIObjectHandle module;
  int32_t parts = -1;
  if (!has_sandbox()) return;
  module = host_load_with("isolated_bad.so", &options);
  check_ok(tvm_ffi_isolated_read_sandbox(module, 0, &parts));
  assert_int_equal(parts, 0);
  tvm_ffi_object_release(module);
  module = load("isolated_bad.so");
  check_ok(tvm_ffi_isolated_read_sandbox(module, 0, &parts));
  assert_int_equal(parts & kAllParts, kAllParts);
  check_fails_with(tvm_ffi_isolated_read_sandbox(module, 1, &parts), "IndexError", "process 1");
  tvm_ffi_object_release(module);
}

/* Paths and variables that the options name, and no others. */
TEST(test_reads) {
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  char folder[kEnvironmentPath], secret[kEnvironmentPath + 8], kept[kEnvironmentPath + 8];
  TVMFFIObjectHandle module;
  if (!has_sandbox()) return;
  environment_temporary("tvm_ffi_reads", folder);
  assert_non_null(mkdtemp(folder));
  make_file(folder, "secret");
  make_file(folder, "kept");
  snprintf(secret, sizeof secret, "%s/secret", folder);
  snprintf(kept, sizeof kept, "%s/kept", folder);
  assert_int_equal(environment_set("ATTACK_SECRET", "secret"), 0);
  assert_int_equal(environment_set("ATTACK_KEPT", "kept"), 0);
  options.reads = kept;
  options.environment = "NONE:ATTACK_KEPT";
  module = host_load_with("isolated_attacks.so", &options);
  assert_int_equal(call_text(module, "open_file", kept), 0);
  assert_true(call_text(module, "open_file", secret) < 0);
  assert_true(call_text(module, "has_variable", "ATTACK_KEPT"));
  assert_false(call_text(module, "has_variable", "ATTACK_SECRET"));
  tvm_ffi_object_release(module);
  options.reads = folder;
  options.environment = NULL;
  module = host_load_with("isolated_attacks.so", &options);
  assert_int_equal(call_text(module, "open_file", secret), 0);
  assert_false(call_text(module, "has_variable", "ATTACK_KEPT"));
  tvm_ffi_object_release(module);
  options.reads = "/no/such/file";
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_bad.so"), &options, &module),
                   TVM_FFI_ISOLATED_START_ERROR, "/no/such/file: No such file");
  assert_int_equal(unlink(secret), 0);
  assert_int_equal(unlink(kept), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* A library that is found by the run path of another, and a relative path of that. */
TEST(test_needed_libraries) {
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  TVMFFIObjectHandle module;
  TVMFFIAny result;
  char *folder;
  if (!has_sandbox()) return;
  module = load("isolated_needing.so");
  check_ok(host_call(module, "fine", NULL, 0, &result));
  tvm_ffi_object_release(module);
  folder = getcwd(NULL, 0);
  assert_non_null(folder);
  assert_int_equal(chdir(getenv("TVM_FFI_TEST_MODULES")), 0);
  check_ok(tvm_ffi_isolated_load("../isolated/isolated_needing.so", &options, &module));
  check_ok(host_call(module, "fine", NULL, 0, &result));
  tvm_ffi_object_release(module);
  assert_int_equal(chdir(folder), 0);
  free(folder);
}

/* The segment of a type in a library; for one that is loaded, that which has the offset. */
static ElfW(Phdr) * find_segment(char *bytes, uint32_t type, size_t offset) {
  const ElfW(Ehdr) *header = (ElfW(Ehdr) *)(void *)bytes;
  ElfW(Phdr) *segments = (ElfW(Phdr) *)(void *)(bytes + header->e_phoff);
  size_t i;
  for (i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type == type &&
        (type != PT_LOAD || offset - segments[i].p_offset < segments[i].p_filesz)) {
      return &segments[i];
    }
  }
  fail_msg("no segment of type %u", (unsigned)type);
  return NULL;
}

/*
 * A copy of the attacks that has a second list of the libraries it needs, which names one more. The
 * loader takes the last list, so that one need not be there.
 */
static void write_lying_library(const char *path, const char *named) {
  enum { kMost = 1 << 24, kText = 16 * sizeof(ElfW(Dyn)) };
  FILE *from = fopen(module_path("isolated_attacks.so"), "r"), *to = fopen(path, "w");
  char *bytes = calloc(1, kMost), *room;
  ElfW(Phdr) * dynamic, *note, *around;
  ElfW(Dyn) list[4];
  size_t size, at;
  assert_true(bytes != NULL && from != NULL && to != NULL);
  size = fread(bytes, 1, kMost, from);
  room = memmem(bytes, size, "room for a list", 15);
  assert_non_null(room);
  at = (size_t)(room - bytes);
  around = find_segment(bytes, PT_LOAD, at);
  dynamic = find_segment(bytes, PT_DYNAMIC, 0);
  note = find_segment(bytes, PT_NOTE, 0);
  assert_true(dynamic < note);
  *note = *dynamic;
  dynamic->p_offset = (ElfW(Off))at;
  dynamic->p_vaddr = around->p_vaddr + (ElfW(Addr))(at - around->p_offset);
  dynamic->p_filesz = dynamic->p_memsz = sizeof list;
  memset(list, 0, sizeof list);
  list[0].d_tag = DT_STRTAB;
  list[0].d_un.d_ptr = dynamic->p_vaddr;
  list[1].d_tag = DT_STRSZ;
  list[1].d_un.d_val = kMost;
  list[2].d_tag = DT_NEEDED;
  list[2].d_un.d_val = kText;
  memcpy(room, list, sizeof list);
  strcpy(room + kText, named);
  assert_int_equal(fwrite(bytes, 1, size, to), size);
  assert_int_equal(fclose(to), 0);
  fclose(from);
  free(bytes);
}

/* A library cannot make files readable by saying that it needs them. */
TEST(test_lying_libraries) {
  static const char *const kNamed[] = {"%s/secret", "%s", "%s/../%s/secret"};
  const tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  char folder[kEnvironmentPath], secret[kEnvironmentPath + 8], path[kEnvironmentPath + 8];
  TVMFFIObjectHandle module;
  size_t i;
  if (!has_sandbox()) return;
  environment_temporary("tvm_ffi_lies", folder);
  assert_non_null(mkdtemp(folder));
  make_file(folder, "secret");
  snprintf(secret, sizeof secret, "%s/secret", folder);
  snprintf(path, sizeof path, "%s/lies.so", folder);
  for (i = 0; i < sizeof kNamed / sizeof *kNamed; ++i) {
    char named[2 * kEnvironmentPath + 16];
    snprintf(named, sizeof named, kNamed[i], folder, (strrchr)(folder, '/') + 1);
    write_lying_library(path, named);
    check_ok(tvm_ffi_isolated_load(path, &options, &module));
    assert_int_equal(call_text(module, "open_file", secret), -ENOENT);
    tvm_ffi_object_release(module);
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(unlink(secret), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* By names, as programs give them that cannot be changed. */
TEST(test_names) {
  static const char *const kWrong[] = {"isolated,sandbox=some:x.so", "isolated,sandbox=:x.so",
                                       "isolated,sandbox,reads=:x.so", "isolated,sandbox,reads:x"};
  char name[4200];
  TVMFFIObjectHandle module;
  TVMFFIByteArray bytes;
  size_t i;
  for (i = 0; i < sizeof kWrong / sizeof *kWrong; ++i) {
    bytes = check_bytes(kWrong[i]);
    check_fails_with(tvm_ffi_isolated_load_named(&bytes, &module), "ValueError",
                     "is not an option of `isolated:`, or not a value of it");
  }
  bytes = check_bytes("isolated,reads=/tmp:x.so");
  check_fails_with(tvm_ffi_isolated_load_named(&bytes, &module), "ValueError",
                   "options.reads needs options.sandbox");
  if (!has_sandbox()) return;
  snprintf(name, sizeof name, "isolated,sandbox,reads=/etc/passwd+/etc/group,environment=HOME:%s",
           module_path("isolated_attacks.so"));
  check_ok(tvm_ffi_module_load(name, &module)); /* by the runtime, with the shared library */
  assert_int_equal(call_text(module, "open_file", "/etc/group"), 0);
  assert_int_equal(call_text(module, "open_file", "/etc/passwd"), 0);
  assert_true(call_text(module, "open_file", "/etc/hostname") < 0);
  tvm_ffi_object_release(module);
}

/* Options of programs that were compiled before there was a sandbox. */
TEST(test_struct_sizes) {
  tvm_ffi_isolated_options options = options_with(99);
  TVMFFIObjectHandle module;
  check_fails_with(tvm_ffi_isolated_load("x.so", &options, &module), "ValueError",
                   "options.sandbox is 99, but must be from 0 to 2");
  options.struct_size = offsetof(tvm_ffi_isolated_options, sandbox);
  options.reads = "/no/such/file";
  tvm_ffi_object_release(host_load_with("isolated_bad.so", &options));
}

/* ---- Output ---- */

/* Prints in a sandbox while this is the standard error. */
static void print_to(int file, const char *text) {
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  const int errors = dup(STDERR_FILENO);
  TVMFFIObjectHandle module;
  TVMFFIAny arg = tvm_ffi_any_view_string(text), result;
  int code;
  options.shows_output = 1;
  assert_true(errors >= 0 && dup2(file, STDERR_FILENO) >= 0);
  code = tvm_ffi_isolated_load(module_path("isolated_bad.so"), &options, &module);
  assert_true(dup2(errors, STDERR_FILENO) >= 0 && close(errors) == 0);
  check_ok(code);
  check_ok(host_call(module, "say", &arg, 1, &result));
  tvm_ffi_object_release(module);
}

/* A terminal gets no controls, everything else all bytes; at the latest when the module goes. */
TEST(test_output) {
  static const char kText[] = "\033[31m\r\a\tred\n";
  static const char *const kShown[] = {"\033[31m\r\a\tred\n", " [31m  \tred\n"};
  int i;
  if (!has_sandbox()) return;
  for (i = 0; i < 2; ++i) {
    const bool is_terminal = i == 1;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    char got[64] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (is_terminal) {
      struct termios plain;
      assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
      close(ends[1]);
      ends[1] = open(ptsname(master), O_RDWR | O_NOCTTY);
      assert_int_equal(tcgetattr(ends[1], &plain), 0);
      plain.c_oflag &= ~(tcflag_t)OPOST;
      assert_int_equal(tcsetattr(ends[1], TCSANOW, &plain), 0);
    }
    print_to(ends[1], kText);
    assert_true(read(is_terminal ? master : ends[0], got, sizeof got - 1) > 0);
    assert_string_equal(got, kShown[i]);
    close(master);
    close(ends[0]);
    close(ends[1]);
  }
  assert_int_equal(count_descendants(getpid()), 0);
}

/* ---- Where the system lacks something ---- */

/* A call of the system with this first argument (0: any) that is refused, and what is missing. */
typedef struct {
  long number;
  uint32_t argument;
  int32_t part;
  const char *message;
} lack;

static const lack kLacks[] = {
    {SYS_unshare, CLONE_NEWUSER | CLONE_NEWPID,
     TVM_FFI_ISOLATED_SANDBOX_PROCESSES | TVM_FFI_ISOLATED_SANDBOX_FILES |
         TVM_FFI_ISOLATED_SANDBOX_NETWORK | TVM_FFI_ISOLATED_SANDBOX_IPC,
     "a namespace of users and processes: Operation not permitted"},
    {SYS_unshare, CLONE_NEWNET, TVM_FFI_ISOLATED_SANDBOX_NETWORK,
     "a namespace of networks: Operation not permitted"},
    {SYS_unshare, CLONE_NEWIPC | CLONE_NEWUTS, TVM_FFI_ISOLATED_SANDBOX_IPC,
     "a namespace of IPC: Operation not permitted"},
    {SYS_unshare, CLONE_NEWNS, TVM_FFI_ISOLATED_SANDBOX_FILES,
     "a namespace of mounts: Operation not permitted"},
    {SYS_pivot_root, 0, TVM_FFI_ISOLATED_SANDBOX_FILES,
     "mounts for the sandbox: Operation not permitted"},
    {SYS_mount_setattr, 0, TVM_FFI_ISOLATED_SANDBOX_FILES,
     "mounts for the sandbox: Operation not permitted"},
    {SYS_landlock_create_ruleset, 0, TVM_FFI_ISOLATED_SANDBOX_LANDLOCK,
     "Landlock: Operation not permitted"},
    {SYS_prctl, PR_SET_SECCOMP, TVM_FFI_ISOLATED_SANDBOX_CALLS, "seccomp: Operation not permitted"},
};

/* For this process, and the helpers that it starts. */
static void refuse(const lack *what) {
  const bool is_any = what->argument == 0;
  const uint32_t argument = (uint32_t)offsetof(struct seccomp_data, args) +
                            (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0);
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)what->number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
      BPF_JUMP(BPF_JMP | (is_any ? BPF_JGE : BPF_JEQ) | BPF_K, what->argument, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program;
  program.len = sizeof steps / sizeof *steps;
  program.filter = steps;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    abort();
  }
}

static void check_without(const lack *what) {
  tvm_ffi_isolated_options options = options_with(TVM_FFI_ISOLATED_SANDBOX_ALL);
  TVMFFIObjectHandle module;
  int32_t parts = 0;
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_attacks.so"), &options, &module),
                   TVM_FFI_ISOLATED_START_ERROR, what->message);
  options.sandbox = TVM_FFI_ISOLATED_SANDBOX_BEST;
  module = host_load_with("isolated_attacks.so", &options);
  check_ok(tvm_ffi_isolated_read_sandbox(module, 0, &parts));
  assert_int_equal(parts & kAllParts, kAllParts & ~what->part);
  /* Two parts keep a kernel from files, and from the network. */
  assert_true(call_text(module, "open_file", "/etc/passwd") < 0);
  assert_true(call_text(module, "attack", "send_udp") < 0);
  tvm_ffi_object_release(module);
}

TEST(test_lacks) {
  size_t i;
  if (!has_sandbox()) return;
  for (i = 0; i < sizeof kLacks / sizeof *kLacks; ++i) {
    int status = 0;
    pid_t child;
    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
      refuse(&kLacks[i]);
      check_without(&kLacks[i]);
      _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) print_error("%s\n", kLacks[i].message);
    assert_int_equal(status, 0);
  }
}

/* A file that the host lets programs inherit, above its limit, on a system without close_range. */
static void check_inherited(void) {
  static const lack kCloseRange = {SYS_close_range, 0, 0, NULL};
  const struct rlimit most = {100, 4096};
  TVMFFIObjectHandle module;
  FILE *file = tmpfile();
  if (file == NULL || fputs("secret", file) < 0 || fflush(file) != 0) abort();
  if (dup2(fileno(file), 150) != 150 || setrlimit(RLIMIT_NOFILE, &most) != 0) abort();
  refuse(&kCloseRange);
  module = load("isolated_attacks.so");
  assert_int_equal(call_text(module, "attack", "read_inherited"), -EBADF);
  tvm_ffi_object_release(module);
}

/* Threads of a preloaded library, in each kind of sandbox. */
static void check_threads(void) {
  tvm_ffi_isolated_options options;
  TVMFFIObjectHandle module;
  int32_t how;
  assert_int_equal(environment_set("TVM_FFI_TEST_THREAD", "1"), 0);
  assert_int_equal(environment_set("LD_PRELOAD", module_path("isolated_attacks.so")), 0);
  for (how = TVM_FFI_ISOLATED_SANDBOX_ALL; how <= TVM_FFI_ISOLATED_SANDBOX_BEST; ++how) {
    options = options_with(how);
    check_fails_with(tvm_ffi_isolated_load(module_path("isolated_bad.so"), &options, &module),
                     TVM_FFI_ISOLATED_START_ERROR, "a sandbox for a helper that has threads");
  }
}

/* In processes of their own. */
TEST(test_hosts) {
  static void (*const kChecks[])(void) = {check_inherited, check_threads};
  size_t i;
  if (HAS_ADDRESS_SANITIZER || !has_sandbox()) return;
  for (i = 0; i < sizeof kChecks / sizeof *kChecks; ++i) {
    int status = 0;
    pid_t child;
    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
      kChecks[i]();
      _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) print_error("check %d\n", (int)i);
    assert_int_equal(status, 0);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_attacks),
    cmocka_unit_test(test_attacks_of_root),
    cmocka_unit_test(test_endings),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_release),
    cmocka_unit_test(test_end_of_host),
    cmocka_unit_test(test_parts),
    cmocka_unit_test(test_reads),
    cmocka_unit_test(test_needed_libraries),
    cmocka_unit_test(test_lying_libraries),
    cmocka_unit_test(test_output),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_struct_sizes),
    cmocka_unit_test(test_lacks),
    cmocka_unit_test(test_hosts),
})
