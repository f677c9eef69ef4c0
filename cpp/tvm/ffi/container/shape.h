/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/container/shape.h
 * Shapes of tensors: ShapeView borrows the extents, Shape owns them and never changes.
 */
#ifndef TVM_FFI_CONTAINER_SHAPE_H_
#define TVM_FFI_CONTAINER_SHAPE_H_

#include <tvm/ffi/any.h>
#ifndef TVM_FFI_LEAN
#include <algorithm>
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_LOCAL_COLD void ThrowShapeIndex(size_t i, size_t size) {
  ThrowNumbers("IndexError", "indexing ", static_cast<int64_t>(i), " on a Shape of size ",
               static_cast<int64_t>(size), "");
}

/** The accessors of ShapeView and Shape; Self has data() and size(). */
template <typename Self>
class ShapeAccess {
 public:
  TVM_FFI_LOCAL_INLINE int64_t operator[](size_t i) const { return self().data()[i]; }
  /** Errors: IndexError. */
  TVM_FFI_LOCAL_INLINE int64_t at(size_t i) const {
    if (TVM_FFI_PREDICT_FALSE(i >= self().size())) ThrowShapeIndex(i, self().size());
    return self().data()[i];
  }
  TVM_FFI_LOCAL_INLINE int64_t front() const { return at(0); }
  TVM_FFI_LOCAL_INLINE int64_t back() const { return at(self().size() - 1); }
  TVM_FFI_LOCAL_INLINE bool empty() const { return self().size() == 0; }
  TVM_FFI_LOCAL_INLINE const int64_t *begin() const { return self().data(); }
  TVM_FFI_LOCAL_INLINE const int64_t *end() const { return self().data() + self().size(); }
  /** 1 when there are no extents. */
  TVM_FFI_LOCAL int64_t Product() const {
    int64_t product = 1;
    for (const int64_t extent : *this) product *= extent;
    return product;
  }

 private:
  TVM_FFI_LOCAL_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
};

/** Computes row-major strides. */
TVM_FFI_LOCAL inline void FillStrides(const int64_t *shape, size_t ndim, int64_t *out) {
  int64_t stride = 1;
  for (size_t i = ndim; i-- > 0;) {
    out[i] = stride;
    stride *= shape[i];
  }
}

}  // namespace detail

class ShapeView : public detail::ShapeAccess<ShapeView> {
 public:
  TVM_FFI_LOCAL_INLINE ShapeView() : cell_{nullptr, 0} {}
  TVM_FFI_LOCAL_INLINE ShapeView(const int64_t *data, size_t size) : cell_{data, size} {}
  TVM_FFI_LOCAL_INLINE ShapeView(const std::initializer_list<int64_t> &extents)
      : cell_{extents.begin(), extents.size()} {}
  TVM_FFI_LOCAL_INLINE ShapeView(const ShapeView &) = default;
  TVM_FFI_LOCAL_INLINE ShapeView &operator=(const ShapeView &) = default;
  TVM_FFI_LOCAL_INLINE const int64_t *data() const { return cell_.data; }
  TVM_FFI_LOCAL_INLINE size_t size() const { return cell_.size; }

 private:
  TVMFFIShapeCell cell_;
};

class ShapeObj : public Object, public TVMFFIShapeCell {
 public:
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIShape;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIShape, ShapeObj, Object);
  using index_type = int64_t;
  TVM_FFI_LOCAL_INLINE ShapeObj() = default;
  /** The product of the extents: 1 when there are none. */
  TVM_FFI_LOCAL int64_t Product() const {
    return ShapeView(TVMFFIShapeCell::data, TVMFFIShapeCell::size).Product();
  }
};

namespace detail {

/** A shape in one block; the caller fills in the extents through *out. */
TVM_FFI_LOCAL inline ObjectPtr<ShapeObj> MakeShape(size_t size, int64_t **out) {
  ObjectPtr<ShapeObj> obj = make_inplace_array_object<ShapeObj, int64_t>(size);
  *out = reinterpret_cast<int64_t *>(obj.get() + 1);
  obj->TVMFFIShapeCell::data = *out;
  obj->TVMFFIShapeCell::size = size;
  return obj;
}

TVM_FFI_LOCAL inline ObjectPtr<Object> CopyShape(const int64_t *data, size_t size) {
  int64_t *target = nullptr;
  ObjectPtr<Object> obj = MakeShape(size, &target);
  if (size != 0) std::memcpy(target, data, size * sizeof *data);
  return obj;
}

TVM_FFI_LOCAL inline void FillStridesFromShape(ShapeView shape, int64_t *out) {
  FillStrides(shape.data(), shape.size(), out);
}
TVM_FFI_LOCAL inline ObjectPtr<ShapeObj> MakeStridesFromShape(ShapeView shape) {
  int64_t *target = nullptr;
  ObjectPtr<ShapeObj> strides = MakeShape(shape.size(), &target);
  FillStridesFromShape(shape, target);
  return strides;
}

}  // namespace detail

