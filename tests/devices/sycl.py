# SPDX-License-Identifier: Apache-2.0
"""Compile with SYCL's header and library of the packages that dpctl needs, and run on Intel's
driver for OpenCL of the same packages, which runs on the processor:

    sycl.py OUTPUT [--run PROGRAM.py] COMPILER WORD...

The words are sources, flags and libraries. Without --run the output is a program; otherwise a
library, which the program in Python is given.
"""
import os
import pathlib
import subprocess
import sys

import dpctl


def main():
    output, *command = sys.argv[1:]
    program = [output]
    if command[0] == "--run":
        program = [sys.executable, command[1], output]
        command = command[2:] + ["-shared", "-fPIC", "-fvisibility=hidden"]
    # dpctl is in lib/pythonX/site-packages of what pip was given as a prefix.
    prefix = pathlib.Path(dpctl.__file__).resolve().parents[4]
    library = prefix / "lib"
    # SYCL's header warns of compilers that compile no kernels.
    command += ["-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", "-isystem", prefix / "include",
                f"-L{library}", "-lsycl", f"-Wl,-rpath,{library}", "-o", output]
    subprocess.run(command, check=True)
    paths = filter(None, [str(library), os.environ.get("LD_LIBRARY_PATH")])
    env = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(paths),
           "OCL_ICD_FILENAMES": str(library / "libintelocl.so")}
    return subprocess.run(program, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
