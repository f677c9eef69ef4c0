/* SPDX-License-Identifier: Apache-2.0 */
#include "env/env.h"

#include <string.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "core/error.h"
#include "core/function.h"
#include "core/tensor.h"
#include "core/thread_state.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/platform.h"

/* ---- Streams ---- */

/*
 * The current streams of a thread: a hash table from device to stream with open addressing, in one
 * block that the thread's state points to. Devices are never removed; there are few of them.
 */

enum { kFirstStreamShift = 61 }; /* eight slots */

typedef struct {
  uint64_t device; /* 0 is a free slot */
  TVMFFIStreamHandle stream;
} stream_slot;

typedef struct {
  unsigned shift; /* 64 - log2(slots) */
  size_t count;
  stream_slot slots[];
} stream_table;

/* Device type and id are not negative, so bit 63 is free. It is set because 0 is a free slot. */
static uint64_t device_key(int32_t device_type, int32_t device_id) {
  return UINT64_C(1) << 63 | (uint64_t)(uint32_t)device_type << 32 | (uint32_t)device_id;
}

static size_t last_slot(const stream_table *table) {
  return (size_t)((UINT64_C(1) << (64 - table->shift)) - 1);
}

/* The slot of a device, or the free slot where it belongs. The table is never full. */
static stream_slot *find_stream_slot(stream_table *table, uint64_t device) {
  size_t mask = last_slot(table);
  size_t i = (size_t)((device * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift);
  while (table->slots[i].device != device && table->slots[i].device != 0) i = (i + 1) & mask;
  return &table->slots[i];
}

static stream_table *new_table(unsigned shift) {
  stream_table *table;
  size_t bytes;
  if (shift < 64 - 30 || !tvmffi_checked_array_size(sizeof *table, (size_t)1 << (64 - shift),
                                                    sizeof table->slots[0], &bytes)) {
    return NULL;
  }
  table = tvmffi_alloc(bytes);
  if (table == NULL) return NULL;
  memset(table, 0, bytes);
  table->shift = shift;
  return table;
}

/* The thread's table with room for one more device; NULL if out of memory, nothing changed. */
TVMFFI_COLD static stream_table *ensure_stream_room(void) {
  stream_table *table = tvmffi_thread.streams, *grown;
  size_t i;
  if (table != NULL && table->count < (last_slot(table) + 1) / 2) return table;
  grown = new_table(table == NULL ? kFirstStreamShift : table->shift - 1);
  if (grown == NULL) return NULL;
  for (i = 0; table != NULL && i <= last_slot(table); ++i) {
    if (table->slots[i].device != 0) {
      *find_stream_slot(grown, table->slots[i].device) = table->slots[i];
      ++grown->count;
    }
  }
  tvmffi_thread.streams = grown;
  tvmffi_thread.release_streams = tvmffi_free;
  tvmffi_free(table);
  tvmffi_thread_ensure_exit_hook();
  return grown;
}

TVMFFI_COLD static int refuse_device(int32_t device_type, int32_t device_id) {
  return tvmffi_fail("ValueError",
                     "TVMFFIEnvSetStream: device type %d and id %d must not be negative",
                     (int)device_type, (int)device_id);
}

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle *opt_out_original_stream) {
  stream_table *table = tvmffi_thread.streams;
  stream_slot *slot = NULL;
  TVMFFIStreamHandle original = NULL;
  uint64_t device;
  if (TVMFFI_UNLIKELY((device_type | device_id) < 0)) return refuse_device(device_type, device_id);
  device = device_key(device_type, device_id);
  if (TVMFFI_LIKELY(table != NULL)) slot = find_stream_slot(table, device);
  if (TVMFFI_LIKELY(slot != NULL && slot->device != 0)) {
    original = slot->stream;
    slot->stream = stream;
  } else if (stream != NULL) { /* a missing entry means NULL */
    table = ensure_stream_room();
    if (table == NULL) return tvmffi_fail_memory();
    slot = find_stream_slot(table, device);
    slot->device = device;
    slot->stream = stream;
    ++table->count;
  }
  if (opt_out_original_stream != NULL) *opt_out_original_stream = original;
  return 0;
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  stream_table *table = tvmffi_thread.streams;
  if (table == NULL || (device_type | device_id) < 0) return NULL;
  return find_stream_slot(table, device_key(device_type, device_id))->stream;
}

/* ---- The allocator of tensors ---- */

static DLPackManagedTensorAllocator process_allocator;

int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator *opt_out_original_allocator) {
  DLPackManagedTensorAllocator original = tvmffi_thread.tensor_allocator;
  tvmffi_thread.tensor_allocator = allocator;
  if (write_to_global_context) tvmffi_atomic_store_release_ptr(&process_allocator, allocator);
  if (opt_out_original_allocator != NULL) *opt_out_original_allocator = original;
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  DLPackManagedTensorAllocator allocator = tvmffi_thread.tensor_allocator;
  return allocator != NULL ? allocator : tvmffi_atomic_load_acquire_ptr(&process_allocator);
}

static void raise_allocator_error(void *error_ctx, const char *kind, const char *message) {
  (void)error_ctx;
  TVMFFIErrorSetRaisedFromCStr(kind, message);
}

