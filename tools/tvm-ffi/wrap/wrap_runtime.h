/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap writes, as far as used. A function uses those above it. */

/* What the kernels assume, checked at compile time. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define WRAP_ASSERT(holds, name, message) _Static_assert(holds, message)
#else
#define WRAP_ASSERT(holds, name, message) extern char name[(holds) ? 1 : -1]
#endif

/* The largest number of an unsigned type that an int, which has 64 bits and a sign, can be. */
#define WRAP_MAX(type) (sizeof(type) < sizeof(int64_t) ? (int64_t)(type)-1 : INT64_MAX)

/* Whether a number, no infinity, becomes one as a float: it is rounded to more than the largest. */
static bool wrap_is_too_large(double value) {
  const double limit = 0x1.ffffffp127, largest = 0x1.fffffffffffffp1023;
  if (value < 0) value = -value;
  return value >= limit && value <= largest;
}

/* A number that a float can be. One that is too small, or has more digits, is rounded; infinities
 * and NaN are taken as they are. */
static int wrap_read_float(const tvm_ffi_args *args, int32_t i, double *out) {
  double value = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, i, &value));
  *out = value;
  if (!wrap_is_too_large(value)) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must be a number that fits float, at most 3.4028235e+38, but is %.9g",
                            *out);
}

/* A BigInt of the smallest size: an integer beyond int64_t, least significant word first. */
typedef struct {
  TVMFFIObject header;
  size_t num_words;
  uint64_t words[2];
} wrap_big_int;

static int wrap_raise_unsigned(const tvm_ffi_args *args, int32_t i, uint64_t high,
                               const TVMFFIAny *value) {
  if (value->type_index == kTVMFFIBigInt) {
    const wrap_big_int *big = (const wrap_big_int *)value->v_ptr;
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be from 0 to %llu, but is %s",
                              (unsigned long long)high,
                              big->words[big->num_words - 1] >> 63 != 0 ? "smaller" : "larger");
  }
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be from 0 to %llu, but is %lld",
                            (unsigned long long)high, (long long)value->v_int64);
}

/* An unsigned number. From 2^63 on it is a BigInt of two words, of which the second is 0. */
static int wrap_read_unsigned(const tvm_ffi_args *args, int32_t i, uint64_t high, uint64_t *out) {
  const TVMFFIAny *value = args->args + i;
  int64_t number = 0;
  if (i < args->num_args && value->type_index == kTVMFFIBigInt) {
    const wrap_big_int *big = (const wrap_big_int *)value->v_ptr;
    *out = big->words[0];
    return big->num_words == 2 && big->words[1] == 0 && *out <= high
               ? 0
               : wrap_raise_unsigned(args, i, high, value);
  }
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, &number));
  *out = (uint64_t)number;
  return number >= 0 && *out <= high ? 0 : wrap_raise_unsigned(args, i, high, value);
}

/* The runtime has it since 0.1.15. */
#if defined(__ELF__)
#pragma weak TVMFFIBigIntFromByteArray
#define WRAP_HAS_BIG_INT (TVMFFIBigIntFromByteArray != NULL)
#else
#define WRAP_HAS_BIG_INT true
#endif

/* A new value for an unsigned number, unless the code says that something failed. */
static int wrap_make_unsigned(int code, uint64_t value, TVMFFIAny *out) {
  *out = tvm_ffi_any_none();
  if (code != 0) return code;
  if (value > INT64_MAX && WRAP_HAS_BIG_INT) {
    const uint64_t words[2] = {value, 0};
    TVMFFIByteArray bytes;
    bytes.data = (const char *)words;
    bytes.size = sizeof words;
    return TVMFFIBigIntFromByteArray(&bytes, out);
  }
  return tvm_ffi_any_from_uint64(value, out);
}

/* Releases a value that is owned. */
static void wrap_clear(TVMFFIAny *any) {
  if (any->type_index >= kTVMFFIStaticObjectBegin) tvm_ffi_object_release(any->v_ptr);
}

/* A constant of an enumeration; the last one has no name. */
typedef struct {
  const char *name;
  int64_t value;
} wrap_choice;

/* The number of an enumeration: itself, or the name of a constant. */
static int wrap_read_choice(const tvm_ffi_args *args, int32_t i, const wrap_choice *choices,
                            int64_t *out) {
  TVMFFIByteArray name;
  const wrap_choice *choice = choices;
  *out = 0; /* compilers warn of a variable that may have no value */
  if (i >= args->num_args || !tvm_ffi_any_try_string(args->args + i, &name)) {
    int64_t low = INT32_MIN, high = INT32_MAX; /* unless one is larger: then it is unsigned */
    for (; choice->name != NULL; ++choice) {
      if (choice->value > INT32_MAX) low = 0, high = UINT32_MAX;
    }
    return tvm_ffi_args_read_int64_between(args, i, low, high, out);
  }
  for (; choice->name != NULL; ++choice) {
    if (strlen(choice->name) == name.size && memcmp(choice->name, name.data, name.size) == 0) {
      *out = choice->value;
      return 0;
    }
  }
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must be a number or a name such as `%s`, but is `%.*s`", choices->name,
                            name.size < 64 ? (int)name.size : 64, name.data);
}

/* A text of one character, which is one byte. */
static int wrap_read_char(const tvm_ffi_args *args, int32_t i, char *out) {
  TVMFFIByteArray text;
  *out = '\0'; /* compilers warn of a variable that may have no value */
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, i, &text));
  if (text.size == 1) {
    *out = text.data[0];
    return 0;
  }
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must be a text of one byte, but has %lld", (long long)text.size);
}

/* A text, or None for NULL. */
static TVMFFIAny wrap_view_text(const char *text) {
  return text != NULL ? tvm_ffi_any_view_string(text) : tvm_ffi_any_none();
}

/* The length of a character of UTF-8 of a text; 0: the byte begins none. */
static size_t wrap_measure_character(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  const unsigned char first = bytes[0], second = first >= 0xc2 ? bytes[1] : 0;
  const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  size_t i;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4) return 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) {
    return 0;
  }
  for (i = 1; i < length; ++i) {
    if ((bytes[i] & 0xc0) != 0x80) return 0;
  }
  return length;
}

/* The error of a function that has a text for it. An error is UTF-8: other bytes become `?`. */
static int wrap_raise_text(const char *function, const char *text) {
  char shown[1024];
  size_t size = 0;
  if (text == NULL) text = "it has no text for the error";
  while (*text != '\0' && size < sizeof shown - 4) {
    const size_t length = wrap_measure_character(text);
    if (length > 0) {
      memcpy(shown + size, text, length);
    } else {
      shown[size] = '?';
    }
    size += length > 0 ? length : 1;
    text += length > 0 ? length : 1;
  }
  shown[size] = '\0';
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "`%s` failed: %s", function, shown);
}

/* The error of a function that leaves its number in errno, which was 0 before the call. */
static int wrap_raise_errno(const char *function, int number) {
  return wrap_raise_text(function,
                         number != 0 ? strerror(number) : "it has left no number in errno");
}

/* Text that the function can take, which reads it up to the first NUL. */
static int wrap_read_text(const tvm_ffi_args *args, int32_t i, TVMFFIByteArray *out) {
  const char *end;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, i, out));
  end = out->size > 0 ? memchr(out->data, '\0', out->size) : NULL;
  if (end == NULL) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must be text without a NUL character, but has one after %lld bytes",
                            (long long)(end - out->data));
}

