// SPDX-License-Identifier: Apache-2.0
// bound.c in C++: an exception becomes an error in the slot of the runtime that it is bound to.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

static void Raise() { TVM_FFI_THROW(ValueError) << "raised by a kernel"; }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(raise, Raise);
