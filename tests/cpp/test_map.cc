/* SPDX-License-Identifier: Apache-2.0 */
/* Map and Dict: construction, iteration and changes compared with a model; copies and iterators. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <iterator>
#include <list>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Dict;
using ffi::Map;
using ffi::MapObj;
using ffi::String;

namespace {

using Ints = Map<int, int>;
using Pairs = std::vector<std::pair<int, int>>;

template <typename C>
Pairs Entries(const C &map) {
  return Pairs(map.begin(), map.end());
}

/* ---- Types ---- */

static_assert(std::is_same_v<decltype(*std::declval<Ints::iterator>()), const std::pair<int, int>>);
static_assert(std::is_same_v<Ints, Map<int, int, void>>);
static_assert(std::is_same_v<Dict<int, int>, Dict<int, int, void>>);
static_assert(std::is_trivially_copyable_v<Ints::iterator> && sizeof(Ints::iterator) == 16);
static_assert(std::is_base_of_v<std::bidirectional_iterator_tag,
                                std::iterator_traits<Ints::iterator>::iterator_category>);

template <typename Iterator, typename = void>
constexpr bool has_arrow = false;
template <typename Iterator>
constexpr bool has_arrow<Iterator, std::void_t<decltype(std::declval<Iterator &>().operator->())>> =
    true;
static_assert(!has_arrow<Ints::iterator> && has_arrow<MapObj::iterator>);

/* ---- Construction ---- */

TEST(Map, IsMadeOfRanges) {
  for (int size = 0; size < 40; ++size) {
    Pairs pairs;
    for (int i = 0; i < size; ++i) pairs.emplace_back(i * 31 % 41, i);
    EXPECT_EQ(Entries(Ints(pairs.begin(), pairs.end())), pairs);
    EXPECT_EQ(Entries(Dict<int, int>(pairs.begin(), pairs.end())), pairs);
    const std::list<std::pair<int, int>> list(pairs.begin(), pairs.end());
    EXPECT_EQ(Entries(Ints(list.begin(), list.end())), pairs);
    const std::unordered_map<int, int> unordered(pairs.begin(), pairs.end());
    const Ints made(unordered);
    EXPECT_EQ(made.size(), static_cast<size_t>(size));
    for (const auto &[key, value] : pairs) EXPECT_EQ(made[key], value);
  }
}

TEST(Map, TakesTheLastOfEqualKeys) {
  const std::vector<std::pair<String, int>> pairs = {{"a", 1}, {"b", 2}, {"a", 3}, {"c", 4},
                                                     {"d", 5}, {"e", 6}, {"a", 7}};
  for (size_t size = 3; size <= pairs.size(); ++size) {
    const Map<String, int> map(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(map.size(), size == pairs.size() ? size - 2 : size - 1);
    EXPECT_EQ(map["a"], size == pairs.size() ? 7 : 3);
  }
}

TEST(Map, OfNothingIsEmpty) {
  Ints map = {{1, 2}};
  const Ints taken = std::move(map);
  EXPECT_TRUE(map.empty());
  EXPECT_TRUE(map.begin() == map.end());
  EXPECT_TRUE(map.find(1) == map.end());
  EXPECT_EQ(map.count(1), 0U);
  EXPECT_FALSE(map.Get(1).has_value());
  EXPECT_EQ(Caught([&] { map.at(1); }), "KeyError: key is not in Map");
  map.erase(1);
  map.Set(3, 4);
  EXPECT_EQ(map[3], 4);
  EXPECT_EQ(Entries(taken), (Pairs{{1, 2}}));
}

/* ---- Changes, compared with a model ---- */

/** A model of the order in which a map keeps its entries. */
class Model {
 public:
  Pairs entries;

  Pairs::iterator Find(int key) {
    return std::find_if(entries.begin(), entries.end(),
                        [key](const auto &entry) { return entry.first == key; });
  }
  void Set(int key, int value) {
    const auto found = Find(key);
    is_dense_ = is_dense_ || entries.size() == 4;
    if (found == entries.end()) {
      entries.emplace_back(key, value);
    } else if (is_dense_) {
      // In a table, which Set makes once there are 4 entries, setting a key moves it to the end.
      entries.erase(found);
      entries.emplace_back(key, value);
    } else {
      found->second = value;
    }
  }
  void Erase(int key) {
    const auto found = Find(key);
    if (found != entries.end()) entries.erase(found);
  }

 private:
  bool is_dense_ = false;
};

/** Sets and erases keys below num_keys, by the layer and by functions of the runtime in turn. */
template <typename C>
void FollowModel(int num_keys, int steps, unsigned seed) {
  const bool is_dict = std::is_same_v<C, Dict<int, int>>;
  const ffi::Function set = ffi::Function::GetGlobalRequired("ffi.DictSetItem"),
                      count = ffi::Function::GetGlobalRequired(is_dict ? "ffi.DictCount"
                                                                       : "ffi.MapCount");
  C map;
  Model model;
  for (int i = 0; i < steps; ++i) {
    seed = seed * 1664525 + 1013904223;
    const int key = static_cast<int>((seed >> 8) % static_cast<unsigned>(num_keys)) * 7919;
    switch (seed >> 28) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        map.erase(key);
        model.Erase(key);
        break;
      case 6:
        if (is_dict) {
          set(map, key, i);
          model.Set(key, i);
          break;
        }
        [[fallthrough]];
      default:
        map.Set(key, i);
        model.Set(key, i);
    }
    const bool is_there = model.Find(key) != model.entries.end();
    ASSERT_EQ(map.count(key), is_there ? 1U : 0U);
    ASSERT_EQ(count(map, key).template cast<int>(), is_there ? 1 : 0);
    if (is_there) {
      ASSERT_EQ((*map.find(key)).second, model.Find(key)->second);
    }
    if (i % 64 == 0) {
      ASSERT_EQ(Entries(map), model.entries);
    }
  }
  ASSERT_EQ(Entries(map), model.entries);
  for (auto back = map.end(); back != map.begin(); model.entries.pop_back()) {
    ASSERT_EQ(*--back, model.entries.back());
  }
  EXPECT_TRUE(model.entries.empty());
}

