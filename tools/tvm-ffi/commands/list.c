/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what libraries contain, read from their files; a library is loaded only on request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/install_paths.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"
#include "commands/commands.h"
#include "file/binary_file.h"
#include "file/listing.h"
#include "file/runtime_symbols.h"
#include "library/library.h"
#include "process/supervise.h"
#include "value/schema.h"

/* ---- Text ---- */

static void print_head(const binary_file *file) {
  text_buf size = {NULL, 0, 0};
  char buffer[24];
  size_t i;
  text_add_byte_count(&size, file->size);
  text_print_escaped(stdout, file->path);
  printf("  %s %s%s  %s", binary_file_kind(file),
         machine_name(file->machine, file->bits, file->is_big_endian, buffer),
         file->is_object ? " object" : "", size.data);
  for (i = 0; i < file->num_needed; ++i) {
    fputs(i == 0 ? "  needs: " : " ", stdout);
    text_print_escaped(stdout, file->needed[i]);
  }
  putchar('\n');
  text_free(&size);
}

/* The width of the column of names or types: that of the longest up to kWidest; longer ones stick
 * out. */
static int measure(const listing *exports, bool types) {
  enum { kWidest = 60 };
  size_t i, width = 1;
  for (i = 0; i < exports->num_functions; ++i) {
    const char *value = types ? exports->functions[i].type : exports->functions[i].name;
    size_t length = value != NULL ? strlen(value) : 0;
    if (length > width && length <= kWidest) width = length;
  }
  return (int)width;
}

static void print_function(const listed_function *function, int name_width, int type_width,
                           bool with_size, bool is_asked) {
  char *name = text_escape(function->name, strlen(function->name));
  const char *type = function->type != NULL ? function->type : "?";
  printf("  %s%s%s%*s", report_color(kColorName), name, report_color(kColorNone),
         name_width - (int)strlen(name) > 0 ? name_width - (int)strlen(name) : 0, "");
  if (with_size) printf("  %8llu", (unsigned long long)function->size);
  if (function->doc != NULL) {
    printf("  %-*s  %.*s", type_width, type, tvmffi_shown_size(strcspn(function->doc, "\n")),
           function->doc);
  } else if (function->wrong != NULL) {
    printf("  %-*s  [", type_width, type);
    text_print_escaped(stdout, function->wrong);
    putchar(']');
  } else if (function->type == NULL) {
    printf("  %-*s  [no metadata%s]", type_width, type,
           function->can_ask && !is_asked ? "; --load to ask the library" : "");
  } else {
    printf("  %s", type);
  }
  putchar('\n');
  free(name);
}

/* Says how a library gets functions, or the types of those that have none. */
static void print_hint(const listing *exports, bool are_all) {
  size_t i;
  if (exports->num_functions == 0 && are_all && exports->bin_bytes == NULL) {
    puts("functions: none; " LISTING_EXPORT_HINT);
  }
  for (i = 0; i < exports->num_functions; ++i) {
    const listed_function *function = &exports->functions[i];
    if (function->metadata != NULL || function->can_ask) continue;
    puts("metadata: " SCHEMA_HINT);
    return;
  }
}

/* Whether the symbol is an import that belongs to a runtime by its name. */
static bool is_of_runtime(const binary_file *file, const binary_symbol *symbol,
                          runtime_symbol *out) {
  *out = runtime_symbol_of_import(file, symbol);
  return !symbol->is_defined && out->origin != kSymbolForeign;
}

static void print_undefined(const binary_file *file) {
  runtime_symbol found;
  int width = 0;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    int length = (int)strlen(file->symbols[i].name);
    if (is_of_runtime(file, &file->symbols[i], &found) && length > width && length < 60) {
      width = length;
    }
  }
  for (i = 0; i < file->num_symbols; ++i) {
    char *name;
    if (!is_of_runtime(file, &file->symbols[i], &found)) continue;
    name = text_escape(file->symbols[i].name, strlen(file->symbols[i].name));
    printf("  U %-*s  ", width, name);
    free(name);
    if (found.origin == kSymbolUnknown) {
      printf("%snot in any %s of this runtime%s%s\n", report_color(kColorBad),
             runtime_library_name(file->format), report_color(kColorNone),
             file->symbols[i].is_weak ? " (weak)" : "");
    } else if (found.origin == kSymbolOwn) {
      puts("of this runtime only");
    } else {
      printf("since 0.1.%d%s\n", found.release,
             found.cxx_name != NULL ? ", here in " CXX_LIBRARY : "");
    }
  }
}

