/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/visit_error_context.h
 * Where an error came from in a structure: a recursive visit that an error passes through leaves
 * the objects that it was in, and FindAccessPaths tells where they stand.
 *
 *     void Visit(const Node &node) {
 *       TVM_FFI_VISIT_BEGIN();
 *       ...                                          // Visit(node->left), Visit(node->right)
 *       TVM_FFI_VISIT_END(node);
 *     }
 */
#ifndef TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
#define TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_

#include <tvm/ffi/container/list.h>
#include <tvm/ffi/detail/runtime_type.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/reflection/access_path.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(FindAccessPaths, "ffi.VisitErrorContext.FindAccessPaths")

/** For references that are never null. */
template <typename T>
TVM_FFI_LOCAL_INLINE ObjectPtr<T> RequireObject(ObjectPtr<T> object, const char *message) {
  if (TVM_FFI_PREDICT_FALSE(object == nullptr)) Throw("InternalError", message);
  return object;
}

}  // namespace detail

/** What an error carries of the visit that it came out of. */
class VisitErrorContextObj : public Object {
 public:
  /** The objects that were being visited, innermost first. */
  List<ObjectRef> reverse_visit_pattern;
  /** What the error carried before it came into a visit. */
  Optional<ObjectRef> prev_error_context;

  TVM_FFI_LOCAL VisitErrorContextObj() = default;
  TVM_FFI_LOCAL_INLINE ~VisitErrorContextObj() = default;
  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DETAIL_RUNTIME_TYPE_FINAL("ffi.VisitErrorContext", VisitErrorContextObj, Object);
};

class VisitErrorContext : public ObjectRef {
 public:
  /** Errors: InternalError (null). */
  TVM_FFI_LOCAL explicit VisitErrorContext(ObjectPtr<VisitErrorContextObj> context)
      : ObjectRef(detail::RequireObject(std::move(context), "a VisitErrorContext is never null")) {}
  TVM_FFI_LOCAL_INLINE ~VisitErrorContext() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitErrorContext, ObjectRef, VisitErrorContextObj);

  /** Absent when the error came through no visit. */
  TVM_FFI_LOCAL static Optional<VisitErrorContext> TryGetFromError(const Error &error) {
    const std::optional<ObjectRef> context = error.extra_context();
    if (!context || context->as<VisitErrorContextObj>() == nullptr) return std::nullopt;
    return context->as<VisitErrorContext>();
  }
  /**
   * Where the innermost object of the context stands in root, each way to it by the other objects
   * of the context. Containers and objects without registered fields are passed through only.
   *
   * @param allow_prefix_match Where a way is lost, the place up to which it goes counts as well.
   */
  TVM_FFI_LOCAL static Array<reflection::AccessPath> FindAccessPaths(
      const ObjectRef &root, const VisitErrorContext &context, bool allow_prefix_match = false) {
    return detail::CallGlobal(detail::GlobalFindAccessPaths(), root, context, allow_prefix_match)
        .cast<Array<reflection::AccessPath>>();
  }
};

