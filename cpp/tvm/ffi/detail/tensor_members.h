/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/tensor_members.h
 * The members that Tensor and TensorView share, properties of a DLTensor, and tensors whose
 * memory comes from a user's allocator.
 */
#ifndef TVM_FFI_DETAIL_TENSOR_MEMBERS_H_
#define TVM_FFI_DETAIL_TENSOR_MEMBERS_H_

#include <tvm/ffi/container/shape.h>

TVM_FFI_NAMESPACE_BEGIN

/**
 * Whether data is an address that offsets may be added to, as on the CPU, CUDA, ROCm (with their
 * host and managed memory) and oneAPI; on others it is a handle.
 */
TVM_FFI_LOCAL inline bool IsDirectAddressDevice(const DLDevice &device) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
    case kDLOneAPI:
      return true;
    default:
      return false;
  }
}

/**
 * Whether code that runs on a device of that type can read and write the memory of another: on the
 * CPU also page-locked memory (kDLCUDAHost, kDLROCMHost) and managed memory (kDLCUDAManaged), on
 * CUDA also managed memory, otherwise memory of that type alone.
 */
TVM_FFI_LOCAL inline bool DeviceCanRead(int device_type, const DLDevice &memory) {
  const int type = memory.device_type;
  if (type == device_type) return true;
  if (device_type == kDLCPU) {
    return type == kDLCUDAHost || type == kDLCUDAManaged || type == kDLROCMHost;
  }
  return device_type == kDLCUDA && type == kDLCUDAManaged;
}

/** Whether the elements are contiguous in row-major order; true when there are none. */
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

namespace detail {

TVM_FFI_LOCAL inline bool HasNoElements(const DLTensor &tensor) {
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return true;
  }
  return false;
}

/** How many bytes the first element is past a multiple of alignment, a power of two. */
TVM_FFI_LOCAL inline size_t Misalignment(const DLTensor &tensor, size_t alignment) {
  uint64_t address = tensor.byte_offset;
  if (IsDirectAddressDevice(tensor.device)) {
    address += static_cast<uint64_t>(reinterpret_cast<uintptr_t>(tensor.data));
  }
  return static_cast<size_t>(address & (static_cast<uint64_t>(alignment) - 1));
}

}  // namespace detail

/**
 * Whether the address of the first element is a multiple of alignment, a power of two; true when
 * there are no elements.
 */
TVM_FFI_LOCAL inline bool IsAligned(const DLTensor &tensor, size_t alignment) {
  return detail::Misalignment(tensor, alignment) == 0 || detail::HasNoElements(tensor);
}

namespace detail {

TVM_FFI_LOCAL inline uint64_t PackedBytes(uint64_t numel, DLDataType dtype) {
  return (numel * dtype.bits * dtype.lanes + 7) / 8;
}
/** SIZE_MAX, which no allocator has, if a size of 32 bits is too small. */
TVM_FFI_LOCAL inline size_t ToSize(uint64_t bytes) {
  if constexpr (sizeof(size_t) < sizeof(uint64_t)) {
    if (bytes > SIZE_MAX) return SIZE_MAX;
  }
  return static_cast<size_t>(bytes);
}

}  // namespace detail

/** The number of bytes of numel elements when they are packed. */
TVM_FFI_LOCAL inline size_t GetDataSize(size_t numel, DLDataType dtype) {
  return detail::ToSize(detail::PackedBytes(numel, dtype));
}
TVM_FFI_LOCAL inline size_t GetDataSize(const DLTensor &tensor) {
  uint64_t numel = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) numel *= static_cast<uint64_t>(tensor.shape[i]);
  return detail::ToSize(detail::PackedBytes(numel, tensor.dtype));
}