int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out) {
  DLPackManagedTensorAllocator allocator;
  DLManagedTensorVersioned *managed = NULL;
  int rc;
  TVMFFI_REQUIRE(prototype);
  TVMFFI_REQUIRE(out);
  allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (allocator == NULL) {
    return tvmffi_fail("RuntimeError",
                       "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                       "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.");
  }
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  rc = allocator(prototype, &managed, NULL, raise_allocator_error);
  if (rc != 0) return tvmffi_function_check_raised(rc); /* managed is not defined then */
  if (managed == NULL) {
    return tvmffi_fail("RuntimeError",
                       "TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator");
  }
  rc = tvmffi_tensor_wrap_versioned(managed, out);
  if (rc != 0 && managed->deleter != NULL) {
    TVMFFIObject *error = tvmffi_error_put_aside();
    managed->deleter(managed);
    tvmffi_error_put_back(error);
  }
  return rc;
}

/* ---- Functions of a frontend that may be called, by their names in Python ---- */

enum { kCheckSignals, kEnsureLock, kReleaseLock, kNumHooks };

static const char *const kHookNames[kNumHooks] = {"PyErr_CheckSignals", "PyGILState_Ensure",
                                                  "PyGILState_Release"};
static void *frontend_hooks[kNumHooks];

/* C has no cast from object to function pointers. */
typedef union {
  void *symbol;
  int (*check_signals)(void);
  void *(*get_pointer)(void);
  void *(*ensure_lock)(void);
  void (*release_lock)(void *state);
} frontend_hook;

static frontend_hook get_hook(int number) {
  frontend_hook result;
  result.symbol = tvmffi_atomic_load_acquire_ptr(&frontend_hooks[number]);
  return result;
}

/*
 * A function of Python's that no frontend registers, from the library or program that has the one
 * which is registered; NULL if the frontend is not CPython.
 */
static void *find_beside(const void *registered, const char *name) {
  static const char *const no_libraries[] = {NULL};
  char path[4096], other[4096];
  void *library, *found;
  if (!tvmffi_dl_find_path(registered, path, sizeof path)) return NULL;
  library = tvmffi_dl_open_loaded(path);
  /* A program is not opened by its path. */
  found =
      library != NULL ? tvmffi_dl_symbol(library, name) : tvmffi_dl_find_loaded(name, no_libraries);
  if (library != NULL) tvmffi_dl_close(library);
  if (found == NULL || !tvmffi_dl_find_path(found, other, sizeof other)) return NULL;
  return strcmp(path, other) == 0 ? found : NULL;
}

/*
 * Whether an exception is set in this thread; -1 if that is not known. A thread without a state of
 * Python has none, and must not wait for Python's lock: the thread that holds it may wait for this
 * one. After Python has ended, no thread has a state.
 */
static int has_exception(void) {
  frontend_hook check = get_hook(kCheckSignals), ensure = get_hook(kEnsureLock), release, occurred,
                state;
  void *lock;
  int result;
  release = get_hook(kReleaseLock);
  if (check.symbol == NULL || ensure.symbol == NULL || release.symbol == NULL) return -1;
  occurred.symbol = find_beside(check.symbol, "PyErr_Occurred");
  state.symbol = find_beside(check.symbol, "PyGILState_GetThisThreadState");
  if (occurred.symbol == NULL || state.symbol == NULL) return -1;
  if (state.get_pointer() == NULL) return 0;
  lock = ensure.ensure_lock();
  result = occurred.get_pointer() != NULL;
  release.release_lock(lock);
  return result;
}

int TVMFFIEnvRegisterCAPI(const char *name, void *symbol) {
  int i;
  TVMFFI_REQUIRE(name);
  for (i = 0; i < kNumHooks; ++i) {
    if (strcmp(name, kHookNames[i]) == 0) {
      tvmffi_atomic_store_release_ptr(&frontend_hooks[i], symbol);
      tvmffi_function_set_frontend(get_hook(kCheckSignals).symbol != NULL ? has_exception : NULL);
      return 0;
    }
  }
  return tvmffi_fail("ValueError", "Unknown env API %s", name);
}

int TVMFFIEnvCheckSignals(void) {
  frontend_hook check = get_hook(kCheckSignals), ensure, release;
  void *state;
  int rc;
  if (check.symbol == NULL) return 0;
  ensure = get_hook(kEnsureLock);
  release = get_hook(kReleaseLock);
  if (ensure.symbol == NULL || release.symbol == NULL) {
    return tvmffi_fail("InternalError",
                       "TVMFFIEnvCheckSignals: PyErr_CheckSignals is registered without "
                       "PyGILState_Ensure and PyGILState_Release");
  }
  state = ensure.ensure_lock();
  rc = check.check_signals();
  /* Also if the thread had the lock before, which is NULL: Python counts the calls. */
  release.release_lock(state);
  return rc == 0 ? 0 : -1;
}

void tvmffi_env_shutdown(void) {
  int i;
  tvmffi_atomic_store_release_ptr(&process_allocator, (DLPackManagedTensorAllocator)NULL);
  for (i = 0; i < kNumHooks; ++i) tvmffi_atomic_store_release_ptr(&frontend_hooks[i], (void *)NULL);
  tvmffi_function_set_frontend(NULL);
}
