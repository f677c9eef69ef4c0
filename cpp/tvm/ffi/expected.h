/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/expected.h
 * A value or an error, for code without exceptions.
 *
 *     Expected<int64_t> Half(int64_t x) {
 *       TVM_FFI_RET_CHECK(x % 2 == 0, ValueError) << x << " is odd";
 *       return x / 2;
 *     }
 *     Expected<int64_t> HalfOfText(const String &text) {
 *       TVM_FFI_ASSIGN_OR_RETURN(const int64_t x, ReadNumber(text));
 *       return Half(x);
 *     }
 *
 * Functions that may throw have a second form that returns the error: `FromEnvAllocExpected` for
 * `FromEnvAlloc`, `cast_expected` for `cast`.
 */
#ifndef TVM_FFI_EXPECTED_H_
#define TVM_FFI_EXPECTED_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

TVM_FFI_NAMESPACE_BEGIN

/** An error that converts to an Expected. */
template <typename E = Error>
class [[nodiscard]] Unexpected {
  static_assert(std::is_base_of_v<Error, E>,
                "Unexpected holds an Error: write Unexpected(Error(kind, message, backtrace)) or "
                "TVM_FFI_UNEXPECTED(kind) << message");

 public:
  TVM_FFI_LOCAL explicit Unexpected(E error) : error_(std::move(error)) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Unexpected)

  TVM_FFI_LOCAL const E &error() const & { return error_; }
  TVM_FFI_LOCAL E &error() & { return error_; }
  TVM_FFI_LOCAL const E &&error() const && { return std::move(error_); }
  TVM_FFI_LOCAL E &&error() && { return std::move(error_); }

 private:
  E error_;
};
template <typename E>
Unexpected(E) -> Unexpected<E>;

template <>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Error> = false;

/** Like any reference, except that a polymorphic base comes first. */
template <>
struct TypeTraits<Error> : detail::OwnRefTraits<Error> {};

namespace detail {

struct ExpectedUnsafe;

template <typename T>
struct IsExpectedLike : std::is_base_of<Error, T> {};
template <typename T>
struct IsExpectedLike<Expected<T>> : std::true_type {};
template <typename E>
struct IsExpectedLike<Unexpected<E>> : std::true_type {};
class TVM_FFI_TAGGED ErrorToReturn;
template <>
struct IsExpectedLike<ErrorToReturn> : std::true_type {};

TVM_FFI_LOCAL inline Error MakeTypeError(const char *before, const char *between,
                                         const TypeRecord &record, const TVMFFIAny *source) {
  RaiseMismatch(before, between, record, source);
  return MoveFromSafeCallRaised();
}

/** The value or the error, as one value. */
class ExpectedBase {
 public:
  TVM_FFI_LOCAL_INLINE bool is_err() const { return data_.type_index() == kTVMFFIError; }
  TVM_FFI_LOCAL_INLINE bool is_ok() const { return !is_err(); }
  TVM_FFI_LOCAL_INLINE bool has_value() const { return !is_err(); }
  TVM_FFI_LOCAL_INLINE int32_t type_index() const { return data_.type_index(); }
  /** Errors: RuntimeError (there is no error). */
  TVM_FFI_LOCAL Error error() const {
    if (!is_err()) Throw("RuntimeError", "Bad expected access: contains value, not error");
    return TypeTraits<Error>::CopyFromAnyViewAfterCheck(AnyUnsafe::TVMFFIAnyPtrFromAny(data_));
  }

 protected:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(ExpectedBase)
  TVM_FFI_LOCAL_INLINE explicit ExpectedBase(Any data) : data_(std::move(data)) {}
  /** Throws the error itself, if there is one. */
  TVM_FFI_LOCAL_INLINE void Require() const {
    if (TVM_FFI_PREDICT_FALSE(is_err())) ThrowError();
  }
  [[noreturn]] TVM_FFI_LOCAL_COLD void ThrowError() const {
    SetSafeCallRaised(error());
    ThrowRaised();
  }

  Any data_;

  friend struct ExpectedUnsafe;
};

}  // namespace detail

