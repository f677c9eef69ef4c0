/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <tvm/ffi/c.h>

#include "library/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "platform/platform.h"
#include "process/box.h"
#include "process/supervise.h"

/* ---- Answers ---- */

/* Of two questions about each function: a kind, and the bytes. */
enum { kCapacity = 1 << 24 };
enum { kText = 't', kError = 'e', kNothing = 'n' };

static bool put(box *answers, char kind, const char *bytes, size_t size) {
  const size_t begin = box_size(answers);
  if (box_put(answers, &kind, 1) && box_put_bytes(answers, bytes, size)) return true;
  box_cut(answers, begin);
  return false;
}

/* ---- The child ---- */

typedef struct {
  const char *name, *path;
  const listing *exports;
  box *answers;
  void *library; /* NULL: it cannot be loaded */
  tvmffi_dl_reason reason;
} question;

static bool put_text(box *answers, char kind, const char *line) {
  return put(answers, kind, line, strlen(line));
}

static bool put_raised(box *answers) {
  char *line = runtime_error_take_line();
  bool good = put_text(answers, kError, line);
  free(line);
  return good;
}

static bool put_result(box *answers, const TVMFFIAny *result) {
  TVMFFIByteArray bytes;
  if (!tvm_ffi_any_try_string(result, &bytes)) {
    return put_text(answers, kError, "its answer is not a string");
  }
  return put(answers, kText, bytes.data, bytes.size) ||
         put_text(answers, kError, "its answer is too long");
}

/* Calls the symbol, whose type is known only by its name. */
static bool ask_symbol(const question *q, void *library, const char *symbol) {
  TVMFFISafeCallType function;
  TVMFFIAny result = tvm_ffi_any_none();
  void *address = tvmffi_dl_symbol(library, symbol);
  bool good;
  int code;
  if (address == NULL) return put(q->answers, kNothing, "", 0);
  memcpy(&function, &address, sizeof function);
  supervise_progress("%s", symbol);
  code = function(NULL, NULL, 0, &result);
  foreign_end_copies();
  good = code != 0 ? put_raised(q->answers) : put_result(q->answers, &result);
  tvm_ffi_any_clear(&result);
  return good;
}

static bool ask_about(const question *q, void *library, const char *function) {
  char *metadata = tool_format("__tvm_ffi__metadata_%s", function);
  char *doc = tool_format("__tvm_ffi__doc_%s", function);
  bool good = ask_symbol(q, library, metadata) && ask_symbol(q, library, doc);
  free(metadata);
  free(doc);
  return good;
}

static int open_library(void *context) {
  question *q = context;
  q->library = tvmffi_dl_open(q->path, &q->reason);
  return kExitOk;
}

static int ask_about_all(void *context) {
  const question *q = context;
  size_t i;
  for (i = 0; i < q->exports->num_functions; ++i) {
    if (!ask_about(q, q->library, q->exports->functions[i].name)) return kExitLoad;
  }
  return kExitOk;
}

static int ask_all(void *context) {
  question *q = context;
  foreign_call(kStageLoad, q->name, open_library, q);
  if (q->library == NULL) {
    library_argument_refuse(q->name, q->path, q->reason.text);
    return kExitLoad;
  }
  if (foreign_call(kStageAsk, q->name, ask_about_all, q) == kExitOk) return kExitOk;
  return report_fail(kExitLoad, "%s: its answers take more than %d MiB", q->name, kCapacity >> 20);
}

/* ---- The parent ---- */

/* Reads the next answer; false if there is none. */
static bool read_answer(box *answers, listed_function *function, bool is_doc) {
  size_t size;
  char kind, *bytes;
  if (!box_get(answers, &kind, 1)) return false;
  bytes = box_get_bytes(answers, &size);
  if (bytes == NULL) return false;
  if (kind == kError) {
    if (function->wrong == NULL) function->wrong = tool_copy(bytes, size);
  } else if (kind == kText && is_doc) {
    if (function->doc == NULL) function->doc = text_escape_lines(bytes, size);
  } else if (kind == kText) {
    if (function->metadata == NULL) listing_set_metadata(function, bytes, size);
  }
  free(bytes);
  return true;
}

static void read_answers(box *answers, listing *exports) {
  static const char kSilent[] = "the library did not answer";
  size_t i;
  box_begin(answers);
  for (i = 0; i < exports->num_functions; ++i) {
    listed_function *function = &exports->functions[i];
    if (read_answer(answers, function, false)) {
      (void)read_answer(answers, function, true);
    } else if (function->can_ask && function->metadata == NULL) {
      function->wrong = tool_copy(kSilent, sizeof kSilent - 1);
    }
  }
}

static supervision choose_supervision(double timeout) {
  supervision out;
  memset(&out, 0, sizeof out);
  out.timeout = timeout;
  out.skips_unload = true;
  return out;
}

bool ask_command(double timeout, int *exit_code) {
  const supervision settings = choose_supervision(timeout);
  return supervise_command(&settings, exit_code);
}

static int run_question(int (*body)(void *context), question *q, double timeout) {
  const supervision settings = choose_supervision(timeout);
  return supervise_run(body, q, &settings);
}

/* Maps memory for the answers; not kExitOk after a report. */
static int prepare(const char *name, question *out) {
  memset(out, 0, sizeof *out);
  out->name = name;
  out->reason = kNoReason;
  out->answers = box_open(0, kCapacity);
  if (out->answers != NULL) return kExitOk;
  return report_fail(kExitRaised, "no memory for the answers of %s: %s", name, strerror(errno));
}

int ask_library(const char *name, listing *exports, double timeout) {
  question q;
  char *path = library_argument_find(name);
  int code = path != NULL ? prepare(name, &q) : kExitLoad;
  if (code == kExitOk) {
    q.path = path;
    q.exports = exports;
    code = run_question(ask_all, &q, timeout);
    read_answers(q.answers, exports);
    box_close(q.answers);
  }
  free(path);
  return code;
}

static int try_to_load(void *context) {
  question *q = context;
  q->path = q->name;
  foreign_call(kStageLoad, q->name, open_library, q);
  if (q->library != NULL) (void)put(q->answers, kNothing, "", 0);
  return kExitOk;
}

int ask_to_load(const char *name, bool *out_loads) {
  question q;
  int code = prepare(name, &q);
  *out_loads = false;
  if (code != kExitOk) return code;
  code = run_question(try_to_load, &q, 0);
  *out_loads = code == kExitOk && box_size(q.answers) > 0;
  box_close(q.answers);
  return code;
}
