// SPDX-License-Identifier: Apache-2.0
// Sizes, how values are passed and moved, and hashes. Standard containers of these types have the
// same mangled names with either set of headers, so the dynamic linker may bind one library to the
// other's functions: everything that those functions rely on must be the same.
#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>

#include <functional>

#include "names.h"

namespace {

// Prints layouts only: the library that registers a type creates and destroys its objects.
template <typename T>
void ObjectLayout(const char *name) {
  Line(name, [] { Show(sizeof(T), alignof(T), std::is_polymorphic_v<T>); });
}

template <typename T>
void ValueLayout(const char *name) {
  Line(name, [] {
    Show(sizeof(T), alignof(T), std::is_polymorphic_v<T>, std::is_empty_v<T>,
         std::is_trivially_copyable_v<T>, std::is_trivially_destructible_v<T>,
         std::is_copy_constructible_v<T>, std::is_copy_assignable_v<T>);
  });
}

#define OBJECT(...) ObjectLayout<__VA_ARGS__>(#__VA_ARGS__)
#define VALUE(...) ValueLayout<__VA_ARGS__>(#__VA_ARGS__)

// Libraries export classes derived from this one: their own data begins behind its records.
struct Recorder : StructuralMapEngineBase {
  Recorder() : StructuralMapEngineBase(nullptr) {}
  static ptrdiff_t Offset() {
    Recorder recorder;
    return reinterpret_cast<char *>(&recorder.own) - reinterpret_cast<char *>(&recorder);
  }
  char own = 0;
};

template <typename T>
size_t StdHash(const T &value) {
  return std::hash<T>()(value);
}

void Hashes() {
  const String short_text("abc");
  const String long_text("a text that does not fit into a small string");
  Line("String", [&] { Show(StdHash(short_text), StdHash(long_text), StdHash(String(""))); });
  Line("Bytes", [&] { Show(StdHash(Bytes("abc")), StdHash(Bytes(std::string(40, 'x')))); });
  Line("any", [&] {
    Show(AnyHash()(Any(1)), AnyHash()(Any(-1.5)), AnyHash()(Any(true)), AnyHash()(Any(nullptr)),
         AnyHash()(Any(short_text)), AnyHash()(Any(long_text)),
         AnyHash()(Any(DLDevice{kDLCUDA, 1})));
  });
  Line("structural", [&] {
    Show(StructuralHash()(Any(1)), StructuralHash()(Array<Any>{1, short_text}),
         StdHash(StructuralKey(Array<Any>{1, short_text})));
  });
  // Both sets of headers hash an address alike.
  Line("pointer", [&] {
    const ObjectRef ref = Array<int>{1};
    Show(ObjectPtrHash()(ref) == std::hash<const Object *>()(ref.get()),
         ObjectPtrEqual()(ref, ref));
  });
}

}  // namespace

int main() {
  OBJECT(Object);
  OBJECT(FunctionObj);
  OBJECT(ErrorObj);
  OBJECT(ShapeObj);
  OBJECT(TensorObj);
  OBJECT(ArrayObj);
  OBJECT(ListObj);
  OBJECT(MapObj);
  OBJECT(DictObj);
  OBJECT(ModuleObj);
  OBJECT(StructuralKeyObj);
  OBJECT(StructuralVisitorObj);
  OBJECT(StructuralMutatorObj);
  OBJECT(StructuralMapEngineBase);
  OBJECT(VisitInterruptObj);
  OBJECT(VisitErrorContextObj);
  Line("own data", [] { Show(Recorder::Offset()); });
  VALUE(Any);
  VALUE(AnyView);
  VALUE(Error);
  VALUE(String);
  VALUE(Bytes);
  VALUE(Function);
  VALUE(Shape);
  VALUE(ShapeView);
  VALUE(Tensor);
  VALUE(TensorView);
  VALUE(Module);
  VALUE(ObjectRef);
  VALUE(ObjectPtr<Object>);
  VALUE(WeakObjectPtr<Object>);
  VALUE(Array<Any>);
  VALUE(Array<int64_t>);
  VALUE(List<String>);
  VALUE(Map<String, Any>);
  VALUE(Dict<Any, Any>);
  VALUE(Tuple<int, String>);
  VALUE(Variant<int64_t, String>);
  VALUE(Variant<Tensor, Function>);
  VALUE(Optional<int32_t>);
  VALUE(Optional<int64_t>);
  VALUE(Optional<double>);
  VALUE(Optional<bool>);
  VALUE(Optional<String>);
  VALUE(Optional<Bytes>);
  VALUE(Optional<Tensor>);
  VALUE(Optional<TensorView>);
  VALUE(Optional<Any>);
  VALUE(Optional<DLDataType>);
  VALUE(Optional<DLDevice>);
  VALUE(Optional<Variant<int, String>>);
  VALUE(Optional<Array<int>>);
  VALUE(Expected<int64_t>);
  VALUE(Expected<Tensor>);
  VALUE(Expected<void>);
  VALUE(Unexpected<Error>);
  VALUE(TypedFunction<int(int)>);
  VALUE(RValueRef<Array<int>>);
  VALUE(PackedArgs);
  VALUE(StructuralKey);
  VALUE(UnchangedOr<Any>);
  VALUE(VisitInterrupt);
  VALUE(WalkResult);
  Hashes();
  return 0;
}
