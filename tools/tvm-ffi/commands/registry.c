/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the global functions of this process, including those of libraries loaded for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/json_out.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "commands/commands.h"
#include "library/registered.h"
#include "process/isolate.h"
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

/* Collects all functions asked for before printing any: a loaded library may have replaced the
 * global functions that list them and give their metadata. False with the error raised. */
static bool collect(const registry_options *options, entry **out, size_t *out_count) {
  char **names;
  size_t count, i;
  if (!registered_list_functions(&names, &count)) return false;
  *out = tool_alloc(count * sizeof **out);
  *out_count = 0;
  for (i = 0; i < count; ++i) {
    entry *next = &(*out)[*out_count];
    if (patterns_match(options->patterns.items, options->patterns.count, names[i])) {
      next->name = names[i];
      next->metadata = registered_get_metadata(names[i]);
      ++*out_count;
    } else {
      free(names[i]);
    }
  }
  free(names);
  return true;
}

static int show_registry(void *context) {
  const registry_options *options = context;
  entry *entries;
  size_t count, i;
  const bool as_json = options->as_json;
  bool good;
  isolate_enter(kStageAsk, NULL);
  good = collect(options, &entries, &count);
  isolate_enter(kStageOwn, NULL);
  if (!good) {
    runtime_error_report("tvm-ffi registry", false);
    return kExitRaised;
  }
  if (as_json) json_begin_array(NULL);
  for (i = 0; i < count; ++i) {
    if (as_json) {
      write_function(&entries[i]);
    } else {
      print_function(&entries[i]);
    }
    tvm_ffi_any_clear(&entries[i].metadata);
    free(entries[i].name);
  }
  if (as_json) json_end();
  free(entries);
  return kExitOk;
}

int command_registry(const arguments *args) {
  registry_options options;
  options.as_json = arguments_has(args, kOptionJson);
  options.patterns = arguments_values(args, kOptionMatch);
  if (!read_timeout(args, &options.timeout)) return kExitUsage;
  return registered_load(arguments_values(args, kOptionLib), options.timeout, show_registry,
                         &options);
}
