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

/* For kSymbolReleased also the last number of the first release, N of 0.1.N. */
symbol_origin runtime_symbol_find(const char *name, int *out_release);

#endif /* TVM_FFI_TOOL_RUNTIME_SYMBOLS_H_ */
