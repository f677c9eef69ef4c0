/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/function.h
 * Functions: made from C++ callables, called with C++ values, and exported from a library.
 *
 *     TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, Scale);
 *
 * A function is always called through its safe_call. cpp_call is neither called nor set, because
 * exceptions of another set of headers could come out of it.
 */
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/detail/call.h>
#include <tvm/ffi/detail/global.h>
#include <tvm/ffi/expected.h>
#ifndef TVM_FFI_LEAN
#include <functional>
#include <unordered_map>
#endif

TVM_FFI_NAMESPACE_BEGIN

class Function;

class FunctionObj : public Object, public TVMFFIFunctionCell {
 public:
  /** The type of cpp_call where other headers set it. */
  using FCall = void (*)(const FunctionObj *, const AnyView *, int32_t, Any *);
  using TVMFFIFunctionCell::cpp_call;
  using TVMFFIFunctionCell::safe_call;
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIFunction;
  TVM_FFI_LOCAL static constexpr bool _type_final = false;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIFunction, FunctionObj, Object);
  TVM_FFI_LOCAL_INLINE FunctionObj() = default;

  /** Throws the error that the callee raised. */
  TVM_FFI_LOCAL_INLINE void CallPacked(const AnyView *args, int32_t num_args, Any *result) const {
    result->reset();
    detail::CheckSafeCall(safe_call(detail::ObjectUnsafe::GetHeader(this),
                                    reinterpret_cast<const TVMFFIAny *>(args), num_args,
                                    detail::AnyUnsafe::Slot(result)));
  }
};

/** The arguments of a function that reads them itself. */
class PackedArgs {
 public:
  TVM_FFI_LOCAL_INLINE PackedArgs(const AnyView *data, int32_t size) : data_(data), size_(size) {}
  TVM_FFI_LOCAL_INLINE int32_t size() const { return size_; }
  TVM_FFI_LOCAL_INLINE const AnyView *data() const { return data_; }
  TVM_FFI_LOCAL_INLINE AnyView operator[](int i) const { return data_[i]; }
  TVM_FFI_LOCAL_INLINE PackedArgs Slice(int begin, int end = -1) const {
    return PackedArgs(data_ + begin, (end < 0 ? size_ : end) - begin);
  }
  template <typename... Args>
  TVM_FFI_LOCAL_INLINE static void Fill(AnyView *data, const Args &...args) {
    ((*data++ = AnyView(args)), ...);
  }

 private:
  const AnyView *data_;
  int32_t size_;
};

namespace detail {

/** Cheaper to instantiate than std::is_invocable. */
template <typename Void, typename F, typename... Args>
struct CanCall : std::false_type {};
template <typename F, typename... Args>
struct CanCall<std::void_t<decltype(std::declval<F &>()(std::declval<Args>()...))>, F, Args...>
    : std::true_type {};

/** Whether a callable reads its arguments itself. Not a Function, which accepts any. */
template <typename F>
TVM_FFI_LOCAL constexpr bool IsPacked() {
  if constexpr (std::is_class_v<F> && std::is_base_of_v<ObjectRef, F>) {
    return false;
  } else {
    return CanCall<void, F, const AnyView *, int32_t, Any *>::value ||
           CanCall<void, F, PackedArgs, Any *>::value;
  }
}
template <typename F>
TVM_FFI_LOCAL inline constexpr bool is_packed_v = IsPacked<F>();

/** A Function object with a callable. Invoke(callable, args, num_args, result) calls it. */
template <typename F>
class TVM_FFI_LOCAL ClosureObj : public FunctionObj {
 public:
  template <typename G>
  TVM_FFI_LOCAL ClosureObj(G &&f, TVMFFISafeCallType call) : f_(static_cast<G &&>(f)) {
    this->safe_call = call;
    this->cpp_call = nullptr;
  }
  /** Constructs the callable in place. */
  template <typename... Args>
  TVM_FFI_LOCAL ClosureObj(std::in_place_t, TVMFFISafeCallType call, Args &&...args)
      : f_(static_cast<Args &&>(args)...) {
    this->safe_call = call;
    this->cpp_call = nullptr;
  }
  TVM_FFI_LOCAL_INLINE static ClosureObj *From(void *handle) {
    return ObjectUnsafe::RawObjectPtrFromUnowned<ClosureObj>(static_cast<TVMFFIObject *>(handle));
  }

