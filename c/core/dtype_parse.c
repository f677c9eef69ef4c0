/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar, where every part behind the name is optional:
 *   int uint float bfloat bool handle complex   then bits, then lanes
 *   custom[name]                                then bits, then lanes
 *   float8_<format> float6_<format>             then lanes, but no scalable ones
 *   float4_<format>                             the same, with a "_" allowed before the lanes
 *   bits: decimal   lanes: x<decimal>, or xvscalex<decimal>
 * and short names: i8 u8 f32 bf16 f8_e4m3 fp8_e4m3. No text at all, and "void", are no type.
 */
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "core/any.h"
#include "core/dtype.h"
#include "core/error.h"

typedef struct {
  const char *next; /* what is still to be read, up to end */
  const char *end;
  /* The text as errors show it, a short name written out: full_name and what follows shown. */
  const char *full_name;
  const char *shown;
} input;

/* Cuts what no message should be made of. */
static int shown_size(const char *from, const char *end) {
  return end - from > SHRT_MAX ? SHRT_MAX : (int)(end - from);
}

#define SHOWN(in) (in)->full_name, shown_size((in)->shown, (in)->end), (in)->shown

/* The message is the text with something in front and behind. */
TVMFFI_COLD static int fail(const input *in, const char *before, const char *behind) {
  return tvmffi_fail("ValueError", "%s%s%.*s%s", before, SHOWN(in), behind);
}

TVMFFI_COLD static int fail_unknown(const input *in) {
  return fail(in, "unknown dtype `", "`");
}

static inline size_t left(const input *in) {
  return (size_t)(in->end - in->next);
}

static inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline bool skip(input *in, const char *letters, size_t size) {
  if (left(in) < size || memcmp(in->next, letters, size) != 0) return false;
  in->next += size;
  return true;
}

#define SKIP(in, literal) skip(in, literal, sizeof(literal) - 1)

/* Skips the start of a name when a digit follows it, as in i32. */
static inline bool skip_short(input *in, const char *letters, size_t size, const char *full_name) {
  if (left(in) <= size || memcmp(in->next, letters, size) != 0 || !is_digit(in->next[size])) {
    return false;
  }
  in->next += size;
  in->full_name = full_name;
  in->shown = in->next;
  return true;
}

#define SKIP_SHORT(in, literal, full_name) skip_short(in, literal, sizeof(literal) - 1, full_name)

/* At 8_, 6_ or 4_. */
static inline bool at_narrow(const input *in) {
  return left(in) >= 2 && in->next[1] == '_' &&
         (in->next[0] == '8' || in->next[0] == '6' || in->next[0] == '4');
}

/* Reads digits, as many as there are; *num_digits may come out as 0. */
static int read_number(input *in, uint32_t *value, size_t *num_digits) {
  const char *start = in->next;
  uint64_t n = 0;
  for (; in->next != in->end && is_digit(*in->next); ++in->next) {
    if (n <= UINT32_MAX) n = n * 10 + (uint64_t)(*in->next - '0');
  }
  if (TVMFFI_UNLIKELY(n > UINT32_MAX)) {
    return tvmffi_fail("ValueError",
                       "Integer value in dtype string '%.*s' is out of range for uint32_t",
                       shown_size(start, in->next), start);
  }
  *value = (uint32_t)n;
  *num_digits = (size_t)(in->next - start);
  return 0;
}

static int parse_bits(input *in, uint8_t *bits) {
  uint32_t n = 0;
  size_t num_digits = 0;
  TVMFFI_TRY(read_number(in, &n, &num_digits));
  if (num_digits == 0) return 0;
  if (TVMFFI_UNLIKELY(n > UINT8_MAX)) {
    return tvmffi_fail("ValueError", "Bits value %lu is out of range for uint8_t in dtype '%s%.*s'",
                       (unsigned long)n, SHOWN(in));
  }
  if (TVMFFI_UNLIKELY(n == 0)) {
    return fail(in, "Invalid bits specification in dtype '", "'. Bits must be a positive integer.");
  }
  *bits = (uint8_t)n;
  return 0;
}

static int parse_lanes(input *in, bool may_scale, uint16_t *lanes) {
  uint32_t n = 0;
  size_t num_digits = 0;
  bool scalable;
  if (!SKIP(in, "x")) return 0;
  scalable = may_scale && SKIP(in, "vscalex");
  TVMFFI_TRY(read_number(in, &n, &num_digits));
  if (TVMFFI_UNLIKELY(n == 0)) {
    return fail(in, "Invalid lanes specification in dtype '",
                "'. Lanes must be a positive integer.");
  }
  if (TVMFFI_UNLIKELY(n > (scalable ? kDTypeMaxScalableLanes : kDTypeMaxLanes))) {
    return tvmffi_fail("ValueError", "Lanes value %lu is out of range for %s in dtype '%s%.*s'",
                       (unsigned long)n, n > UINT16_MAX ? "uint16_t" : "int16_t", SHOWN(in));
  }
  *lanes = (uint16_t)(scalable ? UINT16_MAX + 1u - n : n);
  return 0;
}

