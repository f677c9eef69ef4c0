/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/object.h
 * Objects and counted pointers to them.
 *
 * An Object begins with the ABI's header. ObjectPtr<T> holds one strong reference, ObjectRef is the
 * base of the classes that users pass around by value. All of it is inline: a count is one atomic
 * operation on the object, wherever the object was made.
 */
#ifndef TVM_FFI_OBJECT_H_
#define TVM_FFI_OBJECT_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/detail/type_text.h>

#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <new>
#include <optional>

TVM_FFI_NAMESPACE_BEGIN

using TypeIndex = TVMFFITypeIndex;
using TypeInfo = TVMFFITypeInfo;
using FObjectDeleter = void (*)(void *, int);

/** Tag of constructors that leave a reference null. */
struct UnsafeInit {};

/** The keys of built-in types. */
struct StaticTypeKey {
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIAny = "Any";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFINone = "None";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIBool = "bool";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIInt = "int";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIFloat = "float";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIOpaquePtr = "void*";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIDataType = "DataType";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIDevice = "Device";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIDLTensorPtr = "DLTensor*";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIRawStr = "const char*";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIByteArrayPtr = "TVMFFIByteArray*";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIObjectRValueRef = "ObjectRValueRef";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFISmallStr = "ffi.SmallStr";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFISmallBytes = "ffi.SmallBytes";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIUnchanged = "ffi.Unchanged";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIObject = "ffi.Object";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIStr = "ffi.String";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIBytes = "ffi.Bytes";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIError = "ffi.Error";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIFunction = "ffi.Function";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIShape = "ffi.Shape";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFITensor = "ffi.Tensor";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIArray = "ffi.Array";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIMap = "ffi.Map";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIModule = "ffi.Module";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIOpaquePyObject = "ffi.OpaquePyObject";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIList = "ffi.List";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIDict = "ffi.Dict";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIVisitInterrupt = "ffi.VisitInterrupt";
  TVM_FFI_LOCAL static constexpr const char *kTVMFFIBigInt = "ffi.BigInt";
};

namespace detail {

constexpr uint64_t kStrongOne = 1;
constexpr uint64_t kWeakOne = uint64_t{1} << 32;
constexpr uint64_t kBothOne = kStrongOne | kWeakOne;

TVM_FFI_LOCAL_INLINE void Retain(TVMFFIObject *obj) {
  __atomic_fetch_add(&obj->combined_ref_count, kStrongOne, __ATOMIC_RELAXED);
}

/** What follows sees all that other threads did with the object before they released it. */
TVM_FFI_LOCAL_INLINE void AcquireReleased(const TVMFFIObject *obj) {
#if TVM_FFI_DETAIL_TSAN /* ThreadSanitizer does not model fences */
  (void)__atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE);
#else
  (void)obj;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline void ReleaseWeak(TVMFFIObject *obj) {
  if (__atomic_fetch_sub(&obj->combined_ref_count, kWeakOne, __ATOMIC_RELEASE) == kWeakOne) {
    AcquireReleased(obj);
    if (obj->deleter != nullptr) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

/** Runs when the last strong reference is gone; old is the count before. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline void Destroy(TVMFFIObject *obj, uint64_t old) {
  AcquireReleased(obj);
  if (old == kBothOne) {
    if (obj->deleter != nullptr) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
    return;
  }
  if (obj->deleter != nullptr) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
  ReleaseWeak(obj);
}

/**
 * Whether one strong reference is all that there is. The caller may then change the object in
 * place, so the reads of other threads must come first. These threads drop their references with
 * release order (Release, ReleaseWeak), and this load acquires, so their reads happen before
 * the writes that follow it. With a relaxed load they would be unordered: a data race.
 */
TVM_FFI_LOCAL_INLINE bool IsUnique(const TVMFFIObject *obj) {
  return __atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE) == kBothOne;
}

/** The number of strong references. Acquires, for callers that use it like IsUnique. */
TVM_FFI_LOCAL_INLINE uint32_t UseCount(const TVMFFIObject *obj) {
  return static_cast<uint32_t>(__atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE));
}

TVM_FFI_LOCAL_INLINE void Release(TVMFFIObject *obj) {
  const uint64_t old = __atomic_fetch_sub(&obj->combined_ref_count, kStrongOne, __ATOMIC_RELEASE);
  if (static_cast<uint32_t>(old) == 1) Destroy(obj, old);
}

}  // namespace detail

