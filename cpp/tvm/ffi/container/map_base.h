/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/map_base.h
 * What Map and Dict have in common. Both are probed by the runtime only, through its functions; a
 * Map that nobody else has is changed as the Dict it is laid out as.
 */
#ifndef TVM_FFI_CONTAINER_MAP_BASE_H_
#define TVM_FFI_CONTAINER_MAP_BASE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/detail/map_object.h>
#include <tvm/ffi/function.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(Map, "ffi.Map")
TVM_FFI_DETAIL_GLOBAL(MapSize, "ffi.MapSize")
TVM_FFI_DETAIL_GLOBAL(MapCount, "ffi.MapCount")
TVM_FFI_DETAIL_GLOBAL(MapGetItem, "ffi.MapGetItem")
TVM_FFI_DETAIL_GLOBAL(MapIter, "ffi.MapForwardIterFunctor")
TVM_FFI_DETAIL_GLOBAL(Dict, "ffi.Dict")
TVM_FFI_DETAIL_GLOBAL(DictSize, "ffi.DictSize")
TVM_FFI_DETAIL_GLOBAL(DictCount, "ffi.DictCount")
TVM_FFI_DETAIL_GLOBAL(DictGetItem, "ffi.DictGetItem")
TVM_FFI_DETAIL_GLOBAL(DictSetItem, "ffi.DictSetItem")
TVM_FFI_DETAIL_GLOBAL(DictErase, "ffi.DictErase")
TVM_FFI_DETAIL_GLOBAL(DictClear, "ffi.DictClear")
TVM_FFI_DETAIL_GLOBAL(DictIter, "ffi.DictForwardIterFunctor")

/** A Map or Dict by its object; all that its templates share. */
struct MapAccess {
  TVM_FFI_LOCAL static bool IsMap(const ObjectRef &map) { return map.type_index() == kTVMFFIMap; }
  TVM_FFI_LOCAL static ObjectPtr<Object> New(bool map, const AnyView *items, int32_t num_items) {
    TVMFFIAny made = AnyUnsafe::MoveAnyToTVMFFIAny(
        CallHandle(map ? GlobalMap() : GlobalDict(), items, num_items));
    return ObjectUnsafe::ObjectPtrFromOwned<Object>(made.v_obj);
  }
  TVM_FFI_LOCAL static int64_t Size(const ObjectRef &map) {
    if (!map.defined()) return 0;
    return CallGlobal(IsMap(map) ? GlobalMapSize() : GlobalDictSize(), map).cast<int64_t>();
  }
  TVM_FFI_LOCAL static bool Has(const ObjectRef &map, const AnyView &key) {
    if (!map.defined()) return false;
    return CallGlobal(IsMap(map) ? GlobalMapCount() : GlobalDictCount(), map, key)
               .cast<int64_t>() != 0;
  }
  /** Errors: KeyError. */
  TVM_FFI_LOCAL static Any At(const ObjectRef &map, const AnyView &key) {
    if (!map.defined()) Throw("KeyError", "key is not in Map");
    return CallGlobal(IsMap(map) ? GlobalMapGetItem() : GlobalDictGetItem(), map, key);
  }
  /** Keys and values in turn, in the order of the map. */
  TVM_FFI_LOCAL static Array<Any> Items(const ObjectRef &map) {
    Array<Any> items;
    const int64_t size = Size(map);
    items.reserve(2 * size);
    if (size == 0) return items;
    const Function next =
        CallGlobal(IsMap(map) ? GlobalMapIter() : GlobalDictIter(), map).cast<Function>();
    for (int64_t i = 0; i < size; ++i) {
      items.push_back(next(0));
      items.push_back(next(1));
      next(2);
    }
    return items;
  }
  /** A Map of keys and values in turn. Errors: ValueError (more than a call can pass), memory. */
  TVM_FFI_LOCAL static ObjectPtr<Object> NewMapOf(const Array<Any> &items) {
    if (items.size() > INT32_MAX) Throw("ValueError", "a Map of this size cannot be made");
    return New(true, reinterpret_cast<const AnyView *>(items.GetArrayObj()->begin()),
               static_cast<int32_t>(items.size()));
  }
  /** Makes a Map one that nobody else has. */
  TVM_FFI_LOCAL static void CopyOnWrite(ObjectPtr<Object> *data) {
    if (data->unique()) return;
    *data = NewMapOf(Items(ObjectRef(*data)));
  }

  /** While it lives, a Map that nobody else has says that it is a Dict. */
  class AsDict {
   public:
    TVM_FFI_LOCAL explicit AsDict(const ObjectPtr<Object> &data)
        : header_(ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(data)),
          type_index_(header_->type_index) {
      header_->type_index = kTVMFFIDict;
    }
    TVM_FFI_LOCAL ~AsDict() { header_->type_index = type_index_; }
    AsDict(const AsDict &) = delete;
    AsDict &operator=(const AsDict &) = delete;

