/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries with an embedded image (embedded_kernels.cc) on this runtime. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <tvm/ffi/extra/module.h>

#include "cuda_support.h"

namespace ffi = tvm::ffi;

namespace {

std::string PathOf(const char *name) {
  return std::string(std::getenv("TVM_FFI_TEST_CUDA_MODULES")) + "/" + name + ".so";
}

class Embedded : public testing::Test {
 protected:
  void SetUp() override {
    fake_reset();
    const fake_kernel run{"run", [](const fake_launch *, void **) {}, 0};
    fake_add_kernel(&run);
    fake_set_device_count(2);
  }
};

/* Both libraries are in the global scope, where a name is bound to its first definition. */
TEST_F(Embedded, ImagesStayWithTheirLibrary) {
  for (const char *name : {"embedded_a", "embedded_b"}) {
    ASSERT_NE(dlopen(PathOf(name).c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  }
  const ffi::Module a = ffi::Module::LoadFromFile(PathOf("embedded_a"));
  const ffi::Module b = ffi::Module::LoadFromFile(PathOf("embedded_b"));
  EXPECT_EQ(a->GetFunction("get_image").value()().cast<std::string>(),
            "\x7f"
            "ELF a");
  EXPECT_EQ(b->GetFunction("get_image").value()().cast<std::string>(),
            "\x7f"
            "ELF b");
}

TEST_F(Embedded, ErrorsReachTheCaller) {
  const ffi::Module module = ffi::Module::LoadFromFile(PathOf("embedded_a"));
  const ffi::Function run = module->GetFunction("run").value();
  EXPECT_EQ(Caught([&] { run(2); }),
            "RuntimeError: CUDA Runtime Error: cudaErrorInvalidDevice (101): invalid device "
            "ordinal");
  fake_fail("cudaLibraryLoadData", cudaErrorNoDevice);
  EXPECT_EQ(
      Caught([&] { run(1); }),
      "RuntimeError: CUDA Error: cudaErrorNoDevice (100): no CUDA-capable device is detected");
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
}

/* Opened and closed with dlopen and dlclose, because the runtime keeps modules loaded. */
TEST_F(Embedded, ImagesAreUnloadedWithTheirLibrary) {
  void *library = dlopen(PathOf("embedded_c").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto run = reinterpret_cast<TVMFFISafeCallType>(dlsym(library, "__tvm_ffi_run"));
  ffi::Function::InvokeExternC(nullptr, run, 1);
  ffi::Function::InvokeExternC(nullptr, run, 0);
  EXPECT_EQ(TakeLog(),
            "cudaGetDevice\ncudaSetDevice 1\ncudaLibraryLoadData options 0 0\n"
            "cudaLibraryGetKernel library 1 run\n"
            "cudaLaunchKernel run grid 1 1 1 block 1 1 1 shared 0 stream 0\ncudaSetDevice 0\n"
            "cudaGetDevice\ncudaLaunchKernel run grid 1 1 1 block 1 1 1 shared 0 stream 0\n");
  EXPECT_EQ(dlclose(library), 0);
  EXPECT_EQ(TakeLog(), "cudaLibraryUnload library 1\n");
  EXPECT_EQ(fake_get_live_count(), 0);
}

}  // namespace
