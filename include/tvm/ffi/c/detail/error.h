/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/error.h
 * The bodies of tvm/ffi/c/error.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ERROR_H_
#define TVM_FFI_C_DETAIL_ERROR_H_

#if defined(__GNUC__)
/* Keeps code that runs only on failure away from the hot path. */
#define TVM_FFI_C_DETAIL_COLD __attribute__((__cold__))
/* Always inline, so that the compiler sees that the caller returns when the code is not 0, before
 * it uses the output that was not written. Otherwise it warns of uninitialised variables. */
#ifdef __OPTIMIZE__
#define TVM_FFI_C_DETAIL_INLINE static inline __attribute__((__always_inline__))
#else
/* It does not warn of them, and compiles one function faster than its copies. */
#define TVM_FFI_C_DETAIL_INLINE static inline
#endif
/* The compiler warns when a caller ignores the result. */
#define TVM_FFI_C_DETAIL_NODISCARD __attribute__((__warn_unused_result__))
#else
#define TVM_FFI_C_DETAIL_COLD
#define TVM_FFI_C_DETAIL_INLINE static inline
#define TVM_FFI_C_DETAIL_NODISCARD
#endif
/* For readers, which write their output only if they return 0, and for checks. */
#define TVM_FFI_C_DETAIL_READER TVM_FFI_C_DETAIL_NODISCARD TVM_FFI_C_DETAIL_INLINE

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_failed(void) {
  return -1;
}

#define TVM_FFI_C_DETAIL_FAIL(...) (tvm_ffi_error_raise(__VA_ARGS__), tvm_ffi_detail_failed())

/** The size of the first `size` bytes of a text without a character that ends after them. */
static inline size_t tvm_ffi_detail_cut(const char *text, size_t size) {
  size_t last = size;
  while (last > 0 && size - last < 4) {
    const unsigned char c = (unsigned char)text[--last];
    if ((c & 0xc0) != 0x80) {
      return (c < 0xc0 ? 1U : c < 0xe0 ? 2U : c < 0xf0 ? 3U : 4U) > size - last ? last : size;
    }
  }
  return size;
}

/**
 * The formatted text: in buffer, or malloc'd if that is too small; without memory cut off after a
 * whole character.
 */
TVM_FFI_C_PRINTF(3, 0)
static inline char *tvm_ffi_detail_format(char *buffer, size_t capacity, const char *format,
                                          va_list values) {
  va_list again;
  char *text = buffer;
  int size;
  va_copy(again, values);
  size = vsnprintf(buffer, capacity, format, values);
  if (size < 0) {
    buffer[0] = '\0';
  } else if ((size_t)size >= capacity) {
    char *larger = (char *)malloc((size_t)size + 1);
    if (larger != NULL) {
      vsnprintf(larger, (size_t)size + 1, format, again);
      text = larger;
    } else {
      buffer[tvm_ffi_detail_cut(buffer, capacity - 1)] = '\0';
    }
  }
  va_end(again);
  return text;
}

/** Appends at *size as much as fits, and counts all of it in *size; adds no NUL. */
static inline void tvm_ffi_detail_put(char *buffer, size_t capacity, size_t *size, const char *data,
                                      size_t count) {
  if (*size < capacity && count != 0) {
    size_t room = capacity - *size;
    memcpy(buffer + *size, data, count < room ? count : room);
  }
  *size += count;
}

/* Text and numbers are written without the C library in what kernels use: a compiler that does not
 * optimise spends a third of its time for a small kernel on linking printf. */

/** Writes a text as far as it fits before `end`, and a NUL. @return Where the NUL is. */
TVM_FFI_C_DETAIL_COLD static inline char *tvm_ffi_detail_put_text(char *at, const char *end,
                                                                  const char *text) {
  for (; *text != '\0' && end - at > 1; ++text) *at++ = *text;
  if (at != end) *at = '\0';
  return at;
}

