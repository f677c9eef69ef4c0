// SPDX-License-Identifier: Apache-2.0
// The library with C++ functions, called the way binaries built with the reference's headers call
// it: results of class type, errors as exceptions, and ownership.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include <string>
#include <typeinfo>
#include <vector>

#include "functions.h"
#include "ours.h"

namespace {

using tvm::ffi::Any;
using tvm::ffi::Array;
using tvm::ffi::Error;
using tvm::ffi::Function;
using tvm::ffi::Module;
using tvm::ffi::ModuleObj;
using tvm::ffi::ObjectRef;
using tvm::ffi::Optional;
using tvm::ffi::String;

// ---- Values and calls ----

Any None() {
  return Any(TVMFFIAny());
}

Any Int(std::int64_t value) {
  TVMFFIAny any = TVMFFIAny();
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return Any(any);
}

Any Text(const char *text) {
  TVMFFIByteArray bytes = {text, std::strlen(text)};
  TVMFFIAny any;
  if (TVMFFIStringFromByteArray(&bytes, &any) != 0) std::terminate();
  return Any(any);
}

// A value that holds another reference to the object.
Any Object(TVMFFIObject *obj) {
  TVMFFIAny any = TVMFFIAny();
  TVMFFIObjectIncRef(obj);
  any.type_index = obj->type_index;
  any.v_obj = obj;
  return Any(any);
}

Any Object(const ObjectRef &ref) {
  return Object(ref.get());
}

// Throws the error that a C function raised.
void Check(int code) {
  TVMFFIObjectHandle error = nullptr;
  if (code == 0) return;
  TVMFFIErrorMoveFromRaised(&error);
  throw Error(static_cast<TVMFFIObject *>(error));
}

Function FindGlobal(const char *name) {
  TVMFFIByteArray bytes = {name, std::strlen(name)};
  TVMFFIObjectHandle function = nullptr;
  Check(TVMFFIFunctionGetGlobal(&bytes, &function));
  return Function(static_cast<TVMFFIObject *>(function));
}

Any Call(const char *name, const std::vector<Any> &args) {
  TVMFFIAny result = TVMFFIAny();
  std::vector<TVMFFIAny> views;
  for (const Any &arg : args) views.push_back(arg.any());
  Check(TVMFFIFunctionCall(FindGlobal(name).get(), views.data(), static_cast<int>(views.size()),
                           &result));
  return Any(result);
}

Any MakeArray(const std::vector<Any> &items) {
  return Call("ffi.Array", items);
}

Any Parse(const char *text) {
  return tvm::ffi::json::Parse(String(text), nullptr);
}

std::string Repr(const Any &value) {
  return tvm::ffi::ReprPrint(value).str();
}

std::uint32_t UseCount(const ObjectRef &ref) {
  return static_cast<std::uint32_t>(ref.get()->combined_ref_count);
}

std::uint32_t UseCount(const Any &value) {
  return static_cast<std::uint32_t>(value.any().v_obj->combined_ref_count);
}

// Kind and message of the Error that an action throws.
template <typename Action>
std::string Thrown(Action action) {
  try {
    action();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "nothing";
}

// Checks that no test leaks an object. Built-in functions are looked up before, since the first
// lookup creates their objects.
class CxxFunctions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const char *name :
         {"ffi.Array", "ffi.Module.load_from_file.so", "ffi.RecursiveHash", "ffi.Shape",
          "ffi.StructuralHash", "ffi.StructuralWalk", "ffi.VisitInterrupt", "ffi.json.Parse"}) {
      FindGlobal(name);
    }
  }

  void SetUp() override { ASSERT_EQ(TVMFFIRuntimeSetLiveObjectCounting(1), 0); }
  void TearDown() override { EXPECT_EQ(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIAny), 0); }
};

// ---- Functions on values ----

TEST_F(CxxFunctions, DeepCopyIsAnotherObject) {
  Any array = MakeArray({Int(1), MakeArray({Int(2)})});
  Any copy = tvm::ffi::DeepCopy(array);
  EXPECT_NE(copy.any().v_obj, array.any().v_obj);
  EXPECT_EQ(UseCount(copy), 1u);
  EXPECT_EQ(Repr(copy), "(1, (2,))");
  EXPECT_EQ(tvm::ffi::DeepCopy(Int(3)).any().v_int64, 3);
}

