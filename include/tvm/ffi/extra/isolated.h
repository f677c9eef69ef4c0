/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/isolated.h
 * Kernels that cannot take the host down: modules in their own process (libtvm_ffi_isolated).
 *
 * A module that is loaded with tvm_ffi_isolated_load looks like any other, but its library is
 * loaded, and its functions run, in a helper process. If a kernel crashes, exits, loops or
 * overwrites memory, the caller gets an error, and the next call starts a new helper.
 *
 *     tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
 *     options.timeout = 2.0;
 *     TVM_FFI_C_TRY(tvm_ffi_isolated_load("./kernel.so", &options, &module));
 *     TVM_FFI_C_TRY(tvm_ffi_module_get_function(module, "scale", &scale));
 *     code = tvm_ffi_function_call(scale, args, 2, &result);
 *
 * docs/guide/isolated.md explains what crosses between the processes, what a call costs, and what
 * this protects against. For Linux, and macOS, where it has been compiled but never run; link
 * -ltvm_ffi_isolated. It is a separate library, and costs nothing if it is not used.
 */
#ifndef TVM_FFI_EXTRA_ISOLATED_H_
#define TVM_FFI_EXTRA_ISOLATED_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinds of errors ----
 * Raised by functions of isolated modules when the helper failed. The message says what happened
 * and ends with the last lines that the helper printed. Errors that a kernel raises arrive
 * unchanged: kind, message, backtrace, causes. */

/** The helper could not be started: not found, no memory, a limit that the system does not offer.
 */
#define TVM_FFI_ISOLATED_START_ERROR "HelperStartError"
/**
 * A signal ended the helper. The cause is an error whose kind is the name of the signal, such as
 * SIGSEGV, with the address as the message and the kernel's backtrace.
 */
#define TVM_FFI_ISOLATED_CRASH_ERROR "HelperCrashError"
/** The kernel ended its process. */
#define TVM_FFI_ISOLATED_EXIT_ERROR "HelperExitError"
/**
 * A call took longer than options.timeout, or all calls of the helper together more processor time
 * than options.cpu_seconds.
 */
#define TVM_FFI_ISOLATED_TIMEOUT_ERROR "HelperTimeoutError"
/** A signal ended the helper while it had nearly used up options.memory. */
#define TVM_FFI_ISOLATED_MEMORY_ERROR "HelperMemoryError"
/**
 * The helper wrote an invalid message into the shared memory, one of another call, or one that
 * needs more of the host's memory than options.answer allows. Or the system refused something that
 * the host needs to continue, as the message says.
 */
#define TVM_FFI_ISOLATED_CHANNEL_ERROR "HelperChannelError"

/* ---- Options ---- */

/** Bits of tvm_ffi_isolated_options.forbids. Only Linux can set them. */
enum tvm_ffi_isolated_forbidden TVM_FFI_ENUM_BASE {
  /** To open sockets (seccomp). */
  TVM_FFI_ISOLATED_NETWORK = 1,
  /** To write, make or remove files by path; reading is allowed (Landlock). */
  TVM_FFI_ISOLATED_FILES = 2,
  /** To start processes; threads are allowed (seccomp). */
  TVM_FFI_ISOLATED_PROCESSES = 4
};

/** Values of tvm_ffi_isolated_options.sandbox. Only Linux has one. */
enum tvm_ffi_isolated_sandbox TVM_FFI_ENUM_BASE {
  /** A HelperStartError names what the system lacks. */
  TVM_FFI_ISOLATED_SANDBOX_ALL = 1,
  /** Without the parts that the system lacks. */
  TVM_FFI_ISOLATED_SANDBOX_BEST = 2
};

