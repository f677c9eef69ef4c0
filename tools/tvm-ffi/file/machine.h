/* SPDX-License-Identifier: Apache-2.0 */
/* Machines of files, by number and by name. The number is that of the ELF format, EM_*; readers of
 * other formats translate theirs. */
#ifndef TVM_FFI_TOOL_MACHINE_H_
#define TVM_FFI_TOOL_MACHINE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  unsigned number; /* EM_* */
  const char *name;
  int bits;
  bool is_big_endian;
  uint32_t flags;          /* e_flags that linkers require of an object file */
  unsigned pointer;        /* the relocation type that stores an address; 0: not known */
  bool has_implicit_zeros; /* relocations are SHT_REL: without an addend of their own */
  unsigned coff;           /* the number in files of Windows, IMAGE_FILE_MACHINE_*; 0: none */
  uint32_t macho;          /* that in files of macOS, the CPU type; 0: none */
} machine;

/* The machine of this program. */
const char *machine_own_name(void);
/* Whether it is that of this program; true for a program whose machine is not known. */
bool machine_is_own(unsigned number, int bits, bool is_big_endian);
/* "x86-64", or "machine 123", written to the caller's buffer. */
const char *machine_name(unsigned number, int bits, bool is_big_endian, char buffer[24]);

/* The machine by its number in another format; NULL if it is not known. */
const machine *machine_find_coff(unsigned coff);
const machine *machine_find_macho(uint32_t macho);

/* Parses a name, "NUMBER:BITS:le" or "NUMBER:BITS:be"; "" is the machine of this program. False
 * after a report. */
bool machine_parse(const char *text, machine *out);

#endif /* TVM_FFI_TOOL_MACHINE_H_ */
