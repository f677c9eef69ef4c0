/* SPDX-License-Identifier: Apache-2.0 */
/* What wrap.c and the ABIs share: lists, values, checks, and the parts of files that a kernel
 * uses. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"

/* ---- Lists and values ---- */

static size_t measure_line(const text_buf *out) {
  size_t begin = out->size;
  while (begin > 0 && out->data[begin - 1] != '\n') --begin;
  return out->size - begin;
}

wrap_list wrap_begin_list(text_buf *out) {
  wrap_list list;
  list.out = out;
  list.indent = (int)measure_line(out);
  list.separator = "";
  return list;
}

void wrap_add_item(wrap_list *list, const char *format, ...) {
  enum { kLineWidth = 101, kEnd = sizeof "))", kLongIndent = 6 };
  text_buf item = {NULL, 0, 0};
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

char *wrap_value(const spec *target, const spec_param *param) {
  const spec_symbol *symbol = spec_symbol_of(target, param->name);
  const char *local = symbol != NULL ? symbol->local : param->local;
  const char *type = spec_c_name(param);
  const bool is_same = strcmp(type, "int64_t") == 0 || strcmp(type, "double") == 0;
  if (param->type->kind == kTypeText) return tool_format("%s.data", local);
  if (param->type->kind == kTypeHandle) {
    char *pointer = wrap_pointer(target, param), *value = tool_format("(%s)%s", type, pointer);
    free(pointer);
    return value;
  }
  if (param->c_type.name == NULL &&
      (is_same || param->type->kind == kTypeBool || param->type->kind == kTypeChar ||
       param->type->kind == kTypePointer || param->type->kind == kTypeComplex)) {
    return tool_format("%s", local);
  }
  return tool_format("(%s)%s", type, local);
}

char *wrap_argument(const spec *target, const spec_param *param) {
  char *value, *argument;
  if (param->is_closed) return wrap_place(target, param);
  if (param->type->kind == kTypeStruct) {
    return tool_format("%s%s", param->direction != kByValue ? "&" : "", param->local);
  }
  if (param->direction == kByValue) return wrap_value(target, param);
  if (param->direction != kIn) {
    value = wrap_place(target, param);
    argument = tool_format("&%s", value);
  } else {
    value = wrap_value(target, param);
    argument = tool_format("&(%s){%s}", spec_c_name(param), value);
  }
  free(value);
  return argument;
}

char *wrap_size(const spec *target, const spec_param *param) {
  const spec_param *number =
      param->size == kSizeParam ? spec_param_of(target, param->size_name) : NULL;
  char *place, *size;
  if (param->size == kSizeResult) return tool_format("(int64_t)returned");
  if (number == NULL) return tool_format("-1");
  place = wrap_place(target, number);
  size = tool_format("(int64_t)%s", place);
  free(place);
  return size;
}

char *wrap_place(const spec *target, const spec_param *param) {
  return spec_make_local(target, param, "place");
}

char *wrap_pointer(const spec *target, const spec_param *param) {
  return spec_make_local(target, param, "pointer");
}

char *wrap_ended(const spec *target, const spec_param *param) {
  return spec_make_local(target, param, "ended");
}

bool wrap_has_keeper(const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  if (param != NULL && param->direction != kOut) return false;
  return type->num_owners > 1 ||
         (type->num_owners == 1 &&
          spec_param_of(target, type->owners[0].name)->c_type.handle == NULL);
}

char *wrap_change(const spec *target, const spec_param *param, size_t owner) {
  char *suffix = tool_format("change_%zu", owner), *name = spec_make_local(target, param, suffix);
  free(suffix);
  return name;
}

char *wrap_keeper(const spec *target, const spec_param *param) {
  return param == NULL ? tool_format("handle_needs") : spec_make_local(target, param, "needs");
}

/* The value of an expression; one that is too large is INT64_MAX, which no extent is. */
static char *make_expression(const spec *target, const spec_number *number) {
  char **values = tool_alloc(number->num_terms * sizeof *values), *result;
  size_t count = 0, i;
  for (i = 0; i < number->num_terms; ++i) {
    const spec_term *term = &number->terms[i];
    char *value;
    if (term->operator_ == '\0' && term->name != NULL) {
      value = tool_format("%s", spec_symbol_of(target, term->name)->local);
    } else if (term->operator_ == '\0') {
      value = tool_format("INT64_C(%lld)", (long long)term->value);
    } else {
      const char *function = term->operator_ == '+'   ? "wrap_sum"
                             : term->operator_ == '-' ? "wrap_difference"
                             : term->operator_ == '*' ? "wrap_product"
                             : term->operator_ == '<' ? "wrap_least"
                             : term->operator_ == '>' ? "wrap_greatest"
                                                      : "wrap_quotient";
      value = tool_format("%s(%s, %s)", function, values[count - 2], values[count - 1]);
      free(values[--count]);
      free(values[--count]);
    }
    values[count++] = value;
  }
  result = values[0];
  free(values);
  return result;
}

char *wrap_extent(const spec *target, const spec_number *number) {
  if (number->text != NULL) return make_expression(target, number);
  if (number->name != NULL) return tool_format("%s", spec_symbol_of(target, number->name)->local);
  if (number->value > INT32_MAX) return tool_format("INT64_C(%lld)", (long long)number->value);
  return tool_format("%lld", (long long)number->value);
}

char *wrap_type_index(const spec *target, const spec_param *param) {
  return param == NULL ? tool_format("handle_type") : spec_make_local(target, param, "type");
}

char *wrap_structure_name(const spec *target, const spec_param *param, const char *verb) {
  if (param == NULL) return tool_format("wrap_%s_%s_result", verb, target->exported);
  return tool_format("wrap_%s_%s_%zu", verb, target->exported, (size_t)(param - target->params));
}

char *wrap_tensor(const spec_param *param) {
  return tool_format(param->is_result ? "TVMFFITensorGetDLTensorPtr(%s)" : "%s", param->local);
}

/* The address of bytes. */
static char *make_bytes_address(const spec_param *param) {
  const char *data = param->form == kParamBytes ? ".data" : "";
  if (param->c_type.name != NULL) {
    return tool_format("(%s)%s%s", param->c_type.name, param->local, data);
  }
  return tool_format("(%s%s *)%s%s", param->is_const ? "const " : "", param->type->name,
                     param->local, data);
}

char *wrap_address(const spec_param *param) {
  const bool is_lowest = param->strides == kStridesBlas && param->num_dims == 1;
  const char *type = param->c_type.name;
  char *tensor, *address;
  if (param->form == kParamWork) return tool_format("%s", param->local);
  if (param->form == kParamBytes || param->form == kParamBuffer) return make_bytes_address(param);
  tensor = wrap_tensor(param);
  address = tool_format("%s%s%s%s(%s)", type != NULL ? "(" : "", type != NULL ? type : "",
                        type != NULL ? ")" : "",
                        is_lowest ? "wrap_get_lowest" : "tvm_ffi_tensor_get_data", tensor);
  free(tensor);
  return address;
}

size_t wrap_count_elements(const spec_param *param) {
  int64_t count = 1;
  size_t i;
  for (i = 0; i < param->num_dims; ++i) {
    if (param->dims[i].extent.name != NULL || param->dims[i].extent.text != NULL) return 0;
    count *= param->dims[i].extent.value; /* the reader has checked that it fits */
  }
  return (size_t)count;
}

bool wrap_is_allocated(const spec_param *param) {
  enum { kMaxOnStack = 1024 };
  const size_t count = wrap_count_elements(param);
  return param->is_result || param->form == kParamBuffer ||
         (param->form == kParamWork && (count == 0 || count > kMaxOnStack));
}

bool wrap_is_owner(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (wrap_is_allocated(param) || param->is_closed || wrap_has_keeper(target, param) ||
        (param->direction == kByValue && param->c_type.num_owners > 0)) {
      return true;
    }
  }
  return wrap_has_keeper(target, NULL);
}

