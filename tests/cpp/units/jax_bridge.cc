/* SPDX-License-Identifier: Apache-2.0 */
/* A bridge from another framework's calls: attributes of every width become arguments, buffers
 * become views, and the callee is called through the function pointer in its object. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace {

namespace ffi = tvm::ffi;

/* Uses functions of standard headers that this file does not include. */
std::vector<int64_t> sorted_extents(ffi::ShapeView shape) {
  std::vector<int64_t> extents(shape.size());
  memcpy(extents.data(), shape.data(), shape.size() * sizeof(int64_t));
  std::sort(extents.begin(), extents.end());
  return extents;
}

template <typename T>
ffi::Any widen(int64_t value) {
  return static_cast<T>(value);
}
ffi::Any attribute(int64_t width, int64_t value) {
  ffi::Any any;
  switch (width) {
    case 0:
      any = value != 0;
      return any;
    case 1:
      return widen<int8_t>(value);
    case 2:
      return widen<int16_t>(value);
    case 3:
      return widen<int32_t>(value);
    case 4:
      return widen<int64_t>(value);
    case 5:
      return widen<uint8_t>(value);
    case 6:
      return widen<uint16_t>(value);
    case 7:
      return widen<uint32_t>(value);
    case 8:
      return widen<uint64_t>(value);
    case 9:
      return widen<float>(value);
    case 10:
      return widen<double>(value);
    default:
      TVM_FFI_THROW(ValueError) << "no attribute of width " << width;
  }
}

template <typename T>
ffi::Any array_of(int64_t n) {
  T values[8];
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 100);
  return ffi::Array<T>(values, values + n);
}
ffi::Any attribute_array(int64_t width, int64_t n) {
  TVM_FFI_CHECK(n >= 0 && n <= 8, ValueError) << "n is " << n;
  switch (width) {
    case 0:
      return array_of<bool>(n);
    case 1:
      return array_of<int8_t>(n);
    case 2:
      return array_of<int16_t>(n);
    case 3:
      return array_of<int32_t>(n);
    case 4:
      return array_of<int64_t>(n);
    case 5:
      return array_of<uint8_t>(n);
    case 6:
      return array_of<uint16_t>(n);
    case 7:
      return array_of<uint32_t>(n);
    case 8:
      return array_of<uint64_t>(n);
    case 9:
      return array_of<float>(n);
    default:
      return array_of<double>(n);
  }
}

/* Calls a function through the object's safe_call, with arguments collected in a vector. */
ffi::Any call(ffi::Function callee, ffi::Tensor x, int64_t attributes) {
  std::vector<ffi::Any> kept;
  std::vector<ffi::AnyView> args;
  DLTensor buffer = *x.GetDLTensorPtr();
  const char text[] = "attribute and more";
  kept.reserve(static_cast<size_t>(attributes));
  for (int64_t i = 0; i < attributes; ++i) kept.push_back(attribute(i, i + 1));
  args.emplace_back(&buffer);
  args.emplace_back(x);
  args.emplace_back(attributes);
  const ffi::String name(text, 9);
  args.emplace_back(name);
  for (ffi::Any &any : kept) args.emplace_back(any);
  const ffi::FunctionObj *object = static_cast<const ffi::FunctionObj *>(callee.get());
  ffi::Any result;
  const int code = object->safe_call(
      const_cast<ffi::FunctionObj *>(object), reinterpret_cast<const TVMFFIAny *>(args.data()),
      static_cast<int32_t>(args.size()), reinterpret_cast<TVMFFIAny *>(&result));
  TVM_FFI_CHECK_SAFE_CALL(code);
  return result;
}

/* An output whose memory the framework provides as a functor. */
struct Scratch {
  explicit Scratch(std::vector<char> *memory) : memory_(memory) {}
  void AllocData(DLTensor *x) {
    memory_->resize(ffi::GetDataSize(*x));
    x->data = memory_->data();
  }
  void FreeData(DLTensor *) { memory_->clear(); }

 private:
  std::vector<char> *memory_;
};
ffi::String scratch(ffi::TensorView x) {
  static std::vector<char> memory;
  std::ostringstream os;
  {
    const std::vector<int64_t> extents = sorted_extents(x.shape());
    ffi::Tensor out = ffi::Tensor::FromNDAlloc(
        Scratch(&memory), ffi::ShapeView(extents.data(), extents.size()), x.dtype(), x.device());
    ffi::Tensor other = out;
    os << "uses " << out.use_count() << " bytes " << memory.size() << " extents";
    for (int64_t extent : out.shape()) os << " " << extent;
  }
  os << " then " << memory.size();
  return os.str();
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(attribute, attribute);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(attribute_array, attribute_array);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, call);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scratch, scratch);

}  // namespace
