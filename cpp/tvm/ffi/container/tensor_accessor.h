/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/tensor_accessor.h
 * Tensors whose dtype and rank are known when the kernel is compiled: `x(i, j)` is an element.
 * Nothing else includes this header.
 *
 *     void Add(ContiguousAccessor<const float, 2> x, TensorAccessor<float, 2> y) {
 *       for (int64_t i = 0; i < x.size(0); ++i)
 *         for (int64_t j = 0; j < x.size(1); ++j) y(i, j) += x(i, j);
 *     }
 *     TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, Add);
 *
 * A parameter of an accessor type accepts what a TensorView does, and refuses a tensor of another
 * dtype (TypeError), rank, kind of device or, for ContiguousAccessor, strides (ValueError) before
 * the function runs. The extents are not compared with anything.
 *
 * The address and the extents of each argument are checked once, before the function runs. These
 * are also ValueErrors:
 *
 *     an extent is negative, the extents are at NULL, or int64_t does not count the elements
 *     data is NULL although there are elements
 *     the first element's address is not a multiple of its size (of one lane, at most 8 bytes),
 *     or of the number of bytes that the accessor demands: ContiguousAccessor<const float, 1,
 *     kDLCPU, 16> for a kernel that loads 16 bytes at a time
 *     the elements are written (T is not const) and the argument is a read-only Tensor; a
 *     DLTensor has no such flag
 *     with the reference's runtime: byte_offset is not 0 on a device whose data is a handle, not
 *     an address (e.g. OpenCL)
 *
 * A tensor without elements may have any address. On a device with handles data() is the handle.
 *
 * T is a type that extra/dtype.h knows: integers, bool, float, double, half and bfloat16 of CUDA,
 * or your own class for which dtype_trait is specialised. An element must have the size of its
 * dtype: DLPack packs two elements of four bits into a byte, so a kernel of __nv_fp4_e2m1 takes
 * __nv_fp4x2_e2m1 or a TensorView.
 *
 * An accessor holds the address of the first element, byte_offset included, and copies of the
 * extents and strides: pass it by value, also to a `__global__` function. It borrows the data.
 * Element access costs nothing extra: g++ 12 -O2 compiles y(i, j) += x(i, j) to the same inner
 * loop, instruction by instruction, as plain pointers. Use a ContiguousAccessor for loops that
 * should be vectorised: the other knows its last stride only at run time.
 *
 * ForEach(f, x, y) calls f(x(i, j), y(i, j)) for all indices, whatever the strides; see there.
 *
 * Indices are not checked, unless TVM_FFI_CHECK_INDEX is defined to 1 before this header is
 * included. A wrong index is then an IndexError; without exceptions (-fno-exceptions) the process
 * ends with that message, and device code prints a message and traps.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_ACCESSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_ACCESSOR_H_

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/dtype.h>

#ifndef TVM_FFI_CHECK_INDEX
#define TVM_FFI_CHECK_INDEX 0
#endif

/** @cond internal */
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TVM_FFI_DETAIL_HOST_DEVICE __host__ __device__
#else
#define TVM_FFI_DETAIL_HOST_DEVICE
#endif
#define TVM_FFI_DETAIL_ACCESS TVM_FFI_DETAIL_HOST_DEVICE TVM_FFI_LOCAL_INLINE
/** @endcond */

TVM_FFI_NAMESPACE_BEGIN

/** For an accessor that accepts tensors on any device. */
TVM_FFI_LOCAL inline constexpr int kAnyDevice = 0;

