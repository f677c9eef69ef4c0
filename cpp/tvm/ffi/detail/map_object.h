/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/map_object.h
 * The objects of Map and Dict, as laid out in memory.
 */
#ifndef TVM_FFI_DETAIL_MAP_OBJECT_H_
#define TVM_FFI_DETAIL_MAP_OBJECT_H_

#include <tvm/ffi/detail/map_table.h>

TVM_FFI_NAMESPACE_BEGIN

class MapBaseObj : public Object {
 public:
  using key_type = Any;
  using mapped_type = Any;
  using KVType = detail::MapTable::KVType;

  /** Iterates over the entries themselves, in order of insertion; valid until the map changes. */
  class iterator {
   public:
    using value_type = KVType;
    using difference_type = int64_t;
    using reference = KVType &;
    using pointer = KVType *;
    using iterator_category = std::bidirectional_iterator_tag;

    TVM_FFI_LOCAL_INLINE iterator() = default;
    TVM_FFI_LOCAL_INLINE KVType *operator->() const { return map_->EntryAt(slot_); }
    TVM_FFI_LOCAL_INLINE KVType &operator*() const { return *map_->EntryAt(slot_); }
    TVM_FFI_LOCAL_INLINE iterator &operator++() {
      slot_ = map_->Next(slot_);
      return *this;
    }
    TVM_FFI_LOCAL iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    TVM_FFI_LOCAL_INLINE iterator &operator--() {
      slot_ = map_->Previous(slot_);
      return *this;
    }
    TVM_FFI_LOCAL iterator operator--(int) {
      iterator old = *this;
      --*this;
      return old;
    }
    TVM_FFI_LOCAL_INLINE bool operator==(const iterator &other) const {
      return slot_ == other.slot_;
    }
    TVM_FFI_LOCAL_INLINE bool operator!=(const iterator &other) const {
      return slot_ != other.slot_;
    }

   private:
    TVM_FFI_LOCAL_INLINE iterator(const detail::MapTable *map, uint64_t slot)
        : map_(map), slot_(slot) {}

    const detail::MapTable *map_ = nullptr;
    uint64_t slot_ = 0;

    friend class MapBaseObj;
  };

  /** Only the runtime makes these objects; Map and Dict have constructors. */
  MapBaseObj() = delete;

  TVM_FFI_LOCAL_INLINE size_t size() const { return static_cast<size_t>(table()->size); }
  TVM_FFI_LOCAL_INLINE iterator begin() const { return iterator(table(), table()->Begin()); }
  TVM_FFI_LOCAL_INLINE iterator end() const { return iterator(table(), table()->End()); }
  /** Errors, here and below: those of the hash and equality of the key's type. */
  TVM_FFI_LOCAL_INLINE iterator find(const Any &key) const {
    return iterator(table(), table()->FindSlot(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(key)));
  }
  TVM_FFI_LOCAL_INLINE size_t count(const Any &key) const { return find(key) != end() ? 1 : 0; }
  /** Errors: KeyError. */
  TVM_FFI_LOCAL const Any &at(const Any &key) const { return Require(key)->second; }
  TVM_FFI_LOCAL Any &at(const Any &key) { return Require(key)->second; }
  /** These change the map for everyone who holds it. */
  TVM_FFI_LOCAL_INLINE void erase(const Any &key) {
    table()->Erase(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(key));
  }
  TVM_FFI_LOCAL void erase(const iterator &position) { erase(Any(position->first)); }
  /** Defined in container/map_base.h. */
  TVM_FFI_LOCAL void clear();

 private:
  TVM_FFI_LOCAL_INLINE detail::MapTable *table() const {
    return detail::MapTable::Of(detail::ObjectUnsafe::GetHeader(this));
  }
  /** Defined in container/map_base.h. */
  TVM_FFI_LOCAL iterator Require(const Any &key) const;

 protected:
  /* Accessed only through MapTable: compilers assume that the two types do not alias. */
  void *data_;
  uint64_t size_;
  uint64_t slots_;
  void (*data_deleter_)(void *);

  friend class MapObj;
};

class MapObj : public MapBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIMap;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIMap, MapObj, Object);

  /** A map of the same entries. Defined in container/map_base.h. */
  TVM_FFI_LOCAL static ObjectPtr<Object> ShallowCopy(const MapObj *source);
};

class DictObj : public MapBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIDict;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIDict, DictObj, Object);
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_MAP_OBJECT_H_
