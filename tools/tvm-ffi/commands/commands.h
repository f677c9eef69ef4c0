/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, from which help, man page and completion are made. Each command is
 * described at the end of its own file. */
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
  kOptionTable,
  kOptionSuggest,
  kOptionLibclang,
  kOptionNamespace,
  /* show, replay */
  kOptionCall,
  kOptionCalls,
  kOptionHtml,
  kOptionCommand,
  kOptionAgainst,
  kOptionInOrder,
  kOptionTrust,
  kOptionPack,
  kOptionFunctions,
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

extern const command kListCommand, kRunCommand, kBenchCommand, kProbeCommand, kRecordCommand,
    kShowCommand, kReplayCommand, kCheckCommand, kEmbedCommand, kUnpackCommand, kStubCommand,
    kWrapCommand, kRegistryCommand, kTypesCommand, kInfoCommand, kConfigCommand;
extern const command *const kCommands[];
extern const size_t kNumCommands;

const command *command_find(const char *name);

/* ---- Options that several commands have ---- */

/* clang-format off */
/* Of commands that take a source for a library. */
#define COMPILE_OPTION                                                             \
  {kOptionCflags, "cflags", 0, "FLAGS", true,                                      \
   "more compiler flags, such as -lm, if a LIB is a source"}
/* Of commands that load libraries. */
#define LOAD_TIMEOUT_OPTION                                                        \
  {kOptionTimeout, "timeout", 0, "SECONDS", false,                                 \
   "how long a library may take to load and to answer (default 60)"}
#define NO_FORK_OPTION                                                             \
  {kOptionNoFork, "no-fork", 0, NULL, false, "load and call in this process, for a debugger"}
#define MATCH_FUNCTIONS_OPTION                                                     \
  {kOptionMatch, "match", 'm', "GLOB", true,                                       \
   "only functions whose names match: * is any text, ? any character"}
#define TOLERANCE_OPTIONS(expected)                                                \
  {kOptionRtol, "rtol", 0, "X", false,                                             \
   "allowed error relative to " expected " (default: by data type; 0 with --atol)"}, \
  {kOptionAtol, "atol", 0, "X", false,                                             \
   "allowed absolute error (default: by data type; 0 with --rtol)"}
/* clang-format on */
/* Of registry and types: registry.c. */
extern const option kRegisteredOptions[];

/* ---- Help, man page and shell completion, made from the table: manual.c ---- */

void manual_print_usage(FILE *stream);
void manual_print_command(const command *cmd);

/* Writes a form to stdout: "man" (a page for man(1)), "markdown" (a page for the site), or
 * completion for "bash", "zsh" or "fish". Returns the exit code. */
int manual_write(const char *form);

#endif /* TVM_FFI_TOOL_COMMANDS_H_ */
