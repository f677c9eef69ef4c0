/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/type_record.h
 * What errors about values need to know about a type, and how they name it and signatures.
 */
#ifndef TVM_FFI_DETAIL_TYPE_RECORD_H_
#define TVM_FFI_DETAIL_TYPE_RECORD_H_

#include <tvm/ffi/detail/type_text.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** The result of reading a value. */
enum ReadResult : int {
  kReadOk = 0,
  kReadMismatch = 1,
  /** The error is in the thread's slot. */
  kReadRaised = 2,
  /** The type is right, but something else is not, such as a dtype: see TypeRecord::raise_unfit. */
  kReadUnfit = 3
};

struct TVM_FFI_TAGGED TypeRecord;
/**
 * Raises the error that says why the value does not fit.
 * @param name    The name of the function.
 * @param records Its signature, or NULL if the value is not an argument.
 * @param i       The number of the argument.
 * @return -1.
 */
using RaiseUnfitFn = int (*)(const char *name, const TypeRecord *const *records,
                             const TVMFFIAny *source, int32_t i);

/** What errors need to know about a type. */
struct TVM_FFI_TAGGED TypeRecord {
  /** NULL when put must be called instead. */
  const char *text;
  void (*put)(Text &text);
  /** NULL means the type key. */
  void (*put_got)(Text &text, const TVMFFIAny *source);
  /** NULL if nothing but the type can be wrong. */
  RaiseUnfitFn raise_unfit = nullptr;
};

template <typename Traits, typename = void>
struct HasPutGot : std::false_type {};
template <typename Traits>
struct HasPutGot<Traits, std::void_t<decltype(&Traits::PutGot)>> : std::true_type {};

template <typename Traits, typename = void>
struct RaiseUnfitOf {
  TVM_FFI_LOCAL static constexpr RaiseUnfitFn value = nullptr;
};
template <typename Traits>
struct RaiseUnfitOf<Traits, std::void_t<decltype(Traits::raise_unfit)>> {
  TVM_FFI_LOCAL static constexpr RaiseUnfitFn value = Traits::raise_unfit;
};

template <typename Traits, typename = void>
struct HasTypeName : std::false_type {};
template <typename Traits>
struct HasTypeName<Traits, std::void_t<decltype(Traits::type_str)>> : std::true_type {};

template <typename T>
struct TypeRecordOf {
 private:
  using D = std::remove_cv_t<std::remove_reference_t<T>>;
  TVM_FFI_LOCAL static void Put(Text &text) { PutTypeStr<D>(text); }
  TVM_FFI_LOCAL static void PutForeignGot(Text &text, const TVMFFIAny *source) {
    const auto got = TypeTraits<D>::GetMismatchTypeInfo(source);
    text.Put(got.data(), got.size());
  }
  TVM_FFI_LOCAL static constexpr TypeRecord Make() {
    if constexpr (std::is_void_v<D>) {
      return {"void", nullptr, nullptr};
    } else if constexpr (std::is_same_v<D, Any>) {
      return {"Any", nullptr, nullptr};
    } else if constexpr (std::is_same_v<D, AnyView>) {
      return {"AnyView", nullptr, nullptr};
    } else if constexpr (!IsOwn<TypeTraits<D>>::value) {
      return {nullptr, Put, PutForeignGot};
    } else {
      TypeRecord record = {nullptr, nullptr, nullptr};
      if constexpr (HasTypeName<TypeTraits<D>>::value) {
        record.text = TypeTraits<D>::type_str;
      } else if constexpr (HasConstantText<D>()) {
        record.text = TypeStrText<D>::value.data;
      } else {
        record.put = Put;
      }
      if constexpr (HasPutGot<TypeTraits<D>>::value) {
        record.put_got = TypeTraits<D>::PutGot;
      }
      record.raise_unfit = RaiseUnfitOf<TypeTraits<D>>::value;
      return record;
    }
  }

 public:
  TVM_FFI_LOCAL static constexpr TypeRecord value = Make();
};

TVM_FFI_LOCAL_COLD void PutRecord(Text &text, const TypeRecord &record) {
  if (record.text != nullptr) {
    text.Put(record.text);
  } else {
    record.put(text);
  }
}
TVM_FFI_LOCAL_COLD void PutRecordGot(Text &text, const TypeRecord &record,
                                     const TVMFFIAny *source) {
  if (record.put_got != nullptr) {
    record.put_got(text, source);
  } else {
    text.Put(TypeKeyOf(source->type_index));
  }
}
/** Writes `name(0: T0, 1: T1) -> R`; returns the number of parameters. */
TVM_FFI_LOCAL_COLD size_t PutSignature(Text &text, const char *name,
                                       const TypeRecord *const *records) {
  size_t i = 0;
  text.Put(name);
  text.Put('(');
  for (; records[i + 1] != nullptr; ++i) {
    if (i != 0) text.Put(", ");
    text.PutUint(i);
    text.Put(": ");
    PutRecord(text, *records[i + 1]);
  }
  text.Put(") -> ");
  PutRecord(text, *records[0]);
  return i;
}

template <typename T>
TVM_FFI_LOCAL_COLD void PutGotOf(Text &text, const TVMFFIAny *source) {
  PutRecordGot(text, TypeRecordOf<T>::value, source);
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_TYPE_RECORD_H_
