#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when kernels built with the layer export symbols of the layer that they should not.

    symbols.py NM LIBRARY...

A library may export its kernels, the vtable and type_info of polymorphic classes, and the user's
own functions. It may not have a unique symbol (STB_GNU_UNIQUE), because it would never be unloaded.
But where libstdc++ is linked in, as a toolchain without its shared library does, its own unique
symbols are there whatever the layer does.
"""
import re
import subprocess
import sys

# Symbols of the layer: a function or variable whose own name, not just that of a parameter, is in
# it.
OURS = re.compile(r"^_ZN?[KRO]*(3tvm3ffi|T[VIS]N3tvm3ffi)")
# Variables of the C++ library alone: no name of another namespace is in them.
STANDARD = re.compile(r"^_Z(GV)?N?[KRO]*(S[abdios]|St)(?!.*(3tvm3ffi|_GLOBAL__N_))")
POLYMORPHIC = re.compile(r"^_ZT[VIS]")


def main():
    nm, libraries = sys.argv[1], sys.argv[2:]
    failed = 0
    for library in libraries:
        defined = subprocess.run([nm, "-D", "--defined-only", library], check=True,
                                 capture_output=True, text=True).stdout.split("\n")
        has_libstdcxx = any(
            line.endswith(" std::locale::locale()")
            for line in subprocess.run([nm, "--defined-only", "-C", library], check=True,
                                       capture_output=True, text=True).stdout.splitlines())
        for line in filter(None, defined):
            kind, name = line.split()[-2:]
            name = name.split("@")[0]
            if kind == "u" and has_libstdcxx and STANDARD.match(name):
                continue
            if kind == "u":
                print(f"{library}: {name} is a unique symbol")
                failed += 1
            elif OURS.match(name) and not POLYMORPHIC.match(name):
                print(f"{library}: exports {name}")
                failed += 1
        kernels = [line for line in defined if "__tvm_ffi_" in line]
        if not kernels:
            print(f"{library}: exports no kernel")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
