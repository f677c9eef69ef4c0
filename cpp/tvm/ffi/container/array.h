/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/array.h
 * Arrays: copy-on-write sequences. Copies share one object until one of them is changed.
 *
 * Elements are accessed directly in memory. The runtime makes the object (ffi.Array), with a few
 * elements inside it; more of them are in a block of the C library's, so an array may outlive the
 * library that made it.
 *
 * Threads: same object. Functions that change an array, such as push_back, reserve and insert, may
 * move its elements and so invalidate iterators.
 */
#ifndef TVM_FFI_CONTAINER_ARRAY_H_
#define TVM_FFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/container/seq_base.h>

TVM_FFI_NAMESPACE_BEGIN

class ArrayObj : public SeqBaseObj {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIArray;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIArray, ArrayObj, Object);

  /**
   * An empty array with room for capacity elements.
   * Errors: ValueError (no ffi.Array; capacity < 0), memory.
   */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE static ObjectPtr<ArrayObj> New(int64_t capacity) {
    const AnyView inside[detail::kFirstCapacity];
    if (capacity < 0) {
      detail::ThrowNumbers("ValueError", "an Array needs a capacity of ", 0, " or more, not ",
                           capacity, "");
    }
    const bool is_inside = capacity <= detail::kFirstCapacity;
    TVMFFIAny made = detail::AnyUnsafe::MoveAnyToTVMFFIAny(detail::CallHandle(
        detail::GlobalArray(), inside, is_inside ? static_cast<int32_t>(capacity) : 0));
    ObjectPtr<ArrayObj> array = detail::ObjectUnsafe::ObjectPtrFromOwned<ArrayObj>(made.v_obj);
    array->TVMFFISeqCell::size = 0;
    if (!is_inside) array->MoveTo(capacity);
    return array;
  }
  TVM_FFI_LOCAL static ObjectPtr<ArrayObj> CreateRepeated(int64_t n, const Any &value) {
    if (n < 0) detail::Throw("ValueError", "cannot resize an Array to negative size");
    ObjectPtr<ArrayObj> array = New(n);
    {
      Filler filler(array.get());
      for (int64_t i = 0; i < n; ++i) filler.Append(Any(value));
    }
    return array;
  }
  TVM_FFI_LOCAL static ObjectPtr<ArrayObj> CopyFrom(int64_t capacity, const ArrayObj *source) {
    ObjectPtr<ArrayObj> array = NewFor(capacity, source);
    array->AppendAllInRoom(*source);
    return array;
  }
  /** Not used by these headers; sources written for the reference's headers may call it. */
  TVM_FFI_LOCAL static ObjectPtr<ArrayObj> MoveFrom(int64_t capacity, ArrayObj *source) {
    ObjectPtr<ArrayObj> array = NewFor(capacity, source);
    for (size_t i = 0; i < source->size(); ++i) array->AppendInRoom(std::move(source->items()[i]));
    source->TVMFFISeqCell::size = 0;
    return array;
  }
  /**
   * Makes room for capacity elements, if there is less. That may move the elements: begin(),
   * end() and earlier iterators are then invalid. Errors: MemoryError, with nothing changed.
   */
  TVM_FFI_LOCAL_INLINE void Grow(int64_t capacity) { EnsureCapacity(capacity); }
  /** Requires room. */
  TVM_FFI_LOCAL_INLINE void Append(Any value) { AppendInRoom(std::move(value)); }

 private:
  TVM_FFI_LOCAL static ObjectPtr<ArrayObj> NewFor(int64_t capacity, const ArrayObj *source) {
    if (capacity < static_cast<int64_t>(source->size())) {
      detail::Throw("ValueError", "Not enough capacity");
    }
    return New(capacity);
  }

  template <typename, typename>
  friend class Array;
  template <typename...>
  friend class Tuple;
};

template <>
TVM_FFI_LOCAL inline ObjectPtr<ArrayObj> make_object<ArrayObj>() {
  return ArrayObj::New(detail::kFirstCapacity);
}

