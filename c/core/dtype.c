/* SPDX-License-Identifier: Apache-2.0 */
/* Dtypes to and from text. */
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/string_object.h"

enum {
  /* DLPack's codes of floats named after their format, which the first 1.x headers lack. */
  kDTypeFirstFloat8 = 7,
  kDTypeLastFloat8 = 14,
  kDTypeFirstFloat6 = 15,
  kDTypeLastFloat6 = 16,
  kDTypeFloat4 = 17,
  kDTypeNumNames = 18,     /* codes with a name in the table below */
  kDTypeFirstCustom = 129, /* codes from here on belong to registered types */
  kDTypeMaxLanes = 32767,  /* for fixed lanes; n scalable lanes are stored as -n */
  kDTypeMaxScalableLanes = 32768
};

/* Text in place, so that the table needs no relocations. */
typedef struct {
  char text[19];
  uint8_t size;
} dtype_name;

/* ---- To text ---- */

#define NAME(text) \
  { text, sizeof text - 1 }

/* Indexed by DLDataTypeCode. */
static const dtype_name dtype_names[kDTypeNumNames] = {
    NAME("int"),
    NAME("uint"),
    NAME("float"),
    NAME("handle"),
    NAME("bfloat"),
    NAME("complex"),
    NAME("bool"),
    NAME("float8_e3m4"),
    NAME("float8_e4m3"),
    NAME("float8_e4m3b11fnuz"),
    NAME("float8_e4m3fn"),
    NAME("float8_e4m3fnuz"),
    NAME("float8_e5m2"),
    NAME("float8_e5m2fnuz"),
    NAME("float8_e8m0fnu"),
    NAME("float6_e2m3fn"),
    NAME("float6_e3m2fn"),
    NAME("float4_e2m1fn"),
};

/* The longest text of a built-in type: 18 letters of name, "xvscalex", 5 digits; and a NUL. */
enum { kMaxText = 32, kMaxLanesText = 14 };

/* Writes a number below 100000. Returns the end. */
static char *write_number(char *p, unsigned n) {
  char digits[5];
  int count = 0;
  do {
    digits[count++] = (char)('0' + n % 10);
    n /= 10;
  } while (n != 0);
  while (count != 0) *p++ = digits[--count];
  return p;
}

/* Writes at most kMaxLanesText - 1 characters; nothing for one lane. Returns the end. */
static char *write_lanes(char *p, unsigned lanes) {
  if (lanes <= 1) return p;
  if (lanes > kDTypeMaxLanes) {
    memcpy(p, "xvscalex", 8);
    return write_number(p + 8, UINT16_MAX + 1u - lanes);
  }
  *p++ = 'x';
  return write_number(p, lanes);
}

static int store_dtype_text(const char *text, size_t size, TVMFFIAny *out) {
  return tvmffi_any_give(tvmffi_string_new(kTVMFFIStr, text, size), out);
}

/*
 * Calls the global function of that name, which frontends register, with one argument. ValueError
 * if it is not registered.
 */
TVMFFI_COLD static int dtype_call_custom(const char *function_name, TVMFFIAny arg,
                                         TVMFFIAny *result) {
  TVMFFIByteArray name;
  TVMFFIObjectHandle function;
  int rc;
  name.data = function_name;
  name.size = strlen(function_name);
  TVMFFI_TRY(TVMFFIFunctionGetGlobal(&name, &function));
  if (function == NULL) return tvmffi_fail("ValueError", "Function %s not found", function_name);
  rc = tvmffi_function_call_foreign(function, &arg, 1, result);
  tvmffi_object_release(function);
  return rc;
}

