/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what a library needs from the runtime and from the system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/install_paths.h"
#include "base/report.h"
#include "base/text.h"
#include "check/checks.h"
#include "file/runtime_symbols.h"

/* ---- Platforms ---- */

static const char *const kFamilies[kNumFamilies] = {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"};

/* The newest versions of the other families, from this version of glibc on. */
static const struct {
  int minor; /* of glibc 2 */
  const char *newest[kNumFamilies - 1];
} kPlatforms[] = {
    {5, {"3.4.8", "1.3.1", "4.2.0"}},     {12, {"3.4.13", "1.3.3", "4.3.0"}},
    {17, {"3.4.19", "1.3.7", "4.8.0"}},   {24, {"3.4.22", "1.3.10", "4.8.0"}},
    {27, {"3.4.24", "1.3.11", "7.0.0"}},  {31, {"3.4.28", "1.3.12", "7.0.0"}},
    {34, {"3.4.29", "1.3.13", "7.0.0"}},  {35, {"3.4.30", "1.3.13", "12.0.0"}},
    {39, {"3.4.33", "1.3.15", "14.0.0"}},
};
enum { kNumPlatforms = sizeof kPlatforms / sizeof *kPlatforms };

bool manylinux_parse(const char *given, manylinux *out) {
  static const char kPrefix[] = "manylinux_";
  int minor, end = 0, row = 0, i;
  if (text_begins(given, kPrefix)) given += strlen(kPrefix);
  if (sscanf(given, "2_%3d%n", &minor, &end) != 1 || given[end] != '\0' ||
      minor < kPlatforms[0].minor) {
    return report_error("--manylinux must be 2_N with N from 5, such as 2_28, not \"%s\"", given);
  }
  while (row + 1 < kNumPlatforms && kPlatforms[row + 1].minor <= minor) ++row;
  snprintf(out->name, sizeof out->name, "2_%d", minor);
  snprintf(out->glibc, sizeof out->glibc, "2.%d", minor);
  out->newest[0] = out->glibc;
  for (i = 1; i < kNumFamilies; ++i) out->newest[i] = kPlatforms[row].newest[i - 1];
  return true;
}

/* Compares versions such as "3.4.29" like strcmp(); one that is not a number is the greatest. */
static int manylinux_compare(const char *a, const char *b) {
  for (;;) {
    char *a_end, *b_end;
    unsigned long a_part = strtoul(a, &a_end, 10), b_part = strtoul(b, &b_end, 10);
    if (a_end == a || b_end == b) return (a_end == a) - (b_end == b); /* "PRIVATE" */
    if (a_part != b_part) return a_part < b_part ? -1 : 1;
    if (*a_end != '.' || *b_end != '.') return (*a_end == '.') - (*b_end == '.');
    a = a_end + 1;
    b = b_end + 1;
  }
}

/* ---- The runtime ---- */

/* Summary of the imports: whether any is from a runtime, and which runtimes have all of them. */
typedef struct {
  bool has_any, from_own;
  const char *newest; /* the import that decides which is the oldest sufficient runtime */
  const binary_symbol *first_cxx; /* the first that only CXX_LIBRARY has */
  size_t num_cxx;
} runtime_imports;

static void check_weak_import(checking *subject, const binary_symbol *symbol,
                              const runtime_symbol *found) {
  if (found->origin == kSymbolUnknown) {
    checks_add(subject, kNote, kCheckImports, symbol->name,
               tool_format("not in any %s of this runtime; it is weak",
                           runtime_library_name(subject->file->format)));
  } else if (found->cxx_name != NULL) {
    checks_add(subject, kNote, kCheckImports, symbol->name,
               tool_format("is %s, which " CXX_LIBRARY " has and the default libtvm_ffi.so lacks; "
                           "it is weak",
                           found->cxx_name));
  }
}

static void check_import(checking *subject, const binary_symbol *symbol, runtime_imports *imports) {
  runtime_symbol found = runtime_symbol_of_import(subject->file, symbol);
  if (found.origin == kSymbolForeign) return;
  imports->has_any = true;
  if (symbol->is_weak) {
    check_weak_import(subject, symbol, &found);
  } else if (found.origin == kSymbolUnknown) {
    checks_add(
        subject, kBad, kCheckImports, symbol->name,
        tool_format("not in any %s of this runtime", runtime_library_name(subject->file->format)));
    subject->release = kNoRuntime;
  } else if (found.origin == kSymbolOwn) {
    checks_say(subject, kNote, kCheckRuntime, symbol->name, "only this runtime has it");
    imports->from_own = true;
  } else if (imports->newest == NULL || found.release > subject->release) {
    imports->newest = symbol->name;
    if (subject->release != kNoRuntime) subject->release = found.release;
  }
  if (found.last != 0 && !symbol->is_weak) {
    checks_add(subject, kNote, kCheckRuntime, symbol->name,
               tool_format("the reference has it up to 0.1.%d", found.last));
  }
  if (checks_cxx_name(subject->file, symbol) != NULL && imports->num_cxx++ == 0) {
    imports->first_cxx = symbol;
  }
}

static void check_runtime(checking *subject, runtime_imports *imports) {
  const binary_file *file = subject->file;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    if (!file->symbols[i].is_defined) check_import(subject, &file->symbols[i], imports);
  }
  if (subject->release == kNoRuntime) return;
  if (imports->from_own) {
    subject->release = kOwnRuntime;
  } else if (subject->release > 0) {
    checks_add(subject, kGood, kCheckRuntime, imports->newest,
               tool_format("needs 0.1.%d or newer", subject->release));
  } else {
    checks_say(subject, kGood, kCheckRuntime, NULL,
               imports->has_any ? "any version will do, from 0.1.0 on"
                                : "nothing is imported from a runtime");
  }
}

