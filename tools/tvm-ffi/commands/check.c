/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a library is fit to be passed on, and to what it has to be passed: read from its file. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/json_out.h"
#include "base/shown.h"
#include "file/elf_file.h"
#include "file/library_bin.h"
#include "file/manylinux.h"
#include "file/runtime_symbols.h"
#include "file/verdicts.h"

#define PREFIX "__tvm_ffi_"

typedef struct {
  const elf_file *file;
  verdicts found;
  int release; /* N of 0.1.N, the oldest runtime that will do; -1: this runtime alone, -2: none */
} checking;

static void add(checking *to, level how, const char *check, const char *symbol, char *said) {
  verdicts_add(&to->found, how, check, symbol, said);
}

static void say(checking *to, level how, const char *check, const char *symbol, const char *said) {
  verdicts_say(&to->found, how, check, symbol, said);
}

static bool starts(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* ---- Exports -----------------------------------------------------------------------------------
 */

/* What is exported beside the functions; NULL for what is no name of this ABI. */
static const char *find_special(const char *name) {
  static const char *const kPrefixes[] = {"__tvm_ffi__metadata_", "__tvm_ffi__doc_",
                                          "__tvm_ffi__schema_", "__tvm_ffi__doctext_"};
  size_t i;
  for (i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    if (starts(name, kPrefixes[i])) return kPrefixes[i];
  }
  return starts(name, "__tvm_ffi__cubin_") ? "" : NULL;
}

/* Metadata or documentation of a function that is not there. */
static void check_attached(checking *to, const char *name, const char *prefix) {
  char *of = tool_format(PREFIX "%s", name + strlen(prefix));
  if (*prefix != '\0' && elf_file_find(to->file, of) == NULL) {
    say(to, kNote, "names", name, "describes a function that is not exported");
  }
  free(of);
}

static void check_data(checking *to, const elf_symbol *symbol) {
  size_t pointer = (size_t)to->file->bits / 8;
  if (strcmp(symbol->name, LIBRARY_BIN_SYMBOL) == 0) {
    if (symbol->is_function) say(to, kBad, "names", symbol->name, "must be data");
  } else if (symbol->is_function || !symbol->is_writable || symbol->section == 0 ||
             (symbol->size != 0 && symbol->size < pointer)) {
    say(to, kBad, "names", symbol->name,
        "must be a writable pointer, for the loader stores the module there");
  }
}

static void check_export(checking *to, const elf_symbol *symbol, const char *previous,
                         size_t *num_functions) {
  const char *name = symbol->name, *own = name + strlen(PREFIX), *special;
  if (!starts(name, PREFIX)) return;
  if (previous != NULL && strcmp(previous, name) == 0) {
    say(to, kBad, "names", name, "is exported twice");
  } else if (strcmp(name, "__tvm_ffi__library_ctx") == 0 || strcmp(name, LIBRARY_BIN_SYMBOL) == 0) {
    check_data(to, symbol);
  } else if ((special = find_special(name)) != NULL) {
    check_attached(to, name, special);
  } else if (*own == '_') {
    say(to, kBad, "names", name, "begins with what the ABI keeps for itself, __tvm_ffi__");
  } else if (*own == '\0' || !shown_is_plain(own, strlen(own)) || strchr(own, ' ') != NULL) {
    say(to, kBad, "names", name, "is no name of a function");
  } else if (!symbol->is_function) {
    say(to, kBad, "names", name, "is called as a function, but it is data");
  } else {
    ++*num_functions;
  }
}

static void check_exports(checking *to) {
  const elf_file *file = to->file;
  size_t before = to->found.count, num_functions = 0, i;
  const char *previous = NULL;
  for (i = 0; i < file->num_symbols; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    if (!symbol->is_defined || symbol->is_hidden) continue;
    check_export(to, symbol, previous, &num_functions);
    previous = symbol->name;
  }
  if (num_functions == 0) {
    say(to, kNote, "names", NULL, "no function is exported");
  } else if (to->found.count == before) {
    add(to, kGood, "names", NULL,
        tool_format("%zu function%s", num_functions, num_functions == 1 ? "" : "s"));
  }
}

static void check_bin(checking *to) {
  const elf_symbol *symbol = elf_file_find(to->file, LIBRARY_BIN_SYMBOL);
  const unsigned char *bytes;
  library_bin bin;
  const char *wrong;
  size_t size, i;
  if (symbol == NULL) return;
  bytes = elf_file_bytes(to->file, symbol, &size);
  if (bytes == NULL) {
    say(to, kBad, "embedded", symbol->name, "the file holds no bytes for it");
    return;
  }
  wrong = library_bin_decode(bytes, size, &bin);
  if (wrong != NULL) {
    add(to, kBad, "embedded", symbol->name, tool_format("malformed: %s", wrong));
  } else {
    for (i = 0; i < bin.num_modules; ++i) {
      if (bin.modules[i].is_self || bin.modules[i].payload_size > 0) continue;
      add(to, kNote, "embedded", symbol->name,
          tool_format("module %zu is empty, which runtimes other than this one refuse", i));
    }
    if (bin.num_unread > 0) {
      add(to, kNote, "embedded", symbol->name,
          tool_format("%zu bytes behind the last module are of none", bin.num_unread));
    }
    if (symbol->size == 0) {
      say(to, kNote, "embedded", symbol->name,
          "has no size, so that its length cannot be checked when it is loaded");
    }
    add(to, kGood, "embedded", symbol->name,
        tool_format("%zu module%s", bin.num_modules, bin.num_modules == 1 ? "" : "s"));
  }
  library_bin_free(&bin);
}

/* ---- Imports -----------------------------------------------------------------------------------
 */

static void check_runtime(checking *to) {
  const elf_file *file = to->file;
  const char *newest = NULL;
  bool any = false, from_own = false;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    int release = 0;
    symbol_origin origin = runtime_symbol_find(symbol->name, &release);
    if (symbol->is_defined || origin == kSymbolForeign) continue;
    any = true;
    if (origin == kSymbolUnknown && symbol->is_weak) {
      say(to, kNote, "imports", symbol->name, "this runtime does not have it; it is weak");
    } else if (origin == kSymbolUnknown) {
      say(to, kBad, "imports", symbol->name, "this runtime does not have it");
      to->release = -2;
    } else if (origin == kSymbolOwn && !symbol->is_weak) {
      say(to, kNote, "runtime", symbol->name, "only this runtime has it");
      from_own = true;
    } else if (origin == kSymbolReleased && !symbol->is_weak &&
               (newest == NULL || release > to->release)) {
      newest = symbol->name;
      if (to->release != -2) to->release = release;
    }
  }
  if (to->release == -2) return;
  if (from_own) {
    to->release = -1;
  } else if (to->release > 0) {
    add(to, kGood, "runtime", newest, tool_format("needs 0.1.%d or newer", to->release));
  } else {
    say(to, kGood, "runtime", NULL,
        any ? "any will do, from 0.1.0 on" : "nothing is imported of one");
  }
}

