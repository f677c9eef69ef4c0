// SPDX-License-Identifier: Apache-2.0
// Methods with overloads: what is registered for them, which one is called, the texts of errors.
#include <tvm/ffi/reflection/overload.h>
#include <tvm/ffi/reflection/registry.h>

#include <vector>

#include "names.h"

namespace refl = tvm::ffi::reflection;

namespace {

class ValueObj : public Object {
 public:
  ValueObj() = default;
  explicit ValueObj(int64_t value_) : made(1), value(value_) {}
  explicit ValueObj(const String &) : made(2) {}
  ValueObj(int64_t value_, double) : made(3), value(value_) {}
  explicit ValueObj(DLDataType) : made(4) {}
  int64_t Get() const { return value; }
  int64_t Plus(int64_t amount) const { return value + amount; }
  double PlusFloat(double amount) const { return static_cast<double>(value) + amount; }
  void Set(int64_t x) { value = x; }

  int64_t made = 0;
  int64_t value = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Overloaded", ValueObj, Object);
};
class Value : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Value, ObjectRef, ValueObj);
};

int64_t Fail(int64_t, const String &) {
  throw Error("ValueError", "from inside", "");
}

void Register() {
  refl::OverloadObjectDef<ValueObj>()
      .def_rw("value", &ValueObj::value)
      .def(refl::init<>())
      .def(refl::init<int64_t>())
      .def(refl::init<String>())
      .def(refl::init<int64_t, double>())
      .def("get", &ValueObj::Get)
      .def("get", &ValueObj::Plus)
      .def("get", [](const Value &, const String &text) { return text; })
      .def("get", &ValueObj::PlusFloat)
      .def("get",
           [](const ValueObj *self, Optional<Array<int64_t>> list) {
             return self->value +
                    (list.has_value() ? static_cast<int64_t>(list.value().size()) : -1);
           })
      .def("set", &ValueObj::Set)
      .def_static("pick", [](int x) { return x; })
      .def_static("pick", [](String x, bool) { return x; })
      .def_static("pick", &Fail)
      .def_static("pick", [](int64_t, int64_t) {})
      .def_static("dtype", [](int64_t) { return 1; })
      .def_static("dtype", [](DLDataType) { return 2; })
      .def_static("dtype", [](const Array<int64_t> &) { return 3; })
      .def_static("alone", [](int x) { return x; });
}

void ShowRegistered() {
  const TypeInfo *info = TVMFFIGetTypeInfo(ValueObj::RuntimeTypeIndex());
  std::vector<Function> functions;
  for (int i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo &method = info->methods[i];
    Line("method", [&] {
      Show(String(method.name), method.flags, String(method.doc), String(method.metadata));
    });
    functions.push_back(AnyView::CopyFromTVMFFIAny(method.method).cast<Function>());
  }
  Line("same", [&] {
    for (const Function &a : functions) {
      for (const Function &b : functions) Show(a.same_as(b));
    }
  });
  Line("fields", [&] { Show(info->num_fields, String(info->fields[0].name)); });
  Line("attribute", [] {
    const refl::TypeAttrColumn column(type_attr::kInit);
    Show(column[ValueObj::RuntimeTypeIndex()].cast<Function>().same_as(
        refl::GetMethod("names.Overloaded", "__ffi_init__")));
  });
}

template <typename... Args>
void ShowCall(const char *name, const Args &...args) {
  Line(name, [&] {
    const Any result = refl::GetMethod("names.Overloaded", name)(args...);
    if (const ValueObj *value = result.as<ValueObj>()) {
      Show(value->made, value->value);
    } else {
      Show(result.GetTypeKey(),
           Function::GetGlobalRequired("ffi.ReprPrint")(result).cast<String>());
    }
  });
}

void ShowCalls() {
  const Value value(make_object<ValueObj>(5));
  ShowCall("__ffi_init__");
  ShowCall("__ffi_init__", 7);
  ShowCall("__ffi_init__", true);
  ShowCall("__ffi_init__", "text");
  ShowCall("__ffi_init__", 7, 8);
  ShowCall("__ffi_init__", 7, nullptr);
  ShowCall("__ffi_init__", 1, 2, 3);
  ShowCall("__ffi_init__", nullptr);
  ShowCall("get", value);
  ShowCall("get", value, 3);
  ShowCall("get", value, true);
  ShowCall("get", value, 2.5);
  ShowCall("get", value, "text");
  ShowCall("get", value, nullptr);
  ShowCall("get", value, Array<Any>{1, 2});
  ShowCall("get", value, Array<Any>{1, "x"});
  ShowCall("get");
  ShowCall("get", 1);
  ShowCall("get", value, 1, 2);
  ShowCall("set", value, 8);
  ShowCall("get", value);
  ShowCall("set", value, "x");
  ShowCall("set", value);
  ShowCall("pick", 1);
  ShowCall("pick", "a", true);
  ShowCall("pick", 1, "a");
  ShowCall("pick", 1, 2);
  ShowCall("pick", "a");
  ShowCall("pick", 1.5, nullptr);
  ShowCall("pick");
  ShowCall("dtype", 1);
  ShowCall("dtype", "int32");
  ShowCall("dtype", "no dtype");
  ShowCall("dtype", 1.5);
  ShowCall("dtype", Array<int64_t>{1});
  ShowCall("alone", 4);
  ShowCall("alone", "x");
  ShowCall("alone");
}

}  // namespace

int main() {
  Register();
  ShowRegistered();
  ShowCalls();
  return 0;
}