   private:
    TVMFFIObject *header_;
    int32_t type_index_;
  };
  TVM_FFI_LOCAL static void Set(ObjectPtr<Object> *data, bool map, const AnyView &key,
                                const AnyView &value) {
    if (*data == nullptr) *data = New(map, nullptr, 0);
    if (map) CopyOnWrite(data);
    const AsDict as_dict(*data);
    CallGlobal(GlobalDictSetItem(),
               ObjectUnsafe::RawObjectPtrFromUnowned<const Object>(
                   ObjectUnsafe::TVMFFIObjectPtrFromObjectPtr(*data)),
               key, value);
  }
  TVM_FFI_LOCAL static void Erase(ObjectPtr<Object> *data, bool map, const AnyView &key) {
    if (*data == nullptr) return;
    if (map) CopyOnWrite(data);
    const AsDict as_dict(*data);
    CallGlobal(GlobalDictErase(), data->get(), key);
  }
};

/** Runs through what a map held when the run began; gives pairs by value. */
template <typename K, typename V>
class MapIterator {
 public:
  using value_type = std::pair<K, V>;
  using difference_type = std::ptrdiff_t;
  using reference = const std::pair<K, V>;
  using pointer = const std::pair<K, V> *;
  using iterator_category = std::bidirectional_iterator_tag;

  TVM_FFI_DETAIL_DEFAULT_MEMBERS(MapIterator)
  TVM_FFI_LOCAL_INLINE MapIterator() : items_(UnsafeInit{}), at_(0) {}
  TVM_FFI_LOCAL_INLINE MapIterator(Array<Any> items, int64_t at)
      : items_(static_cast<Array<Any> &&>(items)), at_(at) {}
  TVM_FFI_LOCAL_INLINE std::pair<K, V> operator*() const {
    const Any *item = items_.GetArrayObj()->begin() + 2 * at_;
    return std::pair<K, V>(AnyUnsafe::CopyFromAnyViewAfterCheck<K>(item[0]),
                           AnyUnsafe::CopyFromAnyViewAfterCheck<V>(item[1]));
  }
  TVM_FFI_LOCAL_INLINE MapIterator &operator++() { return ++at_, *this; }
  TVM_FFI_LOCAL_INLINE MapIterator operator++(int) {
    MapIterator old = *this;
    ++at_;
    return old;
  }
  TVM_FFI_LOCAL_INLINE MapIterator &operator--() { return --at_, *this; }
  TVM_FFI_LOCAL_INLINE MapIterator operator--(int) {
    MapIterator old = *this;
    --at_;
    return old;
  }
  TVM_FFI_LOCAL_INLINE bool operator==(const MapIterator &other) const { return at_ == other.at_; }
  TVM_FFI_LOCAL_INLINE bool operator!=(const MapIterator &other) const { return at_ != other.at_; }

 private:
  Array<Any> items_;
  int64_t at_;
};

/** What Map<K, V> and Dict<K, V> are but for constructors and copies. */
template <typename K, typename V, bool kIsMap>
class MapRef : public ObjectRef {
  static_assert(storage_enabled_v<K> && storage_enabled_v<V>,
                "keys and values of this type cannot be stored");

 public:
  using key_type = K;
  using mapped_type = V;
  using iterator = MapIterator<K, V>;
  using const_iterator = iterator;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;

  TVM_FFI_LOCAL V at(const K &key) const {
    return AnyUnsafe::MoveFromAnyAfterCheck<V>(MapAccess::At(*this, Any(key)));
  }
  TVM_FFI_LOCAL V operator[](const K &key) const { return at(key); }
  TVM_FFI_LOCAL size_t size() const { return static_cast<size_t>(MapAccess::Size(*this)); }
  TVM_FFI_LOCAL bool empty() const { return size() == 0; }
  TVM_FFI_LOCAL size_t count(const K &key) const { return MapAccess::Has(*this, Any(key)) ? 1 : 0; }
  TVM_FFI_LOCAL std::optional<V> Get(const K &key) const {
    const Any any_key(key);
    if (!MapAccess::Has(*this, any_key)) return std::nullopt;
    return AnyUnsafe::MoveFromAnyAfterCheck<V>(MapAccess::At(*this, any_key));
  }
  TVM_FFI_LOCAL void Set(const K &key, const V &value) {
    MapAccess::Set(&data_, kIsMap, Any(key), Any(value));
  }
  TVM_FFI_LOCAL void erase(const K &key) { MapAccess::Erase(&data_, kIsMap, Any(key)); }
  TVM_FFI_LOCAL iterator begin() const { return iterator(MapAccess::Items(*this), 0); }
  TVM_FFI_LOCAL iterator end() const {
    return iterator(Array<Any>(UnsafeInit{}), MapAccess::Size(*this));
  }
  TVM_FFI_LOCAL iterator find(const K &key) const {
    Array<Any> items = MapAccess::Items(*this);
    const Any any_key(key);
    int64_t at = 0;
    const int64_t size = static_cast<int64_t>(items.size() / 2);
    while (at < size && !AnyEqual()(items.GetArrayObj()->begin()[2 * at], any_key)) ++at;
    return iterator(std::move(items), at);
  }

