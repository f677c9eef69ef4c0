/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes, base64, names of data types, byte order, errors made from their parts and logged. */
#define TVM_FFI_ALWAYS_LOG_BEFORE_THROW 1
#include <gtest/gtest.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Bytes;
using ffi::String;

namespace {

struct Custom {};

}  // namespace

template <>
struct tvm::ffi::dtype_trait<Custom> {
  static constexpr DLDataType value = {kDLInt, 24, 1};
};

namespace {

TEST(Escape, Json) {
  EXPECT_EQ(ffi::EscapeStringJSON("a\"\\/\b\f\n\r\t\x01\x7f\xc3\xa9"),
            "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\xc3\xa9\"");
  EXPECT_EQ(ffi::EscapeStringJSON(String("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(ffi::EscapeStringJSON(""), "\"\"");
}

TEST(Escape, Python) {
  EXPECT_EQ(ffi::EscapedStringPy("a'\"\\/\n\t\r\b\x7f"), "\"a'\\\"\\\\/\\n\\t\\r\\x08\\x7f\"");
  EXPECT_EQ(ffi::EscapedStringPy("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\\u00e9\\u20ac\\U0001f600\"");
  EXPECT_EQ(ffi::EscapedStringPy("\xff\xe2\x82\xc3"), "\"\\xff\\xe2\\x82\\xc3\"");
  EXPECT_EQ(ffi::EscapedStringPy("\x1b[1mA"), "\"\\x1b[1mA\"");
}

TEST(Bytes, AreOrdered) {
  const Bytes b("abc");
  EXPECT_TRUE(b < Bytes("abd") && b <= b && b >= b && !(b < b) && !(b > b));
  EXPECT_TRUE(b < "abd" && "abb" < b && b > "ab" && "b" >= b && b <= "abc" && b >= "abc");
  EXPECT_TRUE(b < std::string("b") && std::string("a") < b && std::string("b") > b);
  EXPECT_TRUE(b < String("b") && String("a") < b && String("abc") <= b && b >= String("abc"));
  EXPECT_TRUE(Bytes("a\0b", 3) > Bytes("a"));
}

TEST(Base64, BothWays) {
  EXPECT_EQ(ffi::Base64Encode(Bytes("")), "");
  EXPECT_EQ(ffi::Base64Encode(Bytes("a")), "YQ==");
  EXPECT_EQ(ffi::Base64Encode(Bytes("ab")), "YWI=");
  EXPECT_EQ(ffi::Base64Encode(Bytes("abc")), "YWJj");
  EXPECT_EQ(ffi::Base64Encode(TVMFFIByteArray{"\xfb\xff\xfe", 3}), "+//+");
  EXPECT_EQ(std::string(ffi::Base64Decode("+//+")), "\xfb\xff\xfe");
  EXPECT_EQ(std::string(ffi::Base64Decode(TVMFFIByteArray{"YWI=", 4})), "ab");
  EXPECT_EQ(ffi::Base64Decode("YQ==").size(), 1U);
  EXPECT_EQ(ffi::Base64Decode("").size(), 0U);
  testing::internal::CaptureStderr();
  EXPECT_NE(Caught([] { ffi::Base64Decode("abc"); }).find("invalid base64 encoding"),
            std::string::npos);
  testing::internal::GetCapturedStderr();
}

TEST(Text, TellsThatSomethingWasLeftOut) {
  const volatile size_t too_much = SIZE_MAX / 2; /* a quarter can be had where sizes have 32 bits */
  ffi::detail::Text text;
  text.Put("kept");
  EXPECT_EQ(ffi::detail::WholeText(text).size, 4U);
  text.Put("", too_much);
  EXPECT_EQ(text.size(), 4U);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Caught([&] { ffi::detail::WholeText(text); }), "MemoryError: out of memory");
  testing::internal::GetCapturedStderr();
}

TEST(DType, Abbreviations) {
  EXPECT_EQ(ffi::DTypeAbbrev({kDLInt, 32, 1}), "i32");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLUInt, 8, 4}), "u8x4");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLFloat, 16, 1}), "f16");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLBfloat, 16, static_cast<uint16_t>(-4)}), "bf16xvscalex4");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLBool, 8, 1}), "bool");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLBool, 1, 1}), "bool1");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLOpaqueHandle, 0, 0}), "void");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLOpaqueHandle, 64, 1}), "handle");
  EXPECT_EQ(ffi::DTypeAbbrev({kDLFloat8_e4m3fn, 8, 2}), "f8_e4m3fnx2");
  EXPECT_EQ(Caught([] {
              ffi::DTypeAbbrev({5, 8, 1});
            }),
            "ValueError: DLDataType contains unknown type_code=5");
  EXPECT_STREQ(ffi::detail::DLDataTypeCodeAsCStr(kDLFloat4_e2m1fn), "float4_e2m1fn");
}

