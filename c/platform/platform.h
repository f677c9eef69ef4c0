/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime wants of a system: locks, threads, loading of libraries, the stack. A port
 * writes these functions in one file, as posix.c (with elf_*.c for ELF files) and windows.c are;
 * none.c has stand-ins for each group that a system lacks, so that a new port links from the start.
 * The build says what there is by
 *
 *     TVM_FFI_THREADS        threads and locks; 0 comes with TVMFFI_SINGLE_THREAD
 *     TVM_FFI_LOADING        libraries that are loaded while the program runs
 *     TVM_FFI_ELF_TABLES     dl_iterate_phdr and dlinfo
 *     TVM_FFI_LOCAL_RUNTIME  ELF files are written (elf_writer.c) where its names are not global
 *     TVM_FFI_STACK_BOUNDS   pthread_getattr_np
 *     TVM_FFI_BACKTRACE      backtrace of execinfo.h
 *
 * Compilers differ in compiler.h and atomic.h.
 */
#ifndef TVMFFI_PLATFORM_PLATFORM_H_
#define TVMFFI_PLATFORM_PLATFORM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "platform/c99_string.h"
#include "platform/compiler.h"

/* ---- The types of locks ---- */

#if defined(TVMFFI_SINGLE_THREAD)

/* There is nothing in them, but C wants a member. */
typedef char tvmffi_native_lock;
typedef char tvmffi_condition;
typedef char tvmffi_thread_id;
#define TVMFFI_NATIVE_LOCK_INIT 0
#define TVMFFI_CONDITION_INIT 0

#elif defined(_WIN32)

/*
 * An SRWLOCK, which is always taken exclusively, a CONDITION_VARIABLE and a DWORD, under other
 * names, so that the macros of windows.h stay out of the sources that use locks.
 */
typedef struct {
  void *words[1];
} tvmffi_native_lock;
typedef struct {
  void *words[1];
} tvmffi_condition;
typedef unsigned long tvmffi_thread_id;
#define TVMFFI_NATIVE_LOCK_INIT \
  {                             \
    { NULL }                    \
  }
#define TVMFFI_CONDITION_INIT \
  {                           \
    { NULL }                  \
  }

#else

/* Not hidden, in the single file of tools/amalgamate either: these are another library's. */
#pragma GCC visibility push(default)
#include <pthread.h>
#pragma GCC visibility pop

typedef pthread_mutex_t tvmffi_native_lock;
typedef pthread_cond_t tvmffi_condition;
typedef pthread_t tvmffi_thread_id;
#define TVMFFI_NATIVE_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define TVMFFI_CONDITION_INIT PTHREAD_COND_INITIALIZER

#endif

/* ---- Locks and threads ---- */

/*
 * Locks are static and never destroyed. Of clients' code only the memory hooks are called while one
 * is held.
 */

/*
 * The order of locks: a thread that holds one may take only those of a higher rank. fork takes all
 * of them in this order, so that whatever a lock guards is whole in the child, too. The rank and
 * what follows it have no purpose on systems without fork.
 */
typedef enum {
  kTvmffiLockOuter,  /* any other; never two of them at once */
  kTvmffiLockTypes,  /* types; the hook for the end of threads */
  kTvmffiLockLive,   /* counting of live objects: wherever objects are made */
  kTvmffiLockMemory, /* memory until shutdown: wherever such memory is allocated */
  kTvmffiNumLockRanks
} tvmffi_lock_rank;

/*
 * forget_threads may be NULL. It is called in the child of a fork, with the lock held: it removes
 * from the data what is about threads other than the calling one, for the child has no others.
 */
typedef struct tvmffi_mutex {
  tvmffi_native_lock lock;
  tvmffi_lock_rank rank;
  void (*forget_threads)(void);
  struct tvmffi_mutex *next; /* in the list of all that were ever used */
  int is_listed;
} tvmffi_mutex;

#define TVMFFI_MUTEX_INIT_WITH(rank, forget_threads) \
  { TVMFFI_NATIVE_LOCK_INIT, rank, forget_threads, NULL, 0 }
#define TVMFFI_MUTEX_INIT TVMFFI_MUTEX_INIT_WITH(kTvmffiLockOuter, NULL)

void tvmffi_mutex_lock(tvmffi_mutex *mutex);
void tvmffi_mutex_unlock(tvmffi_mutex *mutex);

/* Waits with the mutex released; may wake up spuriously. */
void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex);
void tvmffi_condition_broadcast(tvmffi_condition *condition);
/* In the child of a fork: forgets the threads that waited. */
void tvmffi_condition_reset(tvmffi_condition *condition);

tvmffi_thread_id tvmffi_thread_self(void);
int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b);

void tvmffi_thread_yield(void);

/*
 * Calls fn(arg) when the calling thread ends, if arg is not NULL. There is one fn per process;
 * another call in the same thread replaces arg, and NULL cancels. Returns 0, or -1 if the system
 * has no room: then fn will not be called. For the main thread, fn does not run when main returns.
 */
int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg);

/* ---- Libraries ---- */

/*
 * Why something failed. The text may be as long as the names in a library's file, and its bytes are
 * theirs: the memory for it is the caller's (tvmffi_reason in base/buf.h). set() replaces the text;
 * the one before may be among the values.
 */
typedef struct tvmffi_dl_reason {
  const char *text; /* NUL-terminated; empty at first */
  void (*set)(struct tvmffi_dl_reason *self, const char *format, ...) TVMFFI_PRINTF(2, 3);
} tvmffi_dl_reason;

