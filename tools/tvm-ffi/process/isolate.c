/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "process/isolate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"
#include "process/shared_memory.h"
#include "system/system.h"

/* ---- Shared memory ---- */

static shared_memory alone;
shared_memory *isolate_shared = &alone;

void shared_memory_use(shared_memory *shared) {
  isolate_shared = shared;
}

void shared_memory_leave(void) {
  isolate_shared = &alone;
}

int shared_memory_finish(int exit_code) {
  const int code = streams_finish(exit_code);
  isolate_shared->code = code;
  isolate_shared->timestamp = clock_seconds();
  isolate_shared->done = 1;
  return code;
}

/* ---- What the child tells ---- */

/* Tells the parent which stage begins. */
static void enter(isolate_stage stage, const char *subject) {
  shared_memory *shared = isolate_shared;
  child_end_strays(kExitRaised);
  if (stage == kStageOwn) {
    fflush(stdout);
  } else {
    streams_flush();
  }
  if (subject != NULL) snprintf(shared->subject, sizeof shared->subject - 1, "%s", subject);
  shared->progress[0] = '\0';
  if (shared->stage != (int)stage) shared->timestamp = clock_seconds();
  shared->stage = (int)stage;
  if (stage == kStageOwn && shared->progress_shown) {
    fputs("\r\033[K", streams_errors());
    shared->progress_shown = 0;
  }
}

void isolate_name(const char *subject) {
  enter(kStageOwn, subject);
}

int foreign_call(isolate_stage stage, const char *subject, int (*body)(void *context),
                 void *context) {
  int code;
  enter(stage, subject);
  code = body(context);
  enter(kStageOwn, subject);
  return code;
}

void foreign_end_copies(void) {
  child_end_strays(kExitRaised);
}

void isolate_progress(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(isolate_shared->progress, sizeof isolate_shared->progress - 1, format, values);
  va_end(values);
}

void isolate_note(const char *note) {
  strncpy(isolate_shared->note, note, sizeof isolate_shared->note - 1);
}

/* ---- The temporary file ---- */

static temporary_paths made;
static pid_t owner;

void temporary_remove_from(const temporary_paths *paths) {
  if (paths->file[0] == '\0') return;
  unlink(paths->file);
  folder_remove(paths->folder);
}

static void temporary_remove(void) {
  if (getpid() == owner) temporary_remove_from(&made); /* forked children must not remove it */
}

/* Makes a folder that other users cannot access. */
static bool make_folder(char *out, size_t out_size) {
  unsigned count = 0;
  bool is_made;
  do {
    const int size =
        snprintf(out, out_size, "%s/tvm-ffi-%ld-%u", temporary_folder(), (long)getpid(), count++);
    if (size < 0 || (size_t)size >= out_size) {
      errno = ENAMETOOLONG;
      return false;
    }
    is_made = folder_make(out, true);
  } while (!is_made && errno == EEXIST);
  return is_made;
}

static char *make_in_folder(const void *bytes, size_t size) {
  enum { kName = 32 };
  if (!make_folder(made.folder, sizeof made.folder - kName)) {
    report_error("%s: %s", made.folder, strerror(errno));
    return NULL;
  }
  strcpy(made.file, made.folder);
  strcat(strcat(made.file, "/library"), kSystem.library_suffix);
  owner = getpid();
  atexit(temporary_remove);
  isolate_shared->left = made;
  return tool_write_file(made.file, bytes, size) ? tool_copy(made.file, strlen(made.file)) : NULL;
}

char *temporary_file(const void *bytes, size_t size) {
  char path[kMemoryFilePath];
  if (memory_file_create(bytes, size, path)) return tool_copy(path, strlen(path));
  return make_in_folder(bytes, size);
}

/* ---- Waiting ---- */

/* The default limit of loading, asking and unloading a library; seconds. */
enum { kPatience = 60 };

typedef enum { kBySelf, kByStop, kByTime } reason;

typedef struct {
  reason cause;
  isolate_stage stage; /* in which it happened */
  double limit;        /* time limit of that stage */
  bool is_crash;
  int code; /* the exit code, or the number of the crash */
} ending;

/* Kills the child when the parent ends: not every system does that, and where it does, processes
 * that a library started may live on. */
void isolate_clean(void) {
  child_kill();
  temporary_remove();
}

