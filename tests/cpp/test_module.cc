/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of libraries built with the layer, and module classes in C++, on this runtime. */
#include <gtest/gtest.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/tvm_ffi.h>

#include <functional>

#include "caught.h"
extern "C" {
#include "platform/platform.h"
}

namespace ffi = tvm::ffi;
using ffi::Any;
using ffi::Module;

namespace {

std::string PathOf(const char *name) {
  return std::string(std::getenv("TVM_FFI_TEST_CPP_MODULES")) + "/" + name + ".so";
}

Module Load(const char *name) {
  return Module::LoadFromFile(PathOf(name));
}

struct Vector {
  std::vector<float> data;
  int64_t size, stride = 1;
  DLTensor tensor{};
  explicit Vector(std::vector<float> values)
      : data(std::move(values)), size(static_cast<int64_t>(data.size())) {
    tensor.data = data.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 1;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = &size;
    tensor.strides = &stride;
  }
};

class Kernels : public testing::TestWithParam<const char *> {};

TEST_P(Kernels, Run) {
  const Module module = Load(GetParam());
  Vector x({1, 2, 3}), y({0, 0, 0}), z({0});
  const ffi::Function add_one = module->GetFunction("add_one").value();
  add_one(&x.tensor, &y.tensor);
  EXPECT_EQ(y.data, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(Caught([&] { add_one(&x.tensor, &z.tensor); }),
            "ValueError: Check failed: (x.size(0) == y.size(0)) is false: sizes differ: 3 and 1");
  EXPECT_EQ(Caught([&] { add_one(&x.tensor, 3); }),
            "TypeError: Mismatched type on argument #1 when calling: `add_one(0: DLTensor*, 1: "
            "DLTensor*) -> void`. Expected `DLTensor*` but got `int`");
  const ffi::Function everything = module->GetFunction("everything").value();
  EXPECT_EQ(everything(1, 2, true, nullptr, 2, uint64_t{4}, "int8", DLDevice{kDLCPU, 3}, "four",
                       nullptr, &x.tensor, ffi::Array<int64_t>{1, 2})
                .cast<int64_t>(),
            1 + 2 + 1 + 100 + 2 + 4 + 8 + 3 + 4 + 0 + 1 + 2);
  EXPECT_EQ(module->GetFunction("func").value()(3).cast<int>(), -3);
  EXPECT_EQ(module->GetFunction("twice").value()(3).cast<int>(), 6);
  EXPECT_EQ(module->GetFunction("result").value()(3).cast<int>(), 4);
  EXPECT_EQ(Caught([&] { module->GetFunction("fail").value()(false); }), "KeyError: no key 7");
  EXPECT_EQ(Caught([&] { module->GetFunction("fail").value()(true); }).substr(0, 14),
            "InternalError:");
  const ffi::Function join = ffi::Function::FromTyped(
      [](int64_t a, const ffi::String &b) { return b + std::to_string(a); });
  EXPECT_EQ(module->GetFunction("in_place").value()(join, 4).cast<ffi::String>(), "text4");
  EXPECT_EQ((module->GetFunction("tuple")
                 .value()(ffi::Tuple(1, 2.5))
                 .cast<ffi::Tuple<double, ffi::String>>()
                 .get<0>()),
            3.5);
  EXPECT_EQ(module->GetFunction("which").value()(1).cast<ffi::String>(), "double");
  EXPECT_FALSE(module->GetFunction("none").has_value());
}

TEST_P(Kernels, TakeManyParameters) {
  const Module module = Load(GetParam());
  Vector x({1});
  std::vector<ffi::AnyView> args;
  for (int i = 0; i < 7; ++i) {
    args.insert(args.end(), {&x.tensor, &x.tensor, 10, nullptr, 0.5, true});
  }
  for (int i = 0; i < 4; ++i) args.emplace_back(1000);
  ffi::Any result;
  const ffi::Function many = module->GetFunction("many").value();
  many.CallPacked(args.data(), static_cast<int32_t>(args.size()), &result);
  EXPECT_EQ(result.cast<int>(), 7 * 13 + 4000);
  args[45] = "x";
  const std::string text =
      Caught([&] { many.CallPacked(args.data(), static_cast<int32_t>(args.size()), &result); });
  EXPECT_NE(text.find("Mismatched type on argument #45 when calling: `many(0: DLTensor*, "),
            std::string::npos);
}

TEST_P(Kernels, DescribeThemselves) {
  const Module module = Load(GetParam());
  const std::string metadata =
      R"({"type_schema":"{\"type\":\"ffi.Function\",\"named_args\":{\"return\":[{\"type\":)"
      R"(\"None\"}],\"params\":[{\"type\":\"DLTensor*\"},{\"type\":\"DLTensor*\"}]}}"})";
  EXPECT_EQ(module->GetFunctionMetadata("add_one").value(), metadata);
  void *library = tvmffi_dl_open_loaded(PathOf(GetParam()).c_str());
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(static_cast<const char *>(tvmffi_dl_symbol(library, "__tvm_ffi__schema_add_one")),
            metadata);
  tvmffi_dl_close(library);
  EXPECT_EQ(module->GetFunctionDoc("add_one").value(), "Adds one to each element.");
}

TEST_P(Kernels, MakeModules) {
  const Module library = Load(GetParam());
  const Module counter = library->GetFunction("make_counter").value()(5).cast<Module>();
  EXPECT_STREQ(counter->kind(), "counter");
  EXPECT_EQ(counter->GetPropertyMask(), Module::kRunnable);
  const ffi::Function next = counter->GetFunction("next").value();
  next();
  EXPECT_EQ(next().cast<int>(), 6);
  EXPECT_FALSE(counter->GetFunction("null").has_value());
  EXPECT_EQ(ffi::Function::GetGlobalRequired("ffi.ModuleGetFunction")(counter, "next", false)
                .cast<ffi::Function>()()
                .cast<int>(),
            7);
  EXPECT_EQ(Caught([&] { counter->SaveToBytes(); }),
            "RuntimeError: Module[counter] does not support SaveToBytes");
  library->ImportModule(counter);
  EXPECT_TRUE(library->GetFunction("next", true).has_value());
  EXPECT_EQ(Caught([&] { counter->ImportModule(library); }),
            "RuntimeError: Cyclic dependency detected during import");
  library->ClearImports();
  EXPECT_EQ(library->imports().size(), 0u);
}

class Empty : public ffi::ModuleObj {
 public:
  const char *kind() const override { return "empty"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &) override { return std::nullopt; }
};

/* Each module imports the one before twice, so that there are 2 to the 60 paths to the last. */
Module Diamonds(const Module &last, const std::function<Module(int)> &make) {
  Module first = last;
  for (int i = 0; i < 60; ++i) {
    const Module importer = make(i);
    importer->ImportModule(first);
    importer->ImportModule(first);
    first = importer;
  }
  return first;
}

TEST(Modules, AreReachedOnce) {
  const Module last(ffi::make_object<Empty>());
  const Module first = Diamonds(last, [](int) { return Module(ffi::make_object<Empty>()); });
  EXPECT_EQ(first->imports().size(), 2u);
  EXPECT_EQ(Caught([&] { last->ImportModule(first); }),
            "RuntimeError: Cyclic dependency detected during import");
}

/* A module with one function, whose name is the module's. It logs each module that is asked. */
class Named : public ffi::ModuleObj {
 public:
  Named(std::string name, std::string *asked) : name_(std::move(name)), asked_(asked) {}
  const char *kind() const override { return "named"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &name) override {
    if (!Ask(name)) return std::nullopt;
    return ffi::Function::FromTyped([text = name_]() { return ffi::String(text); });
  }
  ffi::Optional<ffi::String> GetFunctionDoc(const ffi::String &name) override {
    if (!Ask(name)) return std::nullopt;
    return ffi::String("doc of " + name_);
  }
  ffi::Optional<ffi::String> GetFunctionMetadata(const ffi::String &name) override {
    if (!Ask(name)) return std::nullopt;
    return ffi::String("metadata of " + name_);
  }
  void ImportAny(const Any &value) { imports_.push_back(value); }

