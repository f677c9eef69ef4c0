/* SPDX-License-Identifier: Apache-2.0 */
/* Checks which libraries a library needs, and whether they have the names that it imports. They are
 * looked for as the system's loader does, and read; nothing is loaded. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/text.h"
#include "base/utf8.h"
#include "build_info.h"
#include "check/checks.h"
#include "file/binary_file.h"
#include "file/runtime_symbols.h"
#include "system/system.h"

/* ---- Names of needed libraries ---- */

/* How to link without a library of the compiler that other machines do not have; NULL for any other
 * library. */
static const char *find_static_option(const char *library) {
  static const struct {
    const char *prefix, *option;
  } kLibraries[] = {
      {"libstdc++-6", "-static-libstdc++"},
      {"libgcc_s_", "-static-libgcc"},
      {"libwinpthread-1", "-static"},
      {"libc++", "-static"},
      {"libunwind", "-static"},
  };
  size_t i;
  for (i = 0; i < sizeof kLibraries / sizeof *kLibraries; ++i) {
    if (text_begins(library, kLibraries[i].prefix)) return kLibraries[i].option;
  }
  return NULL;
}

static void check_dlls(checking *subject) {
  const binary_file *file = subject->file;
  size_t i;
  for (i = 0; i < file->num_needed; ++i) {
    const char *flag = find_static_option(file->needed[i]);
    if (flag == NULL) continue;
    checks_add(
        subject, kNote, kCheckNeeded, file->needed[i],
        tool_format("belongs to the compiler, and other machines may lack it: link with %s", flag));
  }
}

/* ---- The C library ---- */

const char kGlibc[] = "glibc";
static const char kMusl[] = "musl", kAndroid[] = "Android's C library";

/* By the name of a C library, or of the loader that belongs to it, or by its beginning up to a dot
 * or hyphen. */
static const struct {
  const char *prefix, *libc;
} kLibcNames[] = {
    {"libc.so.6", kGlibc},
    {"ld-linux", kGlibc},
    {"ld64", kGlibc},
    {"libc.musl", kMusl},
    {"ld-musl", kMusl},
    {"libc.so.0.3", "the Hurd's C library"},
    {"libc.so.0", "uClibc"},
    {"ld-uClibc", "uClibc"},
    {"ld64-uClibc", "uClibc"},
    {"linker", kAndroid},
    {"linker64", kAndroid},
    {"libc.so.7", "FreeBSD's C library"},
    {"ld-elf.so", "FreeBSD's C library"},
    {"libc.so.12", "NetBSD's C library"},
    {"ld.elf_so", "NetBSD's C library"},
};

/* By the system that a note names. */
static const struct {
  const char *system, *libc;
} kLibcSystems[] = {{"Android", kAndroid},
                    {"FreeBSD", "FreeBSD's C library"},
                    {"NetBSD", "NetBSD's C library"},
                    {"OpenBSD", "OpenBSD's C library"}};

/* The first import whose version begins so; NULL. */
static const binary_symbol *find_version(const binary_file *file, const char *prefix) {
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    const char *version = file->symbols[i].version;
    if (version != NULL && text_begins(version, prefix)) return &file->symbols[i];
  }
  return NULL;
}

/* The C library of a name; NULL for any other library. musl and Android have no number in it. */
static const char *find_libc(const binary_file *file, const char *name) {
  size_t i;
  for (i = 0; i < sizeof kLibcNames / sizeof *kLibcNames; ++i) {
    const size_t size = strlen(kLibcNames[i].prefix);
    if (text_begins(name, kLibcNames[i].prefix) && strchr(".-", name[size]) != NULL) {
      return kLibcNames[i].libc;
    }
  }
  if (strcmp(name, "libc.so") == 0) {
    return binary_file_find_import(file, "__errno") != NULL || find_version(file, "LIBC") != NULL
               ? kAndroid
               : kMusl;
  }
  return text_begins(name, "libc.so.") ? "another C library" : NULL;
}