template <typename T>
class [[nodiscard]] Expected : public detail::ExpectedBase {
  static_assert(
      !std::is_base_of_v<Error, T>,
      "Expected<Error> has no way to tell which it is: return the Error, or an Any that holds it");

 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Expected)
  TVM_FFI_LOCAL Expected(T value) : ExpectedBase(Any(std::move(value))) {
    static_assert(!detail::is_borrowed_v<T>,
                  "Expected<T> keeps its value, and a view of a tensor owns nothing that could be "
                  "kept: use Expected<Tensor>, or read the view with try_cast<TensorView>()");
  }
  template <typename U, typename D = std::decay_t<U>,
            typename = std::enable_if_t<std::is_convertible_v<U &&, T> && !std::is_same_v<D, T> &&
                                        !detail::IsExpectedLike<D>::value>>
  TVM_FFI_LOCAL_INLINE Expected(U &&value) : Expected(T(static_cast<U &&>(value))) {}
  template <typename U,
            typename = std::enable_if_t<!std::is_same_v<T, U> && !std::is_void_v<U> &&
                                        (type_subsumes_v<T, U> || std::is_convertible_v<U, T>)>>
  TVM_FFI_LOCAL_INLINE Expected(Expected<U> other)
      : ExpectedBase(other.is_err() ? Any(other.error()) : Any(T(std::move(other).value()))) {}
  TVM_FFI_LOCAL Expected(Error error) : ExpectedBase(Any(std::move(error))) {}
  template <typename E>
  TVM_FFI_LOCAL_INLINE Expected(Unexpected<E> error)
      : ExpectedBase(Any(Error(std::move(error).error()))) {}

  /** Throws the error if there is one. */
  TVM_FFI_LOCAL T value() const & {
    Require();
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(data_);
  }
  TVM_FFI_LOCAL T value() && {
    Require();
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(data_));
  }
  template <typename U = std::remove_cv_t<T>>
  TVM_FFI_LOCAL_INLINE T value_or(U &&other) const {
    return is_ok() ? value() : static_cast<T>(static_cast<U &&>(other));
  }
  /** An error stays; a value that is not a U becomes a TypeError. */
  template <typename U>
  TVM_FFI_LOCAL_INLINE Expected<U> as_or_error() const & {
    return Expected(*this).template MoveAs<U>();
  }
  /** The same, moved out unless it is a value that is not a U. */
  template <typename U>
  TVM_FFI_LOCAL_INLINE Expected<U> as_or_error() && {
    return MoveAs<U>();
  }

 private:
  template <typename U>
  TVM_FFI_LOCAL_INLINE Expected<U> MoveAs() {
    if (is_err()) {
      return detail::AnyUnsafe::MoveFromAnyAfterCheck<Error>(std::move(data_));
    }
    if (!detail::AnyUnsafe::CheckAnyStrict<U>(data_)) {
      return detail::MakeTypeError("Cannot treat type `", "` as type `",
                                   detail::TypeRecordOf<U>::value,
                                   detail::AnyUnsafe::TVMFFIAnyPtrFromAny(data_));
    }
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<U>(std::move(data_));
  }

  TVM_FFI_LOCAL_INLINE explicit Expected(Any data, UnsafeInit) : ExpectedBase(std::move(data)) {}

  friend struct detail::ExpectedUnsafe;
};

template <>
class [[nodiscard]] Expected<void> : public detail::ExpectedBase {
 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Expected)
  TVM_FFI_LOCAL Expected() : ExpectedBase(Any()) {}
  TVM_FFI_LOCAL Expected(Error error) : ExpectedBase(Any(std::move(error))) {}
  template <typename E>
  TVM_FFI_LOCAL_INLINE Expected(Unexpected<E> error)
      : ExpectedBase(Any(Error(std::move(error).error()))) {}
  TVM_FFI_LOCAL void value() const { Require(); }
};

