/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a recording, as docs/guide/record_format.md has it; what the user asked for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h> /* (strrchr)(...) is not glibc's macro with _Generic: C99 has none */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <tvm/ffi/extra/record.h>
#include <unistd.h>

#include "base/murmur.h"
#include "record.h"

enum { kMaxPath = 4096, kChunk = 1 << 18, kHeader = 128, kWindow = 1 << 18 };

record_settings record_set;
uint32_t record_generation;

static char **patterns[3]; /* match, skip, lib; NULL: not given */
static const char *const kPatternKeys[3] = {"match", "skip", "lib"};

static char folder[kMaxPath]; /* absolute; empty until there was a recording */
static uint64_t *next_number; /* shared with the other processes */
static uint32_t last_generation;
static uint64_t stored_bytes;
static bool has_file_limit;

/*
 * The file of events; under the lock. Its end is mapped, so that an event is there as soon as it is
 * stored, whatever becomes of the process, and needs no system call. The file is longer than what
 * is written until it is closed.
 */
static char events_path[kMaxPath + 64];
static int events_file = -1;
static dev_t events_device;
static ino_t events_inode;
static uint64_t events_size, file_size; /* what is written, and with the zeros after it */
static char *window;                    /* from window_begin to file_size; NULL: there is none */
static uint64_t window_begin;
static bool is_mapping; /* false: that failed, and events are written by write() */
/* When this process began to record: the clock, and the time since 1970. */
static uint64_t started, started_unix;
static uint32_t file_generation; /* that the file is of */

static __thread int64_t thread_number;
static __thread uint32_t thread_generation;

/* ---- The lock, held over fork ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void record_lock(void) {
  (void)pthread_mutex_lock(&lock);
}

void record_unlock(void) {
  (void)pthread_mutex_unlock(&lock);
}

/* ---- What to record ---- */

