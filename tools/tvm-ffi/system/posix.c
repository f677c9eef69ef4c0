/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE      /* memfd_create, dladdr, realpath */
#define _DARWIN_C_SOURCE /* the same on macOS, and st_mtimespec */
#include "system/system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <malloc.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <xlocale.h>
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

/* A pipe whose other end is closed, to write to or to read from; -1 if there is none. Unlike
 * /dev/null, every root has it. */
static int half_pipe(bool is_to_write) {
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
    if (fcntl(fd, F_GETFD) == -1) descriptor_move(half_pipe(fd == STDIN_FILENO), fd);
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
  descriptor_move(half_pipe(false), STDIN_FILENO);
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

/* ---- Other programs ---- */

extern char **environ;

/* The file in a folder, "": the current one, if it can be run. */
static char *find_in(const char *folder, size_t folder_size, const char *name) {
  const size_t size = folder_size + strlen(name) + 3;
  char *path = malloc(size), *found = NULL;
  if (path == NULL) return NULL;
  if (folder_size > 0) memcpy(path, folder, folder_size);
  snprintf(path + folder_size, size - folder_size, "%s/%s", folder_size > 0 ? "" : ".", name);
  if (access(path, X_OK) == 0) found = realpath(path, NULL);
  free(path);
  return found;
}

char *launch_find(const char *name) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL) return realpath(name, NULL);
  while (folders != NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ":");
    char *found = find_in(folders, size, name);
    if (found != NULL) return found;
    folders += size + (folders[size] == ':');
  }
  return NULL;
}

