/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/access_path.h
 * The position of a value inside another: the steps from the outermost object to it.
 *
 *     AccessPath path = AccessPath::Root()->Attr("layers")->ArrayItem(0);   // <root>.layers[0]
 *
 * A path is a node with its last step and the path before it, so that paths with a common
 * beginning share it. Structural comparisons and error contexts return paths, ReprPrint prints one.
 */
#ifndef TVM_FFI_REFLECTION_ACCESS_PATH_H_
#define TVM_FFI_REFLECTION_ACCESS_PATH_H_

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/detail/lazy_type_index.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>
#ifndef TVM_FFI_LEAN
#include <functional>
#include <unordered_map>
#endif

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/** What a step goes into; with Missing: where the value should be, but is not. */
enum class AccessKind : int32_t {
  kAttr = 0,
  kArrayItem = 1,
  kMapItem = 2,
  kAttrMissing = 3,
  kArrayItemMissing = 4,
  kMapItemMissing = 5
};

class AccessStep;
class AccessPath;

/** One step. */
class AccessStepObj : public Object {
 public:
  AccessKind kind = AccessKind::kAttr;
  /** The name of the attribute, the index, or the key. */
  Any key;

  TVM_FFI_LOCAL AccessStepObj() = default;
  TVM_FFI_LOCAL AccessStepObj(AccessKind kind_, Any key_) : kind(kind_), key(std::move(key_)) {}
  TVM_FFI_LOCAL_INLINE ~AccessStepObj() = default;
  /** Keys are compared like those of a Map. */
  TVM_FFI_LOCAL bool StepEqual(const AccessStep &other) const;

  TVM_FFI_LOCAL static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind =
      kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DETAIL_LAZY_TYPE_FINAL("ffi.reflection.AccessStep", AccessStepObj, Object);
};

class AccessStep : public ObjectRef {
 public:
  TVM_FFI_LOCAL AccessStep(AccessKind kind, Any key)
      : ObjectRef(make_object<AccessStepObj>(kind, std::move(key))) {}
  TVM_FFI_LOCAL_INLINE ~AccessStep() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessStep, ObjectRef, AccessStepObj);

  TVM_FFI_LOCAL static AccessStep Attr(String name) {
    return AccessStep(AccessKind::kAttr, std::move(name));
  }
  TVM_FFI_LOCAL static AccessStep AttrMissing(String name) {
    return AccessStep(AccessKind::kAttrMissing, std::move(name));
  }
  TVM_FFI_LOCAL static AccessStep ArrayItem(int64_t index) {
    return AccessStep(AccessKind::kArrayItem, index);
  }
  TVM_FFI_LOCAL static AccessStep ArrayItemMissing(int64_t index) {
    return AccessStep(AccessKind::kArrayItemMissing, index);
  }
  TVM_FFI_LOCAL static AccessStep MapItem(Any key) {
    return AccessStep(AccessKind::kMapItem, std::move(key));
  }
  TVM_FFI_LOCAL static AccessStep MapItemMissing(Any key = nullptr) {
    return AccessStep(AccessKind::kMapItemMissing, std::move(key));
  }
};

/** The last node of a path. The root has no parent and no step. */
class AccessPathObj : public Object {
 public:
  /** An AccessPath. */
  Optional<ObjectRef> parent;
  Optional<AccessStep> step;
  /** The number of steps. */
  int32_t depth = 0;

  TVM_FFI_LOCAL AccessPathObj() = default;
  TVM_FFI_LOCAL AccessPathObj(Optional<ObjectRef> parent_, Optional<AccessStep> step_,
                              int32_t depth_)
      : parent(std::move(parent_)), step(std::move(step_)), depth(depth_) {}
  TVM_FFI_LOCAL_INLINE ~AccessPathObj() = default;

  TVM_FFI_LOCAL Optional<AccessPath> GetParent() const;
  /** This path with one more step. */
  TVM_FFI_LOCAL AccessPath Extend(AccessStep next) const;
  TVM_FFI_LOCAL AccessPath Attr(String name) const;
  TVM_FFI_LOCAL AccessPath AttrMissing(String name) const;
  TVM_FFI_LOCAL AccessPath ArrayItem(int64_t index) const;
  TVM_FFI_LOCAL AccessPath ArrayItemMissing(int64_t index) const;
  TVM_FFI_LOCAL AccessPath MapItem(Any key) const;
  TVM_FFI_LOCAL AccessPath MapItemMissing(Any key) const;
  /** In order from the root. */
  TVM_FFI_LOCAL Array<AccessStep> ToSteps() const;
  TVM_FFI_LOCAL bool PathEqual(const AccessPath &other) const;
  /** A path is a prefix of itself. */
  TVM_FFI_LOCAL bool IsPrefixOf(const AccessPath &other) const;

