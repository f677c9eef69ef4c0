/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the kind of the file and how it was linked. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check/checks.h"
#include "file/binary_file.h"
#include "file/elf_format.h"

/* The loader of the reference's package goes by what follows the last dot. */
static bool has_loaded_ending(const char *path) {
  static const char *const kSuffixes[] = {".so", ".dll", ".dylib", ".dso", NULL};
  const char *dot = strrchr(path, '.');
  return dot != NULL && text_find(dot, kSuffixes) != NULL;
}

void check_file(checking *subject) {
  const binary_file *file = subject->file;
  char buffer[24], *description;
  description = tool_format("%s %s", binary_file_kind(file),
                            machine_name(file->machine, file->bits, file->is_big_endian, buffer));
  if (file->is_object) {
    checks_add(subject, kNote, kCheckFile, NULL,
               tool_format("an object file, %s: it is not linked yet", description));
  } else if (file->is_program) {
    checks_add(
        subject, kBad, kCheckFile, NULL,
        tool_format("a program, %s, which cannot be loaded: link with -shared", description));
  } else {
    checks_add(subject, kGood, kCheckFile, NULL, tool_format("a shared library, %s", description));
  }
  free(description);
}

/* ---- ELF ---- */

/* An object file has a section for this, from which the linker makes the program header. */
static void check_stack(checking *subject) {
  const binary_file *file = subject->file;
  const char *name = file->is_object ? ".note.GNU-stack" : "PT_GNU_STACK";
  /* On these machines Linux makes the stack executable if the header is missing. */
  bool by_default =
      file->machine == EM_X86_64 || file->machine == EM_386 || file->machine == EM_ARM;
  if (file->elf.has_stack_header && file->elf.is_stack_executable) {
    checks_say(subject, kBad, kCheckStack, name, "requests an executable stack");
  } else if (!file->elf.has_stack_header && by_default) {
    checks_say(subject, kBad, kCheckStack, name, "is missing, so the stack is executable");
  } else {
    checks_say(subject, kGood, kCheckStack, name, "not executable");
  }
}

static void check_code(checking *subject) {
  if (subject->file->elf.has_text_relocations) {
    checks_say(subject, kBad, kCheckCode, "DT_TEXTREL",
               "code is modified when it is loaded: compile with -fPIC");
  } else if (subject->file->has_writable_code) {
    checks_say(subject, kBad, kCheckCode, "PT_LOAD", "a segment is both writable and executable");
  } else {
    checks_say(subject, kGood, kCheckCode, NULL, "no text relocations, no writable code");
  }
}

static void check_unloading(checking *subject) {
  const binary_file *file = subject->file;
  size_t i;
  for (i = 0; i < file->num_symbols; ++i) {
    if (!file->symbols[i].is_defined || !file->symbols[i].is_unique) continue;
    checks_say(subject, kNote, kCheckUnloading, file->symbols[i].name,
               "is unique in the process, so glibc never unloads the library");
    return;
  }
}

static void check_elf(checking *subject) {
  const binary_elf_traits *traits = &subject->file->elf;
  check_code(subject);
  checks_say(subject, traits->has_relro ? kGood : kNote, kCheckRelro, "PT_GNU_RELRO",
             traits->has_relro ? "relocated data is read-only" : "is missing: link with -z relro");
  checks_say(subject, traits->binds_now ? kGood : kNote, kCheckBinding, "DT_FLAGS",
             traits->binds_now ? "bound when it is loaded"
                               : "bound when called: -z now makes the whole table read-only");
  check_unloading(subject);
}

/* ---- PE and Mach-O ---- */

static void check_writable_code(checking *subject) {
  if (subject->file->has_writable_code) {
    checks_say(subject, kBad, kCheckCode, NULL, "a section is both writable and executable");
  } else {
    checks_say(subject, kGood, kCheckCode, NULL, "no writable code");
  }
}

static void check_pe(checking *subject) {
  const binary_file *file = subject->file;
  checks_say(subject, file->pe.has_nx ? kGood : kNote, kCheckStack, "NX_COMPAT",
             file->pe.has_nx ? "not executable"
                             : "is missing, so data is executable: link with -Wl,--nxcompat");
  check_writable_code(subject);
  if (!file->pe.has_random_base) {
    checks_say(subject, kNote, kCheckAddress, "DYNAMIC_BASE",
               "is missing, so code is at a predictable address: link with "
               "-Wl,--dynamicbase");
  } else if (file->bits == 64 && !file->pe.has_high_entropy) {
    checks_say(subject, kNote, kCheckAddress, "HIGH_ENTROPY_VA",
               "is missing, so few addresses are possible: link with "
               "-Wl,--high-entropy-va");
  } else {
    checks_say(subject, kGood, kCheckAddress, NULL, "chosen at random when it is loaded");
  }
}

static void check_macho(checking *subject) {
  const binary_file *file = subject->file;
  if (file->macho.is_stack_executable) {
    checks_say(subject, kBad, kCheckStack, "MH_ALLOW_STACK_EXECUTION",
               "requests an executable stack");
  } else {
    checks_say(subject, kGood, kCheckStack, NULL, "not executable");
  }
  check_writable_code(subject);
  if (file->machine == EM_AARCH64 && !file->macho.has_signature) {
    checks_say(subject, kBad, kCheckSignature, "LC_CODE_SIGNATURE",
               "is missing, and macOS on arm64 loads only signed code: codesign -s - FILE");
  }
}

/* ---- All formats ---- */

static const char *get_ending(const binary_file *file) {
  return file->format == kFormatPe ? ".dll" : file->format == kFormatMachO ? ".dylib" : ".so";
}

void check_hardening(checking *subject) {
  const binary_file *file = subject->file;
  if (file->format == kFormatElf) check_stack(subject);
  if (file->is_object) return;
  if (!file->is_program && subject->num_functions > 0 && !subject->is_compiled &&
      !has_loaded_ending(file->path)) {
    checks_add(
        subject, kNote, kCheckFile, NULL,
        tool_format("its name does not end in %s, without which other runtimes do not load it",
                    get_ending(file)));
  }
  if (file->format == kFormatElf) check_elf(subject);
  if (file->format == kFormatPe) check_pe(subject);
  if (file->format == kFormatMachO) check_macho(subject);
}