const char *checks_libc(const binary_file *file, const char **out_symbol) {
  const binary_symbol *versioned = find_version(file, "GLIBC_");
  const char *libc = NULL;
  size_t i;
  *out_symbol = file->elf.system;
  for (i = 0; file->elf.system != NULL && i < sizeof kLibcSystems / sizeof *kLibcSystems; ++i) {
    if (strcmp(file->elf.system, kLibcSystems[i].system) == 0) return kLibcSystems[i].libc;
  }
  /* Of two C libraries, one is another than glibc. */
  for (i = 0; i < file->num_needed && (libc == NULL || libc == kGlibc); ++i) {
    const char *found = find_libc(file, file->needed[i]);
    if (found == NULL) continue;
    libc = found;
    *out_symbol = file->needed[i];
  }
  if (libc == NULL && file->elf.interpreter != NULL) {
    libc = find_libc(file, path_base(file->elf.interpreter));
    *out_symbol = file->elf.interpreter;
  }
  if (libc == NULL && versioned != NULL) {
    libc = kGlibc;
    *out_symbol = versioned->name;
  }
  return libc;
}

/* Whether the C library of a file is that of the platform, or of this system. False if this
 * system's loader cannot load it for that reason. */
static bool check_libc(checking *subject, const manylinux *platform) {
  const char *symbol, *libc = checks_libc(subject->file, &symbol);
  const binary_file *file = subject->file;
  const bool is_for_this =
      kSystem.libc != NULL && machine_is_own(file->machine, file->bits, file->is_big_endian);
  /* musl's loader takes itself for any C library, and may find all names. */
  const bool may_load = is_for_this && strcmp(kSystem.libc, kMusl) == 0;
  if (libc == NULL) return true;
  if (platform != NULL && strcmp(libc, kGlibc) != 0) {
    checks_add(subject, kBad, kCheckNeeded, symbol,
               tool_format("is for systems with %s; manylinux_%s has glibc", libc, platform->name));
  } else if (platform == NULL && is_for_this && strcmp(libc, kSystem.libc) != 0) {
    checks_add(subject, kNote, kCheckNeeded, symbol,
               tool_format("is for systems with %s: this one has %s, and %s load it", libc,
                           kSystem.libc, may_load ? "may not" : "cannot"));
  } else if (platform == NULL && !is_for_this && strcmp(libc, kGlibc) != 0) {
    checks_add(subject, kNote, kCheckNeeded, symbol,
               tool_format("is for systems with %s, not glibc", libc));
  }
  return !is_for_this || may_load || strcmp(libc, kSystem.libc) == 0;
}

/* ---- Which libraries, and from where ---- */

static void check_which(checking *subject) {
  const binary_file *file = subject->file;
  size_t i;
  for (i = 0; i < file->num_needed; ++i) {
    if (text_begins(file->needed[i], "libtvm_ffi.so")) {
      checks_say(subject, kNote, kCheckNeeded, file->needed[i],
                 "loads a runtime by name; without this, the one of the process is used");
    }
  }
  if (file->search_path != NULL && *file->search_path == '/') {
    checks_say(subject, kNote, kCheckNeeded,
               file->format == kFormatMachO ? "LC_RPATH" : "DT_RUNPATH",
               "a path of the machine it was built on");
  }
}

/* ---- Search for them ---- */

/* A library, or the subject. The others follow in the order in which the loader searches them. */
typedef struct {
  char *path;
  binary_file *file;
  size_t needed_by; /* the index of the library; of the subject: its own */
} needed_library;

typedef struct {
  needed_library *items;
  size_t count;
  const char *missing; /* the name of one that was not found, or is too large to read; NULL */
  char *cache;         /* the loader's list of libraries, as it is in its file; NULL */
  size_t cache_size;
} needed_libraries;

