/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/structural_step.h
 * Shared by visiting and mutating: outcomes, regions of definitions, hooks of types, and
 * callbacks that are chosen by the type of their first parameter.
 *
 * An outcome is the result of a step: a value, or the Error that ended it.
 */
#ifndef TVM_FFI_DETAIL_STRUCTURAL_STEP_H_
#define TVM_FFI_DETAIL_STRUCTURAL_STEP_H_

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/reflection/accessor.h>

#include <tuple>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

/* ---- Outcomes ---- */

TVM_FFI_LOCAL_INLINE bool IsError(const Any &outcome) {
  return outcome.type_index() == kTVMFFIError;
}
TVM_FFI_LOCAL_INLINE TVMFFIAny GiveOutcome(Any &&outcome) {
  return AnyUnsafe::MoveAnyToTVMFFIAny(std::move(outcome));
}
template <typename T>
TVM_FFI_LOCAL_INLINE Any OutcomeOf(Expected<T> &&expected) {
  return AnyUnsafe::MoveTVMFFIAnyRawToAny(ExpectedUnsafe::MoveToTVMFFIAny(std::move(expected)));
}
template <typename T>
TVM_FFI_LOCAL_INLINE Expected<T> ExpectedOf(TVMFFIAny outcome) {
  return ExpectedUnsafe::MoveFromTVMFFIAny<T>(outcome);
}
/** Whether the value is an object with a single reference. */
TVM_FFI_LOCAL_INLINE bool IsUniqueObject(AnyView value) {
  return value.type_index() >= kTVMFFIStaticObjectBegin &&
         AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck(value)->unique();
}
TVM_FFI_LOCAL_COLD Any RaisedOutcome() {
  return Any(MoveFromSafeCallRaised());
}
TVM_FFI_LOCAL_COLD Any TypeErrorOutcome(const char *message) {
  return Any(Error(BytesOf("TypeError"), BytesOf(message), TVMFFIByteArray{"", 0}));
}

/** Stores what body returns. Returns 0, or -1 with the error that body threw raised. */
template <typename Body>
TVM_FFI_LOCAL_INLINE int RunCatching(const Body &body, Any *outcome) {
  TVM_FFI_DETAIL_TRY {
    *outcome = body();
    return 0;
  }
  TVM_FFI_DETAIL_CATCH
}
template <typename Body>
TVM_FFI_LOCAL_INLINE Any CatchOutcome(const Body &body) {
  Any outcome;
  if (TVM_FFI_PREDICT_FALSE(RunCatching(body, &outcome) != 0)) outcome = RaisedOutcome();
  return outcome;
}

/** If the outcome is an Error, adds this value to its visit context. */
TVM_FFI_LOCAL_INLINE void NoteVisited(const Any &outcome, AnyView value) {
  if (TVM_FFI_PREDICT_FALSE(IsError(outcome))) {
    UpdateVisitErrorContext(*AnyUnsafe::TVMFFIAnyPtrFromAny(outcome), value);
  }
}

/* ---- Regions ---- */

/** Sets the kind of region within a scope. Inside a pattern everything stays pattern. */
class TVM_FFI_LOCAL RegionScope {
 public:
  TVM_FFI_LOCAL_INLINE RegionScope(TVMFFIDefRegionKind *current, TVMFFIDefRegionKind kind)
      : current_(current), before_(*current) {
    if (before_ != kTVMFFIDefRegionKindPattern) *current = kind;
  }
  RegionScope(const RegionScope &) = delete;
  RegionScope &operator=(const RegionScope &) = delete;
  TVM_FFI_LOCAL_INLINE ~RegionScope() { *current_ = before_; }

 private:
  TVMFFIDefRegionKind *current_;
  TVMFFIDefRegionKind before_;
};

/** How structural equality and hash treat objects of a type. */
TVM_FFI_LOCAL_INLINE TVMFFISEqHashKind StructuralKindOf(const TVMFFITypeInfo *type) {
  return type->metadata == nullptr ? kTVMFFISEqHashKindUnsupported
                                   : type->metadata->structural_eq_hash_kind;
}
/** The region for an object's fields. In a simple definition, a variable's fields are uses. */
TVM_FFI_LOCAL_INLINE TVMFFIDefRegionKind RegionInside(TVMFFISEqHashKind kind,
                                                      TVMFFIDefRegionKind around) {
  return kind == kTVMFFISEqHashKindFreeVar && around == kTVMFFIDefRegionKindSimple
             ? kTVMFFIDefRegionKindNone
             : around;
}
TVM_FFI_LOCAL_INLINE TVMFFIDefRegionKind RegionOfField(const TVMFFIFieldInfo *field,
                                                       TVMFFIDefRegionKind around) {
  if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple) != 0) {
    return kTVMFFIDefRegionKindSimple;
  }
  return (field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern) != 0
             ? kTVMFFIDefRegionKindPattern
             : around;
}

