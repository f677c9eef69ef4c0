// SPDX-License-Identifier: Apache-2.0
// Visiting and mutating structures: engines, callbacks, regions of definitions, results, error
// contexts.
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>

#include "names.h"

namespace {

class VarObj : public Object {
 public:
  explicit VarObj(String name_, Any type_ = nullptr) : name(name_), type(type_) {}
  explicit VarObj(UnsafeInit) {}
  String name;
  Any type;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Var", VarObj, Object);
};
class Var : public ObjectRef {
 public:
  explicit Var(const char *name, Any type = nullptr) { data_ = make_object<VarObj>(name, type); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Var, ObjectRef, VarObj);
};

// A node of a graph, with one field of each kind of definition.
class LetObj : public Object {
 public:
  LetObj(Any pattern_, Any simple_, Any body_, Any note_)
      : pattern(pattern_), simple(simple_), body(body_), note(note_) {}
  explicit LetObj(UnsafeInit) {}
  Any pattern, simple, body, note;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Let", LetObj, Object);
};
class Let : public ObjectRef {
 public:
  Let(Any pattern, Any simple, Any body, Any note = nullptr) {
    data_ = make_object<LetObj>(pattern, simple, body, note);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Let, ObjectRef, LetObj);
};

class PairObj : public Object {
 public:
  PairObj(Any first_, Any second_) : first(first_), second(second_) {}
  explicit PairObj(UnsafeInit) {}
  Any first, second;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Pair", PairObj, Object);
};
class Pair : public ObjectRef {
 public:
  Pair(Any first, Any second) { data_ = make_object<PairObj>(first, second); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Pair, ObjectRef, PairObj);
};

// Its hooks visit the second field first; its mutation hooks report how they were called.
class HookedObj : public Object {
 public:
  HookedObj(Any first_, Any second_) : first(first_), second(second_) {}
  explicit HookedObj(UnsafeInit) {}
  Any first, second;
  static constexpr bool _type_mutable = true;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.Hooked", HookedObj, Object);

  static Expected<Optional<VisitInterrupt>> Visit(StructuralVisitorObj *visitor,
                                                  AnyView value) noexcept {
    const HookedObj *self = value.as<HookedObj>();
    TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->WithDefRegionKind(
        kTVMFFIDefRegionKindSimple, [&] { return visitor->VisitExpected(self->second); }));
    return visitor->VisitExpected(self->first);
  }
  static Expected<UnchangedOr<Any>> Mutate(StructuralMutatorObj *mutator, AnyView value) noexcept {
    const HookedObj *self = value.as<HookedObj>();
    std::cout << " hook";
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int64_t>, first,
                                      mutator->MutateExpected(self->first));
    if (first.UnchangedOrSameAs(self->first.cast<int64_t>())) return Unchanged();
    return make_object<HookedObj>(std::move(first).ValueOrUnchanged(self->first.cast<int64_t>()),
                                  self->second);
  }
  static Expected<UnchangedOr<Any>> Change(StructuralMutatorObj *mutator, AnyView value) noexcept {
    HookedObj *self = const_cast<HookedObj *>(value.as<HookedObj>());
    std::cout << " in place";
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, first,
                                      mutator->MutateExpected(self->first, InplaceMode::kAllow));
    self->first = std::move(first).ValueOrUnchanged(self->first);
    return Unchanged();
  }
};
class Hooked : public ObjectRef {
 public:
  Hooked(Any first, Any second) { data_ = make_object<HookedObj>(first, second); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Hooked, ObjectRef, HookedObj);
};

// Its hook is a Function, or a value that cannot be called.
class FunctionHookObj : public Object {
 public:
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.FunctionHook", FunctionHookObj, Object);
};
class WrongHookObj : public Object {
 public:
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.WrongHook", WrongHookObj, Object);
};
class NoCopyObj : public Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("names.NoCopy", NoCopyObj, Object);
};

