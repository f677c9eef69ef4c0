/* SPDX-License-Identifier: Apache-2.0 */
/* What is in libraries, read from their files; the library itself is asked on request only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/json_out.h"
#include "base/places.h"
#include "base/report.h"
#include "base/shown.h"
#include "file/listing.h"
#include "file/machine.h"
#include "file/runtime_symbols.h"
#include "library/ask.h"
#include "library/library_file.h"
#include "process/isolate.h"

/* ---- Text --------------------------------------------------------------------------------------
 */

static void print_head(const elf_file *file) {
  text size = {NULL, 0, 0};
  char buffer[24];
  size_t i;
  shown_add_bytes(&size, file->size);
  shown_print(stdout, file->path);
  printf("  ELF%d %s%s  %s", file->bits,
         machine_name(file->machine, file->bits, file->is_big_endian, buffer),
         file->is_object ? " object" : "", size.data);
  for (i = 0; i < file->num_needed; ++i) {
    fputs(i == 0 ? "  needs: " : " ", stdout);
    shown_print(stdout, file->needed[i]);
  }
  putchar('\n');
  text_free(&size);
}

/* How far the types of the others are aligned to the longest that still leaves room. */
static int measure(const listing *of, bool of_types) {
  enum { kWidest = 60 };
  size_t i, width = 1;
  for (i = 0; i < of->num_functions; ++i) {
    const char *value = of_types ? of->functions[i].type : of->functions[i].name;
    size_t length = value != NULL ? strlen(value) : 0;
    if (length > width && length <= kWidest) width = length;
  }
  return (int)width;
}

static void print_function(const listed_function *of, int name_width, int type_width,
                           bool with_size, bool is_asked) {
  char *name = shown_text(of->name, strlen(of->name));
  const char *type = of->type != NULL ? of->type : "?";
  printf("  %s%s%s%*s", report_color(kColorName), name, report_color(kColorNone),
         name_width - (int)strlen(name) > 0 ? name_width - (int)strlen(name) : 0, "");
  if (with_size) printf("  %8llu", (unsigned long long)of->size);
  if (of->doc != NULL) {
    printf("  %-*s  %.*s", type_width, type, (int)strcspn(of->doc, "\n"), of->doc);
  } else if (of->wrong != NULL) {
    printf("  %-*s  [", type_width, type);
    shown_print(stdout, of->wrong);
    putchar(']');
  } else if (of->type == NULL) {
    printf("  %-*s  [no metadata%s]", type_width, type,
           of->can_ask && !is_asked ? "; --load to ask the library" : "");
  } else {
    printf("  %s", type);
  }
  putchar('\n');
  free(name);
}

/* An import that by its name is of a runtime. */
static bool is_of_runtime(const elf_symbol *symbol, runtime_symbol *out) {
  *out = runtime_symbol_find(symbol->name);
  return !symbol->is_defined && out->origin != kSymbolForeign;
}

static void print_undefined(const elf_file *file) {
  runtime_symbol found;
  int width = 0;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    int length = (int)strlen(file->symbols[i].name);
    if (is_of_runtime(&file->symbols[i], &found) && length > width && length < 60) {
      width = length;
    }
  }
  for (i = 0; i < file->num_symbols; ++i) {
    char *name;
    if (!is_of_runtime(&file->symbols[i], &found)) continue;
    name = shown_text(file->symbols[i].name, strlen(file->symbols[i].name));
    printf("  U %-*s  ", width, name);
    free(name);
    if (found.origin == kSymbolUnknown) {
      printf("%sno libtvm_ffi.so of this runtime has it%s%s\n", report_color(kColorBad),
             report_color(kColorNone), file->symbols[i].is_weak ? " (weak)" : "");
    } else if (found.origin == kSymbolOwn) {
      puts("of this runtime alone");
    } else {
      printf("since 0.1.%d%s\n", found.release,
             found.cxx_name != NULL ? ", here in " CXX_LIBRARY : "");
    }
  }
}

static void print_bin(const listing *of, bool with_modules) {
  text line = {NULL, 0, 0};
  char buffer[32];
  size_t i, j;
  if (of->bin_bytes == NULL && of->bin_wrong == NULL) return;
  if (of->bin_wrong != NULL) {
    printf("embedded: %smalformed%s: %s\n", report_color(kColorBad), report_color(kColorNone),
           of->bin_wrong);
    return;
  }
  text_add(&line, "embedded: %zu module%s, ", of->bin.num_modules,
           of->bin.num_modules == 1 ? "" : "s");
  shown_add_bytes(&line, of->bin.size);
  text_add(&line, "   ");
  library_bin_describe(&of->bin, &line);
  for (i = 0; with_modules && i < of->bin.num_modules; ++i) {
    const bin_module *one = &of->bin.modules[i];
    text_add(&line, "\n  [%zu] ", i);
    shown_add_text(&line, one->kind, one->kind_size);
    if (!one->is_self) {
      const char *what = library_bin_describe_payload(one, buffer);
      text_add(&line, "  ");
      shown_add_bytes(&line, one->payload_size);
      if (*what != '\0') text_add(&line, "  %s", what);
    }
    for (j = 0; j < one->num_imports; ++j) {
      text_add(&line, "%s[%zu]", j == 0 ? "  -> " : " ", of->bin.imports[one->first_import + j]);
    }
  }
  puts(line.data);
  text_free(&line);
}

