/* SPDX-License-Identifier: Apache-2.0 */
/* A header for C++, over the C++ layer: a class with a method for each function of the library. */
#include <ctype.h>
#include <stdlib.h>

#include "stub/stub.h"

/* Of each schema_kind, what stands for a type as it is; NULL: it is made of others, or a class. */
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

/* What takes types in brackets, and which where none are told. */
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

/* Inside others a tensor is one that is owned. */
static void write_type(text *to, const schema_type *type, bool is_inner) {
  const char *word = schema_is_class(type) ? "tvm::ffi::ObjectRef" : kTypes[type->kind];
  const char *container = kTemplates[type->kind].name;
  size_t i;
  if (type->kind == kSchemaTensorView && is_inner) word = kTypes[kSchemaTensor];
  if (word != NULL) {
    text_add(to, "%s", word);
  } else if (container == NULL ||
             (type->kind == kSchemaOptional && type->args[0].kind == kSchemaAny)) {
    text_add(to, "tvm::ffi::Any");
  } else if (type->num_args == 0) {
    text_add(to, "%s%s", container, kTemplates[type->kind].args);
  } else {
    text_add(to, "%s<", container);
    for (i = 0; i < type->num_args; ++i) {
      if (i > 0) text_add(to, ", ");
      write_type(to, &type->args[i], is_inner || type->kind != kSchemaOptional);
    }
    text_add(to, ">");
  }
}

/* By value what is as small as a pointer or two. */
static bool is_passed_by_value(const schema_type *type) {
  return type->kind == kSchemaTensorView ||
         (type->kind >= kSchemaBool && type->kind <= kSchemaDevice);
}

static void write_method(text *to, const stub_function *function) {
  const schema_type *result = schema_result(function->type);
  const size_t count = schema_num_params(function->type);
  size_t i;
  text_add(to, "\n  /*\n   * ");
  stub_write_signature(to, function);
  text_add(to, "\n");
  stub_write_doc(to, function, "   * ");
  text_add(to, "   */\n  ");
  if (result->kind == kSchemaNone) {
    text_add(to, "void");
  } else {
    write_type(to, result, true);
  }
  text_add(to, " %s(", function->word);
  for (i = 0; i < count; ++i) {
    const schema_type *param = schema_param(function->type, i);
    const bool by_value = is_passed_by_value(param);
    if (i > 0) text_add(to, ", ");
    if (!by_value) text_add(to, "const ");
    write_type(to, param, false);
    if (param->kind != kSchemaPointer) text_add(to, " ");
    text_add(to, "%s%s", by_value ? "" : "&", function->params[i]);
  }
  text_add(to, ") const {\n    %sfunctions_.%s(", result->kind != kSchemaNone ? "return " : "",
           function->word);
  for (i = 0; i < count; ++i) text_add(to, "%s%s", i > 0 ? ", " : "", function->params[i]);
  text_add(to, ")");
  if (result->kind != kSchemaNone) {
    text_add(to, ".cast<");
    write_type(to, result, true);
    text_add(to, ">()");
  }
  text_add(to, ";\n  }\n");
}

static void write_cxx(text *to, const stub_library *library) {
  char *guard = tool_format("TVM_FFI_STUB_%s_HPP_", library->prefix), *at;
  size_t num_typed = 0, i;
  for (at = guard; *at != '\0'; ++at) *at = (char)toupper((unsigned char)*at);
  text_add(to,
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
    if (!stub_is_typed(function)) continue;
    text_add(to, "    functions_.%s = module->GetFunction(\"%s\").value();\n", function->word,
             function->name);
    ++num_typed;
  }
  text_add(to, "  }\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (stub_is_typed(&library->functions[i])) write_method(to, &library->functions[i]);
  }
  if (num_typed < library->num_functions) text_add(to, "\n");
  stub_write_untyped(to, library, "  // ");
  text_add(to, "\n private:\n  tvm::ffi::Module module_;\n  struct {\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_typed(&library->functions[i])) continue;
    text_add(to, "    tvm::ffi::Function %s;\n", library->functions[i].word);
  }
  text_add(to, "  } functions_;\n};\n\n}  // namespace %s\n\n#endif  // %s\n", library->prefix,
           guard);
  free(guard);
}

const stub_language kStubCxx = {"c++", kStubCWords, kStubCWords, write_cxx};
