/* SPDX-License-Identifier: Apache-2.0 */
/* Data types as text and as numbers, shared by the tests of parsing and of printing. */
#ifndef TESTS_C_DTYPE_TABLE_H_
#define TESTS_C_DTYPE_TABLE_H_

#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "support/check.h"

typedef struct {
  const char *text;
  DLDataType dtype;
  const char *printed; /* NULL: the same as text */
} dtype_row;

static const dtype_row kDTypes[] = {
    {"", {3, 0, 0}, NULL},
    {"void", {3, 0, 0}, ""},
    {"bool", {6, 8, 1}, NULL},
    {"bool8", {6, 8, 1}, "bool"},
    {"bool1", {6, 1, 1}, NULL},
    {"bool16", {6, 16, 1}, NULL},
    {"boolx4", {6, 8, 4}, NULL},
    {"int", {0, 32, 1}, "int32"},
    {"int32", {0, 32, 1}, NULL},
    {"i32", {0, 32, 1}, "int32"},
    {"int8", {0, 8, 1}, NULL},
    {"i8", {0, 8, 1}, "int8"},
    {"int008", {0, 8, 1}, "int8"},
    {"int1", {0, 1, 1}, NULL},
    {"int4", {0, 4, 1}, NULL},
    {"int16", {0, 16, 1}, NULL},
    {"int64", {0, 64, 1}, NULL},
    {"int255", {0, 255, 1}, NULL},
    {"i32x4", {0, 32, 4}, "int32x4"},
    {"int32x00004", {0, 32, 4}, "int32x4"},
    {"int32x32767", {0, 32, 32767}, NULL},
    {"uint", {1, 32, 1}, "uint32"},
    {"uint8", {1, 8, 1}, NULL},
    {"u8", {1, 8, 1}, "uint8"},
    {"u64", {1, 64, 1}, "uint64"},
    {"uint1", {1, 1, 1}, NULL},
    {"uint8x16", {1, 8, 16}, NULL},
    {"float", {2, 32, 1}, "float32"},
    {"f32", {2, 32, 1}, "float32"},
    {"float32x1", {2, 32, 1}, "float32"},
    {"f16", {2, 16, 1}, "float16"},
    {"float16", {2, 16, 1}, NULL},
    {"float64", {2, 64, 1}, NULL},
    {"f64x2", {2, 64, 2}, "float64x2"},
    {"float32x4", {2, 32, 4}, NULL},
    {"float8", {2, 8, 1}, NULL},
    {"float8x2", {2, 8, 2}, NULL},
    {"f8", {2, 8, 1}, "float8"},
    {"float32xvscalex4", {2, 32, 65532}, NULL},
    {"f32xvscalex4", {2, 32, 65532}, "float32xvscalex4"},
    {"float32xvscalex1", {2, 32, 65535}, NULL},
    {"int32xvscalex32768", {0, 32, 32768}, NULL},
    {"bfloat", {4, 16, 1}, "bfloat16"},
    {"bf16", {4, 16, 1}, "bfloat16"},
    {"bfloat16", {4, 16, 1}, NULL},
    {"bf16x8", {4, 16, 8}, "bfloat16x8"},
    {"bfloat8", {4, 8, 1}, NULL},
    {"handle", {3, 64, 1}, NULL},
    {"handle64", {3, 64, 1}, "handle"},
    {"handle32", {3, 32, 1}, "handle"},
    {"handlex2", {3, 64, 2}, "handle"},
    {"float8_e3m4", {7, 8, 1}, NULL},
    {"float8_e4m3", {8, 8, 1}, NULL},
    {"float8_e4m3b11fnuz", {9, 8, 1}, NULL},
    {"float8_e4m3fn", {10, 8, 1}, NULL},
    {"float8_e4m3fnuz", {11, 8, 1}, NULL},
    {"float8_e5m2", {12, 8, 1}, NULL},
    {"float8_e5m2fnuz", {13, 8, 1}, NULL},
    {"float8_e8m0fnu", {14, 8, 1}, NULL},
    {"f8_e4m3fn", {10, 8, 1}, "float8_e4m3fn"},
    {"fp8_e4m3fn", {10, 8, 1}, "float8_e4m3fn"},
    {"float8_e4m3fnx4", {10, 8, 4}, NULL},
    {"f8_e5m2x2", {12, 8, 2}, "float8_e5m2x2"},
    {"float6_e2m3fn", {15, 6, 1}, NULL},
    {"fp6_e3m2fn", {16, 6, 1}, "float6_e3m2fn"},
    {"float6_e2m3fnx16", {15, 6, 16}, NULL},
    {"float4_e2m1fn", {17, 4, 1}, NULL},
    {"f4_e2m1fn", {17, 4, 1}, "float4_e2m1fn"},
    {"fp4_e2m1fn", {17, 4, 1}, "float4_e2m1fn"},
    {"float4_e2m1fn_", {17, 4, 1}, "float4_e2m1fn"},
    {"float4_e2m1fnx2", {17, 4, 2}, NULL},
    {"float4_e2m1fn_x2", {17, 4, 2}, "float4_e2m1fnx2"},
    {"complex", {5, 64, 1}, "complex64"},
    {"complex64", {5, 64, 1}, NULL},
    {"complex128", {5, 128, 1}, NULL},
    {"complex32", {5, 32, 1}, NULL},
    {"complexx4", {5, 64, 4}, "complex64x4"},
    {"complex64x2", {5, 64, 2}, NULL},
    {"complex64xvscalex2", {5, 64, 65534}, NULL},
};

