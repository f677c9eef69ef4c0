/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: views, accessors, custom allocators, DLPack. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Tensor;
using ffi::TensorView;

namespace {

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};
constexpr DLDevice kCPU = {kDLCPU, 0};

struct Counts {
  int allocated = 0, freed = 0;
};

struct CountingAlloc {
  Counts *counts;
  void AllocData(DLTensor *tensor, int extra = 0) {
    if (extra == 13) TVM_FFI_THROW(ValueError) << "unlucky";
    tensor->data = std::malloc(ffi::GetDataSize(*tensor));
    ++counts->allocated;
  }
  void FreeData(DLTensor *tensor) {
    std::free(tensor->data);
    ++counts->freed;
    throw std::runtime_error("goes nowhere");
  }
};

TEST(Tensor, InMemoryOfItsOwn) {
  Counts counts;
  {
    Tensor x = Tensor::FromNDAlloc(CountingAlloc{&counts}, {2, 3}, kFloat32, kCPU);
    EXPECT_EQ(x.ndim(), 2);
    EXPECT_EQ(x.dim(), 2);
    EXPECT_EQ(x.size(-1), 3);
    EXPECT_EQ(x.stride(0), 3);
    EXPECT_EQ(x.numel(), 6);
    EXPECT_EQ(x.strides().size(), 2u);
    EXPECT_EQ(x.byte_offset(), 0u);
    EXPECT_TRUE(x.IsContiguous() && x.is_contiguous() && x.IsAligned(8));
    EXPECT_EQ(ffi::GetDataSize(x), 24u);
    EXPECT_EQ(Caught([&] { x.size(2); }),
              "IndexError: Index 2 out of bounds for tensor with 2 dimensions");
    EXPECT_EQ(Caught([&] { x.stride(-3); }),
              "IndexError: Index -3 out of bounds for tensor with 2 dimensions");
    const Tensor copy = x;
    EXPECT_EQ(x.use_count(), 2);
    EXPECT_EQ(ffi::GetRef<Tensor>(x.get()).use_count(), 3);
  }
  EXPECT_EQ(counts.allocated, 1);
  EXPECT_EQ(counts.freed, 1);
  EXPECT_EQ(Caught([&] { Tensor::FromNDAlloc(CountingAlloc{&counts}, {2}, kFloat32, kCPU, 13); }),
            "ValueError: unlucky");
  EXPECT_EQ(counts.freed, 1);
  const Tensor strided =
      Tensor::FromNDAllocStrided(CountingAlloc{&counts}, {2, 3}, {1, 2}, kFloat32, kCPU);
  EXPECT_FALSE(strided.IsContiguous());
  EXPECT_EQ(Caught([&] {
              Tensor::FromNDAllocStrided(CountingAlloc{&counts}, {2}, {1, 2}, kFloat32, kCPU);
            }).substr(0, 11),
            "ValueError:");
}

TEST(Tensor, SizesThatHaveMoreThan32Bits) {
  constexpr size_t kHalfGigabyte = size_t{1} << 29; /* 2^32 bits */
  const DLDataType byte = {kDLUInt, 8, 1};
  EXPECT_EQ(ffi::GetDataSize(kHalfGigabyte, byte), kHalfGigabyte);
  int64_t shape[] = {int64_t{1} << 20, int64_t{1} << 20};
  DLTensor x = {};
  x.ndim = 2;
  x.shape = shape;
  x.dtype = byte;
  EXPECT_EQ(ffi::GetDataSize(x), sizeof(size_t) == 8 ? uint64_t{1} << 40 : SIZE_MAX);
}

struct CountedCopies {
  int *copies;
  bool fail;
  CountedCopies(int *count, bool should_fail) : copies(count), fail(should_fail) { ++*copies; }
  CountedCopies(const CountedCopies &other) : CountedCopies(other.copies, other.fail) {}
  ~CountedCopies() { --*copies; }
  void AllocData(DLTensor *tensor) {
    tensor->data = nullptr;
    if (fail) throw std::bad_alloc();
  }
  void FreeData(DLTensor *) {
    EXPECT_FALSE(fail);
    throw std::bad_alloc();
  }
};

