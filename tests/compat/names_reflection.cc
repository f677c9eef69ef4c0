// SPDX-License-Identifier: Apache-2.0
// Types with fields, methods and attributes: what ObjectDef registers, and the code that reads it.
#include <limits>

#include "names.h"

namespace refl = tvm::ffi::reflection;

namespace {

/* ---- Classes ---- */

class BaseObj : public Object {
 public:
  int64_t a = 3;
  String s = "xy";
  int64_t Get() const { return a; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Base", BaseObj, Object);
};
class Base : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Base, ObjectRef, BaseObj);
};

/* Has a field of each kind. */
class FieldsObj : public BaseObj {
 public:
  FieldsObj() = default;
  FieldsObj(int64_t a_, String s_) {
    a = a_;
    s = s_;
  }
  int64_t Sum(int64_t x) const { return a + x; }
  void Set(int64_t x) { a = x; }

  double d = 1.5;
  bool b = true;
  int8_t i8 = 1;
  float f32 = 2;
  uint64_t u64 = 5;
  DLDataType dtype{kDLInt, 32, 1};
  DLDevice device{kDLCPU, 0};
  void *pointer = nullptr;
  Any any;
  Array<int64_t> array;
  List<int64_t> list;
  Map<String, Any> map;
  Shape shape;
  Tensor tensor;
  Function function;
  TypedFunction<int64_t(int64_t)> typed;
  Optional<String> text;
  Optional<int64_t> number;
  Optional<Base> maybe;
  Variant<int64_t, String> variant = int64_t{4};
  Tuple<int64_t, String> tuple;
  ObjectPtr<BaseObj> counted;
  Base ref;
  std::string std_string = "std";
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Fields", FieldsObj, BaseObj);
};
class Fields : public Base {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Fields, Base, FieldsObj);
};

/* Its Object base is not at offset 0, and it has a virtual table. */
struct Mixed {
  int64_t first = 1, second = 2;
};
class ShiftedObj : public Mixed, public BaseObj {
 public:
  virtual ~ShiftedObj() = default;
  virtual int64_t Virtual() { return second; }
  int64_t own = 7;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Shifted", ShiftedObj, BaseObj);
};
class Shifted : public Base {
 public:
  int64_t OfRef(int64_t x) const { return get()->own + x; }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Shifted, Base, ShiftedObj);
};

/* Created, and its fields set, by name. */
class PointObj : public Object {
 public:
  int64_t x = 0, y = 0;
  Array<int64_t> tags;
  int64_t Neg(int64_t number) { return -number; }
  int64_t Neg(double number) const { return static_cast<int64_t>(number) - 1; }
  int64_t Neg(double number, bool) { return static_cast<int64_t>(number) - 2; }
  static constexpr bool _type_mutable = true;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Point", PointObj, Object);
};
class Point : public ObjectRef {
 public:
  explicit Point(int64_t x) {
    auto data = make_object<PointObj>();
    data->x = x;
    data_ = data;
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, ObjectRef, PointObj);
};

/* Has neither a default constructor nor a copy constructor. */
class BareObj : public Object {
 public:
  explicit BareObj(int64_t value_) : value(value_) {}
  BareObj(const BareObj &) = delete;
  int64_t value;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Bare", BareObj, Object);
};
class UnsafeObj : public Object {
 public:
  explicit UnsafeObj(UnsafeInit tag) : values(tag) {}
  Array<int64_t> values;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Unsafe", UnsafeObj, Object);
};

int64_t num_throwing = 0;
struct Counted {
  Counted() { ++num_throwing; }
  Counted(const Counted &) { ++num_throwing; }
  ~Counted() { --num_throwing; }
};
class ThrowingObj : public Object {
 public:
  ThrowingObj() { TVM_FFI_THROW(ValueError) << "none"; }
  explicit ThrowingObj(int64_t x) {
    if (x < 0) TVM_FFI_THROW(ValueError) << "below 0: " << x;
  }
  ThrowingObj(const ThrowingObj &) { TVM_FFI_THROW(ValueError) << "no copies"; }
  Counted counted;
  TVM_FFI_DECLARE_OBJECT_INFO("names.Throwing", ThrowingObj, Object);
};