Any function_hook_result;

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<VarObj>()
      .def_ro("name", &VarObj::name, refl::AttachFieldFlag::SEqHashIgnore())
      .def_ro("type", &VarObj::type);
  refl::ObjectDef<LetObj>()
      .def_ro("pattern", &LetObj::pattern, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("simple", &LetObj::simple, refl::AttachFieldFlag::SEqHashDefSimple())
      .def_ro("body", &LetObj::body)
      .def_ro("note", &LetObj::note, refl::AttachFieldFlag::SEqHashIgnore());
  refl::ObjectDef<PairObj>().def_ro("first", &PairObj::first).def_ro("second", &PairObj::second);
  refl::ObjectDef<HookedObj>()
      .def_rw("first", &HookedObj::first)
      .def_rw("second", &HookedObj::second);
  refl::TypeAttrDef<HookedObj>()
      .native_fn_attr<&HookedObj::Visit>(type_attr::kStructuralVisit)
      .native_fn_attr<&HookedObj::Mutate>(type_attr::kStructuralMutate)
      .native_fn_attr<&HookedObj::Change>(type_attr::kStructuralMaybeInplaceMutate);
  const auto give = [](ObjectRef, AnyView) { return function_hook_result; };
  refl::TypeAttrDef<FunctionHookObj>()
      .def(type_attr::kStructuralVisit.name, give)
      .def(type_attr::kStructuralMutate.name, give);
  refl::TypeAttrDef<WrongHookObj>()
      .def(type_attr::kStructuralVisit.name, 1)
      .def(type_attr::kStructuralMutate.name, 1)
      .def(type_attr::kStructuralMaybeInplaceMutate.name, 1);
}

std::string NameOf(AnyView value) {
  if (value == nullptr) return "None";
  if (auto number = value.as<int64_t>()) return std::to_string(*number);
  if (auto text = value.as<String>()) return "'" + std::string(text->c_str()) + "'";
  if (const VarObj *var = value.as<VarObj>()) return std::string(var->name.c_str());
  return std::string(value.GetTypeKey());
}
void ShowContext(const Error &error) {
  Show(error.kind(), error.message());
  const Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(error);
  if (!context.has_value()) return Show("no context");
  for (const ObjectRef &each : context.value()->reverse_visit_pattern) Show("<", NameOf(each));
  if (context.value()->prev_error_context.has_value()) {
    Show("before", NameOf(context.value()->prev_error_context.value()));
  }
}
template <typename T>
void ShowExpected(const Expected<T> &expected) {
  if (expected.is_err()) return ShowContext(expected.error());
  Show("type", expected.type_index() < 64 ? expected.type_index() : 64);
}
void ShowInterrupt(const Optional<VisitInterrupt> &interrupt) {
  Show(interrupt.has_value() ? NameOf(interrupt.value()->value) : "to the end");
}
/* Prints the parts of a value in pre-order, each with the kind of its definition region. */
void ShowParts(const Any &value) {
  StructuralWalk<WalkOrder::kPreOrder>(value, [](AnyView each, TVMFFIDefRegionKind kind) {
    Show(NameOf(each) + "/" + std::to_string(static_cast<int>(kind)));
    return WalkResult::Advance();
  });
}

Any Example() {
  const Var x("x"), y("y", Array<Any>{Var("n"), 7});
  return Let(Array<Any>{x, y}, y, Map<String, Any>{{"k", Pair(x, List<Any>{y, 2.5, nullptr})}},
             "ignored");
}

