/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "base/utf8.h"
#include "core/any.h"
#include "core/object.h"
#include "core/thread_state.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "platform/platform.h"

/* ---- Messages for the host ---- */

static TVMFFIRuntimeLogHook log_hook;
static void *hook_context;
static tvmffi_mutex hook_mutex = TVMFFI_MUTEX_INIT;

int TVMFFIRuntimeSetLogHook(TVMFFIRuntimeLogHook new_hook, void *context) {
  tvmffi_mutex_lock(&hook_mutex);
  tvmffi_atomic_store_relaxed_ptr(&log_hook, new_hook);
  hook_context = context;
  tvmffi_mutex_unlock(&hook_mutex);
  return 0;
}

/* A message: whole, and in UTF-8 even if it shows names that are not. */
typedef struct {
  const char *text; /* in one of the next two */
  size_t size;
  tvmffi_buf longer; /* empty if the room is enough */
  char room[512];
} message_text;

/* Ends what fits into the room, after a whole character, and replaces what is not UTF-8. */
static void end_without_memory(message_text *out) {
  size_t size = tvmffi_utf8_cut(out->room, strlen(out->room)), length, i;
  out->room[size] = '\0';
  for (i = 0; i < size; i += length) {
    length = tvmffi_utf8_measure(out->room + i, size - i);
    if (length == 0) {
      out->room[i] = '?';
      length = 1;
    }
  }
  out->text = out->room;
}

/* False without memory. Whoever called it ends the buffer. */
static bool message_format(message_text *out, const char *format, va_list args) {
  static const tvmffi_buf empty = TVMFFI_BUF_INIT;
  va_list again;
  int length;
  va_copy(again, args);
  out->room[0] = '\0';
  length = vsnprintf(out->room, sizeof out->room, format, args);
  out->text = out->room;
  out->size = (size_t)length;
  out->longer = empty;
  if (length < 0 || out->size >= sizeof out->room || !tvmffi_utf8_is_valid(out->room, out->size)) {
    tvmffi_buf_vappendf(&out->longer, format, again);
    tvmffi_buf_escape_invalid(&out->longer);
    out->text = out->longer.data;
    out->size = out->longer.size;
  }
  va_end(again);
  return !out->longer.failed;
}

void tvmffi_log_warning(const char *format, ...) {
  message_text said;
  TVMFFIRuntimeLogHook current;
  void *context;
  va_list args;
  if (tvmffi_atomic_load_relaxed_ptr(&log_hook) == NULL) return;
  tvmffi_mutex_lock(&hook_mutex);
  current = log_hook;
  context = hook_context;
  tvmffi_mutex_unlock(&hook_mutex);
  va_start(args, format);
  if (!message_format(&said, format, args)) end_without_memory(&said);
  va_end(args);
  if (current != NULL) current(context, kTVMFFIRuntimeLogLevelWarning, said.text);
  tvmffi_buf_fini(&said.longer);
}

/* ---- Backtraces ---- */

enum { kDefaultLimit = 512 };

static int backtrace_enabled;
static TVMFFIRuntimeStackWalker walker; /* NULL: the built-in one */
static void *walker_context;
static tvmffi_mutex walker_mutex = TVMFFI_MUTEX_INIT;

int TVMFFIRuntimeSetBacktraceEnabled(int new_enabled) {
  return tvmffi_atomic_exchange_int(&backtrace_enabled, new_enabled != 0);
}

int TVMFFIRuntimeSetStackWalker(TVMFFIRuntimeStackWalker new_walker, void *context) {
  tvmffi_mutex_lock(&walker_mutex);
  walker = new_walker;
  walker_context = context;
  tvmffi_mutex_unlock(&walker_mutex);
  return 0;
}

void tvmffi_backtrace_shutdown(void) {
  (void)TVMFFIRuntimeSetStackWalker(NULL, NULL);
  (void)TVMFFIRuntimeSetBacktraceEnabled(0);
}

/*
 * The limit from the environment, read at each call: a decimal number in 0..INT32_MAX; anything
 * else means the default.
 */