  F f_;
};

template <typename F>
class TVM_FFI_LOCAL NamedClosureObj : public ClosureObj<F> {
 public:
  template <typename G>
  TVM_FFI_LOCAL NamedClosureObj(G &&f, TVMFFISafeCallType call, TVMFFIByteArray name)
      : ClosureObj<F>(static_cast<G &&>(f), call) {
    name_.Put(name);
  }

  Text name_;
};

template <typename F>
TVM_FFI_LOCAL int CallClosure(void *handle, const TVMFFIAny *args, int32_t num_args,
                              TVMFFIAny *result) {
  TVM_FFI_DETAIL_TRY {
    return CallerOf<F>::Call(ClosureObj<F>::From(handle)->f_, "", args, num_args, result);
  }
  TVM_FFI_DETAIL_CATCH
}

template <typename F>
TVM_FFI_LOCAL int CallNamedClosure(void *handle, const TVMFFIAny *args, int32_t num_args,
                                   TVMFFIAny *result) {
  NamedClosureObj<F> *self = ObjectUnsafe::RawObjectPtrFromUnowned<NamedClosureObj<F>>(
      static_cast<TVMFFIObject *>(handle));
  TVM_FFI_DETAIL_TRY {
    return CallerOf<F>::Call(self->f_, self->name_.data(), args, num_args, result);
  }
  TVM_FFI_DETAIL_CATCH
}

template <typename F>
TVM_FFI_LOCAL int CallPackedClosure(void *handle, const TVMFFIAny *args, int32_t num_args,
                                    TVMFFIAny *result) {
  TVM_FFI_DETAIL_TRY {
    F &f = ClosureObj<F>::From(handle)->f_;
    const AnyView *views = reinterpret_cast<const AnyView *>(args);
    Any value;
    if constexpr (CanCall<void, F, const AnyView *, int32_t, Any *>::value) {
      f(views, num_args, &value);
    } else {
      f(PackedArgs(views, num_args), &value);
    }
    *result = AnyUnsafe::MoveAnyToTVMFFIAny(std::move(value));
    return 0;
  }
  TVM_FFI_DETAIL_CATCH
}

/** Views of the arguments of a call, on the stack. */
template <size_t N, bool kCopies = false>
struct TVM_FFI_TAGGED ArgViews {
  AnyView views[N == 0 ? 1 : N];
  template <typename... Args>
  TVM_FFI_LOCAL_INLINE explicit ArgViews(const Args &...args) : views{AnyView(args)...} {}
  TVM_FFI_LOCAL_INLINE const TVMFFIAny *data() const {
    return reinterpret_cast<const TVMFFIAny *>(views);
  }
};

/** The same with the copies that some of the arguments are passed as: see travels_as_copy_v. */
template <size_t N>
struct TVM_FFI_HIDDEN ArgViews<N, true> {
  Any copies[N];
  AnyView views[N];
  template <typename... Args>
  TVM_FFI_LOCAL explicit ArgViews(const Args &...args) {
    size_t i = 0;
    ((Put(i, args), ++i), ...);
  }
  TVM_FFI_LOCAL_INLINE const TVMFFIAny *data() const {
    return reinterpret_cast<const TVMFFIAny *>(views);
  }

 private:
  template <typename T>
  TVM_FFI_LOCAL_INLINE void Put(size_t i, const T &arg) {
    if constexpr (travels_as_copy_v<T>) {
      copies[i] = Any(arg);
      views[i] = copies[i];
    } else {
      views[i] = AnyView(arg);
    }
  }
};
template <typename... Args>
using ArgViewsOf = ArgViews<sizeof...(Args), (travels_as_copy_v<Args> || ...)>;

/** Calling a null Function, which is passed as None, is an error. Returns -1. */
TVM_FFI_LOCAL_COLD int RaiseNullCall() {
  SetSafeCallRaised(Error(BytesOf("RuntimeError"), BytesOf("a null Function was called"),
                          TVMFFIByteArray{"", 0}));
  return -1;
}

}  // namespace detail

class Function : public ObjectRef {
 public:
  using ContainerType = FunctionObj;
  using __PtrType = const FunctionObj *;

