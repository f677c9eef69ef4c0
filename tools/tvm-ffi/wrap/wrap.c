/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the file: includes, declarations, helpers, kernels. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "wrap/abi.h"

/* ---- Shared by its parts ---- */

static size_t measure_line(const text *out) {
  size_t begin = out->size;
  while (begin > 0 && out->data[begin - 1] != '\n') --begin;
  return out->size - begin;
}

wrap_list wrap_begin_list(text *out) {
  wrap_list list;
  list.out = out;
  list.indent = (int)measure_line(out);
  list.separator = "";
  return list;
}

void wrap_add_item(wrap_list *list, const char *format, ...) {
  enum { kLineWidth = 101, kEnd = sizeof "))", kLongIndent = 6 };
  text item = {NULL, 0, 0};
  size_t width;
  va_list values;
  va_start(values, format);
  text_add_list(&item, format, values);
  va_end(values);
  text_add(list->out, "%s", list->separator);
  width = strcspn(item.data, "\n") + kEnd;
  if (measure_line(list->out) + width > kLineWidth || width < item.size) {
    const bool is_long = (size_t)list->indent + width > kLineWidth;
    text_add(list->out, "\n%*s", is_long ? kLongIndent : list->indent, "");
  } else if (*list->separator != '\0') {
    text_add(list->out, " ");
  }
  text_add_bytes(list->out, item.data, item.size);
  list->separator = ",";
  text_free(&item);
}

void wrap_add_escaped(text *out, const char *plain) {
  for (; *plain != '\0'; ++plain) {
    const unsigned char byte = (unsigned char)*plain;
    if (byte < 0x20 || byte == 0x7f || byte == '?') {
      text_add(out, "\\%03o", (unsigned)byte); /* "??" may begin a trigraph */
    } else {
      text_add(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
  }
}

char *wrap_value(const spec *target, const spec_number *number) {
  if (number->name != NULL) return tool_format("%s", spec_symbol_of(target, number->name)->local);
  if (number->value > INT32_MAX) return tool_format("INT64_C(%lld)", (long long)number->value);
  return tool_format("%lld", (long long)number->value);
}

char *wrap_argument(const spec *target, const spec_param *param) {
  const spec_symbol *symbol = spec_symbol_of(target, param->name);
  const char *local = symbol != NULL ? symbol->local : param->local;
  const char *type = param->type->name;
  const bool is_same = strcmp(type, "int64_t") == 0 || strcmp(type, "double") == 0;
  switch (param->type->kind) {
    case kTypeInt:
    case kTypeUint:
    case kTypeFloat:
      return is_same ? tool_format("%s", local) : tool_format("(%s)%s", type, local);
    case kTypeText:
      return tool_format("%s.data", local);
    default:
      return tool_format("%s", local);
  }
}

char *wrap_tensor(const spec_param *param) {
  return tool_format(param->is_result ? "TVMFFITensorGetDLTensorPtr(%s)" : "%s", param->local);
}

size_t wrap_count_elements(const spec_param *param) {
  int64_t count = 1;
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    if (param->dims[i].extent.name != NULL) return 0;
    count *= param->dims[i].extent.value; /* the reader has checked that it fits */
  }
  return (size_t)count;
}

bool wrap_is_allocated(const spec_param *param) {
  enum { kMaxOnStack = 1024 };
  const size_t count = wrap_count_elements(param);
  return param->is_result || (param->form == kParamWork && (count == 0 || count > kMaxOnStack));
}

bool wrap_has_value(const wrap_request *request, const spec *target) {
  return target->result->kind != kTypeVoid && !request->result_is_error;
}

size_t wrap_count_results(const wrap_request *request, const spec *target) {
  size_t count = wrap_has_value(request, target), i;
  for (i = 0; i < target->num_params; ++i) count += target->params[i].is_result;
  return count;
}

bool wrap_is_owner(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (wrap_is_allocated(&target->params[i])) return true;
  }
  return false;
}

bool wrap_is_wide(const spec_type *type) {
  static const char *const kLimits[] = {"INT64_MAX", "LONG_MAX", "PTRDIFF_MAX", "INTPTR_MAX"};
  size_t i;
  for (i = 0; type->high != NULL && i < sizeof kLimits / sizeof *kLimits; ++i) {
    if (strcmp(type->high, kLimits[i]) == 0) return true;
  }
  return type->high == NULL;
}

bool wrap_is_strided(const spec_param *param) {
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    if (param->dims[i].has_stride) return true;
  }
  return false;
}

