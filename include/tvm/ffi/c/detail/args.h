/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/args.h
 * The bodies of tvm/ffi/c/args.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_ARGS_H_
#define TVM_FFI_C_DETAIL_ARGS_H_

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_args_raise(const tvm_ffi_args *args, int32_t i,
                                                           const char *kind, const char *format,
                                                           ...) {
  const char *parts[6];
  char number[16], buffer[256];
  char *text;
  va_list values;
  va_start(values, format);
  text = tvm_ffi_detail_format(buffer, sizeof buffer, format, values);
  va_end(values);
  tvm_ffi_detail_put_int(number, number + sizeof number, i);
  parts[0] = "Argument #";
  parts[1] = number;
  parts[2] = " of `";
  parts[3] = args->signature;
  parts[4] = "` ";
  parts[5] = text;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 6);
  if (text != buffer) free(text);
  return -1;
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_count(const tvm_ffi_args *args,
                                                                  const char *at_least,
                                                                  int32_t expected) {
  const char *parts[8];
  char want[16], got[16];
  tvm_ffi_detail_put_int(want, want + sizeof want, expected);
  tvm_ffi_detail_put_int(got, got + sizeof got, args->num_args);
  parts[0] = "Mismatched number of arguments when calling: `";
  parts[1] = args->signature;
  parts[2] = "`. Expected ";
  parts[3] = at_least;
  parts[4] = want;
  parts[5] = " but got ";
  parts[6] = got;
  parts[7] = " arguments";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 8);
}

/* Whether argument i was passed. */
#define TVM_FFI_C_DETAIL_HAS(args, i) ((i) >= 0 && (i) < (args)->num_args)

