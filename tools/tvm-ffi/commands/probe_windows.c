/* SPDX-License-Identifier: Apache-2.0 */
#include "base/report.h"
#include "commands/commands.h"

/* Each call needs a copy of the process that has read the arguments, which Windows does not make.
 */
int command_probe(const arguments *args) {
  (void)args;
  return report_fail(kExitUsage,
                     "probe does not run on Windows, which cannot copy processes; probe "
                     "a library made of the same sources on Linux or macOS");
}
