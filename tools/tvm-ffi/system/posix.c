/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE      /* memfd_create, dladdr, realpath */
#define _DARWIN_C_SOURCE /* the same on macOS, and st_mtimespec */
#include "system/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include "platform/c99_string.h"

/* ---- The clock ---- */

uint64_t clock_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- The system's name ---- */

bool description_write(char *out, size_t out_size) {
  struct utsname name;
  if (uname(&name) < 0) return false;
  snprintf(out, out_size, "%s %s %s", name.sysname, name.release, name.machine);
  return true;
}

void host_name_write(char *out, size_t out_size) {
  struct utsname name;
  snprintf(out, out_size, "%s", uname(&name) < 0 ? "" : name.nodename);
}

uint64_t random_number(void) {
  uint64_t number = clock_nanoseconds() ^ (uint64_t)getpid() << 32, bytes;
  FILE *source = fopen("/dev/urandom", "rb");
  if (source == NULL) return number;
  if (fread(&bytes, sizeof bytes, 1, source) == 1) number ^= bytes;
  fclose(source);
  return number;
}

/* ---- Paths, libraries and compilers ---- */

const system_traits kSystem = {
    .path_separators = "/",
    .has_drives = false,
    .c_compiler = "cc",
    .cxx_compiler = "c++",
    .links_runtime = false,
#ifdef __APPLE__
    .runtime_library = "libtvm_ffi.dylib",
    .library_suffix = ".dylib",
    .cuda_driver = "libcuda.dylib",
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"HOME", "Library/Caches/tvm-ffi"}},
    /* The linker must be told that the program has the functions of the runtime. */
    .library_flags = "-fPIC -fvisibility=hidden -Wl,-undefined,dynamic_lookup",
    .cuda_library_flags = "-Xcompiler -fPIC,-fvisibility=hidden",
    .archive_flags = {"-Wl,-all_load", NULL},
#else
    .runtime_library = "libtvm_ffi.so",
    .library_suffix = ".so",
    .cuda_driver = "libcuda.so.1",
#if defined(__GLIBC__) && !defined(__UCLIBC__)
    .libc = "glibc",
#elif defined(__ANDROID__)
    .libc = "Android's C library",
#elif defined(__linux__) && !defined(__UCLIBC__)
    .libc = "musl",
#elif defined(__FreeBSD__)
    .libc = "FreeBSD's C library",
#elif defined(__NetBSD__)
    .libc = "NetBSD's C library",
#elif defined(__OpenBSD__)
    .libc = "OpenBSD's C library",
#endif
    .caches = {{"XDG_CACHE_HOME", "tvm-ffi"}, {"HOME", ".cache/tvm-ffi"}},
    .library_flags = "-fPIC -fvisibility=hidden",
    .cuda_library_flags = "-Xcompiler -fPIC,-fvisibility=hidden",
    .archive_flags = {"-Wl,--whole-archive", "-Wl,--no-whole-archive"},
#endif
};

/* ---- Places of files ---- */

#if defined(__linux__)
/* As the program was named when it was started, for roots without /proc. */
static bool find_executed(char *out, size_t out_size) {
  const char *name = (const char *)getauxval(AT_EXECFN);
  char *path = name != NULL ? file_resolve(name) : NULL;
  const bool fits = path != NULL && strlen(path) < out_size;
  if (fits) strcpy(out, path);
  free(path);
  return fits;
}
#endif

bool own_program_find(char *out, size_t out_size) {
#if defined(__linux__)
  if (file_read_link("/proc/self/exe", out, out_size)) return true;
  return find_executed(out, out_size);
#elif defined(__APPLE__)
  char given[4096], *path;
  uint32_t size = sizeof given;
  bool fits;
  if (_NSGetExecutablePath(given, &size) != 0) return false;
  path = file_resolve(given);
  fits = path != NULL && strlen(path) < out_size;
  if (fits) strcpy(out, path);
  free(path);
  return fits;
#else
  (void)out;
  (void)out_size;
  return false;
#endif
}

bool loaded_path_find(const void *address, char *out, size_t out_size) {
  Dl_info library;
  if (dladdr(address, &library) == 0 || library.dli_fname == NULL) return false;
  if (strlen(library.dli_fname) >= out_size) return false;
  strcpy(out, library.dli_fname);
  return true;
}

const char *temporary_folder(void) {
  const char *place = getenv("TMPDIR");
  return place != NULL && *place != '\0' ? place : "/tmp";
}

/* ---- Files and folders ---- */

static int64_t in_nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct timespec time_written(const struct stat *status) {
#ifdef __APPLE__
  return status->st_mtimespec;
#else
  return status->st_mtim;
#endif
}