TVMFFI_COLD static int print_custom(const DLDataType *dtype, TVMFFIAny *out) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  TVMFFIAny result;
  TVMFFIByteArray name;
  char lanes[kMaxLanesText];
  int rc;
  TVMFFI_TRY(dtype_call_custom("dtype.get_custom_type_name", tvmffi_any_int(dtype->code), &result));
  if (!tvmffi_any_get_text(&result, &name)) {
    rc = tvmffi_any_fail_conversion(&result, "str");
  } else {
    tvmffi_buf_append_text(&text, "custom[");
    tvmffi_buf_append(&text, name.data, name.size);
    tvmffi_buf_append_text(&text, "]");
    tvmffi_buf_append(&text, lanes, (size_t)(write_lanes(lanes, dtype->lanes) - lanes));
    rc = text.failed ? tvmffi_fail_memory() : store_dtype_text(text.data, text.size, out);
  }
  tvmffi_buf_fini(&text);
  tvmffi_any_release(&result);
  return rc;
}

int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out) {
  const dtype_name *name;
  char text[kMaxText], *end;
  TVMFFI_REQUIRE(dtype);
  TVMFFI_REQUIRE(out);
  if (TVMFFI_UNLIKELY(dtype->code >= kDTypeNumNames)) {
    if (dtype->code >= kDTypeFirstCustom) return print_custom(dtype, out);
    return tvmffi_fail("ValueError", "DLDataType contains unknown type_code=%d", dtype->code);
  }
  name = &dtype_names[dtype->code];
  memcpy(text, name->text, sizeof name->text);
  end = text + name->size;
  if (dtype->code == kDLOpaqueHandle) {
    /* Bits and lanes of handles are not shown; void, which has none, is the empty text. */
    if (dtype->bits == 0 && dtype->lanes == 0) end = text;
  } else {
    if (dtype->code < kDLBool || (dtype->code == kDLBool && dtype->bits != 8)) {
      end = write_number(end, dtype->bits);
    }
    end = write_lanes(end, dtype->lanes);
  }
  return store_dtype_text(text, (size_t)(end - text), out);
}

/* ---- From text ---- */

/*
 * The grammar, in which every part after the name is optional:
 *   int uint float bfloat bool handle complex   then bits, then lanes
 *   custom[name]                                then bits, then lanes
 *   float8_<format> float6_<format>             then lanes, but no scalable ones
 *   float4_<format>                             the same, with a "_" allowed before the lanes
 *   bits: decimal   lanes: x<decimal>, or xvscalex<decimal>
 * and short names: i8 u8 f32 bf16 f8_e4m3 fp8_e4m3. Empty text and "void" give the void type.
 */

typedef struct {
  const char *next; /* what is still to be read, up to end */
  const char *end;
  /* Errors show a short name written out: full_name, then the text from shown to end. */
  const char *full_name;
  const char *shown;
} dtype_source;

/* The length of a text in a message, cut at SHRT_MAX. */
static int shown_size(const char *begin, const char *end) {
  return end - begin > SHRT_MAX ? SHRT_MAX : (int)(end - begin);
}

#define SHOWN(source) \
  (source)->full_name, shown_size((source)->shown, (source)->end), (source)->shown

/* The message is `prefix`, the whole text, `suffix`. */
TVMFFI_COLD static int fail_dtype(const dtype_source *source, const char *prefix,
                                  const char *suffix) {
  return tvmffi_fail("ValueError", "%s%s%.*s%s", prefix, SHOWN(source), suffix);
}

TVMFFI_COLD static int fail_unknown_dtype(const dtype_source *source) {
  return fail_dtype(source, "unknown dtype `", "`");
}

static inline size_t left(const dtype_source *source) {
  return (size_t)(source->end - source->next);
}

static inline bool skip(dtype_source *source, const char *letters, size_t size) {
  if (left(source) < size || memcmp(source->next, letters, size) != 0) return false;
  source->next += size;
  return true;
}

#define SKIP(source, literal) skip(source, literal, sizeof(literal) - 1)

/* Skips a short name if a digit follows it, as in i32. */
static inline bool skip_short(dtype_source *source, const char *letters, size_t size,
                              const char *full_name) {
  if (left(source) <= size || memcmp(source->next, letters, size) != 0 ||
      !tvmffi_is_digit(source->next[size])) {
    return false;
  }
  source->next += size;
  source->full_name = full_name;
  source->shown = source->next;
  return true;
}