/* Opens a library for the machine of the subject; the loader passes over any other. */
static binary_file *open_for(const binary_file *subject, const char *path) {
  enum { kTooLarge = 1 << 29 };
  binary_file *file = NULL;
  file_status status;
  char *image;
  size_t size;
  if (!file_status_get(path, &status) || !status.is_regular || status.size > kTooLarge ||
      !file_can_read(path)) {
    return NULL;
  }
  image = tool_read_file(path, &size);
  if (image != NULL && binary_file_is_known(image, size)) {
    file = binary_file_open_image(path, image, size);
  } else {
    free(image);
  }
  if (file != NULL &&
      (file->format != kFormatElf || file->machine != subject->machine ||
       file->bits != subject->bits || file->is_big_endian != subject->is_big_endian)) {
    binary_file_close(file);
    file = NULL;
  }
  return file;
}

static void add_library(needed_libraries *list, char *path, binary_file *file, size_t needed_by) {
  list->items = tool_grow(list->items, list->count, sizeof *list->items);
  list->items[list->count].path = path;
  list->items[list->count].file = file;
  list->items[list->count++].needed_by = needed_by;
}

static bool is_in_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Adds FOLDER/NAME if it is a library; `folder` may begin with $ORIGIN, the folder of `asking`.
 * Libraries in folders with $LIB or $PLATFORM, which the loader replaces, too, are not found. */
static bool add_from(needed_libraries *list, const char *folder, size_t size, const char *asking,
                     const char *name, size_t needed_by) {
  static const char *const kOrigins[] = {"$ORIGIN", "${ORIGIN}"};
  char *path = NULL;
  binary_file *file;
  size_t i;
  for (i = 0; path == NULL && i < sizeof kOrigins / sizeof *kOrigins; ++i) {
    const size_t skipped = strlen(kOrigins[i]);
    if (size >= skipped && strncmp(folder, kOrigins[i], skipped) == 0 &&
        (folder[skipped - 1] == '}' || size == skipped || !is_in_name(folder[skipped]))) {
      char *rest =
          tool_format(".%.*s/%s", tvmffi_shown_size(size - skipped), folder + skipped, name);
      path = path_beside(asking, rest);
      free(rest);
    }
  }
  if (path == NULL) path = tool_format("%.*s/%s", tvmffi_shown_size(size), folder, name);
  file = open_for(list->items[0].file, path);
  if (file == NULL) {
    free(path);
    return false;
  }
  file->path = path;
  add_library(list, path, file, needed_by);
  return true;
}

/* The same for a list of folders with : between them, where nothing between two is the current
 * folder. NULL and an empty text have no folders. */
static bool add_from_all(needed_libraries *list, const char *folders, const char *asking,
                         const char *name, size_t needed_by) {
  if (folders == NULL || *folders == '\0') return false;
  for (;;) {
    const size_t size = strcspn(folders, ":");
    if (add_from(list, size > 0 ? folders : ".", size > 0 ? size : 1, asking, name, needed_by)) {
      return true;
    }
    if (folders[size] == '\0') return false;
    folders += size + 1;
  }
}

/* ---- The loader's list of libraries, /etc/ld.so.cache of glibc ---- */

/* Its numbers are those of this machine: the subject is for it. */
static uint32_t read_number(const char *at) {
  uint32_t number;
  memcpy(&number, at, sizeof number);
  return number;
}

static const char *read_text(const char *start, size_t size, uint32_t offset) {
  return offset < size && memchr(start + offset, '\0', size - offset) != NULL ? start + offset : "";
}

static bool add_from_cache(needed_libraries *list, const char *name, size_t needed_by) {
  static const char kMagic[] = "glibc-ld.so.cache1.1";
  enum { kHeader = 48, kEntry = 24 };
  const char *start = list->cache;
  size_t size = list->cache_size, i, count;
  /* a list in the format before may stand in front */
  while (size > kHeader && memcmp(start, kMagic, strlen(kMagic)) != 0) {
    ++start;
    --size;
  }
  if (size <= kHeader) return false;
  count = read_number(start + strlen(kMagic));
  if (count > (size - kHeader) / kEntry) return false;
  for (i = 0; i < count; ++i) {
    const char *entry = start + kHeader + i * kEntry;
    if (strcmp(read_text(start, size, read_number(entry + 4)), name) == 0) {
      const char *path = read_text(start, size, read_number(entry + 8));
      const size_t folder = (size_t)(path_base(path) - path);
      if (folder > 1 && add_from(list, path, folder - 1, "", path + folder, needed_by)) return true;
    }
  }
  return false;
}

