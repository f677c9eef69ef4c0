/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between values and tensors by hand, for code that is generated or written without
 * tvm/ffi/c.h. C99 and C++. Each function returns 0, or -1 with an error raised and *out unwritten.
 * Pointer arguments must not be NULL unless stated.
 */
#ifndef TESTS_MODULES_DL_TENSOR_ACCESS_H_
#define TESTS_MODULES_DL_TENSOR_ACCESS_H_

#include <tvm/ffi/c_api.h>

/* Reads the DLTensor of an argument, from a Tensor object or a DLTensor pointer. Borrowed: it lives
 * as long as *value does. */
static inline int ReadDLTensorPtr(const TVMFFIAny *value, DLTensor **out) {
  if (value->type_index == kTVMFFIDLTensorPtr && value->v_ptr != NULL) {
    *out = (DLTensor *)value->v_ptr;
    return 0;
  }
  if (value->type_index == kTVMFFITensor) {
    *out = (DLTensor *)((char *)value->v_obj + sizeof(TVMFFIObject));
    return 0;
  }
  TVMFFIErrorSetRaisedFromCStr("TypeError", "Expected a tensor");
  return -1;
}

/* Reads the handle of a Tensor. Borrowed: TVMFFIObjectIncRef makes it one of your own. A DLTensor
 * pointer is refused, because it cannot be owned. */
static inline int ReadBorrowedTensor(const TVMFFIAny *value, TVMFFIObjectHandle *out) {
  if (value->type_index != kTVMFFITensor) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "Expected a Tensor object");
    return -1;
  }
  *out = value->v_obj;
  return 0;
}

/* Makes a view of a Tensor, to be passed as an argument. A NULL tensor is refused. */
static inline int TensorToView(TVMFFIObjectHandle tensor, TVMFFIAny *out) {
  if (tensor == NULL) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "tensor is NULL");
    return -1;
  }
  out->type_index = kTVMFFITensor;
  out->zero_padding = 0;
  out->v_uint64 = 0; /* all 8 bytes, also where pointers have 4 */
  out->v_obj = (TVMFFIObject *)tensor;
  return 0;
}

/* Makes an owned value of a Tensor, to be returned or kept; it has a reference of its own. */
static inline int TensorToOwned(TVMFFIObjectHandle tensor, TVMFFIAny *out) {
  if (TensorToView(tensor, out) != 0) return -1;
  return TVMFFIObjectIncRef(tensor);
}

/* Makes a view of a tensor that no object owns; an owned value of it does not exist. */
static inline int DLTensorToView(DLTensor *tensor, TVMFFIAny *out) {
  if (tensor == NULL) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "tensor is NULL");
    return -1;
  }
  out->type_index = kTVMFFIDLTensorPtr;
  out->zero_padding = 0;
  out->v_uint64 = 0;
  out->v_ptr = tensor;
  return 0;
}

#endif /* TESTS_MODULES_DL_TENSOR_ACCESS_H_ */
