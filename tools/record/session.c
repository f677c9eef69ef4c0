/* SPDX-License-Identifier: Apache-2.0 */
/* The start and end of a recording, its folder, and forks. settings.c reads the environment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "record.h"

/* ---- The folder ---- */

/* Paths are not on the stack, which may be small: all of this is under the lock. */

/* Makes a file with these bytes, unless there is one; it is complete when it has its name. */
static bool make_file(const char *name, const void *bytes, size_t size) {
  static char path[kRecordPath + 64], part[kRecordPath + 128];
  int file, error = 0;
  bool is_made;
  (void)snprintf(path, sizeof path, "%s/%s", record_folder, name);
  if (access(path, F_OK) == 0) return true;
  (void)snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
  file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kRecordFileMode);
  if (file < 0) return false;
  is_made = record_write_all(file, bytes, size, &error);
  if (close(file) != 0) is_made = false;
  /* Where a file cannot have two names, the race with other processes is not decided. */
  if (is_made && link(part, path) != 0 && errno != EEXIST) is_made = rename(part, path) == 0;
  error = errno;
  (void)unlink(part);
  errno = error;
  return is_made;
}

static bool map_next_number(void) {
  static char path[kRecordPath + 64];
  struct stat status;
  void *page = MAP_FAILED;
  int file;
  (void)snprintf(path, sizeof path, "%s/next", record_folder);
  file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && status.st_size == (off_t)sizeof *record_last_number) {
    page = mmap(NULL, sizeof *record_last_number, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  } else {
    errno = EINVAL;
  }
  (void)close(file);
  if (page == MAP_FAILED) return false;
  record_last_number = page; /* an earlier one may be in use in another thread, and stays */
  return true;
}

/* Under the lock. */
static bool set_path(const char *path) {
  static char start[kRecordPath];
  start[0] = '\0';
  if (path[0] != '/' && getcwd(start, sizeof start) == NULL) return false;
  if (strlen(start) + strlen(path) + 2 > kRecordPath) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(record_folder, start, strlen(start) + 1);
  if (start[0] != '\0') strcat(record_folder, "/");
  strcat(record_folder, path);
  return true;
}

static bool make_folder(void) {
  static const uint64_t none = 0;
  static char tensors[kRecordPath + 64];
  if (mkdir(record_folder, kRecordFolderMode) != 0 && errno != EEXIST) return false;
  (void)snprintf(tensors, sizeof tensors, "%s/tensors", record_folder);
  return (mkdir(tensors, kRecordFolderMode) == 0 || errno == EEXIST) &&
         make_file("version", TVM_FFI_RECORD_VERSION, strlen(TVM_FFI_RECORD_VERSION)) &&
         make_file("next", &none, sizeof none) && map_next_number();
}

/* ---- Start and stop ---- */

/* Of this process, which has its own file and its own limit of bytes. */
static void begin_generation(void) {
  record_stored_bytes = 0;
  record_begin_generation();
}

static bool start_recording(const tvm_ffi_record_options *options) {
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
  record_close_events(true); /* of a recording that ended because of a failure */
  if (!set_path(path) || (options->trace == NULL && !make_folder())) return false;
  if (!record_set_settings(options)) {
    errno = ENOMEM;
    return false;
  }
  record_forget_signatures();
  record_forget_counts();
  record_forget_times();
  begin_generation();
  return true;
}

/* The end of a trace, which names the process. */
static void add_trace_end(record_text *out) {
  const char *name = record_program_name();
  record_add_text(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":");
  record_add_int(out, getpid());
  record_add_text(out, ",\"args\":{\"name\":");
  record_add_string(out, name, strlen(name));
  record_add_text(out, "}}\n]\n");
}

/*
 * In a process that recorded nothing, although it could have: `tvm-ffi record` says why if no
 * process has recorded anything.
 */
static void note_nothing(void) {
  const char *folder = getenv("TVM_FFI_RECORD");
  const void *runtime =
      folder != NULL && folder[0] != '\0' ? record_find_loaded("TVMFFIFunctionCall") : NULL;
  const uint32_t functions = __atomic_load_n(&record_num_slots, __ATOMIC_ACQUIRE);
  record_text text = {NULL, 0, 0, NULL, false};
  static record_loaded_file file;
  if (runtime == NULL || !record_find_file(runtime, &file)) return;
  record_prepare();
  if (!record_is_by_environment() || record_now() == 0 || record_set.trace) return;
  if (__atomic_load_n(record_last_number, __ATOMIC_RELAXED) != 0) return; /* others have calls */
  record_add_text(&text, "process ");
  record_add_int(&text, getpid());
  record_add_text(&text, " had the runtime ");
  record_add_text(&text, file.path);
  record_add_text(&text, ", and looked up or registered ");
  record_add_uint(&text, functions);
  record_add_text(&text, " functions of libraries that are recorded, and ");
  record_add_uint(&text, record_num_unwanted());
  record_add_text(&text, " that options leave out");
  record_add(&text, "", 1);
  if (!text.is_failed) record_write_text("unseen", text.data);
  record_free(&text);
}