/* The same; None is NULL. */
static int wrap_read_optional_text(const tvm_ffi_args *args, int32_t i, TVMFFIByteArray *out) {
  out->data = NULL;
  return tvm_ffi_args_is_none(args, i) ? 0 : wrap_read_text(args, i, out);
}

/* Text or Bytes. */
static int wrap_read_bytes(const tvm_ffi_args *args, int32_t i, TVMFFIByteArray *out) {
  if (i < args->num_args && tvm_ffi_any_try_string(args->args + i, out)) return 0;
  return tvm_ffi_args_read_bytes(args, i, out);
}

static int wrap_check_length(const tvm_ffi_args *args, int32_t i, TVMFFIByteArray bytes,
                             int64_t expected) {
  if (bytes.size == (uint64_t)expected) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must have %lld bytes, but has %llu",
                            (long long)expected, (unsigned long long)bytes.size);
}

/* Bytes of a buffer, unless `code` says that something failed. */
static int wrap_make_bytes(int code, const char *name, const void *data, int64_t size,
                           int64_t capacity, TVMFFIAny *out) {
  *out = tvm_ffi_any_none();
  if (code != 0) return code;
  if (size >= 0 && size <= capacity) return tvm_ffi_bytes_create(data, (size_t)size, out);
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                             "`%s` has room for %lld bytes, but the function tells a size of %lld",
                             name, (long long)capacity, (long long)size);
}

/* The text of a buffer, up to a NUL. */
static int wrap_make_text(int code, const char *name, const char *data, int64_t capacity,
                          TVMFFIAny *out) {
  const char *end = (const char *)memchr(data, '\0', (size_t)capacity);
  *out = tvm_ffi_any_none();
  if (code != 0) return code;
  if (end != NULL) return tvm_ffi_string_create_sized(data, (size_t)(end - data), out);
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                             "`%s` has room for %lld bytes, but the text has no end there", name,
                             (long long)capacity);
}

/* A copy of a text that the function has made, which ends it. */
static int wrap_take_text(int code, void *text, void (*release)(void *), TVMFFIAny *out) {
  *out = tvm_ffi_any_none();
  if (text == NULL) return code;
  if (code == 0) code = tvm_ffi_string_create((const char *)text, out);
  release(text);
  return code;
}

/* A complex number of this size: an array of two numbers, or one number. */
static int wrap_read_complex(const tvm_ffi_args *args, int32_t i, void *out, size_t size) {
  double parts[2] = {0, 0};
  TVMFFIObjectHandle array = NULL;
  const TVMFFIAny *items;
  memset(out, 0, size);
  if (i < args->num_args && tvm_ffi_any_try_double(args->args + i, &parts[0])) {
    items = NULL;
  } else {
    TVM_FFI_C_TRY(tvm_ffi_args_read_array(args, i, &array));
    items = tvm_ffi_array_get_data(array);
    if (tvm_ffi_array_get_size(array) != 2 || !tvm_ffi_any_try_double(&items[0], &parts[0]) ||
        !tvm_ffi_any_try_double(&items[1], &parts[1])) {
      return tvm_ffi_args_raise(args, i, TVM_FFI_C_TYPE_ERROR,
                                "must be a complex number, which is an array of two numbers");
    }
  }
  if (size == sizeof parts) {
    memcpy(out, parts, size);
  } else if (wrap_is_too_large(parts[0]) || wrap_is_too_large(parts[1])) {
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                              "must have numbers that fit float, at most 3.4028235e+38");
  } else {
    const float single[2] = {(float)parts[0], (float)parts[1]};
    memcpy(out, single, sizeof single);
  }
  return 0;
}

/* An array of the two numbers of a complex one. */
static int wrap_make_complex(int code, const void *value, size_t size, TVMFFIAny *out) {
  double parts[2];
  float single[2];
  TVMFFIAny items[2];
  TVMFFIObjectHandle array = NULL;
  *out = tvm_ffi_any_none();
  if (code != 0) return code;
  if (size == sizeof parts) {
    memcpy(parts, value, sizeof parts);
  } else {
    memcpy(single, value, sizeof single);
    parts[0] = single[0];
    parts[1] = single[1];
  }
  items[0] = tvm_ffi_any_from_double(parts[0]);
  items[1] = tvm_ffi_any_from_double(parts[1]);
  TVM_FFI_C_TRY(tvm_ffi_array_create(items, 2, &array));
  *out = tvm_ffi_any_take_object(array);
  return 0;
}

/* Releases values that are owned. */
static void wrap_clear_items(TVMFFIAny *items, int32_t count) {
  int32_t k;
  for (k = 0; k < count; ++k) wrap_clear(&items[k]);
}

/* Takes the values of fields out of a Map, which has these alone. They are to be released, also
 * after an error. */
static int wrap_read_items(const tvm_ffi_args *args, int32_t i, const char *const *names,
                           int32_t count, TVMFFIAny *items) {
  TVMFFIObjectHandle map = NULL;
  int64_t size = 0;
  int32_t k;
  for (k = 0; k < count; ++k) items[k] = tvm_ffi_any_none();
  TVM_FFI_C_TRY(tvm_ffi_args_read_map(args, i, &map));
  TVM_FFI_C_TRY(tvm_ffi_map_read_size(map, &size));
  for (k = 0; k < count; ++k) {
    bool has = false;
    TVM_FFI_C_TRY(tvm_ffi_map_has(map, tvm_ffi_any_view_string(names[k]), &has));
    if (!has) {
      return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must have the field `%s`",
                                names[k]);
    }
    TVM_FFI_C_TRY(tvm_ffi_map_get_item(map, tvm_ffi_any_view_string(names[k]), &items[k]));
  }
  if (size == count) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must have %d fields, but has %lld",
                            (int)count, (long long)size);
}

/* A function of the caller's during a call, and the first error of it. */
typedef struct wrap_context {
  TVMFFIObjectHandle function, error;
  void *data;                      /* what a callback gets: of no other call, past or in future */
  struct wrap_context *next;       /* of this thread: the call that this one is in */
  struct wrap_context *next_known; /* of all threads */
  bool is_elsewhere;               /* another thread has called */
} wrap_context;

#if defined(_MSC_VER)
#define WRAP_THREAD_LOCAL __declspec(thread)
#elif defined(__GNUC__) && !defined(__TINYC__)
#define WRAP_THREAD_LOCAL __thread
#else /* where one thread calls */
#define WRAP_THREAD_LOCAL
#endif

#if defined(_MSC_VER) || (defined(__GNUC__) && !defined(__TINYC__))
#define WRAP_HAS_THREAD_LOCAL true
#else
#define WRAP_HAS_THREAD_LOCAL false
#endif

/* Waits until no other thread has the lock, which is held for some instructions. */
#if defined(__GNUC__)
#define WRAP_LOCK(lock) \
  while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) continue
#else /* where one thread calls */
#define WRAP_LOCK(lock) (void)(lock)
#endif

#if defined(__GNUC__)
#define WRAP_UNLOCK(lock) __atomic_clear(lock, __ATOMIC_RELEASE)
#else
#define WRAP_UNLOCK(lock) (void)(lock)
#endif

/* The calls that have a callback and go on: in this thread, and in all. */
static WRAP_THREAD_LOCAL wrap_context *wrap_contexts;
static wrap_context *wrap_known;
static bool wrap_known_lock;
static uintptr_t wrap_last_data;

