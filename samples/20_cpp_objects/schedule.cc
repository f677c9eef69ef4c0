/* SPDX-License-Identifier: Apache-2.0 */
/* A custom type in C++: objects with fields, methods and a constructor, available to hosts in any
 * language, and kernels that take them. */
#include <tvm/ffi/cast.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace my_kernels {

/* The step sizes of a training: `base`, divided by ten at each milestone. */
class ScheduleObj : public ffi::Object {
 public:
  ScheduleObj() = default;  // for reflection, which then sets the fields
  ScheduleObj(ffi::String name_, double base_, ffi::Array<int64_t> milestones_)
      : name(std::move(name_)), base(base_), milestones(std::move(milestones_)) {
    TVM_FFI_CHECK(base > 0, ValueError) << "base must be above 0, not " << base;
  }

  double Rate(int64_t step) const {
    double rate = base;
    for (int64_t milestone : milestones) rate = step < milestone ? rate : rate / 10;
    return rate;
  }

  ffi::String name;
  double base = 0;
  ffi::Array<int64_t> milestones;

  static constexpr bool _type_mutable = true;  // has fields that are written
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("my_kernels.Schedule", ScheduleObj, ffi::Object);
};

/* The type used in C++: a counted reference to such an object. */
class Schedule : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Schedule, ffi::ObjectRef, ScheduleObj);
};

/* An exception would end the process, so a second copy of this library checks whether the type is
 * registered. */
TVM_FFI_STATIC_INIT_BLOCK() {
  if (TVMFFIGetTypeInfo(ScheduleObj::_GetOrAllocRuntimeTypeIndex())->metadata != nullptr) return;
  refl::ObjectDef<ScheduleObj>("How large the steps of a training are.")
      .def(refl::init<ffi::String, double, ffi::Array<int64_t>>())
      .def_ro("name", &ScheduleObj::name)
      .def_rw("base", &ScheduleObj::base, "The size of the first steps.", refl::default_value(0.1))
      .def_ro(
          "milestones", &ScheduleObj::milestones,
          refl::default_factory(ffi::Function::FromTyped([] { return ffi::Array<int64_t>{100}; })))
      .def("rate", &ScheduleObj::Rate, "The size of a step.")
      .def_static("constant", [](double base) {
        return Schedule(ffi::make_object<ScheduleObj>("constant", base, ffi::Array<int64_t>()));
      });
}

/* A kernel that takes a Schedule. */
double Total(const Schedule &schedule, int64_t steps) {
  TVM_FFI_CHECK(schedule.defined(), TypeError) << "schedule must not be None";
  double total = 0;
  for (int64_t step = 0; step < steps; ++step) total += schedule->Rate(step);
  return total;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total, Total);

}  // namespace my_kernels
