/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that record the objects whose visit they interrupted. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/visit_error_context.h>

#include "caught.h"
#include "structural_types.h"

using namespace structural;

namespace {

class VisitErrors : public testing::Test {
 protected:
  void SetUp() override {
    if (!Prepare()) GTEST_SKIP() << "this build has none of extra/";
  }
};

/* All recorded objects, innermost first. */
std::string Through(const ffi::Error &error) {
  const auto context = ffi::VisitErrorContext::TryGetFromError(error);
  std::string text;
  if (!context.has_value()) return "no context";
  for (const ffi::ObjectRef &each : context.value()->reverse_visit_pattern) {
    text += (text.empty() ? "" : " ") + Brief(each);
  }
  return text;
}

void Visit(const Any &node, const ffi::ObjectRef &last) {
  TVM_FFI_VISIT_BEGIN();
  if (last.same_as(node.cast<ffi::ObjectRef>())) {
    TVM_FFI_VISIT_THROW(ValueError, last) << "found after " << 1 << " step";
  }
  if (const PairObj *pair = node.as<PairObj>()) {
    Visit(pair->first, last);
    Visit(pair->second, last);
  }
  TVM_FFI_VISIT_END(node);
}

ffi::Expected<int> VisitExpected(const Any &node) {
  TVM_FFI_VISIT_BEGIN();
  if (node.as<VarObj>() != nullptr) TVM_FFI_THROW(TypeError) << "a variable";
  return 1;
  TVM_FFI_VISIT_END_RETURN_EXPECTED(node);
}

TEST_F(VisitErrors, AnErrorNotesWhatItPasses) {
  const Var leaf("leaf");
  const Pair inner(Var("other"), leaf), root(inner, Var("more"));
  try {
    Visit(root, leaf);
    FAIL() << "nothing was thrown";
  } catch (const ffi::Error &error) {
    EXPECT_EQ(error.kind() + ": " + error.message(), "ValueError: found after 1 step");
    EXPECT_NE(error.backtrace().find("Visit"), std::string::npos);
    EXPECT_EQ(Through(error), "leaf leaf Pair Pair");
    const auto context = ffi::VisitErrorContext::TryGetFromError(error).value();
    const auto paths = ffi::VisitErrorContext::FindAccessPaths(root, context);
    ASSERT_EQ(paths.size(), 1U);
    EXPECT_EQ(ffi::ReprPrint(paths[0]), "<root>.first.second");
    EXPECT_EQ(ffi::VisitErrorContext::FindAccessPaths(inner, context).size(), 0U);
  }
}

TEST_F(VisitErrors, WhatIsReturnedNotesItAsWell) {
  EXPECT_EQ(VisitExpected(Pair(1, 2)).value(), 1);
  const auto failed = VisitExpected(Var("x"));
  ASSERT_TRUE(failed.is_err());
  EXPECT_EQ(failed.error().message(), "a variable");
  EXPECT_EQ(Through(failed.error()), "x");
}

TEST_F(VisitErrors, AContextOfAnotherKindIsKept) {
  const Var other("other"), x("x"), y("y");
  ffi::Error error("ValueError", "text", "", std::nullopt, std::optional<ffi::ObjectRef>(other));
  EXPECT_EQ(Through(error), "no context");
  ffi::detail::UpdateVisitErrorContext(error, x);
  ffi::detail::UpdateVisitErrorContext(error, AnyView(1));
  ffi::detail::UpdateVisitErrorContext(AnyView(Any(error)).CopyToTVMFFIAny(), y);
  EXPECT_EQ(Through(error), "x y");
  const auto context = ffi::VisitErrorContext::TryGetFromError(error).value();
  EXPECT_TRUE(context->prev_error_context.same_as(other));
  EXPECT_EQ(other.use_count(), 2);
  EXPECT_EQ(x.use_count(), 2);
  EXPECT_FALSE(ffi::detail::MakeVisitErrorContext(x)->prev_error_context.has_value());
}

/* Like the runtime's static MemoryError, which must not be changed. */
TEST_F(VisitErrors, AnErrorThatLivesForEverIsLeftAlone) {
  struct {
    TVMFFIObject header;
    TVMFFIErrorCell cell;
  } error = {};
  error.header.combined_ref_count = 1;
  error.header.type_index = kTVMFFIError;
  TVMFFIAny result = {};
  result.type_index = kTVMFFIError;
  result.v_obj = &error.header;
  ffi::detail::UpdateVisitErrorContext(result, Var("x"));
  EXPECT_EQ(error.cell.extra_context, nullptr);
}

TEST_F(VisitErrors, AContextIsNeverNull) {
  EXPECT_EQ(Caught([] { ffi::VisitErrorContext(ffi::ObjectPtr<ffi::VisitErrorContextObj>()); }),
            "InternalError: a VisitErrorContext is never null");
}

}  // namespace
