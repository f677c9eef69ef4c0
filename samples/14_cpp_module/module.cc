/* SPDX-License-Identifier: Apache-2.0 */
/* A custom kind of module in C++: weights that stay loaded, and the functions that use them. */
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdlib>
#include <cstring>

namespace ffi = tvm::ffi;

namespace my_kernels {

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

void CheckVector(const ffi::TensorView &x, const char *name) {
  TVM_FFI_CHECK(x.dtype() == kFloat32, TypeError) << name << " must be float32, not " << x.dtype();
  TVM_FFI_CHECK(x.device().device_type == kDLCPU && x.ndim() == 1 && x.IsContiguous(), ValueError)
      << name << " must be a contiguous vector on the CPU";
}

class ChannelScale final : public ffi::ModuleObj {
 public:
  explicit ChannelScale(ffi::Tensor weights) : weights_(std::move(weights)) {
    CheckVector(weights_, "weights");
  }

  const char *kind() const final { return "channel_scale"; }

  int GetPropertyMask() const final {
    return ffi::Module::kBinarySerializable | ffi::Module::kRunnable;
  }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    const ffi::Module self = ffi::GetRef<ffi::Module>(this);  // a function holds it and the weights
    if (name == "apply") {
      return ffi::Function::FromTyped(
          [this, self](ffi::TensorView x, ffi::TensorView y) { Apply(x, y); });
    }
    if (name == "size") {
      return ffi::Function::FromTyped([this, self]() { return weights_.size(0); });
    }
    return std::nullopt;
  }

  ffi::Bytes SaveToBytes() const final {
    return ffi::Bytes(static_cast<const char *>(weights_.data_ptr()), ffi::GetDataSize(weights_));
  }

 private:
  void Apply(const ffi::TensorView &x, const ffi::TensorView &y) const {
    CheckVector(x, "x");
    CheckVector(y, "y");
    TVM_FFI_CHECK_EQ(x.size(0), weights_.size(0), ValueError) << "a weight for each of x";
    TVM_FFI_CHECK_EQ(y.size(0), weights_.size(0), ValueError) << "a weight for each of y";
    const float *input = static_cast<const float *>(x.data_ptr());
    const float *weights = static_cast<const float *>(weights_.data_ptr());
    float *out = static_cast<float *>(y.data_ptr());
    for (int64_t i = 0; i < weights_.size(0); ++i) out[i] = input[i] * weights[i];
  }

  ffi::Tensor weights_;
};

/* A Tensor, not a view: it is kept. A caller that has only a view gets a TypeError. */
ffi::Module Make(ffi::Tensor weights) {
  TVM_FFI_CHECK(weights.defined(), TypeError) << "weights must not be None";
  return ffi::Module(ffi::make_object<ChannelScale>(std::move(weights)));
}

struct CPUAlloc {
  void AllocData(DLTensor *tensor) {
    tensor->data = std::malloc(ffi::GetDataSize(*tensor));
    TVM_FFI_CHECK(tensor->data != nullptr, MemoryError) << "no memory for weights";
  }
  void FreeData(DLTensor *tensor) { std::free(tensor->data); }
};

/* The reverse of SaveToBytes. */
ffi::Module Load(const ffi::Bytes &bytes) {
  TVM_FFI_CHECK(bytes.size() > 0 && bytes.size() % sizeof(float) == 0, ValueError)
      << "these are no float32 weights";
  const int64_t size = static_cast<int64_t>(bytes.size() / sizeof(float));
  const ffi::Tensor weights =
      ffi::Tensor::FromNDAlloc(CPUAlloc(), {size}, kFloat32, DLDevice{kDLCPU, 0});
  std::memcpy(weights.data_ptr(), bytes.data(), bytes.size());
  return Make(weights);
}

/* The ABI has no function that saves a module: code that packs modules calls the method. */
ffi::Bytes Save(const ffi::Module &module) {
  return module->SaveToBytes();
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, Make);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(save, Save);

/* The loader must be registered before a library that embeds such a module is loaded. An exception
 * would end the process, so a second copy of this library checks whether the name is taken. */
TVM_FFI_STATIC_INIT_BLOCK() {
  constexpr const char *kLoader = "ffi.Module.load_from_bytes.channel_scale";
  if (ffi::Function::GetGlobal(kLoader).has_value()) return;
  ffi::reflection::GlobalDef().def(kLoader, Load, "The reverse of SaveToBytes.");
}

}  // namespace my_kernels
