/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "file/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/report.h"

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

/* The version of an import, in a list indexed by the symbols' version index. */
typedef struct {
  const char *name, *library;
} version;
enum { kNumVersions = 0x8000 };

static bool refuse(const elf_file *file, const char *problem) {
  report_error("%s: malformed ELF file: %s", file->path, problem);
  return false;
}

/* Adds libelf's reason, if it has one. */
static bool refuse_read(const elf_file *file, const char *part) {
  const char *reason = elf_errmsg(-1);
  report_error("%s: malformed ELF file: %s%s%s", file->path, part, reason != NULL ? ": " : "",
               reason != NULL ? reason : "");
  return false;
}

/* ---- File format ---- */

/* The name of another known file format; NULL if the magic bytes are of none. */
static const char *name_format(const char *image, size_t size) {
  static const struct {
    const char *magic, *name;
  } kFormats[] = {
      {"MZ", "a PE file (Windows)"},
      {"\xcf\xfa\xed\xfe", "a Mach-O file (Apple)"},
      {"\xce\xfa\xed\xfe", "a Mach-O file (Apple)"},
      {"\xca\xfe\xba\xbe", "a Mach-O file (Apple) of several machines"},
      {"!<arch>\n", "an archive; its members can be read one by one (ar x)"},
      {"!<thin>\n", "an archive; its members can be read one by one (ar x)"},
  };
  size_t i;
  for (i = 0; i < sizeof kFormats / sizeof *kFormats; ++i) {
    size_t length = strlen(kFormats[i].magic);
    if (size >= length && memcmp(image, kFormats[i].magic, length) == 0) return kFormats[i].name;
  }
  return NULL;
}

/* Whether a file that begins with these bytes may be an ELF file; false after a report. */
static bool check_format(const char *name, const char *image, size_t size) {
  const char *format = name_format(image, size);
  if (format != NULL) {
    report_error("%s: not an ELF file but %s", name, format);
  } else if (size == 0) {
    report_error("%s: not an ELF file: it is empty", name);
  } else if (size < 4 || memcmp(image, ELFMAG, 4) != 0) {
    report_error("%s: not an ELF file", name);
  } else {
    return true;
  }
  return false;
}

static bool read_header(elf_file *file, char *image, size_t size) {
  GElf_Ehdr header;
  if (!check_format(file->path, image, size)) return false;
  if (elf_version(EV_CURRENT) == EV_NONE) return refuse_read(file, "libelf is too old");
  file->handle = elf_memory(image, size);
  if (file->handle == NULL || elf_kind(file->handle) != ELF_K_ELF ||
      gelf_getehdr(file->handle, &header) == NULL) {
    return refuse_read(file, "its header");
  }
  file->bits = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  file->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  file->is_object = header.e_type == ET_REL;
  file->is_program = header.e_type == ET_EXEC; /* read_dynamic() finds those that are PIE */
  file->machine = header.e_machine;
  if (header.e_type != ET_REL && header.e_type != ET_DYN && header.e_type != ET_EXEC) {
    return refuse(file, "neither a library nor an object file");
  }
  return true;
}

/* ---- Segments ---- */

/* False after a report that a loaded segment lies beyond the end of the file. */
static bool check_length(Elf *handle, const char *name, uint64_t size) {
  size_t count = 0, i;
  if (elf_getphdrnum(handle, &count) != 0) return true; /* reported elsewhere */
  for (i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(handle, (int)i, &segment) == NULL || segment.p_type != PT_LOAD) continue;
    if (segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset) continue;
    report_error("%s: malformed ELF file: it is cut off after %llu bytes", name,
                 (unsigned long long)size);
    return false;
  }
  return true;
}

