/* SPDX-License-Identifier: Apache-2.0 */
#include <tvm/ffi/c/dtype.h>

#include "support/check.h"

/* Each constant equals what the runtime's parser returns for its name. */
TEST(test_constants) {
  static const char *const names[] = {"bool",           "int8",
                                      "int16",          "int32",
                                      "int64",          "uint8",
                                      "uint16",         "uint32",
                                      "uint64",         "float16",
                                      "float32",        "float64",
                                      "bfloat16",       "float8_e3m4",
                                      "float8_e4m3",    "float8_e4m3b11fnuz",
                                      "float8_e4m3fn",  "float8_e4m3fnuz",
                                      "float8_e5m2",    "float8_e5m2fnuz",
                                      "float8_e8m0fnu", "float6_e2m3fn",
                                      "float6_e3m2fn",  "float4_e2m1fn"};
  /* tcc does not count structs. */
  const DLDataType dtypes[24] = {TVM_FFI_C_BOOL,           TVM_FFI_C_INT8,
                                 TVM_FFI_C_INT16,          TVM_FFI_C_INT32,
                                 TVM_FFI_C_INT64,          TVM_FFI_C_UINT8,
                                 TVM_FFI_C_UINT16,         TVM_FFI_C_UINT32,
                                 TVM_FFI_C_UINT64,         TVM_FFI_C_FLOAT16,
                                 TVM_FFI_C_FLOAT32,        TVM_FFI_C_FLOAT64,
                                 TVM_FFI_C_BFLOAT16,       TVM_FFI_C_FLOAT8_E3M4,
                                 TVM_FFI_C_FLOAT8_E4M3,    TVM_FFI_C_FLOAT8_E4M3B11FNUZ,
                                 TVM_FFI_C_FLOAT8_E4M3FN,  TVM_FFI_C_FLOAT8_E4M3FNUZ,
                                 TVM_FFI_C_FLOAT8_E5M2,    TVM_FFI_C_FLOAT8_E5M2FNUZ,
                                 TVM_FFI_C_FLOAT8_E8M0FNU, TVM_FFI_C_FLOAT6_E2M3FN,
                                 TVM_FFI_C_FLOAT6_E3M2FN,  TVM_FFI_C_FLOAT4_E2M1FN};
  DLDataType dtype;
  char text[32];
  size_t i;
  assert_int_equal(sizeof names / sizeof names[0], sizeof dtypes / sizeof dtypes[0]);
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    check_ok(tvm_ffi_dtype_parse(names[i], &dtype));
    assert_true(tvm_ffi_dtype_equal(dtype, dtypes[i]));
    assert_string_equal(tvm_ffi_dtype_print(dtypes[i], text, sizeof text), names[i]);
  }
  check_fails(tvm_ffi_dtype_parse("nope", &dtype), "ValueError", "unknown dtype `nope`");
}

TEST(test_equality_looks_at_everything) {
  const DLDataType dtype = tvm_ffi_dtype_make(kDLInt, 8, 4);
  assert_true(tvm_ffi_dtype_equal(dtype, tvm_ffi_dtype_make(kDLInt, 8, 4)));
  assert_false(tvm_ffi_dtype_equal(dtype, tvm_ffi_dtype_make(kDLUInt, 8, 4)));
  assert_false(tvm_ffi_dtype_equal(dtype, tvm_ffi_dtype_make(kDLInt, 9, 4)));
  assert_false(tvm_ffi_dtype_equal(dtype, tvm_ffi_dtype_make(kDLInt, 8, 5)));
}

TEST(test_printing) {
  char text[64], small[6];
  assert_string_equal(tvm_ffi_dtype_print(tvm_ffi_dtype_make(kDLInt, 8, 4), text, sizeof text),
                      "int8x4");
  assert_string_equal(tvm_ffi_dtype_print(TVM_FFI_C_FLOAT32, small, sizeof small), "float");
  tvm_ffi_error_raise("Kind", "raised before");
  assert_string_equal(tvm_ffi_dtype_print(tvm_ffi_dtype_make(100, 8, 1), text, sizeof text),
                      "dtype(code=100, bits=8, lanes=1)");
  check_raised("Kind", "raised before");
  tvm_ffi_dtype_print(tvm_ffi_dtype_make(100, 8, 1), text, sizeof text);
  check_not_raised();
}

