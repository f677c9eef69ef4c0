/* SPDX-License-Identifier: Apache-2.0 */
/* What a library needs of a runtime and of the system. */
#include <stdlib.h>
#include <string.h>

#include "base/places.h"
#include "base/shown.h"
#include "check/checks.h"
#include "file/runtime_symbols.h"

/* ---- The runtime -------------------------------------------------------------------------------
 */

/* What the imports say: whether any is of a runtime, and which runtimes have them all. */
typedef struct {
  bool any, from_own;
  const char *newest;          /* what the oldest runtime that will do is the first to have */
  const elf_symbol *first_cxx; /* of those that only CXX_LIBRARY has */
  size_t num_cxx;
} runtime_imports;

static void check_weak_import(checking *to, const elf_symbol *symbol, const runtime_symbol *found) {
  if (found->origin == kSymbolUnknown) {
    checks_say(to, kNote, "imports", symbol->name,
               "no libtvm_ffi.so of this runtime has it; it is weak");
  } else if (found->cxx_name != NULL) {
    checks_add(to, kNote, "imports", symbol->name,
               tool_format("is %s, which " CXX_LIBRARY " has and the default libtvm_ffi.so lacks; "
                           "it is weak",
                           found->cxx_name));
  }
}

static void check_import(checking *to, const elf_symbol *symbol, runtime_imports *of) {
  runtime_symbol found = runtime_symbol_find(symbol->name);
  if (found.origin == kSymbolForeign) return;
  of->any = true;
  if (symbol->is_weak) {
    check_weak_import(to, symbol, &found);
  } else if (found.origin == kSymbolUnknown) {
    checks_say(to, kBad, "imports", symbol->name, "no libtvm_ffi.so of this runtime has it");
    to->release = kNoRuntime;
  } else if (found.origin == kSymbolOwn) {
    checks_say(to, kNote, "runtime", symbol->name, "only this runtime has it");
    of->from_own = true;
  } else if (of->newest == NULL || found.release > to->release) {
    of->newest = symbol->name;
    if (to->release != kNoRuntime) to->release = found.release;
  }
  if (found.last != 0 && !symbol->is_weak) {
    checks_add(to, kNote, "runtime", symbol->name,
               tool_format("the reference has it up to 0.1.%d", found.last));
  }
  if (checks_cxx_name(symbol) != NULL && of->num_cxx++ == 0) of->first_cxx = symbol;
}

static void check_runtime(checking *to, runtime_imports *of) {
  const elf_file *file = to->file;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    if (!file->symbols[i].is_defined) check_import(to, &file->symbols[i], of);
  }
  if (to->release == kNoRuntime) return;
  if (of->from_own) {
    to->release = kOwnRuntime;
  } else if (to->release > 0) {
    checks_add(to, kGood, "runtime", of->newest, tool_format("needs 0.1.%d or newer", to->release));
  } else {
    checks_say(to, kGood, "runtime", NULL,
               of->any ? "any will do, from 0.1.0 on" : "nothing is imported of one");
  }
}

/* ---- What the calls are for ---------------------------------------------------------------------
 */

/* Imports that say the same. */
typedef struct {
  const char *said;
  const char *names[5]; /* up to a NULL */
} meaning;

/* Says what is behind the imports, once each; whether there was any. */
static bool say_meanings(checking *to, const char *check, const meaning *meanings, size_t count) {
  bool any = false;
  size_t i, k;
  for (i = 0; i < count; ++i) {
    for (k = 0; meanings[i].names[k] != NULL; ++k) {
      if (elf_file_find_import(to->file, meanings[i].names[k]) == NULL) continue;
      checks_say(to, kNote, check, meanings[i].names[k], meanings[i].said);
      any = true;
      break;
    }
  }
  return any;
}

/* Names under which something is registered are arguments of calls: in a file they are texts like
 * any other. */
static void check_registers(checking *to) {
  static const meaning kMeanings[] = {
      {"registers global functions, whose names the file does not tell: see tvm-ffi registry --lib",
       {"TVMFFIFunctionSetGlobal", "TVMFFIFunctionSetGlobalFromMethodInfo", NULL}},
      {"registers types, whose keys the file does not tell: see tvm-ffi types --lib",
       {"TVMFFITypeRegisterMetadata", "TVMFFITypeRegisterField", "TVMFFITypeRegisterMethod",
        "TVMFFITypeRegisterAttr", NULL}},
      {"registers functions of the system library, where the second of a name replaces the first",
       {"TVMFFIEnvModRegisterSystemLibSymbol", NULL}},
  };
  (void)say_meanings(to, "registers", kMeanings, sizeof kMeanings / sizeof *kMeanings);
}

/* Only managed tensors tell versions apart, and only their major one: a DLTensor is the same in all
 * of them, and which header it was compiled with leaves no trace. */
static void check_dlpack(checking *to) {
  static const meaning kMeanings[] = {
      {"tensors without a version, of DLPack 0.x",
       {"TVMFFITensorFromDLPack", "TVMFFITensorToDLPack", NULL}},
      {"versioned tensors, of DLPack 1.x",
       {"TVMFFITensorFromDLPackVersioned", "TVMFFITensorToDLPackVersioned",
        "TVMFFIEnvSetDLPackManagedTensorAllocator", "TVMFFIEnvGetDLPackManagedTensorAllocator",
        NULL}},
  };
  if (!say_meanings(to, "dlpack", kMeanings, sizeof kMeanings / sizeof *kMeanings)) {
    checks_say(to, kGood, "dlpack", NULL,
               "exchanges no managed tensors, so that any version will do; which one it was "
               "compiled with cannot be told");
  }
}