/* Expected while the functions below are registered and custom_code is 150. */
static const dtype_row kCustomDTypes[] = {
    {"custom[foo]32", {150, 32, 1}, "custom[foo]"},
    {"custom[foo]", {150, 32, 1}, NULL},
    {"custom[foo]16x4", {150, 16, 4}, "custom[foo]x4"},
    {"custom[foo]8xvscalex2", {150, 8, 65534}, "custom[foo]xvscalex2"},
};

static TVMFFIAny custom_code;     /* the result of dtype.get_custom_type_code; owned */
static TVMFFIAny custom_name;     /* the result of dtype.get_custom_type_name; owned */
static char custom_argument[128]; /* the argument of the last call of get_custom_type_code */

static int get_custom_type_code(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 1);
  assert_int_equal(args[0].type_index, kTVMFFIRawStr);
  assert_true(strlen(args[0].v_c_str) < sizeof custom_argument);
  memcpy(custom_argument, args[0].v_c_str, strlen(args[0].v_c_str) + 1);
  return TVMFFIAnyViewToOwnedAny(&custom_code, result);
}

static int get_custom_type_name(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  (void)self;
  assert_int_equal(num_args, 1);
  assert_int_equal(args[0].type_index, kTVMFFIInt);
  assert_int_equal(args[0].v_int64, 150);
  return TVMFFIAnyViewToOwnedAny(&custom_name, result);
}

static int fail_with_key_error(void *self, const TVMFFIAny *args, int32_t num_args,
                               TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  TVMFFIErrorSetRaisedFromCStr("KeyError", "no such type");
  return -1;
}

static inline void register_custom(const char *name, TVMFFISafeCallType function) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle object;
  check_ok(TVMFFIFunctionCreate(NULL, function, NULL, &object));
  check_ok(TVMFFIFunctionSetGlobal(&bytes, object, 1));
  TVMFFIObjectDecRef(object);
}

static inline void register_customs(void) {
  custom_code = tvmffi_any_int(150);
  custom_name = tvmffi_any_raw_str("foo");
  register_custom("dtype.get_custom_type_code", get_custom_type_code);
  register_custom("dtype.get_custom_type_name", get_custom_type_name);
}

static inline void register_failing_customs(void) {
  register_custom("dtype.get_custom_type_code", fail_with_key_error);
  register_custom("dtype.get_custom_type_name", fail_with_key_error);
}

static inline int parse(const char *text, DLDataType *out) {
  TVMFFIByteArray bytes = check_bytes(text);
  return TVMFFIDataTypeFromString(&bytes, out);
}

static inline void check_parse(const dtype_row *row) {
  DLDataType dtype;
  memset(&dtype, 0xA5, sizeof dtype);
  check_ok(parse(row->text, &dtype));
  if (memcmp(&dtype, &row->dtype, sizeof dtype) != 0) {
    fail_msg("%s gave %d, %d, %d", row->text, dtype.code, dtype.bits, dtype.lanes);
  }
}

static inline void check_parse_fails(const char *text, const char *message) {
  DLDataType dtype, before;
  memset(&dtype, 0xA5, sizeof dtype);
  before = dtype;
  if (parse(text, &dtype) == 0) fail_msg("%s was accepted", text);
  check_raised("ValueError", message);
  assert_memory_equal(&dtype, &before, sizeof dtype);
}

#define NUM_ROWS(table) (sizeof(table) / sizeof(table)[0])

#endif /* TESTS_C_DTYPE_TABLE_H_ */
