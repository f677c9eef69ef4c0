/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "process/supervise.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"
#include "base/text.h"
#include "system/system.h"

/* ---- Shared memory ---- */

/* What the child tells its parent, in memory that both share. */

/* The paths of a file and of its own folder; empty: there is none. */
typedef struct {
  char file[1024], folder[1024];
} temporary_paths;

/* The last byte of each text is never written, so texts are terminated even while the other process
 * writes. They have room for the path of a file and the name of a symbol, and more. */
typedef struct {
  volatile int stage;
  volatile double timestamp;    /* running_time() when the stage began, or the body returned */
  volatile uint64_t time_still; /* how long the child was stopped by Ctrl-Z; nanoseconds */
  volatile int has_called;      /* a call has returned */
  volatile int done;            /* the body returned, with this code */
  volatile int code;
  volatile int progress_shown; /* the parent has a line on the terminal */
  volatile int showing;        /* the parent is showing what the child printed */
  char subject[8192], progress[4096], note[256];
  temporary_paths left; /* by a child that runs the command again, for its parent to remove */
} shared_memory;

static shared_memory alone; /* of this process while there is no child */
static shared_memory *supervise_shared = &alone;

/* A clock in seconds, which stands still while the child is stopped with its parent. */
static double running_time(void) {
  return (double)(clock_nanoseconds() - supervise_shared->time_still) * 1e-9;
}

/* In the child, when the body has returned: ends the results, and tells the parent the exit code,
 * which is returned. */
static int shared_memory_finish(int exit_code) {
  const int code = streams_finish(exit_code);
  supervise_shared->code = code;
  supervise_shared->timestamp = running_time();
  supervise_shared->done = 1;
  return code;
}

/* ---- What the child tells ---- */

/* Tells the parent which stage begins. */
static void enter(foreign_stage stage, const char *subject) {
  shared_memory *shared = supervise_shared;
  child_end_strays(kExitRaised);
  if (stage == kStageOwn) {
    fflush(stdout);
  } else {
    streams_flush();
  }
  if (subject != NULL) {
    snprintf(shared->subject, sizeof shared->subject - 1, "%s", subject);
    text_end_whole(shared->subject);
  }
  shared->progress[0] = '\0';
  if (shared->stage != (int)stage) shared->timestamp = running_time();
  shared->stage = (int)stage;
  if (stage == kStageOwn && shared->progress_shown) {
    fputs("\r\033[K", streams_errors());
    shared->progress_shown = 0;
  }
}

void supervise_name(const char *subject) {
  enter(kStageOwn, subject);
}

int foreign_call(foreign_stage stage, const char *subject, int (*body)(void *context),
                 void *context) {
  int code;
  enter(stage, subject);
  code = body(context);
  if (stage == kStageCall) supervise_shared->has_called = 1;
  enter(kStageOwn, subject);
  return code;
}

void foreign_end_copies(void) {
  child_end_strays(kExitRaised);
}

void supervise_progress(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(supervise_shared->progress, sizeof supervise_shared->progress - 1, format, values);
  va_end(values);
  text_end_whole(supervise_shared->progress);
}

void supervise_note(const char *note) {
  strncpy(supervise_shared->note, note, sizeof supervise_shared->note - 1);
}

/* ---- The temporary file ---- */

static temporary_paths made;
static pid_t owner;

/* Removes a file that a child made, and that it may have loaded: Windows lets no process remove
 * what is loaded. Safe in a handler of signals_catch(). */
