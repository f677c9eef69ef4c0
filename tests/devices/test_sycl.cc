/* SPDX-License-Identifier: Apache-2.0 */
/* sycl.h, on a stand-in for SYCL in each build; sycl.py compiles this file with oneAPI's header,
 * too, and runs it on a device with memory that the processor shares. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/sycl.h>
#include <tvm/ffi/function.h>

#include <iostream>

#include "../cpp/caught.h"

namespace ffi = tvm::ffi;

namespace {

int NoDevice(const sycl::device &) {
  return -1;
}

int OneWithSharedMemory(const sycl::device &device) {
  return device.has(sycl::aspect::usm_shared_allocations) ? 1 : -1;
}

class SYCL : public testing::Test {
 protected:
  SYCL() : device_(OneWithSharedMemory), queue_(sycl::context(device_), device_) {
    x_.data = values_ = sycl::malloc_shared<float>(4, queue_);
    x_.device = {kDLOneAPI, 1};
    x_.dtype = {kDLFloat, 32, 1};
    x_.ndim = 1;
    x_.shape = shape_;
    x_.strides = strides_;
  }
#if !defined(TESTS_SYCL_STAND_IN)
  static void SetUpTestSuite() {
    const sycl::device device(OneWithSharedMemory);
    std::cout << "ran on: oneapi, "
              << device.get_platform().get_info<sycl::info::platform::version>() << ", "
              << device.get_info<sycl::info::device::name>() << std::endl;
  }
#endif
  ~SYCL() override {
    sycl::free(values_, queue_);
  }

  std::string Check(const sycl::queue &queue) {
    return Caught([&] { ffi::TensorCheckUSM(ffi::TensorView(&x_), queue, "x"); });
  }

  sycl::device device_;
  sycl::queue queue_;
  float *values_;
  int64_t shape_[1] = {4}, strides_[1] = {1};
  DLTensor x_{};
};

TEST_F(SYCL, TheStreamIsTheQueue) {
  EXPECT_EQ(Caught([&] { ffi::SYCLQueue(ffi::TensorView(&x_)); }),
            "RuntimeError: No stream of oneapi:1 is set: the caller sets it (tvm_ffi_env_call, "
            "TVMFFIEnvSetStream; in Python tvm_ffi.use_raw_stream)");
  ASSERT_EQ(TVMFFIEnvSetStream(kDLOneAPI, 1, &queue_, nullptr), 0);
  EXPECT_EQ(&ffi::SYCLQueue(ffi::TensorView(&x_)), &queue_);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLOneAPI, 1, nullptr, nullptr), 0);
  x_.device = {kDLCUDA, 1};  // where NULL is the default stream
  EXPECT_EQ(Caught([&] { ffi::SYCLQueue(ffi::TensorView(&x_)); }),
            "ValueError: Mismatched device of a tensor. Expected `oneapi` but got `cuda:1`");
}

TEST_F(SYCL, MemoryIsOfTheContext) {
  const std::string refused =
      "ValueError: Mismatched memory of x. Expected USM of the queue's context but got an address "
      "that it does not have";
  const std::string unless_all =
      device_.has(sycl::aspect::usm_system_allocations) ? "nothing" : refused;
  EXPECT_EQ(Check(queue_), "nothing");
  x_.data = values_ + 3;
  EXPECT_EQ(Check(queue_), "nothing");
  EXPECT_EQ(Check(sycl::queue(sycl::context(device_), device_)), unless_all);
  float other = 0;
  x_.data = &other;
  EXPECT_EQ(Check(queue_), unless_all);
  x_.data = nullptr;
  EXPECT_EQ(Check(queue_), unless_all);
  shape_[0] = 0;
  EXPECT_EQ(Check(queue_), "nothing");
#if defined(TESTS_SYCL_STAND_IN)
  shape_[0] = 4;
  sycl::device::accesses_all_memory = true;
  EXPECT_EQ(Check(queue_), "nothing");
  sycl::device::accesses_all_memory = false;
#endif
}

TEST_F(SYCL, ExceptionsBecomeErrors) {
  const std::string none = Caught([] { TVM_FFI_CHECK_SYCL_ERROR(sycl::device device(NoDevice)); });
  EXPECT_EQ(none.find("RuntimeError: SYCL Error: No device of requested type available."), 0u)
      << none;
  EXPECT_EQ(none.rfind(" (sycl:1)"), none.size() - 9) << none;
  EXPECT_EQ(Caught([] {
              TVM_FFI_CHECK_SYCL_ERROR({
                const int numbers[] = {1, 2};
                if (numbers[1] == 2) TVM_FFI_THROW(ValueError) << "the kernel's own";
              });
            }),
            "ValueError: the kernel's own");
  EXPECT_THROW(TVM_FFI_CHECK_SYCL_ERROR(throw std::bad_alloc()), std::bad_alloc);
}

}  // namespace
