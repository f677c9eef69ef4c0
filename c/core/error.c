/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "core/backtrace.h"
#include "core/object.h"
#include "core/thread_state.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "platform/platform.h"

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

static void delete_error(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_error, destroy_error, 0);
}

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
static char *place_text(TVMFFIByteArray *out, char **cursor, size_t size) {
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
  (void)place_text(&error->cell.kind, &cursor, kind_size);
  (void)place_text(&error->cell.message, &cursor, message_size);
  (void)place_text(&error->cell.backtrace, &cursor, backtrace_size);
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

/* Takes over the reference. Releases the old error first, because its deleter may raise another. */
static void set_raised(TVMFFIObject *error) {
  TVMFFIObject *old;
  while ((old = tvmffi_thread.raised) != NULL) {
    tvmffi_thread.raised = NULL;
    tvmffi_object_release(old);
  }
  tvmffi_thread.raised = error;
  if (error != NULL && !tvmffi_thread.has_exit_hook) tvmffi_thread_ensure_exit_hook();
}

bool tvmffi_error_is_raised(void) {
  return tvmffi_thread.raised != NULL;
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  if (error != NULL && ((TVMFFIObject *)error)->type_index != kTVMFFIError) {
    /* Code that takes an error from the slot relies on its type. */
    tvmffi_error_raisef("TypeError", "%s: expected `ffi.Error` but got `%s`", __func__,
                        tvmffi_type_key(((TVMFFIObject *)error)->type_index));
    return;
  }
  tvmffi_object_retain(error);
  set_raised(error);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result) {
  if (result == NULL) return;
  *result = tvmffi_thread.raised;
  tvmffi_thread.raised = NULL;
}

void tvmffi_error_raise_memory(void) {
  tvmffi_object_retain(&memory_error);
  set_raised(&memory_error.header);
}

/* Makes an error; the caller fills in the message and raises it. NULL after raising MemoryError. */
static error_object *raise_unfilled(const char *kind, size_t message_size) {
  const TVMFFIByteArray *backtrace = tvmffi_backtrace_for_raise();
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
  char text[512];
  error_object *error;
  va_list args;
  int length;
  va_start(args, format);
  length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0) {
    tvmffi_error_raise_memory();
    return;
  }
  error = raise_unfilled(kind, (size_t)length);
  if (error == NULL) return;
  if ((size_t)length < sizeof text) {
    fill_text(&error->cell.message, text);
  } else {
    va_start(args, format);
    (void)vsnprintf((char *)(uintptr_t)error->cell.message.data, (size_t)length + 1, format, args);
    va_end(args);
  }
  set_raised(&error->header);
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
  set_raised(&error->header);
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
