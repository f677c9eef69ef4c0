/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the ELF format that are read or written here, under the names that its
 * specification gives them. Not the system's <elf.h>: many systems have none. */
#ifndef TVM_FFI_TOOL_ELF_FORMAT_H_
#define TVM_FFI_TOOL_ELF_FORMAT_H_

#define ELFMAG "\177ELF"

enum {
  SELFMAG = 4, /* the length of ELFMAG */

  /* The first bytes of a file. */
  EI_CLASS = 4,
  EI_DATA = 5,
  EI_VERSION = 6,
  EI_OSABI = 7,
  EI_ABIVERSION = 8,
  EI_NIDENT = 16,
  ELFCLASS32 = 1,
  ELFCLASS64 = 2,
  ELFDATA2LSB = 1,
  ELFDATA2MSB = 2,
  EV_CURRENT = 1,
  ELFOSABI_FREEBSD = 9,

  /* Kinds of files. */
  ET_REL = 1,
  ET_EXEC = 2,
  ET_DYN = 3,

  /* Segments. */
  PN_XNUM = 0xffff,
  PT_LOAD = 1,
  PT_INTERP = 3,
  PT_NOTE = 4,
  PT_GNU_STACK = 0x6474e551,
  PT_GNU_RELRO = 0x6474e552,
  PF_X = 1,
  PF_W = 2,
  NT_GNU_BUILD_ID = 3, /* a kind of note, in a segment of notes */

  /* Sections. */
  SHN_UNDEF = 0,
  SHN_LORESERVE = 0xff00,
  SHN_COMMON = 0xfff2,
  SHN_XINDEX = 0xffff,
  SHT_PROGBITS = 1,
  SHT_SYMTAB = 2,
  SHT_STRTAB = 3,
  SHT_RELA = 4,
  SHT_DYNAMIC = 6,
  SHT_NOBITS = 8,
  SHT_REL = 9,
  SHT_DYNSYM = 11,
  SHT_SYMTAB_SHNDX = 18,
  SHT_GNU_verneed = 0x6ffffffe,
  SHT_GNU_versym = 0x6fffffff,
  SHF_WRITE = 1,
  SHF_ALLOC = 2,
  SHF_EXECINSTR = 4,
  SHF_INFO_LINK = 0x40,
  SHF_X86_64_LARGE = 0x10000000, /* data that need not be near the code */

  /* Symbols. */
  STB_LOCAL = 0,
  STB_GLOBAL = 1,
  STB_WEAK = 2,
  STB_GNU_UNIQUE = 10,
  STT_NOTYPE = 0,
  STT_OBJECT = 1,
  STT_FUNC = 2,
  STT_SECTION = 3,
  STT_GNU_IFUNC = 10,
  STV_DEFAULT = 0,
  STV_INTERNAL = 1,
  STV_HIDDEN = 2,

  /* The dynamic section. */
  DT_NULL = 0,
  DT_NEEDED = 1,
  DT_SONAME = 14,
  DT_RPATH = 15,
  DT_TEXTREL = 22,
  DT_BIND_NOW = 24,
  DT_RUNPATH = 29,
  DT_FLAGS = 30,
  DT_FLAGS_1 = 0x6ffffffb,
  DF_TEXTREL = 4,
  DF_BIND_NOW = 8,
  DF_1_NOW = 1,
  DF_1_PIE = 0x08000000,

  /* Machines. */
  EM_386 = 3,
  EM_MIPS = 8,
  EM_PPC = 20,
  EM_PPC64 = 21,
  EM_S390 = 22,
  EM_ARM = 40,
  EM_SPARCV9 = 43,
  EM_X86_64 = 62,
  EM_AARCH64 = 183,
  EM_CUDA = 190,
  EM_AMDGPU = 224,
  EM_RISCV = 243,
  EM_LOONGARCH = 258,

  /* Relocations that store an address. */
  R_386_32 = 1,
  R_PPC_ADDR32 = 1,
  R_PPC64_ADDR64 = 38,
  R_390_64 = 22,
  R_ARM_ABS32 = 2,
  R_X86_64_64 = 1,
  R_AARCH64_ABS64 = 257,
  R_RISCV_32 = 1,
  R_RISCV_64 = 2,
  R_LARCH_64 = 2
};

#endif /* TVM_FFI_TOOL_ELF_FORMAT_H_ */