void ShowNames() {
  Line("size", [] {
    Show(sizeof(WalkResult), sizeof(UnchangedOr<Any>), sizeof(UnchangedOr<int>),
         sizeof(StructuralVisitorObj), sizeof(StructuralMutatorObj), sizeof(VisitErrorContextObj),
         sizeof(VisitInterruptObj), sizeof(FStructuralVisit), sizeof(StructuralVisitorVTable),
         sizeof(StructuralMutatorVTable));
  });
  Line("class", [] {
    Show(VisitInterruptObj::_type_mutable, VisitInterruptObj::_type_final,
         VisitInterrupt::_type_is_nullable, StructuralVisitorObj::_type_mutable,
         StructuralVisitorObj::_type_final, StructuralVisitor::_type_is_nullable,
         StructuralMutatorObj::_type_mutable, StructuralMutatorObj::_type_final,
         StructuralMutator::_type_is_nullable, VisitErrorContext::_type_is_nullable,
         VisitErrorContextObj::_type_mutable, VisitErrorContextObj::_type_final);
    Show(VisitInterruptObj::RuntimeTypeIndex(), VisitErrorContextObj::_type_key,
         StructuralVisitorObj::_type_key, StructuralMutatorObj::_type_key);
  });
  Line("convert", [] {
    Show(std::is_convertible_v<String, VisitInterrupt>, std::is_convertible_v<Any, VisitInterrupt>,
         std::is_constructible_v<VisitInterrupt, String>,
         std::is_default_constructible_v<WalkResult>,
         std::is_convertible_v<VisitInterrupt, WalkResult>,
         std::is_convertible_v<Any, UnchangedOr<int>>,
         std::is_convertible_v<UnchangedOr<int>, UnchangedOr<Any>>,
         std::is_convertible_v<UnchangedOr<Any>, UnchangedOr<int>>,
         std::is_convertible_v<UnchangedOr<int>, Any>, std::is_convertible_v<Unchanged, Any>,
         std::is_convertible_v<Error, UnchangedOr<Any>>,
         std::is_convertible_v<Expected<int>, UnchangedOr<Any>>,
         std::is_default_constructible_v<UnchangedOr<Any>>,
         std::is_default_constructible_v<VisitErrorContext>);
    Show(type_subsumes_v<UnchangedOr<ObjectRef>, UnchangedOr<Var>>,
         type_subsumes_v<UnchangedOr<Var>, UnchangedOr<ObjectRef>>,
         type_subsumes_v<UnchangedOr<Any>, UnchangedOr<int>>,
         type_subsumes_v<Any, UnchangedOr<int>>);
  });
  Line("text", [] {
    Show(TypeTraits<WalkResult>::TypeStr(), TypeTraits<WalkResult>::TypeSchema(),
         TypeTraits<UnchangedOr<String>>::TypeStr(), TypeTraits<UnchangedOr<Any>>::TypeSchema(),
         TypeTraits<VisitInterrupt>::TypeStr(), TypeTraits<FStructuralVisit>::TypeStr(),
         TypeTraits<FStructuralMutate>::TypeStr(), TypeTraits<StructuralVisitor>::TypeStr());
    Show(type_attr::kStructuralVisit.name, type_attr::kStructuralMutate.name,
         type_attr::kStructuralMaybeInplaceMutate.name);
  });
  Line("strict", [] {
    for (const Any &each : {Any(), Any(0), Any(5), Any(true), Any("x"), Any(VisitInterrupt(1)),
                            Any(Unchanged()), Any(Error("A", "b", "")), Any(1.5)}) {
      Show(each.as<WalkResult>().has_value(), each.try_cast<WalkResult>().has_value(),
           each.as<UnchangedOr<Any>>().has_value(), each.as<UnchangedOr<int64_t>>().has_value(),
           "|");
    }
  });
  Line("result", [] {
    const WalkResult skip = WalkResult::Skip(), stop = WalkResult::Interrupt(VisitInterrupt(5));
    Show(skip.get<int>(), WalkResult::Advance().as<int>().value(), skip.GetTypeKey(),
         skip.as<VisitInterrupt>().has_value(), stop.GetTypeKey(), stop.as<int>().has_value(),
         stop.get<VisitInterrupt>()->value.cast<int>(),
         stop.as<VisitInterruptObj>()->value.cast<int>(), skip.same_as(WalkResult::Skip()),
         skip.same_as(stop), WalkResult::_type_container_is_exact,
         std::is_convertible_v<WalkResult, WalkResult::Storage>,
         std::is_constructible_v<WalkResult, WalkResult::Storage>);
    const Any any = stop;
    Show(any.cast<WalkResult>().get<VisitInterrupt>()->value.cast<int>(),
         any.as<WalkResult>()->same_as(stop));
    skip.get<VisitInterrupt>();
  });
  Line("argument", [] { Function::FromTyped([](WalkResult x) { return x; })("a"); });
}

