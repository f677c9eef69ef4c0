/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for shells: commands, then the options of one; what is no option is a file. */
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"

/* Calls that with each option of a command, those of all commands behind its own. */
static void for_each_option(const command *of, void (*print)(const command *, const option *)) {
  const option *one;
  for (one = of->options; one->name != NULL; ++one) print(of, one);
  for (one = kCommonOptions; one->name != NULL; ++one) print(of, one);
}

/* With a backslash before each of those. */
static void print_escaped(const char *line, const char *special) {
  for (; *line != '\0'; ++line) {
    if (strchr(special, *line) != NULL) putchar('\\');
    putchar(*line);
  }
}

/* ---- bash --------------------------------------------------------------------------------------
 */

static void print_bash_option(const command *of, const option *one) {
  (void)of;
  printf(" --%s%s", one->name, one->value != NULL ? "=" : "");
  if (one->letter != 0) printf(" -%c", one->letter);
}

void manual_write_bash(void) {
  size_t i;
  fputs(
      "# bash completion of tvm-ffi\n"
      "_tvm_ffi() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} name=${COMP_WORDS[0]##*/} command options\n"
      "  COMPREPLY=()\n"
      "  if [[ $name == tvm-ffi-config ]]; then\n"
      "    command=config\n"
      "  elif [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '",
      stdout);
  for (i = 0; i < kNumCommands; ++i) printf("%s ", kCommands[i].name);
  fputs(
      "--help --version' -- \"$word\"))\n"
      "    return\n"
      "  else\n"
      "    command=${COMP_WORDS[1]}\n"
      "  fi\n"
      "  case $command in\n",
      stdout);
  for (i = 0; i < kNumCommands; ++i) {
    printf("    %s) options='", kCommands[i].name);
    for_each_option(&kCommands[i], print_bash_option);
    puts("' ;;");
  }
  fputs(
      "    *) options= ;;\n"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
      "      compopt -o nospace 2>/dev/null\n"
      "    fi\n"
      "  else\n"
      "    # The = of --option=FILE is a word of its own here.\n"
      "    [[ $word == = ]] && word=\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -F _tvm_ffi tvm-ffi tvm-ffi-config\n",
      stdout);
}

/* ---- zsh ---------------------------------------------------------------------------------------
 */

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

static void print_zsh_option(const command *of, const option *one) {
  const char *form;
  char letter[3] = {'-', one->letter, '\0'};
  int i;
  (void)of;
  for (i = one->letter != 0 ? 0 : 1; i < 2; ++i) {
    form = i == 0 ? letter : one->name;
    printf(" \\\n        '%s%s%s%s", one->repeats ? "*" : "", i == 0 ? "" : "--", form,
           one->value == NULL ? ""
           : i == 0           ? "+"
                              : "=");
    print_zsh_help(one->help);
    if (one->value != NULL) printf(":%s:_files", one->value);
    putchar('\'');
  }
}

void manual_write_zsh(void) {
  size_t i;
  fputs(
      "#compdef tvm-ffi tvm-ffi-config\n"
      "# zsh completion of tvm-ffi\n"
      "_tvm_ffi() {\n"
      "  local name=${words[1]:t}\n"
      "  if [[ $name == tvm-ffi-config ]]; then\n"
      "    words=($name config ${words[2,-1]})\n"
      "    (( ++CURRENT ))\n"
      "  elif (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n",
      stdout);
  for (i = 0; i < kNumCommands; ++i) {
    printf("      '%s", kCommands[i].name);
    print_zsh_help(kCommands[i].summary);
    puts("'");
  }
  fputs(
      "    )\n"
      "    _values command $commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( --CURRENT ))\n"
      "  case $words[1] in\n",
      stdout);
  for (i = 0; i < kNumCommands; ++i) {
    printf("    %s)\n      _arguments -s", kCommands[i].name);
    for_each_option(&kCommands[i], print_zsh_option);
    puts(kCommands[i].max_operands == 0 ? "" : " \\\n        '*:file:_files'");
    puts("      ;;");
  }
  fputs("  esac\n}\n_tvm_ffi \"$@\"\n", stdout);
}

/* ---- fish --------------------------------------------------------------------------------------
 */

static void print_fish_begin(const command *of) {
  printf("complete -c tvm-ffi -n '__fish_seen_subcommand_from %s'", of->name);
}

static void print_fish_rest(const option *one) {
  if (one->letter != 0) printf(" -s %c", one->letter);
  printf(" -l %s%s -d '", one->name, one->value != NULL ? " -r" : "");
  print_escaped(one->help, "'\\");
  puts("'");
}

static void print_fish_option(const command *of, const option *one) {
  print_fish_begin(of);
  print_fish_rest(one);
  if (strcmp(of->name, "config") == 0) {
    fputs("complete -c tvm-ffi-config", stdout);
    print_fish_rest(one);
  }
}

void manual_write_fish(void) {
  size_t i;
  puts("# fish completion of tvm-ffi");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l help -d 'say what there is'");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l version -d 'say the version'");
  for (i = 0; i < kNumCommands; ++i) {
    printf("complete -c tvm-ffi -n __fish_use_subcommand -f -a %s -d '", kCommands[i].name);
    print_escaped(kCommands[i].summary, "'\\");
    puts("'");
  }
  for (i = 0; i < kNumCommands; ++i) for_each_option(&kCommands[i], print_fish_option);
}
