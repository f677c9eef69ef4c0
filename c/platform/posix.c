/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h on POSIX systems, for what the build found there: threads, dlopen, the bounds of
 * stacks, backtrace(). none.c has the functions of what it did not find, elf_image.c and
 * elf_checks.c those that read ELF files, elf_open.c what is made of these.
 */
#define _GNU_SOURCE      /* RTLD_DEFAULT, RTLD_NOLOAD, pthread_getattr_np, dladdr */
#define _DEFAULT_SOURCE  /* pthread_atfork */
#define _DARWIN_C_SOURCE /* pthread_get_stackaddr_np */
#include "platform/platform.h"

#if TVM_FFI_THREADS || TVM_FFI_STACK_BOUNDS || defined(__APPLE__)
#include <pthread.h>
#endif
#if TVM_FFI_THREADS
#include <sched.h>
#endif
#if TVM_FFI_LOADING
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#endif
#if TVM_FFI_BACKTRACE
#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <string.h>
#if TVM_FFI_ELF_TABLES
#include "platform/int128.h"

#include <link.h>
#endif
#endif

#include "platform/atomic.h"
#include "platform/compiler.h"

#if TVM_FFI_THREADS

/* ---- Locks: fork ---- */

#if defined(__GLIBC__)
/*
 * What pthread_atfork of glibc calls; the Linux Standard Base specifies it. pthread_atfork itself
 * is linked in statically, from an object file without the note for control-flow enforcement, which
 * the whole library would lose for it.
 */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso_handle);
/* From the start files, if these are linked in: the handlers end when that library is unloaded. */
extern void *const __dso_handle __attribute__((weak, visibility("hidden")));

static int set_fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  return __register_atfork(prepare, parent, child, (void *)(uintptr_t)&__dso_handle);
}
#else
#define set_fork_handlers pthread_atfork
#endif

static tvmffi_mutex *listed; /* newest first; guarded by the next, but read without it */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static int has_fork_handlers;
static int is_forked; /* this process is a child of fork */

static void unlock_list(tvmffi_mutex *mutex) {
  for (; mutex != NULL; mutex = mutex->next) (void)pthread_mutex_unlock(&mutex->lock);
}

/*
 * Nobody waits for a lock while holding the lock of the list, so that one comes last. A mutex that
 * was used for the first time meanwhile is missing then: start again.
 */
static void before_fork(void) {
  for (;;) {
    tvmffi_mutex *first = tvmffi_atomic_load_acquire_ptr(&listed), *mutex;
    int rank;
    for (rank = 0; rank < kTvmffiNumLockRanks; ++rank) {
      for (mutex = first; mutex != NULL; mutex = mutex->next) {
        if ((int)mutex->rank == rank) (void)pthread_mutex_lock(&mutex->lock);
      }
    }
    (void)pthread_mutex_lock(&listing);
    if (listed == first) return;
    (void)pthread_mutex_unlock(&listing);
    unlock_list(first);
  }
}

static void after_fork(void) {
  (void)pthread_mutex_unlock(&listing);
  unlock_list(listed);
}

static void after_fork_in_child(void) {
  tvmffi_mutex *mutex;
  is_forked = 1;
  for (mutex = listed; mutex != NULL; mutex = mutex->next) {
    if (mutex->forget_threads != NULL) mutex->forget_threads();
  }
  after_fork();
}

/*
 * The handlers are set without any lock, because the system may be running other handlers, which
 * wait for locks. If it has no memory for them, the next new mutex tries again.
 */
TVMFFI_COLD static void list_mutex(tvmffi_mutex *mutex) {
  if (!tvmffi_atomic_exchange_int(&has_fork_handlers, 1) &&
      set_fork_handlers(before_fork, after_fork, after_fork_in_child) != 0) {
    tvmffi_atomic_store_release_int(&has_fork_handlers, 0);
  }
  (void)pthread_mutex_lock(&listing);
  if (!mutex->is_listed) {
    mutex->next = listed;
    tvmffi_atomic_store_release_ptr(&listed, mutex);
    tvmffi_atomic_store_release_int(&mutex->is_listed, 1);
  }
  (void)pthread_mutex_unlock(&listing);
}

/* ---- Locks ---- */

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  if (TVMFFI_UNLIKELY(!tvmffi_atomic_load_acquire_int(&mutex->is_listed))) list_mutex(mutex);
  (void)pthread_mutex_lock(&mutex->lock);
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  (void)pthread_mutex_unlock(&mutex->lock);
}

void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)pthread_cond_wait(condition, &mutex->lock);
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  (void)pthread_cond_broadcast(condition);
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  static const tvmffi_condition without_waiters = TVMFFI_CONDITION_INIT;
  *condition = without_waiters;
}

/* ---- Threads ---- */

tvmffi_thread_id tvmffi_thread_self(void) {
  return pthread_self();
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return pthread_equal(a, b);
}

void tvmffi_thread_yield(void) {
  (void)sched_yield();
}

