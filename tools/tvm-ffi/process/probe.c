/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "process/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/raised.h"
#include "base/report.h"
#include "base/shown.h"

/* What the child writes: one record for the loading, one for each function. */
typedef struct {
  char what; /* kText, kError or kNothing */
  uint32_t size;
} record;
enum { kText = 't', kError = 'e', kNothing = 'n', kMaxSize = 1 << 28 };

/* ---- The child ---------------------------------------------------------------------------------
 */

static void send_bytes(int to, char what, const char *bytes, size_t size) {
  record head;
  memset(&head, 0, sizeof head);
  head.what = what;
  head.size = (uint32_t)(size < kMaxSize ? size : kMaxSize);
  size = head.size;
  if (write(to, &head, sizeof head) != (ssize_t)sizeof head) _exit(1);
  while (size > 0) {
    ssize_t done = write(to, bytes, size);
    if (done <= 0) _exit(1);
    bytes += done;
    size -= (size_t)done;
  }
}

static void send_text(int to, char what, const char *line) {
  send_bytes(to, what, line, strlen(line));
}

static void send_raised(int to) {
  char *line = raised_take_line();
  send_text(to, kError, line);
  free(line);
}

/* Of a symbol's type only its name tells. */
static void ask(int to, void *library, const char *symbol) {
  TVMFFISafeCallType function;
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIByteArray bytes;
  void *address = dlsym(library, symbol);
  if (address == NULL) {
    send_bytes(to, kNothing, "", 0);
    return;
  }
  memcpy(&function, &address, sizeof function);
  if (function(NULL, NULL, 0, &result) != 0) {
    send_raised(to);
  } else if (tvm_ffi_any_try_string(&result, &bytes)) {
    send_bytes(to, kText, bytes.data, bytes.size);
  } else {
    send_text(to, kError, "what it gave is no text");
  }
}

static void run_child(int to, const char *path, const char *const *symbols, size_t num_symbols) {
  int nowhere = open("/dev/null", O_RDWR);
  char *place =
      strchr(path, '/') != NULL ? tool_copy(path, strlen(path)) : tool_format("./%s", path);
  struct rlimit none = {0, 0};
  void *library;
  size_t i;
  setrlimit(RLIMIT_CORE, &none);
  if (nowhere >= 0) { /* what a library prints is no result of the tool's */
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  library = dlopen(place, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    if (reason == NULL) reason = "it does not load";
    send_text(to, kError, reason);
    return;
  }
  send_bytes(to, kText, "", 0);
  for (i = 0; i < num_symbols; ++i) ask(to, library, symbols[i]);
}

/* ---- The parent --------------------------------------------------------------------------------
 */

typedef enum { kDone, kEnded, kLate } outcome;

static outcome receive(int from, double until, void *out, size_t size) {
  char *at = out;
  while (size > 0) {
    struct pollfd one = {from, POLLIN, 0};
    double left = until - clock_seconds();
    ssize_t got;
    if (left <= 0) return kLate;
    if (poll(&one, 1, (int)(left * 1000) + 1) <= 0) continue;
    got = read(from, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return kEnded;
    at += got;
    size -= (size_t)got;
  }
  return kDone;
}

static outcome receive_answer(int from, double until, answer *out) {
  record head;
  char *bytes;
  outcome how = receive(from, until, &head, sizeof head);
  memset(out, 0, sizeof *out);
  if (how != kDone) return how;
  if (head.size > kMaxSize) return kEnded;
  bytes = tool_alloc((size_t)head.size + 1);
  bytes[head.size] = '\0';
  how = receive(from, until, bytes, head.size);
  if (how != kDone || head.what == kNothing) {
    free(bytes);
  } else if (head.what == kText) {
    out->text = bytes;
    out->size = head.size;
  } else {
    out->error = bytes;
  }
  return how;
}

/* Names and messages of a library are shown as nothing but text. */
static void report_end(const char *path, const char *during, outcome how, int status,
                       double seconds) {
  char *shown = shown_text(during, strlen(during));
  if (how == kLate) {
    report_error("%s: still busy after %g s: %s", path, seconds, shown);
  } else if (WIFSIGNALED(status)) {
    report_error("%s: crashed with signal %d (%s): %s", path, WTERMSIG(status),
                 strsignal(WTERMSIG(status)), shown);
  } else {
    report_error("%s: ended the process with code %d: %s", path, WEXITSTATUS(status), shown);
  }
  free(shown);
}

static void report_refused(const char *path, const char *reason) {
  char *shown = shown_text(reason, strlen(reason));
  report_error("%s: cannot be loaded: %s", path, shown);
  free(shown);
}

static void free_answers(answer *answers, size_t count) {
  while (count-- > 0) {
    free(answers[count].text);
    free(answers[count].error);
  }
}

/* The child's status, once it has ended; it is killed when it is late. */
static outcome wait_for(pid_t child, outcome how, double until, int *out_status) {
  if (how != kEnded) kill(child, SIGKILL);
  while (waitpid(child, out_status, WNOHANG) == 0) {
    if (how == kEnded && clock_seconds() > until) {
      how = kLate;
      kill(child, SIGKILL);
    }
    poll(NULL, 0, 5);
  }
  return how;
}

static bool collect(const char *path, int from, pid_t child, const char *const *symbols,
                    size_t num_symbols, double seconds, answer *out) {
  double until = clock_seconds() + seconds;
  const char *during = "it was being loaded";
  answer loaded;
  size_t i = 0;
  int status = 0;
  outcome how = receive_answer(from, until, &loaded);
  if (how == kDone && loaded.error == NULL) {
    for (; i < num_symbols && how == kDone; ++i) {
      during = symbols[i];
      how = receive_answer(from, until, &out[i]);
    }
  }
  how = wait_for(child, how, until, &status);
  if (how == kDone && loaded.error == NULL) {
    free(loaded.text);
    return true;
  }
  if (how == kDone) {
    report_refused(path, loaded.error);
  } else {
    report_end(path, during, how, status, seconds);
  }
  free_answers(&loaded, 1);
  free_answers(out, i);
  return false;
}

bool probe_ask(const char *path, const char *const *symbols, size_t num_symbols, double seconds,
               answer *out) {
  int ends[2];
  pid_t child;
  bool good;
  fflush(NULL); /* or both processes would write what is pending */
  if (pipe(ends) != 0) {
    report_error("no pipe: %s", strerror(errno));
    return false;
  }
  child = fork();
  if (child < 0) {
    report_error("no process: %s", strerror(errno));
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], path, symbols, num_symbols);
    _exit(0);
  }
  close(ends[1]);
  good = collect(path, ends[0], child, symbols, num_symbols, seconds, out);
  close(ends[0]);
  return good;
}
