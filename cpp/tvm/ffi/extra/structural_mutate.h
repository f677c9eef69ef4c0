/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_mutate.h
 * Making one value of another: fields of objects, elements and values of maps are replaced, and
 * what is around them is copied, or changed in place where nobody else holds it.
 *
 *     Any doubled = StructuralMap<WalkOrder::kPostOrder>(
 *         std::move(root), [](int64_t number) { return number * 2; });
 *
 * A callback is called with values that are exactly of the type of its first parameter, the first
 * that takes a value with each; None is a value here. StructuralMap descends itself; the callbacks
 * of StructuralMutate get the mutator and descend as they like. What is not changed is shared with
 * the original. Keys of maps stay. A type has its own way of being mutated by hooks under
 * type_attr::kStructuralMutate and kStructuralMaybeInplaceMutate.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
#define TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/detail/unchanged.h>
#include <tvm/ffi/extra/structural_visit.h>

TVM_FFI_NAMESPACE_BEGIN

/** Whether a value may be changed itself. */
enum class InplaceMode : int32_t { kDisallow = 0, kAllow = 1 };

/* ---- Mutators ---------------------------------------------------------------------------------*/

class StructuralMutatorObj;

/** Gives a replacement, Unchanged or an Error, which the caller owns. */
using FStructuralMutateABI = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView value) noexcept;
/** Gives what was recorded for an object, None if nothing was, or an Error. */
using FStructuralVarRemapGet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var) noexcept;
/** Gives None or an Error. */
using FStructuralVarRemapSet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var,
                                             AnyView value) noexcept;
/** The hook of a type. FStructuralMutate::FromNative<&Mutate>() makes one of a function. */
using FStructuralMutate =
    reflection::NativeFunctionView<UnchangedOr<Any>(StructuralMutatorObj *, AnyView)>;

/** What a class of mutators does. */
struct StructuralMutatorVTable {
  /** Must not change the value. */
  FStructuralMutateABI mutate;
  /** May change the value, which nobody else holds; then it gives Unchanged. */
  FStructuralMutateABI maybe_inplace_mutate;
  FStructuralVarRemapGet var_remap_get;
  FStructuralVarRemapSet var_remap_set;
};

namespace reflection {
namespace type_attr {
TVM_FFI_LOCAL inline constexpr const char *kStructuralMutate = "__s_mutate__";
TVM_FFI_LOCAL inline constexpr const char *kStructuralMaybeInplaceMutate =
    "__s_maybe_inplace_mutate__";
}  // namespace type_attr
}  // namespace reflection
namespace type_attr {
/** How objects of a type are mutated. */
TVM_FFI_LOCAL inline constexpr AttrKey<FStructuralMutate> kStructuralMutate{"__s_mutate__"};
/** The same when nobody else holds the object. A type with this hook has the other, too. */
TVM_FFI_LOCAL inline constexpr AttrKey<FStructuralMutate> kStructuralMaybeInplaceMutate{
    "__s_maybe_inplace_mutate__"};
}  // namespace type_attr

/**
 * Mutates values. It may be kept and used again, but not while it is in use. Most classes of one's
 * own derive from StructuralMapEngineBase, which remembers what became of variables.
 */
class StructuralMutatorObj : public Object {
 public:
  /** The second argument of StructuralMutate's callbacks. */
  using MutatorObjType = StructuralMutatorObj;