static void check_dlpack(checking *to) {
  static const char *const kOld[] = {"TVMFFITensorFromDLPack", "TVMFFITensorToDLPack"};
  static const char *const kVersioned[] = {"TVMFFITensorFromDLPackVersioned",
                                           "TVMFFITensorToDLPackVersioned"};
  size_t i, k;
  for (i = 0; i < to->file->num_symbols; ++i) {
    const elf_symbol *symbol = &to->file->symbols[i];
    for (k = 0; !symbol->is_defined && k < 2; ++k) {
      if (strcmp(symbol->name, kOld[k]) == 0) {
        say(to, kNote, "dlpack", symbol->name, "tensors without a version, of DLPack 0.x");
      } else if (strcmp(symbol->name, kVersioned[k]) == 0) {
        say(to, kNote, "dlpack", symbol->name, "versioned tensors, of DLPack 1.x");
      }
    }
  }
}

/* The import with the newest version that begins like this; NULL. */
static const elf_symbol *find_newest(const elf_file *file, const char *prefix) {
  const elf_symbol *newest = NULL;
  size_t length = strlen(prefix), i;
  for (i = 0; i < file->num_symbols; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    if (symbol->version == NULL || !starts(symbol->version, prefix)) continue;
    if (newest == NULL ||
        manylinux_compare(symbol->version + length, newest->version + length) > 0) {
      newest = symbol;
    }
  }
  return newest;
}

/* Each of the system's libraries, against a platform's where one is given. */
static void check_system(checking *to, const manylinux *platform) {
  size_t i;
  for (i = 0; i < kNumFamilies; ++i) {
    const char *limit = platform != NULL ? platform->newest[i] : NULL;
    const elf_symbol *newest = find_newest(to->file, kFamilies[i]);
    char *version;
    if (newest == NULL) continue;
    version = shown_text(newest->version, strlen(newest->version));
    if (limit == NULL) {
      add(to, kNote, "system", newest->name, tool_format("needs %s", version));
    } else if (manylinux_compare(newest->version + strlen(kFamilies[i]), limit) <= 0) {
      add(to, kGood, "system", newest->name, tool_format("needs %s", version));
    } else {
      add(to, kBad, "system", newest->name,
          tool_format("needs %s; manylinux_%s has %s%s", version, platform->name, kFamilies[i],
                      limit));
    }
    free(version);
  }
}

