// SPDX-License-Identifier: Apache-2.0
// JSON, graphs of objects, structural equality, hash and keys, repr, copies, order. Compiled with
// the package's headers it needs C++ functions of the package's library, so headers.py does not run
// that build on ours.
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/reflection/registry.h>

#include <unordered_map>

#include "names.h"

namespace {

void ShowJson() {
  Line("json", [] {
    const json::Value value = json::Parse("{\"a\": [1, 2.5, null, true, \"x\"], \"\\u00e9\": {}}");
    const json::Object object = value.cast<json::Object>();
    Show(json::Stringify(value), json::Stringify(value, 2), json::Stringify(value, std::nullopt),
         object["a"].cast<json::Array>().size(), object.count("b"));
  });
  Line("json", [] { json::Parse("[1,"); });
  Line("json", [] { json::Parse(""); });
  Line("json", [] {
    String message = "old";
    const json::Value wrong = json::Parse("[1,", &message);
    Show(wrong == nullptr, message);
    Show(json::Parse("[1]", &message).cast<json::Array>().size(), message.size());
  });
  Line("json", [] { json::Stringify(Array<Any>{Number(1)}); });
}

void ShowGraphs() {
  Line("graph", [] {
    const List<Any> shared{2};
    const Any value = Array<Any>{1, Map<String, Any>{{"k", shared}}, shared};
    const json::Value graph = ToJSONGraph(value);
    const Array<Any> back = FromJSONGraph(graph).cast<Array<Any>>();
    Show(json::Stringify(graph), back, StructuralEqual()(value, back),
         back[1].cast<Map<String, Any>>()["k"].same_as(back[2]));
  });
  Line("graph", [] { Show(json::Stringify(ToJSONGraph(1, String("about")))); });
  Line("graph", [] { FromJSONGraph(1); });
  Line("graph", [] { ToJSONGraph(Number(1)); });
}

void ShowStructure() {
  const Array<Any> a{1, Array<int>{2}}, b{1, Array<int>{3}}, c{1, Array<int>{2}};
  Line("equal", [&] {
    Show(StructuralEqual::Equal(a, b), StructuralEqual::Equal(a, c), StructuralEqual()(a, c),
         StructuralEqual::Equal(a, c, true, true), StructuralEqual()(1, 1.0),
         StructuralEqual()("a", String("a")));
  });
  Line("mismatch", [&] {
    const Optional<reflection::AccessPathPair> path = StructuralEqual::GetFirstMismatch(a, b);
    Show(path.has_value(), ReprPrint(path), path.value().get<0>(),
         StructuralEqual::GetFirstMismatch(a, c).has_value(),
         StructuralEqual::GetFirstMismatch(a, Array<int>{1}, true, true));
  });
  Line("hash", [&] {
    Show(StructuralHash::Hash(a) == StructuralHash::Hash(c),
         StructuralHash()(a) == StructuralHash()(b),
         StructuralHash::Hash(a, true, true) == StructuralHash::Hash(c, true, true));
  });
  Line("hash", [&] {
    std::unordered_map<Any, int, StructuralHash, StructuralEqual> map{{a, 1}};
    map[c] += 7;
    Show(map.size(), map[a], map.count(b));
  });
  Line("equal", [] { StructuralEqual::Equal(Number(1), Number(2)); });
  Line("hash", [] { StructuralHash::Hash(Number(1)); });
}

void ShowKeys() {
  const StructuralKey a(Array<int>{1, 2}), b(Array<int>{1, 2}), c(Array<int>{1});
  Line("key", [&] {
    Show(a == b, a != b, a == c, a != c, a == a, a.same_as(b), a->GetTypeKey(),
         a->hash_i64 == static_cast<int64_t>(StructuralHash()(a->key)),
         std::hash<StructuralKey>()(a) == std::hash<StructuralKey>()(b),
         std::hash<StructuralKey>()(a) == static_cast<size_t>(a->hash_i64));
  });
  Line("key", [&] {
    const Any any(a);
    Show(AnyHash()(a) == AnyHash()(b), AnyHash()(a) == AnyHash()(c), AnyEqual()(a, b),
         AnyEqual()(a, c), any.cast<StructuralKey>() == b, any.as<StructuralKeyObj>()->key,
         StructuralKey::_type_is_nullable, StructuralKeyObj::_type_final,
         StructuralKeyObj::_type_mutable, StructuralKeyObj::_type_key, sizeof(StructuralKey),
         sizeof(StructuralKeyObj));
  });
  Line("key", [&] {
    const StructuralKey made = Any(make_object<StructuralKeyObj>(a->key)).cast<StructuralKey>();
    Show(made == a, made != c, made->hash_i64 == a->hash_i64, AnyEqual()(made, a),
         AnyHash()(made) == AnyHash()(a), std::is_convertible_v<Any, StructuralKeyObj>);
  });
  Line("key", [] { StructuralKeyObj(Any(Number(1))); });
  Line("map", [&] {
    Map<StructuralKey, int> map{{a, 1}, {c, 2}};
    map.Set(b, 7);
    Show(map.size(), map[a], map.count(StructuralKey(Any(1))), map.count(StructuralKey(c->key)));
    Dict<Any, int> dict;
    dict.Set(a, 1);
    dict.Set(b, 2);
    Show(dict.size(), dict[a], dict.count(Array<int>{1, 2}));
    const std::unordered_map<StructuralKey, int> standard{{a, 1}};
    Show(standard.at(b));
  });
  Line("key", [] { Any(1).cast<StructuralKey>(); });
  Line("key", [] { Any(nullptr).cast<StructuralKey>(); });
  Line("key", [] { const StructuralKey none(Number(1)); });
}

void ShowValues() {
  Line("repr", [] {
    Show(Any(1), Any("x"), Any(1.5), Any(nullptr), Any(true), Array<int>{1, 2}, ObjectRef(),
         Map<String, int>{{"a", 1}}, Tuple<int, String>(1, "q"), Optional<int>(),
         Optional<String>(String("y")), Optional<Array<int>>(Array<int>{1}),
         Variant<int, String>(String("z")), AnyView(1), Bytes("a", 1), Any(Shape{1, 2}));
    Show(String("plain"), Shape{1, 2}, std::string("plain"), 1, 'c', "text");
    Show(ReprPrint(Array<Any>{1, String("x"), DLDevice{kDLCUDA, 1}}));
  });
  Line("repr", [] {
    TVM_FFI_THROW(ValueError) << "of " << Any(1) << " and " << Array<int>{1} << ", "
                              << Optional<int>(2);
  });
  Line("copy", [] {
    const Array<Any> original{1, List<Any>{2}};
    const Any copy = DeepCopy(original);
    Show(copy, copy.same_as(original), RecursiveEq(original, copy),
         RecursiveHash(original) == RecursiveHash(copy), RecursiveLt(original, copy),
         RecursiveLe(original, copy), RecursiveGt(original, copy), RecursiveGe(original, copy));
  });
  Line("order", [] {
    Show(RecursiveLt(1, 2), RecursiveLt(Array<int>{1, 2}, Array<int>{1, 3}), RecursiveGt(2, 1),
         RecursiveEq(Number(1), Number(2)), RecursiveEq(1, String("a")));
    RecursiveLt(1, String("a"));
  });
  Line("copy", [] { DeepCopy(Number(1)); });
}

/* A pair whose hooks compare and hash the first field only. */
class HookedObj : public Object {
 public:
  Any first, second;
  HookedObj(Any a, Any b) : first(std::move(a)), second(std::move(b)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Hooked", HookedObj, Object);
};

class Hooked : public ObjectRef {
 public:
  Hooked(Any a, Any b) { data_ = make_object<HookedObj>(std::move(a), std::move(b)); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Hooked, ObjectRef, HookedObj);
};

const Any &First(const Object *object) {
  return static_cast<const HookedObj *>(object)->first;
}

void ShowHooks() {
  reflection::ObjectDef<HookedObj>()
      .def_ro("first", &HookedObj::first)
      .def_ro("second", &HookedObj::second);
  reflection::TypeAttrDef<HookedObj>()
      .attr(type_attr::kRepr,
            [](const Object *object, const TypedFunction<String(AnyView)> &repr) {
              return String("hooked ") + repr(First(object));
            })
      .attr(type_attr::kHash,
            [](const Object *object, const TypedFunction<int64_t(AnyView)> &hash) {
              return hash(First(object));
            })
      .attr(type_attr::kEq,
            [](const Object *a, const Object *b, const TypedFunction<bool(AnyView, AnyView)> &eq) {
              return eq(First(a), First(b));
            })
      .attr(type_attr::kCompare,
            [](const Object *a, const Object *b,
               const TypedFunction<int32_t(AnyView, AnyView)> &compare) {
              return compare(First(a), First(b));
            })
      .attr(type_attr::kSEqual,
            [](const Object *a, const Object *b,
               const TypedFunction<bool(AnyView, AnyView, int, AnyView)> &equal) {
              return equal(First(a), First(b), 0, "first");
            })
      .attr(type_attr::kSHash,
            [](const Object *object, int64_t hash,
               const TypedFunction<int64_t(AnyView, int64_t, int)> &combine) {
              return combine(First(object), hash, 0);
            })
      .attr(type_attr::kDataToJson,
            [](AnyView object) { return Any(First(object.cast<ObjectRef>().get())); })
      .attr(type_attr::kDataFromJson, [](AnyView data) { return Any(Hooked(data, nullptr)); });
  const Hooked a(1, "a"), b(1, "b"), c(2, "a");
  Line("hooks", [&] {
    Show(type_attr::kRepr.name, type_attr::kHash.name, type_attr::kEq.name,
         type_attr::kCompare.name, type_attr::kSEqual.name, type_attr::kSHash.name,
         type_attr::kDataToJson.name, type_attr::kDataFromJson.name);
  });
  Line("hooks", [&] {
    Show(ReprPrint(a), RecursiveHash(a) == RecursiveHash(b), RecursiveHash(a) == RecursiveHash(c),
         RecursiveEq(a, b), RecursiveEq(a, c), RecursiveLt(a, b), RecursiveLt(a, c));
  });
  Line("hooks", [&] {
    Show(StructuralEqual()(a, b), StructuralEqual()(a, c),
         StructuralHash()(a) == StructuralHash()(b), StructuralHash()(a) == StructuralHash()(c));
  });
  Line("hooks", [&] {
    const json::Value graph = ToJSONGraph(a);
    Show(json::Stringify(graph), ReprPrint(FromJSONGraph(graph)));
  });
}

}  // namespace

int main() {
  ShowJson();
  ShowGraphs();
  ShowStructure();
  ShowKeys();
  ShowValues();
  ShowHooks();
  return 0;
}
