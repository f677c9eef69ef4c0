/* SPDX-License-Identifier: Apache-2.0 */
/* BigInt objects: the integers that int64_t cannot hold, and only those. */
#include <string.h>
#include <tvm/ffi/c_api.h>

#include "base/checked.h"
#include "base/hash.h"
#include "core/any.h"
#include "core/builtin_tables.h"
#include "core/error.h"
#include "core/object.h"
#include "core/type.h"

typedef struct {
  TVMFFIObject header;
  size_t num_words;
  int64_t words[]; /* least significant first, two's complement */
} bigint_object;

static int64_t load_word(const char *data, size_t i) {
  int64_t word;
  memcpy(&word, data + i * sizeof word, sizeof word);
  return word;
}

/* The number of words without those at the top that only repeat the sign of the word below. */
static size_t count_needed(const char *data, size_t num_words) {
  while (num_words > 1) {
    int64_t top = load_word(data, num_words - 1);
    if (top != (load_word(data, num_words - 2) < 0 ? -1 : 0)) break;
    --num_words;
  }
  return num_words;
}

static int from_words(const TVMFFIByteArray *input, TVMFFIAny *result) {
  bigint_object *bigint;
  size_t num_words, total;
  if (input->size % sizeof(int64_t) != 0) {
    return tvmffi_fail("ValueError", "BigInt content must contain whole 64-bit words");
  }
  num_words = count_needed(input->data, input->size / sizeof(int64_t));
  if (num_words <= 1) {
    *result = tvmffi_any_int(num_words == 0 ? 0 : load_word(input->data, 0));
    return 0;
  }
  if (!tvmffi_checked_array_size(sizeof *bigint, num_words, sizeof(int64_t), &total)) {
    return tvmffi_fail_memory();
  }
  bigint = tvmffi_object_new(total, kTVMFFIBigInt, tvmffi_object_delete_plain);
  if (bigint == NULL) return -1;
  bigint->num_words = num_words;
  memcpy(bigint->words, input->data, num_words * sizeof(int64_t));
  *result = tvmffi_any_object(bigint);
  return 0;
}

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVMFFIAny result = tvmffi_any_none();
  int rc;
  TVMFFI_REQUIRE(out);
  if (input == NULL || (input->data == NULL && input->size != 0)) {
    rc = tvmffi_fail_null_argument(__func__, input == NULL ? "input" : "input->data");
  } else {
    rc = from_words(input, &result);
  }
  *out = result; /* last: input may point into *out, at the words of an Int */
  return rc;
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny *value) {
  TVMFFIByteArray content = {NULL, 0};
  if (value != NULL && value->type_index == kTVMFFIInt) {
    content.data = value->v_bytes;
    content.size = sizeof value->v_int64;
  } else if (value != NULL && value->type_index == kTVMFFIBigInt && value->v_obj != NULL) {
    const bigint_object *bigint = (const bigint_object *)value->v_obj;
    content.data = (const char *)bigint->words;
    content.size = bigint->num_words * sizeof(int64_t);
  } else {
    tvmffi_error_raisef("TypeError", "%s: expected `int` or `ffi.BigInt` but got `%s`", __func__,
                        value == NULL ? "NULL" : tvmffi_any_type_name(value));
  }
  return content;
}

/* ---- Hash and equality as map keys ---- */

/*
 * Inline code of clients finds these through the type's attributes. They are Functions, which
 * clients of all versions understand; this library has the same answers without calling them.
 */

static int hash_bigint(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray content;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.BigInt) -> int", 1, 1, args, num_args));
  content = TVMFFIBigIntGetContentByteArray(&args[0]);
  *result = tvmffi_any_int((int64_t)tvmffi_hash_content(content.data, content.size));
  return 0;
}

static int equal_bigint(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray a, b;
  TVMFFI_TRY(
      tvmffi_attr_check_args(self, "(0: ffi.BigInt, 1: ffi.BigInt) -> bool", 2, 2, args, num_args));
  a = TVMFFIBigIntGetContentByteArray(&args[0]);
  b = TVMFFIBigIntGetContentByteArray(&args[1]);
  *result = tvmffi_any_bool(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
  return 0;
}

static const tvmffi_builtin_attr kAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrAnyHash, false, hash_bigint, NULL},
    {kTVMFFIBigInt, kTvmffiAttrAnyEqual, false, equal_bigint, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function attr_functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_bigint_attrs = {kAttrs, attr_functions, kNumAttrs};
