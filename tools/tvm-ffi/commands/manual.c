/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "base/install_paths.h"
#include "base/report.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- What it says of the whole program ---- */

/* A table about the whole program: words, and what they mean. */
typedef struct {
  const char *name, *text;
} manual_entry;
typedef struct {
  const char *title;
  const manual_entry *entries;
  size_t num_entries;
} manual_section;

static const manual_entry kExits[] = {
    {"0", "Success."},
    {"1",
     "The called function, or the runtime, raised an error, which is printed on standard error."},
    {"2",
     "The command line, or a file or function that it names, is wrong; or the output is "
     "incomplete."},
    {"3", "A result differs from the expected one."},
    {"4", "A library cannot be read or loaded."},
    {"5", "A check failed."},
};
static const manual_entry kEnvironment[] = {
    {"NO_COLOR", "Set and not empty: no colours, unless --color=always asks for them."},
    {"TMPDIR",
     "Where a library from standard input is kept while it is loaded, on systems without files in "
     "memory."},
    {"TVM_TRACEBACK_LIMIT", "The maximum number of lines of a backtrace (default 512)."},
    {"TVM_FFI_REPR_WITH_ADDR", "Set to 1: objects are shown with their addresses."},
};
static const manual_entry kFiles[] = {
    {"libtvm_ffi.so", "The runtime, which this program is linked with; info says where it is."},
    {"libtvm_ffi_cxx.so",
     "Its helper for calling modules written in C++, in the same folder or where the system looks "
     "for libraries."},
    {CXX_LIBRARY,
     "The runtime with the helper and C++ functions inside, if it was built; check says which "
     "libraries need it, and config --cxx-libdir where it is."},
};
static const manual_entry kExamples[] = {
    {"tvm-ffi info", "A description of this library, to paste into a report."},
    {"tvm-ffi list --load libscale.so",
     "Its functions with their types, for which it is loaded in its own process."},
    {"tvm-ffi check --manylinux=2_28 libscale.so",
     "Whether it runs on the systems that manylinux_2_28 stands for."},
    {"tvm-ffi registry --lib libscale.so --match 'my.*'",
     "The functions that a library registers when it is loaded."},
    {"tvm-ffi types --match ffi.Module --json", "A type with its fields, for a program to read."},
    {"tvm-ffi stub --lang=c libscale.so -o scale.h",
     "A header with a typed caller for each kernel."},
    {"c++ -shared -fPIC $(tvm-ffi-config --cxxflags) scale.cc -o libscale.so",
     "Compile a kernel with the headers of this installation."},
};
#define ENTRIES(entries) entries, sizeof(entries) / sizeof *(entries)

/* Ends with a section without a title. */
static const manual_section kManualSections[] = {
    {"Exit status", ENTRIES(kExits)},
    {"Environment", ENTRIES(kEnvironment)},
    {"Files", ENTRIES(kFiles)},
    {"Examples", ENTRIES(kExamples)},
    {NULL, NULL, 0},
};

/* ---- Commands and options ---- */

/* Calls `visit` with each command. */
static void each_command(void (*visit)(const command *)) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) visit(kCommands[i]);
}

/* Calls `visit` with each option of a command that is shown, its own before the common ones. */
static void each_option(const command *cmd, void (*visit)(const command *, const option *)) {
  const option *opt;
  for (opt = cmd->options; opt->id != kOptionNone; ++opt) {
    if (opt->help != NULL) visit(cmd, opt);
  }
  for (opt = kCommonOptions; opt->id != kOptionNone; ++opt) visit(cmd, opt);
}

/* ---- Help ---- */

void manual_print_usage(FILE *stream) {
  size_t i;
  fputs("usage: tvm-ffi COMMAND [OPTION...] [OPERAND...]\n\n", stream);
  for (i = 0; i < kNumCommands; ++i) {
    fprintf(stream, "  %-9s %s\n", kCommands[i]->name, kCommands[i]->summary);
  }
  fputs("\ntvm-ffi COMMAND --help describes a command, man tvm-ffi all of them.\n", stream);
}