class Object;
/** See optional.h. The second parameter matches the reference's, for forward declarations. */
template <typename T, typename = void>
class Optional;
template <typename T>
class ObjectPtr;
template <typename T>
class Arc;
class ObjectRef;

namespace detail {

struct ObjectUnsafe;

/** Whether a type has this ancestor, whose depth is given, in its chain of parents. */
TVM_FFI_LOCAL TVM_FFI_NO_INLINE inline bool HasAncestor(int32_t type_index, int32_t depth,
                                                        int32_t ancestor) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  return info != nullptr && info->type_depth > depth &&
         info->type_ancestors[depth]->type_index == ancestor;
}

template <typename T>
TVM_FFI_LOCAL_INLINE bool IsObjectInstance(int32_t type_index) {
  if constexpr (std::is_same_v<std::remove_cv_t<T>, Object>) {
    return type_index >= kTVMFFIStaticObjectBegin;
  } else {
    const int32_t target = T::RuntimeTypeIndex();
    if (type_index == target) return true;
    if constexpr (T::_type_final) return false;
    if constexpr (T::_type_child_slots != 0) {
      if (type_index > target && type_index <= target + T::_type_child_slots) return true;
    }
    if constexpr (!T::_type_child_slots_can_overflow) return false;
    return type_index > target && HasAncestor(type_index, T::_type_depth, target);
  }
}

/** For functions that return std::string: a template, so that only callers need that class. */
template <typename S>
TVM_FFI_LOCAL S MakeString(TVMFFIByteArray text) {
  return S(text.data, text.size);
}

}  // namespace detail

template <class S = std::string>
TVM_FFI_LOCAL S TypeIndexToTypeKey(int32_t type_index) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type_index);
  if (info == nullptr) detail::ThrowRaised();
  return detail::MakeString<S>(info->type_key);
}

/** Errors: InternalError (unknown). */
template <class S>
TVM_FFI_LOCAL int32_t TypeKeyToIndex(const S &type_key) {
  const TVMFFIByteArray bytes = detail::BytesOf(type_key);
  int32_t index = 0;
  detail::CheckSafeCall(TVMFFITypeKeyToIndex(&bytes, &index));
  return index;
}

/**
 * The base of all object classes: it begins with the ABI's header. A class may have other bases
 * before it; handles are addresses of the header.
 */
class Object {
 public:
  TVM_FFI_LOCAL static constexpr const char *_type_key = StaticTypeKey::kTVMFFIObject;
  TVM_FFI_LOCAL static constexpr bool _type_final = false;
  TVM_FFI_LOCAL static constexpr bool _type_mutable = false;
  TVM_FFI_LOCAL static constexpr int32_t _type_child_slots = 0;
  TVM_FFI_LOCAL static constexpr bool _type_child_slots_can_overflow = true;
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIObject;
  TVM_FFI_LOCAL static constexpr int32_t _type_depth = 0;
  TVM_FFI_LOCAL static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind =
      kTVMFFISEqHashKindUnsupported;
  TVM_FFI_LOCAL static constexpr bool _type_s_eq_hash_subclass_kind_fixed = false;
  TVM_FFI_LOCAL_INLINE static int32_t RuntimeTypeIndex() noexcept { return _type_index; }
  TVM_FFI_LOCAL_INLINE static int32_t _GetOrAllocRuntimeTypeIndex() { return _type_index; }

  TVM_FFI_LOCAL Object() : header_{} {}

