/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: views, accessors, custom allocators, DLPack. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/device.h>
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

/** A DLTensor of six floats, whose first element is 8 bytes behind data. */
struct Sliced {
  float values[8] = {-1, -1, 0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  DLTensor tensor{};
  explicit Sliced(DLDeviceType device = kDLCPU) {
    tensor.data = values;
    tensor.device = {device, 0};
    tensor.ndim = 2;
    tensor.dtype = kFloat32;
    tensor.shape = shape;
    tensor.strides = strides;
    tensor.byte_offset = 8;
  }
};

/** L-22: data_ptr() is the first element wherever offsets can be added to data. */
TEST(Tensor, L_22_ViewsBeginAtTheFirstElement) {
  for (const DLDeviceType device :
       {kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged, kDLROCM, kDLROCMHost, kDLOneAPI}) {
    Sliced x(device);
    const TensorView view(&x.tensor);
    EXPECT_EQ(view.data_ptr(), x.values + 2) << device;
    EXPECT_EQ(view.byte_offset(), 0u);
    EXPECT_EQ(view.GetDLTensorPtr()->data, x.values + 2);
    EXPECT_EQ(x.tensor.data, x.values); /* the caller's is unchanged */
    EXPECT_EQ(x.tensor.byte_offset, 8u);
    const TensorView part = view.as_strided({2}, {1}, 3);
    EXPECT_EQ(part.data_ptr(), x.values + 5);
  }
  for (const DLDeviceType device : {kDLOpenCL, kDLVulkan, kDLMetal, kDLWebGPU}) {
    Sliced x(device);
    const TensorView view(&x.tensor);
    EXPECT_EQ(view.data_ptr(), x.values) << device;
    EXPECT_EQ(view.data_handle(), x.values) << device;
    EXPECT_EQ(view.byte_offset(), 8u);
  }
  Sliced empty;
  empty.shape[0] = 0;
  empty.tensor.data = nullptr;
  EXPECT_EQ(TensorView(&empty.tensor).data_ptr(), nullptr);
  EXPECT_EQ(TensorView(&empty.tensor).byte_offset(), 0u);
}

TEST(Tensor, LiesWithinABuffer) {
  Sliced x(kDLOpenCL);
  x.tensor.byte_offset = 4000;
  ffi::TensorCheckWithin(TensorView(&x.tensor), 4024);
  EXPECT_EQ(Caught([&] { ffi::TensorCheckWithin(TensorView(&x.tensor), 48, "x"); }),
            "ValueError: Mismatched buffer of x. Expected 24 bytes from byte_offset 4000 on but "
            "got 48 bytes in all");
}

TEST(Stream, MustBeSetWhereThereIsNoDefault) {
  Sliced x(kDLOpenCL), on_cuda(kDLCUDA);
  EXPECT_EQ(ffi::EnvReadStream<int *>(TensorView(&on_cuda.tensor)), nullptr);
  EXPECT_EQ(Caught([&] { ffi::EnvReadStream(TensorView(&x.tensor)); }).substr(0, 45),
            "RuntimeError: No stream of opencl:0 is set: t");
  int queue;
  ASSERT_EQ(TVMFFIEnvSetStream(kDLOpenCL, 0, &queue, nullptr), 0);
  EXPECT_EQ(ffi::EnvReadStream<int *>(TensorView(&x.tensor)), &queue);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLOpenCL, 0, nullptr, nullptr), 0);
}

/** Element (1, 0), which a kernel finds with data_ptr() alone, or by adding byte_offset() to it. */
float ByPointer(TensorView x) {
  return static_cast<const float *>(x.data_ptr())[x.stride(0)];
}
float ByOffset(const TensorView &x) {
  const char *data = static_cast<const char *>(x.data_ptr()) + x.byte_offset();
  return reinterpret_cast<const float *>(data)[x.stride(0)];
}
float OfAnOptional(ffi::Optional<TensorView> x) {
  return ByPointer(x.value());
}
float OfATensor(Tensor x) {
  return static_cast<const float *>(x.data_ptr())[3] + static_cast<float>(x.byte_offset());
}
float OfACopy(const Tensor &x) {
  return ByPointer(x);
}
float OfADLTensor(DLTensor *x) { /* the caller's own: the kernel adds the offset */
  return reinterpret_cast<const float *>(static_cast<const char *>(x->data) + x->byte_offset)[3];
}

TEST(Tensor, L_22_ArgumentsBeginAtTheFirstElement) {
  Sliced x;
  DLManagedTensor managed{};
  managed.dl_tensor = x.tensor;
  const Tensor tensor = Tensor::FromDLPack(&managed);
  DLTensor *borrowed = &x.tensor;
  EXPECT_EQ(ffi::Function::FromTyped(ByPointer)(borrowed).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(ByOffset)(borrowed).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(OfAnOptional)(borrowed).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(OfADLTensor)(borrowed).cast<float>(), 3);
  EXPECT_EQ(ffi::AnyView(borrowed).cast<TensorView>().data_ptr(), x.values + 2);
  EXPECT_EQ(ffi::Function::FromTyped(OfATensor)(tensor).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(OfACopy)(tensor).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(ByPointer)(tensor).cast<float>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped(OfADLTensor)(tensor).cast<float>(), 3);
  EXPECT_EQ(tensor->data, x.values); /* shared, so as it was imported, and exported so */
  EXPECT_EQ(tensor->byte_offset, 8u);
  EXPECT_EQ(static_cast<float *>(tensor.as_strided({2}, {1}, 3).data_ptr())[0], 3);
  DLManagedTensor *exported = tensor.ToDLPack();
  EXPECT_EQ(exported->dl_tensor.data, x.values);
  EXPECT_EQ(exported->dl_tensor.byte_offset, 8u);
  exported->deleter(exported);
}

