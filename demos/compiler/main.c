/* SPDX-License-Identifier: Apache-2.0 */
/* compile [--system-library=PREFIX] PROGRAM [KERNELS.c]: makes C of a program in the language that
 * README.md describes, in a file or on standard output. Exits with 1 after a message about the
 * program, with 2 if a file cannot be used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { kMaxSource = 1 << 20 };

static int fail_file(const char *path) {
  perror(path);
  return 2;
}

static const char *get_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The comment in the first line, such as its license, for what is made of it; NULL if there is
 * none. */
static const char *get_title(const char *text) {
  const char *start = text + strspn(text, "# ");
  const char *title = copy_text(start, strcspn(start, "\r\n"));
  return *text == '#' && strstr(title, "*/") == NULL ? title : NULL;
}

int main(int argc, char **argv) {
  static const char option[] = "--system-library=";
  static char text[kMaxSource + 1];
  const char *opt_prefix = NULL;
  Kernel *kernels;
  FILE *file;
  size_t size;
  if (argc > 1 && strncmp(argv[1], option, sizeof option - 1) == 0) {
    opt_prefix = argv[1] + sizeof option - 1;
    --argc;
    ++argv;
  }
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: compile [--system-library=PREFIX] PROGRAM [KERNELS.c]\n");
    return 2;
  }
  file = fopen(argv[1], "rb");
  if (file == NULL) return fail_file(argv[1]);
  size = fread(text, 1, kMaxSource, file);
  if (ferror(file)) return fail_file(argv[1]);
  fclose(file);
  if (size == kMaxSource || memchr(text, '\0', size) != NULL) {
    fprintf(stderr, "%s: is larger than a program may be, or contains a NUL\n", argv[1]);
    return 2;
  }

  set_source(get_base_name(argv[1]), text);
  kernels = read_program(text);
  check_program(kernels);

  file = argc == 3 ? fopen(argv[2], "wb") : stdout;
  if (file == NULL) return fail_file(argv[2]);
  emit_program(kernels, file, get_title(text), get_base_name(argv[1]), opt_prefix);
  return fclose(file) != 0 ? fail_file(argc == 3 ? argv[2] : "standard output") : 0;
}
