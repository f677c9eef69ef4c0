/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a kernel sees in a sandbox, and Landlock, which refuses the others. */
#define _GNU_SOURCE /* syscall, O_PATH, dladdr */
#include "sandbox.h"

#ifdef __linux__

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h> /* (strchr)(...) is not glibc's macro with _Generic: C99 has none */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tvm/ffi/c_api.h>
#include <unistd.h>

#include "helper_system.h"

/* ---- The list ---- */

static char *join(const char *folder, size_t size, const char *name) {
  char *path = malloc(size + strlen(name) + 2);
  if (path == NULL) fail("memory for the list of files");
  memcpy(path, folder, size);
  path[size] = '/';
  strcpy(path + size + 1, name);
  return path;
}

static char *make_absolute(const char *path) {
  char *folder, *made;
  if (*path == '/') {
    made = strdup(path);
    if (made == NULL) fail("memory for the list of files");
    return made;
  }
  folder = getcwd(NULL, 0);
  if (folder == NULL) fail("the current folder");
  made = join(folder, strlen(folder), path);
  free(folder);
  return made;
}

/* Whether a path is in a folder of the list, or in it itself. */
static bool is_visible(const visible_files *files, const char *path) {
  size_t i;
  for (i = 0; i < files->count; ++i) {
    const size_t size = strlen(files->files[i].path);
    if (strncmp(files->files[i].path, path, size) != 0) continue;
    if (path[size] == '\0') return true;
    if (path[size] == '/' && files->files[i].is_folder && (strstr)(path, "/../") == NULL)
      return true;
  }
  return false;
}

/* Takes the path. False: it is there already, or does not exist (errno is set). */
static bool add_path(visible_files *out, char *path) {
  struct stat status;
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/') path[--size] = '\0';
  errno = 0;
  if (stat(path, &status) != 0 || is_visible(out, path)) {
    free(path);
    return false;
  }
  if (out->count == out->capacity) {
    out->capacity = out->capacity > 0 ? 2 * out->capacity : 32;
    out->files = realloc(out->files, out->capacity * sizeof *out->files);
    if (out->files == NULL) fail("memory for the list of files");
  }
  out->files[out->count].path = path;
  out->files[out->count].is_folder = S_ISDIR(status.st_mode);
  out->files[out->count].is_written = false;
  ++out->count;
  return true;
}

/* ---- The libraries that a library needs ---- */

/* What the loader reads of a library: names, and the folders to look in. */
typedef struct {
  int file;
  const ElfW(Phdr) * segments;
  size_t num_segments;
  uint64_t texts, texts_size;
  uint64_t run_path; /* in the texts; 0: none */
} elf_names;

static bool read_at(int file, void *out, size_t size, uint64_t offset) {
  return offset <= INT64_MAX && pread(file, out, size, (off_t)offset) == (ssize_t)size;
}

/* False: the address is not in the file. */
static bool find_offset(const elf_names *from, uint64_t address, uint64_t *out) {
  size_t i;
  for (i = 0; i < from->num_segments; ++i) {
    const ElfW(Phdr) *s = &from->segments[i];
    if (s->p_type != PT_LOAD || address < s->p_vaddr || address - s->p_vaddr >= s->p_filesz) {
      continue;
    }
    *out = s->p_offset + (address - s->p_vaddr);
    return true;
  }
  return false;
}

enum { kMaxText = 4096, kMaxSegments = 64, kMaxEntries = 512, kMaxLibraries = 512 };

static bool read_text(const elf_names *from, uint64_t offset, char *out) {
  ssize_t size;
  if (offset >= from->texts_size) return false;
  size = pread(from->file, out, kMaxText - 1, (off_t)(from->texts + offset));
  if (size <= 0) return false;
  out[size] = '\0';
  return out[0] != '\0';
}

/*
 * Whether a file is a shared library. A library names others, and may be a stranger's: it must not
 * make other files readable by naming them. Nothing is opened that would notice.
 */
static bool is_library(const char *path) {
  struct stat status;
  ElfW(Ehdr) header;
  bool is_one;
  int file;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  is_one = read_at(file, &header, sizeof header, 0) &&
           memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN &&
           header.e_phentsize == sizeof(ElfW(Phdr));
  close(file);
  return is_one;
}

/* Looks in folders that are separated by colons; $ORIGIN is that of the library. */
static bool find_in(const char *folders, const char *library, const char *name,
                    char out[kMaxText]) {
  const int origin = (int)((strrchr)(library, '/') - library);
  while (folders != NULL && *folders != '\0') {
    const int size = (int)strcspn(folders, ":");
    const int word = strncmp(folders, "$ORIGIN", 7) == 0     ? 7
                     : strncmp(folders, "${ORIGIN}", 9) == 0 ? 9
                                                             : 0;
    const int written = snprintf(out, kMaxText, "%.*s%.*s/%s", word > 0 ? origin : 0, library,
                                 size - word, folders + word, name);
    if (size > 0 && written > 0 && written < kMaxText && is_library(out)) return true;
    folders += size + (folders[size] == ':');
  }
  return false;
}

