/* SPDX-License-Identifier: Apache-2.0 */
/* hip/base.h, hip/device_guard.h and gpu.h, compiled with HIP's own header, on a fake of its
 * library. tests/cuda/test_device_guard.cc has more of the guard, which is the same code. */
#include <tvm/ffi/extra/gpu.h>

/* This file is compiled twice: first as a source for CUDA of the same program. */
#if !defined(__HIP_PLATFORM_AMD__)
const DLDeviceType *FindTypeOfCuda();
const DLDeviceType *FindTypeOfCuda() {
  return &tvm::ffi::kDLGPU;
}
#else

#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "../cpp/caught.h"
#include "fake.h"

namespace ffi = tvm::ffi;

const DLDeviceType *FindTypeOfCuda();

namespace {

class HIPGuard : public testing::Test {
 protected:
  void SetUp() override {
    fake_reset();
    fake_set_device_count(3);
  }
};

TEST_F(HIPGuard, SetsAndRestores) {
  {
    ffi::HIPDeviceGuard guard(2);
    EXPECT_STREQ(fake_get_log(), "hipGetDevice\nhipSetDevice 2\n");
    fake_clear_log();
    { ffi::HIPDeviceGuard same(2); }
    EXPECT_STREQ(fake_get_log(), "hipGetDevice\n");
    fake_clear_log();
  }
  EXPECT_STREQ(fake_get_log(), "hipSetDevice 0\n");
}

TEST_F(HIPGuard, Throws) {
  EXPECT_EQ(Caught([] { ffi::HIPDeviceGuard guard(3); }),
            "RuntimeError: HIP Error: hipErrorInvalidDevice (101): invalid device ordinal");
  EXPECT_EQ(Caught([] {
              ffi::HIPDeviceGuard guard(1);
              fake_fail("hipSetDevice", hipErrorLaunchFailure);
            }),
            "RuntimeError: HIP Error: hipErrorLaunchFailure (719): unspecified launch failure");
  fake_fail("hipSetDevice", 0);
  EXPECT_EQ(Caught([] {
              ffi::HIPDeviceGuard guard(2);
              TVM_FFI_THROW(ValueError) << "the first";
            }),
            "ValueError: the first");
}

TEST_F(HIPGuard, IsTheGuardOfOneSourceForBoth) {
  static_assert(std::is_same_v<ffi::GPUDeviceGuard, ffi::HIPDeviceGuard>);
  static_assert(std::is_same_v<ffi::GPUStream, hipStream_t>);
  static_assert(ffi::kDLGPU == kDLROCM);
  int64_t shape[1] = {1}, strides[1] = {1};
  float value = 0;
  DLTensor x{};
  x.data = &value;
  x.device = {ffi::kDLGPU, 1};
  x.dtype = {kDLFloat, 32, 1};
  x.ndim = 1;
  x.shape = shape;
  x.strides = strides;
  int stream;
  EXPECT_EQ(ffi::GetGPUStream(ffi::TensorView(&x)), nullptr);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLROCM, 1, &stream, nullptr), 0);
  EXPECT_EQ(static_cast<void *>(ffi::GetGPUStream(ffi::TensorView(&x))), &stream);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLROCM, 1, nullptr, nullptr), 0);
  TVM_FFI_CHECK_GPU_ERROR(TVM_FFI_GPU(GetLastError)());
  EXPECT_EQ(Caught([] { TVM_FFI_CHECK_GPU_ERROR(TVM_FFI_GPU(SetDevice)(9)); }),
            "RuntimeError: HIP Error: hipErrorInvalidDevice (101): invalid device ordinal");
}

TEST_F(HIPGuard, IsOfItsOwnSource) {
  const DLDeviceType *const ours = &ffi::kDLGPU;
  EXPECT_EQ(*ours, kDLROCM);
  EXPECT_EQ(*FindTypeOfCuda(), kDLCUDA);
}

}  // namespace

#endif
