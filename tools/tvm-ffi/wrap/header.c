/* SPDX-License-Identifier: Apache-2.0 */
/* Makes specs of the functions of headers and of lines that say what prototypes do not. */
#include "wrap/header.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/pattern.h"
#include "base/report.h"
#include "base/utf8.h"

/* ---- Names of parameters ---- */

/* A name that is a word of C++ is no name of a SPEC. */
static bool is_called(const header_param *param, const char *name, size_t size) {
  const size_t length = strlen(param->name);
  if (strncmp(param->name, name, length) != 0) return false;
  return identifier_is_c_word(param->name) ? size == length + 1 && name[length] == '_'
                                           : size == length;
}

static const header_param *find_param(const header_function *function, const char *name,
                                      size_t size) {
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    if (is_called(&function->params[i], name, size)) return &function->params[i];
  }
  return NULL;
}

const header_param *header_find_param(const header_function *function, const char *name) {
  return find_param(function, name, strlen(name));
}

bool header_is_integer(const header_type *type) {
  static const char *const kOthers[] = {"float", "double", "bool", NULL};
  return type->kind == kHeaderNumber && text_find(type->number, kOthers) == NULL;
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- Which functions are wrapped ---- */

/* A kernel's name must not begin with _. */
static const char *skip_underscores(const char *name) {
  return name + strspn(name, "_");
}

/* Kernels of functions whose names begin with _ have names without it, unless that is none, or the
 * name of another function. */
static void shorten_names(const header_content *content, header_kernels *kernels) {
  name_table names = {NULL, 0, NULL, 0};
  size_t i;
  for (i = 0; i < content->num_functions; ++i) {
    name_table_add(&names, content->functions[i].name);
  }
  for (i = 0; i < kernels->count; ++i) {
    const char *name = kernels->items[i].function->name, *rest = skip_underscores(name);
    kernels->items[i].is_short = rest != name && identifier_is(rest, strlen(rest)) &&
                                 !identifier_is_c_word(rest) &&
                                 name_table_find(&names, rest) == SIZE_MAX;
  }
  name_table_free(&names);
}

static void add_kernel(header_kernels *out, const header_function *function,
                       const header_line *line) {
  out->items = tool_grow(out->items, out->count, sizeof *out->items);
  out->items[out->count].function = function;
  out->items[out->count].closed = NULL;
  out->items[out->count].is_short = false;
  out->items[out->count++].line = line;
}

/* Adds the kernels of a function that is asked for. */
static void add_kernels(header_kernels *out, const header_function *function, header_lines *lines) {
  header_line *general = NULL;
  const size_t before = out->count;
  size_t i;
  for (i = 0; i < lines->count; ++i) {
    header_line *line = &lines->items[i];
    if (!pattern_matches(line->pattern, function->name)) continue;
    line->is_used = true;
    if (line->is_name) {
      add_kernel(out, function, line);
    } else if (general == NULL) {
      general = line;
    }
  }
  if (out->count == before) add_kernel(out, function, general);
}

static bool is_asked(const header_function *function, const header_lines *lines,
                     const text_list *patterns) {
  size_t i;
  if (patterns->count > 0) {
    return patterns_match(patterns->items, patterns->count, function->name);
  }
  for (i = 0; i < lines->count; ++i) {
    if (lines->items[i].is_name && strcmp(lines->items[i].pattern, function->name) == 0)
      return true;
  }
  return function->is_own;
}

/* The function whose name is most like the given one; NULL: none is. */
static const char *find_nearest(const header_content *content, const char *name) {
  nearest_name search = nearest_begin(name, nearest_limit(name));
  size_t i;
  for (i = 0; i < content->num_functions; ++i) {
    nearest_offer(&search, content->functions[i].name);
  }
  return search.nearest;
}

static bool fail_unmatched(const header_content *content, const header_line *line) {
  const char *nearest = find_nearest(content, line->pattern);
  return spec_fail(
      &line->source, line->column,
      nearest != NULL ? "no function matches `%s`; did you mean `%s`?" : "no function matches `%s`",
      line->pattern, nearest);
}

static bool check_patterns(const header_content *content, const text_list *patterns) {
  size_t i, k;
  for (i = 0; i < patterns->count; ++i) {
    const char *nearest;
    for (k = 0; k < content->num_functions; ++k) {
      if (pattern_matches(patterns->items[i], content->functions[k].name)) break;
    }
    if (k < content->num_functions) continue;
    nearest = find_nearest(content, patterns->items[i]);
    return nearest != NULL ? report_error("--match: no function matches `%s`; did you mean `%s`?",
                                          patterns->items[i], nearest)
                           : report_error("--match: no function matches `%s`", patterns->items[i]);
  }
  return true;
}

/* ---- What a line says of a parameter ---- */

/* An item, taken apart: BEFORE name AFTER. */
typedef struct {
  const char *before, *after;
  size_t before_size;
  size_t column;
  bool has_type; /* before the name */
  bool has_shape;
} item_parts;

/* Whether the word stands before a type; any other is one. */
static bool is_modifier(const char *word, size_t size) {
  static const char *const kWords[] = {"in",       "out",        "inout", "const",
                                       "restrict", "__restrict", NULL};
  size_t i;
  for (i = 0; kWords[i] != NULL; ++i) {
    if (strlen(kWords[i]) == size && memcmp(kWords[i], word, size) == 0) return true;
  }
  return false;
}

/* Whether a word such as `out` stands before a parameter, perhaps with a type between them, and is
 * not one that is called so: `out free=f` may be about either. */
static bool is_before_param(const header_function *function, const char *word, const char *end) {
  if (!is_modifier(word, (size_t)(end - word))) return false;
  for (;;) {
    const char *begin;
    while (is_space(*end) || *end == '*') ++end;
    for (begin = end; identifier_has(*end); ++end) continue;
    if (end == begin || *end == '=') return false;
    if (find_param(function, begin, (size_t)(end - begin)) != NULL) return true;
  }
}

/* The parameter that an item is about; NULL: none has a name that is in it. */
static const header_param *take_apart(const header_function *function, const line_item *item,
                                      item_parts *out) {
  const char *at = item->text;
  memset(out, 0, sizeof *out);
  out->before = at;
  out->column = item->column;
  while (*at != '\0') {
    const char *begin = at;
    const header_param *param;
    while (identifier_has(*at)) ++at;
    if (at == begin) {
      if (*at == '[') return NULL;
      at += *at == '{' ? strcspn(at, "}") : 1; /* fields are no parameters */
      continue;
    }
    if (is_before_param(function, begin, at)) continue;
    param = find_param(function, begin, (size_t)(at - begin));
    if (param != NULL) {
      out->before_size = (size_t)(begin - item->text);
      while (is_space(*at)) ++at;
      out->after = at;
      out->has_shape = *at == '[';
      return param;
    }
    if (!is_modifier(begin, (size_t)(at - begin))) out->has_type = true;
  }
  return NULL;
}

/* The word of an item that should have been a parameter: the last one before a bracket. */
static char *name_unknown(const line_item *item) {
  const char *end = item->text + strcspn(item->text, "[");
  const char *begin;
  while (end > item->text && !identifier_has(end[-1])) --end;
  for (begin = end; begin > item->text && identifier_has(begin[-1]); --begin) continue;
  return tool_copy(begin, (size_t)(end - begin));
}

static bool fail_unknown(const header_kernel *kernel, const line_item *item) {
  const header_function *function = kernel->function;
  char *name = name_unknown(item);
  nearest_name search = nearest_begin(name, nearest_limit(name));
  text_buf all = {NULL, 0, 0};
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    text_add(&all, "%s%s", i > 0 ? ", " : "", function->params[i].name);
    nearest_offer(&search, function->params[i].name);
  }
  spec_fail(&kernel->line->source, item->column, "`%s` has no parameter `%s`%s%s%s %s",
            function->name, name, search.nearest != NULL ? "; did you mean `" : "",
            search.nearest != NULL ? search.nearest : "",
            search.nearest != NULL ? "`? It has" : ": it has", all.size > 0 ? all.data : "none");
  text_free(&all);
  free(name);
  return false;
}