 private:
  bool Ask(const ffi::String &name) {
    if (asked_->size() > 1000) TVM_FFI_THROW(RuntimeError) << "asked too often";
    *asked_ += name_;
    return name == name_;
  }

  std::string name_, *asked_;
};

class AskedModules : public testing::Test {
 protected:
  Module Make(const std::string &name, std::initializer_list<Module> imports = {}) {
    Module made(ffi::make_object<Named>(name, &asked));
    for (const Module &import : imports) made->ImportModule(import);
    return made;
  }

  std::string asked;
};

TEST_F(AskedModules, DepthFirst) {
  const Module e = Make("e"), d = Make("d", {e});
  const Module a = Make("a", {Make("b", {d, Make("c", {e})}), d, Make("f", {d}), Make("b")});
  EXPECT_FALSE(a->GetFunction("x", true).has_value());
  EXPECT_EQ(asked, "abdecfb");
  asked.clear();
  EXPECT_EQ(a->GetFunction("c", true).value()().cast<ffi::String>(), "c");
  EXPECT_EQ(asked, "abdec");
  asked.clear();
  EXPECT_FALSE(a->GetFunction("b", false).has_value());
  EXPECT_EQ(asked, "a");
}

TEST_F(AskedModules, OnceEach) {
  const Module first = Diamonds(Make("."), [&](int i) { return Make(i % 2 == 0 ? "0" : "1"); });
  EXPECT_FALSE(first->GetFunction("x", true).has_value());
  EXPECT_EQ(asked.size(), 61u);
  EXPECT_EQ(asked.substr(0, 4), "1010");
  EXPECT_TRUE(first->GetFunction(".", true).has_value());
  EXPECT_EQ(asked.size(), 122u);
  EXPECT_TRUE(first->ImplementsFunction(".", true));
  EXPECT_FALSE(first->ImplementsFunction("x", true));
  EXPECT_EQ(first->GetFunctionDoc(".", true).value(), "doc of .");
  EXPECT_EQ(first->GetFunctionMetadata(".", true).value(), "metadata of .");
  EXPECT_EQ(asked.size(), 6 * 61u);
}

/* Subclasses may put values into imports_ that ImportModule would refuse. */
TEST_F(AskedModules, InACircle) {
  const Module a = Make("a"), b = Make("b", {a});
  static_cast<Named *>(a.get())->ImportAny(b);
  EXPECT_FALSE(a->GetFunction("x", true).has_value());
  EXPECT_EQ(asked, "ab");
  EXPECT_EQ(Caught([&] { Make("c")->ImportModule(a); }), "nothing");
  a->ClearImports();
  static_cast<Named *>(a.get())->ImportAny(1);
  EXPECT_EQ(Caught([&] { (void)a->GetFunction("x", true); }).substr(0, 10), "TypeError:");
  EXPECT_TRUE(a->GetFunction("a", true).has_value());
}

/* Clears the imports of its importer when it is asked. */
class Forgetful : public ffi::ModuleObj {
 public:
  const char *kind() const override { return "forgetful"; }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String &) override {
    if (importer != nullptr) importer->ClearImports();
    return std::nullopt;
  }
  ffi::ModuleObj *importer = nullptr;
};

