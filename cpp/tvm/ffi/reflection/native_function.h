/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/native_function.h
 * Hooks of types: a C function that returns its result as a value of the ABI and throws nothing, or
 * a Function. Both are called the same way.
 *
 *     using Hash = NativeFunctionView<int64_t(const Any &)>;
 *     // Expected<int64_t> HashOf(const Any &) noexcept
 *     Hash hash = Hash::FromNative<&HashOf>();
 *     Expected<int64_t> value = hash.CallExpected(key);
 */
#ifndef TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
#define TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_

#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

template <typename F>
class NativeFunctionView;
template <typename F>
class NativeFunction;

namespace detail {

using namespace ::tvm::ffi::detail;

/** Whether a T can be passed to a C function of another library. */
template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_native_parameter_v = std::is_lvalue_reference_v<T> ||
                                                            (std::is_trivially_copyable_v<T> &&
                                                             std::is_standard_layout_v<T>);

/** The C function that calls fn. */
template <auto fn, typename R, typename... Params>
struct NativeAdapter {
  TVM_FFI_LOCAL static TVMFFIAny Call(Params... params) noexcept {
    TVMFFIAny result;
    if (CallSafely(&result, params...) != 0) {
      result = AnyUnsafe::MoveAnyToTVMFFIAny(Any(MoveFromSafeCallRaised()));
    }
    return result;
  }

 private:
  TVM_FFI_LOCAL_INLINE static int CallSafely(TVMFFIAny *result, Params... params) {
    using Result = decltype(fn(params...));
    TVM_FFI_DETAIL_TRY {
      if constexpr (std::is_void_v<Result>) {
        static_assert(std::is_void_v<R>,
                      "the function gives nothing, the hook has a result: give it a function that "
                      "returns one");
        fn(params...);
        SetNone(result);
      } else {
        *result = ExpectedUnsafe::MoveToTVMFFIAny(Expected<R>(fn(params...)));
      }
      return 0;
    }
    TVM_FFI_DETAIL_CATCH
  }
};

/** Calls a hook of either kind. */
template <typename R, typename... Params>
struct NativeCaller {
  static_assert((is_native_parameter_v<Params> && ...),
                "a parameter of a native function is an lvalue reference, or of a class that is "
                "trivially copyable and of standard layout: take this one by const reference");
  using Native = TVMFFIAny (*)(Params...) noexcept;

  TVM_FFI_LOCAL static Expected<R> Call(const TVMFFIAny &hook, Params... params) noexcept {
    if (hook.type_index == kTVMFFIOpaquePtr) {
      return ExpectedUnsafe::MoveFromTVMFFIAny<R>(reinterpret_cast<Native>(hook.v_ptr)(params...));
    }
    Any result;
    if (CallPacked(hook, &result, params...) != 0) return MoveFromSafeCallRaised();
    return ExpectedUnsafe::MoveFromTVMFFIAny<R>(AnyUnsafe::MoveAnyToTVMFFIAny(std::move(result)));
  }

 private:
  /** Leaves an R or an Error in *result. Conversions may throw as well as raise errors. */
  TVM_FFI_LOCAL static int CallPacked(const TVMFFIAny &hook, Any *result, Params... params) {
    // The hook was moved from.
    if (hook.type_index != kTVMFFIFunction) return RaiseNullCall();
    TVM_FFI_DETAIL_TRY {
      const ArgViewsOf<std::remove_cv_t<std::remove_reference_t<Params>>...> views(params...);
      const int code =
          TVMFFIFunctionGetCellPtr(hook.v_obj)
              ->safe_call(hook.v_obj, views.data(), static_cast<int32_t>(sizeof...(Params)),
                          AnyUnsafe::Slot(result));
      if (code != 0) return code;
      *result = AnyUnsafe::MoveTVMFFIAnyRawToAny(ExpectedUnsafe::MoveToTVMFFIAny(Convert(*result)));
      return 0;
    }
    TVM_FFI_DETAIL_CATCH
  }
  TVM_FFI_LOCAL static Expected<R> Convert(const Any &result) {
    const TVMFFIAny *data = AnyUnsafe::TVMFFIAnyPtrFromAny(result);
    if (data->type_index == kTVMFFIError) {
      return TypeTraits<Error>::CopyFromAnyViewAfterCheck(data);
    }
    if constexpr (std::is_void_v<R>) {
      if (data->type_index == kTVMFFINone) return Expected<void>();
    } else {
      Reader<R> reader;
      const int status = reader.Read(data);
      if (status == kReadOk) return Expected<R>(R(reader.Take()));
      if (status == kReadRaised) return MoveFromSafeCallRaised();
    }
    return Error(BytesOf("TypeError"), BytesOf("Packed hook result type mismatch"),
                 TVMFFIByteArray{"", 0});
  }
};

/** The value that a hook is stored as. Errors: ValueError (null). */
TVM_FFI_LOCAL inline TVMFFIAny ViewOfHook(const Function &packed) {
  if (packed == nullptr) {
    Throw("ValueError", "NativeFunctionView requires a non-null typed function");
  }
  return AnyView(packed).CopyToTVMFFIAny();
}
template <auto fn, typename R, typename... Params>
TVM_FFI_LOCAL TVMFFIAny NativeHook() {
  TVMFFIAny hook;
  SetPointer(&hook, kTVMFFIOpaquePtr,
             reinterpret_cast<const void *>(&NativeAdapter<fn, R, Params...>::Call));
  return hook;
}

}  // namespace detail
namespace details = detail;

