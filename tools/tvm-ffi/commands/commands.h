/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, from which help, man page and completion are made. */
#ifndef TVM_FFI_TOOL_COMMANDS_H_
#define TVM_FFI_TOOL_COMMANDS_H_

#include <stdio.h>

#include "base/command.h"

/* The options by which commands ask for what was given. Options of the same name in several
 * commands have the same id. */
enum {
  /* of every command */
  kOptionJson = kOptionHelp + 1,
  kOptionColor,
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
  /* show, replay */
  kOptionCall,
  kOptionCalls,
  kOptionHtml,
  kOptionAgainst,
  kOptionEmit,
  kOptionBench,
  kOptionRedact,
  /* run, bench */
  kOptionModule,
  kOptionFunction,
  kOptionInput,
  kOptionSeed,
  kOptionGuard,
  kOptionDevice,
  kOptionNoFork,
  kOptionIsolated,
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
  kOptionSvg,
  /* probe */
  kOptionOnly,
  kOptionSkip,
  kOptionNondeterministic,
  /* record */
  kOptionFirst,
  kOptionEvery,
  kOptionAll,
  kOptionOnError,
  kOptionMaxBytes,
  kOptionMaxTotal,
  kOptionNoData,
  kOptionTrace
};

/* Reads --timeout; false after a report. */
static inline bool read_timeout(const arguments *args, double *out) {
  return arguments_real(args, kOptionTimeout, 0, 0.001, 1e6, out);
}

/* Accepted by every command besides its own; ends with kOptionNone. */
extern const option kCommonOptions[];

extern const command kCommands[];
extern const size_t kNumCommands;

const command *command_find(const char *name);

/* ---- Help, man page and shell completion, made from the table: manual.c ---- */

void manual_print_usage(FILE *stream);
void manual_print_command(const command *cmd);

/* Writes a form to stdout: "man" (a page for man(1)), "markdown" (a page for the site), or
 * completion for "bash", "zsh" or "fish". Returns the exit code. */
int manual_write(const char *form);

/* ---- What runs the commands ---- */

int command_config(const arguments *args);
int command_info(const arguments *args);
int command_list(const arguments *args);
int command_check(const arguments *args);
int command_embed(const arguments *args);
int command_unpack(const arguments *args);
int command_registry(const arguments *args);
int command_stub(const arguments *args);
int command_wrap(const arguments *args);
int command_types(const arguments *args);
int command_show(const arguments *args);
int command_replay(const arguments *args);
int command_run(const arguments *args);
int command_bench(const arguments *args);
int command_probe(const arguments *args);
int command_record(const arguments *args);

#endif /* TVM_FFI_TOOL_COMMANDS_H_ */