static bool matches(const char *pattern, const char *text) {
  const char *star = NULL, *retry = NULL;
  while (*text != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      retry = text;
    } else if (*pattern == '?' || *pattern == *text) {
      ++pattern;
      ++text;
    } else if (star != NULL) {
      pattern = star;
      text = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

static bool matches_any(char *const *list, const char *text) {
  for (; *list != NULL; ++list) {
    if (matches(*list, text)) return true;
  }
  return false;
}

bool record_wants(const char *function, const char *path) {
  const char *slash = (strrchr)(path, '/');
  if (patterns[0] != NULL && !matches_any(patterns[0], function)) return false;
  if (patterns[1] != NULL && matches_any(patterns[1], function)) return false;
  return patterns[2] == NULL || matches_any(patterns[2], path) ||
         matches_any(patterns[2], slash == NULL ? path : slash + 1);
}

/* Earlier lists are never released: a call that began before they were replaced may read them. */
static bool set_patterns(char ***out, const char *const *list) {
  char **copy = NULL;
  size_t count = 0, i;
  if (list != NULL) {
    while (list[count] != NULL) ++count;
    copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL) return false;
  }
  for (i = 0; i < count; ++i) {
    copy[i] = strdup(list[i]);
    if (copy[i] == NULL) return false;
  }
  *out = copy;
  return true;
}

/* ---- Messages ---- */

static void print_error(const char *format, ...) {
  static const char prefix[] = "tvm-ffi record: ";
  char line[1024];
  va_list values;
  size_t size = sizeof prefix - 1;
  int printed;
  memcpy(line, prefix, size);
  va_start(values, format);
  printed = vsnprintf(line + size, sizeof line - size - 1, format, values);
  va_end(values);
  if (printed < 0) return;
  size += (size_t)printed < sizeof line - size - 1 ? (size_t)printed : sizeof line - size - 2;
  line[size++] = '\n';
  if (write(STDERR_FILENO, line, size) < 0) return; /* there is nobody else to tell */
}

/* ---- Writing ---- */

/*
 * Beyond the limit for the size of a file, a write sends SIGXFSZ, which ends the program. It is
 * held back meanwhile, and then taken.
 */
static void hold_signal(sigset_t *old) {
  sigset_t limit;
  if (!has_file_limit) return;
  (void)sigemptyset(&limit);
  (void)sigaddset(&limit, SIGXFSZ);
  (void)pthread_sigmask(SIG_BLOCK, &limit, old);
}

static void take_signal(const sigset_t *old) {
  const struct timespec now = {0, 0};
  sigset_t limit;
  if (!has_file_limit) return;
  (void)sigemptyset(&limit);
  (void)sigaddset(&limit, SIGXFSZ);
  if (sigismember(old, SIGXFSZ) == 0) (void)sigtimedwait(&limit, NULL, &now);
  (void)pthread_sigmask(SIG_SETMASK, old, NULL);
}

static bool write_all(int file, const void *bytes, size_t size, int *out_error) {
  const char *rest = bytes;
  bool is_written = true;
  sigset_t old;
  hold_signal(&old);
  while (size != 0 && is_written) {
    ssize_t written = write(file, rest, size);
    if (written >= 0) {
      rest += written;
      size -= (size_t)written;
    } else if (errno != EINTR) {
      *out_error = errno;
      is_written = false;
    }
  }
  take_signal(&old);
  return is_written;
}

/* Ends the recording because of a failure. Under the lock. */
static void give_up(const char *path, int error) {
  if (__atomic_exchange_n(&record_generation, 0, __ATOMIC_ACQ_REL) == 0) return;
  print_error("recording stopped: %s: %s; the program goes on", path, strerror(error));
}

/* ---- The file of events ---- */

static uint64_t read_clock(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t record_clock(void) {
  return read_clock(CLOCK_MONOTONIC);
}

/* Begins the recording of this process. */
static void begin(void) {
  started = read_clock(CLOCK_MONOTONIC);
  started_unix = read_clock(CLOCK_REALTIME);
  stored_bytes = 0;
  __atomic_store_n(&record_generation, ++last_generation, __ATOMIC_RELEASE);
}

int64_t record_time(void) {
  return (int64_t)(read_clock(CLOCK_MONOTONIC) - started);
}

int64_t record_thread(void) {
  uint32_t generation = record_now();
  if (thread_generation != generation) {
    thread_number = (int64_t)syscall(SYS_gettid);
    thread_generation = generation;
  }
  return thread_number;
}

uint64_t record_next_number(void) {
  return __atomic_fetch_add(next_number, 1, __ATOMIC_RELAXED) + 1;
}

/* A high number, so that programs that close the low ones, or count on them, are not disturbed. */
static int keep_high(int file) {
  int high = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 500);
  if (high < 0) return file;
  (void)close(file);
  return high;
}

static void add_list(record_text *out, const char *key, char *const *list) {
  size_t i;
  if (list == NULL) return;
  record_add_format(out, ",\"%s\":[", key);
  for (i = 0; list[i] != NULL; ++i) {
    if (i != 0) record_add(out, ",", 1);
    record_add_string(out, list[i], strlen(list[i]));
  }
  record_add(out, "]", 1);
}

static void add_options(record_text *out) {
  size_t k;
  record_add_format(out, "\"options\":{\"max_bytes\":");
  record_add_int(out, record_set.max_bytes);
  record_add_format(out, ",\"max_total\":");
  record_add_int(out, record_set.max_total);
  if (record_set.first != 0) {
    record_add_format(out, ",\"first\":");
    record_add_int(out, record_set.first);
  }
  if (record_set.every != 0) {
    record_add_format(out, ",\"every\":");
    record_add_int(out, record_set.every);
  }
  if (record_set.all) record_add_format(out, ",\"all\":true");
  if (record_set.on_error) record_add_format(out, ",\"on_error\":true");
  if (record_set.no_data) record_add_format(out, ",\"no_data\":true");
  for (k = 0; k < 3; ++k) add_list(out, kPatternKeys[k], patterns[k]);
  record_add(out, "}", 1);
}

static void add_command(record_text *out) {
  char text[4096];
  ssize_t size = 0, i, begin = 0;
  bool is_first = true;
  int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    size = read(file, text, sizeof text);
    (void)close(file);
  }
  record_add_format(out, "\"command\":[");
  for (i = 0; i < size; ++i) {
    if (text[i] != '\0' && i + 1 != size) continue;
    if (!is_first) record_add(out, ",", 1);
    is_first = false;
    record_add_string(out, text + begin, (size_t)(i - begin) + (text[i] != '\0' ? 1u : 0u));
    begin = i + 1;
  }
  record_add(out, "]", 1);
}

static void add_process(record_text *out) {
  const uint16_t probe = 1;
  const char *order = *(const unsigned char *)&probe == 1 ? "little" : "big";
  record_add_format(out,
                    "{\"event\":\"process\",\"format\":1,\"pid\":%ld,\"parent\":%ld,"
                    "\"unix_ns\":",
                    (long)getpid(), (long)getppid());
  record_add_uint(out, started_unix);
  record_add_format(out, ",\"byte_order\":\"%s\",\"pointer_bytes\":%d,", order,
                    (int)sizeof(void *));
  add_command(out);
  record_add(out, ",", 1);
  add_options(out);
  record_add(out, "}\n", 2);
}

/*
 * Whether the descriptor still is the file of events. Programs close descriptors that are not
 * theirs, and open other files in their place.
 */
