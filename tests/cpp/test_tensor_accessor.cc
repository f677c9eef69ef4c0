/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of known dtype and rank, with checked indices. */
#define TVM_FFI_CHECK_INDEX 1
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor_accessor.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::ContiguousAccessor;
using ffi::Function;
using ffi::TensorAccessor;
using ffi::TensorView;

struct Half {
  uint16_t bits;
};
template <>
struct tvm::ffi::dtype_trait<Half> {
  static constexpr DLDataType value = {kDLFloat, 16, 1};
};

/** A type that accepts only the integer 1: other integers have the right type but do not fit. */
struct One {
  int64_t value = 1;
};
template <>
struct tvm::ffi::TypeTraits<One> : detail::NamedTraits<One> {
  using TvmFfiOwn = void;
  static constexpr const char *type_str = "One";
  static constexpr const char *type_schema = "One";
  static void CopyToAnyView(const One &source, TVMFFIAny *out) {
    TypeTraits<int64_t>::CopyToAnyView(source.value, out);
  }
  static void MoveToAny(const One &source, TVMFFIAny *out) { CopyToAnyView(source, out); }
  static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIInt && source->v_int64 == 1;
  }
  static One CopyFromAnyViewAfterCheck(const TVMFFIAny *) { return {}; }
  static One MoveFromAnyAfterCheck(TVMFFIAny *) { return {}; }
  static int Read(const TVMFFIAny *source, One *out) {
    if (source->type_index != kTVMFFIInt) return detail::kReadMismatch;
    out->value = source->v_int64;
    return out->value == 1 ? detail::kReadOk : detail::kReadUnfit;
  }
  static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    text.Put(detail::TypeKeyOf(source->type_index));
  }
  static int Raise(const char *, const detail::TypeRecord *const *, const TVMFFIAny *, int32_t) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "this is not 1");
    return -1;
  }
  static constexpr detail::RaiseUnfitFn raise_unfit = Raise;
};

namespace {

/** A matrix of 2 x 3 elements 0, 1, ... on the CPU. */
template <typename T>
struct Matrix {
  T values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int64_t shape[3] = {2, 3, 1};
  int64_t strides[3] = {3, 1, 1};
  DLTensor tensor{};
  Matrix() {
    tensor.data = values;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = ffi::dtype_trait<T>::value;
    tensor.shape = shape;
    tensor.strides = strides;
  }
  void Transpose() {
    std::swap(shape[0], shape[1]);
    std::swap(strides[0], strides[1]);
  }
  operator DLTensor *() { return &tensor; }
};

TEST(TensorAccessor, ReadsAndWritesElements) {
  Matrix<float> matrix;
  const TensorAccessor<float, 2> x{TensorView(&matrix.tensor)};
  EXPECT_EQ(x(1, 2), 5);
  EXPECT_EQ(x[1][2], 5);
  x(0, 1u) = 10;
  x[0][2] = 20;
  EXPECT_EQ(matrix.values[1], 10);
  EXPECT_EQ(matrix.values[2], 20);
  EXPECT_EQ(x.data(), matrix.values);
  EXPECT_EQ(x.size(0), 2);
  EXPECT_EQ(x.stride(0), 3);
  EXPECT_EQ(x.numel(), 6);
  EXPECT_EQ(x.ndim() + x.dim(), 4);
  EXPECT_EQ(x.device().device_type, kDLCPU);
  static_assert(std::is_same_v<decltype(x(0, 0)), float &>);
  static_assert(std::is_same_v<decltype(x[0][0]), float &>);
  static_assert(std::is_same_v<decltype(TensorAccessor<const float, 1>()(0)), const float &>);
  static_assert(std::is_trivially_copyable_v<TensorAccessor<float, 2>>);
}

TEST(TensorAccessor, FollowsStridesAndOffset) {
  Matrix<int32_t> matrix;
  matrix.Transpose();
  matrix.tensor.byte_offset = 2 * sizeof(int32_t);
  const TensorAccessor<const int32_t, 2> x{TensorView(&matrix.tensor)};
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(2, 1), 7);
  EXPECT_EQ(x[2][1], 7);
}

