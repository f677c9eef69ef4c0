/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "library/library.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/install_paths.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"
#include "file/binary_file.h"
#include "system/system.h"

/* ---- The cache ---- */

/* Libraries that earlier runs compiled, in XDG_CACHE_HOME/tvm-ffi or ~/.cache/tvm-ffi.
 *
 * KEY.files lists the files that a command has read, where KEY stands for the command. After a tab
 * it has paths where there was no file: one that appears there may be found in place of another.
 * KEY-CONTENT.so is the library, where CONTENT stands for what was in these files. */
typedef struct {
  char *stem;    /* "FOLDER/KEY" */
  char *library; /* where the compiler is to write the library, */
  char *rule;    /* and, as a rule of make, which files it has read */
} source_cache;

typedef enum { kStored, kFilesChanged, kNotStored } store_result;

/* ---- The cache: hashes, which nobody makes equal in the user's own folder ---- */

enum { kKeyDigits = 16 }; /* of a hash in the name of a file */

/* Adds name and content of a file; false if it cannot be read. */
static bool hash_add_file(uint64_t *hash, const char *path) {
  char buffer[65536];
  FILE *stream = fopen(path, "rb");
  uint64_t total = 0;
  size_t size;
  bool is_read;
  if (stream == NULL) return false;
  *hash = text_hash(*hash, path, strlen(path) + 1);
  while ((size = fread(buffer, 1, sizeof buffer, stream)) > 0) {
    *hash = text_hash(*hash, buffer, size);
    total += size;
  }
  *hash = text_hash(*hash, &total, sizeof total);
  is_read = ferror(stream) == 0;
  fclose(stream);
  return is_read;
}

/* ---- The cache: its folder ---- */

static void refuse_folder(const char *path) {
  report_error("%s: %s; compiled libraries are kept in %s", path, strerror(errno),
               kSystem.caches[0].variable);
}

/* Makes the folder unless there is one. */
static bool make_folder(const char *path) {
  file_status status;
  if (file_status_get(path, &status) && status.is_folder) return true;
  return folder_make(path, true) || errno == EEXIST;
}

/* Makes a folder and those above it. */
static bool make_folders(char *path) {
  char *slash = strchr(path + 1, '/');
  while (true) {
    if (slash != NULL) *slash = '\0';
    if (!make_folder(path)) {
      refuse_folder(path);
      return false;
    }
    if (slash == NULL) return true;
    *slash = '/';
    slash = strchr(slash + 1, '/');
  }
}

static char *find_folder(void) {
  const named_folder *caches = kSystem.caches;
  char *folder;
  size_t i;
  for (i = 0; i < sizeof kSystem.caches / sizeof *caches; ++i) {
    const char *above = getenv(caches[i].variable);
    if (above == NULL || !path_is_absolute(above)) continue;
    folder = tool_format("%s/%s", above, caches[i].folder);
    if (make_folders(folder)) return folder;
    free(folder);
    return NULL;
  }
  report_error("there is no folder for compiled libraries: set %s or %s", caches[0].variable,
               caches[1].variable);
  return NULL;
}

/* Machines that share the folder may have processes with the same number. */
static void name_temporary(source_cache *out) {
  char host[65], *at;
  const uint64_t number = random_number();
  host_name_write(host, sizeof host);
  for (at = host; *at != '\0'; ++at) {
    if (strchr("/\\: ", *at) != NULL) *at = '_';
  }
  out->library = tool_format("%s.%s-%ld-%" PRIx64 "%s", out->stem, host, (long)getpid(), number,
                             kSystem.library_suffix);
  out->rule = tool_format("%s.%s-%ld-%" PRIx64 ".d", out->stem, host, (long)getpid(), number);
}

/* Makes the folder. `key` is all that the library depends on besides files. False after a report.
 */
static bool source_cache_open(const char *key, size_t key_size, source_cache *out) {
  char *folder = find_folder();
  if (folder == NULL) return false;
  out->stem = tool_format("%s/%0*" PRIx64, folder, kKeyDigits, text_hash(TEXT_HASH, key, key_size));
  name_temporary(out);
  free(folder);
  return true;
}

static void source_cache_close(source_cache *cache) {
  remove(cache->library);
  remove(cache->rule);
  free(cache->stem);
  free(cache->library);
  free(cache->rule);
}

/* Takes the first path of a list with a path in each line; release with free(). *out_is_absent:
 * whether there was no such file. */