/* A call of a function with a callback begins. */
static void wrap_begin(wrap_context *context, TVMFFIObjectHandle function) {
  context->function = function;
  context->next = wrap_contexts;
  wrap_contexts = context;
  WRAP_LOCK(&wrap_known_lock);
  wrap_last_data += 16;
  context->data = (void *)wrap_last_data;
  context->next_known = wrap_known;
  wrap_known = context;
  WRAP_UNLOCK(&wrap_known_lock);
}

/* The call has ended: its context is no longer one. */
static void wrap_end(wrap_context *context) {
  wrap_context **known = &wrap_known;
  wrap_contexts = context->next;
  WRAP_LOCK(&wrap_known_lock);
  while (*known != context) known = &(*known)->next_known;
  *known = context->next_known;
  WRAP_UNLOCK(&wrap_known_lock);
}

/* Whether a call in another thread has this context, which is told then. */
static bool wrap_is_elsewhere(const void *data) {
  wrap_context *context;
  WRAP_LOCK(&wrap_known_lock);
  context = wrap_known;
  while (context != NULL && context->data != data) context = context->next_known;
  if (context != NULL) context->is_elsewhere = true;
  WRAP_UNLOCK(&wrap_known_lock);
  return context != NULL;
}

/* Keeps the error of a code other than 0. True if there was none. */
static bool wrap_keep_error(wrap_context *context, int code) {
  if (code == 0) return true;
  (void)tvm_ffi_error_ensure(code);
  context->error = tvm_ffi_error_take();
  return false;
}

/* The context that a callback got, if its call goes on in this thread. Otherwise NULL, and an error
 * for the call in which it was called, if there is one. */
static wrap_context *wrap_find_context(const void *data) {
  wrap_context *context = wrap_contexts;
  while (context != NULL && context->data != data) context = context->next;
  if (context != NULL || wrap_is_elsewhere(data)) return context;
  if (wrap_contexts != NULL && wrap_contexts->error == NULL) {
    wrap_keep_error(wrap_contexts,
                    tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                                        "The library has called a function that it was given with "
                                        "other data, or after the call that gave it"));
  }
  return NULL;
}

/* Calls the caller's function, unless there was an error or there is no call of it. True if there
 * is a result, which is to be released. */
static bool wrap_call(wrap_context *context, int code, const TVMFFIAny *arguments, int32_t count,
                      TVMFFIAny *result) {
  *result = tvm_ffi_any_none();
  if (context == NULL || context->error != NULL) return false;
  if (code == 0) code = tvm_ffi_function_call(context->function, arguments, count, result);
  return wrap_keep_error(context, code);
}

static void wrap_call_void(wrap_context *context, int code, const TVMFFIAny *arguments,
                           int32_t count) {
  TVMFFIAny result;
  if (wrap_call(context, code, arguments, count, &result)) wrap_clear(&result);
}

static void wrap_call_bool(wrap_context *context, int code, const TVMFFIAny *arguments,
                           int32_t count, bool *out) {
  TVMFFIAny result;
  bool value = false;
  if (!wrap_call(context, code, arguments, count, &result)) return;
  if (wrap_keep_error(context, tvm_ffi_any_read_bool(&result, &value))) *out = value;
  wrap_clear(&result);
}

static void wrap_call_int(wrap_context *context, int code, const TVMFFIAny *arguments,
                          int32_t count, int64_t low, int64_t high, int64_t *out) {
  TVMFFIAny result;
  int64_t value = 0;
  if (!wrap_call(context, code, arguments, count, &result)) return;
  code = tvm_ffi_any_read_int64(&result, &value);
  if (code == 0 && (value < low || value > high)) {
    code = tvm_ffi_error_raise(
        TVM_FFI_C_VALUE_ERROR,
        "The function that is called must return a number from %lld to %lld, but has "
        "returned %lld",
        (long long)low, (long long)high, (long long)value);
  }
  if (wrap_keep_error(context, code)) *out = value;
  wrap_clear(&result);
}

static void wrap_call_unsigned(wrap_context *context, int code, const TVMFFIAny *arguments,
                               int32_t count, uint64_t high, uint64_t *out) {
  TVMFFIAny result;
  int64_t value = 0;
  if (!wrap_call(context, code, arguments, count, &result)) return;
  if (result.type_index == kTVMFFIBigInt) {
    const wrap_big_int *big = (const wrap_big_int *)result.v_ptr;
    value = big->num_words == 2 && big->words[1] == 0 && big->words[0] <= high ? 0 : -1;
    if (value == 0) *out = big->words[0];
  } else {
    code = tvm_ffi_any_read_int64(&result, &value);
    if (code == 0 && value >= 0 && (uint64_t)value <= high) *out = (uint64_t)value;
  }
  if (code == 0 && (value < 0 || (uint64_t)value > high)) {
    code = tvm_ffi_error_raise(
        TVM_FFI_C_VALUE_ERROR,
        "The function that is called must return a number from 0 to %llu, but has returned a %s "
        "one",
        (unsigned long long)high,
        value < 0 && result.type_index != kTVMFFIBigInt ? "negative" : "larger");
  }
  (void)wrap_keep_error(context, code);
  wrap_clear(&result);
}

static void wrap_call_number(wrap_context *context, int code, const TVMFFIAny *arguments,
                             int32_t count, bool is_single, double *out) {
  TVMFFIAny result;
  double value = 0;
  if (!wrap_call(context, code, arguments, count, &result)) return;
  code = tvm_ffi_any_read_double(&result, &value);
  if (code == 0 && is_single && wrap_is_too_large(value)) {
    code = tvm_ffi_error_raise(
        TVM_FFI_C_VALUE_ERROR,
        "The function that is called must return a number that fits float, but has "
        "returned %.9g",
        value);
  }
  if (wrap_keep_error(context, code)) *out = value;
  wrap_clear(&result);
}

/* Whether a callback has failed. */
static bool wrap_has_failed(const wrap_context *context) {
  return context->error != NULL || context->is_elsewhere;
}

/* Raises the error of a callback. */
static int wrap_raise_kept(wrap_context *context) {
  int code;
  if (context->error == NULL) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                               "The library has called a function that it was given in another "
                               "thread");
  }
  code = tvm_ffi_error_raise_prepared(context->error);
  tvm_ffi_object_release(context->error);
  return code;
}

/* A pointer of the user's library as an object. Kernels of several libraries may share its type, so
 * this never changes. */
typedef struct wrap_handle {
  TVMFFIObject header;
  void *pointer;             /* NULL: closed */
  void (*release)(void *);   /* ends it; NULL: nothing does */
  struct wrap_handle *owner; /* what it needs, kept alive; NULL: nothing */
  int64_t num_dependents;    /* open handles that have it as their owner */
} wrap_handle;

/* The owner of a handle that needs a tensor, or more than one handle: an object, and as its own
 * owner what the handle needs besides. Its type index is that of no other handle, and this never
 * changes either. */
typedef struct {
  wrap_handle handle;
  TVMFFIObjectHandle object;
  bool is_handle; /* and not a tensor */
  bool is_later;  /* since a call with the handle, not since it was made */
} wrap_keeper;

#if defined(__GNUC__)
#define WRAP_ADD(counter, number) __atomic_add_fetch(counter, number, __ATOMIC_ACQ_REL)
#else /* where handles that depend on one are made and closed by one thread at a time */
#define WRAP_ADD(counter, number) (*(counter) += (number))
#endif

