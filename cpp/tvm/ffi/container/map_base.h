/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/map_base.h
 * What Map and Dict share. They are read directly in memory, and changed there as long as there is
 * room (detail/map_table.h). The runtime makes and grows the objects: a map that must grow, or move
 * entries of one chain out of the way of another, is passed to the function that sets an item of a
 * Dict. So is an unshared Map: it has the same layout, and its type index is Dict's during the
 * call.
 */
#ifndef TVM_FFI_CONTAINER_MAP_BASE_H_
#define TVM_FFI_CONTAINER_MAP_BASE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/detail/map_object.h>
#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(Map, "ffi.Map")
TVM_FFI_DETAIL_GLOBAL(Dict, "ffi.Dict")
TVM_FFI_DETAIL_GLOBAL(DictSetItem, "ffi.DictSetItem")
TVM_FFI_DETAIL_GLOBAL(DictClear, "ffi.DictClear")

/** The text of the KeyError. */
TVM_FFI_LOCAL inline constexpr char kNoKey[] = "key is not in Map";

/** Operations on the object of a Map or Dict that do not depend on the key and value types. */
struct MapAccess {
  TVM_FFI_LOCAL_INLINE static MapTable *TableOf(const ObjectPtr<Object> &data) {
    return MapTable::Of(ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(data));
  }
  TVM_FFI_LOCAL_INLINE static const MapBaseObj *ObjectOf(const TVMFFIAny *map) {
    return ObjectUnsafe::RawObjectPtrFromUnowned<const MapBaseObj>(map->v_obj);
  }
  TVM_FFI_LOCAL static ObjectPtr<Object> New(bool map, const AnyView *items, int32_t num_items) {
    TVMFFIAny made = AnyUnsafe::MoveAnyToTVMFFIAny(
        CallHandle(map ? GlobalMap() : GlobalDict(), items, num_items));
    return ObjectUnsafe::ObjectPtrFromOwned<Object>(made.v_obj);
  }
  /** [lend] The value of a key, or NULL. */
  TVM_FFI_LOCAL static const Any *Find(const ObjectPtr<Object> &data, const TVMFFIAny *key) {
    const MapTable *table = TableOf(data);
    const uint64_t slot = table == nullptr ? 0 : table->FindSlot(key);
    if (table == nullptr || slot == table->End()) return nullptr;
    return &table->EntryAt(slot)->second;
  }
  /** Errors: KeyError. */
  TVM_FFI_LOCAL static const Any &At(const ObjectPtr<Object> &data, const TVMFFIAny *key) {
    const Any *found = Find(data, key);
    if (found == nullptr) Throw("KeyError", kNoKey);
    return *found;
  }
  /** Keys and values alternately, in the order of the map. */
  TVM_FFI_LOCAL static Array<Any> Items(const MapBaseObj *map) {
    Array<Any> items;
    items.reserve(2 * static_cast<int64_t>(map->size()));
    for (const MapBaseObj::KVType &entry : *map) {
      items.push_back(entry.first);
      items.push_back(entry.second);
    }
    return items;
  }
  TVM_FFI_LOCAL static ObjectPtr<Object> CopyOf(const MapTable *source) {
    ObjectPtr<Object> made = New(true, nullptr, 0);
    if (source != nullptr) TableOf(made)->CopyFrom(source);
    return made;
  }
  /** Makes a Map unshared, by copying it if needed. */
  TVM_FFI_LOCAL_INLINE static void CopyOnWrite(ObjectPtr<Object> *data) {
    if (!data->unique()) *data = CopyOf(TableOf(*data));
  }

  /** Sets the type index of an unshared Map to Dict, until it is destroyed. */
  class AsDict {
   public:
    TVM_FFI_LOCAL explicit AsDict(TVMFFIObject *map) : header_(map), type_index_(map->type_index) {
      header_->type_index = kTVMFFIDict;
    }
    TVM_FFI_LOCAL ~AsDict() { header_->type_index = type_index_; }
    AsDict(const AsDict &) = delete;
    AsDict &operator=(const AsDict &) = delete;