void ShowWalks() {
  Line("parts", [] { ShowParts(Example()); });
  Line("parts", [] { ShowParts(Array<Any>{1, "text", Bytes("a", 1), true, nullptr, Shape{1}}); });
  Line("parts", [] { ShowParts(nullptr); });
  Line("parts", [] { ShowParts(Hooked(Var("a"), Pair(Var("b"), 1))); });
  Line("post", [] {
    StructuralWalk<WalkOrder::kPostOrder>(Example(), [](const Any &each) {
      Show(NameOf(each));
      return WalkResult::Skip();
    });
  });
  Line("chosen", [] {
    const Any root = Array<Any>{1, true, 2.5, "s", Var("v"), List<Any>{Var("w")}, nullptr};
    ShowInterrupt(StructuralWalk<WalkOrder::kPreOrder>(
        root,
        [](bool value) {
          Show("bool", value);
          return WalkResult::Advance();
        },
        [](int64_t value) {
          Show("int", value);
          return WalkResult::Advance();
        },
        [](double value) {
          Show("double", value);
          return WalkResult::Advance();
        },
        [](const String &) -> Expected<WalkResult> {
          Show("text");
          return WalkResult::Skip();
        },
        [](const VarObj *var, TVMFFIDefRegionKind) {
          Show(var->name);
          return WalkResult::Advance();
        },
        [](const List<Any> &list) {
          Show("list", list.size());
          return WalkResult::Interrupt(VisitInterrupt(String("seen")));
        },
        [](ObjectRef) {
          Show("object");
          return WalkResult::Advance();
        }));
  });
  Line("skip", [] {
    StructuralWalk<WalkOrder::kPreOrder>(Example(), [](AnyView each) {
      Show(NameOf(each));
      return each.as<ArrayObj>() != nullptr ? WalkResult::Skip() : WalkResult::Advance();
    });
  });
  Line("error", [] {
    ShowExpected(StructuralWalkExpected<WalkOrder::kPreOrder>(
        Example(), [](const VarObj *var) -> Expected<WalkResult> {
          if (var->name == "y") TVM_FFI_THROW(ValueError) << "thrown";
          return WalkResult::Advance();
        }));
  });
  Line("error", [] {
    ShowExpected(StructuralWalkExpected<WalkOrder::kPostOrder>(
        Example(), [](double) -> Expected<WalkResult> {
          return Unexpected(Error("ValueError", "given", ""));
        }));
  });
  Line("error", [] {
    StructuralWalk<WalkOrder::kPreOrder>(
        1, [](int64_t) -> WalkResult { TVM_FFI_THROW(TypeError) << "out of it"; });
  });
}

