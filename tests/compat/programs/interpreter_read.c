/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the interpreter: each is checked before an operation uses it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

bool skip(const char *reason) {
  say("skipped, %s", reason);
  return false;
}

static bool read_item(const operands *inputs, int position, bool is_text, const operand **out) {
  if (position >= inputs->count) return skip("an operand is missing");
  *out = &inputs->items[position];
  return (*out)->is_text == is_text || skip("an operand is of another kind");
}

/* Parses a text that must be a number as a whole. */
static bool parse_number(const char *text, long long min, long long max, long long *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return end != text && *end == '\0' && errno == 0 && *out >= min && *out <= max;
}

static bool is_nothing(const operands *inputs, int position) {
  return position < inputs->count && !inputs->items[position].is_text &&
         strcmp(inputs->items[position].text, "-") == 0;
}

static bool parse_register(const char *text, char letter, int limit, int *out) {
  long long number;
  if (text[0] != letter || !parse_number(text + 1, 0, limit - 1, &number)) return false;
  *out = (int)number;
  return true;
}

bool read_register(const operands *inputs, int position, char letter, int limit, int *out) {
  const operand *item;
  return read_item(inputs, position, false, &item) &&
         (parse_register(item->text, letter, limit, out) || skip("no such register"));
}

bool read_value(const operands *inputs, int position, TVMFFIAny **out) {
  int number;
  if (!read_register(inputs, position, 'v', kNumValues, &number)) return false;
  *out = &values[number];
  return true;
}

/* The type index must match exactly: the library's own types are told apart by it alone. */
bool read_object(const operands *inputs, int position, int32_t type_index, TVMFFIObject **out) {
  TVMFFIAny *any;
  if (!read_value(inputs, position, &any)) return false;
  if (any->type_index < kTVMFFIStaticObjectBegin ||
      (type_index != kTVMFFIObject && any->type_index != type_index)) {
    return skip("the register holds something else");
  }
  *out = any->v_obj;
  return true;
}

bool read_opt_object(const operands *inputs, int position, int32_t type_index, TVMFFIObject **out) {
  *out = NULL;
  return is_nothing(inputs, position) || read_object(inputs, position, type_index, out);
}

bool read_int(const operands *inputs, int position, int64_t min, int64_t max, int64_t *out) {
  const operand *item;
  long long number;
  if (!read_item(inputs, position, false, &item)) return false;
  if (!parse_number(item->text, min, max, &number)) return skip("a number is not in range");
  *out = number;
  return true;
}

bool read_int32(const operands *inputs, int position, int32_t *out) {
  int64_t number;
  if (!read_int(inputs, position, INT32_MIN, INT32_MAX, &number)) return false;
  *out = (int32_t)number;
  return true;
}

bool read_bytes(const operands *inputs, int position, TVMFFIByteArray *out) {
  const operand *item;
  if (!read_item(inputs, position, true, &item)) return false;
  out->data = item->size != 0 ? item->text : NULL;
  out->size = item->size;
  return true;
}

bool read_text(const operands *inputs, int position, const char **out) {
  const operand *item;
  if (!read_item(inputs, position, true, &item)) return false;
  *out = item->text;
  return strlen(item->text) == item->size || skip("a text has a NUL inside");
}

bool read_opt_text(const operands *inputs, int position, const char **out) {
  *out = NULL;
  return is_nothing(inputs, position) || read_text(inputs, position, out);
}

bool read_list(const operands *inputs, int position, int64_t *out, int32_t *out_count) {
  const operand *item;
  const char *next;
  *out_count = 0;
  if (!read_item(inputs, position, false, &item)) return false;
  if (strcmp(item->text, "_") == 0) return true;
  for (next = item->text; *out_count < kMaxDims; ++next) {
    char *end;
    out[(*out_count)++] = strtoll(next, &end, 10);
    if (end == next || (*end != ',' && *end != '\0')) return skip("no list of numbers");
    if (*end == '\0') return true;
    next = end;
  }
  return skip("a list is too long");
}

bool read_mark(const operands *inputs, int position, void **out) {
  int64_t number;
  *out = NULL;
  if (is_nothing(inputs, position)) return true;
  if (!read_int(inputs, position, 0, kNumMarks - 1, &number)) return false;
  *out = &marks[number];
  return true;
}

bool read_type(const operands *inputs, int position, int32_t *out) {
  const operand *item;
  int number;
  if (!read_item(inputs, position, false, &item)) return false;
  if (item->text[0] != 't') return read_int32(inputs, position, out);
  if (!read_register(inputs, position, 't', kNumTypes, &number)) return false;
  *out = types[number];
  return *out != 0 || skip("the register holds no type");
}

/* ---- Arguments ---- */

static bool read_argument(const operand *item, arguments *out) {
  const int position = out->count;
  TVMFFIAny *view = &out->views[position];
  const char *text = item->text;
  int number = 0;
  out->slot_of[position] = out->register_of[position] = -1;
  *view = make_none();
  if (item->is_text) {
    *view = make_raw_text(text);
    return strlen(text) == item->size || skip("a text has a NUL inside");
  }
  if (strcmp(text, "-") == 0) return true;
  if (text[0] == 'i') {
    long long value;
    if (!parse_number(text + 1, INT64_MIN, INT64_MAX, &value)) return skip("no such argument");
    *view = make_value(kTVMFFIInt, value);
    return true;
  }
  if (text[0] == 'b' && text[1] == '=') {
    out->bytes[position].data = text + 2;
    out->bytes[position].size = item->size - 2;
    view->type_index = kTVMFFIByteArrayPtr;
    view->v_ptr = &out->bytes[position];
    return true;
  }
  if (parse_register(text, 'v', kNumValues, &number)) {
    *view = values[number];
    out->register_of[position] = number;
    return true;
  }
  if (parse_register(text, 'd', kNumValues, &number)) {
    if (values[number].type_index != kTVMFFITensor) return skip("no tensor to borrow from");
    out->register_of[position] = number;
    view->type_index = kTVMFFIDLTensorPtr;
    view->v_ptr = TVMFFITensorGetDLTensorPtr(values[number].v_obj);
    return true;
  }
  if (parse_register(text, 'r', kNumValues, &number)) {
    if (values[number].type_index < kTVMFFIStaticObjectBegin) return skip("no object to move");
    out->slots[position] = values[number].v_obj;
    out->slot_of[position] = out->register_of[position] = number;
    view->type_index = kTVMFFIObjectRValueRef;
    view->v_ptr = &out->slots[position];
    return true;
  }
  return skip("no such argument");
}

/* The object of a register must not be moved and borrowed in the same call. */
static bool is_moved_and_used(const arguments *args) {
  int i, j;
  for (i = 0; i < args->count; ++i) {
    for (j = 0; j < args->count; ++j) {
      if (i != j && args->slot_of[i] >= 0 && args->slot_of[i] == args->register_of[j]) return true;
    }
  }
  return false;
}

bool read_arguments(const operands *inputs, int position, arguments *out) {
  out->count = 0;
  if (inputs->count - position > kMaxArgs) return skip("too many arguments");
  for (; position < inputs->count; ++position) {
    if (!read_argument(&inputs->items[position], out)) return false;
    ++out->count;
  }
  return !is_moved_and_used(out) || skip("a register is moved and used");
}

void settle_arguments(arguments *args) {
  int i;
  for (i = 0; i < args->count; ++i) {
    if (args->slot_of[i] < 0 || args->slots[i] != NULL) continue;
    values[args->slot_of[i]] = make_none();
    say("took v%d, ", args->slot_of[i]);
  }
}
