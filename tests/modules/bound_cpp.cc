// SPDX-License-Identifier: Apache-2.0
// bound.c in C++: an exception becomes an error in the slot of the runtime that it is bound to. The
// Function is made when the library is loaded, and goes when it is unloaded or the process ends.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

static const tvm::ffi::Function held = tvm::ffi::Function::FromTyped([](int x) { return x + 1; });

static void Raise() {
  TVM_FFI_THROW(ValueError) << "raised by a kernel";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(raise, Raise);
