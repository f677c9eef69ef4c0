/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "check/checks.h"
#include "file/module_tree.h"
#include "file/runtime_symbols.h"

/* Checks what a library exports. */

#define CONTEXT_SYMBOL "__tvm_ffi__library_ctx"

/* ---- Names ---- */

/* What follows FUNCTION_PREFIX; NULL if the name does not begin with it. */
static const char *skip_prefix(const char *name) {
  return text_begins(name, FUNCTION_PREFIX) ? name + strlen(FUNCTION_PREFIX) : NULL;
}

/* The prefix of a name exported besides the functions ("" for cubins, which describe no function);
 * NULL if the ABI has no such name. */
static const char *find_special(const char *name) {
  static const char *const kPrefixes[] = {"__tvm_ffi__metadata_", "__tvm_ffi__doc_",
                                          "__tvm_ffi__schema_", "__tvm_ffi__doctext_", NULL};
  return text_begins(name, "__tvm_ffi__cubin_") ? "" : text_find_prefix(name, kPrefixes);
}

/* Reports metadata or documentation of a function that is not exported. */
static void check_attached(checking *subject, const char *name, const char *prefix) {
  char *function = tool_format(FUNCTION_PREFIX "%s", name + strlen(prefix));
  if (*prefix != '\0' && binary_file_find_exported(subject->file, function) == NULL) {
    checks_say(subject, kNote, kCheckNames, name, "describes a function that is not exported");
  }
  free(function);
}

static void check_data(checking *subject, const binary_symbol *symbol) {
  size_t pointer = (size_t)subject->file->bits / 8;
  if (strcmp(symbol->name, LIBRARY_BIN_SYMBOL) == 0) {
    if (symbol->is_function) checks_say(subject, kBad, kCheckNames, symbol->name, "must be data");
  } else if (symbol->is_function || !symbol->is_writable ||
             (symbol->size != 0 && symbol->size < pointer)) {
    checks_say(subject, kBad, kCheckNames, symbol->name,
               "must be a writable pointer, where the loader stores the module");
  }
}

static void check_name(checking *subject, const binary_symbol *symbol, const char *previous) {
  const char *name = symbol->name, *suffix = skip_prefix(name), *special;
  if (suffix == NULL) return;
  if (previous != NULL && strcmp(previous, name) == 0) {
    checks_say(subject, kBad, kCheckNames, name, "is exported twice");
  } else if (strcmp(name, CONTEXT_SYMBOL) == 0 || strcmp(name, LIBRARY_BIN_SYMBOL) == 0) {
    check_data(subject, symbol);
  } else if ((special = find_special(name)) != NULL) {
    check_attached(subject, name, special);
  } else if (*suffix == '_') {
    checks_say(subject, kBad, kCheckNames, name, "begins with __tvm_ffi__, which the ABI reserves");
  } else if (*suffix == '\0' || !text_is_printable(suffix, strlen(suffix)) ||
             strchr(suffix, ' ') != NULL) {
    checks_say(subject, kBad, kCheckNames, name, "is not the name of a function");
  } else if (!symbol->is_function) {
    checks_say(subject, kBad, kCheckNames, name, "has the name of a function, but is data");
  } else {
    ++subject->num_functions;
  }
}

typedef struct {
  const binary_file *file;
  const char *first;
  size_t count;
} hidden_functions;

/* Skips names with a dot: they are parts of functions, split off by the compiler. */
static void count_hidden(void *context, const char *name) {
  hidden_functions *hidden = context;
  const char *suffix = skip_prefix(name);
  if (suffix == NULL || *suffix == '_' || strchr(suffix, '.') != NULL ||
      binary_file_find_exported(hidden->file, name) != NULL) {
    return;
  }
  if (hidden->count++ == 0) hidden->first = name;
}

/* Reports functions that cannot be found because they were compiled with hidden visibility. */
static void check_hidden(checking *subject) {
  hidden_functions hidden = {NULL, NULL, 0};
  const char *word = subject->file->format == kFormatPe ? "not exported" : "hidden";
  hidden.file = subject->file;
  binary_file_visit_hidden(subject->file, &count_hidden, &hidden);
  if (hidden.count == 0) return;
  checks_add(subject, kNote, kCheckNames, hidden.first,
             hidden.count == 1
                 ? tool_format("is %s, so nothing finds it", word)
                 : tool_format("one of %zu functions that are %s, so nothing finds them",
                               hidden.count, word));
}

/* A lookup in imports needs the module that the loader stores in CONTEXT_SYMBOL. */
static void check_context(checking *subject) {
  static const char kLookup[] = "TVMFFIEnvModLookupFromImports";
  const binary_file *file = subject->file;
  if (binary_file_find_import(file, kLookup) == NULL ||
      binary_file_find_exported(file, CONTEXT_SYMBOL) != NULL) {
    return;
  }
  checks_say(subject, kNote, kCheckNames, kLookup,
             "is called, but the module that it needs is stored in " CONTEXT_SYMBOL
             ", which is not exported");
}

