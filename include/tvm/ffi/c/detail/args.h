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
  snprintf(number, sizeof number, "%d", (int)i);
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
  snprintf(want, sizeof want, "%d", (int)expected);
  snprintf(got, sizeof got, "%d", (int)args->num_args);
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

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_detail_has(const tvm_ffi_args *args, int32_t i) {
  return i >= 0 && i < args->num_args;
}

TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_type(const tvm_ffi_args *args,
                                                                 int32_t i, const char *expected) {
  const char *parts[9];
  char number[16];
  if (!tvm_ffi_detail_has(args, i)) {
    tvm_ffi_detail_set_count(args, "at least ", i + 1);
    return;
  }
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Mismatched type on argument #";
  parts[1] = number;
  parts[2] = " when calling: `";
  parts[3] = args->signature;
  parts[4] = "`. Expected `";
  parts[5] = expected;
  parts[6] = "` but got `";
  parts[7] = tvm_ffi_any_get_type_name(args->args + i);
  parts[8] = "`";
  TVMFFIErrorSetRaisedFromCStrParts(TVM_FFI_C_TYPE_ERROR, parts, 9);
}

/** The same for a property of the value: shape, dtype, ... */
TVM_FFI_C_DETAIL_COLD static inline void tvm_ffi_detail_set_property(const tvm_ffi_args *args,
                                                                     int32_t i, const char *kind,
                                                                     const char *property,
                                                                     const char *expected,
                                                                     const char *got) {
  const char *parts[10];
  char number[16];
  snprintf(number, sizeof number, "%d", (int)i);
  parts[0] = "Mismatched ";
  parts[1] = property;
  parts[2] = " on argument #";
  parts[3] = number;
  parts[4] = " when calling: `";
  parts[5] = args->signature;
  parts[6] = "`. Expected ";
  parts[7] = expected;
  parts[8] = " but got ";
  parts[9] = got;
  TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 10);
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_raise_type(const tvm_ffi_args *args, int32_t i,
                                                      const char *expected) {
  tvm_ffi_detail_set_type(args, i, expected);
  return -1;
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_raise_property(const tvm_ffi_args *args, int32_t i,
                                                          const char *kind, const char *property,
                                                          const char *expected, const char *got) {
  tvm_ffi_detail_set_property(args, i, kind, property, expected, got);
  return -1;
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_check_count(const tvm_ffi_args *args, int32_t count) {
  if (args->num_args == count) return 0;
  tvm_ffi_detail_set_count(args, "", count);
  return -1;
}

TVM_FFI_C_DETAIL_INLINE bool tvm_ffi_args_is_none(const tvm_ffi_args *args, int32_t i) {
  return tvm_ffi_detail_has(args, i) && tvm_ffi_any_is_none(args->args + i);
}

TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_any(const tvm_ffi_args *args, int32_t i,
                                                  const TVMFFIAny **out) {
  if (!tvm_ffi_detail_has(args, i)) return tvm_ffi_detail_raise_type(args, i, "Any");
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
    if (tvm_ffi_detail_has(args, i) && try_read(args->args + i, out)) return 0;                 \
    return tvm_ffi_detail_raise_type(args, i, text);                                            \
  }                                                                                             \
  TVM_FFI_C_DETAIL_READER int tvm_ffi_args_read_opt_##name(const tvm_ffi_args *args, int32_t i, \
                                                           type *out) {                         \
    if (tvm_ffi_args_is_none(args, i)) return 0;                                                \
    if (tvm_ffi_detail_has(args, i) && try_read(args->args + i, out)) return 0;                 \
    return tvm_ffi_detail_raise_type(args, i, "Optional<" text ">");                            \
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
    snprintf(expected, sizeof expected, "%lld to %lld", (long long)low, (long long)high);
    snprintf(got, sizeof got, "%lld", (long long)value);
    return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "value", expected, got);
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
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_pointer(args->args + i, out)) return 0;
  return tvm_ffi_detail_raise_type(args, i, "void*");
}

TVM_FFI_C_DETAIL_INLINE int tvm_ffi_detail_args_dtype(const tvm_ffi_args *args, int32_t i,
                                                      const char *expected, DLDataType *out) {
  bool matched = false;
  int code = -1;
  if (tvm_ffi_detail_has(args, i)) code = tvm_ffi_detail_read_dtype(args->args + i, out, &matched);
  return matched ? code : tvm_ffi_detail_raise_type(args, i, expected);
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
  if (tvm_ffi_detail_has(args, i) && tvm_ffi_any_try_object(args->args + i, type_index, out)) {
    return 0;
  }
  return tvm_ffi_detail_raise_type(args, i, tvm_ffi_type_get_name(type_index));
}