/* What is between the name and the value. */
static const char *separator_of(const option *opt) {
  return opt->value != NULL && !option_value_is_optional(opt) ? "=" : "";
}

/* "-o, --output=FILE", or only the long form. */
static void print_help_option(const command *cmd, const option *opt) {
  char form[64];
  int size = opt->letter != 0 ? snprintf(form, sizeof form, "-%c, ", opt->letter)
                              : snprintf(form, sizeof form, "    ");
  (void)cmd;
  snprintf(form + size, sizeof form - (size_t)size, "--%s%s%s", opt->name, separator_of(opt),
           opt->value != NULL ? opt->value : "");
  printf(strlen(form) > 30 ? "  %s\n  %30s  %s%s\n" : "  %-30s%s  %s%s\n", form, "", opt->help,
         opt->repeats ? "; may be given several times" : "");
}

/* Adds words with a column of that width before each line, without `. */
static void add_filled(text_buf *out, int width, const char *words) {
  enum { kWidest = 95 };
  size_t column = (size_t)width;
  while (*words != '\0') {
    const size_t size = strcspn(words, " ");
    size_t i;
    if (column > (size_t)width) {
      const bool fits = column + 1 + size <= kWidest;
      text_add(out, fits ? " " : "\n%*s", width, "");
      column = fits ? column + 1 : (size_t)width;
    }
    for (i = 0; i < size; ++i) {
      if (words[i] == '`') continue;
      text_add_bytes(out, &words[i], 1);
      ++column;
    }
    words += size + (words[size] == ' ');
  }
}

static bool is_heading(const help_row *row) {
  return row->name[strlen(row->name) - 1] == ':';
}

/* The rows, as lines of a description. */
static text_buf rows_text(const help_row *rows) {
  text_buf out = {NULL, 0, 0};
  const help_row *row;
  int width = 0;
  for (row = rows; row->name != NULL; ++row) {
    const int size = (int)strlen(row->name);
    if (!is_heading(row) && size > width) width = size;
  }
  for (row = rows; row->name != NULL; ++row) {
    char *words = tool_format("%s%s%s", row->looks_at, row->fails != NULL ? ". FAIL: " : "",
                              row->fails != NULL ? row->fails : "");
    if (is_heading(row)) {
      text_add(&out, "%s ", row->name);
    } else {
      text_add(&out, "  %-*s  ", width, row->name);
    }
    add_filled(&out, is_heading(row) ? 0 : width + 4, words);
    text_add(&out, "\n");
    free(words);
  }
  return out;
}

void manual_print_command(const command *cmd) {
  printf("usage: tvm-ffi %s [OPTION...]%s%s\n\n%s.\n", cmd->name, *cmd->operands != '\0' ? " " : "",
         cmd->operands, cmd->summary);
  if (cmd->description != NULL) printf("\n%s\n", cmd->description);
  if (cmd->rows != NULL) {
    text_buf rows = rows_text(cmd->rows());
    printf("\n%s", rows.data);
    text_free(&rows);
  }
  fputs("\nOptions:\n", stdout);
  each_option(cmd, print_help_option);
}

/* ---- The man page, in the macros of man(7) ---- */

