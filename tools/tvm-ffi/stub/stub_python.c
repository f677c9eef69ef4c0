/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a module for Python, on top of the package tvm_ffi: a typed function for each of the
 * library's. */
#include "stub/stub.h"

#include <string.h>

#include "base/names.h"

/* Escapes a text for a string literal in double quotes, single or triple. */
static void add_escaped(text_buf *out, const char *part) {
  for (; *part != '\0'; ++part) {
    if (*part == '"' || *part == '\\') text_add(out, "\\");
    text_add_bytes(out, part, 1);
  }
}

/* By schema_kind, the Python type; NULL: a generic type, or a class. */
static const char *const kWords[kNumSchemaKinds] = {
    [kSchemaAny] = "Any",
    [kSchemaNone] = "None",
    [kSchemaBool] = "bool",
    [kSchemaInt] = "int",
    [kSchemaFloat] = "float",
    [kSchemaPointer] = "ctypes.c_void_p",
    [kSchemaDataType] = "tvm_ffi.dtype",
    [kSchemaDevice] = "tvm_ffi.Device",
    [kSchemaStr] = "str",
    [kSchemaBytes] = "bytes",
    [kSchemaTensorView] = "tvm_ffi.Tensor",
    [kSchemaTensor] = "tvm_ffi.Tensor",
    [kSchemaShape] = "tvm_ffi.Shape",
    [kSchemaModule] = "tvm_ffi.Module",
};

/* The generic types, and their arguments if the schema gives none. Parameters may also be Python's
 * own containers. */
static const struct {
  const char *argument, *result, *args;
} kContainers[kNumSchemaKinds] = {
    [kSchemaArray] = {"Sequence", "tvm_ffi.Array", "[Any]"},
    [kSchemaList] = {"Sequence", "tvm_ffi.List", "[Any]"},
    [kSchemaMap] = {"Mapping", "tvm_ffi.Map", "[Any, Any]"},
    [kSchemaDict] = {"Mapping", "tvm_ffi.Dict", "[Any, Any]"},
    [kSchemaTuple] = {"tuple", "Sequence", "[Any, ...]"},
    [kSchemaOptional] = {"Optional", "Optional", NULL},
    [kSchemaUnion] = {"Union", "Union", NULL},
};

static void write_type(text_buf *out, const schema_type *type, bool is_result);

static void write_types(text_buf *out, const schema_type *types, size_t count, bool is_result) {
  size_t i;
  text_add(out, "[");
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(out, ", ");
    write_type(out, &types[i], is_result);
  }
  text_add(out, "]");
}

static void write_type(text_buf *out, const schema_type *type, bool is_result) {
  const char *word = kWords[type->kind];
  const char *container =
      is_result ? kContainers[type->kind].result : kContainers[type->kind].argument;
  if (word != NULL) {
    text_add(out, "%s", word);
  } else if (type->kind == kSchemaFunction) {
    text_add(out, "Callable[");
    if (schema_is_typed(type)) {
      write_types(out, type->args + 1, type->num_args - 1, !is_result);
      text_add(out, ", ");
      write_type(out, &type->args[0], is_result);
    } else {
      text_add(out, "..., Any");
    }
    text_add(out, "]");
  } else if (type->kind == kSchemaObject) {
    text_add(out, "%s", schema_is_class(type) ? "tvm_ffi.Object" : "Any");
  } else if (type->num_args == 0 && type->kind == kSchemaUnion) {
    text_add(out, "Any");
  } else if (type->kind == kSchemaTuple && is_result) {
    text_add(out, "%s[Any]", container); /* arrives as an Array */
  } else {
    text_add(out, "%s", container);
    if (type->num_args > 0) {
      write_types(out, type->args, type->num_args, is_result);
    } else {
      text_add(out, "%s", kContainers[type->kind].args);
    }
  }
}

static void write_doc(text_buf *out, const stub_function *function) {
  text_buf doc = {NULL, 0, 0};
  stub_write_doc(&doc, function, "    ");
  if (doc.size > 0) {
    doc.data[--doc.size] = '\0'; /* the last line break */
    text_add(out, "    \"\"\"");
    add_escaped(out, doc.data + 4);
    text_add(out, "\"\"\"\n");
  }
  text_free(&doc);
}

/* For a function whose types are not known. */
static void write_untyped_function(text_buf *out, const stub_function *function) {
  text_add(out, "\n\ndef %s(*args: Any) -> Any:\n", function->word);
  write_doc(out, function);
  text_add(out, "    return _get(\"%s\")(*args)\n", function->name);
}

/* The result of a function is of the type Any. With --strict, mypy wants it in a variable of the
 * type that is returned. */
