/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/std_compat.h
 * The standard headers that code written for this ABI expects of all headers from error.h on; those
 * that it expects of some only are included there. The layer itself needs none of them; with
 * TVM_FFI_LEAN defined they stay out, and nothing else changes. Code that then calls one of the few
 * functions that return or throw such classes includes this header.
 */
#ifndef TVM_FFI_DETAIL_STD_COMPAT_H_
#define TVM_FFI_DETAIL_STD_COMPAT_H_

#include <cctype>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace detail {

/** Standard classes named through a template parameter, so that they are looked up when used. */
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