static char *take_path(const char **files, bool *out_is_absent) {
  const size_t size = strcspn(*files, "\n");
  char *path;
  *out_is_absent = size > 0 && **files == '\t';
  path = tool_copy(*files + *out_is_absent, size - *out_is_absent);
  *files += size + ((*files)[size] == '\n');
  return path;
}

/* ---- The cache: finding a library ---- */

/* Where the library is kept that is made of these files; NULL if one of them cannot be read, or is
 * there although it was not. */
static char *name_library(const source_cache *cache, const char *files) {
  uint64_t hash = TEXT_HASH;
  while (*files != '\0') {
    bool is_absent, is_same;
    char *path = take_path(&files, &is_absent);
    is_same = is_absent ? !file_exists(path) : hash_add_file(&hash, path);
    free(path);
    if (!is_same) return NULL;
  }
  return tool_format("%s-%0*" PRIx64 "%s", cache->stem, kKeyDigits, hash, kSystem.library_suffix);
}

/* The library, if an earlier run made it of the same files; release with free(). NULL if not. */
static char *source_cache_find(const source_cache *cache) {
  char *list = tool_format("%s.files", cache->stem), *files = NULL, *library = NULL;
  size_t size;
  if (file_can_read(list)) files = tool_read_file(list, &size);
  if (files != NULL && size > 0) library = name_library(cache, files);
  if (library != NULL) {
    /* Says that both are in use. In a read-only folder it fails, and nothing is removed there. */
    file_touch(library);
    file_touch(list);
  }
  if (library != NULL && !file_can_read(library)) {
    free(library);
    library = NULL;
  }
  free(files);
  free(list);
  return library;
}

/* ---- The cache: keeping a library ---- */

static char *get_folder(const source_cache *cache) {
  return tool_copy(cache->stem, (size_t)(strrchr(cache->stem, '/') - cache->stem));
}

/* Whether a new library can be kept; reported. */
static bool source_cache_can_store(const source_cache *cache) {
  char *folder = get_folder(cache);
  const bool can_store = folder_can_write(folder);
  if (!can_store) refuse_folder(folder);
  free(folder);
  return can_store;
}

/* Adds the prerequisites of a rule of make, a line for each. */
static void read_rule(const char *rule, text_buf *files) {
  const char *at = strstr(rule, ": ");
  if (at == NULL) return;
  for (at += 2; *at != '\0' && *at != '\n';) {
    const size_t before = files->size;
    if (*at == ' ' || (*at == '\\' && at[1] == '\n')) {
      at += *at == ' ' ? 1 : 2;
      continue;
    }
    while (*at != '\0' && *at != ' ' && *at != '\n' && !(*at == '\\' && at[1] == '\n')) {
      if ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$')) ++at;
      text_add_bytes(files, at++, 1);
    }
    if (files->size > before) text_add(files, "\n");
  }
}

static bool is_separator(char c) {
  return c != '\0' && strchr(kSystem.path_separators, c) != NULL;
}

/* Without separators at its end; an empty path is the current folder. */
static void add_folder(word_list *folders, const char *path, size_t size) {
  char *folder;
  size_t i;
  while (size > 1 && is_separator(path[size - 1])) --size;
  folder = size > 0 ? tool_copy(path, size) : tool_copy(".", 1);
  for (i = 0; i < folders->size && strcmp(folders->items[i], folder) != 0; ++i) continue;
  if (i == folders->size) words_add(folders, folder);
  free(folder);
}

/* The path from a folder to a file in it, NULL if the file is elsewhere. Compilers leave "./" in
 * front of a path out. */
static const char *path_from(const char *folder, const char *path) {
  size_t size;
  while (folder[0] == '.' && is_separator(folder[1])) folder += 2;
  if (strcmp(folder, ".") == 0) return path_is_absolute(path) ? NULL : path;
  size = strlen(folder);
  if (strncmp(path, folder, size) != 0) return NULL;
  if (size > 0 && !is_separator(folder[size - 1]) && !is_separator(path[size])) return NULL;
  while (is_separator(path[size])) ++size;
  return path + size;
}

/* Adds the folders of the headers that are in one of these folders: what they include by a name in
 * quotes is looked for there first. */
static void add_folders_of_headers(const char *files, word_list *folders) {
  const size_t count = folders->size;
  while (*files != '\0') {
    bool is_absent;
    char *path = take_path(&files, &is_absent);
    size_t i;
    for (i = 0; i < count; ++i) {
      if (path_from(folders->items[i], path) == NULL) continue;
      add_folder(folders, path, (size_t)(path_base(path) - path));
      break;
    }
    free(path);
  }
}