class Shape : public ObjectRef, public detail::ShapeAccess<Shape> {
 public:
  using ContainerType = ShapeObj;
  using __PtrType = const ShapeObj *;
  using index_type = ShapeObj::index_type;
  TVM_FFI_LOCAL static constexpr bool _type_is_nullable = false;

  TVM_FFI_LOCAL Shape() : ObjectRef(detail::CopyShape(nullptr, 0)) {}
  TVM_FFI_LOCAL_INLINE explicit Shape(UnsafeInit tag) : ObjectRef(tag) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(Shape)
  TVM_FFI_LOCAL Shape(ShapeView view) : ObjectRef(detail::CopyShape(view.data(), view.size())) {}
  TVM_FFI_LOCAL Shape(std::initializer_list<int64_t> extents)
      : ObjectRef(detail::CopyShape(extents.begin(), extents.size())) {}
  /** From an Array<int64_t>, a std::vector<int64_t> or any other range that knows its size. */
  template <
      typename C,
      typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, C> || !std::is_base_of_v<Shape, C>>,
      typename = std::enable_if_t<
          std::is_same_v<std::decay_t<decltype(*std::declval<const C &>().begin())>, int64_t>>>
  TVM_FFI_LOCAL Shape(const C &extents) : Shape(extents.begin(), extents.end()) {}
  template <typename Iterator, typename = decltype(*std::declval<Iterator &>())>
  TVM_FFI_LOCAL Shape(Iterator first, Iterator last) : ObjectRef(UnsafeInit{}) {
    size_t size = 0;
    int64_t *target = nullptr;
    for (Iterator i = first; i != last; ++i) ++size;
    data_ = detail::MakeShape(size, &target);
    for (; first != last; ++first) *target++ = static_cast<int64_t>(*first);
  }
  /** Row-major strides of a shape. */
  TVM_FFI_LOCAL static Shape StridesFromShape(ShapeView shape) {
    Shape strides{UnsafeInit{}};
    strides.data_ = detail::MakeStridesFromShape(shape);
    return strides;
  }

  TVM_FFI_LOCAL_INLINE const ShapeObj *get() const {
    return static_cast<const ShapeObj *>(data_.get());
  }
  TVM_FFI_LOCAL_INLINE const ShapeObj *operator->() const { return get(); }
  TVM_FFI_LOCAL_INLINE const int64_t *data() const { return get()->TVMFFIShapeCell::data; }
  TVM_FFI_LOCAL_INLINE size_t size() const { return get()->TVMFFIShapeCell::size; }
  TVM_FFI_LOCAL_INLINE operator ShapeView() const { return ShapeView(data(), size()); }
};

namespace detail {

TVM_FFI_LOCAL_COLD void PutShape(Text &text, ShapeView shape) {
  text.Put('[');
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text.Put(", ");
    text.PutInt(shape[i]);
  }
  text.Put(']');
}

}  // namespace detail

template <typename Traits>
TVM_FFI_LOCAL std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &os,
                                                           const Shape &shape) {
  detail::Text text;
  detail::PutShape(text, shape);
  os.write(text.data(), static_cast<std::ptrdiff_t>(text.size()));
  return os;
}

template <>
TVM_FFI_LOCAL inline constexpr bool use_default_type_traits_v<Shape> = false;

template <>
struct TypeTraits<Shape> : detail::OwnRefTraits<Shape> {
  TVM_FFI_LOCAL static constexpr int32_t field_static_type_index = kTVMFFIShape;
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, Shape *out) {
    if (TVM_FFI_PREDICT_TRUE(source->type_index == kTVMFFIShape)) {
      detail::ObjectUnsafe::SetUnowned(out, source->v_obj);
      return detail::kReadOk;
    }
    return ReadArray(source, out);
  }

 private:
  /** Reads an Array of integers. */
  TVM_FFI_LOCAL TVM_FFI_NO_INLINE static int ReadArray(const TVMFFIAny *source, Shape *out) {
    if (source->type_index != kTVMFFIArray) return detail::kReadMismatch;
    const TVMFFISeqCell *cell = TVMFFISeqGetCellPtr(source->v_obj);
    const TVMFFIAny *items = static_cast<const TVMFFIAny *>(cell->data);
    int64_t *target = nullptr;
    for (int64_t i = 0; i < cell->size; ++i) {
      if (items[i].type_index != kTVMFFIInt && items[i].type_index != kTVMFFIBool) {
        return detail::kReadMismatch;
      }
    }
    *out = detail::ObjectUnsafe::ObjectRefFromObjectPtr<Shape>(
        detail::MakeShape(static_cast<size_t>(cell->size), &target));
    for (int64_t i = 0; i < cell->size; ++i) target[i] = items[i].v_int64;
    return detail::kReadOk;
  }
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_CONTAINER_SHAPE_H_
