/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backtrace.h"

#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/platform.h"

enum { kDefaultLimit = 512 };

static int enabled;
static TVMFFIRuntimeStackWalker walker; /* NULL: the built-in one */
static void *walker_context;
static tvmffi_mutex walker_mutex = TVMFFI_MUTEX_INIT;

int TVMFFIRuntimeSetBacktraceEnabled(int new_enabled) {
  return tvmffi_atomic_exchange_int(&enabled, new_enabled != 0);
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
    if (*text < '0' || *text > '9') return kDefaultLimit;
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
} walk;

static void append_line(walk *w, const char *file, int32_t line, const char *symbol) {
  tvmffi_buf_appendf(w->text, "  File \"%s\", line %d, in %s\n", file, (int)line, symbol);
  ++w->lines;
}

static void append_frame(walk *w, const TVMFFIRuntimeFrame *frame, const char *symbol) {
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
  walk *w = context;
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
  walk w;
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
  if (!has_line || tvmffi_atomic_load_relaxed_int(&enabled)) {
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
  if (w.text->failed || w.text->data == NULL) return &empty;
  record->backtrace.data = w.text->data;
  record->backtrace.size = w.text->size;
  return &record->backtrace;
}

const TVMFFIByteArray *tvmffi_backtrace_for_raise(void) {
  static const TVMFFIByteArray empty = {"", 0};
  if (TVMFFI_LIKELY(!tvmffi_atomic_load_relaxed_int(&enabled))) return &empty;
  return TVMFFIBacktrace(NULL, 0, NULL, 0);
}