/* Whether a file was written since then, or is missing. A time in the future is ignored. */
static bool is_newer(const char *path, int64_t start) {
  file_status status;
  if (!file_status_get(path, &status)) return true;
  return status.written > start && status.written <= file_clock();
}

static bool have_changed(const char *files, int64_t start) {
  bool changed = false;
  while (*files != '\0' && !changed) {
    bool is_absent;
    char *path = take_path(&files, &is_absent);
    changed = is_absent ? file_exists(path) : is_newer(path, start);
    free(path);
  }
  return changed;
}

/* Adds the first part of FOLDER/NAME that does not exist, for each of these sorted names. True if
 * one exists that was written since `start`: the compiler may not have seen it. */
static bool add_absent(const char *folder, const word_list *names, int64_t start, text_buf *files) {
  const char *absent = NULL; /* the last part that was added, of some name, */
  size_t absent_size = 0, i; /* and its bytes */
  bool is_any_new = false;
  for (i = 0; i < names->size; ++i) {
    const char *name = names->items[i];
    size_t size = 0;
    if (absent != NULL && strncmp(name, absent, absent_size) == 0 &&
        (name[absent_size] == '\0' || is_separator(name[absent_size]))) {
      continue;
    }
    for (;;) {
      char *path;
      bool exists;
      while (name[size] != '\0' && !is_separator(name[size])) ++size;
      path = tool_format("%s/%.*s", folder, tvmffi_shown_size(size), name);
      exists = file_exists(path);
      if (!exists) {
        text_add(files, "\t%s\n", path);
        absent = name;
        absent_size = size;
      } else if (name[size] == '\0') {
        is_any_new |= is_newer(path, start);
      }
      free(path);
      if (!exists || name[size] == '\0') break;
      ++size;
    }
  }
  return is_any_new;
}

/*
 * Adds where a compiler would have found other files than those it read, if they had been there. A
 * file in one of the first num_named folders was included by its path from there. One elsewhere
 * belongs to the system. Compilers do not tell by which name it was included, so each end of its
 * path may be that, for a/b/c.h also b/c.h and c.h; only in those folders, where <> looks.
 * True if a file has appeared since `start`.
 */
static bool add_all_absent(const word_list *folders, size_t num_named, int64_t start,
                           text_buf *files) {
  word_list own = {NULL, 0}, of_system = {NULL, 0};
  char *read_files = tool_copy(files->data, files->size);
  const char *rest = read_files;
  bool is_any_new = false;
  size_t i;
  while (*rest != '\0') {
    bool is_absent, is_named = false;
    char *path = take_path(&rest, &is_absent);
    const char *name = path;
    for (i = 0; i < num_named; ++i) {
      const char *found = path_from(folders->items[i], path);
      if (found == NULL || *found == '\0') continue;
      words_add(&own, found);
      is_named = true;
    }
    while (!is_named && *name != '\0') {
      while (is_separator(*name)) ++name;
      if (*name != '\0') words_add(&of_system, name);
      while (*name != '\0' && !is_separator(*name)) ++name;
    }
    free(path);
  }
  if (own.size > 0) qsort(own.items, own.size, sizeof *own.items, words_compare);
  if (of_system.size > 0) {
    qsort(of_system.items, of_system.size, sizeof *of_system.items, words_compare);
  }
  for (i = 0; i < folders->size; ++i) {
    is_any_new |= add_absent(folders->items[i], &own, start, files);
    if (i < num_named) is_any_new |= add_absent(folders->items[i], &of_system, start, files);
  }
  words_free(&own);
  words_free(&of_system);
  free(read_files);
  return is_any_new;
}

/* Whether the file is one of this cache: other programs may keep files in the folder, too. */
static bool is_cached(const char *name) {
  return strspn(name, "0123456789abcdef") == kKeyDigits &&
         (name[kKeyDigits] == '.' || name[kKeyDigits] == '-');
}

/* Removes what was not used for a month, and what runs that were killed have left. */
static void remove_old(const source_cache *cache) {
  const int64_t day = (int64_t)24 * 3600 * 1000000000, limit = file_clock() - 30 * day;
  char *folder = get_folder(cache);
  DIR *list = opendir(folder);
  struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    char *path = tool_format("%s/%s", folder, entry->d_name);
    file_status status;
    if (is_cached(entry->d_name) && file_status_get(path, &status) && status.is_regular &&
        status.written < limit) {
      remove(path);
    }
    free(path);
  }
  if (list != NULL) closedir(list);
  free(folder);
}

