/* SPDX-License-Identifier: Apache-2.0 */
/* Visitors and walks. tests/compat/names_structural.cc has their results with both headers. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/structural_visit.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "caught.h"
#include "structural_types.h"

using namespace structural;
using ffi::Expected;
using ffi::Optional;
using ffi::StructuralVisitorObj;
using ffi::VisitInterrupt;
using ffi::WalkOrder;
using ffi::WalkResult;

namespace {

class Visits : public testing::Test {
 protected:
  void SetUp() override {
    if (!Prepare()) GTEST_SKIP() << "this build has none of extra/";
  }
  /* y depends on n, and is used in the body. */
  Any Example() {
    const Var y("y", Pair(Var("n"), 7));
    return Let(ffi::Array<Any>{Var("x"), y}, y, ffi::Map<ffi::String, Any>{{"key", y}});
  }
  std::vector<std::string> seen;
};

/* Records the visited values; it does not use the engine. */
class RecordingVisitorObj : public StructuralVisitorObj {
 public:
  explicit RecordingVisitorObj(std::string *text) : StructuralVisitorObj(Table()), text_(text) {}

 private:
  static const ffi::StructuralVisitorVTable *Table() {
    static const ffi::StructuralVisitorVTable table{&VisitOne};
    return &table;
  }
  static TVMFFIAny VisitOne(StructuralVisitorObj *self, AnyView value) noexcept {
    auto *visitor = static_cast<RecordingVisitorObj *>(self);
    *visitor->text_ += Brief(value) + std::to_string(visitor->def_region_mode_) + " ";
    return ffi::detail::ExpectedUnsafe::MoveToTVMFFIAny(visitor->DefaultVisitExpected(value));
  }
  std::string *text_;
};

TEST_F(Visits, RegionsFollowDefinitions) {
  std::string text;
  const ffi::StructuralVisitor visitor(ffi::make_object<RecordingVisitorObj>(&text));
  EXPECT_FALSE(visitor->Visit(Example()).has_value());
  EXPECT_EQ(text,
            "Let0 Array1 x1 none1 y1 Pair1 n1 none1 71 "
            "y2 Pair0 n0 none0 70 Map0 y0 Pair0 n0 none0 70 ");
  EXPECT_EQ(visitor->type_index(), StructuralVisitorObj::RuntimeTypeIndex());
}

TEST_F(Visits, ResultsSayWhatTheyAre) {
  EXPECT_EQ(WalkResult::Skip().get<int>(), 1);
  EXPECT_EQ(WalkResult::Advance().as<int>(), 0);
  const VisitInterrupt interrupt(Any(5));
  const WalkResult stop = WalkResult::Interrupt(interrupt);
  EXPECT_FALSE(stop.as<int>().has_value());
  EXPECT_TRUE(stop.get<VisitInterrupt>().same_as(interrupt));
  EXPECT_TRUE(stop.same_as(WalkResult::Interrupt(interrupt)));
  EXPECT_FALSE(stop.same_as(WalkResult::Skip()));
  EXPECT_EQ(interrupt.use_count(), 2);
}

TEST_F(Visits, RegionsComeBack) {
  std::string text;
  const ffi::StructuralVisitor visitor(ffi::make_object<RecordingVisitorObj>(&text));
  const int result = visitor->WithDefRegionKind(kTVMFFIDefRegionKindPattern, [&] {
    return visitor->WithDefRegionKind(kTVMFFIDefRegionKindSimple,
                                      [&] { return int{visitor->def_region_kind()}; });
  });
  EXPECT_EQ(result, kTVMFFIDefRegionKindPattern);
  EXPECT_THROW(visitor->WithDefRegionKind(kTVMFFIDefRegionKindSimple, [] { throw 1; }), int);
  EXPECT_EQ(visitor->def_region_kind(), kTVMFFIDefRegionKindNone);
}

TEST_F(Visits, TheFirstCallbackThatTakesAValueIsCalled) {
  const auto note = [this](const char *label) {
    seen.emplace_back(label);
    return WalkResult::Advance();
  };
  const Any root = ffi::Array<Any>{1, true, 2.5, "text", Var("x"), nullptr};
  const auto end = ffi::StructuralWalk<WalkOrder::kPreOrder>(
      root, [&](int64_t) { return note("int"); }, [&](double) { return note("double"); },
      [&](const ffi::String &) -> Expected<WalkResult> { return note("text"); },
      [&](const VarObj *, TVMFFIDefRegionKind) { return note("var"); },
      [&](ffi::ObjectRef) { return note("object"); });
  EXPECT_FALSE(end.has_value());
  EXPECT_EQ(seen, (std::vector<std::string>{"object", "int", "double", "text", "var"}));
}

TEST_F(Visits, AWalkSkipsAndEnds) {
  const auto walk = [&](const Any &root) {
    seen.clear();
    return ffi::StructuralWalk<WalkOrder::kPreOrder>(root, [&](AnyView each) {
      seen.push_back(Brief(each));
      if (each.as<VarObj>() != nullptr) return WalkResult::Skip();
      return each.as<int64_t>() ? WalkResult::Interrupt(VisitInterrupt(each))
                                : WalkResult::Advance();
    });
  };
  EXPECT_FALSE(walk(Example()).has_value());
  EXPECT_EQ(seen, (std::vector<std::string>{"Let", "Array", "x", "y", "y", "Map", "y"}));
  EXPECT_EQ(walk(Pair(5, 6)).value()->value.cast<int>(), 5);
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_FALSE(walk(nullptr).has_value());
  EXPECT_TRUE(seen.empty());
}