  TVM_FFI_LOCAL_INLINE Function() = default;
  TVM_FFI_LOCAL_INLINE Function(std::nullptr_t) {}
  TVM_FFI_LOCAL_INLINE explicit Function(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_LOCAL explicit Function(ObjectPtr<FunctionObj> data) : ObjectRef(std::move(data)) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Function)
  template <typename F, typename = std::enable_if_t<detail::is_packed_v<std::decay_t<F>>>>
  TVM_FFI_LOCAL explicit Function(F &&f) : Function(FromPacked(static_cast<F &&>(f))) {}

  /** From a callable (const AnyView *, int32_t, Any *) or (PackedArgs, Any *). */
  template <typename F>
  TVM_FFI_LOCAL static Function FromPacked(F &&f) {
    using D = std::decay_t<F>;
    static_assert(detail::is_packed_v<D>,
                  "FromPacked takes (const AnyView *, int32_t, Any *) or (PackedArgs, Any *); "
                  "FromTyped takes a function with parameters of its own");
    return Make(
        make_object<detail::ClosureObj<D>>(static_cast<F &&>(f), &detail::CallPackedClosure<D>));
  }
  /** The same with an F made from args; also its address, [lend] as long as the function lives. */
  template <typename F, typename... Args>
  TVM_FFI_LOCAL static std::tuple<Function, F *> FromPackedInplace(Args &&...args) {
    static_assert(detail::is_packed_v<F>,
                  "FromPacked takes (const AnyView *, int32_t, Any *) or (PackedArgs, Any *); "
                  "FromTyped takes a function with parameters of its own");
    auto made = make_object<detail::ClosureObj<F>>(std::in_place_t(), &detail::CallPackedClosure<F>,
                                                   static_cast<Args &&>(args)...);
    F *callable = &made->f_;
    return {Make(std::move(made)), callable};
  }
  /** From any callable whose parameters and result can be passed as values. */
  template <typename F>
  TVM_FFI_LOCAL static Function FromTyped(F &&f) {
    using D = std::decay_t<F>;
    return Make(make_object<detail::ClosureObj<D>>(static_cast<F &&>(f), &detail::CallClosure<D>));
  }
  /** The same; errors about arguments include the name. */
  template <typename F, typename Name>
  TVM_FFI_LOCAL static Function FromTyped(F &&f, const Name &name) {
    using D = std::decay_t<F>;
    return Make(make_object<detail::NamedClosureObj<D>>(
        static_cast<F &&>(f), &detail::CallNamedClosure<D>, detail::BytesOf(name)));
  }
  /** @param self [take] Passed to deleter when the function dies. */
  TVM_FFI_LOCAL static Function FromExternC(void *self, TVMFFISafeCallType safe_call,
                                            void (*deleter)(void *self)) {
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(TVMFFIFunctionCreate(self, safe_call, deleter, &out));
    return FromHandle(out);
  }

