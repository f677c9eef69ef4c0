/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/std_compat.h
 * The standard headers that code written for this ABI has come to find included. The layer itself
 * needs none of them; with TVM_FFI_LEAN defined they stay out, and nothing else changes. Who then
 * wants one of the few functions that give or throw such classes includes this header.
 */
#ifndef TVM_FFI_DETAIL_STD_COMPAT_H_
#define TVM_FFI_DETAIL_STD_COMPAT_H_

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace detail {

/** What a function names by way of a template parameter, so that it is looked up when called. */
template <typename Dependent>
struct StdTypes {
  using OutOfRange = std::out_of_range;
  using StringView = std::string_view;
  template <typename T>
  using Vector = std::vector<T>;
  template <typename Iterator>
  using Reverse = std::reverse_iterator<Iterator>;
};

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_DETAIL_STD_COMPAT_H_
