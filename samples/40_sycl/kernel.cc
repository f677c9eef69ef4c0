/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library for SYCL. oneAPI's library compiles its kernel from a text when it is first
 * used, so that any compiler of C++17 builds the library. With a compiler of SYCL kernels, such as
 * icpx, give queue.parallel_for a lambda instead. PREFIX is where pip installed:
 *
 *     $ pip install dpctl intel-opencl-rt
 *     $ g++ -std=c++17 -shared -fPIC -fvisibility=hidden $(pkg-config --cflags tvm_ffi) \
 *           -isystem $PREFIX/include kernel.cc -L$PREFIX/lib -lsycl -o kernel.so
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/sycl.h>
#include <tvm/ffi/function.h>

#include <mutex>
#include <string>
#include <unordered_map>

namespace ffi = tvm::ffi;
namespace experimental = sycl::ext::oneapi::experimental;

namespace {

constexpr char kSource[] = R"(
#include <sycl/sycl.hpp>
namespace ext = sycl::ext::oneapi;
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::experimental::nd_range_kernel<1>))
void scale(const float *x, float *y, float factor) {
  const auto i = ext::this_work_item::get_nd_item<1>().get_global_id(0);
  y[i] = factor * x[i];
}
)";

/* The kernel, compiled once for each context. Never destroyed: SYCL may have ended before. */
sycl::kernel FindKernel(const sycl::context &context) {
  static auto *kernels = new std::unordered_map<sycl::context, sycl::kernel>;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = kernels->find(context);
  if (found == kernels->end()) {
    auto source = experimental::create_kernel_bundle_from_source(
        context, experimental::source_language::sycl, std::string(kSource));
    auto built = experimental::build(source);
    found = kernels->emplace(context, built.ext_oneapi_get_kernel("scale")).first;
  }
  return found->second;
}

void CheckInput(const ffi::TensorView &x, const sycl::queue &queue, const char *name) {
  TVM_FFI_CHECK(x.device().device_type == kDLOneAPI, ValueError)
      << name << " must be on oneapi, and is on " << x.device();
  TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLFloat, 32, 1}), TypeError)
      << name << " must be float32, and is " << x.dtype();
  TVM_FFI_CHECK(x.IsContiguous(), ValueError) << name << " must be contiguous";
  ffi::TensorCheckUSM(x, queue, name);
}

/* y = factor * x */
void Scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  sycl::queue &queue = ffi::SYCLQueue(x);
  CheckInput(x, queue, "x");
  CheckInput(y, queue, "y");
  const int64_t n = x.numel();
  TVM_FFI_CHECK(y.numel() == n, ValueError) << "x and y must have the same size";
  if (n == 0) return;
  TVM_FFI_CHECK_SYCL_ERROR({
    const sycl::kernel kernel = FindKernel(queue.get_context());
    queue.submit([&](sycl::handler &handler) {
      handler.set_args(static_cast<const float *>(x.data_ptr()), static_cast<float *>(y.data_ptr()),
                       static_cast<float>(factor));
      handler.parallel_for(sycl::nd_range<1>(static_cast<size_t>(n), 1), kernel);
    });
  });
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale)