  /** A global function, if there is one of that name. */
  template <typename Name, typename F = Function>
  TVM_FFI_LOCAL static std::optional<F> GetGlobal(const Name &name) {
    const TVMFFIByteArray text = detail::BytesOf(name);
    TVMFFIObjectHandle out = nullptr;
    detail::CheckSafeCall(TVMFFIFunctionGetGlobal(&text, &out));
    if (out == nullptr) return std::nullopt;
    return FromHandle(out);
  }
  /** Errors: ValueError (not there). */
  template <typename Name>
  TVM_FFI_LOCAL static Function GetGlobalRequired(const Name &name) {
    return FromHandle(detail::RequireGlobal(detail::BytesOf(name)));
  }
  template <typename Name, typename F = Function>
  TVM_FFI_LOCAL static Expected<F> GetGlobalRequiredExpected(const Name &name) {
    TVMFFIObjectHandle out = nullptr;
    TVM_FFI_RETURN_IF_ERROR(detail::FindGlobal(detail::BytesOf(name), &out));
    return FromHandle(out);
  }
  /** Errors: RuntimeError (the name is taken), TypeError (null; the reference registers it). */
  template <typename Name>
  TVM_FFI_LOCAL static void SetGlobal(const Name &name, Function f, bool can_override = false) {
    const TVMFFIByteArray text = detail::BytesOf(name);
    detail::CheckSafeCall(TVMFFIFunctionSetGlobal(
        &text, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f), can_override ? 1 : 0));
  }
  template <typename Name>
  TVM_FFI_LOCAL static Expected<void> SetGlobalExpected(const Name &name, Function f,
                                                        bool can_override = false) {
    const TVMFFIByteArray text = detail::BytesOf(name);
    TVM_FFI_RETURN_IF_ERROR(TVMFFIFunctionSetGlobal(
        &text, detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(f), can_override ? 1 : 0));
    return {};
  }
  template <typename Dependent = void>
  TVM_FFI_LOCAL static auto ListGlobalNames() {
    const Function names =
        GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().cast<Function>();
    typename detail::StdTypes<Dependent>::template Vector<String> result;
    const int64_t size = names(-1).cast<int64_t>();
    for (int64_t i = 0; i < size; ++i) result.push_back(names(i).template cast<String>());
    return result;
  }
  template <typename Name>
  TVM_FFI_LOCAL static void RemoveGlobal(const Name &name) {
    GetGlobalRequired("ffi.FunctionRemoveGlobal")(String(detail::BytesOf(name)));
  }
  /** Calls an exported function without making a Function object. handle may be null. */
  template <typename... Args>
  TVM_FFI_LOCAL static Any InvokeExternC(void *handle, TVMFFISafeCallType safe_call,
                                         const Args &...args) {
    const detail::ArgViewsOf<Args...> views(args...);
    Any result;
    detail::CheckSafeCall(safe_call(handle, views.data(), static_cast<int32_t>(sizeof...(Args)),
                                    detail::AnyUnsafe::Slot(&result)));
    return result;
  }
  template <typename T = Any, typename... Args>
  TVM_FFI_LOCAL static Expected<T> InvokeExternCExpected(void *handle, TVMFFISafeCallType safe_call,
                                                         const Args &...args) {
    const detail::ArgViewsOf<Args...> views(args...);
    Any result;
    TVM_FFI_RETURN_IF_ERROR(safe_call(handle, views.data(), static_cast<int32_t>(sizeof...(Args)),
                                      detail::AnyUnsafe::Slot(&result)));
    return detail::ResultAsExpected<T>(std::move(result));
  }

  /** Throws the error that the callee raised. */
  template <typename... Args>
  TVM_FFI_LOCAL_INLINE Any operator()(const Args &...args) const {
    const detail::ArgViewsOf<Args...> views(args...);
    Any result;
    detail::CheckSafeCall(Call(views.data(), static_cast<int32_t>(sizeof...(Args)), &result));
    return result;
  }
  TVM_FFI_LOCAL_INLINE void CallPacked(const AnyView *args, int32_t num_args, Any *result) const {
    result->reset();
    detail::CheckSafeCall(Call(reinterpret_cast<const TVMFFIAny *>(args), num_args, result));
  }
  TVM_FFI_LOCAL_INLINE void CallPacked(PackedArgs args, Any *result) const {
    CallPacked(args.data(), args.size(), result);
  }
  /** Returns the result, or the error that the callee raised; throws nothing. */
  template <typename T = Any, typename... Args>
  TVM_FFI_LOCAL Expected<T> CallExpected(const Args &...args) const {
    const detail::ArgViewsOf<Args...> views(args...);
    Any result;
    if (Call(views.data(), static_cast<int32_t>(sizeof...(Args)), &result) != 0) {
      return Unexpected<Error>(detail::MoveFromSafeCallRaised());
    }
    return detail::ResultAsExpected<T>(std::move(result));
  }

  TVM_FFI_LOCAL_INLINE bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  TVM_FFI_LOCAL_INLINE bool operator!=(std::nullptr_t) const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE const FunctionObj *get() const {
    return static_cast<const FunctionObj *>(data_.get());
  }
  TVM_FFI_LOCAL_INLINE const FunctionObj *operator->() const { return get(); }

 private:
  TVM_FFI_LOCAL static Function Make(ObjectPtr<Object> data) {
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Function>(std::move(data));
  }
  TVM_FFI_LOCAL static Function FromHandle(TVMFFIObjectHandle handle) {
    return Make(
        detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(handle)));
  }
  TVM_FFI_LOCAL_INLINE int Call(const TVMFFIAny *args, int32_t num_args, Any *result) const {
    TVMFFIObject *self = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this);
    if (TVM_FFI_PREDICT_FALSE(self == nullptr)) return detail::RaiseNullCall();
    return TVMFFIFunctionGetCellPtr(self)->safe_call(self, args, num_args,
                                                     detail::AnyUnsafe::Slot(result));
  }
};

template <typename F>
class TypedFunction;

