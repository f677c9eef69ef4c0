/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/module.h
 * The bodies of tvm/ffi/c/module.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_MODULE_H_
#define TVM_FFI_C_DETAIL_MODULE_H_

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_module_load(const char *path,
                                                                 TVMFFIObjectHandle *out) {
  TVMFFIAny arg = tvm_ffi_any_view_string(path), result;
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleLoadFromFile", &arg, 1, &result));
  *out = result.v_obj;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_module_find_function(TVMFFIObjectHandle module,
                                                                          const char *name,
                                                                          TVMFFIObjectHandle *out) {
  TVMFFIAny args[3], result;
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string(name);
  args[2] = tvm_ffi_any_from_bool(false);
  TVM_FFI_C_TRY(tvm_ffi_function_call_global("ffi.ModuleGetFunction", args, 3, &result));
  *out = result.type_index == kTVMFFINone ? NULL : result.v_obj;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_module_get_function(TVMFFIObjectHandle module,
                                                                         const char *name,
                                                                         TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle function = NULL;
  TVM_FFI_C_TRY(tvm_ffi_module_find_function(module, name, &function));
  if (function == NULL) {
    return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_ATTRIBUTE_ERROR, "Module has no function `%s`", name);
  }
  *out = function;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_module_load_with_function(
    const char *path, const char *name, TVMFFIObjectHandle *out_module,
    TVMFFIObjectHandle *out_function) {
  TVMFFIObjectHandle module = NULL;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));
  code = tvm_ffi_module_get_function(module, name, out_function);
  if (code == 0) {
    *out_module = module;
  } else {
    TVMFFIObjectDecRef(module);
  }
  return code;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_module_load_function(const char *path,
                                                                          const char *name,
                                                                          TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle module = NULL;
  TVM_FFI_C_TRY(tvm_ffi_module_load_with_function(path, name, &module, out));
  TVMFFIObjectDecRef(module);
  return 0;
}

#endif /* TVM_FFI_C_DETAIL_MODULE_H_ */
