/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel library of attacks: what a kernel can do to the host, to the user's files and to other
 * processes. Each of them says whether it had an effect; test_isolated_sandbox.c looks, too.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

/* What the test has made for the attacks. */
static struct {
  pid_t host, victim; /* the victim does nothing */
  uintptr_t address;  /* in the victim, of an int */
  int port, segment;  /* a server of the host, System V memory */
  char folder[200];   /* with files: secret, kept */
} target;

/* The same in the test, and another in each test that runs at the same time. */
static const char *own_name(const char *begin) {
  static char name[64];
  snprintf(name, sizeof name, "%s%ld", begin, (long)target.host);
  return name;
}

static char *file_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%.200s/%s", target.folder, name);
  return path;
}

/* Each attack returns 0 if it worked, else -1 with errno set. */

static int read_file(void) {
  char byte;
  const int file = open(file_of("secret"), O_RDONLY);
  return file >= 0 && read(file, &byte, 1) == 1 ? 0 : -1;
}

static int list_files(void) {
  const int file = open(target.folder, O_RDONLY | O_DIRECTORY);
  return file >= 0 ? 0 : -1;
}

static int write_file(void) {
  const int file = open(file_of("kept"), O_WRONLY | O_APPEND);
  return file >= 0 && write(file, "x", 1) == 1 ? 0 : -1;
}

static int make_file(void) {
  return open(file_of("made"), O_WRONLY | O_CREAT, 0600) >= 0 ? 0 : -1;
}

static int make_temporary_file(void) {
  const char *path = own_name("/tmp/tvm_ffi_attack");
  return open(path, O_WRONLY | O_CREAT, 0600) >= 0 && unlink(path) == 0 ? 0 : -1;
}

static int remove_file(void) {
  return unlink(file_of("removed"));
}

static int rename_file(void) {
  char to[256];
  strcpy(to, file_of("renamed"));
  return rename(file_of("kept"), to) != 0 ? -1 : rename(to, file_of("kept"));
}

static int change_mode(void) {
  return chmod(file_of("kept"), 0644);
}

static int change_owner(void) {
  return chown(file_of("kept"), geteuid(), getegid());
}

static int change_times(void) {
  struct timespec times[2];
  memset(times, 0, sizeof times);
  return utimensat(AT_FDCWD, file_of("kept"), times, 0);
}

static int change_attributes(void) {
  return syscall(SYS_setxattr, file_of("kept"), "user.tvm_ffi", "x", 1, 0) == 0 ? 0 : -1;
}

static int write_proc_memory(void) {
  char path[64];
  const int value = 1;
  int file;
  snprintf(path, sizeof path, "/proc/%d/mem", (int)target.victim);
  file = open(path, O_RDWR);
  return file >= 0 && pwrite(file, &value, sizeof value, (off_t)target.address) > 0 ? 0 : -1;
}

static int copy_memory(bool writes) {
  int value = 1;
  struct iovec here, there;
  here.iov_base = &value;
  there.iov_base = (void *)target.address;
  here.iov_len = there.iov_len = sizeof value;
  return (writes ? process_vm_writev(target.victim, &here, 1, &there, 1, 0)
                 : process_vm_readv(target.victim, &here, 1, &there, 1, 0)) > 0
             ? 0
             : -1;
}

static int write_memory(void) {
  return copy_memory(true);
}

static int read_memory(void) {
  return copy_memory(false);
}

static int trace(void) {
  if (ptrace(PTRACE_ATTACH, target.victim, NULL, NULL) != 0) return -1;
  (void)waitpid(target.victim, NULL, __WALL);
  return (int)ptrace(PTRACE_DETACH, target.victim, NULL, NULL);
}

static int send_signal(void) {
  return kill(target.victim, SIGCONT);
}

static int send_signal_to_host(void) {
  return kill(target.host, SIGCONT);
}

static int send_signal_to_thread(void) {
  return syscall(SYS_tkill, target.victim, SIGCONT) == 0 ? 0 : -1;
}

static int send_signal_by_file(void) {
  int pair[2];
  struct f_owner_ex owner;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
  owner.type = F_OWNER_PID;
  owner.pid = target.victim;
  return fcntl(pair[0], F_SETOWN_EX, &owner);
}

