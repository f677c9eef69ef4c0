/* SPDX-License-Identifier: Apache-2.0 */
#include "core/builtins.h"

#include <string.h>

#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/string.h"

/* What a letter of a signature stands for. */
typedef struct {
  char letter;
  char display[15]; /* in errors */
  char schema[13];  /* in metadata */
} parameter_type;

static const parameter_type kTypes[] = {
    {'a', "Any", "Any"},
    {'i', "int", "int"},
    {'b', "bool", "bool"},
    {'s', "str", "ffi.String"},
    {'y', "bytes", "ffi.Bytes"},
    {'p', "void*", "void*"},
    {'v', "void", "None"},
    {'F', "ffi.Function", "ffi.Function"},
    {'M', "ffi.Module", "ffi.Module"},
    {'A', "ffi.Array", "ffi.Array"},
    {'O', "ffi.Object", "ffi.Object"},
    {'L', "ffi.List", "ffi.List"},
    {'l', "List<Any>", "ffi.List"},
    {'H', "ffi.Map", "ffi.Map"},
    {'D', "ffi.Dict", "ffi.Dict"},
    {'d', "Dict<Any, Any>", "ffi.Dict"},
    {'V', "Device", "Device"},
    {'n', "Optional<int>", "Optional"},
};

static const parameter_type *find_type(char letter) {
  size_t i;
  for (i = 0; kTypes[i].letter != letter && i + 1 < sizeof kTypes / sizeof *kTypes; ++i) continue;
  return &kTypes[i];
}

/* Asked on every call of a built-in, hence not part of the table, which is searched. */
static bool accepts(char letter, const TVMFFIAny *arg) {
  int32_t type_index = arg->type_index;
  switch (letter) {
    case 'M':
      return type_index == kTVMFFIModule && arg->v_obj != NULL;
    case 's':
      return type_index == kTVMFFISmallStr ||
             ((type_index == kTVMFFIRawStr || type_index == kTVMFFIStr) && arg->v_ptr != NULL);
    case 'n':
      if (type_index == kTVMFFINone) return true;
      /* fallthrough */
    case 'b':
    case 'i':
      return type_index == kTVMFFIBool || type_index == kTVMFFIInt;
    case 'y':
      return type_index == kTVMFFISmallBytes ||
             ((type_index == kTVMFFIByteArrayPtr || type_index == kTVMFFIBytes) &&
              arg->v_ptr != NULL);
    case 'p':
      return type_index == kTVMFFIOpaquePtr || type_index == kTVMFFINone;
    case 'A':
      return type_index == kTVMFFIArray && arg->v_obj != NULL;
    case 'L':
      return type_index == kTVMFFIList && arg->v_obj != NULL;
    case 'l':
      return (type_index == kTVMFFIList || type_index == kTVMFFIArray) && arg->v_obj != NULL;
    case 'H':
      return type_index == kTVMFFIMap && arg->v_obj != NULL;
    case 'D':
      return type_index == kTVMFFIDict && arg->v_obj != NULL;
    case 'd':
      return (type_index == kTVMFFIDict || type_index == kTVMFFIMap) && arg->v_obj != NULL;
    case 'a':
      return true;
    default:
      return false;
  }
}

static bool is_packed(const tvmffi_builtin *builtin) {
  return builtin->signature[0] == '*';
}

/* Appends the type at *p and moves *p behind it: ?X is Optional, @X an Array of X. */
static void append_display(tvmffi_buf *text, const char **p) {
  char letter = *(*p)++;
  if (letter == '?' || letter == '@') {
    tvmffi_buf_append_text(text, letter == '?' ? "Optional<" : "Array<");
    append_display(text, p);
    tvmffi_buf_append_text(text, ">");
  } else {
    tvmffi_buf_append_text(text, find_type(letter)->display);
  }
}

static void append_schema(tvmffi_buf *text, const char **p) {
  char letter = *(*p)++;
  if (letter == '?' || letter == '@') {
    tvmffi_buf_appendf(text, "{\"type\":\"%s\",\"args\":[",
                       letter == '?' ? "Optional" : "ffi.Array");
    append_schema(text, p);
    tvmffi_buf_append_text(text, "]}");
  } else {
    tvmffi_buf_appendf(text, "{\"type\":\"%s\"", find_type(letter)->schema);
    if (letter == 'l') tvmffi_buf_append_text(text, ",\"args\":[{\"type\":\"Any\"}]");
    if (letter == 'n') tvmffi_buf_append_text(text, ",\"args\":[{\"type\":\"int\"}]");
    if (letter == 'd') {
      tvmffi_buf_append_text(text, ",\"args\":[{\"type\":\"Any\"},{\"type\":\"Any\"}]");
    }
    tvmffi_buf_append_text(text, "}");
  }
}