TEST(TensorAccessor, TakesNoStridesForContiguous) {
  Matrix<double> matrix;
  matrix.tensor.strides = nullptr;
  const TensorAccessor<double, 2> strided{TensorView(&matrix.tensor)};
  const ContiguousAccessor<double, 2> contiguous{TensorView(&matrix.tensor)};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(strided(i, j), 3 * i + j);
      EXPECT_EQ(contiguous(i, j), 3 * i + j);
      EXPECT_EQ(contiguous[i][j], 3 * i + j);
    }
  }
  EXPECT_EQ(contiguous.stride(0), 3);
  EXPECT_EQ(contiguous.stride(1), 1);
  EXPECT_EQ(contiguous.numel(), 6);
}

TEST(TensorAccessor, OfNoDimensions) {
  Matrix<float> matrix;
  matrix.tensor.ndim = 0;
  const ContiguousAccessor<float, 0> x{TensorView(&matrix.tensor)};
  x() = 7;
  EXPECT_EQ(matrix.values[0], 7);
  EXPECT_EQ(x.numel(), 1);
  EXPECT_EQ((TensorAccessor<float, 0>(x)()), 7);
}

TEST(TensorAccessor, ConvertsToWhatCanDoLess) {
  Matrix<float> matrix;
  const ContiguousAccessor<float, 2> x{TensorView(&matrix.tensor)};
  const ContiguousAccessor<const float, 2> read = x;
  const TensorAccessor<float, 2> strided = x;
  const TensorAccessor<const float, 2> both = x;
  EXPECT_EQ(read(1, 0) + strided(1, 1) + both(1, 2), 12);
  EXPECT_EQ(both.stride(0), 3);
  static_assert(
      !std::is_convertible_v<TensorAccessor<const float, 2>, TensorAccessor<float, 2>> &&
      !std::is_convertible_v<TensorAccessor<float, 2>, ContiguousAccessor<float, 2>> &&
      !std::is_convertible_v<TensorAccessor<float, 2>, TensorAccessor<float, 2, kDLCUDA>> &&
      !std::is_convertible_v<TensorAccessor<float, 2>, TensorAccessor<float, 1>>);
}

TEST(TensorAccessor, ChecksIndices) {
  Matrix<float> matrix;
  const TensorAccessor<float, 2> x{TensorView(&matrix.tensor)};
  const ContiguousAccessor<float, 2> y = ContiguousAccessor<float, 2>(TensorView(&matrix.tensor));
  EXPECT_EQ(Caught([&] { x(0, 3) = 1; }),
            "IndexError: Index 3 is out of bounds for axis 1 with size 3");
  EXPECT_EQ(Caught([&] { y(-1, 0) = 1; }),
            "IndexError: Index -1 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(Caught([&] { x[2][0] = 1; }),
            "IndexError: Index 2 is out of bounds for axis 0 with size 2");
}

double Sum(TensorAccessor<const float, 2> x, ffi::Optional<ContiguousAccessor<double, 1>> total) {
  double sum = 0;
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(1); ++j) sum += x(i, j);
  }
  if (total.has_value()) total.value()(0) = sum;
  return sum;
}

TEST(TensorAccessor, IsAParameter) {
  const Function f = Function::FromTyped(Sum, "sum");
  Matrix<float> x;
  Matrix<double> y;
  y.tensor.ndim = 1;
  y.strides[0] = 1;
  EXPECT_EQ(f(static_cast<DLTensor *>(x), nullptr).cast<double>(), 15);
  EXPECT_EQ(f(TensorView(&x.tensor), static_cast<DLTensor *>(y)).cast<double>(), 15);
  EXPECT_EQ(y.values[0], 15);
  const std::string signature =
      "`sum(0: Tensor<float32, 2>, 1: Optional<Tensor<float64, 1>>) -> float`";
  EXPECT_EQ(Caught([&] { f(1, nullptr); }),
            "TypeError: Mismatched type on argument #0 when calling: " + signature +
                ". Expected `Tensor<float32, 2>` but got `int`");
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(y), nullptr); }),
            "TypeError: Mismatched dtype on argument #0 when calling: " + signature +
                ". Expected `float32` but got `float64`");
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(x)); }),
            "TypeError: Mismatched dtype on argument #1 when calling: " + signature +
                ". Expected `float64` but got `float32`");
  y.tensor.ndim = 2;
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(y)); }),
            "ValueError: Mismatched ndim on argument #1 when calling: " + signature +
                ". Expected 1 but got 2");
  y.tensor.ndim = 1;
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(y)); }), "nothing");
  y.strides[0] = 3;
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(y)); }),
            "ValueError: Mismatched strides on argument #1 when calling: " + signature +
                ". Expected a contiguous tensor but got strides [3] of shape [2]");
  x.tensor.device = {kDLCUDA, 1};
  EXPECT_EQ(Caught([&] { f(static_cast<DLTensor *>(x), nullptr); }),
            "ValueError: Mismatched device on argument #0 when calling: " + signature +
                ". Expected `cpu` but got `cuda:1`");
}

