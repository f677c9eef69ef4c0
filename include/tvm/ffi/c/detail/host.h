/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/host.h
 * The bodies of tvm/ffi/c/host.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_HOST_H_
#define TVM_FFI_C_DETAIL_HOST_H_

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* ---- A cache of functions ---- */

static inline void tvm_ffi_detail_lock_acquire(tvm_ffi_detail_lock *lock) {
#if defined(_WIN32)
  AcquireSRWLockExclusive(lock);
#elif defined(__unix__) || defined(__APPLE__)
  (void)pthread_mutex_lock(lock);
#else
  (void)lock;
#endif
}

static inline void tvm_ffi_detail_lock_release(tvm_ffi_detail_lock *lock) {
#if defined(_WIN32)
  ReleaseSRWLockExclusive(lock);
#elif defined(__unix__) || defined(__APPLE__)
  (void)pthread_mutex_unlock(lock);
#else
  (void)lock;
#endif
}

/** What tells a file from the one that replaced it; all 0 when there is none, or no such thing. */
typedef struct {
  uint64_t device, number, size, seconds, nanoseconds;
} tvm_ffi_detail_file;

static inline tvm_ffi_detail_file tvm_ffi_detail_file_find(const char *path) {
  tvm_ffi_detail_file file;
  memset(&file, 0, sizeof file);
#if defined(_WIN32)
  {
    WIN32_FILE_ATTRIBUTE_DATA data;
    WCHAR wide[MAX_PATH];
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, MAX_PATH) != 0 &&
        GetFileAttributesExW(wide, GetFileExInfoStandard, &data)) {
      file.size = (uint64_t)data.nFileSizeHigh << 32 | data.nFileSizeLow;
      file.seconds =
          (uint64_t)data.ftLastWriteTime.dwHighDateTime << 32 | data.ftLastWriteTime.dwLowDateTime;
    }
  }
#elif defined(__unix__) || defined(__APPLE__)
  {
    struct stat status;
    if (stat(path, &status) == 0) {
      file.device = (uint64_t)status.st_dev;
      file.number = (uint64_t)status.st_ino;
      file.size = (uint64_t)status.st_size;
      file.seconds = (uint64_t)status.st_mtime;
      /* In a program that asks for strict C, glibc has this under another name. */
#if defined(__APPLE__) && (!defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE))
      file.nanoseconds = (uint64_t)status.st_mtimespec.tv_nsec;
#elif defined(st_mtime)
      file.nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
#elif defined(__GLIBC__) || defined(__APPLE__)
      file.nanoseconds = (uint64_t)status.st_mtimensec;
#endif
    }
  }
#else
  (void)path;
#endif
  return file;
}