void ShowVisits() {
  Line("visit", [] {
    ShowInterrupt(StructuralVisit(
        Example(),
        [](const PairObj *pair,
           StructuralVisitorObj *visitor) -> Expected<Optional<VisitInterrupt>> {
          Show("pair", visitor->def_region_kind());
          TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->VisitExpected(pair->second));
          return visitor->VisitExpected(pair->first);
        },
        [](const VarObj *var, StructuralVisitorObj *visitor) -> Expected<Optional<VisitInterrupt>> {
          Show(var->name, visitor->def_region_kind());
          return visitor->DefaultVisitExpected(var);
        }));
  });
  Line("interrupt", [] {
    ShowInterrupt(StructuralVisit(
        Example(), [](int64_t value, StructuralVisitorObj *) -> Optional<VisitInterrupt> {
          return VisitInterrupt(value);
        }));
  });
  Line("regions", [] {
    StructuralVisit(
        Var("x"),
        [](const VarObj *, StructuralVisitorObj *visitor) -> Expected<Optional<VisitInterrupt>> {
          visitor->WithDefRegionKind(kTVMFFIDefRegionKindSimple, [&] {
            Show(visitor->def_region_kind());
            visitor->WithDefRegionKind(kTVMFFIDefRegionKindPattern, [&] {
              Show(visitor->def_region_kind());
              visitor->WithDefRegionKind(kTVMFFIDefRegionKindSimple,
                                         [&] { Show(visitor->def_region_kind()); });
            });
            Show(visitor->def_region_kind());
          });
          try {
            visitor->WithDefRegionKind(kTVMFFIDefRegionKindSimple, [&] { throw 1; });
          } catch (int) {
            Show(visitor->def_region_kind());
          }
          return Optional<VisitInterrupt>();
        });
  });
  Line("error", [] {
    ShowExpected(StructuralVisitExpected(
        Array<Any>{Pair(1, 2)},
        [](int64_t, StructuralVisitorObj *) -> Expected<Optional<VisitInterrupt>> {
          return Unexpected(Error("ValueError", "given", ""));
        }));
  });
  for (const Any &result : {Any(), Any(VisitInterrupt(3)), Any(1), Any("x")}) {
    Line("hook", [&] {
      function_hook_result = result;
      ShowExpected(StructuralWalkExpected<WalkOrder::kPreOrder>(
          Array<Any>{make_object<FunctionHookObj>()},
          [](int64_t) { return WalkResult::Advance(); }));
    });
  }
  Line("hook", [] {
    ShowExpected(StructuralWalkExpected<WalkOrder::kPreOrder>(
        make_object<WrongHookObj>(), [](int64_t) { return WalkResult::Advance(); }));
  });
}

void ShowMaps() {
  const auto add = [](int64_t value) { return value + 1; };
  Line("map", [&] {
    ShowParts(StructuralMap<WalkOrder::kPostOrder>(Example(), add));
    ShowParts(StructuralMap<WalkOrder::kPreOrder>(Example(), add));
  });
  Line("map", [&] {
    ShowParts(StructuralMap<WalkOrder::kPreOrder>(
        Array<Any>{Var("a"), 1},
        [](const Var &) {
          return Array<Any>{1, 2};
        },
        add));
    ShowParts(StructuralMap<WalkOrder::kPostOrder>(
        Array<Any>{Var("a"), 1},
        [](const Var &) {
          return Array<Any>{1, 2};
        },
        add));
  });
  Line("none", [&] {
    ShowParts(StructuralMap<WalkOrder::kPostOrder>(Array<Any>{nullptr, 1},
                                                   [](std::nullptr_t) { return 5; }));
  });
  Line("vars", [&] {
    const Any root = Example();
    int calls = 0;
    const Any mapped = StructuralMap<WalkOrder::kPostOrder>(root, [&](const VarObj *var) -> Any {
      ++calls;
      if (var->name == "x") return Unchanged();
      return Var("other", var->type);
    });
    Show(calls);
    ShowParts(mapped);
  });
  Line("kinds", [&] {
    StructuralMap<WalkOrder::kPreOrder>(Example(), [&](AnyView each, TVMFFIDefRegionKind kind) {
      Show(NameOf(each) + "/" + std::to_string(static_cast<int>(kind)));
      return Unchanged();
    });
  });
  Line("shared", [&] {
    const Let shared(1, 2, 3);
    const Array<Any> mapped =
        StructuralMap<WalkOrder::kPostOrder>(Array<Any>{shared, shared}, add).cast<Array<Any>>();
    Show(mapped[0].same_as(mapped[1]), mapped[0].same_as(shared));
  });
  Line("hooks", [&] {
    Show(NameOf(StructuralMap<WalkOrder::kPostOrder>(Hooked(1, 2), add).as<HookedObj>()->first));
    const Hooked kept(1, 2);
    Show(NameOf(StructuralMap<WalkOrder::kPostOrder>(kept, add).as<HookedObj>()->first));
    ShowExpected(StructuralMapExpected<WalkOrder::kPostOrder>(
        kept, [](int64_t) { return String("wrong"); }));
  });
  Line("error", [&] {
    ShowExpected(StructuralMapExpected<WalkOrder::kPreOrder>(
        Example(), [](double) -> Error { return Error("ValueError", "given", ""); }));
    ShowExpected(StructuralMapExpected<WalkOrder::kPostOrder>(
        Example(), add, [](const ObjectRef &) -> Any { TVM_FFI_THROW(TypeError) << "thrown"; }));
  });
  Line("error", [&] {
    ShowExpected(
        StructuralMapExpected<WalkOrder::kPostOrder>(Array<Any>{make_object<NoCopyObj>()}, add));
  });
  Line("error", [&] {
    ShowExpected(StructuralMapExpected<WalkOrder::kPostOrder>(make_object<WrongHookObj>(), add));
  });
  for (const Any &result : {Any(), Any(7), Any(Unchanged()), Any(Error("ValueError", "x", ""))}) {
    Line("hook", [&] {
      function_hook_result = result;
      ShowExpected(StructuralMapExpected<WalkOrder::kPreOrder>(
          Array<Any>{make_object<FunctionHookObj>()}, [](const String &) { return 1; }));
    });
  }
}

