/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash and equality of owned values, the same as inline code of clients computes.
 *
 * Types may define their own with the attributes __any_hash__ and __any_equal__. These are foreign
 * code, which may fail, and are called only if both sides are objects of such a type: a map whose
 * keys are texts and plain values never calls any, and may be used under a lock. (The core profile
 * has no function that would use them, and compares all other objects by identity.)
 */
#ifndef TVMFFI_CONTAINER_ANY_KEY_H_
#define TVMFFI_CONTAINER_ANY_KEY_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "container/container.h"

/* Beside 0 and 1, or beside 0 and -1 for memory: foreign code failed, and its error is raised. */
enum { kTvmffiRaised = -2 };

/* The hash, computed without calling foreign code. */
uint64_t tvmffi_any_key_hash(const TVMFFIAny *key);

/* The hash in *out; may call foreign code. 0, or kTvmffiRaised. */
int tvmffi_any_key_ask_hash(const TVMFFIAny *key, uint64_t *out);

/* 1 or 0, or kTvmffiRaised. May call foreign code. */
int tvmffi_any_key_ask_equal(const TVMFFIAny *a, const TVMFFIAny *b);

/* Whether the type of a key might define its own hash or equality. */
static inline bool tvmffi_any_key_may_have_hook(const TVMFFIAny *key) {
  switch (key->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIBigInt:
      return false;
    default:
      return kTvmffiFullProfile && key->type_index >= kTVMFFIStaticObjectBegin;
  }
}

/* Whether a type defines its own hash. */
bool tvmffi_any_key_hook_exists(int32_t type_index);

/* Whether tvmffi_any_key_ask_hash would call foreign code. */
static inline bool tvmffi_any_key_has_hook(const TVMFFIAny *key) {
  return tvmffi_any_key_may_have_hook(key) && tvmffi_any_key_hook_exists(key->type_index);
}

/* Whether both have the same 16 bytes; compared in the units that they are written in. */
static inline bool tvmffi_any_key_is_same(const TVMFFIAny *a, const TVMFFIAny *b) {
  return a->v_uint64 == b->v_uint64 && a->type_index == b->type_index &&
         a->zero_padding == b->zero_padding;
}

/* Whether values with different 16 bytes may still be equal: texts, bytes, objects. */
static inline bool tvmffi_any_key_may_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  return (a->type_index == b->type_index && a->type_index >= kTVMFFIStaticObjectBegin) ||
         (a->type_index == kTVMFFISmallStr && b->type_index == kTVMFFIStr) ||
         (a->type_index == kTVMFFIStr && b->type_index == kTVMFFISmallStr) ||
         (a->type_index == kTVMFFISmallBytes && b->type_index == kTVMFFIBytes) ||
         (a->type_index == kTVMFFIBytes && b->type_index == kTVMFFISmallBytes);
}

/* The content of texts, bytes and BigInts; false for other values. */
static inline bool tvmffi_any_key_get_content(const TVMFFIAny *key, TVMFFIByteArray *out) {
  const int32_t type_index = key->type_index;
  if (type_index == kTVMFFIStr || type_index == kTVMFFIBytes) { /* most keys of maps */
    *out = *TVMFFIBytesGetByteArrayPtr(key->v_obj);
    return true;
  }
  if (type_index == kTVMFFISmallStr || type_index == kTVMFFISmallBytes) {
    *out = TVMFFISmallBytesGetContentByteArray(key);
    return true;
  }
  if (type_index != kTVMFFIBigInt) return false;
  *out = TVMFFIBigIntGetContentByteArray(key);
  return true;
}

/* ---- Keys that define their own hash and equality ---- */

/* a and b are different objects of the same type. */
int tvmffi_any_key_hook_equal(const TVMFFIAny *a, const TVMFFIAny *b);

#endif /* TVMFFI_CONTAINER_ANY_KEY_H_ */
