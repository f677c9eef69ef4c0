/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/map.h
 * Maps: ordered by insertion, copy-on-write; lookups and iteration are in map_base.h. Adding
 * entries needs a runtime that knows Dict: the reference since 0.1.9.
 */
#ifndef TVM_FFI_CONTAINER_MAP_H_
#define TVM_FFI_CONTAINER_MAP_H_

#include <tvm/ffi/container/map_base.h>
#ifndef TVM_FFI_LEAN
#include <unordered_map>
#endif

TVM_FFI_NAMESPACE_BEGIN

/** The third parameter is void, like the second of Array. */
template <typename K, typename V, typename = void>
class Map : public detail::MapRef<K, V, true> {
 public:
  TVM_FFI_DETAIL_MAP_CONSTRUCTORS(Map, MapObj, true)

  TVM_FFI_LOCAL_INLINE void clear() { *this = Map(); }
  TVM_FFI_LOCAL_INLINE MapObj *CopyOnWrite() {
    detail::MapAccess::CopyOnWrite(&this->data_);
    return static_cast<MapObj *>(this->data_.get());
  }
};

TVM_FFI_DETAIL_MAP_TRAITS(Map, true);

/** The entries of both; where both have a key, that of rhs. */
template <typename K, typename V>
TVM_FFI_LOCAL Map<K, V> Merge(Map<K, V> lhs, const Map<K, V> &rhs) {
  for (const std::pair<K, V> &entry : rhs) lhs.Set(entry.first, entry.second);
  return lhs;
}

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_MAP_H_
