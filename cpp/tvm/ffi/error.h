/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/error.h
 * The exception that carries an error object, and the macros that throw it.
 *
 *     TVM_FFI_CHECK(x.ndim() == 2, ValueError) << "x must be a matrix, got ndim " << x.ndim();
 *
 * Use a kind that the caller can act on (TypeError, ValueError) for bad input, and TVM_FFI_ICHECK,
 * whose kind is InternalError, for conditions that only a bug in the kernel itself can violate.
 */
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/detail/error_object.h>
#include <tvm/ffi/detail/message.h>
#include <tvm/ffi/object.h>
#ifndef TVM_FFI_LEAN
#include <tvm/ffi/detail/std_compat.h>
#endif

/** If 1, macros write every error to stderr before they throw it. A user may define it. */
#ifndef TVM_FFI_ALWAYS_LOG_BEFORE_THROW
#define TVM_FFI_ALWAYS_LOG_BEFORE_THROW 0
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The source location of a message. */
struct TVM_FFI_LOCAL ThrowSite {
  TVM_FFI_LOCAL_INLINE constexpr ThrowSite(const char *kind_, const char *file_, int line_,
                                           const char *function_)
      : kind(kind_), file(file_), line(line_), function(function_) {}
  const char *kind;
  const char *file;
  int line;
  const char *function;
};

TVM_FFI_LOCAL_COLD Error MakeError(const ThrowSite &site, const Text &message) {
  return Error(BytesOf(site.kind), message.bytes(),
               BytesOf(TVMFFIBacktrace(site.file, site.line, site.function, 0)));
}

#if TVM_FFI_HAS_EXCEPTIONS

/** `Thrower(...) & MessageStream() << ...`: throws once the message is complete. */
struct TVM_FFI_LOCAL Thrower : ThrowSite {
  using ThrowSite::ThrowSite;
  TVM_FFI_LOCAL_INLINE constexpr explicit Thrower(const ThrowSite &site) : ThrowSite(site) {}
  template <typename Stream>
  [[noreturn]] TVM_FFI_LOCAL_COLD void operator&(const Stream &message) const {
    Text room;
    throw MakeError(*this, MessageText(message, &room));
  }
};

/** Stands in for a string class, but writes the text to stderr. */
struct TVM_FFI_LOCAL Stderr {
  TVM_FFI_LOCAL_COLD Stderr(const char *text, size_t size) { std::fwrite(text, 1, size, stderr); }
};

/** The same, but first writes the full message to stderr. */
struct TVM_FFI_LOCAL LoggingThrower : ThrowSite {
  using ThrowSite::ThrowSite;
  TVM_FFI_LOCAL_INLINE constexpr explicit LoggingThrower(const ThrowSite &site) : ThrowSite(site) {}
  template <typename Stream>
  [[noreturn]] TVM_FFI_LOCAL_COLD void operator&(const Stream &message) const {
    Text room;
    const Error error = MakeError(*this, MessageText(message, &room));
    error.FullMessage<Stderr>();
    throw error;
  }
};

TVM_FFI_LOCAL_COLD int RaiseError(const Error &error) noexcept {
  SetSafeCallRaised(error);
  return -1;
}

/** Without a backtrace: the stack here does not show where the exception came from. */
TVM_FFI_LOCAL_COLD int RaiseInternal(const char *message) noexcept {
  const TVMFFIByteArray no_backtrace{"", 0};
  return RaiseError(Error(BytesOf("InternalError"), BytesOf(message), no_backtrace));
}

/** Inside a handler: raises the current exception, which is not an Error. Returns -1. */
TVM_FFI_LOCAL_COLD int RaiseCaught() noexcept {
  try {
    throw;
  } catch (const std::exception &error) {
    return RaiseInternal(error.what());
  } catch (...) {
    return RaiseInternal("an exception that is no std::exception");
  }
}

#else

