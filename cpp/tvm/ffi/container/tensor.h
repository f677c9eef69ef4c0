/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/tensor.h
 * Tensors: TensorView borrows one, Tensor owns one.
 *
 * Kernels take TensorView: nothing is counted, and it works for callers that have a Tensor or only
 * a view; the caller keeps the data alive. Use a Tensor to return one, or to keep one beyond the
 * call. Let the caller allocate outputs whose shape is known beforehand: allocating in a kernel
 * fragments memory and breaks graph capture.
 *
 * DLTensor::byte_offset, the bytes from data to the first element, is not 0 for what some producers
 * slice. On devices whose data is an address (IsDirectAddressDevice)
 *
 *     TensorView      has added it to data when it was made: data_ptr() is the first element,
 *                     byte_offset() is 0, and GetDLTensorPtr() is that DLTensor
 *     Tensor          is shared with its producer and others, so its DLTensor is unchanged:
 *                     data_ptr() adds the offset, byte_offset() is 0; add x->byte_offset to x->data
 *     DLTensor *      is the caller's own struct: add byte_offset to data
 *     ToDLPack()      exports data and byte_offset as they were imported
 *     accessors       (tensor_accessor.h) begin at the first element
 *
 * and on others, whose data is a handle, handle and offset stay separate: data_ptr(),
 * byte_offset().
 *
 * An argument that becomes a TensorView is checked if TVM_FFI_CHECK_TENSORS is 1, as it is by
 * default without NDEBUG; give all files of a library the same value. A ValueError refuses a
 * negative number of dimensions or extent, NULL for existing extents or elements, and more elements
 * than int64_t counts. Strides may be NULL, which means row-major; stride(i) and strides() refuse
 * that.
 *
 * A function whose name ends in Expected does the same as the one without, but returns the error.
 */
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/detail/tensor_members.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#ifndef TVM_FFI_CHECK_TENSORS
#ifdef NDEBUG
#define TVM_FFI_CHECK_TENSORS 0
#else
#define TVM_FFI_CHECK_TENSORS 1
#endif
#endif

TVM_FFI_NAMESPACE_BEGIN

class Tensor;

class TensorObj : public Object, public DLTensor {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFITensor;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFITensor, TensorObj, Object);
  TVM_FFI_LOCAL_INLINE TensorObj() = default;

  /** [own] A DLPack tensor that shares the data; holds a reference until its deleter runs. */
  TVM_FFI_LOCAL DLManagedTensor *ToDLPack() const {
    DLManagedTensor *out = nullptr;
    detail::CheckSafeCall(TVMFFITensorToDLPack(detail::ObjectUnsafe::GetHeader(this), &out));
    return out;
  }
  TVM_FFI_LOCAL DLManagedTensorVersioned *ToDLPackVersioned() const {
    DLManagedTensorVersioned *out = nullptr;
    detail::CheckSafeCall(
        TVMFFITensorToDLPackVersioned(detail::ObjectUnsafe::GetHeader(this), &out));
    return out;
  }
};

/** A borrowed tensor: a DLTensor by value, its shape and strides borrowed too. */
class TensorView : public detail::TensorAccess<TensorView> {
 public:
  TVM_FFI_LOCAL_INLINE TensorView(const Tensor &tensor);
  /** Deleted: the view would outlive the temporary. */
  TensorView(Tensor &&tensor) = delete;
  TVM_FFI_LOCAL_INLINE TensorView(const DLTensor *tensor) {
    if (TVM_FFI_PREDICT_FALSE(tensor == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no tensor");
    }
    Set(*tensor);
  }
  TVM_FFI_LOCAL_INLINE TensorView(const TensorView &) = default;
  TVM_FFI_LOCAL_INLINE TensorView(TensorView &&) = default;
  TVM_FFI_LOCAL_INLINE TensorView &operator=(const TensorView &) = default;
  TVM_FFI_LOCAL_INLINE TensorView &operator=(TensorView &&) = default;
  TVM_FFI_LOCAL_INLINE TensorView &operator=(const Tensor &tensor);
  TensorView &operator=(Tensor &&tensor) = delete;

  /** Other shape and strides, which must outlive the view. The offset is in elements. */
  template <typename Offset = std::optional<int64_t>>
  TVM_FFI_LOCAL TensorView as_strided(ShapeView shape, ShapeView strides,
                                      const Offset &element_offset = std::nullopt) const {
    TensorView view = *this;
    detail::CheckSafeCall(
        detail::SetStrided(&view.tensor_, shape, strides, detail::OffsetOf(element_offset)));
    return view;
  }

  TVM_FFI_LOCAL_INLINE const DLTensor *GetDLTensorPtr() const { return &tensor_; }

 private:
  friend struct TypeTraits<TensorView>;
  friend struct detail::Reader<TensorView>;

  TVM_FFI_LOCAL_INLINE void Set(const DLTensor &tensor) {
    tensor_ = tensor;
    if (TVM_FFI_PREDICT_FALSE(tensor.byte_offset != 0)) detail::BeginAtOffset(tensor, &tensor_);
  }

  DLTensor tensor_;
};

/** A counted tensor, or null. Its strides are set unless it has no dimensions. */
class Tensor : public ObjectRef, public detail::TensorAccess<Tensor> {
 public:
  using ContainerType = TensorObj;

