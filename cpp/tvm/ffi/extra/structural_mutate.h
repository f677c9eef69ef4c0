/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/structural_mutate.h
 * Rewriting values: fields of objects, elements and values of maps are replaced, and the objects
 * around them are copied, or changed in place if nobody else holds them.
 *
 *     Any doubled = StructuralMap<WalkOrder::kPostOrder>(
 *         std::move(root), [](int64_t number) { return number * 2; });
 *
 * A callback is called with values of exactly its first parameter's type; for each value only the
 * first matching callback is called. None is a value here. StructuralMap descends by itself;
 * StructuralMutate's callbacks get the mutator and descend as they like. Unchanged parts are shared
 * with the original. Keys of maps stay. A type can define how it is mutated by hooks under
 * type_attr::kStructuralMutate and kStructuralMaybeInplaceMutate.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
#define TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/detail/unchanged.h>
#include <tvm/ffi/extra/structural_visit.h>

TVM_FFI_NAMESPACE_BEGIN

/** Whether a value may be changed in place. */
enum class InplaceMode : int32_t { kDisallow = 0, kAllow = 1 };

/* ---- Mutators ---- */

class StructuralMutatorObj;

/** Returns a replacement, Unchanged or an Error, which the caller owns. */
using FStructuralMutateABI = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView value) noexcept;
/** Returns what is recorded for an object, None if nothing is, or an Error. */
using FStructuralVarRemapGet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var) noexcept;
/** Returns None or an Error. */
using FStructuralVarRemapSet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var,
                                             AnyView value) noexcept;
/** The hook of a type. FStructuralMutate::FromNative<&Mutate>() makes one of a function. */
using FStructuralMutate =
    reflection::NativeFunctionView<UnchangedOr<Any>(StructuralMutatorObj *, AnyView)>;

/** The functions of a mutator class. */
struct StructuralMutatorVTable {
  /** Must not change the value. */
  FStructuralMutateABI mutate;
  /** May change the value, which nobody else holds; it returns Unchanged in that case. */
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
/** The same if nobody else holds the object. A type with this hook also has the other one. */
TVM_FFI_LOCAL inline constexpr AttrKey<FStructuralMutate> kStructuralMaybeInplaceMutate{
    "__s_maybe_inplace_mutate__"};
}  // namespace type_attr

