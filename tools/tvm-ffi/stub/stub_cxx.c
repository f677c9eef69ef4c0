/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a header for C++, on top of the C++ layer: a class with a method for each function of the
 * library. */
#include <ctype.h>
#include <stdlib.h>

#include "stub/stub.h"

/* By schema_kind, the C++ type; NULL: a template, or a class. */
static const char *const kTypes[kNumSchemaKinds] = {
    [kSchemaBool] = "bool",
    [kSchemaInt] = "int64_t",
    [kSchemaFloat] = "double",
    [kSchemaPointer] = "void *",
    [kSchemaDataType] = "DLDataType",
    [kSchemaDevice] = "DLDevice",
    [kSchemaStr] = "tvm::ffi::String",
    [kSchemaBytes] = "tvm::ffi::Bytes",
    [kSchemaTensorView] = "tvm::ffi::TensorView",
    [kSchemaTensor] = "tvm::ffi::Tensor",
    [kSchemaShape] = "tvm::ffi::Shape",
    [kSchemaModule] = "tvm::ffi::Module",
    [kSchemaFunction] = "tvm::ffi::Function",
};

/* The templates, and their arguments if the schema gives none. */
static const struct {
  const char *name, *args;
} kTemplates[kNumSchemaKinds] = {
    [kSchemaArray] = {"tvm::ffi::Array", "<tvm::ffi::Any>"},
    [kSchemaList] = {"tvm::ffi::List", "<tvm::ffi::Any>"},
    [kSchemaMap] = {"tvm::ffi::Map", "<tvm::ffi::Any, tvm::ffi::Any>"},
    [kSchemaDict] = {"tvm::ffi::Dict", "<tvm::ffi::Any, tvm::ffi::Any>"},
    [kSchemaTuple] = {"tvm::ffi::Tuple", "<>"},
    [kSchemaOptional] = {"tvm::ffi::Optional", NULL},
};

/* NULL: a template, or tvm::ffi::Any. */
static const char *find_word(const schema_type *type) {
  return schema_is_class(type) ? "tvm::ffi::ObjectRef" : kTypes[type->kind];
}

/* Any holds None as well: it is its own Optional. */
static bool is_any(const schema_type *type) {
  if (type->kind == kSchemaOptional) return is_any(&type->args[0]);
  return find_word(type) == NULL && kTemplates[type->kind].name == NULL;
}

/* Within templates and results, an owned Tensor replaces TensorView. */
static void write_type(text_buf *out, const schema_type *type, bool is_inner) {
  const char *word = find_word(type);
  const char *container = kTemplates[type->kind].name;
  size_t i;
  if (type->kind == kSchemaTensorView && is_inner) word = kTypes[kSchemaTensor];
  if (word != NULL) {
    text_add(out, "%s", word);
  } else if (is_any(type)) {
    text_add(out, "tvm::ffi::Any");
  } else if (type->num_args == 0) {
    text_add(out, "%s%s", container, kTemplates[type->kind].args);
  } else {
    text_add(out, "%s<", container);
    for (i = 0; i < type->num_args; ++i) {
      if (i > 0) text_add(out, ", ");
      write_type(out, &type->args[i], is_inner || type->kind != kSchemaOptional);
    }
    text_add(out, ">");
  }
}

/* Types of at most two pointers are passed by value. */
static bool is_passed_by_value(const schema_type *type) {
  return type->kind == kSchemaTensorView ||
         (type->kind >= kSchemaBool && type->kind <= kSchemaDevice);
}

static void write_comment(text_buf *out, const stub_function *function) {
  text_add(out, "\n  /*\n   * ");
  stub_write_signature(out, function);
  text_add(out, "\n");
  stub_write_doc(out, function, "   * ");
  text_add(out, "   */\n");
}

/* The method of a function whose types are not known. */
static void write_untyped_method(text_buf *out, const stub_function *function) {
  write_comment(out, function);
  text_add(out,
           "  template <typename... Args>\n"
           "  tvm::ffi::Any %s(Args &&...args) const {\n"
           "    return functions_.%s(static_cast<Args &&>(args)...);\n"
           "  }\n",
           function->word, function->word);
}

