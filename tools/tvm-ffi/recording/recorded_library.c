/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the libraries that a recording names are loaded without being asked for: SECURITY.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/report.h"
#include "file/binary_file.h"
#include "library/library.h"
#include "recording/recorded_value.h"
#include "system/system.h"

/* The build id of a file; NULL if it has none, or is no library. Release with free(). */
static char *read_build_id(const char *path) {
  file_reader reader;
  binary_file *file;
  char *image, *id = NULL;
  size_t size;
  bool is_known;
  if (!file_can_read(path) || !file_reader_open(path, &reader)) return NULL;
  is_known =
      file_reader_fill(&reader, kLongestMagic) && binary_file_is_known(reader.bytes, reader.size);
  image = is_known ? file_reader_take(&reader, &size) : NULL;
  if (!is_known) file_reader_close(&reader);
  file = image != NULL ? binary_file_open_image(path, image, size) : NULL;
  if (file != NULL && file->build_id != NULL) {
    id = tool_copy(file->build_id, strlen(file->build_id));
  }
  binary_file_close(file);
  return id;
}

/* Whether the file is in the folder, by their own names. */
static bool is_inside(const char *path, const char *folder) {
  char *file = file_resolve(path), *around = file_resolve(folder);
  const size_t size = around != NULL ? strlen(around) : 0;
  const bool inside = file != NULL && around != NULL && strncmp(file, around, size) == 0 &&
                      strchr(kSystem.path_separators, file[size]) != NULL;
  free(file);
  free(around);
  return inside;
}

/* Below them are other names of files, such as those of the current folder. */
static bool is_of_process(const char *path) {
  static const char *const kFolders[] = {"/proc", "/dev"};
  file_status here, other;
  bool is_below = false;
  size_t i, end;
  for (end = 1; path[end] != '\0' && !is_below; ++end) {
    char *above;
    if (path[end] != '/') continue;
    above = tool_copy(path, end);
    for (i = 0; i < sizeof kFolders / sizeof *kFolders && file_status_get(above, &here); ++i) {
      is_below =
          is_below || (file_status_get(kFolders[i], &other) && file_status_is_same(&here, &other));
    }
    free(above);
  }
  return is_below;
}

char *recorded_library_check(const char *path, const char *build_id) {
  file_status status;
  char *id, *why = NULL;
  if (!path_is_absolute(path)) return tool_format("it is a relative path");
  if (strchr(path, '$') != NULL) return tool_format("it contains $, which loaders replace");
  if (is_of_process(path)) return tool_format("it is a path below /proc or /dev");
  if (source_has_suffix(path)) {
    return tool_format("it is a source, an object file or an archive, which is not compiled");
  }
  if (!file_status_get(path, &status)) return tool_format("there is no such file");
  if (!status.is_regular) return tool_format("it is not a regular file");
  if (build_id == NULL) return tool_format("no build id was recorded for it");
  id = read_build_id(path);
  if (id == NULL) {
    why = tool_format("it has no build id, and %s was recorded", build_id);
  } else if (strcmp(id, build_id) != 0) {
    why = tool_format("its build id is %s, and %s was recorded", id, build_id);
  }
  free(id);
  return why;
}

char *recorded_library_refuse(const recording *r, const recorded_call *c) {
  if (c->packed != NULL) return NULL; /* the user trusts the file that it is in */
  if (path_is_absolute(c->library) && is_inside(c->library, r->folder)) {
    return tool_format("it is in the folder of the recording");
  }
  return recorded_library_check(c->library, c->build_id);
}

bool recorded_library_may_load(const recording *r, const recorded_call *c) {
  char *why = recorded_library_refuse(r, c), *path;
  if (why == NULL) return true;
  path = text_escape(c->library, strlen(c->library));
  report_error(
      "%s, which the recording names, is not loaded: %s; --lib names the library to load%s", path,
      why, r->unpacked.size > 0 ? ", and replay --trust loads those that are in the archive" : "");
  free(path);
  free(why);
  return false;
}

const char *recorded_call_explain(const recorded_call *c) {
  static const char *const kReasons[] = {
      NULL, "a global function, which only replay --trust calls again",
      "a function of a module in the process, which a replay does not have",
      "a method of a type, which only the process had registered"};
  return kReasons[c->kind];
}

bool recorded_call_has_symbol(const recorded_call *c) {
  return c->kind == kFunctionSymbol ||
         report_error("call %" PRId64 " is of %s", c->number, recorded_call_explain(c));
}
