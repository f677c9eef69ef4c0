# SPDX-License-Identifier: Apache-2.0
"""Samples, and the kernels that wrap writes for each ABI, pass probe on this runtime and on that of
the package apache-tvm-ffi; so do libraries that were built with the package's headers.

    probe_samples.py TVM-FFI [--here | LIBRARY INCLUDE...]

With --here, the samples and kernels are probed on this runtime only. LIBRARY is the package's
libtvm_ffi.so, INCLUDE are the folders of its headers; without them they are those of the package,
which is installed for that.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL, *PACKAGE = sys.argv[1:]

# Extents and values differ, so that a kernel which exchanges them is found out; `&` says what is
# changed in place.
SAMPLES = [
    ("01_load_and_call/kernel.c", "scale(&5xf32, 5xf32=rand, 2.5)"),
    ("02_write_a_kernel/kernel.c", "power(1.5, 3)"),
    ("02_write_a_kernel/kernel.c", "sum(7xf32=rand)"),
    ("02_write_a_kernel/kernel.c", "min_max([1.5, 2.5, 0.5])"),
    ("03_errors/kernel.c", 'parse(s:"27")'),
    ("04_tensor/kernel.c", "iota(shape:[2, 3])"),
    ("04_tensor/kernel.c", "transpose(4x3xf64=rand)"),
    ("05_callback/kernel.c", "map(&5xf64=rand, fn:echo)"),
    ("06_streams_and_allocators/kernel.c", "keep(5xf32=rand, 0.5)"),
    ("10_ahead_of_time_calls/activation.c", "activate(0.5)"),
    ("10_ahead_of_time_calls/reduce.c", "dot(5xf64=rand, 5xf64=rand)"),
    ("17_json_configuration/kernel.c", "scale(&5xf64=rand, 2.5)"),
    ("17_json_configuration/kernel.c", "clamp(&5xf64=rand, 0.25, 0.5)"),
    ("19_python_package/kernel.c", "add_scaled(5xf64=rand, &5xf64=rand, 2.5)"),
    ("11_cpp_add_one/add_one.cc", "add_one(5xf32=rand, &5xf32)"),
    ("12_scale_kernel/scale.cc", "scale(5xf32=rand, &5xf32, 2.5)"),
    ("16_without_exceptions/kernel.cc", "mean(5xf64=rand)"),
    ("22_typed_tensors/kernel.cc", "add_bias(4x3xf32=rand, 3xf32=rand, &4x3xf32)"),
]
# The options of wrap, the file of the functions, SPECs, and calls.
WRAPPED = [
    ([], "../../samples/27_wrapped_function/normalize.c",
     ["void normalize(float y[n][m], const float x[n][m], int n, int m)"],
     ["normalize(&4x3xf32, 4x3xf32=rand)"]),
    ([], "wrap_functions.c", [
        "void scale_columns(float y[n][m], const float x[n][m], const float s[m], int n, int m)",
        "double dot(const double x[n], const double y[n], size_t n)",
        "void transpose(float y[m:y_row][n], long y_row, const float x[n:x_row, m:x_column], "
        "long x_row, long x_column, int8_t n, int m)",
        "int sort(int64_t y[n], const int64_t x[n], int64_t *work[n], double *small[2][2], int n)",
        "void blas_axpy(int n, double a, const double x[n:incx] strides blas, int incx, "
        "double y[n:incy] strides blas, int incy)",
        "double sum_steps(const double x[n:s] strides any, int n, ptrdiff_t s)",
    ], [
        "scale_columns(&4x3xf32, 4x3xf32=rand, 3xf32=rand)", "dot(5xf64=rand, 5xf64=rand)",
        "transpose(&3x4xf32, 4x3xf32=rand)", "sort(&5xi64, 5xi64=3 1 4 5 2)",
        "blas_axpy(2.5, 5xf64=rand, &5xf64=rand)", "sum_steps(5xf64=rand)"
    ]),
    (["--outputs=return"], "wrap_functions.c",
     ["void scale_columns(float y[n][m], const float x[n][m], const float s[m], int n, int m)"],
     ["scale_columns(4x3xf32=rand, 3xf32=rand)"]),
    (["--abi=casadi"], "wrap_casadi.c",
     ["int scale(const double x[2][3], double a, double y[2][3])"],
     ["scale(2x3xf64=rand, 2.5, &2x3xf64)"]),
    (["--abi=memref"], "wrap_memref.c", [
        "void scale(const double x[n][m], double a, double y[n][m])",
        "float dot(const float x[n:s], const float y[n:t])"
    ], ["scale(4x3xf64=rand, 2.5, &4x3xf64)", "dot(5xf32=rand, 5xf32=rand)"]),
    (["--abi=halide"], "wrap_halide.c",
     ["int scale(const double x[n][m], double a, double y[n][m])"],
     ["scale(4x3xf64=rand, 2.5, &4x3xf64)"]),
]


def find_package():
    """The package's library and the folders of its headers; ends this as a skipped test."""
    if PACKAGE:
        return PACKAGE[0], PACKAGE[1:]
    sys.path.append(str(ROOT / "tests/compat"))
    import package
    found = package.require()
    return found.library, found.include


