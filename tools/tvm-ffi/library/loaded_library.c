/* SPDX-License-Identifier: Apache-2.0 */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"
#include "file/listing.h"
#include "platform/platform.h"
#include "process/box.h"
#include "process/supervise.h"

enum { kPathRoom = 4096 };

/* ---- Loading ---- */

/* `name` is that of an isolated module, or NULL. */
static void report_load_error(const loaded_library *lib, const char *name) {
  char *message = runtime_error_take_message();
  if (name != NULL && strstr(message, name) != NULL &&
      strstr(message, "libtvm_ffi_isolated.") == NULL) {
    /* The runtime took the name for the path of a file: the core profile, and other runtimes. */
    report_error("%s: cannot be loaded: this runtime has no isolated modules", lib->path);
  } else {
    library_argument_refuse(lib->path, lib->file, message);
  }
  free(message);
}

/* ---- Modules that only other runtimes load ---- */

static bool stands_in;
static box *noted; /* the notes that this process and its children gave */

void library_stand_in(void) {
  enum { kRoom = 1 << 16 };
  stands_in = true;
  if (noted == NULL) noted = box_open(0, kRoom);
}

static void note_once(const char *note) {
  bool is_noted = false;
  if (noted != NULL) box_begin(noted);
  while (noted != NULL && !is_noted && box_left(noted) > 0) {
    char *other = box_get_text(noted);
    is_noted = strcmp(note, other) == 0;
    free(other);
  }
  if (is_noted) return;
  report_note("%s", note);
  if (noted != NULL) (void)box_put_text(noted, note);
}

/* A module without functions: a system library of which nothing is registered. */
static int make_empty(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  static unsigned count;
  char *prefix = tool_format("tvm-ffi stands in, %u_", count++);
  const TVMFFIAny name = tvm_ffi_any_view_string(prefix);
  const int code = tvm_ffi_function_call_global("ffi.SystemLib", &name, 1, result);
  (void)self, (void)args, (void)num_args;
  free(prefix);
  return code;
}

/* The kind of embedded module whose loader the raised error says is lacking; NULL. Leaves the error
 * raised. */
static char *read_lacking_kind(void) {
  static const char kBefore[] = "Library binary was created using {";
  static const char kAfter[] = "} but a loader of that name is not registered";
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const char *begin, *end = NULL;
  char *message, *kind = NULL;
  TVMFFIByteArray bytes;
  if (error == NULL) return NULL;
  bytes = tvm_ffi_error_get_message(error);
  message = tool_copy(bytes.data, bytes.size);
  begin = strstr(message, kBefore);
  if (begin != NULL) end = strstr(begin += sizeof kBefore - 1, kAfter);
  if (end != NULL) kind = tool_copy(begin, (size_t)(end - begin));
  free(message);
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  return kind;
}

/*
 * Registers a loader for the kind that could not be loaded; false if it was not that. It is asked
 * for only then, and not before the library is loaded, because the library, or one that it needs,
 * may register the loader itself, which is refused where there is one.
 */
static bool stand_in_for_lacking(const char *path) {
  char *kind = read_lacking_kind(), *loader, *note, *shown_path, *shown_kind;
  TVMFFIObjectHandle function = NULL;
  TVMFFIByteArray name;
  bool good;
  if (kind == NULL) return false;
  loader = tool_format("ffi.Module.load_from_bytes.%s", kind);
  name = tvm_ffi_string_get_bytes(loader);
  good = TVMFFIFunctionCreate(NULL, make_empty, NULL, &function) == 0 &&
         TVMFFIFunctionSetGlobal(&name, function, 0) == 0;
  tvm_ffi_object_release(function);
  if (good) {
    TVMFFIErrorSetRaised(NULL);
    shown_path = text_escape(path, strlen(path));
    shown_kind = text_escape(kind, strlen(kind));
    note = tool_format(
        "%s has a module of the kind %s, which this runtime cannot load: it is empty here",
        shown_path, shown_kind);
    note_once(note);
    free(note);
    free(shown_path);
    free(shown_kind);
  }
  free(loader);
  free(kind);
  return good;
}

/* ---- Opening ---- */

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

/* Finds the file; false after a report. */
static bool begin_open(const char *path, loaded_library *out) {
  out->path = path;
  out->module = NULL;
  supervise_name(path);
  out->file = library_argument_find(path);
  return out->file != NULL;
}

bool library_open(const char *path, loaded_library *out) {
  global_call c;
  if (!begin_open(path, out)) return false;
  /* Load it as a library whatever its name ends in. */
  c.function = "ffi.Module.load_from_file.so";
  c.args[0] = tvm_ffi_any_view_string(out->file);
  c.args[1] = tvm_ffi_any_view_string("so");
  c.num_args = 2;
  do {
    if (foreign_call(kStageLoad, path, call_global, &c) == 0) {
      out->module = c.result.v_obj;
      return true;
    }
  } while (stands_in && stand_in_for_lacking(path));
  report_load_error(out, NULL);
  library_close(out);
  return false;
}