static void write_call(text_buf *out, const stub_function *function) {
  const schema_type *result = schema_result(function->type);
  const size_t count = schema_num_params(function->type);
  text_buf type = {NULL, 0, 0};
  bool is_any;
  size_t i;
  write_type(&type, result, true);
  is_any = strcmp(type.data, "Any") == 0;
  text_add(out, "    ");
  if (is_any) {
    text_add(out, "return ");
  } else if (result->kind != kSchemaNone) {
    text_add(out, "_result: %s = ", type.data);
  }
  text_add(out, "_get(\"%s\")(", function->name);
  for (i = 0; i < count; ++i) text_add(out, "%s%s", i > 0 ? ", " : "", function->params[i]);
  text_add(out, ")\n");
  if (!is_any && result->kind != kSchemaNone) text_add(out, "    return _result\n");
  text_free(&type);
}

static void write_function(text_buf *out, const stub_function *function) {
  size_t count = schema_num_params(function->type), i;
  bool all_named = true;
  text_add(out, "\n\ndef %s(", function->word);
  for (i = 0; i < count; ++i) {
    text_add(out, "%s%s: ", i > 0 ? ", " : "", function->params[i]);
    write_type(out, schema_param(function->type, i), false);
    if (schema_param(function->type, i)->may_be_left_out) text_add(out, " = None");
    all_named = all_named && schema_param(function->type, i)->parameter != NULL;
  }
  text_add(out, "%s) -> ", all_named ? "" : ", /");
  write_type(out, schema_result(function->type), true);
  text_add(out, ":\n");
  write_doc(out, function);
  write_call(out, function);
}

static void write_python(text_buf *out, const stub_library *library) {
  text_buf remarks = {NULL, 0, 0};
  size_t i;
  text_add(out, "# Made of ");
  text_add(out, "%s by tvm-ffi stub --lang=python.\n", library->file);
  text_add(out, "\"\"\"The functions of ");
  add_escaped(out, library->file);
  text_add(out,
           ", with types.\"\"\"\n"
           "from __future__ import annotations\n"
           "\n"
           "import ctypes  # noqa: F401\n"
           "import pathlib as _pathlib\n"
           "from collections.abc import Callable, Mapping, Sequence  # noqa: F401\n"
           "from typing import Any, Optional, Union  # noqa: F401\n"
           "\n"
           "import tvm_ffi\n"
           "\n"
           "_module: Optional[tvm_ffi.Module] = None\n"
           "_functions: dict[str, Callable[..., Any]] = {}\n"
           "\n"
           "\n"
           "def load(path: Any = None) -> tvm_ffi.Module:\n"
           "    \"\"\"Load the library: that file, or the one beside this module, as the first "
           "call of a\n"
           "    function does.\"\"\"\n"
           "    global _module\n"
           "    if path is None:\n"
           "        path = _pathlib.Path(__file__).resolve().parent / \"");
  add_escaped(out, library->file);
  text_add(out,
           "\"\n"
           "    _functions.clear()\n"
           "    _module = tvm_ffi.load_module(str(path))\n"
           "    return _module\n"
           "\n"
           "\n"
           "def _get(name: str) -> Callable[..., Any]:\n"
           "    function = _functions.get(name)\n"
           "    if function is None:\n"
           "        function = _functions[name] = (_module or load()).get_function(name)\n"
           "    return function\n");
  for (i = 0; i < library->num_functions; ++i) {
    const stub_function *function = &library->functions[i];
    if (!stub_is_wrapped(function)) continue;
    (stub_is_typed(function) ? write_function : write_untyped_function)(out, function);
  }
  stub_write_remarks(&remarks, library, "# ");
  if (remarks.size > 0) text_add(out, "\n\n%s", remarks.data);
  text_free(&remarks);
}

/* Keywords of Python, names that annotations use, and the module's own names. */
static const char *const kReserved[] = {
    "False",   "None",     "True",    "and",        "as",       "assert",  "async",
    "await",   "break",    "class",   "continue",   "def",      "del",     "elif",
    "else",    "except",   "finally", "for",        "from",     "global",  "if",
    "import",  "in",       "is",      "lambda",     "nonlocal", "not",     "or",
    "pass",    "raise",    "return",  "try",        "while",    "with",    "yield",
    "Any",     "Callable", "Mapping", "Optional",   "Sequence", "Union",   "annotations",
    "bool",    "bytes",    "ctypes",  "dict",       "float",    "int",     "load",
    "str",     "tuple",    "tvm_ffi", "_functions", "_get",     "_module", "_pathlib",
    "_result", NULL};

/* Names of the interpreter: __file__, __getattr__, __debug__. */
static bool is_special(const char *name, bool is_param) {
  (void)is_param;
  return text_begins(name, "__") && path_ends_in(name, "__");
}

const stub_language kStubPython = {"python", kReserved, kReserved, is_special, write_python};