static inline bool tvm_ffi_detail_file_is(const tvm_ffi_detail_file *a,
                                          const tvm_ffi_detail_file *b) {
  return a->device == b->device && a->number == b->number && a->size == b->size &&
         a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

/* Records are followed by their text. Those of libraries stay until the cache is cleared. */
typedef struct tvm_ffi_detail_library {
  struct tvm_ffi_detail_library *next;
  TVMFFIObjectHandle module;
  tvm_ffi_detail_file file;
} tvm_ffi_detail_library;

typedef struct tvm_ffi_detail_entry {
  struct tvm_ffi_detail_entry *next;
  tvm_ffi_detail_library *library;
  TVMFFIObjectHandle function;
  uint32_t hash;
} tvm_ffi_detail_entry;

static inline uint32_t tvm_ffi_detail_hash(const char *path, const char *name) {
  uint32_t hash = 2166136261u;
  for (; *path != '\0'; ++path) hash = (hash ^ (unsigned char)*path) * 16777619u;
  hash *= 16777619u;
  for (; *name != '\0'; ++name) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash ^ hash >> 16;
}

/** Allocates a record of `size` bytes with a text. */
static inline void *tvm_ffi_detail_new_record(size_t size, const char *text) {
  const size_t length = strlen(text) + 1;
  char *record = (char *)malloc(size + length);
  if (record == NULL) return NULL;
  memcpy(record + size, text, length);
  return record;
}

/* The next two with the lock held. */

static inline tvm_ffi_detail_entry *tvm_ffi_detail_find_entry(const tvm_ffi_function_cache *cache,
                                                              uint32_t hash, const char *path,
                                                              const char *name) {
  tvm_ffi_detail_entry *entry = cache->lists[hash % TVM_FFI_C_CACHE_LISTS];
  for (; entry != NULL; entry = entry->next) {
    if (entry->hash == hash && strcmp((const char *)(entry + 1), name) == 0 &&
        strcmp((const char *)(entry->library + 1), path) == 0) {
      break;
    }
  }
  return entry;
}

static inline tvm_ffi_detail_library *tvm_ffi_detail_find_library(
    const tvm_ffi_function_cache *cache, const char *path) {
  tvm_ffi_detail_library *library = cache->libraries;
  while (library != NULL && strcmp((const char *)(library + 1), path) != 0) library = library->next;
  return library;
}

/** Takes the functions of a library, or of all for NULL, out of the cache; with the lock held. */
static inline tvm_ffi_detail_entry *tvm_ffi_detail_take_entries(
    tvm_ffi_function_cache *cache, const tvm_ffi_detail_library *library) {
  tvm_ffi_detail_entry *taken = NULL;
  int i;
  for (i = 0; i < TVM_FFI_C_CACHE_LISTS; ++i) {
    tvm_ffi_detail_entry **at = &cache->lists[i];
    while (*at != NULL) {
      tvm_ffi_detail_entry *entry = *at;
      if (library != NULL && entry->library != library) {
        at = &entry->next;
      } else {
        *at = entry->next;
        entry->next = taken;
        taken = entry;
      }
    }
  }
  return taken;
}

/** Releasing may unload a library, which runs code of it: without the lock. */
static inline void tvm_ffi_detail_free_entries(tvm_ffi_detail_entry *entry) {
  while (entry != NULL) {
    tvm_ffi_detail_entry *next = entry->next;
    TVMFFIObjectDecRef(entry->function);
    free(entry);
    entry = next;
  }
}

/**
 * Adds a function to the cache. `library` and `entry` are new records, which are taken with their
 * references. `is_new`: the library has just been loaded; otherwise it was in the cache, where
 * another thread may have replaced it meanwhile.
 */
static inline void tvm_ffi_detail_add_entry(tvm_ffi_function_cache *cache,
                                            tvm_ffi_detail_library *library,
                                            tvm_ffi_detail_entry *entry, bool is_new,
                                            const char *path, const char *name) {
  tvm_ffi_detail_library *known;
  tvm_ffi_detail_entry *dropped = NULL;
  bool is_current = true;
  tvm_ffi_detail_lock_acquire(&cache->lock);
  known = tvm_ffi_detail_find_library(cache, path);
  if (known == NULL) {
    library->next = cache->libraries;
    cache->libraries = known = library;
    library = NULL;
  } else if (tvm_ffi_detail_file_is(&known->file, &library->file)) {
    /* nothing to replace */
  } else if (!is_new) {
    is_current = false;
  } else {
    TVMFFIObjectHandle module = known->module;
    known->module = library->module;
    known->file = library->file;
    library->module = module; /* to be released */
    dropped = tvm_ffi_detail_take_entries(cache, known);
  }
  if (is_current && tvm_ffi_detail_find_entry(cache, entry->hash, path, name) == NULL) {
    entry->library = known;
    entry->next = cache->lists[entry->hash % TVM_FFI_C_CACHE_LISTS];
    cache->lists[entry->hash % TVM_FFI_C_CACHE_LISTS] = entry;
  } else { /* another thread was faster */
    entry->next = dropped;
    dropped = entry;
  }
  tvm_ffi_detail_lock_release(&cache->lock);
  tvm_ffi_detail_free_entries(dropped);
  if (library != NULL) {
    TVMFFIObjectDecRef(library->module);
    free(library);
  }
}

static inline int tvm_ffi_detail_cache_load(tvm_ffi_function_cache *cache, const char *path,
                                            TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle module = NULL;
  int code = 0;
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));
  if (cache->on_load != NULL) {
    TVMFFIErrorSetRaised(NULL);
    code = tvm_ffi_error_ensure(cache->on_load(module));
  }
  if (code != 0) {
    TVMFFIObjectDecRef(module);
    return code;
  }
  *out = module;
  return 0;
}