static bool is_ours(struct stat *out) {
  return fstat(events_file, out) == 0 && out->st_dev == events_device &&
         out->st_ino == events_inode;
}

static void unmap_window(void) {
  if (window != NULL) (void)munmap(window, (size_t)(file_size - window_begin));
  window = NULL;
}

/* Makes the file the current one; opens it, if the program has closed it. */
static bool ensure_open(void) {
  struct stat status;
  if (is_ours(&status)) return true;
  events_file = keep_high(open(events_path, O_RDWR | O_APPEND | O_CLOEXEC));
  if (events_file < 0 || fstat(events_file, &status) != 0) return false;
  events_device = status.st_dev;
  events_inode = status.st_ino;
  return true;
}

/* After that, the file ends where the events do. False, with errno. */
static bool trim_events(void) {
  unmap_window();
  if (!ensure_open() || ftruncate(events_file, (off_t)events_size) != 0) return false;
  file_size = events_size;
  return true;
}

/* trim: the file is of this process. */
static void close_events(bool trim) {
  struct stat status;
  if (trim && window != NULL) (void)trim_events();
  unmap_window();
  if (events_file >= 0 && is_ours(&status)) (void)close(events_file);
  events_file = -1;
}

/*
 * Maps the end of the file for so many more bytes. Zeros are written there first: storing to a page
 * that the disk has no room for would end the program, and pages that were just written are mapped
 * faster than those of a hole. False: that failed.
 */
static bool map_window(size_t size) {
  static char zeros[1 << 16]; /* of a trace, newlines, which mean nothing in JSON */
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = events_size / page * page;
  /* A short recording is a short file, should its process crash. */
  const uint64_t least = events_size < kWindow ? sizeof zeros : kWindow;
  void *mapped;
  int error;
  unmap_window();
  if (!ensure_open()) return false;
  memset(zeros, record_set.trace ? '\n' : 0, sizeof zeros);
  while (file_size < events_size + size || file_size - begin < least) {
    if (!write_all(events_file, zeros, sizeof zeros, &error)) return false;
    file_size += sizeof zeros;
  }
  mapped = mmap(NULL, (size_t)(file_size - begin), PROT_READ | PROT_WRITE, MAP_SHARED, events_file,
                (off_t)begin);
  if (mapped == MAP_FAILED) return false;
  window = mapped;
  window_begin = begin;
  return true;
}

/*
 * Under the lock. Appends whole lines or nothing. The last byte, a newline, comes last: what was
 * not finished when the process died is not a line.
 */
static bool append(const char *bytes, size_t size) {
  int error = 0;
  if (is_mapping && (window == NULL || file_size - events_size < size) && !map_window(size)) {
    is_mapping = false;
    if (!trim_events()) {
      give_up(events_path, errno);
      return false;
    }
  }
  if (is_mapping) {
    char *end = window + (events_size - window_begin);
    memcpy(end, bytes, size - 1);
    __atomic_store_n(end + size - 1, '\n', __ATOMIC_RELEASE);
    events_size += size;
    return true;
  }
  if (!ensure_open()) {
    give_up(events_path, errno);
    return false;
  }
  if (write_all(events_file, bytes, size, &error)) {
    events_size += size;
    return true;
  }
  if (ftruncate(events_file, (off_t)events_size) != 0) error = errno;
  give_up(events_path, error);
  return false;
}

