/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/error_builder.h
 * A builder that throws its error when it goes out of scope, for macros of other projects. With
 * TVM_FFI_LEAN error.h does not include this header.
 */
#ifndef TVM_FFI_DETAIL_ERROR_BUILDER_H_
#define TVM_FFI_DETAIL_ERROR_BUILDER_H_

#include <tvm/ffi/error.h>

#include <sstream>
#include <string>

#if TVM_FFI_HAS_EXCEPTIONS
TVM_FFI_NAMESPACE_BEGIN
namespace detail {

class TVM_FFI_TAGGED ErrorBuilder {
 public:
  /** @param log Whether the full message is also written to stderr. */
  TVM_FFI_LOCAL ErrorBuilder(std::string kind, std::string backtrace, bool log,
                             std::optional<Error> cause = std::nullopt,
                             std::optional<ObjectRef> extra = std::nullopt)
      : kind_(std::move(kind)),
        backtrace_(std::move(backtrace)),
        log_(log),
        cause_(std::move(cause)),
        extra_(std::move(extra)) {
    stream_.imbue(std::locale::classic());  // numbers have a decimal point
  }
  TVM_FFI_LOCAL ErrorBuilder(std::string kind, const TVMFFIByteArray *backtrace, bool log,
                             std::optional<Error> cause = std::nullopt,
                             std::optional<ObjectRef> extra = std::nullopt)
      : ErrorBuilder(std::move(kind), std::string(BytesOf(backtrace).data, BytesOf(backtrace).size),
                     log, std::move(cause), std::move(extra)) {}
  ErrorBuilder(const ErrorBuilder &) = delete;
  ErrorBuilder &operator=(const ErrorBuilder &) = delete;
  /** Throws the error. */
  [[noreturn]] TVM_FFI_LOCAL ~ErrorBuilder() noexcept(false) {
    const Error error(kind_, stream_.str(), backtrace_, cause_, extra_);
    if (log_) error.FullMessage<Stderr>();
    throw error;
  }

  /** What is written here becomes the message. */
  TVM_FFI_LOCAL std::ostringstream &stream() { return stream_; }

 private:
  std::string kind_;
  std::string backtrace_;
  bool log_;
  std::optional<Error> cause_;
  std::optional<ObjectRef> extra_;
  std::ostringstream stream_;
};

}  // namespace detail
TVM_FFI_NAMESPACE_END
#endif

#endif  // TVM_FFI_DETAIL_ERROR_BUILDER_H_
