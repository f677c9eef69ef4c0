// SPDX-License-Identifier: Apache-2.0
// Access paths: their steps, comparisons, and the functions of the runtime that take them.
#include <tvm/ffi/reflection/access_path.h>

#include <vector>

#include "names.h"

namespace refl = tvm::ffi::reflection;
using refl::AccessPath;
using refl::AccessStep;

namespace {

/* Calls the global function, because ReprPrint of dataclass.h is in the package's library. */
std::string Repr(const Any &value) {
  return Function::GetGlobalRequired("ffi.ReprPrint")(value).cast<std::string>();
}

Array<AccessPath> MakePaths() {
  const AccessPath root = AccessPath::Root(), a = root->Attr("a"), b = a->ArrayItem(1);
  return {root,
          a,
          root->Attr("a"),
          root->AttrMissing("a"),
          b,
          a->ArrayItemMissing(1),
          a->ArrayItem(-1),
          b->MapItem("key"),
          b->MapItem(String("a key that is longer")),
          b->MapItem(1),
          b->MapItem(1.0),
          b->MapItem(true),
          b->MapItem(Array<Any>{1, "x"}),
          b->MapItemMissing(nullptr),
          b->MapItemMissing("key"),
          b->MapItem(Any(nullptr)),
          b->Extend(AccessStep::Attr("")),
          b->Extend(AccessStep(refl::AccessKind::kMapItem, 5)),
          AccessPath::FromSteps({AccessStep::Attr("a"), AccessStep::ArrayItem(1)})};
}

void ShowPath(const AccessPath &path) {
  const Array<AccessStep> steps = path->ToSteps();
  Show(Repr(path), path->depth, path->parent.has_value(), path->step.has_value(), steps.size());
  for (const AccessStep &step : steps) Show(static_cast<int>(step->kind), Repr(step->key));
  const Optional<AccessPath> parent = path->GetParent();
  Show(parent.has_value() ? Repr(parent.value()) : "none");
}

void ShowRelations(const Array<AccessPath> &paths) {
  const Function equal = Function::GetGlobalRequired("ffi.StructuralEqual");
  const Function hash = Function::GetGlobalRequired("ffi.StructuralHash");
  const Function same = refl::GetMethod("ffi.reflection.AccessPath", "_path_equal");
  for (const AccessPath &path : paths) {
    Line("relations", [&] {
      for (const AccessPath &other : paths) {
        Show(path->PathEqual(other), path->IsPrefixOf(other), same(path, other).cast<bool>(),
             equal(path, other, false, false).cast<bool>());
      }
    });
    Line("hash", [&] {
      const AccessPath copy = AccessPath::FromSteps(path->ToSteps());
      Show(copy->PathEqual(path),
           hash(copy, false, false).cast<int64_t>() == hash(path, false, false).cast<int64_t>());
    });
  }
}

void ShowSteps() {
  Line("step", [] {
    const AccessStep step = AccessStep::MapItemMissing();
    Show(step->key == nullptr, static_cast<int>(step->kind), Repr(step),
         step->StepEqual(AccessStep::MapItemMissing(nullptr)),
         step->StepEqual(AccessStep::MapItemMissing(1)),
         step->StepEqual(AccessStep::MapItem(nullptr)));
  });
  Line("steps", [] {
    const std::vector<AccessStep> steps = {AccessStep::Attr("x"), AccessStep::AttrMissing("y"),
                                           AccessStep::ArrayItemMissing(3)};
    Show(Repr(AccessPath::FromSteps(steps.begin(), steps.end())));
  });
  Line("types", [] {
    Show(AccessPath::Root()->GetTypeKey(), AccessStep::ArrayItem(0)->GetTypeKey(),
         sizeof(refl::AccessPathObj), sizeof(refl::AccessStepObj), sizeof(Optional<AccessPath>),
         static_cast<int>(refl::AccessPathObj::_type_s_eq_hash_kind),
         refl::AccessStepObj::_type_final, refl::AccessPathObj::_type_depth);
  });
  Line("types", [] { Any(1).cast<AccessPath>(); });
  Line("types", [] { Any(nullptr).cast<AccessStep>(); });
  Line("types", [] { Any(nullptr).cast<refl::AccessPathPair>(); });
  Line("types", [] {
    Show(detail::TypeSchema<refl::AccessPathPair>::v(),
         TypeTraits<Optional<AccessStep>>::TypeStr());
  });
  Line("mismatch", [] {
    const Any found = Function::GetGlobalRequired("ffi.GetFirstStructuralMismatch")(
        Array<int>{1, 2}, Array<int>{1, 3}, false, false);
    const refl::AccessPathPair pair = found.cast<refl::AccessPathPair>();
    Show(Repr(found), pair.get<0>()->depth, pair.get<1>()->PathEqual(AccessPath::Root()),
         Repr(refl::AccessPathPair(pair.get<0>(), AccessPath::Root())));
  });
}

}  // namespace

int main() {
  const Array<AccessPath> paths = MakePaths();
  for (const AccessPath &path : paths) Line("path", [&path] { ShowPath(path); });
  ShowRelations(paths);
  ShowSteps();
  return 0;
}