/* Under the lock. Opens a new file for this process, and begins it. */
static bool open_events(uint32_t generation) {
  record_text line = {NULL, 0, 0, NULL, false};
  const char *name = record_set.trace ? "" : "/calls", *end = record_set.trace ? "" : ".jsonl";
  struct stat status;
  bool is_written;
  int i;
  (void)snprintf(events_path, sizeof events_path, "%s%s%s", folder, name, end);
  for (i = 1;; ++i) {
    events_file = open(events_path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (events_file >= 0 || errno != EEXIST) break;
    if (i == 1) {
      (void)snprintf(events_path, sizeof events_path, "%s%s.%ld%s", folder, name, (long)getpid(),
                     end);
    } else {
      (void)snprintf(events_path, sizeof events_path, "%s%s.%ld.%d%s", folder, name, (long)getpid(),
                     i, end);
    }
  }
  events_file = keep_high(events_file);
  if (events_file < 0 || fstat(events_file, &status) != 0) {
    give_up(events_path, errno);
    return false;
  }
  events_device = status.st_dev;
  events_inode = status.st_ino;
  file_generation = generation;
  events_size = file_size = 0;
  is_mapping = true;
  if (record_set.trace) {
    record_add_text(&line, "[\n");
  } else {
    add_process(&line);
  }
  is_written = !line.is_failed && append(line.data, line.size);
  record_free(&line);
  return is_written;
}

/* Under the lock. Whether the file is open, and is of that generation. */
static bool is_open(uint32_t generation) {
  if (generation == 0 || record_now() != generation) return false;
  return (events_path[0] != '\0' && file_generation == generation) || open_events(generation);
}

void record_write(uint32_t generation, record_text *text) {
  record_add(text, "\n", 1);
  if (text->is_failed) {
    record_note("memory ran out, and an event was not recorded");
    return;
  }
  record_lock();
  if (is_open(generation)) (void)append(text->data, text->size);
  record_unlock();
}

bool record_write_library(uint32_t generation, record_library *library) {
  record_text line = {NULL, 0, 0, NULL, false};
  static int64_t num_libraries;
  static uint32_t counted_in;
  bool is_there;
  if (__atomic_load_n(&library->written_in, __ATOMIC_ACQUIRE) == generation) return true;
  record_lock();
  is_there = is_open(generation);
  if (is_there && counted_in != generation) {
    record_library *known;
    for (known = record_libraries; known != NULL; known = known->next) known->number = -1;
    num_libraries = 0;
    counted_in = generation;
  }
  if (is_there && library->number < 0) {
    record_add_format(
        &line, "{\"event\":\"library\",\"library\":%lld,\"path\":", (long long)num_libraries);
    record_add_string(&line, library->path, strlen(library->path));
    record_add_format(&line, ",\"build_id\":");
    if (library->build_id == NULL) {
      record_add_format(&line, "null}\n");
    } else {
      record_add_format(&line, "\"%s\"}\n", library->build_id);
    }
    is_there = !line.is_failed && append(line.data, line.size);
    if (is_there) library->number = num_libraries++;
    if (is_there) __atomic_store_n(&library->written_in, generation, __ATOMIC_RELEASE);
    record_free(&line);
  }
  record_unlock();
  return is_there;
}

void record_note(const char *sentence) {
  record_text line = {NULL, 0, 0, NULL, false};
  uint32_t generation = record_now();
  print_error("%s", sentence);
  if (record_set.trace) return;
  record_add_format(&line, "{\"event\":\"note\",\"time\":");
  record_add_int(&line, record_time());
  record_add_format(&line, ",\"text\":");
  record_add_string(&line, sentence, strlen(sentence));
  record_add(&line, "}\n", 2);
  if (!line.is_failed) {
    record_lock();
    if (is_open(generation)) (void)append(line.data, line.size);
    record_unlock();
  }
  record_free(&line);
}

/* ---- Files of memory ---- */

/*
 * Through the system, which gives an error for memory that is not there instead of a signal:
 * process_vm_readv, or where that is not allowed, a pipe.
 */
bool record_copy_memory(void *context, void *out, uint64_t address, size_t size) {
  static int is_refused;
  char *to = out;
  int ends[2];
  bool is_copied = true;
  (void)context;
  while (size != 0 && !__atomic_load_n(&is_refused, __ATOMIC_RELAXED)) {
    struct iovec local, remote;
    ssize_t copied;
    local.iov_base = to;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (copied > 0) {
      to += copied;
      address += (uint64_t)copied;
      size -= (size_t)copied;
    } else if (copied == 0 || errno == EFAULT || errno == ENOMEM) {
      return false;
    } else {
      __atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
    }
  }
  if (size == 0) return true;
  if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return false;
  while (size != 0 && is_copied) {
    ssize_t copied = write(ends[1], (const void *)(uintptr_t)address, size < 65536 ? size : 65536);
    is_copied = copied > 0 && read(ends[0], to, (size_t)copied) == copied;
    if (!is_copied) break;
    to += copied;
    address += (uint64_t)copied;
    size -= (size_t)copied;
  }
  (void)close(ends[0]);
  (void)close(ends[1]);
  return is_copied;
}

bool record_copy_kept(void *context, void *out, uint64_t address, size_t size) {
  const record_kept *kept = context;
  memmove(out, (const char *)kept->bytes + (address - kept->begin), size); /* it may be the same */
  return true;
}

/* The header of an .npy of so many bytes. */
static void write_header(uint64_t size, char out[kHeader]) {
  int used;
  memset(out, ' ', kHeader);
  memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
  used = snprintf(out + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': (%llu,), }",
                  (unsigned long long)size);
  out[10 + used] = ' ';
  out[127] = '\n';
}

static const char kNotReadable[] = "there is no memory at this address that can be read";

/* Whether all of it is there, so that it can be read in place. Old systems do not know. */
static bool is_readable(uint64_t address, size_t size) {
  enum { kPopulateRead = 22 }; /* MADV_POPULATE_READ, of Linux 5.14 */
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = address / page * page;
  return madvise((void *)(uintptr_t)begin, (size_t)(address - begin) + size, kPopulateRead) == 0;
}

/*
 * One pass over the memory: hashes it, and writes it to a file unless that is -1. What is written
 * is a copy, because others may change the memory meanwhile.
 */
static const char *pass(record_copy copy, void *context, uint64_t address, uint64_t size,
                        unsigned char *chunk, int file, int *out_error, murmur *out) {
  uint64_t at;
  memset(out, 0, sizeof *out);
  for (at = 0; at < size; at += kChunk) {
    size_t part = size - at < kChunk ? (size_t)(size - at) : kChunk;
    const unsigned char *bytes = chunk;
    if (size > kChunk && file < 0 && copy == record_copy_memory &&
        is_readable(address + at, part)) {
      bytes = (const unsigned char *)(uintptr_t)(address + at);
    } else if (!copy(context, chunk, address + at, part)) {
      return kNotReadable;
    }
    murmur_add(out, bytes, part);
    if (file >= 0 && !write_all(file, chunk, part, out_error)) return "it could not be written";
  }
  return NULL;
}

static const char kNotWritten[] = "it could not be written";

/* Ends the recording because of a failure. */
static const char *fail_to_write(const char *path, int error) {
  record_lock();
  give_up(path, error);
  record_unlock();
  return kNotWritten;
}

/*
 * A file that one write makes, under its own name: making another name and renaming it takes most
 * of the time. If this process ends in between, nothing names the file, and it has another size
 * than the next who needs it looks for.
 */
static const char *write_small(const char *path, const unsigned char *bytes, size_t size) {
  int error = 0, file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  bool is_written;
  if (file < 0) return errno == EEXIST ? "" : fail_to_write(path, errno);
  is_written = write_all(file, bytes, size, &error);
  if (close(file) != 0 && is_written) {
    error = errno;
    is_written = false;
  }
  if (is_written) return NULL;
  (void)unlink(path);
  return fail_to_write(path, error);
}

/* Whether there is a file of that name, which is complete. */
static bool is_stored(const char *path, uint64_t size) {
  struct stat status;
  return stat(path, &status) == 0 && (uint64_t)status.st_size == size + kHeader;
}

/*
 * A file of any size, which is hashed while it is written, and then gets its name; if there is one
 * with the same bytes, it is removed again. Others may change the memory meanwhile: the hash is
 * that of what was written.
 */
static const char *write_large(record_copy copy, void *context, uint64_t address, uint64_t size,
                               unsigned char *block, char out_hash[kRecordHash], bool *out_is_new) {
  char path[kMaxPath + 128], part[kMaxPath + 128];
  const char *why = NULL;
  murmur state;
  int file, error = 0;
  *out_is_new = true;
  (void)snprintf(part, sizeof part, "%s/tensors/%ld.part", folder, (long)syscall(SYS_gettid));
  file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return fail_to_write(part, errno);
  if (!write_all(file, block, kHeader, &error)) why = kNotWritten;
  if (why == NULL) {
    why = pass(copy, context, address, size, block + kHeader, file, &error, &state);
  }
  if (close(file) != 0 && error == 0) error = errno;
  if (why == NULL && error == 0) {
    murmur_end(&state, out_hash);
    (void)snprintf(path, sizeof path, "%s/tensors/%s.npy", folder, out_hash);
    *out_is_new = !is_stored(path, size);
    if (*out_is_new && rename(part, path) != 0) error = errno;
  }
  if (why != NULL || error != 0 || !*out_is_new) (void)unlink(part);
  return error != 0 ? fail_to_write(part, error) : why;
}

/*
 * Whether large memory, looked at before a call or after it, had new bytes when it was looked at
 * last: then it is written at once, else it is hashed first and mostly need not be written at all.
 * What comes first is written at once before a call, and hashed after it. It is a guess: entries
 * are shared by chance, and both ways are right.
 */
enum { kUnseen, kOld, kNew };

static unsigned char *find_guess(uint64_t address, uint64_t size, bool after) {
  enum { kGuesses = 1024 };
  static unsigned char guesses[2 * kGuesses];
  const uint64_t hash = (address ^ size << 20) * UINT64_C(0x9e3779b97f4a7c15) >> 54;
  return &guesses[2 * hash + (after ? 1 : 0)];
}

/* Takes from what may be written; false if there is not so much left. */
static bool take_bytes(uint64_t size) {
  uint64_t before = __atomic_fetch_add(&stored_bytes, size, __ATOMIC_RELAXED);
  if (before + size <= (uint64_t)record_set.max_total) return true;
  (void)__atomic_fetch_sub(&stored_bytes, size, __ATOMIC_RELAXED);
  return false;
}

/* Writes what has been hashed already; if it is small, it is in the block. */
static const char *write_hashed(record_copy copy, void *context, uint64_t address, uint64_t size,
                                unsigned char *block, const char *path, char hash[kRecordHash]) {
  record_kept kept;
  const char *why;
  bool is_new;
  if (!take_bytes(size)) return "max_total bytes were written already";
  if (size > kChunk) return write_large(copy, context, address, size, block, hash, &is_new);
  why = write_small(path, block, kHeader + (size_t)size);
  if (why == NULL || why[0] != '\0') return why;
  /* Another thread is writing the file, or a process ended while it did. */
  kept.bytes = block + kHeader;
  kept.begin = address;
  return write_large(record_copy_kept, &kept, address, size, block, hash, &is_new);
}

const char *record_store(record_copy copy, void *context, uint64_t address, uint64_t size,
                         bool after, char out_hash[kRecordHash]) {
  char path[kMaxPath + 128];
  unsigned char *block, *guess = find_guess(address, size, after);
  const unsigned char last = __atomic_load_n(guess, __ATOMIC_RELAXED);
  bool is_new = false;
  const char *why;
  murmur state;
  int error = 0;
  if (size > (uint64_t)record_set.max_bytes) return "it has more bytes than max_bytes";
  block = malloc(kHeader + (size < kChunk ? (size_t)size : kChunk));
  if (block == NULL) return "memory ran out";
  write_header(size, (char *)block);
  if (size > kChunk && (last == kNew || (last == kUnseen && !after)) && take_bytes(size)) {
    why = write_large(copy, context, address, size, block, out_hash, &is_new);
    if (why != NULL || !is_new) (void)__atomic_fetch_sub(&stored_bytes, size, __ATOMIC_RELAXED);
  } else {
    why = pass(copy, context, address, size, block + kHeader, -1, &error, &state);
    if (why == NULL) {
      murmur_end(&state, out_hash);
      (void)snprintf(path, sizeof path, "%s/tensors/%s.npy", folder, out_hash);
      is_new = !is_stored(path, size);
      if (is_new) why = write_hashed(copy, context, address, size, block, path, out_hash);
    }
  }
  if (size > kChunk) __atomic_store_n(guess, is_new ? kNew : kOld, __ATOMIC_RELAXED);
  free(block);
  return why;
}

/* ---- Start and stop ---- */

/* Makes a file with these bytes, unless there is one; it is complete when it has its name. */
static bool make_file(const char *name, const void *bytes, size_t size) {
  char path[kMaxPath + 64], part[kMaxPath + 128];
  int file, error = 0;
  bool is_made;
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  if (access(path, F_OK) == 0) return true;
  (void)snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
  file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  is_made = write_all(file, bytes, size, &error);
  if (close(file) != 0) is_made = false;
  /* Where a file cannot have two names, the race with other processes is not decided. */
  if (is_made && link(part, path) != 0 && errno != EEXIST) is_made = rename(part, path) == 0;
  error = errno;
  (void)unlink(part);
  errno = error;
  return is_made;
}

static bool map_next_number(void) {
  char path[kMaxPath + 64];
  struct stat status;
  void *page = MAP_FAILED;
  int file;
  (void)snprintf(path, sizeof path, "%s/next", folder);
  file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && status.st_size == (off_t)sizeof *next_number) {
    page = mmap(NULL, sizeof *next_number, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  } else {
    errno = EINVAL;
  }
  (void)close(file);
  if (page == MAP_FAILED) return false;
  next_number = page; /* an earlier one may be in use in another thread, and stays */
  return true;
}

/* Under the lock. */
static bool set_path(const char *path) {
  char start[kMaxPath] = "";
  if (path[0] != '/' && getcwd(start, sizeof start) == NULL) return false;
  if (strlen(start) + strlen(path) + 2 > kMaxPath) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(folder, start, strlen(start) + 1);
  if (start[0] != '\0') strcat(folder, "/");
  strcat(folder, path);
  return true;
}

static bool make_folder(void) {
  static const uint64_t none = 0;
  char tensors[kMaxPath + 64];
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) return false;
  (void)snprintf(tensors, sizeof tensors, "%s/tensors", folder);
  return (mkdir(tensors, 0777) == 0 || errno == EEXIST) &&
         make_file("version", TVM_FFI_RECORD_VERSION, strlen(TVM_FFI_RECORD_VERSION)) &&
         make_file("next", &none, sizeof none) && map_next_number();
}