static void print_bin(const listing *exports, bool with_modules) {
  text_buf line = {NULL, 0, 0};
  char buffer[32];
  size_t i, j;
  if (exports->bin_bytes == NULL && exports->bin_wrong == NULL) return;
  if (exports->bin_wrong != NULL) {
    printf("embedded: %smalformed%s: %s\n", report_color(kColorBad), report_color(kColorNone),
           exports->bin_wrong);
    return;
  }
  text_add(&line, "embedded: %zu module%s, ", exports->bin.num_modules,
           exports->bin.num_modules == 1 ? "" : "s");
  text_add_byte_count(&line, exports->bin.size);
  text_add(&line, "   ");
  library_bin_describe(&exports->bin, &line);
  for (i = 0; with_modules && i < exports->bin.num_modules; ++i) {
    const bin_module *module = &exports->bin.modules[i];
    text_add(&line, "\n  [%zu] ", i);
    text_add_escaped(&line, module->kind, module->kind_size);
    if (!module->is_self) {
      const char *content = library_bin_describe_payload(module, buffer);
      text_add(&line, "  ");
      text_add_byte_count(&line, module->payload_size);
      if (*content != '\0') text_add(&line, "  %s", content);
    }
    for (j = 0; j < module->num_imports; ++j) {
      text_add(&line, "%s[%zu]", j == 0 ? "  -> " : " ",
               exports->bin.imports[module->first_import + j]);
    }
  }
  puts(line.data);
  text_free(&line);
}

/* In the order of the words of --sort. */
typedef enum { kSortName, kSortSize } sort_order;

typedef struct {
  text_list patterns;
  bool by_size, loads, with_undefined, with_bin, names_only, as_json;
  double timeout;
} list_options;

static void print_names(const listing *exports) {
  size_t i;
  for (i = 0; i < exports->num_functions; ++i) {
    text_print_escaped(stdout, exports->functions[i].name);
    putchar('\n');
  }
}

static void print_listing(const listing *exports, const list_options *options) {
  int name_width = measure(exports, false), type_width = measure(exports, true);
  size_t i;
  print_head(exports->file);
  for (i = 0; i < exports->num_functions; ++i) {
    print_function(&exports->functions[i], name_width, type_width, options->by_size,
                   options->loads);
  }
  print_hint(exports, options->patterns.count == 0);
  if (options->with_undefined) print_undefined(exports->file);
  print_bin(exports, options->with_bin);
}

/* ---- JSON ---- */

static void write_undefined(const binary_file *file) {
  runtime_symbol found;
  size_t i;
  json_begin_array("undefined");
  for (i = 0; i < file->num_symbols; ++i) {
    if (!is_of_runtime(file, &file->symbols[i], &found)) continue;
    json_begin_object(NULL);
    json_text("name", file->symbols[i].name);
    json_bool("weak", file->symbols[i].is_weak);
    json_bool("here", found.origin != kSymbolUnknown);
    json_text("library", found.origin == kSymbolUnknown ? NULL
                         : found.cxx_name != NULL       ? CXX_LIBRARY
                                                        : runtime_library_name(file->format));
    if (found.origin == kSymbolReleased) {
      char release[16];
      snprintf(release, sizeof release, "0.1.%d", found.release);
      json_text("since", release);
    } else {
      json_null("since");
    }
    json_end();
  }
  json_end();
}

static void write_bin(const listing *exports) {
  if (exports->bin_bytes == NULL && exports->bin_wrong == NULL) {
    json_null("embedded");
    return;
  }
  json_begin_object("embedded");
  json_text("malformed", exports->bin_wrong);
  if (exports->bin_wrong == NULL) {
    json_uint("size", exports->bin.size);
    library_bin_print(&exports->bin, NULL);
  }
  json_end();
}

static void write_listing(const listing *exports) {
  const binary_file *file = exports->file;
  char buffer[24];
  size_t i;
  json_begin_object(NULL);
  json_text("path", file->path);
  json_text("format", binary_format_name(file->format));
  json_text("machine", machine_name(file->machine, file->bits, file->is_big_endian, buffer));
  json_int("bits", file->bits);
  json_text("byte_order", file->is_big_endian ? "big" : "little");
  json_bool("object", file->is_object);
  json_uint("size", file->size);
  json_begin_array("needed");
  for (i = 0; i < file->num_needed; ++i) json_text(NULL, file->needed[i]);
  json_end();
  json_begin_array("functions");
  for (i = 0; i < exports->num_functions; ++i) {
    const listed_function *function = &exports->functions[i];
    json_begin_object(NULL);
    json_text("name", function->name);
    json_uint("size", function->size);
    json_text("type", function->type);
    json_text("metadata", function->metadata);
    json_text("doc", function->doc);
    if (function->wrong != NULL) json_text("error", function->wrong);
    json_end();
  }
  json_end();
  write_undefined(file);
  write_bin(exports);
  json_end();
}