/**
 * Raises `Mismatched <property> on argument #<i> ...`.
 * @param model The argument that has the expected property, or NULL.
 * @param quote What both texts are put between.
 */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_mismatched(
    const tvm_ffi_args *args, int32_t i, const int32_t *model, const char *kind,
    const char *property, const char *quote, const char *expected, const char *got) {
  const char *parts[16];
  char number[16], model_number[16];
  tvm_ffi_detail_put_int(number, number + sizeof number, i);
  if (model != NULL) {
    tvm_ffi_detail_put_int(model_number, model_number + sizeof model_number, *model);
  }
  parts[0] = "Mismatched ";
  parts[1] = property;
  parts[2] = " on argument #";
  parts[3] = number;
  parts[4] = " when calling: `";
  parts[5] = args->signature;
  parts[6] = "`. Expected ";
  parts[7] = quote;
  parts[8] = expected;
  parts[9] = quote;
  parts[10] = model != NULL ? " of argument #" : "";
  parts[11] = model != NULL ? model_number : "";
  parts[12] = " but got ";
  parts[13] = quote;
  parts[14] = got;
  parts[15] = quote;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 16);
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_type(const tvm_ffi_args *args,
                                                                 int32_t i, const char *expected) {
  if (!TVM_FFI_C_DETAIL_HAS(args, i)) {
    tvm_ffi_detail_set_count(args, "at least ", i + 1);
    return;
  }
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_TYPE_ERROR, "type", "`", expected,
                                tvm_ffi_any_get_type_name(args->args + i));
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count) {
  if (args->num_args == count) return 0;
  tvm_ffi_detail_set_count(args, "", count);
  return -1;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_args_is_none(const tvm_ffi_args *args, int32_t i) {
  return TVM_FFI_C_DETAIL_HAS(args, i) && tvm_ffi_any_is_none(args->args + i);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_any(const tvm_ffi_args *args, int32_t i,
                                                  const TVMFFIAny **out) {
  if (!TVM_FFI_C_DETAIL_HAS(args, i)) return tvm_ffi_detail_set_type(args, i, "Any"), -1;
  *out = args->args + i;
  return 0;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_try_tensor_object(const TVMFFIAny *any,
                                                              TVMFFIObjectHandle *out) {
  return tvm_ffi_any_try_object(any, kTVMFFITensor, out);
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_try_function(const TVMFFIAny *any,
                                                         TVMFFIObjectHandle *out) {
  return tvm_ffi_any_try_object(any, kTVMFFIFunction, out);
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_try_array(const TVMFFIAny *any,
                                                      TVMFFIObjectHandle *out) {
  return tvm_ffi_any_try_object(any, kTVMFFIArray, out) ||
         tvm_ffi_any_try_object(any, kTVMFFIList, out);
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_try_map(const TVMFFIAny *any, TVMFFIObjectHandle *out) {
  return tvm_ffi_any_try_object(any, kTVMFFIMap, out) ||
         tvm_ffi_any_try_object(any, kTVMFFIDict, out);
}

/*
 * Defines tvm_ffi_args_read_<name> and tvm_ffi_args_read_opt_<name>, whose output is a `type`.
 * `try_read(any, out)` is whether the value converts to the type, and then writes *out. Errors call
 * the type `text` and `Optional<text>`.
 */
#define TVM_FFI_C_DETAIL_DEFINE_READERS(name, type, text, try_read)                             \
  TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_##name(const tvm_ffi_args *args, int32_t i,     \
                                                       type *out) {                             \
    if (TVM_FFI_C_DETAIL_HAS(args, i) && try_read(args->args + i, out)) return 0;               \
    return tvm_ffi_detail_set_type(args, i, text), -1;                                          \
  }                                                                                             \
  TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_opt_##name(const tvm_ffi_args *args, int32_t i, \
                                                           type *out) {                         \
    if (tvm_ffi_args_is_none(args, i)) return 0;                                                \
    if (TVM_FFI_C_DETAIL_HAS(args, i) && try_read(args->args + i, out)) return 0;               \
    return tvm_ffi_detail_set_type(args, i, "Optional<" text ">"), -1;                          \
  }

TVM_FFI_C_DETAIL_DEFINE_READERS(tensor, DLTensor *, "DLTensor*", tvm_ffi_any_try_tensor)
TVM_FFI_C_DETAIL_DEFINE_READERS(tensor_object, TVMFFIObjectHandle, "ffi.Tensor",
                                tvm_ffi_detail_try_tensor_object)
TVM_FFI_C_DETAIL_DEFINE_READERS(int64, int64_t, "int", tvm_ffi_any_try_int64)
TVM_FFI_C_DETAIL_DEFINE_READERS(double, double, "float", tvm_ffi_any_try_double)
TVM_FFI_C_DETAIL_DEFINE_READERS(bool, bool, "bool", tvm_ffi_any_try_bool)
TVM_FFI_C_DETAIL_DEFINE_READERS(string, TVMFFIByteArray, "str", tvm_ffi_any_try_string)
TVM_FFI_C_DETAIL_DEFINE_READERS(bytes, TVMFFIByteArray, "bytes", tvm_ffi_any_try_bytes)
TVM_FFI_C_DETAIL_DEFINE_READERS(device, DLDevice, "Device", tvm_ffi_any_try_device)
TVM_FFI_C_DETAIL_DEFINE_READERS(function, TVMFFIObjectHandle, "ffi.Function",
                                tvm_ffi_detail_try_function)
TVM_FFI_C_DETAIL_DEFINE_READERS(array, TVMFFIObjectHandle, "Array<Any>", tvm_ffi_detail_try_array)
TVM_FFI_C_DETAIL_DEFINE_READERS(map, TVMFFIObjectHandle, "Map<Any, Any>", tvm_ffi_detail_try_map)

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_int64_between(const tvm_ffi_args *args, int32_t i,
                                                            int64_t low, int64_t high,
                                                            int64_t *out) {
  int64_t value;
  char expected[64], got[32];
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, i, &value));
  if (value < low || value > high) {
    char *at = tvm_ffi_detail_put_int(expected, expected + sizeof expected, low);
    at = tvm_ffi_detail_put_text(at, expected + sizeof expected, " to ");
    tvm_ffi_detail_put_int(at, expected + sizeof expected, high);
    tvm_ffi_detail_put_int(got, got + sizeof got, value);
    tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "value", "", expected, got);
    return -1;
  }
  *out = value;
  return 0;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_int32(const tvm_ffi_args *args, int32_t i,
                                                    int32_t *out) {
  int64_t value;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, i, INT32_MIN, INT32_MAX, &value));
  *out = (int32_t)value;
  return 0;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_opt_int32(const tvm_ffi_args *args, int32_t i,
                                                        int32_t *out) {
  int64_t value = *out;
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_int64(args, i, &value));
  return tvm_ffi_args_is_none(args, i) ? 0 : tvm_ffi_args_read_int32(args, i, out);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_pointer(const tvm_ffi_args *args, int32_t i,
                                                      void **out) {
  if (TVM_FFI_C_DETAIL_HAS(args, i) && tvm_ffi_any_try_pointer(args->args + i, out)) return 0;
  return tvm_ffi_detail_set_type(args, i, "void*"), -1;
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_args_dtype(const tvm_ffi_args *args, int32_t i,
                                                      const char *expected, DLDataType *out) {
  bool matched = false;
  int code = -1;
  if (TVM_FFI_C_DETAIL_HAS(args, i)) {
    code = tvm_ffi_detail_read_dtype(args->args + i, out, &matched);
  }
  if (matched) return code;
  return tvm_ffi_detail_set_type(args, i, expected), -1;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_dtype(const tvm_ffi_args *args, int32_t i,
                                                    DLDataType *out) {
  return tvm_ffi_detail_args_dtype(args, i, "DataType", out);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_opt_dtype(const tvm_ffi_args *args, int32_t i,
                                                        DLDataType *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  return tvm_ffi_detail_args_dtype(args, i, "Optional<DataType>", out);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_object(const tvm_ffi_args *args, int32_t i,
                                                     int32_t type_index, TVMFFIObjectHandle *out) {
  if (TVM_FFI_C_DETAIL_HAS(args, i) && tvm_ffi_any_try_object(args->args + i, type_index, out)) {
    return 0;
  }
  return tvm_ffi_detail_set_type(args, i, tvm_ffi_type_get_name(type_index)), -1;
}

static inline int tvm_ffi_detail_args_shape(const tvm_ffi_args *args, int32_t i,
                                            const char *expected, int64_t *buffer, int32_t capacity,
                                            TVMFFIShapeCell *out) {
  char limit[48], got[32];
  char *at;
  int found = 0;
  if (TVM_FFI_C_DETAIL_HAS(args, i)) {
    found = tvm_ffi_detail_read_shape(args->args + i, buffer, capacity, out);
  }
  if (found > 0) return 0;
  if (found == 0) return tvm_ffi_detail_set_type(args, i, expected), -1;
  at = tvm_ffi_detail_put_text(limit, limit + sizeof limit, "at most ");
  at = tvm_ffi_detail_put_int(at, limit + sizeof limit, capacity);
  tvm_ffi_detail_put_text(at, limit + sizeof limit, " extents");
  tvm_ffi_detail_put_int(got, got + sizeof got, TVMFFISeqGetCellPtr(args->args[i].v_obj)->size);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "shape", "", limit, got);
  return -1;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_shape(const tvm_ffi_args *args, int32_t i,
                                                    int64_t *buffer, int32_t capacity,
                                                    TVMFFIShapeCell *out) {
  return tvm_ffi_detail_args_shape(args, i, "ffi.Shape", buffer, capacity, out);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_opt_shape(const tvm_ffi_args *args, int32_t i,
                                                        int64_t *buffer, int32_t capacity,
                                                        TVMFFIShapeCell *out) {
  if (tvm_ffi_args_is_none(args, i)) return 0;
  return tvm_ffi_detail_args_shape(args, i, "Optional<ffi.Shape>", buffer, capacity, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_ndim(const tvm_ffi_args *args,
                                                                     int32_t i, int32_t ndim) {
  DLTensor *tensor = NULL;
  char expected[16], got[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tensor->ndim == ndim) return 0;
  tvm_ffi_detail_put_int(expected, expected + sizeof expected, ndim);
  tvm_ffi_detail_put_int(got, got + sizeof got, tensor->ndim);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "ndim", "", expected, got);
  return -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_shape(const tvm_ffi_args *args,
                                                                      int32_t i, int32_t ndim,
                                                                      const int64_t *shape) {
  DLTensor *tensor = NULL;
  char expected[128], got[128];
  bool matches;
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  matches = tensor->ndim == ndim;
  for (k = 0; matches && k < ndim; ++k) matches = shape[k] < 0 || shape[k] == tensor->shape[k];
  if (matches) return 0;
  tvm_ffi_detail_put_shape(expected, expected + sizeof expected, shape, ndim, true);
  tvm_ffi_detail_put_shape(got, got + sizeof got, tensor->shape, tensor->ndim, false);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "shape", "", expected, got);
  return -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_size(const tvm_ffi_args *args,
                                                                     int32_t i, int32_t dim,
                                                                     int64_t size) {
  DLTensor *tensor = NULL;
  char expected[64], got[128];
  char *at;
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  k = dim < 0 ? dim + tensor->ndim : dim;
  if (k >= 0 && k < tensor->ndim && tensor->shape[k] == size) return 0;
  at = tvm_ffi_detail_put_text(expected, expected + sizeof expected, "size ");
  at = tvm_ffi_detail_put_int(at, expected + sizeof expected, size);
  at = tvm_ffi_detail_put_text(at, expected + sizeof expected, " in dimension ");
  tvm_ffi_detail_put_int(at, expected + sizeof expected, dim);
  tvm_ffi_detail_put_shape(got, got + sizeof got, tensor->shape, tensor->ndim, false);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "shape", "", expected, got);
  return -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_dtype(const tvm_ffi_args *args,
                                                                      int32_t i, DLDataType dtype) {
  DLTensor *tensor = NULL;
  char expected[64], got[64];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_dtype_equal(tensor->dtype, dtype)) return 0;
  tvm_ffi_dtype_print(dtype, expected, sizeof expected);
  tvm_ffi_dtype_print(tensor->dtype, got, sizeof got);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_TYPE_ERROR, "dtype", "`", expected, got);
  return -1;
}

/** Raises the error of a tensor that is not valid. */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_invalid(const tvm_ffi_args *args,
                                                                    int32_t i,
                                                                    const DLTensor *tensor) {
  const char *property = "shape", *expected = "extents of 0 or more whose product fits int64";
  char got[160];
  char *end = got + sizeof got;
  char *at = got;
  if (tensor->ndim < 0) {
    property = "ndim";
    expected = "0 or more";
    tvm_ffi_detail_put_int(at, end, tensor->ndim);
  } else if (tensor->shape == NULL) {
    expected = "the address of extents";
    at = tvm_ffi_detail_put_text(at, end, "NULL and ndim ");
    tvm_ffi_detail_put_int(at, end, tensor->ndim);
  } else {
    if (tvm_ffi_tensor_get_numel(tensor) >= 0) {
      property = "data";
      expected = "the address of elements";
      at = tvm_ffi_detail_put_text(at, end, "NULL and shape ");
    }
    tvm_ffi_detail_put_shape(at, at + 128, tensor->shape, tensor->ndim, false);
  }
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, property, "", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_valid(const tvm_ffi_args *args,
                                                                      int32_t i) {
  DLTensor *tensor = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_valid(tensor)) return 0;
  return tvm_ffi_detail_set_invalid(args, i, tensor), -1;
}

/** Raises that argument i should be on a device of that type. */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_device(const tvm_ffi_args *args,
                                                                   int32_t i, int32_t device_type,
                                                                   DLDevice device) {
  char expected[40], got[40];
  tvm_ffi_detail_put_device_type(expected, expected + sizeof expected, device_type);
  tvm_ffi_device_print(device, got, sizeof got);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "device", "`", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_readable_by(
    const tvm_ffi_args *args, int32_t i, int32_t device_type) {
  DLTensor *tensor = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_device_can_read(device_type, tensor->device)) return 0;
  return tvm_ffi_detail_set_device(args, i, device_type, tensor->device), -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_device(const tvm_ffi_args *args,
                                                                       int32_t i,
                                                                       int32_t device_type) {
  DLTensor *tensor = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if ((int32_t)tensor->device.device_type == device_type) return 0;
  return tvm_ffi_detail_set_device(args, i, device_type, tensor->device), -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_aligned(const tvm_ffi_args *args,
                                                                        int32_t i,
                                                                        size_t alignment) {
  DLTensor *tensor = NULL;
  char expected[80], got[48];
  char *at;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_aligned(tensor, alignment)) return 0;
  at = tvm_ffi_detail_put_text(expected, expected + sizeof expected,
                               "a first element at a multiple of ");
  at = tvm_ffi_detail_put_int(at, expected + sizeof expected, (int64_t)alignment);
  tvm_ffi_detail_put_text(at, expected + sizeof expected, " bytes");
  at = tvm_ffi_detail_put_text(got, got + sizeof got, "one ");
  at = tvm_ffi_detail_put_int(at, got + sizeof got,
                              (int64_t)(tvm_ffi_detail_address(tensor) & (alignment - 1)));
  tvm_ffi_detail_put_text(at, got + sizeof got, " bytes behind it");
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "alignment", "", expected,
                                got);
  return -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_within(const tvm_ffi_args *args,
                                                                       int32_t i, uint64_t bytes) {
  DLTensor *tensor = NULL;
  tvm_ffi_detail_mismatch texts;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_detail_is_within(tensor, bytes, &texts)) return 0;
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "buffer", "", texts.expected,
                                texts.got);
  return -1;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_writable(const tvm_ffi_args *args,
                                                                         int32_t i) {
  TVMFFIObjectHandle object = NULL;
  DLTensor *tensor = NULL;
  uint64_t flags = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (!tvm_ffi_any_try_object(args->args + i, kTVMFFITensor, &object)) return 0;
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_flags(object, &flags));
  if ((flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0) return 0;
  return tvm_ffi_args_raise(args, i, TVM_FFI_C_VALUE_ERROR, "must be writable, but is read-only");
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_contiguous(const tvm_ffi_args *args,
                                                                           int32_t i) {
  DLTensor *tensor = NULL;
  char got[224];
  char *at;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_contiguous(tensor)) return 0;
  at = tvm_ffi_detail_put_text(got, got + sizeof got, "strides ");
  at = tvm_ffi_detail_put_shape(at, at + 96, tensor->strides, tensor->ndim, false);
  at = tvm_ffi_detail_put_text(at, got + sizeof got, " of shape ");
  tvm_ffi_detail_put_shape(at, at + 96, tensor->shape, tensor->ndim, false);
  tvm_ffi_detail_set_mismatched(args, i, NULL, TVM_FFI_C_VALUE_ERROR, "strides", "",
                                "a contiguous tensor", got);
  return -1;
}

/** What tvm_ffi_detail_check_same compares. */
enum { kTVMFFIDetailShape = 1, kTVMFFIDetailDType = 2, kTVMFFIDetailDevice = 4 };

/** Argument i is like argument j in what the bits of `properties` name. */
static inline int tvm_ffi_detail_check_same(const tvm_ffi_args *args, int32_t i, int32_t j,
                                            int properties) {
  DLTensor *tensor = NULL, *model = NULL;
  const char *kind = TVM_FFI_C_VALUE_ERROR, *property = "shape", *quote = "`";
  char expected[128], got[128];
  int32_t k = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  /* Compared in place: a compiler that does not optimise would compile four functions more. */
  while (k < tensor->ndim && k < model->ndim && tensor->shape[k] == model->shape[k]) ++k;
  if ((properties & kTVMFFIDetailShape) != 0 && (k != tensor->ndim || k != model->ndim)) {
    quote = "";
    tvm_ffi_detail_put_shape(expected, expected + sizeof expected, model->shape, model->ndim,
                             false);
    tvm_ffi_detail_put_shape(got, got + sizeof got, tensor->shape, tensor->ndim, false);
  } else if ((properties & kTVMFFIDetailDType) != 0 &&
             (tensor->dtype.code != model->dtype.code || tensor->dtype.bits != model->dtype.bits ||
              tensor->dtype.lanes != model->dtype.lanes)) {
    kind = TVM_FFI_C_TYPE_ERROR;
    property = "dtype";
    tvm_ffi_dtype_print(model->dtype, expected, 64);
    tvm_ffi_dtype_print(tensor->dtype, got, 64);
  } else if ((properties & kTVMFFIDetailDevice) != 0 &&
             (tensor->device.device_type != model->device.device_type ||
              tensor->device.device_id != model->device.device_id)) {
    property = "device";
    tvm_ffi_device_print(model->device, expected, sizeof expected);
    tvm_ffi_device_print(tensor->device, got, sizeof got);
  } else {
    return 0;
  }
  tvm_ffi_detail_set_mismatched(args, i, &j, kind, property, quote, expected, got);
  return -1;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_same_shape(const tvm_ffi_args *args, int32_t i,
                                                          int32_t j) {
  return tvm_ffi_detail_check_same(args, i, j, kTVMFFIDetailShape);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_same_dtype(const tvm_ffi_args *args, int32_t i,
                                                          int32_t j) {
  return tvm_ffi_detail_check_same(args, i, j, kTVMFFIDetailDType);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_same_device(const tvm_ffi_args *args, int32_t i,
                                                           int32_t j) {
  return tvm_ffi_detail_check_same(args, i, j, kTVMFFIDetailDevice);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_same(const tvm_ffi_args *args, int32_t i,
                                                    int32_t j) {
  return tvm_ffi_detail_check_same(args, i, j,
                                   kTVMFFIDetailShape | kTVMFFIDetailDType | kTVMFFIDetailDevice);
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_args_raise_unsupported(const tvm_ffi_args *args,
                                                                       int32_t i) {
  DLTensor *tensor = NULL;
  const char *parts[7];
  char name[64], number[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  tvm_ffi_detail_put_int(number, number + sizeof number, i);
  parts[0] = "Unsupported dtype `";
  parts[1] = tvm_ffi_dtype_print(tensor->dtype, name, sizeof name);
  parts[2] = "` of argument #";
  parts[3] = number;
  parts[4] = " when calling: `";
  parts[5] = args->signature;
  parts[6] = "`";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 7);
  return -1;
}

/** The key of the argument's dtype; UINT32_MAX, which no dtype has, if it is no tensor. */
static inline uint32_t tvm_ffi_detail_get_key(const tvm_ffi_args *args, int32_t i) {
  DLTensor *tensor = NULL;
  if (!TVM_FFI_C_DETAIL_HAS(args, i) || !tvm_ffi_any_try_tensor(args->args + i, &tensor)) {
    return UINT32_MAX;
  }
  return TVM_FFI_C_DTYPE_KEY(tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_return(const tvm_ffi_args *args,
                                                                 TVMFFIAny view) {
  return tvm_ffi_any_copy(&view, args->result);
}

static inline int tvm_ffi_args_return_object(const tvm_ffi_args *args, TVMFFIObjectHandle object) {
  *args->result = tvm_ffi_any_take_object(object);
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_ARGS_H_ */
