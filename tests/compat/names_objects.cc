// SPDX-License-Identifier: Apache-2.0
// Pointers to objects, unchecked access to them, functions called through the C ABI.
#include "names.h"

namespace {

void ShowArcs() {
  Line("arc", [] {
    Any any = make_arc<NumberObj>(3);
    Arc<NumberObj> arc = any.cast<Arc<NumberObj>>();
    ObjectPtr<Object> base = arc;
    Arc<Object> other = arc;
    Show(arc.use_count(), arc->value, any.as<Arc<NumberObj>>().value()->value);
    Arc<NumberObj> moved = std::move(arc);
    Show(arc == nullptr, moved != nullptr, moved.get() == base.get(),
         Arc<NumberObj>(UnsafeInit{}) == nullptr);
    Show(details::ObjectUnsafe::ArcFromObjectPtr(make_object<NumberObj>(4))->value,
         Number(moved)->value);
  });
  Line("arc", [] { AnyView(nullptr).cast<Arc<NumberObj>>(); });
  Line("arc", [] { Any(1).as_or_throw<Arc<NumberObj>>(); });
  Line("arc", [] { Function::FromTyped([](Arc<NumberObj> n) { return n->value; }, "f")(nullptr); });
  Line("texts", [] {
    using Traits = TypeTraits<Arc<NumberObj>>;
    Show(Traits::TypeStr(), Traits::TypeSchema(), Traits::field_static_type_index,
         TypeTraits<Optional<Arc<NumberObj>>>::TypeSchema(),
         TypeTraits<Optional<ObjectPtr<NumberObj>>>::TypeStr(),
         TypeToRuntimeTypeIndex<Arc<NumberObj>>::v() == NumberObj::RuntimeTypeIndex());
  });
  Line("subsumes", [] {
    Show(type_subsumes_v<ObjectPtr<Object>, Arc<NumberObj>>,
         type_subsumes_v<Arc<Object>, Arc<NumberObj>>,
         type_subsumes_v<Arc<NumberObj>, ObjectPtr<NumberObj>>,
         type_subsumes_v<Arc<NumberObj>, Arc<Object>>,
         type_subsumes_v<Expected<Any>, Expected<int>>, type_subsumes_v<Expected<Any>, int>);
  });
  Line("optional", [] {
    Optional<Arc<NumberObj>> optional;
    Show(optional.has_value(), sizeof optional);
    optional = make_arc<NumberObj>(3);
    Show(optional.value()->value, (*optional)->value, optional->value, optional.use_count());
    optional = nullptr;
    optional.value();
  });
  Line("optional", [] { AnyView(1).cast<Optional<Arc<NumberObj>>>(); });
  Line("optional", [] {
    Optional<ObjectPtr<NumberObj>> optional = make_object<NumberObj>(2);
    ObjectPtr<Object> base = optional;
    optional->value = 3;
    Show(base.use_count(), (*optional)->value);
    Show(GetRef<Optional<Number>>(static_cast<const NumberObj *>(nullptr)).has_value(),
         GetRef<Optional<Number>>(optional.get()).value()->value);
  });
  Line("optional", [] {
    Optional<Number> null = nullptr;
    const Optional<ObjectPtr<NumberObj>> pointer(nullptr);
    Show(null.has_value(), pointer.has_value(), null.same_as(nullptr), null.same_as(Number()),
         null.same_as(std::nullopt), std::is_convertible_v<std::nullptr_t, Optional<String>>,
         std::is_convertible_v<std::nullptr_t, Optional<Function>>,
         std::is_convertible_v<std::nullptr_t, Optional<void *>>);
    const Number number(1);
    null = number;
    Show(null.same_as(number), null.same_as(Number(1)), null.same_as(ObjectRef(number)),
         null.same_as(Optional<Number>(number)), null.same_as(nullptr));
  });
  Line("same", [] {
    const Optional<int64_t> one(1), none;
    Show(one.same_as(1), one.same_as(2), one.same_as(none), one.same_as(ObjectRef()),
         none.same_as(ObjectRef()), none.same_as(Number(1)), none.same_as(std::nullopt));
    const String text("more than seven bytes");
    Show(Optional<String>(text).same_as(text),
         Optional<String>(text).same_as(String("more than seven bytes")));
    const ObjectPtr<NumberObj> two = make_object<NumberObj>(2);
    const Optional<ObjectPtr<NumberObj>> held(two);
    Show(held.same_as(two), held.same_as(make_object<NumberObj>(2)), held.same_as(std::nullopt));
  });
  Line("weak", [] {
    ObjectPtr<NumberObj> strong = make_object<NumberObj>(3);
    WeakObjectPtr<NumberObj> weak(strong), empty, null = nullptr;
    WeakObjectPtr<Object> base = weak;
    Show(weak.use_count(), strong.unique(), weak.lock()->value, weak.expired(), empty.expired());
    base.reset();
    strong.reset();
    Show(weak.expired(), weak.lock() == nullptr, weak.use_count(), null.lock() == nullptr);
  });
  Line("identity", [] {
    const Variant<Number, Array<int>> a = Number(3), b = Number(3);
    Show(ObjectPtrEqual()(a, a), ObjectPtrEqual()(a, b),
         ObjectPtrHash()(a) == ObjectPtrHash()(a.get<Number>()));
  });
}

void ShowFunctions() {
  struct Counter {
    explicit Counter(int start) : value(start) {}
    void operator()(const AnyView *, int32_t num_args, Any *result) { *result = value += num_args; }
    int value;
  };
  Line("inplace", [] {
    auto [function, counter] = Function::FromPackedInplace<Counter>(5);
    counter->value = 7;
    Show(function(1, 2).cast<int>(), counter->value);
  });
  const auto add = [](int a, const String &b) { return a + static_cast<int>(b.size()); };
  const std::string name = "add";
  AnyView args[] = {1, "abc"};
  for (int32_t num_args : {2, 1}) {
    for (const std::string *each : {&name, static_cast<const std::string *>(nullptr)}) {
      Line("unpack_call", [&] {
        Any result;
        details::unpack_call<int>(std::index_sequence<0, 1>{}, each, add, args, num_args, &result);
        Show(result.cast<int>());
      });
    }
  }
  args[1] = 2;
  Line("unpack_call", [&] {
    Any result;
    details::unpack_call<int>(std::index_sequence<0, 1>{}, &name, add, args, 2, &result);
  });
  Line("info", [] {
    using Info = details::FunctionInfo<int(int, String)>;
    using Method = details::FunctionInfo<decltype(&Object::IsInstance<NumberObj>)>;
    Show(Info::Sig(), Info::TypeSchema(), Info::num_args, std::is_same_v<Info::RetType, int>,
         std::is_same_v<Info::ArgType, std::tuple<int, String>>, Method::Sig(), Method::num_args,
         std::is_same_v<std::tuple_element_t<0, Method::ArgType>, const Object *>);
  });
  Line("value as", [] { Show(details::ExpectedUnsafe::ValueAs<int>(Expected<Any>(Any(3)))); });
}

void ShowUnsafe() {
  Line("objects", [] {
    using Unsafe = details::ObjectUnsafe;
    const ObjectPtr<NumberObj> ptr = make_object<NumberObj>(1);
    TVMFFIObject *header = Unsafe::GetHeader(ptr.get());
    const ObjectPtr<Object> more[] = {
        Unsafe::ObjectPtrFromUnowned<Object>(header),
        Unsafe::ObjectPtrFromUnowned<Object>(static_cast<Object *>(ptr.get()))};
    Unsafe::IncRefObjectHandle(header);
    const ObjectPtr<NumberObj> owned = Unsafe::ObjectPtrFromOwned<NumberObj>(header);
    Number ref(ptr);
    Show(ptr.use_count(), Unsafe::RawObjectPtrFromUnowned<NumberObj>(header) == ptr.get(),
         Unsafe::RawObjectPtrFromObjectRef(ref) == ptr.get(),
         Unsafe::TVMFFIObjectPtrFromObjectRef(ref) == header,
         Unsafe::TVMFFIObjectPtrFromObjectPtr(ptr) == header, more[0] == more[1],
         Unsafe::GetObjectOffsetToSubclass<NumberObj>());
    ObjectPtr<NumberObj> copied = Unsafe::ObjectPtrFromObjectRef<NumberObj>(ref);
    const ObjectPtr<NumberObj> moved = Unsafe::ObjectPtrFromObjectRef<NumberObj>(std::move(ref));
    Unsafe::DecRefObjectHandle(Unsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(copied)));
    Unsafe::DecRefObjectHandle(Unsafe::MoveObjectRefToTVMFFIObjectPtr(ObjectRef(moved)));
    Unsafe::DecRefObjectHandle(nullptr);
    Show(ptr.use_count(), Unsafe::ObjectRefFromObjectPtr<Number>(ptr)->value);
  });
  Line("values", [] {
    using Unsafe = details::AnyUnsafe;
    Any a = String("a text on the heap");
    TVMFFIAny raw = Unsafe::MoveAnyToTVMFFIAny(std::move(a));
    Any b = Unsafe::MoveTVMFFIAnyToAny(&raw);
    Show(raw.type_index, a == nullptr, Unsafe::CheckAnyStrict<String>(b),
         Unsafe::CheckAnyStrict<Any>(b), Unsafe::CheckAnyViewStrict<Any>(AnyView(b)),
         Unsafe::CheckAnyViewStrict<int>(AnyView(b)), Unsafe::CopyFromAnyViewAfterCheck<String>(b),
         Unsafe::CopyFromAnyViewAfterCheck<Any>(b).type_index(),
         Unsafe::TVMFFIAnyPtrFromAny(b)->type_index, Unsafe::GetMismatchTypeInfo<int>(b),
         Unsafe::RawObjectPtrFromAnyAfterCheck(b)->type_index(),
         Unsafe::RawObjectPtrFromAnyViewAfterCheck(AnyView(b))->type_index());
    Any c = Unsafe::MoveTVMFFIAnyRawToAny(Unsafe::MoveAnyToTVMFFIAny(std::move(b)));
    Show(Unsafe::MoveFromAnyAfterCheck<Any>(std::move(c)).type_index(), c.type_index());
    raw = AnyView("abc").CopyToTVMFFIAny();
    details::InplaceConvertAnyViewToAny(&raw);
    Show(raw.type_index);
  });
}

}  // namespace

int main() {
  ShowUnsafe();
  ShowArcs();
  ShowFunctions();
  return 0;
}
