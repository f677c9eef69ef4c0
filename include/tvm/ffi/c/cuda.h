/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/cuda.h
 * CUDA from C: the device of a call, and kernels of compiled images. Not part of c.h, since it
 * needs CUDA's headers; a program without them opens libcuda.so.1 itself, as samples/15_ptx_module
 * does.
 *
 *     static int load_scale(void **out) {
 *       tvm_ffi_cuda_library library;
 *       tvm_ffi_cuda_kernel kernel;
 *       TVM_FFI_C_TRY(tvm_ffi_cuda_library_load(image, &library));
 *       if (tvm_ffi_cuda_library_get_kernel(library, "scale", &kernel) != 0) {
 *         tvm_ffi_cuda_library_unload(library);
 *         return -1;
 *       }
 *       *out = kernel;
 *       return 0;
 *     }
 *
 *     static int launch_scale(const DLTensor *x, double factor) {
 *       static void *kernel;
 *       int64_t n = tvm_ffi_tensor_get_numel(x);
 *       void *data = tvm_ffi_tensor_get_data(x), *args[3];
 *       args[0] = &data, args[1] = &n, args[2] = &factor;
 *       if (n == 0) return 0; // CUDA takes no empty grid
 *       TVM_FFI_C_TRY(TVMFFIHandleInitOnce(&kernel, load_scale));
 *       return tvm_ffi_cuda_kernel_launch((tvm_ffi_cuda_kernel)kernel, args,
 *                                         tvm_ffi_cuda_dim_make((unsigned)((n + 255) / 256), 1, 1),
 *                                         tvm_ffi_cuda_dim_make(256, 1, 1), 0,
 *                                         tvm_ffi_cuda_get_stream(x));
 *     }
 *
 *     TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> void") {
 *       tvm_ffi_cuda_guard guard;
 *       ...
 *       TVM_FFI_C_TRY(tvm_ffi_cuda_guard_begin(&guard, x->device.device_id));
 *       return tvm_ffi_cuda_guard_end(&guard, launch_scale(x, factor));
 *     }
 *
 * TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API chooses the API of CUDA, as it does in C++. 0, the default
 * from CUDA 12.8 on, is the runtime API, which has functions for images since that version: link
 * libcudart. 1 is the driver API of CUDA 12.0 and later: link libcuda; only cuda.h is included. The
 * declarations of this file are the same with both.
 *
 * TVM_FFI_CHECK_LAUNCH_DEVICE is 1 unless NDEBUG is defined, and the same in C++: a launch fails
 * when the kernel's parameters point only to memory of other devices than the current one.
 * Parameters inside structs are not checked. It is 0 where CUDA cannot report a kernel's
 * parameters: before CUDA 12.4 with the driver API, before 13.0 with the runtime API.
 *
 * CUDA's headers are not strict C99: add their folder with -isystem if warnings about that matter.
 */
#ifndef TVM_FFI_C_CUDA_H_
#define TVM_FFI_C_CUDA_H_

#include <tvm/ffi/c/env.h>

#if !defined(TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API)
#include <cuda_runtime_api.h>
#define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API (CUDART_VERSION < 12080)
#endif

/* ---- Types of the API that is chosen ---- */