/** A Function with known types of parameters and result. */
template <typename R, typename... Params>
class TypedFunction<R(Params...)> {
 public:
  using TSelf = TypedFunction<R(Params...)>;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(TypedFunction)
  TVM_FFI_LOCAL TypedFunction() = default;
  TVM_FFI_LOCAL TypedFunction(std::nullptr_t) {}
  TVM_FFI_LOCAL TypedFunction(Function packed) : packed_(std::move(packed)) {}
  template <typename F,
            typename = std::enable_if_t<std::is_invocable_r_v<R, std::decay_t<F> &, Params...> &&
                                        !std::is_base_of_v<ObjectRef, std::decay_t<F>> &&
                                        !std::is_base_of_v<TypedFunction, std::decay_t<F>>>>
  TVM_FFI_LOCAL TypedFunction(F &&f)
      : packed_(Function::FromTyped(Adapter<std::decay_t<F>>{static_cast<F &&>(f)})) {}
  template <typename F, typename Name,
            typename = std::enable_if_t<std::is_invocable_r_v<R, std::decay_t<F> &, Params...>>>
  TVM_FFI_LOCAL TypedFunction(F &&f, const Name &name)
      : packed_(Function::FromTyped(Adapter<std::decay_t<F>>{static_cast<F &&>(f)}, name)) {}

  TVM_FFI_LOCAL_INLINE R operator()(Params... params) const {
    if constexpr (std::is_void_v<R>) {
      packed_(params...);
    } else {
      return packed_(params...).template cast<R>();
    }
  }
  /** The same, but returns the error. */
  template <typename T = R>
  TVM_FFI_LOCAL Expected<T> CallExpected(Params... params) const {
    return packed_.template CallExpected<T>(params...);
  }
  TVM_FFI_LOCAL operator Function() const { return packed_; }
  TVM_FFI_LOCAL const Function &packed() const & { return packed_; }
  TVM_FFI_LOCAL Function &&packed() && { return std::move(packed_); }
  TVM_FFI_LOCAL bool operator==(std::nullptr_t) const { return packed_ == nullptr; }
  TVM_FFI_LOCAL bool operator!=(std::nullptr_t) const { return packed_ != nullptr; }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeSchema() {
    detail::Text text;
    detail::Signature<R, Params...>::PutSchema(text);
    return detail::MakeString<S>(text.bytes());
  }

 private:
  /** Makes a callable take exactly Params. What it returns is dropped if R is void. */
  template <typename F>
  struct Adapter {
    F f;
    TVM_FFI_LOCAL R operator()(Params... params) {
      if constexpr (std::is_void_v<R>) {
        static_cast<void>(f(static_cast<Params &&>(params)...));
      } else {
        return f(static_cast<Params &&>(params)...);
      }
    }
  };

  Function packed_;
};