/* Whether in, out or inout stands before the name. */
static bool has_direction(const item_parts *item) {
  return !item->has_type && !item->has_shape && item->before_size > 0 &&
         memchr(item->before, '*', item->before_size) == NULL;
}

/* What the line says of a parameter; false: nothing. */
static bool find_item(const header_kernel *kernel, const header_param *param, item_parts *out) {
  size_t i;
  if (kernel->line == NULL) return false;
  for (i = 0; i < kernel->line->num_items; ++i) {
    if (take_apart(kernel->function, &kernel->line->items[i], out) == param) return true;
  }
  return false;
}

static bool check_items(const header_kernel *kernel) {
  const header_line *line = kernel->line;
  size_t i, k;
  for (i = 0; line != NULL && i < line->num_items; ++i) {
    item_parts parts;
    const header_param *param = take_apart(kernel->function, &line->items[i], &parts);
    if (param == NULL) return fail_unknown(kernel, &line->items[i]);
    for (k = 0; k < i; ++k) {
      if (take_apart(kernel->function, &line->items[k], &parts) != param) continue;
      return spec_fail(&line->source, line->items[i].column, "`%s` is here twice", param->name);
    }
  }
  return true;
}

/* ---- Who ends a handle ---- */

/* The word of a line that begins with these letters, and ends them; NULL: it has none. */
static const char *find_word(const char *text, const char *word) {
  const char *comment = strstr(text, "//"), *at = text;
  const size_t size = strlen(word);
  for (; (at = strstr(at, word)) != NULL; at += size) {
    if (comment != NULL && at > comment) return NULL;
    if (at > text && identifier_has(at[-1])) continue;
    if (word[size - 1] == '=' || !identifier_has(at[size])) return at;
  }
  return NULL;
}

