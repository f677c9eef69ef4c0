/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of the documents on values, containers, functions and exceptions. */
#include <tvm/ffi/tvm_ffi.h>

#include <iostream>

namespace ffi = tvm::ffi;

/* ---- Containers ---- */

ffi::String literals() {
  ffi::Array<int> array = {1, 2, 3};
  ffi::List<int> list = {4, 5};
  ffi::Map<ffi::String, int> map = {{"a", 1}, {"b", 2}};
  ffi::Dict<ffi::String, int> dict = {{"x", 10}};
  ffi::Tuple<int, ffi::String, bool> tuple(7, "seven", true);
  ffi::Variant<int, ffi::String> variant = ffi::String("text");
  ffi::Array<int> copy = array;
  ffi::List<int> same = list;
  std::ostringstream os;
  copy.push_back(4);
  same.push_back(6);
  dict.Set("y", 20);
  os << array.size() << copy.size() << list.size() << same[2] << map["b"] << map.count("c")
     << dict["y"] << dict.size() << tuple.get<0>() << std::string(tuple.get<1>()) << tuple.get<2>();
  os << (variant.as<int>() ? "int" : std::string(*variant.as<ffi::String>()));
  variant = 3;
  os << variant.get<int>();
  int64_t sum = 0;
  for (int value : array) sum += value;
  for (const auto &[key, value] : map) sum += value + static_cast<int64_t>(key.size());
  os << sum;
  return os.str();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(literals, literals);

int64_t change_list(ffi::List<int64_t> list, int64_t value) {
  list.push_back(value);
  return static_cast<int64_t>(list.size());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(change_list, change_list);
ffi::List<int64_t> make_list(int64_t n) {
  ffi::List<int64_t> list;
  for (int64_t i = 0; i < n; ++i) list.push_back(i);
  return list;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_list, make_list);

/* ---- Any ---- */

ffi::String anys(ffi::AnyView view) {
  ffi::Any any = 42;
  std::ostringstream os;
  os << any.cast<int>() << any.cast<double>();
  any = "hello";
  os << std::string(any.cast<ffi::String>());
  if (auto number = any.as<int64_t>()) os << *number;
  if (std::optional<double> number = view.try_cast<double>()) os << *number;
  any = nullptr;
  os << (any == nullptr) << (view != nullptr) << view.GetTypeKey();
  return os.str();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(anys, anys);
int64_t cast_to_int(ffi::Any any) {
  return any.cast<int>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cast_to_int, cast_to_int);

/* ---- Functions ---- */

int64_t typed(int a) {
  ffi::TypedFunction<int(int, int)> add = [](int x, int y) { return x + y; };
  ffi::Function untyped = add;
  ffi::TypedFunction<int(int, int)> back = untyped;
  return add(a, 1) + back(a, 2) + untyped(a, 3).cast<int>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(typed, typed);
int64_t wrongly_typed(ffi::TypedFunction<int(int, int)> f) {
  return f(1, 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(wrongly_typed, wrongly_typed);

ffi::Function packed_sum() {
  return ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any *result) {
    int64_t sum = 0;
    for (int i = 0; i < args.size(); ++i) sum += args[i].cast<int64_t>();
    *result = sum;
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(packed_sum, packed_sum);

/* A hand-written callback; an exception in it becomes the raised error. */
extern "C" int add_one_callback(void *self, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(num_args == 1, TypeError) << "one argument, not " << num_args;
  int64_t x = reinterpret_cast<const ffi::AnyView *>(args)[0].cast<int64_t>();
  if (x == 13) throw std::runtime_error("thirteen");
  reinterpret_cast<ffi::Any *>(result)[0] = x + 1 + *static_cast<int64_t *>(self);
  TVM_FFI_SAFE_CALL_END();
}
ffi::Function callback(int64_t more) {
  return ffi::Function::FromExternC(new int64_t(more), add_one_callback,
                                    [](void *self) { delete static_cast<int64_t *>(self); });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(callback, callback);

/* A lambda in the macro's argument, and one that is stored. */
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda_in_place, [](int64_t a, ffi::Optional<int64_t> b) {
  return a * b.value_or(2);
});
static auto stored = [](ffi::Map<ffi::String, int64_t> map) -> int64_t {
  int64_t sum = 0, count = 0;
  for (const auto &[key, value] : map) sum += value, ++count;
  return 10 * sum + count;
};
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda_stored, stored);
ffi::Map<ffi::String, int64_t> make_map(int64_t n) {
  ffi::Map<ffi::String, int64_t> map;
  for (int64_t i = 0; i < n; ++i) map.Set("key " + std::to_string(i), i);
  return map;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_map, make_map);

/* ---- Exceptions ---- */

ffi::String caught(ffi::Function f) {
  try {
    f(1, "two");
  } catch (const ffi::Error &error) {
    return error.kind() + ": " + error.message() +
           (error.FullMessage().find("Traceback (most recent call last):") == 0 ? "" : "?");
  }
  return "nothing";
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(caught, caught);
void passed_on(ffi::Function f) {
  f();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(passed_on, passed_on);
int64_t safe_call_failed(int64_t x) {
  TVMFFIAny arg = ffi::AnyView(x).CopyToTVMFFIAny(), result{};
  int64_t more = 0;
  TVM_FFI_CHECK_SAFE_CALL(add_one_callback(&more, &arg, x == 0 ? 0 : 1, &result));
  return result.v_int64;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(safe_call_failed, safe_call_failed);