/** Says in the compiler's message what to use instead. */
template <typename Kind>
struct Thrower {
  static_assert(sizeof(Kind) == 0,
                "TVM_FFI_THROW and TVM_FFI_CHECK need exceptions; with -fno-exceptions return "
                "Expected<T> and use TVM_FFI_UNEXPECTED and TVM_FFI_RET_CHECK");
  template <typename Stream>
  TVM_FFI_LOCAL void operator&(const Stream &) const {}
};
struct NoExceptions {};

#endif

}  // namespace detail

/* ---- Throwing ---- */

/** @cond internal */
#if TVM_FFI_HAS_EXCEPTIONS
#if TVM_FFI_ALWAYS_LOG_BEFORE_THROW
#define TVM_FFI_DETAIL_THROWER_CLASS LoggingThrower
#else
#define TVM_FFI_DETAIL_THROWER_CLASS Thrower
#endif
/* No statement macro has a comma outside of parentheses, because it would be split where another
 * macro takes the statement as an argument: EXPECT_THROW({ TVM_FFI_THROW(E) << 1; }, Error). */
#define TVM_FFI_DETAIL_THROWER(Kind) \
  ::tvm::ffi::detail::TVM_FFI_DETAIL_THROWER_CLASS(Kind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG)
#define TVM_FFI_DETAIL_TRY try
/* Error is caught first: RaiseCaught() rethrows to learn a type, and costs as much as a throw. */
#define TVM_FFI_DETAIL_CATCH                              \
  catch (const ::tvm::ffi::Error &tvm_ffi_error) {        \
    return ::tvm::ffi::detail::RaiseError(tvm_ffi_error); \
  }                                                       \
  catch (...) {                                           \
    return ::tvm::ffi::detail::RaiseCaught();             \
  }
#else
#define TVM_FFI_DETAIL_THROWER(Kind) \
  ::tvm::ffi::detail::Thrower<struct ::tvm::ffi::detail::NoExceptions>()
#define TVM_FFI_DETAIL_TRY
#define TVM_FFI_DETAIL_CATCH
#endif

/* `while` cannot cause a dangling else; its body never returns. */
#define TVM_FFI_DETAIL_CHECK(cond, Kind)                             \
  while (TVM_FFI_PREDICT_FALSE(!(cond)))                             \
  TVM_FFI_DETAIL_THROWER(Kind) & ::tvm::ffi::detail::MessageStream() \
                                     << "Check failed: (" #cond ") is false: "