static void check_names(checking *subject) {
  const binary_file *file = subject->file;
  size_t old_count = subject->found.count, i;
  const char *previous = NULL;
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (!checks_is_exported(symbol)) continue;
    check_name(subject, symbol, previous);
    previous = symbol->name;
  }
  check_hidden(subject);
  check_context(subject);
  if (subject->num_functions == 0) {
    checks_say(subject, kNote, kCheckNames, NULL,
               "no function is exported (" FUNCTION_PREFIX "NAME)");
  } else if (subject->found.count == old_count) {
    checks_add(subject, kGood, kCheckNames, NULL,
               tool_format("%zu function%s", subject->num_functions,
                           subject->num_functions == 1 ? "" : "s"));
  }
}

/* ---- Embedded modules ---- */

static bool is_first_of_kind(const library_bin *bin, size_t i) {
  size_t k;
  for (k = 0; k < i; ++k) {
    if (bin->modules[k].kind_size == bin->modules[i].kind_size &&
        memcmp(bin->modules[k].kind, bin->modules[i].kind, bin->modules[i].kind_size) == 0) {
      return false;
    }
  }
  return true;
}

static void check_modules(checking *subject, const char *symbol, const library_bin *bin) {
  bool has_self = false;
  size_t i;
  for (i = 0; i < bin->num_modules; ++i) {
    const bin_module *module = &bin->modules[i];
    has_self = has_self || module->is_self;
    if (!module->is_self && module->payload_size == 0) {
      checks_add(subject, kNote, kCheckEmbedded, symbol,
                 tool_format("module %zu is empty, which other runtimes refuse", i));
    }
    if (!module->is_self && is_first_of_kind(bin, i)) {
      char *kind = text_escape(module->kind, module->kind_size);
      checks_add(subject, kNote, kCheckEmbedded, symbol,
                 tool_format("module %zu is read by ffi.Module.load_from_bytes.%s, which must be "
                             "registered before the library is loaded",
                             i, kind));
      free(kind);
    }
  }
  if (!has_self && subject->num_functions > 0) {
    checks_say(subject, kNote, kCheckEmbedded, symbol,
               "no module is the library itself (" LIBRARY_BIN_SELF
               "), so its functions are not found");
  }
}

static void check_embedded(checking *subject) {
  const binary_symbol *symbol = binary_file_find(subject->file, LIBRARY_BIN_SYMBOL);
  const bool has_sizes = subject->file->format == kFormatElf; /* symbols of others have none */
  const unsigned char *bytes;
  library_bin bin;
  const char *wrong;
  size_t size;
  if (symbol == NULL) return;
  bytes = binary_file_bytes(subject->file, symbol, &size);
  if (bytes == NULL) {
    checks_say(subject, kBad, kCheckEmbedded, symbol->name, "the file has no bytes for it");
    return;
  }
  wrong = library_bin_decode(bytes, size, &bin);
  if (wrong != NULL) {
    checks_add(subject, kBad, kCheckEmbedded, symbol->name, tool_format("malformed: %s", wrong));
  } else {
    check_modules(subject, symbol->name, &bin);
    if (bin.num_unread > 0 && has_sizes) {
      checks_add(subject, kNote, kCheckEmbedded, symbol->name,
                 tool_format("%zu bytes after the last module belong to none", bin.num_unread));
    }
    if (symbol->size == 0 && has_sizes) {
      checks_say(subject, kNote, kCheckEmbedded, symbol->name,
                 "has no size, so its length cannot be checked when it is loaded");
    }
    checks_add(subject, kGood, kCheckEmbedded, symbol->name,
               tool_format("%zu module%s", bin.num_modules, bin.num_modules == 1 ? "" : "s"));
  }
  library_bin_free(&bin);
}

/* ---- Symbols that others may bind to ---- */

/* Whether it is a C++ symbol of namespace tvm::ffi. Vtables and type_info (_ZT) do not count: they
 * must be visible, since exceptions are told apart by them. */
static bool is_cxx_code(const char *name) {
  return text_begins(name, "_Z") && !text_begins(name, "_ZT") && strstr(name, "3tvm3ffi") != NULL;
}

static void check_runtime_exports(checking *subject) {
  const binary_file *file = subject->file;
  const char *first_c = NULL, *first_cxx = NULL;
  size_t num_c = 0, num_cxx = 0, i;
  for (i = 0; i < file->num_symbols; ++i) {
    const char *name = file->symbols[i].name;
    if (!checks_is_exported(&file->symbols[i])) continue;
    if (text_begins(name, "TVMFFI") &&
        runtime_symbol_find(name, file->format).origin > kSymbolUnknown) {
      if (num_c++ == 0) first_c = name;
    } else if (file->format != kFormatPe && is_cxx_code(name)) { /* there they are not bound so */
      if (num_cxx++ == 0) first_cxx = name;
    }
  }
  if (num_c > 0) { /* a runtime inside: its C++ functions are exported on purpose */
    checks_add(
        subject, kNote, kCheckExports, first_c,
        tool_format(
            "one of %zu functions of a runtime that is part of the library: another runtime in "
            "the process does not see its types and functions",
            num_c));
  } else if (num_cxx > 0) {
    checks_add(subject, kNote, kCheckExports, first_cxx,
               tool_format("one of %zu C++ symbols of tvm::ffi that libraries with other headers "
                           "may be bound to: compile with -fvisibility=hidden "
                           "-fvisibility-inlines-hidden",
                           num_cxx));
  }
}

