/* SPDX-License-Identifier: Apache-2.0 */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "file/binary_reader.h"

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

/* The version of an import, in a list indexed by the symbols' version index. */
typedef struct {
  const char *name, *library;
} version;
enum { kNumVersions = 0x8000 };

/* Adds libelf's reason, if it has one. */
static bool refuse_read(const binary_file *file, const char *part) {
  const char *reason = elf_errmsg(-1);
  report_error("%s: malformed ELF file: %s%s%s", file->path, part, reason != NULL ? ": " : "",
               reason != NULL ? reason : "");
  return false;
}

/* ---- Header ---- */

static bool recognise(const char *image, size_t size) {
  return size >= SELFMAG && memcmp(image, ELFMAG, SELFMAG) == 0;
}

static bool read_header(binary_file *file) {
  GElf_Ehdr header;
  if (elf_version(EV_CURRENT) == EV_NONE) return refuse_read(file, "libelf is too old");
  file->state = elf_memory(file->image, file->size);
  if (file->state == NULL || elf_kind(file->state) != ELF_K_ELF ||
      gelf_getehdr(file->state, &header) == NULL) {
    return refuse_read(file, "its header");
  }
  file->bits = header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  file->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  file->is_object = header.e_type == ET_REL;
  file->is_program = header.e_type == ET_EXEC; /* read_dynamic() finds those that are PIE */
  file->machine = header.e_machine;
  if (header.e_type != ET_REL && header.e_type != ET_DYN && header.e_type != ET_EXEC) {
    return binary_reader_refuse(file, "neither a library nor an object file");
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

static bool read_segments(binary_file *file) {
  size_t count, i;
  if (elf_getphdrnum(file->state, &count) != 0) return refuse_read(file, "program headers");
  if (!check_length(file->state, file->path, file->size)) return false;
  for (i = 0; i < count; ++i) {
    GElf_Phdr segment;
    bool is_code;
    if (gelf_getphdr(file->state, (int)i, &segment) == NULL) {
      return refuse_read(file, "a program header");
    }
    is_code = (segment.p_flags & PF_X) != 0;
    switch (segment.p_type) {
      case PT_GNU_STACK:
        file->elf.has_stack_header = true;
        file->elf.is_stack_executable = is_code;
        break;
      case PT_GNU_RELRO:
        file->elf.has_relro = true;
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
static Elf_Scn *find_section(const binary_file *file, GElf_Word type, GElf_Shdr *out) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(file->state, section)) != NULL) {
    if (gelf_getshdr(section, out) != NULL && out->sh_type == type) return section;
  }
  return NULL;
}

static Elf_Data *get_data(const binary_file *file, Elf_Scn *section, const char *part) {
  Elf_Data *data = elf_getdata(section, NULL);
  if (data == NULL || data->d_buf == NULL) {
    refuse_read(file, part);
    return NULL;
  }
  return data;
}

static bool read_dynamic(binary_file *file) {
  GElf_Shdr header;
  Elf_Scn *section = find_section(file, SHT_DYNAMIC, &header);
  size_t i, count, entry_size;
  Elf_Data *data;
  if (section == NULL) return true;
  data = get_data(file, section, "dynamic section");
  if (data == NULL) return false;
  entry_size = gelf_fsize(file->state, ELF_T_DYN, 1, EV_CURRENT);
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
    name = is_name ? elf_strptr(file->state, header.sh_link, (size_t)entry.d_un.d_val) : NULL;
    if (is_name && name == NULL) return refuse_read(file, "a name of the dynamic section");
    if (entry.d_tag == DT_NEEDED) {
      file->needed[file->num_needed++] = name;
    } else if (entry.d_tag == DT_SONAME) {
      file->soname = name;
    } else if (is_name) {
      file->search_path = name;
    } else if (entry.d_tag == DT_TEXTREL ||
               (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0)) {
      file->elf.has_text_relocations = true;
    }
    if (entry.d_tag == DT_BIND_NOW ||
        (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0) ||
        (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0)) {
      file->elf.binds_now = true;
    }
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) file->is_program = true;
  }
  return true;
}

/* Fills a list of kNumVersions. The offsets that chain the records come from the file, so they are
 * checked, and `rounds` ends a cycle. */
