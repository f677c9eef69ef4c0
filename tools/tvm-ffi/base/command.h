/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands: their tables of options, and the command lines that they are given. */
#ifndef TVM_FFI_TOOL_COMMAND_H_
#define TVM_FFI_TOOL_COMMAND_H_

#include <stdbool.h>
#include <stddef.h>

/* The exit codes. */
enum {
  kExitOk = 0,
  kExitRaised = 1,   /* the called function, or the runtime, raised an error */
  kExitUsage = 2,    /* the command line is wrong, or a file or function that it names */
  kExitMismatch = 3, /* a result differs from the expected one */
  kExitLoad = 4,     /* a library cannot be read or loaded */
  kExitCheck = 5,    /* a check failed */
  kShowHelp = -1     /* of a command that has nothing else to do: the help is printed */
};

/* Ids of options by which a command asks for what was given. A table ends with kOptionNone, and
 * kOptionHelp, if given, excuses missing operands; a program numbers its others from there. */
enum { kOptionNone, kOptionHelp };

typedef struct {
  int id;
  const char *name;  /* without the dashes */
  char letter;       /* the short form, or 0 */
  const char *value; /* the value's name in the help, or the words it may be, separated by |;
                        NULL: a flag; "[=NAME]": it may be left out, and else follows a = */
  bool repeats;
  const char *help; /* NULL: a letter of an earlier version for the option of that id; not shown */
} option;

/* Whether the option may be given without its value, which is the empty text then. */
bool option_value_is_optional(const option *entry);
/* The number of words that the value may be; 0 if any text is accepted. */
size_t option_num_words(const option *entry);
/* The i-th of these words; not NUL-terminated. */
const char *option_word(const option *entry, size_t i, size_t *out_size);

/* Values of an option. */
typedef struct {
  const char *const *items;
  size_t count;
} text_list;

/* The options and operands of a command line; their texts are borrowed from it. */
typedef struct arguments arguments;

/* A row of what a command reports, in the form of Markdown. */
typedef struct {
  const char *name; /* with a : at the end, a heading of the rows that follow */
  const char *looks_at;
  const char *fails, *notes; /* for what; NULL if for nothing. Notes of a heading are the title of
                                their column */
} help_row;

typedef struct {
  const char *name;
  const char *operands;    /* as shown in the help: "LIB..." */
  const char *summary;     /* one line */
  const char *description; /* more text for the man page, paragraphs separated by a blank line;
                              NULL: none */
  const help_row *(*rows)(void); /* shown below it; end with a row without a name; NULL: none */
  const option *options;         /* ends with kOptionNone */
  int min_operands;
  int max_operands;                  /* -1: any number */
  int (*run)(const arguments *args); /* returns the exit code, or kShowHelp */
} command;

/* An id must be that of an option of the command; asking for another is a bug, and asserted. */

/* The option's name, for messages. */
const char *arguments_name(const arguments *args, int id);
/* Whether the command has the option, for code that several commands share. */
bool arguments_offer(const arguments *args, int id);
/* Whether the option was given. */
bool arguments_has(const arguments *args, int id);
/* The value given last, or `otherwise`. */
const char *arguments_text(const arguments *args, int id, const char *otherwise);
/* The index of the option's word given last, or `otherwise`. */
size_t arguments_word(const arguments *args, int id, size_t otherwise);
/* The values of a repeatable option, in order. */
text_list arguments_values(const arguments *args, int id);
/* The option's value as a number, or `otherwise` without the option; false after a report that it
 * is not a number from `low` to `high`. */
bool arguments_int(const arguments *args, int id, long long otherwise, long long low,
                   long long high, long long *out);
bool arguments_real(const arguments *args, int id, double otherwise, double low, double high,
                    double *out);

text_list arguments_operands(const arguments *args);
size_t arguments_num_operands(const arguments *args);
const char *arguments_operand(const arguments *args, size_t i);

/* ---- Parsing ---- */

/* `words` are those after the subcommand's name; `common` are options of every command. Returns
 * NULL after reporting what is wrong. Accepts "--name=value", "--name value", "-n value", "-nvalue"
 * and combined letters, "-ub"; '-' and '_' in a name are equivalent. "--" ends the options; "-"
 * alone is an operand, standard input, allowed once. The value of an option with a choice of words
 * must be one of them. */
arguments *arguments_parse(const command *subcommand, const option *common, int num_words,
                           char **words);
void arguments_free(arguments *args);

#endif /* TVM_FFI_TOOL_COMMAND_H_ */