/* Escapes the characters that begin a request or an escape, or that troff replaces. */
static void print_man_escaped(const char *line, size_t size) {
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

static void print_man_plain(const char *line) {
  print_man_escaped(line, strlen(line));
}

/* Prints paragraphs separated by empty lines; indented lines are printed unfilled, as code. */
static void print_man_paragraphs(const char *cursor) {
  bool is_code = false, is_first = true;
  while (*cursor != '\0') {
    const size_t size = strcspn(cursor, "\n");
    const bool indented = *cursor == ' ';
    if (size == 0) is_first = true;
    if (is_code && !indented) puts(".EE");
    if (is_first && size > 0) puts(".PP");
    if (indented && !is_code) puts(".EX");
    if (size > 0) {
      print_man_escaped(cursor, size);
      putchar('\n');
      is_first = false;
    }
    is_code = indented;
    cursor += size + (cursor[size] == '\n');
  }
  if (is_code) puts(".EE");
}

static void print_man_option(const option *opt) {
  puts(".TP");
  if (opt->letter != 0) printf("\\fB\\-%c\\fR, ", opt->letter);
  fputs("\\fB\\-\\-", stdout);
  print_man_plain(opt->name);
  fputs("\\fR", stdout);
  if (opt->value != NULL) {
    /* Literal words are bold, placeholders italic. */
    printf("%s\\f%c", separator_of(opt), option_num_words(opt) > 0 ? 'B' : 'I');
    print_man_plain(opt->value);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  print_man_plain(opt->help);
  puts(opt->repeats ? "; may be given several times" : "");
}

static void print_man_options(const option *options) {
  for (; options->id != kOptionNone; ++options) {
    if (options->help != NULL) print_man_option(options);
  }
}

static void print_man_command(const command *cmd) {
  printf(".SS %s\n.B tvm\\-ffi %s\n[\\fIOPTION\\fR...]", cmd->name, cmd->name);
  if (*cmd->operands != '\0') {
    fputs("\n.I ", stdout);
    print_man_plain(cmd->operands);
  }
  puts("\n.PP");
  print_man_plain(cmd->summary);
  puts(".");
  if (cmd->description != NULL) print_man_paragraphs(cmd->description);
  if (cmd->rows != NULL) {
    text_buf rows = rows_text(cmd->rows());
    print_man_paragraphs(rows.data);
    text_free(&rows);
  }
  print_man_options(cmd->options);
}

/* Titles of sections are in capitals, by custom. */
static void print_man_upper(const char *title) {
  for (; *title != '\0'; ++title) {
    putchar(*title >= 'a' && *title <= 'z' ? *title - 'a' + 'A' : *title);
  }
}

static void print_man_section(const manual_section *section) {
  size_t i;
  fputs(".SH ", stdout);
  print_man_upper(section->title);
  putchar('\n');
  for (i = 0; i < section->num_entries; ++i) {
    fputs(".TP\n\\fB", stdout);
    print_man_plain(section->entries[i].name);
    puts("\\fR");
    print_man_plain(section->entries[i].text);
    putchar('\n');
  }
}

static void write_man(void) {
  const manual_section *section;
  printf(
      ".TH TVM\\-FFI 1 \"\" \"tvm\\-ffi %d.%d.%d\" \"User Commands\"\n"
      ".SH NAME\n"
      "tvm\\-ffi, tvm\\-ffi\\-config \\- inspect, call and wrap kernel libraries of the TVM "
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
      "Results go to standard output, errors to standard error.\n"
      "The value of an option follows a = or is the next word; \\- and _ in option names are\n"
      "equivalent. \\fB\\-\\-\\fR ends the options.\n"
      ".B tvm\\-ffi\\-config\n"
      "is another name of the command \\fBconfig\\fR.\n"
      ".SH COMMANDS\n",
      TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH);
  each_command(print_man_command);
  puts(".SH OPTIONS OF EVERY COMMAND");
  print_man_options(kCommonOptions);
  for (section = kManualSections; section->title != NULL; ++section) print_man_section(section);
}

/* ---- A page for the site ---- */

/* Escapes the characters that Markdown, or HTML in it, would take for its own. */
static void print_markdown_escaped(const char *line, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    if (strchr("\\`*_[]<>|#~$", line[i]) != NULL) putchar('\\');
    putchar(line[i]);
  }
}

/* Prints paragraphs separated by empty lines. Indented lines become a block of code. */
static void print_markdown_paragraphs(const char *cursor) {
  bool is_code = false, is_first = true;
  while (*cursor != '\0') {
    const size_t size = strcspn(cursor, "\n");
    const bool indented = *cursor == ' ';
    if (indented != is_code && !is_first) putchar('\n');
    if (indented) {
      printf("    %.*s\n", tvmffi_shown_size(size) - 2, cursor + 2);
    } else {
      print_markdown_escaped(cursor, size);
      putchar('\n');
    }
    is_code = indented;
    is_first = size == 0;
    cursor += size + (cursor[size] == '\n');
  }
  putchar('\n');
}

static void print_markdown_text(const char *text) {
  print_markdown_escaped(text, strlen(text));
}

static void print_markdown_option(const option *opt) {
  fputs("| ", stdout);
  if (opt->letter != 0) printf("`-%c`, ", opt->letter);
  printf("`--%s", opt->name);
  if (opt->value != NULL) {
    const char *cursor;
    fputs(separator_of(opt), stdout);
    for (cursor = opt->value; *cursor != '\0'; ++cursor) {
      if (*cursor == '|') putchar('\\'); /* else it would end the cell */
      putchar(*cursor);
    }
  }
  fputs("` | ", stdout);
  print_markdown_text(opt->help);
  puts(opt->repeats ? "; may be given several times |" : " |");
}

static void print_markdown_options(const option *options) {
  if (options->id == kOptionNone) return;
  puts("| option | what it does |\n|---|---|");
  for (; options->id != kOptionNone; ++options) {
    if (options->help != NULL) print_markdown_option(options);
  }
  putchar('\n');
}

/* Rows are Markdown; a heading begins another table. */
static void print_markdown_rows(const help_row *rows) {
  const help_row *row;
  const char *notes = "`note`";
  bool has_notes = false, in_table = false;
  for (row = rows; row->name != NULL; ++row) has_notes = has_notes || row->notes != NULL;
  for (row = rows; row->name != NULL; ++row) {
    const char *fails = row->fails != NULL ? row->fails : "";
    if (is_heading(row)) {
      printf("%s**%s** %s%s%s\n\n", in_table ? "\n" : "", row->name, row->looks_at,
             *fails != '\0' ? ". `FAIL`: " : "", fails);
      if (row->notes != NULL) notes = row->notes;
      in_table = false;
      continue;
    }
    if (!in_table) {
      printf("| name | looks at | `FAIL` |");
      if (has_notes) printf(" %s |", notes);
      puts(has_notes ? "\n|---|---|---|---|" : "\n|---|---|---|");
    }
    in_table = true;
    printf("| `%s` | %s | %s |", row->name, row->looks_at, fails);
    if (has_notes) printf(" %s |", row->notes != NULL ? row->notes : "");
    putchar('\n');
  }
  putchar('\n');
}

static void print_markdown_command(const command *cmd) {
  printf("## %s\n\n    tvm-ffi %s [OPTION...]%s%s\n\n", cmd->name, cmd->name,
         *cmd->operands != '\0' ? " " : "", cmd->operands);
  print_markdown_text(cmd->summary);
  puts(".\n");
  if (cmd->description != NULL) print_markdown_paragraphs(cmd->description);
  if (cmd->rows != NULL) print_markdown_rows(cmd->rows());
  print_markdown_options(cmd->options);
}

static void print_markdown_section(const manual_section *section) {
  size_t i;
  printf("## %s\n\n| | |\n|---|---|\n", section->title);
  for (i = 0; i < section->num_entries; ++i) {
    printf("| `%s` | ", section->entries[i].name);
    print_markdown_text(section->entries[i].text);
    puts(" |");
  }
  putchar('\n');
}

static void write_markdown(void) {
  const manual_section *section;
  each_command(print_markdown_command);
  puts("## Options of every command\n");
  print_markdown_options(kCommonOptions);
  for (section = kManualSections; section->title != NULL; ++section)
    print_markdown_section(section);
}

/* ---- Completion in shells ---- */

/* Commands, then a command's options and the words their values may be. Behind a
 * library, commands that call a function complete its functions, which `list --names` reads from
 * the file. Everything else completes as a file. */

/* Prints the text with a backslash before each special character. */
static void print_shell_escaped(const char *line, const char *special) {
  for (; *line != '\0'; ++line) {
    if (strchr(special, *line) != NULL) putchar('\\');
    putchar(*line);
  }
}

/* Prints the words that the value may be, separated by spaces. */
static void print_shell_words(const option *opt) {
  size_t count = option_num_words(opt), i;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(opt, i, &size);
    printf("%s%.*s", i > 0 ? " " : "", tvmffi_shown_size(size), word);
  }
}

