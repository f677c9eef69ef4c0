/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with classes of the standard library, as in extension modules that wrap code without
 * any dependency on tvm. */
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>

namespace refl = tvm::ffi::reflection;

namespace {

std::tuple<double, double> Range(const std::vector<double> &values) {
  TVM_FFI_CHECK(!values.empty(), ValueError) << "no values";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

std::map<std::string, std::vector<int64_t>> GroupByLength(std::vector<std::string> words) {
  std::map<std::string, std::vector<int64_t>> groups;
  for (size_t i = 0; i < words.size(); ++i) {
    groups[std::to_string(words[i].size())].push_back(static_cast<int64_t>(i));
  }
  return groups;
}

std::string Describe(std::variant<int64_t, std::string, std::vector<int64_t>> value) {
  switch (value.index()) {
    case 0:
      return "the number " + std::to_string(std::get<0>(value));
    case 1:
      return "the text " + std::get<1>(value);
    default:
      return std::to_string(std::get<2>(value).size()) + " numbers";
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_range, Range);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_groups, GroupByLength);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_describe, Describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_total,
                              [](const std::unordered_map<std::string, std::vector<int>> &groups,
                                 std::array<std::string, 2> names) {
                                int total = 0;
                                for (const std::string &name : names) {
                                  for (int value : groups.at(name)) total += value;
                                }
                                return total;
                              });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_adder, [](int64_t step) -> std::function<int64_t(int64_t)> {
  return [step](int64_t x) { return x + step; };
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(std_apply, [](const std::function<int64_t(int64_t)> &f, int64_t x) {
  return f ? std::optional<int64_t>(f(x)) : std::nullopt;
});

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("units.half", [](std::optional<float> x) -> std::optional<float> {
    return x ? std::optional<float>(*x / 2) : std::nullopt;
  });
}