/*
 * The key is created once and never deleted: a thread may end at any time, and then calls fn, which
 * is in the library that this code is linked into. So that library must stay loaded from then on.
 */
static pthread_key_t exit_key;
static int exit_key_made;
static tvmffi_mutex exit_key_mutex = TVMFFI_MUTEX_INIT_WITH(kTvmffiLockTypes, NULL);

int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  if (!tvmffi_atomic_load_acquire_int(&exit_key_made)) {
    int rc = 0;
    tvmffi_mutex_lock(&exit_key_mutex);
    if (!exit_key_made) {
      rc = pthread_key_create(&exit_key, fn);
      if (rc == 0) tvmffi_atomic_store_release_int(&exit_key_made, 1);
    }
    tvmffi_mutex_unlock(&exit_key_mutex);
    if (rc != 0) return -1;
    tvmffi_dl_keep_own(); /* outside the lock: it may be taken under the loader's */
  }
  return pthread_setspecific(exit_key, arg) == 0 ? 0 : -1;
}

#endif /* TVM_FFI_THREADS */

#if TVM_FFI_LOADING

/* ---- Libraries ---- */

#if !TVM_FFI_ELF_TABLES
#define tvmffi_dl_check(path) NULL

void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason) {
  (void)path;
  (void)reason;
}
#endif

#ifdef PATH_MAX
enum { kMaxPosixPath = PATH_MAX - 1 };
#else
enum { kMaxPosixPath = 4095 };
#endif

static void *open_library(const char *path, int mode, tvmffi_dl_reason *reason) {
  const char *text;
  size_t size = strlen(path);
  if (size > kMaxPosixPath) { /* the loader of glibc would copy it to the stack */
    reason->set(reason, "the path has %zu bytes, more than %d", size, kMaxPosixPath);
    return NULL;
  }
  text = tvmffi_dl_check(path);
  if (text == NULL) {
    void *handle = dlopen(path, mode | RTLD_LOCAL);
    if (handle != NULL) return handle;
    text = dlerror();
    reason->set(reason, "%s", text != NULL ? text : "unknown reason");
  } else {
    reason->set(reason, "%s", text);
  }
  return NULL;
}

void *tvmffi_dl_open(const char *path, tvmffi_dl_reason *reason) {
  return open_library(path, RTLD_LAZY, reason);
}

void *tvmffi_dl_open_at_once(const char *path, tvmffi_dl_reason *reason) {
  return open_library(path, RTLD_NOW, reason);
}

void *tvmffi_dl_open_loaded(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) (void)dlerror(); /* the system would keep its text */
  return handle;
}

/*
 * The loader of glibc compares paths as texts before it looks at the file. So this appends slashes
 * and "./" to the folder, one for each bit of the number.
 */
void tvmffi_dl_respell(const char *path, uint32_t number, char *out) {
  size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
  memcpy(out, path, folder);
  for (; number != 0; number >>= 1) {
    if ((number & 1) != 0) out[folder++] = '.';
    out[folder++] = '/';
  }
  strcpy(out + folder, strrchr(path, '/') + 1);
}

bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out) {
  struct stat status;
  if (strchr(path, '/') == NULL || stat(path, &status) != 0) return false;
  out->device = (uint64_t)status.st_dev;
  out->inode = (uint64_t)status.st_ino;
  out->size = (uint64_t)status.st_size;
  out->modified = (uint64_t)status.st_mtime;
#if defined(__linux__)
  out->modified_nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
#else
  out->modified_nanoseconds = 0;
#endif
  return true;
}

void *tvmffi_dl_open_beside(const char *name, tvmffi_dl_reason *reason) {
  static const char anchor = 0;
  char path[4096], *slash;
  if (tvmffi_dl_find_path(&anchor, path, sizeof path)) {
    slash = strrchr(path, '/');
    if (slash != NULL && strlen(name) < sizeof path - (size_t)(slash + 1 - path)) {
      void *handle;
      strcpy(slash + 1, name);
      handle = tvmffi_dl_open(path, reason);
#ifdef TVMFFI_PROFILE_FULL
      if (handle == NULL) {
        static const char kInner[] = "/tvm_ffi_cxx";
        const size_t size = sizeof kInner - 1;
        if ((size_t)(slash - path) >= size && memcmp(slash - size, kInner, size) == 0) {
          strcpy(slash - size + 1, name);
          handle = tvmffi_dl_open(path, reason);
        }
      }
#endif
      if (handle != NULL) return handle;
    }
  }
  return tvmffi_dl_open(name, reason);
}

void tvmffi_dl_close(void *handle) {
  (void)dlclose(handle);
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  return dlsym(handle, name);
}

void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries) {
  void *found = dlsym(RTLD_DEFAULT, name);
  for (; found == NULL && *libraries != NULL; ++libraries) {
    void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    found = dlsym(library, name);
    if (found == NULL) (void)dlclose(library);
  }
  return found;
}

