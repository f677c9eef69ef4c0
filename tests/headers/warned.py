#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compilers must warn of in kernels that use the C helpers, and what they must not warn of.

    warned.py ROOT INCLUDE... -- COMPILER...

Compiled with c.h, and with the tvm_ffi.h of tools/amalgamate, as C99, and as C++17 if the compiler's name
ends with ++. The examples at the top of c.h must compile without a warning too.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"]

# Compiled with -Werror.
QUIET = """
TVM_FFI_C_EXPORT(beep, "() -> void") { return 0; }
TVM_FFI_C_EXPORT_DOC(beep, "Beeps.");
TVM_FFI_C_EXPORT_SCHEMA(beep, TVM_FFI_C_TYPE("None"), "");

TVM_FFI_C_FUNCTION(buzz, "() -> void") { return 0; }
TVM_FFI_C_REGISTER_GLOBAL("my.buzz", buzz);

TVM_FFI_C_EXPORT(add, "(0: int, 1: Optional<int>) -> int") {
  int64_t a, b = 1;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_int64(args, 1, &b));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
}
"""

# Each has a result that is ignored.
IGNORED = [
    "tvm_ffi_args_check_count(args, 2);",
    "tvm_ffi_args_check_contiguous(args, 0);",
    "tvm_ffi_args_check_ndim(args, 0, 2);",
    "tvm_ffi_args_check_same(args, 0, 1);",
    "tvm_ffi_args_check_shape(args, 0, 0, NULL);",
    "const TVMFFIAny *any = NULL; tvm_ffi_args_read_any(args, 0, &any);",
    "DLTensor *x = NULL; tvm_ffi_args_read_tensor(args, 0, &x);",
    "DLTensor *x = NULL; tvm_ffi_args_read_opt_tensor(args, 0, &x);",
    "TVMFFIObjectHandle x = NULL; tvm_ffi_args_read_object(args, 0, kTVMFFIModule, &x);",
    "int64_t n = 0; tvm_ffi_args_read_int64(args, 0, &n);",
    "int64_t n = 0; tvm_ffi_args_read_opt_int64(args, 0, &n);",
    "int32_t n = 0; tvm_ffi_args_read_opt_int32(args, 0, &n);",
    "void *p = NULL; tvm_ffi_args_read_pointer(args, 0, &p);",
    "TVMFFIByteArray text = {NULL, 0}; tvm_ffi_args_read_opt_string(args, 0, &text);",
    "DLDataType t = {0, 0, 0}; tvm_ffi_args_read_opt_dtype(args, 0, &t);",
    "TVMFFIShapeCell s = {NULL, 0}; tvm_ffi_args_read_opt_shape(args, 0, NULL, 0, &s);",
    "int64_t n = 0; tvm_ffi_any_read_int64(args->args, &n);",
    "DLDataType t = {0, 0, 0}; tvm_ffi_any_read_dtype(args->args, &t);",
]



def compile_code(compiler, flags, code):
    language = ["-x", "c++", "-std=c++17"] if compiler.endswith("++") else ["-x", "c", "-std=c99"]
    return subprocess.run([compiler, *language, *STRICT, *flags, "-c", "-o", os.devnull, "-"], input=code,
                          capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})


def read_examples(root):
    """The programs in the comment at the top of c.h."""
    comment = (root / "include/tvm/ffi/c.h").read_text(encoding="utf-8").partition("#ifndef")[0]
    blocks = re.findall(r"((?:^ \*(?:     .*)?\n)+)", comment, re.M)
    examples = [re.sub(r"^ \*(?:     )?", "", block, flags=re.M) for block in blocks if "#include" in block]
    if len(examples) != 2:
        sys.exit("warned.py: c.h no longer has two examples")
    return [text.partition("\ncc ")[0] for text in examples]


def check(compiler, flags, quiet):
    """The failures of a compiler with a header, as lines."""
    for code in quiet:
        done = compile_code(compiler, [*flags, "-Werror"], code)
        if done.returncode != 0:
            yield done.stderr
    kernels = [f'TVM_FFI_C_EXPORT(f{i}, "(0: Any) -> void") {{ {code} return 0; }}' for i, code in enumerate(IGNORED)]
    done = compile_code(compiler, flags, "\n".join(kernels))
    warned = set(re.findall(r"^<stdin>:(\d+):.*\[-Wunused-result\]", done.stderr, re.M))
    for number, code in enumerate(IGNORED, 1):
        if str(number) not in warned:
            yield f"no warning: {code}"


def main():
    root, *rest = sys.argv[1:]
    quiet = [QUIET, *read_examples(pathlib.Path(root))]
    split = rest.index("--")
    include, compilers = rest[:split], rest[split + 1:]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([pathlib.Path(root, "tools/amalgamate"), folder], check=True)
        for header in ["tvm/ffi/c.h"], ["tvm_ffi.h", f"-I{folder}"]:
            for compiler in compilers:
                for level in "-O0", "-O2":
                    for failure in check(compiler, [level, *include, "-include", *header], quiet):
                        print(f"{compiler} {level} {header[0]}: {failure}")
                        count += 1
    print(f"{len(compilers)} compilers, {count} failures")
    return count != 0


if __name__ == "__main__":
    sys.exit(main())
