/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols that libraries import from a runtime, and which runtimes have them. */
#ifndef TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_
#define TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_

#include <stdbool.h>

#include "file/binary_file.h"

typedef enum {
  kSymbolForeign, /* not of a runtime */
  kSymbolUnknown, /* named like one of a runtime, but this one lacks it */
  kSymbolOwn,     /* only this runtime has it */
  kSymbolReleased /* in releases of the reference, from one on */
} symbol_origin;

typedef struct {
  symbol_origin origin;
  int release; /* of kSymbolReleased: N of 0.1.N, the first release */
  int last;    /* the reference's last release with it; 0: all later ones have it */
  const char
      *cxx_name; /* demangled, if only CXX_LIBRARY has it and not the default library; NULL */
} runtime_symbol;

/* Classifies an import by its name, for a file of this format: there are libraries with the C++
 * functions for ELF alone. */
runtime_symbol runtime_symbol_find(const char *name, binary_format format);
/* The same for an import of a file; one that the file says to be of another library is not of a
 * runtime, unless that has it. */
runtime_symbol runtime_symbol_of_import(const binary_file *file, const binary_symbol *import);
/* Whether a library that a file of this format needs is the runtime, by its name. */
bool runtime_is_library(const char *path, binary_format format);
/* "libtvm_ffi.so": the file name of the runtime that libraries of this format are for. */
const char *runtime_library_name(binary_format format);

#endif /* TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_ */
