// SPDX-License-Identifier: Apache-2.0
// The bridges to the standard library: type names, accepted values, converted results.
#include <tvm/ffi/extra/stl.h>

#include "names.h"

namespace {

template <typename... Types>
void ShowTypes() {
  (Line("type",
        [] {
          using Traits = TypeTraits<Types>;
          Show(Traits::TypeStr(), Traits::TypeSchema(), Traits::field_static_type_index,
               Traits::convert_enabled, details::Type2Str<const Types &>::v(),
               details::TypeSchema<Types>::v(), TypeToFieldStaticTypeIndex<Types>::value);
        }),
   ...);
}

/** Reads each value as a T: by cast, by try_cast, and as a parameter. */
template <typename T>
void Read(const Array<Any> &values) {
  const Function f = Function::FromTyped([](const T &) {}, "f");
  Line("as", [] { Show(TypeTraits<T>::TypeStr()); });
  for (const Any value : values) {
    const AnyView view = value;
    Line("cast", [&] {
      view.cast<T>();
      Show(value.GetTypeKey());
    });
    Line("try", [&] { Show(view.try_cast<T>().has_value()); });
    Line("call", [&] { f(view); });
    Line("got", [&] {
      const TVMFFIAny data = view.CopyToTVMFFIAny();
      Show(TypeTraits<T>::GetMismatchTypeInfo(&data));
    });
  }
}

using Choice = std::variant<double, bool, String>;

Array<Any> Values() {
  return {nullptr,
          1,
          1.5,
          true,
          String("ab"),
          Array<Any>{1, 2, 3},
          Array<Any>{},
          Array<Any>{1, true, 2.5},
          Array<Any>{1, String("x")},
          Array<Any>{Array<Any>{1, String("u")}},
          Array<Any>{nullptr, 2},
          List<Any>{1, 2, 3},
          List<Any>{1, String("x")},
          Map<Any, Any>{{String("a"), 1}},
          Map<Any, Any>{{1, String("a")}},
          Map<Any, Any>{},
          Dict<Any, Any>{{String("a"), 2}},
          Function::FromTyped([](int a, String) { return a; }),
          Shape({1, 2})};
}

void ShowReads() {
  const Array<Any> values = Values();
  Read<std::vector<int>>(values);
  Read<std::vector<Any>>(values);
  Read<std::vector<std::vector<int>>>(values);
  Read<std::vector<std::optional<int>>>(values);
  Read<std::array<int, 3>>(values);
  Read<std::array<Any, 2>>(values);
  Read<std::tuple<int, String>>(values);
  Read<std::tuple<int, int, int>>(values);
  Read<std::map<String, int>>(values);
  Read<std::unordered_map<std::string, Any>>(values);
  Read<std::optional<int>>(values);
  Read<std::optional<std::vector<int>>>(values);
  Read<std::variant<int, String>>(values);
  Read<std::variant<double, bool, std::vector<int>>>(values);
  Read<std::variant<std::string, std::optional<int>>>(values);
  Read<std::function<int(int, String)>>(values);
  Read<Optional<std::vector<int>>>(values);
}

void ShowValues() {
  Line("variant", [] {
    for (const AnyView &view : {AnyView(1), AnyView(true), AnyView(1.5), AnyView("a")}) {
      Show(view.cast<Choice>().index());
    }
  });
  Line("variant", [] {
    const Any yes(true), one(1);
    const Array<Choice> kept{Choice(true), Choice(1.5)};
    Show(yes.as<Choice>()->index(), one.as<Choice>().has_value(), kept[0].index(), kept[1].index());
  });
  Line("optional", [] {
    const Array<std::optional<int>> kept{std::nullopt, 3};
    Show(kept[0].has_value(), *kept[1]);
  });
  Line("keys", [] {
    const Any map = Map<Any, Any>{{1, String("a")}, {true, String("b")}};
    Show(map.cast<std::map<int, String>>()[1], map.cast<std::unordered_map<int, String>>().size());
  });
  Line("vector", [] {
    const Any any = std::vector<std::string>{"short", "a text that is longer"};
    Show(any.GetTypeKey(), any.cast<Array<String>>()[1], any.cast<std::vector<std::string>>()[0]);
  });
  Line("tuple", [] {
    const Any any = std::tuple<int, std::vector<double>>(1, {1.5, 2});
    const auto tuple = any.cast<std::tuple<double, std::array<double, 2>>>();
    Show(any.GetTypeKey(), std::get<0>(tuple), std::get<1>(tuple)[1]);
  });
  Line("map", [] {
    const Any any = std::map<std::string, int>{{"b", 1}, {"a", 2}};
    for (const auto &entry : any.cast<Map<String, int>>()) Show(entry.first, entry.second);
  });
}

/** What a callee receives for each type, and what it returns. */
void ShowCalls() {
  const Function key = Function::FromTyped([](AnyView x) { return x.GetTypeKey(); });
  const Function same = Function::FromTyped([](Any x) { return x; });
  Line("keys", [&] {
    Show(key(std::vector<int>{1, 2}).cast<String>(), key(std::array<int, 2>{1, 2}).cast<String>(),
         key(std::tuple<int, String>{1, "x"}).cast<String>(),
         key(std::map<String, int>{{"a", 1}}).cast<String>(),
         key(std::optional<int>()).cast<String>(), key(std::optional<int>(3)).cast<String>(),
         key(Choice(true)).cast<String>(), key(std::string("s")).cast<String>(),
         key(std::function<int(int)>()).cast<String>());
  });
  Line("several", [&] {
    const Function sum = Function::FromTyped(
        [](DLDevice device, const std::vector<int> &x, Any y, std::map<int, std::vector<int>> z) {
          return device.device_id + x[1] + y.cast<int>() + z[1][0];
        });
    Show(sum(DLDevice{kDLCPU, 1}, std::vector<int>{1, 20}, 300,
             std::map<int, std::vector<int>>{{1, {4000}}})
             .cast<int>());
  });
  Line("back", [&] {
    const auto map = same(std::unordered_map<std::string, std::optional<double>>{{"k", 1.5}})
                         .cast<std::map<String, double>>();
    Show(map.size(), map.at("k"));
  });
  Line("nested", [&] {
    const TypedFunction<std::tuple<int, std::vector<std::string>>(
        std::map<std::string, std::vector<std::optional<double>>>)>
        f = [](std::map<std::string, std::vector<std::optional<double>>> x) {
          return std::tuple<int, std::vector<std::string>>(static_cast<int>(x["k"].size()),
                                                           {x.begin()->first});
        };
    const auto result = f({{"k", {1.0, std::nullopt}}});
    Show(std::get<0>(result), std::get<1>(result)[0]);
  });
}

void ShowFunctions() {
  using Add = std::function<int(int, String)>;
  Line("function", [] {
    Add f;
    {
      const Any owner =
          Function::FromTyped([](int x, String y) { return x + static_cast<int>(y.size()); });
      f = AnyView(owner).cast<Add>();
    }
    Show(f(3, "abc"));
  });
  Line("function", [] {
    const Any any = Function::FromTyped([](int, String) { return String("a"); });
    any.cast<Add>()(1, "a");
  });
  Line("function", [] {
    const Any any = Function::FromTyped([](String x) { return x; });
    any.cast<Add>()(1, "a");
  });
  const Any any = Add([](int x, String y) { return x + static_cast<int>(y.size()); });
  const Function add = any.cast<Function>();
  Line("function", [&] { Show(any.GetTypeKey(), add(1, "ab").cast<int>()); });
  Line("function", [&] { add(1); });
  Line("function", [&] { add(1, 2); });
  Line("function", [&] {
    const Any of_vector =
        std::function<void(std::vector<int>, bool)>([](std::vector<int>, bool) {});
    of_vector.cast<Function>()(Array<Any>{1.5}, true);
  });
}

}  // namespace

int main() {
  ShowTypes<std::vector<int>, std::vector<Any>, std::vector<std::vector<float>>, std::array<int, 3>,
            std::tuple<int, String>, std::tuple<Array<int>>, std::map<String, int>,
            std::unordered_map<std::string, Any>, std::optional<int>,
            std::optional<std::vector<int>>, std::optional<TensorView>, std::variant<int, String>,
            std::variant<std::vector<int>, std::string>, std::function<void()>,
            std::function<int(int, String)>, std::function<std::vector<int>(Any, Tensor, int)>,
            std::vector<std::map<int, std::array<bool, 12>>>>();
  ShowReads();
  ShowValues();
  ShowCalls();
  ShowFunctions();
  return 0;
}
