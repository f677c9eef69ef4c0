/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/record.h
 * Record calls of kernels from within a program: libtvm_ffi_record.
 *
 * `tvm-ffi record -- COMMAND` does the same without changing the program. A program that cannot be
 * started this way links libtvm_ffi_record (on Linux so that dlsym is found there before the C
 * library), and starts and stops the recording itself. Functions that a runtime looked up before
 * this library was loaded are not recorded; those looked up later are, whether or not a recording
 * was on at that time.
 *
 * docs/guide/record_format.md specifies the format. For Linux; on macOS it compiles, but was never
 * run.
 */
#ifndef TVM_FFI_EXTRA_RECORD_H_
#define TVM_FFI_EXTRA_RECORD_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/c_api.h>

/** The file `version` of a recording. */
#define TVM_FFI_RECORD_VERSION "tvm-ffi recording 1\n"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What to record. If everything except the folder is 0: the first three calls of each signature
 * (name, types, shapes, layouts), and every call that fails.
 */
typedef struct {
  /**
   * The folder to write to, created if missing. A recording in it is continued. Not used with
   * `trace`.
   */
  const char *folder;
  /** The number of first calls of each signature; 0: three, or none if `every` or `on_error` is
   * set. */
  int64_t first;
  /** Every Nth call of each signature, beginning with the first; 0: no further ones. */
  int64_t every;
  /** Storages of more bytes are left out; 0: 1 GiB. */
  int64_t max_bytes;
  /** Once this many bytes of storages were written, further ones are left out; 0: 16 GiB. */
  int64_t max_total;
  /** Not 0: every call. */
  int all;
  /** Not 0: only calls that fail, with their inputs from before the call, kept in memory meanwhile.
   */
  int on_error;
  /** Not 0: no values of tensors. */
  int no_data;
  /**
   * Patterns: * is any text, ? any byte, [a-c] one of these bytes, [!a-c] any other byte, and a
   * byte after \ means itself; lists that end with NULL, or NULL. Functions whose name matches one
   * of `match` (NULL: all) and none of `skip`, in libraries whose path or file name matches one of
   * `lib` (NULL: all).
   */
  const char *const *match;
  const char *const *skip;
  const char *const *lib;
  /**
   * Which arguments functions only write: lists as above of "PATTERN:NUMBERS", where a negative
   * number counts from the end, "scale*:0,-1". What their memory has before a call, left there by
   * whoever used it last, is not recorded.
   */
  const char *const *outputs;
  /**
   * A file in an existing folder, or NULL. A trace of all calls is written to it instead of a
   * recording, in the format of chrome://tracing and Perfetto, and a table to stderr at the end. If
   * the file exists, the process writes to FILE.PID.
   */
  const char *trace;
} tvm_ffi_record_options;

/**
 * Start to record.
 *
 * @param options     [borrow] Copied.
 * @param reason      [out] Why it does not work, NUL-terminated; only written on failure.
 * @param reason_size [in] Bytes at `reason`; it may be 0.
 * @return 0, or -1: the folder cannot be used, or a recording is on.
 * Errors: none in the slot of the runtime, which is not called.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_record_start(const tvm_ffi_record_options *options, char *reason,
                                     size_t reason_size);

/**
 * Stop, if a recording is on. Calls in progress stay unfinished in it.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL void tvm_ffi_record_stop(void);

/**
 * Make the recording survive a machine failure; it survives the end of the process anyway.
 * @return 0, or -1 if it could not be written, or no recording is on.
 * Errors: none in the slot of the runtime.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_record_flush(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_RECORD_H_ */
