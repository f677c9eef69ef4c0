/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests of the C helpers. */
#ifndef TESTS_C_C_SUPPORT_H_
#define TESTS_C_C_SUPPORT_H_

#include <tvm/ffi/c/function.h>

#include "support/check.h"

/* Skips the test when this build of the runtime does not have that global function. */
static inline void needs_global(const char *name) {
  TVMFFIObjectHandle function = NULL;
  check_ok(tvm_ffi_function_find_global(name, &function));
  if (function == NULL) {
    print_message("this build has no %s\n", name);
    skip();
  }
  tvm_ffi_object_release(function);
}

#endif /* TESTS_C_C_SUPPORT_H_ */
