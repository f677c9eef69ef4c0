/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types that bring __any_hash__ and __any_equal__ are not consulted yet: their objects count by
 * identity.
 */
#include "container/any_key.h"

#include <string.h>

static const uint64_t kModulus = UINT64_C(2147483647);

static uint64_t combine(uint64_t key, uint64_t value) {
  return key ^ (value + UINT64_C(0x9e3779b9) + (key << 6) + (key >> 2));
}

static uint64_t hash_bytes(const TVMFFIByteArray *bytes) {
  const unsigned char *p = (const unsigned char *)bytes->data;
  uint64_t hash = 0;
  size_t left = bytes->size, i;
  while (left != 0) {
    size_t n = left < 8 ? left : 8;
    uint64_t chunk = 0;
    for (i = 0; i < n; ++i) chunk |= (uint64_t)p[i] << (8 * i);
    hash = (hash * UINT64_C(1099511628211) + chunk) % kModulus;
    p += n;
    left -= n;
  }
  return hash;
}

uint64_t tvmffi_any_key_hash(const TVMFFIAny *key) {
  switch (key->type_index) {
    case kTVMFFISmallStr: /* as the heap form has it, where integers are little-endian */
      return combine(kTVMFFIStr, key->v_uint64 % kModulus);
    case kTVMFFISmallBytes:
      return combine(kTVMFFIBytes, key->v_uint64 % kModulus);
    case kTVMFFIStr:
    case kTVMFFIBytes:
      return combine((uint64_t)key->type_index, hash_bytes(TVMFFIBytesGetByteArrayPtr(key->v_obj)));
    default:
      return combine((uint64_t)key->type_index, key->v_uint64);
  }
}

/* The index of the heap form of text and of bytes, 0 for others. */
static int32_t byte_kind(const TVMFFIAny *any) {
  switch (any->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return kTVMFFIStr;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return kTVMFFIBytes;
    default:
      return 0;
  }
}

static TVMFFIByteArray content(const TVMFFIAny *any) {
  if (any->type_index < kTVMFFIStaticObjectBegin) return TVMFFISmallBytesGetContentByteArray(any);
  return *TVMFFIBytesGetByteArrayPtr(any->v_obj);
}

bool tvmffi_any_key_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIByteArray in_a, in_b;
  int32_t kind;
  if (memcmp(a, b, sizeof *a) == 0) return true;
  kind = byte_kind(a);
  if (kind == 0 || kind != byte_kind(b)) return false;
  in_a = content(a);
  in_b = content(b);
  return in_a.size == in_b.size && (in_a.size == 0 || memcmp(in_a.data, in_b.data, in_a.size) == 0);
}
