/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with our C headers: values, texts, data types, devices. */
#include <tvm/ffi/c.h>

static bool same(const TVMFFIAny *value, const char *name) {
  TVMFFIByteArray text;
  return tvm_ffi_any_try_string(value, &text) && tvm_ffi_string_equal(text, name);
}

/* convert(value, kind): the value as converted by tvm_ffi_any_read_<kind>. */
#define CONVERT(kind, type, value)                            \
  if (same(args->args + 1, #kind)) {                          \
    type out;                                                 \
    TVM_FFI_C_TRY(tvm_ffi_any_read_##kind(args->args, &out)); \
    return tvm_ffi_args_return(args, value);                  \
  }
TVM_FFI_C_EXPORT(convert, "(0: Any, 1: str) -> Any") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  CONVERT(int64, int64_t, tvm_ffi_any_from_int64(out))
  CONVERT(double, double, tvm_ffi_any_from_double(out))
  CONVERT(bool, bool, tvm_ffi_any_from_bool(out))
  CONVERT(pointer, void *, tvm_ffi_any_from_pointer(out))
  CONVERT(device, DLDevice, tvm_ffi_any_from_device(out))
  CONVERT(dtype, DLDataType, tvm_ffi_any_from_dtype(out))
  CONVERT(tensor, DLTensor *, tvm_ffi_any_from_dtype(out->dtype))
  CONVERT(string, TVMFFIByteArray, tvm_ffi_any_from_int64((int64_t)out.size))
  CONVERT(bytes, TVMFFIByteArray, tvm_ffi_any_from_int64((int64_t)out.size))
  if (same(args->args + 1, "object")) {
    TVMFFIObjectHandle object;
    TVM_FFI_C_TRY(tvm_ffi_any_read_object(args->args, kTVMFFIFunction, &object));
    return tvm_ffi_args_return(args, tvm_ffi_any_view_object(object));
  }
  if (same(args->args + 1, "shape")) {
    int64_t extents[2];
    TVMFFIShapeCell shape;
    TVM_FFI_C_TRY(tvm_ffi_any_read_shape(args->args, extents, 2, &shape));
    return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)shape.size));
  }
  return tvm_ffi_any_raise_mismatch(args->args + 1, "a kind");
}

/* The answers of all functions that test what a value is without raising errors. */
TVM_FFI_C_EXPORT(ask, "(0: Any) -> str") {
  const TVMFFIAny *value;
  char number[32], real[40], truth[8], device[40];
  int64_t int64 = 0;
  double float64 = 0;
  bool boolean = false;
  void *pointer = NULL;
  TVMFFIByteArray text, bytes;
  DLTensor *tensor;
  DLDevice place;
  TVMFFIObjectHandle object;
  TVM_FFI_C_TRY(tvm_ffi_args_read_any(args, 0, &value));
  strcpy(number, "-"), strcpy(real, "-"), strcpy(truth, "-"), strcpy(device, "-");
  if (tvm_ffi_any_try_int64(value, &int64)) sprintf(number, "%lld", (long long)int64);
  if (tvm_ffi_any_try_double(value, &float64)) sprintf(real, "%.17g", float64);
  if (tvm_ffi_any_try_bool(value, &boolean)) strcpy(truth, boolean ? "true" : "false");
  if (tvm_ffi_any_try_device(value, &place)) tvm_ffi_device_print(place, device, sizeof device);
  return tvm_ffi_string_create_formatted(
      args->result,
      "%s: none %d, int %s, float %s, bool %s, pointer %d, str %d, bytes %d, "
      "tensor %d, device %s, object %d, function %d",
      tvm_ffi_any_get_type_name(value), tvm_ffi_any_is_none(value) ? 1 : 0, number, real, truth,
      tvm_ffi_any_try_pointer(value, &pointer) ? 1 : 0,
      tvm_ffi_any_try_string(value, &text) ? (int)text.size : -1,
      tvm_ffi_any_try_bytes(value, &bytes) ? (int)bytes.size : -1,
      tvm_ffi_any_try_tensor(value, &tensor) ? (int)tensor->ndim : -1, device,
      tvm_ffi_any_try_object(value, kTVMFFIObject, &object) ? 1 : 0,
      tvm_ffi_any_try_object(value, kTVMFFIFunction, &object) ? 1 : 0);
}

