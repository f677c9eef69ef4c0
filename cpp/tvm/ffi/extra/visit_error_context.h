/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/visit_error_context.h
 * Where in a structure an error occurred: a recursive visit that an error passes through records
 * the objects being visited, and FindAccessPaths finds their position.
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
#include <tvm/ffi/detail/lazy_type_index.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/reflection/access_path.h>

TVM_FFI_NAMESPACE_BEGIN
namespace detail {

TVM_FFI_DETAIL_GLOBAL(FindAccessPaths, "ffi.VisitErrorContext.FindAccessPaths")

/** Checks the object of a reference that is never null. */
template <typename T>
TVM_FFI_LOCAL_INLINE ObjectPtr<T> RequireObject(ObjectPtr<T> object, const char *message) {
  if (TVM_FFI_PREDICT_FALSE(object == nullptr)) Throw("InternalError", message);
  return object;
}

}  // namespace detail

/** The part of an error that describes the visit in which it occurred. */
class VisitErrorContextObj : public Object {
 public:
  /** The objects that were being visited, innermost first. */
  List<ObjectRef> reverse_visit_pattern;
  /** The extra context that the error had before the visit. */
  Optional<ObjectRef> prev_error_context;

  TVM_FFI_LOCAL VisitErrorContextObj() = default;
  TVM_FFI_LOCAL_INLINE ~VisitErrorContextObj() = default;
  TVM_FFI_LOCAL static constexpr bool _type_mutable = true;
  TVM_FFI_DETAIL_LAZY_TYPE_FINAL("ffi.VisitErrorContext", VisitErrorContextObj, Object);
};

class VisitErrorContext : public ObjectRef {
 public:
  /** Errors: InternalError (null). */
  TVM_FFI_LOCAL explicit VisitErrorContext(ObjectPtr<VisitErrorContextObj> context)
      : ObjectRef(detail::RequireObject(std::move(context), "a VisitErrorContext is never null")) {}
  TVM_FFI_LOCAL_INLINE ~VisitErrorContext() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitErrorContext, ObjectRef, VisitErrorContextObj);

  /** Absent if the error passed through no visit. */
  TVM_FFI_LOCAL static Optional<VisitErrorContext> TryGetFromError(const Error &error) {
    const std::optional<ObjectRef> context = error.extra_context();
    if (!context || context->as<VisitErrorContextObj>() == nullptr) return std::nullopt;
    return context->as<VisitErrorContext>();
  }
  /**
   * The paths from root to the innermost object of the context, through the context's other
   * objects. Containers and objects without registered fields are only passed through.
   *
   * @param allow_prefix_match Where a path gets lost, its longest prefix counts too.
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
cell->extra_context = ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(context));
return 0;
}
TVM_FFI_DETAIL_CATCH
}

/** Adds the value that was visited when the error occurred, if it is an object. */
TVM_FFI_LOCAL_COLD void AddVisited(TVMFFIObject *error, AnyView node) noexcept {
  if (node.type_index() < kTVMFFIStaticObjectBegin) return;
  // The preallocated out-of-memory error of a runtime is shared by all threads.
  if (error->deleter == nullptr) return;
  if (AddVisited(TVMFFIErrorGetCellPtr(error), node) != 0) MoveFromSafeCallRaised();
}
TVM_FFI_LOCAL inline void UpdateVisitErrorContext(Error &error, AnyView node) noexcept {
  AddVisited(ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(error), node);
}
/** The same for an error in the form that functions of the ABI return. */
TVM_FFI_LOCAL inline void UpdateVisitErrorContext(const TVMFFIAny &error_result,
                                                  AnyView node) noexcept {
  AddVisited(error_result.v_obj, node);
}

#if TVM_FFI_HAS_EXCEPTIONS
/** Like Thrower, with the object that the error is about. */
struct TVM_FFI_LOCAL VisitThrower : ThrowSite {
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
/** Around the visit of a node: an Error that passes through records the node. */
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
/** As TVM_FFI_THROW, for an error about a node. */
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
