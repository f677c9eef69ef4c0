/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/container_detail.h
 * What the headers of containers share.
 */
#ifndef TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
#define TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_

#include <tvm/ffi/container/seq_base.h>

#endif  // TVM_FFI_CONTAINER_CONTAINER_DETAIL_H_