#if TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API
#include <cuda.h>
#if CUDA_VERSION < 12000
#error "tvm/ffi/c/cuda.h needs CUDA 12.0 or later"
#endif
#if !defined(TVM_FFI_CHECK_LAUNCH_DEVICE) && !defined(NDEBUG) && CUDA_VERSION >= 12040
#define TVM_FFI_CHECK_LAUNCH_DEVICE 1
#endif
/** The result of a CUDA function; 0 is success. */
typedef CUresult tvm_ffi_cuda_result;
typedef CUstream tvm_ffi_cuda_stream;
/** A loaded image, good on all devices. */
typedef CUlibrary tvm_ffi_cuda_library;
/** A kernel of a library, valid until that is unloaded. */
typedef CUkernel tvm_ffi_cuda_kernel;
typedef CUlaunchConfig tvm_ffi_cuda_launch_config;
typedef CUlaunchAttribute tvm_ffi_cuda_launch_attribute;
#else
#include <cuda_runtime_api.h>
#if CUDART_VERSION < 12080
#error "before CUDA 12.8 define TVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API to be 1, or not at all"
#endif
#if !defined(TVM_FFI_CHECK_LAUNCH_DEVICE) && !defined(NDEBUG) && CUDART_VERSION >= 13000
#define TVM_FFI_CHECK_LAUNCH_DEVICE 1
#endif
typedef cudaError_t tvm_ffi_cuda_result;
typedef cudaStream_t tvm_ffi_cuda_stream;
typedef cudaLibrary_t tvm_ffi_cuda_library;
typedef cudaKernel_t tvm_ffi_cuda_kernel;
typedef cudaLaunchConfig_t tvm_ffi_cuda_launch_config;
typedef cudaLaunchAttribute tvm_ffi_cuda_launch_attribute;
#endif
#ifndef TVM_FFI_CHECK_LAUNCH_DEVICE
#define TVM_FFI_CHECK_LAUNCH_DEVICE 0
#endif

/* ---- Errors ---- */

/**
 * Raises `RuntimeError: CUDA Runtime Error: <name> (<code>): <text>`, with the driver API `CUDA
 * Error: ...`, for a result that is not 0: an expression of value -1.
 */
#define TVM_FFI_C_CUDA_RAISE(result) \
  (tvm_ffi_detail_cuda_raise_at(__FILE__, __LINE__, __func__, (result)), tvm_ffi_detail_failed())

/** Ends the function with that error unless the call of CUDA gives 0. */
#define TVM_FFI_C_CUDA_TRY(call)                            \
  do {                                                      \
    tvm_ffi_cuda_result tvm_ffi_cuda_try_result = (call);   \
    if (tvm_ffi_cuda_try_result != 0) {                     \
      return TVM_FFI_C_CUDA_RAISE(tvm_ffi_cuda_try_result); \
    }                                                       \
  } while (0)

/* ---- The device and the stream of a call ----
 * Threads: any; both are state of the calling thread. The compiler warns when the result of a
 * function that may fail is ignored, here and below. */

/**
 * A device that is current between tvm_ffi_cuda_guard_begin and tvm_ffi_cuda_guard_end, which alone
 * use the members.
 */
typedef struct {
  int device;
  bool changed;
} tvm_ffi_cuda_guard;

/**
 * Make a device the current one of this thread, until tvm_ffi_cuda_guard_end. The driver API makes
 * its primary context current, unless a context of that device is.
 * @param guard     [out] For the end, which must follow in this thread; guards nest.
 * @param device_id [in] As in DLDevice.
 * @return 0, or -1: the current device is as it was, and the end may be left out.
 * Errors: RuntimeError `CUDA Runtime Error: ...` (`CUDA Error: ...` by the driver API).
 */
static inline int tvm_ffi_cuda_guard_begin(tvm_ffi_cuda_guard *guard, int device_id);

/**
 * Restore the device that was current at the begin. It must be reached on every path, so put the
 * code in between into its own function: `return tvm_ffi_cuda_guard_end(&guard, launch(...));`
 * @param guard [borrow]
 * @param code  [in] What that function returned.
 * @return code if it is not 0, with its error still raised whether restoring works or not;
 *         otherwise 0, or -1.
 * Errors: as tvm_ffi_cuda_guard_begin.
 */
static inline int tvm_ffi_cuda_guard_end(tvm_ffi_cuda_guard *guard, int code);

/**
 * This thread's current stream of the tensor's device.
 * @param tensor [borrow]
 * @return [lend] As long as its owner keeps it; NULL when none was set: the default stream.
 * Errors: none.
 */
static inline tvm_ffi_cuda_stream tvm_ffi_cuda_get_stream(const DLTensor *tensor);

/* ---- Images and their kernels ----
 * Errors: RuntimeError `CUDA Error: <name> (<code>): <text>`.   Threads: any; unload only when the
 * library is no longer in use. */

/**
 * Load an image.
 * @param image [borrow] A cubin, a fatbin, or PTX followed by a NUL, since CUDA takes no size. It
 *              may be freed when this returns. Tools embed it as
 *              `extern const char __tvm_ffi__cubin_<name>[]`.
 * @param out   [own] To be unloaded, or kept as long as the process runs.
 */