/* ---- The file ---- */

static bool is_of_limits_h(const char *limit) {
  static const char *const kPrefixes[] = {"INT_",   "UINT_",  "LONG_", "SHRT_",
                                          "USHRT_", "UCHAR_", "SCHAR_"};
  size_t i;
  for (i = 0; limit != NULL && i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    if (strncmp(limit, kPrefixes[i], strlen(kPrefixes[i])) == 0) return true;
  }
  return false;
}

static bool needs_limits_h(const wrap_request *request) {
  size_t i, k;
  for (i = 0; i < request->num_specs; ++i) {
    const spec *target = &request->specs[i];
    for (k = 0; k < target->num_params; ++k) {
      const spec_param *param = &target->params[k];
      if (param->form == kParamScalar && is_of_limits_h(param->type->high)) return true;
    }
  }
  return false;
}

/* The headers of the standard library that a lean file uses. */
static void write_lean_includes(text *out, const text *used) {
  enum { kMaxWords = 3 };
  static const struct {
    const char *header, *words[kMaxWords]; /* used with one of the words; none: always */
  } kHeaders[] = {{"stdarg.h", {"va_list"}},
                  {"stdbool.h", {NULL}},
                  {"stddef.h", {NULL}},
                  {"stdint.h", {NULL}},
                  {"stdio.h", {"vsnprintf"}},
                  {"stdlib.h", {"malloc", "free"}},
                  {"string.h", {"memset", "strcmp", "strlen"}}};
  size_t i, k;
  for (i = 0; i < sizeof kHeaders / sizeof *kHeaders; ++i) {
    const char *const *words = kHeaders[i].words;
    bool is_used = words[0] == NULL;
    for (k = 0; k < kMaxWords && words[k] != NULL && !is_used; ++k) {
      is_used = wrap_has_word(used->data, words[k], strlen(words[k]));
    }
    if (is_used) text_add(out, "#include <%s>\n", kHeaders[i].header);
  }
}

/* The user's headers, and the functions as the specs have them. */
static void write_declarations(text *out, const wrap_request *request) {
  size_t i;
  if (request->num_includes > 0) text_add(out, "\n");
  for (i = 0; i < request->num_includes; ++i) {
    const char *name = request->includes[i];
    text_add(out, *name == '<' ? "#include %s\n" : "#include \"%s\"\n", name);
  }
  text_add(out, "\n");
  if (request->abi->write_before != NULL) request->abi->write_before(out, request);
  for (i = 0; i < request->num_specs; ++i) request->abi->write_prototype(out, &request->specs[i]);
}

void wrap_write(text *out, const wrap_request *request) {
  const wrap_abi *abi = request->abi;
  text kernels = {NULL, 0, 0}, helpers = {NULL, 0, 0}, header = {NULL, 0, 0}, more = {NULL, 0, 0};
  text used = {NULL, 0, 0}, calling = {NULL, 0, 0}; /* helpers of the ABI */
  size_t i;
  for (i = 0; i < request->num_specs; ++i) {
    wrap_write_kernel(&kernels, request, &request->specs[i]);
    wrap_write_metadata(&kernels, request, &request->specs[i]);
  }
  text_add_bytes(&used, kernels.data, kernels.size);
  if (abi->runtime != NULL) wrap_add_parts(&calling, abi->runtime, &used);
  wrap_add_parts(&helpers, kWrapRuntime, &used);
  text_add(out, "/* Made by tvm-ffi wrap");
  if (abi != &kWrapPlain) text_add(out, " --abi=%s", abi->name);
  text_add(out, "%s. */\n", request->is_lean ? " --lean" : "");
  if (needs_limits_h(request)) text_add(out, "#include <limits.h>\n");
  if (request->is_lean) {
    wrap_add_parts(&more, kKernelMore, &used);
    wrap_add_parts(&header, kKernelHeader, &used);
    write_lean_includes(out, &used);
    text_add_bytes(out, header.data, header.size);
    text_add_bytes(out, more.data, more.size);
  } else {
    text_add(out, "#include <tvm/ffi/c.h>\n");
  }
  write_declarations(out, request);
  text_add_bytes(out, helpers.data, helpers.size);
  text_add_bytes(out, calling.data, calling.size);
  text_add_bytes(out, kernels.data, kernels.size);
  text_free(&used);
  text_free(&more);
  text_free(&header);
  text_free(&calling);
  text_free(&helpers);
  text_free(&kernels);
}
