/* SPDX-License-Identifier: Apache-2.0 */
/* Checks as users write them: a string literal right after a macro, if without braces, operands of
 * many types, error kinds that are declared nowhere, functions that end in a throw. */
#include "tvm_ffi_utils.h"

using tvm::ffi::String;
using tvm::ffi::TensorView;

/* Declared like cudaError_t. */
typedef enum { unitSuccess = 0, unitErrorInvalidValue = 1 } unitError_t;

void check_input(TensorView x) {
  CHECK_INPUT(x);
  CHECK_DIM(2, x);
  CHECK_LAST_DIM_CONTIGUOUS(x);
  CHECK_DTYPE(x, dl_float32);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_input, check_input);

void check_last(TensorView x) {
  CHECK_LAST_DIM_CONTIGUOUS(x);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_last, check_last);

void check_shapes(TensorView query, TensorView key) {
  CHECK_SAME_SHAPE(query, key);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_shapes, check_shapes);

namespace host {
void check_devices(TensorView a, TensorView b) {
  TVM_FFI_ICHECK(a.device() == b.device()) << "a and b are on different devices";
  if (a.device() != b.device()) TVM_FFI_THROW(ValueError) << "never";
}
}  // namespace host
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check_devices, host::check_devices);

static int64_t evaluated = 0;
static int64_t next_value() {
  return ++evaluated;
}

/* One comparison for each value of which; the operands of some differ in signedness. */
void compare(int64_t number, int64_t x) {
  void *pointer = x != 0 ? &evaluated : nullptr;
  const unsigned unsigned_x = static_cast<unsigned>(x);
  const size_t size = static_cast<size_t>(x);
  const int five = 5;
  switch (number) {
    case 0:
      TVM_FFI_ICHECK_EQ(x, 5u) << "eq";
      break;
    case 1:
      TVM_FFI_ICHECK_NE(pointer, nullptr) << "the pointer is null";
      break;
    case 2:
      TVM_FFI_ICHECK_LT(unsigned_x, five);
      break;
    case 3:
      TVM_FFI_ICHECK_LE(size, five) << "le";
      break;
    case 4:
      TVM_FFI_ICHECK_GT(x, five) << "gt";
      break;
    case 5:
      TVM_FFI_ICHECK_GE(five, size) << "ge";
      break;
    case 6:
      TVM_FFI_ICHECK_EQ(x == 0 ? unitSuccess : unitErrorInvalidValue, unitSuccess) << "a call";
      break;
    case 7:
      TVM_FFI_ICHECK_EQ((DLDataType{kDLInt, static_cast<uint8_t>(x), 1}), dl_int32) << "dtype";
      break;
    case 8:
      TVM_FFI_ICHECK_EQ(static_cast<double>(x) / 2, 2.5) << "double";
      break;
    case 9:
      TVM_FFI_CHECK_EQ(std::string(size, 's'), "sssss", KeyError) << "strings";
      break;
    case 10:
      TVM_FFI_ICHECK_GE(next_value(), 1);
      break;
    case 11:
      TVM_FFI_CHECK_LT(x, 5, OverflowError);
      break;
    case 12:
      TVM_FFI_ICHECK(x == 5);
      break;
    case 13:
      TVM_FFI_DCHECK(x < 1000000);
      TVM_FFI_DCHECK_EQ(x, x) << "the same";
      break;
    case 14:
      TVM_FFI_ICHECK_EQ(x % 2 == 0, false) << "bool";
      break;
    case 15:
      TVM_FFI_ICHECK_EQ(static_cast<char>('a' + x), 'f') << "char";
      break;
    default:
      TVM_FFI_THROW(NotImplementedError) << "comparison " << number;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compare, compare);

int64_t count_evaluated() {
  return evaluated;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_evaluated, count_evaluated);

/* Checks without braces, except before an else. */
int64_t unbraced(bool a, int64_t x) {
  if (a) TVM_FFI_ICHECK_GT(x, 0) << "x is not positive";
  if (a) TVM_FFI_CHECK(x > 0, ValueError) << "x is not positive";
  for (int64_t i = 0; i < 2; ++i) TVM_FFI_ICHECK_LT(i, x + 5);
  if (a) {
    TVM_FFI_ICHECK(x != 3) << "x is three";
  } else {
    return -1;
  }
  return x;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unbraced, unbraced);

/* No return follows the throw, and compilers must not warn about that. */
int64_t choose(const std::string &name) {
  if (name == "one") return 1;
  if (name == "two") {
    return 2;
  } else {
    TVM_FFI_THROW(my_own_kind) << "no choice is called " << name << " at "
                               << DLDataType{kDLFloat, 8, 4};
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(choose, choose);

void kinds(int64_t number) {
  switch (number) {
    case 0:
      TVM_FFI_LOG_AND_THROW(RuntimeError) << "logged and thrown " << 1.5;
      break;
    case 1:
      TVM_FFI_LOG_AND_THROW(NotImplementedError)
          << "several" << ' ' << "things: " << true << " " << static_cast<void *>(nullptr) << " "
          << 7u << std::string(" text") << String(" string");
      break;
    case 2:
      TVM_FFI_CHECK(number == 3, TypeError) << "number is " << std::hex << 255 << std::dec << 255;
      break;
    case 3:
      TVM_FFI_CHECK(false, FileNotFoundError);
      break;
    case 4:
      TVM_FFI_THROW(StopIteration);
      break;
    case 5:
      throw std::out_of_range("of the standard library");
    case 6:
      throw tvm::ffi::Error("spaced kind", "made by hand", "");
    case 7:
      throw tvm::ffi::EnvErrorAlreadySet();
    case 8:
      // Generated code may leave an error in the slot; the thrown exception must replace it.
      TVMFFIErrorSetRaisedFromCStr("ValueError", "set by hand");
      throw tvm::ffi::EnvErrorAlreadySet();
    default:
      break;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kinds, kinds);

/* Even a short text may become an object that holds the moved std::string. */
String moved_string(std::string text) {
  return String(std::move(text));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(moved_string, moved_string);

/* Uses standard headers that this file does not include. */
int64_t standard_names(int64_t n) {
  std::unordered_map<std::string, int64_t> counts;
  std::unique_ptr<int64_t> owned = std::make_unique<int64_t>(n);
  std::function<int64_t(int64_t)> twice = [](int64_t x) { return 2 * x; };
  std::tuple<int64_t, std::string_view> pair(twice(*owned), "view");
  std::vector<int64_t> values(static_cast<size_t>(n), n);
  std::optional<int64_t> largest;
  for (int64_t value : values) ++counts[value % 2 == 0 ? "even" : "odd"];
  largest = *std::max_element(values.begin(), values.end());
  if (std::strcmp("a", "b") > 0) std::swap(values[0], values[1]);
  return std::get<0>(pair) + static_cast<int64_t>(std::get<1>(pair).size()) + 1000 * *largest +
         10000 * counts["even"] + 100000 * counts["odd"] + std::numeric_limits<int8_t>::max();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard_names, standard_names);

String smallest_and_text(TensorView x) {
  return std::to_string(std::min<int64_t>(x.numel(), 4)) + " " + shape_text(x.shape());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(smallest_and_text, smallest_and_text);