TEST_F(Visits, InPostOrderPartsComeFirst) {
  ffi::StructuralWalk<WalkOrder::kPostOrder>(Pair(Pair(1, 2), 3), [&](const Any &each) {
    seen.push_back(Brief(each));
    return WalkResult::Skip();  // has no effect in post-order
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2", "Pair", "3", "Pair"}));
}

TEST_F(Visits, ErrorsEndAWalk) {
  const Any root = Pair(Pair(1, 2), 3);
  const auto thrown =
      ffi::StructuralWalkExpected<WalkOrder::kPostOrder>(root, [](int64_t value) -> WalkResult {
        if (value == 2) throw std::runtime_error("of the standard library");
        return WalkResult::Advance();
      });
  ASSERT_TRUE(thrown.is_err());
  EXPECT_EQ(thrown.error().kind(), "InternalError");
  EXPECT_EQ(thrown.error().message(), "of the standard library");
  const auto context = ffi::VisitErrorContext::TryGetFromError(thrown.error()).value();
  ASSERT_EQ(context->reverse_visit_pattern.size(), 2U);
  EXPECT_TRUE(context->reverse_visit_pattern[1].same_as(root.cast<ffi::ObjectRef>()));
  EXPECT_EQ(Caught([&] {
              ffi::StructuralWalk<WalkOrder::kPreOrder>(
                  root, [](int64_t) -> WalkResult { TVM_FFI_THROW(ValueError) << "no number"; });
            }),
            "ValueError: no number");
}

TEST_F(Visits, CallbacksOfAVisitDescendThemselves) {
  const auto end = ffi::StructuralVisit(
      Pair(Pair(1, Var("x")), 3),
      [&](const PairObj *pair,
          StructuralVisitorObj *visitor) -> Expected<Optional<VisitInterrupt>> {
        TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->VisitExpected(pair->second));
        return visitor->VisitExpected(pair->first);
      },
      [&](int64_t value, StructuralVisitorObj *) -> Expected<Optional<VisitInterrupt>> {
        seen.push_back(std::to_string(value));
        if (value == 1) return VisitInterrupt(value);
        return std::nullopt;
      });
  EXPECT_EQ(end.value()->value.cast<int>(), 1);
  EXPECT_EQ(seen, (std::vector<std::string>{"3", "1"}));
}

/* A visitor layer that counts the current depth. */
template <typename Parent>
class DepthLayer : public Parent {
 public:
  using VisitorObjType = DepthLayer;
  using StateTupleType = std::tuple<const int &>;
  explicit DepthLayer(const ffi::StructuralVisitorVTable *vtable) : Parent(vtable) {}
  int depth() const { return depth_; }
  Expected<Optional<VisitInterrupt>> DefaultVisitExpected(AnyView value) noexcept {
    ++depth_;
    auto result = Parent::DefaultVisitExpected(value);
    --depth_;
    return result;
  }

 protected:
  StateTupleType StateTuple() const noexcept { return StateTupleType(depth_); }

 private:
  int depth_ = 0;
};

TEST_F(Visits, ParentsGiveCallbacksTheirState) {
  const Any root = Pair(Pair(1, 2), 3);
  int most = 0;
  auto deepest = [&](int64_t, const int &depth) {
    most = depth > most ? depth : most;
    return WalkResult::Advance();
  };
  using Layer = DepthLayer<StructuralVisitorObj>;
  using Walk = ffi::StructuralWalkEngine<Layer, WalkOrder::kPreOrder, decltype(deepest)>;
  EXPECT_FALSE(ffi::StructuralVisitor(ffi::make_object<Walk>(deepest))->Visit(root).has_value());
  EXPECT_EQ(most, 2);
  auto by_layer = [&](int64_t value, Layer *layer) -> Optional<VisitInterrupt> {
    seen.push_back(std::to_string(value) + "@" + std::to_string(layer->depth()));
    return std::nullopt;
  };
  using Visit = ffi::StructuralVisitEngine<Layer, decltype(by_layer)>;
  EXPECT_FALSE(ffi::StructuralVisitor(ffi::make_object<Visit>(by_layer))->Visit(root).has_value());
  EXPECT_EQ(seen, (std::vector<std::string>{"1@2", "2@2", "3@1"}));
}

TEST_F(Visits, TheRuntimeVisitsByVisitorsOfTheLayer) {
  const auto visit = ffi::Function::GetGlobalRequired("ffi.StructuralVisitorVisit");
  std::string text;
  const ffi::StructuralVisitor visitor(ffi::make_object<RecordingVisitorObj>(&text));
  EXPECT_TRUE(visit(visitor, Pair(1, 2)) == nullptr);
  EXPECT_EQ(text, "Pair0 10 20 ");
}

TEST_F(Visits, NothingIsKept) {
  const Var x("x");
  (void)ffi::StructuralWalkExpected<WalkOrder::kPreOrder>(
      Pair(x, ffi::Array<Any>{x}),
      [x](const Var &) -> WalkResult { TVM_FFI_THROW(ValueError) << "stop"; });
  EXPECT_EQ(x.use_count(), 1);
  EXPECT_EQ(Caught([] { ffi::StructuralVisitor(ffi::ObjectPtr<StructuralVisitorObj>()); }),
            "InternalError: a StructuralVisitor is never null");
}

}  // namespace