TEST_F(AskedModules, MayBeDroppedMeanwhile) {
  Module a = Make("a");
  const ffi::ObjectPtr<Forgetful> forgetful = ffi::make_object<Forgetful>();
  forgetful->importer = a.get();
  a->ImportModule(Module(forgetful));
  a->ImportModule(Make("b", {Make("c")}));
  EXPECT_FALSE(a->GetFunction("x", true).has_value());
  EXPECT_EQ(asked, "abc");  // the search uses the imports as they were when it began
  EXPECT_EQ(a->imports().size(), 0u);
}

TEST(ContextSymbols, AreVisited) {
  static char symbols[2];
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("__test_visit_b", &symbols[0]), 0);
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("__test_visit_a", &symbols[1]), 0);
  std::vector<std::pair<std::string, void *>> seen;
  Module::VisitContextSymbols(
      [&](const ffi::String &name, void *symbol) { seen.emplace_back(name, symbol); });
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, void *>>{{"__test_visit_b", &symbols[0]},
                                                               {"__test_visit_a", &symbols[1]}}));
  int num_seen = 0;
  EXPECT_EQ(Caught([&] {
              Module::VisitContextSymbols([&](const ffi::String &name, void *) {
                ++num_seen;
                TVM_FFI_THROW(KeyError) << name;
              });
            }),
            "KeyError: __test_visit_b");
  EXPECT_EQ(num_seen, 1);
  EXPECT_EQ(Caught([] { Module::VisitContextSymbols(nullptr); }),
            "RuntimeError: a null Function was called");
}

