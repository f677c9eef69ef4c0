/* SPDX-License-Identifier: Apache-2.0
 * A kernel that is compiled with c.h and with tvm_ffi_kernel.h: test_kernel_header compares the
 * two. */
#ifdef WITH_KERNEL_HEADER
#include <tvm_ffi_kernel.h>
#else
#include <stdbool.h>
#include <tvm/ffi/c.h>
#endif

/* Expands NAME, which the command line defines. */
#define EXPORT(name, signature) TVM_FFI_C_EXPORT(name, signature)
#define EXPORT_DOC(name, text) TVM_FFI_C_EXPORT_DOC(name, text)
#define EXPORT_METADATA(name, text) TVM_FFI_C_EXPORT_METADATA(name, text)

#define SUM(type) \
  for (i = 0; i < n; ++i) sum += (double)((const type *)data)[i]

/* The first argument says which check follows. */
EXPORT(NAME, "(0: int, 1: Any, 2: Any) -> Any") {
  const int64_t wanted[2] = {2, -1};
  DLTensor *tensor;
  int64_t which, integer = -1, i, n;
  double number = -1, sum = 0;
  const void *data;
  _Bool flag = 0;

  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &which));
  switch (which) {
    case 0:
      TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &integer));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(integer));
    case 1:
      TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &number));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_double(number));
    case 2:
      TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 1, &flag));
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(flag));
    case 3:
      TVM_FFI_C_TRY(tvm_ffi_args_check_shape(args, 1, 2, wanted));
      return 0;
    case 4:
      TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 1, tvm_ffi_dtype_make(kDLFloat, 32, 1)));
      return 0;
    case 5:
      TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 1, kDLCPU));
      return 0;
    case 6:
      TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
      return 0;
    case 7:
      TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 1, 2));
      return 0;
    case 8:
      TVM_FFI_C_TRY(tvm_ffi_args_check_same_dtype(args, 1, 2));
      return 0;
    case 9:
      TVM_FFI_C_TRY(tvm_ffi_args_check_same_device(args, 1, 2));
      return 0;
    case 10:
      TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 2));
      return 0;
    case 11:
      TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &tensor));
      n = tvm_ffi_tensor_get_numel(tensor);
      return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(n));
    case 12:
      TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &tensor));
      TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 1, kDLCPU));
      data = tvm_ffi_tensor_get_data(tensor);
      n = data != 0 ? 1 : 0;
      TVM_FFI_C_ARGS_DISPATCH(args, 1, TVM_FFI_C_CASES_FLOAT, SUM);
      return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum));
    case 13:
      TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 3, &integer));
      return 0;
    case 14:
      TVM_FFI_C_CHECK(which == 0, TVM_FFI_C_VALUE_ERROR, "which is not 0");
      return 0;
    default:
      return TVM_FFI_C_RAISE("KeyError", "no such check");
  }
}

EXPORT_DOC(NAME, "Checks.");
EXPORT_METADATA(NAME, "{}");