   private:
    TVMFFIObject *header_;
    int32_t type_index_;
  };
  TVM_FFI_LOCAL_COLD static void SetByRuntime(MapTable *table, const TVMFFIAny *key,
                                              const Any &value) {
    const AsDict as_dict(&table->header);
    CallGlobal(GlobalDictSetItem(),
               ObjectUnsafe::RawObjectPtrFromUnowned<const Object>(&table->header),
               AnyView::CopyFromTVMFFIAny(*key), value);
  }
  TVM_FFI_LOCAL static void Set(ObjectPtr<Object> *data, bool map, const TVMFFIAny *key,
                                Any value) {
    if (*data == nullptr) *data = New(map, nullptr, 0);
    if (map) CopyOnWrite(data);
    MapTable *table = TableOf(*data);
    if (TVM_FFI_PREDICT_FALSE(!table->TrySet(key, &value))) SetByRuntime(table, key, value);
  }
  TVM_FFI_LOCAL static void Erase(ObjectPtr<Object> *data, bool map, const TVMFFIAny *key) {
    if (*data == nullptr) return;
    if (map) CopyOnWrite(data);
    TableOf(*data)->Erase(key);
  }
};

/**
 * A key in the form that it is stored in: borrowed if a view has that form already, otherwise a
 * value of its own.
 */
template <typename K, typename = void>
class MapKey {
 public:
  TVM_FFI_LOCAL_INLINE explicit MapKey(const K &key) : own_(key) {}
  TVM_FFI_LOCAL_INLINE ~MapKey() = default;
  TVM_FFI_LOCAL_INLINE const TVMFFIAny *get() const { return AnyUnsafe::TVMFFIAnyPtrFromAny(own_); }

 private:
  Any own_;
};
template <>
class MapKey<Any> {
 public:
  TVM_FFI_LOCAL_INLINE explicit MapKey(const Any &key) : key_(&key) {}
  TVM_FFI_LOCAL_INLINE const TVMFFIAny *get() const {
    return AnyUnsafe::TVMFFIAnyPtrFromAny(*key_);
  }

 private:
  const Any *key_;
};
template <typename K>
class MapKey<K, std::enable_if_t<std::is_arithmetic_v<K> || std::is_enum_v<K> ||
                                 std::is_base_of_v<ObjectRef, K> || std::is_same_v<K, String> ||
                                 std::is_same_v<K, Bytes>>> {
 public:
  TVM_FFI_LOCAL_INLINE explicit MapKey(const K &key) : view_(key) {}
  TVM_FFI_LOCAL_INLINE const TVMFFIAny *get() const { return AnyUnsafe::Data(view_); }

 private:
  AnyView view_;
};

/** Iterates over the entries in memory; gives pairs by value. Keeps nothing alive. */
template <typename K, typename V>
class MapIterator {
 public:
  using value_type = const std::pair<K, V>;
  using difference_type = std::ptrdiff_t;
  using reference = const std::pair<K, V>;
  using pointer = const std::pair<K, V> *;
  using iterator_category = std::bidirectional_iterator_tag;

  TVM_FFI_LOCAL_INLINE MapIterator() = default;
  TVM_FFI_LOCAL_INLINE explicit MapIterator(MapBaseObj::iterator position) : at_(position) {}
  TVM_FFI_LOCAL_INLINE const std::pair<K, V> operator*() const {
    const MapBaseObj::KVType &entry = *at_;
    return std::pair<K, V>(AnyUnsafe::CopyFromAnyViewAfterCheck<K>(entry.first),
                           AnyUnsafe::CopyFromAnyViewAfterCheck<V>(entry.second));
  }
  /** Pairs are made when read, so there is none to point to. */
  pointer operator->() const = delete;
  TVM_FFI_LOCAL_INLINE MapIterator &operator++() { return ++at_, *this; }
  TVM_FFI_LOCAL_INLINE MapIterator operator++(int) { return MapIterator(at_++); }
  TVM_FFI_LOCAL_INLINE MapIterator &operator--() { return --at_, *this; }
  TVM_FFI_LOCAL_INLINE MapIterator operator--(int) { return MapIterator(at_--); }
  TVM_FFI_LOCAL_INLINE bool operator==(const MapIterator &other) const { return at_ == other.at_; }
  TVM_FFI_LOCAL_INLINE bool operator!=(const MapIterator &other) const { return at_ != other.at_; }

