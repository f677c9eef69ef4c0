/* SPDX-License-Identifier: Apache-2.0 */
/* cuda/base.h and cuda/device_guard.h on a fake of the runtime API. */
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <stdexcept>

#include "cuda_support.h"

namespace ffi = tvm::ffi;
using ffi::CUDADeviceGuard;

namespace {

class DeviceGuard : public testing::Test {
 protected:
  void SetUp() override {
    fake_reset();
    fake_set_device_count(3);
  }
  static int Current() {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    return device;
  }
};

TEST_F(DeviceGuard, SetsAndRestores) {
  {
    CUDADeviceGuard guard(2);
    EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaSetDevice 2\n");
    EXPECT_EQ(Current(), 2);
    fake_clear_log();
  }
  EXPECT_EQ(TakeLog(), "cudaSetDevice 0\n");
  EXPECT_EQ(Current(), 0);
}

TEST_F(DeviceGuard, LeavesTheCurrentDeviceAlone) {
  cudaSetDevice(1);
  fake_clear_log();
  { CUDADeviceGuard guard(1); }
  EXPECT_EQ(TakeLog(), "cudaGetDevice\n");
}

TEST_F(DeviceGuard, Nests) {
  {
    CUDADeviceGuard outer(1);
    {
      CUDADeviceGuard inner(2);
      { CUDADeviceGuard same(2); }
      EXPECT_EQ(Current(), 2);
      { CUDADeviceGuard first(0); }
      EXPECT_EQ(Current(), 2);
    }
    EXPECT_EQ(Current(), 1);
  }
  EXPECT_EQ(Current(), 0);
}

TEST_F(DeviceGuard, ThrowsWhatItCannotSet) {
  EXPECT_EQ(Caught([] { CUDADeviceGuard guard(3); }),
            "RuntimeError: CUDA Runtime Error: cudaErrorInvalidDevice (101): invalid device "
            "ordinal");
  EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaSetDevice 3 -> 101\n");
  fake_fail_after(0, cudaErrorNoDevice);
  EXPECT_EQ(Caught([] { CUDADeviceGuard guard(0); }),
            "RuntimeError: CUDA Runtime Error: cudaErrorNoDevice (100): no CUDA-capable device is "
            "detected");
  EXPECT_EQ(TakeLog(), "cudaGetDevice -> 100\n");
}

TEST_F(DeviceGuard, ThrowsWhatItCannotRestore) {
  EXPECT_EQ(Caught([] {
              CUDADeviceGuard guard(1);
              fake_fail_after(0, cudaErrorLaunchFailure);
            }),
            "RuntimeError: CUDA Runtime Error: cudaErrorLaunchFailure (719): unspecified launch "
            "failure");
  EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaSetDevice 1\ncudaSetDevice 0 -> 719\n");
}

TEST_F(DeviceGuard, RestoresWhileAnExceptionIsInFlight) {
  const auto fail = [](bool twice) {
    CUDADeviceGuard outer(1);
    CUDADeviceGuard inner(2);
    if (twice) fake_fail("cudaSetDevice", cudaErrorLaunchFailure);
    TVM_FFI_THROW(ValueError) << "the first";
  };
  EXPECT_EQ(Caught([&] { fail(false); }), "ValueError: the first");
  EXPECT_EQ(Current(), 0);
  fake_clear_log();
  EXPECT_EQ(Caught([&] { fail(true); }), "ValueError: the first");
  EXPECT_EQ(TakeLog(),
            "cudaGetDevice\ncudaSetDevice 1\ncudaGetDevice\ncudaSetDevice 2\n"
            "cudaSetDevice 1 -> 719\ncudaSetDevice 0 -> 719\n");
}

/* Its destructor uses a guard that throws, while another exception is in flight. */
struct Cleanup {
  std::string *caught;
  ~Cleanup() {
    *caught = Caught([] {
      CUDADeviceGuard guard(1);
      fake_fail_after(0, cudaErrorLaunchFailure);
    });
  }
};

TEST_F(DeviceGuard, ThrowsInsideADestructorThatAnExceptionRuns) {
  std::string caught;
  EXPECT_EQ(Caught([&] {
              Cleanup cleanup{&caught};
              throw ffi::Error("KeyError", "the first", "");
            }),
            "KeyError: the first");
  EXPECT_EQ(caught,
            "RuntimeError: CUDA Runtime Error: cudaErrorLaunchFailure (719): unspecified launch "
            "failure");
}

TEST_F(DeviceGuard, PassesForeignExceptions) {
  EXPECT_THROW(
      {
        CUDADeviceGuard guard(1);
        throw std::runtime_error("not ours");
      },
      std::runtime_error);
  EXPECT_EQ(Current(), 0);
}

TEST(CheckCudaError, EvaluatesOnce) {
  int count = 0;
  const auto call = [&](cudaError_t error) {
    ++count;
    return error;
  };
  TVM_FFI_CHECK_CUDA_ERROR(call(cudaSuccess));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(Caught([&] {
              if (count == 1)
                TVM_FFI_CHECK_CUDA_ERROR(call(static_cast<cudaError_t>(998)));
              else
                ++count;
            }),
            "RuntimeError: CUDA Runtime Error: unrecognized error code (998): unrecognized error "
            "code");
  EXPECT_EQ(count, 2);
}

TEST(Dim3, DefaultsToOne) {
  const int64_t blocks = 7;
  const ffi::dim3 none, one(static_cast<unsigned int>(blocks)), two(2, 3), three(4, 5, 6);
  EXPECT_TRUE(none.x == 1 && none.y == 1 && none.z == 1);
  EXPECT_TRUE(one.x == 7 && one.y == 1 && one.z == 1);
  EXPECT_TRUE(two.x == 2 && two.y == 3 && two.z == 1);
  EXPECT_TRUE(three.x == 4 && three.y == 5 && three.z == 6);
  static_assert(!std::is_convertible_v<unsigned int, ffi::dim3>);
  static_assert(std::is_constructible_v<ffi::dim3, int64_t>);
  static_assert(sizeof(ffi::dim3) == 12 && std::is_trivially_copyable_v<ffi::dim3>);
}

}  // namespace
