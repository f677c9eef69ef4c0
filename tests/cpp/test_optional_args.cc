/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose callers may leave out the last arguments. */
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <gtest/gtest.h>
#include <tvm/ffi/extra/optional_args.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Function;
using ffi::Optional;

namespace {

/** The digits show the arguments that arrived: 9 for None. */
int64_t Digits(int64_t a, Optional<int64_t> b, const Optional<ffi::String> &c) {
  return 100 * a + 10 * b.value_or(9) +
         (c.has_value() ? static_cast<int64_t>(c.value().size()) : 9);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_optional_digits, ffi::WithOptionalArgs(Digits));
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_optional_lambda,
                              ffi::WithOptionalArgs([](std::optional<int64_t> x) {
                                return x.value_or(-1);
                              }));

namespace {

constexpr const char *kSignature =
    "(0: int, 1: Optional<int>, 2: Optional<str>) -> int`. Expected ";

TEST(OptionalArgs, MayBeLeftOut) {
  const Function f = Function::FromTyped(ffi::WithOptionalArgs(Digits), "digits");
  EXPECT_EQ(f(1).cast<int64_t>(), 199);
  EXPECT_EQ(f(1, 2).cast<int64_t>(), 129);
  EXPECT_EQ(f(1, nullptr).cast<int64_t>(), 199);
  EXPECT_EQ(f(1, 2, "abc").cast<int64_t>(), 123);
  EXPECT_EQ(f(1, nullptr, "longer than small").cast<int64_t>(), 207);
  const std::string prefix = std::string("`digits") + kSignature;
  EXPECT_EQ(Caught([&] { f(); }), "TypeError: Mismatched number of arguments when calling: " +
                                      prefix + "1 to 3 but got 0 arguments");
  EXPECT_EQ(Caught([&] { f(1, 2, "abc", 4); }),
            "TypeError: Mismatched number of arguments when calling: " + prefix +
                "1 to 3 but got 4 arguments");
  EXPECT_EQ(Caught([&] { f("x"); }), "TypeError: Mismatched type on argument #0 when calling: " +
                                         prefix + "`int` but got `const char*`");
  EXPECT_EQ(Caught([&] { f(1, "x"); }), "TypeError: Mismatched type on argument #1 when calling: " +
                                            prefix + "`Optional<int>` but got `const char*`");
}

TEST(OptionalArgs, AreGivenWithoutTheConsent) {
  const Function f = Function::FromTyped(Digits, "digits");
  EXPECT_EQ(Caught([&] { f(1); }), std::string("TypeError: Mismatched number of arguments when ") +
                                       "calling: `digits" + kSignature + "3 but got 1 arguments");
}

TEST(OptionalArgs, OfExportedFunctions) {
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi_test_optional_digits, 1, 2).cast<int>(),
            129);
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi_test_optional_lambda).cast<int>(), -1);
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi_test_optional_lambda, 5).cast<int>(), 5);
  EXPECT_EQ(
      Caught([] { Function::InvokeExternC(nullptr, __tvm_ffi_test_optional_lambda, 5, 6); }),
      "TypeError: Mismatched number of arguments when calling: "
      "`test_optional_lambda(0: std::optional<int>) -> int`. Expected 0 to 1 but got 2 arguments");
}

TEST(OptionalArgs, AreInTheSchema) {
  const std::string schema =
      R"({"type_schema":"{\"type\":\"ffi.Function\",)"
      R"(\"named_args\":{\"return\":[{\"type\":\"int\"}],)"
      R"(\"params\":[{\"type\":\"int\"},{\"type\":\"Optional\",\"args\":[{\"type\":\"int\"}],)"
      R"(\"default\":null},{\"type\":\"Optional\",\"args\":[{\"type\":\"ffi.String\"}],)"
      R"(\"default\":null}]}}"})";
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi__metadata_test_optional_digits)
                .cast<std::string>(),
            schema);
  EXPECT_EQ(std::string(__tvm_ffi__schema_test_optional_digits.data), schema);
}

TEST(OptionalArgs, OfGlobalFunctions) {
  ffi::reflection::GlobalDef().def("test.optional_args", ffi::WithOptionalArgs(Digits));
  EXPECT_EQ(Function::GetGlobalRequired("test.optional_args")(3).cast<int>(), 399);
  Function::RemoveGlobal("test.optional_args");
}

class CounterObj : public ffi::Object {
 public:
  int64_t count = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.cpp.OptionalCounter", CounterObj, ffi::Object);
};

/** The object is the first parameter. */
TEST(OptionalArgs, OfMethods) {
  namespace refl = ffi::reflection;
  refl::ObjectDef<CounterObj>()
      .def("add", ffi::WithOptionalArgs([](CounterObj *self, Optional<int64_t> amount) {
             return self->count += amount.value_or(1);
           }))
      .def_static("digits", ffi::WithOptionalArgs(Digits));
  const ffi::ObjectRef counter(ffi::make_object<CounterObj>());
  const Function add = refl::GetMethod("test.cpp.OptionalCounter", "add");
  EXPECT_EQ(add(counter).cast<int64_t>(), 1);
  EXPECT_EQ(add(counter, 5).cast<int64_t>(), 6);
  EXPECT_EQ(Caught([&] { add(counter, 1, 2); }),
            "TypeError: Mismatched number of arguments when calling: "
            "`test.cpp.OptionalCounter.add(0: test.cpp.OptionalCounter, 1: Optional<int>) -> "
            "int`. Expected 1 to 2 but got 3 arguments");
  EXPECT_EQ(Caught([&] { add(); }).substr(0, 46), "TypeError: Mismatched number of arguments when");
  EXPECT_EQ(refl::GetMethod("test.cpp.OptionalCounter", "digits")(1, 2).cast<int64_t>(), 129);
}

TEST(OptionalArgs, OfWhatHoldsSomething) {
  int64_t calls = 0;
  const Function f = Function::FromTyped(
      ffi::WithOptionalArgs([&calls](Optional<Any> x) { calls += x.has_value() ? 10 : 1; }));
  f();
  f(1);
  EXPECT_EQ(calls, 11);
}

}  // namespace
