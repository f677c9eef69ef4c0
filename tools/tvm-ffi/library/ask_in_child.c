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
#include "process/supervise.h"
#include "system/system.h"

/* ---- Answers ---- */

/* Answers are written to memory shared with the parent, which the library cannot close as it could
 * a pipe. Each is a record followed by its bytes. */
enum { kCapacity = 1 << 24 };
typedef struct {
  size_t used;
  char bytes[kCapacity - sizeof(size_t)];
} mailbox;
typedef struct {
  size_t size;
  char kind; /* kText, kError or kNothing */
} record;
enum { kText = 't', kError = 'e', kNothing = 'n' };

static bool put(mailbox *box, char kind, const char *bytes, size_t size) {
  record head;
  size_t left = sizeof box->bytes - box->used;
  if (left < sizeof head || size > left - sizeof head) return false;
  memset(&head, 0, sizeof head);
  head.kind = kind;
  head.size = size;
  memcpy(box->bytes + box->used, &head, sizeof head);
  memcpy(box->bytes + box->used + sizeof head, bytes, size);
  box->used += sizeof head + size;
  return true;
}

/* Reads the answer at *offset and advances it; false at the end. The record is checked, since a
 * broken library may have written anything here. */
static bool get(const mailbox *box, size_t *offset, record *out, const char **out_bytes) {
  size_t end = box->used < sizeof box->bytes ? box->used : sizeof box->bytes;
  if (*offset > end || end - *offset < sizeof *out) return false;
  memcpy(out, box->bytes + *offset, sizeof *out);
  *offset += sizeof *out;
  if (out->size > end - *offset) return false;
  *out_bytes = box->bytes + *offset;
  *offset += out->size;
  return true;
}

/* ---- The child ---- */

typedef struct {
  const char *name, *path;
  const listing *exports;
  mailbox *answers;
  void *library; /* NULL: it cannot be loaded */
  tvmffi_dl_reason reason;
} question;

static bool put_text(mailbox *box, char kind, const char *line) {
  return put(box, kind, line, strlen(line));
}

static bool put_raised(mailbox *box) {
  char *line = runtime_error_take_line();
  bool good = put_text(box, kError, line);
  free(line);
  return good;
}

static bool put_result(mailbox *box, const TVMFFIAny *result) {
  TVMFFIByteArray bytes;
  if (!tvm_ffi_any_try_string(result, &bytes)) {
    return put_text(box, kError, "its answer is not a string");
  }
  return put(box, kText, bytes.data, bytes.size) || put_text(box, kError, "its answer is too long");
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

static void read_answer(listed_function *function, bool is_doc, const record *head,
                        const char *bytes) {
  if (head->kind == kError) {
    if (function->wrong == NULL) function->wrong = tool_copy(bytes, head->size);
  } else if (head->kind == kText && is_doc) {
    if (function->doc == NULL) function->doc = text_escape_lines(bytes, head->size);
  } else if (head->kind == kText) {
    if (function->metadata == NULL) listing_set_metadata(function, bytes, head->size);
  }
}

static void read_answers(const mailbox *box, listing *exports) {
  static const char kSilent[] = "the library did not answer";
  size_t offset = 0, i;
  record head;
  const char *bytes;
  for (i = 0; i < exports->num_functions; ++i) {
    listed_function *function = &exports->functions[i];
    if (get(box, &offset, &head, &bytes)) {
      read_answer(function, false, &head, bytes);
      if (get(box, &offset, &head, &bytes)) read_answer(function, true, &head, bytes);
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
  out->answers = pages_share(sizeof *out->answers);
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
    pages_release(q.answers, sizeof *q.answers);
  }
  free(path);
  return code;
}

static int try_to_load(void *context) {
  question *q = context;
  q->path = q->name;
  foreign_call(kStageLoad, q->name, open_library, q);
  q->answers->used = q->library != NULL;
  return kExitOk;
}

int ask_to_load(const char *name, bool *out_loads) {
  question q;
  int code = prepare(name, &q);
  *out_loads = false;
  if (code != kExitOk) return code;
  code = run_question(try_to_load, &q, 0);
  *out_loads = code == kExitOk && q.answers->used != 0;
  pages_release(q.answers, sizeof *q.answers);
  return code;
}
