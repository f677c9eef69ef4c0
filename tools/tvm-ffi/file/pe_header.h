/* SPDX-License-Identifier: Apache-2.0 */
/* The header of PE files, and where their addresses are in the file. */
#ifndef TVM_FFI_TOOL_PE_HEADER_H_
#define TVM_FFI_TOOL_PE_HEADER_H_

#include "file/binary_file.h"
#include "file/coff.h"

enum { kExportDirectory, kImportDirectory, kDelayDirectory = 13, kNumDirectories = 16 };

typedef struct {
  uint32_t address, size;
} pe_directory;

typedef struct {
  coff_header coff;
  uint64_t base; /* where it would like to be loaded */
  uint32_t headers_size;
  pe_directory directories[kNumDirectories]; /* address 0: not there */
} pe_header;

/* Also fills in what the header says of the file. False after a report. */
bool pe_read_header(binary_file *file, pe_header *out);

/* The number of the section that an address is in; 0. */
size_t pe_find_section(const pe_header *header, uint64_t address);
/* The bytes of the file from an address up to the end of the section; empty if there are none. */
byte_range pe_get_bytes(const pe_header *header, uint64_t address);
/* The text at an address; NULL. */
const char *pe_get_text(const pe_header *header, uint64_t address);

#endif /* TVM_FFI_TOOL_PE_HEADER_H_ */
