/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/list.h
 * Lists: sequences that are changed in place, visible to all holders.
 *
 * The runtime makes the object; elements are read and changed directly in memory, in a block of the
 * C library's, so that a list may outlive the library that made it.
 *
 * Threads: same object; all holders of a list share it. Functions that add elements, such as
 * push_back, reserve and insert, may move the present ones and so invalidate iterators.
 */
#ifndef TVM_FFI_CONTAINER_LIST_H_
#define TVM_FFI_CONTAINER_LIST_H_

#include <tvm/ffi/container/array.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(List, "ffi.List")

}  // namespace detail

class ListObj : public SeqBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIList;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIList, ListObj, Object);

  /**
   * May move the elements: begin(), end() and earlier iterators are then invalid.
   * Errors: MemoryError, with nothing changed.
   */
  TVM_FFI_LOCAL_INLINE void Append(Any value) {
    EnsureRoom(1);
    AppendInRoom(std::move(value));
  }
  TVM_FFI_LOCAL void AppendAll(const SeqBaseObj &source) {
    ReserveMore(static_cast<int64_t>(source.size()));
    AppendAllInRoom(source);
  }
  /** Makes room for n elements, if there is less. May move them, as Append. */
  TVM_FFI_LOCAL void Reserve(int64_t n) { EnsureCapacity(n); }
  /** The same for num more elements, and for some that may follow. */
  TVM_FFI_LOCAL void ReserveMore(int64_t num) { EnsureRoom(num); }
  /** Errors: ValueError (n < 0), memory. */
  TVM_FFI_LOCAL static ObjectPtr<ListObj> CreateRepeated(int64_t n, const Any &value);

 private:
  template <typename, typename>
  friend class List;
};

template <>
TVM_FFI_LOCAL inline ObjectPtr<ListObj> make_object<ListObj>() {
  TVMFFIAny made =
      detail::AnyUnsafe::MoveAnyToTVMFFIAny(detail::CallHandle(detail::GlobalList(), nullptr, 0));
  return detail::ObjectUnsafe::ObjectPtrFromOwned<ListObj>(made.v_obj);
}

TVM_FFI_LOCAL inline ObjectPtr<ListObj> ListObj::CreateRepeated(int64_t n, const Any &value) {
  if (n < 0) detail::Throw("ValueError", "cannot resize a List to negative size");
  ObjectPtr<ListObj> list = make_object<ListObj>();
  list->Reserve(n);
  while (n-- > 0) list->AppendInRoom(Any(value));
  return list;
}

/** The second parameter is void, like Array's. */
template <typename T, typename = void>
class List : public ObjectRef {
  static_assert(detail::storage_enabled_v<T>,
                "elements of this type cannot be stored: " TVM_FFI_DETAIL_STORE_INSTEAD);

 public:
  using ContainerType = ListObj;
  using value_type = T;
  using iterator = detail::SeqIterator<T>;
  using const_iterator = iterator;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;

