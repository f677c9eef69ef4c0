/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the system's loader has mapped, where they are ELF files: their segments, dynamic
 * sections and symbols, in memory. The recorder (tools/record) reads them with this, too. */
#ifndef TVMFFI_PLATFORM_ELF_IMAGE_H_
#define TVMFFI_PLATFORM_ELF_IMAGE_H_

#include "platform/compiler.h"
#include "platform/platform.h"

#if TVM_FFI_ELF_TABLES
#include "platform/int128.h"

/* Not hidden, in the single file of tools/amalgamate either: these are the C library's. */
#ifndef __PCC__ /* which refuses pragmas that it does not know */
#pragma GCC visibility push(default)
#endif
#include <link.h>
#ifndef __PCC__
#pragma GCC visibility pop
#endif

/* A loaded file. Valid as long as a handle keeps it open. */
typedef struct {
  uintptr_t base;   /* load bias: added to the addresses in its tables */
  const char *path; /* empty: the program; may be NULL */
  const ElfW(Phdr) * segments;
  size_t num_segments;
  const ElfW(Dyn) * entries; /* the dynamic section */
  size_t num_entries;
} tvmffi_elf_image;

typedef struct {
  const ElfW(Sym) * symbols;
  size_t num_symbols;
  const char *strings; /* ends with a NUL */
  size_t strings_size;
} tvmffi_elf_symbols;

/* Calls visit for each loaded file, the program first, until it returns true; then so does this. */
TVMFFI_COLD bool tvmffi_elf_visit_images(bool (*visit)(const tvmffi_elf_image *file, void *context),
                                         void *context);
/* Finds the loaded file that contains an address. */
TVMFFI_COLD bool tvmffi_elf_find_image(const void *address, tvmffi_elf_image *out);
/* The segment that contains an address, or NULL. */
TVMFFI_COLD const ElfW(Phdr) *
    tvmffi_elf_find_segment(const tvmffi_elf_image *file, uintptr_t address);
/* The number of readable bytes from an address to the end of its segment; 0 if there are none. */
TVMFFI_COLD size_t tvmffi_elf_bytes_at(const tvmffi_elf_image *file, uintptr_t address);
/* The dynamic section of an opened library, or NULL. */
TVMFFI_COLD const void *tvmffi_elf_find_dynamic(void *handle);

/* The first entry of the dynamic section with a tag, or NULL. */
TVMFFI_COLD const ElfW(Dyn) * tvmffi_elf_find_entry(const tvmffi_elf_image *file, ElfW(Sxword) tag);
/*
 * The target of a pointer in the dynamic section, NULL if it is not in the file. *out_size: the
 * number of bytes from there to the end of the segment.
 */
TVMFFI_COLD const void *tvmffi_elf_find_pointed(const tvmffi_elf_image *file, ElfW(Sxword) tag,
                                                size_t alignment, size_t *out_size);

TVMFFI_COLD bool tvmffi_elf_find_symbols(const tvmffi_elf_image *file, tvmffi_elf_symbols *out);
TVMFFI_COLD const char *tvmffi_elf_name_at(const tvmffi_elf_symbols *table, size_t offset);
/* The symbol of a name, which the file defines or needs, or NULL. */
TVMFFI_COLD const ElfW(Sym) *
    tvmffi_elf_find_name(const tvmffi_elf_symbols *table, const char *name);

#endif /* TVM_FFI_ELF_TABLES */

#endif /* TVMFFI_PLATFORM_ELF_IMAGE_H_ */