  TVM_FFI_LOCAL_INLINE Tensor() = default;
  TVM_FFI_LOCAL_INLINE explicit Tensor(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_LOCAL explicit Tensor(ObjectPtr<TensorObj> data) : ObjectRef(std::move(data)) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Tensor)

  /** A view of the same data with another shape and strides, which keeps the data alive.
   * Errors: ValueError (sizes, offset), InternalError (this is null). */
  template <typename Offset = std::optional<int64_t>>
  TVM_FFI_LOCAL Tensor as_strided(ShapeView shape, ShapeView strides,
                                  const Offset &element_offset = std::nullopt) const {
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(
        detail::ViewStrided(*this, shape, strides, detail::OffsetOf(element_offset), &out));
    return FromHandle(out);
  }
  template <typename Offset = std::optional<int64_t>, typename T = Tensor>
  TVM_FFI_LOCAL Expected<T> as_strided_expected(ShapeView shape, ShapeView strides,
                                                const Offset &element_offset = std::nullopt) const {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_RETURN_IF_ERROR(
        detail::ViewStrided(*this, shape, strides, detail::OffsetOf(element_offset), &out));
    return FromHandle(out);
  }

  /**
   * A tensor whose memory comes from your allocator.
   *
   * Its deleter is code of the library that calls this, which must stay loaded as long as the
   * tensor lives, whoever holds it. Our runtime keeps it loaded unless the host allows unloading.
   * With another runtime, keep the library's Module (the tensor does not), or link with the
   * library.
   *
   * @param alloc Moved into the tensor: AllocData(DLTensor *, extra...) sets data, the only member
   *              not filled in; FreeData(DLTensor *) is called when the tensor dies. If AllocData
   *              throws an error, or returns it as an Expected<void>, it is passed on, without a
   *              tensor or a call of FreeData. Exceptions of FreeData are dropped.
   */
  template <typename Alloc, typename... Extra>
  TVM_FFI_LOCAL static Tensor FromNDAlloc(Alloc alloc, ShapeView shape, DLDataType dtype,
                                          DLDevice device, Extra &&...extra) {
    return detail::MakeTensor<TensorObj, Tensor>(std::move(alloc), shape, nullptr, dtype, device,
                                                 static_cast<Extra &&>(extra)...);
  }
  template <typename Alloc, typename... Extra>
  TVM_FFI_LOCAL static Expected<Tensor> FromNDAllocExpected(Alloc alloc, ShapeView shape,
                                                            DLDataType dtype, DLDevice device,
                                                            Extra &&...extra) {
    return detail::MakeTensorExpected<TensorObj, Tensor>(std::move(alloc), shape, nullptr, dtype,
                                                         device, static_cast<Extra &&>(extra)...);
  }
  /** The same with strides. Errors: ValueError (wrong number of strides). */
  template <typename Alloc, typename... Extra>
  TVM_FFI_LOCAL static Tensor FromNDAllocStrided(Alloc alloc, ShapeView shape, ShapeView strides,
                                                 DLDataType dtype, DLDevice device,
                                                 Extra &&...extra) {
    if (shape.size() != strides.size()) {
      detail::Throw("ValueError", kStridedSizes);
    }
    return detail::MakeTensor<TensorObj, Tensor>(std::move(alloc), shape, &strides, dtype, device,
                                                 static_cast<Extra &&>(extra)...);
  }
  template <typename Alloc, typename... Extra>
  TVM_FFI_LOCAL static Expected<Tensor> FromNDAllocStridedExpected(Alloc alloc, ShapeView shape,
                                                                   ShapeView strides,
                                                                   DLDataType dtype,
                                                                   DLDevice device,
                                                                   Extra &&...extra) {
    if (shape.size() != strides.size()) return detail::MakePlainError("ValueError", kStridedSizes);
    return detail::MakeTensorExpected<TensorObj, Tensor>(std::move(alloc), shape, &strides, dtype,
                                                         device, static_cast<Extra &&>(extra)...);
  }
  /**
   * A tensor allocated by the calling framework, for outputs whose shape depends on data.
   * @param env_alloc TVMFFIEnvTensorAlloc. What it raises is thrown.
   */
  TVM_FFI_LOCAL static Tensor FromEnvAlloc(int (*env_alloc)(DLTensor *, TVMFFIObjectHandle *),
                                           ShapeView shape, DLDataType dtype, DLDevice device) {
    DLTensor prototype = detail::LayoutOf(shape, nullptr, dtype, device);
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(env_alloc(&prototype, &out));
    return FromHandle(out);
  }
  template <typename T = Tensor>
  TVM_FFI_LOCAL static Expected<T> FromEnvAllocExpected(int (*env_alloc)(DLTensor *,
                                                                         TVMFFIObjectHandle *),
                                                        ShapeView shape, DLDataType dtype,
                                                        DLDevice device) {
    DLTensor prototype = detail::LayoutOf(shape, nullptr, dtype, device);
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_RETURN_IF_ERROR(env_alloc(&prototype, &out));
    return FromHandle(out);
  }
  /** @param tensor [take on 0] Errors: RuntimeError (alignment, contiguity). */
  TVM_FFI_LOCAL static Tensor FromDLPack(DLManagedTensor *tensor, size_t require_alignment = 0,
                                         bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(TVMFFITensorFromDLPack(tensor, static_cast<int32_t>(require_alignment),
                                                 require_contiguous ? 1 : 0, &out));
    return FromHandle(out);
  }
  TVM_FFI_LOCAL static Tensor FromDLPackVersioned(DLManagedTensorVersioned *tensor,
                                                  size_t require_alignment = 0,
                                                  bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(TVMFFITensorFromDLPackVersioned(
        tensor, static_cast<int32_t>(require_alignment), require_contiguous ? 1 : 0, &out));
    return FromHandle(out);
  }
  template <typename T = Tensor>
  TVM_FFI_LOCAL static Expected<T> FromDLPackExpected(DLManagedTensor *tensor,
                                                      size_t require_alignment = 0,
                                                      bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_RETURN_IF_ERROR(TVMFFITensorFromDLPack(tensor, static_cast<int32_t>(require_alignment),
                                                   require_contiguous ? 1 : 0, &out));
    return FromHandle(out);
  }
  template <typename T = Tensor>
  TVM_FFI_LOCAL static Expected<T> FromDLPackVersionedExpected(DLManagedTensorVersioned *tensor,
                                                               size_t require_alignment = 0,
                                                               bool require_contiguous = false) {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_RETURN_IF_ERROR(TVMFFITensorFromDLPackVersioned(
        tensor, static_cast<int32_t>(require_alignment), require_contiguous ? 1 : 0, &out));
    return FromHandle(out);
  }
  TVM_FFI_LOCAL DLManagedTensor *ToDLPack() const { return get()->ToDLPack(); }
  TVM_FFI_LOCAL DLManagedTensorVersioned *ToDLPackVersioned() const {
    return get()->ToDLPackVersioned();
  }

