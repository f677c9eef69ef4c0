/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "library/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/places.h"
#include "base/report.h"
#include "base/text.h"
#include "library/source_cache.h"
#include "process/program.h"
#include "system/system.h"

/* ---- Kinds ---- */

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
    [kSourceC] = {"CC", &kConventions.c_compiler},
    [kSourceCxx] = {"CXX", &kConventions.cxx_compiler},
    [kSourceCuda] = {"NVCC", &kCudaCompiler},
    [kSourceObject] = {"CC", &kConventions.c_compiler},
    [kSourceArchive] = {"CC", &kConventions.c_compiler},
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

static const arguments *allowed;
static bool allows_objects;

bool source_has_suffix(const char *name) {
  source_kind kind;
  return find_kind(name, &kind);
}

void source_allow(const arguments *args, bool with_objects) {
  allowed = args;
  allows_objects = with_objects;
}

bool source_is_allowed(const char *name) {
  source_kind kind;
  return allowed != NULL && find_kind(name, &kind) && (kind != kSourceObject || allows_objects);
}

/* ---- The command ---- */

static void add_includes(word_list *words) {
  char *folders[kMaxIncludes];
  const size_t count = place_of_includes(folders);
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
  char *library = place_of_linked_library();
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
  words_add_text(
      words, kind == kSourceCuda ? kConventions.cuda_library_flags : kConventions.library_flags);
  if (is_text(kind)) {
    words_add(words, "-O2");
    add_includes(words);
  }
  if (kind == kSourceCxx || kind == kSourceCuda) words_add(words, "-std=c++17");
  if (kind == kSourceArchive) add_word(words, kConventions.archive_flags[0]);
  words_add(words, path);
  if (kind == kSourceArchive) add_word(words, kConventions.archive_flags[1]);
  if (kConventions.links_runtime) add_runtime(words);
  for (i = 0; i < arguments_count(allowed, kOptionCflags); ++i) {
    words_add_text(words, arguments_at(allowed, kOptionCflags, i));
  }
  free(path);
}

/* The compiler's files, so that another version compiles again, even under the same name. There are
 * several in `ccache gcc`. */
static void describe_compiler(const word_list *words, text_buf *key) {
  size_t i;
  for (i = 0; i < words->size; ++i) {
    char *path = launch_find(words->items[i]);
    file_status status;
    if (path != NULL && file_status_get(path, &status)) {
      text_add(key, "%s %llu %lld\n", path, (unsigned long long)status.size,
               (long long)status.written);
    }
    free(path);
  }
}

/* What else the library depends on, besides files: the command, and variables of compilers. */
static void describe_command(const word_list *words, text_buf *key) {
  static const char *const kVariables[] = {"CPATH",
                                           "C_INCLUDE_PATH",
                                           "CPLUS_INCLUDE_PATH",
                                           "GCC_EXEC_PREFIX",
                                           "COMPILER_PATH",
                                           "LIBRARY_PATH",
                                           "NVCC_PREPEND_FLAGS",
                                           "NVCC_APPEND_FLAGS",
                                           "SOURCE_DATE_EPOCH"};
  char folder[4096];
  size_t i;
  for (i = 0; i < words->size; ++i) {
    text_add_bytes(key, words->items[i], strlen(words->items[i]) + 1);
  }
  for (i = 0; i < sizeof kVariables / sizeof *kVariables; ++i) {
    const char *value = getenv(kVariables[i]);
    if (value != NULL) text_add(key, "%s=%s\n", kVariables[i], value);
  }
  /* Words may have relative paths. */
  if (getcwd(folder, sizeof folder) != NULL) text_add(key, "%s\n", folder);
}

/* ---- Compiling ---- */

/* Runs the command, and keeps the library; NULL after a report. */
static char *compile(const char *name, source_kind kind, const word_list *words,
                     const source_cache *cache) {
  enum { kTries = 3 };
  word_list all = {NULL, 0};
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
  words_add(&all, "-o");
  words_add(&all, cache->library);
  for (i = 0; i < kTries && result == kFilesChanged; ++i) {
    const int64_t start = file_clock();
    result = kNotStored;
    if (program_run(&all, name)) result = source_cache_store(cache, name, start, &library);
  }
  if (result == kFilesChanged) report_error("%s: changes while it is compiled", name);
  words_free(&all);
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
