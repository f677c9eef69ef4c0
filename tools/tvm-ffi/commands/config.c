/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler has to be told: the flags of the reference's tvm-ffi-config, and its answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/json_out.h"
#include "base/places.h"
#include "base/report.h"
#include "build_info.h"
#include "manual/manual.h"

/* Each gives a text of free(), or NULL when reported. */

static char *find_includes(const char *prefix) {
  return place_under(prefix, TOOL_INCLUDEDIR);
}

static char *find_dlpack(const char *prefix) {
  const char *folders[] = {TOOL_INCLUDEDIR, "/usr/local/include", "/usr/include"};
  size_t i;
  for (i = 0; i < sizeof folders / sizeof *folders; ++i) {
    char *folder = place_under(prefix, folders[i]);
    if (place_has(folder, "dlpack/dlpack.h")) return folder;
    free(folder);
  }
  report_error("config: dlpack/dlpack.h is neither below %s nor in /usr", prefix);
  return NULL;
}

static char *find_cmake(const char *prefix) {
  char *libraries = place_under(prefix, TOOL_LIBDIR);
  char *folder = tool_format("%s/cmake/tvm_ffi", libraries);
  free(libraries);
  if (place_has(folder, "tvm_ffi-config.cmake")) return folder;
  report_error("config: there is no package for CMake: %s/tvm_ffi-config.cmake", folder);
  free(folder);
  return NULL;
}

static char *find_libraries(const char *prefix) {
  return place_under(prefix, TOOL_LIBDIR);
}

static char *find_library_file(const char *prefix) {
  char *folder = find_libraries(prefix), *file = tool_format("%s/%s", folder, TOOL_LIBRARY);
  free(folder);
  return file;
}

static char *refuse_sources(const char *prefix) {
  (void)prefix;
  report_error("config: --sourcedir: no sources are installed; they are not needed to compile");
  return NULL;
}

static char *refuse_cython(const char *prefix) {
  (void)prefix;
  report_error("config: --cython-lib-path: there is no Python extension in this package");
  return NULL;
}

static char *make_c_flags(const char *prefix) {
  char *folder = find_includes(prefix), *dlpack = find_dlpack(prefix), *flags = NULL;
  if (dlpack != NULL) flags = tool_format("-I%s -I%s", folder, dlpack);
  free(folder);
  free(dlpack);
  return flags;
}

static char *make_cxx_flags(const char *prefix) {
  char *c_flags = make_c_flags(prefix), *flags = NULL;
  if (c_flags != NULL) flags = tool_format("%s -std=c++17", c_flags);
  free(c_flags);
  return flags;
}

static char *make_libraries(const char *prefix) {
  (void)prefix;
  if (TOOL_SHARED) return tool_format("-ltvm_ffi");
  report_error(
      "config: --libs: only the archive is installed, which needs more than its name: "
      "pkg-config --libs tvm_ffi");
  return NULL;
}

static char *make_link_flags(const char *prefix) {
  char *folder = find_libraries(prefix), *flags = tool_format("-L%s", folder);
  free(folder);
  return flags;
}

/* In the order of the reference's answers. */
static const struct {
  const char *name;
  char *(*make)(const char *prefix);
} kLines[] = {
    {"includedir", find_includes},      {"dlpack-includedir", find_dlpack},
    {"cmakedir", find_cmake},           {"libdir", find_libraries},
    {"libfiles", find_library_file},    {"sourcedir", refuse_sources},
    {"cython-lib-path", refuse_cython}, {"cxxflags", make_cxx_flags},
    {"cflags", make_c_flags},           {"libs", make_libraries},
    {"ldflags", make_link_flags},
};
enum { kNumLines = sizeof kLines / sizeof *kLines };

static void print_lines(char *const *lines, bool as_json) {
  size_t i;
  if (as_json) json_begin_object(NULL);
  for (i = 0; i < kNumLines; ++i) {
    if (lines[i] != NULL && as_json) {
      json_text(kLines[i].name, lines[i]);
    } else if (lines[i] != NULL) {
      puts(lines[i]);
    }
  }
  if (as_json) json_end();
}

int run_config(const arguments *args) {
  char *lines[kNumLines] = {NULL}, *prefix;
  size_t i;
  bool asked = false, good = true;
  for (i = 0; i < kNumLines; ++i) asked = asked || arguments_has(args, kLines[i].name);
  if (!asked) {
    manual_print_command(command_find("config"));
    return kExitOk;
  }
  prefix = place_of_prefix();
  if (prefix == NULL) return kExitUsage;
  for (i = 0; good && i < kNumLines; ++i) {
    if (!arguments_has(args, kLines[i].name)) continue;
    lines[i] = kLines[i].make(prefix);
    good = lines[i] != NULL;
  }
  if (good) print_lines(lines, arguments_has(args, "json"));
  for (i = 0; i < kNumLines; ++i) free(lines[i]);
  free(prefix);
  return good ? kExitOk : kExitUsage;
}
