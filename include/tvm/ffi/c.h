/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c.h
 * Everything for people who write kernels and hosts in C. Each part can be included alone.
 */
#ifndef TVM_FFI_C_H_
#define TVM_FFI_C_H_

#include <tvm/ffi/c/any.h>
#include <tvm/ffi/c/args.h>
#include <tvm/ffi/c/container.h>
#include <tvm/ffi/c/device.h>
#include <tvm/ffi/c/dtype.h>
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/error.h>
#include <tvm/ffi/c/export.h>
#include <tvm/ffi/c/function.h>
#include <tvm/ffi/c/module.h>
#include <tvm/ffi/c/shape.h>
#include <tvm/ffi/c/string.h>
#include <tvm/ffi/c/tensor.h>

#endif /* TVM_FFI_C_H_ */
