/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/map_object.h
 * The objects of Map and Dict: what stands in memory, and a walk through it. Nothing is probed
 * here: what has to find a key fast, or to change one, is the runtime's.
 */
#ifndef TVM_FFI_DETAIL_MAP_OBJECT_H_
#define TVM_FFI_DETAIL_MAP_OBJECT_H_

#include <tvm/ffi/any_hash.h>

TVM_FFI_NAMESPACE_BEGIN

class MapBaseObj : public Object {
 public:
  using key_type = Any;
  using mapped_type = Any;
  using KVType = std::pair<Any, Any>;

  /** Runs through the entries themselves: in order, until the map is changed. */
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
    TVM_FFI_LOCAL iterator &operator++() {
      slot_ = map_->IsDense() ? map_->LinksAt(slot_)[1] : slot_ + 1;
      return *this;
    }
    TVM_FFI_LOCAL iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    TVM_FFI_LOCAL iterator &operator--() {
      if (!map_->IsDense()) {
        --slot_;
      } else {
        slot_ = slot_ == kNoSlot ? map_->table()->last : map_->LinksAt(slot_)[0];
      }
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
    TVM_FFI_LOCAL_INLINE iterator(const MapBaseObj *map, uint64_t slot) : map_(map), slot_(slot) {}

    const MapBaseObj *map_ = nullptr;
    uint64_t slot_ = 0;

    friend class MapBaseObj;
  };

  /** The runtime makes them: Map and Dict have constructors. */
  MapBaseObj() = delete;

  TVM_FFI_LOCAL_INLINE size_t size() const { return static_cast<size_t>(size_); }
  TVM_FFI_LOCAL_INLINE iterator begin() const {
    return iterator(this, IsDense() ? table()->first : 0);
  }
  TVM_FFI_LOCAL_INLINE iterator end() const { return iterator(this, IsDense() ? kNoSlot : size_); }
  /** Walks; a reference to the map's own class asks the runtime. */
  TVM_FFI_LOCAL iterator find(const Any &key) const {
    iterator at = begin();
    while (at != end() && !AnyEqual()(at->first, key)) ++at;
    return at;
  }
  TVM_FFI_LOCAL size_t count(const Any &key) const { return find(key) != end() ? 1 : 0; }
  /** Errors: KeyError. */
  TVM_FFI_LOCAL const Any &at(const Any &key) const { return Find(key)->second; }
  TVM_FFI_LOCAL Any &at(const Any &key) { return Find(key)->second; }
  /** Change the map for all who have it. Defined in container/map_base.h. */
  TVM_FFI_LOCAL void erase(const Any &key);
  TVM_FFI_LOCAL void erase(const iterator &position) { erase(Any(position->first)); }
  TVM_FFI_LOCAL void clear();

 private:
  TVM_FFI_LOCAL static constexpr uint64_t kNoSlot = ~static_cast<uint64_t>(0);
  TVM_FFI_LOCAL static constexpr uint64_t kSmallBit = static_cast<uint64_t>(1) << 63;
  /** Slots of a dense map stand in blocks: so many bytes about them, then so many entries. */
  TVM_FFI_LOCAL static constexpr uint64_t kBlockSlots = 16;

  struct Item {
    Any entry[2];
    uint64_t links[2];
  };
  struct Block {
    uint8_t about[kBlockSlots];
    Item items[kBlockSlots];
  };
  /** The whole of a dense map. */
  struct Table {
    TVMFFIObject header;
    void *data;
    uint64_t size, slots;
    void (*data_deleter)(void *);
    uint32_t shift;
    uint64_t first, last;
  };

  TVM_FFI_LOCAL_INLINE bool IsDense() const { return (slots_ & kSmallBit) == 0; }
  TVM_FFI_LOCAL_INLINE const Table *table() const {
    return reinterpret_cast<const Table *>(detail::ObjectUnsafe::GetHeader(this));
  }
  TVM_FFI_LOCAL_INLINE Item *ItemAt(uint64_t slot) const {
    return static_cast<Block *>(data_)[slot / kBlockSlots].items + slot % kBlockSlots;
  }
  TVM_FFI_LOCAL_INLINE const uint64_t *LinksAt(uint64_t slot) const { return ItemAt(slot)->links; }
  TVM_FFI_LOCAL_INLINE KVType *EntryAt(uint64_t slot) const {
    static_assert(sizeof(KVType) == 2 * sizeof(Any), "a pair of values has no padding");
    return IsDense() ? reinterpret_cast<KVType *>(ItemAt(slot)->entry)
                     : static_cast<KVType *>(data_) + slot;
  }
  TVM_FFI_LOCAL iterator Find(const Any &key) const {
    const iterator at = find(key);
    if (at == end()) detail::Throw("KeyError", "key is not in Map");
    return at;
  }

 protected:
  void *data_;
  uint64_t size_;
  uint64_t slots_;
  void (*data_deleter_)(void *);
};

class MapObj : public MapBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIMap;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIMap, MapObj, Object);

  /** A map of the same entries. Defined in container/map_base.h. */
  TVM_FFI_LOCAL static ObjectPtr<Object> ShallowCopy(const MapObj *from);
};

class DictObj : public MapBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIDict;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIDict, DictObj, Object);
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_MAP_OBJECT_H_