/* ---- What several ABIs check and write ---- */

bool wrap_check_function(const spec_source *source, const spec *target) {
  static const char *const kPrefixes[] = {"wrap_", "tvm_ffi_", NULL}; /* of functions in the file */
  static const char *const kVariables[] = {"args", "code", "returned", NULL}; /* of its callers */
  static const char kAdvice[] = "call it from a function of another name, and wrap that";
  const char *prefix = text_find_prefix(target->name, kPrefixes);
  if (prefix != NULL) {
    return spec_fail(source, target->column,
                     "`%s` begins with `%s`, as the functions that kernels use: %s", target->name,
                     prefix, kAdvice);
  }
  if (text_find(target->name, kVariables) != NULL) {
    return spec_fail(source, target->column, "`%s` is a variable of kernels: %s", target->name,
                     kAdvice);
  }
  return true;
}

bool wrap_check_error_code(const spec_source *source, const wrap_abi *abi, const spec *target) {
  if (strcmp(target->result->name, "int") == 0) return true;
  return spec_fail(source, target->column,
                   "with --abi=%s `%s` must return int, its error code, not `%s`", abi->name,
                   target->name, target->result->name);
}

bool wrap_check_not_plain(const spec_source *source, const wrap_abi *abi, const spec *target) {
  const size_t column = spec_find_plain(target);
  size_t i, k;
  if (column != SIZE_MAX) {
    return spec_fail(source, column, "this is for plain functions, and --abi=%s has none",
                     abi->name);
  }
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    for (k = 0; k < param->num_dims; ++k) {
      if (param->dims[k].extent.text == NULL) continue;
      return spec_fail(source, param->dims[k].extent.column,
                       "with --abi=%s an extent is a name or a number", abi->name);
    }
    if (param->form == kParamWork) {
      return spec_fail(source, param->column, "`%s` is a work array, and --abi=%s has none",
                       param->name, abi->name);
    }
    if (param->strides == kStridesBlas) {
      return spec_fail(source, param->column,
                       "`%s` has strides as BLAS takes them, and --abi=%s has none: write "
                       "`strides any`",
                       param->name, abi->name);
    }
  }
  return true;
}

