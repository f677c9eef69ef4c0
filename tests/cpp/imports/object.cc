/* SPDX-License-Identifier: Apache-2.0 */
/* An extension with a type of its own. object.txt lists its imports. Compiled without exceptions as
 * well. */
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class CounterObj : public ffi::Object {
 public:
  CounterObj() = default;
  CounterObj(ffi::String name_, int64_t count_) : name(std::move(name_)), count(count_) {}
  int64_t Next() { return ++count; }

  ffi::String name;
  int64_t count = 0;
  ffi::Optional<ffi::Function> watch;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.imports.Counter", CounterObj, ffi::Object);
};

class Counter : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Counter, ffi::ObjectRef, CounterObj);
};

int64_t HashOf(const ffi::Any &value) {
  return value.as<CounterObj>()->count;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CounterObj>("Counts.", refl::init(true))
      .def(refl::init<ffi::String, int64_t>(), "Of a name and where to begin.")
      .def_ro("name", &CounterObj::name, "The name.")
      .def_rw("count", &CounterObj::count, refl::default_(0), refl::Metadata({{"unit", "calls"}}))
      .def_rw("watch", &CounterObj::watch,
              refl::default_factory([] { return ffi::Function(nullptr); }), refl::repr(false))
      .def("next", &CounterObj::Next)
      .def_static("zero", [] { return int64_t{0}; })
      .def_convert<Counter>();
  refl::TypeAttrDef<CounterObj>()
      .native_fn_attr<&HashOf>(ffi::type_attr::kAnyHash)
      .def("test.imports.attribute", "text");
  refl::EnsureTypeAttrColumn("test.imports.attribute");
}

int64_t CountOf(const Counter &counter) {
  return refl::FieldGetter("test.imports.Counter", "count")(counter).cast<int64_t>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_of, CountOf)