namespace detail {

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowDimension(int64_t i, int32_t ndim) {
  ThrowNumbers("IndexError", "Index ", i, " out of bounds for tensor with ", ndim, " dimensions");
}
[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowNoStrides() {
  Throw("InternalError", "Check failed: (strides != nullptr || ndim == 0) is false: ");
}

TVM_FFI_LOCAL_INLINE int64_t FindDimension(int32_t ndim, int64_t i) {
  const int64_t dim = i < 0 ? i + ndim : i;
  if (TVM_FFI_PREDICT_FALSE(dim < 0 || dim >= ndim)) ThrowDimension(i, ndim);
  return dim;
}

/** The stride that a contiguous tensor has, counting extents of 0 as 1. */
TVM_FFI_LOCAL_COLD int64_t ContiguousStride(const DLTensor &tensor, int64_t dim) {
  uint64_t stride = 1;  // may wrap around if there are no elements, which is harmless
  for (int32_t i = tensor.ndim - 1; i > dim; --i) {
    if (tensor.shape[i] != 0) stride *= static_cast<uint64_t>(tensor.shape[i]);
  }
  return static_cast<int64_t>(stride);
}

TVM_FFI_LOCAL_COLD void PutMisaligned(Text &text, size_t alignment, size_t behind) {
  text.Put("a first element at a multiple of ");
  text.PutUint(alignment);
  text.Put(" bytes but got one ");
  text.PutUint(behind);
  text.Put(" bytes behind it");
}

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowMisaligned(const char *name, size_t alignment,
                                                     size_t behind) {
  Text text;
  text.Put("Mismatched alignment");
  if (name != nullptr) {
    text.Put(" of `");
    text.Put(name);
    text.Put('`');
  }
  text.Put(". Expected ");
  PutMisaligned(text, alignment, behind);
  RaiseText("ValueError", text);
  ThrowRaised();
}

/** Of a tensor with a byte_offset: data, with that added where data is an address. */
TVM_FFI_LOCAL_COLD void *AddOffset(const DLTensor &tensor) {
  if (tensor.data == nullptr || !IsDirectAddressDevice(tensor.device)) return tensor.data;
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}
/** What of byte_offset is left after that. */
TVM_FFI_LOCAL_COLD uint64_t RemainingOffset(const DLTensor &tensor) {
  return IsDirectAddressDevice(tensor.device) ? 0 : tensor.byte_offset;
}

TVM_FFI_LOCAL_COLD void BeginAtOffset(const DLTensor &tensor, DLTensor *out) {
  DLTensor begun = tensor;
  begun.data = AddOffset(tensor);
  begun.byte_offset = RemainingOffset(tensor);
  *out = begun;
}

/** The DLPack requirements that a tensor may violate. NULL strides mean row-major. */
enum class ViewFault { kNone, kNDim, kNoExtents, kExtents, kNoData };

TVM_FFI_LOCAL_COLD ViewFault FindViewFault(const DLTensor &tensor) {
  int64_t count = 1;
  bool fits = true;
  if (tensor.ndim < 0) return ViewFault::kNDim;
  if (tensor.ndim > 0 && tensor.shape == nullptr) return ViewFault::kNoExtents;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    const int64_t size = tensor.shape[i];
    if (size < 0) return ViewFault::kExtents;
    if (size == 0) continue;
    fits = fits && count <= INT64_MAX / size;
    if (fits) count *= size;
  }
  if (HasNoElements(tensor)) return ViewFault::kNone;
  if (!fits) return ViewFault::kExtents;
  return tensor.data != nullptr || !IsDirectAddressDevice(tensor.device) ? ViewFault::kNone
                                                                         : ViewFault::kNoData;
}
/** Quick for tensors of less than 2^32 elements. One function for all arguments keeps kernels
 * small. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline bool IsValid(const DLTensor &tensor) {
  if (TVM_FFI_PREDICT_TRUE(tensor.data != nullptr && tensor.shape != nullptr && tensor.ndim >= 0)) {
    uint64_t count = 1;
    int32_t i = 0;
    while (i < tensor.ndim && (static_cast<uint64_t>(tensor.shape[i]) | count) <= UINT32_MAX) {
      count *= static_cast<uint64_t>(tensor.shape[i++]);
    }
    if (TVM_FFI_PREDICT_TRUE(i == tensor.ndim && count <= UINT32_MAX)) return true;
  }
  return FindViewFault(tensor) == ViewFault::kNone;
}

TVM_FFI_LOCAL_COLD void PutNumbers(Text &text, const int64_t *values, int32_t size) {
  text.Put('[');
  for (int32_t i = 0; i < size; ++i) {
    if (i != 0) text.Put(", ");
    text.PutInt(values[i]);
  }
  text.Put(']');
}

/** Begins the text of an error: what of an argument, or of a value if records is NULL, is wrong. */
TVM_FFI_LOCAL_COLD void BeginMismatched(Text &text, const char *property, const char *name,
                                        const TypeRecord *const *records, int32_t i) {
  text.Put("Mismatched ");
  text.Put(property);
  if (records != nullptr) {
    text.Put(" on argument #");
    text.PutInt(i);
    text.Put(" when calling: `");
    PutSignature(text, name, records);
    text.Put('`');
  }
  text.Put(". Expected ");
}

/** Raises the error of an argument, or other value, that is not a valid tensor. Uses the texts of
 * tvm_ffi_args_check_valid. */
TVM_FFI_LOCAL_COLD int RaiseInvalid(const char *name, const TypeRecord *const *records,
                                    const DLTensor &tensor, int32_t i) {
  const ViewFault fault = FindViewFault(tensor);
  const char *property = "shape";
  if (fault == ViewFault::kNDim) property = "ndim";
  if (fault == ViewFault::kNoData) property = "data";
  Text text;
  BeginMismatched(text, property, name, records, i);
  switch (fault) {
    case ViewFault::kNDim:
      text.Put("0 or more but got ");
      text.PutInt(tensor.ndim);
      break;
    case ViewFault::kNoExtents:
      text.Put("the address of extents but got NULL and ndim ");
      text.PutInt(tensor.ndim);
      break;
    case ViewFault::kNoData:
      text.Put("the address of elements but got NULL and shape ");
      PutNumbers(text, tensor.shape, tensor.ndim);
      break;
    default:
      text.Put("extents of 0 or more whose product fits int64 but got ");
      PutNumbers(text, tensor.shape, tensor.ndim);
      break;
  }
  return RaiseText("ValueError", text);
}

/** The shared accessors; Self has GetDLTensorPtr(). */
template <typename Self>
class TensorAccess {
 public:
  /**
   * The address of the first element; the handle on a device whose data is one, as with OpenCL,
   * Vulkan, Metal and WebGPU. There alone byte_offset() is not included.
   */
  TVM_FFI_LOCAL_INLINE void *data_ptr() const { return tensor()->data; }
  TVM_FFI_LOCAL_INLINE DLDevice device() const { return tensor()->device; }
  TVM_FFI_LOCAL_INLINE int32_t ndim() const { return tensor()->ndim; }
  TVM_FFI_LOCAL_INLINE DLDataType dtype() const { return tensor()->dtype; }
  /**
   * The same, named after what it is where data is a handle: a cl_mem, a VkBuffer. The first
   * element is byte_offset() bytes behind the begin of that buffer.
   */
  TVM_FFI_LOCAL_INLINE void *data_handle() const { return tensor()->data; }
  /** The bytes from data_ptr() to the first element: 0 where data is an address. */
  TVM_FFI_LOCAL_INLINE uint64_t byte_offset() const { return tensor()->byte_offset; }
  TVM_FFI_LOCAL_INLINE ShapeView shape() const {
    return ShapeView(tensor()->shape, static_cast<size_t>(tensor()->ndim));
  }
  /** In elements, as the producer wrote them. Errors: InternalError (they are not set). */
  TVM_FFI_LOCAL_INLINE ShapeView strides() const {
    if (TVM_FFI_PREDICT_FALSE(tensor()->strides == nullptr && tensor()->ndim != 0)) {
      ThrowNoStrides();
    }
    return ShapeView(tensor()->strides, static_cast<size_t>(tensor()->ndim));
  }
  /** The extent of a dimension; a negative i counts from the end. Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE int64_t size(int64_t i) const {
    return tensor()->shape[FindDimension(tensor()->ndim, i)];
  }
  /**
   * The stride of a dimension, as size(). One that moves to no other element, that of an extent of
   * 1 or of a tensor without elements, may be anything in strides(). This function then returns
   * what a contiguous tensor of that shape has, counting extents of 0 as 1, so that it can be a
   * leading dimension. Errors: IndexError, InternalError (it is not set).
   */
  TVM_FFI_LOCAL_INLINE int64_t stride(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(tensor()->strides == nullptr && tensor()->ndim != 0)) {
      ThrowNoStrides();
    }
    const int64_t dim = FindDimension(tensor()->ndim, i);
    if (TVM_FFI_PREDICT_FALSE(tensor()->shape[dim] == 1 || HasNoElements(*tensor()))) {
      return ContiguousStride(*tensor(), dim);
    }
    return tensor()->strides[dim];
  }
  /** The number of elements. */
  TVM_FFI_LOCAL_INLINE int64_t numel() const { return shape().Product(); }
  /** Whether the elements are contiguous, in row-major order. */
  TVM_FFI_LOCAL_INLINE bool IsContiguous() const { return ::tvm::ffi::IsContiguous(*tensor()); }
  /** Whether the first element begins at a multiple of that many bytes. */
  TVM_FFI_LOCAL_INLINE bool IsAligned(size_t alignment) const {
    return ::tvm::ffi::IsAligned(*tensor(), alignment);
  }
  /**
   * Refuses a tensor whose first element is not at a multiple of that many bytes, as wide loads
   * require; any without elements is accepted.
   * @param name For the error; may be NULL.
   * Errors: ValueError ``Mismatched alignment of `<name>`. Expected a first element at a multiple
   * of 16 bytes but got one 4 bytes behind it``.
   */
  TVM_FFI_LOCAL_INLINE void CheckAligned(size_t alignment, const char *name = nullptr) const {
    if (TVM_FFI_PREDICT_TRUE(IsAligned(alignment))) return;
    ThrowMisaligned(name, alignment, Misalignment(*tensor(), alignment));
  }
  /** ndim() by its name in at::Tensor. */
  TVM_FFI_LOCAL_INLINE int32_t dim() const { return ndim(); }
  /** shape() by its name in at::Tensor. */
  TVM_FFI_LOCAL_INLINE ShapeView sizes() const { return shape(); }
  /** IsContiguous() by its name in at::Tensor. */
  TVM_FFI_LOCAL_INLINE bool is_contiguous() const { return IsContiguous(); }