void wrap_write_value_parameter(wrap_list *list, const spec_param *param) {
  const bool is_pointer = param->direction != kByValue;
  wrap_add_item(list, "%s%s%s%s%s", is_pointer && param->is_const ? "const " : "",
                param->is_void ? "void" : spec_c_name(param), spec_type_space(param->type),
                is_pointer ? "*" : "", param->local);
}

void wrap_write_result(text_buf *out, const spec *target) {
  const char *name = target->result_c_type.name;
  text_add(
      out, "%s%s", name != NULL ? name : target->result->name,
      name != NULL && target->result_c_type.handle == NULL ? " " : spec_type_space(target->result));
}

void wrap_write_returned(text_buf *out, const spec *target) {
  if (target->result->kind == kTypeVoid) return;
  text_add(out, "  ");
  wrap_write_result(out, target);
  text_add(out, "returned;\n");
}

void wrap_write_release(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  char *place;
  if (type->release == NULL) return;
  place = param != NULL ? wrap_place(target, param) : tool_format("returned");
  text_add(out, "    if (%s != NULL) %s(%s);\n", place, type->release, place);
  free(place);
}

/* Whether a failed call may have made a handle all the same. */
static bool has_new_handle(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    if (target->params[i].c_type.release != NULL) return true;
  }
  return target->result_c_type.release != NULL;
}

void wrap_begin_failure_if(text_buf *out, const spec *target, const char *condition) {
  text_add(out, "  if (%s) {\n    %s ", condition,
           wrap_is_owner(target)    ? "code ="
           : has_new_handle(target) ? "const int failed ="
                                    : "return");
}

