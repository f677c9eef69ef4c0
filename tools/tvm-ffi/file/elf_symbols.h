/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of an ELF file, with the versions of imports. */
#ifndef TVM_FFI_TOOL_ELF_SYMBOLS_H_
#define TVM_FFI_TOOL_ELF_SYMBOLS_H_

#include "file/binary_file.h"
#include "file/elf_header.h"

/* Fills the symbols of a file whose sections are listed; false after a report. */
bool elf_symbols_read(binary_file *file, const elf_header *header);
/* See binary_file_visit_hidden(). */
void elf_symbols_visit_hidden(const elf_header *header,
                              void (*visit)(void *context, const char *name), void *context);

#endif /* TVM_FFI_TOOL_ELF_SYMBOLS_H_ */