/* `name(0: T0, 1: T1) -> R` */
static void append_signature(tvmffi_buf *text, const tvmffi_builtin *builtin) {
  const char *p = builtin->signature;
  int i;
  tvmffi_buf_appendf(text, "%s(", builtin->name);
  for (i = 0; *p != '>'; ++i) {
    tvmffi_buf_appendf(text, "%s%d: ", i == 0 ? "" : ", ", i);
    append_display(text, &p);
  }
  ++p;
  tvmffi_buf_append_text(text, ") -> ");
  append_display(text, &p);
}

int tvmffi_builtin_fail_count(const char *signature, int expected, int num_args) {
  return tvmffi_fail("TypeError",
                     "Mismatched number of arguments when calling: `%s`. Expected %d but got %d "
                     "arguments",
                     signature, expected, num_args);
}

int tvmffi_builtin_fail_type(const char *signature, int i, const char *expected,
                             const TVMFFIAny *arg) {
  return tvmffi_fail("TypeError",
                     "Mismatched type on argument #%d when calling: `%s`. Expected `%s` but got "
                     "`%s`",
                     i, signature, expected, tvmffi_any_type_name(arg));
}

/* Raises the TypeError for argument i, or for their number when i < 0. */
TVMFFI_COLD static int refuse(const tvmffi_builtin *builtin, int i, const char *expected,
                              const TVMFFIAny *args, int num_args) {
  tvmffi_buf signature = TVMFFI_BUF_INIT;
  append_signature(&signature, builtin);
  if (signature.failed) {
    tvmffi_error_raise_memory();
  } else if (i < 0) {
    int count = 0;
    while (builtin->signature[count] != '>') ++count; /* parameters are single letters */
    (void)tvmffi_builtin_fail_count(signature.data, count, num_args);
  } else {
    (void)tvmffi_builtin_fail_type(signature.data, i, expected, &args[i]);
  }
  tvmffi_buf_fini(&signature);
  return -1;
}

typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  const tvmffi_builtin *builtin;
} builtin_object;

static int call_builtin(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const tvmffi_builtin *builtin = ((const builtin_object *)handle)->builtin;
  if (!is_packed(builtin)) {
    const char *p = builtin->signature;
    int32_t i;
    for (i = 0; p[i] != '>'; ++i) {
      if (i >= num_args) break;
      if (TVMFFI_UNLIKELY(!accepts(p[i], &args[i]))) {
        if (num_args != (int32_t)(strchr(p, '>') - p)) break; /* the number comes first */
        return refuse(builtin, i, find_type(p[i])->display, args, num_args);
      }
    }
    if (TVMFFI_UNLIKELY(p[i] != '>' || i != num_args)) {
      return refuse(builtin, -1, NULL, args, num_args);
    }
  }
  return builtin->body(args, num_args, result);
}

TVMFFIObject *tvmffi_builtin_new_function(const tvmffi_builtin *builtin) {
  builtin_object *function =
      tvmffi_object_new(sizeof *function, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (function == NULL) return NULL;
  function->cell.safe_call = call_builtin;
  function->cell.cpp_call = NULL;
  function->builtin = builtin;
  return &function->header;
}

/* {"type_schema":"<the schema, its quotes escaped>"} */
TVMFFI_COLD int tvmffi_builtin_metadata(const tvmffi_builtin *builtin, TVMFFIAny *out) {
  tvmffi_buf schema = TVMFFI_BUF_INIT, text = TVMFFI_BUF_INIT;
  size_t i;
  int rc = -1;
  tvmffi_buf_append_text(&schema, "{\"type\":\"ffi.Function\"");
  if (!is_packed(builtin)) {
    const char *p = builtin->signature, *result = strchr(p, '>') + 1;
    tvmffi_buf_append_text(&schema, ",\"named_args\":{\"return\":[");
    append_schema(&schema, &result);
    tvmffi_buf_append_text(&schema, "],\"params\":[");
    while (*p != '>') {
      if (p != builtin->signature) tvmffi_buf_append_text(&schema, ",");
      append_schema(&schema, &p);
    }
    tvmffi_buf_append_text(&schema, "]}");
  }
  tvmffi_buf_append_text(&schema, "}");
  tvmffi_buf_append_text(&text, "{\"type_schema\":\"");
  for (i = 0; i < schema.size; ++i) {
    if (schema.data[i] == '"') tvmffi_buf_append_text(&text, "\\");
    tvmffi_buf_append(&text, &schema.data[i], 1);
  }
  tvmffi_buf_append_text(&text, "\"}");
  if (schema.failed || text.failed) {
    tvmffi_error_raise_memory();
  } else {
    rc = tvmffi_string_to_any(text.data, text.size, out);
  }
  tvmffi_buf_fini(&schema);
  tvmffi_buf_fini(&text);
  return rc;
}

TVMFFIByteArray tvmffi_builtin_text(const TVMFFIAny *arg) {
  TVMFFIByteArray text = {"", 0};
  (void)tvmffi_any_get_text(arg, &text);
  return text;
}
