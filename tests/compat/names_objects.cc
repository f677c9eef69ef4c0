// SPDX-License-Identifier: Apache-2.0
// Pointers to objects, traits of one's own, functions called by hand.
#include "names.h"

struct Point {
  int64_t x;
};

namespace tvm {
namespace ffi {

template <>
inline constexpr bool use_default_type_traits_v<Number> = false;
template <>
struct TypeTraits<Number> : ObjectRefWithFallbackTraitsBase<Number, StrictBool, int64_t, String> {
  static Number ConvertFallbackValue(StrictBool value) { return Number(value ? 100 : 200); }
  static Number ConvertFallbackValue(int64_t value) { return Number(value); }
  static Number ConvertFallbackValue(const String &value) {
    return Number(static_cast<int64_t>(value.size()));
  }
};

template <>
struct TypeTraits<Point> : FallbackOnlyTraitsBase<Point, int64_t, String> {
  static std::string TypeStr() { return "Point"; }
  static std::string TypeSchema() { return "{\"type\":\"Point\"}"; }
  static Point ConvertFallbackValue(int64_t value) { return Point{value}; }
  static Point ConvertFallbackValue(const String &value) {
    return Point{static_cast<int64_t>(value.size())};
  }
};

}  // namespace ffi
}  // namespace tvm