static int32_t read_limit(void) {
  const char *text = getenv("TVM_TRACEBACK_LIMIT");
  int64_t limit = 0;
  if (text == NULL || *text == '\0') return kDefaultLimit;
  for (; *text != '\0'; ++text) {
    if (!tvmffi_is_digit(*text)) return kDefaultLimit;
    limit = limit * 10 + (*text - '0');
    if (limit > INT32_MAX) return kDefaultLimit;
  }
  return (int32_t)limit;
}

/*
 * The walk ends at a boundary symbol: from there on the frames are in the frontend's own backtrace.
 * Excluded frames are left out. Symbols are prefixes, files are substrings of paths; each list is a
 * sequence of NUL-terminated texts, the last one empty.
 */
static const char kBoundarySymbols[] =
    "TVMFFIFunctionCall\0"
    "slot_tp_call\0"
    "object_is_not_callable\0"
    "_Py\0"
    "PyObject\0";
static const char kExcludedSymbols[] =
    "tvm::ffi::Function\0"
    "tvm::ffi::detail::\0"
    "tvm::ffi::details::\0"
    "TVMFFIBacktrace\0"
    "TVMFFIErrorSetRaisedFromCStr\0"
    "__libc_\0"
    "ffi_call_\0";
static const char kExcludedFiles[] =
    "include/tvm/ffi/error.h\0"
    "include/tvm/ffi/function_detail.h\0"
    "include/tvm/ffi/function_details.h\0"
    "include/tvm/ffi/function.h\0"
    "include/tvm/ffi/any.h\0"
    "include/c++/\0";

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool starts_with_one_of(const char *text, const char *prefixes) {
  for (; *prefixes != '\0'; prefixes += strlen(prefixes) + 1) {
    if (starts_with(text, prefixes)) return true;
  }
  return false;
}

static bool has_one_of(const char *text, const char *parts) {
  for (; *parts != '\0'; parts += strlen(parts) + 1) {
    if (strstr(text, parts) != NULL) return true;
  }
  return false;
}

static bool is_excluded(const char *file, const char *symbol) {
  return starts_with_one_of(symbol, kExcludedSymbols) ||
         (file != NULL && has_one_of(file, kExcludedFiles));
}

/* Demangles a C++ name if the C++ runtime is loaded. Returns memory of malloc, or NULL. */
static char *demangle(const char *symbol) {
  typedef char *(*demangler)(const char *name, char *buffer, size_t *length, int *status);
  /* Kernels are loaded with local scope, and so is the C++ runtime that they need. */
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", NULL};
  static void *found;
  union {
    void *data;
    demangler function;
  } cast;
  int status = -1;
  if (symbol[0] != '_' || symbol[1] != 'Z') return NULL;
  cast.data = tvmffi_atomic_load_relaxed_ptr(&found);
  if (cast.data == NULL) {
    cast.data = tvmffi_dl_find_loaded("__cxa_demangle", libraries);
    tvmffi_atomic_store_relaxed_ptr(&found, cast.data);
  }
  return cast.data != NULL ? cast.function(symbol, NULL, NULL, &status) : NULL;
}

typedef struct {
  tvmffi_buf *text;
  int32_t lines;
  int32_t limit;
  int skip;
  int cross_boundary;
} frame_text;

static void append_line(frame_text *w, const char *file, int32_t line, const char *symbol) {
  tvmffi_buf_appendf(w->text, "  File \"%s\", line %d, in %s\n", file, (int)line, symbol);
  ++w->lines;
}

static void append_frame(frame_text *w, const TVMFFIRuntimeFrame *frame, const char *symbol) {
  if (w->skip > 0) {
    --w->skip;
  } else if (is_excluded(frame->file, symbol)) {
    /* not shown */
  } else if (frame->file != NULL) {
    append_line(w, frame->file, frame->line, symbol);
  } else if (!starts_with(symbol, "0x0") && !starts_with(symbol, "<unknown>")) {
    append_line(w, "<unknown>", 0, symbol);
  }
}

