/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/device_plugin.h
 * Device plugins: what `tvm-ffi run --device=opencl:0` and other commands of the tool need of a
 * device. A plugin is a kernel library with one exported function, which TVM_FFI_C_DEVICE_PLUGIN
 * defines, in a file named after the device: tvm_ffi_device_opencl.so (.dylib on macOS, .dll on
 * Windows). docs/guide/devices.md says where the tool looks for it.
 *
 *     static int open_stream(int32_t device_id, TVMFFIStreamHandle *out) { ... }
 *     ...
 *     static const tvm_ffi_device_plugin plugin = {
 *         TVM_FFI_C_DEVICE_PLUGIN_VERSION, kDLOpenCL, open_stream, allocate, release,
 *         copy_in, copy_out, wait_for};
 *     TVM_FFI_C_DEVICE_PLUGIN(plugin)
 *
 * Not part of c.h.
 */
#ifndef TVM_FFI_C_DEVICE_PLUGIN_H_
#define TVM_FFI_C_DEVICE_PLUGIN_H_

#include <tvm/ffi/c/export.h>

/** The version of tvm_ffi_device_plugin that is declared here. */
#define TVM_FFI_C_DEVICE_PLUGIN_VERSION 1

/**
 * What a plugin can do. Its functions return 0, or non-zero with an error raised, which the tool
 * reports with the plugin's name. They get the number of one device, and the stream that kernels
 * get on it.
 *
 * `data` is what DLTensor.data is on the device (docs/guide/devices.md): an address, to which the
 * tool has added the offset, and `offset` is 0; or a handle, and `offset` counts bytes from its
 * begin.
 *
 * Threads: any, several at once, after the first call of `stream` has returned. A kernel's own
 * threads may come to `allocate` and `release` without one of theirs, so these make the device
 * current themselves where the API needs it; the others come after a call of `stream`. But
 * `tvm-ffi record` calls `copy_out` alone, in any thread of a program that has its own memory and
 * stream, and perhaps another plugin: it needs no other call, and leaves the current device as it
 * was.
 */
typedef struct {
  /** TVM_FFI_C_DEVICE_PLUGIN_VERSION; the tool reads nothing else of a version that it does not
   * know. */
  int32_t version;
  /** DLDeviceType: the device that the file is named after. */
  int32_t device_type;
  /**
   * Open the device on its first call, and make it the current one of this thread.
   * @param out [out, lend] The stream that kernels get, until the process ends, the same for all
   *        threads; NULL: the default one.
   */
  int (*stream)(int32_t device_id, TVMFFIStreamHandle *out);
  /**
   * Allocate memory.
   * @param size [in] In bytes, at least 1.
   * @param out  [out, own] Not NULL; released with `release`. What it contains is undefined.
   */
  int (*allocate)(int32_t device_id, TVMFFIStreamHandle stream, size_t size, void **out);
  /** Release it. @param data [take] From `allocate`. Errors: none. */
  void (*release)(int32_t device_id, TVMFFIStreamHandle stream, void *data);
  /** Copy from CPU memory, before work that is given to the stream later.
   * @param source [borrow] size bytes, at least 1, until the function returns. */
  int (*copy_in)(int32_t device_id, TVMFFIStreamHandle stream, void *data, uint64_t offset,
                 const void *source, size_t size);
  /**
   * Copy to CPU memory, after work that was given to the stream before. An error, and nothing is
   * done, while the stream is captured into a graph.
   * @param dest [borrow] size bytes, at least 1, written when the function returns.
   */
  int (*copy_out)(int32_t device_id, TVMFFIStreamHandle stream, const void *data, uint64_t offset,
                  void *dest, size_t size);
  /** Wait for all work on the device; an error if some of it failed. */
  int (*wait)(int32_t device_id, TVMFFIStreamHandle stream);
} tvm_ffi_device_plugin;

/**
 * Makes the library a plugin. At file scope, without a semicolon.
 * @param plugin A tvm_ffi_device_plugin at file scope.
 */
#define TVM_FFI_C_DEVICE_PLUGIN(plugin)                                                         \
  TVM_FFI_C_EXPORT(tvm_ffi_device_plugin, "() -> void*") {                                      \
    TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 0));                                           \
    return tvm_ffi_args_return(args, tvm_ffi_any_from_pointer((void *)(uintptr_t) & (plugin))); \
  }

#endif /* TVM_FFI_C_DEVICE_PLUGIN_H_ */
