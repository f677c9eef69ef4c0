/* SPDX-License-Identifier: Apache-2.0 */
/* The end of tests that need the runtime to be shut down. */
#ifndef TESTS_SUPPORT_SHUTDOWN_H_
#define TESTS_SUPPORT_SHUTDOWN_H_

#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/oom.h"

/* Test teardown: shuts down and checks that no block is left. */
static inline int shut_down(void **state) {
  (void)state;
  TVMFFIRuntimeShutdown();
  return oom_live_blocks() == 0 ? 0 : -1;
}

#endif /* TESTS_SUPPORT_SHUTDOWN_H_ */
