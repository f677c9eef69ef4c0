/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/dict.h
 * Dicts: maps that are changed in place, visible to all holders.
 */
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/container/map_base.h>
#ifndef TVM_FFI_LEAN
#include <unordered_map>
#endif

TVM_FFI_NAMESPACE_BEGIN

/** The third parameter is void, like the second of Array. */
template <typename K, typename V, typename = void>
class Dict : public detail::MapRef<K, V, false> {
 public:
  TVM_FFI_DETAIL_MAP_CONSTRUCTORS(Dict, DictObj, false)

  TVM_FFI_LOCAL_INLINE void clear() {
    if (this->defined()) detail::CallGlobal(detail::GlobalDictClear(), *this);
  }
};

TVM_FFI_DETAIL_MAP_TRAITS(Dict, false);

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_DICT_H_
