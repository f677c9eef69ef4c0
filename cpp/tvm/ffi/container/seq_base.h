/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/seq_base.h
 * What Array and List share: elements that are contiguous in memory.
 *
 * Threads: same object.
 */
#ifndef TVM_FFI_CONTAINER_SEQ_BASE_H_
#define TVM_FFI_CONTAINER_SEQ_BASE_H_

#include <tvm/ffi/detail/global.h>
#include <tvm/ffi/optional.h>
#ifndef TVM_FFI_LEAN
#include <algorithm>
#endif

TVM_FFI_NAMESPACE_BEGIN

/** Whether a sequence of T may be made of what the iterator gives. */
template <typename T, typename Iterator,
          typename Item = std::decay_t<decltype(*std::declval<Iterator &>())>>
struct is_valid_iterator : std::bool_constant<std::is_same_v<T, Any> || std::is_same_v<T, Item> ||
                                              std::is_base_of_v<T, Item>> {};
template <typename T, typename Iterator>
TVM_FFI_LOCAL inline constexpr bool is_valid_iterator_v = is_valid_iterator<T, Iterator>::value;

namespace detail {

/** The capacity inside the object of an Array, and the least that a sequence grows to. */
TVM_FFI_LOCAL inline constexpr int64_t kFirstCapacity = 4;

/**
 * The capacity that a sequence grows to when it needs room for `needed` elements: at least twice
 * what it has, so that n elements added one by one take O(n) moves.
 */
TVM_FFI_LOCAL constexpr int64_t GrownCapacity(int64_t capacity, int64_t needed) {
  const int64_t doubled = capacity <= INT64_MAX / 2 ? 2 * capacity : INT64_MAX;
  const int64_t grown = doubled > needed ? doubled : needed;
  return grown > kFirstCapacity ? grown : kFirstCapacity;
}

/** Whether a range of these iterators can be traversed twice. */
template <typename Iterator, typename = void>
struct IsMultiPass : std::false_type {};
template <typename Iterator>
struct IsMultiPass<Iterator,
                   std::void_t<typename std::iterator_traits<Iterator>::iterator_category>>
    : std::is_base_of<std::forward_iterator_tag,
                      typename std::iterator_traits<Iterator>::iterator_category> {};

/** Number of elements between two iterators; kFirstCapacity if counting would use them up. */
template <typename Iterator>
TVM_FFI_LOCAL_INLINE int64_t CapacityFor([[maybe_unused]] const Iterator &first,
                                         [[maybe_unused]] const Iterator &last) {
  if constexpr (IsMultiPass<Iterator>::value) {
    int64_t n = 0;
    for (Iterator each = first; each != last; ++each) ++n;
    return n;
  } else {
    return kFirstCapacity;
  }
}

}  // namespace detail

