/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a library the names of this runtime where the loader does not: by ELF files that are
 * written while it is opened. The option `local_runtime` of the build leaves this out. */
#ifndef TVMFFI_PLATFORM_ELF_WRITER_H_
#define TVMFFI_PLATFORM_ELF_WRITER_H_

#include "platform/elf_image.h"

#if TVM_FFI_ELF_TABLES
#include <string.h>

/* On MIPS, glibc reads entries of a global offset table, which the written files have not. */
#if TVM_FFI_LOCAL_RUNTIME && !defined(__mips__)
#define TVMFFI_ELF_WRITES 1

/*
 * Opens a library together with files that have these names, as a group whose handle is returned.
 * NULL if that cannot be done, with a reason if the library needs something of a runtime that this
 * one does not have.
 */
TVMFFI_COLD void *tvmffi_elf_open_group(const char *path, const tvmffi_dl_name *const *lists,
                                        tvmffi_dl_reason *reason);
#else
#define TVMFFI_ELF_WRITES 0
#define tvmffi_elf_open_group(path, lists, reason) NULL
#endif

/* For each name that the program has, in any order. */
#define TVMFFI_FOR_NAMES(lists, list, entry)                  \
  for ((list) = (lists); *(list) != NULL; ++(list))           \
    for ((entry) = *(list); (entry)->name != NULL; ++(entry)) \
      if ((entry)->at.data != NULL)

/* Whether the loader's message is of a name of the runtime: glibc and musl write `: NAME`. */
static inline bool tvmffi_elf_lacks_runtime(const char *message) {
  return strstr(message, ": TVMFFI") != NULL;
}

#endif /* TVM_FFI_ELF_TABLES */

#endif /* TVMFFI_PLATFORM_ELF_WRITER_H_ */
