/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/function_detail.h
 * What function.h is made of; here all of it.
 */
#ifndef TVM_FFI_FUNCTION_DETAIL_H_
#define TVM_FFI_FUNCTION_DETAIL_H_

#include <tvm/ffi/function.h>

#endif  // TVM_FFI_FUNCTION_DETAIL_H_