/** A hook that is owned elsewhere. */
template <typename R, typename... Params>
class NativeFunctionView<R(Params...)> {
 public:
  TVM_FFI_LOCAL_INLINE explicit NativeFunctionView(UnsafeInit) {}
  TVM_FFI_LOCAL NativeFunctionView(const TypedFunction<R(Params...)> &f)
      : data_(AnyView::CopyFromTVMFFIAny(detail::ViewOfHook(f.packed()))) {}
  TVM_FFI_LOCAL NativeFunctionView(const TypedFunction<Expected<R>(Params...)> &f)
      : data_(AnyView::CopyFromTVMFFIAny(detail::ViewOfHook(f.packed()))) {}
  TVM_FFI_LOCAL NativeFunctionView(const NativeFunction<R(Params...)> &f);
  NativeFunctionView(const TypedFunction<R(Params...)> &&) = delete;
  NativeFunctionView(const TypedFunction<Expected<R>(Params...)> &&) = delete;
  NativeFunctionView(const NativeFunction<R(Params...)> &&) = delete;

  /** From a function that returns an R or an Expected<R>. An exception becomes the error. */
  template <auto fn>
  TVM_FFI_LOCAL_INLINE static NativeFunctionView FromNative() {
    NativeFunctionView view{UnsafeInit{}};
    view.data_ = AnyView::CopyFromTVMFFIAny(detail::NativeHook<fn, R, Params...>());
    return view;
  }

  TVM_FFI_LOCAL_INLINE Expected<R> CallExpected(Params... params) const noexcept {
    return detail::NativeCaller<R, Params...>::Call(*detail::AnyUnsafe::Data(data_), params...);
  }
  /** Throws the error that the hook returned. */
  TVM_FFI_LOCAL_INLINE R operator()(Params... params) const {
    return CallExpected(params...).value();
  }

 private:
  AnyView data_;

  friend struct TypeTraits<NativeFunctionView<R(Params...)>>;
  friend class NativeFunction<R(Params...)>;
};

/** The same, but owning the hook. */
template <typename R, typename... Params>
class NativeFunction<R(Params...)> {
 public:
  using View = NativeFunctionView<R(Params...)>;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(NativeFunction)
  TVM_FFI_LOCAL_INLINE explicit NativeFunction(UnsafeInit) {}
  TVM_FFI_LOCAL explicit NativeFunction(const View &view) : data_(view.data_) {}
  TVM_FFI_LOCAL NativeFunction(const TypedFunction<R(Params...)> &f) : NativeFunction(View(f)) {}
  TVM_FFI_LOCAL NativeFunction(const TypedFunction<Expected<R>(Params...)> &f)
      : NativeFunction(View(f)) {}
  TVM_FFI_LOCAL static NativeFunction From(const View &view) { return NativeFunction(view); }
  template <auto fn>
  TVM_FFI_LOCAL_INLINE static NativeFunction FromNative() {
    return NativeFunction(View::template FromNative<fn>());
  }

  TVM_FFI_LOCAL_INLINE Expected<R> CallExpected(Params... params) const noexcept {
    return View(*this).CallExpected(params...);
  }
  TVM_FFI_LOCAL_INLINE R operator()(Params... params) const { return View(*this)(params...); }

 private:
  Any data_;

  friend struct TypeTraits<NativeFunction<R(Params...)>>;
  friend class NativeFunctionView<R(Params...)>;
};

template <typename R, typename... Params>
TVM_FFI_LOCAL NativeFunctionView<R(Params...)>::NativeFunctionView(
    const NativeFunction<R(Params...)> &f)
    : data_(f.data_) {}

namespace detail {

/** What the traits of both share. */
template <typename Self, typename R, typename... Params>
struct NativeTraits : ReadTraits<Self> {
  using TvmFfiOwn = void;
  using Sig = TypedFunction<R(Params...)>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = TypeTraits<Sig>::text_is_constant;
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIFunction ||
           (source->type_index == kTVMFFIOpaquePtr && source->v_ptr != nullptr);
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Self *out) {
    if (!CheckAnyStrict(source)) return kReadMismatch;
    *out = TypeTraits<Self>::CopyFromAnyViewAfterCheck(source);
    return kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    PutTypeStrOf<void *, Sig>(sink, "Variant");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    PutSchemaOf<void *, Sig>(sink, "Variant");
  }
};

}  // namespace detail
}  // namespace reflection

template <typename R, typename... Params>
struct TypeTraits<reflection::NativeFunctionView<R(Params...)>>
    : reflection::detail::NativeTraits<reflection::NativeFunctionView<R(Params...)>, R, Params...> {
  using Self = reflection::NativeFunctionView<R(Params...)>;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    *out = value.data_.CopyToTVMFFIAny();
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(const Self &value, TVMFFIAny *out) {
    *out = detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(value.data_));
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Self value{UnsafeInit{}};
    value.data_ = AnyView::CopyFromTVMFFIAny(*source);
    return value;
  }
  /** Leaves the value in the Any, because a view that took it out would not own it. */
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return CopyFromAnyViewAfterCheck(source);
  }
};

template <typename R, typename... Params>
struct TypeTraits<reflection::NativeFunction<R(Params...)>>
    : reflection::detail::NativeTraits<reflection::NativeFunction<R(Params...)>, R, Params...> {
  using Self = reflection::NativeFunction<R(Params...)>;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    *out = AnyView(value.data_).CopyToTVMFFIAny();
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Self value, TVMFFIAny *out) {
    *out = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value.data_));
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    Self value{UnsafeInit{}};
    value.data_ = AnyView::CopyFromTVMFFIAny(*source);
    return value;
  }
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    Self value{UnsafeInit{}};
    value.data_ = detail::AnyUnsafe::MoveTVMFFIAnyToAny(source);
    return value;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_NATIVE_FUNCTION_H_