/* Whether the command calls a function of a library. */
static bool calls_function(const command *cmd) {
  const option *opt;
  for (opt = cmd->options; opt->id != kOptionNone; ++opt) {
    if (opt->id == kOptionFunction) return true;
  }
  return false;
}

/* ---- Completion in bash ---- */

static void print_bash_name(const command *cmd) {
  printf("%s ", cmd->name);
}

static void print_bash_option(const command *cmd, const option *opt) {
  (void)cmd;
  printf(" --%s%s", opt->name, separator_of(opt));
  if (opt->letter != 0) printf(" -%c", opt->letter);
}

static void print_bash_options(const command *cmd) {
  printf("    %s) options='", cmd->name);
  each_option(cmd, print_bash_option);
  puts(calls_function(cmd) ? "' calls=yes ;;" : "' ;;");
}

static void print_bash_words(const command *cmd, const option *opt) {
  if (option_num_words(opt) == 0) return;
  printf("    %s:--%s", cmd->name, opt->name);
  if (opt->letter != 0) printf(" | %s:-%c", cmd->name, opt->letter);
  fputs(") words='", stdout);
  print_shell_words(opt);
  puts("' ;;");
}

static void print_bash_values(const command *cmd) {
  each_option(cmd, print_bash_words);
}

static void write_bash(void) {
  fputs(
      "# bash completion of tvm-ffi\n"
      "\n"
      "# Prints the functions of the library that was given, of which no code is run.\n"
      "_tvm_ffi_functions() {\n"
      "  local program=${COMP_WORDS[0]/#\\~\\//$HOME/} file\n"
      "  for file in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
      "    file=${file//[\\\\\\'\\\"]/}\n"
      "    file=${file/#\\~\\//$HOME/}\n"
      "    if [[ $file == *.so* && -f $file ]]; then\n"
      "      # Names that the shell would expand are left out.\n"
      "      \"$program\" list --names \"$file\" 2>/dev/null | grep -xE '[A-Za-z0-9_.]+'\n"
      "      return\n"
      "    fi\n"
      "  done\n"
      "}\n"
      "\n"
      "_tvm_ffi() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} name=${COMP_WORDS[0]##*/} command options words= "
      "calls=\n"
      "  local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  COMPREPLY=()\n"
      "  if [[ $name == tvm-ffi-config ]]; then\n"
      "    command=config\n"
      "  elif [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '",
      stdout);
  each_command(print_bash_name);
  fputs(
      "--help --version' -- \"$word\"))\n"
      "    return\n"
      "  else\n"
      "    command=${COMP_WORDS[1]}\n"
      "  fi\n"
      "  case $command in\n",
      stdout);
  each_command(print_bash_options);
  fputs(
      "    *) options= ;;\n"
      "  esac\n"
      "  # The = of --option=VALUE is a word of its own here.\n"
      "  if [[ $word == = ]]; then\n"
      "    word=\n"
      "  elif [[ $before == = && $COMP_CWORD -ge 2 ]]; then\n"
      "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  case $command:$before in\n",
      stdout);
  each_command(print_bash_values);
  fputs(
      "  esac\n"
      "  if [[ -n $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
      "      compopt -o nospace 2>/dev/null\n"
      "    fi\n"
      "  else\n"
      "    # Not for the value of an option, unless it is that of --function.\n"
      "    if [[ -n $calls && ($before == -f || $before == --function ||\n"
      "          ($before != -? && \" $options \" != *\" $before= \"*)) ]]; then\n"
      "      while IFS= read -r name; do\n"
      "        [[ $name == \"${word#[\\'\\\"]}\"* ]] && COMPREPLY+=(\"$name\")\n"
      "      done < <(_tvm_ffi_functions)\n"
      "    fi\n"
      "    if [[ ${#COMPREPLY[@]} -eq 0 || ($command == bench && $before != -*) ]]; then\n"
      "      compopt -o filenames 2>/dev/null\n"
      "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
      "    fi\n"
      "  fi\n"
      "}\n"
      "complete -F _tvm_ffi tvm-ffi tvm-ffi-config\n",
      stdout);
}