const char *wrap_failed(const spec *target) {
  static const char *const kFailures[] = {[kErrorNone] = "",
                                          [kErrorNonzero] = "returned != 0",
                                          [kErrorZero] = "returned == 0",
                                          [kErrorNegative] = "returned < 0",
                                          [kErrorNull] = "returned == NULL"};
  return kFailures[target->failure];
}

void wrap_begin_failure(text_buf *out, const spec *target) {
  wrap_begin_failure_if(out, target, wrap_failed(target));
}

void wrap_end_failure(text_buf *out, const spec *target) {
  size_t i;
  text_add(out, ";\n");
  for (i = 0; i < target->num_params; ++i) wrap_write_release(out, target, &target->params[i]);
  wrap_write_release(out, target, NULL);
  text_add(out, "%s  }\n",
           wrap_is_owner(target)    ? "    goto done;\n"
           : has_new_handle(target) ? "    return failed;\n"
                                    : "");
}

/* What the function that has the text of an error gets for a parameter, or (NULL) the result: the
 * value, also of a number that the function has written; release with free(). */
static char *make_error_argument(const spec *target, const spec_param *param) {
  if (param == NULL) return tool_format("returned");
  if (param->form == kParamConstant) return tool_format("%s", param->constant);
  if (param->form != kParamScalar) return wrap_address(param);
  if (param->type->kind == kTypeStruct) return tool_format("%s", param->local);
  return spec_is_written(param) || param->is_closed ? wrap_place(target, param)
                                                    : wrap_value(target, param);
}

/* Appends the call of the function that has the text of an error. It gets no NULL for a handle:
 * the function may have made none. */
static void write_error_text(wrap_list *list, const spec *target) {
  const spec_error_text *text = &target->error_text;
  text_buf call = {NULL, 0, 0}, checks = {NULL, 0, 0};
  size_t i;
  text_add(&call, "%s(", text->function);
  text_add_bytes(&checks, "", 0);
  for (i = 0; i < text->num_args; ++i) {
    const spec_param *param = spec_param_of(target, text->args[i]);
    char *value = make_error_argument(target, param);
    text_add(&call, "%s%s", i > 0 ? ", " : "", value);
    if (param != NULL && param->type->kind == kTypeHandle &&
        (param->direction == kOut || param->is_optional)) {
      text_add(&checks, "%s%s != NULL", checks.size > 0 ? " && " : "", value);
    }
    free(value);
  }
  wrap_add_item(list, checks.size > 0 ? "%s ? %s) : NULL" : "%s%s)", checks.data, call.data);
  text_free(&checks);
  text_free(&call);
}