static int visit_frame(void *context, const TVMFFIRuntimeFrame *frame) {
  frame_text *w = context;
  char address[2 + 2 * sizeof(void *) + 1];
  char *demangled = NULL;
  const char *symbol = frame->symbol;
  int stop = 0;
  if (w->lines >= w->limit) return 1;
  if (symbol == NULL) {
    static const char digits[] = "0123456789abcdef";
    size_t i, count = 2 * sizeof(void *);
    address[0] = '0';
    address[1] = 'x';
    for (i = 0; i < count; ++i) address[2 + i] = digits[(frame->pc >> (4 * (count - 1 - i))) & 15];
    address[2 + count] = '\0';
    symbol = address;
  } else if ((demangled = demangle(symbol)) != NULL) {
    symbol = demangled;
  }
  if (!w->cross_boundary && starts_with_one_of(symbol, kBoundarySymbols)) {
    stop = 1;
  } else {
    append_frame(w, frame, symbol);
  }
  free(demangled);
  return stop;
}

/* Not inlined, because the frames to skip are counted from this function. */
TVMFFI_COLD const TVMFFIByteArray *TVMFFIBacktrace(const char *filename, int lineno,
                                                   const char *func, int cross_ffi_boundary) {
  static const TVMFFIByteArray empty = {"", 0};
  bool has_line = filename != NULL && func != NULL;
  tvmffi_thread_record *record = tvmffi_thread_record_ensure();
  frame_text w;
  /* A stack walker may call this function again, for example by raising an error. */
  if (record == NULL || record->is_walking) return &empty;
  w.text = &record->backtrace_text;
  w.lines = 0;
  w.limit = read_limit();
  w.skip = has_line ? 2 : 0; /* this function and its caller, whose line is given */
  w.cross_boundary = cross_ffi_boundary;
  record->backtrace = empty; /* its buffer may be reallocated */
  tvmffi_buf_clear(w.text);
  if (has_line && !is_excluded(filename, func)) append_line(&w, filename, lineno, func);
  if (!has_line || tvmffi_atomic_load_relaxed_int(&backtrace_enabled)) {
    TVMFFIRuntimeStackWalker current;
    void *context;
    tvmffi_mutex_lock(&walker_mutex);
    current = walker != NULL ? walker : tvmffi_stack_walk;
    context = walker_context;
    tvmffi_mutex_unlock(&walker_mutex);
    record->is_walking = true;
    current(context, visit_frame, &w);
    record->is_walking = false;
  }
  tvmffi_buf_escape_invalid(w.text); /* names of files and symbols */
  if (w.text->failed || w.text->data == NULL) return &empty;
  record->backtrace.data = w.text->data;
  record->backtrace.size = w.text->size;
  return &record->backtrace;
}

/* The backtrace of an error that is being raised: empty unless backtraces are switched on. */
static const TVMFFIByteArray *backtrace_for_raise(void) {
  static const TVMFFIByteArray empty = {"", 0};
  if (TVMFFI_LIKELY(!tvmffi_atomic_load_relaxed_int(&backtrace_enabled))) return &empty;
  return TVMFFIBacktrace(NULL, 0, NULL, 0);
}

/* ---- The objects, and the MemoryError made in advance ---- */

/* A text that update_backtrace made. Readers may hold it, so it lives as long as the error. */
typedef struct backtrace_text {
  struct backtrace_text *older;
  char text[];
} backtrace_text;

typedef struct {
  TVMFFIObject header;
  TVMFFIErrorCell cell;
  backtrace_text *texts;
  size_t longest;      /* the size of the longest backtrace so far */
  char inline_texts[]; /* kind, message, backtrace, each with a NUL */
} error_object;

TVMFFI_COLD static void update_backtrace(TVMFFIObjectHandle self, const TVMFFIByteArray *backtrace,
                                         int32_t update_mode);
static void delete_error(void *self, int flags);

static void ignore_backtrace(TVMFFIObjectHandle self, const TVMFFIByteArray *backtrace,
                             int32_t update_mode) {
  (void)self;
  (void)backtrace;
  (void)update_mode;
}

/*
 * The preallocated MemoryError, one for the whole process. It is never destroyed, because its
 * initial reference is never released.
 */
