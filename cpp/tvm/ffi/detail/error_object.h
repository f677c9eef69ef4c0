/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/error_object.h
 * The exception that carries an error object, without the macros and streams of error.h: this much
 * of it is what the inline functions of object.h throw.
 */
#ifndef TVM_FFI_DETAIL_ERROR_OBJECT_H_
#define TVM_FFI_DETAIL_ERROR_OBJECT_H_

#include <tvm/ffi/object.h>

TVM_FFI_NAMESPACE_BEGIN

class ErrorObj : public Object, public TVMFFIErrorCell {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIError;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIError, ErrorObj, Object);
};

/** An error, counted. Never null unless it was moved from. */
class Error : public ObjectRef, public std::exception {
 public:
  using ContainerType = ErrorObj;
  using __PtrType = const ErrorObj *;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;

  TVM_FFI_LOCAL explicit Error(UnsafeInit tag) : ObjectRef(tag) {}
  /** The texts are copied. */
  TVM_FFI_LOCAL Error(TVMFFIByteArray kind, TVMFFIByteArray message, TVMFFIByteArray backtrace)
      : ObjectRef(Create(kind, message, backtrace)) {}
  /** The same from strings of any class, or pointers to a TVMFFIByteArray. */
  template <typename Kind, typename Message, typename Backtrace>
  TVM_FFI_LOCAL Error(const Kind &kind, const Message &message, const Backtrace &backtrace)
      : Error(detail::BytesOf(kind), detail::BytesOf(message), detail::BytesOf(backtrace)) {}
  /** The same with the error that caused this one, and any object as its extra context. */
  template <typename Kind, typename Message, typename Backtrace>
  TVM_FFI_LOCAL Error(const Kind &kind, const Message &message, const Backtrace &backtrace,
                      const std::optional<typename detail::DependOn<Error, Kind>::type> &cause,
                      const std::optional<typename detail::DependOn<ObjectRef, Kind>::type> &extra)
      : ObjectRef(CreateWithCause(
            detail::BytesOf(kind), detail::BytesOf(message), detail::BytesOf(backtrace),
            cause ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*cause) : nullptr,
            extra ? detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*extra) : nullptr)) {}
  TVM_FFI_LOCAL Error(const Error &other) noexcept = default;
  TVM_FFI_LOCAL Error(Error &&other) noexcept = default;
  TVM_FFI_LOCAL Error &operator=(const Error &other) noexcept = default;
  TVM_FFI_LOCAL Error &operator=(Error &&other) noexcept = default;
  TVM_FFI_LOCAL ~Error() noexcept override = default;

  TVM_FFI_LOCAL const char *what() const noexcept override { return cell()->message.data; }

  template <class S = std::string>
  TVM_FFI_LOCAL S kind() const {
    return detail::MakeString<S>(cell()->kind);
  }
  template <class S = std::string>
  TVM_FFI_LOCAL S message() const {
    return detail::MakeString<S>(cell()->message);
  }
  /** Lines, most recent call first. */
  template <class S = std::string>
  TVM_FFI_LOCAL S backtrace() const {
    return detail::MakeString<S>(cell()->backtrace);
  }
  /** The same lines in the order of Python's tracebacks. */
  template <class S = std::string>
  TVM_FFI_LOCAL S TracebackMostRecentCallLast() const {
    detail::Text text;
    PutTraceback(&text);
    return detail::MakeString<S>(text.bytes());
  }
  template <class S = std::string>
  TVM_FFI_LOCAL S FullMessage() const {
    detail::Text text;
    text.Put("Traceback (most recent call last):\n");
    PutTraceback(&text);
    text.Put(cell()->kind);
    text.Put(": ");
    text.Put(cell()->message);
    text.Put('\n');
    return detail::MakeString<S>(text.bytes());
  }
  template <typename E = Error>
  TVM_FFI_LOCAL std::optional<E> cause_chain() const {
    if (cell()->cause_chain == nullptr) return std::nullopt;
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<E>(
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(
            static_cast<TVMFFIObject *>(cell()->cause_chain)));
  }
  template <typename Ref = ObjectRef>
  TVM_FFI_LOCAL std::optional<Ref> extra_context() const {
    if (cell()->extra_context == nullptr) return std::nullopt;
    return Ref(detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(
        static_cast<TVMFFIObject *>(cell()->extra_context)));
  }
  /** @param mode TVMFFIBacktraceUpdateMode. */
  TVM_FFI_LOCAL void UpdateBacktrace(const TVMFFIByteArray *backtrace, int32_t mode) {
    cell()->update_backtrace(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this), backtrace,
                             mode);
  }

 private:
  TVM_FFI_LOCAL TVMFFIErrorCell *cell() const {
    return TVMFFIErrorGetCellPtr(detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(*this));
  }
  /* Separate functions, so that libraries import the second only if they use it. */
  TVM_FFI_LOCAL_COLD static ObjectPtr<Object> Create(TVMFFIByteArray kind, TVMFFIByteArray message,
                                                     TVMFFIByteArray backtrace) {
    TVMFFIObjectHandle error = nullptr;
    const int code = TVMFFIErrorCreate(&kind, &message, &backtrace, &error);
    return TakeCreated(code, error);
  }
  TVM_FFI_LOCAL_COLD static ObjectPtr<Object> CreateWithCause(TVMFFIByteArray kind,
                                                              TVMFFIByteArray message,
                                                              TVMFFIByteArray backtrace,
                                                              TVMFFIObjectHandle cause,
                                                              TVMFFIObjectHandle extra) {
    TVMFFIObjectHandle error = nullptr;
    const int code = TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &backtrace, cause,
                                                               extra, &error);
    return TakeCreated(code, error);
  }
  TVM_FFI_LOCAL static ObjectPtr<Object> TakeCreated(int code, TVMFFIObjectHandle error) {
    if (code != 0) {
      TVMFFIErrorSetRaisedFromCStr("MemoryError", "out of memory");
      TVMFFIErrorMoveFromRaised(&error);
    }
    return detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(error));
  }
  TVM_FFI_LOCAL void PutTraceback(detail::Text *text) const {
    const TVMFFIByteArray lines = cell()->backtrace;
    size_t end = lines.size, begin;
    while (end > 0 && lines.data[end - 1] != '\n') --end;
    while (end > 0) {
      begin = end - 1;
      while (begin > 0 && lines.data[begin - 1] != '\n') --begin;
      if (end - begin > 1) text->Put(lines.data + begin, end - begin);
      end = begin;
    }
  }
};

