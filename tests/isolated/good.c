/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that behave, for the tests of isolated modules. */
#define _GNU_SOURCE /* usleep */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tvm/ffi/c.h>
#include <unistd.h>

TVM_FFI_C_EXPORT(nothing, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}

TVM_FFI_C_EXPORT_DOC(nothing, "Does nothing.");
TVM_FFI_C_EXPORT_METADATA(nothing, "{\"a\":1}");

/* Gives back what it is given, objects included. */
TVM_FFI_C_EXPORT(same, "(0: Any) -> Any") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_any_copy(&args->args[0], args->result);
}

/* The type index of its argument, as it arrives. */
TVM_FFI_C_EXPORT(type_of, "(0: Any) -> int") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->args[0].type_index));
}

/* Sleeps so many milliseconds. */
TVM_FFI_C_EXPORT(nap, "(0: int) -> None") {
  int64_t milliseconds;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &milliseconds));
  usleep((useconds_t)milliseconds * 1000);
  return 0;
}

TVM_FFI_C_EXPORT(process, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(getpid()));
}

static float *element(const DLTensor *x, int64_t i) {
  const int64_t stride = x->strides != NULL ? x->strides[0] : 1;
  return (float *)tvm_ffi_tensor_get_data(x) + i * stride;
}

/* y += x, of one dimension, with strides. */
TVM_FFI_C_EXPORT(add_to, "(0: DLTensor*, 1: DLTensor*) -> None") {
  DLTensor *y, *x;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  for (i = 0; i < y->shape[0]; ++i) *element(y, i) += *element(x, i);
  return 0;
}

/* Fills its arguments with a byte. */
TVM_FFI_C_EXPORT(fill, "(0: int, ...) -> None") {
  int64_t byte;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &byte));
  for (i = 1; i < args->num_args; ++i) {
    DLTensor *x;
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &x));
    memset(tvm_ffi_tensor_get_data(x), (int)byte, (size_t)x->shape[0]);
  }
  return 0;
}

/* Changes bytes in an order that counts where elements lie in the same. */
TVM_FFI_C_EXPORT(stamp, "(0: DLTensor*) -> None") {
  int64_t index[8] = {0};
  unsigned count = 0;
  DLTensor *x;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  do {
    uint8_t *at = (uint8_t *)tvm_ffi_tensor_get_data(x);
    for (i = 0; i < x->ndim; ++i) at += index[i] * x->strides[i];
    *at = (uint8_t)(3 * *at + ++count);
    for (i = x->ndim - 1; i >= 0 && ++index[i] == x->shape[i]; --i) index[i] = 0;
  } while (i >= 0);
  return 0;
}

/* Writes to its argument, and fails. */
TVM_FFI_C_EXPORT(write_and_fail, "(0: DLTensor*) -> None") {
  DLTensor *y;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  *element(y, 0) = 77;
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "failed on purpose");
}

TVM_FFI_C_EXPORT(fail_with_cause, "() -> None") {
  tvm_ffi_error_raise(TVM_FFI_C_KEY_ERROR, "inner");
  (void)args;
  return tvm_ffi_error_wrap("MyError", "outer");
}

/* The address of the elements modulo 4096. */
TVM_FFI_C_EXPORT(alignment, "(0: DLTensor*) -> int") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(
      args, tvm_ffi_any_from_int64((int64_t)((uintptr_t)tvm_ffi_tensor_get_data(x) % 64)));
}

/* A tensor of n floats 0, 1, 2, ... by the environment's allocator. */
TVM_FFI_C_EXPORT(iota, "(0: int) -> ffi.Tensor") {
  DLDevice cpu = {kDLCPU, 0};
  TVMFFIObjectHandle made;
  int64_t n, i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(cpu, TVM_FFI_C_FLOAT32, 1, &n, &made));
  for (i = 0; i < n; ++i) *element(TVMFFITensorGetDLTensorPtr(made), i) = (float)i;
  return tvm_ffi_args_return_object(args, made);
}

static void free_elements(void *context, DLTensor *tensor) {
  (void)tensor;
  free(context);
}

