/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fakes of CUDA for systems without a GPU: a libcuda.so.1 (fake_driver.c) that behaves like the
 * real one as far as a launcher of kernels can see. fake.c is part of that library; the other fake
 * links with it. Device memory is host memory, a kernel is a function of the test that runs when it
 * is launched; every call is written to a log, and any can be made to fail. Handles are checked: a
 * released one gives CUDA_ERROR_INVALID_HANDLE.
 *
 * Any value is accepted as a stream, except for a capture, whose stream must have been created. A
 * captured kernel has to come from PTX. Calls are serialised; the current context is per thread.
 */
#ifndef TESTS_CUDA_FAKE_H_
#define TESTS_CUDA_FAKE_H_

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define FAKE_EXPORT __attribute__((__visibility__("default")))

enum { kFakeMaxDevices = 4, kFakeMaxParams = 8, kFakeMaxStates = 4 };

/* The parameters of a launch. */
typedef struct {
  unsigned grid[3], block[3],
      cluster[3]; /* cluster is 1, 1, 1 unless an attribute says otherwise */
  unsigned shared_bytes;
  void *stream;
  int device;
} fake_launch;

/* A kernel: body runs once per launch, params[i] points to the value of parameter i. */
typedef struct {
  const char *name;
  void (*body)(const fake_launch *launch, void **params);
  int static_shared_bytes;
} fake_kernel;

/* ---- Control: call it between the calls of the code under test ---- */

/* Restores the initial state: the log is empty, nothing fails, no kernels, one device, not
 * initialised, no current context in this thread. Frees all allocations and invalidates all
 * handles. */
FAKE_EXPORT void fake_reset(void);

/*
 * Adds a kernel to the images: to a PTX image if it contains `.entry <name>`, to every binary one.
 * *kernel is copied, except the text of its name. A program that does not use fakes itself gets its
 * kernels from a library named by FAKE_CUDA_KERNELS, whose `void fake_kernels(void)` adds them.
 */
FAKE_EXPORT void fake_add_kernel(const fake_kernel *kernel);

FAKE_EXPORT void fake_set_device_count(int count);

/* After n more calls, the next one fails with that code, and only that one; -1: none fails. */
FAKE_EXPORT void fake_fail_after(long n, int code);

/* Calls of that function fail with that code; 0 ends this. */
FAKE_EXPORT void fake_fail(const char *function, int code);

/* A line per call: `cuLaunchKernel scale grid 1 1 1 block 32 1 1 shared 0 stream 0`, followed by
 * ` -> <code>` if it failed. Calls that return the text of an error, the size of a parameter or the
 * device of an address are not logged and not counted. */
FAKE_EXPORT const char *fake_get_log(void);
FAKE_EXPORT void fake_clear_log(void);

/* Calls since the reset, as fake_fail_after counts them. */
FAKE_EXPORT long fake_get_call_count(void);

/* The number of unreleased modules, libraries, streams, allocations, retained contexts, ... */
FAKE_EXPORT long fake_get_live_count(void);

/* Makes a context of a device that is not its primary one, like cuCtxCreate. Only in the driver. */
FAKE_EXPORT void *fake_make_context(int device);

/* ---- For the fakes themselves ---- */

/* Begins a call: takes the lock, which fake_end releases, and logs the call with its arguments.
 * Returns the code that the call has to fail with, or 0. */
__attribute__((__format__(__printf__, 2, 3))) FAKE_EXPORT int fake_begin(const char *function,
                                                                         const char *format, ...);

/* Ends a call. Returns code. */
FAKE_EXPORT int fake_end(int code);

/* Begins a call that is not logged: takes the lock, which fake_answer releases. Returns the code
 * that the call has to fail with, or 0. */
FAKE_EXPORT int fake_query(const char *function);

/* Ends it. Returns code. */
FAKE_EXPORT int fake_answer(int code);

/* The bytes of a parameter of a kernel in a PTX image; 0: there is none of this number. */
FAKE_EXPORT size_t fake_get_param_size(const void *image, const char *name, size_t i);

/* The kernel of that name in an image, or NULL. */
FAKE_EXPORT const fake_kernel *fake_find_kernel(const void *image, const char *name);

/* The text after the name of an entry in a PTX image, or NULL. */
FAKE_EXPORT const char *fake_find_entry(const void *image, const char *name);

/* Whether the image is a cubin, a fatbin or PTX. */
FAKE_EXPORT int fake_is_image(const void *image);

FAKE_EXPORT int fake_get_device_count(void);

/* Loads the library that FAKE_CUDA_KERNELS names, once. */
FAKE_EXPORT void fake_load_kernels(void);

/* Adds a fake's part of fake_reset and of fake_get_live_count; at most kFakeMaxStates. */
FAKE_EXPORT void fake_add_state(void (*reset)(void), long (*count)(void));

#if defined(__cplusplus)
}
#endif

#endif /* TESTS_CUDA_FAKE_H_ */