  TVM_FFI_LOCAL static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind =
      kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DETAIL_LAZY_TYPE_FINAL("ffi.reflection.AccessPath", AccessPathObj, Object);

 private:
  /** [lend] NULL at the root. */
  TVM_FFI_LOCAL const AccessPathObj *ParentNode() const {
    return step.has_value() ? parent.as<AccessPathObj>() : nullptr;
  }
  /** Whether two paths of the same depth are equal. */
  TVM_FFI_LOCAL static bool SameSteps(const AccessPathObj *a, const AccessPathObj *b);
};

class AccessPath : public ObjectRef {
 public:
  TVM_FFI_LOCAL explicit AccessPath(ObjectPtr<AccessPathObj> path) : ObjectRef(std::move(path)) {}
  TVM_FFI_LOCAL_INLINE ~AccessPath() = default;
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessPath, ObjectRef, AccessPathObj);

  /** The path without steps. */
  TVM_FFI_LOCAL static AccessPath Root() { return AccessPath(make_object<AccessPathObj>()); }
  TVM_FFI_LOCAL static AccessPath FromSteps(const Array<AccessStep> &steps) {
    return FromSteps(steps.begin(), steps.end());
  }
  template <typename Iterator>
  TVM_FFI_LOCAL static AccessPath FromSteps(Iterator first, Iterator last) {
    AccessPath path = Root();
    for (; first != last; ++first) path = path->Extend(*first);
    return path;
  }
};

/** Where two values differ: the path in the first, and in the second. */
using AccessPathPair = Tuple<AccessPath, AccessPath>;

/* ---- Bodies ---- */

TVM_FFI_LOCAL inline bool AccessStepObj::StepEqual(const AccessStep &other) const {
  return kind == other->kind && AnyEqual()(key, other->key);
}

TVM_FFI_LOCAL inline Optional<AccessPath> AccessPathObj::GetParent() const {
  const AccessPathObj *node = ParentNode();
  if (node == nullptr) return std::nullopt;
  return GetRef<AccessPath>(node);
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::Extend(AccessStep next) const {
  return AccessPath(
      make_object<AccessPathObj>(GetRef<AccessPath>(this), std::move(next), depth + 1));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::Attr(String name) const {
  return Extend(AccessStep::Attr(std::move(name)));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::AttrMissing(String name) const {
  return Extend(AccessStep::AttrMissing(std::move(name)));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::ArrayItem(int64_t index) const {
  return Extend(AccessStep::ArrayItem(index));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::ArrayItemMissing(int64_t index) const {
  return Extend(AccessStep::ArrayItemMissing(index));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::MapItem(Any key) const {
  return Extend(AccessStep::MapItem(std::move(key)));
}
TVM_FFI_LOCAL inline AccessPath AccessPathObj::MapItemMissing(Any key) const {
  return Extend(AccessStep::MapItemMissing(std::move(key)));
}

TVM_FFI_LOCAL inline Array<AccessStep> AccessPathObj::ToSteps() const {
  int64_t count = 0;
  // Fields may have been set to anything, so depth is not trusted.
  for (const AccessPathObj *path = this; path->ParentNode() != nullptr; path = path->ParentNode()) {
    ++count;
  }
  ObjectPtr<ArrayObj> steps = ArrayObj::New(count);
  for (const AccessPathObj *path = this; count > 0; path = path->ParentNode(), --count) {
    steps->Append(Any(*path->step));
  }
  steps->Reverse();
  return Array<AccessStep>(ObjectPtr<Object>(std::move(steps)));
}

TVM_FFI_LOCAL inline bool AccessPathObj::SameSteps(const AccessPathObj *a, const AccessPathObj *b) {
  while (a != b && a != nullptr && b != nullptr) {
    if (a->step.has_value() != b->step.has_value()) return false;
    if (a->step.has_value() && !a->step->StepEqual(*b->step)) return false;
    a = a->ParentNode();
    b = b->ParentNode();
  }
  return a == b;
}
TVM_FFI_LOCAL inline bool AccessPathObj::PathEqual(const AccessPath &other) const {
  return depth == other->depth && SameSteps(this, other.get());
}
TVM_FFI_LOCAL inline bool AccessPathObj::IsPrefixOf(const AccessPath &other) const {
  const AccessPathObj *path = other.get();
  if (depth > path->depth) return false;
  while (path != nullptr && path->depth > depth) path = path->ParentNode();
  return SameSteps(this, path);
}

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_ACCESS_PATH_H_
