/* SPDX-License-Identifier: Apache-2.0 */
/* Array, Tuple, Map, Dict, Shape. The last two maps need a runtime that has them. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Array;
using ffi::Map;
using ffi::String;
using ffi::Tuple;

namespace {

template <typename T>
std::vector<T> Elements(const Array<T> &array) {
  return std::vector<T>(array.begin(), array.end());
}

TEST(Array, GrowsAndCopiesOnWrite) {
  Array<int64_t> a;
  for (int64_t i = 0; i < 100; ++i) a.push_back(i);
  EXPECT_EQ(a.size(), 100u);
  EXPECT_EQ(a[99], 99);
  Array<int64_t> b = a;
  EXPECT_TRUE(a.same_as(b));
  b.Set(0, -1);
  EXPECT_FALSE(a.same_as(b));
  EXPECT_EQ(a[0], 0);
  EXPECT_EQ(b[0], -1);
  EXPECT_EQ(Caught([&] { a[100]; }), "IndexError: Index 100 out of bounds 100");
  EXPECT_EQ(Caught([&] { a[-1]; }), "IndexError: Index -1 out of bounds 100");
  Array<int64_t> moved = std::move(a);
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(Caught([&] { a[0]; }), "IndexError: cannot index a null array");
  moved.reserve(1000);
  EXPECT_GE(moved.capacity(), 1000u);
  EXPECT_EQ(moved[50], 50);
}

TEST(Array, IsMadeAndEdited) {
  EXPECT_EQ(Caught([] {
              Array<int> short_one = {1, 2};
              short_one.erase(short_one.begin() + 1, short_one.begin() + 5);
            }),
            "IndexError: Erase range [1, 5) out of bounds 2");
  EXPECT_EQ(Caught([] {
              Array<int> short_one = {1, 2};
              short_one.insert(short_one.begin() + 3, 0);
            }),
            "IndexError: Index 3 out of bounds [0, 2]");
  const auto deduced = Array({1, 2, 3});
  static_assert(std::is_same_v<decltype(deduced), const Array<int>>, "");
  Array<int64_t> a(std::vector<int64_t>{1, 2, 3, 4});
  a.insert(a.begin() + 1, 7);
  EXPECT_EQ(Elements(a), (std::vector<int64_t>{1, 7, 2, 3, 4}));
  a.erase(a.begin());
  a.erase(a.begin() + 1, a.begin() + 3);
  EXPECT_EQ(Elements(a), (std::vector<int64_t>{7, 4}));
  const std::vector<int64_t> more = {8, 9};
  a.insert(a.end(), more.begin(), more.end());
  EXPECT_EQ(Elements(a), (std::vector<int64_t>{7, 4, 8, 9}));
  a.pop_back();
  EXPECT_EQ(a.back(), 8);
  EXPECT_EQ(*a.rbegin(), 8);
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(Caught([&] { a.pop_back(); }), "IndexError: pop_back on empty sequence");
  EXPECT_EQ(Elements(Array<int64_t>(2, 5)), (std::vector<int64_t>{5, 5}));
  const float values[] = {1.5f, 2.5f};
  EXPECT_EQ(Array<float>(values, values + 2)[1], 2.5f);
  const Array<Any> mixed = {1, String("x"), 2.5};
  EXPECT_EQ(mixed[1].cast<String>(), "x");
  EXPECT_EQ(Elements(Concat(Array<int>{1}, Array<int>{2, 3})), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(Elements(Array<int>({1, 2}).Map([](int x) { return 2 * x; })),
            (std::vector<int>{2, 4}));
  const Array<String> same = {"a", "b"};
  EXPECT_TRUE(same.Map([](const String &s) { return s; }).same_as(same));
}

TEST(Array, ConvertsElements) {
  const Any value = Array<Any>{1, true, 2};
  EXPECT_EQ(Elements(value.cast<Array<double>>()), (std::vector<double>{1, 1, 2}));
  EXPECT_FALSE(value.as<Array<int64_t>>().has_value());
  EXPECT_TRUE((Any(Array<int64_t>{1}).as<Array<int64_t>>().has_value()));
  EXPECT_EQ(Caught([] {
              Any(Array<Any>{1, "x"}).cast<Array<int>>();
            }),
            "TypeError: Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Array<int>`");
  EXPECT_EQ(ffi::TypeTraits<Array<Array<int>>>::TypeSchema(),
            R"({"type":"ffi.Array","args":[{"type":"ffi.Array","args":[{"type":"int"}]}]})");
  const Array<ffi::ObjectRef> refs = Array<ffi::Shape>{ffi::Shape({1})};
  EXPECT_EQ(refs.size(), 1u);
}

Tuple<int64_t, String, Array<int64_t>> ReturnElements(bool all) {
  if (all) return {1, "two", {3, 4}};
  return {};
}
Tuple<Any, Tuple<int, float>> ReturnNested(const int x) {
  const Tuple<int, float> inner = {x, 2.5f};
  if (x > 0) return {x, inner};
  return {"none", {x, 0.5f}};
}

TEST(Tuple, IsMadeOfBraces) {
  EXPECT_EQ(ReturnElements(true).get<1>(), "two");
  EXPECT_EQ(ReturnElements(true).get<2>()[1], 4);
  EXPECT_EQ(ReturnElements(false).get<0>(), 0);
  EXPECT_EQ(ReturnNested(3).get<1>().get<1>(), 2.5f);
  EXPECT_EQ(ReturnNested(3).get<0>().cast<int>(), 3);
  EXPECT_EQ(ReturnNested(0).get<0>().cast<String>(), "none");
  EXPECT_EQ(ReturnNested(0).get<1>().get<1>(), 0.5f);
  // One element converts to a tuple only explicitly.
  static_assert(!std::is_convertible_v<int, Tuple<int>>, "");
  static_assert(std::is_constructible_v<Tuple<int>, int>, "");
  static_assert(!std::is_constructible_v<Tuple<int, int>, int>, "");
}

TEST(Tuple, HasTypedElements) {
  Tuple t(1, 2.5f, String("x"));
  static_assert(std::is_same_v<decltype(t), Tuple<int, float, String>>, "");
  auto [a, b, c] = t;
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2.5f);
  EXPECT_EQ(c, "x");
  const auto copy = t;
  t.Set<0>(7);
  EXPECT_EQ(t.get<0>(), 7);
  EXPECT_EQ(copy.get<0>(), 1);
  EXPECT_EQ((Any(Array<Any>{1, 2}).cast<Tuple<double, bool>>().get<1>()), true);
  EXPECT_EQ(Caught([] { Any(Array<Any>{1}).cast<Tuple<int, int>>(); }),
            "TypeError: Cannot convert from type `Array[size=1]` to `Tuple<int, int>`");
  EXPECT_EQ(Caught([] {
              Any(Array<Any>{1, "x"}).cast<Tuple<int, int>>();
            }),
            "TypeError: Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Tuple<int, "
            "int>`");
}

TEST(Shape, OwnsAndBorrows) {
  const ffi::Shape shape({2, 3, 4});
  const ffi::ShapeView view = shape;
  EXPECT_EQ(view.Product(), 24);
  EXPECT_EQ(ffi::ShapeView().Product(), 1);
  EXPECT_EQ(shape.at(2), 4);
  EXPECT_EQ(Caught([&] { shape.at(3); }), "IndexError: indexing 3 on a Shape of size 3");
  EXPECT_EQ(ffi::Shape::StridesFromShape(shape)[0], 12);
  EXPECT_EQ(ffi::Shape(std::vector<int64_t>{5, 6}).back(), 6);
  EXPECT_EQ(ffi::Shape(Array<int64_t>{5, 6}).front(), 5);
  EXPECT_EQ(Any(Array<int64_t>{1, 2}).cast<ffi::Shape>().size(), 2u);
  std::ostringstream os;
  os << shape;
  EXPECT_EQ(os.str(), "[2, 3, 4]");
}

TEST(Containers, TakeTheirLastParameterWrittenOut) {
  static_assert(std::is_same_v<Array<int64_t, void>, Array<int64_t>>);
  static_assert(std::is_same_v<ffi::List<int64_t, void>, ffi::List<int64_t>>);
  static_assert(std::is_same_v<ffi::Map<String, int64_t, void>, ffi::Map<String, int64_t>>);
  static_assert(std::is_same_v<ffi::Dict<String, int64_t, void>, ffi::Dict<String, int64_t>>);
  static_assert(!ffi::Variant<int64_t, String>::_type_container_is_exact);
  static_assert(std::is_same_v<ffi::Shape::index_type, int64_t>);
  static_assert(std::is_same_v<ffi::ShapeObj::index_type, int64_t>);
}

TEST(Containers, GiveElementsThatAnAutoReferenceBinds) {
  const Array<String> array = {"a", "b"};
  std::string text;
  for (auto &item : array) {
    static_assert(std::is_same_v<decltype(item), const String &>);
    text += item;
  }
  for (auto &item : ffi::List<String>{"c"}) text += item;
  EXPECT_EQ(text, "abc");
}

TEST(List, IsSharedByItsHolders) {
  if (!ffi::Function::GetGlobal("ffi.ListAppend")) GTEST_SKIP() << "this build has no ffi.List";
  ffi::List<int64_t> a = {1, 2, 3};
  const ffi::List<int64_t> b = a;
  for (int64_t i = 4; i < 40; ++i) a.push_back(i);
  EXPECT_EQ(b.size(), 39u);
  EXPECT_EQ(b[38], 39);
  a.Set(0, -1);
  a.insert(a.begin() + 1, 77);
  a.erase(a.begin() + 2);
  a.pop_back();
  EXPECT_EQ(b[0], -1);
  EXPECT_EQ(b[1], 77);
  EXPECT_EQ(b[2], 3);
  EXPECT_EQ(b.back(), 38);
  EXPECT_EQ(Caught([&] { b[38]; }), "IndexError: Index 38 out of bounds 38");
  EXPECT_EQ(Any(a).cast<Array<int64_t>>().size(), 38u);
  EXPECT_EQ((Any(Array<Any>{1, true}).cast<ffi::List<double>>()[1]), 1.0);
  a.clear();
  EXPECT_TRUE(b.empty());
}

TEST(Map, IsChangedAlone) {
  if (!ffi::Function::GetGlobal("ffi.DictSetItem")) GTEST_SKIP() << "this build has no ffi.Map";
  Map<String, int64_t> a = {{"x", 1}, {"y", 2}};
  const Map<String, int64_t> b = a;
  a.Set("z", 3);
  a.Set("x", 10);
  a.erase("y");
  EXPECT_EQ(b.size(), 2u);
  EXPECT_EQ(b["x"], 1);
  EXPECT_EQ(a.size(), 2u);
  EXPECT_EQ(a.at("x"), 10);
  EXPECT_FALSE(a.Get("y").has_value());
  EXPECT_EQ(a.count("z"), 1u);
  EXPECT_EQ(a.type_index(), kTVMFFIMap);
  EXPECT_EQ(Caught([&] { a["y"]; }).substr(0, 9), "KeyError:");
  std::vector<std::string> keys;
  for (const auto &[key, value] : b) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ((*b.find("y")).second, 2);
  EXPECT_TRUE(b.find("none") == b.end());
  EXPECT_EQ((Map<int, int>(std::unordered_map<int, int>{{1, 2}})[1]), 2);
}

TEST(Dict, IsSharedByItsHolders) {
  if (!ffi::Function::GetGlobal("ffi.DictSetItem")) GTEST_SKIP() << "this build has no ffi.Dict";
  ffi::Dict<String, int64_t> a = {{"x", 1}};
  const ffi::Dict<String, int64_t> b = a;
  a.Set("y", 2);
  EXPECT_EQ(b.at("y"), 2);
  a.clear();
  EXPECT_TRUE(b.empty());
}

}  // namespace
