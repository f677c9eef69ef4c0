/* SPDX-License-Identifier: Apache-2.0 */
/* The bridges to the standard library: ownership, and errors during a conversion. Type names and
 * the accepted arguments are in tests/compat/names_stl.cc. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include "caught.h"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
using ffi::Any;
using ffi::AnyView;
using ffi::Array;
using ffi::Function;
using ffi::String;

namespace {

/** Counts its live objects. Its reference class, Token, has no default constructor. */
class TokenObj : public ffi::Object {
 public:
  static inline int num_alive = 0;
  TokenObj() { ++num_alive; }
  ~TokenObj() { --num_alive; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_stl.Token", TokenObj, ffi::Object);
};
class Token : public ffi::ObjectRef {
 public:
  static Token Make() { return Token(ffi::make_object<TokenObj>()); }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Token, ffi::ObjectRef, TokenObj);

 private:
  explicit Token(ffi::ObjectPtr<TokenObj> object) : ffi::ObjectRef(std::move(object)) {}
};

TEST(Stl, ArgumentsAreReleasedAfterTheCall) {
  const Token token = Token::Make();
  const Function count = Function::FromTyped([&](Any) { return token.use_count(); });
  const Function fail = Function::FromTyped([](Any) { TVM_FFI_THROW(ValueError) << "no"; });
  const std::vector<Token> tokens(3, token);
  const std::optional<std::vector<Token>> maybe(tokens);
  const std::variant<int, std::tuple<Token, Token>> choice(std::make_tuple(token, token));
  const ffi::Optional<std::vector<Token>> also(tokens);
  const int before = token.use_count();
  EXPECT_EQ(count(tokens).cast<int>(), before + 3);
  EXPECT_EQ(count(maybe).cast<int>(), before + 3);
  EXPECT_EQ(count(choice).cast<int>(), before + 2);
  EXPECT_EQ(count(also).cast<int>(), before + 3);
  EXPECT_EQ(token.use_count(), before);
  EXPECT_EQ(count.CallExpected<int>(tokens).value(), before + 3);
  EXPECT_EQ((ffi::TypedFunction<int(std::array<Token, 2>)>(count)({token, token})), before + 4);
  EXPECT_EQ(Caught([&] { fail(tokens); }), "ValueError: no");
  EXPECT_TRUE(fail.CallExpected(tokens).is_err());
  const int in_c = ffi::Function::InvokeExternC(
                       nullptr,
                       [](void *, const TVMFFIAny *args, int32_t, TVMFFIAny *result) {
                         result->type_index = kTVMFFIInt;
                         result->v_int64 = args[0].type_index * 1000 + args[1].type_index;
                         return 0;
                       },
                       tokens, 1.5)
                       .cast<int>();
  EXPECT_EQ(in_c, 1000 * kTVMFFIArray + kTVMFFIFloat);
  EXPECT_EQ(token.use_count(), before);
}

TEST(Stl, ACalleeMayKeepAnArgument) {
  Any kept;
  const Function keep = Function::FromTyped([&](Any value) { kept = std::move(value); });
  keep(std::vector<Token>(2, Token::Make()));
  EXPECT_EQ(kept.cast<Array<Any>>().size(), 2u);
  EXPECT_EQ(TokenObj::num_alive, 1);
  kept.reset();
  EXPECT_EQ(TokenObj::num_alive, 0);
}

TEST(Stl, ElementsAreMovedOutOfAnRvalue) {
  const Token token = Token::Make();
  std::vector<Token> tokens(2, token);
  Any copied = tokens;
  EXPECT_EQ(token.use_count(), 5);
  copied.reset();
  const Any moved = std::move(tokens);
  EXPECT_EQ(token.use_count(), 3);
  std::map<int, std::tuple<Token>> map{{1, {token}}};
  const Any of_map = std::move(map);
  EXPECT_EQ(token.use_count(), 4);
}

TEST(Stl, ElementsNeedNoDefaultConstructor) {
  const Any two = Array<Any>{Token::Make(), Token::Make()};
  EXPECT_FALSE((two.cast<std::array<Token, 2>>()[0].same_as(two.cast<Array<Token>>()[1])));
  EXPECT_TRUE(
      std::get<1>(two.cast<std::tuple<Token, Token>>()).same_as(two.cast<Array<Token>>()[1]));
  EXPECT_EQ(two.cast<std::vector<Token>>().size(), 2u);
  EXPECT_EQ((two.cast<std::variant<Token, std::vector<Token>>>().index()), 1u);
  EXPECT_EQ((Any(Array<Any>{}).cast<std::array<Token, 0>>().size()), 0u);
  EXPECT_EQ(Any(std::tuple<>()).cast<Array<Any>>().size(), 0u);
  EXPECT_EQ(Any(Array<Any>{}).cast<std::tuple<>>(), std::tuple<>());
}

