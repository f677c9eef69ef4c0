/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/big_int_object.h
 * The object of an integer that fits no int64_t, and room for words that last as long as a call.
 */
#ifndef TVM_FFI_DETAIL_BIG_INT_OBJECT_H_
#define TVM_FFI_DETAIL_BIG_INT_OBJECT_H_

#include <tvm/ffi/detail/big_int_words.h>
#include <tvm/ffi/memory.h>

TVM_FFI_NAMESPACE_BEGIN

class BigInt;

namespace detail {

struct BigIntUnsafe;

/** Behind the object stand its words: in two's complement, no more than are needed, at least two.
 */
class BigIntObj : public Object {
 public:
  /** With size words that are not set. */
  TVM_FFI_LOCAL explicit BigIntObj(size_t size) : size_(size) {}
  BigIntObj(const BigIntObj &) = delete;
  BigIntObj &operator=(const BigIntObj &) = delete;
  TVM_FFI_LOCAL_INLINE ~BigIntObj() = default;

  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIBigInt;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_LOCAL static constexpr bool _type_child_slots_can_overflow = false;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIBigInt, BigIntObj, Object);

 private:
  size_t size_;

  friend struct BigIntUnsafe;
};

/** Reading and making values by their words. */
struct BigIntUnsafe {
  TVM_FFI_LOCAL_INLINE static bool CheckInt64(const BigInt &value);
  /** Only after CheckInt64. */
  TVM_FFI_LOCAL_INLINE static int64_t GetInt64(const BigInt &value);
  /** [borrow] */
  TVM_FFI_LOCAL_INLINE static WordView GetArrayView(const BigInt &value);
  TVM_FFI_LOCAL_INLINE static WordView GetArrayView(const TVMFFIAny &value) {
    if (value.type_index != kTVMFFIBigInt) return WordView(&value.v_int64, 1);
    const BigIntObj *obj = ObjectUnsafe::RawObjectPtrFromUnowned<BigIntObj>(value.v_obj);
    return WordView(reinterpret_cast<const int64_t *>(obj + 1), obj->size_);
  }
  TVM_FFI_LOCAL_INLINE static WordView GetArrayView(const int64_t &value) {
    return WordView(&value, 1);
  }
  /** [lend] The words of an object that is being made. */
  TVM_FFI_LOCAL_INLINE static int64_t *GetMutableData(const ObjectPtr<BigIntObj> &obj) {
    return reinterpret_cast<int64_t *>(obj.get() + 1);
  }
  /** Leaves words out at the top. */
  TVM_FFI_LOCAL_INLINE static void ShrinkSize(const ObjectPtr<BigIntObj> &obj, size_t size) {
    obj->size_ = size;
  }
  /** The value of an object that is complete, without words that say nothing. */
  TVM_FFI_LOCAL static BigInt Normalize(ObjectPtr<BigIntObj> &&obj);
};

namespace int_ops {

/** A value of so many words, which are not set. Errors: memory. */
class Result {
 public:
  TVM_FFI_LOCAL_INLINE explicit Result(size_t size)
      : obj_(make_inplace_array_object<BigIntObj, int64_t>(size, size)), size_(size) {}
  TVM_FFI_LOCAL_INLINE ~Result() = default;
  TVM_FFI_LOCAL_INLINE uint64_t *words() const {
    return reinterpret_cast<uint64_t *>(BigIntUnsafe::GetMutableData(obj_));
  }
  TVM_FFI_LOCAL_INLINE uint64_t &operator[](size_t i) const { return words()[i]; }
  TVM_FFI_LOCAL_INLINE size_t size() const { return size_; }
  TVM_FFI_LOCAL_INLINE BigInt Take();
  /** The same, negated if so. */
  TVM_FFI_LOCAL_INLINE BigInt TakeSigned(bool negative);

 private:
  ObjectPtr<BigIntObj> obj_;
  size_t size_;
};

/** Words for one call; few of them stand on the stack. Errors: memory. */
class Scratch {
 public:
  TVM_FFI_LOCAL explicit Scratch(size_t size) {
    if (size > sizeof few_ / sizeof *few_) {
      many_ = static_cast<uint64_t *>(AllocAligned(size * sizeof *many_, alignof(uint64_t)));
    }
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  TVM_FFI_LOCAL ~Scratch() {
    if (many_ != nullptr) FreeAligned(many_);
  }
  TVM_FFI_LOCAL_INLINE uint64_t *words() { return many_ != nullptr ? many_ : few_; }

 private:
  uint64_t *many_ = nullptr;
  uint64_t few_[32];
};

/** The words of an absolute value, computed as they are read. */
class Magnitude {
 public:
  TVM_FFI_LOCAL explicit Magnitude(WordView value)
      : value_(value), flip_(SignWord(value)), num_zeros_(0), size_(value.size()) {
    while (flip_ != 0 && value[num_zeros_] == 0) ++num_zeros_;
    while (size_ > 1 && (*this)[size_ - 1] == 0) --size_;
  }
  /** Without zeros at the top, but for those of 0. */
  TVM_FFI_LOCAL_INLINE size_t size() const { return size_; }
  TVM_FFI_LOCAL_INLINE bool negative() const { return flip_ != 0; }
  /** The remainder by a word that is not 0. */
  TVM_FFI_LOCAL uint64_t Modulo(uint64_t divisor) const {
    uint64_t rest = 0;
    if (negative()) {
      for (size_t i = size_; i-- > 0;) Divide({(*this)[i], rest}, divisor, &rest);
    } else {
      for (size_t i = size_; i-- > 0;) {
        Divide({static_cast<uint64_t>(value_[i]), rest}, divisor, &rest);
      }
    }
    return rest;
  }
  TVM_FFI_LOCAL_INLINE uint64_t operator[](size_t i) const {
    if (i < num_zeros_) return 0;
    return (static_cast<uint64_t>(value_[i]) ^ flip_) + (flip_ != 0 && i == num_zeros_ ? 1 : 0);
  }
  TVM_FFI_LOCAL void CopyTo(uint64_t *words) const {
    for (size_t i = 0; i < size_; ++i) words[i] = (*this)[i];
  }

 private:
  WordView value_;
  uint64_t flip_;
  size_t num_zeros_;
  size_t size_;
};

}  // namespace int_ops
}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_BIG_INT_OBJECT_H_
