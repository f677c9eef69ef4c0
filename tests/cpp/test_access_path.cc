/* SPDX-License-Identifier: Apache-2.0 */
/* Access paths: building and comparing them, passing them to the runtime, and reading paths that
 * the runtime made. tests/compat/names_paths.cc also has their texts and how their parts compare.
 */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/accessor.h>

#include <vector>

#include "caught.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using ffi::Any;
using ffi::Array;
using ffi::String;
using refl::AccessKind;
using refl::AccessPath;
using refl::AccessStep;

namespace {

AccessPath EveryKind() {
  return AccessPath::Root()
      ->Attr("model")
      ->ArrayItem(2)
      ->MapItem("weight")
      ->AttrMissing("bias")
      ->ArrayItemMissing(9)
      ->MapItemMissing(7);
}

ffi::Any CallMethod(const char *name, const AccessPath &path) {
  return refl::GetMethod("ffi.reflection.AccessPath", name)(path);
}

TEST(AccessPath, KnowsItsStepsAndItsParent) {
  const AccessPath path = EveryKind();
  const Array<AccessStep> steps = path->ToSteps();
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(path->depth, 6);
  EXPECT_EQ(steps[0]->kind, AccessKind::kAttr);
  EXPECT_EQ(steps[0]->key.cast<String>(), "model");
  EXPECT_EQ(steps[1]->kind, AccessKind::kArrayItem);
  EXPECT_EQ(steps[1]->key.cast<int64_t>(), 2);
  EXPECT_EQ(steps[5]->kind, AccessKind::kMapItemMissing);
  EXPECT_EQ(steps[5]->key.cast<int64_t>(), 7);
  EXPECT_TRUE(path->step.same_as(steps[5]));
  EXPECT_EQ(path->GetParent().value()->ToSteps().size(), 5u);
  EXPECT_FALSE(AccessPath::Root()->GetParent().has_value());
  EXPECT_EQ(AccessPath::Root()->ToSteps().size(), 0u);
  EXPECT_EQ(AccessStep::MapItemMissing()->key, nullptr);
}

TEST(AccessPath, IsMadeOfSteps) {
  const AccessPath path = EveryKind();
  const std::vector<AccessStep> steps = {AccessStep::Attr("a"), AccessStep::ArrayItem(1)};
  EXPECT_TRUE(AccessPath::FromSteps(path->ToSteps())->PathEqual(path));
  EXPECT_TRUE(AccessPath::FromSteps(steps.begin(), steps.end())
                  ->PathEqual(AccessPath::Root()->Attr("a")->ArrayItem(1)));
  EXPECT_TRUE(AccessPath::FromSteps({})->PathEqual(AccessPath::Root()));
}

TEST(AccessPath, ComparesKindsAndKeys) {
  const AccessPath base = AccessPath::Root()->Attr("a");
  EXPECT_TRUE(base->ArrayItem(1)->PathEqual(AccessPath::Root()->Attr("a")->ArrayItem(1)));
  EXPECT_FALSE(base->ArrayItem(1)->PathEqual(base->ArrayItem(2)));
  EXPECT_FALSE(base->ArrayItem(1)->PathEqual(base->MapItem(1)));
  EXPECT_FALSE(base->ArrayItem(1)->PathEqual(base));
  EXPECT_FALSE(base->MapItem(1)->PathEqual(base->MapItem(true)));
  EXPECT_TRUE(AccessStep::Attr("a")->StepEqual(AccessStep::Attr("a")));
  EXPECT_FALSE(AccessStep::Attr("a")->StepEqual(AccessStep::AttrMissing("a")));
}

TEST(AccessPath, IsAPrefixOfWhatGoesOn) {
  const AccessPath base = AccessPath::Root()->Attr("a")->ArrayItem(1);
  EXPECT_TRUE(base->IsPrefixOf(base));
  EXPECT_TRUE(AccessPath::Root()->IsPrefixOf(base));
  EXPECT_TRUE(base->IsPrefixOf(base->Attr("b")->Attr("c")));
  EXPECT_FALSE(base->Attr("b")->IsPrefixOf(base));
  EXPECT_FALSE(base->IsPrefixOf(AccessPath::Root()->Attr("a")->ArrayItem(2)->Attr("b")));
}

/* A parent that is not a path ends the path. */
TEST(AccessPath, DoesNotBelieveItsFields) {
  const AccessPath odd(
      ffi::make_object<refl::AccessPathObj>(Array<int>{1}, AccessStep::Attr("a"), 5));
  EXPECT_FALSE(odd->GetParent().has_value());
  EXPECT_EQ(odd->ToSteps().size(), 0u);
  EXPECT_FALSE(AccessPath::Root()->Attr("a")->IsPrefixOf(odd));
}

TEST(AccessPath, IsTheRuntimesObject) {
  const AccessPath path = EveryKind();
  const Any root = refl::GetMethod("ffi.reflection.AccessPath", "_root")();
  EXPECT_EQ(path->type_index(), root.type_index());
  EXPECT_TRUE(root.cast<AccessPath>()->PathEqual(AccessPath::Root()));
  EXPECT_EQ(CallMethod("_to_steps", path).cast<Array<AccessStep>>().size(), 6u);
  EXPECT_TRUE(
      refl::GetMethod("ffi.reflection.AccessPath", "_path_equal")(path, EveryKind()).cast<bool>());
  EXPECT_EQ(ffi::ReprPrint(path),
            "<root>.model[2][\"weight\"][<missing:\"bias\">][<missing:9>][<missing:7>]");
  EXPECT_TRUE(ffi::StructuralEqual::Equal(path, EveryKind()));
  EXPECT_EQ(ffi::StructuralHash::Hash(path), ffi::StructuralHash::Hash(EveryKind()));
}

TEST(AccessPath, SaysWhereValuesDiffer) {
  const Array<Any> a{1, Array<int>{1, 2}}, b{1, Array<int>{1, 3}};
  const auto pair = ffi::StructuralEqual::GetFirstMismatch(a, b);
  ASSERT_TRUE(pair.has_value());
  const AccessPath lhs = pair.value().get<0>();
  EXPECT_TRUE(lhs->PathEqual(AccessPath::Root()->ArrayItem(1)->ArrayItem(1)));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(pair, refl::AccessPathPair(lhs, lhs)));
}

TEST(AccessPath, IsNeverNull) {
  EXPECT_EQ(Caught([] { Any(nullptr).cast<AccessPath>(); }),
            "TypeError: Cannot convert from type `None` to `ffi.reflection.AccessPath`");
  EXPECT_EQ(Caught([] { Any(1).cast<AccessStep>(); }),
            "TypeError: Cannot convert from type `int` to `ffi.reflection.AccessStep`");
}

}  // namespace