/* Counts the calls of the default mutation, and passes the count to callbacks. */
class CountingParent : public StructuralMapEngineBase {
 public:
  using StateTupleType = std::tuple<const int &>;
  using MutatorObjType = CountingParent;
  explicit CountingParent(const StructuralMutatorVTable *vtable)
      : StructuralMapEngineBase(vtable) {}
  Expected<UnchangedOr<Any>> DefaultMutateExpected(AnyView value, InplaceMode mode) noexcept {
    ++count_;
    return StructuralMapEngineBase::DefaultMutateExpected(value, mode);
  }
  int count() const { return count_; }

 protected:
  StateTupleType StateTuple() const noexcept { return StateTupleType(count_); }

 private:
  int count_ = 0;
};

void ShowMutations() {
  Line("mutate", [] {
    ShowParts(StructuralMutate(
        Example(),
        [](const PairObj *pair, StructuralMutatorObj *mutator) -> Expected<UnchangedOr<Any>> {
          TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, second,
                                            mutator->MutateExpected(pair->second));
          return Any(Pair(3, std::move(second).ValueOrUnchanged(pair->second)));
        },
        [](double value, StructuralMutatorObj *, InplaceMode mode) {
          Show("double", static_cast<int>(mode));
          return Array<Any>{value, 1};
        }));
  });
  Line("mutate", [] {
    ShowParts(StructuralMutate(Array<Any>{Var("a"), 1},
                               [](const Var &, StructuralMutatorObj *) { return Unchanged(); }));
  });
  Line("error", [] {
    ShowExpected(StructuralMutateExpected(
        Array<Any>{Pair(1, 2)},
        [](const Pair &pair, StructuralMutatorObj *mutator) {
          return mutator->DefaultMutateExpected(pair);
        },
        [](int64_t, StructuralMutatorObj *) -> Expected<int64_t> {
          return Unexpected(Error("ValueError", "given", ""));
        }));
  });
  Line("plain", [] {
    auto never = [](const VarObj *, StructuralMutatorObj *) { return Unchanged(); };
    using Engine = StructuralMutateEngine<StructuralMapEngineBase, decltype(never)>;
    const StructuralMutator mutator(make_object<Engine>(never));
    for (const Any &each :
         {Any(), Any(1), Any(true), Any(2.5), Any("text"), Any("longer than that"),
          Any(DLDevice{kDLCPU, 0}), Any(Bytes("a", 1)), Any(Array<int>{1})}) {
      Show(mutator->MutateExpected(each).value().IsUnchanged());
    }
    Show(mutator->DefaultMutateExpected("raw").value().IsUnchanged(), mutator->GetTypeKey());
  });
  Line("records", [] {
    auto never = [](const String &) { return 1; };
    using Engine =
        StructuralMapEngine<StructuralMapEngineBase, WalkOrder::kPreOrder, decltype(never)>;
    const StructuralMutator mutator(make_object<Engine>(never));
    const Var key("x");
    Show(mutator->VarRemapGetExpected(key).value() == nullptr);
    mutator->VarRemapSetExpected(key, 1).value();
    mutator->VarRemapSetExpected(key, Var("y")).value();
    Show(NameOf(mutator->VarRemapGetExpected(key).value()), key.use_count());
    ShowParts(mutator->Mutate(Array<Any>{key}).ValueOrUnchanged(nullptr));
    ShowExpected(mutator->VarRemapGetExpected(1));
    ShowExpected(mutator->VarRemapSetExpected(nullptr, 1));
  });
  Line("parent", [] {
    auto text = [](const String &, const int &count) {
      Show("at", count);
      return 1;
    };
    auto number = [](int64_t value, const int &count, TVMFFIDefRegionKind kind) {
      Show("at", count, static_cast<int>(kind));
      return value + 1;
    };
    using Engine = StructuralMapEngine<CountingParent, WalkOrder::kPostOrder, decltype(text),
                                       decltype(number)>;
    const auto engine = make_object<Engine>(text, number);
    ShowParts(StructuralMutator(engine)->Mutate(Array<Any>{"a", 5}).ValueOrUnchanged(nullptr));
    Show(engine->count());
  });
  Line("parent", [] {
    auto number = [](int64_t value, CountingParent *parent) { return value + parent->count(); };
    using Engine = StructuralMutateEngine<CountingParent, decltype(number)>;
    const auto engine = make_object<Engine>(number);
    ShowParts(StructuralMutator(engine)->Mutate(Array<Any>{1, Array<Any>{1}}).ValueOrUnchanged(0));
  });
  Line("chosen later", [] {
    using Engine = StructuralMapDynEngine<StructuralMapEngineBase, WalkOrder::kPreOrder>;
    using Entry = Tuple<int32_t, Function>;
    using Callbacks = Array<Entry>;
    const auto say = [](const char *label) {
      return Function::FromPacked([label](const AnyView *args, int32_t size, Any *result) {
        Show(label, NameOf(args[0]), size);
        *result = Unchanged();
      });
    };
    const StructuralMutator mutator(make_object<Engine>(
        Callbacks{Entry(kTVMFFIStr, say("text")), Entry(kTVMFFIArray, say("array"))},
        Callbacks{Entry(kTVMFFIObject, say("object")), Entry(-1, say("any"))}));
    Show(mutator->Mutate(Example()).IsUnchanged());
    Show(mutator->Mutate(Array<Any>{"short", "longer than seven", nullptr}).IsUnchanged());
  });
}

