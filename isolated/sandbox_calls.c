/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of system calls (seccomp). Numbers and arguments differ between processors: a table has
 * what this one's headers name. Filters that do not look at arguments cost a call nothing that can
 * be measured, because Linux keeps their answers (since 5.11).
 */
#define _GNU_SOURCE /* syscall */
#include "sandbox.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <tvm/ffi/extra/isolated.h>
#include <unistd.h>
#if defined(__has_include)
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>) && \
    __has_include(<linux/audit.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#define HAS_SECCOMP 1
#endif
#endif

#include "helper_system.h"

#ifndef HAS_SECCOMP
#elif defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define OWN_ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && !defined(__ARMEB__)
#define OWN_ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define OWN_ARCHITECTURE AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define OWN_ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__mips__) && defined(_ABIO32) && defined(__MIPSEL__)
#define OWN_ARCHITECTURE AUDIT_ARCH_MIPSEL
#elif defined(__mips__) && defined(_ABIO32)
#define OWN_ARCHITECTURE AUDIT_ARCH_MIPS
#elif defined(__mips__) && defined(_ABI64) && defined(__MIPSEL__)
#define OWN_ARCHITECTURE AUDIT_ARCH_MIPSEL64
#elif defined(__mips__) && defined(_ABI64)
#define OWN_ARCHITECTURE AUDIT_ARCH_MIPS64
#endif

#ifdef OWN_ARCHITECTURE

/* ---- Filters ---- */

enum { kMaxFilter = 1024 };

typedef struct {
  struct sock_filter steps[kMaxFilter];
  unsigned short count;
} filter;

static void add(filter *self, unsigned code, uint32_t value, unsigned char yes, unsigned char no) {
  struct sock_filter *step;
  if (self->count == kMaxFilter) {
    errno = E2BIG;
    fail("seccomp: the filter");
  }
  step = &self->steps[self->count++];
  step->code = (unsigned short)code;
  step->k = value;
  step->jt = yes;
  step->jf = no;
}

static void add_load(filter *self, size_t offset) {
  add(self, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The low half: what the system reads of an int. */
static void add_load_argument(filter *self, size_t index) {
  size_t offset = offsetof(struct seccomp_data, args) + index * sizeof(uint64_t);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  offset += sizeof(uint32_t);
#endif
  add_load(self, offset);
}

static void add_answer(filter *self, uint32_t answer) {
  add(self, BPF_RET | BPF_K, answer, 0, 0);
}

/* The answer for a call of the system. Its number has been loaded. */
static void add_answer_to(filter *self, long number, uint32_t answer) {
  add(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
  add_answer(self, answer);
}

static void add_refusal(filter *self, long number, int error) {
  add_answer_to(self, number, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static void add_begin(filter *self) {
  add_load(self, offsetof(struct seccomp_data, arch));
  add(self, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  add_answer(self, SECCOMP_RET_ERRNO | EPERM);
  add_load(self, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  add(self, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* another set of numbers: x32 */
  add_answer(self, SECCOMP_RET_ERRNO | EPERM);
#endif
}

static bool set_filter(filter *made) {
  struct sock_fprog program;
  program.len = made->count;
  program.filter = made->steps;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Threads are made by the same call as processes, whose flags say which. */
static void add_threads_only(filter *self) {
  enum {
    kCloneThread = 0x00010400, /* CLONE_THREAD, CLONE_FILES: limits count for each table of files */
    kCloneNamespaces = 0x7e020080 /* CLONE_NEW* */
  };
#ifdef __s390__
  enum { kFlags = 1 };
#else
  enum { kFlags = 0 };
#endif
#ifdef SYS_clone3
  add_refusal(self, SYS_clone3, ENOSYS); /* the flags are in memory; libc goes on with clone */
#endif
  add(self, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 6);
  add_load_argument(self, kFlags);
  add(self, BPF_JMP | BPF_JSET | BPF_K, kCloneNamespaces, 2, 0);
  add(self, BPF_ALU | BPF_AND | BPF_K, kCloneThread, 0, 0);
  add(self, BPF_JMP | BPF_JEQ | BPF_K, kCloneThread, 1, 0);
  add_answer(self, SECCOMP_RET_ERRNO | EPERM);
  add_answer(self, SECCOMP_RET_ALLOW);
}

/* ---- What options.forbids names ---- */

void refuse_calls(uint32_t forbids) {
  static filter made; /* zeros */
  add_begin(&made);
  if ((forbids & TVM_FFI_ISOLATED_NETWORK) != 0) {
    add_refusal(&made, SYS_socket, EACCES);
#ifdef SYS_socketcall
    add(&made, BPF_JMP | BPF_JEQ | BPF_K, SYS_socketcall, 0, 4);
    add_load_argument(&made, 0);
    add(&made, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1); /* socket */
    add_answer(&made, SECCOMP_RET_ERRNO | EACCES);
    add_answer(&made, SECCOMP_RET_ALLOW);
#endif
#ifdef SYS_io_uring_setup
    add_refusal(&made, SYS_io_uring_setup, EACCES);
#endif
  }
  if ((forbids & TVM_FFI_ISOLATED_PROCESSES) != 0) {
#ifdef SYS_fork
    add_refusal(&made, SYS_fork, EPERM);
#endif
#ifdef SYS_vfork
    add_refusal(&made, SYS_vfork, EPERM);
#endif
    add_refusal(&made, SYS_execve, EPERM);
    add_refusal(&made, SYS_execveat, EPERM);
    add_threads_only(&made);
  }
  add_answer(&made, SECCOMP_RET_ALLOW);
  if (!set_filter(&made)) fail("seccomp");
}

/* ---- What a sandbox allows ---- */

/* Whatever the arguments are. What names a process is below. */
static const long kAllowed[] = {
/* What a call of a kernel takes comes first. */
#ifdef SYS_futex
    SYS_futex,
#endif
#ifdef SYS_futex_time64
    SYS_futex_time64,
#endif
    SYS_write, SYS_read,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_ppoll
    SYS_ppoll,
#endif
#ifdef SYS_ppoll_time64
    SYS_ppoll_time64,
#endif
#ifdef SYS_sendto
    SYS_sendto, SYS_recvfrom, SYS_shutdown,
#endif
#ifdef SYS_send
    SYS_send,
#endif
#ifdef SYS_recv
    SYS_recv,
#endif
/* Memory. */
#ifdef SYS_brk
    SYS_brk,
#endif
    SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mincore, SYS_msync, SYS_mlock,
    SYS_munlock, SYS_mlockall, SYS_munlockall,
#ifdef SYS_mlock2
    SYS_mlock2,
#endif
#ifdef SYS_pkey_mprotect
    SYS_pkey_mprotect, SYS_pkey_alloc, SYS_pkey_free,
#endif
#ifdef SYS_mbind
    SYS_mbind, SYS_get_mempolicy, SYS_set_mempolicy,
#endif
#ifdef SYS_membarrier
    SYS_membarrier,
#endif
/* Files that are open, or that the sandbox lets be read. */
#ifdef SYS_open
    SYS_open,
#endif
    SYS_openat, SYS_close, SYS_lseek, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv,
    SYS_pwritev, SYS_dup, SYS_dup3, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask, SYS_fsync,
    SYS_fdatasync, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_pipe2,
#ifdef SYS__llseek
    SYS__llseek,
#endif
#ifdef SYS_dup2
    SYS_dup2,
#endif
#ifdef SYS_pipe
    SYS_pipe,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_access
    SYS_access, SYS_readlink,
#endif
#ifdef SYS_getdents
    SYS_getdents,
#endif
#ifdef SYS_stat
    SYS_stat, SYS_lstat,
#endif
#ifdef SYS_fstat
    SYS_fstat,
#endif
#ifdef SYS_stat64
    SYS_stat64, SYS_lstat64,
#endif
#ifdef SYS_fstat64
    SYS_fstat64,
#endif
#ifdef SYS_fstatat64
    SYS_fstatat64,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
#ifdef SYS_statx
    SYS_statx,
#endif
#ifdef SYS_statfs
    SYS_statfs, SYS_fstatfs,
#endif
#ifdef SYS_statfs64
    SYS_statfs64, SYS_fstatfs64,
#endif
#ifdef SYS_fadvise64
    SYS_fadvise64,
#endif
#ifdef SYS_fadvise64_64
    SYS_fadvise64_64,
#endif
#ifdef SYS_sendfile
    SYS_sendfile,
#endif
#ifdef SYS_sendfile64
    SYS_sendfile64,
#endif
/* Waiting. */
#ifdef SYS_select
    SYS_select,
#endif
#ifdef SYS__newselect
    SYS__newselect,
#endif
    SYS_pselect6,
#ifdef SYS_pselect6_time64
    SYS_pselect6_time64,
#endif
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
#ifdef SYS_epoll_wait
    SYS_epoll_create, SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
    SYS_eventfd2,
#ifdef SYS_eventfd
    SYS_eventfd,
#endif
    SYS_signalfd4, SYS_timerfd_create,
#ifdef SYS_timerfd_settime
    SYS_timerfd_settime, SYS_timerfd_gettime,
#endif
#ifdef SYS_timerfd_settime64
    SYS_timerfd_settime64, SYS_timerfd_gettime64,
#endif
    SYS_nanosleep,
#ifdef SYS_clock_nanosleep
    SYS_clock_nanosleep,
#endif
#ifdef SYS_clock_nanosleep_time64
    SYS_clock_nanosleep_time64,
#endif
#ifdef SYS_pause
    SYS_pause,
#endif
#ifdef SYS_alarm
    SYS_alarm,
#endif
    SYS_setitimer, SYS_getitimer, SYS_timer_create, SYS_timer_delete, SYS_timer_getoverrun,
#ifdef SYS_timer_settime
    SYS_timer_settime, SYS_timer_gettime,
#endif
#ifdef SYS_timer_settime64
    SYS_timer_settime64, SYS_timer_gettime64,
#endif
/* The clock. */
#ifdef SYS_gettimeofday
    SYS_gettimeofday,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_clock_gettime
    SYS_clock_gettime, SYS_clock_getres,
#endif
#ifdef SYS_clock_gettime64
    SYS_clock_gettime64, SYS_clock_getres_time64,
#endif
    SYS_times,
    /* Threads, signals, the end. */
    SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_set_tid_address, SYS_set_robust_list,
    SYS_gettid, SYS_getpid, SYS_getppid, SYS_sched_yield, SYS_getcpu, SYS_sched_getaffinity,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_sigaltstack,
#ifdef SYS_rt_sigtimedwait
    SYS_rt_sigtimedwait,
#endif
#ifdef SYS_rt_sigtimedwait_time64
    SYS_rt_sigtimedwait_time64,
#endif
#ifdef SYS_sigreturn
    SYS_sigreturn,
#endif
#ifdef SYS_sigprocmask
    SYS_sigprocmask, SYS_sigaction,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
    SYS_wait4, SYS_waitid,
    /* What the process and the system are. */
    SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_capget,
#ifdef SYS_getrlimit
    SYS_getrlimit,
#endif
#ifdef SYS_ugetrlimit
    SYS_ugetrlimit,
#endif
#ifdef SYS_setrlimit
    SYS_setrlimit,
#endif
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups,
#ifdef SYS_getuid32
    SYS_getuid32, SYS_geteuid32, SYS_getgid32, SYS_getegid32, SYS_getgroups32,
#endif
#ifdef SYS_getrandom
    SYS_getrandom,
#endif
/* Of one processor. */
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
#ifdef SYS_set_thread_area
    SYS_set_thread_area,
#endif
#ifdef SYS_riscv_flush_icache
    SYS_riscv_flush_icache,
#endif
#ifdef SYS_riscv_hwprobe
    SYS_riscv_hwprobe,
#endif
#ifdef SYS_cacheflush
    SYS_cacheflush,
#endif
#ifdef __arm__
    0x0f0002, 0x0f0005, /* cacheflush, set_tls */
#endif
};

/*
 * Only threads of the process, or the process itself (0 or its number), can be meant. In a
 * namespace of process numbers, the others are an init process that ignores what they send.
 */
static const long kNaming[] = {
    SYS_tkill,       SYS_sched_setaffinity,  SYS_sched_getscheduler, SYS_sched_getparam,
    SYS_getpriority, SYS_sched_setscheduler, SYS_sched_setparam,     SYS_setpriority,
};
/* The first argument is the process. */
static const long kOfProcess[] = {
    SYS_kill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
#ifdef SYS_rt_tgsigqueueinfo
    SYS_rt_tgsigqueueinfo,
#endif
    SYS_prlimit64,
};

/* A call that is allowed with these values of an argument, and no others. */
typedef struct {
  long number;
  size_t index;
  const uint32_t *values;
  size_t num_values;
  int error;
} argument_rule;

static void add_rule(filter *self, const argument_rule *rule) {
  size_t i;
  add(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0,
      (unsigned char)(2 + 2 * rule->num_values));
  add_load_argument(self, rule->index);
  for (i = 0; i < rule->num_values; ++i) {
    add_answer_to(self, (long)rule->values[i], SECCOMP_RET_ALLOW);
  }
  add_answer(self, SECCOMP_RET_ERRNO | (uint32_t)rule->error);
}

#ifndef __s390x__
/*
 * RLIMIT_DATA counts neither memory that processes share, so only files are mapped so, which a
 * kernel cannot make; nor stacks, and huge pages only while they can be written.
 */
static void add_counted_memory_only(filter *self, long number) {
  add(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 6);
  add_load_argument(self, 3);
  add(self, BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN | MAP_HUGETLB, 2, 0);
  add(self, BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2);
  add(self, BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1);
  add_answer(self, SECCOMP_RET_ERRNO | EPERM);
  add_answer(self, SECCOMP_RET_ALLOW);
}
#endif

static void add_rules(filter *self) {
  enum { kSetVma = 0x53564d41, kGetFpMode = 46, kSetThp = 41, kGetThp = 42 };
  enum { kDuplicateClosing = 1030, kGetPipeSize = 1032, kGetSeals = 1034, kCloseLater = 4 };
  static const uint32_t kControls[] = {PR_SET_NAME,       PR_GET_NAME,    PR_GET_DUMPABLE,
                                       PR_CAPBSET_READ,   PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS,
                                       PR_SET_TIMERSLACK, kSetVma,        kGetFpMode,
                                       kSetThp,           kGetThp};
  /* No locks: others may wait for those. No signals, leases or larger pipes. */
  static const uint32_t kFileCommands[] = {F_DUPFD, F_GETFD,           F_SETFD,      F_GETFL,
                                           F_SETFL, kDuplicateClosing, kGetPipeSize, kGetSeals};
#ifdef SYS_close_range
  static const uint32_t kCloseFlags[] = {0, kCloseLater}; /* not a table of its own */
#endif
  static const uint32_t kDeviceCommands[] = {TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
#define VALUES(list) list, sizeof list / sizeof *list
  const argument_rule rules[] = {
      {SYS_prctl, 0, VALUES(kControls), EPERM},
      {SYS_fcntl, 1, VALUES(kFileCommands), EPERM},
#ifdef SYS_fcntl64
      {SYS_fcntl64, 1, VALUES(kFileCommands), EPERM},
#endif
#ifdef SYS_close_range
      {SYS_close_range, 2, VALUES(kCloseFlags), EPERM},
#endif
      {SYS_ioctl, 1, VALUES(kDeviceCommands), ENOTTY},
  };
  size_t i;
  for (i = 0; i < sizeof rules / sizeof *rules; ++i) add_rule(self, &rules[i]);
#ifdef SYS_socketcall
  {
    static const uint32_t kOpenSockets[] = {9, 10, 11, 12}; /* send, recv, sendto, recvfrom */
    const argument_rule sockets = {SYS_socketcall, 0, VALUES(kOpenSockets), EPERM};
    add_rule(self, &sockets);
  }
#endif
#undef VALUES
#ifdef SYS_mmap2
  add_counted_memory_only(self, SYS_mmap2);
#elif defined(__s390x__)
  add_answer_to(self, SYS_mmap, SECCOMP_RET_ALLOW); /* the arguments are in memory */
#else
  add_counted_memory_only(self, SYS_mmap);
#endif
}

static void add_own_process(filter *self, bool is_alone) {
  const uint32_t own[] = {0, (uint32_t)getpid()};
  argument_rule rule = {0, 0, own, 2, EPERM};
  size_t i;
  for (i = 0; i < sizeof kNaming / sizeof *kNaming; ++i) {
    if (is_alone) add_answer_to(self, kNaming[i], SECCOMP_RET_ALLOW);
  }
  for (i = 0; i < sizeof kOfProcess / sizeof *kOfProcess; ++i) {
    const bool is_signal = kOfProcess[i] != SYS_prlimit64;
    rule.number = kOfProcess[i];
    rule.values = is_signal ? own + 1 : own; /* kill: 0 is the whole group of processes */
    rule.num_values = is_signal ? 1 : 2;
    add_rule(self, &rule);
  }
}

bool allow_calls(bool is_alone) {
  static filter made; /* zeros */
  size_t i;
  add_begin(&made);
  for (i = 0; i < sizeof kAllowed / sizeof *kAllowed; ++i) {
    add_answer_to(&made, kAllowed[i], SECCOMP_RET_ALLOW);
  }
  add_threads_only(&made);
  add_rules(&made);
  add_own_process(&made, is_alone);
  /* libc makes do without what a system does not know. */
#ifdef SYS_openat2
  add_refusal(&made, SYS_openat2, ENOSYS);
#endif
  add_answer(&made, SECCOMP_RET_ERRNO | EPERM);
  return set_filter(&made);
}

#else

void refuse_calls(uint32_t forbids) {
  (void)forbids;
  errno = ENOSYS;
  fail("seccomp on this processor");
}

bool allow_calls(bool is_alone) {
  (void)is_alone;
  errno = ENOSYS;
  return false;
}

#endif

#else
typedef int sandbox_is_for_linux; /* C99 has no empty source */
#endif
