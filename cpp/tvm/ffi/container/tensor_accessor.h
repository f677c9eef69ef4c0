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
 * For each argument it is checked once whether its elements can be where the accessor looks for
 * them. These are ValueErrors, too:
 *
 *     data is NULL although there are elements
 *     the first element's address is no multiple of its size (of one lane, and 8 bytes at most)
 *     byte_offset is not 0 on a device whose data is a handle, not an address (e.g. OpenCL)
 *
 * A tensor without elements may have any address. On a device with handles data() is the handle.
 *
 * T is a type that extra/dtype.h knows: integers, bool, float, double, half and bfloat16 of CUDA,
 * or a class of yours for which dtype_trait is specialised. The size of an element has to be that
 * of its dtype: DLPack packs two elements of four bits into a byte, so a kernel of __nv_fp4_e2m1
 * takes __nv_fp4x2_e2m1 or a TensorView.
 *
 * An accessor holds the address of the first element, byte_offset included, and copies of the
 * extents and strides: it is passed by value, to a `__global__` function as well. It borrows the
 * data. Element access costs no more than by hand: g++ 12 -O2 compiles y(i, j) += x(i, j) to the
 * same inner loop, instruction by instruction, as plain pointers. Use a ContiguousAccessor where a
 * loop should be vectorised: the last stride of the other is only known at run time.
 *
 * Indices are not checked, unless TVM_FFI_CHECK_INDEX is defined to 1 before this header is
 * included. A wrong index is an IndexError then; where exceptions are off (-fno-exceptions) the
 * process ends with that message, and device code prints a message and traps.
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
enum class TensorFault { kNone, kDType, kNDim, kDevice, kStrides, kByteOffset, kNull, kAlignment };

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

/** Whether code that runs on one kind of device can read the memory of another. */
TVM_FFI_LOCAL_INLINE bool CanAccess(int device, int memory) {
  if (TVM_FFI_PREDICT_TRUE(memory == device || device == kAnyDevice)) return true;
  if (device == kDLCPU) {
    return memory == kDLCUDAHost || memory == kDLCUDAManaged || memory == kDLROCMHost;
  }
  return device == kDLCUDA && memory == kDLCUDAManaged;
}

/** Checks the data of a tensor that meets the rest of the rule. */
TVM_FFI_LOCAL_COLD TensorFault FindDataFault(const TensorRule &rule, const DLTensor &tensor) {
  if (!IsDirectAddressDevice(tensor.device)) {
    return tensor.byte_offset == 0 ? TensorFault::kNone : TensorFault::kByteOffset;
  }
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return TensorFault::kNone;
  }
  if (tensor.data == nullptr) return TensorFault::kNull;
  return IsAligned(tensor, rule.alignment) ? TensorFault::kNone : TensorFault::kAlignment;
}
TVM_FFI_LOCAL_INLINE bool HasData(const TensorRule &rule, const DLTensor &tensor) {
  if (TVM_FFI_PREDICT_TRUE(tensor.data != nullptr && IsDirectAddressDevice(tensor.device) &&
                           IsAligned(tensor, rule.alignment))) {
    return true;
  }
  return FindDataFault(rule, tensor) == TensorFault::kNone;
}

TVM_FFI_LOCAL_COLD TensorFault FindFault(const TensorRule &rule, const DLTensor &tensor) {
  if (tensor.dtype != rule.dtype) return TensorFault::kDType;
  if (tensor.ndim != rule.ndim) return TensorFault::kNDim;
  if (!CanAccess(rule.device, tensor.device.device_type)) return TensorFault::kDevice;
  if (rule.contiguous && !IsContiguous(tensor)) return TensorFault::kStrides;
  return FindDataFault(rule, tensor);
}
TVM_FFI_LOCAL_INLINE bool Fits(const TensorRule &rule, const DLTensor &tensor) {
  return tensor.dtype == rule.dtype && tensor.ndim == rule.ndim &&
         CanAccess(rule.device, tensor.device.device_type) &&
         (!rule.contiguous || IsContiguous(tensor)) && HasData(rule, tensor);
}