static void convert(const struct stat *status, file_status *out) {
  out->is_regular = S_ISREG(status->st_mode);
  out->is_folder = S_ISDIR(status->st_mode);
  out->is_characters = S_ISCHR(status->st_mode);
  out->device = (uint64_t)status->st_dev;
  out->number = (uint64_t)status->st_ino;
  out->size = (uint64_t)status->st_size;
  out->written = in_nanoseconds(time_written(status));
}

bool file_status_get(const char *path, file_status *out) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
  convert(&status, out);
  return true;
}

bool file_status_get_open(FILE *file, file_status *out) {
  struct stat status;
  if (fstat(fileno(file), &status) != 0) return false;
  convert(&status, out);
  return true;
}

bool file_status_is_same(const file_status *a, const file_status *b) {
  return a->device == b->device && a->number == b->number;
}

int64_t file_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return in_nanoseconds(now);
}

bool file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

bool file_can_read(const char *path) {
  return access(path, R_OK) == 0;
}

bool file_can_write(const char *path) {
  return access(path, W_OK) == 0;
}

bool folder_can_write(const char *path) {
  return access(path, W_OK | X_OK) == 0;
}

bool file_read_link(const char *path, char *out, size_t out_size) {
  ssize_t size = readlink(path, out, out_size);
  if (size <= 0 || (size_t)size == out_size) return false;
  out[size] = '\0';
  return true;
}

char *file_resolve(const char *path) {
  return realpath(path, NULL);
}

/* Another user's file keeps its owner if the system allows it. */
static void copy_mode(int file, const struct stat *old) {
  if (old->st_uid == geteuid() || fchown(file, old->st_uid, old->st_gid) == 0) {
    fchmod(file, old->st_mode & 0777);
  }
}

/* In its folder as it is when that is opened. */
static int open_beyond_links(const char *path, int flags) {
  const char *slash = strrchr(path, '/');
  char folder[4096], target[2];
  int place, file, reason;
  size_t size = slash != NULL ? (size_t)(slash - path) : 0;
  while (size > 0 && path[size - 1] == '/') --size; /* with one, a link is followed */
  if (size == 0) return open(path, flags);
  if (size >= sizeof folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(folder, path, size);
  folder[size] = '\0';
  place = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) {
    reason = errno; /* Linux says of a link that it is no folder */
    errno = readlink(folder, target, sizeof target) > 0 ? ELOOP : reason;
    return -1;
  }
  file = openat(place, slash + 1, flags);
  reason = errno;
  close(place);
  errno = reason;
  return file;
}

FILE *file_open_regular(const char *path, file_links links) {
  const int flags =
      O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (links == kLinksFollowed ? 0 : O_NOFOLLOW);
  const int file = links == kLinksAbove ? open_beyond_links(path, flags) : open(path, flags);
  FILE *stream = NULL;
  struct stat status;
  if (file < 0) {
    if (errno == ENXIO) errno = ESPIPE; /* a socket */
    return NULL;
  }
  if (fstat(file, &status) == 0) {
    if (S_ISREG(status.st_mode)) {
      stream = fdopen(file, "rb");
    } else {
      errno = ESPIPE;
    }
  }
  if (stream == NULL) {
    const int reason = errno;
    close(file);
    errno = reason;
  }
  return stream;
}

FILE *file_create(const char *path, const char *old) {
  struct stat status;
  int file;
  if (old != NULL && stat(old, &status) != 0) return NULL;
  file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return NULL;
  if (old != NULL) copy_mode(file, &status);
  return fdopen(file, "wb");
}

bool file_rename(const char *path, const char *name) {
  return rename(path, name) == 0;
}

void file_touch(const char *path) {
  utimensat(AT_FDCWD, path, NULL, 0);
}

bool file_make_private(const char *path) {
  return chmod(path, 0600) == 0;
}

bool folder_make(const char *path, bool is_private) {
  return mkdir(path, is_private ? 0700 : 0777) == 0;
}

bool folder_is_own(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & S_IWOTH) == 0;
}

bool folder_remove(const char *path) {
  return rmdir(path) == 0;
}

/* ---- Files in memory ---- */

/* Android has the function since version 11. */
#if defined(__linux__) && defined(MFD_CLOEXEC) && (!defined(__ANDROID__) || __ANDROID_API__ >= 30)

static bool write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= (size_t)done;
  }
  return true;
}

bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]) {
  int made = memfd_create("tvm-ffi", MFD_CLOEXEC), file = -1;
  if (made < 0) return false;
  if (write_all(made, bytes, size)) file = descriptor_copy(made);
  close(made);
  if (file < 0) return false;
  snprintf(out_path, kMemoryFilePath, "/proc/self/fd/%d", file);
  if (access(out_path, R_OK) == 0) return true;
  close(file);
  return false;
}

#else

bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]) {
  (void)bytes;
  (void)size;
  (void)out_path;
  return false;
}

#endif

/* ---- Memory ---- */

/* Some systems have only the older name. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

static void *map(size_t size, int access, int sharing) {
  void *begin = mmap(NULL, size, access, sharing | MAP_ANONYMOUS, -1, 0);
  return begin != MAP_FAILED ? begin : NULL;
}

size_t pages_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

void *pages_reserve(size_t size) {
  return map(size, PROT_NONE, MAP_PRIVATE);
}

bool pages_open(void *begin, size_t size) {
  return mprotect(begin, size, PROT_READ | PROT_WRITE) == 0;
}

bool pages_open_read(void *begin, size_t size) {
  return mprotect(begin, size, PROT_READ) == 0;
}

bool pages_close(void *begin, size_t size) {
  return mprotect(begin, size, PROT_NONE) == 0;
}

/* New pages in their place: those that were written to would stay mappings of their own. */
bool pages_discard(void *begin, size_t size) {
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return size == 0 || mmap(begin, size, PROT_NONE, kind, -1, 0) != MAP_FAILED;
}

void pages_release(void *begin, size_t size) {
  munmap(begin, size);
}

void *pages_share(size_t size) {
  return map(size, PROT_READ | PROT_WRITE, MAP_SHARED);
}

void *aligned_block(size_t size, size_t alignment) {
  void *block;
  errno = posix_memalign(&block, alignment, size > 0 ? size : 1);
  return errno == 0 ? block : NULL;
}

void aligned_free(void *block) {
  free(block);
}

/* ---- Descriptors ---- */

int descriptor_half_pipe(bool is_to_write) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  close(ends[!is_to_write]);
  return ends[is_to_write];
}

static void descriptor_move(int descriptor, int target) {
  if (descriptor < 0 || descriptor == target) return;
  dup2(descriptor, target);
  close(descriptor);
}

/* A closed one is opened the wrong way round, so that using it still fails. */
void descriptors_prepare(void) {
  int fd;
  for (fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) descriptor_move(descriptor_half_pipe(fd == STDIN_FILENO), fd);
  }
}

int descriptor_copy(int descriptor) {
  enum { kOutOfTheWay = 512 };
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay);
  return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

FILE *descriptor_copy_stream(int descriptor) {
  int copy = descriptor_copy(descriptor);
  return copy >= 0 ? fdopen(copy, "w") : NULL;
}

void descriptor_replace(int target, int source) {
  dup2(source, target);
}

void descriptor_end_input(void) {
  descriptor_move(descriptor_half_pipe(false), STDIN_FILENO);
}

void descriptor_wait_for_end(int reader) {
  char bytes[4096];
  ssize_t size;
  do {
    size = read(reader, bytes, sizeof bytes);
  } while (size > 0 || (size < 0 && errno == EINTR));
}

/* A pipe that takes all that is written, for roots without /dev/null; -1 if there is none. A
 * process reads it, which is no child of this one, so that foreign code does not wait for its end.
 */
static int pipe_open_drain(void) {
  int ends[2];
  pid_t starter;
  if (pipe(ends) != 0) return -1;
  starter = fork();
  if (starter == 0) {
    close(ends[1]);
    if (fork() == 0) descriptor_wait_for_end(ends[0]);
    _exit(0);
  }
  close(ends[0]);
  if (starter > 0 && waitpid(starter, NULL, 0) == starter) return ends[1];
  close(ends[1]);
  return -1;
}

void descriptors_silence(void) {
  int nothing = open("/dev/null", O_WRONLY);
  if (nothing < 0) nothing = pipe_open_drain();
  if (nothing < 0) return;
  dup2(nothing, STDOUT_FILENO);
  descriptor_move(nothing, STDERR_FILENO);
}

void descriptor_close(int descriptor) {
  close(descriptor);
}

bool descriptor_is_terminal(int descriptor) {
  return isatty(descriptor) != 0;
}

/* ---- Faults ---- */

static void (*look_at)(const void *address);
static void (*volatile meet_at)(void);
static const char *volatile held_begin;
static volatile size_t held_size;

void faults_hold(const void *begin, size_t size, void (*meet)(void)) {
  held_begin = begin;
  held_size = size;
  meet_at = meet;
}

void nap_in_handler(void) {
  (void)poll(NULL, 0, 1);
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
  const char *address = info->si_addr;
  (void)context;
  if (meet_at != NULL && address >= held_begin && address < held_begin + held_size) {
    const int reason = errno;
    meet_at();
    errno = reason;
    return;
  }
  look_at(info->si_addr);
  signal(signal_number, SIG_DFL); /* the access is repeated and now ends the program */
}

void faults_watch(void (*look)(const void *address)) {
  struct sigaction action;
  look_at = look;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}
