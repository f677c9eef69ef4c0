/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: making, calling and registering them; the errors of wrong arguments. */
#include <gtest/gtest.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Function;
using ffi::String;
using ffi::TypedFunction;

namespace {

/* A type with traits of its own. */
struct Meters {
  double value;
};

int64_t Add(int64_t a, int64_t b) noexcept {
  return a + b;
}

}  // namespace

template <>
struct tvm::ffi::TypeTraits<Meters> : tvm::ffi::TypeTraitsBase {
  static void CopyToAnyView(const Meters &value, TVMFFIAny *out) {
    TypeTraits<double>::CopyToAnyView(value.value, out);
  }
  static void MoveToAny(Meters value, TVMFFIAny *out) { CopyToAnyView(value, out); }
  static bool CheckAnyStrict(const TVMFFIAny *source) {
    return TypeTraits<double>::CheckAnyStrict(source);
  }
  static Meters CopyFromAnyViewAfterCheck(const TVMFFIAny *source) {
    return Meters{source->v_float64};
  }
  static Meters MoveFromAnyAfterCheck(TVMFFIAny *source) { return Meters{source->v_float64}; }
  static std::optional<Meters> TryCastFromAnyView(const TVMFFIAny *source) {
    const auto value = TypeTraits<double>::TryCastFromAnyView(source);
    return value ? std::optional<Meters>(Meters{*value}) : std::nullopt;
  }
  static std::string TypeStr() { return "Meters"; }
  static std::string TypeSchema() { return R"({"type":"Meters"})"; }
};

namespace {

TEST(Function, OfAllKindsOfCallables) {
  EXPECT_EQ(Function::FromTyped(Add)(1, 2).cast<int>(), 3);
  EXPECT_EQ(Function::FromTyped(&Add)(1, 2).cast<int>(), 3);
  int64_t calls = 0;
  const Function counting = Function::FromTyped([calls]() mutable { return ++calls; });
  counting();
  EXPECT_EQ(counting().cast<int>(), 2);
  auto owned = std::make_unique<int>(5);
  const Function moved = Function::FromTyped([owned = std::move(owned)]() { return *owned; });
  EXPECT_EQ(moved().cast<int>(), 5);
  const Function packed = Function::FromPacked(
      [](ffi::PackedArgs args, Any *result) { *result = args.size() + args[0].cast<int>(); });
  EXPECT_EQ(packed(10, "x").cast<int>(), 12);
  const Function raw(
      [](const ffi::AnyView *args, int32_t n, Any *result) { *result = args[n - 1]; });
  EXPECT_EQ(raw(1, String("last one here")).cast<String>(), "last one here");
  EXPECT_EQ(counting.get()->cpp_call, nullptr);
}

TEST(Function, ArgumentsOfEachForm) {
  const Function f =
      Function::FromTyped([](const int a, const String &b, std::string c, Any d, ffi::AnyView e,
                             Function g, ffi::Optional<double> h, void *i, Meters j) {
        return a + static_cast<int>(b.size() + c.size()) + d.cast<int>() + e.cast<int>() +
               (g != nullptr ? 1 : 0) + static_cast<int>(h.value_or(0)) + (i == nullptr ? 0 : 100) +
               static_cast<int>(j.value);
      });
  EXPECT_EQ(f(1, "ab", "cd", 3, 4, nullptr, nullptr, nullptr, 5).cast<int>(), 17);
}

TEST(Function, TakesValueOrError) {
  Function f = Function::FromTyped(
      [](const ffi::Expected<int64_t> &x) { return x.is_ok() ? x.value() : int64_t{-1}; });
  EXPECT_EQ(f(4).cast<int64_t>(), 4);
  EXPECT_EQ(f(ffi::Error("ValueError", "none", "")).cast<int64_t>(), -1);
  EXPECT_NE(Caught([&] { f("four"); }).find("Expected `Expected<int>` but got `const char*`"),
            std::string::npos);
}

TEST(Function, IsCopiedNotWrapped) {
  Function f = Function::FromTyped(Add);
  Function copy(f);
  EXPECT_TRUE(copy.same_as(f));
}

TEST(Function, SaysWhatIsWrong) {
  const Function f = Function::FromTyped([](int64_t, ffi::Optional<String>, Meters) {}, "name");
  EXPECT_EQ(Caught([&] { f(1); }),
            "TypeError: Mismatched number of arguments when calling: `name(0: int, 1: "
            "Optional<str>, 2: Meters) -> void`. Expected 3 but got 1 arguments");
  EXPECT_EQ(Caught([&] { f(1, 2, 3); }),
            "TypeError: Mismatched type on argument #1 when calling: `name(0: int, 1: "
            "Optional<str>, 2: Meters) -> void`. Expected `Optional<str>` but got `int`");
  EXPECT_EQ(Caught([&] { f(1, nullptr, "x"); }),
            "TypeError: Mismatched type on argument #2 when calling: `name(0: int, 1: "
            "Optional<str>, 2: Meters) -> void`. Expected `Meters` but got `const char*`");
  const Function dtype = Function::FromTyped([](DLDataType) {});
  EXPECT_EQ(Caught([&] { dtype("nonsense"); }).substr(0, 11), "ValueError:");
}

struct Made {
  int operator()(int x) const { return x; }
};
Made MakeIfAllowed(bool allowed) {
  if (!allowed) throw std::runtime_error("not made");
  return Made();
}
bool is_allowed = false;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_function_made, MakeIfAllowed(is_allowed));

