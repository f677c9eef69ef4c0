/* SPDX-License-Identifier: Apache-2.0 */
/* The global functions of this process and of libraries loaded into it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/command.h"
#include "base/json_out.h"
#include "base/raised.h"
#include "base/report.h"
#include "base/shown.h"
#include "library/load.h"
#include "library/registered.h"
#include "value/schema.h"

static void write_function(const char *name) {
  TVMFFIAny metadata = registered_get_metadata(name);
  TVMFFIByteArray bytes;
  bool known = tvm_ffi_any_try_string(&metadata, &bytes);
  char *signature = known ? schema_describe(bytes.data, bytes.size) : NULL;
  json_begin_object(NULL);
  json_text("name", name);
  json_text("signature", signature);
  if (known && bytes.size > 0) {
    json_bytes("metadata", bytes.data, bytes.size);
  } else {
    json_null("metadata");
  }
  json_end();
  free(signature);
  tvm_ffi_any_clear(&metadata);
}

static void print_function(const char *name) {
  TVMFFIAny metadata = registered_get_metadata(name);
  TVMFFIByteArray bytes;
  char *shown = shown_text(name, strlen(name)), *signature = NULL;
  if (tvm_ffi_any_try_string(&metadata, &bytes)) {
    signature = schema_describe(bytes.data, bytes.size);
  }
  printf("%s%s%s%s\n", report_color(kColorName), shown, report_color(kColorNone),
         signature != NULL ? signature : "  ?");
  free(signature);
  free(shown);
  tvm_ffi_any_clear(&metadata);
}

int run_registry(const arguments *args) {
  char **names;
  size_t count, i;
  bool as_json = arguments_has(args, "json");
  if (!load_asked(args)) return kExitLoad;
  if (!registered_list_functions(&names, &count)) {
    raised_report("tvm-ffi registry", false);
    return kExitRaised;
  }
  if (as_json) json_begin_array(NULL);
  for (i = 0; i < count; ++i) {
    if (!registered_is_asked(args, names[i])) continue;
    if (as_json) {
      write_function(names[i]);
    } else {
      print_function(names[i]);
    }
  }
  if (as_json) json_end();
  for (i = 0; i < count; ++i) free(names[i]);
  free(names);
  return kExitOk;
}
