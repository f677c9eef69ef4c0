/* SPDX-License-Identifier: 0BSD */
/**
 * @file tvm_ffi_kernel_more.h
 * More of tvm/ffi/c.h for kernels that a program emits, to be pasted below tvm_ffi_kernel.h:
 * formatted errors, texts, addresses, ranges, strides, new tensors, arrays, types as metadata. What
 * has the same name does the same, with the same errors. tvm-ffi wrap --lean copies from both files
 * what a kernel uses; for that, each definition uses only those above it.
 */
#ifndef TVM_FFI_KERNEL_MORE_H_
#define TVM_FFI_KERNEL_MORE_H_
/* clang-format off */
#include "tvm_ffi_kernel.h"
#ifndef TVM_FFI_C_API_H_ /* which has all this */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What kernels call in many places: copies of it would make them larger. */
#define TVM_FFI_C_DETAIL_SHARED static TVM_FFI_C_DETAIL_ATTRIBUTE(__unused__)

#define TVM_FFI_C_RUNTIME_ERROR "RuntimeError"
#define TVM_FFI_C_BOOL tvm_ffi_dtype_make(kDLBool, 8, 1)
#define TVM_FFI_C_INT8 tvm_ffi_dtype_make(kDLInt, 8, 1)
#define TVM_FFI_C_INT16 tvm_ffi_dtype_make(kDLInt, 16, 1)
#define TVM_FFI_C_INT32 tvm_ffi_dtype_make(kDLInt, 32, 1)
#define TVM_FFI_C_INT64 tvm_ffi_dtype_make(kDLInt, 64, 1)
#define TVM_FFI_C_UINT8 tvm_ffi_dtype_make(kDLUInt, 8, 1)
#define TVM_FFI_C_UINT16 tvm_ffi_dtype_make(kDLUInt, 16, 1)
#define TVM_FFI_C_UINT32 tvm_ffi_dtype_make(kDLUInt, 32, 1)
#define TVM_FFI_C_UINT64 tvm_ffi_dtype_make(kDLUInt, 64, 1)
#define TVM_FFI_C_FLOAT32 tvm_ffi_dtype_make(kDLFloat, 32, 1)
#define TVM_FFI_C_FLOAT64 tvm_ffi_dtype_make(kDLFloat, 64, 1)

/* ---- Errors ---- */
/* The text in the room, or in memory of malloc() if it is longer; cut there without memory. */
TVM_FFI_C_DETAIL_COLD char *tvm_ffi_detail_format(char *room, size_t size, const char *format,
                                                  va_list values) {
  va_list again;
  char *text = room;
  int length;
  va_copy(again, values);
  length = vsnprintf(room, size, format, values);
  if (length >= 0 && (size_t)length >= size) text = (char *)malloc((size_t)length + 1);
  if (text == NULL) {
    text = room;
    while (size > 1 && (room[size - 2] & 0x80) != 0) room[--size - 1] = '\0';
  } else if (text != room) {
    vsnprintf(text, (size_t)length + 1, format, again);
  }
  va_end(again);
  return text;
}
TVM_FFI_C_DETAIL_COLD int tvm_ffi_error_raise(const char *kind, const char *format, ...) {
  char room[256], *message;
  va_list values;
  va_start(values, format);
  message = tvm_ffi_detail_format(room, sizeof room, format, values);
  va_end(values);
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  if (message != room) free(message);
  return -1;
}
TVM_FFI_C_DETAIL_COLD int tvm_ffi_error_raise_memory(void) {
  return TVM_FFI_C_RAISE("MemoryError", "out of memory");
}
TVM_FFI_C_DETAIL_COLD int tvm_ffi_args_raise(const tvm_ffi_args *args, int32_t i, const char *kind,
                                             const char *format, ...) {
  char room[256], digits[24], *message;
  const char *parts[] = {"Argument #", tvm_ffi_detail_digits(digits, i), " of `", args->signature,
                         "` ", NULL};
  va_list values;
  va_start(values, format);
  parts[5] = message = tvm_ffi_detail_format(room, sizeof room, format, values);
  va_end(values);
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 6);
  if (message != room) free(message);
  return -1;
}
void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result);
void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);
static inline int tvm_ffi_error_ensure(int code) {
  TVMFFIObjectHandle error = NULL;
  if (code == 0) return 0;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) {
    tvm_ffi_error_raise("InternalError", "callee returned %d without setting an error", code);
  } else {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  }
  return code == -2 ? -1 : code;
}

/* ---- Arguments ---- */
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_pointer, void *, "void*",
                               any->type_index == kTVMFFIOpaquePtr
                                   ? (*out = any->v_ptr, 1)
                                   : any->type_index == kTVMFFINone && (*out = NULL, 1))