/* Starts the program; 0, or the number of an error. */
static int start(char *const *words, pid_t *out) {
  posix_spawn_file_actions_t actions;
  const int nothing = half_pipe(false);
  int code = nothing >= 0 ? posix_spawn_file_actions_init(&actions) : errno;
  if (nothing < 0) return code;
  if (code == 0) {
    code = posix_spawn_file_actions_adddup2(&actions, nothing, STDIN_FILENO);
    if (code == 0) code = posix_spawn_file_actions_addclose(&actions, nothing);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (code == 0) code = posix_spawnp(out, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(nothing);
  return code;
}

bool launch_run(char *const *words, launch_end *out) {
  pid_t child;
  int status;
  errno = start(words, &child);
  if (errno != 0) return false;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  out->ended[0] = '\0';
  out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (!WIFEXITED(status)) {
    snprintf(out->ended, sizeof out->ended, "signal %d", WTERMSIG(status));
  }
  return true;
}

/* ---- A program beside this one ---- */

static int start_beside(char *const *words, int channel, int errors, pid_t *out) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (code == 0) code = posix_spawnp(out, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

bool companion_start(char *const *words, companion *out) {
  int ends[2], code;
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  pid_t process = 0;
  memset(out, 0, sizeof *out);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    if (nothing >= 0) close(nothing);
    return false;
  }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  code = start_beside(words, ends[1], nothing >= 0 ? nothing : STDERR_FILENO, &process);
  close(ends[1]);
  if (nothing >= 0) close(nothing);
  if (code != 0) close(ends[0]);
  out->process = code == 0 ? (long)process : 0;
  out->channel = ends[0];
  errno = code;
  return code == 0;
}

void companion_end(companion *c) {
  if (c->process == 0) return;
  close(c->channel);
  kill((pid_t)c->process, SIGKILL);
  while (waitpid((pid_t)c->process, NULL, 0) < 0 && errno == EINTR) continue;
  memset(c, 0, sizeof *c);
}

bool companion_write(const companion *c, const void *bytes, size_t size) {
#ifdef MSG_NOSIGNAL
  enum { kFlags = MSG_NOSIGNAL };
#else
  enum { kFlags = 0 };
#endif
  const char *at = bytes;
  while (size > 0) {
    const ssize_t put = send(c->channel, at, size, kFlags);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= (size_t)put;
  }
  return true;
}

bool companion_read(const companion *c, void *out, size_t size) {
  char *at = out;
  while (size > 0) {
    const ssize_t got = recv(c->channel, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

bool companion_wait(const companion *c, int seconds) {
  struct pollfd watched;
  watched.fd = c->channel;
  watched.events = POLLIN;
  return poll(&watched, 1, seconds * 1000) > 0;
}

/* ---- What a call should leave as it was ---- */

#ifdef __linux__

/* A line is "begin-end permissions offset device inode path". */
static void count_mappings(process_state *out) {
  FILE *file = fopen("/proc/self/maps", "r");
  char line[512];
  bool begins = true;
  if (file == NULL) return;
  out->knows_mappings = true;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long long begin, end;
    if (begins && strstr(line, "[heap]") == NULL && strstr(line, "[stack]") == NULL &&
        sscanf(line, "%llx-%llx", &begin, &end) == 2) {
      ++out->num_mappings;
      out->mapped += (uint64_t)(end - begin);
    }
    begins = strchr(line, '\n') != NULL; /* a path may be longer than the buffer */
  }
  fclose(file);
}

#else

static void count_mappings(process_state *out) {
  (void)out;
}

#endif

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2 1
#endif
#endif

void heap_fill(int byte) {
  enum { kAlike = 8, kStep = 16, kLargest = 1 << 10, kMost = 1 << 16 };
  void *(*volatile fill)(void *, int, size_t) = memset; /* else it might be removed */
  void *blocks[kAlike];
  size_t size, i;
  for (size = kStep; size <= kMost; size = size < kLargest ? size + kStep : 2 * size) {
    for (i = 0; i < kAlike; ++i) {
      blocks[i] = malloc(size - sizeof(size_t));
      if (blocks[i] != NULL) (void)fill(blocks[i], byte, size - sizeof(size_t));
    }
    for (i = 0; i < kAlike; ++i) free(blocks[i]);
  }
}

void heap_mark(int byte) {
#if defined(__GLIBC__) && defined(M_PERTURB)
  (void)mallopt(M_PERTURB, byte != 0 ? byte ^ 0xff : 0); /* what is freed gets that one */
#else
  (void)byte;
#endif
}

/* A sanitizer's malloc counts nothing. */
static void count_heap(process_state *out) {
#ifdef HAS_MALLINFO2
  const struct mallinfo2 info = mallinfo2();
  out->heap = (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
  out->knows_heap = out->heap > 0;
#else
  (void)out;
#endif
}

/* FNV-1a */
static uint64_t digest(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  size_t i;
  for (i = 0; i < size; ++i) sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* 0: there is no such folder. */
static size_t count_entries(const char *path) {
  DIR *folder = opendir(path);
  size_t count = 0;
  const struct dirent *entry;
  if (folder == NULL) return 0;
  while ((entry = readdir(folder)) != NULL) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void read_environment(process_state *out) {
  enum { kNumLimits = 6 };
  struct rlimit limits[kNumLimits];
  char folder[4096];
  struct itimerval timer;
  sigset_t blocked;
  size_t i;
  mode_t mask = umask(0);
  (void)umask(mask);
  out->mask = (unsigned)mask;
  if (getcwd(folder, sizeof folder) != NULL) out->folder = digest(1, folder, strlen(folder));
  for (i = 0; environ != NULL && environ[i] != NULL; ++i) {
    out->variables = digest(out->variables + 1, environ[i], strlen(environ[i]));
  }
  memset(limits, 0, sizeof limits);
  (void)getrlimit(RLIMIT_CORE, &limits[0]);
  (void)getrlimit(RLIMIT_CPU, &limits[1]);
  (void)getrlimit(RLIMIT_DATA, &limits[2]);
  (void)getrlimit(RLIMIT_FSIZE, &limits[3]);
  (void)getrlimit(RLIMIT_NOFILE, &limits[4]);
  (void)getrlimit(RLIMIT_STACK, &limits[5]);
  out->limits = digest(1, limits, sizeof limits);
  sigemptyset(&blocked);
  (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (i = 1; i < kMaxSignals; ++i) {
    out->blocked = out->blocked * 3 + (uint64_t)(sigismember(&blocked, (int)i) == 1);
  }
  memset(&timer, 0, sizeof timer);
  (void)getitimer(ITIMER_REAL, &timer);
  out->has_timer = timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
#ifdef __linux__
  {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    (void)sched_getaffinity(0, sizeof processors, &processors);
    out->processors = digest(1, &processors, sizeof processors);
  }
#endif
#ifdef __GLIBC__
  out->traps = fegetexcept();
#endif
  out->priority = getpriority(PRIO_PROCESS, 0);
  for (i = 0; i <= STDERR_FILENO; ++i) {
    struct stat file;
    memset(&file, 0, sizeof file);
    (void)fstat((int)i, &file);
    out->streams = digest(out->streams + 1, &file.st_dev, sizeof file.st_dev);
    out->streams = digest(out->streams, &file.st_ino, sizeof file.st_ino);
  }
}

void process_leave_errors(void) {
  (void)feraiseexcept(FE_ALL_EXCEPT);
  errno = ERANGE;
}

void process_state_read_host(process_state *out) {
  int i;
  memset(out, 0, sizeof *out);
  out->locale = (void *)uselocale((locale_t)0);
  for (i = 1; i < kMaxSignals; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) != 0) continue;
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      memcpy(&out->handlers[i], &action.sa_sigaction, sizeof out->handlers[i]);
    } else {
      memcpy(&out->handlers[i], &action.sa_handler, sizeof out->handlers[i]);
    }
  }
  read_environment(out);
}

/* Where no folder lists them, each number is tried. */
static size_t count_descriptors(void) {
  enum { kMost = 4096 };
  const size_t listed = count_entries("/proc/self/fd");
  long limit = sysconf(_SC_OPEN_MAX);
  size_t count = 0;
  int i;
  if (listed > 0) return listed - 1; /* one is that of the folder */
  if (limit < 0 || limit > kMost) limit = kMost;
  for (i = 0; i < (int)limit; ++i) count += fcntl(i, F_GETFD) >= 0;
  return count;
}

void process_state_read(process_state *out) {
  process_state_read_host(out);
  out->num_descriptors = count_descriptors();
  out->num_threads = count_entries("/proc/self/task");
  count_mappings(out);
  count_heap(out);
}

void process_adopt(void) {
#ifdef __linux__
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

bool process_has_children(void) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static int captured[2]; /* a pipe */

bool results_capture(void) {
  fflush(NULL);
  if (pipe(captured) != 0) return false;
  fcntl(captured[0], F_SETFL, O_NONBLOCK);
  fcntl(captured[1], F_SETFL, O_NONBLOCK); /* it holds enough to be shown, and no more */
  return dup2(captured[1], STDOUT_FILENO) >= 0;
}

size_t results_captured(char *out, size_t out_size) {
  ssize_t size;
  char more;
  fflush(NULL);
  size = read(captured[0], out, out_size - 1);
  if (size < 0) size = 0;
  out[size] = '\0';
  return (size_t)size + (read(captured[0], &more, 1) == 1);
}

void process_limit_memory(uint64_t more) {
  struct rlimit limit;
  process_state now;
  process_state_read(&now);
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  if (limit.rlim_cur <= now.mapped + more) return;
  limit.rlim_cur = (rlim_t)(now.mapped + more);
  setrlimit(RLIMIT_DATA, &limit);
}

typedef struct {
  void (*body)(void *context, size_t i);
  void *context;
  size_t i;
} thread_task;

static void *run_task(void *argument) {
  const thread_task *task = argument;
  task->body(task->context, task->i);
  return NULL;
}

bool threads_run(size_t count, void (*body)(void *context, size_t i), void *context) {
  enum { kMost = 16 };
  pthread_t threads[kMost];
  thread_task tasks[kMost];
  size_t started, i;
  for (started = 0; started < count && started < kMost; ++started) {
    tasks[started].body = body;
    tasks[started].context = context;
    tasks[started].i = started;
    if (pthread_create(&threads[started], NULL, run_task, &tasks[started]) != 0) break;
  }
  for (i = 0; i < started; ++i) pthread_join(threads[i], NULL);
  return started == count;
}

/* ---- Another program with a library preloaded ---- */

#if defined(__linux__)
static const char kPreload[] = "LD_PRELOAD", kPreloadEnds[] = ": ";
#elif defined(__APPLE__)
static const char kPreload[] = "DYLD_INSERT_LIBRARIES", kPreloadEnds[] = ":";
#endif

#if defined(__linux__) || defined(__APPLE__)

/* Puts a library before those that are preloaded; false with the reason as text. */
static bool add_preload(const char *library, char *out_reason, size_t reason_size) {
  const char *others = getenv(kPreload);
  const size_t size = strlen(library) + (others != NULL ? strlen(others) : 0) + 2;
  char *preload = malloc(size);
  bool is_set = false;
  if (strpbrk(library, kPreloadEnds) != NULL) {
    snprintf(out_reason, reason_size, "the loader accepts no path with a %scolon",
             kPreloadEnds[1] == '\0' ? "" : "blank or ");
  } else if (preload != NULL) {
    snprintf(preload, size, "%s%s%s", library, others != NULL ? ":" : "",
             others != NULL ? others : "");
    is_set = setenv(kPreload, preload, 1) == 0;
    if (!is_set) snprintf(out_reason, reason_size, "%s", strerror(errno));
  } else {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
  }
  free(preload);
  return is_set;
}

#endif

#if defined(__linux__) || defined(__APPLE__)

static volatile sig_atomic_t preloaded; /* the pid of the program */
static struct sigaction old_actions[kMaxSignals];

/* Whether the program has the signal already: the terminal sends it to the whole group, and so do
 * processes of the group, but for the parent, which may as well have sent it to this process alone.
 */
static bool has_group(int number, const siginfo_t *info) {
#ifdef __APPLE__
  const bool is_sent = info->si_code == SI_USER || info->si_code <= 0;
#else
  const bool is_sent = info->si_code <= 0;
#endif
  if (!is_sent) return number == SIGINT || number == SIGQUIT || number == SIGTSTP;
  if (info->si_pid <= 0 || info->si_pid == getpid() || info->si_pid == getppid()) return false;
  return getpgid(info->si_pid) == getpgrp();
}

static void pass_signal(int number, siginfo_t *info, void *context) {
  const int error = errno;
  (void)context;
  if (!has_group(number, info)) kill((pid_t)preloaded, number);
  errno = error;
}

/* All that can be caught but those that do nothing by themselves, or say something of this process
 * alone: of its faults, its children and its use of the terminal. */
static bool is_passed(int number) {
  static const int kOthers[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGURG,  SIGWINCH, SIGTTIN,
                                SIGTTOU, SIGPIPE, SIGSEGV, SIGBUS,  SIGILL,   SIGFPE,
                                SIGABRT, SIGTRAP, SIGSYS,  SIGXCPU, SIGXFSZ};
  size_t i;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (number == kOthers[i]) return false;
  }
  return true;
}

static void pass_signals(pid_t program) {
  struct sigaction action;
  int number;
  preloaded = (sig_atomic_t)program;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = pass_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (number = 1; number < kMaxSignals; ++number) {
    if (!is_passed(number) || sigaction(number, NULL, &old_actions[number]) != 0) continue;
    /* what is ignored is ignored by the program, too */
    if (old_actions[number].sa_handler != SIG_IGN) sigaction(number, &action, NULL);
  }
}

static void stop_passing(void) {
  int number;
  for (number = 1; number < kMaxSignals; ++number) {
    if (is_passed(number)) sigaction(number, &old_actions[number], NULL);
  }
}

void program_end_like(int status) {
  const struct rlimit none = {0, 0};
  if (WIFEXITED(status)) exit(WEXITSTATUS(status));
  setrlimit(RLIMIT_CORE, &none); /* that one has written its own */
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  exit(128 + WTERMSIG(status)); /* as a shell says it */
}

bool program_has_failed(int status) {
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/*
 * Waits for its end; false with the reason as text. Stops when the program stops, so that a shell
 * gets the terminal back. The status is taken when no signal can be passed on any more: the pid may
 * be that of another process then.
 */
static bool wait_for_program(pid_t program, int *out_status, char *out_reason, size_t reason_size) {
  sigset_t every, old;
  siginfo_t info;
  bool is_over = false;
  int code = 0;
  while (!is_over) {
    memset(&info, 0, sizeof info);
    code = waitid(P_PID, (id_t)program, &info, WEXITED | WSTOPPED | WNOWAIT);
    if (code == 0 && (info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED)) {
      (void)waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOHANG);
      raise(SIGSTOP); /* returns when this process goes on */
      kill(program, SIGCONT);
    } else {
      is_over = code == 0 || errno != EINTR;
    }
  }
  sigfillset(&every);
  sigprocmask(SIG_SETMASK, &every, &old);
  stop_passing();
  if (code == 0) {
    while ((code = (int)waitpid(program, out_status, 0)) < 0 && errno == EINTR) continue;
  }
  if (code < 0) snprintf(out_reason, reason_size, "%s", strerror(errno));
  sigprocmask(SIG_SETMASK, &old, NULL);
  return code >= 0;
}

#endif

#if defined(__linux__)

/* In the child. The program ends if its parent is killed, which cannot pass that on. */
static void become_program(char *const *words, pid_t parent, int errors) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL);
  execvp(words[0], words);
  if (write(errors, &errno, sizeof errno) < 0) _exit(126);
  _exit(127);
}

bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  const pid_t parent = getpid();
  int ends[2], error = 0;
  sigset_t every, old;
  pid_t child;
  if (!add_preload(library, out_reason, reason_size)) return false;
  for (; variables[0] != NULL; variables += 2) setenv(variables[0], variables[1], 1);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  sigfillset(&every);       /* a signal waits until it can be passed on */
  sigprocmask(SIG_SETMASK, &every, &old);
  child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
    return false;
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &old, NULL);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    close(ends[0]);
    become_program(words, parent, ends[1]);
  }
  pass_signals(child);
  sigprocmask(SIG_SETMASK, &old, NULL);
  close(ends[1]);
  while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  close(ends[0]);
  if (!wait_for_program(child, out_status, out_reason, reason_size)) return false;
  if (error != 0) snprintf(out_reason, reason_size, "%s", strerror(error));
  return error == 0;
}

