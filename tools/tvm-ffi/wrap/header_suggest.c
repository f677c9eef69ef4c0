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

/* Whether the words behind a `void *` count bytes, which is what it is given. */
static bool is_bytes(const char *name) {
  static const char *const kWords[] = {"len", "length", "size",     "bytes", "nbytes",
                                       "sz",  "cap",    "capacity", NULL};
  size_t i, whole = strlen(name);
  for (i = 0; kWords[i] != NULL; ++i) {
    const size_t size = strlen(kWords[i]);
    if (whole >= size && is_alike(name + whole - size, kWords[i])) return true;
  }
  return false;
}

/* Whether the length has the name of a pointer: "xLen" is no length of y. */
static bool is_named_for_any(const header_function *function, const header_param *length) {
  size_t i, k;
  for (i = 0; i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    if (param->type.kind == kHeaderNumber) continue;
    for (k = 0; kLengths[k] != NULL; ++k) {
      if (is_of(length->name, param->name, kLengths[k])) return true;
    }
  }
  return false;
}

static bool is_length_param(const header_function *function, const header_param *param) {
  return param >= function->params && param < function->params + function->num_params &&
         is_integer(param) && is_length(param->name);
}

/* The length that has an array's name, or alone stands behind it; NULL: none. */
static const char *find_own_length(const header_function *function, const header_param *array) {
  const char *found = find_of(function, array, kLengths);
  if (found != NULL) return found;
  if (!is_length_param(function, array + 1) || is_length_param(function, array + 2) ||
      is_named_for_any(function, array + 1)) {
    return NULL;
  }
  return array[1].name;
}

/* The length that stands before an array, and behind no other pointer; NULL: none. */
static const char *find_length_before(const header_function *function, const header_param *array) {
  if (array == function->params || !is_length_param(function, array - 1) ||
      is_named_for_any(function, array - 1)) {
    return NULL;
  }
  if (array - 1 > function->params && array[-2].type.kind != kHeaderNumber) return NULL;
  return array[-1].name;
}

/* The only length of a function whose arrays all have strides, as those of BLAS; NULL: there are
 * several, or none. */
static const char *find_only_length(const header_function *function) {
  const char *found = NULL;
  size_t i;
  for (i = 0; i < function->num_params; ++i) {
    const header_param *param = &function->params[i];
    if (param->type.kind == kHeaderElements && find_of(function, param, kStrides) == NULL) {
      return NULL;
    }
    if (!is_length_param(function, param)) continue;
    if (found != NULL) return NULL;
    found = param->name;
  }
  return found;
}

/* ---- A line ---- */

/* Appends what a line would say of a parameter; false: there is no convention for it. */
static bool add_item(text_buf *out, const header_function *function, const header_param *param) {
  const char *length = find_own_length(function, param), *separator = out->size > 0 ? ", " : "";
  const char *stride = find_of(function, param, kStrides);
  if (length == NULL) length = find_length_before(function, param);
  if (length == NULL && stride != NULL) length = find_only_length(function);
  if (length == NULL) return false;
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
    } else if (param->type.is_void) {
      const char *length = find_own_length(function, param);
      if (length == NULL || !is_bytes(length)) continue;
      text_add(&items, "%suint8_t %s[%s]", items.size > 0 ? ", " : "", param->name, length);
    }
  }
  if (good && items.size > 0) line = tool_format("%s(%s)", function->name, items.data);
  text_free(&items);
  return line;
}