static inline _Bool tvm_ffi_any_try_string(const TVMFFIAny *any, TVMFFIByteArray *out) {
  if (any->type_index == kTVMFFISmallStr) {
    out->data = any->v_bytes;
    out->size = any->small_str_len;
    return 1;
  }
  if (any->v_ptr == NULL) return 0;
  if (any->type_index == kTVMFFIStr) {
    *out = *(const TVMFFIByteArray *)(const void *)(any->v_obj + 1);
    return 1;
  }
  out->data = any->v_c_str;
  out->size = any->type_index == kTVMFFIRawStr ? strlen(any->v_c_str) : 0;
  return any->type_index == kTVMFFIRawStr;
}
TVM_FFI_C_DETAIL_DEFINE_READER(tvm_ffi_args_read_string, TVMFFIByteArray, "str",
                               tvm_ffi_any_try_string(any, out))
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_raise_range(const tvm_ffi_args *args, int32_t i,
                                                     int64_t low, int64_t high, int64_t got) {
  char expected[64], digits[24];
  tvm_ffi_detail_append_int(tvm_ffi_detail_append_int(expected, "", low), " to ", high);
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_VALUE_ERROR, "value", "", expected,
                                 tvm_ffi_detail_digits(digits, got));
}
TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_int64_between(const tvm_ffi_args *args, int32_t i,
                                                            int64_t low, int64_t high,
                                                            int64_t *out) {
  int64_t value = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, &value));
  if (value < low || value > high) {
    return tvm_ffi_detail_raise_range(args, i, low, high, value), -1;
  }
  *out = value;
  return 0;
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_ndim(const tvm_ffi_args *args, int32_t i,
                                                    int32_t ndim) {
  DLTensor *tensor = NULL;
  char expected[24], got[24];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->ndim == ndim) return 0;
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_VALUE_ERROR, "ndim", "",
                                 tvm_ffi_detail_digits(expected, ndim),
                                 tvm_ffi_detail_digits(got, tensor->ndim));
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_size(const tvm_ffi_args *args, int32_t i,
                                                    int32_t dim, int64_t size) {
  DLTensor *tensor = NULL;
  char expected[64], got[128], *at;
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  k = dim < 0 ? dim + tensor->ndim : dim;
  if (k >= 0 && k < tensor->ndim && tensor->shape[k] == size) return 0;
  at = tvm_ffi_detail_append_int(expected, "size ", size);
  tvm_ffi_detail_append_int(at, " in dimension ", dim);
  tvm_ffi_detail_describe(got, tensor, kTVMFFIDetailShape, 0);
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_VALUE_ERROR, "shape", "", expected, got);
}