  template <typename T>
  TVM_FFI_LOCAL_INLINE bool IsInstance() const {
    return detail::IsObjectInstance<T>(header_.type_index);
  }
  TVM_FFI_LOCAL_INLINE int32_t type_index() const { return header_.type_index; }
  template <class S = std::string>
  TVM_FFI_LOCAL S GetTypeKey() const {
    return TypeIndexToTypeKey<S>(header_.type_index);
  }
  TVM_FFI_LOCAL uint64_t GetTypeKeyHash() const {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(header_.type_index);
    if (info == nullptr) detail::ThrowRaised();
    return info->type_key_hash;
  }
  template <class S = std::string>
  TVM_FFI_LOCAL static S TypeIndex2Key(int32_t type_index) {
    return TypeIndexToTypeKey<S>(type_index);
  }
  /** The number of strong references. */
  TVM_FFI_LOCAL_INLINE uint64_t use_count() const { return detail::UseCount(&header_); }
  /** One strong reference and no weak one: nobody else can access this object. */
  TVM_FFI_LOCAL_INLINE bool unique() const { return detail::IsUnique(&header_); }

 protected:
  TVMFFIObject header_;

  friend struct detail::ObjectUnsafe;
};

namespace detail {
/** For bodies of conversions: there, unlike in a constraint, the classes are complete. */
template <typename Base, typename Derived>
TVM_FFI_LOCAL_INLINE void RequireDerived() {
  static_assert(std::is_base_of_v<Base, Derived>,
                "a pointer converts to one to a class that its own class derives from");
}
}  // namespace detail

/** A strong reference to an object, or null. Holds the address of the header. */
template <typename T>
class ObjectPtr {
 public:
  TVM_FFI_LOCAL_INLINE ObjectPtr() = default;
  TVM_FFI_LOCAL_INLINE ObjectPtr(std::nullptr_t) {}
  TVM_FFI_LOCAL_INLINE ObjectPtr(const ObjectPtr &other) : data_(other.data_) { Retain(); }
  TVM_FFI_LOCAL_INLINE ObjectPtr(ObjectPtr &&other) noexcept : data_(other.data_) {
    other.data_ = nullptr;
  }
  /* Not constrained: U may be a class that is defined further down in the file. */
  template <typename U>
  TVM_FFI_LOCAL_INLINE ObjectPtr(const ObjectPtr<U> &other) : data_(other.data_) {
    detail::RequireDerived<T, U>();
    Retain();
  }
  template <typename U>
  TVM_FFI_LOCAL_INLINE ObjectPtr(ObjectPtr<U> &&other) noexcept : data_(other.data_) {
    detail::RequireDerived<T, U>();
    other.data_ = nullptr;
  }
  TVM_FFI_LOCAL_INLINE ~ObjectPtr() {
    if (data_ != nullptr) detail::Release(data_);
  }
  TVM_FFI_LOCAL_INLINE ObjectPtr &operator=(const ObjectPtr &other) {
    ObjectPtr(other).swap(*this);
    return *this;
  }
  TVM_FFI_LOCAL_INLINE ObjectPtr &operator=(ObjectPtr &&other) noexcept {
    ObjectPtr(std::move(other)).swap(*this);
    return *this;
  }

  TVM_FFI_LOCAL_INLINE T *get() const;
  TVM_FFI_LOCAL_INLINE T *operator->() const { return get(); }
  TVM_FFI_LOCAL_INLINE T &operator*() const { return *get(); }
  TVM_FFI_LOCAL_INLINE explicit operator bool() const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE void reset() { ObjectPtr().swap(*this); }
  TVM_FFI_LOCAL_INLINE void swap(ObjectPtr &other) noexcept {
    TVMFFIObject *data = data_;
    data_ = other.data_;
    other.data_ = data;
  }
  TVM_FFI_LOCAL_INLINE int use_count() const {
    return data_ == nullptr ? 0 : static_cast<int>(detail::UseCount(data_));
  }
  TVM_FFI_LOCAL_INLINE bool unique() const { return data_ != nullptr && detail::IsUnique(data_); }
  TVM_FFI_LOCAL_INLINE bool operator==(const ObjectPtr &other) const {
    return data_ == other.data_;
  }
  TVM_FFI_LOCAL_INLINE bool operator!=(const ObjectPtr &other) const {
    return data_ != other.data_;
  }
  TVM_FFI_LOCAL_INLINE bool operator==(std::nullptr_t) const { return data_ == nullptr; }
  TVM_FFI_LOCAL_INLINE bool operator!=(std::nullptr_t) const { return data_ != nullptr; }

