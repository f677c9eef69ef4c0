/* SPDX-License-Identifier: Apache-2.0 */
#include "value/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "value/input_tensor.h"
#include "value/input_word.h"

struct input_reader {
  input_sources sources;
};

input_reader *input_reader_new(uint64_t seed, tensor_guard guard) {
  input_reader *reader = tool_alloc(sizeof *reader);
  memset(reader, 0, sizeof *reader);
  reader->sources.random = seed;
  reader->sources.guard = guard;
  return reader;
}

void input_reader_free(input_reader *reader) {
  input_sources_free(&reader->sources);
  free(reader);
}

static void add(input_list *list, TVMFFIAny value, bool is_storage) {
  if (list->size == list->capacity) {
    list->capacity = 2 * list->capacity + 8;
    list->items = tool_realloc(list->items, list->capacity * sizeof *list->items);
  }
  list->items[list->size].value = value;
  list->items[list->size++].is_storage = is_storage;
}

void input_list_free(input_list *list) {
  size_t i;
  for (i = 0; i < list->size; ++i) tvm_ffi_any_clear(&list->items[i].value);
  free(list->items);
  memset(list, 0, sizeof *list);
}

static bool is_kind(const schema_type *type, schema_kind kind) {
  return type != NULL && type->kind == kind;
}

/* ---- Values with a prefix: "i:3" ---- */

/* Takes the text after a prefix: quoted, or up to the end of the value. */
static char *take_operand(scan *s, size_t *out_size) {
  char *word;
  scan_skip_space(s);
  if (s->pos < s->end && *s->pos == '"') return scan_take_quoted(s, out_size);
  word = scan_take_rest(s);
  if (word != NULL) *out_size = strlen(word);
  return word;
}

static bool read_list(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out);

/* Reads what follows "shape:". */
static bool read_shape(input_reader *reader, scan *s, TVMFFIAny *out) {
  TVMFFIAny list;
  bool good;
  if (!scan_take(s, '[')) return scan_fail(s, "shape: is followed by a list, as in [2,3]");
  if (!read_list(reader, s, NULL, &list)) return false;
  good = input_make_shape(s, &list, out);
  tvm_ffi_any_clear(&list);
  return good;
}

/* Reads what follows "x:": the bytes themselves, or "@FILE". */
static bool read_bytes(input_reader *reader, scan *s, const char *word, size_t size,
                       TVMFFIAny *out) {
  input_file *file;
  if (*word != '@') return input_make_form(s, kFormBytes, word, size, out);
  file = input_file_open(&reader->sources, s, word + 1, true);
  return file != NULL && file_reader_fill_all(&file->reader) &&
         input_make_text(s, file->reader.bytes, file->reader.size, true, out);
}

/* False, and nothing consumed, if no prefix is here. */
static bool read_prefixed(input_reader *reader, scan *s, TVMFFIAny *out, bool *good) {
  static const struct {
    const char *prefix;
    input_form form;
  } kForms[] = {{"i:", kFormInt},      {"f:", kFormFloat},    {"b:", kFormBool},
                {"s:", kFormText},     {"x:", kFormBytes},    {"dtype:", kFormDataType},
                {"dev:", kFormDevice}, {"fn:", kFormFunction}};
  size_t i, size = 0;
  char *word;
  if (scan_take_prefix(s, "shape:")) {
    *good = read_shape(reader, s, out);
    return true;
  }
  for (i = 0; i < sizeof kForms / sizeof *kForms; ++i) {
    if (!scan_take_prefix(s, kForms[i].prefix)) continue;
    word = take_operand(s, &size);
    *good = word != NULL &&
            (kForms[i].form == kFormBytes ? read_bytes(reader, s, word, size, out)
                                          : input_make_form(s, kForms[i].form, word, size, out));
    free(word);
    return true;
  }
  return false;
}

static bool read_value(input_reader *reader, scan *s, const schema_type *type, input_list *list);

/* ---- Lists and maps ---- */