template <typename Sink>
TVM_FFI_LOCAL constexpr void PutDeviceType(Sink &sink, int type) {
  constexpr const char *kNames[] = {nullptr,  "cpu",       "cuda",    "cuda_host",    "opencl",
                                    nullptr,  nullptr,     "vulkan",  "metal",        "vpi",
                                    "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                    "webgpu", "hexagon",   "maia",    "trn"};
  if (type > 0 && type < static_cast<int>(sizeof kNames / sizeof *kNames) &&
      kNames[type] != nullptr) {
    sink.Put(kNames[type]);
  } else {
    sink.Put("device(");
    if (type < 0) sink.Put('-');
    PutSize(sink, static_cast<size_t>(type < 0 ? -int64_t{type} : type));
    sink.Put(')');
  }
}
TVM_FFI_LOCAL_COLD void PutNumbers(Text &text, const int64_t *values, int32_t size) {
  text.Put('[');
  for (int32_t i = 0; i < size; ++i) {
    if (i != 0) text.Put(", ");
    text.PutInt(values[i]);
  }
  text.Put(']');
}

TVM_FFI_LOCAL_COLD void PutDevice(Text &text, DLDevice device) {
  text.Put('`');
  PutDeviceType(text, device.device_type);
  text.Put(':');
  text.PutInt(device.device_id);
  text.Put('`');
}

/** Uses the texts of tvm_ffi_args_check_dtype and similar functions. Returns -1. */
TVM_FFI_LOCAL_COLD int RaiseUnfit(const TensorRule &rule, const char *name,
                                  const TypeRecord *const *records, const DLTensor &tensor,
                                  int32_t i) {
  constexpr const char *kNames[] = {"",        "dtype",       "ndim", "device",
                                    "strides", "byte_offset", "data", "alignment"};
  const TensorFault fault = FindFault(rule, tensor);
  Text text;
  text.Put("Mismatched ");
  text.Put(kNames[static_cast<int>(fault)]);
  if (records != nullptr) {
    text.Put(" on argument #");
    text.PutInt(i);
    text.Put(" when calling: `");
    PutSignature(text, name, records);
    text.Put('`');
  }
  text.Put(". Expected ");
  switch (fault) {
    case TensorFault::kNone:
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
      PutDevice(text, tensor.device);
      break;
    case TensorFault::kStrides:
      text.Put("a contiguous tensor but got strides ");
      PutNumbers(text, tensor.strides, tensor.ndim);
      text.Put(" of shape ");
      PutNumbers(text, tensor.shape, tensor.ndim);
      break;
    case TensorFault::kByteOffset:
      text.Put("0 on ");
      PutDevice(text, tensor.device);
      text.Put(", where data is a handle, but got ");
      text.PutUint(tensor.byte_offset);
      break;
    case TensorFault::kNull:
      text.Put("the address of elements but got NULL and shape ");
      PutNumbers(text, tensor.shape, tensor.ndim);
      break;
    case TensorFault::kAlignment:
      text.Put("a first element at a multiple of ");
      text.PutUint(rule.alignment);
      text.Put(" bytes but got one ");
      text.PutUint((reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset) %
                   rule.alignment);
      text.Put(" bytes behind it");
      break;
  }
  return RaiseText(fault == TensorFault::kDType ? "TypeError" : "ValueError", text);
}

/** Writes the type of a tensor, and what else makes it unfit. */
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
    case TensorFault::kNull:
      text.Put(", data NULL");
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
 */
template <typename T, int N, int kDevice, bool kContiguous>
class BasicTensorAccessor {
  static_assert(N >= 0, "the number of dimensions of a TensorAccessor<T, N> is 0 or more");

  template <typename U, bool kFrom>
  TVM_FFI_LOCAL static constexpr bool CanView() {
    return (std::is_same_v<U, T> || std::is_same_v<const U, T>)&&(kFrom || !kContiguous);
  }

 public:
  using value_type = std::remove_cv_t<T>;
  TVM_FFI_LOCAL static constexpr detail::TensorRule rule = {detail::ElementDType<value_type>(), N,
                                                            kDevice, kContiguous,
                                                            detail::ElementAlignment<value_type>()};

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
  template <typename U, bool kFrom, typename = std::enable_if_t<CanView<U, kFrom>()>>
  TVM_FFI_DETAIL_ACCESS BasicTensorAccessor(const BasicTensorAccessor<U, N, kDevice, kFrom> &other)
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
      BasicTensorAccessor<T, N - 1, kDevice, kContiguous> rest;
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
  template <typename, int, int, bool>
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
    data_ = reinterpret_cast<T *>(
        static_cast<std::conditional_t<std::is_const_v<T>, const char, char> *>(tensor.data) +
        tensor.byte_offset);
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

template <typename T, int N, int kDevice = kDLCPU>
using TensorAccessor = BasicTensorAccessor<T, N, kDevice, false>;
template <typename T, int N, int kDevice = kDLCPU>
using ContiguousAccessor = BasicTensorAccessor<T, N, kDevice, true>;

/* ---- As values ---- */

template <typename T, int N, int kDevice, bool kContiguous>
TVM_FFI_LOCAL inline constexpr bool
    detail::is_borrowed_v<BasicTensorAccessor<T, N, kDevice, kContiguous>> = true;

template <typename T, int N, int kDevice, bool kContiguous>
struct TypeTraits<BasicTensorAccessor<T, N, kDevice, kContiguous>>
    : detail::ReadTraits<BasicTensorAccessor<T, N, kDevice, kContiguous>> {
  using TvmFfiOwn = void;
  using Self = BasicTensorAccessor<T, N, kDevice, kContiguous>;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  template <typename Dependent = Self>
  TVM_FFI_LOCAL static void CopyToAnyView(const Dependent &, TVMFFIAny *) {
    static_assert(sizeof(Dependent) == 0,
                  "an accessor is no argument: pass the Tensor or TensorView that it is of");
  }
  template <typename Dependent = Self>
  TVM_FFI_LOCAL static void MoveToAny(const Dependent &, TVMFFIAny *) {
    static_assert(sizeof(Dependent) == 0,
                  "an accessor is no value, for it does not keep its data alive: take the Tensor");
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
    return detail::RaiseUnfit(Self::rule, name, records, *detail::ReadTensor(source), i);
  }
  TVM_FFI_LOCAL static constexpr detail::RaiseUnfitFn raise_unfit = Raise;
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_TENSOR_ACCESSOR_H_