 protected:
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(MapRef)
  TVM_FFI_LOCAL MapRef() : ObjectRef(MapAccess::New(kIsMap, nullptr, 0)) {}
  TVM_FFI_LOCAL explicit MapRef(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {
    if (data_ == nullptr) Throw("InternalError", "a map is never null");
  }
  TVM_FFI_LOCAL_INLINE explicit MapRef(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_LOCAL_INLINE explicit MapRef(const ObjectRef &other, int) : ObjectRef(other) {}
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void Fill(Iterator first, Iterator last) {
    for (; first != last; ++first) {
      const auto &entry = *first;
      Set(K(entry.first), V(entry.second));
    }
  }
};

/** The traits of both. */
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
    Array<Any> items = ItemsOf(source);
    Self made;
    for (const Any *item = items.GetArrayObj()->begin(); item != items.GetArrayObj()->end();
         item += 2) {
      Reader<K> key;
      Reader<V> value;
      int why = key.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(item[0]));
      if (why == kReadOk) why = value.Read(AnyUnsafe::TVMFFIAnyPtrFromAny(item[1]));
      if (why != kReadOk) return why;
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
      const Array<Any> items = ItemsOf(source);
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
  TVM_FFI_LOCAL static Array<Any> ItemsOf(const TVMFFIAny *source) {
    return MapAccess::Items(ObjectRef(ObjectUnsafe::ObjectPtrFromUnowned<Object>(source->v_obj)));
  }
  /* In memory: a check runs no code that could change the map. */
  TVM_FFI_LOCAL static bool AllStrictItems([[maybe_unused]] const TVMFFIAny *source) {
    if constexpr (!std::is_same_v<K, Any> || !std::is_same_v<V, Any>) {
      const auto *map = ObjectUnsafe::RawObjectPtrFromUnowned<const MapBaseObj>(source->v_obj);
      for (const MapBaseObj::KVType &entry : *map) {
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

TVM_FFI_LOCAL inline void MapBaseObj::erase(const Any &key) {
  ObjectPtr<Object> self = GetObjectPtr<Object>(this);
  detail::MapAccess::Erase(&self, false, key);
}
TVM_FFI_LOCAL inline void MapBaseObj::clear() {
  const ObjectPtr<Object> self = GetObjectPtr<Object>(this);
  const detail::MapAccess::AsDict as_dict(self);
  detail::CallGlobal(detail::GlobalDictClear(), self.get());
}
TVM_FFI_LOCAL inline ObjectPtr<Object> MapObj::ShallowCopy(const MapObj *from) {
  return detail::MapAccess::NewMapOf(detail::MapAccess::Items(GetRef<ObjectRef>(from)));
}

TVM_FFI_NAMESPACE_END

/** @cond internal */
/* The constructors of Map and of Dict. Were they inherited, the symbols that the compiler makes for
 * that would be exported whatever stands in front of them in the base. */
#define TVM_FFI_DETAIL_MAP_CONSTRUCTORS(Self, Obj, kIsMap)                                         \
  using ContainerType = Obj;                                                                       \
  TVM_FFI_LOCAL_INLINE Self() = default;                                                           \
  TVM_FFI_LOCAL_INLINE explicit Self(UnsafeInit tag) : detail::MapRef<K, V, kIsMap>(tag) {}        \
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Self)                                                             \
  template <typename K2, typename V2,                                                              \
            typename = std::enable_if_t<!std::is_same_v<Self<K2, V2>, Self> &&                     \
                                        type_subsumes_v<K, K2> && type_subsumes_v<V, V2>>>         \
  TVM_FFI_LOCAL_INLINE Self(const Self<K2, V2> &other) : detail::MapRef<K, V, kIsMap>(other, 0) {} \
  TVM_FFI_LOCAL_INLINE explicit Self(ObjectPtr<Object> data)                                       \
      : detail::MapRef<K, V, kIsMap>(std::move(data)) {}                                           \
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>                   \
  TVM_FFI_LOCAL_INLINE Self(Iterator first, Iterator last) {                                       \
    this->Fill(first, last);                                                                       \
  }                                                                                                \
  TVM_FFI_LOCAL_INLINE Self(std::initializer_list<std::pair<K, V>> entries) {                      \
    this->Fill(entries.begin(), entries.end());                                                    \
  }                                                                                                \
  /* From a std::unordered_map<K, V>, or anything else to run through that holds such pairs. */    \
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,             \
            typename = std::enable_if_t<std::is_same_v<typename C::key_type, K> &&                 \
                                        std::is_same_v<typename C::mapped_type, V>>>               \
  TVM_FFI_LOCAL_INLINE Self(const C &entries) {                                                    \
    this->Fill(entries.begin(), entries.end());                                                    \
  }

/* How both travel as values. */
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
