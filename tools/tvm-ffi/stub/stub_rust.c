/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a module for Rust: the library's functions as external symbols, and a typed caller for
 * each. Their support code comes first (stub_runtime.rs), so that no crate is needed. */
#include "stub/stub.h"

/* By schema_kind; without an entry, a value. */
typedef struct {
  const char *param, *result;
} rust_type;

static const rust_type kValue = {"Any", "Value"}, kObject = {"&Object", "Object"};
static const rust_type kTypes[kNumSchemaKinds] = {
    [kSchemaNone] = {"Any", "()"},
    [kSchemaBool] = {"bool", "bool"},
    [kSchemaInt] = {"i64", "i64"},
    [kSchemaFloat] = {"f64", "f64"},
    [kSchemaPointer] = {"*mut c_void", "*mut c_void"},
    [kSchemaDataType] = {"DLDataType", "DLDataType"},
    [kSchemaDevice] = {"DLDevice", "DLDevice"},
    [kSchemaStr] = {"&CStr", "String"},
    [kSchemaBytes] = {"&Bytes", "Vec<u8>"},
    [kSchemaTensorView] = {"*mut DLTensor", "Value"},
};

static const rust_type *find_type(const schema_type *type) {
  if (kTypes[type->kind].param != NULL) return &kTypes[type->kind];
  return schema_is_class(type) || (type->kind >= kSchemaTensor && type->kind <= kSchemaTuple)
             ? &kObject
             : &kValue;
}

static void write_type(text_buf *out, const schema_type *type, bool is_result) {
  const rust_type *found = find_type(schema_required(type));
  text_add(out, type->kind == kSchemaOptional && found != &kValue ? "Option<%s>" : "%s",
           is_result ? found->result : found->param);
}

static void write_comment(text_buf *out, const stub_function *function) {
  text_add(out, "\n    /// `");
  stub_write_signature(out, function);
  text_add(out, "`\n");
  if (function->doc != NULL && *function->doc != '\0') text_add(out, "    ///\n");
  stub_write_doc(out, function, "    /// ");
}

/* For a function whose types are not known. */
static void write_untyped_function(text_buf *out, const stub_function *function) {
  write_comment(out, function);
  text_add(out,
           "    pub unsafe fn %s(args: &[Any]) -> Result<Value, Error> {\n"
           "        super::support::call(super::kernels::__tvm_ffi_%s, args)\n"
           "    }\n",
           function->word, function->name);
}

static void write_function(text_buf *out, const stub_function *function) {
  const size_t count = schema_num_params(function->type);
  size_t i;
  write_comment(out, function);
  text_add(out, "    pub unsafe fn %s(", function->word);
  for (i = 0; i < count; ++i) {
    text_add(out, "%s%s: ", i > 0 ? ", " : "", function->params[i]);
    write_type(out, schema_param(function->type, i), false);
  }
  text_add(out, ") -> Result<");
  write_type(out, schema_result(function->type), true);
  text_add(out, ", Error> {\n        super::support::call(super::kernels::__tvm_ffi_%s, &[",
           function->name);
  for (i = 0; i < count; ++i) {
    text_add(out, "%s%s.to_any()", i > 0 ? ", " : "", function->params[i]);
  }
  text_add(out, "])\n    }\n");
}

static void write_rust(text_buf *out, const stub_library *library) {
  text_buf remarks = {NULL, 0, 0};
  size_t i;
  text_add(out,
           "// Made of %s by tvm-ffi stub --lang=rust. Link it, and libtvm_ffi, with the program.\n"
           "// Pointers must be good for the call; texts and bytes are borrowed for as long.\n",
           library->file);
  text_add_lines(out, kStubRustRuntime + 1);
  text_add(out,
           "\nmod kernels {\n"
           "    use super::support::Any;\n"
           "    use std::os::raw::{c_int, c_void};\n"
           "\n"
           "    extern \"C\" {\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_wrapped(&library->functions[i])) continue;
    text_add(
        out,
        "        pub fn __tvm_ffi_%s(handle: *mut c_void, args: *const Any, num_args: i32, result: "
        "*mut Any) -> c_int;\n",
        library->functions[i].name);
  }
  text_add(
      out,
      "    }\n"
      "}\n"
      "\n"
      "mod wrappers {\n"
      "    use super::support::{Any, Bytes, DLDataType, DLDevice, DLTensor, Error, ToAny as _};\n"
      "    use std::ffi::CStr;\n"
      "    use std::os::raw::c_void;\n"
      "\n"
      "    /* Types without their constructors. */\n"
      "    type Object = super::support::Object;\n"
      "    type Value = super::support::Value;\n");
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    (stub_is_typed(function) ? write_function : write_untyped_function)(out, function);
  }
  stub_write_remarks(&remarks, library, "// ");
  text_add(out, "}\n%s%s", remarks.size > 0 ? "\n" : "", remarks.size > 0 ? remarks.data : "");
  text_free(&remarks);
}

/* Keywords of Rust, and constructors of the standard library. */
#define WORDS                                                                                      \
  "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",       \
      "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",  \
      "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",     \
      "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", \
      "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_", "Some",     \
      "None", "Ok", "Err"

static const char *const kWords[] = {WORDS, NULL};
/* The constructor of Value is exported beside the functions. */
static const char *const kFunctionWords[] = {WORDS, "Value", NULL};

const stub_language kStubRust = {"rust", kFunctionWords, kWords, NULL, write_rust};
