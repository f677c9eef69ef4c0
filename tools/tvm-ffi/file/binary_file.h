/* SPDX-License-Identifier: Apache-2.0 */
/* Reads libraries and object files of any machine, class and byte order; nothing of them is run.
 * Their content is not trusted: all pointers handed out stay inside the file. */
#ifndef TVM_FFI_TOOL_BINARY_FILE_H_
#define TVM_FFI_TOOL_BINARY_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files.h"

/* ---- Machines, by number and by name: machine.c ---- */

/* The number is that of the ELF format, EM_*; readers of other formats translate theirs. */
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

/* ---- Files ---- */

typedef enum { kFormatElf, kFormatPe, kFormatMachO } binary_format;

typedef struct {
  const char *name;
  const char *version;    /* "GLIBC_2.17", for an import; NULL */
  const char *version_of; /* the library that defines this version; NULL */
  const char *origin;     /* where the file says that an import comes from; for an export that is
                             passed on from another library, "LIBRARY.NAME"; NULL */
  uint64_t value, size;
  size_t section; /* index of the section with its bytes; 0: none */
  bool is_defined, is_function, is_weak, is_unique, is_hidden, is_writable;
  bool is_common; /* in an object file: a tentative definition of C, merged with others */
} binary_symbol;

typedef struct {
  uint64_t start;        /* the value of a symbol at its first byte */
  uint64_t offset, size; /* of its bytes in the file, which may be cut off */
  bool has_bytes, is_writable;
  bool is_code; /* not told for ELF files, whose symbols say it */
} binary_section;

/* What only ELF files have. */
typedef struct {
  bool has_stack_header, is_stack_executable; /* PT_GNU_STACK, or the section of an object file */
  bool has_relro, binds_now, has_text_relocations;
  bool is_rpath;           /* the search path is a DT_RPATH */
  const char *interpreter; /* the loader that a program asks for (PT_INTERP); NULL */
  const char *system;      /* "Android", "FreeBSD", "NetBSD" or "OpenBSD", if a note or the header
                              names it; NULL */
} binary_elf_traits;

/* What only files of Windows have: what their header asks of the loader. */
typedef struct {
  bool has_nx;           /* data is not executed */
  bool has_random_base;  /* loaded at an address that nobody knows */
  bool has_high_entropy; /* one of all 64-bit addresses */
} binary_pe_traits;

/* What only files of macOS have. */
typedef struct {
  bool is_stack_executable, has_signature;
} binary_macho_traits;

typedef struct {
  const char *path;
  size_t size;
  binary_format format;
  int bits; /* 32 or 64 */
  bool is_big_endian, is_object, is_program;
  unsigned machine;       /* the number of a machine */
  binary_symbol *symbols; /* sorted by name: those for the loader, or all of an object file */
  size_t num_symbols;
  binary_section *sections; /* the first is not used */
  size_t num_sections;
  const char **needed; /* names of libraries */
  size_t num_needed;
  const char *soname;      /* NULL */
  const char *search_path; /* for needed libraries: DT_RUNPATH or DT_RPATH; NULL */
  char *build_id; /* GNU's, or the UUID of macOS, in hexadecimal digits; NULL: none is known */
  bool has_writable_code; /* a segment is both writable and executable */
  binary_elf_traits elf;
  binary_pe_traits pe;
  binary_macho_traits macho;
  char *image;
  char *names; /* those that the image does not have as texts */
} binary_file;

/* The bytes of a file, of which only the beginning is read if that is not of a known format;
 * release with free(). NULL after a report, under `name`. */
char *binary_file_read(const char *path, const char *name, size_t *out_size);
/* The file that was read: `image` [take], `path` [borrow] until the file is closed. NULL after a
 * report that it is malformed. */
binary_file *binary_file_open_image(const char *path, char *image, size_t size);
void binary_file_close(binary_file *file);

/* "ELF", "PE", "Mach-O". */
const char *binary_format_name(binary_format format);
/* "ELF64", "PE32+", "COFF", "Mach-O". */
const char *binary_file_kind(const binary_file *file);

/* Whether these bytes begin a file of a known format. */
bool binary_file_is_known(const char *image, size_t size);

/* Whether the file has all segments of a library, since the system's loader maps them without
 * looking at the file's length; false after a report under `name`. True for files that are not
 * ELF. */
bool binary_file_is_whole(const char *path, const char *name);

/* Find a defined symbol, one visible to others, or an undefined one; NULL if there is none. */
const binary_symbol *binary_file_find(const binary_file *file, const char *name);
const binary_symbol *binary_file_find_exported(const binary_file *file, const char *name);
const binary_symbol *binary_file_find_import(const binary_file *file, const char *name);

/* Calls `visit` with the name of each function hidden from others, if the file was not stripped of
 * them. */
void binary_file_visit_hidden(const binary_file *file,
                              void (*visit)(void *context, const char *name), void *context);

/* The bytes of a symbol, up to the end of its section if it has no size; NULL if the file has no
 * bytes for it. */
const unsigned char *binary_file_bytes(const binary_file *file, const binary_symbol *symbol,
                                       size_t *out_size);

/* ---- What the readers of formats share: binary_reader.c ---- */

/* Numbers and texts in the bytes of a file. Offsets may be any number, and nothing is read outside
 * the bytes. */

typedef struct {
  const unsigned char *data;
  size_t size;
  bool is_big_endian;
} byte_range;

/* A part of the range; false, and nothing written, if it is not inside. */
bool byte_range_slice(const byte_range *range, uint64_t offset, uint64_t size, byte_range *out);
/* The text at an offset; NULL if it does not end inside the range. */
const char *byte_range_text(const byte_range *range, uint64_t offset);

/* Reads numbers one after the other. One that is not inside the range is 0, and so are all that
 * follow; is_past_end says that this happened. */
typedef struct {
  byte_range range; /* what is still to be read */
  bool is_past_end;
} byte_cursor;

byte_cursor byte_cursor_start(const byte_range *range, uint64_t offset);
/* A number of up to 8 bytes. */
uint64_t byte_cursor_number(byte_cursor *cursor, size_t size);
uint8_t byte_cursor_u8(byte_cursor *cursor);
uint16_t byte_cursor_u16(byte_cursor *cursor);
uint32_t byte_cursor_u32(byte_cursor *cursor);
uint64_t byte_cursor_u64(byte_cursor *cursor);
void byte_cursor_skip(byte_cursor *cursor, uint64_t size);

enum { kLongestMagic = 20 };

/* One for each format. */
typedef struct {
  binary_format format;
  /* Whether the magic bytes are those of the format. At most kLongestMagic bytes are looked at. */
  bool (*recognise)(const char *image, size_t size);
  /* Fills all of `file` but path, size, format and image, in allocated lists; symbols may be in any
   * order. False after a report. */
  bool (*read)(binary_file *file);
  /* See binary_file_visit_hidden(). */
  void (*visit_hidden)(const binary_file *file, void (*visit)(void *context, const char *name),
                       void *context);
  /* See binary_file_is_whole(). NULL if the system's loader looks at the length. */
  bool (*is_whole)(file_reader *reader, const char *name);
} binary_reader;

extern const binary_reader kElfReader, kPeReader, kMachOReader;

/* Takes the bytes as the build id of the file, unless it has one. */
void binary_reader_set_build_id(binary_file *file, const unsigned char *bytes, size_t size);

/* Reports "PATH: malformed ELF file: PROBLEM"; returns false. */
bool binary_reader_refuse(const binary_file *file, const char *problem);

#endif /* TVM_FFI_TOOL_BINARY_FILE_H_ */