/* ---- The command ---- */

/* Lists one library; not kExitOk after a report. The caller prints the JSON list around it. */
static int list_library(const char *path, const list_options *options) {
  listing exports;
  binary_file *file = library_argument_read(path);
  int code = kExitOk;
  if (file == NULL) return kExitLoad;
  listing_collect(file, options->patterns, options->by_size, &exports);
  if (options->loads) code = ask_library(path, &exports, options->timeout);
  if (options->as_json) {
    write_listing(&exports);
  } else if (options->names_only) {
    print_names(&exports);
  } else {
    print_listing(&exports, options);
  }
  listing_free(&exports);
  binary_file_close(file);
  return code;
}

/* Whether --names is alone, or with options that choose the names; reported. */
static bool check_names(const arguments *args) {
  static const int kOthers[] = {kOptionJson, kOptionLoad, kOptionUndefined, kOptionBin};
  size_t i;
  if (!arguments_has(args, kOptionNames)) return true;
  for (i = 0; i < sizeof kOthers / sizeof *kOthers; ++i) {
    if (!arguments_has(args, kOthers[i])) continue;
    return report_error("--%s and --%s cannot be combined", arguments_name(args, kOptionNames),
                        arguments_name(args, kOthers[i]));
  }
  return true;
}

static bool read_options(const arguments *args, list_options *out) {
  out->patterns = arguments_values(args, kOptionMatch);
  out->by_size = arguments_word(args, kOptionSort, kSortName) == kSortSize;
  out->loads = arguments_has(args, kOptionLoad);
  out->with_undefined = arguments_has(args, kOptionUndefined);
  out->with_bin = arguments_has(args, kOptionBin);
  out->names_only = arguments_has(args, kOptionNames);
  out->as_json = arguments_has(args, kOptionJson);
  return check_names(args) && read_timeout(args, &out->timeout);
}

static int command_list(const arguments *args) {
  const text_list libraries = arguments_operands(args);
  list_options options;
  size_t i;
  bool in_list;
  int code = kExitOk;
  if (!read_options(args, &options)) return kExitUsage;
  if (options.loads && ask_command(options.timeout, &code)) return code;
  source_allow(arguments_values(args, kOptionCflags), false);
  in_list = options.as_json && libraries.count > 1;
  if (in_list) json_begin_array(NULL);
  for (i = 0; i < libraries.count; ++i) {
    const int library_code = list_library(libraries.items[i], &options);
    if (library_code != kExitOk) code = library_code;
  }
  if (in_list) json_end();
  return code;
}

/* ---- Options and help ---- */

static const option kListOptions[] = {
    {kOptionLoad, "load", 0, NULL, false,
     "load each library in its own process, and ask it for types and documentation"},
    LOAD_TIMEOUT_OPTION,
    {kOptionUndefined, "undefined", 'u', NULL, false,
     "show the functions that it imports from a runtime, and whether this one has them"},
    {kOptionBin, "bin", 'b', NULL, false, "show each embedded module"},
    {kOptionSort, "sort", 0, "name|size", false,
     "the order (default name); with size, the largest comes first"},
    MATCH_FUNCTIONS_OPTION,
    {kOptionNames, "names", 0, NULL, false, "print only the names of functions, one per line"},
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kListText[] =
    "Reads files and runs none of their code: libraries and object files for any machine, of\n"
    "Linux (ELF), Windows (PE, COFF) and macOS (Mach-O). Types and documentation come from data\n"
    "that this project's headers place next to each function. Other libraries return them from\n"
    "functions, which --load calls. The LIB - is standard input; a source (.c, .cc, .cpp, .cxx,\n"
    ".cu) or an archive is compiled, as run does.\n\n"
    "  tvm-ffi list libscale.so\n"
    "  tvm-ffi list --load --match 's*' libscale.so\n"
    "  tvm-ffi list --names libscale.so";

const command kListCommand = {
    .name = "list",
    .operands = "LIB...",
    .summary = "Show the functions and modules in libraries",
    .description = kListText,
    .options = kListOptions,
    .min_operands = 1,
    .max_operands = -1,
    .run = command_list,
};
