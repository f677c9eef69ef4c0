/* SPDX-License-Identifier: Apache-2.0 */
/* Whether libraries are fit to be passed on, and to what they have to be passed: read from their
 * files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command.h"
#include "base/json_out.h"
#include "base/memory.h"
#include "base/places.h"
#include "base/shown.h"
#include "check/checks.h"

static void write_cxx_symbols(const elf_file *file) {
  size_t i;
  json_begin_array("cxx_symbols");
  for (i = 0; i < file->num_symbols; ++i) {
    const char *name = checks_cxx_name(&file->symbols[i]);
    if (name == NULL) continue;
    json_begin_object(NULL);
    json_text("symbol", file->symbols[i].name);
    json_text("name", name);
    json_end();
  }
  json_end();
}

static void write_json(const checking *of) {
  char release[16], *path = shown_text(of->found.path, strlen(of->found.path));
  bool has_runtime = of->release != kNoRuntime;
  snprintf(release, sizeof release, "0.1.%d", of->release);
  json_begin_object(NULL);
  json_text("path", path);
  json_bool("passed", !verdicts_have_failed(&of->found));
  json_text("runtime", of->release >= 0 ? release : has_runtime ? "own" : NULL);
  json_text("library", !has_runtime ? NULL : of->needs_cxx ? CXX_LIBRARY : "libtvm_ffi.so");
  json_bool("cxx_helper", of->derives_module && !of->needs_cxx);
  write_cxx_symbols(of->file);
  verdicts_write_json(&of->found);
  json_end();
  free(path);
}

/* By two names the same file clashes with itself in nothing. */
static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

/* All of one, after those in front of it. */
static void check_one(checking *of, const checking *earlier, size_t num_earlier,
                      const manylinux *platform, library_choice library) {
  size_t i;
  check_file(of);
  check_exports(of);
  for (i = 0; i < num_earlier; ++i) {
    if (!is_same_file(earlier[i].file->path, of->file->path)) check_clashes(of, &earlier[i]);
  }
  check_imports(of, platform, library);
  check_linking(of);
}

/* How many of the files could be read, in their order. */
static size_t open_all(const arguments *args, checking *out) {
  size_t count = arguments_num_operands(args), num_read = 0, i;
  memset(out, 0, count * sizeof *out);
  for (i = 0; i < count; ++i) {
    checking *next = &out[num_read];
    next->found.path = arguments_operand(args, i);
    next->file = elf_file_open(next->found.path);
    if (next->file != NULL) ++num_read;
  }
  return num_read;
}

int run_check(const arguments *args) {
  const char *name = arguments_text(args, "manylinux", NULL);
  library_choice library = (library_choice)arguments_word(args, "runtime", kAnyLibrary);
  size_t count = arguments_num_operands(args), num_read, i;
  bool is_json = arguments_has(args, "json"), in_list = is_json && count > 1;
  manylinux platform;
  checking *all;
  int code;
  if (name != NULL && !manylinux_parse(name, &platform)) return kExitUsage;
  all = tool_alloc(count * sizeof *all);
  num_read = open_all(args, all);
  code = num_read == count ? kExitOk : kExitLoad;
  if (in_list) json_begin_array(NULL);
  for (i = 0; i < num_read; ++i) {
    checking *of = &all[i];
    check_one(of, all, i, name != NULL ? &platform : NULL, library);
    if (is_json) {
      write_json(of);
    } else {
      verdicts_print(&of->found);
    }
    if (code == kExitOk && verdicts_have_failed(&of->found)) code = kExitCheck;
  }
  if (in_list) json_end();
  for (i = 0; i < num_read; ++i) {
    verdicts_free(&all[i].found);
    elf_file_close(all[i].file);
  }
  free(all);
  return code;
}