namespace detail {

/** An array to be changed, with room for extra elements: the same one, or a copy if shared. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline ArrayObj *PrepareArray(ObjectPtr<Object> *data,
                                                              int64_t extra) {
  ArrayObj *array = static_cast<ArrayObj *>(data->get());
  if (array == nullptr) {
    *data = ArrayObj::New(GrownCapacity(0, extra));
    return static_cast<ArrayObj *>(data->get());
  }
  const int64_t needed = static_cast<int64_t>(array->size()) + extra;
  int64_t capacity = static_cast<int64_t>(array->capacity());
  if (needed > capacity) capacity = GrownCapacity(capacity, needed);
  if (data->unique()) {
    array->Grow(capacity);
    return array;
  }
  *data = ArrayObj::CopyFrom(capacity, array);
  return static_cast<ArrayObj *>(data->get());
}

}  // namespace detail

/** The second parameter is void; it exists for sources that write it out or declare it ahead. */
template <typename T, typename = void>
class Array : public ObjectRef {
  static_assert(detail::storage_enabled_v<T>,
                "elements of this type cannot be stored: " TVM_FFI_DETAIL_STORE_INSTEAD);

 public:
  using ContainerType = ArrayObj;
  using value_type = T;
  using iterator = detail::SeqIterator<T>;
  using const_iterator = iterator;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = false;

  TVM_FFI_LOCAL Array() : ObjectRef(ArrayObj::New(detail::kFirstCapacity)) {}
  TVM_FFI_LOCAL_INLINE explicit Array(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Array)
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  TVM_FFI_LOCAL_INLINE Array(const Array<U> &other) : ObjectRef(other) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  TVM_FFI_LOCAL_INLINE Array(Array<U> &&other) : ObjectRef(std::move(other)) {}
  TVM_FFI_LOCAL explicit Array(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {
    if (data_ == nullptr) detail::Throw("InternalError", "an Array is never null");
  }
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>
  TVM_FFI_LOCAL_INLINE Array(Iterator first, Iterator last) : ObjectRef(UnsafeInit{}) {
    Assign(first, last);
  }
  TVM_FFI_LOCAL Array(std::initializer_list<T> items) : ObjectRef(UnsafeInit{}) {
    Assign(items.begin(), items.end());
  }
  /** From a std::vector<T>, or any other range of T. */
  template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>,
            typename = std::enable_if_t<std::is_same_v<typename C::value_type, T>>,
            typename = decltype(std::declval<const C &>().begin())>
  TVM_FFI_LOCAL_INLINE Array(const C &items) : ObjectRef(UnsafeInit{}) {
    Assign(items.begin(), items.end());
  }
  TVM_FFI_LOCAL explicit Array(size_t n, const T &value)
      : ObjectRef(ArrayObj::CreateRepeated(static_cast<int64_t>(n), Any(value))) {}

  TVM_FFI_LOCAL_INLINE size_t size() const { return data_ == nullptr ? 0 : GetArrayObj()->size(); }
  TVM_FFI_LOCAL_INLINE size_t capacity() const {
    return data_ == nullptr ? 0 : GetArrayObj()->capacity();
  }
  TVM_FFI_LOCAL_INLINE bool empty() const { return size() == 0; }
  /** Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE const T operator[](int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(data_ == nullptr)) {
      detail::Throw("IndexError", "cannot index a null array");
    }
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(GetArrayObj()->at(i));
  }
  /** As operator[], but returns the error. */
  TVM_FFI_LOCAL Expected<T> at_expected(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(data_ == nullptr)) {
      return detail::MakePlainError("IndexError", "cannot index a null array");
    }
    return GetArrayObj()->template ReadExpected<T>(i);
  }
  TVM_FFI_LOCAL const T front() const {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(Require()->front());
  }
  TVM_FFI_LOCAL const T back() const {
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(Require()->back());
  }
  TVM_FFI_LOCAL_INLINE iterator begin() const {
    return iterator(data_ == nullptr ? nullptr : GetArrayObj()->begin());
  }
  TVM_FFI_LOCAL_INLINE iterator end() const {
    return iterator(data_ == nullptr ? nullptr : GetArrayObj()->end());
  }
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE auto rbegin() const {
    return typename detail::StdTypes<Dependent>::template Reverse<iterator>(end());
  }
  template <typename Dependent = void>
  TVM_FFI_LOCAL_INLINE auto rend() const {
    return typename detail::StdTypes<Dependent>::template Reverse<iterator>(begin());
  }
  TVM_FFI_LOCAL_INLINE ArrayObj *GetArrayObj() const {
    return static_cast<ArrayObj *>(data_.get());
  }