TVM_FFI_C_EXPORT(type_name, "(0: int) -> str") {
  int32_t type_index;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 0, &type_index));
  return tvm_ffi_string_create(tvm_ffi_type_get_name(type_index), args->result);
}

/* from_uint64(n): INT64_MAX + n, as an unsigned integer. */
TVM_FFI_C_EXPORT(from_uint64, "(0: int) -> int") {
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  return tvm_ffi_any_from_uint64((uint64_t)INT64_MAX + (uint64_t)n, args->result);
}

/* Creates, copies, shares, moves and clears a value; returns one reference to it. */
TVM_FFI_C_EXPORT(juggle, "(0: Any) -> Any") {
  TVMFFIAny copy, moved, shared = tvm_ffi_any_none();
  TVMFFIObjectHandle object = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_any_copy(args->args, &copy));
  if (tvm_ffi_any_try_object(&copy, kTVMFFIObject, &object)) {
    shared = tvm_ffi_any_share_object(object);
    tvm_ffi_object_release(tvm_ffi_object_retain(object));
  }
  moved = tvm_ffi_any_move(&copy);
  tvm_ffi_any_clear(&copy);
  tvm_ffi_any_clear(&shared);
  tvm_ffi_object_release(NULL);
  if (tvm_ffi_object_retain(NULL) != NULL || !tvm_ffi_any_is_none(&shared)) {
    return TVM_FFI_C_RAISE(TVM_FFI_C_INTERNAL_ERROR, "NULL is none");
  }
  *args->result = moved;
  return 0;
}

/* Returns views (raw text, raw bytes) that the callee turns into owned values. */
TVM_FFI_C_EXPORT(make_text, "(0: int) -> str") {
  static const char text[] = "0123456789";
  int64_t size;
  char copy[sizeof text];
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 0, 0, 10, &size));
  memcpy(copy, text, sizeof text);
  copy[size] = '\0';
  return tvm_ffi_args_return(args, tvm_ffi_any_view_string(copy));
}

TVM_FFI_C_EXPORT(make_bytes, "(0: int) -> bytes") {
  int64_t size;
  TVMFFIByteArray bytes;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 0, 0, 10, &size));
  bytes.data = "\0\1\2\3\4\5\6\7\xff\xfe";
  bytes.size = (size_t)size;
  return tvm_ffi_args_return(args, tvm_ffi_any_view_bytes(&bytes));
}

TVM_FFI_C_EXPORT(format, "(0: str, 1: int) -> str") {
  TVMFFIByteArray text;
  int32_t count, i;
  char line[600];
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &count));
  for (i = 0; i < count && i < (int32_t)sizeof line - 1; ++i) line[i] = '.';
  line[i] = '\0';
  return tvm_ffi_string_create_formatted(args->result, "%s%s%d", text.data, line, (int)count);
}

/* Compares a text with a literal, however the text is stored. */
TVM_FFI_C_EXPORT(is_hello, "(0: str) -> bool") {
  TVMFFIByteArray text;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(tvm_ffi_string_equal(text, "hello")));
}

/* Returns the constant at an index of this table; the test knows their names. */
TVM_FFI_C_EXPORT(dtype_constant, "(0: int) -> DataType") {
  const DLDataType constants[] = {TVM_FFI_C_BOOL,           TVM_FFI_C_INT8,
                                  TVM_FFI_C_INT16,          TVM_FFI_C_INT32,
                                  TVM_FFI_C_INT64,          TVM_FFI_C_UINT8,
                                  TVM_FFI_C_UINT16,         TVM_FFI_C_UINT32,
                                  TVM_FFI_C_UINT64,         TVM_FFI_C_FLOAT16,
                                  TVM_FFI_C_FLOAT32,        TVM_FFI_C_FLOAT64,
                                  TVM_FFI_C_BFLOAT16,       TVM_FFI_C_FLOAT8_E3M4,
                                  TVM_FFI_C_FLOAT8_E4M3,    TVM_FFI_C_FLOAT8_E4M3B11FNUZ,
                                  TVM_FFI_C_FLOAT8_E4M3FN,  TVM_FFI_C_FLOAT8_E4M3FNUZ,
                                  TVM_FFI_C_FLOAT8_E5M2,    TVM_FFI_C_FLOAT8_E5M2FNUZ,
                                  TVM_FFI_C_FLOAT8_E8M0FNU, TVM_FFI_C_FLOAT6_E2M3FN,
                                  TVM_FFI_C_FLOAT6_E3M2FN,  TVM_FFI_C_FLOAT4_E2M1FN};
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(
      args, 0, 0, (int64_t)(sizeof constants / sizeof constants[0]) - 1, &i));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_dtype(constants[i]));
}