/**
 * Mutates values. It may be kept and used again, but not while it is in use. Most classes of your
 * own derive from StructuralMapEngineBase, which remembers what variables became.
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
  /** @param inplace_mode kAllow takes effect only for an object that nobody else holds. */
  TVM_FFI_LOCAL_INLINE Expected<UnchangedOr<Any>> MutateExpected(
      AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept {
    const bool in_place = inplace_mode == InplaceMode::kAllow && detail::IsUniqueObject(value);
    return detail::ExpectedOf<UnchangedOr<Any>>(
        in_place ? vtable_->maybe_inplace_mutate(this, value) : vtable_->mutate(this, value));
  }
  /**
   * Mutates the contents of a value: by the hook of its type, otherwise its registered fields, in a
   * copy. Variables and nodes of graphs are mutated once, and the result is recorded.
   *
   * @param inplace_mode With kAllow the caller guarantees that nobody else holds the value.
   */
  TVM_FFI_LOCAL Expected<UnchangedOr<Any>> DefaultMutateExpected(
      AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept {
    Any outcome = DefaultMutate(value, inplace_mode);
    detail::NoteVisited(outcome, value);
    return detail::ExpectedOf<UnchangedOr<Any>>(detail::GiveOutcome(std::move(outcome)));
  }
  /** What is recorded for an object, or None. Errors: TypeError (not an object). */
  TVM_FFI_LOCAL Expected<Any> VarRemapGetExpected(AnyView var) noexcept {
    return detail::ExpectedOf<Any>(vtable_->var_remap_get(this, var));
  }
  /** Records what an object became, replacing any earlier record. Errors: TypeError (no object). */
  TVM_FFI_LOCAL Expected<void> VarRemapSetExpected(AnyView var, AnyView value) noexcept {
    return detail::ExpectedOf<void>(vtable_->var_remap_set(this, var, value));
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
  TVM_FFI_DETAIL_LAZY_TYPE("ffi.StructuralMutator", StructuralMutatorObj, Object);

 protected:
  /** @param vtable [lend] Must live as long as the mutator. */
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

/* Mutators that run callbacks; defined in detail/structural_map_engine.h. */
class StructuralMapEngineBase;
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralMapEngine;
template <typename Parent, WalkOrder order>
class StructuralMapDynEngine;
template <typename Parent, typename... Callbacks>
class StructuralMutateEngine;

/* ---- In one call ---- */

namespace detail {

/** Mutates the root; returns the root itself if it is unchanged. */
TVM_FFI_LOCAL_INLINE Expected<Any> ResolveRoot(StructuralMutatorObj *mutator, Any root) {
  Any outcome = OutcomeOf(mutator->MutateExpected(root, InplaceMode::kAllow));
  return ExpectedOf<Any>(
      GiveOutcome(std::move(outcome.type_index() == kTVMFFIUnchanged ? root : outcome)));
}

}  // namespace detail

/**
 * Maps a value. Callbacks (value) or (value, TVMFFIDefRegionKind) return what the value becomes,
 * Unchanged, an Error or an Expected; their exceptions are errors of the mapping. In pre-order the
 * result of a callback is descended into; in post-order callbacks get the result of the descent.
 *
 * @param root If it is moved in and nobody else holds it, it may be changed in place.
 */
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Expected<Any> StructuralMapExpected(Any root, Callbacks &&...callbacks) {
  using Engine = StructuralMapEngine<StructuralMapEngineBase, order, std::decay_t<Callbacks>...>;
  return detail::ResolveRoot(make_object<Engine>(static_cast<Callbacks &&>(callbacks)...).get(),
                             std::move(root));
}
template <WalkOrder order, typename... Callbacks>
TVM_FFI_LOCAL Any StructuralMap(Any root, Callbacks &&...callbacks) {
  return StructuralMapExpected<order>(std::move(root), static_cast<Callbacks &&>(callbacks)...)
      .value();
}

/**
 * Mutates a value. Callbacks (value, StructuralMutatorObj *) or (value, StructuralMutatorObj *,
 * InplaceMode) return the same as those of StructuralMap; their result is not descended into.
 */
template <typename... Callbacks>
TVM_FFI_LOCAL Expected<Any> StructuralMutateExpected(Any root, Callbacks &&...callbacks) {
  using Engine = StructuralMutateEngine<StructuralMapEngineBase, std::decay_t<Callbacks>...>;
  return detail::ResolveRoot(make_object<Engine>(static_cast<Callbacks &&>(callbacks)...).get(),
                             std::move(root));
}
template <typename... Callbacks>
TVM_FFI_LOCAL Any StructuralMutate(Any root, Callbacks &&...callbacks) {
  return StructuralMutateExpected(std::move(root), static_cast<Callbacks &&>(callbacks)...).value();
}

/* ---- Results of mutations ---- */

namespace detail {

/** Whether the result is a T; if not, UnusableResult makes the Error to return. */
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
/** If a mutation returned an error, returns that from the enclosing function. */
#define TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(...)                                          \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                            \
  TVM_FFI_DETAIL_S_MUTATE(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), __VA_ARGS__) \
  TVM_FFI_DETAIL_COUNTER_END
/**
 * Declares `Type name` with the result of a mutation, an Expected; or returns its error, or a
 * TypeError if it is not a Type. Two statements: not for the body of an `if` without braces.
 */
#define TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(Type, name, ...)                                      \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                                  \
  TVM_FFI_DETAIL_S_MUTATE_ASSIGN(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), true, Type, \
                                 name, __VA_ARGS__)                                             \
  TVM_FFI_DETAIL_COUNTER_END
/** The same without the check of the type: the caller knows that it is a Type. */
#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, name, ...)                                \
  TVM_FFI_DETAIL_COUNTER_BEGIN                                                                   \
  TVM_FFI_DETAIL_S_MUTATE_ASSIGN(TVM_FFI_STR_CONCAT(tvm_ffi_mutated_, __COUNTER__), false, Type, \
                                 name, __VA_ARGS__)                                              \
  TVM_FFI_DETAIL_COUNTER_END

#include <tvm/ffi/detail/structural_map_engine.h>
#include <tvm/ffi/detail/structural_mutate_default.h>

#endif  // TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