static int change_limits(void) {
  struct rlimit limit;
  return prlimit(target.victim, RLIMIT_CORE, NULL, &limit) != 0
             ? -1
             : prlimit(target.victim, RLIMIT_CORE, &limit, NULL);
}

static int change_priority(void) {
  return setpriority(PRIO_PROCESS, (id_t)target.victim, 19);
}

static int change_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(target.victim, sizeof set, &set) != 0
             ? -1
             : sched_setaffinity(target.victim, sizeof set, &set);
}

static int take_file(void) {
  const long process = syscall(434, target.victim, 0); /* pidfd_open, pidfd_getfd */
  return process >= 0 && syscall(438, process, 0, 0) >= 0 ? 0 : -1;
}

static int read_environment_of_host(void) {
  char path[64], byte;
  int file;
  snprintf(path, sizeof path, "/proc/%d/environ", (int)target.host);
  file = open(path, O_RDONLY);
  return file >= 0 && read(file, &byte, 1) >= 0 ? 0 : -1;
}

static int list_processes(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)target.host);
  return access(path, F_OK);
}

static int read_environment(void) {
  errno = ENOENT;
  return getenv("ATTACK_SECRET") != NULL ? 0 : -1;
}

static int connect_tcp(void) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to;
  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons((uint16_t)target.port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return file < 0 ? -1 : connect(file, (struct sockaddr *)&to, sizeof to);
}

static int send_udp(void) {
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in to;
  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return file >= 0 && sendto(file, "x", 1, 0, (struct sockaddr *)&to, sizeof to) == 1 ? 0 : -1;
}

static int open_netlink(void) {
  return socket(AF_NETLINK, SOCK_RAW, 0) >= 0 ? 0 : -1;
}

static int connect_local(bool is_abstract) {
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un to;
  socklen_t size = sizeof to;
  memset(&to, 0, sizeof to);
  to.sun_family = AF_UNIX;
  if (is_abstract) {
    const char *name = own_name("tvm_ffi_attack");
    strcpy(to.sun_path + 1, name);
    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  } else {
    snprintf(to.sun_path, sizeof to.sun_path, "%.90s/socket", target.folder);
  }
  return file < 0 ? -1 : connect(file, (struct sockaddr *)&to, size);
}

static int connect_abstract(void) {
  return connect_local(true);
}

static int connect_path(void) {
  return connect_local(false);
}

static int attach_segment(void) {
  return shmat(target.segment, NULL, 0) != (void *)-1 ? 0 : -1;
}

static int make_queue(void) {
  const char *name = own_name("/tvm_ffi_attack");
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
  if (queue == (mqd_t)-1) return -1;
  (void)mq_unlink(name);
  return 0;
}

static int start_process(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child < 0 || waitpid(child, NULL, 0) != child ? -1 : 0;
}

static int execute(void) {
  static char *words[] = {(char *)(uintptr_t) "true", NULL};
  int status = 0;
  const pid_t child = vfork();
  if (child == 0) {
    execv("/bin/true", words);
    _exit(127);
  }
  return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? -1 : 0;
}

static int make_namespace(void) {
  return unshare(CLONE_NEWUSER);
}

static int mount_files(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return -1;
  return mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
}

/* What large parts of the system answer at all is an attack. */
static int reach(long number, long first, long second, long third) {
  return syscall(number, first, second, third, 0, 0) >= 0 ? 0 : -1;
}

static int use_rings(void) {
  static char parameters[512];
  memset(parameters, 0, sizeof parameters);
  return reach(425, 1, (long)(intptr_t)parameters, 0); /* io_uring_setup */
}

static int use_bpf(void) {
  static char attributes[256];
  return reach(SYS_bpf, 0, (long)(intptr_t)attributes, sizeof attributes) == 0 || errno == EINVAL
             ? 0
             : -1;
}

static int handle_faults(void) {
  return reach(SYS_userfaultfd, 1, 0, 0); /* UFFD_USER_MODE_ONLY */
}

static int count_events(void) {
  static char attributes[128];
  return reach(SYS_perf_event_open, (long)(intptr_t)attributes, 0, -1) == 0 || errno == EINVAL ||
                 errno == ENOENT
             ? 0
             : -1;
}

static int use_keys(void) {
  return reach(SYS_keyctl, 0, -3, 1); /* the number of the session's keyring, made if need be */
}

static int change_personality(void) {
  return reach(SYS_personality, 0x0400000, 0, 0); /* READ_IMPLIES_EXEC */
}

