/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/overloads.h
 * One function of the ABI for several callables: the first that accepts the arguments is called.
 */
#ifndef TVM_FFI_DETAIL_OVERLOADS_H_
#define TVM_FFI_DETAIL_OVERLOADS_H_

#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** One callable in the list of overloads. */
struct TVM_FFI_TAGGED Overload {
  Overload *next;
  const TypeRecord *const *records;
  int32_t num_params;
  /** call reads num_params arguments; it returns 0, -1, or this if one of them cannot be read. */
  TVM_FFI_LOCAL static constexpr int kDoesNotFit = 1;
  int (*call)(Overload *self, const TVMFFIAny *args, TVMFFIAny *result);
  /** Returns the number of the first argument that cannot be read, with the reason; or -1. */
  int32_t (*find_bad)(const TVMFFIAny *args, int *status);
  void (*destroy)(Overload *self);
};

template <typename F, typename Sig = SignatureOf<F>, typename Indices = typename Sig::Indices>
struct TVM_FFI_TAGGED OverloadOf;
template <typename F, typename R, typename... Params, size_t... kIndex>
struct TVM_FFI_HIDDEN OverloadOf<F, Signature<R, Params...>, std::index_sequence<kIndex...>>
    : Overload {
  struct TVM_FFI_HIDDEN Readers : IndexedReader<kIndex, Params>... {};

  F f;

  template <typename G>
  TVM_FFI_LOCAL explicit OverloadOf(G &&callable)
      : Overload{nullptr,
                 Signature<R, Params...>::records,
                 static_cast<int32_t>(sizeof...(Params)),
                 &Call,
                 &FindBad,
                 [](Overload *self) { delete static_cast<OverloadOf *>(self); }},
        f(static_cast<G &&>(callable)) {}

  TVM_FFI_LOCAL static int Read(Readers &all, [[maybe_unused]] const TVMFFIAny *args,
                                [[maybe_unused]] int32_t *bad) {
    int status = kReadOk;
    static_cast<void>(all);
    static_cast<void>(
        (... && (*bad = static_cast<int32_t>(kIndex),
                 (status = static_cast<IndexedReader<kIndex, Params> &>(all).reader.Read(
                      args + kIndex)) == kReadOk)));
    return status;
  }
  TVM_FFI_LOCAL static int Call(Overload *self, const TVMFFIAny *args, TVMFFIAny *result) {
    [[maybe_unused]] F &callable = static_cast<OverloadOf *>(self)->f;
    TVM_FFI_DETAIL_TRY {
      Readers all;
      int32_t bad;
      const int status = Read(all, args, &bad);
      if (status != kReadOk) return status == kReadRaised ? -1 : kDoesNotFit;
      if constexpr (std::is_void_v<R>) {
        callable(static_cast<IndexedReader<kIndex, Params> &>(all).reader.Take()...);
        SetNone(result);
      } else {
        WriteResult<R>(callable(static_cast<IndexedReader<kIndex, Params> &>(all).reader.Take()...),
                       result);
      }
      return 0;
    }
    TVM_FFI_DETAIL_CATCH
  }
  TVM_FFI_LOCAL static int32_t FindBad(const TVMFFIAny *args, int *status) {
    Readers all;
    int32_t bad = -1;
    *status = Read(all, args, &bad);
    return *status == kReadOk ? -1 : bad;
  }
};

/** False for callables that also accept fewer arguments, as WithOptionalArgs makes them. */
template <typename Sig>
TVM_FFI_LOCAL inline constexpr bool has_plain_signature_v = false;
template <typename R, typename... Params>
TVM_FFI_LOCAL inline constexpr bool has_plain_signature_v<Signature<R, Params...>> = true;

/** The function object that holds the overloads, in the order in which they were added. */
class TVM_FFI_LOCAL OverloadsObj : public FunctionObj {
 public:
  TVM_FFI_LOCAL explicit OverloadsObj(TVMFFIByteArray name) {
    this->safe_call = &Call;
    this->cpp_call = nullptr;
    name_.Put(name);
  }
  TVM_FFI_LOCAL ~OverloadsObj() {
    while (first_ != nullptr) {
      Overload *next = first_->next;
      first_->destroy(first_);
      first_ = next;
    }
  }
  template <typename F>
  TVM_FFI_LOCAL void Add(F &&f) {
    static_assert(has_plain_signature_v<SignatureOf<std::decay_t<F>>>,
                  "an overload has one number of arguments: instead of WithOptionalArgs define an "
                  "overload for each");
    Overload **end = &first_;
    while (*end != nullptr) end = &(*end)->next;
    *end = new OverloadOf<std::decay_t<F>>(static_cast<F &&>(f));
  }
  TVM_FFI_LOCAL TVMFFIByteArray name() const { return name_.bytes(); }

 private:
  /* Not inline: gcc 16 guesses that any Function may call this, and warns where that Function is
   * smaller than this object. */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE static int Call(void *handle, const TVMFFIAny *args,
                                                  int32_t num_args, TVMFFIAny *result) {
    const OverloadsObj *self =
        ObjectUnsafe::RawObjectPtrFromUnowned<OverloadsObj>(static_cast<TVMFFIObject *>(handle));
    for (Overload *each = self->first_; each != nullptr; each = each->next) {
      if (each->num_params != num_args) continue;
      const int code = each->call(each, args, result);
      if (code != Overload::kDoesNotFit) return code;
    }
    return self->RaiseNoMatch(args, num_args);
  }

  /** A single overload reports the error as an ordinary function would. */
  TVM_FFI_LOCAL_COLD int RaiseNoMatch(const TVMFFIAny *args, int32_t num_args) const {
    Text text;
    int64_t number = 0;
    if (first_ != nullptr && first_->next == nullptr) {
      int status = kReadMismatch;
      const int32_t bad = first_->num_params == num_args ? first_->find_bad(args, &status) : -1;
      return RaiseArguments(name_.data(), first_->records, args, num_args, bad, status);
    }
    text.Put("No matching overload found when calling: `");
    text.Put(name_.bytes());
    text.Put("` with ");
    text.PutInt(num_args);
    text.Put(" arguments:");
    for (const Overload *each = first_; each != nullptr; each = each->next) {
      text.Put("\nOverload #");
      text.PutInt(number++);
      text.Put(": ");
      PutOverload(text, *each, args, num_args);
    }
    return RaiseText("TypeError", text);
  }
  TVM_FFI_LOCAL_COLD void PutOverload(Text &text, const Overload &overload, const TVMFFIAny *args,
                                      int32_t num_args) const {
    int status = kReadMismatch;
    const int32_t bad = overload.num_params == num_args ? overload.find_bad(args, &status) : -1;
    PutMismatch(text, bad);
    text.Put(name_.bytes());
    PutSignature(text, " ", overload.records);
    text.Put("`. Expected ");
    if (bad < 0) {
      text.PutInt(overload.num_params);
      text.Put(" arguments");
    } else {
      PutTypes(text, *overload.records[bad + 1], args + bad);
    }
  }

  Overload *first_ = nullptr;
  Text name_;
};

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_OVERLOADS_H_
