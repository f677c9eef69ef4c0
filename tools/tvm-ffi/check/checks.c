/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "file/runtime_symbols.h"

/* ---- The checks, by name ---- */

const help_row kCheckRows[kNumChecks + 1] = {
    [kCheckFile] = {"file", "the kind of file", "a program, which cannot be loaded",
                    "an object file; a name that does not end in `.so`, without which the "
                    "package's runtime finds no loader for it"},
    [kCheckNames] =
        {"names", "exported functions, `__tvm_ffi_NAME`",
         "a name that is reserved, invalid or exported twice; data where a function belongs, or "
         "the reverse; a `__tvm_ffi__library_ctx` that cannot be written",
         "no functions; hidden functions; metadata or documentation of a function that does not "
         "exist; `TVMFFIEnvModLookupFromImports` without `__tvm_ffi__library_ctx`"},
    [kCheckEmbedded] = {"embedded", "the modules in `__tvm_ffi__library_bin`",
                        "no bytes, or malformed ones",
                        "kinds of modules that need a loader; empty modules; bytes that belong to "
                        "no module; no size; functions, but no `_lib` module"},
    [kCheckExports] = {"exports", "functions of a runtime, and C++ code of `tvm::ffi`", NULL,
                       "any of these: a second runtime has its own types, and C++ code may replace "
                       "that of another library"},
    [kCheckClashes] =
        {"clashes", "symbols that an earlier file for the same machine also has",
         "object files that define the same `__tvm_ffi_` symbol: no linker accepts both",
         "object files where one of the two is weak; functions that two libraries export; symbols "
         "that are unique in the process"},
    [kCheckImports] =
        {"imports", "functions imported from a runtime",
         "one that no `libtvm_ffi.so` of this runtime has",
         "a weak one that none has, or that only the library with the C++ functions has"},
    [kCheckRuntime] =
        {"runtime", "the oldest release that has all of these", NULL,
         "a function that only this runtime has, or that newer releases of the reference lack"},
    [kCheckLibrary] = {"library", "which `libtvm_ffi.so` has all of these",
                       "with `--runtime=c`, C++ functions that the default library lacks",
                       "the same without the option; a class of modules in C++; imports that a PE "
                       "or Mach-O file expects in a library other than the runtime"},
    [kCheckRegisters] = {"registers", "imports that register functions or types", NULL,
                         "global functions, types, functions of the system library"},
    [kCheckDlpack] = {"dlpack", "imports that exchange DLPack's managed tensors", NULL,
                      "their major version"},
    [kCheckSystem] =
        {"system", "the versions of glibc, libstdc++ and libgcc that it needs",
         "with `--manylinux`, newer ones than it allows, and files that are not for Linux",
         "the newest version that it needs, without `--manylinux`"},
    [kCheckNeeded] = {"needed", "the libraries that it needs, and where they are searched for",
                      "with `--manylinux`, a C library other than glibc",
                      "a C library other than this system's; a runtime by its name; a path of the "
                      "machine it was built on; libraries of MinGW-w64 that other machines lack"},
    [kCheckUndefined] = {"undefined",
                         "whether needed libraries define the other imports, resolved as this "
                         "machine's loader would (this machine's files only)",
                         NULL,
                         "a name that none of them defines: one of a driver, or a `_ZTI...` whose "
                         "file was not linked"},
    [kCheckKind] = {"kind", "whether it is also an extension of Python or PyTorch", NULL,
                    "it has `PyInit_NAME`; it registers operators of PyTorch"},
    [kCheckStack] = {"stack", "whether the stack holds data only", "an executable stack",
                     "the same in a PE file"},
    [kCheckCode] = {"code", "whether code is read-only",
                    "text relocations; a segment that is both writable and executable", NULL},
    [kCheckRelro] = {"relro", "whether relocated data becomes read-only", NULL, "it does not"},
    [kCheckBinding] = {"binding", "whether all functions are bound when the library is loaded",
                       NULL, "they are bound when they are first called"},
    [kCheckUnloading] = {"unloading",
                         "unique symbols, because of which glibc never unloads a library", NULL,
                         "the library has one"},
    [kCheckAddress] = {"address", "on Windows, whether the library is loaded at a random address",
                       NULL, "the address is fixed, or one of a few"},
    [kCheckSignature] = {"signature", "on macOS, whether the code is signed",
                         "unsigned code for arm64, which macOS does not load", NULL},
    [kNumChecks] = {NULL, NULL, NULL, NULL},
};

/* ---- The results ---- */

bool verdicts_have_failed(const verdicts *list) {
  size_t i;
  for (i = 0; i < list->count; ++i) {
    if (list->items[i].severity == kBad) return true;
  }
  return false;
}

void verdicts_print(const verdicts *list) {
  static const char *const kWords[] = {"ok", "note", "FAIL"};
  static const color kColors[] = {kColorGood, kColorDim, kColorBad};
  size_t i;
  text_print_escaped(stdout, list->path);
  putchar('\n');
  for (i = 0; i < list->count; ++i) {
    const verdict *item = &list->items[i];
    printf("  %s%-4s%s  %-9s  %s%s%s\n", report_color(kColors[item->severity]),
           kWords[item->severity], report_color(kColorNone), kCheckRows[item->check].name,
           item->symbol != NULL ? item->symbol : "", item->symbol != NULL ? ": " : "", item->said);
  }
}

void verdicts_write_json(const verdicts *list) {
  static const char *const kWords[] = {"ok", "note", "fail"};
  size_t i;
  json_begin_array("verdicts");
  for (i = 0; i < list->count; ++i) {
    const verdict *item = &list->items[i];
    json_begin_object(NULL);
    json_text("verdict", kWords[item->severity]);
    json_text("check", kCheckRows[item->check].name);
    json_text("symbol", item->symbol);
    json_text("said", item->said);
    json_end();
  }
  json_end();
}

void verdicts_free(verdicts *list) {
  size_t i;
  for (i = 0; i < list->count; ++i) {
    free(list->items[i].symbol);
    free(list->items[i].said);
  }
  free(list->items);
}

/* ---- Common helpers ---- */

void checks_add(checking *subject, level severity, check_id check, const char *symbol, char *said) {
  verdicts *list = &subject->found;
  verdict *next;
  list->items = tool_grow(list->items, list->count, sizeof *list->items);
  next = &list->items[list->count++];
  next->severity = severity;
  next->check = check;
  next->symbol = symbol != NULL ? text_escape(symbol, strlen(symbol)) : NULL;
  next->said = said;
}

void checks_say(checking *subject, level severity, check_id check, const char *symbol,
                const char *said) {
  checks_add(subject, severity, check, symbol, tool_copy(said, strlen(said)));
}

bool checks_is_exported(const binary_symbol *symbol) {
  return symbol->is_defined && !symbol->is_hidden;
}

const char *checks_cxx_name(const binary_file *file, const binary_symbol *symbol) {
  return symbol->is_defined || symbol->is_weak
             ? NULL
             : runtime_symbol_find(symbol->name, file->format).cxx_name;
}
