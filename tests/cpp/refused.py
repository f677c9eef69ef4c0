#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that must not compile, and what the compiler has to say about it.

    refused.py COMPILER...    the compiler with its arguments; reads C++ from standard input
"""
import subprocess
import sys

PRELUDE = "#include <tvm/ffi/tvm_ffi.h>\nnamespace ffi = tvm::ffi;\n"
GUARD = "#include <tvm/ffi/extra/cuda/device_guard.h>\n"
LAUNCHER = "#include <tvm/ffi/extra/cuda/cubin_launcher.h>\n"
# name: (extra arguments, code, text of the message)
CASES = {
    "throw without exceptions": (
        ["-fno-exceptions"], "void f() { TVM_FFI_THROW(ValueError) << 1; }", "TVM_FFI_RET_CHECK"),
    "check without exceptions": (
        ["-fno-exceptions"], "void f(int x) { TVM_FFI_ICHECK_EQ(x, 1); }", "TVM_FFI_RET_CHECK"),
    "a parameter that is changed": (
        [], "void f(int &x) { ++x; }\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(f, f)",
        "a parameter must not be a reference to what is not const"),
    "a parameter of a foreign class": (
        [], "struct S {};\nvoid f(S) {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(f, f)",
        "a parameter of this type cannot be read from an argument"),
    "a result of a foreign class": (
        [], "struct S {};\nS f() { return {}; }\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(f, f)",
        "a result of this type cannot be returned"),
    "a view of a temporary": (
        [], "ffi::Tensor make();\nffi::TensorView f() { return make(); }", "deleted"),
    "an array of views": ([], "ffi::Array<ffi::TensorView> f();\nauto x = f();",
                          "elements of this type cannot be stored"),
    "a string of nullptr": ([], "ffi::String f() { return nullptr; }", "deleted"),
    "a child of a final class": (
        [], "struct A : ffi::Object { TVM_FFI_DECLARE_OBJECT_INFO_FINAL(\"a\", A, ffi::Object); };\n"
        "struct B : A { TVM_FFI_DECLARE_OBJECT_INFO(\"b\", B, A); };", "declared final"),
    "a check of CUDA without exceptions": (
        ["-fno-exceptions"], GUARD + "void f() { TVM_FFI_CHECK_CUDA_ERROR(cudaSetDevice(0)); }",
        "TVM_FFI_RET_CHECK"),
    "a guard without exceptions": (
        ["-fno-exceptions"], GUARD + "void f() { ffi::CUDADeviceGuard guard(0); }",
        "CUDADeviceGuard throws; with -fno-exceptions use cudaGetDevice"),
    "a module without exceptions": (
        ["-fno-exceptions"], LAUNCHER + "void f(const char *x) { ffi::CubinModule module(x); }",
        "CubinModule and CubinKernel throw; with -fno-exceptions use"),
    "an embedded module without exceptions": (
        ["-fno-exceptions"], LAUNCHER + "TVM_FFI_EMBED_CUBIN(x)",
        "CubinModule and CubinKernel throw; with -fno-exceptions use"),
    "a copy of a module": (
        [], LAUNCHER + "ffi::CubinModule f(const ffi::CubinModule &x) { return x; }", "delete"),
    "a copy of a kernel": (
        [], LAUNCHER + "ffi::CubinKernel f(const ffi::CubinKernel &x) { return x; }", "delete"),
    "a grid of a number": (
        [], LAUNCHER + "void f(const ffi::CubinKernel &x) { x.Launch(nullptr, 1, 1, nullptr); }",
        "dim3"),
    "the runtime API of an old CUDA": (
        ["-DCUDART_VERSION=12060", "-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API=0"], LAUNCHER,
        "the runtime API can load cubins from CUDA 12.8 on"),
}


def main():
    compiler = sys.argv[1:] + ["-fsyntax-only", "-x", "c++", "-"]
    failed = 0
    good = subprocess.run(compiler, input=PRELUDE, capture_output=True, text=True)
    if good.returncode != 0:
        print("the prelude alone does not compile:\n" + good.stderr)
        return 1
    for name, (args, code, message) in CASES.items():
        run = subprocess.run(compiler + args, input=PRELUDE + code + "\n", capture_output=True,
                             text=True)
        if run.returncode == 0:
            print(f"{name}: compiles")
            failed += 1
        elif message not in run.stderr:
            print(f"{name}: refused, but without {message!r}:\n{run.stderr[:2000]}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