TEST(Tensor, DeletesItsAllocator) {
  int copies = 0;
  EXPECT_THROW(Tensor::FromNDAlloc(CountedCopies(&copies, true), {2}, kFloat32, kCPU),
               std::bad_alloc);
  EXPECT_EQ(copies, 0);
  {
    const Tensor x = Tensor::FromNDAlloc(CountedCopies(&copies, false), {2}, kFloat32, kCPU);
    EXPECT_EQ(copies, 1);
  }
  EXPECT_EQ(copies, 0);
}

TEST(Tensor, ShowsOtherElements) {
  Counts counts;
  Tensor x = Tensor::FromNDAlloc(CountingAlloc{&counts}, {4, 4}, kFloat32, kCPU);
  float *data = static_cast<float *>(x.data_ptr());
  for (int i = 0; i < 16; ++i) data[i] = static_cast<float>(i);
  Tensor diagonal = x.as_strided({4}, {5}, 0);
  EXPECT_EQ(diagonal.stride(0), 5);
  EXPECT_EQ(static_cast<float *>(x.as_strided({3}, {1}, 5).data_ptr())[0], 5);
  x = Tensor();
  EXPECT_EQ(static_cast<float *>(diagonal.data_ptr())[10], 10);
  EXPECT_EQ(counts.freed, 0);
  const int64_t shape[] = {2}, strides[] = {2};
  const TensorView view =
      TensorView(diagonal).as_strided(ffi::ShapeView(shape, 1), ffi::ShapeView(strides, 1), 1);
  EXPECT_EQ(static_cast<float *>(view.data_ptr()), static_cast<float *>(diagonal.data_ptr()) + 1);
  diagonal = Tensor();
  EXPECT_EQ(counts.freed, 1);
}

TEST(Tensor, GoesThroughDLPack) {
  Counts counts;
  {
    Tensor x = Tensor::FromNDAlloc(CountingAlloc{&counts}, {2}, kFloat32, kCPU);
    DLManagedTensor *managed = x.ToDLPack();
    DLManagedTensorVersioned *versioned = x.ToDLPackVersioned();
    EXPECT_EQ(x.use_count(), 3);
    const Tensor a = Tensor::FromDLPack(managed);
    const Tensor b = Tensor::FromDLPackVersioned(versioned, 8, true);
    EXPECT_EQ(a.data_ptr(), x.data_ptr());
    EXPECT_EQ(b.GetDLTensorPtr()->data, x.data_ptr());
  }
  EXPECT_EQ(counts.freed, 1);
}

TEST(TensorView, BorrowsEither) {
  Counts counts;
  const Tensor x = Tensor::FromNDAlloc(CountingAlloc{&counts}, {2, 1}, kFloat32, kCPU);
  const ffi::Function ndim = ffi::Function::FromTyped([](TensorView view) { return view.ndim(); });
  EXPECT_EQ(ndim(x).cast<int>(), 2);
  EXPECT_EQ(ndim(TensorView(x)).cast<int>(), 2);
  EXPECT_EQ(ndim(const_cast<DLTensor *>(x.GetDLTensorPtr())).cast<int>(), 2);
  EXPECT_EQ(x.use_count(), 1);
  EXPECT_EQ(Caught([&] { ndim(3); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: DLTensor*) -> int`. "
            "Expected `DLTensor*` but got `int`");
  const ffi::Function owning = ffi::Function::FromTyped([](Tensor t) { return t.use_count(); });
  EXPECT_EQ(owning(x).cast<int>(), 2);
  EXPECT_EQ(Caught([&] { owning(TensorView(x)); }).substr(0, 10), "TypeError:");
  EXPECT_EQ(Caught([] { TensorView view(static_cast<const DLTensor *>(nullptr)); }).substr(0, 14),
            "InternalError:");
}

TEST(Tensor, FromTheEnvironment) {
  EXPECT_EQ(Caught([] {
              Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::Shape({2}), kFloat32, kCPU);
            }).substr(0, 13),
            "RuntimeError:");
}

}  // namespace
