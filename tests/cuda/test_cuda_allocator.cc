/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in device memory, by an allocator as kernel libraries write it. */
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include "cuda_support.h"

namespace ffi = tvm::ffi;

namespace {

struct CudaAlloc {
  void AllocData(DLTensor *tensor) {
    const ffi::CUDADeviceGuard guard(tensor->device.device_id);
    TVM_FFI_CHECK_CUDA_ERROR(cudaMalloc(&tensor->data, ffi::GetDataSize(*tensor)));
  }
  void FreeData(DLTensor *tensor) {
    TVM_FFI_ICHECK_NE(tensor->data, nullptr);
    TVM_FFI_ICHECK_EQ(cudaFree(tensor->data), cudaSuccess);
    tensor->data = nullptr;
  }
};

class CudaAllocator : public testing::Test {
 protected:
  void SetUp() override {
    fake_reset();
    fake_set_device_count(2);
  }
  static ffi::Tensor Make(int device) {
    return ffi::Tensor::FromNDAlloc(CudaAlloc(), {2, 3}, DLDataType{kDLFloat, 32, 1},
                                    DLDevice{kDLCUDA, device});
  }
};

TEST_F(CudaAllocator, Allocates) {
  {
    const ffi::Tensor tensor = Make(1);
    EXPECT_EQ(tensor.device().device_type, kDLCUDA);
    EXPECT_NE(tensor.data_ptr(), nullptr);
    EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaSetDevice 1\ncudaMalloc 24\ncudaSetDevice 0\n");
    EXPECT_EQ(fake_get_live_count(), 1);
  }
  EXPECT_EQ(TakeLog(), "cudaFree\n");
  EXPECT_EQ(fake_get_live_count(), 0);
}

TEST_F(CudaAllocator, SaysWhatItCannotAllocate) {
  fake_fail("cudaMalloc", cudaErrorMemoryAllocation);
  EXPECT_EQ(Caught([] { Make(1); }),
            "RuntimeError: CUDA Runtime Error: cudaErrorMemoryAllocation (2): out of memory");
  EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaSetDevice 1\ncudaMalloc 24 -> 2\ncudaSetDevice 0\n");
  EXPECT_EQ(Caught([] { Make(2); }),
            "RuntimeError: CUDA Runtime Error: cudaErrorInvalidDevice (101): invalid device "
            "ordinal");
  EXPECT_EQ(fake_get_live_count(), 0);
}

/* The last reference may be released at the end of the process, when CUDA is already shut down. */
TEST_F(CudaAllocator, FailsToFreeInSilence) {
  {
    const ffi::Tensor tensor = Make(0);
    fake_fail("cudaFree", cudaErrorLaunchFailure);
  }
  EXPECT_EQ(TakeLog(), "cudaGetDevice\ncudaMalloc 24\ncudaFree -> 719\n");
  EXPECT_EQ(fake_get_live_count(), 1);
}

}  // namespace