#define SKIP_SHORT(source, literal, full_name) \
  skip_short(source, literal, sizeof(literal) - 1, full_name)

/* Whether 8_, 6_ or 4_ follows. */
static inline bool at_narrow(const dtype_source *source) {
  return left(source) >= 2 && source->next[1] == '_' &&
         (source->next[0] == '8' || source->next[0] == '6' || source->next[0] == '4');
}

/* Reads all digits that follow; *num_digits may be 0. */
static int read_number(dtype_source *source, uint32_t *value, size_t *num_digits) {
  const char *start = source->next;
  uint64_t n = 0;
  for (; source->next != source->end && tvmffi_is_digit(*source->next); ++source->next) {
    if (n <= UINT32_MAX) n = n * 10 + (uint64_t)(*source->next - '0');
  }
  if (TVMFFI_UNLIKELY(n > UINT32_MAX)) {
    return tvmffi_fail("ValueError",
                       "Integer value in dtype string '%.*s' is out of range for uint32_t",
                       shown_size(start, source->next), start);
  }
  *value = (uint32_t)n;
  *num_digits = (size_t)(source->next - start);
  return 0;
}

static int parse_bits(dtype_source *source, uint8_t *bits) {
  uint32_t n = 0;
  size_t num_digits = 0;
  TVMFFI_TRY(read_number(source, &n, &num_digits));
  if (num_digits == 0) return 0;
  if (TVMFFI_UNLIKELY(n > UINT8_MAX)) {
    return tvmffi_fail("ValueError", "Bits value %lu is out of range for uint8_t in dtype '%s%.*s'",
                       (unsigned long)n, SHOWN(source));
  }
  if (TVMFFI_UNLIKELY(n == 0)) {
    return fail_dtype(source, "Invalid bits specification in dtype '",
                      "'. Bits must be a positive integer.");
  }
  *bits = (uint8_t)n;
  return 0;
}

static int parse_lanes(dtype_source *source, bool may_scale, uint16_t *lanes) {
  uint32_t n = 0;
  size_t num_digits = 0;
  bool scalable;
  if (!SKIP(source, "x")) return 0;
  scalable = may_scale && SKIP(source, "vscalex");
  TVMFFI_TRY(read_number(source, &n, &num_digits));
  if (TVMFFI_UNLIKELY(n == 0)) {
    return fail_dtype(source, "Invalid lanes specification in dtype '",
                      "'. Lanes must be a positive integer.");
  }
  if (TVMFFI_UNLIKELY(n > (scalable ? kDTypeMaxScalableLanes : kDTypeMaxLanes))) {
    return tvmffi_fail("ValueError", "Lanes value %lu is out of range for %s in dtype '%s%.*s'",
                       (unsigned long)n, n > UINT16_MAX ? "uint16_t" : "int16_t", SHOWN(source));
  }
  *lanes = (uint16_t)(scalable ? UINT16_MAX + 1u - n : n);
  return 0;
}

/* Parses float8_<format>, float6_<format> or float4_<format> from the digit on. */
static int parse_narrow(dtype_source *source, DLDataType *out) {
  const char *digit = source->next;
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
  source->next += 2;
  most = left(source);
  while (size != most && source->next[size] != 'x' && source->next[size] != end) ++size;
  for (;; ++code) {
    const dtype_name *name;
    if (code > last) {
      return tvmffi_fail("ValueError", "unknown float%c type `%s%.*s`", *digit, SHOWN(source));
    }
    name = &dtype_names[code];
    if (name->size == size + sizeof "float8_" - 1 &&
        memcmp(name->text + sizeof "float8_" - 1, source->next, size) == 0) {
      break;
    }
  }
  source->next += size;
  out->code = (uint8_t)code;
  out->bits = (uint8_t)(*digit - '0');
  if (*digit == '4') (void)SKIP(source, "_");
  return parse_lanes(source, false, &out->lanes);
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
  rc = dtype_call_custom("dtype.get_custom_type_code", tvmffi_any_raw_str(copy), &result);
  if (copy != in_place) tvmffi_free(copy);
  if (rc != 0) return rc;
  if (result.type_index != kTVMFFIInt && result.type_index != kTVMFFIBool) {
    return tvmffi_any_refuse(&result, "int");
  }
  *code = (uint8_t)result.v_uint64;
  return 0;
}