namespace detail {

struct ExpectedUnsafe {
  template <typename T>
  TVM_FFI_LOCAL static Expected<T> MoveFromTVMFFIAny(TVMFFIAny data) {
    if constexpr (std::is_void_v<T>) {
      Expected<void> result;
      result.data_ = AnyUnsafe::MoveTVMFFIAnyToAny(&data);
      return result;
    } else {
      return Expected<T>(AnyUnsafe::MoveTVMFFIAnyToAny(&data), UnsafeInit{});
    }
  }
  template <typename T>
  TVM_FFI_LOCAL static TVMFFIAny MoveToTVMFFIAny(Expected<T> &&expected) {
    return AnyUnsafe::MoveAnyToTVMFFIAny(std::move(expected.data_));
  }
  template <typename T>
  TVM_FFI_LOCAL static Any &&GetData(Expected<T> &expected) {
    return std::move(expected.data_);
  }
  template <typename T>
  TVM_FFI_LOCAL static const Any &GetData(const Expected<T> &expected) {
    return expected.data_;
  }
  /** The value as a T; the caller knows that it is one. */
  template <typename T, typename U>
  TVM_FFI_LOCAL static T ValueAs(const Expected<U> &expected) {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<T>(expected.data_);
  }
};

/** An error to be returned from a function that returns Expected<T>. */
class [[nodiscard]] TVM_FFI_TAGGED ErrorToReturn {
 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(ErrorToReturn)
  TVM_FFI_LOCAL_COLD explicit ErrorToReturn(Error error) : error_(std::move(error)) {}
  TVM_FFI_LOCAL_COLD operator Unexpected<Error>() && {
    return Unexpected<Error>(std::move(error_));
  }
  template <typename T>
  TVM_FFI_LOCAL_COLD operator Expected<T>() && {
    return std::move(error_);
  }
  /** Makes the compiler say what is wrong if the function returns something else. */
  template <typename T, typename = std::enable_if_t<!IsExpectedLike<T>::value>>
  TVM_FFI_LOCAL operator T() && {
    static_assert(sizeof(T) == 0,
                  "TVM_FFI_RETURN_IF_ERROR and TVM_FFI_ASSIGN_OR_RETURN return the error: the "
                  "function they stand in has to return tvm::ffi::Expected<T>");
    return std::move(*this);
  }

