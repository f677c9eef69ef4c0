/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take and return classes of the standard library. stl.txt lists their imports. */
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/function.h>

std::vector<float> Scale(std::vector<float> values, std::optional<double> factor) {
  for (float &value : values) value *= static_cast<float>(factor.value_or(2));
  return values;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale)

std::unordered_map<std::string, int> CountWords(const std::vector<std::string> &words) {
  std::unordered_map<std::string, int> counts;
  for (const std::string &word : words) ++counts.emplace(word, 0).first->second;
  return counts;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_words, CountWords)

std::tuple<int64_t, std::array<double, 2>> Pick(
    const std::map<int64_t, std::array<double, 2>> &numbers,
    const std::function<bool(int64_t)> &choose) {
  for (const auto &[key, value] : numbers) {
    if (choose(key)) return {key, value};
  }
  TVM_FFI_THROW(KeyError) << "none of " << numbers.size();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pick, Pick)

std::function<int64_t(std::string)> Measure() {
  return [](const std::string &text) { return static_cast<int64_t>(text.size()); };
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(measure, Measure)
