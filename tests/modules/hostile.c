/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose embedded module imports itself. */
#include <tvm/ffi/c_api.h>

TVM_FFI_DLL_EXPORT extern const unsigned char __tvm_ffi__library_bin[];
const unsigned char __tvm_ffi__library_bin[] = {
    52, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   0,
    0,  0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,   0,   0,   0,
    0,  0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, '_', 'l', 'i', 'b'};