static void temporary_remove_from(const temporary_paths *paths) {
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
  supervise_shared->left = made;
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

typedef enum { kBySelf, kByStop, kByTime } ending_cause;

typedef struct {
  ending_cause cause;
  foreign_stage stage; /* in which it happened */
  double limit;        /* time limit of that stage */
  bool is_crash;
  bool has_harmed; /* its parent */
  int code;        /* the exit code, or the number of the crash, or of the signal to its parent */
} ending;

/* Kills the child before a signal ends the parent: not every system does that, and where it does,
 * processes that a library started may live on. */
static void supervise_clean(void) {
  child_kill();
  temporary_remove();
}

/* Checked because it is used as an index, and the child may write anything. */
static foreign_stage get_stage(void) {
  int stage = supervise_shared->stage;
  return stage < kStageOwn || stage > kStageUnload ? kStageOwn : (foreign_stage)stage;
}

/* The time limit of a stage; 0: none. */
static double limit_of(foreign_stage stage, const supervision *options) {
  if (stage == kStageOwn && !supervise_shared->done) {
    return supervise_shared->has_called ? options->own_timeout : 0;
  }
  if (stage == kStageCall && options->call_timeout > 0) return options->call_timeout;
  if (options->timeout > 0) return options->timeout;
  return stage == kStageCall || options->is_limited ? 0 : kPatience;
}

static void show_progress(foreign_stage stage) {
  static const char *const kDoing[] = {"", "loading ", "asking ", "calling ", "unloading "};
  double seconds = running_time() - supervise_shared->timestamp;
  if (stage == kStageOwn || seconds < 1) return;
  supervise_shared->progress_shown = report_progress(
      "%s%s, %s s%s%s", kDoing[stage], supervise_shared->subject, REAL_F(0, seconds),
      supervise_shared->progress[0] != '\0' ? ", " : "", supervise_shared->progress);
}

static void wait_for(const supervision *options, ending *out) {
  enum { kLongestNap = 100 }; /* milliseconds */
  bool was_late = false, is_late;
  int nap = 16;
  child_state state;
  memset(out, 0, sizeof *out);
  while ((state = child_look(&out->code)) == kChildRuns || state == kChildStopped) {
    if (out->cause == kBySelf) {
      out->stage = get_stage();
      out->limit = limit_of(out->stage, options);
      is_late = out->limit > 0 && running_time() - supervise_shared->timestamp > out->limit;
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
  out->has_harmed = state == kChildHarmed && out->cause == kBySelf;
  signals_block(); /* so that supervise_clean() sees the child, or none */
  child_forget();
  signals_unblock();
  child_end_output();
  report_progress_end();
}

/* ---- Judging ---- */

/* "crashed while it was loaded: Aborted" */
static void describe_end(const ending *end, text_buf *out) {
  static const char *const kWhile[] = {NULL, " while it was loaded", " while it was asked",
                                       " while it was called", " while it was unloaded"};
  /* It is not known when a signal was sent that is found then. */
  static const char *const kEnds[] = {" when the program ended", " before the program ended"};
  static const char *const kHarms[] = {"kept its parent process from answering",
                                       "sent its parent process a signal"};
  const bool is_own = end->stage == kStageOwn && !supervise_shared->done;
  text_add(out, "%s%s",
           end->cause != kBySelf ? "was killed"
           : end->has_harmed     ? kHarms[end->code != 0]
           : end->is_crash       ? "crashed"
                                 : "ended the program",
           supervise_shared->done    ? kEnds[end->has_harmed]
           : end->stage != kStageOwn ? kWhile[end->stage]
           : end->cause == kByTime   ? " while what it left was read"
                                     : "");
  if (end->stage == kStageAsk && supervise_shared->progress[0] != '\0') {
    text_add(out, " for %s", supervise_shared->progress);
  }
  if (end->cause == kByTime) {
    text_add(out, ": it took longer than %s s%s", REAL_G(6, end->limit),
             is_own ? "" : " (--timeout)");
  } else if (end->cause == kByStop) {
    text_add(out, ": it stopped itself");
  } else if (end->is_crash || (end->has_harmed && end->code != 0)) {
    text_add(out, ": %s", child_crash_name(end->code));
  } else if (!end->has_harmed) {
    text_add(out, ", with exit code %d", end->code);
  }
  if (supervise_shared->note[0] != '\0') text_add(out, "; %s", supervise_shared->note);
}

static int judge(const ending *end, const supervision *options) {
  text_buf line = {NULL, 0, 0};
  if (supervise_shared->done && end->cause == kBySelf && !end->is_crash && !end->has_harmed &&
      end->code == supervise_shared->code) {
    return supervise_shared->code;
  }
  if (end->stage == kStageOwn && end->is_crash) child_end_alike(end->code);
  if (options->ending != NULL) {
    describe_end(end, options->ending);
  } else {
    describe_end(end, &line);
    report_error("%s: %s",
                 supervise_shared->subject[0] != '\0' ? supervise_shared->subject : "the command",
                 line.data);
    text_free(&line);
  }
  if (supervise_shared->done)
    return supervise_shared->code != kExitOk ? supervise_shared->code : kExitRaised;
  return end->stage == kStageLoad || end->stage == kStageAsk ? kExitLoad : kExitRaised;
}

/* Waits for the child, which was started, and which uses the shared memory. Returns the exit
 * code, after a report of how the child ended unless it returned its own code normally. */
static int supervise_wait(const supervision *options) {
  ending end;
  wait_for(options, &end);
  return judge(&end, options);
}

/* ---- The child: a copy of this process ---- */

#if PROCESSES_ARE_COPIED

/* Only the body of supervise_run() is run by a child. */
bool supervise_command(const supervision *options, int *exit_code) {
  (void)options;
  (void)exit_code;
  return false;
}

int supervise_finish(int exit_code) {
  return exit_code;
}

/* What foreign code prints is shown up to here by each child; to stdout, a library of `run` prints
 * as much as it likes. */
enum { kMostPrinted = 1 << 20 };

static bool is_capped(const supervision *options) {
  return !options->others_print && !options->hides_others;
}

/* What they print would need a pipe of each. */
static bool is_one_of_many(const supervision *options) {
  return options->is_one_of_many && !is_capped(options);
}

static void note_kill_all(void) {
  supervise_note("it sent all processes a signal");
}

static void run_child(int (*body)(void *context), void *context, const supervision *options) {
  int code;
  streams_part(options->others_print, options->others_read);
  if (options->hides_others) descriptors_silence();
  if (is_capped(options)) {
    child_enter_output(streams_results() != stdout);
    streams_follow(child_wait_for_output);
  }
  code = body(context);
  child_end_strays(kExitRaised);
  code = shared_memory_finish(code);
  if (options->skips_unload) {
    fflush(NULL);
    child_exit(code);
  }
  exit(code);
}

/* -1 if the child cannot be started, with the reason in errno. */
static int run_parent(int (*body)(void *context), void *context, const supervision *options) {
  int code = -1;
  fork_side side;
  if (is_capped(options) && !child_cap_output(kMostPrinted, &supervise_shared->showing))
    return code;
  signals_block();
  signals_catch(supervise_clean);
  child_guard_others(options->guards_others ? note_kill_all : NULL);
  side = child_fork(&supervise_shared->time_still, is_one_of_many(options));
  signals_unblock();
  if (side == kForkChild) run_child(body, context, options); /* does not return */
  if (side == kForkParent) code = supervise_wait(options);
  signals_restore();
  return code;
}

static shared_memory *of_many; /* NULL: there are none */

void supervise_end_many(void) {
  child_end_keeper();
  if (of_many != NULL) pages_release(of_many, sizeof *of_many);
  of_many = NULL;
}

/* Zeros; those of many children are the same for each of them. */
static shared_memory *share_memory(const supervision *options) {
  if (of_many != NULL && is_one_of_many(options)) {
    memset(of_many, 0, sizeof *of_many);
    return of_many;
  }
  supervise_end_many();
  return pages_share(sizeof *of_many);
}

int supervise_run(int (*body)(void *context), void *context, const supervision *options) {
  int code = -1;
  shared_memory *shared;
  if (options->in_place) {
    static bool are_parted; /* by the first of several runs: they stay so */
    if (!are_parted) streams_part(options->others_print, options->others_read);
    are_parted = true;
    return body(context);
  }
  streams_flush();
  fflush(NULL); /* otherwise both processes would write buffered output */
  shared = share_memory(options);
  if (shared != NULL) {
    supervise_shared = shared;
    shared->timestamp = running_time();
    code = run_parent(body, context, options);
    supervise_shared = &alone;
    if (is_one_of_many(options)) {
      of_many = shared;
    } else {
      pages_release(shared, sizeof *shared);
    }
  }
  if (code >= 0) return code;
  return report_fail(kExitRaised, "cannot start a process: %s", strerror(errno));
}

/* ---- The child: the whole command, run again ---- */

#else

void supervise_end_many(void) {}

static bool is_child, skips_unload;

/* Removes the temporary library of a child that has ended, whose code may have overwritten the
 * paths. */
static void remove_left(void) {
  temporary_paths left = supervise_shared->left;
  left.file[sizeof left.file - 1] = left.folder[sizeof left.folder - 1] = '\0';
  temporary_remove_from(&left);
}

/* Before Ctrl-C ends the parent. */
static void clean(void) {
  supervise_clean();
  remove_left();
}

bool supervise_command(const supervision *options, int *exit_code) {
  shared_memory *shared;
  char reason[256];
  if (options->in_place) return false;
  shared = child_find_shared(sizeof *shared);
  is_child = shared != NULL;
  if (!is_child) {
    signals_catch(clean);
    shared = child_restart(sizeof *shared, reason, sizeof reason);
  }
  if (shared == NULL) {
    *exit_code = report_fail(kExitRaised, "cannot start a process: %s", reason);
    return true;
  }
  supervise_shared = shared;
  if (is_child) return false;
  *exit_code = supervise_wait(options);
  remove_left();
  signals_restore();
  return true;
}

int supervise_run(int (*body)(void *context), void *context, const supervision *options) {
  stream_copies kept;
  int code;
  if (options->skips_unload) streams_keep(&kept);
  streams_part(options->others_print, options->others_read);
  code = body(context);
  if (options->skips_unload) streams_join(&kept); /* there may be more to ask */
  skips_unload = options->skips_unload;
  return code;
}

int supervise_finish(int exit_code) {
  if (!is_child) return exit_code;
  (void)shared_memory_finish(exit_code);
  if (skips_unload) {
    fflush(NULL);
    child_exit(supervise_shared->code);
  }
  return supervise_shared->code;
}

#endif