static void stop_recording(const char *why) {
  record_text line = {NULL, 0, 0, NULL, false}, table = {NULL, 0, 0, NULL, false};
  uint32_t generation = record_now();
  record_lock();
  /* A process in which nothing was called has no file. */
  if (record_has_events(generation)) {
    if (record_set.trace) {
      add_trace_end(&line);
      record_add_table(&table);
    } else {
      record_add_format(&line, "{\"event\":\"stop\",\"time\":");
      record_add_int(&line, record_time());
      record_add_format(&line, ",\"why\":\"%s\"}\n", why);
    }
    if (!line.is_failed) (void)record_append(line.data, line.size);
    record_free(&line);
  }
  __atomic_store_n(&record_generation, 0, __ATOMIC_RELEASE);
  record_close_events(true);
  record_unlock();
  if (table.size != 0 && !table.is_failed) {
    int error;
    (void)record_write_all(STDERR_FILENO, table.data, table.size, &error);
  }
  record_free(&table);
}

int tvm_ffi_record_start(const tvm_ffi_record_options *options, char *reason, size_t reason_size) {
  bool is_started;
  int error;
  record_prepare();
  record_lock();
  is_started = start_recording(options);
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
    reason[tvmffi_utf8_cut(reason, strlen(reason))] = '\0';
  }
  return -1;
}

void tvm_ffi_record_stop(void) {
  if (record_num_locked == 0) stop_recording("stop");
}

int tvm_ffi_record_flush(void) {
  int rc = -1;
  record_lock();
  if (record_now() != 0) {
    const bool has_none = record_set.trace && !record_has_events(record_now()); /* no calls yet */
    int file = has_none ? -1
                        : open(record_set.trace ? record_events_path() : record_folder,
                               O_RDONLY | O_CLOEXEC);
    if (has_none) rc = 0;
    if (file >= 0) {
      rc = record_sync(file) ? 0 : -1;
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

/* A signal's handler may fork while its thread has the lock, or waits for it. */
static __thread bool forks_in_lock;

static void before_fork(void) {
  forks_in_lock = record_num_locked != 0;
  if (!forks_in_lock) record_lock();
}

static void after_fork_in_parent(void) {
  if (!forks_in_lock) record_unlock();
}

static void after_fork_in_child(void) {
  /* What is under the lock is halfway: this child, which mostly starts a program, records nothing.
   */
  if (forks_in_lock) __atomic_store_n(&record_generation, 0, __ATOMIC_RELEASE);
  if (forks_in_lock) return;
  record_renew_lock(); /* the thread that held it is this one */
  if (record_now() == 0) return;
  record_close_events(false); /* the parent's */
  record_forget_counts();     /* in its file, too: a failure here would be said to be there */
  if (record_set.trace) record_forget_times();
  begin_generation();
}

/* Before other threads are there: one that holds the lock while a child is forked needs them. And
 * before a runtime adds its own, so that at a fork its locks are taken first, as by its calls. */
static void add_fork_handlers(void) __attribute__((constructor));
static void add_fork_handlers(void) {
  (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Under the lock. */
static void start_by_environment(void) {
  tvm_ffi_record_options options;
  if (!record_read_environment(&options)) return;
  if ((options.folder == NULL || options.folder[0] == '\0') && options.trace == NULL) return;
  by_environment = true;
  if (!start_recording(&options)) {
    record_print_error("%s: %s; nothing is recorded",
                       options.trace != NULL ? options.trace : options.folder, strerror(errno));
  }
}

/* Not pthread_once: in a child whose parent was in it, musl would wait forever. */
void record_prepare(void) {
  static int is_prepared;
  if (__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE)) return;
  record_lock();
  if (!is_prepared) {
    start_by_environment();
    __atomic_store_n(&is_prepared, 1, __ATOMIC_RELEASE);
  }
  record_unlock();
}

static void at_exit(void) __attribute__((destructor));
static void at_exit(void) {
  if (record_num_locked != 0) return; /* a signal's handler ends the program within the lock */
  note_nothing();
  stop_recording("exit");
}
