/* SPDX-License-Identifier: Apache-2.0 */
/* The header and the load commands of Mach-O files. */
#ifndef TVM_FFI_TOOL_MACHO_HEADER_H_
#define TVM_FFI_TOOL_MACHO_HEADER_H_

#include "file/binary_file.h"
#include "file/bytes.h"

enum { kObjectFile = 1, kProgram = 2, kLibrary = 6, kBundle = 8, kLibraryStub = 9 };
enum { kTwoLevelNames = 0x80, kAllowStackExecution = 0x20000 }; /* flags of the file */

/* Load commands. */
#define IS_REQUIRED 0x80000000u
enum {
  kSegment = 1,
  kSymbolTable = 2,
  kLoadLibrary = 0xc,
  kLibraryId = 0xd,
  kLoadWeakLibrary = 0x18,
  kSegment64 = 0x19,
  kSearchPath = 0x1c,
  kCodeSignature = 0x1d,
  kReexportLibrary = 0x1f,
  kLazyLoadLibrary = 0x20,
  kLoaderInfo = 0x22,
  kLoadUpwardLibrary = 0x23,
  kExportsTrie = 0x33
};

typedef struct {
  byte_range image; /* of one machine */
  uint64_t at;      /* where it is in the file */
  size_t word;      /* the size of an address: 4 or 8 */
  uint32_t cpu, type, flags;
  byte_range commands;
  uint64_t base; /* the address of its first byte */
  byte_range symbols, names, exports;
  size_t num_symbols;
} macho;

typedef struct {
  uint32_t kind; /* without IS_REQUIRED */
  byte_range bytes;
} macho_command;

/* Whether a file begins like one of these, or like a universal one. */
bool macho_recognise(const char *image, size_t size);
/* Reads the header; of a universal file, that for this machine, or else the first. False if it or
 * the load commands are not in the file. */
bool macho_parse(const binary_file *file, macho *out);
/* Takes the next command off `rest`. False at the end, and if a command is longer than the rest. */
bool macho_next_command(byte_range *rest, macho_command *out);

uint64_t macho_take_word(const macho *header, byte_cursor *cursor);
/* The range of the file that the next two fields describe; false if it is not in the file. */
bool macho_take_range(const macho *header, byte_cursor *cursor, byte_range *out);

#endif /* TVM_FFI_TOOL_MACHO_HEADER_H_ */