static bool read_versions(const binary_file *file, version *versions) {
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
    library = elf_strptr(file->state, header.sh_link, need.vn_file);
    aux = offset + need.vn_aux;
    do {
      if (aux > data->d_size || rounds-- == 0 || gelf_getvernaux(data, (int)aux, &record) == NULL) {
        return refuse_read(file, "versions of imports");
      }
      versions[record.vna_other & (kNumVersions - 1)].library = library;
      versions[record.vna_other & (kNumVersions - 1)].name =
          elf_strptr(file->state, header.sh_link, record.vna_name);
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

static bool read_symbol(const binary_file *file, const symbol_table *table, size_t i,
                        binary_symbol *out, bool *out_is_seen) {
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
  out->name = elf_strptr(file->state, table->names, entry.st_name);
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
    if (gelf_getshdr(elf_getscn(file->state, section), &header) == NULL) {
      return binary_reader_refuse(file, "a symbol of a section that is not there");
    }
    out->section = section;
    out->is_writable = (header.sh_flags & SHF_WRITE) != 0;
  }
  *out_is_seen = *out->name != '\0';
  return true;
}

/* Leaves `data` NULL if the file has no symbols. */
static bool open_table(const binary_file *file, symbol_table *out) {
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

static bool read_symbol_version(const binary_file *file, const symbol_table *table, size_t i,
                                const version *versions, binary_symbol *out) {
  GElf_Versym index;
  if (table->versions == NULL || out->is_defined) return true;
  if (gelf_getversym(table->versions, (int)i, &index) == NULL) {
    return refuse_read(file, "versions of symbols");
  }
  out->version = versions[index & (kNumVersions - 1)].name;
  out->version_of = versions[index & (kNumVersions - 1)].library;
  return true;
}

static bool read_symbols(binary_file *file, const version *versions) {
  symbol_table table;
  size_t count, i;
  if (!open_table(file, &table)) return false;
  if (table.data == NULL) return true;
  count = table.data->d_size / gelf_fsize(file->state, ELF_T_SYM, 1, EV_CURRENT);
  file->symbols = tool_alloc(count * sizeof *file->symbols);
  for (i = 1; i < count; ++i) {
    binary_symbol *symbol = &file->symbols[file->num_symbols];
    bool is_seen;
    if (!read_symbol(file, &table, i, symbol, &is_seen) ||
        !read_symbol_version(file, &table, i, versions, symbol)) {
      return false;
    }
    if (is_seen) ++file->num_symbols;
  }
  return true;
}

/* Reads what an object file requests for the stack. */
static bool read_stack_section(binary_file *file) {
  Elf_Scn *section = NULL;
  size_t names;
  if (!file->is_object) return true;
  if (elf_getshdrstrndx(file->state, &names) != 0) return refuse_read(file, "section names");
  while ((section = elf_nextscn(file->state, section)) != NULL) {
    GElf_Shdr header;
    const char *name = NULL;
    if (gelf_getshdr(section, &header) != NULL) {
      name = elf_strptr(file->state, names, header.sh_name);
    }
    if (name == NULL || strcmp(name, ".note.GNU-stack") != 0) continue;
    file->elf.has_stack_header = true;
    file->elf.is_stack_executable = (header.sh_flags & SHF_EXECINSTR) != 0;
  }
  return true;
}

static void list_sections(binary_file *file, size_t count) {
  Elf_Scn *section = NULL;
  file->sections = tool_alloc(count * sizeof *file->sections);
  memset(file->sections, 0, count * sizeof *file->sections);
  file->num_sections = count;
  while ((section = elf_nextscn(file->state, section)) != NULL) {
    binary_section *out = &file->sections[elf_ndxscn(section)];
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL) continue;
    out->start = file->is_object ? 0 : header.sh_addr;
    out->offset = header.sh_offset;
    out->size = header.sh_size;
    out->has_bytes = header.sh_type != SHT_NOBITS;
  }
}

/* Symbols are found by the section headers, which a running program does not need. */
static bool read_sections(binary_file *file) {
  GElf_Ehdr header;
  size_t count;
  version *versions;
  bool good;
  if (elf_getshdrnum(file->state, &count) != 0) return refuse_read(file, "section headers");
  if (count == 0) {
    /* libelf counts 0 if the headers are beyond the end of the file. */
    return binary_reader_refuse(file,
                                gelf_getehdr(file->state, &header) != NULL && header.e_shoff != 0
                                    ? "it is cut off: its section headers are behind its end"
                                    : "it has no section headers to find symbols by");
  }
  list_sections(file, count);
  versions = tool_alloc(kNumVersions * sizeof *versions);
  memset(versions, 0, kNumVersions * sizeof *versions);
  good = read_stack_section(file) && read_dynamic(file) && read_versions(file, versions) &&
         read_symbols(file, versions);
  free(versions);
  return good;
}

/* ---- The reader ---- */

static bool read_elf(binary_file *file) {
  return read_header(file) && read_segments(file) && read_sections(file);
}

static void visit_hidden(const binary_file *file, void (*visit)(void *context, const char *name),
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
      name = elf_strptr(file->state, header.sh_link, entry.st_name);
    }
    if (name != NULL) visit(context, name);
  }
}

static bool is_whole(file_reader *reader, const char *name) {
  const uint64_t size = reader->known_size;
  Elf *handle;
  bool good;
  if (elf_version(EV_CURRENT) == EV_NONE || !file_reader_fill_all(reader)) return true;
  handle = elf_memory(reader->bytes, reader->size);
  good = handle == NULL || check_length(handle, name, size);
  elf_end(handle);
  return good;
}

static void close_elf(binary_file *file) {
  elf_end(file->state);
}

const binary_reader kElfReader = {
    kFormatElf, "ELF", &recognise, &read_elf, &visit_hidden, &is_whole, &close_elf,
};