void wrap_write_failure(text_buf *out, const spec *target) {
  static const char *const kGot[] = {
      [kErrorNone] = "",
      [kErrorNonzero] = "failed: expected it to return 0 but got %lld",
      [kErrorZero] = "failed: it returned 0",
      [kErrorNegative] = "failed: it returned %lld",
      [kErrorNull] = "failed: it returned NULL"};
  wrap_list list;
  wrap_begin_failure(out, target);
  if (target->error_text.function != NULL) {
    text_add(out, "wrap_raise_text(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "\"%s\"", target->name);
    write_error_text(&list, target);
  } else if (target->has_errno) {
    text_add(out, "wrap_raise_errno(\"%s\", errno", target->name);
  } else {
    text_add(out, "tvm_ffi_error_raise(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "TVM_FFI_C_RUNTIME_ERROR");
    wrap_add_item(&list, "\"`%s` %s\"", target->name, kGot[target->failure]);
    if (strchr(kGot[target->failure], '%') != NULL) wrap_add_item(&list, "(long long)returned");
  }
  text_add(out, ")");
  wrap_end_failure(out, target);
}

/* ---- Parts of files that are used ---- */

/* Copies those parts of wrap_runtime.h and of the headers in tools/kernel that a file uses. */

static size_t measure_word(const char *begin) {
  size_t size = 0;
  while (identifier_has(begin[size])) ++size;
  return size;
}

bool wrap_has_word(const char *in, const char *word, size_t size) {
  const char *found = in;
  for (; *found != '\0'; ++found) {
    const size_t other = measure_word(found);
    if (other == size && memcmp(found, word, size) == 0) return true;
    if (other > 0) found += other - 1;
  }
  return false;
}

/* A word of a line. */
typedef struct {
  const char *begin;
  size_t size; /* 0: there is none */
} line_word;

static line_word find_word_before(const char *line, const char *end) {
  line_word found = {end, 0};
  while (found.begin > line && identifier_has(found.begin[-1])) --found.begin;
  found.size = (size_t)(end - found.begin);
  return found;
}

static bool is_word_used(line_word found, const char *used) {
  return found.size > 0 && wrap_has_word(used, found.begin, found.size);
}

/* A definition or declaration with the comment above it, or the heading of a section. */
typedef struct {
  const char *const *lines;
  size_t num_lines;
  bool is_heading, is_apart;              /* apart: below an empty line */
  bool is_macro, is_enum, is_declaration; /* declaration: of a function */
  bool is_used;
} file_part;

/* Macros that define a function have its name as their first argument. */
static const char kDefiner[] = "TVM_FFI_C_DETAIL_DEFINE_";

/* Where a comment that begins at this line ends. */
static size_t measure_comment(const char *const *lines) {
  size_t count = 0;
  if (lines[0] == NULL || !text_begins(lines[0], "/*")) return 0;
  while (strstr(lines[count], "*/") == NULL) ++count;
  return count + 1;
}

/* How many lines a part has: those of a comment, one that is not indented, and its continuation. */
static size_t measure_part(const char *const *lines) {
  size_t count = measure_comment(lines);
  if (lines[count] == NULL || *lines[count] == '\0') return count;
  if (text_begins(lines[count], "#if ")) {
    while (!text_begins(lines[count], "#endif")) ++count;
  }
  ++count;
  while (lines[count] != NULL && (*lines[count] == ' ' || *lines[count] == '}')) ++count;
  return count;
}

/* What a part is, by its first line that is not a comment. */
static void describe_part(file_part *part) {
  const char *first = part->lines[measure_comment(part->lines)];
  const char *last = part->lines[part->num_lines - 1];
  part->is_macro = *first == '#';
  part->is_enum = text_begins(first, "enum ");
  part->is_declaration = identifier_has(*first) && !part->is_enum &&
                         !text_begins(first, "typedef ") && path_ends_in(last, ";");
}

/* The parts of a file. */
static file_part *find_parts(const char *const *lines, size_t *out_count) {
  file_part *parts = NULL;
  *out_count = 0;
  while (*lines != NULL) {
    file_part part = {NULL, 1, false, false, false, false, false, false};
    for (; *lines != NULL && **lines == '\0'; ++lines) part.is_apart = true;
    if (*lines == NULL) break;
    part.lines = lines;
    part.is_heading = text_begins(*lines, "/* ---- ");
    if (!part.is_heading) {
      part.num_lines = measure_part(lines);
      describe_part(&part);
    }
    parts = tool_realloc(parts, (*out_count + 1) * sizeof *parts);
    parts[(*out_count)++] = part;
    lines += part.num_lines;
  }
  return parts;
}

/* The name that a line defines or declares. */
static line_word find_name(const char *line) {
  const char *name = NULL, *end = NULL;
  line_word found = {line, 0};
  if (text_begins(line, "#define ")) {
    name = line + strlen("#define ");
  } else if (text_begins(line, kDefiner)) {
    name = strchr(line, '(') + 1;
  } else if (text_begins(line, "} ") || text_begins(line, "typedef ")) {
    end = strrchr(line, ';');
  } else if (identifier_has(*line)) {
    end = strchr(line, '(');
    if (end == NULL && path_ends_in(line, ";")) end = strchr(line, ';'); /* a variable */
  }
  if (end != NULL) return find_word_before(line, end);
  if (name != NULL) found.begin = name, found.size = measure_word(name);
  return found;
}

/* Whether a line of an enumeration has a constant that is used. */
static bool is_constant_used(const char *line, const char *used) {
  const char *end = strstr(line, " = ");
  for (; end != NULL; end = strstr(end + 1, " = ")) {
    if (is_word_used(find_word_before(line, end), used)) return true;
  }
  return false;
}

/* The name of a part; of an enumeration, that of a constant. */
static line_word name_part(const file_part *part) {
  line_word name = {NULL, 0};
  size_t i;
  for (i = measure_comment(part->lines); i < part->num_lines; ++i) {
    const char *line = part->lines[i], *end = strstr(line, " = ");
    line_word found = find_name(line);
    if (part->is_enum && end != NULL) found = find_word_before(line, end);
    if (found.size > 0) name = found;
  }
  return name;
}

static bool is_part_used(const file_part *part, const char *used) {
  size_t i;
  for (i = measure_comment(part->lines); i < part->num_lines; ++i) {
    const char *line = part->lines[i];
    if (part->is_enum ? is_constant_used(line, used) : is_word_used(find_name(line), used)) {
      return true;
    }
  }
  return false;
}

static void add_lines(text_buf *out, const file_part *part) {
  size_t i;
  for (i = 0; i < part->num_lines; ++i) text_add(out, "%s\n", part->lines[i]);
}

/* Adds the macro for a name of the file alone. */
static void add_own_name(wrap_names *names, const file_part *part) {
  const line_word name = name_part(part);
  const int size = tvmffi_shown_size(name.size);
  if (!part->is_macro) {
    text_add(&names->begin, "#define %.*s %.*s_of_%s\n", size, name.begin, size, name.begin,
             names->kernel);
  }
  text_add(&names->end, "#undef %.*s\n", size, name.begin);
}

/* Appends a part that an earlier file of the same source may have, too. What C lets repeat needs no
 * guard: a macro, and the declaration of a function. */
static void add_shared(text_buf *out, const file_part *part) {
  const line_word name = name_part(part);
  const bool repeats = part->is_macro || part->is_declaration;
  if (!repeats) {
    text_add(out, "#ifndef TVM_FFI_HAS_%.*s\n#define TVM_FFI_HAS_%.*s\n",
             tvmffi_shown_size(name.size), name.begin, tvmffi_shown_size(name.size), name.begin);
  }
  add_lines(out, part);
  if (!repeats) text_add(out, "#endif\n");
}

/* Appends the parts that are used, with empty lines and headings where the file has them. */
static void add_used(text_buf *out, const file_part *parts, size_t count, wrap_names *names) {
  const file_part *heading = NULL;
  bool is_apart = true;
  size_t i;
  for (i = 0; i < count; ++i) {
    if (parts[i].is_apart) is_apart = true;
    if (parts[i].is_heading) heading = &parts[i];
    if (!parts[i].is_used) continue;
    if (is_apart) text_add(out, "\n");
    if (heading != NULL) add_lines(out, heading);
    if (names != NULL) {
      add_own_name(names, &parts[i]);
      add_lines(out, &parts[i]);
    } else {
      add_shared(out, &parts[i]);
    }
    heading = NULL;
    is_apart = false;
  }
}

void wrap_add_parts(text_buf *out, const char *const *lines, text_buf *used, wrap_names *names) {
  size_t count, i;
  file_part *parts = find_parts(lines, &count);
  for (i = count; i-- > 0;) { /* a part uses earlier ones only */
    parts[i].is_used = !parts[i].is_heading && is_part_used(&parts[i], used->data);
    if (parts[i].is_used) add_lines(used, &parts[i]);
  }
  add_used(out, parts, count, names);
  free(parts);
}
