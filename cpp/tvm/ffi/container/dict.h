/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/dict.h
 * Dicts: maps that are changed in place, for all who hold them.
 */
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/container/map_base.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename K, typename V>
class Dict : public detail::MapRef<K, V, false> {
  using Base = detail::MapRef<K, V, false>;

 public:
  using ContainerType = DictObj;

  TVM_FFI_LOCAL_INLINE Dict() = default;
  TVM_FFI_LOCAL_INLINE explicit Dict(UnsafeInit tag) : Base(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Dict)
  template <typename K2, typename V2,
            typename = std::enable_if_t<!std::is_same_v<Dict<K2, V2>, Dict> &&
                                        type_subsumes_v<K, K2> && type_subsumes_v<V, V2>>>
  TVM_FFI_LOCAL_INLINE Dict(const Dict<K2, V2> &other) : Base(other, 0) {}
  TVM_FFI_LOCAL_INLINE explicit Dict(ObjectPtr<Object> data) : Base(std::move(data)) {}
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>
  TVM_FFI_LOCAL_INLINE Dict(Iterator first, Iterator last) {
    this->Fill(first, last);
  }
  TVM_FFI_LOCAL_INLINE Dict(std::initializer_list<std::pair<K, V>> entries) {
    this->Fill(entries.begin(), entries.end());
  }
  /** From a std::unordered_map<K, V>, or anything else to run through that holds such pairs. */
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,
            typename = std::enable_if_t<std::is_same_v<typename C::key_type, K> &&
                                        std::is_same_v<typename C::mapped_type, V>>>
  TVM_FFI_LOCAL_INLINE Dict(const C &entries) {
    this->Fill(entries.begin(), entries.end());
  }

  TVM_FFI_LOCAL_INLINE void clear() {
    if (this->defined()) detail::CallGlobal(detail::GlobalDictClear(), *this);
  }
};

template <typename K, typename V>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Dict<K, V>> = false;

template <typename K, typename V, typename K2, typename V2>
struct detail::Subsumes<Dict<K, V>, Dict<K2, V2>>
    : std::bool_constant<detail::Subsumes<K, K2>::value && detail::Subsumes<V, V2>::value> {};

template <typename K, typename V>
struct TypeTraits<Dict<K, V>> : detail::MapTraits<Dict<K, V>, false> {};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_DICT_H_
