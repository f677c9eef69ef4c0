/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/module.h
 * Modules: load a library of kernels and get functions out of it.
 *
 *     TVM_FFI_C_TRY(tvm_ffi_module_load_function("./scale.so", "scale", &scale));
 *     ... tvm_ffi_function_call(scale, args, 3, &result) ...
 *     tvm_ffi_object_release(scale);
 */
#ifndef TVM_FFI_C_MODULE_H_
#define TVM_FFI_C_MODULE_H_

#include <tvm/ffi/c/function.h>

/**
 * Load a module file: a shared library, or whatever a loader is registered for.
 * @param path [borrow] A name without a slash is looked for where the system's loader looks, which
 *             is not the current folder: write "./kernel.so".
 * @param out  [own] A Module. Functions got from it keep the library loaded by themselves.
 * @return 0, or non-zero.
 * Errors: RuntimeError (no loader for such files), InternalError (the system cannot load it), any
 * (loaders, constructors of the library).   Threads: any.
 */
static inline int tvm_ffi_module_load(const char *path, TVMFFIObjectHandle *out);

/**
 * Find a function of a module that may be missing. Its imports are not searched.
 * @param module [borrow] A Module.
 * @param name   [borrow] As exported: `scale` for the symbol `__tvm_ffi_scale`.
 * @param out    [own] A Function; NULL (and 0 returned) when there is none of that name.
 * @return 0, or non-zero.   Errors: TypeError, memory, any (custom modules).   Threads: any.
 */
static inline int tvm_ffi_module_find_function(TVMFFIObjectHandle module, const char *name,
                                               TVMFFIObjectHandle *out);

/**
 * Get a function of a module, which must exist.
 * @param module, name [borrow] As for tvm_ffi_module_find_function.
 * @param out          [own] A Function.
 * @return 0, or non-zero.
 * Errors: AttributeError ``Module has no function `<name>` ``, TypeError, memory, any (custom
 * modules).   Threads: any.
 */
static inline int tvm_ffi_module_get_function(TVMFFIObjectHandle module, const char *name,
                                              TVMFFIObjectHandle *out);

/**
 * Load a module file and get one of its functions, which keeps the library loaded.
 * @param path, name [borrow] As for tvm_ffi_module_load and tvm_ffi_module_find_function.
 * @param out        [own] A Function.
 * @return 0, or non-zero.   Errors: those of tvm_ffi_module_load, AttributeError.   Threads: any.
 */
static inline int tvm_ffi_module_load_function(const char *path, const char *name,
                                               TVMFFIObjectHandle *out);

/**
 * The same, and the module that the function is of. A host that rebuilds its kernels allows to
 * unload each with it, or the process keeps all that it ever loaded:
 *
 *     TVM_FFI_C_TRY(tvm_ffi_module_load_with_function("./k.so", "k", &module, &k));
 *     code = TVMFFIRuntimeModuleAllowUnload(module);     (this runtime; extra/c_runtime_api.h)
 *     tvm_ffi_object_release(module);
 *     ... call k ...
 *     tvm_ffi_object_release(k);                         (unloads the library)
 *
 * @param path, name   [borrow] As for tvm_ffi_module_load_function.
 * @param out_module   [own] A Module.
 * @param out_function [own] A Function.
 * @return 0, or non-zero.   Errors: those of tvm_ffi_module_load_function.   Threads: any.
 */
static inline int tvm_ffi_module_load_with_function(const char *path, const char *name,
                                                    TVMFFIObjectHandle *out_module,
                                                    TVMFFIObjectHandle *out_function);

#include <tvm/ffi/c/detail/module.h> /* the bodies */

#endif /* TVM_FFI_C_MODULE_H_ */