class SeqBaseObj : public Object, protected TVMFFISeqCell {
 public:
  TVM_FFI_LOCAL_INLINE size_t size() const { return static_cast<size_t>(TVMFFISeqCell::size); }
  TVM_FFI_LOCAL_INLINE size_t capacity() const {
    return static_cast<size_t>(TVMFFISeqCell::capacity);
  }
  TVM_FFI_LOCAL_INLINE bool empty() const { return TVMFFISeqCell::size == 0; }
  TVM_FFI_LOCAL_INLINE const Any *begin() const {
    return static_cast<const Any *>(TVMFFISeqCell::data);
  }
  TVM_FFI_LOCAL_INLINE const Any *end() const { return begin() + TVMFFISeqCell::size; }
  /** Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE const Any &at(int64_t i) const {
    CheckIndex(i);
    return begin()[i];
  }
  TVM_FFI_LOCAL_INLINE const Any &operator[](int64_t i) const { return at(i); }
  /** As at, but returns the error. A template, because Expected may be only declared so far. */
  template <typename T = Any>
  TVM_FFI_LOCAL Expected<T> at_expected(int64_t i) const {
    static_assert(std::is_same_v<T, Any>,
                  "the type of an element is not known here: cast the Any, or call at_expected of "
                  "an Array<T> or List<T>");
    return ReadExpected<T>(i);
  }
  TVM_FFI_LOCAL const Any &front() const {
    if (empty()) detail::Throw("IndexError", "front() on empty sequence");
    return begin()[0];
  }
  TVM_FFI_LOCAL const Any &back() const {
    if (empty()) detail::Throw("IndexError", "back() on empty sequence");
    return end()[-1];
  }
  TVM_FFI_LOCAL void SetItem(int64_t i, Any value) {
    CheckIndex(i);
    items()[i] = std::move(value);
  }
  /** The same for an index that has been checked. */
  TVM_FFI_LOCAL_INLINE void SetItemAfterCheck(int64_t i, Any value) {
    items()[i] = std::move(value);
  }
  /** Assigns values to the elements from i on. Errors: InternalError (too few elements). */
  template <typename Iterator>
  TVM_FFI_LOCAL void InitRange(int64_t i, Iterator first, Iterator last) {
    for (; first != last; ++first, ++i) {
      if (i < 0 || i >= TVMFFISeqCell::size) {
        detail::ThrowNumbers("InternalError", "InitRange: index ", i, " out of bounds ",
                             TVMFFISeqCell::size, "");
      }
      items()[i] = Any(*first);
    }
  }
  /** Requires room. Errors: IndexError, InternalError (no room). */
  TVM_FFI_LOCAL void insert(int64_t i, Any value) { OpenGap(i, 1)->swap(value); }
  template <typename Iterator>
  TVM_FFI_LOCAL void insert(int64_t i, Iterator first, Iterator last) {
    if constexpr (detail::IsMultiPass<Iterator>::value) {
      Any *target = OpenGap(i, detail::CapacityFor(first, last));
      for (; first != last; ++first) *target++ = Any(*first);
    } else {
      // Their number is known only at the end: append them, then rotate them to their place.
      const int64_t size = TVMFFISeqCell::size;
      OpenGap(i, 0);  // checks the index
      for (; first != last; ++first) insert(TVMFFISeqCell::size, Any(*first));
      ReverseRange(i, size);
      ReverseRange(size, TVMFFISeqCell::size);
      ReverseRange(i, TVMFFISeqCell::size);
    }
  }
  TVM_FFI_LOCAL void Reverse() { ReverseRange(0, TVMFFISeqCell::size); }
  /** New elements are None; requires room. Errors: ValueError, InternalError (no room). */
  TVM_FFI_LOCAL void resize(int64_t n) {
    if (n < 0) detail::Throw("ValueError", "Cannot resize to negative size");
    if (n < TVMFFISeqCell::size) Truncate(n);
    if (n > TVMFFISeqCell::size) OpenGap(TVMFFISeqCell::size, n - TVMFFISeqCell::size);
  }
  TVM_FFI_LOCAL void clear() { Truncate(0); }
  TVM_FFI_LOCAL_INLINE void pop_back() {
    if (empty()) detail::Throw("IndexError", "pop_back on empty sequence");
    items()[--TVMFFISeqCell::size].~Any();
  }
  TVM_FFI_LOCAL void erase(int64_t i) {
    CheckIndex(i);
    erase(i, i + 1);
  }
  TVM_FFI_LOCAL void erase(int64_t first, int64_t last) {
    const int64_t size = TVMFFISeqCell::size;
    if (first < 0 || first > last || last > size) ThrowErase(first, last);
    for (int64_t i = last; i < size; ++i) items()[i - last + first].swap(items()[i]);
    Truncate(size - (last - first));
  }