 private:
  MapBaseObj::iterator at_;
};

/** Map<K, V> and Dict<K, V> except for constructors and copies. */
template <typename K, typename V, bool kIsMap>
class MapRef : public ObjectRef {
  static_assert(storage_enabled_v<K> && storage_enabled_v<V>,
                "keys and values of this type cannot be stored: " TVM_FFI_DETAIL_STORE_INSTEAD);

 public:
  using key_type = K;
  using mapped_type = V;
  using iterator = MapIterator<K, V>;
  using const_iterator = iterator;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;

  /** The value of a key. Errors: KeyError. */
  TVM_FFI_LOCAL V at(const K &key) const {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<V>(MapAccess::At(data_, MapKey<K>(key).get()));
  }
  /** As at(), but returns the error. */
  TVM_FFI_LOCAL Expected<V> at_expected(const K &key) const {
    const Any *found = MapAccess::Find(data_, MapKey<K>(key).get());
    if (found == nullptr) return MakePlainError("KeyError", detail::kNoKey);
    return AnyUnsafe::CopyFromAnyViewAfterCheck<V>(*found);
  }
  /** As at(); a key is not added. */
  TVM_FFI_LOCAL V operator[](const K &key) const { return at(key); }
  TVM_FFI_LOCAL_INLINE size_t size() const { return data_ == nullptr ? 0 : GetMapObj()->size(); }
  TVM_FFI_LOCAL_INLINE bool empty() const { return size() == 0; }
  /** 1 if the key exists, otherwise 0. */
  TVM_FFI_LOCAL size_t count(const K &key) const { return find(key) != end() ? 1 : 0; }
  /** The value of a key, or nothing. */
  TVM_FFI_LOCAL std::optional<V> Get(const K &key) const {
    if (data_ == nullptr) return std::nullopt;
    const MapBaseObj::iterator found = FindAt(key);
    if (found == GetMapObj()->end()) return std::nullopt;
    return AnyUnsafe::CopyFromAnyViewAfterCheck<V>(found->second);
  }
  TVM_FFI_LOCAL void Set(const K &key, const V &value) {
    MapAccess::Set(&data_, kIsMap, MapKey<K>(key).get(), Any(value));
  }
  /** A key that is missing is ignored. */
  TVM_FFI_LOCAL void erase(const K &key) { MapAccess::Erase(&data_, kIsMap, MapKey<K>(key).get()); }
  TVM_FFI_LOCAL_INLINE iterator begin() const {
    return data_ == nullptr ? iterator() : iterator(GetMapObj()->begin());
  }
  TVM_FFI_LOCAL_INLINE iterator end() const {
    return data_ == nullptr ? iterator() : iterator(GetMapObj()->end());
  }
  TVM_FFI_LOCAL_INLINE iterator find(const K &key) const {
    return data_ == nullptr ? iterator() : iterator(FindAt(key));
  }

