/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/detail/handle_table.h
 * The bodies of tvm/ffi/c/handle_table.h, which includes this file.
 */
#ifndef TVM_FFI_C_DETAIL_HANDLE_TABLE_H_
#define TVM_FFI_C_DETAIL_HANDLE_TABLE_H_

/* A pointer that threads share; with other compilers it is set before they start. */
#if defined(__ATOMIC_ACQUIRE) /* gcc, clang */
static inline void *tvm_ffi_detail_load(void **from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  return __atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#elif defined(_MSC_VER)
static inline void *tvm_ffi_detail_load(void **from) {
  return _InterlockedCompareExchangePointer((void *volatile *)from, NULL, NULL);
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  return _InterlockedCompareExchangePointer((void *volatile *)at, value, old) == old;
}
#else
static inline void *tvm_ffi_detail_load(void **from) {
  return *from;
}

static inline bool tvm_ffi_detail_replace(void **at, void *old, void *value) {
  if (*at != old) return false;
  *at = value;
  return true;
}
#endif

/* Entries are only added, at the front, so that readers need no lock. */
typedef struct tvm_ffi_detail_keyed {
  const void *key;
  void *handle;
  struct tvm_ffi_detail_keyed *next;
} tvm_ffi_detail_keyed;

/** The entry of the key before `end`, or NULL. */
static inline tvm_ffi_detail_keyed *tvm_ffi_detail_find_keyed(tvm_ffi_detail_keyed *from,
                                                              const tvm_ffi_detail_keyed *end,
                                                              const void *key) {
  while (from != end && from->key != key) from = from->next;
  return from != end ? from : NULL;
}

static inline void tvm_ffi_detail_release_keyed(const tvm_ffi_handle_maker *maker,
                                                tvm_ffi_detail_keyed *entry) {
  if (maker->release != NULL) maker->release(entry->handle);
  free(entry);
}

TVM_FFI_C_DETAIL_NODISCARD static inline int tvm_ffi_handle_table_read(
    tvm_ffi_handle_table *table, const void *key, const tvm_ffi_handle_maker *maker, void *context,
    void **out) {
  tvm_ffi_detail_keyed *first = (tvm_ffi_detail_keyed *)tvm_ffi_detail_load(&table->first);
  tvm_ffi_detail_keyed *found = tvm_ffi_detail_find_keyed(first, NULL, key), *made;
  int code;
  if (found != NULL) {
    *out = found->handle;
    return 0;
  }
  made = (tvm_ffi_detail_keyed *)malloc(sizeof *made);
  if (made == NULL) return tvm_ffi_error_raise_memory();
  made->key = key;
  made->handle = NULL;
  TVMFFIErrorSetRaised(NULL);
  code = tvm_ffi_error_ensure(maker->create(context, key, &made->handle));
  if (code != 0) {
    free(made);
    return code;
  }
  made->next = first;
  while (!tvm_ffi_detail_replace(&table->first, made->next, made)) { /* another key was added */
    first = (tvm_ffi_detail_keyed *)tvm_ffi_detail_load(&table->first);
    found = tvm_ffi_detail_find_keyed(first, made->next, key);
    if (found != NULL) {
      tvm_ffi_detail_release_keyed(maker, made);
      *out = found->handle;
      return 0;
    }
    made->next = first;
  }
  *out = made->handle;
  return 0;
}

static inline void tvm_ffi_handle_table_clear(tvm_ffi_handle_table *table,
                                              const tvm_ffi_handle_maker *maker) {
  tvm_ffi_detail_keyed *entry = (tvm_ffi_detail_keyed *)tvm_ffi_detail_load(&table->first);
  table->first = NULL;
  while (entry != NULL) {
    tvm_ffi_detail_keyed *next = entry->next;
    tvm_ffi_detail_release_keyed(maker, entry);
    entry = next;
  }
}

#endif /* TVM_FFI_C_DETAIL_HANDLE_TABLE_H_ */
