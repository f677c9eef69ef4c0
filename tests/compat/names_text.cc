// SPDX-License-Identifier: Apache-2.0
// Texts and bytes: escapes, base64, names of data types, hashes, errors built by hand.
#include <tvm/ffi/endian.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/dtype.h>

#include <random>

#include "names.h"

namespace {

std::mt19937 source(1);

/** Random bytes, with many escape sequences and pieces of UTF-8 among them. */
std::string MakeBytes(size_t max_pieces) {
  static const char *const kPieces[] = {"\x1b[1;32m",
                                        "\x1b[",
                                        "\x1b[2K",
                                        "\x1b[12x",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\xc0\x80",
                                        "\xed\xa0\x80",
                                        "a",
                                        "/",
                                        "\xf4\x90\x80\x80",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\x7f",
                                        "\x01",
                                        "'",
                                        "\xe2\x82",
                                        "\xf0\x9f",
                                        "\b\f\v\a\t\r"};
  std::string bytes;
  for (size_t n = source() % (max_pieces + 1); n > 0; --n) {
    if (source() % 3 != 0) {
      bytes += kPieces[source() % (sizeof kPieces / sizeof *kPieces)];
    } else {
      bytes += static_cast<char>(source() % 256);
    }
  }
  return bytes;
}

void ShowDataTypes() {
  for (int code = 0; code < 20; ++code) {
    Line("code", [&] { Show(details::DLDataTypeCodeAsCStr(static_cast<DLDataTypeCode>(code))); });
    for (int bits : {0, 1, 4, 8, 32}) {
      for (int lanes : {0, 1, 4, 32767, 32768, 65532, 65535}) {
        Line("abbrev", [&] {
          Show(DTypeAbbrev(DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                                      static_cast<uint16_t>(lanes)}));
        });
      }
    }
  }
  Line("custom", [] { Show(details::DLDataTypeCodeAsCStr(static_cast<DLDataTypeCode>(150))); });
  Line("custom", [] { Show(DTypeAbbrev(DLDataType{150, 8, 2})); });
  Function::SetGlobal(
      "dtype.get_custom_type_name",
      Function::FromTyped([](int code) { return String("it" + std::to_string(code)); }), true);
  Line("custom", [] {
    Show(DTypeAbbrev(DLDataType{150, 8, 2}), DTypeAbbrev(DLDataType{255, 0, 65532}));
  });
#define SHOW_DTYPE(Type) Line(#Type, [] { Show(DLDataTypeToString(dtype_trait<Type>::value)); })
  SHOW_DTYPE(bool);
  SHOW_DTYPE(int8_t);
  SHOW_DTYPE(int16_t);
  SHOW_DTYPE(int32_t);
  SHOW_DTYPE(int64_t);
  SHOW_DTYPE(long long);
  SHOW_DTYPE(uint8_t);
  SHOW_DTYPE(uint64_t);
  SHOW_DTYPE(float);
  SHOW_DTYPE(double);
  SHOW_DTYPE(__half);
  SHOW_DTYPE(__nv_bfloat16);
  SHOW_DTYPE(__nv_fp8_e4m3);
  SHOW_DTYPE(__nv_fp8_e5m2);
  SHOW_DTYPE(__nv_fp8_e8m0);
  SHOW_DTYPE(__nv_fp4_e2m1);
  SHOW_DTYPE(__nv_fp4x2_e2m1);
  SHOW_DTYPE(__hip_bfloat16);
  SHOW_DTYPE(hip_bfloat16);
  SHOW_DTYPE(__hip_fp8_e4m3);
  SHOW_DTYPE(__hip_fp8_e4m3_fnuz);
  SHOW_DTYPE(__hip_fp8_e5m2);
  SHOW_DTYPE(__hip_fp8_e5m2_fnuz);
  SHOW_DTYPE(__hip_fp4_e2m1);
  SHOW_DTYPE(__hip_fp4x2_e2m1);
}