/* F-3: sub-byte types are packed. */
TEST(test_F_3_sizes_in_bytes) {
  const DLDataType uint1 = tvm_ffi_dtype_make(kDLUInt, 1, 1);
  const DLDataType int4 = tvm_ffi_dtype_make(kDLInt, 4, 1);
  const DLDataType float4 = TVM_FFI_C_FLOAT4_E2M1FN;
  static const struct {
    int64_t n;
    size_t uint1, int4, float6;
  } expected[] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {7, 1, 4, 6}, {8, 1, 4, 6}, {9, 2, 5, 7}};
  size_t i, size = 99;
  for (i = 0; i < 5; ++i) {
    check_ok(tvm_ffi_dtype_compute_size(uint1, expected[i].n, &size));
    assert_int_equal(size, expected[i].uint1);
    check_ok(tvm_ffi_dtype_compute_size(int4, expected[i].n, &size));
    assert_int_equal(size, expected[i].int4);
    check_ok(tvm_ffi_dtype_compute_size(float4, expected[i].n, &size));
    assert_int_equal(size, expected[i].int4);
    check_ok(tvm_ffi_dtype_compute_size(TVM_FFI_C_FLOAT6_E2M3FN, expected[i].n, &size));
    assert_int_equal(size, expected[i].float6);
  }
  check_ok(tvm_ffi_dtype_compute_size(tvm_ffi_dtype_make(kDLUInt, 1, 20), 3, &size));
  assert_int_equal(size, 8);
  check_ok(tvm_ffi_dtype_compute_size(TVM_FFI_C_FLOAT64, 3, &size));
  assert_int_equal(size, 24);
  assert_int_equal(tvm_ffi_dtype_get_bytes(uint1), 1);
  assert_int_equal(tvm_ffi_dtype_get_bytes(TVM_FFI_C_INT32), 4);
  assert_int_equal(tvm_ffi_dtype_get_bits(tvm_ffi_dtype_make(kDLFloat, 255, 32767)), 255 * 32767);
}

/* F-5: a size that overflows is refused. */
TEST(test_F_5_sizes_that_do_not_fit) {
  const DLDataType scalable = tvm_ffi_dtype_make(kDLInt, 32, -4);
  size_t size = 99;
  check_fails(tvm_ffi_dtype_compute_size(TVM_FFI_C_FLOAT32, INT64_MAX, &size), "ValueError",
              "9223372036854775807 elements of dtype `float32` need more bytes than fit in memory");
  check_fails_with(tvm_ffi_dtype_compute_size(TVM_FFI_C_FLOAT64, INT64_C(1) << 61, &size),
                   "ValueError", "more");
  check_fails(tvm_ffi_dtype_compute_size(TVM_FFI_C_INT8, -1, &size), "ValueError", "-1 elements");
  check_fails(tvm_ffi_dtype_compute_size(scalable, 1, &size), "ValueError",
              "dtype `int32xvscalex4` has no fixed size");
  check_fails_with(tvm_ffi_dtype_compute_size(tvm_ffi_dtype_make(3, 0, 0), 1, &size), "ValueError",
                   "has no fixed size");
  assert_int_equal(size, 99);
#if SIZE_MAX > 0xffffffffu
  check_ok(tvm_ffi_dtype_compute_size(tvm_ffi_dtype_make(kDLUInt, 1, 1), INT64_MAX, &size));
  assert_true(size == (size_t)1 << 60);
#else
  check_fails_with(tvm_ffi_dtype_compute_size(TVM_FFI_C_INT8, INT64_C(65536) * 65536, &size),
                   "ValueError", "more bytes than fit in memory");
#endif
}

static int size_of(DLDataType dtype, int *out) {
#define SIZE(type) *out = (int)sizeof(type)
  TVM_FFI_C_DTYPE_DISPATCH(dtype, TVM_FFI_C_CASES_NUMBER, SIZE);
  return 0;
}

#define OWN_CASES(BODY) TVM_FFI_C_CASE_BOOL(BODY) TVM_FFI_C_CASE(kDLFloat, 16, uint16_t, BODY)
static int own_cases(DLDataType dtype, int *out) {
  TVM_FFI_C_DTYPE_DISPATCH(dtype, OWN_CASES, SIZE);
  return 0;
}

TEST(test_dispatch) {
  int size = 0;
  check_ok(size_of(TVM_FFI_C_INT8, &size));
  assert_int_equal(size, 1);
  check_ok(size_of(TVM_FFI_C_UINT64, &size));
  assert_int_equal(size, 8);
  check_ok(size_of(TVM_FFI_C_FLOAT32, &size));
  assert_int_equal(size, 4);
  check_fails(size_of(TVM_FFI_C_FLOAT16, &size), "TypeError", "Unsupported dtype `float16`");
  check_fails(size_of(tvm_ffi_dtype_make(kDLFloat, 32, 4), &size), "TypeError",
              "Unsupported dtype `float32x4`");
  check_ok(own_cases(TVM_FFI_C_BOOL, &size));
  assert_int_equal(size, 1);
  check_ok(own_cases(TVM_FFI_C_FLOAT16, &size));
  assert_int_equal(size, 2);
  check_fails(own_cases(TVM_FFI_C_INT8, &size), "TypeError", "Unsupported dtype `int8`");
}

RUN_TESTS({
    cmocka_unit_test(test_constants),
    cmocka_unit_test(test_equality_looks_at_everything),
    cmocka_unit_test(test_printing),
    cmocka_unit_test(test_F_3_sizes_in_bytes),
    cmocka_unit_test(test_F_5_sizes_that_do_not_fit),
    cmocka_unit_test(test_dispatch),
})
