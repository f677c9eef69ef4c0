/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of atomic.h where there is one thread: plain ones. */
#ifndef TVMFFI_PLATFORM_ATOMIC_NONE_H_
#define TVMFFI_PLATFORM_ATOMIC_NONE_H_

#include <stdint.h>
#include <string.h>

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

#endif /* TVMFFI_PLATFORM_ATOMIC_NONE_H_ */
