/* SPDX-License-Identifier: Apache-2.0 */
#include "container/any_key.h"

#include "base/hash.h"
#include "base/integers.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type.h"
#include "core/type_attr.h"
#include "platform/compiler.h"

/* ---- Keys that define their own hash and equality ---- */

/*
 * The attributes __any_hash__ and __any_equal__ of types. Each is a Function, or a pointer to a C
 * function with one of two conventions, which cannot be distinguished before the call:
 *   since 0.1.15: TVMFFIAny (const TVMFFIAny *...), an Int or a Bool, or an Error that it raises;
 *   before:       int64_t (const TVMFFIAny *) and bool (const TVMFFIAny *, const TVMFFIAny *).
 * Where a value of 16 bytes is returned in two registers, of which the first is also the one for
 * integers, the result tells: a result that is not an Int, Bool or Error with zero padding is a
 * plain number. A hash that could be either is decided by the result of the type's equality, which
 * is never ambiguous. Elsewhere (32-bit systems, Windows on x86) only the newer convention can be
 * called.
 */

/* Calls a C function of either convention as one of the newer. */
TVMFFI_NO_SANITIZE_FUNCTION
static TVMFFIAny call_as_hash(void *hook, const TVMFFIAny *key) {
  union {
    void *data;
    TVMFFIAny (*call)(const TVMFFIAny *key);
  } function;
  function.data = hook;
  return function.call(key);
}

TVMFFI_NO_SANITIZE_FUNCTION
static TVMFFIAny call_as_equal(void *hook, const TVMFFIAny *a, const TVMFFIAny *b) {
  union {
    void *data;
    TVMFFIAny (*call)(const TVMFFIAny *a, const TVMFFIAny *b);
  } function;
  function.data = hook;
  return function.call(a, b);
}

TVMFFI_NOINLINE bool tvmffi_any_key_hook_exists(int32_t type_index) {
  return tvmffi_type_find_attr(kTvmffiAttrAnyHash, type_index) != NULL;
}

static int refuse_key_result(const char *attribute, const TVMFFIAny *key, TVMFFIAny *got,
                             const char *expected) {
  tvmffi_error_raisef("InternalError", "`%s` of `%s` must give `%s` but gave `%s`", attribute,
                      tvmffi_any_type_name(key), expected, tvmffi_any_type_name(got));
  tvmffi_any_release(got);
  return kTvmffiRaised;
}

static bool is_plainly(const TVMFFIAny *any, int32_t type_index) {
  return any->type_index == type_index && any->zero_padding == 0;
}

static bool is_error(const TVMFFIAny *any) {
  return is_plainly(any, kTVMFFIError) && any->v_obj != NULL;
}

static int raise_error(TVMFFIAny *error) {
  TVMFFIErrorSetRaised(error->v_obj);
  tvmffi_any_release(error);
  return kTvmffiRaised;
}

/* The result of the older convention: the first register. */
static uint64_t first_word(const TVMFFIAny *any) {
  return (uint32_t)any->type_index | (uint64_t)any->zero_padding << 32;
}

/* Whether the result of an equality is of the older convention: a bool in the low byte. */
static bool is_old_bool(const TVMFFIAny *any) {
  return TVMFFI_RETURNS_IN_REGISTERS && (first_word(any) & 0xFF) <= 1;
}

/* A cache of C hash functions that are known to be of the newer convention. */
enum { kNumKnown = 16 };
static void *known_functions[kNumKnown];

/* Whether a hash function is of the older convention: calls the type's equality on the key. */
static bool is_old_hash(void *hash, const TVMFFIAny *key) {
  void **seen = &known_functions[((uintptr_t)hash >> 4) % kNumKnown];
  const TVMFFIAny *equal = tvmffi_type_find_attr(kTvmffiAttrAnyEqual, key->type_index);
  TVMFFIAny result;
  if (tvmffi_atomic_load_relaxed_ptr(seen) == hash) return false;
  if (equal == NULL || equal->type_index != kTVMFFIOpaquePtr || equal->v_ptr == NULL) return false;
  result = call_as_equal(equal->v_ptr, key, key);
  if (is_old_bool(&result)) return true;
  tvmffi_any_release(&result);
  tvmffi_atomic_store_relaxed_ptr(seen, hash);
  return false;
}

static int call_native_hash(void *hook, const TVMFFIAny *key, uint64_t *out) {
  TVMFFIAny result = call_as_hash(hook, key);
  if (TVMFFI_RETURNS_IN_REGISTERS) {
    bool may_be_new = is_plainly(&result, kTVMFFIInt) || is_plainly(&result, kTVMFFIError);
    if (!may_be_new || is_old_hash(hook, key)) {
      *out = first_word(&result);
      return 0;
    }
  }
  if (is_error(&result)) return raise_error(&result);
  if (!is_plainly(&result, kTVMFFIInt))
    return refuse_key_result("__any_hash__", key, &result, "int");
  *out = result.v_uint64;
  return 0;
}