static bool read_segments(elf_file *file) {
  size_t count, i;
  if (elf_getphdrnum(file->handle, &count) != 0) return refuse_read(file, "program headers");
  if (!check_length(file->handle, file->path, file->size)) return false;
  for (i = 0; i < count; ++i) {
    GElf_Phdr segment;
    bool is_code;
    if (gelf_getphdr(file->handle, (int)i, &segment) == NULL) {
      return refuse_read(file, "a program header");
    }
    is_code = (segment.p_flags & PF_X) != 0;
    switch (segment.p_type) {
      case PT_GNU_STACK:
        file->has_stack_header = true;
        file->is_stack_executable = is_code;
        break;
      case PT_GNU_RELRO:
        file->has_relro = true;
        break;
      case PT_LOAD:
        if (is_code && (segment.p_flags & PF_W) != 0) file->has_writable_code = true;
        break;
      default:
        break;
    }
  }
  return true;
}

/* ---- Sections ---- */

/* The first section of a type; NULL. */
static Elf_Scn *find_section(const elf_file *file, GElf_Word type, GElf_Shdr *out) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(file->handle, section)) != NULL) {
    if (gelf_getshdr(section, out) != NULL && out->sh_type == type) return section;
  }
  return NULL;
}

static Elf_Data *get_data(const elf_file *file, Elf_Scn *section, const char *part) {
  Elf_Data *data = elf_getdata(section, NULL);
  if (data == NULL || data->d_buf == NULL) {
    refuse_read(file, part);
    return NULL;
  }
  return data;
}

static bool read_dynamic(elf_file *file) {
  GElf_Shdr header;
  Elf_Scn *section = find_section(file, SHT_DYNAMIC, &header);
  size_t i, count, entry_size;
  Elf_Data *data;
  if (section == NULL) return true;
  data = get_data(file, section, "dynamic section");
  if (data == NULL) return false;
  entry_size = gelf_fsize(file->handle, ELF_T_DYN, 1, EV_CURRENT);
  count = data->d_size / entry_size;
  file->needed = tool_alloc(count * sizeof *file->needed);
  for (i = 0; i < count; ++i) {
    GElf_Dyn entry;
    bool is_name;
    const char *name;
    if (gelf_getdyn(data, (int)i, &entry) == NULL) return refuse_read(file, "dynamic section");
    if (entry.d_tag == DT_NULL) break;
    is_name = entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME || entry.d_tag == DT_RPATH ||
              entry.d_tag == DT_RUNPATH;
    name = is_name ? elf_strptr(file->handle, header.sh_link, (size_t)entry.d_un.d_val) : NULL;
    if (is_name && name == NULL) return refuse_read(file, "a name of the dynamic section");
    if (entry.d_tag == DT_NEEDED) {
      file->needed[file->num_needed++] = name;
    } else if (entry.d_tag == DT_SONAME) {
      file->soname = name;
    } else if (is_name) {
      file->search_path = name;
    } else if (entry.d_tag == DT_TEXTREL ||
               (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0)) {
      file->has_text_relocations = true;
    }
    if (entry.d_tag == DT_BIND_NOW ||
        (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0) ||
        (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0)) {
      file->binds_now = true;
    }
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) file->is_program = true;
  }
  return true;
}

/* Fills a list of kNumVersions. The offsets that chain the records come from the file, so they are
 * checked, and `rounds` ends a cycle. */
static bool read_versions(const elf_file *file, version *versions) {
  GElf_Shdr header;
  Elf_Scn *section = find_section(file, SHT_GNU_verneed, &header);
  size_t offset = 0, rounds;
  Elf_Data *data;
  if (section == NULL) return true;
  data = get_data(file, section, "versions of imports");
  if (data == NULL) return false;
  rounds = data->d_size / sizeof(GElf_Vernaux); /* there cannot be more records */
  for (;;) {
    GElf_Verneed need;
    GElf_Vernaux record;
    size_t aux;
    const char *library;
    if (offset > data->d_size || gelf_getverneed(data, (int)offset, &need) == NULL) {
      return refuse_read(file, "versions of imports");
    }
    library = elf_strptr(file->handle, header.sh_link, need.vn_file);
    aux = offset + need.vn_aux;
    do {
      if (aux > data->d_size || rounds-- == 0 || gelf_getvernaux(data, (int)aux, &record) == NULL) {
        return refuse_read(file, "versions of imports");
      }
      versions[record.vna_other & (kNumVersions - 1)].library = library;
      versions[record.vna_other & (kNumVersions - 1)].name =
          elf_strptr(file->handle, header.sh_link, record.vna_name);
      aux += record.vna_next;
    } while (record.vna_next != 0);
    if (need.vn_next == 0) return true;
    offset += need.vn_next;
  }
}