TEST(DType, OfACppType) {
  static_assert(ffi::dtype_trait<double>::value.bits == 64, "");
  static_assert(tvm_ffi::dtype_trait<bool>::value.code == kDLBool, "");
  EXPECT_EQ(ffi::DLDataTypeToString(ffi::dtype_trait<int8_t>::value), "int8");
  EXPECT_EQ(ffi::DLDataTypeToString(ffi::dtype_trait<unsigned long long>::value), "uint64");
  EXPECT_EQ(ffi::DLDataTypeToString(ffi::dtype_trait<__half>::value), "float16");
  EXPECT_EQ(ffi::DLDataTypeToString(ffi::dtype_trait<__nv_fp4x2_e2m1>::value), "float4_e2m1fnx2");
  EXPECT_EQ(ffi::DLDataTypeToString(ffi::dtype_trait<Custom>::value), "int24");
}

TEST(Endian, ReversesEachElement) {
  unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7};
  const unsigned char wanted[] = {3, 2, 1, 6, 5, 4, 7};
  ffi::ByteSwap(bytes, 3, 2);
  EXPECT_EQ(std::memcmp(bytes, wanted, sizeof bytes), 0);
  const uint16_t one = 1;
  EXPECT_EQ(reinterpret_cast<const unsigned char *>(&one)[0], TVM_FFI_LITTLE_ENDIAN);
  static_assert(TVM_FFI_IO_USE_LITTLE_ENDIAN == 1, "");
  static_assert(TVM_FFI_IO_NO_ENDIAN_SWAP == (TVM_FFI_LITTLE_ENDIAN == 1), "");
}

TEST(Log, EveryThrowWritesWhereTheMacroAsksForIt) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Caught([] { TVM_FFI_THROW(ValueError) << "thrown " << 1; }), "ValueError: thrown 1");
  EXPECT_EQ(Caught([] { TVM_FFI_ICHECK_EQ(1, 2) << "checked"; }),
            "InternalError: Check failed: 1 == 2 (1 vs. 2) : checked");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("ValueError: thrown 1\n"), std::string::npos) << log;
  EXPECT_NE(log.find("(1 vs. 2) : checked\n"), std::string::npos) << log;
}

TEST(ErrorBuilder, ThrowsWhereItEnds) {
  const TVMFFIByteArray backtrace{"there\n", 6};
  testing::internal::CaptureStderr();
  try {
    ffi::detail::ErrorBuilder("ValueError", &backtrace, true, ffi::Error("A", "b", ""),
                              ffi::ObjectRef(ffi::Array<int>()))
            .stream()
        << "built of " << std::hex << 255;
    FAIL();
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.kind() + error.message() + error.backtrace(), "ValueErrorbuilt of ffthere\n");
    EXPECT_EQ(error.cause_chain().value().message(), "b");
    EXPECT_TRUE(error.extra_context().has_value());
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("ValueError: built of ff\n"),
            std::string::npos);
  EXPECT_EQ(Caught([] { ffi::detail::ErrorBuilder("A", std::string("b"), false).stream() << 1; }),
            "A: 1");
  EXPECT_EQ(ffi::ToStringView(backtrace), "there\n");
}

}  // namespace