  TVM_FFI_LOCAL_INLINE ~StructuralMutatorObj() = default;
  /** Throws the error that the mutation ended with. */
  TVM_FFI_LOCAL UnchangedOr<Any> Mutate(AnyView value,
                                        InplaceMode inplace_mode = InplaceMode::kDisallow) {
    return MutateExpected(value, inplace_mode).value();
  }
  /** @param inplace_mode kAllow counts for an object that nobody else holds. */
  TVM_FFI_LOCAL_INLINE Expected<UnchangedOr<Any>> MutateExpected(
      AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept {
    const bool in_place = inplace_mode == InplaceMode::kAllow && detail::IsUniqueObject(value);
    return detail::ExpectedOf<UnchangedOr<Any>>(
        in_place ? vtable_->maybe_inplace_mutate(this, value) : vtable_->mutate(this, value));
  }
  /**
   * Mutates what the value is made of: by the hook of its type, else its registered fields, in a
   * copy. Variables and nodes of graphs are mutated once: what became of them is recorded.
   *
   * @param inplace_mode kAllow is the word of the caller that nobody else holds the value.
   */
  TVM_FFI_LOCAL Expected<UnchangedOr<Any>> DefaultMutateExpected(
      AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept {
    Any outcome = DefaultMutate(value, inplace_mode);
    detail::NoteVisited(outcome, value);
    return detail::ExpectedOf<UnchangedOr<Any>>(detail::GiveOutcome(static_cast<Any &&>(outcome)));
  }
  /** What is recorded for an object; None when nothing is. Errors: TypeError (no object). */
  TVM_FFI_LOCAL Expected<Any> VarRemapGetExpected(AnyView var) noexcept {
    return detail::ExpectedOf<Any>(vtable_->var_remap_get(this, var));
  }
  /** Records what becomes of an object, in the place of what was. Errors: TypeError (no object). */
  TVM_FFI_LOCAL Expected<void> VarRemapSetExpected(AnyView var, AnyView value) noexcept {
    return detail::ExpectedOf<void>(vtable_->var_remap_set(this, var, value));
  }

  /** Whether variables that are met now are uses, or definitions. */
  TVM_FFI_LOCAL_INLINE TVMFFIDefRegionKind def_region_kind() const { return def_region_mode_; }
  /** Calls f in a region of this kind, and gives what it gives. Patterns stay patterns. */
  template <typename F>
  TVM_FFI_LOCAL_INLINE decltype(auto) WithDefRegionKind(TVMFFIDefRegionKind kind, F &&f) {
    const detail::RegionScope scope(&def_region_mode_, kind);
    return static_cast<F &&>(f)();
  }

  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DETAIL_RUNTIME_TYPE("ffi.StructuralMutator", StructuralMutatorObj, Object);

 protected:
  /** @param vtable [lend] As long as the mutator lives. */
  TVM_FFI_LOCAL explicit StructuralMutatorObj(const StructuralMutatorVTable *vtable)
      : vtable_(vtable) {}

  const StructuralMutatorVTable *vtable_;
  TVMFFIDefRegionKind def_region_mode_ = kTVMFFIDefRegionKindNone;

 private:
  TVM_FFI_LOCAL Any DefaultMutate(AnyView value, InplaceMode inplace_mode) noexcept;
  TVM_FFI_LOCAL Any MutateObject(AnyView value) noexcept;
  TVM_FFI_LOCAL Any MutateFields(const TVMFFITypeInfo *type, AnyView value) noexcept;
};

static_assert(sizeof(void *) != 8 || sizeof(StructuralMutatorObj) == 40,
              "mutators are objects of the ABI: the table at 24, the kind of region at 32");

class StructuralMutator : public ObjectRef {
 public:
  /** Errors: InternalError (null). */
  TVM_FFI_LOCAL explicit StructuralMutator(ObjectPtr<StructuralMutatorObj> mutator)
      : ObjectRef(detail::RequireObject(std::move(mutator), "a StructuralMutator is never null")) {}
  TVM_FFI_LOCAL_INLINE ~StructuralMutator() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralMutator, ObjectRef, StructuralMutatorObj);
};

/* Mutators that call back: detail/structural_map_engine.h has them. */
class StructuralMapEngineBase;
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralMapEngine;
template <typename Parent, WalkOrder order>
class StructuralMapDynEngine;
template <typename Parent, typename... Callbacks>
class StructuralMutateEngine;

/* ---- In one call ------------------------------------------------------------------------------*/

namespace detail {

/** The value of a mutation that may keep the root. */
TVM_FFI_LOCAL_INLINE Expected<Any> ResolveRoot(StructuralMutatorObj *mutator, Any root) {
  Any outcome = OutcomeOf(mutator->MutateExpected(root, InplaceMode::kAllow));
  return ExpectedOf<Any>(
      GiveOutcome(static_cast<Any &&>(outcome.type_index() == kTVMFFIUnchanged ? root : outcome)));
}

}  // namespace detail

/**
 * Maps a value. Callbacks (value) or (value, TVMFFIDefRegionKind) give what the value becomes,
 * Unchanged, an Error or an Expected; what they throw is the error of the mapping. In pre-order
 * what a callback gave is descended into, in post-order callbacks get what the descent gave.
 *
 * @param root Moved in and held by nobody else, it may be changed itself.
 */
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Expected<Any> StructuralMapExpected(Any root, Callbacks &&...callbacks) {
  using Engine = StructuralMapEngine<StructuralMapEngineBase, order, std::decay_t<Callbacks>...>;
  return detail::ResolveRoot(make_object<Engine>(static_cast<Callbacks &&>(callbacks)...).get(),
                             static_cast<Any &&>(root));
}
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Any StructuralMap(Any root, Callbacks &&...callbacks) {
  return StructuralMapExpected<order>(static_cast<Any &&>(root),
                                      static_cast<Callbacks &&>(callbacks)...)
      .value();
}

/**
 * Mutates a value. Callbacks (value, StructuralMutatorObj *) or (value, StructuralMutatorObj *,
 * InplaceMode) give what the value becomes, as those of StructuralMap; it is not descended into.
 */
template <typename... Callbacks>
TVM_FFI_LOCAL Expected<Any> StructuralMutateExpected(Any root, Callbacks &&...callbacks) {
  using Engine = StructuralMutateEngine<StructuralMapEngineBase, std::decay_t<Callbacks>...>;
  return detail::ResolveRoot(make_object<Engine>(static_cast<Callbacks &&>(callbacks)...).get(),
                             static_cast<Any &&>(root));
}
template <typename... Callbacks>
TVM_FFI_LOCAL Any StructuralMutate(Any root, Callbacks &&...callbacks) {
  return StructuralMutateExpected(static_cast<Any &&>(root),
                                  static_cast<Callbacks &&>(callbacks)...)
      .value();
}

/* ---- Results of mutations ---------------------------------------------------------------------*/

namespace detail {

/** Whether what came is a T, or else which Error is to be returned. */
template <typename T, bool kChecked, typename U>
TVM_FFI_LOCAL_INLINE bool HoldsResult(const Expected<U> &result) {
  if constexpr (kChecked && !type_subsumes_v<T, U>) {
    return result.is_ok() && AnyUnsafe::CheckAnyStrict<T>(ExpectedUnsafe::GetData(result));
  } else {
    return result.is_ok();
  }
}
template <typename U>
TVM_FFI_LOCAL_COLD Unexpected<Error> UnusableResult(const Expected<U> &result) {
  if (result.is_err()) return Unexpected<Error>(result.error());
  return Unexpected<Error>(Error(
      BytesOf("TypeError"), BytesOf("structural mutate result does not match the declared type"),
      TVMFFIByteArray{"", 0}));
}
template <typename T, typename U>
TVM_FFI_LOCAL_INLINE T TakeResult(Expected<U> &&result) {
  return AnyUnsafe::MoveFromAnyAfterCheck<T>(ExpectedUnsafe::GetData(result));
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

/** @cond internal */
#define TVM_FFI_DETAIL_S_MUTATE(mutated, ...)             \
  do {                                                    \
    auto &&mutated = (__VA_ARGS__);                       \
    if (TVM_FFI_PREDICT_FALSE(mutated.is_err()))          \
      return ::tvm::ffi::detail::UnusableResult(mutated); \
  } while (0)
#define TVM_FFI_DETAIL_S_MUTATE_ASSIGN(mutated, checked, Type, name, ...)                  \
  auto mutated = (__VA_ARGS__);                                                            \
  if (TVM_FFI_PREDICT_FALSE(!(::tvm::ffi::detail::HoldsResult<Type, checked>(mutated)))) { \
    return ::tvm::ffi::detail::UnusableResult(mutated);                                    \
  }                                                                                        \
  Type name = ::tvm::ffi::detail::TakeResult<Type>(std::move(mutated))
/** @endcond */
/** Returns the error that a mutation gave, if it gave one, from the function around it. */
#define TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(...) \
  TVM_FFI_DETAIL_S_MUTATE(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), __VA_ARGS__)
/**
 * Declares `Type name` with what a mutation gave, an Expected; or returns its error, or a TypeError
 * if it is no Type. Two statements: not for the body of an `if` without braces.
 */
#define TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(Type, name, ...)                                      \
  TVM_FFI_DETAIL_S_MUTATE_ASSIGN(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), true, Type, \
                                 name, __VA_ARGS__)
/** The same where the caller knows that it is a Type. */
#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, name, ...)                                \
  TVM_FFI_DETAIL_S_MUTATE_ASSIGN(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), false, Type, \
                                 name, __VA_ARGS__)

#include <tvm/ffi/detail/structural_map_engine.h>
#include <tvm/ffi/detail/structural_mutate_default.h>

#endif  // TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