static bool is_handle(const header_type *type) {
  return type->object != NULL && !type->is_known && type->kind == kHeaderObject;
}

/* Adds the function that `free=` names, and what it ends. */
static void add_ending(name_table *endings, const char *text, const char *object) {
  const char *begin = find_word(text, "free="), *end;
  char *key;
  if (begin == NULL || object == NULL) return;
  begin += strlen("free=");
  for (end = begin; identifier_has(*end); ++end) continue;
  key = tool_format("%.*s %s", tvmffi_shown_size((size_t)(end - begin)), begin, object);
  name_table_add(endings, key);
  free(key);
}

static const header_param *find_closed(const header_function *function, const name_table *endings) {
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    char *key;
    bool is_found;
    if (!is_handle(&param->type)) continue;
    key = tool_format("%s %s", function->name, param->type.object);
    is_found = name_table_find(endings, key) != SIZE_MAX;
    free(key);
    if (is_found) return param;
  }
  return NULL;
}

/* A function that ends a handle when its last reference goes must not be called for it before, or
 * it would be called twice: a call of its own kernel closes the handle. */
static void mark_closed(header_kernels *kernels) {
  name_table endings = {NULL, 0, NULL, 0};
  size_t i, k;
  for (i = 0; i < kernels->count; ++i) {
    const header_kernel *kernel = &kernels->items[i];
    if (kernel->line == NULL) continue;
    add_ending(&endings, kernel->line->rest, kernel->function->result.object);
    for (k = 0; k < kernel->line->num_items; ++k) {
      item_parts parts;
      const line_item *item = &kernel->line->items[k];
      const header_param *param = take_apart(kernel->function, item, &parts);
      if (param != NULL) add_ending(&endings, parts.after, param->type.object);
    }
  }
  for (i = 0; endings.size > 0 && i < kernels->count; ++i) {
    kernels->items[i].closed = find_closed(kernels->items[i].function, &endings);
  }
  name_table_free(&endings);
}

/* Whether the line says what becomes of a handle that is passed. */
static bool is_owner_said(const char *after) {
  return find_word(after, "closes") != NULL || find_word(after, "ends") != NULL ||
         find_word(after, "takes") != NULL || find_word(after, "alone") != NULL || *after == '=';
}

/* Whether a part of the name says that the function ends what it is given: "db_close", "freeAll",
 * but not "append". */
static bool is_ending_name(const char *begin) {
  static const char *const kWords[] = {"destroy", "free",    "close",   "delete", "finalize",
                                       "release", "dispose", "cleanup", "end",    NULL};
  const char *name;
  size_t i, k;
  for (name = begin; *name != '\0'; ++name) {
    for (i = 0; kWords[i] != NULL; ++i) {
      const size_t size = strlen(kWords[i]);
      for (k = 0; k < size && (name[k] | 0x20) == kWords[i][k]; ++k) continue;
      if (k < size) continue;
      if (size > 3) return true;
      /* A short one is a word of its own. */
      if (name[size] >= 'a' && name[size] <= 'z') continue;
      if (*name == 'E' || name == begin || name[-1] == '_') return true;
    }
  }
  return false;
}

