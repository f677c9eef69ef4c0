/* SPDX-License-Identifier: Apache-2.0 */
/* All parts of the core profile. */
#include <tvm/ffi/extra/c_runtime_parts.h>

TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules, &TVMFFIRuntimePartLoading);
