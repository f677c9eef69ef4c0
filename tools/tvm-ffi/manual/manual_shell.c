/* SPDX-License-Identifier: Apache-2.0 */
/* Shell completion: commands, then a command's options and the words their values may be. Behind a
 * library, commands that call a function complete its functions, which `list --names` reads from
 * the file. Everything else completes as a file. */
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

/* Whether the command calls a function of a library. */
static bool calls_function(const command *cmd) {
  const option *opt;
  for (opt = cmd->options; opt->id != kOptionNone; ++opt) {
    if (opt->id == kOptionFunction) return true;
  }
  return false;
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
  puts(calls_function(cmd) ? "' calls=yes ;;" : "' ;;");
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
  if (cmd->max_operands != 0) {
    printf(" \\\n        '*:file:%s'", calls_function(cmd) ? "_tvm_ffi_operands" : "_files");
  }
  puts("\n      ;;");
}

void manual_write_zsh(void) {
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
  } else if (opt->id == kOptionFunction) {
    fputs(" -x -a '(__tvm_ffi_functions)'", stdout);
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
  if (calls_function(cmd)) {
    printf("complete -c tvm-ffi -n '__fish_seen_subcommand_from %s' -a '(__tvm_ffi_functions)'\n",
           cmd->name);
  }
  manual_each_option(cmd, print_fish_option);
}

void manual_write_fish(void) {
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
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l help -d 'say what there is'");
  puts("complete -c tvm-ffi -n __fish_use_subcommand -f -l version -d 'say the version'");
  manual_each_command(print_fish_name);
  manual_each_command(print_fish_options);
}