/* The only handle that a function takes, if its name says that it ends that; NULL: it does not. */
static const header_param *find_ended(const header_function *function) {
  const header_type *result = &function->result;
  const header_param *found = NULL;
  size_t i;
  if (result->kind != kHeaderVoid && !header_is_integer(result)) return NULL;
  for (i = 0; i < function->num_params; ++i) {
    if (!is_handle(&function->params[i].type)) continue;
    if (found != NULL) return NULL;
    found = &function->params[i];
  }
  return found != NULL && is_ending_name(function->name) ? found : NULL;
}

char *header_ask_owner(const header_kernel *kernel) {
  const header_line *line = kernel->line;
  const header_param *ended = find_ended(kernel->function);
  item_parts item;
  if (is_handle(&kernel->function->result) &&
      (line == NULL || (line->result == NULL && find_word(line->rest, "free=") == NULL &&
                        find_word(line->rest, "of=") == NULL))) {
    return tool_format("who ends its result");
  }
  if (ended == NULL || ended == kernel->closed) return NULL;
  if (find_item(kernel, ended, &item)) return NULL; /* it ends it, or does not */
  return tool_format("whether it ends `%s`", ended->name);
}

bool header_find_kernels(const header_content *content, header_lines *lines,
                         const text_list *patterns, header_kernels *out) {
  size_t i, k;
  if (!check_patterns(content, patterns)) return false;
  for (i = 0; i < lines->count; ++i) {
    for (k = 0; k < content->num_functions; ++k) {
      if (pattern_matches(lines->items[i].pattern, content->functions[k].name)) break;
    }
    if (k == content->num_functions) return fail_unmatched(content, &lines->items[i]);
  }
  for (i = 0; i < content->num_functions; ++i) {
    if (is_asked(&content->functions[i], lines, patterns)) {
      add_kernels(out, &content->functions[i], lines);
    }
  }
  for (i = 0; i < out->count; ++i) {
    if (!check_items(&out->items[i])) return false;
  }
  mark_closed(out);
  shorten_names(content, out);
  return true;
}

/* ---- What a function needs ---- */

/* An address that the function may give to a callback; NULL: none. Where there are several, a line
 * names one without anything else, or gives the others a type, a shape or a value; *is_open: it
 * does not. */
static const header_param *find_data(const header_kernel *kernel, const header_param *callback,
                                     bool *is_open) {
  const header_function *function = kernel->function;
  const header_param *found = NULL, *named = NULL;
  size_t i, num_found = 0, num_named = 0;
  for (i = 0; callback->type.takes_data && i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    item_parts item;
    if (!param->type.is_void) continue;
    if (find_item(kernel, param, &item)) {
      if (item.before_size > 0 || *item.after != '\0') continue;
      named = param;
      ++num_named;
    }
    found = param;
    ++num_found;
  }
  *is_open = num_named == 1 ? false : num_found > 1;
  return num_named == 1 ? named : found;
}

/* Whether a line gives the fields of a structure that has others than numbers. */
static bool has_fields(const header_type *type, const char *text, size_t size) {
  return type->kind == kHeaderOther && type->object != NULL && memchr(text, '{', size) != NULL;
}

static bool has_result_fields(const header_kernel *kernel) {
  const header_line *line = kernel->line;
  return line != NULL && line->result != NULL &&
         has_fields(&kernel->function->result, line->result, strlen(line->result));
}

char *header_refuse(const header_kernel *kernel) {
  const header_function *function = kernel->function;
  size_t i;
  if (function->is_variadic) return tool_format("variadic");
  if (function->result.kind == kHeaderOther && !has_result_fields(kernel)) {
    return tool_format("returns %s", function->result.refusal);
  }
  if (function->result.kind == kHeaderFunction) return tool_format("returns a function");
  for (i = 0; i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    item_parts item;
    const bool is_callback = param->type.kind == kHeaderFunction;
    bool is_open;
    if (is_callback ? find_data(kernel, param, &is_open) != NULL
                    : param->type.kind != kHeaderOther) {
      continue;
    }
    if (find_item(kernel, param, &item) &&
        (*item.after == '=' || has_fields(&param->type, item.before, item.before_size))) {
      continue; /* a constant, or a structure */
    }
    return tool_format("`%s` is %s", param->name,
                       is_callback ? "a callback without data" : param->type.refusal);
  }
  return NULL;
}

