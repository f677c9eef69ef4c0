/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/structural_map_engine.h
 * The mutators that run callbacks. structural_mutate.h includes it.
 */
#ifndef TVM_FFI_DETAIL_STRUCTURAL_MAP_ENGINE_H_
#define TVM_FFI_DETAIL_STRUCTURAL_MAP_ENGINE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/extra/structural_mutate.h>

#include <unordered_map>

TVM_FFI_NAMESPACE_BEGIN

/**
 * A mutator that records what objects became, by identity. Base class of the Parent of an engine,
 * which is constructed from the vtable and may define: a StateTupleType and a StateTuple() of its
 * own, whose elements StructuralMap's callbacks get after the value; a MutatorObjType, the class as
 * which StructuralMutate's callbacks get the mutator; and a DefaultMutateExpected, which engines
 * call to descend.
 *
 * Libraries export classes that derive from it, whichever headers they were compiled with: its
 * layout, and what the records hold, is fixed.
 */
class StructuralMapEngineBase : public StructuralMutatorObj {
 public:
  using StateTupleType = std::tuple<>;
  TVM_FFI_LOCAL explicit StructuralMapEngineBase(const StructuralMutatorVTable *vtable)
      : StructuralMutatorObj(vtable) {}
  StructuralMapEngineBase(const StructuralMapEngineBase &) = delete;
  StructuralMapEngineBase &operator=(const StructuralMapEngineBase &) = delete;
  TVM_FFI_LOCAL ~StructuralMapEngineBase() {
    for (const auto &record : records_) {
      detail::Release(static_cast<TVMFFIObject *>(const_cast<void *>(record.first)));
    }
  }

 protected:
  TVM_FFI_LOCAL_INLINE StateTupleType StateTuple() const noexcept { return {}; }
  /** What is recorded for an object, or None. Errors: TypeError (not an object). */
  TVM_FFI_LOCAL Expected<Any> VarRemapGetImpl(AnyView var) noexcept {
    return detail::ExpectedOf<Any>(DispatchVarRemapGet(this, var));
  }
  /** Records what an object became, replacing any earlier record. Errors: TypeError (no object). */
  TVM_FFI_LOCAL Expected<void> VarRemapSetImpl(AnyView var, AnyView value) noexcept {
    return detail::ExpectedOf<void>(DispatchVarRemapSet(this, var, value));
  }
  /* The same as entries of a vtable. */
  TVM_FFI_LOCAL static TVMFFIAny DispatchVarRemapGet(StructuralMutatorObj *self,
                                                     AnyView var) noexcept {
    return detail::GiveOutcome(static_cast<StructuralMapEngineBase *>(self)->GetRecord(var));
  }
  TVM_FFI_LOCAL static TVMFFIAny DispatchVarRemapSet(StructuralMutatorObj *self, AnyView var,
                                                     AnyView value) noexcept {
    return detail::GiveOutcome(static_cast<StructuralMapEngineBase *>(self)->SetRecord(var, value));
  }

 private:
  TVM_FFI_LOCAL_COLD static Any RefuseKey() {
    return detail::TypeErrorOutcome("Variable-remap key must be an object-backed value");
  }
  TVM_FFI_LOCAL Any GetRecord(AnyView var) const {
    if (var.type_index() < kTVMFFIStaticObjectBegin) return RefuseKey();
    const auto found = records_.find(detail::AnyUnsafe::Data(var)->v_obj);
    return found == records_.end() ? Any() : found->second;
  }
  TVM_FFI_LOCAL Any SetRecord(AnyView var, AnyView value) {
    if (var.type_index() < kTVMFFIStaticObjectBegin) return RefuseKey();
    return detail::CatchOutcome([&] {
      TVMFFIObject *object = detail::AnyUnsafe::Data(var)->v_obj;
      Any owned(value);
      const auto [record, is_new] = records_.try_emplace(object);
      if (is_new) detail::Retain(object);
      // The old value is released when the record is complete.
      record->second.swap(owned);
      return Any();
    });
  }

  /** By identity. Each key is a reference of its own, so no other object can get its address. */
  std::unordered_map<const void *, Any> records_;
};

