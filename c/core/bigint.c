/* SPDX-License-Identifier: Apache-2.0 */
/* BigInt objects: the integers that int64_t cannot hold, and only those. */
#include "core/bigint.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/utf8.h"
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/object.h"

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
    return tvmffi_fail_memory(); /* GCOVR_EXCL_LINE: the input is in memory, with room beside it */
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

/* ---- Comparison ---- */

/* Both have as few words as possible, so the longer one has the larger magnitude. */
int tvmffi_bigint_compare(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIByteArray in_a = TVMFFIBigIntGetContentByteArray(a);
  TVMFFIByteArray in_b = TVMFFIBigIntGetContentByteArray(b);
  size_t size_a = in_a.size / sizeof(int64_t), size_b = in_b.size / sizeof(int64_t), i;
  int64_t top_a = load_word(in_a.data, size_a - 1), top_b = load_word(in_b.data, size_b - 1);
  if ((top_a < 0) != (top_b < 0)) return top_a < 0 ? -1 : 1;
  if (size_a != size_b) return (size_a < size_b) == (top_a < 0) ? 1 : -1;
  if (top_a != top_b) return top_a < top_b ? -1 : 1;
  for (i = size_a - 1; i-- > 0;) { /* below the top, words are unsigned */
    uint64_t word_a = (uint64_t)load_word(in_a.data, i), word_b = (uint64_t)load_word(in_b.data, i);
    if (word_a != word_b) return word_a < word_b ? -1 : 1;
  }
  return 0;
}

/* ---- Decimal text ---- */

/* Magnitudes are arrays of 32-bit limbs, lowest first. Text is converted nine digits at a time. */
enum { kLimbDigits = 9, kBase = 1000000000 };

/* Divides in place and gives the remainder. */
static uint32_t divide(uint32_t *limbs, size_t count, uint32_t divisor) {
  uint64_t rest = 0;
  size_t i;
  for (i = count; i-- > 0;) {
    rest = rest << 32 | limbs[i];
    limbs[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  return (uint32_t)rest;
}

/* In place: limbs * factor + addend, which must fit. */
static void multiply_add(uint32_t *limbs, size_t count, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  size_t i;
  for (i = 0; i < count; ++i) {
    carry += (uint64_t)limbs[i] * factor;
    limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

static void negate(uint32_t *limbs, size_t count) {
  uint64_t carry = 1;
  size_t i;
  for (i = 0; i < count; ++i) {
    carry += (uint32_t)~limbs[i];
    limbs[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

static void limbs_from_words(const char *words, uint32_t *limbs, size_t count) {
  size_t i;
  for (i = 0; i < count; i += 2) {
    uint64_t word;
    memcpy(&word, words + i / 2 * sizeof word, sizeof word);
    limbs[i] = (uint32_t)word;
    limbs[i + 1] = (uint32_t)(word >> 32);
  }
}

int tvmffi_bigint_append_decimal(tvmffi_buf *text, const TVMFFIAny *value) {
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(value);
  size_t count = content.size / sizeof(uint32_t), left, num_chunks = 0, bytes;
  uint32_t *limbs, *chunks;
  bool is_negative;
  /* A chunk of nine digits holds a little less than a limb, so there are slightly more chunks. */
  if (!tvmffi_checked_mul_size(count, 2, &bytes) || !tvmffi_checked_add_size(bytes, 2, &bytes) ||
      !tvmffi_checked_mul_size(bytes, sizeof *limbs, &bytes) ||
      (limbs = tvmffi_alloc(bytes + bytes / 2)) == NULL) {
    return tvmffi_fail_memory();
  }
  chunks = limbs + count;
  limbs_from_words(content.data, limbs, count);
  is_negative = count != 0 && limbs[count - 1] >> 31 != 0;
  if (is_negative) negate(limbs, count);
  for (left = count; left > 0;) {
    if (limbs[left - 1] == 0) {
      --left;
    } else {
      chunks[num_chunks++] = divide(limbs, left, kBase);
    }
  }
  if (is_negative) tvmffi_buf_append_text(text, "-");
  tvmffi_buf_appendf(text, "%lu", num_chunks != 0 ? (unsigned long)chunks[num_chunks - 1] : 0UL);
  while (num_chunks > 1) tvmffi_buf_appendf(text, "%09lu", (unsigned long)chunks[--num_chunks - 1]);
  tvmffi_free(limbs);
  return 0;
}

static bool is_decimal(const TVMFFIByteArray *text, size_t *out_sign_size) {
  size_t i, sign = text->size != 0 && (text->data[0] == '-' || text->data[0] == '+');
  for (i = sign; i < text->size; ++i) {
    if (!tvmffi_is_digit(text->data[i])) return false;
  }
  *out_sign_size = sign;
  return text->size > sign;
}

int tvmffi_bigint_from_decimal(const TVMFFIByteArray *text, TVMFFIAny *out) {
  size_t sign, pos, count, i;
  TVMFFIByteArray content;
  uint32_t *limbs;
  char *words;
  int rc;
  if (!is_decimal(text, &sign)) {
    return tvmffi_fail("ValueError", "Invalid decimal string for ffi.BigInt");
  }
  /* Nine digits need less than a limb. Add a limb for the sign, and round up to an even number. */
  count = (text->size / kLimbDigits + 3) & ~(size_t)1;
  limbs = tvmffi_alloc_zeroed(count, 2 * sizeof *limbs);
  if (limbs == NULL) return tvmffi_fail_memory();
  for (pos = sign; pos < text->size;) {
    uint32_t chunk = 0, scale = 1;
    for (i = 0; i < kLimbDigits && pos < text->size; ++i, scale *= 10) {
      chunk = chunk * 10 + (uint32_t)(text->data[pos++] - '0');
    }
    multiply_add(limbs, count, scale, chunk);
  }
  if (text->data[0] == '-') negate(limbs, count);
  words = (char *)(limbs + count);
  for (i = 0; i < count; i += 2) {
    uint64_t word = (uint64_t)limbs[i + 1] << 32 | limbs[i];
    memcpy(words + i / 2 * sizeof word, &word, sizeof word);
  }
  content.data = words;
  content.size = count * sizeof *limbs;
  rc = TVMFFIBigIntFromByteArray(&content, out);
  tvmffi_free(limbs);
  return rc;
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

static const tvmffi_builtin_attr kBigIntAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrAnyHash, false, hash_bigint, NULL},
    {kTVMFFIBigInt, kTvmffiAttrAnyEqual, false, equal_bigint, NULL},
};

TVMFFI_BUILTIN_ATTR_GROUP(tvmffi_bigint_attrs, kBigIntAttrs);
