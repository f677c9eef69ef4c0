/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as users write them, built lean and with default visibility; tests load them. */
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

namespace my_kernels {

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 1) << "x must be a vector";
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError) << "got " << x.dtype();
  TVM_FFI_CHECK(x.size(0) == y.size(0), ValueError)
      << "sizes differ: " << x.size(0) << " and " << y.size(-1);
  for (int64_t i = 0; i < x.size(0); ++i) {
    static_cast<float *>(y.data_ptr())[i] = static_cast<const float *>(x.data_ptr())[i] + 1;
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(add_one, "Adds one to each element.");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_again, &AddOne)

enum class Mode : int32_t { kFirst = 1, kSecond };

int64_t Everything(const int64_t a, double b, bool c, const ffi::Optional<int64_t> &d, Mode e,
                   uint64_t f, DLDataType g, DLDevice h, ffi::String i, void *j,
                   const ffi::Optional<ffi::TensorView> k, ffi::Array<int64_t> l) {
  return a + static_cast<int64_t>(b) + (c ? 1 : 0) + d.value_or(100) + static_cast<int64_t>(e) +
         static_cast<int64_t>(f) + g.bits + h.device_id + static_cast<int64_t>(i.size()) +
         (j != nullptr ? 1000 : 0) + (k.has_value() ? k.value().ndim() : 0) +
         static_cast<int64_t>(l.size());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(everything, Everything)

}  // namespace my_kernels

namespace {
int64_t func(int64_t x) {
  return -x;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(func, func);
auto twice = [](int64_t x) { return 2 * x; };
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, twice);
// A name that the exporting macro might use for a variable of its own.
int64_t result(int64_t args) {
  return args + 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(result, result);
}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(in_place, [](ffi::Function f, ffi::Any x) { return f(x, "text"); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, [](bool as_number) {
  if (as_number) throw 3;
  TVM_FFI_THROW(KeyError) << "no key " << 7;
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple, [](ffi::Tuple<int64_t, double> t) {
  return ffi::Tuple(static_cast<double>(t.get<0>()) + t.get<1>(), ffi::String("sum"));
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(which, [](ffi::Variant<double, ffi::Tensor> v) {
  return ffi::String(v.as<double>() ? "double" : v.as<ffi::Tensor>() ? "tensor" : "none");
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nonzero, [](ffi::TensorView x) {
  // The shape of the output depends on data.
  int64_t count = 0, position = 0;
  const float *input = static_cast<const float *>(x.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) count += input[i] != 0.0f ? 1 : 0;
  ffi::Tensor out = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({count}),
                                              DLDataType{kDLInt, 64, 1}, x.device());
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (input[i] != 0.0f) static_cast<int64_t *>(out.data_ptr())[position++] = i;
  }
  return out;
});

class Counter : public ffi::ModuleObj {
 public:
  explicit Counter(int64_t start) : value_(start) {}
  const char *kind() const final { return "counter"; }
  int GetPropertyMask() const final { return ffi::Module::kRunnable; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    if (name == "next") return ffi::Function::FromTyped([this]() { return value_++; });
    if (name == "null") return ffi::Function(nullptr);
    return std::nullopt;
  }

 private:
  int64_t value_;
};
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_counter, [](int64_t start) {
  return ffi::Module(ffi::make_object<Counter>(start));
});

// As many parameters as the largest export of a real library.
#define P6(i)                                                                                    \
  ffi::TensorView a##i, ffi::TensorView b##i, int64_t c##i, ffi::Optional<ffi::TensorView> d##i, \
      double e##i, bool f##i
#define USE(i)                                                                      \
  (c##i + static_cast<int64_t>(e##i) + (f##i ? 1 : 0) + a##i.ndim() + b##i.ndim() + \
   (d##i.has_value() ? 1 : 0))
int64_t ManyParameters(P6(0), P6(1), P6(2), P6(3), P6(4), P6(5), P6(6), int64_t x, int64_t y,
                       int64_t z, int64_t w) {
  return USE(0) + USE(1) + USE(2) + USE(3) + USE(4) + USE(5) + USE(6) + x + y + z + w;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(many, ManyParameters)