TEST(Stl, BoolsAreElementsAsOthers) {
  const Any any = std::vector<bool>{true, false, true};
  EXPECT_EQ(any.cast<Array<bool>>()[1], false);
  EXPECT_EQ(any.cast<std::vector<bool>>(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(any.cast<std::vector<double>>(), (std::vector<double>{1, 0, 1}));
}

TEST(Stl, ViewsOfTensorsComeOutOfAnArray) {
  struct Alloc {
    void AllocData(DLTensor *tensor) { tensor->data = new char[16]; }
    void FreeData(DLTensor *tensor) { delete[] static_cast<char *>(tensor->data); }
  };
  const DLDevice cpu = {kDLCPU, 0};
  const auto x = ffi::Tensor::FromNDAlloc(Alloc(), {3}, DLDataType{kDLInt, 8, 1}, cpu);
  const Function sizes = Function::FromTyped([](const std::vector<ffi::TensorView> &views,
                                                std::optional<ffi::TensorView> last,
                                                std::variant<int64_t, ffi::TensorView> other) {
    return views[0].numel() * 100 + last.value().numel() * 10 + std::get<1>(other).numel();
  });
  EXPECT_EQ(sizes(Array<ffi::Tensor>{x}, x, x).cast<int>(), 333);
}

TEST(Stl, WhatAConversionRaisesGoesOn) {
  const Any names = Array<Any>{String("float32"), String("no such type")};
  const std::string error = Caught([&] { names.cast<std::vector<DLDataType>>(); });
  EXPECT_EQ(error.substr(0, 11), "ValueError:");
  EXPECT_EQ(Caught([&] { names.try_cast<std::vector<DLDataType>>(); }), error);
  EXPECT_EQ(Caught([&] { names.cast<std::optional<std::array<DLDataType, 2>>>(); }), error);
  EXPECT_EQ(Caught([&] { names.cast<std::tuple<DLDataType, DLDataType>>(); }), error);
  EXPECT_EQ(Caught([&] { names.cast<std::variant<int, std::vector<DLDataType>>>(); }), error);
  const Function f = Function::FromTyped([](const std::vector<DLDataType> &) {});
  EXPECT_EQ(Caught([&] { f(names); }), error);
}

TEST(Stl, AnOptionalSaysWhatItGotAsItsValue) {
  const Any mixed = Array<Any>{1, String("x")};
  EXPECT_EQ(Caught([&] { mixed.cast<std::optional<Array<int64_t>>>(); }),
            "TypeError: Cannot convert from type `Array[index 1: ffi.SmallStr]` to "
            "`std::optional<Array<int>>`");
}

TEST(Stl, AttributesOfTypesHoldCopies) {
  refl::TypeAttrDef<TokenObj>()
      .attr("test_stl.sizes", std::vector<int64_t>{1, 2})
      .def("test_stl.add", std::function<int64_t(int64_t)>([](int64_t x) { return x + 1; }));
  const int32_t index = TokenObj::RuntimeTypeIndex();
  EXPECT_EQ(refl::TypeAttrColumn("test_stl.sizes")[index].cast<Array<int64_t>>().size(), 2u);
  EXPECT_EQ(refl::TypeAttrColumn("test_stl.add")[index].cast<Function>()(2).cast<int64_t>(), 3);
}

TEST(Stl, HooksTakeCopies) {
  const ffi::TypedFunction<int64_t(const std::vector<Token> &)> typed(
      Function::FromTyped([](const Array<Any> &tokens) { return tokens.size(); }));
  const refl::NativeFunctionView<int64_t(const std::vector<Token> &)> hook = typed;
  const Token token = Token::Make();
  EXPECT_EQ(hook({token, token}), 2);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Stl, WhatIsKeptComesBackAsItWas) {
  using Choice = std::variant<double, bool, String>;
  Array<Choice> kept{Choice(true), Choice(1.5), Choice(String("a text that is longer"))};
  EXPECT_EQ(kept[0].index(), 1u);
  EXPECT_EQ(std::get<2>(kept[2]), "a text that is longer");
  Any truth(Choice(true));
  EXPECT_EQ(truth.cast<Choice>().index(), 0u);  // the first alternative that accepts it
  EXPECT_EQ(std::move(truth).cast<Choice>().index(), 1u);
  const Token token = Token::Make();
  Any owner = std::optional<Token>(token);
  EXPECT_TRUE(std::move(owner).cast<std::optional<Token>>()->same_as(token));
  EXPECT_TRUE(owner == nullptr);
  Any chosen = std::variant<int, Token>(token);
  EXPECT_TRUE((std::get<1>(std::move(chosen).cast<std::variant<int, Token>>()).same_as(token)));
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_FALSE(Any(nullptr).cast<std::optional<Token>>().has_value());
}

TEST(Stl, AFunctionIsKeptAliveAndMayBeNone) {
  std::function<int(int)> f;
  {
    const Token token = Token::Make();
    f = Any(Function::FromTyped([token](int x) {
          return x + token.use_count();
        })).cast<std::function<int(int)>>();
  }
  EXPECT_EQ(f(10), 11);
  std::function<int(int)> copy = f;
  f = nullptr;
  EXPECT_EQ(TokenObj::num_alive, 1);
  EXPECT_EQ(copy(10), 11);
  copy = nullptr;
  EXPECT_EQ(TokenObj::num_alive, 0);
  EXPECT_FALSE(static_cast<bool>(Any(nullptr).cast<std::function<void()>>()));
}

TEST(Stl, WhatAFunctionThrowsBecomesAnError) {
  const auto raised = [](const std::function<void(std::vector<int>)> &f) {
    const Function packed = Any(f).cast<Function>();
    return Caught([&] { packed(Array<int>{1}); });
  };
  EXPECT_EQ(raised([](std::vector<int>) { throw std::runtime_error("why"); }),
            "InternalError: why");
  EXPECT_EQ(raised([](std::vector<int>) { throw 1; }),
            "InternalError: an exception that is no std::exception");
  EXPECT_EQ(raised([](const std::vector<int> &x) { TVM_FFI_THROW(KeyError) << x.size(); }),
            "KeyError: 1");
  EXPECT_EQ(raised(nullptr), "InternalError: bad_function_call");
  const auto length = Any(Function::FromTyped([](const std::string &text) -> int {
                        TVM_FFI_CHECK(!text.empty(), ValueError) << "empty";
                        return static_cast<int>(text.size());
                      })).cast<std::function<int(const std::string &)>>();
  EXPECT_EQ(length("four"), 4);
  EXPECT_EQ(Caught([&] { length(""); }),
            "ValueError: Check failed: (!text.empty()) is false: empty");
}

ffi::List<Any> *shrinking = nullptr;
struct Shrinks {};

}  // namespace

/* A conversion that changes the list whose elements are being converted. */
template <>
struct tvm::ffi::TypeTraits<Shrinks> : ffi::FallbackOnlyTraitsBase<Shrinks, int64_t> {
  static std::string TypeStr() { return "Shrinks"; }
  static Shrinks ConvertFallbackValue(int64_t) {
    shrinking->pop_back();
    return {};
  }
};

namespace {

TEST(Stl, AListMayChangeWhileItIsRead) {
  if (!Function::GetGlobal("ffi.ListAppend")) GTEST_SKIP() << "this build has no ffi.List";
  ffi::List<Any> list{1, 2, 3, 4, 5};
  shrinking = &list;
  const Function count =
      Function::FromTyped([](const std::vector<Shrinks> &x) { return x.size(); });
  EXPECT_EQ(count(list).cast<int>(), 3);
  EXPECT_EQ(list.size(), 2u);
}

TEST(Stl, MapsKeepTheOrderOfTheirOwn) {
  if (!Function::GetGlobal("ffi.Map")) GTEST_SKIP() << "this build has no ffi.Map";
  std::map<int, String> numbers;
  for (int i = 999; i >= 0; --i) numbers[i] = String(std::to_string(i));
  const Any any = numbers;
  int expected = 0;
  for (const auto &[key, value] : any.cast<ffi::Map<int, String>>()) {
    EXPECT_EQ(key, expected++);
    EXPECT_EQ(value, std::to_string(key));
  }
  EXPECT_EQ((any.cast<std::map<int, String>>()), numbers);
  EXPECT_EQ((any.cast<std::unordered_map<int64_t, std::string>>()[77]), "77");
  const Any empty = std::unordered_map<String, int>();
  EXPECT_TRUE((empty.cast<ffi::Map<Any, Any>>().empty()));
}

void Schema(std::vector<std::optional<int>>, std::array<float, 12>, std::function<void(int)>) {}
/* The schema of an export is constant data, even if it names classes of the standard library. */
constexpr auto kSchema = ffi::detail::MetadataOf(Schema);
static_assert(sizeof(kSchema.data) > 100, "it is known at compile time");

}  // namespace
