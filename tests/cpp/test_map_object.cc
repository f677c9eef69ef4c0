/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of Map and Dict: iteration in both layouts, and changes of the object itself, not
 * through a reference class. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iterator>

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Dict;
using ffi::DictObj;
using ffi::Map;
using ffi::MapObj;
using ffi::String;

namespace {

static_assert(sizeof(MapObj) == 56 && sizeof(DictObj) == 56, "");
static_assert(!std::is_default_constructible_v<MapObj>, "");

/** A map of the keys 0 to size - 1, in a pseudo-random order. */
Map<int, String> MakeMap(int size) {
  Map<int, String> map;
  for (int i = 0; i < size; ++i) map.Set(i * 7919 % size, String(std::to_string(i)));
  return map;
}

class MapObject : public testing::TestWithParam<int> {};
/* Up to 4 entries are a plain array, more are a hash table. */
INSTANTIATE_TEST_SUITE_P(Sizes, MapObject, testing::Values(1, 2, 4, 5, 17, 300));

TEST_P(MapObject, IsWalkedInOrder) {
  const int size = GetParam();
  Map<int, String> map = MakeMap(size);
  const MapObj *object = map.CopyOnWrite();
  int i = 0;
  ASSERT_EQ(object->size(), static_cast<size_t>(size));
  for (const MapObj::KVType &entry : *object) {
    EXPECT_EQ(entry.first.cast<int>(), i * 7919 % size);
    EXPECT_EQ(entry.second.cast<String>(), std::to_string(i++));
  }
  EXPECT_EQ(i, size);
  auto back = object->end();
  while (i > 0) {
    --back;
    EXPECT_EQ(back->second.cast<String>(), std::to_string(--i));
  }
  EXPECT_TRUE(back == object->begin());
  EXPECT_EQ(std::distance(object->begin(), object->end()), size);
}

TEST_P(MapObject, FindsKeys) {
  const int size = GetParam();
  Map<int, String> map = MakeMap(size);
  MapObj *object = map.CopyOnWrite();
  EXPECT_EQ(object->count(Any(size - 1)), 1U);
  EXPECT_EQ(object->count(Any(size)), 0U);
  EXPECT_TRUE(object->find(Any(-1)) == object->end());
  object->find(Any(0))->second = String("found");
  EXPECT_EQ(map[0], "found");
  object->at(Any(0)) = String("a longer text than before");
  EXPECT_EQ(map.at(0), "a longer text than before");
  try {
    object->at(Any(size));
    FAIL();
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.kind() + ": " + error.message(), "KeyError: key is not in Map");
  }
}

TEST_P(MapObject, IsChangedForAllWhoHaveIt) {
  const int size = GetParam();
  Map<int, String> map = MakeMap(size);
  MapObj *object = map.CopyOnWrite();
  const Map<int, String> alias = map, copy(MapObj::ShallowCopy(object));
  object->erase(Any(0));
  object->erase(Any(size));
  EXPECT_EQ(alias.size(), static_cast<size_t>(size - 1));
  EXPECT_EQ(alias.type_index(), static_cast<int>(kTVMFFIMap));
  while (object->size() > 0) object->erase(object->begin());
  EXPECT_TRUE(object->begin() == object->end());
  EXPECT_EQ(copy.size(), static_cast<size_t>(size));
  const Dict<int, String> dict{{1, String("x")}};
  DictObj *dict_object = const_cast<DictObj *>(static_cast<const DictObj *>(dict.get()));
  dict_object->clear();
  EXPECT_TRUE(dict.empty());
}

TEST(MapObject, Merge) {
  const Map<int, int> merged =
      ffi::Merge(Map<int, int>{{1, 2}, {3, 4}}, Map<int, int>{{3, 5}, {6, 7}});
  EXPECT_EQ(merged.size(), 3U);
  EXPECT_EQ(merged[3], 5);
}

}  // namespace