TEST(TensorAccessor, OfADeviceOrAny) {
  Matrix<float> x;
  const TensorView view(&x.tensor);
  x.tensor.device = {kDLCUDAHost, 0};
  EXPECT_EQ((TensorAccessor<float, 2>(TensorView(&x.tensor))(1, 2)), 5);
  EXPECT_EQ(Caught([&] { TensorAccessor<float, 2, kDLCUDA>(TensorView(&x.tensor)); }),
            "ValueError: Mismatched device. Expected `cuda` but got `cuda_host:0`");
  x.tensor.device = {kDLCUDAManaged, 0};
  EXPECT_EQ((TensorAccessor<float, 2, kDLCUDA>(TensorView(&x.tensor)).device().device_type),
            kDLCUDAManaged);
  x.tensor.device = {static_cast<DLDeviceType>(99), 0};
  EXPECT_EQ(Caught([&] { TensorAccessor<float, 2>(TensorView(&x.tensor)); }),
            "ValueError: Mismatched device. Expected `cpu` but got `device(99):0`");
  EXPECT_EQ((TensorAccessor<float, 2, ffi::kAnyDevice>(TensorView(&x.tensor)).data()), x.values);
}

TEST(TensorAccessor, OfAClassOfOnesOwn) {
  EXPECT_EQ(
      Function::FromTyped([](TensorAccessor<Half, 1>) {}, "f").CallExpected(1).error().message(),
      "Mismatched type on argument #0 when calling: `f(0: Tensor<float16, 1>) -> void`. "
      "Expected `Tensor<float16, 1>` but got `int`");
}

TEST(TensorAccessor, IsReadFromAValue) {
  Matrix<float> x;
  const ffi::AnyView value(static_cast<DLTensor *>(x));
  EXPECT_EQ((value.cast<TensorAccessor<const float, 2>>()(1, 1)), 4);
  EXPECT_FALSE((value.try_cast<TensorAccessor<const float, 1>>().has_value()));
  EXPECT_EQ(Caught([&] { value.cast<TensorAccessor<bool, 2>>(); }),
            "TypeError: Mismatched dtype. Expected `bool` but got `float32`");
  EXPECT_EQ(Caught([&] { ffi::AnyView(1).cast<TensorAccessor<bool, 2>>(); }),
            "TypeError: Cannot convert from type `int` to `Tensor<bool, 2>`");
}

TEST(TensorAccessor, IsWhatATensorIsTakenAs) {
  Matrix<float> x;
  const ffi::AnyView value(static_cast<DLTensor *>(x));
  EXPECT_EQ((value.as<TensorAccessor<const float, 2>>().value()(1, 1)), 4);
  EXPECT_FALSE((value.as<TensorAccessor<const float, 1>>().has_value()));
  EXPECT_FALSE((ffi::AnyView(1).as<TensorAccessor<const float, 1>>().has_value()));
  EXPECT_EQ(Caught([&] { value.as_or_throw<TensorAccessor<float, 2, kDLCUDA>>(); }),
            "TypeError: Cannot treat type `Tensor<float32, 2, cpu>` as type "
            "`Tensor<float32, 2, cuda>`");
}

