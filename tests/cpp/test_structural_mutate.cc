/* SPDX-License-Identifier: Apache-2.0 */
/* Mutators and mappings. tests/compat/names_structural.cc has their results with both headers. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_mutate.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "caught.h"
#include "structural_types.h"

using namespace structural;
using ffi::Expected;
using ffi::InplaceMode;
using ffi::StructuralMutatorObj;
using ffi::Unchanged;
using ffi::UnchangedOr;
using ffi::WalkOrder;

namespace {

class Mutations : public testing::Test {
 protected:
  void SetUp() override {
    if (!Prepare()) GTEST_SKIP() << "this build has none of extra/";
  }
};

int64_t Add(int64_t value) {
  return value + 1;
}

TEST_F(Mutations, AResultKnowsWhetherItIsOne) {
  const Var x("x");
  UnchangedOr<Var> kept = Unchanged(), same = x, other = Var("y");
  EXPECT_TRUE(kept.UnchangedOrSameAs(x));
  EXPECT_TRUE(same.UnchangedOrSameAs(x));
  EXPECT_FALSE(same.IsUnchanged());
  EXPECT_FALSE(other.UnchangedOrSameAs(x));
  const UnchangedOr<ffi::ObjectRef> wide = other;
  EXPECT_FALSE(wide.IsUnchanged());
  EXPECT_TRUE(std::move(kept).ValueOrUnchanged(x).same_as(x));
  EXPECT_EQ(std::move(other).ValueUnchecked()->name, "y");
  EXPECT_FALSE(UnchangedOr<Any>(Unchanged()).as<ffi::String>().has_value());
  EXPECT_EQ(UnchangedOr<Any>(3).as_or_throw<int>(), 3);
  EXPECT_EQ(UnchangedOr<double>(UnchangedOr<int>(3)).as_or_throw<double>(), 3.0);
  static_assert(sizeof(UnchangedOr<ffi::String>) == 16);
  static_assert(!std::is_convertible_v<UnchangedOr<Any>, UnchangedOr<Var>>);
}

TEST_F(Mutations, ParametersAndResultsMayBeUnchanged) {
  const auto f = ffi::Function::FromTyped([](UnchangedOr<int> value) -> UnchangedOr<int> {
    if (value.IsUnchanged()) return 0;
    return Unchanged();
  });
  EXPECT_EQ(f(Unchanged()).cast<int>(), 0);
  EXPECT_EQ(f(2).type_index(), kTVMFFIUnchanged);
  EXPECT_EQ(Caught([&] { f("x"); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: UnchangedOr<int>) -> "
            "UnchangedOr<int>`. Expected `UnchangedOr<int>` but got `const char*`");
}

TEST_F(Mutations, WhatIsNotChangedIsShared) {
  const Pair kept(Var("x"), 2.5), root(kept, ffi::Array<Any>{1});
  const Any mapped = ffi::StructuralMap<WalkOrder::kPostOrder>(root, Add);
  const PairObj *pair = mapped.as<PairObj>();
  EXPECT_FALSE(mapped.same_as(root));
  EXPECT_TRUE(pair->first.same_as(kept));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(pair->second, ffi::Array<int>{2}));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(root->second, ffi::Array<int>{1}));
  EXPECT_TRUE(ffi::StructuralMap<WalkOrder::kPreOrder>(root, [](int64_t) {
                return Unchanged();
              }).same_as(root));
}

TEST_F(Mutations, WhatNobodyElseHoldsIsChangedInPlace) {
  ffi::Array<Any> root{1, ffi::Array<Any>{2}};
  const ffi::Object *address = root.get();
  const ffi::Array<Any> mapped =
      ffi::StructuralMap<WalkOrder::kPostOrder>(std::move(root), Add).cast<ffi::Array<Any>>();
  EXPECT_EQ(mapped.get(), address);
  EXPECT_EQ(mapped[0].cast<int>(), 2);
  EXPECT_EQ(mapped[1].cast<ffi::Array<int>>()[0], 3);
}

TEST_F(Mutations, InPreOrderReplacementsAreDescendedInto) {
  const auto replace = [](const Var &) { return ffi::Array<Any>{1}; };
  const ffi::Array<Any> root{Var("x"), nullptr};
  const auto pre = ffi::StructuralMap<WalkOrder::kPreOrder>(root, replace, Add);
  const auto post = ffi::StructuralMap<WalkOrder::kPostOrder>(root, replace, Add);
  EXPECT_TRUE(ffi::StructuralEqual::Equal(pre, ffi::Array<Any>{ffi::Array<Any>{2}, nullptr}));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(post, ffi::Array<Any>{ffi::Array<Any>{1}, nullptr}));
}

TEST_F(Mutations, DefinitionsAreMutatedOnce) {
  const Var x("x", 1);
  const Let root(x, nullptr, Pair(x, x));
  int calls = 0;
  const Any mapped = ffi::StructuralMap<WalkOrder::kPostOrder>(root, [&](int64_t value) {
    ++calls;
    return value + 1;
  });
  const LetObj *let = mapped.as<LetObj>();
  const PairObj *uses = let->body.as<PairObj>();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(let->pattern.same_as(x));
  EXPECT_EQ(let->pattern.as<VarObj>()->type.cast<int>(), 2);
  EXPECT_TRUE(uses->first.same_as(let->pattern));
  EXPECT_TRUE(uses->second.same_as(let->pattern));
}

TEST_F(Mutations, UsesOfWhatIsDefinedElsewhereStay) {
  const ffi::Array<Any> root{Var("x", 1)};
  EXPECT_TRUE(ffi::StructuralMap<WalkOrder::kPostOrder>(root, Add).same_as(root));
}

TEST_F(Mutations, CallbacksOfAMutationDescendThemselves) {
  std::vector<InplaceMode> modes;
  const Any mutated = ffi::StructuralMutate(
      ffi::Array<Any>{Pair(1, 2), 3},
      [](const PairObj *pair, StructuralMutatorObj *mutator) -> Expected<UnchangedOr<Any>> {
        TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int64_t>, first,
                                          mutator->MutateExpected(pair->first));
        return Any(Pair(std::move(first).ValueOrUnchanged(0), pair->second));
      },
      [&](const ffi::ArrayObj *array, StructuralMutatorObj *mutator, InplaceMode mode) {
        modes.push_back(mode);
        return mutator->DefaultMutateExpected(array, mode);
      },
      [](int64_t value, StructuralMutatorObj *) { return value * 10; });
  const ffi::Array<Any> items = mutated.cast<ffi::Array<Any>>();
  EXPECT_EQ(items[0].as<PairObj>()->first.cast<int>(), 10);
  EXPECT_EQ(items[0].as<PairObj>()->second.cast<int>(), 2);
  EXPECT_EQ(items[1].cast<int>(), 30);
  EXPECT_EQ(modes, std::vector<InplaceMode>{InplaceMode::kAllow});
}

TEST_F(Mutations, ErrorsEndThem) {
  const Pair root(Pair(1, 2), 3);
  const auto failed = ffi::StructuralMapExpected<WalkOrder::kPostOrder>(
      root, [](int64_t value) -> Expected<int64_t> {
        if (value != 2) return value;
        return TVM_FFI_UNEXPECTED(ValueError) << "no " << value;
      });
  ASSERT_TRUE(failed.is_err());
  EXPECT_EQ(failed.error().message(), "no 2");
  const auto context = ffi::VisitErrorContext::TryGetFromError(failed.error()).value();
  ASSERT_EQ(context->reverse_visit_pattern.size(), 2U);
  EXPECT_TRUE(context->reverse_visit_pattern[1].same_as(root));
  EXPECT_EQ(Caught([&] {
              ffi::StructuralMutate(root, [](int64_t, StructuralMutatorObj *) -> Any {
                throw std::runtime_error("of the standard library");
              });
            }),
            "InternalError: of the standard library");
}

TEST_F(Mutations, RecordsAreOfObjects) {
  auto never = [](const ffi::String &) { return Unchanged(); };
  using Engine =
      ffi::StructuralMapEngine<ffi::StructuralMapEngineBase, WalkOrder::kPreOrder, decltype(never)>;
  ffi::StructuralMutator mutator(ffi::make_object<Engine>(never));
  const Var x("x"), y("y"), z("z");
  EXPECT_TRUE(mutator->VarRemapGetExpected(x).value() == nullptr);
  mutator->VarRemapSetExpected(x, y).value();
  mutator->VarRemapSetExpected(x, z).value();
  EXPECT_TRUE(mutator->VarRemapGetExpected(x).value().same_as(z));
  EXPECT_EQ(x.use_count(), 2);
  EXPECT_EQ(y.use_count(), 1);
  EXPECT_EQ(Caught([&] { mutator->VarRemapGetExpected(1).value(); }),
            "TypeError: Variable-remap key must be an object-backed value");
  EXPECT_EQ(Caught([&] { mutator->VarRemapSetExpected(nullptr, 1).value(); }),
            "TypeError: Variable-remap key must be an object-backed value");
  // The runtime's functions read and write the same map of variables.
  const auto get = ffi::Function::GetGlobalRequired("ffi.StructuralMutatorVarRemapGet");
  EXPECT_TRUE(get(mutator, x).same_as(z));
  ffi::Function::GetGlobalRequired("ffi.StructuralMutatorVarRemapSet")(mutator, y, 1);
  EXPECT_EQ(mutator->VarRemapGetExpected(y).value().cast<int>(), 1);
  mutator = ffi::StructuralMutator(ffi::make_object<Engine>(never));
  EXPECT_EQ(x.use_count(), 1);
}

/* What classes derived from an engine's base can call. */
class Recorder : public ffi::StructuralMapEngineBase {
 public:
  Recorder() : StructuralMapEngineBase(Table()) {}
  static const ffi::StructuralMutatorVTable *Table() {
    static const ffi::StructuralMutatorVTable table{nullptr, nullptr, DispatchVarRemapGet,
                                                    DispatchVarRemapSet};
    return &table;
  }
  Expected<Any> Get(AnyView var) { return VarRemapGetImpl(var); }
  Expected<void> Set(AnyView var, AnyView value) { return VarRemapSetImpl(var, value); }
  /** Its own data begins where that of the reference's headers would. */
  Any own;
};