/* ---- Purpose of the imports ---- */

/* Imports that have the same meaning. */
typedef struct {
  const char *said;
  const char *names[5]; /* ends with NULL */
} meaning;

/* Reports each meaning once if any of its imports is there; whether any was reported. */
static bool say_meanings(checking *subject, check_id check, const meaning *meanings, size_t count) {
  bool reported = false;
  size_t i, k;
  for (i = 0; i < count; ++i) {
    for (k = 0; meanings[i].names[k] != NULL; ++k) {
      if (binary_file_find_import(subject->file, meanings[i].names[k]) == NULL) continue;
      checks_say(subject, kNote, check, meanings[i].names[k], meanings[i].said);
      reported = true;
      break;
    }
  }
  return reported;
}

/* The names of what is registered are arguments of calls; in the file they cannot be told from
 * other strings. */
static void check_registers(checking *subject) {
  static const meaning kMeanings[] = {
      {"registers global functions, whose names are not in the file: see tvm-ffi registry --lib",
       {"TVMFFIFunctionSetGlobal", "TVMFFIFunctionSetGlobalFromMethodInfo", NULL}},
      {"registers types, whose keys are not in the file: see tvm-ffi types --lib",
       {"TVMFFITypeRegisterMetadata", "TVMFFITypeRegisterField", "TVMFFITypeRegisterMethod",
        "TVMFFITypeRegisterAttr", NULL}},
      {"registers functions of the system library, where the second of the same name replaces the "
       "first",
       {"TVMFFIEnvModRegisterSystemLibSymbol", NULL}},
  };
  (void)say_meanings(subject, kCheckRegisters, kMeanings, sizeof kMeanings / sizeof *kMeanings);
}

/* Only managed tensors reveal the DLPack version, and only its major number: a DLTensor is the same
 * in all versions, and the header used for compiling leaves no trace. */
static void check_dlpack(checking *subject) {
  static const meaning kMeanings[] = {
      {"tensors without a version, of DLPack 0.x",
       {"TVMFFITensorFromDLPack", "TVMFFITensorToDLPack", NULL}},
      {"versioned tensors, of DLPack 1.x",
       {"TVMFFITensorFromDLPackVersioned", "TVMFFITensorToDLPackVersioned",
        "TVMFFIEnvSetDLPackManagedTensorAllocator", "TVMFFIEnvGetDLPackManagedTensorAllocator",
        NULL}},
  };
  if (!say_meanings(subject, kCheckDlpack, kMeanings, sizeof kMeanings / sizeof *kMeanings)) {
    checks_say(subject, kGood, kCheckDlpack, NULL,
               "exchanges no managed tensors, so any version will do; the one it was compiled with "
               "cannot be determined");
  }
}

/* ---- The default or the C++ libtvm_ffi.so ---- */

/* The import by which a class derived from tvm::ffi::ModuleObj shows; NULL if there is none. */
static const binary_symbol *find_base_module(const binary_file *file) {
  static const char *const kNames[] = {
      "_ZN3tvm3ffi9ModuleObj12ClearImportsEv",
      "_ZN3tvm3ffi9ModuleObj12ImportModuleERKNS0_6ModuleE",
      "_ZTIN3tvm3ffi9ModuleObjE",
      "_ZTVN3tvm3ffi9ModuleObjE",
  };
  const binary_symbol *found = NULL;
  size_t i;
  for (i = 0; found == NULL && i < sizeof kNames / sizeof *kNames; ++i) {
    found = binary_file_find_import(file, kNames[i]);
  }
  return found;
}

static void say_cxx_functions(checking *subject, const runtime_imports *imports, level severity) {
  const char *name = checks_cxx_name(subject->file, imports->first_cxx);
  if (imports->num_cxx == 1) {
    checks_add(
        subject, severity, kCheckLibrary, imports->first_cxx->name,
        tool_format("is %s, which " CXX_LIBRARY " has and the default libtvm_ffi.so lacks", name));
  } else {
    checks_add(subject, severity, kCheckLibrary, imports->first_cxx->name,
               tool_format("is %s, one of %zu C++ symbols that " CXX_LIBRARY
                           " has and the default libtvm_ffi.so lacks",
                           name, imports->num_cxx));
  }
}