void ShowUnchanged() {
  Line("value", [] {
    const Var var("x");
    UnchangedOr<Var> kept = Unchanged(), replaced = Var("y");
    Show(kept.IsUnchanged(), replaced.IsUnchanged(), kept.UnchangedOrSameAs(var),
         replaced.UnchangedOrSameAs(var), UnchangedOr<Var>(var).UnchangedOrSameAs(var),
         UnchangedOr<double>(1.5).UnchangedOrSameAs(1.5),
         UnchangedOr<String>("short").UnchangedOrSameAs("short"));
    Show(std::move(kept).ValueOrUnchanged(var)->name,
         std::move(replaced).ValueOrUnchanged(var)->name, var.use_count());
    Show(UnchangedOr<Any>(1).as<int64_t>().has_value(),
         UnchangedOr<Any>(1).as<String>().has_value(),
         UnchangedOr<Any>(Unchanged()).as<UnchangedOr<String>>().has_value(),
         UnchangedOr<Any>(2).as_or_throw<int>());
  });
  Line("raw", [] {
    using Unsafe = detail::UnchangedOrUnsafe;
    const Var var("x");
    Show(Unsafe::MoveFromTVMFFIAny<Any>(Unsafe::MoveToTVMFFIAny(UnchangedOr<Var>(var)))
             .as_or_throw<Var>()
             ->name,
         var.use_count());
    Show(Unsafe::MoveFromTVMFFIAny<Var>(Unsafe::MoveToTVMFFIAny(UnchangedOr<Any>(Unchanged())))
             .IsUnchanged());
  });
  Line("value", [] { UnchangedOr<Any>(2).as_or_throw<String>(); });
  Line("value", [] { UnchangedOr<Any>(Unchanged()).as_or_throw<String>(); });
  const auto narrow = [](Expected<UnchangedOr<Any>> mapped) -> Expected<int64_t> {
    TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(mapped);
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int64_t>, value, std::move(mapped));
    return std::move(value).ValueOrUnchanged(-1);
  };
  Line("macro", [&] {
    Show(narrow(UnchangedOr<Any>(4)).value(), narrow(Unchanged()).value());
    ShowExpected(narrow(UnchangedOr<Any>("x")));
    ShowExpected(narrow(Error("ValueError", "given", "")));
  });
  Line("macro", [&] {
    const auto take = [](Expected<UnchangedOr<Any>> mapped) -> Expected<int64_t> {
      TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int64_t>, value, mapped);
      return std::move(value).ValueUnchecked();
    };
    Show(take(UnchangedOr<Any>(4)).value());
    ShowExpected(take(Error("ValueError", "given", "")));
  });
}

