/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fakes of CUDA for systems without a GPU: a libcuda.so.1 (fake_driver.c) that does what the real
 * one does as far as a launcher of kernels sees it. fake.c is in that library; another fake links
 * with it. Device memory is the host's, a kernel is a function of the test that runs when it is
 * launched; every call is written to a log, and any can be made to fail. Handles are checked: what
 * was given back gives CUDA_ERROR_INVALID_HANDLE.
 *
 * Streams are taken as they come, but for capturing one, which has to be made. A captured kernel
 * has to come from PTX. Calls are serialised; the current context is the calling thread's.
 */
#ifndef TESTS_CUDA_FAKE_H_
#define TESTS_CUDA_FAKE_H_

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define FAKE_EXPORT __attribute__((__visibility__("default")))

enum { kFakeMaxDevices = 4, kFakeMaxParams = 8, kFakeMaxStates = 4 };

/* What a kernel is launched with. */
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

/* ---- Control: call it between the calls of the code under test ------------------------------- */

/* As at the start: nothing in the log, nothing fails, no kernels, one device, not initialised, no
 * context current in this thread. What was allocated is freed, and no handle is good any more. */
FAKE_EXPORT void fake_reset(void);

/*
 * A kernel that images have: a PTX image when it says `.entry <name>`, a binary one always.
 * What kernel points to is copied but for the name. A program that knows nothing of fakes has
 * kernels in a library that FAKE_CUDA_KERNELS names; its `void fake_kernels(void)` adds them.
 */
FAKE_EXPORT void fake_add_kernel(const fake_kernel *kernel);

FAKE_EXPORT void fake_set_device_count(int count);

/* The call after n more fails with that code, and only that one; -1: none does. */
FAKE_EXPORT void fake_fail_after(long n, int code);

/* Calls of that function fail with that code until it is 0. */
FAKE_EXPORT void fake_fail(const char *function, int code);

/* A line per call: `cuLaunchKernel scale grid 1 1 1 block 32 1 1 shared 0 stream 0`; behind it
 * ` -> <code>` when it failed. Texts of errors are asked for without being logged. */
FAKE_EXPORT const char *fake_get_log(void);
FAKE_EXPORT void fake_clear_log(void);

/* Calls since the reset, as fake_fail_after counts them. */
FAKE_EXPORT long fake_get_call_count(void);

/* What has not been given back: modules, libraries, streams, allocations, retained contexts, ... */
FAKE_EXPORT long fake_get_live_count(void);

/* A context of a device that is not its primary one, as cuCtxCreate makes. (Of the driver.) */
FAKE_EXPORT void *fake_make_context(int device);

/* ---- For the fakes themselves ---------------------------------------------------------------- */

/* Begins a call, which is logged with its arguments, and keeps others out until fake_end.
 * Gives the code that it has to fail with, or 0. */
__attribute__((__format__(__printf__, 2, 3))) FAKE_EXPORT int fake_begin(const char *function,
                                                                         const char *format, ...);

/* Ends a call. Gives code. */
FAKE_EXPORT int fake_end(int code);

/* The kernel of that name that an image has, or NULL. */
FAKE_EXPORT const fake_kernel *fake_find_kernel(const void *image, const char *name);

/* Behind the name of an entry of a PTX image, or NULL. */
FAKE_EXPORT const char *fake_find_entry(const void *image, const char *name);

/* Whether it is a cubin, a fatbin or PTX. */
FAKE_EXPORT int fake_is_image(const void *image);

FAKE_EXPORT int fake_get_device_count(void);

/* Loads what FAKE_CUDA_KERNELS names, once. */
FAKE_EXPORT void fake_load_kernels(void);

/* Adds a fake's part of fake_reset and of fake_get_live_count; at most kFakeMaxStates. */
FAKE_EXPORT void fake_add_state(void (*reset)(void), long (*count)(void));

#if defined(__cplusplus)
}
#endif

#endif /* TESTS_CUDA_FAKE_H_ */
