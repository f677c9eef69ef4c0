/* SPDX-License-Identifier: Apache-2.0 */
#include "library/loaded_library.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "file/listing.h"
#include "library/library_argument.h"
#include "process/isolate.h"

/* ---- Loading ---- */

static void report_load_error(const library *lib) {
  char *message = runtime_error_take_message();
  library_argument_refuse(lib->path, lib->file, message);
  free(message);
}

/* A call of one of the runtime's functions that runs code of a library. */
typedef struct {
  const char *function;
  TVMFFIAny args[3];
  int32_t num_args;
  TVMFFIAny result;
} global_call;

static int call_global(void *context) {
  global_call *c = context;
  return tvm_ffi_function_call_global(c->function, c->args, c->num_args, &c->result);
}

bool library_open(const char *path, library *out) {
  global_call c;
  out->path = path;
  out->module = NULL;
  isolate_name(path);
  out->file = library_argument_find(path);
  if (out->file == NULL) return false;
  /* Load it as a library whatever its name ends in. */
  c.function = "ffi.Module.load_from_file.so";
  c.args[0] = tvm_ffi_any_view_string(out->file);
  c.args[1] = tvm_ffi_any_view_string("so");
  c.num_args = 2;
  if (foreign_call(kStageLoad, path, call_global, &c) == 0) {
    out->module = c.result.v_obj;
    return true;
  }
  report_load_error(out);
  library_close(out);
  return false;
}

static int release(void *context) {
  tvm_ffi_object_release(context);
  return 0;
}

void library_close(library *lib) {
  foreign_call(kStageUnload, lib->path, release, lib->module);
  free(lib->file);
  lib->file = NULL;
  lib->module = NULL;
}

/* ---- Functions ---- */

/* "; it has a, b, c", preceded by a name similar to the one asked for. */
static void describe_functions(const listing *exports, const char *wanted, text_buf *out) {
  enum { kShown = 12 };
  nearest_name search = nearest_begin(wanted, wanted != NULL ? nearest_limit(wanted) : 0);
  size_t i;
  for (i = 0; wanted != NULL && i < exports->num_functions; ++i) {
    nearest_offer(&search, exports->functions[i].name);
  }
  if (search.nearest != NULL) {
    text_add(out, "; did you mean ");
    text_add_escaped(out, search.nearest, strlen(search.nearest));
  }
  text_add(out, "%s has ", search.nearest != NULL ? "? It" : "; it");
  for (i = 0; i < exports->num_functions && i < kShown; ++i) {
    const char *name = exports->functions[i].name;
    if (i > 0) text_add(out, ", ");
    text_add_escaped(out, name, strlen(name));
  }
  if (i < exports->num_functions) text_add(out, ", ...");
  if (i == 0) text_add(out, "no functions; " LISTING_EXPORT_HINT);
}

/* Collects what the library exports; NULL after a report. */
static binary_file *open_listing(const library *lib, listing *out) {
  binary_file *file = library_argument_read(lib->path);
  if (file != NULL) listing_collect_all(file, out);
  return file;
}

/* Whether the library exports a function of exactly this name. */
static bool is_plain(const binary_file *file, const char *name) {
  const binary_symbol *symbol = binary_file_find_exported(file, name);
  return symbol != NULL && symbol->is_function;
}

TVMFFIObjectHandle library_find(const library *lib, const char *name) {
  TVMFFIAny args[3], found;
  TVMFFIObjectHandle global = NULL;
  binary_file *file;
  listing exported;
  text_buf names = {NULL, 0, 0};
  args[0] = tvm_ffi_any_view_object(lib->module);
  args[1] = tvm_ffi_any_view_string(name);
  args[2] = tvm_ffi_any_from_bool(true);
  if (tvm_ffi_function_call_global("ffi.ModuleGetFunction", args, 3, &found) != 0) {
    runtime_error_report(lib->path, false);
    return NULL;
  }
  if (found.type_index == kTVMFFIFunction) return found.v_obj;
  if (tvm_ffi_function_find_global(name, &global) != 0) TVMFFIErrorSetRaised(NULL);
  if (global != NULL) return global;
  file = open_listing(lib, &exported);
  if (file == NULL) return NULL;
  if (is_plain(file, name)) {
    report_error("%s: %s is a C function, not a kernel: tvm-ffi wrap writes a kernel that calls it",
                 lib->path, name);
  } else {
    describe_functions(&exported, name, &names);
    report_error("%s: there is no function %s%s", lib->path, name, names.data);
  }
  text_free(&names);
  listing_free(&exported);
  binary_file_close(file);
  return NULL;
}

char *library_only_function(const library *lib) {
  listing exported;
  binary_file *file = open_listing(lib, &exported);
  char *only = NULL;
  if (file == NULL) return NULL;
  if (exported.num_functions == 1) {
    only = tool_copy(exported.functions[0].name, strlen(exported.functions[0].name));
  } else {
    text_buf names = {NULL, 0, 0};
    describe_functions(&exported, NULL, &names);
    report_error("%s: say which function%s", lib->path, names.data);
    text_free(&names);
  }
  listing_free(&exported);
  binary_file_close(file);
  return only;
}

static int ask_metadata(void *context) {
  const global_call *c = context;
  TVMFFIByteArray name;
  if (tvm_ffi_any_try_string(&c->args[1], &name)) {
    isolate_progress("the types of %.*s", (int)name.size, name.data);
  }
  return call_global(context);
}

char *library_read_metadata(const library *lib, const char *name) {
  global_call c;
  TVMFFIByteArray json;
  char *metadata = NULL;
  c.function = "ffi.ModuleGetFunctionMetadata";
  c.args[0] = tvm_ffi_any_view_object(lib->module);
  c.args[1] = tvm_ffi_any_view_string(name);
  c.args[2] = tvm_ffi_any_from_bool(true);
  c.num_args = 3;
  if (foreign_call(kStageAsk, lib->path, ask_metadata, &c) != 0) {
    TVMFFIErrorSetRaised(NULL);
    c.result = tvm_ffi_any_none();
  }
  if (tvm_ffi_any_try_string(&c.result, &json)) metadata = tool_copy(json.data, json.size);
  tvm_ffi_any_clear(&c.result);
  return metadata;
}

schema_type *library_read_schema(const library *lib, const char *name) {
  char *metadata = library_read_metadata(lib, name);
  schema_type *schema = metadata != NULL ? schema_parse(metadata, strlen(metadata)) : NULL;
  free(metadata);
  return schema;
}
