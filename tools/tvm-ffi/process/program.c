/* SPDX-License-Identifier: Apache-2.0 */
#include "process/program.h"

#include <errno.h>
#include <string.h>

#include "base/report.h"
#include "system/system.h"

bool program_run(const word_list *words, const char *subject) {
  launch_end end;
  if (!launch_run(words->items, &end)) {
    report_error("%s: cannot run %s: %s", subject, words->items[0], strerror(errno));
    return false;
  }
  if (end.ended[0] != '\0') {
    report_error("%s: %s was ended by %s", subject, words->items[0], end.ended);
    return false;
  }
  if (end.code == 0) return true;
  report_error("%s: %s ended with exit code %d", subject, words->items[0], end.code);
  return false;
}