static void add_needed(visible_files *out, const char *library, const char *name,
                       const char *run_path) {
  char path[kMaxText];
  if ((strchr)(name, '/') != NULL) {
    if (is_library(name)) (void)add_path(out, make_absolute(name));
  } else if (find_in(run_path, library, name, path) ||
             find_in(getenv("LD_LIBRARY_PATH"), library, name, path)) {
    (void)add_path(out, make_absolute(path));
  } /* else it is in the system's folders, or loaded already */
}

static void add_all_needed(visible_files *out, elf_names *from, const char *library,
                           const ElfW(Dyn) * entries, size_t count) {
  char name[kMaxText], run_path[kMaxText] = "";
  uint64_t texts = 0;
  size_t i;
  from->run_path = 0;
  for (i = 0; i < count && entries[i].d_tag != DT_NULL; ++i) {
    const uint64_t value = entries[i].d_un.d_val;
    if (entries[i].d_tag == DT_STRTAB) texts = value;
    if (entries[i].d_tag == DT_STRSZ) from->texts_size = value;
    if (entries[i].d_tag == DT_RUNPATH || (entries[i].d_tag == DT_RPATH && from->run_path == 0)) {
      from->run_path = value;
    }
  }
  count = i;
  if (!find_offset(from, texts, &from->texts)) return;
  if (from->run_path != 0 && !read_text(from, from->run_path, run_path)) run_path[0] = '\0';
  for (i = 0; i < count; ++i) {
    if (entries[i].d_tag != DT_NEEDED || !read_text(from, entries[i].d_un.d_val, name)) continue;
    add_needed(out, library, name, run_path);
  }
}

/*
 * A damaged library gets no others: loading it says what is wrong. Its bytes are a stranger's, so
 * each access is checked.
 */
static void add_libraries_of(visible_files *out, const char *library) {
  static ElfW(Phdr) segments[kMaxSegments];
  static ElfW(Dyn) entries[kMaxEntries];
  ElfW(Ehdr) header;
  elf_names from;
  size_t i;
  memset(&from, 0, sizeof from);
  from.file = open(library, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (from.file < 0) return;
  from.segments = segments;
  if (read_at(from.file, &header, sizeof header, 0) &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof *segments &&
      header.e_phnum <= kMaxSegments &&
      read_at(from.file, segments, header.e_phnum * sizeof *segments, header.e_phoff)) {
    from.num_segments = header.e_phnum;
  }
  for (i = 0; i < from.num_segments; ++i) {
    size_t size = segments[i].p_filesz;
    if (segments[i].p_type != PT_DYNAMIC) continue;
    if (size > sizeof entries) size = sizeof entries;
    if (read_at(from.file, entries, size, segments[i].p_offset)) {
      add_all_needed(out, &from, library, entries, size / sizeof *entries);
    }
  }
  close(from.file);
}

/* ---- What is visible ---- */

/* The library of the runtime, and what it loads from beside it. */
static void add_runtime(visible_files *out) {
  static const char *const kBeside[] = {"libtvm_ffi_cxx.so", "tvm_ffi_cxx/libtvm_ffi.so"};
  Dl_info runtime;
  char *path;
  size_t i, folder;
  if (dladdr((const void *)(uintptr_t)&TVMFFIErrorSetRaised, &runtime) == 0 ||
      runtime.dli_fname == NULL || (strchr)(runtime.dli_fname, '/') == NULL) {
    return;
  }
  path = make_absolute(runtime.dli_fname);
  folder = (size_t)((strrchr)(path, '/') - path);
  for (i = 0; i < sizeof kBeside / sizeof *kBeside; ++i) {
    (void)add_path(out, join(path, folder, kBeside[i]));
  }
  (void)add_path(out, path);
}

static void add_reads(visible_files *out, const char *reads) {
  while (*reads != '\0') {
    const size_t size = strcspn(reads, ":");
    char *name = strndup(reads, size);
    if (name == NULL) fail("memory for the list of files");
    if (size > 0 && !add_path(out, make_absolute(name)) && errno != 0) fail(name);
    free(name);
    reads += size + (reads[size] == ':');
  }
}

void visible_files_list(visible_files *out, const char *library, const char *reads) {
  static const char *const kSystem[] = {
      "/lib",       "/lib32",      "/lib64",         "/libx32",          "/usr/lib", "/usr/lib32",
      "/usr/lib64", "/usr/libx32", "/usr/local/lib", "/etc/ld.so.cache", "/dev/null"};
  char *path = make_absolute(library);
  size_t i, first;
  memset(out, 0, sizeof *out);
  for (i = 0; i < sizeof kSystem / sizeof *kSystem; ++i) {
    const bool is_added = add_path(out, make_absolute(kSystem[i]));
    if (is_added) out->files[out->count - 1].is_written = strcmp(kSystem[i], "/dev/null") == 0;
  }
  (void)add_path(out, make_absolute("/dev/urandom"));
  add_runtime(out);
  first = out->count;
  add_libraries_of(out, path); /* it may be in a folder of the system, and so not in the list */
  (void)add_path(out, path);
  /* Paths stay where they are when the list grows. */
  for (i = first; i < out->count && i < first + kMaxLibraries; ++i) {
    if (!out->files[i].is_folder) add_libraries_of(out, out->files[i].path);
  }
  add_reads(out, reads);
}

/* ---- Landlock ---- */

/* The interface of Landlock; not every system has its header. */
enum {
  kLandlockWriteFile = 1 << 1,
  kLandlockReadFile = 1 << 2,
  kLandlockReadFolder = 1 << 3,
  kLandlockFirstVersion = 0x1ff2, /* write, remove and make what has a path */
  kLandlockExecute = 1 << 0,
  kLandlockRefer = 1 << 13,    /* since version 2 */
  kLandlockTruncate = 1 << 14, /* since version 3 */
  kLandlockDevices = 1 << 15,  /* since version 5 */
  kLandlockNetwork = 3,        /* since version 4: to bind and to connect */
  kLandlockScopes = 3,         /* since version 6: abstract sockets and signals */
  kLandlockVersion = 1,        /* a flag: tell the version */
  kLandlockPath = 1
};

#ifdef SYS_landlock_create_ruleset

typedef struct {
  uint64_t files, network, scopes;
} landlock_rules;

/* Packed, as the kernel has it. */
typedef struct {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed)) landlock_path;