int64_t Overloaded(int64_t) {
  return 1;
}
[[maybe_unused]] int64_t Overloaded(int64_t, double) {
  return 2;
}
int64_t Leading(int64_t, double) {
  return 3;
}
[[maybe_unused]] int64_t Leading(double) {
  return 4;
}
Expected<int64_t> HashOf(const Any &value) noexcept {
  if (value == nullptr) return Error("ValueError", "nothing to hash", "");
  return 7;
}
bool AreEqual(const Any &a, const Any &b) {
  if (a == nullptr) throw std::runtime_error("nothing to compare");
  return a.same_as(b);
}

}  // namespace

namespace tvm {
namespace ffi {
template <>
inline constexpr bool use_default_type_traits_v<Point> = false;
template <>
struct TypeTraits<Point> : public ObjectRefWithFallbackTraitsBase<Point, int64_t> {
  static Point ConvertFallbackValue(int64_t x) { return Point(x); }
};
}  // namespace ffi
}  // namespace tvm

namespace {

/* ---- Registering ---- */

void Register() {
  Line("base", [] {
    refl::ObjectDef<BaseObj>("The base.")
        .def_rw("a", &BaseObj::a, "A number.")
        .def_ro("s", &BaseObj::s);
  });
  Line("fields", [] {
    refl::ObjectDef<FieldsObj>()
        .def_rw("d", &FieldsObj::d, refl::default_value(2.5), "With a default.",
                refl::Metadata({{"k", 1}, {"b", true}, {"s", "t\"/\n\x01x"}}))
        .def_ro("b", &FieldsObj::b, refl::init(false), refl::kw_only(true), refl::repr(false),
                refl::compare(false), refl::hash(false))
        .def_rw("i8", &FieldsObj::i8, refl::init(true), refl::kw_only(false), refl::repr(true),
                refl::compare(true), refl::hash(true))
        .def_rw("f32", &FieldsObj::f32)
        .def_ro("u64", &FieldsObj::u64, refl::init(false), refl::repr(false), refl::compare(false),
                refl::hash(false), refl::AttachFieldFlag::SEqHashIgnore())
        .def_rw("dtype", &FieldsObj::dtype)
        .def_rw("device", &FieldsObj::device)
        .def_rw("pointer", &FieldsObj::pointer, refl::AttachFieldFlag::SEqHashIgnore())
        .def_rw("any", &FieldsObj::any, refl::AttachFieldFlag::SEqHashDefPattern())
        .def_rw("array", &FieldsObj::array, refl::AttachFieldFlag::SEqHashDefSimple(),
                refl::DefaultFactory(Function::FromTyped([] {
                  return Array<int64_t>{1, 2};
                })))
        .def_rw("list", &FieldsObj::list)
        .def_rw("map", &FieldsObj::map)
        .def_rw("shape", &FieldsObj::shape)
        .def_rw("tensor", &FieldsObj::tensor)
        .def_rw("function", &FieldsObj::function)
        .def_rw("typed", &FieldsObj::typed)
        .def_rw("text", &FieldsObj::text, refl::DefaultValue("a text on the heap"))
        .def_rw("number", &FieldsObj::number)
        .def_rw("maybe", &FieldsObj::maybe, refl::DefaultValue(nullptr))
        .def_rw("variant", &FieldsObj::variant)
        .def_rw("tuple", &FieldsObj::tuple)
        .def_rw("counted", &FieldsObj::counted)
        .def_rw("ref", &FieldsObj::ref)
        .def_rw("std_string", &FieldsObj::std_string)
        .def(refl::init<int64_t, String>(), "A constructor.", refl::Metadata({{"x", 1}}))
        .def("sum", &FieldsObj::Sum, "A method.")
        .def("set", &FieldsObj::Set)
        .def("get", &FieldsObj::Get)
        .def(
            "lambda", [](const FieldsObj *self, int64_t x) { return self->a * x; },
            refl::Metadata({{"q", false}}))
        .def("by_ref", [](const Base &self) { return self->a; })
        .def_static(
            "make", [](int64_t x) { return x + 1; }, "A static method.")
        .def_type_attr("names.value", 5)
        .def_type_attr("names.text", "text")
        .def_type_attr("names.function", [](int64_t x) { return x; });
  });
  Line("shifted", [] {
    refl::ObjectDef<ShiftedObj>()
        .def_rw("own", &ShiftedObj::own)
        .def_rw("second", &ShiftedObj::second)
        .def("get", &ShiftedObj::Get)
        .def("virtual", &ShiftedObj::Virtual)
        .def("of_ref", &Shifted::OfRef)
        .def_static("get_static", &ShiftedObj::Get)
        .def_type_attr("names.function", &ShiftedObj::Get);
  });
  Line("point", [] {
    refl::ObjectDef<PointObj>(refl::init(false))
        .def_rw("x", &PointObj::x, refl::default_value(5))
        .def_rw("y", &PointObj::y)
        .def_ro("tags", &PointObj::tags, refl::default_factory(Function::FromTyped([] {
                  return Array<int64_t>{1, 2};
                })))
        .def("neg", refl::overload_cast<int64_t>(&PointObj::Neg))
        .def("neg_const", refl::overload_cast<double>(&PointObj::Neg, refl::const_))
        .def("neg_both", refl::overload_cast<double, bool>(&PointObj::Neg))
        .def_static("overloaded", refl::overload_cast<int64_t>(&Overloaded))
        .def_static("leading", refl::overload_cast<int64_t>(&Leading))
        .def_convert<Point>();
  });
  Line("bare", [] {
    refl::ObjectDef<BareObj>("Bare.", refl::init(false)).def_rw("value", &BareObj::value);
  });
  Line("unsafe", [] { refl::ObjectDef<UnsafeObj>().def_ro("values", &UnsafeObj::values); });
  Line("throwing", [] { refl::ObjectDef<ThrowingObj>().def(refl::init<int64_t>()); });
  Line("attributes", [] {
    refl::TypeAttrDef<BareObj>()
        .def("names.value", 4)
        .attr("names.text", "str")
        .attr(refl::AttrKey<double>{"names.double"}, 4)
        .attr(type_attr::kInit, Function::FromTyped([](int64_t x) { return x; }))
        .def("names.function", [](int64_t x) { return x; });
  });
}

/* ---- What is registered ---- */

std::string Text(TVMFFIByteArray bytes) {
  return bytes.data == nullptr ? "-" : std::string(bytes.data, bytes.size);
}
String Repr(AnyView value) {
  return Function::GetGlobalRequired("ffi.ReprPrint")(value).cast<String>();
}
const TVMFFITypeInfo *InfoOf(const char *key) {
  return TVMFFIGetTypeInfo(TypeKeyToIndex(key));
}

void ShowType(const char *key) {
  const TVMFFITypeInfo *info = InfoOf(key);
  Line(key, [&] {
    Show(info->type_depth, Text(info->metadata->doc), info->metadata->total_size,
         info->metadata->structural_eq_hash_kind, info->metadata->creator != nullptr);
  });
  for (int i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo &field = info->fields[i];
    Line("  field", [&] {
      Show(Text(field.name), Text(field.doc), Text(field.metadata), field.flags, field.size,
           field.alignment, field.offset, field.field_static_type_index,
           field.getter != nullptr && field.setter != nullptr,
           Repr(AnyView::CopyFromTVMFFIAny(field.default_value_or_factory)));
    });
  }
  for (int i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo &method = info->methods[i];
    Line("  method", [&] {
      Show(Text(method.name), Text(method.doc), Text(method.metadata), method.flags,
           method.method.type_index);
    });
  }
  for (const char *name :
       {"__ffi_new__", "__ffi_init__", "__ffi_shallow_copy__", "__ffi_convert__",
        "__ffi_type_final__", "names.value", "names.text", "names.double", "names.function"}) {
    Line("  attribute", [&] {
      const AnyView value = refl::TypeAttrColumn(name)[info->type_index];
      Show(name, Repr(value));
      if (value.type_index() == kTVMFFIFunction && name != std::string("__ffi_new__")) {
        value.cast<Function>()("x", 1, 2);
      }
    });
  }
}

void ShowReading() {
  const Point point(9);
  Line("get", [&] {
    refl::FieldGetter get("names.Point", "x");
    Show(get(point).cast<int>(), get(point.get()).cast<int>(),
         get(make_object<PointObj>()).cast<int>());
    refl::FieldGetter("names.Point", "xx");
  });
  Line("get", [] { refl::FieldGetter("names.Fields", "a"); });
  Line("get", [] {
    const Fields fields(make_object<FieldsObj>());
    fields->u64 = std::numeric_limits<uint64_t>::max();
    refl::FieldGetter(refl::GetFieldInfo("names.Fields", "u64"))(fields);
  });
  Line("set", [&] {
    refl::FieldSetter set(std::string("names.Point"), "x");
    set(point, 10);
    set(point.get(), true);
    Show(point->x);
    set(point, "x");
  });
  Line("set", [&] {
    refl::FieldSetter(refl::GetFieldInfo("names.Point", "tags"))(point, Array<int64_t>{1});
    Show(point->tags.size());
    refl::FieldSetter("names.Point", "tags")(point, Array<Any>{1, "x"});
  });
  Line("set", [] {
    const Fields fields(make_object<FieldsObj>());
    refl::FieldSetter("names.Fields", "dtype")(fields, "float32");
    refl::FieldSetter("names.Fields", "any")(fields, "a text that is borrowed");
    refl::FieldSetter("names.Fields", "std_string")(fields, String("own"));
    Show(fields->dtype, fields->any.GetTypeKey(), fields->std_string);
    refl::FieldSetter("names.Fields", "dtype")(fields, 3);
  });
  Line("shifted", [] {
    const Shifted shifted(make_object<ShiftedObj>());
    refl::FieldSetter("names.Shifted", "second")(shifted, 5);
    Show(refl::FieldGetter("names.Shifted", "own")(shifted).cast<int>(),
         refl::FieldGetter("names.Base", "a")(shifted).cast<int>(),
         refl::GetMethod("names.Shifted", "virtual")(shifted).cast<int>(),
         refl::GetMethod("names.Shifted", "of_ref")(shifted, 1).cast<int>(),
         refl::GetFieldByteOffsetToObject(&ShiftedObj::own),
         refl::GetFieldByteOffsetToObject(&ShiftedObj::a));
  });
  Line("method", [&] {
    Show(refl::GetMethod("names.Point", "neg")(point, 4).cast<int>(),
         refl::GetMethod("names.Point", "neg_const")(point, 4.0).cast<int>(),
         refl::GetMethod("names.Point", "neg_both")(point, 4.0, true).cast<int>(),
         refl::GetMethod("names.Point", "overloaded")(3).cast<int>(),
         refl::GetMethod("names.Point", "leading")(3, 0.5).cast<int>(),
         Text(refl::GetMethodInfo("names.Point", "neg")->name));
    refl::GetMethod("names.Point", "ne");
  });
  Line("method", [&] { refl::GetMethod("names.Point", "neg")(point, "x"); });
  Line("method", [&] { refl::GetMethod("names.Point", "neg")(point); });
  Line("method", [&] { refl::GetMethod("names.Point", "neg")(make_object<BareObj>(1), 1); });
  Line("method", [] {
    const Any made = refl::GetMethod("names.Fields", "__ffi_init__")(4, "s");
    Show(made.GetTypeKey(), made.cast<Base>()->s,
         refl::GetMethod("names.Fields", "lambda")(made, 3).cast<int>());
    refl::GetMethod("names.Fields", "set")(made, 8);
    Show(refl::GetMethod("names.Fields", "by_ref")(made).cast<int>());
  });
  Line("column", [] { refl::TypeAttrColumn("names.none"); });
  Line("column", [] {
    const refl::TypeAttrColumn column(type_attr::kNew);
    Show(column[PointObj::RuntimeTypeIndex()].type_index(), column[1 << 30].type_index(),
         column[-5].type_index(), column[0].type_index());
    refl::EnsureTypeAttrColumn("names.none");
    refl::EnsureTypeAttrColumn(refl::AttrKey<int>{"names.key"});
    Show(refl::TypeAttrColumn("names.none")[0].type_index(),
         refl::TypeAttrColumn(refl::AttrKey<int>{"names.key"})[0].type_index(),
         refl::TypeAttrColumn(type_attr::kTypeFinal)[FieldsObj::RuntimeTypeIndex()].cast<bool>());
  });
  Line("all", [] {
    refl::ForEachFieldInfo(InfoOf("names.Shifted"),
                           [](const TVMFFIFieldInfo *field) { Show(Text(field->name)); });
    Show(refl::ForEachFieldInfoWithEarlyStop(
        InfoOf("names.Point"),
        [](const TVMFFIFieldInfo *field) { return Text(field->name) == "y"; }));
  });
  Line("default", [] {
    auto point = make_object<PointObj>();
    refl::SetFieldToDefault(refl::GetFieldInfo("names.Point", "x"), &point->x);
    refl::SetFieldToDefault(refl::GetFieldInfo("names.Point", "tags"), &point->tags);
    const TVMFFIAny three = AnyView(3).CopyToTVMFFIAny();
    Show(point->x, point->tags.size(),
         refl::CallFieldSetter(refl::GetFieldInfo("names.Point", "y"), &point->y, &three), point->y,
         refl::CallFieldSetterToDefault(refl::GetFieldInfo("names.Point", "x"), &point->x));
    refl::SetFieldToDefault(refl::GetFieldInfo("names.Point", "y"), &point->y);
  });
  Line("bytes", [] { Show(Text(refl::AsByteArray("abc"))); });
}

void ShowKeys() {
  const refl::AttrKey<String> key{"x"};
  Line("key", [&] {
    Show(key.name, key.ValueFrom(nullptr).has_value(), key.ValueFrom(String("a")).value(),
         std::is_same_v<refl::AttrKey<String>::ValueType, String>);
    key.ValueFrom(3);
  });
  Line("key", [&] { key.ValueFrom("raw"); });
  Line("key", [] { refl::AttrKey<double>{"x"}.ValueFrom(3); });
  Line("key", [] { type_attr::kNew.ValueFrom(3); });
  Line("key", [] { type_attr::kAnyHash.ValueFrom(3); });
  Line("key", [] {
    const AnyView value = refl::TypeAttrColumn(type_attr::kNew)[PointObj::RuntimeTypeIndex()];
    Show(type_attr::kNew.ValueFrom(value).value()().GetTypeKey());
  });
  Line("convert", [] {
    const Function convert =
        refl::TypeAttrColumn(type_attr::kConvert)[PointObj::RuntimeTypeIndex()].cast<Function>();
    Show(convert(Point(3)).cast<Point>()->x, convert(4).cast<Point>()->x,
         convert(nullptr).type_index());
    convert("x");
  });
  Line("convert", [] {
    Show(refl::detail::FFIConvertFromAnyViewToObjectRef<Point>(4)->x);
    refl::detail::FFIConvertFromAnyViewToObjectRef<Base>(4);
  });
  Line("metadata", [] {
    refl::GlobalDef().def(
        "names.global", [] {}, "Doc.", refl::Metadata({{"k", -1}}));
    Show(Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("names.global").cast<String>());
  });
}

void ShowCreating() {
  Line("create", [] { refl::ObjectCreator("names.Bare"); });
  Line("create", [] {
    const refl::ObjectCreator create("names.Point");
    const Point point = create(Map<String, Any>{{"y", 4}}).cast<Point>();
    Show(point->x, point->y, point->tags.size());
    create(Map<String, Any>{{"x", 4}});
  });
  Line("create", [] {
    refl::ObjectCreator(InfoOf("names.Point"))(Map<String, Any>{{"x", 4}, {"y", 1}, {"zz", 1}});
  });
  Line("create", [] { refl::ObjectCreator("names.Point")(Map<String, Any>{{"y", "x"}}); });
  Line("create", [] {
    refl::ObjectCreator create("names.Throwing");
    create(Map<String, Any>());
  });
  Line("empty", [] {
    Show(CreateEmptyObject(InfoOf("names.Point"))->GetTypeKey(),
         CreateEmptyObject(InfoOf("names.Unsafe"))->GetTypeKey(), HasCreator(InfoOf("names.Point")),
         HasCreator(InfoOf("names.Bare")));
    CreateEmptyObject(InfoOf("names.Bare"));
  });
  for (int64_t x : {1, -1}) {
    Line("throwing", [&] { refl::GetMethod("names.Throwing", "__ffi_init__")(x); });
  }
  Line("throwing", [] {
    const Any made = refl::GetMethod("names.Throwing", "__ffi_init__")(1);
    Function::GetGlobalRequired("ffi.DeepCopy")(made);
  });
  Line("throwing", [] { CreateEmptyObject(InfoOf("names.Throwing")); });
  Line("throwing", [] { Show(num_throwing); });
}

void ShowUsing() {
  const refl::ObjectCreator create("names.Point");
  const Any a = create(Map<String, Any>{{"x", 4}, {"y", 1}});
  const Any b = create(Map<String, Any>{{"x", 4}, {"y", 1}});
  const Any c = create(Map<String, Any>{{"x", 4}, {"y", 2}});
  Line("use", [&] { Show(Repr(a), Repr(Base(make_object<FieldsObj>()))); });
  Line("use", [&] {
    const Function equal = Function::GetGlobalRequired("ffi.StructuralEqual");
    const Function hash = Function::GetGlobalRequired("ffi.StructuralHash");
    const Function compare = Function::GetGlobalRequired("ffi.RecursiveEq");
    Show(equal(a, b, false, false).cast<bool>(), equal(a, c, false, false).cast<bool>(),
         hash(a, false, false).cast<int64_t>() == hash(b, false, false).cast<int64_t>(),
         compare(a, b).cast<bool>(), compare(a, c).cast<bool>());
  });
  Line("use", [&] {
    const Function copy = Function::GetGlobalRequired("ffi.DeepCopy");
    const Any copied = copy(Array<Any>{a, a});
    const Array<Point> points = copied.cast<Array<Point>>();
    Show(Repr(copied), points[0].same_as(points[1]), points[0].same_as(a.cast<Point>()));
  });
  Line("use", [&] {
    const Any graph = Function::GetGlobalRequired("ffi.ToJSONGraph")(a, nullptr);
    const String text =
        Function::GetGlobalRequired("ffi.json.Stringify")(graph, nullptr).cast<String>();
    const Any back = Function::GetGlobalRequired("ffi.FromJSONGraph")(graph);
    Show(text, Repr(back), back.cast<Point>()->tags.size());
  });
  Line("use", [] {
    Function::GetGlobalRequired("ffi.MakeObjectFromPackedArgs")("names.Point", "y", "x");
  });
  Line("automatic", [] {
    const Function init =
        refl::TypeAttrColumn(type_attr::kInit)[BaseObj::RuntimeTypeIndex()].cast<Function>();
    Show(Repr(init(1, "s")));
    init(1);
  });
}

void ShowNative() {
  using Hash = refl::NativeFunctionView<int64_t(const Any &)>;
  using Equal = refl::NativeFunctionView<bool(const Any &, const Any &)>;
  using Owned = refl::NativeFunction<int64_t(const Any &)>;
  using Typed = TypedFunction<int64_t(const Any &)>;
  Line("native", [] {
    Show(sizeof(Hash), sizeof(Owned), TypeTraits<Hash>::TypeStr(), TypeTraits<Hash>::TypeSchema(),
         TypeTraits<Owned>::TypeStr(), TypeTraits<Owned>::field_static_type_index);
  });
  Line("dropped", [] {
    int last = 0;
    const TypedFunction<void(int)> drops = [&](int x) { return last = x; };
    drops(7);
    Show(last, TypeTraits<TypedFunction<void(int)>>::TypeStr());
  });
  Line("native", [] {
    const Hash hash = Hash::FromNative<&HashOf>();
    Show(hash(Any(1)), hash.CallExpected(Any(nullptr)).error().kind(), Any(hash).type_index());
    hash(Any(nullptr));
  });
  Line("native", [] {
    const Equal equal = Equal::FromNative<&AreEqual>();
    const auto failed = equal.CallExpected(Any(nullptr), Any(1));
    Show(equal(Any(1), Any(1)), failed.error().kind(), failed.error().message());
  });
  Line("native", [] {
    const Typed typed = [](const Any &value) -> int64_t {
      if (value == nullptr) TVM_FFI_THROW(KeyError) << "no key";
      return 5;
    };
    const Hash hash = typed;
    Show(hash(Any(1)), hash.CallExpected(Any(nullptr)).error().message(), Any(hash).type_index());
  });
  Line("native", [] {
    const Typed typed(Function::FromTyped([](const Any &) { return 1.5; }));
    const Hash hash = typed;
    hash(Any(1));
  });
  Line("native", [] {
    const Typed typed(Function::FromTyped([](const Any &) { return true; }));
    const Hash hash = typed;
    Show(hash(Any(1)));
  });
  Line("native", [] {
    const TypedFunction<Expected<int64_t>(const Any &)> typed =
        [](const Any &) -> Expected<int64_t> { return Error("KeyError", "k", ""); };
    const Hash hash = typed;
    hash(Any(1));
  });
  Line("native", [] { Any(3).cast<Hash>(); });
  Line("native", [] {
    const Any null(static_cast<void *>(nullptr));
    Show(null.as<Hash>().has_value());
    null.cast<Owned>();
  });
  Line("native", [] {
    const Typed typed = [](const Any &) -> int64_t { return 5; };
    const Owned a = Owned::FromNative<&HashOf>(), b = typed;
    const Hash view = Hash::FromNative<&HashOf>();
    const Owned c(view), d = Owned::From(view);
    Show(a(Any(1)), b(Any(1)), c(Any(1)), d.CallExpected(Any(1)).value(), Any(a).type_index(),
         Any(b).type_index(), Any(b).cast<Owned>()(Any(1)));
  });
  Line("hooks", [] {
    refl::TypeAttrDef<PointObj>()
        .native_fn_attr<&HashOf>(type_attr::kAnyHash)
        .native_fn_attr<&AreEqual>(type_attr::kAnyEqual)
        .native_fn_attr<&HashOf>(refl::AttrKey<Hash>{"names.native"});
    const Point a(1), b(1);
    const Map<Any, Any> map{{a, 1}};
    const Hash hash =
        type_attr::kAnyHash
            .ValueFrom(refl::TypeAttrColumn(type_attr::kAnyHash)[PointObj::RuntimeTypeIndex()])
            .value();
    Show(hash(a), map.count(a), map.count(b), AnyEqual()(a, a), AnyEqual()(a, b),
         refl::TypeAttrColumn("names.native")[PointObj::RuntimeTypeIndex()].type_index());
    hash(Any(nullptr));
  });
}

}  // namespace

int main() {
  Register();
  for (const char *key : {"names.Base", "names.Fields", "names.Shifted", "names.Point",
                          "names.Bare", "names.Unsafe", "names.Throwing"}) {
    ShowType(key);
  }
  ShowReading();
  ShowKeys();
  ShowCreating();
  ShowUsing();
  ShowNative();
  return 0;
}
