/* SPDX-License-Identifier: Apache-2.0 */
#include "system/temporary_place.h"

#include <stdlib.h>

const char *temporary_place(void) {
  const char *place = getenv("TMPDIR");
  return place != NULL && *place != '\0' ? place : "/tmp";
}