namespace detail {

/** A callback's result may be changed in place only if nobody else holds it. */
TVM_FFI_LOCAL_INLINE InplaceMode ModeFor(const Any &given, InplaceMode mode) {
  return IsUniqueObject(given) ? mode : InplaceMode::kDisallow;
}

/** The order of a mapping, for any Engine with CallBack and Descend. */
template <WalkOrder order>
struct MapSteps {
  template <typename Engine>
  TVM_FFI_LOCAL_INLINE static Any Run(Engine *engine, AnyView value, InplaceMode mode) {
    if constexpr (order == WalkOrder::kPreOrder) {
      Any given = engine->CallBack(value);
      if (IsError(given)) {
        NoteVisited(given, value);
        return given;
      }
      if (given.type_index() == kTVMFFIUnchanged) return engine->Descend(value, mode);
      if (AnyView(given).same_as(value)) {
        given.reset();  // this reference would make the object look shared
        return engine->Descend(value, mode);
      }
      Any outcome = engine->Descend(given, ModeFor(given, mode));
      if (outcome.type_index() == kTVMFFIUnchanged) return given;
      return outcome;
    } else {
      Any outcome = engine->Descend(value, mode);
      if (IsError(outcome)) return outcome;
      const AnyView now = outcome.type_index() == kTVMFFIUnchanged ? value : AnyView(outcome);
      Any given = engine->CallBack(now);
      NoteVisited(given, now);
      if (given.type_index() == kTVMFFIUnchanged) return outcome;
      return given;
    }
  }
};

}  // namespace detail

/** The mutator of StructuralMap. */
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralMapEngine : public Parent {
  static_assert(std::is_base_of_v<StructuralMapEngineBase, Parent>,
                "the parent of a mapping derives from StructuralMapEngineBase: give another class "
                "as Parent, or leave it out");
  static_assert(sizeof...(Callbacks) != 0,
                "a mapping without a callback changes nothing: give it one");

 public:
  template <typename... F>
  TVM_FFI_LOCAL explicit StructuralMapEngine(F &&...callbacks)
      : Parent(VTable()), callbacks_(static_cast<F &&>(callbacks)...) {}
  TVM_FFI_LOCAL_INLINE ~StructuralMapEngine() = default;

 private:
  TVM_FFI_LOCAL static const StructuralMutatorVTable *VTable() {
    static constexpr StructuralMutatorVTable table{
        &MutateValue<InplaceMode::kDisallow>, &MutateValue<InplaceMode::kAllow>,
        &StructuralMapEngine::DispatchVarRemapGet, &StructuralMapEngine::DispatchVarRemapSet};
    return &table;
  }
  template <InplaceMode mode>
  TVM_FFI_LOCAL static TVMFFIAny MutateValue(StructuralMutatorObj *self, AnyView value) noexcept {
    return detail::GiveOutcome(
        detail::MapSteps<order>::Run(static_cast<StructuralMapEngine *>(self), value, mode));
  }
  /** Unchanged if no callback takes the value. */
  TVM_FFI_LOCAL_INLINE Any CallBack(AnyView value) {
    using State = typename Parent::StateTupleType;
    const State state = this->StateTuple();
    Any given;
    const bool found =
        detail::CallFirst<Any>(callbacks_, value, &given, this->def_region_mode_, state);
    if (!found) given = Unchanged();
    return given;
  }
  TVM_FFI_LOCAL_INLINE Any Descend(AnyView value, InplaceMode mode) {
    return detail::OutcomeOf(Parent::DefaultMutateExpected(value, mode));
  }

  std::tuple<Callbacks...> callbacks_;

  friend struct detail::MapSteps<order>;
};

/** The same with callbacks that are chosen at run time, by the index of the type that they take. */
template <typename Parent, WalkOrder order>
class StructuralMapDynEngine : public Parent {
  static_assert(std::is_base_of_v<StructuralMapEngineBase, Parent>,
                "the parent of a mapping derives from StructuralMapEngineBase: give another class "
                "as Parent, or leave it out");

 public:
  /** Index -1 takes every value. callbacks_with_kind get the kind of region after the value. */
  TVM_FFI_LOCAL StructuralMapDynEngine(Array<Tuple<int32_t, Function>> callbacks,
                                       Array<Tuple<int32_t, Function>> callbacks_with_kind)
      : Parent(VTable()),
        callbacks_(std::move(callbacks)),
        callbacks_with_kind_(std::move(callbacks_with_kind)) {}
  TVM_FFI_LOCAL_INLINE ~StructuralMapDynEngine() = default;

