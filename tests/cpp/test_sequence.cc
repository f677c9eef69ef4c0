/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of Array and List, and the functions that change a List or an Array. */
#include <gtest/gtest.h>
#include <tvm/ffi/container/container_details.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iterator>
#include <sstream>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Array;
using ffi::ArrayObj;
using ffi::List;
using ffi::ListObj;
using ffi::String;

namespace {

/* Converting an element to this class makes the list that it is read from grow. */
struct Growing {
  int value;
};
List<Any> *growing_list = nullptr;

}  // namespace

template <>
struct tvm::ffi::TypeTraits<Growing> : tvm::ffi::TypeTraitsBase {
  static void CopyToAnyView(const Growing &value, TVMFFIAny *out) {
    TypeTraits<int>::CopyToAnyView(value.value, out);
  }
  static void MoveToAny(Growing value, TVMFFIAny *out) { CopyToAnyView(value, out); }
  static bool CheckAnyStrict(const TVMFFIAny *) { return false; }
  static Growing CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return Growing{static_cast<int>(source->v_int64)};
  }
  static Growing MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return CopyFromAnyViewAfterCheck(source);
  }
  static std::optional<Growing> TryCastFromAnyView(const TVMFFIAny *source) {
    const auto value = TypeTraits<int>::TryCastFromAnyView(source);
    if (growing_list != nullptr && growing_list->size() < 200) {
      for (int i = 0; i < 20; ++i) growing_list->push_back("text");
    }
    return value ? std::optional<Growing>(Growing{*value}) : std::nullopt;
  }
  static std::string TypeStr() { return "Growing"; }
  static std::string TypeSchema() { return R"({"type":"int"})"; }
};