/* Reads and writes what another thread may write at the same time. */
#if defined(__GNUC__)
#define WRAP_LOAD(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#else
#define WRAP_LOAD(place) (*(place))
#endif

#if defined(__GNUC__)
#define WRAP_STORE(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
#else
#define WRAP_STORE(place, value) (*(place) = (value))
#endif

/* Takes a pointer out of a place, once also if several threads do. */
#if defined(__GNUC__)
#define WRAP_TAKE(out, place) ((out) = __atomic_exchange_n(place, NULL, __ATOMIC_ACQ_REL))
#else /* where a handle is closed by one thread at a time */
#define WRAP_TAKE(out, place) ((out) = *(place), *(place) = NULL)
#endif

/* Replaces the pointer in a place, if it is the expected one; otherwise that becomes what is there.
 */
#if defined(__GNUC__)
#define WRAP_REPLACE(place, expected, pointer) \
  __atomic_compare_exchange_n(place, expected, pointer, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#else /* where one thread calls */
#define WRAP_REPLACE(place, expected, pointer) ((void)(expected), *(place) = (pointer), true)
#endif

static bool wrap_is_keeper(const wrap_handle *owner) {
  return owner->header.type_index == kTVMFFIObject;
}

/* Releases an owner that a handle no longer needs. */
static void wrap_drop(wrap_handle *owner) {
  if (owner == NULL) return;
  (void)WRAP_ADD(&owner->num_dependents, -1);
  tvm_ffi_object_release(owner);
}

/* Lets go of what a handle needs, which may end that: so after the call that ends the handle. */
static void wrap_let_go(wrap_handle *handle) {
  wrap_handle *owner;
  WRAP_TAKE(owner, &handle->owner);
  wrap_drop(owner);
}

/* Takes the pointer out of a handle, which is closed then for others; NULL: it is closed already,
 * or there is none. It keeps what it needs. */
static void *wrap_close(wrap_handle *handle) {
  void *pointer = NULL;
  if (handle != NULL) WRAP_TAKE(pointer, &handle->pointer);
  return pointer;
}

/* After a call that was to end a handle: it is closed, or has its pointer again. */
static void wrap_finish(wrap_handle *handle, void *pointer, bool has_ended) {
  if (pointer == NULL) return;
  if (has_ended) {
    wrap_let_go(handle);
  } else {
    WRAP_STORE(&handle->pointer, pointer);
  }
}

/* Handles of this thread that have ended, and still have their owners: a list by their pointers. To
 * end an owner inside the end of what needs it would take stack for each of a long chain. */
static WRAP_THREAD_LOCAL wrap_handle *wrap_ended;
static WRAP_THREAD_LOCAL bool wrap_is_ending;

/* Frees a handle that has ended, and lets go of what it needed. */
static void wrap_free(wrap_handle *handle) {
  if (!WRAP_HAS_THREAD_LOCAL) {
    wrap_let_go(handle);
    free(handle);
    return;
  }
  handle->pointer = wrap_ended;
  wrap_ended = handle;
  if (wrap_is_ending) return;
  wrap_is_ending = true;
  while (wrap_ended != NULL) {
    wrap_handle *const next = wrap_ended;
    wrap_ended = (wrap_handle *)next->pointer;
    wrap_let_go(next);
    free(next);
  }
  wrap_is_ending = false;
}

static void wrap_delete(wrap_handle *handle, int flags) {
  const bool is_last = (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0;
  if (is_last) {
    wrap_free(handle);
  } else {
    wrap_let_go(handle);
  }
}

static void wrap_delete_handle(void *self, int flags) {
  wrap_handle *handle = (wrap_handle *)self;
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    void (*const release)(void *) = handle->release;
    if (handle->pointer != NULL && release != NULL) release(handle->pointer);
  }
  wrap_delete(handle, flags);
}

static void wrap_delete_keeper(void *self, int flags) {
  wrap_keeper *keeper = (wrap_keeper *)self;
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    if (keeper->is_handle) {
      wrap_drop((wrap_handle *)keeper->object);
    } else {
      tvm_ffi_object_release(keeper->object);
    }
  }
  wrap_delete(&keeper->handle, flags);
}

/* The handle of which this one is a part: what it was made of, if nothing ends it. NULL: none. */
static wrap_handle *wrap_get_whole(const wrap_handle *part) {
  wrap_handle *owner = part->release == NULL ? WRAP_LOAD(&part->owner) : NULL;
  while (owner != NULL && wrap_is_keeper(owner)) {
    const wrap_keeper *keeper = (const wrap_keeper *)owner;
    if (keeper->is_handle && !keeper->is_later) return (wrap_handle *)keeper->object;
    owner = WRAP_LOAD(&owner->owner);
  }
  return owner;
}

/* The handle that owns what this one has: itself, or what it is a part of. */
static wrap_handle *wrap_find_root(wrap_handle *handle) {
  wrap_handle *whole = wrap_get_whole(handle);
  for (; whole != NULL; whole = wrap_get_whole(handle)) handle = whole;
  return handle;
}

/* How many handles that keep each other are looked through for a circle, and how often: they may
 * share what they need. */
enum { kWrapMaxDepth = 64, kWrapMaxLooks = 10000 };

static bool wrap_needs_within(const wrap_handle *handle, const wrap_handle *other, int depth,
                              int *looks) {
  for (; handle != NULL && ++*looks <= kWrapMaxLooks; handle = WRAP_LOAD(&handle->owner)) {
    const wrap_keeper *keeper = (const wrap_keeper *)handle;
    if (handle == other) return true;
    if (wrap_is_keeper(handle) && keeper->is_handle && depth < kWrapMaxDepth &&
        wrap_needs_within((const wrap_handle *)keeper->object, other, depth + 1, looks)) {
      return true;
    }
  }
  return false;
}

/* Whether a handle needs another one, as far as is looked. */
static bool wrap_needs(const wrap_handle *handle, const wrap_handle *other) {
  int looks = 0;
  return wrap_needs_within(handle, other, 0, &looks);
}

/* Whether one of the objects that were kept last is this one, or a tensor with its elements. */
static bool wrap_is_kept(const wrap_handle *owner, TVMFFIObjectHandle object, bool is_handle) {
  enum { kMaxLooks = 16 };
  int looks = 0;
  for (; owner != NULL && wrap_is_keeper(owner) && looks < kMaxLooks; ++looks) {
    const wrap_keeper *keeper = (const wrap_keeper *)owner;
    if (keeper->object == object) return true;
    if (!is_handle && !keeper->is_handle) {
      const DLTensor *const a = TVMFFITensorGetDLTensorPtr(keeper->object);
      const DLTensor *const b = TVMFFITensorGetDLTensorPtr(object);
      if (a->data == b->data && a->byte_offset == b->byte_offset &&
          a->dtype.bits == b->dtype.bits && tvm_ffi_tensor_is_contiguous(a) &&
          tvm_ffi_tensor_is_contiguous(b) &&
          tvm_ffi_tensor_get_numel(a) >= tvm_ffi_tensor_get_numel(b)) {
        return true;
      }
    }
    owner = WRAP_LOAD(&owner->owner);
  }
  return false;
}