 private:
  TVM_FFI_LOCAL static const StructuralMutatorVTable *VTable() {
    static constexpr StructuralMutatorVTable table{
        &MutateValue<InplaceMode::kDisallow>, &MutateValue<InplaceMode::kAllow>,
        &StructuralMapDynEngine::DispatchVarRemapGet, &StructuralMapDynEngine::DispatchVarRemapSet};
    return &table;
  }
  template <InplaceMode mode>
  TVM_FFI_LOCAL static TVMFFIAny MutateValue(StructuralMutatorObj *self, AnyView value) noexcept {
    return detail::GiveOutcome(
        detail::MapSteps<order>::Run(static_cast<StructuralMapDynEngine *>(self), value, mode));
  }
  TVM_FFI_LOCAL Any CallBack(AnyView value) {
    return detail::CatchOutcome([&] {
      for (const Tuple<int32_t, Function> &each : callbacks_) {
        if (!IsFor(each, value)) continue;
        return detail::OutcomeOf(each.template get<1>().template CallExpected<Any>(value));
      }
      for (const Tuple<int32_t, Function> &each : callbacks_with_kind_) {
        if (!IsFor(each, value)) continue;
        return detail::OutcomeOf(each.template get<1>().template CallExpected<Any>(
            value, static_cast<int32_t>(this->def_region_mode_)));
      }
      return Any(Unchanged());
    });
  }
  TVM_FFI_LOCAL static bool IsFor(const Tuple<int32_t, Function> &callback, AnyView value) {
    return detail::RuntimeTypeIndexMatch(value.type_index(), callback.template get<0>());
  }
  TVM_FFI_LOCAL_INLINE Any Descend(AnyView value, InplaceMode mode) {
    return detail::OutcomeOf(Parent::DefaultMutateExpected(value, mode));
  }

  Array<Tuple<int32_t, Function>> callbacks_;
  Array<Tuple<int32_t, Function>> callbacks_with_kind_;

  friend struct detail::MapSteps<order>;
};

/** The mutator of StructuralMutate, whose callbacks descend themselves. */
template <typename Parent, typename... Callbacks>
class StructuralMutateEngine : public Parent {
  static_assert(std::is_base_of_v<StructuralMapEngineBase, Parent>,
                "the parent of a mutation derives from StructuralMapEngineBase: give another class "
                "as Parent, or leave it out");
  static_assert(sizeof...(Callbacks) != 0,
                "a mutation without a callback changes nothing: give it one");

 public:
  template <typename... F>
  TVM_FFI_LOCAL explicit StructuralMutateEngine(F &&...callbacks)
      : Parent(VTable()), callbacks_(static_cast<F &&>(callbacks)...) {}
  TVM_FFI_LOCAL_INLINE ~StructuralMutateEngine() = default;

 private:
  TVM_FFI_LOCAL static const StructuralMutatorVTable *VTable() {
    static constexpr StructuralMutatorVTable table{
        &MutateValue<InplaceMode::kDisallow>, &MutateValue<InplaceMode::kAllow>,
        &StructuralMutateEngine::DispatchVarRemapGet, &StructuralMutateEngine::DispatchVarRemapSet};
    return &table;
  }
  template <InplaceMode mode>
  TVM_FFI_LOCAL static TVMFFIAny MutateValue(StructuralMutatorObj *self, AnyView value) noexcept {
    return detail::GiveOutcome(static_cast<StructuralMutateEngine *>(self)->MutateBy(value, mode));
  }
  TVM_FFI_LOCAL_INLINE Any MutateBy(AnyView value, InplaceMode mode) {
    using Mutator = typename Parent::MutatorObjType;
    const std::tuple<Mutator *> mutator(this);
    Any given;
    if (!detail::CallFirst<Any>(callbacks_, value, &given, mode, mutator)) {
      return detail::OutcomeOf(Parent::DefaultMutateExpected(value, mode));
    }
    detail::NoteVisited(given, value);
    return given;
  }

  std::tuple<Callbacks...> callbacks_;
};

TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_STRUCTURAL_MAP_ENGINE_H_
