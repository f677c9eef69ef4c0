#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference package, for tests that run beside it: a virtual environment with it and NumPy.

    package.py python|library|include|version      make it where it is missing, print that; 77 if not
    package.py run PROGRAM...                       run a program of Python with it

    import package
    reference = package.require()       # or the test ends here with 77, and the reason is printed
    reference.python, reference.library, reference.include

The environment is kept in the folder that TVM_FFI_COMPAT_VENV names, else in the one of
TVM_FFI_COMPAT_DEFAULT_VENV, which the build sets. Several tests may ask at a time: one makes it.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

# The one place that says which version the tests compare with.
VERSION = "0.1.15.post2"
REQUIREMENTS = [f"apache-tvm-ffi=={VERSION}", "numpy>=1.24,<3"]

SKIP = 77
# How long a failure is believed, so that not every test waits for a network that is not there.
RETRY_SECONDS = 300
PIP = ["-m", "pip", "--disable-pip-version-check", "--no-input", "--timeout", "20", "--retries", "1",
       "install", "--quiet", "--only-binary", ":all:", *REQUIREMENTS]
ASK = """
import importlib.metadata, json, os
from tvm_ffi import libinfo
versions = {name: importlib.metadata.version(name) for name in ("apache-tvm-ffi", "numpy")}
include = [libinfo.find_include_path(), libinfo.find_dlpack_include_path()]
print(json.dumps({"versions": versions, "library": libinfo.find_libtvm_ffi(),
                  "include": list(dict.fromkeys(map(os.path.realpath, include)))}))
"""


class Unavailable(Exception):
    """The package cannot be had here; the text is one line."""


class Package:
    """Where the things of an installed package are."""

    def __init__(self, stamp):
        self.python = stamp["python"]       # runs programs that import tvm_ffi and numpy
        self.library = stamp["library"]     # its libtvm_ffi.so
        self.include = stamp["include"]     # folders for -I, its dlpack.h among them
        self.version = stamp["versions"]["apache-tvm-ffi"]
        self.numpy = stamp["versions"]["numpy"]


def folder():
    path = os.environ.get("TVM_FFI_COMPAT_VENV") or os.environ.get("TVM_FFI_COMPAT_DEFAULT_VENV")
    if not path:
        sys.exit("neither TVM_FFI_COMPAT_VENV nor TVM_FFI_COMPAT_DEFAULT_VENV names a folder")
    return pathlib.Path(path).resolve()


@contextlib.contextmanager
def locked(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def run(what, *command):
    # Without what would lead the new interpreter to other packages than its own.
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run([str(word) for word in command], env=env, text=True, check=False, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        told = [line for line in lines if re.match(r"error:", line, re.I)] or lines[-1:]
        unreachable = " (the index was not reached)" if "connection broken" in done.stdout else ""
        raise Unavailable(f"{what}: {told[-1] if told else f'ends with {done.returncode}'}{unreachable}")
    return done.stdout


def make(root):
    """A new environment, and what its stamp says."""
    try:
        import ensurepip, venv  # Debian has the first in a package of its own
    except ImportError as error:
        raise Unavailable(f"no virtual environments, python3-venv is not installed ({error})") from None
    shutil.rmtree(root, ignore_errors=True)
    run("python3 -m venv", sys.executable, "-m", "venv", root)
    python = root / "bin" / "python"
    run("pip install " + " ".join(REQUIREMENTS), python, *PIP)
    found = json.loads(run("import tvm_ffi", python, "-c", ASK).splitlines()[-1])
    return {"requirements": REQUIREMENTS, "python": str(python), **found}


def find_or_make():
    """The package; raises Unavailable."""
    root = folder()
    stamp_path, failure_path = root / "stamp.json", root.with_name(root.name + ".failure")
    with locked(root.with_name(root.name + ".lock")):
        stamp, failure = read(stamp_path), read(failure_path)
        if stamp.get("requirements") == REQUIREMENTS and all(
                pathlib.Path(stamp[name]).exists() for name in ("python", "library")):
            return Package(stamp)
        asked = {"requirements": REQUIREMENTS, "interpreter": sys.executable}
        if failure.get("asked") == asked and time.time() - failure["time"] < RETRY_SECONDS:
            raise Unavailable(failure["reason"])
        try:
            stamp = make(root)
        except Unavailable as error:
            failure = {"asked": asked, "time": time.time(), "reason": str(error)}
            failure_path.write_text(json.dumps(failure), encoding="utf-8")
            raise
        failure_path.unlink(missing_ok=True)
        stamp_path.write_text(json.dumps(stamp, indent=1), encoding="utf-8")  # last: it is whole now
        return Package(stamp)


def require():
    """The package; without it the program ends as a skipped test."""
    try:
        return find_or_make()
    except Unavailable as error:
        print(f"no apache-tvm-ffi {VERSION}: {error}")
        sys.exit(SKIP)


def main():
    answers = ("python", "library", "include", "version")
    if len(sys.argv) > 2 and sys.argv[1] == "run":
        python = require().python
        os.environ.pop("PYTHONPATH", None)
        os.execv(python, [python, *sys.argv[2:]])
    if len(sys.argv) != 2 or sys.argv[1] not in answers:
        sys.exit(f"usage: package.py {'|'.join(answers)}|run PROGRAM...")
    answer = getattr(require(), sys.argv[1])
    print("\n".join(answer) if isinstance(answer, list) else answer)


if __name__ == "__main__":
    main()