/* ---- Completion in zsh ---- */

static void print_zsh_help(const char *help) {
  putchar('[');
  for (; *help != '\0'; ++help) {
    if (*help == '\'') {
      fputs("'\\''", stdout);
    } else {
      if (strchr("[]:\\", *help) != NULL) putchar('\\');
      putchar(*help);
    }
  }
  putchar(']');
}

static void print_zsh_value(const option *opt) {
  if (option_num_words(opt) > 0) {
    printf(":%s:(", opt->name);
    print_shell_words(opt);
    putchar(')');
  } else if (option_value_is_optional(opt)) {
    printf("::%s: ", opt->name);
  } else if (opt->value != NULL) {
    printf(":%s:%s", opt->value, opt->id == kOptionFunction ? "_tvm_ffi_functions" : "_files");
  }
}

static void print_zsh_option(const command *cmd, const option *opt) {
  const char *form;
  char letter[3] = {'-', opt->letter, '\0'};
  int i;
  (void)cmd;
  for (i = opt->letter != 0 ? 0 : 1; i < 2; ++i) {
    form = i == 0 ? letter : opt->name;
    printf(" \\\n        '%s%s%s%s", opt->repeats ? "*" : "", i == 0 ? "" : "--", form,
           opt->value == NULL              ? ""
           : option_value_is_optional(opt) ? "=-"
           : i == 0                        ? "+"
                                           : "=");
    print_zsh_help(opt->help);
    print_zsh_value(opt);
    putchar('\'');
  }
}

