/* SPDX-License-Identifier: Apache-2.0 */
/* The command: reads the metadata of a library's functions, and has the language's own file write
 * the wrappers. */
#include "stub/stub.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "commands/commands.h"
#include "file/listing.h"
#include "library/library.h"
#include "process/supervise.h"

/* In the order of the words of --lang. */
static const stub_language *const kLanguages[] = {&kStubC, &kStubCxx, &kStubPython, &kStubRust};

/* The same: what files of the language hold. */
static const unsigned kKinds[] = {1u << kHoldsC | 1u << kHoldsCxx, 1u << kHoldsC | 1u << kHoldsCxx,
                                  1u << kHoldsPython, 1u << kHoldsRust};

/* NULL if the metadata tells no signature. */
static schema_type *read_signature(const char *metadata) {
  schema_type *type = schema_parse(metadata, strlen(metadata));
  if (type == NULL || type->kind == kSchemaFunction) return type;
  schema_free(type);
  return NULL;
}

/* `asked`: the functions that tell types have been called. */
static void read_functions(const listing *exports, bool asked, stub_library *out) {
  size_t i;
  out->num_functions = exports->num_functions;
  out->functions = tool_alloc(exports->num_functions * sizeof *out->functions);
  for (i = 0; i < exports->num_functions; ++i) {
    const listed_function *source = &exports->functions[i];
    stub_function *function = &out->functions[i];
    memset(function, 0, sizeof *function);
    function->name = tool_format("%s", source->name);
    if (source->metadata != NULL) {
      function->type = read_signature(source->metadata);
      if (function->type == NULL) out->is_unreadable = true;
    } else if (source->can_ask && !asked) {
      out->is_unasked = true;
    }
    if (source->doc != NULL) function->doc = tool_format("%s", source->doc);
  }
}

/* Reads the functions of a library; not kExitOk after a report. */
static int read_library(const char *path, bool may_load, double timeout, stub_library *out) {
  const char *name = path_base(path);
  binary_file *file = library_argument_read(path);
  listing exports;
  int code = kExitOk;
  memset(out, 0, sizeof *out);
  if (file == NULL) return kExitLoad;
  listing_collect_all(file, &exports);
  if (exports.num_functions == 0) {
    code = report_fail(kExitLoad, "%s: no functions to wrap: it exports no __tvm_ffi_NAME; %s",
                       path, LISTING_EXPORT_HINT);
  } else if (may_load) {
    code = ask_library(path, &exports, timeout);
  }
  if (code == kExitOk) {
    read_functions(&exports, may_load, out);
    if (strcmp(path, "-") == 0) name = "kernels.so"; /* standard input has no name */
    out->file = text_escape(name, strlen(name));
  }
  listing_free(&exports);
  binary_file_close(file);
  return code;
}

/* Whether there is a function to wrap; reported. */
static bool check_functions(const char *path, const stub_library *library) {
  size_t i;
  for (i = 0; i < library->num_functions; ++i) {
    if (stub_is_wrapped(&library->functions[i])) return true;
  }
  return report_error("%s: no functions to wrap: none has a name that is an identifier", path);
}

/* Notes a library that tells no types at all: its wrappers are of less use than the user may
 * expect. */
static void note_untold(const char *path, const stub_library *library) {
  size_t i;
  for (i = 0; i < library->num_functions; ++i) {
    if (library->functions[i].type != NULL) return;
  }
  if (library->is_unreadable) {
    report_note("%s: no types were read from its metadata, so the wrappers take any arguments",
                path);
    return;
  }
  report_note("%s: no metadata, so the wrappers take any arguments; for types %s%s", path,
              library->is_unasked ? "leave out --no-load, or " : "", SCHEMA_HINT);
}

static void free_library(stub_library *library) {
  size_t i, k;
  for (i = 0; i < library->num_functions; ++i) {
    stub_function *function = &library->functions[i];
    for (k = 0; function->params != NULL && function->params[k] != NULL; ++k) {
      free(function->params[k]);
    }
    free(function->params);
    free(function->word);
    free(function->doc);
    free(function->name);
    schema_free(function->type);
  }
  free(library->functions);
  free(library->prefix);
  free(library->file);
}

