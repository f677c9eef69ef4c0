/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/opencl.h
 * OpenCL from C: programs that are embedded in a library, as OpenCL C or as SPIR-V, and launches
 * with tensors as arguments. Not part of c.h, since it needs OpenCL's headers; link libOpenCL.
 *
 *     static const char kSource[] =
 *         "__kernel void scale(__global const float *x, __global float *y, float factor) {\n"
 *         "  size_t i = get_global_id(0);\n"
 *         "  y[i] = factor * x[i];\n"
 *         "}\n";
 *     static tvm_ffi_opencl_program program =
 *         TVM_FFI_C_OPENCL_PROGRAM(kSource, sizeof kSource - 1, "-cl-std=CL1.2");
 *
 *     static int launch_scale(const DLTensor *x, const DLTensor *y, float factor) {
 *       size_t n = (size_t)tvm_ffi_tensor_get_numel(x);
 *       cl_command_queue queue;
 *       tvm_ffi_opencl_arg args[3];
 *       TVM_FFI_C_TRY(tvm_ffi_opencl_read_queue(x, &queue));
 *       args[0] = tvm_ffi_opencl_arg_tensor(x);
 *       args[1] = tvm_ffi_opencl_arg_tensor(y);
 *       args[2] = tvm_ffi_opencl_arg_value(&factor, sizeof factor);
 *       return tvm_ffi_opencl_program_launch(&program, "scale", args, 3, 1, &n, NULL, queue);
 *     }
 *
 * The data of a tensor on kDLOpenCL is a cl_mem, its byte_offset counts from the begin of that
 * buffer, and the stream of the device is a cl_command_queue, which has the context and the device.
 * There is no default queue: the caller sets one, see docs/guide/devices.md.
 *
 * CL_TARGET_OPENCL_VERSION is 300 unless it is defined before. With less than 210 this file calls
 * functions of OpenCL 1.2 alone, and SPIR-V is refused.
 */
#ifndef TVM_FFI_C_OPENCL_H_
#define TVM_FFI_C_OPENCL_H_

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#if defined(__APPLE__)
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/handle_table.h>

/* ---- Errors ---- */

/**
 * `CL_INVALID_VALUE` for -30; `unknown` for a code that OpenCL 3.0 does not have.
 * @return [lend] For ever.   Errors: none.   Threads: any.
 */
static inline const char *tvm_ffi_opencl_get_error_name(cl_int code);

/**
 * Ends the function with `RuntimeError: OpenCL Error: CL_INVALID_VALUE (-30) in clFinish(queue)`
 * unless the call of OpenCL gives CL_SUCCESS.
 */