TEST_F(Mutations, DerivedClassesAccessRecords) {
  const auto recorder = ffi::make_object<Recorder>();
  const Var x("x"), y("y");
  EXPECT_EQ(recorder->Get(x).value(), nullptr);
  recorder->Set(x, y).value();
  EXPECT_TRUE(recorder->VarRemapGetExpected(x).value().same_as(y));
  recorder->VarRemapSetExpected(y, 1).value();
  EXPECT_EQ(recorder->Get(y).value().cast<int>(), 1);
  EXPECT_EQ(Caught([&] { recorder->Get("raw").value(); }),
            "TypeError: Variable-remap key must be an object-backed value");
  EXPECT_EQ(Caught([&] { recorder->Set(1, x).value(); }),
            "TypeError: Variable-remap key must be an object-backed value");
  // An Error may be recorded, and is one for those who look.
  recorder->Set(x, ffi::Error("ValueError", "recorded", "")).value();
  EXPECT_EQ(recorder->Get(x).error().message(), "recorded");
  static_assert(sizeof(ffi::StructuralMapEngineBase) ==
                sizeof(StructuralMutatorObj) + sizeof(std::unordered_map<const void *, Any>));
}

TEST_F(Mutations, AResultTravelsAsAValueOfTheABI) {
  using Unsafe = ffi::detail::UnchangedOrUnsafe;
  const Var x("x");
  TVMFFIAny raw = Unsafe::MoveToTVMFFIAny(UnchangedOr<Var>(x));
  EXPECT_EQ(raw.type_index, x.type_index());
  EXPECT_EQ(x.use_count(), 2);
  EXPECT_TRUE(Unsafe::MoveFromTVMFFIAny<Any>(raw).as_or_throw<Var>().same_as(x));
  EXPECT_EQ(x.use_count(), 1);
  raw = Unsafe::MoveToTVMFFIAny(UnchangedOr<Var>(Unchanged()));
  EXPECT_EQ(raw.type_index, kTVMFFIUnchanged);
  EXPECT_TRUE(Unsafe::MoveFromTVMFFIAny<ffi::String>(raw).IsUnchanged());
}

