/* SPDX-License-Identifier: Apache-2.0 */
/* Arc, WeakObjectPtr, references from pointers, identity. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::AnyView;
using ffi::Arc;
using ffi::Function;
using ffi::Object;
using ffi::ObjectPtr;
using ffi::Optional;
using ffi::WeakObjectPtr;

namespace {

class CountedObj : public Object {
 public:
  explicit CountedObj(int64_t initial) : value(initial) { ++alive; }
  ~CountedObj() { --alive; }
  int64_t value;
  static int alive;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Counted", CountedObj, Object);
};
int CountedObj::alive = 0;

class Counted : public ffi::ObjectRef {
 public:
  explicit Counted(ObjectPtr<CountedObj> data) : ffi::ObjectRef(ffi::UnsafeInit{}) {
    data_ = std::move(data);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Counted, ffi::ObjectRef, CountedObj);
};

class AncestorObj : public Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.Ancestor", AncestorObj, Object);
};

/* Has fields that refer to its own class, without a declaration that it is an object class. */
class SelfObj : public Object {
 public:
  ffi::Array<ObjectPtr<SelfObj>> children;
  Optional<ObjectPtr<SelfObj>> next;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Self", SelfObj, Object);
};

/* Fields that refer to a class that is not complete yet. */
class LaterObj;
struct HoldsLater {
  Optional<Arc<LaterObj>> later;
  ObjectPtr<LaterObj> other;
};

static_assert(sizeof(Arc<Object>) == sizeof(void *) &&
                  sizeof(WeakObjectPtr<Object>) == sizeof(void *),
              "");
static_assert(sizeof(Optional<Arc<Object>>) == sizeof(void *) &&
                  std::is_standard_layout_v<Arc<Object>>,
              "");
static_assert(!std::is_default_constructible_v<Arc<Object>> &&
                  !std::is_constructible_v<Arc<Object>, std::nullptr_t> &&
                  !std::is_constructible_v<Arc<Object>, ObjectPtr<Object>> &&
                  !std::is_convertible_v<Arc<Object>, Arc<CountedObj>> &&
                  std::is_convertible_v<Arc<CountedObj>, Arc<Object>> &&
                  std::is_convertible_v<Arc<CountedObj>, ObjectPtr<Object>> &&
                  !std::is_assignable_v<Arc<Object> &, std::nullptr_t>,
              "");

class LaterObj : public Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Later", LaterObj, Object);
};

static_assert(!ffi::detail::storage_enabled_v<ObjectPtr<int>>);
static_assert(!ffi::detail::storage_enabled_v<Arc<int>>);
static_assert(!ffi::TypeTraits<ObjectPtr<int>>::convert_enabled);
static_assert(!ffi::detail::storage_enabled_v<ObjectPtr<const CountedObj>>);

TEST(ObjectPtr, PointsToItsOwnClassFromInside) {
  const ObjectPtr<SelfObj> leaf = ffi::make_object<SelfObj>();
  const ObjectPtr<SelfObj> node = ffi::make_object<SelfObj>();
  node->children.push_back(leaf);
  node->next = leaf;
  EXPECT_TRUE(node->children[0] == leaf);
  EXPECT_EQ(leaf.use_count(), 3);
}

/* These convert pointers to a class before it is defined. */
class LateObj;
ObjectPtr<AncestorObj> MakeLate() {
  return ffi::make_object<LateObj>(5);
}
WeakObjectPtr<AncestorObj> Watch(const ObjectPtr<LateObj> &late) {
  return late;
}
class LateObj : public AncestorObj {
 public:
  explicit LateObj(int64_t initial) : value(initial) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.cpp.Late", LateObj, AncestorObj);
};

TEST(ObjectPtr, ConvertsBeforeItsClassIsDefined) {
  const ObjectPtr<AncestorObj> made = MakeLate();
  ASSERT_TRUE(made->IsInstance<LateObj>());
  const ObjectPtr<LateObj> late = ffi::GetObjectPtr<LateObj>(static_cast<LateObj *>(made.get()));
  EXPECT_EQ(late->value, 5);
  EXPECT_TRUE(Watch(late).lock() == made);
  EXPECT_EQ(made.use_count(), 2);
}

TEST(Arc, HoldsAnObjectUntilItIsMovedFrom) {
  const HoldsLater none;
  EXPECT_FALSE(none.later.has_value());
  {
    Arc<CountedObj> arc = ffi::make_arc<CountedObj>(5), copy = arc;
    const Arc<Object> base = copy;
    EXPECT_EQ(arc.use_count(), 3);
    const Arc<CountedObj> moved = std::move(arc);
    EXPECT_TRUE(arc == nullptr);
    EXPECT_EQ(moved->value, 5);
    arc = copy;
    EXPECT_EQ(base.use_count(), 4);
    EXPECT_TRUE(Arc<CountedObj>(ffi::UnsafeInit{}) == nullptr);
  }
  EXPECT_EQ(CountedObj::alive, 0);
}

