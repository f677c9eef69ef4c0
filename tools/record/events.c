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

uint32_t record_generation;
record_library *record_libraries;
record_uint64 *record_last_number;

char record_folder[kRecordPath];
static uint32_t last_generation;

/*
 * The files of events and of small memory; under the lock. Their ends are mapped, so that what is
 * stored there is there whatever becomes of the process, and needs no system call. They are longer
 * than what is written until they are closed.
 */
static record_file events = {.file = -1}, memory = {.file = -1};
static bool has_memory; /* this process has begun its file of memory */
/* When this process began to record: the clock, and the time since 1970. */
static uint64_t started, started_unix;
static uint32_t file_generation; /* that the file is of */

static __thread char thread_number[kRecordNumber]; /* as text */
static __thread ptrdiff_t thread_size;
static __thread uint32_t thread_generation;

/* ---- The lock, held over fork ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__thread int record_num_locked;

void record_lock(void) {
  ++record_num_locked;
  (void)pthread_mutex_lock(&lock);
}

void record_unlock(void) {
  (void)pthread_mutex_unlock(&lock);
  --record_num_locked;
}

void record_renew_lock(void) {
  (void)pthread_mutex_init(&lock, NULL);
  record_num_locked = 0;
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
  record_count_failure();
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

void record_close_events(bool is_own) {
  record_file_close(&events, is_own);
  record_file_close(&memory, is_own);
}

bool record_append(const char *bytes, size_t size) {
  return record_file_append(&events, bytes, size);
}

void record_name_beside(char *out, size_t out_size, const char *ending) {
  const size_t size = strlen(events.path) - strlen("jsonl");
  (void)snprintf(out, out_size, "%.*s%s", tvmffi_shown_size(size), events.path, ending);
}

/* Under the lock. Opens a new file for this process, and begins it. */
static bool open_events(uint32_t generation) {
  record_text line = {NULL, 0, 0, NULL, false};
  const char *name = record_set.trace ? "" : "/calls", *end = record_set.trace ? "" : ".jsonl";
  bool is_made, is_written;
  int i;
  (void)snprintf(events.path, sizeof events.path, "%s%s%s", record_folder, name, end);
  for (i = 1;; ++i) {
    /* The filler of a trace means nothing in JSON. */
    is_made = record_file_make(&events, record_set.trace ? '\n' : '\0');
    if (is_made || errno != EEXIST) break;
    if (i == 1) {
      (void)snprintf(events.path, sizeof events.path, "%s%s.%ld%s", record_folder, name,
                     (long)getpid(), end);
    } else {
      (void)snprintf(events.path, sizeof events.path, "%s%s.%ld.%d%s", record_folder, name,
                     (long)getpid(), i, end);
    }
  }
  if (!is_made) {
    record_give_up(events.path, errno);
    return false;
  }
  file_generation = generation;
  has_memory = false;
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
  return events.path;
}

bool record_has_events(uint32_t generation) {
  return generation != 0 && record_now() == generation && file_generation == generation;
}

/* Under the lock. False if that recording is over, or its file cannot be made. */
static bool open_if_current(uint32_t generation) {
  if (generation == 0 || record_now() != generation) return false;
  return record_has_events(generation) || open_events(generation);
}

bool record_append_memory(const void *bytes, size_t size, uint64_t *out_at) {
  static const char padding[kMemoryAlign];
  const size_t more = (kMemoryAlign - memory.size % kMemoryAlign) % kMemoryAlign;
  if (!open_if_current(record_now())) return false;
  if (!has_memory) {
    record_name_beside(memory.path, sizeof memory.path, "memory");
    has_memory = record_file_make(&memory, '\0');
    if (!has_memory) record_give_up(memory.path, errno);
    if (!has_memory) return false;
  } else if (more != 0 && !record_file_append(&memory, padding, more)) {
    return false;
  }
  *out_at = memory.size;
  return record_file_append(&memory, bytes, size);
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
  record_print_error("%s", sentence);
  if (!record_set.trace) record_write_text("note", sentence);
}

void record_write_text(const char *kind, const char *sentence) {
  record_text line = {NULL, 0, 0, NULL, false};
  uint32_t generation = record_now();
  record_add_format(&line, "{\"event\":\"%s\",\"time\":", kind);
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