  TVM_FFI_LOCAL void push_back(T item) {
    Any value(std::move(item));
    ToChange(1)->AppendInRoom(std::move(value));
  }
  template <typename... Args>
  TVM_FFI_LOCAL void emplace_back(Args &&...args) {
    push_back(T(static_cast<Args &&>(args)...));
  }
  TVM_FFI_LOCAL void insert(iterator position, T item) {
    const int64_t index = IndexOf(position, "cannot insert a null array");
    Any value(std::move(item));
    detail::PrepareArray(&data_, 1)->insert(index, std::move(value));
  }
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void insert(iterator position, Iterator first, Iterator last) {
    const int64_t index = IndexOf(position, "cannot insert a null array");
    Array items(first, last);
    detail::PrepareArray(&data_, static_cast<int64_t>(items.size()))
        ->insert(index, items.GetArrayObj()->begin(), items.GetArrayObj()->end());
  }
  TVM_FFI_LOCAL void pop_back() {
    if (data_ == nullptr) detail::Throw("RuntimeError", "cannot pop_back a null array");
    ToChange(0)->pop_back();
  }
  TVM_FFI_LOCAL void erase(iterator position) {
    const int64_t index = IndexOf(position, "cannot erase a null array");
    detail::PrepareArray(&data_, 0)->erase(index);
  }
  TVM_FFI_LOCAL void erase(iterator first, iterator last) {
    const int64_t index = IndexOf(first, "cannot erase a null array");
    const int64_t end = IndexOf(last, "cannot erase a null array");
    if (index != end) detail::PrepareArray(&data_, 0)->erase(index, end);
  }
  /** New elements are None. */
  TVM_FFI_LOCAL void resize(int64_t n) {
    const int64_t size = static_cast<int64_t>(this->size());
    if (n < 0) detail::Throw("ValueError", "cannot resize an Array to negative size");
    detail::PrepareArray(&data_, n > size ? n - size : 0)->resize(n);
  }
  TVM_FFI_LOCAL void reserve(int64_t n) {
    const int64_t size = static_cast<int64_t>(this->size());
    if (n > static_cast<int64_t>(capacity())) detail::PrepareArray(&data_, n - size);
  }
  TVM_FFI_LOCAL void clear() {
    if (data_ != nullptr) detail::PrepareArray(&data_, 0)->clear();
  }
  TVM_FFI_LOCAL void Set(int64_t i, T value) {
    if (data_ == nullptr) detail::Throw("IndexError", "cannot index a null array");
    ToChange(0)->SetItem(i, Any(std::move(value)));
  }
  template <typename Iterator>
  TVM_FFI_LOCAL_INLINE void Assign(Iterator first, Iterator last) {
    ObjectPtr<ArrayObj> made = ArrayObj::New(detail::CapacityFor(first, last));
    made->template FillFrom<T>(std::move(first), std::move(last));
    data_ = std::move(made);
  }
  TVM_FFI_LOCAL ArrayObj *CopyOnWrite() { return detail::PrepareArray(&data_, 0); }