static void set_settings(const tvm_ffi_record_options *options) {
  memset(&record_set, 0, sizeof record_set);
  record_set.all = options->all != 0;
  record_set.on_error = options->on_error != 0;
  record_set.no_data = options->no_data != 0;
  record_set.trace = options->trace != NULL;
  record_set.every = options->every > 0 ? options->every : 0;
  record_set.first = options->first > 0 ? options->first : 0;
  if (record_set.first == 0 && record_set.every == 0 && !record_set.on_error && !record_set.all) {
    record_set.first = 3;
  }
  record_set.max_bytes = options->max_bytes > 0 ? options->max_bytes : (int64_t)1 << 30;
  record_set.max_total = options->max_total > 0 ? options->max_total : (int64_t)1 << 34;
}

/* Under the lock, or in a child of fork, which has one thread. */
static void forget_counts(void) {
  uint32_t i, count = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  for (i = 0; i < count; ++i) {
    record_slots[i].num_calls = record_slots[i].num_errors = record_slots[i].num_recorded = 0;
  }
  while (record_pasts != NULL) {
    record_past *past = record_pasts;
    record_pasts = past->next;
    free(past);
  }
}

static bool start(const tvm_ffi_record_options *options) {
  struct rlimit limit;
  const char *path = options == NULL          ? NULL
                     : options->trace != NULL ? options->trace
                                              : options->folder;
  if (path == NULL || path[0] == '\0') {
    errno = EINVAL;
    return false;
  }
  if (record_now() != 0) {
    errno = EBUSY;
    return false;
  }
  close_events(true); /* of a recording that ended because of a failure */
  has_file_limit = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != (rlim_t)RLIM_INFINITY;
  if (!set_path(path) || (options->trace == NULL && !make_folder())) return false;
  if (!set_patterns(&patterns[0], options->match) || !set_patterns(&patterns[1], options->skip) ||
      !set_patterns(&patterns[2], options->lib)) {
    errno = ENOMEM;
    return false;
  }
  set_settings(options);
  record_forget_signatures();
  forget_counts();
  begin();
  return true;
}

