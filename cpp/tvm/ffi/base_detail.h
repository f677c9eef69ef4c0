/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/base_detail.h
 * Compiler support for all headers, code that runs when a library is loaded, hashing.
 */
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>

#include <cstring>
#include <type_traits>
#include <utility>

/** @cond internal */
/* A variable, not a function with the constructor attribute: those run before the variables of
 * their file are initialised, among them the indices of its types. */
#define TVM_FFI_DETAIL_STATIC_INIT(name)                             \
  [[maybe_unused]] static void name();                               \
  [[maybe_unused]] static const bool TVM_FFI_STR_CONCAT(name, Ran) = \
      (static_cast<void>(name()), true);                             \
  static void name()
/** @endcond */

/**
 * `TVM_FFI_STATIC_INIT_BLOCK() { ... }`: the body runs once, when the library is loaded. A file may
 * have several, each after the classes that it registers. Exceptions reach the loader, as those of
 * any initialiser do: catch them in the body.
 */
#if defined(TVM_FFI_DOXYGEN_MODE)
#define TVM_FFI_STATIC_INIT_BLOCK() void TVMFFIStaticInitBlock()
#else
#define TVM_FFI_STATIC_INIT_BLOCK()                                              \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                   \
  TVM_FFI_DETAIL_STATIC_INIT(TVM_FFI_STR_CONCAT(TvmFfiStaticInit_, __COUNTER__)) \
  TVM_FFI_DETAIL_COUNTER_END
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/* Hashes that are the same in every process, for the keys of maps. */

template <typename T>
TVM_FFI_LOCAL_INLINE uint64_t StableHashCombine(uint64_t key, const T &value) {
  return key ^ (static_cast<uint64_t>(value) + 0x9e3779b9 + (key << 6) + (key >> 2));
}

/** Hashes eight bytes at a time, least significant first, at any address. */
TVM_FFI_LOCAL inline uint64_t StableHashBytes(const void *data, size_t size) {
  constexpr uint64_t kMultiplier = 1099511628211ULL, kModulus = 2147483647ULL;
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  uint64_t hash = 0;
#if TVM_FFI_LITTLE_ENDIAN
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t chunk;
    std::memcpy(&chunk, bytes, sizeof chunk);
    hash = (hash * kMultiplier + chunk) % kModulus;
  }
#endif
  while (size > 0) {
    const size_t count = size < 8 ? size : 8;
    uint64_t chunk = 0;
    for (size_t i = count; i-- > 0;) chunk = chunk << 8 | bytes[i];
    hash = (hash * kMultiplier + chunk) % kModulus;
    bytes += count;
    size -= count;
  }
  return hash;
}

/** The same for the bytes in a small string or in small bytes. */
TVM_FFI_LOCAL inline uint64_t StableHashSmallStrBytes(const TVMFFIAny *value) {
  // Reads the member by which values are moved: when another one is read, g++ 11 and 12 miscompile
  // this for a value that was just moved, and hash an empty text.
  const uint64_t bits = static_cast<uint64_t>(value->v_int64);
  return (TVM_FFI_LITTLE_ENDIAN ? bits : __builtin_bswap64(bits)) % 2147483647ULL;
}

/** Calls f(index, arg) for each argument, left to right. */
template <typename F, typename... Args>
TVM_FFI_LOCAL_INLINE void for_each(const F &f, Args &&...args) {
  [[maybe_unused]] size_t i = 0;
  (f(i++, static_cast<Args &&>(args)), ...);
}

}  // namespace detail

/** [borrow] The same bytes as a std::string_view. */
template <typename Dependent = void>
TVM_FFI_LOCAL auto ToStringView(TVMFFIByteArray text) {
  return typename detail::StdTypes<Dependent>::StringView(text.data, text.size);
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_BASE_DETAIL_H_