static void print_zsh_name(const command *cmd) {
  printf("      '%s", cmd->name);
  print_zsh_help(cmd->summary);
  puts("'");
}

static void print_zsh_options(const command *cmd) {
  printf("    %s)\n      _arguments -s", cmd->name);
  each_option(cmd, print_zsh_option);
  if (cmd->max_operands != 0) {
    printf(" \\\n        '*:file:%s'", calls_function(cmd) ? "_tvm_ffi_operands" : "_files");
  }
  puts("\n      ;;");
}

static void write_zsh(void) {
  fputs(
      "#compdef tvm-ffi tvm-ffi-config\n"
      "# zsh completion of tvm-ffi\n"
      "\n"
      "# Offers the functions of the library that was given, of which no code is run.\n"
      "_tvm_ffi_functions() {\n"
      "  local file\n"
      "  local -a names\n"
      "  for file in ${(Q)words[2,CURRENT-1]}; do\n"
      "    file=${${file#--module=}/#\\~\\//$HOME/}\n"
      "    if [[ $file == *.so* && -f $file ]]; then\n"
      "      names=(${(f)\"$($program list --names $file 2>/dev/null)\"})\n"
      "      compadd -a names\n"
      "      return\n"
      "    fi\n"
      "  done\n"
      "  return 1\n"
      "}\n"
      "\n"
      "_tvm_ffi_operands() {\n"
      "  _tvm_ffi_functions && [[ $words[1] == run ]] || _files\n"
      "}\n"
      "\n"
      "_tvm_ffi() {\n"
      "  local name=${words[1]:t} program=${${(Q)words[1]}/#\\~\\//$HOME/}\n"
      "  if [[ $name == tvm-ffi-config ]]; then\n"
      "    words=($name config ${words[2,-1]})\n"
      "    (( ++CURRENT ))\n"
      "  elif (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n",
      stdout);
  each_command(print_zsh_name);
  fputs(
      "    )\n"
      "    _values command $commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( --CURRENT ))\n"
      "  case $words[1] in\n",
      stdout);
  each_command(print_zsh_options);
  fputs("  esac\n}\n_tvm_ffi \"$@\"\n", stdout);
}