 private:
  TVM_FFI_LOCAL_INLINE void Retain() {
    if (data_ != nullptr) detail::Retain(data_);
  }

  TVMFFIObject *data_ = nullptr;

  template <typename>
  friend class ObjectPtr;
  friend struct detail::ObjectUnsafe;
};

template <typename T>
TVM_FFI_LOCAL inline constexpr bool is_object_subclass_v = std::is_base_of_v<Object, T>;

namespace detail {

/** Access without checks of types: the caller is responsible for ownership. */
struct ObjectUnsafe {
  TVM_FFI_LOCAL_INLINE static TVMFFIObject *GetHeader(const Object *obj) {
    return const_cast<TVMFFIObject *>(&obj->header_);
  }
  template <typename Class>
  TVM_FFI_LOCAL_INLINE static int64_t GetObjectOffsetToSubclass() {
    return reinterpret_cast<int64_t>(&static_cast<Class *>(nullptr)->header_) -
           reinterpret_cast<int64_t>(static_cast<Class *>(nullptr));
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static T *RawObjectPtrFromUnowned(TVMFFIObject *header) {
    // The header is the first member of Object, which has no virtual functions.
    return static_cast<T *>(
        static_cast<std::conditional_t<std::is_const_v<T>, const Object, Object> *>(
            reinterpret_cast<Object *>(header)));
  }
  /** [take] */
  template <typename T>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromOwned(TVMFFIObject *header) {
    ObjectPtr<T> ptr;
    ptr.data_ = header;
    return ptr;
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromOwned(Object *obj) {
    return ObjectPtrFromOwned<T>(obj == nullptr ? nullptr : GetHeader(obj));
  }
  /** The caller guarantees that it is not null. Needs object_ptr.h. */
  template <typename T>
  TVM_FFI_LOCAL_INLINE static Arc<T> ArcFromObjectPtr(ObjectPtr<T> &&ptr) {
    Arc<T> arc{UnsafeInit{}};
    arc.swap(ptr);
    return arc;
  }
  /** [share] */
  template <typename T>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromUnowned(TVMFFIObject *header) {
    if (header != nullptr) Retain(header);
    return ObjectPtrFromOwned<T>(header);
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromUnowned(const Object *obj) {
    return ObjectPtrFromUnowned<T>(obj == nullptr ? nullptr : GetHeader(obj));
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static TVMFFIObject *TVMFFIObjectPtrFromObjectPtr(const ObjectPtr<T> &ptr) {
    return ptr.data_;
  }
  template <typename T>
  TVM_FFI_LOCAL_INLINE static TVMFFIObject *MoveObjectPtrToTVMFFIObjectPtr(ObjectPtr<T> &&ptr) {
    TVMFFIObject *header = ptr.data_;
    ptr.data_ = nullptr;
    return header;
  }
  template <typename Ref>
  TVM_FFI_LOCAL_INLINE static Ref ObjectRefFromObjectPtr(ObjectPtr<Object> ptr) {
    Ref ref{UnsafeInit{}};
    ref.data_ = std::move(ptr);
    return ref;
  }
  template <typename T, typename Ref>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromObjectRef(const Ref &ref) {
    return ObjectPtrFromUnowned<T>(ref.data_.data_);
  }
  template <typename T, typename Ref, typename = std::enable_if_t<!std::is_reference_v<Ref>>>
  TVM_FFI_LOCAL_INLINE static ObjectPtr<T> ObjectPtrFromObjectRef(Ref &&ref) {
    return ObjectPtrFromOwned<T>(MoveObjectRefToTVMFFIObjectPtr(static_cast<Ref &&>(ref)));
  }
  template <typename Ref>
  TVM_FFI_LOCAL_INLINE static Object *RawObjectPtrFromObjectRef(const Ref &ref) {
    return ref.data_.get();
  }
  template <typename Ref>
  TVM_FFI_LOCAL_INLINE static TVMFFIObject *TVMFFIObjectPtrFromObjectRef(const Ref &ref) {
    return ref.data_.data_;
  }
  template <typename Ref>
  TVM_FFI_LOCAL_INLINE static TVMFFIObject *MoveObjectRefToTVMFFIObjectPtr(Ref &&ref) {
    TVMFFIObject *header = ref.data_.data_;
    ref.data_.data_ = nullptr;
    return header;
  }
  /** Makes ref hold header. [share] */
  template <typename Ref>
  TVM_FFI_LOCAL_INLINE static void SetUnowned(Ref *ref, TVMFFIObject *header) {
    ref->data_ = ObjectPtrFromUnowned<Object>(header);
  }
  TVM_FFI_LOCAL_INLINE static void IncRefObjectHandle(TVMFFIObjectHandle handle) {
    Retain(static_cast<TVMFFIObject *>(handle));
  }
  TVM_FFI_LOCAL_INLINE static void DecRefObjectHandle(TVMFFIObjectHandle handle) {
    if (handle != nullptr) Release(static_cast<TVMFFIObject *>(handle));
  }
};

}  // namespace detail

template <typename T>
TVM_FFI_LOCAL_INLINE T *ObjectPtr<T>::get() const {
  return data_ == nullptr ? nullptr : detail::ObjectUnsafe::RawObjectPtrFromUnowned<T>(data_);
}

/** The base of the classes that hold an object and are passed around by value. */
class ObjectRef {
 public:
  using ContainerType = Object;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = true;
  TVM_FFI_LOCAL static constexpr bool _type_container_is_exact = true;

  TVM_FFI_LOCAL_INLINE ObjectRef() = default;
  TVM_FFI_LOCAL_INLINE explicit ObjectRef(ObjectPtr<Object> data) : data_(std::move(data)) {}
  TVM_FFI_LOCAL_INLINE explicit ObjectRef(UnsafeInit) {}
  TVM_FFI_LOCAL_INLINE ObjectRef(const ObjectRef &) = default;
  TVM_FFI_LOCAL_INLINE ObjectRef(ObjectRef &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE ObjectRef &operator=(const ObjectRef &) = default;
  TVM_FFI_LOCAL_INLINE ObjectRef &operator=(ObjectRef &&) noexcept = default;
  TVM_FFI_LOCAL_INLINE ~ObjectRef() = default;

  TVM_FFI_LOCAL_INLINE bool same_as(const ObjectRef &other) const { return data_ == other.data_; }
  TVM_FFI_LOCAL_INLINE bool operator==(const ObjectRef &other) const {
    return data_ == other.data_;
  }
  TVM_FFI_LOCAL_INLINE bool operator!=(const ObjectRef &other) const {
    return data_ != other.data_;
  }
  TVM_FFI_LOCAL_INLINE bool operator<(const ObjectRef &other) const {
    return reinterpret_cast<uintptr_t>(data_.get()) <
           reinterpret_cast<uintptr_t>(other.data_.get());
  }
  TVM_FFI_LOCAL_INLINE bool defined() const { return data_ != nullptr; }
  TVM_FFI_LOCAL_INLINE const Object *get() const { return data_.get(); }
  TVM_FFI_LOCAL_INLINE const Object *operator->() const { return get(); }
  TVM_FFI_LOCAL_INLINE bool unique() const { return data_.unique(); }
  TVM_FFI_LOCAL_INLINE int use_count() const { return data_.use_count(); }
  TVM_FFI_LOCAL_INLINE int32_t type_index() const {
    return data_ == nullptr ? static_cast<int32_t>(kTVMFFINone) : data_->type_index();
  }
  template <class S = std::string>
  TVM_FFI_LOCAL S GetTypeKey() const {
    return TypeIndexToTypeKey<S>(type_index());
  }

  /** As another class: a node pointer (null on mismatch), or a std::optional of a reference. */
  template <typename T, typename = std::enable_if_t<is_object_subclass_v<T>>>
  TVM_FFI_LOCAL_INLINE const T *as() const & {
    return data_ != nullptr && data_->IsInstance<T>() ? static_cast<const T *>(data_.get())
                                                      : nullptr;
  }
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, T>>, int = 0>
  TVM_FFI_LOCAL std::optional<T> as() const &;
  template <typename T, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, T>>, int = 0>
  TVM_FFI_LOCAL std::optional<T> as() &&;
  /** Errors: TypeError. */
  template <typename T>
  TVM_FFI_LOCAL T as_or_throw() const &;
  template <typename T>
  TVM_FFI_LOCAL T as_or_throw() &&;

 protected:
  TVM_FFI_LOCAL_INLINE Object *get_mutable() const { return data_.get(); }

  ObjectPtr<Object> data_;

  friend struct detail::ObjectUnsafe;
};

/** Whether a Ref may hold a T. Users may specialise it. */
template <typename Ref, typename T,
          typename =
              std::enable_if_t<std::is_base_of_v<ObjectRef, Ref> && std::is_base_of_v<Object, T>>>
TVM_FFI_LOCAL inline constexpr bool object_ref_contains_v =
    Ref::_type_container_is_exact &&std::is_base_of_v<typename Ref::ContainerType, T>;

/** A reference to the object at a pointer. Errors: InternalError (null). */
template <typename Ref, typename T>
TVM_FFI_LOCAL std::enable_if_t<std::is_base_of_v<ObjectRef, Ref>, Ref> GetRef(const T *ptr) {
  static_assert(object_ref_contains_v<Ref, T>,
                "this reference cannot hold objects of that class: give GetRef the reference class "
                "that is defined for it, or ObjectRef");
  if constexpr (!Ref::_type_is_nullable) {
    if (ptr == nullptr) {
      detail::Throw("InternalError", "GetRef: a null pointer for a reference that is never null");
    }
  }
  return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Ref>(
      detail::ObjectUnsafe::ObjectPtrFromUnowned<Object>(static_cast<const Object *>(ptr)));
}

template <typename Base, typename T>
TVM_FFI_LOCAL ObjectPtr<Base> GetObjectPtr(T *ptr) {
  static_assert(std::is_base_of_v<Base, T>,
                "Base is not a base of the pointer's class: give GetObjectPtr this class or one "
                "that it derives from");
  return detail::ObjectUnsafe::ObjectPtrFromUnowned<Base>(static_cast<const Object *>(ptr));
}

namespace detail {
/** Finds the object in a value of another class by Get(value); Variant specialises it. */
template <typename T>
struct ObjectIn;
}  // namespace detail

/** Hash by identity. */
struct ObjectPtrHash {
  TVM_FFI_LOCAL size_t operator()(const ObjectRef &ref) const {
    return reinterpret_cast<size_t>(ref.get());
  }
  template <typename T, typename = decltype(&detail::ObjectIn<T>::Get)>
  TVM_FFI_LOCAL size_t operator()(const T &value) const {
    return reinterpret_cast<size_t>(detail::ObjectIn<T>::Get(value));
  }
  template <typename T>
  TVM_FFI_LOCAL size_t operator()(const ObjectPtr<T> &ptr) const {
    return reinterpret_cast<size_t>(ptr.get());
  }
};

struct ObjectPtrEqual {
  TVM_FFI_LOCAL bool operator()(const ObjectRef &a, const ObjectRef &b) const {
    return a.same_as(b);
  }
  template <typename T, typename = decltype(&detail::ObjectIn<T>::Get)>
  TVM_FFI_LOCAL bool operator()(const T &a, const T &b) const {
    return detail::ObjectIn<T>::Get(a) == detail::ObjectIn<T>::Get(b);
  }
  template <typename T>
  TVM_FFI_LOCAL bool operator()(const ObjectPtr<T> &a, const ObjectPtr<T> &b) const {
    return a == b;
  }
};

/* ---- Inside the body of a class ---- */

/** @cond internal */
namespace detail {

template <typename T>
using NodePtrOf = std::conditional_t<T::_type_mutable, T *, const T *>;

TVM_FFI_LOCAL_COLD int32_t RegisterType(const char *key, int32_t static_index, int32_t depth,
                                        int32_t slots, bool overflow, int32_t parent) {
  const TVMFFIByteArray text{key, std::strlen(key)};
  const int32_t index =
      TVMFFITypeGetOrAllocIndex(&text, static_index, depth, slots, overflow ? 1 : 0, parent);
  if (index < 0) ThrowRaised();
  return index;
}

}  // namespace detail

#define TVM_FFI_DETAIL_OBJECT_INFO(TypeName, ParentType)                                      \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                                  \
  static_assert(!ParentType::_type_final,                                                     \
                "the parent of an object class is declared final: declare it with "           \
                "TVM_FFI_DECLARE_OBJECT_INFO, or derive from another");                       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr int32_t _type_depth =                       \
      ParentType::_type_depth + 1;                                                            \
  TVM_FFI_LOCAL static int32_t _GetOrAllocRuntimeTypeIndex() {                                \
    static_assert(!ParentType::_type_s_eq_hash_subclass_kind_fixed ||                         \
                      TypeName::_type_s_eq_hash_kind == ParentType::_type_s_eq_hash_kind,     \
                  "the parent fixes the structural kind of its children: leave out "          \
                  "_type_s_eq_hash_kind, or set it as in the parent");                        \
    static_assert(ParentType::_type_child_slots == 0 ||                                       \
                      ParentType::_type_child_slots_can_overflow ||                           \
                      TypeName::_type_child_slots < ParentType::_type_child_slots,            \
                  "the parent's child slots cannot take this class and its children: raise "  \
                  "_type_child_slots of the parent, lower it here, or set "                   \
                  "_type_child_slots_can_overflow in the parent");                            \
    return ::tvm::ffi::detail::RegisterType(                                                  \
        TypeName::_type_key, -1, TypeName::_type_depth, TypeName::_type_child_slots,          \
        TypeName::_type_child_slots_can_overflow, ParentType::_GetOrAllocRuntimeTypeIndex()); \
  }                                                                                           \
  TVM_FFI_DETAIL_QUIET_END
/** @endcond */

/** The type's index is assigned at run time, before main; the class defines _type_key. */
#define TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType) \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                  \
  TVM_FFI_DETAIL_OBJECT_INFO(TypeName, ParentType)                            \
  [[maybe_unused]] TVM_FFI_LOCAL static inline const int32_t _type_index =    \
      TypeName::_GetOrAllocRuntimeTypeIndex();                                \
  TVM_FFI_LOCAL_INLINE static int32_t RuntimeTypeIndex() noexcept {           \
    return TypeName::_type_index;                                             \
  }                                                                           \
  TVM_FFI_DETAIL_QUIET_END                                                    \
  static_assert(true, "")

#define TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)                 \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr const char *_type_key = TypeKey; \
  TVM_FFI_DETAIL_QUIET_END                                                         \
  TVM_FFI_DECLARE_OBJECT_INFO_PREDEFINED_TYPE_KEY(TypeName, ParentType)

/** The same for a class that nothing derives from. */
#define TVM_FFI_DECLARE_OBJECT_INFO_FINAL(TypeKey, TypeName, ParentType)         \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                     \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr int32_t _type_child_slots = 0; \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr bool _type_final = true;       \
  TVM_FFI_DETAIL_QUIET_END                                                       \
  TVM_FFI_DECLARE_OBJECT_INFO(TypeKey, TypeName, ParentType)

/** For types of the ABI: the class defines _type_index itself. */
#define TVM_FFI_DECLARE_OBJECT_INFO_STATIC(TypeKey, TypeName, ParentType)          \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr const char *_type_key = TypeKey; \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr int32_t _type_depth =            \
      ParentType::_type_depth + 1;                                                 \
  TVM_FFI_LOCAL_INLINE static int32_t RuntimeTypeIndex() noexcept {                \
    return TypeName::_type_index;                                                  \
  }                                                                                \
  TVM_FFI_LOCAL static int32_t _GetOrAllocRuntimeTypeIndex() {                     \
    return TypeName::_type_index;                                                  \
  }                                                                                \
  TVM_FFI_DETAIL_QUIET_END                                                         \
  static_assert(true, "")

/** For a type that is registered elsewhere; its index is looked up when first needed. */
#define TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP(TypeKey, TypeDepth)                     \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr const char *_type_key = TypeKey; \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr int32_t _type_depth = TypeDepth; \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr bool _type_final = false;        \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr bool _type_mutable = true;       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr int32_t _type_child_slots = 0;   \
  TVM_FFI_LOCAL static int32_t _GetOrAllocRuntimeTypeIndex() {                     \
    static const int32_t index = ::tvm::ffi::detail::RegisteredTypeIndex(TypeKey); \
    return index;                                                                  \
  }                                                                                \
  TVM_FFI_LOCAL static int32_t RuntimeTypeIndex() {                                \
    return _GetOrAllocRuntimeTypeIndex();                                          \
  }                                                                                \
  TVM_FFI_DETAIL_QUIET_END                                                         \
  static_assert(true, "")

/** @cond internal */
#define TVM_FFI_DETAIL_REF_METHODS(TypeName, ParentType, ObjectName)               \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                       \
  TVM_FFI_LOCAL explicit TypeName(::tvm::ffi::UnsafeInit tag) : ParentType(tag) {} \
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName)                            \
  using ContainerType = ObjectName;                                                \
  using __PtrType = ::tvm::ffi::detail::NodePtrOf<ObjectName>;                     \
  TVM_FFI_LOCAL_INLINE __PtrType operator->() const {                              \
    return get();                                                                  \
  }                                                                                \
  TVM_FFI_LOCAL_INLINE __PtrType get() const {                                     \
    return static_cast<__PtrType>(::tvm::ffi::ObjectRef::data_.get());             \
  }                                                                                \
  TVM_FFI_DETAIL_QUIET_END
/** @endcond */

/** The members of a reference that may be null. */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TypeName, ParentType, ObjectName) \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                         \
  TVM_FFI_LOCAL TypeName() : ParentType(::tvm::ffi::UnsafeInit{}) {}                 \
  TVM_FFI_LOCAL explicit TypeName(::tvm::ffi::ObjectPtr<ObjectName> ptr)             \
      : ParentType(::tvm::ffi::UnsafeInit{}) {                                       \
    this->data_ = std::move(ptr);                                                    \
  }                                                                                  \
  TVM_FFI_DETAIL_REF_METHODS(TypeName, ParentType, ObjectName)                       \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr bool _type_is_nullable = true;     \
  TVM_FFI_DETAIL_QUIET_END                                                           \
  static_assert(true, "")

/** The members of one that is never null; the class writes its own constructor from an object. */
#define TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(TypeName, ParentType, ObjectName) \
  TVM_FFI_DETAIL_QUIET_BEGIN                                                            \
  TVM_FFI_DETAIL_REF_METHODS(TypeName, ParentType, ObjectName)                          \
  [[maybe_unused]] TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;       \
  TVM_FFI_DETAIL_QUIET_END                                                              \
  static_assert(true, "")

namespace detail {

TVM_FFI_LOCAL_COLD int32_t RegisteredTypeIndex(const char *key) {
  const TVMFFIByteArray text{key, std::strlen(key)};
  int32_t index = 0;
  CheckSafeCall(TVMFFITypeKeyToIndex(&text, &index));
  return index;
}

/** Whether a value of type `actual` is accepted for `target`; -1 accepts anything. */
TVM_FFI_LOCAL inline bool RuntimeTypeIndexMatch(int32_t actual, int32_t target) {
  const TVMFFITypeInfo *info;
  if (actual == target || target == kTVMFFIAny) return true;
  if (target == kTVMFFIStr) return actual == kTVMFFISmallStr;
  if (target == kTVMFFIBytes) return actual == kTVMFFISmallBytes;
  if (actual < kTVMFFIStaticObjectBegin || target < kTVMFFIStaticObjectBegin) return false;
  if (target == kTVMFFIObject) return true;
  info = TVMFFIGetTypeInfo(target);
  return info != nullptr && HasAncestor(actual, info->type_depth, target);
}

}  // namespace detail

TVM_FFI_NAMESPACE_END

#include <tvm/ffi/detail/error_object.h>
#ifndef TVM_FFI_LEAN
#include <tvm/ffi/type_traits.h>

#include <string>
#endif

#endif  // TVM_FFI_OBJECT_H_
