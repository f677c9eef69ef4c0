#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference package, for tests that run beside it: a virtual environment with it and NumPy.

    package.py python|library|include|version      make it where it is missing, print that; 77 if not
    package.py run PROGRAM...                       run a program of Python with it
    package.py run-on LIBRARY FOLDER PROGRAM...     the same on that libtvm_ffi.so, by means of that folder

    import package
    reference = package.require()       # or the test ends here with 77, and the reason is printed
    reference.python, reference.library, reference.include
    reference.with_library(library, folder)     # a second environment: the package on that library
    package.require_suite()             # the folder of the source distribution, with its tests
    package.require_more("tvm")         # a folder for PYTHONPATH, of what MORE lists under that name

The environment is kept in the folder that TVM_FFI_COMPAT_VENV names, else in the one of
TVM_FFI_COMPAT_DEFAULT_VENV, which the build sets. Several tests may ask at a time: one makes it. What is
installed there besides stays: with PyTorch, the tests of it run.
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
import tarfile
import time

# The one place that says which version the tests compare with.
VERSION = "0.1.15.post2"
REQUIREMENTS = [f"apache-tvm-ffi=={VERSION}", "numpy>=1.24,<3"]
# Its tests come in the source distribution alone.
SOURCE = (f"apache-tvm-ffi=={VERSION} "
          "--hash=sha256:909be9ef5af07726aa9afd38a3111abc4d86cfd5927ebedfa9166232ce7d287b")
SUITE_REQUIREMENTS = ["pytest>=8,<10"]
# Packages that run on this one. Each row has a folder of its own, which no other test sees; it has all that is
# needed of what its packages depend on.
MORE = {
    "tvm": ["apache-tvm==0.27.0.post1", "ml_dtypes>=0.5,<1"],
    "orcjit": ["apache-tvm-ffi-orcjit==0.1.3"],
    # It runs on releases before 0.1.13 of the reference only.
    "tilelang": ["tilelang==0.1.15", "apache-tvm-ffi==0.1.12", "z3-solver==4.15.4.0", "ml_dtypes>=0.5,<1",
                 "psutil>=5,<8"],
    # Without PyTorch and Transformers, which tests/compat/stand_ins replaces.
    "xgrammar": ["xgrammar==0.2.8", "pydantic==2.14.3", "pydantic-core==2.50.4", "annotated-types==0.8.0",
                 "typing-inspection==0.4.5"],
}
# The source distributions whose tests are run.
MORE_SOURCES = {
    "xgrammar": ("xgrammar==0.2.8 "
                 "--hash=sha256:8305646fd2b319d6c3003f51a1665e54cbbe9cba1fb636bc41d0b46434ccbb80"),
}

