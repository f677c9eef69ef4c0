/* SPDX-License-Identifier: Apache-2.0 */
/* A header for C++, over the C++ layer: a class with a method for each function of the library. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "stub.h"

static void write_type(text *to, const schema_type *type, bool is_inner);

/* Inside others a tensor is one that is owned. */
static const char *find_word(const schema_type *type, bool is_inner) {
  switch (type->kind) {
    case kSchemaBool:
      return "bool";
    case kSchemaInt:
      return "int64_t";
    case kSchemaFloat:
      return "double";
    case kSchemaPointer:
      return "void *";
    case kSchemaDataType:
      return "DLDataType";
    case kSchemaDevice:
      return "DLDevice";
    case kSchemaStr:
      return "tvm::ffi::String";
    case kSchemaBytes:
      return "tvm::ffi::Bytes";
    case kSchemaTensorView:
      return is_inner ? "tvm::ffi::Tensor" : "tvm::ffi::TensorView";
    case kSchemaTensor:
      return "tvm::ffi::Tensor";
    case kSchemaShape:
      return "tvm::ffi::Shape";
    case kSchemaModule:
      return "tvm::ffi::Module";
    case kSchemaFunction:
      return "tvm::ffi::Function";
    case kSchemaObject:
      return strchr(type->name, '.') != NULL ? "tvm::ffi::ObjectRef" : "tvm::ffi::Any";
    case kSchemaArray:
    case kSchemaList:
    case kSchemaMap:
    case kSchemaDict:
    case kSchemaTuple:
    case kSchemaOptional:
    case kSchemaUnion:
    case kSchemaAny:
    case kSchemaNone:
      break;
  }
  return NULL;
}

static const char *find_template(schema_kind kind) {
  switch (kind) {
    case kSchemaArray:
      return "tvm::ffi::Array";
    case kSchemaList:
      return "tvm::ffi::List";
    case kSchemaMap:
      return "tvm::ffi::Map";
    case kSchemaDict:
      return "tvm::ffi::Dict";
    case kSchemaTuple:
      return "tvm::ffi::Tuple";
    case kSchemaOptional:
      return "tvm::ffi::Optional";
    default:
      return NULL;
  }
}

/* What stands in the brackets when nothing is told. */
static const char *get_default_args(schema_kind kind) {
  return kind == kSchemaMap || kind == kSchemaDict ? "<tvm::ffi::Any, tvm::ffi::Any>"
         : kind == kSchemaTuple                    ? "<>"
                                                   : "<tvm::ffi::Any>";
}

static void write_type(text *to, const schema_type *type, bool is_inner) {
  const char *word = find_word(type, is_inner), *container = find_template(type->kind);
  size_t i;
  if (word != NULL) {
    text_add(to, "%s", word);
  } else if (container == NULL ||
             (type->kind == kSchemaOptional && type->args[0].kind == kSchemaAny)) {
    text_add(to, "tvm::ffi::Any");
  } else if (type->num_args == 0) {
    text_add(to, "%s%s", container, get_default_args(type->kind));
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
  switch (type->kind) {
    case kSchemaBool:
    case kSchemaInt:
    case kSchemaFloat:
    case kSchemaPointer:
    case kSchemaDataType:
    case kSchemaDevice:
    case kSchemaTensorView:
      return true;
    default:
      return false;
  }
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
    text_add(to, " %s%s", by_value ? "" : "&", function->params[i]);
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