/* Keeps an object alive by the owner of a handle; NULL: there is nothing to keep. */
static int wrap_keep(wrap_handle **owner, TVMFFIObjectHandle object, bool is_handle,
                     bool is_later) {
  wrap_keeper *keeper;
  if (object == NULL || wrap_is_kept(WRAP_LOAD(owner), object, is_handle)) return 0;
  keeper = (wrap_keeper *)calloc(1, sizeof *keeper);
  if (keeper == NULL) {
    tvm_ffi_error_raise_memory();
    return -1;
  }
  keeper->handle.header.combined_ref_count = UINT64_C(0x0000000100000001);
  keeper->handle.header.type_index = kTVMFFIObject;
  keeper->handle.header.deleter = wrap_delete_keeper;
  keeper->object = object;
  keeper->is_handle = is_handle;
  keeper->is_later = is_later;
  tvm_ffi_object_retain(object);
  if (is_handle) (void)WRAP_ADD(&((wrap_handle *)object)->num_dependents, 1);
  keeper->handle.owner = WRAP_LOAD(owner);
  while (!WRAP_REPLACE(owner, &keeper->handle.owner, &keeper->handle)) continue;
  return 0;
}

/* The same for a tensor that is an argument. */
static int wrap_keep_tensor(const tvm_ffi_args *args, int32_t i, wrap_handle **owner) {
  if (args->args[i].type_index == kTVMFFITensor) {
    return wrap_keep(owner, args->args[i].v_obj, false, true);
  }
  return tvm_ffi_args_raise(
      args, i, TVM_FFI_C_TYPE_ERROR,
      "must be a Tensor, which can be kept alive, but is memory of the "
      "caller's for one call (in Python, tvm_ffi.from_dlpack makes a Tensor)");
}

/* A copy of a text, with a NUL, which a library may keep the address of. Its keeper has it in place
 * of a tensor, which it seems to be to the function above. */
typedef struct {
  TVMFFIObject header;
  DLTensor tensor; /* its address is that of the text, behind this */
} wrap_text;

static void wrap_delete_text(void *self, int flags) {
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) free(self);
}

/* The copy of the text, which is that from now on: one for all handles of the call. NULL after an
 * error, or if there is none. */
static wrap_text *wrap_copy_text(TVMFFIByteArray *text, TVMFFIObjectHandle *place) {
  wrap_text *copy = (wrap_text *)*place;
  if (text->data == NULL || copy != NULL) return copy;
  copy = (wrap_text *)calloc(1, sizeof *copy + text->size + 1);
  if (copy == NULL) {
    tvm_ffi_error_raise_memory();
    return NULL;
  }
  copy->header.combined_ref_count = UINT64_C(0x0000000100000001);
  copy->header.type_index = kTVMFFIObject;
  copy->header.deleter = wrap_delete_text;
  copy->tensor.data = copy + 1;
  copy->tensor.dtype.bits = 8;
  if (text->size > 0) memcpy(copy->tensor.data, text->data, text->size);
  text->data = (const char *)copy->tensor.data;
  *place = copy;
  return copy;
}

/* Keeps a copy of a text alive by the owner of a handle, and passes it on. */
static int wrap_keep_text(wrap_handle **owner, TVMFFIByteArray *text, TVMFFIObjectHandle *place) {
  wrap_text *const copy = wrap_copy_text(text, place);
  if (copy == NULL) return text->data == NULL ? 0 : -1;
  return wrap_keep(owner, copy, false, true);
}

/* The same for a handle that is passed. */
static int wrap_keep_text_with(wrap_handle *handle, TVMFFIByteArray *text,
                               TVMFFIObjectHandle *place) {
  return handle == NULL ? 0 : wrap_keep_text(&wrap_find_root(handle)->owner, text, place);
}

/* A handle that is passed keeps another one, with what it is a part of. */
static int wrap_keep_handle(const tvm_ffi_args *args, int32_t i, wrap_handle *handle,
                            wrap_handle *kept) {
  wrap_handle *root;
  if (handle == NULL || kept == NULL) return 0;
  root = wrap_find_root(handle);
  if (root == wrap_find_root(kept)) return 0;
  if (!wrap_needs(kept, root)) return wrap_keep(&root->owner, kept, true, true);
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must not need the handle that is to need it");
}

/* The same for a tensor. */
static int wrap_keep_tensor_with(const tvm_ffi_args *args, int32_t i, wrap_handle *handle) {
  return handle == NULL ? 0 : wrap_keep_tensor(args, i, &wrap_find_root(handle)->owner);
}

/* What a handle keeps for a parameter with `instead`: an object, whose owners keep what is to be
 * replaced. Its keeper has it in place of a handle, which it seems to be to the functions above. */
typedef struct {
  wrap_keeper keeper; /* without an object */
  const void *slot;   /* of the kernel and the parameter */
  const void *part;   /* the pointer of the handle that is passed */
} wrap_holder;

/* A call that replaces what a handle keeps. */
typedef struct {
  wrap_holder *holder; /* NULL: it replaces nothing */
  wrap_handle *former; /* what the holder had */
  bool is_called, has_failed;
} wrap_change;

/* The holder that an earlier call has made; NULL: there is none. */
static wrap_holder *wrap_find_holder(const wrap_handle *root, const void *slot, const void *part) {
  const wrap_handle *owner = WRAP_LOAD(&root->owner);
  for (; owner != NULL && wrap_is_keeper(owner); owner = WRAP_LOAD(&owner->owner)) {
    const wrap_keeper *keeper = (const wrap_keeper *)owner;
    wrap_holder *holder = (wrap_holder *)keeper->object;
    if (keeper->is_handle && wrap_is_keeper(&holder->keeper.handle) && holder->slot == slot &&
        holder->part == part) {
      return holder;
    }
  }
  return NULL;
}

/* A new holder, which the root keeps, with one more reference; NULL after an error. */
static wrap_holder *wrap_make_holder(wrap_handle *root, const void *slot, const void *part) {
  wrap_holder *holder = (wrap_holder *)calloc(1, sizeof *holder);
  if (holder == NULL) {
    tvm_ffi_error_raise_memory();
    return NULL;
  }
  holder->keeper.handle.header.combined_ref_count = UINT64_C(0x0000000100000001);
  holder->keeper.handle.header.type_index = kTVMFFIObject;
  holder->keeper.handle.header.deleter = wrap_delete_keeper;
  holder->slot = slot;
  holder->part = part;
  if (wrap_keep(&root->owner, holder, true, true) == 0) return holder;
  tvm_ffi_object_release(holder);
  return NULL;
}

/* Makes a handle keep an object, by the one that it is a part of, in place of what was kept with
 * the same slot for the same part. NULL keeps nothing in its place. wrap_settle() ends this, also
 * after an error. */
static int wrap_replace(wrap_handle *handle, TVMFFIObjectHandle object, bool is_handle,
                        const void *slot, wrap_change *change) {
  wrap_handle *const root = wrap_find_root(handle);
  const void *const part = WRAP_LOAD(&handle->pointer);
  wrap_handle *owner = NULL;
  TVM_FFI_C_TRY(wrap_keep(&owner, object, is_handle, true));
  change->holder = wrap_find_holder(root, slot, part);
  if (change->holder != NULL) {
    tvm_ffi_object_retain(change->holder);
  } else {
    change->holder = wrap_make_holder(root, slot, part);
  }
  if (change->holder == NULL) {
    wrap_drop(owner);
    return -1;
  }
  change->former = change->holder->keeper.handle.owner;
  WRAP_STORE(&change->holder->keeper.handle.owner, owner);
  return 0;
}

static int wrap_replace_tensor(const tvm_ffi_args *args, int32_t i, wrap_handle *handle,
                               const void *slot, wrap_change *change) {
  if (handle == NULL) return 0;
  if (args->args[i].type_index != kTVMFFITensor) return wrap_keep_tensor(args, i, NULL);
  return wrap_replace(handle, args->args[i].v_obj, false, slot, change);
}