static bool is_hidden(const GElf_Sym *entry) {
  return GELF_ST_VISIBILITY(entry->st_other) == STV_HIDDEN ||
         GELF_ST_VISIBILITY(entry->st_other) == STV_INTERNAL;
}

/* The data of a symbol table and of the tables parallel to it; NULL for those that are missing. */
typedef struct {
  Elf_Data *data, *sections, *versions;
  size_t names;
} symbol_table;

static bool read_symbol(const elf_file *file, const symbol_table *table, size_t i, elf_symbol *out,
                        bool *out_is_seen) {
  GElf_Sym entry;
  GElf_Shdr header;
  Elf32_Word section = 0; /* the index if it does not fit st_shndx */
  int binding;
  *out_is_seen = false;
  memset(out, 0, sizeof *out);
  if (gelf_getsymshndx(table->data, table->sections, (int)i, &entry, &section) == NULL) {
    return refuse_read(file, "a symbol");
  }
  binding = GELF_ST_BIND(entry.st_info);
  if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) return true;
  out->name = elf_strptr(file->handle, table->names, entry.st_name);
  if (out->name == NULL) return refuse_read(file, "a symbol's name");
  out->value = entry.st_value;
  out->size = entry.st_size;
  out->is_defined = entry.st_shndx != SHN_UNDEF;
  out->is_function =
      GELF_ST_TYPE(entry.st_info) == STT_FUNC || GELF_ST_TYPE(entry.st_info) == STT_GNU_IFUNC;
  out->is_weak = binding == STB_WEAK;
  out->is_unique = binding == STB_GNU_UNIQUE;
  out->is_hidden = is_hidden(&entry);
  out->is_common = entry.st_shndx == SHN_COMMON;
  out->is_writable = out->is_common;
  if (entry.st_shndx != SHN_XINDEX) section = entry.st_shndx < SHN_LORESERVE ? entry.st_shndx : 0;
  if (section != 0) {
    if (gelf_getshdr(elf_getscn(file->handle, section), &header) == NULL) {
      return refuse(file, "a symbol of a section that is not there");
    }
    out->section = section;
    out->is_writable = (header.sh_flags & SHF_WRITE) != 0;
  }
  *out_is_seen = *out->name != '\0';
  return true;
}

static int compare_names(const void *a, const void *b) {
  const elf_symbol *first = a, *second = b;
  int order = strcmp(first->name, second->name);
  return order != 0 ? order : (first->value > second->value) - (first->value < second->value);
}

/* Leaves `data` NULL if the file has no symbols. */
static bool open_table(const elf_file *file, symbol_table *out) {
  GElf_Shdr header, unused;
  Elf_Scn *symbols = find_section(file, file->is_object ? SHT_SYMTAB : SHT_DYNSYM, &header);
  Elf_Scn *parallel =
      find_section(file, file->is_object ? SHT_SYMTAB_SHNDX : SHT_GNU_versym, &unused);
  Elf_Data *data = NULL;
  memset(out, 0, sizeof *out);
  if (symbols == NULL) return true;
  out->names = header.sh_link;
  out->data = get_data(file, symbols, "symbol table");
  if (out->data == NULL) return false;
  if (parallel == NULL) return true;
  data = get_data(file, parallel, "what belongs to the symbol table");
  if (file->is_object) {
    out->sections = data;
  } else {
    out->versions = data;
  }
  return data != NULL;
}

