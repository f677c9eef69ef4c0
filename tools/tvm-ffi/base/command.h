/* SPDX-License-Identifier: Apache-2.0 */
/* What a subcommand is, and the one table of them that help, man page and completion are made of.
 */
#ifndef TVM_FFI_TOOL_COMMAND_H_
#define TVM_FFI_TOOL_COMMAND_H_

#include <stdbool.h>
#include <stddef.h>

/* What the program ends with. */
enum {
  kExitOk = 0,
  kExitRaised = 1,   /* the called function, or the runtime, raised an error */
  kExitUsage = 2,    /* the command line, or a file or function named there, is not right */
  kExitMismatch = 3, /* a result is not what was expected */
  kExitLoad = 4,     /* a library cannot be read or loaded */
  kExitCheck = 5     /* a check failed */
};

typedef struct {
  const char *name;  /* without the dashes */
  char letter;       /* of the short form, or 0 */
  const char *value; /* what the help calls the value, or the words that it may be with | between
                        them; NULL: a flag */
  bool repeats;
  const char *help;
} option;

/* How many words a value may be; 0 where it is no choice of words. */
size_t option_num_words(const option *of);
/* One of them, which does not end with NUL. */
const char *option_word(const option *of, size_t i, size_t *out_size);

/* Options as they were given; the texts are those of the command line. */
typedef struct arguments arguments;

typedef struct {
  const char *name;
  const char *operands;    /* as the help shows them: "LIB..." */
  const char *summary;     /* one line */
  const char *description; /* what the man page says beyond, paragraphs apart by a blank line */
  const option *options;   /* up to one without a name */
  int min_operands;
  int max_operands; /* -1: any number */
  int (*run)(const arguments *args);
} command;

/* Every command takes these besides its own, up to one without a name. */
extern const option kCommonOptions[];

extern const command kCommands[];
extern const size_t kNumCommands;

const command *command_find(const char *name);

/* Whether a flag was given. */
bool arguments_has(const arguments *args, const char *name);
/* The value given last, or the other. */
const char *arguments_text(const arguments *args, const char *name, const char *otherwise);
/* Which of the option's words was given last, or the other. */
size_t arguments_word(const arguments *args, const char *name, size_t otherwise);
/* Values of an option that repeats, in their order. */
size_t arguments_count(const arguments *args, const char *name);
const char *arguments_at(const arguments *args, const char *name, size_t i);
/* Whether a name is like one of the option's values, in which "*" is any text and "?" any
 * character; all names are where it was not given. */
bool arguments_match(const arguments *args, const char *name, const char *what);
/* A number within bounds, or the other where none was given; false when it is not one, which is
 * reported. */
bool arguments_int(const arguments *args, const char *name, long long otherwise, long long low,
                   long long high, long long *out);
bool arguments_real(const arguments *args, const char *name, double otherwise, double low,
                    double high, double *out);

size_t arguments_num_operands(const arguments *args);
const char *arguments_operand(const arguments *args, size_t i);

/* The bodies. */
int run_config(const arguments *args);
int run_info(const arguments *args);
int run_list(const arguments *args);
int run_check(const arguments *args);
int run_embed(const arguments *args);
int run_unpack(const arguments *args);
int run_registry(const arguments *args);
int run_stub(const arguments *args);
int run_types(const arguments *args);
int run_run(const arguments *args);
int run_bench(const arguments *args);

#endif /* TVM_FFI_TOOL_COMMAND_H_ */
