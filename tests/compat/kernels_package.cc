/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C++, written as users of the reference package write them; compiled with its headers
 * and again with those of our layer. */
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/rvalue_ref.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

// Values as arguments and results.
int64_t AddInt(int64_t a, int64_t b) {
  return a + b;
}
int32_t NarrowInt(int32_t a) {
  return a;
}
uint8_t NarrowByte(uint8_t a) {
  return a;
}
uint64_t BigUnsigned(int64_t a) {
  return static_cast<uint64_t>(INT64_MAX) + static_cast<uint64_t>(a);
}
double AddDouble(double a, double b) {
  return a + b;
}
float HalveFloat(float a) {
  return a / 2;
}
bool Not(bool a) {
  return !a;
}
enum class Color : int64_t { kRed = 1, kBlue = 5 };
Color NextColor(Color color) {
  return color == Color::kRed ? Color::kBlue : Color::kRed;
}
void Nothing() {}
ffi::String Greet(ffi::String name) {
  return "hello " + name;
}
std::string GreetStd(std::string name) {
  return "hello " + name;
}
int64_t Length(const char *text) {
  return static_cast<int64_t>(std::string(text).size());
}
ffi::Bytes Reverse(ffi::Bytes bytes) {
  std::string copy(bytes.data(), bytes.size());
  return ffi::Bytes(std::string(copy.rbegin(), copy.rend()));
}
void *SamePointer(void *pointer) {
  return pointer;
}
DLDataType SameDtype(DLDataType dtype) {
  return dtype;
}
ffi::String DtypeText(DLDataType dtype) {
  return ffi::DLDataTypeToString(dtype);
}
DLDataType DtypeOf(ffi::String text) {
  return ffi::StringToDLDataType(text);
}
DLDevice SameDevice(DLDevice device) {
  return device;
}
ffi::Any SameAny(ffi::Any any) {
  return any;
}
ffi::String TypeOf(ffi::AnyView any) {
  return any.GetTypeKey();
}
ffi::ObjectRef SameObject(ffi::ObjectRef object) {
  return object;
}

ffi::Optional<int64_t> MaybeInt(ffi::Optional<int64_t> a) {
  return a;
}
ffi::Optional<ffi::String> MaybeString(ffi::Optional<ffi::String> a) {
  return a;
}
ffi::Optional<DLDataType> MaybeDtype(ffi::Optional<DLDataType> a) {
  return a;
}
ffi::Optional<ffi::Function> MaybeFunction(ffi::Optional<ffi::Function> a) {
  return a;
}
ffi::Optional<ffi::Tensor> MaybeTensor(ffi::Optional<ffi::Tensor> a) {
  return a;
}
int64_t MaybeView(ffi::Optional<ffi::TensorView> a) {
  return a.has_value() ? a.value().ndim() : -1;
}
int64_t ForceInt(ffi::Optional<int64_t> a) {
  return a.value();
}