TEST_F(CxxFunctions, ReprOfShortAndLongText) {
  EXPECT_EQ(Repr(None()), "None");
  EXPECT_EQ(Repr(Int(-5)), "-5");
  EXPECT_EQ(Repr(MakeArray({Text("a long text to print")})), "(\"a long text to print\",)");
}

TEST_F(CxxFunctions, ComparisonsAgreeWithTheirOrder) {
  Any less = MakeArray({Int(1), Int(2)}), more = MakeArray({Int(1), Int(3)});
  EXPECT_TRUE(tvm::ffi::RecursiveEq(less, tvm::ffi::DeepCopy(less)));
  EXPECT_FALSE(tvm::ffi::RecursiveEq(less, more));
  EXPECT_TRUE(tvm::ffi::RecursiveLt(less, more));
  EXPECT_FALSE(tvm::ffi::RecursiveLt(less, less));
  EXPECT_TRUE(tvm::ffi::RecursiveLe(less, less));
  EXPECT_FALSE(tvm::ffi::RecursiveLe(more, less));
  EXPECT_TRUE(tvm::ffi::RecursiveGt(more, less));
  EXPECT_FALSE(tvm::ffi::RecursiveGt(less, less));
  EXPECT_TRUE(tvm::ffi::RecursiveGe(less, less));
  EXPECT_FALSE(tvm::ffi::RecursiveGe(less, more));
  EXPECT_EQ(Thrown([&] { tvm::ffi::RecursiveLt(less, Int(1)); }).substr(0, 10), "TypeError:");
}

TEST_F(CxxFunctions, HashesAreThoseOfTheGlobalFunctions) {
  Any value = MakeArray({Int(1), MakeArray({Int(2)})}),
      no = Call("ffi.json.Parse", {Text("false")});
  EXPECT_EQ(tvm::ffi::RecursiveHash(value), Call("ffi.RecursiveHash", {value}).any().v_int64);
  EXPECT_EQ(tvm::ffi::StructuralHash::Hash(value, false, false),
            Call("ffi.StructuralHash", {value, no, no}).any().v_uint64);
}

// ---- JSON ----

TEST_F(CxxFunctions, JsonIsParsedAndWritten) {
  Any value = Parse("[1, {\"a\": null}, 2.5]");
  EXPECT_EQ(value.any().type_index, kTVMFFIArray);
  EXPECT_EQ(UseCount(value), 1u);
  EXPECT_EQ(tvm::ffi::json::Stringify(value, Optional<int>()).str(), "[1,{\"a\":null},2.5]");
  EXPECT_EQ(tvm::ffi::json::Stringify(Parse("[1]"), Optional<int>(Int(2).any())).str(),
            "[\n  1\n]");
}

TEST_F(CxxFunctions, JsonIsWrittenForOldClients) {
  using tvm::ffi::json::OldOptional;
  using tvm::ffi::json::StringifyByValue;
  Any value = Parse("[1]");
  EXPECT_EQ(StringifyByValue(value, OldOptional{2, true}).str(), "[\n  1\n]");
  EXPECT_EQ(StringifyByValue(value, OldOptional{2, false}).str(), "[1]");
}

TEST_F(CxxFunctions, JsonErrorsAreThrownOrGivenAsText) {
  EXPECT_EQ(Thrown([] { Parse("[1 2]"); }),
            "ValueError: Expecting ',' delimiter: line 1 column 4 (char 3)");
  String error("what was here before, of some length");
  Any value = tvm::ffi::json::Parse(String("[1 2]"), &error);
  EXPECT_EQ(value.any().type_index, kTVMFFINone);
  EXPECT_EQ(error.str(), "Expecting ',' delimiter: line 1 column 4 (char 3)");
  EXPECT_EQ(tvm::ffi::json::Parse(String("[1]"), &error).any().type_index, kTVMFFIArray);
  EXPECT_EQ(error.str(), "");
  EXPECT_EQ(Thrown([] { tvm::ffi::json::Stringify(Call("ffi.Shape", {}), Optional<int>()); }),
            "ValueError: Unsupported type: `ffi.Shape`");
}