/* ---- Completion in fish ---- */

static void print_fish_rest(const option *opt) {
  if (opt->letter != 0) printf(" -s %c", opt->letter);
  printf(" -l %s", opt->name);
  if (option_num_words(opt) > 0) {
    fputs(" -x -a '", stdout);
    print_shell_words(opt);
    putchar('\'');
  } else if (opt->id == kOptionFunction) {
    fputs(" -x -a '(__tvm_ffi_functions)'", stdout);
  } else if (opt->value != NULL && !option_value_is_optional(opt)) {
    fputs(" -r", stdout);
  }
  fputs(" -d '", stdout);
  print_shell_escaped(opt->help, "'\\");
  puts("'");
}

static void print_fish_option(const command *cmd, const option *opt) {
  printf("complete -c tvm-ffi -n '__fish_seen_subcommand_from %s'", cmd->name);
  print_fish_rest(opt);
  if (strcmp(cmd->name, "config") == 0) {
    fputs("complete -c tvm-ffi-config", stdout);
    print_fish_rest(opt);
  }
}

static void print_fish_name(const command *cmd) {
  printf("complete -c tvm-ffi -n __fish_use_subcommand -f -a %s -d '", cmd->name);
  print_shell_escaped(cmd->summary, "'\\");
  puts("'");
}

static void print_fish_options(const command *cmd) {
  if (calls_function(cmd)) {
    printf("complete -c tvm-ffi -n '__fish_seen_subcommand_from %s' -a '(__tvm_ffi_functions)'\n",
           cmd->name);
  }
  each_option(cmd, print_fish_option);
}

static void write_fish(void) {
  puts(
      "# fish completion of tvm-ffi\n"
      "\n"
      "# Prints the functions of the library that was given, of which no code is run.\n"
      "function __tvm_ffi_functions\n"
      "    set -l given (commandline -opc)\n"
      "    set -l program (string replace -r '^~/' \"$HOME/\" -- $given[1])\n"
      "    for file in (string replace -r '^--module=' '' -- $given[3..-1])\n"
      "        set file (string replace -r '^~/' \"$HOME/\" -- $file)\n"
      "        if string match -q '*.so*' -- $file; and test -f $file\n"
      "            $program list --names $file 2>/dev/null\n"
      "            return\n"
      "        end\n"
      "    end\n"
      "end\n");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l help -d 'list the commands'");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l version -d 'print the version'");
  each_command(print_fish_name);
  each_command(print_fish_options);
}

/* ---- Forms ---- */

int manual_write(const char *form) {
  static const struct {
    const char *form;
    void (*write)(void);
  } kForms[] = {{"man", write_man},
                {"markdown", write_markdown},
                {"bash", write_bash},
                {"zsh", write_zsh},
                {"fish", write_fish}};
  size_t i;
  for (i = 0; i < sizeof kForms / sizeof *kForms; ++i) {
    if (strcmp(form, kForms[i].form) == 0) {
      kForms[i].write();
      return kExitOk;
    }
  }
  return report_fail(kExitUsage, "--manual must be man, markdown, bash, zsh or fish, not \"%s\"",
                     form);
}