static const char memory_kind[] = "MemoryError";
static const char memory_message[] = "out of memory";
static struct {
  TVMFFIObject header;
  TVMFFIErrorCell cell;
} memory_error = {{TVMFFI_BOTH_ONE, kTVMFFIError, 0, {NULL}},
                  {{memory_kind, sizeof memory_kind - 1},
                   {memory_message, sizeof memory_message - 1},
                   {"", 0},
                   ignore_backtrace,
                   NULL,
                   NULL}};

static void destroy_error(void *self) {
  error_object *error = self;
  backtrace_text *text = error->texts;
  while (text != NULL) {
    backtrace_text *older = text->older;
    tvmffi_free(text);
    text = older;
  }
  tvmffi_object_release_nested(error->cell.cause_chain);
  tvmffi_object_release_nested(error->cell.extra_context);
}

TVMFFI_DELETER(delete_error, destroy_error, 0);

bool tvmffi_error_is_shared(const TVMFFIObject *error) {
  return error == &memory_error.header;
}

bool tvmffi_error_is_own(const TVMFFIObject *error) {
  return tvmffi_error_is_shared(error) || error->deleter == delete_error;
}

static tvmffi_mutex update_mutex = TVMFFI_MUTEX_INIT;

/*
 * A reader in another thread loads first the size and then the data, and may be delayed in between.
 * Hence every text has room for the longest one so far, and data is stored before size: whichever
 * data the reader finds has at least as many bytes as the size that it loaded.
 *
 * If out of memory, the old text stays: a backtrace is not worth an error of its own.
 */
static void update_backtrace(TVMFFIObjectHandle self, const TVMFFIByteArray *backtrace,
                             int32_t update_mode) {
  error_object *error = self;
  size_t kept, added = backtrace != NULL && backtrace->data != NULL ? backtrace->size : 0;
  size_t size, room, bytes;
  backtrace_text *text;
  tvmffi_mutex_lock(&update_mutex);
  kept = update_mode == kTVMFFIBacktraceUpdateModeReplace ? 0 : error->cell.backtrace.size;
  if (tvmffi_checked_add_size(kept, added, &size)) {
    room = size > error->longest ? size : error->longest;
    if (tvmffi_checked_add_size(room, sizeof *text + 1, &bytes) &&
        (text = tvmffi_alloc(bytes)) != NULL) {
      if (kept != 0) memcpy(text->text, error->cell.backtrace.data, kept);
      if (added != 0) memcpy(text->text + kept, backtrace->data, added);
      memset(text->text + size, 0, room - size + 1);
      text->older = error->texts;
      error->texts = text;
      error->longest = room;
      tvmffi_atomic_store_release(&error->cell.backtrace.data, (const char *)text->text);
      tvmffi_atomic_store_release(&error->cell.backtrace.size, size);
    }
  }
  tvmffi_mutex_unlock(&update_mutex);
}

/* Reserves space for a text and its NUL at *cursor, and advances it. */
static char *place_error_text(TVMFFIByteArray *out, char **cursor, size_t size) {
  char *text = *cursor;
  text[size] = '\0';
  out->data = text;
  out->size = size;
  *cursor = text + size + 1;
  return text;
}

/* Allocates one block for the object and its texts, without filling them in. NULL: no memory. */
static error_object *alloc_error(size_t kind_size, size_t message_size, size_t backtrace_size) {
  error_object *error;
  char *cursor;
  size_t bytes;
  if (!tvmffi_checked_add_size(kind_size, message_size, &bytes) ||
      !tvmffi_checked_add_size(bytes, backtrace_size, &bytes) ||
      !tvmffi_checked_add_size(bytes, sizeof *error + 3, &bytes)) {
    return NULL;
  }
  error = tvmffi_object_alloc(bytes, 0, kTVMFFIError, delete_error);
  if (error == NULL) return NULL;
  cursor = error->inline_texts;
  (void)place_error_text(&error->cell.kind, &cursor, kind_size);
  (void)place_error_text(&error->cell.message, &cursor, message_size);
  (void)place_error_text(&error->cell.backtrace, &cursor, backtrace_size);
  error->cell.update_backtrace = update_backtrace;
  error->cell.cause_chain = NULL;
  error->cell.extra_context = NULL;
  error->texts = NULL;
  error->longest = backtrace_size;
  return error;
}