#elif defined(__APPLE__)

/*
 * For protected programs the system removes the variable with the library without a word: the
 * library writes a byte into a pipe when it is loaded: tools/record/macos.c.
 */
bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  char number[16], byte;
  int ends[2];
  pid_t child;
  if (!add_preload(library, out_reason, reason_size)) return false;
  for (; variables[0] != NULL; variables += 2) setenv(variables[0], variables[1], 1);
  signal(SIGCHLD, SIG_DFL); /* if it is ignored, waitpid() does not return the status */
  if (pipe(ends) == 0) {
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("TVM_FFI_RECORD_LOADED", number, 1);
    errno = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
  }
  if (errno != 0) {
    snprintf(out_reason, reason_size, "%s", strerror(errno));
    return false;
  }
  pass_signals(child);
  if (!wait_for_program(child, out_status, out_reason, reason_size)) return false;
  if (read(ends[0], &byte, 1) == 1) return true;
  snprintf(out_reason, reason_size,
           "it ran without the recorder: macOS does not preload libraries into programs of the "
           "system, such as /bin/sh, /usr/bin/env and /usr/bin/python3, nor for those with the "
           "hardened runtime; nothing was recorded");
  return false;
}

#else

bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size) {
  (void)words;
  (void)library;
  (void)variables;
  (void)out_status;
  snprintf(out_reason, reason_size, "only Linux preloads a library");
  return false;
}