TEST(Arc, TravelsAsAValueThatIsNotNone) {
  {
    const Function f =
        Function::FromTyped([](const Arc<CountedObj> &arc) { return ++arc->value; }, "f");
    const Any any = ffi::make_arc<CountedObj>(1);
    EXPECT_EQ(f(any).cast<int>(), 2);
    EXPECT_EQ(any.as<Arc<CountedObj>>().value()->value, 2);
    EXPECT_EQ(any.cast<Arc<Object>>().use_count(), 2);
    EXPECT_EQ(Caught([&] { f(nullptr); }),
              "TypeError: Mismatched type on argument #0 when calling: "
              "`f(0: test.cpp.Counted) -> int`. Expected `test.cpp.Counted` but got `None`");
    EXPECT_EQ(ffi::TypeTraits<Arc<CountedObj>>::TypeSchema(), "{\"type\":\"test.cpp.Counted\"}");
    EXPECT_EQ(ffi::TypeToRuntimeTypeIndex<Arc<CountedObj>>::v(), CountedObj::RuntimeTypeIndex());
    EXPECT_TRUE((ffi::type_subsumes_v<ObjectPtr<Object>, Arc<CountedObj>>));
    EXPECT_FALSE((ffi::type_subsumes_v<Arc<Object>, ObjectPtr<CountedObj>>));
  }
  EXPECT_EQ(CountedObj::alive, 0);
}

TEST(Arc, InMapsConvertsWithThem) {
  const ffi::String key = "a";
  ffi::Map<ffi::String, Arc<CountedObj>> map{{key, ffi::make_arc<CountedObj>(1)}};
  ffi::Dict<ffi::String, Arc<CountedObj>> dict{{key, ffi::make_arc<CountedObj>(2)}};
  const ffi::Map<ffi::String, ObjectPtr<Object>> copied = map;
  EXPECT_TRUE(copied.same_as(map));
  const ffi::Map<ffi::String, ObjectPtr<Object>> moved_map = std::move(map);
  const ffi::Dict<ffi::String, ObjectPtr<Object>> moved_dict = std::move(dict);
  EXPECT_FALSE(map.defined());   // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(dict.defined());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(moved_map.same_as(copied));
  EXPECT_EQ(moved_map.use_count(), 2);
  EXPECT_EQ(moved_dict.use_count(), 1);
  EXPECT_EQ(moved_dict.size(), 1u);
}

TEST(Arc, MayBeAbsent) {
  {
    Optional<Arc<CountedObj>> optional = ffi::make_arc<CountedObj>(3);
    EXPECT_EQ((*optional)->value, 3);
    EXPECT_EQ(optional.use_count(), 1);
    optional->value = 4;
    EXPECT_EQ(Any(optional).cast<Optional<Arc<CountedObj>>>().value()->value, 4);
    optional = nullptr;
    EXPECT_EQ(Caught([&] { optional.value(); }), "RuntimeError: Bad optional access");
    Optional<ObjectPtr<CountedObj>> pointer = ffi::make_object<CountedObj>(6);
    const ObjectPtr<Object> base = pointer;
    EXPECT_EQ(base.use_count(), 2);
    EXPECT_EQ(Caught([&] { std::move(pointer).as_or_throw<ffi::Array<int>>(); }),
              "TypeError: Cannot treat type `test.cpp.Counted` as type `Array<int>`");
    EXPECT_EQ(base.use_count(), 2);
    const ffi::ObjectRef taken = std::move(pointer).as_or_throw<Counted>();
    EXPECT_FALSE(pointer.has_value());
    EXPECT_EQ(base.use_count(), 2);
  }
  EXPECT_EQ(CountedObj::alive, 0);
}

TEST(WeakObjectPtr, DoesNotKeepTheObject) {
  ObjectPtr<CountedObj> strong = ffi::make_object<CountedObj>(3);
  WeakObjectPtr<CountedObj> weak(strong), moved;
  EXPECT_FALSE(strong.unique());
  EXPECT_EQ(strong.use_count(), 1);
  moved = std::move(weak);
  EXPECT_TRUE(weak.expired());
  const WeakObjectPtr<Object> base = moved;
  EXPECT_EQ(moved.lock()->value, 3);
  strong.reset();
  EXPECT_EQ(CountedObj::alive, 0);
  EXPECT_TRUE(base.expired());
  EXPECT_TRUE(moved.lock() == nullptr);
  weak.swap(moved);
  weak = nullptr;
  EXPECT_EQ(weak.use_count(), 0);
  EXPECT_TRUE(WeakObjectPtr<Object>().lock() == nullptr);
}

TEST(GetRef, OfAnOptionalTakesNull) {
  const ObjectPtr<CountedObj> object = ffi::make_object<CountedObj>(2);
  EXPECT_EQ(ffi::GetRef<Optional<Counted>>(object.get()).value()->value, 2);
  EXPECT_FALSE(ffi::GetRef<Optional<Counted>>(static_cast<CountedObj *>(nullptr)).has_value());
  EXPECT_EQ(Caught([] { ffi::GetRef<Counted>(static_cast<CountedObj *>(nullptr)); }).substr(0, 15),
            "InternalError: ");
}

TEST(ObjectPtrHash, TellsVariantsApartByIdentity) {
  const Counted object(ffi::make_object<CountedObj>(2));
  const ffi::Variant<Counted, ffi::Array<int>> a = object, b = ffi::Array<int>{1};
  EXPECT_TRUE(ffi::ObjectPtrEqual()(a, a));
  EXPECT_FALSE(ffi::ObjectPtrEqual()(a, b));
  EXPECT_EQ(ffi::ObjectPtrHash()(a), ffi::ObjectPtrHash()(object));
}

}  // namespace