// Tensors.
void AddOne(ffi::TensorView y, ffi::TensorView x) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 1) << "x must be one-dimensional";
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError) << "got " << x.dtype();
  TVM_FFI_CHECK_EQ(x.size(0), y.size(0), ValueError) << "shapes differ";
  for (int64_t i = 0; i < x.size(0); ++i) {
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] + 1;
  }
}
ffi::String Describe(ffi::TensorView x) {
  std::ostringstream os;
  os << x.dtype() << " ndim " << x.ndim() << " numel " << x.numel() << " contiguous "
     << x.IsContiguous() << " on " << x.device().device_type << "," << x.device().device_id << " [";
  for (int64_t i = 0; i < x.ndim(); ++i) os << x.size(i) << "/" << x.strides()[i] << " ";
  os << "]";
  return os.str();
}
int64_t SizeOf(ffi::TensorView x, int64_t dim) {
  return x.size(dim);
}
int64_t StrideOf(ffi::Tensor x, int64_t dim) {
  return x.stride(dim);
}
ffi::Tensor SameTensor(ffi::Tensor x) {
  return x;
}
int64_t CountUses(ffi::Tensor x) {
  return x.use_count();
}
ffi::Tensor MakeTensor(ffi::Shape shape, DLDataType dtype) {
  ffi::Tensor x =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, dtype, DLDevice{kDLCPU, 0});
  char *data = static_cast<char *>(x.data_ptr());
  for (size_t i = 0; i < ffi::GetDataSize(*x.GetDLTensorPtr()); ++i) data[i] = 0;
  return x;
}
struct MallocAlloc {
  void AllocData(DLTensor *tensor) { tensor->data = calloc(ffi::GetDataSize(*tensor) + 1, 1); }
  void FreeData(DLTensor *tensor) { free(tensor->data); }
};
ffi::Tensor MakeOwn(ffi::Shape shape, DLDataType dtype) {
  return ffi::Tensor::FromNDAlloc(MallocAlloc(), shape, dtype, DLDevice{kDLCPU, 0});
}
ffi::Tensor RoundTrip(ffi::Tensor x) {
  return ffi::Tensor::FromDLPack(x.ToDLPack());
}
ffi::Tensor RoundTripVersioned(ffi::Tensor x) {
  return ffi::Tensor::FromDLPackVersioned(x.ToDLPackVersioned());
}
int64_t Stream(ffi::TensorView x) {
  return reinterpret_cast<int64_t>(
      TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
}

// Shapes and containers.
ffi::Shape SameShape(ffi::Shape shape) {
  return shape;
}
int64_t Product(ffi::Shape shape) {
  return shape.Product();
}
ffi::Shape MakeShape(int64_t n) {
  std::vector<int64_t> extents;
  for (int64_t i = 0; i < n; ++i) extents.push_back(i + 1);
  return ffi::Shape(extents);
}
ffi::Array<int64_t> Sorted(ffi::Array<int64_t> array) {
  std::vector<int64_t> values(array.begin(), array.end());
  std::sort(values.begin(), values.end());
  return ffi::Array<int64_t>(values);
}
ffi::Array<ffi::Any> Append(ffi::Array<ffi::Any> array, ffi::Any value) {
  array.push_back(value);
  return array;
}
ffi::Any Item(ffi::Array<ffi::Any> array, int64_t i) {
  return array[i];
}
ffi::Array<ffi::Array<ffi::String>> Nested(int64_t n) {
  ffi::Array<ffi::Array<ffi::String>> outer;
  for (int64_t i = 0; i < n; ++i)
    outer.push_back({ffi::String("a"), ffi::String("a long enough text")});
  return outer;
}
ffi::Tuple<int64_t, ffi::String> MakePair(int64_t a, ffi::String b) {
  return ffi::Tuple<int64_t, ffi::String>(a, b);
}
ffi::String PairText(ffi::Tuple<int64_t, ffi::String> pair) {
  return std::to_string(pair.get<0>()) + std::string(pair.get<1>());
}
ffi::String WhichOne(ffi::Variant<int64_t, ffi::String, ffi::Array<int64_t>> value) {
  if (value.as<int64_t>()) return "int";
  return value.as<ffi::String>() ? "str" : "array";
}
// Map code inlined from the headers makes these; the runtime must be able to look keys up in them.
ffi::Map<ffi::String, int64_t> MakeMap(int64_t n) {
  ffi::Map<ffi::String, int64_t> map;
  for (int64_t i = 0; i < n; ++i) map.Set("key " + std::to_string(i), i * i);
  return map;
}
ffi::Any MapGet(ffi::Map<ffi::String, int64_t> map, ffi::String key) {
  return map[key];
}
ffi::Array<ffi::Any> MapItems(ffi::Map<ffi::Any, ffi::Any> map) {
  ffi::Array<ffi::Any> items;
  for (const auto &[key, value] : map) {
    items.push_back(key);
    items.push_back(value);
  }
  return items;
}
ffi::Map<ffi::Any, ffi::Any> MixedMap() {
  ffi::Map<ffi::Any, ffi::Any> map;
  map.Set(1, "one");
  map.Set(2.5, ffi::Shape{1, 2});
  map.Set(ffi::String("a long enough text"), nullptr);
  map.Set(ffi::Bytes(std::string("\x01\x02")), true);
  map.Set(DLDevice{kDLCUDA, 1}, DLDataType{kDLInt, 8, 1});
  map.Set(ffi::Array<ffi::Any>{1, 2}, 12);
  return map;
}

// Functions.
ffi::Any Call(ffi::Function function, ffi::Any value) {
  return function(value);
}
double CallTyped(ffi::TypedFunction<double(double, double)> function, double a, double b) {
  return function(a, b);
}
ffi::Function Adder(int64_t a) {
  return ffi::Function::FromTyped([a](int64_t b) { return a + b; });
}
ffi::Function NamedAdder(int64_t a) {
  return ffi::Function::FromTyped(
      [a](int64_t b, ffi::Optional<ffi::String> c) -> int64_t { return a + b + c.has_value(); },
      "adder");
}
ffi::Function Packed() {
  return ffi::Function::FromPacked(
      [](ffi::PackedArgs args, ffi::Any *result) { *result = static_cast<int64_t>(args.size()); });
}
ffi::Any CallGlobal(ffi::String name, ffi::Any value) {
  return ffi::Function::GetGlobalRequired(name)(value);
}
bool HasGlobal(ffi::String name) {
  return ffi::Function::GetGlobal(name).has_value();
}
ffi::String Caught(ffi::Function function) {
  try {
    function();
  } catch (const ffi::Error &error) {
    std::string text = error.kind() + "/" + error.message();
    if (auto cause = error.cause_chain()) text += "/" + cause->kind() + "/" + cause->message();
    return text;
  }
  return "nothing";
}
void Rethrown(ffi::Function function) {
  try {
    function();
  } catch (const ffi::Error &error) {
    throw ffi::Error("RuntimeError", "rethrown", "", error, ffi::Shape{1, 2});
  }
}
int64_t Moved(ffi::RValueRef<ffi::Array<int64_t>> array) {
  ffi::Array<int64_t> mine = *std::move(array);
  return mine.use_count();
}
int64_t CallMoved(ffi::Function function) {
  ffi::Array<int64_t> array{1, 2, 3};
  return function(ffi::RValueRef<ffi::Array<int64_t>>(std::move(array))).cast<int64_t>();
}
ffi::Function TakesMoved() {
  return ffi::Function::FromTyped(Moved);
}

// Errors.
void ThrowKind(int64_t number) {
  switch (number) {
    case 0:
      TVM_FFI_THROW(ValueError) << "value " << number;
    case 1:
      TVM_FFI_THROW(TypeError) << "type " << number;
    case 2:
      TVM_FFI_THROW(RuntimeError) << "runtime " << number;
    case 3:
      TVM_FFI_THROW(InternalError) << "internal " << number;
    case 4:
      TVM_FFI_THROW(IndexError) << "index " << number;
    case 5:
      TVM_FFI_THROW(KeyError) << "key " << number;
    case 6:
      TVM_FFI_THROW(AttributeError) << "attribute " << number;
    case 7:
      TVM_FFI_THROW(AssertionError) << "assertion " << number;
    case 8:
      TVM_FFI_THROW(NotImplementedError) << "not implemented " << number;
    case 9:
      TVM_FFI_THROW(MyOwnKind) << "own " << number;
    case 10:
      throw std::runtime_error("an exception of std");
    case 11:
      throw ffi::Error("a.kind", std::string(1000, 'x'), "");
    case 12:
      throw ffi::EnvErrorAlreadySet();
    case 13:
      throw std::bad_alloc();
    default:
      break;
  }
}
void Check(int64_t x) {
  TVM_FFI_CHECK(x > 0 && x < 10, ValueError) << "x is " << x;
}
void ICheck(int64_t x) {
  TVM_FFI_ICHECK(x > 0) << "x is " << x;
  TVM_FFI_ICHECK_LT(x, 10) << "x is large";
}
bool NotNull(void *pointer) {
  void *same = TVM_FFI_CHECK_NOTNULL(pointer, ValueError);
  return same == pointer;
}
int64_t BadCast(ffi::Any any) {
  return any.cast<int64_t>();
}
ffi::Expected<int64_t> Expect(int64_t x) {
  if (x < 0) return ffi::Error("ValueError", "negative", "");
  return x;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("compat.add", AddInt, "Add two integers.")
      .def("compat.sum_all",
           [](ffi::Array<double> values) {
             double total = 0;
             for (double value : values) total += value;
             return total;
           })
      .def_packed("compat.count",
                  [](ffi::PackedArgs args, ffi::Any *result) { *result = args.size(); });
}

// Kernels in real libraries have up to 46 parameters.
double Many(ffi::TensorView a, ffi::TensorView b, ffi::Optional<ffi::TensorView> c, int64_t d,
            double e, bool f, ffi::Optional<double> g, ffi::String h, DLDataType i,
            ffi::Optional<int64_t> j, ffi::Array<int64_t> k, void *l, int32_t m, float n,
            uint64_t o, std::string p, ffi::Variant<double, ffi::Tensor> q, ffi::Shape r,
            ffi::Optional<bool> s, size_t t, const ffi::Tensor &u,
            const ffi::Optional<ffi::TensorView> &v, const int64_t w) {
  return static_cast<double>(a.numel() + b.numel() + c.has_value() + d) + e + f + g.value_or(0.5) +
         static_cast<double>(h.size() + i.bits + static_cast<size_t>(j.value_or(1)) + k.size() +
                             (l != nullptr)) +
         m + n + static_cast<double>(o + p.size()) + q.as<double>().value_or(0.25) +
         static_cast<double>(r.size() + s.has_value() + t + static_cast<size_t>(u.ndim()) +
                             v.has_value()) +
         static_cast<double>(w);
}
const auto Lambda = [](int64_t x) { return x + 1; };

}  // namespace

