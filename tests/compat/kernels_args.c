/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with our C headers: every way to read an argument, and to report that one is wrong. */
#include <tvm/ffi/c.h>

/* read_<kind>(x): reads the argument with tvm_ffi_args_read_<kind> and returns it as a value. */
#define READER(kind, signature, type, initial, value)       \
  TVM_FFI_C_EXPORT(read_##kind, signature) {                \
    type out = initial;                                     \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));       \
    TVM_FFI_C_TRY(tvm_ffi_args_read_##kind(args, 0, &out)); \
    return tvm_ffi_args_return(args, value);                \
  }
READER(int64, "(0: int) -> int", int64_t, 0, tvm_ffi_any_from_int64(out))
READER(opt_int64, "(0: Optional<int>) -> int", int64_t, -1, tvm_ffi_any_from_int64(out))
READER(int32, "(0: int) -> int", int32_t, 0, tvm_ffi_any_from_int64(out))
READER(opt_int32, "(0: Optional<int>) -> int", int32_t, -1, tvm_ffi_any_from_int64(out))
READER(double, "(0: float) -> float", double, 0, tvm_ffi_any_from_double(out))
READER(opt_double, "(0: Optional<float>) -> float", double, -1, tvm_ffi_any_from_double(out))
READER(bool, "(0: bool) -> bool", bool, false, tvm_ffi_any_from_bool(out))
READER(opt_bool, "(0: Optional<bool>) -> bool", bool, true, tvm_ffi_any_from_bool(out))
READER(pointer, "(0: void*) -> void*", void *, NULL, tvm_ffi_any_from_pointer(out))
READER(dtype, "(0: DataType) -> DataType", DLDataType, TVM_FFI_C_INT8, tvm_ffi_any_from_dtype(out))
READER(opt_dtype, "(0: Optional<DataType>) -> DataType", DLDataType, TVM_FFI_C_INT8,
       tvm_ffi_any_from_dtype(out))
READER(device, "(0: Device) -> Device", DLDevice, tvm_ffi_device_make(kDLCPU, 7),
       tvm_ffi_any_from_device(out))
READER(opt_device, "(0: Optional<Device>) -> Device", DLDevice, tvm_ffi_device_make(kDLCPU, 7),
       tvm_ffi_any_from_device(out))
READER(function, "(0: ffi.Function) -> ffi.Function", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(opt_function, "(0: Optional<ffi.Function>) -> Optional<ffi.Function>", TVMFFIObjectHandle,
       NULL, tvm_ffi_any_view_object(out))
READER(array, "(0: Array<Any>) -> Array<Any>", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(opt_array, "(0: Optional<Array<Any>>) -> Optional<Array<Any>>", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(map, "(0: Map<Any, Any>) -> Map<Any, Any>", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(opt_map, "(0: Optional<Map<Any, Any>>) -> Optional<Map<Any, Any>>", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(tensor_object, "(0: ffi.Tensor) -> ffi.Tensor", TVMFFIObjectHandle, NULL,
       tvm_ffi_any_view_object(out))
READER(opt_tensor_object, "(0: Optional<ffi.Tensor>) -> Optional<ffi.Tensor>", TVMFFIObjectHandle,
       NULL, tvm_ffi_any_view_object(out))

/* A DLTensor* cannot be returned, so return its number of dimensions. */
TVM_FFI_C_EXPORT(read_tensor, "(0: DLTensor*) -> int") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x->ndim));
}

TVM_FFI_C_EXPORT(read_opt_tensor, "(0: Optional<DLTensor*>) -> int") {
  DLTensor *x = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(x != NULL ? x->ndim : -1));
}

#define TEXT_READER(kind, signature, create)                \
  TVM_FFI_C_EXPORT(read_##kind, signature) {                \
    TVMFFIByteArray out = tvm_ffi_string_get_bytes("none"); \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));       \
    TVM_FFI_C_TRY(tvm_ffi_args_read_##kind(args, 0, &out)); \
    return create(out.data, out.size, args->result);        \
  }