static bool is_by_size(const arguments *args) {
  return strcmp(arguments_text(args, "sort", "name"), "size") == 0;
}

static void print_listing(const listing *of, const arguments *args) {
  int name_width = measure(of, false), type_width = measure(of, true);
  size_t i;
  print_head(of->file);
  for (i = 0; i < of->num_functions; ++i) {
    print_function(&of->functions[i], name_width, type_width, is_by_size(args),
                   arguments_has(args, "load"));
  }
  if (arguments_has(args, "undefined")) print_undefined(of->file);
  print_bin(of, arguments_has(args, "bin"));
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static void write_undefined(const elf_file *file) {
  runtime_symbol found;
  size_t i;
  json_begin_array("undefined");
  for (i = 0; i < file->num_symbols; ++i) {
    if (!is_of_runtime(&file->symbols[i], &found)) continue;
    json_begin_object(NULL);
    json_text("name", file->symbols[i].name);
    json_bool("weak", file->symbols[i].is_weak);
    json_bool("here", found.origin != kSymbolUnknown);
    json_text("library", found.origin == kSymbolUnknown ? NULL
                         : found.cxx_name != NULL       ? CXX_LIBRARY
                                                        : "libtvm_ffi.so");
    if (found.origin == kSymbolReleased) {
      char since[16];
      snprintf(since, sizeof since, "0.1.%d", found.release);
      json_text("since", since);
    } else {
      json_null("since");
    }
    json_end();
  }
  json_end();
}

static void write_bin(const listing *of) {
  if (of->bin_bytes == NULL && of->bin_wrong == NULL) {
    json_null("embedded");
    return;
  }
  json_begin_object("embedded");
  json_text("malformed", of->bin_wrong);
  if (of->bin_wrong == NULL) {
    json_uint("size", of->bin.size);
    library_bin_print(&of->bin, NULL);
  }
  json_end();
}

static void write_listing(const listing *of) {
  const elf_file *file = of->file;
  char buffer[24];
  size_t i;
  json_begin_object(NULL);
  json_text("path", file->path);
  json_text("machine", machine_name(file->machine, file->bits, file->is_big_endian, buffer));
  json_int("bits", file->bits);
  json_text("byte_order", file->is_big_endian ? "big" : "little");
  json_bool("object", file->is_object);
  json_uint("size", file->size);
  json_begin_array("needed");
  for (i = 0; i < file->num_needed; ++i) json_text(NULL, file->needed[i]);
  json_end();
  json_begin_array("functions");
  for (i = 0; i < of->num_functions; ++i) {
    const listed_function *one = &of->functions[i];
    json_begin_object(NULL);
    json_text("name", one->name);
    json_uint("size", one->size);
    json_text("type", one->type);
    json_text("metadata", one->metadata);
    json_text("doc", one->doc);
    if (one->wrong != NULL) json_text("error", one->wrong);
    json_end();
  }
  json_end();
  write_undefined(file);
  write_bin(of);
  json_end();
}

/* ---- The command -------------------------------------------------------------------------------
 */

/* Not kExitOk when reported. What is printed of other libraries comes before and after. */
static int list_library(const char *path, const arguments *args, double timeout) {
  listing of;
  elf_file *file = library_file_read(path);
  int code = kExitOk;
  if (file == NULL) return kExitLoad;
  listing_collect(file, args, is_by_size(args), &of);
  if (arguments_has(args, "load")) code = ask_library(path, &of, timeout);
  if (arguments_has(args, "json")) {
    write_listing(&of);
  } else {
    print_listing(&of, args);
  }
  listing_free(&of);
  elf_file_close(file);
  return code;
}

int run_list(const arguments *args) {
  size_t i, count = arguments_num_operands(args);
  bool as_json = arguments_has(args, "json");
  double timeout;
  int code = kExitOk;
  if (!isolate_read_timeout(args, &timeout)) return kExitUsage;
  if (as_json && count > 1) json_begin_array(NULL);
  for (i = 0; i < count; ++i) {
    int one = list_library(arguments_operand(args, i), args, timeout);
    if (one != kExitOk) code = one;
  }
  if (as_json && count > 1) json_end();
  return code;
}