#define EXPORT(name, function) TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function)
EXPORT(add_int, AddInt);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(add_int, "Add two integers.\nOf 64 bits.");
EXPORT(narrow_int, NarrowInt);
EXPORT(narrow_byte, NarrowByte);
EXPORT(big_unsigned, BigUnsigned);
EXPORT(add_double, AddDouble);
EXPORT(halve_float, HalveFloat);
EXPORT(not_, Not);
EXPORT(next_color, NextColor);
EXPORT(nothing, Nothing);
EXPORT(greet, Greet);
EXPORT(greet_std, GreetStd);
EXPORT(length, Length);
EXPORT(reverse, Reverse);
EXPORT(same_pointer, SamePointer);
EXPORT(same_dtype, SameDtype);
EXPORT(dtype_text, DtypeText);
EXPORT(dtype_of, DtypeOf);
EXPORT(same_device, SameDevice);
EXPORT(same_any, SameAny);
EXPORT(type_of, TypeOf);
EXPORT(same_object, SameObject);
EXPORT(maybe_int, MaybeInt);
EXPORT(maybe_string, MaybeString);
EXPORT(maybe_dtype, MaybeDtype);
EXPORT(maybe_function, MaybeFunction);
EXPORT(maybe_tensor, MaybeTensor);
EXPORT(maybe_view, MaybeView);
EXPORT(force_int, ForceInt);
EXPORT(add_one, AddOne);
EXPORT(describe, Describe);
EXPORT(size_of, SizeOf);
EXPORT(stride_of, StrideOf);
EXPORT(same_tensor, SameTensor);
EXPORT(count_uses, CountUses);
EXPORT(make_tensor, MakeTensor);
EXPORT(make_own, MakeOwn);
EXPORT(round_trip, RoundTrip);
EXPORT(round_trip_versioned, RoundTripVersioned);
EXPORT(stream, Stream);
EXPORT(same_shape, SameShape);
EXPORT(product, Product);
EXPORT(make_shape, MakeShape);
EXPORT(sorted, Sorted);
EXPORT(append, Append);
EXPORT(item, Item);
EXPORT(nested, Nested);
EXPORT(make_pair, MakePair);
EXPORT(pair_text, PairText);
EXPORT(which_one, WhichOne);
EXPORT(make_map, MakeMap);
EXPORT(map_get, MapGet);
EXPORT(map_items, MapItems);
EXPORT(mixed_map, MixedMap);
EXPORT(call, Call);
EXPORT(call_typed, CallTyped);
EXPORT(adder, Adder);
EXPORT(named_adder, NamedAdder);
EXPORT(packed, Packed);
EXPORT(call_global, CallGlobal);
EXPORT(has_global, HasGlobal);
EXPORT(caught, Caught);
EXPORT(rethrown, Rethrown);
EXPORT(call_moved, CallMoved);
EXPORT(takes_moved, TakesMoved);
EXPORT(throw_kind, ThrowKind);
EXPORT(check, Check);
EXPORT(icheck, ICheck);
EXPORT(not_null, NotNull);
EXPORT(bad_cast, BadCast);
EXPORT(expect, Expect);
EXPORT(many, Many);
EXPORT(lambda, Lambda);