static inline int tvm_ffi_cuda_library_load(const void *image, tvm_ffi_cuda_library *out);

/**
 * Unload an image and its kernels.
 * @param library [take] NULL is ignored. At the exit of the process CUDA may be gone and refuse.
 * Errors: none.
 */
static inline void tvm_ffi_cuda_library_unload(tvm_ffi_cuda_library library);

/**
 * Get a kernel, which must exist.
 * @param library [borrow]
 * @param name    [borrow] As in the image: mangled by the C++ compiler unless it is `extern "C"`.
 * @param out     [lend] As long as the library is loaded.
 */
static inline int tvm_ffi_cuda_library_get_kernel(tvm_ffi_cuda_library library, const char *name,
                                                  tvm_ffi_cuda_kernel *out);

/**
 * Allow launches with more shared memory than the 48 KiB that every kernel may have, on all devices
 * of the process; devices that refuse are skipped.
 * @param bytes [in] The most that a launch may request; -1: all that the device has besides what
 *              the kernel declares.
 * Errors: RuntimeError `Failed to set dynamic shared memory attribute for any device`; none if
 * there is no device.
 */
static inline int tvm_ffi_cuda_kernel_set_max_dynamic_shared_memory(tvm_ffi_cuda_kernel kernel,
                                                                    int64_t bytes);

/* ---- Launching ----
 * On the current device. The kernel may still be running, and may yet fail, when this returns.
 * Errors: RuntimeError `CUDA Error: <name> (<code>): <text>`; with TVM_FFI_CHECK_LAUNCH_DEVICE also
 * RuntimeError `The kernel is launched on device 0, but its memory is on device 1: ...`.
 * Threads: any. */

/** The extents of a grid in blocks, or of a block in threads. */
typedef struct {
  unsigned x, y, z;
} tvm_ffi_cuda_dim;

/** Extents along x, y and z. Errors: none. */
static inline tvm_ffi_cuda_dim tvm_ffi_cuda_dim_make(unsigned x, unsigned y, unsigned z);

/**
 * Launch a kernel.
 * @param kernel       [borrow]
 * @param args         [borrow] For each parameter of the kernel the address of its value, which is
 *                     copied.
 * @param grid, block  [in]
 * @param shared_bytes [in] Shared memory of a block, besides what the kernel declares.
 * @param stream       [borrow] tvm_ffi_cuda_get_stream.
 */
static inline int tvm_ffi_cuda_kernel_launch(tvm_ffi_cuda_kernel kernel, void **args,
                                             tvm_ffi_cuda_dim grid, tvm_ffi_cuda_dim block,
                                             uint32_t shared_bytes, tvm_ffi_cuda_stream stream);

/**
 * Fill a configuration for tvm_ffi_cuda_kernel_launch_ex; more attributes may be added afterwards.
 * @param config    [out] Refers to attribute when there are clusters.
 * @param attribute [out] Must live as long as config is used.
 * @param cluster   [in] Blocks in a cluster, along x; 1: no clusters.
 * @param stream    [borrow] tvm_ffi_cuda_get_stream.
 * Errors: none.
 */
static inline void tvm_ffi_cuda_launch_config_init(tvm_ffi_cuda_launch_config *config,
                                                   tvm_ffi_cuda_launch_attribute *attribute,
                                                   tvm_ffi_cuda_dim grid, tvm_ffi_cuda_dim block,
                                                   uint32_t shared_bytes, unsigned cluster,
                                                   tvm_ffi_cuda_stream stream);

/**
 * Launch a kernel with a configuration.
 * @param kernel [borrow]
 * @param args   [borrow] As in tvm_ffi_cuda_kernel_launch.
 * @param config [borrow]
 */
static inline int tvm_ffi_cuda_kernel_launch_ex(tvm_ffi_cuda_kernel kernel, void **args,
                                                const tvm_ffi_cuda_launch_config *config);

#include <tvm/ffi/c/detail/cuda.h> /* the bodies */

#endif /* TVM_FFI_C_CUDA_H_ */