  TVM_FFI_LOCAL List() : ObjectRef(make_object<ListObj>()) {}
  TVM_FFI_LOCAL_INLINE explicit List(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(List)
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  TVM_FFI_LOCAL_INLINE List(const List<U> &other) : ObjectRef(other) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  TVM_FFI_LOCAL_INLINE List(List<U> &&other) : ObjectRef(std::move(other)) {}
  TVM_FFI_LOCAL explicit List(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {
    if (data_ == nullptr) detail::Throw("InternalError", "a List is never null");
  }
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>
  TVM_FFI_LOCAL_INLINE List(Iterator first, Iterator last) : List() {
    ListObj *list = GetListObj();
    list->Reserve(detail::CapacityFor(first, last));
    list->template FillFrom<T>(std::move(first), std::move(last));
  }
  TVM_FFI_LOCAL List(std::initializer_list<T> items) : List(items.begin(), items.end()) {}
  /** From a std::vector<T>, or any other range of T. */
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,
            typename = std::enable_if_t<std::is_same_v<typename C::value_type, T>>,
            typename = decltype(std::declval<const C &>().begin())>
  TVM_FFI_LOCAL_INLINE List(const C &items) : List(items.begin(), items.end()) {}
  TVM_FFI_LOCAL explicit List(size_t n, const T &value)
      : ObjectRef(ListObj::CreateRepeated(static_cast<int64_t>(n), Any(value))) {}

  TVM_FFI_LOCAL_INLINE size_t size() const { return data_ == nullptr ? 0 : GetListObj()->size(); }
  TVM_FFI_LOCAL_INLINE size_t capacity() const {
    return data_ == nullptr ? 0 : GetListObj()->capacity();
  }
  TVM_FFI_LOCAL_INLINE bool empty() const { return size() == 0; }
  /** Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE T operator[](int64_t i) const {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(Require()->at(i));
  }
  /** As operator[], but returns the error. */
  TVM_FFI_LOCAL Expected<T> at_expected(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(data_ == nullptr)) {
      return detail::MakePlainError("IndexError", "cannot index a null list");
    }
    return GetListObj()->template ReadExpected<T>(i);
  }
  TVM_FFI_LOCAL T front() const {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(Require()->front());
  }
  TVM_FFI_LOCAL T back() const {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(Require()->back());
  }
  TVM_FFI_LOCAL_INLINE iterator begin() const {
    return iterator(data_ == nullptr ? nullptr : GetListObj()->begin());
  }
  TVM_FFI_LOCAL_INLINE iterator end() const {
    return iterator(data_ == nullptr ? nullptr : GetListObj()->end());
  }
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE auto rbegin() const {
    return typename detail::StdTypes<Dependent>::template Reverse<iterator>(end());
  }
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE auto rend() const {
    return typename detail::StdTypes<Dependent>::template Reverse<iterator>(begin());
  }
  TVM_FFI_LOCAL_INLINE ListObj *GetListObj() const { return static_cast<ListObj *>(data_.get()); }

  TVM_FFI_LOCAL void push_back(T item) { GetOrMake()->Append(Any(std::move(item))); }
  template <typename... Args>
  TVM_FFI_LOCAL_INLINE void emplace_back(Args &&...args) {
    push_back(T(static_cast<Args &&>(args)...));
  }
  TVM_FFI_LOCAL void insert(iterator position, T item) {
    ListObj *list = RequireFor("cannot insert to a null list");
    const int64_t index = position.address() - list->begin();
    Any value(std::move(item));
    list->ReserveMore(1);
    list->insert(index, std::move(value));
  }
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void insert(iterator position, Iterator first, Iterator last) {
    ListObj *list = RequireFor("cannot insert to a null list");
    const int64_t index = position.address() - list->begin();
    const Array<T> items(first, last);
    list->ReserveMore(static_cast<int64_t>(items.size()));
    list->insert(index, items.GetArrayObj()->begin(), items.GetArrayObj()->end());
  }
  TVM_FFI_LOCAL void pop_back() { RequireFor("cannot pop_back a null list")->pop_back(); }
  TVM_FFI_LOCAL void erase(iterator position) {
    ListObj *list = RequireFor("cannot erase a null list");
    list->erase(position.address() - list->begin());
  }
  TVM_FFI_LOCAL void erase(iterator first, iterator last) {
    ListObj *list = RequireFor("cannot erase a null list");
    list->erase(first.address() - list->begin(), last.address() - list->begin());
  }
  /** New elements are None. */
  TVM_FFI_LOCAL void resize(int64_t n) {
    if (n < 0) detail::Throw("ValueError", "cannot resize a List to negative size");
    GetOrMake()->Reserve(n);
    GetListObj()->resize(n);
  }
  TVM_FFI_LOCAL void reserve(int64_t n) { GetOrMake()->Reserve(n); }
  /** Replaces the contents, visible to all holders. Errors: memory, with nothing changed. */
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void Assign(Iterator first, Iterator last) {
    const Array<T> items(first, last);
    GetOrMake()->Reserve(static_cast<int64_t>(items.size()));
    GetListObj()->clear();
    GetListObj()->AppendAll(*items.GetArrayObj());
  }
  TVM_FFI_LOCAL void clear() {
    if (data_ != nullptr) GetListObj()->clear();
  }
  TVM_FFI_LOCAL void Set(int64_t i, T value) { Require()->SetItem(i, Any(std::move(value))); }

#ifndef TVM_FFI_LEAN
  using reverse_iterator = typename detail::StdTypes<T>::template Reverse<iterator>;
#endif

 private:
  TVM_FFI_LOCAL ListObj *Require() const {
    if (data_ == nullptr) detail::Throw("IndexError", "cannot index a null list");
    return GetListObj();
  }
  TVM_FFI_LOCAL ListObj *GetOrMake() {
    if (data_ == nullptr) data_ = make_object<ListObj>();
    return GetListObj();
  }
  TVM_FFI_LOCAL ListObj *RequireFor(const char *if_null) const {
    if (data_ == nullptr) detail::Throw("RuntimeError", if_null);
    return GetListObj();
  }
};

template <typename T>
List(std::initializer_list<T>) -> List<T>;

template <typename T>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<List<T>> = false;

template <typename T, typename U>
struct detail::Subsumes<List<T>, List<U>> : detail::Subsumes<T, U> {};

template <typename T>
struct TypeTraits<List<T>> : detail::OwnRefTraits<List<T>> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIList;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<T>();
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIList &&
           detail::AllStrict<T>(TVMFFISeqGetCellPtr(source->v_obj));
  }
  TVM_FFI_LOCAL static int Read(const TVMFFIAny *source, List<T> *out) {
    if (source->type_index != kTVMFFIArray && source->type_index != kTVMFFIList) {
      return detail::kReadMismatch;
    }
    if (CheckAnyStrict(source)) {
      detail::ObjectUnsafe::SetUnowned(out, source->v_obj);
      return detail::kReadOk;
    }
    // Kept alive, because conversions may run foreign code.
    const ObjectPtr<Object> held =
        detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(source->v_obj);
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    List<T> made;
    for (int64_t i = 0; i < cell->size; ++i) {
      detail::Reader<T> reader;
      const int status = reader.Read(static_cast<const TVMFFIAny *>(cell->data) + i);
      if (status != detail::kReadOk) return status;
      made.push_back(T(reader.Take()));
    }
    *out = std::move(made);
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<T>(sink, "List");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<T>(sink, "ffi.List");
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    if (source->type_index == kTVMFFIArray || source->type_index == kTVMFFIList) {
      detail::PutSeqGot<T>(text, "List", source);
    } else {
      text.Put(detail::TypeKeyOf(source->type_index));
    }
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_LIST_H_