static void write_json(const stub_language *language, const stub_library *library,
                       const text_buf *source) {
  size_t i;
  json_begin_object(NULL);
  json_text("language", language->name);
  json_text("prefix", library->prefix);
  json_begin_array("functions");
  for (i = 0; i < library->num_functions; ++i) {
    json_begin_object(NULL);
    json_text("name", library->functions[i].name);
    json_text("wrapper", library->functions[i].word);
    json_bool("typed", stub_is_typed(&library->functions[i]));
    json_end();
  }
  json_end();
  json_bytes("source", source->data, source->size);
  json_end();
}

static int command_stub(const arguments *args) {
  const size_t lang = arguments_word(args, kOptionLang, 0);
  const stub_language *language = kLanguages[lang];
  const char *prefix = arguments_text(args, kOptionPrefix, NULL);
  const char *output = arguments_text(args, kOptionOutput, NULL);
  const char *path = arguments_operand(args, 0);
  const bool may_load = !arguments_has(args, kOptionNoLoad);
  bool json = arguments_has(args, kOptionJson);
  stub_library library;
  text_buf source = {NULL, 0, 0};
  bool good = true;
  double timeout;
  int code;
  if (!read_timeout(args, &timeout)) return kExitUsage;
  if (prefix != NULL && !identifier_is(prefix, strlen(prefix))) {
    return report_fail(kExitUsage, "--prefix must be a name, not \"%s\"", prefix);
  }
  if (json && output != NULL && tool_is_same_file(output, "-", false)) {
    return report_fail(kExitUsage, "--json prints the wrappers: --output must be another file");
  }
  if (output != NULL && !file_check_ending("output", output, kKinds[lang] | 1u << kHoldsUnknown)) {
    return kExitUsage;
  }
  if (may_load && ask_command(timeout, &code)) return code;
  code = read_library(path, may_load, timeout, &library);
  if (code != kExitOk) return code;
  if (!check_functions(path, &library)) {
    free_library(&library);
    return kExitLoad;
  }
  stub_name(&library, language, prefix);
  language->write(&source, &library);
  if (output != NULL || !json) {
    good = tool_write_file(output != NULL ? output : "-", source.data, source.size);
  }
  if (good && json) write_json(language, &library, &source);
  if (good) note_untold(path, &library);
  text_free(&source);
  free_library(&library);
  return good ? kExitOk : kExitUsage;
}

/* ---- Options and help ---- */

static const option kStubOptions[] = {
    {kOptionLang, "lang", 0, "c|c++|python|rust", false,
     "the language of the wrappers (default c)"},
    {kOptionPrefix, "prefix", 0, "NAME", false,
     "the prefix of the wrappers' names (default: the name of the file)"},
    {kOptionNoLoad, "no-load", 0, NULL, false, "only read the file, without loading the library"},
    LOAD_TIMEOUT_OPTION,
    {kOptionOutput, "output", 'o', "FILE", false, "the file to write (default: standard output)"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kStubText[] =
    "Types come from the library's metadata, which is either data in the file or returned by\n"
    "functions of the library; these are called in a separate process. A function without\n"
    "metadata gets a wrapper that takes any arguments, and a comment lists such functions. The\n"
    "LIB - is standard input, and is called kernels.so.\n\n"
    "c: a header of static inline callers that uses tvm/ffi/c.h. c++: a class that uses the C++\n"
    "layer. python: a module that uses the package tvm_ffi. rust: a module without dependencies,\n"
    "for a program that is linked with the library.\n\n"
    "  tvm-ffi stub libscale.so -o scale.h\n"
    "  tvm-ffi stub --lang=python libscale.so -o scale.py";

const command kStubCommand = {
    .name = "stub",
    .operands = "LIB",
    .summary = "Write typed wrappers for a library's functions",
    .description = kStubText,
    .options = kStubOptions,
    .min_operands = 1,
    .max_operands = 1,
    .run = command_stub,
};
