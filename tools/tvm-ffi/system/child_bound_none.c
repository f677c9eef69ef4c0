/* SPDX-License-Identifier: Apache-2.0 */
#include "system/child_bound.h"

void child_die_with_parent(void) {}