static inline int tvm_ffi_detail_args_shape(const tvm_ffi_args *args, int32_t i,
                                            const char *expected, int64_t *buffer, int32_t capacity,
                                            TVMFFIShapeCell *out) {
  char limit[48], got[32];
  int found = 0;
  if (tvm_ffi_detail_has(args, i)) {
    found = tvm_ffi_detail_read_shape(args->args + i, buffer, capacity, out);
  }
  if (found > 0) return 0;
  if (found == 0) return tvm_ffi_detail_raise_type(args, i, expected);
  snprintf(limit, sizeof limit, "at most %d extents", (int)capacity);
  snprintf(got, sizeof got, "%lld", (long long)TVMFFISeqGetCellPtr(args->args[i].v_obj)->size);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", limit, got);
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
  snprintf(expected, sizeof expected, "%d", (int)ndim);
  snprintf(got, sizeof got, "%d", (int)tensor->ndim);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "ndim", expected, got);
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
  tvm_ffi_detail_print_shape(shape, ndim, true, expected, sizeof expected);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_size(const tvm_ffi_args *args,
                                                                     int32_t i, int32_t dim,
                                                                     int64_t size) {
  DLTensor *tensor = NULL;
  char expected[64], got[128];
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  k = dim < 0 ? dim + tensor->ndim : dim;
  if (k >= 0 && k < tensor->ndim && tensor->shape[k] == size) return 0;
  snprintf(expected, sizeof expected, "size %lld in dimension %d", (long long)size, (int)dim);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_dtype(const tvm_ffi_args *args,
                                                                      int32_t i, DLDataType dtype) {
  DLTensor *tensor = NULL;
  char want[64], have[64], expected[72], got[72];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_dtype_equal(tensor->dtype, dtype)) return 0;
  snprintf(expected, sizeof expected, "`%s`", tvm_ffi_dtype_print(dtype, want, sizeof want));
  snprintf(got, sizeof got, "`%s`", tvm_ffi_dtype_print(tensor->dtype, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_TYPE_ERROR, "dtype", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_device(const tvm_ffi_args *args,
                                                                       int32_t i,
                                                                       int32_t device_type) {
  DLTensor *tensor = NULL;
  char want[40], have[40], expected[48], got[48];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if ((int32_t)tensor->device.device_type == device_type) return 0;
  tvm_ffi_device_print(tvm_ffi_device_make(device_type, 0), want, sizeof want);
  *strchr(want, ':') = '\0';
  snprintf(expected, sizeof expected, "`%s`", want);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_device_print(tensor->device, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "device", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_contiguous(const tvm_ffi_args *args,
                                                                           int32_t i) {
  DLTensor *tensor = NULL;
  char shape[96], strides[96], got[224];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  if (tvm_ffi_tensor_is_contiguous(tensor)) return 0;
  snprintf(got, sizeof got, "strides %s of shape %s",
           tvm_ffi_shape_print(tensor->strides, tensor->ndim, strides, sizeof strides),
           tvm_ffi_shape_print(tensor->shape, tensor->ndim, shape, sizeof shape));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "strides",
                                       "a contiguous tensor", got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_same_shape(const tvm_ffi_args *args,
                                                                           int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char shape[128], expected[160], got[128];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_tensor_has_same_shape(tensor, model)) return 0;
  snprintf(expected, sizeof expected, "%s of argument #%d",
           tvm_ffi_shape_print(model->shape, model->ndim, shape, sizeof shape), (int)j);
  tvm_ffi_shape_print(tensor->shape, tensor->ndim, got, sizeof got);
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "shape", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_same_dtype(const tvm_ffi_args *args,
                                                                           int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char want[64], have[64], expected[96], got[72];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_dtype_equal(tensor->dtype, model->dtype)) return 0;
  snprintf(expected, sizeof expected, "`%s` of argument #%d",
           tvm_ffi_dtype_print(model->dtype, want, sizeof want), (int)j);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_dtype_print(tensor->dtype, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_TYPE_ERROR, "dtype", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_same_device(
    const tvm_ffi_args *args, int32_t i, int32_t j) {
  DLTensor *tensor = NULL, *model = NULL;
  char want[40], have[40], expected[72], got[48];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, j, &model));
  if (tvm_ffi_device_equal(tensor->device, model->device)) return 0;
  snprintf(expected, sizeof expected, "`%s` of argument #%d",
           tvm_ffi_device_print(model->device, want, sizeof want), (int)j);
  snprintf(got, sizeof got, "`%s`", tvm_ffi_device_print(tensor->device, have, sizeof have));
  return tvm_ffi_detail_raise_property(args, i, TVM_FFI_C_VALUE_ERROR, "device", expected, got);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_args_check_same(const tvm_ffi_args *args,
                                                                     int32_t i, int32_t j) {
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, i, j));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_dtype(args, i, j));
  return tvm_ffi_args_check_same_device(args, i, j);
}

TVM_FFI_C_DETAIL_COLD static inline int tvm_ffi_args_raise_unsupported(const tvm_ffi_args *args,
                                                                       int32_t i) {
  DLTensor *tensor = NULL;
  const char *parts[7];
  char name[64], number[16];
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &tensor));
  snprintf(number, sizeof number, "%d", (int)i);
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
  if (!tvm_ffi_detail_has(args, i) || !tvm_ffi_any_try_tensor(args->args + i, &tensor)) {
    return UINT32_MAX;
  }
  return tvm_ffi_dtype_get_key(tensor->dtype);
}

static inline int tvm_ffi_args_return(const tvm_ffi_args *args, TVMFFIAny view) {
  return tvm_ffi_any_copy(&view, args->result);
}

#endif /* TVM_FFI_C_DETAIL_ARGS_H_ */