void VisitUntil(const Any &node, const ObjectRef &last) {
  TVM_FFI_VISIT_BEGIN();
  if (node.same_as(last)) TVM_FFI_VISIT_THROW(ValueError, last) << "here " << 1;
  if (const PairObj *pair = node.as<PairObj>()) {
    VisitUntil(pair->first, last);
    VisitUntil(pair->second, last);
  }
  TVM_FFI_VISIT_END(node.cast<ObjectRef>());
}

void ShowErrors() {
  const Var leaf("leaf");
  const Pair root(Pair(Var("a"), leaf), Array<Any>{leaf});
  Line("context", [&] {
    try {
      VisitUntil(root, leaf);
    } catch (const Error &error) {
      ShowContext(error);
      // VisitErrorContext::FindAccessPaths of the package's headers needs the package's library.
      const Function find = Function::GetGlobalRequired("ffi.VisitErrorContext.FindAccessPaths");
      const VisitErrorContext context = VisitErrorContext::TryGetFromError(error).value();
      for (const ObjectRef &start : {ObjectRef(root), ObjectRef(leaf)}) {
        Show(find(start, context, false).cast<Array<Any>>().size());
      }
    }
  });
  Line("context", [&] {
    const auto visit = [&](const ObjectRef &node) -> Expected<int> {
      TVM_FFI_VISIT_BEGIN();
      TVM_FFI_THROW(TypeError) << "in it";
      TVM_FFI_VISIT_END_RETURN_EXPECTED(node);
    };
    ShowExpected(visit(leaf));
    ShowExpected(visit(root));
  });
  Line("context", [&] {
    Error error("A", "b", "", std::nullopt, std::optional<ObjectRef>(root));
    detail::UpdateVisitErrorContext(error, leaf);
    detail::UpdateVisitErrorContext(error, AnyView(1));
    detail::UpdateVisitErrorContext(error, AnyView(root));
    ShowContext(error);
    const Any result(error);
    detail::UpdateVisitErrorContext(AnyView(result).CopyToTVMFFIAny(), AnyView(leaf));
    detail::UpdateVisitErrorContext(AnyView(result).CopyToTVMFFIAny(), AnyView(nullptr));
    ShowContext(error);
    Show(detail::MakeVisitErrorContext(leaf)->reverse_visit_pattern.size());
  });
}

}  // namespace

int main() {
  ShowNames();
  ShowWalks();
  ShowVisits();
  ShowMaps();
  ShowMutations();
  ShowUnchanged();
  ShowErrors();
  return 0;
}
