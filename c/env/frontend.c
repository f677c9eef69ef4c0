/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a frontend that the library may call, registered under their names in Python. */
#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "core/error.h"
#include "env/env.h"
#include "platform/atomic.h"

enum { kCheckSignals, kEnsureLock, kReleaseLock, kNumHooks };

static const char *const kHookNames[kNumHooks] = {"PyErr_CheckSignals", "PyGILState_Ensure",
                                                  "PyGILState_Release"};
static void *hooks[kNumHooks];

/* C has no cast from object to function pointers. */
typedef union {
  void *symbol;
  int (*check_signals)(void);
  void *(*ensure_lock)(void);
  void (*release_lock)(void *state);
} hook;

static hook get_hook(int number) {
  hook result;
  result.symbol = tvmffi_atomic_load_acquire_ptr(&hooks[number]);
  return result;
}

int TVMFFIEnvRegisterCAPI(const char *name, void *symbol) {
  int i;
  TVMFFI_REQUIRE(name);
  for (i = 0; i < kNumHooks; ++i) {
    if (strcmp(name, kHookNames[i]) == 0) {
      tvmffi_atomic_store_release_ptr(&hooks[i], symbol);
      return 0;
    }
  }
  return tvmffi_fail("ValueError", "Unknown env API %s", name);
}

int TVMFFIEnvCheckSignals(void) {
  hook check = get_hook(kCheckSignals), ensure, release;
  void *state;
  int rc;
  if (check.symbol == NULL) return 0;
  ensure = get_hook(kEnsureLock);
  release = get_hook(kReleaseLock);
  if (ensure.symbol == NULL || release.symbol == NULL) {
    return tvmffi_fail("InternalError",
                       "TVMFFIEnvCheckSignals: PyErr_CheckSignals is registered without "
                       "PyGILState_Ensure and PyGILState_Release");
  }
  state = ensure.ensure_lock();
  rc = check.check_signals();
  if (state != NULL) release.release_lock(state); /* NULL: the thread had the lock before */
  return rc == 0 ? 0 : -1;
}

void tvmffi_frontend_shutdown(void) {
  int i;
  for (i = 0; i < kNumHooks; ++i) tvmffi_atomic_store_release_ptr(&hooks[i], (void *)NULL);
}
