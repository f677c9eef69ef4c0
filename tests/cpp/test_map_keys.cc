/* SPDX-License-Identifier: Apache-2.0 */
/* How Map and Dict find keys: by bits, by content, and by functions that a type registered; and
 * keys whose hashes collide. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/tvm_ffi.h>

#include <functional>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Bytes;
using ffi::Dict;
using ffi::Map;
using ffi::String;

namespace {

/* ---- Keys of all kinds ---- */

/** Texts of up to seven bytes in an object, which equal the same text stored in the value. */
String OnHeap(const std::string &text) {
  return String(std::string(text));
}
Bytes BytesOnHeap(const std::string &text) {
  return Bytes(std::string(text));
}

struct Kind {
  const char *name;
  /** Each call makes a new value; both functions make equal keys for the same number. */
  std::function<Any(int)> make, make_equal;
};

std::string Long(int i) {
  return "more than seven bytes " + std::to_string(i);
}

const Kind kKinds[] = {
    {"int", [](int i) { return Any(i); }, [](int i) { return Any(int64_t{i}); }},
    {"float", [](int i) { return Any(i + 0.5); }, [](int i) { return Any(i + 0.5); }},
    {"bool and None", [](int i) { return i == 0   ? Any()
                                         : i == 1 ? Any(true)
                                                  : Any(i); },
     [](int i) { return i == 0   ? Any(nullptr)
                        : i == 1 ? Any(true)
                                 : Any(i); }},
    {"device",
     [](int i) {
       return Any(DLDevice{kDLCUDA, i});
     },
     [](int i) {
       return Any(DLDevice{kDLCUDA, i});
     }},
    {"short text", [](int i) { return Any(String(std::to_string(i).c_str())); },
     [](int i) { return Any(OnHeap(std::to_string(i))); }},
    {"short text on the heap", [](int i) { return Any(OnHeap(std::to_string(i))); },
     [](int i) { return Any(String(std::to_string(i).c_str())); }},
    {"two short texts on the heap", [](int i) { return Any(OnHeap(std::to_string(i))); },
     [](int i) { return Any(OnHeap(std::to_string(i))); }},
    {"long text", [](int i) { return Any(String(Long(i))); },
     [](int i) { return Any(String(Long(i).c_str())); }},
    {"short bytes", [](int i) { return Any(Bytes(std::to_string(i).data(), 1 + (i > 9))); },
     [](int i) { return Any(BytesOnHeap(std::to_string(i).substr(0, 2))); }},
    {"long bytes", [](int i) { return Any(BytesOnHeap(Long(i))); },
     [](int i) { return Any(Bytes(Long(i).data(), Long(i).size())); }},
    {"structural key",
     [](int i) {
       return Any(ffi::StructuralKey(ffi::Array<Any>{i, String(Long(i))}));
     },
     [](int i) {
       return Any(ffi::StructuralKey(ffi::Array<Any>{i, String(Long(i))}));
     }},
};

template <typename C>
void FindEach(const Kind &kind, int size) {
  C map;
  for (int i = 0; i < size; ++i) map.Set(kind.make(i), i);
  ASSERT_EQ(map.size(), static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) {
    const Any key = kind.make_equal(i);
    ASSERT_EQ(map.count(key), 1U) << i;
    ASSERT_EQ(map.at(key), i);
    ASSERT_EQ((*map.find(key)).second, i);
    ASSERT_EQ(map.count(kind.make(size + i)), 0U) << i;
  }
  for (int i = 0; i < size; i += 2) map.erase(kind.make_equal(i));
  for (int i = 0; i < size; ++i) {
    ASSERT_EQ(map.count(kind.make(i)), i % 2 == 0 ? 0U : 1U) << i;
    map.Set(kind.make_equal(i), -i);
    ASSERT_EQ(map.Get(kind.make(i)), -i);
  }
  ASSERT_EQ(map.size(), static_cast<size_t>(size));
}

TEST(MapKeys, AreFoundByBitsOrContent) {
  for (const Kind &kind : kKinds) {
    SCOPED_TRACE(kind.name);
    for (const int size : {1, 2, 4, 5, 40}) {
      FindEach<Map<Any, int>>(kind, size);
      FindEach<Dict<Any, int>>(kind, size);
    }
  }
}

TEST(MapKeys, OfOtherKindsDiffer) {
  for (const int rest : {0, 40}) {
    Map<Any, int> map{{1, 1}, {1.0, 2}, {true, 3}, {String("1"), 4}, {Bytes("1", 1), 5}};
    for (int i = 0; i < rest; ++i) map.Set(100 + i, 0);
    EXPECT_EQ(map[1], 1);
    EXPECT_EQ(map[1.0], 2);
    EXPECT_EQ(map[true], 3);
    EXPECT_EQ(map[OnHeap("1")], 4);
    EXPECT_EQ(map[BytesOnHeap("1")], 5);
    EXPECT_EQ(map.count(nullptr), 0U);
    map.Set(0.0, 6);
    EXPECT_EQ(map.count(-0.0), 0U);
  }
}