/* Whether the raised error is of a kind that begins like this. */
static bool is_raised(const char *begin) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const size_t size = strlen(begin);
  TVMFFIByteArray kind;
  bool is;
  if (error == NULL) return false;
  kind = tvm_ffi_error_get_kind(error);
  is = kind.size >= size && memcmp(kind.data, begin, size) == 0;
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  return is;
}

/*
 * Whether the options are wrong by themselves: they are refused for a library, too, that is not
 * there. A library may raise errors of that kind while it is loaded. Leaves the raised error alone.
 */
static bool refuses_options(const char *path, const char *options) {
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  char *name = tool_format("isolated%s:/dev/null/none.so", options);
  bool refuses;
  global_call c;
  c.function = "ffi.ModuleLoadFromFile";
  c.args[0] = tvm_ffi_any_view_string(name);
  c.num_args = 1;
  refuses = foreign_call(kStageLoad, path, call_global, &c) != 0 && is_raised("ValueError");
  TVMFFIErrorSetRaised(error);
  tvm_ffi_object_release(error);
  free(name);
  return refuses;
}

bool library_open_isolated(const char *path, const char *options, loaded_library *out,
                           bool *options_are_wrong) {
  global_call c;
  char *name;
  int code;
  *options_are_wrong = false;
  if (!begin_open(path, out)) return false;
  /* What other libraries print is shown, too, and a crash while it is asked is an error of the
   * call. The options that were given come last, and count. */
  name = tool_format("isolated,shows_output=1,no_restart=1%s:%s", options, out->file);
  c.function = "ffi.ModuleLoadFromFile";
  c.args[0] = tvm_ffi_any_view_string(name);
  c.num_args = 1;
  code = foreign_call(kStageLoad, path, call_global, &c);
  if (code == 0) {
    free(name);
    out->module = c.result.v_obj;
    return true;
  }
  *options_are_wrong = is_raised("ValueError") && refuses_options(path, options);
  if (*options_are_wrong || is_raised("Helper")) {
    runtime_error_report(path, !*options_are_wrong);
  } else {
    report_load_error(out, name);
  }
  free(name);
  library_close(out);
  return false;
}

static int release(void *context) {
  tvm_ffi_object_release(context);
  return 0;
}