/** Writes a number in the same way. */
TVM_FFI_C_DETAIL_COLD static inline char *tvm_ffi_detail_put_int(char *at, const char *end,
                                                                 int64_t value) {
  char digits[24];
  char *first = digits + sizeof digits - 1;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  *first = '\0';
  do {
    *--first = (char)('0' + (int)(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) *--first = '-';
  return tvm_ffi_detail_put_text(at, end, first);
}

static inline TVMFFIByteArray tvm_ffi_detail_bytes(const char *text) {
  TVMFFIByteArray bytes;
  bytes.data = text;
  bytes.size = text != NULL ? strlen(text) : 0;
  return bytes;
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_error_raise(const char *kind, const char *format,
                                                            ...) {
  char buffer[256];
  char *text;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  TVMFFIErrorSetRaisedFromCStr(kind, text);
  if (text != buffer) free(text);
  return -1;
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_error_raise_at(const char *file, int line,
                                                               const char *func, const char *kind,
                                                               const char *format, ...) {
  TVMFFIByteArray kind_bytes = tvm_ffi_detail_bytes(kind), message;
  TVMFFIObjectHandle error = NULL;
  char buffer[256];
  char *text;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  message = tvm_ffi_detail_bytes(text);
  if (TVMFFIErrorCreate(&kind_bytes, &message, TVMFFIBacktrace(file, line, func, 0), &error) == 0) {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  } else {
    TVMFFIErrorSetRaisedFromCStr(kind, text);
  }
  if (text != buffer) free(text);
  return -1;
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_error_wrap(const char *kind, const char *format,
                                                           ...) {
  TVMFFIByteArray kind_bytes = tvm_ffi_detail_bytes(kind), message, backtrace;
  TVMFFIObjectHandle cause = NULL, error = NULL;
  char buffer[256];
  char *text;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  message = tvm_ffi_detail_bytes(text);
  backtrace = tvm_ffi_detail_bytes(NULL);
  TVMFFIErrorMoveFromRaised(&cause);
  if (TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message, &backtrace, cause, NULL,
                                                &error) == 0) {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  } else {
    TVMFFIErrorSetRaisedFromCStr(kind, text);
  }
  if (cause != NULL) TVMFFIObjectDecRef(cause);
  if (text != buffer) free(text);
  return -1;
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_error_raise_memory(void) {
  TVMFFIErrorSetRaisedFromCStr(TVM_FFI_C_MEMORY_ERROR, "out of memory");
  return -1;
}

static inline int tvm_ffi_error_raise_prepared(TVMFFIObjectHandle error) {
  TVMFFIErrorSetRaised(error);
  return -1;
}

static inline int tvm_ffi_error_ensure(int code) {
  TVMFFIObjectHandle error = NULL;
  if (code == 0) return 0;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) {
    const char *parts[3];
    char number[16];
    tvm_ffi_detail_put_int(number, number + sizeof number, code);
    parts[0] = "callee returned ";
    parts[1] = number;
    parts[2] = " without setting an error";
    TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_INTERNAL_ERROR, parts, 3);
  } else {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  }
  return code == -2 ? -1 : code;
}

static inline TVMFFIObjectHandle tvm_ffi_error_take(void) {
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  return error;
}

static inline TVMFFIByteArray tvm_ffi_error_get_kind(TVMFFIObjectHandle error) {
  return TVMFFIErrorGetCellPtr(error)->kind;
}

static inline TVMFFIByteArray tvm_ffi_error_get_message(TVMFFIObjectHandle error) {
  return TVMFFIErrorGetCellPtr(error)->message;
}

static inline TVMFFIByteArray tvm_ffi_error_get_backtrace(TVMFFIObjectHandle error) {
  return TVMFFIErrorGetCellPtr(error)->backtrace;
}

static inline TVMFFIObjectHandle tvm_ffi_error_get_cause(TVMFFIObjectHandle error) {
  return TVMFFIErrorGetCellPtr(error)->cause_chain;
}

static inline TVMFFIObjectHandle tvm_ffi_error_get_context(TVMFFIObjectHandle error) {
  return TVMFFIErrorGetCellPtr(error)->extra_context;
}

static inline bool tvm_ffi_error_is(TVMFFIObjectHandle error, const char *kind) {
  TVMFFIByteArray have;
  if (error == NULL) return false;
  have = tvm_ffi_error_get_kind(error);
  return have.size == strlen(kind) && memcmp(have.data, kind, have.size) == 0;
}

static inline size_t tvm_ffi_error_format(TVMFFIObjectHandle error, char *buffer, size_t capacity) {
  static const char no_error[] = "(no error)", separator[] = "\ncaused by ";
  size_t size = 0;
  int depth;
  if (error == NULL) tvm_ffi_detail_put(buffer, capacity, &size, no_error, sizeof no_error - 1);
  for (depth = 0; error != NULL && depth < 16; ++depth) {
    const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
    if (depth != 0) tvm_ffi_detail_put(buffer, capacity, &size, separator, sizeof separator - 1);
    tvm_ffi_detail_put(buffer, capacity, &size, cell->kind.data, cell->kind.size);
    tvm_ffi_detail_put(buffer, capacity, &size, ": ", 2);
    tvm_ffi_detail_put(buffer, capacity, &size, cell->message.data, cell->message.size);
    error = cell->cause_chain;
  }
  if (capacity != 0) {
    buffer[size < capacity ? size : tvm_ffi_detail_cut(buffer, capacity - 1)] = '\0';
  }
  return size;
}

static inline size_t tvm_ffi_error_format_raised(char *buffer, size_t capacity) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  size_t size = tvm_ffi_error_format(error, buffer, capacity);
  if (error != NULL) TVMFFIObjectDecRef(error);
  return size;
}

static inline void tvm_ffi_error_print(TVMFFIObjectHandle error, FILE *file) {
  char buffer[512];
  char *text = buffer;
  size_t size = tvm_ffi_error_format(error, buffer, sizeof buffer);
  if (size >= sizeof buffer) {
    char *larger = (char *)malloc(size + 1);
    if (larger != NULL) {
      text = larger;
      tvm_ffi_error_format(error, larger, size + 1);
    } else {
      size = strlen(buffer);
    }
  }
  fwrite(text, 1, size, file);
  fputc('\n', file);
  if (text != buffer) free(text);
}

static inline void tvm_ffi_error_print_backtrace(TVMFFIObjectHandle error, FILE *file) {
  TVMFFIByteArray text = tvm_ffi_error_get_backtrace(error);
  size_t end = text.size;
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && text.data[begin - 1] != '\n') --begin;
    fwrite(text.data + begin, 1, end - begin, file);
    if (text.data[end - 1] != '\n') fputc('\n', file);
    end = begin;
  }
}

static inline void tvm_ffi_error_print_raised(FILE *file) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  tvm_ffi_error_print(error, file);
  if (error != NULL) TVMFFIObjectDecRef(error);
}

#endif /* TVM_FFI_C_DETAIL_ERROR_H_ */