static void add_function(record_text *out, bool *is_first, const char *function,
                         const record_library *library, uint64_t calls, uint64_t errors,
                         uint64_t recorded) {
  if (calls == 0) return;
  record_add_text(out, *is_first ? "{\"library\":" : ",{\"library\":");
  *is_first = false;
  if (recorded == 0 || library->number < 0) {
    record_add_text(out, "null");
  } else {
    record_add_int(out, library->number);
  }
  record_add_text(out, ",\"function\":");
  record_add_string(out, function, strlen(function));
  record_add_text(out, ",\"calls\":");
  record_add_uint(out, calls);
  record_add_text(out, ",\"errors\":");
  record_add_uint(out, errors);
  record_add_text(out, ",\"recorded\":");
  record_add_uint(out, recorded);
  record_add(out, "}", 1);
}

static void add_functions(record_text *out) {
  uint32_t i, count = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  const record_past *past;
  bool is_first = true;
  record_add_text(out, ",\"functions\":[");
  for (i = 0; i < count; ++i) {
    const record_slot *slot = &record_slots[i];
    add_function(out, &is_first, slot->function, slot->library,
                 __atomic_load_n(&slot->num_calls, __ATOMIC_RELAXED),
                 __atomic_load_n(&slot->num_errors, __ATOMIC_RELAXED),
                 __atomic_load_n(&slot->num_recorded, __ATOMIC_RELAXED));
  }
  for (past = record_pasts; past != NULL; past = past->next) {
    add_function(out, &is_first, past->function, past->library, past->num_calls, past->num_errors,
                 past->num_recorded);
  }
  record_add(out, "]}\n", 3);
}