TEST_F(CxxFunctions, GraphsComeBack) {
  Any value = MakeArray({Int(1), MakeArray({Int(2)})});
  Any graph = tvm::ffi::ToJSONGraph(value, Text("about it"));
  EXPECT_EQ(graph.any().type_index, kTVMFFIMap);
  EXPECT_NE(Repr(graph).find("\"metadata\": \"about it\""), std::string::npos) << Repr(graph);
  Any back = tvm::ffi::FromJSONGraph(graph);
  EXPECT_EQ(UseCount(back), 1u);
  EXPECT_TRUE(tvm::ffi::RecursiveEq(value, back));
  EXPECT_NE(Thrown([] { tvm::ffi::FromJSONGraph(Int(1)); }), "nothing");
}

// ---- Structure ----

TEST_F(CxxFunctions, TheFirstMismatchIsAPairOfPaths) {
  Any a = MakeArray({Int(1), Int(2)}), b = MakeArray({Int(1), Int(3)});
  EXPECT_TRUE(tvm::ffi::StructuralEqual::Equal(a, tvm::ffi::DeepCopy(a), false, false));
  EXPECT_FALSE(tvm::ffi::StructuralEqual::Equal(a, b, true, true));
  EXPECT_EQ(tvm::ffi::StructuralEqual::GetFirstMismatch(a, a, false, false).get(), nullptr);
  ObjectRef mismatch = tvm::ffi::StructuralEqual::GetFirstMismatch(a, b, false, false);
  EXPECT_EQ(UseCount(mismatch), 1u);
  EXPECT_EQ(Repr(Object(mismatch)), "(<root>[1], <root>[1])");
}

int FailWithKeyError(void *, const TVMFFIAny *, std::int32_t, TVMFFIAny *) {
  TVMFFIErrorSetRaisedFromCStr("KeyError", "found it");
  return -1;
}

TEST_F(CxxFunctions, ErrorsOfVisitsTellTheirPath) {
  TVMFFIObjectHandle function = nullptr;
  ASSERT_EQ(TVMFFIFunctionCreate(nullptr, FailWithKeyError, nullptr, &function), 0);
  Function fail(static_cast<TVMFFIObject *>(function));
  Any root = Call("ffi.VisitInterrupt", {Call("ffi.VisitInterrupt", {Int(5)})});
  Any callbacks = MakeArray({MakeArray({Int(kTVMFFIInt), Object(fail)})});
  try {
    Call("ffi.StructuralWalk", {root, callbacks, MakeArray({}), Int(0)});
    FAIL() << "the callback did not fail";
  } catch (const Error &error) {
    TVMFFIObject *extra =
        static_cast<TVMFFIObject *>(TVMFFIErrorGetCellPtr(error.get())->extra_context);
    ASSERT_NE(extra, nullptr);
    TVMFFIObjectIncRef(extra);
    tvm::ffi::VisitErrorContext context(extra);
    TVMFFIObjectIncRef(root.any().v_obj);
    ObjectRef object(root.any().v_obj);
    Array paths = tvm::ffi::VisitErrorContext::FindAccessPaths(object, context, false);
    EXPECT_EQ(Repr(Object(paths)), "(<root>.value,)");
    EXPECT_EQ(tvm::ffi::VisitErrorContext::FindAccessPaths(ObjectRef(), context, true).size(), 0);
  }
}

// ---- Modules ----

TEST_F(CxxFunctions, ModulesAreLoadedFromFiles) {
  EXPECT_EQ(Thrown([] { Module::LoadFromFile("./nothing_such.so"); }).substr(0, 14),
            "InternalError:");
  Module module = Module::LoadFromFile(KERNELS);
  EXPECT_EQ(UseCount(module), 1u);
  EXPECT_EQ(module.get()->type_index, kTVMFFIModule);
}

ModuleObj *AsModule(TVMFFIObject *obj) {
  return static_cast<ModuleObj *>(reinterpret_cast<tvm::ffi::Object *>(obj));
}

