/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with our C headers: functions, containers, modules and the environment. */
#include <tvm/ffi/c.h>

/* call(function, ...): passes on the function's result or error. */
TVM_FFI_C_EXPORT(call, "(0: ffi.Function, ...) -> Any") {
  TVMFFIObjectHandle function;
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &function));
  return tvm_ffi_function_call(function, args->args + 1, args->num_args - 1, args->result);
}

/* The same for an Optional function: None is a TypeError. */
TVM_FFI_C_EXPORT(call_opt, "(0: Optional<ffi.Function>) -> Any") {
  TVMFFIObjectHandle function = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_function(args, 0, &function));
  return tvm_ffi_function_call(function, NULL, 0, args->result);
}

/* sum_calls(function, n): calls the function with each number below n and sums the results. */
TVM_FFI_C_EXPORT(sum_calls, "(0: ffi.Function, 1: int) -> int") {
  TVMFFIObjectHandle function;
  int64_t i, n, value, total = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 0, &function));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &n));
  for (i = 0; i < n; ++i) {
    TVMFFIAny argument = tvm_ffi_any_from_int64(i), result;
    int code;
    TVM_FFI_C_TRY(tvm_ffi_function_call(function, &argument, 1, &result));
    code = tvm_ffi_any_read_int64(&result, &value);
    tvm_ffi_any_clear(&result);
    TVM_FFI_C_TRY(code);
    total += value;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(total));
}

/* call_global(name, ...) */
TVM_FFI_C_EXPORT(call_global, "(0: str, ...) -> Any") {
  TVMFFIByteArray name;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &name));
  return tvm_ffi_function_call_global(name.data, args->args + 1, args->num_args - 1, args->result);
}

TVM_FFI_C_EXPORT(find_global, "(0: Optional<str>) -> Optional<ffi.Function>") {
  TVMFFIByteArray name;
  TVMFFIObjectHandle function;
  name.data = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_string(args, 0, &name));
  TVM_FFI_C_TRY(tvm_ffi_function_find_global(name.data, &function));
  return tvm_ffi_args_return_object(args, function);
}

TVM_FFI_C_EXPORT(get_global, "(0: str) -> ffi.Function") {
  TVMFFIByteArray name;
  TVMFFIObjectHandle function;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &name));
  TVM_FFI_C_TRY(tvm_ffi_function_get_global(name.data, &function));
  return tvm_ffi_args_return_object(args, function);
}

TVM_FFI_C_FUNCTION(twice, "(0: int) -> int") {
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(2 * n));
}
TVM_FFI_C_REGISTER_GLOBAL("compat.twice", twice);

/* register(name, override) */
TVM_FFI_C_EXPORT(register_twice, "(0: str, 1: bool) -> void") {
  TVMFFIByteArray name;
  bool allow_override;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &name));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 1, &allow_override));
  return tvm_ffi_function_register(name.data, twice, allow_override);
}

/* A function with a context: a counter that starts at the given number. */
TVM_FFI_C_FUNCTION(count_up, "() -> int") {
  int64_t *next = (int64_t *)args->self;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((*next)++));
}

static void drop_counter(void *self) {
  free(self);
}

TVM_FFI_C_EXPORT(make_counter, "(0: int) -> ffi.Function") {
  TVMFFIObjectHandle function;
  int64_t first, *next;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &first));
  next = (int64_t *)malloc(sizeof *next);
  if (next == NULL) return tvm_ffi_error_raise_memory();
  *next = first;
  code = TVMFFIFunctionCreate(next, count_up, drop_counter, &function);
  if (code != 0) {
    free(next);
    return code;
  }
  return tvm_ffi_args_return_object(args, function);
}

/* make_<container>(...): containers of all arguments. */
#define MAKER(name, signature, create, count)          \
  TVM_FFI_C_EXPORT(name, signature) {                  \
    TVMFFIObjectHandle object;                         \
    TVM_FFI_C_TRY(create(args->args, count, &object)); \
    return tvm_ffi_args_return_object(args, object);   \
  }
MAKER(make_array, "(...) -> Array<Any>", tvm_ffi_array_create, args->num_args)
MAKER(make_list, "(...) -> List<Any>", tvm_ffi_list_create, args->num_args)
MAKER(make_map, "(...) -> Map<Any, Any>", tvm_ffi_map_create, args->num_args / 2)

/* array_item(array, i): reads an element with the bounds check. */
TVM_FFI_C_EXPORT(array_item, "(0: Array<Any>, 1: int) -> Any") {
  TVMFFIObjectHandle array;
  const TVMFFIAny *item;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_array(args, 0, &array));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &i));
  TVM_FFI_C_TRY(tvm_ffi_array_read_item(array, i, &item));
  TVM_FFI_C_CHECK(item == tvm_ffi_array_get_data(array) + i, TVM_FFI_C_INTERNAL_ERROR, "not it");
  return tvm_ffi_args_return(args, *item);
}