/* Keeps the new library, and removes those that were not used for a month. *out is its path;
 * release with free(). `named`: the folders in which headers are looked for. kFilesChanged if a
 * file was written since `start` (of file_clock), so that it may not be what was compiled: nothing
 * is kept. kNotStored after a report. */
static store_result source_cache_store(const source_cache *cache, const char *source,
                                       const word_list *named, int64_t start, char **out) {
  char *list = tool_format("%s.files", cache->stem), *rule = NULL;
  text_buf files = {NULL, 0, 0};
  word_list folders = {NULL, 0};
  store_result result = kNotStored;
  bool is_any_new;
  size_t size, i;
  if (file_can_read(cache->rule)) rule = tool_read_file(cache->rule, &size);
  if (rule != NULL) read_rule(rule, &files);
  if (files.size == 0) text_add(&files, "%s\n", source);
  for (i = 0; i < named->size; ++i) words_add(&folders, named->items[i]);
  add_folders_of_headers(files.data, &folders);
  is_any_new = add_all_absent(&folders, named->size, start, &files);
  *out = name_library(cache, files.data);
  if (is_any_new || have_changed(files.data, start)) {
    result = kFilesChanged;
  } else if (*out == NULL) {
    report_error("%s: a file that it includes cannot be read", source);
  } else if (!file_rename(cache->library, *out) && !file_can_read(*out)) {
    /* Windows does not replace a library that is loaded, which is the same one. */
    report_error("%s: %s", *out, strerror(errno));
  } else if (tool_write_file(list, files.data, files.size)) {
    remove_old(cache);
    result = kStored;
  }
  if (result != kStored) {
    free(*out);
    *out = NULL;
  }
  free(list);
  free(rule);
  text_free(&files);
  words_free(&folders);
  return result;
}

/* ---- Kinds of sources ---- */

typedef enum { kSourceC, kSourceCxx, kSourceCuda, kSourceObject, kSourceArchive } source_kind;

static const struct {
  const char *suffix;
  source_kind kind;
} kSuffixes[] = {{".c", kSourceC},      {".cc", kSourceCxx},  {".cpp", kSourceCxx},
                 {".cxx", kSourceCxx},  {".cu", kSourceCuda}, {".o", kSourceObject},
                 {".a", kSourceArchive}};
enum { kNumSuffixes = sizeof kSuffixes / sizeof *kSuffixes };

static const char *const kCudaCompiler = "nvcc";

/* The variable that names the compiler of a kind, and the compiler if it is not set. */
static const struct {
  const char *variable, *const *otherwise;
} kCompilers[] = {
    [kSourceC] = {"CC", &kSystem.c_compiler},       [kSourceCxx] = {"CXX", &kSystem.cxx_compiler},
    [kSourceCuda] = {"NVCC", &kCudaCompiler},       [kSourceObject] = {"CC", &kSystem.c_compiler},
    [kSourceArchive] = {"CC", &kSystem.c_compiler},
};

static bool find_kind(const char *name, source_kind *out) {
  const char *suffix = strrchr(name, '.');
  size_t i;
  for (i = 0; suffix != NULL && i < kNumSuffixes; ++i) {
    if (strcmp(suffix, kSuffixes[i].suffix) != 0) continue;
    *out = kSuffixes[i].kind;
    return true;
  }
  return false;
}

/* Whether the file is read by a compiler, and not by a linker alone. */
static bool is_text(source_kind kind) {
  return kind == kSourceC || kind == kSourceCxx || kind == kSourceCuda;
}

/* ---- What is compiled ---- */

static bool is_allowed, allows_objects;
static text_list extra_flags;

bool source_has_suffix(const char *name) {
  source_kind kind;
  return find_kind(name, &kind);
}

void source_allow(text_list flags, bool with_objects) {
  is_allowed = true;
  extra_flags = flags;
  allows_objects = with_objects;
}

bool source_is_allowed(const char *name) {
  source_kind kind;
  return is_allowed && find_kind(name, &kind) && (kind != kSourceObject || allows_objects);
}

/* ---- The command ---- */