/* ---- Tensors ---- */
static inline _Bool tvm_ffi_device_is_addressable(DLDevice device) {
  const uint32_t types = 1u << kDLCPU | 1u << kDLCUDA | 1u << kDLCUDAHost | 1u << kDLCUDAManaged |
                         1u << kDLROCM | 1u << kDLROCMHost | 1u << kDLOneAPI;
  return device.device_type >= 0 && device.device_type < 32 && (types >> device.device_type & 1);
}
static inline _Bool tvm_ffi_device_can_read(int32_t device_type, DLDevice memory) {
  const int32_t type = memory.device_type;
  if (type == device_type) return 1;
  if (device_type == kDLCUDA) return type == kDLCUDAManaged;
  return device_type == kDLCPU &&
         (type == kDLCUDAHost || type == kDLCUDAManaged || type == kDLROCMHost);
}
static inline uint64_t tvm_ffi_detail_address(const DLTensor *tensor) {
  return tensor->byte_offset +
         (tvm_ffi_device_is_addressable(tensor->device) ? (uintptr_t)tensor->data : 0);
}
static inline _Bool tvm_ffi_tensor_is_aligned(const DLTensor *tensor, size_t alignment) {
  return (tvm_ffi_detail_address(tensor) & (alignment - 1)) == 0 ||
         tvm_ffi_tensor_get_numel(tensor) == 0;
}
static inline _Bool tvm_ffi_tensor_is_valid(const DLTensor *tensor) {
  int64_t count;
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == NULL)) return 0;
  count = tvm_ffi_tensor_get_numel(tensor);
  if (count > 0 && tensor->data == NULL) return !tvm_ffi_device_is_addressable(tensor->device);
  return count >= 0;
}
static inline int64_t tvm_ffi_shape_get_numel(const int64_t *shape, int32_t ndim) {
  const DLTensor tensor = {.ndim = ndim, .shape = (int64_t *)(uintptr_t)shape};
  return tvm_ffi_tensor_get_numel(&tensor);
}
TVM_FFI_C_DETAIL_COLD char *tvm_ffi_shape_print(const int64_t *shape, int32_t ndim, char *buffer,
                                                size_t capacity) {
  tvm_ffi_detail_list(buffer, (int32_t)capacity, shape, ndim, 0);
  return buffer;
}
/* There must be a dimension i. */
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_tensor_read_stride(const DLTensor *tensor, int32_t i,
                                                       int64_t *out) {
  _Bool counts = tensor->strides != NULL && tensor->shape[i] != 1;
  uint64_t stride = 1;
  int32_t k;
  for (k = 0; k < tensor->ndim; ++k) {
    if (tensor->shape[k] == 0) counts = 0;
    else if (k > i) stride *= (uint64_t)tensor->shape[k];
  }
  *out = counts ? tensor->strides[i] : (int64_t)stride;
  return 0;
}
static inline DLTensor *TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle tensor) {
  return (DLTensor *)(void *)((TVMFFIObject *)tensor + 1);
}
#define DLPACK_FLAG_BITMASK_READ_ONLY 1u
typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle tensor, DLManagedTensorVersioned **out);
TVM_FFI_C_DETAIL_CHECK int tvm_ffi_tensor_read_flags(TVMFFIObjectHandle tensor, uint64_t *out) {
  DLManagedTensorVersioned *shared = NULL;
  /* The reference's function takes any object for a Tensor. */
  if (tensor == NULL || ((TVMFFIObject *)tensor)->type_index != kTVMFFITensor) {
    return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "Cannot read the flags: it is not a Tensor");
  }
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(tensor, &shared));
  *out = shared->flags;
  shared->deleter(shared);
  return 0;
}
static inline DLDevice tvm_ffi_device_make(int32_t device_type, int32_t device_id) {
  return (DLDevice){device_type, device_id};
}
TVM_FFI_C_DETAIL_CHECK int tvm_ffi_tensor_create(DLDevice device, DLDataType dtype, int32_t ndim,
                                                 const int64_t *shape, TVMFFIObjectHandle *out) {
  DLTensor model = {.device = device, .ndim = ndim, .dtype = dtype,
                    .shape = (int64_t *)(uintptr_t)shape};
  const uint64_t bits = (uint64_t)dtype.bits * dtype.lanes;
  const int64_t count = tvm_ffi_tensor_get_numel(&model);
  char text[128];
  int code;
  if (count < 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                               "Shape %s has a negative extent or too many elements",
                               tvm_ffi_shape_print(shape, ndim, text, sizeof text));
  }
  if (bits == 0 || dtype.lanes > INT16_MAX) {
    tvm_ffi_detail_describe(text, &model, kTVMFFIDetailDType, 0);
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "dtype `%s` has no fixed size", text);
  }
  if ((uint64_t)count > (UINT64_MAX - 7) / bits || ((uint64_t)count * bits + 7) / 8 > SIZE_MAX) {
    tvm_ffi_detail_describe(text, &model, kTVMFFIDetailDType, 0);
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                               "%lld elements of dtype `%s` need more bytes than fit in memory",
                               (long long)count, text);
  }
  TVMFFIErrorSetRaised(NULL);
  code = TVMFFIEnvTensorAlloc(&model, out);
  return code == 0 ? 0 : tvm_ffi_error_ensure(code);
}

