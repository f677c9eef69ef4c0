/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of isolated modules do as a host: load a library, call a kernel, look at a clock.
 * POSIX systems need _POSIX_C_SOURCE defined before any header. */
#ifndef TESTS_ISOLATED_HOST_H_
#define TESTS_ISOLATED_HOST_H_

#include <time.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>

#include "support/check.h"
#include "support/environment.h"

/* Then helpers and kernels have it, too: it finds what is written, and takes much memory itself. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef HAS_ADDRESS_SANITIZER
#define HAS_ADDRESS_SANITIZER 0
#endif

static inline tvm_ffi_isolated_options host_options(void) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  options.helper = getenv("TVM_FFI_TEST_HELPER");
  return options;
}

static inline TVMFFIObjectHandle host_load_with(const char *file,
                                                const tvm_ffi_isolated_options *options) {
  TVMFFIObjectHandle module = NULL;
  check_ok(tvm_ffi_isolated_load(module_path(file), options, &module));
  return module;
}

static inline TVMFFIObjectHandle host_load(const char *file) {
  const tvm_ffi_isolated_options options = host_options();
  return host_load_with(file, &options);
}

static inline TVMFFIObjectHandle host_get(TVMFFIObjectHandle module, const char *name) {
  TVMFFIObjectHandle function = NULL;
  check_ok(tvm_ffi_module_get_function(module, name, &function));
  return function;
}

/* Calls a function of the module; the result is owned. */
static inline int host_call(TVMFFIObjectHandle module, const char *name, const TVMFFIAny *args,
                            int32_t num_args, TVMFFIAny *result) {
  const TVMFFIObjectHandle function = host_get(module, name);
  const int code = tvm_ffi_function_call(function, args, num_args, result);
  tvm_ffi_object_release(function);
  return code;
}

/* The number of the helper process; 0: none runs. */
static inline int64_t host_read_process(TVMFFIObjectHandle module) {
  int64_t pid = 0;
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  return pid;
}

/* Seconds. */
static inline double host_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif /* TESTS_ISOLATED_HOST_H_ */
