/* SPDX-License-Identifier: Apache-2.0 */
/* How tests of the runtime without memory end. */
#ifndef TESTS_OOM_SHUTDOWN_SUPPORT_H_
#define TESTS_OOM_SHUTDOWN_SUPPORT_H_

#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/oom.h"

/* And nothing is left: the teardown of a test. */
static inline int shut_down(void **state) {
  (void)state;
  TVMFFIRuntimeShutdown();
  return oom_live_blocks() == 0 ? 0 : -1;
}

#endif /* TESTS_OOM_SHUTDOWN_SUPPORT_H_ */