TEST(Function, IsMadeWhereExceptionsAreCaught) {
  is_allowed = false;
  EXPECT_EQ(Caught([] { Function::InvokeExternC(nullptr, __tvm_ffi_test_function_made, 1); }),
            "InternalError: not made");
  is_allowed = true;
  EXPECT_EQ(Function::InvokeExternC(nullptr, __tvm_ffi_test_function_made, 1).cast<int>(), 1);
}

TEST(Function, OfNoName) {
  const Function f = Function::FromTyped([](int x) { return x; }, std::string_view());
  EXPECT_EQ(f(1).cast<int>(), 1);
  EXPECT_NE(Caught([&] { f(); }).find("`(0: int) -> int`"), std::string::npos);
}

TEST(Function, ThatIsNullSaysSo) {
  const Function none;
  Any result = 1;
  EXPECT_EQ(Caught([&] { none(1); }), "RuntimeError: a null Function was called");
  EXPECT_EQ(Caught([&] { none.CallPacked(nullptr, 0, &result); }),
            "RuntimeError: a null Function was called");
  EXPECT_EQ(Caught([&] { TypedFunction<int(int)>()(1); }),
            "RuntimeError: a null Function was called");
  EXPECT_EQ(none.CallExpected<int>(1).error().kind(), "RuntimeError");
}

TEST(Function, Globals) {
  Function::SetGlobal("test.cpp.add", Function::FromTyped(Add));
  EXPECT_EQ((*Function::GetGlobal("test.cpp.add"))(2, 3).cast<int>(), 5);
  EXPECT_FALSE(Function::GetGlobal(std::string("test.cpp.none")).has_value());
  EXPECT_EQ(Caught([] { Function::GetGlobalRequired(String("test.cpp.none")); }),
            "ValueError: Function test.cpp.none not found");
  EXPECT_EQ(
      Caught([] { Function::SetGlobal("test.cpp.add", Function::FromTyped(Add)); }).substr(0, 13),
      "RuntimeError:");
  Function::SetGlobal("test.cpp.add", Function::FromTyped([] { return 1; }), true);
  EXPECT_EQ(Function::GetGlobalRequired("test.cpp.add")().cast<int>(), 1);
  const auto names = Function::ListGlobalNames();
  EXPECT_NE(std::find(names.begin(), names.end(), "test.cpp.add"), names.end());
  Function::RemoveGlobal("test.cpp.add");
  EXPECT_FALSE(Function::GetGlobal("test.cpp.add").has_value());
}

