/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a library file, and their results. */
#ifndef TVM_FFI_TOOL_CHECKS_H_
#define TVM_FFI_TOOL_CHECKS_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/command.h"
#include "file/binary_file.h"
#include "file/listing.h"

/* ---- The checks, by name ---- */

typedef enum {
  kCheckFile,
  kCheckNames,
  kCheckEmbedded,
  kCheckExports,
  kCheckClashes,
  kCheckImports,
  kCheckRuntime,
  kCheckLibrary,
  kCheckRegisters,
  kCheckDlpack,
  kCheckSystem,
  kCheckNeeded,
  kCheckUndefined,
  kCheckKind,
  kCheckStack,
  kCheckCode,
  kCheckRelro,
  kCheckBinding,
  kCheckUnloading,
  kCheckAddress,
  kCheckSignature,
  kNumChecks
} check_id;

/* What each looks at, from which the help and the pages of `check` are made; ends with a row
 * without a name. */
extern const help_row kCheckRows[kNumChecks + 1];

/* ---- The results ---- */

typedef enum { kGood, kNote, kBad } level;

typedef struct {
  level severity;
  check_id check;
  char *symbol; /* the symbol, section or library concerned, safe to print; NULL */
  char *said;
} verdict;

typedef struct {
  const char *path;
  verdict *items;
  size_t count;
} verdicts;

bool verdicts_have_failed(const verdicts *list);
void verdicts_print(const verdicts *list);
/* Writes the JSON array "verdicts". */
void verdicts_write_json(const verdicts *list);
void verdicts_free(verdicts *list);

/* ---- Platforms ---- */

enum { kNumFamilies = 4 };

/* The newest symbol versions on a manylinux platform (PEP 600 and the policies of auditwheel). */
typedef struct {
  char name[16];                    /* "2_28" */
  const char *newest[kNumFamilies]; /* versions without the prefix */
  char glibc[16];
} manylinux;

/* Parses "2_28" or "manylinux_2_28"; false after a report. `out` must not be copied: newest[0]
 * points into it. */
bool manylinux_parse(const char *given, manylinux *out);

/* What checks_libc() calls the C library of manylinux. */
extern const char kGlibc[];

/* ---- The checks ---- */

enum { kNoRuntime = -2, kOwnRuntime = -1 };

/* The libtvm_ffi.so that a library is to run on, in the order of the words of --runtime. */
typedef enum { kDefaultLibrary, kCxxLibrary, kAnyLibrary } library_choice;

/* A library and the findings about it. */
typedef struct {
  binary_file *file;
  verdicts found;
  bool is_compiled;     /* its path is that of a source */
  size_t num_functions; /* exported ones */
  int release;          /* N of 0.1.N, the oldest sufficient runtime; or one of the above */
  bool needs_cxx;       /* needs CXX_LIBRARY, for symbols that the default library lacks */
  bool derives_module;  /* derives a class from tvm::ffi::ModuleObj */
} checking;

/* check_exports.c: names, embedded, exports. */
void check_exports(checking *subject);
/* check_exports.c: clashes. The verdicts belong to the later library. */
void check_clashes(checking *subject, const checking *earlier);
/* check_libraries.c: the C library that a file needs, "glibc" or another; NULL if it needs none.
 * *out_symbol: the library, section or symbol that says so. */
const char *checks_libc(const binary_file *file, const char **out_symbol);
/* check_imports.c: imports, runtime, library, registers, dlpack, system. `platform` may be NULL. */
void check_imports(checking *subject, const manylinux *platform, library_choice library);
/* check_libraries.c: needed, kind, undefined. `platform` may be NULL. */
void check_libraries(checking *subject, const manylinux *platform);
/* check_hardening.c: file; and about linking: stack, code, relro, binding, unloading, address,
 * signature. */
void check_file(checking *subject);
void check_hardening(checking *subject);

/* ---- Common helpers ---- */

/* Adds a verdict. The symbol's name is not trusted, and is made safe to print; `said` is the tool's
 * own text [take]. */
void checks_add(checking *subject, level severity, check_id check, const char *symbol, char *said);
/* The same with `said` [borrow]. */
void checks_say(checking *subject, level severity, check_id check, const char *symbol,
                const char *said);
/* Whether the symbol is defined here and visible to others. */
bool checks_is_exported(const binary_symbol *symbol);
/* The readable C++ name of an undefined symbol that only CXX_LIBRARY has; NULL for any other. */
const char *checks_cxx_name(const binary_file *file, const binary_symbol *symbol);

#endif /* TVM_FFI_TOOL_CHECKS_H_ */