#define TVM_FFI_DETAIL_CHECK_OP(Name, op, x, y, Kind)                                          \
  while (::tvm::ffi::detail::Text *tvm_ffi_failed = ::tvm::ffi::detail::Check##Name((x), (y))) \
  TVM_FFI_DETAIL_THROWER(Kind) &                                                               \
      ::tvm::ffi::detail::MessageStream("Check failed: " #x " " #op " " #y, tvm_ffi_failed)    \
          << ": "
/** @endcond */

/** Throws an Error; Kind is an identifier. The message follows after `<<`. */
#define TVM_FFI_THROW(Kind) TVM_FFI_DETAIL_THROWER(#Kind) & ::tvm::ffi::detail::MessageStream()
/** The same: nothing is logged, because whoever catches the error gets the message. */
#define TVM_FFI_LOG_AND_THROW(Kind) TVM_FFI_THROW(Kind)

/** Throws unless cond holds; more text may follow after `<<`, or as a literal. */
#define TVM_FFI_CHECK(cond, Kind) TVM_FFI_DETAIL_CHECK(cond, #Kind)
/** Throw with both values unless the comparison holds; each operand is evaluated once. */
#define TVM_FFI_CHECK_EQ(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(EQ, ==, x, y, #Kind)
#define TVM_FFI_CHECK_NE(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(NE, !=, x, y, #Kind)
#define TVM_FFI_CHECK_LT(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(LT, <, x, y, #Kind)
#define TVM_FFI_CHECK_GT(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(GT, >, x, y, #Kind)
#define TVM_FFI_CHECK_LE(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(LE, <=, x, y, #Kind)
#define TVM_FFI_CHECK_GE(x, y, Kind) TVM_FFI_DETAIL_CHECK_OP(GE, >=, x, y, #Kind)

/** The same for conditions that only a bug can break: InternalError. */
#define TVM_FFI_ICHECK(cond) TVM_FFI_DETAIL_CHECK(cond, "InternalError")
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_DETAIL_CHECK_OP(EQ, ==, x, y, "InternalError")
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_DETAIL_CHECK_OP(NE, !=, x, y, "InternalError")
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_DETAIL_CHECK_OP(LT, <, x, y, "InternalError")
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_DETAIL_CHECK_OP(GT, >, x, y, "InternalError")
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_DETAIL_CHECK_OP(LE, <=, x, y, "InternalError")
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_DETAIL_CHECK_OP(GE, >=, x, y, "InternalError")

#if TVM_FFI_HAS_EXCEPTIONS
namespace detail {
template <typename Throws, typename T>
TVM_FFI_LOCAL_INLINE T &&NotNull(T &&value, const char *text, const ThrowSite &site) {
  if (TVM_FFI_PREDICT_FALSE(value == nullptr)) {
    Throws(site) & MessageStream(text);
  }
  return static_cast<T &&>(value);
}
}  // namespace detail
#endif
/** Returns x, or throws if it is null. */
#define TVM_FFI_DETAIL_NOTNULL(x, Kind)                                          \
  ::tvm::ffi::detail::NotNull<::tvm::ffi::detail::TVM_FFI_DETAIL_THROWER_CLASS>( \
      (x), "Check not null: " #x " ",                                            \
      ::tvm::ffi::detail::ThrowSite(Kind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG))
#define TVM_FFI_CHECK_NOTNULL(x, Kind) TVM_FFI_DETAIL_NOTNULL(x, #Kind)
#define TVM_FFI_ICHECK_NOTNULL(x) TVM_FFI_DETAIL_NOTNULL(x, "InternalError")

/** Like the ICHECK macros; with NDEBUG they are compiled but not evaluated. */
#ifdef NDEBUG
#define TVM_FFI_DETAIL_DCHECK while (false)
#define TVM_FFI_DCHECK_NOTNULL(x) (x)
#else
#define TVM_FFI_DETAIL_DCHECK
#define TVM_FFI_DCHECK_NOTNULL(x) TVM_FFI_ICHECK_NOTNULL(x)
#endif
#define TVM_FFI_DCHECK(cond) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK(cond)
#define TVM_FFI_DCHECK_EQ(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_EQ(x, y)
#define TVM_FFI_DCHECK_NE(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_NE(x, y)
#define TVM_FFI_DCHECK_LT(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_LT(x, y)
#define TVM_FFI_DCHECK_GT(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_GT(x, y)
#define TVM_FFI_DCHECK_LE(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_LE(x, y)
#define TVM_FFI_DCHECK_GE(x, y) TVM_FFI_DETAIL_DCHECK TVM_FFI_ICHECK_GE(x, y)

/** Throws the raised error if a function of the C ABI failed. */
#define TVM_FFI_CHECK_SAFE_CALL(func) ::tvm::ffi::detail::CheckSafeCall(func)

/** Around the body of a C callback that returns int: exceptions become raised errors. */
#define TVM_FFI_SAFE_CALL_BEGIN() \
  TVM_FFI_DETAIL_TRY {            \
    (void)0
#define TVM_FFI_SAFE_CALL_END() \
  return 0;                     \
  }                             \
  TVM_FFI_DETAIL_CATCH(void) 0

/** Around code that must not let exceptions escape: they are dropped. */
#if TVM_FFI_HAS_EXCEPTIONS
#define TVM_FFI_LOG_EXCEPTION_CALL_BEGIN() \
  try {                                    \
  (void)0
#define TVM_FFI_LOG_EXCEPTION_CALL_END(Name) \
  }                                          \
  catch (...){}(void)0
#endif

TVM_FFI_NAMESPACE_END

#ifndef TVM_FFI_LEAN
#include <tvm/ffi/detail/error_builder.h>
#endif

#endif  // TVM_FFI_ERROR_H_