static int wrap_replace_text(const tvm_ffi_args *args, int32_t i, wrap_handle *handle,
                             TVMFFIByteArray *text, TVMFFIObjectHandle *place, const void *slot,
                             wrap_change *change) {
  wrap_text *const copy = handle != NULL ? wrap_copy_text(text, place) : NULL;
  (void)args, (void)i;
  if (handle == NULL) return 0;
  if (copy == NULL && text->data != NULL) return -1;
  return wrap_replace(handle, copy, false, slot, change);
}

static int wrap_replace_handle(const tvm_ffi_args *args, int32_t i, wrap_handle *handle,
                               wrap_handle *kept, const void *slot, wrap_change *change) {
  wrap_handle *root;
  if (handle == NULL) return 0;
  root = wrap_find_root(handle);
  if (kept != NULL && root == wrap_find_root(kept)) kept = NULL;
  if (kept == NULL || !wrap_needs(kept, root)) {
    return wrap_replace(handle, kept, true, slot, change);
  }
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must not need the handle that is to need it");
}

/* After a call that was to replace what a handle keeps, and after its results are read, which may
 * be in what is replaced. That is let go of if the call has succeeded. If it has failed, the
 * library may have the one or the other: both are kept. If it was not made, all is as before. */
static void wrap_settle(wrap_change *change) {
  wrap_handle *owner = change->former, **place;
  if (change->holder == NULL) return;
  place = &change->holder->keeper.handle.owner;
  if (!change->is_called) {
    owner = *place;
    WRAP_STORE(place, change->former);
  } else if (change->has_failed) {
    while (*place != NULL) place = &(*place)->owner;
    WRAP_STORE(place, change->former);
    owner = NULL;
  }
  wrap_drop(owner);
  tvm_ffi_object_release(change->holder);
}

/* Makes a handle keep what a taken one, which it has now, was made of or needs; false if it cannot:
 * there is no memory, or that needs it itself. */
static bool wrap_give_needs(wrap_handle *root, const wrap_handle *need) {
  bool has_all = true;
  while (need != NULL) {
    const wrap_keeper *keeper = wrap_is_keeper(need) ? (const wrap_keeper *)need : NULL;
    const bool is_handle = keeper == NULL || keeper->is_handle;
    TVMFFIObjectHandle object = keeper != NULL ? keeper->object : (TVMFFIObjectHandle)need;
    need = keeper != NULL ? WRAP_LOAD(&need->owner) : NULL;
    if (is_handle && wrap_find_root((wrap_handle *)object) == root) continue;
    if (is_handle && wrap_needs((wrap_handle *)object, root)) {
      has_all = false;
    } else if (wrap_keep(&root->owner, object, is_handle, true) != 0) {
      TVMFFIErrorSetRaised(NULL);
      has_all = false;
    }
  }
  return has_all;
}

/* After a call that was to take a handle: what that needs, the other handles of the call need from
 * now on. Nobody knows how long without one, or where one cannot keep it: it is never let go. */
static void wrap_give(wrap_handle *handle, void *pointer, bool has_ended,
                      wrap_handle *const *takers, int32_t count) {
  wrap_handle *owner = pointer != NULL && has_ended ? WRAP_LOAD(&handle->owner) : NULL;
  bool is_kept = false, is_lost = false;
  int32_t k;
  for (k = 0; owner != NULL && k < count; ++k) {
    if (takers[k] == NULL) continue;
    is_kept = true;
    if (!wrap_give_needs(wrap_find_root(takers[k]), owner)) is_lost = true;
  }
  if (owner != NULL && (is_lost || !is_kept)) {
    WRAP_TAKE(owner, &handle->owner); /* with its references */
  } else {
    wrap_finish(handle, pointer, has_ended);
  }
}

/* The index of a handle's type, which a kernel looks up once, or in several threads at first. */
static int wrap_find_type(const char *key, int32_t *index) {
  TVMFFIByteArray name;
  int32_t found;
  if (WRAP_LOAD(index) > 0) return 0;
  name = tvm_ffi_string_get_bytes(key);
  found = TVMFFITypeGetOrAllocIndex(&name, -1, 1, 0, 1, kTVMFFIObject);
  if (found <= 0) return -1;
  WRAP_STORE(index, found);
  return 0;
}

/* A new handle; None for NULL. If that fails, or `code` says that something has, ends it. */
static int wrap_make_handle(int code, void *pointer, const char *key, int32_t *index,
                            void (*release)(void *), wrap_handle *owner, TVMFFIAny *out) {
  wrap_handle *handle = NULL;
  *out = tvm_ffi_any_none();
  if (pointer == NULL) return code;
  if (code == 0) code = wrap_find_type(key, index);
  if (code == 0) {
    handle = (wrap_handle *)calloc(1, sizeof *handle);
    if (handle == NULL) code = tvm_ffi_error_raise_memory();
  }
  if (code != 0) {
    if (release != NULL) release(pointer);
    return code;
  }
  handle->header.combined_ref_count = UINT64_C(0x0000000100000001);
  handle->header.type_index = WRAP_LOAD(index);
  handle->header.deleter = wrap_delete_handle;
  handle->pointer = pointer;
  handle->release = release;
  handle->owner = owner;
  if (owner != NULL) {
    tvm_ffi_object_retain(owner);
    (void)WRAP_ADD(&owner->num_dependents, 1);
  }
  *out = tvm_ffi_any_take_object(handle);
  return 0;
}

static int wrap_raise_closed(const tvm_ffi_args *args, int32_t i) {
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be open, but is closed");
}

/* A handle that is open, and so is what it needs, and its pointer. */
static int wrap_read_handle(const tvm_ffi_args *args, int32_t i, const char *key, int32_t *index,
                            wrap_handle **out, void **pointer) {
  TVMFFIObjectHandle object = NULL;
  TVM_FFI_C_TRY(wrap_find_type(key, index));
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, i, WRAP_LOAD(index), &object));
  *out = (wrap_handle *)object;
  *pointer = WRAP_LOAD(&(*out)->pointer);
  return *pointer != NULL ? 0 : wrap_raise_closed(args, i);
}

/* The same; None is NULL. */
static int wrap_read_optional_handle(const tvm_ffi_args *args, int32_t i, const char *key,
                                     int32_t *index, wrap_handle **out, void **pointer) {
  *out = NULL;
  *pointer = NULL;
  return tvm_ffi_args_is_none(args, i) ? 0 : wrap_read_handle(args, i, key, index, out, pointer);
}

/* A call that ends a handle, or parts of it, needs that no open one has another part. */
static int wrap_check_alone(const tvm_ffi_args *args, int32_t i, wrap_handle *handle) {
  const int64_t count = handle != NULL ? (int64_t)WRAP_ADD(&handle->num_dependents, 0) : 0;
  if (count == 0) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have no open handle or call that needs it, but has %lld",
                            (long long)count);
}

/* The same for a handle that may be a part itself, of which another handle has a part. */
static int wrap_check_only(const tvm_ffi_args *args, int32_t i, wrap_handle *handle) {
  wrap_handle *whole = handle != NULL ? wrap_get_whole(handle) : NULL;
  for (; whole != NULL; whole = wrap_get_whole(whole)) {
    if ((int64_t)WRAP_ADD(&whole->num_dependents, 0) <= 1) continue;
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                              "must be the only open handle of what it is a part of");
  }
  return 0;
}