TEST(Tensor, L_23_StridesThatDoNotCount) {
  const auto stride = [](int64_t a, int64_t b, int64_t s, int64_t u, int i) {
    Sliced x;
    x.shape[0] = a, x.shape[1] = b;
    x.strides[0] = s, x.strides[1] = u;
    return TensorView(&x.tensor).stride(i);
  };
  EXPECT_EQ(stride(1, 8, 1, 1, 0), 8);
  EXPECT_EQ(stride(1, 8, -77, 2, 0), 8);
  EXPECT_EQ(stride(1, 8, -77, 2, -1), 2);
  EXPECT_EQ(stride(8, 1, 5, 99, 0), 5);
  EXPECT_EQ(stride(8, 1, 5, 99, 1), 1);
  EXPECT_EQ(stride(2, 8, 0, 1, 0), 0); /* a broadcast */
  EXPECT_EQ(stride(0, 8, 5, 5, 0), 8);
  EXPECT_EQ(stride(8, 0, 0, 0, 0), 1);
  Sliced x;
  x.shape[0] = 1;
  x.strides[0] = 77;
  EXPECT_EQ(TensorView(&x.tensor).strides()[0], 77); /* as the producer wrote it */
}

TEST(Tensor, L_24_Alignment) {
  alignas(16) static float values[8];
  Sliced x;
  x.tensor.data = values;
  const TensorView view(&x.tensor);
  view.CheckAligned(8);
  EXPECT_EQ(Caught([&] { view.CheckAligned(16, "weights"); }),
            "ValueError: Mismatched alignment of `weights`. Expected a first element at a multiple "
            "of 16 bytes but got one 8 bytes behind it");
  x.shape[1] = 0; /* nothing to load */
  view.CheckAligned(16);
  EXPECT_TRUE(ffi::IsAligned(x.tensor, 64));
}

TEST(Tensor, L_25_MemoryThatADeviceCanRead) {
  const auto can_read = [](int device, DLDeviceType memory) {
    return ffi::DeviceCanRead(device, DLDevice{memory, 1});
  };
  EXPECT_TRUE(can_read(kDLCPU, kDLCUDAHost) && can_read(kDLCPU, kDLROCMHost) &&
              can_read(kDLCPU, kDLCUDAManaged) && can_read(kDLCPU, kDLCPU));
  EXPECT_TRUE(can_read(kDLCUDA, kDLCUDAManaged) && can_read(kDLCUDA, kDLCUDA));
  EXPECT_FALSE(can_read(kDLCPU, kDLCUDA) || can_read(kDLCUDA, kDLCPU) ||
               can_read(kDLCUDA, kDLCUDAHost) || can_read(kDLROCM, kDLCUDAManaged));
}

TEST(Tensor, L_26_ReadOnly) {
  Sliced x;
  DLManagedTensorVersioned managed{};
  managed.version.major = DLPACK_MAJOR_VERSION;
  managed.dl_tensor = x.tensor;
  EXPECT_FALSE(Tensor::FromDLPackVersioned(&managed).IsReadOnly());
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor tensor = Tensor::FromDLPackVersioned(&managed);
  EXPECT_TRUE(tensor.IsReadOnly());
  EXPECT_TRUE(tensor.as_strided({2}, {1}).IsReadOnly());
}

std::string RefusalOfAView(DLTensor *tensor) {
  const ffi::Function f = ffi::Function::FromTyped([](TensorView) {}, "f");
  return Caught([&] { f(tensor); });
}

TEST(Tensor, L_27_InvalidTensorsDoNotBecomeViews) {
  const std::string when = " on argument #0 when calling: `f(0: DLTensor*) -> void`. Expected ";
  Sliced x;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
  x.tensor.strides = nullptr; /* row-major */
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
  x.shape[0] = -2;
  EXPECT_EQ(RefusalOfAView(&x.tensor),
            "ValueError: Mismatched shape" + when +
                "extents of 0 or more whose product fits int64 but got [-2, 3]");
  EXPECT_EQ(Caught([&] {
              ffi::Function::FromTyped([](ffi::Optional<TensorView>) {}, "f")(&x.tensor);
            }).substr(0, 42),
            "ValueError: Mismatched shape on argument #");
  x.shape[1] = 0;
  EXPECT_NE(RefusalOfAView(&x.tensor), "nothing");
  x.shape[0] = INT64_MAX;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
  x.tensor.data = nullptr; /* without elements, any address and offset will do */
  x.tensor.byte_offset = 3;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
  x.shape[1] = 2;
  EXPECT_NE(RefusalOfAView(&x.tensor).find("but got [9223372036854775807, 2]"), std::string::npos);
  x.shape[0] = 2;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "ValueError: Mismatched data" + when +
                                           "the address of elements but got NULL and shape [2, 2]");
  x.tensor.device.device_type = kDLWebGPU; /* a handle may be 0 */
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
  x.tensor.shape = nullptr;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "ValueError: Mismatched shape" + when +
                                           "the address of extents but got NULL and ndim 2");
  x.tensor.ndim = -1;
  EXPECT_EQ(RefusalOfAView(&x.tensor),
            "ValueError: Mismatched ndim" + when + "0 or more but got -1");
  x.tensor.ndim = 0;
  EXPECT_EQ(RefusalOfAView(&x.tensor), "nothing");
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
