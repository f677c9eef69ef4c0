/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_visit.h
 * Visiting the contents of a value: fields of objects, elements, values of maps.
 *
 *     StructuralWalk<WalkOrder::kPreOrder>(
 *         root,
 *         [&](const VarObj *var) { names.push_back(var->name); return WalkResult::Skip(); },
 *         [&](int64_t number) { sum += number; return WalkResult::Advance(); });
 *
 * A callback is called with values that are exactly of the type of its first parameter; for each
 * value only the first that takes it. StructuralWalk descends by itself; the callbacks of
 * StructuralVisit get the visitor and descend as they like. A type can define how it is visited by
 * a hook under type_attr::kStructuralVisit. Keys of maps are not visited, None is not reported.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
#define TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_

#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/detail/structural_step.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/native_function.h>

TVM_FFI_NAMESPACE_BEGIN

/* ---- Interrupting a visit ---- */

class VisitInterruptObj : public Object {
 public:
  Any value;

  TVM_FFI_LOCAL VisitInterruptObj() = default;
  TVM_FFI_LOCAL explicit VisitInterruptObj(Any value_) : value(std::move(value_)) {}
  TVM_FFI_LOCAL_INLINE ~VisitInterruptObj() = default;
  TVM_FFI_LOCAL static constexpr int32_t _type_index = kTVMFFIVisitInterrupt;
  TVM_FFI_LOCAL static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIVisitInterrupt, VisitInterruptObj,
                                     Object);
};

/** Ends a visit early, with a value for its caller. */
class VisitInterrupt : public ObjectRef {
 public:
  TVM_FFI_LOCAL VisitInterrupt() : ObjectRef(make_object<VisitInterruptObj>()) {}
  TVM_FFI_LOCAL explicit VisitInterrupt(Any value)
      : ObjectRef(make_object<VisitInterruptObj>(std::move(value))) {}
  /** Errors: InternalError (null). */
  TVM_FFI_LOCAL explicit VisitInterrupt(ObjectPtr<VisitInterruptObj> interrupt)
      : ObjectRef(detail::RequireObject(std::move(interrupt), "a VisitInterrupt is never null")) {}
  TVM_FFI_LOCAL_INLINE ~VisitInterrupt() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitInterrupt, ObjectRef, VisitInterruptObj);
};

/** What a walk does after a callback: an int, or the VisitInterrupt that ends it. */
class WalkResult : public Variant<VisitInterrupt, int> {
 public:
  using Storage = Variant<VisitInterrupt, int>;
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(WalkResult)
  TVM_FFI_LOCAL_INLINE explicit WalkResult(UnsafeInit tag) : Storage(tag) {}
  TVM_FFI_LOCAL_INLINE static WalkResult Advance() { return WalkResult(Storage(0)); }
  /** In a pre-order walk: do not descend into this value. */
  TVM_FFI_LOCAL_INLINE static WalkResult Skip() { return WalkResult(Storage(1)); }
  TVM_FFI_LOCAL static WalkResult Interrupt(VisitInterrupt interrupt = VisitInterrupt()) {
    return WalkResult(Storage(std::move(interrupt)));
  }

 private:
  TVM_FFI_LOCAL_INLINE explicit WalkResult(Storage &&data) : Storage(std::move(data)) {}

  friend struct TypeTraits<WalkResult>;
};

