/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, asks and calls foreign code in a child process, so that a crash of it becomes a message
 * and an exit code. The child is a copy of this process, or runs the whole command again where
 * processes cannot be copied (PROCESSES_ARE_COPIED). These are not the isolated modules of hosts
 * (isolated/), which run --isolated calls in this child; docs/guide/isolated.md says why there are
 * two. */
#ifndef TVM_FFI_TOOL_SUPERVISE_H_
#define TVM_FFI_TOOL_SUPERVISE_H_

#include "base/command.h"
#include "base/text.h"

typedef enum {
  kStageOwn, /* the tool's own work */
  kStageLoad,
  kStageAsk, /* calls for metadata; supervise_progress() names the symbol */
  kStageCall,
  kStageUnload
} foreign_stage;

/* Names the library or function that the tool works for from now on; NULL: the same as before. */
void supervise_name(const char *subject);
/* Runs the body, which calls foreign code. Meanwhile the parent is told this stage and subject, a
 * library or function (NULL: the same as before). Returns what the body returns. */
int foreign_call(foreign_stage stage, const char *subject, int (*body)(void *context),
                 void *context);
/* In a body: ends a copy of this process that the foreign code may have made. */
void foreign_end_copies(void);
/* Sets the detail, "10 samples", shown after the subject if the stage takes longer than a
 * second. */
void supervise_progress(const char *format, ...) TOOL_PRINTF(1, 2);
/* Sets a note that the parent adds to its report if the child dies, such as where a crash came
 * from. Safe in signal handlers. */
void supervise_note(const char *note);

typedef struct {
  /* Time limit in seconds of loading, asking and calling; 0: a minute, and none for a call. */
  double timeout;
  double call_timeout; /* that of calling; 0: the same */
  bool is_limited;     /* loading and asking end by themselves: there is no limit but `timeout` */
  double own_timeout; /* that of the tool's own work after a call: what the call left may be without
                         end; 0: none */
  bool in_place;      /* no child: for a debugger */
  bool others_print;  /* what foreign code prints to stdout stays there, instead of stderr, of which
                         the first MiB is shown */
  bool others_read;   /* foreign code may read stdin */
  bool skips_unload;  /* the child ends by _exit(), without the libraries' destructors */
  bool guards_others; /* a signal to all processes of the user is a crash (on Linux) */
  bool hides_others;  /* what foreign code prints is dropped */
  /* Each such body runs in a copy of this process as it was before the first of them, which is
   * quicker: what it is to do is in memory that both share. */
  bool is_one_of_many;
  text_buf *ending; /* where it is written how a child ended that did not return, "crashed while it
                       was called: Aborted"; NULL: that is reported */
} supervision;

/* Runs the whole command in a child where processes cannot be copied. Call it before the command
 * reads files or prints, with the options that supervise_run() gets. True if the child has run the
 * command: return *exit_code. False: go on. */
bool supervise_command(const supervision *options, int *exit_code);

/* Runs the body in a child and returns its exit code; if the child ended otherwise, reports how,
 * and returns kExitLoad while a library was loaded or asked, else kExitRaised. After
 * supervise_command(), it runs the body in place, and the parent reports how the command ended. */
int supervise_run(int (*body)(void *context), void *context, const supervision *options);

/* After the last body of many, and before another that is to see what has changed. */
void supervise_end_many(void);

/* Call it last in the program, with its exit code, and return what it returns. */
int supervise_finish(int exit_code);

/* A temporary file for code that takes only a path. In memory, it disappears with the processes
 * that have it open; otherwise the parent process removes it. At most one per process. Returns its
 * name; release with free(). NULL after a report. */
char *temporary_file(const void *bytes, size_t size);

#endif /* TVM_FFI_TOOL_SUPERVISE_H_ */