/* A handle that a call ends has no other end. It is closed for other threads by now, one of which
 * might otherwise free what is read here. */
static int wrap_check_whole(const tvm_ffi_args *args, int32_t i, const wrap_handle *handle) {
  if (handle == NULL || wrap_get_whole(handle) == NULL) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must own what it has, but is a part of another handle");
}

/* A handle that a call ends is passed once. */
static int wrap_check_once(const tvm_ffi_args *args, int32_t i, const wrap_handle *handle,
                           int32_t j, const wrap_handle *other) {
  if (handle == NULL || handle != other) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must be another handle than argument #%d: the call ends it", (int)j);
}

/* Reads a contiguous tensor of that dtype and rank whose elements the CPU can read. */
static int wrap_read_tensor(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                            DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, i, dtype.bits / 8u));
  return tvm_ffi_args_check_contiguous(args, i);
}

/* The same with any strides. */
static int wrap_read_strided(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                             DLTensor **out) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, i));
  return tvm_ffi_args_check_aligned(args, i, dtype.bits / 8u);
}

/* An extent must fit the integer that the function takes. */
static int wrap_check_extent(const tvm_ffi_args *args, int32_t i, const char *name, int64_t value,
                             int64_t high) {
  if (value <= high) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must have %s up to %lld, but has %lld",
                            name, (long long)high, (long long)value);
}

/* A stride must fit the integer that the function takes. */
static int wrap_check_range(const tvm_ffi_args *args, int32_t i, const char *name, int64_t value,
                            int64_t low, int64_t high) {
  if (value >= low && value <= high) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have %s from %lld to %lld, but has %lld", name, (long long)low,
                            (long long)high, (long long)value);
}

/* A stride, in elements. One that moves to no other element may be anything in the tensor: then it
 * is that of a contiguous tensor. */
static int64_t wrap_get_stride(const DLTensor *tensor, int32_t dim) {
  int64_t stride = 0;
  return tvm_ffi_tensor_read_stride(tensor, dim, &stride) == 0 ? stride : 0;
}

/* The same, where it is that of a tensor with its elements column by column. */
static int64_t wrap_get_column_stride(const DLTensor *tensor, int32_t dim) {
  uint64_t stride = 1;
  int32_t i;
  if (tensor->shape[dim] != 1 && tvm_ffi_tensor_get_numel(tensor) != 0) {
    return wrap_get_stride(tensor, dim);
  }
  for (i = 0; i < dim; ++i) stride *= (uint64_t)(tensor->shape[i] > 0 ? tensor->shape[i] : 1);
  return (int64_t)stride;
}

/* Operations of extents, which are INT64_MAX beyond it. */
static int64_t wrap_sum(int64_t a, int64_t b) {
  if (a == INT64_MAX || b == INT64_MAX || (b > 0 && a > INT64_MAX - b)) return INT64_MAX;
  return b < 0 && a < INT64_MIN - b ? INT64_MAX : a + b;
}

static int64_t wrap_difference(int64_t a, int64_t b) {
  return b == INT64_MIN || b == INT64_MAX ? INT64_MAX : wrap_sum(a, -b);
}

static int64_t wrap_product(int64_t a, int64_t b) {
  const uint64_t m = a < 0 ? -(uint64_t)a : (uint64_t)a, n = b < 0 ? -(uint64_t)b : (uint64_t)b;
  if (a == INT64_MAX || b == INT64_MAX) return INT64_MAX;
  if (a == 0 || b == 0) return 0;
  if (m > (uint64_t)INT64_MAX / n) return INT64_MAX;
  return (a < 0) != (b < 0) ? -(int64_t)(m * n) : (int64_t)(m * n);
}

static int64_t wrap_quotient(int64_t a, int64_t b) {
  return b == 0 || b == INT64_MIN || a == INT64_MIN || a == INT64_MAX ? INT64_MAX : a / b;
}

static int64_t wrap_least(int64_t a, int64_t b) {
  if (a == INT64_MAX || b == INT64_MAX) return INT64_MAX;
  return a < b ? a : b;
}

static int64_t wrap_greatest(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* A stride that follows from others. It may wrap around if there are no elements, or if the tensor
 * has another one anyway. */
static int64_t wrap_multiply(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* A stride is the expected one, or moves to no other element. */
static int wrap_check_stride(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor,
                             int32_t dim, int64_t expected) {
  const int64_t stride = wrap_get_stride(tensor, dim);
  if (stride == expected || tensor->shape[dim] == 1 || tvm_ffi_tensor_get_numel(tensor) == 0) {
    return 0;
  }
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have stride %lld in dimension %d, but has %lld",
                            (long long)expected, (int)dim, (long long)stride);
}

/* Strides are above 0, or move to no other element. */
static int wrap_check_positive(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor) {
  int32_t dim;
  for (dim = 0; dim < tensor->ndim; ++dim) {
    const int64_t stride = wrap_get_stride(tensor, dim);
    if (stride > 0 || tvm_ffi_tensor_get_numel(tensor) == 0) continue;
    return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                              "must have a stride above 0 in dimension %d, but has %lld", (int)dim,
                              (long long)stride);
  }
  return 0;
}

/* The increment of a vector of BLAS. */
static int wrap_check_increment(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor) {
  if (wrap_get_stride(tensor, 0) != 0) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have a stride other than 0 in dimension 0, but has 0");
}

/* The address of a vector for BLAS: that of the element with the lowest one, which is the last if
 * the increment is negative. */
static void *wrap_get_lowest(const DLTensor *tensor) {
  const int64_t step = wrap_get_stride(tensor, 0), size = tensor->dtype.bits / 8;
  char *first = tvm_ffi_tensor_get_data(tensor);
  return step < 0 ? first + (ptrdiff_t)((tensor->shape[0] - 1) * step * size) : first;
}

/* The leading dimension of a matrix of BLAS, whose stride in the other dimension is 1. */
static int wrap_check_leading(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor,
                              int32_t dim) {
  const int64_t extent = tensor->shape[1 - dim], least = extent > 1 ? extent : 1;
  const int64_t stride =
      dim > 0 ? wrap_get_column_stride(tensor, dim) : wrap_get_stride(tensor, dim);
  if (stride >= least) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            "must have a stride of %lld or more in dimension %d, but has %lld",
                            (long long)least, (int)dim, (long long)stride);
}

