# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this sample share: make a checked kernel of generated code, compile it,
compare its results, make all related calls."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import numpy as np
import tvm_ffi

SKIPPED = 77


def find_program(*names):
    """The path of the first of these programs that is installed; without one the script is
    skipped."""
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    print(f"{names[0]} is not installed")
    sys.exit(SKIPPED)


def run(*command, code=0):
    """Run a command and return what it prints; if its exit code is another, end with its
    messages."""
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != code:
        sys.exit(f"$ {shlex.join(command)}\n{done.stdout}")
    return done.stdout


def write(name, text):
    """Write a file into the current folder and return its path."""
    path = pathlib.Path(name).resolve()
    path.write_text(text, encoding="utf-8")
    return path


last_call = []  # the arguments of the last call of a kernel


class Kernels:
    """The kernels of a module, which note their arguments."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        function = self.module[name]

        def call(*args):
            last_call[:] = args
            return function(*args)

        return call


def load(spec, *files, include=(), options=()):
    """Wrap the function that a SPEC describes, compile that with more files to a library, and load
    it.

    include has the headers or sources that declare the function, options go to `tvm-ffi wrap`."""
    checked, library = pathlib.Path("checked.c"), pathlib.Path("kernels.so").resolve()
    run("tvm-ffi", "wrap", spec, *(f"--include={file}" for file in include), *options, "-o",
        checked)
    cflags = shlex.split(run("tvm-ffi", "config", "--cflags"))
    run(os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-fvisibility=hidden", *cflags,
        checked, *files, "-o", library, "-lm")
    return Kernels(tvm_ffi.load_module(str(library)))


def compare(kernel, inputs, expected):
    """Call kernel(output, *inputs), compare with NumPy's result, and see that wrong outputs are
    refused."""
    output = np.full(expected.shape, 111, expected.dtype)
    kernel(output, *inputs)
    np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)
    probe(list(last_call), output)
    columns = np.asfortranarray(np.stack([output, output]))[0]
    for wrong, said in ((output.astype(np.int16), "Mismatched dtype"), (output[np.newaxis],
                                                                        "Mismatched"),
                        (columns, "Mismatched strides"), (None, "Mismatched type")):
        try:
            kernel(wrong, *inputs)
        except (TypeError, ValueError) as error:
            assert said in str(error), error
        else:
            sys.exit(f"this output is not refused: {wrong!r}")
    print("as NumPy; wrong outputs are refused")


def probe(args, output):
    """See that all calls that are related to this one of the library of load() are right or
    refused."""
    words = []
    for i, arg in enumerate(args):
        if isinstance(arg, np.ndarray):
            np.save(f"argument_{i}.npy", arg)
            arg = f"@argument_{i}.npy"
            if args[i] is output:
                arg = f"&{'x'.join(map(str, output.shape))}x{output.dtype}"
        words.append(f"--input={arg}")
    run("tvm-ffi", "probe", "kernels.so", *words)