 protected:
  TVM_FFI_LOCAL_INLINE bool HasIndex(int64_t i) const { return i >= 0 && i < TVMFFISeqCell::size; }
  TVM_FFI_LOCAL_INLINE void CheckIndex(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(!HasIndex(i))) ThrowIndex(i);
  }
  TVM_FFI_LOCAL_COLD void RaiseIndex(int64_t i) const {
    detail::RaiseNumbers("IndexError", "Index ", i, " out of bounds ", TVMFFISeqCell::size, "");
  }
  [[noreturn]] TVM_FFI_LOCAL_COLD void ThrowIndex(int64_t i) const {
    RaiseIndex(i);
    detail::ThrowRaised();
  }
  /** As at, for elements that are known to be T. Errors, which are returned: IndexError. */
  template <typename T>
  TVM_FFI_LOCAL Expected<T> ReadExpected(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(!HasIndex(i))) {
      RaiseIndex(i);
      return detail::MoveFromSafeCallRaised();
    }
    return detail::AnyUnsafe::CopyFromAnyViewAfterCheck<T>(begin()[i]);
  }
  [[noreturn]] TVM_FFI_LOCAL_COLD void ThrowErase(int64_t first, int64_t last) const {
    {
      detail::Text text;
      text.Put("Erase range [");
      text.PutInt(first);
      text.Put(", ");
      text.PutInt(last);
      text.Put(") out of bounds ");
      text.PutInt(TVMFFISeqCell::size);
      detail::RaiseText("IndexError", text);
    }
    detail::ThrowRaised();
  }
  TVM_FFI_LOCAL_INLINE Any *items() { return static_cast<Any *>(TVMFFISeqCell::data); }
  TVM_FFI_LOCAL void Truncate(int64_t size) {
    while (TVMFFISeqCell::size > size) items()[--TVMFFISeqCell::size].~Any();
  }
  /** Reverses the elements from first up to last. */
  TVM_FFI_LOCAL void ReverseRange(int64_t first, int64_t last) {
    while (first < --last) items()[first++].swap(items()[last]);
  }
  /** Opens a gap of n None elements at an index; returns the first of them. */
  TVM_FFI_LOCAL Any *OpenGap(int64_t index, int64_t n) {
    const int64_t size = TVMFFISeqCell::size;
    if (index < 0 || index > size) {
      detail::ThrowNumbers("IndexError", "Index ", index, " out of bounds [0, ", size, "]");
    }
    if (n > TVMFFISeqCell::capacity - size) {
      detail::ThrowNumbers("InternalError", "no room for ", n, " more elements in a sequence of ",
                           TVMFFISeqCell::capacity, "");
    }
    for (int64_t i = 0; i < n; ++i) AppendInRoom(Any());
    for (int64_t i = size; i-- > index;) items()[i + n].swap(items()[i]);
    return items() + index;
  }
  /** Requires room: the caller has checked the capacity. */
  TVM_FFI_LOCAL_INLINE void AppendInRoom(Any &&value) {
    ::new (static_cast<void *>(items() + TVMFFISeqCell::size)) Any(std::move(value));
    ++TVMFFISeqCell::size;
  }
  /** The same for copies of all elements of another sequence. */
  TVM_FFI_LOCAL void AppendAllInRoom(const SeqBaseObj &source) {
    Any *target = items() + TVMFFISeqCell::size;
    for (const Any &item : source) ::new (static_cast<void *>(target++)) Any(item);
    TVMFFISeqCell::size = target - items();
  }
  /** The same for any number of elements, of a sequence that nobody else can see yet. */
  class Filler {
   public:
    TVM_FFI_LOCAL_INLINE explicit Filler(SeqBaseObj *seq)
        : seq_(seq), to_(seq->items() + seq->size()) {}
    TVM_FFI_LOCAL_INLINE ~Filler() { seq_->TVMFFISeqCell::size = to_ - seq_->items(); }
    Filler(const Filler &) = delete;
    Filler &operator=(const Filler &) = delete;
    TVM_FFI_LOCAL_INLINE void Append(Any &&value) {
      ::new (static_cast<void *>(to_)) Any(std::move(value));
      ++to_;
    }

   private:
    SeqBaseObj *seq_;
    /* Not in the sequence's size: writing that for each element takes longer than the element. */
    Any *to_;
  };
  /**
   * Appends T made from a range to a sequence that nobody else can see yet, and that has the
   * capacity of detail::CapacityFor.
   */
  template <typename T, typename Iterator>
  TVM_FFI_LOCAL_INLINE void FillFrom(Iterator first, Iterator last) {
    if constexpr (detail::IsMultiPass<Iterator>::value) {
      Filler filler(this);
      for (; first != last; ++first) filler.Append(Any(T(*first)));
    } else {
      for (; first != last; ++first) {
        Any item{T(*first)};
        EnsureRoom(1);
        AppendInRoom(std::move(item));
      }
    }
  }
  /** Errors: MemoryError, with nothing changed. */
  TVM_FFI_LOCAL_INLINE void EnsureCapacity(int64_t capacity) {
    if (capacity > TVMFFISeqCell::capacity) MoveTo(capacity);
  }
  /** Makes room for extra more elements, and for some that may follow. Errors: the same. */
  TVM_FFI_LOCAL_INLINE void EnsureRoom(int64_t extra) {
    if (TVM_FFI_PREDICT_FALSE(extra > TVMFFISeqCell::capacity - TVMFFISeqCell::size)) GrowBy(extra);
  }
  /** The slow path of EnsureRoom. */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE void GrowBy(int64_t extra) {
    const bool can_count = extra <= INT64_MAX - TVMFFISeqCell::size;
    MoveTo(detail::GrownCapacity(TVMFFISeqCell::capacity,
                                 can_count ? TVMFFISeqCell::size + extra : INT64_MAX));
  }
  /**
   * Moves the elements to a block with room for capacity elements, which is more than now. The C
   * library frees it, so that the sequence may outlive the library that made it. Errors:
   * MemoryError, with nothing changed.
   */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE void MoveTo(int64_t capacity) {
    const bool is_from_c = TVMFFISeqCell::data_deleter == std::free;
    const size_t bytes = static_cast<size_t>(capacity) * sizeof(Any);
    void *block = nullptr;
    if (capacity <= static_cast<int64_t>(PTRDIFF_MAX / sizeof(Any))) {
      block = is_from_c ? std::realloc(TVMFFISeqCell::data, bytes) : std::malloc(bytes);
    }
    if (block == nullptr) {
      detail::ThrowNumbers("MemoryError", "no memory for ", capacity, " elements of ",
                           static_cast<int64_t>(sizeof(Any)), " bytes");
    }
    if (!is_from_c) {
      const size_t used = size() * sizeof(Any);
      if (used != 0) std::memcpy(block, TVMFFISeqCell::data, used);
      if (TVMFFISeqCell::data_deleter != nullptr) TVMFFISeqCell::data_deleter(TVMFFISeqCell::data);
      TVMFFISeqCell::data_deleter = std::free;
    }
    TVMFFISeqCell::data = block;
    TVMFFISeqCell::capacity = capacity;
  }
};

