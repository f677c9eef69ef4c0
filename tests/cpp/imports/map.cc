/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with maps, and with element types that callers may give as text. map.txt lists the
 * imports. */
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;

int64_t Bits(DLDataType dtype) {
  return dtype.bits * dtype.lanes;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bits, Bits)

ffi::Map<int, int> Squares(int n) {
  ffi::Map<int, int> squares;
  for (int i = 0; i < n; ++i) squares.Set(i, i * i);
  return squares;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(squares, Squares)

int Look(const ffi::Map<int, int> &squares, int i) {
  return squares[i];
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(look, Look)
