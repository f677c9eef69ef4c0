/* SPDX-License-Identifier: Apache-2.0 */
/* tvm-ffi COMMAND: dispatches on the first word of the command line, and handles the options that
 * the program takes without a command. */
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c.h>

#include "base/names.h"
#include "base/report.h"
#include "commands/commands.h"
#include "process/supervise.h"
#include "system/system.h"

static int run_command(const command *cmd, int num_words, char **words) {
  arguments *args = arguments_parse(cmd, kCommonOptions, num_words, words);
  int code = kExitUsage;
  if (args == NULL) return kExitUsage;
  if (arguments_has(args, kOptionHelp)) {
    manual_print_command(cmd);
    code = kExitOk;
  } else {
    report_set_color((color_mode)arguments_word(args, kOptionColor, kColorAuto));
    code = cmd->run(args);
    report_progress_end();
    if (code == kShowHelp) {
      manual_print_command(cmd);
      code = kExitOk;
    }
  }
  arguments_free(args);
  return code;
}

static int print_version(void) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  printf("tvm-ffi %u.%u.%u\n", (unsigned)version.major, (unsigned)version.minor,
         (unsigned)version.patch);
  return kExitOk;
}

/* Installed under the name of tvm-ffi-config, the program runs that command. */
static bool is_called(const char *path, const char *name) {
  return path != NULL && strcmp(path_base(path), name) == 0;
}

static int report_unknown(const char *name) {
  enum { kLimit = 3 }; /* the names are short */
  nearest_name search = nearest_begin(name, kLimit);
  size_t i;
  for (i = 0; i < kNumCommands; ++i) nearest_offer(&search, kCommands[i]->name);
  if (search.nearest != NULL) {
    return report_fail(kExitUsage, "%s is not a command; did you mean %s?", name, search.nearest);
  }
  return report_fail(kExitUsage, "%s is not a command; tvm-ffi --help lists them", name);
}

static int run(int argc, char **argv) {
  const command *cmd;
  if (is_called(argv[0], "tvm-ffi-config")) {
    return run_command(command_find("config"), argc - 1, argv + 1);
  }
  if (argc < 2) {
    manual_print_usage(stderr);
    return kExitUsage;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    manual_print_usage(stdout);
    return kExitOk;
  }
  if (strcmp(argv[1], "--version") == 0) return print_version();
  if (strcmp(argv[1], "--manual") == 0) return manual_write(argc > 2 ? argv[2] : "man");
  if (strncmp(argv[1], "--manual=", 9) == 0) return manual_write(argv[1] + 9);
  cmd = command_find(argv[1]);
  if (cmd == NULL) return report_unknown(argv[1]);
  return run_command(cmd, argc - 2, argv + 2);
}

int main(int argc, char **argv) {
  descriptors_prepare();
  return supervise_finish(streams_finish(run(argc, argv)));
}
