/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is linked with a library of kernels. No Module keeps the library loaded. */
#include <gtest/gtest.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;

extern "C" int __tvm_ffi_own(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result);

TEST(LinkedKernels, AreCalledByName) {
  int64_t freed = 0;
  {
    const ffi::Tensor x =
        ffi::Function::InvokeExternC(nullptr, __tvm_ffi_own, 3, static_cast<void *>(&freed), false)
            .cast<ffi::Tensor>();
    EXPECT_EQ(x.size(0), 3);
    EXPECT_EQ(static_cast<int64_t *>(x.data_ptr())[2], 0);
  }
  EXPECT_EQ(freed, 1);
  try {
    ffi::Function::InvokeExternC(nullptr, __tvm_ffi_own, "three");
    FAIL();
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.kind(), "TypeError");
    EXPECT_STREQ(error.what(),
                 "Mismatched number of arguments when calling: `own(0: int, 1: void*, 2: bool) -> "
                 "ffi.Tensor`. Expected 3 but got 1 arguments");
  }
}
