/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/export.h
 * Declare kernels: functions that a library exports, and functions to register or to pass on.
 *
 *     TVM_FFI_C_EXPORT(add, "(0: int, 1: int) -> int") {
 *       int64_t a, b;
 *       TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
 *       TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
 *       TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
 *       return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
 *     }
 *
 * Compile with -shared -fPIC -fvisibility=hidden. The library need not be linked with a runtime:
 * that of the process serves it. Nothing may unwind out of a body: one compiled as C++ must not let
 * an exception out.
 */
#ifndef TVM_FFI_C_EXPORT_H_
#define TVM_FFI_C_EXPORT_H_

#include <tvm/ffi/c/args.h>
#include <tvm/ffi/c/string.h>

/**
 * Begins an exported kernel, the symbol `__tvm_ffi_<name>`; its body follows in braces and has
 * `const tvm_ffi_args *args`. It returns 0, or non-zero with an error raised; if it raises none, an
 * InternalError that says so is raised, since some frontends crash without one.
 * @param name      An identifier: what callers ask the module for.
 * @param signature A literal `(0: T0, 1: T1) -> R`, which errors show after the name.
 */
#define TVM_FFI_C_EXPORT(name, signature)     \
  TVM_FFI_C_DETAIL_DECLARE(__tvm_ffi_##name); \
  TVM_FFI_C_DETAIL_DEFINE(, __tvm_ffi_##name, tvm_ffi_body_##name, #name signature)

/**
 * Begins a static TVMFFISafeCallType function `<name>` in the same way: to be registered
 * (TVM_FFI_C_REGISTER_GLOBAL), or passed on as a callback (TVMFFIFunctionCreate(context, name,
 * NULL, &function); the context is args->self).
 */
#define TVM_FFI_C_FUNCTION(name, signature) \
  TVM_FFI_C_DETAIL_DEFINE(static, name, tvm_ffi_body_##name, #name signature)

/**
 * Documents an exported kernel: text is a literal. Frontends call `__tvm_ffi__doc_<name>` for it;
 * `const char __tvm_ffi__doctext_<name>[]` has the same text for tools that read the file and run
 * nothing. At file scope, with a semicolon.
 */
#define TVM_FFI_C_EXPORT_DOC(name, text) \
  TVM_FFI_C_DETAIL_EXPORT_DATA(__tvm_ffi__doc_##name, __tvm_ffi__doctext_##name, text)

/**
 * Adds metadata to an exported kernel: a literal with a JSON object. Frontends call
 * `__tvm_ffi__metadata_<name>` for it; `const char __tvm_ffi__schema_<name>[]` has the same text
 * for tools that read the file and run nothing. At file scope, with a semicolon.
 */
#define TVM_FFI_C_EXPORT_METADATA(name, json) \
  TVM_FFI_C_DETAIL_EXPORT_DATA(__tvm_ffi__metadata_##name, __tvm_ffi__schema_##name, json)

/**
 * Adds the types of an exported kernel as metadata, which the C++ layer derives from a function's
 * type but C cannot read out of the signature. At file scope, with a semicolon.
 *
 *     TVM_FFI_C_EXPORT_SCHEMA(scale, TVM_FFI_C_TYPE("None"),
 *                             TVM_FFI_C_TYPE("DLTensor*") "," TVM_FFI_C_PARAM("s", "float") ","
 *                             TVM_FFI_C_TYPE_OF("Optional", TVM_FFI_C_TYPE("DLTensor*")));
 *
 * @param result The type of the result; "None" if there is none.
 * @param params The types of the parameters, with literal commas between them; "" for none.
 */
#define TVM_FFI_C_EXPORT_SCHEMA(name, result, params)                              \
  TVM_FFI_C_DETAIL_EXPORT_DATA(                                                    \
      __tvm_ffi__metadata_##name, __tvm_ffi__schema_##name,                        \
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{" \
      "\\\"return\\\":[" result "],\\\"params\\\":[" params "]}}\"}")

/**
 * A type of TVM_FFI_C_EXPORT_SCHEMA, by name, a literal: Any None bool int float void* DataType
 * Device DLTensor* ffi.String ffi.Bytes ffi.Tensor ffi.Shape ffi.Function ffi.Module, or the type
 * key of another class.
 */
#define TVM_FFI_C_TYPE(name) "{\\\"type\\\":\\\"" name "\\\"}"

/**
 * A type with type arguments, separated by literal commas: Optional ffi.Array ffi.Map Tuple
 * Variant.
 */
#define TVM_FFI_C_TYPE_OF(name, args) "{\\\"type\\\":\\\"" name "\\\",\\\"args\\\":[" args "]}"

/**
 * The same for a parameter with a name, an identifier: shown by tools and by wrappers made from the
 * metadata, ignored by other readers.
 */
#define TVM_FFI_C_PARAM(param, name) \
  "{\\\"type\\\":\\\"" name "\\\",\\\"name\\\":\\\"" param "\\\"}"
#define TVM_FFI_C_PARAM_OF(param, name, args) \
  "{\\\"type\\\":\\\"" name "\\\",\\\"args\\\":[" args "],\\\"name\\\":\\\"" param "\\\"}"

#include <tvm/ffi/c/detail/export.h> /* the bodies */

#endif /* TVM_FFI_C_EXPORT_H_ */