/** None, an int (1 skips), or a VisitInterrupt. */
template <>
struct TypeTraits<WalkResult> : detail::ReadTraits<WalkResult> {
  using TvmFfiOwn = void;
  using Storage = TypeTraits<WalkResult::Storage>;
  TVM_FFI_LOCAL_INLINE static void CopyToAnyView(const WalkResult &value, TVMFFIAny *out) {
    Storage::CopyToAnyView(value, out);
  }
  TVM_FFI_LOCAL_INLINE static void MoveToAny(WalkResult value, TVMFFIAny *out) {
    Storage::MoveToAny(std::move(value), out);
  }
  TVM_FFI_LOCAL_INLINE static bool CheckAnyStrict(const TVMFFIAny *source) {
    return source->type_index == kTVMFFINone || source->type_index == kTVMFFIInt ||
           source->type_index == kTVMFFIVisitInterrupt;
  }
  TVM_FFI_LOCAL_INLINE static WalkResult CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return WalkResult(Storage::CopyFromAnyViewAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static WalkResult MoveFromAnyAfterCheck(TVMFFIAny *source) {
    return WalkResult(Storage::MoveFromAnyAfterCheck(source));
  }
  TVM_FFI_LOCAL_INLINE static int Read(const TVMFFIAny *source, WalkResult *out) {
    if (source->type_index == kTVMFFIBool) {
      *out = WalkResult(WalkResult::Storage(static_cast<int>(source->v_int64)));
      return detail::kReadOk;
    }
    if (!CheckAnyStrict(source)) return detail::kReadMismatch;
    *out = CopyFromAnyViewAfterCheck(source);
    return detail::kReadOk;
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutTypeStr(Sink &sink) {
    sink.Put("WalkResult");
  }
  template <typename Sink>
  TVM_FFI_LOCAL static constexpr void PutSchema(Sink &sink) {
    detail::PutSchemaOf<VisitInterrupt, int64_t>(sink, "Variant");
  }
};

/** Whether a value comes before or after its contents. */
enum class WalkOrder : int32_t { kPreOrder = 0, kPostOrder = 1 };

/* ---- Visitors ---- */

class StructuralVisitorObj;

/** Returns None, a VisitInterrupt or an Error, which the caller owns. */
using FStructuralVisitABI = TVMFFIAny (*)(StructuralVisitorObj *visitor, AnyView value) noexcept;
/** The hook of a type. FStructuralVisit::FromNative<&Visit>() makes one of a function. */
using FStructuralVisit =
    reflection::NativeFunctionView<Optional<VisitInterrupt>(StructuralVisitorObj *, AnyView)>;

/** The functions of a visitor class. */
struct StructuralVisitorVTable {
  FStructuralVisitABI visit;
};

namespace reflection {
namespace type_attr {
TVM_FFI_LOCAL inline constexpr const char *kStructuralVisit = "__s_visit__";
}  // namespace type_attr
}  // namespace reflection
namespace type_attr {
/** How objects of a type are visited. */
TVM_FFI_LOCAL inline constexpr AttrKey<FStructuralVisit> kStructuralVisit{"__s_visit__"};
}  // namespace type_attr

/**
 * Visits values. It may be kept and used again, but not while it is in use. Classes of your own
 * derive from it, without registering a type, and pass it their vtable.
 */
class StructuralVisitorObj : public Object {
 public:
  /** The second argument of StructuralVisit's callbacks. */
  using VisitorObjType = StructuralVisitorObj;
  /** The extra arguments that StructuralWalk's callbacks get after the value. */
  using StateTupleType = std::tuple<>;

  TVM_FFI_LOCAL_INLINE ~StructuralVisitorObj() = default;
  /** Throws the error that the visit ended with. */
  TVM_FFI_LOCAL Optional<VisitInterrupt> Visit(AnyView value) {
    return VisitExpected(value).value();
  }
  TVM_FFI_LOCAL_INLINE Expected<Optional<VisitInterrupt>> VisitExpected(AnyView value) noexcept {
    return detail::ExpectedOf<Optional<VisitInterrupt>>(vtable_->visit(this, value));
  }
  /** Visits the contents of a value: by the hook of its type, otherwise its registered fields. */
  TVM_FFI_LOCAL Expected<Optional<VisitInterrupt>> DefaultVisitExpected(AnyView value) noexcept {
    return detail::ExpectedOf<Optional<VisitInterrupt>>(detail::GiveOutcome(DefaultVisit(value)));
  }

  /** Whether variables visited now are uses or definitions. */
  TVM_FFI_LOCAL_INLINE TVMFFIDefRegionKind def_region_kind() const { return def_region_mode_; }
  /** Calls f in a region of this kind and returns its result. Patterns stay patterns. */
  template <typename F>
  TVM_FFI_LOCAL_INLINE decltype(auto) WithDefRegionKind(TVMFFIDefRegionKind kind, F &&f) {
    const detail::RegionScope scope(&def_region_mode_, kind);
    return static_cast<F &&>(f)();
  }

  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DETAIL_LAZY_TYPE("ffi.StructuralVisitor", StructuralVisitorObj, Object);

 protected:
  /** @param vtable [lend] Must live as long as the visitor. */
  TVM_FFI_LOCAL explicit StructuralVisitorObj(const StructuralVisitorVTable *vtable)
      : vtable_(vtable) {}
  TVM_FFI_LOCAL_INLINE StateTupleType StateTuple() const noexcept { return {}; }

  const StructuralVisitorVTable *vtable_;
  TVMFFIDefRegionKind def_region_mode_ = kTVMFFIDefRegionKindNone;

 private:
  TVM_FFI_LOCAL Any DefaultVisit(AnyView value) noexcept;
};

static_assert(sizeof(void *) != 8 || sizeof(StructuralVisitorObj) == 40,
              "visitors are objects of the ABI: the table at 24, the kind of region at 32");

class StructuralVisitor : public ObjectRef {
 public:
  /** Errors: InternalError (null). */
  TVM_FFI_LOCAL explicit StructuralVisitor(ObjectPtr<StructuralVisitorObj> visitor)
      : ObjectRef(detail::RequireObject(std::move(visitor), "a StructuralVisitor is never null")) {}
  TVM_FFI_LOCAL_INLINE ~StructuralVisitor() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralVisitor, ObjectRef, StructuralVisitorObj);
};

namespace detail {
TVM_FFI_LOCAL inline const TVMFFITypeAttrColumn *structural_visit_column = nullptr;
}  // namespace detail

TVM_FFI_LOCAL inline Any StructuralVisitorObj::DefaultVisit(AnyView value) noexcept {
  const int32_t type_index = value.type_index();
  const TVMFFIAny *hook = detail::FindTypeAttr(&detail::structural_visit_column,
                                               type_attr::kStructuralVisit.name, type_index);
  if (hook != nullptr) {
    if (hook->type_index == kTVMFFIOpaquePtr) {
      return detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(
          reinterpret_cast<FStructuralVisitABI>(hook->v_ptr)(this, value));
    }
    if (hook->type_index != kTVMFFIFunction) {
      return detail::TypeErrorOutcome(
          "__s_visit__ must be an opaque function pointer or ffi.Function");
    }
    return detail::CallHookFunction<Optional<VisitInterrupt>>(hook, this, value);
  }
  if (type_index < kTVMFFIStaticObjectBegin) return Any();
  return detail::StepThroughFields(
      TVMFFIGetTypeInfo(type_index), detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck(value),
      &def_region_mode_, [this](const TVMFFIFieldInfo *, AnyView child, Any *outcome) {
        const TVMFFIAny given = vtable_->visit(this, child);
        if (TVM_FFI_PREDICT_TRUE(given.type_index == kTVMFFINone)) return false;
        *outcome = detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(given);
        return true;
      });
}

/* ---- Engines ---- */

/**
 * The visitor of a walk. Parent derives from StructuralVisitorObj and is constructed from the
 * vtable. It may define a StateTupleType and a StateTuple() of its own, whose elements callbacks
 * get after the value, and a DefaultVisitExpected, which the walk calls to descend.
 */
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralWalkEngine : public Parent {
  static_assert(std::is_base_of_v<StructuralVisitorObj, Parent>,
                "the parent of a walk derives from StructuralVisitorObj: give another class as "
                "Parent, or leave it out");

 public:
  template <typename... F>
  TVM_FFI_LOCAL explicit StructuralWalkEngine(F &&...callbacks)
      : Parent(VTable()), callbacks_(static_cast<F &&>(callbacks)...) {}
  TVM_FFI_LOCAL_INLINE ~StructuralWalkEngine() = default;

 private:
  TVM_FFI_LOCAL static const StructuralVisitorVTable *VTable() {
    static constexpr StructuralVisitorVTable table{&StructuralWalkEngine::VisitValue};
    return &table;
  }
  TVM_FFI_LOCAL static TVMFFIAny VisitValue(StructuralVisitorObj *self, AnyView value) noexcept {
    if (value == nullptr) return detail::GiveOutcome(Any());
    Any outcome = static_cast<StructuralWalkEngine *>(self)->Walk(value);
    detail::NoteVisited(outcome, value);
    return detail::GiveOutcome(std::move(outcome));
  }
  TVM_FFI_LOCAL_INLINE Any Walk(AnyView value) {
    if constexpr (order == WalkOrder::kPreOrder) {
      Any wanted = CallBack(value);
      if (wanted != nullptr && wanted.type_index() != kTVMFFIInt) return wanted;
      if (wanted.same_as(Any(1))) return Any();
      return Descend(value);
    } else {
      Any outcome = Descend(value);
      if (outcome != nullptr) return outcome;
      outcome = CallBack(value);
      if (outcome.type_index() == kTVMFFIInt) outcome.reset();
      return outcome;
    }
  }
  /** A WalkResult or an Error; None if no callback takes the value. */
  TVM_FFI_LOCAL_INLINE Any CallBack(AnyView value) {
    using State = typename Parent::StateTupleType;
    const State state = this->StateTuple();
    Any outcome;
    detail::CallFirst<WalkResult>(callbacks_, value, &outcome, this->def_region_mode_, state);
    return outcome;
  }
  TVM_FFI_LOCAL_INLINE Any Descend(AnyView value) {
    return detail::OutcomeOf(Parent::DefaultVisitExpected(value));
  }

  std::tuple<Callbacks...> callbacks_;
};

/**
 * The visitor whose callbacks descend by themselves. Parent is like that of a walk; callbacks get
 * it as a VisitorObjType. Values that no callback takes are visited by its DefaultVisitExpected.
 */
template <typename Parent, typename... Callbacks>
class StructuralVisitEngine : public Parent {
  static_assert(std::is_base_of_v<StructuralVisitorObj, Parent>,
                "the parent of a visit derives from StructuralVisitorObj: give another class as "
                "Parent, or leave it out");