static void add_includes(word_list *words) {
  char *folders[kMaxIncludes];
  const size_t count = install_path_of_includes(folders);
  size_t i;
  for (i = 0; i < count; ++i) {
    char *word = tool_format("-I%s", folders[i]);
    words_add(words, word);
    free(word);
    free(folders[i]);
  }
}

/* NULL adds nothing. */
static void add_word(word_list *words, const char *word) {
  if (word != NULL) words_add(words, word);
}

static void add_runtime(word_list *words) {
  char *library = install_path_of_linked_library();
  add_word(words, library);
  free(library);
}

static void add_compiler(source_kind kind, word_list *words) {
  const char *compiler = getenv(kCompilers[kind].variable);
  if (compiler != NULL) words_add_text(words, compiler);
  if (words->size == 0) words_add(words, *kCompilers[kind].otherwise);
}

/* The rest of the command up to its outputs. */
static void add_options(const char *name, source_kind kind, word_list *words) {
  char *path = tool_format("%s%s", *name == '-' ? "./" : "", name);
  size_t i;
  words_add(words, "-shared");
  words_add_text(words, kind == kSourceCuda ? kSystem.cuda_library_flags : kSystem.library_flags);
  if (is_text(kind)) {
    words_add(words, "-O2");
    add_includes(words);
  }
  if (kind == kSourceCxx || kind == kSourceCuda) words_add(words, "-std=c++17");
  if (kind == kSourceArchive) add_word(words, kSystem.archive_flags[0]);
  words_add(words, path);
  if (kind == kSourceArchive) add_word(words, kSystem.archive_flags[1]);
  if (kSystem.links_runtime) add_runtime(words);
  for (i = 0; i < extra_flags.count; ++i) words_add_text(words, extra_flags.items[i]);
  free(path);
}

static void describe_file(const char *path, text_buf *key) {
  file_status status;
  if (!file_status_get(path, &status)) return;
  text_add(key, "%s %llu %lld\n", path, (unsigned long long)status.size, (long long)status.written);
}

/* The compiler's files, so that another version compiles again, even under the same name. There are
 * several in `ccache gcc`. */
static void describe_compiler(const word_list *words, text_buf *key) {
  size_t i;
  for (i = 0; i < words->size; ++i) {
    char *path = launch_find(words->items[i]);
    if (path != NULL) describe_file(path, key);
    free(path);
  }
}

/* What kind of processor this machine has, for machine code that is made for it alone. */
static void describe_processor(text_buf *key) {
  static const char *const kLines[] = {"vendor_id", "cpu family",      "model",    "flags",
                                       "Features",  "CPU implementer", "CPU part", "isa",
                                       "features",  "machine"};
  char line[8192], host[65];
  FILE *stream = fopen("/proc/cpuinfo", "r");
  size_t i;
  /* a device, for which nvcc compiles then, has no place in that file; other systems have none */
  host_name_write(host, sizeof host);
  text_add(key, "%s\n", host);
  if (stream == NULL) return;
  while (fgets(line, sizeof line, stream) != NULL && line[0] != '\n') { /* the first processor */
    for (i = 0; i < sizeof kLines / sizeof *kLines; ++i) {
      if (text_begins(line, kLines[i])) text_add(key, "%s", line);
    }
  }
  fclose(stream);
}

/* Whether what compilers make of these words depends on the machine that they run on: -march=native
 * and the like, perhaps in a file of options. */
static bool is_for_this_machine(const word_list *words) {
  size_t i;
  for (i = 0; i < words->size; ++i) {
    if (strstr(words->items[i], "native") != NULL || words->items[i][0] == '@') return true;
  }
  return false;
}

/* What else the library depends on, besides files: the command, variables of compilers, and the
 * machine. */
static void describe_command(const word_list *words, text_buf *key) {
  static const char *const kVariables[] = {"CPATH",
                                           "C_INCLUDE_PATH",
                                           "CPLUS_INCLUDE_PATH",
                                           "GCC_EXEC_PREFIX",
                                           "COMPILER_PATH",
                                           "LIBRARY_PATH",
                                           "LD_RUN_PATH",
                                           "CCC_OVERRIDE_OPTIONS",
                                           "SDKROOT",
                                           "MACOSX_DEPLOYMENT_TARGET",
                                           "NVCC_PREPEND_FLAGS",
                                           "NVCC_APPEND_FLAGS",
                                           "SOURCE_DATE_EPOCH"};
  char folder[4096];
  size_t i;
  for (i = 0; i < words->size; ++i) {
    text_add_bytes(key, words->items[i], strlen(words->items[i]) + 1);
    if (words->items[i][0] == '@') describe_file(words->items[i] + 1, key);
  }
  for (i = 0; i < sizeof kVariables / sizeof *kVariables; ++i) {
    const char *value = getenv(kVariables[i]);
    if (value != NULL) text_add(key, "%s=%s\n", kVariables[i], value);
  }
  text_add(key, "%s\n", machine_own_name());
  if (is_for_this_machine(words)) describe_processor(key);
  /* Words may have relative paths. */
  if (getcwd(folder, sizeof folder) != NULL) text_add(key, "%s\n", folder);
}