TEST_F(Mutations, ThereIsRoomForManyRecords) {
  const auto recorder = ffi::make_object<Recorder>();
  std::vector<Var> vars;
  for (int64_t i = 0; i < 1000; ++i) {
    vars.emplace_back("x");
    EXPECT_EQ(recorder->Get(vars.back()).value(), nullptr);
    recorder->Set(vars.back(), -1).value();
    recorder->Set(vars.back(), i).value();
  }
  int64_t number = 0;
  for (const Var &var : vars) {
    EXPECT_EQ(recorder->Get(var).value().cast<int64_t>(), number++);
    EXPECT_EQ(var.use_count(), 2);
  }
}

TEST_F(Mutations, CallbacksMayBeChosenAtRunTime) {
  using Entry = ffi::Tuple<int32_t, ffi::Function>;
  using Engine = ffi::StructuralMapDynEngine<ffi::StructuralMapEngineBase, WalkOrder::kPostOrder>;
  std::string kinds;
  const auto add = ffi::Function::FromTyped(Add);
  const auto note = ffi::Function::FromTyped([&](const VarObj *var, int kind) {
    kinds += std::string(var->name.data()) + std::to_string(kind);
    return Unchanged();
  });
  const ffi::StructuralMutator mutator(
      ffi::make_object<Engine>(ffi::Array<Entry>{Entry(kTVMFFIInt, add)},
                               ffi::Array<Entry>{Entry(VarObj::RuntimeTypeIndex(), note)}));
  const Let root(Var("x"), Var("y"), Pair(Var("z"), 1));
  const Any mapped = mutator->Mutate(root).ValueOrUnchanged(root);
  EXPECT_EQ(mapped.as<LetObj>()->body.as<PairObj>()->second.cast<int>(), 2);
  EXPECT_EQ(kinds, "x1y2z0");
}