 protected:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(MapRef)
  TVM_FFI_LOCAL MapRef() : ObjectRef(MapAccess::New(kIsMap, nullptr, 0)) {}
  TVM_FFI_LOCAL explicit MapRef(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {
    if (data_ == nullptr) Throw("InternalError", "a map is never null");
  }
  TVM_FFI_LOCAL_INLINE explicit MapRef(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_LOCAL_INLINE explicit MapRef(ObjectRef other, int) : ObjectRef(std::move(other)) {}
  /** @param count A hint: the number of entries, or 0. */
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void Fill(Iterator first, Iterator last, size_t count) {
    if (count >= MapTable::kMaxSmallSlots) MapAccess::TableOf(data_)->Reserve(count);
    for (; first != last; ++first) SetEntry(*first);
  }
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void Fill(Iterator first, Iterator last) {
    if constexpr (std::is_base_of_v<std::random_access_iterator_tag, CategoryOf<Iterator>>) {
      Fill(first, last, static_cast<size_t>(last - first));
    } else {
      Fill(first, last, 0);
    }
  }

 private:
  template <typename Iterator>
  using CategoryOf = typename std::iterator_traits<Iterator>::iterator_category;

  TVM_FFI_LOCAL_INLINE MapBaseObj *GetMapObj() const {
    return static_cast<MapBaseObj *>(data_.get());
  }
  TVM_FFI_LOCAL_INLINE MapBaseObj::iterator FindAt(const K &key) const {
    const MapKey<K> stored(key);
    return GetMapObj()->find(*reinterpret_cast<const Any *>(stored.get()));
  }
  template <typename Entry>
  TVM_FFI_LOCAL_INLINE void SetEntry(const Entry &entry) {
    if constexpr (std::is_same_v<Entry, std::pair<K, V>>) {
      Set(entry.first, entry.second);
    } else {
      Set(K(entry.first), V(entry.second));
    }
  }
};

/** The traits of Map and Dict. */
template <typename Self, bool kIsMap>
struct MapTraits : OwnRefTraits<Self> {
  using K = typename Self::key_type;
  using V = typename Self::mapped_type;
  TVM_FFI_LOCAL static constexpr bool text_is_constant =
      HasConstantText<K>() && HasConstantText<V>();
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == (kIsMap ? kTVMFFIMap : kTVMFFIDict) && AllStrictItems(source);
  }
  TVM_FFI_LOCAL static int Read(const TVMFFIAny *source, Self *out) {
    if (source->type_index != kTVMFFIMap && source->type_index != kTVMFFIDict) {
      return kReadMismatch;
    }
    if (CheckAnyStrict(source)) {
      ObjectUnsafe::SetUnowned(out, source->v_obj);
      return kReadOk;
    }
    const Array<Any> items = MapAccess::Items(MapAccess::ObjectOf(source));
    Self made;
    for (const Any *item = items.GetArrayObj()->begin(); item != items.GetArrayObj()->end();
         item += 2) {
      Reader<K> key;
      Reader<V> value;
      int status = key.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(item[0]));
      if (status == kReadOk) status = value.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(item[1]));
      if (status != kReadOk) return status;
      made.Set(key.Take(), value.Take());
    }
    *out = std::move(made);
    return kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    PutTypeStrOf<K, V>(sink, kIsMap ? "Map" : "Dict");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    PutSchemaOf<K, V>(sink, kIsMap ? "ffi.Map" : "ffi.Dict");
  }
  TVM_FFI_LOCAL static void PutGot(Text &text, const TVMFFIAny *source) {
    if (source->type_index == kTVMFFIMap || source->type_index == kTVMFFIDict) {
      const Array<Any> items = MapAccess::Items(MapAccess::ObjectOf(source));
      const char *name = kIsMap ? "Map" : "Dict";
      for (const Any *item = items.GetArrayObj()->begin(); item != items.GetArrayObj()->end();
           item += 2) {
        if (PutItemGot<K>(text, name, "[some key is ", ", V]", item[0]) ||
            PutItemGot<V>(text, name, "[K, some value is ", "]", item[1])) {
          return;
        }
      }
    }
    text.Put(TypeKeyOf(source->type_index));
  }

 private:
  /* Reads directly in memory: the check runs no code that could change the map. */
  TVM_FFI_LOCAL static bool AllStrictItems([[maybe_unused]] const TVMFFIAny *source) {
    if constexpr (!std::is_same_v<K, Any> || !std::is_same_v<V, Any>) {
      for (const MapBaseObj::KVType &entry : *MapAccess::ObjectOf(source)) {
        if (!AnyUnsafe::CheckAnyStrict<K>(entry.first) ||
            !AnyUnsafe::CheckAnyStrict<V>(entry.second)) {
          return false;
        }
      }
    }
    return true;
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static bool PutItemGot(Text &text, const char *name, const char *before,
                                              const char *after, const Any &item) {
    Reader<T> reader;
    if (reader.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(item)) == kReadOk) return false;
    text.Put(name);
    text.Put(before);
    PutGotOf<T>(text, AnyUnsafe::TVMFFIAnyPtrFromAny(item));
    text.Put(after);
    return true;
  }
};

}  // namespace detail

