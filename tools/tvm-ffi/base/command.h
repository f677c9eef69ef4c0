/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands, and the one table of them from which help, man page and completion are made. */
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
  kExitCheck = 5     /* a check failed */
};

/* The options by which commands ask for what was given. Options of the same name in several
 * commands have the same id. */
typedef enum {
  kOptionNone, /* ends a table */
  /* of every command */
  kOptionJson,
  kOptionColor,
  kOptionHelp,
  /* config */
  kOptionIncludedir,
  kOptionDlpackIncludedir,
  kOptionCmakedir,
  kOptionSourcedir,
  kOptionLibfiles,
  kOptionLibdir,
  kOptionCxxLibdir,
  kOptionLibs,
  kOptionCythonLibPath,
  kOptionCxxflags,
  kOptionCflags,
  kOptionLdflags,
  /* of several commands */
  kOptionMatch,
  kOptionName,
  kOptionOutput,
  kOptionTimeout,
  /* list, check */
  kOptionLoad,
  kOptionUndefined,
  kOptionBin,
  kOptionSort,
  kOptionNames,
  kOptionManylinux,
  kOptionRuntime,
  /* embed, unpack */
  kOptionHeader,
  kOptionFormat,
  kOptionLibraryBin,
  kOptionCubin,
  kOptionMachine,
  kOptionAlign,
  kOptionSection,
  kOptionExport,
  kOptionDepfile,
  kOptionExtract,
  /* registry, types, stub */
  kOptionLib,
  kOptionLang,
  kOptionPrefix,
  kOptionNoLoad,
  /* wrap */
  kOptionInclude,
  kOptionAbi,
  kOptionOutputs,
  kOptionErrors,
  kOptionLean,
  kOptionDoc,
  /* run, bench */
  kOptionModule,
  kOptionFunction,
  kOptionInput,
  kOptionSeed,
  kOptionGuard,
  kOptionDevice,
  kOptionNoFork,
  kOptionExpectedOutput,
  kOptionRtol,
  kOptionAtol,
  kOptionOutputMaxElementCount,
  kOptionPrintStatistics,
  kOptionLeakCheck,
  kOptionMinTime,
  kOptionWarmup,
  kOptionRepeat,
  kOptionCompare,
  kOptionFull,
  kOptionHistogram,
  kOptionSvg
} option_id;

typedef struct {
  option_id id;
  const char *name;  /* without the dashes */
  char letter;       /* the short form, or 0 */
  const char *value; /* the value's name in the help, or the words it may be, separated by |;
                        NULL: a flag */
  bool repeats;
  const char *help;
} option;

/* The number of words that the value may be; 0 if any text is accepted. */
size_t option_num_words(const option *entry);
/* The i-th of these words; not NUL-terminated. */
const char *option_word(const option *entry, size_t i, size_t *out_size);

/* The options and operands of a command line; their texts are borrowed from it. */
typedef struct arguments arguments;

typedef struct {
  const char *name;
  const char *operands;    /* as shown in the help: "LIB..." */
  const char *summary;     /* one line */
  const char *description; /* more text for the man page, paragraphs separated by a blank line */
  const option *options;   /* ends with kOptionNone */
  int min_operands;
  int max_operands; /* -1: any number */
  int (*run)(const arguments *args);
} command;

/* Accepted by every command besides its own; ends with kOptionNone. */
extern const option kCommonOptions[];

extern const command kCommands[];
extern const size_t kNumCommands;

const command *command_find(const char *name);

/* An id must be that of an option of the command; asking for another is a bug, and asserted. */

/* The option's name, for messages. */
const char *arguments_name(const arguments *args, option_id id);
/* Whether the option was given. */
bool arguments_has(const arguments *args, option_id id);
/* The value given last, or `otherwise`. */
const char *arguments_text(const arguments *args, option_id id, const char *otherwise);
/* The index of the option's word given last, or `otherwise`. */
size_t arguments_word(const arguments *args, option_id id, size_t otherwise);
/* The values of a repeatable option, in order. */
size_t arguments_count(const arguments *args, option_id id);
const char *arguments_at(const arguments *args, option_id id, size_t i);
/* Whether `candidate` matches one of the option's values as a pattern, "*" for any text and "?" for
 * any character. Without the option, everything matches. */
bool arguments_match(const arguments *args, option_id id, const char *candidate);
/* The option's value as a number, or `otherwise` without the option; false after a report that it
 * is not a number from `low` to `high`. */
bool arguments_int(const arguments *args, option_id id, long long otherwise, long long low,
                   long long high, long long *out);
bool arguments_real(const arguments *args, option_id id, double otherwise, double low, double high,
                    double *out);

size_t arguments_num_operands(const arguments *args);
const char *arguments_operand(const arguments *args, size_t i);

/* The functions that run the commands. */
int run_config(const arguments *args);
int run_info(const arguments *args);
int run_list(const arguments *args);
int run_check(const arguments *args);
int run_embed(const arguments *args);
int run_unpack(const arguments *args);
int run_registry(const arguments *args);
int run_stub(const arguments *args);
int run_wrap(const arguments *args);
int run_types(const arguments *args);
int run_run(const arguments *args);
int run_bench(const arguments *args);

/* ---- Parsing ---- */

/* Parses the command line of a subcommand by the subcommand's table of options. */

/* `words` are those after the subcommand's name. Returns NULL after reporting what is wrong.
 * Accepts "--name=value", "--name value", "-n value", "-nvalue" and combined letters, "-ub"; '-'
 * and '_' in a name are equivalent. "--" ends the options; "-" alone is an operand, standard input,
 * allowed once. The value of an option with a choice of words must be one of them. */
arguments *arguments_parse(const command *subcommand, int num_words, char **words);
void arguments_free(arguments *args);

#endif /* TVM_FFI_TOOL_COMMAND_H_ */