  /** The first element; the handle where data is one. See the top of this file. */
  TVM_FFI_LOCAL_INLINE void *data_ptr() const {
    const DLTensor &tensor = *get();
    return TVM_FFI_PREDICT_TRUE(tensor.byte_offset == 0) ? tensor.data : detail::AddOffset(tensor);
  }
  /** The bytes from data_ptr() to the first element. */
  TVM_FFI_LOCAL_INLINE uint64_t byte_offset() const {
    const DLTensor &tensor = *get();
    return TVM_FFI_PREDICT_TRUE(tensor.byte_offset == 0) ? 0 : detail::RemainingOffset(tensor);
  }
  /**
   * Whether the owner shares the elements for reading only (DLPACK_FLAG_BITMASK_READ_ONLY), as JAX
   * does. Takes an allocation for a moment. False with the reference's runtime, which forgets the
   * flag; of a TensorView nothing can be known. Errors: MemoryError.
   */
  TVM_FFI_LOCAL bool IsReadOnly() const {
    DLManagedTensorVersioned *shared = ToDLPackVersioned();
    const bool is_read_only = (shared->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    shared->deleter(shared);
    return is_read_only;
  }

  TVM_FFI_LOCAL_INLINE const TensorObj *get() const {
    return static_cast<const TensorObj *>(data_.get());
  }
  TVM_FFI_LOCAL_INLINE const TensorObj *operator->() const { return get(); }
  TVM_FFI_LOCAL_INLINE const DLTensor *GetDLTensorPtr() const { return get(); }

 protected:
  TVM_FFI_LOCAL_INLINE TensorObj *get_mutable() const {
    return static_cast<TensorObj *>(data_.get());
  }

 private:
  TVM_FFI_LOCAL static constexpr const char *kStridedSizes =
      "FromNDAllocStrided: shape and strides must have the same size.";
  TVM_FFI_LOCAL static Tensor FromHandle(TVMFFIObjectHandle handle) {
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Tensor>(
        detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle)));
  }
};

