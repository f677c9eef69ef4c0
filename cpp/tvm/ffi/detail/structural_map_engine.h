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

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/** Maps objects, by identity, to what they became. Entries are never removed. */
class TVM_FFI_TAGGED RecordTable {
 public:
  TVM_FFI_LOCAL RecordTable() = default;
  RecordTable(const RecordTable &) = delete;
  RecordTable &operator=(const RecordTable &) = delete;
  TVM_FFI_LOCAL ~RecordTable() { delete[] records_; }

  /** [lend] NULL when nothing is recorded. */
  TVM_FFI_LOCAL const Any *Find(AnyView var) const {
    if (size_ == 0) return nullptr;
    const Record *record = Locate(records_, capacity_, var);
    return record->var == nullptr ? nullptr : &record->value;
  }
  /** Replaces an existing record. Throws std::bad_alloc. */
  TVM_FFI_LOCAL void Set(AnyView var, AnyView value) {
    Any owned(value);
    if (2 * (size_ + 1) > capacity_) Grow();
    Record *record = Locate(records_, capacity_, var);
    if (record->var == nullptr) {
      record->var = var;
      ++size_;
    }
    // The old value is released after the table is consistent again.
    record->value.swap(owned);
  }

 private:
  struct Record {
    /** Owned, so that no other object can get its address; None in a free record. */
    Any var;
    Any value;
    TVM_FFI_LOCAL_INLINE Record() = default;
    TVM_FFI_LOCAL_INLINE ~Record() = default;
  };
  /** Linear probing: the record of an object, or a free one. At least half of them are free. */
  TVM_FFI_LOCAL static Record *Locate(Record *records, size_t capacity, AnyView var) {
    const uint64_t address = reinterpret_cast<uintptr_t>(AnyUnsafe::Data(var)->v_obj);
    size_t i = static_cast<size_t>((address * 0x9e3779b97f4a7c15U) >> 32);
    for (;; ++i) {
      Record *record = &records[i & (capacity - 1)];
      if (record->var == nullptr || AnyView(record->var).same_as(var)) return record;
    }
  }
  TVM_FFI_LOCAL void Grow() {
    const size_t capacity = capacity_ == 0 ? 16 : 2 * capacity_;
    Record *records = new Record[capacity];
    for (size_t i = 0; i < capacity_; ++i) {
      if (records_[i].var == nullptr) continue;
      Record *target = Locate(records, capacity, records_[i].var);
      target->var.swap(records_[i].var);
      target->value.swap(records_[i].value);
    }
    delete[] records_;
    records_ = records;
    capacity_ = capacity;
  }

  Record *records_ = nullptr;
  size_t size_ = 0;
  /** A power of two, or 0. */
  size_t capacity_ = 0;
};

}  // namespace detail

/**
 * A mutator that records what objects became, by identity. Base class of the Parent of an engine,
 * which is constructed from the vtable and may define: a StateTupleType and a StateTuple() of its
 * own, whose elements StructuralMap's callbacks get after the value; a MutatorObjType, the class as
 * which StructuralMutate's callbacks get the mutator; and a DefaultMutateExpected, which engines
 * call to descend.
 */
class StructuralMapEngineBase : public StructuralMutatorObj {
 public:
  using StateTupleType = std::tuple<>;
  TVM_FFI_LOCAL explicit StructuralMapEngineBase(const StructuralMutatorVTable *vtable)
      : StructuralMutatorObj(vtable) {}
  TVM_FFI_LOCAL_INLINE ~StructuralMapEngineBase() = default;

 protected:
  TVM_FFI_LOCAL_INLINE StateTupleType StateTuple() const noexcept { return {}; }
  /* The entries of an engine's vtable that access the records. */
  TVM_FFI_LOCAL static TVMFFIAny GetRecord(StructuralMutatorObj *self, AnyView var) noexcept {
    return static_cast<StructuralMapEngineBase *>(self)->Recorded(var);
  }
  TVM_FFI_LOCAL static TVMFFIAny SetRecord(StructuralMutatorObj *self, AnyView var,
                                           AnyView value) noexcept {
    return static_cast<StructuralMapEngineBase *>(self)->Record(var, value);
  }

 private:
  TVM_FFI_LOCAL_COLD static TVMFFIAny RefuseKey() {
    return detail::GiveOutcome(
        detail::TypeErrorOutcome("Variable-remap key must be an object-backed value"));
  }
  TVM_FFI_LOCAL TVMFFIAny Recorded(AnyView var) const {
    if (var.type_index() < kTVMFFIStaticObjectBegin) return RefuseKey();
    const Any *found = records_.Find(var);
    return detail::GiveOutcome(found == nullptr ? Any() : Any(*found));
  }
  TVM_FFI_LOCAL TVMFFIAny Record(AnyView var, AnyView value) {
    if (var.type_index() < kTVMFFIStaticObjectBegin) return RefuseKey();
    return detail::GiveOutcome(detail::CatchOutcome([&] {
      records_.Set(var, value);
      return Any();
    }));
  }

  detail::RecordTable records_;
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
        &StructuralMapEngine::GetRecord, &StructuralMapEngine::SetRecord};
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
        &StructuralMapDynEngine::GetRecord, &StructuralMapDynEngine::SetRecord};
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
        &StructuralMutateEngine::GetRecord, &StructuralMutateEngine::SetRecord};
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
