/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "platform/win32.h"
#include "system/endings.h"

static void (*volatile clean_up)(void);

/* Runs in a thread of its own; the next handler, which is the system's, ends the program. */
static BOOL WINAPI clean_and_go_on(DWORD event) {
  void (*clean)(void) = clean_up;
  (void)event;
  if (clean != NULL) clean();
  return FALSE;
}

void endings_catch(void (*clean)(void)) {
  clean_up = clean;
  (void)SetConsoleCtrlHandler(clean_and_go_on, TRUE);
}

void endings_leave(void) {
  (void)SetConsoleCtrlHandler(clean_and_go_on, FALSE);
  clean_up = NULL;
}

/* Needed where a process may be copied between two of its steps. */
void endings_hold(void) {}

void endings_release(void) {}

/* Writing always fails. */
void endings_ignore_writes(bool with_pipes) {
  (void)with_pipes;
}

void endings_restore_writes(void) {}