/* A dtype built from its numbers: its text, its sizes, and the bytes that `count` elements take. */
TVM_FFI_C_EXPORT(dtype_facts, "(0: int, 1: int, 2: int, 3: int) -> str") {
  int32_t code, bits, lanes;
  int64_t count;
  size_t size;
  char text[64];
  DLDataType dtype;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 0, &code));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &bits));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 2, &lanes));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 3, &count));
  dtype = tvm_ffi_dtype_make(code, bits, lanes);
  TVM_FFI_C_TRY(tvm_ffi_dtype_compute_size(dtype, count, &size));
  return tvm_ffi_string_create_formatted(
      args->result, "%s: %d bits, %d bytes, key %08lx, equal %d, in all %lu",
      tvm_ffi_dtype_print(dtype, text, sizeof text), (int)tvm_ffi_dtype_get_bits(dtype),
      (int)tvm_ffi_dtype_get_bytes(dtype), (unsigned long)tvm_ffi_dtype_get_key(dtype),
      tvm_ffi_dtype_equal(dtype, TVM_FFI_C_FLOAT32) ? 1 : 0, (unsigned long)size);
}

TVM_FFI_C_EXPORT(parse_dtype, "(0: str) -> DataType") {
  TVMFFIByteArray text;
  DLDataType dtype;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  TVM_FFI_C_TRY(tvm_ffi_dtype_parse(text.data, &dtype));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_dtype(dtype));
}

/* Dispatches over a dtype that is not that of an argument; returns the size of the C type. */
#define RETURN_SIZE(type) size = (int64_t)sizeof(type)
#define TINY_AND_BOOL(BODY) TVM_FFI_C_CASE_BOOL(BODY) TVM_FFI_C_CASE(17, 4, uint8_t, BODY)
TVM_FFI_C_EXPORT(sizeof_dtype, "(0: DataType) -> int") {
  DLDataType dtype;
  int64_t size = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 0, &dtype));
  if (tvm_ffi_dtype_get_key(dtype) == TVM_FFI_C_DTYPE_KEY(kDLOpaqueHandle, 64, 1)) {
    return tvm_ffi_dtype_raise_unsupported(dtype);
  }
  if (dtype.code == kDLBool || dtype.bits < 8) {
    TVM_FFI_C_DTYPE_DISPATCH(dtype, TINY_AND_BOOL, RETURN_SIZE);
  } else {
    TVM_FFI_C_DTYPE_DISPATCH(dtype, TVM_FFI_C_CASES_NUMBER, RETURN_SIZE);
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(size));
}

/* Parses a device and describes it. */
TVM_FFI_C_EXPORT(device_facts, "(0: str) -> str") {
  TVMFFIByteArray text;
  DLDevice device;
  char printed[48];
  const char *name;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &text));
  TVM_FFI_C_CHECK(tvm_ffi_device_parse(text.data, text.size, &device), TVM_FFI_C_VALUE_ERROR,
                  "No device: %s", text.data);
  name = tvm_ffi_device_get_type_name((int32_t)device.device_type);
  return tvm_ffi_string_create_formatted(
      args->result, "%s, type %d %s, addressable %d, is cpu:0 %d",
      tvm_ffi_device_print(device, printed, sizeof printed), (int)device.device_type,
      name != NULL ? name : "unknown", tvm_ffi_device_is_addressable(device) ? 1 : 0,
      tvm_ffi_device_equal(device, tvm_ffi_device_make(kDLCPU, 0)) ? 1 : 0);
}

/* can_read(device, memory) */
TVM_FFI_C_EXPORT(can_read, "(0: Device, 1: Device) -> bool") {
  DLDevice device, memory;
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 0, &device));
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 1, &memory));
  return tvm_ffi_args_return(
      args, tvm_ffi_any_from_bool(tvm_ffi_device_can_read((int32_t)device.device_type, memory)));
}