static void check_needed(checking *to) {
  size_t i;
  for (i = 0; i < to->file->num_needed; ++i) {
    if (starts(to->file->needed[i], "libtvm_ffi.so")) {
      say(to, kNote, "needed", to->file->needed[i],
          "loads a runtime by name; without that, the one of the process serves");
    }
  }
  if (to->file->search_path != NULL && *to->file->search_path == '/') {
    say(to, kNote, "needed", "DT_RUNPATH", "a path of the machine it was built on");
  }
}

/* ---- How it is linked --------------------------------------------------------------------------
 */

static void check_linking(checking *to) {
  const elf_file *file = to->file;
  /* Where there is no header, Linux runs the stack on these machines. */
  bool by_default =
      file->machine == EM_X86_64 || file->machine == EM_386 || file->machine == EM_ARM;
  size_t i;
  if (file->is_object) {
    say(to, kNote, "linking", NULL, "an object file: how it is linked is yet to be seen");
    return;
  }
  if (file->has_stack_header ? file->is_stack_executable : by_default) {
    say(to, kBad, "stack", "PT_GNU_STACK",
        file->has_stack_header ? "asks for a stack that can be executed"
                               : "is missing, so that the stack can be executed");
  } else {
    say(to, kGood, "stack", "PT_GNU_STACK", "not executable");
  }
  if (file->has_text_relocations) {
    say(to, kBad, "code", "DT_TEXTREL",
        "code is written to while it is loaded: compile with -fPIC");
  } else if (file->has_writable_code) {
    say(to, kBad, "code", "PT_LOAD", "a segment can be written and executed");
  } else {
    say(to, kGood, "code", NULL, "no text relocations, no writable code");
  }
  say(to, file->has_relro ? kGood : kNote, "relro", "PT_GNU_RELRO",
      file->has_relro ? "relocated data is read-only" : "is missing: link with -z relro");
  say(to, file->binds_now ? kGood : kNote, "binding", "DT_FLAGS",
      file->binds_now ? "bound when it is loaded"
                      : "bound when called: -z now makes the whole table read-only");
  for (i = 0; i < file->num_symbols; ++i) {
    if (!file->symbols[i].is_defined || !file->symbols[i].is_unique) continue;
    say(to, kNote, "unloading", file->symbols[i].name,
        "is unique in the process, for which glibc never unloads the library");
    break;
  }
}

/* ---- The command -------------------------------------------------------------------------------
 */

static void write_json(const checking *of) {
  char release[16];
  snprintf(release, sizeof release, "0.1.%d", of->release);
  verdicts_write_json(&of->found, of->release >= 0 ? release : of->release == -1 ? "own" : NULL);
}

static int check_library(const char *path, const arguments *args, const manylinux *platform) {
  elf_file *file = elf_file_open(path);
  checking of;
  int code;
  if (file == NULL) return kExitLoad;
  memset(&of, 0, sizeof of);
  of.file = file;
  of.found.path = path;
  check_exports(&of);
  check_bin(&of);
  check_runtime(&of);
  check_dlpack(&of);
  check_system(&of, platform);
  check_needed(&of);
  check_linking(&of);
  if (arguments_has(args, "json")) {
    write_json(&of);
  } else {
    verdicts_print(&of.found);
  }
  code = verdicts_have_failed(&of.found) ? kExitCheck : kExitOk;
  verdicts_free(&of.found);
  elf_file_close(file);
  return code;
}

int run_check(const arguments *args) {
  const char *name = arguments_text(args, "manylinux", NULL);
  size_t i, count = arguments_num_operands(args);
  bool in_list = arguments_has(args, "json") && count > 1;
  manylinux platform;
  int code = kExitOk;
  if (name != NULL && !manylinux_parse(name, &platform)) return kExitUsage;
  if (in_list) json_begin_array(NULL);
  for (i = 0; i < count; ++i) {
    int one = check_library(arguments_operand(args, i), args, name != NULL ? &platform : NULL);
    if (code == kExitOk || one == kExitLoad) code = one;
  }
  if (in_list) json_end();
  return code;
}