/* The greatest common divisor; that of 0 and a number is the number. */
static uint64_t wrap_find_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* How far apart neighbours in a dimension are, in elements. */
static uint64_t wrap_get_step(const DLTensor *tensor, int32_t dim) {
  const int64_t stride = wrap_get_stride(tensor, dim);
  return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* Whether the elements of a tensor that has some are within the largest memory. Then no sum of
 * distances between them overflows. */
static bool wrap_is_addressable(const DLTensor *tensor) {
  uint64_t room = (uint64_t)PTRDIFF_MAX / (tensor->dtype.bits / 8u);
  int32_t k;
  for (k = 0; k < tensor->ndim; ++k) {
    const uint64_t step = wrap_get_step(tensor, k), last = (uint64_t)tensor->shape[k] - 1;
    if (step > 0 && last > room / step) return false;
    room -= step * last;
  }
  return true;
}

/* Whether moving in a dimension leads to none of the elements that moving in those of smaller steps
 * leads to: the step is longer than these reach together. Of two steps, other ones may do, too:
 * those whose common multiples are beyond the extents. */
static bool wrap_is_apart(const DLTensor *tensor, int32_t dim) {
  const uint64_t step = wrap_get_step(tensor, dim), extent = (uint64_t)tensor->shape[dim];
  uint64_t reach = 0, smaller = 0, smaller_extent = 0, divisor;
  int32_t num_smaller = 0, k;
  for (k = 0; k < tensor->ndim; ++k) {
    const uint64_t other = wrap_get_step(tensor, k);
    if (tensor->shape[k] == 1 || other > step || (other == step && k >= dim)) continue;
    smaller = other;
    smaller_extent = (uint64_t)tensor->shape[k];
    reach += smaller * (smaller_extent - 1);
    ++num_smaller;
  }
  if (step > reach || extent == 1) return true;
  if (step == 0 || num_smaller != 1) return false;
  divisor = wrap_find_divisor(step, smaller);
  return step / divisor >= smaller_extent || smaller / divisor >= extent;
}

/* No two elements of a tensor that is written are the same memory. Of three dimensions and more,
 * some strides are refused that keep elements apart: those of no slice of a contiguous tensor, and
 * a search would take long. */
static int wrap_check_distinct(const tvm_ffi_args *args, int32_t i, const DLTensor *tensor) {
  char strides[96], shape[96];
  bool is_distinct;
  int32_t k;
  if (tensor->strides == NULL || tvm_ffi_tensor_get_numel(tensor) == 0) return 0;
  is_distinct = wrap_is_addressable(tensor);
  for (k = 0; k < tensor->ndim && is_distinct; ++k) is_distinct = wrap_is_apart(tensor, k);
  if (is_distinct) return 0;
  return tvm_ffi_args_raise(
      args, i, TVM_FFI_C_VALUE_ERROR,
      "must have an address for each element%s, but has strides %s of shape %s",
      tensor->ndim > 2 ? ", each stride beyond the reach of all smaller ones" : "",
      tvm_ffi_shape_print(tensor->strides, tensor->ndim, strides, sizeof strides),
      tvm_ffi_shape_print(tensor->shape, tensor->ndim, shape, sizeof shape));
}

/* Where the elements of a tensor are: the first byte, the one behind the last, and the largest
 * number of bytes that divides all distances between elements. */
typedef struct {
  uint64_t begin, end, step;
} wrap_bytes;

static wrap_bytes wrap_find_bytes(const DLTensor *tensor) {
  const uint64_t size = tensor->dtype.bits / 8u;
  wrap_bytes found;
  int32_t i;
  found.begin = (uintptr_t)tvm_ffi_tensor_get_data(tensor);
  found.end = found.begin + size;
  found.step = 0;
  for (i = 0; i < tensor->ndim; ++i) {
    const int64_t stride = wrap_get_stride(tensor, i);
    const uint64_t step = wrap_get_step(tensor, i) * size;
    const uint64_t last = step * (uint64_t)(tensor->shape[i] - 1);
    if (tensor->shape[i] == 1) continue;
    if (stride < 0) found.begin -= last;
    if (stride > 0) found.end += last;
    found.step = wrap_find_divisor(found.step, step);
  }
  return found;
}

/* Whether two tensors have bytes in common. Tensors that interleave do not if a number of bytes
 * divides all distances, and the elements are apart within it, like two columns of a matrix. */
static bool wrap_overlap(const DLTensor *a, const DLTensor *b) {
  const uint64_t a_size = a->dtype.bits / 8u, b_size = b->dtype.bits / 8u;
  wrap_bytes in_a, in_b;
  uint64_t step, distance;
  if (tvm_ffi_tensor_get_numel(a) == 0 || tvm_ffi_tensor_get_numel(b) == 0) return false;
  in_a = wrap_find_bytes(a);
  in_b = wrap_find_bytes(b);
  if (in_a.end <= in_b.begin || in_b.end <= in_a.begin) return false;
  step = wrap_find_divisor(in_a.step, in_b.step);
  if (step == 0) return true;
  distance = in_b.begin >= in_a.begin ? (in_b.begin - in_a.begin) % step
                                      : (step - (in_a.begin - in_b.begin) % step) % step;
  return distance < a_size || step - distance < b_size;
}

/* Whether two tensors have the same elements at the same addresses. */
static bool wrap_is_same(const DLTensor *a, const DLTensor *b) {
  int32_t i;
  if (a->ndim != b->ndim || a->dtype.bits != b->dtype.bits) return false;
  for (i = 0; i < a->ndim; ++i) {
    if (a->shape[i] != b->shape[i] || wrap_get_stride(a, i) != wrap_get_stride(b, i)) return false;
  }
  return tvm_ffi_tensor_get_data(a) == tvm_ffi_tensor_get_data(b);
}

/* One of two tensors is written, and the function assumes that they have no memory in common; with
 * `in_place` one may be the other. */
static int wrap_check_apart(const tvm_ffi_args *args, int32_t i, const DLTensor *a, int32_t j,
                            const DLTensor *b, bool in_place) {
  if (!wrap_overlap(a, b) || (in_place && wrap_is_same(a, b))) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR,
                            in_place ? "must be in the place of argument #%d or apart from it, but "
                                       "shares a part of its memory"
                                     : "must not share memory with argument #%d, but does",
                            (int)j);
}

/* The caller's allocator must give the alignment that the function needs. */
static int wrap_check_allocated(const char *name, const DLTensor *tensor, size_t alignment) {
  if (tvm_ffi_tensor_is_aligned(tensor, alignment)) return 0;
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                             "`%s` must begin at a multiple of %d bytes, but the allocator gave "
                             "other memory",
                             name, (int)alignment);
}

/* A new tensor of zeros: the function may leave elements as they are. */
static int wrap_create_tensor(DLDataType dtype, int32_t ndim, const int64_t *shape,
                              TVMFFIObjectHandle *out) {
  const DLTensor *tensor;
  int64_t count;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), dtype, ndim, shape, out));
  tensor = TVMFFITensorGetDLTensorPtr(*out);
  count = tvm_ffi_tensor_get_numel(tensor);
  if (count > 0) memset(tvm_ffi_tensor_get_data(tensor), 0, (size_t)count * (dtype.bits / 8u));
  return 0;
}

/* A buffer of zeros, with one more behind it, so that text in it ends; NULL with the error raised.
 */
static void *wrap_allocate_buffer(const char *name, int64_t size) {
  void *memory;
  if (size < 0 || (uint64_t)size >= SIZE_MAX) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                        "`%s` must have room for 0 bytes or more, but has an extent of %lld", name,
                        (long long)size);
    return NULL;
  }
  memory = calloc((size_t)size + 1, 1);
  if (memory == NULL) tvm_ffi_error_raise_memory();
  return memory;
}

/* A work array; NULL with the error raised. */
static void *wrap_allocate(const char *name, size_t size, int32_t ndim, const int64_t *shape) {
  const int64_t count = tvm_ffi_shape_get_numel(shape, ndim);
  char text[128];
  void *memory;
  if (count < 0 || (uint64_t)count > SIZE_MAX / size) {
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                        "`%s`, a work array of shape %s, has a negative extent or too many "
                        "elements",
                        name, tvm_ffi_shape_print(shape, ndim, text, sizeof text));
    return NULL;
  }
  memory = malloc(count > 0 ? (size_t)count * size : 1);
  if (memory == NULL) tvm_ffi_error_raise_memory();
  return memory;
}