TEST_F(CxxFunctions, LookUpsGoToImportsOnRequest) {
  TVMFFIObjectHandle made = nullptr;
  ASSERT_EQ(TVMFFIRuntimeModuleCreate(&ours_vtable, nullptr, &made), 0);
  Module ours(static_cast<TVMFFIObject *>(made)), client(client::Make(client::kGive));
  ModuleObj *module = AsModule(client.get());
  module->ImportModule(ours);

  EXPECT_FALSE(module->GetFunction("f", false).has_value());
  EXPECT_TRUE(module->GetFunction("f", true).has_value());
  EXPECT_TRUE(module->GetFunction("a function of some length", false).has_value());
  EXPECT_FALSE(module->GetFunction("nothing such", true).has_value());
  EXPECT_TRUE(module->ImplementsFunction("f", false));
  EXPECT_FALSE(module->ImplementsFunction("g", true));
  EXPECT_EQ(module->GetFunctionDoc("f", true).str(), "doc of f");
  EXPECT_EQ(module->GetFunctionMetadata("f", false).str(), "f");
  EXPECT_EQ(Thrown([&] { module->GetFunction("!", true); }), "KeyError: refused");

  EXPECT_TRUE(AsModule(ours.get())->GetFunction("f", false).has_value());
  EXPECT_FALSE(AsModule(ours.get())->GetFunction("g", true).has_value());
  module->ClearImports();
  EXPECT_FALSE(module->GetFunction("f", true).has_value());
}

// An error thrown by C++ code passes through the runtime to C++ code unchanged.
TEST_F(CxxFunctions, ErrorsPassThroughTheRuntime) {
  Module thrower(client::Make(client::kThrowError)), standard(client::Make(client::kThrowStandard));
  EXPECT_EQ(Thrown([&] { AsModule(thrower.get())->GetFunction("f", true); }), "KeyError: thrown");
  EXPECT_EQ(Thrown([&] { AsModule(standard.get())->GetFunction("f", true); }),
            "InternalError: a standard exception");
}

struct Symbols {
  std::string names;
  bool fails;
};

int AddSymbol(void *self, const TVMFFIAny *args, std::int32_t num_args, TVMFFIAny *) {
  Symbols *symbols = static_cast<Symbols *>(self);
  if (symbols->fails) return FailWithKeyError(nullptr, nullptr, 0, nullptr);
  if (num_args != 2 || args[0].type_index != kTVMFFIRawStr || args[1].v_ptr != symbols) return -1;
  symbols->names += args[0].v_c_str;
  symbols->names += ' ';
  return 0;
}

TEST_F(CxxFunctions, ContextSymbolsAreVisitedInOrder) {
  Symbols symbols = {"", false};
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("__first", &symbols), 0);
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("__second", &symbols), 0);
  TVMFFIObjectHandle function = nullptr;
  ASSERT_EQ(TVMFFIFunctionCreate(&symbols, AddSymbol, nullptr, &function), 0);
  tvm::ffi::TypedFunction<void(String, void *)> visitor(static_cast<TVMFFIObject *>(function));
  Module::VisitContextSymbols(visitor);
  EXPECT_EQ(symbols.names, "__first __second ");
  symbols.fails = true;
  EXPECT_EQ(Thrown([&] { Module::VisitContextSymbols(visitor); }), "KeyError: found it");
}

// ---- Exceptions ----

TEST_F(CxxFunctions, ErrorsAreStandardExceptions) {
  try {
    Parse("?");
    FAIL() << "it was parsed";
  } catch (const std::exception &error) {
    EXPECT_STREQ(error.what(), "Expecting value: line 1 column 1 (char 0)");
    EXPECT_EQ(typeid(error), typeid(Error));
  }
}

TEST_F(CxxFunctions, TheLibraryHasTypeInfoOfError) {
  void *runtime = dlopen("libtvm_ffi.so", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(runtime, nullptr);
  auto *info = static_cast<const std::type_info *>(dlsym(runtime, "_ZTIN3tvm3ffi5ErrorE"));
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(*info, typeid(Error));
  EXPECT_NE(dlsym(runtime, "_ZTVN3tvm3ffi5ErrorE"), nullptr);
  dlclose(runtime);
}

}  // namespace