TEST(GlobalDef, RegistersWithMetadata) {
  namespace refl = ffi::reflection;
  refl::GlobalDef()
      .def(
          "test.cpp.def", [](int64_t a, const String &) { return a; }, "A doc.")
      .def_packed("test.cpp.packed", [](ffi::PackedArgs args, Any *result) { *result = args[0]; });
  EXPECT_EQ(Function::GetGlobalRequired("test.cpp.def")(3, "x").cast<int>(), 3);
  EXPECT_EQ(Function::GetGlobalRequired("test.cpp.packed")(4).cast<int>(), 4);
  EXPECT_EQ(
      Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("test.cpp.def").cast<std::string>(),
      R"({"type_schema":"{\"type\":\"ffi.Function\",)"
      R"(\"named_args\":{\"return\":[{\"type\":\"int\"}],)"
      R"(\"params\":[{\"type\":\"int\"},{\"type\":\"ffi.String\"}]}}"})");
  EXPECT_EQ(Caught([] { Function::GetGlobalRequired("test.cpp.def")("x", "y"); }),
            "TypeError: Mismatched type on argument #0 when calling: `test.cpp.def(0: int, 1: str) "
            "-> int`. Expected `int` but got `const char*`");
}

TEST(TypedFunction, BothWays) {
  const TypedFunction<int(int, int)> add = [](int a, int b) { return a + b; };
  EXPECT_EQ(add(1, 2), 3);
  const Function packed = add;
  EXPECT_EQ(packed(3, 4).cast<int>(), 7);
  const TypedFunction<String(int)> from_packed =
      Function::FromTyped([](int64_t x) { return String(std::to_string(x)); });
  EXPECT_EQ(from_packed(12), "12");
  EXPECT_TRUE((TypedFunction<void()>() == nullptr));
  const Function apply =
      Function::FromTyped([](const TypedFunction<int(int, int)> &f, int x) { return f(x, x); });
  EXPECT_EQ(apply(add, 4).cast<int>(), 8);
  EXPECT_EQ(Caught([&] { apply(1, 4); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: (0: int, 1: int) -> int, "
            "1: int) -> int`. Expected `(0: int, 1: int) -> int` but got `int`");
  EXPECT_EQ((TypedFunction<void(double)>::TypeSchema()),
            R"({"type":"ffi.Function","named_args":{"return":[{"type":"None"}],)"
            R"("params":[{"type":"float"}]}})");
}

TEST(TypedFunction, DropsTheResultOfACallable) {
  struct Counter {
    int *calls;
    [[nodiscard]] String operator()(int step) const {
      *calls += step;
      return "dropped";
    }
  };
  int calls = 0;
  const TypedFunction<void(int)> count = Counter{&calls};
  const Function named = TypedFunction<void(int)>(Counter{&calls}, "test.cpp.count");
  count(3);
  EXPECT_EQ(named(4).type_index(), kTVMFFINone);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(Caught([&] { named("x"); }),
            "TypeError: Mismatched type on argument #0 when calling: `test.cpp.count(0: int) -> "
            "void`. Expected `int` but got `const char*`");
  static_assert(!std::is_constructible_v<TypedFunction<int(int)>, void (*)(int)>);
}

TEST(RValueRef, MovesTheObject) {
  const Function use_count =
      Function::FromTyped([](ffi::RValueRef<ffi::Shape> x) { return (*std::move(x)).use_count(); });
  ffi::Shape shape({1, 2});
  EXPECT_EQ(use_count(shape).cast<int>(), 2);
  EXPECT_EQ(use_count(ffi::RValueRef(std::move(shape))).cast<int>(), 1);
  EXPECT_FALSE(shape.defined());
  EXPECT_EQ(Caught([&] { use_count(ffi::RValueRef(ffi::Function::FromTyped(Add))); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: RValueRef<ffi.Shape>) -> "
            "int`. Expected `RValueRef<ffi.Shape>` but got `RValueRef<ffi.Function>`");
}

int ran = 0;
TVM_FFI_STATIC_INIT_BLOCK() {
  ran += 1;
}
TVM_FFI_STATIC_INIT_BLOCK() {
  ran += 10;
}

TEST(StaticInitBlock, RunsEachOnce) {
  EXPECT_EQ(ran, 11);
}

}  // namespace
