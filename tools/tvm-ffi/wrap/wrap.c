/* SPDX-License-Identifier: Apache-2.0 */
/* Writes kernels: each reads its arguments, calls the function, returns its results. */
#include "wrap/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ---- What a spec has ---- */

/* Appends a text as it is written in a string literal. A byte that is not UTF-8 is of Latin-1, as
 * in comments of old headers. */
static void add_escaped(text_buf *out, const char *plain) {
  const char *end = plain + strlen(plain);
  size_t length;
  for (; *plain != '\0'; plain += length > 0 ? length : 1) {
    const unsigned char byte = (unsigned char)*plain;
    length = tvmffi_utf8_measure(plain, (size_t)(end - plain));
    if (length == 0) {
      text_add(out, "%c%c", 0xc0 | byte >> 6, 0x80 | (byte & 0x3f));
    } else if (length > 1) {
      text_add_bytes(out, plain, length);
    } else if (byte < 0x20 || byte == 0x7f || byte == '?') {
      text_add(out, "\\%03o", (unsigned)byte); /* "??" may begin a trigraph */
    } else {
      text_add(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
  }
}

/* Whether it is a result of the kernel. */
static bool is_returned(const spec_param *param) {
  return param->is_result || param->form == kParamBuffer ||
         (spec_is_written(param) && !param->is_size);
}

/* The results of a kernel: the function's, then those of parameters. */
static size_t count_results(const spec *target) {
  size_t count = spec_has_value(target), i;
  for (i = 0; i < target->num_params; ++i) count += is_returned(&target->params[i]);
  return count;
}

/* ---- What the compiler checks ---- */

/* Writes what the compiler checks of a spec: constants of the user's headers, and the sizes of
 * elements. The types of parameters and of the result are checked by the declaration. */

/* The bits of an element whose type in C may have a different number of them; 0: it cannot. */
static int count_assumed_bits(const spec_type *type) {
  switch (type->kind) {
    case kTypeHalf:
      return 16;
    case kTypeComplex:
      return strcmp(type->name, "float _Complex") == 0 ? 64 : 128;
    case kTypeBool:
      return 8;
    case kTypeFloat:
      return strcmp(type->name, "float") == 0 ? 32 : 64;
    default:
      return 0;
  }
}

/* Whether an earlier tensor has elements of this type. */
static bool is_earlier_type(const spec *target, const spec_param *param) {
  const spec_param *other;
  for (other = target->params; other < param; ++other) {
    if (other->form == kParamTensor && other->type == param->type) return true;
  }
  return false;
}

static void write_size(text_buf *out, const spec *target, const spec_param *param) {
  const int bits = count_assumed_bits(param->type);
  wrap_list list;
  if (param->form != kParamTensor || bits == 0 || is_earlier_type(target, param)) return;
  text_add(out, "WRAP_ASSERT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "8 * sizeof(%s) == %d", param->type->name, bits);
  wrap_add_item(&list, "wrap_%s_%s_needs_%d_bits", target->exported, param->name, bits);
  wrap_add_item(&list, "\"an element of `%s`, of type %s, does not have %d bits\"", param->name,
                param->type->name, bits);
  text_add(out, ");\n");
}

static void write_constant(text_buf *out, const spec *target, const spec_constant *constant) {
  const char *name = constant->number->constant, *param = constant->param->name;
  char *value = wrap_extent(target, constant->number);
  wrap_list list;
  text_add(out, "WRAP_ASSERT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "(%s) == %s", name, value);
  wrap_add_item(&list, "wrap_%s_%s_needs_%s_%lld", target->exported, param, name,
                (long long)constant->number->value);
  wrap_add_item(&list, "\"`%s` in the shape of `%s` is not %lld as the spec says\"", name, param,
                (long long)constant->number->value);
  text_add(out, ");\n");
  free(value);
}

/* The constants of an enumeration are those of the header, which has been read if the function is
 * declared by it. */
static void write_choices(text_buf *out, const spec *target, const spec_param *param) {
  size_t i;
  if (param->c_type.name == NULL || target->is_declared) return;
  for (i = 0; i < param->c_type.num_choices; ++i) {
    const spec_choice *choice = &param->c_type.choices[i];
    wrap_list list;
    text_add(out, "WRAP_ASSERT(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "(%s) == %lld", choice->name, (long long)choice->value);
    wrap_add_item(&list, "wrap_%s_%s_is_another_%s", target->exported, param->name, choice->name);
    wrap_add_item(&list, "\"`%s` of `%s` is not %lld as the spec says\"", choice->name, param->name,
                  (long long)choice->value);
    text_add(out, ");\n");
  }
}

/* Appends what the compiler checks of a spec besides the declaration. */
static void wrap_write_asserts(text_buf *out, const spec *target) {
  const size_t before = out->size;
  size_t i;
  for (i = 0; i < target->num_params; ++i) write_size(out, target, &target->params[i]);
  for (i = 0; i < target->num_params; ++i) write_choices(out, target, &target->params[i]);
  for (i = 0; i < target->num_constants; ++i) write_constant(out, target, &target->constants[i]);
  if (out->size > before) text_add(out, "\n");
}

/* ---- What a kernel takes and returns, for errors ---- */

static void write_result_names(text_buf *out, const spec *target) {
  const size_t count = count_results(target);
  const char *separator = "";
  size_t i;
  text_add(out, ") -> %s", count == 0 ? "void" : count > 1 ? "(" : "");
  if (spec_has_value(target)) {
    text_add(
        out, "%s",
        target->result_c_type.name != NULL ? target->result_c_type.name : target->result->name);
    separator = ", ";
  }
  for (i = 0; i < target->num_params; ++i) {
    if (!is_returned(&target->params[i])) continue;
    text_add(out, "%s", separator);
    spec_write_param(out, &target->params[i]);
    separator = ", ";
  }
  if (count > 1) text_add(out, ")");
}

/* Appends its parts: the types and names of arguments and results, for errors; statements that
 * return the results and release what is left. */
static void wrap_write_signature(text_buf *out, const spec *target) {
  enum { kLineWidth = 76 };
  text_buf shown = {NULL, 0, 0};
  size_t line = 0, i;
  int left = target->num_args;
  wrap_list list;
  text_add(&shown, "\"(");
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (shown.size - line > kLineWidth) {
      text_add(&shown, "\"\n                 \"");
      line = shown.size;
    }
    text_add(&shown, "%d: ", param->arg);
    spec_write_param(&shown, param);
    if (--left > 0) text_add(&shown, ", ");
  }
  write_result_names(&shown, target);
  text_add(&shown, "\"");
  text_add(out, "TVM_FFI_C_EXPORT(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", target->exported);
  wrap_add_item(&list, "%s", shown.data);
  text_add(out, ") {\n");
  text_free(&shown);
}

/* ---- The same as metadata ---- */

static const char *name_type(const spec_param *param) {
  if (param->form == kParamBytes) {
    return param->type->kind == kTypeChar ? "ffi.String" : "ffi.Bytes";
  }
  return param->form == kParamTensor ? "DLTensor*" : wrap_metadata_type(param->type);
}

static void add_result_type(text_buf *out, const spec_type *type) {
  const bool is_optional = type->kind == kTypeText;
  text_add(out, "%sTVM_FFI_C_TYPE(\"%s\")%s", is_optional ? "TVM_FFI_C_TYPE_OF(\"Optional\", " : "",
           wrap_metadata_type(type), is_optional ? ")" : "");
}

/* The type of the results, one argument of the macro; release with free(). */
static char *make_result(const spec *target) {
  const size_t count = count_results(target);
  text_buf type = {NULL, 0, 0};
  const char *separator = "";
  size_t i;
  if (count == 0) return tool_format("TVM_FFI_C_TYPE(\"None\")");
  if (count > 1) text_add(&type, "TVM_FFI_C_TYPE_OF(\"Tuple\", ");
  if (spec_has_value(target)) {
    add_result_type(&type, target->result);
    separator = " \",\" ";
  }
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (!is_returned(param)) continue;
    text_add(&type, "%s", separator);
    if (param->is_result) {
      text_add(&type, "TVM_FFI_C_TYPE(\"ffi.Tensor\")");
    } else if (param->form == kParamBuffer) {
      text_add(&type, "TVM_FFI_C_TYPE(\"%s\")",
               param->size == kSizeText ? "ffi.String" : "ffi.Bytes");
    } else {
      add_result_type(&type, param->type);
    }
    separator = " \",\" ";
  }
  if (count > 1) text_add(&type, ")");
  return type.data;
}

/* The parameters, one argument of the macro. */
static void write_params(wrap_list *list, const spec *target) {
  text_buf params = {NULL, 0, 0};
  size_t line = 0, i;
  int left = target->num_args;
  enum { kLineWidth = 48 };
  if (left == 0) text_add(&params, "\"\"");
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->arg < 0) continue;
    if (params.size - line > kLineWidth) {
      --params.size; /* no space before the line break */
      text_add(&params, "\n%*s", list->indent, "");
      line = params.size;
    }
    text_add(&params,
             param->is_optional
                 ? "TVM_FFI_C_PARAM_OF(\"%s\", \"Optional\", TVM_FFI_C_TYPE(\"%s\"))%s"
                 : "TVM_FFI_C_PARAM(\"%s\", \"%s\")%s",
             param->name, name_type(param), --left > 0 ? " \",\" " : "");
  }
  wrap_add_item(list, "%s", params.data);
  text_free(&params);
}

/* Appends the metadata and the documentation of a kernel. */
static void wrap_write_metadata(text_buf *out, const spec *target) {
  char *result = make_result(target);
  wrap_list list;
  text_add(out, "TVM_FFI_C_EXPORT_SCHEMA(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", target->exported);
  wrap_add_item(&list, "%s", result);
  write_params(&list, target);
  text_add(out, ");\n");
  free(result);
  if (target->doc == NULL || *target->doc == '\0') return;
  text_add(out, "TVM_FFI_C_EXPORT_DOC(%s, \"", target->exported);
  add_escaped(out, target->doc);
  text_add(out, "\");\n");
}

/* ---- Results, and the release of what is left ---- */

/* The variable that has a result of a number; release with free(). */
static char *name_value(const spec *target, const spec_param *param) {
  return param == NULL ? tool_format("returned") : wrap_place(target, param);
}

/* Where a kernel goes with a code: to the end, or to its caller. */
static const char *leave(const spec *target) {
  return wrap_is_owner(target) ? "code =" : "return";
}

/* Whether a value becomes an object that the kernel owns until it returns it. */
static bool is_object(const spec_type *type) {
  return type->kind == kTypeWide || type->kind == kTypeHandle || type->kind == kTypeComplex ||
         type->kind == kTypeStruct;
}

/* Whether a result other than a tensor is such an object. */
static bool is_made(const spec *target, const spec_param *param) {
  return (param != NULL && param->form == kParamBuffer) ||
         (param == NULL && target->result_c_type.release != NULL) ||
         is_object(param != NULL ? param->type : target->result);
}

/* The function that ends a new handle; release with free(). */
static char *name_release(const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  if (type->release == NULL) return tool_format("NULL");
  if (param == NULL) return tool_format("wrap_free_%s_result", target->exported);
  return tool_format("wrap_free_%s_%zu", target->exported, (size_t)(param - target->params));
}

/* Appends the call that makes Bytes or text of a buffer. */
static void write_make_bytes(text_buf *out, const spec *target, const spec_param *param,
                             const char *code, const char *place) {
  char *size = wrap_size(target, param), *capacity = wrap_extent(target, &param->dims[0].extent);
  wrap_list list;
  text_add(out, param->size == kSizeText ? "wrap_make_text(" : "wrap_make_bytes(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", code);
  wrap_add_item(&list, "\"%s\"", param->name);
  wrap_add_item(&list, "%s", param->local);
  if (param->size != kSizeText)
    wrap_add_item(&list, "%s", param->size == kSizeAll ? capacity : size);
  wrap_add_item(&list, "%s", capacity);
  wrap_add_item(&list, "%s", place);
  text_add(out, ")");
  free(capacity);
  free(size);
}

/* Appends the call that makes an object of a value, if `code` is 0. */
static void write_make(text_buf *out, const spec *target, const spec_param *param, const char *code,
                       const char *place) {
  const spec_type *type = param != NULL ? param->type : target->result;
  const spec_c_type *c_type = param != NULL ? &param->c_type : &target->result_c_type;
  char *value;
  wrap_list list;
  if (param != NULL && param->form == kParamBuffer) {
    write_make_bytes(out, target, param, code, place);
    return;
  }
  if (type->kind == kTypeStruct) {
    char *name = wrap_structure_name(target, param, "make");
    text_add(out, "%s(%s, &%s, %s)", name, code, param != NULL ? param->local : "returned", place);
    free(name);
    return;
  }
  if (type->kind == kTypeText) {
    text_add(out, "wrap_take_text(%s, (void *)returned, wrap_free_%s_result, %s)", code,
             target->exported, place);
    return;
  }
  value = name_value(target, param);
  text_add(out, type->kind == kTypeWide      ? "wrap_make_unsigned("
                : type->kind == kTypeComplex ? "wrap_make_complex("
                                             : "wrap_make_handle(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "%s", code);
  if (type->kind == kTypeWide) {
    wrap_add_item(&list, "%s", value);
  } else if (type->kind == kTypeComplex) {
    wrap_add_item(&list, "&%s, sizeof %s", value, value);
  } else {
    char *index = wrap_type_index(target, param), *release = name_release(target, param);
    char *owner = wrap_has_keeper(target, param) ? wrap_keeper(target, param)
                  : c_type->num_owners > 0
                      ? tool_format("%s", spec_param_of(target, c_type->owners[0].name)->local)
                      : tool_format("NULL");
    wrap_add_item(&list, "(void *)%s", value);
    wrap_add_item(&list, "\"%s.%s\"", target->types, c_type->handle);
    wrap_add_item(&list, "&%s", index);
    wrap_add_item(&list, "%s", release);
    wrap_add_item(&list, "%s", owner);
    free(owner);
    free(release);
    free(index);
  }
  wrap_add_item(&list, "%s", place);
  text_add(out, ")");
  free(value);
}

/* The only result is the function's, or (NULL: no) a parameter's. */
static void write_only_value(text_buf *out, const spec *target, const spec_param *param) {
  const spec_type *type = param != NULL ? param->type : target->result;
  char *value = name_value(target, param);
  text_add(out, "  %s ", leave(target));
  if (is_made(target, param)) {
    write_make(out, target, param, "0", "args->result");
  } else {
    text_buf view = {NULL, 0, 0};
    wrap_list list;
    wrap_write_view(&view, type, value);
    text_add(out, "tvm_ffi_args_return(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "args");
    wrap_add_item(&list, "%s", view.data);
    text_add(out, ")");
    text_free(&view);
  }
  text_add(out, ";\n");
  free(value);
}

static void write_only_tensor(text_buf *out, const spec *target) {
  size_t i;
  for (i = 0; !target->params[i].is_result; ++i) continue;
  text_add(out,
           "  *args->result = tvm_ffi_any_take_object(%s);\n"
           "  %s = NULL;\n"
           "  code = 0;\n",
           target->params[i].local, target->params[i].local);
}

/* Makes an item of the array of results: views of values, and owned objects. */
static void write_item(text_buf *out, const spec *target, const spec_param *param, size_t n) {
  const spec_type *type = param != NULL ? param->type : target->result;
  char *value = name_value(target, param);
  text_add(out, "    ");
  if (param != NULL && param->is_result) {
    text_add(out, "items[%zu] = tvm_ffi_any_view_object(%s);\n", n, param->local);
  } else if (is_made(target, param)) {
    char *place = tool_format("&items[%zu]", n);
    text_add(out, "code = ");
    write_make(out, target, param, "code", place);
    text_add(out, ";\n");
    free(place);
  } else {
    text_add(out, "items[%zu] = ", n);
    wrap_write_view(out, type, value);
    text_add(out, ";\n");
  }
  free(value);
}

/* Releases an item that is owned. */
static void write_item_release(text_buf *out, const spec *target, const spec_param *param,
                               size_t n) {
  if ((param == NULL || !param->is_result) && is_made(target, param)) {
    text_add(out, "    wrap_clear(&items[%zu]);\n", n);
  }
}

static void write_items(text_buf *out, const spec *target,
                        void (*write)(text_buf *, const spec *, const spec_param *, size_t)) {
  size_t i, n = 0;
  if (spec_has_value(target)) write(out, target, NULL, n++);
  for (i = 0; i < target->num_params; ++i) {
    if (is_returned(&target->params[i])) write(out, target, &target->params[i], n++);
  }
}

static void write_array(text_buf *out, const spec *target, size_t count) {
  const bool is_owner = wrap_is_owner(target);
  text_add(out, "  {\n    TVMFFIObjectHandle array;\n    TVMFFIAny items[%zu];\n%s", count,
           is_owner ? "    code = 0;\n" : "    int code = 0;\n");
  write_items(out, target, write_item);
  text_add(out,
           "    if (code == 0) code = tvm_ffi_array_create(items, %zu, &array);\n"
           "    if (code == 0) *args->result = tvm_ffi_any_take_object(array);\n",
           count);
  write_items(out, target, write_item_release);
  text_add(out, "%s  }\n", is_owner ? "" : "    return code;\n");
}

/* What keeps alive what a new handle needs, which has its own reference by now. */
static void write_keeper_release(text_buf *out, const spec *target, const spec_param *param) {
  char *keeper;
  if (!wrap_has_keeper(target, param)) return;
  keeper = wrap_keeper(target, param);
  text_add(out, "  tvm_ffi_object_release(%s);\n", keeper);
  free(keeper);
}

/* A handle that the call was to end. One that the library takes gives the other handles of the call
 * what it needs. */
static void write_finish(text_buf *out, const spec *target, const spec_param *param) {
  char *place = wrap_place(target, param), *ended = wrap_ended(target, param);
  text_buf takers = {NULL, 0, 0};
  size_t count = 0, i;
  for (i = 0; param->is_taken && i < target->num_params; ++i) {
    const spec_param *other = &target->params[i];
    if (other->type->kind != kTypeHandle || other->arg < 0 || other->is_closed) continue;
    text_add(&takers, "%s%s", count++ > 0 ? ", " : "", other->local);
  }
  if (!param->is_taken) {
    text_add(out, "  wrap_finish(%s, (void *)%s, %s);\n", param->local, place, ended);
  } else if (count == 0) {
    text_add(out, "  wrap_give(%s, (void *)%s, %s, NULL, 0);\n", param->local, place, ended);
  } else {
    text_add(out, "  {\n    wrap_handle *const takers[] = {%s};\n", takers.data);
    text_add(out, "    wrap_give(%s, (void *)%s, %s, takers, %zu);\n  }\n", param->local, place,
             ended, count);
  }
  text_free(&takers);
  free(ended);
  free(place);
}

static void write_release(text_buf *out, const spec *target) {
  size_t i;
  if (!wrap_is_owner(target)) return;
  text_add(out, "done:\n");
  wrap_write_settling(out, target);
  write_keeper_release(out, target, NULL);
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->is_closed) write_finish(out, target, param);
    write_keeper_release(out, target, param);
    if (!wrap_is_allocated(param)) continue;
    text_add(out, param->is_result ? "  tvm_ffi_object_release(%s);\n" : "  free(%s);\n",
             param->local);
  }
  text_add(out, "  return code;\n");
}

static void wrap_write_results(text_buf *out, const spec *target) {
  const size_t count = count_results(target);
  size_t i = 0;
  while (i < target->num_params && !is_returned(&target->params[i])) ++i;
  if (count > 1) {
    write_array(out, target, count);
  } else if (count == 0) {
    text_add(out, wrap_is_owner(target) ? "  code = 0;\n" : "  return 0;\n");
  } else if (i < target->num_params && target->params[i].is_result) {
    write_only_tensor(out, target);
  } else {
    write_only_value(out, target, i < target->num_params ? &target->params[i] : NULL);
  }
  write_release(out, target);
}

/* ---- What the kernel allocates ---- */

static void write_shape(text_buf *out, const spec *target, const spec_param *param) {
  size_t i;
  text_add(out, "    const int64_t shape[%zu] = {", param->num_dims > 0 ? param->num_dims : 1);
  for (i = 0; i < param->num_dims; ++i) {
    char *value = wrap_extent(target, &param->dims[i].extent);
    text_add(out, "%s%s", i > 0 ? ", " : "", value);
    free(value);
  }
  text_add(out, "%s};\n", param->num_dims > 0 ? "" : "1");
}

static void write_allocation(text_buf *out, const spec *target, const spec_param *param) {
  wrap_list list;
  if (param->form == kParamBuffer) {
    char *size = wrap_extent(target, &param->dims[0].extent);
    text_add(out, "  %s = wrap_allocate_buffer(\"%s\", %s);\n  if (%s == NULL) goto done;\n",
             param->local, param->name, size, param->local);
    free(size);
    return;
  }
  text_add(out, "  {\n");
  write_shape(out, target, param);
  if (param->is_result) {
    text_add(out, "    code = wrap_create_tensor(");
    list = wrap_begin_list(out);
    wrap_add_item(&list, "%s", param->dtype);
    wrap_add_item(&list, "%zu, shape, &%s", param->num_dims, param->local);
    text_add(out, ");\n");
  } else {
    text_add(out,
             "    %s = wrap_allocate(\"%s\", sizeof(%s), %zu, shape);\n"
             "    code = %s != NULL ? 0 : -1;\n",
             param->local, param->name, param->type->name, param->num_dims, param->local);
  }
  text_add(out, "    if (code != 0) goto done;\n  }\n");
  if (param->alignment == 0) return;
  text_add(out, "  code = wrap_check_allocated(");
  list = wrap_begin_list(out);
  wrap_add_item(&list, "\"%s\"", param->name);
  wrap_add_item(&list, "TVMFFITensorGetDLTensorPtr(%s)", param->local);
  wrap_add_item(&list, "%lld", (long long)param->alignment);
  text_add(out, ");\n  if (code != 0) goto done;\n");
}

/* ---- A kernel ---- */

/* The function that ends a new handle, as objects call it. */
static void write_release_function(text_buf *out, const spec *target, const spec_param *param) {
  const spec_c_type *type = param != NULL ? &param->c_type : &target->result_c_type;
  char *name = name_release(target, param);
  if (type->release != NULL) {
    text_add(out, "static void %s(void *pointer) {\n  %s((%s)pointer);\n}\n\n", name, type->release,
             type->name != NULL ? type->name : "char *");
  }
  free(name);
}

/* Appends an exported kernel. */
static void wrap_write_kernel(text_buf *out, const wrap_request *request, const spec *target) {
  size_t i;
  text_add(out, "\n");
  for (i = 0; i < target->num_params; ++i) {
    write_release_function(out, target, &target->params[i]);
    wrap_write_structure(out, target, &target->params[i]);
    if (target->params[i].form == kParamCallback) {
      wrap_write_callback(out, target, &target->params[i]);
    }
  }
  write_release_function(out, target, NULL);
  wrap_write_structure(out, target, NULL);
  wrap_write_asserts(out, target);
  wrap_write_signature(out, target);
  wrap_write_variables(out, target);
  request->abi->write_variables(out, target);
  if (wrap_is_owner(target)) text_add(out, "  int code = -1;\n");
  text_add(out, "  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, %d));\n", target->num_args);
  wrap_write_arguments(out, target);
  for (i = 0; i < target->num_params; ++i) {
    if (wrap_is_allocated(&target->params[i])) write_allocation(out, target, &target->params[i]);
  }
  wrap_write_start(out, target);
  request->abi->write_call(out, target);
  wrap_write_results(out, target);
  text_add(out, "}\n");
}

/* ---- The file ---- */

static bool is_of_limits_h(const char *limit) {
  static const char *const kPrefixes[] = {"INT_",   "UINT_",  "LONG_",  "SHRT_",
                                          "USHRT_", "UCHAR_", "SCHAR_", NULL};
  return limit != NULL && text_find_prefix(limit, kPrefixes) != NULL;
}

/* Whether one of the specs has such a number, or a callback that returns one. */
static bool has_limits(const spec *target) {
  size_t i;
  for (i = 0; i < target->num_params; ++i) {
    const spec_param *param = &target->params[i];
    if (param->c_type.fields != NULL && has_limits(param->c_type.fields)) return true;
    if (param->form == kParamCallback
            ? is_of_limits_h(param->callback->result->high)
            : param->form == kParamScalar && is_of_limits_h(param->type->high)) {
      return true;
    }
  }
  return false;
}

static bool needs_limits_h(const wrap_request *request) {
  size_t i;
  for (i = 0; i < request->num_specs; ++i) {
    if (has_limits(&request->specs[i])) return true;
  }
  return false;
}

/* The headers of the standard library that a lean file uses. */
static void write_lean_includes(text_buf *out, const text_buf *used) {
  enum { kMaxWords = 6 };
  static const struct {
    const char *header, *words[kMaxWords]; /* used with one of the words; none: always */
  } kHeaders[] = {{"stdarg.h", {"va_list"}},
                  {"stdbool.h", {NULL}},
                  {"stddef.h", {NULL}},
                  {"stdint.h", {NULL}},
                  {"stdio.h", {"vsnprintf"}},
                  {"stdlib.h", {"malloc", "free"}},
                  {"string.h", {"memchr", "memcmp", "memset", "strcmp", "strerror", "strlen"}}};
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

/* A number of the texts that files of --lean share. */
static uint32_t hash_shared(void) {
  const char *const *const texts[] = {kKernelHeader, kKernelMore};
  uint32_t hash = 2166136261u;
  size_t i, k;
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    for (k = 0; texts[i][k] != NULL; ++k) {
      const char *byte = texts[i][k];
      for (; *byte != '\0'; ++byte) hash = (hash ^ (unsigned char)*byte) * 16777619u;
    }
  }
  return hash;
}

/* What a lean file has instead of the library's headers. Where they are above it in the same
 * source, or tvm_ffi_kernel.h, or another lean file, these have the same. */
static void write_lean_header(text_buf *out, text_buf *used) {
  const unsigned long hash = hash_shared();
  text_buf header = {NULL, 0, 0}, more = {NULL, 0, 0};
  wrap_add_parts(&more, kKernelMore, used, NULL);
  wrap_add_parts(&header, kKernelHeader, used, NULL);
  write_lean_includes(out, used);
  text_add(out,
           "\n#ifdef TVM_FFI_C_API_H_ /* the library's headers are above, and have all this */\n"
           "#include <tvm/ffi/c.h>\n"
           "#else\n"
           "#ifndef TVM_FFI_LEAN_H_\n"
           "#define TVM_FFI_LEAN_H_ 0x%08lxu\n"
           "#elif TVM_FFI_LEAN_H_ != 0x%08lxu\n"
           "#error \"different versions of tvm-ffi wrap --lean wrote parts of this source\"\n"
           "#endif\n"
           "#ifndef TVM_FFI_KERNEL_H_\n",
           hash, hash);
  text_add_bytes(out, header.data, header.size);
  text_add(out, "#endif /* TVM_FFI_KERNEL_H_ */\n#ifndef TVM_FFI_KERNEL_MORE_H_\n");
  text_add_bytes(out, more.data, more.size);
  text_add(out, "#endif /* TVM_FFI_KERNEL_MORE_H_ */\n#endif /* TVM_FFI_C_API_H_ */\n");
  text_free(&more);
  text_free(&header);
}

static void write_includes(text_buf *out, const wrap_request *request) {
  size_t i;
  if (request->num_includes > 0) text_add(out, "\n");
  for (i = 0; i < request->num_includes; ++i) {
    const char *name = request->includes[i];
    text_add(out, *name == '<' ? "#include %s\n" : "#include \"%s\"\n", name);
  }
}

/* The functions as the specs have them. */
static void write_declarations(text_buf *out, const wrap_request *request) {
  size_t i;
  text_add(out, "\n");
  if (request->abi->write_before != NULL) request->abi->write_before(out, request);
  for (i = 0; i < request->num_specs; ++i) {
    const spec *target = &request->specs[i];
    if (!target->is_declared) request->abi->write_prototype(out, target);
  }
}

void wrap_write(text_buf *out, const wrap_request *request) {
  const wrap_abi *abi = request->abi;
  wrap_names names = {request->specs[0].exported, {NULL, 0, 0}, {NULL, 0, 0}};
  text_buf kernels = {NULL, 0, 0}, helpers = {NULL, 0, 0};
  text_buf used = {NULL, 0, 0}, calling = {NULL, 0, 0}; /* helpers of the ABI */
  size_t i;
  for (i = 0; i < request->num_specs; ++i) {
    wrap_write_kernel(&kernels, request, &request->specs[i]);
    wrap_write_metadata(&kernels, &request->specs[i]);
  }
  text_add_bytes(&used, kernels.data, kernels.size);
  if (abi->runtime != NULL) wrap_add_parts(&calling, abi->runtime, &used, &names);
  wrap_add_parts(&helpers, kWrapRuntime, &used, &names);
  text_add(out, "/* Made by tvm-ffi wrap");
  if (abi != &kWrapPlain) text_add(out, " --abi=%s", abi->name);
  text_add(out, "%s. */\n", request->is_lean ? " --lean" : "");
  if (wrap_has_word(kernels.data, "errno", strlen("errno"))) text_add(out, "#include <errno.h>\n");
  if (needs_limits_h(request)) text_add(out, "#include <limits.h>\n");
  if (request->is_lean) {
    write_lean_header(out, &used);
  } else {
    text_add(out, "#include <tvm/ffi/c.h>\n");
  }
  write_includes(out, request);
  write_declarations(out, request);
  if (names.begin.size > 0) {
    text_add(out, "\n/* Other such files may be parts of the same source. */\n%s",
             names.begin.data);
  }
  text_add_bytes(out, helpers.data, helpers.size);
  text_add_bytes(out, calling.data, calling.size);
  text_add_bytes(out, kernels.data, kernels.size);
  if (names.end.size > 0) text_add(out, "\n%s", names.end.data);
  if (abi->write_after != NULL) abi->write_after(out);
  text_free(&used);
  text_free(&names.end);
  text_free(&names.begin);
  text_free(&calling);
  text_free(&helpers);
  text_free(&kernels);
}

/* ---- ABIs ---- */

const wrap_abi *wrap_abi_at(size_t i) {
  static const wrap_abi *const kAbis[] = {&kWrapPlain, &kWrapCasadi, &kWrapMemref, &kWrapHalide};
  return i < sizeof kAbis / sizeof *kAbis ? kAbis[i] : NULL;
}
