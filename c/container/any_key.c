/* SPDX-License-Identifier: Apache-2.0 */
#include "container/any_key.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "platform/compiler.h"

static const uint64_t kModulus = UINT64_C(2147483647);

uint64_t tvmffi_any_key_hash(const TVMFFIAny *key) {
  TVMFFIByteArray content;
  switch (key->type_index) {
    case kTVMFFISmallStr: /* the hash of the same text on the heap: the bytes after it are 0 */
      return tvmffi_any_key_combine(kTVMFFIStr, tvmffi_load_le64(key->v_bytes) % kModulus);
    case kTVMFFISmallBytes:
      return tvmffi_any_key_combine(kTVMFFIBytes, tvmffi_load_le64(key->v_bytes) % kModulus);
    case kTVMFFIStr:
    case kTVMFFIBytes:
      content = *TVMFFIBytesGetByteArrayPtr(key->v_obj);
      break;
    case kTVMFFIBigInt:
      content = TVMFFIBigIntGetContentByteArray(key);
      break;
    default:
      return tvmffi_any_key_combine((uint64_t)key->type_index, key->v_uint64);
  }
  return tvmffi_any_key_combine((uint64_t)key->type_index,
                                tvmffi_hash_content(content.data, content.size));
}

int tvmffi_any_key_ask_hash(const TVMFFIAny *key, uint64_t *out) {
  if (TVMFFI_UNLIKELY(tvmffi_any_key_has_hook(key))) return tvmffi_any_key_hook_hash(key, out);
  *out = tvmffi_any_key_hash(key);
  return 0;
}

static TVMFFIByteArray content_of(const TVMFFIAny *any) {
  if (any->type_index < kTVMFFIStaticObjectBegin) return TVMFFISmallBytesGetContentByteArray(any);
  if (any->type_index == kTVMFFIBigInt) return TVMFFIBigIntGetContentByteArray(any);
  return *TVMFFIBytesGetByteArrayPtr(any->v_obj);
}

int tvmffi_any_key_ask_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIByteArray in_a, in_b;
  if (tvmffi_any_key_is_same(a, b)) return 1;
  if (!tvmffi_any_key_may_equal(a, b)) return 0;
  switch (a->type_index) {
    case kTVMFFISmallStr:
    case kTVMFFISmallBytes:
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIBigInt:
      in_a = content_of(a);
      in_b = content_of(b);
      return in_a.size == in_b.size &&
             (in_a.size == 0 || memcmp(in_a.data, in_b.data, in_a.size) == 0);
    default:
      return kTvmffiFullProfile ? tvmffi_any_key_hook_equal(a, b) : 0;
  }
}
