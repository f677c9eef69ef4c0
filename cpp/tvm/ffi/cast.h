/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/cast.h
 * Conversions between references: GetRef and as_or_throw are in object.h and type_traits.h.
 */
#ifndef TVM_FFI_CAST_H_
#define TVM_FFI_CAST_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/optional.h>

#endif  // TVM_FFI_CAST_H_