static int call_native_equal(void *hook, const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIAny result = call_as_equal(hook, a, b);
  if (is_old_bool(&result)) return (int)(first_word(&result) & 0xFF);
  if (is_error(&result)) return raise_error(&result);
  if (!is_plainly(&result, kTVMFFIBool))
    return refuse_key_result("__any_equal__", a, &result, "bool");
  return result.v_int64 != 0;
}

/* Calls a hook that is a Function; fails for attributes that are neither that nor a pointer. */
static int call_key_function(const char *attribute, const TVMFFIAny *hook, const TVMFFIAny *args,
                             int32_t num_args, TVMFFIAny *result) {
  if (hook->type_index != kTVMFFIFunction) {
    tvmffi_error_raisef("InternalError", "`%s` of `%s` must be a function but is `%s`", attribute,
                        tvmffi_any_type_name(&args[0]), tvmffi_any_type_name(hook));
    return kTvmffiRaised;
  }
  return tvmffi_function_call_foreign(hook->v_obj, args, num_args, result) == 0 ? 0 : kTvmffiRaised;
}

/* The hook may remove the key from its container, so it gets a reference of its own. */
TVMFFI_NOINLINE static int any_key_hook_hash(const TVMFFIAny *key, uint64_t *out) {
  const TVMFFIAny *hook = tvmffi_type_find_attr(kTvmffiAttrAnyHash, key->type_index);
  TVMFFIAny arg = tvmffi_any_copy(key), result;
  uint64_t hash = 0;
  int rc;
  if (hook->type_index == kTVMFFIOpaquePtr && hook->v_ptr != NULL) {
    rc = call_native_hash(hook->v_ptr, &arg, &hash);
  } else {
    rc = call_key_function("__any_hash__", hook, &arg, 1, &result);
    if (rc == 0 && result.type_index != kTVMFFIInt) {
      rc = refuse_key_result("__any_hash__", &arg, &result, "int");
    }
    if (rc == 0) hash = result.v_uint64;
  }
  if (rc == 0) *out = tvmffi_hash_combine((uint64_t)arg.type_index, hash);
  tvmffi_any_release(&arg);
  return rc;
}

TVMFFI_NOINLINE int tvmffi_any_key_hook_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  const TVMFFIAny *hook = tvmffi_type_find_attr(kTvmffiAttrAnyEqual, a->type_index);
  TVMFFIAny args[2], result;
  int rc;
  if (hook == NULL) return 0;
  args[0] = tvmffi_any_copy(a);
  args[1] = tvmffi_any_copy(b);
  if (hook->type_index == kTVMFFIOpaquePtr && hook->v_ptr != NULL) {
    rc = call_native_equal(hook->v_ptr, &args[0], &args[1]);
  } else {
    rc = call_key_function("__any_equal__", hook, args, 2, &result);
    if (rc == 0 && result.type_index != kTVMFFIBool) {
      rc = refuse_key_result("__any_equal__", &args[0], &result, "bool");
    }
    if (rc == 0) rc = result.v_int64 != 0;
  }
  tvmffi_any_release(&args[0]);
  tvmffi_any_release(&args[1]);
  return rc;
}

/* ---- Keys ---- */

static const uint64_t kModulus = UINT64_C(2147483647);

uint64_t tvmffi_any_key_hash(const TVMFFIAny *key) {
  TVMFFIByteArray content;
  switch (key->type_index) {
    case kTVMFFISmallStr: /* the hash of the same text on the heap: the bytes after it are 0 */
      return tvmffi_hash_combine(kTVMFFIStr, tvmffi_load_le64(key->v_bytes) % kModulus);
    case kTVMFFISmallBytes:
      return tvmffi_hash_combine(kTVMFFIBytes, tvmffi_load_le64(key->v_bytes) % kModulus);
    case kTVMFFIStr:
    case kTVMFFIBytes:
      content = *TVMFFIBytesGetByteArrayPtr(key->v_obj);
      break;
    case kTVMFFIBigInt:
      content = TVMFFIBigIntGetContentByteArray(key);
      break;
    default:
      return tvmffi_hash_combine((uint64_t)key->type_index, key->v_uint64);
  }
  return tvmffi_hash_combine((uint64_t)key->type_index,
                             tvmffi_hash_content(content.data, content.size));
}

int tvmffi_any_key_ask_hash(const TVMFFIAny *key, uint64_t *out) {
  if (TVMFFI_UNLIKELY(tvmffi_any_key_has_hook(key))) return any_key_hook_hash(key, out);
  *out = tvmffi_any_key_hash(key);
  return 0;
}

int tvmffi_any_key_ask_equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIByteArray in_a, in_b;
  if (tvmffi_any_key_is_same(a, b)) return 1;
  if (!tvmffi_any_key_may_equal(a, b)) return 0;
  if (tvmffi_any_key_get_content(a, &in_a) && tvmffi_any_key_get_content(b, &in_b)) {
    return tvmffi_bytes_equal(&in_a, &in_b);
  }
  return kTvmffiFullProfile ? tvmffi_any_key_hook_equal(a, b) : 0;
}