namespace {

template <typename F>
std::string KindOf(const F &f) {
  const std::string text = Caught(f);
  return text.substr(0, text.find(':'));
}

template <typename Seq>
std::string Join(const Seq &items) {
  std::string text;
  for (const auto &item : items) text += std::to_string(Any(item).template cast<int>()) + " ";
  return text;
}

TEST(SeqBaseObj, ChangesWhatStandsInItsRoom) {
  List<Any> list{1};
  list.reserve(8);
  ListObj *object = list.GetListObj();
  const Any more[] = {7, String("a text on the heap")};
  object->insert(0, 5);
  object->insert(1, more, more + 1);
  EXPECT_EQ(Join(*object), "5 7 1 ");
  object->Reverse();
  object->SetItemAfterCheck(2, 9);
  EXPECT_EQ(Join(*object), "1 7 9 ");
  object->resize(5);
  EXPECT_TRUE(object->back() == nullptr);
  object->resize(2);
  object->InitRange(0, more, more + 2);
  EXPECT_EQ(object->back().cast<String>(), "a text on the heap");
}

TEST(SeqBaseObj, RefusesWhatHasNoRoom) {
  List<Any> list{1, 2};
  ListObj *object = list.GetListObj();
  const Any more[] = {7, 8, 9};
  EXPECT_EQ(Caught([&] { object->insert(3, 5); }), "IndexError: Index 3 out of bounds [0, 2]");
  EXPECT_EQ(Caught([&] { object->insert(-1, 5); }), "IndexError: Index -1 out of bounds [0, 2]");
  EXPECT_EQ(Caught([&] { object->resize(-1); }), "ValueError: Cannot resize to negative size");
  EXPECT_EQ(Caught([&] { object->resize(100); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(Caught([&] { object->InitRange(1, more, more + 3); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(object->size(), 2U);
}

TEST(SeqBaseObj, IsMadeByTheRuntime) {
  const ffi::ObjectPtr<ArrayObj> array = ArrayObj::CreateRepeated(3, Any(7));
  EXPECT_EQ(Join(*array), "7 7 7 ");
  EXPECT_EQ(ArrayObj::CopyFrom(5, array.get())->capacity(), 5U);
  EXPECT_EQ(Caught([&] { ArrayObj::CopyFrom(2, array.get()); }), "ValueError: Not enough capacity");
  EXPECT_EQ(Caught([&] { ArrayObj::MoveFrom(2, array.get()); }), "ValueError: Not enough capacity");
  EXPECT_EQ(ffi::make_object<ArrayObj>()->capacity(), 4U);
  EXPECT_EQ(ffi::make_object<ListObj>()->size(), 0U);
  EXPECT_EQ(Join(*ListObj::CreateRepeated(2, Any(1))), "1 1 ");
  EXPECT_EQ(Caught([] { ListObj::CreateRepeated(-1, Any(1)); }),
            "ValueError: cannot resize a List to negative size");
}

TEST(List, ChangesForAllWhoHaveIt) {
  List<int> list{1};
  const List<int> alias = list;
  const int more[] = {2, 3, 4, 5, 6, 7, 8, 9};
  list.insert(list.begin(), 5);
  list.insert(list.begin() + 1, more, more + 8);
  EXPECT_EQ(Join(alias), "5 2 3 4 5 6 7 8 9 1 ");
  EXPECT_EQ(std::vector<int>(list.rbegin(), list.rend()),
            (std::vector<int>{1, 9, 8, 7, 6, 5, 4, 3, 2, 5}));
  list.Assign(list.begin() + 7, list.end());
  EXPECT_EQ(Join(alias), "8 9 1 ");
  list.resize(1);
  list.reserve(30);
  EXPECT_EQ(Join(alias), "8 ");
  EXPECT_GE(alias.capacity(), 30U);
  List<Any> any = std::move(list);
  EXPECT_TRUE(any.same_as(alias));
  any = {1, 2};
  EXPECT_EQ(alias.size(), 1U);
}

/* Sizes that no runtime can allocate: the byte count overflows, the address space or the memory is
 * too small. */
const int64_t kTooMany[] = {INT64_MAX, INT64_MAX / 8, INT64_MAX / 16, int64_t{1} << 45};

/* Whether a parameter of type size_t can be that large. */
bool IsSize(int64_t n) {
  return static_cast<int64_t>(static_cast<size_t>(n)) == n;
}

/* A size_t of 64 bits is negative as an int64_t, one of 32 bits is not. */
std::string ErrorOfLargestSize(const char *if_negative) {
  return IsSize(INT64_MAX) ? if_negative
                           : "MemoryError: no memory for 4294967295 elements of 16 bytes";
}

void CheckTooMany() {
  for (const int64_t n : kTooMany) {
    List<int> list{1, 2, 3};
    const size_t capacity = list.capacity();
    EXPECT_EQ(KindOf([&] { list.reserve(n); }), "MemoryError");
    EXPECT_EQ(KindOf([&] { list.resize(n); }), "MemoryError");
    if (IsSize(n)) {
      EXPECT_EQ(KindOf([&] { List<int>(static_cast<size_t>(n), 7); }), "MemoryError");
    }
    EXPECT_EQ(Join(list), "1 2 3 ");
    EXPECT_EQ(list.capacity(), capacity);
  }
}

TEST(List, CannotHaveTooMany) {
  CheckTooMany();
  List<int> list{1};
  list.reserve(-1);
  EXPECT_EQ(list.size(), 1u);
  EXPECT_EQ(Caught([] { List<int>(SIZE_MAX, 7); }),
            ErrorOfLargestSize("ValueError: cannot resize a List to negative size"));
}

TEST(List, KeepsItsElementsWhereItGrows) {
  List<Any> list;
  const Array<int> object{1};
  for (int64_t i = 0; i < 100; ++i) {
    list.push_back(i);
    list.push_back(object);
  }
  EXPECT_EQ(object.use_count(), 101);
  list.reserve(1000);
  EXPECT_GE(list.capacity(), 1000u);
  EXPECT_EQ(list[198].cast<int64_t>(), 99);
  EXPECT_TRUE(list[199].same_as(Any(object)));
  list = List<Any>();
  EXPECT_EQ(object.use_count(), 1);
}

/* Headers and runtime must each be able to grow memory that the other allocated. */
TEST(List, GrowsByHeadersAndByTheRuntime) {
  const ffi::Function append = ffi::Function::GetGlobalRequired("ffi.ListAppend");
  List<int64_t> list;
  int64_t sum = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    if (i / 7 % 2 == 0) {
      list.push_back(i);
    } else {
      append(list, i);
    }
  }
  for (int64_t i : list) sum += i;
  EXPECT_EQ(sum, 499500);
}

/* A text whose numbers can be read only once (single-pass iterators). */
struct Words {
  explicit Words(const char *text) : stream(text), first(stream) {}
  std::istringstream stream;
  std::istream_iterator<int> first, last;
};

template <typename Seq>
void CheckSinglePass() {
  Words none(""), made("1 2 3 4 5 6 7"), assigned("8 9 10 11 12 13"), inserted("2 3 4 5 6"),
      few("1");
  EXPECT_EQ(Join(Seq(none.first, none.last)), "");
  Seq seq(made.first, made.last);
  EXPECT_EQ(Join(seq), "1 2 3 4 5 6 7 ");
  seq.Assign(assigned.first, assigned.last);
  EXPECT_EQ(Join(seq), "8 9 10 11 12 13 ");
  seq.insert(seq.begin() + 1, inserted.first, inserted.last);
  EXPECT_EQ(Join(seq), "8 2 3 4 5 6 9 10 11 12 13 ");
  seq.insert(seq.end(), few.first, few.last);
  EXPECT_EQ(Join(seq), "8 2 3 4 5 6 9 10 11 12 13 1 ");
}

TEST(SeqBaseObj, TakesWhatCanBeReadOnce) {
  CheckSinglePass<List<int>>();
  CheckSinglePass<Array<int>>();
  List<int> list{1, 2, 3};
  list.reserve(8);
  ListObj *object = list.GetListObj();
  Words more("7 8"), none(""), too_many("1 2 3 4"), at_no_place("5");
  object->insert(1, more.first, more.last);
  EXPECT_EQ(Join(list), "1 7 8 2 3 ");
  object->insert(5, none.first, none.last);
  EXPECT_EQ(Join(list), "1 7 8 2 3 ");
  EXPECT_EQ(Caught([&] { object->insert(6, at_no_place.first, at_no_place.last); }),
            "IndexError: Index 6 out of bounds [0, 5]");
  EXPECT_EQ(KindOf([&] { object->insert(0, too_many.first, too_many.last); }), "InternalError");
}

/* Whether the object returns an element as a T without checking its type. */
template <typename T, typename Object, typename = void>
struct GivesElementAs : std::false_type {};
template <typename T, typename Object>
struct GivesElementAs<
    T, Object, std::void_t<decltype(std::declval<const Object &>().template ReadExpected<T>(0))>>
    : std::true_type {};
static_assert(!GivesElementAs<ffi::ObjectRef, ListObj>::value, "");
static_assert(!GivesElementAs<ffi::ObjectRef, ArrayObj>::value, "");

/* An iterator that throws when the element number thrown_at is read. */
struct Throwing {
  using iterator_category = std::forward_iterator_tag;
  using value_type = Array<int>;
  using difference_type = std::ptrdiff_t;
  using pointer = const Array<int> *;
  using reference = Array<int>;

  const Array<int> *object;
  int position, thrown_at;

  Array<int> operator*() const {
    if (position == thrown_at) TVM_FFI_THROW(ValueError) << "at " << position;
    return *object;
  }
  Throwing &operator++() { return ++position, *this; }
  bool operator==(const Throwing &other) const { return position == other.position; }
  bool operator!=(const Throwing &other) const { return position != other.position; }
};

template <typename Seq>
void CheckThrowingIterator() {
  const Array<int> object{1};
  const Throwing first{&object, 0, 30}, last{&object, 50, 0};
  EXPECT_EQ(Caught([&] { Seq(first, last); }), "ValueError: at 30");
  EXPECT_EQ(object.use_count(), 1);
}

TEST(SeqBaseObj, LosesNothingWhereAnIteratorThrows) {
  CheckThrowingIterator<Array<Array<int>>>();
  CheckThrowingIterator<List<Array<int>>>();
}

TEST(Array, GrowsInPlaceWhereNobodyElseHasIt) {
  Array<int64_t> array;
  const ffi::Object *object = array.get();
  for (int64_t i = 0; i < 100; ++i) array.push_back(i);
  EXPECT_EQ(array.get(), object);
  const Array<int64_t> alias = array;
  array.push_back(100);
  EXPECT_NE(array.get(), object);
  EXPECT_EQ(alias.size(), 100u);
  EXPECT_EQ(array[100], 100);
}

/* Grow() does nothing while there is room; zero and negative numbers always fit. */
TEST(Array, GrowsOnlyWhereThereIsNoRoom) {
  Array<int> array;
  for (int i = 0; i < 10; ++i) array.push_back(i);
  ArrayObj *object = array.GetArrayObj();
  const size_t capacity = object->capacity();
  for (const int64_t n : {int64_t{3}, int64_t{0}, int64_t{-1}, INT64_MIN}) object->Grow(n);
  EXPECT_EQ(Join(array), "0 1 2 3 4 5 6 7 8 9 ");
  EXPECT_EQ(object->capacity(), capacity);
  array.clear();
  object->Grow(0);
  EXPECT_EQ(object->capacity(), capacity);
  array.push_back(7);
  object->Grow(100);
  EXPECT_EQ(object->capacity(), 100u);
  EXPECT_EQ(Join(array), "7 ");
  Array<int> none(array.begin(), array.begin());
  none.GetArrayObj()->Grow(0);
  EXPECT_EQ(none.capacity(), 0u);
}

TEST(SeqBaseObj, DoublesItsRoomUpToAnySize) {
  using ffi::detail::GrownCapacity;
  EXPECT_EQ(GrownCapacity(0, 1), 4);
  EXPECT_EQ(GrownCapacity(1, 2), 4);
  EXPECT_EQ(GrownCapacity(4, 5), 8);
  EXPECT_EQ(GrownCapacity(4, 100), 100);
  EXPECT_EQ(GrownCapacity(int64_t{1} << 30, (int64_t{1} << 30) + 1), int64_t{1} << 31);
  EXPECT_EQ(GrownCapacity(INT64_MAX / 2 + 1, INT64_MAX / 2 + 2), INT64_MAX);
  List<int> list{1, 2, 3};
  EXPECT_EQ(KindOf([&] { list.GetListObj()->ReserveMore(INT64_MAX); }), "MemoryError");
  EXPECT_EQ(Join(list), "1 2 3 ");
}

TEST(List, GrowsByMoreThanIsInserted) {
  List<int> list;
  size_t num_moves = 0, capacity = list.capacity();
  for (int i = 0; i < 1000; ++i) {
    list.insert(list.begin(), i);
    if (list.capacity() != capacity) ++num_moves;
    capacity = list.capacity();
  }
  EXPECT_LT(num_moves, 20u);
  EXPECT_EQ(list.front(), 999);
}

TEST(Array, CannotHaveTooMany) {
  for (const int64_t n : kTooMany) {
    Array<int> array{1, 2, 3};
    EXPECT_EQ(KindOf([&] { array.reserve(n); }), "MemoryError");
    EXPECT_EQ(KindOf([&] { array.resize(n); }), "MemoryError");
    if (IsSize(n)) {
      EXPECT_EQ(KindOf([&] { Array<int>(static_cast<size_t>(n), 7); }), "MemoryError");
    }
    EXPECT_EQ(Join(array), "1 2 3 ");
  }
  EXPECT_EQ(Caught([] { ArrayObj::New(int64_t{1} << 60); }),
            "MemoryError: no memory for 1152921504606846976 elements of 16 bytes");
  EXPECT_EQ(Caught([] { ArrayObj::New(-1); }),
            "ValueError: an Array needs a capacity of 0 or more, not -1");
  EXPECT_EQ(Caught([] { Array<int>(SIZE_MAX, 7); }),
            ErrorOfLargestSize("ValueError: cannot resize an Array to negative size"));
}

TEST(List, MayGrowWhileItIsRead) {
  List<Any> list{1, 2, 3};
  growing_list = &list;
  const Any value = list;
  EXPECT_EQ(Caught([&] { value.cast<List<Growing>>(); }),
            "TypeError: Cannot convert from type `List[index 3: ffi.SmallStr]` to `List<Growing>`");
  growing_list = nullptr;
  EXPECT_GT(list.size(), 100u);
}

TEST(List, OfNothing) {
  List<int> list{1}, other = std::move(list);
  EXPECT_EQ(Caught([&] { list.insert(list.begin(), 1); }),
            "RuntimeError: cannot insert to a null list");
  EXPECT_EQ(Caught([&] { list.pop_back(); }), "RuntimeError: cannot pop_back a null list");
  EXPECT_EQ(Caught([&] { list.resize(-1); }), "ValueError: cannot resize a List to negative size");
  list.clear();
  EXPECT_FALSE(list.defined());
  list.push_back(4);
  EXPECT_EQ(Join(list), "4 ");
  List<Any> resized = std::move(other);
  resized.resize(3);
  EXPECT_TRUE(resized[2] == nullptr);
}

TEST(Array, MapAndMutate) {
  using Texts = Array<String>;
  Texts array{String("a text on the heap"), String("b")};
  const ffi::Object *object = array.get();
  EXPECT_EQ(array.Map([](String text) { return text; }).get(), object);
  const Array<int64_t> sizes =
      array.Map([](const String &text) { return static_cast<int64_t>(text.size()); });
  EXPECT_EQ(Join(sizes), "18 1 ");
  EXPECT_EQ(Array<Any>(array).Map([](const Any &text) { return text.cast<String>(); }).get(),
            object);
  Array<Texts> nested{Texts{"x"}, Texts{"y", "z"}};
  const ffi::Object *inner = nested[1].get();
  nested.MutateByApply([](Texts item) {
    EXPECT_EQ(item.use_count(), 1);
    item.Set(0, "w");
    return item;
  });
  EXPECT_EQ(nested[1].get(), inner);
  EXPECT_EQ(nested[1][0], "w");
  const Array<Texts> alias = nested;
  nested.MutateByApply([](const Texts &) { return Texts(); });
  EXPECT_EQ(alias[1].size() + nested[1].size(), 2U);
  EXPECT_THROW(nested.MutateByApply([](const Texts &) -> Texts { throw 1; }), int);
  EXPECT_EQ(nested.size(), 0U);
}

}  // namespace
