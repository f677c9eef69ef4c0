/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of atomic.h by the __atomic builtins of GCC and Clang. */
#ifndef TVMFFI_PLATFORM_ATOMIC_GNU_H_
#define TVMFFI_PLATFORM_ATOMIC_GNU_H_

#include <stdint.h>

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

#endif /* TVMFFI_PLATFORM_ATOMIC_GNU_H_ */