static void write_method(text_buf *out, const stub_function *function) {
  const schema_type *result = schema_result(function->type);
  const size_t count = schema_num_params(function->type);
  size_t i;
  write_comment(out, function);
  text_add(out, "  ");
  if (result->kind == kSchemaNone) {
    text_add(out, "void");
  } else {
    write_type(out, result, true);
  }
  text_add(out, " %s(", function->word);
  for (i = 0; i < count; ++i) {
    const schema_type *param = schema_param(function->type, i);
    const bool by_value = is_passed_by_value(param);
    if (i > 0) text_add(out, ", ");
    if (!by_value) text_add(out, "const ");
    write_type(out, param, false);
    if (param->kind != kSchemaPointer) text_add(out, " ");
    text_add(out, "%s%s", by_value ? "" : "&", function->params[i]);
    if (param->may_be_left_out) text_add(out, " = {}");
  }
  text_add(out, ") const {\n    %sfunctions_.%s(", result->kind != kSchemaNone ? "return " : "",
           function->word);
  for (i = 0; i < count; ++i) text_add(out, "%s%s", i > 0 ? ", " : "", function->params[i]);
  text_add(out, ")");
  if (result->kind != kSchemaNone) {
    text_add(out, ".cast<");
    write_type(out, result, true);
    text_add(out, ">()");
  }
  text_add(out, ";\n  }\n");
}

static void write_cxx(text_buf *out, const stub_library *library) {
  char *guard = tool_format("TVM_FFI_STUB_%s_HPP_", library->prefix), *cursor;
  text_buf remarks = {NULL, 0, 0};
  size_t i;
  for (cursor = guard; *cursor != '\0'; ++cursor) *cursor = (char)toupper((unsigned char)*cursor);
  text_add(out,
           "/* Made of %s by tvm-ffi stub --lang=c++. */\n"
           "#ifndef %s\n"
           "#define %s\n"
           "\n"
           "#include <tvm/ffi/container/array.h>\n"
           "#include <tvm/ffi/container/dict.h>\n"
           "#include <tvm/ffi/container/list.h>\n"
           "#include <tvm/ffi/container/map.h>\n"
           "#include <tvm/ffi/container/tensor.h>\n"
           "#include <tvm/ffi/container/tuple.h>\n"
           "#include <tvm/ffi/extra/module.h>\n"
           "#include <tvm/ffi/function.h>\n"
           "\n"
           "namespace %s {\n"
           "\n"
           "/* The library, loaded. What a function raises is thrown as tvm::ffi::Error. */\n"
           "class Library {\n"
           " public:\n"
           "  explicit Library(const tvm::ffi::String &path)\n"
           "      : Library(tvm::ffi::Module::LoadFromFile(path)) {}\n"
           "\n"
           "  explicit Library(const tvm::ffi::Module &module) : module_(module) {\n",
           library->file, guard, guard, library->prefix);
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    text_add(out, "    functions_.%s = module->GetFunction(\"%s\").value();\n", function->word,
             function->name);
  }
  text_add(out, "  }\n");
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    (stub_is_typed(function) ? write_method : write_untyped_method)(out, function);
  }
  stub_write_remarks(&remarks, library, "  // ");
  if (remarks.size > 0) text_add(out, "\n%s", remarks.data);
  text_free(&remarks);
  text_add(out, "\n private:\n  tvm::ffi::Module module_;\n  struct {\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_wrapped(&library->functions[i])) continue;
    text_add(out, "    tvm::ffi::Function %s;\n", library->functions[i].word);
  }
  text_add(out, "  } functions_;\n};\n\n}  // namespace %s\n\n#endif  // %s\n", library->prefix,
           guard);
  free(guard);
}

const stub_language kStubCxx = {"c++", kStubCWords, kStubCWords, write_cxx};