static bool read_symbol_version(const elf_file *file, const symbol_table *table, size_t i,
                                const version *versions, elf_symbol *out) {
  GElf_Versym index;
  if (table->versions == NULL || out->is_defined) return true;
  if (gelf_getversym(table->versions, (int)i, &index) == NULL) {
    return refuse_read(file, "versions of symbols");
  }
  out->version = versions[index & (kNumVersions - 1)].name;
  out->version_of = versions[index & (kNumVersions - 1)].library;
  return true;
}

static bool read_symbols(elf_file *file, const version *versions) {
  symbol_table table;
  size_t count, i;
  if (!open_table(file, &table)) return false;
  if (table.data == NULL) return true;
  count = table.data->d_size / gelf_fsize(file->handle, ELF_T_SYM, 1, EV_CURRENT);
  file->symbols = tool_alloc(count * sizeof *file->symbols);
  for (i = 1; i < count; ++i) {
    elf_symbol *symbol = &file->symbols[file->num_symbols];
    bool is_seen;
    if (!read_symbol(file, &table, i, symbol, &is_seen) ||
        !read_symbol_version(file, &table, i, versions, symbol)) {
      return false;
    }
    if (is_seen) ++file->num_symbols;
  }
  qsort(file->symbols, file->num_symbols, sizeof *file->symbols, compare_names);
  return true;
}

/* Reads what an object file requests for the stack. */
static bool read_stack_section(elf_file *file) {
  Elf_Scn *section = NULL;
  size_t names;
  if (!file->is_object) return true;
  if (elf_getshdrstrndx(file->handle, &names) != 0) return refuse_read(file, "section names");
  while ((section = elf_nextscn(file->handle, section)) != NULL) {
    GElf_Shdr header;
    const char *name = NULL;
    if (gelf_getshdr(section, &header) != NULL) {
      name = elf_strptr(file->handle, names, header.sh_name);
    }
    if (name == NULL || strcmp(name, ".note.GNU-stack") != 0) continue;
    file->has_stack_header = true;
    file->is_stack_executable = (header.sh_flags & SHF_EXECINSTR) != 0;
  }
  return true;
}

/* Symbols are found by the section headers, which a running program does not need. */
static bool read_sections(elf_file *file) {
  GElf_Ehdr header;
  size_t count;
  version *versions;
  bool good;
  if (elf_getshdrnum(file->handle, &count) != 0) return refuse_read(file, "section headers");
  if (count == 0) {
    /* libelf counts 0 if the headers are beyond the end of the file. */
    return refuse(file, gelf_getehdr(file->handle, &header) != NULL && header.e_shoff != 0
                            ? "it is cut off: its section headers are behind its end"
                            : "it has no section headers to find symbols by");
  }
  versions = tool_alloc(kNumVersions * sizeof *versions);
  memset(versions, 0, kNumVersions * sizeof *versions);
  good = read_stack_section(file) && read_dynamic(file) && read_versions(file, versions) &&
         read_symbols(file, versions);
  free(versions);
  return good;
}

/* ---- Opening ---- */

elf_file *elf_file_open_image(const char *path, char *image, size_t size) {
  elf_file *file = tool_alloc(sizeof *file);
  memset(file, 0, sizeof *file);
  file->path = path;
  file->image = image;
  file->size = size;
  if (read_header(file, image, size) && read_segments(file) && read_sections(file)) return file;
  elf_file_close(file);
  return NULL;
}

char *elf_file_read(const char *path, const char *name, size_t *out_size) {
  enum { kLongestMagic = 8 };
  file_reader reader;
  if (!file_reader_open(path, &reader)) return NULL;
  if (file_reader_fill(&reader, kLongestMagic) && check_format(name, reader.bytes, reader.size)) {
    return file_reader_take(&reader, out_size);
  }
  file_reader_close(&reader);
  return NULL;
}

