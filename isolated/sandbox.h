/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the helper: what the system can keep kernels from, without root.
 *
 *     sandbox.c        namespaces, and the processes beside the helper that they need
 *     sandbox_files.c  which files a kernel sees; Landlock
 *     sandbox_calls.c  which calls of the system it may make: seccomp
 */
#ifndef TVM_FFI_ISOLATED_SANDBOX_H_
#define TVM_FFI_ISOLATED_SANDBOX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The sandbox: sandbox.c ---- */

/*
 * First of all, with the arguments of the program: goes on in another process, which is the helper,
 * in namespaces of its own. Does nothing for a helper without a sandbox.
 */
void sandbox_enter(int num_words, char **words);
/*
 * Also without a sandbox, where the system can do it, or fails: refuses what these bits of
 * tvm_ffi_isolated_forbidden say.
 */
void sandbox_forbid(uint32_t forbids);
/* Last of all, before any kernel runs: files, calls of the system, capabilities. */
void sandbox_lock(void);
/* Whether the host has asked for one. */
bool sandbox_is_wanted(void);
/* What keeps kernels in: bits of tvm_ffi_isolated_sandbox_part. */
uint32_t sandbox_get_parts(void);
/* The number of the helper in the namespace of the host; 0: it is the process that it started. */
int32_t sandbox_get_helper(void);

#ifdef __linux__

/* ---- Files: sandbox_files.c ---- */

/* A path that kernels may read: a file, or a folder with all in it. Null is written, too. */
typedef struct {
  char *path;
  bool is_folder, is_written;
} visible_file;

typedef struct {
  visible_file *files;
  size_t count, capacity;
} visible_files;

/*
 * Lists what a library needs: itself, the libraries that it needs outside of the system's folders,
 * these folders, the runtime, and the paths in `reads`, separated by colons.
 */
void visible_files_list(visible_files *out, const char *library, const char *reads);

/* Landlock: no file is made, written or removed by path but /dev/null. */
void refuse_writing_files(void);
/*
 * Landlock: nothing but these files is opened; no TCP; where the system knows scopes, no signal and
 * no abstract socket leaves. False with errno set: the system has no Landlock.
 */
bool refuse_other_files(const visible_files *files, bool *out_has_scopes);

/* ---- Calls of the system: sandbox_calls.c ---- */

/* seccomp: refuses what belongs to these bits of tvm_ffi_isolated_forbidden. */
void refuse_calls(uint32_t forbids);
/*
 * seccomp: refuses all but what kernels need. Calls that name other processes are possible if those
 * are all in the helper's namespace. False with errno set: the system or processor has no seccomp.
 */
bool allow_calls(bool is_alone);

#endif

#endif /* TVM_FFI_ISOLATED_SANDBOX_H_ */