/* Appends what a line has to say of parameters of a kind: `a shape for x, y`. Callable are
 * functions that a caller may pass. */
static void ask_for(text_buf *out, const header_kernel *kernel, header_kind kind, bool is_callable,
                    const char *what) {
  const header_function *function = kernel->function;
  bool is_first = true;
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    item_parts parts;
    if (param->type.kind != kind || param->type.extents != NULL ||
        (param->type.callback != NULL) != is_callable || find_item(kernel, param, &parts)) {
      continue;
    }
    if (is_first) {
      text_add(out, "%s%s for %s", out->size > 0 ? "; " : "", what, param->name);
    } else {
      text_add(out, ", %s", param->name);
    }
    is_first = false;
  }
}

char *header_ask(const header_kernel *kernel) {
  const header_kind kind = kernel->function->result.kind;
  const bool has_result = kernel->line != NULL && kernel->line->result != NULL;
  text_buf needs = {NULL, 0, 0};
  ask_for(&needs, kernel, kHeaderElements, false, "a shape");
  ask_for(&needs, kernel, kHeaderPointers, false, "a type");
  ask_for(&needs, kernel, kHeaderFunction, true, "a value");
  ask_for(&needs, kernel, kHeaderFunction, false, "NULL");
  if ((kind == kHeaderElements || kind == kHeaderPointers) && !has_result) {
    text_add(&needs, "%sa type for its result", needs.size > 0 ? "; " : "");
  }
  return needs.data;
}

/* ---- The SPEC ---- */

/* A type without a shape, as a SPEC has it. */
static void write_type(text_buf *out, const header_type *type, bool with_handles) {
  const bool is_handle = with_handles && type->object != NULL && !type->is_known;
  const char *constant = type->is_const ? "const " : "";
  switch (type->kind) {
    case kHeaderVoid:
      text_add(out, "void ");
      break;
    case kHeaderNumber:
      if (type->choices != NULL) {
        text_add(out, "enum %s ", type->choices);
      } else {
        text_add(out, "%s ", type->number);
      }
      break;
    case kHeaderText:
      text_add(out, "const char *");
      break;
    case kHeaderElements:
      text_add(out, "%s%s *", constant, type->number);
      break;
    case kHeaderStructure:
      text_add(out, "struct %s ", type->fields);
      break;
    case kHeaderPointers:
      text_add(out, "%s%s **", constant, type->object != NULL ? type->object : "void");
      break;
    default:
      text_add(out, "%s%s *", constant, is_handle ? type->object : "void");
  }
}

/* ---- Types of lines ---- */

/* A number of C, as the compiler has it here. */
typedef struct {
  const char *name;
  enum { kSigned, kUnsigned, kFloating, kHalf, kBrain, kComplexNumber, kTruth } kind;
  size_t size;
} number_type;

static const number_type kNumbers[] = {
    {"bool", kTruth, 1},
    {"char", kSigned, 1},
    {"float", kFloating, sizeof(float)},
    {"double", kFloating, sizeof(double)},
    {"_Float16", kHalf, 2},
    {"__bf16", kBrain, 2},
    {"float _Complex", kComplexNumber, 2 * sizeof(float)},
    {"double _Complex", kComplexNumber, 2 * sizeof(double)},
    {"signed char", kSigned, 1},
    {"short", kSigned, sizeof(short)},
    {"int", kSigned, sizeof(int)},
    {"long", kSigned, sizeof(long)},
    {"long long", kSigned, sizeof(long long)},
    {"unsigned char", kUnsigned, 1},
    {"unsigned short", kUnsigned, sizeof(unsigned short)},
    {"unsigned int", kUnsigned, sizeof(unsigned)},
    {"unsigned long", kUnsigned, sizeof(unsigned long)},
    {"unsigned long long", kUnsigned, sizeof(unsigned long long)},
    {"int8_t", kSigned, 1},
    {"int16_t", kSigned, 2},
    {"int32_t", kSigned, 4},
    {"int64_t", kSigned, 8},
    {"uint8_t", kUnsigned, 1},
    {"uint16_t", kUnsigned, 2},
    {"uint32_t", kUnsigned, 4},
    {"uint64_t", kUnsigned, 8},
    {"size_t", kUnsigned, sizeof(size_t)},
    {"ptrdiff_t", kSigned, sizeof(ptrdiff_t)},
    {"intptr_t", kSigned, sizeof(intptr_t)},
    {"uintptr_t", kUnsigned, sizeof(uintptr_t)},
};