 private:
  TVM_FFI_LOCAL_INLINE const DLTensor *tensor() const {
    return static_cast<const Self &>(*this).GetDLTensorPtr();
  }
};

/** The value of an optional offset in elements; 0 when absent. */
template <typename Offset>
TVM_FFI_LOCAL_INLINE int64_t OffsetOf(const Offset &element_offset) {
  return std::optional<typename DependOn<int64_t, Offset>::type>(element_offset).value_or(0);
}

/** Makes a tensor a strided view of its memory. Returns 0, or -1 with ValueError raised. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline int SetStrided(DLTensor *tensor, ShapeView shape,
                                                      ShapeView strides, int64_t element_offset) {
  const char *wrong = nullptr;
  if (shape.size() != strides.size())
    wrong = "as_strided: shape and strides must have the same size.";
  if (element_offset < 0) wrong = "as_strided: element_offset must not be negative.";
  if (wrong != nullptr) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", wrong);
    return -1;
  }
  const uint64_t bytes = PackedBytes(static_cast<uint64_t>(element_offset), tensor->dtype);
  tensor->ndim = static_cast<int32_t>(shape.size());
  tensor->shape = const_cast<int64_t *>(shape.data());
  tensor->strides = const_cast<int64_t *>(strides.data());
  if (IsDirectAddressDevice(tensor->device)) {
    tensor->data = static_cast<char *>(tensor->data) + bytes;
  } else {
    tensor->byte_offset += bytes;
  }
  return 0;
}

/** out: [own] A strided view of a Tensor, as a Tensor. Returns 0, or -1 with an error raised. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline int ViewStrided(const ObjectRef &tensor, ShapeView shape,
                                                       ShapeView strides, int64_t element_offset,
                                                       TVMFFIObjectHandle *out) {
  TVMFFIObject *handle = ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(tensor);
  if (handle == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("InternalError", "a null Tensor has no view");
    return -1;
  }
  DLTensor prototype = *TVMFFITensorGetDLTensorPtr(handle);
  if (SetStrided(&prototype, shape, strides, element_offset) != 0) return -1;
  return TVMFFITensorCreateUnsafeView(handle, &prototype, out);
}

/** Fills in all of a tensor but its data; shape and strides are stored in room. */
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