  /** The results of f for the elements; this same array if f changes none of them. */
  template <typename F, typename U = std::decay_t<std::invoke_result_t<F &, T>>>
  TVM_FFI_LOCAL_INLINE Array<U> Map(F f) const {
    bool same = true;
    ObjectPtr<ArrayObj> made = ArrayObj::New(static_cast<int64_t>(size()));
    if (data_ != nullptr) {
      for (const Any &item : *GetArrayObj()) {
        Any mapped(f(detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(item)));
        if (!mapped.same_as(item)) same = false;
        made->AppendInRoom(std::move(mapped));
      }
    }
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Array<U>>(
        same ? data_ : ObjectPtr<Object>(std::move(made)));
  }
  /**
   * Replaces each element by the result of f, in place if nobody else holds this array: f then
   * has the only reference to the element. If f throws, this array becomes null.
   */
  template <typename F>
  TVM_FFI_LOCAL_INLINE void MutateByApply(F f) {
    if (data_ == nullptr) return;
    ObjectPtr<Object> data = std::move(data_);
    ArrayObj *array = detail::PrepareArray(&data, 0);
    for (size_t i = 0; i < array->size(); ++i) {
      Any &item = array->items()[i];
      item = Any(T(f(detail::AnyUnsafe::MoveFromAnyAfterCheck<T>(std::move(item)))));
    }
    data_ = std::move(data);
  }
  /** Concatenates elements and arrays to one array. */
  template <typename... Args>
  TVM_FFI_LOCAL static Array Agregate(Args &&...args) {
    Array result;
    (result.AppendOne(args), ...);
    return result;
  }

#ifndef TVM_FFI_LEAN
  using reverse_iterator = typename detail::StdTypes<T>::template Reverse<iterator>;
#endif

 private:
  TVM_FFI_LOCAL ArrayObj *Require() const {
    if (data_ == nullptr) detail::Throw("IndexError", "cannot index a null array");
    return GetArrayObj();
  }
  /** The inline fast path of detail::PrepareArray: the array is not shared, and it has room. */
  TVM_FFI_LOCAL_INLINE ArrayObj *ToChange(int64_t extra) {
    const ArrayObj *array = GetArrayObj();
    if (TVM_FFI_PREDICT_TRUE(data_.unique() && static_cast<int64_t>(array->capacity()) -
                                                       static_cast<int64_t>(array->size()) >=
                                                   extra)) {
      return GetArrayObj();
    }
    return detail::PrepareArray(&data_, extra);
  }
  TVM_FFI_LOCAL int64_t IndexOf(iterator position, const char *if_null) const {
    if (data_ == nullptr) detail::Throw("RuntimeError", if_null);
    return position.address() - GetArrayObj()->begin();
  }
  TVM_FFI_LOCAL void AppendOne(const T &item) {
    push_back(item);
  }
  TVM_FFI_LOCAL void AppendOne(const Array &items) {
    for (const T item : items) push_back(item);
  }
};

template <typename T>
Array(std::initializer_list<T>) -> Array<T>;
template <typename C, typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C>>>
Array(const C &) -> Array<typename C::value_type>;

template <typename T>
TVM_FFI_LOCAL Array<T> Concat(Array<T> lhs, const Array<T> &rhs) {
  for (const T item : rhs) lhs.push_back(item);
  return lhs;
}

template <typename T>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Array<T>> = false;

template <typename T, typename U>
struct detail::Subsumes<Array<T>, Array<U>> : detail::Subsumes<T, U> {};

template <typename T>
struct TypeTraits<Array<T>> : detail::OwnRefTraits<Array<T>> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIArray;
  TVM_FFI_LOCAL static constexpr bool text_is_constant = detail::HasConstantText<T>();
  TVM_FFI_LOCAL static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFIArray &&
           detail::AllStrict<T>(TVMFFISeqGetCellPtr(source->v_obj));
  }
  TVM_FFI_LOCAL static int Read(const TVMFFIAny *source, Array<T> *out) {
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
    ObjectPtr<ArrayObj> made = ArrayObj::New(cell->size);
    for (int64_t i = 0; i < cell->size && made->size() < made->capacity(); ++i) {
      detail::Reader<T> reader;
      const int status = reader.Read(static_cast<const TVMFFIAny *>(cell->data) + i);
      if (status != detail::kReadOk) return status;
      made->Append(Any(T(reader.Take())));
    }
    *out = detail::ObjectUnsafe::ObjectRefFromObjectPtr<Array<T>>(std::move(made));
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    detail::PutTypeStrOf<T>(sink, "Array");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<T>(sink, "ffi.Array");
  }
  TVM_FFI_LOCAL static void PutGot(detail::Text &text, const TVMFFIAny *source) {
    if (source->type_index == kTVMFFIArray || source->type_index == kTVMFFIList) {
      detail::PutSeqGot<T>(text, "Array", source);
    } else {
      text.Put(detail::TypeKeyOf(source->type_index));
    }
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_ARRAY_H_
