/* SPDX-License-Identifier: Apache-2.0 */
/* Hash and equality of keys: by bits, by content, and by functions that a type registered. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>
#include <unordered_map>

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyEqual;
using ffi::AnyHash;
using ffi::Bytes;
using ffi::String;

namespace {

class KeyObj : public ffi::Object {
 public:
  explicit KeyObj(int64_t initial) : value(initial) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Key", KeyObj, ffi::Object);
};
class NativeKeyObj : public KeyObj {
 public:
  using KeyObj::KeyObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.NativeKey", NativeKeyObj, KeyObj);
};

void Register(int32_t type_index, const char *name, const ffi::AnyView &value) {
  const TVMFFIByteArray text{name, std::strlen(name)};
  const TVMFFIAny raw = value.CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &text, &raw));
}

int64_t ValueOf(const Any &key) {
  return key.as<KeyObj>()->value;
}
TVMFFIAny HashNative(const Any *key) {
  if (ValueOf(*key) < 0)
    return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(ffi::Error("A", "b", ""));
  return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(ValueOf(*key) % 10));
}
TVMFFIAny EqualNative(const Any *a, const Any *b) {
  if (ValueOf(*a) == 13) return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any("no bool"));
  return ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(ValueOf(*a) % 10 == ValueOf(*b) % 10));
}

const Any kValues[] = {nullptr,
                       1,
                       true,
                       1.0,
                       0.0,
                       -0.0,
                       String("a"),
                       Bytes("a"),
                       String("more than seven"),
                       Bytes("more than seven"),
                       ffi::Array<int>()};

TEST(AnyEqual, OtherKindsAreOtherKeys) {
  for (const Any &a : kValues) {
    for (const Any &b : kValues) EXPECT_EQ(AnyEqual()(a, b), &a == &b);
  }
  EXPECT_TRUE(AnyEqual()(std::nan(""), std::nan("")));
}

TEST(AnyEqual, TextIsEqualByContentWhereverItStands) {
  const String in_value("abc"), on_heap(std::string("abc"));
  EXPECT_NE(Any(in_value).type_index(), Any(on_heap).type_index());
  EXPECT_TRUE(AnyEqual()(in_value, on_heap));
  EXPECT_TRUE(AnyEqual()(on_heap, in_value));
  EXPECT_EQ(AnyHash()(in_value), AnyHash()(on_heap));
  EXPECT_EQ(AnyHash()(Bytes("abc")), AnyHash()(Bytes(std::string("abc"))));
  EXPECT_NE(AnyHash()(Bytes("abc")), AnyHash()(in_value));
  EXPECT_FALSE(AnyEqual()(in_value, String("abd")));
  EXPECT_FALSE(AnyEqual()(String("same length!"), String("other length")));
}

/* Not inlined, so that g++ 11 and 12 optimise it as they do in a function of its own. */
__attribute__((noinline)) uint64_t HashOfMovedText() {
  return AnyHash()(Any(String("a")));
}

TEST(AnyHash, IsWhatTheAbiSays) {
  // combine(key, value) = key ^ (value + 0x9e3779b9 + (key << 6) + (key >> 2))
  EXPECT_EQ(AnyHash()(Any(5)), 1U ^ (5U + 0x9e3779b9U + 64U));
  const uint64_t hash_of_a = 65U ^ (97U + 0x9e3779b9U + (65U << 6) + (65U >> 2));
  EXPECT_EQ(AnyHash()(Any(String("a"))), hash_of_a);
  EXPECT_EQ(HashOfMovedText(), hash_of_a);
  EXPECT_EQ(ffi::detail::StableHashBytes("abcdefgh", 8),
            UINT64_C(0x6867666564636261) % UINT64_C(2147483647));
  EXPECT_EQ(ffi::detail::StableHashBytes("", 0), 0U);
  EXPECT_EQ(ffi::detail::StableHashBytes("abcdefghi", 9),
            (UINT64_C(0x6867666564636261) % UINT64_C(2147483647) * UINT64_C(1099511628211) + 'i') %
                UINT64_C(2147483647));
}

TEST(AnyHash, TypesMayHaveTheirOwn) {
  Register(KeyObj::RuntimeTypeIndex(), "__any_hash__",
           ffi::Function::FromTyped([](const Any &key) { return ValueOf(key) % 10; }));
  Register(KeyObj::RuntimeTypeIndex(), "__any_equal__",
           ffi::Function::FromTyped(
               [](const Any &a, const Any &b) { return ValueOf(a) % 10 == ValueOf(b) % 10; }));
  Register(NativeKeyObj::RuntimeTypeIndex(), "__any_hash__", reinterpret_cast<void *>(&HashNative));
  Register(NativeKeyObj::RuntimeTypeIndex(), "__any_equal__",
           reinterpret_cast<void *>(&EqualNative));
  std::unordered_map<Any, int, AnyHash, AnyEqual> map;
  map[ffi::make_object<KeyObj>(3)] = 1;
  map[ffi::make_object<NativeKeyObj>(3)] = 2;
  EXPECT_EQ(map.at(ffi::make_object<KeyObj>(23)), 1);
  EXPECT_EQ(map.at(ffi::make_object<NativeKeyObj>(33)), 2);
  EXPECT_EQ(map.count(ffi::make_object<KeyObj>(4)), 0U);
  try {
    AnyHash()(ffi::make_object<NativeKeyObj>(-1));
    FAIL();
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.kind(), "A");
  }
  try {
    AnyEqual()(ffi::make_object<NativeKeyObj>(13), ffi::make_object<NativeKeyObj>(13));
    FAIL();
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.message(), "__any_equal__ gave something else than a bool");
  }
  // The runtime finds the same keys.
  ffi::Dict<Any, int> dict{{ffi::make_object<KeyObj>(3), 1}};
  EXPECT_EQ(dict[ffi::make_object<KeyObj>(13)], 1);
}

}  // namespace