/** Whether AllocData reports failure by an Expected<void>; any other result is ignored. */
template <typename T>
struct IsExpectedVoid : std::false_type {};
template <>
struct IsExpectedVoid<Expected<void>> : std::true_type {};

/** Selects the constructor that does not call AllocData. */
struct AllocLater {};

/** One block: the object, its allocator, then the shape and the strides. */
template <typename TensorObj, typename Alloc>
class TVM_FFI_TAGGED AllocTensorObj : public TensorObj {
 public:
  /** @param like Its strides may be NULL, which means row-major ones. */
  template <typename... Extra>
  TVM_FFI_LOCAL_INLINE AllocTensorObj(Alloc &&alloc, const DLTensor &like, Extra &&...extra)
      : alloc_(std::move(alloc)) {
    CopyLayout(this, like, reinterpret_cast<int64_t *>(this + 1));
    if constexpr (IsExpectedVoid<AllocResult<Extra...>>::value) {
      Allocate(static_cast<Extra &&>(extra)...).value();
    } else {
      Allocate(static_cast<Extra &&>(extra)...);
    }
  }
  TVM_FFI_LOCAL_INLINE AllocTensorObj(AllocLater, Alloc &&alloc, const DLTensor &like)
      : alloc_(std::move(alloc)) {
    CopyLayout(this, like, reinterpret_cast<int64_t *>(this + 1));
  }
  /** Calls AllocData, which may throw. Returns 0, or -1 with its error raised. */
  template <typename... Extra>
  TVM_FFI_LOCAL_INLINE int AllocateOrRaise(Extra &&...extra) {
    if constexpr (IsExpectedVoid<AllocResult<Extra...>>::value) {
      const auto outcome = Allocate(static_cast<Extra &&>(extra)...);
      if (outcome.is_ok()) return 0;
      SetSafeCallRaised(outcome.error());
      return -1;
    } else {
      Allocate(static_cast<Extra &&>(extra)...);
      return 0;
    }
  }
  /** Keeps the destructor from calling FreeData, as there is no data. */
  TVM_FFI_LOCAL_INLINE void DropData() { this->ndim = kNoData; }
  TVM_FFI_LOCAL ~AllocTensorObj() {
    if (TVM_FFI_PREDICT_FALSE(this->ndim == kNoData)) return;
#if TVM_FFI_HAS_EXCEPTIONS
    try {
      alloc_.FreeData(static_cast<DLTensor *>(this));
    } catch (...) {
      // A destructor cannot report the error.
    }
#else
    alloc_.FreeData(static_cast<DLTensor *>(this));
#endif
  }

