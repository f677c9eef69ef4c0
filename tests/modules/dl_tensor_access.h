/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From values to tensors and back, by hand: for code that is generated, or written without
 * tvm/ffi/c.h. C99 and C++. Each function returns 0, or -1 with an error raised and *out unwritten;
 * the pointers they are given are not NULL unless said so.
 */
#ifndef TESTS_MODULES_DL_TENSOR_ACCESS_H_
#define TESTS_MODULES_DL_TENSOR_ACCESS_H_

#include <tvm/ffi/c_api.h>

/* The DLTensor of an argument, whether the caller owns a Tensor or has a view. Borrowed: it lives
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

/* The handle of a Tensor. Borrowed: TVMFFIObjectIncRef makes it one of your own. A DLTensor pointer
 * is refused, for nobody can own it. */
static inline int ReadBorrowedTensor(const TVMFFIAny *value, TVMFFIObjectHandle *out) {
  if (value->type_index != kTVMFFITensor) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "Expected a Tensor object");
    return -1;
  }
  *out = value->v_obj;
  return 0;
}

/* A view of a Tensor, to be passed as an argument. tensor may be NULL: refused. */
static inline int TensorToView(TVMFFIObjectHandle tensor, TVMFFIAny *out) {
  if (tensor == NULL) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "tensor is NULL");
    return -1;
  }
  out->type_index = kTVMFFITensor;
  out->zero_padding = 0;
  out->v_uint64 = 0; /* all of it, also where pointers have 4 bytes */
  out->v_obj = (TVMFFIObject *)tensor;
  return 0;
}

/* An owned value of a Tensor, to be returned or kept; it has a reference of its own. */
static inline int TensorToOwned(TVMFFIObjectHandle tensor, TVMFFIAny *out) {
  if (TensorToView(tensor, out) != 0) return -1;
  return TVMFFIObjectIncRef(tensor);
}

/* A view of a tensor that no object owns; there is no owned value of one. */
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
