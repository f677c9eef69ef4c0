#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that must not compile, and the message that the compiler must print for it.

    refused.py COMPILER...    the compiler with its arguments; reads C++ from standard input
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PRELUDE = """
#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/rvalue_ref.h>
namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
struct Foreign {};
struct FinalObj : ffi::Object {
  int x = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("final", FinalObj, ffi::Object);
};
struct Final : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Final, ffi::ObjectRef, FinalObj);
};
struct OtherObj : ffi::Object { TVM_FFI_DECLARE_OBJECT_INFO("other", OtherObj, ffi::Object); };
struct Other : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Other, ffi::ObjectRef, OtherObj);
};
"""
# A class with children of limited number and of one structural kind.
PARENT = """struct P : ffi::Object {
  static constexpr uint32_t _type_child_slots = 1;
  static constexpr bool _type_child_slots_can_overflow = false;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr bool _type_s_eq_hash_subclass_kind_fixed = true;
  TVM_FFI_DECLARE_OBJECT_INFO("p", P, ffi::Object);
};
struct Q : P { %s TVM_FFI_DECLARE_OBJECT_INFO("q", Q, P); };"""
NO_EXCEPTIONS = ("with -fno-exceptions return Expected<T> and use TVM_FFI_UNEXPECTED and "
                 "TVM_FFI_RET_CHECK")
# The messages of g++ or clang++ if there is no conversion from one type to the other.
NO_CONVERSION = ("could not convert|cannot convert|no (viable|matching) conversion|conversion from "
                 ".* to .* requested")
NO_FUNCTION = "no matching function|no matching constructor|no matching member function"
GUARD = "#include <tvm/ffi/extra/cuda/device_guard.h>\n"
STL = "#include <tvm/ffi/extra/stl.h>\n"
OPTIONAL_ARGS = "#include <tvm/ffi/extra/optional_args.h>\n"
ACCESSOR = "#include <tvm/ffi/container/tensor_accessor.h>\n"
PACKED = ACCESSOR + """struct Packed { uint8_t bits; };
template <> struct tvm::ffi::dtype_trait<Packed> {
  static constexpr DLDataType value = {kDLFloat4_e2m1fn, 4, 1};
};
"""
LAUNCHER = "#include <tvm/ffi/extra/cuda/cubin_launcher.h>\n"
EXPORT = "\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(f, f)"



class First(str):
    """A pattern that the first of all errors has to match."""