static int gain_dump(void) {
  return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static int outlive(void) {
  int numbers[2];
  pid_t child, daemon = 0;
  if (pipe(numbers) != 0) return -1;
  child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    setsid();
    daemon = fork();
    if (daemon == 0) {
      int file;
      for (file = 0; file < 64; ++file) close(file);
      sleep(30);
      _exit(0);
    }
    (void)!write(numbers[1], &daemon, sizeof daemon);
    _exit(0);
  }
  (void)waitpid(child, NULL, 0);
  if (read(numbers[0], &daemon, sizeof daemon) != sizeof daemon || daemon <= 0) return -1;
  return (int)daemon;
}

/* 600 MB, in 64 pieces. */
enum { kPiece = 600 * 1000 * 1000 / 64, kPieces = 64 };

static int take_pieces(int flags, int file) {
  int i;
  for (i = 0; i < kPieces; ++i) {
    char *piece = mmap(NULL, kPiece, PROT_READ | PROT_WRITE, flags, file, (off_t)0);
    if (piece == MAP_FAILED) return -1;
    memset(piece, 1, kPiece);
  }
  return 0;
}

static int take_private_memory(void) {
  return take_pieces(MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static int take_growing_memory(void) {
  return take_pieces(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1);
}

/* What can be seen from outside takes a while until it is. */
static int hold(void) {
  sleep(2);
  return 0;
}

/* It counts as long as it can be written. */
static int take_protected_memory(void) {
  int i;
  for (i = 0; i < kPieces; ++i) {
    char *piece = mmap(NULL, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return -1;
    memset(piece, 1, kPiece);
    if (mprotect(piece, kPiece, PROT_READ) != 0) return -1;
  }
  return hold();
}

/* A table of 4 KiB for every 2 MiB from which a byte is read. */
static int take_tables(void) {
#if UINTPTR_MAX > 0xffffffff
  const size_t step = 2 << 20, count = 600 * 1000 * 1000 / 4096;
  const volatile char *memory =
      mmap(NULL, step * count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  size_t i;
  if (memory == MAP_FAILED) return -1;
  for (i = 0; i < count; ++i) (void)memory[i * step];
  return hold();
#else
  errno = ENOMEM;
  return -1;
#endif
}

static int take_shared_memory(void) {
  return take_pieces(MAP_SHARED | MAP_ANONYMOUS, -1);
}

static int take_file_memory(void) {
  const int file = (int)syscall(SYS_memfd_create, "attack", 0);
  static char bytes[1 << 20];
  int i;
  if (file < 0) return -1;
  for (i = 0; i < 600; ++i) {
    if (write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) return -1;
  }
  return 0;
}

static int take_segments(void) {
  const int segment = shmget(IPC_PRIVATE, 600 * 1000 * 1000, IPC_CREAT | 0600);
  char *memory;
  if (segment < 0) return -1;
  memory = shmat(segment, NULL, 0);
  (void)shmctl(segment, IPC_RMID, NULL);
  if (memory == (char *)-1) return -1;
  memset(memory, 1, 600 * 1000 * 1000);
  return 0;
}

static int take_memory_of_processes(void) {
  pid_t children[4];
  int i, status, works = 0;
  for (i = 0; i < 4; ++i) {
    children[i] = fork();
    if (children[i] == 0) {
      char *memory = malloc(150 * 1000 * 1000);
      if (memory != NULL) memset(memory, 1, 150 * 1000 * 1000);
      usleep(100000);
      _exit(memory == NULL);
    }
    if (children[i] < 0) return -1;
  }
  for (i = 0; i < 4; ++i) works += waitpid(children[i], &status, 0) > 0 && status == 0;
  errno = ENOMEM;
  return works == 4 ? 0 : -1;
}

/* The memory of messages, where a tensor that a kernel returns may lie, too. */
static int take_message_memory(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  char *at = NULL, *end = NULL;
  if (maps == NULL) return -1;
  while (at == NULL && fgets(line, sizeof line, maps) != NULL) {
    char *rest;
    if (strstr(line, "memfd:tvm_ffi_isolated (") == NULL) continue;
    at = (char *)(uintptr_t)strtoull(line, &rest, 16);
    end = (char *)(uintptr_t)strtoull(rest + 1, NULL, 16);
    if (end - at < 700 * 1000 * 1000) at = NULL;
  }
  fclose(maps);
  errno = ENOMEM;
  if (at == NULL) return -1;
  memset(end - 600 * 1000 * 1000, 1, 600 * 1000 * 1000);
  return madvise(end - 600 * 1000 * 1000, 600 * 1000 * 1000, MADV_REMOVE);
}

/* Of a host that has allocated none. */
static int take_tensor_memory(void) {
#if UINTPTR_MAX > 0xffffffff
  enum { kPopulateWrite = 23 };
  const size_t size = 600 * 1000 * 1000 / 4096 * 4096;
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  char *at = NULL;
  if (maps == NULL) return -1;
  while (at == NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:tvm_ffi_isolated_pool (") == NULL) continue;
    at = (char *)(uintptr_t)strtoull(line, NULL, 16);
  }
  fclose(maps);
  errno = ENOMEM;
  if (at == NULL || mprotect(at, size, PROT_READ | PROT_WRITE) != 0) return -1;
  if (madvise(at, size, kPopulateWrite) != 0) return -1;
  return madvise(at, size, MADV_REMOVE);
#else
  errno = ENOMEM; /* the pool has 64 MB, and libraries follow it */
  return -1;
#endif
}

/* What the host has as its standard error, if the output is shown: a terminal, */
enum { kFileErrors = 8 };

static int read_terminal(void) {
  char byte;
  return read(kFileErrors, &byte, 1) == 1 ? 0 : -1;
}

/* a log, */
static int read_log(void) {
  char byte;
  const int file = open("/proc/self/fd/8", O_RDONLY | O_NONBLOCK);
  return pread(kFileErrors, &byte, 1, 0) == 1 || (file >= 0 && pread(file, &byte, 1, 0) == 1) ? 0
                                                                                              : -1;
}

static int change_log(void) {
  return pwrite(kFileErrors, "x", 1, 0) == 1 ? 0 : -1;
}

/* or whatever the host waits for when it writes. */
static int change_writing(void) {
  int flags;
  if (fcntl(kFileErrors, F_SETFL, O_NONBLOCK) != 0) return -1;
  flags = fcntl(kFileErrors, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0 ? 0 : -1;
}

static void *wait_long(void *context) {
  (void)context;
  for (;;) pause();
  return NULL;
}

static int start_threads(void) {
  pthread_attr_t small;
  pthread_t thread;
  int i;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (i = 0; i < 1500; ++i) {
    errno = pthread_create(&thread, &small, wait_long, NULL);
    if (errno != 0) return -1;
  }
  return 0;
}

/* Others that want to write the file may wait for it. */
static int lock_file(void) {
  const int file = open("/dev/null", O_RDONLY);
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_RDLCK;
  return flock(file, LOCK_SH | LOCK_NB) == 0 || fcntl(file, F_SETLK, &lock) == 0 ? 0 : -1;
}

static int open_many_files(void) {
  struct rlimit files;
  int i;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return -1;
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
  for (i = 0; i < 2000; ++i) {
    if (dup(0) < 0) return -1;
  }
  return 0;
}

static int end_at_once(void *context) {
  (void)context;
  (void)syscall(SYS_exit, 0);
  return 0;
}

/* A limit of open files counts for each. */
static int make_table_of_files(void) {
  static char stack[1 << 16] __attribute__((aligned(16)));
  if (syscall(436, 5000, 5000, 2) == 0) return 0; /* close_range, CLOSE_RANGE_UNSHARE */
  return clone(end_at_once, stack + sizeof stack,
               CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
}

/* They count for all processes of the user. */
static int make_timers(void) {
  int i;
  for (i = 0; i < 2000; ++i) {
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0) return -1;
  }
  return 0;
}

/* Whether the system would allow it; it may refuse that in a group of processes. */
static int run_first(void) {
  struct rlimit priority;
  errno = EPERM;
  return getrlimit(RLIMIT_RTPRIO, &priority) == 0 && priority.rlim_max > 0 ? 0 : -1;
}

/* Of the host, which had left it open for the programs that it executes. */
static int read_inherited(void) {
  char byte;
  return pread(150, &byte, 1, 0) == 1 ? 0 : -1;
}

/* For a library in LD_PRELOAD. */
__attribute__((constructor)) static void start_early(void) {
  pthread_t thread;
  if (getenv("TVM_FFI_TEST_THREAD") != NULL) {
    (void)pthread_create(&thread, NULL, wait_long, NULL);
  }
}

static const struct {
  const char *name;
  int (*work)(void);
} kAttacks[] = {
#define ATTACK(name) \
  { #name, name }
    ATTACK(read_file),
    ATTACK(list_files),
    ATTACK(write_file),
    ATTACK(make_file),
    ATTACK(make_temporary_file),
    ATTACK(remove_file),
    ATTACK(rename_file),
    ATTACK(change_mode),
    ATTACK(change_owner),
    ATTACK(change_times),
    ATTACK(change_attributes),
    ATTACK(write_proc_memory),
    ATTACK(write_memory),
    ATTACK(read_memory),
    ATTACK(trace),
    ATTACK(send_signal),
    ATTACK(send_signal_to_host),
    ATTACK(send_signal_to_thread),
    ATTACK(send_signal_by_file),
    ATTACK(change_limits),
    ATTACK(change_priority),
    ATTACK(change_processors),
    ATTACK(take_file),
    ATTACK(read_environment_of_host),
    ATTACK(list_processes),
    ATTACK(read_environment),
    ATTACK(connect_tcp),
    ATTACK(send_udp),
    ATTACK(open_netlink),
    ATTACK(connect_abstract),
    ATTACK(connect_path),
    ATTACK(attach_segment),
    ATTACK(make_queue),
    ATTACK(start_process),
    ATTACK(execute),
    ATTACK(make_namespace),
    ATTACK(mount_files),
    ATTACK(use_rings),
    ATTACK(use_bpf),
    ATTACK(handle_faults),
    ATTACK(count_events),
    ATTACK(use_keys),
    ATTACK(change_personality),
    ATTACK(gain_dump),
    ATTACK(outlive),
    ATTACK(take_private_memory),
    ATTACK(take_growing_memory),
    ATTACK(take_protected_memory),
    ATTACK(take_tables),
    ATTACK(take_shared_memory),
    ATTACK(take_file_memory),
    ATTACK(take_segments),
    ATTACK(take_memory_of_processes),
    ATTACK(take_message_memory),
    ATTACK(take_tensor_memory),
    ATTACK(read_terminal),
    ATTACK(read_log),
    ATTACK(change_log),
    ATTACK(change_writing),
    ATTACK(start_threads),
    ATTACK(lock_file),
    ATTACK(open_many_files),
    ATTACK(make_table_of_files),
    ATTACK(make_timers),
    ATTACK(run_first),
    ATTACK(read_inherited),
};

TVM_FFI_C_EXPORT(aim,
                 "(host: int, victim: int, address: int, port: int, segment: int, folder: str) -> "
                 "None") {
  int64_t numbers[5];
  TVMFFIByteArray folder;
  int32_t i;
  for (i = 0; i < 5; ++i) TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, &numbers[i]));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 5, &folder));
  target.host = (pid_t)numbers[0];
  target.victim = (pid_t)numbers[1];
  target.address = (uintptr_t)numbers[2];
  target.port = (int)numbers[3];
  target.segment = (int)numbers[4];
  snprintf(target.folder, sizeof target.folder, "%s", folder.data);
  return 0;
}

/* 0 or a positive number: it worked; a negative errno: it did not. */
TVM_FFI_C_EXPORT(attack, "(name: str) -> int") {
  TVMFFIByteArray name;
  size_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &name));
  for (i = 0; i < sizeof kAttacks / sizeof *kAttacks; ++i) {
    int result;
    if (strcmp(kAttacks[i].name, name.data) != 0) continue;
    errno = 0;
    result = kAttacks[i].work();
    return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(result >= 0 ? result : -errno));
  }
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "there is no attack `%s`", name.data);
}

/* Loaded; a test writes a list of needed libraries there. */
__attribute__((used)) static const char kRoom[2048] = "room for a list";

/* Opens a file, for what a kernel may read: 0, or a negative errno. */
TVM_FFI_C_EXPORT(open_file, "(path: str) -> int") {
  TVMFFIByteArray path;
  int file;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  file = open(path.data, O_RDONLY);
  if (file < 0) return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(-errno));
  close(file);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
}

TVM_FFI_C_EXPORT(has_variable, "(name: str) -> bool") {
  TVMFFIByteArray name;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &name));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(getenv(name.data) != NULL));
}
