/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic operations on plain objects (the ABI's reference count is a plain uint64_t).
 *
 * Memory orders, and why: taking a reference is relaxed, because a thread that takes one already
 * holds one. Releasing a reference is a release operation, so that everything done with the object
 * happens before its destruction; the thread that destroys the object issues an acquire fence to
 * see all that. Publishing a table is a release store, reading it an acquire load. Sequential
 * consistency is used for one purpose only, the handshake of global.c: a reader says in its thread
 * record that it reads, and a writer that took something out waits for all who say so.
 */
#ifndef TVMFFI_PLATFORM_ATOMIC_H_
#define TVMFFI_PLATFORM_ATOMIC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(TVMFFI_SINGLE_THREAD) && !defined(__GNUC__)
#error "c/platform/atomic.h needs the __atomic builtins of GCC or Clang; or build for one thread"
#elif !defined(TVMFFI_SINGLE_THREAD)

/* ---- The __atomic builtins of GCC and Clang ---- */

/*
 * A uint64_t, such as the reference count of an object, is 4-aligned on i386, where Clang would
 * call libatomic for it. Through this type it becomes an inline cmpxchg8b, which works at any
 * address.
 */
typedef uint64_t __attribute__((aligned(8), may_alias)) tvmffi_atomic_u64;

static inline uint64_t tvmffi_atomic_load_acquire_u64(const uint64_t *p) {
  return __atomic_load_n((const tvmffi_atomic_u64 *)(const void *)p, __ATOMIC_ACQUIRE);
}
static inline void tvmffi_atomic_add_relaxed_u64(uint64_t *p, uint64_t n) {
  (void)__atomic_fetch_add((tvmffi_atomic_u64 *)(void *)p, n, __ATOMIC_RELAXED);
}
/* Returns the old value. */
static inline uint64_t tvmffi_atomic_sub_release_u64(uint64_t *p, uint64_t n) {
  return __atomic_fetch_sub((tvmffi_atomic_u64 *)(void *)p, n, __ATOMIC_RELEASE);
}
static inline uint64_t tvmffi_atomic_exchange_u64(uint64_t *p, uint64_t n) {
  return __atomic_exchange_n((tvmffi_atomic_u64 *)(void *)p, n, __ATOMIC_ACQ_REL);
}
/* Acquire fence: what follows sees everything before other threads' release operations on *p. */
static inline void tvmffi_fence_acquire_u64(const uint64_t *p) {
#if defined(__SANITIZE_THREAD__)
  (void)tvmffi_atomic_load_acquire_u64(p); /* ThreadSanitizer does not model fences */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  (void)tvmffi_atomic_load_acquire_u64(p);
#else
  (void)p;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
#else
  (void)p;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

static inline int tvmffi_atomic_load_relaxed_int(const int *p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline int tvmffi_atomic_load_acquire_int(const int *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void tvmffi_atomic_store_relaxed_int(int *p, int v) {
  __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
static inline void tvmffi_atomic_store_release_int(int *p, int v) {
  __atomic_store_n(p, v, __ATOMIC_RELEASE);
}
static inline int tvmffi_atomic_exchange_int(int *p, int v) {
  return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL);
}

/*
 * Pointers to any object type: macros, so that the type of the pointer is kept. Pass the address of
 * the pointer variable.
 */
#define tvmffi_atomic_load_relaxed_ptr(pp) __atomic_load_n((pp), __ATOMIC_RELAXED)
#define tvmffi_atomic_load_acquire_ptr(pp) __atomic_load_n((pp), __ATOMIC_ACQUIRE)
#define tvmffi_atomic_load_seq_cst_ptr(pp) __atomic_load_n((pp), __ATOMIC_SEQ_CST)
#define tvmffi_atomic_store_relaxed_ptr(pp, v) __atomic_store_n((pp), (v), __ATOMIC_RELAXED)
#define tvmffi_atomic_store_release_ptr(pp, v) __atomic_store_n((pp), (v), __ATOMIC_RELEASE)
#define tvmffi_atomic_store_seq_cst_ptr(pp, v) __atomic_store_n((pp), (v), __ATOMIC_SEQ_CST)
#define tvmffi_atomic_exchange_seq_cst_ptr(pp, v) __atomic_exchange_n((pp), (v), __ATOMIC_SEQ_CST)
#define tvmffi_atomic_exchange_acq_rel_ptr(pp, v) __atomic_exchange_n((pp), (v), __ATOMIC_ACQ_REL)

/* For any scalar: counts that are read while another thread may raise them. */
#define tvmffi_atomic_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define tvmffi_atomic_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define tvmffi_atomic_load_seq_cst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define tvmffi_atomic_store_seq_cst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

#else

/* ---- One thread: plain operations, with the same names ---- */

static inline uint64_t tvmffi_atomic_load_acquire_u64(const uint64_t *p) {
  return *p;
}
static inline void tvmffi_atomic_add_relaxed_u64(uint64_t *p, uint64_t n) {
  *p += n;
}
static inline uint64_t tvmffi_atomic_sub_release_u64(uint64_t *p, uint64_t n) {
  uint64_t old = *p;
  *p = old - n;
  return old;
}
static inline uint64_t tvmffi_atomic_exchange_u64(uint64_t *p, uint64_t n) {
  uint64_t old = *p;
  *p = n;
  return old;
}
static inline void tvmffi_fence_acquire_u64(const uint64_t *p) {
  (void)p;
}

static inline int tvmffi_atomic_load_relaxed_int(const int *p) {
  return *p;
}
static inline int tvmffi_atomic_load_acquire_int(const int *p) {
  return *p;
}
static inline void tvmffi_atomic_store_relaxed_int(int *p, int v) {
  *p = v;
}
static inline void tvmffi_atomic_store_release_int(int *p, int v) {
  *p = v;
}
static inline int tvmffi_atomic_exchange_int(int *p, int v) {
  int old = *p;
  *p = v;
  return old;
}

/* pp is the address of a pointer to any object type, which C does not let us access as a void *. */
static inline void *tvmffi_exchange_plain(void *pp, const void *v) {
  void *old;
  memcpy(&old, pp, sizeof old);
  memcpy(pp, &v, sizeof v);
  return old;
}

#define tvmffi_atomic_load_relaxed_ptr(pp) (*(pp))
#define tvmffi_atomic_load_acquire_ptr(pp) (*(pp))
#define tvmffi_atomic_load_seq_cst_ptr(pp) (*(pp))
#define tvmffi_atomic_store_relaxed_ptr(pp, v) ((void)(*(pp) = (v)))
#define tvmffi_atomic_store_release_ptr(pp, v) ((void)(*(pp) = (v)))
#define tvmffi_atomic_store_seq_cst_ptr(pp, v) ((void)(*(pp) = (v)))
#define tvmffi_atomic_exchange_seq_cst_ptr(pp, v) tvmffi_exchange_plain((pp), (v))
#define tvmffi_atomic_exchange_acq_rel_ptr(pp, v) tvmffi_exchange_plain((pp), (v))

#define tvmffi_atomic_load_acquire(p) (*(p))
#define tvmffi_atomic_store_release(p, v) ((void)(*(p) = (v)))
#define tvmffi_atomic_load_seq_cst(p) (*(p))
#define tvmffi_atomic_store_seq_cst(p, v) ((void)(*(p) = (v)))

#endif

#endif /* TVMFFI_PLATFORM_ATOMIC_H_ */