 private:
  Error error_;
};

/** An argument of TVM_FFI_RETURN_IF_ERROR: an Expected, or the int of a C ABI function. */
template <typename T>
struct Outcome {
  static_assert(
      sizeof(T) == 0,
      "TVM_FFI_RETURN_IF_ERROR and TVM_FFI_ASSIGN_OR_RETURN take a tvm::ffi::Expected<T>; "
      "the first also the int that functions of the C ABI return");
};
template <typename T>
struct Outcome<Expected<T>> {
  TVM_FFI_LOCAL_INLINE static bool Failed(const Expected<T> &outcome) { return outcome.is_err(); }
  TVM_FFI_LOCAL_COLD static ErrorToReturn Take(Expected<T> *outcome) {
    return ErrorToReturn(
        AnyUnsafe::MoveFromAnyAfterCheck<Error>(ExpectedUnsafe::GetData(*outcome)));
  }
};
template <>
struct Outcome<int> {
  TVM_FFI_LOCAL_INLINE static bool Failed(int code) { return code != 0; }
  TVM_FFI_LOCAL_COLD static ErrorToReturn Take(int *) {
    return ErrorToReturn(MoveFromSafeCallRaised());
  }
};
/** An argument of TVM_FFI_ASSIGN_OR_RETURN. */
template <typename T>
struct ValueOutcome : Outcome<T> {
  static_assert(sizeof(T) == 0 || !std::is_same_v<T, int>,
                "TVM_FFI_ASSIGN_OR_RETURN takes a tvm::ffi::Expected<T>, and an int has no value: "
                "write TVM_FFI_RETURN_IF_ERROR");
};
template <typename T>
struct ValueOutcome<Expected<T>> : Outcome<Expected<T>> {
  static_assert(!std::is_void_v<T>,
                "an Expected<void> has no value to assign: write TVM_FFI_RETURN_IF_ERROR");
  TVM_FFI_LOCAL_INLINE static T Value(Expected<T> *outcome) {
    return AnyUnsafe::MoveFromAnyAfterCheck<T>(ExpectedUnsafe::GetData(*outcome));
  }
};

template <typename T>
TVM_FFI_LOCAL Expected<T> CastViewExpected(const TVMFFIAny *source) {
  if constexpr (std::is_pointer_v<T> || std::is_same_v<T, AnyView>) {
    static_assert(storage_enabled_v<T>,
                  "Expected<T> keeps its value, and one of a borrowed type (DLTensor *, const char "
                  "*, AnyView) owns nothing that could be kept: write cast_expected of a type that "
                  "does (Tensor, String, Any), or try_cast<T>()");
  }
  if constexpr (std::is_same_v<T, Any>) {
    TVMFFIAny value = *source;
    if (OwnOrRaise(&value) != 0) return MoveFromSafeCallRaised();
    return AnyUnsafe::MoveTVMFFIAnyRawToAny(value);
  } else {
    Reader<T> reader;
    const int status = reader.Read(source);
    if (TVM_FFI_PREDICT_FALSE(status != kReadOk)) {
      RaiseCannotConvert(TypeRecordOf<T>::value, source, status);
      return MoveFromSafeCallRaised();
    }
    return T(reader.Take());
  }
}

/** The result of a call as the requested type: a T, an Error as it is, or a TypeError. */
template <typename T>
TVM_FFI_LOCAL Expected<T> ResultAsExpected(Any &&result) {
  const TVMFFIAny *data = AnyUnsafe::TVMFFIAnyPtrFromAny(result);
  if constexpr (std::is_same_v<T, Any>) {
    return ExpectedUnsafe::MoveFromTVMFFIAny<Any>(AnyUnsafe::MoveAnyToTVMFFIAny(std::move(result)));
  } else if constexpr (std::is_void_v<T>) {
    if (result == nullptr) return Expected<void>();
  } else {
    Reader<T> reader;
    const int status = reader.Read(data);
    if (status == kReadOk) return Expected<T>(T(reader.Take()));
    if (status == kReadRaised) return MoveFromSafeCallRaised();
  }
  if constexpr (!std::is_same_v<T, Any>) {
    if (data->type_index == kTVMFFIError) {
      return TypeTraits<Error>::CopyFromAnyViewAfterCheck(data);
    }
    Text text;
    text.Put("CallExpected: result type mismatch, expected ");
    PutRecord(text, TypeRecordOf<T>::value);
    text.Put(", but got ");
    text.Put(TypeKeyOf(data->type_index));
    return Error(BytesOf("TypeError"), text.bytes(), TVMFFIByteArray{"", 0});
  }
}

/** Calls a global function; returns its result as a T, or an error. */
template <typename T, typename... Args>
TVM_FFI_LOCAL Expected<T> CallGlobalExpected(TVMFFIObjectHandle function, const Args &...args) {
  const AnyView views[sizeof...(Args) + 1] = {AnyView(args)...};
  Any result;
  if (TVMFFIFunctionGetCellPtr(function)->safe_call(
          function, reinterpret_cast<const TVMFFIAny *>(views),
          static_cast<int32_t>(sizeof...(Args)), AnyUnsafe::Slot(&result)) != 0) {
    return MoveFromSafeCallRaised();
  }
  return std::move(result).template cast_expected<T>();
}

/** The backtrace is only the source location; the stack is not walked. */
TVM_FFI_LOCAL_COLD Error MakeUnexpected(const ThrowSite &site, const Text &message) {
  Text backtrace;
  backtrace.Put("  File \"");
  backtrace.Put(site.file);
  backtrace.Put("\", line ");
  backtrace.PutInt(site.line);
  backtrace.Put(", in ");
  backtrace.Put(site.function);
  backtrace.Put('\n');
  return Error(BytesOf(site.kind), message.bytes(), backtrace.bytes());
}

/** The value of TVM_FFI_UNEXPECTED: an error whose message is complete. */
class [[nodiscard]] TVM_FFI_TAGGED UnexpectedBuilder {
 public:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(UnexpectedBuilder)
  TVM_FFI_LOCAL_COLD explicit UnexpectedBuilder(Error error) : error_(std::move(error)) {}
  TVM_FFI_LOCAL_COLD operator Unexpected<Error>() && {
    return Unexpected<Error>(std::move(error_));
  }
  template <typename T>
  TVM_FFI_LOCAL_COLD operator Expected<T>() && {
    return std::move(error_);
  }
  /** Appends to the message after parentheses: `(TVM_FFI_UNEXPECTED(ValueError)) << x`. Each item
   * then has a stream of its own, so a std::hex does not last. */
  template <typename T>
  TVM_FFI_LOCAL_COLD UnexpectedBuilder operator<<(const T &value) && {
    const TVMFFIErrorCell &cell =
        *TVMFFIErrorGetCellPtr(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error_));
    MessageStream message(cell.message.data);
    Text room;
    const Text &text = MessageText(message << value, &room);
    return UnexpectedBuilder(Error(cell.kind, text.bytes(), cell.backtrace));
  }

 private:
  Error error_;
};

/** `UnexpectedSite(...) & MessageStream() << ...`, like Thrower. */
struct TVM_FFI_LOCAL UnexpectedSite : ThrowSite {
  using ThrowSite::ThrowSite;
  template <typename Stream>
  TVM_FFI_LOCAL_COLD UnexpectedBuilder operator&(const Stream &message) const {
    Text room;
    return UnexpectedBuilder(MakeUnexpected(*this, MessageText(message, &room)));
  }
};

template <typename T, typename U>
struct Subsumes<Expected<T>, Expected<U>> : Subsumes<T, U> {};

}  // namespace detail

