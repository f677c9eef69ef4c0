/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/big_int_object.h
 * The object of an integer that does not fit an int64_t, and temporary words for one call.
 */
#ifndef TVM_FFI_DETAIL_BIG_INT_OBJECT_H_
#define TVM_FFI_DETAIL_BIG_INT_OBJECT_H_

#include <tvm/ffi/detail/big_int_words.h>
#include <tvm/ffi/memory.h>

TVM_FFI_NAMESPACE_BEGIN

class BigInt;

namespace detail {

struct BigIntUnsafe;

/** The words follow the object: two's complement, at least two, none of them redundant. */
class BigIntObj : public Object {
 public:
  /** With size uninitialised words. */
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
  /** [lend] The words, to be filled in while the object is being made. */
  TVM_FFI_LOCAL_INLINE static int64_t *GetMutableData(const ObjectPtr<BigIntObj> &obj) {
    return reinterpret_cast<int64_t *>(obj.get() + 1);
  }
  /** Drops words at the top. */
  TVM_FFI_LOCAL_INLINE static void ShrinkSize(const ObjectPtr<BigIntObj> &obj, size_t size) {
    obj->size_ = size;
  }
  /** The value of a complete object, without its redundant words. */
  TVM_FFI_LOCAL static BigInt Normalize(ObjectPtr<BigIntObj> &&obj);
};

namespace int_ops {

/** A value of size words under construction; they are uninitialised. Errors: memory. */
class TVM_FFI_TAGGED Result {
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
  /** The same, negated if `negative` is true. */
  TVM_FFI_LOCAL_INLINE BigInt TakeSigned(bool negative);

 private:
  ObjectPtr<BigIntObj> obj_;
  size_t size_;
};

/** Temporary words for one call; up to 32 of them are on the stack. Errors: memory. */
class TVM_FFI_TAGGED Scratch {
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

/** The words of an absolute value, computed on access. */
class TVM_FFI_TAGGED Magnitude {
 public:
  TVM_FFI_LOCAL explicit Magnitude(WordView value)
      : value_(value), flip_(SignWord(value)), num_zeros_(0), size_(value.size()) {
    while (flip_ != 0 && value[num_zeros_] == 0) ++num_zeros_;
    while (size_ > 1 && (*this)[size_ - 1] == 0) --size_;
  }
  /** The number of words without zeros at the top; 1 for the value 0. */
  TVM_FFI_LOCAL_INLINE size_t size() const { return size_; }
  TVM_FFI_LOCAL_INLINE bool negative() const { return flip_ != 0; }
  /** The remainder after division by a word other than 0. */
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
