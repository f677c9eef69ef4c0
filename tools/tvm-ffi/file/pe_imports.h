/* SPDX-License-Identifier: Apache-2.0 */
/* The imports of PE files: from libraries that are loaded with the file, and from delayed ones. */
#ifndef TVM_FFI_TOOL_PE_IMPORTS_H_
#define TVM_FFI_TOOL_PE_IMPORTS_H_

#include "file/pe_header.h"

/* Adds the imports to the symbols, and their libraries to those that are needed. False after a
 * report. */
bool pe_read_imports(binary_file *file, const pe_header *header);

#endif /* TVM_FFI_TOOL_PE_IMPORTS_H_ */