 private:
  /** The ndim that marks a tensor without data. */
  TVM_FFI_LOCAL static constexpr int32_t kNoData = -1;
  template <typename... Extra>
  using AllocResult = decltype(std::declval<Alloc &>().AllocData(static_cast<DLTensor *>(nullptr),
                                                                 std::declval<Extra &&>()...));
  template <typename... Extra>
  TVM_FFI_LOCAL_INLINE AllocResult<Extra...> Allocate(Extra &&...extra) {
    return alloc_.AllocData(static_cast<DLTensor *>(this), static_cast<Extra &&>(extra)...);
  }

  alignas(int64_t) Alloc alloc_;
};

/** A tensor description with everything but data. strides may be NULL. */
TVM_FFI_LOCAL_INLINE DLTensor LayoutOf(ShapeView shape, const ShapeView *strides, DLDataType dtype,
                                       DLDevice device) {
  DLTensor layout{};
  layout.device = device;
  layout.ndim = static_cast<int32_t>(shape.size());
  layout.dtype = dtype;
  layout.shape = const_cast<int64_t *>(shape.data());
  layout.strides = strides != nullptr ? const_cast<int64_t *>(strides->data()) : nullptr;
  return layout;
}

template <typename TensorObj, typename Tensor, typename Alloc, typename... Extra>
TVM_FFI_LOCAL Tensor MakeTensor(Alloc &&alloc, ShapeView shape, const ShapeView *strides,
                                DLDataType dtype, DLDevice device, Extra &&...extra) {
  const DLTensor like = LayoutOf(shape, strides, dtype, device);
  return ObjectUnsafe::ObjectRefFromObjectPtr<Tensor>(
      make_inplace_array_object<AllocTensorObj<TensorObj, Alloc>, int64_t>(
          2 * shape.size(), static_cast<Alloc &&>(alloc), like, static_cast<Extra &&>(extra)...));
}