/* The end of a trace, which names the process. */
static void add_trace_end(record_text *out) {
  const char *name = program_invocation_short_name;
  record_add_text(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":");
  record_add_int(out, getpid());
  record_add_text(out, ",\"args\":{\"name\":");
  record_add_string(out, name, strlen(name));
  record_add_text(out, "}}\n]\n");
}

static void stop(const char *why) {
  record_text line = {NULL, 0, 0, NULL, false}, table = {NULL, 0, 0, NULL, false};
  uint32_t generation = record_now();
  record_lock();
  /* A process in which nothing was called has no file. */
  if (generation != 0 && generation == record_now() && events_path[0] != '\0' &&
      file_generation == generation) {
    if (record_set.trace) {
      add_trace_end(&line);
      record_add_table(&table);
    } else {
      record_add_format(&line, "{\"event\":\"stop\",\"time\":");
      record_add_int(&line, record_time());
      record_add_format(&line, ",\"why\":\"%s\"", why);
      add_functions(&line);
    }
    if (!line.is_failed) (void)append(line.data, line.size);
    record_free(&line);
  }
  __atomic_store_n(&record_generation, 0, __ATOMIC_RELEASE);
  close_events(true);
  record_unlock();
  if (table.size != 0 && !table.is_failed) {
    int error;
    (void)write_all(STDERR_FILENO, table.data, table.size, &error);
  }
  record_free(&table);
}

