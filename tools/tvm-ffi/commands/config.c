/* SPDX-License-Identifier: Apache-2.0 */
/* Prints compiler and linker options: the flags of the reference's tvm-ffi-config, with its
 * answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/install_paths.h"
#include "base/report.h"
#include "build_info.h"
#include "commands/commands.h"

/* Each of these returns the answer to a flag, or NULL and the reason in *out_reason; release both
 * with free(). */

static char *find_includes(const char *prefix, char **out_reason) {
  (void)out_reason;
  return install_path_under(prefix, TOOL_INCLUDEDIR);
}

static char *find_dlpack(const char *prefix, char **out_reason) {
  char *folder = install_path_of_dlpack(prefix);
  if (folder == NULL) {
    *out_reason = tool_format("dlpack/dlpack.h is neither below %s nor in /usr", prefix);
  }
  return folder;
}

static char *find_libraries(const char *prefix, char **out_reason) {
  (void)out_reason;
  return install_path_under(prefix, TOOL_LIBDIR);
}

static char *find_cxx_libraries(const char *prefix, char **out_reason) {
  char *libraries = find_libraries(prefix, out_reason);
  char *folder = tool_format("%s/" CXX_FOLDER, libraries);
  bool found = folder_has_file(libraries, CXX_LIBRARY);
  free(libraries);
  if (found) return folder;
  *out_reason = tool_format("there is no library with the C++ functions in %s", folder);
  free(folder);
  return NULL;
}

static char *find_cmake(const char *prefix, char **out_reason) {
  char *libraries = find_libraries(prefix, out_reason);
  char *folder = tool_format("%s/cmake/tvm_ffi", libraries);
  free(libraries);
  if (folder_has_file(folder, "tvm_ffi-config.cmake")) return folder;
  *out_reason = tool_format("there is no package for CMake: %s/tvm_ffi-config.cmake", folder);
  free(folder);
  return NULL;
}

static char *find_library_file(const char *prefix, char **out_reason) {
  char *folder = find_libraries(prefix, out_reason);
  char *file = tool_format("%s/%s", folder, TOOL_LIBRARY);
  free(folder);
  return file;
}

static char *refuse_sources(const char *prefix, char **out_reason) {
  (void)prefix;
  *out_reason = tool_format("no sources are installed; they are not needed to compile");
  return NULL;
}

static char *refuse_cython(const char *prefix, char **out_reason) {
  (void)prefix;
  *out_reason = tool_format("there is no Python extension in this package");
  return NULL;
}

/* Adds a flag and its folder as one word, with \ before what a shell treats specially: for programs
 * that read the line as a shell does (make, `eval`). Other characters stand as they are, because a
 * shell that only splits the line, as in `cc $(tvm-ffi config --cflags)`, removes no \. */
static void add_flag(text_buf *out, const char *flag, const char *folder) {
  text_add(out, "%s%s", out->size > 0 ? " " : "", flag);
  for (; *folder != '\0'; ++folder) {
    text_add(out, "%s%c", strchr(" \t\"'`#$&()*;<>?[\\{|", *folder) != NULL ? "\\" : "", *folder);
  }
}

static char *make_c_flags(const char *prefix, char **out_reason) {
  char *folder = find_includes(prefix, out_reason), *dlpack = find_dlpack(prefix, out_reason);
  text_buf flags = {0};
  if (dlpack != NULL) {
    add_flag(&flags, "-I", folder);
    add_flag(&flags, "-I", dlpack);
  }
  free(folder);
  free(dlpack);
  return flags.data;
}

static char *make_cxx_flags(const char *prefix, char **out_reason) {
  char *c_flags = make_c_flags(prefix, out_reason);
  char *flags = c_flags != NULL ? tool_format("%s -std=c++17", c_flags) : NULL;
  free(c_flags);
  return flags;
}

static char *make_libraries(const char *prefix, char **out_reason) {
  (void)prefix;
  if (TOOL_SHARED) return tool_format("-ltvm_ffi");
  *out_reason = tool_format(
      "only the archive is installed, which needs further libraries: use pkg-config --libs "
      "tvm_ffi");
  return NULL;
}

static char *make_link_flags(const char *prefix, char **out_reason) {
  char *folder = find_libraries(prefix, out_reason);
  text_buf flags = {0};
  add_flag(&flags, "-L", folder);
  free(folder);
  return flags.data;
}