static const number_type *find_number(const char *name) {
  size_t i;
  for (i = 0; name != NULL && i < sizeof kNumbers / sizeof *kNumbers; ++i) {
    if (strcmp(kNumbers[i].name, name) == 0) return &kNumbers[i];
  }
  return NULL;
}

/* Whether the elements are the same ones, as those of `long` and `int64_t` may be. */
static bool is_same_number(const char *a, const char *b) {
  const number_type *first = find_number(a), *second = find_number(b);
  return first != NULL && second != NULL && first->kind == second->kind &&
         first->size == second->size;
}

/* Whether each number of one type is one of the other. */
static bool is_within(const char *name, const char *other) {
  const number_type *from = find_number(name), *to = find_number(other);
  if (from == NULL || to == NULL) return false;
  if (from->kind == to->kind) return from->size <= to->size;
  if (from->kind == kTruth) return to->kind < kHalf;
  return (from->kind == kUnsigned && to->kind == kSigned && from->size < to->size) ||
         (from->kind < kFloating && to->kind == kFloating && from->size < to->size);
}

static bool is_byte(const header_type *type) {
  return type->kind == kHeaderElements &&
         (is_same_number(type->number, "signed char") || is_same_number(type->number, "uint8_t"));
}

/* Whether what the header has leads to anything that its elements could be. */
static bool has_any_elements(const header_type *type) {
  return type->is_void || type->kind == kHeaderText || type->kind == kHeaderObject || is_byte(type);
}

static bool is_integer_or_truth(const header_type *type) {
  return header_is_integer(type) ||
         (type->kind == kHeaderNumber && find_number(type->number) != NULL &&
          find_number(type->number)->kind == kTruth);
}

/* Whether a parameter may have the type that a line gives it. */
static bool may_be(const header_type *type, const spec_param *param) {
  const spec_kind kind = param->type->kind;
  switch (param->form) {
    case kParamConstant:
    case kParamCallback:
    case kParamContext:
      return true;
    case kParamScalar:
      if (kind == kTypeHandle || kind == kTypePointer || kind == kTypeText) {
        return type->kind != kHeaderNumber;
      }
      if (kind == kTypeStruct) {
        return type->kind == kHeaderStructure || type->kind == kHeaderOther ||
               has_any_elements(type);
      }
      if (param->direction != kByValue) break;
      if (kind == kTypeBool || kind == kTypeChar || param->c_type.choices != NULL) {
        return is_integer_or_truth(type);
      }
      return type->kind == kHeaderNumber && is_within(param->type->name, type->number);
    default:
      break;
  }
  return has_any_elements(type) || (type->kind == kHeaderElements && type->inner == NULL &&
                                    is_same_number(param->type->name, type->number));
}

/* Whether a result may have it. */
static bool may_return(const header_type *type, const spec *target) {
  switch (target->result->kind) {
    case kTypeVoid:
      return true;
    case kTypeHandle:
    case kTypePointer:
      return type->kind != kHeaderNumber && type->kind != kHeaderStructure;
    case kTypeText:
      return has_any_elements(type) && type->kind != kHeaderObject;
    case kTypeStruct:
      return type->kind == kHeaderStructure || type->kind == kHeaderOther;
    default:
      break;
  }
  if (target->result->kind == kTypeBool || target->result->kind == kTypeChar ||
      target->result_c_type.choices != NULL) {
    return is_integer_or_truth(type);
  }
  return type->kind == kHeaderNumber && is_within(type->number, target->result->name);
}