void program_end_like(int status) {
  exit(status);
}

bool program_has_failed(int status) {
  return status != 0;
}

#endif

/* ---- This program on another runtime ---- */

#ifdef __linux__

static const char kReplaced[] = "TVM_FFI_REPLACED_RUNTIME";

/* The words of this process's command line; all in one block. NULL with errno set. */
static char **read_own_words(void) {
  FILE *file = fopen("/proc/self/cmdline", "rb");
  size_t size = 0, capacity = 4096, count = 0, i;
  char *text = malloc(capacity), **words = NULL;
  while (file != NULL && text != NULL) {
    char *grown;
    const size_t got = fread(text + size, 1, capacity - size, file);
    size += got;
    if (size < capacity) break;
    capacity *= 2;
    grown = realloc(text, capacity);
    if (grown == NULL) free(text);
    text = grown;
  }
  if (file != NULL) fclose(file);
  if (file != NULL && text != NULL) {
    for (i = 0; i < size; ++i) count += text[i] == '\0';
    words = calloc(count + 1, sizeof *words);
    for (i = count = 0; words != NULL && i < size; ++i) {
      if (i == 0 || text[i - 1] == '\0') words[count++] = text + i;
    }
  }
  if (words == NULL) free(text); /* else they lie in it */
  return words;
}

