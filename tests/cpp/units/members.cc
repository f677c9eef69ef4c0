/* SPDX-License-Identifier: Apache-2.0 */
/* The members of the classes of tensors and containers that kernels use. Optional, String, Shape,
 * make_object and Function are used without including their headers. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>

using namespace tvm::ffi;

namespace {

/* ---- Tensors ---- */

template <typename AnyTensor>
String describe_any(AnyTensor x) {
  std::ostringstream os;
  os << x.dtype() << " " << x.ndim() << "=" << x.dim() << " numel " << x.numel() << " offset "
     << x.byte_offset() << " on " << x.device().device_type << ":" << x.device().device_id
     << (x.IsContiguous() ? " contiguous" : " strided");
  for (int i = 0; i < x.ndim(); ++i) {
    os << " " << x.size(i) << "/" << x.stride(i);
    if (x.size(i) != x.sizes()[static_cast<size_t>(i)]) os << "!";
  }
  if (x.ndim() > 0) os << " last " << x.size(-1) << "/" << x.stride(-1);
  ShapeView shape = x.shape();
  os << " shape";
  for (int64_t extent : shape) os << " " << extent;
  os << " strides " << x.strides().size();
  for (const int64_t *stride = x.strides().begin(); stride != x.strides().end(); ++stride) {
    os << " " << *stride;
  }
  return os.str();
}
String describe_view(TensorView x) {
  return describe_any(x);
}
String describe_tensor(Tensor x) {
  return describe_any(x);
}

/* Converts a Tensor to a view, and copies views. */
int64_t sum(TensorView x) {
  const TensorView copy = x;
  int64_t total = 0;
  for (int64_t i = 0; i < copy.numel(); ++i) total += static_cast<int32_t *>(copy.data_ptr())[i];
  return total;
}
int64_t sum_tensor(Tensor x) {
  TensorView view = x;
  view = x;
  return sum(view) + sum(x);
}

/* A null Tensor that is assigned later. */
int64_t empty_tensor(Tensor other) {
  Tensor x{};
  int64_t known = x.GetDLTensorPtr() == nullptr ? 1 : 0;
  if (!x.defined()) known += 10;
  x = other;
  if (x.GetDLTensorPtr() != nullptr && x.data_ptr() == other.data_ptr()) known += 100;
  return known;
}
/* Reads a property of the view of a null Tensor. */
int64_t view_of_empty_tensor() {
  Tensor x{};
  TensorView view = x;
  return view.ndim();
}

struct Allocator {
  explicit Allocator(int64_t *count) : count_(count) {}
  void AllocData(DLTensor *x) {
    x->data = std::malloc(GetDataSize(*x) + 1);
    std::memset(x->data, 0, GetDataSize(*x));
    ++*count_;
  }
  void FreeData(DLTensor *x) {
    std::free(x->data);
    --*count_;
  }

 private:
  int64_t *count_;
};
int64_t alive = 0;
Tensor own_tensor(Shape shape, DLDataType dtype) {
  return Tensor::FromNDAlloc(Allocator(&alive), shape, dtype, DLDevice{kDLCPU, 0});
}
int64_t count_alive() {
  return alive;
}
Tensor env_tensor(int64_t n) {
  Tensor x = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {n, 2}, DLDataType{kDLInt, 8, 1},
                                  DLDevice{kDLCPU, 0});
  std::fill_n(static_cast<int8_t *>(x.data_ptr()), x.numel(), int8_t{9});
  return x;
}
int64_t data_size(Tensor x) {
  return static_cast<int64_t>(GetDataSize(*x.GetDLTensorPtr()));
}

/* ---- Shapes ---- */

int64_t read_shape(ShapeView shape) {
  int64_t product = 1;
  for (size_t i = 0; i < shape.size(); ++i) product *= shape[i];
  return product + (shape.data() == shape.begin() ? 0 : 1) + (shape.end() - shape.begin());
}
int64_t shapes(int64_t n) {
  Shape list{n, n + 1};
  Shape copy = list;
  Shape vector(std::vector<int64_t>{n, n, n});
  ShapeView view = vector;
  return read_shape(list) + read_shape(copy) + read_shape(view) + read_shape({n}) + copy[1];
}

/* ---- Optional ---- */