int tvm_ffi_record_start(const tvm_ffi_record_options *options, char *reason, size_t reason_size) {
  bool is_started;
  int error;
  record_prepare();
  record_lock();
  is_started = start(options);
  error = errno;
  record_unlock();
  if (is_started) return 0;
  if (reason_size != 0) {
    const char *path = options == NULL || (options->trace == NULL && options->folder == NULL)
                           ? "no folder"
                       : options->trace != NULL ? options->trace
                                                : options->folder;
    (void)snprintf(reason, reason_size, "%s: %s", path,
                   error == EBUSY ? "a recording is on" : strerror(error));
  }
  return -1;
}

void tvm_ffi_record_stop(void) {
  stop("stop");
}

int tvm_ffi_record_flush(void) {
  int rc = -1;
  record_lock();
  if (record_now() != 0) {
    const bool has_none = record_set.trace && events_path[0] == '\0'; /* no call was traced yet */
    int file = has_none ? -1 : open(record_set.trace ? events_path : folder, O_RDONLY | O_CLOEXEC);
    if (has_none) rc = 0;
    if (file >= 0) {
      rc = syncfs(file) == 0 ? 0 : -1;
      (void)close(file);
    }
  }
  record_unlock();
  return rc;
}

/* ---- The environment, and fork ---- */

static bool by_environment;

bool record_is_by_environment(void) {
  return by_environment;
}

static void before_fork(void) {
  record_lock();
}

static void after_fork_in_parent(void) {
  record_unlock();
}

static void after_fork_in_child(void) {
  (void)pthread_mutex_init(&lock, NULL); /* the thread that held it is this one */
  if (record_now() == 0) return;
  close_events(false); /* the parent's */
  if (record_set.trace) record_forget_signatures();
  forget_counts();
  events_path[0] = '\0';
  begin();
}

enum { kMaxPatterns = 256 };

/* Lines of `key=value`, as `tvm-ffi record` writes them. */
static void read_options(char *text, tvm_ffi_record_options *out,
                         const char *lists[3][kMaxPatterns + 1]) {
  size_t counts[3] = {0, 0, 0}, k;
  char *rest = NULL, *line;
  for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char *value = (strchr)(line, '=');
    long long number;
    if (value == NULL) continue;
    *value++ = '\0';
    number = strtoll(value, NULL, 10);
    if (strcmp(line, "trace") == 0) out->trace = value;
    if (strcmp(line, "first") == 0) out->first = number;
    if (strcmp(line, "every") == 0) out->every = number;
    if (strcmp(line, "max_bytes") == 0) out->max_bytes = number;
    if (strcmp(line, "max_total") == 0) out->max_total = number;
    if (strcmp(line, "all") == 0) out->all = 1;
    if (strcmp(line, "on_error") == 0) out->on_error = 1;
    if (strcmp(line, "no_data") == 0) out->no_data = 1;
    for (k = 0; k < 3; ++k) {
      if (strcmp(line, kPatternKeys[k]) == 0 && counts[k] < kMaxPatterns) {
        lists[k][counts[k]++] = value;
      }
    }
  }
  for (k = 0; k < 3; ++k) lists[k][counts[k]] = NULL;
  out->match = counts[0] != 0 ? lists[0] : NULL;
  out->skip = counts[1] != 0 ? lists[1] : NULL;
  out->lib = counts[2] != 0 ? lists[2] : NULL;
}

static void prepare(void) {
  static const char *lists[3][kMaxPatterns + 1];
  tvm_ffi_record_options options;
  const char *text = getenv("TVM_FFI_RECORD_OPTIONS");
  char *copy = strdup(text != NULL ? text : "");
  (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  memset(&options, 0, sizeof options);
  options.folder = getenv("TVM_FFI_RECORD");
  if (copy != NULL) read_options(copy, &options, lists);
  if (((options.folder != NULL && options.folder[0] != '\0') || options.trace != NULL) &&
      copy != NULL) {
    bool is_started;
    by_environment = true;
    record_lock();
    is_started = start(&options);
    if (!is_started) {
      print_error("%s: %s; nothing is recorded",
                  options.trace != NULL ? options.trace : options.folder, strerror(errno));
    }
    record_unlock();
  }
  free(copy);
}

void record_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, prepare);
}

static void at_exit(void) __attribute__((destructor));
static void at_exit(void) {
  stop("exit");
}