TEXT_READER(string, "(0: str) -> str", tvm_ffi_string_create_sized)
TEXT_READER(opt_string, "(0: Optional<str>) -> str", tvm_ffi_string_create_sized)
TEXT_READER(bytes, "(0: bytes) -> bytes", tvm_ffi_bytes_create)
TEXT_READER(opt_bytes, "(0: Optional<bytes>) -> bytes", tvm_ffi_bytes_create)

/* Arguments that are not Shape objects may have up to three extents here. */
static int return_shape(const tvm_ffi_args *args, const TVMFFIShapeCell *shape) {
  TVMFFIObjectHandle object;
  TVM_FFI_C_TRY(tvm_ffi_shape_create(shape->data, (int32_t)shape->size, &object));
  return tvm_ffi_args_return_object(args, object);
}

TVM_FFI_C_EXPORT(read_shape, "(0: ffi.Shape) -> ffi.Shape") {
  int64_t extents[3];
  TVMFFIShapeCell shape;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 0, extents, 3, &shape));
  return return_shape(args, &shape);
}

TVM_FFI_C_EXPORT(read_opt_shape, "(0: Optional<ffi.Shape>) -> ffi.Shape") {
  int64_t extents[3] = {-1, -1, -1};
  TVMFFIShapeCell shape;
  shape.data = extents;
  shape.size = 1;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_shape(args, 0, extents, 3, &shape));
  return return_shape(args, &shape);
}

TVM_FFI_C_EXPORT(read_between, "(0: int, 1: int, 2: int) -> int") {
  int64_t low, high, value;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &low));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 2, &high));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 0, low, high, &value));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(value));
}

/* Returns its argument unchanged; without one, tvm_ffi_args_read_any reports the error. */
TVM_FFI_C_EXPORT(echo, "(0: Any) -> Any") {
  const TVMFFIAny *value;
  TVM_FFI_C_TRY(tvm_ffi_args_read_any(args, 0, &value));
  return tvm_ffi_args_return(args, *value);
}

/* Reads the first argument as an object of the type whose index is the second. */
TVM_FFI_C_EXPORT(read_object, "(0: ffi.Object, 1: int) -> ffi.Object") {
  TVMFFIObjectHandle object;
  int32_t type_index;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &type_index));
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, type_index, &object));
  return tvm_ffi_args_return(args, tvm_ffi_any_view_object(object));
}

TVM_FFI_C_EXPORT(count, "(...) -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->num_args));
}

/* How many of the arguments are None. */
TVM_FFI_C_EXPORT(count_none, "(...) -> int") {
  int64_t count = 0;
  int32_t i;
  for (i = -1; i <= args->num_args; ++i) count += tvm_ffi_args_is_none(args, i) ? 1 : 0;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}

TVM_FFI_C_EXPORT(raise_argument, "(0: int) -> void") {
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  return tvm_ffi_args_raise(args, 0, TVM_FFI_C_INDEX_ERROR, "must not be %lld", (long long)n);
}

/* check_<what>(x, ...): the checks of tensors. */
TVM_FFI_C_EXPORT(raise_unsupported, "(0: DLTensor*) -> void") {
  return tvm_ffi_args_raise_unsupported(args, 0);
}

TVM_FFI_C_EXPORT(check_contiguous, "(0: DLTensor*) -> void") {
  return tvm_ffi_args_check_contiguous(args, 0);
}

#define CHECK_SAME(property)                                                   \
  TVM_FFI_C_EXPORT(check_##property, "(0: DLTensor*, 1: DLTensor*) -> void") { \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));                          \
    return tvm_ffi_args_check_##property(args, 1, 0);                          \
  }
CHECK_SAME(same_shape)
CHECK_SAME(same_dtype)
CHECK_SAME(same_device)
CHECK_SAME(same)

TVM_FFI_C_EXPORT(check_ndim, "(0: DLTensor*, 1: int) -> void") {
  int32_t ndim;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &ndim));
  return tvm_ffi_args_check_ndim(args, 0, ndim);
}