def probe(library, call, *options, code=0):
    """Make the calls, print the last line, and all that failed; returns whether the exit code is
    that."""
    done = subprocess.run([TOOL, "probe", library, call, *options], capture_output=True, text=True,
                          check=False)
    lines = done.stdout.splitlines()
    good = done.returncode == code
    summary = [line for line in lines if " refused, " in line]
    print("ok  " if good else "FAIL", call, summary[-1] if summary else done.stderr, flush=True)
    for line in lines if not good else []:
        if line.startswith("FAIL"):
            print("    ", line.partition(": tvm-ffi probe")[0])
    return good


def probe_all(folder, *options):
    """Probe samples and what wrap writes; returns how many calls failed."""
    good = []
    for source, call in SAMPLES:
        if HAS_CXX or not source.endswith(".cc"):
            # One of them prints what it shows.
            skipped = ["--skip=prints"] if call.startswith("keep(") else []
            good.append(probe(ROOT / "samples" / source, call, *skipped, *options))
    for i, (choice, functions, specs, calls) in enumerate(WRAPPED):
        checked = pathlib.Path(folder) / f"checked_{i}.c"
        functions = (ROOT / "tests/tool" / functions).resolve()
        subprocess.run([TOOL, "wrap", *choice, *specs, "-o", checked], check=True)
        for call in calls:
            good.append(
                probe(checked, call, f"--cflags={functions} -I{functions.parent} -lm", *options))
    return good.count(False)


def probe_foreign(folder, library, include):
    """The same on another runtime, and a library that was built with its headers on both; returns
    how many calls failed."""
    runtime = f"--runtime={library}"
    failed = probe_all(folder, runtime)
    foreign = pathlib.Path(folder) / "foreign.so"
    if HAS_CXX:
        subprocess.run([
            *CXX, "-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
            *(f"-I{place}" for place in include), ROOT / "samples/12_scale_kernel/scale.cc", "-o",
            foreign
        ], check=True)
        # Its headers leave byte_offset and NULL to the kernel. On its runtime, which has no name
        # for complex64, their error about such a tensor ends the program.
        call = "scale(5xf32=rand, &5xf32, 2.5)"
        for options in [], [runtime, "--skip=dtype:*:c64"]:
            failed += not probe(foreign, call, "--skip=offset", "--skip=null", *options)
            failed += not probe(foreign, call, "--only=offset", "--only=null", *options, code=5)
    fault = ROOT / "tests/tool/probe_faults.c"
    for call in "offset(4x3xf32=rand, 2.5, &4x3xf32)", "threads(4x3xf32=rand, 2.5, &4x3xf32)":
        failed += not probe(fault, call, "--cflags=-lm", runtime, code=5)
    return failed


CXX = shlex.split(os.environ.get("CXX", "c++"))
HAS_CXX = shutil.which(CXX[0]) is not None
with tempfile.TemporaryDirectory(prefix="tvm-ffi-") as work:
    os.environ["XDG_CACHE_HOME"] = work
    wrong = probe_all(work)
    if wrong == 0 and PACKAGE != ["--here"]:
        wrong = probe_foreign(work, *find_package())
    print(f"{wrong} failed")
    sys.exit(wrong > 0)
