/* SPDX-License-Identifier: Apache-2.0 */
#include "stub/stub.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* ---- C ---- */

/* Writes a header for C: a struct of the library's functions, and a static inline caller for
 * each. */

/* How a type is passed, and how it is returned. */
typedef struct {
  const char *type;  /* of a parameter, and of *out; ends with a space or "*" */
  const char *make;  /* the function that makes a view of it */
  const char *read;  /* tvm_ffi_any_read_<read> extracts it; NULL: the value itself is returned */
  const char *index; /* objects: the type index that a result must have */
  bool may_be_null;  /* a pointer, for which NULL means None */
} c_form;

#define OBJECT(index) \
  { "TVMFFIObjectHandle ", "tvm_ffi_any_view_object", "object", index, true }

/* By schema_kind; without an entry, a value is passed as it is. */
static const c_form kValue = {"TVMFFIAny ", NULL, NULL, NULL, false};
static const c_form kObject = OBJECT("kTVMFFIObject");
static const c_form kForms[kNumSchemaKinds] = {
    [kSchemaBool] = {"bool ", "tvm_ffi_any_from_bool", "bool", NULL, false},
    [kSchemaInt] = {"int64_t ", "tvm_ffi_any_from_int64", "int64", NULL, false},
    [kSchemaFloat] = {"double ", "tvm_ffi_any_from_double", "double", NULL, false},
    [kSchemaPointer] = {"void *", "tvm_ffi_any_from_pointer", "pointer", NULL, true},
    [kSchemaDataType] = {"DLDataType ", "tvm_ffi_any_from_dtype", "dtype", NULL, false},
    [kSchemaDevice] = {"DLDevice ", "tvm_ffi_any_from_device", "device", NULL, false},
    [kSchemaStr] = {"const char *", "tvm_ffi_any_view_string", NULL, NULL, true},
    [kSchemaBytes] = {"TVMFFIByteArray *", "tvm_ffi_any_view_bytes", NULL, NULL, true},
    [kSchemaTensorView] = {"DLTensor *", "tvm_ffi_any_view_tensor", NULL, NULL, true},
    [kSchemaTensor] = OBJECT("kTVMFFITensor"),
    [kSchemaShape] = OBJECT("kTVMFFIShape"),
    [kSchemaModule] = OBJECT("kTVMFFIModule"),
    [kSchemaFunction] = OBJECT("kTVMFFIFunction"),
    [kSchemaArray] = OBJECT("kTVMFFIArray"),
    [kSchemaList] = OBJECT("kTVMFFIList"),
    [kSchemaMap] = OBJECT("kTVMFFIMap"),
    [kSchemaDict] = OBJECT("kTVMFFIDict"),
    [kSchemaTuple] = OBJECT("kTVMFFIArray"),
};

static const c_form *find_form(const schema_type *type) {
  if (schema_is_class(type)) return &kObject;
  return kForms[type->kind].type != NULL ? &kForms[type->kind] : &kValue;
}

static const c_form *find_result_form(const schema_type *type) {
  const bool is_optional = type->kind == kSchemaOptional;
  const c_form *form = find_form(schema_required(type));
  return form->read == NULL || (is_optional && form->index == NULL) ? &kValue : form;
}

/* ---- One caller ---- */

static void write_parameters(text_buf *out, const stub_library *library,
                             const stub_function *function) {
  const schema_type *result = schema_result(function->type);
  size_t i;
  text_add(out, "const %s_library *lib", library->prefix);
  for (i = 0; i < schema_num_params(function->type); ++i) {
    const schema_type *param = schema_param(function->type, i);
    const c_form *form = find_form(schema_required(param));
    const bool by_pointer =
        param->kind == kSchemaOptional && form->make != NULL && !form->may_be_null;
    text_add(out, ",\n    %s%s%s%s", by_pointer ? "const " : "", form->type, by_pointer ? "*" : "",
             function->params[i]);
  }
  if (result->kind != kSchemaNone) text_add(out, ",\n    %s*out", find_result_form(result)->type);
}

