# SPDX-License-Identifier: Apache-2.0
"""Compilers for the tests of wrap, and functions that compile and call kernels."""
import os
import pathlib
import shutil
import subprocess
import sys

from tool import FILES, RAISED, RUNNER, WINDOWS, bad, good, work_folder

FOLDER, LIBRARY, *INCLUDES = FILES
FOLDER, LIBRARY = pathlib.Path(FOLDER), pathlib.Path(LIBRARY)
STRICT = [
    "-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
    "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror", "-fvisibility=hidden", f"-I{FOLDER}"
]
HEADERS = ["-I" + name for name in INCLUDES]
LINK = [f"-L{LIBRARY.parent}", "-ltvm_ffi"]
COMPILERS = {
    " ".join(found): found for found in [os.environ["CC"].split()] +
    [[name] for name in ("gcc", "clang") if shutil.which(name) and not RUNNER]
}
PLACE = work_folder()


def make_library(compiler, name, sources, specs, *options):
    """Make a library of functions and of the kernels for them, without a warning; with --lean
    without our headers."""
    kernels, library = PLACE / f"{name}.c", PLACE / f"{name}.so"
    imports = LINK if WINDOWS else []
    assert good("wrap", *specs, "-o", kernels, *options) == ""
    subprocess.run([
        *compiler, *STRICT, *([] if "--lean" in options else HEADERS), "-shared", "-fPIC", kernels,
        *sources, *imports, "-o", library
    ], check=True)
    return library


def each_compiler():
    """Each compiler, with the options for kernels with our headers and for those without."""
    for label, compiler in COMPILERS.items():
        for options in [], ["--lean"]:
            yield compiler, options
            print("checked with", label, *options)


def call_with_program(compiler, name, library, *words):
    """Compile a program, run it with a library of kernels, and return what it prints."""
    program = PLACE / (f"{name}.exe" if WINDOWS else name)
    place = [] if WINDOWS else [f"-Wl,-rpath,{LIBRARY.parent}"]  # in the environment, on Windows
    subprocess.run(
        [*compiler, *STRICT, *HEADERS, FOLDER / f"{name}.c", "-o", program, *LINK, *place],
        check=True)
    return subprocess.run([*RUNNER, program, library, *words], capture_output=True, text=True,
                          check=True).stdout


def check_abi_calls(compiler, library, with_column=False):
    """The kernels of `scale` do and refuse the same with every ABI. `with_column` calls scale_any,
    for any shape, too."""
    printed = call_with_program(compiler, "use_abi", library, *(["column"] if with_column else []))
    expected = (FOLDER / "wrap_abi_calls.txt").read_text(encoding="utf-8")
    assert printed == expected + ("column: called\n10 20 0 0 0 0\n" if with_column else ""), printed


def raises(message, *call):
    """Run a call that must raise an error with this message."""
    bad(RAISED, message, "run", *call)


def check_default_strides(library):
    """Unless a SPEC says otherwise, strides are above 0: kernels of `scale_steps`, which takes
    x[2:row][3:column] and writes y[2:s][3:t], with every ABI."""
    x, y = "2x3xf64=1 2 3 4 5 6", "&2x3xf64=0"
    for call in (f"{x}, 10.0, {y}", "2x6xf64[:, ::2]=1 2 3 4 5 6, 10.0, &3x2xf64.T=0"):
        shown = good("run", library, f"scale_steps({call})")
        assert shown == "arg[2]: 2x3xf64=[10 21 32][40 51 62]\n", (call, shown)
    for call, number, message in (
        (f"2x3xf64[::-1]=1, 10.0, {y}", 0, "a stride above 0 in dimension 0, but has -3"),
        (f"2x3xf64.strides(3, 0)=1, 10.0, {y}", 0, "a stride above 0 in dimension 1, but has 0"),
        (f"{x}, 10.0, &2x3xf64[:, ::-1]=0", 2, "a stride above 0 in dimension 1, but has -1"),
        (f"{x}, 10.0, &2x3xf64.strides(0, 1)=0", 2, "a stride above 0 in dimension 0, but has 0"),
        (f"{x}, 10.0, &2x3xf64.strides(1, 1)=0", 2,
         "an address for each element, but has strides [1, 1] of shape [2, 3]")):
        raises(f"ValueError: Argument #{number} of `scale_steps(", library, f"scale_steps({call})")
        raises(f"must have {message}\n", library, f"scale_steps({call})")


def find_generator(module):
    """A Python that has this code generator: $TVM_FFI_GENERATORS, or the test's own; None after
    telling that there is none."""
    python = os.environ.get("TVM_FFI_GENERATORS", sys.executable)
    found = subprocess.run([python, "-c", f"import {module}"], capture_output=True,
                           check=False).returncode == 0
    if not found:
        print(f"skipped: {python} has no module {module}; TVM_FFI_GENERATORS=PYTHON names another")
    return python if found else None