TVM_FFI_LOCAL_INLINE TensorView::TensorView(const Tensor &tensor) {
  if (TVM_FFI_PREDICT_FALSE(!tensor.defined())) {
    detail::Throw("InternalError", "a null Tensor has no view");
  }
  Set(*tensor.GetDLTensorPtr());
}
TVM_FFI_LOCAL_INLINE TensorView &TensorView::operator=(const Tensor &tensor) {
  return *this = TensorView(tensor);
}

TVM_FFI_LOCAL inline size_t GetDataSize(const Tensor &tensor) {
  return GetDataSize(*tensor.GetDLTensorPtr());
}
TVM_FFI_LOCAL inline size_t GetDataSize(const TensorView &tensor) {
  return GetDataSize(*tensor.GetDLTensorPtr());
}

/* ---- As values ---- */

namespace detail {

/** The tensor in a value of either kind; NULL for others. */
TVM_FFI_LOCAL_INLINE const DLTensor *ReadTensor(const TVMFFIAny *source) {
  if (source->type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(source->v_obj);
  if (source->type_index == kTVMFFIDLTensorPtr) return static_cast<const DLTensor *>(source->v_ptr);
  return nullptr;
}

}  // namespace detail

template <>
struct TypeTraits<DLTensor *> : detail::NamedTraits<DLTensor *> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "DLTensor*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "DLTensor*";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(DLTensor *const &value, TVMFFIAny *out) {
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
      detail::Throw("InternalError", "a null pointer stands for no tensor");
    }
    detail::SetPointer(out, kTVMFFIDLTensorPtr, value);
  }
  TVM_FFI_LOCAL static void MoveToAny(DLTensor *, TVMFFIAny *) { detail::ThrowNotOwned(); }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIDLTensorPtr;
  }
  TVM_FFI_LOCAL_INLINE static DLTensor *CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return static_cast<DLTensor *>(source->v_ptr);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, DLTensor **out) {
    const DLTensor *tensor = detail::ReadTensor(source);
    if (tensor == nullptr) return detail::kReadMismatch;
    *out = const_cast<DLTensor *>(tensor);
    return detail::kReadOk;
  }
};

template <>
struct detail::Reader<TensorView> {
  const DLTensor *value = nullptr;
  DLTensor begun_at_offset;  // set and used only for an argument with a byte_offset
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    value = ReadTensor(source);
    if (TVM_FFI_PREDICT_FALSE(value == nullptr)) return kReadMismatch;
#if TVM_FFI_CHECK_TENSORS
    if (TVM_FFI_PREDICT_FALSE(!IsValid(*value))) return kReadUnfit;
#endif
    if (TVM_FFI_PREDICT_FALSE(value->byte_offset != 0)) {
      BeginAtOffset(*value, &begun_at_offset);
      value = &begun_at_offset;
    }
    return kReadOk;
  }
  TVM_FFI_LOCAL_INLINE const TensorView &Take() {
    // A TensorView has the memory layout of a DLTensor. Without an offset it is the caller's, so
    // that a parameter is copied once.
    return *reinterpret_cast<const TensorView *>(value);
  }
};

template <>
struct TypeTraits<TensorView> : detail::NamedTraits<TensorView> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr const char *type_str = "DLTensor*";
  TVM_FFI_LOCAL static constexpr const char *type_schema = "DLTensor*";
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIDLTensorPtr;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const TensorView &value, TVMFFIAny *out) {
    detail::SetPointer(out, kTVMFFIDLTensorPtr, &value.tensor_);
  }
  /** A view owns nothing, so it can be neither a result nor kept in an Any. */
  static void MoveToAny(const TensorView &, TVMFFIAny *) = delete;
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIDLTensorPtr;
  }
  TVM_FFI_LOCAL_INLINE static TensorView CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return TensorView(static_cast<const DLTensor *>(source->v_ptr));
  }
  template <typename View = TensorView>
  TVM_FFI_LOCAL static std::optional<View> TryCastFromAnyView(const TVMFFIAny *source) {
    const DLTensor *tensor = detail::ReadTensor(source);
    if (tensor == nullptr) return std::nullopt;
    return View(tensor);
  }
#if TVM_FFI_CHECK_TENSORS
  TVM_FFI_LOCAL static int Raise(const char *name, const detail::TypeRecord *const *records,
                                 const TVMFFIAny *source, int32_t i) {
    return detail::RaiseInvalid(name, records, *detail::ReadTensor(source), i);
  }
  TVM_FFI_LOCAL static constexpr detail::RaiseUnfitFn raise_unfit = Raise;
#endif
};

TVM_FFI_NAMESPACE_END

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>

#endif  // TVM_FFI_CONTAINER_TENSOR_H_