bool header_check_types(const header_kernel *kernel, const spec *target) {
  const header_function *function = kernel->function;
  size_t i;
  for (i = 0; i < function->num_params && i < target->num_params; ++i) {
    const header_param *param = &function->params[i];
    item_parts item;
    if (!find_item(kernel, param, &item) || !item.has_type) continue;
    if (may_be(&param->type, &target->params[i])) continue;
    return spec_fail(&kernel->line->source, item.column,
                     "`%s` of `%s` is `%s` in the header: a line cannot make it `%s`", param->name,
                     function->name, param->type.written, target->params[i].type->name);
  }
  if (kernel->line->result == NULL || may_return(&function->result, target)) return true;
  return spec_fail(&kernel->line->source, 0,
                   "`%s` returns `%s` in the header: a line cannot make it `%s`", function->name,
                   function->result.written, target->result->name);
}

/* ---- The SPEC: parameters ---- */

/* The elements that a SPEC has without another type: those of text with a length are char. */
static const char *name_elements(const header_type *type) {
  return type->kind == kHeaderText ? "char" : type->kind == kHeaderAddress ? "void" : type->number;
}

/* What stands before the name of a tensor: words such as out, the type of the elements, and the
 * star of a work array. */
static void write_elements(text_buf *out, const header_type *type, const item_parts *item) {
  const bool is_work = memchr(item->before, '*', item->before_size) != NULL;
  const int size = tvmffi_shown_size(item->before_size);
  const bool is_text = type->is_char && (find_word(item->after, "size=") != NULL ||
                                         find_word(item->after, "bytes") != NULL);
  if (item->has_type) {
    text_add(out, "%s%.*s", type->is_const ? "const " : "", size, item->before);
    return;
  }
  if (!is_work) text_add(out, "%.*s", size, item->before);
  text_add(out, "%s%s %s", type->is_const ? "const " : "", is_text ? "char" : name_elements(type),
           type->is_restrict ? "restrict " : "");
  if (is_work) text_add(out, "%.*s", size, item->before);
}

/* Elements that are arrays have the last dimensions of the tensor. */
static void write_inner(text_buf *out, const char *shape, const char *inner) {
  const char *end = shape;
  while (*end == '[') {
    end += strcspn(end, "]");
    end += *end == ']';
  }
  text_add(out, "%.*s%s%s", tvmffi_shown_size((size_t)(end - shape)), shape, inner, end);
}

/* A callback whose line has only its name takes a function of the caller's. */
static bool write_callback(text_buf *out, const header_kernel *kernel, const header_param *param,
                           const char *after) {
  bool is_open;
  const header_param *data = find_data(kernel, param, &is_open);
  const char *at = param->type.callback;
  if (at == NULL || data == NULL) {
    return spec_fail(
        &kernel->line->source, 0,
        "`%s` of `%s` is `%s`: a function of the caller's takes numbers and addresses, "
        "one of which is its data, and returns a number; write `%s = NULL` to pass "
        "none",
        param->name, kernel->function->name, param->type.written, param->name);
  }
  if (is_open) {
    return spec_fail(
        &kernel->line->source, 0,
        "`%s` of `%s` may be given `%s` or another `void *`: the line must name the one "
        "that it is given, as in `%s, %s`",
        param->name, kernel->function->name, data->name, param->name, data->name);
  }
  for (; *at != '\0'; ++at) {
    if (*at == *HEADER_NAME) {
      text_add(out, "%s", param->name);
    } else if (*at == *HEADER_DATA) {
      text_add(out, "%s", data->name);
    } else {
      text_add_bytes(out, at, 1);
    }
  }
  text_add(out, "%s%s", *after != '\0' ? " " : "", after);
  return true;
}