/* Checked because it is used as an index, and the child may write anything. */
static isolate_stage get_stage(void) {
  int stage = isolate_shared->stage;
  return stage < kStageOwn || stage > kStageUnload ? kStageOwn : (isolate_stage)stage;
}

/* The time limit of a stage; 0: none. */
static double limit_of(isolate_stage stage, const isolation *options) {
  if (stage == kStageOwn && !isolate_shared->done) return 0; /* files and pipes may be slow */
  if (options->timeout > 0) return options->timeout;
  return stage == kStageCall ? 0 : kPatience;
}

static void show_progress(isolate_stage stage) {
  static const char *const kDoing[] = {"", "loading ", "asking ", "calling ", "unloading "};
  double seconds = clock_seconds() - isolate_shared->timestamp;
  if (stage == kStageOwn || seconds < 1) return;
  isolate_shared->progress_shown =
      report_progress("%s%s, %.0f s%s%s", kDoing[stage], isolate_shared->subject, seconds,
                      isolate_shared->progress[0] != '\0' ? ", " : "", isolate_shared->progress);
}

static void wait_for(const isolation *options, ending *out) {
  enum { kLongestNap = 100 }; /* milliseconds */
  bool was_late = false, is_late;
  int nap = 1;
  child_state state;
  memset(out, 0, sizeof *out);
  while ((state = child_look(&out->code)) == kChildRuns || state == kChildStopped) {
    if (out->cause == kBySelf) {
      out->stage = get_stage();
      out->limit = limit_of(out->stage, options);
      is_late = out->limit > 0 && clock_seconds() - isolate_shared->timestamp > out->limit;
      if (is_late && was_late) out->cause = kByTime; /* one reading may mix two stages */
      was_late = is_late;
      if (state == kChildStopped) out->cause = kByStop;
    }
    if (out->cause != kBySelf) child_kill();
    show_progress(out->stage);
    child_nap(nap);
    nap = nap < kLongestNap ? 2 * nap : kLongestNap;
  }
  if (out->cause == kBySelf) out->stage = get_stage();
  out->is_crash = state == kChildCrashed;
  signals_block(); /* so that isolate_clean() sees the child, or none */
  child_forget();
  signals_unblock();
  report_progress_end();
}

/* ---- Judging ---- */

/* "crashed while it was loaded: Aborted" */
static void describe_end(const ending *end, text_buf *out) {
  static const char *const kWhile[] = {"", " while it was loaded", " while it was asked",
                                       " while it was called", " while it was unloaded"};
  text_add(out, "%s%s",
           end->cause != kBySelf ? "was killed"
           : end->is_crash       ? "crashed"
                                 : "ended the program",
           isolate_shared->done ? " when the program ended" : kWhile[end->stage]);
  if (end->stage == kStageAsk && isolate_shared->progress[0] != '\0') {
    text_add(out, " for %s", isolate_shared->progress);
  }
  if (end->cause == kByTime) {
    text_add(out, ": it took longer than %g s (--timeout)", end->limit);
  } else if (end->cause == kByStop) {
    text_add(out, ": it stopped itself");
  } else if (end->is_crash) {
    text_add(out, ": %s", child_crash_name(end->code));
  } else {
    text_add(out, ", with exit code %d", end->code);
  }
  if (isolate_shared->note[0] != '\0') text_add(out, "; %s", isolate_shared->note);
}

static int judge(const ending *end, const isolation *options) {
  text_buf line = {NULL, 0, 0};
  if (isolate_shared->done && end->cause == kBySelf && !end->is_crash &&
      end->code == isolate_shared->code) {
    return isolate_shared->code;
  }
  if (end->stage == kStageOwn && end->is_crash) child_end_alike(end->code);
  if (options->ending != NULL) {
    describe_end(end, options->ending);
  } else {
    describe_end(end, &line);
    report_error("%s: %s",
                 isolate_shared->subject[0] != '\0' ? isolate_shared->subject : "the command",
                 line.data);
    text_free(&line);
  }
  if (isolate_shared->done)
    return isolate_shared->code != kExitOk ? isolate_shared->code : kExitRaised;
  return end->stage == kStageLoad || end->stage == kStageAsk ? kExitLoad : kExitRaised;
}

int isolate_wait(const isolation *options) {
  ending end;
  wait_for(options, &end);
  return judge(&end, options);
}
