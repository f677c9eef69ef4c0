/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a caller passes to a kernel: the function of C that calls them finds them by its
 * void *, keeps their error for the kernel to raise, and does not call them again after one. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

char *wrap_callback_name(const spec *target, const spec_param *param) {
  return tool_format("wrap_call_%s_%zu", target->exported, (size_t)(param - target->params));
}

void wrap_write_callback_parameter(wrap_list *list, const spec_param *param) {
  const spec *callback = param->callback;
  text_buf text = {NULL, 0, 0};
  size_t i;
  text_add(&text, "%s (*%s)(", callback->result->name, param->local);
  for (i = 0; i < callback->num_params; ++i) {
    text_add(&text, "%s%s", i > 0 ? ", " : "", callback->params[i].type->name);
  }
  wrap_add_item(list, "%s)", text.data);
  text_free(&text);
}

static bool has_wide(const spec *callback) {
  size_t i;
  for (i = 0; i < callback->num_params; ++i) {
    if (callback->params[i].type->kind == kTypeWide) return true;
  }
  return false;
}

/* The variables of the function; parameters are p0, p1, ... */
static void write_variables(text_buf *out, const spec_param *param, const spec_param *context) {
  const spec *callback = param->callback;
  const spec_kind kind = callback->result->kind;
  text_add(out, "  wrap_context *context = wrap_find_context(p%zu);\n",
           (size_t)(context - callback->params));
  text_add(out, "  TVMFFIAny arguments[%zu];\n", callback->num_params);
  if (has_wide(callback)) text_add(out, "  int code = 0;\n");
  if (kind == kTypeVoid) return;
  text_add(out, "  %s value = %lld;\n",
           kind == kTypeFloat  ? "double"
           : kind == kTypeBool ? "bool"
           : kind == kTypeWide ? "uint64_t"
                               : "int64_t",
           (long long)param->fail_value);
}

/* Fills the arguments, all but the context, and returns how many there are. */
static size_t write_arguments(text_buf *out, const spec *callback, const spec_param *context) {
  size_t i, n = 0;
  for (i = 0; i < callback->num_params; ++i) {
    const spec_param *param = &callback->params[i];
    char *value;
    if (param == context) continue;
    value = tool_format("p%zu", i);
    if (param->type->kind == kTypeWide) {
      text_add(out, "  code = wrap_make_unsigned(code, %s, &arguments[%zu]);\n", value, n++);
    } else {
      text_add(out, "  arguments[%zu] = ", n++);
      wrap_write_view(out, param->type, value);
      text_add(out, ";\n");
    }
    free(value);
  }
  return n;
}

/* Calls the caller's function. */
static void write_call(text_buf *out, const spec *callback, size_t count) {
  static const char *const kCalls[] = {
      [kTypeVoid] = "wrap_call_void",     [kTypeBool] = "wrap_call_bool",
      [kTypeInt] = "wrap_call_int",       [kTypeUint] = "wrap_call_int",
      [kTypeWide] = "wrap_call_unsigned", [kTypeFloat] = "wrap_call_number"};
  const spec_type *result = callback->result;
  wrap_list list;
  text_add(out, "  %s(", kCalls[result->kind]);
  list = wrap_begin_list(out);
  wrap_add_item(&list, "context");
  wrap_add_item(&list, has_wide(callback) ? "code" : "0");
  wrap_add_item(&list, "arguments");
  wrap_add_item(&list, "%zu", count);
  if (result->kind == kTypeFloat) {
    wrap_add_item(&list, strcmp(result->name, "float") == 0 ? "true" : "false");
  } else if (result->kind == kTypeWide) {
    wrap_add_item(&list, "(%s)-1", result->name);
  } else if (result->kind == kTypeInt || result->kind == kTypeUint) {
    wrap_add_item(&list, "%s", result->low != NULL ? result->low : "INT64_MIN");
    wrap_add_item(&list, "%s", result->high != NULL ? result->high : "INT64_MAX");
  }
  if (result->kind != kTypeVoid) wrap_add_item(&list, "&value");
  text_add(out, ");\n");
}

void wrap_write_callback(text_buf *out, const spec *target, const spec_param *param) {
  const spec *callback = param->callback;
  const spec_param *context = spec_context_of(target, param);
  char *name = wrap_callback_name(target, param);
  size_t count, i, n = 0;
  wrap_list list;
  text_add(out, "static %s %s(", callback->result->name, name);
  list = wrap_begin_list(out);
  for (i = 0; i < callback->num_params; ++i) {
    const spec_type *type = callback->params[i].type;
    wrap_add_item(&list, "%s%sp%zu", type->name, spec_type_space(type), i);
  }
  text_add(out, ") {\n");
  write_variables(out, param, context);
  count = write_arguments(out, callback, context);
  write_call(out, callback, count);
  for (i = 0; i < callback->num_params; ++i) {
    if (&callback->params[i] == context) continue;
    if (callback->params[i].type->kind == kTypeWide) {
      text_add(out, "  wrap_clear(&arguments[%zu]);\n", n);
    }
    ++n;
  }
  if (callback->result->kind != kTypeVoid) {
    text_add(out, "  return (%s)value;\n", callback->result->name);
  }
  text_add(out, "}\n\n");
  free(name);
}

void wrap_write_callback_error(text_buf *out, const spec *target, const spec_param *param) {
  char *place = spec_make_local(target, param, "context");
  char *condition = tool_format("wrap_has_failed(&%s)", place);
  const spec_param *other, *end = target->params + target->num_params;
  size_t num_others = 0;
  wrap_begin_failure_if(out, target, condition);
  for (other = param + 1; other < end; ++other) {
    char *other_place;
    if (other->form != kParamCallback) continue;
    other_place = spec_make_local(target, other, "context");
    text_add(out, "(tvm_ffi_object_release(%s.error), ", other_place);
    free(other_place);
    ++num_others;
  }
  text_add(out, "wrap_raise_kept(&%s)", place);
  for (; num_others > 0; --num_others) text_add(out, ")");
  wrap_end_failure(out, target);
  free(condition);
  free(place);
}