void ShowHashes() {
  const AnyHash hash;
  const AnyEqual equal;
  const Any values[] = {nullptr,
                        1,
                        true,
                        1.0,
                        0.0,
                        -0.0,
                        std::nan(""),
                        String("a"),
                        String(std::string("a")),
                        Bytes("a", 1),
                        Bytes(std::string("a")),
                        String("text of many bytes"),
                        Bytes(std::string("text of many bytes")),
                        String(""),
                        Bytes(),
                        DLDataType{0, 8, 1},
                        DLDevice{kDLCUDA, 1},
                        Array<int>(),
                        Array<int>()};
  for (const Any &a : values) {
    if (a.type_index() < kTVMFFIStaticObjectBegin || a.try_cast<std::string>()) Show(hash(a));
    std::cout << " |";
    for (const Any &b : values) std::cout << equal(a, b);
    std::cout << "\n";
  }
  for (int i = 0; i < 300; ++i) {
    const std::string bytes = MakeBytes(6), shifted = "x" + bytes;
    Show(details::StableHashBytes(bytes.data(), bytes.size()),
         details::StableHashCombine(source(), i),
         hash(String(bytes)) == hash(String(std::string(bytes))),
         details::StableHashBytes(shifted.data() + 1, bytes.size()) ==
             details::StableHashBytes(bytes.data(), bytes.size()));
    std::cout << "\n";
  }
  const Any small = String("abc");
  Show(details::StableHashSmallStrBytes(details::AnyUnsafe::TVMFFIAnyPtrFromAny(small)),
       details::StableHashBytes("abc", 3),
       std::hash<String>()("ab") == std::hash<std::string_view>()("ab"));
  std::cout << "\n";
}

/** Builds an error with an ErrorBuilder, whose destructor throws it. */
template <typename... Args>
void Build(const Args &...args) {
  Line("builder", [&] {
    try {
      details::ErrorBuilder("ValueError", args...).stream() << "built of " << std::hex << 255;
    } catch (const Error &error) {
      Show(error.kind(), error.message(), error.backtrace(), error.cause_chain().has_value(),
           error.extra_context().has_value());
    }
  });
}

}  // namespace

int main() {
  for (int i = 0; i < 3000; ++i) {
    const std::string bytes = MakeBytes(8);
    std::cout << EscapeStringJSON(String(bytes)) << " " << EscapedStringPy(String(bytes)) << "\n";
  }
  std::cout << EscapeStringJSON(String("\0a", 2)) << " " << EscapedStringPy(String("\0a", 2))
            << "\n";
  for (int i = 0; i < 500; ++i) {
    const std::string bytes = MakeBytes(5);
    const String encoded = Base64Encode(Bytes(bytes));
    const TVMFFIByteArray raw{bytes.data(), bytes.size()};
    std::cout << encoded << (Base64Encode(raw) == encoded)
              << (std::string(Base64Decode(encoded)) == bytes) << "\n";
  }
  for (const char *text : {"", "YQ==YWI=", "YR==", "abc", "a", "YWJj"}) {
    Line(text, [&] { Show(EscapedStringPy(String(std::string(Base64Decode(String(text)))))); });
  }
  ShowDataTypes();
  ShowHashes();
  const std::string backtrace = "  where it was\n";
  const TVMFFIByteArray bytes{backtrace.data(), backtrace.size()};
  Build(backtrace, false);
  Build(&bytes, false);
  Build(&bytes, false, std::optional<Error>(Error("A", "b", "c")),
        std::optional<ObjectRef>(Number(1)));
  uint16_t numbers[] = {0x0102, 0x0304, 0x0506};
  ByteSwap(numbers, sizeof *numbers, 2);
  Show(numbers[0], numbers[1], numbers[2], TVM_FFI_LITTLE_ENDIAN, TVM_FFI_IO_USE_LITTLE_ENDIAN,
       TVM_FFI_IO_NO_ENDIAN_SWAP, ToStringView(bytes));
  std::cout << "\n";
  return 0;
}
