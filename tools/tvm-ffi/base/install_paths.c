/* SPDX-License-Identifier: Apache-2.0 */
#include "base/install_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "base/utf8.h"
#include "build_info.h"
#include "platform/platform.h"
#include "system/system.h"

bool folder_has_file(const char *folder, const char *name) {
  char *path = tool_format("%s/%s", folder, name);
  bool found = file_exists(path);
  free(path);
  return found;
}

/* The path of the running program; NULL if it is not known. */
static char *find_program(void) {
  char path[4096];
  return own_program_find(path, sizeof path) ? tool_copy(path, strlen(path)) : NULL;
}

char *install_path_of_library(void) {
  const char *const libraries[] = {kSystem.runtime_library, NULL};
  /* What the program calls may be a jump to it. */
  const void *function = tvmffi_dl_find_loaded("TVMFFIGetVersion", libraries);
  char path[4096];
  const bool is_found = tvmffi_dl_find_path(function, path, sizeof path) ||
                        loaded_path_find(function, path, sizeof path);
  return is_found ? file_resolve(path) : NULL;
}

char *install_path_under(const char *prefix, const char *folder) {
  return path_is_absolute(folder) ? tool_copy(folder, strlen(folder))
                                  : tool_format("%s/%s", prefix, folder);
}

/* What precedes "/FOLDER/NAME"; NULL if the path does not end that way. */
static char *strip_folder(const char *path, const char *folder) {
  const char *name = path_base(path);
  size_t size = name > path ? (size_t)(name - 1 - path) : 0, tail = strlen(folder);
  if (size <= tail || path[size - tail - 1] != '/' ||
      strncmp(path + size - tail, folder, tail) != 0) {
    return NULL;
  }
  return tool_copy(path, size - tail - 1);
}

char *install_path_of_linked_library(void) {
  char *library = TOOL_SHARED ? install_path_of_library() : NULL, *prefix, *file = NULL;
  if (library == NULL) return NULL;
  prefix = strip_folder(library, TOOL_BINDIR);
  if (prefix != NULL) {
    char *folder = install_path_under(prefix, TOOL_LIBDIR);
    if (folder_has_file(folder, TOOL_LIBRARY)) file = tool_format("%s/" TOOL_LIBRARY, folder);
    free(folder);
  }
  if (file == NULL) file = path_beside(library, TOOL_LIBRARY);
  free(prefix);
  free(library);
  return file;
}

char *install_path_of_dlpack(const char *prefix) {
  const char *folders[] = {TOOL_INCLUDEDIR, "/usr/local/include", "/usr/include"};
  size_t i;
  for (i = 0; i < sizeof folders / sizeof *folders; ++i) {
    char *folder = install_path_under(prefix, folders[i]);
    if (folder_has_file(folder, "dlpack/dlpack.h")) return folder;
    free(folder);
  }
  return NULL;
}

/* The prefix that the program lies in, or would lie in if it were installed; NULL if there is none.
 */
static char *find_prefix(const char *program) {
  if (path_is_absolute(TOOL_BINDIR)) return tool_copy(TOOL_PREFIX, strlen(TOOL_PREFIX));
  return strip_folder(program, TOOL_BINDIR);
}

/* Adds the folder, or releases it if it lacks the file. */
static void add_include(char *folder, const char *file, char **folders, size_t *count) {
  if (folder != NULL && folder_has_file(folder, file)) {
    folders[(*count)++] = folder;
  } else {
    free(folder);
  }
}

/* The folders of the source tree that the path lies in. */
static size_t find_source_includes(const char *path, char **folders) {
  size_t count = 0, size = strlen(path);
  while (count == 0 && size > 0) {
    while (size > 0 && path[size - 1] != '/') --size;
    if (size > 0) --size;
    add_include(tool_format("%.*s/include", tvmffi_shown_size(size), path), "tvm/ffi/c_api.h",
                folders, &count);
  }
  if (count == 0) return 0;
  add_include(tool_format("%.*s/cpp", tvmffi_shown_size(size), path), "tvm/ffi/function.h", folders,
              &count);
  add_include(tool_format("%.*s/subprojects/dlpack/include", tvmffi_shown_size(size), path),
              "dlpack/dlpack.h", folders, &count);
  return count;
}

size_t install_path_of_includes(char *out_folders[kMaxIncludes]) {
  char *program = find_program(), *prefix = program != NULL ? find_prefix(program) : NULL;
  size_t count = 0;
  if (prefix != NULL) {
    add_include(install_path_under(prefix, TOOL_INCLUDEDIR), "tvm/ffi/c_api.h", out_folders,
                &count);
    if (count > 0 && !folder_has_file(out_folders[0], "dlpack/dlpack.h")) {
      add_include(install_path_of_dlpack(prefix), "dlpack/dlpack.h", out_folders, &count);
    }
  }
  if (count == 0 && program != NULL) count = find_source_includes(program, out_folders);
  free(prefix);
  free(program);
  return count;
}

static bool is_complete(const char *program, const char *prefix) {
  static const char *const kNeeded[][2] = {{TOOL_INCLUDEDIR, "tvm/ffi/c_api.h"},
                                           {TOOL_LIBDIR, TOOL_LIBRARY}};
  size_t i;
  for (i = 0; i < sizeof kNeeded / sizeof *kNeeded; ++i) {
    char *folder = install_path_under(prefix, kNeeded[i][0]);
    bool found = folder_has_file(folder, kNeeded[i][1]);
    if (!found) {
      report_error("%s is not installed: there is no %s/%s", program, folder, kNeeded[i][1]);
    }
    free(folder);
    if (!found) return false;
  }
  return true;
}

char *install_path_of_prefix(void) {
  char *program = find_program(), *prefix = NULL;
  if (program == NULL) {
    report_error("the path of this program cannot be determined");
    return NULL;
  }
  prefix = find_prefix(program);
  if (prefix == NULL) {
    report_error("%s is not installed: it is not in a folder %s", program, TOOL_BINDIR);
  } else if (!is_complete(program, prefix)) {
    free(prefix);
    prefix = NULL;
  }
  free(program);
  return prefix;
}