SKIP = 77
# How long a failure is believed, so that not every test waits for a network that is not there.
RETRY_SECONDS = 300
PIP = ["-m", "pip", "--disable-pip-version-check", "--no-input", "--timeout", "20", "--retries", "1", "--quiet"]
INSTALL = [*PIP, "install", "--only-binary", ":all:"]
ASK = """
import importlib.metadata, json, os
from tvm_ffi import libinfo
versions = {name: importlib.metadata.version(name) for name in ("apache-tvm-ffi", "numpy")}
include = [libinfo.find_include_path(), libinfo.find_dlpack_include_path()]
print(json.dumps({"versions": versions, "library": libinfo.find_libtvm_ffi(),
                  "include": list(dict.fromkeys(map(os.path.realpath, include)))}))
"""
LOADED = """
import tvm_ffi
with open("/proc/self/maps", encoding="utf-8") as maps:
    print(*sorted({line.split()[-1] for line in maps if line.rstrip().endswith("/libtvm_ffi.so")}), sep="\\n")
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

    def with_library(self, library, root):
        """The Python of a new environment, whose package has that library in the place of its own.

        Its compiled core finds the library through its run path, whatever was loaded before; so the file
        is another one there. All other packages are those of the first environment.
        """
        shutil.rmtree(root, ignore_errors=True)
        run("python3 -m venv", self.python, "-m", "venv", "--without-pip", root)
        old = pathlib.Path(self.library).parents[2]
        new = root / old.relative_to(folder())
        for name in ("tvm_ffi", f"apache_tvm_ffi-{self.version}.dist-info"):
            shutil.copytree(old / name, new / name)
        (new / "others.pth").write_text(f"{old}\n", encoding="utf-8")
        copy = new / pathlib.Path(self.library).relative_to(old)
        shutil.copyfile(library, copy)
        python = root / "bin" / "python"
        check_loaded(python, copy)
        return str(python)


def check_loaded(python, library, *folders):
    """Ends the program if the package that is found with the folders runs on another library."""
    command = ["env", f"PYTHONPATH={os.pathsep.join(map(str, folders))}", python, "-W", "ignore", "-c", LOADED]
    loaded = run("import tvm_ffi", *command).splitlines()
    if loaded != [str(library)]:
        sys.exit(f"the package was to run on {library} alone, and runs on {loaded}")


def replace_library(folder, library, place):
    """Folders for PYTHONPATH: what is in one, with that library in the package that it brings."""
    shutil.rmtree(place, ignore_errors=True)
    for path in [folder / "tvm_ffi", *folder.glob("apache_tvm_ffi-*.dist-info")]:
        shutil.copytree(path, place / path.name)
    shutil.copyfile(library, place / "tvm_ffi" / "lib" / "libtvm_ffi.so")
    return [place, folder]


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


def environment(*folders, **others):
    """For an interpreter that finds its own packages and library, what is in the folders, and no others."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    if folders:
        env["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    if "LD_LIBRARY_PATH" in env:  # Meson's leads to the library that is tested
        env["LD_LIBRARY_PATH"] = ":".join(path for path in env["LD_LIBRARY_PATH"].split(":")
                                          if not pathlib.Path(path, "libtvm_ffi.so").exists())
    return {**env, **others}


def run(what, *command):
    done = subprocess.run([str(word) for word in command], env=environment(), text=True, check=False, cwd="/",
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
    run("pip install " + " ".join(REQUIREMENTS), python, *INSTALL, *REQUIREMENTS)
    found = json.loads(run("import tvm_ffi", python, "-c", ASK).splitlines()[-1])
    return {"python": str(python), **found}


def make_suite(root):
    """pytest in the environment, and the source distribution unpacked beside it."""
    python, place = root / "bin" / "python", root / "suite"
    run("pip install " + " ".join(SUITE_REQUIREMENTS), python, *INSTALL, *SUITE_REQUIREMENTS)
    return {"python": str(python), "source": unpack(python, SOURCE, place)}


def unpack(python, requirement, place):
    """Downloads a source distribution; its folder below the place, which is made anew."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "requirements.txt").write_text(requirement + "\n", encoding="utf-8")
    # pip asks a source distribution what it is, by means of what that builds with.
    run("pip download of the source distribution", python, *PIP, "download", "--no-deps", "--no-binary",
        requirement.split("==")[0], "--require-hashes", "--dest", place, "--requirement", place / "requirements.txt")
    archive = next(place.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(place, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return str(place / archive.name[:-len(".tar.gz")])


def make_more(root, name):
    """The packages of MORE in a folder beside the environment's own."""
    python, place = root / "bin" / "python", root / name
    shutil.rmtree(place, ignore_errors=True)
    run("pip install " + " ".join(MORE[name]), python, *INSTALL, "--no-deps", "--target", place, *MORE[name])
    return {"python": str(python), "source": str(place)}


def kept(name, requirements, make_it, lock="lock"):
    """What make_it(root) said, now or an earlier time; raises Unavailable."""
    root = folder()
    stamp_path, failure_path = root / f"{name}.json", root.with_name(f"{root.name}.{name}.failure")
    with locked(root.with_name(f"{root.name}.{lock}")):
        stamp, failure = read(stamp_path), read(failure_path)
        if stamp.get("requirements") == requirements and all(
                pathlib.Path(stamp[word]).exists() for word in ("python", "library", "source") if word in stamp):
            return stamp
        asked = {"requirements": requirements, "interpreter": sys.executable}
        if failure.get("asked") == asked and time.time() - failure["time"] < RETRY_SECONDS:
            raise Unavailable(failure["reason"])
        try:
            stamp = {"requirements": requirements, **make_it(root)}
        except Unavailable as error:
            failure = {"asked": asked, "time": time.time(), "reason": str(error)}
            failure_path.write_text(json.dumps(failure), encoding="utf-8")
            raise
        failure_path.unlink(missing_ok=True)
        stamp_path.write_text(json.dumps(stamp, indent=1), encoding="utf-8")  # last: it is whole now
        return stamp


def require():
    """The package; without it the program ends as a skipped test."""
    try:
        return Package(kept("stamp", REQUIREMENTS, make))
    except Unavailable as error:
        print(f"no apache-tvm-ffi {VERSION}: {error}")
        sys.exit(SKIP)


def require_suite():
    """The folder of its source distribution; pytest is in the environment then."""
    require()
    try:
        return pathlib.Path(kept("suite", [SOURCE, *SUITE_REQUIREMENTS], make_suite)["source"])
    except Unavailable as error:
        print(f"no tests of apache-tvm-ffi {VERSION}: {error}")
        sys.exit(SKIP)


def require_more(name, source=False):
    """The folder of the packages of that name, or of their source distribution."""
    require()
    try:
        # A large download does not keep the other tests from the package.
        if source:
            return pathlib.Path(kept(f"{name}_source", MORE_SOURCES[name], lambda root: {
                "source": unpack(root / "bin" / "python", MORE_SOURCES[name], root / f"{name}_source")},
                f"{name}.lock")["source"])
        return pathlib.Path(kept(name, MORE[name], lambda root: make_more(root, name), f"{name}.lock")["source"])
    except Unavailable as error:
        print(f"no {MORE[name][0]}: {error}")
        sys.exit(SKIP)


def not_yet():
    """What our library does not have yet: the lines of not_yet.txt."""
    lines = pathlib.Path(__file__).with_name("not_yet.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main():
    answers = ("python", "library", "include", "version")
    python, program = None, []
    if len(sys.argv) > 2 and sys.argv[1] == "run":
        python, program = require().python, sys.argv[2:]
    elif len(sys.argv) > 4 and sys.argv[1] == "run-on":
        python = require().with_library(sys.argv[2], pathlib.Path(sys.argv[3]).resolve())
        program = sys.argv[4:]
    if python:
        os.environ.pop("PYTHONPATH", None)
        os.execv(python, [python, *program])
    if len(sys.argv) != 2 or sys.argv[1] not in answers:
        sys.exit(f"usage: package.py {'|'.join(answers)}|run PROGRAM...|run-on LIBRARY FOLDER PROGRAM...")
    answer = getattr(require(), sys.argv[1])
    print("\n".join(answer) if isinstance(answer, list) else answer)


if __name__ == "__main__":
    main()
