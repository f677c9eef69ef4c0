/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of Array and List, and what List and Array change themselves by. */
#include <gtest/gtest.h>
#include <tvm/ffi/container/container_details.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Array;
using ffi::ArrayObj;
using ffi::List;
using ffi::ListObj;
using ffi::String;

namespace {

/* What is read makes the list that it is read from grow. */
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
std::string ErrorOf(const F &f) {
  try {
    f();
  } catch (const ffi::Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "";
}

template <typename F>
std::string KindOf(const F &f) {
  const std::string text = ErrorOf(f);
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
  EXPECT_EQ(ErrorOf([&] { object->insert(3, 5); }), "IndexError: Index 3 out of bounds [0, 2]");
  EXPECT_EQ(ErrorOf([&] { object->insert(-1, 5); }), "IndexError: Index -1 out of bounds [0, 2]");
  EXPECT_EQ(ErrorOf([&] { object->resize(-1); }), "ValueError: Cannot resize to negative size");
  EXPECT_EQ(ErrorOf([&] { object->resize(100); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(ErrorOf([&] { object->InitRange(1, more, more + 3); }).substr(0, 14), "InternalError:");
  EXPECT_EQ(object->size(), 2U);
}

TEST(SeqBaseObj, IsMadeByTheRuntime) {
  const ffi::ObjectPtr<ArrayObj> array = ArrayObj::CreateRepeated(3, Any(7));
  EXPECT_EQ(Join(*array), "7 7 7 ");
  EXPECT_EQ(ArrayObj::CopyFrom(5, array.get())->capacity(), 5U);
  EXPECT_EQ(ErrorOf([&] { ArrayObj::CopyFrom(2, array.get()); }),
            "ValueError: Not enough capacity");
  EXPECT_EQ(ErrorOf([&] { ArrayObj::MoveFrom(2, array.get()); }),
            "ValueError: Not enough capacity");
  EXPECT_EQ(ffi::make_object<ArrayObj>()->capacity(), 4U);
  EXPECT_EQ(ffi::make_object<ListObj>()->size(), 0U);
  EXPECT_EQ(Join(*ListObj::CreateRepeated(2, Any(1))), "1 1 ");
  EXPECT_EQ(ErrorOf([] { ListObj::CreateRepeated(-1, Any(1)); }),
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

/* Sets a global function, or removes it, until the end. */
class Replaced {
 public:
  Replaced(const char *name, const std::optional<ffi::Function> &function)
      : name_(name), old_(ffi::Function::GetGlobalRequired(name)) {
    if (function) {
      ffi::Function::SetGlobal(name, *function, true);
    } else {
      ffi::Function::RemoveGlobal(name);
    }
  }
  ~Replaced() { ffi::Function::SetGlobal(name_, old_, true); }

 private:
  const char *name_;
  ffi::Function old_;
};

/* Elements of which no runtime has that many: too many to count, to address, to have. */
const int64_t kTooMany[] = {INT64_MAX, INT64_MAX / 8, INT64_MAX / 16, int64_t{1} << 45};

void CheckTooMany() {
  for (const int64_t n : kTooMany) {
    List<int> list{1, 2, 3};
    const size_t capacity = list.capacity();
    EXPECT_EQ(KindOf([&] { list.reserve(n); }), "MemoryError");
    EXPECT_EQ(KindOf([&] { list.resize(n); }), "MemoryError");
    EXPECT_EQ(KindOf([&] { List<int>(static_cast<size_t>(n), 7); }), "MemoryError");
    EXPECT_EQ(Join(list), "1 2 3 ");
    EXPECT_EQ(list.capacity(), capacity);
  }
}

TEST(List, CannotHaveTooMany) {
  CheckTooMany();
  List<int> list{1};
  list.reserve(-1);
  EXPECT_EQ(list.size(), 1u);
  EXPECT_EQ(ErrorOf([] { List<int>(SIZE_MAX, 7); }),
            "ValueError: cannot resize a List to negative size");
}

/* Up to 0.1.14 the reference has no ffi.ListReserve. */
TEST(List, CannotHaveTooManyOnOlderReleases) {
  const Replaced none("ffi.ListReserve", std::nullopt);
  CheckTooMany();
}

TEST(List, IsAsItWasWhereItCannotGrow) {
  List<int> list{1, 2, 3};
  {
    const Replaced failing("ffi.ListReserve", ffi::Function::FromTyped([](const List<Any> &, int) {
                             TVM_FFI_THROW(MemoryError) << "no room";
                           }));
    EXPECT_EQ(ErrorOf([&] { list.reserve(1000); }), "MemoryError: no room");
  }
  EXPECT_EQ(Join(list), "1 2 3 ");
  list.reserve(1000);
  EXPECT_EQ(Join(list), "1 2 3 ");
  EXPECT_GE(list.capacity(), 1000u);
}

/* Lets the second growth of a list fail. */
void FailToGrow(const ffi::AnyView *args, int32_t num_args, Any *result) {
  static int num_calls = 0;
  if (++num_calls == 2) TVM_FFI_THROW(MemoryError) << "no room";
  ffi::Function::GetGlobalRequired("ffi.ListAppend").CallPacked(args, num_args, result);
}

TEST(List, IsAsItWasWhereItCannotGrowOnOlderReleases) {
  const Replaced none("ffi.ListReserve", std::nullopt);
  List<int> list{1, 2, 3};
  const ffi::Function append = ffi::Function::FromPacked(FailToGrow);
  const TVMFFIObjectHandle kept = ffi::detail::GlobalListAppend();
  ffi::detail::keptListAppend = ffi::detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(append);
  EXPECT_EQ(ErrorOf([&] { list.reserve(1000); }), "MemoryError: no room");
  ffi::detail::keptListAppend = kept;
  EXPECT_EQ(Join(list), "1 2 3 ");
  list.reserve(1000);
  EXPECT_EQ(Join(list), "1 2 3 ");
  EXPECT_GE(list.capacity(), 1000u);
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
    EXPECT_EQ(KindOf([&] { array.reserve(n); }), "ValueError");
    EXPECT_EQ(KindOf([&] { array.resize(n); }), "ValueError");
    EXPECT_EQ(KindOf([&] { Array<int>(static_cast<size_t>(n), 7); }), "ValueError");
    EXPECT_EQ(Join(array), "1 2 3 ");
  }
  EXPECT_EQ(ErrorOf([] { ArrayObj::New(-1); }), "ValueError: an array of this size cannot be made");
  EXPECT_EQ(ErrorOf([] { Array<int>(SIZE_MAX, 7); }),
            "ValueError: cannot resize an Array to negative size");
}

TEST(List, MayGrowWhileItIsRead) {
  List<Any> list{1, 2, 3};
  growing_list = &list;
  const Any value = list;
  EXPECT_EQ(ErrorOf([&] { value.cast<List<Growing>>(); }),
            "TypeError: Cannot convert from type `List[index 3: ffi.SmallStr]` to `List<Growing>`");
  growing_list = nullptr;
  EXPECT_GT(list.size(), 100u);
}

TEST(List, OfNothing) {
  List<int> list{1}, other = std::move(list);
  EXPECT_EQ(ErrorOf([&] { list.insert(list.begin(), 1); }),
            "RuntimeError: cannot insert to a null list");
  EXPECT_EQ(ErrorOf([&] { list.pop_back(); }), "RuntimeError: cannot pop_back a null list");
  EXPECT_EQ(ErrorOf([&] { list.resize(-1); }), "ValueError: cannot resize a List to negative size");
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
