// SPDX-License-Identifier: Apache-2.0
// For each type its name and how it is passed; type traits defined by a user.
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

enum class Kind : int32_t { kSome = 3 };

template <typename... Types>
void ShowTypes() {
  (Line("type",
        [] {
          using Traits = TypeTraits<Types>;
          Show(Traits::TypeStr(), Traits::TypeSchema(), Traits::field_static_type_index,
               Traits::storage_enabled, Traits::convert_enabled,
               details::Type2Str<const Types &>::v(), details::TypeSchema<Types>::v(),
               details::storage_enabled_v<Types>, TypeToFieldStaticTypeIndex<Types>::value);
        }),
   ...);
}

void ShowFallbacks() {
  Line("number", [] {
    Show(AnyView(true).cast<Number>()->value, AnyView(7).cast<Number>()->value,
         AnyView("abc").cast<Number>()->value, AnyView(nullptr).cast<Number>().defined());
  });
  Line("number", [] { AnyView(1.5).cast<Number>(); });
  Line("number", [] { Any(Array<Any>{1, 2.5}).cast<Array<Number>>(); });
  Line("point", [] { Show(AnyView(7).cast<Point>().x, AnyView("abc").cast<Point>().x); });
  Line("point", [] { AnyView(1.5).cast<Point>(); });
  Line("some types", [] {
    const TVMFFIAny seven = AnyView(7).CopyToTVMFFIAny(), truth = AnyView(true).CopyToTVMFFIAny();
    Show(TypeTraits<Number>::TryFallbackTypes<String>(&seven).has_value(),
         TypeTraits<Number>::TryFallbackTypes<String, int64_t>(&seven).value()->value,
         TypeTraits<Number>::TryFallbackTypes<int64_t, StrictBool>(&truth).value()->value,
         TypeTraits<Point>::TryFallbackTypes<int64_t>(&seven).value().x);
  });
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

}  // namespace

int main() {
  ShowTypes<std::nullptr_t, bool, StrictBool, int8_t, uint64_t, Kind, float, void *, DLDataType,
            DLDevice, DLTensor *, TensorView, const char *, TVMFFIByteArray *, std::string, String,
            Bytes, ObjectRef, Number, ObjectPtr<NumberObj>, Arc<NumberObj>, const NumberObj *,
            Function, TypedFunction<int(int)>, TypedFunction<void(AnyView, Any, Array<Any>)>,
            Optional<int>, Optional<Number>, Optional<TensorView>, Optional<Arc<NumberObj>>,
            Variant<int, String>, Array<int>, List<String>, Map<String, Any>, Dict<Any, int>,
            Tuple<int, Array<Any>>, Shape, Tensor, Error, RValueRef<Array<int>>, Expected<int>>();
  ShowFallbacks();
  return 0;
}