static bool create_container(scan *s, const input_list *items, bool is_map, const schema_type *type,
                             TVMFFIAny *out) {
  const char *name = is_map ? (is_kind(type, kSchemaDict) ? "ffi.Dict" : "ffi.Map")
                            : (is_kind(type, kSchemaList) ? "ffi.List" : "ffi.Array");
  TVMFFIAny *values = tool_alloc((items->size + 1) * sizeof *values);
  size_t i;
  int code;
  for (i = 0; i < items->size; ++i) values[i] = items->items[i].value;
  code = tvm_ffi_function_call_global(name, values, (int32_t)items->size, out);
  free(values);
  return code == 0 || scan_fail_raised(s);
}

/* Begins a list or a map. */
static bool enter(scan *s) {
  enum { kMaxDepth = 64 };
  s->nested = true;
  return ++s->depth <= kMaxDepth || scan_fail(s, "lists and maps are nested too deep");
}

/* Reads what follows "[". */
static bool read_list(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type), *item = NULL;
  input_list items = {NULL, 0, 0};
  bool was_nested = s->nested, good = enter(s);
  while (good && !scan_take(s, ']')) {
    if (items.size > 0 && !scan_take(s, ',')) {
      good = scan_fail(s, "`,` or `]` is missing in a list");
      break;
    }
    if (wanted != NULL && wanted->num_args > 0) {
      size_t i = is_kind(wanted, kSchemaTuple) ? items.size : 0;
      item = i < wanted->num_args ? &wanted->args[i] : NULL;
    }
    good = read_value(reader, s, item, &items);
  }
  s->nested = was_nested;
  --s->depth;
  if (good) good = create_container(s, &items, false, wanted, out);
  input_list_free(&items);
  if (good && is_kind(wanted, kSchemaShape)) {
    TVMFFIAny list = *out;
    good = input_make_shape(s, &list, out);
    tvm_ffi_any_clear(&list);
  }
  return good;
}

/* Reads a key: a quoted text, an integer, or a bare word, which is a text. */
static bool read_key(scan *s, input_list *list) {
  TVMFFIAny key;
  size_t size = 0;
  char *word;
  bool good;
  scan_skip_space(s);
  if (s->pos < s->end && *s->pos == '"') {
    word = scan_take_quoted(s, &size);
    if (word == NULL) return false;
    good = input_make_text(s, word, size, false, &key);
  } else {
    while (s->pos + size < s->end && strchr(":,{}[] ", s->pos[size]) == NULL) ++size;
    word = tool_copy(s->pos, size);
    s->pos += size;
    good = input_make_key(s, word, &key);
  }
  free(word);
  if (good) add(list, key, false);
  return good;
}

/* Reads what follows "{". */
static bool read_map(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  const schema_type *wanted = schema_required(type);
  const schema_type *value = wanted != NULL && wanted->num_args == 2 ? &wanted->args[1] : NULL;
  input_list items = {NULL, 0, 0};
  bool was_nested = s->nested, good = enter(s);
  while (good && !scan_take(s, '}')) {
    if (items.size > 0 && !scan_take(s, ',')) {
      good = scan_fail(s, "`,` or `}` is missing in a map");
    } else if (!read_key(s, &items)) {
      good = false;
    } else if (!scan_take(s, ':')) {
      good = scan_fail(s, "`:` is missing in a map");
    } else {
      good = read_value(reader, s, value, &items);
      if (good && items.size % 2 != 0) good = scan_fail(s, "a map takes one value per key");
    }
  }
  s->nested = was_nested;
  --s->depth;
  if (good) good = create_container(s, &items, true, wanted, out);
  input_list_free(&items);
  return good;
}

/* ---- Values ---- */

/* "@file.npy", "+file.npy", "*file.npy" */
static bool read_arrays(input_reader *reader, scan *s, input_list *list) {
  char mode = *s->pos++;
  size_t size = 0;
  char *path = take_operand(s, &size);
  input_file *file = path != NULL ? input_file_open(&reader->sources, s, path, mode == '@') : NULL;
  free(path);
  if (file == NULL) return false;
  do {
    bool more = true;
    TVMFFIObjectHandle tensor;
    if (mode == '*' && !input_file_peek(file, &more)) return false;
    if (!more) break;
    tensor = input_file_read_npy(&reader->sources, s, file);
    if (tensor == NULL) return false;
    add(list, tvm_ffi_any_take_object(tensor), false);
  } while (mode == '*');
  return true;
}

