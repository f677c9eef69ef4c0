/* SPDX-License-Identifier: Apache-2.0 */
#include "library/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/files.h"
#include "base/install_paths.h"
#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "build_info.h"
#include "file/binary_file.h"
#include "process/supervise.h"
#include "system/system.h"

static char *from_stdin;

/* The libraries made of sources: a name is compiled once. */
typedef struct {
  char *name, *library;
} built_library;
static built_library *built;
static size_t num_built;

static bool is_stdin(const char *name) {
  return strcmp(name, "-") == 0;
}

/* Compiles the source unless this process has done so; NULL after a report. */
static const char *fetch_built(const char *name) {
  char *library;
  size_t i;
  for (i = 0; i < num_built; ++i) {
    if (strcmp(built[i].name, name) == 0) return built[i].library;
  }
  library = source_build(name);
  if (library == NULL) return NULL;
  built = tool_realloc(built, (num_built + 1) * sizeof *built);
  built[num_built].name = tool_copy(name, strlen(name));
  built[num_built++].library = library;
  return library;
}

/* The file that has the bytes of a library that was fetched. */
static const char *find_fetched(const char *name) {
  if (is_stdin(name)) return from_stdin;
  return source_is_allowed(name) ? fetch_built(name) : name;
}

bool library_argument_fetch(const char *name) {
  size_t size;
  char *bytes;
  if (source_is_allowed(name)) return fetch_built(name) != NULL;
  if (!is_stdin(name)) return tool_can_read(name);
  if (from_stdin != NULL) return true;
  bytes = binary_file_read(name, name, &size);
  if (bytes != NULL) from_stdin = temporary_file(bytes, size);
  free(bytes);
  return from_stdin != NULL;
}

char *library_argument_find(const char *name) {
  const char *fetched;
  char *path;
  if (!library_argument_fetch(name)) return NULL;
  fetched = find_fetched(name);
  path = tool_format("%s%s", path_has_folder(fetched) ? "" : "./", fetched);
  if (binary_file_is_whole(path, name)) return path;
  free(path);
  return NULL;
}

binary_file *library_argument_read(const char *name) {
  char *image;
  size_t size;
  if (!library_argument_fetch(name)) return NULL;
  image = binary_file_read(find_fetched(name), name, &size);
  return image != NULL ? binary_file_open_image(name, image, size) : NULL;
}

bool library_argument_read_build_id(const char *name, char **out) {
  binary_file *file = library_argument_read(name);
  *out = NULL;
  if (file == NULL) return false;
  if (file->build_id != NULL) *out = tool_copy(file->build_id, strlen(file->build_id));
  binary_file_close(file);
  return true;
}

/* Whether the loader cannot load files of this kind; reported, more clearly than it does. */
static bool is_unloadable(const binary_file *file, const char *name) {
  char buffer[24];
  if (file->format != TOOL_FORMAT) {
    report_error("%s: cannot be loaded: its format is %s, that of another system", name,
                 binary_file_kind(file));
    return true;
  }
  if (!machine_is_own(file->machine, file->bits, file->is_big_endian)) {
    report_error("%s: cannot be loaded: it is for %s, and this program is for %s", name,
                 machine_name(file->machine, file->bits, file->is_big_endian, buffer),
                 machine_own_name());
    return true;
  }
  if (!file->is_program) return false;
  report_error("%s: cannot be loaded: it is a program; link a library with -shared", name);
  return true;
}

/* The loader's reason often begins with the path, or has it after a redundant introduction: what
 * follows both. */
static char *cut_path(const char *reason, const char *path) {
  static const char *const kEnds[] = {": ", " ", "`: "};
  const char *rest = NULL;
  size_t i;
  for (i = 0; rest == NULL && i < sizeof kEnds / sizeof *kEnds; ++i) {
    char *prefix = tool_format("%s%s", path, kEnds[i]);
    const char *found = strstr(reason, prefix);
    if (found != NULL) rest = found + strlen(prefix);
    free(prefix);
  }
  return tool_format("%s", rest != NULL ? rest : reason);
}

/* A malformed file is reported by library_argument_read(), in the same words in all commands; the
 * loader's reason is used only for files that are well-formed. */
void library_argument_refuse(const char *name, const char *path, const char *reason) {
  binary_file *file = library_argument_read(name);
  char *line, *cursor;
  bool is_told;
  if (file == NULL) return;
  is_told = is_unloadable(file, name);
  binary_file_close(file);
  if (is_told) return;
  line = cut_path(reason, path);
  for (cursor = line; *cursor != '\0'; ++cursor) {
    if (*cursor == '\n') *cursor = ' ';
  }
  report_error("%s: cannot be loaded: %s", name, line);
  free(line);
}

/* ---- The runtime of --runtime ---- */

/* With the shared library they are weak, because another runtime in its place may lack them. With
 * the archive they are not, because the linker would not take them from it. */
#if TOOL_SHARED && defined(__ELF__)
#pragma weak TVMFFIRuntimeSetMemoryHooks
#pragma weak TVMFFIRuntimeSetLiveObjectCounting
#pragma weak TVMFFIRuntimeGetLiveObjectCount
#define HAS_OWN (TVMFFIRuntimeSetMemoryHooks != NULL)
#else
#define HAS_OWN true
#endif

/* Whether the library is the one whose functions this process calls. */
static bool is_used(const char *library) {
  char *used = install_path_of_library();
  bool same = used != NULL && tool_is_one_file(used, library);
  free(used);
  return same;
}

bool other_runtime_use(const char *library, int *out_code) {
  char *path = file_resolve(library), reason[256];
  bool good = false;
  *out_code = kExitLoad;
  if (path == NULL) {
    report_error("--runtime=%s: %s", library, strerror(errno));
  } else if (program_has_replaced_runtime(path) || is_used(path)) {
    good = is_used(path);
    if (!good) {
      report_error("--runtime=%s: this program, or the system, does not use it%s", library,
                   TOOL_SHARED ? "" : ": the program has a runtime linked in");
    }
  } else {
    program_replace_runtime(path, reason, sizeof reason);
    report_error("--runtime=%s: %s", library, reason);
  }
  free(path);
  return good;
}

bool own_runtime_is_used(void) {
  return HAS_OWN;
}

bool own_runtime_set_memory_hooks(const TVMFFIRuntimeMemoryHooks *hooks) {
  return TVMFFIRuntimeSetMemoryHooks(hooks) == 0;
}

void own_runtime_count_objects(bool enabled) {
  TVMFFIRuntimeSetLiveObjectCounting(enabled);
}

int64_t own_runtime_get_object_count(int32_t type_index) {
  return TVMFFIRuntimeGetLiveObjectCount(type_index);
}
