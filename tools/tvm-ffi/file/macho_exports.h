/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader finds in a Mach-O file: a tree whose edges are parts of names. */
#ifndef TVM_FFI_TOOL_MACHO_EXPORTS_H_
#define TVM_FFI_TOOL_MACHO_EXPORTS_H_

#include "file/macho_header.h"

/* Reads the exports, if the file has the tree, and makes room for the symbols of the symbol table,
 * too. The sections must have been read. False after a report. */
bool macho_read_exports(binary_file *file, const macho *header);

#endif /* TVM_FFI_TOOL_MACHO_EXPORTS_H_ */
