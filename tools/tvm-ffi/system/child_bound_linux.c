/* SPDX-License-Identifier: Apache-2.0 */
#include "system/child_bound.h"

#include <signal.h>
#include <sys/prctl.h>

void child_die_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}