/* At the 8_, 6_ or 4_ of a float whose name says its format. */
static int parse_narrow(input *in, DLDataType *out) {
  const char *digit = in->next;
  int code = kDTypeFirstFloat8, last = kDTypeLastFloat8;
  char end = 'x';
  size_t size = 0, most;
  if (*digit == '6') {
    code = kDTypeFirstFloat6;
    last = kDTypeLastFloat6;
  } else if (*digit == '4') {
    code = last = kDTypeFloat4;
    end = '_';
  }
  in->next += 2;
  most = left(in);
  while (size != most && in->next[size] != 'x' && in->next[size] != end) ++size;
  for (;; ++code) {
    const tvmffi_dtype_name *name;
    if (code > last) {
      return tvmffi_fail("ValueError", "unknown float%c type `%s%.*s`", *digit, SHOWN(in));
    }
    name = &tvmffi_dtype_names[code];
    if (name->size == size + sizeof "float8_" - 1 &&
        memcmp(name->text + sizeof "float8_" - 1, in->next, size) == 0) {
      break;
    }
  }
  in->next += size;
  out->code = (uint8_t)code;
  out->bits = (uint8_t)(*digit - '0');
  if (*digit == '4') (void)SKIP(in, "_");
  return parse_lanes(in, false, &out->lanes);
}

/* The code of a registered type, by its name. */
static int find_custom(const char *name, size_t size, uint8_t *code) {
  char in_place[64], *copy = in_place;
  TVMFFIAny result;
  int rc;
  if (size >= sizeof in_place && (copy = tvmffi_alloc(size + 1)) == NULL) {
    return tvmffi_fail_memory();
  }
  if (size != 0) memcpy(copy, name, size);
  copy[size] = '\0';
  rc = tvmffi_dtype_call_custom("dtype.get_custom_type_code", tvmffi_any_raw_str(copy), &result);
  if (copy != in_place) tvmffi_free(copy);
  if (rc != 0) return rc;
  if (result.type_index != kTVMFFIInt && result.type_index != kTVMFFIBool) {
    rc = tvmffi_any_fail_conversion(&result, "int");
    tvmffi_any_release(&result);
    return rc;
  }
  *code = (uint8_t)result.v_uint64;
  return 0;
}

/* Behind "custom". */
TVMFFI_COLD static int parse_custom(input *in, uint8_t *code) {
  const char *name, *name_end;
  if (!SKIP(in, "[")) {
    return fail(in, "expected opening brace after 'custom' type in", "");
  }
  name = in->next;
  name_end = left(in) != 0 ? memchr(name, ']', left(in)) : NULL;
  if (name_end == NULL) {
    return fail(in, "expected closing brace after 'custom' type in", "");
  }
  /* The name travels as NUL-terminated text, which must not end before its end. */
  if (memchr(name, '\0', (size_t)(name_end - name)) != NULL) return fail_unknown(in);
  in->next = name_end + 1;
  return find_custom(name, (size_t)(name_end - name), code);
}

/* Everything but the empty text and void. */
static int parse(input *in, DLDataType *out) {
  switch (*in->next) {
    case 'i':
      if (!SKIP_SHORT(in, "i", "int") && !SKIP(in, "int")) return fail_unknown(in);
      out->code = kDLInt;
      break;
    case 'u':
      if (!SKIP_SHORT(in, "u", "uint") && !SKIP(in, "uint")) return fail_unknown(in);
      out->code = kDLUInt;
      break;
    case 'f':
      if (!SKIP(in, "float") && !SKIP_SHORT(in, "f", "float")) {
        input behind = *in;
        if (!SKIP_SHORT(&behind, "fp", "float") || !at_narrow(&behind)) return fail_unknown(in);
        *in = behind;
      }
      if (at_narrow(in)) return parse_narrow(in, out);
      out->code = kDLFloat;
      break;
    case 'b':
      if (SKIP(in, "bool")) {
        out->code = kDLBool;
        out->bits = 8;
        break;
      }
      if (!SKIP_SHORT(in, "bf", "bfloat") && !SKIP(in, "bfloat")) return fail_unknown(in);
      out->code = kDLBfloat;
      out->bits = 16;
      break;
    case 'h':
      if (!SKIP(in, "handle")) return fail_unknown(in);
      out->code = kDLOpaqueHandle;
      out->bits = 64;
      break;
    case 'c':
      if (SKIP(in, "complex")) {
        out->code = kDLComplex;
        out->bits = 64;
        break;
      }
      if (!SKIP(in, "custom")) return fail_unknown(in);
      TVMFFI_TRY(parse_custom(in, &out->code));
      break;
    default:
      return fail_unknown(in);
  }
  TVMFFI_TRY(parse_bits(in, &out->bits));
  return parse_lanes(in, true, &out->lanes);
}

int TVMFFIDataTypeFromString(const TVMFFIByteArray *str, DLDataType *out) {
  input in;
  DLDataType dtype = {kDLOpaqueHandle, 0, 0};
  TVMFFI_REQUIRE(str);
  TVMFFI_REQUIRE(out);
  if (str->size != 0) {
    TVMFFI_REQUIRE(str->data);
    in.next = in.shown = str->data;
    in.end = str->data + str->size;
    in.full_name = "";
    if (!(str->size == 4 && memcmp(str->data, "void", 4) == 0)) {
      dtype.bits = 32;
      dtype.lanes = 1;
      TVMFFI_TRY(parse(&in, &dtype));
      if (in.next != in.end) return fail_unknown(&in);
    }
  }
  *out = dtype;
  return 0;
}