TEST(MapKeys, OfOneTypeAreBorrowed) {
  const String text(Long(1));
  const ffi::Shape shape({1, 2});
  const ffi::Optional<String> present = text;
  Map<String, int> by_text{{text, 1}};
  Map<ffi::Shape, int> by_object{{shape, 2}};
  Map<ffi::Optional<String>, int> by_optional{{present, 3}, {std::nullopt, 4}};
  EXPECT_EQ(by_text[Long(1)], 1);
  EXPECT_EQ(by_object[shape], 2);
  EXPECT_EQ(by_object.count(ffi::Shape({1, 2})), 0U);
  EXPECT_EQ(by_optional[present], 3);
  EXPECT_EQ(by_optional[std::nullopt], 4);
  EXPECT_EQ(shape.use_count(), 2);
  EXPECT_EQ((Map<DLDataType, int>{{DLDataType{kDLInt, 8, 1}, 5}}[DLDataType{kDLInt, 8, 1}]), 5);
}

/* ---- Types with a hash and an equality of their own ---- */

class HookedObj : public ffi::Object {
 public:
  HookedObj(int64_t hash_value, int64_t number) : hash(hash_value), id(number) {}
  int64_t hash, id;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Hooked", HookedObj, ffi::Object);
};
const HookedObj *Hooked(const Any &key) {
  return key.as<HookedObj>();
}

Dict<Any, int> *dict_to_change = nullptr;
int num_equal_calls = 0;

void RegisterHooks() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  auto add = [](const char *name, const ffi::Function &hook) {
    const TVMFFIByteArray text{name, std::strlen(name)};
    const TVMFFIAny raw = ffi::AnyView(hook).CopyToTVMFFIAny();
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(HookedObj::RuntimeTypeIndex(), &text, &raw));
  };
  add("__any_hash__", ffi::Function::FromTyped([](const Any &key) {
        if (Hooked(key)->id == -1) TVM_FFI_THROW(ValueError) << "no hash";
        return Hooked(key)->hash;
      }));
  add("__any_equal__", ffi::Function::FromTyped([](const Any &a, const Any &b) {
        ++num_equal_calls;
        if (Hooked(b)->id == -2) TVM_FFI_THROW(ValueError) << "no equality";
        if (dict_to_change != nullptr) std::exchange(dict_to_change, nullptr)->erase(a);
        return Hooked(a)->id == Hooked(b)->id;
      }));
}
Any MakeHooked(int64_t hash, int64_t id) {
  return Any(ffi::ObjectRef(ffi::make_object<HookedObj>(hash, id)));
}

TEST(MapKeys, ThatCollideAreToldApart) {
  RegisterHooks();
  // All in one chain; two chains whose entries displace each other; chains from neighbouring slots.
  for (const int num_hashes : {1, 2, 16}) {
    Dict<Any, int> dict;
    for (int i = 0; i < 100; ++i) dict.Set(MakeHooked(i % num_hashes, i), i);
    for (const int gone : {0, 99, 50, 1, 98, 17}) {
      dict.erase(MakeHooked(gone % num_hashes, gone));
      EXPECT_EQ(dict.count(MakeHooked(gone % num_hashes, gone)), 0U);
    }
    EXPECT_EQ(dict.size(), 94U);
    int found = 0;
    for (int i = 0; i < 100; ++i)
      found += static_cast<int>(dict.count(MakeHooked(i % num_hashes, i)));
    EXPECT_EQ(found, 94);
    int last = -1;
    for (const auto &[key, value] : dict) {
      EXPECT_GT(value, last);
      EXPECT_EQ(Hooked(key)->id, value);
      last = value;
    }
  }
}

TEST(MapKeys, MayRaise) {
  RegisterHooks();
  for (const int size : {1, 40}) {
    Dict<Any, int> dict;
    for (int i = 0; i < size; ++i) dict.Set(MakeHooked(0, i), i);
    const Any no_hash = MakeHooked(0, -1), no_equality = MakeHooked(0, -2);
    EXPECT_EQ(Caught([&] { dict.find(no_equality); }), "ValueError: no equality");
    EXPECT_EQ(Caught([&] { dict.Set(no_equality, 1); }), "ValueError: no equality");
    EXPECT_EQ(Caught([&] { dict.erase(no_equality); }), "ValueError: no equality");
    if (size > 4) {
      EXPECT_EQ(Caught([&] { dict.count(no_hash); }), "ValueError: no hash");
      EXPECT_EQ(Caught([&] { dict.Set(no_hash, 1); }), "ValueError: no hash");
    }
    EXPECT_EQ(dict.size(), static_cast<size_t>(size));
    EXPECT_EQ(dict[MakeHooked(0, 0)], 0);
  }
}

TEST(MapKeys, ThatChangeTheMapAreAnError) {
  RegisterHooks();
  for (const int size : {2, 40}) {
    Dict<Any, int> dict;
    for (int i = 0; i < size; ++i) dict.Set(MakeHooked(0, i), i);
    dict_to_change = &dict;
    EXPECT_EQ(Caught([&] { dict.find(MakeHooked(0, size - 1)); }),
              "RuntimeError: The container was changed by the hash or equality of one of its keys");
    EXPECT_EQ(dict.size(), static_cast<size_t>(size - 1));
  }
}

TEST(MapKeys, OfAnotherTypeAreNotAskedFor) {
  RegisterHooks();
  Dict<Any, int> dict{{MakeHooked(0, 1), 1}, {5, 2}, {String("x"), 3}};
  const Any same = (*dict.begin()).first;
  num_equal_calls = 0;
  EXPECT_EQ(dict[same], 1);
  EXPECT_EQ(dict[5], 2);
  EXPECT_EQ(dict[OnHeap("x")], 3);
  EXPECT_EQ(num_equal_calls, 0);
  EXPECT_EQ(dict[MakeHooked(0, 1)], 1);
  EXPECT_EQ(num_equal_calls, 1);
}

}  // namespace