/**
 * Calls step(field, child, &outcome) for each field of an object that takes part in its structure,
 * until one returns true. Returns the outcome that it left, or None if none returned true.
 */
template <typename Step>
TVM_FFI_LOCAL_INLINE Any StepThroughFields(const TVMFFITypeInfo *type, const Object *object,
                                           TVMFFIDefRegionKind *region, const Step &step) {
  Any outcome;
  const RegionScope inside(region, RegionInside(StructuralKindOf(type), *region));
  reflection::ForEachFieldInfoWithEarlyStop(type, [&](const TVMFFIFieldInfo *field) {
    if ((field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0) return false;
    Any child;
    if (field->getter(reflection::detail::FieldAddress(object, *field), AnyUnsafe::Slot(&child)) !=
        0) {
      outcome = RaisedOutcome();
      return true;
    }
    const RegionScope scope(region, RegionOfField(field, *region));
    return step(field, AnyView(child), &outcome);
  });
  return outcome;
}

/* ---- Hooks ---- */

/** Calls a hook that is a Function with the visitor and the value. Returns an R, or an Error. */
template <typename R, typename Self>
TVM_FFI_LOCAL Any CallHookFunction(const TVMFFIAny *hook, const Self *self, AnyView value) {
  const AnyView args[] = {AnyView(self), value};
  Any result;
  if (reflection::detail::CallFunctionObject(hook->v_obj, reinterpret_cast<const TVMFFIAny *>(args),
                                             2, &result) != 0) {
    return RaisedOutcome();
  }
  return OutcomeOf(ResultAsExpected<R>(std::move(result)));
}

/* ---- Callbacks ---- */

template <typename Sig>
struct CallbackParams;
template <typename R, typename Value, typename... Rest>
struct CallbackParams<Signature<R, Value, Rest...>> {
  static_assert(!std::is_lvalue_reference_v<Value> ||
                    std::is_const_v<std::remove_reference_t<Value>>,
                "the value of a callback must not be a reference to what is not const: take it by "
                "value or by const reference");
  using type = std::remove_cv_t<std::remove_reference_t<Value>>;
  TVM_FFI_LOCAL static constexpr size_t num_more = sizeof...(Rest);
};
template <typename R>
struct CallbackParams<Signature<R>> {
  static_assert(!std::is_same_v<R, R>,
                "a callback takes the value as its first parameter: give it one, of the type of "
                "values that it is for");
};

/** The type of value that a callback takes. */
template <typename F>
using CallbackValue = typename CallbackParams<SignatureOf<F>>::type;

template <typename Value>
TVM_FFI_LOCAL_INLINE bool IsStrictly(AnyView value) {
  if constexpr (is_any_v<Value>) {
    return true;
  } else {
    return TypeTraits<Value>::CheckAnyStrict(AnyUnsafe::Data(value));
  }
}
template <typename Value>
TVM_FFI_LOCAL_INLINE Value StrictValue(AnyView value) {
  if constexpr (is_any_v<Value>) {
    return value;
  } else {
    return TypeTraits<Value>::CopyFromAnyViewAfterCheck(AnyUnsafe::Data(value));
  }
}

/**
 * Calls one callback if it takes the value: with args, and with last if it has one parameter more.
 * Its result is converted to an Expected<R>.
 */
template <typename R, typename F, typename Last, typename... Args>
TVM_FFI_LOCAL_INLINE bool CallIfMatching(F &f, AnyView value, Any *outcome, const Last &last,
                                         const std::tuple<Args...> &args) {
  using Value = CallbackValue<F>;
  constexpr size_t num_more = CallbackParams<SignatureOf<F>>::num_more;
  static_assert(
      num_more == sizeof...(Args) || num_more == sizeof...(Args) + 1,
      "a callback takes a value and what its engine adds: the state of the parent and, if "
      "it wants to, the kind of region; or the visitor; or the mutator and, if it wants "
      "to, the InplaceMode");
  if (!IsStrictly<Value>(value)) return false;
  *outcome = std::apply(
      [&](const auto &...each) {
        if constexpr (num_more == sizeof...(Args)) {
          return OutcomeOf(Expected<R>(f(StrictValue<Value>(value), each...)));
        } else {
          return OutcomeOf(Expected<R>(f(StrictValue<Value>(value), each..., last)));
        }
      },
      args);
  return true;
}

/** Calls the first callback that takes the value; false when none does. Nothing is thrown. */
template <typename R, typename... Callbacks, typename Last, typename... Args>
TVM_FFI_LOCAL_INLINE bool CallFirst(std::tuple<Callbacks...> &callbacks, AnyView value,
                                    Any *outcome, const Last &last,
                                    const std::tuple<Args...> &args) {
  bool found = false;
  *outcome = CatchOutcome([&] {
    Any given;
    found = std::apply(
        [&](auto &...each) { return (CallIfMatching<R>(each, value, &given, last, args) || ...); },
        callbacks);
    return given;
  });
  return found || IsError(*outcome);
}

}  // namespace detail
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_STRUCTURAL_STEP_H_
