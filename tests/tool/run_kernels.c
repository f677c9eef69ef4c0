/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for the tests of `tvm-ffi run` and `bench`: correct ones, and ones that fail. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tvm/ffi/c.h>

#if defined(_WIN32)
#include <windows.h>

static void sleep_for(double seconds) {
  Sleep((DWORD)(seconds * 1e3));
}
#else
static void sleep_for(double seconds) {
  struct timespec time;
  time.tv_sec = (time_t)seconds;
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}
#endif

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float, 2: DLTensor*) -> void") {
  DLTensor *x, *y;
  double factor;
  int64_t n, i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &factor));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 2, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 2, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) {
    ((float *)tvm_ffi_tensor_get_data(y))[i] =
        (float)factor * ((const float *)tvm_ffi_tensor_get_data(x))[i];
  }
  return 0;
}
TVM_FFI_C_EXPORT_SCHEMA(
    scale, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_TYPE("DLTensor*") "," TVM_FFI_C_TYPE("float") "," TVM_FFI_C_TYPE("DLTensor*"));

TVM_FFI_C_EXPORT(add, "(0: int, 1: int) -> int") {
  int64_t a, b;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
}

/* Returns its arguments as the runtime prints them: shows how the command line was read. */
TVM_FFI_C_EXPORT(show, "(...: Any) -> ffi.Array") {
  TVMFFIObjectHandle array;
  TVMFFIAny list;
  TVM_FFI_C_TRY(tvm_ffi_array_create(args->args, args->num_args, &array));
  list = tvm_ffi_any_take_object(array);
  int code = tvm_ffi_function_call_global("ffi.ReprPrint", &list, 1, args->result);
  tvm_ffi_any_clear(&list);
  return code;
}

/* The same with metadata of its types. */
TVM_FFI_C_EXPORT(show_typed, "(0: float, ...) -> str") {
  return __tvm_ffi_show(NULL, args->args, args->num_args, args->result);
}
#define LIST(type) TVM_FFI_C_TYPE_OF("ffi.Array", TVM_FFI_C_TYPE(type))
TVM_FFI_C_EXPORT_SCHEMA(show_typed, TVM_FFI_C_TYPE("ffi.String"),
                        TVM_FFI_C_TYPE("float") "," TVM_FFI_C_TYPE("ffi.String") "," TVM_FFI_C_TYPE(
                            "DataType") "," TVM_FFI_C_TYPE("Device") "," TVM_FFI_C_TYPE("ffi.Shape")
                            "," TVM_FFI_C_TYPE("bool") "," LIST("float") "," TVM_FFI_C_TYPE_OF(
                            "Optional", TVM_FFI_C_TYPE("ffi.String")));

TVM_FFI_C_EXPORT(identity, "(0: Any) -> Any") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_any_copy(&args->args[0], args->result);
}

/* A float32 tensor of 0 1 2 ..., with n elements in memory from the environment. [own] *out */
static int make_tensor(int64_t n, TVMFFIObjectHandle *out) {
  int64_t i;
  TVM_FFI_C_TRY(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, &n, out));
  for (i = 0; i < n; ++i) ((float *)TVMFFITensorGetDLTensorPtr(*out)->data)[i] = (float)i;
  return 0;
}

TVM_FFI_C_EXPORT(make, "(0: int) -> ffi.Tensor") {
  TVMFFIObjectHandle tensor;
  int64_t n;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
  TVM_FFI_C_TRY(make_tensor(n, &tensor));
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}

/* A tensor with the shape and device of the argument. */
TVM_FFI_C_EXPORT(make_like, "(0: DLTensor*) -> ffi.Tensor") {
  TVMFFIObjectHandle tensor;
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(x->device, x->dtype, x->ndim, x->shape, &tensor));
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}

/* Unusual tensors: one without data; every other element of 0 1 2 3; one on another device. */
TVM_FFI_C_EXPORT(make_odd, "(0: int) -> ffi.Tensor") {
  static float numbers[] = {0, 1, 2, 3};
  static int64_t shape[] = {2}, strides[] = {2};
  static DLManagedTensorVersioned made[3];
  TVMFFIObjectHandle tensor;
  int64_t index;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &index));
  TVM_FFI_C_CHECK(index >= 0 && index < 3, TVM_FFI_C_VALUE_ERROR, "which");
  made[index].version.major = DLPACK_MAJOR_VERSION;
  tvm_ffi_tensor_init(&made[index].dl_tensor, index == 0 ? NULL : numbers,
                      tvm_ffi_device_make(index == 2 ? kDLVulkan : kDLCPU, 0), TVM_FFI_C_FLOAT32, 1,
                      shape, strides);
  strides[0] = 2;
  TVM_FFI_C_TRY(TVMFFITensorFromDLPackVersioned(&made[index], 0, 0, &tensor));
  *args->result = tvm_ffi_any_take_object(tensor);
  return 0;
}

