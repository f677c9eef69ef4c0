/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/hip.h
 * HIP from C, for ROCm: the device of a call, and kernels of compiled code objects. Not part of
 * c.h, since it needs HIP's headers; link libamdhip64. What cuda.h has for CUDA, but that a code
 * object is loaded for one device, so that a program has one module for each.
 *
 *     static tvm_ffi_hip_program program = TVM_FFI_C_HIP_PROGRAM(image);
 *
 *     static int launch_scale(const DLTensor *x, double factor) {
 *       int64_t n = tvm_ffi_tensor_get_numel(x);
 *       void *data = tvm_ffi_tensor_get_data(x), *args[3];
 *       hipFunction_t kernel;
 *       args[0] = &data, args[1] = &n, args[2] = &factor;
 *       if (n == 0) return 0; // HIP takes no empty grid
 *       TVM_FFI_C_TRY(tvm_ffi_hip_program_read_kernel(&program, "scale", &kernel));
 *       return tvm_ffi_hip_kernel_launch(kernel, args,
 *                                        tvm_ffi_hip_dim_make((unsigned)((n + 255) / 256), 1, 1),
 *                                        tvm_ffi_hip_dim_make(256, 1, 1), 0,
 *                                        tvm_ffi_hip_get_stream(x));
 *     }
 *
 *     TVM_FFI_C_EXPORT(scale, "(0: DLTensor*, 1: float) -> void") {
 *       tvm_ffi_hip_guard guard;
 *       ...
 *       TVM_FFI_C_TRY(tvm_ffi_hip_guard_begin(&guard, x->device.device_id));
 *       return tvm_ffi_hip_guard_end(&guard, launch_scale(x, factor));
 *     }
 *
 * Nothing checks that a kernel is launched on the device of its memory: HIP does not report a
 * kernel's parameters. __HIP_PLATFORM_AMD__ is defined here unless a platform is.
 */
#ifndef TVM_FFI_C_HIP_H_
#define TVM_FFI_C_HIP_H_

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/handle_table.h>

/* ---- Errors ---- */

/** Raises `RuntimeError: HIP Error: <name> (<code>): <text>`: an expression of value -1. */
#define TVM_FFI_C_HIP_RAISE(result) \
  (tvm_ffi_detail_hip_raise_at(__FILE__, __LINE__, __func__, (result)), tvm_ffi_detail_failed())

/** Ends the function with that error unless the call of HIP gives hipSuccess. */
#define TVM_FFI_C_HIP_TRY(call)                                                                   \
  do {                                                                                            \
    const hipError_t tvm_ffi_hip_try_result = (call);                                             \
    if (tvm_ffi_hip_try_result != hipSuccess) return TVM_FFI_C_HIP_RAISE(tvm_ffi_hip_try_result); \
  } while (0)

/* ---- The device and the stream of a call ----
 * Threads: any; both are state of the calling thread. The compiler warns when the result of a
 * function that may fail is ignored, here and below. */

/** A device that is current between tvm_ffi_hip_guard_begin and _end, which alone use this. */
typedef struct {
  int device;
  bool changed;
} tvm_ffi_hip_guard;

/**
 * Make a device the current one of this thread, until tvm_ffi_hip_guard_end.
 * @param guard     [out] For the end, which must follow in this thread; guards nest.
 * @param device_id [in] As in DLDevice.
 * @return 0, or -1: the current device is as it was, and the end may be left out.
 * Errors: RuntimeError `HIP Error: ...`.
 */
static inline int tvm_ffi_hip_guard_begin(tvm_ffi_hip_guard *guard, int device_id);

/**
 * Restore the device that was current at the begin. It must be reached on every path, so put the
 * code in between into its own function: `return tvm_ffi_hip_guard_end(&guard, launch(...));`
 * @param guard [borrow]
 * @param code  [in] What that function returned.
 * @return code if it is not 0, with its error still raised whether restoring works or not;
 *         otherwise 0, or -1.
 * Errors: as tvm_ffi_hip_guard_begin.
 */
static inline int tvm_ffi_hip_guard_end(tvm_ffi_hip_guard *guard, int code);

/**
 * This thread's current stream of the tensor's device.
 * @param tensor [borrow]
 * @return [lend] As long as its owner keeps it; NULL when none was set: the default stream.
 * Errors: none.
 */
static inline hipStream_t tvm_ffi_hip_get_stream(const DLTensor *tensor);

/* ---- Code objects and their kernels ---- */

/** A static variable with the initialiser below, which alone writes the first member. */
typedef struct {
  /** [borrow] For ever: a code object, or a bundle of several (`hipcc --genco`). */
  const void *image;
  /** Internal: the modules, by device. */
  tvm_ffi_handle_table loaded;
} tvm_ffi_hip_program;

#define TVM_FFI_C_HIP_PROGRAM(image) \
  {                                  \
    (image), {                       \
      NULL                           \
    }                                \
  }

/**
 * Get a kernel, which must exist, for the current device. The program is loaded for a device when
 * it is first asked for.
 * @param program [borrow]
 * @param name    [borrow] As in the image: mangled by the C++ compiler unless it is `extern "C"`.
 * @param out     [lend] Until tvm_ffi_hip_program_clear.
 * Errors: RuntimeError `HIP Error: ...`, memory.   Threads: any.
 */
static inline int tvm_ffi_hip_program_read_kernel(tvm_ffi_hip_program *program, const char *name,
                                                  hipFunction_t *out);

/**
 * Unload what was loaded. A library that is unloaded calls it first.
 * @param program [borrow]
 * Errors: none.   Threads: any, while no other uses the program or its kernels.
 */
static inline void tvm_ffi_hip_program_clear(tvm_ffi_hip_program *program);

/* ---- Launching ---- */

/** The extents of a grid in blocks, or of a block in threads. */
typedef struct {
  unsigned x, y, z;
} tvm_ffi_hip_dim;

/** Extents along x, y and z.   Errors: none.   Threads: any. */
static inline tvm_ffi_hip_dim tvm_ffi_hip_dim_make(unsigned x, unsigned y, unsigned z);

/**
 * Launch a kernel on the current device, the one that it was read for. It may still be running, and
 * may yet fail, when this returns.
 * @param kernel       [borrow]
 * @param args         [borrow] For each parameter of the kernel the address of its value, which is
 *                     copied.
 * @param grid, block  [in]
 * @param shared_bytes [in] Shared memory of a block, besides what the kernel declares.
 * @param stream       [borrow] tvm_ffi_hip_get_stream.
 * Errors: RuntimeError `HIP Error: ...`.   Threads: any.
 */
static inline int tvm_ffi_hip_kernel_launch(hipFunction_t kernel, void **args, tvm_ffi_hip_dim grid,
                                            tvm_ffi_hip_dim block, uint32_t shared_bytes,
                                            hipStream_t stream);

#include <tvm/ffi/c/detail/hip.h> /* the bodies */

#endif /* TVM_FFI_C_HIP_H_ */
