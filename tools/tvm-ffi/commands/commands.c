/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and the options that all of them have. */
#include "commands/commands.h"

#include <string.h>

const option kCommonOptions[] = {
    {kOptionJson, "json", 0, NULL, false, "print JSON"},
    {kOptionColor, "color", 0, "auto|always|never", false,
     "when to use colours (default auto: on a terminal)"},
    {kOptionHelp, "help", 'h', NULL, false, "show this help"},
    {kOptionNone, NULL, 0, NULL, false, NULL},
};

const command *const kCommands[] = {
    &kListCommand,     &kRunCommand,    &kBenchCommand,  &kProbeCommand,
    &kRecordCommand,   &kShowCommand,   &kReplayCommand, &kCheckCommand,
    &kEmbedCommand,    &kUnpackCommand, &kStubCommand,   &kWrapCommand,
    &kRegistryCommand, &kTypesCommand,  &kInfoCommand,   &kConfigCommand,
};
const size_t kNumCommands = sizeof kCommands / sizeof *kCommands;

const command *command_find(const char *name) {
  size_t i;
  for (i = 0; i < kNumCommands; ++i) {
    if (strcmp(kCommands[i]->name, name) == 0) return kCommands[i];
  }
  return NULL;
}