void program_replace_runtime(const char *library, char *out_reason, size_t reason_size) {
  char **words = read_own_words();
  snprintf(out_reason, reason_size, "%s", strerror(errno));
  if (words == NULL || !add_preload(library, out_reason, reason_size)) return;
  if (setenv(kReplaced, library, 1) == 0) execv("/proc/self/exe", words);
  snprintf(out_reason, reason_size, "%s", strerror(errno));
}

bool program_has_replaced_runtime(const char *library) {
  const char *replaced = getenv(kReplaced), *preload = getenv(kPreload);
  const size_t size = strlen(library);
  if (replaced == NULL || strcmp(replaced, library) != 0) return false;
  unsetenv(kReplaced);
  if (preload != NULL && strncmp(preload, library, size) == 0) {
    if (preload[size] == ':') {
      char *others = strdup(preload + size + 1);
      if (others != NULL) setenv(kPreload, others, 1);
      free(others);
    } else {
      unsetenv(kPreload);
    }
  }
  return true;
}

#else

void program_replace_runtime(const char *library, char *out_reason, size_t reason_size) {
  (void)library;
  snprintf(out_reason, reason_size, "only Linux lets a program run on another one");
}

bool program_has_replaced_runtime(const char *library) {
  (void)library;
  return false;
}

#endif