/* A type with its own mutate hook, which the runtime's engines call too. */
class BoxObj : public ffi::Object {
 public:
  explicit BoxObj(Any item_) : item(item_) {}
  Any item;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.structural.Box", BoxObj, ffi::Object);

  static Expected<UnchangedOr<Any>> Mutate(StructuralMutatorObj *mutator, AnyView value) noexcept {
    const BoxObj *self = value.as<BoxObj>();
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int64_t>, item,
                                      mutator->MutateExpected(self->item));
    if (item.IsUnchanged()) return Unchanged();
    return ffi::make_object<BoxObj>(std::move(item).ValueUnchecked());
  }
};

TEST_F(Mutations, HooksAreForAllEngines) {
  ffi::reflection::TypeAttrDef<BoxObj>().native_fn_attr<&BoxObj::Mutate>(
      ffi::type_attr::kStructuralMutate);
  const ffi::Array<Any> root{ffi::make_object<BoxObj>(1)};
  const auto item = [](const Any &array) {
    return array.cast<ffi::Array<Any>>()[0].as<BoxObj>()->item.cast<int>();
  };
  EXPECT_EQ(item(ffi::StructuralMap<WalkOrder::kPreOrder>(root, Add)), 2);
  using Entry = ffi::Tuple<int32_t, ffi::Function>;
  EXPECT_EQ(item(ffi::Function::GetGlobalRequired("ffi.StructuralMap")(
                root, ffi::Array<Entry>{Entry(kTVMFFIInt, ffi::Function::FromTyped(Add))},
                ffi::Array<Entry>(), 1)),
            2);
  EXPECT_EQ(Caught([&] {
              ffi::StructuralMap<WalkOrder::kPreOrder>(root,
                                                       [](int64_t) { return ffi::String("x"); });
            }),
            "TypeError: structural mutate result does not match the declared type");
  EXPECT_EQ(item(root), 1);
}

TEST_F(Mutations, TypesWithoutACopyCannotBeMutated) {
  EXPECT_EQ(Caught([] { ffi::StructuralMap<WalkOrder::kPreOrder>(ffi::Shape{1}, Add); }),
            "TypeError: __ffi_shallow_copy__ must be an ffi.Function");
  EXPECT_EQ(Caught([] { ffi::StructuralMutator(ffi::ObjectPtr<StructuralMutatorObj>()); }),
            "InternalError: a StructuralMutator is never null");
}

}  // namespace