static void write_argument(text_buf *out, const stub_function *function, size_t i) {
  const schema_type *param = schema_param(function->type, i);
  const c_form *form = find_form(schema_required(param));
  const char *name = function->params[i];
  text_add(out, "  args[%zu] = ", i);
  if (form->make == NULL) {
    text_add(out, "%s;\n", name);
  } else if (param->kind == kSchemaOptional || (form->may_be_null && form->index == NULL)) {
    text_add(out, "%s != NULL ? %s(%s%s) : tvm_ffi_any_none();\n", name, form->make,
             form->may_be_null ? "" : "*", name);
  } else {
    text_add(out, "%s(%s);\n", form->make, name);
  }
}

/* `indent` is " * ", with more spaces before it in a class. */
static void write_comment(text_buf *out, const stub_function *function, const char *indent) {
  const int begin = (int)strlen(indent) - 3;
  text_add(out, "\n%*s/*\n%s", begin, "", indent);
  stub_write_signature(out, function);
  text_add(out, "\n");
  stub_write_doc(out, function, indent);
  text_add(out, "%*s */\n", begin, "");
}

/* "TVM_FFI_STUB_SCALE_H_"; release with free(). */
static char *make_guard(const stub_library *library, const char *ending) {
  char *guard = tool_format("TVM_FFI_STUB_%s_%s_", library->prefix, ending), *cursor;
  for (cursor = guard; *cursor != '\0'; ++cursor) *cursor = (char)toupper((unsigned char)*cursor);
  return guard;
}

static void write_caller(text_buf *out, const stub_library *library,
                         const stub_function *function) {
  const schema_type *result = schema_result(function->type);
  const size_t count = schema_num_params(function->type);
  const c_form *form = find_result_form(result);
  const char *args = count > 0 ? "args" : "NULL";
  size_t i;
  write_comment(out, function, " * ");
  text_add(out, "static inline int %s_%s(", library->prefix, function->word);
  write_parameters(out, library, function);
  text_add(out, ") {\n");
  if (count > 0) text_add(out, "  TVMFFIAny args[%zu];\n", count);
  if (form->read != NULL) text_add(out, "  TVMFFIAny result;\n  int code;\n");
  for (i = 0; i < count; ++i) write_argument(out, function, i);
  if (result->kind == kSchemaNone) {
    text_add(out, "  return tvm_ffi_function_call_void(lib->%s, %s, %zu);\n}\n", function->word,
             args, count);
  } else if (form->read == NULL) {
    text_add(out, "  return tvm_ffi_function_call(lib->%s, %s, %zu, out);\n}\n", function->word,
             args, count);
  } else {
    text_add(out, "  code = tvm_ffi_function_call(lib->%s, %s, %zu, &result);\n", function->word,
             args, count);
    text_add(out, "  if (code != 0) return code;\n");
    if (result->kind == kSchemaOptional) {
      text_add(out, "  *out = NULL;\n  if (tvm_ffi_any_is_none(&result)) return 0;\n");
    }
    if (form->index != NULL) {
      text_add(out, "  code = tvm_ffi_any_read_object(&result, %s, out);\n", form->index);
    } else {
      text_add(out, "  code = tvm_ffi_any_read_%s(&result, out);\n", form->read);
    }
    text_add(out, "  if (code != 0) tvm_ffi_any_clear(&result);\n  return code;\n}\n");
  }
}

/* The caller of a function whose types are not known. */
static void write_untyped_caller(text_buf *out, const stub_library *library,
                                 const stub_function *function) {
  write_comment(out, function, " * ");
  text_add(out,
           "static inline int %s_%s(const %s_library *lib,\n"
           "    const TVMFFIAny *args,\n"
           "    int32_t num_args,\n"
           "    TVMFFIAny *out) {\n"
           "  return tvm_ffi_function_call(lib->%s, args, num_args, out);\n}\n",
           library->prefix, function->word, library->prefix, function->word);
}