static uint64_t rights_of_writing(long version) {
  uint64_t rights = kLandlockFirstVersion;
  if (version >= 2) rights |= kLandlockRefer;
  if (version >= 3) rights |= kLandlockTruncate;
  return rights;
}

static void allow_path(int rules, const char *path, uint64_t allowed) {
  landlock_path rule;
  rule.allowed = allowed;
  rule.parent = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent < 0) return;
  (void)syscall(SYS_landlock_add_rule, rules, kLandlockPath, &rule, 0);
  close(rule.parent);
}

static bool restrict_self(int rules) {
  const bool works = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return works;
}

void refuse_writing_files(void) {
  const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, kLandlockVersion);
  const uint64_t handled = rights_of_writing(version);
  int rules;
  if (version < 1) fail("Landlock");
  rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0) fail("Landlock");
  allow_path(rules, "/dev/null", kLandlockWriteFile);
  if (!restrict_self(rules)) fail("Landlock");
}

bool refuse_other_files(const visible_files *files, bool *out_has_scopes) {
  const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, kLandlockVersion);
  landlock_rules handled = {0, kLandlockNetwork, kLandlockScopes};
  size_t i;
  int rules;
  if (version < 1) return false;
  handled.files =
      rights_of_writing(version) | kLandlockExecute | kLandlockReadFile | kLandlockReadFolder;
  if (version >= 5) handled.files |= kLandlockDevices;
  rules = (int)syscall(SYS_landlock_create_ruleset, &handled,
                       version >= 6   ? sizeof handled
                       : version >= 4 ? 2 * sizeof(uint64_t)
                                      : sizeof(uint64_t),
                       0);
  if (rules < 0) return false;
  for (i = 0; i < files->count; ++i) {
    const visible_file *file = &files->files[i];
    allow_path(rules, file->path,
               kLandlockReadFile | (file->is_folder ? (uint64_t)kLandlockReadFolder : 0) |
                   (file->is_written ? (uint64_t)kLandlockWriteFile : 0));
  }
  allow_path(rules, "/proc/self", kLandlockReadFile | kLandlockReadFolder);
  *out_has_scopes = version >= 6;
  return restrict_self(rules);
}

#else

void refuse_writing_files(void) {
  errno = ENOSYS;
  fail("Landlock");
}

bool refuse_other_files(const visible_files *files, bool *out_has_scopes) {
  (void)files;
  (void)out_has_scopes;
  errno = ENOSYS;
  return false;
}

#endif

#else
typedef int sandbox_files_are_for_linux; /* C99 has no empty source */
#endif
