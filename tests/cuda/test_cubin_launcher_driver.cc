/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the launcher with the driver API, in one program with those of the runtime API. */
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API 1
#include "test_cubin_launcher.cc"
#if !TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#error "the macro is the user's to set"
#endif