/* "+3.5" is a number; "+file.npy" is not. Reports nothing, unlike scan_take_rest. */
static bool is_signed_number(const scan *s) {
  const char *end = s->pos;
  char *word;
  TVMFFIAny value;
  bool is_number;
  while (end < s->end && !(s->nested && memchr(",]})", *end, 4) != NULL)) ++end;
  while (isspace((unsigned char)end[-1])) --end; /* at the latest the sign is no space */
  word = tool_copy(s->pos, (size_t)(end - s->pos));
  is_number = input_parse_real(word, &value);
  free(word);
  return is_number;
}

static bool read_tensor(input_reader *reader, scan *s, bool is_marked, input_list *list) {
  bool has_contents;
  TVMFFIObjectHandle tensor = input_tensor_read(&reader->sources, s, &has_contents);
  if (tensor == NULL) return false;
  add(list, tvm_ffi_any_take_object(tensor), is_marked || !has_contents);
  return true;
}

/* Reads any value but a tensor. */
static bool read_plain(input_reader *reader, scan *s, const schema_type *type, TVMFFIAny *out) {
  size_t size = 0;
  bool good;
  char *word;
  if (read_prefixed(reader, s, out, &good)) return good;
  if (scan_take(s, '[')) return read_list(reader, s, type, out);
  if (scan_take(s, '{')) return read_map(reader, s, type, out);
  if (s->pos < s->end && *s->pos == '"') {
    word = scan_take_quoted(s, &size);
    good = word != NULL && input_make_text(s, word, size, false, out);
  } else {
    word = scan_take_rest(s);
    good = word != NULL && input_make_word(s, word, type, out);
  }
  free(word);
  return good;
}

static bool read_value(input_reader *reader, scan *s, const schema_type *type, input_list *list) {
  TVMFFIAny value;
  scan_skip_space(s);
  if (s->pos < s->end) {
    if (*s->pos == '@' || *s->pos == '*' || (*s->pos == '+' && !is_signed_number(s))) {
      return read_arrays(reader, s, list);
    }
    if (*s->pos == '&') {
      ++s->pos;
      if (input_tensor_begins(s, true)) return read_tensor(reader, s, true, list);
      return scan_fail(s, "`&` is followed by the type of a tensor, as in &4xf32");
    }
    if (input_tensor_begins(s, false)) return read_tensor(reader, s, false, list);
  }
  if (!read_plain(reader, s, type, &value)) return false;
  add(list, value, false);
  return true;
}

static void begin(scan *s, const char *label, const char *source, size_t size, bool nested) {
  s->label = label;
  s->begin = s->pos = source;
  s->end = source + size;
  s->depth = 0;
  s->nested = nested;
}

static const schema_type *get_param(const schema_type *function, size_t i) {
  return function != NULL ? schema_param(function, i) : NULL;
}

bool input_read(input_reader *reader, const char *spec, const char *label,
                const schema_type *function, input_list *list) {
  scan s;
  begin(&s, label, spec, strlen(spec), false);
  if (!read_value(reader, &s, get_param(function, list->size), list)) return false;
  return scan_at_end(&s) || scan_fail(&s, "`%.*s` is too much", (int)(s.end - s.pos), s.pos);
}

bool input_read_call(input_reader *reader, const char *arguments, size_t size,
                     const schema_type *function, input_list *list) {
  scan s;
  begin(&s, "", arguments, size, true);
  if (scan_at_end(&s)) return true;
  for (;;) {
    char label[32];
    snprintf(label, sizeof label, "argument %zu", list->size);
    s.label = label;
    scan_skip_space(&s);
    s.begin = s.pos;
    if (!read_value(reader, &s, get_param(function, list->size), list)) return false;
    if (scan_at_end(&s)) return true;
    if (!scan_take(&s, ',')) {
      return scan_fail(&s, "`%.*s` is not expected behind it", scan_measure(&s, s.pos), s.pos);
    }
  }
}
