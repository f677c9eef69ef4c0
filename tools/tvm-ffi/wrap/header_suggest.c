/* SPDX-License-Identifier: Apache-2.0 */
/* Proposes lines for functions of headers, by the conventions of C. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "wrap/header.h"

/* ---- Names ---- */

/* Whether both are the same but for case and underscores. */
static bool is_alike(const char *a, const char *b) {
  for (;;) {
    while (*a == '_') ++a;
    while (*b == '_') ++b;
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    if (*a == '\0') return true;
    ++a, ++b;
  }
}

/* Whether the name is made of these two, in any order: "x_len", "lenX". */
static bool is_of(const char *name, const char *array, const char *word) {
  char *after = tool_format("%s%s", array, word), *before = tool_format("%s%s", word, array);
  const bool is_one = is_alike(name, after) || is_alike(name, before);
  free(before);
  free(after);
  return is_one;
}

static const char *const kLengths[] = {"n",   "len",      "length", "size",   "count",
                                       "num", "cap",      "bytes",  "nbytes", "items",
                                       "sz",  "capacity", NULL};
static const char *const kStrides[] = {"inc", "stride", "step", NULL};

/* Whether the name says that it is the length of anything: "n", "srcSize", "num_items". */
static bool is_length(const char *name) {
  size_t i;
  for (i = 0; kLengths[i] != NULL; ++i) {
    const size_t size = strlen(kLengths[i]), whole = strlen(name);
    if (is_alike(name, kLengths[i])) return true;
    if (size < 3 || whole <= size) continue;
    if (is_alike(name + whole - size, kLengths[i]) || strncmp(name, kLengths[i], size) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- Lengths ---- */

static bool is_integer(const header_param *param) {
  return header_is_integer(&param->type);
}

/* The integer that one of the words makes of the array's name; NULL: none. */
static const char *find_of(const header_function *function, const header_param *array,
                           const char *const *words) {
  size_t i, k;
  for (i = 0; i < function->num_params; ++i) {
    for (k = 0; words[k] != NULL && is_integer(&function->params[i]); ++k) {
      if (is_of(function->params[i].name, array->name, words[k])) return function->params[i].name;
    }
  }
  return NULL;
}

/* The length that has an array's name, or stands behind it; NULL: none. */
static const char *find_own_length(const header_function *function, const header_param *array) {
  const header_param *end = function->params + function->num_params;
  const char *found = find_of(function, array, kLengths);
  if (found != NULL) return found;
  if (array + 1 < end && is_integer(array + 1) && is_length(array[1].name)) return array[1].name;
  return NULL;
}

/* The length that stands before an array, or the only one that the function has; NULL: none. */
static const header_param *find_other_length(const header_function *function,
                                             const header_param *array) {
  const header_param *found = NULL;
  size_t i;
  if (array > function->params && is_integer(array - 1) && is_length(array[-1].name)) {
    return array - 1;
  }
  for (i = 0; i < function->num_params; ++i) {
    if (!is_integer(&function->params[i]) || !is_length(function->params[i].name)) continue;
    if (found != NULL) return NULL;
    found = &function->params[i];
  }
  return found;
}

/* Whether the function writes one number there: an array of the length stands before it. */
static bool is_single(const header_function *function, const header_param *param,
                      const header_param *length) {
  const header_param *other;
  for (other = function->params; other < length && !param->type.is_const; ++other) {
    if (other->type.kind == kHeaderElements) return param > length;
  }
  return false;
}

/* ---- A line ---- */

/* Appends what a line would say of a parameter; false: there is no convention for it. */
static bool add_item(text_buf *out, const header_function *function, const header_param *param) {
  const char *length = find_own_length(function, param), *separator = out->size > 0 ? ", " : "";
  const char *stride = find_of(function, param, kStrides);
  const header_param *other = find_other_length(function, param);
  if (length == NULL && other == NULL) return false;
  if (length == NULL && stride == NULL && is_single(function, param, other)) {
    text_add(out, "%sout %s", separator, param->name);
    return true;
  }
  if (length == NULL) length = other->name;
  text_add(out, "%s%s[%s", separator, param->name, length);
  if (stride != NULL) text_add(out, ":%s", stride);
  text_add(out, "]%s", stride != NULL && is_of(stride, param->name, "inc") ? " strides blas" : "");
  return true;
}

char *header_suggest(const header_function *function) {
  text_buf items = {NULL, 0, 0};
  bool good = function->result.kind != kHeaderElements;
  char *line = NULL;
  size_t i;
  for (i = 0; good && i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    if (param->type.kind == kHeaderElements && param->type.extents == NULL) {
      good = add_item(&items, function, param);
    } else if (param->type.kind == kHeaderAddress && find_own_length(function, param) != NULL) {
      text_add(&items, "%suint8_t %s[%s]", items.size > 0 ? ", " : "", param->name,
               find_own_length(function, param));
    }
  }
  if (good && items.size > 0) line = tool_format("%s(%s)", function->name, items.data);
  text_free(&items);
  return line;
}