/** The error of a function with one parameter when it gets the tensor. */
template <typename Param>
std::string Refusal(DLTensor *tensor) {
  const Function f = Function::FromTyped([](Param) {}, "f");
  return Caught([&] { f(tensor); });
}

TEST(TensorAccessor, OfDataThatIsAHandle) {
  Matrix<float> x;
  x.tensor.device = {kDLOpenCL, 0};
  const TensorAccessor<float, 2, kDLOpenCL> handle{TensorView(&x.tensor)};
  EXPECT_EQ(handle.data(), x.values);
  x.tensor.byte_offset = 16;
  EXPECT_EQ((Refusal<TensorAccessor<float, 2, kDLOpenCL>>(x)),
            "ValueError: Mismatched byte_offset on argument #0 when calling: "
            "`f(0: Tensor<float32, 2, opencl>) -> void`. Expected 0 on `opencl:0`, where data is a "
            "handle, but got 16");
  EXPECT_EQ(Caught([&] { TensorAccessor<float, 2, ffi::kAnyDevice>(TensorView(&x.tensor)); }),
            "ValueError: Mismatched byte_offset. Expected 0 on `opencl:0`, where data is a handle, "
            "but got 16");
}

TEST(TensorAccessor, OfDataThatIsMisaligned) {
  Matrix<float> x;
  x.tensor.byte_offset = 2;
  EXPECT_EQ((Refusal<TensorAccessor<const float, 2>>(x)),
            "ValueError: Mismatched alignment on argument #0 when calling: "
            "`f(0: Tensor<float32, 2>) -> void`. Expected a first element at a multiple of 4 bytes "
            "but got one 2 bytes behind it");
  x.tensor.dtype = ffi::dtype_trait<Half>::value;
  EXPECT_EQ((Refusal<TensorAccessor<const Half, 2>>(x)), "nothing");
  x.tensor.byte_offset = 3;
  EXPECT_NE((Refusal<TensorAccessor<const Half, 2>>(x)), "nothing");
  x.shape[1] = 0;
  EXPECT_EQ((Refusal<TensorAccessor<const Half, 2>>(x)), "nothing");
}

TEST(TensorAccessor, L_24_OfAnAlignmentOfItsOwn) {
  using Wide = ContiguousAccessor<const int32_t, 2, kDLCPU, 16>;
  alignas(16) static int32_t values[16];
  Matrix<int32_t> x;
  x.tensor.data = values;
  EXPECT_EQ(Refusal<Wide>(x), "nothing");
  x.tensor.byte_offset = 8;
  EXPECT_EQ(Refusal<Wide>(x),
            "ValueError: Mismatched alignment on argument #0 when calling: "
            "`f(0: Tensor<int32, 2>) -> void`. Expected a first element at a multiple of 16 bytes "
            "but got one 8 bytes behind it");
  x.tensor.byte_offset = 32;
  const ContiguousAccessor<const int32_t, 2> narrow = Wide(TensorView(&x.tensor));
  EXPECT_EQ(narrow.data(), values + 8);
  static_assert(!std::is_convertible_v<ContiguousAccessor<const int32_t, 2>, Wide>);
  static_assert(std::is_same_v<decltype(narrow[0]), ContiguousAccessor<const int32_t, 1>>);
}

TEST(TensorAccessor, L_27_OfAnInvalidTensor) {
  Matrix<float> x;
  x.shape[0] = -2;
  EXPECT_EQ((Refusal<TensorAccessor<const float, 2>>(x)),
            "ValueError: Mismatched shape on argument #0 when calling: "
            "`f(0: Tensor<float32, 2>) -> void`. Expected extents of 0 or more whose product fits "
            "int64 but got [-2, 3]");
  x.tensor.shape = nullptr;
  EXPECT_EQ(Caught([&] { TensorAccessor<float, 2>(TensorView(&x.tensor)); }),
            "ValueError: Mismatched shape. Expected the address of extents but got NULL and ndim "
            "2");
}