/** A function that returns an Expected passes its caller the value, or the error as a value. */
template <typename T>
struct TypeTraits<Expected<T>> : detail::ReadTraits<Expected<T>> {
  using TvmFfiOwn = void;
  using Self = Expected<T>;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<T>();
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const Self &value, TVMFFIAny *out) {
    *out = *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(detail::ExpectedUnsafe::GetData(value));
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(Self value, TVMFFIAny *out) {
    *out = detail::ExpectedUnsafe::MoveToTVMFFIAny(std::move(value));
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIError || IsStrict(source);
  }
  TVM_FFI_LOCAL_INLINE static Self CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return detail::ExpectedUnsafe::MoveFromTVMFFIAny<T>(
        detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(AnyView::CopyFromTVMFFIAny(*source))));
  }
  TVM_FFI_LOCAL_INLINE static Self MoveFromAnyAfterCheck(TVMFFIAny *source) {
    const TVMFFIAny data = *source;
    detail::SetNone(source);
    return detail::ExpectedUnsafe::MoveFromTVMFFIAny<T>(data);
  }
  /** A T, otherwise an error. These traits have a Reader of their own, and no Read. */
  TVM_FFI_LOCAL static std::optional<Self> TryCastFromAnyView(const TVMFFIAny *source) {
    detail::Reader<Self> reader;
    const int status = reader.Read(source);
    if (status == detail::kReadRaised) detail::ThrowRaised();
    return status == detail::kReadOk ? std::optional<Self>(reader.Take()) : std::nullopt;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<T>(sink, "Expected");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<T, Error>(sink, "Expected");
  }

 private:
  TVM_FFI_LOCAL_INLINE static bool IsStrict(const TVMFFIAny *source) {
    if constexpr (std::is_void_v<T>) {
      return source->type_index == kTVMFFINone;
    } else if constexpr (std::is_same_v<T, Any>) {
      return true;
    } else {
      return TypeTraits<T>::CheckAnyStrict(source);
    }
  }
};

namespace detail {

template <typename T>
struct Reader<Expected<T>> {
  std::optional<Expected<T>> value;
  TVM_FFI_LOCAL_INLINE Reader() = default;
  TVM_FFI_LOCAL_INLINE ~Reader() = default;
  TVM_FFI_LOCAL_INLINE int Read(const TVMFFIAny *source) {
    if (source->type_index == kTVMFFIError) {
      value.emplace(TypeTraits<Error>::CopyFromAnyViewAfterCheck(source));
      return kReadOk;
    }
    if constexpr (std::is_void_v<T>) {
      if (source->type_index != kTVMFFINone) return kReadMismatch;
      value.emplace();
      return kReadOk;
    } else {
      Reader<T> reader;
      const int status = reader.Read(source);
      if (status == kReadOk) value.emplace(T(reader.Take()));
      return status;
    }
  }
  TVM_FFI_LOCAL_INLINE Expected<T> &&Take() { return std::move(*value); }
};

}  // namespace detail

template <typename T>
TVM_FFI_LOCAL Expected<T> AnyView::cast_expected() const {
  return detail::CastViewExpected<T>(&data_);
}
template <typename T>
TVM_FFI_LOCAL Expected<T> Any::cast_expected() const & {
  return detail::CastViewExpected<T>(&data_);
}
template <typename T>
TVM_FFI_LOCAL Expected<T> Any::cast_expected() && {
  if constexpr (std::is_same_v<T, Any>) {
    return std::move(*this);
  } else {
    if constexpr (TypeTraits<T>::storage_enabled && !std::is_pointer_v<T>) {
      if (TypeTraits<T>::CheckAnyStrict(&data_)) {
        return T(TypeTraits<T>::MoveFromAnyAfterCheck(&data_));
      }
    }
    return detail::CastViewExpected<T>(&data_);
  }
}

TVM_FFI_NAMESPACE_END

/* ---- Returning errors ---- */

/** @cond internal */
#define TVM_FFI_DETAIL_UNEXPECTED(Kind)                                            \
  ::tvm::ffi::detail::UnexpectedSite(Kind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG) & \
      ::tvm::ffi::detail::MessageStream