TVM_FFI_C_EXPORT(array_sum, "(0: Array<Any>) -> float") {
  TVMFFIObjectHandle array;
  double value, total = 0;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_array(args, 0, &array));
  for (i = 0; i < tvm_ffi_array_get_size(array); ++i) {
    TVM_FFI_C_TRY(tvm_ffi_any_read_double(tvm_ffi_array_get_data(array) + i, &value));
    total += value;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(total));
}

TVM_FFI_C_EXPORT(list_append, "(0: List<Any>, 1: Any) -> void") {
  TVMFFIObjectHandle list;
  const TVMFFIAny *item;
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, kTVMFFIList, &list));
  TVM_FFI_C_TRY(tvm_ffi_args_read_any(args, 1, &item));
  return tvm_ffi_list_append(list, *item);
}

/* map_item(map, key): the value, or the number of entries if the key is missing. */
TVM_FFI_C_EXPORT(map_item, "(0: Map<Any, Any>, 1: Any) -> Any") {
  TVMFFIObjectHandle map;
  const TVMFFIAny *key;
  int64_t size;
  bool has;
  TVM_FFI_C_TRY(tvm_ffi_args_read_map(args, 0, &map));
  TVM_FFI_C_TRY(tvm_ffi_args_read_any(args, 1, &key));
  TVM_FFI_C_TRY(tvm_ffi_map_has(map, *key, &has));
  if (has) return tvm_ffi_map_get_item(map, *key, args->result);
  TVM_FFI_C_TRY(tvm_ffi_map_read_size(map, &size));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(size));
}

TVM_FFI_C_EXPORT(map_get, "(0: Map<Any, Any>, 1: Any) -> Any") {
  TVMFFIObjectHandle map;
  TVM_FFI_C_TRY(tvm_ffi_args_read_map(args, 0, &map));
  return tvm_ffi_map_get_item(map, args->args[1], args->result);
}

/* call_module(path, name, ...): calls a kernel of another library. */
TVM_FFI_C_EXPORT(call_module, "(0: str, 1: str, ...) -> Any") {
  TVMFFIByteArray path, name;
  TVMFFIObjectHandle function = NULL;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &name));
  TVM_FFI_C_TRY(tvm_ffi_module_load_function(path.data, name.data, &function));
  code = tvm_ffi_function_call(function, args->args + 2, args->num_args - 2, args->result);
  tvm_ffi_object_release(function);
  return code;
}

/* module_of(path, name): the module of a kernel of another library. */
TVM_FFI_C_EXPORT(module_of, "(0: str, 1: str) -> ffi.Module") {
  TVMFFIByteArray path, name;
  TVMFFIObjectHandle module = NULL, function = NULL;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &name));
  TVM_FFI_C_TRY(tvm_ffi_module_load_with_function(path.data, name.data, &module, &function));
  tvm_ffi_object_release(function);
  return tvm_ffi_args_return_object(args, module);
}

/* has_function(module, name) */
TVM_FFI_C_EXPORT(has_function, "(0: ffi.Module, 1: str) -> bool") {
  TVMFFIObjectHandle module, function;
  TVMFFIByteArray name;
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, kTVMFFIModule, &module));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &name));
  TVM_FFI_C_TRY(tvm_ffi_module_find_function(module, name.data, &function));
  if (function == NULL && tvm_ffi_module_get_function(module, name.data, &function) == 0) return -1;
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(function);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(function != NULL));
}

/* The stream of a tensor's device, as a number. */
TVM_FFI_C_EXPORT(get_stream, "(0: DLTensor*) -> void*") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(tvm_ffi_env_get_stream(x)));
}

TVM_FFI_C_EXPORT(read_stream, "(0: DLTensor*) -> void*") {
  TVMFFIStreamHandle stream;
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_env_read_stream(x, &stream));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(stream));
}

/* call_on(device, stream, function, ...): with that stream, and the helpers' CPU allocator. */
TVM_FFI_C_EXPORT(call_on, "(0: Device, 1: int, 2: ffi.Function, ...) -> Any") {
  TVMFFIObjectHandle function;
  DLDevice device;
  int64_t stream;
  tvm_ffi_env env;
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 0, &device));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &stream));
  TVM_FFI_C_TRY(tvm_ffi_args_read_function(args, 2, &function));
  env = tvm_ffi_env_make(device);
  env.stream = (TVMFFIStreamHandle)(intptr_t)stream;
  env.allocator = tvm_ffi_env_allocate_cpu;
  return tvm_ffi_env_call(&env, function, args->args + 3, args->num_args - 3, args->result);
}

/* A loader for a file extension of our own; it always fails. */
TVM_FFI_C_FUNCTION(load_compat, "(0: str, 1: str) -> ffi.Module") {
  TVMFFIByteArray path;
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 0, &path));
  return tvm_ffi_error_raise(TVM_FFI_C_NOT_IMPLEMENTED_ERROR, "cannot load %s yet", path.data);
}
TVM_FFI_C_REGISTER_FILE_LOADER("compat", load_compat);
TVM_FFI_C_REGISTER_BYTES_LOADER("compat", load_compat);