TEST(TensorsOfKernels, OutliveTheirModule) {
  int64_t freed = 0;
  ffi::Tensor x;
  {
    const ffi::Function own = Load("imports_tensor")->GetFunction("own").value();
    EXPECT_EQ(Caught([&] { own(4, static_cast<void *>(&freed), true); }),
              "MemoryError: of 32 bytes");
    x = own(4, static_cast<void *>(&freed), false).cast<ffi::Tensor>();
  }
  EXPECT_EQ(freed, 0);
  const int64_t size = 2, stride = 2;
  ffi::Tensor view = x.as_strided({&size, 1}, {&stride, 1});
  DLManagedTensor *exported = view.ToDLPack();
  static_cast<int64_t *>(x.data_ptr())[2] = 7;
  x = ffi::Tensor();
  view = ffi::Tensor();
  EXPECT_EQ(static_cast<int64_t *>(exported->dl_tensor.data)[2], 7);
  EXPECT_EQ(freed, 0);
  exported->deleter(exported);
  EXPECT_EQ(freed, 1);
}

class KernelsWithoutExceptions : public testing::TestWithParam<const char *> {};

TEST_P(KernelsWithoutExceptions, ReturnErrors) {
  const Module module = Load(GetParam());
  const ffi::Function half = module->GetFunction("half").value();
  EXPECT_EQ(half(4).cast<int>(), 2);
  EXPECT_EQ(half(3).cast<ffi::Error>().message(), "Check failed: (x % 2 == 0) is false: 3 is odd");
  EXPECT_EQ(half.CallExpected<int>(100).error().kind(), "KeyError");
  EXPECT_EQ(module->GetFunction("call_and_double").value()(half, 8).cast<int>(), 8);
  EXPECT_EQ(module->GetFunction("call_and_double").value()(half, 7).cast<int>(), -1);
  EXPECT_EQ(module->GetFunction("length_or").value()("abc", 0).cast<int>(), 3);
  EXPECT_EQ(module->GetFunction("length_or").value()(7, -2).cast<int>(), -2);
  EXPECT_EQ(Caught([&] { half("x"); }),
            "TypeError: Mismatched type on argument #0 when calling: `half(0: int) -> "
            "Expected<int>`. Expected `int` but got `const char*`");
}

TEST_P(KernelsWithoutExceptions, HandErrorsOn) {
  const Module module = Load(GetParam());
  const ffi::Function sum_of = module->GetFunctionExpected("sum_of").value();
  EXPECT_EQ(sum_of(ffi::Array<ffi::Any>{1, 2, 4}).cast<int>(), 7);
  EXPECT_EQ(sum_of(ffi::Array<ffi::Any>{1, 2.5}).cast<ffi::Error>().message(),
            "Cannot convert from type `float` to `int`");
  const ffi::Function bytes_on_heap = module->GetFunctionExpected("bytes_on_heap").value();
  EXPECT_EQ(bytes_on_heap(ffi::Shape({2, 3})).cast<ffi::Tensor>().numel(), 6);
  EXPECT_EQ(bytes_on_heap.CallExpected<ffi::Tensor>(ffi::Shape({int64_t{1} << 58})).error().kind(),
            "MemoryError");
  // No allocator is set.
  const ffi::Tensor x = bytes_on_heap(ffi::Shape({1})).cast<ffi::Tensor>();
  const ffi::Function empty_like = module->GetFunctionExpected("empty_like").value();
  EXPECT_EQ(empty_like.CallExpected<ffi::Tensor>(x).error().kind(), "RuntimeError");
}

std::string NameOf(const testing::TestParamInfo<const char *> &build) {
  return build.param;
}
INSTANTIATE_TEST_SUITE_P(Builds, Kernels, testing::Values("kernels_lean", "kernels_cpp20"), NameOf);
INSTANTIATE_TEST_SUITE_P(Builds, KernelsWithoutExceptions,
                         testing::Values("kernels_noexcept", "kernels_noexcept_cpp20"), NameOf);

}  // namespace
