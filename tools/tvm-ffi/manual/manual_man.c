/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the man page, in the macros of man(7). */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "manual/manual.h"

/* Escapes the characters that begin a request or an escape, or that troff replaces. */
static void print_escaped(const char *line, size_t size) {
  size_t i;
  if (size > 0 && (*line == '.' || *line == '\'')) fputs("\\&", stdout);
  for (i = 0; i < size; ++i) {
    if (line[i] == '\\') {
      fputs("\\e", stdout);
    } else if (line[i] == '-') {
      fputs("\\-", stdout);
    } else if (line[i] == '~' || line[i] == '^') {
      printf("\\(%s", line[i] == '~' ? "ti" : "ha");
    } else if (line[i] == '`') {
      fputs("\\(ga", stdout);
    } else if (line[i] == '\'') {
      fputs("\\(aq", stdout);
    } else {
      putchar(line[i]);
    }
  }
}

static void print_plain(const char *line) {
  print_escaped(line, strlen(line));
}

/* Prints paragraphs separated by empty lines; indented lines are printed unfilled, as code. */
static void print_paragraphs(const char *cursor) {
  bool is_code = false, is_first = true;
  while (*cursor != '\0') {
    const size_t size = strcspn(cursor, "\n");
    const bool indented = *cursor == ' ';
    if (size == 0) is_first = true;
    if (is_code && !indented) puts(".EE");
    if (is_first && size > 0) puts(".PP");
    if (indented && !is_code) puts(".EX");
    if (size > 0) {
      print_escaped(cursor, size);
      putchar('\n');
      is_first = false;
    }
    is_code = indented;
    cursor += size + (cursor[size] == '\n');
  }
  if (is_code) puts(".EE");
}

static void print_option(const option *opt) {
  puts(".TP");
  if (opt->letter != 0) printf("\\fB\\-%c\\fR, ", opt->letter);
  fputs("\\fB\\-\\-", stdout);
  print_plain(opt->name);
  fputs("\\fR", stdout);
  if (opt->value != NULL) {
    /* Literal words are bold, placeholders italic. */
    printf("=\\f%c", option_num_words(opt) > 0 ? 'B' : 'I');
    print_plain(opt->value);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  print_plain(opt->help);
  puts(opt->repeats ? "; may be given several times" : "");
}

static void print_options(const option *options) {
  for (; options->id != kOptionNone; ++options) print_option(options);
}

static void print_command(const command *cmd) {
  printf(".SS %s\n.B tvm\\-ffi %s\n[\\fIOPTION\\fR...]", cmd->name, cmd->name);
  if (*cmd->operands != '\0') {
    fputs("\n.I ", stdout);
    print_plain(cmd->operands);
  }
  puts("\n.PP");
  print_plain(cmd->summary);
  puts(".");
  if (*cmd->description != '\0') print_paragraphs(cmd->description);
  print_options(cmd->options);
}

/* Titles of sections are in capitals, by custom. */
static void print_upper(const char *title) {
  for (; *title != '\0'; ++title) {
    putchar(*title >= 'a' && *title <= 'z' ? *title - 'a' + 'A' : *title);
  }
}

static void print_section(const manual_section *section) {
  size_t i;
  fputs(".SH ", stdout);
  print_upper(section->title);
  putchar('\n');
  for (i = 0; i < section->num_entries; ++i) {
    fputs(".TP\n\\fB", stdout);
    print_plain(section->entries[i].name);
    puts("\\fR");
    print_plain(section->entries[i].text);
    putchar('\n');
  }
}

void manual_write_man(void) {
  const manual_section *section;
  printf(
      ".TH TVM\\-FFI 1 \"\" \"tvm\\-ffi %d.%d.%d\" \"User Commands\"\n"
      ".SH NAME\n"
      "tvm\\-ffi, tvm\\-ffi\\-config \\- look at, call and wrap libraries of kernels of the TVM "
      "FFI ABI\n"
      ".SH SYNOPSIS\n"
      ".B tvm\\-ffi\n"
      ".I COMMAND\n"
      "[\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
      ".br\n"
      ".B tvm\\-ffi\n"
      "\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n"
      ".br\n"
      ".B tvm\\-ffi\\-config\n"
      "[\\fIOPTION\\fR...]\n"
      ".SH DESCRIPTION\n"
      "What a command finds goes to standard output, what goes wrong to standard error.\n"
      "Values of options stand behind a = or are the next word; \\- and _ in their names are the\n"
      "same. \\fB\\-\\-\\fR ends the options.\n"
      ".B tvm\\-ffi\\-config\n"
      "is the command \\fBconfig\\fR by a name of its own.\n"
      ".SH COMMANDS\n",
      TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH);
  manual_each_command(print_command);
  puts(".SH OPTIONS OF EVERY COMMAND");
  print_options(kCommonOptions);
  for (section = kManualSections; section->title != NULL; ++section) print_section(section);
}
