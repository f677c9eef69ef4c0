/* SPDX-License-Identifier: Apache-2.0 */
/* COFF: the header, sections and symbols, which object files and libraries of Windows have in
 * common. */
#ifndef TVM_FFI_TOOL_COFF_H_
#define TVM_FFI_TOOL_COFF_H_

#include "file/bytes.h"

enum { kCoffHeaderSize = 20, kCoffSectionSize = 40, kCoffSymbolSize = 18, kCoffShortName = 8 };

/* Flags of the file. */
enum { kCoffLibrary = 0x2000 };

/* Flags of a section. */
enum { kCoffCode = 0x20, kCoffComdat = 0x1000, kCoffExecutable = 0x20000000 };
#define COFF_WRITABLE 0x80000000u

/* Kinds of symbols that others see. */
enum { kCoffExternal = 2, kCoffWeak = 105 };

typedef struct {
  byte_range image; /* the whole file */
  unsigned machine, flags;
  size_t num_sections;
  uint64_t optional_at, optional_size; /* the header behind this one */
  byte_range symbols, names;           /* empty if the file has none */
  size_t num_symbols;
} coff_header;

typedef struct {
  uint32_t virtual_size, address, size, offset, flags;
} coff_section;

typedef struct {
  uint32_t value;
  int section; /* from 1 on; 0: undefined; else absolute or for debuggers */
  bool is_function;
  unsigned storage_class, num_more; /* records that follow it */
} coff_symbol;

/* False if the headers or the symbols are not in the image. */
bool coff_read_header(const byte_range *image, uint64_t at, coff_header *out);
/* For i < num_sections. */
coff_section coff_read_section(const coff_header *header, size_t i);
/* For i < num_symbols. */
coff_symbol coff_read_symbol(const coff_header *header, size_t i);
/* The name of a symbol: a text of the image, or written to the caller's buffer. NULL if it is not
 * in the image. */
const char *coff_read_name(const coff_header *header, size_t i, char buffer[kCoffShortName + 1]);
/* The index of the symbol that takes the place of a weak one if no other is found. */
size_t coff_read_default(const coff_header *header, size_t i);

#endif /* TVM_FFI_TOOL_COFF_H_ */