/* In files of Windows, and in most of macOS, each import names a library, which has to be in the
 * process under that name. */
static void check_origin(checking *subject) {
  const binary_file *file = subject->file;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    char *library;
    if (symbol->is_defined || symbol->origin == NULL ||
        runtime_symbol_of_import(file, symbol).origin == kSymbolForeign ||
        runtime_is_library(symbol->origin, file->format)) {
      continue;
    }
    library = text_escape(symbol->origin, strlen(symbol->origin));
    checks_add(subject, kNote, kCheckLibrary, symbol->name,
               tool_format("is imported from %s, but the runtime is %s", library,
                           runtime_library_name(file->format)));
    free(library);
    return;
  }
}

static void check_library(checking *subject, const runtime_imports *imports,
                          library_choice library) {
  const binary_file *file = subject->file;
  const binary_symbol *base = file->format == kFormatElf ? find_base_module(file) : NULL;
  subject->needs_cxx = imports->num_cxx > 0;
  subject->derives_module = base != NULL;
  if (library != kCxxLibrary && subject->needs_cxx) {
    say_cxx_functions(subject, imports, library == kDefaultLibrary ? kBad : kNote);
  } else if (library != kCxxLibrary && base != NULL) {
    checks_say(subject, kNote, kCheckLibrary, base->name,
               "is for a class derived from tvm::ffi::ModuleObj, whose methods the default "
               "libtvm_ffi.so calls with the help of libtvm_ffi_cxx.so in its folder");
  } else if (imports->has_any && subject->release != kNoRuntime) {
    checks_add(subject, kGood, kCheckLibrary, NULL,
               file->format == kFormatElf && library == kCxxLibrary
                   ? tool_format(CXX_LIBRARY " has everything that it imports")
                   : tool_format("%s%s has everything that it imports",
                                 file->format == kFormatElf ? "the default " : "",
                                 runtime_library_name(file->format)));
  }
}

/* ---- The system ---- */

/* The import with the newest symbol version that begins with `prefix`; NULL if there is none. */
static const binary_symbol *find_newest(const binary_file *file, const char *prefix) {
  const binary_symbol *newest = NULL;
  size_t length = strlen(prefix), i;
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (symbol->version == NULL || !text_begins(symbol->version, prefix)) continue;
    if (newest == NULL ||
        manylinux_compare(symbol->version + length, newest->version + length) > 0) {
      newest = symbol;
    }
  }
  return newest;
}

/* Compares the needed version of a system library with the platform's limit, if one is given. */
static void check_version(checking *subject, const char *family, const binary_symbol *newest,
                          const manylinux *platform, const char *limit) {
  char *version = text_escape(newest->version, strlen(newest->version));
  if (platform == NULL) {
    checks_add(subject, kNote, kCheckSystem, newest->name, tool_format("needs %s", version));
  } else if (manylinux_compare(newest->version + strlen(family), limit) <= 0) {
    checks_add(subject, kGood, kCheckSystem, newest->name, tool_format("needs %s", version));
  } else {
    checks_add(
        subject, kBad, kCheckSystem, newest->name,
        tool_format("needs %s; manylinux_%s has %s%s", version, platform->name, family, limit));
  }
  free(version);
}

static void check_system(checking *subject, const manylinux *platform) {
  size_t old_count = subject->found.count, i;
  const char *libc, *symbol;
  if (subject->file->format != kFormatElf) {
    if (platform != NULL) {
      checks_say(subject, kBad, kCheckSystem, NULL, "manylinux is only for Linux files");
    }
    return;
  }
  if (subject->file->is_object) {
    if (platform != NULL) {
      checks_say(subject, kNote, kCheckSystem, NULL, "versions are chosen when it is linked");
    }
    return;
  }
  for (i = 0; i < kNumFamilies; ++i) {
    const binary_symbol *newest = find_newest(subject->file, kFamilies[i]);
    if (newest == NULL) continue;
    check_version(subject, kFamilies[i], newest, platform,
                  platform != NULL ? platform->newest[i] : NULL);
  }
  libc = checks_libc(subject->file, &symbol);
  if (platform != NULL && subject->found.count == old_count &&
      (libc == NULL || strcmp(libc, kGlibc) == 0)) {
    checks_say(subject, kGood, kCheckSystem, NULL,
               "needs no particular version of glibc or libstdc++");
  }
}

void check_imports(checking *subject, const manylinux *platform, library_choice library) {
  runtime_imports imports = {false, false, NULL, NULL, 0};
  check_runtime(subject, &imports);
  check_library(subject, &imports, library);
  check_registers(subject);
  if (imports.has_any || subject->num_functions > 0) check_dlpack(subject);
  check_origin(subject);
  check_system(subject, platform);
}
