/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values, written in the file of calls as follows:
 *     none true false 12 0x10 1.5 nan    None, bool, int, float
 *     "text"  s"text"  r"bytes"  b"bytes"   const char*, str, TVMFFIByteArray*, bytes; \xNN inside
 *     dtype/float32  device/2/1  pointer/0x10  shape/2x3
 *     t/float32/2x3/1x2/1/0    a Tensor: dtype, shape, strides, device; missing parts get defaults
 *     v/float32/2x3            the same as a DLTensor*
 *     fn/name                  one of the functions below
 *     [ 1 2 ]                  an Array
 *     $x  @c                   a variable; the path of a library
 * The elements of a tensor are 1, 2, 3, ... in memory. */
#include "host.h"

/* ---- Functions to call back ---- */

TVM_FFI_C_FUNCTION(fn_echo, "(0: Any) -> Any") {
  return args->num_args == 1 ? tvm_ffi_args_return(args, args->args[0]) : 0;
}

TVM_FFI_C_FUNCTION(fn_count, "(...) -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->num_args));
}

TVM_FFI_C_FUNCTION(fn_add, "(0: float, 1: float) -> float") {
  double a, b;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(a + b));
}

TVM_FFI_C_FUNCTION(fn_raise, "(...) -> void") {
  (void)args;
  (void)tvm_ffi_error_raise("KeyError", "%s", "the cause");
  return tvm_ffi_error_wrap("host.Error", "%s", "raised by the host");
}

TVM_FFI_C_FUNCTION(fn_text, "(...) -> str") {
  return tvm_ffi_string_create("a text of the host", args->result);
}

/* Fails without an error; not by TVM_FFI_C_FUNCTION, whose wrapper would raise one. */
static int fn_silent(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  return -1;
}

static const struct {
  const char *name;
  TVMFFISafeCallType function;
} functions[] = {{"echo", fn_echo},   {"count", fn_count}, {"add", fn_add},
                 {"raise", fn_raise}, {"text", fn_text},   {"silent", fn_silent}};

/* ---- Memory and values of a call ---- */

static void *keep_block(scratch *kept, size_t size) {
  void *block = calloc(size + 1, 1);
  if (block == NULL || kept->num_blocks == MAX_VALUES) fail_usage("no room", "for a value");
  return kept->blocks[kept->num_blocks++] = block;
}

static TVMFFIAny keep_owned(scratch *kept, TVMFFIAny value) {
  if (kept->num_owned == MAX_VALUES) fail_usage("no room", "for an object");
  return kept->owned[kept->num_owned++] = value;
}

static TVMFFIAny keep_object(scratch *kept, int code, TVMFFIObjectHandle object) {
  if (code != 0) {
    tvm_ffi_error_print_raised(stderr);
    fail_usage("cannot make", "an object");
  }
  return keep_owned(kept, tvm_ffi_any_take_object(object));
}

void release_scratch(scratch *kept) {
  while (kept->num_owned > 0) tvm_ffi_any_clear(&kept->owned[--kept->num_owned]);
  while (kept->num_blocks > 0) free(kept->blocks[--kept->num_blocks]);
}

/* ---- Words ---- */

bool read_word(const char **cursor, char *buffer, size_t capacity) {
  size_t size;
  *cursor += strspn(*cursor, " ");
  size = strcspn(*cursor, " ");
  if (size >= capacity) fail_usage("too long a word", *cursor);
  memcpy(buffer, *cursor, size);
  buffer[size] = '\0';
  *cursor += size;
  return size != 0;
}

