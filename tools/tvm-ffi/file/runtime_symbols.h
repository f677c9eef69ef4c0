/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries import from a runtime, and which runtimes have it. */
#ifndef TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_
#define TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_

#include <stdbool.h>

typedef enum {
  kSymbolForeign, /* none of a runtime */
  kSymbolUnknown, /* by its name of a runtime, but this one has it not */
  kSymbolOwn,     /* no other runtime than this one has it */
  kSymbolReleased /* of the releases from one on */
} symbol_origin;

typedef struct {
  symbol_origin origin;
  int release; /* of kSymbolReleased: N of 0.1.N, the first that has it */
  int last;    /* and the last of the reference; 0 where all have it from the first on */
  const char
      *cxx_name; /* to be read, of what the default library lacks and CXX_LIBRARY has; NULL */
} runtime_symbol;

/* What the name of an import says. */
runtime_symbol runtime_symbol_find(const char *name);

#endif /* TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_ */