 public:
  template <typename... F>
  TVM_FFI_LOCAL explicit StructuralVisitEngine(F &&...callbacks)
      : Parent(VTable()), callbacks_(static_cast<F &&>(callbacks)...) {}
  TVM_FFI_LOCAL_INLINE ~StructuralVisitEngine() = default;

 private:
  TVM_FFI_LOCAL static const StructuralVisitorVTable *VTable() {
    static constexpr StructuralVisitorVTable table{&StructuralVisitEngine::VisitValue};
    return &table;
  }
  TVM_FFI_LOCAL static TVMFFIAny VisitValue(StructuralVisitorObj *self, AnyView value) noexcept {
    if (value == nullptr) return detail::GiveOutcome(Any());
    Any outcome = static_cast<StructuralVisitEngine *>(self)->VisitBy(value);
    detail::NoteVisited(outcome, value);
    return detail::GiveOutcome(std::move(outcome));
  }
  TVM_FFI_LOCAL_INLINE Any VisitBy(AnyView value) {
    using Visitor = typename Parent::VisitorObjType;
    const std::tuple<Visitor *> visitor(this);
    Any outcome;
    const bool found = detail::CallFirst<Optional<VisitInterrupt>>(callbacks_, value, &outcome,
                                                                   std::ignore, visitor);
    if (!found) outcome = detail::OutcomeOf(Parent::DefaultVisitExpected(value));
    return outcome;
  }

