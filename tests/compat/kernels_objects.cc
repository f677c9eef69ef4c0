/* SPDX-License-Identifier: Apache-2.0 */
/* More kernels of kernels_package.cc's library: objects with reflected fields, standard classes. */
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

std::optional<double> MaybeStd(std::optional<double> a) {
  return a;
}
std::tuple<int64_t, double> StdPair(std::tuple<int64_t, double> pair) {
  return {std::get<0>(pair) + 1, std::get<1>(pair) + 1};
}
std::vector<int64_t> StdVector(std::vector<int64_t> values) {
  values.push_back(7);
  return values;
}

// Objects of types registered here, with fields and methods.
class PointObj : public ffi::Object {
 public:
  int64_t x = 0;
  double weight = 1.5;
  ffi::String name;
  ffi::Array<int64_t> path;
  PointObj() = default;
  PointObj(int64_t x, ffi::String name) : x(x), name(std::move(name)) {}
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("compat.Point", PointObj, ffi::Object);
};
class Point : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ffi::ObjectRef, PointObj);
};
class Point3Obj : public PointObj {
 public:
  int64_t z = 0;
  Point3Obj() = default;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("compat.Point3", Point3Obj, PointObj);
};
class Point3 : public Point {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point3, Point, Point3Obj);
};
Point MakePoint(int64_t x, ffi::String name) {
  auto point = ffi::make_object<PointObj>(x, name);
  point->path = {x, x + 1};
  return Point(point);
}
Point MakePoint3(int64_t x) {
  auto point = ffi::make_object<Point3Obj>();
  point->x = x;
  point->z = -x;
  return Point3(point);
}
int64_t PointX(Point point) {
  return point->x;
}
int64_t Point3Z(Point3 point) {
  return point->z;
}
ffi::Optional<Point3> AsPoint3(Point point) {
  return point.as<Point3>();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<PointObj>()
      .def(refl::init<int64_t, ffi::String>())
      .def_rw("x", &PointObj::x, "The x.")
      .def_ro("weight", &PointObj::weight)
      .def_ro("name", &PointObj::name)
      .def_ro("path", &PointObj::path)
      .def("scaled", [](const PointObj *self, int64_t factor) { return self->x * factor; })
      .def_static("origin", []() { return MakePoint(0, "origin"); });
  refl::ObjectDef<Point3Obj>().def_rw("z", &Point3Obj::z);
}

}  // namespace

#define EXPORT(name, function) TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function)

EXPORT(maybe_std, MaybeStd);
EXPORT(std_pair, StdPair);
EXPORT(std_vector, StdVector);
EXPORT(make_point, MakePoint);
EXPORT(make_point3, MakePoint3);
EXPORT(point_x, PointX);
EXPORT(point3_z, Point3Z);
EXPORT(as_point3, AsPoint3);