TEST(Map, IsChangedAsItsModel) {
  for (const int num_keys : {3, 5, 12, 60, 1000}) {
    FollowModel<Ints>(num_keys, 30 * num_keys, 1);
    FollowModel<Dict<int, int>>(num_keys, 30 * num_keys, 2);
  }
}

/* ---- Copies and iterators ---- */

TEST(Map, IsCopiedBeforeItIsChanged) {
  for (const int size : {1, 2, 3, 4, 5, 40, 1000}) {
    const ffi::Shape shape({1, 2});
    Map<int, ffi::Shape> map;
    for (int i = 0; i < size; ++i) map.Set(i * 7919, shape);
    map.erase(0);
    map.Set(-1, shape);
    const Map<int, ffi::Shape> old = map;
    EXPECT_EQ(shape.use_count(), size + 1);
    map.Set(-2, shape);
    EXPECT_FALSE(map.same_as(old));
    EXPECT_EQ(shape.use_count(), 2 * size + 2);
    map.erase(-1);
    EXPECT_EQ(old.count(-1), 1U);
    EXPECT_EQ(old.count(-2), 0U);
    EXPECT_EQ(old.size(), static_cast<size_t>(size));
    EXPECT_EQ(map.size(), static_cast<size_t>(size));
    for (int i = 1; i < size; ++i) {
      EXPECT_EQ((*old.find(i * 7919)).first, i * 7919);
      EXPECT_EQ(map.count(i * 7919), 1U);
    }
    const auto last = --map.end();
    EXPECT_EQ((*last).first, -2);
    map = Map<int, ffi::Shape>();
    EXPECT_EQ(shape.use_count(), size + 1);
  }
}

TEST(Map, IsWalkedThroughByReference) {
  Ints map = {{1, 2}, {3, 4}};
  int sum = 0;
  for (auto &entry : map) sum += entry.first * entry.second;
  for (auto &&[key, value] : map) sum += key * value;
  EXPECT_EQ(sum, 2 * (2 + 12));
}

TEST(Map, KeepsIterators) {
  for (const int size : {4, 60}) {
    Ints map;
    for (int i = 0; i < size; ++i) map.Set(i, i);
    MapObj *object = map.CopyOnWrite();
    auto position = map.find(1), before = position;
    EXPECT_EQ((*position++).first, 1);
    EXPECT_EQ((*position--).first, 2);
    EXPECT_TRUE(position == before && !(position != before));
    object->at(Any(1)) = 10;
    EXPECT_EQ((*position).second, 10);
    map.erase(3);
    map.erase(size - 1);
    EXPECT_EQ((*position).second, 10);
    EXPECT_EQ((*--position).first, 0);
    EXPECT_TRUE(position == map.begin());
    Ints::iterator unset;
    unset = position;
    EXPECT_EQ((*++unset).first, 1);
  }
}

/* ---- Destructors of removed values that change the map ---- */

class EraserObj : public ffi::Object {
 public:
  EraserObj(Dict<int, Any> *source, int key_value) : dict(source), key(key_value) {}
  ~EraserObj() { dict->erase(key); }
  Dict<int, Any> *dict;
  int key;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Eraser", EraserObj, ffi::Object);
};

TEST(Dict, MayBeChangedByAValueThatGoes) {
  for (const int size : {3, 60}) {
    Dict<int, Any> dict;
    for (int i = 2; i < size; ++i) dict.Set(i, i);
    dict.Set(0, ffi::make_object<EraserObj>(&dict, 2));
    dict.Set(1, ffi::make_object<EraserObj>(&dict, 0));
    dict.Set(0, 5);
    EXPECT_EQ(dict.count(2), 0U);
    EXPECT_EQ(dict[0].cast<int>(), 5);
    dict.erase(1);
    EXPECT_EQ(dict.count(0), 0U);
    EXPECT_EQ(dict.size(), static_cast<size_t>(size - 3));
  }
}

}  // namespace