  std::tuple<Callbacks...> callbacks_;
};

/* ---- In one call ---- */

/**
 * Walks through a value. Callbacks (value) or (value, TVMFFIDefRegionKind) return a WalkResult or
 * an Expected<WalkResult>; their exceptions are errors of the walk.
 */
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Expected<Optional<VisitInterrupt>> StructuralWalkExpected(const Any &root,
                                                                        Callbacks &&...callbacks) {
  using Engine = StructuralWalkEngine<StructuralVisitorObj, order, std::decay_t<Callbacks>...>;
  return make_object<Engine>(static_cast<Callbacks &&>(callbacks)...)->VisitExpected(root);
}
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Optional<VisitInterrupt> StructuralWalk(const Any &root, Callbacks &&...callbacks) {
  return StructuralWalkExpected<order>(root, static_cast<Callbacks &&>(callbacks)...).value();
}

/**
 * Visits a value. Callbacks (value, StructuralVisitorObj *) return an Expected<Optional<
 * VisitInterrupt>>. They visit single values in theirs by the visitor's VisitExpected, or all
 * contents of their value by its DefaultVisitExpected.
 */
template <typename... Callbacks>
TVM_FFI_LOCAL Expected<Optional<VisitInterrupt>> StructuralVisitExpected(const Any &root,
                                                                         Callbacks &&...callbacks) {
  using Engine = StructuralVisitEngine<StructuralVisitorObj, std::decay_t<Callbacks>...>;
  return make_object<Engine>(static_cast<Callbacks &&>(callbacks)...)->VisitExpected(root);
}
template <typename... Callbacks>
TVM_FFI_LOCAL Optional<VisitInterrupt> StructuralVisit(const Any &root, Callbacks &&...callbacks) {
  return StructuralVisitExpected(root, static_cast<Callbacks &&>(callbacks)...).value();
}

namespace detail {

TVM_FFI_LOCAL_INLINE bool EndsVisit(const Optional<VisitInterrupt> &visited) {
  return visited.has_value();
}
TVM_FFI_LOCAL_INLINE bool EndsVisit(const Expected<Optional<VisitInterrupt>> &visited) {
  return visited.type_index() != kTVMFFINone;
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

/** @cond internal */
#define TVM_FFI_DETAIL_S_VISIT(visited, ...)                                           \
  do {                                                                                 \
    auto visited = (__VA_ARGS__);                                                      \
    if (TVM_FFI_PREDICT_FALSE(::tvm::ffi::detail::EndsVisit(visited))) return visited; \
  } while (0)
/** @endcond */
/** If a visit returned an error or an interrupt, returns that from the enclosing function. */
#define TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(...)                                          \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                           \
  TVM_FFI_DETAIL_S_VISIT(TVM_FFI_STR_CONCAT(tvm_ffi_visited_, __COUNTER__), __VA_ARGS__) \
  TVM_FFI_DETAIL_COUNTER_END

#endif  // TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