TVM_FFI_C_EXPORT(check_shape, "(0: DLTensor*, 1: ffi.Shape) -> void") {
  int64_t extents[8];
  TVMFFIShapeCell shape;
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 1, extents, 8, &shape));
  return tvm_ffi_args_check_shape(args, 0, (int32_t)shape.size, shape.data);
}

TVM_FFI_C_EXPORT(check_size, "(0: DLTensor*, 1: int, 2: int) -> void") {
  int32_t dim;
  int64_t size;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &dim));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 2, &size));
  return tvm_ffi_args_check_size(args, 0, dim, size);
}

TVM_FFI_C_EXPORT(check_dtype, "(0: DLTensor*, 1: DataType) -> void") {
  DLDataType dtype;
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 1, &dtype));
  return tvm_ffi_args_check_dtype(args, 0, dtype);
}

TVM_FFI_C_EXPORT(check_device, "(0: DLTensor*, 1: Device) -> void") {
  DLDevice device;
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 1, &device));
  return tvm_ffi_args_check_device(args, 0, (int32_t)device.device_type);
}

TVM_FFI_C_EXPORT(check_readable_by, "(0: DLTensor*, 1: Device) -> void") {
  DLDevice device;
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 1, &device));
  return tvm_ffi_args_check_readable_by(args, 0, (int32_t)device.device_type);
}

TVM_FFI_C_EXPORT(check_aligned, "(0: DLTensor*, 1: int) -> void") {
  int64_t alignment;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 1, 1, 4096, &alignment));
  return tvm_ffi_args_check_aligned(args, 0, (size_t)alignment);
}

TVM_FFI_C_EXPORT(check_writable, "(0: DLTensor*) -> void") {
  return tvm_ffi_args_check_writable(args, 0);
}

TVM_FFI_C_EXPORT(check_valid, "(0: DLTensor*) -> void") {
  return tvm_ffi_args_check_valid(args, 0);
}

/* call_without_data(function, shape, device, ...): with a DLTensor of any extents whose data is
 * NULL, and the arguments that follow, up to three. */
TVM_FFI_C_EXPORT(call_without_data, "(0: ffi.Function, 1: ffi.Shape, 2: Device, ...) -> Any") {
  int64_t extents[8], copied[8];
  TVMFFIShapeCell shape;
  TVMFFIObjectHandle function;
  TVMFFIAny arguments[4];
  DLTensor tensor;
  DLDevice device;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &function));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 1, extents, 8, &shape));
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 2, &device));
  TVM_FFI_C_CHECK(args->num_args <= 6, TVM_FFI_C_TYPE_ERROR, "%d arguments", (int)args->num_args);
  TVM_FFI_C_CHECK(shape.size <= 8, TVM_FFI_C_VALUE_ERROR, "%d extents", (int)shape.size);
  memcpy(copied, shape.data, shape.size * sizeof copied[0]);
  tvm_ffi_tensor_init(&tensor, NULL, device, TVM_FFI_C_INT8, (int32_t)shape.size, copied, NULL);
  arguments[0] = tvm_ffi_any_view_tensor(&tensor);
  for (i = 3; i < args->num_args; ++i) arguments[i - 2] = args->args[i];
  return tvm_ffi_function_call(function, arguments, args->num_args - 2, args->result);
}

TVM_FFI_C_EXPORT_DOC(echo, "Give a value back.\nOf any type.");
TVM_FFI_C_EXPORT_METADATA(echo, "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"}");
TVM_FFI_C_EXPORT_DOC(count, "");
TVM_FFI_C_EXPORT_SCHEMA(read_opt_int64, TVM_FFI_C_TYPE("int"),
                        TVM_FFI_C_TYPE_OF("Optional", TVM_FFI_C_TYPE("int")));
TVM_FFI_C_EXPORT_SCHEMA(read_double, TVM_FFI_C_TYPE("float"), TVM_FFI_C_PARAM("x", "float"));
TVM_FFI_C_EXPORT_SCHEMA(read_opt_double, TVM_FFI_C_TYPE("float"),
                        TVM_FFI_C_PARAM_OF("x", "Optional", TVM_FFI_C_TYPE("float")));
