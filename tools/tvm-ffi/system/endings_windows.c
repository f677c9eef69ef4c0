/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stddef.h>

#include "platform/win32.h"
#include "system/endings.h"

static void (*clean_up)(void);
static CRITICAL_SECTION lock; /* for clean_up, and for what it cleans up */
static bool has_lock;

/* Runs in a thread of its own; the next handler, which is the system's, ends the program. It keeps
 * the lock, so that the program does not go on with what is cleaned up. */
static BOOL WINAPI clean_and_go_on(DWORD event) {
  (void)event;
  EnterCriticalSection(&lock);
  if (clean_up != NULL) clean_up();
  return FALSE;
}

void endings_hold(void) {
  if (has_lock) EnterCriticalSection(&lock);
}

void endings_release(void) {
  if (has_lock) LeaveCriticalSection(&lock);
}

void endings_catch(void (*clean)(void)) {
  if (!has_lock) InitializeCriticalSection(&lock);
  has_lock = true;
  endings_hold();
  clean_up = clean;
  endings_release();
  (void)SetConsoleCtrlHandler(clean_and_go_on, TRUE);
}

void endings_leave(void) {
  endings_hold();
  clean_up = NULL;
  endings_release();
  /* Without the lock: it waits until no handler runs. */
  (void)SetConsoleCtrlHandler(clean_and_go_on, FALSE);
}

/* Writing always fails. */
void endings_ignore_writes(bool with_pipes) {
  (void)with_pipes;
}

void endings_restore_writes(void) {}