namespace detail {

/** Iterates over elements, given by value: const, so that `for (auto &x : array)` binds. */
template <typename T>
class SeqIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = const T;
  using pointer = const T *;
  using iterator_category = std::random_access_iterator_tag;

  TVM_FFI_LOCAL_INLINE SeqIterator() : at_(nullptr) {}
  TVM_FFI_LOCAL_INLINE explicit SeqIterator(const Any *position) : at_(position) {}
  TVM_FFI_LOCAL_INLINE const T operator*() const {
    return AnyUnsafe::CopyFromAnyViewAfterCheck<T>(*at_);
  }
  TVM_FFI_LOCAL_INLINE const T operator[](std::ptrdiff_t n) const { return *(*this + n); }
  TVM_FFI_LOCAL_INLINE SeqIterator &operator++() { return ++at_, *this; }
  TVM_FFI_LOCAL_INLINE SeqIterator operator++(int) { return SeqIterator(at_++); }
  TVM_FFI_LOCAL_INLINE SeqIterator &operator--() { return --at_, *this; }
  TVM_FFI_LOCAL_INLINE SeqIterator operator--(int) { return SeqIterator(at_--); }
  TVM_FFI_LOCAL_INLINE SeqIterator &operator+=(std::ptrdiff_t n) { return at_ += n, *this; }
  TVM_FFI_LOCAL_INLINE SeqIterator &operator-=(std::ptrdiff_t n) { return at_ -= n, *this; }
  TVM_FFI_LOCAL_INLINE SeqIterator operator+(std::ptrdiff_t n) const {
    return SeqIterator(at_ + n);
  }
  TVM_FFI_LOCAL_INLINE SeqIterator operator-(std::ptrdiff_t n) const {
    return SeqIterator(at_ - n);
  }
  TVM_FFI_LOCAL_INLINE std::ptrdiff_t operator-(const SeqIterator &other) const {
    return at_ - other.at_;
  }
  TVM_FFI_LOCAL_INLINE bool operator==(const SeqIterator &other) const { return at_ == other.at_; }
  TVM_FFI_LOCAL_INLINE bool operator!=(const SeqIterator &other) const { return at_ != other.at_; }
  TVM_FFI_LOCAL_INLINE bool operator<(const SeqIterator &other) const { return at_ < other.at_; }
  TVM_FFI_LOCAL_INLINE const Any *address() const { return at_; }

 private:
  const Any *at_;
};

/** `Array[index 1: <inner>]` for the first element that is not a T. */
template <typename T>
TVM_FFI_LOCAL_COLD void PutSeqGot(Text &text, const char *name, const TVMFFIAny *source) {
  // Kept alive, and read again each time: conversions may run foreign code that changes a list.
  const ObjectPtr<Object> held = ObjectUnsafe::ObjectPtrFromUnowned<Object>(source->v_obj);
  const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
  if constexpr (!std::is_same_v<T, Any>) {
    for (int64_t i = 0; i < cell->size; ++i) {
      Reader<T> reader;
      const TVMFFIAny *item = static_cast<const TVMFFIAny *>(cell->data) + i;
      if (TypeTraits<T>::CheckAnyStrict(item) || reader.Read(item) == kReadOk) continue;
      if (i >= cell->size) break;
      text.Put(name);
      text.Put("[index ");
      text.PutInt(i);
      text.Put(": ");
      PutGotOf<T>(text, static_cast<const TVMFFIAny *>(cell->data) + i);
      text.Put(']');
      return;
    }
  }
  text.Put(TypeKeyOf(source->type_index));
}

template <typename T>
TVM_FFI_LOCAL bool AllStrict(const TVMFFISeqCell *cell) {
  if constexpr (!std::is_same_v<T, Any>) {
    const TVMFFIAny *items = static_cast<const TVMFFIAny *>(cell->data);
    for (int64_t i = 0; i < cell->size; ++i) {
      if (!TypeTraits<T>::CheckAnyStrict(items + i)) return false;
    }
  }
  return true;
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_SEQ_BASE_H_