/** L-26: elements that are written must not be shared for reading only. */
TEST(TensorAccessor, L_26_OfAReadOnlyTensor) {
  Matrix<float> x;
  DLManagedTensorVersioned managed{};
  managed.version.major = DLPACK_MAJOR_VERSION;
  managed.dl_tensor = x.tensor;
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const ffi::Tensor tensor = ffi::Tensor::FromDLPackVersioned(&managed);
  const Function write = Function::FromTyped([](TensorAccessor<float, 2>) {}, "write");
  const Function read = Function::FromTyped([](TensorAccessor<const float, 2>) {}, "read");
  EXPECT_EQ(Caught([&] { write(tensor); }),
            "ValueError: Mismatched flags on argument #0 when calling: "
            "`write(0: Tensor<float32, 2>) -> void`. Expected memory that may be written but got a "
            "tensor that is shared for reading only");
  EXPECT_EQ(Caught([&] { read(tensor); }), "nothing");
  EXPECT_EQ(Caught([&] { write(static_cast<DLTensor *>(x)); }), "nothing"); /* it has no flags */
  managed.flags = 0;
  EXPECT_EQ(Caught([&] { write(ffi::Tensor::FromDLPackVersioned(&managed)); }), "nothing");
}

/** y = 10 x + its number in the walk, for every combination of strides. */
TEST(ForEach, WalksOverAnyStrides) {
  for (int order = 0; order < 4; ++order) {
    Matrix<float> x, y;
    if ((order & 1) != 0) x.strides[0] = 1, x.strides[1] = 2;
    if ((order & 2) != 0) y.strides[0] = 1, y.strides[1] = 2;
    float *at[6];
    int calls = 0;
    const TensorAccessor<const float, 2> from{TensorView(&x.tensor)};
    const TensorAccessor<float, 2> to{TensorView(&y.tensor)};
    ffi::ForEach(
        [&](float &a, const float &b) {
          a = 10 * b;
          at[calls++] = &a;
        },
        to, from);
    EXPECT_EQ(calls, 6);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_EQ(to(i, j), 10 * from(i, j));
    }
    for (int k = 0; k < 6; ++k) EXPECT_EQ(at[k], y.values + k) << "in the order of the first";
  }
}

TEST(ForEach, OfViewsOfAnyRank) {
  int64_t shape[] = {2, 1, 3, 2}, strides[] = {-6, 99, 0, 1};
  float values[12];
  Matrix<float> from;
  DLTensor x = from.tensor, y = from.tensor;
  x.ndim = y.ndim = 4;
  x.shape = y.shape = shape;
  x.strides = strides; /* rows from behind, and each repeated */
  x.byte_offset = 6 * sizeof(float);
  y.strides = nullptr;
  y.data = values;
  ffi::ForEach<float, const float>([](float &a, const float &b) { a = b; }, TensorView(&y),
                                   TensorView(&x));
  const float expected[] = {6, 7, 6, 7, 6, 7, 0, 1, 0, 1, 0, 1};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(values[i], expected[i]) << i;

  y.ndim = x.ndim = 0; /* one element */
  ffi::ForEach<float, const float>([](float &a, const float &b) { a = b + 1; }, TensorView(&y),
                                   TensorView(&x));
  EXPECT_EQ(values[0], 7);
  y.ndim = x.ndim = 4;
  shape[3] = 0; /* none */
  ffi::ForEach<float>([](float &) { FAIL(); }, TensorView(&y));
}

TEST(ForEach, RefusesOtherTensors) {
  Matrix<float> x, y;
  const auto nothing = [](const float &, const float &) {};
  const auto walk = [&] {
    ffi::ForEach<const float, const float>(nothing, TensorView(&x.tensor), TensorView(&y.tensor));
  };
  y.Transpose();
  EXPECT_EQ(Caught(walk), "ValueError: ForEach: the tensors differ in their shapes");
  y.tensor.ndim = 1;
  EXPECT_EQ(Caught(walk), "ValueError: ForEach: the tensors differ in their dimensions");
  y.tensor.dtype.bits = 64;
  EXPECT_EQ(Caught(walk), "TypeError: Mismatched dtype. Expected `float32` but got `float64`");
  int64_t many[33];
  for (int64_t &size : many) size = 2;
  int64_t none[33] = {};
  x.tensor.ndim = 33;
  x.tensor.shape = many;
  x.tensor.strides = none;
  EXPECT_EQ(Caught([&] { ffi::ForEach<const float>([](float) {}, TensorView(&x.tensor)); }),
            "ValueError: ForEach: more than 32 extents above 1");
}