/* Copies data into a text that alloc_error left empty. */
static void fill_text(const TVMFFIByteArray *text, const char *data) {
  if (text->size != 0) memcpy((char *)(uintptr_t)text->data, data, text->size);
}

/* ---- The error slot of the thread ---- */

/* Releases the old error first, because its deleter may raise another. */
void tvmffi_error_replace_raised(TVMFFIObject *error) {
  TVMFFIObject *old;
  while ((old = tvmffi_thread.raised) != NULL) {
    tvmffi_thread.raised = NULL;
    tvmffi_object_release(old);
  }
  tvmffi_thread.raised = error;
  if (error != NULL && !tvmffi_thread.has_exit_hook) tvmffi_thread_ensure_exit_hook();
}

bool tvmffi_error_is_raised_with(const char *kind) {
  TVMFFIObject *error = tvmffi_thread.raised;
  return error != NULL && tvmffi_bytes_are(&TVMFFIErrorGetCellPtr(error)->kind, kind);
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  /* Helpers empty the slot before each call. */
  if (error == NULL && TVMFFI_LIKELY(tvmffi_thread.raised == NULL)) return;
  if (error != NULL && ((TVMFFIObject *)error)->type_index != kTVMFFIError) {
    /* Code that takes an error from the slot relies on its type. */
    tvmffi_error_raisef("TypeError", "%s: expected `ffi.Error` but got `%s`", __func__,
                        tvmffi_type_key(((TVMFFIObject *)error)->type_index));
    return;
  }
  tvmffi_object_retain(error);
  tvmffi_error_replace_raised(error);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result) {
  if (result == NULL) return;
  *result = tvmffi_thread.raised;
  tvmffi_thread.raised = NULL;
}

void tvmffi_error_raise_memory(void) {
  tvmffi_object_retain(&memory_error);
  tvmffi_error_replace_raised(&memory_error.header);
}

/* Appends as much as fits to the text of *size bytes, and adds to *size as if all did. */
TVMFFI_COLD static void put_text(char *buffer, size_t capacity, size_t *size, const char *text,
                                 size_t length) {
  if (*size < capacity && length != 0) {
    size_t room = capacity - *size;
    memcpy(buffer + *size, text, length < room ? length : room);
  }
  *size += length;
}

size_t TVMFFIRuntimeErrorTake(char *buffer, size_t capacity) {
  static const char no_error[] = "(no error)", separator[] = "\ncaused by ";
  const TVMFFIObject *error = tvmffi_thread.raised;
  size_t size = 0;
  int depth;
  if (buffer == NULL) capacity = 0;
  if (error == NULL) put_text(buffer, capacity, &size, no_error, sizeof no_error - 1);
  /* As many causes as tvm_ffi_error_format writes. */
  for (depth = 0; error != NULL && depth < 16; ++depth) {
    const TVMFFIErrorCell *cell = (const TVMFFIErrorCell *)(const void *)(error + 1);
    if (depth != 0) put_text(buffer, capacity, &size, separator, sizeof separator - 1);
    put_text(buffer, capacity, &size, cell->kind.data, cell->kind.size);
    put_text(buffer, capacity, &size, ": ", 2);
    put_text(buffer, capacity, &size, cell->message.data, cell->message.size);
    error = cell->cause_chain;
  }
  if (capacity != 0) {
    buffer[size < capacity ? size : tvmffi_utf8_cut(buffer, capacity - 1)] = '\0';
    TVMFFIErrorSetRaised(NULL);
  }
  return size;
}

/* Makes an error; the caller fills in the message and raises it. NULL after raising MemoryError. */
static error_object *raise_unfilled(const char *kind, size_t message_size) {
  const TVMFFIByteArray *backtrace = backtrace_for_raise();
  size_t kind_size = strlen(kind);
  error_object *error = alloc_error(kind_size, message_size, backtrace->size);
  if (error == NULL) {
    tvmffi_error_raise_memory();
    return NULL;
  }
  memcpy(error->inline_texts, kind, kind_size);
  fill_text(&error->cell.backtrace, backtrace->data);
  return error;
}

