/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of file a library is, and how it was linked. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/checks.h"
#include "file/machine.h"

/* The package's loader goes by what stands behind the last dot. */
static bool has_loaded_ending(const char *path) {
  static const char *const kEndings[] = {".so", ".dll", ".dylib", ".dso"};
  const char *dot = strrchr(path, '.');
  size_t i;
  for (i = 0; dot != NULL && i < sizeof kEndings / sizeof *kEndings; ++i) {
    if (strcmp(dot, kEndings[i]) == 0) return true;
  }
  return false;
}

void check_file(checking *to) {
  const elf_file *file = to->file;
  char buffer[24], *what;
  what = tool_format("ELF%d %s", file->bits,
                     machine_name(file->machine, file->bits, file->is_big_endian, buffer));
  if (file->is_object) {
    checks_add(to, kNote, "file", NULL,
               tool_format("an object file, %s: how it is linked is yet to be seen", what));
  } else if (file->is_program) {
    checks_add(to, kBad, "file", NULL,
               tool_format("a program, %s, which cannot be loaded: link with -shared", what));
  } else {
    checks_add(to, kGood, "file", NULL, tool_format("a shared library, %s", what));
  }
  free(what);
}

/* An object file has a section, from which a linker makes the header. */
static void check_stack(checking *to) {
  const elf_file *file = to->file;
  const char *name = file->is_object ? ".note.GNU-stack" : "PT_GNU_STACK";
  /* Where there is no header, Linux runs the stack on these machines. */
  bool by_default =
      file->machine == EM_X86_64 || file->machine == EM_386 || file->machine == EM_ARM;
  if (file->has_stack_header && file->is_stack_executable) {
    checks_say(to, kBad, "stack", name, "asks for a stack that can be executed");
  } else if (!file->has_stack_header && by_default) {
    checks_say(to, kBad, "stack", name, "is missing, so that the stack can be executed");
  } else {
    checks_say(to, kGood, "stack", name, "not executable");
  }
}

static void check_code(checking *to) {
  if (to->file->has_text_relocations) {
    checks_say(to, kBad, "code", "DT_TEXTREL",
               "code is written to while it is loaded: compile with -fPIC");
  } else if (to->file->has_writable_code) {
    checks_say(to, kBad, "code", "PT_LOAD", "a segment can be written and executed");
  } else {
    checks_say(to, kGood, "code", NULL, "no text relocations, no writable code");
  }
}

static void check_unloading(checking *to) {
  const elf_file *file = to->file;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    if (!file->symbols[i].is_defined || !file->symbols[i].is_unique) continue;
    checks_say(to, kNote, "unloading", file->symbols[i].name,
               "is unique in the process, for which glibc never unloads the library");
    return;
  }
}

void check_linking(checking *to) {
  const elf_file *file = to->file;
  check_stack(to);
  if (file->is_object) return;
  if (!file->is_program && to->num_functions > 0 && !has_loaded_ending(file->path)) {
    checks_say(to, kNote, "file", NULL,
               "its name does not end in .so, without which runtimes other than this one do not "
               "load it");
  }
  check_code(to);
  checks_say(to, file->has_relro ? kGood : kNote, "relro", "PT_GNU_RELRO",
             file->has_relro ? "relocated data is read-only" : "is missing: link with -z relro");
  checks_say(to, file->binds_now ? kGood : kNote, "binding", "DT_FLAGS",
             file->binds_now ? "bound when it is loaded"
                             : "bound when called: -z now makes the whole table read-only");
  check_unloading(to);
}
