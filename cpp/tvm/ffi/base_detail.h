/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/base_detail.h
 * Compiler support that all headers share, code that runs when a library is loaded, hashing.
 */
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/detail/config.h>

/** @cond internal */
#define TVM_FFI_DETAIL_STATIC_INIT(name)                             \
  [[maybe_unused]] static void name();                               \
  [[maybe_unused]] static const bool TVM_FFI_STR_CONCAT(name, Ran) = \
      (static_cast<void>(name()), true);                             \
  static void name()
/** @endcond */

/**
 * `TVM_FFI_STATIC_INIT_BLOCK() { ... }`: the body runs once, when the library is loaded. Several
 * may stand in one file. What it throws reaches the loader as on any initialiser: catch it there.
 */
#if defined(TVM_FFI_DOXYGEN_MODE)
#define TVM_FFI_STATIC_INIT_BLOCK() void TVMFFIStaticInitBlock()
#elif defined(__GNUC__)
#define TVM_FFI_STATIC_INIT_BLOCK()                                                               \
  [[maybe_unused]] __attribute__((constructor)) static void TVM_FFI_STR_CONCAT(TvmFfiStaticInit_, \
                                                                               __COUNTER__)()
#else
#define TVM_FFI_STATIC_INIT_BLOCK() \
  TVM_FFI_DETAIL_STATIC_INIT(TVM_FFI_STR_CONCAT(TvmFfiStaticInit_, __COUNTER__))
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_LOCAL inline uint64_t StableHashCombine(uint64_t key, uint64_t value) {
  return key ^ (value + 0x9e3779b9 + (key << 6) + (key >> 2));
}

/** Calls f(index, arg) for each argument, left to right. */
template <typename F, typename... Args>
TVM_FFI_LOCAL_INLINE void for_each(const F &f, Args &&...args) {
  [[maybe_unused]] size_t i = 0;
  (f(i++, static_cast<Args &&>(args)), ...);
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_BASE_DETAIL_H_