namespace detail {

TVM_FFI_LOCAL_COLD VisitErrorContext MakeVisitErrorContext(AnyView node) {
  ObjectPtr<VisitErrorContextObj> context = make_object<VisitErrorContextObj>();
  if (node.type_index() >= kTVMFFIStaticObjectBegin) {
    context->reverse_visit_pattern.push_back(node.as_or_throw<ObjectRef>());
  }
  return VisitErrorContext(std::move(context));
}

TVM_FFI_LOCAL_COLD int AddVisited(TVMFFIErrorCell *cell, AnyView node){
    TVM_FFI_DETAIL_TRY{TVMFFIObject *before = static_cast<TVMFFIObject *>(cell->extra_context);
if (before != nullptr && IsObjectInstance<VisitErrorContextObj>(before->type_index)) {
  ObjectUnsafe::RawObjectPtrFromUnowned<VisitErrorContextObj>(before)
      ->reverse_visit_pattern.push_back(node.as_or_throw<ObjectRef>());
  return 0;
}
VisitErrorContext context = MakeVisitErrorContext(node);
context->prev_error_context = ObjectRef(ObjectUnsafe::ObjectPtrFromOwned<Object>(before));
cell->extra_context =
    ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(static_cast<VisitErrorContext &&>(context));
return 0;
}
TVM_FFI_DETAIL_CATCH
}

/** Adds what was visited when an error came. Values that are no objects have no place in it. */
TVM_FFI_LOCAL_COLD void AddVisited(TVMFFIObject *error, AnyView node) noexcept {
  if (node.type_index() < kTVMFFIStaticObjectBegin) return;
  // The error that a runtime has ready for want of memory is everybody's.
  if (error->deleter == nullptr) return;
  if (AddVisited(TVMFFIErrorGetCellPtr(error), node) != 0) MoveFromSafeCallRaised();
}
TVM_FFI_LOCAL inline void UpdateVisitErrorContext(Error &error, AnyView node) noexcept {
  AddVisited(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error), node);
}
/** The same for an error as functions of the ABI give it. */
TVM_FFI_LOCAL inline void UpdateVisitErrorContext(const TVMFFIAny &error_result,
                                                  AnyView node) noexcept {
  AddVisited(error_result.v_obj, node);
}

#if TVM_FFI_HAS_EXCEPTIONS
/** As Thrower, with the object that the error is about. */
struct TVM_FFI_HIDDEN VisitThrower : ThrowSite {
  TVM_FFI_LOCAL VisitThrower(const ThrowSite &site, const Any &about)
      : ThrowSite(site), node(about) {}
  template <typename Stream>
  [[noreturn]] TVM_FFI_LOCAL_COLD void operator&(const Stream &message) const {
    Text room;
    Error error = MakeError(*this, MessageText(message, &room));
    UpdateVisitErrorContext(error, node);
    throw error;
  }

  Any node;
};
TVM_FFI_LOCAL inline VisitThrower MakeVisitThrower(const char *kind, const char *file, int line,
                                                   const char *function, const Any &node) {
  return VisitThrower(ThrowSite{kind, file, line, function}, node);
}
#endif

}  // namespace detail
TVM_FFI_NAMESPACE_END

#if TVM_FFI_HAS_EXCEPTIONS
/** Around the visit of a node: an Error that passes notes it. */
#define TVM_FFI_VISIT_BEGIN() \
  try {                       \
  static_cast<void>(0)
#define TVM_FFI_VISIT_END(node)                                               \
  }                                                                           \
  catch (::tvm::ffi::Error & tvm_ffi_visit_error) {                           \
    ::tvm::ffi::detail::UpdateVisitErrorContext(tvm_ffi_visit_error, (node)); \
    throw;                                                                    \
  }                                                                           \
  static_cast<void>(0)
/** The same in a function that returns Expected: the Error is returned. */
#define TVM_FFI_VISIT_END_RETURN_EXPECTED(node)                               \
  }                                                                           \
  catch (::tvm::ffi::Error & tvm_ffi_visit_error) {                           \
    ::tvm::ffi::detail::UpdateVisitErrorContext(tvm_ffi_visit_error, (node)); \
    return ::tvm::ffi::Unexpected<::tvm::ffi::Error>(tvm_ffi_visit_error);    \
  }                                                                           \
  static_cast<void>(0)
/** As TVM_FFI_THROW, about a node. */
#define TVM_FFI_VISIT_THROW(Kind, node)                                                       \
  ::tvm::ffi::detail::MakeVisitThrower(#Kind, __FILE__, __LINE__, TVM_FFI_FUNC_SIG, (node)) & \
      ::tvm::ffi::detail::MessageStream()
#else
#define TVM_FFI_VISIT_BEGIN() \
  {                           \
    static_cast<void>(0)
#define TVM_FFI_VISIT_END(node) \
  }                             \
  static_cast<void>(node)
#define TVM_FFI_VISIT_END_RETURN_EXPECTED(node) TVM_FFI_VISIT_END(node)
#define TVM_FFI_VISIT_THROW(Kind, node) TVM_FFI_THROW(Kind)
#endif

#endif  // TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