/* Parses what follows "custom". */
TVMFFI_COLD static int parse_custom(dtype_source *source, uint8_t *code) {
  const char *name, *name_end;
  if (!SKIP(source, "[")) {
    return fail_dtype(source, "expected opening brace after 'custom' type in", "");
  }
  name = source->next;
  name_end = left(source) != 0 ? memchr(name, ']', left(source)) : NULL;
  if (name_end == NULL) {
    return fail_dtype(source, "expected closing brace after 'custom' type in", "");
  }
  /* The name is passed on as NUL-terminated text, so it must not contain a NUL. */
  if (memchr(name, '\0', (size_t)(name_end - name)) != NULL) return fail_unknown_dtype(source);
  source->next = name_end + 1;
  return find_custom(name, (size_t)(name_end - name), code);
}

/* Parses any text but the empty one and "void". */
static int parse_dtype(dtype_source *source, DLDataType *out) {
  switch (*source->next) {
    case 'i':
      if (!SKIP_SHORT(source, "i", "int") && !SKIP(source, "int"))
        return fail_unknown_dtype(source);
      out->code = kDLInt;
      break;
    case 'u':
      if (!SKIP_SHORT(source, "u", "uint") && !SKIP(source, "uint"))
        return fail_unknown_dtype(source);
      out->code = kDLUInt;
      break;
    case 'f':
      if (!SKIP(source, "float") && !SKIP_SHORT(source, "f", "float")) {
        dtype_source attempt = *source;
        if (!SKIP_SHORT(&attempt, "fp", "float") || !at_narrow(&attempt)) {
          return fail_unknown_dtype(source);
        }
        *source = attempt;
      }
      if (at_narrow(source)) return parse_narrow(source, out);
      out->code = kDLFloat;
      break;
    case 'b':
      if (SKIP(source, "bool")) {
        out->code = kDLBool;
        out->bits = 8;
        break;
      }
      if (!SKIP_SHORT(source, "bf", "bfloat") && !SKIP(source, "bfloat")) {
        return fail_unknown_dtype(source);
      }
      out->code = kDLBfloat;
      out->bits = 16;
      break;
    case 'h':
      if (!SKIP(source, "handle")) return fail_unknown_dtype(source);
      out->code = kDLOpaqueHandle;
      out->bits = 64;
      break;
    case 'c':
      if (SKIP(source, "complex")) {
        out->code = kDLComplex;
        out->bits = 64;
        break;
      }
      if (!SKIP(source, "custom")) return fail_unknown_dtype(source);
      TVMFFI_TRY(parse_custom(source, &out->code));
      break;
    default:
      return fail_unknown_dtype(source);
  }
  TVMFFI_TRY(parse_bits(source, &out->bits));
  return parse_lanes(source, true, &out->lanes);
}

int TVMFFIDataTypeFromString(const TVMFFIByteArray *str, DLDataType *out) {
  dtype_source source;
  DLDataType dtype = {kDLOpaqueHandle, 0, 0};
  TVMFFI_REQUIRE(str);
  TVMFFI_REQUIRE(out);
  if (str->size != 0) {
    TVMFFI_REQUIRE(str->data);
    source.next = source.shown = str->data;
    source.end = str->data + str->size;
    source.full_name = "";
    if (!(str->size == 4 && memcmp(str->data, "void", 4) == 0)) {
      dtype.bits = 32;
      dtype.lanes = 1;
      TVMFFI_TRY(parse_dtype(&source, &dtype));
      if (source.next != source.end) return fail_unknown_dtype(&source);
    }
  }
  *out = dtype;
  return 0;
}
