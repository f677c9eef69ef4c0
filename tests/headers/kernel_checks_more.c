/* SPDX-License-Identifier: Apache-2.0
 * The same as kernel_checks.c, for what tvm_ffi_kernel_more.h has. */
#include <stdbool.h>
#ifdef WITH_KERNEL_HEADER
#include <tvm_ffi_kernel_more.h>
#else
#include <tvm/ffi/c.h>
#endif

/* Expands NAME_MORE, which the command line defines. */
#define EXPORT(name, signature) TVM_FFI_C_EXPORT(name, signature)
#define EXPORT_SCHEMA(name, result, params) TVM_FFI_C_EXPORT_SCHEMA(name, result, params)

static int check_tensor(const tvm_ffi_args *args, DLTensor *tensor, int64_t which) {
  TVMFFIObjectHandle created = NULL;
  int64_t number = -1;
  char text[64];
  switch (which) {
    case 5:
      if (tensor->ndim > 0) TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(tensor, 0, &number));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number));
    case 6:
      return tvm_ffi_args_return(args,
                                 tvm_ffi_any_from_bool(tvm_ffi_tensor_is_aligned(tensor, 16)));
    case 7:
      number = tvm_ffi_shape_get_numel(tensor->shape, tensor->ndim);
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number));
    case 8:
      return tvm_ffi_args_raise(args, 1, TVM_FFI_C_RUNTIME_ERROR, "has %d dimensions: %s",
                                (int)tensor->ndim,
                                tvm_ffi_shape_print(tensor->shape, tensor->ndim, text, 64));
    default:
      TVM_FFI_C_TRY(tvm_ffi_tensor_create(tensor->device, tensor->dtype, tensor->ndim,
                                          tensor->shape, &created));
      number = TVMFFITensorGetDLTensorPtr(created)->ndim;
      tvm_ffi_object_release(created);
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number));
  }
}

static int make_array(const tvm_ffi_args *args, const char *text) {
  TVMFFIObjectHandle array = NULL, outer = NULL;
  TVMFFIAny items[3];
  int code;
  items[0] = tvm_ffi_any_view_string(text);
  items[1] = tvm_ffi_any_none();
  items[2] = tvm_ffi_any_from_bool(true);
  TVM_FFI_C_TRY(tvm_ffi_array_create(items, 3, &array));
  items[0] = tvm_ffi_any_view_object(array);
  code = tvm_ffi_array_create(items, 1, &outer);
  items[1] = tvm_ffi_any_take_object(array);
  tvm_ffi_object_release(items[1].v_obj);
  tvm_ffi_object_release(outer);
  return code != 0 ? code : tvm_ffi_args_return(args, tvm_ffi_any_from_int64(items[0].type_index));
}

/* The first argument says which check follows. */
EXPORT(NAME_MORE, "(0: int, 1: Any, 2: Any) -> Any") {
  DLTensor *tensor;
  int64_t which, integer = -1;
  TVMFFIByteArray bytes = {NULL, 0};
  TVMFFIAny any;
  void *pointer = NULL;

  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  switch (which) {
    case 0:
      TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 1, &bytes));
      integer = (int64_t)bytes.size * 256 + (bytes.size > 0 ? bytes.data[0] : 0);
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(integer));
    case 1:
      TVM_FFI_C_TRY(tvm_ffi_args_read_pointer(args, 1, &pointer));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer(pointer));
    case 2:
      TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 1, -6, 100, &integer));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(integer));
    case 3:
      TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 1, 2));
      return 0;
    case 4:
      TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 1, 3));
      TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, -2, 2));
      return 0;
    case 10:
      TVM_FFI_C_TRY(tvm_ffi_any_from_uint64((uint64_t)INT64_MAX, &any));
      return tvm_ffi_any_from_uint64((uint64_t)any.v_int64 + 1, &any);
    case 11:
      return make_array(args, "an element");
    case 12:
      return tvm_ffi_args_return(args, tvm_ffi_any_view_string("small"));
    case 13:
      return tvm_ffi_error_raise_memory();
    case 14:
      TVM_FFI_C_TRY(tvm_ffi_args_check_valid(args, 1));
      return 0;
    case 15:
      TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 1, kDLCPU));
      return 0;
    case 16:
      TVM_FFI_C_TRY(tvm_ffi_args_check_readable_by(args, 1, kDLCUDA));
      return 0;
    case 17:
      TVM_FFI_C_TRY(tvm_ffi_args_check_aligned(args, 1, 16));
      return 0;
    case 18:
      TVM_FFI_C_TRY(tvm_ffi_args_check_writable(args, 1));
      return 0;
    case 19:
      return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "%0*d\xc3\xa4", 300, 7);
    case 20:
      return tvm_ffi_args_raise(args, 1, TVM_FFI_C_TYPE_ERROR, "%0*d\xc3\xa4", 254, 7);
    default:
      TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &tensor));
      return check_tensor(args, tensor, which);
  }
}

EXPORT_SCHEMA(NAME_MORE, TVM_FFI_C_TYPE_OF("Optional", TVM_FFI_C_TYPE("int")),
              TVM_FFI_C_PARAM("which", "int") "," TVM_FFI_C_TYPE("Any"));