/* ---- Finding them ---- */

static bool is_listed(const needed_libraries *list, const char *name) {
  size_t i;
  for (i = 0; i < list->count; ++i) {
    const char *soname = list->items[i].file->soname;
    if ((soname != NULL && strcmp(soname, name) == 0) ||
        strcmp(path_base(list->items[i].path), name) == 0) {
      return true;
    }
  }
  return false;
}

/* Looks for a library as ld.so(8) says. */
static bool find_library(needed_libraries *list, const char *name, size_t needed_by) {
  const needed_library *by = &list->items[needed_by];
  const char *runpath = by->file->elf.is_rpath ? NULL : by->file->search_path;
  size_t i = needed_by;
  if (path_has_folder(name)) {
    return add_from(list, name, (size_t)(path_base(name) - name) - 1, by->path, path_base(name),
                    needed_by);
  }
  while (runpath == NULL) { /* DT_RPATH holds for what is needed by what is needed, too */
    const needed_library *above = &list->items[i];
    if (above->file->elf.is_rpath &&
        add_from_all(list, above->file->search_path, above->path, name, needed_by)) {
      return true;
    }
    if (above->needed_by == i) break;
    i = above->needed_by;
  }
  return add_from_all(list, getenv("LD_LIBRARY_PATH"), by->path, name, needed_by) ||
         add_from_all(list, runpath, by->path, name, needed_by) ||
         add_from_cache(list, name, needed_by) ||
         add_from_all(list, "/lib:/usr/lib:/lib64:/usr/lib64:/usr/local/lib", "", name, needed_by);
}

/* ---- What else it is ---- */

/* What makes it an extension module of Python; NULL if it is none. */
static const binary_symbol *find_module(const binary_file *file) {
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (checks_is_exported(symbol) && text_begins(symbol->name, "PyInit_")) return symbol;
  }
  return NULL;
}

/* The process that loads a module of Python has these. */
static bool is_of_python(const char *name) {
  return text_begins(name, "Py") || text_begins(name, "_Py");
}

/* Says that Python or PyTorch load such a library. */
static void check_kind(checking *subject) {
  const binary_symbol *module = find_module(subject->file);
  size_t i;
  if (module != NULL) {
    checks_say(subject, kNote, kCheckKind, module->name,
               "an extension module of Python, which import loads");
  }
  for (i = 0; i < subject->file->num_symbols; ++i) {
    const binary_symbol *symbol = &subject->file->symbols[i];
    if (!symbol->is_defined && text_begins(symbol->name, "_ZN5torch7LibraryC")) {
      checks_say(subject, kNote, kCheckKind, symbol->name,
                 "registers operators of PyTorch (TORCH_LIBRARY): torch.ops.load_library loads it");
      break;
    }
  }
}

/* ---- The names ---- */

typedef struct {
  const binary_symbol **items;
  size_t count;
} wanted_symbols;

static wanted_symbols list_wanted(const binary_file *file) {
  const bool is_module = find_module(file) != NULL;
  wanted_symbols wanted = {NULL, 0};
  size_t i;
  wanted.items = tool_alloc((file->num_symbols + 1) * sizeof *wanted.items);
  for (i = 0; i < file->num_symbols; ++i) {
    const binary_symbol *symbol = &file->symbols[i];
    if (!symbol->is_defined && !symbol->is_weak && symbol->name[0] != '\0' &&
        !(is_module && is_of_python(symbol->name)) &&
        runtime_symbol_of_import(file, symbol).origin == kSymbolForeign &&
        binary_file_find(file, symbol->name) == NULL) {
      wanted.items[wanted.count++] = symbol;
    }
  }
  return wanted;
}

