/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/dtype.h
 * The bodies of tvm/ffi/c/dtype.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_DTYPE_H_
#define TVM_FFI_C_DETAIL_DTYPE_H_

static inline DLDataType tvm_ffi_dtype_make(int code, int bits, int lanes) {
  DLDataType dtype;
  dtype.code = (uint8_t)code;
  dtype.bits = (uint8_t)bits;
  dtype.lanes = (uint16_t)lanes;
  return dtype;
}

static inline bool tvm_ffi_dtype_equal(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

static inline int32_t tvm_ffi_dtype_get_bits(DLDataType dtype) {
  return dtype.lanes > INT16_MAX ? 0 : (int32_t)dtype.bits * (int32_t)dtype.lanes;
}

static inline int32_t tvm_ffi_dtype_get_bytes(DLDataType dtype) {
  return (tvm_ffi_dtype_get_bits(dtype) + 7) / 8;
}

static inline char *tvm_ffi_dtype_print(DLDataType dtype, char *buffer, size_t capacity) {
  const char *end = buffer + capacity;
  TVMFFIObjectHandle raised = NULL;
  TVMFFIAny text;
  TVMFFIErrorMoveFromRaised(&raised);
  text.type_index = kTVMFFINone;
  text.zero_padding = 0;
  text.v_uint64 = 0;
  if (TVMFFIDataTypeToString(&dtype, &text) == 0 && text.type_index == kTVMFFIStr) {
    tvm_ffi_detail_put_text(buffer, end, TVMFFIBytesGetByteArrayPtr(text.v_obj)->data);
    TVMFFIObjectDecRef(text.v_obj);
  } else {
    char *at = tvm_ffi_detail_put_text(buffer, end, "dtype(code=");
    at = tvm_ffi_detail_put_int(at, end, dtype.code);
    at = tvm_ffi_detail_put_text(at, end, ", bits=");
    at = tvm_ffi_detail_put_int(at, end, dtype.bits);
    at = tvm_ffi_detail_put_text(at, end, ", lanes=");
    at = tvm_ffi_detail_put_int(at, end, dtype.lanes);
    tvm_ffi_detail_put_text(at, end, ")");
  }
  TVMFFIErrorSetRaised(raised);
  if (raised != NULL) TVMFFIObjectDecRef(raised);
  return buffer;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_dtype_parse(const char *text,
                                                                 DLDataType *out) {
  TVMFFIByteArray bytes = tvm_ffi_detail_bytes(text);
  return TVMFFIDataTypeFromString(&bytes, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_dtype_compute_size(DLDataType dtype,
                                                                        int64_t num_elements,
                                                                        size_t *out) {
  const uint64_t bits = (uint64_t)tvm_ffi_dtype_get_bits(dtype);
  const uint64_t count = (uint64_t)num_elements;
  uint64_t bytes;
  char name[64];
  if (num_elements < 0) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "%lld elements", (long long)num_elements);
  }
  if (bits == 0) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "dtype `%s` has no fixed size",
                                 tvm_ffi_dtype_print(dtype, name, sizeof name));
  }
  bytes = count > (UINT64_MAX - 7) / bits ? UINT64_MAX : (count * bits + 7) / 8;
  if (bytes == UINT64_MAX || (uint64_t)(size_t)bytes != bytes) {
    return TVM_FFI_C_DETAIL_FAIL(
        TVM_FFI_C_VALUE_ERROR, "%lld elements of dtype `%s` need more bytes than fit in memory",
        (long long)num_elements, tvm_ffi_dtype_print(dtype, name, sizeof name));
  }
  *out = (size_t)bytes;
  return 0;
}

static inline uint32_t tvm_ffi_dtype_get_key(DLDataType dtype) {
  return TVM_FFI_C_DTYPE_KEY(dtype.code, dtype.bits, dtype.lanes);
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_dtype_raise_unsupported(DLDataType dtype) {
  char name[64];
  return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_TYPE_ERROR, "Unsupported dtype `%s`",
                               tvm_ffi_dtype_print(dtype, name, sizeof name));
}

#endif /* TVM_FFI_C_DETAIL_DTYPE_H_ */
