/* SPDX-License-Identifier: Apache-2.0 */
/* The file of events of a process, as docs/guide/record_format.md has it, and the lock. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "record.h"

enum { kWindow = 1 << 19 };

uint32_t record_generation;
record_library *record_libraries;
record_uint64 *record_last_number;

char record_folder[kRecordPath];
static uint32_t last_generation;

/*
 * The file of events; under the lock. Its end is mapped, so that an event is there as soon as it is
 * stored, whatever becomes of the process, and needs no system call. The file is longer than what
 * is written until it is closed.
 */
static char events_path[kRecordPath + 64];
static int events_file = -1;
static dev_t events_device;
static ino_t events_inode;
static uint64_t events_size, file_size; /* what is written, and with the zeros after it */
static char *window;                    /* from window_begin to file_size; NULL: there is none */
static uint64_t window_begin;
static bool is_mapping;   /* false: that failed, and events are written by write() */
static bool is_in_memory; /* a tmpfs: pages are mapped before they are stored to */
/* When this process began to record: the clock, and the time since 1970. */
static uint64_t started, started_unix;
static uint32_t file_generation; /* that the file is of */

static __thread char thread_number[kRecordNumber]; /* as text */
static __thread ptrdiff_t thread_size;
static __thread uint32_t thread_generation;

/* ---- The lock, held over fork ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void record_lock(void) {
  (void)pthread_mutex_lock(&lock);
}

void record_unlock(void) {
  (void)pthread_mutex_unlock(&lock);
}

void record_renew_lock(void) {
  (void)pthread_mutex_init(&lock, NULL);
}

/* ---- Messages ---- */

void record_print_error(const char *format, ...) {
  static const char prefix[] = "tvm-ffi record: ";
  char room[1024], *line = room;
  va_list values;
  size_t size = sizeof prefix - 1, capacity = sizeof room;
  int printed;
  va_start(values, format);
  printed = vsnprintf(NULL, 0, format, values);
  va_end(values);
  if (printed < 0) return;
  if ((size_t)printed >= capacity - size - 1) {
    line = malloc(size + (size_t)printed + 2);
    if (line != NULL) {
      capacity = size + (size_t)printed + 2;
    } else { /* then cut, behind a whole character */
      line = room;
    }
  }
  memcpy(line, prefix, size);
  va_start(values, format);
  (void)vsnprintf(line + size, capacity - size - 1, format, values);
  va_end(values);
  size = tvmffi_utf8_cut(line, strlen(line));
  line[size++] = '\n';
  (void)record_write_some(STDERR_FILENO, line, size); /* there is nobody else to tell */
  if (line != room) free(line);
}

/* ---- Writing ---- */

bool record_write_all(int file, const void *bytes, size_t size, int *out_error) {
  const char *rest = bytes;
  bool is_written = true;
  while (size != 0 && is_written) {
    ssize_t written = record_write_some(file, rest, size);
    if (written >= 0) {
      rest += written;
      size -= (size_t)written;
    } else if (errno != EINTR) {
      *out_error = errno;
      is_written = false;
    }
  }
  return is_written;
}