/* ---- Which libtvm_ffi.so ------------------------------------------------------------------------
 */

/* What a class derived from tvm::ffi::ModuleObj is made of; NULL. */
static const elf_symbol *find_base_module(const elf_file *file) {
  static const char *const kNames[] = {
      "_ZN3tvm3ffi9ModuleObj12ClearImportsEv",
      "_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE",
      "_ZTIN3tvm3ffi9ModuleObjE",
      "_ZTVN3tvm3ffi9ModuleObjE",
  };
  const elf_symbol *found = NULL;
  size_t i;
  for (i = 0; found == NULL && i < sizeof kNames / sizeof *kNames; ++i) {
    found = elf_file_find_import(file, kNames[i]);
  }
  return found;
}

static void say_cxx_functions(checking *to, const runtime_imports *of, level how) {
  const char *name = checks_cxx_name(of->first_cxx);
  if (of->num_cxx == 1) {
    checks_add(
        to, how, "library", of->first_cxx->name,
        tool_format("is %s, which " CXX_LIBRARY " has and the default libtvm_ffi.so lacks", name));
  } else {
    checks_add(to, how, "library", of->first_cxx->name,
               tool_format("is %s, one of %zu C++ symbols that " CXX_LIBRARY
                           " has and the default libtvm_ffi.so lacks",
                           name, of->num_cxx));
  }
}

static void check_library(checking *to, const runtime_imports *of, library_choice library) {
  const elf_symbol *base = find_base_module(to->file);
  to->needs_cxx = of->num_cxx > 0;
  to->derives_module = base != NULL;
  if (library != kCxxLibrary && to->needs_cxx) {
    say_cxx_functions(to, of, library == kDefaultLibrary ? kBad : kNote);
  } else if (library != kCxxLibrary && base != NULL) {
    checks_say(to, kNote, "library", base->name,
               "is for a class derived from tvm::ffi::ModuleObj, whose methods the default "
               "libtvm_ffi.so calls with libtvm_ffi_cxx.so beside it");
  } else if (of->any && to->release != kNoRuntime) {
    checks_say(to, kGood, "library", NULL,
               library == kCxxLibrary ? CXX_LIBRARY " has all that is imported"
                                      : "the default libtvm_ffi.so has all that is imported");
  }
}

/* ---- The system --------------------------------------------------------------------------------
 */

/* The import with the newest version that begins like this; NULL. */
static const elf_symbol *find_newest(const elf_file *file, const char *prefix) {
  const elf_symbol *newest = NULL;
  size_t length = strlen(prefix), i;
  for (i = 0; i < file->num_symbols; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    if (symbol->version == NULL || !checks_begins(symbol->version, prefix)) continue;
    if (newest == NULL ||
        manylinux_compare(symbol->version + length, newest->version + length) > 0) {
      newest = symbol;
    }
  }
  return newest;
}

/* One of the system's libraries, against a platform's where one is given. */
static void check_version(checking *to, const char *family, const elf_symbol *newest,
                          const manylinux *platform, const char *limit) {
  char *version = shown_text(newest->version, strlen(newest->version));
  if (platform == NULL) {
    checks_add(to, kNote, "system", newest->name, tool_format("needs %s", version));
  } else if (manylinux_compare(newest->version + strlen(family), limit) <= 0) {
    checks_add(to, kGood, "system", newest->name, tool_format("needs %s", version));
  } else {
    checks_add(
        to, kBad, "system", newest->name,
        tool_format("needs %s; manylinux_%s has %s%s", version, platform->name, family, limit));
  }
  free(version);
}

static void check_system(checking *to, const manylinux *platform) {
  size_t before = to->found.count, i;
  if (to->file->is_object) {
    if (platform != NULL) {
      checks_say(to, kNote, "system", NULL, "versions are chosen where it is linked");
    }
    return;
  }
  for (i = 0; i < kNumFamilies; ++i) {
    const elf_symbol *newest = find_newest(to->file, kFamilies[i]);
    if (newest == NULL) continue;
    check_version(to, kFamilies[i], newest, platform,
                  platform != NULL ? platform->newest[i] : NULL);
  }
  if (platform != NULL && to->found.count == before) {
    checks_say(to, kGood, "system", NULL, "needs no version of glibc or libstdc++");
  }
}

static void check_needed(checking *to, const manylinux *platform) {
  const elf_file *file = to->file;
  size_t i;
  for (i = 0; i < file->num_needed; ++i) {
    if (checks_begins(file->needed[i], "libtvm_ffi.so")) {
      checks_say(to, kNote, "needed", file->needed[i],
                 "loads a runtime by name; without that, the one of the process serves");
    } else if (checks_begins(file->needed[i], "libc.musl")) {
      checks_say(to, platform != NULL ? kBad : kNote, "needed", file->needed[i],
                 "is of systems with musl, not glibc");
    }
  }
  if (file->search_path != NULL && *file->search_path == '/') {
    checks_say(to, kNote, "needed", "DT_RUNPATH", "a path of the machine it was built on");
  }
}

void check_imports(checking *to, const manylinux *platform, library_choice library) {
  runtime_imports of = {false, false, NULL, NULL, 0};
  check_runtime(to, &of);
  check_library(to, &of, library);
  check_registers(to);
  if (of.any || to->num_functions > 0) check_dlpack(to);
  check_system(to, platform);
  check_needed(to, platform);
}