/* In the order in which the reference answers; flags of our own last. */
static const struct {
  int id;
  char *(*make)(const char *prefix, char **out_reason);
} kLines[] = {
    {kOptionIncludedir, find_includes},    {kOptionDlpackIncludedir, find_dlpack},
    {kOptionCmakedir, find_cmake},         {kOptionLibdir, find_libraries},
    {kOptionLibfiles, find_library_file},  {kOptionSourcedir, refuse_sources},
    {kOptionCythonLibPath, refuse_cython}, {kOptionCxxflags, make_cxx_flags},
    {kOptionCflags, make_c_flags},         {kOptionLibs, make_libraries},
    {kOptionLdflags, make_link_flags},     {kOptionCxxLibdir, find_cxx_libraries},
};
enum { kNumLines = sizeof kLines / sizeof *kLines };

static void print_lines(const arguments *args, char *const *lines, const bool *asked,
                        bool as_json) {
  size_t i;
  if (as_json) json_begin_object(NULL);
  for (i = 0; i < kNumLines; ++i) {
    if (!asked[i]) continue;
    if (as_json) {
      json_text(arguments_name(args, kLines[i].id), lines[i]);
    } else {
      puts(lines[i]);
    }
  }
  if (as_json) json_end();
}

/* Prints the answers asked for. With `may_lack` a missing one is null; otherwise it is an error,
 * and false is returned after a report. */
static bool answer(const arguments *args, const char *prefix, const bool *asked, bool may_lack,
                   bool as_json) {
  char *lines[kNumLines] = {NULL};
  bool good = true;
  size_t i;
  for (i = 0; good && i < kNumLines; ++i) {
    char *reason = NULL;
    if (!asked[i]) continue;
    lines[i] = kLines[i].make(prefix, &reason);
    good = lines[i] != NULL || may_lack;
    if (!good) report_error("config: --%s: %s", arguments_name(args, kLines[i].id), reason);
    free(reason);
  }
  if (good) print_lines(args, lines, asked, as_json);
  for (i = 0; i < kNumLines; ++i) free(lines[i]);
  return good;
}

static int command_config(const arguments *args) {
  bool asked[kNumLines], as_json = arguments_has(args, kOptionJson), any_asked = false, good;
  char *prefix;
  size_t i;
  for (i = 0; i < kNumLines; ++i) {
    asked[i] = arguments_has(args, kLines[i].id);
    any_asked = any_asked || asked[i];
  }
  if (!any_asked && !as_json) return kShowHelp;
  for (i = 0; i < kNumLines; ++i) asked[i] = asked[i] || !any_asked;
  prefix = install_path_of_prefix();
  if (prefix == NULL) return kExitUsage;
  good = answer(args, prefix, asked, !any_asked, as_json);
  free(prefix);
  return good ? kExitOk : kExitUsage;
}

/* ---- Options and help ---- */

static const option kConfigOptions[] = {
    {kOptionIncludedir, "includedir", 0, NULL, false, "the folder of the headers"},
    {kOptionDlpackIncludedir, "dlpack-includedir", 0, NULL, false, "the folder of DLPack's header"},
    {kOptionCmakedir, "cmakedir", 0, NULL, false, "the folder of the CMake package"},
    {kOptionSourcedir, "sourcedir", 0, NULL, false, "not available: no sources are installed"},
    {kOptionLibfiles, "libfiles", 0, NULL, false, "the library file"},
    {kOptionLibdir, "libdir", 0, NULL, false, "the folder of the library"},
    {kOptionCxxLibdir, "cxx-libdir", 0, NULL, false,
     "the folder of the libtvm_ffi.so with the C++ functions"},
    {kOptionLibs, "libs", 0, NULL, false, "linker flags: -ltvm_ffi"},
    {kOptionCythonLibPath, "cython-lib-path", 0, NULL, false,
     "not available: no Python extension is installed"},
    {kOptionCxxflags, "cxxflags", 0, NULL, false, "flags for a C++ compiler or nvcc"},
    {kOptionCflags, "cflags", 0, NULL, false, "flags for a C compiler"},
    {kOptionLdflags, "ldflags", 0, NULL, false,
     "linker flags that go before --libs: -L and the folder"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kConfigText[] =
    "Each option prints a line, in a fixed order; --json without such an option prints all of\n"
    "them, with null for what is not installed. The folders are found relative to the program, so\n"
    "an installation may be moved as a whole. Under the name tvm-ffi-config the program is this\n"
    "command, with the options of the reference's program of that name:\n\n"
    "  nvcc -shared -O3 k.cu -o k.so -Xcompiler -fPIC,-fvisibility=hidden \\\n"
    "    $(tvm-ffi-config --cxxflags) $(tvm-ffi-config --ldflags) $(tvm-ffi-config --libs)";

const command kConfigCommand = {
    .name = "config",
    .operands = "",
    .summary = "Print the flags for compiling with this library",
    .description = kConfigText,
    .options = kConfigOptions,
    .run = command_config,
};
