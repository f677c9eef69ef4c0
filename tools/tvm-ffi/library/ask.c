/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <tvm/ffi/c.h>

/* Which has to come before `text` is a type. */
#include "library/ask.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/raised.h"
#include "base/report.h"
#include "base/shown.h"
#include "library/library_file.h"
#include "process/isolate.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/* ---- Answers -----------------------------------------------------------------------------------
 */

/* They come back in memory that both processes have, which the library cannot close. Each is a
 * record and its bytes. */
enum { kCapacity = 1 << 24 };
typedef struct {
  size_t used;
  char bytes[kCapacity - sizeof(size_t)];
} mailbox;
typedef struct {
  size_t size;
  char what; /* kText, kError or kNothing */
} record;
enum { kText = 't', kError = 'e', kNothing = 'n' };

static bool put(mailbox *to, char what, const char *bytes, size_t size) {
  record head;
  size_t left = sizeof to->bytes - to->used;
  if (left < sizeof head || size > left - sizeof head) return false;
  memset(&head, 0, sizeof head);
  head.what = what;
  head.size = size;
  memcpy(to->bytes + to->used, &head, sizeof head);
  memcpy(to->bytes + to->used + sizeof head, bytes, size);
  to->used += sizeof head + size;
  return true;
}

/* The answer at an offset, which moves on behind it; false when there is none. Anything may have
 * been written here by a library that is not right. */
static bool get(const mailbox *from, size_t *offset, record *out, const char **out_bytes) {
  size_t end = from->used < sizeof from->bytes ? from->used : sizeof from->bytes;
  if (*offset > end || end - *offset < sizeof *out) return false;
  memcpy(out, from->bytes + *offset, sizeof *out);
  *offset += sizeof *out;
  if (out->size > end - *offset) return false;
  *out_bytes = from->bytes + *offset;
  *offset += out->size;
  return true;
}

/* ---- The child ---------------------------------------------------------------------------------
 */

typedef struct {
  const char *name, *path;
  const listing *of;
  mailbox *answers;
} question;

static bool put_text(mailbox *to, char what, const char *line) {
  return put(to, what, line, strlen(line));
}

static bool put_raised(mailbox *to) {
  char *line = raised_take_line();
  bool good = put_text(to, kError, line);
  free(line);
  return good;
}

static bool put_result(mailbox *to, const TVMFFIAny *result) {
  TVMFFIByteArray bytes;
  if (!tvm_ffi_any_try_string(result, &bytes)) {
    return put_text(to, kError, "what it gave is no text");
  }
  return put(to, kText, bytes.data, bytes.size) || put_text(to, kError, "what it gave is too long");
}

/* Of a symbol's type only its name tells. */
static bool ask_symbol(const question *q, void *library, const char *symbol) {
  TVMFFISafeCallType function;
  TVMFFIAny result = tvm_ffi_any_none();
  void *address = dlsym(library, symbol);
  bool good;
  int code;
  if (address == NULL) return put(q->answers, kNothing, "", 0);
  memcpy(&function, &address, sizeof function);
  isolate_progress("%s", symbol);
  code = function(NULL, NULL, 0, &result);
  isolate_enter(kStageAsk, NULL); /* its own process alone answers */
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

static int ask_all(void *context) {
  question *q = context;
  size_t i;
  void *library;
  isolate_enter(kStageLoad, q->name);
  library = dlopen(q->path, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    isolate_enter(kStageOwn, q->name);
    library_file_refuse(q->name, q->path, reason != NULL ? reason : "it does not load");
    return kExitLoad;
  }
  isolate_enter(kStageAsk, q->name);
  for (i = 0; i < q->of->num_functions; ++i) {
    if (!ask_about(q, library, q->of->functions[i].name)) break;
  }
  isolate_enter(kStageOwn, q->name);
  if (i == q->of->num_functions) return kExitOk;
  return report_fail(kExitLoad, "%s: what it gave is more than %d MiB", q->name, kCapacity >> 20);
}

/* ---- The parent --------------------------------------------------------------------------------
 */

static void read_answer(listed_function *to, bool is_doc, const record *head, const char *bytes) {
  if (head->what == kError) {
    if (to->wrong == NULL) to->wrong = tool_copy(bytes, head->size);
  } else if (head->what == kText && is_doc) {
    if (to->doc == NULL) to->doc = shown_lines(bytes, head->size);
  } else if (head->what == kText) {
    if (to->metadata == NULL) listing_set_metadata(to, bytes, head->size);
  }
}

static void read_answers(const mailbox *from, listing *to) {
  static const char kSilent[] = "the library did not answer";
  size_t offset = 0, i;
  record head;
  const char *bytes;
  for (i = 0; i < to->num_functions; ++i) {
    listed_function *one = &to->functions[i];
    if (get(from, &offset, &head, &bytes)) {
      read_answer(one, false, &head, bytes);
      if (get(from, &offset, &head, &bytes)) read_answer(one, true, &head, bytes);
    } else if (one->can_ask && one->metadata == NULL) {
      one->wrong = tool_copy(kSilent, sizeof kSilent - 1);
    }
  }
}

static int run_question(int (*body)(void *context), question *q, double timeout) {
  isolation how;
  memset(&how, 0, sizeof how);
  how.timeout = timeout;
  how.skips_unload = true;
  return isolate_run(body, q, &how);
}

/* Makes room for answers; not kExitOk when reported. */
static int prepare(const char *name, question *out) {
  memset(out, 0, sizeof *out);
  out->name = name;
  out->answers =
      mmap(NULL, sizeof *out->answers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (out->answers != MAP_FAILED) return kExitOk;
  return report_fail(kExitRaised, "no memory to ask %s with: %s", name, strerror(errno));
}

int ask_library(const char *name, listing *of, double timeout) {
  question q;
  char *path = library_file_find(name);
  int code = path != NULL ? prepare(name, &q) : kExitLoad;
  if (code == kExitOk) {
    q.path = path;
    q.of = of;
    code = run_question(ask_all, &q, timeout);
    read_answers(q.answers, of);
    munmap(q.answers, sizeof *q.answers);
  }
  free(path);
  return code;
}

static int try_to_load(void *context) {
  const question *q = context;
  isolate_enter(kStageLoad, q->name);
  q->answers->used = dlopen(q->name, RTLD_NOW | RTLD_LOCAL) != NULL;
  isolate_enter(kStageOwn, NULL);
  return kExitOk;
}

int ask_to_load(const char *name, bool *out_loads) {
  question q;
  int code = prepare(name, &q);
  *out_loads = false;
  if (code != kExitOk) return code;
  code = run_question(try_to_load, &q, 0);
  *out_loads = code == kExitOk && q.answers->used != 0;
  munmap(q.answers, sizeof *q.answers);
  return code;
}
