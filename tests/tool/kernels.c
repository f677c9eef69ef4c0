/* SPDX-License-Identifier: Apache-2.0 */
/* A library for the tool to read and to query. */
#include <string.h>
#include <tvm/ffi/c.h>

TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> None") {
  return tvm_ffi_args_check_count(args, 2);
}
TVM_FFI_C_EXPORT_SCHEMA(scale, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_TYPE("DLTensor*") "," TVM_FFI_C_TYPE("float"));
TVM_FFI_C_EXPORT_DOC(scale, "Scale x by s.\nIn place.");

TVM_FFI_C_EXPORT(undescribed, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}

/* Metadata as other headers emit it: as a function without data symbols. */
TVM_FFI_C_EXPORT(add, "(0: int, 1: int) -> int") {
  return tvm_ffi_args_check_count(args, 2);
}
TVM_FFI_C_EXPORT(_metadata_add, "() -> str") {
  return tvm_ffi_string_create(
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":[" TVM_FFI_C_TYPE(
          "int") "," TVM_FFI_C_TYPE("int") "," TVM_FFI_C_TYPE("int") "]}\"}",
      args->result);
}

TVM_FFI_C_EXPORT(raises, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT(_metadata_raises, "() -> str") {
  (void)args;
  return tvm_ffi_error_raise("ValueError", "no metadata today");
}

TVM_FFI_C_EXPORT(counts, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT(_metadata_counts, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(42));
}

/* More than the tool takes from all functions together. */
TVM_FFI_C_EXPORT(prolix, "() -> None") {
  return tvm_ffi_args_check_count(args, 0);
}
TVM_FFI_C_EXPORT(_metadata_prolix, "() -> str") {
  static char text[(16 << 20) + 1];
  memset(text, 'x', sizeof text - 1);
  return tvm_ffi_string_create(text, args->result);
}
