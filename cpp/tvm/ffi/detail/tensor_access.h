/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/tensor_access.h
 * What Tensor and TensorView have in common, what a DLTensor says about itself, and tensors whose
 * memory comes from an allocator of the user's.
 */
#ifndef TVM_FFI_DETAIL_TENSOR_ACCESS_H_
#define TVM_FFI_DETAIL_TENSOR_ACCESS_H_

#include <tvm/ffi/container/shape.h>

TVM_FFI_NAMESPACE_BEGIN

/** Whether data is an address that offsets may be added to. */
TVM_FFI_LOCAL inline bool IsDirectAddressDevice(const DLDevice &device) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
      return true;
    default:
      return false;
  }
}

/** Whether elements stand one behind the other, row by row; true when there are none. */
TVM_FFI_LOCAL inline bool IsContiguous(const DLTensor &tensor) {
  uint64_t expected = 1;
  bool contiguous = true;
  if (tensor.strides == nullptr) return true;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t size = tensor.shape[i];
    if (size == 0) return true;
    if (size == 1) continue;
    if (tensor.strides[i] != static_cast<int64_t>(expected)) contiguous = false;
    expected *= static_cast<uint64_t>(size);
  }
  return contiguous;
}

/** Whether the first element is at a multiple of alignment, a power of two. */
TVM_FFI_LOCAL inline bool IsAligned(const DLTensor &tensor, size_t alignment) {
  uint64_t address = tensor.byte_offset;
  if (IsDirectAddressDevice(tensor.device)) {
    address += static_cast<uint64_t>(reinterpret_cast<uintptr_t>(tensor.data));
  }
  return (address & (static_cast<uint64_t>(alignment) - 1)) == 0;
}

/** Bytes that so many elements take when they are packed. */
TVM_FFI_LOCAL inline size_t GetDataSize(size_t numel, DLDataType dtype) {
  return (numel * dtype.bits * dtype.lanes + 7) / 8;
}
TVM_FFI_LOCAL inline size_t GetDataSize(const DLTensor &tensor) {
  size_t numel = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) numel *= static_cast<size_t>(tensor.shape[i]);
  return GetDataSize(numel, tensor.dtype);
}

