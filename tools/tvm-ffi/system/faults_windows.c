/* SPDX-License-Identifier: Apache-2.0 */
#include "system/faults.h"

#include <stdbool.h>

#include "platform/win32.h"

static void (*look_at)(const void *address);

static LONG CALLBACK handle(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  /* Its parameters are the kind of access and the address. */
  if (record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record->NumberParameters >= 2) {
    look_at((const void *)record->ExceptionInformation[1]);
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

void faults_watch(void (*look)(const void *address)) {
  const bool is_first = true; /* before the handlers of others */
  look_at = look;
  (void)AddVectoredExceptionHandler(is_first, handle);
}
