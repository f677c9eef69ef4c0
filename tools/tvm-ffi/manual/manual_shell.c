/* SPDX-License-Identifier: Apache-2.0 */
/* Shell completion: commands, then a command's options and the words their values may be;
 * everything else completes as a file. */
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"

/* Prints the text with a backslash before each special character. */
static void print_escaped(const char *line, const char *special) {
  for (; *line != '\0'; ++line) {
    if (strchr(special, *line) != NULL) putchar('\\');
    putchar(*line);
  }
}

/* Prints the words that the value may be, separated by spaces. */
static void print_words(const option *opt) {
  size_t count = option_num_words(opt), i;
  for (i = 0; i < count; ++i) {
    size_t size;
    const char *word = option_word(opt, i, &size);
    printf("%s%.*s", i > 0 ? " " : "", (int)size, word);
  }
}

/* ---- bash ---- */

static void print_bash_name(const command *cmd) {
  printf("%s ", cmd->name);
}

static void print_bash_option(const command *cmd, const option *opt) {
  (void)cmd;
  printf(" --%s%s", opt->name, opt->value != NULL ? "=" : "");
  if (opt->letter != 0) printf(" -%c", opt->letter);
}

static void print_bash_options(const command *cmd) {
  printf("    %s) options='", cmd->name);
  manual_each_option(cmd, print_bash_option);
  puts("' ;;");
}

static void print_bash_words(const command *cmd, const option *opt) {
  if (option_num_words(opt) == 0) return;
  printf("    %s:--%s", cmd->name, opt->name);
  if (opt->letter != 0) printf(" | %s:-%c", cmd->name, opt->letter);
  fputs(") words='", stdout);
  print_words(opt);
  puts("' ;;");
}

static void print_bash_values(const command *cmd) {
  manual_each_option(cmd, print_bash_words);
}

void manual_write_bash(void) {
  fputs(
      "# bash completion of tvm-ffi\n"
      "_tvm_ffi() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} name=${COMP_WORDS[0]##*/} command options words=\n"
      "  local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  COMPREPLY=()\n"
      "  if [[ $name == tvm-ffi-config ]]; then\n"
      "    command=config\n"
      "  elif [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '",
      stdout);
  manual_each_command(print_bash_name);
  fputs(
      "--help --version' -- \"$word\"))\n"
      "    return\n"
      "  else\n"
      "    command=${COMP_WORDS[1]}\n"
      "  fi\n"
      "  case $command in\n",
      stdout);
  manual_each_command(print_bash_options);
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
  manual_each_command(print_bash_values);
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
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
      "  fi\n"
      "}\n"
      "complete -F _tvm_ffi tvm-ffi tvm-ffi-config\n",
      stdout);
}

/* ---- zsh ---- */

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
    print_words(opt);
    putchar(')');
  } else if (opt->value != NULL) {
    printf(":%s:_files", opt->value);
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
           opt->value == NULL ? ""
           : i == 0           ? "+"
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
  manual_each_option(cmd, print_zsh_option);
  puts(cmd->max_operands == 0 ? "" : " \\\n        '*:file:_files'");
  puts("      ;;");
}

void manual_write_zsh(void) {
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
  manual_each_command(print_zsh_name);
  fputs(
      "    )\n"
      "    _values command $commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( --CURRENT ))\n"
      "  case $words[1] in\n",
      stdout);
  manual_each_command(print_zsh_options);
  fputs("  esac\n}\n_tvm_ffi \"$@\"\n", stdout);
}

/* ---- fish ---- */

static void print_fish_rest(const option *opt) {
  if (opt->letter != 0) printf(" -s %c", opt->letter);
  printf(" -l %s", opt->name);
  if (option_num_words(opt) > 0) {
    fputs(" -x -a '", stdout);
    print_words(opt);
    putchar('\'');
  } else if (opt->value != NULL) {
    fputs(" -r", stdout);
  }
  fputs(" -d '", stdout);
  print_escaped(opt->help, "'\\");
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
  print_escaped(cmd->summary, "'\\");
  puts("'");
}

static void print_fish_options(const command *cmd) {
  manual_each_option(cmd, print_fish_option);
}

void manual_write_fish(void) {
  puts("# fish completion of tvm-ffi");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l help -d 'say what there is'");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l version -d 'say the version'");
  manual_each_command(print_fish_name);
  manual_each_command(print_fish_options);
}