namespace {

void ShowFallbacks() {
  Line("number", [] {
    Show(AnyView(true).cast<Number>()->value, AnyView(7).cast<Number>()->value,
         AnyView("abc").cast<Number>()->value, AnyView(nullptr).cast<Number>().defined());
  });
  Line("number", [] { AnyView(1.5).cast<Number>(); });
  Line("number", [] { Any(Array<Any>{1, 2.5}).cast<Array<Number>>(); });
  Line("point", [] { Show(AnyView(7).cast<Point>().x, AnyView("abc").cast<Point>().x); });
  Line("point", [] { AnyView(1.5).cast<Point>(); });
  Line("texts", [] {
    using NumberTraits = TypeTraits<Number>;
    using PointTraits = TypeTraits<Point>;
    Show(NumberTraits::TypeStr(), NumberTraits::TypeSchema(), NumberTraits::storage_enabled,
         PointTraits::storage_enabled, PointTraits::convert_enabled,
         NumberTraits::field_static_type_index, PointTraits::field_static_type_index);
  });
  const Function sum = Function::FromTyped(
      [](const Number &n, Point p, StrictBool b) { return n->value + p.x + b; }, "sum");
  Line("sum", [&] { Show(sum("ab", 3, true).cast<int>()); });
  Line("sum", [&] { sum(1.5, 3, true); });
  Line("sum", [&] { sum(1, 3.5, true); });
  Line("sum", [&] { sum(1, 3, 1); });
}

void ShowArcs() {
  Line("arc", [] {
    Any any = make_arc<NumberObj>(3);
    Arc<NumberObj> arc = any.cast<Arc<NumberObj>>();
    ObjectPtr<Object> base = arc;
    Arc<Object> other = arc;
    Show(arc.use_count(), arc->value, any.as<Arc<NumberObj>>().value()->value);
    Arc<NumberObj> moved = std::move(arc);
    Show(arc == nullptr, moved != nullptr, moved.get() == base.get(),
         Arc<NumberObj>(UnsafeInit{}) == nullptr);
    Show(details::ObjectUnsafe::ArcFromObjectPtr(make_object<NumberObj>(4))->value,
         Number(moved)->value);
  });
  Line("arc", [] { AnyView(nullptr).cast<Arc<NumberObj>>(); });
  Line("arc", [] { Any(1).as_or_throw<Arc<NumberObj>>(); });
  Line("arc", [] { Function::FromTyped([](Arc<NumberObj> n) { return n->value; }, "f")(nullptr); });
  Line("texts", [] {
    using Traits = TypeTraits<Arc<NumberObj>>;
    Show(Traits::TypeStr(), Traits::TypeSchema(), Traits::field_static_type_index,
         TypeTraits<Optional<Arc<NumberObj>>>::TypeSchema(),
         TypeTraits<Optional<ObjectPtr<NumberObj>>>::TypeStr(),
         TypeToRuntimeTypeIndex<Arc<NumberObj>>::v() == NumberObj::RuntimeTypeIndex());
  });
  Line("subsumes", [] {
    Show(type_subsumes_v<ObjectPtr<Object>, Arc<NumberObj>>,
         type_subsumes_v<Arc<Object>, Arc<NumberObj>>,
         type_subsumes_v<Arc<NumberObj>, ObjectPtr<NumberObj>>,
         type_subsumes_v<Arc<NumberObj>, Arc<Object>>,
         type_subsumes_v<Expected<Any>, Expected<int>>, type_subsumes_v<Expected<Any>, int>);
  });
  Line("optional", [] {
    Optional<Arc<NumberObj>> optional;
    Show(optional.has_value(), sizeof optional);
    optional = make_arc<NumberObj>(3);
    Show(optional.value()->value, (*optional)->value, optional->value, optional.use_count());
    optional = nullptr;
    optional.value();
  });
  Line("optional", [] { AnyView(1).cast<Optional<Arc<NumberObj>>>(); });
  Line("optional", [] {
    Optional<ObjectPtr<NumberObj>> optional = make_object<NumberObj>(2);
    ObjectPtr<Object> base = optional;
    optional->value = 3;
    Show(base.use_count(), (*optional)->value);
    Show(GetRef<Optional<Number>>(static_cast<const NumberObj *>(nullptr)).has_value(),
         GetRef<Optional<Number>>(optional.get()).value()->value);
  });
  Line("weak", [] {
    ObjectPtr<NumberObj> strong = make_object<NumberObj>(3);
    WeakObjectPtr<NumberObj> weak(strong), empty, null = nullptr;
    WeakObjectPtr<Object> base = weak;
    Show(weak.use_count(), strong.unique(), weak.lock()->value, weak.expired(), empty.expired());
    base.reset();
    strong.reset();
    Show(weak.expired(), weak.lock() == nullptr, weak.use_count(), null.lock() == nullptr);
  });
  Line("identity", [] {
    const Variant<Number, Array<int>> a = Number(3), b = Number(3);
    Show(ObjectPtrEqual()(a, a), ObjectPtrEqual()(a, b),
         ObjectPtrHash()(a) == ObjectPtrHash()(a.get<Number>()));
  });
}

void ShowFunctions() {
  struct Counter {
    explicit Counter(int from) : value(from) {}
    void operator()(const AnyView *, int32_t num_args, Any *result) { *result = value += num_args; }
    int value;
  };
  Line("inplace", [] {
    auto [function, counter] = Function::FromPackedInplace<Counter>(5);
    counter->value = 7;
    Show(function(1, 2).cast<int>(), counter->value);
  });
  const auto add = [](int a, const String &b) { return a + static_cast<int>(b.size()); };
  const std::string name = "add";
  AnyView args[] = {1, "abc"};
  for (int32_t num_args : {2, 1}) {
    for (const std::string *each : {&name, static_cast<const std::string *>(nullptr)}) {
      Line("unpack_call", [&] {
        Any result;
        details::unpack_call<int>(std::index_sequence<0, 1>{}, each, add, args, num_args, &result);
        Show(result.cast<int>());
      });
    }
  }
  args[1] = 2;
  Line("unpack_call", [&] {
    Any result;
    details::unpack_call<int>(std::index_sequence<0, 1>{}, &name, add, args, 2, &result);
  });
  Line("info", [] {
    using Info = details::FunctionInfo<int(int, String)>;
    using Method = details::FunctionInfo<decltype(&Object::IsInstance<NumberObj>)>;
    Show(Info::Sig(), Info::TypeSchema(), Info::num_args, std::is_same_v<Info::RetType, int>,
         std::is_same_v<Info::ArgType, std::tuple<int, String>>, Method::Sig(), Method::num_args,
         std::is_same_v<std::tuple_element_t<0, Method::ArgType>, const Object *>);
  });
  Line("value as", [] { Show(details::ExpectedUnsafe::ValueAs<int>(Expected<Any>(Any(3)))); });
}

}  // namespace

int main() {
  ShowFallbacks();
  ShowArcs();
  ShowFunctions();
  return 0;
}
