/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the global functions of this process, including those of libraries loaded for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/pattern.h"
#include "base/report.h"
#include "base/text.h"
#include "commands/commands.h"
#include "library/library.h"
#include "process/supervise.h"
#include "value/schema.h"

/* A function and its metadata; None if there is none. */
typedef struct {
  bool as_json;
  text_list patterns;
  double timeout;
} registry_options;

typedef struct {
  char *name;
  TVMFFIAny metadata;
} entry;

static void write_function(const entry *function) {
  TVMFFIByteArray bytes;
  bool known = tvm_ffi_any_try_string(&function->metadata, &bytes);
  char *signature = known ? schema_describe(bytes.data, bytes.size) : NULL;
  json_begin_object(NULL);
  json_text("name", function->name);
  json_text("signature", signature);
  if (known && bytes.size > 0) {
    json_bytes("metadata", bytes.data, bytes.size);
  } else {
    json_null("metadata");
  }
  json_end();
  free(signature);
}

static void print_function(const entry *function) {
  TVMFFIByteArray bytes;
  char *signature = NULL;
  if (tvm_ffi_any_try_string(&function->metadata, &bytes)) {
    signature = schema_describe(bytes.data, bytes.size);
  }
  fputs(report_color(kColorName), streams_results());
  text_print_escaped(streams_results(), function->name);
  fprintf(streams_results(), "%s%s\n", report_color(kColorNone),
          signature != NULL ? signature : "  ?");
  free(signature);
}

typedef struct {
  const registry_options *options;
  entry *entries;
  size_t count;
} collection;

/* Collects all functions asked for before printing any: a loaded library may have replaced the
 * global functions that list them and give their metadata. -1 with the error raised. */
static int collect(void *context) {
  collection *out = context;
  const text_list patterns = out->options->patterns;
  char **names;
  size_t count, i;
  if (!registered_list_functions(&names, &count)) return -1;
  out->entries = tool_alloc(count * sizeof *out->entries);
  out->count = 0;
  for (i = 0; i < count; ++i) {
    entry *next = &out->entries[out->count];
    if (patterns_match(patterns.items, patterns.count, names[i])) {
      next->name = names[i];
      next->metadata = registered_get_metadata(names[i]);
      ++out->count;
    } else {
      free(names[i]);
    }
  }
  free(names);
  return 0;
}

static int show_registry(void *context) {
  collection found;
  size_t i;
  bool as_json;
  found.options = context;
  as_json = found.options->as_json;
  if (foreign_call(kStageAsk, NULL, collect, &found) != 0) {
    runtime_error_report("tvm-ffi registry", false);
    return kExitRaised;
  }
  if (as_json) json_begin_array(NULL);
  for (i = 0; i < found.count; ++i) {
    entry *next = &found.entries[i];
    if (as_json) {
      write_function(next);
    } else {
      print_function(next);
    }
    tvm_ffi_any_clear(&next->metadata);
    free(next->name);
  }
  if (as_json) json_end();
  free(found.entries);
  return kExitOk;
}

static int command_registry(const arguments *args) {
  registry_options options;
  options.as_json = arguments_has(args, kOptionJson);
  options.patterns = arguments_values(args, kOptionMatch);
  if (!read_timeout(args, &options.timeout)) return kExitUsage;
  return registered_load(arguments_values(args, kOptionLib), options.timeout, show_registry,
                         &options);
}

/* ---- Options and help ---- */

const option kRegisteredOptions[] = {
    {kOptionLib, "lib", 'l', "FILE", true, "load this library first; - is standard input"},
    {kOptionMatch, "match", 'm', "GLOB", true,
     "only names that match: * is any text, ? any character"},
    LOAD_TIMEOUT_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kRegistryText[] =
    "Lists the functions of the runtime, and those that libraries given with --lib register. A ?\n"
    "after a function means that it was registered without its types.\n\n"
    "  tvm-ffi registry --match 'ffi.json.*'\n"
    "  tvm-ffi registry --lib libscale.so --match 'my.*'";

const command kRegistryCommand = {
    .name = "registry",
    .operands = "",
    .summary = "List global functions with their signatures",
    .description = kRegistryText,
    .options = kRegisteredOptions,
    .run = command_registry,
};
