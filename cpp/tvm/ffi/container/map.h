/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/map.h
 * Maps: ordered by insertion; copies are shared until one of them is changed. Adding to one needs a
 * runtime that knows Dict: the reference since 0.1.9.
 */
#ifndef TVM_FFI_CONTAINER_MAP_H_
#define TVM_FFI_CONTAINER_MAP_H_

#include <tvm/ffi/container/map_base.h>

TVM_FFI_NAMESPACE_BEGIN

template <typename K, typename V>
class Map : public detail::MapRef<K, V, true> {
  using Base = detail::MapRef<K, V, true>;

 public:
  using ContainerType = MapObj;

  TVM_FFI_LOCAL_INLINE Map() = default;
  TVM_FFI_LOCAL_INLINE explicit Map(UnsafeInit tag) : Base(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Map)
  template <typename K2, typename V2,
            typename = std::enable_if_t<!std::is_same_v<Map<K2, V2>, Map> &&
                                        type_subsumes_v<K, K2> && type_subsumes_v<V, V2>>>
  TVM_FFI_LOCAL_INLINE Map(const Map<K2, V2> &other) : Base(other, 0) {}
  TVM_FFI_LOCAL_INLINE explicit Map(ObjectPtr<Object> data) : Base(std::move(data)) {}
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>
  TVM_FFI_LOCAL_INLINE Map(Iterator first, Iterator last) {
    this->Fill(first, last);
  }
  TVM_FFI_LOCAL_INLINE Map(std::initializer_list<std::pair<K, V>> entries) {
    this->Fill(entries.begin(), entries.end());
  }
  /** From a std::unordered_map<K, V>, or anything else to run through that holds such pairs. */
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,
            typename = std::enable_if_t<std::is_same_v<typename C::key_type, K> &&
                                        std::is_same_v<typename C::mapped_type, V>>>
  TVM_FFI_LOCAL_INLINE Map(const C &entries) {
    this->Fill(entries.begin(), entries.end());
  }

  TVM_FFI_LOCAL_INLINE void clear() { *this = Map(); }
  TVM_FFI_LOCAL_INLINE MapObj *CopyOnWrite() {
    detail::MapAccess::CopyOnWrite(&this->data_);
    return static_cast<MapObj *>(this->data_.get());
  }
};

template <typename K, typename V>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Map<K, V>> = false;

template <typename K, typename V, typename K2, typename V2>
struct detail::Subsumes<Map<K, V>, Map<K2, V2>>
    : std::bool_constant<detail::Subsumes<K, K2>::value && detail::Subsumes<V, V2>::value> {};

template <typename K, typename V>
struct TypeTraits<Map<K, V>> : detail::MapTraits<Map<K, V>, true> {};

/** The entries of both; those of rhs win. */
template <typename K, typename V>
TVM_FFI_LOCAL Map<K, V> Merge(Map<K, V> lhs, const Map<K, V> &rhs) {
  for (const std::pair<K, V> &entry : rhs) lhs.Set(entry.first, entry.second);
  return lhs;
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_MAP_H_
