/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with every kind of parameter and result, for wrappers to call; scale.c has one more. */
#include <string.h>
#include <tvm/ffi/c.h>

#define T TVM_FFI_C_TYPE
#define OF TVM_FFI_C_TYPE_OF
#define PARAM TVM_FFI_C_PARAM
#define OPTIONAL(param, name) TVM_FFI_C_PARAM_OF(param, "Optional", T(name))

/* Returns its arguments as a text, one after the other. */
TVM_FFI_C_EXPORT(
    show,
    "(0: bool, 1: int, 2: float, 3: DataType, 4: Device, 5: str, 6: bytes, 7: void*) -> str") {
  bool flag;
  int64_t number;
  double real;
  DLDataType dtype;
  DLDevice device;
  TVMFFIByteArray word, bytes;
  void *pointer;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 8));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bool(args, 0, &flag));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &number));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &real));
  TVM_FFI_C_TRY(tvm_ffi_args_read_dtype(args, 3, &dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_read_device(args, 4, &device));
  TVM_FFI_C_TRY(tvm_ffi_args_read_string(args, 5, &word));
  TVM_FFI_C_TRY(tvm_ffi_args_read_bytes(args, 6, &bytes));
  TVM_FFI_C_TRY(tvm_ffi_args_read_pointer(args, 7, &pointer));
  return tvm_ffi_string_create_formatted(
      args->result, "%d %lld %g %d/%d %d:%d %.*s %d %s", flag, (long long)number, real, dtype.code,
      dtype.bits, (int)device.device_type, (int)device.device_id, (int)word.size, word.data,
      (int)bytes.size, pointer != NULL ? "there" : "null");
}
TVM_FFI_C_EXPORT_SCHEMA(
    show, T("ffi.String"),
    PARAM("flag", "bool") "," PARAM("number", "int") "," PARAM("real", "float") "," PARAM(
        "type",
        "DataType") "," T("Device") "," PARAM("str",
                                              "ffi.String") "," PARAM("bytes",
                                                                      "ffi.Bytes") "," PARAM("point"
                                                                                             "er",
                                                                                             "void"
                                                                                             "*"));

/* Returns how many arguments are None, with optional parameters of several types. */
TVM_FFI_C_EXPORT(count_none, "(0: Optional<int>, ...) -> int") {
  int64_t count = 0;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 5));
  for (i = 0; i < 5; ++i) count += tvm_ffi_args_is_none(args, i);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(count));
}
TVM_FFI_C_EXPORT_SCHEMA(count_none, T("int"),
                        OPTIONAL("lib", "int") "," OPTIONAL("args", "DLTensor*") "," OPTIONAL(
                            "out",
                            "ffi.String") "," OPTIONAL("self",
                                                       "ffi.Function") "," OPTIONAL("tvm_ffi",
                                                                                    "Device"));

/* Functions that return the argument. The first one's name is a keyword of every language. */
#define SAME(name, type)                              \
  TVM_FFI_C_EXPORT(name, "(0: Any) -> Any") {         \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1)); \
    return tvm_ffi_args_return(args, args->args[0]);  \
  }                                                   \
  TVM_FFI_C_EXPORT_SCHEMA(name, type, type)
SAME(return, T("Any"));
SAME(same_bool, T("bool"));
SAME(same_int, T("int"));
SAME(same_float, T("float"));
SAME(same_pointer, T("void*"));
SAME(same_dtype, T("DataType"));
SAME(same_device, T("Device"));
SAME(same_str, T("ffi.String"));
SAME(same_bytes, T("ffi.Bytes"));
SAME(same_function, OF("ffi.Function", T("int") "," T("int")));
SAME(same_array, OF("ffi.Array", T("int")));
SAME(same_map, OF("ffi.Map", T("ffi.String") "," T("float")));
SAME(same_tuple, OF("Tuple", T("int") "," T("float")));
SAME(same_union, OF("Variant", T("int") "," T("ffi.String")));
SAME(same_optional_union, OF("Optional", OF("Variant", T("int") "," T("ffi.String"))));
SAME(same_optional_int, OF("Optional", T("int")));
SAME(same_optional_array, OF("Optional", T("ffi.Array")));
SAME(load, T("int"));
SAME(same_object, T("my.own.Class"));

/* All arguments but the first may be left out. */
TVM_FFI_C_EXPORT(
    count_args,
    "(0: int, 1: Optional<int>, 2: Optional<Tensor>, 3: Optional<Any>, 4: Any) -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->num_args));
}
#define DEFAULT_NONE(name) \
  "{\\\"type\\\":\\\"Optional\\\",\\\"args\\\":[" T(name) "],\\\"default\\\":null}"
TVM_FFI_C_EXPORT_SCHEMA(
    count_args, T("int"),
    T("int") "," DEFAULT_NONE("int") "," DEFAULT_NONE("DLTensor*") "," DEFAULT_NONE(
        "Any") ",{\\\"type\\\":\\\"Any\\\",\\\"default\\\":null}");

/* No argument may be left out, because the last parameter does not take None. */
TVM_FFI_C_EXPORT(count_given, "(0: Optional<int>, 1: int) -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->num_args));
}
TVM_FFI_C_EXPORT_SCHEMA(count_given, T("int"),
                        DEFAULT_NONE("int") ",{\\\"type\\\":\\\"int\\\",\\\"default\\\":null}");

/* Declares the result int, but returns a text. */
TVM_FFI_C_EXPORT(lies, "() -> int") {
  return tvm_ffi_string_create("a text that is not small", args->result);
}
TVM_FFI_C_EXPORT_SCHEMA(lies, T("int"), "");
TVM_FFI_C_EXPORT_DOC(lies,
                     "It says int.\n*/ ends no \"comment\" or text\"\"\", ?\?/ and \\ neither.");

TVM_FFI_C_EXPORT(packed, "(...) -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(args->num_args));
}
TVM_FFI_C_EXPORT_METADATA(packed, "{\"type_schema\":\"" T("ffi.Function") "\"}");

/* Its types are returned by a function, as with other headers, and are not there as data. */
TVM_FFI_C_EXPORT(asked, "(0: int) -> int") {
  return tvm_ffi_args_return(args, args->args[0]);
}
TVM_FFI_C_EXPORT(_metadata_asked, "() -> str") {
  return tvm_ffi_string_create(
      "{\"type_schema\":\"" OF("ffi.Function", T("int") "," T("int")) "\"}", args->result);
}
