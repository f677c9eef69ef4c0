/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h where a system lacks something, one group after the other: functions that do nothing,
 * or say that there is nothing. A new port can link with all of them from the start.
 */
#include "platform/platform.h"

#if !defined(TVM_FFI_THREADS) || !defined(TVM_FFI_LOADING) || !defined(TVM_FFI_ELF_TABLES) || \
    !defined(TVM_FFI_LOCAL_RUNTIME) || !defined(TVM_FFI_STACK_BOUNDS) ||                      \
    !defined(TVM_FFI_BACKTRACE)
#error "the build defines each of these as 0 or 1, as c/meson.build does"
#endif

#include <string.h>

#if !TVM_FFI_THREADS

/* ---- Locks and threads ---- */

/* One thread, the main one: nobody else holds a lock, and no thread ends before the process does.
 */

void tvmffi_mutex_lock(tvmffi_mutex *mutex) {
  (void)mutex;
}

void tvmffi_mutex_unlock(tvmffi_mutex *mutex) {
  (void)mutex;
}

/* Whoever waits must be able to tell that nobody else is there, for nothing would change. */
void tvmffi_condition_wait(tvmffi_condition *condition, tvmffi_mutex *mutex) {
  (void)condition;
  (void)mutex;
}

void tvmffi_condition_broadcast(tvmffi_condition *condition) {
  (void)condition;
}

void tvmffi_condition_reset(tvmffi_condition *condition) {
  (void)condition;
}

tvmffi_thread_id tvmffi_thread_self(void) {
  return 0;
}

int tvmffi_thread_id_equal(tvmffi_thread_id a, tvmffi_thread_id b) {
  return a == b;
}

void tvmffi_thread_yield(void) {}

/* Accepted, because the main thread's fn does not run when main returns. */
int tvmffi_thread_at_exit(void (*fn)(void *arg), void *arg) {
  (void)fn;
  (void)arg;
  return 0;
}

#endif /* !TVM_FFI_THREADS */

#if !TVM_FFI_LOADING

/* ---- Libraries ---- */

void *tvmffi_dl_open(const char *path, tvmffi_dl_reason *reason) {
  (void)path;
  reason->set(reason,
              "this system loads no libraries; link kernels into the program and use "
              "ffi.SystemLib");
  return NULL;
}

void tvmffi_dl_explain_libc(const char *path, tvmffi_dl_reason *reason) {
  (void)path;
  (void)reason;
}

void *tvmffi_dl_open_loaded(const char *path) {
  (void)path;
  return NULL;
}

void tvmffi_dl_respell(const char *path, uint32_t number, char *out) {
  (void)number;
  strcpy(out, path);
}

/* A file is asked for only to tell whether it is the one that a library was loaded from. */
bool tvmffi_dl_find_file(const char *path, tvmffi_dl_file *out) {
  (void)path;
  (void)out;
  return false;
}

void *tvmffi_dl_open_beside(const char *name, tvmffi_dl_reason *reason) {
  return tvmffi_dl_open(name, reason);
}

void tvmffi_dl_close(void *handle) {
  (void)handle;
}

void *tvmffi_dl_symbol(void *handle, const char *name) {
  (void)handle;
  (void)name;
  return NULL;
}

void *tvmffi_dl_find_loaded(const char *name, const char *const *libraries) {
  (void)name;
  (void)libraries;
  return NULL;
}

#endif /* !TVM_FFI_LOADING */

#if !TVM_FFI_ELF_TABLES

/*
 * There is nothing to hand over: libraries of Windows and macOS name the library that they take a
 * function from.
 */
void *tvmffi_dl_open_bound(const char *path, const tvmffi_dl_name *const *lists, void **out_group,
                           tvmffi_dl_reason *reason) {
  (void)lists;
  *out_group = NULL;
  return tvmffi_dl_open(path, reason);
}

bool tvmffi_dl_has_other_copy(const void *address) {
  (void)address;
  return false;
}

#endif /* !TVM_FFI_ELF_TABLES */

#if !TVM_FFI_ELF_TABLES && !defined(_WIN32)

/* ---- What lies where in loaded libraries ---- */

bool tvmffi_dl_find_range(void *handle, tvmffi_dl_range *out) {
  (void)handle;
  (void)out;
  return false;
}

size_t tvmffi_dl_symbol_size(const char *name, const void *address) {
  (void)name;
  (void)address;
  return SIZE_MAX;
}

void tvmffi_dl_keep(const void *address) {
  (void)address;
}

void tvmffi_dl_keep_own(void) {}

bool tvmffi_dl_find_path(const void *address, char *out, size_t out_size) {
  (void)address;
  (void)out;
  (void)out_size;
  return false;
}

#endif /* !TVM_FFI_ELF_TABLES && !_WIN32 */

/* ---- The stack ---- */

#if !TVM_FFI_STACK_BOUNDS && !defined(__APPLE__) && !defined(_WIN32)

size_t tvmffi_stack_left(void) {
  return SIZE_MAX;
}

#endif

#if !TVM_FFI_BACKTRACE

void tvmffi_stack_walk(void *context, TVMFFIRuntimeFrameVisitor visitor, void *visitor_context) {
  (void)context;
  (void)visitor;
  (void)visitor_context;
}

#endif