#define TVM_FFI_C_OPENCL_TRY(call)                                                                 \
  do {                                                                                             \
    const cl_int tvm_ffi_opencl_try_code = (call);                                                 \
    if (tvm_ffi_opencl_try_code != CL_SUCCESS) {                                                   \
      return tvm_ffi_detail_opencl_raise_at(__FILE__, __LINE__, __func__, tvm_ffi_opencl_try_code, \
                                            #call),                                                \
             tvm_ffi_detail_failed();                                                              \
    }                                                                                              \
  } while (0)

/* ---- The queue of a call ---- */

/**
 * This thread's current command queue of the tensor's device.
 * @param tensor [borrow]
 * @param out    [lend] As long as its owner keeps it.
 * @return 0, or -1; the compiler warns when it is ignored, here and below.
 * Errors: ValueError (a tensor on another kind of device), RuntimeError `No stream of opencl:0 is
 * set: ...`.   Threads: any.
 */
static inline int tvm_ffi_opencl_read_queue(const DLTensor *tensor, cl_command_queue *out);

/* ---- Programs ---- */

/** A static variable with the initialiser below, which alone writes the first three members. */
typedef struct {
  /** [borrow] For ever: OpenCL C without a NUL, or SPIR-V, known by its first four bytes. */
  const void *code;
  size_t size;
  /** For clBuildProgram; NULL: none. */
  const char *options;
  /** Internal: what was built, by context. */
  tvm_ffi_handle_table built;
} tvm_ffi_opencl_program;

#define TVM_FFI_C_OPENCL_PROGRAM(code, size, options) \
  {                                                   \
    (code), (size), (options), {                      \
      NULL                                            \
    }                                                 \
  }

/**
 * The program, built for all devices of the context when it is first asked for. It keeps the
 * context alive.
 * @param program [borrow]
 * @param out [lend] Until tvm_ffi_opencl_program_clear.
 * Errors: RuntimeError `OpenCL Error: CL_BUILD_PROGRAM_FAILURE (-11) in clBuildProgram for
 * <device>: <build log>`, `... takes no SPIR-V`, others of OpenCL; ValueError (no code); memory.
 * Threads: any.
 */
static inline int tvm_ffi_opencl_program_read(tvm_ffi_opencl_program *program, cl_context context,
                                              cl_program *out);

/**
 * Release what was built. A library that is unloaded calls it first.
 * @param program [borrow]
 * Errors: none.   Threads: any, while no other uses the program.
 */
static inline void tvm_ffi_opencl_program_clear(tvm_ffi_opencl_program *program);

/* ---- Launching ---- */

/** The most arguments of a launch. */
enum { TVM_FFI_C_OPENCL_MAX_ARGS = 64 };

/** One argument of a kernel. */
typedef struct {
  const DLTensor *tensor;
  const void *value;
  size_t size;
  bool is_buffer;
} tvm_ffi_opencl_arg;

/**
 * A pointer to the first element. A tensor with a byte_offset becomes a sub-buffer, so the offset
 * has to be a multiple of what the device requires (CL_DEVICE_MEM_BASE_ADDR_ALIGN, 128 bytes for
 * instance), and no stride may be negative; use tvm_ffi_opencl_arg_buffer otherwise. So does a
 * tensor at the begin of a buffer of which another argument has other elements: OpenCL does not
 * define what a kernel does that gets a buffer and a part of it.
 * @param tensor [borrow] Until the launch, as the following.   Errors: none.   Threads: any.
 */
static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_tensor(const DLTensor *tensor);

/**
 * A pointer to the begin of the buffer; pass byte_offset on by an argument of its own. What a
 * kernel writes to the buffer, and to a part of it that is another argument, is undefined.
 * @param tensor [borrow] Until the launch.   Errors: none.   Threads: any.
 */
static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_buffer(const DLTensor *tensor);

/**
 * A number or a struct, by value.
 * @param value [borrow] size bytes, until the launch.   Errors: none.   Threads: any.
 */
static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_value(const void *value, size_t size);

/** Local memory of that many bytes.   Errors: none.   Threads: any. */
static inline tvm_ffi_opencl_arg tvm_ffi_opencl_arg_local(size_t size);

/**
 * Launch a kernel: it may still be running, and may yet fail, when this returns. Each tensor has to
 * be on kDLOpenCL, its elements within its buffer, and that of the queue's context. A launch
 * without work items does nothing.
 * @param program    [borrow]
 * @param name       [borrow] Of the kernel.
 * @param args       [borrow] num_args arguments, up to 64, in the kernel's order.
 * @param num_dims   [in] From 1 to 3.
 * @param global     [borrow] The number of work items in each dimension.
 * @param local      [borrow] Those of a work group; NULL: OpenCL chooses.
 * @param queue      [borrow] tvm_ffi_opencl_read_queue.
 * Errors: ValueError (a tensor, by the number of its argument), RuntimeError (of OpenCL, with the
 * name of the kernel; those of tvm_ffi_opencl_program_read).   Threads: any.
 */
static inline int tvm_ffi_opencl_program_launch(tvm_ffi_opencl_program *program, const char *name,
                                                const tvm_ffi_opencl_arg *args, int32_t num_args,
                                                int32_t num_dims, const size_t *global,
                                                const size_t *local, cl_command_queue queue);

#include <tvm/ffi/c/detail/opencl.h> /* the bodies */

#endif /* TVM_FFI_C_OPENCL_H_ */