#define TVM_FFI_DETAIL_RET_CHECK(cond, Kind) \
  while (TVM_FFI_PREDICT_FALSE(!(cond)))     \
  return TVM_FFI_DETAIL_UNEXPECTED(Kind)("Check failed: (" #cond ") is false: ")
#define TVM_FFI_DETAIL_RET_CHECK_OP(Name, op, x, y, Kind)                                      \
  while (::tvm::ffi::detail::Text *tvm_ffi_failed = ::tvm::ffi::detail::Check##Name((x), (y))) \
  return TVM_FFI_DETAIL_UNEXPECTED(Kind)("Check failed: " #x " " #op " " #y, tvm_ffi_failed) << ": "
#define TVM_FFI_DETAIL_RETURN_IF_ERROR(outcome, ...)                                              \
  do {                                                                                            \
    auto outcome = __VA_ARGS__;                                                                   \
    if (TVM_FFI_PREDICT_FALSE(::tvm::ffi::detail::Outcome<decltype(outcome)>::Failed(outcome))) { \
      return ::tvm::ffi::detail::Outcome<decltype(outcome)>::Take(&outcome);                      \
    }                                                                                             \
  } while (0)
#define TVM_FFI_DETAIL_ASSIGN_OR_RETURN(outcome, lhs, ...)                         \
  auto outcome = __VA_ARGS__;                                                      \
  if (TVM_FFI_PREDICT_FALSE(                                                       \
          ::tvm::ffi::detail::ValueOutcome<decltype(outcome)>::Failed(outcome))) { \
    return ::tvm::ffi::detail::ValueOutcome<decltype(outcome)>::Take(&outcome);    \
  }                                                                                \
  lhs = ::tvm::ffi::detail::ValueOutcome<decltype(outcome)>::Value(&outcome)
/** @endcond */

/** An error to return as an Expected<T>; the message follows after `<<`. */
#define TVM_FFI_UNEXPECTED(Kind) TVM_FFI_DETAIL_UNEXPECTED(#Kind)()

/** Return such an error unless cond holds; otherwise like TVM_FFI_CHECK and its variants. */
#define TVM_FFI_RET_CHECK(cond, Kind) TVM_FFI_DETAIL_RET_CHECK(cond, #Kind) << ""
#define TVM_FFI_RET_CHECK_EQ(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(EQ, ==, x, y, #Kind)
#define TVM_FFI_RET_CHECK_NE(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(NE, !=, x, y, #Kind)
#define TVM_FFI_RET_CHECK_LT(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(LT, <, x, y, #Kind)
#define TVM_FFI_RET_CHECK_GT(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(GT, >, x, y, #Kind)
#define TVM_FFI_RET_CHECK_LE(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(LE, <=, x, y, #Kind)
#define TVM_FFI_RET_CHECK_GE(x, y, Kind) TVM_FFI_DETAIL_RET_CHECK_OP(GE, >=, x, y, #Kind)
#define TVM_FFI_RET_ICHECK(cond) TVM_FFI_DETAIL_RET_CHECK(cond, "InternalError") << ""
#define TVM_FFI_RET_ICHECK_EQ(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(EQ, ==, x, y, "InternalError")
#define TVM_FFI_RET_ICHECK_NE(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(NE, !=, x, y, "InternalError")
#define TVM_FFI_RET_ICHECK_LT(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(LT, <, x, y, "InternalError")
#define TVM_FFI_RET_ICHECK_GT(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(GT, >, x, y, "InternalError")
#define TVM_FFI_RET_ICHECK_LE(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(LE, <=, x, y, "InternalError")
#define TVM_FFI_RET_ICHECK_GE(x, y) TVM_FFI_DETAIL_RET_CHECK_OP(GE, >=, x, y, "InternalError")

/**
 * Propagates an error: returns it from the enclosing function, which must return an Expected,
 * unless the expression succeeded. The expression is an Expected<T>, whose value is dropped, or the
 * int that functions of the C ABI return, with the error raised.
 */
#define TVM_FFI_RETURN_IF_ERROR(...) \
  TVM_FFI_DETAIL_RETURN_IF_ERROR(TVM_FFI_STR_CONCAT(tvm_ffi_outcome_, __LINE__), __VA_ARGS__)
/**
 * The same, and assigns the value to lhs: a new variable (`auto x`, `const Tensor y`), or
 * anything that can be assigned to. Several statements: put braces around it after an `if`. lhs has
 * no comma outside of parentheses.
 */
#define TVM_FFI_ASSIGN_OR_RETURN(lhs, ...)                                                \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                            \
  TVM_FFI_DETAIL_ASSIGN_OR_RETURN(TVM_FFI_STR_CONCAT(tvm_ffi_outcome_, __COUNTER__), lhs, \
                                  __VA_ARGS__)                                            \
  TVM_FFI_DETAIL_COUNTER_END

#endif  // TVM_FFI_EXPECTED_H_