#endif /* TVM_FFI_LOADING */

/* ---- The stack ---- */

#if defined(__APPLE__)

/* The calls read the thread's own block of memory, so there is nothing to gain by keeping bounds.
 */
size_t tvmffi_stack_left(void) {
  const pthread_t self = pthread_self();
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  uintptr_t highest = (uintptr_t)pthread_get_stackaddr_np(self);
  uintptr_t lowest = highest - pthread_get_stacksize_np(self);
  /* A coroutine runs on a stack of its own. */
  if (address < lowest || address >= highest) return SIZE_MAX;
  return (size_t)(address - lowest);
}

#elif TVM_FFI_STACK_BOUNDS

/* As in glibc, musl, FreeBSD and others. Their stacks grow downwards. */

/* The lowest address of this thread's stack; 1 if the system did not say, 0 before it was asked. */
static TVMFFI_THREAD_LOCAL uintptr_t lowest;

TVMFFI_COLD static uintptr_t find_lowest(void) {
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  /* cppcheck-suppress uninitvar */ /* written by the call */
  if (pthread_attr_getstack(&attributes, &start, &size) != 0) start = NULL;
  (void)pthread_attr_destroy(&attributes);
  return start != NULL ? (uintptr_t)start : 1;
}

size_t tvmffi_stack_left(void) {
  /* The frame's address, not a variable's: sanitizers may place variables elsewhere. */
  uintptr_t address = (uintptr_t)__builtin_frame_address(0);
  if (lowest == 0) lowest = find_lowest();
  /* Below the thread's stack: this is a coroutine, which runs on a stack of its own. */
  if (lowest == 1 || address < lowest) return SIZE_MAX;
  return (size_t)(address - lowest);
}

#endif

#if TVM_FFI_BACKTRACE

enum { kMaxFrames = 512 };

/* The symbol that has an address, or NULL. dladdr() reads the whole symbol table of the library. */
static const char *look_up_symbol(uintptr_t address) {
  Dl_info info;
  memset(&info, 0, sizeof info);
  return dladdr((void *)address, &info) != 0 ? info.dli_sname : NULL;
}

#if TVM_FFI_ELF_TABLES && defined(TVMFFI_PROFILE_FULL)

/*
 * Symbols that were looked up, as errors are raised in few places: an entry for each hash of an
 * address. A name is in the tables of its library, so all are forgotten when a library was loaded
 * or unloaded. A thread that finds the cache in use goes without.
 */
enum { kCachedSymbols = 64 };
static struct {
  uintptr_t address;
  const char *symbol;
} cached_symbols[kCachedSymbols];
static uint64_t cached_changes; /* how many libraries had been loaded and unloaded */
static int is_cache_in_use;

static int read_changes(struct dl_phdr_info *info, size_t size, void *out) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
    *(uint64_t *)out = (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
  }
  return 1;
}

static const char *find_frame_symbol(uintptr_t address, uint64_t changes) {
  const size_t i = (size_t)(address ^ address >> 6 ^ address >> 12) % kCachedSymbols;
  const char *symbol;
  if (changes == UINT64_MAX || tvmffi_atomic_exchange_int(&is_cache_in_use, 1) != 0) {
    return look_up_symbol(address);
  }
  if (cached_changes != changes) {
    memset(cached_symbols, 0, sizeof cached_symbols);
    cached_changes = changes;
  }
  if (cached_symbols[i].address != address) {
    cached_symbols[i].symbol = look_up_symbol(address);
    cached_symbols[i].address = address;
  }
  symbol = cached_symbols[i].symbol;
  tvmffi_atomic_store_release(&is_cache_in_use, 0);
  return symbol;
}

/*
 * UINT64_MAX if the system does not tell. glibc does not free the lock of dl_iterate_phdr in a
 * child of fork, if another thread had it; it does free that of dladdr.
 */
static uint64_t count_changes(void) {
  uint64_t changes = UINT64_MAX;
#if TVM_FFI_THREADS
  if (is_forked) return changes;
#endif
  (void)dl_iterate_phdr(read_changes, &changes);
  return changes;
}

#else

static uint64_t count_changes(void) {
  return UINT64_MAX;
}

static const char *find_frame_symbol(uintptr_t address, uint64_t changes) {
  (void)changes;
  return look_up_symbol(address);
}

#endif

void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  void *addresses[kMaxFrames];
  int count = backtrace(addresses, kMaxFrames);
  const uint64_t changes = count_changes();
  int i;
  (void)context;
  for (i = 1; i < count; ++i) { /* 0 is this function */
    TVMFFIRuntimeFrame frame;
    memset(&frame, 0, sizeof frame);
    frame.pc = (uintptr_t)addresses[i];
    /* The return address may be in the next function already: look up the call instruction. */
    frame.symbol = find_frame_symbol(frame.pc - 1, changes);
    if (visitor(visitor_context, &frame) != 0) return;
  }
}

#endif /* TVM_FFI_BACKTRACE */
