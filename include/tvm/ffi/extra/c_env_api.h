/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/c_env_api.h
 * The environment a kernel runs in: streams, the framework's tensor allocator, signals of a
 * frontend, and the symbols that loaded libraries share. Contracts are written as in c_api.h.
 */
#ifndef TVM_FFI_EXTRA_C_ENV_API_H_
#define TVM_FFI_EXTRA_C_ENV_API_H_

#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A stream of a device, for instance a cudaStream_t. */
typedef void *TVMFFIStreamHandle;

#if DLPACK_MAJOR_VERSION == 1 && DLPACK_MINOR_VERSION < 3
/** DLPack 1.3's allocator; declared here for the sake of older DLPack 1.x headers. */
typedef int (*DLPackManagedTensorAllocator)(DLTensor *prototype, DLManagedTensorVersioned **out,
                                            void *error_ctx,
                                            void (*SetError)(void *error_ctx, const char *kind,
                                                             const char *message));
#endif

/* ---- Streams: one per thread and device ---- */

/**
 * Set this thread's current stream of a device.
 * @param device_type, device_id [in] Not negative; any value, tables are sparse.
 * @param stream              [borrow] Kept as a plain pointer.
 * @param opt_out_original_stream [out] The previous one, NULL when none was set; may be NULL.
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id,
                                   TVMFFIStreamHandle stream,
                                   TVMFFIStreamHandle *opt_out_original_stream);

/**
 * This thread's current stream of a device.
 * @return [lend] As long as its owner keeps it; NULL when none was set.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

/* ---- Tensor allocator ---- */

/**
 * Set the allocator that TVMFFIEnvTensorAlloc uses in this thread, and optionally in all threads
 * without their own.
 * @param allocator               [in] NULL removes it.
 * @param write_to_global_context [in] Non-zero sets the process-wide fallback as well.
 * @param opt_out_original_allocator [out] This thread's previous one, NULL if none, regardless of
 *                                the fallback; may be NULL.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator *opt_out_original_allocator);

/**
 * The effective allocator: this thread's if it has one, otherwise the process-wide one, otherwise
 * NULL.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void);

/**
 * Allocate a tensor with the effective allocator.
 * @param prototype [borrow] Device, dtype, ndim and shape; data and strides are ignored.
 * @param out       [own] A Tensor; missing strides are filled in as compact row-major.
 * @return 0, -1, or the allocator's own code.
 * Errors: RuntimeError (no allocator, or it returned nothing), ValueError, any.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out);

/* ---- Frontend hooks ---- */

/**
 * Ask the frontend whether a signal (such as Ctrl-C) is pending; long-running code calls this.
 * @return 0; or -1 when the frontend holds a pending exception: raise kind EnvErrorAlreadySet
 *         then, this function leaves the error slot alone. 0 without a frontend.
 * Errors: InternalError (registered without the functions for its lock).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvCheckSignals(void);

/**
 * Register a function of the frontend: `PyErr_CheckSignals` (int (void)), `PyGILState_Ensure`
 * (void *(void)), `PyGILState_Release` (void (void *)).
 * While PyErr_CheckSignals is registered, functions that are made check what their code returns
 * (docs/errors.md): a failure without an error gets one, and -2 becomes -1. To learn whether an
 * exception is set, this library calls PyGILState_GetThisThreadState and PyErr_Occurred of the
 * library or program that has PyErr_CheckSignals.
 * @param name   [borrow]
 * @param symbol [borrow] NULL unregisters it.
 * Errors: ValueError (unknown name).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvRegisterCAPI(const char *name, void *symbol);

/* ---- Libraries ---- */

/**
 * Find a function for a loaded library: in the modules its module imports, then among the global
 * functions. The result is cached in the module.
 * @param library_ctx [borrow] What the loader stored in the library's `__tvm_ffi__library_ctx`.
 * @param func_name   [borrow]
 * @param out         [lend] As long as the module lives.
 * Errors: RuntimeError (not found), ValueError, memory, any.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char *func_name,
                                              TVMFFIObjectHandle *out);

/**
 * Register a pointer to be stored in the data symbol `name` of every library that is loaded from
 * now on and has this symbol. The last of several values for one name wins.
 * @param name   [borrow] Copied.
 * @param symbol [borrow] As long as the process lives.
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol);

/**
 * Add a symbol of statically linked code to the system library (`ffi.SystemLib`).
 * @param name   [borrow] The full symbol name, for instance `__tvm_ffi_add_one`; copied.
 * @param symbol [borrow] Replaces an earlier address, which is reported to the log hook.
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_ENV_API_H_ */