# name: (code, pattern of the message[, extra arguments])
CASES = {
    "an older C++": ("", First("compile with -std=c\\+\\+17"), "-std=c++14"),
    # Exceptions.
    "throw without exceptions": ("void f() { TVM_FFI_THROW(ValueError) << 1; }", NO_EXCEPTIONS,
                                 "-fno-exceptions"),
    "check without exceptions": ("void f(int x) { TVM_FFI_ICHECK_EQ(x, 1); }", NO_EXCEPTIONS,
                                 "-fno-exceptions"),
    "a returning check in a void function": (
        "void f(int x) { TVM_FFI_RET_CHECK(x > 0, ValueError); }", "return.*void|void.*return"),
    "an error handed on by a function that returns none": (
        "ffi::Expected<int> g();\nint f() { TVM_FFI_RETURN_IF_ERROR(g()); return 1; }",
        r"has to return tvm::ffi::Expected<T>"),
    "an error handed on by a void function": (
        "ffi::Expected<int> g();\nvoid f() { TVM_FFI_RETURN_IF_ERROR(g()); }",
        "return.*void|void.*return"),
    "a value assigned of no Expected": (
        "int *g();\nffi::Expected<int> f() { TVM_FFI_ASSIGN_OR_RETURN(auto x, g()); return *x; }",
        "take a tvm::ffi::Expected<T>"),
    "a value assigned of a code": (
        "int g();\nffi::Expected<int> f() { TVM_FFI_ASSIGN_OR_RETURN(auto x, g()); return x; }",
        "an int has no value: write TVM_FFI_RETURN_IF_ERROR"),
    "a value assigned of nothing": (
        "ffi::Expected<void> g();\nffi::Expected<int> f() { TVM_FFI_ASSIGN_OR_RETURN(auto x, g()); "
        "return x; }",
        "no value to assign: write TVM_FFI_RETURN_IF_ERROR"),
    "a message with a class of its own operator, lean": (
        "namespace n { struct S {}; std::ostream &operator<<(std::ostream &, const S &); }\n"
        "void f(n::S s) { TVM_FFI_THROW(ValueError) << s; }", "include <sstream>",
        "-DTVM_FFI_LEAN"),
    "a message with an operator of the scope, lean": (
        "struct S {}; namespace n { std::ostream &operator<<(std::ostream &, const S &);\n"
        "void f(S s) { TVM_FFI_THROW(ValueError) << s; } }", "include <sstream>", "-DTVM_FFI_LEAN"),
    "a message with a foreign class": ("void f() { TVM_FFI_THROW(ValueError) << Foreign(); }",
                                       "no match for .operator<<|invalid operands"),
    "a check of what cannot be compared": (
        "void f(Foreign a, Foreign b) { TVM_FFI_ICHECK_EQ(a, b); }",
        "(no match for .operator==|invalid operands).*Foreign"),
    # Parameters and results.
    "a parameter that is changed": (
        "void f(int &x) { ++x; }" + EXPORT,
        "a parameter must not be a reference to what is not const: take it by value"),
    "a tensor that is changed": ("void f(ffi::Tensor &x) {}" + EXPORT,
                                 "a parameter must not be a reference to what is not const"),
    "a parameter of a lambda that is changed": (
        "auto f = ffi::Function::FromTyped([](int64_t &x) { ++x; });",
        "a parameter must not be a reference to what is not const"),
    "a parameter of a foreign class": ("void f(Foreign) {}" + EXPORT,
                                       First("specialise tvm::ffi::TypeTraits")),
    "a parameter of a foreign class, of a lambda": (
        "auto f = ffi::Function::FromTyped([](Foreign) {});",
        First("specialise tvm::ffi::TypeTraits")),
    "a parameter that is a foreign pointer": (
        "void f(int *) {}" + EXPORT, First("TensorView for the elements of a tensor, a void \\*")),
    "a parameter that is a tensor of DLPack": ("void f(const DLTensor *) {}" + EXPORT,
                                               First("TensorView by value")),
    "a parameter that is a tensor of DLPack by value": ("void f(DLTensor) {}" + EXPORT,
                                                        First("TensorView by value")),
    "a parameter that points to a view of a tensor": ("void f(ffi::TensorView *) {}" + EXPORT,
                                                      First("TensorView by value")),
    "a result that is a tensor of DLPack": (
        "DLTensor f();" + EXPORT, First("return a tvm::ffi::Tensor, which owns its data")),
    "a parameter that is a view of text": ("void f(std::string_view) {}" + EXPORT,
                                           First("tvm::ffi::String")),
    "a parameter that may be of a foreign class": ("void f(ffi::Optional<Foreign>) {}" + EXPORT,
                                                   "a parameter of this type cannot be read"),
    "a result of a foreign class": ("Foreign f() { return {}; }" + EXPORT,
                                    First("derive the class from tvm::ffi::Object and return")),
    "a result that is a foreign pointer": ("const int *f() { return nullptr; }" + EXPORT,
                                           First("return a void \\*")),
    "a view as a result": ("ffi::TensorView f(ffi::TensorView x) { return x; }" + EXPORT,
                           First("does not keep its data alive")),
    "a view or nothing as a result": ("ffi::Optional<ffi::TensorView> f() { return {}; }" + EXPORT,
                                      First("does not keep its data alive")),
    "an accessor as a result": (ACCESSOR + "ffi::TensorAccessor<float, 1> f();" + EXPORT,
                                First("does not keep its data alive")),
    "an accessor as an argument": (
        ACCESSOR + "void f(ffi::Function g, ffi::TensorAccessor<float, 1> x) { g(x); }",
        First("an accessor is no argument: pass the Tensor or TensorView that it is of")),
    "an accessor in a value": (
        ACCESSOR + "ffi::Any f(ffi::TensorAccessor<float, 1> x) { return x; }",
        First("an accessor is not a value, for it does not keep its data alive")),
    "an accessor of elements that are packed": (
        PACKED + "void f(ffi::TensorAccessor<Packed, 1> x) { x(0) = {}; }",
        First("elements of this dtype are packed")),
    "an accessor of rows of elements that are packed": (
        PACKED + "auto f(ffi::TensorAccessor<const Packed, 2> x) { return x[0]; }",
        First("elements of this dtype are packed")),
    "a walk over elements that are packed, of an accessor": (
        PACKED + "void f(ffi::TensorAccessor<Packed, 1> x) { ffi::ForEach([](Packed &) {}, x); }",
        First("elements of this dtype are packed")),
    "a walk over elements that are packed, of a TensorView": (
        PACKED + "void f(ffi::TensorView x) { ffi::ForEach<Packed>([](Packed &) {}, x); }",
        First("elements of this dtype are packed")),
    "an accessor of elements without a dtype": (ACCESSOR +
                                                "void f(ffi::TensorAccessor<Foreign, 1>) {}" +
                                                EXPORT, First("specialise tvm::ffi::dtype_trait")),
    "an accessor with too few indices": (
        ACCESSOR + "float f(ffi::TensorAccessor<float, 2> x) { return x(1); }",
        First("one index for each dimension: a TensorAccessor")),
    "an accessor at an index that is no integer": (
        ACCESSOR + "float f(ffi::TensorAccessor<float, 2> x) { return x(1.7, 0.2); }",
        First("an index is an integer: cast it")),
    "a row of an accessor at an index that is no integer": (
        ACCESSOR + "auto f(ffi::TensorAccessor<float, 2> x) { return x[1.7f]; }",
        First("an index is an integer: cast it")),
    "an accessor that reads": (ACCESSOR +
                               "void f(ffi::TensorAccessor<const float, 1> x) { x(0) = 1; }",
                               First("read-only|const value|not assignable")),
    "a view that makes a const element written": (
        ACCESSOR +
        "ffi::TensorAccessor<float, 1> f(ffi::TensorAccessor<const float, 1> x) { return x; }",
        First(NO_CONVERSION)),
    "arguments left out of a function that needs them all": (
        OPTIONAL_ARGS +
        "void f(int);\nauto g = ffi::Function::FromTyped(ffi::WithOptionalArgs(f));",
        First(
            "the last parameter is no tvm::ffi::Optional or std::optional, so no argument can be "
            "left out: declare"
        )),
    "arguments left out of an overload": (
        OPTIONAL_ARGS + "#include <tvm/ffi/reflection/overload.h>\n"
        "void f() { refl::OverloadObjectDef<FinalObj>().def(\n"
        '"m", ffi::WithOptionalArgs([](const FinalObj *, ffi::Optional<int>) {})); }',
        First("an overload has one number of arguments")),
    "arguments left out of a method": (
        OPTIONAL_ARGS + "auto g = ffi::WithOptionalArgs(&FinalObj::use_count);",
        First("WithOptionalArgs takes a function or a lambda: write")),
    "a lambda with a parameter of any type": (
        "auto f = [](auto x) { return x; };" + EXPORT,
        First("give each parameter of a lambda a type instead of auto")),
    "a class without a call": ("Foreign f;" + EXPORT, First("the callable has no operator")),
    "a method without its object": (
        "struct S { int m(int); };\nauto f = ffi::Function::FromTyped(&S::m);",
        First("a lambda that takes the object")),
    "a number for a function": ("int f = 1;" + EXPORT,
                                First("cannot be called: give a function or a lambda")),
    "one of two functions": ("void f(int);\nvoid f(double);" + EXPORT,
                             "deduce|incompatible initializer|overloaded"),
    "an argument of a foreign class": ("void f(ffi::Function g) { g(Foreign()); }",
                                       f"{NO_FUNCTION}|{NO_CONVERSION}"),
    "a packed function that is none": (
        "auto f = ffi::Function::FromPacked([](int) {});",
        r"FromPacked takes \(const AnyView \*, int32_t, Any \*\) or"),
    "another lambda for a typed function": (
        "ffi::TypedFunction<int(int)> f = [](ffi::String) { return 1; };", NO_CONVERSION),
    # Values.
    "a foreign class in a value": ("ffi::Any f() { return Foreign(); }", NO_CONVERSION),
    "a view in a value": ("ffi::Any f(ffi::TensorView x) { return x; }", "deleted function"),
    "a foreign class out of a value": ("auto f(ffi::Any a) { return a.cast<Foreign>(); }",
                                       First("a value cannot be read as this type.*TypeTraits")),
    "a vector out of a value without its header": (
        "auto f(ffi::Any a) { return a.cast<std::vector<int>>(); }",
        First("include <tvm/ffi/extra/stl.h>")),
    "a pointer out of a value to change its object": (
        "auto f(ffi::Any a) { return a.cast<FinalObj *>(); }",
        "a pointer to a class that is not _type_mutable has to be const"),
    # Tensors.
    "a view of a temporary": ("ffi::Tensor make();\nffi::TensorView f() { return make(); }",
                              "deleted"),
    "a view assigned of a temporary": (
        "ffi::Tensor make();\nvoid f(ffi::TensorView x) { x = make(); }", "deleted"),
    "a tensor of a view": ("ffi::Tensor f(ffi::TensorView x) { return x; }", NO_CONVERSION),
    "an allocator that does not allocate": (
        "struct A { void FreeData(DLTensor *); };\n"
        "auto x = ffi::Tensor::FromNDAlloc(A(), {1}, DLDataType(), DLDevice());",
        "no member named .AllocData"),
    # Strings.
    "a string of nullptr": ("ffi::String f() { return nullptr; }", "deleted"),
    "a string assigned nullptr": ("void f(ffi::String s) { s = nullptr; }", "deleted"),
    "a string compared with nullptr": (
        "bool f(ffi::String s) { return s == nullptr; }",
        f"nullptr_t|ambiguous|{NO_FUNCTION}|no match for|invalid operands"),
    "nullptr compared with a string": (
        "bool f(ffi::String s) { return nullptr != s; }",
        f"nullptr_t|ambiguous|{NO_FUNCTION}|no match for|invalid operands"),
    # Containers.
    "an array of views": ("ffi::Array<ffi::TensorView> f();\nauto x = f();",
                          "elements of this type cannot be stored: take a type that owns its data"),
    "an element of a type that nobody has checked": (
        "void f(ffi::List<int64_t> x) { x.GetListObj()->at_expected<ffi::ObjectRef>(0); }",
        First("the type of an element is not known here")),
    "a list of a foreign class": (
        "ffi::List<Foreign> x;",
        "elements of this type cannot be stored: take a type that owns its data"),
    "a map from a foreign class": ("ffi::Map<Foreign, int> x;",
                                   "keys and values of this type cannot be stored: take"),
    "a dict of views": ("ffi::Dict<int, ffi::TensorView> x;",
                        "keys and values of this type cannot be stored: take"),
    "a tuple of views": ("ffi::Tuple<int, ffi::TensorView> f();\nauto x = f();",
                         "elements of this type cannot be stored: take a type that owns its data"),
    "a variant of views": ("ffi::Variant<int, ffi::TensorView> f();\nauto x = f();",
                           "members of this type cannot be stored: take"),
    "an element of another type": ("ffi::Array<int> x = {1, ffi::String()};",
                                   f"{NO_CONVERSION}|{NO_FUNCTION}"),
    "an element of another type, added": (
        "void f(ffi::Array<int> x) { x.push_back(ffi::String()); }", NO_CONVERSION),
    "an array of other elements": ("ffi::Array<int> f(ffi::Array<ffi::String> x) { return x; }",
                                   NO_CONVERSION),
    "an array that is null": ("ffi::Array<int> f() { return nullptr; }", NO_CONVERSION),
    "a variant of nothing": ("ffi::Variant<int, double> x;", NO_FUNCTION),
    "a variant of another type": ("ffi::Variant<int, double> f(ffi::String s) { return s; }",
                                  NO_CONVERSION),
    "a variant asked for another type": (
        "auto f(ffi::Variant<int, double> x) { return x.as<ffi::String>(); }", NO_FUNCTION),
    # Classes of the standard library.
    "a view of a vector": (STL + "ffi::AnyView f(const std::vector<int> &x) { return x; }",
                           "an AnyView does not own the copy"),
    "a view of a vector that may be absent": (
        STL + "ffi::AnyView f(const std::optional<std::vector<int>> &x) { return x; }",
        "an AnyView does not own the copy"),
    "packed arguments with a map": (
        STL + "void f(ffi::AnyView *x) { ffi::PackedArgs::Fill(x, 1, std::map<int, int>()); }",
        "an AnyView does not own the copy"),
    "a vector of a foreign class": (STL + "void f(std::vector<Foreign>) {}" + EXPORT,
                                    First("what they hold has to be readable")),
    "a tuple with a foreign class": (STL + "std::tuple<int, Foreign> f() { return {}; }" + EXPORT,
                                     First("what they hold has to be returnable")),
    "a map of borrowed values": (STL + "void f(std::map<int, ffi::AnyView>) {}" + EXPORT,
                                 "a parameter of this type cannot be read"),
    "anything or nothing": (STL + "void f(std::optional<ffi::Any>) {}" + EXPORT,
                            "a parameter of this type cannot be read"),
    "a vector without its header": ("void f(std::vector<int>) {}" + EXPORT,
                                    First("include <tvm/ffi/extra/stl.h>")),
    "a map without its header": ("void f(const std::unordered_map<int, int> &) {}" + EXPORT,
                                 First("include <tvm/ffi/extra/stl.h>")),
    "a function without its header": ("void f(std::function<int(int)>) {}" + EXPORT,
                                      First("include <tvm/ffi/extra/stl.h>")),
    "a tuple as a result without its header": ("std::tuple<int, int> f() { return {}; }" + EXPORT,
                                               First("include <tvm/ffi/extra/stl.h>")),
    "a vector as a result without its header": ("std::vector<int> f() { return {}; }" + EXPORT,
                                                First("include <tvm/ffi/extra/stl.h>")),
    "an array of vectors": (
        STL + "ffi::Array<std::vector<int>> f();\nauto x = f();",
        "elements of this type cannot be stored: take a type that owns its data"),
    "an array of vectors that may be absent": (
        STL + "ffi::Array<std::optional<std::vector<int>>> f();\nauto x = f();",
        "elements of this type cannot be stored: take a type that owns its data"),
    "a vector taken out of a value": (
        STL + "auto f(ffi::Any x) { return std::move(x).as<std::vector<int>>(); }",
        "an Any never stores a value of this type.*copy it with cast"),
    # Optional and Expected.
    "an optional for its value": ("int64_t f(ffi::Optional<int64_t> x) { return x; }",
                                  NO_CONVERSION),
    "an optional of another type": ("ffi::Optional<ffi::Tensor> f(ffi::String s) { return s; }",
                                    NO_CONVERSION),
    "an error or something else": ("ffi::Unexpected<int> x(1);",
                                   "Unexpected holds an Error: write"),
    "an error or an error": ("ffi::Expected<ffi::Error> f();\nauto x = f();",
                             "Expected<Error> has no way to tell which it is: return"),
    "an expected view": (
        "ffi::Expected<ffi::TensorView> f(ffi::TensorView x) { return x; }",
        First(r"Expected<T> keeps its value.*read the view with try_cast<TensorView>\(\)")),
    "an expected view of a tensor": (
        "ffi::Expected<ffi::TensorView> f(const ffi::Tensor &x) { return x; }",
        First("Expected<T> keeps its value")),
    "an expected view of a value": (
        "bool f(ffi::AnyView x) { return x.cast_expected<ffi::TensorView>().is_ok(); }",
        First("Expected<T> keeps its value")),
    "an expected view that is the result of a call": (
        "bool f(ffi::Function f) { return f.CallExpected<ffi::TensorView>(1).is_ok(); }",
        First("Expected<T> keeps its value")),
    "an expected pointer of a value": (
        "bool f(ffi::AnyView x) { return x.cast_expected<DLTensor *>().is_ok(); }",
        First("Expected<T> keeps its value.*borrowed type")),
    "expected borrowed text of a value": (
        "bool f(ffi::Any x) { return x.cast_expected<const char *>().is_ok(); }",
        First("Expected<T> keeps its value.*borrowed type")),
    "an expected borrowed value of a value": (
        "bool f(ffi::Any x) { return std::move(x).cast_expected<ffi::AnyView>().is_ok(); }",
        First("Expected<T> keeps its value.*borrowed type")),
    "neither a value nor an error": ("ffi::Expected<int> x;", NO_FUNCTION),
    "an expected value that nobody looks at": ("ffi::Expected<int> f();\nvoid g() { f(); }",
                                               "nodiscard", "-Werror=unused-result"),
    "an expected nothing that nobody looks at": ("ffi::Expected<void> f();\nvoid g() { f(); }",
                                                 "nodiscard", "-Werror=unused-result"),
    "an expected value of another type": ("ffi::Expected<int> f(ffi::String s) { return s; }",
                                          NO_CONVERSION),
    # Objects.
    "a reference that is null": ("Final x;", NO_FUNCTION),
    "a reference that may be null": ("Final x(ffi::make_object<FinalObj>());", NO_FUNCTION),
    "a reference to another class": (
        "Other x(ffi::make_object<FinalObj>());",
        "a pointer converts to one to a class that its own class derives from"),
    "a reference to another class, by GetRef": (
        "auto f(const FinalObj *x) { return ffi::GetRef<Other>(x); }",
        "this reference cannot hold objects of that class: give GetRef"),
    "a counted pointer to another class": (
        "auto f(FinalObj *x) { return ffi::GetObjectPtr<OtherObj>(x); }",
        "Base is not a base of the pointer's class: give"),
    "a counted pointer to a child": (
        "ffi::ObjectPtr<FinalObj> f(ffi::ObjectPtr<ffi::Object> x) { return x; }",
        "a pointer converts to one to a class that its own class derives from"),
    "a weak pointer to a child": (
        "ffi::WeakObjectPtr<FinalObj> f(ffi::ObjectPtr<ffi::Object> x) { return x; }",
        "a pointer converts to one to a class that its own class derives from"),
    "a counted pointer of a plain one": (
        "auto f(FinalObj *x) { return ffi::ObjectPtr<FinalObj>(x); }",
        f"{NO_FUNCTION}|{NO_CONVERSION}|private|protected"),
    "an object that is changed": ("void f(Final x) { x->x = 1; }",
                                  "read-only object|returns a const value"),
    "an object of no object class": ("auto x = ffi::make_object<int>();",
                                     "make_object makes subclasses of Object: derive"),
    "an object of the base of maps": ("auto x = ffi::make_object<ffi::MapBaseObj>();",
                                      "protected|deleted"),
    "bool to fall back to": (
        "template <> struct tvm::ffi::TypeTraits<Foreign> : ffi::FallbackOnlyTraitsBase<Foreign, "
        "bool> {\n"
        'static std::string TypeStr() { return "S"; }\nstatic Foreign ConvertFallbackValue(bool) { '
        'return {}; } };\n'
        "auto f(ffi::Any x) { return x.cast<Foreign>(); }", "use StrictBool"),
    "an Arc of nothing": ("ffi::Arc<ffi::Object> f() { return nullptr; }", NO_CONVERSION),
    "an Arc that is let go": ("void f(ffi::Arc<ffi::Object> x) { x.reset(); }",
                              "inaccessible|private"),
    "a map without the runtime": ("auto f() { return ffi::make_object<ffi::MapObj>(); }",
                                  "deleted"),
    "identity of what is no object": (
        "auto f(ffi::Variant<int, ffi::Function> x) { return ffi::ObjectPtrHash()(x); }",
        "not all types of this Variant refer to objects: ask"),
    "a packed function in place that is none": (
        "struct S { void operator()(int) {} };\nauto f() { return "
        "ffi::Function::FromPackedInplace<S>(); }",
        "FromPacked takes"),
    "a reference to move of a number": ("void f(ffi::RValueRef<int>) {}",
                                        "RValueRef moves references to objects: pass"),
    "a child of a final class": (
        'struct A : FinalObj { TVM_FFI_DECLARE_OBJECT_INFO("a", A, FinalObj); };',
        "declared final: declare"),
    "a child with as many children as its parent": (
        PARENT % "static constexpr uint32_t _type_child_slots = 4;",
        "child slots cannot take this class and its children: raise"),
    "a child of another structural kind": (
        PARENT % "static constexpr uint32_t _type_child_slots = 0; "
        "static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;",
        "the parent fixes the structural kind of its children: leave"),
    # Types that are registered.
    "a field that is written in a class that is not": (
        'void f() { refl::ObjectDef<FinalObj>().def_rw("x", &FinalObj::x); }',
        "def_rw is for classes that are _type_mutable"),
    "a field of another class": (
        'void f() { refl::ObjectDef<OtherObj>().def_ro("x", &FinalObj::x); }',
        "the field is of another class: give"),
    "a field that is const": (
        'struct A : ffi::Object { const int x = 1; TVM_FFI_DECLARE_OBJECT_INFO("a", A, '
        'ffi::Object); };\n'
        'void f() { refl::ObjectDef<A>().def_ro("x", &A::x); }',
        "a const member cannot be set when an object is made: leave"),
    "a field of a foreign class": (
        'struct A : ffi::Object { Foreign x; TVM_FFI_DECLARE_OBJECT_INFO("a", A, ffi::Object); };\n'
        'void f() { refl::ObjectDef<A>().def_ro("x", &A::x); }',
        "TypeTraits<(Foreign|Foreign, void)>"),
    "a constructor that is not there": (
        "void f() { refl::ObjectDef<FinalObj>().def(refl::init<ffi::String>()); }",
        "there is no such constructor: add"),
    "a default of a method": (
        'void f() { refl::ObjectDef<FinalObj>().def("m", [](const FinalObj *) {}, '
        'refl::default_value(1)); }',
        NO_FUNCTION),
    "a flag of a class": ("void f() { refl::ObjectDef<FinalObj>(refl::kw_only(true)); }",
                          NO_FUNCTION),
    "a method that changes an object that is not": (
        'void f() { refl::ObjectDef<FinalObj>().def("m", [](FinalObj *) {}); }',
        "has to be const: ask for const T"),
    "a class that is no object class": ("void f() { refl::ObjectDef<Foreign> d; }",
                                        "ObjectDef registers subclasses of Object: derive"),
    "a registration that is copied": ("void f(refl::ObjectDef<FinalObj> &d) { auto e = d; }",
                                      "deleted|use of deleted"),
    "a native function that takes what cannot be handed over": (
        "ffi::Expected<int> g(ffi::String) noexcept;\n"
        "auto x = refl::NativeFunctionView<int(ffi::String)>::FromNative<&g>()(ffi::String());",
        "a parameter of a native function"),
    "a view of a function that is gone": (
        "const ffi::TypedFunction<int()> g();\nrefl::NativeFunctionView<int()> x = g();",
        "deleted"),
    # Modules.
    "a module that is null": ("ffi::Module f() { return nullptr; }", NO_CONVERSION),
    "a module of nothing": ("ffi::Module x;", NO_FUNCTION),
    "a module class without functions": (
        'struct M : ffi::ModuleObj { const char *kind() const final { return "m"; } };\n'
        "auto x = ffi::Module(ffi::make_object<M>());", "abstract"),
    # The layer adds nothing to types that are not its own: kernel libraries have this operator.
    "devices that are compared": ("bool f(DLDevice a, DLDevice b) { return a == b; }",
                                  "operator==|invalid operands"),
    # CUDA.
    "a check of CUDA without exceptions": (
        GUARD + "void f() { TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(0)); }", "TVM_FFI_RET_CHECK",
        "-fno-exceptions"),
    "a guard without exceptions": (GUARD + "void f() { ffi::CUDADeviceGuard guard(0); }",
                                   "CUDADeviceGuard throws; with -fno-exceptions use cudaGetDevice",
                                   "-fno-exceptions"),
    "a module of kernels without exceptions": (
        LAUNCHER + "void f(const char *x) { ffi::CubinModule module(x); }",
        "CubinModule and CubinKernel throw; with -fno-exceptions use", "-fno-exceptions"),
    "an embedded module without exceptions": (
        LAUNCHER + "TVM_FFI_EMBED_CUBIN(x)",
        "CubinModule and CubinKernel throw; with -fno-exceptions use", "-fno-exceptions"),
    "a copy of a module": (LAUNCHER + "ffi::CubinModule f(const ffi::CubinModule &x) { return x; }",
                           "delete"),
    "a copy of a kernel": (LAUNCHER + "ffi::CubinKernel f(const ffi::CubinKernel &x) { return x; }",
                           "delete"),
    "a grid of a number": (
        LAUNCHER + "void f(const ffi::CubinKernel &x) { x.Launch(nullptr, 1, 1, nullptr); }",
        "dim3"),
    "a launch whose result is ignored": (
        LAUNCHER + "void f(const ffi::CubinKernel &x) { x.Launch(nullptr, {}, {}, nullptr); }",
        "nodiscard", "-Werror=unused-result"),
    "a launch by a configuration whose result is ignored": (
        LAUNCHER + "void f(const ffi::CubinKernel &x) { x.LaunchEx(nullptr, {}); }",
        "nodiscard", "-Werror=unused-result"),
    "a call of CUDA whose result is ignored": (
        LAUNCHER + "void f(const char *x) { ffi::cuda_api::LibraryHandle y; "
        "ffi::cuda_api::LoadLibrary(&y, x); }",
        "nodiscard", "-Werror=unused-result"),
    "the runtime API of an old CUDA": (LAUNCHER,
                                       "the runtime API can load cubins from CUDA 12.8 on",
                                       "-DCUDART_VERSION=12060",
                                       "-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=0"),
}


def compile_code(command, code):
    return subprocess.run(command, input=code, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})


def check(compiler, header, name, code, message, *args):
    """What is wrong; empty when nothing is."""
    # The precompiled header does not serve other arguments.
    command = [*compiler, *args, "-fsyntax-only", "-x", "c++", "-"
               ] + ([] if args else ["-include", header])
    run = compile_code(command, (PRELUDE if args else "") + code + "\n")
    if run.returncode == 0:
        return f"{name}: compiles\n"
    errors = "\n".join(line for line in run.stderr.splitlines() if "error:" in line)
    if isinstance(message, First):
        errors = errors.splitlines()[0]
    if not re.search(message, errors):
        return f"{name}: refused, but without {message!r}:\n{run.stderr[:2000]}\n"
    return ""


def main():
    compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, "prelude.h")
        header.write_text(PRELUDE, encoding="utf-8")
        good = compile_code([*compiler, "-x", "c++-header", header, "-o", f"{header}.gch"], None)
        if good.returncode != 0:
            print("the prelude alone does not compile:\n" + good.stderr)
            return 1
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            problems = "".join(
                pool.map(lambda name: check(compiler, header, name, *CASES[name]), CASES))
    print(problems, end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