/** `now` is the file as it is, or NULL for any. */
static inline int tvm_ffi_detail_cache_get(tvm_ffi_function_cache *cache, const char *path,
                                           const char *name, const tvm_ffi_detail_file *now,
                                           TVMFFIObjectHandle *out) {
  static const tvm_ffi_detail_file no_file = {0, 0, 0, 0, 0};
  const uint32_t hash = tvm_ffi_detail_hash(path, name);
  const bool is_any = now == NULL || tvm_ffi_detail_file_is(now, &no_file);
  tvm_ffi_detail_library *library;
  tvm_ffi_detail_entry *entry;
  tvm_ffi_detail_file file = no_file;
  TVMFFIObjectHandle module = NULL, function = NULL;
  bool is_new;
  int code = 0;

  tvm_ffi_detail_lock_acquire(&cache->lock);
  entry = tvm_ffi_detail_find_entry(cache, hash, path, name);
  if (entry != NULL && (is_any || tvm_ffi_detail_file_is(&entry->library->file, now))) {
    function = tvm_ffi_object_retain(entry->function);
  } else {
    library = tvm_ffi_detail_find_library(cache, path);
    if (library != NULL && (is_any || tvm_ffi_detail_file_is(&library->file, now))) {
      module = tvm_ffi_object_retain(library->module);
      file = library->file;
    }
  }
  tvm_ffi_detail_lock_release(&cache->lock);
  if (function != NULL) {
    *out = function;
    return 0;
  }

  is_new = module == NULL;
  if (is_new) {
    /* Before it is loaded: if it is replaced meanwhile, the next request finds another file. */
    file = tvm_ffi_detail_file_find(path);
    TVM_FFI_C_TRY(tvm_ffi_detail_cache_load(cache, path, &module));
  }
  code = tvm_ffi_module_get_function(module, name, &function);
  if (code != 0) {
    TVMFFIObjectDecRef(module);
    return code;
  }
  library = (tvm_ffi_detail_library *)tvm_ffi_detail_new_record(sizeof *library, path);
  entry = (tvm_ffi_detail_entry *)tvm_ffi_detail_new_record(sizeof *entry, name);
  if (library == NULL || entry == NULL) {
    free(library);
    free(entry);
    TVMFFIObjectDecRef(function);
    TVMFFIObjectDecRef(module);
    return tvm_ffi_error_raise_memory(), -1;
  }
  library->module = module;
  library->file = file;
  entry->function = tvm_ffi_object_retain(function);
  entry->hash = hash;
  tvm_ffi_detail_add_entry(cache, library, entry, is_new, path, name);
  *out = function;
  return 0;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_function_cache_get(
    tvm_ffi_function_cache *cache, const char *path, const char *name, TVMFFIObjectHandle *out) {
  return tvm_ffi_detail_cache_get(cache, path, name, NULL, out);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_function_cache_get_current(
    tvm_ffi_function_cache *cache, const char *path, const char *name, TVMFFIObjectHandle *out) {
  const tvm_ffi_detail_file now = tvm_ffi_detail_file_find(path);
  return tvm_ffi_detail_cache_get(cache, path, name, &now, out);
}

static inline void tvm_ffi_function_cache_clear(tvm_ffi_function_cache *cache) {
  tvm_ffi_detail_library *library;
  tvm_ffi_detail_entry *entries;
  tvm_ffi_detail_lock_acquire(&cache->lock);
  entries = tvm_ffi_detail_take_entries(cache, NULL);
  library = cache->libraries;
  cache->libraries = NULL;
  tvm_ffi_detail_lock_release(&cache->lock);
  tvm_ffi_detail_free_entries(entries);
  while (library != NULL) {
    tvm_ffi_detail_library *next = library->next;
    TVMFFIObjectDecRef(library->module);
    free(library);
    library = next;
  }
}

/* ---- Interrupting kernels ---- */

/* A thread may be about to read a pair at any time, so none is freed. */
typedef struct tvm_ffi_detail_interrupt {
  tvm_ffi_interrupt_fn check;
  void *context;
  struct tvm_ffi_detail_interrupt *next;
} tvm_ffi_detail_interrupt;

/**
 * Calls the check that is set, or sets the one in `next`. One function, so that both have the same
 * variable.
 */
static inline int tvm_ffi_detail_interrupt_step(tvm_ffi_detail_interrupt *next) {
  static void *current;
  tvm_ffi_detail_interrupt *pair;
  if (next != NULL) {
    while (!tvm_ffi_detail_replace(&current, tvm_ffi_detail_load(&current), next)) continue;
    return 0;
  }
  pair = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&current);
  return pair != NULL && pair->check != NULL && pair->check(pair->context) != 0 ? -1 : 0;
}

static inline int tvm_ffi_detail_check_interrupt(void) {
  return tvm_ffi_detail_interrupt_step(NULL);
}

/** The lock of a frontend: there is none, and nothing to release. */
static inline void *tvm_ffi_detail_ensure_lock(void) {
  return NULL;
}

static inline void tvm_ffi_detail_release_lock(void *state) {
  (void)state;
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_env_set_interrupt_check(
    tvm_ffi_interrupt_fn check, void *context) {
  static void *pairs;
  tvm_ffi_detail_interrupt *first = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&pairs), *pair;
  union {
    void *symbol;
    int (*check)(void);
    void *(*ensure)(void);
    void (*release)(void *state);
  } hook;
  for (pair = first; pair != NULL; pair = pair->next) {
    if (pair->check == check && pair->context == context) break;
  }
  if (pair == NULL) {
    pair = (tvm_ffi_detail_interrupt *)malloc(sizeof *pair);
    if (pair == NULL) return tvm_ffi_error_raise_memory(), -1;
    pair->check = check;
    pair->context = context;
    do {
      pair->next = (tvm_ffi_detail_interrupt *)tvm_ffi_detail_load(&pairs);
    } while (!tvm_ffi_detail_replace(&pairs, pair->next, pair));
  }
  tvm_ffi_detail_interrupt_step(pair);
  /* The lock first: the runtime may find the check as soon as it is registered. */
  hook.ensure = tvm_ffi_detail_ensure_lock;
  TVM_FFI_C_TRY(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", hook.symbol));
  hook.release = tvm_ffi_detail_release_lock;
  TVM_FFI_C_TRY(TVMFFIEnvRegisterCAPI("PyGILState_Release", hook.symbol));
  hook.check = tvm_ffi_detail_check_interrupt;
  return TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", check != NULL ? hook.symbol : NULL);
}

/* ---- The floating-point state ---- */

static inline void tvm_ffi_float_state_save(tvm_ffi_float_state *state) {
#if defined(__GNUC__) && defined(__SSE__)
  __asm__ __volatile__("stmxcsr %0" : "=m"(state->mxcsr) : : "memory");
  __asm__ __volatile__("fnstcw %0" : "=m"(state->x87) : : "memory");
#elif defined(__GNUC__) && defined(__aarch64__)
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(state->fpcr) : : "memory");
  __asm__ __volatile__("mrs %0, fpsr" : "=r"(state->fpsr) : : "memory");
#else
  (void)fegetenv(&state->environment);
#endif
}

static inline void tvm_ffi_float_state_restore(const tvm_ffi_float_state *state) {
#if defined(__GNUC__) && defined(__SSE__)
  uint16_t x87;
  __asm__ __volatile__("ldmxcsr %0" : : "m"(state->mxcsr) : "memory"); /* faster than to compare */
  __asm__ __volatile__("fnstcw %0" : "=m"(x87) : : "memory");
  if (x87 != state->x87) { /* an exception of the past would trap where it is not masked */
    __asm__ __volatile__("fnclex\n\tfldcw %0" : : "m"(state->x87) : "memory");
  }
#elif defined(__GNUC__) && defined(__aarch64__)
  __asm__ __volatile__("msr fpcr, %0" : : "r"(state->fpcr) : "memory");
  __asm__ __volatile__("msr fpsr, %0" : : "r"(state->fpsr) : "memory");
#else
  (void)fesetenv(&state->environment);
#endif
}

static inline int tvm_ffi_float_state_call(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                           int32_t num_args, TVMFFIAny *result) {
  tvm_ffi_float_state state;
  int code;
  tvm_ffi_float_state_save(&state);
  code = tvm_ffi_function_call(function, args, num_args, result);
  tvm_ffi_float_state_restore(&state);
  return code;
}

/* ---- Threads with deadlines ---- */

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_thread_prime(const DLDevice *devices,
                                                                  int32_t num_devices) {
  TVMFFIObjectHandle raised = tvm_ffi_error_take(), function = NULL;
  int code;
  int32_t i;
  (void)TVMFFIBacktrace(__FILE__, __LINE__, __func__, 0);
  TVMFFIErrorSetRaisedFromCStr(TVM_FFI_C_RUNTIME_ERROR, "");
  TVMFFIErrorSetRaised(raised);
  tvm_ffi_object_release(raised);
  code = tvm_ffi_function_find_global("tvm_ffi_thread_prime", &function);
  tvm_ffi_object_release(function);
  for (i = 0; i < num_devices && code == 0; ++i) {
    const int32_t type = (int32_t)devices[i].device_type, id = devices[i].device_id;
    TVMFFIStreamHandle stream = NULL;
    if (type < 0 || id < 0) { /* other runtimes crash on these */
      return TVM_FFI_C_DETAIL_FAIL(TVM_FFI_C_VALUE_ERROR, "Device (%d, %d) is negative", (int)type,
                                   (int)id);
    }
    /* Only a stream that is not NULL takes a place; nobody uses it meanwhile. */
    code = TVMFFIEnvSetStream(type, id, &stream, &stream);
    if (code == 0) code = TVMFFIEnvSetStream(type, id, stream, NULL);
  }
  return code;
}

#endif /* TVM_FFI_C_DETAIL_HOST_H_ */
