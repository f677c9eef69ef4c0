/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in the style of C++20: names like PyTorch's, designated initialisers, functions in an
 * unnamed namespace exported by their address, containers of small integers. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace {

namespace ffi = tvm::ffi;

constexpr DLDataType kInt32{.code = kDLInt, .bits = 32, .lanes = 1};
constexpr DLDevice kHost{.device_type = kDLCPU, .device_id = 0};

template <std::integral T>
constexpr T divide_up(T a, T b) {
  return (a + b - 1) / b;
}

auto scale(const ffi::TensorView x, const int64_t factor, ffi::Optional<ffi::Tuple<int, int>> range)
    -> int64_t {
  TVM_FFI_ICHECK(x.is_contiguous() && x.dim() == 1);
  TVM_FFI_ICHECK(x.dtype() == kInt32) << "got " << x.dtype();
  TVM_FFI_CHECK(x.device().device_type == kHost.device_type, ValueError) << "not on the host";
  int64_t first = 0, last = x.shape().Product();
  if (range.has_value()) {
    first = range.value().get<0>();
    last = range.value().get<1>();
  }
  auto *data = static_cast<int32_t *>(x.data_ptr());
  for (int64_t i = first; i < last; ++i) data[i] *= static_cast<int32_t>(factor);
  return divide_up(last - first, int64_t{2});
}

/* Bytes in an Array, as handles of communicators are passed. */
auto pack(int64_t seed) -> ffi::Array<char> {
  char bytes[6];
  for (char &byte : bytes) byte = static_cast<char>(seed++);
  return ffi::Array<char>(bytes, bytes + sizeof bytes);
}
auto unpack(ffi::Array<char> bytes) -> size_t {
  size_t total = 0;
  for (char byte : bytes) total += static_cast<size_t>(byte);
  return total + bytes.size();
}

class Communicator {
 public:
  explicit Communicator(size_t rank) : rank_(rank) {}
  size_t rank() const { return rank_; }

 private:
  size_t rank_;
};
Communicator communicator(3);
auto get_communicator() -> void * {
  return &communicator;
}
auto get_rank(void *self) -> size_t {
  return static_cast<Communicator *>(self)->rank();
}

struct HostMemory {
  void AllocData(DLTensor *x) { x->data = std::malloc(ffi::GetDataSize(*x)); }
  void FreeData(DLTensor *x) { std::free(x->data); }
};
auto iota(int64_t n) -> ffi::Tensor {
  auto x = ffi::Tensor::FromNDAlloc(HostMemory{}, ffi::Shape{n}, kInt32, kHost);
  for (int64_t i = 0; i < n; ++i) static_cast<int32_t *>(x.data_ptr())[i] = static_cast<int32_t>(i);
  return x;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, &scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pack, &pack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(unpack, &unpack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_communicator, &get_communicator);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(get_rank, &get_rank);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(iota, (&iota));

}  // namespace
