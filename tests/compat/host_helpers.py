#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One host that uses c/host.h and its like, on both libraries: the same results.

    host_helpers.py --runtime libtvm_ffi.so --program PROGRAM --kernels LIBRARY
"""
import argparse
import os
import pathlib
import subprocess
import sys

import package

EXPECTED = """\
prime: 0
get: 0
get again: 0
the same: 1
call: 0
sum: 42
no such function: -1 AttributeError: Module has no function `no_such`
make: 0
set a check: 0
interrupted: -1 EnvErrorAlreadySet:
set none: 0
not interrupted: 0
make: 0
round upward: 0
changed: 1
restored: 1
prepare: 0
prepared: -1 ValueError: made before
make: 0
view: 0
constant: 0
"""
# The package's library forgets the flags of a tensor.
READ_ONLY = {True: "read-only: -1 ValueError: Argument #0 of `write_to(0: DLTensor*) -> void` must "
                   "be writable, but is read-only\n",
             False: "read-only: 0\n"}


def main():
    parser = argparse.ArgumentParser()
    for name in ("runtime", "program", "kernels"):
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    args = parser.parse_args()
    reference = package.require()
    failed = False
    for library in (pathlib.Path(reference.library), args.runtime.resolve()):
        done = subprocess.run([args.program, args.kernels], text=True, check=False,
                              capture_output=True,
                              env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)})
        came = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        if (done.returncode, came) != (0, EXPECTED + READ_ONLY[library == args.runtime.resolve()]):
            print(f"{library}: {done.returncode}\n{came}{done.stderr}")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
