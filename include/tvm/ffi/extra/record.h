/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/record.h
 * Record the calls of kernels from within a program: libtvm_ffi_record.
 *
 * `tvm-ffi record -- COMMAND` does the same to a program without changing it, and needs nothing of
 * this. A program that cannot be started so is linked with libtvm_ffi_record (on Linux before the C
 * library is searched for dlsym), and starts and stops the recording itself. Functions that a
 * runtime looked up before the library was in the process are not recorded; those that it looked up
 * later are, whether or not a recording was on at that time.
 *
 * What is written is specified in docs/guide/record_format.md. For Linux; for macOS it is compiled,
 * but was never run.
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
 * What to record. All zeros but for the folder means the default: the first three calls of each
 * signature (name, types, shapes, layouts), and each that fails.
 */
typedef struct {
  /**
   * The folder to write to, made if it is not there. A recording in it is continued. With `trace`,
   * it is not used.
   */
  const char *folder;
  /** The first so many calls of each signature; 0: three, or none if `every` or `on_error` is. */
  int64_t first;
  /** Every so manieth call of each signature, beginning with the first; 0: no further ones. */
  int64_t every;
  /** Storages of more bytes are left out; 0: 1 GiB. */
  int64_t max_bytes;
  /** Once so many bytes of storages were written, the others are left out; 0: 16 GiB. */
  int64_t max_total;
  /** Not 0: every call. */
  int all;
  /** Not 0: only calls that fail, with their inputs as they were before; they are kept meanwhile.
   */
  int on_error;
  /** Not 0: no values of tensors. */
  int no_data;
  /**
   * Patterns in which * is any text, ? any byte, [a-c] one of these and [!a-c] another one, and \
   * takes the special meaning from the next byte; lists that end with NULL, or NULL. Functions
   * whose name matches one of `match` (NULL: all) and none of `skip`, in libraries whose path or
   * file name matches one of `lib` (NULL: all).
   */
  const char *const *match;
  const char *const *skip;
  const char *const *lib;
  /**
   * A file in a folder that is there, or NULL. Then a trace of all calls is written to it, in the
   * format of chrome://tracing and Perfetto, instead of a recording, and a table to stderr at the
   * end. If there is such a file, the process writes to FILE.PID.
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
 * What was recorded survives the end of the process as it is. After this, it survives a failure of
 * the machine too.
 * @return 0, or -1 if it could not be written, or no recording is on.
 * Errors: none in the slot of the runtime.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_record_flush(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_RECORD_H_ */