/* ---- The library ---- */

static void write_library(text_buf *out, const stub_library *library) {
  const char *prefix = library->prefix;
  size_t i;
  text_add(out, "\n/* The functions, each a reference of its own. */\ntypedef struct {\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_wrapped(&library->functions[i])) continue;
    text_add(out, "  TVMFFIObjectHandle %s;\n", library->functions[i].word);
  }
  text_add(out,
           "} %s_library;\n"
           "\n"
           "static inline void %s_release(%s_library *lib) {\n",
           prefix, prefix, prefix);
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_wrapped(&library->functions[i])) continue;
    text_add(out, "  tvm_ffi_object_release(lib->%s);\n", library->functions[i].word);
  }
  text_add(
      out,
      "  memset(lib, 0, sizeof *lib);\n"
      "}\n"
      "\n"
      "/* Loads the file and finds the functions. 0, or -1 with the error raised and nothing to\n"
      " * be released. */\n"
      "static inline int %s_load(const char *path, %s_library *lib) {\n"
      "  TVMFFIObjectHandle module = NULL;\n"
      "  int code;\n"
      "  memset(lib, 0, sizeof *lib);\n"
      "  code = tvm_ffi_module_load(path, &module);\n",
      prefix, prefix);
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_wrapped(&library->functions[i])) continue;
    text_add(out,
             "  if (code == 0) code = tvm_ffi_module_get_function(module, \"%s\", &lib->%s);\n",
             library->functions[i].name, library->functions[i].word);
  }
  text_add(out,
           "  tvm_ffi_object_release(module);\n"
           "  if (code != 0) %s_release(lib);\n"
           "  return code;\n"
           "}\n",
           prefix);
}

static void write_c(text_buf *out, const stub_library *library) {
  char *guard = make_guard(library, "H");
  text_buf remarks = {NULL, 0, 0};
  size_t i;
  text_add(
      out,
      "/* Made of %s by tvm-ffi stub --lang=c. */\n"
      "/*\n"
      " * Callers give 0, or another code with the error raised, and then leave *out alone or\n"
      " * None. Arguments are borrowed; NULL stands for None. What comes out is yours: objects "
      "for\n"
      " * tvm_ffi_object_release, values for tvm_ffi_any_clear.\n"
      " */\n"
      "#ifndef %s\n"
      "#define %s\n"
      "\n"
      "#include <string.h>\n"
      "#include <tvm/ffi/c.h>\n",
      library->file, guard, guard);
  write_library(out, library);
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    (stub_is_typed(function) ? write_caller : write_untyped_caller)(out, library, function);
  }
  stub_write_remarks(&remarks, library, " * ");
  if (remarks.size > 0) text_add(out, "\n/*\n%s */\n", remarks.data);
  text_free(&remarks);
  text_add(out, "\n#endif /* %s */\n", guard);
  free(guard);
}

/* The keywords of both languages, since the header is for C and C++, and the names that it uses
 * itself. */
static const char *const kStubCWords[] = {
    IDENTIFIER_C_WORDS,
    "errno",
    "NULL",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "i386",
    "BIG_ENDIAN",
    "BUFSIZ",
    "BYTE_ORDER",
    "EOF",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "FD_SETSIZE",
    "LITTLE_ENDIAN",
    "L_ctermid",
    "L_tmpnam",
    "MB_CUR_MAX",
    "NFDBITS",
    "PDP_ENDIAN",
    "P_tmpdir",
    "SEEK_CUR",
    "SEEK_END",
    "SEEK_SET",
    "WCONTINUED",
    "WEXITED",
    "WNOHANG",
    "WNOWAIT",
    "WSTOPPED",
    "WUNTRACED",
    "tvm",
    "tvm_ffi",
    "std",
    "args",
    "Args",
    "code",
    "lib",
    "load",
    "DLDataType",
    "DLDevice",
    "DLTensor",
    "TVMFFIAny",
    "TVMFFIByteArray",
    "TVMFFIObjectHandle",
    "library",
    "Library",
    "module",
    "module_",
    "functions_",
    "out",
    "release",
    "result",
    "int64_t",
    NULL,
};