/* Reads a text; *cursor is after its opening quote. */
static TVMFFIByteArray read_quoted(const char **cursor, scratch *kept) {
  TVMFFIByteArray text;
  char *target = (char *)keep_block(kept, strlen(*cursor));
  text.data = target;
  for (; **cursor != '"'; ++*cursor) {
    if (**cursor == '\0') fail_usage("no end", text.data);
    if (**cursor == '\\' && (*cursor)[1] == 'x') {
      char digits[3] = {0, 0, 0};
      memcpy(digits, *cursor + 2, 2);
      *target++ = (char)(unsigned char)strtoul(digits, NULL, 16);
      *cursor += 3;
    } else {
      if (**cursor == '\\') ++*cursor;
      *target++ = **cursor;
    }
  }
  ++*cursor;
  text.size = (size_t)(target - text.data);
  return text;
}

/* Reads numbers separated by x. */
static int32_t read_extents(const char *text, int64_t *extents) {
  int32_t count = 0;
  char *end;
  while (*text != '\0') {
    if (count == 8) fail_usage("too many extents", text);
    extents[count++] = strtoll(text, &end, 10);
    text = *end == 'x' ? end + 1 : end;
    if (*end != 'x' && *end != '\0') fail_usage("no extents", text);
  }
  return count;
}

/* ---- Tensors ---- */

static void release_data(void *context, DLTensor *tensor) {
  (void)tensor;
  free(context);
}

static TVMFFIAny read_tensor(char *word, scratch *kept) {
  enum { kSize = 4096 };
  char *fields[6] = {word, "float32", "", "", "1", "0"};
  int64_t *shape = (int64_t *)keep_block(kept, 16 * sizeof(int64_t)), *strides = shape + 8, i;
  char *data = (char *)malloc(kSize), *slash = word;
  TVMFFIObjectHandle object = NULL;
  DLDataType dtype;
  DLTensor *x = (DLTensor *)keep_block(kept, sizeof *x);
  int num_fields = 0, code;
  while (slash != NULL && num_fields < 6) {
    fields[num_fields++] = slash;
    slash = strchr(slash, '/');
    if (slash != NULL) *slash++ = '\0';
  }
  if (data == NULL || tvm_ffi_dtype_parse(fields[1], &dtype) != 0)
    fail_usage("no dtype", fields[1]);
  memset(data, 0, kSize);
  for (i = 0; dtype.bits >= 8 && i < kSize / tvm_ffi_dtype_get_bytes(dtype); ++i) {
    void *element = data + i * tvm_ffi_dtype_get_bytes(dtype);
#define SET(type) *(type *)element = (type)(i + 1)
    switch (tvm_ffi_dtype_get_key(dtype)) {
      TVM_FFI_C_CASES_NUMBER(SET)
      default:
        break;
    }
  }
  tvm_ffi_tensor_init(x, data, tvm_ffi_device_make(atoi(fields[4]), atoi(fields[5])), dtype,
                      read_extents(fields[2], shape), shape, strides);
  if (fields[3][0] != '\0' && read_extents(fields[3], strides) != x->ndim) {
    fail_usage("not as many strides", fields[3]);
  }
  if (word[0] == 'v') {
    kept->blocks[kept->num_blocks++] = data;
    return tvm_ffi_any_view_tensor(x);
  }
  code = tvm_ffi_tensor_create_around(x, release_data, data, &object);
  return keep_object(kept, code, object);
}

/* ---- Values ---- */

static TVMFFIAny read_array(const char **cursor, scratch *kept) {
  TVMFFIAny items[MAX_VALUES];
  TVMFFIObjectHandle object = NULL;
  int32_t count = 0;
  int code;
  while (read_value(cursor, kept, &items[count])) {
    if (++count == MAX_VALUES) fail_usage("too many elements", *cursor);
  }
  *cursor += strspn(*cursor, " ");
  if (**cursor != ']') fail_usage("no end of an array", *cursor);
  ++*cursor;
  code = tvm_ffi_array_create(items, count, &object);
  return keep_object(kept, code, object);
}

static TVMFFIAny read_number(const char *word) {
  char *end;
  const long long number = strtoll(word, &end, 0);
  const double real = *end == '\0' ? 0 : strtod(word, &end);
  if (*end != '\0') fail_usage("no value", word);
  return strpbrk(word, ".nie") != NULL && strncmp(word, "0x", 2) != 0
             ? tvm_ffi_any_from_double(real)
             : tvm_ffi_any_from_int64(number);
}