namespace detail {

/** What an accessor requires of a tensor. */
struct TensorRule {
  DLDataType dtype;
  int32_t ndim;
  int device;
  bool contiguous;
  uint32_t alignment;
};
/** The first requirement that a tensor does not meet. */
enum class TensorFault {
  kNone,
  kDType,
  kNDim,
  kDevice,
  kInvalid,
  kStrides,
  kByteOffset,
  kAlignment
};

template <typename T, typename = void>
struct HasDType : std::false_type {};
template <typename T>
struct HasDType<T, std::void_t<decltype(dtype_trait<T>::value)>> : std::true_type {};

template <typename T>
TVM_FFI_LOCAL constexpr DLDataType ElementDType() {
  static_assert(HasDType<T>::value,
                "elements of this type have no dtype: take float, int32_t or another number, or "
                "specialise tvm::ffi::dtype_trait for the class");
  if constexpr (HasDType<T>::value) {
    return dtype_trait<T>::value;
  } else {
    return {};
  }
}

/**
 * The alignment of elements. For a class it is the size of one lane, because the class may be only
 * declared where it is a parameter; for a complex number, that of one part.
 */
template <typename T>
TVM_FFI_LOCAL constexpr uint32_t ElementAlignment() {
  if constexpr (std::is_arithmetic_v<T>) {
    return alignof(T);
  } else {
    const DLDataType dtype = ElementDType<T>();
    const uint32_t bytes = dtype.code == kDLComplex ? dtype.bits / 16 : dtype.bits / 8;
    uint32_t alignment = 1;
    while (alignment < 8 && bytes != 0 && bytes % (2 * alignment) == 0) alignment *= 2;
    return alignment;
  }
}

template <typename T, uint32_t kAlignment>
TVM_FFI_LOCAL constexpr uint32_t AlignmentOf() {
  return ElementAlignment<T>() > kAlignment ? ElementAlignment<T>() : kAlignment;
}

/** `Tensor<float32, 2`. Special floating-point formats show only their number of bits. */
template <typename Sink>
TVM_FFI_LOCAL constexpr void BeginTensorType(Sink &sink, DLDataType dtype, int32_t ndim) {
  constexpr const char *kNames[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  sink.Put("Tensor<");
  sink.Put(dtype.code <= kDLBool ? kNames[dtype.code] : "small_float");
  if (dtype.code != kDLBool) PutSize(sink, dtype.bits);
  if (dtype.lanes != 1) {
    sink.Put('x');
    PutSize(sink, dtype.lanes);
  }
  sink.Put(", ");
  PutSize(sink, static_cast<size_t>(ndim));
}

TVM_FFI_LOCAL_INLINE bool CanAccess(int device, const DLDevice &memory) {
  return TVM_FFI_PREDICT_TRUE(memory.device_type == device || device == kAnyDevice) ||
         DeviceCanRead(device, memory);
}

/** Checks the data of a valid tensor that meets the rest of the rule. */
TVM_FFI_LOCAL_COLD TensorFault FindDataFault(const TensorRule &rule, const DLTensor &tensor) {
  if (!IsDirectAddressDevice(tensor.device)) {
    return tensor.byte_offset == 0 ? TensorFault::kNone : TensorFault::kByteOffset;
  }
  return IsAligned(tensor, rule.alignment) ? TensorFault::kNone : TensorFault::kAlignment;
}
TVM_FFI_LOCAL_INLINE bool HasData(const TensorRule &rule, const DLTensor &tensor) {
  if (TVM_FFI_PREDICT_TRUE(IsDirectAddressDevice(tensor.device) &&
                           IsAligned(tensor, rule.alignment))) {
    return true;
  }
  return FindDataFault(rule, tensor) == TensorFault::kNone;
}

TVM_FFI_LOCAL_COLD TensorFault FindFault(const TensorRule &rule, const DLTensor &tensor) {
  if (tensor.dtype != rule.dtype) return TensorFault::kDType;
  if (tensor.ndim != rule.ndim) return TensorFault::kNDim;
  if (!CanAccess(rule.device, tensor.device)) return TensorFault::kDevice;
  if (!IsValid(tensor)) return TensorFault::kInvalid;
  if (rule.contiguous && !IsContiguous(tensor)) return TensorFault::kStrides;
  return FindDataFault(rule, tensor);
}
TVM_FFI_LOCAL_INLINE bool Fits(const TensorRule &rule, const DLTensor &tensor) {
  return tensor.dtype == rule.dtype && tensor.ndim == rule.ndim &&
         CanAccess(rule.device, tensor.device) && IsValid(tensor) &&
         (!rule.contiguous || IsContiguous(tensor)) && HasData(rule, tensor);
}

TVM_FFI_LOCAL_COLD void PutQuoted(Text &text, DLDevice device) {
  text.Put('`');
  PutDevice(text, device);
  text.Put('`');
}

/** Uses the texts of tvm_ffi_args_check_dtype and similar functions. Returns -1. */
TVM_FFI_LOCAL_COLD int RaiseUnfit(const TensorRule &rule, const char *name,
                                  const TypeRecord *const *records, const DLTensor &tensor,
                                  int32_t i) {
  constexpr const char *kNames[] = {"", "dtype",   "ndim",        "device",
                                    "", "strides", "byte_offset", "alignment"};
  const TensorFault fault = FindFault(rule, tensor);
  if (fault == TensorFault::kInvalid) return RaiseInvalid(name, records, tensor, i);
  Text text;
  BeginMismatched(text, kNames[static_cast<int>(fault)], name, records, i);
  switch (fault) {
    case TensorFault::kNone:
    case TensorFault::kInvalid:
      break;
    case TensorFault::kDType:
      text.Put('`');
      text.PutDataType(rule.dtype);
      text.Put("` but got `");
      text.PutDataType(tensor.dtype);
      text.Put('`');
      break;
    case TensorFault::kNDim:
      text.PutInt(rule.ndim);
      text.Put(" but got ");
      text.PutInt(tensor.ndim);
      break;
    case TensorFault::kDevice:
      text.Put('`');
      PutDeviceType(text, rule.device);
      text.Put("` but got ");
      PutQuoted(text, tensor.device);
      break;
    case TensorFault::kStrides:
      text.Put("a contiguous tensor but got strides ");
      PutNumbers(text, tensor.strides, tensor.ndim);
      text.Put(" of shape ");
      PutNumbers(text, tensor.shape, tensor.ndim);
      break;
    case TensorFault::kByteOffset:
      text.Put("0 on ");
      PutQuoted(text, tensor.device);
      text.Put(", where data is a handle, but got ");
      text.PutUint(tensor.byte_offset);
      break;
    case TensorFault::kAlignment:
      PutMisaligned(text, rule.alignment, Misalignment(tensor, rule.alignment));
      break;
  }
  return RaiseText(fault == TensorFault::kDType ? "TypeError" : "ValueError", text);
}

/**
 * Whether the owner of a Tensor shares it for reading only: 1 or 0, or -1 with MemoryError raised.
 */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline int IsReadOnly(TVMFFIObject *tensor) {
  DLManagedTensorVersioned *shared = nullptr;
  if (TVMFFITensorToDLPackVersioned(tensor, &shared) != 0) return -1;
  const int is_read_only = (shared->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0 ? 1 : 0;
  shared->deleter(shared);
  return is_read_only;
}
/** Raises what made IsReadOnly() not 0. */
TVM_FFI_LOCAL_COLD int RaiseReadOnly(const char *name, const TypeRecord *const *records,
                                     const TVMFFIAny *source, int32_t i) {
  if (IsReadOnly(source->v_obj) < 0) return -1;
  Text text;
  BeginMismatched(text, "flags", name, records, i);
  text.Put("memory that may be written but got a tensor that is shared for reading only");
  return RaiseText("ValueError", text);
}

/** Writes the type of a tensor, and any other reason for refusing it. */
TVM_FFI_LOCAL_COLD void PutTensorGot(Text &text, const TensorRule &rule, const DLTensor &tensor) {
  BeginTensorType(text, tensor.dtype, tensor.ndim);
  if (tensor.device.device_type != kDLCPU || (rule.device != kDLCPU && rule.device != kAnyDevice)) {
    text.Put(", ");
    PutDeviceType(text, tensor.device.device_type);
  }
  switch (FindFault(rule, tensor)) {
    case TensorFault::kStrides:
      text.Put(", strided");
      break;
    case TensorFault::kByteOffset:
      text.Put(", byte_offset ");
      text.PutUint(tensor.byte_offset);
      break;
    case TensorFault::kInvalid:
      text.Put(FindViewFault(tensor) == ViewFault::kNoData ? ", data NULL" : ", invalid extents");
      break;
    case TensorFault::kAlignment:
      text.Put(", misaligned");
      break;
    default:
      break;
  }
  text.Put('>');
}

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowIndex(int64_t index, int32_t axis, int64_t size) {
  Text text;
  text.Put("Index ");
  text.PutInt(index);
  text.Put(" is out of bounds for axis ");
  text.PutInt(axis);
  text.Put(" with size ");
  text.PutInt(size);
  RaiseText("IndexError", text);
  ThrowRaised();
}

template <bool kCheck>
TVM_FFI_DETAIL_ACCESS void CheckIndex([[maybe_unused]] int64_t index, [[maybe_unused]] int32_t axis,
                                      [[maybe_unused]] int64_t size) {
  if constexpr (kCheck) {
    if (TVM_FFI_PREDICT_TRUE(static_cast<uint64_t>(index) < static_cast<uint64_t>(size))) return;
#if defined(__CUDA_ARCH__)
    printf("Index %lld is out of bounds for axis %d with size %lld\n",
           static_cast<long long>(index), static_cast<int>(axis), static_cast<long long>(size));
    __trap();
#elif defined(__HIP_DEVICE_COMPILE__)
    __builtin_trap();
#else
    ThrowIndex(index, axis, size);
#endif
  }
}

}  // namespace detail

/**
 * A borrowed tensor of N dimensions with elements T; a const T is only read.
 * @tparam kDevice     A DLDeviceType: where the code runs that reads and writes the elements.
 *                     kDLCPU also accepts page-locked and managed memory, kDLCUDA managed memory.
 * @tparam kContiguous Whether the elements are contiguous, in row-major order.
 * @tparam kAlignment  Of how many bytes the first element's address is a multiple; 0 if that of an
 *                     element will do.
 */
template <typename T, int N, int kDevice, bool kContiguous, uint32_t kAlignment>
class BasicTensorAccessor {
  static_assert(N >= 0, "the number of dimensions of a TensorAccessor<T, N> is 0 or more");
  static_assert((kAlignment & (kAlignment - 1)) == 0, "the alignment is a power of two, or 0");

  template <typename U, bool kFrom>
  TVM_FFI_LOCAL static constexpr bool CanView() {
    return (std::is_same_v<U, T> || std::is_same_v<const U, T>)&&(kFrom || !kContiguous);
  }

 public:
  using value_type = std::remove_cv_t<T>;
  TVM_FFI_LOCAL static constexpr detail::TensorRule rule = {
      detail::ElementDType<value_type>(), N, kDevice, kContiguous,
      detail::AlignmentOf<value_type, kAlignment>()};

  /** No tensor: may only be assigned to. */
  TVM_FFI_LOCAL_INLINE BasicTensorAccessor() = default;
  /**
   * [borrow] Errors: TypeError (dtype), ValueError (rank, device, strides, data), InternalError
   * (null).
   */
  TVM_FFI_LOCAL explicit BasicTensorAccessor(const TensorView &tensor) {
    const DLTensor &source = *tensor.GetDLTensorPtr();
    if (TVM_FFI_PREDICT_FALSE(!detail::Fits(rule, source))) {
      detail::RaiseUnfit(rule, "", nullptr, source, 0);
      detail::ThrowRaised();
    }
    Set(source);
  }
  /** The same elements, made const, or with strides that are read at run time. */
  template <typename U, bool kFrom, uint32_t kOf,
            typename = std::enable_if_t<CanView<U, kFrom>() && (kOf >= kAlignment)>>
  TVM_FFI_DETAIL_ACCESS BasicTensorAccessor(
      const BasicTensorAccessor<U, N, kDevice, kFrom, kOf> &other)
      : data_(other.data()), device_(other.device()) {
    for (int i = 0; i < N; ++i) {
      sizes_[i] = other.size(i);
      if constexpr (!kContiguous) strides_[i] = other.stride(i);
    }
  }

  /** The element at N indices, none of them negative. */
  template <typename... I>
  TVM_FFI_DETAIL_ACCESS T &operator()(I... index) const {
    static_assert(sizeof...(I) == N,
                  "give one index for each dimension: a TensorAccessor<T, N> takes N; x[i] is the "
                  "rest of a tensor at its first index");
    static_assert((is_index_v<I> && ...),
                  "an index is an integer: cast it, as in static_cast<int64_t>(i)");
    CheckElement();
    return data_[Offset(std::index_sequence_for<I...>(), index...)];
  }
  /** The element if N is 1, otherwise an accessor of the remaining dimensions. */
  template <typename I = int64_t>
  TVM_FFI_DETAIL_ACCESS decltype(auto) operator[](I position) const {
    static_assert(N > 0, "a tensor of no dimensions has no index: write x()");
    static_assert(is_index_v<I>, "an index is an integer: cast it, as in static_cast<int64_t>(i)");
    CheckElement();
    const int64_t index = static_cast<int64_t>(position);
    detail::CheckIndex<TVM_FFI_CHECK_INDEX != 0>(index, 0, sizes_[0]);
    if constexpr (N == 1) {
      return static_cast<T &>(data_[index * stride(0)]);
    } else {
      BasicTensorAccessor<T, N - 1, kDevice, kContiguous, 0> rest;
      rest.data_ = data_ + index * stride(0);
      rest.device_ = device_;
      for (int i = 1; i < N; ++i) {
        rest.sizes_[i - 1] = sizes_[i];
        if constexpr (!kContiguous) rest.strides_[i - 1] = strides_[i];
      }
      return rest;
    }
  }

  /** The address of the first element. */
  TVM_FFI_DETAIL_ACCESS T *data() const { return data_; }
  TVM_FFI_DETAIL_ACCESS DLDevice device() const { return device_; }
  TVM_FFI_DETAIL_ACCESS static constexpr int32_t ndim() { return N; }
  TVM_FFI_DETAIL_ACCESS static constexpr int32_t dim() { return N; }
  /** An extent; i is from 0 to N - 1, unchecked. */
  TVM_FFI_DETAIL_ACCESS int64_t size(int i) const { return sizes_[i]; }
  /** In elements. */
  TVM_FFI_DETAIL_ACCESS int64_t stride(int i) const {
    if constexpr (kContiguous) {
      int64_t stride = 1;
      for (int k = N - 1; k > i; --k) stride *= sizes_[k];
      return stride;
    } else {
      return strides_[i];
    }
  }
  TVM_FFI_DETAIL_ACCESS int64_t numel() const {
    int64_t product = 1;
    for (int i = 0; i < N; ++i) product *= sizes_[i];
    return product;
  }

 private:
  template <typename, int, int, bool, uint32_t>
  friend class BasicTensorAccessor;
  friend struct TypeTraits<BasicTensorAccessor>;

  /** Floating-point numbers would convert too, but be truncated. */
  template <typename I>
  TVM_FFI_LOCAL static constexpr bool is_index_v =
      std::is_convertible_v<I, int64_t> && !std::is_floating_point_v<std::decay_t<I>>;
  /** Checked where elements are accessed, as T may be only declared before. */
  TVM_FFI_DETAIL_ACCESS static void CheckElement() {
    static_assert(sizeof(value_type) * 8 == size_t{rule.dtype.bits} * rule.dtype.lanes,
                  "an element has not the size of its dtype: elements of this dtype are packed, "
                  "take the x2 type or a TensorView; or its dtype_trait is wrong");
  }

  TVM_FFI_LOCAL_INLINE void Set(const DLTensor &tensor) {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    const uint64_t offset = tensor.data != nullptr ? tensor.byte_offset : 0;
    data_ = reinterpret_cast<T *>(static_cast<Byte *>(tensor.data) + offset);
    device_ = tensor.device;
    for (int i = 0; i < N; ++i) sizes_[i] = tensor.shape[i];
    if constexpr (!kContiguous) {
      if (tensor.strides != nullptr) {
        for (int i = 0; i < N; ++i) strides_[i] = tensor.strides[i];
      } else {
        detail::FillStrides(sizes_, N, strides_);
      }
    }
  }

  template <size_t... K, typename... I>
  TVM_FFI_DETAIL_ACCESS int64_t Offset(std::index_sequence<K...>, I... index) const {
    (detail::CheckIndex<TVM_FFI_CHECK_INDEX != 0>(static_cast<int64_t>(index),
                                                  static_cast<int32_t>(K), sizes_[K]),
     ...);
    int64_t offset = 0;
    if constexpr (kContiguous) {
      ((offset = offset * sizes_[K] + static_cast<int64_t>(index)), ...);
    } else {
      ((offset += static_cast<int64_t>(index) * strides_[K]), ...);
    }
    return offset;
  }

  TVM_FFI_LOCAL static constexpr int kRoom = N == 0 ? 1 : N;

  T *data_ = nullptr;
  DLDevice device_{};
  int64_t sizes_[kRoom] = {};
  int64_t strides_[kContiguous ? 1 : kRoom] = {};
};

template <typename T, int N, int kDevice = kDLCPU, uint32_t kAlignment = 0>
using TensorAccessor = BasicTensorAccessor<T, N, kDevice, false, kAlignment>;
template <typename T, int N, int kDevice = kDLCPU, uint32_t kAlignment = 0>
using ContiguousAccessor = BasicTensorAccessor<T, N, kDevice, true, kAlignment>;

/* ---- Walking over elements ---- */

namespace detail {

/** The dimensions of a walk over tensors of one shape; strides in bytes. */
struct Walk {
  TVM_FFI_LOCAL static constexpr int kTensors = 8, kDims = 32;
  int num_tensors;
  int ndim = 0;
  int64_t shape[kDims];
  int64_t strides[kDims][kTensors];
};

TVM_FFI_LOCAL inline uint64_t WalkDistance(const Walk &walk, int dim) {
  const int64_t stride = walk.strides[dim][0];
  return stride < 0 ? 0 - static_cast<uint64_t>(stride) : static_cast<uint64_t>(stride);
}

/**
 * Adds a dimension around the existing ones: before all with a smaller stride in the first tensor.
 * Returns false if there are too many.
 */
TVM_FFI_LOCAL inline bool AddToWalk(Walk *walk, int64_t size,
                                    const int64_t (&strides)[Walk::kTensors]) {
  if (size == 1) return true;
  if (walk->ndim == Walk::kDims) return false;
  int place = walk->ndim++;
  const uint64_t distance =
      strides[0] < 0 ? 0 - static_cast<uint64_t>(strides[0]) : static_cast<uint64_t>(strides[0]);
  for (; place > 0 && WalkDistance(*walk, place - 1) <= distance; --place) {
    walk->shape[place] = walk->shape[place - 1];
    std::memcpy(walk->strides[place], walk->strides[place - 1], sizeof strides);
  }
  walk->shape[place] = size;
  std::memcpy(walk->strides[place], strides, sizeof strides);
  return true;
}

/** Makes one dimension of those that continue each other in every tensor. */
TVM_FFI_LOCAL inline void JoinWalk(Walk *walk) {
  int last = 0;
  for (int i = 1; i < walk->ndim; ++i) {
    bool joins = true;
    for (int k = 0; k < walk->num_tensors; ++k) {
      joins = joins && static_cast<uint64_t>(walk->strides[last][k]) ==
                           static_cast<uint64_t>(walk->strides[i][k]) *
                               static_cast<uint64_t>(walk->shape[i]);
    }
    const int64_t size = joins ? walk->shape[last] * walk->shape[i] : walk->shape[i];
    if (!joins) ++last;
    walk->shape[last] = size;
    if (last != i) std::memcpy(walk->strides[last], walk->strides[i], sizeof walk->strides[i]);
  }
  if (walk->ndim != 0) walk->ndim = last + 1;
}

[[noreturn]] TVM_FFI_LOCAL_COLD void ThrowWalk(const char *problem) {
  Text text;
  text.Put("ForEach: ");
  text.Put(problem);
  RaiseText("ValueError", text);
  ThrowRaised();
}

/** Calls f for the elements of one run. Compilers vectorise the first loop. */
template <typename F, size_t... K, typename... T>
TVM_FFI_LOCAL_INLINE void ForRun(F &f, int64_t count, bool is_contiguous, const int64_t *step,
                                 std::index_sequence<K...>, T *...data) {
  if (is_contiguous) {
    for (int64_t i = 0; i < count; ++i) f(data[i]...);
  } else {
    for (int64_t i = 0; i < count; ++i) f(data[i * step[K]]...);
  }
}

template <typename F, size_t... K, typename... T>
TVM_FFI_LOCAL void ForWalk(F &f, Walk *walk, std::index_sequence<K...> indices, T *...data) {
  constexpr int64_t kSizes[] = {static_cast<int64_t>(sizeof(T))...};
  char *at[] = {reinterpret_cast<char *>(const_cast<std::remove_cv_t<T> *>(data))...};
  int64_t index[Walk::kDims] = {}, step[sizeof...(T)] = {};
  JoinWalk(walk);
  const int outer = walk->ndim - 1;
  const int64_t count = outer >= 0 ? walk->shape[outer] : 1;
  bool is_contiguous = true;
  for (size_t k = 0; k < sizeof...(T) && outer >= 0; ++k) {
    step[k] = walk->strides[outer][k] / kSizes[k];
    is_contiguous = is_contiguous && step[k] == 1;
  }
  for (;;) {
    ForRun(f, count, is_contiguous, step, indices, reinterpret_cast<T *>(at[K])...);
    int i = outer - 1;
    for (; i >= 0; --i) {
      const bool is_inside = ++index[i] < walk->shape[i];
      const int64_t moves = is_inside ? 1 : 1 - walk->shape[i];
      for (size_t k = 0; k < sizeof...(T); ++k) at[k] += moves * walk->strides[i][k];
      if (is_inside) break;
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

/** Elements that share bytes cannot be walked. */
template <typename T>
TVM_FFI_LOCAL constexpr void CheckWhole() {
  constexpr DLDataType dtype = ElementDType<std::remove_cv_t<T>>();
  static_assert(sizeof(T) * 8 == size_t{dtype.bits} * dtype.lanes,
                "an element has not the size of its dtype: elements of this dtype are packed");
}

/** What ForEachOf() needs from an accessor, and the same for a TensorView of elements T. */
template <typename T, int N, int kDevice, bool kContiguous, uint32_t kAlignment>
TVM_FFI_LOCAL_INLINE const BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment> &Walked(
    const BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment> &tensor) {
  static_assert(kDevice == kDLCPU || kDevice == kAnyDevice, "ForEach runs on the CPU");
  CheckWhole<T>();
  return tensor;
}
template <typename T>
struct WalkedView {
  explicit TVM_FFI_LOCAL_INLINE WalkedView(const TensorView &view)
      : tensor(*view.GetDLTensorPtr()) {
    CheckWhole<T>();
    const TensorRule rule = {ElementDType<std::remove_cv_t<T>>(), tensor.ndim, kDLCPU, false,
                             ElementAlignment<std::remove_cv_t<T>>()};
    if (TVM_FFI_PREDICT_FALSE(!Fits(rule, tensor))) {
      RaiseUnfit(rule, "", nullptr, tensor, 0);
      ThrowRaised();
    }
  }
  TVM_FFI_LOCAL_INLINE T *data() const { return static_cast<T *>(tensor.data); }
  TVM_FFI_LOCAL_INLINE int32_t ndim() const { return tensor.ndim; }
  TVM_FFI_LOCAL_INLINE int64_t size(int i) const { return tensor.shape[i]; }
  TVM_FFI_LOCAL_INLINE int64_t stride(int i) const {
    return tensor.strides != nullptr ? tensor.strides[i] : ContiguousStride(tensor, i);
  }
  const DLTensor &tensor;
};

template <typename F, typename... Walked>
TVM_FFI_LOCAL TVM_FFI_NO_INLINE void ForEachStrided(F &f, int ndim, const Walked &...walked) {
  Walk walk;
  walk.num_tensors = sizeof...(Walked);
  for (int i = ndim - 1; i >= 0; --i) {
    const int64_t sizes[] = {walked.size(i)...};
    const int64_t strides[Walk::kTensors] = {walked.stride(i) *
                                             static_cast<int64_t>(sizeof(*walked.data()))...};
    if (!AddToWalk(&walk, sizes[0], strides)) ThrowWalk("more than 32 extents above 1");
  }
  ForWalk(f, &walk, std::index_sequence_for<Walked...>(), walked.data()...);
}

template <typename F, typename First, typename... Rest>
TVM_FFI_LOCAL_INLINE void ForEachOf(F &f, const First &first, const Rest &...rest) {
  static_assert(1 + sizeof...(Rest) <= Walk::kTensors, "ForEach takes 1 to 8 tensors");
  uint64_t product = 1;  // may wrap around if there are no elements, which is harmless
  bool is_contiguous = true, is_empty = false;
  if ((... || (rest.ndim() != first.ndim()))) ThrowWalk("the tensors differ in their dimensions");
  for (int i = first.ndim() - 1; i >= 0; --i) {
    const int64_t size = first.size(i);
    if ((... || (rest.size(i) != size))) ThrowWalk("the tensors differ in their shapes");
    const int64_t next = static_cast<int64_t>(product);
    const bool is_next = first.stride(i) == next && (... && (rest.stride(i) == next));
    is_contiguous = is_contiguous && (size == 1 || is_next);
    is_empty = is_empty || size == 0;
    product *= static_cast<uint64_t>(size);
  }
  if (is_empty) return;
  if (is_contiguous) {
    const int64_t count = static_cast<int64_t>(product);
    for (int64_t i = 0; i < count; ++i) f(first.data()[i], rest.data()[i]...);
  } else {
    ForEachStrided(f, first.ndim(), first, rest...);
  }
}

}  // namespace detail

/**
 * Calls f(element, ...) with a reference to the same element of each tensor, for all elements of
 * tensors of one shape, on the CPU:
 *
 *     ForEach([&](float &y, const float &x) { y = x * factor; }, y, x);              // accessors
 *     ForEach<float, const float>([&](float &y, const float &x) { y += x; }, y, x);  // TensorViews
 *
 * Strides may be any, and nothing is copied. Contiguous tensors are one loop, which compilers
 * vectorise as the one that one would write for them. The order is that in which the first tensor
 * lies in memory: let that be the output.
 * @tparam T The element types of TensorViews, const for what is only read. Omitted for accessors.
 * Errors: ValueError (other shapes, more than 32 extents above 1; for TensorViews as an
 * accessor's), TypeError (the dtype of a TensorView).
 */
template <typename... T, typename F, typename... Tensors>
TVM_FFI_LOCAL_INLINE void ForEach(F &&f, const Tensors &...tensors) {
  if constexpr (sizeof...(T) == 0) {
    detail::ForEachOf(f, detail::Walked(tensors)...);
  } else {
    static_assert(sizeof...(T) == sizeof...(Tensors), "give one element type for each TensorView");
    detail::ForEachOf(f, detail::WalkedView<T>(tensors)...);
  }
}

/* ---- As values ---- */

template <typename T, int N, int kDevice, bool kContiguous, uint32_t kAlignment>
TVM_FFI_LOCAL inline constexpr bool
    detail::is_borrowed_v<BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment>> = true;

template <typename T, int N, int kDevice, bool kContiguous, uint32_t kAlignment>
struct TypeTraits<BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment>>
    : detail::ReadTraits<BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment>> {
  using TvmFfiOwn = void;
  using Self = BasicTensorAccessor<T, N, kDevice, kContiguous, kAlignment>;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  template <typename Dependent = Self>
  TVM_FFI_LOCAL static void CopyToAnyView(const Dependent &, TVMFFIAny *) {
    static_assert(sizeof(Dependent) == 0,
                  "an accessor is no argument: pass the Tensor or TensorView that it is of");
  }
  template <typename Dependent = Self>
  TVM_FFI_LOCAL static void MoveToAny(const Dependent &, TVMFFIAny *) {
    static_assert(
        sizeof(Dependent) == 0,
        "an accessor is not a value, for it does not keep its data alive: take the Tensor");
  }
  /** Any tensor that fits the accessor: no value is stored as an accessor. */
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    const DLTensor *tensor = detail::ReadTensor(source);
    return tensor != nullptr && detail::Fits(Self::rule, *tensor);
  }
  TVM_FFI_LOCAL static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Self value;
    value.Set(*detail::ReadTensor(source));
    return value;
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Self *out) {
    const DLTensor *tensor = detail::ReadTensor(source);
    if (TVM_FFI_PREDICT_FALSE(tensor == nullptr)) return detail::kReadMismatch;
    if (TVM_FFI_PREDICT_FALSE(!detail::Fits(Self::rule, *tensor))) return detail::kReadUnfit;
    if constexpr (!std::is_const_v<T>) {
      if (source->type_index == kTVMFFITensor &&
          TVM_FFI_PREDICT_FALSE(detail::IsReadOnly(source->v_obj) != 0)) {
        return detail::kReadUnfit;
      }
    }
    out->Set(*tensor);
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::BeginTensorType(sink, Self::rule.dtype, N);
    if constexpr (kDevice != kDLCPU && kDevice != kAnyDevice) {
      sink.Put(", ");
      detail::PutDeviceType(sink, kDevice);
    }
    sink.Put('>');
  }
  /** Schemas say that it is any tensor. */
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchema<TensorView>(sink);
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    const DLTensor *tensor = detail::ReadTensor(source);
    if (tensor != nullptr) {
      detail::PutTensorGot(text, Self::rule, *tensor);
    } else {
      text.Put(detail::TypeKeyOf(source->type_index));
    }
  }
  TVM_FFI_LOCAL static int Raise(const char *name, const detail::TypeRecord *const *records,
                                 const TVMFFIAny *source, int32_t i) {
    const DLTensor &tensor = *detail::ReadTensor(source);
    if (detail::Fits(Self::rule, tensor)) return detail::RaiseReadOnly(name, records, source, i);
    return detail::RaiseUnfit(Self::rule, name, records, tensor, i);
  }
  TVM_FFI_LOCAL static constexpr detail::RaiseUnfitFn raise_unfit = Raise;
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_TENSOR_ACCESSOR_H_