/*
 * Opens a library with its symbols bound lazily and hidden from libraries loaded later. Opening the
 * same file twice gives the same handle, reference-counted. Some systems also give the handle of
 * the file that was opened under the same path before, even if there is another file by now. On
 * failure returns NULL and sets the system's reason.
 */
void *tvmffi_dl_open(const char *path, tvmffi_dl_reason *reason);

/* The same with all symbols bound before it returns. Only posix.c has it, for elf_open.c. */
void *tvmffi_dl_open_at_once(const char *path, tvmffi_dl_reason *reason);

/*
 * Why a file must not be given to the system's loader, which it would crash, or NULL.
 * tvmffi_dl_open asks this where libraries are ELF files (elf_checks.c).
 */
const char *tvmffi_dl_check(const char *path);

/*
 * Adds to the reason why a library could not be opened that it is for another C library, if it is,
 * where libraries are ELF files.
 */
void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason);

/*
 * Names of this runtime, for the libraries that it loads: functions and variables, in lists that
 * end with a NULL name. The address of what the program does not have is NULL.
 */
typedef struct {
  const char *name;
  union {
    void (*code)(void);
    const void *data;
  } at;
} tvmffi_dl_name;

/*
 * tvmffi_dl_open for a library that may use these names, from an array of lists that ends with
 * NULL. A program that the runtime is linked into, or that was linked with it, offers them to every
 * library; a plugin that was opened with RTLD_LOCAL offers them to none, and then this call hands
 * them over. *out_group: NULL, or what to close after the library, with tvmffi_dl_close.
 *
 * Refuses a library that uses a name of another copy of the runtime, or one that begins with TVMFFI
 * and that nobody has. Such a library stays loaded, for its code has run already. It is checked
 * only if the runtime's names are not global already, and only on systems with ELF.
 */
void *tvmffi_dl_open_bound(const char *path, const tvmffi_dl_name *const *lists, void **out_group,
                           tvmffi_dl_reason *reason);

/* Opens a library only if it is loaded, by the path it was opened with; otherwise NULL. */
void *tvmffi_dl_open_loaded(const char *path);

/*
 * Writes a path in another way, a different one for each number, so that the system does not take
 * the file for one that was opened under that path before. The path has a slash; out has room for
 * it and kTvmffiDlRespelled more bytes.
 */
enum { kTvmffiDlRespelled = 2 * 32 + 1 };
void tvmffi_dl_respell(const char *path, uint32_t number, char *out);

/* A file on disk. While it is loaded, no other file has its device and inode. */
typedef struct {
  uint64_t device, inode, size;
  uint64_t modified, modified_nanoseconds; /* the time of the last change of its contents */
} tvmffi_dl_file;

/* The file that a path leads to now. False for a name without a slash, and if there is none. */
bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out);

/*
 * tvmffi_dl_open for a file name: first tries the directory of the library or program that contains
 * this code, if that is known for sure; then, if that is `tvm_ffi_cxx`, where the library with C++
 * functions is installed, the one that holds it (not in the core profile, which has nothing there);
 * and then leaves the search to the system.
 */
void *tvmffi_dl_open_beside(const char *name, tvmffi_dl_reason *reason);

/* Undoes one call of tvmffi_dl_open or tvmffi_dl_open_beside. */
void tvmffi_dl_close(void *handle);

/* The address of a symbol of an opened library, NULL if it has none. */
void *tvmffi_dl_symbol(void *handle, const char *name);

/*
 * Looks a symbol up in what is loaded already: first in the global scope, then in the libraries
 * listed (names, NULL at the end). The first of these that is loaded and has the symbol stays
 * loaded.
 */
void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries);

/* ---- What lies where in loaded libraries ---- */

typedef struct {
  uintptr_t begin, end;
} tvmffi_dl_range;

static inline bool tvmffi_dl_range_has(const tvmffi_dl_range *range, uintptr_t address) {
  return address - range->begin < range->end - range->begin;
}

/* The addresses of the code and data of an opened library. False if the system does not tell. */
bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out);

/*
 * The size of a data symbol of a loaded library. If the library does not tell, the number of bytes
 * that can be read at the address; SIZE_MAX if the system does not tell that either.
 */
size_t tvmffi_dl_symbol_size(const char *name, const void *address);

/*
 * Whether an address is in a file that has a copy of the runtime of its own, other than this one:
 * the loader has bound calls of that copy to this one, which was global first. False where the
 * system does not tell.
 */
bool tvmffi_dl_has_other_copy(const void *address);

/*
 * Keeps the library that contains an address loaded until the process ends. Does nothing on systems
 * where tvmffi_dl_find_range is always false.
 */
void tvmffi_dl_keep(const void *address);
/* The same for the library that has this code. */
void tvmffi_dl_keep_own(void);

/*
 * The path of the library or program that contains an address: absolute, and taken from the system,
 * not from the name that the program was started with. False if it cannot be found out, or is too
 * long.
 */
bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size);

/* ---- The stack ---- */

/* The number of bytes left of the thread's stack, or SIZE_MAX if the system does not say. */
size_t tvmffi_stack_left(void);

/* A TVMFFIRuntimeStackWalker: the calling thread's frames, this function's caller first. */
void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context);

#endif /* TVMFFI_PLATFORM_PLATFORM_H_ */
