/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the commands as a page of the site, in Markdown. */
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"

/* Escapes the characters that Markdown, or HTML in it, would take for its own. */
static void print_escaped(const char *line, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    if (strchr("\\`*_[]<>|#~$", line[i]) != NULL) putchar('\\');
    putchar(line[i]);
  }
}

/* Prints paragraphs separated by empty lines. Indented lines become a block of code. */
static void print_paragraphs(const char *cursor) {
  bool is_code = false, is_first = true;
  while (*cursor != '\0') {
    const size_t size = strcspn(cursor, "\n");
    const bool indented = *cursor == ' ';
    if (indented != is_code && !is_first) putchar('\n');
    if (indented) {
      printf("    %.*s\n", (int)size - 2, cursor + 2);
    } else {
      print_escaped(cursor, size);
      putchar('\n');
    }
    is_code = indented;
    is_first = size == 0;
    cursor += size + (cursor[size] == '\n');
  }
  putchar('\n');
}

static void print_text(const char *text) {
  print_escaped(text, strlen(text));
}

static void print_option(const option *opt) {
  fputs("| ", stdout);
  if (opt->letter != 0) printf("`-%c`, ", opt->letter);
  printf("`--%s", opt->name);
  if (opt->value != NULL) {
    const char *cursor;
    putchar('=');
    for (cursor = opt->value; *cursor != '\0'; ++cursor) {
      if (*cursor == '|') putchar('\\'); /* else it would end the cell */
      putchar(*cursor);
    }
  }
  fputs("` | ", stdout);
  print_text(opt->help);
  puts(opt->repeats ? "; may be given several times |" : " |");
}

static void print_options(const option *options) {
  if (options->id == kOptionNone) return;
  puts("| option | what it does |\n|---|---|");
  for (; options->id != kOptionNone; ++options) print_option(options);
  putchar('\n');
}

static void print_command(const command *cmd) {
  printf("## %s\n\n    tvm-ffi %s [OPTION...]%s%s\n\n", cmd->name, cmd->name,
         *cmd->operands != '\0' ? " " : "", cmd->operands);
  print_text(cmd->summary);
  puts(".\n");
  if (*cmd->description != '\0') print_paragraphs(cmd->description);
  print_options(cmd->options);
}

static void print_section(const manual_section *section) {
  size_t i;
  printf("## %s\n\n| | |\n|---|---|\n", section->title);
  for (i = 0; i < section->num_entries; ++i) {
    printf("| `%s` | ", section->entries[i].name);
    print_text(section->entries[i].text);
    puts(" |");
  }
  putchar('\n');
}

void manual_write_markdown(void) {
  const manual_section *section;
  manual_each_command(print_command);
  puts("## Options of every command\n");
  print_options(kCommonOptions);
  for (section = kManualSections; section->title != NULL; ++section) print_section(section);
}
