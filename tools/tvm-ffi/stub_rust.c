/* SPDX-License-Identifier: Apache-2.0 */
/* A module for Rust: the library's functions as external symbols, and a typed caller for each. What
 * these need of the ABI stands in front (stub_runtime.rs); no crate is needed. */
#include <stdlib.h>
#include <string.h>

#include "stub.h"

typedef struct {
  const char *param, *result;
} rust_words;

static rust_words find_words(const schema_type *type) {
  static const rust_words kAny = {"Any", "Value"}, kObject = {"&Object", "Object"},
                          kNone = {"Any", "()"}, kBool = {"bool", "bool"}, kInt = {"i64", "i64"},
                          kFloat = {"f64", "f64"}, kPointer = {"*mut c_void", "*mut c_void"},
                          kDataType = {"DLDataType", "DLDataType"},
                          kDevice = {"DLDevice", "DLDevice"}, kStr = {"&CStr", "String"},
                          kBytes = {"&Bytes", "Vec<u8>"}, kView = {"*mut DLTensor", "Value"};
  switch (type->kind) {
    case kSchemaNone:
      return kNone;
    case kSchemaBool:
      return kBool;
    case kSchemaInt:
      return kInt;
    case kSchemaFloat:
      return kFloat;
    case kSchemaPointer:
      return kPointer;
    case kSchemaDataType:
      return kDataType;
    case kSchemaDevice:
      return kDevice;
    case kSchemaStr:
      return kStr;
    case kSchemaBytes:
      return kBytes;
    case kSchemaTensorView:
      return kView;
    case kSchemaTensor:
    case kSchemaShape:
    case kSchemaModule:
    case kSchemaFunction:
    case kSchemaArray:
    case kSchemaList:
    case kSchemaMap:
    case kSchemaDict:
    case kSchemaTuple:
      return kObject;
    case kSchemaObject:
      return strchr(type->name, '.') != NULL ? kObject : kAny;
    case kSchemaAny:
    case kSchemaOptional:
    case kSchemaUnion:
      break;
  }
  return kAny;
}

static void write_type(text *to, const schema_type *type, bool is_result) {
  const rust_words words = find_words(schema_required(type));
  const char *word = is_result ? words.result : words.param;
  const bool is_optional = type->kind == kSchemaOptional && strcmp(words.param, "Any") != 0;
  text_add(to, is_optional ? "Option<%s>" : "%s", word);
}

static void write_function(text *to, const stub_function *function) {
  const size_t count = schema_num_params(function->type);
  size_t i;
  text_add(to, "\n/// `");
  stub_write_signature(to, function);
  text_add(to, "`\n");
  if (function->doc != NULL && *function->doc != '\0') text_add(to, "///\n");
  stub_write_doc(to, function, "/// ");
  text_add(to, "pub unsafe fn %s(", function->word);
  for (i = 0; i < count; ++i) {
    text_add(to, "%s%s: ", i > 0 ? ", " : "", function->params[i]);
    write_type(to, schema_param(function->type, i), false);
  }
  text_add(to, ") -> Result<");
  write_type(to, schema_result(function->type), true);
  text_add(to, ", Error> {\n    call(__tvm_ffi_%s, &[", function->name);
  for (i = 0; i < count; ++i) {
    text_add(to, "%s%s.to_any()", i > 0 ? ", " : "", function->params[i]);
  }
  text_add(to, "])\n}\n");
}

static void write_rust(text *to, const stub_library *library) {
  const char *const *line = kStubRustRuntime;
  size_t i;
  text_add(to,
           "// Made of %s by tvm-ffi stub --lang=rust. Link it, and libtvm_ffi, with the program.\n"
           "// Pointers must be good for the call; texts and bytes are borrowed for as long.\n",
           library->file);
  for (++line; *line != NULL; ++line) text_add(to, "%s\n", *line); /* all but the first */
  text_add(to, "\nextern \"C\" {\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (!stub_is_typed(&library->functions[i])) continue;
    text_add(
        to,
        "    fn __tvm_ffi_%s(handle: *mut c_void, args: *const Any, num_args: i32, result: *mut "
        "Any) -> c_int;\n",
        library->functions[i].name);
  }
  text_add(to, "}\n");
  for (i = 0; i < library->num_functions; ++i) {
    if (stub_is_typed(&library->functions[i])) write_function(to, &library->functions[i]);
  }
  stub_write_untyped(to, library, "// ");
}

/* Words of Rust. */
#define WORDS                                                                                      \
  "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",       \
      "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",  \
      "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",     \
      "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", \
      "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_"

static const char *const kWords[] = {WORDS, NULL};
/* What stands in front has functions, and constants, which are patterns where a name is bound. */
static const char *const kFunctionWords[] = {
    WORDS, "call", "make", "Value", "make_pointer", "mismatch", "copy_bytes", "take_error", NULL};

const stub_language kStubRust = {"rust", kFunctionWords, kWords, write_rust};
