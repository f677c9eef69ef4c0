/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF files of any machine, class and byte order; nothing of them is run. Their content is
 * not trusted: all pointers handed out stay inside the file. */
#ifndef TVM_FFI_TOOL_ELF_FILE_H_
#define TVM_FFI_TOOL_ELF_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  const char *version;    /* "GLIBC_2.17", for an import; NULL */
  const char *version_of; /* the library that defines this version; NULL */
  uint64_t value, size;
  size_t section; /* index of the section with its bytes; 0: none */
  bool is_defined, is_function, is_weak, is_unique, is_hidden, is_writable;
  bool is_common; /* in an object file: a tentative definition of C, merged with others */
} elf_symbol;

typedef struct {
  const char *path;
  size_t size;
  int bits; /* 32 or 64 */
  bool is_big_endian, is_object, is_program;
  unsigned machine;    /* EM_* */
  elf_symbol *symbols; /* sorted by name: the dynamic table, or the symbol table of an object
                          file */
  size_t num_symbols;
  const char **needed; /* names of libraries */
  size_t num_needed;
  const char *soname;                         /* NULL */
  const char *search_path;                    /* DT_RUNPATH or DT_RPATH; NULL */
  bool has_stack_header, is_stack_executable; /* PT_GNU_STACK, or the section of an object file */
  bool has_relro, binds_now, has_text_relocations;
  bool has_writable_code; /* a segment is both writable and executable */
  void *handle;           /* libelf's */
  char *image;
} elf_file;

/* The bytes of a file, of which only the beginning is read if that is not of an ELF file; release
 * with free(). NULL after a report, under `name`. */
char *elf_file_read(const char *path, const char *name, size_t *out_size);
/* NULL after a report that the file cannot be read or is malformed. */
elf_file *elf_file_open(const char *path);
/* The same for bytes already read: `image` [take], `path` [borrow] until the file is closed. */
elf_file *elf_file_open_image(const char *path, char *image, size_t size);
void elf_file_close(elf_file *file);

/* Whether the file has all segments of a library, since the system's loader maps them without
 * looking at the file's length; false after a report under `name`. True for files that are not
 * ELF. */
bool elf_file_is_whole(const char *path, const char *name);

/* Find a defined symbol, one visible to others, or an undefined one; NULL. */
const elf_symbol *elf_file_find(const elf_file *file, const char *name);
const elf_symbol *elf_file_find_exported(const elf_file *file, const char *name);
const elf_symbol *elf_file_find_import(const elf_file *file, const char *name);

/* Calls `visit` with the name of each function hidden from others, if the file was not stripped of
 * them. */
void elf_file_visit_hidden(const elf_file *file, void (*visit)(void *context, const char *name),
                           void *context);

/* The bytes of a symbol, up to the end of its section if it has no size; NULL if the file has no
 * bytes for it. */
const unsigned char *elf_file_bytes(const elf_file *file, const elf_symbol *symbol,
                                    size_t *out_size);

#endif /* TVM_FFI_TOOL_ELF_FILE_H_ */