void library_close(loaded_library *lib) {
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
static binary_file *open_listing(const loaded_library *lib, listing *out) {
  binary_file *file = library_argument_read(lib->path);
  if (file != NULL) listing_collect_all(file, out);
  return file;
}

/* Whether the library exports a function of exactly this name. */
static bool is_plain(const binary_file *file, const char *name) {
  const binary_symbol *symbol = binary_file_find_exported(file, name);
  return symbol != NULL && symbol->is_function;
}

/* The function of the library, or one that is registered, unless only the former is wanted. */
static TVMFFIObjectHandle find_function(const loaded_library *lib, const char *name, bool is_own) {
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
  if (!is_own && tvm_ffi_function_find_global(name, &global) != 0) TVMFFIErrorSetRaised(NULL);
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

TVMFFIObjectHandle library_find(const loaded_library *lib, const char *name) {
  return find_function(lib, name, false);
}

TVMFFIObjectHandle library_find_own(const loaded_library *lib, const char *name) {
  return find_function(lib, name, true);
}

static uintptr_t get_code(TVMFFIObjectHandle function) {
  const TVMFFISafeCallType code = TVMFFIFunctionGetCellPtr(function)->safe_call;
  uintptr_t address;
  memcpy(&address, &code, sizeof address);
  return address;
}

/* Whether the path is that of the runtime, which has the code of this function. */
static bool is_runtime(const char *path) {
  char other[kPathRoom];
  TVMFFIObjectHandle function = NULL;
  bool is_same;
  if (tvm_ffi_function_find_global("ffi.ModuleGetFunction", &function) != 0 || function == NULL) {
    TVMFFIErrorSetRaised(NULL);
    return false;
  }
  is_same = tvmffi_dl_find_path((const void *)get_code(function), other, sizeof other) &&
            strcmp(path, other) == 0;
  tvm_ffi_object_release(function);
  return is_same;
}

code_owner library_find_code(const loaded_library *lib, TVMFFIObjectHandle function,
                             char **out_other) {
  const uintptr_t code = get_code(function);
  void *handle = tvmffi_dl_open_loaded(lib->file);
  char path[kPathRoom];
  tvmffi_dl_range range;
  bool is_own = false;
  *out_other = NULL;
  if (handle != NULL) {
    is_own = tvmffi_dl_find_range(handle, &range) && tvmffi_dl_range_has(&range, code);
    tvmffi_dl_close(handle);
  }
  if (is_own) return kCodeOfLibrary;
  if (!tvmffi_dl_find_path((const void *)code, path, sizeof path) || is_runtime(path)) {
    return kCodeOfAny;
  }
  *out_other = tool_copy(path, strlen(path));
  return kCodeOfOther;
}

char *library_only_function(const loaded_library *lib) {
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
    supervise_progress("the types of %.*s", tvmffi_shown_size(name.size), name.data);
  }
  return call_global(context);
}

char *library_read_metadata(const loaded_library *lib, const char *name) {
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

schema_type *library_read_schema(const loaded_library *lib, const char *name) {
  char *metadata = library_read_metadata(lib, name);
  schema_type *schema = metadata != NULL ? schema_parse(metadata, strlen(metadata)) : NULL;
  free(metadata);
  return schema;
}

/* ---- Loading what registers ---- */

typedef struct {
  text_list libraries;
  int (*body)(void *context);
  void *context;
} loading;

/* Never unloaded, since what they registered is in use. */
static loaded_library *loaded;

static int run_loaded(void *context) {
  const loading *l = context;
  const text_list libraries = l->libraries;
  size_t i;
  text_buf names = {NULL, 0, 0}; /* named together if one of them crashes from now on */
  loaded = tool_alloc(libraries.count * sizeof *loaded);
  for (i = 0; i < libraries.count; ++i) {
    if (!library_open(libraries.items[i], &loaded[i])) return kExitLoad;
  }
  for (i = 0; i < libraries.count; ++i) {
    text_add(&names, "%s%s", i > 0 ? ", " : "", libraries.items[i]);
  }
  supervise_name(names.data);
  text_free(&names);
  return l->body(l->context);
}

int registered_load(text_list libraries, double timeout, int (*body)(void *context),
                    void *context) {
  loading l;
  supervision settings;
  size_t i;
  int code;
  memset(&settings, 0, sizeof settings);
  settings.timeout = timeout;
  if (libraries.count == 0) return body(context);
  if (supervise_command(&settings, &code)) return code;
  for (i = 0; i < libraries.count; ++i) {
    if (!library_argument_fetch(libraries.items[i])) return kExitLoad;
  }
  l.libraries = libraries;
  l.body = body;
  l.context = context;
  return supervise_run(run_loaded, &l, &settings);
}

/* ---- Registered types ---- */

/* A class may reserve indices for its subclasses, so free indices do not end the search; this many
 * in a row do. */
enum { kLongestGap = 4096 };

const TVMFFITypeInfo *registered_next_type(int32_t first) {
  const TVMFFITypeInfo *info = NULL;
  int32_t index;
  for (index = first; index - first < kLongestGap && info == NULL; ++index) {
    info = TVMFFIGetTypeInfo(index);
  }
  TVMFFIErrorSetRaised(NULL); /* raised by free indices */
  return info;
}

int64_t registered_count_types(void) {
  const TVMFFITypeInfo *info = registered_next_type(0);
  int64_t count = 0;
  for (; info != NULL; info = registered_next_type(info->type_index + 1)) ++count;
  return count;
}

/* ---- Registered functions ---- */

/* Gets a Function that returns the i-th name, and for -1 the number of names. */
static bool get_names(TVMFFIAny *out) {
  return tvm_ffi_function_call_global("ffi.FunctionListGlobalNamesFunctor", NULL, 0, out) == 0;
}

static bool get_count(const TVMFFIAny *names, int64_t *out) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(-1), count;
  return tvm_ffi_function_call(names->v_obj, &arg, 1, &count) == 0 &&
         tvm_ffi_any_read_int64(&count, out) == 0;
}

bool registered_count_functions(int64_t *out) {
  TVMFFIAny names;
  bool good = get_names(&names) && get_count(&names, out);
  tvm_ffi_any_clear(&names);
  return good;
}

static char *get_name(const TVMFFIAny *names, int64_t i) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(i), value;
  TVMFFIByteArray name;
  char *copy = NULL;
  if (tvm_ffi_function_call(names->v_obj, &arg, 1, &value) != 0) return NULL;
  if (tvm_ffi_any_read_string(&value, &name) == 0) copy = tool_copy(name.data, name.size);
  tvm_ffi_any_clear(&value);
  return copy;
}

bool registered_list_functions(char ***out_names, size_t *out_count) {
  TVMFFIAny names;
  char **list = NULL;
  int64_t count = 0, i = 0;
  bool good = get_names(&names) && get_count(&names, &count);
  if (good) list = tool_alloc((size_t)count * sizeof *list);
  for (; good && i < count; ++i) {
    list[i] = get_name(&names, i);
    good = list[i] != NULL;
    if (!good) break;
  }
  tvm_ffi_any_clear(&names);
  if (good) {
    qsort(list, (size_t)count, sizeof *list, words_compare);
    *out_names = list;
    *out_count = (size_t)count;
    return true;
  }
  while (i-- > 0) free(list[i]);
  free(list);
  return false;
}

TVMFFIAny registered_get_metadata(const char *function_name) {
  TVMFFIAny arg = tvm_ffi_any_view_string(function_name), metadata;
  if (tvm_ffi_function_call_global("ffi.GetGlobalFuncMetadata", &arg, 1, &metadata) == 0) {
    return metadata;
  }
  TVMFFIErrorSetRaised(NULL);
  return tvm_ffi_any_none();
}