TEST(TensorAccessor, OfNoData) {
  Matrix<float> x;
  x.tensor.data = nullptr;
  EXPECT_EQ((Refusal<TensorAccessor<const float, 2>>(x)),
            "ValueError: Mismatched data on argument #0 when calling: "
            "`f(0: Tensor<float32, 2>) -> void`. Expected the address of elements but got NULL and "
            "shape [2, 3]");
  x.shape[0] = 0;
  EXPECT_EQ((Refusal<TensorAccessor<const float, 2>>(x)), "nothing");
}

TEST(TensorAccessor, ThatMayBeAbsentSaysWhatIsWrong) {
  Matrix<float> x;
  x.Transpose();
  EXPECT_EQ((Refusal<std::optional<ContiguousAccessor<float, 2>>>(x)),
            "ValueError: Mismatched strides on argument #0 when calling: "
            "`f(0: std::optional<Tensor<float32, 2>>) -> void`. Expected a contiguous tensor but "
            "got strides [1, 3] of shape [3, 2]");
}

/** A tensor on that device without memory of its own. */
struct Borrowed {
  void *data;
  void AllocData(DLTensor *tensor) { tensor->data = data; }
  void FreeData(DLTensor *) {}
};
ffi::Tensor MakeTensor(DLDeviceType device, float *data) {
  return ffi::Tensor::FromNDAlloc(Borrowed{data}, {2}, DLDataType{kDLFloat, 32, 1},
                                  DLDevice{device, 0});
}

/** A TypeError that names only types says what else is wrong, next to dtype and rank. */
TEST(TensorAccessor, TypesNameWhatElseIsWrong) {
  using Strided = TensorAccessor<const float, 2>;
  using Contiguous = ContiguousAccessor<const float, 2>;
  Matrix<float> x;
  const auto overloads = ffi::make_object<ffi::detail::OverloadsObj>(ffi::detail::BytesOf("f"));
  overloads->Add([](Contiguous) {});
  overloads->Add([](TensorAccessor<const float, 2, kDLCUDA>) {});
  const Function f{ffi::ObjectPtr<ffi::FunctionObj>(overloads)};
  const auto expected = [](const std::string &type, const std::string &got) {
    return "when calling: `f (0: " + type + ") -> void`. Expected `" + type + "` but got `" + got;
  };
  x.Transpose();
  std::string message = Caught([&] { f(static_cast<DLTensor *>(x)); });
  EXPECT_NE(message.find(expected("Tensor<float32, 2>", "Tensor<float32, 2, strided>`")),
            std::string::npos)
      << message;
  EXPECT_NE(message.find(expected("Tensor<float32, 2, cuda>", "Tensor<float32, 2, cpu>`")),
            std::string::npos)
      << message;
  x.tensor.device = {kDLROCM, 0};
  message = Caught([&] { f(static_cast<DLTensor *>(x)); });
  EXPECT_NE(message.find(expected("Tensor<float32, 2>", "Tensor<float32, 2, rocm>`")),
            std::string::npos)
      << message;
  const auto got = [&x](auto accessor) {
    const ffi::AnyView value(static_cast<DLTensor *>(x));
    return ffi::TypeTraits<decltype(accessor)>::GetMismatchTypeInfo(
        ffi::detail::AnyUnsafe::Data(value));
  };
  x.tensor.device = {kDLCPU, 0};
  x.tensor.byte_offset = 1;
  EXPECT_EQ(got(Strided()), "Tensor<float32, 2, misaligned>");
  x.tensor.data = nullptr;
  EXPECT_EQ(got(Strided()), "Tensor<float32, 2, data NULL>");
  x.tensor.device = {kDLVulkan, 0};
  EXPECT_EQ(got(TensorAccessor<float, 2, ffi::kAnyDevice>()),
            "Tensor<float32, 2, vulkan, byte_offset 1>");
  EXPECT_EQ(got(std::variant<int64_t, Strided>()), "Tensor<float32, 2, vulkan>");
}

