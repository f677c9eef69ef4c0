/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file of any machine, class and byte order, read and never run. Everything in it may be
 * wrong: what is handed out lies inside the file. */
#ifndef TVM_FFI_TOOL_ELF_FILE_H_
#define TVM_FFI_TOOL_ELF_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  const char *version;    /* of an import, "GLIBC_2.17"; NULL */
  const char *version_of; /* the library that has this version; NULL */
  uint64_t value, size;
  size_t section; /* where its bytes are; 0: nowhere */
  bool is_defined, is_function, is_weak, is_unique, is_hidden, is_writable;
  bool is_common; /* of an object file: C's tentative definition, merged with others */
} elf_symbol;

typedef struct {
  const char *path;
  size_t size;
  int bits; /* 32 or 64 */
  bool is_big_endian, is_object, is_program;
  unsigned machine;    /* EM_* */
  elf_symbol *symbols; /* by name: of the dynamic table, or of an object file's */
  size_t num_symbols;
  const char **needed; /* names of libraries */
  size_t num_needed;
  const char *soname;                         /* NULL */
  const char *search_path;                    /* DT_RUNPATH or DT_RPATH; NULL */
  bool has_stack_header, is_stack_executable; /* PT_GNU_STACK, or the section of an object file */
  bool has_relro, binds_now, has_text_relocations;
  bool has_writable_code; /* a segment that may be written and run */
  void *handle;           /* of libelf */
  char *image;
} elf_file;

/* NULL when reported: the file cannot be read, or is not right. */
elf_file *elf_file_open(const char *path);
/* The same of bytes that were read; takes them whatever comes. `path` is borrowed. */
elf_file *elf_file_open_image(const char *path, char *image, size_t size);
void elf_file_close(elf_file *file);

/* Whether a system's loader finds all of a library in the file, which it maps without a look at its
 * length; false when reported, under that name. What is no ELF file passes. */
bool elf_file_is_whole(const char *path, const char *name);

/* A defined symbol; one that others see; one that others have to define. NULL. */
const elf_symbol *elf_file_find(const elf_file *file, const char *name);
const elf_symbol *elf_file_find_exported(const elf_file *file, const char *name);
const elf_symbol *elf_file_find_import(const elf_file *file, const char *name);

/* Gives the name of each function that others do not see, of a file that was not stripped of them.
 */
void elf_file_visit_hidden(const elf_file *file, void (*visit)(void *context, const char *name),
                           void *context);

/* The bytes of a symbol, to the end of its section if it has no size; NULL when the file holds none
 * for it. */
const unsigned char *elf_file_bytes(const elf_file *file, const elf_symbol *symbol,
                                    size_t *out_size);

#endif /* TVM_FFI_TOOL_ELF_FILE_H_ */