static void remove_found(wanted_symbols *wanted, const binary_file *file) {
  size_t i, kept = 0;
  for (i = 0; i < wanted->count; ++i) {
    if (binary_file_find_exported(file, wanted->items[i]->name) == NULL) {
      wanted->items[kept++] = wanted->items[i];
    }
  }
  wanted->count = kept;
}

/* Leaves those that no library has. Libraries late in the order are rarely read. */
static void search_libraries(needed_libraries *list, wanted_symbols *wanted) {
  size_t i, k;
  for (i = 0; i < list->count && wanted->count > 0; ++i) {
    const binary_file *file = list->items[i].file;
    for (k = 0; k < file->num_needed && wanted->count > 0; ++k) {
      const char *name = file->needed[k];
      if (is_listed(list, name) || runtime_is_library(name, kFormatElf)) continue;
      if (find_library(list, name, i)) {
        remove_found(wanted, list->items[list->count - 1].file);
      } else if (list->missing == NULL) {
        list->missing = name;
      }
    }
  }
}

/* Which library has names like this; an empty text if that is not known. */
static const char *find_hint(const char *name) {
  if (text_begins(name, "cuda")) return "; CUDA's runtime has it: link with -lcudart";
  if (text_begins(name, "cu") && name[2] >= 'A' && name[2] <= 'Z') {
    return "; CUDA's driver has it: link with -lcuda";
  }
  if (text_begins(name, "_ZTI") || text_begins(name, "_ZTV")) {
    return "; a class has it in the file that defines its first virtual function";
  }
  return "";
}

static void say_missing(checking *subject, const wanted_symbols *wanted, const char *missing) {
  enum { kShown = 10 };
  char *library = missing != NULL ? text_escape(missing, strlen(missing)) : NULL;
  size_t i;
  for (i = 0; i < wanted->count && i < kShown; ++i) {
    const char *name = wanted->items[i]->name;
    checks_add(subject, kNote, kCheckUndefined, name,
               library != NULL ? tool_format("no library that was read defines it, but %s was not "
                                             "found or is larger than 512 MiB%s",
                                             library, find_hint(name))
                               : tool_format("no library that it needs defines it: unless the "
                                             "process does, loading or the first call fails%s",
                                             find_hint(name)));
  }
  if (i < wanted->count) {
    checks_add(subject, kNote, kCheckUndefined, NULL,
               tool_format("%zu more names that no library has", wanted->count - i));
  }
  free(library);
}

/* Names of an ELF library that none of them has. */
static void check_names(checking *subject) {
  needed_libraries list = {NULL, 0, NULL, NULL, 0};
  wanted_symbols wanted;
  size_t i;
  char *path;
  wanted = list_wanted(subject->file);
  if (TOOL_FORMAT == kFormatElf && !subject->file->is_program &&
      machine_is_own(subject->file->machine, subject->file->bits, subject->file->is_big_endian)) {
    path = file_resolve(subject->file->path); /* the loader knows it by this path, too */
    if (path == NULL) path = tool_copy(subject->file->path, strlen(subject->file->path));
    if (file_can_read("/etc/ld.so.cache")) {
      list.cache = tool_read_file("/etc/ld.so.cache", &list.cache_size);
    }
    add_library(&list, path, subject->file, 0);
    search_libraries(&list, &wanted);
    say_missing(subject, &wanted, list.missing);
    for (i = 0; i < list.count; ++i) {
      if (i > 0) binary_file_close(list.items[i].file);
      free(list.items[i].path);
    }
    free(list.items);
    free(list.cache);
  }
  free(wanted.items);
}

void check_libraries(checking *subject, const manylinux *platform) {
  bool is_loadable;
  check_which(subject);
  if (subject->file->format == kFormatPe) check_dlls(subject);
  if (subject->file->format != kFormatElf || subject->file->is_object) return;
  is_loadable = check_libc(subject, platform);
  check_kind(subject);
  if (is_loadable) check_names(subject);
}