/** What keeps a helper in its sandbox: bits of tvm_ffi_isolated_read_sandbox. */
enum tvm_ffi_isolated_sandbox_part TVM_FFI_ENUM_BASE {
  /** It sees no process but its own; with it, all that it has started ends (a PID namespace). */
  TVM_FFI_ISOLATED_SANDBOX_PROCESSES = 1,
  /** Other files than those of its library and options.reads are not there (a mount namespace). */
  TVM_FFI_ISOLATED_SANDBOX_FILES = 2,
  /** It has no network (a namespace). */
  TVM_FFI_ISOLATED_SANDBOX_NETWORK = 4,
  /** It shares no System V memory, semaphores or queues (an IPC namespace). */
  TVM_FFI_ISOLATED_SANDBOX_IPC = 8,
  /** It can make only calls of the system that kernels need (seccomp). */
  TVM_FFI_ISOLATED_SANDBOX_CALLS = 16,
  /** It can open only those files, to read them, and no TCP connection since Linux 6.7 (Landlock).
   */
  TVM_FFI_ISOLATED_SANDBOX_LANDLOCK = 32,
  /** It can send no signal and use no abstract socket (Landlock, since Linux 6.12). */
  TVM_FFI_ISOLATED_SANDBOX_SCOPES = 64
};

/** How the helper of a module behaves. Set the members that matter after an initialisation. */
typedef struct {
  /** sizeof(tvm_ffi_isolated_options): later versions can append members. */
  size_t struct_size;
  /**
   * Seconds that one call may take, without the time that callbacks into the host take; then the
   * helper is killed. 0: no limit.
   */
  double timeout;
  /** Seconds for starting the helper and loading the library. 0: 60. */
  double load_timeout;
  /** Helpers of the module, which serve calls of different threads at the same time. 0: 1. */
  int32_t processes;
  /** Not 0: when a helper has ended, calls fail with its error again; no new one is started. */
  int32_t no_restart;
  /**
   * Not 0: the helper's output also goes to the host's standard error. Otherwise it is dropped,
   * except for the last lines, which are part of an error's message.
   */
  int32_t shows_output;
  /** What the helper must not do: bits of tvm_ffi_isolated_forbidden. */
  int32_t forbids;
  /**
   * Bytes of private memory (RLIMIT_DATA, which only Linux enforces), processor time, open files of
   * a helper. 0: the host's.
   */
  uint64_t memory;
  uint64_t cpu_seconds;
  uint64_t open_files;
  /**
   * [borrow] The path of the helper program. NULL: tvm_ffi/tvm_ffi_isolated_helper in the folder of
   * the library, or of the program if it has the archive inside; or there without that folder.
   */
  const char *helper;
  /**
   * Bytes of the host's memory that one answer of the helper, or one callback, may take: copies of
   * values and of tensors that are not shared. More is a HelperChannelError. 0: 16 times `memory`,
   * but at least 256 MiB; 4 GiB if that is 0, too.
   */
  uint64_t answer;
  /**
   * A sandbox against attacks: a value of tvm_ffi_isolated_sandbox. It has all of `forbids`; only
   * the files of the library and of the libraries it needs can be read, and `reads`. 0: none.
   */
  int32_t sandbox;
  /** [borrow] In a sandbox, paths of files and folders to be read, separated by colons, or NULL. */
  const char *reads;
  /**
   * [borrow] In a sandbox, names of variables of the environment, separated by colons, or NULL. It
   * has the variables of the loader, of the C library, of sanitizers, and TVM_FFI_* without that.
   */
  const char *environment;
} tvm_ffi_isolated_options;