TVM_FFI_LOCAL inline void MapBaseObj::clear() {
  const ObjectPtr<Object> self = GetObjectPtr<Object>(this);
  const detail::MapAccess::AsDict as_dict(&table()->header);
  detail::CallGlobal(detail::GlobalDictClear(), self.get());
}
TVM_FFI_LOCAL inline MapBaseObj::iterator MapBaseObj::Require(const Any &key) const {
  const iterator found = find(key);
  if (found == end()) detail::Throw("KeyError", detail::kNoKey);
  return found;
}
TVM_FFI_LOCAL inline ObjectPtr<Object> MapObj::ShallowCopy(const MapObj *source) {
  return detail::MapAccess::CopyOf(source->table());
}

TVM_FFI_NAMESPACE_END

/** @cond internal */
/* The constructors of Map and of Dict. If they were inherited, the symbols that the compiler makes
 * for that would be exported, whatever attributes they have in the base. */
#define TVM_FFI_DETAIL_MAP_CONSTRUCTORS(Self, Obj, kIsMap)                                         \
  using ContainerType = Obj;                                                                       \
  TVM_FFI_LOCAL_INLINE Self() = default;                                                           \
  TVM_FFI_LOCAL_INLINE explicit Self(UnsafeInit tag) : detail::MapRef<K, V, kIsMap>(tag) {}        \
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Self)                                                             \
  template <typename K2, typename V2,                                                              \
            typename = std::enable_if_t<!std::is_same_v<Self<K2, V2>, Self> &&                     \
                                        type_subsumes_v<K, K2> && type_subsumes_v<V, V2>>>         \
  TVM_FFI_LOCAL_INLINE Self(const Self<K2, V2> &other) : detail::MapRef<K, V, kIsMap>(other, 0) {} \
  template <typename K2, typename V2,                                                              \
            typename = std::enable_if_t<!std::is_same_v<Self<K2, V2>, Self> &&                     \
                                        type_subsumes_v<K, K2> && type_subsumes_v<V, V2>>>         \
  TVM_FFI_LOCAL_INLINE Self(Self<K2, V2> &&other)                                                  \
      : detail::MapRef<K, V, kIsMap>(std::move(other), 0) {}                                       \
  TVM_FFI_LOCAL_INLINE explicit Self(ObjectPtr<Object> data)                                       \
      : detail::MapRef<K, V, kIsMap>(std::move(data)) {}                                           \
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>                   \
  TVM_FFI_LOCAL_INLINE Self(Iterator first, Iterator last) {                                       \
    this->Fill(first, last);                                                                       \
  }                                                                                                \
  TVM_FFI_LOCAL_INLINE Self(std::initializer_list<std::pair<K, V>> entries) {                      \
    this->Fill(entries.begin(), entries.end(), entries.size());                                    \
  }                                                                                                \
  /* From a std::unordered_map<K, V>, or any other sized range of such pairs. */                   \
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,             \
            typename = std::enable_if_t<std::is_same_v<typename C::key_type, K> &&                 \
                                        std::is_same_v<typename C::mapped_type, V>>>               \
  TVM_FFI_LOCAL_INLINE Self(const C &entries) {                                                    \
    this->Fill(entries.begin(), entries.end(), entries.size());                                    \
  }

/* The traits of both as values. */
#define TVM_FFI_DETAIL_MAP_TRAITS(Self, kIsMap)                                                  \
  template <typename K, typename V>                                                              \
  TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Self<K, V>> = false;             \
  template <typename K, typename V, typename K2, typename V2>                                    \
  struct detail::Subsumes<Self<K, V>, Self<K2, V2>>                                              \
      : std::bool_constant<detail::Subsumes<K, K2>::value && detail::Subsumes<V, V2>::value> {}; \
  template <typename K, typename V>                                                              \
  struct TypeTraits<Self<K, V>> : detail::MapTraits<Self<K, V>, kIsMap> {}
/** @endcond */

#endif  // TVM_FFI_CONTAINER_MAP_BASE_H_