/* The same in memory of its own, every second element of it. */
TVM_FFI_C_EXPORT(own_iota, "(0: int) -> ffi.Tensor") {
  DLDevice cpu = {kDLCPU, 0};
  DLTensor tensor;
  TVMFFIObjectHandle made;
  int64_t n, i, strides[1] = {2};
  float *data;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  data = malloc((size_t)(2 * n + 1) * sizeof *data);
  if (data == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < 2 * n; ++i) data[i] = i % 2 != 0 ? -1 : (float)(i / 2);
  memset(&tensor, 0, sizeof tensor);
  tensor.data = data;
  tensor.device = cpu;
  tensor.dtype = TVM_FFI_C_FLOAT32;
  tensor.ndim = 1;
  tensor.shape = &n;
  tensor.strides = strides;
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&tensor, free_elements, data, &made));
  return tvm_ffi_args_return_object(args, made);
}

/* An Array that has the first argument so many times. */
TVM_FFI_C_EXPORT(repeat, "(0: Any, 1: int) -> ffi.Array") {
  int64_t count, i;
  TVMFFIAny *items;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &count));
  items = malloc((size_t)(count + 1) * sizeof *items);
  if (items == NULL) return tvm_ffi_error_raise_memory();
  for (i = 0; i < count; ++i) items[i] = args->args[0];
  code = tvm_ffi_function_call_global("ffi.Array", items, (int32_t)count, args->result);
  free(items);
  return code;
}

/* Calls a function with the other arguments, and returns what that returns. */
TVM_FFI_C_EXPORT(call, "(0: ffi.Function, ...) -> Any") {
  return tvm_ffi_function_call(args->args[0].v_obj, args->args + 1, args->num_args - 1,
                               args->result);
}

/* Calls a function with a column of a wide matrix of two rows, and returns the sum of the column.
 */
TVM_FFI_C_EXPORT(call_with_column, "(0: ffi.Function, 1: int) -> int") {
  int64_t shape[1] = {2}, strides[1];
  TVMFFIAny arg, none;
  DLTensor column;
  uint8_t *data;
  size_t size;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, strides));
  size = (size_t)(strides[0] + 1);
  data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return tvm_ffi_error_raise_memory();
  memset(&column, 0, sizeof column);
  column.data = data;
  column.device.device_type = kDLCPU;
  column.dtype = TVM_FFI_C_UINT8;
  column.ndim = 1;
  column.shape = shape;
  column.strides = strides;
  arg = tvm_ffi_any_view_tensor(&column);
  code = tvm_ffi_function_call(args->args[0].v_obj, &arg, 1, &none);
  if (code == 0) *args->result = tvm_ffi_any_from_int64(data[0] + data[strides[0]]);
  munmap(data, size);
  return code;
}

static TVMFFIObjectHandle kept;

/* Keeps its argument; gives the one before back. */
TVM_FFI_C_EXPORT(keep, "(0: Any) -> Any") {
  TVMFFIAny owned;
  TVM_FFI_C_TRY(tvm_ffi_any_copy(&args->args[0], &owned));
  *args->result = tvm_ffi_any_take_object(kept);
  kept = owned.type_index >= kTVMFFIStaticObjectBegin ? owned.v_obj : NULL;
  return 0;
}

TVM_FFI_C_FUNCTION(add_numbers, "(0: int, 1: int) -> int") {
  int64_t a, b;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
}

/* A function. */
TVM_FFI_C_EXPORT(adder, "() -> ffi.Function") {
  TVMFFIObjectHandle made;
  TVM_FFI_C_TRY(TVMFFIFunctionCreate(NULL, add_numbers, NULL, &made));
  return tvm_ffi_args_return_object(args, made);
}

/* A module does not cross. */
TVM_FFI_C_EXPORT(module, "() -> ffi.Module") {
  TVMFFIAny prefix = tvm_ffi_any_view_string("");
  return tvm_ffi_function_call_global("ffi.SystemLib", &prefix, 0, args->result);
}