/* The folders where users add headers: that of the source, those of the command and of variables,
 * and the first one of the system. */
static void find_header_folders(const char *name, const word_list *words, word_list *folders) {
  static const char *const kOptions[] = {"-I", "-iquote", "-isystem", "-idirafter"};
  static const char *const kVariables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
  const char *separator = kSystem.has_drives ? ";" : ":";
  size_t i, k;
  add_folder(folders, name, (size_t)(path_base(name) - name));
  for (i = 0; i < words->size; ++i) {
    for (k = 0; k < sizeof kOptions / sizeof *kOptions; ++k) {
      const size_t size = strlen(kOptions[k]);
      const char *word = words->items[i];
      if (strncmp(word, kOptions[k], size) != 0) continue;
      word = word[size] != '\0' ? word + size : i + 1 < words->size ? words->items[i + 1] : ".";
      add_folder(folders, word, strlen(word));
      break;
    }
  }
  for (i = 0; i < sizeof kVariables / sizeof *kVariables; ++i) {
    const char *value = getenv(kVariables[i]);
    while (value != NULL && *value != '\0') {
      const size_t size = strcspn(value, separator);
      add_folder(folders, value, size);
      value += size + (value[size] != '\0');
    }
  }
  add_folder(folders, "/usr/local/include", strlen("/usr/local/include"));
}

/* ---- Compiling ---- */

/* Runs a compiler to its end. It reads nothing, and all that it prints goes to stderr. False after
 * a report about `subject`: that it cannot be run, or did not end with 0. */
static bool run_compiler(const word_list *words, const char *subject) {
  launch_end end;
  if (!launch_run(words->items, &end)) {
    return report_error("%s: cannot run %s: %s", subject, words->items[0], strerror(errno));
  }
  if (end.ended[0] != '\0') {
    return report_error("%s: %s was ended by %s", subject, words->items[0], end.ended);
  }
  if (end.code == 0) return true;
  return report_error("%s: %s ended with exit code %d", subject, words->items[0], end.code);
}

/* Runs the command, and keeps the library; NULL after a report. */
static char *compile(const char *name, source_kind kind, const word_list *words,
                     const source_cache *cache) {
  enum { kTries = 3 };
  word_list all = {NULL, 0}, folders = {NULL, 0};
  char *library = NULL;
  store_result result = kFilesChanged;
  size_t i;
  if (!source_cache_can_store(cache)) return NULL;
  for (i = 0; i < words->size; ++i) words_add(&all, words->items[i]);
  if (is_text(kind)) {
    words_add(&all, "-MD");
    words_add(&all, "-MF");
    words_add(&all, cache->rule);
  }
  if (is_text(kind)) find_header_folders(name, words, &folders);
  words_add(&all, "-o");
  words_add(&all, cache->library);
  for (i = 0; i < kTries && result == kFilesChanged; ++i) {
    const int64_t start = file_clock();
    result = kNotStored;
    if (run_compiler(&all, name)) {
      result = source_cache_store(cache, name, &folders, start, &library);
    }
  }
  if (result == kFilesChanged) report_error("%s: changed while it was being compiled", name);
  words_free(&all);
  words_free(&folders);
  return library;
}

char *source_build(const char *name) {
  char *library = NULL;
  word_list words = {NULL, 0};
  text_buf key = {NULL, 0, 0};
  source_cache cache;
  source_kind kind;
  if (!find_kind(name, &kind) || !tool_can_read(name)) return NULL;
  add_compiler(kind, &words);
  describe_compiler(&words, &key);
  add_options(name, kind, &words);
  describe_command(&words, &key);
  if (source_cache_open(key.data, key.size, &cache)) {
    library = source_cache_find(&cache);
    if (library == NULL) library = compile(name, kind, &words, &cache);
    source_cache_close(&cache);
  }
  text_free(&key);
  words_free(&words);
  return library;
}
