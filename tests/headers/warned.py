#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compilers must warn of in kernels that use the C helpers, and what they must not warn of.

    warned.py ROOT INCLUDE... -- COMPILER...

Compiled with c.h and c/host.h, and with the tvm_ffi.h of tools/amalgamate, as C99, and as C++17 if
the compiler's name ends with ++; functions of c/cuda.h with that, and with stand-ins for the
headers of CUDA, those of c/opencl.h and c/hip.h if their headers are installed. The examples at the
top of c.h must compile without a warning too.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Headers of other APIs, and what each needs.
OTHERS = {"tvm/ffi/c/opencl.h": "/usr/include/CL/cl.h",
          "tvm/ffi/c/hip.h": "/usr/include/hip/hip_runtime_api.h"}
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

# Functions whose result must not be ignored: readers and checks; those that make, load or find
# something and leave *out unwritten on failure; and those whose failure nothing else shows.
MUST_WARN = re.compile(
    r"tvm_ffi_\w+_(read|check)_\w+|tvm_ffi_handle_table_read|"
    r"tvm_ffi_\w+_create(_\w+)?|tvm_ffi_module_\w+|tvm_ffi_cuda_\w+|tvm_ffi_opencl_program_\w+|tvm_ffi_hip_\w+|"
    r"tvm_ffi_(any_copy|any_from_uint64|args_return|dtype_compute_size|dtype_parse|"
    r"env_set_interrupt_check|function_cache_get|function_cache_get_current|function_find_global|"
    r"function_get_global|function_register|list_append|map_get_item|map_has|tensor_compute_size|"
    r"tensor_runs_begin|thread_prime)")
NAME = re.compile(r"\btvm_ffi_\w+(?=\()")
DECLARATION = re.compile(r"^static inline int (tvm_ffi_\w+)\(([^;{]*)\);$", re.M)
# What returns no code: nothing is ignored.
NO_CODE = re.compile(r"^static inline (?!int )[\w *]*?(tvm_ffi_\w+)\(", re.M)
# A body in detail/ that is marked; what a macro defines there has its declarations in the header.
MARKED = re.compile(r"^TVM_FFI_C_DETAIL_(?:READER|NODISCARD static inline) int (tvm_ffi_\w+)\(",
                    re.M)


def compile_code(compiler, flags, code):
    language = ["-x", "c++", "-std=c++17"] if compiler.endswith("++") else ["-x", "c", "-std=c99"]
    return subprocess.run([compiler, *language, *STRICT, *flags, "-c", "-o", os.devnull, "-"],
                          input=code, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})


def read_examples(root):
    """The programs in the comment at the top of c.h."""
    comment = (root / "include/tvm/ffi/c.h").read_text(encoding="utf-8").partition("#ifndef")[0]
    blocks = re.findall(r"((?:^ \*(?:     .*)?\n)+)", comment, re.M)
    examples = [
        re.sub(r"^ \*(?:     )?", "", block, flags=re.M) for block in blocks if "#include" in block
    ]
    if len(examples) != 2:
        sys.exit("warned.py: c.h no longer has two examples")
    return [text.partition("\ncc ")[0] for text in examples]


def read_callers(root):
    """For each function whose result must not be ignored, a function in one line that ignores it:
    {name: code}, for c.h and for c/cuda.h."""
    folder = root / "include/tvm/ffi/c"
    headers, bodies = ("".join(
        path.read_text(encoding="utf-8") for path in sorted(place.glob("*.h")))
                       for place in (folder, folder / "detail"))
    callers = {}
    for name, parameters in DECLARATION.findall(headers):
        if MUST_WARN.fullmatch(name):
            parameters = " ".join(parameters.split())
            arguments = ", ".join(re.findall(r"(\w+)(?=,|$)", re.sub("^void$", "", parameters)))
            callers[name] = f"void ignore_{name}({parameters}) {{ {name}({arguments}); }}"
    named = {name for name in NAME.findall(headers) if MUST_WARN.fullmatch(name)}
    named = (named - set(NO_CODE.findall(headers))) | set(MARKED.findall(bodies))
    if not named or named != set(callers):
        sys.exit(f"warned.py: without a declaration or not in MUST_WARN: {named ^ set(callers)}")
    def of(api):
        return {name: code for name, code in callers.items() if name.startswith(f"tvm_ffi_{api}_")}

    apis = [of("cuda"), of("opencl"), of("hip")]
    rest = {name: code for name, code in callers.items() if not any(name in api for api in apis)}
    return rest, *apis


def check(compiler, flags, quiet, callers):
    """The failures of a compiler with a header, as lines."""
    for code in quiet:
        done = compile_code(compiler, [*flags, "-Werror"], code)
        if done.returncode != 0:
            yield done.stderr
    done = compile_code(compiler, flags, "\n".join(callers.values()))
    warned = set(re.findall(r"^<stdin>:(\d+):.*\[-Wunused-result\]", done.stderr, re.M))
    for number, name in enumerate(callers, 1):
        if str(number) not in warned:
            yield f"no warning when the result of {name} is ignored"


def main():
    root, *rest = sys.argv[1:]
    root = pathlib.Path(root)
    quiet, (callers, of_cuda, *of_others) = [QUIET, *read_examples(root)], read_callers(root)
    split = rest.index("--")
    include, compilers = rest[:split], rest[split + 1:]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([root / "tools/amalgamate", folder], check=True)
        for header in (["tvm/ffi/c.h", "-include", "tvm/ffi/c/host.h"],
                       ["tvm_ffi.h", "-DTVM_FFI_HOST", f"-I{folder}"]):
            for compiler in compilers:
                for level in "-O0", "-O2":
                    for failure in check(compiler, [level, *include, "-include", *header], quiet,
                                         callers):
                        print(f"{compiler} {level} {header[0]}: {failure}")
                        count += 1
    for compiler in compilers:
        for api in "01":
            flags = [*include, "-isystem", root / "tests/cuda/include", "-include",
                     "tvm/ffi/c/cuda.h", f"-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API={api}"]
            for failure in check(compiler, flags, [""], of_cuda):
                print(f"{compiler} tvm/ffi/c/cuda.h: {failure}")
                count += 1
        for (header, needed), functions in zip(OTHERS.items(), of_others):
            if pathlib.Path(needed).exists():
                for failure in check(compiler, [*include, "-include", header], [""], functions):
                    print(f"{compiler} {header}: {failure}")
                    count += 1
    num_functions = len(callers) + len(of_cuda) + sum(map(len, of_others))
    print(f"{len(compilers)} compilers, {num_functions} functions that warn, {count} failures")
    return count != 0


if __name__ == "__main__":
    sys.exit(main())
