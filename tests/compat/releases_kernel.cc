/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the headers of every release compile, and ours. */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>

namespace ffi = tvm::ffi;

namespace {

void AddOne(ffi::TensorView x, ffi::TensorView y) {
  if (x.size(0) != y.size(0)) {
    TVM_FFI_THROW(ValueError) << "sizes " << x.size(0) << " and " << y.size(0);
  }
  const float *in = static_cast<const float *>(x.data_ptr());
  float *out = static_cast<float *>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) out[i] = in[i] + 1;
}

ffi::String Join(ffi::Array<ffi::String> words) {
  std::string joined;
  for (const ffi::String &word : words) joined += std::string(word.data(), word.size()) + ";";
  return ffi::String(joined);
}

ffi::Map<ffi::String, int64_t> Count(ffi::Array<ffi::String> words) {
  ffi::Map<ffi::String, int64_t> counts;
  for (const ffi::String &word : words) {
    counts.Set(word, counts.count(word) != 0 ? counts[word] + 1 : 1);
  }
  return counts;
}

int64_t Apply(ffi::Function function, int64_t value) {
  return function(value).cast<int64_t>() + 1;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(join, Join);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, Count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(apply, Apply);
