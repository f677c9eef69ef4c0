/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include <string.h>

#include "command.h"

const option kCommonOptions[] = {
    {"json", 0, NULL, false, "print JSON"},
    {"color", 0, "WHEN", false, "auto, always or never"},
    {"help", 'h', NULL, false, "say what the command does"},
    {NULL, 0, NULL, false, NULL},
};

static const option kNoOptions[] = {{NULL, 0, NULL, false, NULL}};

const command kCommands[] = {
    {"info", "", "Say what library this is, to paste into a report", "", kNoOptions, 0, 0,
     run_info},
};
const size_t kNumCommands = sizeof kCommands / sizeof *kCommands;

const command *command_find(const char *name) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) {
    if (strcmp(kCommands[i].name, name) == 0) return &kCommands[i];
  }
  return NULL;
}
