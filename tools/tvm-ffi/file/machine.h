/* SPDX-License-Identifier: Apache-2.0 */
/* The machines of ELF files. */
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
  uint32_t flags;          /* e_flags of an object file, without which linkers do not take it */
  unsigned pointer;        /* the relocation that stores an address; 0: not known */
  bool has_implicit_zeros; /* its relocations have no addend of their own: SHT_REL */
} machine;

/* "x86-64", or "machine 123"; the buffer is the caller's. */
const char *machine_name(unsigned number, int bits, bool is_big_endian, char buffer[24]);

/* Of a name, or of "NUMBER:BITS:le", "NUMBER:BITS:be"; "" is that of this program. False when
 * reported. */
bool machine_parse(const char *text, machine *out);

#endif /* TVM_FFI_TOOL_MACHINE_H_ */
