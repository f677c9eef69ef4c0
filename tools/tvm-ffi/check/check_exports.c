/* SPDX-License-Identifier: Apache-2.0 */
/* What others see of a library. */
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "check/checks.h"
#include "file/library_bin.h"
#include "file/runtime_symbols.h"

#define CONTEXT_SYMBOL "__tvm_ffi__library_ctx"

/* ---- Names -------------------------------------------------------------------------------------
 */

/* What is exported beside the functions; NULL for what is no name of this ABI. */
static const char *find_special(const char *name) {
  static const char *const kPrefixes[] = {"__tvm_ffi__metadata_", "__tvm_ffi__doc_",
                                          "__tvm_ffi__schema_", "__tvm_ffi__doctext_"};
  size_t i;
  for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    if (checks_begins(name, kPrefixes[i])) return kPrefixes[i];
  }
  return checks_begins(name, "__tvm_ffi__cubin_") ? "" : NULL;
}

/* Metadata or documentation of a function that is not there. */
static void check_attached(checking *to, const char *name, const char *prefix) {
  char *of = tool_format(FUNCTION_PREFIX "%s", name + strlen(prefix));
  if (*prefix != '\0' && elf_file_find_exported(to->file, of) == NULL) {
    checks_say(to, kNote, "names", name, "describes a function that is not exported");
  }
  free(of);
}

static void check_data(checking *to, const elf_symbol *symbol) {
  size_t pointer = (size_t)to->file->bits / 8;
  if (strcmp(symbol->name, LIBRARY_BIN_SYMBOL) == 0) {
    if (symbol->is_function) checks_say(to, kBad, "names", symbol->name, "must be data");
  } else if (symbol->is_function || !symbol->is_writable ||
             (symbol->size != 0 && symbol->size < pointer)) {
    checks_say(to, kBad, "names", symbol->name,
               "must be a writable pointer, for the loader stores the module there");
  }
}

static void check_name(checking *to, const elf_symbol *symbol, const char *previous) {
  const char *name = symbol->name, *own = checks_skip_prefix(name), *special;
  if (own == NULL) return;
  if (previous != NULL && strcmp(previous, name) == 0) {
    checks_say(to, kBad, "names", name, "is exported twice");
  } else if (strcmp(name, CONTEXT_SYMBOL) == 0 || strcmp(name, LIBRARY_BIN_SYMBOL) == 0) {
    check_data(to, symbol);
  } else if ((special = find_special(name)) != NULL) {
    check_attached(to, name, special);
  } else if (*own == '_') {
    checks_say(to, kBad, "names", name, "begins with what the ABI keeps for itself, __tvm_ffi__");
  } else if (*own == '\0' || !shown_is_plain(own, strlen(own)) || strchr(own, ' ') != NULL) {
    checks_say(to, kBad, "names", name, "is no name of a function");
  } else if (!symbol->is_function) {
    checks_say(to, kBad, "names", name, "is called as a function, but it is data");
  } else {
    ++to->num_functions;
  }
}

typedef struct {
  const elf_file *file;
  const char *first;
  size_t count;
} hidden_functions;

/* Parts of functions that compilers make have a dot in their names. */
static void count_hidden(void *context, const char *name) {
  hidden_functions *to = context;
  const char *own = checks_skip_prefix(name);
  if (own == NULL || *own == '_' || strchr(own, '.') != NULL ||
      elf_file_find_exported(to->file, name) != NULL) {
    return;
  }
  if (to->count++ == 0) to->first = name;
}

/* A function that is there for nobody: its compiler was told to hide it. */
static void check_hidden(checking *to) {
  hidden_functions of = {NULL, NULL, 0};
  of.file = to->file;
  elf_file_visit_hidden(to->file, &count_hidden, &of);
  if (of.count == 0) return;
  checks_add(to, kNote, "names", of.first,
             of.count == 1 ? tool_format("is hidden, so that nobody finds it")
                           : tool_format("one of %zu functions that are hidden, so that nobody "
                                         "finds them",
                                         of.count));
}

/* Who looks functions up in imports has to hand over what the loader stored. */
static void check_context(checking *to) {
  static const char kLookup[] = "TVMFFIEnvModLookupFromImports";
  const elf_file *file = to->file;
  if (elf_file_find_import(file, kLookup) == NULL ||
      elf_file_find_exported(file, CONTEXT_SYMBOL) != NULL) {
    return;
  }
  checks_say(to, kNote, "names", kLookup,
             "is called, but the module to give it is stored in " CONTEXT_SYMBOL
             ", which is not exported");
}