/** The default options. */
#define TVM_FFI_ISOLATED_OPTIONS_INIT \
  { sizeof(tvm_ffi_isolated_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL }

/* ---- Modules ---- */

/**
 * Load a module in a helper process. The module has the kind `isolated`. It cannot be saved, and
 * what it imports stays in its helper.
 *
 * A helper is a child of the host, whose signal handlers are not changed: the host gets SIGCHLD
 * when a helper ends. If the host ignores it, or waits for any child, the error lacks the exit
 * code, but still describes a crash. A helper ends when its module and all its functions and
 * returned tensors are released, or when the host ends for any reason. After a fork, the child's
 * first call starts a new helper.
 *
 * @param path    [borrow] As for TVMFFIRuntimeModuleLoad, in the current folder of the host.
 * @param options [borrow] Copied; NULL: the defaults.
 * @param out     [own] A Module. Its functions may be called from any thread; those that find all
 *                helpers busy wait. A kernel may call the host back, and the callback may call the
 *                module again.
 * @return 0, or -1.
 * Errors: ValueError (options), the kinds above, any (the library's own when it is loaded), memory.
 * Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_isolated_load(const char *path, const tvm_ffi_isolated_options *options,
                                      TVMFFIObjectHandle *out);

/**
 * Load a module by a name that includes options. TVMFFIRuntimeModuleLoad and ffi.ModuleLoadFromFile
 * call this function, for hosts that cannot be changed:
 *
 *     isolated:./kernel.so
 *     isolated,timeout=2,processes=4,memory=1000000000,forbids=network+files:./kernel.so
 *
 *     isolated,sandbox,reads=/data/models+/etc/localtime:./kernel.so
 *
 * The options are the members of tvm_ffi_isolated_options but `helper`. `forbids` has the words
 * `network`, `files` and `processes`; `sandbox` has no value, or `best`; names in `reads` and
 * `environment` are separated by plus signs.
 *
 * @param name [borrow] The options end at its first colon.
 * @param out  [own] A Module, as from tvm_ffi_isolated_load.
 * @return 0, or -1.   Errors: as tvm_ffi_isolated_load.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_isolated_load_named(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);

/**
 * The process number of a module's helper, for example for a debugger.
 * @param module [borrow] A Module that tvm_ffi_isolated_load made.
 * @param index  [in] From 0 to options.processes - 1.
 * @param out    [out] 0 when no helper runs.
 * @return 0, or -1.   Errors: TypeError (another module), IndexError.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_isolated_read_process(TVMFFIObjectHandle module, int32_t index,
                                              int64_t *out);

/**
 * What keeps a module's helper in its sandbox. With options.sandbox TVM_FFI_ISOLATED_SANDBOX_ALL,
 * that is everything but perhaps TVM_FFI_ISOLATED_SANDBOX_SCOPES, which namespaces do, too.
 * @param module [borrow] A Module that tvm_ffi_isolated_load made.
 * @param index  [in] From 0 to options.processes - 1.
 * @param out    [out] Bits of tvm_ffi_isolated_sandbox_part; 0: no sandbox, or no helper runs.
 * @return 0, or -1.   Errors: TypeError (another module), IndexError.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_isolated_read_sandbox(TVMFFIObjectHandle module, int32_t index,
                                              int32_t *out);

/* ---- Tensors ---- */

/**
 * Allocate a CPU tensor that helpers read and write in place. Other tensors are copied to the
 * helper before a call, and changes back after it. A DLPackManagedTensorAllocator: set it with
 * TVMFFIEnvSetDLPackManagedTensorAllocator, or in a tvm_ffi_env, and what the host allocates
 * meanwhile is shared.
 *
 * While they run, all helpers of the process have access to this memory, including tensors not
 * passed to them. Each tensor takes whole pages.
 *
 * @param prototype [borrow] Device, dtype and shape.
 * @param out       [own] To be released with its deleter. Its elements are not initialised.
 * @param error_ctx [borrow] Passed to set_error.
 * @param set_error [in] Called on failure with error_ctx and ValueError or MemoryError.
 * @return 0, or -1.   Errors: only those given to set_error.   Threads: any.
 */
TVM_FFI_DLL int tvm_ffi_isolated_allocate(DLTensor *prototype, DLManagedTensorVersioned **out,
                                          void *error_ctx,
                                          void (*set_error)(void *error_ctx, const char *kind,
                                                            const char *message));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_ISOLATED_H_ */