/** Thrown when a frontend has a pending exception of its own. */
TVM_FFI_LOCAL inline Error EnvErrorAlreadySet() {
  const TVMFFIByteArray none{"", 0};
  return Error(detail::BytesOf("EnvErrorAlreadySet"), none, none);
}

namespace detail {

/** Takes the raised error out of the thread's slot. */
TVM_FFI_LOCAL_COLD Error MoveFromSafeCallRaised() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) {
    return Error(BytesOf("InternalError"), BytesOf("a function failed without an error"),
                 TVMFFIByteArray{"", 0});
  }
  return ObjectUnsafe::ObjectRefFromObjectPtr<Error>(
      ObjectUnsafe::ObjectPtrFromOwned<Object>(static_cast<TVMFFIObject *>(error)));
}

/** An error without a backtrace, like those that Throw throws. */
TVM_FFI_LOCAL_COLD Error MakePlainError(const char *kind, const char *message) {
  return Error(BytesOf(kind), BytesOf(message), TVMFFIByteArray{"", 0});
}

TVM_FFI_LOCAL inline void SetSafeCallRaised(const Error &error) {
  TVMFFIErrorSetRaised(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error));
}

#if TVM_FFI_HAS_EXCEPTIONS
[[noreturn]] TVM_FFI_LOCAL inline void ThrowRaised() {
  throw MoveFromSafeCallRaised();
}
#endif

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_ERROR_OBJECT_H_