void tvmffi_error_raisef(const char *kind, const char *format, ...) {
  message_text said;
  error_object *error = NULL;
  va_list args;
  va_start(args, format);
  if (message_format(&said, format, args)) {
    error = raise_unfilled(kind, said.size);
  } else {
    tvmffi_error_raise_memory();
  }
  va_end(args);
  if (error != NULL) {
    fill_text(&error->cell.message, said.text);
    tvmffi_error_replace_raised(&error->header);
  }
  tvmffi_buf_fini(&said.longer);
}

int tvmffi_fail_null_argument(const char *function, const char *name) {
  return tvmffi_fail("ValueError", "%s: argument `%s` must not be NULL", function, name);
}

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **message_parts,
                                       int32_t num_parts) {
  error_object *error;
  size_t size = 0, written = 0;
  int32_t i;
  if (message_parts == NULL) num_parts = 0;
  for (i = 0; i < num_parts; ++i) {
    if (message_parts[i] != NULL &&
        !tvmffi_checked_add_size(size, strlen(message_parts[i]), &size)) {
      tvmffi_error_raise_memory(); /* GCOVR_EXCL_LINE: needs 2^64 bytes of text */
      return;
    }
  }
  error = raise_unfilled(kind != NULL ? kind : "", size);
  if (error == NULL) return;
  for (i = 0; i < num_parts; ++i) {
    size_t part = message_parts[i] != NULL ? strlen(message_parts[i]) : 0;
    if (part != 0) {
      memcpy((char *)(uintptr_t)error->cell.message.data + written, message_parts[i], part);
    }
    written += part;
  }
  tvmffi_error_replace_raised(&error->header);
}

/* ---- Error objects ---- */

int TVMFFIErrorCreate(const TVMFFIByteArray *kind, const TVMFFIByteArray *message,
                      const TVMFFIByteArray *backtrace, TVMFFIObjectHandle *out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, NULL, NULL, out);
}

int tvmffi_check_bytes(const char *function, const TVMFFIByteArray *bytes, const char *name) {
  if (bytes->size == 0 || (bytes->data != NULL && bytes->size <= INT32_MAX)) return 0;
  return tvmffi_fail("ValueError", "%s: `%s` has size %zu%s", function, name, bytes->size,
                     bytes->data == NULL ? " but no data" : ", which is too long");
}

/* Only requires data: a text that is too long for the memory is not an invalid argument. */
static int check_text(const char *function, const TVMFFIByteArray *text, const char *name) {
  return text->data == NULL ? tvmffi_check_bytes(function, text, name) : 0;
}

int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray *kind, const TVMFFIByteArray *message, const TVMFFIByteArray *backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle *out) {
  static const TVMFFIByteArray empty = {"", 0};
  error_object *error;
  TVMFFI_REQUIRE(out);
  if (kind == NULL) kind = &empty;
  if (message == NULL) message = &empty;
  if (backtrace == NULL) backtrace = &empty;
  TVMFFI_TRY(check_text(__func__, kind, "kind"));
  TVMFFI_TRY(check_text(__func__, message, "message"));
  TVMFFI_TRY(check_text(__func__, backtrace, "backtrace"));
  if (cause_chain != NULL && ((TVMFFIObject *)cause_chain)->type_index != kTVMFFIError) {
    return tvmffi_fail("TypeError", "%s: expected `ffi.Error` for `cause_chain` but got `%s`",
                       __func__, tvmffi_type_key(((TVMFFIObject *)cause_chain)->type_index));
  }
  error = alloc_error(kind->size, message->size, backtrace->size);
  if (error == NULL) return -1; /* the ABI prescribes that this failure raises nothing */
  fill_text(&error->cell.kind, kind->data);
  fill_text(&error->cell.message, message->data);
  fill_text(&error->cell.backtrace, backtrace->data);
  tvmffi_object_retain(cause_chain);
  tvmffi_object_retain(extra_context);
  error->cell.cause_chain = cause_chain;
  error->cell.extra_context = extra_context;
  *out = error;
  return 0;
}