TVM_FFI_C_EXPORT(make_two, "() -> ffi.Array") {
  TVMFFIObjectHandle tensor, other, array = NULL;
  TVMFFIAny items[2];
  int code;
  TVM_FFI_C_TRY(make_tensor(1, &tensor));
  if (make_tensor(2, &other) != 0) {
    TVMFFIObjectDecRef(tensor);
    return -1;
  }
  items[0] = tvm_ffi_any_take_object(tensor);
  items[1] = tvm_ffi_any_take_object(other);
  code = tvm_ffi_array_create(items, 2, &array);
  tvm_ffi_any_clear(&items[0]);
  tvm_ffi_any_clear(&items[1]);
  if (code != 0) return code;
  *args->result = tvm_ffi_any_take_object(array);
  return 0;
}

/* Adds 1 to each element of the argument. */
TVM_FFI_C_EXPORT(bump, "(0: DLTensor*) -> void") {
  DLTensor *x;
  int64_t n, i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_INT32));
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) ++((int32_t *)tvm_ffi_tensor_get_data(x))[i];
  return 0;
}

TVM_FFI_C_EXPORT(call, "(0: ffi.Function, 1: Any) -> Any") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  return tvm_ffi_function_call(args->args[0].v_obj, args->args + 1, 1, args->result);
}

TVM_FFI_C_EXPORT(fail, "() -> void") {
  return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "on purpose, with %d arguments",
                             (int)args->num_args);
}

TVM_FFI_C_EXPORT(fail_with_place, "() -> void") {
  (void)args;
  return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "on purpose");
}

TVM_FFI_C_EXPORT(crash, "() -> void") {
  volatile int *volatile nowhere = NULL;
  (void)args;
  *nowhere = 1;
  return 0;
}

TVM_FFI_C_EXPORT(leave, "() -> void") {
  (void)args;
  exit(3);
}

/* Reads the byte at an offset from the data. */
TVM_FFI_C_EXPORT(peek, "(0: DLTensor*, 1: int) -> int") {
  DLTensor *x;
  int64_t offset;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &offset));
  return tvm_ffi_args_return(args,
                             tvm_ffi_any_from_int64(((volatile unsigned char *)x->data)[offset]));
}

/* Writes the byte at an offset from the data. */
TVM_FFI_C_EXPORT(poke, "(0: DLTensor*, 1: int, 2: int) -> void") {
  DLTensor *x;
  int64_t offset, byte;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &offset));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 2, &byte));
  ((volatile unsigned char *)x->data)[offset] = (unsigned char)byte;
  return 0;
}

/* Says how the arguments lie in memory, each with the distance of its data from the first one's. */
TVM_FFI_C_EXPORT(describe, "(...: Any) -> None") {
  char text[1024], shape[128], strides[128], device[48];
  DLTensor *first = NULL, *x;
  size_t used = 0;
  int32_t i;
  for (i = 0; i < args->num_args; ++i) {
    const TVMFFIAny *value = &args->args[i];
    DLManagedTensorVersioned *exported = NULL;
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, &x));
    if (first == NULL) first = x;
    if (value->type_index == kTVMFFITensor) {
      TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(value->v_obj, &exported));
    }
    used += (size_t)snprintf(
        text + used, sizeof text - used, "%s%s %s+%d base %d at %+d %s%s", i > 0 ? "; " : "",
        tvm_ffi_shape_print(x->shape, x->ndim, shape, sizeof shape),
        tvm_ffi_shape_print(x->strides, x->ndim, strides, sizeof strides), (int)x->byte_offset,
        (int)((uintptr_t)x->data % 64), (int)((char *)x->data - (char *)first->data),
        tvm_ffi_device_print(x->device, device, sizeof device),
        exported == NULL                                         ? " dltensor"
        : (exported->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0 ? " read-only"
                                                                 : "");
    if (exported != NULL) exported->deleter(exported);
  }
  fprintf(stderr, "%s\n", text);
  return 0;
}

/* Sets each element of a tensor of bytes, wherever it lies, to its number from 1 on. */
TVM_FFI_C_EXPORT(number, "(0: DLTensor*) -> void") {
  DLTensor *x;
  int64_t i, j, count = 0;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 2));
  for (i = 0; i < x->shape[0]; ++i) {
    for (j = 0; j < x->shape[1]; ++j) {
      char *data = tvm_ffi_tensor_get_data(x);
      data[i * x->strides[0] + j * x->strides[1]] = (char)++count;
    }
  }
  return 0;
}

/* Leaks a reference to a tensor. */
TVM_FFI_C_EXPORT(leak, "() -> void") {
  static TVMFFIObjectHandle kept;
  (void)args;
  return make_tensor(3, &kept);
}

TVM_FFI_C_EXPORT(wait, "(0: float) -> void") {
  double seconds;
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 0, &seconds));
  sleep_for(seconds);
  return 0;
}

/* A result that is an error, with return code 0. */
TVM_FFI_C_EXPORT(return_error, "() -> ffi.Error") {
  TVMFFIObjectHandle error;
  (void)tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "an error as the result");
  error = tvm_ffi_error_take();
  *args->result = tvm_ffi_any_take_object(error);
  return 0;
}

/* No kernel, but visible. */
TVM_FFI_C_DETAIL_VISIBLE int plain(void);
int plain(void) {
  return 1;
}