namespace detail {

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowDimension(int64_t i, int32_t ndim) {
  ThrowNumbers("IndexError", "Index ", i, " out of bounds for tensor with ", ndim, " dimensions");
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNoStrides() {
  Throw("InternalError", "Check failed: (strides != nullptr || ndim == 0) is false: ");
}

TVM_FFI_LOCAL_INLINE int64_t ReadDimension(const int64_t *values, int32_t ndim, int64_t i) {
  const int64_t dim = i < 0 ? i + ndim : i;
  if (TVM_FFI_PREDICT_FALSE(dim < 0 || dim >= ndim)) ThrowDimension(i, ndim);
  return values[dim];
}

/** The accessors; Self has GetDLTensorPtr(). */
template <typename Self>
class TensorAccess {
 public:
  /** Without byte_offset. */
  TVM_FFI_LOCAL_INLINE void *data_ptr() const { return tensor()->data; }
  TVM_FFI_LOCAL_INLINE DLDevice device() const { return tensor()->device; }
  TVM_FFI_LOCAL_INLINE int32_t ndim() const { return tensor()->ndim; }
  TVM_FFI_LOCAL_INLINE DLDataType dtype() const { return tensor()->dtype; }
  TVM_FFI_LOCAL_INLINE uint64_t byte_offset() const { return tensor()->byte_offset; }
  TVM_FFI_LOCAL_INLINE ShapeView shape() const {
    return ShapeView(tensor()->shape, static_cast<size_t>(tensor()->ndim));
  }
  TVM_FFI_LOCAL_INLINE ShapeView strides() const {
    if (TVM_FFI_PREDICT_FALSE(tensor()->strides == nullptr && tensor()->ndim != 0)) {
      ThrowNoStrides();
    }
    return ShapeView(tensor()->strides, static_cast<size_t>(tensor()->ndim));
  }
  /** A negative i counts from the end. Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE int64_t size(int64_t i) const {
    return ReadDimension(tensor()->shape, tensor()->ndim, i);
  }
  TVM_FFI_LOCAL_INLINE int64_t stride(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(tensor()->strides == nullptr && tensor()->ndim != 0)) {
      ThrowNoStrides();
    }
    return ReadDimension(tensor()->strides, tensor()->ndim, i);
  }
  TVM_FFI_LOCAL_INLINE int64_t numel() const { return shape().Product(); }
  TVM_FFI_LOCAL_INLINE bool IsContiguous() const { return ::tvm::ffi::IsContiguous(*tensor()); }
  TVM_FFI_LOCAL_INLINE bool IsAligned(size_t alignment) const {
    return ::tvm::ffi::IsAligned(*tensor(), alignment);
  }
  /* As at::Tensor calls them. */
  TVM_FFI_LOCAL_INLINE int32_t dim() const { return ndim(); }
  TVM_FFI_LOCAL_INLINE ShapeView sizes() const { return shape(); }
  TVM_FFI_LOCAL_INLINE bool is_contiguous() const { return IsContiguous(); }

 private:
  TVM_FFI_LOCAL_INLINE const DLTensor *tensor() const {
    return static_cast<const Self &>(*this).GetDLTensorPtr();
  }
};

/** Of an optional offset in elements; 0 when absent. */
template <typename Offset>
TVM_FFI_LOCAL_INLINE int64_t OffsetOf(const Offset &element_offset) {
  return std::optional<typename DependOn<int64_t, Offset>::type>(element_offset).value_or(0);
}

/** Makes a tensor show other elements of its memory. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline void SetStrided(DLTensor *tensor, ShapeView shape,
                                                       ShapeView strides, int64_t element_offset) {
  if (shape.size() != strides.size()) {
    Throw("ValueError", "as_strided: shape and strides must have the same size.");
  }
  if (element_offset < 0) Throw("ValueError", "as_strided: element_offset must not be negative.");
  const size_t bytes = GetDataSize(static_cast<size_t>(element_offset), tensor->dtype);
  tensor->ndim = static_cast<int32_t>(shape.size());
  tensor->shape = const_cast<int64_t *>(shape.data());
  tensor->strides = const_cast<int64_t *>(strides.data());
  if (IsDirectAddressDevice(tensor->device)) {
    tensor->data = static_cast<char *>(tensor->data) + bytes;
  } else {
    tensor->byte_offset += bytes;
  }
}

/** Fills in a tensor but for its data; room is for the extents and the strides. */
TVM_FFI_LOCAL inline void CopyLayout(DLTensor *tensor, const DLTensor &like, int64_t *room) {
  const size_t ndim = static_cast<size_t>(like.ndim);
  *tensor = like;
  tensor->data = nullptr;
  tensor->shape = room;
  tensor->strides = room + ndim;
  tensor->byte_offset = 0;
  if (ndim == 0) return;
  std::memcpy(tensor->shape, like.shape, ndim * sizeof *room);
  if (like.strides != nullptr) {
    std::memcpy(tensor->strides, like.strides, ndim * sizeof *room);
  } else {
    FillStrides(tensor->shape, ndim, tensor->strides);
  }
}

/** One block: the object, its allocator, and behind them the extents and the strides. */
template <typename TensorObj, typename Alloc>
class AllocTensorObj : public TensorObj {
 public:
  /** @param like Strides may be NULL: row-major ones then. */
  template <typename... Extra>
  TVM_FFI_LOCAL_INLINE AllocTensorObj(const Alloc &alloc, const DLTensor &like, Extra &&...extra)
      : alloc_(alloc) {
    CopyLayout(this, like, reinterpret_cast<int64_t *>(this + 1));
    alloc_.AllocData(static_cast<DLTensor *>(this), static_cast<Extra &&>(extra)...);
  }
  TVM_FFI_LOCAL ~AllocTensorObj() {
#if TVM_FFI_HAS_EXCEPTIONS
    try {
      alloc_.FreeData(static_cast<DLTensor *>(this));
    } catch (...) {
      // Nobody is left who could be told.
    }
#else
    alloc_.FreeData(static_cast<DLTensor *>(this));
#endif
  }

 private:
  alignas(int64_t) Alloc alloc_;
};

template <typename TensorObj, typename Tensor, typename Alloc, typename... Extra>
TVM_FFI_LOCAL Tensor MakeTensor(const Alloc &alloc, ShapeView shape, const ShapeView *strides,
                                DLDataType dtype, DLDevice device, Extra &&...extra) {
  DLTensor like{};
  like.device = device;
  like.ndim = static_cast<int32_t>(shape.size());
  like.dtype = dtype;
  like.shape = const_cast<int64_t *>(shape.data());
  like.strides = strides != nullptr ? const_cast<int64_t *>(strides->data()) : nullptr;
  return ObjectUnsafe::ObjectRefFromObjectPtr<Tensor>(
      make_inplace_array_object<AllocTensorObj<TensorObj, Alloc>, int64_t>(
          2 * shape.size(), alloc, like, static_cast<Extra &&>(extra)...));
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TENSOR_ACCESS_H_
