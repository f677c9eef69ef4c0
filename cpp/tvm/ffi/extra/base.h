/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/base.h
 * What the headers of extra/ share.
 */
#ifndef TVM_FFI_EXTRA_BASE_H_
#define TVM_FFI_EXTRA_BASE_H_

#include <tvm/ffi/c_api.h>

/** Empty here: the functions that the reference exports from its library are inline. */
#define TVM_FFI_EXTRA_CXX_API

#endif  // TVM_FFI_EXTRA_BASE_H_
