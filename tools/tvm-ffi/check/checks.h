/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a library's file; the list of them is in the help of `check` and in docs/tool.md.
 */
#ifndef TVM_FFI_TOOL_CHECKS_H_
#define TVM_FFI_TOOL_CHECKS_H_

#include "file/elf_file.h"
#include "file/manylinux.h"
#include "file/verdicts.h"

/* What the name of an exported function begins with. */
#define FUNCTION_PREFIX "__tvm_ffi_"

enum { kNoRuntime = -2, kOwnRuntime = -1 };

/* Which libtvm_ffi.so a library is to run on, by the words of --runtime. */
typedef enum { kDefaultLibrary, kCxxLibrary, kAnyLibrary } library_choice;

/* A library, and what is found of it. */
typedef struct {
  elf_file *file;
  verdicts found;
  size_t num_functions; /* that it exports */
  int release;          /* N of 0.1.N, the oldest runtime that will do; or one of the above */
  bool needs_cxx;       /* CXX_LIBRARY, for what the default library lacks */
  bool derives_module;  /* has a class of modules in C++ */
} checking;

/* check_exports.c: names, embedded, exports. */
void check_exports(checking *to);
/* check_clashes.c: clashes. Verdicts are those of the later library. */
void check_clashes(checking *to, const checking *earlier);
/* check_imports.c: imports, runtime, library, registers, dlpack, system, needed. `platform` may be
 * NULL. */
void check_imports(checking *to, const manylinux *platform, library_choice library);
/* check_linking.c: file, and how it is linked: stack, code, relro, binding, unloading. */
void check_file(checking *to);
void check_linking(checking *to);

/* ---- What these have in common ------------------------------------------------------------------
 */

/* `symbol` is a name of the file; `said` is taken. */
void checks_add(checking *to, level how, const char *check, const char *symbol, char *said);
void checks_say(checking *to, level how, const char *check, const char *symbol, const char *said);
bool checks_begins(const char *name, const char *prefix);
/* What follows FUNCTION_PREFIX; NULL for a name that begins otherwise. */
const char *checks_skip_prefix(const char *name);
/* Whether others see what a symbol names. */
bool checks_is_exported(const elf_symbol *symbol);
/* The readable name of what a library needs CXX_LIBRARY for; NULL for any other symbol. */
const char *checks_cxx_name(const elf_symbol *symbol);

#endif /* TVM_FFI_TOOL_CHECKS_H_ */
