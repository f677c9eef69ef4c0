/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, by reading their files, whether libraries are fit for distribution and which systems they
 * run on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/install_paths.h"
#include "base/report.h"
#include "base/text.h"
#include "check/checks.h"
#include "commands/commands.h"
#include "file/runtime_symbols.h"
#include "library/library.h"

static void write_cxx_symbols(const binary_file *file) {
  size_t i;
  json_begin_array("cxx_symbols");
  for (i = 0; i < file->num_symbols; ++i) {
    const char *name = checks_cxx_name(file, &file->symbols[i]);
    if (name == NULL) continue;
    json_begin_object(NULL);
    json_text("symbol", file->symbols[i].name);
    json_text("name", name);
    json_end();
  }
  json_end();
}

static void write_json(const checking *subject) {
  char release[16], *path = text_escape(subject->found.path, strlen(subject->found.path));
  bool has_runtime = subject->release != kNoRuntime;
  snprintf(release, sizeof release, "0.1.%d", subject->release);
  json_begin_object(NULL);
  json_text("path", path);
  json_bool("passed", !verdicts_have_failed(&subject->found));
  json_text("runtime", subject->release >= 0 ? release : has_runtime ? "own" : NULL);
  json_text("library", !has_runtime         ? NULL
                       : subject->needs_cxx ? CXX_LIBRARY
                                            : runtime_library_name(subject->file->format));
  json_bool("cxx_helper", subject->derives_module && !subject->needs_cxx);
  write_cxx_symbols(subject->file);
  verdicts_write_json(&subject->found);
  json_end();
  free(path);
}

/* Runs all checks on one file; for clashes, against the files named before it. */
static void check_subject(checking *subject, const checking *earlier, size_t num_earlier,
                          const manylinux *platform, library_choice library) {
  size_t i;
  check_file(subject);
  check_exports(subject);
  for (i = 0; i < num_earlier; ++i) {
    /* A file named twice must not be reported to clash with itself. */
    if (tool_is_one_file(earlier[i].file->path, subject->file->path)) continue;
    check_clashes(subject, &earlier[i]);
  }
  check_imports(subject, platform, library);
  check_libraries(subject, platform);
  check_hardening(subject);
}

/* Opens the files in order; returns how many could be read. */
static size_t open_all(const arguments *args, checking *out) {
  size_t count = arguments_num_operands(args), num_read = 0, i;
  memset(out, 0, count * sizeof *out);
  for (i = 0; i < count; ++i) {
    checking *next = &out[num_read];
    next->found.path = arguments_operand(args, i);
    next->is_compiled = source_is_allowed(next->found.path);
    next->file = library_argument_read(next->found.path);
    if (next->file != NULL) ++num_read;
  }
  return num_read;
}

static const help_row *check_rows(void) {
  return kCheckRows;
}

static int command_check(const arguments *args) {
  const char *name = arguments_text(args, kOptionManylinux, NULL);
  library_choice library = (library_choice)arguments_word(args, kOptionRuntime, kAnyLibrary);
  size_t count = arguments_num_operands(args), num_read, i;
  bool is_json = arguments_has(args, kOptionJson), in_list = is_json && count > 1;
  manylinux platform;
  checking *subjects;
  int code;
  if (name != NULL && !manylinux_parse(name, &platform)) return kExitUsage;
  source_allow(arguments_values(args, kOptionCflags), false);
  subjects = tool_alloc(count * sizeof *subjects);
  num_read = open_all(args, subjects);
  code = num_read == count ? kExitOk : kExitLoad;
  if (in_list) json_begin_array(NULL);
  for (i = 0; i < num_read; ++i) {
    checking *subject = &subjects[i];
    check_subject(subject, subjects, i, name != NULL ? &platform : NULL, library);
    if (is_json) {
      write_json(subject);
    } else {
      verdicts_print(&subject->found);
    }
    if (code == kExitOk && verdicts_have_failed(&subject->found)) code = kExitCheck;
  }
  if (in_list) json_end();
  for (i = 0; i < num_read; ++i) {
    verdicts_free(&subjects[i].found);
    binary_file_close(subjects[i].file);
  }
  free(subjects);
  return code;
}

/* ---- Options and help ---- */

static const option kCheckOptions[] = {
    {kOptionManylinux, "manylinux", 0, "2_N", false,
     "fail libraries that need newer system libraries than manylinux_2_N has"},
    {kOptionRuntime, "runtime", 0, "c|cxx", false,
     "fail imports that the default libtvm_ffi.so lacks (c), or the one with C++ functions (cxx)"},
    COMPILE_OPTION,
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

static const char kCheckText[] =
    "Reads files and runs none of their code: libraries and object files for any machine, of\n"
    "Linux (ELF), Windows (PE, COFF) and macOS (Mach-O). A verdict is ok, note or FAIL, and names\n"
    "the symbol or section that it is based on. One FAIL makes the exit code 5; a note does not.\n"
    "The LIB - is standard input; a source or an archive is compiled, as run does.\n\n"
    "A file does not say under which names a library registers functions and types, so check does\n"
    "not find two libraries that register the same name; registry --lib and types --lib list the\n"
    "names. The checks, and what makes them fail:";

const command kCheckCommand = {
    .name = "check",
    .operands = "LIB...",
    .summary = "Say which runtimes and systems libraries need, and what is wrong with them",
    .description = kCheckText,
    .rows = check_rows,
    .options = kCheckOptions,
    .min_operands = 1,
    .max_operands = -1,
    .run = command_check,
};