/* ---- More checks of tensor arguments ---- */
TVM_FFI_C_DETAIL_COLD int tvm_ffi_detail_raise_invalid(const tvm_ffi_args *args, int32_t i,
                                                       const DLTensor *tensor) {
  const char *property = "shape", *expected = "extents of 0 or more whose product fits int64";
  char got[160], *at = got;
  if (tensor->ndim < 0) {
    property = "ndim", expected = "0 or more";
    tvm_ffi_detail_append_int(at, "", tensor->ndim);
  } else if (tensor->shape == NULL) {
    expected = "the address of extents";
    tvm_ffi_detail_append_int(at, "NULL and ndim ", tensor->ndim);
  } else {
    if (tvm_ffi_tensor_get_numel(tensor) >= 0) {
      property = "data", expected = "the address of elements";
      at = tvm_ffi_detail_append(at, "NULL and shape ");
    }
    tvm_ffi_detail_list(at, 128, tensor->shape, tensor->ndim, 0);
  }
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_VALUE_ERROR, property, "", expected, got);
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_valid(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  return tvm_ffi_tensor_is_valid(tensor) ? 0 : tvm_ffi_detail_raise_invalid(args, i, tensor);
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_readable_by(const tvm_ffi_args *args, int32_t i,
                                                           int32_t device_type) {
  DLTensor *tensor = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_device_can_read(device_type, tensor->device)) return 0;
  return tvm_ffi_args_check_device(args, i, device_type);
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_aligned(const tvm_ffi_args *args, int32_t i,
                                                       size_t alignment) {
  DLTensor *tensor = NULL;
  char expected[80], got[64];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_aligned(tensor, alignment)) return 0;
  tvm_ffi_detail_append(tvm_ffi_detail_append_int(expected, "a first element at a multiple of ",
                                                  (int64_t)alignment), " bytes");
  tvm_ffi_detail_append(tvm_ffi_detail_append_int(got, "one ", (int64_t)(
      tvm_ffi_detail_address(tensor) & (alignment - 1))), " bytes behind it");
  return tvm_ffi_detail_mismatch(args, i, -1, TVM_FFI_C_VALUE_ERROR, "alignment", "", expected,
                                 got);
}
TVM_FFI_C_DETAIL_SHARED int tvm_ffi_args_check_writable(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = NULL;
  uint64_t flags = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (args->args[i].type_index != kTVMFFITensor) return 0;
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_flags(args->args[i].v_obj, &flags));
  if ((flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be writable, but is read-only");
}

/* ---- Values ---- */
static inline TVMFFIAny tvm_ffi_any_none(void) {
  return (TVMFFIAny){kTVMFFINone, {0}, {0}};
}
static inline TVMFFIAny tvm_ffi_any_from_bool(_Bool value) {
  return (TVMFFIAny){kTVMFFIBool, {0}, {value}};
}
static inline TVMFFIAny tvm_ffi_any_from_pointer(void *value) {
  return (TVMFFIAny){kTVMFFIOpaquePtr, {0}, {.v_ptr = value}};
}
static inline TVMFFIAny tvm_ffi_any_view_string(const char *text) {
  return (TVMFFIAny){kTVMFFIRawStr, {0}, {.v_c_str = text}};
}
static inline TVMFFIAny tvm_ffi_any_view_object(TVMFFIObjectHandle object) {
  const int32_t type_index = object != NULL ? ((TVMFFIObject *)object)->type_index : kTVMFFINone;
  return (TVMFFIAny){type_index, {0}, {.v_ptr = object}};
}
static inline TVMFFIAny tvm_ffi_any_take_object(TVMFFIObjectHandle object) {
  return tvm_ffi_any_view_object(object);
}
static inline void tvm_ffi_object_release(TVMFFIObjectHandle object) {
  if (object != NULL) TVMFFIObjectDecRef(object);
}
enum { kTVMFFIBigInt = 78 };
int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);
TVM_FFI_C_DETAIL_CHECK int tvm_ffi_any_from_uint64(uint64_t value, TVMFFIAny *out) {
  if (value > (uint64_t)INT64_MAX) {
    return tvm_ffi_error_raise(
        "OverflowError",
        "Integer value %llu is too large to fit in int64_t. Consider explicitly casting to int64_t "
        "first if this is intentional.",
        (unsigned long long)value);
  }
  *out = tvm_ffi_any_from_int64((int64_t)value);
  return 0;
}
int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);
TVM_FFI_C_DETAIL_CHECK int tvm_ffi_array_create(const TVMFFIAny *items, int32_t num_items,
                                                TVMFFIObjectHandle *out) {
  const TVMFFIByteArray name = {"ffi.Array", 9};
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result = {kTVMFFINone, {0}, {0}};
  int code;
  TVM_FFI_C_TRY(TVMFFIFunctionGetGlobal(&name, &function));
  TVM_FFI_C_CHECK(function != NULL, TVM_FFI_C_VALUE_ERROR, "Function ffi.Array not found");
  code = TVMFFIFunctionCall(function, (TVMFFIAny *)(uintptr_t)items, num_items, &result);
  TVMFFIObjectDecRef(function);
  if (code == 0) *out = result.v_ptr;
  return code;
}

/* ---- Types as metadata ---- */
#define TVM_FFI_C_EXPORT_SCHEMA(name, result, params)                              \
  TVM_FFI_C_DETAIL_TEXT(                                                           \
      __tvm_ffi__metadata_##name, __tvm_ffi__schema_##name,                        \
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{" \
      "\\\"return\\\":[" result "],\\\"params\\\":[" params "]}}\"}")
#define TVM_FFI_C_TYPE(name) "{\\\"type\\\":\\\"" name "\\\"}"
#define TVM_FFI_C_TYPE_OF(name, args) "{\\\"type\\\":\\\"" name "\\\",\\\"args\\\":[" args "]}"
#define TVM_FFI_C_PARAM(param, name) \
  "{\\\"type\\\":\\\"" name "\\\",\\\"name\\\":\\\"" param "\\\"}"
#endif /* TVM_FFI_C_API_H_ */
#endif /* TVM_FFI_KERNEL_MORE_H_ */