static TVMFFIAny read_named(char *word, scratch *kept) {
  TVMFFIObjectHandle object = NULL;
  int64_t extents[8];
  DLDataType dtype;
  char *slash = strchr(word, '/'), *rest = slash + 1;
  size_t i;
  int code;
  if (slash == word + 1) return read_tensor(word, kept);
  *slash = '\0';
  if (strcmp(word, "dtype") == 0) {
    if (tvm_ffi_dtype_parse(rest, &dtype) != 0) fail_usage("no dtype", rest);
    return tvm_ffi_any_from_dtype(dtype);
  }
  if (strcmp(word, "device") == 0 && strchr(rest, '/') != NULL) {
    return tvm_ffi_any_from_device(tvm_ffi_device_make(atoi(rest), atoi(strchr(rest, '/') + 1)));
  }
  if (strcmp(word, "pointer") == 0) {
    return tvm_ffi_any_from_pointer((void *)(uintptr_t)strtoul(rest, NULL, 0));
  }
  if (strcmp(word, "shape") == 0) {
    code = tvm_ffi_shape_create(extents, read_extents(rest, extents), &object);
    return keep_object(kept, code, object);
  }
  for (i = 0; strcmp(word, "fn") == 0 && i < sizeof functions / sizeof functions[0]; ++i) {
    if (strcmp(functions[i].name, rest) != 0) continue;
    code = TVMFFIFunctionCreate(NULL, functions[i].function, NULL, &object);
    return keep_object(kept, code, object);
  }
  fail_usage("no value", rest);
  return tvm_ffi_any_none();
}

static TVMFFIAny read_text(char form, const char **cursor, scratch *kept) {
  TVMFFIByteArray text = read_quoted(cursor, kept);
  TVMFFIAny value = tvm_ffi_any_none();
  TVMFFIByteArray *bytes;
  int code = 0;
  switch (form) {
    case '"':
      return tvm_ffi_any_view_string(text.data);
    case 'r':
      bytes = (TVMFFIByteArray *)keep_block(kept, sizeof *bytes);
      *bytes = text;
      return tvm_ffi_any_view_bytes(bytes);
    case 's':
      code = tvm_ffi_string_create_sized(text.data, text.size, &value);
      break;
    default:
      code = tvm_ffi_bytes_create(text.data, text.size, &value);
  }
  if (code != 0) fail_usage("out of memory", "for a text");
  return keep_owned(kept, value);
}

bool read_value(const char **cursor, scratch *kept, TVMFFIAny *out) {
  char word[200];
  int i;
  *cursor += strspn(*cursor, " ");
  if (**cursor == '\0' || **cursor == ']') return false;
  if (**cursor == '[') {
    ++*cursor;
    *out = read_array(cursor, kept);
    return true;
  }
  if (**cursor == '"' || (strchr("srb", **cursor) != NULL && (*cursor)[1] == '"')) {
    const char form = **cursor;
    *cursor += form == '"' ? 1 : 2;
    *out = read_text(form, cursor, kept);
    return true;
  }
  read_word(cursor, word, sizeof word);
  *out = tvm_ffi_any_none();
  if (strcmp(word, "none") == 0) return true;
  if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
    *out = tvm_ffi_any_from_bool(word[0] == 't');
  } else if (word[0] == '$' && word[1] >= 'a' && word[1] <= 'z') {
    *out = variables[word[1] - 'a'];
  } else if (word[0] == '@') {
    for (i = 0; libraries[i].name != NULL && strcmp(libraries[i].name, word + 1) != 0;) ++i;
    if (libraries[i].name == NULL) fail_usage("no library", word);
    *out = tvm_ffi_any_view_string(libraries[i].path);
  } else {
    *out = strchr(word, '/') != NULL ? read_named(word, kept) : read_number(word);
  }
  return true;
}