int64_t count_dimensions(std::optional<TensorView> x) {
  return x.has_value() ? x->ndim() : -1;
}
Optional<TensorView> first_of(std::optional<TensorView> a, Optional<TensorView> b) {
  if (a.has_value()) return a;
  return b;
}
std::optional<TensorView> as_std(const Optional<TensorView> &x) {
  return x.has_value() ? std::optional<TensorView>(x.value()) : std::nullopt;
}
int64_t optional_views(Optional<TensorView> a, Optional<TensorView> b) {
  Optional<TensorView> first = first_of(as_std(a), b);
  return count_dimensions(as_std(first)) + 10 * count_dimensions(as_std(b)) +
         100 * count_dimensions(std::nullopt);
}
int64_t with_default(TensorView a, Optional<TensorView> b = Optional<TensorView>()) {
  return a.ndim() + (b.has_value() ? b.value().ndim() : 0);
}
int64_t call_with_default(TensorView a) {
  return with_default(a) + 10 * with_default(a, a) + 100 * with_default(a, std::nullopt);
}
String optionals(int64_t n) {
  Optional<int64_t> a = n, b = std::nullopt, c = a;
  Optional<double> d = 0.5;
  Optional<float> e;
  Optional<bool> f = true;
  Optional<DLDataType> g = DLDataType{kDLBfloat, 16, 1};
  Optional<Array<int64_t>> h = Array<int64_t>{n};
  Optional<Function> i = Function(nullptr), j = Function::FromTyped([n] { return n; });
  std::ostringstream os;
  os << a.value() << b.has_value() << b.value_or(-1) << c.value_or(-1) << d.value() << e.has_value()
     << f.value() << g.value() << h.value()[0] << i.has_value() << j.value()().cast<int64_t>();
  c = std::nullopt;
  e = 2.5f;
  os << c.has_value() << e.value();
  return os.str();
}
int64_t absent() {
  Optional<int64_t> nothing;
  return nothing.value();
}

/* ---- Containers ---- */

Array<int64_t> arrays(int64_t n) {
  Array deduced({n, n + 1, n + 2});
  Array<int> ints{1, 2};
  Array<String> texts{"a", String("b")};
  Array<int64_t> result;
  result.reserve(8);
  for (int64_t value : deduced) result.push_back(value);
  for (auto item = deduced.begin(); item != deduced.end(); ++item) result.push_back(-*item);
  result.push_back(ints[1]);
  result.push_back(static_cast<int64_t>(texts.size()));
  return result;
}
int64_t out_of_range(Array<int64_t> array, int64_t i) {
  return array[i];
}
String scale_of(Variant<double, Tensor> scale) {
  std::optional<double> number = scale.as<double>();
  std::optional<Tensor> tensor = scale.as<Tensor>();
  if (tensor.has_value()) return "a tensor of " + std::to_string(tensor->numel());
  return number.has_value() ? "a number" : "nothing";
}
String strings(int64_t n) {
  String literal = "literal";
  String moved(std::string(static_cast<size_t>(n), 'x'));
  std::string back = moved;
  if (literal == "literal" && back.size() == static_cast<size_t>(n)) back += "!";
  return back + std::string(literal);
}
String dtype_text(DLDataType dtype) {
  return DLDataTypeToString(dtype);
}
String dtypes(DLDataType a, DLDataType b) {
  std::ostringstream os;
  os << a << (a == b ? " == " : " ") << (a != b ? "!= " : "") << b;
  return os.str();
}

/* ---- Functions ---- */

/* A runner whose functions call it. */
class RunnerModule : public ModuleObj {
 public:
  explicit RunnerModule(int64_t base) : base_(base) {}
  const char *kind() const final { return "runner"; }
  Optional<Function> GetFunction(const String &name) final {
    if (name == "run") {
      return Function::FromTyped(
          [this](TensorView a, TensorView b, Optional<TensorView> c, int64_t d, int64_t e,
                 int64_t f, int64_t g, int64_t h, int64_t i, double j, double k, bool l, bool m,
                 Optional<double> n, Optional<int64_t> o, Array<int64_t> p, int64_t q, int64_t r,
                 int64_t s, int64_t t, int64_t u, int64_t v, int64_t w, int64_t x, int64_t y,
                 int64_t z, Optional<Tensor> first, Optional<bool> last) {
            return Run(a.ndim() + b.ndim() + (c.has_value() ? 1 : 0) + d + e + f + g + h + i +
                       static_cast<int64_t>(j + k) + (l ? 1 : 0) + (m ? 1 : 0) +
                       static_cast<int64_t>(n.value_or(0)) + o.value_or(0) +
                       static_cast<int64_t>(p.size()) + q + r + s + t + u + v + w + x + y + z +
                       (first.has_value() ? 1 : 0) + (last.has_value() ? 1 : 0));
          });
    }
    if (name == "base") return Function::FromTyped([this]() -> int64_t { return base_; });
    if (name == "set") return Function::FromTyped([this](int64_t base) { base_ = base; });
    return Function(nullptr);
  }

 private:
  int64_t Run(int64_t value) const { return base_ + value; }

  int64_t base_;
};
/* Its functions have neither override nor final. */
class SilentModule : public ModuleObj {
 public:
  const char *kind() const { return "silent"; }
  Optional<Function> GetFunction(const String &) { return std::nullopt; }
};
Module make_runner(int64_t base) {
  auto runner = make_object<RunnerModule>(base);
  return Module(runner);
}
Module make_silent() {
  return Module(make_object<SilentModule>());
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe_view, describe_view);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe_tensor, describe_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_tensor, sum_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(empty_tensor, empty_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view_of_empty_tensor, view_of_empty_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_tensor, own_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_alive, count_alive);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(env_tensor, env_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(data_size, data_size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shapes, shapes);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(optional_views, optional_views);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_with_default, call_with_default);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(optionals, optionals);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(absent, absent);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(arrays, arrays);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(out_of_range, out_of_range);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale_of, scale_of);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(strings, strings);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dtype_text, dtype_text);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dtypes, dtypes);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_runner, make_runner);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_silent, make_silent);

}  // namespace