void record_give_up(const char *path, int error) {
  if (__atomic_exchange_n(&record_generation, 0, __ATOMIC_ACQ_REL) == 0) return;
  record_print_error("recording stopped: %s: %s; the program goes on", path, strerror(error));
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

void record_begin_generation(void) {
  started = read_clock(CLOCK_MONOTONIC);
  started_unix = read_clock(CLOCK_REALTIME);
  __atomic_store_n(&record_generation, ++last_generation, __ATOMIC_RELEASE);
}

int64_t record_time(void) {
  return (int64_t)(read_clock(CLOCK_MONOTONIC) - started);
}

uint64_t record_next_number(void) {
  return __atomic_fetch_add(record_last_number, 1, __ATOMIC_RELAXED) + 1;
}

char *record_put_thread(char *at) {
  uint32_t generation = record_now();
  if (thread_generation != generation) {
    thread_size = record_put_int(thread_number, record_thread_id()) - thread_number;
    thread_generation = generation;
  }
  memcpy(at, thread_number, sizeof thread_number);
  return at + thread_size;
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
  for (k = 0; k < kNumPatterns; ++k) add_list(out, record_pattern_keys[k], record_set.patterns[k]);
  record_add(out, "}", 1);
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
  record_add_format(out, "\"command\":[");
  record_add_command(out);
  record_add(out, "]", 1);
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
  events_file = keep_high(open(events_path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
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

void record_close_events(bool trim) {
  struct stat status;
  if (trim && window != NULL) (void)trim_events();
  unmap_window();
  if (events_file >= 0 && is_ours(&status)) (void)close(events_file);
  events_file = -1;
}

/*
 * Maps the pages of the window, of a file in memory. When a page is read, the kernel maps the 16
 * around it, and they can be stored to, too; a store would map one page only, and MAP_POPULATE
 * takes longer. On disks, stores map several pages, and what was mapped by reading would have to be
 * mapped again.
 */
static void map_pages(size_t size) {
  enum { kGroup = 1 << 16 };
  size_t at = 0;
  while (at < size) {
    (void)*(const volatile char *)(window + at);
    at += kGroup - ((uintptr_t)(window + at) & (kGroup - 1));
  }
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
    if (!record_write_all(events_file, zeros, sizeof zeros, &error)) return false;
    file_size += sizeof zeros;
  }
  mapped = mmap(NULL, (size_t)(file_size - begin), PROT_READ | PROT_WRITE, MAP_SHARED, events_file,
                (off_t)begin);
  if (mapped == MAP_FAILED) return false;
  window = mapped;
  window_begin = begin;
  if (is_in_memory) map_pages((size_t)(file_size - begin));
  return true;
}

/*
 * Appends whole lines or nothing. The last byte, a newline, comes last: what was
 * not finished when the process died is not a line.
 */
bool record_append(const char *bytes, size_t size) {
  int error = 0;
  if (is_mapping && (window == NULL || file_size - events_size < size) && !map_window(size)) {
    is_mapping = false;
    if (!trim_events()) {
      record_give_up(events_path, errno);
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
    record_give_up(events_path, errno);
    return false;
  }
  if (record_write_all(events_file, bytes, size, &error)) {
    events_size += size;
    return true;
  }
  if (ftruncate(events_file, (off_t)events_size) != 0) error = errno;
  record_give_up(events_path, error);
  return false;
}

/* Under the lock. Opens a new file for this process, and begins it. */
static bool open_events(uint32_t generation) {
  record_text line = {NULL, 0, 0, NULL, false};
  const char *name = record_set.trace ? "" : "/calls", *end = record_set.trace ? "" : ".jsonl";
  struct stat status;
  bool is_written;
  int i;
  (void)snprintf(events_path, sizeof events_path, "%s%s%s", record_folder, name, end);
  for (i = 1;; ++i) {
    events_file =
        open(events_path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, kRecordFileMode);
    if (events_file >= 0 || errno != EEXIST) break;
    if (i == 1) {
      (void)snprintf(events_path, sizeof events_path, "%s%s.%ld%s", record_folder, name,
                     (long)getpid(), end);
    } else {
      (void)snprintf(events_path, sizeof events_path, "%s%s.%ld.%d%s", record_folder, name,
                     (long)getpid(), i, end);
    }
  }
  events_file = keep_high(events_file);
  if (events_file < 0 || fstat(events_file, &status) != 0) {
    record_give_up(events_path, errno);
    return false;
  }
  events_device = status.st_dev;
  events_inode = status.st_ino;
  file_generation = generation;
  events_size = file_size = 0;
  is_mapping = true;
  is_in_memory = record_is_in_memory(events_file);
  if (record_set.trace) {
    record_add_text(&line, "[\n");
  } else {
    add_process(&line);
  }
  is_written = !line.is_failed && record_append(line.data, line.size);
  record_free(&line);
  return is_written;
}

const char *record_events_path(void) {
  return events_path;
}

bool record_has_events(uint32_t generation) {
  return generation != 0 && record_now() == generation && file_generation == generation;
}

/* Under the lock. False if that recording is over, or its file cannot be made. */
static bool open_if_current(uint32_t generation) {
  if (generation == 0 || record_now() != generation) return false;
  return record_has_events(generation) || open_events(generation);
}

bool record_write(uint32_t generation, record_text *text) {
  bool is_written;
  record_add(text, "\n", 1);
  if (text->is_failed) {
    record_note("memory ran out, and an event was not recorded");
    return false;
  }
  record_lock();
  is_written = open_if_current(generation) && record_append(text->data, text->size);
  record_unlock();
  return is_written;
}

bool record_write_library(uint32_t generation, record_library *library) {
  record_text line = {NULL, 0, 0, NULL, false};
  static int64_t num_libraries;
  static uint32_t counted_in;
  bool is_there;
  if (__atomic_load_n(&library->written_in, __ATOMIC_ACQUIRE) == generation) return true;
  record_lock();
  is_there = open_if_current(generation);
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
    is_there = !line.is_failed && record_append(line.data, line.size);
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
  record_print_error("%s", sentence);
  if (record_set.trace) return;
  record_add_format(&line, "{\"event\":\"note\",\"time\":");
  record_add_int(&line, record_time());
  record_add_format(&line, ",\"text\":");
  record_add_string(&line, sentence, strlen(sentence));
  record_add(&line, "}\n", 2);
  if (!line.is_failed) {
    record_lock();
    if (open_if_current(generation)) (void)record_append(line.data, line.size);
    record_unlock();
  }
  record_free(&line);
}