TEST(TensorAccessor, OfContainersNamesTheElement) {
  using Vector = TensorAccessor<float, 1>;
  float data[2] = {1, 2};
  const ffi::Tensor good = MakeTensor(kDLCPU, data), bad = MakeTensor(kDLCUDA, data);
  const auto got = [](auto type, const Any &value) {
    const Function f = Function::FromTyped([](const decltype(type) &) {}, "f");
    const std::string message = Caught([&] { f(value); });
    const size_t position = message.find(" but got ");
    return position == std::string::npos ? message : message.substr(position + 9);
  };
  const ffi::Array<ffi::Tensor> array = {good, bad};
  EXPECT_EQ(got(std::vector<Vector>(), array), "`Array[index 1: Tensor<float32, 1, cuda>]`");
  EXPECT_EQ(got(std::vector<Vector>(), ffi::List<ffi::Tensor>{bad}),
            "`List[index 0: Tensor<float32, 1, cuda>]`");
  EXPECT_EQ(got(std::array<Vector, 2>(), array), "`Array[index 1: Tensor<float32, 1, cuda>]`");
  EXPECT_EQ(got(std::array<Vector, 3>(), array), "`ffi.Array`");
  EXPECT_EQ(got(std::vector<Vector>(), 1), "`int`");
  EXPECT_EQ((got(std::tuple<Any, Vector>(), array)), "`Array[index 1: Tensor<float32, 1, cuda>]`");
  EXPECT_EQ((got(std::tuple<Vector>(), array)), "`ffi.Array`");
  EXPECT_EQ(got(std::vector<Vector>(), ffi::Array<ffi::Tensor>{good}), "nothing");
}

using Either = std::variant<TensorAccessor<float, 2>, TensorAccessor<double, 2>>;

TEST(TensorAccessor, IsOneOfSeveral) {
  const Function f = Function::FromTyped(
      [](const Either &x) {
        return std::visit([](const auto &each) { return static_cast<double>(each(1, 2)); }, x);
      },
      "f");
  Matrix<float> x;
  Matrix<double> y;
  Matrix<int8_t> z;
  EXPECT_EQ(f(static_cast<DLTensor *>(x)).cast<double>(), 5);
  EXPECT_EQ(f(static_cast<DLTensor *>(y)).cast<double>(), 5);
  const std::string message = Caught([&] { f(static_cast<DLTensor *>(z)); });
  EXPECT_NE(message.find("Tensor<float32, 2>, Tensor<float64, 2>"), std::string::npos) << message;
}

class HasOneObj : public ffi::Object {
 public:
  One number;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.HasOne", HasOneObj, ffi::Object);
};

TEST(TensorAccessor, AFieldRefusesWhatDoesNotFit) {
  namespace refl = ffi::reflection;
  refl::ObjectDef<HasOneObj>().def_rw("number", &HasOneObj::number);
  const auto object = ffi::make_object<HasOneObj>();
  const refl::FieldSetter set("test.cpp.HasOne", "number");
  EXPECT_EQ(Caught([&] { set(object.get(), Any(1)); }), "nothing");
  EXPECT_EQ(Caught([&] { set(object.get(), Any(2)); }), "ValueError: this is not 1");
  EXPECT_EQ(Caught([&] { set(object.get(), Any("x")); }),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `One`");
  EXPECT_EQ(object->number.value, 1);
}

TEST(TensorAccessor, AVariantTriesTheNextWhereOneDoesNotFit) {
  using Number = ffi::Variant<One, double>;
  EXPECT_EQ(Any(1).cast<Number>().get<One>().value, 1);
  EXPECT_EQ(Any(2).cast<Number>().get<double>(), 2.0);
}

/** The schema of a parameter does not name dtype or rank. */
TEST(TensorAccessor, SchemaIsThatOfATensor) {
  EXPECT_EQ(ffi::TypeTraits<decltype(TensorAccessor<float, 2>())>::TypeSchema(),
            ffi::TypeTraits<TensorView>::TypeSchema());
}

}  // namespace