elf_file *elf_file_open(const char *path) {
  size_t size;
  char *image = elf_file_read(path, path, &size);
  return image != NULL ? elf_file_open_image(path, image, size) : NULL;
}

bool elf_file_is_whole(const char *path, const char *name) {
  int file = open(path, O_RDONLY | O_NONBLOCK); /* a FIFO must not block */
  struct stat status;
  Elf *handle;
  bool good = true;
  if (file < 0) return true; /* the loader will report it */
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && elf_version(EV_CURRENT) != EV_NONE) {
    handle = elf_begin(file, ELF_C_READ, NULL);
    if (handle != NULL && elf_kind(handle) == ELF_K_ELF) {
      good = check_length(handle, name, (uint64_t)status.st_size);
    }
    elf_end(handle);
  }
  close(file);
  return good;
}

void elf_file_close(elf_file *file) {
  if (file == NULL) return;
  elf_end(file->handle);
  free(file->symbols);
  free((void *)file->needed);
  free(file->image);
  free(file);
}

/* Binary search: the index of the first symbol whose name is not less. */
static size_t find_first(const elf_file *file, const char *name) {
  size_t low = 0, high = file->num_symbols;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(file->symbols[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const elf_symbol *find(const elf_file *file, const char *name, bool is_defined,
                              bool may_be_hidden) {
  size_t i = find_first(file, name);
  for (; i < file->num_symbols && strcmp(file->symbols[i].name, name) == 0; ++i) {
    const elf_symbol *symbol = &file->symbols[i];
    if (symbol->is_defined == is_defined && (may_be_hidden || !symbol->is_hidden)) return symbol;
  }
  return NULL;
}

const elf_symbol *elf_file_find(const elf_file *file, const char *name) {
  return find(file, name, true, true);
}

const elf_symbol *elf_file_find_exported(const elf_file *file, const char *name) {
  return find(file, name, true, false);
}

const elf_symbol *elf_file_find_import(const elf_file *file, const char *name) {
  return find(file, name, false, true);
}

void elf_file_visit_hidden(const elf_file *file, void (*visit)(void *context, const char *name),
                           void *context) {
  GElf_Shdr header;
  Elf_Scn *section = find_section(file, SHT_SYMTAB, &header);
  Elf_Data *data = section != NULL ? elf_getdata(section, NULL) : NULL;
  GElf_Sym entry;
  int i;
  for (i = 0; data != NULL && gelf_getsym(data, i, &entry) != NULL; ++i) {
    const char *name = NULL;
    bool is_seen = GELF_ST_BIND(entry.st_info) != STB_LOCAL && !is_hidden(&entry);
    if (entry.st_shndx != SHN_UNDEF && GELF_ST_TYPE(entry.st_info) == STT_FUNC && !is_seen) {
      name = elf_strptr(file->handle, header.sh_link, entry.st_name);
    }
    if (name != NULL) visit(context, name);
  }
}

const unsigned char *elf_file_bytes(const elf_file *file, const elf_symbol *symbol,
                                    size_t *out_size) {
  GElf_Shdr header;
  uint64_t offset, rest;
  if (symbol->section == 0 ||
      gelf_getshdr(elf_getscn(file->handle, symbol->section), &header) == NULL ||
      header.sh_type == SHT_NOBITS || header.sh_offset > file->size ||
      header.sh_size > file->size - header.sh_offset) {
    return NULL;
  }
  offset = file->is_object ? symbol->value : symbol->value - header.sh_addr;
  if (offset > header.sh_size) return NULL;
  rest = header.sh_size - offset;
  if (symbol->size > rest) return NULL;
  *out_size = (size_t)(symbol->size > 0 ? symbol->size : rest);
  return (const unsigned char *)file->image + header.sh_offset + offset;
}
