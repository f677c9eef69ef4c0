/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver, opened on first use, so that the program can be built and started without CUDA.
 * Types are as in cuda.h, with plain pointers for handles. */
#ifndef SAMPLES_DRIVER_H_
#define SAMPLES_DRIVER_H_

#include <stddef.h>
#include <stdint.h>

/** Functions of libcuda.so.1, which return 0 or the code of an error. */
typedef struct {
  int (*init)(unsigned flags);
  int (*get_error_name)(int code, const char **out);
  int (*get_error_string)(int code, const char **out);
  int (*primary_context_retain)(void **out, int device);
  int (*primary_context_release)(int device);
  int (*context_push)(void *context);
  int (*context_pop)(void **out);
  int (*library_load)(void **out, const void *image, int *jit_options, void **jit_values,
                      unsigned num_jit_options, int *options, void **values, unsigned num_options);
  int (*library_unload)(void *library);
  int (*library_get_kernel)(void **out, void *library, const char *name);
  int (*launch)(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
                void **params, void **extra);
  int (*memory_allocate)(uintptr_t *out, size_t size);
  int (*memory_free)(uintptr_t data);
  int (*memory_write)(uintptr_t target, const void *source, size_t size);
  int (*memory_read)(void *target, uintptr_t source, size_t size);
  int (*stream_create)(void **out, unsigned flags);
  int (*stream_destroy)(void *stream);
  int (*stream_synchronize)(void *stream);
  int (*stream_begin_capture)(void *stream, int mode);
  int (*stream_end_capture)(void *stream, void **out_graph);
  int (*graph_instantiate)(void **out, void *graph, unsigned long long flags);
  int (*graph_launch)(void *executable, void *stream);
  int (*graph_executable_destroy)(void *executable);
  int (*graph_destroy)(void *graph);
} cuda_driver;

/**
 * Get the driver, ready for use.
 * @param out [lend] For good.
 * @return 0, or -1.   Errors: RuntimeError (there is none, or no GPU).   Threads: any.
 */
int cuda_driver_get(const cuda_driver **out);

/** 0 for 0, or -1 with `RuntimeError: CUDA Error: <name> (<code>): <text>` raised. */
int cuda_driver_check(const cuda_driver *driver, int code);

#endif /* SAMPLES_DRIVER_H_ */
