// SPDX-License-Identifier: Apache-2.0
// A kernel that lets a C++ exception out of its library, for the tests of isolated modules.
#include <tvm/ffi/c_api.h>

#include <stdexcept>

extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_throw(void *, const TVMFFIAny *, int32_t, TVMFFIAny *) {
  throw std::runtime_error("nobody catches this");
}
