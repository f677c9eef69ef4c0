/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/seq_base.h
 * What Array and List have in common: elements stand in memory one behind the other.
 */
#ifndef TVM_FFI_CONTAINER_SEQ_BASE_H_
#define TVM_FFI_CONTAINER_SEQ_BASE_H_

#include <tvm/ffi/detail/global.h>
#include <tvm/ffi/optional.h>

TVM_FFI_NAMESPACE_BEGIN
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
    items()[i] = static_cast<Any &&>(value);
  }
  /** The same for an index that was checked. */
  TVM_FFI_LOCAL_INLINE void SetItemAfterCheck(int64_t i, Any value) {
    items()[i] = static_cast<Any &&>(value);
  }
  /** Puts values into the elements from i on. Errors: InternalError (there are not as many). */
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
  /** Room has to be there. Errors: IndexError, InternalError (no room). */
  TVM_FFI_LOCAL void insert(int64_t i, Any value) { OpenGap(i, 1)->swap(value); }
  template <typename Iterator>
  TVM_FFI_LOCAL void insert(int64_t i, Iterator first, Iterator last) {
    int64_t n = 0;
    for (Iterator each = first; each != last; ++each) ++n;
    for (Any *to = OpenGap(i, n); first != last; ++first) *to++ = Any(*first);
  }
  TVM_FFI_LOCAL void Reverse() {
    for (int64_t i = 0, k = TVMFFISeqCell::size - 1; i < k; ++i, --k) items()[i].swap(items()[k]);
  }
  /** New elements are None; room has to be there. Errors: ValueError, InternalError (no room). */
  TVM_FFI_LOCAL void resize(int64_t n) {
    if (n < 0) detail::Throw("ValueError", "Cannot resize to negative size");
    if (n < TVMFFISeqCell::size) Truncate(n);
    if (n > TVMFFISeqCell::size) OpenGap(TVMFFISeqCell::size, n - TVMFFISeqCell::size);
  }
  TVM_FFI_LOCAL void clear() { Truncate(0); }
  TVM_FFI_LOCAL void pop_back() {
    if (empty()) detail::Throw("IndexError", "pop_back on empty sequence");
    Truncate(TVMFFISeqCell::size - 1);
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
  TVM_FFI_LOCAL_INLINE void CheckIndex(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(i < 0 || i >= TVMFFISeqCell::size)) {
      detail::ThrowNumbers("IndexError", "Index ", i, " out of bounds ", TVMFFISeqCell::size, "");
    }
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
  /** Opens a gap of n None elements at a place; the first of them. */
  TVM_FFI_LOCAL Any *OpenGap(int64_t at, int64_t n) {
    const int64_t size = TVMFFISeqCell::size;
    if (at < 0 || at > size) {
      detail::ThrowNumbers("IndexError", "Index ", at, " out of bounds [0, ", size, "]");
    }
    if (n > TVMFFISeqCell::capacity - size) {
      detail::ThrowNumbers("InternalError", "no room for ", n, " more elements in a sequence of ",
                           TVMFFISeqCell::capacity, "");
    }
    for (int64_t i = 0; i < n; ++i) AppendInRoom(Any());
    for (int64_t i = size; i-- > at;) items()[i + n].swap(items()[i]);
    return items() + at;
  }
  /** There is room: capacity was seen to. */
  TVM_FFI_LOCAL_INLINE void AppendInRoom(Any &&value) {
    ::new (static_cast<void *>(items() + TVMFFISeqCell::size)) Any(static_cast<Any &&>(value));
    ++TVMFFISeqCell::size;
  }
};

namespace detail {

/** Runs through elements, which it gives by value: const, so that `for (auto &x : array)` binds. */
template <typename T>
class SeqIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = const T;
  using pointer = const T *;
  using iterator_category = std::random_access_iterator_tag;

  TVM_FFI_LOCAL_INLINE SeqIterator() : at_(nullptr) {}
  TVM_FFI_LOCAL_INLINE explicit SeqIterator(const Any *at) : at_(at) {}
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

/** `Array[index 1: <inner>]` for the first element that is no T. */
template <typename T>
TVM_FFI_LOCAL_COLD void PutSeqGot(Text &text, const char *name, const TVMFFIAny *source) {
  // Held, and looked at anew: conversions may run foreign code, which may change a list.
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
