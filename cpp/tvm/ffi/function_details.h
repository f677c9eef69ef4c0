/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/function_details.h
 * The name of function_detail.h up to 0.1.14.
 */
#ifndef TVM_FFI_FUNCTION_DETAILS_H_
#define TVM_FFI_FUNCTION_DETAILS_H_

#include <tvm/ffi/function.h>

#endif  // TVM_FFI_FUNCTION_DETAILS_H_