static bool is_upper(const char *name) {
  return name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0';
}

/* Macros of compilers and headers begin like this. */
static bool is_of_implementation(const char *name) {
  return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* Macros of the headers that tvm/ffi/c.h includes, and macros that any header may have. Names of
 * the library may not name parameters, because the wrapper uses them. */
static bool is_c_reserved(const char *name, bool is_param) {
  static const char *const kPrefixes[] = {"TVM_FFI_", "DLPACK_", "tvm_ffi_", "kTVMFFI",
                                          "TVMFFI",   "DL",      "kDL"};
  enum { kMacros = 2, kAll = sizeof kPrefixes / sizeof *kPrefixes };
  size_t i;
  if (is_of_implementation(name)) return true;
  for (i = 0; i < (is_param ? (size_t)kAll : (size_t)kMacros); ++i) {
    if (text_begins(name, kPrefixes[i])) return true;
  }
  if (!is_upper(name)) return false;
  return is_param ? name[1] != '\0' : path_ends_in(name, "_MAX") || path_ends_in(name, "_MIN");
}

const stub_language kStubC = {"c", kStubCWords, kStubCWords, is_c_reserved, write_c};

/* ---- C++ ---- */

/* Writes a header for C++, on top of the C++ layer: a class with a method for each function of the
 * library. */

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
static const char *find_cxx_word(const schema_type *type) {
  return schema_is_class(type) ? "tvm::ffi::ObjectRef" : kTypes[type->kind];
}

/* Any holds None as well: it is its own Optional. */
static bool is_any(const schema_type *type) {
  if (type->kind == kSchemaOptional) return is_any(&type->args[0]);
  return find_cxx_word(type) == NULL && kTemplates[type->kind].name == NULL;
}

/* Within templates and results, an owned Tensor replaces TensorView. */
static void write_cxx_type(text_buf *out, const schema_type *type, bool is_inner) {
  const char *word = find_cxx_word(type);
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
      write_cxx_type(out, &type->args[i], is_inner || type->kind != kSchemaOptional);
    }
    text_add(out, ">");
  }
}

/* Types of at most two pointers are passed by value. */
static bool is_passed_by_value(const schema_type *type) {
  return type->kind == kSchemaTensorView ||
         (type->kind >= kSchemaBool && type->kind <= kSchemaDevice);
}

/* The method of a function whose types are not known. */
static void write_untyped_method(text_buf *out, const stub_function *function) {
  write_comment(out, function, "   * ");
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
  write_comment(out, function, "   * ");
  text_add(out, "  ");
  if (result->kind == kSchemaNone) {
    text_add(out, "void");
  } else {
    write_cxx_type(out, result, true);
  }
  text_add(out, " %s(", function->word);
  for (i = 0; i < count; ++i) {
    const schema_type *param = schema_param(function->type, i);
    const bool by_value = is_passed_by_value(param);
    if (i > 0) text_add(out, ", ");
    if (!by_value) text_add(out, "const ");
    write_cxx_type(out, param, false);
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
    write_cxx_type(out, result, true);
    text_add(out, ">()");
  }
  text_add(out, ";\n  }\n");
}

static void write_cxx(text_buf *out, const stub_library *library) {
  char *guard = make_guard(library, "HPP");
  text_buf remarks = {NULL, 0, 0};
  size_t i;
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

const stub_language kStubCxx = {"c++", kStubCWords, kStubCWords, is_c_reserved, write_cxx};