static void check_names(checking *to) {
  const elf_file *file = to->file;
  size_t before = to->found.count, i;
  const char *previous = NULL;
  for (i = 0; i < file->num_symbols; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    if (!checks_is_exported(symbol)) continue;
    check_name(to, symbol, previous);
    previous = symbol->name;
  }
  check_hidden(to);
  check_context(to);
  if (to->num_functions == 0) {
    checks_say(to, kNote, "names", NULL, "no function is exported (" FUNCTION_PREFIX "NAME)");
  } else if (to->found.count == before) {
    checks_add(to, kGood, "names", NULL,
               tool_format("%zu function%s", to->num_functions, to->num_functions == 1 ? "" : "s"));
  }
}

/* ---- Embedded modules --------------------------------------------------------------------------
 */

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

static void check_modules(checking *to, const char *symbol, const library_bin *bin) {
  bool has_self = false;
  size_t i;
  for (i = 0; i < bin->num_modules; ++i) {
    const bin_module *one = &bin->modules[i];
    has_self = has_self || one->is_self;
    if (!one->is_self && one->payload_size == 0) {
      checks_add(to, kNote, "embedded", symbol,
                 tool_format("module %zu is empty, which runtimes other than this one refuse", i));
    }
    if (!one->is_self && is_first_of_kind(bin, i)) {
      char *kind = shown_text(one->kind, one->kind_size);
      checks_add(to, kNote, "embedded", symbol,
                 tool_format("module %zu is read by ffi.Module.load_from_bytes.%s, which must be "
                             "registered before the library is loaded",
                             i, kind));
      free(kind);
    }
  }
  if (!has_self && to->num_functions > 0) {
    checks_say(to, kNote, "embedded", symbol,
               "no module is the library itself (" LIBRARY_BIN_SELF
               "), so that its functions are not found");
  }
}

static void check_embedded(checking *to) {
  const elf_symbol *symbol = elf_file_find(to->file, LIBRARY_BIN_SYMBOL);
  const unsigned char *bytes;
  library_bin bin;
  const char *wrong;
  size_t size;
  if (symbol == NULL) return;
  bytes = elf_file_bytes(to->file, symbol, &size);
  if (bytes == NULL) {
    checks_say(to, kBad, "embedded", symbol->name, "the file holds no bytes for it");
    return;
  }
  wrong = library_bin_decode(bytes, size, &bin);
  if (wrong != NULL) {
    checks_add(to, kBad, "embedded", symbol->name, tool_format("malformed: %s", wrong));
  } else {
    check_modules(to, symbol->name, &bin);
    if (bin.num_unread > 0) {
      checks_add(to, kNote, "embedded", symbol->name,
                 tool_format("%zu bytes behind the last module are of none", bin.num_unread));
    }
    if (symbol->size == 0) {
      checks_say(to, kNote, "embedded", symbol->name,
                 "has no size, so that its length cannot be checked when it is loaded");
    }
    checks_add(to, kGood, "embedded", symbol->name,
               tool_format("%zu module%s", bin.num_modules, bin.num_modules == 1 ? "" : "s"));
  }
  library_bin_free(&bin);
}

/* ---- What others may be bound to ----------------------------------------------------------------
 */

/* C++ of namespace tvm::ffi. Tables and type_info of classes (_ZT) have to be seen: exceptions are
 * told apart by them. */
static bool is_cxx_code(const char *name) {
  return checks_begins(name, "_Z") && !checks_begins(name, "_ZT") &&
         strstr(name, "3tvm3ffi") != NULL;
}

static void check_runtime_exports(checking *to) {
  const elf_file *file = to->file;
  const char *first_c = NULL, *first_cxx = NULL;
  size_t num_c = 0, num_cxx = 0, i;
  for (i = 0; i < file->num_symbols; ++i) {
    const char *name = file->symbols[i].name;
    if (!checks_is_exported(&file->symbols[i])) continue;
    if (checks_begins(name, "TVMFFI") && runtime_symbol_find(name).origin > kSymbolUnknown) {
      if (num_c++ == 0) first_c = name;
    } else if (is_cxx_code(name)) {
      if (num_cxx++ == 0) first_cxx = name;
    }
  }
  if (num_c > 0) { /* its C++ functions are there to be used, then */
    checks_add(to, kNote, "exports", first_c,
               tool_format("one of %zu functions of a runtime that is in here: another runtime in "
                           "the process does not see its types and functions",
                           num_c));
  } else if (num_cxx > 0) {
    checks_add(to, kNote, "exports", first_cxx,
               tool_format("one of %zu C++ symbols of tvm::ffi that libraries with other headers "
                           "may be bound to: compile with -fvisibility=hidden "
                           "-fvisibility-inlines-hidden",
                           num_cxx));
  }
}

void check_exports(checking *to) {
  check_names(to);
  check_embedded(to);
  check_runtime_exports(to);
}