template <typename R, typename... Params>
struct TypeTraits<TypedFunction<R(Params...)>> : detail::ReadTraits<TypedFunction<R(Params...)>> {
  using TvmFfiOwn = void;
  using Self = TypedFunction<R(Params...)>;
  using Sig = detail::Signature<R, Params...>;
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIFunction;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = Sig::HasConstantSchema();
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    TypeTraits<Function>::CopyToAnyView(value.packed(), out);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Self value, TVMFFIAny *out) {
    TypeTraits<Function>::MoveToAny(std::move(value).packed(), out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIFunction;
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return Self(TypeTraits<Function>::CopyFromAnyViewAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return Self(TypeTraits<Function>::MoveFromAnyAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Self *out) {
    Function packed;
    const int status = TypeTraits<Function>::Read(source, &packed);
    if (status == detail::kReadOk) *out = Self(std::move(packed));
    return status;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    [[maybe_unused]] size_t i = 0;
    sink.Put('(');
    ((sink.Put(i != 0 ? ", " : ""), detail::PutSize(sink, i++), sink.Put(": "),
      detail::PutTypeStr<Params>(sink)),
     ...);
    sink.Put(") -> ");
    detail::PutTypeStr<R>(sink);
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    Sig::PutSchema(sink);
  }
};

namespace detail {

/** Writes `{"type_schema":"<escaped schema>"}` for a signature. */
template <typename Sig>
struct MetadataWriter {
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void Write(Sink &sink) {
    EscapingSink<Sink> escaped{&sink};
    sink.Put("{\"type_schema\":\"");
    Sig::PutSchema(escaped);
    sink.Put("\"}");
  }
};

template <typename Sig>
TVM_FFI_LOCAL int ReturnMetadata(TVMFFIAny *result) {
  Text text;
  MetadataWriter<Sig>::Write(text);
  const TVMFFIByteArray bytes = text.bytes();
  return TVMFFIStringFromByteArray(&bytes, result);
}

TVM_FFI_LOCAL_COLD int ReturnText(const char *text, TVMFFIAny *result) {
  const TVMFFIByteArray bytes = BytesOf(text);
  return TVMFFIStringFromByteArray(&bytes, result);
}

template <typename Sig>
TVM_FFI_LOCAL constexpr auto MakeMetadata() {
  if constexpr (Sig::HasConstantSchema()) {
    return MakeText<MetadataWriter<Sig>>();
  } else {
    return FixedText<0>{};
  }
}
template <typename F>
TVM_FFI_LOCAL constexpr auto MetadataOf(const F &) {
  return MakeMetadata<SignatureOf<F>>();
}
template <typename F>
TVM_FFI_LOCAL int ReturnMetadataOf(const F &, TVMFFIAny *result) {
  return ReturnMetadata<SignatureOf<F>>(result);
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

/* ---- Exporting ---- */

#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#endif

/** @cond internal */
#define TVM_FFI_DETAIL_EXPORT(symbol)                                                      \
  extern "C" TVM_FFI_DLL_EXPORT int symbol(                                                \
      [[maybe_unused]] void *tvm_ffi_self, [[maybe_unused]] const TVMFFIAny *tvm_ffi_args, \
      [[maybe_unused]] int32_t tvm_ffi_num_args, TVMFFIAny *tvm_ffi_result)

#define TVM_FFI_DETAIL_EXPORT_FUNC(ExportName, ...)                                       \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi_##ExportName);                                          \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi_##ExportName) {                                         \
    TVM_FFI_DETAIL_TRY {                                                                  \
      auto &&tvm_ffi_callable = __VA_ARGS__;                                              \
      return ::tvm::ffi::detail::CallerOf<decltype(tvm_ffi_callable)>::Call(              \
          tvm_ffi_callable, #ExportName, tvm_ffi_args, tvm_ffi_num_args, tvm_ffi_result); \
    }                                                                                     \
    TVM_FFI_DETAIL_CATCH                                                                  \
  }

#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DETAIL_EXPORT_METADATA(ExportName, ...)                       \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi__metadata_##ExportName);                    \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi__metadata_##ExportName) {                   \
    return ::tvm::ffi::detail::ReturnMetadataOf(__VA_ARGS__, tvm_ffi_result); \
  }                                                                           \
  [[maybe_unused]] static constexpr auto tvm_ffi_schema_##ExportName =        \
      ::tvm::ffi::detail::MetadataOf(__VA_ARGS__);                            \
  extern "C" TVM_FFI_DLL_EXPORT decltype(tvm_ffi_schema_##ExportName)         \
      __tvm_ffi__schema_##ExportName;                                         \
  decltype(tvm_ffi_schema_##ExportName) __tvm_ffi__schema_##ExportName =      \
      tvm_ffi_schema_##ExportName;
#else
#define TVM_FFI_DETAIL_EXPORT_METADATA(ExportName, ...)
#endif
/** @endcond */

/**
 * Exports a callable as `__tvm_ffi_<ExportName>`: a function, a pointer to one, a variable that
 * holds a lambda, or a lambda in place. Errors about arguments include ExportName.
 * With TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1 its signature is exported too:
 * `__tvm_ffi__metadata_<ExportName>` returns it as text, `__tvm_ffi__schema_<ExportName>` is data.
 */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...) \
  TVM_FFI_DETAIL_EXPORT_FUNC(ExportName, __VA_ARGS__)  \
  TVM_FFI_DETAIL_EXPORT_METADATA(ExportName, __VA_ARGS__)

/** Documents an exported function; has no effect without TVM_FFI_DLL_EXPORT_INCLUDE_METADATA. */
#if TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)      \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi__doc_##ExportName);                 \
  TVM_FFI_DETAIL_EXPORT(__tvm_ffi__doc_##ExportName) {                \
    return ::tvm::ffi::detail::ReturnText(DocString, tvm_ffi_result); \
  }
#else
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, DocString)
#endif

#ifndef TVM_FFI_LEAN
#include <tvm/ffi/function_detail.h>
#endif

#endif  // TVM_FFI_FUNCTION_H_
