/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/rvalue_ref.h
 * A reference that a call moves from its caller, so that the callee has the only one.
 */
#ifndef TVM_FFI_RVALUE_REF_H_
#define TVM_FFI_RVALUE_REF_H_

#include <tvm/ffi/any.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename Ref>
class RValueRef {
  static_assert(std::is_base_of_v<ObjectRef, Ref>,
                "RValueRef moves references to objects: pass any other value as it is");

 public:
  TVM_FFI_LOCAL_INLINE explicit RValueRef(UnsafeInit tag) : ref_(tag) {}
  TVM_FFI_LOCAL_INLINE explicit RValueRef(Ref &&ref) : ref_(std::move(ref)) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(RValueRef)
  TVM_FFI_LOCAL_INLINE Ref operator*() && { return std::move(ref_); }

 private:
  mutable Ref ref_;

  friend struct TypeTraits<RValueRef<Ref>>;
};

template <typename Ref>
struct TypeTraits<RValueRef<Ref>> : detail::ReadTraits<RValueRef<Ref>> {
  using TvmFfiOwn = void;
  TVM_FFI_LOCAL static constexpr bool storage_enabled = false;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<Ref>();
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const RValueRef<Ref> &value, TVMFFIAny *out) {
    detail::SetPointer(out, kTVMFFIObjectRValueRef, &value.ref_);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(RValueRef<Ref> value, TVMFFIAny *out) {
    TypeTraits<Ref>::MoveToAny(std::move(value.ref_), out);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, RValueRef<Ref> *out) {
    if (source->type_index != kTVMFFIObjectRValueRef) {
      return TypeTraits<Ref>::Read(source, &out->ref_);
    }
    TVMFFIObject **slot = static_cast<TVMFFIObject **>(source->v_ptr);
    TVMFFIAny view;
    detail::SetObject(&view, *slot);
    if (TypeTraits<Ref>::CheckAnyStrict(&view)) {
      *slot = nullptr;
      out->ref_ = TypeTraits<Ref>::MoveFromAnyAfterCheck(&view);
      return detail::kReadOk;
    }
    return TypeTraits<Ref>::Read(&view, &out->ref_);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<Ref>(sink, "RValueRef");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<Ref>(sink, "ObjectRValueRef");
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    if (source->type_index != kTVMFFIObjectRValueRef) {
      detail::PutGotOf<Ref>(text, source);
      return;
    }
    TVMFFIAny view;
    detail::SetObject(&view, *static_cast<TVMFFIObject **>(source->v_ptr));
    text.Put("RValueRef<");
    detail::PutGotOf<Ref>(text, &view);
    text.Put('>');
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_RVALUE_REF_H_