static bool write_param_type(text_buf *out, const header_kernel *kernel, const header_param *param,
                             bool with_handles) {
  const header_type *type = &param->type;
  const char *ending = identifier_is_c_word(param->name) ? "_" : "";
  item_parts item;
  if (!find_item(kernel, param, &item)) {
    if (type->extents != NULL) {
      text_add(out, "%s%s %s%s%s", type->is_const ? "const " : "", type->number, param->name,
               ending, type->extents);
      return true;
    }
    write_type(out, type, with_handles);
    text_add(out, "%s%s", param->name, ending);
    /* One that the header gives no name is written "enum (unnamed at FILE:1:2)". */
    if (type->choices != NULL && strchr(type->written, '(') == NULL) {
      text_add(out, " as %s", type->written);
    }
    if (type->kind == kHeaderStructure) text_add(out, " as %s", type->object);
    return true;
  }
  if (type->kind == kHeaderFunction && !item.has_type && *item.after != '=') {
    return write_callback(out, kernel, param, item.after);
  }
  if (type->kind == kHeaderObject && type->fields != NULL && has_direction(&item)) {
    text_add(out, "%.*s%sstruct %s *%s%s as %s%s%s", tvmffi_shown_size(item.before_size),
             item.before, type->is_const ? "const " : "", type->fields, param->name, ending,
             type->object, *item.after != '\0' ? " " : "", item.after);
    return true;
  }
  if (item.has_shape && !item.has_type && type->number == NULL && type->kind != kHeaderAddress) {
    return spec_fail(&kernel->line->source, 0,
                     "`%s` of `%s` is `%s`, without a type for elements: write it before the name, "
                     "as in `float %s[n]`",
                     param->name, kernel->function->name, type->written, param->name);
  }
  if (item.has_shape) {
    write_elements(out, type, &item);
  } else {
    text_add(out, "%.*s", tvmffi_shown_size(item.before_size), item.before);
    if (type->choices != NULL && !item.has_type) {
      text_add(out, "%s ", type->number);
    } else if (!item.has_type) {
      write_type(out, type, with_handles);
    }
  }
  text_add(out, "%s%s", param->name, ending);
  if (has_fields(type, item.before, item.before_size) && find_word(item.after, "as") == NULL) {
    text_add(out, " as %s", type->object);
  }
  if (item.has_shape && !item.has_type && type->inner != NULL) {
    write_inner(out, item.after, type->inner);
  } else {
    text_add(out, "%s%s", item.has_shape || *item.after == '\0' ? "" : " ", item.after);
  }
  return true;
}

static bool write_param(text_buf *out, const header_kernel *kernel, const header_param *param,
                        bool with_handles) {
  item_parts item;
  if (!write_param_type(out, kernel, param, with_handles)) return false;
  if (param == kernel->closed && with_handles &&
      !(find_item(kernel, param, &item) && (item.has_type || is_owner_said(item.after)))) {
    text_add(out, " closes");
  }
  return true;
}

/* A description may not contain what would end it. */
static void write_doc(text_buf *out, const header_kernel *kernel) {
  const char *rest = kernel->line != NULL ? kernel->line->rest : "";
  const header_type *result = &kernel->function->result;
  if (result->kind == kHeaderStructure || has_result_fields(kernel)) {
    text_add(out, " as %s", result->object);
  }
  if (*rest != '\0') text_add(out, " %s", rest);
  if (kernel->function->doc != NULL && strstr(rest, "//") == NULL) {
    text_add(out, " // %s", kernel->function->doc);
  }
}

/* Whether a line has a word that only handles have. */
static bool is_about_handles(const header_line *line) {
  static const char *const kWords[] = {"free=", "of=",   "closes",  "ends",
                                       "takes", "alone", "optional"};
  size_t i, k;
  for (k = 0; k < sizeof kWords / sizeof *kWords; ++k) {
    if (find_word(line->rest, kWords[k]) != NULL) return true;
    for (i = 0; i < line->num_items; ++i) {
      if (find_word(line->items[i].text, kWords[k]) != NULL) return true;
    }
  }
  return false;
}

char *header_write_spec(const header_kernel *kernel, bool has_handles) {
  const header_function *function = kernel->function;
  const header_line *line = kernel->line;
  const bool with_handles = has_handles || (line != NULL && is_about_handles(line));
  text_buf out = {NULL, 0, 0};
  bool good = true;
  size_t i;
  if (line != NULL && line->exported != NULL) {
    text_add(&out, "%s = ", line->exported);
  } else if (kernel->is_short) {
    text_add(&out, "%s = ", skip_underscores(function->name));
  }
  if (line != NULL && line->result != NULL) {
    text_add(&out, "%s%s", line->result, path_ends_in(line->result, "*") ? "" : " ");
  } else if (function->result.kind == kHeaderNumber) {
    text_add(&out, "%s ", function->result.number);
  } else {
    write_type(&out, &function->result, with_handles);
  }
  text_add(&out, "%s(", function->name);
  for (i = 0; good && i < function->num_params; ++i) {
    if (i > 0) text_add(&out, ", ");
    good = write_param(&out, kernel, &function->params[i], with_handles);
  }
  text_add(&out, ")");
  write_doc(&out, kernel);
  if (good) return out.data;
  text_free(&out);
  return NULL;
}
