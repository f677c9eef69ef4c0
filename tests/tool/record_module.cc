/* SPDX-License-Identifier: Apache-2.0 */
/* A module and a type in C++, compiled with the headers of the reference's package: functions that
 * Python calls and no dlsym finds. */
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

namespace ffi = tvm::ffi;

namespace {

class CompiledModule : public ffi::ModuleObj {
 public:
  const char *kind() const final { return "test_record.compiled"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) final {
    if (name != "triple") return std::nullopt;
    return ffi::Function::FromTyped([](int64_t x) { return 3 * x; });
  }
};

class CounterObj : public ffi::Object {
 public:
  int64_t count = 0;
  int64_t Next(int64_t step) { return count += step; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_record.Counter", CounterObj, ffi::Object);
};

class Counter : public ffi::ObjectRef {
 public:
  Counter() : ffi::ObjectRef(ffi::make_object<CounterObj>()) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Counter, ffi::ObjectRef, CounterObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  ffi::reflection::ObjectDef<CounterObj>()
      .def_ro("count", &CounterObj::count)
      .def("next", &CounterObj::Next);
}

ffi::Module MakeModule() {
  return ffi::Module(ffi::make_object<CompiledModule>());
}
Counter MakeCounter() {
  return Counter();
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_module, MakeModule);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_counter, MakeCounter);
