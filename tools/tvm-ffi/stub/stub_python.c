/* SPDX-License-Identifier: Apache-2.0 */
/* A module for Python, over the package tvm_ffi: a function with types for each of the library's.
 */
#include "stub/stub.h"

/* Texts between quotes of either kind. */
static void add_escaped(text *to, const char *part) {
  for (; *part != '\0'; ++part) {
    if (*part == '"' || *part == '\\') text_add(to, "\\");
    text_add_bytes(to, part, 1);
  }
}

/* Of each schema_kind, what stands for a type as it is; NULL: it is made of others, or a class. */
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

/* What takes types in brackets. Arguments may be what Python itself has. */
static const struct {
  const char *argument, *result;
} kContainers[kNumSchemaKinds] = {
    [kSchemaArray] = {"Sequence", "tvm_ffi.Array"},
    [kSchemaList] = {"Sequence", "tvm_ffi.List"},
    [kSchemaMap] = {"Mapping", "tvm_ffi.Map"},
    [kSchemaDict] = {"Mapping", "tvm_ffi.Dict"},
    [kSchemaTuple] = {"tuple", "Sequence"},
    [kSchemaOptional] = {"Optional", "Optional"},
    [kSchemaUnion] = {"Union", "Union"},
};

static void write_type(text *to, const schema_type *type, bool is_result);

static void write_types(text *to, const schema_type *types, size_t count, bool is_result) {
  size_t i;
  text_add(to, "[");
  for (i = 0; i < count; ++i) {
    if (i > 0) text_add(to, ", ");
    write_type(to, &types[i], is_result);
  }
  text_add(to, "]");
}

static void write_type(text *to, const schema_type *type, bool is_result) {
  const char *word = kWords[type->kind];
  const char *container =
      is_result ? kContainers[type->kind].result : kContainers[type->kind].argument;
  if (word != NULL) {
    text_add(to, "%s", word);
  } else if (type->kind == kSchemaFunction) {
    text_add(to, "Callable[");
    if (schema_is_typed(type)) {
      write_types(to, type->args + 1, type->num_args - 1, !is_result);
      text_add(to, ", ");
      write_type(to, &type->args[0], is_result);
    } else {
      text_add(to, "..., Any");
    }
    text_add(to, "]");
  } else if (type->kind == kSchemaObject) {
    text_add(to, "%s", schema_is_class(type) ? "tvm_ffi.Object" : "Any");
  } else if (type->num_args == 0 && type->kind == kSchemaUnion) {
    text_add(to, "Any");
  } else if (type->kind == kSchemaTuple && is_result) {
    text_add(to, "%s[Any]", container); /* arrives as an Array of them */
  } else {
    text_add(to, "%s", container);
    if (type->num_args > 0) write_types(to, type->args, type->num_args, is_result);
  }
}

static void write_function(text *to, const stub_function *function) {
  size_t count = schema_num_params(function->type), i;
  bool all_named = true;
  text doc = {NULL, 0, 0};
  text_add(to, "\n\ndef %s(", function->word);
  for (i = 0; i < count; ++i) {
    text_add(to, "%s%s: ", i > 0 ? ", " : "", function->params[i]);
    write_type(to, schema_param(function->type, i), false);
    all_named = all_named && schema_param(function->type, i)->parameter != NULL;
  }
  text_add(to, "%s) -> ", all_named ? "" : ", /");
  write_type(to, schema_result(function->type), true);
  text_add(to, ":\n");
  stub_write_doc(&doc, function, "    ");
  if (doc.size > 0) {
    doc.data[--doc.size] = '\0'; /* the last line's end */
    text_add(to, "    \"\"\"");
    add_escaped(to, doc.data + 4);
    text_add(to, "\"\"\"\n");
  }
  text_free(&doc);
  text_add(to, "    return _get(\"%s\")(", function->name);
  for (i = 0; i < count; ++i) text_add(to, "%s%s", i > 0 ? ", " : "", function->params[i]);
  text_add(to, ")\n");
}

static void write_python(text *to, const stub_library *library) {
  size_t i;
  text_add(to, "# Made of ");
  text_add(to, "%s by tvm-ffi stub --lang=python.\n", library->file);
  text_add(to, "\"\"\"The functions of ");
  add_escaped(to, library->file);
  text_add(to,
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
  add_escaped(to, library->file);
  text_add(to,
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
    if (stub_is_typed(&library->functions[i])) write_function(to, &library->functions[i]);
  }
  for (i = 0; i < library->num_functions; ++i) {
    if (stub_is_typed(&library->functions[i])) continue;
    text_add(to, "\n\n");
    stub_write_untyped(to, library, "# ");
    break;
  }
}

/* Words of Python, the names that annotations use, and what the module itself has. */
static const char *const kReserved[] = {
    "False",    "None",     "True",    "and",        "as",       "assert",  "async",
    "await",    "break",    "class",   "continue",   "def",      "del",     "elif",
    "else",     "except",   "finally", "for",        "from",     "global",  "if",
    "import",   "in",       "is",      "lambda",     "nonlocal", "not",     "or",
    "pass",     "raise",    "return",  "try",        "while",    "with",    "yield",
    "Any",      "Callable", "Mapping", "Optional",   "Sequence", "Union",   "annotations",
    "bool",     "bytes",    "ctypes",  "dict",       "float",    "int",     "load",
    "str",      "tuple",    "tvm_ffi", "_functions", "_get",     "_module", "_pathlib",
    "__file__", "__name__", "__doc__", NULL};

const stub_language kStubPython = {"python", kReserved, kReserved, write_python};