/** Makes a tensor in the given memory; out: [own] the tensor, which has no data if this fails.
 * Returns 0, or -1 with an error raised. */
template <typename Obj, typename Alloc, typename... Extra>
TVM_FFI_LOCAL int MakeTensorIn(void *memory, ObjectPtr<Obj> *out, Alloc &&alloc,
                               const DLTensor &like, Extra &&...extra) {
  TVM_FFI_DETAIL_TRY {
    *out = MakeObjectIn<Obj>(memory, AllocLater(), static_cast<Alloc &&>(alloc), like);
    return (*out)->AllocateOrRaise(static_cast<Extra &&>(extra)...);
  }
  TVM_FFI_DETAIL_CATCH
}
/** As MakeTensor, but returns the error. */
template <typename TensorObj, typename Tensor, typename Alloc, typename... Extra>
TVM_FFI_LOCAL Expected<Tensor> MakeTensorExpected(Alloc &&alloc, ShapeView shape,
                                                  const ShapeView *strides, DLDataType dtype,
                                                  DLDevice device, Extra &&...extra) {
  using Obj = AllocTensorObj<TensorObj, Alloc>;
  const DLTensor like = LayoutOf(shape, strides, dtype, device);
  void *memory = TryAllocAligned(SizeWith<Obj>(2 * shape.size() * sizeof(int64_t)), alignof(Obj));
  if (memory == nullptr) return MakePlainError("MemoryError", "out of memory");
  ObjectPtr<Obj> made;
  if (MakeTensorIn(memory, &made, static_cast<Alloc &&>(alloc), like,
                   static_cast<Extra &&>(extra)...) != 0) {
    if (made != nullptr) made->DropData();
    return MoveFromSafeCallRaised();
  }
  return ObjectUnsafe::ObjectRefFromObjectPtr<Tensor>(std::move(made));
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TENSOR_MEMBERS_H_