void check_exports(checking *subject) {
  check_names(subject);
  check_embedded(subject);
  check_runtime_exports(subject);
}

/* ---- Clashes of two files ---- */

/* Finds symbols that two files share. The loader keeps libraries apart (RTLD_LOCAL), so only what a
 * linker refuses is an error; the rest depends on how the libraries are used. */

/* Symbols in both files, of one consequence. */
typedef struct {
  const char *first;
  size_t count;
} shared;

static void count_symbol(shared *group, const char *name) {
  if (group->count++ == 0) group->first = name;
}

static void say_shared(checking *subject, level severity, const shared *group,
                       const checking *earlier, const char *consequence) {
  const char *path = earlier->found.path;
  char *shown = text_escape(path, strlen(path));
  if (group->count == 1) {
    checks_add(subject, severity, kCheckClashes, group->first,
               tool_format("%s also has it: %s", shown, consequence));
  } else if (group->count > 1) {
    checks_add(subject, severity, kCheckClashes, group->first,
               tool_format("one of %zu that %s also has: %s", group->count, shown, consequence));
  }
  free(shown);
}

static bool is_same_machine(const binary_file *a, const binary_file *b) {
  return a->format == b->format && a->machine == b->machine && a->bits == b->bits &&
         a->is_big_endian == b->is_big_endian;
}

/* Whether loading `file` also loads `dependency`. */
static bool needs(const binary_file *file, const binary_file *dependency) {
  const char *name = dependency->soname != NULL ? dependency->soname : path_base(dependency->path);
  size_t i;
  for (i = 0; i < file->num_needed; ++i) {
    if (strcmp(path_base(file->needed[i]), name) == 0) return true;
  }
  return false;
}

/* Whether a linker refuses a second definition. */
static bool is_strong(const binary_symbol *symbol) {
  return !symbol->is_weak && !symbol->is_unique && !symbol->is_common;
}

typedef struct {
  bool are_objects, are_loaded_together;
  shared refused, merged, apart, unique;
} comparison;

static void compare_symbol(comparison *result, const binary_symbol *a, const binary_symbol *b) {
  const char *name = a->name, *suffix = skip_prefix(name);
  if (suffix != NULL) {
    if (result->are_objects) {
      count_symbol(is_strong(a) && is_strong(b) ? &result->refused : &result->merged, name);
    } else if (checks_is_exported(a) && checks_is_exported(b) &&
               (*suffix != '_' || result->are_loaded_together)) {
      count_symbol(&result->apart, name); /* libraries loaded separately each have a context and
                                          metadata, which is not a clash */
    }
  } else if (a->is_unique && b->is_unique && !result->are_objects) {
    count_symbol(&result->unique, name);
  }
}

/* Merges the two lists, which are sorted by name. */
static void compare_symbols(comparison *result, const binary_file *first,
                            const binary_file *second) {
  size_t i = 0, k = 0;
  while (i < first->num_symbols && k < second->num_symbols) {
    const binary_symbol *a = &first->symbols[i], *b = &second->symbols[k];
    int order = strcmp(a->name, b->name);
    if (!a->is_defined || order < 0) {
      ++i;
    } else if (!b->is_defined || order > 0) {
      ++k;
    } else {
      compare_symbol(result, a, b);
      ++i;
      ++k;
    }
  }
}

void check_clashes(checking *subject, const checking *earlier) {
  const binary_file *file = subject->file, *earlier_file = earlier->file;
  comparison result;
  if (!is_same_machine(file, earlier_file)) return;
  memset(&result, 0, sizeof result);
  result.are_objects = file->is_object && earlier_file->is_object;
  result.are_loaded_together = needs(file, earlier_file) || needs(earlier_file, file);
  compare_symbols(&result, file, earlier_file);
  say_shared(subject, kBad, &result.refused, earlier,
             "a linker refuses to link both into one library or program");
  say_shared(subject, kNote, &result.merged, earlier, "a linker keeps one of the two");
  say_shared(subject, kNote, &result.apart, earlier,
             result.are_loaded_together
                 ? "one library needs the other, and both may use the same one of the two"
                 : "modules keep them apart; one program linked with both, or RTLD_GLOBAL, does "
                   "not");
  say_shared(subject, kNote, &result.unique, earlier,
             "unique in the process, so both libraries use those of the one loaded first");
}
